// SPDX-License-Identifier: BSD-2-Clause
#include "render/irq.h"

#include <errno.h>
#include <string.h>

#include "base/units.h"
#include "base/util.h"
#include "model/irqs.h"
#include "render/grid.h"

#define CELL	256

char *rct_irq_device(const struct rct_vector *v, char *buf, size_t size)
{
	const char *ifname = v->netif ? v->netif->name : v->nic ? v->nic->ifname : "";

	snprintf(buf, size, "%s%s%s", v->nic ? v->nic->dev : "", v->nic && *ifname ? "/" : "", ifname);
	return buf;
}

/* ---- vectors */

static const struct rct_column vector_columns[] = {
	{ "IRQ", 9, false }, { "NAME", 8, true }, { "NIC", 7, true }, { "QUEUE", 2, false },
	{ "NODE", 9, false }, { "ASKED-FOR", 4, true }, { "GOES-TO", 6, true }, { "COUNT", 9, false },
	{ "RATE", 3, false }, { "REMOTE", 8, false }, { "RAN-ON", 5, true },
};

static void node_text(s32 node, char *buf)
{
	if (node >= 0)
		snprintf(buf, CELL, "%d", node);
	else
		strcpy(buf, node == RCT_NODE_UNTOLD ? "none" : "n/a");
}

/* "3:2,811,000 7:12 +2" */
static void cpus_text(const struct rct_vector *v, char *buf)
{
	char n[RCT_UNIT_TEXT];
	size_t used = 0;

	*buf = '\0';
	for (u32 i = 0; i < v->n_cpus && i < 3; i++)
		used += snprintf(buf + used, CELL - used, "%s%u:%s", i ? " " : "", v->cpus[i].cpu,
				 rct_count_text(v->cpus[i].count, n));
	if (v->n_cpus > 3)
		snprintf(buf + used, CELL - used, " +%u", v->n_cpus - 3);
}

static void counts_text(const struct rct_irqs *all, const struct rct_vector *v, char cells[][CELL])
{
	if (!v->counted) {
		for (int i = 0; i < 4; i++)
			strcpy(cells[i], "n/a");
		return;
	}
	rct_count_text(v->count, cells[0]);
	if (all->seconds > 0)
		snprintf(cells[1], CELL, "%.*f/s", v->count / all->seconds < 10 ? 1 : 0, v->count / all->seconds);
	if (v->node >= 0)
		rct_share_text(v->remote, v->count, cells[2]);
	else if (v->group != UINT32_MAX)
		strcpy(cells[2], "n/a");
	cpus_text(v, cells[3]);
}

static int add_vector(struct rct_grid *g, const struct rct_irqs *all, const struct rct_vector *v)
{
	char cells[RCT_ARRAY_SIZE(vector_columns)][CELL] = {};
	const char *texts[RCT_ARRAY_SIZE(vector_columns)];

	snprintf(cells[0], CELL, "%u", v->irq->irq);
	snprintf(cells[1], CELL, "%s", v->irq->name);
	rct_irq_device(v, cells[2], CELL);
	if (v->queue >= 0)
		snprintf(cells[3], CELL, "%d", v->queue);
	if (v->group != UINT32_MAX)
		node_text(v->node, cells[4]);
	snprintf(cells[5], CELL, "%.255s", *v->irq->affinity ? v->irq->affinity : "n/a");
	snprintf(cells[6], CELL, "%.255s", *v->irq->effective ? v->irq->effective : "n/a");
	counts_text(all, v, &cells[7]);
	for (u32 i = 0; i < RCT_ARRAY_SIZE(texts); i++)
		texts[i] = cells[i];
	return rct_grid_add(g, texts);
}

/* Those of NICs that fired; where nobody counted, those of NICs. */
static bool is_listed(const struct rct_snapshot *s, const struct rct_view *view, const struct rct_vector *v)
{
	if (s->vectors == RCT_VECTORS_ALL)
		return true;
	return v->group != UINT32_MAX && (!v->counted || v->count || view->verbose > 0);
}

int rct_irq_table(FILE *out, const struct rct_snapshot *s, const struct rct_view *view)
{
	struct rct_grid g = { .columns = vector_columns, .n = RCT_ARRAY_SIZE(vector_columns) };
	struct rct_irqs all;
	int rc = rct_irqs_make(s->before, s->facts, &all);
	u32 quiet = 0;

	for (u32 i = 0; i < all.n && !rc; i++) {
		if (is_listed(s, view, &all.v[i]))
			rc = add_vector(&g, &all, &all.v[i]);
		else
			quiet += all.v[i].group != UINT32_MAX;
	}
	if (!rc && g.rows) {
		fputc('\n', out);
		rc = rct_grid_print(out, &g, view->verbose > 0 ? 0 : view->width);
	}
	if (!rc && quiet)
		fprintf(out, "%u vector%s of NICs did not fire; -v lists %s\n", quiet, quiet > 1 ? "s" : "",
			quiet > 1 ? "them" : "it");
	rct_grid_free(&g);
	rct_irqs_free(&all);
	return rc;
}

/* ---- topology */

static const struct rct_column node_columns[] = {
	{ "NODE", 9, false }, { "CPUS", 9, true }, { "KEPT", 3, true }, { "NICS", 8, true }, { "GPUS", 7, true },
};

static const struct rct_column nic_columns[] = {
	{ "NIC", 9, true }, { "PCI", 6, true }, { "NODE", 9, false }, { "DRIVER", 3, true }, { "VECTORS", 8, false },
	{ "IRQS", 5, true }, { "GOES-TO", 7, true }, { "GPUS", 4, true },
};

/* Adds a word where there is room for it. */
static void add_word(char *buf, const char *word)
{
	size_t used = strlen(buf);

	if (used + strlen(word) + 2 <= CELL)
		snprintf(buf + used, CELL - used, "%s%s", used ? " " : "", word);
}

static void node_devices(const struct rct_facts *f, const struct rct_irqs *all, s32 node, char *nics, char *gpus)
{
	char name[CELL];

	for (u32 i = 0; i < all->n; i++) {
		const struct rct_vector *v = &all->v[i];

		if (v->group != UINT32_MAX && v->node == node && (!i || all->v[i - 1].group != v->group))
			add_word(nics, rct_irq_device(v, name, sizeof(name)));
	}
	for (u32 i = 0; i < f->n_pcis; i++) {
		if (f->pcis[i].gpu && f->pcis[i].node == node)
			add_word(gpus, f->pcis[i].addr);
	}
}

static int add_node(struct rct_grid *g, const struct rct_facts *f, const struct rct_irqs *all, s32 node)
{
	struct rct_cpus of = rct_cpus_of(f, node), kept = rct_cpus_kept(f);
	char number[CELL], cpus[CELL] = "", isolated[CELL] = "", nics[CELL] = "", gpus[CELL] = "";
	const char *texts[] = { number, cpus, isolated, nics, gpus };

	node_text(node, number);
	kept = rct_cpus_both(&kept, &of);
	if (node >= 0)
		rct_cpus_text(&of, cpus, sizeof(cpus));
	if (rct_cpus_count(&kept))
		rct_cpus_text(&kept, isolated, sizeof(isolated));
	node_devices(f, all, node, nics, gpus);
	/* what has no place, only where there is something */
	return node < 0 && !*nics && !*gpus ? 0 : rct_grid_add(g, texts);
}

static int put_nodes(FILE *out, const struct rct_facts *f, const struct rct_irqs *all, int width)
{
	struct rct_grid g = { .columns = node_columns, .n = RCT_ARRAY_SIZE(node_columns) };
	int rc = 0;

	for (u32 i = 0; i < f->n_nodes && !rc; i++)
		rc = add_node(&g, f, all, f->nodes[i].node);
	for (s32 none = RCT_NODE_UNTOLD; none >= RCT_NODE_UNKNOWN && !rc; none--)
		rc = add_node(&g, f, all, none);
	if (!rc && g.rows)
		rc = rct_grid_print(out, &g, width);
	rct_grid_free(&g);
	return rc;
}

static void gpu_distances(const struct rct_facts *f, const struct rct_nic *n, char *buf)
{
	char word[32];

	for (u32 i = 0; n && i < f->n_distances; i++) {
		if (strcmp(f->distances[i].dev, n->dev))
			continue;
		snprintf(word, sizeof(word), "%s:%s", f->distances[i].gpu, f->distances[i].path);
		add_word(buf, word);
	}
}

static int add_nic(struct rct_grid *g, const struct rct_facts *f, const struct rct_irqs *all, u32 id)
{
	char name[CELL], node[CELL], vectors[CELL], irqs[CELL], target[CELL], gpus[CELL] = "";
	struct rct_cpus numbers = {}, to = {}, one;
	const struct rct_vector *first = NULL;
	u32 n = 0;

	for (u32 i = 0; i < all->n; i++) {
		if (all->v[i].group != id)
			continue;
		first = first ? first : &all->v[i];
		n++;
		rct_cpus_add(&numbers, all->v[i].irq->irq);
		rct_cpus_parse(rct_irq_target(all->v[i].irq), &one);
		for (s32 cpu = rct_cpus_next(&one, 0); cpu >= 0; cpu = rct_cpus_next(&one, cpu + 1))
			rct_cpus_add(&to, cpu);
	}
	if (!first)
		return 0;
	node_text(first->node, node);
	snprintf(vectors, sizeof(vectors), "%u", n);
	gpu_distances(f, first->nic, gpus);
	return rct_grid_add(g, (const char *const[]){
		rct_irq_device(first, name, sizeof(name)), first->netif ? first->netif->pci : first->nic->pci, node,
		first->netif ? first->netif->driver : first->nic->driver, vectors,
		rct_cpus_text(&numbers, irqs, sizeof(irqs)), rct_cpus_text(&to, target, sizeof(target)), gpus });
}

int rct_irq_topology(FILE *out, const struct rct_snapshot *s, const struct rct_view *view)
{
	struct rct_grid g = { .columns = nic_columns, .n = RCT_ARRAY_SIZE(nic_columns) };
	int width = view->verbose > 0 ? 0 : view->width;
	struct rct_irqs all;
	int rc = rct_irqs_make(s->before, s->facts, &all);

	if (!rc)
		rc = put_nodes(out, s->facts, &all, width);
	for (u32 id = 0; id < all.groups && !rc; id++)
		rc = add_nic(&g, s->facts, &all, id);
	if (!rc && g.rows) {
		fputc('\n', out);
		rc = rct_grid_print(out, &g, width);
	} else if (!rc) {
		fputs("no vector of a NIC is in /proc/interrupts\n", out);
	}
	rct_grid_free(&g);
	rct_irqs_free(&all);
	return rc ? rc : fflush(out) || ferror(out) ? -EIO : 0;
}
