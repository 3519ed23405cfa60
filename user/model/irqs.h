/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupts of an interval: which device a vector is of, how often it fired between two
 * readings of /proc/interrupts, and on which CPUs and nodes. Nothing is judged here.
 */
#ifndef RCT_IRQS_H
#define RCT_IRQS_H

#include "model/facts.h"

/* ---- sets of CPUs */

#define RCT_CPUS	8192		/* the most that Linux can be built for */
#define RCT_CPUS_TEXT	512

struct rct_cpus {
	u64 w[RCT_CPUS / 64];
};

void rct_cpus_add(struct rct_cpus *s, u32 cpu);
bool rct_cpus_has(const struct rct_cpus *s, u32 cpu);
u32 rct_cpus_count(const struct rct_cpus *s);
/* The first that is not below from; -1: there is none. */
s32 rct_cpus_next(const struct rct_cpus *s, u32 from);
/* What both have; those of a that are not in b. */
struct rct_cpus rct_cpus_both(const struct rct_cpus *a, const struct rct_cpus *b);
struct rct_cpus rct_cpus_less(const struct rct_cpus *a, const struct rct_cpus *b);
/* "0-3,8"; of "0-31:2/4" nothing is taken. False: it is no list, or empty; then *ret is empty. */
bool rct_cpus_parse(const char *list, struct rct_cpus *ret);
/* "0-3,8", with "..." behind it where it does not fit; "none". */
char *rct_cpus_text(const struct rct_cpus *s, char *buf, size_t size);

/* ---- the host */

#define RCT_NODE_UNTOLD		(-1)	/* the firmware or hypervisor describes none */
#define RCT_NODE_UNKNOWN	(-2)	/* could not be read */

/* Nodes that have CPUs; 0: unknown. A node of memory alone (CXL) takes no interrupt. */
u32 rct_cpu_nodes(const struct rct_facts *f);
struct rct_cpus rct_cpus_of(const struct rct_facts *f, s32 node);
/* CPUs kept for others: isolated= and nohz_full= of the kernel. */
struct rct_cpus rct_cpus_kept(const struct rct_facts *f);
/* Online CPUs of a node that are not kept; node < 0: of all. */
struct rct_cpus rct_cpus_near(const struct rct_facts *f, s32 node);

/* ---- vectors */

struct rct_irq_cpu {
	u32 cpu;
	s32 node;
	u64 count;
};

struct rct_vector {
	const struct rct_irq *irq;
	const struct rct_nic *nic;	/* NULL: of no RDMA device */
	const struct rct_netif *netif;	/* NULL: of no interface */
	u32 group;			/* vectors of one device have the same; UINT32_MAX: of no NIC */
	bool data;			/* packets or completions; else control, such as mlx5_async */
	s32 queue;			/* the number in its name; -1 */
	s32 node;			/* of its device, or RCT_NODE_* */
	bool counted;			/* there are two readings of it */
	bool moved;			/* its effective affinity is not what it was */
	u64 count, remote;		/* in the interval; remote: on CPUs of other nodes than node */
	struct rct_irq_cpu *cpus;	/* those on which it ran, busiest first */
	u32 n_cpus;
};

struct rct_irqs {
	struct rct_vector *v;		/* all of facts.irqs, in their order */
	u32 n;
	u32 groups;			/* group is below */
	double seconds;			/* <= 0: not known */
};

/* before NULL: nothing is counted. 0 or -ENOMEM; to be freed in both cases. */
int rct_irqs_make(const struct rct_facts *before, const struct rct_facts *after, struct rct_irqs *ret);
void rct_irqs_free(struct rct_irqs *i);

/* Where it may be delivered now: its effective affinity, or what was asked for. "": unknown. */
const char *rct_irq_target(const struct rct_irq *i);
/* A name of /proc/interrupts: its queue, or -1, and whether it is one of data. */
s32 rct_irq_queue(const char *name);
bool rct_irq_is_data(const char *name);

#endif
