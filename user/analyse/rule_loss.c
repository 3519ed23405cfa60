// SPDX-License-Identifier: BSD-2-Clause
/*
 * Lost and repeated packets: where, seen from the point of the trace.
 *
 * A packet that is repeated and whose first copy passed the hook was lost behind
 * it; one that left a gap there was lost before it. Gaps alone are no loss (the
 * network may reorder, the tap may drop): somebody must have asked again.
 */
#include <inttypes.h>
#include <stdio.h>

#include "analyse/rule.h"
#include "base/units.h"
#include "model/names.h"

/* Shares of a path's packets that were sent again; docs/numbers.md tells users. */
#define CRITICAL_SHARE	0.01
#define WARNING_SHARE	0.00001
#define CRITICAL_LEAST	10	/* in a handful of packets one is soon a percent */

#define STALL_CRITICAL	1000000000ULL

/* Sequence NAKs that an RNR NAK does not explain: behind one, a burst's later packets are NAKed too. */
static u64 naks_for(const struct rct_path *p)
{
	const struct rct_path *b = p->back;

	if (!b || b->naks[0] <= b->rnr_naks)
		return 0;
	return b->naks[0] - b->rnr_naks;
}

static u64 rereads_for(const struct rct_path *p)
{
	return p->back ? p->back->reread : 0;
}

static u64 gaps_of(const struct rct_path *p)
{
	return p->gaps + p->rsp_gaps;
}

/* Somebody noticed, and data were sent again. */
static bool recovered(const struct rct_path *p)
{
	return naks_for(p) || p->rsp_repeated || (rereads_for(p) && p->responses);
}

/* Lost before the hook. */
static bool lost_before(const struct rct_path *p)
{
	if (p->uc_missing)
		return true;
	return gaps_of(p) && (recovered(p) || p->repeated);
}

/*
 * Lost behind the hook. A repeated packet that is lost again leaves no second gap,
 * so more NAKs than gaps are no contradiction; twice as many are.
 */
static bool lost_behind(const struct rct_path *p)
{
	u64 naks = naks_for(p);

	if (p->rsp_repeated && !p->rsp_gaps && rereads_for(p))
		return true;
	return naks && naks > 2 * p->gaps;
}

static u64 timeouts_of(const struct rct_path *p)
{
	return p->causes ? p->retries[RCT_RETRY_TIMEOUT] : 0;
}

static enum rct_severity severity_of(const struct rct_hits *k)
{
	double share = k->packets ? (double)k->trouble / k->packets : 0;

	if (share >= CRITICAL_SHARE && k->trouble >= CRITICAL_LEAST)
		return RCT_CRITICAL;
	if (timeouts_of(k->worst) && k->worst->stall_ns[RCT_RETRY_TIMEOUT] >= STALL_CRITICAL)
		return RCT_CRITICAL;
	return share >= WARNING_SHARE || k->worst->uc_missing ? RCT_WARNING : RCT_NOTICE;
}

static enum rct_confidence confidence_of(const struct rct_path *p)
{
	return naks_for(p) || rereads_for(p) ? RCT_CONF_HIGH : RCT_CONF_MEDIUM;
}

/* One cause, one finding: a repeated packet that is lost again ends in a timeout. */
static bool has_explained_timeouts(const struct rct_path *p)
{
	return (lost_before(p) || lost_behind(p)) && timeouts_of(p) <= naks_for(p) + rereads_for(p);
}

/* ---- evidence */

static void say_again(const struct rct_hits *k, const char *from, struct rct_finding *f)
{
	char a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT], c[RCT_UNIT_TEXT], other[48] = "";

	if (k->other_n)
		RCT_SAY(other, "%" PRIu64 " other direction%s: %s", k->other_n, k->other_n > 1 ? "s" : "",
			rct_share_text(k->other_trouble, k->other_packets, a));
	rct_evidence(f, "sent again", other, from, "%s of %s packets (%s)",
		     rct_count_text(k->trouble, a), rct_count_text(k->packets, b),
		     rct_share_text(k->trouble, k->packets, c));
}

static void say_naks(const struct rct_path *p, const char *from, struct rct_finding *f)
{
	char dst[RCT_ADDR_TEXT], metric[64], again[64], a[RCT_UNIT_TEXT];

	rct_addr_text(p->key.dst, p->key.family, dst);
	RCT_SAY(metric, "sequence NAKs of %.28s", dst);
	if (!p->back) {
		rct_evidence(f, metric, NULL, from, "n/a: nothing of that direction was seen");
		return;
	}
	if (rereads_for(p) && p->responses) {
		/* a requester that misses READ data asks again instead of a NAK */
		RCT_SAY(again, "READs repeated by %.28s", dst);
		rct_evidence(f, again, NULL, from, "%s: the answers were missed", rct_count_text(p->back->reread, a));
	}
	if (p->back->naks[0] || !rereads_for(p))
		rct_evidence(f, metric, NULL, from, "%s, one for each loss that was noticed",
			     rct_count_text(p->back->naks[0], a));
}

static void say_gaps(const struct rct_hits *k, const char *from, struct rct_finding *f)
{
	const struct rct_path *p = k->worst, *b2 = k->both_ways ? p->back : NULL;
	u64 gaps = gaps_of(p) + (b2 ? gaps_of(b2) : 0);
	u64 never = p->missing + p->rsp_missing + (b2 ? b2->missing + b2->rsp_missing : 0);
	char a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT], c[RCT_UNIT_TEXT];

	if (!gaps) {
		rct_evidence(f, "gaps at this point", NULL, from, "0: the first copies passed here");
		return;
	}
	rct_evidence(f, "gaps at this point", NULL, from, "%s; packets late: %s, never: %s",
		     rct_count_text(gaps, a), rct_count_text(p->late + (b2 ? b2->late : 0), b),
		     rct_count_text(never, c));
}

static void say_worst(const struct rct_path *p, const char *from, struct rct_finding *f)
{
	const struct rct_flow *w = rct_worst_flow(p);
	u64 again = w->repeated + w->late + w->rsp_repeated;
	char a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT];

	if (p->n_flows < 2 || !again)
		return;
	rct_evidence(f, "worst flow", NULL, from, "to QP %u: %s of its %s packets sent again",
		     w->key.dest_qp, rct_count_text(again, a), rct_count_text(w->packets, b));
}

static void longest_of(const struct rct_path *p, u64 *longest, u32 *cause)
{
	for (u32 i = 0; p->causes && i < RCT_RETRY_CAUSES; i++) {
		if (p->stall_ns[i] > *longest) {
			*longest = p->stall_ns[i];
			*cause = i;
		}
	}
}

static void say_stall(const struct rct_hits *k, const char *from, struct rct_finding *f)
{
	u64 longest = 0;
	u32 cause = 0;
	char a[RCT_UNIT_TEXT];

	longest_of(k->worst, &longest, &cause);
	if (k->both_ways)
		longest_of(k->worst->back, &longest, &cause);
	if (longest)
		rct_evidence(f, "longest stall", NULL, from, "%s, cause %s", rct_time_text(longest, a),
			     rct_retry_name(cause));
}

static void say_all(struct rct_case *c, const struct rct_hits *k, struct rct_finding *f)
{
	char from[48], text[RCT_UNIT_TEXT];

	rct_from(c, k->worst, from);
	say_again(k, from, f);
	say_naks(k->worst, from, f);
	if (k->both_ways)
		say_naks(k->worst->back, from, f);
	say_gaps(k, from, f);
	say_worst(k->worst, from, f);
	say_stall(k, from, f);
	if (timeouts_of(k->worst) && has_explained_timeouts(k->worst))
		rct_explains(f, "retry.timeout: %s, what was sent again was lost, too",
			     rct_count_text(timeouts_of(k->worst), text));
	rct_about_hits(c, k, f);
}

/* Go-back-N repeats what had arrived, too: that is the cost, not the packets lost. */
static void say_impact(const struct rct_hits *k, struct rct_finding *f)
{
	const struct rct_path *p = k->worst;
	u64 each = p->packets ? p->bytes / p->packets : 0;
	char a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT];

	if (!k->trouble)
		return;
	RCT_SAY(f->impact, "%s packets (about %s) sent again; their queue pairs waited for them",
		rct_count_text(k->trouble, a), rct_bytes_text(k->trouble * each, b));
}

static void say_next_ends(const struct rct_path *p, struct rct_finding *f, const char *there)
{
	char src[RCT_ADDR_TEXT], dst[RCT_ADDR_TEXT];

	rct_addr_text(p->key.src, p->key.family, src);
	rct_addr_text(p->key.dst, p->key.family, dst);
	rct_next(f, "on %s: rocetrace run --host %s   (%s)", dst, src, there);
	if (p->dscp)
		rct_next(f, "switches on the way: drops, ECN and PFC counters of the queue of DSCP %u", p->dscp);
	else
		rct_next(f, "switches on the way: drops in the default queue (DSCP 0: rarely a lossless class)");
}

/* ---- loss.sent */

static u64 weigh_sent(const struct rct_case *c, const struct rct_path *p)
{
	(void)c;
	if (p->seen == RCT_RECEIVED_HERE || !lost_behind(p))
		return 0;
	return rct_path_trouble(p) + naks_for(p);
}

static void found_sent(struct rct_case *c, const struct rct_hits *k)
{
	const struct rct_path *p = k->worst;
	struct rct_finding *f = rct_find(c, severity_of(k), confidence_of(p), RCT_SCOPE_FLOW);
	char dst[RCT_ADDR_TEXT];

	rct_addr_text(p->key.dst, p->key.family, dst);
	if (k->both_ways)
		RCT_SAY(f->title, "Packets of both directions passed this point and were lost behind it.");
	else if (p->seen == RCT_SENT_HERE)
		RCT_SAY(f->title, "Packets left this host and were lost before %s accepted them.", dst);
	else
		RCT_SAY(f->title, "Packets passed this point and were lost between it and %s.", dst);
	say_all(c, k, f);
	say_impact(k, f);
	RCT_SAY(f->refuted_by, "the same packets arrive at %s: then that host drops them", dst);
	say_next_ends(p, f, "gaps: the network lost them; none: that host did");
}

void rct_rule_loss_sent(struct rct_case *c)
{
	rct_each_hits(c, weigh_sent, found_sent);
}

/* ---- loss.received, with reordering */

static u64 weigh_received(const struct rct_case *c, const struct rct_path *p)
{
	(void)c;
	if (p->seen == RCT_SENT_HERE || !lost_before(p))
		return 0;
	return rct_path_trouble(p) + naks_for(p) + gaps_of(p);
}

static void found_received(struct rct_case *c, const struct rct_hits *k)
{
	const struct rct_path *p = k->worst;
	struct rct_finding *f = rct_find(c, severity_of(k), confidence_of(p), RCT_SCOPE_FLOW);
	char src[RCT_ADDR_TEXT], a[RCT_UNIT_TEXT];

	rct_addr_text(p->key.src, p->key.family, src);
	if (k->both_ways)
		RCT_SAY(f->title, "Packets of both directions were lost before they reached this point.");
	else if (p->seen == RCT_RECEIVED_HERE)
		RCT_SAY(f->title, "Packets from %s were lost on their way to this host.", src);
	else
		RCT_SAY(f->title, "Packets from %s were lost before they reached this point.", src);
	say_all(c, k, f);
	say_impact(k, f);
	if (p->uc_missing)
		RCT_SAY(f->impact, "%s packets of unreliable connections are lost for good",
			rct_count_text(p->uc_missing, a));
	RCT_SAY(f->refuted_by, "a trace on %s shows the same gaps: then they never left it", src);
	rct_next(f, "on %s: rocetrace run   (gaps there, too: they never left it)", src);
	say_next_ends(p, f, "which of them arrive?");
}

static u64 weigh_reordered(const struct rct_case *c, const struct rct_path *p)
{
	(void)c;
	if (p->seen == RCT_SENT_HERE || lost_before(p) || p->repeated || naks_for(p))
		return 0;
	/* what another CPU filled may be this host's doing */
	return p->late > p->cross_cpu ? p->late - p->cross_cpu : 0;
}

static void found_reordered(struct rct_case *c, const struct rct_hits *k)
{
	struct rct_finding *f = rct_find(c, RCT_NOTICE, RCT_CONF_MEDIUM, RCT_SCOPE_FLOW);
	char from[48], a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT];

	RCT_SAY(f->title, "Packets arrive out of order, and nobody asked for one again: reordering, not loss.");
	rct_from(c, k->worst, from);
	rct_evidence(f, "late", "NAKs: 0, repeated: 0", from, "%s of %s packets",
		     rct_count_text(k->weight, a), rct_count_text(k->packets, b));
	RCT_SAY(f->refuted_by, "sequence NAKs or repeated packets in the same flows");
	rct_next(f, "is adaptive routing or packet spray on? Then this is normal, and out_of_sequence counters are no loss");
	rct_about_hits(c, k, f);
}

void rct_rule_loss_received(struct rct_case *c)
{
	rct_each_hits(c, weigh_received, found_received);
	rct_each_hits(c, weigh_reordered, found_reordered);
}

/* ---- loss.host */

static u64 weigh_host(const struct rct_case *c, const struct rct_path *p)
{
	(void)c;
	if (p->seen == RCT_SENT_HERE)
		return lost_before(p) && gaps_of(p) > p->cross_cpu ? gaps_of(p) : 0;
	/* arrived whole, and this host asked for it again */
	if (p->seen == RCT_RECEIVED_HERE && naks_for(p) > 2 * gaps_of(p))
		return naks_for(p);
	return 0;
}

static void found_host(struct rct_case *c, const struct rct_hits *k)
{
	const struct rct_path *p = k->worst;
	struct rct_finding *f = rct_find(c, severity_of(k), RCT_CONF_MEDIUM, RCT_SCOPE_HOST);

	if (p->seen == RCT_SENT_HERE)
		RCT_SAY(f->title, "Packets of this host are missing already where they leave it: dropped inside it.");
	else
		RCT_SAY(f->title, "Packets reached this host and it asked for them again: dropped inside it.");
	say_all(c, k, f);
	say_impact(k, f);
	rct_next(f, "tc -s qdisc; ip -s -s link; nstat -az 'Udp*' 'Ip*'   (drops that grow together with this)");
	if (p->seen == RCT_RECEIVED_HERE) {
		RCT_SAY(f->refuted_by, "no drop, and no checksum error in the RDMA device's counters of this host");
		rct_next(f, "rdma statistic show   (icrc or checksum errors: damaged packets are dropped silently)");
	} else {
		RCT_SAY(f->refuted_by, "the packets missing here seen at the receiver: then only this hook missed them");
	}
}

void rct_rule_loss_host(struct rct_case *c)
{
	rct_each_hits(c, weigh_host, found_host);
}

/* ---- retry.timeout */

static bool answered(const struct rct_path *p)
{
	return p->back && (p->back->acks || p->back->responses || p->back->naks[0]);
}

/* Goes back again and again, and nothing answers: only a timer can have made it. */
static bool talks_to_nobody(const struct rct_path *p)
{
	return !answered(p) && p->steps_back >= 2 && p->seen != RCT_RECEIVED_HERE;
}

static u64 weigh_timeout(const struct rct_case *c, const struct rct_path *p)
{
	(void)c;
	if (talks_to_nobody(p))
		return p->steps_back;
	return has_explained_timeouts(p) ? 0 : timeouts_of(p);
}

/* Whether any path was seen both ways; else perhaps only one direction was traced. */
static bool both_directions(const struct rct_case *c)
{
	for (size_t i = 0; i < c->paths.n; i++) {
		if (c->paths.v[i].back)
			return true;
	}
	return false;
}

static void say_timeouts(const struct rct_hits *k, u64 stall, const char *from, struct rct_finding *f)
{
	const struct rct_path *p = k->worst;
	char a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT];

	rct_count_text(k->weight, a);
	if (answered(p))
		rct_evidence(f, "timeouts", NULL, from, "%s%s", a,
			     p->inferred ? " (inferred: the QP's timeout is not known here)" : "");
	else
		rct_evidence(f, "sent from the start again", NULL, from, "%s times", a);
	if (stall)
		rct_evidence(f, "longest stall", "ACK timeout 14: 67 ms and more", from, "%s",
			     rct_time_text(stall, a));
	rct_evidence(f, "answers seen", NULL, from, "%s ACKs, %s responses",
		     p->back ? rct_count_text(p->back->acks, a) : "0",
		     p->back ? rct_count_text(p->back->responses, b) : "0");
}

static void found_timeout(struct rct_case *c, const struct rct_hits *k)
{
	const struct rct_path *p = k->worst;
	u64 stall = timeouts_of(p) ? p->stall_ns[RCT_RETRY_TIMEOUT] : 0;
	u32 cause;
	/* a queue pair that begins anew after a pause looks like one timeout */
	bool sure = answered(p) ? !p->inferred || timeouts_of(p) > 2 : both_directions(c);
	bool bad = !answered(p) || (sure && stall >= STALL_CRITICAL);
	struct rct_finding *f = rct_find(c, bad ? RCT_CRITICAL : RCT_WARNING,
					 sure ? RCT_CONF_HIGH : RCT_CONF_MEDIUM, RCT_SCOPE_FLOW);
	char src[RCT_ADDR_TEXT], dst[RCT_ADDR_TEXT], from[48];

	if (!answered(p))
		longest_of(p, &stall, &cause);
	rct_addr_text(p->key.src, p->key.family, src);
	rct_addr_text(p->key.dst, p->key.family, dst);
	if (answered(p))
		RCT_SAY(f->title, "%s sent again after a silence: its packets, or the answers of %s, were lost.", src, dst);
	else
		RCT_SAY(f->title, "%s sends and sends again, and no answer of %s was seen.", src, dst);
	rct_from(c, p, from);
	say_timeouts(k, stall, from, f);
	say_again(k, from, f);
	say_worst(p, from, f);
	RCT_SAY(f->impact, "each stops its QP for the whole timeout; after retry_cnt of them the QP fails (status 12)");
	if (sure)
		RCT_SAY(f->refuted_by, "%s answers in time: then its answers are lost on the way back", dst);
	else if (!answered(p))
		RCT_SAY(f->refuted_by, "only one direction was traced: no answer of any host was seen");
	else
		RCT_SAY(f->refuted_by, "the QP was simply idle, or set up anew, in between");
	rct_next(f, "on %s: ping %s; ip neigh show %s   (is it up, is its address right?)", src, dst, dst);
	rct_next(f, "on %s: rocetrace run --host %s   (do requests arrive, do answers leave?)", dst, src);
	rct_about_hits(c, k, f);
}

void rct_rule_timeout(struct rct_case *c)
{
	rct_each_hits(c, weigh_timeout, found_timeout);
}

/* ---- loss.unknown */

/* Sent again, and none of the other rules knows why. */
static u64 weigh_unknown(const struct rct_case *c, const struct rct_path *p)
{
	u64 again = p->repeated + p->rsp_repeated;

	(void)c;
	if (!again || naks_for(p) || timeouts_of(p) || gaps_of(p) || rereads_for(p) || talks_to_nobody(p))
		return 0;
	if (p->back && p->back->rnr_naks)
		return 0;
	return again;
}

static void found_unknown(struct rct_case *c, const struct rct_hits *k)
{
	const struct rct_path *p = k->worst;
	struct rct_finding *f = rct_find(c, RCT_NOTICE, RCT_CONF_LOW, RCT_SCOPE_FLOW);
	char from[48], dst[RCT_ADDR_TEXT];

	RCT_SAY(f->title, "Packets were seen twice, without a NAK and without a gap: cause unknown.");
	rct_from(c, p, from);
	say_again(k, from, f);
	say_naks(p, from, f);
	say_worst(p, from, f);
	if (p->steps_back && p->steps_back == p->repeated)
		rct_evidence(f, "each one alone", NULL, from, "as a network that duplicates, or a lost answer, makes them");
	RCT_SAY(f->refuted_by, "duplicate_request of the receiver's RDMA device unchanged: then only the tap saw them twice");
	rct_next(f, "on %s: rdma statistic show   (duplicate_request: how many reached it twice)",
		 rct_addr_text(p->key.dst, p->key.family, dst));
	rct_about_hits(c, k, f);
}

/* A receiver asked for packets again, and the packets themselves do not come by here. */
static u64 weigh_naks_alone(const struct rct_case *c, const struct rct_path *p)
{
	(void)c;
	return p->back && p->back->requests ? 0 : p->naks[0];
}

static void found_naks_alone(struct rct_case *c, const struct rct_hits *k)
{
	const struct rct_path *p = k->worst;
	struct rct_finding *f = rct_find(c, RCT_WARNING, RCT_CONF_MEDIUM, RCT_SCOPE_FLOW);
	char src[RCT_ADDR_TEXT], dst[RCT_ADDR_TEXT], from[48], a[RCT_UNIT_TEXT];

	rct_addr_text(p->key.src, p->key.family, src);
	rct_addr_text(p->key.dst, p->key.family, dst);
	RCT_SAY(f->title, "%s missed packets of %s and asked for them again; that direction was not seen.", src, dst);
	rct_from(c, p, from);
	rct_evidence(f, "sequence NAKs", NULL, from, "%s, one for each loss that was noticed", rct_count_text(k->weight, a));
	RCT_SAY(f->refuted_by, "packet spraying or adaptive routing towards a receiver that does not take them out of order");
	rct_next(f, "trace both directions: on %s: rocetrace run --host %s", dst, src);
	rct_about_hits(c, k, f);
}

void rct_rule_loss_unknown(struct rct_case *c)
{
	rct_each_hits(c, weigh_unknown, found_unknown);
	rct_each_hits(c, weigh_naks_alone, found_naks_alone);
}

/* ---- loss.none */

#define LOAD_PROVES	0.3	/* of the link: a queue that never fills never drops */
#define PACKETS_PROVE	100000

/* The busiest interface's load, -1: not known. */
static double best_load(const struct rct_case *c)
{
	double best = -1, x;

	for (size_t i = 0; i < c->s->n_ifaces; i++) {
		for (u32 dir = RCT_RX; dir <= RCT_TX; dir++) {
			x = rct_load(c, c->s->ifaces[i].slot, dir);
			best = x > best ? x : best;
		}
	}
	return best;
}

void rct_rule_loss_none(struct rct_case *c)
{
	u64 data = 0, both = 0;
	double load = best_load(c);
	char a[RCT_UNIT_TEXT];

	for (size_t i = 0; i < c->paths.n; i++) {
		const struct rct_path *p = &c->paths.v[i];

		data += p->requests + p->responses;
		if (p->back)
			both += p->requests + p->responses;
	}
	if (!data || rct_has(c, "loss.") || rct_has(c, "retry.timeout") || rct_has(c, "link.errors"))
		return;
	rct_count_text(data, a);
	if (both < data / 2)
		rct_unsure(c, "loss: none in %s packets, but only one direction was seen: NAKs may be in the other", a);
	else if (data < PACKETS_PROVE)
		rct_unsure(c, "loss: none in %s packets, too few to prove anything", a);
	else if (load < 0)
		rct_unsure(c, "loss: none in %s packets; the link's load is unknown: not proven lossless", a);
	else if (load < LOAD_PROVES)
		rct_unsure(c, "loss: none in %s packets, but at %.1f %% load: not proven lossless", a, load * 100);
	else
		rct_pass(c, "loss (none in %s packets at %.0f %% load)", a, load * 100);
}
