// SPDX-License-Identifier: BSD-2-Clause
/* `rocetrace read`: the report from capture files. */
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

#include "capture/pcapfile.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/report.h"

static void own_cost(struct rct_self *self)
{
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u))
		return;
	self->cpu_seconds = u.ru_utime.tv_sec + u.ru_stime.tv_sec +
			    (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
	self->rss_bytes = (u64)u.ru_maxrss * 1024;
}

/* A damaged file: the reason, the report of what came before, and exit status 1. */
static int read_and_report(const struct rct_options *o)
{
	struct rct_snapshot s = { .command = "read" };
	struct rct_err err = {};
	int damage, rc;

	damage = rct_pcapfile_read((const char *const *)o->rest, o->n_rest, &s, &err);
	if (damage)
		fprintf(stderr, "rocetrace: %s\n", err.text);
	own_cost(&s.self);
	/* of nothing there is no report */
	rc = damage && !s.totals.packets ? RCT_EXIT_FAIL : rct_report(o, &s);
	rct_snapshot_free(&s);
	return damage ? RCT_EXIT_FAIL : rc;
}

int rct_cmd_read(int argc, char **argv)
{
	struct rct_options o;
	int rc = rct_options_parse("read", argc, argv, &o);

	/* a closed pipe is an error of the write, which the report looks at */
	signal(SIGPIPE, SIG_IGN);
	if (!rc)
		rc = read_and_report(&o);
	else if (rc == RCT_OPTIONS_HELP)
		rc = RCT_EXIT_OK;
	rct_options_free(&o);
	return rc;
}
