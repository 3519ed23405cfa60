// SPDX-License-Identifier: BSD-2-Clause
/*
 * `rocetrace diff HOST HOST`: what differs that matters between two captured hosts, or two
 * times of one.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "analyse/analyse.h"
#include "analyse/diff.h"
#include "cmd/captured.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/report.h"
#include "render/diff.h"

/* Both, and what was found on each. */
struct both {
	struct rct_snapshot s[RCT_DIFF_SIDES];
	struct rct_findings f[RCT_DIFF_SIDES];
};

static int read_one(const struct rct_options *o, int side, struct both *b, struct rct_err *err)
{
	struct rct_captured h;
	int rc = rct_captured_open(o->rest[side], &h, err);

	b->s[side].command = "diff";
	if (!rc)
		rc = rct_captured_read(&h, NULL, &b->s[side], err);
	rct_captured_close(&h);
	if (!rc && rct_analyse(&b->s[side], &b->f[side]))
		rc = rct_fail(err, ENOMEM, "no memory to judge %s", o->rest[side]);
	return rc;
}

/* Two times of one host are told apart by what the user called them. */
static void name_them(const struct rct_options *o, const struct both *b, struct rct_diff_view *view)
{
	bool same = !strcmp(b->s[0].host, b->s[1].host);

	for (int side = 0; side < RCT_DIFF_SIDES; side++)
		view->label[side] = same ? o->rest[side] : b->s[side].host;
}

static bool must_fail(const struct rct_options *o, const struct rct_diff *d)
{
	for (size_t i = 0; i < d->n; i++) {
		enum rct_severity s = d->v[i].severity;

		if (s == RCT_UNKNOWN_FINDING ? o->fail_unknown : o->fail_on && s >= o->fail_on)
			return true;
	}
	return false;
}

static int failed(int err, const char *where)
{
	int saved = errno;

	if (err != -EIO || saved != EPIPE)
		fprintf(stderr, "rocetrace diff: cannot write to %s: %s\n", where, strerror(err == -EIO ? saved : -err));
	return RCT_EXIT_FAIL;
}

static int report(const struct rct_options *o, const struct both *b, const struct rct_diff *d)
{
	struct rct_diff_view view = { .width = rct_report_width(), .verbose = o->quiet ? -1 : o->verbose };
	int err = 0;

	name_them(o, b, &view);
	errno = 0;
	if (o->json_out)
		err = rct_render_diff_json(o->json_out, d, &view);
	if (err)
		return failed(err, o->json_file);
	errno = 0;
	if (o->json && !o->json_out)
		err = rct_render_diff_json(stdout, d, &view);
	else
		err = rct_render_diff_text(stdout, d, &view);
	if (err)
		return failed(err, "standard output");
	return must_fail(o, d) ? RCT_EXIT_FINDING : RCT_EXIT_OK;
}

static int compare(const struct rct_options *o, struct both *b)
{
	const struct rct_snapshot *s[] = { &b->s[0], &b->s[1] };
	const struct rct_findings *f[] = { &b->f[0], &b->f[1] };
	struct rct_diff d = {};
	struct rct_err err = {};
	int rc = 0;

	for (int side = 0; side < RCT_DIFF_SIDES && !rc; side++)
		rc = read_one(o, side, b, &err);
	if (!rc && rct_diff_make(s, f, &d))
		rc = rct_fail(&err, ENOMEM, "no memory to compare the hosts");
	if (rc) {
		fprintf(stderr, "rocetrace diff: %s\n", err.text);
		rc = RCT_EXIT_FAIL;
	} else {
		rc = report(o, b, &d);
	}
	rct_diff_free(&d);
	return rc;
}

int rct_cmd_diff(int argc, char **argv)
{
	struct rct_options o;
	struct both b = {};
	int rc = rct_options_parse("diff", argc, argv, &o);

	signal(SIGPIPE, SIG_IGN);
	if (!rc)
		rc = compare(&o, &b);
	else if (rc == RCT_OPTIONS_HELP)
		rc = RCT_EXIT_OK;
	for (int side = 0; side < RCT_DIFF_SIDES; side++) {
		rct_findings_free(&b.f[side]);
		rct_snapshot_free(&b.s[side]);
	}
	rct_options_free(&o);
	return rc;
}
