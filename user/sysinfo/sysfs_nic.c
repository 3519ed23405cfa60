// SPDX-License-Identifier: BSD-2-Clause
/* Ports of RDMA devices, from class/infiniband. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"
#include "sysinfo/facts.h"

/* Entries of a port's table of addresses that are looked at: the largest is 256. */
#define GIDS_MAX	1024
/* Ports of one device. */
#define PORTS_MAX	64

/* ------------------------------------------------------------------ driver */

/* The driver of the PCI function, or how the device's name begins, and its RDMA driver. */
static const struct family {
	const char *driver, *prefix, *family;
} families[] = {
	{ "mlx5_core", "mlx5_", "mlx5" },
	{ "mlx4_core", "mlx4_", "mlx4" },
	{ "bnxt_en", "bnxt_re", "bnxt_re" },
	{ "ice", "irdma", "irdma" },
	{ "i40e", NULL, "irdma" },
	{ "idpf", NULL, "irdma" },
	{ "ionic", "ionic", "ionic" },
	{ "hns3", "hns_", "hns" },
	{ "qede", "qedr", "qedr" },
	{ "efa", "efa_", "efa" },
	{ "mana", "mana", "mana" },
	{ "erdma", "erdma", "erdma" },
	{ "rdma_rxe", "rxe", "rxe" },
	{ "siw", "siw", "siw" },
};

static const char *by_driver(const char *driver)
{
	size_t len;

	for (size_t i = 0; i < RCT_ARRAY_SIZE(families); i++) {
		/* mlx5_core.sf: a sub-function */
		len = strlen(families[i].driver);
		if (!strncmp(driver, families[i].driver, len) && (!driver[len] || driver[len] == '.'))
			return families[i].family;
	}
	return NULL;
}

static const char *by_name(const char *dev)
{
	for (size_t i = 0; i < RCT_ARRAY_SIZE(families); i++) {
		if (families[i].prefix &&
		    !strncmp(dev, families[i].prefix, strlen(families[i].prefix)))
			return families[i].family;
	}
	return NULL;
}

/* parent is a file that only rxe and siw have: they have no device below them. */
static void read_driver(const struct rct_root *r, const char *dir, struct rct_nic *n)
{
	char driver[32];
	const char *family;

	rct_root_link(r, driver, sizeof(driver), "%s/device/driver", dir);
	family = *driver ? by_driver(driver) : by_name(n->dev);
	if (!family && !*driver && rct_root_exists(r, "%s/parent", dir))
		family = strstr(n->node_type, "RNIC") ? "siw" : "rxe";
	snprintf(n->driver, sizeof(n->driver), "%s", family ? family : driver);
}

/* --------------------------------------------------------------- addresses */

bool rct_gid_parse(const char *line, u8 ret[16])
{
	return inet_pton(AF_INET6, line, ret) == 1;
}

static enum rct_gid_type gid_type(const struct rct_root *r, const char *port, const char *index,
				  bool ethernet)
{
	char type[24];

	/* EINVAL: the kernel holds no such entry */
	if (rct_root_line(r, type, sizeof(type), "%s/gid_attrs/types/%s", port, index))
		return RCT_GID_UNSET;
	if (!strcmp(type, "RoCE v2"))
		return RCT_GID_V2;
	if (!strncmp(type, "IB", 2))
		return ethernet ? RCT_GID_V1 : RCT_GID_IB;
	return RCT_GID_UNSET;
}

static bool is_zero(const u8 addr[16])
{
	static const u8 zero[16];

	return !memcmp(addr, zero, sizeof(zero));
}

static int read_gid(const struct rct_root *r, const char *port, const char *index,
		    struct rct_nic *n)
{
	char line[64], *end;
	unsigned long i = strtoul(index, &end, 10);
	struct rct_gid *g;
	u8 addr[16];

	if (end == index || *end || i >= GIDS_MAX ||
	    rct_root_line(r, line, sizeof(line), "%s/gids/%s", port, index) ||
	    !rct_gid_parse(line, addr))
		return 0;
	g = RCT_FACTS_ADD(n->gids, n->n_gids);
	if (!g)
		return -ENOMEM;
	g->index = i;
	memcpy(g->addr, addr, sizeof(g->addr));
	if (is_zero(addr))
		return 0;
	g->type = gid_type(r, port, index, strcmp(n->link_layer, "InfiniBand"));
	rct_root_line(r, g->ndev, sizeof(g->ndev), "%s/gid_attrs/ndevs/%s", port, index);
	return 0;
}

static int read_gids(const struct rct_root *r, const char *port, struct rct_nic *n)
{
	char **names;
	size_t count;
	int rc = 0;

	if (rct_root_list(r, &names, &count, "%s/gids", port))
		return 0;
	for (size_t i = 0; i < count && !rc; i++)
		rc = read_gid(r, port, names[i], n);
	rct_names_free(names, count);
	return rc;
}

/* ---------------------------------------------------------------- counters */

static bool parse_u64(const char *line, u64 *ret)
{
	char *end;

	if (*line < '0' || *line > '9')
		return false;
	errno = 0;
	*ret = strtoull(line, &end, 10);
	return !errno && !end[strspn(end, " \t\r")];
}

int rct_read_counter(const struct rct_root *r, const char *dir, const char *file,
		     enum rct_counter_group group, struct rct_counter **list, u32 *n)
{
	char line[64];
	struct rct_counter *c;
	u64 value;
	int rc;

	if (strlen(file) >= sizeof(c->name))
		return 0;
	rc = rct_root_line(r, line, sizeof(line), "%s/%s", dir, file);
	if (rct_have_of(rc) == RCT_ABSENT)
		return 0;
	c = RCT_FACTS_ADD(*list, *n);
	if (!c)
		return -ENOMEM;
	c->group = group;
	strcpy(c->name, file);
	c->have = RCT_UNREADABLE;
	if (!rc && parse_u64(line, &value)) {
		c->value = value;
		c->have = RCT_THERE;
	}
	return 0;
}

/* All files of a folder. *have: RCT_UNREADABLE where it is there and none of it has a number. */
static int read_folder(const struct rct_root *r, const char *dir, enum rct_counter_group group,
		       struct rct_nic *n, enum rct_have *have)
{
	char **names;
	size_t count;
	u32 from = n->n_counters;
	int rc = rct_root_list(r, &names, &count, "%s", dir);

	if (rc) {
		*have = rct_have_of(rc);
		return 0;
	}
	for (size_t i = 0; i < count && !rc; i++) {
		/* how long the kernel keeps the values, not a value */
		if (strcmp(names[i], "lifespan"))
			rc = rct_read_counter(r, dir, names[i], group, &n->counters, &n->n_counters);
	}
	rct_names_free(names, count);
	*have = RCT_UNREADABLE;
	for (u32 i = from; i < n->n_counters; i++) {
		if (n->counters[i].have == RCT_THERE)
			*have = RCT_THERE;
	}
	return rc;
}

static int read_counters(const struct rct_root *r, const char *dir, const char *port,
			 struct rct_nic *n)
{
	char folder[PATH_MAX];
	enum rct_have device;
	int rc;

	rct_path(folder, "%s/hw_counters", port);
	rc = read_folder(r, folder, RCT_G_HW, n, &n->hw_counters);
	if (rc)
		return rc;
	rct_path(folder, "%s/counters", port);
	rc = read_folder(r, folder, RCT_G_PORT, n, &n->port_counters);
	if (rc)
		return rc;
	/* those of the device as a whole, as of efa and mana */
	rct_path(folder, "%s/hw_counters", dir);
	rc = read_folder(r, folder, RCT_G_HW, n, &device);
	if (device > n->hw_counters)
		n->hw_counters = device;
	return rc;
}

/* -------------------------------------------------------------------- port */

struct rct_num rct_rate_parse(const char *line)
{
	struct rct_num ret = { .have = RCT_UNREADABLE };
	double gbit;
	char unit[16];

	if (sscanf(line, "%lf %15s", &gbit, unit) == 2 && !strcmp(unit, "Gb/sec") && gbit > 0 &&
	    gbit < 1e6) {
		ret.have = RCT_THERE;
		ret.v = (s64)(gbit * 1000 + 0.5);
	}
	return ret;
}

/* "4: ACTIVE": what stands behind the number. */
static void read_state(const struct rct_root *r, const char *port, const char *file, char *ret,
		       size_t size)
{
	char line[64], *word;

	rct_root_line(r, line, sizeof(line), "%s/%s", port, file);
	word = strchr(line, ':');
	word = word ? word + 1 : line;
	snprintf(ret, size, "%.*s", (int)(size - 1), word + strspn(word, " "));
}

/* The traffic class that overrides what applications ask for, or that rdma_cm gives. */
static struct rct_num read_traffic_class(const struct rct_root *r, const char *dir,
					 const struct rct_nic *n)
{
	char line[64], folder[PATH_MAX];
	struct rct_num ret = { .have = RCT_THERE };
	int tc;

	if (!rct_root_line(r, line, sizeof(line), "%s/tc/%u/traffic_class", dir, n->port) &&
	    (sscanf(line, "Global tclass=%d", &tc) == 1 || sscanf(line, "%d", &tc) == 1)) {
		ret.v = tc;
		return ret;
	}
	rct_path(folder, "sys/kernel/config/rdma_cm/%s/ports/%u", n->dev, n->port);
	return rct_num_of(r, folder, "default_roce_tos");
}

/* The interface that most addresses of low index are of: VLANs' are above the port's own. */
static void name_by_gids(struct rct_nic *n)
{
	for (u32 i = 0; i < n->n_gids && !*n->ifname; i++) {
		if (n->gids[i].type != RCT_GID_UNSET)
			memcpy(n->ifname, n->gids[i].ndev, sizeof(n->ifname));
	}
}

/* device/net: more than one where ports of a device share a PCI function; dev_port counts from 0. */
static void name_by_device(const struct rct_root *r, const char *dir, struct rct_nic *n)
{
	char folder[PATH_MAX], **names;
	struct rct_num port;
	size_t count;

	if (rct_root_list(r, &names, &count, "%s/device/net", dir))
		return;
	for (size_t i = 0; i < count && !*n->ifname; i++) {
		rct_path(folder, "sys/class/net/%s", names[i]);
		port = rct_num_of(r, folder, "dev_port");
		if (strlen(names[i]) < sizeof(n->ifname) &&
		    (count == 1 || (port.have == RCT_THERE && port.v + 1 == n->port)))
			strcpy(n->ifname, names[i]);
	}
	rct_names_free(names, count);
}

static void read_port_name(const struct rct_root *r, const char *dir, struct rct_nic *n)
{
	name_by_gids(n);
	if (!*n->ifname)
		rct_root_line(r, n->ifname, sizeof(n->ifname), "%s/parent", dir);
	if (!*n->ifname)
		name_by_device(r, dir, n);
}

static int read_port(const struct rct_root *r, const char *dir, struct rct_nic *n)
{
	char port[PATH_MAX], line[64];
	int rc;

	rct_path(port, "%s/ports/%u", dir, n->port);
	read_state(r, port, "state", n->state, sizeof(n->state));
	read_state(r, port, "phys_state", n->phys_state, sizeof(n->phys_state));
	rct_root_line(r, n->link_layer, sizeof(n->link_layer), "%s/link_layer", port);
	rc = rct_root_line(r, line, sizeof(line), "%s/rate", port);
	n->rate_mbps = rct_rate_parse(line);
	if (rc)
		n->rate_mbps.have = rct_have_of(rc);
	rc = read_gids(r, port, n);
	if (!rc)
		rc = read_counters(r, dir, port, n);
	n->traffic_class = read_traffic_class(r, dir, n);
	n->readable = *n->node_type || *n->fw || *n->state || *n->link_layer || n->n_gids ||
		      n->hw_counters == RCT_THERE || n->port_counters == RCT_THERE;
	read_port_name(r, dir, n);
	return rc;
}

static int add_port(const struct rct_root *r, const char *dev, u32 port, struct rct_facts *f)
{
	char dir[PATH_MAX], folder[PATH_MAX];
	struct rct_nic *n = RCT_FACTS_ADD(f->nics, f->n_nics);

	if (!n)
		return -ENOMEM;
	n->port = port;
	n->netif = -1;
	snprintf(n->dev, sizeof(n->dev), "%s", dev);
	rct_path(dir, "sys/class/infiniband/%s", dev);
	rct_root_line(r, n->fw, sizeof(n->fw), "%s/fw_ver", dir);
	read_state(r, dir, "node_type", n->node_type, sizeof(n->node_type));
	read_driver(r, dir, n);
	rct_pci_folder(r, dir, folder, n->pci);
	n->node = rct_node_of(r, folder);
	return read_port(r, dir, n);
}

/* A device whose ports can't be listed is there all the same, as port 1 of nothing readable. */
static int read_device(const struct rct_root *r, const char *dev, struct rct_facts *f)
{
	char **ports, *end;
	unsigned long port;
	u32 before = f->n_nics;
	size_t count;
	int rc = 0;

	if (rct_root_list(r, &ports, &count, "sys/class/infiniband/%s/ports", dev))
		return add_port(r, dev, 1, f);
	for (size_t i = 0; i < count && !rc; i++) {
		port = strtoul(ports[i], &end, 10);
		if (end != ports[i] && !*end && port && port <= PORTS_MAX)
			rc = add_port(r, dev, port, f);
	}
	rct_names_free(ports, count);
	if (!rc && f->n_nics == before)
		rc = add_port(r, dev, 1, f);
	return rc;
}

int rct_read_nics(const struct rct_root *r, struct rct_facts *f)
{
	char **names;
	size_t n;
	int rc = 0;

	if (rct_root_list(r, &names, &n, "sys/class/infiniband"))
		return 0;
	for (size_t i = 0; i < n && !rc; i++) {
		if (strlen(names[i]) < sizeof(f->nics->dev))
			rc = read_device(r, names[i], f);
	}
	rct_names_free(names, n);
	return rc;
}
