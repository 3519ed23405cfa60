// SPDX-License-Identifier: BSD-2-Clause
/* path.hop_limit: packets that the first router drops. */
#include <stdio.h>

#include "analyse/rule.h"
#include "base/units.h"
#include "model/names.h"

static bool answered(const struct rct_path *p)
{
	return p->back && (p->back->acks || p->back->responses || p->back->rnr_naks);
}

/* All of its flows with data left with TTL 1. Where they arrived, they had hops enough. */
static bool one_hop(const struct rct_path *p)
{
	u32 n = 0;

	if (!p->requests || p->seen == RCT_RECEIVED_HERE)
		return false;
	for (u32 i = 0; i < p->n_flows; i++) {
		const struct rct_flow *f = p->flows[i];

		if (f->packets <= f->acks + f->cnp)
			continue;
		if (RCT_ATTR_TTL(f->attr) != 1)
			return false;
		n++;
	}
	return n > 0;
}

static u64 weigh_dropped(const struct rct_case *c, const struct rct_path *p)
{
	(void)c;
	return one_hop(p) && !answered(p) ? p->repeated : 0;
}

static u64 weigh_enough(const struct rct_case *c, const struct rct_path *p)
{
	(void)c;
	return one_hop(p) && answered(p) ? p->requests : 0;
}

/* What else the drops are the cause of is no verdict of its own. */
static void demote(struct rct_case *c, struct rct_finding *f)
{
	for (size_t i = 0; i < c->out->n; i++) {
		struct rct_finding *other = &c->out->v[i];

		if (strcmp(other->id, "retry.timeout") || strcmp(other->object, f->object) ||
		    other->severity < RCT_WARNING || other->severity > RCT_CRITICAL)
			continue;
		other->severity = RCT_NOTICE;
		rct_explains(f, "%s: nothing that was sent arrived", other->id);
	}
}

static void found_dropped(struct rct_case *c, const struct rct_hits *k)
{
	struct rct_finding *f = rct_find(c, RCT_CRITICAL, RCT_CONF_MEDIUM, RCT_SCOPE_FLOW);
	char dst[RCT_ADDR_TEXT], from[48], a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT];
	const struct rct_path *p = k->worst;

	rct_addr_text(p->key.dst, p->key.family, dst);
	rct_from(c, p, from);
	RCT_SAY(f->title, "Packets are sent with TTL 1 and no answer of %s was seen: the first router drops them.", dst);
	rct_evidence(f, "TTL (hop limit)", "64 or 255", from, "1");
	rct_evidence(f, "sent again", NULL, from, "%s of %s packets", rct_count_text(p->repeated, a),
		     rct_count_text(p->requests, b));
	rct_evidence(f, "answers seen", NULL, from, "0");
	RCT_SAY(f->impact, "every message times out; after retry_cnt attempts the QP fails (status 12)");
	RCT_SAY(f->refuted_by, "%s is in the sender's own subnet, without a router between", dst);
	rct_next(f, "set the hop limit of the job's queue pairs to 64 or more: ah_attr.grh.hop_limit in its library or provider");
	rct_next(f, "is there a router? ip route get %s", dst);
	rct_about_hits(c, k, f);
	demote(c, f);
}

static void found_enough(struct rct_case *c, const struct rct_hits *k)
{
	struct rct_finding *f = rct_find(c, RCT_NOTICE, RCT_CONF_HIGH, RCT_SCOPE_FLOW);
	char from[48];

	RCT_SAY(f->title, "Packets are sent with TTL 1: answered within the subnet, lost at the first router.");
	rct_from(c, k->worst, from);
	rct_evidence(f, "TTL (hop limit)", "64 or 255", from, "1");
	rct_about_hits(c, k, f);
}

void rct_rule_hop_limit(struct rct_case *c)
{
	rct_each_hits(c, weigh_dropped, found_dropped);
	rct_each_hits(c, weigh_enough, found_enough);
}
