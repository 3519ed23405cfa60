/* SPDX-License-Identifier: BSD-2-Clause */
/* The flow table of the text report. */
#ifndef RCT_TABLE_H
#define RCT_TABLE_H

#include "render/render.h"

/* Writes the flows that view asks for, as many columns as fit. 0 or -ENOMEM. */
int rct_table(FILE *out, const struct rct_snapshot *s, const struct rct_view *view);

#endif
