// SPDX-License-Identifier: BSD-2-Clause
/* user/model/flowtab.c: what is around the trackers of flow.h, which test_flow.c tests. */
#include "lib/unit.h"
#include "lib/trace.h"
#include "lib/part.h"

/* READs: the path MTU of either direction, whenever it is known. */
struct row {
	const char *name;
	struct rct_trace_cm cm;
	const char *words;
	u32 mtu;
	u64 gaps, missing, repeated, reanchored;
	u32 passes;
};

#define CM	{ .qp_a = 10, .qp_b = 20, .mtu = 3 }	/* 1024 */

static const struct row rows[] = {
	{ "the connection manager says it", CM, ">20 R0:4096 S4 R5:4096 S9", 1024, .passes = 1 },
	{ "and what it says counts", CM, ">20 R0:4096 S5 S6", 1024, .gaps = 1, .missing = 1, .passes = 1 },
	{ "the requests' own payload, too late for the first READ", {}, ">20 R0:4096 S7 F8 L9", 1024,
	  .gaps = 1, .missing = 3, .passes = 2 },
	{ "the answers' payload", {}, ">20 R0:4096 <10 x0 y1 y2 z3 >20 R4:4096 <10 x4 y5 y6 z7 >20 R8:4096 <10 x8 >20 S13",
	  1024, .gaps = 1, .missing = 1, .passes = 1 },
	{ "the votes of the steps", {}, ">20 R0:4096 S4 R5:4096 S9 R10:4096 S15 R16:4096 S20", 1024,
	  .gaps = 1, .missing = 1, .passes = 1 },
	{ "votes that outweigh a first step with a gap", {},
	  ">20 R0:8192 S16 R17:8192 S25 R26:8192 S34 R35:8192 S43", 1024, .gaps = 1, .missing = 8, .passes = 2 },
	{ "the READ again before its extent is known", {}, ">20 R0:4096 R0:4096 S4 R5:4096 S9", 1024,
	  .repeated = 1, .passes = 2 },
	{ "nothing tells it", {}, ">20 R0:4096 S100 R101:4096 S300", 0, .reanchored = 2, .passes = 1 },
	{ "only small READs: it does not matter", {}, ">20 R0:200 R1:100 S2", 0, .passes = 1 },
};

static void equal(const char *name, const char *what, u64 got, u64 want)
{
	if (got != want)
		fail_msg("%s: %s is %llu, expected %llu", name, what, (unsigned long long)got,
			 (unsigned long long)want);
}

static void test_reads(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		const struct rct_flow *f;
		struct rct_trace t;

		rct_trace_run(&t, &r->cm, r->words);
		f = rct_trace_flow(&t, false, 20);
		equal(r->name, "path MTU", f->path_mtu, r->mtu);
		equal(r->name, "gaps", f->gaps, r->gaps);
		equal(r->name, "missing", f->missing, r->missing);
		equal(r->name, "repeated", f->repeated, r->repeated);
		equal(r->name, "reanchored", f->reanchored, r->reanchored);
		equal(r->name, "passes", t.passes, r->passes);
		rct_trace_free(&t);
	}
}

/* A packet of flow i at ns. */
static int count(struct rct_flowtab *t, u32 qp, u32 psn, u64 ns)
{
	static u8 buf[256];
	u32 len = rct_build(PARTS(ETH(), IP4(), UDP(), BTH(.op = 4, .qp = qp, .psn = psn ? psn : RCT_ZERO),
				  DATA(64), ICRC()), buf, sizeof(buf));
	struct rct_frame f = { .data = buf, .end = buf + len, .wire_len = len, .vlan = RCT_NOVLAN,
			       .dir = RCT_NODIR };
	struct rct_pkt p;

	assert_int_equal(rct_parse(&f, &p), RCT_OK);
	return rct_flowtab_packet(t, &p, ns);
}

/* The table grows; flows keep their counts and come out in the order of their first packets. */
static void test_many_flows(void **state)
{
	struct rct_flowtab *t = rct_flowtab_new();
	struct rct_snapshot s = {};

	(void)state;
	assert_non_null(t);
	for (u32 round = 0; round < 3; round++) {
		for (u32 i = 0; i < 20000; i++)
			assert_true(count(t, 2 + i, round, 1000 + i) >= 0);
	}
	assert_int_equal(rct_flowtab_rewind(t), 0);
	assert_int_equal(rct_flowtab_snapshot(t, &s), 0);
	assert_int_equal(s.n_flows, 20000);
	for (u32 i = 0; i < 20000; i++) {
		assert_int_equal(s.flows[i].key.dest_qp, 2 + i);
		assert_int_equal(s.flows[i].packets, 3);
		assert_int_equal(s.flows[i].payload, 3 * 64);
	}
	rct_snapshot_free(&s);
	rct_flowtab_free(t);
}

/* Files may be given in the wrong order, and clocks are set. */
static void test_time_goes_back(void **state)
{
	struct rct_flowtab *t = rct_flowtab_new();
	struct rct_snapshot s = {};

	(void)state;
	assert_non_null(t);
	count(t, 5, 0, 9000000000);
	count(t, 5, 1, 9100000000);
	count(t, 5, 2, 1000000000);
	count(t, 5, 3, 2000000000);
	assert_int_equal(rct_flowtab_snapshot(t, &s), 0);
	assert_int_equal(s.flows[0].first_ns, 1000000000);
	assert_int_equal(s.flows[0].last_ns, 9100000000);
	assert_int_equal(s.flows[0].packets, 4);
	assert_int_equal(s.flows[0].gaps, 0);
	rct_snapshot_free(&s);
	rct_flowtab_free(t);
}

/* The verdict is of the packet before; a second pass keeps it. */
static void test_icrc(void **state)
{
	struct rct_flowtab *t = rct_flowtab_new();
	struct rct_snapshot s = {};

	(void)state;
	assert_non_null(t);
	rct_flowtab_icrc(t, false);	/* no packet yet */
	count(t, 5, 0, 1);
	rct_flowtab_icrc(t, true);
	count(t, 6, 0, 2);
	rct_flowtab_icrc(t, false);
	count(t, 5, 1, 3);
	rct_flowtab_icrc(t, true);
	assert_int_equal(rct_flowtab_snapshot(t, &s), 0);
	assert_int_equal(s.flows[0].icrc_checked, 2);
	assert_int_equal(s.flows[0].icrc_bad, 0);
	assert_int_equal(s.flows[1].icrc_checked, 1);
	assert_int_equal(s.flows[1].icrc_bad, 1);
	rct_snapshot_free(&s);
	rct_flowtab_free(t);
}

/* A new connection on the same queue pairs: its PSNs are no steps back. */
static void test_new_connection(void **state)
{
	struct rct_flowtab *t = rct_flowtab_new();
	struct rct_snapshot s = {};
	struct rct_pkt p = { .key.family = RCT_IPV4 };
	u8 mad[256];

	(void)state;
	assert_non_null(t);
	count(t, 20, 5000, 1);
	count(t, 20, 5002, 2);
	/* part.h's usual addresses */
	p.key.src[1] = 0xffff0000u | 0x0100010aull << 32;
	p.key.dst[1] = 0xffff0000u | 0x0200010aull << 32;
	p.key.dir = RCT_NODIR;
	rct_build_cm(mad, false, 1, 0, 10, 3, 14);
	assert_int_equal(rct_flowtab_datagram(t, &p, mad, sizeof(mad)), 0);
	p.key.src[1] = 0xffff0000u | 0x0200010aull << 32;
	p.key.dst[1] = 0xffff0000u | 0x0100010aull << 32;
	rct_build_cm(mad, true, 2, 1, 20, 0, 0);
	assert_int_equal(rct_flowtab_datagram(t, &p, mad, sizeof(mad)), 0);
	count(t, 20, 4000, 3);
	count(t, 20, 4001, 4);
	assert_int_equal(rct_flowtab_snapshot(t, &s), 0);
	assert_int_equal(s.n_flows, 1);
	assert_int_equal(s.flows[0].resync, 1);
	assert_int_equal(s.flows[0].repeated, 0);
	assert_int_equal(s.flows[0].missing, 1);
	assert_int_equal(s.flows[0].peer_by, RCT_PEER_CM);
	assert_int_equal(s.flows[0].peer_qp, 10);
	assert_int_equal(s.flows[0].path_mtu, 1024);
	rct_snapshot_free(&s);
	rct_flowtab_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_many_flows),
		cmocka_unit_test(test_time_goes_back),
		cmocka_unit_test(test_icrc),
		cmocka_unit_test(test_new_connection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
