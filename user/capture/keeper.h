/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The keeper: a forked process that outlives the tracer by a moment and takes its tc
 * filters off. It waits on a socket whose other end only the tracer has, so it learns
 * of every way in which that can end. It also removes filters for a tracer
 * that gave its capabilities up. It holds CAP_NET_ADMIN and nothing else: no file, no
 * terminal, no signal of its session.
 *
 * One for each network namespace, shared by all attachments there.
 */
#ifndef RCT_KEEPER_H
#define RCT_KEEPER_H

#include "base/err.h"
#include "capture/owner.h"

struct rct_keeper;

/*
 * The keeper of this thread's network namespace. 1: it was started now; 0: there was
 * one; or -errno and *err.
 */
int rct_keeper_get(struct rct_keeper **ret, struct rct_err *err);

/* The mark that our filters in that network namespace bear. */
const struct rct_owner *rct_keeper_owner(const struct rct_keeper *k);

/*
 * From now on it looks after our filters on that interface. 0: it made a clsact qdisc
 * there, and will remove that too unless others use it; -EEXIST: there was a qdisc, of
 * whatever kind; or -errno.
 */
int rct_keeper_watch(struct rct_keeper *k, u32 ifindex);

/* It removes our filters there, now. 0 or -errno. */
int rct_keeper_remove(struct rct_keeper *k, u32 ifindex);

/* Undoes rct_keeper_get(); the last one ends it. Accepts NULL. */
void rct_keeper_put(struct rct_keeper *k);

#endif
