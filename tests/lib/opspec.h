/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The opcodes, typed in a second time from the specification's tables (Vol 1,
 * 9.2 table of opcodes, 9.3 extension headers) for the tests to compare with:
 * which extension headers, in order, and what the packet is.
 */
#ifndef RCT_TEST_OPSPEC_H
#define RCT_TEST_OPSPEC_H

#include "lib/part.h"

enum rct_opkind { OP_REQUEST, OP_RESPONSE, OP_ACK, OP_DATAGRAM, OP_NOTICE };

struct rct_opspec {
	u8 op;
	const char *name;
	u8 heads[4];		/* PART_* after the BTH, 0-terminated */
	u8 kind;		/* enum rct_opkind */
	bool message;		/* begins a message that is counted */
};

extern const struct rct_opspec rct_opspecs[];
extern const size_t rct_n_opspecs;

/* The row of an opcode, or NULL. */
const struct rct_opspec *rct_opspec(u8 op);

/* Bytes of extension headers. */
u32 rct_opspec_ext(const struct rct_opspec *s);

/* What the frame of a RoCE v2 packet over IPv4 says, beyond the usual. */
struct rct_brief {
	u8 op, syn, tos, ttl, pad, ack;
	u16 tci;		/* 0: no tag */
	u32 qp, psn, len, dma, sport, dport, pkey;
	const char *src, *dst;
	bool v6;
};

/* Builds it with the extension headers of its opcode. Returns the length. */
u32 rct_build_brief(const struct rct_brief *f, u8 *buf, size_t size);

#endif
