// SPDX-License-Identifier: BSD-2-Clause
/* What ethtool, dcb, mlnx_qos, rdma, ip, lspci and others print, as fields of the facts. */
#include "lib/unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>

#include "sysinfo/text.h"

/* An interface of which nothing is known yet. */
static struct rct_netif netif(void)
{
	struct rct_netif n = { .node = -2, .lro = -1, .gro_hw = -1, .pause_autoneg = -1, .pause_rx = -1,
			       .pause_tx = -1 };

	memset(n.dcb.dscp_prio, -1, sizeof(n.dcb.dscp_prio));
	memset(n.dcb.prio_buffer, -1, sizeof(n.dcb.prio_buffer));
	memset(n.dcb.prio_tc, -1, sizeof(n.dcb.prio_tc));
	return n;
}

#define PARSE(kind, text, to)	rct_text_##kind(text, sizeof(text) - 1, to)

static const struct rct_counter *counter(const struct rct_netif *n, const char *name)
{
	for (u32 i = 0; i < n->n_counters; i++) {
		if (!strcmp(n->counters[i].name, name))
			return &n->counters[i];
	}
	return NULL;
}

static void statistics(void **state)
{
	struct rct_netif n = netif();

	(void)state;
	assert_int_equal(PARSE(ethtool_stats,
			       "NIC statistics:\r\n"
			       "     rx_packets: 12\r\n"
			       "     rx_priority_3_xoff.nic: 18446744073709551615\n"
			       "     rx_discards_phy: n/a\n"
			       "     too_big: 18446744073709551616\n"
			       "     [0]: rx_discards: 5\n"
			       "     [1]: rx_discards: 7\n"
			       "     rx_discards: 100\n"
			       "     torn_line: \n"
			       "     torn", &n), 0);
	assert_true(n.ethtool_read);
	assert_int_equal(n.n_counters, 5);
	assert_int_equal(counter(&n, "rx_packets")->value, 12);
	assert_int_equal(counter(&n, "rx_packets")->group, RCT_G_ETHTOOL);
	assert_true(counter(&n, "rx_priority_3_xoff.nic")->value == UINT64_MAX);
	assert_int_equal(counter(&n, "rx_discards_phy")->have, RCT_UNREADABLE);
	/* the rings' sum is not mixed with the port's own */
	assert_int_equal(counter(&n, "rx_discards")->value, 12);
	assert_int_equal(n.counters[4].value, 100);
	free(n.counters);
}

static void no_statistics(void **state)
{
	struct rct_netif n = netif();

	(void)state;
	assert_int_equal(PARSE(ethtool_stats, "no stats available\n", &n), -ENODATA);
	assert_false(n.ethtool_read);
}

static void driver(void **state)
{
	struct rct_netif n = netif();

	(void)state;
	assert_int_equal(PARSE(ethtool_driver, "driver: bnxt_en\nversion: 6.8.0-60-generic\n"
			       "firmware-version: 230.0.157.0/pkg 230.1.116.0\nexpansion-rom-version: \n"
			       "bus-info: 0000:41:00.0\nsupports-test: yes\n", &n), 0);
	assert_string_equal(n.driver, "bnxt_en");
	assert_string_equal(n.firmware, "230.0.157.0/pkg 230.1.116.0");
	assert_string_equal(n.pci, "0000:41:00.0");
	n = netif();
	assert_int_equal(PARSE(ethtool_driver, "driver: virtio_net\nbus-info: virtio0\n", &n), 0);
	assert_string_equal(n.pci, "");
}

static void settings(void **state)
{
	struct rct_netif n = netif();

	(void)state;
	assert_int_equal(PARSE(ethtool_pause, "Pause parameters for eth1:\nAutonegotiate:\toff\n"
			       "RX:\t\ton\nTX:\t\toff\n", &n), 0);
	assert_int_equal(n.pause_autoneg, 0);
	assert_int_equal(n.pause_rx, 1);
	assert_int_equal(n.pause_tx, 0);
	assert_int_equal(PARSE(ethtool_features, "Features for eth1:\nrx-checksumming: on\n"
			       "large-receive-offload: off [fixed]\nrx-gro-hw: on\n", &n), 0);
	assert_int_equal(n.lro, 0);
	assert_int_equal(n.gro_hw, 1);
	assert_int_equal(PARSE(ethtool_channels, "Pre-set maximums:\nRX:\t\t37\nCombined:\t74\n"
			       "Current hardware settings:\nRX:\t\t0\nCombined:\t63\n", &n), 0);
	assert_int_equal(n.channels_max.v, 74);
	assert_int_equal(n.channels.v, 63);
	n = netif();
	assert_int_equal(PARSE(ethtool_channels, "Combined:\t63\n", &n), -ENODATA);
	assert_int_equal(n.channels.have, RCT_ABSENT);
}

static void dcb(void **state)
{
	struct rct_netif n = netif();

	(void)state;
	assert_int_equal(PARSE(dcb_pfc, "pfc-cap 8 macsec-bypass off delay 0\n"
			       "prio-pfc 0:off 1:off 2:off 3:on 4:off 5:on 6:off 7:off\n", &n), 0);
	assert_int_equal(n.dcb.pfc, RCT_THERE);
	assert_int_equal(n.dcb.pfc_enabled, 1 << 3 | 1 << 5);
	assert_int_equal(n.dcb.pfc_cap, 8);
	assert_int_equal(PARSE(dcb_app, "default-prio 0\ndscp-prio 26:3 CS6:6 AF41:4 26:2\n", &n), 0);
	assert_int_equal(n.dcb.app, RCT_THERE);
	assert_int_equal(n.dcb.dscp_prio[26], 3);
	assert_int_equal(n.dcb.dscp_prio[48], 6);
	assert_int_equal(n.dcb.dscp_prio[34], 4);
	assert_int_equal(n.dcb.dscp_prio[0], -1);
	assert_int_equal(PARSE(dcb_apptrust, "order pcp dscp\n", &n), 0);
	assert_true(n.dcb.trust_dscp);
	assert_int_equal(PARSE(dcb_apptrust, "order pcp\n", &n), 0);
	assert_false(n.dcb.trust_dscp);
	assert_int_equal(PARSE(dcb_ets, "willing on\ntc-bw 0:0\nprio-tc 0:1 1:0 3:5\n", &n), 0);
	assert_int_equal(n.dcb.prio_tc[3], 5);
	assert_int_equal(n.dcb.prio_tc[2], -1);
	assert_int_equal(PARSE(dcb_buffer, "prio-buffer 0:0 3:1\nbuffer-size 0:20016b 1:237Kb 2:1.5Mb\n"
			       "total-size 1Mb\n", &n), 0);
	assert_int_equal(n.dcb.prio_buffer[3], 1);
	assert_int_equal(n.dcb.buffer_size[1], 237 * 1024);
	assert_int_equal(n.dcb.buffer_size[2], 3 * 512 * 1024);
}

/* Half of a line is not half of an answer. */
static void dcb_torn(void **state)
{
	struct rct_netif n = netif();

	(void)state;
	assert_int_equal(PARSE(dcb_pfc, "pfc-cap 8\nprio-pfc 0:off 1:off 2:of", &n), -ENODATA);
	assert_int_equal(n.dcb.pfc, RCT_ABSENT);
	assert_int_equal(rct_text_dcb_app("\n", 1, &n), 0);
	assert_int_equal(n.dcb.app, RCT_THERE);
}

static const char qos[] =
	"DCBX mode: OS controlled\nPriority trust state: dscp\ndscp2prio mapping:\n"
	"\tprio:0 dscp:07,06,\n\tprio:5 dscp:59,\n"
	"Receive buffer size (bytes): 19872,243072,0,0,0,0,0,0,max_buffer_size=2069280\nCable len: 7\n"
	"PFC configuration:\n\tpriority    0   1   2   3   4   5   6   7\n"
	"\tenabled     0   0   0   0   0   1   0   0   \n"
	"\tbuffer      0   0   0   0   0   1   0   0   \n"
	"tc: 0 ratelimit: unlimited, tsa: vendor\n\t priority:  1\n"
	"tc: 5 ratelimit: unlimited, tsa: vendor\n\t priority:  5\n";

static void mlnx_qos(void **state)
{
	struct rct_netif n = netif();

	(void)state;
	assert_int_equal(PARSE(mlnx_qos, qos, &n), 0);
	assert_string_equal(n.dcb.dcbx, "OS controlled");
	assert_int_equal(n.dcb.trust, RCT_THERE);
	assert_true(n.dcb.trust_dscp);
	assert_int_equal(n.dcb.pfc_enabled, 1 << 5);
	assert_int_equal(n.dcb.dscp_prio[59], 5);
	assert_int_equal(n.dcb.dscp_prio[6], 0);
	assert_int_equal(n.dcb.dscp_prio[26], -1);
	assert_int_equal(n.dcb.buffer_size[1], 243072);
	assert_int_equal(n.dcb.prio_buffer[5], 1);
	assert_int_equal(n.dcb.prio_tc[5], 5);
	assert_int_equal(n.dcb.prio_tc[1], 0);
	/* dcb's word comes first */
	n = netif();
	PARSE(dcb_pfc, "prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off\n", &n);
	PARSE(mlnx_qos, qos, &n);
	assert_int_equal(n.dcb.pfc_enabled, 1 << 3);
}

/* Facts with one NIC, mlx5_0 port 1. */
static struct rct_facts one_nic(void)
{
	struct rct_facts f = { 0 };
	struct rct_nic *n = RCT_FACTS_ADD(f.nics, f.n_nics);

	strcpy(n->dev, "mlx5_0");
	n->port = 1;
	n->netif = -1;
	return f;
}

static void devinfo(void **state)
{
	struct rct_facts f = one_nic();

	(void)state;
	assert_int_equal(PARSE(ibv_devinfo, "hca_id:\tmlx5_9\n\t\tport:\t1\n\t\t\tactive_mtu:\t\t256 (1)\n\n"
			       "hca_id:\tmlx5_0\n\tfw_ver:\t\t\t28.39.3004\n\t\tport:\t1\n"
			       "\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n\t\t\tmax_mtu:\t\t4096 (5)\n"
			       "\t\t\tactive_mtu:\t\t1024 (3)\n\t\t\tlink_layer:\t\tEthernet\n", &f), 0);
	assert_int_equal(f.nics[0].active_mtu.v, 1024);
	assert_false(f.nics[0].active_mtu_derived);
	assert_string_equal(f.nics[0].state, "ACTIVE");
	assert_string_equal(f.nics[0].fw, "28.39.3004");
	assert_int_equal(f.n_nics, 1);
	PARSE(ibv_devinfo, "hca_id:\tmlx5_0\n\t\tport:\t1\n\t\t\tactive_mtu:\t2048 derived from the MTU of eth0\n", &f);
	assert_int_equal(f.nics[0].active_mtu.v, 2048);
	assert_true(f.nics[0].active_mtu_derived);
	rct_facts_free(&f);
}

static void rdma_link(void **state)
{
	struct rct_facts f = one_nic();

	(void)state;
	assert_int_equal(PARSE(rdma_link, "link mlx5_0/1 state DOWN physical_state DISABLED netdev bond1 \n", &f), 0);
	assert_string_equal(f.nics[0].state, "DOWN");
	assert_string_equal(f.nics[0].phys_state, "Disabled");
	assert_string_equal(f.nics[0].ifname, "bond1");
	rct_facts_free(&f);
}

static void queue_pairs(void **state)
{
	struct rct_facts f = { 0 };

	(void)state;
	assert_int_equal(PARSE(rdma_res_qp,
			       "link mlx5_0/1 lqpn 1 type GSI state RTS sq-psn 0 comm ib_core \n"
			       "link mlx5_0/1 lqpn 4118 rqpn 4120 type RC state ERR rq-psn 771201 sq-psn 90221 "
			       "path-mig-state MIGRATED pid 7711 comm rdma test \n"
			       "link mlx5_0/1 lqpn 99999999 type R", &f), 0);
	assert_true(f.qps_read);
	assert_int_equal(f.n_qps, 3);
	assert_string_equal(f.qps[0].comm, "ib_core");
	assert_int_equal(f.qps[0].pid, -1);
	assert_int_equal(f.qps[1].lqpn, 4118);
	assert_int_equal(f.qps[1].rqpn, 4120);
	assert_int_equal(f.qps[1].rq_psn, 771201);
	assert_int_equal(f.qps[1].sq_psn, 90221);
	assert_int_equal(f.qps[1].pid, 7711);
	assert_string_equal(f.qps[1].state, "ERR");
	assert_string_equal(f.qps[1].comm, "rdma test");
	assert_int_equal(f.qps[2].lqpn, 0);
	rct_facts_free(&f);
	assert_int_equal(rct_text_rdma_res_qp("", 0, &f), 0);
	assert_true(f.qps_read);
}

static void gids(void **state)
{
	static const char text[] =
		"DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV\n---\t----\t-----\t---\n"
		"mlx5_0\t1\t1\tfe80:0000:0000:0000:0000:5eff:fe10:010a\t\t\tv2\tens2f0np0\n"
		"mlx5_0\t1\t3\t0000:0000:0000:0000:0000:ffff:c000:020a\t192.0.2.10  \tv1\tens2f0np0\n"
		"n_gids_found=2\n";
	struct rct_facts f = one_nic();

	(void)state;
	assert_int_equal(PARSE(show_gids, text, &f), 0);
	assert_int_equal(f.nics[0].n_gids, 2);
	assert_int_equal(f.nics[0].gids[0].index, 1);
	assert_int_equal(f.nics[0].gids[0].type, RCT_GID_V2);
	assert_int_equal(f.nics[0].gids[1].type, RCT_GID_V1);
	assert_int_equal(f.nics[0].gids[1].addr[12], 192);
	assert_string_equal(f.nics[0].gids[1].ndev, "ens2f0np0");
	/* sysfs had them already */
	assert_int_equal(PARSE(show_gids, text, &f), -ENODATA);
	assert_int_equal(f.nics[0].n_gids, 2);
	rct_facts_free(&f);
}

static void addresses(void **state)
{
	struct rct_facts f = { 0 };

	(void)state;
	assert_int_equal(PARSE(ip_addr,
			       "3: eth1    inet 10.27.0.11/24 brd 10.27.0.255 scope global eth1\\  valid_lft forever\n"
			       "3: eth1.5@eth1    inet6 fe80::1/64 scope link \n"
			       "4: tun0    inet 10.0.0.1 peer 10.0.0.2/31 scope global tun0\n"
			       "5: eth2    inet 10.0.0.300/24\n6: eth3   inet 10.0.0.1/33\n7: e", &f), 0);
	assert_int_equal(f.n_addrs, 3);
	assert_string_equal(f.addrs[0].ifname, "eth1");
	assert_int_equal(f.addrs[0].prefix, 24);
	assert_int_equal(f.addrs[0].family, 4);
	assert_int_equal(f.addrs[0].addr[10], 0xff);
	assert_int_equal(f.addrs[0].addr[15], 11);
	assert_string_equal(f.addrs[1].ifname, "eth1.5");
	assert_int_equal(f.addrs[1].family, 6);
	assert_int_equal(f.addrs[2].prefix, 31);
	rct_facts_free(&f);
}

static void rules(void **state)
{
	struct rct_facts f = { 0 };

	(void)state;
	assert_int_equal(PARSE(ip_rule, "0:\tfrom all lookup local\n100:\tfrom 10.1.0.0/24 lookup 101\n32", &f), 0);
	assert_int_equal(f.n_rules, 2);
	assert_string_equal(f.rules[0].from, "all");
	assert_int_equal(f.rules[1].priority, 100);
	assert_string_equal(f.rules[1].from, "10.1.0.0/24");
	assert_string_equal(f.rules[1].table, "101");
	rct_facts_free(&f);
}

static void routes(void **state)
{
	struct rct_facts f = { 0 };

	(void)state;
	assert_int_equal(PARSE(ip_route,
			       "default via 10.0.0.1 dev eth0 proto dhcp metric 100 \n"
			       "10.27.0.0/24 dev eth1 proto kernel scope link src 10.27.0.11 \n"
			       "10.30.0.0/16 table 101 proto static \n"
			       "\tnexthop via 10.0.1.1 dev eth2 weight 1 \n\tnexthop dev eth3 weight 1 \n"
			       "unreachable 10.9.0.0/16 \n\tnexthop dev eth9 weight 1\n"
			       "::/0 via fe80::1 dev eth0 \n", &f), 0);
	assert_int_equal(f.n_routes, 5);
	assert_int_equal(f.routes[0].prefix, 0);
	assert_int_equal(f.routes[0].family, 4);
	assert_true(f.routes[0].gateway);
	assert_string_equal(f.routes[0].table, "main");
	assert_string_equal(f.routes[1].ifname, "eth1");
	assert_false(f.routes[1].gateway);
	assert_string_equal(f.routes[2].ifname, "eth2");
	assert_string_equal(f.routes[2].table, "101");
	assert_int_equal(f.routes[2].prefix, 16);
	assert_true(f.routes[2].gateway);
	assert_string_equal(f.routes[3].ifname, "eth3");
	assert_false(f.routes[3].gateway);
	assert_int_equal(f.routes[4].family, 6);
	rct_facts_free(&f);
}

static void neighbours(void **state)
{
	struct rct_facts f = { 0 };

	(void)state;
	assert_int_equal(PARSE(ip_neigh, "10.0.0.1 dev eth0 lladdr 02:00:5e:10:00:01 router REACHABLE \n"
			       "10.0.0.2 dev eth0 FAILED\n10.0.0.3 dev", &f), 0);
	assert_int_equal(f.n_neighs, 2);
	assert_string_equal(f.neighs[0].mac, "02:00:5e:10:00:01");
	assert_string_equal(f.neighs[0].state, "REACHABLE");
	assert_string_equal(f.neighs[1].mac, "");
	assert_string_equal(f.neighs[1].state, "FAILED");
	rct_facts_free(&f);
}

static void lspci(void **state)
{
	struct rct_facts f = { 0 };

	(void)state;
	assert_int_equal(PARSE(lspci,
			       "0000:18:00.0 PCI bridge: Broadcom / LSI PEX880xx (rev b0) (prog-if 00 [Normal])\n"
			       "\tNUMA node: 0\n\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM L1\n"
			       "\tLnkSta:\tSpeed 16GT/s (downgraded), Width x8 (downgraded)\n"
			       "\tACSCap:\tSrcValid+ TransBlk+ ReqRedir+ CmpltRedir+ UpstreamFwd+\n"
			       "\tACSCtl:\tSrcValid+ TransBlk- ReqRedir- CmpltRedir- UpstreamFwd-\n"
			       "19:00.0 3D controller: NVIDIA Corporation GA100 [A100 SXM4 80GB] (rev a1)\n"
			       "\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+\n"
			       "02:00.0 VGA compatible controller: ASPEED Technology, Inc. Graphics\n"
			       "\tLnkSta:\tSpeed 2.5GT/s, Width x1\nnonsense\n\tNUMA node: 7\n", &f), 0);
	assert_int_equal(f.n_pcis, 3);
	assert_true(f.pcis[0].bridge);
	assert_int_equal(f.pcis[0].node, 0);
	assert_int_equal(f.pcis[0].acs_redirect, 0);
	assert_string_equal(f.pcis[0].link_speed, "16.0 GT/s PCIe");
	assert_int_equal(f.pcis[0].link_width, 8);
	assert_string_equal(f.pcis[0].link_speed_max, "32.0 GT/s PCIe");
	assert_int_equal(f.pcis[0].link_width_max, 16);
	assert_string_equal(f.pcis[1].addr, "0000:19:00.0");
	assert_true(f.pcis[1].gpu);
	assert_int_equal(f.pcis[1].acs_redirect, 1);
	assert_int_equal(f.pcis[1].node, -2);
	assert_false(f.pcis[2].gpu);
	assert_string_equal(f.pcis[2].link_speed, "2.5 GT/s PCIe");
	assert_int_equal(f.pcis[2].acs_redirect, RCT_TRI_UNKNOWN);
	rct_facts_free(&f);
}

static void topology(void **state)
{
	struct rct_facts f = { 0 };

	(void)state;
	assert_int_equal(PARSE(topo,
			       "\tGPU0\tGPU4\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\n"
			       "GPU0\t X \tNV18\tPIX\tNODE\t0-47,96-143\t0\nGPU4\tNV18\t X \tSYS\tPXB\t48-95\t1\n"
			       "NIC0\tPIX\tSYS\t X \tNODE\nNIC1\tNODE\tSYS\tNODE\t X \n\nNIC Legend:\n\n"
			       "  NIC0: mlx5_0\n  NIC1: mlx5_4\n", &f), 0);
	assert_int_equal(f.n_distances, 4);
	assert_string_equal(f.distances[0].gpu, "GPU0");
	assert_string_equal(f.distances[0].dev, "mlx5_0");
	assert_string_equal(f.distances[0].path, "PIX");
	assert_string_equal(f.distances[3].gpu, "GPU4");
	assert_string_equal(f.distances[3].dev, "mlx5_4");
	assert_string_equal(f.distances[3].path, "PXB");
	rct_facts_free(&f);
}

static void nodes(void **state)
{
	struct rct_facts f = { 0 };

	(void)state;
	assert_int_equal(PARSE(numactl, "available: 2 nodes (0-1)\nnode 0 cpus: 0 1 2 5 7 8\nnode 0 size: 191981 MB\n"
			       "node 1 cpus:\nnode distances:\nnode   0   1 \n  0:  10  21 \n", &f), 0);
	assert_int_equal(f.n_nodes, 2);
	assert_string_equal(f.nodes[0].cpus, "0-2,5,7-8");
	assert_string_equal(f.nodes[1].cpus, "");
	rct_facts_free(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(statistics), cmocka_unit_test(no_statistics), cmocka_unit_test(driver),
		cmocka_unit_test(settings), cmocka_unit_test(dcb), cmocka_unit_test(dcb_torn),
		cmocka_unit_test(mlnx_qos), cmocka_unit_test(devinfo), cmocka_unit_test(rdma_link),
		cmocka_unit_test(queue_pairs), cmocka_unit_test(gids), cmocka_unit_test(addresses),
		cmocka_unit_test(rules), cmocka_unit_test(routes), cmocka_unit_test(neighbours),
		cmocka_unit_test(lspci), cmocka_unit_test(topology), cmocka_unit_test(nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
