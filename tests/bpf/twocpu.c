// SPDX-License-Identifier: BSD-2-Clause
/*
 * Two CPUs in the same rows at the same time, by programs of shared_psn.bpf.c whose
 * packets are numbered from one counter: whatever the order, all sums are exact,
 * no PSN is missing and none repeated, no flow has two rows, no packet is lost, and
 * that also while user space takes rows out of the table.
 *
 *	twocpu [-n RUNS]	so many packets a CPU (2000000)
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/rowtab.h"
#include "lib/loaded.h"
#include "lib/opspec.h"
#include "lib/tap.h"
#include "shared_psn.skel.h"

#define CPUS	2

static u8 frame[2048];
static u32 frame_len;

struct table {
	struct shared_psn_bpf *skel;
	struct rct_row *rows;
	u32 n;
};

static void open_table(struct table *t, u32 rows, u32 shift)
{
	int err;

	t->skel = shared_psn_bpf__open();
	if (!t->skel)
		abort();
	rct_loaded_seed((u64 *)t->skel->rodata->rct_config.seed);
	*(u32 *)&t->skel->rodata->rct_config.rows = rows;
	*(u32 *)&t->skel->rodata->rct_shift = shift;
	bpf_map__set_max_entries(t->skel->maps.rct_rows, rows);
	bpf_map__set_max_entries(t->skel->maps.rct_cold, rows);
	err = shared_psn_bpf__load(t->skel);
	if (err) {
		rct_tap(false, "the programs load: %s", strerror(-err));
		exit(rct_tap_end());
	}
	t->n = rows;
	t->rows = mmap(NULL, (size_t)rows * sizeof(struct rct_row), PROT_READ | PROT_WRITE, MAP_SHARED,
		       bpf_map__fd(t->skel->maps.rct_rows), 0);
	if (t->rows == MAP_FAILED)
		abort();
}

static void close_table(struct table *t)
{
	munmap(t->rows, (size_t)t->n * sizeof(struct rct_row));
	shared_psn_bpf__destroy(t->skel);
}

/* ---------------------------------------------------------------- the CPUs */

struct cpu {
	pthread_t thread;
	int prog, cpu, err;
	u32 runs;
	pthread_barrier_t *start;
};

static void *run_cpu(void *arg)
{
	struct cpu *c = arg;
	cpu_set_t set;
	LIBBPF_OPTS(bpf_test_run_opts, o, .data_in = frame, .data_size_in = frame_len, .repeat = c->runs);

	CPU_ZERO(&set);
	CPU_SET(c->cpu, &set);
	c->err = sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
	pthread_barrier_wait(c->start);
	if (!c->err && bpf_prog_test_run_opts(c->prog, &o))
		c->err = -errno;
	if (!c->err && o.retval != 2 /* XDP_PASS */)
		c->err = -EPROTO;
	return NULL;
}

/* Both at once, to their end. meanwhile: what this thread does, until it is told to stop. */
static bool run_cpus(const struct bpf_program *prog, u32 runs, void (*meanwhile)(void *arg), void *arg)
{
	struct cpu cpus[CPUS];
	pthread_barrier_t start;
	bool good = true;

	pthread_barrier_init(&start, NULL, CPUS);
	for (int i = 0; i < CPUS; i++) {
		cpus[i] = (struct cpu){ .prog = bpf_program__fd(prog), .cpu = i, .runs = runs, .start = &start };
		if (pthread_create(&cpus[i].thread, NULL, run_cpu, &cpus[i]))
			abort();
	}
	for (int i = 0; i < CPUS; i++) {
		while (meanwhile && pthread_tryjoin_np(cpus[i].thread, NULL) == EBUSY)
			meanwhile(arg);
		if (!meanwhile)
			pthread_join(cpus[i].thread, NULL);
		good &= !cpus[i].err;
	}
	pthread_barrier_destroy(&start);
	return good;
}

/* --------------------------------------------------------------- one flow */

static bool find_flow(const struct table *t, u32 qp, struct rct_flow *ret)
{
	for (u32 i = 0; i < t->n; i++) {
		struct rct_cold cold;

		if (t->rows[i].state != RCT_ROW_LIVE || t->rows[i].key.dest_qp != qp)
			continue;
		if (bpf_map_lookup_elem(bpf_map__fd(t->skel->maps.rct_cold), &i, &cold))
			return false;
		rct_flow_fold(&t->rows[i], &cold, ret);
		return true;
	}
	return false;
}

/* A serial order explains it: each hole was one packet overtaken by others, and was filled. */
static bool is_serial(const struct rct_flow *f)
{
	return !f->missing && !f->repeated && !f->given_up && !f->reanchored && f->gaps <= f->late &&
	       f->cross_cpu <= f->late;
}

static void say_tracker(const struct rct_flow *f)
{
	rct_tap_say("gaps %llu, late %llu (%llu from another CPU), missing %llu, repeated %llu, resync %llu",
		    (unsigned long long)f->gaps, (unsigned long long)f->late, (unsigned long long)f->cross_cpu,
		    (unsigned long long)f->missing, (unsigned long long)f->repeated, (unsigned long long)f->resync);
}

/*
 * A CPU that is kept from its packet (by the hypervisor, by another program) while
 * the other steps on by more than the window makes a resync, as it must. And two that
 * ran one after the other never met. Then nothing is proven: another flow, another try.
 */
#define TRIES	8

/*
 * The flow's first packets are one CPU's alone: were the very first two swapped, the
 * tracker would start at the second, and take the first for a repeated one.
 */
#define ALONE	1024

static bool run_alone(const struct bpf_program *prog)
{
	LIBBPF_OPTS(bpf_test_run_opts, o, .data_in = frame, .data_size_in = frame_len, .repeat = ALONE);

	return !bpf_prog_test_run_opts(bpf_program__fd(prog), &o);
}

static bool run_flow(struct table *t, const struct bpf_program *prog, u32 runs, u64 first, struct rct_flow *f)
{
	for (u32 i = 1; i <= TRIES; i++) {
		t->skel->bss->rct_drawn = first;
		t->skel->bss->rct_qp = 100 + i;
		if (!run_alone(prog) || !run_cpus(prog, runs, NULL, NULL) || !find_flow(t, 100 + i, f))
			return false;
		say_tracker(f);
		if (!f->resync && f->late)
			return true;
	}
	return false;
}

static void test_one_flow(u32 runs, u64 first, const char *what)
{
	const u64 n = (u64)CPUS * runs + ALONE;
	struct rct_flow f;
	struct table t;

	open_table(&t, 64, 0);
	if (rct_tap(run_flow(&t, t.skel->progs.rct_one_flow, runs, first, &f), "%s: two CPUs ran, and met", what)) {
		rct_tap(is_serial(&f), "%s: nothing missing, nothing repeated", what);
		rct_tap(f.packets == n && f.messages == n && f.bytes == n * frame_len && f.payload == n * 200,
			"%s: %llu packets and their bytes, payload, messages are exact", what, (unsigned long long)n);
		rct_tap(f.sizes[8] == n && f.ecn[RCT_ECT0] == n, "%s: sizes and ECN are exact", what);
	}
	close_table(&t);
}

/* Of n draws: how many are a multiple of 2^k plus r, for r < 2^k; n is a multiple of 2^k. */
static u64 share(u64 n, u32 k)
{
	return n >> k;
}

static void test_mixed_flow(u32 runs)
{
	const u64 n = (u64)CPUS * runs + ALONE, eighth = n / 8;
	/* bytes of extension headers of eight draws in a row */
	const u64 ext = 16 + 4 + 4 + 28;
	struct rct_flow f;
	struct table t;

	open_table(&t, 64, 0);
	if (!rct_tap(run_flow(&t, t.skel->progs.rct_mixed_flow, runs, 0, &f), "mixed: two CPUs ran, and met"))
		goto out;
	rct_tap(is_serial(&f), "mixed: nothing missing, nothing repeated");
	rct_tap(f.packets == n && f.bytes == n * frame_len + share(n, 8) * 6 && f.payload == n * 200 - eighth * ext,
		"mixed: packets, bytes, payload are exact");
	rct_tap(f.ops[0x06] == eighth && f.ops[0x07] == 2 * eighth && f.ops[0x08] == eighth && f.ops[0x11] == eighth &&
		f.ops[0x04] == eighth && f.ops[0x05] == eighth && f.ops[0x13] == eighth,
		"mixed: the counts of every operation are exact");
	rct_tap(f.messages == 4 * eighth && f.naks[0] == share(n, 7) && f.acks == eighth - share(n, 7),
		"mixed: messages, ACKs and NAKs are exact");
	rct_tap(f.ecn[RCT_CE] == share(n, 7) && f.ecn[RCT_NOT_ECT] == share(n, 7) &&
		f.ecn[RCT_ECT0] == n - 2 * share(n, 7), "mixed: ECN is exact");
	rct_tap(f.sport_changes >= share(n, 10) - 1, "mixed: the source port's moves are seen");
out:
	close_table(&t);
}

/* ------------------------------------------------------------- many flows */

struct sums {
	u64 packets, bytes;
	u64 overflow, overflow_bytes;
	u32 live, twice, foreign;
};

static void add_overflow(const struct table *t, struct sums *s)
{
	static struct rct_stats per_cpu[1024];
	int cpus = libbpf_num_possible_cpus();
	u32 slot = 1;

	if (cpus > 1024 || bpf_map_lookup_elem(bpf_map__fd(t->skel->maps.rct_stats), &slot, per_cpu))
		abort();
	for (int i = 0; i < cpus; i++) {
		s->overflow += per_cpu[i].verdict[RCT_OK];
		s->overflow_bytes += per_cpu[i].overflow_bytes;
	}
}

/* All live rows; twice: rows whose flow has another; foreign: rows in a state that nobody leaves behind. */
static struct sums sum_table(const struct table *t, u32 flows)
{
	u8 *seen = calloc(flows, 1);
	struct sums s = { 0 };

	if (!seen)
		abort();
	for (u32 i = 0; i < t->n; i++) {
		const struct rct_row *r = &t->rows[i];
		struct rct_cold cold;
		struct rct_flow f;

		s.foreign += r->state == RCT_ROW_FILLING || r->state == RCT_ROW_CANDIDATE || r->state == RCT_ROW_DEAD;
		if (r->state != RCT_ROW_LIVE)
			continue;
		if (r->key.dest_qp >= flows || bpf_map_lookup_elem(bpf_map__fd(t->skel->maps.rct_cold), &i, &cold))
			abort();
		s.live++;
		s.twice += seen[r->key.dest_qp]++ > 0;
		rct_flow_fold(r, &cold, &f);
		s.packets += f.packets;
		s.bytes += f.bytes;
	}
	add_overflow(t, &s);
	free(seen);
	return s;
}

#define FLOWS	50000

/* tombs: every second place was in use once. */
static void test_insertion(u32 rows, bool tombs, const char *what)
{
	const u32 runs = FLOWS * 4 / CPUS;
	const u64 n = (u64)CPUS * runs;
	struct sums s;
	struct table t;

	open_table(&t, rows, 2);
	for (u32 i = 0; tombs && i < rows; i += 2)
		t.rows[i].state = RCT_ROW_TOMB;
	rct_tap(run_cpus(t.skel->progs.rct_many_flows, runs, NULL, NULL), "%s: two CPUs ran", what);
	s = sum_table(&t, FLOWS);
	rct_tap_say("%u rows in use, %llu packets in overflow", s.live, (unsigned long long)s.overflow);
	rct_tap(s.packets + s.overflow == n && s.bytes + s.overflow_bytes == n * frame_len,
		"%s: every packet and byte is in a row or in overflow", what);
	rct_tap(!s.twice && !s.foreign, "%s: no flow has two rows, no row is left half made", what);
	/* a CPU that is kept from making its row ready makes the other give up in time */
	if (rows > FLOWS)
		rct_tap(s.overflow < n / 1000, "%s: and hardly any is in overflow", what);
	close_table(&t);
}

/* ---------------------------------------------------------------- recycling */

static void recycle(void *arg)
{
	if (rct_rowtab_recycle(arg, 0))
		abort();
}

static void test_recycling(u32 rows)
{
	const u32 runs = FLOWS * 16 / CPUS;
	const u64 n = (u64)CPUS * runs;
	struct rct_rowtab *user;
	u64 packets, bytes;
	struct rct_err err;
	struct sums s;
	struct table t;

	open_table(&t, rows, 4);
	if (rct_rowtab_open(bpf_map__fd(t.skel->maps.rct_rows), bpf_map__fd(t.skel->maps.rct_cold), rows, &user, &err)) {
		rct_tap(false, "recycling: %s", err.text);
		return;
	}
	rct_tap(run_cpus(t.skel->progs.rct_many_flows, runs, recycle, user), "recycling: two CPUs ran");
	rct_rowtab_grace(user);
	s = sum_table(&t, FLOWS);
	rct_rowtab_retired(user, &packets, &bytes);
	rct_tap_say("%u rows in use, %llu packets retired, %llu in overflow", s.live, (unsigned long long)packets,
		    (unsigned long long)s.overflow);
	rct_tap(s.packets + packets + s.overflow == n && s.bytes + bytes + s.overflow_bytes == n * frame_len,
		"recycling: rows, retired and overflow are all packets and bytes");
	rct_tap(!s.twice && !s.foreign, "recycling: no flow has two rows, no row is left half made");
	rct_tap(packets > 0, "recycling: rows did leave the table");
	rct_rowtab_free(user);
	close_table(&t);
}

int main(int argc, char **argv)
{
	const char *why = rct_loaded_impossible();
	u32 runs = 2000000;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 3 && !strcmp(argv[1], "-n"))
		runs = strtoul(argv[2], NULL, 0) & ~1023u;
	if (!why && sysconf(_SC_NPROCESSORS_ONLN) < CPUS)
		why = "needs two CPUs";
	if (why) {
		rct_tap_skip("two CPUs", why);
		return rct_tap_end();
	}
	frame_len = rct_build_brief(&(struct rct_brief){ .op = 4, .len = 200, .tos = 2 }, frame, sizeof(frame));
	test_one_flow(runs, 0, "one flow");
	test_one_flow(runs / 2, 0xffffff - runs / 2, "over the wrap");
	test_mixed_flow(runs / 2 & ~1023u);
	test_insertion(RCT_ROWS(FLOWS), false, "many flows");
	test_insertion(RCT_ROWS(FLOWS), true, "many flows among tombs");
	test_insertion(1024, false, "a table that is too small");
	test_recycling(RCT_ROWS(4096));
	return rct_tap_end();
}
