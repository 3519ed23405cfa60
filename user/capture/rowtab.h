/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User space's side of the kernel's flow table: copying it, and giving idle rows
 * back. The rows are mapped memory; the cold parts are read in batches.
 */
#ifndef RCT_ROWTAB_H
#define RCT_ROWTAB_H

#include "base/err.h"
#include "model/snapshot.h"

struct rct_rowtab;

int rct_rowtab_open(int rows_fd, int cold_fd, u32 rows, struct rct_rowtab **ret,
		    struct rct_err *err);
void rct_rowtab_free(struct rct_rowtab *t);

/*
 * Appends every live row as a flow. last_ns is left as the row's tick, first_ns as
 * CLOCK_MONOTONIC. 0 or -errno.
 */
int rct_rowtab_snapshot(struct rct_rowtab *t, struct rct_snapshot *s);

/*
 * Where the table is more than three quarters full: rows that saw nothing for more
 * than idle_ticks before the newest packet leave it, their counts are kept as
 * retired. 0 or -errno.
 */
int rct_rowtab_recycle(struct rct_rowtab *t, u32 idle_ticks);

/* Waits until no program that was running is still running. */
void rct_rowtab_grace(struct rct_rowtab *t);

/* Forgets the rows of a slot, counts and all. */
void rct_rowtab_drop_slot(struct rct_rowtab *t, u32 slot);

/* What the rows that left had counted. */
void rct_rowtab_retired(const struct rct_rowtab *t, u64 *packets, u64 *bytes);

/* Adds bytes and flows so far: what a progress line needs, without a system call. */
void rct_rowtab_progress(const struct rct_rowtab *t, u64 *bytes, u64 *flows);

#endif
