// SPDX-License-Identifier: BSD-2-Clause
#include "model/cm.h"

#define HEADER		24	/* datagram header; the message's offsets count from behind it */
#define CLASS_AT	1
#define CLASS_CM	0x07
#define ATTRIBUTE_AT	16
#define ATTRIBUTE_REQ	0x0010
#define ATTRIBUTE_REP	0x0013

/* Bytes of a message that are looked at. */
#define REQ_LEN		96
#define REP_LEN		24

static void parse_req(const u8 *m, struct rct_cm *cm)
{
	u8 mtu = m[50] >> 4;

	cm->kind = RCT_CM_REQ;
	cm->local_id = rct_be32(m);
	cm->qpn = rct_be24(m + 32);
	cm->mtu_shift = mtu >= 1 && mtu <= 5 ? 7 + mtu : 0;
	cm->timeout = m[95] >> 3;
}

static void parse_rep(const u8 *m, struct rct_cm *cm)
{
	cm->kind = RCT_CM_REP;
	cm->local_id = rct_be32(m);
	cm->remote_id = rct_be32(m + 4);
	cm->qpn = rct_be24(m + 12);
}

struct rct_cm rct_cm_parse(const u8 *mad, size_t len)
{
	struct rct_cm cm = {};
	u16 attribute;

	if (len < HEADER || mad[CLASS_AT] != CLASS_CM)
		return cm;
	attribute = rct_be16(mad + ATTRIBUTE_AT);
	if (attribute == ATTRIBUTE_REQ && len >= HEADER + REQ_LEN)
		parse_req(mad + HEADER, &cm);
	else if (attribute == ATTRIBUTE_REP && len >= HEADER + REP_LEN)
		parse_rep(mad + HEADER, &cm);
	return cm;
}
