// SPDX-License-Identifier: BSD-2-Clause
/*
 * Every link type but Ethernet ends up as "starts with a network header of this
 * ethertype". Where the capture took an Ethernet header away, its 14 bytes count
 * in the frame's length all the same, so that a flow's bytes don't depend on how
 * it was captured. Formats: pcap-linktype(7), and each type's page at tcpdump.org.
 */
#include "capture/linktype.h"

#include <pcap/dlt.h>

#include "base/util.h"

#define ETHERNET	14
#define ARPHRD_ETHERNET	1
#define ARPHRD_LOOPBACK	772

/* Raw IP has one number for files (libpcap makes it DLT_RAW) and an older one of OpenBSD. */
#define DLT_RAW_OPENBSD	14

/* A type that the parser has no name for: the frame is not RoCE. */
#define NO_ETHERTYPE	0xffff

/* Takes n bytes off the front; false, and an empty frame, where there are fewer. */
static bool skip(struct rct_frame *f, u32 n)
{
	if (f->end - f->data < n) {
		f->data = f->end;
		f->ethertype = NO_ETHERTYPE;
		return false;
	}
	f->data += n;
	f->wire_len -= n;
	return true;
}

static void ethernet(struct rct_frame *f)
{
	f->ethertype = 0;
}

/* Tags stand between a cooked header and the network header. */
static void untag(struct rct_frame *f, u16 type)
{
	for (int i = 0; i < RCT_TAGS; i++) {
		if (type != 0x8100 && type != 0x88a8 && type != 0x9100)
			break;
		if (f->end - f->data < 4)
			break;
		f->vlan = rct_be16(f->data);
		type = rct_be16(f->data + 2);
		f->data += 4;
	}
	/* 0 would say Ethernet; below 0x600 are no ethertypes but Linux's own names */
	f->ethertype = type < 0x600 ? NO_ETHERTYPE : type;
}

static void cooked(struct rct_frame *f, u32 header, u32 protocol_at, u32 hardware_at)
{
	const u8 *p = f->data;
	u16 hardware;

	if (!skip(f, header))
		return;
	hardware = rct_be16(p + hardware_at);
	if (hardware == ARPHRD_ETHERNET || hardware == ARPHRD_LOOPBACK)
		f->wire_len += ETHERNET;
	untag(f, rct_be16(p + protocol_at));
}

static void linux_cooked(struct rct_frame *f)
{
	cooked(f, 16, 14, 2);
}

static void linux_cooked2(struct rct_frame *f)
{
	cooked(f, 20, 0, 8);
}

static void raw_ip(struct rct_frame *f)
{
	u8 version = f->data < f->end ? f->data[0] >> 4 : 0;

	f->ethertype = version == 4 ? 0x0800 : version == 6 ? 0x86dd : NO_ETHERTYPE;
}

/* BSD loopback: four bytes of address family, in the byte order of whoever wrote them. */
static void bsd_loopback(struct rct_frame *f)
{
	if (skip(f, 4))
		raw_ip(f);
}

static const struct rct_linktype types[] = {
	{ DLT_EN10MB, ethernet },
	{ DLT_LINUX_SLL, linux_cooked },
	{ DLT_LINUX_SLL2, linux_cooked2 },
	{ DLT_RAW, raw_ip },
	{ DLT_RAW_OPENBSD, raw_ip },
	{ DLT_IPV4, raw_ip },
	{ DLT_IPV6, raw_ip },
	{ DLT_NULL, bsd_loopback },
	{ DLT_LOOP, bsd_loopback },
};

const struct rct_linktype *rct_linktype_find(int dlt)
{
	for (size_t i = 0; i < RCT_ARRAY_SIZE(types); i++) {
		if (types[i].dlt == dlt)
			return &types[i];
	}
	return NULL;
}
