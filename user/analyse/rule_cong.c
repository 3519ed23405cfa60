// SPDX-License-Identifier: BSD-2-Clause
/* Congestion: marks of the switches, notifications to the senders, pause frames. */
#include <inttypes.h>
#include <stdio.h>

#include "analyse/rule.h"
#include "base/units.h"
#include "model/names.h"

#define LOW_LOAD	0.3	/* of the link: nothing should need slowing down */
#define HIGH_LOAD	0.6
#define MUCH_MARKED	0.10	/* of the packets that can be marked */

static u64 ect(const struct rct_path *p)
{
	return p->ecn[RCT_ECT0] + p->ecn[RCT_ECT1] + p->ecn[RCT_CE];
}

static double marked_share(const struct rct_path *p)
{
	return ect(p) ? (double)p->ecn[RCT_CE] / ect(p) : 0;
}

/* Notifications that tell p's sender to slow down travel against p. */
static u64 cnps_for(const struct rct_path *p)
{
	return p->back ? p->back->cnp : 0;
}

static u64 weigh_marked(const struct rct_case *c, const struct rct_path *p)
{
	(void)c;
	return p->requests + p->responses ? p->ecn[RCT_CE] + cnps_for(p) : 0;
}

static void say_marks(struct rct_case *c, const struct rct_hits *k, struct rct_finding *f)
{
	const struct rct_path *p = k->worst;
	double load = rct_load(c, p->key.slot, p->key.dir);
	char from[48], dst[RCT_ADDR_TEXT], metric[64], a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT], s[RCT_UNIT_TEXT];

	rct_from(c, p, from);
	if (ect(p))
		rct_evidence(f, "CE marked", NULL, from, "%s of %s packets that can be marked (%s)",
			     rct_count_text(p->ecn[RCT_CE], a), rct_count_text(ect(p), b),
			     rct_share_text(p->ecn[RCT_CE], ect(p), s));
	RCT_SAY(metric, "CNPs of %.28s", rct_addr_text(p->key.dst, p->key.family, dst));
	if (!p->back)
		rct_evidence(f, metric, NULL, from, "n/a: nothing of that direction was seen");
	else if (c->seconds > 0)
		rct_evidence(f, metric, NULL, from, "%s (%.0f/s)", rct_count_text(p->back->cnp, a),
			     p->back->cnp / c->seconds);
	rct_rate_text(p->bytes, c->seconds, a);
	if (load >= 0)
		rct_evidence(f, "rate", NULL, from, "%s; all of this direction %.0f %% of the link", a, load * 100);
	else
		rct_evidence(f, "rate", NULL, from, "%s; the link's speed is not known", a);
	rct_about_hits(c, k, f);
}

static void say_congested_next(const struct rct_path *p, struct rct_finding *f)
{
	char dst[RCT_ADDR_TEXT];

	rct_addr_text(p->key.dst, p->key.family, dst);
	rct_next(f, "leaf of %s: show ecn; show queue watermark unicast   (is that egress queue really full?)", dst);
	rct_next(f, "on %s: rocetrace run -t 10   (who else sends to it? Several at once is incast)", dst);
}

/* ---- ecn.overthrottled */

static u64 weigh_overthrottled(const struct rct_case *c, const struct rct_path *p)
{
	double load = rct_load(c, p->key.slot, p->key.dir);

	if (load < 0 || load > LOW_LOAD || c->seconds <= 0)
		return 0;
	if (marked_share(p) < 0.01 && cnps_for(p) / c->seconds < 100)
		return 0;
	return weigh_marked(c, p);
}

static void found_overthrottled(struct rct_case *c, const struct rct_hits *k)
{
	struct rct_finding *f = rct_find(c, RCT_WARNING, RCT_CONF_MEDIUM, RCT_SCOPE_FLOW);

	RCT_SAY(f->title, "Senders are slowed although the link is far from full: threshold too low, or short incast.");
	say_marks(c, k, f);
	RCT_SAY(f->impact, "the senders of these flows run slower than the link would let them");
	RCT_SAY(f->refuted_by, "queue watermarks well above Kmin, or pause or discards at the receiver: then the queue is full");
	say_congested_next(k->worst, f);
}

void rct_rule_ecn_overthrottled(struct rct_case *c)
{
	rct_each_hits(c, weigh_overthrottled, found_overthrottled);
}

/* ---- ecn.marked */

static void found_marked(struct rct_case *c, const struct rct_hits *k)
{
	double load = rct_load(c, k->worst->key.slot, k->worst->key.dir);
	bool much = marked_share(k->worst) >= MUCH_MARKED && load < HIGH_LOAD;
	struct rct_finding *f = rct_find(c, much ? RCT_WARNING : RCT_NOTICE, RCT_CONF_HIGH, RCT_SCOPE_FLOW);
	char dst[RCT_ADDR_TEXT];

	RCT_SAY(f->title, "Switches on the way to %s mark packets: a queue there is over its threshold.",
		rct_addr_text(k->worst->key.dst, k->worst->key.family, dst));
	say_marks(c, k, f);
	RCT_SAY(f->refuted_by, "marks without CNPs of a receiver that sends them: then nobody slows down for it");
	say_congested_next(k->worst, f);
}

void rct_rule_ecn_marked(struct rct_case *c)
{
	u64 can = 0, all = 0;

	for (size_t i = 0; i < c->paths.n; i++) {
		const struct rct_path *p = &c->paths.v[i];

		/* what leaves this host has passed no switch yet */
		if (p->seen != RCT_SENT_HERE)
			can += ect(p);
		all += p->packets;
	}
	if (rct_has(c, "ecn.overthrottled") || rct_each_hits(c, weigh_marked, found_marked) || !all)
		return;
	if (can)
		rct_pass(c, "ECN (no mark, no CNP)");
	else
		rct_unsure(c, "ECN: packets are not ECN-capable");
}

/* ---- ecn.no_cnp */

#define MARKS_PROVE	10

static u64 weigh_no_cnp(const struct rct_case *c, const struct rct_path *p)
{
	(void)c;
	return p->ecn[RCT_CE] >= MARKS_PROVE && p->back && !p->back->cnp && p->requests + p->responses ?
	       p->ecn[RCT_CE] : 0;
}

static void found_no_cnp(struct rct_case *c, const struct rct_hits *k)
{
	const struct rct_path *p = k->worst;
	struct rct_finding *f = rct_find(c, RCT_NOTICE, RCT_CONF_LOW, RCT_SCOPE_FLOW);
	char dst[RCT_ADDR_TEXT], from[48], a[RCT_UNIT_TEXT];

	rct_addr_text(p->key.dst, p->key.family, dst);
	RCT_SAY(f->title, "%s gets marked packets and sends no CNP: nobody tells the senders.", dst);
	rct_from(c, p, from);
	rct_evidence(f, "CE marked", NULL, from, "%s", rct_count_text(p->ecn[RCT_CE], a));
	rct_evidence(f, "CNPs", "about one in 50 us and QP", from, "0 in %s packets of that direction",
		     rct_count_text(p->back->packets, a));
	RCT_SAY(f->refuted_by, "soft-RoCE (it never sends CNPs), RTT-based congestion control, or DCQCN switched off on purpose");
	rct_next(f, "on %s: is DCQCN's notification point on for this priority? Counters np_cnp_sent and np_ecn_marked_roce_packets", dst);
	rct_about_hits(c, k, f);
}

void rct_rule_ecn_no_cnp(struct rct_case *c)
{
	rct_each_hits(c, weigh_no_cnp, found_no_cnp);
}

/* ---- ecn.unmarked */

static u64 weigh_unmarked(const struct rct_case *c, const struct rct_path *p)
{
	double load = rct_load(c, p->key.slot, p->key.dir);

	if (!(p->requests + p->responses))
		return 0;
	/* only under load, or where something was lost */
	if (rct_has(c, "loss.") || rct_has(c, "retry.timeout"))
		return p->unmarkable_trouble;
	return load >= HIGH_LOAD && p->ecn[RCT_NOT_ECT] == p->packets ? p->packets : 0;
}

static void found_unmarked(struct rct_case *c, const struct rct_hits *k)
{
	struct rct_finding *f = rct_find(c, RCT_NOTICE, RCT_CONF_MEDIUM, RCT_SCOPE_FLOW);
	const struct rct_flow *w = rct_worst_flow(k->worst);
	char from[48], a[RCT_UNIT_TEXT];

	RCT_SAY(f->title, "These packets are not ECN-capable: a full queue drops them instead of marking.");
	rct_from(c, k->worst, from);
	rct_evidence(f, "ECN field", "ECT(0)", from, "not-ECT in %s packets",
		     rct_count_text(k->worst->ecn[RCT_NOT_ECT], a));
	rct_evidence(f, "DSCP", "one that the fabric protects", from, "%u to QP %u",
		     RCT_ATTR_DSCP(w->attr), w->key.dest_qp);
	RCT_SAY(f->refuted_by, "a fabric without ECN, by intent");
	rct_next(f, "set the job's traffic class: NCCL_IB_TC=106 is DSCP 26 with ECT(0); of rdma_cm: cma_roce_tos");
	rct_about_hits(c, k, f);
	f->weight = 0;
}

void rct_rule_ecn_unmarked(struct rct_case *c)
{
	rct_each_hits(c, weigh_unmarked, found_unmarked);
}

/* ---- pause.received, pause.sent: frames that were seen as packets */

#define PAUSED_WARNING	0.01	/* share of the time */
#define PAUSED_CRITICAL	0.20

static u64 xoffs(const struct rct_pauses *p)
{
	u64 n = p->global_frames;

	for (int i = 0; i < 8; i++)
		n += p->xoff[i];
	return n;
}

/* The longest that a class, or with global pause the port, can have stood still; -1: not known. */
static double paused_share(const struct rct_case *c, const struct rct_iface *i, const struct rct_pauses *p)
{
	u64 most = p->global_quanta;

	if (!i->speed_mbps || c->seconds <= 0)
		return -1;
	for (int k = 0; k < 8; k++)
		most = p->quanta[k] > most ? p->quanta[k] : most;
	return most * 512.0 / (i->speed_mbps * 1e6) / c->seconds;
}

static void say_pauses(const struct rct_pauses *p, double share, const char *from, struct rct_finding *f)
{
	char a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT], metric[48];

	if (p->global_frames)
		rct_evidence(f, "802.3x pause frames", "0: RoCE wants pause per priority", from, "%s",
			     rct_count_text(p->global_frames, a));
	for (int i = 0; i < 8; i++) {
		if (!p->xoff[i] && !p->xon[i])
			continue;
		RCT_SAY(metric, "priority %d", i);
		rct_evidence(f, metric, NULL, from, "%s stop, %s go on", rct_count_text(p->xoff[i], a),
			     rct_count_text(p->xon[i], b));
	}
	if (share >= 0)
		rct_evidence(f, "time paused", NULL, from, "at most %.2g %%", share * 100);
	else
		rct_evidence(f, "time paused", NULL, from, "n/a: the link's speed is not known");
}

static void judge_pause(struct rct_case *c, const struct rct_iface *i, int dir, const char *title)
{
	const struct rct_pauses *p = &i->pause[dir];
	double share = paused_share(c, i, p);
	enum rct_severity severity = share >= PAUSED_CRITICAL ? RCT_CRITICAL :
		share >= PAUSED_WARNING || p->global_frames ? RCT_WARNING : RCT_NOTICE;
	struct rct_finding *f;
	char from[48];

	if (!xoffs(p))
		return;
	f = rct_find(c, severity, RCT_CONF_MEDIUM, RCT_SCOPE_NIC);
	RCT_SAY(f->title, "%s", title);
	RCT_SAY(f->object, "%s", i->name);
	RCT_SAY(from, "packets %s", i->name);
	say_pauses(p, share, from, f);
	RCT_SAY(f->impact, "while a priority is paused nothing of it moves on this link, and the queue behind it grows");
	RCT_SAY(f->refuted_by, "pause counters of the switch port at this link that do not move");
	rct_next(f, "switch port of this link: pause counters per priority, both directions; who pauses whom, down to the first receiver");
	f->weight = xoffs(p);
}

void rct_rule_pause_received(struct rct_case *c)
{
	for (size_t i = 0; i < c->s->n_ifaces; i++)
		judge_pause(c, &c->s->ifaces[i], RCT_RX, c->s->live ?
			    "The network stops this host: pause frames arrive." :
			    "Pause frames are in the capture: somebody on that link stops its peer.");
}

void rct_rule_pause_sent(struct rct_case *c)
{
	for (size_t i = 0; i < c->s->n_ifaces; i++)
		judge_pause(c, &c->s->ifaces[i], RCT_TX, "This host stops its switch port: pause frames leave.");
	if (!rct_has(c, "pause.") && c->s->totals.packets)
		rct_unsure(c, "pause: only counters can tell");
}
