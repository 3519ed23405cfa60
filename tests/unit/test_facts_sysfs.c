// SPDX-License-Identifier: BSD-2-Clause
/* Facts out of sysfs and procfs: of trees made here, of the cases, and of this very machine. */
#include "lib/unit.h"

#include <errno.h>
#include <stdio.h>

#include "base/util.h"
#include "lib/tree.h"
#include "sysinfo/facts.h"

#define CASES	"tests/data/cases/"

/* ----------------------------------------------------------------- parsers */

static void masks(void **state)
{
	static const struct {
		const char *mask, *list;
	} cases[] = {
		{ "1", "0" },
		{ "00000000", "" },
		{ "f", "0-3" },
		{ "A5", "0,2,5,7" },
		{ "80000000", "31" },
		{ "1,00000000", "32" },
		{ "1,80000000", "31-32" },
		{ "ff,ffffc000,000fffff,fc000000", "26-51,78-103" },
		{ "00000000,00000000,ffffffff,00000000\n", "32-63" },
	};
	char list[64], small[8];

	(void)state;
	for (size_t i = 0; i < RCT_ARRAY_SIZE(cases); i++) {
		assert_int_equal(rct_mask_list(cases[i].mask, list, sizeof(list)), 0);
		assert_string_equal(list, cases[i].list);
	}
	assert_int_equal(rct_mask_list("", list, sizeof(list)), -EINVAL);
	assert_int_equal(rct_mask_list("1,", list, sizeof(list)), -EINVAL);
	assert_int_equal(rct_mask_list("0-3", list, sizeof(list)), -EINVAL);
	assert_int_equal(rct_mask_list("123456789", list, sizeof(list)), -EINVAL);
	assert_int_equal(rct_mask_list("5555", small, sizeof(small)), -E2BIG);
	assert_string_equal(small, "");
	assert_int_equal(rct_mask_list("7f", small, 4), 0);
	assert_string_equal(small, "0-6");
}

static void lists_of_cpus(void **state)
{
	(void)state;
	assert_true(rct_list_has("0-3,8", 2));
	assert_true(rct_list_has("0-3,8", 8));
	assert_false(rct_list_has("0-3,8", 5));
	assert_false(rct_list_has("0-3,8", 9));
	assert_false(rct_list_has("", 0));
	assert_true(rct_list_has("104-109", 109));
}

static void rates(void **state)
{
	(void)state;
	assert_int_equal(rct_rate_parse("400 Gb/sec (4X NDR)").v, 400000);
	assert_int_equal(rct_rate_parse("2.5 Gb/sec (1X SDR)").v, 2500);
	assert_int_equal(rct_rate_parse("").have, RCT_UNREADABLE);
	assert_int_equal(rct_rate_parse("400 Mb/sec").have, RCT_UNREADABLE);
}

static const char interrupts[] =
	"            CPU0       CPU2      CPU10\n"
	"   8:          1          0          0  IR-IO-APIC    8-edge      rtc0\n"
	" 904:          5          0 4294967296  IR-PCI-MSIX-0000:21:00.0    1-edge      mlx5_comp0@pci:0000:21:00.0\n"
	"  61:          0          2          0  ITS-MSI 524288 Edge      hns3-0000:7d:00.0-TxRx-0\n"
	"  26:          4          0          0   PCI-MSI-edge      i801_smbus, eth2-TxRx-0\n"
	"  27:          4          0\n"
	"  28:          4          x          0   PCI-MSI-edge      eth2-TxRx-1\n"
	"  29:          4          1          3\n"
	" NMI:          7          7          7   Non-maskable interrupts\n"
	" ERR:          0\n";

static void interrupts_table(void **state)
{
	static const struct {
		u32 irq;
		const char *chip, *name;
		u64 total;
	} expected[] = {
		{ 8, "IR-IO-APIC", "rtc0", 1 },
		{ 904, "IR-PCI-MSIX-0000:21:00.0", "mlx5_comp0@pci:0000:21:00.0", 4294967301 },
		{ 61, "ITS-MSI", "hns3-0000:7d:00.0-TxRx-0", 2 },
		{ 26, "PCI-MSI-edge", "i801_smbus, eth2-TxRx-0", 4 },
		{ 29, "", "", 8 },
	};
	struct rct_facts f = { 0 };

	(void)state;
	assert_int_equal(rct_interrupts_parse(interrupts, strlen(interrupts), &f), 0);
	assert_true(f.irqs_read);
	assert_int_equal(f.n_irq_cpus, 3);
	assert_int_equal(f.irq_cpus[1], 2);
	assert_int_equal(f.irq_cpus[2], 10);
	assert_int_equal(f.n_irqs, RCT_ARRAY_SIZE(expected));
	for (u32 i = 0; i < f.n_irqs; i++) {
		assert_int_equal(f.irqs[i].irq, expected[i].irq);
		assert_string_equal(f.irqs[i].chip, expected[i].chip);
		assert_string_equal(f.irqs[i].name, expected[i].name);
		assert_int_equal(f.irqs[i].total, expected[i].total);
		assert_int_equal(f.irqs[i].nic, -1);
	}
	assert_int_equal(f.irqs[1].per_cpu[2], 4294967296);
	rct_facts_free(&f);
	assert_int_equal(rct_interrupts_parse("no header\n", 10, &f), -ENODATA);
	assert_int_equal(rct_interrupts_parse("", 0, &f), -ENODATA);
	assert_false(f.irqs_read);
	rct_facts_free(&f);
}

static void environments(void **state)
{
	static const char text[] = "PATH=/bin\0NCCL_IB_HCA=mlx5_1:1\0AWS_SECRET_ACCESS_KEY=x\0"
				   "SLURM_JOB_ID=81422\0NCCL_EMPTY=\0=NCCL_X\0NCCL_NOTHING\0"
				   "XNCCL_A=1\0SLURM_JOB_ID_SECRET=x\0RAN=x\0UCX_TLS=rc";
	struct rct_facts f = { 0 };
	struct rct_proc *p = RCT_FACTS_ADD(f.procs, f.n_procs);
	bool rdma = false;

	(void)state;
	assert_int_equal(rct_environ_parse(text, sizeof(text) - 1, p, &rdma), 0);
	assert_true(rdma);
	assert_int_equal(p->n_env, 4);
	assert_string_equal(rct_proc_env(p, "NCCL_IB_HCA"), "mlx5_1:1");
	assert_string_equal(rct_proc_env(p, "SLURM_JOB_ID"), "81422");
	assert_string_equal(rct_proc_env(p, "NCCL_EMPTY"), "");
	assert_string_equal(rct_proc_env(p, "UCX_TLS"), "rc");
	assert_null(rct_proc_env(p, "PATH"));

	/* a shell in a job is no process of RDMA */
	rdma = false;
	p = RCT_FACTS_ADD(f.procs, f.n_procs);
	assert_int_equal(rct_environ_parse("SLURM_JOB_ID=1", 14, p, &rdma), 0);
	assert_false(rdma);
	rct_facts_free(&f);
}

static void process_files(void **state)
{
	struct rct_proc p = { 0 };

	(void)state;
	rct_status_parse("Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-7\nMems_allowed_list:\t0-1\n",
			 &p);
	assert_string_equal(p.cpus, "0-7");
	assert_string_equal(p.mems, "0-1");
	rct_limits_parse("Limit  Soft Limit\nMax locked memory         65536                131072               bytes\n",
			 &p);
	assert_true(p.memlock_read);
	assert_int_equal(p.memlock, 65536);
	rct_limits_parse("Max locked memory         unlimited            unlimited            bytes\n", &p);
	assert_true(p.memlock == UINT64_MAX);
	p.memlock_read = false;
	rct_limits_parse("Max locked memory         \n", &p);
	assert_false(p.memlock_read);
	rct_cgroup_parse("12:cpu:/a\n0::/kubepods/x\n", &p);
	assert_string_equal(p.cgroup, "/kubepods/x");
	rct_cgroup_parse("12:cpu:/a\n11:name=0::x:/b\n", &p);
	assert_string_equal(p.cgroup, "/a");
	rct_cgroup_parse("nothing", &p);
	assert_string_equal(p.cgroup, "/a");
}

static void routes_and_neighbours(void **state)
{
	static const u8 net[16] = { [10] = 255, 255, 10, 27, 0, 0 };
	struct rct_facts f = { 0 };

	(void)state;
	assert_int_equal(rct_route_parse(
		"Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
		"eth1\t00001B0A\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n"
		"eth0\t00000000\t0100000A\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
		"eth2\t00001B0A\n", &f), 0);
	assert_int_equal(f.n_routes, 2);
	assert_memory_equal(f.routes[0].dst, net, sizeof(net));
	assert_int_equal(f.routes[0].prefix, 24);
	assert_false(f.routes[0].gateway);
	assert_int_equal(f.routes[1].prefix, 0);
	assert_true(f.routes[1].gateway);
	assert_string_equal(f.routes[1].ifname, "eth0");
	assert_int_equal(rct_arp_parse(
		"IP address       HW type     Flags       HW address            Mask     Device\n"
		"10.27.0.21       0x1         0x2         02:00:5e:10:1b:21     *        eth1\n"
		"10.27.0.22       0x1         0x0         00:00:00:00:00:00     *        eth1\n", &f), 0);
	assert_int_equal(f.n_neighs, 2);
	assert_string_equal(f.neighs[0].mac, "02:00:5e:10:1b:21");
	assert_string_equal(f.neighs[0].state, "");
	assert_string_equal(f.neighs[1].state, "INCOMPLETE");
	rct_facts_free(&f);
}

/* ------------------------------------------------------------------- trees */

static struct rct_tree tree;
static struct rct_facts facts;

static int setup(void **state)
{
	(void)state;
	return rct_tree_make(&tree);
}

static int teardown(void **state)
{
	(void)state;
	rct_facts_free(&facts);
	rct_tree_remove(&tree);
	return 0;
}

static void read_facts(const char *path)
{
	struct rct_err err = { "" };
	struct rct_root r;
	int rc;

	rct_facts_free(&facts);
	assert_int_equal(rct_root_open(&r, path, NULL), 0);
	rc = rct_facts_read(&r, &facts, &err);
	rct_root_close(&r);
	if (rc)
		fail_msg("%s: %s", path, err.text);
}

/* As the kernel has it: everything by links into /sys/devices. */
static void put_live(void)
{
	rct_tree_put(&tree, "sys/devices/pci0/0000:1a:00.0/uevent", "DRIVER=mlx5_core\nPCI_SLOT_NAME=0000:1a:00.0\n");
	rct_tree_put(&tree, "sys/devices/pci0/0000:1a:00.0/numa_node", "1\n");
	rct_tree_put(&tree, "sys/devices/pci0/0000:1a:00.0/local_cpulist", "8-15\n");
	rct_tree_put(&tree, "sys/devices/pci0/0000:1a:00.0/msi_irqs/130", "msix\n");
	rct_tree_put(&tree, "sys/devices/pci0/0000:1a:00.0/msi_irqs/99", "msix\n");
	rct_tree_put(&tree, "sys/devices/pci0/0000:1a:00.0/current_link_width", "0\n");
	rct_tree_put(&tree, "sys/devices/pci0/0000:1a:00.0/net/eth1/type", "1\n");
	rct_tree_put(&tree, "sys/devices/pci0/0000:1a:00.0/net/eth1/speed", "-1\n");
	rct_tree_put(&tree, "sys/devices/pci0/0000:1a:00.0/net/eth1/carrier", "0\n");
	rct_tree_put(&tree, "sys/devices/pci0/0000:1a:00.0/net/eth1/statistics/rx_bytes", "18446744073709551615\n");
	rct_tree_put(&tree, "sys/devices/pci0/0000:1a:00.0/infiniband/mlx5_0/ports/1/link_layer", "Ethernet\n");
	rct_tree_link(&tree, "sys/devices/pci0/0000:1a:00.0/driver", "../../../bus/pci/drivers/mlx5_core");
	rct_tree_link(&tree, "sys/devices/pci0/0000:1a:00.0/net/eth1/device", "../..");
	rct_tree_link(&tree, "sys/devices/pci0/0000:1a:00.0/infiniband/mlx5_0/device", "../..");
	rct_tree_link(&tree, "sys/class/net/eth1", "../../devices/pci0/0000:1a:00.0/net/eth1");
	rct_tree_link(&tree, "sys/class/infiniband/mlx5_0", "../../devices/pci0/0000:1a:00.0/infiniband/mlx5_0");
	/* a file among the interfaces */
	rct_tree_put(&tree, "sys/class/net/bonding_masters", "bond0\n");
}

static void sysfs_with_links(void **state)
{
	const struct rct_netif *i;
	const struct rct_nic *n;

	(void)state;
	put_live();
	rct_tree_put(&tree, "proc/uptime", "12.5 3\n");
	read_facts(tree.path);
	assert_int_equal(facts.n_netifs, 1);
	i = facts.netifs;
	assert_string_equal(i->driver, "mlx5_core");
	assert_string_equal(i->pci, "0000:1a:00.0");
	assert_int_equal(i->node, 1);
	assert_string_equal(i->local_cpus, "8-15");
	assert_int_equal(i->n_irqs, 2);
	assert_int_equal(i->irqs[0], 99);
	assert_int_equal(i->speed_mbps.have, RCT_UNREADABLE);
	assert_int_equal(i->mtu.have, RCT_ABSENT);
	assert_int_equal(i->carrier.have, RCT_THERE);
	assert_int_equal(i->link_width.have, RCT_UNREADABLE);
	assert_int_equal(i->pause_rx, RCT_TRI_UNKNOWN);
	assert_int_equal(i->ecn_np[0], -1);
	assert_int_equal(i->n_counters, 1);
	assert_true(i->counters[0].value == UINT64_MAX);
	n = facts.nics;
	assert_int_equal(facts.n_nics, 1);
	assert_string_equal(n->driver, "mlx5");
	assert_string_equal(n->ifname, "eth1");
	assert_ptr_equal(rct_nic_netif(&facts, n), i);
	assert_int_equal(n->node, 1);
	assert_true(n->readable);
	assert_int_equal(n->hw_counters, RCT_ABSENT);
	assert_true(facts.uptime == 12.5);
	assert_int_equal(facts.vm, RCT_TRI_UNKNOWN);
}

/* A virtio device is not the PCI function but lies on it. */
static void device_upon_pci(void **state)
{
	(void)state;
	rct_tree_put(&tree, "sys/devices/pci0/0000:00:03.0/uevent", "DRIVER=virtio-pci\nPCI_SLOT_NAME=0000:00:03.0\n");
	rct_tree_put(&tree, "sys/devices/pci0/0000:00:03.0/numa_node", "-1\n");
	rct_tree_put(&tree, "sys/devices/pci0/0000:00:03.0/msi_irqs/38", "msix\n");
	rct_tree_put(&tree, "sys/devices/pci0/0000:00:03.0/virtio2/uevent", "DRIVER=virtio_net\n");
	rct_tree_put(&tree, "sys/devices/pci0/0000:00:03.0/virtio2/net/eth0/type", "1\n");
	rct_tree_link(&tree, "sys/devices/pci0/0000:00:03.0/virtio2/net/eth0/device", "../../../virtio2");
	rct_tree_link(&tree, "sys/class/net/eth0", "../../devices/pci0/0000:00:03.0/virtio2/net/eth0");
	read_facts(tree.path);
	assert_int_equal(facts.n_netifs, 1);
	assert_string_equal(facts.netifs->driver, "virtio_net");
	assert_string_equal(facts.netifs->pci, "0000:00:03.0");
	assert_int_equal(facts.netifs->node, -1);
	assert_int_equal(facts.netifs->n_irqs, 1);
}

/* Entries of a container whose targets are outside of it, and rxe beside them. */
static void class_without_targets(void **state)
{
	(void)state;
	rct_tree_link(&tree, "sys/class/infiniband/mlx5_0", "../../devices/pci0/gone/infiniband/mlx5_0");
	rct_tree_put(&tree, "sys/class/infiniband/rdma0/parent", "eth0\n");
	rct_tree_put(&tree, "sys/class/infiniband/rdma0/node_type", "1: CA\n");
	rct_tree_put(&tree, "sys/class/infiniband/rdma0/ports/1/state", "4: ACTIVE\n");
	rct_tree_put(&tree, "sys/class/infiniband/siw7/node_type", "4: RNIC\n");
	rct_tree_put(&tree, "sys/class/net/eth0/type", "1\n");
	read_facts(tree.path);
	assert_int_equal(facts.n_nics, 3);
	assert_string_equal(facts.nics[0].dev, "mlx5_0");
	assert_string_equal(facts.nics[0].driver, "mlx5");
	assert_false(facts.nics[0].readable);
	assert_int_equal(facts.nics[0].node, -2);
	assert_int_equal(facts.nics[0].port_counters, RCT_ABSENT);
	assert_int_equal(facts.nics[0].rate_mbps.have, RCT_ABSENT);
	assert_string_equal(facts.nics[1].driver, "rxe");
	assert_string_equal(facts.nics[1].ifname, "eth0");
	assert_string_equal(facts.nics[1].state, "ACTIVE");
	assert_int_equal(facts.nics[1].netif, 0);
	assert_true(facts.nics[1].readable);
	assert_string_equal(facts.nics[2].driver, "siw");
}

/* The name of an address's interface may be of another network namespace. */
static void interface_of_another_namespace(void **state)
{
	(void)state;
	rct_tree_put(&tree, "sys/class/net/eth0/type", "1\n");
	rct_tree_put(&tree, "sys/class/net/eth0/device/uevent", "DRIVER=e1000e\nPCI_SLOT_NAME=0000:05:00.0\n");
	rct_tree_put(&tree, "sys/class/infiniband/mlx5_0/device/uevent", "DRIVER=mlx5_core\nPCI_SLOT_NAME=0000:1a:00.0\n");
	rct_tree_put(&tree, "sys/class/infiniband/mlx5_0/ports/1/gids/0", "fe80:0000:0000:0000:0000:5eff:fe00:0001\n");
	rct_tree_put(&tree, "sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/0", "RoCE v2\n");
	rct_tree_put(&tree, "sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0", "eth0\n");
	read_facts(tree.path);
	assert_int_equal(facts.n_nics, 1);
	assert_int_equal(facts.nics[0].n_gids, 1);
	assert_int_equal(facts.nics[0].gids[0].type, RCT_GID_V2);
	assert_int_equal(facts.nics[0].netif, -1);
}

static void counters_that_have_no_number(void **state)
{
	const struct rct_nic *n;

	(void)state;
	rct_tree_put(&tree, "sys/class/infiniband/irdma0/ports/1/counters/port_rcv_data", "N/A (no PMA)\n");
	rct_tree_put(&tree, "sys/class/infiniband/irdma0/ports/1/hw_counters/lifespan", "10\n");
	rct_tree_put(&tree, "sys/class/infiniband/irdma0/ports/1/hw_counters/cnpSent", "0\n");
	rct_tree_put(&tree, "sys/class/infiniband/irdma0/ports/1/hw_counters/cnpHandled", "-5\n");
	rct_tree_put(&tree, "sys/class/infiniband/irdma0/ports/1/gids/0", "0000:0000:0000:0000:0000:0000:0000:0000\n");
	rct_tree_put(&tree, "sys/class/infiniband/irdma0/ports/1/gids/1", "not an address\n");
	rct_tree_put(&tree, "sys/class/infiniband/irdma0/ports/x/state", "4: ACTIVE\n");
	read_facts(tree.path);
	n = facts.nics;
	assert_int_equal(facts.n_nics, 1);
	assert_int_equal(n->n_counters, 3);
	assert_int_equal(n->port_counters, RCT_UNREADABLE);
	assert_int_equal(n->hw_counters, RCT_THERE);
	assert_int_equal(rct_nic_counter(&facts, n, RCT_C_CNP_SENT, 0, NULL, 0).have, RCT_THERE);
	assert_int_equal(rct_nic_counter(&facts, n, RCT_C_CNP_RECEIVED, 0, NULL, 0).have, RCT_UNREADABLE);
	assert_int_equal(rct_nic_counter(&facts, n, RCT_C_SEQ_NAK_RECEIVED, 0, NULL, 0).have, RCT_ABSENT);
	assert_int_equal(n->n_gids, 1);
	assert_int_equal(n->gids[0].type, RCT_GID_UNSET);
}

/* The vectors of every member are the bond's. */
static void vectors_of_a_bond(void **state)
{
	(void)state;
	for (u32 i = 0; i < 2; i++) {
		char path[96], uevent[64];

		snprintf(uevent, sizeof(uevent), "DRIVER=mlx5_core\nPCI_SLOT_NAME=0000:5e:00.%u\n", i);
		snprintf(path, sizeof(path), "sys/class/net/eth%u/device/uevent", i);
		rct_tree_put(&tree, path, uevent);
		snprintf(path, sizeof(path), "sys/class/net/eth%u/type", i);
		rct_tree_put(&tree, path, "1\n");
		snprintf(path, sizeof(path), "sys/class/net/eth%u/device/msi_irqs/%u", i, 40 + i);
		rct_tree_put(&tree, path, "msix\n");
	}
	rct_tree_put(&tree, "sys/class/net/bond0/type", "1\n");
	rct_tree_put(&tree, "sys/class/net/bond0/bonding/mode", "802.3ad 4\n");
	rct_tree_put(&tree, "sys/class/net/bond0/bonding/slaves", "eth0 eth1\n");
	rct_tree_put(&tree, "sys/class/infiniband/mlx5_bond_0/device/uevent", "DRIVER=mlx5_core\nPCI_SLOT_NAME=0000:5e:00.0\n");
	rct_tree_put(&tree, "sys/class/infiniband/mlx5_bond_0/device/net/bond0/ifindex", "9\n");
	rct_tree_put(&tree, "proc/interrupts", "  CPU0\n 40: 1 PCI-MSI 1-edge a\n 41: 2 PCI-MSI 2-edge b\n 42: 3 PCI-MSI 3-edge c\n");
	read_facts(tree.path);
	assert_int_equal(facts.n_irqs, 3);
	assert_int_equal(facts.irqs[0].nic, 0);
	assert_int_equal(facts.irqs[1].nic, 0);
	assert_string_equal(facts.netifs[facts.irqs[1].netif].name, "eth1");
	assert_int_equal(facts.irqs[2].nic, -1);
	assert_int_equal(facts.irqs[2].netif, -1);
}

static void no_host_at_all(void **state)
{
	struct rct_err err = { "" };
	struct rct_root r;

	(void)state;
	assert_int_equal(rct_root_open(&r, tree.path, NULL), 0);
	assert_int_equal(rct_facts_read(&r, &facts, &err), -ENOENT);
	assert_non_null(strstr(err.text, tree.path));
	rct_root_close(&r);
}

/* ------------------------------------------------------------------- cases */

static const struct rct_irq *irq_of(u32 number)
{
	for (u32 i = 0; i < facts.n_irqs; i++) {
		if (facts.irqs[i].irq == number)
			return &facts.irqs[i];
	}
	fail_msg("there is no interrupt %u", number);
	return NULL;
}

static void case_interrupts(void **state)
{
	(void)state;
	read_facts(CASES "08-irq-one-vector-256cpu/sysroot.after");
	assert_int_equal(facts.n_irq_cpus, 256);
	assert_string_equal(irq_of(905)->name, "mlx5_comp0@pci:0000:21:00.0");
	assert_string_equal(irq_of(905)->effective, "3");
	assert_int_equal(irq_of(905)->per_cpu[3], 3551285432);
	assert_int_equal(irq_of(905)->nic, 0);
	assert_int_equal(irq_of(40)->nic, -1);

	read_facts(CASES "09-irq-remote-numa-comma-masks/sysroot.after");
	assert_string_equal(irq_of(130)->affinity, "26-51,78-103");
	assert_int_equal(irq_of(8)->nic, -1);
	assert_int_equal(facts.irqbalance, 1);
	assert_string_equal(facts.nodes[0].cpus, "0-25,52-77");

	/* names of the NIC's RDMA driver, and of old kernels */
	read_facts(CASES "10-irq-effective-vs-requested-bnxt/sysroot.after");
	for (u32 i = 210; i <= 221; i++)
		assert_int_equal(irq_of(i)->nic, 0);
	assert_string_equal(irq_of(219)->affinity, "0-127");
	assert_string_equal(irq_of(219)->effective, "0");
	assert_int_equal(facts.irqbalance, 0);
	assert_int_equal(facts.nics[0].port_counters, RCT_ABSENT);
	read_facts(CASES "11-irq-old-mlx5-names-irqbalance/sysroot.after");
	assert_int_equal(irq_of(26)->nic, 0);
	assert_int_equal(irq_of(35)->nic, -1);
}

static void case_numa_unknown(void **state)
{
	(void)state;
	read_facts(CASES "13-vm-two-vnodes-nic-minus1/sysroot");
	assert_int_equal(facts.nics[0].node, -1);
	assert_int_equal(facts.vm, 1);
	assert_int_equal(facts.n_procs, 1);
	assert_int_equal(facts.procs[0].pid, 3100);
	assert_string_equal(facts.procs[0].cpus, "0-95");
	assert_null(rct_proc_env(facts.procs, "NCCL_TOPO_FILE"));
}

static void case_container(void **state)
{
	(void)state;
	read_facts(CASES "16-container-dangling-counters/sysroot");
	assert_int_equal(facts.n_nics, 10);
	for (u32 i = 0; i < facts.n_nics; i++) {
		assert_false(facts.nics[i].readable);
		for (u32 c = 0; c < RCT_CANONICAL_COUNT; c++)
			assert_int_equal(rct_nic_counter(&facts, &facts.nics[i], c, 0, NULL, 0).have,
					 RCT_ABSENT);
	}
	assert_string_equal(facts.nics[9].dev, "mlx5_9");
	assert_int_equal(facts.container, 1);
	/* the container's processes say nothing of the host's */
	assert_int_equal(facts.irqbalance, RCT_TRI_UNKNOWN);
	assert_true(facts.irqs_read);
	assert_int_equal(facts.n_irqs, 0);
}

static void case_odd_device_first(void **state)
{
	(void)state;
	read_facts(CASES "17-irdma-hides-mlx5/sysroot");
	assert_int_equal(facts.n_nics, 5);
	assert_int_equal(facts.nics[0].port_counters, RCT_UNREADABLE);
	assert_int_equal(facts.nics[2].port_counters, RCT_ABSENT);
	assert_string_equal(facts.nics[2].state, "DOWN");
	assert_int_equal(facts.nics[4].port_counters, RCT_THERE);
}

static void case_bond(void **state)
{
	const struct rct_netif *bond;

	(void)state;
	read_facts(CASES "22-lag-one-member-saturated/sysroot.after");
	bond = rct_nic_netif(&facts, facts.nics);
	assert_non_null(bond);
	assert_string_equal(bond->name, "bond1");
	assert_string_equal(bond->bond_mode, "802.3ad");
	assert_string_equal(bond->bond_policy, "layer3+4");
	assert_int_equal(bond->n_members, 2);
	assert_string_equal(rct_netif_named(&facts, "eth3")->master, "bond1");
}

static void case_settings(void **state)
{
	(void)state;
	read_facts(CASES "03-tc-lossy-priority-devx/sysroot.after");
	assert_int_equal(facts.nics[0].traffic_class.v, 236);
	assert_int_equal(facts.netifs[0].ecn_np[5], 1);
	assert_int_equal(facts.netifs[0].ecn_np[4], 0);
	read_facts(CASES "27-arp-flux-same-subnet-rails/sysroot");
	assert_int_equal(facts.n_routes, 4);
	assert_int_equal(facts.n_neighs, 3);
	assert_int_equal(facts.netifs[0].arp_ignore.have, RCT_THERE);
	assert_int_equal(facts.rp_filter_all.v, 1);
	assert_int_equal(facts.gc_thresh1.have, RCT_ABSENT);
	read_facts(CASES "29-gdr-off-acs-on/sysroot");
	assert_int_equal(facts.nv_peermem, 0);
	assert_int_equal(facts.iommu_on, 1);
	assert_int_equal(facts.iommu_pt, 0);
	read_facts(CASES "33-pcie-link-degraded/sysroot");
	assert_string_equal(facts.netifs[1].link_speed, "8.0 GT/s PCIe");
	assert_int_equal(facts.netifs[1].link_width.v, 4);
	assert_int_equal(facts.netifs[1].link_width_max.v, 16);
	read_facts(CASES "36-xdp-native-impossible-here/sysroot");
	assert_true(facts.caps_read);
	assert_int_equal(facts.caps, 0);
}

/* Names of RDMA counters in the cases that stand for nothing: requests, gauges, other protocols. */
static const char *const unmapped[] = {
	"rx_write_requests", "rx_read_requests", "rx_atomic_requests", "rx_dct_connect",
	"roce_adp_retrans_to", "roce_slow_restart", "roce_slow_restart_cnps",
	"roce_slow_restart_trans", "active_qps", "rx_roce_errors", "rx_roce_discards",
	"ip4InDiscards", "ip4InPkts", "ip4OutPkts", "iwInRdmaWrites", "iwOutRdmaWrites",
	"tcpRetransSegs",
};

static bool is_known(const char *driver, const struct rct_counter *c)
{
	for (size_t i = 0; i < RCT_ARRAY_SIZE(unmapped); i++) {
		if (!strcmp(unmapped[i], c->name))
			return true;
	}
	for (size_t i = 0; i < rct_counter_maps_n; i++) {
		if (rct_counter_is(&rct_counter_maps[i], driver, c->group, c->name, 0))
			return true;
	}
	/* irdma has names in this folder, and no number behind any */
	return c->have == RCT_UNREADABLE;
}

static void every_name_of_the_cases_is_known(void **state)
{
	static const char *const hosts[] = {
		"01-gid-link-local-error12/sysroot", "06-loss-no-pfc-no-ecn/sysroot.after",
		"10-irq-effective-vs-requested-bnxt/sysroot.after", "17-irdma-hides-mlx5/sysroot",
		"19-ionic-one-bad-nic-of-eight/sysroot.after", "32-control-healthy-four-nics/sysroot.after",
	};
	char path[128];
	u32 seen = 0;

	(void)state;
	for (size_t i = 0; i < RCT_ARRAY_SIZE(hosts); i++) {
		snprintf(path, sizeof(path), CASES "%s", hosts[i]);
		read_facts(path);
		for (u32 j = 0; j < facts.n_nics; j++) {
			for (u32 k = 0; k < facts.nics[j].n_counters; k++, seen++) {
				if (!is_known(facts.nics[j].driver, &facts.nics[j].counters[k]))
					fail_msg("%s: %s", path, facts.nics[j].counters[k].name);
			}
		}
	}
	assert_true(seen > 150);
}

static void case_delta(void **state)
{
	struct rct_facts before;
	struct rct_delta d;

	(void)state;
	read_facts(CASES "26-crc-symbol-errors-bad-optic/sysroot.before");
	before = facts;
	memset(&facts, 0, sizeof(facts));
	read_facts(CASES "26-crc-symbol-errors-bad-optic/sysroot.after");
	assert_true(rct_facts_seconds(&before, &facts) > 59.9);
	for (u32 i = 0; i < facts.n_nics; i++) {
		if (strcmp(facts.nics[i].dev, "mlx5_1"))
			continue;
		d = rct_nic_delta(&before, &facts, &facts.nics[i], RCT_C_CRC_ERROR, 0);
		assert_int_equal(d.have, RCT_THERE);
		assert_int_equal(d.delta, 2210);
		assert_string_equal(d.from, "ethtool/rx_crc_errors_phy");
		d = rct_nic_delta(&before, &facts, &facts.nics[i], RCT_C_ACK_TIMEOUT, 0);
		assert_int_equal(d.delta, 35);
	}
	rct_facts_free(&before);
}

/* Whatever it has, it can be read. */
static void this_machine(void **state)
{
	(void)state;
	read_facts(NULL);
	assert_non_null(rct_netif_named(&facts, "lo"));
	assert_true(facts.uptime > 0);
	assert_true(*facts.cpus_online);
	assert_true(facts.caps_read);
}

#define TREE(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(masks),
		cmocka_unit_test(lists_of_cpus),
		cmocka_unit_test(rates),
		cmocka_unit_test(interrupts_table),
		cmocka_unit_test(environments),
		cmocka_unit_test(process_files),
		cmocka_unit_test(routes_and_neighbours),
		TREE(sysfs_with_links), TREE(device_upon_pci), TREE(class_without_targets),
		TREE(interface_of_another_namespace), TREE(counters_that_have_no_number),
		TREE(vectors_of_a_bond), TREE(no_host_at_all), TREE(case_interrupts), TREE(case_numa_unknown),
		TREE(case_container), TREE(case_odd_device_first), TREE(case_bond),
		TREE(case_settings), TREE(every_name_of_the_cases_is_known), TREE(case_delta),
		TREE(this_machine),
	};

	return cmocka_run_group_tests_name("facts of sysfs", tests, NULL, NULL);
}
