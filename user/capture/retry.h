/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why requesters went back, live: the programs' records of NAKs and of steps back,
 * joined. A requester that a NAK sent back restarts at the PSN the NAK names, so
 * the two find each other by reversed addresses and that PSN. (Two queue pairs of
 * the same hosts at the same PSN can be taken for each other: the cause is right,
 * the flow may not be.)
 */
#ifndef RCT_RETRY_H
#define RCT_RETRY_H

#include "model/snapshot.h"

struct rct_retry_log;

struct rct_retry_log *rct_retry_log_new(void);
void rct_retry_log_free(struct rct_retry_log *log);

/* A record as it comes from the ring. 0 or -ENOMEM. */
int rct_retry_log_add(struct rct_retry_log *log, const struct rct_rec *rec);

/*
 * Joins what was added since the last time. Records of several CPUs may be out of
 * order by a little, so NAKs are looked at first. 0 or -ENOMEM.
 */
int rct_retry_log_join(struct rct_retry_log *log, u32 tick_us);

/* Sets the flow's retries, stall_ns and timeout_inferred, where its transport can retry. */
void rct_retry_log_fold(const struct rct_retry_log *log, struct rct_flow *f);

#endif
