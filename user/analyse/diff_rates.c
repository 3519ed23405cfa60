// SPDX-License-Identifier: BSD-2-Clause
/* How counters of two hosts' NICs moved, rail by rail. */
#include <stdio.h>

#include "analyse/diff.h"
#include "analyse/nics.h"
#include "base/units.h"
#include "base/util.h"

/* One that is at least so many times the other's, and at least so many a second, differs. */
#define FACTOR	4.0

static const struct {
	enum rct_canonical c;
	enum rct_severity severity;
	double least;
	const char *why;
} rows[] = {
	{ RCT_C_RETRY_EXCEEDED, RCT_CRITICAL, 0, "queue pairs gave up" },
	{ RCT_C_RNR_RETRY_EXCEEDED, RCT_CRITICAL, 0, "queue pairs gave up on a receiver" },
	{ RCT_C_LINK_DOWN, RCT_CRITICAL, 0, "the link went down" },
	{ RCT_C_SEQ_NAK_RECEIVED, RCT_WARNING, 1, "what this host sent was lost or reordered" },
	{ RCT_C_OUT_OF_SEQUENCE, RCT_WARNING, 1, "what was sent to this host was lost or reordered" },
	{ RCT_C_IMPLIED_NAK, RCT_WARNING, 1, "responses were lost" },
	{ RCT_C_ACK_TIMEOUT, RCT_WARNING, 0.1, "no acknowledgement came in time" },
	{ RCT_C_RETRANSMITTED_PACKETS, RCT_WARNING, 1, "packets were sent again" },
	{ RCT_C_DUPLICATE_REQUEST, RCT_WARNING, 1, "peers sent again" },
	{ RCT_C_RNR_NAK_RECEIVED, RCT_WARNING, 10, "peers were not ready" },
	{ RCT_C_RNR_NAK_SENT, RCT_WARNING, 10, "this host was not ready" },
	{ RCT_C_CRC_ERROR, RCT_WARNING, 0.1, "damaged frames arrived" },
	{ RCT_C_ICRC_ERROR, RCT_WARNING, 0.1, "damaged RoCE packets arrived" },
	{ RCT_C_FEC_UNCORRECTABLE, RCT_WARNING, 0.1, "errors that could not be mended" },
	{ RCT_C_PORT_RX_DISCARDS, RCT_WARNING, 1, "the NIC dropped what it received" },
	{ RCT_C_PRIO_RX_DISCARDS, RCT_WARNING, 1, "the NIC dropped what it received" },
	{ RCT_C_PORT_TX_DISCARDS, RCT_WARNING, 1, "the NIC dropped what it had to send" },
	{ RCT_C_PFC_TX_FRAMES, RCT_WARNING, 10, "this host stops the network" },
	{ RCT_C_PFC_RX_FRAMES, RCT_NOTICE, 10, "the network stops this host" },
	{ RCT_C_PAUSE_TX_FRAMES, RCT_WARNING, 10, "this host stops the network, all classes" },
	{ RCT_C_PAUSE_RX_FRAMES, RCT_WARNING, 10, "the network stops this host, all classes" },
	{ RCT_C_SYMBOL_ERROR, RCT_NOTICE, 1, "errors on this link" },
	{ RCT_C_CNP_RECEIVED, RCT_NOTICE, 100, "this host was told to slow down" },
	{ RCT_C_CNP_SENT, RCT_NOTICE, 100, "marked packets arrived" },
	{ RCT_C_ECN_CE_RECEIVED, RCT_NOTICE, 100, "marked packets arrived" },
	{ RCT_C_ROCE_TX_BYTES, RCT_NOTICE, 1e6, "one sends much less" },
	{ RCT_C_ROCE_RX_BYTES, RCT_NOTICE, 1e6, "one receives much less" },
};

struct rate {
	bool absent;	/* this NIC counts no such thing */
	bool known;
	double v;	/* a second */
};

static struct rate rate_of(const struct rct_snapshot *s, const struct rct_nic *n, enum rct_canonical c)
{
	u32 most = rct_canonical_at(c)->prio ? RCT_PRIOS : 1;
	struct rate ret = { .absent = true };

	for (u32 p = 0; p < most; p++) {
		struct rct_delta d = rct_nic_delta(s->before, s->facts, n, c, p);

		/* a driver may have some priorities only; one that can't be read makes the sum unknown */
		if (d.have == RCT_UNREADABLE)
			return (struct rate){ .known = false };
		ret.absent &= d.have == RCT_ABSENT;
		ret.known |= d.have == RCT_THERE;
		ret.v += d.have == RCT_THERE ? d.per_second : 0;
	}
	return ret;
}

static void say_rate(const struct rate *r, bool bytes, char *buf, size_t size)
{
	char text[RCT_UNIT_TEXT];

	if (!r->known)
		*buf = 0;
	else if (bytes)
		snprintf(buf, size, "%s", rct_rate_text(r->v, 1, text));
	else if (r->v > 0 && r->v < 10)
		snprintf(buf, size, "%.2g/s", r->v);
	else
		snprintf(buf, size, "%s/s", rct_count_text(r->v, text));
}

static enum rct_severity judge(const struct rate r[2], double least, enum rct_severity severity)
{
	double most = r[0].v > r[1].v ? r[0].v : r[1].v, other = r[0].v > r[1].v ? r[1].v : r[0].v;

	if (!r[0].known || !r[1].known)
		return RCT_UNKNOWN_FINDING;
	return most > 0 && most >= least && most >= other * FACTOR ? severity : RCT_OK_FINDING;
}

static void compare(struct rct_diff_case *c, const struct rct_diff_pair *p, size_t i)
{
	const struct rct_canonical_info *info = rct_canonical_at(rows[i].c);
	struct rate r[2] = { rate_of(c->d->s[0], p->nic[0], rows[i].c), rate_of(c->d->s[1], p->nic[1], rows[i].c) };
	bool known[2] = { r[0].known, r[1].known }, bytes = !strcmp(info->unit, "bytes");
	struct rct_difference *row;

	c->d->compared += known[0] && known[1];
	/* nothing beside nothing is no news, and nothing beside what is not known only a gap */
	if (!r[0].v && !r[1].v) {
		if ((!known[0] || !known[1]) && !(r[0].absent && r[1].absent))
			rct_diff_unread(c, info->name);
		return;
	}
	row = rct_diff_add(c, RCT_DIFF_COUNTER, judge(r, rows[i].least, rows[i].severity), info->name, p);
	for (u32 side = 0; side < 2; side++)
		say_rate(&r[side], bytes, row->v[side], sizeof(row->v[side]));
	RCT_SAY(row->why, "%s", rows[i].why);
}

void rct_diff_rates(struct rct_diff_case *c)
{
	for (u32 side = 0; side < RCT_DIFF_SIDES; side++) {
		if (rct_facts_seconds(c->d->s[side]->before, c->d->s[side]->facts) > 0)
			continue;
		if (c->d->pairs)
			rct_diff_unread(c, "rates");
		return;
	}
	for (u32 k = 0; k < c->n_pairs; k++) {
		for (size_t i = 0; c->pairs[k].nic[0] && c->pairs[k].nic[1] && i < RCT_ARRAY_SIZE(rows); i++)
			compare(c, &c->pairs[k], i);
	}
}
