// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/captured.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "collect/collect.h"
#include "sysinfo/bundle.h"
#include "sysinfo/generate.h"

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

/* ---- reading */

/* path NULL: the running host. name: for a captured one that does not tell its own. */
static int read_folder(const char *path, const char *name, const char *nccl_log, struct rct_reading *ret,
		       struct rct_snapshot *s, struct rct_err *err)
{
	struct rct_root root;
	int rc = rct_root_open(&root, path, rct_generate);

	if (rc)
		return rct_fail(err, -rc, "cannot read %s: %s", path ? path : "/", strerror(-rc));
	root.nccl_log = nccl_log;
	rc = rct_reading_take(&root, 0, ret, err);
	if (!rc && path)
		rct_collect_host(s, &root, name);
	rct_root_close(&root);
	return rc;
}

static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

int rct_captured_read(const struct rct_captured *h, const char *nccl_log, struct rct_snapshot *s, struct rct_err *err)
{
	struct rct_reading before = {}, after = {};
	const char *name = h ? h->unpacked ? h->name : h->after : NULL;
	bool twice = h && h->before;
	int rc = 0;

	if (twice)
		rc = read_folder(h->before, name, nccl_log, &before, s, err);
	if (!rc)
		rc = read_folder(h ? h->after : NULL, name, nccl_log, &after, s, err);
	if (!rc && !h) {
		s->live = true;
		s->end_ns = now_ns();
		rct_snapshot_host(s);
	}
	if (!rc && (rct_collect_no_packets(s, after.facts) ||
		    rct_collect_facts(s, twice ? &before : NULL, &after)))
		rc = rct_fail(err, ENOMEM, "no memory for the facts of the host");
	rct_reading_free(&before);
	rct_reading_free(&after);
	return rc;
}

/* ---- */

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
