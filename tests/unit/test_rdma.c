// SPDX-License-Identifier: BSD-2-Clause
/* RDMA devices out of copies of sysfs that are made here, file by file. */
#include "lib/unit.h"

#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sysinfo/rdma.h"

static char root[64];
static struct rct_root fs;

/* Writes a file below the root, with the folders it lies in. */
static void put(const char *path, const char *text)
{
	char full[256];
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *c = full + strlen(root) + 1; (c = strchr(c, '/')); c++) {
		*c = '\0';
		mkdir(full, 0755);
		*c = '/';
	}
	if (!text) {
		mkdir(full, 0755);
		return;
	}
	f = fopen(full, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void put_link(const char *path, const char *to)
{
	char full[256];

	snprintf(full, sizeof(full), "%s%s", root, path);
	assert_int_equal(symlink(to, full), 0);
}

/* A device's files as the kernel has them. */
static void put_device(const char *name, const char *type, const char *layer)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/node_type", name);
	put(path, type);
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/link_layer", name);
	put(path, layer);
}

static int setup(void **state)
{
	(void)state;
	strcpy(root, "/tmp/rct-rdma-XXXXXX");
	return mkdtemp(root) ? rct_root_open(&fs, root, NULL) : -1;
}

static int drop(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static int teardown(void **state)
{
	(void)state;
	rct_root_close(&fs);
	return nftw(root, drop, 16, FTW_DEPTH | FTW_PHYS);
}

static void test_none(void **state)
{
	struct rct_rdma_list l;

	(void)state;
	assert_int_equal(rct_rdma_read(&fs, &l, NULL), 0);
	assert_int_equal(l.n, 0);
	assert_null(rct_rdma_of(&fs, &l, "eth0"));
	rct_rdma_free(&l);
}

/* As on a host: links to the PCI function, interfaces by address table. */
static void test_adapter(void **state)
{
	struct rct_rdma_list l;
	const struct rct_rdma *d;

	(void)state;
	put_device("mlx5_3", "1: CA\n", "Ethernet\n");
	put("/sys/class/infiniband/mlx5_3/fw_ver", "28.39.2048\n");
	put("/sys/class/infiniband/mlx5_3/ports/1/gid_attrs/ndevs/0", "ens3np0\n");
	put("/sys/class/infiniband/mlx5_3/ports/1/gid_attrs/ndevs/1", "ens3np0\n");
	put("/sys/class/infiniband/mlx5_3/ports/1/gid_attrs/ndevs/2", "ens3np0.100\n");
	put("/sys/devices/pci0000:80/0000:80:01.0/0000:81:00.0/uevent", "DRIVER=mlx5_core\nPCI_CLASS=20000\n");
	put_link("/sys/class/infiniband/mlx5_3/device", "../../../devices/pci0000:80/0000:80:01.0/0000:81:00.0");
	assert_int_equal(rct_rdma_read(&fs, &l, NULL), 0);
	assert_int_equal(l.n, 1);
	d = &l.v[0];
	assert_string_equal(d->name, "mlx5_3");
	assert_int_equal(d->kind, RCT_RDMA_ROCE);
	assert_string_equal(d->driver, "mlx5_core");
	assert_string_equal(d->bus, "0000:81:00.0");
	assert_string_equal(d->firmware, "28.39.2048");
	assert_int_equal(d->n_netdevs, 2);
	assert_string_equal(d->netdev[0], "ens3np0");
	assert_string_equal(d->netdev[1], "ens3np0.100");
	assert_ptr_equal(rct_rdma_of(&fs, &l, "ens3np0"), d);
	assert_ptr_equal(rct_rdma_of(&fs, &l, "ens3np0.100"), d);
	assert_null(rct_rdma_of(&fs, &l, "ens3np1"));
	rct_rdma_free(&l);
}

/* As in a copy that has no links and no address table. */
static void test_copy(void **state)
{
	struct rct_rdma_list l;

	(void)state;
	put_device("mlx5_10", "1: CA\n", "Ethernet\n");
	put("/sys/class/infiniband/mlx5_10/device/uevent", "DRIVER=mlx5_core\nPCI_SLOT_NAME=0000:1a:00.0\n");
	put("/sys/class/infiniband/mlx5_10/device/net/eth10/ifindex", "4\n");
	put_device("mlx5_2", "1: CA\n", "Ethernet\n");
	put("/sys/class/infiniband/mlx5_2/device/uevent", "DRIVER=mlx5_core\nPCI_SLOT_NAME=0000:1b:00.0\n");
	assert_int_equal(rct_rdma_read(&fs, &l, NULL), 0);
	assert_int_equal(l.n, 2);
	assert_string_equal(l.v[0].name, "mlx5_2");	/* by number, not by letter */
	assert_int_equal(l.v[0].n_netdevs, 0);
	assert_string_equal(l.v[1].bus, "0000:1a:00.0");
	assert_int_equal(l.v[1].n_netdevs, 1);
	assert_ptr_equal(rct_rdma_of(&fs, &l, "eth10"), &l.v[1]);
	rct_rdma_free(&l);
}

static const struct kind_case {
	const char *type, *layer;
	bool software;
	enum rct_rdma_kind kind;
} kind_cases[] = {
	{ "1: CA\n", "Ethernet\n", false, RCT_RDMA_ROCE },
	{ "1: CA\n", "Ethernet\n", true, RCT_RDMA_SOFT },
	{ "4: RNIC\n", "Ethernet\n", true, RCT_RDMA_SOFT_IWARP },
	{ "4: RNIC\n", "Ethernet\n", false, RCT_RDMA_IWARP },
	{ "1: CA\n", "InfiniBand\n", false, RCT_RDMA_IB },
	{ "7: <unknown>\n", "Unspecified\n", false, RCT_RDMA_IB },
	{ NULL, NULL, true, RCT_RDMA_UNKNOWN },
};

static void test_kinds(void **state)
{
	struct rct_rdma_list l;
	char path[128], name[16];

	(void)state;
	for (size_t i = 0; i < sizeof(kind_cases) / sizeof(kind_cases[0]); i++) {
		const struct kind_case *c = &kind_cases[i];

		snprintf(name, sizeof(name), "dev%zu", i);
		if (c->type) {
			put_device(name, c->type, c->layer);
		} else {	/* a container's empty folder */
			snprintf(path, sizeof(path), "/sys/class/infiniband/%s", name);
			put(path, NULL);
		}
		if (!c->software) {
			snprintf(path, sizeof(path), "/sys/class/infiniband/%s/device/uevent", name);
			put(path, "DRIVER=some\nPCI_SLOT_NAME=0000:01:00.0\n");
		}
	}
	assert_int_equal(rct_rdma_read(&fs, &l, NULL), 0);
	assert_int_equal(l.n, sizeof(kind_cases) / sizeof(kind_cases[0]));
	for (size_t i = 0; i < l.n; i++) {
		assert_int_equal(l.v[i].kind, kind_cases[i].kind);
		assert_true(*rct_rdma_kind_name(l.v[i].kind));
	}
	assert_string_equal(l.v[1].driver, "rdma_rxe");
	assert_string_equal(l.v[2].driver, "siw");
	rct_rdma_free(&l);
}

static void test_rxe(void **state)
{
	struct rct_rdma_list l;

	(void)state;
	put_device("rxe0", "1: CA\n", "Ethernet\n");
	put("/sys/class/infiniband/rxe0/parent", "eth0\n");
	assert_int_equal(rct_rdma_read(&fs, &l, NULL), 0);
	assert_int_equal(l.v[0].n_netdevs, 1);
	assert_string_equal(l.v[0].netdev[0], "eth0");
	assert_string_equal(l.v[0].bus, "");
	assert_ptr_equal(rct_rdma_of(&fs, &l, "eth0"), &l.v[0]);
	rct_rdma_free(&l);
}

/* A VLAN on a bond on two ports: the device knows the bond alone. */
static void test_upper(void **state)
{
	struct rct_rdma_list l;

	(void)state;
	put_device("mlx5_bond_0", "1: CA\n", "Ethernet\n");
	put("/sys/class/infiniband/mlx5_bond_0/device/uevent", "DRIVER=mlx5_core\nPCI_SLOT_NAME=0000:3b:00.0\n");
	put("/sys/class/infiniband/mlx5_bond_0/ports/1/gid_attrs/ndevs/0", "bond0\n");
	put("/sys/class/net/ens1/device/uevent", "PCI_SLOT_NAME=0000:3b:00.0\n");
	put("/sys/class/net/bond0.7/lower_bond0", "");
	put("/sys/class/net/br0/lower_bond0.7", "");
	put("/sys/class/net/tap0/device/uevent", "PCI_SLOT_NAME=0000:99:00.0\n");
	put("/sys/class/net/loop1/lower_loop2", "");
	put("/sys/class/net/loop2/lower_loop1", "");
	assert_int_equal(rct_rdma_read(&fs, &l, NULL), 0);
	assert_ptr_equal(rct_rdma_of(&fs, &l, "bond0"), &l.v[0]);
	assert_ptr_equal(rct_rdma_of(&fs, &l, "ens1"), &l.v[0]);
	assert_ptr_equal(rct_rdma_of(&fs, &l, "bond0.7"), &l.v[0]);
	assert_ptr_equal(rct_rdma_of(&fs, &l, "br0"), &l.v[0]);
	assert_null(rct_rdma_of(&fs, &l, "tap0"));
	assert_null(rct_rdma_of(&fs, &l, "loop1"));
	rct_rdma_free(&l);
}

static void test_too_much(void **state)
{
	struct rct_rdma_list l;
	char path[128], name[32], longer[300];

	(void)state;
	put_device("mlx5_0", "1: CA\n", "Ethernet\n");
	for (int i = 0; i < 40; i++) {
		snprintf(path, sizeof(path), "/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/%d", i);
		snprintf(name, sizeof(name), "vlan%d\n", i);
		put(path, name);
	}
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	put("/sys/class/infiniband/mlx5_0/fw_ver", longer);
	put("/sys/class/infiniband/mlx5_0/device/uevent", longer);
	assert_int_equal(rct_rdma_read(&fs, &l, NULL), 0);
	assert_int_equal(l.v[0].n_netdevs, RCT_RDMA_NETDEVS);
	assert_string_equal(l.v[0].firmware, "");
	rct_rdma_free(&l);
}

static void test_origin(void **state)
{
	char version[16];

	(void)state;
	put("/sys/module/ib_core/taint", "\n");
	put("/sys/module/mlx5_core/taint", "OE\n");
	put("/sys/module/mlx5_core/version", "24.10-0.7.0\n");
	put("/sys/module/builtin/parameters/x", "1\n");
	put("/sys/module/tainted/taint", "X\n");
	assert_int_equal(rct_module_origin(&fs, "ib_core", version, sizeof(version)), RCT_ORIGIN_KERNEL);
	assert_string_equal(version, "");
	assert_int_equal(rct_module_origin(&fs, "mlx5_core", version, sizeof(version)), RCT_ORIGIN_OTHER);
	assert_string_equal(version, "24.10-0.7.0");
	assert_int_equal(rct_module_origin(&fs, "builtin", version, sizeof(version)), RCT_ORIGIN_KERNEL);
	assert_int_equal(rct_module_origin(&fs, "tainted", version, sizeof(version)), RCT_ORIGIN_KERNEL);
	assert_int_equal(rct_module_origin(&fs, "absent", version, sizeof(version)), RCT_ORIGIN_UNKNOWN);
}

#define T(f)	cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_none), T(test_adapter), T(test_copy), T(test_kinds), T(test_rxe), T(test_upper),
		T(test_too_much), T(test_origin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
