// SPDX-License-Identifier: BSD-2-Clause
/*
 * ICRC: the Ethernet CRC-32 over eight bytes of ones in place of a local route
 * header, then the packet from its network header up to the ICRC, with ones in
 * place of what may change on the way. Stored little-endian. InfiniBand
 * Architecture Specification Vol 1, 7.8.1, annexes A16.5.1 (RoCE) and A17.3.3
 * (RoCE v2).
 */
#include "capture/icrc.h"

#include <zlib.h>

#define LRH	8
#define UDP	8
#define BTH	12
#define ICRC	4
#define IPV6	40
#define IPV4_LEAST	20
#define IPV4_MOST	60

/* Offset just behind the packet's ICRC, from the lengths that the parser found. */
static u32 packet_end(const struct rct_pkt *p)
{
	return p->bth + BTH + p->ext + p->payload + p->pad + ICRC;
}

/*
 * Length of the IPv4 header before the UDP header at that offset; 0: none fits.
 * The parser went over it but does not tell how long it was.
 */
static u32 ipv4_length(const struct rct_frame *f, u32 udp, u32 end)
{
	for (u32 n = IPV4_LEAST; n <= IPV4_MOST && n <= udp; n += 4) {
		const u8 *ip = f->data + udp - n;

		if (ip[0] == (0x40 | n / 4) && rct_be16(ip + 2) == end - (udp - n))
			return n;
	}
	return 0;
}

/* Length of the network header and, of RoCE v2, the UDP header; 0: unusual. */
static u32 header_length(const struct rct_frame *f, const struct rct_pkt *p, u32 end)
{
	const u8 *ip;
	u32 n;

	switch (p->key.family) {
	case RCT_ROCE1:
		return IPV6;
	case RCT_IPV4:
		n = ipv4_length(f, p->bth - UDP, end);
		return n ? n + UDP : 0;
	default:
		/* behind extension headers the UDP header is elsewhere */
		if (p->bth < IPV6 + UDP)
			return 0;
		ip = f->data + p->bth - UDP - IPV6;
		return ip[0] >> 4 == 6 && ip[6] == 17 ? IPV6 + UDP : 0;
	}
}

/* Ones where routers and the UDP checksum may write. hdr: n bytes, then the BTH. */
static void mask(u8 *hdr, u32 n, u8 family)
{
	if (family == RCT_IPV4) {
		hdr[1] = 0xff;			/* type of service */
		hdr[8] = 0xff;			/* time to live */
		hdr[10] = hdr[11] = 0xff;	/* header checksum */
	} else {
		hdr[0] |= 0x0f;			/* traffic class, flow label */
		hdr[1] = hdr[2] = hdr[3] = 0xff;
		hdr[7] = 0xff;			/* hop limit */
	}
	if (family != RCT_ROCE1)
		hdr[n - 2] = hdr[n - 1] = 0xff;	/* UDP checksum */
	hdr[n + 4] = 0xff;			/* FECN, BECN, reserved */
}

enum rct_icrc rct_icrc_check(const struct rct_frame *f, const struct rct_pkt *p)
{
	u8 head[LRH + IPV4_MOST + UDP + BTH];
	u32 end = packet_end(p), n, from, crc;

	if (end > (u32)(f->end - f->data))
		return RCT_ICRC_UNKNOWN;
	n = header_length(f, p, end);
	if (!n)
		return RCT_ICRC_UNKNOWN;
	memset(head, 0xff, LRH);
	memcpy(head + LRH, f->data + p->bth - n, n + BTH);
	mask(head + LRH, n, p->key.family);
	from = p->bth + BTH;
	crc = crc32(0, head, LRH + n + BTH);
	crc = crc32(crc, f->data + from, end - ICRC - from);
	return crc == rct_ld32(f->data + end - ICRC) ? RCT_ICRC_GOOD : RCT_ICRC_BAD;
}
