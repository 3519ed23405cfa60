// SPDX-License-Identifier: BSD-2-Clause
#include "lib/tree.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int rct_tree_make(struct rct_tree *t)
{
	strcpy(t->path, "/tmp/rct-tree-XXXXXX");
	return mkdtemp(t->path) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

void rct_tree_remove(struct rct_tree *t)
{
	nftw(t->path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* The whole path, with the folders above its last part made. */
static void full_path(const struct rct_tree *t, const char *path, char ret[PATH_MAX])
{
	snprintf(ret, PATH_MAX, "%s/%s", t->path, path);
	for (char *c = ret + strlen(t->path) + 1; (c = strchr(c, '/')); c++) {
		*c = '\0';
		mkdir(ret, 0755);
		*c = '/';
	}
}

void rct_tree_put_bytes(const struct rct_tree *t, const char *path, const void *bytes, size_t n)
{
	char full[PATH_MAX];
	FILE *f;

	full_path(t, path, full);
	f = fopen(full, "w");
	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f)) {
		perror(full);
		abort();
	}
}

void rct_tree_put(const struct rct_tree *t, const char *path, const char *text)
{
	rct_tree_put_bytes(t, path, text, strlen(text));
}

void rct_tree_folder(const struct rct_tree *t, const char *path)
{
	char full[PATH_MAX];

	full_path(t, path, full);
	mkdir(full, 0755);
}

void rct_tree_link(const struct rct_tree *t, const char *path, const char *to)
{
	char full[PATH_MAX];

	full_path(t, path, full);
	if (symlink(to, full)) {
		perror(full);
		abort();
	}
}
