// SPDX-License-Identifier: BSD-2-Clause
/* What the processes of a job were told on two hosts. */
#include <stdio.h>
#include <stdlib.h>

#include "analyse/diff.h"
#include "analyse/hosts.h"
#include "analyse/job.h"

/* One host's: a process of the job whose environment was read (NULL: none), and the job's log. */
struct side {
	const struct rct_facts *f;
	const struct rct_proc *p;
};

static struct side side_of(const struct rct_snapshot *s)
{
	struct side ret = { .f = s->facts };

	for (u32 i = 0; ret.f && i < ret.f->n_procs && !ret.p; i++) {
		if (ret.f->procs[i].env_read && rct_proc_is_job(&ret.f->procs[i]))
			ret.p = &ret.f->procs[i];
	}
	return ret;
}

static bool told(const struct side *s)
{
	return s->p || (s->f && s->f->nccl.n_env);
}

/* ---- the names of all variables, each once */

struct names {
	const char **v;
	u32 n;
};

static void add_names(struct rct_diff_case *c, struct names *l, const struct rct_env *env, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		const char **new;
		u32 k = 0;

		while (k < l->n && strcmp(l->v[k], env[i].name))
			k++;
		if (k < l->n)
			continue;
		new = rct_facts_add((void **)&l->v, &l->n, sizeof(*new));
		if (new)
			*new = env[i].name;
		c->no_memory |= !new;
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static struct names all_names(struct rct_diff_case *c, const struct side s[2])
{
	struct names l = { .n = 0 };

	for (u32 i = 0; i < 2; i++) {
		if (s[i].p)
			add_names(c, &l, s[i].p->env, s[i].p->n_env);
		add_names(c, &l, s[i].f->nccl.env, s[i].f->nccl.n_env);
	}
	if (l.n)
		qsort(l.v, l.n, sizeof(*l.v), by_name);
	return l;
}

/* ---- */

static void say_who(const struct side s[2], struct rct_difference *r)
{
	char a[RCT_NIC_TEXT] = "job's log", b[RCT_NIC_TEXT] = "job's log";

	if (s[0].p)
		rct_proc_text(s[0].p, a);
	if (s[1].p)
		rct_proc_text(s[1].p, b);
	if (strcmp(a, b))
		snprintf(r->object, sizeof(r->object), "%.78s : %.78s", a, b);
	else
		snprintf(r->object, sizeof(r->object), "%.78s", a);
}

static void compare_variable(struct rct_diff_case *c, const struct side s[2], const char *name)
{
	const char *v[2] = { rct_job_env(s[0].f, s[0].p, name), rct_job_env(s[1].f, s[1].p, name) };
	bool alike = rct_env_must_agree(name);
	struct rct_difference *r;

	c->d->compared++;
	if (!v[0] == !v[1] && (!v[0] || !strcmp(v[0], v[1])))
		return;
	r = rct_diff_add(c, RCT_DIFF_JOB, alike ? RCT_WARNING : RCT_NOTICE, name, NULL);
	say_who(s, r);
	for (u32 i = 0; i < 2; i++)
		RCT_SAY(r->v[i], "%s", !v[i] ? "" : *v[i] ? v[i] : "(empty)");
	if (rct_env_is_job_id(name))
		RCT_SAY(r->why, "these are not processes of one job");
	else if (alike)
		RCT_SAY(r->why, "all ranks of a job need the same");
}

void rct_diff_jobs(struct rct_diff_case *c)
{
	struct side s[2] = { side_of(c->d->s[0]), side_of(c->d->s[1]) };
	struct rct_difference *r;
	struct names l;
	char who[RCT_NIC_TEXT];

	if (!told(&s[0]) && !told(&s[1])) {
		rct_diff_unread(c, "environment of jobs");
		return;
	}
	if (!told(&s[0]) || !told(&s[1])) {
		u32 side = told(&s[1]);

		r = rct_diff_add(c, RCT_DIFF_JOB, RCT_UNKNOWN_FINDING, "job", NULL);
		RCT_SAY(r->v[side], "%s", s[side].p ? rct_proc_text(s[side].p, who) : "job's log");
		RCT_SAY(r->why, "on the other host no process of a job could be read");
		return;
	}
	l = all_names(c, s);
	for (u32 i = 0; i < l.n; i++)
		compare_variable(c, s, l.v[i]);
	free(l.v);
}
