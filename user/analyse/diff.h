/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two hosts, or two times of one, beside each other: what differs that matters, most
 * important first. Pure, like the rules; each host has been judged for itself.
 */
#ifndef RCT_DIFF_H
#define RCT_DIFF_H

#include "model/difference.h"

/* f: what was found on each. 0 or -ENOMEM; to be freed in every case. */
int rct_diff_make(const struct rct_snapshot *const s[RCT_DIFF_SIDES],
		  const struct rct_findings *const f[RCT_DIFF_SIDES], struct rct_diff *ret);
/* ---- for the files that compare one kind each */

struct rct_nic;

struct rct_diff_pair {
	const struct rct_nic *nic[RCT_DIFF_SIDES];
};

struct rct_diff_case {
	struct rct_diff *d;
	const struct rct_findings *const *f;
	struct rct_diff_pair *pairs;
	u32 n_pairs;
	bool no_memory;
	struct rct_difference spare;	/* written where there is no memory */
};

/* A new row, never NULL. p NULL: not of NICs. */
struct rct_difference *rct_diff_add(struct rct_diff_case *c, enum rct_diff_kind kind, enum rct_severity severity,
				    const char *name, const struct rct_diff_pair *p);
/*
 * Compares two texts, "" for one that is not known: a row where they differ or one is not
 * known; else counted or noted as not read.
 */
void rct_diff_texts(struct rct_diff_case *c, enum rct_diff_kind kind, enum rct_severity severity, const char *name,
		    const struct rct_diff_pair *p, const char *a, const char *b, const char *why);
/* At least one did not tell it. */
void rct_diff_unread(struct rct_diff_case *c, const char *name);

void rct_diff_settings(struct rct_diff_case *c);	/* of NICs and hosts */
void rct_diff_jobs(struct rct_diff_case *c);
void rct_diff_rates(struct rct_diff_case *c);
void rct_diff_findings(struct rct_diff_case *c);

#endif
