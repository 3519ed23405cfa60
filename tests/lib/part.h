/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames for tests, from a list of parts: written byte by byte after the
 * standards, with nothing of the parser's own tables or structures, so that a
 * mistake in one is not repeated in the other.
 *
 *	rct_build(PARTS(ETH(), IP4(.tos = 2), UDP(), BTH(.op = 4), DATA(64), ICRC()), buf, size);
 *
 * What a part does not say is usual: types, protocols and lengths follow from
 * the parts behind it, addresses and numbers are the RCT_D_* below.
 */
#ifndef RCT_TEST_PART_H
#define RCT_TEST_PART_H

#include <stddef.h>

#include "types.h"

/* What is usual. */
#define RCT_D_SRC4	"10.1.0.1"
#define RCT_D_DST4	"10.1.0.2"
#define RCT_D_SRC6	"fd00::1"
#define RCT_D_DST6	"fd00::2"
#define RCT_D_TTL	64
#define RCT_D_SPORT	0xc001
#define RCT_D_QP	0x123456
#define RCT_D_PSN	0x010203
#define RCT_D_PKEY	0xffff

/* Where 0 means the usual value: really zero. */
#define RCT_ZERO	0x80000000u

enum rct_part_kind {
	PART_END,
	PART_ETH, PART_TAG, PART_IP4, PART_IP6, PART_EXT, PART_FRAG, PART_AH, PART_UDP, PART_TCP,
	PART_VXLAN, PART_GENEVE, PART_GRE, PART_ERSPAN1, PART_ERSPAN2, PART_ERSPAN3, PART_GRH,
	PART_BTH, PART_XRCETH, PART_RETH, PART_AETH, PART_IMM, PART_IETH, PART_ATOMIC,
	PART_ATOMICACK, PART_DETH, PART_DATA, PART_PAD, PART_ICRC, PART_TRAIL,
	PART_PAUSE, PART_PFC, PART_MACCTL,
};

/* One member serves several kinds; the macros below say which they take. */
struct rct_part {
	u8 kind;
	u8 ver;			/* version field: of IP4, IP6, GENEVE, BTH; 0: the right one */
	u8 ihl;			/* IP4 header length field; 0: the right one */
	u8 tos, ttl, proto;	/* proto also EXT: which extension header */
	u8 flags;		/* ETH, VXLAN, GRE: header bits; BTH: 0x80 SE, 0x40 MigReq */
	u8 ack;			/* BTH: AckReq */
	u8 pad;			/* BTH: pad count */
	u8 syn;			/* AETH: syndrome */
	u8 op;			/* BTH: opcode */
	u16 type;		/* ethertype or protocol type; 0: that of the part behind */
	u16 tci;		/* TAG */
	u16 frag;		/* IP4: flags and offset; FRAG: offset and M */
	u16 words;		/* IP4, GENEVE: 4-byte words of options; EXT: 8-byte units; AH: words */
	u16 quanta[8];		/* PAUSE, PFC */
	u32 sport, dport;	/* UDP */
	u32 id;			/* VNI, GRE key, ERSPAN session, PFC classes, MAC control opcode, MSN, IP id */
	u32 qp, psn, pkey;	/* BTH */
	u32 dma;		/* RETH */
	u32 n;			/* DATA, PAD, TRAIL: bytes */
	int lie;		/* IP4, IP6, UDP: added to the true length */
	const char *src, *dst;	/* IP4, IP6, GRH */
};

#define ETH(...)	{ .kind = PART_ETH, ##__VA_ARGS__ }	/* type */
#define TAG(...)	{ .kind = PART_TAG, ##__VA_ARGS__ }	/* tci; dport: TPID, 0x8100 */
#define IP4(...)	{ .kind = PART_IP4, ##__VA_ARGS__ }	/* src dst tos ttl proto frag id words ihl ver lie */
#define IP6(...)	{ .kind = PART_IP6, ##__VA_ARGS__ }	/* src dst tos ttl proto ver lie */
#define EXT(...)	{ .kind = PART_EXT, ##__VA_ARGS__ }	/* proto (0, 43, 60, 135) words */
#define FRAG(...)	{ .kind = PART_FRAG, ##__VA_ARGS__ }	/* frag id; type: next header where it isn't the next part's */
#define AH(...)		{ .kind = PART_AH, ##__VA_ARGS__ }	/* words of check value */
#define UDP(...)	{ .kind = PART_UDP, ##__VA_ARGS__ }	/* sport dport lie */
#define TCP()		{ .kind = PART_TCP }
#define VXLAN(...)	{ .kind = PART_VXLAN, ##__VA_ARGS__ }	/* id; flags: instead of 0x08 */
#define GENEVE(...)	{ .kind = PART_GENEVE, ##__VA_ARGS__ }	/* id words type ver */
#define GRE(...)	{ .kind = PART_GRE, ##__VA_ARGS__ }	/* flags (0x80 C, 0x40 R, 0x20 K, 0x10 S) id type ver */
#define ERSPAN1()	{ .kind = PART_ERSPAN1 }
#define ERSPAN2(...)	{ .kind = PART_ERSPAN2, ##__VA_ARGS__ }	/* id */
#define ERSPAN3(...)	{ .kind = PART_ERSPAN3, ##__VA_ARGS__ }	/* id; flags 1: platform subheader */
#define GRH(...)	{ .kind = PART_GRH, ##__VA_ARGS__ }	/* as IP6 */
#define BTH(...)	{ .kind = PART_BTH, ##__VA_ARGS__ }	/* op qp psn pkey ack pad flags ver */
#define XRCETH()	{ .kind = PART_XRCETH }
#define RETH(...)	{ .kind = PART_RETH, ##__VA_ARGS__ }	/* dma */
#define AETH(...)	{ .kind = PART_AETH, ##__VA_ARGS__ }	/* syn, id: MSN */
#define IMM()		{ .kind = PART_IMM }
#define IETH()		{ .kind = PART_IETH }
#define ATOMIC()	{ .kind = PART_ATOMIC }
#define ATOMICACK()	{ .kind = PART_ATOMICACK }
#define DETH()		{ .kind = PART_DETH }
#define DATA(bytes)	{ .kind = PART_DATA, .n = (bytes) }
#define PADDING(bytes)	{ .kind = PART_PAD, .n = (bytes) }	/* BTH's .pad says the same */
#define ICRC()		{ .kind = PART_ICRC }
#define TRAIL(bytes)	{ .kind = PART_TRAIL, .n = (bytes) }	/* Ethernet padding: in no length field */
#define PAUSE(...)	{ .kind = PART_PAUSE, ##__VA_ARGS__ }	/* quanta[0] */
#define PFC(...)	{ .kind = PART_PFC, ##__VA_ARGS__ }	/* id (classes) quanta */
#define MACCTL(code)	{ .kind = PART_MACCTL, .id = (code) }

#define PARTS(...)	((const struct rct_part[]){ __VA_ARGS__, { .kind = PART_END } })
#define PARTS_MAX	32

/* Writes the frame. Returns its length; aborts where it doesn't fit: a test's mistake. */
u32 rct_build(const struct rct_part *parts, u8 *buf, size_t size);

/* CRC-32 of Ethernet, one bit at a time. */
u32 rct_test_crc32(u32 crc, const u8 *p, size_t n);

/* A pseudo-random number, the same on every run. *state: any seed. */
u32 rct_test_random(u64 *state);

#endif
