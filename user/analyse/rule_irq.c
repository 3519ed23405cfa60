// SPDX-License-Identifier: BSD-2-Clause
/*
 * Interrupts of NICs: where they were delivered in the interval, against where the NIC
 * is. By counts and effective affinity, not by what was asked for. A NIC whose
 * completions are polled hardly interrupts: that is said, and no fault.
 */
#include <stdio.h>
#include <stdlib.h>

#include "analyse/nics.h"
#include "base/units.h"
#include "base/util.h"
#include "model/irqs.h"

#define RATE_BUSY	100	/* a second: below, a NIC hardly uses interrupts */
#define RATE_FELT	1000	/* a remote one costs a microsecond or two */
#define RATE_LIMIT	10000	/* of one CPU: it may become the limit */
#define RATE_CONTROL	10000	/* of a vector that has nothing to do with data */
#define RATE_ANY	1000000
#define FEW_VECTORS	4	/* one used of fewer than these may be by design */

/* The vectors of one NIC's data. */
struct group {
	const struct rct_facts *f;
	const struct rct_irqs *irqs;
	u32 id;
	struct rct_cpus local;		/* of its node */
	const struct rct_nic *nic;
	const struct rct_netif *netif;
	s32 node;
	bool counted;
	enum rct_severity most;		/* that a finding on it may have */
	u32 n, fired, busy;		/* busy: 1 % of its interrupts or more */
	u32 wide;			/* busy, and allowed on several CPUs */
	u32 far, far_busy;		/* may go to no CPU of its node; ran mostly on others */
	u64 total, remote;
	double rate;			/* a second; 0: not known */
	u64 *by_cpu;			/* RCT_CPUS */
	struct rct_cpus used;		/* that took 1 % or more */
	s32 top_cpu;			/* -1: nothing fired */
	const struct rct_vector *top;
};

#define SHARE(part, whole)	((whole) ? (double)(part) / (whole) : 0)

static void add_counts(struct group *g, const struct rct_vector *v)
{
	g->counted |= v->counted;
	g->total += v->count;
	g->remote += v->remote;
	g->fired += v->count > 0;
	for (u32 i = 0; i < v->n_cpus; i++) {
		u64 *n = &g->by_cpu[v->cpus[i].cpu % RCT_CPUS];

		*n += v->cpus[i].count;
		if (g->top_cpu < 0 || *n > g->by_cpu[g->top_cpu])
			g->top_cpu = v->cpus[i].cpu % RCT_CPUS;
	}
	if (!g->top || v->count > g->top->count)
		g->top = v;
}

/* It can be delivered to no CPU of its node. */
static bool goes_far(const struct group *g, const char *list)
{
	struct rct_cpus may;

	if (g->node < 0 || !rct_cpus_parse(list, &may))
		return false;
	may = rct_cpus_both(&may, &g->local);
	return !rct_cpus_count(&may);
}

static void judge_vector(struct group *g, const struct rct_vector *v)
{
	struct rct_cpus may;

	g->far += goes_far(g, rct_irq_target(v->irq));
	if (!v->count || v->count < g->total / 100)
		return;
	g->busy++;
	g->far_busy += v->remote * 2 > v->count;
	g->wide += rct_cpus_parse(v->irq->affinity, &may) && rct_cpus_count(&may) > 1;
}

static bool of_group(const struct rct_irqs *irqs, u32 i, u32 id)
{
	return irqs->v[i].group == id && irqs->v[i].data;
}

static void fill(struct group *g)
{
	const struct rct_irqs *irqs = g->irqs;

	g->top_cpu = -1;
	for (u32 i = 0; i < irqs->n; i++) {
		const struct rct_vector *v = &irqs->v[i];

		if (!of_group(irqs, i, g->id))
			continue;
		g->n++;
		g->nic = v->nic;
		g->netif = v->netif;
		g->node = v->node;
		add_counts(g, v);
	}
	g->local = rct_cpus_of(g->f, g->node);
	for (u32 i = 0; i < irqs->n; i++) {
		if (of_group(irqs, i, g->id))
			judge_vector(g, &irqs->v[i]);
	}
	g->rate = irqs->seconds > 0 ? g->total / irqs->seconds : 0;
	for (u32 cpu = 0; cpu < RCT_CPUS; cpu++) {
		if (g->by_cpu[cpu] && g->by_cpu[cpu] >= g->total / 100)
			rct_cpus_add(&g->used, cpu);
	}
}

static bool has_data(const struct rct_irqs *irqs, u32 id)
{
	for (u32 i = 0; i < irqs->n; i++) {
		if (of_group(irqs, i, id))
			return true;
	}
	return false;
}

/* ---- all NICs, one after the other */

struct round {
	struct rct_case *c;
	const struct rct_facts *f;
	bool nodes;			/* there are several */
	u32 groups, vectors, quiet, found;
	u64 total, remote;
	u32 skipped;			/* could not be judged */
	char one[RCT_NIC_TEXT];		/* the busiest */
	u64 most;
	u32 busy, cpus;			/* of it */
};

typedef void judge_group(struct round *r, const struct group *g);

static const char *group_text(const struct group *g, char buf[RCT_NIC_TEXT])
{
	if (g->nic)
		return rct_nic_text(g->nic, buf);
	snprintf(buf, RCT_NIC_TEXT, "%s", g->netif->name);
	return buf;
}

static void sum_up(struct round *r, const struct group *g)
{
	r->groups++;
	r->vectors += g->n;
	r->total += g->total;
	r->remote += g->remote;
	r->quiet += g->counted && g->rate < RATE_BUSY;
	if (g->total < r->most || !g->total)
		return;
	r->most = g->total;
	r->busy = g->busy;
	r->cpus = rct_cpus_count(&g->used);
	group_text(g, r->one);
}

/* Interfaces that a hypervisor makes up have no place. */
static bool is_virtual(const struct group *g)
{
	static const char *const drivers[] = {
		"virtio_net", "vmxnet3", "hv_netvsc", "xen_netfront", "vif", "veth", "netvsc",
	};

	for (size_t i = 0; g->netif && i < RCT_ARRAY_SIZE(drivers); i++) {
		if (!strcmp(g->netif->driver, drivers[i]))
			return true;
	}
	return false;
}

/* Beside RDMA devices, what an interface for other traffic does is a notice at most; so is a virtual one's. */
static enum rct_severity most_of(const struct group *g)
{
	bool rdma = false;

	if (is_virtual(g) && g->node < 0)
		return RCT_NOTICE;
	for (u32 i = 0; i < g->irqs->n; i++)
		rdma |= g->irqs->v[i].nic != NULL;
	return g->nic || !rdma ? RCT_CRITICAL : RCT_NOTICE;
}

static struct round each_group(struct rct_case *c, judge_group *judge)
{
	const struct rct_facts *f = c->s->facts;
	struct round r = { .c = c, .f = f, .nodes = rct_cpu_nodes(f) > 1 };
	struct rct_irqs irqs;
	u64 *by_cpu = calloc(RCT_CPUS, sizeof(*by_cpu));

	if (rct_irqs_make(c->s->before, f, &irqs) || !by_cpu)
		c->no_memory = true;
	for (u32 id = 0; !c->no_memory && id < irqs.groups; id++) {
		struct group g = { .f = f, .irqs = &irqs, .id = id, .by_cpu = by_cpu, .most = RCT_CRITICAL };

		if (!has_data(&irqs, id))
			continue;
		memset(by_cpu, 0, RCT_CPUS * sizeof(*by_cpu));
		fill(&g);
		g.most = most_of(&g);
		sum_up(&r, &g);
		judge(&r, &g);
	}
	free(by_cpu);
	rct_irqs_free(&irqs);
	return r;
}

static struct rct_finding *find_group(struct round *r, const struct group *g, enum rct_severity s,
				      enum rct_confidence confidence)
{
	struct rct_finding *f = rct_find(r->c, s < g->most ? s : g->most, confidence, RCT_SCOPE_NIC);
	char name[RCT_NIC_TEXT];

	RCT_SAY(f->object, "%s", group_text(g, name));
	f->weight = g->total;
	r->found++;
	return f;
}

static const char *rate_text(double rate, char buf[RCT_UNIT_TEXT])
{
	char n[RCT_UNIT_TEXT];

	if (rate <= 0)
		snprintf(buf, RCT_UNIT_TEXT, "n/a");
	else if (rate < 10)
		snprintf(buf, RCT_UNIT_TEXT, "%.1f/s", rate);
	else
		snprintf(buf, RCT_UNIT_TEXT, "%.24s/s", rct_count_text(rate, n));
	return buf;
}

static void say_rate(struct rct_finding *f, const struct group *g)
{
	char a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT];

	rct_evidence(f, "interrupts", NULL, "proc/interrupts", "%s in %.3g s (%s), %u of %u vectors fired",
		     rct_count_text(g->total, a), g->irqs->seconds, rate_text(g->rate, b), g->fired, g->n);
}

/* ---- irq.remote */

/* Of the interrupts that other nodes took, where most went. */
static s32 far_node(const struct group *g)
{
	u64 most = 0, n;
	s32 best = RCT_NODE_UNKNOWN;

	for (u32 i = 0; i < g->f->n_nodes; i++) {
		s32 node = g->f->nodes[i].node;
		struct rct_cpus of = rct_cpus_of(g->f, node);

		n = 0;
		for (s32 cpu = rct_cpus_next(&of, 0); cpu >= 0; cpu = rct_cpus_next(&of, cpu + 1))
			n += g->by_cpu[cpu];
		if (node != g->node && n > most) {
			most = n;
			best = node;
		}
	}
	return best;
}

static void next_fix(struct rct_finding *f)
{
	rct_next(f, "rocetrace irq --fix --undo > undo.sh; rocetrace irq --fix > fix.sh; read both; sh fix.sh");
}

/* Vectors of the NIC, control or data, that were asked for on far CPUs only. */
static void found_requested(struct round *r, const struct group *g)
{
	struct rct_cpus asked = {}, numbers = {}, may;
	char text[96], list[64], name[RCT_NIC_TEXT];
	struct rct_finding *f;
	u32 n = 0;

	for (u32 i = 0; i < g->irqs->n; i++) {
		const struct rct_irq *q = g->irqs->v[i].irq;

		if (g->irqs->v[i].group != g->id || !goes_far(g, q->affinity) || !rct_cpus_parse(q->affinity, &may))
			continue;
		for (s32 cpu = rct_cpus_next(&may, 0); cpu >= 0; cpu = rct_cpus_next(&may, cpu + 1))
			rct_cpus_add(&asked, cpu);
		rct_cpus_add(&numbers, q->irq);
		n++;
	}
	if (!n)
		return;
	f = rct_find(r->c, g->most < RCT_WARNING ? g->most : RCT_WARNING, RCT_CONF_HIGH, RCT_SCOPE_IRQ);
	RCT_SAY(f->object, "irq %s of %s", rct_cpus_text(&numbers, list, sizeof(list)), group_text(g, name));
	RCT_SAY(f->title, "The affinity asked for %u vector%s, CPUs %s, has no CPU of the NIC's node %d.", n,
		n > 1 ? "s" : "", rct_cpus_text(&asked, text, sizeof(text)), g->node);
	may = rct_cpus_near(r->f, g->node);
	rct_evidence(f, "asked for", NULL, "proc/irq/N/smp_affinity", "%s", text);
	rct_evidence(f, "CPUs of the NIC's node", NULL, "sysfs", "%s", rct_cpus_text(&may, text, sizeof(text)));
}

static void found_remote(struct round *r, const struct group *g, enum rct_severity s)
{
	struct rct_finding *f = find_group(r, g, s, RCT_CONF_HIGH);
	char a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT];
	bool rare = s == RCT_NOTICE && g->rate < RATE_BUSY;

	f->weight = RCT_CAUSE + g->remote;
	RCT_SAY(f->title, "%s of the interrupts (%u of %u busy vectors) are handled on node %d, the NIC is on node %d%s.",
		rct_share_text(g->remote, g->total, a), g->far_busy, g->busy, far_node(g), g->node,
		rare ? "; they are few" : "");
	say_rate(f, g);
	rct_evidence(f, "on other nodes", "0", "proc/interrupts", "%s, %s", rct_count_text(g->remote, a),
		     rate_text(g->irqs->seconds > 0 ? g->remote / g->irqs->seconds : 0, b));
	if (!rare)
		RCT_SAY(f->impact, "every such interrupt and the memory that it touches cross the socket link");
	RCT_SAY(f->refuted_by, "an application that runs on that node on purpose, with its memory there");
	next_fix(f);
	if (s >= RCT_WARNING)
		found_requested(r, g);
}

/* Nothing fired, or nobody counted: where it would go. */
static void found_far(struct round *r, const struct group *g)
{
	struct rct_finding *f = find_group(r, g, RCT_NOTICE, RCT_CONF_MEDIUM);

	RCT_SAY(f->title, "%u of %u vectors can only be delivered on other nodes than the NIC's, %d; %s.", g->far, g->n, g->node,
		g->counted ? "none fired in the interval" : "how often they fire was not counted");
	rct_evidence(f, "vectors that go far", "0", "proc/irq/N/effective_affinity", "%u of %u", g->far, g->n);
	rct_next(f, "rocetrace irq -t 10: counts what is delivered where");
}

static void judge_remote(struct round *r, const struct group *g)
{
	double share = SHARE(g->remote, g->total), rate = g->rate * share;

	if (g->node < 0) {
		r->skipped += r->nodes;
		return;
	}
	if (!g->total) {
		if (g->far == g->n || (!g->counted && g->far))
			found_far(r, g);
		return;
	}
	if (rate >= RATE_FELT && share >= 0.5)
		found_remote(r, g, RCT_CRITICAL);
	else if (rate >= RATE_BUSY && share >= 0.1)
		found_remote(r, g, RCT_WARNING);
	else if (share >= 0.01)
		found_remote(r, g, RCT_NOTICE);
}

void rct_rule_irq_remote(struct rct_case *c)
{
	struct round r = each_group(c, judge_remote);
	u32 nodes = rct_cpu_nodes(c->s->facts), n = r.groups - r.skipped;
	char a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT];

	if (!r.groups && c->s->vectors)
		rct_unsure(c, "irq: no vector of a NIC is in /proc/interrupts");
	if (!r.groups || r.found || r.skipped == r.groups)
		return;
	if (nodes == 1)
		rct_pass(c, "irq locality (one NUMA node: every CPU is local)");
	else if (!nodes)
		rct_unsure(c, "irq locality: the NUMA nodes of the CPUs cannot be read");
	else if (r.total)
		rct_pass(c, "irq locality (%u vectors of %u NIC%s: %s of %s interrupts on the NIC's own node)", r.vectors,
			 n, n > 1 ? "s" : "", rct_share_text(r.total - r.remote, r.total, a), rct_count_text(r.total, b));
	else
		rct_pass(c, "irq locality (%u vectors of %u NIC%s may go to CPUs of the NIC's node%s)", r.vectors,
			 n, n > 1 ? "s" : "", c->s->before ? "; none fired" : "; not counted");
}

/* ---- irq.effective */

static bool all_on_one(const struct group *g)
{
	return g->top_cpu >= 0 && SHARE(g->by_cpu[g->top_cpu], g->total) >= 0.9;
}

/* Several vectors on one CPU, although most of them may go elsewhere. */
static bool is_piled(const struct group *g)
{
	return g->busy > 1 && all_on_one(g) && g->wide * 2 > g->busy;
}

/* What most of the busy ones are allowed: that of the busiest. */
static void found_piled(struct round *r, const struct group *g)
{
	enum rct_severity s = g->rate >= RATE_LIMIT ? RCT_CRITICAL : g->rate >= RATE_FELT ? RCT_WARNING : RCT_NOTICE;
	struct rct_finding *f = find_group(r, g, s, RCT_CONF_HIGH);
	char a[RCT_UNIT_TEXT];

	f->weight += RCT_CAUSE;
	RCT_SAY(f->title, "All %u busy vectors are delivered to CPU %d, which takes %s of the NIC's interrupts, although CPUs %.64s were asked for.",
		g->busy, g->top_cpu, rct_share_text(g->by_cpu[g->top_cpu], g->total, a), g->top->irq->affinity);
	say_rate(f, g);
	rct_evidence(f, "asked for", NULL, "proc/irq/N/smp_affinity_list", "%.90s", g->top->irq->affinity);
	rct_evidence(f, "effective", "one CPU each", "proc/irq/N/effective_affinity_list", "%.90s", rct_irq_target(g->top->irq));
	RCT_SAY(f->impact, "one CPU does what %u could share: a vector with a wide mask is still delivered to one CPU", g->busy);
	next_fix(f);
}

static bool apart(const char *a, const char *b)
{
	struct rct_cpus x, y;

	if (!rct_cpus_parse(a, &x) || !rct_cpus_parse(b, &y))
		return false;
	x = rct_cpus_both(&x, &y);
	return !rct_cpus_count(&x);
}

/* Delivered where nobody asked for: the CPUs asked for are offline, or the change waits for an interrupt. */
static void judge_apart(struct round *r, const struct group *g)
{
	const struct rct_vector *first = NULL;
	struct rct_finding *f;
	u32 n = 0;

	for (u32 i = 0; i < g->irqs->n; i++) {
		const struct rct_vector *v = &g->irqs->v[i];

		if (!of_group(g->irqs, i, g->id) || !apart(v->irq->affinity, v->irq->effective))
			continue;
		first = first ? first : v;
		n++;
	}
	if (!n)
		return;
	f = find_group(r, g, g->rate >= RATE_BUSY ? RCT_WARNING : RCT_NOTICE, RCT_CONF_HIGH);
	RCT_SAY(f->title, "%u vector%s delivered outside the affinity asked for, e.g. irq %u on CPU %.32s instead of %.64s.", n,
		n > 1 ? "s are" : " is", first->irq->irq, first->irq->effective, first->irq->affinity);
	rct_evidence(f, "effective", NULL, "proc/irq/N/effective_affinity_list", "%.90s", first->irq->effective);
	rct_next(f, "are those CPUs online? cat /sys/devices/system/cpu/online");
}

static void judge_effective(struct round *r, const struct group *g)
{
	if (is_piled(g))
		found_piled(r, g);
	judge_apart(r, g);
}

void rct_rule_irq_effective(struct rct_case *c)
{
	struct round r = each_group(c, judge_effective);

	if (r.groups && !r.found)
		rct_pass(c, "irq affinity (%u vectors go where they were asked to)", r.vectors);
}

/* ---- irq.single */

static void found_vector(struct round *r, const struct group *g)
{
	struct rct_finding *f = find_group(r, g, g->rate >= RATE_LIMIT ? RCT_WARNING : RCT_NOTICE, RCT_CONF_HIGH);
	char a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT];

	RCT_SAY(f->title, "One vector of %u does all the work: irq %u takes %s of the NIC's interrupts on CPU %d (%s).", g->n,
		g->top->irq->irq, rct_share_text(g->top->count, g->total, a), g->top_cpu, rate_text(g->rate, b));
	rct_evidence(f, "busiest vector", NULL, "proc/interrupts", "irq %u %.60s", g->top->irq->irq, g->top->irq->name);
	say_rate(f, g);
	rct_evidence(f, "other vectors", NULL, "proc/interrupts", "%u, idle or nearly so", g->n - 1);
	RCT_SAY(f->impact, "CPU %d limits the rate of completions and has no time for anything else", g->top_cpu);
	RCT_SAY(f->refuted_by, "one queue pair, or one flow, that is all the traffic there is");
	rct_next(f, "in the application: spread completion queues over vectors (comp_vector 0 to num_comp_vectors - 1); no affinity mends this");
}

static void found_cpu(struct round *r, const struct group *g)
{
	struct rct_finding *f = find_group(r, g, g->rate >= RATE_LIMIT ? RCT_WARNING : RCT_NOTICE, RCT_CONF_HIGH);
	char a[RCT_UNIT_TEXT];

	RCT_SAY(f->title, "CPU %d takes %s of the NIC's interrupts, of %u busy vectors.", g->top_cpu,
		rct_share_text(g->by_cpu[g->top_cpu], g->total, a), g->busy);
	say_rate(f, g);
	rct_evidence(f, "asked for", NULL, "proc/irq/N/smp_affinity_list", "%.90s", g->top->irq->affinity);
	RCT_SAY(f->impact, "one CPU does what %u could share", g->busy);
	next_fix(f);
}

static bool one_vector(const struct group *g)
{
	return g->n >= FEW_VECTORS && g->top && SHARE(g->top->count, g->total) >= 0.95;
}

static bool one_cpu(const struct group *g)
{
	struct rct_cpus near = rct_cpus_near(g->f, -1);

	return g->busy > 1 && all_on_one(g) && !is_piled(g) && rct_cpus_count(&near) > 1;
}

static void judge_single(struct round *r, const struct group *g)
{
	if (g->rate < RATE_FELT)
		return;
	if (one_vector(g))
		found_vector(r, g);
	else if (one_cpu(g))
		found_cpu(r, g);
}

void rct_rule_irq_single(struct rct_case *c)
{
	each_group(c, judge_single);
}

/* ---- irq.shared */

/* CPUs that its busy vectors could have one each. */
static u32 expected_cpus(const struct group *g)
{
	struct rct_cpus near = rct_cpus_near(g->f, rct_cpu_nodes(g->f) > 1 ? g->node : -1);
	u32 n = rct_cpus_count(&near);

	return n < g->busy ? n : g->busy;
}

static void judge_shared(struct round *r, const struct group *g)
{
	struct rct_cpus near = rct_cpus_near(g->f, rct_cpu_nodes(g->f) > 1 ? g->node : -1), idle;
	u32 used = rct_cpus_count(&g->used);
	char a[RCT_UNIT_TEXT], list[64];
	struct rct_finding *f;

	if (g->rate < RATE_FELT || g->busy < 3 || used < 2 || all_on_one(g) || used * 2 > expected_cpus(g))
		return;
	idle = rct_cpus_less(&near, &g->used);
	f = find_group(r, g, g->rate >= RATE_LIMIT ? RCT_WARNING : RCT_NOTICE, RCT_CONF_HIGH);
	RCT_SAY(f->title, "%u busy vectors share %u CPUs (%s); CPU %d takes %s of the NIC's interrupts, %u near CPUs take none.",
		g->busy, used, rct_cpus_text(&g->used, list, sizeof(list)), g->top_cpu,
		rct_share_text(g->by_cpu[g->top_cpu], g->total, a), rct_cpus_count(&idle));
	say_rate(f, g);
	rct_evidence(f, "CPUs", NULL, "proc/interrupts", "%u; there is room for %u", used, expected_cpus(g));
	RCT_SAY(f->impact, "the busiest CPU is the limit: queues wait for each other there");
	next_fix(f);
}

void rct_rule_irq_shared(struct rct_case *c)
{
	struct round r = each_group(c, judge_shared);
	char quiet[64] = "";

	if (!r.groups || r.found || !c->s->before || rct_has(c, "irq.single") || rct_has(c, "irq.effective"))
		return;
	if (r.quiet)
		RCT_SAY(quiet, "%u NIC%s hardly use%s interrupts: polled or idle", r.quiet, r.quiet > 1 ? "s" : "",
			r.quiet > 1 ? "" : "s");
	if (r.quiet == r.groups)
		rct_pass(c, "irq spread (%s)", quiet);
	else
		rct_pass(c, "irq spread (%s: %u busy vectors on %u CPUs%s%s)", r.one, r.busy, r.cpus, *quiet ? "; " : "", quiet);
}

/* ---- irq.moved */

static void judge_moved(struct round *r, const struct group *g)
{
	const struct rct_vector *first = NULL;
	struct rct_finding *f;
	u32 n = 0;

	for (u32 i = 0; i < g->irqs->n; i++) {
		if (!of_group(g->irqs, i, g->id) || !g->irqs->v[i].moved)
			continue;
		first = first ? first : &g->irqs->v[i];
		n++;
	}
	if (!n)
		return;
	f = find_group(r, g, RCT_NOTICE, RCT_CONF_HIGH);
	RCT_SAY(f->title, "%u vector%s moved in the interval, e.g. irq %u to CPU %.64s%s.", n, n > 1 ? "s" : "", first->irq->irq,
		rct_irq_target(first->irq), r->f->irqbalance == 1 ? "; irqbalance is running" : "");
	rct_evidence(f, "moved", NULL, "proc/irq/N/effective_affinity_list", "%u of %u vectors", n, g->n);
}

void rct_rule_irq_moved(struct rct_case *c)
{
	if (c->s->before)
		each_group(c, judge_moved);
}

/* ---- irq.isolated */

static void judge_isolated(struct round *r, const struct group *g)
{
	struct rct_cpus kept = rct_cpus_kept(r->f), hit = {}, may;
	char a[RCT_UNIT_TEXT], list[64];
	struct rct_finding *f;
	u64 n = 0;

	for (s32 cpu = rct_cpus_next(&kept, 0); cpu >= 0; cpu = rct_cpus_next(&kept, cpu + 1)) {
		n += g->by_cpu[cpu];
		if (g->by_cpu[cpu])
			rct_cpus_add(&hit, cpu);
	}
	for (u32 i = 0; !g->counted && i < g->irqs->n; i++) {
		if (of_group(g->irqs, i, g->id) && rct_cpus_parse(g->irqs->v[i].irq->effective, &may)) {
			may = rct_cpus_both(&may, &kept);
			for (s32 cpu = rct_cpus_next(&may, 0); cpu >= 0; cpu = rct_cpus_next(&may, cpu + 1))
				rct_cpus_add(&hit, cpu);
		}
	}
	if (!rct_cpus_count(&hit))
		return;
	f = find_group(r, g, g->irqs->seconds > 0 && n / g->irqs->seconds >= RATE_BUSY ? RCT_WARNING : RCT_NOTICE, RCT_CONF_HIGH);
	RCT_SAY(f->title, "Interrupts %s CPUs that are kept for others: %s.", g->counted ? "are handled on" : "may go to",
		rct_cpus_text(&hit, list, sizeof(list)));
	if (g->counted)
		rct_evidence(f, "on isolated CPUs", "0", "proc/interrupts", "%s of this NIC", rct_count_text(n, a));
	rct_evidence(f, "isolated", NULL, "sysfs, kernel command line", "%s", rct_cpus_text(&kept, list, sizeof(list)));
	RCT_SAY(f->impact, "a thread that polls there is stopped by each of them");
	next_fix(f);
}

void rct_rule_irq_isolated(struct rct_case *c)
{
	struct rct_cpus kept = rct_cpus_kept(c->s->facts);
	struct round r;

	if (!rct_cpus_count(&kept))
		return;
	r = each_group(c, judge_isolated);
	if (r.groups && !r.found)
		rct_pass(c, "irq isolation (no interrupt of a NIC on isolated CPUs)");
}

/* ---- irq.storm */

static void found_storm(struct rct_case *c, const struct rct_vector *v, double rate)
{
	struct rct_finding *f = rct_find(c, RCT_WARNING, RCT_CONF_MEDIUM, RCT_SCOPE_IRQ);
	char a[RCT_UNIT_TEXT];

	RCT_SAY(f->object, "irq %u", v->irq->irq);
	RCT_SAY(f->title, "irq %u (%.60s) fires %s: %s.", v->irq->irq, v->irq->name, rate_text(rate, a),
		v->data || v->group == UINT32_MAX ? "more than a CPU can serve beside other work" :
		"it carries no data, a device or its driver does not get on");
	rct_evidence(f, "rate", v->data || v->group == UINT32_MAX ? "1,000,000/s" : "10,000/s", "proc/interrupts", "%s", a);
	if (v->n_cpus)
		rct_evidence(f, "busiest CPU", NULL, "proc/interrupts", "%u", v->cpus[0].cpu);
	rct_next(f, "the kernel log of that device; firmware and driver versions");
	f->weight = v->count;
}

void rct_rule_irq_storm(struct rct_case *c)
{
	struct rct_irqs irqs;

	if (rct_irqs_make(c->s->before, c->s->facts, &irqs))
		c->no_memory = true;
	for (u32 i = 0; i < irqs.n && irqs.seconds > 0; i++) {
		const struct rct_vector *v = &irqs.v[i];
		double rate = v->count / irqs.seconds;

		if (rate >= (v->group != UINT32_MAX && !v->data ? RATE_CONTROL : RATE_ANY))
			found_storm(c, v, rate);
	}
	rct_irqs_free(&irqs);
}

/* ---- irq.balancer */

static void count_only(struct round *r, const struct group *g)
{
	(void)r;
	(void)g;
}

static void found_balancer(struct rct_case *c, bool runs)
{
	struct rct_finding *f = rct_find(c, RCT_NOTICE, RCT_CONF_MEDIUM, RCT_SCOPE_HOST);

	RCT_SAY(f->object, "host");
	if (runs) {
		RCT_SAY(f->title, "irqbalance is running: it may have placed these vectors, and undoes pinning by hand unless they are banned.");
		rct_next(f, "ban them in its own configuration (IRQBALANCE_ARGS=--banirq=N), or restart it once the driver has made its vectors");
	} else {
		RCT_SAY(f->title, "irqbalance is not running: vectors stay where driver and kernel put them.");
		rct_next(f, "pin them (rocetrace irq --fix), or let irqbalance run");
	}
	rct_evidence(f, "irqbalance", NULL, "proc", "%s", runs ? "runs" : "does not run");
}

void rct_rule_irq_balancer(struct rct_case *c)
{
	static const char *const ids[] = { "irq.remote", "irq.effective", "irq.shared", "irq.moved" };
	struct round r = each_group(c, count_only);
	int runs = c->s->facts->irqbalance;
	bool trouble = false;

	if (!r.groups)
		return;
	for (size_t i = 0; i < RCT_ARRAY_SIZE(ids); i++)
		trouble |= rct_has(c, ids[i]);
	if (trouble && runs == RCT_TRI_UNKNOWN)
		rct_unsure(c, "irqbalance: whether it runs cannot be seen from here");
	else if (trouble)
		found_balancer(c, runs);
	else if (runs != RCT_TRI_UNKNOWN)
		rct_pass(c, "irqbalance (%s)", runs ? "runs, and moved nothing" : "does not run; nothing needs it");
}

/* ---- numa.unknown_node */

static void judge_node(struct round *r, const struct group *g)
{
	struct rct_finding *f;

	if (g->node >= 0 || g->most < RCT_CRITICAL)
		return;
	f = find_group(r, g, RCT_UNKNOWN_FINDING, RCT_CONF_HIGH);
	f->severity = RCT_UNKNOWN_FINDING;
	RCT_SAY(f->title, "NUMA node of %.80s is not told on a host with several: whether its interrupts are near cannot be judged.",
		f->object);
	rct_evidence(f, "numa_node", NULL, "sysfs", "%s", g->node == RCT_NODE_UNTOLD ? "-1" : "n/a");
	rct_next(f, "%s", r->f->vm == 1 ? "on the hypervisor: a PCI root per node (pxb-pcie); for NCCL: NCCL_TOPO_FILE" :
		 "in the BIOS: describe proximity of PCI devices (ACPI _PXM)");
}

void rct_rule_numa_node(struct rct_case *c)
{
	if (rct_cpu_nodes(c->s->facts) > 1)
		each_group(c, judge_node);
}
