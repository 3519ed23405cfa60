/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flows added up by pair of hosts and direction: what a rule looks at. A
 * connection's two halves can't always be paired, two hosts always can, and what
 * is wrong on the way between them shows in the sum.
 */
#ifndef RCT_PATHS_H
#define RCT_PATHS_H

#include "model/snapshot.h"

/* From where a path is seen. */
enum rct_view_point {
	RCT_SENT_HERE,		/* leaving this host */
	RCT_RECEIVED_HERE,	/* arriving at this host */
	RCT_ON_THE_WAY,		/* at a mirror port or in a capture */
};

struct rct_path {
	struct rct_key key;		/* without the queue pair */
	enum rct_view_point seen;
	const struct rct_path *back;	/* the other direction; NULL: nothing of it was seen */
	const struct rct_flow *const *flows;
	u32 n_flows;
	u32 data_flows;			/* that carry requests or READ responses, CM not among them */
	u32 sports;			/* source ports among those, where none moved; else 0 */
	u64 packets, bytes;
	u64 requests, responses;	/* packets of either kind */
	u64 gaps, missing, late, repeated, steps_back, cross_cpu;
	u64 reread;			/* repeated in flows that only READ: their responses were lost */
	u64 uc_missing;			/* unreliable connections: lost for good */
	u64 rsp_gaps, rsp_missing, rsp_repeated;
	u64 naks[5], rnr_naks, acks;
	u32 rnr_us;			/* the longest of the flows' last timers */
	u64 cnp, ecn[4];
	u64 unmarkable_trouble;		/* rct_flow_trouble() of flows that are not ECN-capable */
	u64 icrc_checked, icrc_bad;
	bool causes;			/* retries and stall_ns are known */
	bool inferred;			/* a timeout among them was inferred */
	u64 retries[RCT_RETRY_CAUSES];
	u64 stall_ns[RCT_RETRY_CAUSES];
	u64 unseen;			/* acknowledged and never seen, as far as it could be told */
	u32 least_mtu;			/* of the path MTUs that are known; 0: none is */
	u32 dscp;			/* of the flow with most bytes */
	bool dscp_moved;		/* some flow changed it */
};

struct rct_paths {
	struct rct_path *v;
	size_t n;
	const struct rct_flow **flows;	/* sorted */
};

/* 0 or -ENOMEM. */
int rct_paths_make(const struct rct_snapshot *s, struct rct_paths *ret);
void rct_paths_free(struct rct_paths *p);

/* What a path's data cost in packets that should not have been needed, or are missing. */
u64 rct_path_trouble(const struct rct_path *p);

/* The same of one flow, to name the worst. */
u64 rct_flow_trouble(const struct rct_flow *f);

#endif
