/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What this host, its kernel and these privileges allow, found out by trying
 * and by the kernel's own description of its types, never by a version number.
 */
#ifndef RCT_PROBE_H
#define RCT_PROBE_H

#include "model/snapshot.h"

/* For the loader; each is tried once a process. */
bool rct_probe_dynptr(void);	/* bpf_dynptr_from_skb() in tp_btf programs */
bool rct_probe_tcx(void);	/* tc programs as links */
bool rct_probe_buff_len(void);	/* bpf_xdp_get_buff_len() */
bool rct_probe_frag0(void);	/* the first fragment of a packet can be found by arithmetic */

/*
 * The interfaces to trace where none was named: those of RDMA devices, else all that
 * are up and not loopback. Returns how many, at most max.
 */
int rct_default_interfaces(char (*names)[RCT_IFNAME], int max);

/* The interface is up, whether or not it has a carrier. */
bool rct_iface_up(const char *ifname);

/* What an interface is, asked of the kernel by name. 0 or -errno. */
struct rct_iface_look {
	bool up, running, loopback;	/* running: it has a carrier */
	int mtu;
	char driver[32];		/* "" where unknown */
};

int rct_iface_look(const char *ifname, struct rct_iface_look *ret);

/* Its driver, as ethtool -i says; "" and false where that is unknown. */
bool rct_iface_driver(const char *ifname, char *ret, size_t size);

/*
 * Its RDMA device handles RoCE itself, so that the kernel sees none of those packets.
 * The device's name goes to ret_dev.
 */
bool rct_iface_offloads(const char *ifname, char *ret_dev, size_t size);

#endif
