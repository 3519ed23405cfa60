// SPDX-License-Identifier: BSD-2-Clause
/*
 * `rocetrace irq`: are the interrupts of this host's NICs where they should be, and do
 * they land there? Two readings of /proc/interrupts, no BPF, nothing is changed: --fix
 * prints what would.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyse/irq_expect.h"
#include "base/util.h"
#include "cmd/captured.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/report.h"
#include "collect/collect.h"
#include "render/irq.h"
#include "sysinfo/generate.h"

#define EXPECT_MAX	(1 << 20)

static int fail(const struct rct_err *err)
{
	fprintf(stderr, "rocetrace irq: %s\n", err->text);
	return RCT_EXIT_FAIL;
}

/* ---- reading */

/* path NULL: the running host. */
static int read_one(const char *path, const char *name, struct rct_reading *ret, struct rct_snapshot *s,
		    struct rct_err *err)
{
	struct rct_root root;
	int rc = rct_root_open(&root, path, rct_generate);

	if (rc)
		return rct_fail(err, -rc, "cannot read %s: %s", path ? path : "/", strerror(-rc));
	rc = rct_reading_take(&root, 0, ret, err);
	if (!rc && path)
		rct_collect_host(s, &root, name);
	rct_root_close(&root);
	if (!rc && !ret->facts->irqs_read)
		rc = rct_fail(err, ENODATA, "%s/proc/interrupts cannot be read: nothing can be said of interrupts",
			      path ? path : "");
	return rc;
}

static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* Ctrl-C: the second reading is made at once. The signals are blocked since before the first. */
static void wait_between(double seconds, const sigset_t *set)
{
	struct timespec t = { .tv_sec = seconds };

	t.tv_nsec = (seconds - t.tv_sec) * 1e9;
	if (seconds > 0)
		sigtimedwait(set, NULL, &t);
	else
		sigwaitinfo(set, NULL);
}

static int read_live(const struct rct_options *o, bool twice, struct rct_reading r[2], struct rct_snapshot *s,
		     struct rct_err *err)
{
	sigset_t set;
	int rc = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	rct_snapshot_host(s);
	s->live = true;
	if (twice) {
		rc = read_one(NULL, NULL, &r[0], s, err);
		s->start_ns = now_ns();
		if (!rc)
			wait_between(o->seconds, &set);
	}
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	if (!rc)
		rc = read_one(NULL, NULL, &r[1], s, err);
	s->end_ns = now_ns();
	return rc;
}

static int read_captured(const struct rct_captured *h, struct rct_reading r[2], struct rct_snapshot *s, struct rct_err *err)
{
	const char *name = h->unpacked ? h->name : h->after;
	int rc = h->before ? read_one(h->before, name, &r[0], s, err) : 0;

	return rc ? rc : read_one(h->after, name, &r[1], s, err);
}

/* Other sources than that of interrupts were not asked to say anything. */
static void keep_coverage(struct rct_snapshot *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_coverage; i++) {
		if (!strcmp(s->coverage[i].source, "cpu"))
			s->coverage[n++] = s->coverage[i];
	}
	s->n_coverage = n;
}

static int read_host(const struct rct_options *o, bool twice, struct rct_snapshot *s, struct rct_err *err)
{
	struct rct_captured h = { .after = NULL };
	struct rct_reading r[2] = {};
	int rc = 0;

	s->command = "irq";
	s->vectors = o->all ? RCT_VECTORS_ALL : RCT_VECTORS_NICS;
	if (o->n_rest)
		rc = rct_captured_open(o->rest[0], &h, err);
	if (o->n_sysroots) {
		h.after = (char *)o->sysroots[o->n_sysroots - 1];
		h.before = o->n_sysroots == 2 ? (char *)o->sysroots[0] : NULL;
	}
	if (!rc)
		rc = h.after ? read_captured(&h, r, s, err) : read_live(o, twice, r, s, err);
	if (!rc && rct_collect_facts(s, r[0].facts ? &r[0] : NULL, &r[1]))
		rc = rct_fail(err, ENOMEM, "no memory for the facts of the host");
	if (!rc)
		keep_coverage(s);
	rct_reading_free(&r[0]);
	rct_reading_free(&r[1]);
	if (o->n_rest)
		rct_captured_close(&h);
	return rc;
}

/* ---- judging */

static int read_expected(const char *path, struct rct_expect *ret, struct rct_err *err)
{
	char *text = calloc(1, EXPECT_MAX + 1);
	FILE *in = fopen(path, "re");
	int rc = 0;

	if (!text || !in)
		rc = rct_fail(err, in ? ENOMEM : errno, "cannot read %s: %s", path, strerror(in ? ENOMEM : errno));
	if (!rc && fread(text, 1, EXPECT_MAX + 1, in) > EXPECT_MAX)
		rc = rct_fail(err, EFBIG, "%s is too long for a layout: more than 1 MB", path);
	if (!rc && ferror(in))
		rc = rct_fail(err, EIO, "cannot read %s: %s", path, strerror(errno));
	if (!rc)
		rc = rct_expect_parse(text, path, ret, err);
	if (in)
		fclose(in);
	free(text);
	return rc;
}

static bool is_ours(const struct rct_finding *f)
{
	static const char *const areas[] = { "irq.", "softirq.", "numa." };

	for (size_t i = 0; i < RCT_ARRAY_SIZE(areas); i++) {
		if (!strncmp(f->id, areas[i], strlen(areas[i])))
			return true;
	}
	return false;
}

static int report(const struct rct_options *o, struct rct_snapshot *s, const struct rct_expect *e)
{
	struct rct_findings f;
	size_t n = 0;
	int rc = rct_analyse(s, &f);

	rct_report_cost(&s->self);
	for (size_t i = 0; !rc && i < f.n; i++) {
		if (is_ours(&f.v[i]))
			f.v[n++] = f.v[i];
	}
	f.n = n;
	if (!rc && e->n)
		rc = rct_expect_judge(s, e, &f);
	if (rc) {
		fprintf(stderr, "rocetrace irq: no memory to judge the interrupts\n");
		rc = RCT_EXIT_FAIL;
	} else {
		rc = rct_report_findings(o, s, &f);
	}
	rct_findings_free(&f);
	return rc;
}

/* Prints a script or a table instead of a report. */
static int print(const struct rct_options *o, const struct rct_snapshot *s)
{
	struct rct_view view = { .width = rct_report_width(), .verbose = o->verbose };
	int err = o->fix ? rct_irq_fix(stdout, s, o->undo) : rct_irq_topology(stdout, s, &view);

	if (!err)
		return RCT_EXIT_OK;
	if (err != -EIO || errno != EPIPE)
		fprintf(stderr, "rocetrace irq: cannot write to standard output: %s\n",
			strerror(err == -EIO ? errno : -err));
	return RCT_EXIT_FAIL;
}

static int irq(const struct rct_options *o)
{
	bool prints = o->fix || o->topology;
	struct rct_snapshot s = {};
	struct rct_expect e = {};
	struct rct_err err = {};
	int rc = o->expect ? read_expected(o->expect, &e, &err) : 0;

	if (!rc)
		rc = read_host(o, !prints, &s, &err);
	if (rc)
		rc = fail(&err);
	else
		rc = prints ? print(o, &s) : report(o, &s, &e);
	rct_expect_free(&e);
	rct_snapshot_free(&s);
	return rc;
}

/* What has no meaning together. NULL: nothing. */
static const char *clash(const struct rct_options *o)
{
	if (o->undo && !o->fix)
		return "--undo belongs to --fix";
	if (o->fix && o->topology)
		return "--fix and --topology print different things: one of them";
	if ((o->fix || o->topology) && (o->json || o->expect))
		return "--fix and --topology print no report: without --json and --expect";
	return NULL;
}

int rct_cmd_irq(int argc, char **argv)
{
	struct rct_options o;
	int rc = rct_options_parse("irq", argc, argv, &o);
	const char *why = rc ? NULL : clash(&o);

	signal(SIGPIPE, SIG_IGN);
	if (why) {
		fprintf(stderr, "rocetrace irq: %s\nTry 'rocetrace irq --help'.\n", why);
		rc = RCT_EXIT_USAGE;
	} else if (!rc) {
		rc = irq(&o);
	} else if (rc == RCT_OPTIONS_HELP) {
		rc = RCT_EXIT_OK;
	}
	rct_options_free(&o);
	return rc;
}
