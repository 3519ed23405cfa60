/* SPDX-License-Identifier: BSD-2-Clause */
/* A folder that a test fills, as a captured host. */
#ifndef RCT_TEST_TREE_H
#define RCT_TEST_TREE_H

#include <stddef.h>

struct rct_tree {
	char path[64];
};

/* 0, or -1: there is no room for it. */
int rct_tree_make(struct rct_tree *t);
void rct_tree_remove(struct rct_tree *t);

/* Writes a file with the folders it lies in; path without / at its begin. */
void rct_tree_put(const struct rct_tree *t, const char *path, const char *text);
void rct_tree_put_bytes(const struct rct_tree *t, const char *path, const void *bytes, size_t n);
void rct_tree_folder(const struct rct_tree *t, const char *path);
void rct_tree_link(const struct rct_tree *t, const char *path, const char *to);

#endif
