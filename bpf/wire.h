/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * From a frame's bytes to what one RoCE packet says: rct_parse().
 *
 * Every access goes through rct_at(), which checks it against the end of the
 * data and against RCT_DEPTH, so that the same code is safe on a packet (the
 * verifier knows its end only by comparison), on a copy in a map (the verifier
 * knows only the largest offset) and on foreign bytes on the host.
 *
 * Sources: InfiniBand Architecture Specification Vol 1, 9.2 (BTH), 9.3 (extension
 * headers), annexes A16 (RoCE) and A17 (RoCE v2); RFC 791, 8200, 768; IEEE
 * 802.1Q; IEEE 802.3 annexes 31B and 31D (pause, PFC); RFC 7348 (VXLAN), 8926
 * (Geneve), 2784 and 2890 (GRE), draft-foschiano-erspan.
 */
#ifndef RCT_WIRE_H
#define RCT_WIRE_H

#include "opcode.h"

/*
 * Verdicts of the parser; the row order is the order of the counters in every
 * report. X(id, name, meaning).
 */
#define RCT_VERDICTS(X)								\
	X(OK,		"roce",		"a RoCE packet, counted in its flow")	\
	X(OTHER,	"other",	"not RoCE")				\
	X(PAUSE,	"pause",	"802.3x or priority flow control frame")	\
	X(FRAGMENT,	"fragment",	"a fragment of a UDP datagram: RoCE is never fragmented, a fragment has no transport header") \
	X(SHORT,	"short",	"ends before its base transport header")	\
	X(LENGTH,	"length",	"the IP packet is too short for its transport headers") \
	X(TVER,		"version",	"transport header version is not 0")	\
	X(DEEP,		"deep",		"headers reach beyond what is looked at")	\
	X(MERGED,	"merged",	"several packets merged by GRO or LRO before the hook") \
	X(NOT_READ,	"unreadable",	"the packet's bytes could not be read at this hook")

enum rct_verdict {
#define RCT_VERDICT_ENUM(id, name, text) RCT_##id,
	RCT_VERDICTS(RCT_VERDICT_ENUM)
#undef RCT_VERDICT_ENUM
	RCT_VERDICT_COUNT
};

/* Not verdicts. There is another layer, or (of the plain parser) more than it looks at. */
#define RCT_AGAIN	100
/* The data ends before the header that is to be looked at. */
#define RCT_CUT		101

/* Headers are looked for in this many bytes; a copy of a frame is RCT_COPY long. */
#define RCT_DEPTH	448
#define RCT_COPY	512
#define RCT_TAGS	2		/* VLAN tags on one Ethernet header */
#define RCT_LAYERS	3		/* IP headers: two tunnels and the packet */
#define RCT_EXTENSIONS	6		/* IPv6 extension headers */

#define RCT_ROCE_PORT	4791
#define RCT_ETH_ROCE1	0x8915

/* Kind of network header, in the key: mapped IPv4 is not native IPv6. */
enum rct_family { RCT_IPV4 = 4, RCT_IPV6 = 6, RCT_ROCE1 = 1 };

/* What the flow's packets came in. */
enum rct_tunnel {
	RCT_TUN_NONE, RCT_TUN_VXLAN, RCT_TUN_GENEVE, RCT_TUN_GRE, RCT_TUN_ERSPAN, RCT_TUN_IPIP,
};

enum rct_dir { RCT_RX, RCT_TX, RCT_NODIR };

/*
 * A flow's identity. Addresses are in network order, IPv4 as ::ffff:a.b.c.d.
 * Padding does not exist, so a key is compared and hashed as six words.
 */
struct rct_key {
	u64 src[2];
	u64 dst[2];
	u32 dest_qp;		/* 24 bits */
	u16 slot;		/* interface, a number that user space gives */
	u8 dir;			/* enum rct_dir */
	u8 family;		/* enum rct_family */
	u32 tunnel_id;		/* VXLAN and Geneve VNI, GRE key, ERSPAN session */
	u32 tunnel;		/* enum rct_tunnel of the innermost one */
};

_Static_assert(sizeof(struct rct_key) == 48, "key is six words");

/* Attributes of a packet: not identity, but changes are counted. One word. */
#define RCT_ATTR(sport, vlan, pkey, dscp, ttl) \
	((u64)(sport) | (u64)(vlan) << 16 | (u64)(pkey) << 32 | (u64)(dscp) << 48 | (u64)(ttl) << 56)
#define RCT_ATTR_SPORT(a)	((u16)(a))
#define RCT_ATTR_VLAN(a)	((u16)((a) >> 16))	/* tag control word; 0xffff: untagged */
#define RCT_ATTR_PKEY(a)	((u16)((a) >> 32))
#define RCT_ATTR_DSCP(a)	((u8)((a) >> 48 & 0x3f))
#define RCT_ATTR_TTL(a)		((u8)((a) >> 56))
#define RCT_NOVLAN		0xffff

/* The ECN field of RFC 3168. */
enum rct_ecn { RCT_NOT_ECT, RCT_ECT1, RCT_ECT0, RCT_CE };

/* A frame as a hook or a capture file hands it over. */
struct rct_frame {
	const u8 *data;		/* first byte of the link header, or of the network header */
	const u8 *end;		/* end of the bytes that are there */
	u32 wire_len;		/* the frame's length on the wire, without FCS */
	u16 ethertype;		/* 0: data starts with an Ethernet header; else the type of what data starts with */
	u16 vlan;		/* tag that the hook keeps outside the frame; RCT_NOVLAN: none */
	u16 slot;
	u8 dir;
};

struct rct_pkt {
	struct rct_key key;
	u64 attr;
	u32 wire_len;
	u32 payload;		/* without transport headers, pad and ICRC; from the headers' lengths */
	u32 psn;
	u32 dma_len;		/* RETH length; of other messages the payload */
	union {
		union rct_opcode info;
		struct {
			u8 ext;		/* bytes of extension headers */
			u8 flags;	/* RCT_OP_* */
			u8 op;		/* operation, 0 to 31, RCT_OPN_CNP, RCT_OPN_OTHER */
			u8 transport;
		};
	};
	u16 bth;		/* offset of the BTH from data */
	u8 opcode;
	u8 ecn;
	u8 syndrome;		/* AETH's first byte where RCT_OP_AETH */
	u8 cut;			/* an extension header that counts is not in the data */
	u8 pad;			/* pad bytes */
	u8 ack_req;
};

/* Where the packet ends in its frame by its own lengths. */
RCT_INLINE u32 rct_pkt_end(const struct rct_pkt *p)
{
	return p->bth + 12 + p->ext + p->payload + p->pad + 4;
}

/* Pause frame, filled where the verdict is RCT_PAUSE. */
struct rct_pause {
	u8 pfc;			/* priority flow control, else 802.3x */
	u8 classes;		/* PFC: classes that the frame speaks of */
	u16 quanta[8];		/* of 512 bit times; 802.3x: the first; 0 = go on */
};

/* The n bytes at off, or NULL. */
RCT_INLINE const u8 *rct_at(const struct rct_frame *f, u32 off, u32 n)
{
	RCT_OPAQUE(off);
	if (off > RCT_DEPTH)
		return NULL;
	const u8 *p = f->data + off;

	return p + n > f->end ? NULL : p;
}

/* Where the parser is: an offset and what is expected there. */
struct rct_cursor {
	u32 off;
	u16 type;		/* ethertype of what is at off */
	u8 proto;		/* IP protocol of what is at off, once an IP header is behind */
	u16 vlan;
	u32 l3_end;		/* end of the innermost IP packet, from its length field */
};

/* Ethernet and its tags. */
RCT_INLINE int rct_ethernet(const struct rct_frame *f, struct rct_cursor *c)
{
	const u8 *p = rct_at(f, c->off, 14);

	if (!p)
		return RCT_CUT;
	c->type = rct_be16(p + 12);
	c->off += 14;
	for (int i = 0; i < RCT_TAGS; i++) {
		if (c->type != 0x8100 && c->type != 0x88a8 && c->type != 0x9100)
			break;
		p = rct_at(f, c->off, 4);
		if (!p)
			return RCT_CUT;
		c->vlan = rct_be16(p);
		c->type = rct_be16(p + 2);
		c->off += 4;
	}
	return RCT_OK;
}

RCT_INLINE int rct_ipv4(const struct rct_frame *f, struct rct_cursor *c, struct rct_pkt *pkt,
			bool plain)
{
	const u8 *p = rct_at(f, c->off, 20);
	u32 ihl, len;

	if (!p)
		return RCT_CUT;
	if (p[0] >> 4 != 4)
		return RCT_OTHER;
	ihl = (p[0] & 0xf) * 4;
	len = rct_be16(p + 2);
	if (ihl < 20 || len < ihl)
		return RCT_OTHER;
	if (plain && ihl != 20)
		return RCT_AGAIN;
	c->proto = p[9];
	/* more fragments, or not the first one */
	if (rct_ld16(p + 6) & RCT_NTOH16(0x3fff))
		return c->proto == 17 ? RCT_FRAGMENT : RCT_OTHER;
	pkt->key.src[0] = 0;
	pkt->key.src[1] = 0xffff0000ULL | (u64)rct_ld32(p + 12) << 32;
	pkt->key.dst[0] = 0;
	pkt->key.dst[1] = 0xffff0000ULL | (u64)rct_ld32(p + 16) << 32;
	pkt->key.family = RCT_IPV4;
	pkt->ecn = p[1] & 3;
	pkt->attr = RCT_ATTR(0, 0, 0, p[1] >> 2, p[8]);
	c->l3_end = c->off + len;
	c->off += plain ? 20 : ihl;
	return RCT_OK;
}

/* Addresses and class of an IPv6 header, or of a GRH, which looks the same. */
RCT_INLINE void rct_ipv6_fields(const u8 *p, struct rct_pkt *pkt)
{
	u8 tc = p[0] << 4 | p[1] >> 4;

	pkt->key.src[0] = rct_ld64(p + 8);
	pkt->key.src[1] = rct_ld64(p + 16);
	pkt->key.dst[0] = rct_ld64(p + 24);
	pkt->key.dst[1] = rct_ld64(p + 32);
	pkt->ecn = tc & 3;
	pkt->attr = RCT_ATTR(0, 0, 0, tc >> 2, p[7]);
}

RCT_INLINE bool rct_is_extension(u8 proto)
{
	return proto == 0 || proto == 43 || proto == 44 || proto == 51 || proto == 60 || proto == 135;
}

RCT_INLINE int rct_ipv6(const struct rct_frame *f, struct rct_cursor *c, struct rct_pkt *pkt,
			bool plain)
{
	const u8 *p = rct_at(f, c->off, 40);

	if (!p)
		return RCT_CUT;
	if (p[0] >> 4 != 6)
		return RCT_OTHER;
	rct_ipv6_fields(p, pkt);
	pkt->key.family = RCT_IPV6;
	c->proto = p[6];
	c->l3_end = c->off + 40 + rct_be16(p + 4);
	c->off += 40;
	if (plain)
		return rct_is_extension(c->proto) ? RCT_AGAIN : RCT_OK;
	for (int i = 0; i < RCT_EXTENSIONS; i++) {
		if (!rct_is_extension(c->proto))
			break;
		p = rct_at(f, c->off, 8);
		if (!p)
			return RCT_CUT;
		/* an atomic fragment (RFC 6946) is whole */
		if (c->proto == 44 && rct_ld16(p + 2) & RCT_NTOH16(0xfff9))
			return p[0] == 17 ? RCT_FRAGMENT : RCT_OTHER;
		c->off += c->proto == 44 ? 8 : c->proto == 51 ? (p[1] + 2) * 4 : (p[1] + 1) * 8;
		c->proto = p[0];
	}
	return rct_is_extension(c->proto) ? RCT_DEEP : RCT_OK;
}

/* GRE, with ERSPAN inside it. Afterwards an Ethernet header (type 0) or type. */
RCT_INLINE int rct_gre(const struct rct_frame *f, struct rct_cursor *c, struct rct_pkt *pkt)
{
	const u8 *p = rct_at(f, c->off, 4);
	u16 flags, type;

	if (!p)
		return RCT_CUT;
	flags = rct_be16(p);
	type = rct_be16(p + 2);
	if (flags & 0x4007)		/* routing, or a version other than 0 */
		return RCT_OTHER;
	pkt->key.tunnel = RCT_TUN_GRE;
	pkt->key.tunnel_id = 0;
	c->off += 4 + (flags & 0x8000 ? 4 : 0);
	if (flags & 0x2000) {
		p = rct_at(f, c->off, 4);
		if (!p)
			return RCT_CUT;
		pkt->key.tunnel_id = rct_be32(p);
		c->off += 4;
	}
	c->off += flags & 0x1000 ? 4 : 0;
	c->type = type == 0x6558 ? 0 : type;
	if (type == 0x88be || type == 0x22eb) {
		pkt->key.tunnel = RCT_TUN_ERSPAN;
		c->type = 0;
		if (type == 0x88be && !(flags & 0x1000))
			return RCT_OK;	/* type I has no header */
		p = rct_at(f, c->off, 12);
		if (!p)
			return RCT_CUT;
		pkt->key.tunnel_id = rct_be16(p + 2) & 0x3ff;
		c->off += type == 0x88be ? 8 : 12 + (p[11] & 1 ? 8 : 0);
	}
	return RCT_OK;
}

RCT_INLINE int rct_vxlan(const struct rct_frame *f, struct rct_cursor *c, struct rct_pkt *pkt)
{
	const u8 *p = rct_at(f, c->off, 8);

	if (!p)
		return RCT_CUT;
	if (!(p[0] & 8))
		return RCT_OTHER;
	pkt->key.tunnel = RCT_TUN_VXLAN;
	pkt->key.tunnel_id = rct_be24(p + 4);
	c->off += 8;
	c->type = 0;
	return RCT_OK;
}

RCT_INLINE int rct_geneve(const struct rct_frame *f, struct rct_cursor *c, struct rct_pkt *pkt)
{
	const u8 *p = rct_at(f, c->off, 8);

	if (!p)
		return RCT_CUT;
	if (p[0] >> 6)
		return RCT_OTHER;
	pkt->key.tunnel = RCT_TUN_GENEVE;
	pkt->key.tunnel_id = rct_be24(p + 4);
	c->type = rct_be16(p + 2);
	c->off += 8 + (p[0] & 0x3f) * 4;
	if (c->type == 0x6558)
		c->type = 0;
	return RCT_OK;
}

/*
 * Base transport header and the extension headers that count. end: where the IP
 * packet ends by its own length. (Not the frame: it may be padded or cut. Not the
 * UDP length: RoCE has one datagram an IP packet, and the two differ only where
 * one of them is damaged.)
 */
RCT_INLINE int rct_bth(const struct rct_frame *f, u32 off, u32 end, u16 sport, u16 vlan,
		       struct rct_pkt *pkt, bool plain)
{
	const u8 *p = rct_at(f, off, 12), *e;
	union rct_opcode o;
	u32 over;

	if (!p)
		return off > RCT_DEPTH ? RCT_DEEP : RCT_SHORT;
	if (p[1] & 0xf)
		return RCT_TVER;
	o = rct_opcodes[p[0]];
	if (!o.flags) {
		o.op = RCT_OPN_OTHER;
		o.transport = p[0] >> 5;
	}
	pkt->info = o;
	pkt->opcode = p[0];
	pkt->pad = p[1] >> 4 & 3;
	pkt->ack_req = p[8] >> 7;
	pkt->key.dest_qp = RCT_NTOH32(rct_ld32(p + 4)) & 0xffffff;
	pkt->psn = RCT_NTOH32(rct_ld32(p + 8)) & 0xffffff;
	pkt->attr |= RCT_ATTR(sport, vlan, rct_be16(p + 2), 0, 0);
	pkt->bth = off;
	over = 12 + o.ext + pkt->pad + 4;
	if (end < off + over)
		return RCT_LENGTH;
	pkt->payload = end - off - over;
	pkt->dma_len = pkt->payload;
	pkt->syndrome = 0;
	pkt->cut = 0;
	if (o.flags & (RCT_OP_RETH | RCT_OP_AETH)) {
		off += 12;
		if (o.flags & RCT_OP_RETH)
			off += 12 + (o.transport == RCT_XRC ? RCT_XRCETH_LEN : 0);
		e = rct_at(f, off, 4);
		if (!e && plain)
			return RCT_CUT;
		if (!e)
			pkt->cut = 1;
		else if (o.flags & RCT_OP_RETH)
			pkt->dma_len = RCT_NTOH32(rct_ld32(e));
		else
			pkt->syndrome = e[0];
	}
	return RCT_OK;
}

/* RoCE v1: ethertype, then a GRH, then the BTH. */
RCT_INLINE int rct_roce1(const struct rct_frame *f, struct rct_cursor *c, struct rct_pkt *pkt)
{
	const u8 *p = rct_at(f, c->off, 40);

	if (!p)
		return RCT_SHORT;
	if (p[0] >> 4 != 6 || p[6] != 0x1b)
		return RCT_TVER;
	rct_ipv6_fields(p, pkt);
	pkt->key.family = RCT_ROCE1;
	return rct_bth(f, c->off + 40, c->off + 40 + rct_be16(p + 4), 0, c->vlan, pkt,
		       false);
}

/* After an IP header: the packet, or RCT_AGAIN and c behind a tunnel's header. */
RCT_INLINE int rct_l4(const struct rct_frame *f, struct rct_cursor *c, struct rct_pkt *pkt,
		      bool plain)
{
	const u8 *p;
	u16 dport;
	int rc;

	if (c->proto == 17) {
		p = rct_at(f, c->off, 8);
		if (!p)
			return RCT_CUT;
		dport = rct_be16(p + 2);
		if (dport == RCT_ROCE_PORT)
			return rct_bth(f, c->off + 8, c->l3_end, rct_be16(p), c->vlan, pkt, plain);
		if (dport != 4789 && dport != 8472 && dport != 6081)
			return RCT_OTHER;
		if (plain)
			return RCT_AGAIN;
		c->off += 8;
		rc = dport == 6081 ? rct_geneve(f, c, pkt) : rct_vxlan(f, c, pkt);
		return rc ? rc : RCT_AGAIN;
	}
	if (c->proto != 47 && c->proto != 4 && c->proto != 41)
		return RCT_OTHER;
	if (plain)
		return RCT_AGAIN;
	if (c->proto == 47) {
		rc = rct_gre(f, c, pkt);
		return rc ? rc : RCT_AGAIN;
	}
	c->type = c->proto == 4 ? 0x0800 : 0x86dd;
	pkt->key.tunnel = RCT_TUN_IPIP;
	pkt->key.tunnel_id = 0;
	return RCT_AGAIN;
}

/*
 * One layer: an Ethernet header if c says so, and an IP header with what it
 * carries. Returns the frame's verdict, or RCT_AGAIN and c at the next layer.
 * plain: also RCT_AGAIN, and nothing else of use, where there is a tunnel, an IP
 * option or extension, or RoCE v1; for the hot path, which leaves those to a copy.
 * RCT_CUT: see rct_cut_verdict().
 */
RCT_INLINE int rct_layer(const struct rct_frame *f, struct rct_cursor *c, struct rct_pkt *pkt,
			 bool plain)
{
	int rc;

	if (c->type == 0 && rct_ethernet(f, c))
		return RCT_CUT;
	if (c->type == 0x0800)
		rc = rct_ipv4(f, c, pkt, plain);
	else if (c->type == 0x86dd)
		rc = rct_ipv6(f, c, pkt, plain);
	else if (c->type == RCT_ETH_ROCE1)
		return plain ? RCT_AGAIN : rct_roce1(f, c, pkt);
	else
		return c->type == 0x8808 ? RCT_PAUSE : RCT_OTHER;
	return rc ? rc : rct_l4(f, c, pkt, plain);
}

/* What a frame is whose data ends, or is looked at no further, before a header at c. */
RCT_INLINE int rct_cut_verdict(const struct rct_cursor *c)
{
	return c->off > RCT_DEPTH ? RCT_DEEP : RCT_OTHER;
}

RCT_INLINE void rct_parse_start(const struct rct_frame *f, struct rct_cursor *c, struct rct_pkt *pkt)
{
	c->off = 0;
	c->type = f->ethertype;
	c->vlan = f->vlan;
	pkt->key.slot = f->slot;
	pkt->key.dir = f->dir;
	pkt->key.tunnel = RCT_TUN_NONE;
	pkt->key.tunnel_id = 0;
	pkt->wire_len = f->wire_len;
}

/* Between two layers. */
RCT_INLINE void rct_parse_next(struct rct_cursor *c)
{
	if (c->type == 0)
		c->vlan = RCT_NOVLAN;	/* the inner frame has its own tags */
}

/*
 * Parses one frame. RCT_OK: *pkt is filled, every field of it. Any other
 * verdict: *pkt is undefined. Never reads beyond f->end.
 */
RCT_INLINE int rct_parse(const struct rct_frame *f, struct rct_pkt *pkt)
{
	struct rct_cursor c;
	int rc;

	rct_parse_start(f, &c, pkt);
	for (int i = 0; i < RCT_LAYERS; i++) {
		rc = rct_layer(f, &c, pkt, false);
		if (rc == RCT_CUT)
			return rct_cut_verdict(&c);
		if (rc != RCT_AGAIN)
			return rc;
		rct_parse_next(&c);
	}
	return RCT_DEEP;
}

/*
 * A MAC control frame, after rct_parse() said RCT_PAUSE. Returns RCT_PAUSE, or
 * RCT_OTHER where it is another MAC control frame or is cut.
 */
RCT_INLINE int rct_parse_pause(const struct rct_frame *f, struct rct_pause *pause)
{
	struct rct_cursor c = { .type = f->ethertype, .vlan = f->vlan };
	const u8 *p;
	u16 op;

	if (!c.type && rct_ethernet(f, &c))
		return RCT_OTHER;
	p = rct_at(f, c.off, 4);
	if (!p)
		return RCT_OTHER;
	op = rct_be16(p);
	if (op == 0x0001) {
		pause->pfc = 0;
		pause->classes = 1;
		pause->quanta[0] = rct_be16(p + 2);
		return RCT_PAUSE;
	}
	if (op != 0x0101)
		return RCT_OTHER;
	p = rct_at(f, c.off, 20);
	if (!p)
		return RCT_OTHER;
	pause->pfc = 1;
	pause->classes = p[3];
	for (int i = 0; i < 8; i++)
		pause->quanta[i] = rct_be16(p + 4 + 2 * i);
	return RCT_PAUSE;
}

#endif
