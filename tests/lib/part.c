// SPDX-License-Identifier: BSD-2-Clause
#include "lib/part.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

/* A part and where it was put. */
struct put {
	const struct rct_part *p;
	u8 *at;
	const u8 *end;		/* of what the lengths count */
};

static void put16(u8 *b, u32 v)
{
	b[0] = v >> 8;
	b[1] = v;
}

static void put24(u8 *b, u32 v)
{
	b[0] = v >> 16;
	put16(b + 1, v);
}

static void put32(u8 *b, u32 v)
{
	put16(b, v >> 16);
	put16(b + 2, v);
}

static u32 usual(u32 v, u32 d)
{
	return v == RCT_ZERO ? 0 : v ? v : d;
}

static void put_address(u8 *b, int af, const char *text, const char *d)
{
	if (inet_pton(af, text ? text : d, b) != 1)
		abort();
}

/* The ethertype that stands before a part. */
static u32 ethertype(const struct rct_part *p)
{
	static const u16 of[] = {
		[PART_IP4] = 0x0800, [PART_IP6] = 0x86dd, [PART_GRH] = 0x8915,
		[PART_PAUSE] = 0x8808, [PART_PFC] = 0x8808, [PART_MACCTL] = 0x8808,
		[PART_ETH] = 0x6558, [PART_ERSPAN1] = 0x88be, [PART_ERSPAN2] = 0x88be,
		[PART_ERSPAN3] = 0x22eb,
	};

	if (p->kind == PART_TAG)
		return usual(p->dport, 0x8100);
	return p->kind < sizeof(of) / sizeof(of[0]) ? of[p->kind] : 0;
}

/* The IP protocol number of a part. */
static u8 protocol(const struct rct_part *p)
{
	static const u8 of[] = {
		[PART_IP4] = 4, [PART_IP6] = 41, [PART_FRAG] = 44, [PART_AH] = 51,
		[PART_UDP] = 17, [PART_TCP] = 6, [PART_GRE] = 47, [PART_BTH] = 0x1b,
	};

	if (p->kind == PART_EXT)
		return p->proto;
	return p->kind < sizeof(of) / sizeof(of[0]) ? of[p->kind] : 59;
}

static u32 size_of(const struct rct_part *p)
{
	static const u8 of[] = {
		[PART_ETH] = 14, [PART_TAG] = 4, [PART_IP4] = 20, [PART_IP6] = 40, [PART_EXT] = 8,
		[PART_FRAG] = 8, [PART_AH] = 12, [PART_UDP] = 8, [PART_TCP] = 20, [PART_VXLAN] = 8,
		[PART_GENEVE] = 8, [PART_GRE] = 4, [PART_ERSPAN2] = 8, [PART_ERSPAN3] = 12,
		[PART_GRH] = 40, [PART_BTH] = 12, [PART_XRCETH] = 4, [PART_RETH] = 16,
		[PART_AETH] = 4, [PART_IMM] = 4, [PART_IETH] = 4, [PART_ATOMIC] = 28,
		[PART_ATOMICACK] = 8, [PART_DETH] = 8, [PART_ICRC] = 4, [PART_PAUSE] = 46,
		[PART_PFC] = 46, [PART_MACCTL] = 46,
	};
	u32 n = p->kind < sizeof(of) / sizeof(of[0]) ? of[p->kind] : 0;

	switch (p->kind) {
	case PART_IP4:
	case PART_GENEVE:
	case PART_AH:
		return n + p->words * 4;
	case PART_EXT:
		return n + p->words * 8;
	case PART_GRE:
		return n + (p->flags & 0x80 ? 4 : 0) + (p->flags & 0x20 ? 4 : 0) +
		       (p->flags & 0x10 ? 4 : 0);
	case PART_ERSPAN3:
		return n + (p->flags & 1 ? 8 : 0);
	case PART_DATA:
	case PART_PAD:
	case PART_TRAIL:
		return p->n;
	default:
		return n;
	}
}

static void put_eth(u8 *b, const struct rct_part *p, const struct rct_part *next)
{
	static const u8 macs[12] = { 0x02, 0, 0, 0, 0, 2, 0x02, 0, 0, 0, 0, 1 };
	static const u8 control[6] = { 0x01, 0x80, 0xc2, 0, 0, 1 };

	memcpy(b, macs, 12);
	if (ethertype(next) == 0x8808)
		memcpy(b, control, 6);
	put16(b + 12, usual(p->type, ethertype(next)));
}

static void put_ip4(u8 *b, const struct rct_part *p, const struct rct_part *next, u32 len)
{
	u32 hlen = 20 + p->words * 4, sum = 0;

	b[0] = usual(p->ver, 4) << 4 | usual(p->ihl, hlen / 4);
	b[1] = p->tos;
	put16(b + 2, len + p->lie);
	put16(b + 4, p->id);
	put16(b + 6, p->frag);
	b[8] = usual(p->ttl, RCT_D_TTL);
	b[9] = usual(p->proto, protocol(next));
	put_address(b + 12, AF_INET, p->src, RCT_D_SRC4);
	put_address(b + 16, AF_INET, p->dst, RCT_D_DST4);
	memset(b + 20, 1, p->words * 4);	/* no-operation options */
	for (u32 i = 0; i < hlen; i += 2)
		sum += b[i] << 8 | b[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	put16(b + 10, ~(sum + (sum >> 16)));
}

static void put_ip6(u8 *b, const struct rct_part *p, const struct rct_part *next, u32 len)
{
	b[0] = usual(p->ver, 6) << 4 | p->tos >> 4;
	b[1] = p->tos << 4 | 0x5;		/* a flow label */
	put16(b + 2, 0xabcd);
	put16(b + 4, len - 40 + p->lie);
	b[6] = usual(p->proto, protocol(next));
	b[7] = usual(p->ttl, RCT_D_TTL);
	put_address(b + 8, AF_INET6, p->src, RCT_D_SRC6);
	put_address(b + 24, AF_INET6, p->dst, RCT_D_DST6);
}

static void put_gre(u8 *b, const struct rct_part *p, const struct rct_part *next)
{
	u32 at = 4 + (p->flags & 0x80 ? 4 : 0);

	b[0] = p->flags;
	b[1] = p->ver;
	put16(b + 2, usual(p->type, ethertype(next)));
	if (p->flags & 0x20)
		put32(b + at, p->id);
}

static void put_geneve(u8 *b, const struct rct_part *p, const struct rct_part *next)
{
	b[0] = p->ver << 6 | p->words;
	put16(b + 2, usual(p->type, ethertype(next)));
	put24(b + 4, p->id);
}

static void put_erspan(u8 *b, const struct rct_part *p)
{
	b[0] = p->kind == PART_ERSPAN2 ? 0x10 : 0x20;
	put16(b + 2, 0xe000 | p->id);		/* class of service 7, and the session */
	if (p->kind == PART_ERSPAN3)
		b[11] = p->flags & 1;
}

static void put_bth(u8 *b, const struct rct_part *p)
{
	b[0] = p->op;
	b[1] = (p->flags & 0xc0) | p->pad << 4 | p->ver;
	put16(b + 2, usual(p->pkey, RCT_D_PKEY));
	put24(b + 5, usual(p->qp, RCT_D_QP));
	b[8] = p->ack ? 0x80 : 0;
	put24(b + 9, usual(p->psn, RCT_D_PSN));
}

static void put_control(u8 *b, const struct rct_part *p)
{
	put16(b, p->kind == PART_PAUSE ? 0x0001 : p->kind == PART_PFC ? 0x0101 : p->id);
	if (p->kind == PART_PAUSE)
		put16(b + 2, p->quanta[0]);
	if (p->kind != PART_PFC)
		return;
	put16(b + 2, p->id);
	for (int i = 0; i < 8; i++)
		put16(b + 4 + 2 * i, p->quanta[i]);
}

static void put_part(const struct put *u)
{
	const struct rct_part *p = u->p, *next = p + 1;
	u32 len = u->end - u->at;
	u8 *b = u->at;

	switch (p->kind) {
	case PART_ETH:
		put_eth(b, p, next);
		break;
	case PART_TAG:
		put16(b, p->tci);
		put16(b + 2, usual(p->type, ethertype(next)));
		break;
	case PART_IP4:
		put_ip4(b, p, next, len);
		break;
	case PART_IP6:
	case PART_GRH:
		put_ip6(b, p, next, len);
		break;
	case PART_EXT:
		b[0] = protocol(next);
		b[1] = p->words;
		break;
	case PART_FRAG:
		b[0] = usual(p->type, protocol(next));
		put16(b + 2, p->frag);
		put32(b + 4, p->id);
		break;
	case PART_AH:
		b[0] = protocol(next);
		b[1] = p->words + 1;
		break;
	case PART_UDP:
		put16(b, usual(p->sport, RCT_D_SPORT));
		put16(b + 2, usual(p->dport, 4791));
		put16(b + 4, len + p->lie);
		break;
	case PART_VXLAN:
		b[0] = usual(p->flags, 8);
		put24(b + 4, p->id);
		break;
	case PART_GENEVE:
		put_geneve(b, p, next);
		break;
	case PART_GRE:
		put_gre(b, p, next);
		break;
	case PART_ERSPAN2:
	case PART_ERSPAN3:
		put_erspan(b, p);
		break;
	case PART_BTH:
		put_bth(b, p);
		break;
	case PART_RETH:
		put32(b + 8, 0x0badcafe);
		put32(b + 12, p->dma);
		break;
	case PART_AETH:
		b[0] = p->syn;
		put24(b + 1, p->id);
		break;
	case PART_DATA:
		for (u32 i = 0; i < p->n; i++)
			b[i] = i * 7 + 3;
		break;
	case PART_PAUSE:
	case PART_PFC:
	case PART_MACCTL:
		put_control(b, p);
		break;
	}
}

u32 rct_test_crc32(u32 crc, const u8 *p, size_t n)
{
	crc = ~crc;
	while (n--) {
		crc ^= *p++;
		for (int i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc;
}

/* The last part of a kind before part n. */
static const struct put *last_of(const struct put *all, u32 n, u8 kind)
{
	while (n--) {
		if (all[n].p->kind == kind)
			return &all[n];
	}
	return NULL;
}

/* Sets the bytes of a copy that routers may change. b: the IP header's copy. */
static void mask_ip(u8 *b, u8 kind)
{
	static const u8 v4[] = { 1, 8, 10, 11 }, v6[] = { 1, 2, 3, 7 };

	for (int i = 0; i < 4; i++)
		b[kind == PART_IP4 ? v4[i] : v6[i]] = 0xff;
	if (kind != PART_IP4)
		b[0] |= 0x0f;
}

/* Specification, annexes A16 and A17: over a stand-in for the LRH, IP, and what follows. */
static void put_icrc(const struct put *all, u32 n)
{
	const struct put *ip4 = last_of(all, n, PART_IP4), *ip6 = last_of(all, n, PART_IP6),
			 *grh = last_of(all, n, PART_GRH), *udp = last_of(all, n, PART_UDP),
			 *bth = last_of(all, n, PART_BTH), *ip;
	u8 copy[8 + 65536 + 64];
	u32 len, crc;

	ip = grh ? grh : !ip6 || (ip4 && ip4 > ip6) ? ip4 : ip6;
	if (!ip || !bth)
		return;
	len = all[n].at - ip->at;
	if (len > sizeof(copy) - 8)
		abort();
	memset(copy, 0xff, 8);
	memcpy(copy + 8, ip->at, len);
	mask_ip(copy + 8, ip->p->kind);
	if (!grh && udp)
		memset(copy + 8 + (udp->at - ip->at) + 6, 0xff, 2);	/* checksum */
	copy[8 + (bth->at - ip->at) + 4] = 0xff;	/* FECN, BECN, reserved */
	crc = rct_test_crc32(0, copy, 8 + len);
	for (int i = 0; i < 4; i++)
		all[n].at[i] = crc >> (8 * i);
}

u32 rct_build(const struct rct_part *parts, u8 *buf, size_t size)
{
	struct put all[PARTS_MAX];
	u8 *at = buf, *end = NULL;
	u32 n;

	for (n = 0; parts[n].kind != PART_END; n++) {
		u32 len = size_of(&parts[n]);

		if (n == PARTS_MAX || len > buf + size - at)
			abort();
		memset(at, 0, len);
		all[n] = (struct put){ .p = &parts[n], .at = at };
		if (parts[n].kind == PART_TRAIL && !end)
			end = at;
		at += len;
	}
	for (u32 i = 0; i < n; i++) {
		all[i].end = end ? end : at;
		put_part(&all[i]);
	}
	for (u32 i = 0; i < n; i++) {
		if (parts[i].kind == PART_ICRC)
			put_icrc(all, i);
	}
	return at - buf;
}

u32 rct_test_random(u64 *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}
