/* SPDX-License-Identifier: BSD-2-Clause */
/* What every command that has a snapshot ends with: judge it, print it, exit code. */
#ifndef RCT_REPORT_H
#define RCT_REPORT_H

#include "cmd/options.h"

/*
 * Keeps the flows that --host and --qp ask for, runs the rules, and writes text and
 * JSON where the options say. May be called for one interval after the other.
 * Returns RCT_EXIT_OK, RCT_EXIT_FINDING (--fail-on), or RCT_EXIT_FAIL where the
 * output could not be written (the reason is on standard error, but for a closed pipe).
 */
int rct_report(const struct rct_options *o, struct rct_snapshot *s);

/* The same where the judging is done: writes what was found, and says whether it is too much. */
int rct_report_findings(const struct rct_options *o, const struct rct_snapshot *s,
			const struct rct_findings *f);

/* CPU time and memory of this process so far. */
void rct_report_cost(struct rct_self *self);

/* Columns of a report on standard output: $COLUMNS, the terminal's, or a default. */
int rct_report_width(void);

#endif
