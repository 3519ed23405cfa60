/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The mark on what outlives its maker, so that a later instance can tell ours from
 * others', and a dead instance's from one that runs: rocetrace/PID/ID[/qdisc].
 *
 * A running instance has a socket bound to that name in its network namespace.
 * Unlike a pid, this is seen from every pid namespace (a container that shares the
 * host's network), and the kernel takes it away with the process.
 */
#ifndef RCT_OWNER_H
#define RCT_OWNER_H

#include "types.h"

#define RCT_MARK_MAX	64

struct rct_owner {
	u32 pid;	/* for people */
	u64 id;		/* random */
	bool qdisc;	/* the qdisc that it hangs on is ours too */
};

/* A mark for this process. Returns the socket that shows it alive in this network namespace, or -errno. */
int rct_owner_open(struct rct_owner *ret);

void rct_owner_format(const struct rct_owner *o, char ret[RCT_MARK_MAX]);

/* False: not a mark of ours. */
bool rct_owner_parse(const char *text, struct rct_owner *ret);

/* Its process has ended. False also where that can't be known. */
bool rct_owner_dead(const struct rct_owner *o);

#endif
