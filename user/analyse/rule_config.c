// SPDX-License-Identifier: BSD-2-Clause
/* How a host is set up: MTU, addresses and routes of its rails, classes, NIC choice. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyse/job.h"
#include "analyse/rule.h"

/* ---------------------------------------------------------------------- MTU */

/*
 * What RoCE v2 needs beside its payload in an IP packet: GRH (as IPv6) 40, UDP 8, BTH
 * 12, the longest extension headers 32 and ICRC 4. Linux: iboe_get_mtu() in
 * include/rdma/ib_addr.h.
 */
#define ROCE_HEADERS	96
#define JUMBO_NEEDED	(4096 + ROCE_HEADERS)

static s64 path_mtu_of(s64 mtu)
{
	s64 m = 4096;

	while (m > 256 && m + ROCE_HEADERS > mtu)
		m /= 2;
	return m;
}

/* mtu NULL: the interface's is not known, and the device itself told its own. */
static void small_mtu(struct rct_case *c, const struct rct_nic *n, const s64 *mtu, s64 active)
{
	bool told = n->active_mtu.have == RCT_THERE && !n->active_mtu_derived;
	/* somebody meant to have jumbo frames: then it is a mistake, else a choice */
	bool meant = mtu && *mtu >= 4000, held = mtu && path_mtu_of(*mtu) > active;
	struct rct_finding *x = rct_find(c, meant ? RCT_WARNING : RCT_NOTICE, RCT_CONF_HIGH, RCT_SCOPE_NIC);

	rct_about_nic(n, x);
	if (held)
		RCT_SAY(x->title, "The device has an RDMA path MTU of %lld, although its netdev MTU of %lld has room for %lld.",
			(long long)active, (long long)*mtu, (long long)path_mtu_of(*mtu));
	else if (mtu)
		RCT_SAY(x->title, "netdev MTU %lld gives an RDMA path MTU of %lld: 4096 needs a netdev MTU of %d or more.",
			(long long)*mtu, (long long)active, JUMBO_NEEDED);
	else
		RCT_SAY(x->title, "The RDMA path MTU is %lld: 4096 needs a netdev MTU of %d or more.", (long long)active,
			JUMBO_NEEDED);
	if (mtu)
		rct_evidence(x, "netdev mtu", "4192", "sysfs", "%lld", (long long)*mtu);
	rct_evidence(x, "active_mtu", "4096", told ? "device" : "derived from the netdev MTU", "%lld", (long long)active);
	if (held)
		rct_next(x, "ibv_devinfo -d %s   (max_mtu: what the device can do), and set the interface's MTU anew", n->dev);
	else
		rct_next(x, "ip link set %s mtu 4200   (on both ends, and 9000 or more on the switches between)",
			 *n->ifname ? n->ifname : "IFACE");
}

void rct_rule_mtu_host(struct rct_case *c)
{
	const struct rct_facts *f = c->s->facts;
	u32 good = 0, unknown = 0;

	for (u32 i = 0; f && i < f->n_nics; i++) {
		const struct rct_nic *n = &f->nics[i];
		const struct rct_netif *d = rct_nic_netif(f, n);
		bool told = n->active_mtu.have == RCT_THERE, derive = d && d->mtu.have == RCT_THERE;
		s64 active;

		if (!rct_nic_active(n) || !rct_nic_roce(n))
			continue;
		if (!told && !derive) {
			unknown++;
			continue;
		}
		active = told ? n->active_mtu.v : path_mtu_of(d->mtu.v);
		if (active < 4096)
			small_mtu(c, n, derive ? &d->mtu.v : NULL, active);
		else
			good++;
	}
	if (good && !unknown && !rct_has(c, "mtu."))
		rct_pass(c, "MTU (4096 on %u of %u)", good, good);
	if (unknown)
		rct_unsure(c, "MTU of %u NIC%s: not readable", unknown, unknown == 1 ? "" : "s");
}

/* ----------------------------------------------------------- rails, ARP flux */

static bool same_subnet(const struct rct_addr4 *a, const struct rct_addr4 *b)
{
	u32 bits = a->prefix + (a->family == 4 ? 96 : 0);

	if (a->family != b->family || a->prefix != b->prefix || bits > 128 || !a->prefix)
		return false;
	for (u32 i = 0; i < bits; i++) {
		if ((a->addr[i / 8] ^ b->addr[i / 8]) & 0x80 >> i % 8)
			return false;
	}
	return true;
}

static const struct rct_nic *roce_nic_of(const struct rct_facts *f, const char *ifname)
{
	for (u32 i = 0; i < f->n_nics; i++) {
		if (rct_nic_roce(&f->nics[i]) && !strcmp(f->nics[i].ifname, ifname))
			return &f->nics[i];
	}
	return NULL;
}

/* A rule that sends an address by a table of its own. Linux always has some: none were not read. */
static bool source_rules(const struct rct_facts *f)
{
	if (!f->n_rules)
		return true;
	for (u32 i = 0; i < f->n_rules; i++) {
		if (strcmp(f->rules[i].from, "all"))
			return true;
	}
	return false;
}

/* The kernel uses the larger of "all" and the interface's own: both have to be known. */
static bool answers_for_others(const struct rct_facts *f, const struct rct_netif *d)
{
	return d && d->arp_ignore.have == RCT_THERE && d->arp_ignore.v < 1 &&
	       f->arp_ignore_all.have == RCT_THERE && f->arp_ignore_all.v < 1;
}

static const char *announce_text(const struct rct_facts *f, const struct rct_netif *d, char buf[24])
{
	s64 v = f->arp_announce_all.v;

	if (!d || d->arp_announce.have != RCT_THERE || f->arp_announce_all.have != RCT_THERE)
		return "n/a";
	snprintf(buf, 24, "%lld", (long long)(v > d->arp_announce.v ? v : d->arp_announce.v));
	return buf;
}

static void say_flux(struct rct_case *c, const struct rct_addr4 *first, u32 n, const char *names)
{
	struct rct_finding *x = rct_find(c, RCT_CRITICAL, RCT_CONF_HIGH, RCT_SCOPE_HOST);
	char addr[INET6_ADDRSTRLEN], announce[24];

	x->weight = RCT_CAUSE;
	inet_ntop(first->family == 4 ? AF_INET : AF_INET6, first->addr + (first->family == 4 ? 12 : 0), addr, sizeof(addr));
	RCT_SAY(x->object, "%s", names);
	RCT_SAY(x->title, "%u RoCE NICs have addresses in one subnet, and each answers ARP for the others (ARP flux): traffic takes the wrong NIC.", n);
	rct_evidence(x, "subnet", NULL, "addresses", "of %s/%u", addr, first->prefix);
	rct_evidence(x, "arp_ignore, arp_announce", "1 and 2", "sysctl", "0 and %s",
		     announce_text(c->s->facts, rct_netif_named(c->s->facts, first->ifname), announce));
	rct_evidence(x, "rules by source", "one a NIC", "ip rule", "none");
	rct_next(x, "sysctl -w net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2 net.ipv4.conf.all.rp_filter=2");
	rct_next(x, "a routing table for each NIC: ip rule add from ADDRESS table N; ip route add SUBNET dev IFACE table N; or a subnet for each rail");
}

/* An interface may have several addresses in a subnet. */
static bool counted_before(const struct rct_facts *f, u32 at, u32 upto)
{
	for (u32 i = at; i < upto; i++) {
		if (same_subnet(&f->addrs[at], &f->addrs[i]) && !strcmp(f->addrs[i].ifname, f->addrs[upto].ifname))
			return true;
	}
	return false;
}

/* The NICs with an address in the subnet of addrs[at]; only where that is the first of them. */
static u32 share_subnet(const struct rct_facts *f, u32 at, char *names, size_t size)
{
	u32 n = 0;

	for (u32 i = 0; i < f->n_addrs; i++) {
		const struct rct_addr4 *a = &f->addrs[i];

		if (!roce_nic_of(f, a->ifname) || !same_subnet(&f->addrs[at], a) ||
		    !answers_for_others(f, rct_netif_named(f, a->ifname)))
			continue;
		if (i < at)
			return 0;
		if (counted_before(f, at, i))
			continue;
		if (strlen(names) + strlen(a->ifname) + 3 < size)
			snprintf(names + strlen(names), size - strlen(names), "%s%s", n ? ", " : "", a->ifname);
		n++;
	}
	return n;
}

void rct_rule_arp_flux(struct rct_case *c)
{
	const struct rct_facts *f = c->s->facts;

	for (u32 i = 0; f && !source_rules(f) && i < f->n_addrs; i++) {
		char names[128] = "";
		u32 n = f->addrs[i].family == 4 && roce_nic_of(f, f->addrs[i].ifname) ?
			share_subnet(f, i, names, sizeof(names)) : 0;

		if (n > 1)
			say_flux(c, &f->addrs[i], n, names);
	}
}

static void add_addr(char *buf, size_t size, const struct rct_neigh *n)
{
	char addr[INET6_ADDRSTRLEN];
	size_t len = strlen(buf);

	inet_ntop(n->family == 4 ? AF_INET : AF_INET6, n->addr + (n->family == 4 ? 12 : 0), addr, sizeof(addr));
	snprintf(buf + len, size - len, "%s%s", len ? ", " : "", addr);
}

/*
 * Several addresses of one interface's neighbours with one MAC: a host that answers for all
 * its own. (In IPv6 every neighbour has several, and answers for those of that interface only.)
 */
void rct_rule_arp_neighbour(struct rct_case *c)
{
	const struct rct_facts *f = c->s->facts;

	for (u32 i = 0; f && i < f->n_neighs; i++) {
		const struct rct_neigh *a = &f->neighs[i];
		struct rct_finding *x;
		char addrs[80] = "";
		u32 n = 1;
		bool first = true;

		if (a->family != 4 || !*a->mac || !strcmp(a->mac, "00:00:00:00:00:00") || !roce_nic_of(f, a->ifname))
			continue;
		for (u32 k = 0; k < f->n_neighs; k++) {
			if (k == i || strcmp(f->neighs[k].mac, a->mac) || strcmp(f->neighs[k].ifname, a->ifname) ||
			    f->neighs[k].family != a->family)
				continue;
			first &= k > i;
			if (strlen(addrs) < sizeof(addrs) - 20)
				add_addr(addrs, sizeof(addrs), &f->neighs[k]);
			n++;
		}
		if (!first || n < 3)
			continue;
		x = rct_find(c, RCT_WARNING, RCT_CONF_MEDIUM, RCT_SCOPE_HOST);
		x->weight = RCT_CAUSE;
		RCT_SAY(x->object, "%s", a->ifname);
		RCT_SAY(x->title, "%u neighbours have one MAC address: a peer answers for its other NICs' addresses, too.", n);
		add_addr(addrs, sizeof(addrs), a);
		rct_evidence(x, "MAC", NULL, "neighbours", "%s of %s", a->mac, addrs);
		rct_next(x, "on that peer: sysctl net.ipv4.conf.all.arp_ignore net.ipv4.conf.all.arp_announce   (1 and 2 with several NICs)");
	}
}

/* ------------------------------------------------------------------- routes */

static bool parse_gid(const char *text, u8 addr[16])
{
	struct in_addr v4;

	if (inet_pton(AF_INET, text, &v4) == 1) {
		memset(addr, 0, 10);
		addr[10] = addr[11] = 0xff;
		memcpy(addr + 12, &v4, 4);
		return true;
	}
	return inet_pton(AF_INET6, text, addr) == 1;
}

static bool covers(const u8 net[16], u32 bits, const u8 addr[16])
{
	for (u32 i = 0; i < bits; i++) {
		if ((net[i / 8] ^ addr[i / 8]) & 0x80 >> i % 8)
			return false;
	}
	return true;
}

/* The interface that has the address, or NULL. */
static const struct rct_addr4 *owner_of(const struct rct_facts *f, const u8 addr[16])
{
	for (u32 i = 0; i < f->n_addrs; i++) {
		if (!memcmp(f->addrs[i].addr, addr, 16))
			return &f->addrs[i];
	}
	return NULL;
}

static u8 family_of(const u8 addr[16])
{
	static const u8 mapped[12] = { [10] = 0xff, [11] = 0xff };

	return memcmp(addr, mapped, sizeof(mapped)) ? 6 : 4;
}

/* Can packets leave by this interface for that address? By its own subnet or any route of it. */
static bool reaches(const struct rct_facts *f, const struct rct_addr4 *from, const u8 to[16])
{
	u8 family = family_of(to);

	if (from->family == family && covers(from->addr, from->prefix + (family == 4 ? 96 : 0), to))
		return true;
	for (u32 i = 0; i < f->n_routes; i++) {
		const struct rct_route *r = &f->routes[i];

		if (r->family == family && !strcmp(r->ifname, from->ifname) &&
		    covers(r->dst, r->prefix + (family == 4 ? 96 : 0), to))
			return true;
	}
	return false;
}

/* A failed connection between two rails that no route joins. */
void rct_rule_path_rail(struct rct_case *c)
{
	const struct rct_facts *f = c->s->facts;

	for (u32 i = 0; f && f->n_routes && i < f->nccl.n_errors; i++) {
		const struct rct_nccl_error *e = &f->nccl.errors[i];
		const struct rct_addr4 *local;
		struct rct_finding *x;
		const char *cross;
		u8 from[16], to[16];

		if (e->status != 12 || !parse_gid(e->local_gid, from) || !parse_gid(e->remote_gid, to))
			continue;
		local = owner_of(f, from);
		if (!local || reaches(f, local, to))
			continue;
		x = rct_find(c, RCT_CRITICAL, RCT_CONF_HIGH, RCT_SCOPE_NIC);
		x->weight = RCT_CAUSE;
		RCT_SAY(x->object, "%s%s%s", e->hca, *e->hca ? "/" : "", local->ifname);
		RCT_SAY(x->title, "The job connects from one rail to another, and no route joins them: peers never answer.");
		rct_evidence(x, "local to remote GID", NULL, "NCCL log", "%s to %s", e->local_gid, e->remote_gid);
		rct_evidence(x, "routes by this NIC", "to the other rail", "ip route", "none");
		rct_explains(x, "NCCL completion status 12 (retries exceeded)");
		cross = rct_job_env(f, f->n_procs ? &f->procs[0] : NULL, "NCCL_CROSS_NIC");
		if (cross && !strcmp(cross, "0"))
			rct_evidence(x, "NCCL_CROSS_NIC", NULL, "environment", "0: NCCL should not have crossed; its version or algorithm is suspect");
		rct_next(x, "join the rails by a router, or keep the job on rails: same NIC order on all hosts, NCCL_CROSS_NIC=0, another NCCL_ALGO");
	}
}

/* -------------------------------------------------------------- traffic class */

static s32 prio_of_class(const struct rct_netif *d, int tc)
{
	if (d->dcb.trust != RCT_THERE || !d->dcb.trust_dscp || d->dcb.app != RCT_THERE || tc < 0)
		return -1;
	return d->dcb.dscp_prio[tc >> 2 & 63] >= 0 ? d->dcb.dscp_prio[tc >> 2 & 63] : (tc >> 5 & 7);
}

static const struct rct_nic *first_nic_of(const struct rct_facts *f, const struct rct_proc *p)
{
	const char *list = rct_job_env(f, p, "NCCL_IB_HCA");

	for (u32 i = 0; i < f->n_nics; i++) {
		if (rct_hca_takes(list, &f->nics[i]) && rct_nic_roce(&f->nics[i]))
			return &f->nics[i];
	}
	return NULL;
}

/* Why a job's traffic class misses the lossless priority; NULL: it does not. */
static const char *class_fault(const struct rct_netif *d, int tc, bool open)
{
	s32 prio = prio_of_class(d, tc);

	if (tc < 0)
		return open ? "The job sets no traffic class, and most of its traffic is on a priority that is not lossless." : NULL;
	if (prio >= 0 && prio < RCT_PRIOS && !(d->dcb.pfc_enabled & 1 << prio))
		return "The job's traffic class maps to a priority that is not lossless here.";
	return NULL;
}

void rct_rule_qos_process(struct rct_case *c)
{
	const struct rct_facts *f = c->s->facts;
	char who[RCT_NIC_TEXT];

	for (u32 i = 0; f && i < f->n_procs; i++) {
		const struct rct_proc *p = &f->procs[i];
		const struct rct_nic *n = rct_proc_is_job(p) ? first_nic_of(f, p) : NULL;
		const struct rct_netif *d = n ? rct_nic_netif(f, n) : NULL;
		const char *value = rct_job_env(f, p, "NCCL_IB_TC");
		int tc = rct_job_traffic_class(f, p);
		struct rct_classes classes;
		struct rct_finding *x;
		const char *fault;

		if (!d || d->dcb.pfc != RCT_THERE || !d->dcb.pfc_enabled)
			continue;
		classes = rct_nic_classes(c, n);
		fault = class_fault(d, tc, classes.known && classes.open > 0.5);
		if (!fault)
			continue;
		x = rct_find(c, RCT_WARNING, RCT_CONF_HIGH, RCT_SCOPE_HOST);
		x->weight = RCT_CAUSE;
		RCT_SAY(x->object, "%s", rct_proc_text(p, who));
		RCT_SAY(x->title, "%s", fault);
		if (tc < 0)
			rct_evidence(x, "NCCL_IB_TC", "0 to 255", "environment", "%s", value ? value : "not set");
		else
			rct_evidence(x, "NCCL_IB_TC", NULL, "environment", "%d (DSCP %d)", tc, tc >> 2);
		if (n->traffic_class.have == RCT_THERE)
			rct_evidence(x, "device-wide traffic class", NULL, "sysfs", "%lld: does not reach queue pairs that are not set up through the kernel (DevX, GPU-initiated)",
				     (long long)n->traffic_class.v);
		rct_next(x, "set NCCL_IB_TC (and NCCL_GIN_IB_TC) to the fabric's lossless class on every rank, e.g. 106 for DSCP 26 with ECN");
		return;
	}
}

/* -------------------------------------------------------- choice and tuning */

/* One queue pair a connection, over a bond: it never leaves its member. */
void rct_rule_nccl_tuning(struct rct_case *c)
{
	const struct rct_facts *f = c->s->facts;
	char who[RCT_NIC_TEXT];

	for (u32 i = 0; f && i < f->n_procs; i++) {
		const struct rct_proc *p = &f->procs[i];
		const struct rct_nic *n = rct_proc_is_job(p) ? first_nic_of(f, p) : NULL;
		const struct rct_netif *d = n ? rct_nic_netif(f, n) : NULL;
		const char *qps = rct_job_env(f, p, "NCCL_IB_QPS_PER_CONNECTION");
		struct rct_finding *x;
		long n_qps = 1;

		if (!d || d->n_members < 2 ||
		    (rct_job_number(f, p, "NCCL_IB_QPS_PER_CONNECTION", &n_qps) && n_qps > 1))
			continue;
		x = rct_find(c, RCT_WARNING, RCT_CONF_MEDIUM, RCT_SCOPE_HOST);
		x->weight = RCT_CAUSE;
		RCT_SAY(x->object, "%s", rct_proc_text(p, who));
		RCT_SAY(x->title, "One queue pair a connection over a bond of %u: a queue pair never leaves its member.", d->n_members);
		rct_evidence(x, "NCCL_IB_QPS_PER_CONNECTION", "2 or more", "environment", "%s", qps ? qps : "not set (1)");
		rct_next(x, "NCCL_IB_QPS_PER_CONNECTION=4 on every rank, then compare the members' rates");
		return;
	}
}

/* A guest's PCI tree says nothing of what is near what. */
void rct_rule_vm_topology(struct rct_case *c)
{
	const struct rct_facts *f = c->s->facts;
	struct rct_finding *x;
	char who[RCT_NIC_TEXT];

	for (u32 i = 0; f && f->vm == 1 && i < f->n_procs; i++) {
		if (!rct_proc_is_job(&f->procs[i]) || rct_job_env(f, &f->procs[i], "NCCL_TOPO_FILE"))
			continue;
		x = rct_find(c, RCT_NOTICE, RCT_CONF_MEDIUM, RCT_SCOPE_HOST);
		RCT_SAY(x->object, "%s", rct_proc_text(&f->procs[i], who));
		RCT_SAY(x->title, "This is a virtual machine, and NCCL_TOPO_FILE is not set: NCCL can't know which NIC is near which GPU.");
		rct_evidence(x, "hypervisor", NULL, "cpuinfo", "yes");
		rct_next(x, "the cloud provider's topology file: NCCL_TOPO_FILE=/path/to/topo.xml");
		return;
	}
}
