// SPDX-License-Identifier: BSD-2-Clause
#include "collect/collect.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/guard.h"
#include "collect/cover.h"
#include "model/facts.h"
#include "sysinfo/facts.h"

/* ---- reading */

static int keep_hung(const struct rct_guard *g, struct rct_reading *r)
{
	const char *name;
	size_t n = 0;

	while (rct_guard_hung(g, n))
		n++;
	if (!n)
		return 0;
	r->hung = calloc(n, sizeof(*r->hung));
	if (!r->hung)
		return -ENOMEM;
	for (; (name = rct_guard_hung(g, r->n_hung)); r->n_hung++)
		snprintf(r->hung[r->n_hung].source, sizeof(r->hung[0].source), "%.63s", name);
	return 0;
}

static int read_facts(struct rct_root *root, unsigned ms, struct rct_reading *ret, struct rct_err *err)
{
	int rc;

	root->guard = rct_root_captured(root) ? NULL : rct_guard_new(ms);
	if (!root->guard && !rct_root_captured(root))
		return rct_fail(err, EAGAIN, "cannot start a thread that reads the host's files");
	rc = rct_facts_read(root, ret->facts, err);
	if (!rc && root->guard && keep_hung(root->guard, ret))
		rc = rct_fail(err, ENOMEM, "no memory for the facts of the host");
	rct_guard_free(root->guard);
	root->guard = NULL;
	return rc;
}

int rct_reading_take(struct rct_root *root, unsigned ms, struct rct_reading *ret, struct rct_err *err)
{
	int rc;

	memset(ret, 0, sizeof(*ret));
	ret->facts = calloc(1, sizeof(*ret->facts));
	if (!ret->facts)
		return rct_fail(err, ENOMEM, "no memory for the facts of the host");
	rc = read_facts(root, ms ? ms : RCT_GUARD_MS, ret, err);
	if (rc)
		rct_reading_free(ret);
	return rc;
}

void rct_reading_free(struct rct_reading *r)
{
	if (r->facts) {
		rct_facts_free(r->facts);
		free(r->facts);
	}
	free(r->hung);
	memset(r, 0, sizeof(*r));
}

/* ---- into a snapshot */

static struct rct_facts *take(struct rct_facts **from)
{
	struct rct_facts *f = *from;

	*from = NULL;
	return f;
}

static bool told_before(const struct rct_reading *r, const char *source)
{
	for (size_t i = 0; r && i < r->n_hung; i++) {
		if (!strcmp(r->hung[i].source, source))
			return true;
	}
	return false;
}

/* ---- what only the first reading had the rights for */

#define SWAP(a, b)	do { typeof(a) tmp = (a); (a) = (b); (b) = tmp; } while (0)

static void lend_env(struct rct_proc *from, struct rct_proc *to)
{
	if (to->env_read || !from->env_read || strcmp(from->comm, to->comm))
		return;
	SWAP(from->env, to->env);
	SWAP(from->n_env, to->n_env);
	SWAP(from->env_read, to->env_read);
}

/* A process that only its environment had told of is not in the second list at all. */
static void lend_procs(struct rct_facts *from, struct rct_facts *to)
{
	if (!to->n_procs) {
		SWAP(from->procs, to->procs);
		SWAP(from->n_procs, to->n_procs);
		return;
	}
	for (u32 i = 0; i < to->n_procs; i++) {
		for (u32 k = 0; k < from->n_procs; k++) {
			if (from->procs[k].pid == to->procs[i].pid)
				lend_env(&from->procs[k], &to->procs[i]);
		}
	}
}

static void lend(struct rct_facts *from, struct rct_facts *to)
{
	lend_procs(from, to);
	if (!to->log_read) {
		SWAP(from->log, to->log);
		SWAP(from->n_log, to->n_log);
		SWAP(from->log_read, to->log_read);
	}
	/* the tracer gave its own up in between: what it could do is what it had */
	to->caps = from->caps;
	to->caps_read = from->caps_read;
	if (!to->n_pcis) {
		SWAP(from->pcis, to->pcis);
		SWAP(from->n_pcis, to->n_pcis);
	}
}

/* CPUs of a list such as "0-31,64". */
static u32 count_list(const char *list)
{
	unsigned from, to;
	u32 n = 0;
	int used;

	while (sscanf(list, "%u%n", &from, &used) == 1) {
		list += used;
		to = from;
		if (*list == '-' && sscanf(list, "-%u%n", &to, &used) == 1)
			list += used;
		n += to >= from ? to - from + 1 : 0;
		list += *list == ',';
	}
	return n;
}

int rct_collect_facts(struct rct_snapshot *s, struct rct_reading *before, struct rct_reading *after)
{
	int rc = 0;

	if (before)
		s->before = take(&before->facts);
	s->facts = take(&after->facts);
	if (before)
		lend(s->before, s->facts);
	if (!s->cpus) {
		s->cpus = count_list(s->facts->cpus_online);
		s->nodes = s->facts->n_nodes;
	}
	for (size_t i = 0; before && i < before->n_hung && !rc; i++)
		rc = rct_cover_hung(s, before->hung[i].source);
	for (size_t i = 0; i < after->n_hung && !rc; i++) {
		if (!told_before(before, after->hung[i].source))
			rc = rct_cover_hung(s, after->hung[i].source);
	}
	return rc ? rc : rct_cover_facts(s);
}

/* ---- whose they are */

void rct_collect_host(struct rct_snapshot *s, const struct rct_root *root, const char *name)
{
	const char *last = strrchr(name, '/');

	if (rct_root_line(root, s->host, sizeof(s->host), "proc/sys/kernel/hostname") || !*s->host)
		snprintf(s->host, sizeof(s->host), "%s", last && last[1] ? last + 1 : name);
	/* what is not there stays empty: unknown */
	rct_root_line(root, s->kernel, sizeof(s->kernel), "proc/sys/kernel/osrelease");
	rct_root_line(root, s->boot_id, sizeof(s->boot_id), "proc/sys/kernel/random/boot_id");
}
