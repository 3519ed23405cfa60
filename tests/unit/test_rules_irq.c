// SPDX-License-Identifier: BSD-2-Clause
/* Interrupts of NICs: what is counted, what is said of it, the script, a declared layout. */
#include "lib/unit.h"

#include <errno.h>
#include <stdio.h>

#include "analyse/analyse.h"
#include "analyse/irq_expect.h"
#include "base/util.h"
#include "model/irqs.h"
#include "render/irq.h"

#define CPUS	8

/*
 * A host with CPUs 0-3 on node 0 and 4-7 on node 1, mlx5_0/eth0 on node 0, read twice, ten
 * seconds apart.
 */
struct trial {
	struct rct_snapshot s;
	struct rct_facts before, after;
	struct rct_findings f;
};

static void make_host(struct rct_facts *f, double uptime)
{
	struct rct_numa *node;
	struct rct_netif *i;
	struct rct_nic *n;

	f->uptime = uptime;
	f->irqs_read = true;
	f->irqbalance = f->nv_peermem = f->iommu_on = f->iommu_pt = f->nccl.gdr = RCT_TRI_UNKNOWN;
	strcpy(f->cpus_online, "0-7");
	for (u32 k = 0; k < 2; k++) {
		node = RCT_FACTS_ADD(f->nodes, f->n_nodes);
		node->node = k;
		strcpy(node->cpus, k ? "4-7" : "0-3");
	}
	i = RCT_FACTS_ADD(f->netifs, f->n_netifs);
	strcpy(i->name, "eth0");
	strcpy(i->driver, "mlx5_core");
	i->pause_autoneg = i->pause_rx = i->pause_tx = i->lro = i->gro_hw = RCT_TRI_UNKNOWN;
	n = RCT_FACTS_ADD(f->nics, f->n_nics);
	strcpy(n->dev, "mlx5_0");
	strcpy(n->ifname, "eth0");
	strcpy(n->state, "ACTIVE");
	n->port = 1;
	n->readable = true;
	for (u32 cpu = 0; cpu < CPUS; cpu++)
		*(u32 *)RCT_FACTS_ADD(f->irq_cpus, f->n_irq_cpus) = cpu;
}

static void start(struct trial *t)
{
	memset(t, 0, sizeof(*t));
	t->s.command = "irq";
	t->s.vectors = RCT_VECTORS_NICS;
	t->s.before = &t->before;
	t->s.facts = &t->after;
	make_host(&t->before, 1000);
	make_host(&t->after, 1010);
}

static void add_one(struct rct_facts *f, u32 number, const char *name, const char *affinity,
		    const char *effective, u32 cpu, u64 count)
{
	struct rct_irq *i = RCT_FACTS_ADD(f->irqs, f->n_irqs);

	i->irq = number;
	snprintf(i->name, sizeof(i->name), "%s", name);
	snprintf(i->affinity, sizeof(i->affinity), "%s", affinity);
	snprintf(i->effective, sizeof(i->effective), "%s", effective);
	i->node = RCT_NODE_UNKNOWN;
	i->managed = RCT_TRI_UNKNOWN;
	i->per_cpu = calloc(CPUS, sizeof(u64));
	for (u32 k = 0; k < f->n_irq_cpus; k++) {
		if (f->irq_cpus[k] == cpu)
			i->per_cpu[k] = count;
	}
	i->total = count;
}

/* A vector that had 1,000 on its CPU, and then count more. */
static void add_vector(struct trial *t, u32 number, const char *name, const char *affinity, u32 cpu, u64 count)
{
	char effective[16];

	snprintf(effective, sizeof(effective), "%u", cpu);
	add_one(&t->before, number, name, affinity, effective, cpu, 1000);
	add_one(&t->after, number, name, affinity, effective, cpu, 1000 + count);
}

/* n completion vectors of mlx5_0, of which the k-th is on CPU first + k % wrap. */
static void add_comps(struct trial *t, u32 n, const char *affinity, u32 first, u32 wrap, u64 count)
{
	char name[48];

	for (u32 k = 0; k < n; k++) {
		snprintf(name, sizeof(name), "mlx5_comp%u@pci:0000:3b:00.0", k);
		add_vector(t, 100 + k, name, affinity, first + k % wrap, count);
	}
}

static int done(struct trial *t)
{
	rct_findings_free(&t->f);
	rct_facts_free(&t->before);
	rct_facts_free(&t->after);
	return 0;
}

static void judge(struct trial *t)
{
	rct_findings_free(&t->f);
	assert_int_equal(rct_analyse(&t->s, &t->f), 0);
}

/* The worst with this id; NULL: none. */
static const struct rct_finding *found(const struct trial *t, const char *id)
{
	for (size_t i = 0; i < t->f.n; i++) {
		if (!strcmp(t->f.v[i].id, id))
			return &t->f.v[i];
	}
	return NULL;
}

static void expect(const struct trial *t, const char *id, enum rct_severity severity, const char *says)
{
	const struct rct_finding *f = found(t, id);

	if (!f || f->severity != severity || !strstr(f->title, says))
		fail_msg("%s: %s: %s", id, f ? rct_severity_name(f->severity) : "not said", f ? f->title : "");
}

/* Nothing but good is said of interrupts. */
static void expect_quiet(const struct trial *t)
{
	for (size_t i = 0; i < t->f.n; i++) {
		const struct rct_finding *f = &t->f.v[i];

		if (f->severity != RCT_OK_FINDING && (!strncmp(f->id, "irq.", 4) || !strncmp(f->id, "numa.", 5)))
			fail_msg("%s %s: %s", rct_severity_name(f->severity), f->id, f->title);
	}
}

/* ---- sets */

static const struct {
	const char *list;
	bool good;
	u32 n;
	const char *text;
} lists[] = {
	{ "0", true, 1, "0" }, { "0-3,8", true, 5, "0-3,8" }, { "8,0-3", true, 5, "0-3,8" }, { "63-64", true, 2, "63-64" },
	{ "8191", true, 1, "8191" }, { "8192", false, 0, "none" }, { "", false, 0, "none" }, { "3-1", false, 0, "none" },
	{ "1,", false, 0, "none" }, { "1-", false, 0, "none" }, { "0-31:2/4", false, 0, "none" }, { "1 2", false, 0, "none" },
	{ "-1", false, 0, "none" }, { "99999999999999999999", false, 0, "none" }, { "1;reboot", false, 0, "none" },
};

static void test_sets(void **state)
{
	struct rct_cpus s, b;
	char text[RCT_CPUS_TEXT], tight[12];

	(void)state;
	for (size_t i = 0; i < RCT_ARRAY_SIZE(lists); i++) {
		assert_int_equal(rct_cpus_parse(lists[i].list, &s), lists[i].good);
		assert_int_equal(rct_cpus_count(&s), lists[i].n);
		assert_string_equal(rct_cpus_text(&s, text, sizeof(text)), lists[i].text);
	}
	rct_cpus_parse("0-7,130", &s);
	assert_int_equal(rct_cpus_next(&s, 8), 130);
	assert_int_equal(rct_cpus_next(&s, 131), -1);
	rct_cpus_parse("4-200", &b);
	b = rct_cpus_both(&s, &b);
	assert_string_equal(rct_cpus_text(&b, text, sizeof(text)), "4-7,130");
	b = rct_cpus_less(&s, &b);
	assert_string_equal(rct_cpus_text(&b, text, sizeof(text)), "0-3");
	rct_cpus_parse("1,3,5,7,9,11,13", &s);
	assert_string_equal(rct_cpus_text(&s, tight, sizeof(tight)), "1,3,5,7...");
}

static const struct {
	const char *name;
	s32 queue;
	bool data;
} names[] = {
	{ "mlx5_comp12@pci:0000:21:00.0", 12, true }, { "mlx5_async0@pci:0000:21:00.0", 0, false },
	{ "ens2f0-3", 3, true }, { "enp65s0f0np0-TxRx-7", 7, true }, { "bnxt_re-nq-2@pci:0000:41:00.0", 2, true },
	{ "bnxt_re-creq@pci:0000:41:00.0", -1, false }, { "irdma-0000:3b:00.0-CEQ-1", 1, true },
	{ "irdma-0000:3b:00.0-AEQ", -1, false }, { "ice-eth2-TxRx-0", 0, true }, { "virtio2-config", -1, false },
	{ "virtio2-input.0", 0, true }, { "eth0-rxtx-1", 1, true }, { "eth0-event-4", 4, false },
	{ "ena-mgmnt@pci:0000:00:05.0", -1, false }, { "gve-ntfy-blk3@pci:0000:00:04.0", 3, true },
	{ "hns3-0000:7d:00.0-TxRx-5", 5, true }, { "hclge-misc-0000:7d:00.0", 0, false },
};

static void test_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < RCT_ARRAY_SIZE(names); i++) {
		assert_int_equal(rct_irq_queue(names[i].name), names[i].queue);
		assert_int_equal(rct_irq_is_data(names[i].name), names[i].data);
	}
}

/* ---- counts */

static void test_deltas(void **state)
{
	struct rct_irqs all;
	struct trial t;

	(void)state;
	start(&t);
	add_vector(&t, 100, "mlx5_comp0@x", "5", 5, 70);
	/* a vector that is new, one whose number another device had, one that went back */
	add_one(&t.after, 101, "mlx5_comp1@x", "1", "1", 1, 30);
	add_one(&t.before, 102, "nvme0q1", "1", "1", 1, 5000);
	add_one(&t.after, 102, "mlx5_comp2@x", "1", "1", 1, 40);
	add_one(&t.before, 103, "mlx5_comp3@x", "1", "1", 1, 900);
	add_one(&t.after, 103, "mlx5_comp3@x", "2", "2", 1, 50);
	/* it came online with a past of its own */
	t.before.n_irq_cpus = 7;
	add_one(&t.before, 104, "mlx5_comp4@x", "7", "7", 7, 0);
	add_one(&t.after, 104, "mlx5_comp4@x", "7", "7", 7, 123456);
	assert_int_equal(rct_irqs_make(&t.before, &t.after, &all), 0);
	assert_true(all.n == 5 && all.seconds == 10);
	assert_int_equal(all.v[0].count, 70);
	assert_int_equal(all.v[0].remote, 70);
	assert_int_equal(all.v[0].n_cpus, 1);
	assert_int_equal(all.v[0].cpus[0].node, 1);
	assert_int_equal(all.v[1].count, 30);
	assert_int_equal(all.v[1].remote, 0);
	assert_int_equal(all.v[2].count, 40);
	assert_int_equal(all.v[3].count, 50);
	assert_true(all.v[3].moved && !all.v[0].moved);
	assert_int_equal(all.v[4].count, 0);
	rct_irqs_free(&all);
	assert_int_equal(rct_irqs_make(NULL, &t.after, &all), 0);
	assert_false(all.v[0].counted);
	rct_irqs_free(&all);
	t.before.n_irq_cpus = 8;
	done(&t);
}

static void test_near(void **state)
{
	struct rct_cpus near;
	struct trial t;
	char text[64];

	(void)state;
	start(&t);
	strcpy(t.after.cpus_online, "0-2,4-7");
	strcpy(t.after.cpus_isolated, "1");
	strcpy(t.after.kernel_cmdline, "quiet nohz_full=5-6 x");
	near = rct_cpus_near(&t.after, 0);
	assert_string_equal(rct_cpus_text(&near, text, sizeof(text)), "0,2");
	near = rct_cpus_near(&t.after, -1);
	assert_string_equal(rct_cpus_text(&near, text, sizeof(text)), "0,2,4,7");
	done(&t);
}

/* ---- findings */

static void test_good(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	add_comps(&t, 4, "0-3", 0, 4, 100000);
	judge(&t);
	expect_quiet(&t);
	expect(&t, "irq.remote", RCT_OK_FINDING, "4 vectors of 1 NIC: 100 %");
	expect(&t, "irq.shared", RCT_OK_FINDING, "4 busy vectors on 4 CPUs");
	done(&t);
}

static void test_remote(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	add_comps(&t, 4, "4-7", 4, 4, 100000);
	judge(&t);
	expect(&t, "irq.remote", RCT_CRITICAL, "100 % of the interrupts (4 of 4 busy vectors) are handled on node 1");
	done(&t);
	/* felt, but slow: a warning; hardly any: a notice */
	start(&t);
	add_comps(&t, 4, "4-7", 4, 4, 1000);
	judge(&t);
	expect(&t, "irq.remote", RCT_WARNING, "100 %");
	done(&t);
	start(&t);
	add_comps(&t, 4, "4-7", 4, 4, 10);
	judge(&t);
	expect(&t, "irq.remote", RCT_NOTICE, "they are few");
	done(&t);
	/* one in ten thousand is none */
	start(&t);
	add_comps(&t, 4, "0-3", 0, 4, 100000);
	add_vector(&t, 110, "mlx5_comp9@x", "4", 4, 40);
	judge(&t);
	expect_quiet(&t);
	done(&t);
}

static void test_never_fired(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	add_comps(&t, 4, "0-3", 0, 4, 0);
	judge(&t);
	expect_quiet(&t);
	expect(&t, "irq.shared", RCT_OK_FINDING, "hardly uses interrupts");
	done(&t);
	start(&t);
	add_comps(&t, 4, "4-7", 4, 4, 0);
	judge(&t);
	expect(&t, "irq.remote", RCT_NOTICE, "none fired");
	done(&t);
	/* read once: nothing is known of rates */
	start(&t);
	add_comps(&t, 4, "4-7", 4, 4, 100000);
	t.s.before = NULL;
	judge(&t);
	expect(&t, "irq.remote", RCT_NOTICE, "was not counted");
	assert_null(found(&t, "irq.shared"));
	done(&t);
}

static void test_one_node(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	t.before.n_nodes = t.after.n_nodes = 1;
	strcpy(t.after.nodes[0].cpus, "0-7");
	t.after.nics[0].node = t.after.netifs[0].node = RCT_NODE_UNTOLD;
	add_comps(&t, 8, "0-7", 0, 8, 100000);
	judge(&t);
	expect_quiet(&t);
	expect(&t, "irq.remote", RCT_OK_FINDING, "one NUMA node");
	done(&t);
}

/* A node of memory alone is no second place for an interrupt. */
static void test_memory_node(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	strcpy(t.after.nodes[0].cpus, "0-7");
	*t.after.nodes[1].cpus = '\0';
	add_comps(&t, 8, "0-7", 0, 8, 100000);
	judge(&t);
	expect(&t, "irq.remote", RCT_OK_FINDING, "one NUMA node");
	done(&t);
}

static void test_node_untold(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	t.after.nics[0].node = t.after.netifs[0].node = RCT_NODE_UNTOLD;
	add_comps(&t, 4, "4-7", 4, 4, 100000);
	judge(&t);
	expect(&t, "numa.unknown_node", RCT_UNKNOWN_FINDING, "mlx5_0/eth0");
	assert_null(found(&t, "irq.remote"));
	/* what a hypervisor makes up has no place */
	strcpy(t.after.netifs[0].driver, "virtio_net");
	judge(&t);
	assert_null(found(&t, "numa.unknown_node"));
	done(&t);
	/* nor is it blamed for what it can't help: the host may have one queue for it */
	start(&t);
	for (u32 k = 0; k < 2; k++) {
		struct rct_facts *f = k ? &t.after : &t.before;

		f->nics[0].node = f->netifs[0].node = RCT_NODE_UNTOLD;
		strcpy(f->netifs[0].driver, "virtio_net");
	}
	add_comps(&t, 2, "1", 1, 1, 200000);
	judge(&t);
	expect(&t, "irq.single", RCT_NOTICE, "CPU 1 takes 100 %");
	done(&t);
}

static void test_single(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	add_vector(&t, 99, "mlx5_comp15@x", "2", 2, 2811000);
	add_comps(&t, 5, "0", 0, 1, 0);
	judge(&t);
	expect(&t, "irq.single", RCT_WARNING, "One vector of 6 does all the work: irq 99 takes 100 %");
	assert_null(found(&t, "irq.shared"));
	assert_int_equal(found(&t, "irq.balancer") ? found(&t, "irq.balancer")->severity : RCT_OK_FINDING, RCT_OK_FINDING);
	done(&t);
	/* idle: nothing; pinned to one CPU: that CPU */
	start(&t);
	add_vector(&t, 99, "mlx5_comp15@x", "2", 2, 500);
	add_comps(&t, 5, "0", 0, 1, 0);
	judge(&t);
	expect_quiet(&t);
	done(&t);
	start(&t);
	add_comps(&t, 6, "1", 1, 1, 50000);
	judge(&t);
	expect(&t, "irq.single", RCT_WARNING, "CPU 1 takes 100 %");
	expect(&t, "irq.effective", RCT_OK_FINDING, "6 vectors");
	done(&t);
}

static void test_effective(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	add_comps(&t, 6, "0-7", 0, 1, 50000);
	t.after.irqbalance = 0;
	judge(&t);
	expect(&t, "irq.effective", RCT_CRITICAL, "delivered to CPU 0, which takes 100 %");
	expect(&t, "irq.balancer", RCT_NOTICE, "not running");
	assert_null(found(&t, "irq.single"));
	assert_null(found(&t, "irq.shared"));
	done(&t);
	/* outside of what was asked for */
	start(&t);
	add_comps(&t, 3, "2", 0, 3, 50000);
	judge(&t);
	expect(&t, "irq.effective", RCT_WARNING, "2 vectors are delivered outside");
	done(&t);
}

static void test_shared(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	add_comps(&t, 6, "0-3", 0, 2, 50000);
	t.after.irqbalance = 1;
	judge(&t);
	expect(&t, "irq.shared", RCT_WARNING, "6 busy vectors share 2 CPUs (0-1); CPU 0 takes 50 %");
	expect(&t, "irq.balancer", RCT_NOTICE, "is running");
	done(&t);
	/* more vectors than CPUs near: they must share */
	start(&t);
	add_comps(&t, 12, "0-3", 0, 4, 50000);
	judge(&t);
	expect_quiet(&t);
	done(&t);
}

static void test_moved_isolated_storm(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	add_comps(&t, 4, "0-3", 0, 4, 50000);
	strcpy(t.before.irqs[2].effective, "3");
	strcpy(t.after.cpus_isolated, "2");
	add_vector(&t, 90, "mlx5_async0@x", "0", 0, 200000);
	judge(&t);
	expect(&t, "irq.moved", RCT_NOTICE, "1 vector moved");
	expect(&t, "irq.isolated", RCT_WARNING, "are handled on CPUs that are kept for others: 2");
	expect(&t, "irq.storm", RCT_WARNING, "irq 90 (mlx5_async0@x) fires 20,000/s");
	done(&t);
}

/* Beside an RDMA device, another interface's is a notice at most. */
static void test_other_interface(void **state)
{
	struct rct_netif *i;
	struct trial t;

	(void)state;
	start(&t);
	add_comps(&t, 4, "0-3", 0, 4, 50000);
	for (int k = 0; k < 2; k++) {
		struct rct_facts *f = k ? &t.after : &t.before;

		i = RCT_FACTS_ADD(f->netifs, f->n_netifs);
		strcpy(i->name, "eno1");
	}
	add_vector(&t, 200, "eno1-TxRx-0", "4", 4, 500000);
	t.before.irqs[4].nic = t.after.irqs[4].nic = -1;
	t.before.irqs[4].netif = t.after.irqs[4].netif = 1;
	judge(&t);
	expect(&t, "irq.remote", RCT_NOTICE, "are handled on node 1");
	assert_string_equal(found(&t, "irq.remote")->object, "eno1");
	done(&t);
}

/* ---- GPUs */

static void add_distance(struct trial *t, const char *gpu, const char *dev, const char *path)
{
	struct rct_distance *d = RCT_FACTS_ADD(t->after.distances, t->after.n_distances);

	strcpy(d->gpu, gpu);
	strcpy(d->dev, dev);
	strcpy(d->path, path);
}

static void test_gpu(void **state)
{
	struct rct_nic *n;
	struct trial t;

	(void)state;
	start(&t);
	n = RCT_FACTS_ADD(t.after.nics, t.after.n_nics);
	strcpy(n->dev, "mlx5_1");
	strcpy(n->state, "ACTIVE");
	n->readable = true;
	n->node = 1;
	n->netif = -1;
	add_distance(&t, "GPU0", "mlx5_0", "PIX");
	add_distance(&t, "GPU0", "mlx5_1", "SYS");
	add_distance(&t, "GPU4", "mlx5_0", "SYS");
	add_distance(&t, "GPU4", "mlx5_1", "PXB");
	judge(&t);
	expect(&t, "numa.gpu_nic", RCT_OK_FINDING, "each of 2 GPUs");
	strcpy(t.after.nics[1].state, "DOWN");
	judge(&t);
	expect(&t, "numa.gpu_nic", RCT_NOTICE, "1 GPU of node 1 must cross sockets");
	done(&t);
}

/* ---- the script */

static char *script(struct trial *t, bool undo)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	assert_int_equal(rct_irq_fix(out, &t->s, undo), 0);
	fclose(out);
	return text;
}

static void test_fix(void **state)
{
	struct trial t;
	char *text;

	(void)state;
	start(&t);
	add_comps(&t, 4, "4-7", 4, 4, 0);
	add_vector(&t, 99, "mlx5_async0@x", "4-7", 5, 0);
	text = script(&t, false);
	assert_non_null(strstr(text, "\nput 100 'mlx5_comp0@pci:0000:3b:00.0' 0\n"));
	assert_non_null(strstr(text, "\nput 103 'mlx5_comp3@pci:0000:3b:00.0' 3\n"));
	assert_non_null(strstr(text, "\nput 99 'mlx5_async0@x' 0-3\n"));
	assert_non_null(strstr(text, "--banirq=103"));
	free(text);
	text = script(&t, true);
	assert_non_null(strstr(text, "\nput 100 'mlx5_comp0@pci:0000:3b:00.0' 4-7\n"));
	assert_non_null(strstr(text, "\nput 99 'mlx5_async0@x' 4-7\n"));
	free(text);
	done(&t);
}

/* What is right stays, and its CPUs are taken; what the kernel manages is left to it. */
static void test_fix_keeps(void **state)
{
	struct rct_netif *i;
	struct trial t;
	char *text;

	(void)state;
	start(&t);
	add_comps(&t, 2, "0-3", 0, 2, 0);
	i = RCT_FACTS_ADD(t.after.netifs, t.after.n_netifs);
	strcpy(i->name, "eth1");
	add_vector(&t, 200, "eth1-TxRx-0", "4-7", 4, 0);
	add_vector(&t, 201, "eth1-TxRx-1", "4-7", 4, 0);
	for (int k = 2; k < 4; k++) {
		t.after.irqs[k].nic = -1;
		t.after.irqs[k].netif = 1;
	}
	t.after.irqs[3].managed = 1;
	text = script(&t, false);
	assert_null(strstr(text, "\nput 100"));
	assert_non_null(strstr(text, "\nput 200 'eth1-TxRx-0' 2\n"));
	assert_null(strstr(text, "\nput 201"));
	assert_non_null(strstr(text, "1 of its vectors are managed"));
	free(text);
	done(&t);
}

/* A captured host's names and lists are other people's: none of them is a command. */
static void test_fix_hostile(void **state)
{
	struct trial t;
	char *text;

	(void)state;
	start(&t);
	add_vector(&t, 100, "a';reboot;'\nreboot", "4", 4, 0);
	add_vector(&t, 101, "b", "4;reboot", 4, 0);
	strcpy(t.after.netifs[0].name, "e\nreboot");
	text = script(&t, false);
	assert_null(strstr(text, "\nreboot"));
	assert_non_null(strstr(text, "'a'\\'';reboot;'\\''\\x0areboot' 0\n"));
	free(text);
	text = script(&t, true);
	assert_null(strstr(text, "\nreboot"));
	assert_null(strstr(text, "4;reboot"));
	assert_null(strstr(text, "put 101"));
	free(text);
	done(&t);
}

/* ---- a declared layout */

static const struct {
	const char *text, *says;
} bad[] = {
	{ "", "declares nothing" }, { "# no more\n\n", "declares nothing" }, { "eth0\n", "line 1: the second word" },
	{ "\neth0 local\n", "line 2: the third word" }, { "eth0 0-3 even\n", "the third word" },
	{ "eth0 3-0 spread\n", "the second word" }, { "eth0 local spread x\n", "behind the third" },
	{ "eth0 local spread\neth0 0 spread\n", "line 2: this NIC has a line already" },
};

static void test_expect_file(void **state)
{
	struct rct_expect e;
	struct rct_err err;

	(void)state;
	for (size_t i = 0; i < RCT_ARRAY_SIZE(bad); i++) {
		assert_int_equal(rct_expect_parse(bad[i].text, "layout", &e, &err), -EINVAL);
		assert_non_null(strstr(err.text, bad[i].says));
		rct_expect_free(&e);
	}
	assert_int_equal(rct_expect_parse("# x\n eth0\tlocal one-to-one # y\n* 0-3 spread", "layout", &e, &err), 0);
	assert_int_equal(e.n, 2);
	assert_true(e.v[0].local && e.v[0].one_to_one && !e.v[1].local && !e.v[1].one_to_one);
	assert_int_equal(rct_cpus_count(&e.v[1].cpus), 4);
	rct_expect_free(&e);
}

static void compare(struct trial *t, const char *layout)
{
	struct rct_expect e;

	rct_findings_free(&t->f);
	assert_int_equal(rct_expect_parse(layout, "layout", &e, NULL), 0);
	assert_int_equal(rct_expect_judge(&t->s, &e, &t->f), 0);
	rct_expect_free(&e);
}

static void test_expect(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	add_comps(&t, 6, "0-3", 0, 4, 0);
	compare(&t, "eth0 local spread");
	expect(&t, "irq.expect", RCT_OK_FINDING, "6 vectors of 1 NIC)");
	compare(&t, "mlx5_0 local one-to-one");
	expect(&t, "irq.expect", RCT_WARNING, "CPU 0 serves 2 of 6 vectors");
	compare(&t, "* 0-2 spread");
	expect(&t, "irq.expect", RCT_WARNING, "1 vector is delivered outside the declared CPUs 0-2, e.g. irq 103 on CPU 3");
	compare(&t, "eth7 local spread");
	expect(&t, "irq.expect", RCT_WARNING, "eth7 is declared");
	t.after.nics[0].node = t.after.netifs[0].node = RCT_NODE_UNTOLD;
	compare(&t, "eth0 local spread");
	expect(&t, "irq.expect", RCT_UNKNOWN_FINDING, "nothing is local");
	done(&t);
}

/* Where it went in the interval counts, not only where it would go now. */
static void test_expect_counts(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	add_one(&t.before, 100, "mlx5_comp0@x", "1", "1", 6, 0);
	add_one(&t.after, 100, "mlx5_comp0@x", "1", "1", 6, 10);
	compare(&t, "eth0 local spread");
	expect(&t, "irq.expect", RCT_WARNING, "irq 100 on CPU 1,6");
	done(&t);
}

/* ---- the table */

static void test_table(void **state)
{
	struct rct_view view = { .width = 100 };
	struct trial t;
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	(void)state;
	start(&t);
	add_vector(&t, 100, "mlx5_comp0@x", "4-7", 5, 1234);
	add_vector(&t, 101, "mlx5_comp1@x", "1", 1, 0);
	assert_int_equal(rct_irq_table(out, &t.s, &view), 0);
	fclose(out);
	assert_non_null(strstr(text, "100 mlx5_comp0@x"));
	assert_non_null(strstr(text, "1,234"));
	assert_non_null(strstr(text, "100 %"));
	assert_non_null(strstr(text, "5:1,234"));
	assert_null(strstr(text, "mlx5_comp1"));
	assert_non_null(strstr(text, "1 vector of NICs did not fire"));
	free(text);
	done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sets), cmocka_unit_test(test_names), cmocka_unit_test(test_deltas),
		cmocka_unit_test(test_near), cmocka_unit_test(test_good), cmocka_unit_test(test_remote),
		cmocka_unit_test(test_never_fired), cmocka_unit_test(test_one_node), cmocka_unit_test(test_memory_node),
		cmocka_unit_test(test_node_untold), cmocka_unit_test(test_single), cmocka_unit_test(test_effective),
		cmocka_unit_test(test_shared), cmocka_unit_test(test_moved_isolated_storm),
		cmocka_unit_test(test_other_interface), cmocka_unit_test(test_gpu), cmocka_unit_test(test_fix),
		cmocka_unit_test(test_fix_keeps), cmocka_unit_test(test_fix_hostile), cmocka_unit_test(test_expect_file),
		cmocka_unit_test(test_expect), cmocka_unit_test(test_expect_counts), cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
