/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From snapshots to findings: pure functions, no I/O, no clock. A rule is a row
 * of the table in rules.c and a function in rule_<family>.c.
 */
#ifndef RCT_ANALYSE_H
#define RCT_ANALYSE_H

#include "model/finding.h"

/* What `rocetrace explain ID` says of a rule or of a term of the report. */
struct rct_explanation {
	const char *id;
	const char *title;
	const char *text;	/* paragraphs */
};

/* Runs every rule; worst first, heaviest first. 0 or -ENOMEM. */
int rct_analyse(const struct rct_snapshot *s, struct rct_findings *ret);

/*
 * What shows only beside each other: of the facts of several hosts. Each has been judged
 * for itself. 0 or -ENOMEM.
 */
int rct_analyse_hosts(const struct rct_snapshot *const *s, size_t n, struct rct_findings *ret);

/* Worst first, heaviest first. */
void rct_findings_sort(struct rct_findings *f);

/* The i-th explanation, rules first; NULL behind the last. */
const struct rct_explanation *rct_explanation_at(size_t i);

#endif
