// SPDX-License-Identifier: BSD-2-Clause
/* How two hosts, and their NICs rail by rail, are set up. */
#include <stdio.h>

#include "analyse/diff.h"
#include "analyse/job.h"
#include "base/util.h"

#define TEXT	512

/* ---- of a NIC; each writes nothing where it is not known */

struct where {
	const struct rct_facts *f;
	const struct rct_nic *n;
	const struct rct_netif *i;	/* never NULL: unknown throughout where there is none */
};

static void say_num(struct rct_num v, char *buf)
{
	if (v.have == RCT_THERE)
		snprintf(buf, TEXT, "%lld", (long long)v.v);
}

static void say_prios(u32 set, char *buf)
{
	size_t used = 0;

	for (u32 p = 0; p < RCT_PRIOS; p++) {
		if (set >> p & 1)
			used += snprintf(buf + used, TEXT - used, "%s%u", used ? "," : "", p);
	}
	if (!used)
		snprintf(buf, TEXT, "none");
}

static void get_state(const struct where *w, char *buf)
{
	snprintf(buf, TEXT, "%s", w->n->state);
}

static void get_speed(const struct where *w, char *buf)
{
	struct rct_num v = w->i->speed_mbps.have == RCT_THERE && w->i->speed_mbps.v > 0 ? w->i->speed_mbps : w->n->rate_mbps;

	if (v.have == RCT_THERE)
		snprintf(buf, TEXT, "%g Gb/s", v.v / 1e3);
}

static void get_mtu(const struct where *w, char *buf)
{
	say_num(w->i->mtu, buf);
}

static void get_active_mtu(const struct where *w, char *buf)
{
	say_num(w->n->active_mtu, buf);
}

static void get_pfc(const struct where *w, char *buf)
{
	if (w->i->dcb.pfc == RCT_THERE)
		say_prios(w->i->dcb.pfc_enabled, buf);
}

static void get_trust(const struct where *w, char *buf)
{
	if (w->i->dcb.trust == RCT_THERE)
		snprintf(buf, TEXT, "%s", w->i->dcb.trust_dscp ? "dscp" : "pcp");
}

static void say_enabled(const s8 list[RCT_PRIOS], char *buf)
{
	u32 set = 0;
	bool any = false;

	for (u32 p = 0; p < RCT_PRIOS; p++) {
		any |= list[p] >= 0;
		set |= (list[p] > 0) << p;
	}
	if (any)
		say_prios(set, buf);
}

static void get_ecn_np(const struct where *w, char *buf)
{
	say_enabled(w->i->ecn_np, buf);
}

static void get_ecn_rp(const struct where *w, char *buf)
{
	say_enabled(w->i->ecn_rp, buf);
}

static void get_class(const struct where *w, char *buf)
{
	say_num(w->n->traffic_class, buf);
}

static void get_gid(const struct where *w, char *buf)
{
	const struct rct_gid *g = rct_gid_best(w->n);

	if (g)
		snprintf(buf, TEXT, "%u (IPv%c)", g->index, rct_gid_v4(g) ? '4' : '6');
	else if (w->n->n_gids)
		snprintf(buf, TEXT, "none");
}

static void get_pause(const struct where *w, char *buf)
{
	if (w->i->pause_rx != RCT_TRI_UNKNOWN && w->i->pause_tx != RCT_TRI_UNKNOWN)
		snprintf(buf, TEXT, "rx %s, tx %s", w->i->pause_rx ? "on" : "off", w->i->pause_tx ? "on" : "off");
}

static void get_pcie(const struct where *w, char *buf)
{
	if (*w->i->link_speed && w->i->link_width.have == RCT_THERE)
		snprintf(buf, TEXT, "%s x%lld", w->i->link_speed, (long long)w->i->link_width.v);
}

/* -1: the kernel was not told either, which is something. */
static void get_node(const struct where *w, char *buf)
{
	s32 node = w->n->node > -2 ? w->n->node : w->i->node;

	if (node > -2)
		snprintf(buf, TEXT, "%d", node);
}

static void get_driver(const struct where *w, char *buf)
{
	snprintf(buf, TEXT, "%s", *w->n->driver ? w->n->driver : w->i->driver);
}

static void get_driver_version(const struct where *w, char *buf)
{
	snprintf(buf, TEXT, "%s", w->i->driver_version);
}

static void get_firmware(const struct where *w, char *buf)
{
	snprintf(buf, TEXT, "%s", *w->n->fw ? w->n->fw : w->i->firmware);
}

static void get_channels(const struct where *w, char *buf)
{
	say_num(w->i->channels, buf);
}

static const struct {
	const char *name;
	enum rct_severity severity;
	void (*get)(const struct where *w, char *buf);
	const char *why;
} nic_rows[] = {
	{ "state", RCT_CRITICAL, get_state, "a port that is not ACTIVE carries nothing" },
	{ "active_mtu", RCT_CRITICAL, get_active_mtu,
	  "a queue pair that is set up with the larger path MTU sends packets that the other end refuses" },
	{ "mtu", RCT_WARNING, get_mtu, "the path MTU of RDMA is made from the interface's MTU" },
	{ "speed", RCT_WARNING, get_speed, "a job goes at the pace of its slowest rail" },
	{ "pfc", RCT_WARNING, get_pfc, "the priorities that are lossless have to be the same along a path" },
	{ "trust", RCT_WARNING, get_trust, "packets are sorted into priorities by another field" },
	{ "ecn_np", RCT_WARNING, get_ecn_np, "marked packets are answered by notifications on these priorities only" },
	{ "ecn_rp", RCT_WARNING, get_ecn_rp, "notifications are obeyed on these priorities only" },
	{ "traffic_class", RCT_WARNING, get_class, "the two directions of a connection travel in different classes" },
	{ "pause_802.3x", RCT_WARNING, get_pause, "802.3x pause stops all classes of one host's port" },
	{ "pcie", RCT_WARNING, get_pcie, "a slower or narrower PCIe link holds the port back" },
	{ "driver", RCT_WARNING, get_driver, "not the same kind of NIC" },
	{ "gid_index", RCT_NOTICE, get_gid, "one NCCL_IB_GID_INDEX can't be right on both" },
	{ "firmware", RCT_NOTICE, get_firmware, "counters, congestion control and faults differ by firmware" },
	{ "driver_version", RCT_NOTICE, get_driver_version, "" },
	{ "node", RCT_NOTICE, get_node, "processes and interrupts belong on other CPUs" },
	{ "channels", RCT_NOTICE, get_channels, "" },
};

/* Is an index pinned on either host? */
static bool gid_pinned(const struct rct_diff_case *c)
{
	for (u32 side = 0; side < RCT_DIFF_SIDES; side++) {
		const struct rct_facts *f = c->d->s[side]->facts;
		long v;

		for (u32 i = 0; f && i < f->n_procs; i++) {
			if (rct_job_number(f, &f->procs[i], "NCCL_IB_GID_INDEX", &v) && v >= 0)
				return true;
		}
	}
	return false;
}

/* ---- the map of DSCPs: only the entries that differ */

static void say_entry(char *buf, size_t *used, u32 dscp, s32 prio)
{
	if (*used >= TEXT)
		return;
	if (prio >= 0)
		*used += snprintf(buf + *used, TEXT - *used, "%s%u:%d", *used ? " " : "", dscp, prio);
	else
		*used += snprintf(buf + *used, TEXT - *used, "%s%u:-", *used ? " " : "", dscp);
}

static void compare_dscp(struct rct_diff_case *c, const struct rct_diff_pair *p, const struct where w[2])
{
	bool known[2] = { w[0].i->dcb.app == RCT_THERE, w[1].i->dcb.app == RCT_THERE };
	char text[2][TEXT] = { "", "" };
	size_t used[2] = { 0, 0 };

	for (u32 dscp = 0; known[0] && known[1] && dscp < 64; dscp++) {
		s8 a = w[0].i->dcb.dscp_prio[dscp], b = w[1].i->dcb.dscp_prio[dscp];

		if (a == b)
			continue;
		say_entry(text[0], &used[0], dscp, a);
		say_entry(text[1], &used[1], dscp, b);
	}
	for (u32 side = 0; side < 2; side++) {
		if (known[side] && !*text[side])
			RCT_SAY(text[side], known[!side] ? "same" : "there");
	}
	rct_diff_texts(c, RCT_DIFF_NIC, RCT_WARNING, "dscp_map", p, text[0], text[1],
		       "the same DSCP travels on another priority (DSCP:priority)");
}

static void compare_nics(struct rct_diff_case *c, const struct rct_diff_pair *p, bool pinned)
{
	static const struct rct_netif none = {
		.node = -2, .pause_rx = RCT_TRI_UNKNOWN, .pause_tx = RCT_TRI_UNKNOWN,
		.ecn_np = { -1, -1, -1, -1, -1, -1, -1, -1 }, .ecn_rp = { -1, -1, -1, -1, -1, -1, -1, -1 },
	};
	struct where w[2];

	for (u32 side = 0; side < 2; side++) {
		w[side].f = c->d->s[side]->facts;
		w[side].n = p->nic[side];
		w[side].i = rct_nic_netif(w[side].f, w[side].n);
		if (!w[side].i)
			w[side].i = &none;
	}
	for (size_t i = 0; i < RCT_ARRAY_SIZE(nic_rows); i++) {
		char text[2][TEXT] = { "", "" };
		bool worse = pinned && nic_rows[i].get == get_gid;

		nic_rows[i].get(&w[0], text[0]);
		nic_rows[i].get(&w[1], text[1]);
		rct_diff_texts(c, RCT_DIFF_NIC, worse ? RCT_WARNING : nic_rows[i].severity, nic_rows[i].name, p,
			       text[0], text[1], nic_rows[i].why);
	}
	compare_dscp(c, p, w);
}

/* ---- of a host */

static void get_kernel(const struct rct_snapshot *s, char *buf)
{
	snprintf(buf, TEXT, "%s", s->kernel);
}

static void get_arch(const struct rct_snapshot *s, char *buf)
{
	snprintf(buf, TEXT, "%s", s->arch);
}

static void get_cpus(const struct rct_snapshot *s, char *buf)
{
	snprintf(buf, TEXT, "%s", s->facts->cpus_online);
}

/* An empty list is a list, where CPUs could be read at all. */
static void get_isolated(const struct rct_snapshot *s, char *buf)
{
	if (*s->facts->cpus_online)
		snprintf(buf, TEXT, "%s", *s->facts->cpus_isolated ? s->facts->cpus_isolated : "none");
}

static void say_tri(int v, char *buf)
{
	if (v != RCT_TRI_UNKNOWN)
		snprintf(buf, TEXT, "%s", v ? "yes" : "no");
}

static void get_vm(const struct rct_snapshot *s, char *buf)
{
	say_tri(s->facts->vm, buf);
}

static void get_balancer(const struct rct_snapshot *s, char *buf)
{
	say_tri(s->facts->irqbalance, buf);
}

static void get_peermem(const struct rct_snapshot *s, char *buf)
{
	say_tri(s->facts->nv_peermem, buf);
}

static void get_iommu(const struct rct_snapshot *s, char *buf)
{
	if (s->facts->iommu_on != RCT_TRI_UNKNOWN)
		snprintf(buf, TEXT, "%s", !s->facts->iommu_on ? "off" : s->facts->iommu_pt == 1 ? "passthrough" : "on");
}

static void get_arp(const struct rct_snapshot *s, char *buf)
{
	if (s->facts->arp_ignore_all.have == RCT_THERE && s->facts->arp_announce_all.have == RCT_THERE)
		snprintf(buf, TEXT, "%lld, %lld", (long long)s->facts->arp_ignore_all.v,
			 (long long)s->facts->arp_announce_all.v);
}

static void get_neighbours(const struct rct_snapshot *s, char *buf)
{
	say_num(s->facts->gc_thresh3, buf);
}

static void get_nccl(const struct rct_snapshot *s, char *buf)
{
	snprintf(buf, TEXT, "%s", s->facts->nccl.version);
}

static const struct {
	const char *name;
	enum rct_severity severity;
	void (*get)(const struct rct_snapshot *s, char *buf);
	const char *why;
} host_rows[] = {
	{ "nccl_version", RCT_WARNING, get_nccl, "ranks of one job need one version" },
	{ "iommu", RCT_WARNING, get_iommu, "translation costs every transfer of a device" },
	{ "nvidia_peermem", RCT_WARNING, get_peermem, "without it, or DMA-BUF, data goes through the host's memory" },
	{ "arp_ignore_announce", RCT_NOTICE, get_arp, "which NIC answers for an address, with several in one subnet" },
	{ "gc_thresh3", RCT_NOTICE, get_neighbours, "neighbours that the kernel keeps" },
	{ "kernel", RCT_NOTICE, get_kernel, "" },
	{ "arch", RCT_NOTICE, get_arch, "" },
	{ "vm", RCT_NOTICE, get_vm, "a virtual machine sees another topology" },
	{ "cpus", RCT_NOTICE, get_cpus, "" },
	{ "cpus_isolated", RCT_NOTICE, get_isolated, "" },
	{ "irqbalance", RCT_NOTICE, get_balancer, "it moves interrupts" },
};

static void compare_hosts(struct rct_diff_case *c)
{
	for (size_t i = 0; i < RCT_ARRAY_SIZE(host_rows); i++) {
		char text[2][TEXT] = { "", "" };

		host_rows[i].get(c->d->s[0], text[0]);
		host_rows[i].get(c->d->s[1], text[1]);
		rct_diff_texts(c, RCT_DIFF_HOST, host_rows[i].severity, host_rows[i].name, NULL, text[0], text[1],
			       host_rows[i].why);
	}
}

void rct_diff_settings(struct rct_diff_case *c)
{
	bool pinned = gid_pinned(c);

	for (u32 i = 0; i < c->n_pairs; i++) {
		if (c->pairs[i].nic[0] && c->pairs[i].nic[1])
			compare_nics(c, &c->pairs[i], pinned);
	}
	if (c->d->s[0]->facts && c->d->s[1]->facts)
		compare_hosts(c);
}
