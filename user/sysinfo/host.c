// SPDX-License-Identifier: BSD-2-Clause
/* The host itself: processors, nodes, kernel, container, routes and neighbours. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"
#include "sysinfo/facts.h"
#include "sysinfo/text_scan.h"

/* -------------------------------------------------------------------- nodes */

static int add_node(const struct rct_root *r, const char *name, struct rct_facts *f)
{
	char mask[1024];
	struct rct_numa *node;
	unsigned number;
	int end = 0;

	if (sscanf(name, "node%u%n", &number, &end) != 1 || name[end])
		return 0;
	node = RCT_FACTS_ADD(f->nodes, f->n_nodes);
	if (!node)
		return -ENOMEM;
	node->node = number;
	if (!rct_root_line(r, node->cpus, sizeof(node->cpus), "sys/devices/system/node/%s/cpulist",
			   name))
		return 0;
	if (rct_root_line(r, mask, sizeof(mask), "sys/devices/system/node/%s/cpumap", name) ||
	    rct_mask_list(mask, node->cpus, sizeof(node->cpus)))
		*node->cpus = '\0';
	return 0;
}

static int read_nodes(const struct rct_root *r, struct rct_facts *f)
{
	char **names;
	size_t n;
	int rc = 0;

	if (rct_root_list(r, &names, &n, "sys/devices/system/node"))
		return 0;
	for (size_t i = 0; i < n && !rc; i++)
		rc = add_node(r, names[i], f);
	rct_names_free(names, n);
	return rc;
}

static void read_cpus(const struct rct_root *r, struct rct_facts *f)
{
	static const char dir[] = "sys/devices/system/cpu";

	rct_root_line(r, f->cpus_online, sizeof(f->cpus_online), "%s/online", dir);
	rct_root_line(r, f->cpus_possible, sizeof(f->cpus_possible), "%s/possible", dir);
	rct_root_line(r, f->cpus_isolated, sizeof(f->cpus_isolated), "%s/isolated", dir);
}

/* ------------------------------------------------------------------- kernel */

static void read_uptime(const struct rct_root *r, struct rct_facts *f)
{
	char line[64], *end;
	double v;

	if (rct_root_line(r, line, sizeof(line), "proc/uptime"))
		return;
	v = strtod(line, &end);
	if (end != line && v >= 0 && v < 1e12)
		f->uptime = v;
}

static bool has_word(const char *words, const char *word)
{
	struct rct_str s = { words, strlen(words) }, w;

	while ((w = rct_str_word(&s)).n) {
		if (rct_str_is(w, word))
			return true;
	}
	return false;
}

/* Of a word of the command line what it says of the IOMMU. */
static const struct {
	const char *word;
	int on, pt;	/* RCT_TRI_UNKNOWN: says nothing of that */
} iommu_words[] = {
	{ "intel_iommu=on", 1, RCT_TRI_UNKNOWN },
	{ "amd_iommu=on", 1, RCT_TRI_UNKNOWN },
	{ "intel_iommu=off", 0, RCT_TRI_UNKNOWN },
	{ "amd_iommu=off", 0, RCT_TRI_UNKNOWN },
	{ "iommu=off", 0, RCT_TRI_UNKNOWN },
	{ "iommu=pt", RCT_TRI_UNKNOWN, 1 },
	{ "iommu=nopt", RCT_TRI_UNKNOWN, 0 },
	{ "iommu.passthrough=1", RCT_TRI_UNKNOWN, 1 },
	{ "iommu.passthrough=0", RCT_TRI_UNKNOWN, 0 },
};

/* sys/class/iommu has an entry for each unit that is in use, and knows better. */
static void read_iommu(const struct rct_root *r, struct rct_facts *f, const char *cmdline)
{
	char **names;
	size_t n;

	for (size_t i = 0; cmdline && i < RCT_ARRAY_SIZE(iommu_words); i++) {
		if (!has_word(cmdline, iommu_words[i].word))
			continue;
		if (iommu_words[i].on != RCT_TRI_UNKNOWN)
			f->iommu_on = iommu_words[i].on;
		if (iommu_words[i].pt != RCT_TRI_UNKNOWN)
			f->iommu_pt = iommu_words[i].pt;
	}
	if (cmdline && f->iommu_pt == RCT_TRI_UNKNOWN)
		f->iommu_pt = 0;
	if (rct_root_list(r, &names, &n, "sys/class/iommu"))
		return;
	f->iommu_on = n > 0;
	rct_names_free(names, n);
}

static void read_cmdline(const struct rct_root *r, struct rct_facts *f)
{
	char *text = rct_root_text(r, NULL, NULL, "proc/cmdline");

	if (text) {
		text[strcspn(text, "\n")] = '\0';
		snprintf(f->kernel_cmdline, sizeof(f->kernel_cmdline), "%s", text);
	}
	read_iommu(r, f, text);
	free(text);
}

/* What lets the NIC read and write a GPU's memory, under its old and its new name. */
static void read_modules(const struct rct_root *r, struct rct_facts *f)
{
	size_t len;
	char *text = rct_root_text(r, &len, NULL, "proc/modules");
	struct rct_str s = { text, len }, line, name;

	if (!text)
		return;
	f->nv_peermem = 0;
	while (rct_str_line(&s, &line)) {
		name = rct_str_word(&line);
		if (rct_str_is(name, "nvidia_peermem") || rct_str_is(name, "nv_peer_mem"))
			f->nv_peermem = 1;
	}
	free(text);
}

/* The hypervisor's name where processors have no flag for it (arm64). */
static const char *const vendors[] = { "QEMU", "VMware, Inc.", "Xen", "innotek GmbH" };

static void read_vm(const struct rct_root *r, struct rct_facts *f)
{
	size_t len;
	char *text = rct_root_text(r, &len, NULL, "proc/cpuinfo"), vendor[64];
	struct rct_str s = { text, len }, line;

	while (text && f->vm == RCT_TRI_UNKNOWN && rct_str_line(&s, &line)) {
		if (rct_str_starts(line, "flags"))
			f->vm = rct_str_after(line, " hypervisor", NULL, NULL);
	}
	free(text);
	rct_root_line(r, vendor, sizeof(vendor), "sys/class/dmi/id/sys_vendor");
	for (size_t i = 0; i < RCT_ARRAY_SIZE(vendors); i++) {
		if (!strcmp(vendor, vendors[i]))
			f->vm = 1;
	}
}

/* ---------------------------------------------------------------- container */

static const char *const container_paths[] = {
	"kubepods", "docker", "containerd", "libpod", "lxc", "crio", "garden", "machine.slice",
};

/*
 * By the path of the first process's control group, or by files that runtimes leave. A
 * namespace of its own hides the path: then "/" says neither yes nor no.
 */
static void read_container(const struct rct_root *r, struct rct_facts *f)
{
	char *text;

	if (rct_root_exists(r, ".dockerenv") || rct_root_exists(r, "run/.containerenv")) {
		f->container = 1;
		return;
	}
	text = rct_root_text(r, NULL, NULL, "proc/1/cgroup");
	if (!text)
		return;
	if (strstr(text, "init.scope"))
		f->container = 0;
	for (size_t i = 0; i < RCT_ARRAY_SIZE(container_paths); i++) {
		if (strstr(text, container_paths[i]))
			f->container = 1;
	}
	free(text);
}

/* Rights of the process that reads: what it may not see is not to be taken for absent. */
static void read_caps(const struct rct_root *r, struct rct_facts *f)
{
	char *text = rct_root_text(r, NULL, NULL, "proc/self/status"), *line;

	line = text ? strstr(text, "\nCapEff:") : NULL;
	if (line)
		f->caps_read = sscanf(line, "\nCapEff: %llx", (unsigned long long *)&f->caps) == 1;
	free(text);
}

int rct_read_host(const struct rct_root *r, struct rct_facts *f)
{
	static const char neigh[] = "proc/sys/net/ipv4/neigh/default";
	static const char all[] = "proc/sys/net/ipv4/conf/all";

	read_uptime(r, f);
	read_cpus(r, f);
	read_cmdline(r, f);
	read_modules(r, f);
	read_vm(r, f);
	read_container(r, f);
	read_caps(r, f);
	f->gc_thresh1 = rct_num_of(r, neigh, "gc_thresh1");
	f->gc_thresh2 = rct_num_of(r, neigh, "gc_thresh2");
	f->gc_thresh3 = rct_num_of(r, neigh, "gc_thresh3");
	f->arp_ignore_all = rct_num_of(r, all, "arp_ignore");
	f->arp_announce_all = rct_num_of(r, all, "arp_announce");
	f->rp_filter_all = rct_num_of(r, all, "rp_filter");
	return read_nodes(r, f);
}

/* ---------------------------------------------------- routes and neighbours */

static void map_ipv4(u8 ret[16], u32 network_order)
{
	memset(ret, 0, 16);
	ret[10] = ret[11] = 0xff;
	memcpy(ret + 12, &network_order, sizeof(network_order));
}

static bool hex32(struct rct_str s, u32 *ret)
{
	char buf[9], *end;

	if (!s.n || s.n >= sizeof(buf))
		return false;
	rct_str_copy(buf, sizeof(buf), s);
	*ret = strtoul(buf, &end, 16);
	return !*end;
}

/* Its numbers are the bytes of the address as this machine reads them. */
int rct_route_parse(const char *text, struct rct_facts *f)
{
	struct rct_str s = { text, strlen(text) }, line, word[8];
	struct rct_route *route;
	u32 dst, gateway, mask;

	while (rct_str_line(&s, &line) && f->n_routes < RCT_LIST_MAX) {
		for (size_t i = 0; i < RCT_ARRAY_SIZE(word); i++)
			word[i] = rct_str_word(&line);
		/* the last two are far enough: the header has words there */
		if (!hex32(word[1], &dst) || !hex32(word[2], &gateway) || !hex32(word[7], &mask))
			continue;
		route = RCT_FACTS_ADD(f->routes, f->n_routes);
		if (!route)
			return -ENOMEM;
		rct_str_copy(route->ifname, sizeof(route->ifname), word[0]);
		strcpy(route->table, "main");
		route->family = 4;
		route->prefix = __builtin_popcount(mask);
		route->gateway = gateway;
		map_ipv4(route->dst, dst);
	}
	return 0;
}

/* Flags of /proc/net/arp (linux/if_arp.h) as ip-neigh(8) calls such entries; it can't tell more. */
static const char *arp_state(u64 flags)
{
	if (!(flags & 2))
		return "INCOMPLETE";
	return flags & 4 ? "PERMANENT" : "";
}

int rct_arp_parse(const char *text, struct rct_facts *f)
{
	struct rct_str s = { text, strlen(text) }, line, word[6];
	u8 family, addr[16], prefix;
	struct rct_neigh *n;
	u64 flags;

	while (rct_str_line(&s, &line) && f->n_neighs < RCT_LIST_MAX) {
		for (size_t i = 0; i < RCT_ARRAY_SIZE(word); i++)
			word[i] = rct_str_word(&line);
		if (!rct_str_addr(word[0], &family, addr, &prefix) || !rct_str_u64(word[2], &flags) ||
		    !word[5].n)
			continue;
		n = RCT_FACTS_ADD(f->neighs, f->n_neighs);
		if (!n)
			return -ENOMEM;
		rct_str_copy(n->ifname, sizeof(n->ifname), word[5]);
		rct_str_copy(n->mac, sizeof(n->mac), word[3]);
		snprintf(n->state, sizeof(n->state), "%s", arp_state(flags));
		n->family = family;
		memcpy(n->addr, addr, sizeof(n->addr));
	}
	return 0;
}

/* Only where ip(8)'s texts, which say more, were not there. */
int rct_read_tables(const struct rct_root *r, struct rct_facts *f)
{
	char *text;
	int rc = 0;

	text = f->n_routes ? NULL : rct_root_text(r, NULL, NULL, "proc/net/route");
	if (text)
		rc = rct_route_parse(text, f);
	free(text);
	text = rc || f->n_neighs ? NULL : rct_root_text(r, NULL, NULL, "proc/net/arp");
	if (text)
		rc = rct_arp_parse(text, f);
	free(text);
	return rc;
}
