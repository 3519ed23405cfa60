// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/captured.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sysinfo/bundle.h"

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* What there is in a folder that a bundle was unpacked to. */
static int take_unpacked(struct rct_captured *c, struct rct_err *err)
{
	if (asprintf(&c->before, "%s/before", c->unpacked) < 0)
		c->before = NULL;
	if (asprintf(&c->after, "%s/after", c->unpacked) < 0)
		c->after = NULL;
	if (!c->before || !c->after)
		return rct_fail(err, ENOMEM, "no memory for the bundle %s", c->name);
	if (!is_folder(c->after))
		return rct_fail(err, EINVAL, "%s is no bundle: there is no folder after/ in it", c->name);
	if (!is_folder(c->before)) {
		free(c->before);
		c->before = NULL;
	}
	return 0;
}

static int open_bundle(struct rct_captured *c, struct rct_err *err)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = NULL;
	int rc;

	if (asprintf(&dir, "%s/rocetrace-XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0)
		return rct_fail(err, ENOMEM, "no memory for the bundle %s", c->name);
	if (!mkdtemp(dir)) {
		rc = rct_fail(err, errno, "cannot make a folder like %s for the bundle: %s", dir, strerror(errno));
		free(dir);
		return rc;
	}
	c->unpacked = dir;
	rc = rct_bundle_unpack(c->name, dir, err);
	return rc ? rc : take_unpacked(c, err);
}

/* "BEFORE,AFTER", unless there is something of that name. */
static int open_folders(struct rct_captured *c, struct rct_err *err)
{
	const char *comma = access(c->name, F_OK) ? strchr(c->name, ',') : NULL;

	if (comma)
		c->before = strndup(c->name, comma - c->name);
	c->after = strdup(comma ? comma + 1 : c->name);
	if (!c->after || (comma && !c->before))
		return rct_fail(err, ENOMEM, "no memory for the name %s", c->name);
	return 0;
}

int rct_captured_open(const char *name, struct rct_captured *ret, struct rct_err *err)
{
	memset(ret, 0, sizeof(*ret));
	ret->name = name;
	return rct_bundle_is(name) ? open_bundle(ret, err) : open_folders(ret, err);
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *f)
{
	(void)st;
	(void)flag;
	(void)f;
	/* what can't be removed stays, in the folder for such things */
	remove(path);
	return 0;
}

void rct_captured_close(struct rct_captured *c)
{
	if (c->unpacked)
		nftw(c->unpacked, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(c->before);
	free(c->after);
	free(c->unpacked);
	memset(c, 0, sizeof(*c));
}
