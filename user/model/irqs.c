// SPDX-License-Identifier: BSD-2-Clause
#include "model/irqs.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/util.h"

/* ------------------------------------------------------------ sets of CPUs */

void rct_cpus_add(struct rct_cpus *s, u32 cpu)
{
	if (cpu < RCT_CPUS)
		s->w[cpu / 64] |= 1ULL << cpu % 64;
}

bool rct_cpus_has(const struct rct_cpus *s, u32 cpu)
{
	return cpu < RCT_CPUS && s->w[cpu / 64] >> cpu % 64 & 1;
}

u32 rct_cpus_count(const struct rct_cpus *s)
{
	u32 n = 0;

	for (u32 i = 0; i < RCT_ARRAY_SIZE(s->w); i++)
		n += __builtin_popcountll(s->w[i]);
	return n;
}

s32 rct_cpus_next(const struct rct_cpus *s, u32 from)
{
	for (u32 cpu = from; cpu < RCT_CPUS; cpu++) {
		if (!(s->w[cpu / 64] >> cpu % 64)) {
			cpu |= 63;	/* nothing more in this word */
			continue;
		}
		if (rct_cpus_has(s, cpu))
			return cpu;
	}
	return -1;
}

struct rct_cpus rct_cpus_both(const struct rct_cpus *a, const struct rct_cpus *b)
{
	struct rct_cpus r;

	for (u32 i = 0; i < RCT_ARRAY_SIZE(r.w); i++)
		r.w[i] = a->w[i] & b->w[i];
	return r;
}

struct rct_cpus rct_cpus_less(const struct rct_cpus *a, const struct rct_cpus *b)
{
	struct rct_cpus r;

	for (u32 i = 0; i < RCT_ARRAY_SIZE(r.w); i++)
		r.w[i] = a->w[i] & ~b->w[i];
	return r;
}

/* A number below RCT_CPUS; NULL: there is none. */
static const char *read_cpu(const char *p, u32 *ret)
{
	if (!isdigit((unsigned char)*p))
		return NULL;
	for (*ret = 0; isdigit((unsigned char)*p); p++) {
		*ret = *ret * 10 + (*p - '0');
		if (*ret >= RCT_CPUS)
			return NULL;
	}
	return p;
}

/* "8" or "0-3" at p; NULL: it is neither. */
static const char *read_range(const char *p, struct rct_cpus *s)
{
	u32 from, to;

	p = read_cpu(p, &from);
	to = from;
	if (p && *p == '-')
		p = read_cpu(p + 1, &to);
	if (!p || to < from)
		return NULL;
	for (; from <= to; from++)
		rct_cpus_add(s, from);
	return p;
}

bool rct_cpus_parse(const char *list, struct rct_cpus *ret)
{
	const char *p = list;

	memset(ret, 0, sizeof(*ret));
	do {
		p = read_range(p, ret);
	} while (p && *p == ',' && p++);
	if (p && !*p)
		return true;
	memset(ret, 0, sizeof(*ret));
	return false;
}

char *rct_cpus_text(const struct rct_cpus *s, char *buf, size_t size)
{
	s32 from = rct_cpus_next(s, 0), to;
	size_t used = 0;
	char one[32];

	snprintf(buf, size, "none");
	for (; from >= 0; from = rct_cpus_next(s, to + 1)) {
		for (to = from; rct_cpus_has(s, to + 1); to++)
			;
		snprintf(one, sizeof(one), from == to ? "%s%d" : "%s%d-%d", used ? "," : "", from, to);
		if (used + strlen(one) + sizeof("...") > size) {
			snprintf(buf + used, size - used, "...");
			break;
		}
		strcpy(buf + used, one);
		used += strlen(one);
	}
	return buf;
}

/* ---------------------------------------------------------------- the host */

u32 rct_cpu_nodes(const struct rct_facts *f)
{
	u32 n = 0;

	for (u32 i = 0; i < f->n_nodes; i++)
		n += *f->nodes[i].cpus != '\0';
	return n;
}

struct rct_cpus rct_cpus_of(const struct rct_facts *f, s32 node)
{
	struct rct_cpus s = {};

	for (u32 i = 0; i < f->n_nodes; i++) {
		if ((s32)f->nodes[i].node == node)
			rct_cpus_parse(f->nodes[i].cpus, &s);
	}
	return s;
}

/* The list behind "nohz_full=" of the kernel's command line. */
static bool nohz_full(const char *cmdline, struct rct_cpus *ret)
{
	const char *p = strstr(cmdline, "nohz_full=");
	char list[RCT_CPUS_TEXT];

	if (!p || (p > cmdline && p[-1] != ' '))
		return false;
	p += strlen("nohz_full=");
	snprintf(list, sizeof(list), "%.*s", (int)strcspn(p, " \n"), p);
	return rct_cpus_parse(list, ret);
}

struct rct_cpus rct_cpus_kept(const struct rct_facts *f)
{
	struct rct_cpus kept, more;

	rct_cpus_parse(f->cpus_isolated, &kept);
	if (nohz_full(f->kernel_cmdline, &more)) {
		for (u32 i = 0; i < RCT_ARRAY_SIZE(kept.w); i++)
			kept.w[i] |= more.w[i];
	}
	return kept;
}

struct rct_cpus rct_cpus_near(const struct rct_facts *f, s32 node)
{
	struct rct_cpus near, of, kept = rct_cpus_kept(f);

	if (!rct_cpus_parse(f->cpus_online, &near)) {
		for (u32 i = 0; i < f->n_irq_cpus; i++)
			rct_cpus_add(&near, f->irq_cpus[i]);
	}
	if (node >= 0) {
		of = rct_cpus_of(f, node);
		near = rct_cpus_both(&near, &of);
	}
	return rct_cpus_less(&near, &kept);
}

/* ------------------------------------------------------------------- names */

/* Parts of the names of vectors that move neither packets nor completions. */
static const char *const controls[] = {
	"async", "aeq", "creq", "config", "control", "ctrl", "-event", "mgmnt", "misc", "adminq", "pages",
	"cmd_eq", "mlx5_cmd", "fw_", "mailbox", "-other", "-abn", "lsc", "-link", "-ext-vec",
};

bool rct_irq_is_data(const char *name)
{
	for (size_t i = 0; i < RCT_ARRAY_SIZE(controls); i++) {
		if (strcasestr(name, controls[i]))
			return false;
	}
	return true;
}

s32 rct_irq_queue(const char *name)
{
	size_t end = strcspn(name, "@"), begin = end;
	u32 n = 0;

	while (begin && isdigit((unsigned char)name[begin - 1]))
		begin--;
	if (begin == end || end - begin > 6)
		return -1;
	for (; begin < end; begin++)
		n = n * 10 + (name[begin] - '0');
	return n;
}

const char *rct_irq_target(const struct rct_irq *i)
{
	return *i->effective ? i->effective : i->affinity;
}

/* ----------------------------------------------------------------- vectors */

/* igb, e1000e and others call the vector of the link as the interface itself. */
static bool is_data(const struct rct_vector *v)
{
	const struct rct_netif *n = v->netif;

	if (n && n->n_irqs > 1 && !strcmp(v->irq->name, n->name))
		return false;
	return rct_irq_is_data(v->irq->name);
}

/* What the device says; a vector's own node is no more than where its memory lies. */
static s32 device_node(const struct rct_vector *v)
{
	s32 a = v->nic ? v->nic->node : RCT_NODE_UNKNOWN, b = v->netif ? v->netif->node : RCT_NODE_UNKNOWN;

	if (a > RCT_NODE_UNKNOWN || b > RCT_NODE_UNKNOWN)
		return a > b ? a : b;
	return v->irq->node >= 0 ? v->irq->node : RCT_NODE_UNKNOWN;
}

static void set_device(const struct rct_facts *f, struct rct_vector *v)
{
	const struct rct_irq *i = v->irq;

	if (i->nic >= 0 && (u32)i->nic < f->n_nics)
		v->nic = &f->nics[i->nic];
	if (i->netif >= 0 && (u32)i->netif < f->n_netifs)
		v->netif = &f->netifs[i->netif];
	v->group = v->netif ? (u32)i->netif : v->nic ? f->n_netifs + i->nic : UINT32_MAX;
	v->data = v->group != UINT32_MAX && is_data(v);
	v->queue = rct_irq_queue(i->name);
	v->node = device_node(v);
}

/* A number is given to another device's vector once its own is gone. at: where it usually is. */
static const struct rct_irq *same_irq(const struct rct_facts *f, const struct rct_irq *i, u32 at)
{
	if (at < f->n_irqs && f->irqs[at].irq == i->irq)
		return strcmp(f->irqs[at].name, i->name) ? NULL : &f->irqs[at];
	for (u32 k = 0; k < f->n_irqs; k++) {
		if (f->irqs[k].irq == i->irq)
			return strcmp(f->irqs[k].name, i->name) ? NULL : &f->irqs[k];
	}
	return NULL;
}

/* Columns are CPUs that were online: those may be others than before. -1: was offline. */
static s64 count_of(const struct rct_facts *f, const struct rct_irq *i, u32 cpu, u32 at)
{
	if (at < f->n_irq_cpus && f->irq_cpus[at] == cpu)
		return i->per_cpu[at];
	for (u32 k = 0; k < f->n_irq_cpus; k++) {
		if (f->irq_cpus[k] == cpu)
			return i->per_cpu[k];
	}
	return -1;
}

/*
 * In the interval, on one CPU. A vector that was not there before has all its counts
 * from the interval, as has one whose counts went back. What a CPU had counted before
 * it came online is not known, and taken for old.
 */
static u64 grown(const struct rct_facts *before, const struct rct_irq *was, u32 cpu, u32 at, u64 count)
{
	s64 old;

	if (!was)
		return count;
	old = count_of(before, was, cpu, at);
	return old < 0 ? 0 : count >= (u64)old ? count - old : count;
}

static int by_count(const void *a, const void *b)
{
	const struct rct_irq_cpu *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static int count_vector(const struct rct_facts *before, const struct rct_facts *after, const s32 *nodes,
			struct rct_vector *v)
{
	const struct rct_irq *was = same_irq(before, v->irq, v->irq - after->irqs);

	v->counted = true;
	v->moved = was && strcmp(was->effective, v->irq->effective);
	for (u32 k = 0; k < after->n_irq_cpus; k++) {
		u64 n = grown(before, was, after->irq_cpus[k], k, v->irq->per_cpu[k]);
		struct rct_irq_cpu *c = n ? RCT_FACTS_ADD(v->cpus, v->n_cpus) : NULL;

		if (!n)
			continue;
		if (!c)
			return -ENOMEM;
		*c = (struct rct_irq_cpu){ after->irq_cpus[k], nodes[k], n };
		v->count += n;
		if (v->node >= 0 && c->node >= 0 && c->node != v->node)
			v->remote += n;
	}
	if (v->n_cpus)
		qsort(v->cpus, v->n_cpus, sizeof(*v->cpus), by_count);
	return 0;
}

/* Nodes of the columns, so that each list is read once. */
static s32 *column_nodes(const struct rct_facts *f)
{
	s32 *nodes = malloc((f->n_irq_cpus + 1) * sizeof(*nodes));
	struct rct_cpus of;

	for (u32 k = 0; nodes && k < f->n_irq_cpus; k++)
		nodes[k] = RCT_NODE_UNKNOWN;
	for (u32 i = 0; nodes && i < f->n_nodes; i++) {
		rct_cpus_parse(f->nodes[i].cpus, &of);
		for (u32 k = 0; k < f->n_irq_cpus; k++) {
			if (rct_cpus_has(&of, f->irq_cpus[k]))
				nodes[k] = f->nodes[i].node;
		}
	}
	return nodes;
}

int rct_irqs_make(const struct rct_facts *before, const struct rct_facts *after, struct rct_irqs *ret)
{
	s32 *nodes = column_nodes(after);
	int rc = nodes ? 0 : -ENOMEM;

	memset(ret, 0, sizeof(*ret));
	ret->seconds = before ? rct_facts_seconds(before, after) : -1;
	ret->groups = after->n_netifs + after->n_nics;
	ret->v = calloc(after->n_irqs + 1, sizeof(*ret->v));
	if (!ret->v)
		rc = -ENOMEM;
	for (u32 i = 0; !rc && i < after->n_irqs; i++) {
		struct rct_vector *v = &ret->v[ret->n++];

		v->irq = &after->irqs[i];
		set_device(after, v);
		if (before && before->irqs_read)
			rc = count_vector(before, after, nodes, v);
	}
	free(nodes);
	return rc;
}

void rct_irqs_free(struct rct_irqs *i)
{
	for (u32 k = 0; k < i->n; k++)
		free(i->v[k].cpus);
	free(i->v);
	memset(i, 0, sizeof(*i));
}
