/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The facts of a host as files: what its readers read of it, no more, so the readers are
 * the list of what is allowed. Of processes' environments only the variables that are
 * kept (proc.c) go in. A bundle is two such trees, before/ and after/, in one tar.gz; it
 * is read again as two captured hosts.
 */
#ifndef RCT_BUNDLE_H
#define RCT_BUNDLE_H

#include "base/err.h"
#include "base/root.h"
#include "model/facts.h"

/* Limits of a bundle that is read: it may come from anybody. */
#define RCT_BUNDLE_FILES	200000
#define RCT_BUNDLE_BYTES	(1ULL << 30)

struct rct_tree_file {
	char *path;
	char *text;		/* NULL: the name is all that was seen */
	size_t len;
	size_t order;		/* of its reading */
};

struct rct_tree {
	struct rct_tree_file *v;
	size_t n;
	int rc;			/* -ENOMEM: some of it is missing */
};

/* From now on all that is read through root goes into *t too. */
void rct_tree_record(struct rct_tree *t, struct rct_root *root);
/* Sorts, merges and filters what was recorded. 0 or -ENOMEM. */
int rct_tree_finish(struct rct_tree *t);
void rct_tree_free(struct rct_tree *t);

/*
 * Replaces names of hosts and processes, and IP, MAC and GID addresses, by invented ones:
 * the same by the same in all the trees; addresses that share a prefix share one after
 * it too. 0 or -errno.
 */
int rct_trees_redact(struct rct_tree *trees, size_t n);

/* names: "before", "after". 0 or -errno and *err. */
int rct_bundle_write(const char *file, const struct rct_tree *trees, const char *const *names, size_t n,
		     struct rct_err *err);

/* Does the file begin as a bundle does (gzip)? */
bool rct_bundle_is(const char *file);

/*
 * Unpacks a bundle into the folder dir, which must exist and be empty: then dir/before
 * and dir/after are captured hosts. Links, devices, paths that are absolute or go up, and
 * more than the limits are refused. 0 or -errno and *err.
 */
int rct_bundle_unpack(const char *file, const char *dir, struct rct_err *err);

#endif
