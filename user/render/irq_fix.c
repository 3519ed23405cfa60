// SPDX-License-Identifier: BSD-2-Clause
/* The script that mends interrupt placement, and the one that takes it back. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "model/irqs.h"
#include "render/escape.h"
#include "render/irq.h"

#define TEXT	1024
#define ROW	64	/* columns of a list of options */

/* CPUs that a NIC's vectors may have, and how many vectors each CPU has already. */
struct plan {
	const struct rct_facts *f;
	struct rct_irqs all;
	bool nodes;		/* there are several */
	u32 *load;		/* RCT_CPUS */
	s32 *to;		/* by vector: its CPU; -1: stays */
};

struct device {
	u32 id, n, n_near;	/* vectors of data; CPUs near it */
	const struct rct_vector *first;
	struct rct_cpus near;
	bool placeless;		/* nobody says where it is, on a host where that matters */
	bool good;		/* is as it should be */
	u32 managed;
};

/* ---- what goes where */

/* The one CPU that it is delivered to; -1: not known, or several. */
static s32 goes_to(const struct rct_vector *v)
{
	struct rct_cpus may;

	return rct_cpus_parse(rct_irq_target(v->irq), &may) && rct_cpus_count(&may) == 1 ? rct_cpus_next(&may, 0) : -1;
}

static bool is_near(const struct device *d, const struct rct_vector *v)
{
	struct rct_cpus may;

	if (!rct_cpus_parse(rct_irq_target(v->irq), &may))
		return false;
	may = rct_cpus_less(&may, &d->near);
	return !rct_cpus_count(&may);
}

/* Each of data on a CPU near it, and none on one that has more than it must. */
static bool is_good(const struct plan *p, const struct device *d)
{
	u32 *own = calloc(RCT_CPUS, sizeof(*own)), most = d->n_near ? (d->n + d->n_near - 1) / d->n_near : 0;
	bool good = own && d->n_near;

	for (u32 i = 0; i < p->all.n && good; i++) {
		const struct rct_vector *v = &p->all.v[i];
		s32 cpu = goes_to(v);

		if (v->group == d->id && v->data && v->irq->managed != 1)
			good = cpu >= 0 && rct_cpus_has(&d->near, cpu) && ++own[cpu] <= most;
	}
	free(own);
	return good;
}

static struct device device_of(const struct plan *p, u32 id)
{
	struct device d = { .id = id };

	for (u32 i = 0; i < p->all.n; i++) {
		const struct rct_vector *v = &p->all.v[i];

		if (v->group != id)
			continue;
		d.first = d.first ? d.first : v;
		d.n += v->data && v->irq->managed != 1;
		d.managed += v->irq->managed == 1;
	}
	if (!d.first)
		return d;
	d.near = rct_cpus_near(p->f, p->nodes ? d.first->node : -1);
	d.n_near = rct_cpus_count(&d.near);
	d.placeless = p->nodes && d.first->node < 0;
	d.good = !d.placeless && is_good(p, &d);
	return d;
}

/* The CPU that has the fewest vectors, the first of equals. */
static s32 least_loaded(const struct plan *p, const struct rct_cpus *near)
{
	s32 best = -1;

	for (s32 cpu = rct_cpus_next(near, 0); cpu >= 0; cpu = rct_cpus_next(near, cpu + 1)) {
		if (best < 0 || p->load[cpu] < p->load[best])
			best = cpu;
	}
	return best;
}

/* Those that are right keep their CPUs, the others get what is left. */
static void assign(struct plan *p, u32 id, bool good)
{
	struct device d = device_of(p, id);

	if (!d.first || d.good != good || d.placeless)
		return;
	for (u32 i = 0; i < p->all.n; i++) {
		const struct rct_vector *v = &p->all.v[i];
		s32 cpu = good ? goes_to(v) : least_loaded(p, &d.near);

		if (v->group != id || !v->data || v->irq->managed == 1 || cpu < 0)
			continue;
		p->load[cpu]++;
		p->to[i] = good ? -1 : cpu;
	}
}

static int make_plan(const struct rct_snapshot *s, struct plan *p)
{
	int rc;

	memset(p, 0, sizeof(*p));
	p->f = s->facts;
	p->nodes = rct_cpu_nodes(p->f) > 1;
	rc = rct_irqs_make(s->before, p->f, &p->all);
	p->load = calloc(RCT_CPUS, sizeof(*p->load));
	p->to = malloc((p->all.n + 1) * sizeof(*p->to));
	if (rc || !p->load || !p->to)
		return -ENOMEM;
	for (u32 i = 0; i < p->all.n; i++)
		p->to[i] = -1;
	for (u32 id = 0; id < p->all.groups; id++)
		assign(p, id, true);
	for (u32 id = 0; id < p->all.groups; id++)
		assign(p, id, false);
	return 0;
}

static void free_plan(struct plan *p)
{
	rct_irqs_free(&p->all);
	free(p->load);
	free(p->to);
}

/* ---- the script */

/* Names are others' bytes: none of them may become a command or end a comment. */
static void put_quoted(FILE *out, const char *text)
{
	char buf[TEXT];

	fputc('\'', out);
	for (const char *p = rct_escape(text, 0, buf, sizeof(buf)); *p; p++) {
		if (*p == '\'')
			fputs("'\\''", out);
		else
			fputc(*p, out);
	}
	fputc('\'', out);
}

/* The name as its folder in /proc/irq/N has it: of several that share a line, the first. */
static void put_vector(FILE *out, const struct rct_irq *i, const char *cpus)
{
	char name[sizeof(i->name)];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(i->name, ","), i->name);
	fprintf(out, "put %u ", i->irq);
	put_quoted(out, name);
	fprintf(out, " %s\n", cpus);
}

static void put_head(FILE *out, const struct rct_snapshot *s, bool undo)
{
	char host[TEXT];

	fprintf(out, "#!/bin/sh\n# rocetrace irq --fix%s: interrupt affinity of %s.\n", undo ? " --undo" : "",
		*s->host ? rct_escape(s->host, 0, host, sizeof(host)) : "this host");
	fputs(undo ? "# Puts back what was set when this was made.\n" :
	      "# Made for what was set then; rocetrace irq --fix --undo made BEFORE it puts that back.\n", out);
	fputs("# Run as root. It may be run again: what is right already is left alone, and so is a\n"
	      "# vector that is another device's by now. It lasts until the next boot or driver reload.\n"
	      "set -u\nfailed=0\n\n"
	      "# put IRQ NAME CPUS\n"
	      "put() {\n"
	      "\tif ! [ -d \"/proc/irq/$1/$2\" ]; then\n"
	      "\t\techo \"irq $1 is not $2 any more: left alone\" >&2\n"
	      "\t\tfailed=1\n"
	      "\telif [ \"$(cat \"/proc/irq/$1/smp_affinity_list\")\" = \"$3\" ]; then\n"
	      "\t\t:\n"
	      "\telif echo \"$3\" 2> /dev/null > \"/proc/irq/$1/smp_affinity_list\"; then\n"
	      "\t\techo \"irq $1 $2: CPUs $3\"\n"
	      "\telse\n"
	      "\t\techo \"irq $1 $2: refused, it is managed by the kernel, or this is not root\" >&2\n"
	      "\t\tfailed=1\n"
	      "\tfi\n"
	      "}\n", out);
}

static void put_device(FILE *out, const struct plan *p, const struct device *d)
{
	char name[TEXT], raw[TEXT], near[RCT_CPUS_TEXT];

	rct_escape(rct_irq_device(d->first, raw, sizeof(raw)), 0, name, sizeof(name));
	rct_cpus_text(&d->near, near, sizeof(near));
	fprintf(out, "\n# %s: %u vector%s of data", name, d->n, d->n == 1 ? "" : "s");
	if (p->nodes && !d->placeless)
		fprintf(out, ", NUMA node %d", d->first->node);
	fprintf(out, "; CPUs to use: %s\n", d->placeless ? "unknown" : near);
	if (d->managed)
		fprintf(out, "# %u of its vectors are managed by the kernel, which alone places them: skipped\n", d->managed);
	if (d->placeless)
		fputs("# which node it is on is not told, so no CPU is better than another: nothing to do\n", out);
	else if (!d->n_near)
		fputs("# no CPU near it is online and not isolated: nothing to do\n", out);
	else if (d->good)
		fputs("# each goes to a CPU near it already, and they are spread\n", out);
	else if (d->n > d->n_near)
		fprintf(out, "# more vectors than such CPUs: they share. Fewer queues: ethtool -L %s combined %u\n",
			d->first->netif ? rct_escape(d->first->netif->name, 0, name, sizeof(name)) : "IFACE", d->n_near);
}

/* Nothing but a list of CPUs goes into the script. */
static const char *list_or_na(const char *list)
{
	struct rct_cpus cpus;

	return rct_cpus_parse(list, &cpus) ? list : "n/a";
}

static void put_change(FILE *out, const struct plan *p, const struct device *d, u32 at)
{
	const struct rct_vector *v = &p->all.v[at];
	char cpus[TEXT], name[TEXT];

	if (v->irq->managed == 1 || (!v->data && is_near(d, v)) || (v->data && p->to[at] < 0))
		return;
	if (v->data)
		snprintf(cpus, sizeof(cpus), "%d", p->to[at]);
	else
		rct_cpus_text(&d->near, cpus, sizeof(cpus));
	fprintf(out, "# %s: %s; asked for CPUs %s, goes to %s\n", rct_escape(v->irq->name, 0, name, sizeof(name)),
		v->data ? "a CPU of its own, or with the fewest others" : "control, hardly fires: any CPU near",
		list_or_na(v->irq->affinity), list_or_na(v->irq->effective));
	/* a list that was cut is no list */
	if (!strstr(cpus, "..."))
		put_vector(out, v->irq, cpus);
}

static void put_fix(FILE *out, const struct plan *p)
{
	for (u32 id = 0; id < p->all.groups; id++) {
		struct device d = device_of(p, id);

		if (!d.first)
			continue;
		put_device(out, p, &d);
		for (u32 i = 0; i < p->all.n && !d.placeless && d.n_near; i++) {
			if (p->all.v[i].group == id)
				put_change(out, p, &d, i);
		}
	}
}

/* What irqbalance must be told, or it moves them again. */
static void put_ban(FILE *out, const struct plan *p)
{
	const char *before = "";
	int column = 0;

	fprintf(out, "\n# irqbalance %s. So that it leaves these vectors alone, in its own\n"
		"# configuration (/etc/default/irqbalance or /etc/sysconfig/irqbalance), then restart it:\n"
		"#    IRQBALANCE_ARGS=\"",
		p->f->irqbalance == 1 ? "is running and will move them back" :
		p->f->irqbalance == 0 ? "is not running; if it ever does" : "may be running");
	for (u32 i = 0; i < p->all.n; i++) {
		if (p->all.v[i].group == UINT32_MAX || !p->all.v[i].data)
			continue;
		if (column > ROW) {
			before = " \\\n#    ";
			column = 0;
		}
		column += fprintf(out, "%s--banirq=%u", before, p->all.v[i].irq->irq);
		before = " ";
	}
	fputs("\"\n", out);
}

static void put_undo(FILE *out, const struct plan *p)
{
	char name[TEXT], raw[TEXT];
	u32 last = UINT32_MAX;
	struct rct_cpus cpus;

	for (u32 i = 0; i < p->all.n; i++) {
		const struct rct_vector *v = &p->all.v[i];

		if (v->group == UINT32_MAX || !rct_cpus_parse(v->irq->affinity, &cpus) || v->irq->managed == 1)
			continue;
		if (v->group != last)
			fprintf(out, "\n# %s\n", rct_escape(rct_irq_device(v, raw, sizeof(raw)), 0, name, sizeof(name)));
		last = v->group;
		put_vector(out, v->irq, v->irq->affinity);
	}
}

static u32 vectors_of_nics(const struct plan *p)
{
	u32 n = 0;

	for (u32 i = 0; i < p->all.n; i++)
		n += p->all.v[i].group != UINT32_MAX;
	return n;
}

int rct_irq_fix(FILE *out, const struct rct_snapshot *s, bool undo)
{
	struct plan p;
	int rc = make_plan(s, &p);

	if (!rc) {
		put_head(out, s, undo);
		if (!vectors_of_nics(&p))
			fputs("\n# no vector of a NIC is in /proc/interrupts: nothing to do\n", out);
		else if (undo)
			put_undo(out, &p);
		else
			put_fix(out, &p);
		if (!undo && vectors_of_nics(&p))
			put_ban(out, &p);
		fputs("\nexit $failed\n", out);
		rc = fflush(out) || ferror(out) ? -EIO : 0;
	}
	free_plan(&p);
	return rc;
}
