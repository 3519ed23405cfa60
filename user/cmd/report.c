// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/report.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "analyse/analyse.h"
#include "cmd/cmd.h"

#define WIDTH_NO_TTY	100
#define WIDTH_LEAST	40
#define WIDTH_MOST	1000

/* ---- --host, --qp */

static bool host_wanted(const struct rct_options *o, const struct rct_key *k)
{
	for (size_t i = 0; i < o->n_hosts; i++) {
		if (!memcmp(&o->hosts[i], k->src, sizeof(k->src)) ||
		    !memcmp(&o->hosts[i], k->dst, sizeof(k->dst)))
			return true;
	}
	return !o->n_hosts;
}

static bool qp_wanted(const struct rct_options *o, const struct rct_flow *f)
{
	for (size_t i = 0; i < o->n_qps; i++) {
		if (f->key.dest_qp == o->qps[i] || (f->peer_by && f->peer_qp == o->qps[i]))
			return true;
	}
	return !o->n_qps;
}

static void keep_wanted(const struct rct_options *o, struct rct_snapshot *s)
{
	size_t n = 0;

	if (!o->n_hosts && !o->n_qps)
		return;
	for (size_t i = 0; i < s->n_flows; i++) {
		if (host_wanted(o, &s->flows[i].key) && qp_wanted(o, &s->flows[i]))
			s->flows[n++] = s->flows[i];
	}
	s->n_flows = n;
}

/* ---- output */

int rct_report_width(void)
{
	const char *columns = getenv("COLUMNS");
	int n = columns ? atoi(columns) : 0;
	struct winsize w;

	if (n <= 0 && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &w))
		n = w.ws_col;
	if (n <= 0)
		return WIDTH_NO_TTY;
	return n < WIDTH_LEAST ? WIDTH_LEAST : n > WIDTH_MOST ? WIDTH_MOST : n;
}

static bool want_color(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no && *no) && !(term && !strcmp(term, "dumb"));
}

static int write_text(const struct rct_options *o, const struct rct_snapshot *s,
		      const struct rct_findings *f)
{
	struct rct_view view = {
		.width = rct_report_width(), .color = want_color(), .top = o->top, .sort = o->sort,
		.verbose = o->quiet ? -1 : o->verbose,
	};

	int err = rct_render_text(stdout, s, f, &view);

	if (!err && (o->interval > 0 || o->many) && view.verbose >= 0)
		putchar('\n');		/* between two reports */
	return err;
}

/* A reader that went away has seen what it wanted: no message for a closed pipe. */
static int failed(int err, int saved_errno, const char *where)
{
	if (err == -EIO && saved_errno == EPIPE)
		return RCT_EXIT_FAIL;
	fprintf(stderr, "rocetrace: cannot write the report to %s: %s\n", where,
		strerror(err == -EIO ? saved_errno : -err));
	return RCT_EXIT_FAIL;
}

static int write_all(const struct rct_options *o, const struct rct_snapshot *s,
		     const struct rct_findings *f)
{
	bool compact = o->interval > 0 || o->many;
	int err, rc;

	errno = 0;
	if (o->json && !o->json_out)
		err = rct_render_json(stdout, s, f, compact);
	else
		err = write_text(o, s, f);
	rc = err ? failed(err, errno, "standard output") : RCT_EXIT_OK;
	if (!o->json_out)
		return rc;
	errno = 0;
	/* the first report takes the place of what the file held; a pipe holds nothing */
	if (!ftello(o->json_out) && ftruncate(fileno(o->json_out), 0) && errno != EINVAL)
		return failed(-EIO, errno, o->json_file);
	errno = 0;
	err = rct_render_json(o->json_out, s, f, compact);
	return err ? failed(err, errno, o->json_file) : rc;
}

/* ---- cost */

void rct_report_cost(struct rct_self *self)
{
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u))
		return;
	self->cpu_seconds = u.ru_utime.tv_sec + u.ru_stime.tv_sec +
			    (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
	self->rss_bytes = (u64)u.ru_maxrss * 1024;
}

/* ---- verdict */

static bool must_fail(const struct rct_options *o, const struct rct_findings *f)
{
	for (size_t i = 0; i < f->n; i++) {
		enum rct_severity s = f->v[i].severity;

		if (s == RCT_UNKNOWN_FINDING ? o->fail_unknown : o->fail_on && s >= o->fail_on)
			return true;
	}
	return false;
}

int rct_report_findings(const struct rct_options *o, const struct rct_snapshot *s,
			const struct rct_findings *f)
{
	int rc = write_all(o, s, f);

	return !rc && must_fail(o, f) ? RCT_EXIT_FINDING : rc;
}

int rct_report(const struct rct_options *o, struct rct_snapshot *s)
{
	struct rct_findings f;
	size_t flows;
	int rc;

	flows = s->n_flows;
	keep_wanted(o, s);
	if (flows && !s->n_flows)
		fprintf(stderr, "rocetrace: none of %zu flows is of the --host or --qp that was asked for\n", flows);
	if (rct_analyse(s, &f)) {
		fprintf(stderr, "rocetrace: no memory to judge %zu flows\n", s->n_flows);
		return RCT_EXIT_FAIL;
	}
	rc = rct_report_findings(o, s, &f);
	rct_findings_free(&f);
	return rc;
}
