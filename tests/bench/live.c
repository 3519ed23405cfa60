// SPDX-License-Identifier: BSD-2-Clause
/*
 * What tracing costs besides packets: how long attaching takes, a snapshot of
 * 65,536 flows, and the memory of the process that holds them. In a network
 * namespace of its own, on its loopback interface, which is the one that the
 * kernel's test runs give as theirs.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "capture/live.h"
#include "frame.h"

#define FLOWS	65536
#define ROUNDS	15

struct goal {
	const char *text, *unit;
	double most;
};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void print(const struct goal *g, double value)
{
	printf("  %-42s %8.1f %-3s  goal %g: %s\n", g->text, value, g->unit, g->most,
	       value <= g->most ? "met" : "missed");
}

static void own_namespace(void)
{
	struct ifreq r = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int s;

	if (unshare(CLONE_NEWNET))
		bench_die("unshare (root is needed)");
	s = socket(AF_INET, SOCK_DGRAM, 0);
	if (s < 0 || ioctl(s, SIOCSIFFLAGS, &r))
		bench_die("lo up");
	close(s);
}

static struct rct_live *start(void)
{
	static const char *const lo[] = { "lo" };
	const struct rct_live_config config = {
		.ifaces = lo, .n_ifaces = 1, .hook = RCT_HOOK_TC, .flows = FLOWS,
	};
	struct rct_live *l;
	struct rct_err err;

	if (!rct_live_start(&config, &l, &err))
		return l;
	fprintf(stderr, "bench: %s\n", err.text);
	_exit(1);
}

/* The tc program of the tracer just started: the newest of that name. */
static int newest_program(void)
{
	u32 id = 0;
	int found = -1;

	while (!bpf_prog_get_next_id(id, &id)) {
		struct bpf_prog_info info = {};
		u32 len = sizeof(info);
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len) && !strcmp(info.name, "rct_tc_rx")) {
			if (found >= 0)
				close(found);
			found = fd;
		} else if (fd >= 0) {
			close(fd);
		}
	}
	if (found < 0)
		bench_die("no program rct_tc_rx");
	return found;
}

static void make_flows(struct rct_live *l)
{
	struct bench_frame f = {};
	u64 bytes, flows;
	int fd = newest_program();

	bench_make_roce(&f);
	for (u32 qp = 0; qp < FLOWS; qp++) {
		LIBBPF_OPTS(bpf_test_run_opts, o, .data_in = f.data, .data_size_in = f.len, .repeat = 1);

		f.data[BENCH_BTH + 5] = qp >> 16;
		f.data[BENCH_BTH + 6] = qp >> 8;
		f.data[BENCH_BTH + 7] = qp;
		if (bpf_prog_test_run_opts(fd, &o))
			bench_die("test run");
	}
	close(fd);
	rct_live_progress(l, &bytes, &flows);
	if (flows == FLOWS)
		return;
	fprintf(stderr, "bench: %llu flows instead of %d\n", (unsigned long long)flows, FLOWS);
	_exit(1);
}

static double best_start(void)
{
	double best = 1e9, t;

	for (int i = 0; i < ROUNDS; i++) {
		struct rct_live *l;

		t = now_ms();
		l = start();
		t = now_ms() - t;
		best = t < best ? t : best;
		rct_live_stop(l);
		rct_live_free(l);
	}
	return best;
}

static double best_snapshot(struct rct_live *l)
{
	double best = 1e9, t;

	for (int i = 0; i < ROUNDS; i++) {
		struct rct_snapshot s;
		struct rct_err err;

		t = now_ms();
		if (rct_live_snapshot(l, &s, &err) || s.n_flows != FLOWS) {
			fprintf(stderr, "bench: snapshot of %zu flows: %s\n", s.n_flows, err.text);
			_exit(1);
		}
		t = now_ms() - t;
		best = t < best ? t : best;
		rct_snapshot_free(&s);
	}
	return best;
}

int main(void)
{
	static const struct goal attach = { "load and attach, tc, 65,536 flows", "ms", 300 };
	static const struct goal snapshot = { "snapshot of 65,536 flows", "ms", 50 };
	static const struct goal rss = { "resident memory at its peak, 65,536 flows", "MiB", 64 };
	struct rct_live *l;
	struct rusage u;
	double attach_ms, snapshot_ms;

	own_namespace();
	attach_ms = best_start();
	l = start();
	make_flows(l);
	snapshot_ms = best_snapshot(l);
	getrusage(RUSAGE_SELF, &u);
	rct_live_stop(l);
	rct_live_free(l);
	printf("Tracing, best of %d\n", ROUNDS);
	print(&attach, attach_ms);
	print(&snapshot, snapshot_ms);
	print(&rss, u.ru_maxrss / 1024.0);
	return 0;
}
