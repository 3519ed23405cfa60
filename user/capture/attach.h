/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hanging loaded packet programs on an interface, and taking them off again,
 * without touching what others hung there.
 *
 *  tcx		a BPF link: goes with the process. Before others on ingress, behind on egress.
 *  clsact	a tc filter, on kernels before 6.6: outlives the process, so a keeper (a forked
 *		process that waits on a socket) removes it when the tracer ends in any way.
 *  xdp		a BPF link; native where the driver takes it, generic on veth and where it refuses.
 *
 * All of it happens in the network namespace of the calling thread.
 */
#ifndef RCT_ATTACH_H
#define RCT_ATTACH_H

#include "base/err.h"
#include "types.h"

/* Attach types that Linux 6.6 has and the headers of libbpf 1.1 don't name. */
#define RCT_TCX_INGRESS	46
#define RCT_TCX_EGRESS	47

struct rct_attachment;

/* What was done, for the report's coverage. */
struct rct_attached {
	char method[24];	/* tcx, clsact, xdp, xdp-generic */
	bool partial;		/* it may not see every packet */
	char why[256];		/* where partial; and why XDP is generic */
};

/*
 * tc programs on both directions. clsact is used only if allow_clsact and the kernel
 * has no tcx; -EOPNOTSUPP: it has none, and that wasn't allowed. *ret goes to
 * rct_detach(). 0 or -errno and *err.
 */
int rct_attach_tc(int rx_fd, int tx_fd, u32 ifindex, const char *name, bool allow_clsact,
		  struct rct_attachment **ret, struct rct_attached *how, struct rct_err *err);

/* The two ways of it; a tcx of -EOPNOTSUPP: the kernel has none. */
int rct_attach_tcx(int rx_fd, int tx_fd, u32 ifindex, const char *name,
		   struct rct_attachment **ret, struct rct_attached *how, struct rct_err *err);
int rct_attach_clsact(int rx_fd, int tx_fd, u32 ifindex, const char *name,
		      struct rct_attachment **ret, struct rct_attached *how, struct rct_err *err);

/* The XDP program. -EBUSY where another one is there: it is never displaced. */
int rct_attach_xdp(int fd, u32 ifindex, const char *name, struct rct_attachment **ret,
		   struct rct_attached *how, struct rct_err *err);

/* Still where it was put: false after the interface went away or somebody took a filter off. */
bool rct_attachment_alive(const struct rct_attachment *a);

/* Takes everything off; needs no capability. Accepts NULL. */
void rct_detach(struct rct_attachment *a);

/* The interface becomes promiscuous for as long as the returned file descriptor is open; or -errno. */
int rct_promiscuous(u32 ifindex);

/* What to do about an error of the kernel, "" or "; do this". */
const char *rct_attach_advice(int errnum);

/*
 * Removes what a killed instance left: our marked filters (and a clsact qdisc that
 * we made and that held only them) of processes that no longer exist. Calls told for each.
 * Returns how many, or -errno.
 */
int rct_cleanup(void (*told)(const char *ifname, const char *what, void *arg), void *arg,
		struct rct_err *err);

#endif
