// SPDX-License-Identifier: BSD-2-Clause
/*
 * `rocetrace bundle`: the raw facts of this host, twice, in one file. `rocetrace check
 * FILE` finds there what it would find here.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cmd/cmd.h"
#include "cmd/options.h"
#include "collect/collect.h"
#include "sysinfo/bundle.h"
#include "sysinfo/generate.h"

/* One reading: all that the readers ask goes into the tree. path NULL: this host. */
static int record(const struct rct_options *o, const char *path, struct rct_tree *t, struct rct_err *err)
{
	struct rct_reading reading = {};
	struct rct_snapshot names = {};
	struct rct_root root;
	int rc = rct_root_open(&root, path, path ? NULL : rct_generate);

	if (rc)
		return rct_fail(err, -rc, "cannot read %s: %s", path ? path : "/", strerror(-rc));
	root.nccl_log = o->nccl_log;
	rct_tree_record(t, &root);
	rc = rct_reading_take(&root, 0, &reading, err);
	if (!rc)
		rct_collect_host(&names, &root, "");
	for (size_t i = 0; !rc && i < reading.n_hung; i++)
		fprintf(stderr, "rocetrace: %s does not answer: it is not in the bundle\n",
			reading.hung[i].source);
	rct_reading_free(&reading);
	rct_snapshot_free(&names);
	rct_root_close(&root);
	if (!rc && rct_tree_finish(t))
		rc = rct_fail(err, ENOMEM, "reading the host: out of memory");
	return rc;
}

static void mask_signals(int how, sigset_t *ret)
{
	sigemptyset(ret);
	sigaddset(ret, SIGINT);
	sigaddset(ret, SIGTERM);
	pthread_sigmask(how, ret, NULL);
}

/* Until the time is over or somebody has seen enough: then the second reading is made at once. */
static void wait_between(const struct rct_options *o, const sigset_t *set)
{
	struct timespec t = { .tv_sec = o->seconds };

	t.tv_nsec = (o->seconds - t.tv_sec) * 1e9;
	if (!o->quiet)
		fprintf(stderr, "rocetrace: the second reading follows %s\n",
			o->seconds > 0 ? "soon; Ctrl-C: at once" : "after Ctrl-C");
	if (o->seconds > 0)
		sigtimedwait(set, NULL, &t);
	else
		sigwaitinfo(set, NULL);
}

/*
 * This host, twice. The signals are blocked before the first reading: its threads, which
 * may outlive it, shall not take them.
 */
static int record_live(const struct rct_options *o, struct rct_tree trees[2], struct rct_err *err)
{
	sigset_t set;
	int rc;

	mask_signals(SIG_BLOCK, &set);
	rc = record(o, NULL, &trees[0], err);
	if (!rc)
		wait_between(o, &set);
	mask_signals(SIG_UNBLOCK, &set);
	return rc ? rc : record(o, NULL, &trees[1], err);
}

/* How many trees there are; < 0: -errno. A captured host that was read once has one. */
static int record_all(const struct rct_options *o, struct rct_tree trees[2], struct rct_err *err)
{
	int n = o->n_sysroots, rc = 0;

	if (!n) {
		rc = record_live(o, trees, err);
		return rc ? rc : 2;
	}
	for (int i = 0; i < n && !rc; i++)
		rc = record(o, o->sysroots[i], &trees[i], err);
	return rc ? rc : n;
}

static int bundle(const struct rct_options *o)
{
	static const char *const names[] = { "before", "after" };
	struct rct_tree trees[2] = {};
	struct rct_err err = {};
	int n = record_all(o, trees, &err), rc = n < 0 ? n : 0;

	if (!rc && o->redact && rct_trees_redact(trees, n))
		rc = rct_fail(&err, ENOMEM, "replacing names and addresses: out of memory");
	if (!rc)
		rc = rct_bundle_write(o->output, trees, &names[2 - n], n, &err);
	rct_tree_free(&trees[0]);
	rct_tree_free(&trees[1]);
	if (!rc)
		return RCT_EXIT_OK;
	fprintf(stderr, "rocetrace bundle: %s\n", err.text);
	return RCT_EXIT_FAIL;
}

int rct_cmd_bundle(int argc, char **argv)
{
	struct rct_options o;
	int rc = rct_options_parse("bundle", argc, argv, &o);

	if (!rc && !o.output) {
		fprintf(stderr, "rocetrace bundle: -o FILE.tar.gz is missing\nTry 'rocetrace bundle --help'.\n");
		rc = RCT_EXIT_USAGE;
	}
	if (!rc)
		rc = bundle(&o);
	else if (rc == RCT_OPTIONS_HELP)
		rc = RCT_EXIT_OK;
	rct_options_free(&o);
	return rc;
}
