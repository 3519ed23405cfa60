/* SPDX-License-Identifier: BSD-2-Clause */
/* Two hosts beside each other, as text and as JSON. Nothing is computed here. */
#ifndef RCT_RENDER_DIFF_H
#define RCT_RENDER_DIFF_H

#include <stdio.h>

#include "model/difference.h"

struct rct_diff_view {
	const char *label[RCT_DIFF_SIDES];	/* what the two are called; raw */
	int width;				/* columns; 0: unlimited */
	int verbose;				/* -1: only warnings and worse; 1: what is alike, too */
};

/* 0, -ENOMEM, or -EIO where out failed. */
int rct_render_diff_text(FILE *out, const struct rct_diff *d, const struct rct_diff_view *view);
/* One object, of schema/rocetrace-diff-1.schema.json. */
int rct_render_diff_json(FILE *out, const struct rct_diff *d, const struct rct_diff_view *view);

#endif
