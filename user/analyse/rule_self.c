// SPDX-License-Identifier: BSD-2-Clause
/* What the trace could not see, and what it lost itself. */
#include <inttypes.h>
#include <stdio.h>

#include "analyse/rule.h"
#include "base/units.h"
#include "model/facts.h"

/* ---- blind.packets */

static void say_coverage(struct rct_case *c, struct rct_finding *f, bool all)
{
	for (size_t i = 0; i < c->s->n_coverage; i++) {
		const struct rct_coverage *v = &c->s->coverage[i];
		char metric[48];

		if (strcmp(v->source, "packets") || (!all && v->state != RCT_COV_NONE))
			continue;
		RCT_SAY(metric, "%.40s", v->object);
		rct_evidence(f, metric, NULL, v->method, "%s",
			     *v->why ? v->why : "looked at, and no RoCE packet seen");
	}
}

static void nothing_seen(struct rct_case *c)
{
	struct rct_finding *f = rct_find(c, RCT_UNKNOWN_FINDING, RCT_CONF_HIGH, RCT_SCOPE_HOST);
	char a[RCT_UNIT_TEXT];

	RCT_SAY(f->object, "%s", c->s->live ? "all traced interfaces" : "the capture");
	RCT_SAY(f->title, "no RoCE packet in %s frame%s: nothing of loss, retries, ECN or paths can be judged",
		rct_count_text(c->s->totals.packets, a), c->s->totals.packets == 1 ? "" : "s");
	say_coverage(c, f, true);
	if (c->s->live) {
		rct_next(f, "is there traffic at all? rdma statistic show; rdma resource show qp");
		rct_next(f, "an RDMA NIC that offloads RoCE shows its packets only at a mirror port of the switch, or to its own sniffer: rocetrace probe");
	} else {
		rct_next(f, "taken on a host whose NIC offloads RoCE? Capture at a mirror port of the switch; UDP port 4791 or ethertype 0x8915");
	}
}

/* Of a host whose facts are known packets are only one source. */
static void only_facts(struct rct_case *c)
{
	struct rct_finding *f;

	if (c->s->facts->n_nics) {
		rct_unsure(c, "loss, round trips, marks and paths of single flows: no RoCE packet was seen here");
		return;
	}
	f = rct_find(c, RCT_UNKNOWN_FINDING, RCT_CONF_HIGH, RCT_SCOPE_HOST);
	RCT_SAY(f->title, "no RDMA device: there is nothing here that could be judged");
	rct_evidence(f, "RDMA devices", NULL, "sysfs", "0");
	rct_next(f, "is the driver loaded, and are the devices of this network namespace? rdma link; rdma system; lspci");
}

void rct_rule_blind(struct rct_case *c)
{
	struct rct_finding *f;
	bool blind = false;

	if (c->s->facts && !c->s->totals.packets && (c->s->facts->n_nics || !c->s->n_ifaces)) {
		only_facts(c);
		return;
	}
	if (!c->s->totals.roce && !c->s->totals.roce1) {
		nothing_seen(c);
		return;
	}
	for (size_t i = 0; i < c->s->n_coverage; i++)
		blind |= !strcmp(c->s->coverage[i].source, "packets") &&
			 c->s->coverage[i].state == RCT_COV_NONE;
	if (!blind)
		return;
	f = rct_find(c, RCT_UNKNOWN_FINDING, RCT_CONF_HIGH, RCT_SCOPE_NIC);
	RCT_SAY(f->title, "packets of some interfaces were not seen: what is said here is not about them");
	say_coverage(c, f, false);
	rct_next(f, "rocetrace probe   (why, and what would help)");
}

/* ---- self.overflow */

void rct_rule_overflow(struct rct_case *c)
{
	u64 n = c->s->totals.overflow_packets, flows = c->s->totals.flows * 4;
	struct rct_finding *f;
	char a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT];

	if (!n)
		return;
	f = rct_find(c, RCT_WARNING, RCT_CONF_HIGH, RCT_SCOPE_HOST);
	RCT_SAY(f->title, "The flow table was full: some flows are missing in this report.");
	rct_evidence(f, "packets in no flow", "0", "packets", "%s, %s of all RoCE packets", rct_count_text(n, a),
		     rct_share_text(n, c->s->totals.roce + c->s->totals.roce1, b));
	rct_evidence(f, "flows in the table", NULL, "packets", "%s", rct_count_text(c->s->totals.flows, a));
	RCT_SAY(f->impact, "loss in those flows would not be seen");
	rct_next(f, "rocetrace run --flows %" PRIu64 "   (%s of memory)", flows,
		 rct_bytes_text(RCT_ROWS(flows) * (sizeof(struct rct_row) + sizeof(struct rct_cold)), a));
	f->weight = n;
}

/* ---- self.events_lost */

void rct_rule_events_lost(struct rct_case *c)
{
	u64 n = c->s->totals.events_lost;
	struct rct_finding *f;
	char a[RCT_UNIT_TEXT];

	if (!n)
		return;
	f = rct_find(c, RCT_NOTICE, RCT_CONF_HIGH, RCT_SCOPE_HOST);
	RCT_SAY(f->title, "Events were lost on their way to user space: causes of retries may be missing.");
	rct_evidence(f, "events lost", "0", "packets", "%s", rct_count_text(n, a));
	RCT_SAY(f->impact, "all counts are exact nevertheless; only the retries' causes and times are incomplete");
	rct_next(f, "trace fewer interfaces at once (-i), or give rocetrace more CPU");
	f->weight = n;
}

/* ---- self.tap_loss */

static u64 weigh_unseen(const struct rct_case *c, const struct rct_path *p)
{
	(void)c;
	return p->unseen;
}

static void found_unseen(struct rct_case *c, const struct rct_hits *k)
{
	struct rct_finding *f = rct_find(c, RCT_NOTICE, RCT_CONF_HIGH, RCT_SCOPE_FLOW);
	char from[48], a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT];

	RCT_SAY(f->title, "Packets were acknowledged that were never seen: the mirror or the capture drops.");
	rct_from(c, k->worst, from);
	rct_evidence(f, "acknowledged, not seen", "0", from, "%s, %s of these flows", rct_count_text(k->weight, a),
		     rct_share_text(k->weight, k->packets + k->weight, b));
	RCT_SAY(f->impact, "not counted as loss; other counts of these flows are too low by as much");
	RCT_SAY(f->refuted_by, "repeats or NAKs for the same packets");
	rct_next(f, "a mirror session that is over its port's speed, or a capture with too small a buffer (tcpdump -B) or too slow a disk");
	rct_about_hits(c, k, f);
}

void rct_rule_tap_loss(struct rct_case *c)
{
	rct_each_hits(c, weigh_unseen, found_unseen);
}
