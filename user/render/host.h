/* SPDX-License-Identifier: BSD-2-Clause */
/* What the text report says of the host itself, where its facts were read. Raw texts. */
#ifndef RCT_HOST_H
#define RCT_HOST_H

#include "model/snapshot.h"

/* Length of the interval: of the trace, or between two readings of the facts; < 0: one reading. */
double rct_interval_seconds(const struct rct_snapshot *s);

/* "8 RoCE NICs, 8 processes, 512 QPs" */
void rct_host_counts(const struct rct_snapshot *s, char *buf, size_t size);

/* "counters 8/8, config 8/8, kernel log, QPs 512, IRQs 520" */
void rct_host_seen(const struct rct_snapshot *s, char *buf, size_t size);

/*
 * Coverage says the same of several objects: "mlx5_0-7". False: an earlier row than i
 * says it already.
 */
bool rct_cov_objects(const struct rct_snapshot *s, size_t i, char *buf, size_t size);

#endif
