/* SPDX-License-Identifier: BSD-2-Clause */
/* A folder that a test fills, as a captured host. */
#ifndef RCT_TEST_TREE_H
#define RCT_TEST_TREE_H

#include <stddef.h>

struct tree {
	char path[64];
};

/* 0, or -1: there is no room for it. */
int tree_make(struct tree *t);
void tree_remove(struct tree *t);

/* Writes a file with the folders it lies in; path without / at its begin. */
void tree_put(const struct tree *t, const char *path, const char *text);
void tree_put_bytes(const struct tree *t, const char *path, const void *bytes, size_t n);
void tree_folder(const struct tree *t, const char *path);
void tree_link(const struct tree *t, const char *path, const char *to);

#endif
