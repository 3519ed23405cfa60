// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/analyse.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyse/nics.h"
#include "model/names.h"

struct rct_finding *rct_find(struct rct_case *c, enum rct_severity severity,
			     enum rct_confidence confidence, enum rct_scope scope)
{
	struct rct_finding *f = rct_findings_add(c->out);

	if (!f) {
		c->no_memory = true;
		f = memset(&c->spare, 0, sizeof(c->spare));
	}
	f->id = c->rule->about.id;
	f->explain = c->rule->about.title;
	f->severity = severity;
	f->confidence = confidence;
	f->scope = scope;
	return f;
}

static void __attribute__((format(printf, 3, 0)))
say_title(struct rct_case *c, enum rct_severity severity, const char *fmt, va_list ap)
{
	struct rct_finding *f = rct_find(c, severity, RCT_CONF_HIGH, RCT_SCOPE_HOST);

	vsnprintf(f->title, sizeof(f->title), fmt, ap);
}

void rct_pass(struct rct_case *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_title(c, RCT_OK_FINDING, fmt, ap);
	va_end(ap);
}

void rct_unsure(struct rct_case *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_title(c, RCT_UNKNOWN_FINDING, fmt, ap);
	va_end(ap);
}

void rct_evidence(struct rct_finding *f, const char *metric, const char *threshold,
		  const char *from, const char *fmt, ...)
{
	struct rct_evidence *e;
	va_list ap;

	if (f->n_evidence == RCT_EVIDENCE)
		return;
	e = &f->evidence[f->n_evidence++];
	RCT_SAY(e->metric, "%s", metric);
	RCT_SAY(e->threshold, "%s", threshold ? threshold : "");
	RCT_SAY(e->from, "%s", from ? from : "");
	va_start(ap, fmt);
	vsnprintf(e->value, sizeof(e->value), fmt, ap);
	va_end(ap);
}

void rct_next(struct rct_finding *f, const char *fmt, ...)
{
	va_list ap;

	if (f->n_next == RCT_NEXT)
		return;
	va_start(ap, fmt);
	vsnprintf(f->next[f->n_next++], sizeof(f->next[0]), fmt, ap);
	va_end(ap);
}

void rct_explains(struct rct_finding *f, const char *fmt, ...)
{
	va_list ap;

	if (f->n_explains == RCT_EXPLAINS)
		return;
	va_start(ap, fmt);
	vsnprintf(f->explains[f->n_explains++], sizeof(f->explains[0]), fmt, ap);
	va_end(ap);
}

/* ---- picks */

static void pick_path(struct rct_hits *k, const struct rct_path *p, u64 weight, u64 *most)
{
	u64 packets = p->requests + p->responses, trouble = rct_path_trouble(p);

	if (!weight) {
		k->other_n += packets != 0;
		k->other_trouble += trouble;
		k->other_packets += packets;
		return;
	}
	if (!k->n++) {
		k->same_src = k->same_dst = true;
	} else {
		k->same_src &= !memcmp(p->key.src, k->worst->key.src, sizeof(p->key.src));
		k->same_dst &= !memcmp(p->key.dst, k->worst->key.dst, sizeof(p->key.dst));
		k->both_ways = k->n == 2 && p->back == k->worst;
	}
	k->weight += weight;
	k->trouble += trouble;
	k->packets += packets;
	if (weight > *most) {
		*most = weight;
		k->worst = p;
	}
}

/* The paths of one slot lie side by side. */
static size_t slot_end(const struct rct_paths *ps, size_t from)
{
	size_t i = from;

	while (i < ps->n && ps->v[i].key.slot == ps->v[from].key.slot)
		i++;
	return i;
}

u32 rct_each_hits(struct rct_case *c, rct_weigh *weigh,
		  void (*found)(struct rct_case *c, const struct rct_hits *p))
{
	const struct rct_paths *ps = &c->paths;
	u32 picks = 0;
	size_t end;

	for (size_t from = 0; from < ps->n; from = end) {
		end = slot_end(ps, from);
		for (u32 seen = RCT_SENT_HERE; seen <= RCT_ON_THE_WAY; seen++) {
			struct rct_hits k = {};
			u64 most = 0;

			for (size_t i = from; i < end; i++) {
				if (ps->v[i].seen == seen)
					pick_path(&k, &ps->v[i], weigh(c, &ps->v[i]), &most);
			}
			if (!k.n)
				continue;
			found(c, &k);
			picks++;
		}
	}
	return picks;
}

const char *rct_from(const struct rct_case *c, const struct rct_path *p, char buf[48])
{
	const struct rct_iface *i = rct_iface_of(c->s, p->key.slot);

	if (!i || p->key.dir == RCT_NODIR)
		return strcpy(buf, "packets");
	snprintf(buf, 48, "packets %s", i->name);
	return buf;
}

void rct_about_hits(const struct rct_case *c, const struct rct_hits *p, struct rct_finding *f)
{
	const struct rct_path *w = p->worst;
	const struct rct_iface *i = rct_iface_of(c->s, w->key.slot);
	char src[RCT_ADDR_TEXT], dst[RCT_ADDR_TEXT], more[48] = "";

	if (p->n > 1 && !p->both_ways)
		RCT_SAY(more, " and %u more%s", p->n - 1,
			p->other_n && p->same_dst ? ", all to it" :
			p->other_n && p->same_src ? ", all from it" : "");
	RCT_SAY(f->object, "%s%s%s %s %s%s", i && w->key.dir != RCT_NODIR ? i->name : "",
		i && w->key.dir != RCT_NODIR ? "  " : "",
		rct_addr_text(w->key.src, w->key.family, src), p->both_ways ? "<->" : "->",
		rct_addr_text(w->key.dst, w->key.family, dst), more);
	f->weight = p->weight;
}

const struct rct_flow *rct_worst_flow(const struct rct_path *p)
{
	const struct rct_flow *worst = p->flows[0];

	for (u32 i = 1; i < p->n_flows; i++) {
		if (rct_flow_trouble(p->flows[i]) > rct_flow_trouble(worst))
			worst = p->flows[i];
	}
	return worst;
}

double rct_load(const struct rct_case *c, u32 slot, u32 dir)
{
	const struct rct_iface *iface = rct_iface_of(c->s, slot);
	u64 bytes = 0;

	if (!iface || !iface->speed_mbps || c->seconds <= 0 || dir == RCT_NODIR)
		return -1;
	for (size_t i = 0; i < c->paths.n; i++) {
		if (c->paths.v[i].key.slot == slot && c->paths.v[i].key.dir == dir)
			bytes += c->paths.v[i].bytes;
	}
	return bytes * 8 / c->seconds / (iface->speed_mbps * 1e6);
}

bool rct_has(const struct rct_case *c, const char *id)
{
	for (size_t i = 0; i < c->out->n; i++) {
		const struct rct_finding *f = &c->out->v[i];

		if (f->severity >= RCT_NOTICE && f->severity <= RCT_CRITICAL &&
		    !strncmp(f->id, id, strlen(id)))
			return true;
	}
	return false;
}

/* ---- the whole */

static int rank(const struct rct_finding *f)
{
	static const int ranks[] = {
		[RCT_CRITICAL] = 0, [RCT_WARNING] = 1, [RCT_NOTICE] = 2,
		[RCT_UNKNOWN_FINDING] = 3, [RCT_OK_FINDING] = 4,
	};

	return ranks[f->severity];
}

static int compare(const void *x, const void *y)
{
	const struct rct_finding *a = x, *b = y;

	if (rank(a) != rank(b))
		return rank(a) - rank(b);
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return strcmp(a->id, b->id) ? strcmp(a->id, b->id) : strcmp(a->object, b->object);
}

void rct_findings_sort(struct rct_findings *f)
{
	if (f->n)
		qsort(f->v, f->n, sizeof(*f->v), compare);
}

static void judge_host(struct rct_case *c)
{
	for (size_t i = 0; i < rct_n_host_rules; i++) {
		if (!strcmp(rct_host_rules[i].id, c->rule->about.id))
			rct_host_rules[i].judge(c);
	}
}

int rct_analyse(const struct rct_snapshot *s, struct rct_findings *ret)
{
	struct rct_case c = { .s = s, .out = ret };
	int err;

	memset(ret, 0, sizeof(*ret));
	err = rct_paths_make(s, &c.paths);
	if (err)
		return err;
	if (s->end_ns > s->start_ns)
		c.seconds = (s->end_ns - s->start_ns) / 1e9;
	rct_ports_make(&c);
	for (size_t i = 0; i < rct_n_rules; i++) {
		c.rule = &rct_rules[i];
		if (c.rule->judge)
			c.rule->judge(&c);
		if (s->facts)
			judge_host(&c);
	}
	free(c.ports);
	rct_paths_free(&c.paths);
	if (c.no_memory) {
		rct_findings_free(ret);
		return -ENOMEM;
	}
	rct_findings_sort(ret);
	return 0;
}
