/* SPDX-License-Identifier: BSD-2-Clause */
/* Capture files through the parser and the flow table. */
#ifndef RCT_PCAPFILE_H
#define RCT_PCAPFILE_H

#include "base/err.h"
#include "model/snapshot.h"

/*
 * Reads the files, in order, as one trace and fills the snapshot: interval, flows,
 * one interface entry for each file with its verdict counts, coverage, totals. "-" is
 * standard input. gz is recognised by content. 0; or -errno and *err where a file
 * is damaged or unreadable: the snapshot then holds what came before.
 */
int rct_pcapfile_read(const char *const *files, size_t n, struct rct_snapshot *s,
		      struct rct_err *err);

#endif
