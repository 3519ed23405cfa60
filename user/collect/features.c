// SPDX-License-Identifier: BSD-2-Clause
#include "collect/features.h"

#include <errno.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/caps.h"
#include "base/util.h"
#include "capture/others.h"
#include "capture/probe.h"
#include "capture/trial.h"
#include "sysinfo/rdma.h"

struct walk {
	void (*each)(const struct rct_feature *f, void *arg);
	void *arg;
	struct rct_root root;
};

static const char *const state_names[] = {
	[RCT_HAVE] = "ok", [RCT_HAVE_PART] = "partial", [RCT_HAVE_NOT] = "no", [RCT_HAVE_UNKNOWN] = "unknown",
};

const char *rct_feature_state_name(enum rct_feature_state s)
{
	return state_names[s];
}

/* Costs and remedy are only for what isn't all there. */
__attribute__((format(printf, 7, 8)))
static void row(const struct walk *w, const char *group, const char *id, enum rct_feature_state state,
		const char *costs, const char *remedy, const char *fmt, ...)
{
	struct rct_feature f = { .group = group, .state = state };
	va_list ap;

	if (state != RCT_HAVE) {
		f.costs = costs;
		f.remedy = remedy;
	}
	snprintf(f.id, sizeof(f.id), "%s", id);
	va_start(ap, fmt);
	vsnprintf(f.found, sizeof(f.found), fmt, ap);
	va_end(ap);
	w->each(&f, w->arg);
}

/* ------------------------------------------------------------------ trials */

/* Both directions of the hook. */
static int netdev_tracepoints(void)
{
	int rc = rct_trial_tp_btf("netif_receive_skb");

	return rc ? rc : rct_trial_tp_btf("net_dev_start_xmit");
}

static int kernel_btf(void)
{
	return rct_trial_btf(NULL) ? 0 : -ENOENT;
}

#define UPGRADE		"a newer kernel"
#define AS_ROOT		"run it as root to know"

static const struct trial {
	const char *group, *id, *what;
	int (*trial)(void);
	const char *costs, *remedy;
} trials[] = {
	{ "kernel", "btf", "the kernel describes its types (BTF)", kernel_btf,
	  "the netdev hook and the probes in the RDMA stack", "a kernel built with CONFIG_DEBUG_INFO_BTF=y" },
	{ "kernel", "atomics", "programs can compare and swap (Linux 5.12)", rct_trial_atomics,
	  "every packet program: this kernel is too old for `run` (made for Linux 5.14 and later); `read` works", UPGRADE },
	{ "kernel", "ringbuf", "ring buffers", rct_trial_ringbuf, "every packet program", UPGRADE },
	{ "kernel", "read-kernel", "programs may read the kernel's memory", rct_trial_read_kernel,
	  "packets in fragments at --hook netdev, probes in the RDMA stack", "boot without lockdown=confidentiality" },
	{ "kernel", "fentry", "programs on kernel functions (fentry)", rct_trial_fentry,
	  "the cheapest probes in the RDMA stack; kprobes take their place", "a kernel with CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS=y" },
	{ "kernel", "kprobe", "kprobes", rct_trial_kprobe,
	  "the second way of probing the RDMA stack", "a kernel with CONFIG_KPROBES=y and CONFIG_KPROBE_EVENTS=y" },
	{ "hooks", "tcx", "tc programs as links (Linux 6.6)", rct_trial_tcx,
	  "the hook of choice; auto takes netdev", UPGRADE ", or --hook tc to use a clsact qdisc" },
	{ "hooks", "clsact", "tc programs on a clsact qdisc", rct_trial_clsact,
	  "--hook tc on kernels without tcx", "modprobe sch_ingress; modprobe cls_bpf" },
	{ "hooks", "netdev", "tracepoints that see every interface", netdev_tracepoints,
	  "--hook netdev", "a kernel with BTF" },
	{ "hooks", "xdp", "XDP in generic mode, on any interface", rct_trial_xdp_generic,
	  "--hook xdp where the driver has no native mode", UPGRADE },
	{ "hooks", "xdp-frags", "XDP sees frames in several buffers (Linux 5.18)", rct_trial_xdp_frags,
	  "native XDP where the MTU is above a page", UPGRADE ", or --hook tc" },
};

/* May programs be tried at all? Then a refusal is the kernel's, not for want of privileges. */
static bool may_try(void)
{
	return rct_caps_have(CAP_SYS_ADMIN);
}

static void run_trials(const struct walk *w, const char *group)
{
	for (size_t i = 0; i < RCT_ARRAY_SIZE(trials); i++) {
		const struct trial *t = &trials[i];
		int rc;

		if (strcmp(t->group, group))
			continue;
		rc = t->trial();
		if (!rc)
			row(w, group, t->id, RCT_HAVE, NULL, NULL, "%s", t->what);
		else if ((rc == -EPERM || rc == -EACCES) && !may_try())
			row(w, group, t->id, RCT_HAVE_UNKNOWN, NULL, AS_ROOT, "%s: may not be tried", t->what);
		else
			row(w, group, t->id, RCT_HAVE_NOT, t->costs, t->remedy, "%s: refused, %s", t->what, strerror(-rc));
	}
}

/* ---------------------------------------------------------- kernel's settings */

/* What it takes away has a row of its own, read-kernel. No file where the kernel has no lockdown. */
static void lockdown(const struct walk *w)
{
	char line[128];

	if (!rct_root_line(&w->root, line, sizeof(line), "sys/kernel/security/lockdown"))
		row(w, "kernel", "lockdown", strstr(line, "[confidentiality]") ? RCT_HAVE_PART : RCT_HAVE,
		    "what read-kernel is for", "boot without lockdown=confidentiality", "lockdown: %s", line);
}

static void jit(const struct walk *w)
{
	char line[16];

	if (rct_root_line(&w->root, line, sizeof(line), "proc/sys/net/core/bpf_jit_enable"))
		row(w, "kernel", "jit", RCT_HAVE_UNKNOWN, "several times the cost of a packet, if it is off", AS_ROOT,
		    "whether programs are compiled can't be read");
	else
		row(w, "kernel", "jit", *line == '0' ? RCT_HAVE_PART : RCT_HAVE, "several times the cost of a packet",
		    "sysctl net.core.bpf_jit_enable=1", "programs are %s", *line == '0' ? "interpreted" : "compiled");
}

static void module_btf(const struct walk *w)
{
	bool loaded = rct_trial_btf("ib_core");
	char version[64];

	if (!loaded && rct_module_origin(&w->root, "ib_core", version, sizeof(version)) == RCT_ORIGIN_UNKNOWN)
		row(w, "kernel", "btf-ib_core", RCT_HAVE_NOT, NULL, NULL,
		    "types of the RDMA stack: ib_core isn't loaded");
	else
		row(w, "kernel", "btf-ib_core", loaded ? RCT_HAVE : RCT_HAVE_NOT, "fentry in the RDMA stack; kprobes take its place",
		    "a kernel built with CONFIG_DEBUG_INFO_BTF_MODULES=y", "types of the RDMA stack (BTF of ib_core)");
}

/* Soft-RoCE's data frames have all behind the IP header in a fragment. */
static void fragments(const struct walk *w)
{
	const char *id = "fragments", *what = "netdev reads packets in fragments";
	int rc = rct_trial_dynptr(), frag = rc ? rct_trial_frag0() : 0;

	if (!rc)
		row(w, "hooks", id, RCT_HAVE, NULL, NULL, "%s: all of them (bpf_dynptr_from_skb, Linux 6.12)", what);
	else if (!frag)
		row(w, "hooks", id, RCT_HAVE, NULL, NULL, "%s: the first one, by arithmetic on pages", what);
	else if ((rc == -EPERM || frag == -EPERM) && !may_try())
		row(w, "hooks", id, RCT_HAVE_UNKNOWN, NULL, AS_ROOT, "%s: may not be tried", what);
	else
		row(w, "hooks", id, RCT_HAVE_NOT, "soft-RoCE's data packets at --hook netdev, counted as unreadable",
		    "--hook tc; or, on x86-64 before Linux 6.9, CAP_SYSLOG and kernel.kptr_restrict below 2", "%s: no way found", what);
}

/* --------------------------------------------------------------- privileges */

static const struct {
	int cap;
	const char *costs;
} caps[] = {
	{ CAP_BPF, "every packet program" },
	{ CAP_PERFMON, "every packet program, and probes in the RDMA stack" },
	{ CAP_NET_ADMIN, "attaching to interfaces" },
	{ CAP_NET_RAW, "a capture port isn't made promiscuous" },
	{ CAP_SYS_ADMIN, "probes in the RDMA stack, run-time statistics, names of other people's programs" },
	{ CAP_SYSLOG, "the kernel log, and frag0" },
	{ CAP_SYS_PTRACE, "environments of other users' processes (NCCL settings, ranks)" },
};

static void privileges(const struct walk *w)
{
	char name[32], value[16];

	for (size_t i = 0; i < RCT_ARRAY_SIZE(caps); i++) {
		bool have = rct_caps_have(caps[i].cap);

		rct_caps_name(caps[i].cap, name, sizeof(name));
		row(w, "privileges", name, have ? RCT_HAVE : RCT_HAVE_NOT, caps[i].costs, "run as root, or setcap(8)",
		    "%s", have ? "this process has it" : "this process doesn't have it");
	}
	if (!rct_root_line(&w->root, value, sizeof(value), "proc/sys/kernel/unprivileged_bpf_disabled"))
		row(w, "privileges", "unprivileged-bpf", RCT_HAVE, NULL, NULL,
		    "kernel.unprivileged_bpf_disabled = %s: rocetrace needs CAP_BPF either way", value);
	if (!rct_root_line(&w->root, value, sizeof(value), "proc/sys/kernel/perf_event_paranoid"))
		row(w, "privileges", "perf-paranoid", strtol(value, NULL, 10) > 2 && !rct_caps_have(CAP_SYS_ADMIN) ? RCT_HAVE_PART : RCT_HAVE,
		    "kprobes need CAP_SYS_ADMIN beside CAP_PERFMON", "sysctl kernel.perf_event_paranoid=2", "kernel.perf_event_paranoid = %s", value);
}

/* --------------------------------------------------------------------- rdma */

/* How each kind of device is to be read. */
static const struct {
	enum rct_feature_state state;
	const char *what, *costs, *remedy;
} kinds[] = {
	[RCT_RDMA_UNKNOWN] = { RCT_HAVE_UNKNOWN, "its files can't be read", "all of it",
		"run it on the host, outside of the container" },
	[RCT_RDMA_ROCE] = { RCT_HAVE_PART, "RoCE adapter, not verified on hardware",
		"its RoCE packets: they never reach the kernel",
		"a mirror port of the switch, the adapter's own sniffer, or a capture taken there" },
	[RCT_RDMA_SOFT] = { RCT_HAVE, "soft-RoCE: the kernel sees every packet", NULL, NULL },
	[RCT_RDMA_SOFT_IWARP] = { RCT_HAVE_NOT, "iWARP in software, not RoCE", "its traffic: it is TCP", NULL },
	[RCT_RDMA_IWARP] = { RCT_HAVE_NOT, "iWARP adapter, not RoCE", "its traffic: it is TCP",
		"RoCE mode, where the adapter has one" },
	[RCT_RDMA_IB] = { RCT_HAVE_NOT, "no Ethernet (InfiniBand, Omni-Path, EFA)", "its traffic: it isn't RoCE", NULL },
};

static const char *origin_text(const struct walk *w, const char *module, char *ret, size_t size)
{
	static const char *const words[] = {
		[RCT_ORIGIN_UNKNOWN] = "not loaded as a module", [RCT_ORIGIN_KERNEL] = "the kernel's own",
		[RCT_ORIGIN_OTHER] = "from outside the kernel (OFED, DOCA)",
	};
	char version[64];
	enum rct_origin o = rct_module_origin(&w->root, module, version, sizeof(version));

	snprintf(ret, size, "%s%s%s", words[o], *version ? ", version " : "", version);
	return ret;
}

static void rdma_device(const struct walk *w, const struct rct_rdma *d)
{
	char netdevs[RCT_RDMA_NETDEVS * (RCT_IFNAME + 2)] = "none here", origin[128] = "", driver[200] = "";
	size_t used = 0;

	for (u32 i = 0; i < d->n_netdevs; i++)
		used += snprintf(netdevs + used, sizeof(netdevs) - used, "%s%s", i ? ", " : "", d->netdev[i]);
	if (*d->driver)
		snprintf(driver, sizeof(driver), "; driver %s, %s", d->driver,
			 origin_text(w, d->driver, origin, sizeof(origin)));
	row(w, "rdma", d->name, kinds[d->kind].state, kinds[d->kind].costs, kinds[d->kind].remedy,
	    "%s; interfaces: %s%s%s%s", kinds[d->kind].what, netdevs, driver, *d->firmware ? "; firmware " : "", d->firmware);
}

static void rdma(const struct walk *w, const struct rct_rdma_list *l)
{
	char origin[128];
	int rc;

	if (!l->n) {
		row(w, "rdma", "devices", RCT_HAVE_NOT, "nothing where this host is a tap, a switch or a router", NULL,
		    "no RDMA device on this host, or none in this network namespace");
		return;
	}
	rc = rct_rdma_netlink();
	row(w, "rdma", "netlink", rc ? RCT_HAVE_NOT : RCT_HAVE, "the list of QPs that exist", "modprobe ib_core",
	    "RDMA netlink%s%s", rc ? ": " : "", rc ? strerror(-rc) : "");
	origin_text(w, "ib_core", origin, sizeof(origin));
	row(w, "rdma", "ib_core", RCT_HAVE, NULL, NULL, "the RDMA stack is %s", origin);
	for (size_t i = 0; i < l->n; i++)
		rdma_device(w, &l->v[i]);
}

/* --------------------------------------------------------------- interfaces */

/* What --hook auto takes where nothing is offloaded. */
enum choice { TAKES_TCX, TAKES_NETDEV, TAKES_NOTHING, TAKES_UNKNOWN };

static enum choice choose(void)
{
	int rc = rct_trial_tcx();

	if (!rc)
		return TAKES_TCX;
	if (rc == -EPERM && !may_try())
		return TAKES_UNKNOWN;
	return netdev_tracepoints() ? TAKES_NOTHING : TAKES_NETDEV;
}

static const struct {
	enum rct_feature_state state;
	const char *text, *costs, *remedy;
} choices[] = {
	[TAKES_TCX] = { RCT_HAVE, "auto takes tcx: both directions, gone with the process", NULL, NULL },
	[TAKES_NETDEV] = { RCT_HAVE, "auto takes netdev: no tcx here", NULL, NULL },
	[TAKES_NOTHING] = { RCT_HAVE_NOT, "auto has no hook", "its packets", "--hook tc or --hook xdp, where they are ok above" },
	[TAKES_UNKNOWN] = { RCT_HAVE_UNKNOWN, "which hook auto takes may not be tried", NULL, AS_ROOT },
};

static const char *native_xdp(u32 ifindex)
{
	u64 features;

	if (rct_trial_xdp_features(ifindex, &features))
		return "unknown";
	if (!(features & RCT_XDP_BASIC))
		return "no";
	return features & RCT_XDP_FRAGS ? "yes, with frames in parts" : "yes";
}

static void iface(const struct walk *w, const struct rct_rdma_list *l, const char *name,
		  const struct rct_iface_look *look, enum choice choice)
{
	const struct rct_rdma *d = rct_rdma_of(&w->root, l, name);
	bool offloads = d && d->kind == RCT_RDMA_ROCE;
	enum rct_feature_state state = choices[choice].state;
	const char *costs = choices[choice].costs, *remedy = choices[choice].remedy;
	u32 ifindex = if_nametoindex(name);
	char text[400], others[256];
	struct rct_list found = { .text = text, .size = sizeof(text) };

	if (offloads) {
		state = kinds[RCT_RDMA_ROCE].state;
		costs = kinds[RCT_RDMA_ROCE].costs;
		remedy = kinds[RCT_RDMA_ROCE].remedy;
	} else if (state == RCT_HAVE && rct_xdp_there(ifindex)) {
		state = RCT_HAVE_PART;
		costs = "what the XDP program there doesn't pass";
		remedy = "stop that program for the time, or trace at the other end";
	}
	rct_list_add(&found, "%s", offloads ? "auto puts no hook here" : choices[choice].text);
	if (d)
		rct_list_add(&found, "RDMA device %s, %s", d->name, rct_rdma_kind_name(d->kind));
	rct_list_add(&found, "%s, MTU %d, driver %s, native XDP: %s", look->running ? "link up" : "no link",
		     look->mtu, *look->driver ? look->driver : "unknown", native_xdp(ifindex));
	rct_others(ifindex, others, sizeof(others));
	if (*others)
		rct_list_add(&found, "others' and left alone: %s", others);
	row(w, "interfaces", name, state, costs, remedy, "%s", text);
}

static void interfaces(const struct walk *w, const struct rct_rdma_list *l)
{
	struct if_nameindex *list = if_nameindex();
	enum choice choice = choose();
	struct rct_iface_look look;

	for (struct if_nameindex *i = list; i && i->if_index; i++) {
		if (!rct_iface_look(i->if_name, &look) && look.up && !look.loopback)
			iface(w, l, i->if_name, &look, choice);
	}
	if (list)
		if_freenameindex(list);
}

void rct_features(void (*each)(const struct rct_feature *f, void *arg), void *arg)
{
	struct walk w = { .each = each, .arg = arg };
	struct rct_rdma_list l = {};

	if (rct_root_open(&w.root, NULL, NULL))
		return;
	run_trials(&w, "kernel");
	module_btf(&w);
	lockdown(&w);
	jit(&w);
	privileges(&w);
	run_trials(&w, "hooks");
	fragments(&w);
	rct_rdma_read(&w.root, &l, NULL);
	rdma(&w, &l);
	interfaces(&w, &l);
	rct_rdma_free(&l);
	rct_root_close(&w.root);
}
