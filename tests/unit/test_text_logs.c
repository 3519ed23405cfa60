// SPDX-License-Identifier: BSD-2-Clause
/* The kernel log and NCCL's, line by line. */
#include "lib/unit.h"

#include <stdio.h>

#include "sysinfo/text.h"

static const struct {
	const char *line;
	enum rct_log_class class;	/* RCT_LOG_OTHER: passed over */
	const char *object;
	s32 code;
} kernel_lines[] = {
	{ "mlx5_core 0000:9a:00.0 ens6np0: Link down", RCT_LOG_LINK_DOWN, "ens6np0", -1 },
	{ "mlx5_core 0000:9a:00.0 ens6np0: Link up", RCT_LOG_LINK_UP, "ens6np0", -1 },
	{ "bnxt_en 0000:c3:00.0 enp195s0f0: NIC Link is Down", RCT_LOG_LINK_DOWN, "enp195s0f0", -1 },
	{ "e1000: eth0 NIC Link is Up 1000 Mbps Full Duplex", RCT_LOG_LINK_UP, "eth0", -1 },
	{ "infiniband mlx5_4: port 1 link down", RCT_LOG_OTHER, NULL, 0 },
	{ "scheduler: job 4711 started", RCT_LOG_OTHER, NULL, 0 },
	{ "mlx5_core 0000:9a:00.0: Port module event[error]: module 2, Cable error, High Temperature",
	  RCT_LOG_MODULE, "0000:9a:00.0", 2 },
	{ "mlx5_core 0000:5e:00.0: synd 0x7: irisc not responding", RCT_LOG_HEALTH, "0000:5e:00.0", 7 },
	{ "mlx5_core 0000:5e:00.0: ext_synd 0x40d0", RCT_LOG_OTHER, NULL, 0 },
	{ "mlx5_core 0000:5e:00.0: device's health compromised - reached miss count", RCT_LOG_HEALTH,
	  "0000:5e:00.0", -1 },
	{ "NVRM: Xid (PCI:0000:1b:00): 79, pid=8813, name=python3, GPU has fallen off the bus.", RCT_LOG_XID,
	  "0000:1b:00.0", 79 },
	{ "pcieport 0000:18:01.0: AER: Uncorrectable (Fatal) error message received from 0000:1b:00.0",
	  RCT_LOG_AER, "0000:1b:00.0", -1 },
	{ "mlx5_core 0000:61:00.0: 31.504 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x4 link at "
	  "0000:60:01.0 (capable of 252.048 Gb/s with 16.0 GT/s PCIe x16 link)", RCT_LOG_PCIE_WIDTH,
	  "0000:61:00.0", -1 },
	{ "mlx5_core 0000:61:00.0: mlx5_pcie_event:301:(pid 412): Detected insufficient power on the PCIe slot (27W).",
	  RCT_LOG_PCIE_POWER, "0000:61:00.0", -1 },
	{ "NETDEV WATCHDOG: eth2 (mlx5_core): transmit queue 11 timed out", RCT_LOG_TX_TIMEOUT, "eth2", 11 },
	{ "neighbour: arp_cache: neighbor table overflow!", RCT_LOG_NEIGH_OVERFLOW, "arp_cache", -1 },
	{ "nf_conntrack: nf_conntrack: table full, dropping packet", RCT_LOG_CONNTRACK, "", -1 },
	{ "Out of memory: Killed process 4242 (python3) total-vm:1kB", RCT_LOG_OOM, "python3", 4242 },
	{ "Memory cgroup out of memory: Killed process 7 (nccl)", RCT_LOG_OOM, "nccl", 7 },
	{ "INFO: task nccl-worker:8121 blocked for more than 120 seconds.", RCT_LOG_HUNG, "nccl-worker", -1 },
	{ "watchdog: BUG: soft lockup - CPU#3 stuck for 22s!", RCT_LOG_LOCKUP, "", 3 },
	{ "DMAR: [DMA Write NO_PASID] Request device [1a:00.0] fault addr 0x0", RCT_LOG_IOMMU, "", -1 },
	{ "bnxt_en 0000:c3:00.0 enp195s0f0: MTU 9000 larger than 3502 without XDP frag support.", RCT_LOG_XDP,
	  "enp195s0f0", -1 },
	{ "mlx5_core 0000:9a:00.0 ens6np0: renamed from eth3", RCT_LOG_RENAMED, "ens6np0", -1 },
	{ "bond1: (slave eth3): link status definitely down, disabling slave", RCT_LOG_BOND, "eth3", -1 },
	{ "bond1: link status definitely down for interface eth3, disabling it", RCT_LOG_BOND, "eth3", -1 },
	{ "mlx5_0/1: QP 123 error: unrecognized (0x12 0x34 0x56)", RCT_LOG_QP_ERROR, "mlx5_0", 123 },
	{ "mce: [Hardware Error]: CPU 5: Machine Check", RCT_LOG_MCE, "", 5 },
};

#define N_LINES	(sizeof(kernel_lines) / sizeof(kernel_lines[0]))

static void one_line(size_t i, const char *before, double at)
{
	struct rct_facts f = { 0 };
	char text[512];
	int n = snprintf(text, sizeof(text), "%s%s\r\n", before, kernel_lines[i].line);

	assert_int_equal(rct_text_dmesg(text, n, &f), 0);
	assert_true(f.log_read);
	if (f.n_log != (kernel_lines[i].class != RCT_LOG_OTHER))
		print_error("%s\n", text);
	assert_int_equal(f.n_log, kernel_lines[i].class != RCT_LOG_OTHER);
	if (f.n_log) {
		assert_string_equal(f.log[0].text, kernel_lines[i].line);
		assert_int_equal(f.log[0].class, kernel_lines[i].class);
		assert_string_equal(f.log[0].object, kernel_lines[i].object);
		assert_int_equal(f.log[0].code, kernel_lines[i].code);
		assert_true(f.log[0].at > at - 1e-6 && f.log[0].at < at + 1e-6);
	}
	rct_facts_free(&f);
}

static void kernel_log(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_LINES; i++) {
		one_line(i, "[ 5401.302011] ", 5401.302011);
		one_line(i, "3,1234,5401302011,-,caller=T77;", 5401.302011);
		one_line(i, "<3>[603600.112230] ", 603600.11223);
		one_line(i, "kern  :err   : [   12.5] ", 12.5);
		one_line(i, "Dec 01 14:02:11 host-7 kernel: ", -1);
		one_line(i, "[Tue Dec  1 14:02:11 2026] ", -1);
		one_line(i, "", -1);
	}
}

static struct rct_facts nccl(const char *text)
{
	struct rct_facts f = { .nccl = { .gdr = RCT_TRI_UNKNOWN } };

	assert_int_equal(rct_text_nccl(text, strlen(text), &f), 0);
	assert_true(f.nccl.read);
	return f;
}

static void nccl_selection(void **state)
{
	struct rct_facts f = nccl(
		"[1,0]<stdout>:n1:100:200 [0] NCCL INFO NCCL version 2.21.5+cuda12.4\n"
		"n1:100:200 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.1<0>\n"
		"n2:100:200 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [1]{[1] mlx5_3:2/RoCE:0:1} [RO]; OOB eth0:10.0.0.2<0>\n"
		"n1:100:200 [0] NCCL INFO Using network IB\n"
		"n1:100:200 [0] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0'\n"
		"n1:100:230 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0\n"
		"n1:100:230 [0] NCCL INFO Channel 01/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA\n"
		"n1:100:230 [0] NCCL INFO Channel 02/0 : 0[0] -> 8[0] [receive] via NET/Socket/1\n"
		"n1:100:230 [0] NCCL INFO Channel 03/0 : 0[0] -> 1[1] via P2P/CUMEM\n");
	const struct rct_nccl *n = &f.nccl;

	(void)state;
	assert_string_equal(n->network, "IB");
	assert_string_equal(n->version, "2.21.5+cuda12.4");
	assert_int_equal(n->n_devices, 3);
	assert_string_equal(n->devices[0].dev, "mlx5_0");
	assert_true(n->devices[0].roce);
	assert_false(n->devices[1].roce);
	assert_string_equal(n->devices[2].dev, "mlx5_3");
	assert_int_equal(n->devices[2].port, 2);
	assert_int_equal(n->gdr, 0);
	assert_string_equal(n->gdr_hca, "mlx5_0");
	assert_int_equal(n->channels_ib, 2);
	assert_int_equal(n->channels_gdr, 1);
	assert_int_equal(n->channels_socket, 1);
	assert_int_equal(n->n_errors, 0);
	rct_facts_free(&f);
}

/* One communicator of several that fell back is what matters. */
static void nccl_fallback(void **state)
{
	struct rct_facts f = nccl("Using network IB\nUsing network Socket\r\nUsing network IB\n");

	(void)state;
	assert_string_equal(f.nccl.network, "Socket");
	assert_int_equal(f.nccl.gdr, RCT_TRI_UNKNOWN);
	rct_facts_free(&f);
}

static void nccl_environment(void **state)
{
	struct rct_facts f = nccl(
		"n1:1:2 [0] NCCL INFO NCCL_IB_TC set by environment to 106.\n"
		"n2:1:2 [0] NCCL INFO NCCL_IB_TC set by environment to 106.\n"
		"n3:1:2 [0] NCCL INFO NCCL_IB_TC set by environment to 104.\n"
		"n1:1:2 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to eth0,eth1\n"
		"n1:1:2 [0] NCCL INFO NCCL_IB_HCA set to mlx5_0\n"
		"n1:1:2 [0] NCCL INFO AWS_SECRET_KEY set by environment to hunter2\n");

	(void)state;
	assert_int_equal(f.nccl.n_env, 4);
	assert_string_equal(f.nccl.env[0].name, "NCCL_IB_TC");
	assert_string_equal(f.nccl.env[0].value, "106");
	assert_string_equal(f.nccl.env[1].value, "104");
	assert_string_equal(f.nccl.env[2].value, "eth0,eth1");
	assert_string_equal(f.nccl.env[3].name, "NCCL_IB_HCA");
	rct_facts_free(&f);
}

static void nccl_errors(void **state)
{
	struct rct_facts f = nccl(
		"n3:1:2 [1] NCCL WARN NET/IB: Got completion from peer 10.28.1.4<41414> with "
		"status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_SEND(0) vendor_err=129  localGid ::ffff:10.28.2.3 "
		"remoteGids::ffff:10.28.1.4 hca rocep203s0\n"
		"n3:1:2 [1] NCCL WARN NET/IB: Got completion from peer 10.28.1.4<41999> with "
		"status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_SEND(0) vendor_err=129  localGid ::ffff:10.28.2.3 "
		"remoteGids::ffff:10.28.1.4 hca rocep203s0\n"
		"n3:1:2 [1] NCCL WARN NET/IB : Got completion from peer fd00::8<1> with status=5 opcode=0 len=0 "
		"vendor err 249 (Recv) localGid fe80::5eff:fe10:10a remoteGids fe80::1 hca mlx5_0\n"
		"n3:1:2 [1] NCCL WARN NET/IB : Got completion with error 12, opcode 0, len 0, vendor err 129\n"
		"n3:1:2 [4] NCCL WARN NET/IB : mlx5_4:1 Got async event : port error\n"
		"n3:1:2 [4] NCCL WARN NET/IB : mlx5_4:1 Got non-fatal async event: port error(10)\n"
		"n3:1:2 [0] NCCL WARN Call to ibv_modify_qp failed with error No data available errno 61\n");
	const struct rct_nccl_error *e = f.nccl.errors;

	(void)state;
	assert_int_equal(f.nccl.n_errors, 5);
	assert_int_equal(e[0].status, 12);
	assert_int_equal(e[0].count, 2);
	assert_string_equal(e[0].peer, "10.28.1.4");
	assert_string_equal(e[0].local_gid, "::ffff:10.28.2.3");
	assert_string_equal(e[0].remote_gid, "::ffff:10.28.1.4");
	assert_string_equal(e[0].hca, "rocep203s0");
	assert_int_equal(e[1].status, 5);
	assert_string_equal(e[1].peer, "fd00::8");
	assert_string_equal(e[1].remote_gid, "fe80::1");
	assert_int_equal(e[2].status, 12);
	assert_string_equal(e[2].peer, "");
	assert_int_equal(e[3].status, -1);
	assert_string_equal(e[3].hca, "mlx5_4");
	assert_int_equal(e[3].count, 2);
	assert_non_null(strstr(e[4].text, "errno 61"));
	rct_facts_free(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_log), cmocka_unit_test(nccl_selection), cmocka_unit_test(nccl_fallback),
		cmocka_unit_test(nccl_environment), cmocka_unit_test(nccl_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
