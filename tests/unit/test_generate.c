// SPDX-License-Identifier: BSD-2-Clause
/*
 * Texts that are made on the running host, read back by the parsers. Devices that are
 * not here answer by messages that are built here from the kernel's interface (numbers
 * are written out where a header of this host may be too old or be wrong with us).
 */
#include "lib/unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <unistd.h>

#include "sysinfo/gen.h"
#include "sysinfo/generate.h"
#include "sysinfo/text.h"

/* A message under construction. */
static union {
	struct nlmsghdr h;
	char room[4096];
} m;

static void *begin(size_t header)
{
	memset(&m, 0, sizeof(m));
	mnl_nlmsg_put_header(&m);
	return mnl_nlmsg_put_extra_header(&m.h, header);
}

static void put(u16 type, const void *data, size_t n)
{
	mnl_attr_put(&m.h, type, n, data);
}

static char *text;
static size_t text_len;
static FILE *out;

static void open_text(void)
{
	out = open_memstream(&text, &text_len);
	assert_non_null(out);
}

static void close_text(void)
{
	assert_int_equal(fclose(out), 0);
}

/* ---- dcb: numbers of include/uapi/linux/dcbnl.h */

/* PFC on 3 and 4 of 8; DSCP 26 to 3, 48 to 6, and an Ethertype's entry; trust dscp, then pcp */
static void put_ieee(bool all)
{
	static const u8 pfc[136] = { 8, 0x18, 1, 0, 5, 0 };
	static const u8 ets[59] = { 0, 8, 0, 10, 20, 70, 0, 0, 0, 0, 0, [27] = 0, 0, 0, 2, 3, 0, 0, 7 };
	static const u8 apps[3][4] = { { 5, 3, 26, 0 }, { 1, 4, 0x06, 0x89 }, { 5, 6, 48, 0 } };
	static const u8 trust[] = { 5, 255 };
	u32 buffer[11] = { 0, 0, 20016, 243072 };
	struct nlattr *ieee, *nest;

	((u8 *)buffer)[3] = 1;
	begin(4);	/* struct dcbmsg */
	put(1, "eth0", 5);
	ieee = mnl_attr_nest_start(&m.h, 13);
	put(2, pfc, all ? sizeof(pfc) : 3);
	if (all) {
		put(1, ets, sizeof(ets));
		nest = mnl_attr_nest_start(&m.h, 3);
		for (int i = 0; i < 3; i++)
			put(1, apps[i], sizeof(apps[i]));
		mnl_attr_nest_end(&m.h, nest);
		put(10, buffer, sizeof(buffer));
		nest = mnl_attr_nest_start(&m.h, 11);
		put(1, &trust[0], 1);
		put(2, &trust[1], 1);
		mnl_attr_nest_end(&m.h, nest);
	}
	mnl_attr_nest_end(&m.h, ieee);
}

static void dcb_text(bool (*make)(FILE *o, const struct rct_gen_ieee *i), const char *wanted,
		     int (*parse)(const char *t, size_t len, struct rct_netif *n), struct rct_netif *n)
{
	struct rct_gen_ieee i;

	rct_gen_ieee_parse(&m.h, &i);
	open_text();
	assert_true(make(out, &i));
	close_text();
	assert_string_equal(text, wanted);
	assert_int_equal(parse(text, text_len, n), 0);
	free(text);
}

static void dcb(void **state)
{
	struct rct_netif n = { 0 };

	(void)state;
	put_ieee(true);
	dcb_text(rct_gen_pfc_text, "pfc-cap 8 macsec-bypass on delay 5\n"
		 "prio-pfc 0:off 1:off 2:off 3:on 4:on 5:off 6:off 7:off\n", rct_text_dcb_pfc, &n);
	dcb_text(rct_gen_app_text, "dscp-prio 26:3 48:6\n", rct_text_dcb_app, &n);
	dcb_text(rct_gen_trust_text, "order dscp pcp\n", rct_text_dcb_apptrust, &n);
	dcb_text(rct_gen_ets_text, "willing off ets-cap 8 cbs off\n"
		 "tc-bw 0:10 1:20 2:70 3:0 4:0 5:0 6:0 7:0\n"
		 "prio-tc 0:0 1:0 2:0 3:2 4:3 5:0 6:0 7:7\n", rct_text_dcb_ets, &n);
	dcb_text(rct_gen_buffer_text, "prio-buffer 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:0\n"
		 "buffer-size 0:20016b 1:243072b 2:0b 3:0b 4:0b 5:0b 6:0b 7:0b\ntotal-size 0b\n",
		 rct_text_dcb_buffer, &n);
	assert_int_equal(n.dcb.pfc_enabled, 0x18);
	assert_int_equal(n.dcb.dscp_prio[26], 3);
	assert_true(n.dcb.trust_dscp);
	assert_int_equal(n.dcb.prio_tc[7], 7);
	assert_int_equal(n.dcb.buffer_size[1], 243072);
}

/* What the driver doesn't tell, or tells shorter than it should, is no text. */
static void dcb_lacking(void **state)
{
	struct rct_gen_ieee i;

	(void)state;
	put_ieee(false);
	rct_gen_ieee_parse(&m.h, &i);
	open_text();
	assert_false(rct_gen_pfc_text(out, &i));
	assert_false(rct_gen_app_text(out, &i));
	assert_false(rct_gen_trust_text(out, &i));
	assert_false(rct_gen_ets_text(out, &i));
	assert_false(rct_gen_buffer_text(out, &i));
	close_text();
	assert_string_equal(text, "");
	free(text);
	begin(0);
	rct_gen_ieee_parse(&m.h, &i);
	assert_null(i.pfc);
}

/* ---- ip */

/* index 1 is lo on every host */
static void reply_is(mnl_cb_t reply, const char *dev, const char *wanted)
{
	struct rct_gen_dump d = { .dev = dev };

	open_text();
	d.out = out;
	assert_int_equal(reply(&m.h, &d), MNL_CB_OK);
	close_text();
	assert_string_equal(text, wanted);
	free(text);
}

static void addresses(void **state)
{
	static const u8 local[] = { 10, 27, 0, 11 }, peer[] = { 10, 27, 0, 12 };
	struct ifaddrmsg *a = begin(sizeof(*a));

	(void)state;
	*a = (struct ifaddrmsg){ .ifa_family = AF_INET, .ifa_prefixlen = 24, .ifa_index = 1 };
	put(1, local, 4);
	put(2, local, 4);
	reply_is(rct_gen_addr_reply, NULL, "1: lo    inet 10.27.0.11/24\n");
	a = begin(sizeof(*a));
	*a = (struct ifaddrmsg){ .ifa_family = AF_INET, .ifa_prefixlen = 31, .ifa_index = 1 };
	put(1, peer, 4);
	put(2, local, 4);
	reply_is(rct_gen_addr_reply, NULL, "1: lo    inet 10.27.0.11 peer 10.27.0.12/31\n");
	a = begin(sizeof(*a));
	*a = (struct ifaddrmsg){ .ifa_family = AF_INET6, .ifa_index = 1 };
	put(1, local, 4);
	reply_is(rct_gen_addr_reply, NULL, "");
}

static void rules(void **state)
{
	static const u8 from[] = { 10, 1, 0, 0 };
	struct fib_rule_hdr *r = begin(sizeof(*r));
	u32 prio = 100, table = 1001;

	(void)state;
	*r = (struct fib_rule_hdr){ .family = AF_INET, .src_len = 24, .table = 0xfc, .action = 1 };
	put(2, from, 4);
	put(6, &prio, 4);
	put(15, &table, 4);
	reply_is(rct_gen_rule_reply, NULL, "100:\tfrom 10.1.0.0/24 lookup 1001\n");
	r = begin(sizeof(*r));
	*r = (struct fib_rule_hdr){ .family = AF_INET, .table = 255, .action = 1 };
	reply_is(rct_gen_rule_reply, NULL, "0:\tfrom all lookup local\n");
}

static struct rtmsg *route(u8 family, u8 len, u8 type)
{
	struct rtmsg *r = begin(sizeof(*r));

	*r = (struct rtmsg){ .rtm_family = family, .rtm_dst_len = len, .rtm_table = 254, .rtm_type = type };
	return r;
}

static void routes(void **state)
{
	static const u8 dst[] = { 10, 30, 0, 0 }, via[] = { 10, 0, 1, 1 };
	/* two ways: interface 1 by a gateway, and directly */
	static const u8 ways[] = {
		16, 0, 0, 0, 1, 0, 0, 0, 8, 0, 5, 0, 10, 0, 1, 1,
		8, 0, 0, 3, 1, 0, 0, 0,
	};
	u32 index = 1;

	(void)state;
	route(AF_INET, 0, RTN_UNICAST);
	put(5, via, 4);
	put(4, &index, 4);
	reply_is(rct_gen_route_reply, NULL, "default via 10.0.1.1 dev lo\n");
	route(AF_INET, 16, RTN_UNICAST);
	put(1, dst, 4);
	put(9, ways, sizeof(ways));
	reply_is(rct_gen_route_reply, NULL, "10.30.0.0/16\n\tnexthop via 10.0.1.1 dev lo weight 1\n"
		 "\tnexthop dev lo weight 4\n");
	route(AF_INET, 16, RTN_UNICAST);
	put(1, dst, 4);
	put(9, ways, 14);	/* torn */
	reply_is(rct_gen_route_reply, NULL, "10.30.0.0/16\n");
	route(AF_INET, 32, RTN_LOCAL);
	put(1, dst, 4);
	put(4, &index, 4);
	reply_is(rct_gen_route_reply, NULL, "");
	route(AF_INET6, 0, RTN_UNICAST);
	put(4, &index, 4);
	reply_is(rct_gen_route_reply, NULL, "::/0 dev lo\n");
}

static void neighbours(void **state)
{
	static const u8 dst[] = { 10, 0, 0, 1 }, mac[] = { 2, 0, 0x5e, 0x10, 0, 1 };
	struct ndmsg *n = begin(sizeof(*n));

	(void)state;
	*n = (struct ndmsg){ .ndm_family = AF_INET, .ndm_ifindex = 1, .ndm_state = 2 };
	put(1, dst, 4);
	put(2, mac, 6);
	reply_is(rct_gen_neigh_reply, NULL, "10.0.0.1 dev lo lladdr 02:00:5e:10:00:01 REACHABLE\n");
	n = begin(sizeof(*n));
	*n = (struct ndmsg){ .ndm_family = AF_INET, .ndm_ifindex = 1, .ndm_state = 0x20 };
	put(1, dst, 4);
	reply_is(rct_gen_neigh_reply, NULL, "10.0.0.1 dev lo FAILED\n");
	n = begin(sizeof(*n));
	*n = (struct ndmsg){ .ndm_family = AF_INET, .ndm_ifindex = 1, .ndm_state = 0x40 };
	put(1, dst, 4);
	reply_is(rct_gen_neigh_reply, NULL, "");
}

/* ---- RDMA */

static void rdma_link(void **state)
{
	u32 port = 1;
	u8 state_up = 4, phys = 5;

	(void)state;
	begin(0);
	put(RDMA_NLDEV_ATTR_PORT_INDEX, &port, 4);
	put(RDMA_NLDEV_ATTR_PORT_STATE, &state_up, 1);
	put(RDMA_NLDEV_ATTR_PORT_PHYS_STATE, &phys, 1);
	put(RDMA_NLDEV_ATTR_NDEV_NAME, "eth1", 5);
	reply_is(rct_gen_link_reply, "mlx5_0", "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth1\n");
	begin(0);
	put(RDMA_NLDEV_ATTR_PORT_INDEX, &port, 4);
	phys = 99;
	put(RDMA_NLDEV_ATTR_PORT_PHYS_STATE, &phys, 1);
	reply_is(rct_gen_link_reply, "mlx5_0", "link mlx5_0/1 state UNKNOWN physical_state 99\n");
}

static void put_qp(u32 lqpn, u32 rqpn, u8 type, u8 state, u32 psn)
{
	struct nlattr *e = mnl_attr_nest_start(&m.h, RDMA_NLDEV_ATTR_RES_QP_ENTRY);
	u32 port = 2, pid = getpid();

	put(RDMA_NLDEV_ATTR_PORT_INDEX, &port, 4);
	put(RDMA_NLDEV_ATTR_RES_LQPN, &lqpn, 4);
	if (rqpn) {
		put(RDMA_NLDEV_ATTR_RES_RQPN, &rqpn, 4);
		put(RDMA_NLDEV_ATTR_RES_RQ_PSN, &psn, 4);
	}
	put(RDMA_NLDEV_ATTR_RES_SQ_PSN, &psn, 4);
	put(RDMA_NLDEV_ATTR_RES_TYPE, &type, 1);
	put(RDMA_NLDEV_ATTR_RES_STATE, &state, 1);
	if (rqpn)
		put(RDMA_NLDEV_ATTR_RES_PID, &pid, 4);
	else
		put(RDMA_NLDEV_ATTR_RES_KERN_NAME, "ib_core", 8);
	mnl_attr_nest_end(&m.h, e);
}

static void queue_pairs(void **state)
{
	struct rct_facts f = { 0 };
	struct rct_gen_dump d = { .dev = "mlx5_0" };
	struct nlattr *table;

	(void)state;
	begin(0);
	table = mnl_attr_nest_start(&m.h, RDMA_NLDEV_ATTR_RES_QP);
	put_qp(1, 0, 1, 3, 0);
	put_qp(4118, 4120, 2, 6, 771201);
	mnl_attr_nest_end(&m.h, table);
	open_text();
	d.out = out;
	assert_int_equal(rct_gen_qp_reply(&m.h, &d), MNL_CB_OK);
	close_text();
	assert_int_equal(rct_text_rdma_res_qp(text, text_len, &f), 0);
	free(text);
	assert_int_equal(f.n_qps, 2);
	assert_string_equal(f.qps[0].type, "GSI");
	assert_string_equal(f.qps[0].comm, "ib_core");
	assert_int_equal(f.qps[1].port, 2);
	assert_int_equal(f.qps[1].rqpn, 4120);
	assert_int_equal(f.qps[1].sq_psn, 771201);
	assert_string_equal(f.qps[1].type, "RC");
	assert_string_equal(f.qps[1].state, "ERR");
	assert_int_equal(f.qps[1].pid, getpid());
	assert_true(strlen(f.qps[1].comm) > 0);
	rct_facts_free(&f);
}

static void path_mtu(void **state)
{
	(void)state;
	assert_int_equal(rct_gen_path_mtu(9000, false), 4096);
	assert_int_equal(rct_gen_path_mtu(4200, false), 4096);
	assert_int_equal(rct_gen_path_mtu(4096, false), 2048);
	assert_int_equal(rct_gen_path_mtu(1500, false), 1024);
	assert_int_equal(rct_gen_path_mtu(4176, true), 4096);
	assert_int_equal(rct_gen_path_mtu(4176, false), 2048);
	assert_int_equal(rct_gen_path_mtu(300, false), 0);
}

/* ---- PCI, kernel log */

static void acs(void **state)
{
	u8 config[4096] = { 0 };

	(void)state;
	/* an AER capability, whose next is ACS at 0x150: control has ReqRedir and SrcValid */
	memcpy(config + 0x100, (u8[]){ 0x01, 0x00, 0x01, 0x15 }, 4);
	memcpy(config + 0x150, (u8[]){ 0x0d, 0x00, 0x01, 0x00, 0x5f, 0x00, 0x05, 0x00 }, 8);
	open_text();
	rct_gen_acs_text(out, config, sizeof(config));
	close_text();
	assert_string_equal(text, "\tACSCap:\tSrcValid+ TransBlk+ ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans+\n"
			    "\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir- UpstreamFwd- EgressCtrl- DirectTrans-\n");
	free(text);
	/* unprivileged; and a capability that is its own next */
	open_text();
	rct_gen_acs_text(out, config, 64);
	config[0x103] = 0x10;
	rct_gen_acs_text(out, config, sizeof(config));
	config[0x103] = 0xff;
	rct_gen_acs_text(out, config, 256 + 4);
	close_text();
	assert_string_equal(text, "");
	free(text);
}

static void kmsg(void **state)
{
	static const char *const records[] = {
		"6,1,5140900,-;mlx5_core 0000:9a:00.0 ens6np0: Link up\n SUBSYSTEM=pci\n DEVICE=+pci:0000:9a:00.0\n",
		"3,2,603688401022,c,caller=T7;no end", "6,3,x,-;bad", "no record", "",
	};

	(void)state;
	open_text();
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
		rct_gen_kmsg_text(out, records[i], strlen(records[i]));
	close_text();
	assert_string_equal(text, "[    5.140900] mlx5_core 0000:9a:00.0 ens6np0: Link up\n"
			    "[603688.401022] no end\n");
	free(text);
}

/* ---- this host */

static void names(void **state)
{
	static const char *const bad[] = {
		"", ".txt", "nosuch.txt", "ip-addr", "ip-addr-eth0.txt", "ethtool-S.txt", "ethtool-S-.txt",
		"ethtool-S-../../etc/passwd-and-more.txt", "nccl.log",
	};
	char *t;
	size_t n;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(rct_generate(bad[i], &t, &n), -ENOENT);
	assert_true(rct_generate("ethtool-i-nosuch0.txt", &t, &n) < 0);
}

static void here(void **state)
{
	struct rct_facts f = { 0 };
	char *t;
	size_t n;

	(void)state;
	assert_int_equal(rct_generate("ip-addr.txt", &t, &n), 0);
	assert_int_equal(n, strlen(t));
	assert_int_equal(rct_text_ip_addr(t, n, &f), 0);
	free(t);
	assert_true(f.n_addrs >= 1);
	assert_string_equal(f.addrs[0].ifname, "lo");
	assert_int_equal(f.addrs[0].addr[12], 127);
	assert_int_equal(rct_generate("ip-rule.txt", &t, &n), 0);
	assert_int_equal(rct_text_ip_rule(t, n, &f), 0);
	free(t);
	assert_string_equal(f.rules[0].table, "local");
	rct_facts_free(&f);
}

/* ethtool's features: every interface has some */
static void features(void **state)
{
	struct rct_netif n = { .lro = RCT_TRI_UNKNOWN, .gro_hw = RCT_TRI_UNKNOWN };
	char *t;
	size_t len;
	int rc = rct_generate("ethtool-k-lo.txt", &t, &len);

	(void)state;
	if (rc == -EPERM || rc == -EOPNOTSUPP)
		rct_skip("ethtool's ioctl is refused here: %s", strerror(-rc));
	assert_int_equal(rc, 0);
	assert_int_equal(rct_text_ethtool_features(t, len, &n), 0);
	assert_int_equal(n.lro, 0);
	assert_int_equal(n.gro_hw, 0);
	free(t);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(dcb), cmocka_unit_test(dcb_lacking), cmocka_unit_test(addresses),
		cmocka_unit_test(rules), cmocka_unit_test(routes), cmocka_unit_test(neighbours),
		cmocka_unit_test(rdma_link), cmocka_unit_test(queue_pairs), cmocka_unit_test(path_mtu),
		cmocka_unit_test(acs), cmocka_unit_test(kmsg), cmocka_unit_test(names), cmocka_unit_test(here),
		cmocka_unit_test(features),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
