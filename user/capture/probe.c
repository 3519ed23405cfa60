// SPDX-License-Identifier: BSD-2-Clause
#include "capture/probe.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "capture/trial.h"
#include "sysinfo/rdma.h"

/* ------------------------------------------------------ answers, tried once */

struct answer {
	bool tried, yes;
};

static bool once(struct answer *a, int (*trial)(void))
{
	if (!a->tried) {
		a->yes = !trial();
		a->tried = true;
	}
	return a->yes;
}

bool rct_probe_dynptr(void)
{
	static struct answer a;

	return once(&a, rct_trial_dynptr);
}

bool rct_probe_tcx(void)
{
	static struct answer a;

	return once(&a, rct_trial_tcx);
}

bool rct_probe_buff_len(void)
{
	static struct answer a;

	return once(&a, rct_trial_buff_len);
}

bool rct_probe_frag0(void)
{
	static struct answer a;

	return once(&a, rct_trial_frag0);
}

/* -------------------------------------------------------------- interfaces */

/* One of the ioctls that take an interface's name. 0 or -errno. */
static int ask_iface(const char *ifname, unsigned long what, struct ifreq *r)
{
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), rc;

	if (s < 0)
		return -errno;
	snprintf(r->ifr_name, sizeof(r->ifr_name), "%.15s", ifname);
	rc = ioctl(s, what, r) ? -errno : 0;
	close(s);
	return rc;
}

bool rct_iface_up(const char *ifname)
{
	struct rct_iface_look look;

	return !rct_iface_look(ifname, &look) && look.up;
}

bool rct_iface_driver(const char *ifname, char *ret, size_t size)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	struct ifreq r = { .ifr_data = (char *)&info };

	*ret = '\0';
	if (ask_iface(ifname, SIOCETHTOOL, &r))
		return false;
	snprintf(ret, size, "%s", info.driver);
	return *ret;
}

int rct_iface_look(const char *ifname, struct rct_iface_look *ret)
{
	struct ifreq r = {};
	int rc = ask_iface(ifname, SIOCGIFFLAGS, &r);

	memset(ret, 0, sizeof(*ret));
	if (rc)
		return rc;
	ret->up = r.ifr_flags & IFF_UP;
	ret->running = r.ifr_flags & IFF_RUNNING;
	ret->loopback = r.ifr_flags & IFF_LOOPBACK;
	rc = ask_iface(ifname, SIOCGIFMTU, &r);
	if (rc)
		return rc;
	ret->mtu = r.ifr_mtu;
	rct_iface_driver(ifname, ret->driver, sizeof(ret->driver));
	return 0;
}

static int add_name(char (*names)[RCT_IFNAME], int n, int max, const char *name)
{
	for (int i = 0; i < n; i++) {
		if (!strcmp(names[i], name))
			return n;
	}
	if (n < max)
		snprintf(names[n++], RCT_IFNAME, "%.15s", name);
	return n;
}

/* 0: both are there and to be freed; or -errno. */
static int read_rdma(struct rct_root *root, struct rct_rdma_list *l)
{
	int rc = rct_root_open(root, NULL, NULL);

	if (rc)
		return rc;
	rc = rct_rdma_read(root, l, NULL);
	if (rc)
		rct_root_close(root);
	return rc;
}

static int rdma_interfaces(char (*names)[RCT_IFNAME], int max)
{
	struct rct_rdma_list l;
	struct rct_root root;
	int n = 0;

	if (read_rdma(&root, &l))
		return 0;
	for (size_t i = 0; i < l.n; i++) {
		const struct rct_rdma *d = &l.v[i];

		if (d->kind != RCT_RDMA_ROCE && d->kind != RCT_RDMA_SOFT)
			continue;
		for (u32 k = 0; k < d->n_netdevs; k++) {
			if (if_nametoindex(d->netdev[k]))
				n = add_name(names, n, max, d->netdev[k]);
		}
	}
	rct_rdma_free(&l);
	rct_root_close(&root);
	return n;
}

int rct_default_interfaces(char (*names)[RCT_IFNAME], int max)
{
	struct if_nameindex *list;
	int n = rdma_interfaces(names, max);
	struct rct_iface_look look;

	if (n)
		return n;
	list = if_nameindex();
	for (struct if_nameindex *i = list; i && i->if_index; i++) {
		if (!rct_iface_look(i->if_name, &look) && look.up && !look.loopback)
			n = add_name(names, n, max, i->if_name);
	}
	if (list)
		if_freenameindex(list);
	return n;
}

bool rct_iface_offloads(const char *ifname, char *ret_dev, size_t size)
{
	const struct rct_rdma *d;
	struct rct_rdma_list l;
	struct rct_root root;
	bool yes = false;

	if (read_rdma(&root, &l))
		return false;
	d = rct_rdma_of(&root, &l, ifname);
	if (d && d->kind == RCT_RDMA_ROCE) {
		yes = true;
		snprintf(ret_dev, size, "%s", d->name);
	}
	rct_rdma_free(&l);
	rct_root_close(&root);
	return yes;
}
