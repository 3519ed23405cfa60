// SPDX-License-Identifier: BSD-2-Clause
/*
 * Pause, ECN and traffic classes by the counters of NICs. By share of the time and of
 * the packets, never by number: a lossless class pauses, congestion control marks.
 */
#include <stdio.h>

#include "analyse/nics.h"
#include "base/units.h"

/* ---- pause.received, pause.sent, pause.storm, pause.deadlock */

#define PAUSED_WARNING	0.01	/* share of the time */
#define PAUSED_CRITICAL	0.20
#define PAUSED_STILL	0.90	/* with nothing sent: it does not move at all */

/* Of one port and direction: the priority that stood still longest, or 802.3x. */
struct paused {
	bool known, timed;	/* frames or times were counted; times were */
	bool global;
	u32 prio;
	double share;		/* of the time; -1: not known */
	struct rct_delta time, frames;
};

static void take_paused(const struct rct_case *c, struct paused *p, const struct rct_delta *time,
			const struct rct_delta *frames, u32 prio, bool global)
{
	double span = rct_span(c), share = -1;

	p->known |= time->have == RCT_THERE || frames->have == RCT_THERE;
	p->timed |= time->have == RCT_THERE;
	if (time->have == RCT_THERE && span > 0)
		share = time->delta / 1e6 / span;
	if (share < 0 && !rct_grown(frames))
		return;
	/* 802.3x stops everything: of two it is the one to tell */
	if (share < p->share || (share == p->share && rct_grown(frames) <= rct_grown(&p->frames)))
		return;
	p->share = share;
	p->prio = prio;
	p->global = global;
	p->time = *time;
	p->frames = *frames;
}

static struct paused port_paused(const struct rct_case *c, const struct rct_port *port, bool tx)
{
	struct paused p = { .share = -1 };
	struct rct_delta time, frames;

	for (u32 prio = 0; prio < RCT_PRIOS; prio++) {
		time = rct_port_grew(c, port, tx ? RCT_C_PFC_TX_DURATION : RCT_C_PFC_RX_DURATION, prio);
		frames = rct_port_grew(c, port, tx ? RCT_C_PFC_TX_FRAMES : RCT_C_PFC_RX_FRAMES, prio);
		take_paused(c, &p, &time, &frames, prio, false);
	}
	time = rct_port_grew(c, port, tx ? RCT_C_PAUSE_TX_DURATION : RCT_C_PAUSE_RX_DURATION, 0);
	frames = rct_port_grew(c, port, tx ? RCT_C_PAUSE_TX_FRAMES : RCT_C_PAUSE_RX_FRAMES, 0);
	take_paused(c, &p, &time, &frames, 0, true);
	return p;
}

static void say_paused(struct rct_case *c, struct rct_finding *f, const struct paused *p)
{
	double span = rct_span(c);
	char a[RCT_UNIT_TEXT];

	if (p->share >= 0)
		rct_evidence(f, "time paused", p->global ? "all classes" : NULL, p->time.from,
			     "%.3g %% of %.3g s (%s)", p->share * 100, span,
			     rct_time_text(p->time.delta * 1000, a));
	else
		rct_evidence(f, "time paused", NULL, NULL, "n/a: this driver counts frames, not time");
	rct_say_growth(c, f, &p->frames, NULL);
}

static void found_received_pause(struct rct_case *c, const struct rct_port *port, const struct paused *p)
{
	struct rct_finding *f = rct_find(c, !p->global && p->share >= PAUSED_CRITICAL ? RCT_CRITICAL : RCT_WARNING,
					 RCT_CONF_HIGH, RCT_SCOPE_NIC);
	char class[32] = "802.3x, all classes";

	rct_about_port(port, f);
	if (!p->global)
		RCT_SAY(class, "priority %u", p->prio);
	RCT_SAY(f->title, "The network stops this host from sending for %.3g %% of the time (%s): the peer or the switch is the bottleneck, not this host.",
		p->share * 100, class);
	say_paused(c, f, p);
	rct_say_impact(c, port->nic, f);
	RCT_SAY(f->refuted_by, "pause that this host sends as well: then look here first");
	rct_next(f, "switch port to this host: who is paused by whom? Follow the pause down to the first receiver that sends it and gets none");
	rct_next(f, "at that receiver: rocetrace run -t 10   (pause.sent, PCIe stalls, receive buffers)");
	f->weight = p->share * 1e6;
}

static void found_sent_pause(struct rct_case *c, const struct rct_port *port, const struct paused *p)
{
	struct rct_finding *f = rct_find(c, !p->global && p->share >= PAUSED_CRITICAL ? RCT_CRITICAL : RCT_WARNING,
					 RCT_CONF_HIGH, RCT_SCOPE_NIC);
	struct rct_delta stall = rct_port_grew(c, port, RCT_C_PCIE_STALL, 0);

	rct_about_port(port, f);
	RCT_SAY(f->title, "This host stops its switch port for %.3g %% of the time: it cannot take what arrives.",
		p->share * 100);
	say_paused(c, f, p);
	rct_say_growth(c, f, &stall, "NIC waits for PCIe");
	RCT_SAY(f->impact, "the pause spreads to every sender of the same class through that switch");
	RCT_SAY(f->refuted_by, "a receive rate at the link's full speed: then it is only bursts");
	rct_next(f, "on this host: PCIe width and speed, outbound_pci_stalled_wr, NUMA node of the buffers, IOMMU; dcb buffer show dev %s",
		 port->netif ? port->netif->name : "DEV");
	f->weight = p->share * 1e6;
}

/* Nothing of the priority left while it was paused all the time. */
static bool stands_still(const struct rct_case *c, const struct rct_port *port, const struct paused *p)
{
	struct rct_delta sent = rct_port_grew(c, port, RCT_C_PRIO_TX_PACKETS, p->prio);

	return !p->global && p->share >= PAUSED_STILL && sent.have == RCT_THERE && !sent.delta;
}

/* Of the time; what is next to nothing is said to be that. */
static const char *percent(double share, char buf[RCT_UNIT_TEXT])
{
	double p = share > 0 ? share * 100 : 0;

	if (p > 0 && p < 0.0001)
		strcpy(buf, "under 0.0001 %");
	else
		snprintf(buf, RCT_UNIT_TEXT, "%.*g %%", p < 0.001 ? 1 : p < 10 ? 2 : 3, p);
	return buf;
}

static void say_worst_pause(struct rct_case *c, const struct paused *rx, const struct paused *tx)
{
	char class[32] = "802.3x", a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT];

	if (!rx->global)
		RCT_SAY(class, "priority %u", rx->prio);
	if (rx->share <= 0 && tx->share <= 0)
		rct_pass(c, rx->timed ? "pause (none)" : "pause (no frame)");
	else
		rct_pass(c, "pause (%s: paused %s of the %.3g s received, %s sent)", class, percent(rx->share, a),
			 rct_span(c), percent(tx->share, b));
}

/* Configured to neither send nor obey any: drivers then have no counters of it. */
static bool pause_off(const struct rct_netif *i)
{
	return i && i->dcb.pfc == RCT_THERE && !i->dcb.pfc_enabled && !i->pause_rx && !i->pause_tx;
}

void rct_rule_nic_pause_received(struct rct_case *c)
{
	struct paused worst_rx = { .share = -1 }, worst_tx = { .share = -1 };
	u32 known = 0, found = 0, off = 0;

	for (u32 i = 0; c->s->before && i < c->n_ports; i++) {
		struct paused rx = port_paused(c, &c->ports[i], false), tx = port_paused(c, &c->ports[i], true);

		off += pause_off(c->ports[i].netif);
		if (rct_nic_sick(c, c->ports[i].nic) || !rx.known)
			continue;
		known++;
		found += tx.share >= PAUSED_WARNING || rx.share >= PAUSED_WARNING;
		if (rx.share >= PAUSED_WARNING && !stands_still(c, &c->ports[i], &rx))
			found_received_pause(c, &c->ports[i], &rx);
		worst_rx.timed |= rx.timed;
		if (rx.share > worst_rx.share)
			worst_rx = rx;
		if (tx.share > worst_tx.share)
			worst_tx = tx;
	}
	if (known && !found)
		say_worst_pause(c, &worst_rx, &worst_tx);
	else if (off && off == c->n_ports)
		rct_pass(c, "pause (off)");
	else if (c->s->before && c->n_ports && !known && !rct_has(c, "nic.firmware"))
		rct_unsure(c, "pause: it takes ethtool's statistics of the interfaces, read twice");
}

void rct_rule_nic_pause_sent(struct rct_case *c)
{
	for (u32 i = 0; c->s->before && i < c->n_ports; i++) {
		struct paused tx = port_paused(c, &c->ports[i], true);

		if (tx.share >= PAUSED_WARNING)
			found_sent_pause(c, &c->ports[i], &tx);
	}
}

void rct_rule_pause_deadlock(struct rct_case *c)
{
	for (u32 i = 0; c->s->before && i < c->n_ports; i++) {
		struct paused rx = port_paused(c, &c->ports[i], false);
		struct rct_finding *f;

		if (!stands_still(c, &c->ports[i], &rx))
			continue;
		f = rct_find(c, RCT_CRITICAL, RCT_CONF_MEDIUM, RCT_SCOPE_NIC);
		rct_about_port(&c->ports[i], f);
		RCT_SAY(f->title, "Priority %u is paused all the time and sends nothing: a pause storm or a deadlock in the fabric.", rx.prio);
		say_paused(c, f, &rx);
		RCT_SAY(f->refuted_by, "nothing to send on that priority: then only the pause is wrong");
		rct_next(f, "switch port to this host: PFC watchdog state, pause frames sent; who pauses it? Follow to the first receiver");
		f->weight = RCT_CAUSE;
	}
}

void rct_rule_pause_storm(struct rct_case *c)
{
	for (u32 i = 0; c->s->before && i < c->n_ports; i++) {
		struct rct_delta d = rct_port_grew(c, &c->ports[i], RCT_C_PAUSE_STORM, 0);
		struct rct_finding *f;

		if (!rct_grown(&d))
			continue;
		f = rct_find(c, RCT_CRITICAL, RCT_CONF_HIGH, RCT_SCOPE_NIC);
		rct_about_port(&c->ports[i], f);
		RCT_SAY(f->title, "This NIC sent pause without an end, until its storm prevention spoke: this host does not take its packets.");
		rct_say_growth(c, f, &d, "0");
		RCT_SAY(f->impact, "every sender to this host, and others through the same switch, stand still meanwhile");
		rct_next(f, "is this host hung (console, kernel log), its PCIe stalled, its firmware ill? Take it out of the fabric first");
		f->weight = RCT_CAUSE;
	}
}

/* ---- pause.global */

void rct_rule_pause_global(struct rct_case *c)
{
	for (u32 i = 0; c->s->facts && i < c->n_ports; i++) {
		const struct rct_netif *n = c->ports[i].netif;
		struct rct_finding *f;
		struct paused rx;

		if (!n || n->dcb.pfc != RCT_THERE || n->dcb.pfc_enabled || (n->pause_rx != 1 && n->pause_tx != 1))
			continue;
		rx = port_paused(c, &c->ports[i], false);
		/* on and never used is how many NICs come */
		f = rct_find(c, rct_grown(&rx.frames) && rx.global ? RCT_WARNING : RCT_NOTICE, RCT_CONF_HIGH, RCT_SCOPE_NIC);
		rct_about_port(&c->ports[i], f);
		RCT_SAY(f->title, "802.3x (global) pause is on and PFC is off on all priorities: every class is stopped together.");
		rct_evidence(f, "pause", "off, with PFC on one priority", "ethtool -a", "rx %s, tx %s",
			     n->pause_rx == 1 ? "on" : "off", n->pause_tx == 1 ? "on" : "off");
		rct_evidence(f, "PFC", NULL, "dcb pfc", "off on all 8 priorities");
		RCT_SAY(f->refuted_by, "a fabric that is built on 802.3x pause, on purpose");
		rct_next(f, "PFC on RoCE's priority at NIC and switch, then: ethtool -A %s rx off tx off", n->name);
	}
}

/* ---- ecn.* */

#define LOW_LOAD	0.3
#define MANY_CNPS	10000	/* a second and NIC: senders are really slowed */

struct congestion {
	struct rct_delta marked, sent, received;
	double load;
};

static struct congestion congestion_of(const struct rct_case *c, const struct rct_nic *n)
{
	return (struct congestion){
		.marked = rct_nic_grew(c, n, RCT_C_ECN_CE_RECEIVED),
		.sent = rct_nic_grew(c, n, RCT_C_CNP_SENT),
		.received = rct_nic_grew(c, n, RCT_C_CNP_RECEIVED),
		.load = rct_nic_load(c, n),
	};
}

static void say_congestion(struct rct_case *c, struct rct_finding *f, const struct rct_nic *n,
			   const struct congestion *k)
{
	rct_about_nic(n, f);
	rct_say_growth(c, f, &k->received, "others tell this host to slow down");
	rct_say_growth(c, f, &k->sent, "this host tells its senders");
	rct_say_growth(c, f, &k->marked, NULL);
	if (k->load >= 0)
		rct_evidence(f, "load", NULL, NULL, "%.3g %% of the link, busier direction", k->load * 100);
	f->weight = rct_grown(&k->received);
}

void rct_rule_nic_overthrottled(struct rct_case *c)
{
	for (u32 i = 0; c->s->before && i < c->s->facts->n_nics; i++) {
		const struct rct_nic *n = &c->s->facts->nics[i];
		struct congestion k = congestion_of(c, n);
		struct rct_finding *f;

		if (!rct_nic_roce(n) || k.load < 0 || k.load >= LOW_LOAD || rct_span(c) <= 0 ||
		    rct_grown(&k.received) / rct_span(c) < MANY_CNPS)
			continue;
		f = rct_find(c, RCT_WARNING, RCT_CONF_MEDIUM, RCT_SCOPE_NIC);
		RCT_SAY(f->title, "This host is told to slow down although its link is mostly idle: threshold too low, or incast elsewhere.");
		say_congestion(c, f, n, &k);
		RCT_SAY(f->refuted_by, "watermarks well above the marking threshold at the receivers' switch ports: then those queues are full (incast)");
		rct_next(f, "switch ports to the receivers: ECN marked packets and watermark per queue");
	}
}

/* Congestion control at work is worth a line only where there is much of it. */
void rct_rule_nic_marked(struct rct_case *c)
{
	for (u32 i = 0; c->s->before && i < c->s->facts->n_nics; i++) {
		const struct rct_nic *n = &c->s->facts->nics[i];
		struct congestion k = congestion_of(c, n);
		struct rct_finding *f;
		char name[RCT_NIC_TEXT], a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT];

		if (!rct_nic_roce(n) || rct_span(c) <= 0 || (k.load >= 0 && k.load < LOW_LOAD) ||
		    (rct_grown(&k.received) + rct_grown(&k.sent)) / rct_span(c) < MANY_CNPS)
			continue;
		f = rct_find(c, RCT_NOTICE, RCT_CONF_HIGH, RCT_SCOPE_NIC);
		RCT_SAY(f->title, "Congestion control is active: %s CNPs/s handled, %s/s sent. At this load that is how it should be.",
			rct_count_text(rct_grown(&k.received) / rct_span(c), a),
			rct_count_text(rct_grown(&k.sent) / rct_span(c), b));
		say_congestion(c, f, n, &k);
		RCT_SAY(f->refuted_by, "a rate far below what %.80s's siblings reach", rct_nic_text(n, name));
		f->weight = 0;
	}
}

#define MARKS_PROVE	100

void rct_rule_nic_no_cnp(struct rct_case *c)
{
	for (u32 i = 0; c->s->before && i < c->s->facts->n_nics; i++) {
		const struct rct_nic *n = &c->s->facts->nics[i];
		struct congestion k = congestion_of(c, n);
		struct rct_finding *f;

		if (rct_grown(&k.marked) < MARKS_PROVE || k.sent.have != RCT_THERE || k.sent.delta)
			continue;
		f = rct_find(c, RCT_NOTICE, RCT_CONF_MEDIUM, RCT_SCOPE_NIC);
		RCT_SAY(f->title, "Marked packets arrive and this NIC sends no CNP: nobody tells the senders to slow down.");
		say_congestion(c, f, n, &k);
		RCT_SAY(f->refuted_by, "RTT-based congestion control, or DCQCN switched off on purpose");
		rct_next(f, "notification point of RoCE's priority: /sys/class/net/%s/ecn/roce_np/enable/PRIO", n->ifname);
	}
}

/* Nothing marks: only where it matters, under loss. */
void rct_rule_nic_unmarked(struct rct_case *c)
{
	for (u32 i = 0; c->s->before && i < c->s->facts->n_nics; i++) {
		const struct rct_nic *n = &c->s->facts->nics[i];
		struct congestion k = congestion_of(c, n);
		struct rct_losses l = rct_nic_losses(c, n);
		struct rct_finding *f;

		if (k.marked.have != RCT_THERE || k.marked.delta || rct_grown(&k.received) || rct_grown(&k.sent) ||
		    !l.received_left)
			continue;
		f = rct_find(c, RCT_NOTICE, RCT_CONF_HIGH, RCT_SCOPE_NIC);
		rct_about_nic(n, f);
		RCT_SAY(f->title, "Packets are lost and not one arrived ECN-marked: nothing on the way marks, so no sender slows down in time.");
		rct_evidence(f, rct_vendor_name(k.marked.from), NULL, k.marked.from, "+0");
		rct_evidence(f, "CNPs", NULL, k.received.from, "+0 received, +0 sent");
		RCT_SAY(f->refuted_by, "loss that is no congestion: damaged frames, a failing device");
		rct_next(f, "switches: ECN (WRED) on the queue of RoCE's class; hosts: DSCP with ECT set (NCCL_IB_TC=106)");
	}
}

void rct_rule_ecn_late(struct rct_case *c)
{
	for (u32 i = 0; c->s->before && i < c->n_ports; i++) {
		const struct rct_port *p = &c->ports[i];
		struct congestion k = congestion_of(c, p->nic);
		struct paused rx = port_paused(c, p, false);
		struct rct_finding *f;

		if (rx.global || rx.share < PAUSED_WARNING || k.received.have != RCT_THERE || k.received.delta)
			continue;
		f = rct_find(c, RCT_NOTICE, RCT_CONF_MEDIUM, RCT_SCOPE_NIC);
		rct_about_port(p, f);
		RCT_SAY(f->title, "This host is paused and was sent no CNP: pause comes before ECN. Threshold too high, or a receiver is slow.");
		say_paused(c, f, &rx);
		rct_evidence(f, "CNPs received", NULL, k.received.from, "+0");
		RCT_SAY(f->refuted_by, "a receiver that sends pause itself: marks are of no use there");
		rct_next(f, "switch: marking threshold (Kmin) of the queue against its pause threshold (XOFF)");
	}
}

/* ---- qos.lossy_priority */

#define OPEN_CRITICAL	0.5	/* share of what is sent that travels unprotected */
#define OPEN_NOTICE	0.1

static bool loses(const struct rct_losses *l)
{
	return rct_grown(&l->out_of_sequence) || rct_grown(&l->naks) || rct_grown(&l->dropped) ||
	       rct_grown(&l->timeouts);
}

static void say_dscps(const struct rct_netif *i, u32 prio, char buf[48])
{
	*buf = '\0';
	for (u32 d = 0; i->dcb.app == RCT_THERE && d < 64 && strlen(buf) < 36; d++) {
		if (i->dcb.dscp_prio[d] == (s8)prio)
			snprintf(buf + strlen(buf), 48 - strlen(buf), "%s%u", *buf ? "," : "DSCP ", d);
	}
}

static void found_wrong_class(struct rct_case *c, const struct rct_nic *n, const struct rct_classes *k,
			      const struct rct_losses *l)
{
	const struct rct_netif *i = rct_nic_netif(c->s->facts, n);
	struct rct_finding *f = rct_find(c, k->open >= OPEN_CRITICAL ? RCT_CRITICAL :
					 loses(l) ? RCT_WARNING : RCT_NOTICE, RCT_CONF_HIGH, RCT_SCOPE_NIC);
	char dscps[48], a[RCT_UNIT_TEXT];

	rct_about_nic(n, f);
	say_dscps(i, k->safe, dscps);
	RCT_SAY(f->title, "%.3g %% of the RoCE that this host sends is on priority %u, which has no PFC; priority %u%s%s%s is the lossless one.",
		k->open * 100, k->prio, k->safe, *dscps ? " (" : "", dscps, *dscps ? ")" : "");
	rct_evidence(f, "sent unprotected", NULL, "ethtool", "%.3g %% of what this NIC sent", k->open * 100);
	if (k->arrived_open >= 0)
		rct_evidence(f, "arrived unprotected", NULL, "ethtool", "%.3g %%", k->arrived_open * 100);
	rct_say_growth(c, f, &l->naks, NULL);
	rct_say_growth(c, f, &l->timeouts, NULL);
	if (rct_grown(&l->naks))
		rct_explains(f, "%s +%s: lost on the unprotected class", rct_vendor_name(l->naks.from),
			     rct_count_text(l->naks.delta, a));
	RCT_SAY(f->impact, loses(l) ? "packets of this class are dropped when a queue is full, the protected class is not" :
		"none in this interval; under load these packets are dropped where the protected class waits");
	RCT_SAY(f->refuted_by, "other software on this NIC that sends so much: compare with netdev bytes");
	rct_next(f, "the job's traffic class: NCCL_IB_TC (GIN: NCCL_GIN_IB_TC), UCX_IB_TRAFFIC_CLASS, --tclass; on every rank and host");
	rct_next(f, "set by hand, QPs that bypass the kernel (DevX, GPU-initiated) ignore a device-wide default");
	f->weight = RCT_CAUSE;
}

static bool ecn_off(const struct rct_netif *i)
{
	bool known = false;

	for (u32 p = 0; p < RCT_PRIOS; p++) {
		known |= i->ecn_np[p] >= 0 || i->ecn_rp[p] >= 0;
		if (i->ecn_np[p] > 0 || i->ecn_rp[p] > 0)
			return false;
	}
	return known;
}

/* Neither PFC nor 802.3x pause nor the NIC's own ECN, as far as all of them could be read. */
static bool unprotected(const struct rct_netif *i)
{
	if (!i || i->dcb.pfc != RCT_THERE || i->dcb.pfc_enabled || i->pause_rx || i->pause_tx)
		return false;
	for (u32 p = 0; p < RCT_PRIOS; p++) {
		if (i->ecn_np[p] > 0 || i->ecn_rp[p] > 0)
			return false;
	}
	return true;
}

static void found_no_protection(struct rct_case *c, const struct rct_nic *n, const struct rct_netif *i,
				enum rct_severity severity, const char *what)
{
	struct rct_finding *f = rct_find(c, severity, RCT_CONF_HIGH, RCT_SCOPE_NIC);
	struct rct_classes k = rct_nic_classes(c, n);

	rct_about_nic(n, f);
	RCT_SAY(f->title, "%s: PFC off on all priorities, pause off%s.", what,
		ecn_off(i) ? ", NIC ECN (roce_np, roce_rp) off" : "");
	rct_evidence(f, "PFC", "on, for RoCE's priority", "dcb pfc", "off on all 8 priorities");
	rct_evidence(f, "802.3x pause", NULL, "ethtool -a", "off");
	if (ecn_off(i))
		rct_evidence(f, "DCQCN", "on, for RoCE's priority", "ecn/roce_np, roce_rp", "off on all priorities");
	if (k.known)
		rct_evidence(f, "RoCE is on", NULL, "ethtool", "priority %u", k.prio);
	RCT_SAY(f->refuted_by, "a fabric that is lossy by intent, with congestion control that needs neither PFC nor ECN");
	rct_next(f, "PFC or ECN for one priority, with the same DSCP mapping, at both hosts and all switches between");
	f->weight = RCT_CAUSE;
}

static void judge_protection(struct rct_case *c, const struct rct_nic *n, const struct rct_losses *l)
{
	const struct rct_netif *i = rct_nic_netif(c->s->facts, n);

	if (!unprotected(i) || !rct_nic_active(n))
		return;
	if (!c->s->before)
		found_no_protection(c, n, i, RCT_WARNING, "Nothing protects RoCE on this NIC from loss");
	else if (loses(l) && !rct_grown(&l->damaged))
		found_no_protection(c, n, i, RCT_WARNING, "Packets are lost and nothing protects them");
	else
		found_no_protection(c, n, i, RCT_NOTICE, "No loss in this interval, and nothing protects from it");
}

struct well {
	u32 nics, prio;
	double least;	/* share of what was sent protected */
};

static void say_good_classes(struct rct_case *c, const struct well *w)
{
	if (w->nics == 1)
		rct_pass(c, "traffic class (%.3g %% sent on lossless priority %u)", w->least * 100, w->prio);
	else if (w->nics)
		rct_pass(c, "traffic class (%u NICs: %.3g %% or more sent on lossless priority %u)", w->nics, w->least * 100,
			 w->prio);
}

void rct_rule_nic_class(struct rct_case *c)
{
	struct well w = { .least = 1 };

	for (u32 i = 0; i < c->s->facts->n_nics; i++) {
		const struct rct_nic *n = &c->s->facts->nics[i];
		struct rct_classes k = rct_nic_classes(c, n);
		struct rct_losses l = rct_nic_losses(c, n);

		if (!rct_nic_roce(n))
			continue;
		if (k.known && k.some && k.open >= OPEN_NOTICE) {
			found_wrong_class(c, n, &k, &l);
		} else if (k.known && k.some) {
			w.nics++;
			w.prio = k.safe;
			w.least = 1 - k.open < w.least ? 1 - k.open : w.least;
		} else {
			judge_protection(c, n, &l);
		}
	}
	say_good_classes(c, &w);
}
