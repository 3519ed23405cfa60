/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why something failed, in words for the user: what was tried, on what, why it
 * failed, what to do. Library code fills it and returns -errno; only user/cmd
 * prints it.
 */
#ifndef RCT_ERR_H
#define RCT_ERR_H

struct rct_err {
	char text[512];
};

/* Writes the text, unless e is NULL, and returns -errnum. errnum > 0. */
int rct_fail(struct rct_err *e, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
