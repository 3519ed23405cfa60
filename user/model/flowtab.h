/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The flow table of a capture: the same rows and steps as in the kernel, in a
 * hash table that grows.
 */
#ifndef RCT_FLOWTAB_H
#define RCT_FLOWTAB_H

#include "snapshot.h"

struct rct_flowtab;

struct rct_flowtab *rct_flowtab_new(void);
void rct_flowtab_free(struct rct_flowtab *t);

/*
 * Counts a parsed packet. ns: its time, CLOCK_REALTIME. Returns RCT_EV_* of the
 * trackers, or -ENOMEM.
 */
int rct_flowtab_packet(struct rct_flowtab *t, struct rct_pkt *pkt, u64 ns);

/* The result of an ICRC check of the packet that was counted last. */
void rct_flowtab_icrc(struct rct_flowtab *t, bool good);

/*
 * What the packet that was counted last carries, where it is a datagram on QP 1: the
 * connection manager names the two ends of connections. 0 or -ENOMEM.
 */
int rct_flowtab_datagram(struct rct_flowtab *t, const struct rct_pkt *pkt, const u8 *data,
			 size_t len);

/*
 * At the end of a pass. 1 where the same packets must be counted once more, because
 * what they are counted by (the path MTU of a flow that READs, who answers whom) became
 * known too late; then the counts are forgotten and that is kept. 0, or -ENOMEM.
 */
int rct_flowtab_rewind(struct rct_flowtab *t);

/* Length of the tick that bursts are measured in. */
#define RCT_FLOWTAB_TICK_US	4000

/* Appends the flows to the snapshot. 0 or -ENOMEM. */
int rct_flowtab_snapshot(const struct rct_flowtab *t, struct rct_snapshot *s);

#endif
