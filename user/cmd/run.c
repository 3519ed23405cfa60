// SPDX-License-Identifier: BSD-2-Clause
/* `rocetrace run`: attach, wait, report. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/caps.h"
#include "capture/live.h"
#include "cmd/child.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/report.h"
#include "collect/collect.h"
#include "sysinfo/generate.h"

#define POLL_MS		100
#define PROGRESS_S	0.5
#define CHILD_S		5	/* that a command has to end after a signal */

static volatile sig_atomic_t stop_signal;

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/*
 * The first Ctrl-C asks for the report. Another one ends at once, but not within a
 * second: an impatient double press shall not cost the trace.
 */
static void on_signal(int sig)
{
	static double first;

	if (!stop_signal) {
		first = now_s();
		stop_signal = sig;
	} else if (now_s() - first > 1) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
}

/* A report that is being written goes on; a sleep ends all the same. */
static void catch_signals(void)
{
	struct sigaction a = { .sa_handler = on_signal, .sa_flags = SA_RESTART }, was;

	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
	/* what nohup ignores stays ignored */
	if (!sigaction(SIGHUP, NULL, &was) && was.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &a, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);	/* ignored, as some parents leave it, CMD's status would be lost */
}

/* One line on a terminal's stderr, rewritten in place. */
static void progress(struct rct_live *l, double seconds, bool last)
{
	u64 bytes, flows;

	if (last) {
		fprintf(stderr, "\r\033[K");
		return;
	}
	rct_live_progress(l, &bytes, &flows);
	fprintf(stderr, "\r\033[K%.0f s  %llu flows  %.1f MB of RoCE", seconds,
		(unsigned long long)flows, bytes / 1e6);
}

/*
 * What the host tells besides packets, at the start and at the end. It is one source of
 * several: without it the report goes on.
 */
struct facts {
	struct rct_reading before, after;
};

static void read_facts(struct rct_reading *ret)
{
	struct rct_err err = {};
	struct rct_root root;
	int rc = rct_root_open(&root, NULL, rct_generate);

	if (!rc) {
		rc = rct_reading_take(&root, 0, ret, &err);
		rct_root_close(&root);
	} else {
		rct_fail(&err, -rc, "cannot read /: %s", strerror(-rc));
	}
	if (rc)
		fprintf(stderr, "rocetrace: %s\n", err.text);
}

static int add_facts(struct rct_snapshot *s, struct facts *f, struct rct_err *err)
{
	if (!f || !f->before.facts || !f->after.facts)
		return 0;
	if (rct_collect_facts(s, &f->before, &f->after))
		return rct_fail(err, ENOMEM, "no memory for the facts of the host");
	return 0;
}

/* f: NULL: without facts. */
static int report(struct rct_live *l, const struct rct_options *o, struct facts *f)
{
	struct rct_snapshot s = {};
	struct rct_err err = {};
	int rc = rct_live_snapshot(l, &s, &err);

	if (!rc)
		rc = add_facts(&s, f, &err);
	if (rc) {
		fprintf(stderr, "rocetrace: %s\n", err.text);
		rc = RCT_EXIT_FAIL;
	} else {
		s.command = "run";
		rc = rct_report(o, &s);
	}
	rct_snapshot_free(&s);
	return rc;
}

/* With a command, -t only bounds it where it was given. */
static bool bounded(const struct rct_options *o)
{
	return o->seconds > 0 && (!o->has_cmd || o->seconds_set);
}

static bool ended(const struct rct_options *o, const struct rct_child *c, double elapsed)
{
	if (o->has_cmd && c->done)
		return true;
	return bounded(o) && elapsed >= o->seconds;
}

/* How long to sleep: until the next thing that is due. */
static int wait_ms(const struct rct_options *o, double elapsed, double next_report)
{
	double until = POLL_MS / 1e3;

	if (bounded(o) && o->seconds - elapsed < until)
		until = o->seconds - elapsed;
	if (o->interval > 0 && next_report - elapsed < until)
		until = next_report - elapsed;
	return until > 0.001 ? (int)(until * 1e3) : 1;
}

/* Until time, Ctrl-C or the command's end. Returns an exit code of a report on the way. */
static int trace(struct rct_live *l, const struct rct_options *o, struct rct_child *c)
{
	double start = now_s(), elapsed = 0, next_report = o->interval, next_progress = 0;
	bool tty = isatty(STDERR_FILENO) && !o->quiet;
	int rc = 0, worst = RCT_EXIT_OK;

	while (!stop_signal && !ended(o, c, elapsed)) {
		rc = rct_live_poll(l, wait_ms(o, elapsed, next_report));
		elapsed = now_s() - start;
		rct_child_look(c);
		if (rc && rc != -EINTR) {
			fprintf(stderr, "rocetrace: tracing ended early: %s\n", strerror(-rc));
			return RCT_EXIT_FAIL;
		}
		if (tty && elapsed >= next_progress) {
			progress(l, elapsed, false);
			next_progress = elapsed + PROGRESS_S;
		}
		if (o->interval > 0 && elapsed >= next_report && !ended(o, c, elapsed)) {
			if (tty)
				progress(l, elapsed, true);
			rc = report(l, o, NULL);
			if (rc == RCT_EXIT_FAIL)
				return rc;
			if (rc > worst)
				worst = rc;
			next_report += o->interval;
		}
	}
	if (tty)
		progress(l, elapsed, true);
	return worst;
}

/* CMD's status is ours unless --fail-on was asked for; own failure is 125 then. */
static int exit_code(const struct rct_options *o, const struct rct_child *c, int rc)
{
	if (!o->has_cmd)
		return rc;
	if (rc == RCT_EXIT_FAIL)
		return RCT_EXIT_OWN;
	if (o->fail_set && rc == RCT_EXIT_FINDING)
		return rc;
	return c->done ? c->status : stop_signal ? 128 + stop_signal : RCT_EXIT_OK;
}

/*
 * After the report: CMD's status is to be ours. It goes on where only -t ended the
 * trace; after a signal, which it got as well, it has some seconds.
 */
static void wait_for_child(struct rct_child *c)
{
	double until = now_s() + CHILD_S;

	while (c->pid && !c->done && !(stop_signal && now_s() > until)) {
		struct timespec t = { .tv_nsec = 20000000 };

		rct_child_look(c);
		if (!c->done)
			nanosleep(&t, NULL);
	}
}

static int run(const struct rct_options *o, struct rct_child *c, struct facts *f)
{
	struct rct_live_config cfg = {
		.ifaces = o->ifaces, .n_ifaces = o->n_ifaces, .any = o->any, .hook = o->hook,
		.promiscuous = !o->no_promisc, .flows = o->flows,
	};
	struct rct_live *l = NULL;
	struct rct_err err = {};
	int rc, last;

	if (o->has_cmd && (rc = rct_child_prepare(c, o->rest))) {
		fprintf(stderr, "rocetrace: cannot start %s: %s\n", o->rest[0], strerror(-rc));
		return RCT_EXIT_FAIL;
	}
	read_facts(&f->before);
	rc = rct_live_start(&cfg, &l, &err);
	if (rc) {
		fprintf(stderr, "rocetrace: %s\n", err.text);
		rct_child_signal(c, SIGKILL);
		return RCT_EXIT_FAIL;
	}
	if (rct_caps_drop_after_attach(false, &err))
		fprintf(stderr, "rocetrace: %s\n", err.text);
	if (!o->quiet)
		fprintf(stderr, "rocetrace: tracing%s\n", o->seconds > 0 || o->has_cmd ? "" : ", Ctrl-C ends it and prints the report");
	rct_child_go(c);
	rc = trace(l, o, c);
	if (stop_signal)
		rct_child_signal(c, stop_signal);
	rct_live_stop(l);
	if (rc != RCT_EXIT_FAIL) {
		read_facts(&f->after);
		last = report(l, o, f);
		if (last != RCT_EXIT_OK)
			rc = last;
	}
	rct_live_free(l);
	return rc;
}

int rct_cmd_run(int argc, char **argv)
{
	struct rct_child c = { .go = -1 };
	struct facts f = {};
	struct rct_options o;
	int rc = rct_options_parse("run", argc, argv, &o);

	if (!rc) {
		catch_signals();
		rc = run(&o, &c, &f);
		if (rc != RCT_EXIT_FAIL)
			wait_for_child(&c);
		rc = exit_code(&o, &c, rc);
		rct_reading_free(&f.before);
		rct_reading_free(&f.after);
	} else if (rc == RCT_OPTIONS_HELP) {
		rc = RCT_EXIT_OK;
	} else if (rc == RCT_EXIT_FAIL && o.has_cmd) {
		rc = RCT_EXIT_OWN;
	}
	rct_options_free(&o);
	return rc;
}
