// SPDX-License-Identifier: BSD-2-Clause
#include "render/host.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "model/facts.h"

double rct_interval_seconds(const struct rct_snapshot *s)
{
	double seconds = -1;

	if (s->start_ns)
		return (s->end_ns - s->start_ns) / 1e9;
	if (s->before && s->facts)
		seconds = rct_facts_seconds(s->before, s->facts);
	return seconds > 0 ? seconds : -1;
}

static u32 roce_nics(const struct rct_facts *f)
{
	u32 n = 0;

	for (u32 i = 0; i < f->n_nics; i++)
		n += strcmp(f->nics[i].link_layer, "InfiniBand") != 0;
	return n;
}

void rct_host_counts(const struct rct_snapshot *s, char *buf, size_t size)
{
	const struct rct_facts *f = s->facts;
	u32 nics = roce_nics(f);
	int used = snprintf(buf, size, "%u RoCE NIC%s", nics, nics == 1 ? "" : "s");

	if (f->n_procs && used < (int)size)
		used += snprintf(buf + used, size - used, ", %u process%s", f->n_procs, f->n_procs == 1 ? "" : "es");
	if (f->qps_read && used < (int)size)
		snprintf(buf + used, size - used, ", %u QP%s", f->n_qps, f->n_qps == 1 ? "" : "s");
}

/* ---- SEEN */

/* How many rows of a source, but that of the host as a whole, and how many saw something. */
static u32 rows(const struct rct_snapshot *s, const char *source, u32 *seen)
{
	u32 n = 0;

	*seen = 0;
	for (size_t i = 0; i < s->n_coverage; i++) {
		const struct rct_coverage *c = &s->coverage[i];

		if (strcmp(c->source, source) || !strcmp(c->object, "host"))
			continue;
		n++;
		*seen += c->state != RCT_COV_NONE;
	}
	return n;
}

static void __attribute__((format(printf, 4, 5)))
add(char *buf, size_t size, size_t *used, const char *fmt, ...)
{
	va_list ap;

	if (*used && *used < size)
		*used += snprintf(buf + *used, size - *used, ", ");
	va_start(ap, fmt);
	if (*used < size)
		*used += vsnprintf(buf + *used, size - *used, fmt, ap);
	va_end(ap);
}

/* A report on interrupts alone. */
static void seen_vectors(const struct rct_facts *f, char *buf, size_t size)
{
	u32 vectors = 0;

	for (u32 i = 0; i < f->n_irqs; i++)
		vectors += f->irqs[i].nic >= 0 || f->irqs[i].netif >= 0;
	snprintf(buf, size, "IRQs %u of NICs, of %u in all", vectors, f->n_irqs);
}

void rct_host_seen(const struct rct_snapshot *s, char *buf, size_t size)
{
	static const char *const counted[] = { "counters", "config" };
	const struct rct_facts *f = s->facts;
	u32 n, seen, vectors = 0;
	size_t used = 0;

	*buf = '\0';
	if (s->vectors) {
		seen_vectors(f, buf, size);
		return;
	}
	for (size_t i = 0; i < 2; i++) {
		n = rows(s, counted[i], &seen);
		if (n)
			add(buf, size, &used, "%s %u/%u", counted[i], seen, n);
	}
	if (f->log_read)
		add(buf, size, &used, "kernel log");
	if (f->qps_read)
		add(buf, size, &used, "QPs %u", f->n_qps);
	for (u32 i = 0; i < f->n_irqs; i++)
		vectors += f->irqs[i].nic >= 0;
	if (vectors)
		add(buf, size, &used, "IRQs %u", vectors);
	if (f->nccl.read)
		add(buf, size, &used, "NCCL log");
}

/* ---- objects */

static bool same(const struct rct_coverage *a, const struct rct_coverage *b)
{
	return !strcmp(a->source, b->source) && a->state == b->state && !strcmp(a->why, b->why);
}

/* Where the number at the end of a name begins. */
static size_t stem(const char *name)
{
	size_t n = strlen(name);

	while (n && isdigit((unsigned char)name[n - 1]))
		n--;
	return n;
}

/* Does b count on from a: mlx5_3, mlx5_4? */
static bool follows(const char *a, const char *b)
{
	size_t n = stem(a);

	return a[n] && b[n] && n == stem(b) && !memcmp(a, b, n) && atol(b + n) == atol(a + n) + 1;
}

bool rct_cov_objects(const struct rct_snapshot *s, size_t i, char *buf, size_t size)
{
	const struct rct_coverage *first = &s->coverage[i], *last = first;
	const char *open = NULL;	/* end of a run that is not written yet */
	size_t used = 0;

	for (size_t k = 0; k < i; k++) {
		if (same(&s->coverage[k], first))
			return false;
	}
	add(buf, size, &used, "%s", first->object);
	for (size_t k = i + 1; k < s->n_coverage; k++) {
		const struct rct_coverage *c = &s->coverage[k];

		if (!same(c, first))
			continue;
		if (follows(last->object, c->object)) {
			open = c->object + stem(c->object);
		} else {
			if (open && used < size)
				used += snprintf(buf + used, size - used, "-%s", open);
			open = NULL;
			add(buf, size, &used, "%s", c->object);
		}
		last = c;
	}
	if (open && used < size)
		snprintf(buf + used, size - used, "-%s", open);
	return true;
}
