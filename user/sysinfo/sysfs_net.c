// SPDX-License-Identifier: BSD-2-Clause
/* Network interfaces, from class/net and /proc/sys/net. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"
#include "sysinfo/facts.h"

#define SPEED_UNKNOWN	65535	/* what old kernels say instead of -1 */

/* ------------------------------------------------------------------ PCI */

static bool is_pci(const char *name)
{
	unsigned dom, bus, dev, fn;
	int end = 0;

	return strlen(name) < 16 && sscanf(name, "%x:%2x:%2x.%1x%n", &dom, &bus, &dev, &fn, &end) == 4 &&
	       !name[end];
}

void rct_pci_folder(const struct rct_root *r, const char *dir, char ret[PATH_MAX], char pci[16])
{
	static const char *const above[] = { "device", "device/..", "device/../.." };
	char name[64];

	for (size_t i = 0; i < RCT_ARRAY_SIZE(above); i++) {
		rct_path(ret, "%s/%s", dir, above[i]);
		rct_root_uevent(r, name, sizeof(name), "PCI_SLOT_NAME", "%s", ret);
		if (is_pci(name)) {
			snprintf(pci, 16, "%.15s", name);
			return;
		}
	}
	rct_path(ret, "%s/device", dir);
	*pci = '\0';
}

s32 rct_node_of(const struct rct_root *r, const char *folder)
{
	struct rct_num n = rct_num_of(r, folder, "numa_node");

	return n.have == RCT_THERE && n.v >= -1 && n.v <= INT_MAX ? (s32)n.v : -2;
}

static int by_value(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

int rct_read_vectors(const struct rct_root *r, const char *folder, u32 **list, u32 *n)
{
	char **names, *end;
	unsigned long v;
	size_t count;
	u32 *irq;
	int rc = 0;

	if (rct_root_list(r, &names, &count, "%s/msi_irqs", folder))
		return 0;
	for (size_t i = 0; i < count && !rc; i++) {
		v = strtoul(names[i], &end, 10);
		if (end == names[i] || *end || v > UINT32_MAX)
			continue;
		irq = RCT_FACTS_ADD(*list, *n);
		if (irq)
			*irq = v;
		else
			rc = -ENOMEM;
	}
	rct_names_free(names, count);
	if (*n)
		qsort(*list, *n, sizeof(**list), by_value);
	return rc;
}

static void read_pcie(const struct rct_root *r, const char *folder, struct rct_netif *n)
{
	rct_root_line(r, n->link_speed, sizeof(n->link_speed), "%s/current_link_speed", folder);
	rct_root_line(r, n->link_speed_max, sizeof(n->link_speed_max), "%s/max_link_speed", folder);
	n->link_width = rct_num_of(r, folder, "current_link_width");
	n->link_width_max = rct_num_of(r, folder, "max_link_width");
	/* virtual functions have no link of their own */
	if (!n->link_width.v && n->link_width.have == RCT_THERE)
		n->link_width.have = RCT_UNREADABLE;
	if (!n->link_width_max.v && n->link_width_max.have == RCT_THERE)
		n->link_width_max.have = RCT_UNREADABLE;
}

static int read_device(const struct rct_root *r, const char *dir, struct rct_netif *n)
{
	char folder[PATH_MAX];

	rct_root_link(r, n->driver, sizeof(n->driver), "%s/device/driver", dir);
	rct_pci_folder(r, dir, folder, n->pci);
	n->node = rct_node_of(r, folder);
	rct_root_line(r, n->local_cpus, sizeof(n->local_cpus), "%s/local_cpulist", folder);
	read_pcie(r, folder, n);
	return rct_read_vectors(r, folder, &n->irqs, &n->n_irqs);
}

/* --------------------------------------------------------------- interface */

/* What no file tells stays as it is here. */
static void set_unknown(struct rct_netif *n)
{
	n->node = -2;
	n->pause_autoneg = n->pause_rx = n->pause_tx = RCT_TRI_UNKNOWN;
	n->lro = n->gro_hw = RCT_TRI_UNKNOWN;
	memset(n->ecn_np, -1, sizeof(n->ecn_np));
	memset(n->ecn_rp, -1, sizeof(n->ecn_rp));
	memset(n->dcb.dscp_prio, -1, sizeof(n->dcb.dscp_prio));
	memset(n->dcb.prio_buffer, -1, sizeof(n->dcb.prio_buffer));
	memset(n->dcb.prio_tc, -1, sizeof(n->dcb.prio_tc));
}

static void read_link(const struct rct_root *r, const char *dir, struct rct_netif *n)
{
	struct rct_num index = rct_num_of(r, dir, "ifindex");

	if (index.have == RCT_THERE && index.v > 0 && index.v <= INT_MAX)
		n->ifindex = index.v;
	rct_root_line(r, n->mac, sizeof(n->mac), "%s/address", dir);
	rct_root_line(r, n->operstate, sizeof(n->operstate), "%s/operstate", dir);
	n->mtu = rct_num_of(r, dir, "mtu");
	n->carrier = rct_num_of(r, dir, "carrier");
	n->carrier_changes = rct_num_of(r, dir, "carrier_changes");
	n->type = rct_num_of(r, dir, "type");
	n->speed_mbps = rct_num_of(r, dir, "speed");
	/* a link that is down has none */
	if (n->speed_mbps.v <= 0 || n->speed_mbps.v == SPEED_UNKNOWN || n->speed_mbps.v > INT_MAX) {
		if (n->speed_mbps.have == RCT_THERE)
			n->speed_mbps.have = RCT_UNREADABLE;
		n->speed_mbps.v = 0;
	}
}

/* What tells functions of one physical port from those of another, where the driver has it. */
static void read_port_id(const struct rct_root *r, const char *dir, struct rct_netif *n)
{
	char sw[40], port[20];

	rct_root_line(r, n->port_id, sizeof(n->port_id), "%s/phys_port_id", dir);
	if (*n->port_id)
		return;
	rct_root_line(r, sw, sizeof(sw), "%s/phys_switch_id", dir);
	rct_root_line(r, port, sizeof(port), "%s/phys_port_name", dir);
	if (*sw && *port)
		snprintf(n->port_id, sizeof(n->port_id), "%s/%s", sw, port);
}

static void read_ecn(const struct rct_root *r, const char *dir, const char *side, s8 ret[8])
{
	char folder[PATH_MAX], prio[2] = "0";
	struct rct_num v;

	rct_path(folder, "%s/ecn/%s/enable", dir, side);
	for (u32 p = 0; p < 8; p++) {
		prio[0] = '0' + p;
		v = rct_num_of(r, folder, prio);
		if (v.have == RCT_THERE)
			ret[p] = !!v.v;
	}
}

/* "802.3ad 4": the name without its number. */
static void first_word(const struct rct_root *r, const char *dir, const char *file, char *ret,
		       size_t size)
{
	rct_root_line(r, ret, size, "%s/bonding/%s", dir, file);
	ret[strcspn(ret, " ")] = '\0';
}

static void read_bond(const struct rct_root *r, const char *dir, struct rct_netif *n)
{
	char line[256], *save, *word;

	first_word(r, dir, "mode", n->bond_mode, sizeof(n->bond_mode));
	first_word(r, dir, "xmit_hash_policy", n->bond_policy, sizeof(n->bond_policy));
	if (rct_root_line(r, line, sizeof(line), "%s/bonding/slaves", dir))
		return;
	word = strtok_r(line, " ", &save);
	for (; word && n->n_members < RCT_ARRAY_SIZE(n->members); word = strtok_r(NULL, " ", &save)) {
		if (strlen(word) < sizeof(n->members[0]))
			strcpy(n->members[n->n_members++], word);
	}
}

static void read_switches(const struct rct_root *r, struct rct_netif *n)
{
	char dir[PATH_MAX];

	rct_path(dir, "proc/sys/net/ipv4/conf/%s", n->name);
	n->arp_ignore = rct_num_of(r, dir, "arp_ignore");
	n->arp_announce = rct_num_of(r, dir, "arp_announce");
	n->rp_filter = rct_num_of(r, dir, "rp_filter");
}

static int read_netif(const struct rct_root *r, const char *name, struct rct_facts *f)
{
	char dir[PATH_MAX];
	struct rct_netif *n = RCT_FACTS_ADD(f->netifs, f->n_netifs);

	if (!n)
		return -ENOMEM;
	snprintf(n->name, sizeof(n->name), "%.15s", name);
	rct_path(dir, "sys/class/net/%s", n->name);
	set_unknown(n);
	read_link(r, dir, n);
	read_port_id(r, dir, n);
	read_ecn(r, dir, "roce_np", n->ecn_np);
	read_ecn(r, dir, "roce_rp", n->ecn_rp);
	read_bond(r, dir, n);
	read_switches(r, n);
	return read_device(r, dir, n);
}

static void set_masters(struct rct_facts *f)
{
	struct rct_netif *m;

	for (u32 i = 0; i < f->n_netifs; i++) {
		for (u32 j = 0; j < f->netifs[i].n_members; j++) {
			m = rct_netif_named(f, f->netifs[i].members[j]);
			if (m)
				memcpy(m->master, f->netifs[i].name, sizeof(m->master));
		}
	}
}

int rct_read_netifs(const struct rct_root *r, struct rct_facts *f)
{
	char **names;
	size_t n;
	int rc;

	if (rct_root_list(r, &names, &n, "sys/class/net"))
		return 0;
	rc = 0;
	for (size_t i = 0; i < n && !rc; i++) {
		/* bonding_masters is a file among the interfaces */
		if (strlen(names[i]) < sizeof(f->netifs->name) &&
		    rct_root_exists(r, "sys/class/net/%s/type", names[i]))
			rc = read_netif(r, names[i], f);
	}
	rct_names_free(names, n);
	set_masters(f);
	return rc;
}

/* -------------------------------------------------------------- statistics */

bool rct_netif_is_wanted(const struct rct_facts *f, const struct rct_netif *n)
{
	if (*n->driver || *n->pci || *n->bond_mode || *n->master)
		return true;
	for (u32 i = 0; i < f->n_nics; i++) {
		if (!strcmp(f->nics[i].ifname, n->name))
			return true;
	}
	return false;
}

static int read_statistics(const struct rct_root *r, struct rct_netif *n)
{
	char dir[PATH_MAX], **names;
	size_t count;
	int rc;

	rct_path(dir, "sys/class/net/%s", n->name);
	rc = rct_read_counter(r, dir, "carrier_down_count", RCT_G_NETDEV, &n->counters,
			      &n->n_counters);
	if (rc || rct_root_list(r, &names, &count, "%s/statistics", dir))
		return rc;
	rct_path(dir, "sys/class/net/%s/statistics", n->name);
	for (size_t i = 0; i < count && !rc; i++)
		rc = rct_read_counter(r, dir, names[i], RCT_G_NETDEV, &n->counters, &n->n_counters);
	rct_names_free(names, count);
	return rc;
}

int rct_read_statistics(const struct rct_root *r, struct rct_facts *f)
{
	int rc = 0;

	for (u32 i = 0; i < f->n_netifs && !rc; i++) {
		if (rct_netif_is_wanted(f, &f->netifs[i]))
			rc = read_statistics(r, &f->netifs[i]);
	}
	return rc;
}
