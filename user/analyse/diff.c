// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/diff.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyse/nics.h"

/* ---- rows */

static void say_object(struct rct_difference *r, const struct rct_diff_pair *p)
{
	char a[RCT_NIC_TEXT] = "", b[RCT_NIC_TEXT] = "";

	if (p->nic[0])
		rct_nic_text(p->nic[0], a);
	if (p->nic[1])
		rct_nic_text(p->nic[1], b);
	if (!*a || !*b || !strcmp(a, b))
		snprintf(r->object, sizeof(r->object), "%.78s", *a ? a : b);
	else
		snprintf(r->object, sizeof(r->object), "%.78s : %.78s", a, b);
	r->nics = 1;
}

struct rct_difference *rct_diff_add(struct rct_diff_case *c, enum rct_diff_kind kind, enum rct_severity severity,
				    const char *name, const struct rct_diff_pair *p)
{
	u32 n = c->d->n;
	struct rct_difference *r = rct_facts_add((void **)&c->d->v, &n, sizeof(*r));

	if (!r) {
		c->no_memory = true;
		r = memset(&c->spare, 0, sizeof(c->spare));
	}
	r->place = c->d->n;
	c->d->n = n;
	r->kind = kind;
	r->severity = severity;
	snprintf(r->name, sizeof(r->name), "%s", name);
	if (p)
		say_object(r, p);
	return r;
}

/* The same on every rail is said once. */
static bool said_of_another(struct rct_diff_case *c, enum rct_diff_kind kind, const char *name, const char *a, const char *b)
{
	for (size_t i = 0; kind == RCT_DIFF_NIC && i < c->d->n; i++) {
		struct rct_difference *r = &c->d->v[i];

		if (r->kind != kind || strcmp(r->name, name) || strncmp(r->v[0], a, sizeof(r->v[0]) - 1) ||
		    strncmp(r->v[1], b, sizeof(r->v[1]) - 1))
			continue;
		r->nics++;
		return true;
	}
	return false;
}

void rct_diff_unread(struct rct_diff_case *c, const char *name)
{
	char *list = c->d->unread;
	size_t len = strlen(list), n = strlen(name);

	for (const char *p = strstr(list, name); p; p = strstr(p + 1, name)) {
		if ((p == list || p[-1] == ' ') && (!p[n] || p[n] == ','))
			return;
	}
	if (len + n + 3 < sizeof(c->d->unread))
		snprintf(list + len, sizeof(c->d->unread) - len, "%s%s", len ? ", " : "", name);
}

void rct_diff_texts(struct rct_diff_case *c, enum rct_diff_kind kind, enum rct_severity severity, const char *name,
		    const struct rct_diff_pair *p, const char *a, const char *b, const char *why)
{
	struct rct_difference *r;

	if (!*a && !*b) {
		rct_diff_unread(c, name);
		return;
	}
	c->d->compared += *a && *b;
	if (!strcmp(a, b) || said_of_another(c, kind, name, a, b))
		return;
	r = rct_diff_add(c, kind, *a && *b ? severity : RCT_UNKNOWN_FINDING, name, p);
	RCT_SAY(r->v[0], "%s", a);
	RCT_SAY(r->v[1], "%s", b);
	RCT_SAY(r->why, "%s", why);
}

/* ---- pairs of NICs */

struct nic_list {
	const struct rct_nic **v;
	u32 n;
};

static void list_nics(struct rct_diff_case *c, u32 side, struct nic_list *ret)
{
	const struct rct_facts *f = c->d->s[side]->facts;

	ret->v = f && f->n_nics ? calloc(f->n_nics, sizeof(*ret->v)) : NULL;
	c->no_memory |= f && f->n_nics && !ret->v;
	for (u32 i = 0; ret->v && i < f->n_nics; i++) {
		if (rct_nic_roce(&f->nics[i]))
			ret->v[ret->n++] = &f->nics[i];
	}
}

static void pair(struct rct_diff_case *c, const struct rct_nic *a, const struct rct_nic *b)
{
	struct rct_diff_pair *p = rct_facts_add((void **)&c->pairs, &c->n_pairs, sizeof(*p));

	if (!p) {
		c->no_memory = true;
		return;
	}
	p->nic[0] = a;
	p->nic[1] = b;
	c->d->pairs += a && b;
}

static u32 find_name(const struct nic_list *l, const struct rct_nic *n)
{
	u32 i = 0;

	while (i < l->n && (!l->v[i] || l->v[i]->port != n->port || strcmp(l->v[i]->dev, n->dev)))
		i++;
	return i;
}

static u32 next_left(const struct nic_list *l, u32 i)
{
	while (i < l->n && !l->v[i])
		i++;
	return i;
}

/* Hosts of one number of NICs whose names differ: the order of the names is that of the rails. */
static bool names_tell(const struct nic_list l[2])
{
	for (u32 i = 0; i < l[0].n; i++) {
		if (l[0].n == l[1].n && find_name(&l[1], l[0].v[i]) == l[1].n)
			return false;
	}
	return true;
}

static void pair_all(struct rct_diff_case *c, struct nic_list l[2])
{
	bool by_name = names_tell(l);
	u32 k, j = 0;

	for (u32 i = 0; by_name && i < l[0].n; i++) {
		k = find_name(&l[1], l[0].v[i]);
		if (k == l[1].n)
			continue;
		pair(c, l[0].v[i], l[1].v[k]);
		c->d->by_name++;
		l[0].v[i] = l[1].v[k] = NULL;
	}
	for (u32 i = next_left(&l[0], 0); i < l[0].n; i = next_left(&l[0], i + 1)) {
		j = next_left(&l[1], j);
		pair(c, l[0].v[i], j < l[1].n ? l[1].v[j] : NULL);
		j += j < l[1].n;
	}
	for (j = next_left(&l[1], j); j < l[1].n; j = next_left(&l[1], j + 1))
		pair(c, NULL, l[1].v[j]);
}

static void make_pairs(struct rct_diff_case *c)
{
	struct nic_list l[2] = {};

	list_nics(c, 0, &l[0]);
	list_nics(c, 1, &l[1]);
	pair_all(c, l);
	free(l[0].v);
	free(l[1].v);
	for (u32 i = 0; i < c->n_pairs; i++) {
		const struct rct_diff_pair *p = &c->pairs[i];
		struct rct_difference *r;

		if (p->nic[0] && p->nic[1])
			continue;
		r = rct_diff_add(c, RCT_DIFF_NIC, RCT_WARNING, "nic", p);
		RCT_SAY(r->v[p->nic[0] ? 0 : 1], "there");
		RCT_SAY(r->why, "a rail that only one of the hosts has");
	}
}

/* ---- findings */

/* The worst of an id, at notice or above; NULL: none. */
static const struct rct_finding *worst_of(const struct rct_findings *f, const char *id)
{
	for (size_t i = 0; i < f->n; i++) {
		enum rct_severity s = f->v[i].severity;

		if (s != RCT_OK_FINDING && s != RCT_UNKNOWN_FINDING && !strcmp(f->v[i].id, id))
			return &f->v[i];
	}
	return NULL;
}

/* What one host said of an id, where it is not the same at the other. */
static void compare_finding(struct rct_diff_case *c, u32 side, const struct rct_finding *f)
{
	const struct rct_finding *other = worst_of(c->f[!side], f->id);
	struct rct_difference *r;

	if (worst_of(c->f[side], f->id) != f)
		return;
	if (other && other->severity >= f->severity) {
		c->d->compared += other->severity == f->severity && !side;
		return;
	}
	r = rct_diff_add(c, RCT_DIFF_FINDING, f->severity, f->id, NULL);
	RCT_SAY(r->object, "%s", f->object);
	RCT_SAY(r->v[side], "%s", rct_severity_name(f->severity));
	RCT_SAY(r->v[!side], "%s", other ? rct_severity_name(other->severity) : "");
	RCT_SAY(r->why, "%s", f->title);
}

void rct_diff_findings(struct rct_diff_case *c)
{
	for (u32 side = 0; side < RCT_DIFF_SIDES; side++) {
		for (size_t i = 0; i < c->f[side]->n; i++)
			compare_finding(c, side, &c->f[side]->v[i]);
	}
}

/* ---- all */

/* What is known comes before what is not, and that before what is alike. */
static int rank_of(const struct rct_difference *r)
{
	return r->severity == RCT_UNKNOWN_FINDING ? 1 : r->severity == RCT_OK_FINDING ? 0 : 1 + (int)r->severity;
}

static int order(const void *x, const void *y)
{
	const struct rct_difference *a = x, *b = y;

	if (rank_of(a) != rank_of(b))
		return rank_of(a) > rank_of(b) ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return a->place < b->place ? -1 : 1;
}

int rct_diff_make(const struct rct_snapshot *const s[RCT_DIFF_SIDES],
		  const struct rct_findings *const f[RCT_DIFF_SIDES], struct rct_diff *ret)
{
	struct rct_diff_case c = { .d = ret, .f = f };

	memset(ret, 0, sizeof(*ret));
	ret->s[0] = s[0];
	ret->s[1] = s[1];
	make_pairs(&c);
	rct_diff_settings(&c);
	rct_diff_jobs(&c);
	rct_diff_findings(&c);
	rct_diff_rates(&c);
	free(c.pairs);
	if (c.no_memory)
		return -ENOMEM;
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), order);
	return 0;
}
