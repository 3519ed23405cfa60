// SPDX-License-Identifier: BSD-2-Clause
/* user/base/guard.c, user/collect: sources that hang are named and left behind. */
#include "lib/unit.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/guard.h"
#include "collect/collect.h"
#include "collect/cover.h"
#include "model/facts.h"

#define DEADLINE_MS	200

static atomic_int asked, dropped;

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

/* Files below "slow" take four deadlines, all others none. */
static int answer(int fd, const char *path, void **ret, size_t *ret_n, void *arg)
{
	(void)fd;
	(void)arg;
	asked++;
	if (strstr(path, "slow"))
		usleep(4 * DEADLINE_MS * 1000);
	if (strstr(path, "broken"))
		return -EIO;
	*ret = strdup(path);
	*ret_n = strlen(path);
	return 0;
}

static void drop(void *ret, size_t n)
{
	(void)n;
	free(ret);
	dropped++;
}

static int ask(struct rct_guard *g, const char *path, char **text)
{
	const struct rct_job job = { .run = answer, .drop = drop, .fd = -1 };
	size_t n = 0;

	*text = NULL;
	return rct_guard_run(g, &job, path, (void **)text, &n);
}

static void expect_answer(struct rct_guard *g, const char *path)
{
	char *text;

	assert_int_equal(ask(g, path, &text), 0);
	assert_string_equal(text, path);
	free(text);
}

static void test_hangs(void **state)
{
	struct rct_guard *g = rct_guard_new(DEADLINE_MS);
	double start = now_ms();
	char *text;

	(void)state;
	assert_non_null(g);
	asked = dropped = 0;
	expect_answer(g, "sys/class/infiniband/mlx5_0/fw_ver");
	assert_int_equal(ask(g, "sys/class/infiniband/slow_1/ports/1/state", &text), -ETIMEDOUT);
	assert_true(now_ms() - start >= DEADLINE_MS && now_ms() - start < 3 * DEADLINE_MS);
	/* the same device is not asked again, others are */
	assert_int_equal(ask(g, "sys/class/infiniband/slow_1/fw_ver", &text), -ETIMEDOUT);
	assert_int_equal(asked, 2);
	expect_answer(g, "sys/class/infiniband/mlx5_2/fw_ver");
	assert_int_equal(ask(g, "sys/class/infiniband/broken/fw_ver", &text), -EIO);
	assert_string_equal(rct_guard_hung(g, 0), "sys/class/infiniband/slow_1");
	assert_null(rct_guard_hung(g, 1));
	rct_guard_free(g);
	/* what it answers at last is freed, though nobody waits */
	for (int i = 0; i < 100 && !dropped; i++)
		usleep(20000);
	assert_int_equal(dropped, 1);
}

/* Each read is quick enough, all of them together are not. */
static void test_adds_up(void **state)
{
	struct rct_guard *g = rct_guard_new(5 * DEADLINE_MS);
	char *text;

	(void)state;
	expect_answer(g, "sys/class/net/slow0/mtu");
	assert_int_equal(ask(g, "sys/class/net/slow0/speed", &text), -ETIMEDOUT);
	assert_string_equal(rct_guard_hung(g, 0), "sys/class/net/slow0");
	rct_guard_free(g);
}

/* A whole subsystem hangs: three are waited for, the others are not for long. */
static void test_many_hang(void **state)
{
	struct rct_guard *g = rct_guard_new(DEADLINE_MS);
	double start = now_ms();
	char path[64], *text;
	size_t n = 0;

	(void)state;
	for (int i = 0; i < 8; i++) {
		snprintf(path, sizeof(path), "proc/%d/slow", i);
		assert_int_equal(ask(g, path, &text), -ETIMEDOUT);
	}
	assert_true(now_ms() - start < 6 * DEADLINE_MS);
	while (rct_guard_hung(g, n))
		n++;
	assert_int_equal(n, 8);
	expect_answer(g, "proc/uptime");
	rct_guard_free(g);
}

/* More sources than are remembered. */
static void test_many_sources(void **state)
{
	struct rct_guard *g = rct_guard_new(DEADLINE_MS);
	char path[64], *text;

	(void)state;
	assert_int_equal(ask(g, "proc/1/slow", &text), -ETIMEDOUT);
	for (int i = 2; i < 2000; i++) {
		snprintf(path, sizeof(path), "proc/%d/comm", i);
		expect_answer(g, path);
	}
	assert_int_equal(ask(g, "proc/1/comm", &text), -ETIMEDOUT);
	rct_guard_free(g);
}

/* ---- the facts of this machine, with a tool that does not come back */

static int sleepy(const char *name, char **ret, size_t *ret_len)
{
	if (strcmp(name, "dmesg.txt"))
		return -ENOENT;
	usleep(4 * DEADLINE_MS * 1000);
	*ret = strdup("[    1.000000] late\n");
	*ret_len = strlen(*ret);
	return 0;
}

static void test_reading(void **state)
{
	struct rct_reading r;
	struct rct_err err = {};
	struct rct_root root;
	double start = now_ms();

	(void)state;
	assert_int_equal(rct_root_open(&root, NULL, sleepy), 0);
	assert_int_equal(rct_reading_take(&root, DEADLINE_MS, &r, &err), 0);
	rct_root_close(&root);
	assert_true(now_ms() - start >= DEADLINE_MS);
	assert_int_equal(r.n_hung, 1);
	assert_string_equal(r.hung[0].source, "cmd/dmesg.txt");
	assert_false(r.facts->log_read);
	assert_true(r.facts->uptime > 0);	/* the rest went on */
	rct_reading_free(&r);
	/* the thread that was left behind still sleeps in this program's code */
	usleep(5 * DEADLINE_MS * 1000);
}

static void test_no_host(void **state)
{
	struct rct_reading r;
	struct rct_err err = {};
	struct rct_root root;

	(void)state;
	assert_int_equal(rct_root_open(&root, "tests", NULL), 0);
	assert_true(rct_reading_take(&root, 0, &r, &err) < 0);
	assert_true(strstr(err.text, "tests") != NULL);
	assert_null(r.facts);
	rct_root_close(&root);
}

/* ---- coverage */

static const struct rct_coverage *row(const struct rct_snapshot *s, const char *source, const char *object)
{
	for (size_t i = 0; i < s->n_coverage; i++) {
		if (!strcmp(s->coverage[i].source, source) && !strcmp(s->coverage[i].object, object))
			return &s->coverage[i];
	}
	fail_msg("no coverage of %s of %s", source, object);
	return NULL;
}

static struct rct_facts *facts_with(u32 nics)
{
	struct rct_facts *f = calloc(1, sizeof(*f));

	for (u32 i = 0; i < nics; i++) {
		struct rct_nic *n = RCT_FACTS_ADD(f->nics, f->n_nics);

		snprintf(n->dev, sizeof(n->dev), "mlx5_%u", i);
		strcpy(n->driver, "mlx5");
		n->port = 1;
		n->netif = -1;
	}
	return f;
}

static void test_coverage(void **state)
{
	struct rct_reading r = { .facts = facts_with(2) };
	struct rct_snapshot s = {};

	(void)state;
	r.facts->container = 1;
	r.facts->nics[0].readable = true;
	r.facts->nics[0].hw_counters = RCT_THERE;
	r.facts->nics[0].port_counters = RCT_UNREADABLE;
	r.hung = calloc(1, sizeof(*r.hung));
	r.n_hung = 1;
	strcpy(r.hung[0].source, "sys/class/infiniband/mlx5_7");
	assert_int_equal(rct_collect_no_packets(&s, r.facts), 0);
	assert_int_equal(rct_collect_facts(&s, NULL, &r), 0);
	assert_non_null(s.facts);
	assert_null(r.facts);
	assert_int_equal(row(&s, "packets", "mlx5_0")->state, RCT_COV_NONE);
	assert_true(strstr(row(&s, "packets", "mlx5_0")->why, "offloads") != NULL);
	/* a file that says N/A is no counter that is 0 */
	assert_int_equal(row(&s, "counters", "mlx5_0")->state, RCT_COV_NONE);
	assert_true(strstr(row(&s, "counters", "mlx5_0")->why, "no PMA") != NULL);
	assert_int_equal(row(&s, "counters", "mlx5_1")->state, RCT_COV_NONE);
	assert_true(strstr(row(&s, "counters", "mlx5_7")->why, "did not answer") != NULL);
	assert_true(strstr(row(&s, "config", "host")->why, "1 of 2 RDMA devices") != NULL);
	assert_true(strstr(row(&s, "config", "host")->why, "container") != NULL);
	assert_int_equal(row(&s, "log", "kernel log")->state, RCT_COV_NONE);
	rct_reading_free(&r);
	rct_snapshot_free(&s);
}

static void test_counters_seen(void **state)
{
	struct rct_reading r = { .facts = facts_with(1) };
	struct rct_snapshot s = {};
	struct rct_nic *n = r.facts->nics;
	struct rct_counter *c = RCT_FACTS_ADD(n->counters, n->n_counters);

	(void)state;
	n->readable = true;
	n->hw_counters = n->port_counters = RCT_THERE;
	*c = (struct rct_counter){ RCT_G_HW, "out_of_sequence", RCT_THERE, 0 };
	assert_int_equal(rct_collect_facts(&s, NULL, &r), 0);
	assert_int_equal(row(&s, "counters", "mlx5_0")->state, RCT_COV_PARTIAL);
	assert_null(strstr(row(&s, "counters", "mlx5_0")->why, "out of sequence"));
	assert_true(strstr(row(&s, "counters", "mlx5_0")->why, "n/a: sequence NAKs") != NULL);
	rct_reading_free(&r);
	rct_snapshot_free(&s);
}

/* The second reading had no rights for the environment of a process any more. */
static void test_lends(void **state)
{
	struct rct_reading before = { .facts = facts_with(1) }, after = { .facts = facts_with(1) };
	struct rct_snapshot s = {};
	struct rct_proc *p = RCT_FACTS_ADD(before.facts->procs, before.facts->n_procs);
	struct rct_env *e = RCT_FACTS_ADD(p->env, p->n_env);

	(void)state;
	p->pid = 7;
	p->env_read = true;
	e->name = strdup("NCCL_IB_TC");
	e->value = strdup("106");
	before.facts->log_read = true;
	p = RCT_FACTS_ADD(after.facts->procs, after.facts->n_procs);
	p->pid = 7;
	assert_int_equal(rct_collect_facts(&s, &before, &after), 0);
	assert_string_equal(rct_proc_env(&s.facts->procs[0], "NCCL_IB_TC"), "106");
	assert_true(s.facts->log_read);
	rct_reading_free(&before);
	rct_reading_free(&after);
	rct_snapshot_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hangs),
		cmocka_unit_test(test_adds_up),
		cmocka_unit_test(test_many_hang),
		cmocka_unit_test(test_many_sources),
		cmocka_unit_test(test_reading),
		cmocka_unit_test(test_no_host),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_counters_seen),
		cmocka_unit_test(test_lends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
