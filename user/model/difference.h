/* SPDX-License-Identifier: BSD-2-Clause */
/* Two hosts, or two times of one, beside each other: made by analyse/diff.c, read by render. */
#ifndef RCT_DIFFERENCE_H
#define RCT_DIFFERENCE_H

#include "model/finding.h"

/* In the order in which causes come before what they cause. */
enum rct_diff_kind { RCT_DIFF_NIC, RCT_DIFF_JOB, RCT_DIFF_FINDING, RCT_DIFF_COUNTER, RCT_DIFF_HOST };

struct rct_difference {
	/* RCT_UNKNOWN_FINDING: only one of the two is known. RCT_OK_FINDING: a rate beside one that is alike */
	enum rct_severity severity;
	enum rct_diff_kind kind;
	char name[64];		/* mtu, NCCL_IB_TC, loss.sent, seq_nak_received */
	char object[160];	/* "mlx5_0/eth0", "mlx5_0/eth0 : mlx5_2/eth2"; "": the host */
	u32 nics;		/* pairs of NICs that differ so; 0: not of NICs */
	/*
	 * As people read it. "": a setting or rate that is not known, a variable that is not
	 * set, a finding that is not there, a NIC that is not.
	 */
	char v[2][128];
	char why[200];		/* what it means */
	u32 place;		/* keeps the order of equals */
};

#define RCT_DIFF_SIDES	2

struct rct_diff {
	const struct rct_snapshot *s[RCT_DIFF_SIDES];
	struct rct_difference *v;
	size_t n;		/* those that are alike included */
	u32 pairs;		/* NICs that were held beside each other */
	u32 by_name;		/* of these, by the device's name; the others in the order of their names */
	u32 compared;		/* values that both hosts told */
	char unread[1024];	/* what was not told by both, "pfc, trust" */
};

void rct_diff_free(struct rct_diff *d);

const char *rct_diff_kind_name(enum rct_diff_kind k);	/* nic, job, finding, counter, host */

#endif
