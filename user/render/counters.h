/* SPDX-License-Identifier: BSD-2-Clause */
/* What `rocetrace explain` says of counters: canonical ones, and those of vendors. */
#ifndef RCT_COUNTERS_H
#define RCT_COUNTERS_H

#include <stddef.h>
#include <stdio.h>

/*
 * name: a canonical counter's, a vendor's ("np_cnp_sent", "rx_prio3_pause") or what a
 * report says of where it was read ("hw_counters/np_cnp_sent"). 0, or -ENOENT: nothing is
 * called so, and nothing was written.
 */
int rct_counters_explain(FILE *out, const char *name);

/* A line for each canonical counter. */
void rct_counters_list(FILE *out);

/* Canonical names, then vendors' (# for a priority); NULL behind the last. */
const char *rct_counters_name(size_t i);

#endif
