// SPDX-License-Identifier: BSD-2-Clause
#include "capture/attach.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/util.h"
#include "capture/clsact.h"
#include "capture/others.h"
#include "capture/probe.h"

#define BEFORE		(1U << 3)	/* BPF_F_BEFORE of Linux 6.6: with nothing named, before all */
#define MOST		8		/* programs in front of ours that are named */

struct rct_attachment {
	u32 ifindex;
	int link[2];			/* rx and tx, or XDP's; -1 */
	struct rct_keeper *keeper;	/* of clsact; else NULL */
};

static struct rct_attachment *new_attachment(u32 ifindex)
{
	struct rct_attachment *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->ifindex = ifindex;
	a->link[0] = a->link[1] = -1;
	return a;
}

const char *rct_attach_advice(int errnum)
{
	switch (errnum) {
	case EPERM:
		return "; run as root, or with CAP_NET_ADMIN, CAP_BPF and CAP_PERFMON";
	case ENODEV:
		return "; the interface went away";
	default:
		return "";
	}
}

/* What makes it partial goes to how->why. */
static struct rct_list partial_list(struct rct_attached *how)
{
	return (struct rct_list){ .text = how->why, .size = sizeof(how->why) };
}

static void xdp_in_front(u32 ifindex, struct rct_list *why)
{
	u32 id = rct_xdp_there(ifindex);
	char name[64];

	if (id)
		rct_list_add(why, "XDP program %s is in front: only what it passes is seen",
			     rct_prog_name(id, name, sizeof(name)));
}

/* --------------------------------------------------------------------- tcx */

static int tcx_link(int prog_fd, u32 ifindex, u32 type, u32 flags)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = flags);
	int fd = bpf_link_create(prog_fd, ifindex, type, &opts);

	return fd < 0 ? -errno : fd;
}

static void tcx_in_front(u32 ifindex, struct rct_list *why)
{
	u32 ids[MOST], n = rct_tcx_there(ifindex, RCT_TCX_EGRESS, ids, MOST);
	char name[64];

	for (u32 i = 0; i < n; i++)
		rct_list_add(why, "tc program %s is in front on transmit: what it drops, redirects or accepts for good isn't seen",
			     rct_prog_name(ids[i], name, sizeof(name)));
}

int rct_attach_tcx(int rx_fd, int tx_fd, u32 ifindex, const char *name,
		   struct rct_attachment **ret, struct rct_attached *how, struct rct_err *err)
{
	struct rct_attachment *a = new_attachment(ifindex);
	struct rct_list why = partial_list(how);
	int rc;

	*how = (struct rct_attached){ .method = "tcx" };
	if (!a)
		return rct_fail(err, ENOMEM, "out of memory");
	xdp_in_front(ifindex, &why);
	tcx_in_front(ifindex, &why);
	how->partial = why.used;
	a->link[0] = rc = tcx_link(rx_fd, ifindex, RCT_TCX_INGRESS, BEFORE);
	if (rc >= 0)
		a->link[1] = rc = tcx_link(tx_fd, ifindex, RCT_TCX_EGRESS, 0);
	if (rc >= 0) {
		*ret = a;
		return 0;
	}
	rct_detach(a);
	if (rc == -EINVAL)
		return rct_fail(err, EOPNOTSUPP, "%s: this kernel has no tcx (Linux 6.6 brought it)", name);
	return rct_fail(err, -rc, "%s: cannot attach the tc programs: %s%s", name, strerror(-rc), rct_attach_advice(-rc));
}

/* ---------------------------------------------------------- clsact, or either */

int rct_attach_clsact(int rx_fd, int tx_fd, u32 ifindex, const char *name,
		      struct rct_attachment **ret, struct rct_attached *how, struct rct_err *err)
{
	struct rct_attachment *a = new_attachment(ifindex);
	struct rct_list why = partial_list(how);
	const int fd[] = { rx_fd, tx_fd };
	int rc;

	*how = (struct rct_attached){ .method = "clsact" };
	if (!a)
		return rct_fail(err, ENOMEM, "out of memory");
	xdp_in_front(ifindex, &why);
	rc = rct_clsact_attach(fd, ifindex, name, &a->keeper, &why, err);
	if (rc) {
		rct_detach(a);
		return rc;
	}
	how->partial = why.used;
	*ret = a;
	return 0;
}

int rct_attach_tc(int rx_fd, int tx_fd, u32 ifindex, const char *name, bool allow_clsact,
		  struct rct_attachment **ret, struct rct_attached *how, struct rct_err *err)
{
	int rc = rct_attach_tcx(rx_fd, tx_fd, ifindex, name, ret, how, err);

	if (rc == -EOPNOTSUPP && allow_clsact)
		return rct_attach_clsact(rx_fd, tx_fd, ifindex, name, ret, how, err);
	return rc;
}

/* --------------------------------------------------------------------- xdp */

/* Drivers whose native mode changes more than the one who asked for it may think of. */
static const struct {
	const char *driver, *why;
} generic_only[] = {
	{ "veth", "native XDP on veth would take segmentation offload from its peer" },
};

static const char *generic_reason(const char *driver)
{
	for (size_t i = 0; i < RCT_ARRAY_SIZE(generic_only); i++) {
		if (!strcmp(driver, generic_only[i].driver))
			return generic_only[i].why;
	}
	return NULL;
}

static int xdp_link(int prog_fd, u32 ifindex, u32 mode)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = mode);
	int fd = bpf_link_create(prog_fd, ifindex, BPF_XDP, &opts);

	return fd < 0 ? -errno : fd;
}

/* Somebody's program in either mode: the kernel refuses ours with one or the other word. */
static bool xdp_taken(int rc)
{
	return rc == -EBUSY || rc == -EEXIST;
}

static int xdp_failed(int rc, u32 ifindex, const char *name, struct rct_err *err)
{
	u32 id = rct_xdp_there(ifindex);
	char prog[64];

	/* the kernel says EINVAL of an interface that isn't there */
	if (!if_indextoname(ifindex, prog))
		rc = -ENODEV;
	if (xdp_taken(rc) && id)
		return rct_fail(err, EBUSY, "%s: XDP program %s is attached and is not displaced; --hook tc sees what it passes",
				name, rct_prog_name(id, prog, sizeof(prog)));
	return rct_fail(err, -rc, "%s: cannot attach the XDP program: %s%s", name, strerror(-rc), rct_attach_advice(-rc));
}

/* Native where the driver takes it. A link, or -errno. */
static int xdp_any(int fd, u32 ifindex, const char *name, struct rct_attached *how, struct rct_list *why)
{
	const char *reason;
	char driver[32];
	int rc;

	rct_iface_driver(name, driver, sizeof(driver));
	reason = generic_reason(driver);
	if (reason) {
		rct_list_add(why, "generic mode: %s", reason);
	} else {
		rc = xdp_link(fd, ifindex, XDP_FLAGS_DRV_MODE);
		if (rc >= 0 || xdp_taken(rc) || rc == -EPERM || rc == -ENODEV)
			return rc;
		rct_list_add(why, "generic mode: driver %s refused native XDP (%s)",
			     *driver ? driver : "?", strerror(-rc));
	}
	snprintf(how->method, sizeof(how->method), "xdp-generic");
	return xdp_link(fd, ifindex, XDP_FLAGS_SKB_MODE);
}

int rct_attach_xdp(int fd, u32 ifindex, const char *name, struct rct_attachment **ret,
		   struct rct_attached *how, struct rct_err *err)
{
	struct rct_attachment *a = new_attachment(ifindex);
	struct rct_list why = partial_list(how);

	*how = (struct rct_attached){ .method = "xdp", .partial = true };
	if (!a)
		return rct_fail(err, ENOMEM, "out of memory");
	rct_list_add(&why, "XDP sees arriving packets only");
	a->link[0] = xdp_any(fd, ifindex, name, how, &why);
	if (a->link[0] < 0) {
		int rc = xdp_failed(a->link[0], ifindex, name, err);

		rct_detach(a);
		return rc;
	}
	*ret = a;
	return 0;
}

/* ------------------------------------------------------------------ for all */

/* The kernel takes the interface out of a link when it goes. */
static bool link_alive(int fd)
{
	struct bpf_link_info info = {};
	u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return false;
	/* tcx's ifindex is in the same place; libbpf 1.1 has no name for it */
	return info.xdp.ifindex;
}

bool rct_attachment_alive(const struct rct_attachment *a)
{
	if (a->keeper)
		return rct_clsact_alive(a->keeper, a->ifindex);
	for (int i = 0; i < 2; i++) {
		if (a->link[i] >= 0 && !link_alive(a->link[i]))
			return false;
	}
	return true;
}

void rct_detach(struct rct_attachment *a)
{
	if (!a)
		return;
	for (int i = 0; i < 2; i++) {
		if (a->link[i] >= 0)
			close(a->link[i]);
	}
	rct_clsact_detach(a->keeper, a->ifindex);
	free(a);
}

int rct_promiscuous(u32 ifindex)
{
	struct packet_mreq mreq = { .mr_ifindex = ifindex, .mr_type = PACKET_MR_PROMISC };
	int rc, fd;

	/* protocol 0: the socket itself is handed no packet */
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (!setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &mreq, sizeof(mreq)))
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}
