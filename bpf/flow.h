/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What a flow's packets add up to, and the PSN trackers. Two structures a flow:
 *
 *  struct rct_row	two cache lines, all that an ordinary packet touches
 *  struct rct_cold	the rest; only events, message boundaries of long messages
 *			and the end of a run come here: another kind of packet
 *			than the one before, or the 127th of a kind
 *
 * Several CPUs step one flow. An ordinary packet is one compare-and-swap on
 * row->word, which holds the next expected PSN together with a run: packets and
 * bytes of one kind that are not yet added to the sums. So a packet that is in
 * order and of the same kind as the one before costs one atomic instruction (one
 * more for READ responses). Everything that isn't in order takes the lock in the
 * cold part, makes the word its own by RCT_W_BUSY, and steps on plain state; the
 * others' compare-and-swap fails meanwhile and they queue on the lock. (Atomic
 * adds alone would let two CPUs see one packet as a gap and the next as repeated.)
 *
 * Derived instead of counted, because an atomic add costs about 5 ns:
 *  packets	the sum of the counts by operation
 *  payload	bytes - sum over operations of count * (overhead + extension) - extra
 *  ECN		the flow's usual value is what is left of packets
 *  messages, ACKs	from the counts by operation
 *
 * No maps and no clock here: the caller finds the row, and passes the time.
 * Meaning of the counts: docs/numbers.md.
 */
#ifndef RCT_FLOW_H
#define RCT_FLOW_H

#include "wire.h"

/* The word: psn 24 | slow 1 | busy 1 | kind 9 (op 5, size class 4) | count 7 | bytes 21 (one bit spare) */
#define RCT_W_PSN	0xffffffULL
#define RCT_W_SLOW	(1ULL << 24)	/* next is not known, or not one: requests go the slow way */
#define RCT_W_BUSY	(1ULL << 25)	/* owned by the holder of the lock */
#define RCT_W_KIND_AT	26
#define RCT_W_KIND_MASK	0x1ff
#define RCT_W_COUNT_AT	35
#define RCT_W_COUNT_BITS 7
#define RCT_W_COUNT_MAX	127
#define RCT_W_BYTES_AT	42
#define RCT_W_LEN_MAX	16383		/* longer frames go the slow way: 127 of these fit 21 bits */

#define RCT_W_OP(w)	((u32)((w) >> RCT_W_KIND_AT) & 0x1f)
#define RCT_W_SIZE(w)	((u32)((w) >> (RCT_W_KIND_AT + 5)) & 0xf)
#define RCT_W_PACKETS(w) ((u32)((w) >> RCT_W_COUNT_AT) & RCT_W_COUNT_MAX)
#define RCT_W_BYTES(w)	((u32)((w) >> RCT_W_BYTES_AT))

/* Message sizes: class k holds lengths up to 2^k, down to 2^(k-1) + 1. */
#define RCT_SIZES	32
#define RCT_SIZE_IN_WORD 14		/* classes 0 to 13 travel in the word as 1 to 14 */

/* In place of a READ's length: it is not in the data. (Real ones end at 2^31.) */
#define RCT_READ_CUT	0xffffffffu

#define RCT_PSN_WINDOW	65536		/* a larger step re-anchors */
#define RCT_HOLES	6

/* The response tracker's word. */
#define RCT_R_ANCHORED	(1ULL << 24)

enum rct_row_state {
	RCT_ROW_FREE,		/* never used: a search ends here */
	RCT_ROW_FILLING,	/* claimed, key not yet there */
	RCT_ROW_CANDIDATE,	/* key is there, being compared with the others */
	RCT_ROW_LIVE,
	RCT_ROW_DEAD,		/* user space took it out; a search goes on behind it */
	RCT_ROW_TOMB,		/* empty again; a search goes on, an insertion may take it */
};

/* 128 bytes, cache line aligned by the array it lies in. */
struct rct_row {
	struct rct_key key;
	u64 word;
	u32 state;		/* enum rct_row_state */
	u16 overhead;		/* frame bytes outside extension headers, pad and payload; of the first packet */
	u8 usual_ecn;		/* of the first packet, ECT(0) where that was CE */
	u8 transport;		/* of the first packet that is no CNP; RCT_TRANSPORT_NONE before */
	/* second line */
	u64 attr;		/* of the last packet */
	u64 rsp;		/* next PSN of READ responses, RCT_R_ANCHORED */
	u64 bytes;		/* without the run in word */
	u64 ce;			/* CE marked */
	u64 first_ns;		/* time of the first packet */
	u64 tick_bytes;		/* bytes at the start of the tick */
	u32 tick;		/* cheap clock at the last packet */
	u32 burst;		/* the most bytes in one tick before this one */
	u8 mtu_shift;		/* log2 of the path MTU, 0: unknown */
	u8 unused[7];
};

_Static_assert(sizeof(struct rct_row) == 128, "a row is two cache lines");

struct rct_hole {
	u32 start;		/* first missing PSN */
	u32 n;			/* PSNs; 0: not in use */
	u32 cpu;		/* that opened it */
};

struct rct_cold {
	RCT_LOCK_TYPE lock;
	u32 rnr_timer;		/* code of the last RNR NAK */
	u64 ops[RCT_OPS];	/* without the run in row->word */
	u64 ecn[4];		/* values other than the usual one and CE */
	s64 extra;		/* frame bytes beyond the row's overhead: pad, padding, other headers */
	u64 naks[5];		/* by code: sequence, invalid request, remote access, remote operation, invalid RD */
	u64 rnr_naks;
	u64 reserved_aeth;	/* syndromes that the specification reserves */
	u64 cut;		/* packets with an extension header that counts beyond the data */
	u64 aeth_cut;		/* those among them that are ACKs or NAKs: which is unknown */
	u64 icrc_bad;		/* where it was verified: offline */
	u64 icrc_checked;
	u32 sizes[RCT_SIZES];	/* messages by size */
	u32 sport_changes, vlan_changes, pkey_changes, dscp_changes, ttl_changes;
	/* request tracker */
	u32 gaps, late, repeated, resync, reanchored, cross_cpu;
	u64 missing, given_up;
	/* response tracker */
	u32 rsp_gaps, rsp_repeated;
	u64 rsp_missing;
	/* retransmission runs: steps back that do not continue the one before */
	u32 steps_back;		/* of repeated packets */
	u32 back_open;
	u32 back_next;		/* PSN that continues the open run */
	/* a READ request whose path MTU is unknown: its PSN and length (RCT_READ_CUT), 0: none */
	u32 read_psn, read_len;
	u32 mtu_not;		/* path MTUs that are ruled out, bit i = 256 << i */
	/* a SEND in parts: first PSN, and payload of its FIRST, 0: none */
	u32 send_psn, send_mtu;
	struct rct_hole holes[RCT_HOLES];
};

/* The time, as rct_row_step() wants it. */
struct rct_now {
	u32 tick;		/* cheap clock: jiffies, or 4 ms of a capture's time */
	u32 cpu;
};

/*
 * What a packet needs of the cold part; bits of rct_row_step()'s result. Above
 * them: ticks since the packet before it in the flow.
 */
#define RCT_DO_FLUSH	0x01	/* add *flushed to the sums */
#define RCT_DO_SLOW	0x02	/* the packet is not counted yet: slow step under the lock */
#define RCT_DO_SIZE	0x04	/* message boundary that the word can't carry */
#define RCT_DO_ATTR	0x08	/* an attribute changed */
#define RCT_DO_ECN	0x10
#define RCT_DO_EXTRA	0x20
#define RCT_DO_AETH	0x40	/* NAK, RNR NAK, cut header */
#define RCT_DO_RSP	0x80	/* READ response that is not in order: under the lock */
#define RCT_IDLE_AT	8
#define RCT_IDLE_MAX	0xffffff

/*
 * Comparisons as numbers. A branch doubles the paths that the verifier walks, and
 * half of those on packet data are mispredicted.
 */
RCT_INLINE u32 rct_less(u32 a, u32 b)
{
	u32 less = (a - b) >> 31;

	RCT_OPAQUE(less);	/* else the compiler makes branches of it */
	return less;
}

RCT_INLINE u32 rct_differ(u64 a, u64 b)
{
	u64 x = a ^ b;

	x = (x | (0 - x)) >> 63;
	RCT_OPAQUE(x);
	return x;
}

/* Size class: smallest k with len <= 2^k; the last one holds what is longer, too. */
RCT_INLINE u32 rct_size_class(u32 len)
{
	u32 k, s;

	if (len <= 1)
		return 0;
	len = (len - 1) & 0x7fffffff;
	k = rct_less(0xffff, len) << 4;
	len >>= k;
	s = rct_less(0xff, len) << 3;
	k += s;
	len >>= s;
	s = rct_less(0xf, len) << 2;
	k += s;
	len >>= s;
	s = rct_less(3, len) << 1;
	k += s;
	len >>= s;
	return k + (len >> 1) + 1;
}

/* A message whose whole length its first packet tells. */
RCT_INLINE bool rct_size_known(const struct rct_pkt *p)
{
	if (!(p->flags & RCT_OP_MSG) || p->cut)
		return false;
	return p->flags & RCT_OP_RETH || p->op != 0;	/* operation 0 is SEND FIRST */
}

/* Signed distance of two PSNs, modulo 2^24. */
RCT_INLINE s32 rct_psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << 8) >> 8;
}

/* PSNs that a READ request of len bytes takes at path MTU 1 << shift. */
RCT_INLINE u32 rct_read_psns(u32 len, u32 shift)
{
	u32 n = (u32)(((u64)len + (1u << shift) - 1) >> shift);

	return n ? n & 0xffffff : 1;
}

/* PSNs that a request takes; 0: unknown, a READ and no path MTU. */
RCT_INLINE u32 rct_psns(const struct rct_pkt *p, u32 mtu_shift)
{
	if (p->op != 0x0c || (p->dma_len <= 256 && !p->cut))
		return 1;
	if (!mtu_shift || p->cut)
		return 0;
	return rct_read_psns(p->dma_len, mtu_shift);
}

/* The operation that the packet counts under in a flow of that transport. */
RCT_INLINE u32 rct_flow_op(const struct rct_pkt *p, u32 transport)
{
	if (p->op == RCT_OPN_CNP || p->transport == transport)
		return p->op;
	return RCT_OPN_OTHER;
}

/* The row of a new flow, all but key and state. Its cold part must be zero. */
RCT_INLINE void rct_row_init(struct rct_row *r, const struct rct_pkt *p, const struct rct_now *now,
			     u64 ns)
{
	r->word = RCT_W_SLOW;
	r->overhead = p->wire_len - p->payload - p->ext - p->pad;
	r->usual_ecn = p->ecn == RCT_CE ? RCT_ECT0 : p->ecn;
	r->mtu_shift = 0;
	r->attr = p->attr;
	r->rsp = 0;
	r->bytes = 0;
	r->ce = 0;
	r->first_ns = ns;
	r->tick_bytes = 0;
	r->tick = now->tick;
	r->burst = 0;
	r->transport = p->transport == RCT_CNP ? RCT_TRANSPORT_NONE : p->transport;
}

/* Closes the tick that ended: the most bytes in one of them. */
RCT_INLINE void rct_tick(struct rct_row *r, u32 tick)
{
	u32 was = r->tick;
	u64 total;
	s64 d;

	if (was == tick || RCT_CAS(&r->tick, was, tick) != was)
		return;
	total = RCT_READ(r->bytes) + RCT_W_BYTES(RCT_READ(r->word));
	/* negative where another CPU is just moving a run from the word to the sum */
	d = total - r->tick_bytes;
	if (d > r->burst)
		r->burst = d < 0xffffffff ? d : 0xffffffff;
	r->tick_bytes = total;
}

/* READ response: in order, or a FIRST or ONLY ahead. Else under the lock. */
RCT_INLINE u32 rct_rsp_fast(struct rct_row *r, const struct rct_pkt *p)
{
	u64 old = RCT_READ(r->rsp);
	s32 d = rct_psn_diff(p->psn, old & RCT_W_PSN);

	if (!(old & RCT_R_ANCHORED) || d < 0 || d > RCT_PSN_WINDOW || (d && !(p->flags & RCT_OP_START)))
		return RCT_DO_RSP;
	if (RCT_CAS(&r->rsp, old, RCT_R_ANCHORED | ((p->psn + 1) & RCT_W_PSN)) == old)
		return 0;
	return RCT_DO_RSP;
}

/*
 * The ordinary packet: the run and the request tracker in one compare-and-swap.
 * One try: who loses it against another CPU takes the lock and can't lose again.
 * Returns 0 or RCT_DO_*; *flushed: the word whose run is to be added.
 */
RCT_INLINE u32 rct_word_fast(struct rct_row *r, const struct rct_pkt *p, u32 kind, u64 *flushed)
{
	u64 old = RCT_READ(r->word), low = old & (RCT_W_PSN | RCT_W_SLOW), run, fresh;
	u32 n = 0;

	if (old & RCT_W_BUSY || p->wire_len > RCT_W_LEN_MAX)
		return RCT_DO_SLOW;
	if (p->flags & RCT_OP_REQ) {
		n = rct_psns(p, r->mtu_shift);
		if (!n || low != p->psn)
			return RCT_DO_SLOW;
		low = (p->psn + n) & RCT_W_PSN;
	}
	/* another kind, or the count is full: the old run goes to the sums */
	fresh = rct_differ(old >> RCT_W_KIND_AT & RCT_W_KIND_MASK, kind) |
		(RCT_W_PACKETS(old) + 1) >> RCT_W_COUNT_BITS;
	run = old & ~(RCT_W_PSN | RCT_W_SLOW) & (fresh - 1);
	run |= (u64)kind << RCT_W_KIND_AT;
	run += (1ULL << RCT_W_COUNT_AT) + ((u64)p->wire_len << RCT_W_BYTES_AT);
	if (RCT_CAS(&r->word, old, low | run) != old)
		return RCT_DO_SLOW;
	*flushed = old & (0 - fresh);
	return fresh * RCT_DO_FLUSH;
}

/* The kind that the word counts: operation, and size class of short messages. */
RCT_INLINE u32 rct_kind(const struct rct_pkt *p, u32 op, u32 *need)
{
	u32 size = 0;

	if (op == RCT_OPN_OTHER || op == RCT_OPN_CNP)
		return op;
	if (rct_size_known(p)) {
		size = rct_size_class(p->dma_len);
		if (size < RCT_SIZE_IN_WORD)
			return op | (size + 1) << 5;
		*need |= RCT_DO_SIZE;
	} else if (p->flags & RCT_OP_SENDEND || (p->flags & RCT_OP_MSG && p->op == 0)) {
		*need |= RCT_DO_SIZE;
	}
	return op;
}

/*
 * Counts one packet in its row. What it returns must be done by rct_cold_step()
 * with the same packet; 0: the packet is done.
 */
RCT_INLINE u32 rct_row_step(struct rct_row *r, struct rct_pkt *p, const struct rct_now *now,
			    u32 *ret_kind, u64 *ret_flushed)
{
	u32 need, op, idle = now->tick - r->tick;

	if (r->transport == RCT_TRANSPORT_NONE && p->transport != RCT_CNP)
		r->transport = p->transport;
	op = rct_flow_op(p, r->transport);
	*ret_flushed = 0;
	rct_tick(r, now->tick);
	need = rct_differ(r->attr, p->attr) * RCT_DO_ATTR;
	need |= rct_differ(p->wire_len, r->overhead + p->ext + p->payload) * RCT_DO_EXTRA;
	if (p->ecn == RCT_CE)
		RCT_ADD(&r->ce, 1);
	else
		need |= rct_differ(p->ecn, r->usual_ecn) * RCT_DO_ECN;
	if (op == RCT_OPN_OTHER) {
		/* not of the flow's transport, or unknown: its PSN says nothing */
		p->flags = 0;
		need |= RCT_DO_EXTRA;
	}
	need |= rct_differ(p->cut | (p->flags & RCT_OP_AETH) * (p->syndrome >> 5), 0) * RCT_DO_AETH;
	if (p->flags & RCT_OP_RSP)
		need |= rct_rsp_fast(r, p);
	*ret_kind = rct_kind(p, op, &need);
	need |= rct_word_fast(r, p, *ret_kind, ret_flushed);
	if (!need)
		return 0;
	return need | (idle < RCT_IDLE_MAX ? idle : RCT_IDLE_MAX) << RCT_IDLE_AT;
}

/* ------------------------------------------------------------------ cold */

/* Adds the run that w carries. */
RCT_INLINE void rct_flush(struct rct_row *r, struct rct_cold *c, u64 w)
{
	u32 n = RCT_W_PACKETS(w), size = RCT_W_SIZE(w);

	if (!n)
		return;
	RCT_ADD(&c->ops[RCT_W_OP(w)], n);
	RCT_ADD(&r->bytes, RCT_W_BYTES(w));
	if (size)
		RCT_ADD(&c->sizes[(size - 1) & (RCT_SIZES - 1)], n);
}

RCT_INLINE void rct_attr_step(struct rct_row *r, struct rct_cold *c, u64 attr)
{
	u64 x = RCT_XCHG(&r->attr, attr) ^ attr;

	if (RCT_ATTR_SPORT(x))
		RCT_ADD(&c->sport_changes, 1);
	if (RCT_ATTR_VLAN(x))
		RCT_ADD(&c->vlan_changes, 1);
	if (RCT_ATTR_PKEY(x))
		RCT_ADD(&c->pkey_changes, 1);
	if (RCT_ATTR_DSCP(x))
		RCT_ADD(&c->dscp_changes, 1);
	if (RCT_ATTR_TTL(x))
		RCT_ADD(&c->ttl_changes, 1);
}

RCT_INLINE void rct_aeth_step(struct rct_cold *c, const struct rct_pkt *p)
{
	u32 code = p->syndrome & 0x1f;

	if (p->cut) {
		RCT_ADD(&c->cut, 1);
		if (p->flags & RCT_OP_AETH)
			RCT_ADD(&c->aeth_cut, 1);
		return;
	}
	if (p->syndrome >> 5 == 1) {
		RCT_ADD(&c->rnr_naks, 1);
		c->rnr_timer = code;
	} else if (p->syndrome >> 5 == 3 && code < 5) {
		RCT_ADD(&c->naks[code], 1);
	} else {
		RCT_ADD(&c->reserved_aeth, 1);
	}
}

/* Length of a message that only its last packet tells, and lengths beyond the word. */
RCT_INLINE void rct_size_step(struct rct_cold *c, const struct rct_pkt *p)
{
	u32 len = p->dma_len;

	if (p->flags & RCT_OP_SENDEND) {
		if (!c->send_mtu)
			return;		/* began before the trace, or was repeated in part */
		len = ((p->psn - c->send_psn) & RCT_W_PSN) * c->send_mtu + p->payload;
		c->send_mtu = 0;
	} else if (!rct_size_known(p)) {
		c->send_psn = p->psn;
		c->send_mtu = p->payload;
		return;
	}
	RCT_ADD(&c->sizes[rct_size_class(len) & (RCT_SIZES - 1)], 1);
}

/* A whole power of two from 256 to 4096: a path MTU. Returns its log2, or 0. */
RCT_INLINE u32 rct_mtu_shift(u32 payload)
{
	return payload == 256 ? 8 : payload == 512 ? 9 : payload == 1024 ? 10 :
	       payload == 2048 ? 11 : payload == 4096 ? 12 : 0;
}

/*
 * A FIRST carries exactly the path MTU: so much of a SEND, or of a message that is
 * too long for the word, comes here anyway. A READ behind it then takes a known
 * number of PSNs. (In order, those of short WRITEs don't tell: it isn't worth the time.)
 */
RCT_INLINE void rct_mtu_step(struct rct_row *r, const struct rct_pkt *p)
{
	if (!r->mtu_shift && (p->op == 0 || p->op == 6))
		r->mtu_shift = rct_mtu_shift(p->payload);
}

/* ---- the slow step: on state that the lock holder owns */

/*
 * Picks among the holes without a branch, all values being below 2^31: with
 * branches the verifier walks every combination of six holes and gives up.
 */
RCT_INLINE u32 rct_choose(u32 cond, u32 yes, u32 no)
{
	return no ^ ((yes ^ no) & (0u - cond));
}

struct rct_hole_pick {
	u32 hit;		/* hole that holds the PSN, + 1; 0: none */
	u32 free;		/* place that is not in use, + 1; 0: none */
	u32 oldest;		/* lowest PSN */
};

RCT_INLINE struct rct_hole_pick rct_holes_look(const struct rct_cold *c, u32 psn)
{
	struct rct_hole_pick k = {};
	u32 far = 0, empty, farther, d;

	for (u32 i = 0; i < RCT_HOLES; i++) {
		const struct rct_hole *h = &c->holes[i];

		empty = rct_less(h->n, 1);
		k.free = rct_choose(empty, i + 1, k.free);
		/* two hold it only where a READ of unknown extent re-anchored before a hole */
		k.hit = rct_choose(rct_less((psn - h->start) & RCT_W_PSN, h->n), i + 1, k.hit);
		/* how far behind: holes lie up to a window before and after psn */
		d = rct_choose(empty, 0, (psn + RCT_PSN_WINDOW - h->start) & RCT_W_PSN);
		farther = rct_less(far, d);
		k.oldest = rct_choose(farther, i, k.oldest);
		far = rct_choose(farther, d, far);
	}
	return k;
}

/* A new hole, in a free place or in the oldest hole's, which is given up. */
RCT_INLINE void rct_hole_put(struct rct_cold *c, struct rct_hole_pick k, u32 start, u32 n, u32 cpu)
{
	u32 at = k.free ? k.free - 1 : k.oldest;
	struct rct_hole *h;

	RCT_OPAQUE(at);
	if (at >= RCT_HOLES)
		return;
	h = &c->holes[at];
	c->given_up += h->n;		/* 0 in a free place */
	h->start = start & RCT_W_PSN;
	h->n = n;
	h->cpu = cpu;
}

/* Takes [psn, psn + n) out of the hole it starts in. Returns the PSNs taken, 0: no such hole. */
RCT_INLINE u32 rct_hole_fill(struct rct_cold *c, u32 psn, u32 n, u32 cpu)
{
	struct rct_hole_pick k = rct_holes_look(c, psn);
	u32 at = k.hit - 1, off, len, opener;
	struct rct_hole *h;

	RCT_OPAQUE(at);
	if (at >= RCT_HOLES)
		return 0;
	h = &c->holes[at];
	off = (psn - h->start) & RCT_W_PSN;
	len = h->n;
	opener = h->cpu;
	if (n > len - off)
		n = len - off;
	if (opener != cpu)
		c->cross_cpu++;
	c->missing -= n;
	h->n = off;
	if (off + n == len)
		return n;
	/* the part behind: in the same place, or, a split, in one of its own */
	if (!off)
		k.free = at + 1;
	rct_hole_put(c, k, psn + n, len - off - n, opener);
	return n;
}

/* d PSNs from start on are missing. */
RCT_INLINE void rct_hole_open(struct rct_cold *c, u32 start, u32 d, u32 cpu)
{
	c->gaps++;
	c->missing += d;
	rct_hole_put(c, rct_holes_look(c, start), start, d, cpu);
}

RCT_INLINE void rct_holes_drop(struct rct_cold *c)
{
	for (u32 i = 0; i < RCT_HOLES; i++)
		c->holes[i].n = 0;
}

/*
 * A request behind a READ whose path MTU is unknown. Returns true where its PSN
 * is one that the READ can end at; the others are ruled out.
 */
RCT_INLINE bool rct_read_resolve(struct rct_row *r, struct rct_cold *c, u32 psn)
{
	u32 mask = 0;

	for (u32 i = 0; i < 5; i++) {
		u32 at = (c->read_psn + rct_read_psns(c->read_len, 8 + i)) & RCT_W_PSN;

		if (at == psn)
			mask |= 1u << i;
	}
	mask &= ~c->mtu_not;
	if (!mask)
		return false;
	c->mtu_not = ~mask;
	if (!(mask & (mask - 1)))
		r->mtu_shift = mask == 1 ? 8 : mask == 2 ? 9 : mask == 4 ? 10 : mask == 8 ? 11 : 12;
	return true;
}

/* What the slow step saw; for the events that user space joins to causes. */
#define RCT_EV_GAP	0x01
#define RCT_EV_LATE	0x02	/* fills a hole */
#define RCT_EV_BACK	0x04	/* repeated, and starts a run backwards */
#define RCT_EV_RESYNC	0x08
#define RCT_EV_FILL	0x10	/* late, and starts a run backwards: a repair, or reordering */

/*
 * A step back. Returns true where it starts a run, false where it continues one:
 * from the run's last PSN on, over what was lost again before it came here.
 */
RCT_INLINE bool rct_back_step(struct rct_cold *c, u32 psn, u32 n, u32 next)
{
	bool starts = !c->back_open || rct_psn_diff(psn, c->back_next) < 0;

	c->back_next = (psn + (n ? n : 1)) & RCT_W_PSN;
	c->back_open = c->back_next != next;
	return starts;
}

/*
 * A request's PSN against next. Design of the counts: docs/numbers.md.
 * Returns the new low 25 bits of the word: next and RCT_W_SLOW.
 */
RCT_INLINE u64 rct_req_slow(struct rct_row *r, struct rct_cold *c, const struct rct_pkt *p,
			    u64 w, u32 cpu, u32 *ev)
{
	u32 next = w & RCT_W_PSN, psn = p->psn, n, shift = p->payload && p->flags & RCT_OP_REQ &&
		(p->op == 0 || p->op == 1 || p->op == 6 || p->op == 7) ? rct_mtu_shift(p->payload) : 0;
	bool anchored = !(w & RCT_W_SLOW), open = c->read_len != 0;
	s32 d;

	/* a FIRST or MIDDLE carries exactly the path MTU */
	if (shift && !r->mtu_shift)
		r->mtu_shift = shift;
	n = rct_psns(p, r->mtu_shift);
	if (open) {
		/* behind a READ of unknown extent */
		if (!r->mtu_shift || c->read_len == RCT_READ_CUT) {
			if (c->read_len != RCT_READ_CUT && rct_read_resolve(r, c, psn))
				next = psn;
			else
				c->reanchored++;
			anchored = false;
		} else {
			next = (c->read_psn + rct_read_psns(c->read_len, r->mtu_shift)) & RCT_W_PSN;
			anchored = true;
		}
		c->read_len = 0;
		if (r->mtu_shift)
			n = rct_psns(p, r->mtu_shift);
	}
	d = rct_psn_diff(psn, next);
	if (anchored && d < 0 && d >= -RCT_PSN_WINDOW) {
		if (rct_hole_fill(c, psn, n ? n : 1, cpu)) {
			c->late++;
			*ev |= RCT_EV_LATE;
			if (rct_back_step(c, psn, n, next))
				*ev |= RCT_EV_FILL;
		} else {
			c->repeated++;
			if (rct_back_step(c, psn, n, next)) {
				c->steps_back++;
				*ev |= RCT_EV_BACK;
			}
		}
		return next;
	}
	if (anchored && (d > RCT_PSN_WINDOW || d < -RCT_PSN_WINDOW)) {
		c->resync++;
		*ev |= RCT_EV_RESYNC;
		rct_holes_drop(c);
		c->back_open = 0;
	} else if (anchored && d > 0) {
		rct_hole_open(c, next, d, cpu);
		*ev |= RCT_EV_GAP;
	}
	if (n)
		return (psn + n) & RCT_W_PSN;
	c->read_psn = psn;
	c->read_len = p->cut ? RCT_READ_CUT : p->dma_len;
	return ((psn + 1) & RCT_W_PSN) | RCT_W_SLOW;
}

/*
 * A READ response that is not simply the next one. Others may step row->rsp
 * meanwhile without the lock, so what was judged must still hold when it is set.
 */
RCT_INLINE void rct_rsp_slow(struct rct_row *r, struct rct_cold *c, const struct rct_pkt *p, u32 *ev)
{
	u64 old, new = RCT_R_ANCHORED | ((p->psn + 1) & RCT_W_PSN);
	bool anchored, set = false;
	s32 d;

	for (int i = 0; i < 4; i++) {
		old = RCT_READ(r->rsp);
		anchored = old & RCT_R_ANCHORED;
		d = rct_psn_diff(p->psn, old & RCT_W_PSN);
		if (anchored && d < 0 && d >= -RCT_PSN_WINDOW) {
			c->rsp_repeated++;
			return;
		}
		if (RCT_CAS(&r->rsp, old, new) == old) {
			set = true;
			break;
		}
	}
	if (!anchored || !set)
		return;
	if (d > RCT_PSN_WINDOW || d < -RCT_PSN_WINDOW) {
		c->resync++;
		*ev |= RCT_EV_RESYNC;
	} else if (d > 0 && !(p->flags & RCT_OP_START)) {
		c->rsp_gaps++;
		c->rsp_missing += d;
		*ev |= RCT_EV_GAP;
	}
}

/*
 * Under the lock: what of rct_row_step()'s result must see the flow alone.
 * Returns RCT_EV_*.
 */
RCT_INLINE u32 rct_locked_step(struct rct_row *r, struct rct_cold *c, const struct rct_pkt *p,
			       u32 need, u32 kind, u32 cpu)
{
	u32 ev = 0;
	u64 w, low;

	if (need & RCT_DO_RSP)
		rct_rsp_slow(r, c, p, &ev);
	if (need & RCT_DO_SLOW) {
		w = RCT_OR(&r->word, RCT_W_BUSY);
		rct_flush(r, c, w);
		low = w & (RCT_W_PSN | RCT_W_SLOW);
		if (p->flags & RCT_OP_REQ)
			low = rct_req_slow(r, c, p, w, cpu, &ev);
		if (p->wire_len > RCT_W_LEN_MAX) {
			RCT_ADD(&r->bytes, p->wire_len - RCT_W_LEN_MAX);
			low |= (u64)RCT_W_LEN_MAX << RCT_W_BYTES_AT;
		} else {
			low |= (u64)p->wire_len << RCT_W_BYTES_AT;
		}
		RCT_XCHG(&r->word, low | (u64)kind << RCT_W_KIND_AT | 1ULL << RCT_W_COUNT_AT);
	}
	return ev;
}

/*
 * Does what rct_row_step() left to do. The caller found the row's cold part.
 * Returns RCT_EV_*.
 */
RCT_INLINE u32 rct_cold_step(struct rct_row *r, struct rct_cold *c, struct rct_pkt *p,
			     const struct rct_now *now, u32 need, u32 kind, u64 flushed)
{
	u32 ev = 0;

	if (need & RCT_DO_FLUSH)
		rct_flush(r, c, flushed);
	if (need & RCT_DO_ATTR)
		rct_attr_step(r, c, p->attr);
	if (need & RCT_DO_ECN)
		RCT_ADD(&c->ecn[p->ecn & 3], 1);
	if (need & RCT_DO_EXTRA)
		RCT_ADD(&c->extra, (s64)p->wire_len - p->payload - r->overhead -
				   ((kind & 0x1f) == RCT_OPN_OTHER ? 0 : p->ext));
	if (need & RCT_DO_AETH)
		rct_aeth_step(c, p);
	if (need & RCT_DO_SIZE) {
		rct_size_step(c, p);
		rct_mtu_step(r, p);
	}
	if (need & (RCT_DO_SLOW | RCT_DO_RSP)) {
		RCT_LOCK(&c->lock);
		ev = rct_locked_step(r, c, p, need, kind, now->cpu);
		RCT_UNLOCK(&c->lock);
	}
	return ev;
}

#endif
