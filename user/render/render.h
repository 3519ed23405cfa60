/* SPDX-License-Identifier: BSD-2-Clause */
/* From a snapshot and its findings to text and JSON. Nothing is computed here. */
#ifndef RCT_RENDER_H
#define RCT_RENDER_H

#include <stdio.h>

#include "model/finding.h"

enum rct_sort {
	RCT_SORT_WORST, RCT_SORT_BYTES, RCT_SORT_PACKETS, RCT_SORT_REPEATED, RCT_SORT_NAKS,
	RCT_SORT_CNP, RCT_SORT_CE,
};

/* How the reader wants it. */
struct rct_view {
	int width;		/* columns; 0: unlimited */
	bool color;
	int verbose;		/* -1 only what is wrong, 0 first screen and table, 1 and more: all */
	u32 top;		/* flows listed in text; 0: all */
	enum rct_sort sort;
};

/* The report. 0, or -EIO where out failed (closed pipe, full disk). */
int rct_render_text(FILE *out, const struct rct_snapshot *s, const struct rct_findings *f,
		    const struct rct_view *view);

/* One JSON object, design: docs/json.md and schema/rocetrace-1.schema.json; compact: one line. */
int rct_render_json(FILE *out, const struct rct_snapshot *s, const struct rct_findings *f,
		    bool compact);

#endif
