/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A layout of interrupts as somebody declared it, one NIC a line:
 *
 *	# NIC      CPUs         how
 *	mlx5_0     local        one-to-one
 *	ens2f0     32-47,96-111 spread
 *	*          local        spread
 *
 * NIC is an RDMA device, an interface or a PCI address; * stands for those that no line
 * names. local: the CPUs of its node that are not isolated.
 */
#ifndef RCT_IRQ_EXPECT_H
#define RCT_IRQ_EXPECT_H

#include "analyse/rule.h"
#include "base/err.h"
#include "model/irqs.h"

/* Of findings and `explain`; it runs only where a layout was declared. */
extern const struct rct_rule rct_expect_rule;

struct rct_expect_line {
	char nic[RCT_NAME];
	bool local, one_to_one;
	struct rct_cpus cpus;		/* where not local */
};

struct rct_expect {
	struct rct_expect_line *v;
	u32 n;
};

/* name: of the file, for messages. 0 or -errno; *ret is to be freed in both cases. */
int rct_expect_parse(const char *text, const char *name, struct rct_expect *ret, struct rct_err *err);
void rct_expect_free(struct rct_expect *e);

/* Adds what is otherwise than declared, or that nothing is. 0 or -ENOMEM. */
int rct_expect_judge(const struct rct_snapshot *s, const struct rct_expect *e, struct rct_findings *f);

#endif
