// SPDX-License-Identifier: BSD-2-Clause
/* `rocetrace read`: the report from capture files. */
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

#include "capture/pcapfile.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/report.h"

/* --json=FILE would overwrite what is to be read. */
static bool is_input(const struct rct_options *o)
{
	struct stat out, in;

	if (!o->json_out || fstat(fileno(o->json_out), &out) || !S_ISREG(out.st_mode))
		return false;
	for (int i = 0; i < o->n_rest; i++) {
		if (!stat(o->rest[i], &in) && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
			return true;
	}
	return false;
}

/* A damaged file: the reason, the report of what came before, and exit status 1. */
static int read_and_report(const struct rct_options *o)
{
	struct rct_snapshot s = { .command = "read" };
	struct rct_err err = {};
	int damage, rc;

	if (is_input(o)) {
		fprintf(stderr, "rocetrace read: --json=%s is one of the files to read\n", o->json_file);
		return RCT_EXIT_USAGE;
	}
	damage = rct_pcapfile_read((const char *const *)o->rest, o->n_rest, &s, &err);
	if (damage)
		fprintf(stderr, "rocetrace: %s\n", err.text);
	rct_report_cost(&s.self);
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
