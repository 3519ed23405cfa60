// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/irq_expect.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/nics.h"

const struct rct_rule rct_expect_rule = {
	.about = { "irq.expect",
		"Interrupts are not laid out as declared.",
		"rocetrace irq --expect FILE compares every data vector with the line of its NIC: "
		"\"NIC CPUS|local spread|one-to-one\". Delivered is what effective affinity says "
		"and what was counted in the interval. spread: no CPU serves more vectors than it "
		"must; one-to-one: none serves two. # begins a comment, * is every NIC that no line "
		"names." },
};

/* ---- the file */

#define WORD	512

/* The next word of a line, up to a comment; "" behind the last. False: it is too long. */
static bool take_word(const char **p, char ret[WORD])
{
	size_t n;

	*p += strspn(*p, " \t\r");
	n = **p == '#' ? 0 : strcspn(*p, " \t\r\n#");
	if (n >= WORD)
		return false;
	memcpy(ret, *p, n);
	ret[n] = '\0';
	*p += n;
	return true;
}

/* NULL: it is right; else what is not. */
static const char *read_words(char words[3][WORD], struct rct_expect_line *l)
{
	if (strlen(words[0]) >= sizeof(l->nic))
		return "the first word is no name of a NIC";
	snprintf(l->nic, sizeof(l->nic), "%.*s", (int)sizeof(l->nic) - 1, words[0]);
	l->local = !strcmp(words[1], "local");
	if (!l->local && !rct_cpus_parse(words[1], &l->cpus))
		return "the second word must be local or a list of CPUs, such as 0-15,32";
	l->one_to_one = !strcmp(words[2], "one-to-one");
	if (!l->one_to_one && strcmp(words[2], "spread"))
		return "the third word must be spread or one-to-one";
	return NULL;
}

static int read_line(const char *line, u32 number, const char *name, struct rct_expect *e, struct rct_err *err)
{
	struct rct_expect_line l = {}, *added;
	char words[4][WORD] = {};
	const char *wrong = NULL;

	for (int i = 0; i < 4; i++) {
		if (!take_word(&line, words[i]))
			return rct_fail(err, EINVAL, "%s line %u: a word is too long", name, number);
	}
	if (!*words[0])
		return 0;
	wrong = *words[3] ? "behind the third word nothing may stand" : read_words(words, &l);
	for (u32 i = 0; i < e->n && !wrong; i++) {
		if (!strcmp(e->v[i].nic, l.nic))
			wrong = "this NIC has a line already";
	}
	if (wrong)
		return rct_fail(err, EINVAL, "%s line %u: %s", name, number, wrong);
	added = RCT_FACTS_ADD(e->v, e->n);
	if (!added)
		return rct_fail(err, ENOMEM, "no memory for %s", name);
	*added = l;
	return 0;
}

int rct_expect_parse(const char *text, const char *name, struct rct_expect *ret, struct rct_err *err)
{
	u32 number = 1;
	int rc = 0;

	memset(ret, 0, sizeof(*ret));
	for (const char *p = text; *p && !rc; number++) {
		rc = read_line(p, number, name, ret, err);
		p += strcspn(p, "\n");
		p += *p == '\n';
	}
	if (!rc && !ret->n)
		rc = rct_fail(err, EINVAL, "%s declares nothing: a line is NIC CPUS|local spread|one-to-one", name);
	return rc;
}

void rct_expect_free(struct rct_expect *e)
{
	free(e->v);
	memset(e, 0, sizeof(*e));
}

/* ---- against the host */

struct trial {
	struct rct_case c;
	const struct rct_facts *f;
	const struct rct_expect *e;
	struct rct_irqs all;
	u32 *by_cpu;		/* vectors that each CPU serves; RCT_CPUS */
	u32 nics, vectors;	/* that were compared */
	bool wrong;
};

static bool is_named(const struct rct_vector *v, const char *name)
{
	return (v->nic && (!strcmp(v->nic->dev, name) || !strcmp(v->nic->ifname, name) || !strcmp(v->nic->pci, name))) ||
	       (v->netif && (!strcmp(v->netif->name, name) || !strcmp(v->netif->pci, name)));
}

/* The line of a vector's NIC: one that names it, else that of "*"; NULL: none. */
static const struct rct_expect_line *line_of(const struct trial *t, const struct rct_vector *v)
{
	const struct rct_expect_line *any = NULL;

	for (u32 i = 0; i < t->e->n; i++) {
		if (is_named(v, t->e->v[i].nic))
			return &t->e->v[i];
		if (!strcmp(t->e->v[i].nic, "*"))
			any = &t->e->v[i];
	}
	return any;
}

static struct rct_finding *mismatch(struct trial *t, const struct rct_vector *v, const struct rct_expect_line *l)
{
	struct rct_finding *f = rct_find(&t->c, RCT_WARNING, RCT_CONF_HIGH, RCT_SCOPE_NIC);
	char cpus[90];

	RCT_SAY(f->object, "%s%s%s", v->nic ? v->nic->dev : "", v->nic && v->netif ? "/" : "", v->netif ? v->netif->name : "");
	rct_evidence(f, "declared", NULL, "--expect", "%s %s %s", l->nic,
		     l->local ? "local" : rct_cpus_text(&l->cpus, cpus, sizeof(cpus)), l->one_to_one ? "one-to-one" : "spread");
	t->wrong = true;
	return f;
}

/* What a vector may use, and did; false: nothing of it is known. */
static bool served_by(const struct rct_vector *v, struct rct_cpus *ret)
{
	bool known = rct_cpus_parse(rct_irq_target(v->irq), ret);

	for (u32 i = 0; i < v->n_cpus; i++)
		rct_cpus_add(ret, v->cpus[i].cpu);
	return known || v->n_cpus;
}

static void found_outside(struct trial *t, const struct rct_expect_line *l, const struct rct_cpus *allowed, u32 n,
			  const struct rct_vector *first)
{
	struct rct_finding *f = mismatch(t, first, l);
	struct rct_cpus at;
	char a[64], b[64];

	served_by(first, &at);
	RCT_SAY(f->title, "%u vector%s delivered outside the declared CPUs %s, e.g. irq %u on CPU %s.", n, n > 1 ? "s are" : " is",
		rct_cpus_text(allowed, a, sizeof(a)), first->irq->irq, rct_cpus_text(&at, b, sizeof(b)));
	rct_next(f, "rocetrace irq --fix");
}

/* One that serves more than it must: two of one-to-one, else more than an even share. */
static void judge_load(struct trial *t, const struct rct_expect_line *l, const struct rct_cpus *allowed, u32 n,
		       const struct rct_vector *first)
{
	u32 room = rct_cpus_count(allowed), most = l->one_to_one || !room ? 1 : (n + room - 1) / room, worst = 0;
	struct rct_finding *f;

	for (u32 cpu = 1; cpu < RCT_CPUS; cpu++)
		worst = t->by_cpu[cpu] > t->by_cpu[worst] ? cpu : worst;
	if (t->by_cpu[worst] <= most)
		return;
	f = mismatch(t, first, l);
	RCT_SAY(f->title, "CPU %u serves %u of %u vectors; %s.", worst, t->by_cpu[worst], n,
		l->one_to_one ? "declared is one to one" : "spread evenly it would be fewer");
	rct_evidence(f, "vectors on one CPU", NULL, "proc/irq/N/effective_affinity_list", "%u; at most %u declared",
		     t->by_cpu[worst], most);
	rct_next(f, "rocetrace irq --fix");
}

static void found_unknown(struct trial *t, const struct rct_vector *v, const char *why)
{
	struct rct_finding *f = rct_find(&t->c, RCT_UNKNOWN_FINDING, RCT_CONF_HIGH, RCT_SCOPE_NIC);

	RCT_SAY(f->object, "%s", v->netif ? v->netif->name : v->nic->dev);
	RCT_SAY(f->title, "%s: its layout cannot be compared: %s", f->object, why);
	t->wrong = true;
}

static void judge_nic(struct trial *t, u32 id, const struct rct_expect_line *l, const struct rct_vector *any)
{
	bool nodes = rct_cpu_nodes(t->f) > 1;
	struct rct_cpus allowed = l->local ? rct_cpus_near(t->f, nodes ? any->node : -1) : l->cpus, at, out;
	const struct rct_vector *first = NULL;
	u32 outside = 0, n = 0;

	if (l->local && nodes && any->node < 0) {
		found_unknown(t, any, "its NUMA node is not told, so nothing is local");
		return;
	}
	memset(t->by_cpu, 0, RCT_CPUS * sizeof(*t->by_cpu));
	for (u32 i = 0; i < t->all.n; i++) {
		const struct rct_vector *v = &t->all.v[i];

		if (v->group != id || !v->data || !served_by(v, &at))
			continue;
		n++;
		out = rct_cpus_less(&at, &allowed);
		if (rct_cpus_count(&out) && !outside++)
			first = v;
		for (s32 cpu = rct_cpus_next(&at, 0); cpu >= 0; cpu = rct_cpus_next(&at, cpu + 1))
			t->by_cpu[cpu]++;
	}
	t->nics++;
	t->vectors += n;
	if (!n)
		found_unknown(t, any, "of no vector it can be read where it goes");
	else if (outside)
		found_outside(t, l, &allowed, outside, first);
	judge_load(t, l, &allowed, n, any);
}

/* A name of the file that is none here. */
static void judge_names(struct trial *t)
{
	for (u32 k = 0; k < t->e->n; k++) {
		const char *name = t->e->v[k].nic;
		struct rct_finding *f;
		bool here = !strcmp(name, "*");

		for (u32 i = 0; i < t->all.n; i++)
			here |= t->all.v[i].data && is_named(&t->all.v[i], name);
		if (here)
			continue;
		f = rct_find(&t->c, RCT_WARNING, RCT_CONF_HIGH, RCT_SCOPE_NIC);
		RCT_SAY(f->object, "%s", name);
		RCT_SAY(f->title, "%s is declared, and has no vector of data here.", name);
		t->wrong = true;
	}
}

static void judge_all(struct trial *t)
{
	for (u32 id = 0; id < t->all.groups; id++) {
		const struct rct_vector *any = NULL;
		const struct rct_expect_line *l;

		for (u32 i = 0; i < t->all.n && !any; i++)
			any = t->all.v[i].group == id && t->all.v[i].data ? &t->all.v[i] : NULL;
		l = any ? line_of(t, any) : NULL;
		if (l)
			judge_nic(t, id, l, any);
	}
	judge_names(t);
	if (!t->wrong)
		rct_pass(&t->c, "irq layout as declared (%u vectors of %u NIC%s)", t->vectors, t->nics, t->nics == 1 ? "" : "s");
}

int rct_expect_judge(const struct rct_snapshot *s, const struct rct_expect *e, struct rct_findings *f)
{
	struct trial t = {
		.c = { .s = s, .out = f, .rule = &rct_expect_rule }, .f = s->facts, .e = e,
		.by_cpu = calloc(RCT_CPUS, sizeof(*t.by_cpu)),
	};
	int rc = rct_irqs_make(s->before, s->facts, &t.all);

	if (!t.by_cpu)
		rc = -ENOMEM;
	if (!rc)
		judge_all(&t);
	free(t.by_cpu);
	rct_irqs_free(&t.all);
	if (!rc)
		rct_findings_sort(f);
	return t.c.no_memory ? -ENOMEM : rc;
}
