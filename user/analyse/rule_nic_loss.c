// SPDX-License-Identifier: BSD-2-Clause
/*
 * Loss as the counters of offloading NICs tell it. Direction matters: what is damaged
 * or dropped here explains packets missing here and lost acknowledgements, never
 * packets of this host that a peer missed.
 */
#include <stdio.h>

#include "analyse/nics.h"
#include "base/units.h"

/* Less than a tenth left over is noise of two readings that are not of one moment. */
static bool matters(u64 left, u64 whole)
{
	return left > 10 && left > whole / 10;
}

/* Out of sequence alone is reordering. */
static bool proven(const struct rct_losses *l)
{
	return rct_grown(&l->duplicates) || rct_grown(&l->naks) || rct_grown(&l->timeouts) ||
	       rct_grown(&l->exceeded) || rct_grown(&l->damaged) || rct_grown(&l->dropped) ||
	       rct_grown(&l->implied);
}

/* Of RoCE, or of all priorities where RoCE's own are not counted. */
static u64 packets(const struct rct_case *c, const struct rct_nic *n, bool tx)
{
	struct rct_delta d = rct_nic_grew(c, n, tx ? RCT_C_ROCE_TX_PACKETS : RCT_C_ROCE_RX_PACKETS);
	struct rct_port all = { .nic = n };

	if (!rct_grown(&d))
		d = rct_port_grew_all(c, &all, tx ? RCT_C_PRIO_TX_PACKETS : RCT_C_PRIO_RX_PACKETS);
	return rct_grown(&d);
}

static void say_share(struct rct_finding *f, const char *metric, u64 lost, u64 all)
{
	char a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT];

	if (all)
		rct_evidence(f, metric, NULL, NULL, "%s of %s packets", rct_share_text(lost, all, a),
			     rct_count_text(all, b));
}

static const char *span_text(const struct rct_case *c, char buf[32])
{
	double span = rct_span(c);

	*buf = '\0';
	if (span > 0)
		snprintf(buf, 32, " in %.3g s", span);
	return buf;
}

/* The NICs whose counters were read twice and can be trusted. */
static bool judged(const struct rct_case *c, const struct rct_nic *n)
{
	return c->s->before && rct_nic_roce(n) && !rct_nic_sick(c, n);
}

/* Does this NIC's traffic travel unprotected, beside a priority that is protected? */
static bool travels_open(const struct rct_case *c, const struct rct_nic *n)
{
	struct rct_classes k = rct_nic_classes(c, n);

	return k.known && k.some && k.open >= 0.5;
}

/* ---- loss.nic */

/* The priority that lost most; RCT_PRIOS: not told. */
static u32 worst_prio(const struct rct_case *c, const struct rct_nic *n)
{
	u32 worst = RCT_PRIOS;
	u64 most = 0;

	for (u32 p = 0; p < RCT_PRIOS; p++) {
		struct rct_delta d = rct_nic_delta(c->s->before, c->s->facts, n, RCT_C_PRIO_RX_DISCARDS, p);

		if (rct_grown(&d) > most) {
			most = d.delta;
			worst = p;
		}
	}
	return worst;
}

static void say_other_way(struct rct_case *c, const struct rct_losses *l, struct rct_finding *f)
{
	rct_say_growth(c, f, &l->naks, "sent, lost at peers or on the way");
	rct_say_growth(c, f, &l->timeouts, NULL);
}

static void found_nic_drops(struct rct_case *c, const struct rct_nic *n, const struct rct_losses *l)
{
	u32 prio = worst_prio(c, n);
	const struct rct_netif *i = rct_nic_netif(c->s->facts, n);
	bool lossless = i && i->dcb.pfc == RCT_THERE && prio < RCT_PRIOS && (i->dcb.pfc_enabled >> prio & 1);
	enum rct_severity severity = l->by_drop ? rct_loss_severity(c, l->dropped.delta, packets(c, n, false)) :
				     lossless ? RCT_WARNING : RCT_NOTICE;
	struct rct_finding *f = rct_find(c, severity, l->by_drop ? RCT_CONF_HIGH : RCT_CONF_MEDIUM, RCT_SCOPE_NIC);
	char on[32] = "", a[RCT_UNIT_TEXT], in[32];

	rct_about_nic(n, f);
	if (prio < RCT_PRIOS)
		RCT_SAY(on, " on priority %u", prio);
	RCT_SAY(f->title, "This NIC dropped %s received packets%s%s: its receive buffer was full.",
		rct_count_text(l->dropped.delta, a), span_text(c, in), on);
	rct_say_growth(c, f, &l->dropped, NULL);
	rct_say_growth(c, f, &l->out_of_sequence, "what RoCE saw of it");
	if (travels_open(c, n))
		say_other_way(c, l, f);
	if (l->by_drop)
		rct_explains(f, "%s +%s of %s", rct_vendor_name(l->out_of_sequence.from),
			     rct_count_text(l->by_drop, a), "packets missing here");
	else
		RCT_SAY(f->impact, "no RoCE packet was missing: what was dropped may be other traffic");
	rct_say_impact(c, n, f);
	RCT_SAY(f->refuted_by, lossless ? "none: a lossless priority must never drop; its buffer has too little headroom" :
		"drops of other traffic only: RoCE's own counters stand still");
	rct_next(f, "on the host: is PCIe or memory slow? setpci/lspci -vv of the NIC, outbound_pci_stalled_wr, NUMA node of the buffers");
	rct_next(f, "dcb buffer show dev %s; dcb pfc show dev %s   (headroom, and is this priority meant to be lossless?)",
		 n->ifname, n->ifname);
	f->weight = l->dropped.delta;
}

void rct_rule_nic_drops(struct rct_case *c)
{
	for (u32 k = 0; c->s->facts && k < c->s->facts->n_nics; k++) {
		const struct rct_nic *n = &c->s->facts->nics[k];
		struct rct_losses l;

		if (!judged(c, n) || rct_nic_repeats_port(c->s->facts, n))
			continue;
		l = rct_nic_losses(c, n);
		if (rct_grown(&l.dropped))
			found_nic_drops(c, n, &l);
	}
}

/* ---- loss.received */

static void found_received(struct rct_case *c, const struct rct_nic *n, const struct rct_losses *l)
{
	u64 all = packets(c, n, false), oos = rct_grown(&l->out_of_sequence);
	bool lost = proven(l);
	struct rct_finding *f = rct_find(c, lost ? rct_loss_severity(c, l->received_left, all) : RCT_NOTICE,
					 lost ? RCT_CONF_HIGH : RCT_CONF_MEDIUM, RCT_SCOPE_NIC);
	char in[32], a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT];

	rct_about_nic(n, f);
	if (lost)
		RCT_SAY(f->title, "Packets to this host are lost or reordered before they reach it: %s +%s%s.",
			rct_vendor_name(l->out_of_sequence.from), rct_count_text(oos, a), span_text(c, in));
	else
		RCT_SAY(f->title, "Packets arrive out of order (%s +%s%s), and nothing says that one was lost.",
			rct_vendor_name(l->out_of_sequence.from), rct_count_text(oos, a), span_text(c, in));
	rct_say_growth(c, f, &l->out_of_sequence, NULL);
	say_share(f, "share", oos, all);
	rct_say_growth(c, f, &l->duplicates, "sent twice to here");
	rct_say_growth(c, f, &l->implied, "READ responses lost");
	if (oos > l->received_left)
		rct_evidence(f, "left over", NULL, NULL, "%s; %s are explained by damaged or dropped frames here",
			     rct_count_text(l->received_left, a), rct_count_text(oos - l->received_left, b));
	rct_say_impact(c, n, f);
	RCT_SAY(f->refuted_by, lost ? "adaptive routing or packet spray: then only duplicates and timeouts are loss" :
		"duplicate_request or timeouts that grow: then it is loss");
	rct_next(f, "switch port to this host: egress discards and queue watermark of RoCE's class");
	rct_next(f, "on the senders: rocetrace run -t 10   (packet_seq_err there is the same loss)");
	f->weight = l->received_left;
}

void rct_rule_nic_received(struct rct_case *c)
{
	for (u32 k = 0; k < c->s->facts->n_nics; k++) {
		const struct rct_nic *n = &c->s->facts->nics[k];
		struct rct_losses l;

		if (!judged(c, n))
			continue;
		l = rct_nic_losses(c, n);
		if (matters(l.received_left, rct_grown(&l.out_of_sequence)) ||
		    (l.received_left && l.received_left == rct_grown(&l.out_of_sequence)))
			found_received(c, n, &l);
	}
}

/* ---- loss.sent */

static bool is_sent_loss(const struct rct_losses *l)
{
	return rct_grown(&l->naks) || rct_grown(&l->repeated) ||
	       (rct_grown(&l->exceeded) && rct_grown(&l->timeouts));
}

/* loss.nic has said it: everything of this NIC travels unprotected, both ways. */
static bool said_with_drops(const struct rct_case *c, const struct rct_nic *n, const struct rct_losses *l)
{
	return l->by_drop && travels_open(c, n) && !rct_grown(&l->exceeded);
}

static enum rct_severity sent_severity(const struct rct_case *c, const struct rct_losses *l, u64 all)
{
	u64 naks = rct_grown(&l->naks);
	enum rct_severity s;

	if (rct_grown(&l->exceeded))
		return RCT_CRITICAL;
	s = rct_loss_severity(c, naks ? naks : rct_grown(&l->repeated), all);
	if (s < RCT_CRITICAL && rct_loss_severity(c, l->timeouts_left * 10, 0) > s)
		s = rct_loss_severity(c, l->timeouts_left * 10, 0);
	return s;
}

static void sent_title(struct rct_case *c, const struct rct_losses *l, struct rct_finding *f)
{
	char in[32], a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT], gave_up[64] = "", unanswered[64] = "";

	if (rct_grown(&l->timeouts))
		RCT_SAY(unanswered, ", ACK timeouts +%s", rct_count_text(l->timeouts.delta, b));
	if (rct_grown(&l->exceeded))
		RCT_SAY(gave_up, ", retries exceeded +%s", rct_count_text(l->exceeded.delta, a));
	RCT_SAY(f->title, "Packets that this host sends are lost or reordered on the way%s%s%s.", gave_up,
		unanswered, span_text(c, in));
}

static void found_sent(struct rct_case *c, const struct rct_nic *n, const struct rct_losses *l)
{
	u64 all = packets(c, n, true);
	struct rct_finding *f = rct_find(c, sent_severity(c, l, all), RCT_CONF_HIGH, RCT_SCOPE_NIC);
	char others[48];

	rct_about_nic(n, f);
	sent_title(c, l, f);
	rct_say_growth(c, f, &l->naks, rct_others_text(c, n, RCT_C_SEQ_NAK_RECEIVED, others));
	say_share(f, "NAK share", rct_grown(&l->naks), all);
	rct_say_growth(c, f, &l->timeouts, rct_others_text(c, n, RCT_C_ACK_TIMEOUT, others));
	rct_say_growth(c, f, &l->exceeded, rct_others_text(c, n, RCT_C_RETRY_EXCEEDED, others));
	rct_say_growth(c, f, &l->repeated, NULL);
	rct_say_impact(c, n, f);
	if (rct_grown(&l->exceeded) && !*f->impact)
		RCT_SAY(f->impact, "queue pairs gave up (completion status 12): a job ends with that");
	RCT_SAY(f->refuted_by, "adaptive routing without a single timeout or repetition: then it is reordering");
	rct_next(f, "on the peers: rocetrace run -t 10   (out_of_sequence, discards, CRC there: lost at them; else between)");
	rct_next(f, "switches of the path: discards per queue, CRC and FEC errors per port, both directions");
	f->weight = rct_grown(&l->naks) + rct_grown(&l->timeouts) + rct_grown(&l->exceeded);
}

void rct_rule_nic_sent(struct rct_case *c)
{
	for (u32 k = 0; k < c->s->facts->n_nics; k++) {
		const struct rct_nic *n = &c->s->facts->nics[k];
		struct rct_losses l;

		if (!judged(c, n))
			continue;
		l = rct_nic_losses(c, n);
		if (is_sent_loss(&l) && !said_with_drops(c, n, &l))
			found_sent(c, n, &l);
	}
}

/* ---- loss.unknown */

struct local {
	const char *name;
	enum rct_canonical x;
	bool prio;
};

/* What of a host could lose what it sends or what comes back. */
static const struct local locals[] = {
	{ "receive discards", RCT_C_PORT_RX_DISCARDS, false },
	{ "transmit discards", RCT_C_PORT_TX_DISCARDS, false },
	{ "damaged frames", RCT_C_CRC_ERROR, false },
	{ "PFC received", RCT_C_PFC_RX_DURATION, true },
	{ "CNPs received", RCT_C_CNP_RECEIVED, false },
};

static struct rct_delta local_delta(const struct rct_case *c, const struct rct_nic *n, const struct local *x)
{
	struct rct_port p = { .nic = n };

	return x->prio ? rct_port_grew_all(c, &p, x->x) : rct_nic_grew(c, n, x->x);
}

/* Discards, damage or an unprotected class on this host: then there is something to look at first. */
static bool has_local_cause(const struct rct_case *c, const struct rct_nic *n, const struct rct_losses *l)
{
	struct rct_delta tx = rct_nic_grew(c, n, RCT_C_PORT_TX_DISCARDS);

	return rct_grown(&l->damaged) || rct_grown(&l->dropped) || rct_grown(&tx) || travels_open(c, n);
}

static void found_no_place(struct rct_case *c, const struct rct_nic *n)
{
	struct rct_finding *f = rct_find(c, RCT_UNKNOWN_FINDING, RCT_CONF_HIGH, RCT_SCOPE_NIC);
	char clean[120] = "", missing[120] = "";

	rct_about_nic(n, f);
	for (size_t i = 0; i < sizeof(locals) / sizeof(locals[0]); i++) {
		struct rct_delta d = local_delta(c, n, &locals[i]);
		char *to = d.have == RCT_THERE ? clean : missing;

		if (d.have == RCT_THERE && d.delta)
			continue;
		snprintf(to + strlen(to), 120 - strlen(to), "%s%s", *to ? ", " : "", locals[i].name);
	}
	RCT_SAY(f->title, "The place of this loss is unknown: nothing on this host shows it. It needs the peer's counters and the switches'.");
	if (*clean)
		rct_evidence(f, "none here", NULL, NULL, "%.95s", clean);
	if (*missing)
		rct_evidence(f, "not counted here", NULL, NULL, "n/a: %.90s", missing);
	rct_next(f, "on the peer, at the same time: rocetrace check   (out_of_sequence and discards there; then the two reports side by side)");
}

void rct_rule_nic_place(struct rct_case *c)
{
	for (u32 k = 0; k < c->s->facts->n_nics; k++) {
		const struct rct_nic *n = &c->s->facts->nics[k];
		struct rct_losses l;

		if (!judged(c, n))
			continue;
		l = rct_nic_losses(c, n);
		if (is_sent_loss(&l) && !has_local_cause(c, n, &l))
			found_no_place(c, n);
	}
}

/* ---- loss.none */

#define LOAD_PROVES	0.3

struct clean {
	u32 counted;
	double high;		/* load of the busiest; -1: not known */
	u64 tx, rx;		/* bytes of the busiest */
	char who[RCT_NIC_TEXT];
};

static bool can_see_loss(const struct rct_losses *l)
{
	return l->out_of_sequence.have == RCT_THERE || l->naks.have == RCT_THERE;
}

static void add_clean(const struct rct_case *c, const struct rct_nic *n, struct clean *k)
{
	double load = rct_nic_load(c, n);
	struct rct_delta tx = rct_nic_bytes(c, n, true), rx = rct_nic_bytes(c, n, false);

	if (!k->counted++) {
		k->high = load;
		k->tx = rct_grown(&tx);
		k->rx = rct_grown(&rx);
		rct_nic_text(n, k->who);
		return;
	}
	if (load > k->high) {
		k->high = load;
		k->tx = rct_grown(&tx);
		k->rx = rct_grown(&rx);
	}
}

static void say_clean(struct rct_case *c, const struct clean *k)
{
	char a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT], who[RCT_NIC_TEXT + 16];
	double span = rct_span(c);

	if (k->counted == 1)
		RCT_SAY(who, "%s", k->who);
	else
		RCT_SAY(who, "%u NICs, busiest", k->counted);
	rct_rate_text(k->tx, span, a);
	rct_rate_text(k->rx, span, b);
	if (k->high < 0)
		rct_unsure(c, "loss: none seen on %s; how busy it was is not known: not proven lossless", who);
	else if (k->high < LOAD_PROVES)
		rct_unsure(c, "loss: none seen on %s, at %.3g %% load: not proven lossless", who, k->high * 100);
	else
		rct_pass(c, "loss (none: %s %s sent, %s received, %.0f %% load)", who, a, b, k->high * 100);
}

void rct_rule_nic_lossless(struct rct_case *c)
{
	const struct rct_facts *f = c->s->facts;
	struct clean k = { .high = -1 };
	u32 nics = 0, seen = 0;

	for (u32 i = 0; i < f->n_nics; i++) {
		const struct rct_nic *n = &f->nics[i];
		struct rct_losses l;

		nics += rct_nic_roce(n);
		if (!judged(c, n))
			continue;
		l = rct_nic_losses(c, n);
		seen += can_see_loss(&l);
		if (can_see_loss(&l) && !proven(&l) && !rct_grown(&l.out_of_sequence))
			add_clean(c, n, &k);
	}
	if (nics && !c->s->before)
		rct_unsure(c, "loss, pause and congestion: counters were read once, which has no rates; it takes a second reading");
	else if (k.counted && !rct_has(c, "loss.") && !rct_has(c, "retry.timeout"))
		say_clean(c, &k);
	else if (nics && !seen && !rct_has(c, "nic.firmware"))
		rct_unsure(c, "loss: these drivers count neither NAKs nor packets out of sequence");
}
