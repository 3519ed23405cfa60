/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The facts of a host for a snapshot: read once before and once after the interval, and
 * told what of it could be seen. A source that hangs is left behind and named.
 */
#ifndef RCT_COLLECT_H
#define RCT_COLLECT_H

#include "base/err.h"
#include "base/root.h"
#include "model/snapshot.h"

struct rct_hung {
	char source[64];	/* a device, an interface, a file */
};

/* One reading of a host. */
struct rct_reading {
	struct rct_facts *facts;
	struct rct_hung *hung;
	size_t n_hung;
};

/* ms: what one source may take on the running host; 0: RCT_GUARD_MS. 0 or -errno. */
int rct_reading_take(struct rct_root *root, unsigned ms, struct rct_reading *ret,
		     struct rct_err *err);
void rct_reading_free(struct rct_reading *r);

/*
 * Moves the facts of two readings into a snapshot (before: NULL where there is one only)
 * and adds to its coverage, and processors where they are not told yet. What the second one had no rights for any more, such as the
 * environments of processes, is taken from the first. 0 or -ENOMEM; the readings are to
 * be freed in every case.
 */
int rct_collect_facts(struct rct_snapshot *s, struct rct_reading *before, struct rct_reading *after);

/* Says of each NIC that its packets were not looked at, and why: for reports without a trace. */
int rct_collect_no_packets(struct rct_snapshot *s, const struct rct_facts *f);

/* Name, kernel, boot id of a captured host; name where it does not tell its own. */
void rct_collect_host(struct rct_snapshot *s, const struct rct_root *root, const char *name);

#endif
