// SPDX-License-Identifier: BSD-2-Clause
/*
 * The packet programs through BPF_PROG_TEST_RUN: the parser's case table, the
 * PSN sequences, and what only the programs have: slots, verdict counters, pause
 * frames, the event ring, a table that is full, rows that user space took out.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/cases.h"
#include "lib/loaded.h"
#include "lib/seq.h"
#include "lib/tap.h"
#include "packet.skel.h"

static u8 frame[RCT_CASE_MAX];

static void pin(u32 cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		abort();
}

/* Opens or ends the program: nothing can be tested where loading fails. */
static void open_or_die(struct rct_loaded *l, u32 rows, bool events)
{
	int err = rct_loaded_open(l, rows, events);

	if (!err)
		return;
	rct_tap(false, "the packet programs load: %s", strerror(-err));
	exit(rct_tap_end());
}

/* The two compilers agree on what lies in the maps; and no name is cut where tools show it. */
static void test_maps(void)
{
	struct rct_loaded l;
	struct bpf_map *m;
	bool good;

	open_or_die(&l, 64, false);
	good = bpf_map__value_size(l.skel->maps.rct_rows) == sizeof(struct rct_row) &&
	       bpf_map__value_size(l.skel->maps.rct_cold) == sizeof(struct rct_cold) &&
	       bpf_map__value_size(l.skel->maps.rct_stats) == sizeof(struct rct_stats) &&
	       bpf_map__value_size(l.skel->maps.rct_pauses) == sizeof(struct rct_pauses) &&
	       sizeof(l.skel->rodata->rct_config) == sizeof(struct rct_config);
	rct_tap(good, "map values have the same size on both sides");
	good = true;
	bpf_object__for_each_map(m, l.skel->obj)
		good &= strlen(bpf_map__name(m)) <= 15;
	rct_tap(good, "map names are at most 15 characters long");
	rct_loaded_close(&l);
}

/* ------------------------------------------------------------ case table */

/* What of the row is not as the case wants it, or NULL. */
static const char *row_differs(const struct rct_case *c, const struct rct_hostflow *h, u32 len)
{
	const struct rct_want *w = &c->want;
	struct rct_flow f;
	struct rct_pkt p = { .attr = h->row.attr };
	u64 attr = RCT_ATTR(w->sport == RCT_ZERO || w->family == RCT_ROCE1 ? 0 : w->sport ? w->sport : RCT_D_SPORT,
			    w->vlan ? w->vlan : RCT_NOVLAN,
			    w->pkey == RCT_ZERO ? 0 : w->pkey ? w->pkey : RCT_D_PKEY,
			    w->tos >> 2, w->ttl ? w->ttl : RCT_D_TTL);

	rct_flow_fold(&h->row, &h->cold, &f);
	if (p.attr != attr)
		return "attributes";
	if (f.packets != 1)
		return "packets";
	if (f.bytes != len)
		return "bytes";
	if (f.payload != w->payload)
		return "payload";
	if (f.ecn[w->tos & 3] != 1)
		return "ECN";
	if (f.cut != w->cut)
		return "cut";
	if (f.naks[0] != (w->syn == 0x60))
		return "NAKs";
	return NULL;
}

/* Runs one case by one program. Returns NULL, or what is wrong. */
static const char *case_wrong(struct rct_loaded *l, const struct rct_case *c, enum rct_via via, u32 len)
{
	struct rct_key key = rct_case_key(c, RCT_LOADED_SLOT, rct_via_dir(via));
	struct rct_stats before, after;
	struct rct_hostflow h;
	s64 idx = rct_loaded_find(l, &key);
	int err;

	if (idx >= 0)	/* an earlier case's flow, of the same key */
		rct_loaded_take_out(l, idx);
	rct_loaded_stats(l, &before);
	err = rct_loaded_run(l, via, frame, len, 0);
	if (err)
		return strerror(-err);
	rct_loaded_stats(l, &after);
	before.verdict[c->verdict] += c->verdict != RCT_OK;
	if (memcmp(&before, &after, sizeof(before)))
		return "verdict";
	idx = rct_loaded_find(l, &key);
	if (c->verdict != RCT_OK)
		return idx < 0 ? NULL : "a row was made";
	if (idx < 0)
		return "no row of the key";
	rct_loaded_flow(l, idx, &h);
	return row_differs(c, &h, len);
}

static void test_cases(void)
{
	struct rct_loaded l;
	u32 host_only = 0;

	open_or_die(&l, 4096, false);
	for (size_t i = 0; i < rct_n_cases; i++) {
		const struct rct_case *c = &rct_cases[i];
		const char *wrong = NULL, *at = NULL;
		struct rct_frame f;
		int runs = 0;

		rct_case_frame(c, frame, sizeof(frame), &f);
		for (int via = 0; via < RCT_VIAS && !wrong && !c->ethertype && !c->hook_vlan; via++) {
			if (!rct_via_takes(via, frame, f.end - f.data))
				continue;
			runs++;
			at = rct_via_name(via);
			wrong = case_wrong(&l, c, via, f.end - f.data);
		}
		host_only += !runs;
		if (runs)
			rct_tap(!wrong, "case: %s%s%s%s%s", c->name, wrong ? " at " : "", wrong ? at : "",
				wrong ? ": " : "", wrong ? wrong : "");
	}
	rct_tap_say("%u cases are the host build's alone: no test run has frames below 14 bytes, raw IP, or a", host_only);
	rct_tap_say("tag outside the frame. At tc there are none beyond a page either");
	rct_loaded_close(&l);
}

/* tc refuses what is shorter than an Ethernet header, so those run nowhere: see that it still does. */
static void test_short_frames(void)
{
	struct rct_loaded l;

	open_or_die(&l, 64, false);
	for (int via = 0; via < RCT_VIAS; via++)
		rct_tap(rct_loaded_run(&l, via, frame, 13, 0) == -EINVAL,
			"%s: the kernel runs no frame of 13 bytes", rct_via_name(via));
	rct_loaded_close(&l);
}

/* ------------------------------------------------------------- sequences */

static bool run_seq(struct rct_loaded *l, const struct rct_seq *s, u32 qp, u32 cpus, struct rct_flow *f)
{
	struct rct_seq_at at = { .text = s->packets };
	struct rct_hostflow h;
	struct rct_frame last = { .vlan = RCT_NOVLAN, .slot = RCT_LOADED_SLOT, .dir = RCT_RX };
	struct rct_pkt p;
	u64 packets = 0, bytes = 0, payload = 0;
	s64 idx;

	while (rct_seq_next(&at)) {
		u32 len = rct_seq_frame(&at, qp, frame, sizeof(frame));

		pin(at.cpu % cpus);
		if (rct_loaded_run(l, RCT_VIA_XDP, frame, len, 0))
			return false;
		packets++;
		bytes += len;
		payload += at.brief.len;
		last.data = frame;
		last.end = frame + len;
	}
	if (rct_parse(&last, &p))
		return false;
	idx = rct_loaded_find(l, &p.key);
	if (idx < 0)
		return false;
	rct_loaded_flow(l, idx, &h);
	rct_flow_fold(&h.row, &h.cold, f);
	return f->packets == packets && f->bytes == bytes && f->payload == payload;
}

static void test_sequences(void)
{
	u32 cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct rct_loaded l;

	open_or_die(&l, 1024, false);
	for (size_t i = 0; i < rct_n_seqs; i++) {
		const struct rct_seq *s = &rct_seqs[i];
		const char *name = "packets, bytes or payload";
		u64 got = 0, want = 0;
		struct rct_flow f;

		if (s->want.cross_cpu && cpus < 2) {
			rct_tap_skip(s->name, "needs two CPUs");
			continue;
		}
		if (run_seq(&l, s, 2 + i, cpus, &f))
			name = rct_seq_differs(s, &f, &got, &want);
		if (name)
			rct_tap(false, "sequence: %s (%s): %s is %llu, expected %llu", s->name, s->packets, name,
				(unsigned long long)got, (unsigned long long)want);
		else
			rct_tap(true, "sequence: %s", s->name);
	}
	pin(0);
	rct_loaded_close(&l);
}

/* ------------------------------------------------------ merged, untraced */

static u32 plain_frame(u32 qp, u32 psn)
{
	return rct_build_brief(&(struct rct_brief){ .op = 4, .qp = qp, .psn = psn, .len = 200 }, frame, sizeof(frame));
}

static void test_merged(void)
{
	struct rct_stats s;
	struct rct_loaded l;
	u32 len = plain_frame(5, 1);

	open_or_die(&l, 64, false);
	rct_tap(!rct_loaded_run(&l, RCT_VIA_TC_RX, frame, len, 100), "tc takes a merged buffer");
	rct_loaded_stats(&l, &s);
	rct_tap(s.verdict[RCT_MERGED] == 1 && rct_loaded_live(&l) == 0, "a merged buffer is refused, and in no flow");
	len = rct_build(PARTS(ETH(), IP4(), UDP(.dport = 53), DATA(200)), frame, sizeof(frame));
	rct_loaded_run(&l, RCT_VIA_TC_RX, frame, len, 100);
	rct_loaded_stats(&l, &s);
	rct_tap(s.verdict[RCT_MERGED] == 1 && s.verdict[RCT_OTHER] == 1, "what is not RoCE may be merged");
	rct_loaded_close(&l);
}

static void test_slots(void)
{
	struct rct_stats s;
	struct rct_loaded l;
	u32 len = plain_frame(5, 1);
	u64 *slots;

	open_or_die(&l, 64, false);
	slots = l.skel->bss->rct_slot_of;
	slots[RCT_SLOT_AT(1, 0)] = 0;
	for (int via = 0; via < RCT_VIAS; via++)
		rct_loaded_run(&l, via, frame, len, 0);
	rct_tap(rct_loaded_live(&l) == 0, "an interface that is not traced has no flows");
	for (int i = 0; i < RCT_SLOT_TRIES - 1; i++)
		slots[RCT_SLOT_AT(1, i)] = RCT_SLOT_WORD(1 + RCT_SLOT_HASH * (i + 1), 7, 0);
	slots[RCT_SLOT_AT(1, RCT_SLOT_TRIES - 1)] = RCT_SLOT_WORD(1, RCT_LOADED_SLOT, 0);
	rct_loaded_run(&l, RCT_VIA_XDP, frame, len, 0);
	rct_tap(rct_loaded_live(&l) == 1 && l.rows[0].state <= RCT_ROW_LIVE, "the last place of the slot table is looked at");
	rct_loaded_stats(&l, &s);
	rct_tap(s.verdict[RCT_OK] == 0, "and the packet is in a row, not in overflow");
	rct_loaded_close(&l);
}

/* -------------------------------------------------------- a full table */

static void test_overflow(u32 rows, u32 flows)
{
	u64 packets = 0, bytes = 0, sent = 0, sent_bytes = 0;
	struct rct_stats s;
	struct rct_loaded l;

	open_or_die(&l, rows, false);
	for (u32 k = 0; k < 3; k++) {
		for (u32 i = 0; i < flows; i++) {
			u32 len = plain_frame(10 + i, 1 + k);

			if (!rct_loaded_run(&l, i % RCT_VIAS, frame, len, 0)) {
				sent++;
				sent_bytes += len;
			}
		}
	}
	for (u32 i = 0; i < rows; i++) {
		struct rct_hostflow h;
		struct rct_flow f;

		if (l.rows[i].state != RCT_ROW_LIVE)
			continue;
		rct_loaded_flow(&l, i, &h);
		rct_flow_fold(&h.row, &h.cold, &f);
		packets += f.packets;
		bytes += f.bytes;
	}
	rct_loaded_stats(&l, &s);
	rct_tap(sent == 3 * flows && packets + s.verdict[RCT_OK] == sent && bytes + s.overflow_bytes == sent_bytes,
		"%u flows in %u rows: rows and overflow are all packets and bytes (%llu + %llu)", flows, rows,
		(unsigned long long)packets, (unsigned long long)s.verdict[RCT_OK]);
	if (flows > rows)
		rct_tap(rct_loaded_live(&l) == rows && packets == 3 * rows, "the table of %u rows is full, each flow whole", rows);
	rct_loaded_close(&l);
}

/* A table made for so many flows holds them, with the room that RCT_ROWS leaves. */
static void test_fits(void)
{
	const u32 flows = 4096;
	struct rct_stats s;
	struct rct_loaded l;

	open_or_die(&l, RCT_ROWS(flows), false);
	for (u32 i = 0; i < flows; i++)
		rct_loaded_run(&l, RCT_VIA_XDP, frame, plain_frame(2 + i, 1), 0);
	rct_loaded_stats(&l, &s);
	rct_tap(rct_loaded_live(&l) == flows && !s.verdict[RCT_OK], "%u flows fit the table made for them (%u rows, %llu packets of overflow)", flows,
		rct_loaded_live(&l), (unsigned long long)s.verdict[RCT_OK]);
	rct_loaded_close(&l);
}

/* --------------------------------------- rows that user space took out */

static void one_more(struct rct_loaded *l, u32 psn)
{
	if (rct_loaded_run(l, RCT_VIA_XDP, frame, plain_frame(5, psn), 0))
		abort();
}

static void test_recycled(void)
{
	struct rct_frame f = { .vlan = RCT_NOVLAN, .slot = RCT_LOADED_SLOT };
	struct rct_loaded l;
	struct rct_pkt p;
	s64 first, second;

	open_or_die(&l, 256, false);
	f.wire_len = plain_frame(5, 1);
	f.data = frame;
	f.end = frame + f.wire_len;
	rct_parse(&f, &p);
	one_more(&l, 1);
	first = rct_loaded_find(&l, &p.key);
	l.rows[first].state = RCT_ROW_DEAD;
	one_more(&l, 2);
	second = rct_loaded_find(&l, &p.key);
	rct_tap(second >= 0 && second != first && l.rows[first].state == RCT_ROW_DEAD &&
		RCT_W_PACKETS(l.rows[first].word) == 1,
		"a dead row is passed by and left alone, the flow goes on in another");
	one_more(&l, 3);
	rct_tap(rct_loaded_find(&l, &p.key) == second && RCT_W_PACKETS(l.rows[second].word) == 2,
		"a row behind a dead one is found again");
	rct_loaded_take_out(&l, first);
	one_more(&l, 4);
	rct_tap(rct_loaded_find(&l, &p.key) == second && RCT_W_PACKETS(l.rows[second].word) == 3,
		"and behind a tomb");
	l.rows[second].state = RCT_ROW_DEAD;
	one_more(&l, 5);
	rct_tap(rct_loaded_find(&l, &p.key) == first && RCT_W_PACKETS(l.rows[first].word) == 1,
		"a tomb is taken again, by a row that starts anew");
	rct_loaded_close(&l);
}

/* ----------------------------------------------------------------- pause */

static void test_pause(void)
{
	struct rct_pauses rx, tx;
	struct rct_stats s;
	struct rct_loaded l;
	u32 len;

	open_or_die(&l, 64, false);
	len = rct_build(PARTS(ETH(), PAUSE(.quanta = { 300 })), frame, sizeof(frame));
	rct_loaded_run(&l, RCT_VIA_XDP, frame, len, 0);
	rct_loaded_run(&l, RCT_VIA_TC_RX, frame, len, 0);
	rct_loaded_run(&l, RCT_VIA_TC_TX, frame, len, 0);
	len = rct_build(PARTS(ETH(), PFC(.id = 0x28, .quanta = { 9, 9, 9, 100, 9, 0 })), frame, sizeof(frame));
	rct_loaded_run(&l, RCT_VIA_XDP, frame, len, 0);
	rct_loaded_run(&l, RCT_VIA_TC_RX, frame, len, 0);
	len = rct_build(PARTS(ETH(), MACCTL(2)), frame, sizeof(frame));
	rct_loaded_run(&l, RCT_VIA_XDP, frame, len, 0);
	rct_loaded_pauses(&l, RCT_RX, &rx);
	rct_loaded_pauses(&l, RCT_TX, &tx);
	rct_loaded_stats(&l, &s);
	rct_tap(rx.global_frames == 2 && rx.global_quanta == 600 && tx.global_frames == 1 && tx.global_quanta == 300,
		"pause frames and their quanta by direction");
	rct_tap(rx.frames == 2 && rx.xoff[3] == 2 && rx.quanta[3] == 200 && rx.xon[5] == 2 && rx.xoff[5] == 0 &&
		!rx.quanta[0] && !rx.xoff[0] && !rx.xon[0] && !tx.frames,
		"priority pause: the classes it speaks of, stop and go apart");
	rct_tap(s.verdict[RCT_PAUSE] == 5 && s.verdict[RCT_OTHER] == 1, "other MAC control frames are no pauses");
	rct_loaded_close(&l);
}

/* ---------------------------------------------------------------- events */

#define EVENTS_MAX	8192

struct events {
	struct rct_rec rec[EVENTS_MAX];
	u32 n;
};

static int on_event(void *arg, void *data, size_t size)
{
	struct events *e = arg;

	if (size < sizeof(struct rct_rec) || e->n == EVENTS_MAX)
		return -EINVAL;
	memcpy(&e->rec[e->n++], data, sizeof(struct rct_rec));
	return 0;
}

static void drain(const struct rct_loaded *l, struct events *e)
{
	struct ring_buffer *r = ring_buffer__new(bpf_map__fd(l->skel->maps.rct_events), on_event, e, NULL);

	e->n = 0;
	if (!r || ring_buffer__consume(r) < 0)
		abort();
	ring_buffer__free(r);
}

static void feed(struct rct_loaded *l, const char *packets, u32 qp)
{
	struct rct_seq_at at = { .text = packets };

	while (rct_seq_next(&at)) {
		u32 len = rct_seq_frame(&at, qp, frame, sizeof(frame));

		if (rct_loaded_run(l, RCT_VIA_XDP, frame, len, 0))
			abort();
	}
}

static u64 monotonic(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static void test_events(void)
{
	static struct events e;
	struct rct_loaded l;
	u64 before = monotonic();
	bool good = true;

	open_or_die(&l, 64, true);
	feed(&l, "S0..9 S5..9 S20 S15 k9 n7 r8:0x2c", 0x77);
	drain(&l, &e);
	rct_tap(e.n == 4, "a step back, a filled hole, a NAK and an RNR NAK are four events (%u)", e.n);
	rct_tap(e.rec[0].type == RCT_REC_BACK && e.rec[0].psn == 5, "the step back, with its PSN");
	rct_tap(e.rec[1].type == RCT_REC_FILL && e.rec[1].psn == 15, "the packet that fills a hole, with its PSN");
	rct_tap(e.rec[2].type == RCT_REC_NAK && e.rec[2].psn == 7 && e.rec[2].arg == 0x60, "the NAK, with its syndrome");
	rct_tap(e.rec[3].type == RCT_REC_NAK && e.rec[3].psn == 8 && e.rec[3].arg == 0x2c, "the RNR NAK, with its timer");
	for (u32 i = 0; i < e.n; i++)
		good &= e.rec[i].key.dest_qp == 0x77 && e.rec[i].key.slot == RCT_LOADED_SLOT &&
			e.rec[i].ns >= before && e.rec[i].ns <= monotonic();
	rct_tap(good, "each with its flow and its time");
	rct_loaded_close(&l);
}

/* Nobody reads the ring: what it can't hold is counted. */
static void test_events_lost(void)
{
	const u32 sent = 5000;
	static struct events e;
	struct rct_stats s;
	struct rct_loaded l;

	open_or_die(&l, 64, true);
	for (u32 i = 0; i < sent; i++)
		feed(&l, "n7", 0x77);
	drain(&l, &e);
	rct_loaded_stats(&l, &s);
	rct_tap(e.n > 0 && s.events_lost > 0 && e.n + s.events_lost == sent,
		"events of a full ring are counted: %u read, %llu lost", e.n, (unsigned long long)s.events_lost);
	rct_loaded_close(&l);
	open_or_die(&l, 64, false);
	feed(&l, "S0..9 S5 n7", 0x77);
	drain(&l, &e);
	rct_tap(e.n == 0, "no events where none are wanted");
	rct_loaded_close(&l);
}

/* The row's time is the kernel's. */
static void test_first_time(void)
{
	struct rct_loaded l;
	u64 before = monotonic(), ns = 0;

	open_or_die(&l, 64, false);
	feed(&l, "S0 S1", 9);
	for (u32 i = 0; i < l.n_rows; i++)
		ns = l.rows[i].state == RCT_ROW_LIVE ? l.rows[i].first_ns : ns;
	rct_tap(ns >= before && ns <= monotonic(), "a row has the time of its first packet");
	rct_loaded_close(&l);
}

int main(void)
{
	const char *why = rct_loaded_impossible();

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (why) {
		rct_tap_skip("the packet programs", why);
		return rct_tap_end();
	}
	pin(0);
	test_maps();
	test_cases();
	test_short_frames();
	test_sequences();
	test_merged();
	test_slots();
	test_overflow(8, 100);
	test_overflow(64, 40);
	test_fits();
	test_recycled();
	test_pause();
	test_events();
	test_events_lost();
	test_first_time();
	return rct_tap_end();
}
