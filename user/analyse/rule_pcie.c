// SPDX-License-Identifier: BSD-2-Clause
/* The way from the NIC into the host: PCIe link, access control, GPUDirect. */
#include <stdio.h>
#include <stdlib.h>

#include "analyse/nics.h"
#include "base/units.h"

/* ---- pcie.degraded */

/* Usable Gb/s of one lane at a speed in GT/s: the line code is 8b/10b up to 5, then 128b/130b; FLITs from 64. */
static double lane_gbps(double gts)
{
	return gts <= 0 ? 0 : gts < 8 ? gts * 0.8 : gts < 64 ? gts * 128 / 130 : gts * 0.945;
}

static double link_gbps(const char *speed, s64 width)
{
	return lane_gbps(strtod(speed, NULL)) * width;
}

struct pcie {
	bool known;
	double now, able, port;	/* Gb/s; port: of the Ethernet side, 0: not known */
};

static struct pcie pcie_of(const struct rct_case *c, const struct rct_port *p)
{
	const struct rct_netif *n = p->netif;
	struct pcie x = {};

	if (!n || !*n->link_speed || n->link_width.have != RCT_THERE)
		return x;
	x.now = link_gbps(n->link_speed, n->link_width.v);
	x.able = *n->link_speed_max && n->link_width_max.have == RCT_THERE ?
		 link_gbps(n->link_speed_max, n->link_width_max.v) : x.now;
	x.port = p->member ? (n->speed_mbps.have == RCT_THERE ? n->speed_mbps.v / 1e3 : 0) :
		 rct_nic_speed(c, p->nic) / 1e9;
	x.known = x.now > 0;
	return x;
}

/* What the driver said of the place that limits it. */
static const struct rct_log *limit_line(const struct rct_case *c, const struct rct_port *p)
{
	const struct rct_facts *f = c->s->facts;

	for (u32 i = f->n_log; i-- > 0;) {
		if (f->log[i].class == RCT_LOG_PCIE_WIDTH && p->netif && !strcmp(f->log[i].object, p->netif->pci))
			return &f->log[i];
	}
	return NULL;
}

static void say_link(struct rct_case *c, const struct rct_port *p, const struct pcie *x, struct rct_finding *f)
{
	const struct rct_netif *n = p->netif;
	const struct rct_log *l = limit_line(c, p);
	const char *limited = l ? strstr(l->text, "limited by") : NULL;

	rct_about_port(p, f);
	rct_evidence(f, "PCIe link", NULL, "current_link_*", "%s x%lld: %.1f Gb/s", n->link_speed,
		     (long long)n->link_width.v, x->now);
	rct_evidence(f, "device can do", NULL, "max_link_*", "%s x%lld: %.0f Gb/s", n->link_speed_max,
		     (long long)n->link_width_max.v, x->able);
	if (x->port > 0)
		rct_evidence(f, "Ethernet port", NULL, "class/net", "%.0f Gb/s", x->port);
	if (limited)
		rct_evidence(f, "driver at start", NULL, "kernel log", "%.*s", (int)strcspn(limited, "("), limited);
}

static void found_degraded(struct rct_case *c, const struct rct_port *p, const struct pcie *x)
{
	bool limits = x->port > 0 && x->now < x->port;
	struct rct_finding *f = rct_find(c, limits ? x->now < x->port * 0.6 ? RCT_CRITICAL : RCT_WARNING : RCT_NOTICE,
					 RCT_CONF_HIGH, RCT_SCOPE_NIC);
	const struct rct_netif *n = p->netif;

	RCT_SAY(f->title, "The NIC's PCIe link runs at %s x%lld; device and slot can do %s x%lld.", n->link_speed,
		(long long)n->link_width.v, n->link_speed_max, (long long)n->link_width_max.v);
	say_link(c, p, x, f);
	if (limits)
		RCT_SAY(f->impact, "at most %.0f of the port's %.0f Gb/s can get into the host", x->now, x->port);
	RCT_SAY(f->refuted_by, "a slot that is wired for less: then the slot is the limit (its own max_link_*)");
	rct_next(f, "lspci -vv -s %s   (LnkSta against LnkCap, of the port above as well); reseat, riser, BIOS bifurcation", n->pci);
	f->weight = RCT_CAUSE;
}

void rct_rule_pcie_degraded(struct rct_case *c)
{
	const struct rct_port *first = NULL;
	u32 good = 0;
	char name[RCT_NIC_TEXT];

	for (u32 i = 0; i < c->n_ports; i++) {
		struct pcie x = pcie_of(c, &c->ports[i]);

		if (!x.known)
			continue;
		if (x.now < x.able * 0.99) {
			found_degraded(c, &c->ports[i], &x);
		} else {
			good++;
			first = first ? first : &c->ports[i];
		}
	}
	if (good == 1)
		rct_pass(c, "PCIe (%s at %s x%lld)", rct_port_text(first, name), first->netif->link_speed,
			 (long long)first->netif->link_width.v);
	else if (good)
		rct_pass(c, "PCIe (%u ports at the speed and width they can do)", good);
}

/* ---- pcie.limit: all that it can do is less than the port */

void rct_rule_pcie_limit(struct rct_case *c)
{
	for (u32 i = 0; i < c->n_ports; i++) {
		struct pcie x = pcie_of(c, &c->ports[i]);
		struct rct_finding *f;

		if (!x.known || x.port <= 0 || x.now < x.able * 0.99 || x.now >= x.port * 0.95)
			continue;
		f = rct_find(c, RCT_NOTICE, RCT_CONF_HIGH, RCT_SCOPE_NIC);
		RCT_SAY(f->title, "PCIe carries less than the Ethernet port: %.0f of %.0f Gb/s, and that is all the device can do.",
			x.now, x.port);
		say_link(c, &c->ports[i], &x, f);
		RCT_SAY(f->refuted_by, "a second PCIe connection of the same card (socket direct)");
	}
}

/* ---- pcie.stall */

void rct_rule_pcie_stall(struct rct_case *c)
{
	for (u32 i = 0; c->s->before && i < c->n_ports; i++) {
		struct rct_delta d = rct_port_grew(c, &c->ports[i], RCT_C_PCIE_STALL, 0);
		struct rct_finding *f;
		char others[48];

		if (!rct_grown(&d))
			continue;
		/* counted in seconds: what lasts a tenth of the time is felt */
		f = rct_find(c, rct_span(c) > 0 && d.delta / rct_span(c) >= 0.1 ? RCT_WARNING : RCT_NOTICE, RCT_CONF_MEDIUM,
			     RCT_SCOPE_NIC);
		rct_about_port(&c->ports[i], f);
		RCT_SAY(f->title, "The NIC waits for PCIe: this host takes or gives its data too slowly.");
		rct_say_growth(c, f, &d, rct_others_text(c, c->ports[i].nic, RCT_C_PCIE_STALL, others));
		rct_say_impact(c, c->ports[i].nic, f);
		RCT_SAY(f->refuted_by, "a rate at the link's full speed: then PCIe is merely busy");
		rct_next(f, "PCIe width, MaxReadReq, relaxed ordering, IOMMU, NUMA node of the buffers: lspci -vv -s %s",
			 c->ports[i].netif ? c->ports[i].netif->pci : "NIC");
		f->weight = d.delta;
	}
}

/* ---- pcie.acs, pcie.iommu */

static bool has_gpu(const struct rct_facts *f)
{
	for (u32 i = 0; i < f->n_pcis; i++) {
		if (f->pcis[i].gpu)
			return true;
	}
	return f->n_distances;
}

void rct_rule_pcie_acs(struct rct_case *c)
{
	const struct rct_facts *f = c->s->facts;
	struct rct_finding *found = NULL;
	u32 n = 0, known = 0;

	for (u32 i = 0; f && i < f->n_pcis; i++) {
		const struct rct_pci *p = &f->pcis[i];

		known += p->bridge && p->acs_redirect != RCT_TRI_UNKNOWN;
		if (!p->bridge || p->acs_redirect != 1 || n++)
			continue;
		found = rct_find(c, has_gpu(f) && f->vm != 1 ? RCT_WARNING : RCT_NOTICE, RCT_CONF_MEDIUM, RCT_SCOPE_HOST);
		RCT_SAY(found->object, "%s", p->addr);
		RCT_SAY(found->title, "ACS redirect is on at PCIe port %s: GPU-NIC transfers go up to the root complex and back.", p->addr);
		rct_evidence(found, "ACSCtl", "ReqRedir- CmpltRedir-", "lspci -vv", "%s redirects requests or completions", p->addr);
	}
	if (!found) {
		if (known)
			rct_pass(c, "PCIe ACS (no port redirects)");
		return;
	}
	if (n > 1)
		rct_evidence(found, "further ports", NULL, "lspci -vv", "%u", n - 1);
	RCT_SAY(found->impact, "GPUDirect RDMA at a part of its rate, where GPU and NIC share a switch");
	RCT_SAY(found->refuted_by, "virtual machines that get these devices: their isolation needs ACS; then leave it on");
	rct_next(found, "bare metal only: setpci -s %s ECAP_ACS+0x6.w=0000 on the switch ports between GPU and NIC, or off in BIOS", found->object);
}

void rct_rule_pcie_iommu(struct rct_case *c)
{
	const struct rct_facts *f = c->s->facts;
	struct rct_finding *found;

	if (!f || f->iommu_on != 1 || f->iommu_pt != 0)
		return;
	found = rct_find(c, RCT_NOTICE, RCT_CONF_MEDIUM, RCT_SCOPE_HOST);
	RCT_SAY(found->title, "The IOMMU is on without iommu=pt: every DMA of a NIC is translated.");
	rct_evidence(found, "kernel command line", "iommu=pt", "proc/cmdline", "IOMMU on, no pass-through");
	RCT_SAY(found->refuted_by, "a kernel whose default is pass-through; virtual machines that need the translation");
	rct_next(found, "add iommu=pt to the kernel command line");
}

/* ---- gdr.off */

static const char *gdr_device(const struct rct_facts *f)
{
	return *f->nccl.gdr_hca ? f->nccl.gdr_hca : f->n_nics ? f->nics[0].dev : "";
}

void rct_rule_gdr_off(struct rct_case *c)
{
	const struct rct_facts *f = c->s->facts;
	struct rct_finding *found;

	if (!f)
		return;
	if (f->nv_peermem == 1 && f->nccl.gdr != 0) {
		rct_pass(c, "GPUDirect (nvidia_peermem is loaded)");
		return;
	}
	/* without the module DMA-BUF may do: only the job can tell */
	if (f->nccl.gdr != 0)
		return;
	found = rct_find(c, RCT_WARNING, RCT_CONF_HIGH, RCT_SCOPE_HOST);
	RCT_SAY(found->object, "%s", gdr_device(f));
	RCT_SAY(found->title, "NCCL says that GPUDirect RDMA is disabled for %s: data is staged through host memory%s.", gdr_device(f),
		f->nv_peermem == 0 ? "; nvidia_peermem is not loaded" : "");
	rct_evidence(found, "GPU Direct RDMA", "enabled", "NCCL log", "disabled for %s", gdr_device(f));
	rct_evidence(found, "nvidia_peermem, nv_peer_mem", "loaded, or DMA-BUF in use", "proc/modules", "%s",
		     f->nv_peermem == 0 ? "not loaded" : f->nv_peermem == 1 ? "loaded" : "n/a");
	RCT_SAY(found->impact, "half to two thirds of the bandwidth, and load on the host's memory");
	RCT_SAY(found->refuted_by, "channels marked /GDRDMA in the log of this job");
	rct_next(found, "modprobe nvidia_peermem (or a driver and kernel with DMA-BUF), then restart the job; NCCL_NET_GDR_LEVEL unset");
	found->weight = RCT_CAUSE;
}
