// SPDX-License-Identifier: BSD-2-Clause
/* user/model/{pair,half}.c: peers, round trips, retries, the tap's own losses. */
#include "lib/unit.h"
#include "lib/trace.h"

#define RETRIES(nak, rnr, timeout, unknown)	{ nak, rnr, timeout, unknown }

/*
 * One connection: A's requests go to queue pair 20, answers come to 10. What must be
 * counted of the flow to 20; times in microseconds, within a sixteenth.
 */
struct row {
	const char *name;
	struct rct_trace_cm cm;
	const char *words;
	u8 by;				/* enum rct_peer_by */
	u64 rtt_count, rtt_max_us;
	u64 retries[RCT_RETRY_CAUSES];
	u64 stall_us;
	bool inferred;
	u64 unseen;
};

#define CM	{ .qp_a = 10, .qp_b = 20, .mtu = 3 }
#define CM_T(t)	{ .qp_a = 10, .qp_b = 20, .mtu = 3, .timeout = (t) }

static const struct row rows[] = {
	/* ---- round trips; a packet takes a microsecond of the trace */
	{ "send and acknowledgement", CM, ">20 S0 +99 <10 k0", RCT_PEER_CM, 1, 100 },
	{ "each message has its own", CM, ">20 S0..3 +96 <10 k0 k1 k2 k3", RCT_PEER_CM, 4, 100 },
	{ "one acknowledgement for all", CM, ">20 S0..3 +96 <10 k3", RCT_PEER_CM, 4, 100 },
	{ "of a message in parts: from its last", CM, ">20 F0 M1 M2 L3 +49 <10 k3", RCT_PEER_CM, 1, 50 },
	{ "a read: to its first response", CM, ">20 R0:3000 +29 <10 x0 y1 z2", RCT_PEER_CM, 1, 30 },
	{ "a response acknowledges what was before", CM, ">20 S0 R1:100 +28 <10 p1", RCT_PEER_CM, 2, 30 },
	{ "an atomic", CM, ">20 A0 +9 <10 a0", RCT_PEER_CM, 1, 10 },
	{ "over the wrap", CM, ">20 S0xffffff S0 +8 <10 k0", RCT_PEER_CM, 2, 10 },
	{ "acknowledged twice", CM, ">20 S0 +9 <10 k0 k0", RCT_PEER_CM, 1, 10 },
	{ "a NAK acknowledges what was before", CM, ">20 S0 S1 +8 <10 n1", RCT_PEER_CM, 1, 10 },
	{ "what was sent again has none", CM, ">20 S0 S1 +8 <10 n1 >20 S1 +50 <10 k1", RCT_PEER_CM, 1, 10,
	  RETRIES(1, 0, 0, 0), 52 },
	{ "nor has what came before it and is sent again", CM, ">20 S0..4 +10 S2..4 <10 k4", RCT_PEER_CM, 2, 18,
	  RETRIES(0, 0, 0, 1), 18 },
	{ "an answer to what was never sent", CM, ">20 S0 <10 k5 k0", RCT_PEER_CM, 1, 2 },
	{ "a message that is never answered", CM, ">20 S0 S1 +8 <10 k0", RCT_PEER_CM, 1, 10 },
	{ "the other side's messages are its own", CM, ">20 S0 k7 +8 <10 S7 k0", RCT_PEER_CM, 1, 11 },

	/* ---- peers without the connection manager */
	{ "three answers make a peer, and count themselves", {}, ">20 S0 <10 k0 >20 S1 <10 k1 >20 S2 +9 <10 k2",
	  RCT_PEER_PSN, 3, 10 },
	{ "two are enough at the end", {}, ">20 S5 <10 k5 >20 S6 <10 k6", RCT_PEER_PSN, 2, 1 },
	{ "one is not", {}, ">20 S5 <10 k5", RCT_PEER_NONE },
	{ "what came before the peer was known counts", {},
	  ">20 S0 S1 <10 n1 >20 S1 <10 k1 >20 S2 <10 k2 >20 S3 <10 k3", RCT_PEER_PSN, 3, 2, RETRIES(1, 0, 0, 0), 2 },
	{ "answers late fit nothing", {}, ">20 S0 +200000 <10 k0 >20 S1 +200000 <10 k1 >20 S2 +200000 <10 k2",
	  RCT_PEER_NONE, .stall_us = 0 },
	{ "answers that carry other PSNs", {}, ">20 S0..5 <10 k100..105", RCT_PEER_NONE },
	{ "read responses", {}, ">20 R0:100 <10 p0 >20 R1:100 <10 p1 >20 R2:100 <10 p2", RCT_PEER_PSN, 3, 1 },

	/* ---- retries by cause */
	{ "go back for a NAK", CM, ">20 S0..9 <10 n4 >20 S4..11 <10 k11", RCT_PEER_CM, 6, 10,
	  RETRIES(1, 0, 0, 0), 9 },
	{ "packets on their way when the NAK comes", CM, ">20 S0..5 <10 n4 >20 S6..9 S4..11 <10 k11", RCT_PEER_CM, 6, 6,
	  RETRIES(1, 0, 0, 0), 13 },
	{ "lost before the tap: the late packet is the recovery", CM, ">20 S0..3 S5 S6 <10 n4 >20 S4..8 <10 k8",
	  RCT_PEER_CM, 7, 6, RETRIES(1, 0, 0, 0), 6 },
	{ "late without a NAK: another order", CM, ">20 S0..3 S5 S4 S6 <10 k6", RCT_PEER_CM, 7, 7 },
	{ "not ready", CM, ">20 S0..4 <10 r2 +640 >20 S2..4 <10 k4", RCT_PEER_CM, 2, 5, RETRIES(0, 1, 0, 0), 643 },
	{ "not ready, and what came behind is out of sequence", CM,
	  ">20 S0..4 <10 r2 n2 +640 >20 S2..4 <10 k4", RCT_PEER_CM, 2, 5, RETRIES(0, 1, 0, 0), 644 },
	{ "a NAK explains one step back", CM, ">20 S0..4 <10 n2 >20 S2..4 S2..4 <10 k4", RCT_PEER_CM, 2, 5,
	  RETRIES(1, 0, 0, 1), 7 },
	{ "what is sent for a NAK is lost, too", CM, ">20 S0..4 <10 n2 >20 S2..4 +50 S2..4 <10 k4", RCT_PEER_CM, 2, 5,
	  RETRIES(1, 0, 1, 0), 57, .inferred = true },
	{ "a timeout that is known", CM_T(8), ">20 S0 +1049 S0 <10 k0", RCT_PEER_CM, 0, 0,
	  RETRIES(0, 0, 1, 0), 1051 },
	{ "less than it", CM_T(8), ">20 S0 +500 S0 <10 k0", RCT_PEER_CM, 0, 0, RETRIES(0, 0, 0, 1), 502 },
	{ "three of them, one stall", CM_T(8), ">20 S0 +1049 S0 +1049 S0 +1049 S0 <10 k0", RCT_PEER_CM, 0, 0,
	  RETRIES(0, 0, 3, 0), 3151 },
	{ "inferred from the round trips", CM, ">20 S0 +99 <10 k0 >20 S1 +401 S1 <10 k1", RCT_PEER_CM, 1, 100,
	  RETRIES(0, 0, 1, 0), 403, .inferred = true },
	{ "four of the longest are not over", CM, ">20 S0 +99 <10 k0 >20 S1 +390 S1 <10 k1", RCT_PEER_CM, 1, 100,
	  RETRIES(0, 0, 0, 1), 392 },
	{ "an acknowledgement lost behind the tap", CM_T(8), ">20 S0 <10 k0 +1049 >20 S0 <10 k0", RCT_PEER_CM, 1, 1,
	  RETRIES(0, 0, 1, 0), 1050 },
	{ "a read again", CM, ">20 R0:3000 <10 x0 y1 >20 R2:952 <10 p2", RCT_PEER_CM, 1, 1, RETRIES(0, 0, 0, 1), 2 },
	{ "no peer: the cause is unknown", {}, ">20 S0..4 S2..5", RCT_PEER_NONE, .retries = RETRIES(0, 0, 0, 1),
	  .stall_us = 4 },
	{ "a run in another order is one", CM, ">20 S0..9 <10 n2 >20 S2..4 S6 S7 S5 S8..11 <10 k11",
	  RCT_PEER_CM, 4, 10, RETRIES(1, 0, 0, 0), 11 },
	{ "a run whose first packets come behind others", CM, ">20 S0..9 <10 n2 >20 S4 S2 S3 S5..11 <10 k11",
	  RCT_PEER_CM, 4, 10, RETRIES(1, 0, 0, 0), 11 },
	{ "a run with a hole that is asked for", CM, ">20 S0..9 <10 n2 >20 S2..4 S6..9 <10 n5 >20 S5..9 <10 k9",
	  RCT_PEER_CM, 2, 11, RETRIES(2, 0, 0, 0), 8 },

	/* ---- lost by the tap */
	{ "acknowledged, never seen", CM, ">20 S0 S1 S4 <10 k4", RCT_PEER_CM, 3, 3, .unseen = 2 },
	{ "acknowledged in part", CM, ">20 S0 S1 S6 <10 k3", RCT_PEER_CM, 2, 3, .unseen = 2 },
	{ "in two steps", CM, ">20 S0 S1 S6 <10 k3 k6", RCT_PEER_CM, 3, 3, .unseen = 4 },
	{ "asked for again: really lost", CM, ">20 S0 S1 S4 <10 n2 >20 S4 S5 <10 k5", RCT_PEER_CM, 3, 3,
	  RETRIES(1, 0, 0, 0), 3 },
	{ "not yet acknowledged", CM, ">20 S0 S1 S4 <10 k1", RCT_PEER_CM, 2, 3 },
	{ "seen after all", CM, ">20 S0 S1 S4 <10 k4 >20 S2 S3", RCT_PEER_CM, 3, 3 },
	{ "no peer: unknown", {}, ">20 S0 S1 S4", RCT_PEER_NONE, .unseen = RCT_UNKNOWN },
};

static u32 wrong;	/* all rows are told, not only the first */

static void near(const char *name, const char *what, u64 got_ns, u64 want_us)
{
	u64 want = want_us * 1000;

	/* a round trip is read from a class, a stall ends within a packet's microsecond */
	if (got_ns + want / 16 + 1000 >= want && got_ns <= want + want / 16 + 1000)
		return;
	wrong++;
	print_error("%s: %s is %llu ns, expected %llu us\n", name, what, (unsigned long long)got_ns,
		    (unsigned long long)want_us);
}

static void equal(const char *name, const char *what, u64 got, u64 want)
{
	if (got == want)
		return;
	wrong++;
	print_error("%s: %s is %lld, expected %lld\n", name, what, (long long)got, (long long)want);
}

static void check_row(const struct row *r)
{
	static const char *const causes[] = { "nak_sequence", "rnr", "timeout", "unknown" };
	const struct rct_flow *f;
	struct rct_trace t;
	u64 stall = 0;

	rct_trace_run(&t, &r->cm, r->words);
	f = rct_trace_flow(&t, false, 20);
	equal(r->name, "peer", f->peer_by, r->by);
	if (r->by)
		equal(r->name, "peer's queue pair", f->peer_qp, 10);
	equal(r->name, "round trips", f->rtt.count, r->rtt_count);
	near(r->name, "longest round trip", f->rtt.max, r->rtt_max_us);
	for (int i = 0; i < RCT_RETRY_CAUSES; i++) {
		equal(r->name, causes[i], f->retries[i], r->retries[i]);
		stall = f->stall_ns[i] > stall ? f->stall_ns[i] : stall;
	}
	near(r->name, "longest stall", stall, r->stall_us);
	equal(r->name, "inferred", f->timeout_inferred, r->inferred);
	equal(r->name, "unseen", f->unseen, r->by ? r->unseen : RCT_UNKNOWN);
	equal(r->name, "passes", t.passes, 1);
	rct_trace_free(&t);
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(&rows[i]);
	assert_int_equal(wrong, 0);
}

/* Siblings between the same hosts: whose is an answer? */
static void test_siblings(void **state)
{
	struct rct_trace t;

	(void)state;
	/* at the same PSNs all the time: nobody can tell */
	rct_trace_run(&t, NULL, ">20 S0 >21 S0 <10 k0 <11 k0 >20 S1 >21 S1 <10 k1 <11 k1 "
		      ">20 S2 >21 S2 <10 k2 <11 k2 >20 S3 >21 S3 <10 k3 <11 k3");
	assert_int_equal(rct_trace_flow(&t, false, 20)->peer_by, RCT_PEER_NONE);
	assert_int_equal(rct_trace_flow(&t, false, 21)->peer_by, RCT_PEER_NONE);
	rct_trace_free(&t);
	/* one goes ahead: its answers are its own, and then the other's are the other's */
	rct_trace_run(&t, NULL, ">20 S0 >21 S0 <10 k0 <11 k0 >20 S1 <10 k1 >20 S2 <10 k2 >20 S3 <10 k3 "
		      ">21 S1 <11 k1 >21 S2 <11 k2 >21 S3 <11 k3");
	assert_int_equal(rct_trace_flow(&t, false, 20)->peer_qp, 10);
	assert_int_equal(rct_trace_flow(&t, false, 21)->peer_qp, 11);
	assert_int_equal(rct_trace_flow(&t, true, 11)->peer_qp, 21);
	assert_int_equal(rct_trace_flow(&t, false, 21)->rtt.count, 4);
	rct_trace_free(&t);
}

/* Both directions have requests of their own, and PSNs of their own. */
static void test_both_ways(void **state)
{
	const struct rct_flow *f;
	struct rct_trace t;

	(void)state;
	rct_trace_run(&t, NULL, ">20 S100 <10 k100 S7 >20 k7 S101 <10 k101 S8 >20 k8 S102 +20 <10 k102 S9 +40 >20 k9");
	f = rct_trace_flow(&t, false, 20);
	assert_int_equal(f->peer_qp, 10);
	assert_int_equal(f->rtt.count, 3);
	assert_int_equal(f->rtt.max, 21000);
	f = rct_trace_flow(&t, true, 10);
	assert_int_equal(f->peer_qp, 20);
	assert_int_equal(f->rtt.count, 3);
	assert_int_equal(f->rtt.max, 41000);
	rct_trace_free(&t);
}

/* A peer that turns out to be none is given up, with what it seemed to tell. */
static void test_wrong_peer(void **state)
{
	struct rct_trace t;

	(void)state;
	rct_trace_run(&t, NULL, ">20 S0 <10 k0 >20 S1 <10 k1 >20 S2 <10 k2 k500 k501 k502 k503");
	assert_int_equal(rct_trace_flow(&t, false, 20)->peer_by, RCT_PEER_NONE);
	assert_int_equal(rct_trace_flow(&t, false, 20)->rtt.count, 0);
	rct_trace_free(&t);
}

/* More than the log holds before the peer is known: counted once more, and the same. */
static void test_second_pass(void **state)
{
	const struct rct_flow *f;
	struct rct_trace t;

	(void)state;
	rct_trace_run(&t, NULL, ">20 S0..3 <10 n2 >20 S2..3 <10 k3 >21 S0x800000..0x804100 "
		      ">20 S4 <10 k4 >20 S5 <10 k5 >20 S6 <10 k6");
	assert_int_equal(t.passes, 2);
	f = rct_trace_flow(&t, false, 20);
	assert_int_equal(f->peer_by, RCT_PEER_PSN);
	assert_int_equal(f->packets, 9);
	assert_int_equal(f->retries[RCT_RETRY_NAK], 1);
	assert_int_equal(f->rtt.count, 5);
	assert_int_equal(rct_trace_flow(&t, false, 21)->packets, 0x4101);
	rct_trace_free(&t);
}

/* More requests wait than are kept: the newest are. */
static void test_many_wait(void **state)
{
	struct rct_trace t;
	struct rct_trace_cm cm = CM;

	(void)state;
	rct_trace_run(&t, &cm, ">20 S0..9999 <10 k9999");
	assert_int_equal(rct_trace_flow(&t, false, 20)->rtt.count, 4096);
	assert_int_equal(rct_trace_flow(&t, false, 20)->rtt.max, 4096000);
	rct_trace_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_siblings),
		cmocka_unit_test(test_both_ways),
		cmocka_unit_test(test_wrong_peer),
		cmocka_unit_test(test_second_pass),
		cmocka_unit_test(test_many_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
