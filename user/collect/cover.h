/* SPDX-License-Identifier: BSD-2-Clause */
/* What the facts of a host could see, for a snapshot's coverage. Each: 0 or -ENOMEM. */
#ifndef RCT_COVER_H
#define RCT_COVER_H

#include "model/snapshot.h"

/* Counters and configuration of each NIC, kernel log, queue pairs, interrupts. */
int rct_cover_facts(struct rct_snapshot *s);
/* A source that did not answer in time, by its path. */
int rct_cover_hung(struct rct_snapshot *s, const char *source);

#endif
