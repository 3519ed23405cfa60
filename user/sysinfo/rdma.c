// SPDX-License-Identifier: BSD-2-Clause
#include "sysinfo/rdma.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <rdma/rdma_netlink.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

/* ------------------------------------------------------------------- sysfs */

/* Writes a path; one that is too long is cut, and then names nothing. */
__attribute__((format(printf, 2, 3)))
static void make_path(char ret[PATH_MAX], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(ret, PATH_MAX, fmt, ap);
	va_end(ap);
}

/* The first line of dir/name, without its end. False and "" where it can't be read. */
static bool read_line(const char *dir, const char *name, char *ret, size_t size)
{
	char path[PATH_MAX];
	bool ok;
	FILE *f;

	*ret = '\0';
	make_path(path, "%s/%s", dir, name);
	f = fopen(path, "re");
	if (!f)
		return false;
	ok = fgets(ret, size, f);
	if (!ok)
		*ret = '\0';
	ret[strcspn(ret, "\n")] = '\0';
	fclose(f);
	return ok;
}

/* KEY=value of a device's uevent file. */
static void read_uevent(const char *dir, const char *key, char *ret, size_t size)
{
	char path[PATH_MAX], line[256];
	size_t len = strlen(key);
	FILE *f;

	*ret = '\0';
	make_path(path, "%s/uevent", dir);
	f = fopen(path, "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, len) || line[len] != '=')
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(ret, size, "%s", line + len + 1);
		break;
	}
	fclose(f);
}

/* What the device of a class sits on: its link's last part; in a copy without links, the slot. */
static bool read_bus(const char *root, const char *class, const char *name, char *ret, size_t size)
{
	char path[PATH_MAX], to[PATH_MAX];
	const char *last;
	ssize_t n;

	make_path(path, "%s/sys/class/%s/%s/device", root, class, name);
	n = readlink(path, to, sizeof(to) - 1);
	if (n < 0) {
		read_uevent(path, "PCI_SLOT_NAME", ret, size);
		return *ret;
	}
	to[n] = '\0';
	last = strrchr(to, '/');
	snprintf(ret, size, "%.63s", last ? last + 1 : to);
	return true;
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

/* Calls each with every name in a folder. */
static void for_names(const char *dir, void (*each)(const char *dir, const char *name, void *arg),
		      void *arg)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		if (e->d_name[0] != '.')
			each(dir, e->d_name, arg);
	}
	if (d)
		closedir(d);
}

static void take_netdev(const char *dir, const char *name, void *arg)
{
	(void)dir;
	add_netdev(arg, name);
}

static void take_gid_netdev(const char *dir, const char *gid, void *arg)
{
	char name[RCT_IFNAME + 1];

	if (read_line(dir, gid, name, sizeof(name)))
		add_netdev(arg, name);
}

static void take_port(const char *dir, const char *port, void *arg)
{
	char path[PATH_MAX];

	make_path(path, "%s/%s/gid_attrs/ndevs", dir, port);
	for_names(path, take_gid_netdev, arg);
}

static void see_lower(const char *dir, const char *name, void *arg)
{
	(void)dir;
	*(bool *)arg |= !strncmp(name, "lower_", 6);
}

/*
 * sysfs tells the names of other network namespaces' interfaces too, and eth0 may
 * be somebody else here: ours lie on the adapter, or upon other interfaces.
 */
static bool ours(const struct rct_rdma *d, const char *ifname)
{
	char dir[PATH_MAX], bus[64];
	bool upon = false;

	if (read_bus("", "net", ifname, bus, sizeof(bus)))
		return !strcmp(bus, d->bus);
	make_path(dir, "/sys/class/net/%s", ifname);
	for_names(dir, see_lower, &upon);
	return upon;
}

static void drop_foreign(struct rct_rdma *d)
{
	u32 n = 0;

	for (u32 i = 0; i < d->n_netdevs; i++) {
		if (!ours(d, d->netdev[i]))
			continue;
		if (i != n)
			memcpy(d->netdev[n], d->netdev[i], RCT_IFNAME);
		n++;
	}
	d->n_netdevs = n;
}

/* Interfaces, by who knows best: the device's addresses, rxe's own file, the shared PCI function. */
static void sysfs_netdevs(const char *root, struct rct_rdma *d)
{
	char dir[PATH_MAX], path[PATH_MAX], parent[RCT_IFNAME + 1];

	make_path(dir, "%s/sys/class/infiniband/%s", root, d->name);
	make_path(path, "%s/ports", dir);
	for_names(path, take_port, d);
	if (read_line(dir, "parent", parent, sizeof(parent)))
		add_netdev(d, parent);
	if (!*root && *d->bus)
		drop_foreign(d);
	if (d->n_netdevs)
		return;
	make_path(path, "%s/device/net", dir);
	for_names(path, take_netdev, d);
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

static void read_device(const char *root, struct rct_rdma *d)
{
	char dir[PATH_MAX], path[PATH_MAX], layer[32], type[32];
	bool soft;

	make_path(dir, "%s/sys/class/infiniband/%s", root, d->name);
	read_line(dir, "ports/1/link_layer", layer, sizeof(layer));
	read_line(dir, "node_type", type, sizeof(type));
	read_line(dir, "fw_ver", d->firmware, sizeof(d->firmware));
	soft = !read_bus(root, "infiniband", d->name, d->bus, sizeof(d->bus));
	d->kind = kind_of(layer, type, soft);
	if (d->kind == RCT_RDMA_SOFT)
		snprintf(d->driver, sizeof(d->driver), "rdma_rxe");
	else if (d->kind == RCT_RDMA_SOFT_IWARP)
		snprintf(d->driver, sizeof(d->driver), "siw");
	make_path(path, "%s/device", dir);
	if (!soft)
		read_uevent(path, "DRIVER", d->driver, sizeof(d->driver));
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

/*
 * The interface of a software device, if it is in this network namespace. Not for
 * adapters: it makes their driver ask the firmware. 0, or -errno: no answer.
 */
static int netlink_netdevs(struct rct_rdma *d)
{
	struct port_search s = { .name = d->name, .dev = d };
	union rct_nl_msg m;
	struct rct_nl nl;
	int rc = rct_nl_open(&nl, NETLINK_RDMA, NULL);

	if (rc)
		return rc;
	rct_nl_begin(&m, NLDEV(GET), NLM_F_DUMP, 0);
	rc = rct_nl_talk(&nl, &m, on_device, &s);
	if (!rc && !s.found)
		rc = -ENODEV;
	if (!rc) {
		rct_nl_begin(&m, NLDEV(PORT_GET), NLM_F_DUMP, 0);
		mnl_attr_put_u32(&m.h, RDMA_NLDEV_ATTR_DEV_INDEX, s.index);
		rc = rct_nl_talk(&nl, &m, on_port, &s);
	}
	rct_nl_close(&nl);
	return rc;
}

int rct_rdma_netlink(void)
{
	struct port_search s = { .name = "" };
	union rct_nl_msg m;
	struct rct_nl nl;
	int rc = rct_nl_open(&nl, NETLINK_RDMA, NULL);

	if (rc)
		return rc;
	rct_nl_begin(&m, NLDEV(GET), NLM_F_DUMP, 0);
	rc = rct_nl_talk(&nl, &m, on_device, &s);
	rct_nl_close(&nl);
	return rc;
}

/* -------------------------------------------------------------------- list */

struct listing {
	const char *root;
	struct rct_rdma_list *list;
	int rc;
};

static void take_device(const char *dir, const char *name, void *arg)
{
	struct listing *l = arg;
	struct rct_rdma *d, *v = realloc(l->list->v, (l->list->n + 1) * sizeof(*v));

	(void)dir;
	if (!v) {
		l->rc = -ENOMEM;
		return;
	}
	l->list->v = v;
	d = &v[l->list->n++];
	memset(d, 0, sizeof(*d));
	snprintf(d->name, sizeof(d->name), "%.63s", name);
	read_device(l->root, d);
	if (*l->root || *d->bus || netlink_netdevs(d))
		sysfs_netdevs(l->root, d);
}

static int by_name(const void *a, const void *b)
{
	return strverscmp(((const struct rct_rdma *)a)->name, ((const struct rct_rdma *)b)->name);
}

int rct_rdma_read(const char *root, struct rct_rdma_list *ret, struct rct_err *err)
{
	struct listing l = { .root = root, .list = ret };
	char dir[PATH_MAX];

	memset(ret, 0, sizeof(*ret));
	make_path(dir, "%s/sys/class/infiniband", root);
	for_names(dir, take_device, &l);
	if (l.rc) {
		rct_rdma_free(ret);
		return rct_fail(err, -l.rc, "out of memory");
	}
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_name);
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
static bool sysfs_knows(const char *root, const char *ifname)
{
	char dir[PATH_MAX], line[32];

	make_path(dir, "%s/sys/class/net/%s", root, ifname);
	if (*root)
		return true;
	return read_line(dir, "ifindex", line, sizeof(line)) && strtoul(line, NULL, 10) == if_nametoindex(ifname);
}

static const struct rct_rdma *device_of(const char *root, const struct rct_rdma_list *l,
					const char *ifname)
{
	char bus[64];
	bool has_bus = sysfs_knows(root, ifname) && read_bus(root, "net", ifname, bus, sizeof(bus));

	for (size_t i = 0; i < l->n; i++) {
		const struct rct_rdma *d = &l->v[i];

		for (u32 k = 0; k < d->n_netdevs; k++) {
			if (!strcmp(d->netdev[k], ifname))
				return d;
		}
	}
	/* a bond's member: the device names the bond alone */
	for (size_t i = 0; has_bus && i < l->n; i++) {
		if (!strcmp(l->v[i].bus, bus))
			return &l->v[i];
	}
	return NULL;
}

struct descent {
	const char *root;
	const struct rct_rdma_list *list;
	const struct rct_rdma *found;
	int depth;
};

static void descend(struct descent *d, const char *ifname);

static void take_lower(const char *dir, const char *name, void *arg)
{
	struct descent *d = arg;

	(void)dir;
	if (!d->found && !strncmp(name, "lower_", 6))
		descend(d, name + 6);
}

static void descend(struct descent *d, const char *ifname)
{
	char dir[PATH_MAX];

	d->found = device_of(d->root, d->list, ifname);
	if (d->found || d->depth == LAYERS)
		return;
	d->depth++;
	make_path(dir, "%s/sys/class/net/%s", d->root, ifname);
	for_names(dir, take_lower, d);
	d->depth--;
}

const struct rct_rdma *rct_rdma_of(const char *root, const struct rct_rdma_list *l,
				   const char *ifname)
{
	struct descent d = { .root = root, .list = l };

	if (l->n)
		descend(&d, ifname);
	return d.found;
}

/* ------------------------------------------------------------------- origin */

enum rct_origin rct_module_origin(const char *root, const char *module, char *ret_version,
				  size_t size)
{
	char taint[16], dir[PATH_MAX];

	make_path(dir, "%s/sys/module/%s", root, module);
	read_line(dir, "version", ret_version, size);
	if (access(dir, F_OK))
		return RCT_ORIGIN_UNKNOWN;
	if (!read_line(dir, "taint", taint, sizeof(taint)))
		/* part of the kernel's own image: nothing there to taint */
		return RCT_ORIGIN_KERNEL;
	return strchr(taint, 'O') ? RCT_ORIGIN_OTHER : RCT_ORIGIN_KERNEL;
}
