/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The base transport header's opcodes: value, name, bytes of extension headers
 * after the BTH, class. All else that depends on an opcode derives from this
 * list. Source: InfiniBand Architecture Specification Vol 1, 9.2 and 9.4
 * (table of opcodes), annex A17 for the CNP; the same values are in the
 * kernel's include/rdma/ib_pack.h.
 */
#ifndef RCT_OPCODE_H
#define RCT_OPCODE_H

#include "types.h"

/* Transport: the top three bits of an opcode. */
enum rct_transport {
	RCT_RC = 0, RCT_UC = 1, RCT_RD = 2, RCT_UD = 3,
	RCT_CNP = 4, RCT_XRC = 5,
	RCT_TRANSPORT_NONE = 8,		/* none seen yet (only CNPs so far) */
};

/* What a packet of this opcode does. */
#define RCT_OP_REQ	0x01	/* consumes PSNs of the requester's space */
#define RCT_OP_RSP	0x02	/* READ response: PSN of the request it answers */
#define RCT_OP_START	0x04	/* FIRST or ONLY: starts a message or a response */
#define RCT_OP_MSG	0x08	/* counts as a message (START of a request) */
#define RCT_OP_SENDEND	0x10	/* LAST of a SEND: its message's length is known here */
#define RCT_OP_RETH	0x20	/* carries the RDMA header with the whole length */
#define RCT_OP_AETH	0x40	/* ACK or NAK: carries a syndrome that counts */
#define RCT_OP_KNOWN	0x80

/*
 * X(opcode, name, extension bytes, flags). "ONLY" messages have START and MSG
 * and no LAST. READ is written READ_REQUEST, as in the specification.
 */
#define RCT_REQ_OPS(X, base, T, x)						\
	X(base + 0x00, T "_SEND_FIRST",		x + 0,	RCT_OP_REQ | RCT_OP_START | RCT_OP_MSG) \
	X(base + 0x01, T "_SEND_MIDDLE",	x + 0,	RCT_OP_REQ)		\
	X(base + 0x02, T "_SEND_LAST",		x + 0,	RCT_OP_REQ | RCT_OP_SENDEND) \
	X(base + 0x03, T "_SEND_LAST_IMM",	x + 4,	RCT_OP_REQ | RCT_OP_SENDEND) \
	X(base + 0x04, T "_SEND_ONLY",		x + 0,	RCT_OP_REQ | RCT_OP_START | RCT_OP_MSG) \
	X(base + 0x05, T "_SEND_ONLY_IMM",	x + 4,	RCT_OP_REQ | RCT_OP_START | RCT_OP_MSG) \
	X(base + 0x06, T "_WRITE_FIRST",	x + 16,	RCT_OP_REQ | RCT_OP_START | RCT_OP_MSG | RCT_OP_RETH) \
	X(base + 0x07, T "_WRITE_MIDDLE",	x + 0,	RCT_OP_REQ)		\
	X(base + 0x08, T "_WRITE_LAST",		x + 0,	RCT_OP_REQ)		\
	X(base + 0x09, T "_WRITE_LAST_IMM",	x + 4,	RCT_OP_REQ)		\
	X(base + 0x0a, T "_WRITE_ONLY",		x + 16,	RCT_OP_REQ | RCT_OP_START | RCT_OP_MSG | RCT_OP_RETH) \
	X(base + 0x0b, T "_WRITE_ONLY_IMM",	x + 20,	RCT_OP_REQ | RCT_OP_START | RCT_OP_MSG | RCT_OP_RETH)

/* Only reliable transports: reads, atomics and everything that answers. */
#define RCT_RELIABLE_OPS(X, base, T, x)						\
	X(base + 0x0c, T "_READ_REQUEST",	x + 16,	RCT_OP_REQ | RCT_OP_START | RCT_OP_MSG | RCT_OP_RETH) \
	X(base + 0x0d, T "_READ_RESPONSE_FIRST", 4,	RCT_OP_RSP | RCT_OP_START) \
	X(base + 0x0e, T "_READ_RESPONSE_MIDDLE", 0,	RCT_OP_RSP)		\
	X(base + 0x0f, T "_READ_RESPONSE_LAST",	4,	RCT_OP_RSP)		\
	X(base + 0x10, T "_READ_RESPONSE_ONLY",	4,	RCT_OP_RSP | RCT_OP_START) \
	X(base + 0x11, T "_ACKNOWLEDGE",	4,	RCT_OP_AETH)		\
	X(base + 0x12, T "_ATOMIC_ACKNOWLEDGE",	12,	0)			\
	X(base + 0x13, T "_COMPARE_SWAP",	x + 28,	RCT_OP_REQ | RCT_OP_START | RCT_OP_MSG) \
	X(base + 0x14, T "_FETCH_ADD",		x + 28,	RCT_OP_REQ | RCT_OP_START | RCT_OP_MSG) \
	X(base + 0x16, T "_SEND_LAST_INV",	x + 4,	RCT_OP_REQ | RCT_OP_SENDEND) \
	X(base + 0x17, T "_SEND_ONLY_INV",	x + 4,	RCT_OP_REQ | RCT_OP_START | RCT_OP_MSG)

/* The reliable connection's later operations (IBTA 1.5; rxe from 6.2 on). */
#define RCT_LATE_OPS(X)								\
	X(0x1c, "RC_FLUSH",			20,	RCT_OP_REQ | RCT_OP_START) \
	X(0x1d, "RC_ATOMIC_WRITE",		16,	RCT_OP_REQ | RCT_OP_START | RCT_OP_MSG)

#define RCT_UD_OPS(X)								\
	X(0x64, "UD_SEND_ONLY",			8,	RCT_OP_START | RCT_OP_MSG) \
	X(0x65, "UD_SEND_ONLY_IMM",		12,	RCT_OP_START | RCT_OP_MSG)

#define RCT_OPCODE_CNP	0x81
#define RCT_CNP_OPS(X)	X(RCT_OPCODE_CNP, "CNP", 0, 0)

/* An XRC request has four more bytes, its XRCETH, directly after the BTH. */
#define RCT_XRCETH_LEN	4

#define RCT_OPCODES(X)								\
	RCT_REQ_OPS(X, 0x00, "RC", 0)						\
	RCT_RELIABLE_OPS(X, 0x00, "RC", 0)					\
	RCT_LATE_OPS(X)								\
	RCT_REQ_OPS(X, 0x20, "UC", 0)						\
	RCT_UD_OPS(X)								\
	RCT_CNP_OPS(X)								\
	RCT_REQ_OPS(X, 0xa0, "XRC", RCT_XRCETH_LEN)				\
	RCT_RELIABLE_OPS(X, 0xa0, "XRC", RCT_XRCETH_LEN)

/*
 * A flow has one transport, so it counts its packets by the operation alone
 * (five bits). Two operations that no transport uses stand for what is not of
 * the flow's transport.
 */
#define RCT_OPS		32
#define RCT_OPN_OTHER	0x1e	/* unknown operation, or another transport */
#define RCT_OPN_CNP	0x1f

/* What an opcode means, in one word, so that a packet takes it over at once. */
union rct_opcode {
	struct {
		u8 ext;		/* bytes of extension headers after the BTH */
		u8 flags;	/* RCT_OP_*; 0: not a known opcode */
		u8 op;		/* operation, or RCT_OPN_CNP */
		u8 transport;
	};
	u32 word;
};

#define RCT_OPCODE_ROW(opcode, name, ext, flags) \
	[opcode] = { { ext, RCT_OP_KNOWN | (flags), \
		       (opcode) == RCT_OPCODE_CNP ? RCT_OPN_CNP : (opcode) & 0x1f, (opcode) >> 5 } },
static const union rct_opcode rct_opcodes[256] = { RCT_OPCODES(RCT_OPCODE_ROW) };
#undef RCT_OPCODE_ROW

#endif
