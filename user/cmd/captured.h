/* SPDX-License-Identifier: BSD-2-Clause */
/* A captured host as it is named on the command line. */
#ifndef RCT_CAPTURED_H
#define RCT_CAPTURED_H

#include "base/err.h"

struct rct_captured {
	const char *name;	/* as it was given */
	char *before, *after;	/* folders; before NULL: captured once */
	char *unpacked;		/* where a bundle was unpacked to; NULL: none */
};

/* A folder, BEFORE,AFTER or a bundle. 0 or -errno and *err; to be closed in every case. */
int rct_captured_open(const char *name, struct rct_captured *ret, struct rct_err *err);
/* Removes what was unpacked, too. */
void rct_captured_close(struct rct_captured *c);

#endif
