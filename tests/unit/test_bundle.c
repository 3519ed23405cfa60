// SPDX-License-Identifier: BSD-2-Clause
/* Bundles: what is read of a host, packed, unpacked and read again; redacted; and archives by others. */
#include "lib/unit.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sysinfo/bundle.h"
#include "sysinfo/facts.h"

#define CASES	"tests/data/cases"

static char tmp[64], file[96];

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *f)
{
	(void)st, (void)flag, (void)f;
	return remove(path);
}

static int setup(void **state)
{
	(void)state;
	strcpy(tmp, "/tmp/rct-bundle-XXXXXX");
	if (!mkdtemp(tmp))
		return -1;
	snprintf(file, sizeof(file), "%s/b.tar.gz", tmp);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return nftw(tmp, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Writes a file below tmp, with the folders it lies in. */
static void put(const char *path, const char *text, size_t len)
{
	char full[512];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", tmp, path);
	for (char *c = full + strlen(tmp) + 1; (c = strchr(c, '/')); c++) {
		*c = '\0';
		mkdir(full, 0755);
		*c = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	fclose(f);
}

static void record(const char *folder, struct rct_tree *t, struct rct_facts *f)
{
	struct rct_root root;
	struct rct_err err = {};

	assert_int_equal(rct_root_open(&root, folder, NULL), 0);
	rct_tree_record(t, &root);
	assert_int_equal(rct_facts_read(&root, f, &err), 0);
	/* not of the facts, but of every report */
	free(rct_root_text(&root, NULL, NULL, "proc/sys/kernel/hostname"));
	rct_root_close(&root);
	assert_int_equal(rct_tree_finish(t), 0);
}

static const char *text_in(const struct rct_tree *t, const char *path)
{
	for (size_t i = 0; i < t->n; i++) {
		if (!strcmp(t->v[i].path, path))
			return t->v[i].text ? t->v[i].text : "";
	}
	return NULL;
}

/* Packs a tree as after/, and unpacks it into tmp. */
static void through_bundle(const struct rct_tree *t)
{
	static const char *const name = "after";
	struct rct_err err = {};

	if (rct_bundle_write(file, t, &name, 1, &err) || rct_bundle_unpack(file, tmp, &err))
		fail_msg("%s", err.text);
	assert_true(rct_bundle_is(file));
}

static void same_trees(const struct rct_tree *a, const struct rct_tree *b, const char *what)
{
	for (size_t i = 0; i < a->n; i++) {
		const char *text = text_in(b, a->v[i].path);

		if (!text || strcmp(text, a->v[i].text ? a->v[i].text : ""))
			fail_msg("%s: %s is not what it was", what, a->v[i].path);
	}
	assert_int_equal(a->n, b->n);
}

static void same_facts(const struct rct_facts *a, const struct rct_facts *b)
{
	assert_int_equal(a->n_netifs, b->n_netifs);
	assert_int_equal(a->n_nics, b->n_nics);
	assert_int_equal(a->n_qps, b->n_qps);
	assert_int_equal(a->n_procs, b->n_procs);
	assert_int_equal(a->n_addrs, b->n_addrs);
	assert_int_equal(a->n_log, b->n_log);
	assert_int_equal(a->n_irqs, b->n_irqs);
	assert_int_equal(a->irqbalance, b->irqbalance);
	assert_int_equal(a->container, b->container);
	for (u32 i = 0; i < a->n_nics; i++) {
		assert_string_equal(a->nics[i].dev, b->nics[i].dev);
		assert_string_equal(a->nics[i].ifname, b->nics[i].ifname);
		assert_string_equal(a->nics[i].driver, b->nics[i].driver);
		assert_int_equal(a->nics[i].n_gids, b->nics[i].n_gids);
		assert_int_equal(a->nics[i].n_counters, b->nics[i].n_counters);
	}
	for (u32 i = 0; i < a->n_netifs; i++) {
		assert_int_equal(a->netifs[i].n_counters, b->netifs[i].n_counters);
		assert_int_equal(a->netifs[i].n_irqs, b->netifs[i].n_irqs);
		assert_string_equal(a->netifs[i].pci, b->netifs[i].pci);
	}
}

static void one_folder(const char *folder)
{
	struct rct_tree before, after;
	struct rct_facts f = {}, g = {};
	char unpacked[96];
	void *unused = NULL;

	setup(&unused);
	record(folder, &before, &f);
	through_bundle(&before);
	snprintf(unpacked, sizeof(unpacked), "%s/after", tmp);
	record(unpacked, &after, &g);
	same_trees(&before, &after, folder);
	same_facts(&f, &g);
	rct_tree_free(&before);
	rct_tree_free(&after);
	rct_facts_free(&f);
	rct_facts_free(&g);
	teardown(&unused);
}

/* Every captured host that is here comes out of a bundle as it went in. */
static void cases(void **state)
{
	char path[600];
	struct dirent *c, *s;
	DIR *all = opendir(CASES), *one;
	int n = 0;

	(void)state;
	assert_non_null(all);
	while ((c = readdir(all))) {
		snprintf(path, sizeof(path), CASES "/%s", c->d_name);
		one = c->d_name[0] == '.' ? NULL : opendir(path);
		while (one && (s = readdir(one))) {
			if (strncmp(s->d_name, "sysroot", 7))
				continue;
			snprintf(path, sizeof(path), CASES "/%s/%s", c->d_name, s->d_name);
			one_folder(path);
			n++;
		}
		if (one)
			closedir(one);
	}
	closedir(all);
	assert_true(n > 30);
}

static const char environ_text[] = "AWS_SECRET_KEY=hunter2\0NCCL_IB_TC=106\0HOME=/root\0";

/* A small host with secrets. */
static void put_host(void)
{
	static const char status[] = "Name:\ttrainer\nCpus_allowed_list:\t0-3\n";

#define PUT(path, text) put("host/" path, text, strlen(text))
	PUT("proc/uptime", "100.00 1.00\n");
	PUT("proc/sys/kernel/hostname", "gpu-7.example.org\n");
	PUT("proc/71/comm", "trainer\n");
	PUT("proc/71/status", status);
	put("host/proc/71/environ", environ_text, sizeof(environ_text) - 1);
	PUT("proc/72/comm", "private-thing\n");
	PUT("proc/73/comm", "irqbalance\n");
	PUT("sys/class/net/eth0/type", "1\n");
	PUT("sys/class/net/eth0/address", "3c:fd:fe:12:34:56\n");
	PUT("cmd/ip-addr.txt", "3: eth0    inet 10.1.2.3/24\n4: eth1    inet 10.1.2.4/24\n"
	    "5: eth2    inet 10.1.3.4/24\n3: eth0    inet6 fe80::3efd:feff:fe12:3456/64\n");
	PUT("cmd/rdma-res-qp.txt", "link mlx5_0/1 lqpn 7 rqpn 8 type RC state RTS pid 71 comm trainer\n"
	    "link mlx5_0/1 lqpn 1 type GSI state RTS comm ib_core\n");
	PUT("cmd/dmesg.txt", "[    1.000000] my secret module says 1.2.3.4\n"
	    "[    2.500000] Out of memory: Killed process 71 (trainer)\n");
	PUT("cmd/nccl.log", "gpu-7:71:90 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [RO]; OOB eth0:10.1.2.3<0>\n"
	    "gpu-8:71:90 [0] NCCL WARN NET/IB : Got completion from peer 10.1.2.4<51010> with status=12 "
	    "localGid ::ffff:10.1.2.3 remoteGids::ffff:10.1.2.4 hca mlx5_0\n");
	PUT("cmd/ethtool-i-eth0.txt", "driver: bnxt_en\nfirmware-version: 230.0.157.0\n");
#undef PUT
}

static void filtered(void **state)
{
	struct rct_facts f = {};
	struct rct_tree t;
	char folder[96];

	(void)state;
	put_host();
	snprintf(folder, sizeof(folder), "%s/host", tmp);
	record(folder, &t, &f);
	assert_string_equal(text_in(&t, "proc/71/environ"), "NCCL_IB_TC=106");
	assert_string_equal(text_in(&t, "proc/71/comm"), "trainer\n");
	assert_string_equal(text_in(&t, "proc/73/comm"), "irqbalance\n");
	assert_null(text_in(&t, "proc/72/comm"));
	assert_non_null(text_in(&t, "sys/class/net/eth0/type"));
	assert_null(text_in(&t, "sys/class/net/eth0"));
	for (size_t i = 0; i < t.n; i++)
		assert_null(t.v[i].text ? memmem(t.v[i].text, t.v[i].len, "hunter2", 7) : NULL);
	rct_tree_free(&t);
	rct_facts_free(&f);
}

static void redacted(void **state)
{
	static const char *const gone[] = {
		"gpu-7", "gpu-8", "example", "trainer", "10.1.2", "10.1.3", "3c:fd", "3efd", "12:34:56", "secret",
		"hunter2", "private",
	};
	struct rct_facts f = {}, g = {};
	struct rct_tree t, again;
	char folder[96];

	(void)state;
	put_host();
	snprintf(folder, sizeof(folder), "%s/host", tmp);
	record(folder, &t, &f);
	assert_int_equal(rct_trees_redact(&t, 1), 0);
	for (size_t i = 0; i < t.n; i++) {
		for (size_t k = 0; k < sizeof(gone) / sizeof(gone[0]) && t.v[i].text; k++) {
			if (memmem(t.v[i].text, t.v[i].len, gone[k], strlen(gone[k])))
				fail_msg("%s still has %s: %s", t.v[i].path, gone[k], t.v[i].text);
		}
	}
	assert_non_null(strstr(text_in(&t, "cmd/ethtool-i-eth0.txt"), "230.0.157.0"));
	through_bundle(&t);
	snprintf(folder, sizeof(folder), "%s/after", tmp);
	record(folder, &again, &g);
	same_facts(&f, &g);
	/* who was in one subnet is so still, and the same name is the same */
	assert_memory_equal(g.addrs[0].addr, g.addrs[1].addr, 15);
	assert_memory_not_equal(g.addrs[0].addr, g.addrs[1].addr, 16);
	assert_memory_not_equal(g.addrs[0].addr, g.addrs[2].addr, 15);
	assert_int_equal(g.addrs[3].addr[0], 0xfe);
	assert_int_equal(g.addrs[3].addr[1], 0x80);
	assert_string_equal(g.qps[0].comm, g.procs[0].comm);
	assert_string_equal(g.qps[1].comm, "ib_core");
	assert_string_equal(g.log[0].object, g.procs[0].comm);
	assert_true(g.log[0].at > 2.4 && g.log[0].at < 2.6);
	assert_int_equal(g.nccl.n_devices, 1);
	assert_int_equal(g.nccl.errors[0].status, 12);
	assert_non_null(strstr(g.nccl.errors[0].remote_gid, g.nccl.errors[0].peer));
	rct_tree_free(&t);
	rct_tree_free(&again);
	rct_facts_free(&f);
	rct_facts_free(&g);
}

/* ---- archives that others made */

static void put_archive(const char *path, mode_t type, const char *link, const char *text)
{
	struct archive *a = archive_write_new();
	struct archive_entry *e = archive_entry_new();

	archive_write_add_filter_gzip(a);
	archive_write_set_format_pax_restricted(a);
	assert_int_equal(archive_write_open_filename(a, file), ARCHIVE_OK);
	archive_entry_set_pathname(e, path);
	archive_entry_set_filetype(e, type);
	archive_entry_set_perm(e, 0644);
	if (type == AE_IFLNK)
		archive_entry_set_symlink(e, link);
	else if (link)
		archive_entry_set_hardlink(e, link);
	archive_entry_set_size(e, link ? 0 : strlen(text));
	assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
	if (!link)
		archive_write_data(a, text, strlen(text));
	archive_entry_free(e);
	archive_write_free(a);
}

static void hostile(void **state)
{
	static const struct {
		const char *path;
		mode_t type;
		const char *link;
	} bad[] = {
		{ "/etc/passwd", AE_IFREG, NULL }, { "../after/x", AE_IFREG, NULL },
		{ "after/../../x", AE_IFREG, NULL }, { "after/./x", AE_IFREG, NULL },
		{ "after//x", AE_IFREG, NULL }, { "elsewhere/x", AE_IFREG, NULL },
		{ "after/link", AE_IFLNK, "/etc" }, { "after/hard", AE_IFREG, "after/x" },
		{ "after/pipe", AE_IFIFO, NULL }, { "after", AE_IFREG, NULL },
	};
	struct rct_err err;
	struct stat st;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		put_archive(bad[i].path, bad[i].type, bad[i].link, "text");
		err.text[0] = '\0';
		if (rct_bundle_unpack(file, tmp, &err) != -EINVAL)
			fail_msg("%s was not refused: %s", bad[i].path, err.text);
		assert_non_null(strstr(err.text, file));
	}
	assert_int_equal(stat("/tmp/x", &st), -1);
}

static void damaged(void **state)
{
	struct rct_err err = {};
	FILE *f;

	(void)state;
	put_archive("after/proc/uptime", AE_IFREG, NULL, "1.0 1.0");
	assert_int_equal(truncate(file, 60), 0);
	assert_true(rct_bundle_unpack(file, tmp, &err) < 0);
	f = fopen(file, "w");
	assert_non_null(f);
	fputs("no archive at all", f);
	fclose(f);
	assert_false(rct_bundle_is(file));
	assert_true(rct_bundle_unpack(file, tmp, &err) < 0);
	assert_false(rct_bundle_is("/nonexistent"));
	assert_int_equal(rct_bundle_unpack("/nonexistent", tmp, &err), -ENOENT);
}

/* A file twice, or one where a folder is: nothing is written over. */
static void twice(void **state)
{
	struct rct_err err = {};

	(void)state;
	put_archive("after/a", AE_IFREG, NULL, "one");
	assert_int_equal(rct_bundle_unpack(file, tmp, &err), 0);
	assert_int_equal(rct_bundle_unpack(file, tmp, &err), -EEXIST);
	put_archive("after/a/b", AE_IFREG, NULL, "two");
	assert_true(rct_bundle_unpack(file, tmp, &err) < 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases),
		cmocka_unit_test_setup_teardown(filtered, setup, teardown),
		cmocka_unit_test_setup_teardown(redacted, setup, teardown),
		cmocka_unit_test_setup_teardown(hostile, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged, setup, teardown),
		cmocka_unit_test_setup_teardown(twice, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
