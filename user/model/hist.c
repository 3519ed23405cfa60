// SPDX-License-Identifier: BSD-2-Clause
#include "model/hist.h"

#define SUB_BITS	4

_Static_assert(1 << SUB_BITS == RCT_HIST_SUB, "classes an octave are a power of two");

static u32 class_of(u64 ns)
{
	u32 octave;

	if (ns < RCT_HIST_SUB)
		return ns;
	octave = 63 - __builtin_clzll(ns);
	if (octave >= RCT_HIST_TOP)
		return RCT_HIST_CLASSES - 1;
	return (octave - SUB_BITS + 1) * RCT_HIST_SUB + (ns >> (octave - SUB_BITS) & (RCT_HIST_SUB - 1));
}

/* The middle of a class. */
static u64 middle(u32 class)
{
	u32 shift;

	if (class < 2 * RCT_HIST_SUB)
		return class;
	shift = class / RCT_HIST_SUB - 1;
	return ((u64)(RCT_HIST_SUB + class % RCT_HIST_SUB) << shift) + (1ULL << shift) / 2;
}

void rct_hist_add(struct rct_hist *h, u64 ns)
{
	h->count++;
	if (ns > h->max)
		h->max = ns;
	h->n[class_of(ns)]++;
}

u64 rct_hist_quantile(const struct rct_hist *h, u32 permille)
{
	u64 rank = (h->count * permille + 999) / 1000, seen = 0, v;

	for (u32 i = 0; i < RCT_HIST_CLASSES && h->count; i++) {
		seen += h->n[i];
		if (seen < rank || !h->n[i])
			continue;
		v = middle(i);
		return v < h->max && i < RCT_HIST_CLASSES - 1 ? v : h->max;
	}
	return 0;
}

struct rct_quantiles rct_hist_quantiles(const struct rct_hist *h)
{
	return (struct rct_quantiles){
		.count = h->count, .max = h->max, .p50 = rct_hist_quantile(h, 500),
		.p99 = rct_hist_quantile(h, 990), .p999 = rct_hist_quantile(h, 999),
	};
}
