/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracing: load, attach, copy snapshots, detach. */
#ifndef RCT_LIVE_H
#define RCT_LIVE_H

#include "base/err.h"
#include "model/snapshot.h"

enum rct_hook { RCT_HOOK_AUTO, RCT_HOOK_XDP, RCT_HOOK_TC, RCT_HOOK_NETDEV };

struct rct_live_config {
	const char *const *ifaces;	/* names; n 0: the netdevs of RDMA devices, else those up and not loopback */
	size_t n_ifaces;
	bool any;			/* every interface that is up */
	enum rct_hook hook;
	bool promiscuous;
	u32 flows;			/* that the table must hold */
};

struct rct_live;

/* Opens, loads, attaches. *ret NULL and -errno with *err where nothing could be attached. */
int rct_live_start(const struct rct_live_config *cfg, struct rct_live **ret, struct rct_err *err);

/* Waits timeout_ms, follows interfaces, recycles rows. 0; -EINTR: a signal came; -errno. */
int rct_live_poll(struct rct_live *l, int timeout_ms);

/* Bytes of RoCE packets and flows so far, cheap, for a progress line. */
void rct_live_progress(struct rct_live *l, u64 *bytes, u64 *flows);

/* Detaches and waits until no program runs any more; a snapshot after this is exact. */
void rct_live_stop(struct rct_live *l);

/* All that is known. *s is zeroed first. 0 or -errno. */
int rct_live_snapshot(struct rct_live *l, struct rct_snapshot *s, struct rct_err *err);

void rct_live_free(struct rct_live *l);

#endif
