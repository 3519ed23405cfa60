/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parser's case table: frame, verdict, fields. One table for the host build
 * (tests/unit/test_wire.c), for the loaded programs (tests/bpf/testrun.c) and
 * for both at once (tests/bpf/parity.c).
 */
#ifndef RCT_TEST_CASES_H
#define RCT_TEST_CASES_H

#include "lib/part.h"
#include "wire.h"

/* What the parser must say of a packet; 0 or NULL: the usual, as in part.h. */
struct rct_want {
	u8 family, dir;			/* 0: IPv4 */
	const char *src, *dst;
	u32 qp, psn, pkey, sport, vlan;	/* vlan 0: untagged */
	u8 tos, ttl;
	u8 tunnel;
	u32 tunnel_id;
	u8 op;				/* the opcode byte */
	u32 payload, dma;		/* dma 0: the payload */
	u8 ext, pad, syn, ack;
	bool cut;			/* a header that counts is not in the data */
	u32 bth;			/* offset; 0: not checked */
};

struct rct_pause_want {
	u8 pfc, classes;
	u16 quanta[8];
};

struct rct_case {
	const char *name;
	const struct rct_part *parts;
	int verdict;
	struct rct_want want;
	struct rct_pause_want pause;	/* where the verdict is RCT_PAUSE */
	u32 cut;			/* only so many bytes are there; 0: all */
	u16 ethertype;			/* what the data starts with; 0: Ethernet. Not at XDP and tc */
	u32 hook_vlan;			/* tag outside the frame; 0: none. Not at XDP and tc */
};

#define RCT_CASE_MAX	70000		/* bytes of the longest frame */

extern const struct rct_case rct_cases[];
extern const size_t rct_n_cases;

/* Builds a case's frame. *f points into buf. */
void rct_case_frame(const struct rct_case *c, u8 *buf, size_t size, struct rct_frame *f);

/*
 * Compares what was parsed with what the case wants. Returns NULL, or the name
 * of the field that differs, with both values.
 */
const char *rct_case_differs(const struct rct_case *c, const struct rct_pkt *p,
			     u64 *ret_got, u64 *ret_want);

/* The key that the case wants. */
struct rct_key rct_case_key(const struct rct_case *c, u16 slot, u8 dir);

#endif
