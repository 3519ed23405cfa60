// SPDX-License-Identifier: BSD-2-Clause
/* bpf/flow.h and the fold of its rows: sequences, sums, and a second PSN tracker. */
#include "lib/unit.h"
#include "lib/hosttab.h"
#include "lib/seq.h"

static u8 built[RCT_W_LEN_MAX * 4];

/* A table of one test, and what its packets are known to add up to. */
struct flows {
	struct rct_hosttab tab;
	u64 packets, bytes, payload;
	struct rct_now now;
	u32 cut;		/* bytes that are there; 0: all */
	struct rct_key key;	/* of the last packet */
};

static u32 count(struct flows *t, u32 len, u32 payload)
{
	struct rct_frame f = { built, built + (t->cut ? t->cut : len), len, 0, RCT_NOVLAN, 1, RCT_RX };
	struct rct_pkt p;

	assert_int_equal(rct_parse(&f, &p), RCT_OK);
	t->packets++;
	t->bytes += len;
	t->payload += payload;
	t->key = p.key;
	return rct_hosttab_packet(&t->tab, &p, &t->now);
}

static u32 send_brief(struct flows *t, struct rct_brief b)
{
	if (!b.psn)
		b.psn = RCT_ZERO;
	return count(t, rct_build_brief(&b, built, sizeof(built)), b.len);
}

/* One packet, with the usual addresses: send(&t, .op = 4, .psn = 1, .len = 64). */
#define send(t, ...)	send_brief(t, (struct rct_brief){ __VA_ARGS__ })

static void setup(struct flows *t)
{
	memset(t, 0, sizeof(*t));
	rct_hosttab_init(&t->tab);
}

/* What holds of a flow at any time. */
static void check_sums(const struct flows *t, const struct rct_flow *f)
{
	u64 ecn = 0, ops = 0, sizes = 0;

	for (int i = 0; i < 4; i++)
		ecn += f->ecn[i];
	for (int i = 0; i < RCT_OPS; i++)
		ops += f->ops[i];
	for (int i = 0; i < RCT_SIZES; i++)
		sizes += f->sizes[i];
	assert_int_equal(f->packets, t->packets);
	assert_int_equal(f->bytes, t->bytes);
	assert_int_equal(f->payload, t->payload);
	assert_int_equal(ecn, f->packets);
	assert_int_equal(ops, f->packets);
	assert_in_range(sizes, 0, f->messages);
	assert_in_range(f->given_up, 0, f->missing);
}

/* Folds the only flow, checks its sums, and ends the test's table. */
static struct rct_flow finish(struct flows *t)
{
	struct rct_hostflow *h = rct_hosttab_find(&t->tab, &t->key);
	struct rct_flow f;

	assert_int_equal(t->tab.n, 1);
	assert_non_null(h);
	assert_int_equal(h->row.word & RCT_W_BUSY, 0);
	rct_flow_fold(&h->row, &h->cold, &f);
	check_sums(t, &f);
	rct_hosttab_free(&t->tab);
	return f;
}

static void check_seq(const struct rct_seq *s)
{
	struct rct_seq_at at = { .text = s->packets };
	struct rct_flow f;
	struct flows t;
	u64 got, want;
	const char *name;

	setup(&t);
	while (rct_seq_next(&at)) {
		t.now.cpu = at.cpu;
		count(&t, rct_seq_frame(&at, 9, built, sizeof(built)), at.brief.len);
	}
	f = finish(&t);
	name = rct_seq_differs(s, &f, &got, &want);
	if (name)
		fail_msg("%s (%s): %s is %llu, expected %llu", s->name, s->packets, name,
			 (unsigned long long)got, (unsigned long long)want);
}

static void test_sequences(void **state)
{
	(void)state;
	for (size_t i = 0; i < rct_n_seqs; i++)
		check_seq(&rct_seqs[i]);
}

/* ------------------------------------------------------------ the sums */

/* Every opcode, any payload and pad, tags and Ethernet padding that come and go. */
static void test_payload(void **state)
{
	static const u8 bases[] = { 0x00, 0x20, 0x60, 0xa0 };
	u64 seed = 7;

	(void)state;
	for (size_t k = 0; k < sizeof(bases); k++) {
		struct flows t;

		setup(&t);
		for (int i = 0; i < 3000; i++) {
			struct rct_brief b = {
				.op = bases[k] + rct_test_random(&seed) % 32, .psn = i + 1,
				.len = rct_test_random(&seed) % 3 ? 64 : rct_test_random(&seed) % 1500,
				.tci = rct_test_random(&seed) % 4 ? 0 : 5,
				.ttl = rct_test_random(&seed) % 8 ? 64 : 63,
			};

			b.pad = (4 - b.len % 4) % 4;
			send_brief(&t, b);
		}
		finish(&t);
	}
}

/* A first packet from another layout than all the others. */
static void test_payload_of_odd_first(void **state)
{
	struct flows t;
	struct rct_flow f;

	(void)state;
	setup(&t);
	send(&t, .op = 5, .psn = 1, .len = 3, .pad = 1, .tci = 9);
	for (int i = 2; i < 300; i++)
		send(&t, .op = 4, .psn = i, .len = 1000);
	f = finish(&t);
	assert_int_equal(f.payload, 3 + 298 * 1000);
	assert_int_equal(f.vlan_changes, 1);
}

/* Ethernet padding behind short packets counts as bytes and not as payload. */
static void test_padding(void **state)
{
	struct rct_flow f;
	struct flows t;

	(void)state;
	setup(&t);
	for (u32 i = 0; i < 10; i++) {
		u32 len = rct_build(PARTS(ETH(), IP4(), UDP(), BTH(.op = 4, .psn = 1 + i), DATA(i), ICRC(), TRAIL(i * 7)),
				    built, sizeof(built));
		count(&t, len, i);
	}
	f = finish(&t);
	assert_int_equal(f.payload, 45);
}

/* IP length beyond the frame: what a mirror cut. Payload is then more than the bytes. */
static void test_cut_by_mirror(void **state)
{
	struct rct_flow f;
	struct flows t;

	(void)state;
	setup(&t);
	for (u32 i = 0; i < 300; i++) {
		u32 len = rct_build(PARTS(ETH(), IP4(.lie = 4000), UDP(), BTH(.op = 7, .psn = 1 + i), DATA(64), ICRC()),
				    built, sizeof(built));
		count(&t, len, 4064);
	}
	f = finish(&t);
	assert_int_equal(f.payload, 300 * 4064);
}

/* A run in the word: its limits, and frames that are longer than it can hold. */
static void test_long_runs(void **state)
{
	static const u32 lens[] = { 0, 16383 - 58, 16384 - 58, 40000 };
	struct rct_flow f;
	struct flows t;
	u32 psn = 1;

	(void)state;
	setup(&t);
	for (size_t k = 0; k < sizeof(lens) / sizeof(lens[0]); k++) {
		for (int i = 0; i < 300; i++)
			send(&t, .op = 4, .psn = psn++, .len = lens[k]);
	}
	f = finish(&t);
	assert_int_equal(f.messages, 1200);
	assert_int_equal(f.gaps + f.repeated, 0);
}

static void test_ecn(void **state)
{
	/* ECT(0), CE, Not-ECT, ECT(1) of the first packet, then one of each but CE twice */
	static const u8 firsts[] = { 2, 3, 0, 1 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		u64 expect[4] = { 1, 1, 1, 2 };
		struct rct_flow f;
		struct flows t;

		setup(&t);
		send(&t, .op = 4, .psn = 1, .tos = firsts[i]);
		for (int k = 0; k < 5; k++)
			send(&t, .op = 4, .psn = 2 + k, .tos = 0x68 | (k < 4 ? k : 3));
		f = finish(&t);
		expect[firsts[i]]++;
		for (int k = 0; k < 4; k++)
			assert_int_equal(f.ecn[k], expect[k]);
		assert_int_equal(f.dscp_changes, 1);
	}
}

static void test_attributes(void **state)
{
	struct rct_flow f;
	struct flows t;

	(void)state;
	setup(&t);
	send(&t, .op = 4, .psn = 1, .sport = 50000);
	send(&t, .op = 4, .psn = 2, .sport = 50001);
	send(&t, .op = 4, .psn = 3, .sport = 50000, .ttl = 63);
	send(&t, .op = 4, .psn = 4, .sport = 50000, .ttl = 63, .tci = 100);
	send(&t, .op = 4, .psn = 5, .sport = 50000, .ttl = 63, .tci = 100, .pkey = 0x8001, .tos = 0x68);
	send(&t, .op = 4, .psn = 6, .sport = 50000, .ttl = 63, .tci = 100, .pkey = 0x8001, .tos = 0x68);
	f = finish(&t);
	assert_int_equal(f.sport_changes, 2);
	assert_int_equal(f.ttl_changes, 1);
	assert_int_equal(f.vlan_changes, 1);
	assert_int_equal(f.pkey_changes, 1);
	assert_int_equal(f.dscp_changes, 1);
	assert_int_equal(RCT_ATTR_SPORT(f.attr), 50000);
	assert_int_equal(RCT_ATTR_TTL(f.attr), 63);
	assert_int_equal(RCT_ATTR_VLAN(f.attr), 100);
	assert_int_equal(RCT_ATTR_PKEY(f.attr), 0x8001);
	assert_int_equal(RCT_ATTR_DSCP(f.attr), 26);
}

static void test_opcode_counts(void **state)
{
	struct rct_flow f;
	struct flows t;

	(void)state;
	setup(&t);
	for (u32 i = 0; i < 200; i++) {
		send(&t, .op = 0x0a, .psn = 1 + i, .len = 8, .dma = 8);
		if (i % 2)
			send(&t, .op = 0x11, .psn = i);
		if (i % 50 == 0)
			send(&t, .op = 0x81, .len = 16);
		if (i % 100 == 0)
			send(&t, .op = 0x24, .psn = 1, .len = 5);
	}
	f = finish(&t);
	assert_int_equal(f.ops[0x0a], 200);
	assert_int_equal(f.ops[0x11], 100);
	assert_int_equal(f.ops[RCT_OPN_CNP], 4);
	assert_int_equal(f.ops[RCT_OPN_OTHER], 2);
	assert_int_equal(f.acks, 100);
	assert_int_equal(f.cnp, 4);
	assert_int_equal(f.messages, 200);
}

static void test_naks(void **state)
{
	struct rct_flow f;
	struct flows t;

	(void)state;
	setup(&t);
	for (int syn = 0; syn < 256; syn++)
		send(&t, .op = 0x11, .psn = 1, .syn = syn);
	f = finish(&t);
	assert_int_equal(f.acks, 32);
	assert_int_equal(f.rnr_naks, 32);
	assert_int_equal(f.rnr_timer, 31);
	for (int i = 0; i < 5; i++)
		assert_int_equal(f.naks[i], 1);
	assert_int_equal(f.reserved_aeth, 256 - 32 - 32 - 5);
}

/* The header that tells an ACK from a NAK is cut: neither is counted. */
static void test_cut(void **state)
{
	struct rct_flow f;
	struct flows t;

	(void)state;
	setup(&t);
	send(&t, .op = 0x11, .psn = 1, .syn = 0x60);
	t.cut = 54;
	send(&t, .op = 0x11, .psn = 1, .syn = 0x60);
	send(&t, .op = 0x0a, .psn = 1, .len = 4000, .dma = 4000);
	f = finish(&t);
	assert_int_equal(f.cut, 2);
	assert_int_equal(f.acks, 0);
	assert_int_equal(f.naks[0], 1);
	assert_int_equal(f.messages, 1);
	for (int i = 0; i < RCT_SIZES; i++)
		assert_int_equal(f.sizes[i], 0);
}

/* A READ whose length is cut takes nobody knows how many PSNs, path MTU known or not. */
static void test_cut_read(void **state)
{
	struct rct_flow f;
	struct flows t;

	(void)state;
	setup(&t);
	send(&t, .op = 6, .psn = 1, .len = 1024, .dma = 2000);
	send(&t, .op = 8, .psn = 2, .len = 976);
	t.cut = 60;
	send(&t, .op = 0x0c, .psn = 3, .dma = 5000);
	t.cut = 0;
	send(&t, .op = 4, .psn = 8);
	send(&t, .op = 4, .psn = 9);
	send(&t, .op = 4, .psn = 11);
	f = finish(&t);
	assert_int_equal(f.cut, 1);
	assert_int_equal(f.reanchored, 1);
	assert_int_equal(f.gaps, 1);
	assert_int_equal(f.missing, 1);
}

/* In the middle of a flow, in order: the FIRST of a long WRITE tells the path MTU. */
static void test_mtu_in_order(void **state)
{
	struct rct_flow f;
	struct flows t;

	(void)state;
	setup(&t);
	send(&t, .op = 4, .psn = 1);
	send(&t, .op = 6, .psn = 2, .len = 512, .dma = 1 << 20);
	send(&t, .op = 0x0c, .psn = 3, .dma = 1024);
	send(&t, .op = 4, .psn = 6);
	f = finish(&t);
	assert_int_equal(f.path_mtu, 512);
	assert_int_equal(f.missing, 1);
	assert_int_equal(f.reanchored, 0);
}

/* -------------------------------------------------------- message sizes */

static void test_size_class(void **state)
{
	(void)state;
	assert_int_equal(rct_size_class(0), 0);
	for (u32 k = 0; k < 31; k++) {
		u32 top = 1u << k;

		assert_int_equal(rct_size_class(top), k);
		assert_int_equal(rct_size_class(top + 1), k + 1);
	}
	assert_int_equal(rct_size_class(UINT32_MAX), 31);
}

static void test_sizes(void **state)
{
	static const struct rct_brief packets[] = {
		{ .op = 0x04, .len = 0 },			/* class 0 */
		{ .op = 0x04, .len = 64 },			/* 6 */
		{ .op = 0x04, .len = 65 },			/* 7 */
		{ .op = 0x0a, .len = 8, .dma = 8 },		/* 3 */
		{ .op = 0x06, .len = 1024, .dma = 1 << 20 },	/* 20 */
		{ .op = 0x08, .len = 9 },
		{ .op = 0x06, .len = 1024, .dma = 8192 },	/* 13: the last that the word holds */
		{ .op = 0x08, .len = 9 },
		{ .op = 0x06, .len = 1024, .dma = 8193 },	/* 14: the first that it doesn't */
		{ .op = 0x08, .len = 9 },
		{ .op = 0x00, .len = 1024 },			/* a send of 3 * 1024 + 100: 12 */
		{ .op = 0x01, .len = 1024 },
		{ .op = 0x01, .len = 1024 },
		{ .op = 0x03, .len = 100 },
		{ .op = 0x00, .len = 1024 },			/* one of 1025: 11 */
		{ .op = 0x02, .len = 1 },
		{ .op = 0x02, .len = 100 },			/* the last of a send that began unseen */
		{ .op = 0x0c, .dma = 300 },			/* 9 */
	};
	static const u8 classes[] = { 0, 6, 7, 3, 20, 13, 14, 12, 11, 9 };
	u64 expect[RCT_SIZES] = { 0 };
	struct rct_flow f;
	struct flows t;

	(void)state;
	setup(&t);
	for (size_t i = 0; i < sizeof(packets) / sizeof(packets[0]); i++) {
		struct rct_brief b = packets[i];

		b.psn = 100 + i;
		send_brief(&t, b);
	}
	f = finish(&t);
	for (size_t i = 0; i < sizeof(classes); i++)
		expect[classes[i]]++;
	for (int i = 0; i < RCT_SIZES; i++)
		assert_int_equal(f.sizes[i], expect[i]);
}

/* ---------------------------------------------------------------- burst */

static void test_burst(void **state)
{
	static const u32 per_tick[] = { 3, 10, 0, 7, 1 };
	struct rct_flow f;
	struct flows t;
	u32 psn = 1;

	(void)state;
	setup(&t);
	for (size_t i = 0; i < 5; i++) {
		t.now.tick = 1000 + i;
		for (u32 k = 0; k < per_tick[i]; k++)
			send(&t, .op = 4, .psn = psn++, .len = 942);
	}
	f = finish(&t);
	assert_int_equal(f.burst, 10 * 1000);
}

static void test_burst_of_the_first_tick(void **state)
{
	struct rct_flow f;
	struct flows t;

	(void)state;
	setup(&t);
	for (int i = 0; i < 300; i++)
		send(&t, .op = 4, .psn = 1 + i, .len = 942);
	t.now.tick = 1;
	send(&t, .op = 4, .psn = 301, .len = 942);
	f = finish(&t);
	assert_int_equal(f.burst, 300 * 1000);
}

/* The last tick counts too, though nothing came behind it. */
static void test_burst_at_the_end(void **state)
{
	struct rct_flow f;
	struct flows t;

	(void)state;
	setup(&t);
	send(&t, .op = 4, .psn = 1, .len = 942);
	t.now.tick = 5;
	for (int i = 0; i < 200; i++)
		send(&t, .op = 4, .psn = 2 + i, .len = 942);
	f = finish(&t);
	assert_int_equal(f.burst, 200 * 1000);
}

/*
 * Another CPU moves a run from the word to the sum just when a tick is closed:
 * bytes seem to vanish for a moment. That is no burst of 4 GiB.
 */
static void test_burst_between_cpus(void **state)
{
	struct rct_hostflow *h;
	struct rct_flow f;
	struct flows t;

	(void)state;
	setup(&t);
	for (int i = 0; i < 100; i++)
		send(&t, .op = 4, .psn = 1 + i, .len = 942);
	h = rct_hosttab_find(&t.tab, &t.key);
	h->row.tick_bytes = 200000;
	t.now.tick = 1;
	send(&t, .op = 4, .psn = 101, .len = 942);
	f = finish(&t);
	assert_in_range(f.burst, 0, 200000);
}

/* --------------------------------------------------- events of the steps */

static void test_events(void **state)
{
	struct flows t;

	(void)state;
	setup(&t);
	assert_int_equal(send(&t, .op = 4, .psn = 10), 0);
	assert_int_equal(send(&t, .op = 4, .psn = 12), RCT_EV_GAP);
	assert_int_equal(send(&t, .op = 4, .psn = 11), RCT_EV_LATE | RCT_EV_FILL);
	assert_int_equal(send(&t, .op = 4, .psn = 11), RCT_EV_BACK);
	assert_int_equal(send(&t, .op = 4, .psn = 12), 0);	/* goes on with the run */
	assert_int_equal(send(&t, .op = 4, .psn = 13), 0);
	assert_int_equal(send(&t, .op = 4, .psn = 500000), RCT_EV_RESYNC);
	assert_int_equal(send(&t, .op = 0x0d, .psn = 7, .len = 1024), 0);
	assert_int_equal(send(&t, .op = 0x0e, .psn = 9, .len = 1024), RCT_EV_GAP);
	finish(&t);
}

/* ------------------------------------------------------- the short way */

/* What a packet leaves to rct_cold_step(), which is then done. */
static u32 need_of(struct rct_hostflow *h, struct rct_brief b, u32 tick)
{
	u32 len = rct_build_brief(&b, built, sizeof(built)), need, kind;
	struct rct_frame f = { built, built + len, len, 0, RCT_NOVLAN, 1, RCT_RX };
	struct rct_now now = { .tick = tick };
	struct rct_pkt p = { 0 };
	u64 flushed;

	assert_int_equal(rct_parse(&f, &p), RCT_OK);
	if (h->row.state == RCT_ROW_FREE) {
		rct_row_init(&h->row, &p, &now, 1);
		h->row.state = RCT_ROW_LIVE;
	}
	need = rct_row_step(&h->row, &p, &now, &kind, &flushed);
	if (need)
		rct_cold_step(&h->row, &h->cold, &p, &now, need, kind, flushed);
	return need;
}

/* An ordinary packet is done with its row: nothing of the cold part, but a run's end. */
static void test_short_way(void **state)
{
	static const struct {
		struct rct_brief brief;
		u32 psn_step;
	} kinds[] = {
		{ { .op = 0x04, .len = 1000, .tos = 2 }, 1 },
		{ { .op = 0x04, .len = 1000, .tos = 1 }, 1 },
		{ { .op = 0x0a, .len = 64, .dma = 64 }, 1 },
		{ { .op = 0x07, .len = 1024 }, 1 },
		{ { .op = 0x24, .len = 256 }, 1 },
		{ { .op = 0x64, .len = 256 }, 0 },
		{ { .op = 0x11, .syn = 0x1f }, 5 },
		{ { .op = 0x0e, .len = 1024 }, 1 },
		{ { .op = 0x81, .len = 16 }, 0 },
	};

	(void)state;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		struct rct_hostflow h = { 0 };
		struct rct_brief b = kinds[k].brief;
		u32 flushes = 0, need;

		for (u32 i = 0; i < 500; i++) {
			b.psn = 1000 + i * kinds[k].psn_step;
			need = need_of(&h, b, 3);
			if (i == 0)
				continue;
			assert_int_equal(need & 0xff & ~RCT_DO_FLUSH, 0);
			flushes += need & RCT_DO_FLUSH;
		}
		assert_int_equal(flushes, 3);		/* every 127th */
	}
}

/* The first packet's CE mark does not make CE the usual. */
static void test_short_way_after_ce(void **state)
{
	struct rct_hostflow h = { 0 };

	(void)state;
	need_of(&h, (struct rct_brief){ .op = 4, .psn = 1, .tos = 3 }, 0);
	for (u32 i = 2; i < 100; i++)
		assert_int_equal(need_of(&h, (struct rct_brief){ .op = 4, .psn = i, .tos = i % 2 ? 2 : 3 }, 0), 0);
}

/* Ticks of silence, for what makes an event. */
static void test_idle(void **state)
{
	static const struct { u32 at, idle; } ticks[] = {
		{ 0, 0 }, { 5, 5 }, { 5, 0 }, { 1000, 995 }, { 0x2000000, RCT_IDLE_MAX },
	};
	struct rct_hostflow h = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
		u32 need = need_of(&h, (struct rct_brief){ .op = 0x11, .psn = 1, .syn = 0x60 }, ticks[i].at);

		assert_true(need & RCT_DO_AETH);
		assert_int_equal(need >> RCT_IDLE_AT, ticks[i].idle);
	}
}

/* ------------------------------------- a second tracker, written otherwise */

/*
 * Design, section 4, on a plain set of missing PSNs. A hole is a maximal run of
 * it: two holes never touch, since the packet that ended a gap lies between.
 */
#define RANGE	4096

struct model {
	bool missing[RANGE];		/* around where the test began */
	u32 next;
	bool started;
	u64 gaps, missed, late, repeated, given_up;
};

static u32 model_holes(const struct model *m, u32 *ret_lowest)
{
	u32 n = 0;

	for (u32 i = RANGE - 1; i > 0; i--) {
		if (m->missing[i] && !m->missing[i - 1]) {
			*ret_lowest = i;
			n++;
		}
	}
	return n;
}

static void model_limit(struct model *m)
{
	u32 at = 0;

	if (model_holes(m, &at) <= RCT_HOLES)
		return;
	for (; m->missing[at]; at++) {
		m->missing[at] = false;
		m->given_up++;
	}
}

static void model_packet(struct model *m, u32 psn, u32 n)
{
	if (!m->started || psn == m->next) {
		m->started = true;
		m->next = psn + n;
	} else if (psn > m->next) {
		m->gaps++;
		m->missed += psn - m->next;
		while (m->next < psn)
			m->missing[m->next++] = true;
		m->next += n;
		model_limit(m);
	} else if (m->missing[psn]) {
		m->late++;
		for (; n-- && m->missing[psn]; psn++) {
			m->missing[psn] = false;
			m->missed--;
		}
		model_limit(m);
	} else {
		m->repeated++;
	}
}

static u32 random_psn(const struct model *m, u64 *seed)
{
	u32 r = rct_test_random(seed) % 16;

	if (r < 8)
		return m->next;
	if (r < 11)
		return m->next + 1 + rct_test_random(seed) % 6;
	return m->next - 1 - rct_test_random(seed) % 60;
}

/* base: what the model's PSN 100 is on the wire; near 2^24 to see it wrap. */
static void model_run(u64 seed, u32 base)
{
	struct model m = { .next = 100 };
	struct rct_flow f;
	struct flows t;

	setup(&t);
	send(&t, .op = 6, .psn = (base + 98) & 0xffffff, .len = 1024, .dma = 2000);
	send(&t, .op = 8, .psn = (base + 99) & 0xffffff, .len = 976);
	m.started = true;
	while (m.next < RANGE - 100) {
		u32 psn = random_psn(&m, &seed);
		bool read = rct_test_random(&seed) % 8 == 0;
		u32 len = rct_test_random(&seed) % 4000;

		if (read)
			send(&t, .op = 0x0c, .psn = (base + psn) & 0xffffff, .dma = len);
		else
			send(&t, .op = 4, .psn = (base + psn) & 0xffffff, .len = 64);
		model_packet(&m, psn, read && len ? (len + 1023) / 1024 : 1);
	}
	f = finish(&t);
	assert_int_equal(f.gaps, m.gaps);
	assert_int_equal(f.missing, m.missed);
	assert_int_equal(f.late, m.late);
	assert_int_equal(f.repeated, m.repeated);
	assert_int_equal(f.given_up, m.given_up);
	assert_int_equal(f.resync + f.reanchored, 0);
}

static void test_model(void **state)
{
	(void)state;
	for (u64 seed = 0; seed < 300; seed++)
		model_run(seed, seed % 3 ? 1000 : 0xfff800 + seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sequences),
		cmocka_unit_test(test_payload),
		cmocka_unit_test(test_payload_of_odd_first),
		cmocka_unit_test(test_padding),
		cmocka_unit_test(test_cut_by_mirror),
		cmocka_unit_test(test_long_runs),
		cmocka_unit_test(test_ecn),
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_opcode_counts),
		cmocka_unit_test(test_naks),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_cut_read),
		cmocka_unit_test(test_mtu_in_order),
		cmocka_unit_test(test_size_class),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_burst),
		cmocka_unit_test(test_burst_of_the_first_tick),
		cmocka_unit_test(test_burst_at_the_end),
		cmocka_unit_test(test_burst_between_cpus),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_short_way),
		cmocka_unit_test(test_short_way_after_ce),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_model),
	};

	return cmocka_run_group_tests_name("flow", tests, NULL, NULL);
}
