/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A capture file as a stream that can be read more than once: gzip is undone as it
 * goes, and what cannot be read twice (standard input, a pipe) is copied to a
 * temporary file that has no name.
 */
#ifndef RCT_INFILE_H
#define RCT_INFILE_H

#include <stdio.h>

#include "base/err.h"
#include "types.h"

struct rct_infile;

/* "-" is standard input. The name must stay. 0 and *ret, or -errno and *err. */
int rct_infile_open(const char *name, struct rct_infile **ret, struct rct_err *err);

/*
 * The contents from their beginning; the caller closes it, before the file. A
 * stream's ftello() is the offset in the contents. NULL, and errno.
 */
FILE *rct_infile_stream(struct rct_infile *in);

/* Why the last stream's reading failed; "": it did not, or not here. */
const char *rct_infile_error(const struct rct_infile *in);

/* Name for messages. */
const char *rct_infile_name(const struct rct_infile *in);

/* True where offsets are not the file's own, because it is compressed. */
bool rct_infile_compressed(const struct rct_infile *in);

/* Accepts NULL. */
void rct_infile_close(struct rct_infile *in);

#endif
