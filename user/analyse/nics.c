// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/nics.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"

/* ---- which */

bool rct_nic_roce(const struct rct_nic *n)
{
	return n->readable && strcmp(n->link_layer, "InfiniBand");
}

bool rct_nic_active(const struct rct_nic *n)
{
	return !strcmp(n->state, "ACTIVE") || (!*n->state && n->readable);
}

static void add_port(struct rct_case *c, const struct rct_nic *n, const struct rct_netif *i, bool member)
{
	struct rct_port *p = rct_facts_add((void **)&c->ports, &c->n_ports, sizeof(*p));

	if (!p) {
		c->no_memory = true;
		return;
	}
	p->nic = n;
	p->netif = i;
	p->member = member;
}

void rct_ports_make(struct rct_case *c)
{
	const struct rct_facts *f = c->s->facts;

	for (u32 k = 0; f && k < f->n_nics; k++) {
		const struct rct_nic *n = &f->nics[k];
		const struct rct_netif *i = rct_nic_netif(f, n);

		if (!rct_nic_roce(n) || rct_nic_repeats_port(f, n))
			continue;
		if (!i || !i->n_members)
			add_port(c, n, i, false);
		for (u32 j = 0; i && j < i->n_members; j++) {
			const struct rct_netif *m = rct_netif_named(f, i->members[j]);

			if (m)
				add_port(c, n, m, true);
		}
	}
}

static bool pci_same(const char *a, const char *b)
{
	return *a && !strcmp(a, b);
}

const struct rct_nic *rct_nic_of(const struct rct_facts *f, const char *object)
{
	for (u32 k = 0; *object && k < f->n_nics; k++) {
		const struct rct_nic *n = &f->nics[k];
		const struct rct_netif *i = rct_nic_netif(f, n);

		if (!strcmp(n->dev, object) || !strcmp(n->ifname, object) || pci_same(n->pci, object) ||
		    (i && pci_same(i->pci, object)))
			return n;
		for (u32 j = 0; i && j < i->n_members; j++) {
			const struct rct_netif *m = rct_netif_named(f, i->members[j]);

			if (m && (!strcmp(m->name, object) || pci_same(m->pci, object)))
				return n;
		}
	}
	return NULL;
}

bool rct_nic_sick(const struct rct_case *c, const struct rct_nic *n)
{
	const struct rct_facts *f = c->s->facts;
	bool sick = false;

	for (u32 i = 0; i < f->n_log; i++) {
		if (f->log[i].class == RCT_LOG_HEALTH && rct_nic_of(f, f->log[i].object) == n)
			sick = !strstr(f->log[i].text, "recovery succeeded");
	}
	return sick;
}

/* ---- names */

static const char *text_of(const struct rct_nic *n, const char *ifname, char buf[RCT_NIC_TEXT])
{
	char port[16] = "";

	if (n->port > 1)
		snprintf(port, sizeof(port), ":%u", n->port);
	snprintf(buf, RCT_NIC_TEXT, "%s%s%s%s", n->dev, port, *ifname ? "/" : "", ifname);
	return buf;
}

const char *rct_nic_text(const struct rct_nic *n, char buf[RCT_NIC_TEXT])
{
	return text_of(n, n->ifname, buf);
}

const char *rct_port_text(const struct rct_port *p, char buf[RCT_NIC_TEXT])
{
	return text_of(p->nic, p->netif ? p->netif->name : p->nic->ifname, buf);
}

void rct_about_nic(const struct rct_nic *n, struct rct_finding *f)
{
	char buf[RCT_NIC_TEXT];

	RCT_SAY(f->object, "%s", rct_nic_text(n, buf));
}

void rct_about_port(const struct rct_port *p, struct rct_finding *f)
{
	char buf[RCT_NIC_TEXT];

	RCT_SAY(f->object, "%s", rct_port_text(p, buf));
}

const char *rct_vendor_name(const char *from)
{
	const char *slash = strchr(from, '/');

	return slash ? slash + 1 : from;
}

/* ---- how counters moved */

double rct_span(const struct rct_case *c)
{
	double seconds = rct_facts_seconds(c->s->before, c->s->facts);

	return seconds > 0 ? seconds : 0;
}

struct rct_delta rct_nic_grew(const struct rct_case *c, const struct rct_nic *n, enum rct_canonical x)
{
	return rct_nic_delta(c->s->before, c->s->facts, n, x, 0);
}

struct rct_delta rct_port_grew(const struct rct_case *c, const struct rct_port *p,
			       enum rct_canonical x, u32 prio)
{
	return p->member ? rct_netif_delta(c->s->before, c->s->facts, p->netif, x, prio) :
	       rct_nic_delta(c->s->before, c->s->facts, p->nic, x, prio);
}

struct rct_num rct_port_counter(const struct rct_case *c, const struct rct_port *p,
				enum rct_canonical x, u32 prio, char from[80])
{
	return p->member ? rct_netif_counter(p->netif, x, prio, from, 80) :
	       rct_nic_counter(c->s->facts, p->nic, x, prio, from, 80);
}

u64 rct_grown(const struct rct_delta *d)
{
	return d->have == RCT_THERE ? d->delta : 0;
}

static void add_delta(struct rct_delta *sum, const struct rct_delta *d)
{
	if (d->have != RCT_THERE)
		return;
	if (sum->have != RCT_THERE || d->delta > sum->delta)
		memcpy(sum->from, d->from, sizeof(sum->from));
	sum->have = RCT_THERE;
	sum->delta += d->delta;
	sum->per_second += d->per_second;
}

struct rct_delta rct_port_grew_all(const struct rct_case *c, const struct rct_port *p,
				   enum rct_canonical x)
{
	struct rct_delta sum = { .have = RCT_ABSENT }, d;

	for (u32 prio = 0; prio < RCT_PRIOS; prio++) {
		d = rct_port_grew(c, p, x, prio);
		add_delta(&sum, &d);
	}
	return sum;
}

/* A whole NIC's, as a port that has the bond's members in it. */
static struct rct_delta nic_grew_all(const struct rct_case *c, const struct rct_nic *n, enum rct_canonical x)
{
	struct rct_port p = { .nic = n };

	return rct_port_grew_all(c, &p, x);
}

bool rct_rdma_moved(const struct rct_case *c, const struct rct_nic *n)
{
	const struct rct_facts *b = c->s->before;
	const struct rct_nic *was = NULL;

	for (u32 i = 0; b && i < b->n_nics; i++) {
		if (!strcmp(b->nics[i].dev, n->dev) && b->nics[i].port == n->port)
			was = &b->nics[i];
	}
	for (u32 i = 0; was && i < n->n_counters; i++) {
		for (u32 j = 0; j < was->n_counters; j++) {
			if (n->counters[i].group == was->counters[j].group &&
			    !strcmp(n->counters[i].name, was->counters[j].name) &&
			    n->counters[i].value != was->counters[j].value)
				return true;
		}
	}
	return false;
}

/* ---- bytes and speed */

static double netif_speed(const struct rct_netif *i)
{
	return i && i->speed_mbps.have == RCT_THERE && i->speed_mbps.v > 0 ? i->speed_mbps.v * 1e6 : 0;
}

double rct_nic_speed(const struct rct_case *c, const struct rct_nic *n)
{
	const struct rct_netif *i = rct_nic_netif(c->s->facts, n);
	double speed = 0;

	for (u32 j = 0; i && j < i->n_members; j++)
		speed += netif_speed(rct_netif_named(c->s->facts, i->members[j]));
	if (speed <= 0)
		speed = netif_speed(i);
	if (speed <= 0 && n->rate_mbps.have == RCT_THERE)
		speed = n->rate_mbps.v * 1e6;
	return speed;
}

struct rct_delta rct_nic_bytes(const struct rct_case *c, const struct rct_nic *n, bool tx)
{
	struct rct_delta all[] = {
		rct_nic_grew(c, n, tx ? RCT_C_ROCE_TX_BYTES : RCT_C_ROCE_RX_BYTES),
		nic_grew_all(c, n, tx ? RCT_C_PRIO_TX_BYTES : RCT_C_PRIO_RX_BYTES),
		rct_nic_grew(c, n, tx ? RCT_C_PORT_TX_BYTES : RCT_C_PORT_RX_BYTES),
	};
	struct rct_delta most = all[0];

	for (u32 i = 1; i < 3; i++) {
		if (all[i].have == RCT_THERE && (most.have != RCT_THERE || all[i].delta > most.delta))
			most = all[i];
	}
	return most;
}

static struct rct_delta busier(const struct rct_case *c, const struct rct_nic *n)
{
	struct rct_delta tx = rct_nic_bytes(c, n, true), rx = rct_nic_bytes(c, n, false);

	return rx.have == RCT_THERE && (tx.have != RCT_THERE || rx.delta > tx.delta) ? rx : tx;
}

double rct_nic_load(const struct rct_case *c, const struct rct_nic *n)
{
	struct rct_delta d = busier(c, n);
	double speed = rct_nic_speed(c, n), span = rct_span(c);

	return d.have == RCT_THERE && speed > 0 && span > 0 ? d.delta * 8 / span / speed : -1;
}

/* ---- siblings */

bool rct_sibling(const struct rct_case *c, const struct rct_nic *n, const struct rct_nic *other)
{
	return n != other && rct_nic_roce(other) && rct_nic_active(other) &&
	       !strcmp(n->driver, other->driver) && rct_nic_speed(c, n) == rct_nic_speed(c, other);
}

const char *rct_others_text(const struct rct_case *c, const struct rct_nic *n,
			    enum rct_canonical x, char buf[48])
{
	const struct rct_facts *f = c->s->facts;
	u32 clean = 0;

	*buf = '\0';
	for (u32 i = 0; i < f->n_nics; i++) {
		struct rct_delta d;

		if (!rct_sibling(c, n, &f->nics[i]))
			continue;
		d = rct_nic_grew(c, &f->nics[i], x);
		if (d.have != RCT_THERE || d.delta)
			return buf;
		clean++;
	}
	if (clean)
		snprintf(buf, 48, "the other %u NIC%s: 0", clean, clean > 1 ? "s" : "");
	return buf;
}

void rct_say_impact(const struct rct_case *c, const struct rct_nic *n, struct rct_finding *f)
{
	struct rct_delta own = busier(c, n);
	double span = rct_span(c);
	u64 low = UINT64_MAX, high = 0;
	char a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT], d[RCT_UNIT_TEXT];
	u32 others = 0;

	for (u32 i = 0; i < c->s->facts->n_nics; i++) {
		struct rct_delta o;

		if (!rct_sibling(c, n, &c->s->facts->nics[i]))
			continue;
		o = busier(c, &c->s->facts->nics[i]);
		if (o.have != RCT_THERE)
			continue;
		low = o.delta < low ? o.delta : low;
		high = o.delta > high ? o.delta : high;
		others++;
	}
	if (!others || own.have != RCT_THERE || span <= 0 || own.delta >= low * 0.9)
		return;
	rct_rate_text(low, span, b);
	rct_rate_text(high, span, d);
	RCT_SAY(f->impact, "%.63s %.15s, its %u siblings %.15s%s%.15s: a collective runs at the slowest one's pace",
		n->dev, rct_rate_text(own.delta, span, a), others, b,
		strcmp(b, d) ? " to " : "", strcmp(b, d) ? d : "");
}

/* ---- words */

void rct_say_growth(const struct rct_case *c, struct rct_finding *f, const struct rct_delta *d,
		    const char *threshold)
{
	char metric[48], in[80] = "", a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT];
	double span = rct_span(c), rate;

	if (!rct_grown(d))
		return;
	RCT_SAY(metric, "%.47s", rct_vendor_name(d->from));
	if (span > 0) {
		rate = d->delta / span;
		snprintf(b, sizeof(b), "%.3g", rate);
		RCT_SAY(in, " in %.3g s (%s/s)", span, rate >= 1000 ? rct_count_text(rate, b) : b);
	}
	rct_evidence(f, metric, threshold, d->from, "+%s%s", rct_count_text(d->delta, a), in);
}

/* A loss costs what was in flight behind it: 100 per million are felt, one per million is not right. */
#define SHARE_CRITICAL	1e-4
#define SHARE_WARNING	1e-6
#define RATE_CRITICAL	10
#define RATE_WARNING	0.1

enum rct_severity rct_loss_severity(const struct rct_case *c, u64 lost, u64 all)
{
	double span = rct_span(c), share = all ? (double)lost / all : 0, rate = span > 0 ? lost / span : lost;

	if (all >= lost && all ? share >= SHARE_CRITICAL : rate >= RATE_CRITICAL)
		return RCT_CRITICAL;
	if (all >= lost && all ? share >= SHARE_WARNING : rate >= RATE_WARNING)
		return RCT_WARNING;
	return RCT_NOTICE;
}

/* ---- losses */

/*
 * What a number of damaged or dropped frames can explain: as many packets out of
 * sequence, and a few more that their repetitions cost.
 */
static u64 room(u64 frames)
{
	return frames ? frames + frames / 4 + 10 : 0;
}

static u64 least(u64 a, u64 b)
{
	return a < b ? a : b;
}

struct rct_losses rct_nic_losses(const struct rct_case *c, const struct rct_nic *n)
{
	struct rct_losses l = {
		.out_of_sequence = rct_nic_grew(c, n, RCT_C_OUT_OF_SEQUENCE),
		.duplicates = rct_nic_grew(c, n, RCT_C_DUPLICATE_REQUEST),
		.implied = rct_nic_grew(c, n, RCT_C_IMPLIED_NAK),
		.naks = rct_nic_grew(c, n, RCT_C_SEQ_NAK_RECEIVED),
		.timeouts = rct_nic_grew(c, n, RCT_C_ACK_TIMEOUT),
		.exceeded = rct_nic_grew(c, n, RCT_C_RETRY_EXCEEDED),
		.repeated = rct_nic_grew(c, n, RCT_C_RETRANSMITTED_PACKETS),
		.damaged = rct_nic_grew(c, n, RCT_C_CRC_ERROR),
		.dropped = nic_grew_all(c, n, RCT_C_PRIO_RX_DISCARDS),
	};
	struct rct_delta port = rct_nic_grew(c, n, RCT_C_PORT_RX_DISCARDS);
	u64 oos = rct_grown(&l.out_of_sequence), frames;

	/* not every driver counts per priority */
	if (rct_grown(&port) > rct_grown(&l.dropped) || l.dropped.have != RCT_THERE)
		l.dropped = port;
	l.by_damage = least(oos, room(rct_grown(&l.damaged)));
	l.by_drop = least(oos - l.by_damage, room(rct_grown(&l.dropped)));
	l.received_left = oos - l.by_damage - l.by_drop;
	frames = rct_grown(&l.damaged) + rct_grown(&l.dropped);
	l.timeouts_left = rct_grown(&l.timeouts) - least(rct_grown(&l.timeouts), frames);
	return l;
}

/* ---- classes */

struct sums {
	u64 prio[RCT_PRIOS], all;
	bool known;
};

static struct sums sum_prios(const struct rct_case *c, const struct rct_nic *n, enum rct_canonical x)
{
	struct sums s = {};

	for (u32 p = 0; p < RCT_PRIOS; p++) {
		struct rct_delta d = rct_nic_delta(c->s->before, c->s->facts, n, x, p);

		s.known |= d.have == RCT_THERE;
		s.prio[p] = rct_grown(&d);
		s.all += s.prio[p];
	}
	return s;
}

static u64 open_part(const struct sums *s, u8 pfc)
{
	u64 n = 0;

	for (u32 p = 0; p < RCT_PRIOS; p++)
		n += pfc >> p & 1 ? 0 : s->prio[p];
	return n;
}

static u32 largest(const struct sums *s, u8 of)
{
	u32 best = RCT_PRIOS;

	for (u32 p = 0; p < RCT_PRIOS; p++) {
		if ((of >> p & 1) && (best == RCT_PRIOS || s->prio[p] > s->prio[best]))
			best = p;
	}
	return best;
}

/* Takes off what the kernel's own stack sent, as far as that is told. */
static u64 without_tcp(const struct rct_case *c, const struct rct_nic *n, u64 open, u64 safe, bool bytes, bool tx)
{
	struct rct_delta roce = rct_nic_grew(c, n, bytes ? (tx ? RCT_C_ROCE_TX_BYTES : RCT_C_ROCE_RX_BYTES) :
					     tx ? RCT_C_ROCE_TX_PACKETS : RCT_C_ROCE_RX_PACKETS);
	struct rct_delta tcp = rct_nic_grew(c, n, tx ? RCT_C_NETDEV_TX_BYTES : RCT_C_NETDEV_RX_BYTES);

	if (rct_grown(&roce))
		return least(open, roce.delta > safe ? roce.delta - safe : 0);
	if (bytes)
		return open - least(open, rct_grown(&tcp));
	return open;
}

static double open_share(const struct rct_case *c, const struct rct_nic *n, u8 pfc, bool tx,
			 struct sums *ret)
{
	struct sums s = sum_prios(c, n, tx ? RCT_C_PRIO_TX_BYTES : RCT_C_PRIO_RX_BYTES);
	bool bytes = s.all;
	u64 open, safe;

	if (!bytes)
		s = sum_prios(c, n, tx ? RCT_C_PRIO_TX_PACKETS : RCT_C_PRIO_RX_PACKETS);
	*ret = s;
	if (!s.all)
		return -1;
	open = open_part(&s, pfc);
	safe = s.all - open;
	open = without_tcp(c, n, open, safe, bytes, tx);
	ret->all = open + safe;
	return ret->all ? (double)open / ret->all : -1;
}

struct rct_classes rct_nic_classes(const struct rct_case *c, const struct rct_nic *n)
{
	const struct rct_netif *i = rct_nic_netif(c->s->facts, n);
	struct rct_classes k = { .open = -1, .arrived_open = -1 };
	struct sums s, r;
	u8 pfc;

	if (!i || i->dcb.pfc != RCT_THERE || !c->s->before)
		return k;
	pfc = i->dcb.pfc_enabled;
	k.some = pfc;
	k.none = !pfc && !i->pause_rx && !i->pause_tx;
	if (!rct_rdma_moved(c, n))
		return k;
	k.open = open_share(c, n, pfc, true, &s);
	k.arrived_open = open_share(c, n, pfc, false, &r);
	k.known = k.open >= 0;
	k.sent = s.all;
	k.prio = largest(&s, ~pfc);
	k.safe = largest(&s, pfc);
	return k;
}
