// SPDX-License-Identifier: BSD-2-Clause
/*
 * `rocetrace check`: what configuration, counters and logs say, of this host now or of
 * captured ones. No packet is looked at, and nothing is attached or changed.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyse/analyse.h"
#include "cmd/captured.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/report.h"

static int fail(const struct rct_err *err)
{
	fprintf(stderr, "rocetrace: %s\n", err->text);
	return RCT_EXIT_FAIL;
}

/* h NULL: the running host. */
static int read_host(const struct rct_options *o, const struct rct_captured *h, struct rct_snapshot *s,
		     struct rct_err *err)
{
	int rc;

	s->command = "check";
	rc = rct_captured_read(h, o->nccl_log, s, err);
	rct_report_cost(&s->self);
	return rc;
}

/* ---- hosts */

static int check_captured(const struct rct_options *o, const char *name, struct rct_snapshot *s)
{
	struct rct_captured h;
	struct rct_err err = {};
	int rc = rct_captured_open(name, &h, &err);

	if (!rc)
		rc = read_host(o, &h, s, &err);
	rct_captured_close(&h);
	return rc ? fail(&err) : rct_report(o, s);
}

/* --sysroot, or the running host. */
static int check_one(const struct rct_options *o)
{
	struct rct_captured h = { .after = NULL };
	struct rct_snapshot s = {};
	struct rct_err err = {};
	int rc;

	if (o->n_sysroots) {
		h.after = (char *)o->sysroots[o->n_sysroots - 1];
		h.before = o->n_sysroots == 2 ? (char *)o->sysroots[0] : NULL;
	}
	rc = read_host(o, o->n_sysroots ? &h : NULL, &s, &err);
	rc = rc ? fail(&err) : rct_report(o, &s);
	rct_snapshot_free(&s);
	return rc;
}

/* One that can't be read makes the whole incomplete. */
static int worse(int a, int b)
{
	if (a == RCT_EXIT_FAIL || b == RCT_EXIT_FAIL)
		return RCT_EXIT_FAIL;
	return a > b ? a : b;
}

/* What the hosts say beside each other, as a report of its own. */
static int check_together(const struct rct_options *o, const struct rct_snapshot *const *s, size_t n)
{
	struct rct_snapshot all = { .command = "check" };
	struct rct_findings f;
	size_t used = 0;
	int rc;

	for (size_t i = 0; i < n && used < sizeof(all.host); i++)
		used += snprintf(all.host + used, sizeof(all.host) - used, "%s%s", i ? " + " : "", s[i]->host);
	if (rct_analyse_hosts(s, n, &f)) {
		fprintf(stderr, "rocetrace: no memory to judge %zu hosts together\n", n);
		return RCT_EXIT_FAIL;
	}
	rct_report_cost(&all.self);
	rc = rct_report_findings(o, &all, &f);
	rct_findings_free(&f);
	return rc;
}

static int check_hosts(struct rct_options *o)
{
	struct rct_snapshot *s = calloc(o->n_rest, sizeof(*s));
	const struct rct_snapshot **read = calloc(o->n_rest, sizeof(*read));
	int rc = RCT_EXIT_OK, n = 0;

	if (!s || !read) {
		free(s);
		free(read);
		fprintf(stderr, "rocetrace: no memory for %d hosts\n", o->n_rest);
		return RCT_EXIT_FAIL;
	}
	o->many = o->n_rest > 1;
	for (int i = 0; i < o->n_rest; i++) {
		rc = worse(rc, check_captured(o, o->rest[i], &s[i]));
		if (s[i].facts)
			read[n++] = &s[i];
	}
	if (n > 1)
		rc = worse(rc, check_together(o, read, n));
	for (int i = 0; i < o->n_rest; i++)
		rct_snapshot_free(&s[i]);
	free(s);
	free(read);
	return rc;
}

int rct_cmd_check(int argc, char **argv)
{
	struct rct_options o;
	int rc = rct_options_parse("check", argc, argv, &o);

	signal(SIGPIPE, SIG_IGN);
	if (!rc)
		rc = o.n_rest ? check_hosts(&o) : check_one(&o);
	else if (rc == RCT_OPTIONS_HELP)
		rc = RCT_EXIT_OK;
	rct_options_free(&o);
	return rc;
}
