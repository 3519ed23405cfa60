/* SPDX-License-Identifier: BSD-2-Clause */
/* A captured host as it is named on the command line. */
#ifndef RCT_CAPTURED_H
#define RCT_CAPTURED_H

#include "base/err.h"
#include "model/snapshot.h"

struct rct_captured {
	const char *name;	/* as it was given */
	char *before, *after;	/* folders; before NULL: captured once */
	char *unpacked;		/* where a bundle was unpacked to; NULL: none */
};

/* A folder, BEFORE,AFTER or a bundle. 0 or -errno and *err; to be closed in every case. */
int rct_captured_open(const char *name, struct rct_captured *ret, struct rct_err *err);
/*
 * Its facts, and when and of whom they are, into a snapshot without packets. h NULL: the running host,
 * now. nccl_log: a file, or NULL. 0 or -errno and *err; the snapshot is to be freed in
 * every case.
 */
int rct_captured_read(const struct rct_captured *h, const char *nccl_log, struct rct_snapshot *s, struct rct_err *err);
/* Removes what was unpacked, too. */
void rct_captured_close(struct rct_captured *c);

#endif
