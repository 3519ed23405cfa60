// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the packet programs cost a packet, by BPF_PROG_TEST_RUN: the programs of
 * bench.bpf.c take turns, the best of ROUNDS runs counts, and the tracker's table is
 * checked afterwards: a run whose counts are wrong has measured something else.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "frame.h"
#include "model/snapshot.h"
#include "bench.skel.h"	/* of abi.h's types */

#define ROUNDS		15
#define REPEAT		200000
#define REPEAT_OTHER	200000	/* of packets that are no RoCE */
#define MAX_FLOWS	65536
#define LOOPBACK	1	/* the interface of a test run */

enum what { EMPTY, WALK, PARSE, PLAIN, FLOWS, MESSAGES, WHATS };

static const struct {
	const char *text;
	u32 mix;
} whats[WHATS] = {
	[EMPTY] = { "empty program", BENCH_WRITE_ONLY },
	[WALK] = { "making the packet", BENCH_WRITE_ONLY },
	[PARSE] = { "parse only", BENCH_WRITE_ONLY },
	[PLAIN] = { "plain hash, two counters", BENCH_WRITE_ONLY },
	[FLOWS] = { "tracker, WRITE ONLY", BENCH_WRITE_ONLY },
	[MESSAGES] = { "tracker, messages of 8", BENCH_MESSAGE },
};

static const u32 shifts[] = { 0, 10, 16 };
static const char *const shift_text[] = { "1", "1,024", "65,536" };
#define SHIFTS (sizeof(shifts) / sizeof(shifts[0]))

enum hook { XDP, TC, HOOKS };
static const char *const hook_text[] = { "XDP", "tc" };

static double run(int fd, const struct bench_frame *p, u32 repeat)
{
	LIBBPF_OPTS(bpf_test_run_opts, o, .data_in = p->data, .data_size_in = p->len,
		    .repeat = repeat);

	if (bpf_prog_test_run_opts(fd, &o))
		bench_die("test run");
	return o.duration;
}

static void keep_best(double *best, double ns)
{
	if (!*best || ns < *best)
		*best = ns;
}

static struct bench_bpf *load(u32 shift)
{
	static const struct rct_config config = {
		.seed = { 0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb,
			  0xd6e8feb86659fd93, 0xa0761d6478bd642f, 0xe7037ed1a0b428db },
		.rows = RCT_ROWS(MAX_FLOWS), .buff_len = 1, .events = 1,
	};
	struct bench_bpf *s = bench_bpf__open();

	if (!s)
		bench_die("open");
	memcpy((void *)&s->rodata->rct_config, &config, sizeof(config));
	bpf_map__set_max_entries(s->maps.rct_rows, config.rows);
	bpf_map__set_max_entries(s->maps.rct_cold, config.rows);
	bpf_program__set_autoload(s->progs.rct_netdev_rx, false);
	bpf_program__set_autoload(s->progs.rct_netdev_tx, false);
	if (bench_bpf__load(s))
		bench_die("load (root is needed)");
	s->bss->rct_slot_of[RCT_SLOT_AT(LOOPBACK, 0)] = RCT_SLOT_WORD(LOOPBACK, 0, 0);
	s->bss->bench_shift = shift;
	return s;
}

/* The tracker saw each packet once, in order, in as many flows as there are. */
static void check(const struct bench_bpf *s)
{
	u64 packets = 0, bad = 0, flows = 0;
	int rows = bpf_map__fd(s->maps.rct_rows), colds = bpf_map__fd(s->maps.rct_cold);

	for (u32 i = 0; i < RCT_ROWS(MAX_FLOWS); i++) {
		struct rct_row row;
		struct rct_cold cold;
		struct rct_flow f;

		if (bpf_map_lookup_elem(rows, &i, &row) || bpf_map_lookup_elem(colds, &i, &cold))
			bench_die("reading the table");
		if (row.state != RCT_ROW_LIVE)
			continue;
		rct_flow_fold(&row, &cold, &f);
		flows++;
		packets += f.packets;
		bad += f.gaps + f.missing + f.late + f.repeated + f.resync + f.ops[RCT_OPN_OTHER];
	}
	if (packets == s->bss->bench_seq[BENCH_FLOWS] && flows == 1u << s->bss->bench_shift && !bad)
		return;
	fprintf(stderr, "bench: the table is wrong: %llu packets of %llu, %llu flows of %u, %llu out of order\n",
		(unsigned long long)packets, (unsigned long long)s->bss->bench_seq[BENCH_FLOWS],
		(unsigned long long)flows, 1u << s->bss->bench_shift, (unsigned long long)bad);
	exit(1);
}

static void measure(u32 shift, double best[HOOKS][WHATS])
{
	struct bench_bpf *s = load(shift);
	const int fds[HOOKS][WHATS] = {
		{ bpf_program__fd(s->progs.xdp_empty), bpf_program__fd(s->progs.xdp_walk),
		  bpf_program__fd(s->progs.xdp_parse), bpf_program__fd(s->progs.xdp_plain),
		  bpf_program__fd(s->progs.xdp_flows), bpf_program__fd(s->progs.xdp_flows) },
		{ bpf_program__fd(s->progs.tc_empty), bpf_program__fd(s->progs.tc_walk),
		  bpf_program__fd(s->progs.tc_parse), bpf_program__fd(s->progs.tc_plain),
		  bpf_program__fd(s->progs.tc_flows), bpf_program__fd(s->progs.tc_flows) },
	};
	struct bench_frame p = {};

	bench_make_roce(&p);
	/* every flow is there before anything is timed */
	run(fds[XDP][PLAIN], &p, 1u << shift);
	run(fds[XDP][FLOWS], &p, 1u << shift);
	for (int round = 0; round < ROUNDS; round++) {
		for (int hook = 0; hook < HOOKS; hook++) {
			for (int w = 0; w < WHATS; w++) {
				s->bss->bench_mix = whats[w].mix;
				keep_best(&best[hook][w], run(fds[hook][w], &p, REPEAT));
			}
		}
	}
	check(s);
	bench_bpf__destroy(s);
}

static void print_line(const char *text, const double v[SHIFTS], double goal, bool ratio)
{
	printf("  %-34s", text);
	for (u32 i = 0; i < SHIFTS; i++)
		printf(ratio ? " %9.2f" : " %9.0f", v[i]);
	if (goal)
		printf("   goal %g", goal);
	printf("\n");
}

static void print_hook(int hook, double best[SHIFTS][HOOKS][WHATS])
{
	static const char *const above[WHATS] = {
		[PARSE] = "parse only, above empty", [PLAIN] = "plain hash, above empty",
		[FLOWS] = "tracker, above empty", [MESSAGES] = "tracker, messages, above empty",
	};
	double v[SHIFTS];

	printf("%s, ns a packet\n  %-34s %9s %9s %9s\n", hook_text[hook], "flows",
	       shift_text[0], shift_text[1], shift_text[2]);
	for (int w = 0; w < WHATS; w++) {
		for (u32 i = 0; i < SHIFTS; i++)
			v[i] = best[i][hook][w];
		print_line(whats[w].text, v, 0, false);
	}
	for (int w = PARSE; w < WHATS; w++) {
		for (u32 i = 0; i < SHIFTS; i++)
			v[i] = best[i][hook][w] - best[i][hook][WALK];
		print_line(above[w], v, 0, false);
	}
	for (int w = FLOWS; w < WHATS; w++) {
		for (u32 i = 0; i < SHIFTS; i++)
			v[i] = (best[i][hook][w] - best[i][hook][WALK]) /
			       (best[i][hook][PLAIN] - best[i][hook][WALK]);
		print_line(w == FLOWS ? "tracker / plain hash" : "tracker, messages / plain hash",
			   v, 0, true);
	}
}

/* Packets that are no RoCE, through the programs as they ship. */
static void measure_other(void)
{
	static struct bench_frame kinds[] = {
		{ .text = "TCP", .len = 90 }, { .text = "UDP to another port", .len = 90 },
		{ .text = "ARP", .len = 60 },
	};
	enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };
	double best[KINDS][HOOKS][2] = {};
	struct bench_bpf *s = load(0);
	const int fds[HOOKS][2] = {
		{ bpf_program__fd(s->progs.xdp_empty), bpf_program__fd(s->progs.rct_xdp) },
		{ bpf_program__fd(s->progs.tc_empty), bpf_program__fd(s->progs.rct_tc_rx) },
	};

	bench_make_ip(&kinds[0], 6, 443);
	bench_make_ip(&kinds[1], 17, 53);
	bench_make_ip(&kinds[2], 0, 0);
	kinds[2].data[13] = 0x06;
	for (int round = 0; round < ROUNDS; round++)
		for (int k = 0; k < KINDS; k++)
			for (int i = 0; i < HOOKS * 2; i++)
				keep_best(&best[k][i / 2][i % 2],
					  run(fds[i / 2][i % 2], &kinds[k], REPEAT_OTHER));
	printf("Packets that are no RoCE, ns above empty\n");
	for (int k = 0; k < KINDS; k++)
		printf("  %-34s XDP %4.0f   tc %4.0f\n", kinds[k].text,
		       best[k][XDP][1] - best[k][XDP][0], best[k][TC][1] - best[k][TC][0]);
	bench_bpf__destroy(s);
}

/* One processor: a test run that is moved measures the caches' refill. */
static void stay(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		bench_die("sched_setaffinity");
}

int main(void)
{
	static double best[SHIFTS][HOOKS][WHATS];

	stay();
	for (u32 i = 0; i < SHIFTS; i++)
		measure(shifts[i], best[i]);
	printf("Best of %d interleaved runs of %d packets; \"above empty\" is without making the packet.\n",
	       ROUNDS, REPEAT);
	for (int hook = 0; hook < HOOKS; hook++)
		print_hook(hook, best);
	measure_other();
	return 0;
}
