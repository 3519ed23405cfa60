/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A distribution of durations in classes that are exact below 16 ns and a
 * sixteenth of an octave above: what is read from it is wrong by 3.2 % at most.
 */
#ifndef RCT_HIST_H
#define RCT_HIST_H

#include "model/snapshot.h"

#define RCT_HIST_SUB	16			/* classes an octave */
#define RCT_HIST_TOP	40			/* 2^40 ns are 18 minutes: all from there on is one class */
#define RCT_HIST_CLASSES ((RCT_HIST_TOP - 3) * RCT_HIST_SUB + 1)

struct rct_hist {
	u64 count, max;
	u32 n[RCT_HIST_CLASSES];
};

void rct_hist_add(struct rct_hist *h, u64 ns);

/* The value that permille of 1,000 are at or below; 0 where nothing was added. */
u64 rct_hist_quantile(const struct rct_hist *h, u32 permille);

struct rct_quantiles rct_hist_quantiles(const struct rct_hist *h);

#endif
