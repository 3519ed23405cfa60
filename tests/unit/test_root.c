// SPDX-License-Identifier: BSD-2-Clause
/* Files of a captured host are read, and nothing outside of its folder. */
#include "lib/unit.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/root.h"
#include "lib/tree.h"

static struct rct_tree tree;
static struct rct_root root;

static int setup(void **state)
{
	(void)state;
	return rct_tree_make(&tree) || rct_root_open(&root, tree.path, NULL);
}

static int teardown(void **state)
{
	(void)state;
	rct_root_close(&root);
	rct_tree_remove(&tree);
	return 0;
}

static void texts(void **state)
{
	char *text, line[8];
	size_t len;
	int err;

	(void)state;
	rct_tree_put_bytes(&tree, "proc/7/environ", "A=1\0B=2", 7);
	text = rct_root_text(&root, &len, &err, "proc/%d/environ", 7);
	assert_non_null(text);
	assert_int_equal(err, 0);
	assert_int_equal(len, 7);
	assert_memory_equal(text, "A=1\0B=2", 8);
	free(text);
	assert_null(rct_root_text(&root, &len, &err, "proc/8/environ"));
	assert_int_equal(err, ENOENT);
	assert_int_equal(len, 0);
	assert_null(rct_root_text(&root, NULL, &err, "proc/7"));
	assert_int_equal(err, EISDIR);

	rct_tree_put(&tree, "line", "1234567\nrest\n");
	assert_int_equal(rct_root_line(&root, line, sizeof(line), "line"), 0);
	assert_string_equal(line, "1234567");
	/* not a part of it: half a list of CPUs would be another list */
	rct_tree_put(&tree, "line", "12345678\n");
	assert_int_equal(rct_root_line(&root, line, sizeof(line), "line"), -E2BIG);
	assert_string_equal(line, "");
	rct_tree_put(&tree, "line", "");
	assert_int_equal(rct_root_line(&root, line, sizeof(line), "line"), 0);
	assert_string_equal(line, "");
}

static void long_texts(void **state)
{
	char path[128], *text;
	size_t len;

	(void)state;
	rct_tree_put(&tree, "long", "x");
	snprintf(path, sizeof(path), "%s/long", tree.path);
	assert_int_equal(truncate(path, 100000), 0);
	text = rct_root_text(&root, &len, NULL, "long");
	assert_int_equal(len, 100000);
	free(text);
	assert_int_equal(truncate(path, RCT_TEXT_MAX + 4711), 0);
	text = rct_root_text(&root, &len, NULL, "long");
	assert_int_equal(len, RCT_TEXT_MAX);
	free(text);
}

static void numbers(void **state)
{
	static const struct {
		const char *text;
		int rc;
		int64_t v;
	} cases[] = {
		{ "0\n", 0, 0 },
		{ "-1\n", 0, -1 },
		{ "4096", 0, 4096 },
		{ "0x10\n", 0, 16 },
		{ "010\n", 0, 10 },
		{ "9223372036854775807\n", 0, INT64_MAX },
		{ "9223372036854775808\n", -ERANGE, 7 },
		{ "", -EINVAL, 7 },
		{ "-\n", -EINVAL, 7 },
		{ " 1\n", -EINVAL, 7 },
		{ "1 2\n", -EINVAL, 7 },
		{ "N/A (no PMA)\n", -EINVAL, 7 },
		{ "1234567890123456789012345678901234567890123456789012345678901234567890\n", -EINVAL, 7 },
	};
	int64_t v;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		v = 7;
		rct_tree_put(&tree, "n", cases[i].text);
		assert_int_equal(rct_root_number(&root, &v, "n"), cases[i].rc);
		assert_int_equal(v, cases[i].v);
	}
	assert_int_equal(rct_root_number(&root, &v, "m"), -ENOENT);
	assert_int_equal(rct_root_number(&root, &v, "n/m"), -ENOTDIR);
}

static void lists(void **state)
{
	static const char *const expected[] = { "eth1", "eth2", "eth10", "lo" };
	char **names;
	size_t n;

	(void)state;
	rct_tree_folder(&tree, "net/eth10");
	rct_tree_folder(&tree, "net/eth2");
	rct_tree_folder(&tree, "net/lo");
	rct_tree_put(&tree, "net/eth1", "");
	rct_tree_put(&tree, "net/.keep", "");
	assert_int_equal(rct_root_list(&root, &names, &n, "net"), 0);
	assert_int_equal(n, 4);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(names[i], expected[i]);
	rct_names_free(names, n);
	rct_tree_folder(&tree, "empty");
	assert_int_equal(rct_root_list(&root, &names, &n, "empty"), 0);
	assert_int_equal(n, 0);
	rct_names_free(names, n);
	assert_int_equal(rct_root_list(&root, &names, &n, "absent"), -ENOENT);
	assert_null(names);
	assert_int_equal(rct_root_list(&root, &names, &n, "net/eth1"), -ENOTDIR);
}

static void device_links(void **state)
{
	char buf[24], small[4];

	(void)state;
	rct_tree_put(&tree, "sys/bus/0000:1a:00.0/uevent", "DRIVER=ice\nPCI_SLOT_NAME=0000:1a:00.0\n");
	rct_tree_link(&tree, "sys/net/a/device", "../../bus/0000:1a:00.0");
	rct_tree_link(&tree, "sys/bus/0000:1a:00.0/driver", "../../drivers/ice2");
	assert_int_equal(rct_root_link(&root, buf, sizeof(buf), "sys/net/a/device"), 0);
	assert_string_equal(buf, "0000:1a:00.0");
	assert_int_equal(rct_root_link(&root, buf, sizeof(buf), "sys/net/a/device/driver"), 0);
	assert_string_equal(buf, "ice2");

	/* a copy without links */
	rct_tree_put(&tree, "sys/net/b/device/uevent", "XDRIVER=no\nDRIVER=mlx5_core\nPCI_SLOT_NAME=0000:3b:00.1");
	assert_int_equal(rct_root_link(&root, buf, sizeof(buf), "sys/net/b/device"), 0);
	assert_string_equal(buf, "0000:3b:00.1");
	assert_int_equal(rct_root_link(&root, buf, sizeof(buf), "sys/net/b/device/driver"), 0);
	assert_string_equal(buf, "mlx5_core");
	assert_int_equal(rct_root_link(&root, small, sizeof(small), "sys/net/b/device/driver"), -E2BIG);
	assert_int_equal(rct_root_uevent(&root, buf, sizeof(buf), "MODALIAS", "sys/net/b/device"), -ENOENT);
	assert_string_equal(buf, "");
	assert_int_equal(rct_root_link(&root, buf, sizeof(buf), "sys/net/c/device"), -ENOENT);
	assert_int_equal(rct_root_link(&root, buf, sizeof(buf), "sys/net/b/other"), -ENOENT);
}

/* Whether a file of this very machine can be had through the folder. */
static bool escapes(void)
{
	static const char *const ways[] = { "up", "absolute", "folder/passwd", "../../etc/passwd",
					    "sys/../../../etc/passwd" };
	char *text;

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		text = rct_root_text(&root, NULL, NULL, "%s", ways[i]);
		free(text);
		if (text || rct_root_exists(&root, "%s", ways[i]))
			return true;
	}
	return false;
}

static void make_ways_out(void)
{
	rct_tree_folder(&tree, "sys");
	rct_tree_link(&tree, "up", "../../../../etc/passwd");
	rct_tree_link(&tree, "absolute", "/etc/passwd");
	rct_tree_link(&tree, "folder", "/etc");
}

static void stays_inside(void **state)
{
	char line[16];

	(void)state;
	assert_int_equal(access("/etc/passwd", R_OK), 0);
	make_ways_out();
	assert_false(escapes());
	/* an absolute link is one within the captured host */
	rct_tree_put(&tree, "etc/passwd", "captured\n");
	assert_int_equal(rct_root_line(&root, line, sizeof(line), "absolute"), 0);
	assert_string_equal(line, "captured");
}

static bool refuse_openat2(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { .len = sizeof(code) / sizeof(*code), .filter = code };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

/* The same where a kernel or a container's runtime has no openat2: 0, or what went wrong. */
static int without_openat2(void)
{
	char line[16], **names;
	size_t n;

	if (!refuse_openat2())
		return 77;
	if (escapes())
		return 1;
	if (rct_root_line(&root, line, sizeof(line), "proc//net/a") || strcmp(line, "text"))
		return 2;
	if (rct_root_list(&root, &names, &n, "proc/net") || n != 1 || strcmp(names[0], "a"))
		return 3;
	rct_names_free(names, n);
	if (rct_root_line(&root, line, sizeof(line), "proc/net/b") != -ENOENT)
		return 4;
	return rct_root_exists(&root, "proc/net") ? 0 : 5;
}

static void stays_inside_without_openat2(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	make_ways_out();
	rct_tree_put(&tree, "proc/net/a", "text\n");
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(without_openat2());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		rct_skip("no seccomp filter can be set here");
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* A reader of a pipe would wait for ever. */
static void no_pipes(void **state)
{
	char path[128];
	int err;

	(void)state;
	snprintf(path, sizeof(path), "%s/pipe", tree.path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_null(rct_root_text(&root, NULL, &err, "pipe"));
	assert_int_equal(err, EINVAL);
}

static int generate(const char *name, char **ret, size_t *ret_len)
{
	if (strcmp(name, "x.txt"))
		return -ENOENT;
	*ret = strdup("made");
	*ret_len = 4;
	return 0;
}

static void running_host(void **state)
{
	struct rct_root host;
	char *text;
	size_t len;
	int err;

	(void)state;
	assert_int_equal(rct_root_open(&host, NULL, generate), 0);
	assert_false(rct_root_captured(&host));
	text = rct_root_text(&host, &len, NULL, "cmd/%s", "x.txt");
	assert_string_equal(text, "made");
	assert_int_equal(len, 4);
	free(text);
	assert_null(rct_root_text(&host, NULL, &err, "cmd/y.txt"));
	assert_int_equal(err, ENOENT);
	assert_true(rct_root_exists(&host, "proc/self/status"));
	rct_root_close(&host);

	/* of a captured one the file, never the generator */
	host = root;
	host.generate = generate;
	assert_true(rct_root_captured(&host));
	assert_null(rct_root_text(&host, NULL, &err, "cmd/x.txt"));
	rct_tree_put(&tree, "cmd/x.txt", "file");
	text = rct_root_text(&host, NULL, NULL, "cmd/x.txt");
	assert_string_equal(text, "file");
	free(text);
	assert_int_equal(rct_root_open(&host, "/nonexistent", NULL), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(texts, setup, teardown),
		cmocka_unit_test_setup_teardown(long_texts, setup, teardown),
		cmocka_unit_test_setup_teardown(numbers, setup, teardown),
		cmocka_unit_test_setup_teardown(lists, setup, teardown),
		cmocka_unit_test_setup_teardown(device_links, setup, teardown),
		cmocka_unit_test_setup_teardown(stays_inside, setup, teardown),
		cmocka_unit_test_setup_teardown(stays_inside_without_openat2, setup, teardown),
		cmocka_unit_test_setup_teardown(no_pipes, setup, teardown),
		cmocka_unit_test_setup_teardown(running_host, setup, teardown),
	};

	return cmocka_run_group_tests_name("root", tests, NULL, NULL);
}
