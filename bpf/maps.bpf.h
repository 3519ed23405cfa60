/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Every map, how a row is found, and the counting of one packet. bpf/README.md
 * has a table of who writes and reads what.
 *
 * The rows are an array that user space maps into its memory, used as an open
 * addressed table: the key lies in the row, a search probes up to RCT_PROBES
 * places, each a jump of its own (double hashing). Rows leave the table only by
 * user space: it marks a row dead, waits until no program can still hold it, folds
 * its counts elsewhere, and leaves a tomb that an insertion may take.
 */
#ifndef RCT_MAPS_BPF_H
#define RCT_MAPS_BPF_H

#include "abi.h"

const volatile struct rct_config rct_config;
u64 rct_slot_of[RCT_SLOT_HASH];

/* Sized by user space; the default is for the tests that load without asking. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, RCT_ROWS(1024));
	__type(key, u32);
	__type(value, struct rct_row);
} rct_rows SEC(".maps");

/* Not mapped: an array with a spin lock refuses mmap. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RCT_ROWS(1024));
	__type(key, u32);
	__type(value, struct rct_cold);
} rct_cold SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, RCT_SLOTS);
	__type(key, u32);
	__type(value, struct rct_stats);
} rct_stats SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RCT_SLOTS * 2);
	__type(key, u32);
	__type(value, struct rct_pauses);
} rct_pauses SEC(".maps");

/* A frame's first bytes, where the hook can't address them. One per direction. */
struct rct_copy {
	u8 b[RCT_COPY];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, u32);
	__type(value, struct rct_copy);
} rct_copies SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RCT_RING_BYTES);
} rct_events SEC(".maps");

/*
 * A function that the verifier checks once, for every argument, not once for
 * each way that leads to it. It may be handed NULL for all the verifier knows.
 */
#define RCT_SUBPROG	__attribute__((noinline))

/* The slot of an interface. Returns 0 and *ret_word, or -1: it isn't traced. */
RCT_INLINE int rct_slot(u32 ifindex, u64 *ret_word)
{
	for (u32 i = 0; i < RCT_SLOT_TRIES; i++) {
		u64 w = rct_slot_of[RCT_SLOT_AT(ifindex, i)];

		if (w & RCT_SLOT_USED && RCT_SLOT_IFINDEX(w) == ifindex) {
			*ret_word = w;
			return 0;
		}
	}
	return -1;
}

RCT_INLINE struct rct_row *rct_row_at(u64 pos, u32 *ret_idx)
{
	*ret_idx = (u32)(pos * rct_config.rows >> 32);
	return bpf_map_lookup_elem(&rct_rows, ret_idx);
}

/* What rct_row_rival() says where it has no index of a row. */
#define RCT_NO_ROW	0xffffffffu	/* there is no other */
#define RCT_WAIT	0xfffffffeu	/* there is one in the making, or maybe: ask again */
#define RCT_YIELD	0xfffffffdu	/* there is one in the making, before mine */

/* Is there another row of this packet's key than mine? Its index, if it's live. */
RCT_SUBPROG u32 rct_row_rival(struct rct_pkt *p, u64 hash, u32 mine)
{
	u32 pos = hash >> 32, idx, state;

	if (!p)
		return RCT_WAIT;
	for (u32 i = 0; i < RCT_PROBES; i++, pos += rct_stride(hash)) {
		struct rct_row *r = rct_row_at(pos, &idx);

		if (!r)
			return RCT_WAIT;
		if (idx == mine)
			continue;
		state = RCT_READ(r->state);
		if (state == RCT_ROW_FREE)
			break;
		if (state == RCT_ROW_FILLING)
			return RCT_WAIT;
		if (state != RCT_ROW_LIVE && state != RCT_ROW_CANDIDATE)
			continue;
		if (!rct_key_equal(&r->key, &p->key))
			continue;
		return state == RCT_ROW_LIVE ? idx : idx < mine ? RCT_YIELD : RCT_WAIT;
	}
	return RCT_NO_ROW;
}

/* Looks at the others in the making take some 100 ns; a CPU may be held up in the middle. */
#define RCT_SETTLE	64

/*
 * Two CPUs may insert one key at two places, since tombs are taken again: each
 * shows its row as a candidate, then looks for another, so at least one of two
 * sees the other. A live row is taken. Of two candidates the one at the lower
 * index stays and waits; the other gives its row back, and waits for that one to
 * live. Returns index + 1, or 0: not settled in time, the packet counts as overflow.
 */
RCT_SUBPROG u32 rct_row_settle(struct rct_pkt *p, u64 hash, u32 mine)
{
	struct rct_row *r = bpf_map_lookup_elem(&rct_rows, &mine);
	bool yielded = false;
	u32 other;

	if (!p || !r)
		return 0;
	for (u32 i = 0; i < RCT_SETTLE; i++) {
		other = rct_row_rival(p, hash, yielded ? RCT_NO_ROW : mine);
		if (other < RCT_YIELD) {
			if (!yielded)
				RCT_XCHG(&r->state, RCT_ROW_TOMB);
			return other + 1;
		}
		if (other == RCT_NO_ROW && !yielded) {
			RCT_XCHG(&r->state, RCT_ROW_LIVE);
			return mine + 1;
		}
		if (other == RCT_YIELD && !yielded) {
			RCT_XCHG(&r->state, RCT_ROW_TOMB);
			yielded = true;
		}
	}
	if (!yielded)
		RCT_XCHG(&r->state, RCT_ROW_TOMB);
	return 0;
}

/* A new flow's row. Returns index + 1, or 0: no row for this packet, it counts as overflow. */
RCT_SUBPROG u32 rct_row_insert(struct rct_pkt *p, u64 hash, u32 tick)
{
	struct rct_now now = { .tick = tick };
	struct rct_row *r;
	u32 pos = hash >> 32, idx, state;

	if (!p)
		return 0;
	for (u32 i = 0; i < RCT_PROBES; i++, pos += rct_stride(hash)) {
		r = rct_row_at(pos, &idx);
		if (!r)
			return 0;
		state = RCT_READ(r->state);
		if (state == RCT_ROW_LIVE && rct_key_equal(&r->key, &p->key))
			return idx + 1;		/* another CPU was faster */
		if (state != RCT_ROW_FREE && state != RCT_ROW_TOMB)
			continue;
		if (RCT_CAS(&r->state, state, RCT_ROW_FILLING) != state)
			continue;
		r->key = p->key;
		rct_row_init(r, p, &now, bpf_ktime_get_ns());
		RCT_XCHG(&r->state, RCT_ROW_CANDIDATE);
		return rct_row_settle(p, hash, idx);
	}
	return 0;
}

RCT_INLINE struct rct_row *rct_row_find(const struct rct_key *key, u64 hash, u32 *ret_idx)
{
	u32 pos = hash >> 32, state;

	for (u32 i = 0; i < RCT_PROBES; i++, pos += rct_stride(hash)) {
		struct rct_row *r = rct_row_at(pos, ret_idx);

		if (!r)
			return NULL;
		state = RCT_READ(r->state);
		if (state == RCT_ROW_LIVE && rct_key_equal(&r->key, key))
			return r;
		if (state == RCT_ROW_FREE)
			return NULL;
	}
	return NULL;
}

/* A packet that is in no row. */
RCT_INLINE void rct_count(u32 slot, u32 verdict)
{
	struct rct_stats *s = bpf_map_lookup_elem(&rct_stats, &slot);

	if (s && verdict < RCT_VERDICT_COUNT)
		s->verdict[verdict]++;
}

RCT_SUBPROG int rct_overflow(u32 slot, u32 bytes)
{
	struct rct_stats *s = bpf_map_lookup_elem(&rct_stats, &slot);

	if (!s)
		return 0;
	s->verdict[RCT_OK]++;
	s->overflow_bytes += bytes;
	return 0;
}

RCT_SUBPROG int rct_event(struct rct_pkt *p, u32 type, u32 arg)
{
	struct rct_stats *s;
	struct rct_rec *rec;
	u32 slot;

	if (!p)
		return 0;
	rec = bpf_ringbuf_reserve(&rct_events, sizeof(*rec), 0);
	if (!rec) {
		slot = p->key.slot;
		s = bpf_map_lookup_elem(&rct_stats, &slot);
		if (s)
			s->events_lost++;
		return 0;
	}
	rec->type = type;
	rec->psn = p->psn;
	rec->ns = bpf_ktime_get_ns();
	rec->arg = arg;
	rec->cpu = bpf_get_smp_processor_id();
	rec->key = p->key;
	bpf_ringbuf_submit(rec, 0);
	return 0;
}

/* What an ordinary packet does not need, out of the hot path's way. */
RCT_SUBPROG int rct_packet_cold(struct rct_pkt *p, u32 idx, u32 need, u32 kind, u64 flushed)
{
	struct rct_row *r = bpf_map_lookup_elem(&rct_rows, &idx);
	struct rct_cold *c = bpf_map_lookup_elem(&rct_cold, &idx);
	struct rct_now now = { .cpu = bpf_get_smp_processor_id() };
	u32 ev;

	if (!p || !r || !c)
		return 0;
	ev = rct_cold_step(r, c, p, &now, need, kind, flushed);
	if (!rct_config.events)
		return 0;
	if (ev & RCT_EV_BACK)
		rct_event(p, RCT_REC_BACK, need >> RCT_IDLE_AT);
	if (ev & RCT_EV_FILL)
		rct_event(p, RCT_REC_FILL, need >> RCT_IDLE_AT);
	if (need & RCT_DO_AETH && !p->cut)
		rct_event(p, RCT_REC_NAK, p->syndrome);
	return 0;
}

/* One RoCE packet into its flow. */
RCT_INLINE void rct_packet(struct rct_pkt *p)
{
	struct rct_now now = { .tick = (u32)bpf_jiffies64() };
	u64 hash = rct_hash(&p->key, rct_config.seed), flushed = 0;
	u32 idx = 0, kind = 0, need;
	struct rct_row *r = rct_row_find(&p->key, hash, &idx);

	if (!r) {
		idx = rct_row_insert(p, hash, now.tick);
		if (!idx--) {
			rct_overflow(p->key.slot, p->wire_len);
			return;
		}
		r = bpf_map_lookup_elem(&rct_rows, &idx);
		if (!r)
			return;
	}
	need = rct_row_step(r, p, &now, &kind, &flushed);
	if (need)
		rct_packet_cold(p, idx, need, kind, flushed);
}

/* The same, for frames that had to be copied: a call is cheap beside that, and verified once. */
RCT_SUBPROG int rct_packet_called(struct rct_pkt *p)
{
	if (p)
		rct_packet(p);
	return 0;
}

RCT_SUBPROG int rct_pause_count(u32 slot, u32 dir, struct rct_pause *pause)
{
	u32 at = slot * 2 + (dir & 1);
	struct rct_pauses *s = bpf_map_lookup_elem(&rct_pauses, &at);

	if (!s || !pause)
		return 0;
	if (!pause->pfc) {
		RCT_ADD(&s->global_frames, 1);
		RCT_ADD(&s->global_quanta, pause->quanta[0]);
		return 0;
	}
	RCT_ADD(&s->frames, 1);
	for (int i = 0; i < 8; i++) {
		if (!(pause->classes & 1 << i))
			continue;
		if (pause->quanta[i])
			RCT_ADD(&s->xoff[i], 1);
		else
			RCT_ADD(&s->xon[i], 1);
		RCT_ADD(&s->quanta[i], pause->quanta[i]);
	}
	return 0;
}

/* A frame that is no packet of a flow. */
RCT_INLINE void rct_no_packet(const struct rct_frame *f, int verdict)
{
	struct rct_pause pause = {};

	if (verdict == RCT_PAUSE) {
		verdict = rct_parse_pause(f, &pause);
		if (verdict == RCT_PAUSE)
			rct_pause_count(f->slot, f->dir, &pause);
	}
	rct_count(f->slot, verdict);
}

RCT_INLINE struct rct_copy *rct_copy_of(u32 dir)
{
	dir &= 1;
	return bpf_map_lookup_elem(&rct_copies, &dir);
}

/* One layer of a copied frame, checked by the verifier for any cursor. */
RCT_SUBPROG int rct_copy_layer(struct rct_cursor *c, struct rct_pkt *p, u32 dir, u32 len)
{
	struct rct_copy *copy = rct_copy_of(dir);
	struct rct_frame f = {};

	if (!copy || !c || !p || len > RCT_COPY)
		return RCT_NOT_READ;
	f.data = copy->b;
	f.end = copy->b + len;
	return rct_layer(&f, c, p, false);
}

/* A frame whose first len bytes are in the copy. p: room for the packet, the stack is short. */
RCT_INLINE void rct_copied_frame(struct rct_frame *f, struct rct_copy *copy, u32 len, bool merged,
				 struct rct_pkt *p)
{
	struct rct_cursor c = {};
	int rc = RCT_AGAIN;

	__builtin_memset(p, 0, sizeof(*p));
	rct_parse_start(f, &c, p);
	for (int i = 0; i < RCT_LAYERS && rc == RCT_AGAIN; i++) {
		if (i)
			rct_parse_next(&c);
		rc = rct_copy_layer(&c, p, f->dir, len);
	}
	if (rc == RCT_AGAIN)
		rc = RCT_DEEP;
	if (rc == RCT_CUT)
		rc = rct_cut_verdict(&c);
	f->data = copy->b;
	f->end = copy->b + len;
	if (rc == RCT_OK && merged)
		rc = RCT_MERGED;
	if (rc == RCT_OK)
		rct_packet_called(p);
	else
		rct_no_packet(f, rc);
}

/*
 * A frame that lies open, up to f->end: its verdict, or RCT_AGAIN where the caller
 * must copy it, because it needs more than the plain parser or the first buffer.
 * merged: it is several packets in one buffer.
 */
RCT_INLINE int rct_open_parse(const struct rct_frame *f, struct rct_pkt *p, bool merged)
{
	struct rct_cursor c;
	int rc;

	rct_parse_start(f, &c, p);
	rc = rct_layer(f, &c, p, true);
	if (rc == RCT_CUT || rc == RCT_SHORT)
		return RCT_AGAIN;
	return rc == RCT_OK && merged ? RCT_MERGED : rc;
}

#endif
