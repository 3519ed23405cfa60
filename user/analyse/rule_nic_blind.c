// SPDX-License-Identifier: BSD-2-Clause
/* What of a host could not be read, or could not be traced, and why. */
#include <stdio.h>

#include "analyse/nics.h"

/* ---- blind.counters */

static void found_unreadable(struct rct_case *c, u32 readable)
{
	const struct rct_facts *facts = c->s->facts;
	struct rct_finding *f = rct_find(c, RCT_UNKNOWN_FINDING, RCT_CONF_HIGH, RCT_SCOPE_HOST);
	const char *first = "", *last = "";

	for (u32 k = 0; k < facts->n_nics; k++) {
		if (facts->nics[k].readable)
			continue;
		first = *first ? first : facts->nics[k].dev;
		last = facts->nics[k].dev;
	}
	RCT_SAY(f->object, "%s%s%s", first, strcmp(first, last) ? " ... " : "", strcmp(first, last) ? last : "");
	RCT_SAY(f->title, "%u of %u RDMA devices are listed and nothing can be read below them: no state, no address, no counter.",
		facts->n_nics - readable, facts->n_nics);
	rct_evidence(f, "readable devices", NULL, "class/infiniband", "%u of %u", readable, facts->n_nics);
	rct_evidence(f, "looks like a container", NULL, "proc/1/cgroup", "%s", facts->container == 1 ? "yes" :
		     facts->container == 0 ? "no" : "n/a");
	RCT_SAY(f->impact, "nothing can be said of these devices: not that they are well, nor that they are ill");
	rct_next(f, "mount /sys of the host into the container (read-only), with /sys/devices, or run on the host itself");
}

/* One odd device never hides the others. */
void rct_rule_blind_counters(struct rct_case *c)
{
	const struct rct_facts *f = c->s->facts;
	u32 readable = 0, counted = 0;

	for (u32 k = 0; k < f->n_nics; k++) {
		readable += f->nics[k].readable;
		counted += f->nics[k].hw_counters == RCT_THERE || f->nics[k].port_counters == RCT_THERE;
	}
	if (readable < f->n_nics)
		found_unreadable(c, readable);
	if (counted)
		rct_pass(c, "counters (read of %u of %u RDMA devices)", counted, f->n_nics);
}

/* ---- blind.function: why no program can be attached */

static const struct rct_log *xdp_line(const struct rct_facts *f, const struct rct_netif *n)
{
	for (u32 i = 0; i < f->n_log; i++) {
		if (f->log[i].class == RCT_LOG_XDP &&
		    (!strcmp(f->log[i].object, n->name) || (*n->pci && !strcmp(f->log[i].object, n->pci))))
			return &f->log[i];
	}
	return NULL;
}

static void found_no_xdp(struct rct_case *c, const struct rct_port *p, const struct rct_log *l)
{
	const struct rct_netif *n = p->netif;
	bool full = n->channels.have == RCT_THERE && n->channels_max.have == RCT_THERE &&
		    n->channels.v == n->channels_max.v && n->channels.v > 0;
	struct rct_finding *f = rct_find(c, RCT_NOTICE, RCT_CONF_MEDIUM, RCT_SCOPE_NIC);

	rct_about_port(p, f);
	RCT_SAY(f->title, "Native XDP is not possible on this interface%s%s%s. No fault of RoCE; counters need none of it.",
		l ? ": its MTU is too large for it" : "", n->lro == 1 ? l ? "; LRO is on" : ": LRO is on" : "",
		full ? "; no channel is left for it" : "");
	if (n->mtu.have == RCT_THERE)
		rct_evidence(f, "MTU", NULL, "class/net", "%lld", (long long)n->mtu.v);
	if (l)
		rct_evidence(f, "driver", NULL, "kernel log", "%.95s", l->text);
	if (n->lro == 1)
		rct_evidence(f, "LRO", "off", "ethtool -k", "on");
	if (full)
		rct_evidence(f, "channels", "some left for XDP_TX", "ethtool -l", "all %lld in use", (long long)n->channels.v);
	RCT_SAY(f->impact, "none: rocetrace uses tc or the kernel's own tracepoints instead, and changes nothing here");
}

static bool has_reason(const struct rct_facts *f, const struct rct_port *p, const struct rct_log **l)
{
	*l = p->netif ? xdp_line(f, p->netif) : NULL;
	return p->netif && (*l || p->netif->lro == 1);
}

#define CAP_BIT(n)	(1ULL << (n))
#define SYS_ADMIN	CAP_BIT(21)

static const struct {
	u32 bit;
	const char *name;
} needed[] = { { 39, "CAP_BPF" }, { 38, "CAP_PERFMON" }, { 12, "CAP_NET_ADMIN" } };

static void judge_caps(struct rct_case *c)
{
	const struct rct_facts *facts = c->s->facts;
	char missing[80] = "";
	struct rct_finding *f;

	for (size_t i = 0; facts->caps_read && i < sizeof(needed) / sizeof(needed[0]); i++) {
		u64 enough = CAP_BIT(needed[i].bit) | (needed[i].bit == 12 ? 0 : SYS_ADMIN);

		if (!(facts->caps & enough))
			snprintf(missing + strlen(missing), sizeof(missing) - strlen(missing), "%s%s", *missing ? ", " : "",
				 needed[i].name);
	}
	if (!*missing)
		return;
	f = rct_find(c, RCT_NOTICE, RCT_CONF_HIGH, RCT_SCOPE_HOST);
	RCT_SAY(f->object, "host");
	RCT_SAY(f->title, "BPF programs can not be loaded here: %s missing.", missing);
	rct_evidence(f, "capabilities", NULL, "proc/self/status", "0x%llx", (unsigned long long)facts->caps);
	RCT_SAY(f->impact, "no packets and no probes of the RDMA stack; counters and configuration need none of it");
	rct_next(f, "in a container: add these capabilities; on a host: as root. rocetrace probe says what each is for");
}

void rct_rule_blind_function(struct rct_case *c)
{
	for (u32 i = 0; i < c->n_ports; i++) {
		const struct rct_log *l;

		if (has_reason(c->s->facts, &c->ports[i], &l))
			found_no_xdp(c, &c->ports[i], l);
	}
	judge_caps(c);
}
