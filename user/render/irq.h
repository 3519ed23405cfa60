/* SPDX-License-Identifier: BSD-2-Clause */
/* What `rocetrace irq` prints beside findings. All from facts, nothing is asked of a host. */
#ifndef RCT_RENDER_IRQ_H
#define RCT_RENDER_IRQ_H

#include "render/render.h"

/* A line a vector: where it may go, and where it went in the interval. 0 or -ENOMEM. */
int rct_irq_table(FILE *out, const struct rct_snapshot *s, const struct rct_view *view);

/* Nodes, their CPUs, NICs and GPUs, and the vectors of each NIC. 0, -ENOMEM or -EIO. */
int rct_irq_topology(FILE *out, const struct rct_snapshot *s, const struct rct_view *view);

/*
 * A shell script that puts each NIC's vectors one to one on CPUs near it; undo: one that
 * puts back what is now. It may be run again, and explains what it does. 0, -ENOMEM or -EIO.
 */
int rct_irq_fix(FILE *out, const struct rct_snapshot *s, bool undo);

/* The device of a vector as the report calls it: "mlx5_0/eth0", "eth0"; "" of none. */
struct rct_vector;
char *rct_irq_device(const struct rct_vector *v, char *buf, size_t size);

#endif
