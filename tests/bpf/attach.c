// SPDX-License-Identifier: BSD-2-Clause
/*
 * Attaching and detaching for real, as root, in a network namespace of its own with a
 * veth pair: what arrives at v0 was sent on v1. Prints TAP.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/caps.h"
#include "base/util.h"
#include "capture/attach.h"
#include "capture/keeper.h"
#include "capture/others.h"
#include "capture/trial.h"

#define FRAMES	20
#define SOON_MS	5000

static int failures, number;
static bool test_ok;
static const char *skipped;	/* why */

__attribute__((format(printf, 2, 3)))
static void check(bool ok, const char *fmt, ...)
{
	va_list ap;

	if (ok)
		return;
	test_ok = false;
	va_start(ap, fmt);
	fputs("#   ", stdout);
	vprintf(fmt, ap);
	puts("");
	va_end(ap);
}

/* ------------------------------------------------------------- the stage */

__attribute__((format(printf, 1, 2)))
static int run(const char *fmt, ...)
{
	char cmd[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	return system(cmd);
}

static void must(int rc, const char *what)
{
	if (!rc)
		return;
	printf("Bail out! %s failed (%d)\n", what, rc);
	exit(1);
}

/* A fresh namespace for this process; the old one goes with the last process in it. */
static void new_stage(void)
{
	must(unshare(CLONE_NEWNET), "unshare");
	/* no neighbour discovery among the frames that are counted */
	run("echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6");
	must(run("ip link set lo up && ip link add v0 type veth peer name v1 && "
		 "ip link set v0 up && ip link set v1 up"),
	     "veth pair");
}

static u32 v0(void)
{
	return if_nametoindex("v0");
}

/* Frames of a protocol that nobody answers. */
static void send_frames(const char *ifname, int n)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_ifindex = if_nametoindex(ifname) };
	u8 frame[64] = { [0 ... 5] = 0xff, [6] = 2, [12] = 0x88, [13] = 0xb5 };
	int s = socket(AF_PACKET, SOCK_RAW, 0);

	for (int i = 0; i < n; i++)
		must(sendto(s, frame, sizeof(frame), 0, (struct sockaddr *)&to, sizeof(to)) != sizeof(frame), "send");
	close(s);
}

/* A program that counts and returns a verdict. */
struct prog {
	int fd, map;
};

static struct prog counter(enum bpf_prog_type type, const char *name, int verdict)
{
	struct prog p = { .map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "count", 4, 8, 1, NULL) };
	const struct bpf_insn insns[] = {
		{ .code = BPF_ST | BPF_MEM | BPF_W, .dst_reg = 10, .off = -4 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 2, .src_reg = 10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 2, .imm = -4 },
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = 1, .src_reg = BPF_PSEUDO_MAP_FD, .imm = p.map },
		{},
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_map_lookup_elem },
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = 0, .off = 2 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 1, .imm = 1 },
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = 0, .src_reg = 1, .imm = BPF_ADD },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = verdict },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	p.fd = bpf_prog_load(type, name, "Dual BSD/GPL", insns, RCT_ARRAY_SIZE(insns), NULL);
	must(p.map < 0 || p.fd < 0, "load");
	return p;
}

static u64 counted(const struct prog *p)
{
	u64 n = 0;
	u32 key = 0;

	bpf_map_lookup_elem(p->map, &key, &n);
	return n;
}

static void reset(struct prog *p)
{
	u64 n = 0;
	u32 key = 0;

	bpf_map_update_elem(p->map, &key, &n, BPF_ANY);
}

static void drop(struct prog *p)
{
	close(p->fd);
	close(p->map);
}

static struct prog tc(const char *name, int verdict)
{
	return counter(BPF_PROG_TYPE_SCHED_CLS, name, verdict);
}

/* Ours, one for each direction. */
struct ours {
	struct prog rx, tx;
	struct rct_attachment *a;
	struct rct_attached how;
	struct rct_err err;
};

typedef int (*attach_fn)(int, int, u32, const char *, struct rct_attachment **, struct rct_attached *, struct rct_err *);

static int attach(struct ours *o, attach_fn fn)
{
	memset(o, 0, sizeof(*o));
	o->rx = tc("rct_tc_rx", -1);
	o->tx = tc("rct_tc_tx", -1);
	return fn(o->rx.fd, o->tx.fd, v0(), "v0", &o->a, &o->how, &o->err);
}

static void detach(struct ours *o)
{
	rct_detach(o->a);
	o->a = NULL;
	drop(&o->rx);
	drop(&o->tx);
}

static void expect_counts(struct ours *o, u64 rx, u64 tx, const char *when)
{
	reset(&o->rx);
	reset(&o->tx);
	send_frames("v1", FRAMES);
	send_frames("v0", FRAMES);
	check(counted(&o->rx) == rx, "%s: %llu received frames seen, not %llu", when,
	      (unsigned long long)counted(&o->rx), (unsigned long long)rx);
	check(counted(&o->tx) == tx, "%s: %llu sent frames seen, not %llu", when,
	      (unsigned long long)counted(&o->tx), (unsigned long long)tx);
}

static void expect_foreign(const struct prog *p, u64 n, const char *who)
{
	check(counted(p) == n, "%s saw %llu frames, not %llu", who, (unsigned long long)counted(p),
	      (unsigned long long)n);
}

/* What tc lists of v0, as one string. */
static const char *listed(void)
{
	static char text[4096];
	FILE *f = popen("tc qdisc show dev v0; tc filter show dev v0 ingress; tc filter show dev v0 egress", "r");
	size_t n = fread(text, 1, sizeof(text) - 1, f);

	text[n] = '\0';
	pclose(f);
	return text;
}

static bool has(const char *word)
{
	return strstr(listed(), word);
}

static void nap(void)
{
	usleep(20000);
}

/* Within some seconds the word is no longer listed. */
static bool vanishes(const char *word)
{
	for (int ms = 0; ms < SOON_MS; ms += 20) {
		if (!has(word))
			return true;
		nap();
	}
	return false;
}

static void expect_nothing_left(const char *when)
{
	char others[512];

	check(vanishes("rocetrace"), "%s: a filter is left: %s", when, listed());
	check(vanishes("clsact"), "%s: a qdisc is left: %s", when, listed());
	rct_others(v0(), others, sizeof(others));
	check(!*others, "%s: left on v0: %s", when, others);
}

/* ------------------------------------------------- a tracer of its own */

struct tracer {
	pid_t pid, keeper;
	int ready;	/* it wrote a byte */
	int go;		/* closing it lets it detach and end */
};

static pid_t first_child(pid_t pid)
{
	char path[64];
	int child = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	f = fopen(path, "re");
	if (f && fscanf(f, "%d", &child) != 1)
		child = 0;
	if (f)
		fclose(f);
	return child;
}

static void tracer_main(attach_fn fn, int ready, int go, bool drop_caps)
{
	struct ours o;
	char c = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (attach(&o, fn)) {
		printf("#   tracer: %s\n", o.err.text);
		fflush(stdout);
		_exit(1);
	}
	if (drop_caps && rct_caps_drop_after_attach(false, &o.err))
		_exit(2);
	if (write(ready, "r", 1) != 1 || read(go, &c, 1) < 0)
		_exit(3);
	detach(&o);
	_exit(0);
}

static struct tracer start_tracer(attach_fn fn, bool drop_caps)
{
	struct tracer t;
	int ready[2], go[2];
	char c;

	must(pipe2(ready, O_CLOEXEC) || pipe2(go, O_CLOEXEC), "pipe");
	fflush(stdout);
	t.pid = fork();
	if (!t.pid) {
		close(ready[0]);
		close(go[1]);
		tracer_main(fn, ready[1], go[0], drop_caps);
	}
	close(ready[1]);
	close(go[0]);
	t.ready = ready[0];
	t.go = go[1];
	check(read(t.ready, &c, 1) == 1, "the tracer did not start");
	t.keeper = first_child(t.pid);
	return t;
}

/* Reaps it. */
static int end_tracer(struct tracer *t)
{
	int status = -1;

	close(t->go);
	waitpid(t->pid, &status, 0);
	close(t->ready);
	return status;
}

static void kill_tracer(struct tracer *t)
{
	kill(t->pid, SIGKILL);
	end_tracer(t);
}

static bool status_has(pid_t pid, const char *wanted)
{
	char path[64], line[256];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		found = !strcmp(line, wanted);
	}
	if (f)
		fclose(f);
	return found;
}

/* Who inherited it may take its time to reap it. */
static bool ends(pid_t pid)
{
	for (int ms = 0; ms < SOON_MS; ms += 20) {
		if (kill(pid, 0) || status_has(pid, "State:\tZ (zombie)"))
			return true;
		nap();
	}
	return false;
}

/* ------------------------------------------------------------------ tcx */

static int foreign_tcx(const struct prog *p, u32 type)
{
	int fd = bpf_link_create(p->fd, v0(), type, NULL);

	must(fd < 0, "foreign tcx link");
	return fd;
}

static void tcx_counts(void)
{
	struct ours o;

	check(!attach(&o, rct_attach_tcx), "%s", o.err.text);
	check(!strcmp(o.how.method, "tcx") && !o.how.partial, "%s, partial %d: %s", o.how.method, o.how.partial, o.how.why);
	expect_counts(&o, FRAMES, FRAMES, "attached");
	check(rct_attachment_alive(o.a), "not alive");
	detach(&o);
	expect_nothing_left("detached");
}

static void tcx_foreign_in_front_and_behind(void)
{
	struct prog before = tc("before", 0), behind = tc("behind", 0);
	int link[2] = { foreign_tcx(&before, RCT_TCX_INGRESS), -1 };
	struct ours o;

	check(!attach(&o, rct_attach_tcx), "%s", o.err.text);
	check(!o.how.partial, "partial: %s", o.how.why);
	expect_counts(&o, FRAMES, FRAMES, "in front of a program that accepts for good");
	expect_foreign(&before, FRAMES, "the program that was there first");
	detach(&o);
	close(link[0]);
	check(!attach(&o, rct_attach_tcx), "%s", o.err.text);
	link[0] = foreign_tcx(&behind, RCT_TCX_INGRESS);
	link[1] = foreign_tcx(&before, RCT_TCX_EGRESS);
	reset(&before);
	expect_counts(&o, FRAMES, FRAMES, "with programs that came later");
	expect_foreign(&behind, FRAMES, "the program behind on ingress");
	expect_foreign(&before, FRAMES, "the program behind on egress");
	detach(&o);
	reset(&behind);
	send_frames("v1", FRAMES);
	expect_foreign(&behind, FRAMES, "after we left, the foreign program");
	close(link[0]);
	close(link[1]);
	drop(&before);
	drop(&behind);
}

static void tcx_egress_behind_a_final_verdict(void)
{
	struct prog foreign = tc("takes_all", 0);
	int link = foreign_tcx(&foreign, RCT_TCX_EGRESS);
	struct ours o;

	check(!attach(&o, rct_attach_tcx), "%s", o.err.text);
	check(o.how.partial && strstr(o.how.why, "'takes_all'"), "partial %d, why: %s", o.how.partial, o.how.why);
	expect_counts(&o, FRAMES, 0, "behind a program that accepts for good");
	expect_foreign(&foreign, FRAMES, "the program in front");
	detach(&o);
	close(link);
	drop(&foreign);
}

static void tcx_killed(void)
{
	struct tracer t = start_tracer(rct_attach_tcx, false);

	check(has("v0") || *listed(), "nothing listed");
	kill_tracer(&t);
	expect_nothing_left("killed");
}

static void tcx_two_instances(void)
{
	struct ours a, b;

	check(!attach(&a, rct_attach_tcx), "%s", a.err.text);
	check(!attach(&b, rct_attach_tcx), "%s", b.err.text);
	check(!b.how.partial, "partial beside another instance: %s", b.how.why);
	expect_counts(&a, FRAMES, FRAMES, "the first");
	expect_counts(&b, FRAMES, FRAMES, "the second");
	detach(&a);
	expect_counts(&b, FRAMES, FRAMES, "the second alone");
	detach(&b);
}

static void tcx_iface_deleted(void)
{
	struct ours o;

	check(!attach(&o, rct_attach_tcx), "%s", o.err.text);
	must(run("ip link del v0"), "delete");
	check(!rct_attachment_alive(o.a), "still alive without its interface");
	detach(&o);
}

/* Attached, the interface goes to another namespace: nothing of ours may stay on it there. */
static void iface_moved(attach_fn fn)
{
	int home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC), away;
	struct ours o;

	check(!attach(&o, fn), "%s", o.err.text);
	must(unshare(CLONE_NEWNET), "unshare");
	away = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	must(setns(home, CLONE_NEWNET), "setns");
	must(run("ip link set v0 netns /proc/%d/fd/%d", getpid(), away), "move");
	detach(&o);
	must(setns(away, CLONE_NEWNET), "setns");
	check(v0(), "v0 did not arrive");
	expect_nothing_left("moved");
	close(home);
	close(away);
}

static void tcx_iface_moved(void)
{
	iface_moved(rct_attach_tcx);
}

/* --------------------------------------------------------------- clsact */

/* By libbpf, not by what is tested. */
static void foreign_filter(const struct prog *p, enum bpf_tc_attach_point side, int prio)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = v0(), .attach_point = side);
	LIBBPF_OPTS(bpf_tc_opts, opts, .prog_fd = p->fd, .priority = prio, .handle = 1);

	must(bpf_tc_attach(&hook, &opts), "foreign filter");
}

static void clsact_counts(void)
{
	struct ours o;

	check(!attach(&o, rct_attach_clsact), "%s", o.err.text);
	check(!strcmp(o.how.method, "clsact") && !o.how.partial, "%s, partial %d: %s", o.how.method, o.how.partial, o.how.why);
	check(has("clsact") && has("rocetrace/"), "listed: %s", listed());
	expect_counts(&o, FRAMES, FRAMES, "attached");
	check(rct_attachment_alive(o.a), "not alive");
	must(run("tc filter del dev v0 ingress"), "delete filter");
	check(!rct_attachment_alive(o.a), "alive without a filter");
	detach(&o);
	expect_nothing_left("detached");
}

static void clsact_foreign_filters(void)
{
	struct prog rx = tc("theirs_rx", 0), tx = tc("theirs_tx", -1), late = tc("late", 0);
	struct ours o;

	must(run("tc qdisc add dev v0 clsact"), "qdisc");
	foreign_filter(&rx, BPF_TC_INGRESS, 10);
	foreign_filter(&tx, BPF_TC_EGRESS, 10);
	check(!attach(&o, rct_attach_clsact), "%s", o.err.text);
	check(o.how.partial && strstr(o.how.why, "transmit") && !strstr(o.how.why, "receive"), "why: %s", o.how.why);
	foreign_filter(&late, BPF_TC_EGRESS, 0xfff0);
	expect_counts(&o, FRAMES, FRAMES, "before and behind foreign filters");
	expect_foreign(&rx, FRAMES, "the filter behind on ingress");
	expect_foreign(&tx, FRAMES, "the filter before on egress");
	expect_foreign(&late, FRAMES, "the filter behind on egress");
	detach(&o);
	check(vanishes("rocetrace") && has("clsact") && has("pref 10 ") && has("pref 65520 "), "after detaching: %s", listed());
	reset(&rx);
	send_frames("v1", FRAMES);
	expect_foreign(&rx, FRAMES, "after we left, the foreign filter");
	drop(&rx);
	drop(&tx);
	drop(&late);
}

static void clsact_foreign_at_the_ends(void)
{
	struct prog rx = tc("first", -1), tx = tc("last", 0);
	struct ours o;

	must(run("tc qdisc add dev v0 clsact"), "qdisc");
	foreign_filter(&rx, BPF_TC_INGRESS, 1);
	foreign_filter(&tx, BPF_TC_EGRESS, 65535);
	check(!attach(&o, rct_attach_clsact), "%s", o.err.text);
	check(o.how.partial && strstr(o.how.why, "receive"), "why: %s", o.how.why);
	expect_counts(&o, FRAMES, FRAMES, "next to the first and the last");
	expect_foreign(&rx, FRAMES, "the first");
	expect_foreign(&tx, FRAMES, "the last");
	detach(&o);
	check(vanishes("rocetrace") && has("pref 1 ") && has("pref 65535 "), "after detaching: %s", listed());
	drop(&rx);
	drop(&tx);
}

static void clsact_ingress_qdisc(void)
{
	struct ours o;

	must(run("tc qdisc add dev v0 ingress"), "qdisc");
	check(attach(&o, rct_attach_clsact) == -EEXIST, "attached beside an ingress qdisc");
	check(strstr(o.err.text, "ingress qdisc") && strstr(o.err.text, "v0"), "error: %s", o.err.text);
	check(has("qdisc ingress"), "the foreign qdisc is gone: %s", listed());
	detach(&o);
}

static void clsact_killed(void)
{
	struct tracer t = start_tracer(rct_attach_clsact, false);

	check(has("rocetrace/"), "listed: %s", listed());
	kill_tracer(&t);
	expect_nothing_left("killed");
	check(ends(t.keeper), "the keeper lives on");
}

/* Stopped between the qdisc and the filters, which bear the mark. */
static int qdisc_only(int rx_fd, int tx_fd, u32 ifindex, const char *name,
		      struct rct_attachment **ret, struct rct_attached *how, struct rct_err *err)
{
	struct rct_keeper *k;

	(void)rx_fd;
	(void)tx_fd;
	(void)name;
	(void)how;
	*ret = NULL;
	return rct_keeper_get(&k, err) < 0 || rct_keeper_watch(k, ifindex);
}

static void clsact_killed_half_way(void)
{
	struct prog theirs = tc("theirs", -1);
	struct tracer t = start_tracer(qdisc_only, false);

	check(has("clsact"), "listed: %s", listed());
	kill_tracer(&t);
	expect_nothing_left("killed half way");
	t = start_tracer(qdisc_only, false);
	foreign_filter(&theirs, BPF_TC_INGRESS, 7);
	kill_tracer(&t);
	check(ends(t.keeper), "the keeper lives on");
	check(has("pref 7 ") && has("clsact"), "the foreign filter went too: %s", listed());
	drop(&theirs);
}

static void clsact_killed_foreign_stays(void)
{
	struct prog rx = tc("theirs", -1);
	struct tracer t = start_tracer(rct_attach_clsact, false);

	foreign_filter(&rx, BPF_TC_INGRESS, 7);
	kill_tracer(&t);
	check(vanishes("rocetrace"), "a filter is left: %s", listed());
	check(ends(t.keeper), "the keeper lives on");
	check(has("pref 7 ") && has("clsact"), "the foreign filter went too: %s", listed());
	drop(&rx);
}

static void count_told(const char *ifname, const char *what, void *arg)
{
	check(!strcmp(ifname, "v0"), "told of %s", ifname);
	check(strstr(what, "filter") || strstr(what, "clsact"), "told: %s", what);
	++*(int *)arg;
}

static void clsact_both_killed(void)
{
	struct tracer live = start_tracer(rct_attach_clsact, false), t = start_tracer(rct_attach_clsact, false);
	struct rct_err err;
	int told = 0, rc;

	kill(t.keeper, SIGKILL);
	kill_tracer(&t);
	check(ends(t.keeper), "the keeper lives on");
	usleep(200000);
	check(has("rocetrace/"), "nothing left to clean up");
	rc = rct_cleanup(count_told, &told, &err);
	check(rc == 2 && told == 2, "%d removed, %d told", rc, told);
	check(has("rocetrace/"), "the filters of the one that runs went too");
	kill(live.keeper, SIGKILL);
	kill_tracer(&live);
	usleep(200000);
	told = 0;
	rc = rct_cleanup(count_told, &told, &err);
	check(rc == 3 && told == 3, "%d removed, %d told: two filters and the qdisc were expected", rc, told);
	expect_nothing_left("cleaned up");
	check(!rct_cleanup(NULL, NULL, &err), "removed something twice");
}

static void clsact_next_start_cleans(void)
{
	struct tracer t = start_tracer(rct_attach_clsact, false);
	struct ours o;

	kill(t.keeper, SIGKILL);
	kill_tracer(&t);
	check(has("rocetrace/"), "nothing left");
	check(!attach(&o, rct_attach_clsact), "%s", o.err.text);
	expect_counts(&o, FRAMES, FRAMES, "after another's end");
	detach(&o);
	expect_nothing_left("detached");
}

static void clsact_keeper_killed(void)
{
	struct tracer t = start_tracer(rct_attach_clsact, false);

	kill(t.keeper, SIGKILL);
	check(!end_tracer(&t), "the tracer failed");
	expect_nothing_left("detached without a keeper");
}

static void clsact_two_instances(void)
{
	struct tracer a = start_tracer(rct_attach_clsact, false);
	struct ours b;

	check(!attach(&b, rct_attach_clsact), "%s", b.err.text);
	check(!b.how.partial, "partial beside another instance: %s", b.how.why);
	expect_counts(&b, FRAMES, FRAMES, "the second");
	check(!end_tracer(&a), "the first failed");
	check(ends(a.keeper), "the first's keeper lives on");
	expect_counts(&b, FRAMES, FRAMES, "the second alone");
	detach(&b);
	expect_nothing_left("both detached");
}

static void clsact_without_capabilities(void)
{
	struct tracer t = start_tracer(rct_attach_clsact, true);

	check(!end_tracer(&t), "the tracer failed");
	expect_nothing_left("detached without capabilities");
}

static void clsact_iface_deleted(void)
{
	struct tracer t = start_tracer(rct_attach_clsact, false);

	must(run("ip link del v0"), "delete");
	check(!end_tracer(&t), "the tracer failed");
	check(ends(t.keeper), "the keeper lives on");
}

static void clsact_iface_moved(void)
{
	iface_moved(rct_attach_clsact);
}

/* Two network namespaces in one process: a keeper each. */
static void clsact_two_namespaces(void)
{
	struct ours a, b;
	int home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC), away;

	check(!attach(&a, rct_attach_clsact), "%s", a.err.text);
	new_stage();
	away = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	check(!attach(&b, rct_attach_clsact), "%s", b.err.text);
	must(setns(home, CLONE_NEWNET), "setns");
	detach(&b);
	expect_counts(&a, FRAMES, FRAMES, "at home, the other gone");
	must(setns(away, CLONE_NEWNET), "setns");
	expect_nothing_left("away");
	detach(&a);
	must(setns(home, CLONE_NEWNET), "setns");
	expect_nothing_left("at home");
	close(home);
	close(away);
}

/* --------------------------------------------------------------- keeper */

static void keeper_is_modest(void)
{
	struct tracer t = start_tracer(rct_attach_clsact, false);
	char cmd[128];

	check(status_has(t.keeper, "Name:\trocetrace-keep"), "its name");
	check(status_has(t.keeper, "CapEff:\t0000000000001000"), "effective capabilities");
	check(status_has(t.keeper, "CapPrm:\t0000000000001000"), "permitted capabilities");
	check(status_has(t.keeper, "CapBnd:\t0000000000000000"), "bounding set");
	check(status_has(t.keeper, "NoNewPrivs:\t1"), "new privileges");
	check(getsid(t.keeper) == t.keeper, "it shares a session");
	snprintf(cmd, sizeof(cmd), "test $(ls /proc/%d/fd | wc -l) = 2", t.keeper);
	check(!run("%s", cmd), "it has other files than its two sockets");
	kill(t.keeper, SIGINT);
	kill(t.keeper, SIGTERM);
	kill(t.keeper, SIGHUP);
	usleep(100000);
	check(!kill(t.keeper, 0), "a signal ended it");
	kill_tracer(&t);
	expect_nothing_left("killed");
	check(ends(t.keeper), "it lives on");
}

/* ------------------------------------------------------------------ xdp */

static struct prog xdp(const char *name)
{
	return counter(BPF_PROG_TYPE_XDP, name, XDP_PASS);
}

static void xdp_on_veth(void)
{
	struct prog p = xdp("rct_xdp");
	struct rct_attachment *a = NULL;
	struct rct_attached how;
	struct rct_err err;

	check(!rct_attach_xdp(p.fd, v0(), "v0", &a, &how, &err), "%s", err.text);
	check(!strcmp(how.method, "xdp-generic") && strstr(how.why, "veth"), "%s: %s", how.method, how.why);
	send_frames("v1", FRAMES);
	expect_foreign(&p, FRAMES, "XDP");
	check(rct_attachment_alive(a), "not alive");
	must(run("ip link del v0"), "delete");
	check(!rct_attachment_alive(a), "alive without its interface");
	rct_detach(a);
	drop(&p);
}

static void xdp_refused_natively(void)
{
	struct prog p = xdp("rct_xdp");
	struct rct_attachment *a = NULL;
	struct rct_attached how;
	struct rct_err err;

	must(run("ip link add b0 type bridge && ip link set b0 up"), "bridge");
	check(!rct_attach_xdp(p.fd, if_nametoindex("b0"), "b0", &a, &how, &err), "%s", err.text);
	check(!strcmp(how.method, "xdp-generic") && strstr(how.why, "driver bridge refused"), "%s: %s", how.method, how.why);
	rct_detach(a);
	drop(&p);
}

static void xdp_native(void)
{
	struct ifreq r = { .ifr_name = "t0", .ifr_flags = IFF_TAP | IFF_NO_PI };
	struct prog p = xdp("rct_xdp");
	struct rct_attachment *a = NULL;
	u8 frame[64] = { [0 ... 5] = 0xff, [6] = 2, [12] = 0x88, [13] = 0xb5 };
	struct rct_attached how;
	struct rct_err err;
	int tap = open("/dev/net/tun", O_RDWR | O_CLOEXEC);

	if (tap < 0) {
		skipped = "no /dev/net/tun";
		return;
	}
	must(ioctl(tap, TUNSETIFF, &r) || run("ip link set t0 up"), "tap");
	check(!rct_attach_xdp(p.fd, if_nametoindex("t0"), "t0", &a, &how, &err), "%s", err.text);
	check(!strcmp(how.method, "xdp"), "%s: %s", how.method, how.why);
	for (int i = 0; i < FRAMES; i++)
		must(write(tap, frame, sizeof(frame)) != sizeof(frame), "write");
	expect_foreign(&p, FRAMES, "native XDP");
	rct_detach(a);
	close(tap);
	drop(&p);
}

static void xdp_foreign(void)
{
	struct prog theirs = xdp("theirs"), p = xdp("rct_xdp");
	struct rct_attachment *a = NULL;
	struct rct_attached how;
	struct rct_err err = {};
	struct ours o;

	must(bpf_xdp_attach(v0(), theirs.fd, XDP_FLAGS_SKB_MODE, NULL), "foreign XDP");
	check(rct_attach_xdp(p.fd, v0(), "v0", &a, &how, &err) == -EBUSY, "attached over another program");
	check(strstr(err.text, "'theirs'"), "error: %s", err.text);
	check(!attach(&o, rct_trial_tcx() ? rct_attach_clsact : rct_attach_tcx), "%s", o.err.text);
	check(o.how.partial && strstr(o.how.why, "'theirs'"), "tc behind XDP: %s", o.how.why);
	expect_counts(&o, FRAMES, FRAMES, "behind XDP");
	expect_foreign(&theirs, FRAMES, "the foreign XDP program");
	detach(&o);
	check(rct_xdp_there(v0()), "the foreign XDP program is gone");
	drop(&theirs);
	drop(&p);
}

/* ----------------------------------------------------------------- rest */

static unsigned v0_flags(void)
{
	unsigned flags = 0;
	FILE *f = popen("ip -d link show dev v0 | sed -n 's/.* promiscuity \\([0-9]*\\).*/\\1/p'", "r");

	if (fscanf(f, "%u", &flags) != 1)
		flags = 99;
	pclose(f);
	return flags;
}

static void promiscuous(void)
{
	int fd = rct_promiscuous(v0());

	check(fd >= 0, "%d", fd);
	check(v0_flags() == 1, "promiscuity %u", v0_flags());
	close(fd);
	check(v0_flags() == 0, "promiscuity %u after closing", v0_flags());
	check(rct_promiscuous(9999) == -ENODEV, "an interface that isn't there");
}

static void no_such_iface(void)
{
	struct rct_attachment *a = NULL;
	struct rct_attached how;
	struct rct_err err;
	struct prog p = tc("rct_tc_rx", -1), x = xdp("rct_xdp");

	check(rct_attach_tcx(p.fd, p.fd, 9999, "gone0", &a, &how, &err) ==
	      (rct_trial_tcx() ? -EOPNOTSUPP : -ENODEV), "tcx: %s", err.text);
	check(strstr(err.text, "gone0"), "error: %s", err.text);
	check(rct_attach_clsact(p.fd, p.fd, 9999, "gone0", &a, &how, &err) == -ENODEV, "clsact: %s", err.text);
	check(rct_attach_xdp(x.fd, 9999, "gone0", &a, &how, &err) == -ENODEV, "xdp: %s", err.text);
	check(!first_child(getpid()), "a keeper is left");
	drop(&p);
	drop(&x);
}

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = {
#define T(f) { #f, f }
	T(tcx_counts), T(tcx_foreign_in_front_and_behind), T(tcx_egress_behind_a_final_verdict),
	T(tcx_killed), T(tcx_two_instances), T(tcx_iface_deleted), T(tcx_iface_moved),
	T(clsact_counts), T(clsact_foreign_filters), T(clsact_foreign_at_the_ends),
	T(clsact_ingress_qdisc), T(clsact_killed), T(clsact_killed_half_way),
	T(clsact_killed_foreign_stays),
	T(clsact_both_killed), T(clsact_next_start_cleans), T(clsact_keeper_killed),
	T(clsact_two_instances), T(clsact_without_capabilities), T(clsact_iface_deleted), T(clsact_iface_moved),
	T(clsact_two_namespaces), T(keeper_is_modest),
	T(xdp_on_veth), T(xdp_refused_natively), T(xdp_native), T(xdp_foreign),
	T(promiscuous), T(no_such_iface),
#undef T
};

static void run_test(size_t i)
{
	test_ok = true;
	skipped = NULL;
	new_stage();
	if (!strncmp(tests[i].name, "tcx", 3) && rct_trial_tcx())
		skipped = "this kernel has no tcx";
	else
		tests[i].run();
	number++;
	if (skipped)
		printf("ok %d - %s # SKIP %s\n", number, tests[i].name, skipped);
	else
		printf("%sok %d - %s\n", test_ok ? "" : "not ", number, tests[i].name);
	failures += !test_ok;
}

/* With a name: that test alone. */
int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (geteuid()) {
		puts("skip - attach: needs root");
		return 0;
	}
	for (size_t i = 0; i < RCT_ARRAY_SIZE(tests); i++) {
		if (argc < 2 || !strcmp(argv[1], tests[i].name))
			run_test(i);
	}
	printf("1..%d\n", number);
	return failures ? 1 : 0;
}
