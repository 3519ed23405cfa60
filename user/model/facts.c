// SPDX-License-Identifier: BSD-2-Clause
#include "model/facts.h"

#include <stdio.h>
#include <stdlib.h>

/* Rows of the table that may add up to one canonical counter. */
#define PARTS_MAX	8

void *rct_facts_add(void **list, u32 *n, size_t size)
{
	u32 cap = *n;
	char *p = *list;

	/* room is the next power of two */
	if (!(cap & (cap - 1))) {
		if (cap > UINT32_MAX / 2)
			return NULL;
		p = realloc(p, (cap ? (size_t)cap * 2 : 1) * size);
		if (!p)
			return NULL;
		*list = p;
	}
	p += *n * size;
	(*n)++;
	return memset(p, 0, size);
}

/* -------------------------------------------------------------------- free */

static void free_env(struct rct_env *env, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		free(env[i].name);
		free(env[i].value);
	}
	free(env);
}

static void free_nccl(struct rct_nccl *n)
{
	for (u32 i = 0; i < n->n_errors; i++)
		free(n->errors[i].text);
	free(n->errors);
	free_env(n->env, n->n_env);
}

static void free_devices(struct rct_facts *f)
{
	for (u32 i = 0; i < f->n_netifs; i++) {
		free(f->netifs[i].irqs);
		free(f->netifs[i].counters);
	}
	for (u32 i = 0; i < f->n_nics; i++) {
		free(f->nics[i].gids);
		free(f->nics[i].counters);
	}
	for (u32 i = 0; i < f->n_irqs; i++)
		free(f->irqs[i].per_cpu);
	free(f->netifs);
	free(f->nics);
	free(f->irqs);
	free(f->irq_cpus);
	free(f->nodes);
	free(f->pcis);
	free(f->distances);
}

void rct_facts_free(struct rct_facts *f)
{
	if (!f)
		return;
	free_devices(f);
	for (u32 i = 0; i < f->n_procs; i++)
		free_env(f->procs[i].env, f->procs[i].n_env);
	for (u32 i = 0; i < f->n_log; i++)
		free(f->log[i].text);
	free_nccl(&f->nccl);
	free(f->procs);
	free(f->log);
	free(f->qps);
	free(f->addrs);
	free(f->routes);
	free(f->rules);
	free(f->neighs);
	memset(f, 0, sizeof(*f));
}

/* ----------------------------------------------------------------- look-ups */

struct rct_netif *rct_nic_netif(const struct rct_facts *f, const struct rct_nic *n)
{
	return n->netif >= 0 && (u32)n->netif < f->n_netifs ? &f->netifs[n->netif] : NULL;
}

struct rct_netif *rct_netif_named(const struct rct_facts *f, const char *name)
{
	for (u32 i = 0; i < f->n_netifs; i++) {
		if (!strcmp(f->netifs[i].name, name))
			return &f->netifs[i];
	}
	return NULL;
}

static const struct rct_nic *same_nic(const struct rct_facts *f, const struct rct_nic *n)
{
	for (u32 i = 0; i < f->n_nics; i++) {
		if (f->nics[i].port == n->port && !strcmp(f->nics[i].dev, n->dev))
			return &f->nics[i];
	}
	return NULL;
}

const char *rct_proc_env(const struct rct_proc *p, const char *name)
{
	for (u32 i = 0; i < p->n_env; i++) {
		if (!strcmp(p->env[i].name, name))
			return p->env[i].value;
	}
	return NULL;
}

double rct_facts_seconds(const struct rct_facts *before, const struct rct_facts *after)
{
	if (!before || !after || before->uptime < 0 || after->uptime < 0)
		return 0;
	return after->uptime - before->uptime;
}

/* ----------------------------------------------------------------- counters */

/* Where a canonical counter is looked for: a NIC's own lists, and its interface's. */
struct lists {
	struct {
		const char *driver;
		const struct rct_counter *v;
		u32 n;
	} of[2];
	u32 n;
};

/* What it is made of. */
struct parts {
	struct {
		const struct rct_counter_map *m;
		const struct rct_counter *c;
		u32 list;
	} of[PARTS_MAX];
	u32 n;
};

static struct lists lists_of_netif(const struct rct_netif *n, const char *driver)
{
	struct lists l = { .n = 1 };

	l.of[0].driver = *n->driver ? n->driver : driver;
	l.of[0].v = n->counters;
	l.of[0].n = n->n_counters;
	return l;
}

static struct lists lists_of_nic(const struct rct_facts *f, const struct rct_nic *n)
{
	const struct rct_netif *i = rct_nic_netif(f, n);
	struct lists l = { .n = 0 };

	if (i) {
		l = lists_of_netif(i, n->driver);
		l.of[1] = l.of[0];
	}
	l.n++;
	l.of[0].driver = n->driver;
	l.of[0].v = n->counters;
	l.of[0].n = n->n_counters;
	return l;
}

/* Of two that a device has, the one with the lower key is better. */
static u32 key_of(const struct rct_counter_map *m)
{
	return m->rank * 4 + m->group;
}

/* Of two of one name the first that has a value: ports list those of the device behind their own. */
static const struct rct_counter *find(const struct lists *l, u32 list,
				      const struct rct_counter_map *m, u32 prio)
{
	const struct rct_counter *c, *ret = NULL;

	for (u32 i = 0; i < l->of[list].n; i++) {
		c = &l->of[list].v[i];
		if (!rct_counter_is(m, l->of[list].driver, c->group, c->name, prio))
			continue;
		if (c->have == RCT_THERE)
			return c;
		ret = ret ? ret : c;
	}
	return ret;
}

static void take(struct parts *p, const struct rct_counter_map *m, const struct rct_counter *c,
		 u32 list)
{
	if (p->n == PARTS_MAX)
		return;
	p->of[p->n].m = m;
	p->of[p->n].c = c;
	p->of[p->n++].list = list;
}

/* All rows of the best key that has a value; else of the best that there is at all. */
static struct parts parts_of(const struct lists *l, enum rct_canonical canonical, u32 prio)
{
	struct parts ret = { 0 };
	u32 best[2] = { UINT32_MAX, UINT32_MAX }, key;
	const struct rct_counter_map *m;
	const struct rct_counter *c;

	for (size_t i = 0; i < rct_counter_maps_n; i++) {
		m = &rct_counter_maps[i];
		for (u32 j = 0; m->canonical == canonical && j < l->n; j++) {
			c = find(l, j, m, prio);
			key = key_of(m);
			if (c && !m->subtract && key < best[c->have == RCT_THERE])
				best[c->have == RCT_THERE] = key;
		}
	}
	key = best[1] != UINT32_MAX ? best[1] : best[0];
	for (size_t i = 0; key != UINT32_MAX && i < rct_counter_maps_n; i++) {
		m = &rct_counter_maps[i];
		for (u32 j = 0; m->canonical == canonical && key_of(m) == key && j < l->n; j++) {
			c = find(l, j, m, prio);
			if (c)
				take(&ret, m, c, j);
		}
	}
	return ret;
}

static void say_from(const struct parts *p, char *buf, size_t size)
{
	size_t len;

	if (!buf || !size)
		return;
	*buf = '\0';
	for (u32 i = 0; i < p->n; i++) {
		len = strlen(buf);
		if (!i)
			snprintf(buf, size, "%s/%s", rct_counter_group_name(p->of[i].c->group),
				 p->of[i].c->name);
		else
			snprintf(buf + len, size - len, " %c %s", p->of[i].m->subtract ? '-' : '+',
				 p->of[i].c->name);
	}
}

/* Adds or takes off, and not below 0: the two are not read in the same moment. */
struct sum {
	u64 plus, minus;
};

static void sum_add(struct sum *s, const struct rct_counter_map *m, u64 v)
{
	v *= m->factor ? m->factor : 1;
	if (m->subtract)
		s->minus += v;
	else
		s->plus += v;
}

static u64 sum_of(const struct sum *s)
{
	return s->plus > s->minus ? s->plus - s->minus : 0;
}

static struct rct_num value_of(const struct lists *l, enum rct_canonical canonical, u32 prio,
			       char *from, size_t size)
{
	struct parts p = parts_of(l, canonical, prio);
	struct rct_num ret = { .have = p.n ? RCT_THERE : RCT_ABSENT };
	struct sum s = { 0 };
	u64 v;

	say_from(&p, from, size);
	for (u32 i = 0; i < p.n; i++) {
		if (p.of[i].c->have != RCT_THERE)
			ret.have = RCT_UNREADABLE;
		sum_add(&s, p.of[i].m, p.of[i].c->value);
	}
	v = sum_of(&s);
	if (ret.have == RCT_THERE)
		ret.v = v > INT64_MAX ? INT64_MAX : (s64)v;
	return ret;
}

struct rct_num rct_netif_counter(const struct rct_netif *n, enum rct_canonical c, u32 prio,
				 char *from, size_t from_size)
{
	struct lists l = lists_of_netif(n, "");

	return value_of(&l, c, prio, from, from_size);
}

/* A bond has no statistics of its ports: all of its members' together. */
static struct rct_num members_counter(const struct rct_facts *f, const struct rct_netif *bond,
				      enum rct_canonical c, u32 prio, char *from, size_t size)
{
	struct rct_num ret = { 0 }, one;
	const struct rct_netif *m;

	for (u32 i = 0; i < bond->n_members; i++) {
		m = rct_netif_named(f, bond->members[i]);
		one = m ? rct_netif_counter(m, c, prio, from, size) : (struct rct_num){ 0 };
		if (one.have != RCT_THERE)
			return one;
		ret.have = RCT_THERE;
		ret.v += one.v;
	}
	return ret;
}

struct rct_num rct_nic_counter(const struct rct_facts *f, const struct rct_nic *n,
			       enum rct_canonical c, u32 prio, char *from, size_t from_size)
{
	struct lists l = lists_of_nic(f, n);
	struct rct_num ret = value_of(&l, c, prio, from, from_size);
	const struct rct_netif *i = rct_nic_netif(f, n);

	if (ret.have == RCT_ABSENT && i && i->n_members)
		ret = members_counter(f, i, c, prio, from, from_size);
	return ret;
}

/* ------------------------------------------------------------------- deltas */

/*
 * Growth of one counter. One of few bits that went back by more than half of what it
 * can hold has wrapped; any other that went back began anew.
 */
static u64 grown(u64 before, u64 after, u8 bits, bool *reset)
{
	u64 range;

	if (after >= before)
		return after - before;
	range = bits && bits < 64 ? 1ULL << bits : 0;
	if (range && before < range && before - after > range / 2)
		return after + (range - before);
	*reset = true;
	return after;
}

static struct rct_delta delta_of(const struct lists *before, const struct lists *after,
				 enum rct_canonical canonical, u32 prio, double seconds)
{
	struct parts p = parts_of(after, canonical, prio);
	struct rct_delta ret = { .have = p.n ? RCT_THERE : RCT_ABSENT };
	const struct rct_counter *was;
	struct sum s = { 0 };

	say_from(&p, ret.from, sizeof(ret.from));
	for (u32 i = 0; i < p.n; i++) {
		was = find(before, p.of[i].list, p.of[i].m, prio);
		if (p.of[i].c->have != RCT_THERE || !was || was->have != RCT_THERE)
			ret.have = was ? RCT_UNREADABLE : RCT_ABSENT;
		else
			sum_add(&s, p.of[i].m, grown(was->value, p.of[i].c->value,
						     p.of[i].m->bits, &ret.reset));
		if (ret.have != RCT_THERE)
			return ret;
	}
	ret.delta = sum_of(&s);
	if (ret.reset)
		ret.have = RCT_UNREADABLE;
	if (seconds > 0)
		ret.per_second = ret.delta / seconds;
	return ret;
}

struct rct_delta rct_netif_delta(const struct rct_facts *before, const struct rct_facts *after,
				 const struct rct_netif *n, enum rct_canonical c, u32 prio)
{
	const struct rct_netif *was = before ? rct_netif_named(before, n->name) : NULL;
	struct lists l = lists_of_netif(n, ""), old;

	if (!was)
		return (struct rct_delta){ .have = RCT_ABSENT };
	old = lists_of_netif(was, "");
	return delta_of(&old, &l, c, prio, rct_facts_seconds(before, after));
}

static struct rct_delta members_delta(const struct rct_facts *before, const struct rct_facts *after,
				      const struct rct_netif *bond, enum rct_canonical c, u32 prio)
{
	struct rct_delta ret = { 0 }, one;
	const struct rct_netif *m;

	for (u32 i = 0; i < bond->n_members; i++) {
		m = rct_netif_named(after, bond->members[i]);
		one = m ? rct_netif_delta(before, after, m, c, prio) : (struct rct_delta){ 0 };
		if (one.have != RCT_THERE)
			return one;
		one.delta += ret.delta;
		one.per_second += ret.per_second;
		ret = one;
	}
	return ret;
}

struct rct_delta rct_nic_delta(const struct rct_facts *before, const struct rct_facts *after,
			       const struct rct_nic *n, enum rct_canonical c, u32 prio)
{
	const struct rct_nic *was = before ? same_nic(before, n) : NULL;
	const struct rct_netif *i = rct_nic_netif(after, n);
	struct lists l = lists_of_nic(after, n), old;
	struct rct_delta ret;

	if (!was)
		return (struct rct_delta){ .have = RCT_ABSENT };
	old = lists_of_nic(before, was);
	/* its interface may have come or gone in between */
	l.n = old.n = l.n < old.n ? l.n : old.n;
	ret = delta_of(&old, &l, c, prio, rct_facts_seconds(before, after));
	if (ret.have == RCT_ABSENT && i && i->n_members)
		ret = members_delta(before, after, i, c, prio);
	return ret;
}

/* ------------------------------------------------------------ physical port */

static bool same_value(const struct rct_netif *a, const struct rct_netif *b, enum rct_canonical c)
{
	struct rct_num x = rct_netif_counter(a, c, 0, NULL, 0);
	struct rct_num y = rct_netif_counter(b, c, 0, NULL, 0);

	return x.have == RCT_THERE && y.have == RCT_THERE && x.v && x.v == y.v;
}

/* Bytes of two ports that carry anything are never the same, both ways. */
static bool same_port(const struct rct_netif *a, const struct rct_netif *b)
{
	if (a == b || (*a->port_id && !strcmp(a->port_id, b->port_id)))
		return true;
	return same_value(a, b, RCT_C_PORT_RX_BYTES) && same_value(a, b, RCT_C_PORT_TX_BYTES);
}

bool rct_nic_repeats_port(const struct rct_facts *f, const struct rct_nic *n)
{
	const struct rct_netif *mine = rct_nic_netif(f, n), *other;

	for (const struct rct_nic *o = f->nics; mine && o < n; o++) {
		other = rct_nic_netif(f, o);
		if (other && same_port(other, mine))
			return true;
	}
	return false;
}
