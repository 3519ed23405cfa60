// SPDX-License-Identifier: BSD-2-Clause
/* Links: damaged frames, modules, flaps, ports that are down. */
#include <stdio.h>

#include "analyse/nics.h"
#include "base/units.h"

#define SETTLED		300	/* seconds after boot: before, drivers take links down and up */
#define RECENT		3600	/* what is older than an hour is history */

static bool is_of(const struct rct_case *c, const struct rct_log *l, const struct rct_port *p)
{
	if (p->netif && (!strcmp(l->object, p->netif->name) || (*l->object && !strcmp(l->object, p->netif->pci))))
		return true;
	return !p->member && rct_nic_of(c->s->facts, l->object) == p->nic;
}

static bool bad_module(const struct rct_log *l)
{
	return l->class == RCT_LOG_TEMPERATURE ||
	       (l->class == RCT_LOG_MODULE && (strstr(l->text, "rror") || strstr(l->text, "unsupported") ||
		strstr(l->text, "exceed")));
}

/* ---- what the kernel log says of a port */

struct outages {
	u32 downs;
	double first, last;	/* of the downs */
	double longest;		/* s; 0: none came up again */
	bool down;		/* the last one is not over */
	const struct rct_log *module;	/* the first complaint about the module; NULL */
};

static struct outages outages_of(const struct rct_case *c, const struct rct_port *p)
{
	const struct rct_facts *f = c->s->facts;
	struct outages o = {};

	for (u32 i = 0; i < f->n_log; i++) {
		const struct rct_log *l = &f->log[i];

		if (!is_of(c, l, p))
			continue;
		if (bad_module(l) && !o.module)
			o.module = l;
		if (l->at >= 0 && l->at < SETTLED)
			continue;
		if (l->class == RCT_LOG_LINK_DOWN) {
			if (!o.downs++)
				o.first = l->at;
			o.last = l->at;
			o.down = true;
		} else if (l->class == RCT_LOG_LINK_UP && o.down) {
			o.longest = l->at - o.last > o.longest ? l->at - o.last : o.longest;
			o.down = false;
		}
	}
	return o;
}

/* Seconds ago; < 0: not known. */
static double ago(const struct rct_case *c, double at)
{
	return at >= 0 && c->s->facts->uptime >= at ? c->s->facts->uptime - at : -1;
}

static const char *ago_text(const struct rct_case *c, double at, char buf[32])
{
	double s = ago(c, at);

	if (s < 0)
		strcpy(buf, "at an unknown time");
	else if (s < 120)
		snprintf(buf, 32, "%.0f s ago", s);
	else if (s < 7200)
		snprintf(buf, 32, "%.0f minutes ago", s / 60);
	else
		snprintf(buf, 32, "%.0f hours ago", s / 3600);
	return buf;
}

/* ---- link.flap */

static void say_since_boot(struct rct_case *c, const struct rct_port *p, struct rct_finding *f,
			   enum rct_canonical x)
{
	char from[80], metric[48], a[RCT_UNIT_TEXT];
	struct rct_num v = rct_port_counter(c, p, x, 0, from);

	if (v.have != RCT_THERE || !v.v)
		return;
	RCT_SAY(metric, "%.47s", rct_vendor_name(from));
	rct_evidence(f, metric, "when is not known", from, "%s since boot", rct_count_text(v.v, a));
}

static enum rct_severity flap_severity(const struct rct_case *c, const struct outages *o, u64 grew)
{
	double since = ago(c, o->last);

	if (grew > 1 || (o->downs > 1 && since >= 0 && since < RECENT))
		return RCT_CRITICAL;
	if (grew || (o->downs && since >= 0 && since < RECENT))
		return RCT_WARNING;
	return RCT_NOTICE;
}

static void flap_title(struct rct_case *c, const struct outages *o, u64 grew, struct rct_finding *f)
{
	char first[32];

	if (o->downs)
		RCT_SAY(f->title, "The link went down %u time%s (kernel log, the first %s)%s.", o->downs,
			o->downs > 1 ? "s: it flaps" : "", ago_text(c, o->first, first),
			o->down ? ", and is not up again" : "");
	else
		RCT_SAY(f->title, "The link went down %llu time%s between the two readings.",
			(unsigned long long)grew, grew > 1 ? "s" : "");
}

static void found_flap(struct rct_case *c, const struct rct_port *p, const struct outages *o,
		       const struct rct_delta *d)
{
	struct rct_finding *f = rct_find(c, flap_severity(c, o, rct_grown(d)), RCT_CONF_HIGH, RCT_SCOPE_NIC);
	char when[32];

	rct_about_port(p, f);
	flap_title(c, o, rct_grown(d), f);
	if (o->downs)
		rct_evidence(f, "link-downs in the log", "0", "kernel log", "%u, the last one %s; longest outage %.0f s",
			     o->downs, ago_text(c, o->last, when), o->longest);
	rct_say_growth(c, f, d, "0");
	say_since_boot(c, p, f, RCT_C_LINK_DOWN);
	if (p->netif && p->netif->carrier_changes.have == RCT_THERE)
		rct_evidence(f, "carrier_changes", "two per outage", "class/net", "%lld since boot",
			     (long long)p->netif->carrier_changes.v);
	RCT_SAY(f->impact, "queue pairs whose retries end before the link is back fail with status 12; shorter outages stall them");
	RCT_SAY(f->refuted_by, "somebody took the interface or the switch port down on purpose");
	rct_next(f, "ethtool -m %s   (power, temperature and alarms of the module); reseat or swap module or cable, ONE end first",
		 p->netif ? p->netif->name : "DEV");
	rct_next(f, "switch port of this link: interface log, transceiver details, error counters");
	f->weight = RCT_CAUSE + o->downs + rct_grown(d);
}

void rct_rule_link_flap(struct rct_case *c)
{
	u32 clean = 0;

	for (u32 i = 0; i < c->n_ports; i++) {
		struct rct_delta d = rct_port_grew(c, &c->ports[i], RCT_C_LINK_DOWN, 0);
		struct outages o = outages_of(c, &c->ports[i]);

		if (rct_nic_sick(c, c->ports[i].nic))
			continue;
		if (o.downs || rct_grown(&d))
			found_flap(c, &c->ports[i], &o, &d);
		else
			clean += d.have == RCT_THERE || c->s->facts->log_read;
	}
	if (clean && !rct_has(c, "link.flap"))
		rct_pass(c, "link (no flap%s)", c->s->before ? "" : " in the kernel log");
}

/* ---- link.optic */

void rct_rule_link_optic(struct rct_case *c)
{
	for (u32 i = 0; i < c->n_ports; i++) {
		const struct rct_port *p = &c->ports[i];
		struct outages o = outages_of(c, p);
		bool before_down = o.module && o.downs && o.module->at <= o.first;
		struct rct_finding *f;
		char when[32];

		if (!o.module)
			continue;
		f = rct_find(c, before_down ? RCT_CRITICAL : RCT_WARNING, RCT_CONF_HIGH, RCT_SCOPE_NIC);
		rct_about_port(p, f);
		RCT_SAY(f->title, "The module of this link complains (%s)%s.", ago_text(c, o.module->at, when),
			before_down ? ", and did so before the link first went down" : "");
		rct_evidence(f, "log", NULL, "kernel log", "%.95s", strstr(o.module->text, "Port module") ?
			     strstr(o.module->text, "Port module") : o.module->text);
		say_since_boot(c, p, f, RCT_C_CRC_ERROR);
		say_since_boot(c, p, f, RCT_C_SYMBOL_ERROR);
		if (before_down)
			rct_explains(f, "link.flap: %u link-downs after it", o.downs);
		RCT_SAY(f->refuted_by, "temperature and power of the module within limits now (ethtool -m), and no new errors");
		rct_next(f, "ethtool -m %s; airflow and fans of the chassis; swap the module if it is not the heat",
			 p->netif ? p->netif->name : "DEV");
		f->weight = RCT_CAUSE + 1000;
	}
}

/* ---- link.errors, link.upstream: frames with a bad checksum */

static bool clean_here(const struct rct_case *c, const struct rct_port *p)
{
	struct rct_delta symbols = rct_port_grew(c, p, RCT_C_SYMBOL_ERROR, 0);
	struct rct_delta fec = rct_port_grew(c, p, RCT_C_FEC_UNCORRECTABLE, 0);

	/* one that was seen is enough; a switch before stomps what it could not check in time */
	return (symbols.have == RCT_THERE || fec.have == RCT_THERE) && !rct_grown(&symbols) && !rct_grown(&fec);
}

static u64 received_frames(const struct rct_case *c, const struct rct_port *p)
{
	struct rct_delta d = rct_port_grew(c, p, RCT_C_PORT_RX_PACKETS, 0);
	struct rct_delta prios = rct_port_grew_all(c, p, RCT_C_PRIO_RX_PACKETS);
	struct rct_delta roce = rct_nic_grew(c, p->nic, RCT_C_ROCE_RX_PACKETS);

	return rct_grown(&d) ? d.delta : rct_grown(&prios) ? prios.delta : rct_grown(&roce);
}

static void say_explained(struct rct_finding *f, const struct rct_losses *l)
{
	u64 oos = rct_grown(&l->out_of_sequence), timeouts = rct_grown(&l->timeouts);
	char a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT];

	if (l->by_damage)
		rct_explains(f, "%.40s +%s of %s", rct_vendor_name(l->out_of_sequence.from),
			     rct_count_text(l->by_damage, a), rct_count_text(oos, b));
	if (timeouts > l->timeouts_left)
		rct_explains(f, "%.40s +%s of %s (lost ACKs)", rct_vendor_name(l->timeouts.from),
			     rct_count_text(timeouts - l->timeouts_left, a), rct_count_text(timeouts, b));
}

static void found_damage(struct rct_case *c, const struct rct_port *p, const struct rct_delta *d, bool upstream)
{
	struct rct_losses l = rct_nic_losses(c, p->nic);
	u64 frames = received_frames(c, p);
	enum rct_severity severity = l.by_damage ? RCT_CRITICAL : rct_loss_severity(c, d->delta, frames);
	struct rct_finding *f = rct_find(c, severity, RCT_CONF_HIGH, RCT_SCOPE_NIC);
	struct rct_delta symbols = rct_port_grew(c, p, RCT_C_SYMBOL_ERROR, 0);
	struct rct_delta fec = rct_port_grew(c, p, RCT_C_FEC_UNCORRECTABLE, 0);
	char others[48], a[RCT_UNIT_TEXT];

	rct_about_port(p, f);
	RCT_SAY(f->title, "%s", upstream ?
		"Damaged frames arrive, and this link itself is clean: damaged on a hop before, passed on by a cut-through switch." :
		"Frames arrive damaged on this link: cable, module or port. Not congestion, not configuration.");
	rct_say_growth(c, f, d, rct_others_text(c, p->nic, RCT_C_CRC_ERROR, others));
	if (frames)
		rct_evidence(f, "share", NULL, NULL, "%s of what arrived", rct_share_text(d->delta, frames, a));
	rct_say_growth(c, f, &symbols, "on this hop");
	rct_say_growth(c, f, &fec, "on this hop");
	rct_say_growth(c, f, &l.out_of_sequence, "what RoCE saw of it");
	if (l.naks.have == RCT_THERE && !l.naks.delta)
		rct_evidence(f, rct_vendor_name(l.naks.from), NULL, l.naks.from, "+0: what this host sends arrives");
	say_explained(f, &l);
	rct_say_impact(c, p->nic, f);
	RCT_SAY(f->refuted_by, upstream ? "symbol or FEC errors on this link" : "clean symbols and FEC here: then a hop before stomped them");
	rct_next(f, "take it out: drain this host, or restart the job without this NIC");
	rct_next(f, upstream ? "switches of the path: the first port with CRC or FEC errors on receive" :
		 "ethtool -m of the interface; switch port of this link: transceiver details; clean, reseat, swap ONE end");
	rct_next(f, "prove it: rocetrace run -t 60 --fail-on warning");
	f->weight = RCT_CAUSE + d->delta;
}

static void judge_damage(struct rct_case *c, bool upstream)
{
	for (u32 i = 0; c->s->before && i < c->n_ports; i++) {
		struct rct_delta d = rct_port_grew(c, &c->ports[i], RCT_C_CRC_ERROR, 0);

		if (rct_grown(&d) && clean_here(c, &c->ports[i]) == upstream)
			found_damage(c, &c->ports[i], &d, upstream);
	}
}

void rct_rule_link_upstream(struct rct_case *c)
{
	judge_damage(c, true);
}

/* One reading: errors of an unknown time. */
static void found_old_damage(struct rct_case *c)
{
	struct rct_finding *f = NULL;
	char name[RCT_NIC_TEXT], from[80], a[RCT_UNIT_TEXT];

	for (u32 i = 0; i < c->n_ports; i++) {
		struct rct_num v = rct_port_counter(c, &c->ports[i], RCT_C_CRC_ERROR, 0, from);

		if (v.have != RCT_THERE || !v.v || outages_of(c, &c->ports[i]).module)
			continue;
		if (!f) {
			f = rct_find(c, RCT_NOTICE, RCT_CONF_LOW, RCT_SCOPE_NIC);
			rct_about_port(&c->ports[i], f);
			RCT_SAY(f->title, "Damaged frames were received at some time since boot; whether they still are takes a second reading.");
			rct_next(f, "rocetrace run -t 60");
		}
		rct_evidence(f, rct_port_text(&c->ports[i], name), NULL, from, "%s %s since boot",
			     rct_vendor_name(from), rct_count_text(v.v, a));
	}
}

static bool all_counted(const struct rct_case *c)
{
	for (u32 i = 0; i < c->n_ports; i++) {
		if (rct_port_grew(c, &c->ports[i], RCT_C_CRC_ERROR, 0).have != RCT_THERE ||
		    rct_nic_sick(c, c->ports[i].nic))
			return false;
	}
	return c->n_ports;
}

void rct_rule_link_damage(struct rct_case *c)
{
	if (!c->s->before) {
		found_old_damage(c);
		return;
	}
	judge_damage(c, false);
	if (all_counted(c) && !rct_has(c, "link.errors") && !rct_has(c, "link.upstream"))
		rct_pass(c, "link errors (no damaged frame)");
}

/* ---- link.down */

/* Link-local entries are there without anybody having set the port up. */
static bool has_address(const struct rct_nic *n)
{
	for (u32 i = 0; i < n->n_gids; i++) {
		const u8 *a = n->gids[i].addr;

		if (n->gids[i].type != RCT_GID_UNSET && !(a[0] == 0xfe && (a[1] & 0xc0) == 0x80))
			return true;
	}
	return false;
}

void rct_rule_link_down(struct rct_case *c)
{
	for (u32 i = 0; c->s->facts && i < c->s->facts->n_nics; i++) {
		const struct rct_nic *n = &c->s->facts->nics[i];
		bool wanted = has_address(n);
		struct rct_finding *f;

		if (!rct_nic_roce(n) || !*n->state || !strcmp(n->state, "ACTIVE") || rct_nic_sick(c, n))
			continue;
		f = rct_find(c, wanted ? RCT_WARNING : RCT_NOTICE, RCT_CONF_HIGH, RCT_SCOPE_NIC);
		rct_about_nic(n, f);
		RCT_SAY(f->title, wanted ? "This port has an address and is %s%s%s." : "This port is %s%s%s: not in use.",
			n->state, *n->phys_state ? ", " : "", n->phys_state);
		rct_evidence(f, "state", "ACTIVE", "class/infiniband", "%s, physical %s", n->state,
			     *n->phys_state ? n->phys_state : "n/a");
		if (wanted)
			rct_next(f, "ip link show %s; ethtool %s; switch port of this link", n->ifname, n->ifname);
	}
}
