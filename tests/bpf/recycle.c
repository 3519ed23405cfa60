// SPDX-License-Identifier: BSD-2-Clause
/*
 * User space takes idle rows out of the table while two CPUs send packets of many
 * more flows than it holds: every packet must end up in a flow, among the retired,
 * or in overflow, and no key may have two live rows.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "capture/rowtab.h"
#include "lib/loaded.h"
#include "lib/part.h"
#include "lib/tap.h"
#include "packet.skel.h"

#define FLOWS		64		/* that the table is for */
#define KEYS		1024		/* that are sent; a window of them at a time */
#define WINDOW		48
#define PACKETS		150000		/* a thread */

struct sender {
	struct rct_loaded *l;
	u32 cpu;
	u32 failed;
};

static bool running = true;

/* No look at what comes back: two threads have no room for it in rct_loaded_run(). */
static bool send_one(struct rct_loaded *l, u8 *frame, u32 len)
{
	LIBBPF_OPTS(bpf_test_run_opts, o, .data_in = frame, .data_size_in = len, .repeat = 1);

	return !bpf_prog_test_run_opts(bpf_program__fd(l->skel->progs.rct_xdp), &o);
}

/* Both threads send the same keys at nearly the same time: insertions race. */
static void *send_all(void *arg)
{
	struct sender *s = arg;
	u8 frame[256];
	cpu_set_t set;
	int len;

	CPU_ZERO(&set);
	CPU_SET(s->cpu, &set);
	s->failed += pthread_setaffinity_np(pthread_self(), sizeof(set), &set) != 0;
	for (u32 i = 0; i < PACKETS; i++) {
		u32 key = (i / 500 + i * 7 % WINDOW) % KEYS;

		len = rct_build(PARTS(ETH(), IP4(), UDP(), BTH(.op = 4, .qp = 1000 + key, .psn = i & 0xffffff),
				      DATA(64), ICRC()), frame, sizeof(frame));
		s->failed += len <= 0 || !send_one(s->l, frame, len);
	}
	return NULL;
}

static void *recycle(void *arg)
{
	while (__atomic_load_n(&running, __ATOMIC_ACQUIRE)) {
		if (rct_rowtab_recycle(arg, 2))
			return arg;
		sched_yield();
	}
	return NULL;
}

static u64 twice_there(const struct rct_snapshot *s)
{
	u64 n = 0;

	for (size_t i = 0; i < s->n_flows; i++) {
		for (size_t k = i + 1; k < s->n_flows; k++)
			n += rct_key_equal(&s->flows[i].key, &s->flows[k].key);
	}
	return n;
}

static void judge(struct rct_loaded *l, struct rct_rowtab *t)
{
	struct rct_snapshot s = {};
	struct rct_stats stats;
	u64 retired, bytes, live = 0;

	rct_loaded_stats(l, &stats);
	rct_rowtab_retired(t, &retired, &bytes);
	rct_tap(!rct_rowtab_snapshot(t, &s), "a snapshot");
	for (size_t i = 0; i < s.n_flows; i++)
		live += s.flows[i].packets;
	rct_tap(live + retired + stats.verdict[RCT_OK] == 2 * PACKETS,
		"%llu packets in flows, %llu retired, %llu in overflow are all of them",
		(unsigned long long)live, (unsigned long long)retired,
		(unsigned long long)stats.verdict[RCT_OK]);
	rct_tap(retired > PACKETS / 2, "rows were taken out all the time");
	rct_tap(!twice_there(&s), "no flow has two rows");
	rct_snapshot_free(&s);
}

int main(void)
{
	struct rct_loaded l;
	struct sender senders[2] = { { .l = &l, .cpu = 0 }, { .l = &l, .cpu = 1 } };
	struct rct_rowtab *t = NULL;
	pthread_t threads[2], recycler;
	struct rct_err err = {};
	void *failed;

	if (rct_loaded_impossible()) {
		rct_tap_skip("recycling", rct_loaded_impossible());
		return rct_tap_end();
	}
	if (!rct_tap(!rct_loaded_open(&l, RCT_ROWS(FLOWS), false), "the packet programs load"))
		return rct_tap_end();
	if (!rct_tap(!rct_rowtab_open(bpf_map__fd(l.skel->maps.rct_rows), bpf_map__fd(l.skel->maps.rct_cold),
				      l.n_rows, &t, &err), "the rows are mapped: %s", err.text))
		return rct_tap_end();
	pthread_create(&recycler, NULL, recycle, t);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, send_all, &senders[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	__atomic_store_n(&running, false, __ATOMIC_RELEASE);
	pthread_join(recycler, &failed);
	rct_tap(!failed, "rows could be taken out");
	rct_tap(!senders[0].failed && !senders[1].failed, "all were sent: %u and %u failed", senders[0].failed, senders[1].failed);
	judge(&l, t);
	rct_rowtab_free(t);
	rct_loaded_close(&l);
	return rct_tap_end();
}
