// SPDX-License-Identifier: BSD-2-Clause
/* How the bytes spread over a host's NICs and over the members of a bond. */
#include <stdio.h>

#include "analyse/nics.h"
#include "base/units.h"

/* ---- nic.one_of_many, nic.slow, nic.unused */

#define ALONE		0.9	/* of a group's bytes */
#define BUSY		0.5	/* of the link */
#define SOME_LOAD	0.1
#define GROUP_LEAST	3	/* of two equal ports one is often for storage or a spare */

/* RDMA bytes, both directions; where RoCE's own are not counted, those of all traffic. */
static u64 rdma_bytes(const struct rct_case *c, const struct rct_nic *n)
{
	struct rct_delta tx = rct_nic_grew(c, n, RCT_C_ROCE_TX_BYTES), rx = rct_nic_grew(c, n, RCT_C_ROCE_RX_BYTES);

	if (tx.have != RCT_THERE && rx.have != RCT_THERE) {
		tx = rct_nic_bytes(c, n, true);
		rx = rct_nic_bytes(c, n, false);
	}
	return rct_grown(&tx) + rct_grown(&rx);
}

/* NICs alike: same driver, same speed, up. */
struct group {
	const struct rct_nic *first, *busiest;
	u32 n, idle;
	u64 sum, most;
};

static bool begins_group(const struct rct_case *c, u32 at)
{
	const struct rct_facts *f = c->s->facts;

	for (u32 k = 0; k < at; k++) {
		if (rct_nic_roce(&f->nics[k]) && rct_nic_active(&f->nics[k]) &&
		    rct_sibling(c, &f->nics[at], &f->nics[k]))
			return false;
	}
	return rct_nic_roce(&f->nics[at]) && rct_nic_active(&f->nics[at]);
}

static bool in_group(const struct rct_case *c, const struct group *g, const struct rct_nic *n)
{
	return n == g->first || rct_sibling(c, g->first, n);
}

static struct group group_of(const struct rct_case *c, u32 at)
{
	const struct rct_facts *f = c->s->facts;
	struct group g = { .first = &f->nics[at], .busiest = &f->nics[at] };

	for (u32 k = 0; k < f->n_nics; k++) {
		u64 bytes;

		if (!in_group(c, &g, &f->nics[k]))
			continue;
		bytes = rdma_bytes(c, &f->nics[k]);
		g.n++;
		g.sum += bytes;
		if (bytes > g.most) {
			g.most = bytes;
			g.busiest = &f->nics[k];
		}
	}
	for (u32 k = 0; k < f->n_nics; k++)
		g.idle += in_group(c, &g, &f->nics[k]) && rdma_bytes(c, &f->nics[k]) < g.most / 100;
	return g;
}

static void found_one_of_many(struct rct_case *c, const struct group *g, double load)
{
	struct rct_delta tx = rct_nic_bytes(c, g->busiest, true), rx = rct_nic_bytes(c, g->busiest, false);
	struct rct_finding *f = rct_find(c, load >= BUSY ? RCT_CRITICAL : RCT_WARNING, RCT_CONF_HIGH, RCT_SCOPE_HOST);
	double span = rct_span(c), speed = rct_nic_speed(c, g->busiest);
	char a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT], s[RCT_UNIT_TEXT];

	rct_about_nic(g->busiest, f);
	RCT_SAY(f->title, "1 of %u equal NICs carries %s of the RDMA bytes; the other %u are idle.", g->n,
		rct_share_text(g->most, g->sum, s), g->n - 1);
	rct_evidence(f, g->busiest->dev, "the others: idle", tx.from, "%s sent, %s received, of %.0f Gb/s",
		     rct_rate_text(rct_grown(&tx), span, a), rct_rate_text(rct_grown(&rx), span, b), speed / 1e9);
	RCT_SAY(f->impact, "at most 1/%u of the host's bandwidth, and congestion on that one NIC", g->n);
	RCT_SAY(f->refuted_by, "a job with one process or one GPU on this host: it needs one NIC only");
	rct_next(f, "which NIC does each rank use? NCCL_IB_HCA (prefix!), NVSHMEM_HCA_PE_MAPPING, UCX_NET_DEVICES; NCCL_DEBUG=INFO: NET/IB : Using");
	f->weight = RCT_CAUSE;
}

static void found_idle(struct rct_case *c, const struct group *g)
{
	const struct rct_facts *facts = c->s->facts;
	struct rct_finding *f = rct_find(c, RCT_NOTICE, RCT_CONF_MEDIUM, RCT_SCOPE_HOST);
	size_t used = 0;

	for (u32 k = 0; k < facts->n_nics && used < sizeof(f->object); k++) {
		if (in_group(c, g, &facts->nics[k]) && rdma_bytes(c, &facts->nics[k]) < g->most / 100)
			used += snprintf(f->object + used, sizeof(f->object) - used, "%s%s", used ? ", " : "",
					 facts->nics[k].dev);
	}
	RCT_SAY(f->title, "%u of %u equal NICs carry next to nothing while others are busy.", g->idle, g->n);
	RCT_SAY(f->refuted_by, "NICs for storage or management, or for GPUs that no job uses now");
	rct_next(f, "NCCL_IB_HCA, UCX_NET_DEVICES of the job; GPU to NIC distance: nvidia-smi topo -m");
}

/* One that does far less than the least of its siblings. */
static void found_slow(struct rct_case *c, const struct group *g, const struct rct_nic *n)
{
	u64 own = rdma_bytes(c, n), mean = (g->sum - own) / (g->n - 1);
	struct rct_finding *f;
	char a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT], s[RCT_UNIT_TEXT];

	f = rct_find(c, RCT_NOTICE, RCT_CONF_MEDIUM, RCT_SCOPE_NIC);
	rct_about_nic(n, f);
	RCT_SAY(f->title, "This NIC carries %s of what each of its %u siblings does.", rct_share_text(own, mean, s), g->n - 1);
	rct_evidence(f, "RDMA bytes", NULL, NULL, "%s, mean of the others %s", rct_bytes_text(own, a), rct_bytes_text(mean, b));
	RCT_SAY(f->refuted_by, "a NIC that is for something else, or a job that uses it less by its layout");
	rct_next(f, "compare with a sibling: rocetrace run -t 10; errors of its link, PCIe width, pause");
}

/* Groups in which somebody is busy. */
static void each_group(struct rct_case *c, void (*judge)(struct rct_case *c, const struct group *g))
{
	for (u32 k = 0; c->s->before && k < c->s->facts->n_nics; k++) {
		struct group g;

		if (!begins_group(c, k))
			continue;
		g = group_of(c, k);
		if (g.most && g.n >= GROUP_LEAST && rct_nic_load(c, g.busiest) >= SOME_LOAD)
			judge(c, &g);
	}
}

static bool alone(const struct group *g)
{
	return g->most >= g->sum * ALONE;
}

static void judge_alone(struct rct_case *c, const struct group *g)
{
	if (alone(g))
		found_one_of_many(c, g, rct_nic_load(c, g->busiest));
}

void rct_rule_nic_spread(struct rct_case *c)
{
	each_group(c, judge_alone);
}

/* One alone is that NIC's matter; several are the job's choice. */
static void judge_slow(struct rct_case *c, const struct group *g)
{
	const struct rct_facts *f = c->s->facts;

	for (u32 k = 0; !alone(g) && g->idle < 2 && k < f->n_nics; k++) {
		u64 own = rdma_bytes(c, &f->nics[k]);

		if (in_group(c, g, &f->nics[k]) && own < (g->sum - own) / (g->n - 1) / 2)
			found_slow(c, g, &f->nics[k]);
	}
}

void rct_rule_nic_slow(struct rct_case *c)
{
	each_group(c, judge_slow);
}

static void judge_idle(struct rct_case *c, const struct group *g)
{
	if (!alone(g) && g->idle >= 2)
		found_idle(c, g);
}

/* ---- nic.unused: never an RDMA byte, while the interface carries other traffic */

static u64 value(const struct rct_case *c, const struct rct_nic *n, enum rct_canonical x, u32 prio, bool *known)
{
	struct rct_num v = rct_nic_counter(c->s->facts, n, x, prio, NULL, 0);

	*known |= v.have == RCT_THERE;
	return v.have == RCT_THERE ? v.v : 0;
}

static bool no_rdma(const struct rct_case *c, const struct rct_nic *n)
{
	bool known = false;
	u64 rdma = value(c, n, RCT_C_ROCE_TX_PACKETS, 0, &known) + value(c, n, RCT_C_ROCE_RX_PACKETS, 0, &known) +
		   value(c, n, RCT_C_ROCE_TX_BYTES, 0, &known) + value(c, n, RCT_C_ROCE_RX_BYTES, 0, &known);

	/* requests that were received prove the contrary where bytes are not counted right */
	for (u32 i = 0; !rdma && i < n->n_counters; i++) {
		const struct rct_counter *k = &n->counters[i];

		if (k->group == RCT_G_HW && k->have == RCT_THERE && strcmp(k->name, "lifespan"))
			rdma += k->value;
	}
	return known && !rdma;
}

static u64 other_traffic(const struct rct_case *c, const struct rct_nic *n)
{
	const struct rct_netif *i = rct_nic_netif(c->s->facts, n);
	bool known = false;
	u64 sum = value(c, n, RCT_C_NETDEV_TX_BYTES, 0, &known) + value(c, n, RCT_C_PORT_TX_BYTES, 0, &known);

	/* what is on a lossless priority is hardly TCP */
	for (u32 p = 0; p < RCT_PRIOS; p++) {
		if (!i || i->dcb.pfc != RCT_THERE || !(i->dcb.pfc_enabled >> p & 1))
			sum += value(c, n, RCT_C_PRIO_TX_PACKETS, p, &known);
	}
	return sum;
}

#define MUCH_TRAFFIC	1000000	/* packets or bytes since boot: more than keeping a link alive */

void rct_rule_nic_unused(struct rct_case *c)
{
	const struct rct_facts *facts = c->s->facts;
	struct rct_finding *f = NULL;
	size_t used = 0;
	u32 n = 0;

	each_group(c, judge_idle);
	for (u32 k = 0; k < facts->n_nics; k++) {
		const struct rct_nic *x = &facts->nics[k];

		if (!rct_nic_roce(x) || !rct_nic_active(x) || rct_nic_sick(c, x) || !no_rdma(c, x) ||
		    other_traffic(c, x) < MUCH_TRAFFIC)
			continue;
		if (!f)
			f = rct_find(c, RCT_NOTICE, RCT_CONF_MEDIUM, RCT_SCOPE_HOST);
		n++;
		if (used < sizeof(f->object))
			used += snprintf(f->object + used, sizeof(f->object) - used, "%s%s", used ? ", " : "", x->dev);
	}
	if (!f)
		return;
	RCT_SAY(f->title, "No RDMA traffic since boot on %u active NIC%s, while the interface%s carr%s other traffic.", n,
		n > 1 ? "s" : "", n > 1 ? "s" : "", n > 1 ? "y" : "ies");
	rct_evidence(f, "RDMA counters", NULL, "hw_counters, counters", "all 0");
	RCT_SAY(f->refuted_by, "NICs that are meant for TCP");
	rct_next(f, "does the job use sockets? NCCL_NET, NCCL_IB_DISABLE; NCCL_DEBUG=INFO: Using network");
}

/* ---- path.lag_member */

#define FULL		0.8	/* of a member */
#define LOPSIDED	0.2	/* the least of the most */

struct member_load {
	const struct rct_netif *most, *least;
	double most_bps, least_bps;
};

static double member_bps(const struct rct_case *c, const struct rct_port *p, bool tx)
{
	struct rct_delta d = rct_port_grew_all(c, p, tx ? RCT_C_PRIO_TX_BYTES : RCT_C_PRIO_RX_BYTES);
	struct rct_delta port = rct_port_grew(c, p, tx ? RCT_C_PORT_TX_BYTES : RCT_C_PORT_RX_BYTES, 0);

	if (rct_grown(&port) > rct_grown(&d))
		d = port;
	return d.have == RCT_THERE ? d.delta * 8 / rct_span(c) : -1;
}

static bool member_loads(const struct rct_case *c, const struct rct_nic *n, bool tx, struct member_load *m)
{
	u32 known = 0;

	memset(m, 0, sizeof(*m));
	for (u32 i = 0; i < c->n_ports; i++) {
		double bps;

		if (c->ports[i].nic != n || !c->ports[i].member)
			continue;
		bps = member_bps(c, &c->ports[i], tx);
		if (bps < 0)
			return false;
		if (!known || bps > m->most_bps) {
			m->most_bps = bps;
			m->most = c->ports[i].netif;
		}
		if (!known || bps < m->least_bps) {
			m->least_bps = bps;
			m->least = c->ports[i].netif;
		}
		known++;
	}
	return known > 1;
}

static void found_lopsided(struct rct_case *c, const struct rct_nic *n, const struct member_load *m, bool tx)
{
	double speed = m->most->speed_mbps.have == RCT_THERE ? m->most->speed_mbps.v * 1e6 : 0;
	bool full = speed > 0 && m->most_bps >= FULL * speed;
	struct rct_finding *f = rct_find(c, full ? RCT_CRITICAL : RCT_WARNING, RCT_CONF_HIGH, RCT_SCOPE_NIC);
	struct member_load other = {};
	char a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT];

	rct_about_nic(n, f);
	RCT_SAY(f->title, "%s is on one member of this bond: %s %s, %s %s.", tx ? "What is sent" : "What arrives",
		m->most->name, rct_rate_text(m->most_bps / 8, 1, a), m->least->name, rct_rate_text(m->least_bps / 8, 1, b));
	if (speed > 0)
		rct_evidence(f, m->most->name, NULL, "ethtool", "%.1f of %.0f Gb/s: %.0f %%", m->most_bps / 1e9, speed / 1e9,
			     m->most_bps / speed * 100);
	rct_evidence(f, m->least->name, NULL, "ethtool", "%.1f Gb/s", m->least_bps / 1e9);
	if (member_loads(c, n, !tx, &other))
		rct_evidence(f, "other direction", NULL, "ethtool", "%.1f and %.1f Gb/s", other.most_bps / 1e9,
			     other.least_bps / 1e9);
	RCT_SAY(f->impact, "half of the bond's bandwidth, or less");
	RCT_SAY(f->refuted_by, "one queue pair only: it never leaves its member, and needs no more");
	if (tx)
		rct_next(f, "more queue pairs a connection: NCCL_IB_QPS_PER_CONNECTION=2 to 4, with NCCL_IB_SPLIT_DATA_ON_QPS=1");
	if (tx)
		rct_next(f, "the NIC's choice of port: lag_port_select_mode=hash (devlink or sysfs); the kernel's bond policy has no say in RDMA");
	else
		rct_next(f, "the switch chooses the member: its hashing of the port channel, UDP source ports of the senders");
	f->weight = RCT_CAUSE;
}

void rct_rule_lag_member(struct rct_case *c)
{
	for (u32 k = 0; rct_span(c) > 0 && k < c->s->facts->n_nics; k++) {
		const struct rct_nic *n = &c->s->facts->nics[k];

		for (int tx = 1; tx >= 0; tx--) {
			struct member_load m;
			double speed;

			if (!member_loads(c, n, tx, &m))
				continue;
			speed = m.most->speed_mbps.have == RCT_THERE ? m.most->speed_mbps.v * 1e6 : 0;
			if (m.least_bps < m.most_bps * LOPSIDED && speed > 0 && m.most_bps >= speed * 0.3)
				found_lopsided(c, n, &m, tx);
		}
	}
}
