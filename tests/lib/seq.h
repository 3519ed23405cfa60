/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sequences of packets of one flow in a few letters, and what must be counted of
 * them: design and docs/numbers.md as a table. Run through the host build
 * (tests/unit/test_flow.c) and through the loaded programs (tests/bpf/testrun.c).
 *
 *	LETTER PSN [..LAST] [:NUMBER] [@CPU]	packets divided by blanks
 *
 * S send only			f m l  send first, middle, last
 * W write only			F M L  write first, middle, last
 * R read request		x y z p  read response first, middle, last, only
 * A compare and swap		a  atomic acknowledgement
 * k acknowledgement		n  NAK, sequence error		r  RNR NAK
 * u UC send only		U  UD send only		X  XRC send only
 * C congestion notification	H  flush		?  an operation that RC has not
 *
 * NUMBER: of R its length, of k n r the syndrome, else the payload (64; of a first
 * or middle packet 1024). PSNs are taken modulo 2^24.
 */
#ifndef RCT_TEST_SEQ_H
#define RCT_TEST_SEQ_H

#include "lib/opspec.h"
#include "model/snapshot.h"

struct rct_seq_want {
	u64 gaps, missing, late, repeated, given_up, resync, reanchored, cross_cpu;
	u64 rsp_gaps, rsp_missing, rsp_repeated;
	u64 steps_back;
	u64 messages, acks, cnp;
	u64 path_mtu;
	u8 transport;
};

struct rct_seq {
	const char *name, *packets;
	struct rct_seq_want want;
};

extern const struct rct_seq rct_seqs[];
extern const size_t rct_n_seqs;

/* Where the reader of a sequence is. */
struct rct_seq_at {
	const char *text;
	struct rct_brief brief;
	u32 last, cpu;		/* of a range that is not at its end */
	bool range;
};

/* The next packet: true, and *a says what it is (brief, cpu). False: the end. */
bool rct_seq_next(struct rct_seq_at *a);

/* The frame of the packet that *a is at, to destination QP qp. Returns its length. */
u32 rct_seq_frame(const struct rct_seq_at *a, u32 qp, u8 *buf, size_t size);

/* NULL, or the name of the count that is not as the sequence wants it. */
const char *rct_seq_differs(const struct rct_seq *s, const struct rct_flow *f, u64 *ret_got, u64 *ret_want);

#endif
