/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the BPF programs and user space share beyond the flow rows of flow.h:
 * limits, the programs' configuration, their counters and their events.
 */
#ifndef RCT_ABI_H
#define RCT_ABI_H

#include "flow.h"

#define RCT_SLOTS	64	/* interfaces that can be traced at once */
#define RCT_SLOT_HASH	256	/* places of the table ifindex -> slot */
#define RCT_SLOT_TRIES	4
#define RCT_PROBES	32	/* rows that a search looks at */

/*
 * Rows for a number of flows: half as many again, so that 32 probes, each at a
 * place of its own, find room with near certainty (0.67^32 = 2e-6 at the last flow).
 */
#define RCT_ROWS(flows)	((flows) + (flows) / 2)

/* Written by user space, before load (rodata). */
struct rct_config {
	u64 seed[6];		/* odd and random: nobody can aim at one row */
	u32 rows;
	u32 netns;		/* inode of the traced network namespace; netdev hook */
	u8 buff_len;		/* bpf_xdp_get_buff_len is there (Linux 5.18) */
	u8 dynptr;		/* bpf_dynptr_from_skb works in tp_btf (Linux 6.12) */
	u8 frag0;		/* frag 0 by page arithmetic: x86-64, symbols known */
	u8 events;		/* write events */
};

/* Where an ifindex goes. Written by user space while programs run: one word. */
#define RCT_SLOT_USED		(1ULL << 63)
#define RCT_SLOT_RX_ONLY	(1ULL << 62)	/* member of a bond: transmit is counted at the bond */
#define RCT_SLOT_NO_MAC		(1ULL << 61)	/* the device's frames have no Ethernet header */
#define RCT_SLOT_WORD(ifindex, slot, flags) ((u64)(ifindex) | (u64)(slot) << 32 | RCT_SLOT_USED | (flags))
#define RCT_SLOT_IFINDEX(w)	((u32)(w))
#define RCT_SLOT_NR(w)		((u16)((w) >> 32))
#define RCT_SLOT_AT(ifindex, try) (((ifindex) + (try)) & (RCT_SLOT_HASH - 1))

/* Per CPU and slot. A RoCE packet in a flow's row is counted there, not here. */
struct rct_stats {
	u64 verdict[RCT_VERDICT_COUNT];	/* [RCT_OK]: overflow packets, in no row */
	u64 overflow_bytes;
	u64 events_lost;
};

/* Per slot and direction: pause frames that were seen as packets. */
struct rct_pauses {
	u64 global_frames;
	u64 global_quanta;
	u64 frames;		/* PFC */
	u64 pad;
	u64 xoff[8];		/* by class: quanta > 0 */
	u64 xon[8];		/* by class: quanta = 0 */
	u64 quanta[8];
};

enum rct_rec_type {
	RCT_REC_NAK = 1,	/* NAK or RNR NAK; arg: syndrome */
	RCT_REC_BACK,		/* a repeated request starts a run backwards; arg: ticks of silence before it */
	RCT_REC_FILL,		/* one that fills a hole does; arg: the same */
};

/* Ring record. */
struct rct_rec {
	u32 type;		/* enum rct_rec_type, first in every record */
	u32 psn;
	u64 ns;			/* CLOCK_MONOTONIC */
	u32 arg;
	u32 cpu;
	struct rct_key key;
};

#define RCT_RING_BYTES	(1 << 18)

_Static_assert(sizeof(struct rct_stats) % 8 == 0, "per-CPU values are copied in words");
_Static_assert(sizeof(struct rct_rec) == 72, "record has no padding");

/*
 * A sum of products with odd random factors, which don't wait for each other, and
 * one mix. Bits of a word reach only upwards in a product, so an address goes in
 * with its last byte, where hosts differ, lowest: as it lies in memory, a sender's
 * and a receiver's bits would cancel out, and all pairs of 256 hosts share 256
 * values. The mix breaks the lattice that numbers in a row, such as QPs, make of
 * the sum: without it they crowd, and the probes of a crowd meet.
 */
RCT_INLINE u64 rct_hash(const struct rct_key *k, const volatile u64 *seed)
{
	const u64 *w = (const u64 *)k;
	u64 h = (RCT_NTOH64(w[0]) * seed[0] + RCT_NTOH64(w[1]) * seed[1]) +
		(RCT_NTOH64(w[2]) * seed[2] + RCT_NTOH64(w[3]) * seed[3]) +
		(w[4] * seed[4] + w[5] * seed[5]);

	return (h ^ h >> 32) * 0x9e3779b97f4a7c15;	/* 2^64 by the golden ratio */
}

/* The jump between two probes: odd, and of other bits than the place, the high half. */
RCT_INLINE u32 rct_stride(u64 hash)
{
	return (u32)hash | 1;
}

RCT_INLINE bool rct_key_equal(const struct rct_key *a, const struct rct_key *b)
{
	const u64 *x = (const u64 *)a, *y = (const u64 *)b;

	return !((x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) |
		 (x[3] ^ y[3]) | (x[4] ^ y[4]) | (x[5] ^ y[5]));
}

#endif
