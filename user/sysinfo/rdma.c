// SPDX-License-Identifier: BSD-2-Clause
#include "sysinfo/rdma.h"

#include <errno.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/nl.h"

/* A device of a NIC may lie below a VLAN, and that below a bridge; deeper is a loop. */
#define LAYERS	4

static const char *const kind_names[] = {
	[RCT_RDMA_UNKNOWN] = "unknown",
	[RCT_RDMA_ROCE] = "RoCE",
	[RCT_RDMA_SOFT] = "soft-RoCE",
	[RCT_RDMA_SOFT_IWARP] = "software iWARP",
	[RCT_RDMA_IWARP] = "iWARP",
	[RCT_RDMA_IB] = "not Ethernet",
};

const char *rct_rdma_kind_name(enum rct_rdma_kind kind)
{
	return kind_names[kind];
}

static void add_netdev(struct rct_rdma *d, const char *name)
{
	if (!*name)
		return;
	for (u32 i = 0; i < d->n_netdevs; i++) {
		if (!strcmp(d->netdev[i], name))
			return;
	}
	if (d->n_netdevs < RCT_RDMA_NETDEVS)
		snprintf(d->netdev[d->n_netdevs++], RCT_IFNAME, "%.15s", name);
}

/* ---------------------------------------------------------- RDMA netlink */

#define NLDEV(cmd)	RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_##cmd)

struct port_search {
	const char *name;	/* looked for */
	u32 index;		/* found */
	bool found;
	struct rct_rdma *dev;
};

static int on_device(const struct nlmsghdr *h, void *arg)
{
	struct port_search *s = arg;
	const struct nlattr *a;
	u32 index = 0;
	bool mine = false;

	mnl_attr_for_each(a, h, 0) {
		if (mnl_attr_get_type(a) == RDMA_NLDEV_ATTR_DEV_INDEX)
			index = mnl_attr_get_u32(a);
		else if (mnl_attr_get_type(a) == RDMA_NLDEV_ATTR_DEV_NAME)
			mine = !strcmp(mnl_attr_get_str(a), s->name);
	}
	if (mine) {
		s->found = true;
		s->index = index;
	}
	return MNL_CB_OK;
}

static int on_port(const struct nlmsghdr *h, void *arg)
{
	struct port_search *s = arg;
	const struct nlattr *a;

	mnl_attr_for_each(a, h, 0) {
		if (mnl_attr_get_type(a) == RDMA_NLDEV_ATTR_NDEV_NAME)
			add_netdev(s->dev, mnl_attr_get_str(a));
	}
	return MNL_CB_OK;
}

/* Looks through the devices. On 0 the socket is open, and the caller's. */
static int ask_devices(struct rct_nl *nl, struct port_search *s)
{
	union rct_nl_msg m;
	int rc = rct_nl_open(nl, NETLINK_RDMA, NULL);

	if (rc)
		return rc;
	rct_nl_begin(&m, NLDEV(GET), NLM_F_DUMP, 0);
	rc = rct_nl_talk(nl, &m, on_device, s);
	if (rc)
		rct_nl_close(nl);
	return rc;
}

/*
 * The interface of a software device, if it is in this network namespace. Not for
 * adapters: it makes their driver ask the firmware. 0, or -errno: no answer.
 */
static int netlink_netdevs(struct rct_rdma *d)
{
	struct port_search s = { .name = d->name, .dev = d };
	union rct_nl_msg m;
	struct rct_nl nl;
	int rc = ask_devices(&nl, &s);

	if (rc)
		return rc;
	rct_nl_begin(&m, NLDEV(PORT_GET), NLM_F_DUMP, 0);
	mnl_attr_put_u32(&m.h, RDMA_NLDEV_ATTR_DEV_INDEX, s.index);
	rc = s.found ? rct_nl_talk(&nl, &m, on_port, &s) : -ENODEV;
	rct_nl_close(&nl);
	return rc;
}

int rct_rdma_netlink(void)
{
	struct port_search s = { .name = "" };
	struct rct_nl nl;
	int rc = ask_devices(&nl, &s);

	if (!rc)
		rct_nl_close(&nl);
	return rc;
}

/* ------------------------------------------------------------------- sysfs */

/* What the device of a class sits on. False: on nothing, it is software. */
static bool read_bus(const struct rct_root *r, const char *class, const char *name, char *ret, size_t size)
{
	return !rct_root_link(r, ret, size, "sys/class/%s/%s/device", class, name);
}

/* The interfaces of the addresses on a port. */
static void read_gid_netdevs(const struct rct_root *r, const char *port, struct rct_rdma *d)
{
	char name[RCT_IFNAME + 1], **gids;
	size_t n;

	if (rct_root_list(r, &gids, &n, "sys/class/infiniband/%s/ports/%s/gid_attrs/ndevs", d->name, port))
		return;
	for (size_t i = 0; i < n; i++) {
		if (!rct_root_line(r, name, sizeof(name), "sys/class/infiniband/%s/ports/%s/gid_attrs/ndevs/%s",
				   d->name, port, gids[i]))
			add_netdev(d, name);
	}
	rct_names_free(gids, n);
}

/* What this interface lies on, each as each(name) sees it, until that is true. */
static bool any_lower(const struct rct_root *r, const char *ifname, bool (*each)(const char *lower, void *arg),
		      void *arg)
{
	bool found = false;
	char **names;
	size_t n;

	if (rct_root_list(r, &names, &n, "sys/class/net/%s", ifname))
		return false;
	for (size_t i = 0; i < n && !found; i++)
		found = !strncmp(names[i], "lower_", 6) && each(names[i] + 6, arg);
	rct_names_free(names, n);
	return found;
}

static bool is_there(const char *lower, void *arg)
{
	(void)lower;
	(void)arg;
	return true;
}

/*
 * sysfs tells the names of other network namespaces' interfaces too, and eth0 may
 * be somebody else here: ours lie on the adapter, or upon other interfaces.
 */
static bool ours(const struct rct_root *r, const struct rct_rdma *d, const char *ifname)
{
	char bus[sizeof(d->bus)];

	if (read_bus(r, "net", ifname, bus, sizeof(bus)))
		return !strcmp(bus, d->bus);
	return any_lower(r, ifname, is_there, NULL);
}

static void drop_foreign(const struct rct_root *r, struct rct_rdma *d)
{
	u32 n = 0;

	for (u32 i = 0; i < d->n_netdevs; i++) {
		if (!ours(r, d, d->netdev[i]))
			continue;
		if (i != n)
			memcpy(d->netdev[n], d->netdev[i], RCT_IFNAME);
		n++;
	}
	d->n_netdevs = n;
}

/* Interfaces, by who knows best: the device's addresses, rxe's own file, the shared PCI function. */
static void sysfs_netdevs(const struct rct_root *r, struct rct_rdma *d)
{
	char parent[RCT_IFNAME + 1], **names;
	size_t n;

	if (!rct_root_list(r, &names, &n, "sys/class/infiniband/%s/ports", d->name)) {
		for (size_t i = 0; i < n; i++)
			read_gid_netdevs(r, names[i], d);
		rct_names_free(names, n);
	}
	if (!rct_root_line(r, parent, sizeof(parent), "sys/class/infiniband/%s/parent", d->name))
		add_netdev(d, parent);
	if (!rct_root_captured(r) && *d->bus)
		drop_foreign(r, d);
	if (d->n_netdevs || rct_root_list(r, &names, &n, "sys/class/infiniband/%s/device/net", d->name))
		return;
	for (size_t i = 0; i < n; i++)
		add_netdev(d, names[i]);
	rct_names_free(names, n);
}

static enum rct_rdma_kind kind_of(const char *layer, const char *type, bool soft)
{
	bool rnic = strstr(type, "RNIC");

	if (!*layer)
		return RCT_RDMA_UNKNOWN;
	if (strcmp(layer, "Ethernet"))
		return RCT_RDMA_IB;
	if (soft)
		return rnic ? RCT_RDMA_SOFT_IWARP : RCT_RDMA_SOFT;
	return rnic ? RCT_RDMA_IWARP : RCT_RDMA_ROCE;
}

static void read_device(const struct rct_root *r, struct rct_rdma *d)
{
	char layer[32], type[32];
	bool soft = !read_bus(r, "infiniband", d->name, d->bus, sizeof(d->bus));

	rct_root_line(r, layer, sizeof(layer), "sys/class/infiniband/%s/ports/1/link_layer", d->name);
	rct_root_line(r, type, sizeof(type), "sys/class/infiniband/%s/node_type", d->name);
	rct_root_line(r, d->firmware, sizeof(d->firmware), "sys/class/infiniband/%s/fw_ver", d->name);
	d->kind = kind_of(layer, type, soft);
	if (d->kind == RCT_RDMA_SOFT)
		snprintf(d->driver, sizeof(d->driver), "rdma_rxe");
	else if (d->kind == RCT_RDMA_SOFT_IWARP)
		snprintf(d->driver, sizeof(d->driver), "siw");
	else
		rct_root_uevent(r, d->driver, sizeof(d->driver), "DRIVER", "sys/class/infiniband/%s/device", d->name);
	/* rxe and siw are asked: sysfs has their interface by name alone, or not at all */
	if (rct_root_captured(r) || !soft || netlink_netdevs(d))
		sysfs_netdevs(r, d);
}

/* -------------------------------------------------------------------- list */

int rct_rdma_read(const struct rct_root *r, struct rct_rdma_list *ret, struct rct_err *err)
{
	char **names;
	size_t n;

	memset(ret, 0, sizeof(*ret));
	if (rct_root_list(r, &names, &n, "sys/class/infiniband"))
		return 0;
	ret->v = calloc(n ? n : 1, sizeof(*ret->v));
	if (!ret->v) {
		rct_names_free(names, n);
		return rct_fail(err, ENOMEM, "out of memory");
	}
	for (size_t i = 0; i < n; i++) {
		struct rct_rdma *d = &ret->v[ret->n++];

		snprintf(d->name, sizeof(d->name), "%s", names[i]);
		read_device(r, d);
	}
	rct_names_free(names, n);
	return 0;
}

void rct_rdma_free(struct rct_rdma_list *l)
{
	free(l->v);
	memset(l, 0, sizeof(*l));
}

/* ------------------------------------------------------- interface to device */

/*
 * Is sysfs about this network namespace? Who entered one without mounting sysfs anew
 * (nsenter -n) has another's, and an eth0 there that isn't ours.
 */
static bool sysfs_knows(const struct rct_root *r, const char *ifname)
{
	int64_t index;

	if (rct_root_captured(r))
		return true;
	return !rct_root_number(r, &index, "sys/class/net/%s/ifindex", ifname) && index == if_nametoindex(ifname);
}

static const struct rct_rdma *device_of(const struct rct_root *r, const struct rct_rdma_list *l,
					const char *ifname)
{
	char bus[sizeof(l->v->bus)];

	for (size_t i = 0; i < l->n; i++) {
		const struct rct_rdma *d = &l->v[i];

		for (u32 k = 0; k < d->n_netdevs; k++) {
			if (!strcmp(d->netdev[k], ifname))
				return d;
		}
	}
	/* a bond's member: the device names the bond alone */
	if (!sysfs_knows(r, ifname) || !read_bus(r, "net", ifname, bus, sizeof(bus)))
		return NULL;
	for (size_t i = 0; i < l->n; i++) {
		if (!strcmp(l->v[i].bus, bus))
			return &l->v[i];
	}
	return NULL;
}

struct descent {
	const struct rct_root *root;
	const struct rct_rdma_list *list;
	const struct rct_rdma *found;
	int depth;
};

static bool descend(const char *ifname, void *arg)
{
	struct descent *d = arg;

	d->found = device_of(d->root, d->list, ifname);
	if (d->found || d->depth == LAYERS)
		return d->found;
	d->depth++;
	any_lower(d->root, ifname, descend, d);
	d->depth--;
	return d->found;
}

const struct rct_rdma *rct_rdma_of(const struct rct_root *r, const struct rct_rdma_list *l,
				   const char *ifname)
{
	struct descent d = { .root = r, .list = l };

	if (l->n)
		descend(ifname, &d);
	return d.found;
}

/* ------------------------------------------------------------------- origin */

enum rct_origin rct_module_origin(const struct rct_root *r, const char *module, char *ret_version,
				  size_t size)
{
	char taint[16];

	rct_root_line(r, ret_version, size, "sys/module/%s/version", module);
	if (!rct_root_exists(r, "sys/module/%s", module))
		return RCT_ORIGIN_UNKNOWN;
	/* no such file: part of the kernel's own image, and nothing there to taint */
	if (rct_root_line(r, taint, sizeof(taint), "sys/module/%s/taint", module))
		return RCT_ORIGIN_KERNEL;
	return strchr(taint, 'O') ? RCT_ORIGIN_OTHER : RCT_ORIGIN_KERNEL;
}
