// SPDX-License-Identifier: BSD-2-Clause
#include "capture/live.h"

#include <errno.h>
#include <linux/capability.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/caps.h"
#include "base/util.h"
#include "capture/attach.h"
#include "capture/probe.h"
#include "capture/retry.h"
#include "capture/rowtab.h"
#include "packet.skel.h"

#define NS_PER_S	1000000000ULL
#define FOLLOW_NS	NS_PER_S	/* how often interfaces and the table are looked after */
#define IDLE_US		5000000		/* a row may leave a full table after this time without a packet */
#define RECORDS_MOST	65536		/* that one look at the ring takes */

/* The last slot is no interface: the cost of a packet is measured in it. */
#define CALIBRATE_SLOT	(RCT_SLOTS - 1)
#define CALIBRATE_RUNS	20000

struct iface {
	char name[RCT_IFNAME];
	u32 ifindex;
	u32 speed_mbps;
	bool gone;
	struct rct_attachment *attachment;
	int promisc_fd;
	struct rct_coverage coverage;
};

struct rct_live {
	struct packet_bpf *skel;
	enum rct_hook hook;		/* what the programs were loaded for */
	bool allow_clsact;
	struct rct_rowtab *rows;
	struct ring_buffer *ring;
	struct rct_retry_log *retries;
	u32 n_records;			/* taken from the ring in one go */
	struct bpf_link *netdev_links[2];
	struct iface ifaces[RCT_SLOTS];
	u32 n_ifaces;
	u32 left_out;			/* interfaces for which there was no slot */
	u64 start_ns, stop_ns;		/* CLOCK_REALTIME */
	u64 followed_ns;
	u64 clock_ns, clock_tick;	/* the two clocks at the start */
	double attach_ms;
	double start_cpu;		/* seconds used up to the end of attaching */
	double ns_per_packet;
	u32 programs;
};

static double cpu_seconds(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_utime.tv_sec + u.ru_stime.tv_sec + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static u64 now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* ------------------------------------------------------------ interfaces */

static u32 iface_speed(const char *name)
{
	char path[64];
	int mbps = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/net/%s/speed", name);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fscanf(f, "%d", &mbps) != 1 || mbps < 0)
		mbps = 0;
	fclose(f);
	return mbps;
}

/* Ethernet and loopback have an Ethernet header; tunnels of IP have none. */
static bool has_mac(const char *name)
{
	char path[64];
	int type = ARPHRD_ETHER;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/net/%s/type", name);
	f = fopen(path, "re");
	if (!f)
		return true;
	if (fscanf(f, "%d", &type) != 1)
		type = ARPHRD_ETHER;
	fclose(f);
	return type == ARPHRD_ETHER || type == ARPHRD_LOOPBACK;
}

static int add_iface(struct rct_live *l, const char *name, struct rct_err *err)
{
	struct iface *i;
	u32 ifindex = if_nametoindex(name);

	if (!ifindex)
		return rct_fail(err, ENODEV, "%s: no such interface in this network namespace; `ip -br link` lists those there are, `ip netns exec NAME rocetrace ...` traces in another one", name);
	for (u32 n = 0; n < l->n_ifaces; n++) {
		if (l->ifaces[n].ifindex == ifindex)
			return 0;
	}
	if (l->n_ifaces == CALIBRATE_SLOT)
		return rct_fail(err, E2BIG, "%s: more than %d interfaces; name those of interest with -i", name, CALIBRATE_SLOT);
	i = &l->ifaces[l->n_ifaces++];
	snprintf(i->name, sizeof(i->name), "%s", name);
	i->ifindex = ifindex;
	i->promisc_fd = -1;
	i->speed_mbps = iface_speed(name);
	i->coverage.source = "packets";
	snprintf(i->coverage.object, sizeof(i->coverage.object), "%s", name);
	return 0;
}

/* One that nobody named: beyond the limit it is left out, and the report says so. */
static int add_found(struct rct_live *l, const char *name, struct rct_err *err)
{
	if (l->n_ifaces < CALIBRATE_SLOT)
		return add_iface(l, name, err);
	l->left_out++;
	return 0;
}

static int add_any(struct rct_live *l, struct rct_err *err)
{
	struct if_nameindex *list = if_nameindex();
	int rc = 0;

	if (!list)
		return rct_fail(err, errno, "cannot list the interfaces: %s", strerror(errno));
	for (struct if_nameindex *i = list; i->if_index && !rc; i++) {
		if (rct_iface_up(i->if_name))
			rc = add_found(l, i->if_name, err);
	}
	if_freenameindex(list);
	return rc;
}

static int add_defaults(struct rct_live *l, struct rct_err *err)
{
	char names[RCT_SLOTS * 16][RCT_IFNAME];
	int n = rct_default_interfaces(names, RCT_SLOTS * 16), rc = 0;

	for (int i = 0; i < n && !rc; i++)
		rc = add_found(l, names[i], err);
	if (!rc && !l->n_ifaces)
		return rct_fail(err, ENODEV, "no interface to trace: no RDMA device has one, and none but loopback is up; name one with -i");
	return rc;
}

static int add_ifaces(struct rct_live *l, const struct rct_live_config *cfg, struct rct_err *err)
{
	int rc = 0;

	if (cfg->any)
		return add_any(l, err);
	if (!cfg->n_ifaces)
		return add_defaults(l, err);
	for (size_t i = 0; i < cfg->n_ifaces && !rc; i++)
		rc = add_iface(l, cfg->ifaces[i], err);
	return rc;
}

/* Puts ifindex into the programs' table. -ENOSPC: its places are taken. */
static int set_slot(struct rct_live *l, u32 ifindex, u32 slot, u64 flags)
{
	u64 *table = l->skel->bss->rct_slot_of;

	for (u32 i = 0; i < RCT_SLOT_TRIES; i++) {
		u64 *w = &table[RCT_SLOT_AT(ifindex, i)];

		if (*w & RCT_SLOT_USED)
			continue;
		__atomic_store_n(w, RCT_SLOT_WORD(ifindex, slot, flags), __ATOMIC_RELEASE);
		return 0;
	}
	return -ENOSPC;
}

static void clear_slot(struct rct_live *l, u32 ifindex)
{
	u64 *table = l->skel->bss->rct_slot_of;

	for (u32 i = 0; i < RCT_SLOT_HASH; i++) {
		if (table[i] & RCT_SLOT_USED && RCT_SLOT_IFINDEX(table[i]) == ifindex)
			__atomic_store_n(&table[i], 0, __ATOMIC_RELEASE);
	}
}

/* The members of a bond count at the bond, so that a flow which moves stays whole. */
static void set_bond_slots(struct rct_live *l, const char *bond, u32 slot)
{
	char path[64], name[RCT_IFNAME];
	u32 ifindex;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/net/%s/bonding/slaves", bond);
	f = fopen(path, "re");
	if (!f)
		return;
	while (fscanf(f, "%15s", name) == 1) {
		ifindex = if_nametoindex(name);
		if (ifindex)
			set_slot(l, ifindex, slot, RCT_SLOT_RX_ONLY);
	}
	fclose(f);
}

/* ------------------------------------------------------------------ load */

static u32 own_netns(void)
{
	struct stat st;

	return stat("/proc/self/ns/net", &st) ? 0 : (u32)st.st_ino;
}

static void configure(struct rct_live *l, u32 rows)
{
	struct rct_config *c = (struct rct_config *)&l->skel->rodata->rct_config;

	if (getrandom(c->seed, sizeof(c->seed), GRND_NONBLOCK) != sizeof(c->seed))
		c->seed[0] = now_ns(CLOCK_MONOTONIC) * 0x9e3779b97f4a7c15ULL;
	for (int i = 0; i < 6; i++)
		c->seed[i] |= 1;
	c->rows = rows;
	c->netns = own_netns();
	c->buff_len = rct_probe_buff_len();
	c->events = 1;
	if (l->hook == RCT_HOOK_NETDEV) {
		c->dynptr = rct_probe_dynptr();
		c->frag0 = !c->dynptr && rct_probe_frag0();
	}
	if (!c->buff_len)
		bpf_program__set_flags(l->skel->progs.rct_xdp, 0);
}

static void choose_programs(struct rct_live *l)
{
	struct packet_bpf *s = l->skel;

	bpf_program__set_autoload(s->progs.rct_xdp, l->hook == RCT_HOOK_XDP);
	bpf_program__set_autoload(s->progs.rct_tc_rx, l->hook == RCT_HOOK_TC);
	bpf_program__set_autoload(s->progs.rct_tc_tx, l->hook == RCT_HOOK_TC);
	bpf_program__set_autoload(s->progs.rct_netdev_rx, l->hook == RCT_HOOK_NETDEV);
	bpf_program__set_autoload(s->progs.rct_netdev_tx, l->hook == RCT_HOOK_NETDEV);
}

static const char *load_advice(int errnum)
{
	switch (errnum) {
	case EPERM:
		return "needs root, or CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN (`rocetrace probe` shows which are there)";
	case ENOMEM:
		return "the flow table needs more memory than there is: try a smaller --flows";
	case EINVAL:
	case EOPNOTSUPP:
		return "this kernel lacks what the programs need (made for Linux 5.14 and later; `rocetrace probe` says what)";
	default:
		return "`rocetrace probe` says what this host allows";
	}
}

static int on_record(void *ctx, void *data, size_t size)
{
	struct rct_live *l = ctx;

	if (size < sizeof(struct rct_rec))
		return 0;
	/* several CPUs may write as fast as one reads: then the rest is for the next time */
	return ++l->n_records > RECORDS_MOST ? -E2BIG : rct_retry_log_add(l->retries, data);
}

static int open_ring(struct rct_live *l, struct rct_err *err)
{
	l->retries = rct_retry_log_new();
	l->ring = ring_buffer__new(bpf_map__fd(l->skel->maps.rct_events), on_record, l, NULL);
	if (!l->retries || !l->ring)
		return rct_fail(err, errno, "cannot map the event ring: %s", strerror(errno));
	return 0;
}

/* kB that the kernel could give without swapping; 0: not told. */
static u64 memory_available(void)
{
	unsigned long long kb = 0;
	char line[128];
	FILE *f = fopen("/proc/meminfo", "re");

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "MemAvailable: %llu", &kb) == 1)
			break;
	}
	if (f)
		fclose(f);
	return kb;
}

/* The kernel clears the whole table at once: on a host short of memory that hurts others. */
static int check_memory(u32 rows, struct rct_err *err)
{
	u64 need = (u64)rows * (sizeof(struct rct_row) + sizeof(struct rct_cold)) / 1024, have = memory_available();

	if (!have || need <= have / 2)
		return 0;
	return rct_fail(err, ENOMEM, "the flow table would take %llu MB of the %llu MB that are free: try a smaller --flows",
			(unsigned long long)need / 1024, (unsigned long long)have / 1024);
}

static int load(struct rct_live *l, u32 flows, struct rct_err *err)
{
	static const int caps[] = { CAP_BPF, CAP_PERFMON, CAP_NET_ADMIN };
	u32 rows = RCT_ROWS(flows);
	int rc;

	libbpf_set_print(NULL);		/* its errors come back as numbers, and load_advice() knows them */
	rc = rct_caps_need(caps, RCT_ARRAY_SIZE(caps), "tracing packets", err);
	if (!rc)
		rc = check_memory(rows, err);
	if (rc)
		return rc;
	l->skel = packet_bpf__open();
	if (!l->skel)
		return rct_fail(err, errno, "cannot open the BPF programs: %s", strerror(errno));
	choose_programs(l);
	configure(l, rows);
	bpf_map__set_max_entries(l->skel->maps.rct_rows, rows);
	bpf_map__set_max_entries(l->skel->maps.rct_cold, rows);
	rc = packet_bpf__load(l->skel);
	if (rc)
		return rct_fail(err, -rc, "cannot load the BPF programs: %s; %s", strerror(-rc), load_advice(-rc));
	rc = rct_rowtab_open(bpf_map__fd(l->skel->maps.rct_rows),
			     bpf_map__fd(l->skel->maps.rct_cold), rows, &l->rows, err);
	return rc ? rc : open_ring(l, err);
}

/* ----------------------------------------------------------------- clocks */

/* Runs a program once, or often, on a frame. Returns ns a run, or -errno. */
static int run_program(int fd, void *frame, u32 len, u32 repeat)
{
	LIBBPF_OPTS(bpf_test_run_opts, o, .data_in = frame, .data_size_in = len, .repeat = repeat);
	int rc = bpf_prog_test_run_opts(fd, &o);

	return rc ? rc : (int)o.duration;
}

static void read_clocks(struct rct_live *l, u64 *ns, u64 *tick)
{
	char frame[64] = "";

	run_program(bpf_program__fd(l->skel->progs.rct_clock), frame, sizeof(frame), 1);
	*ns = l->skel->bss->rct_clock_ns;
	*tick = l->skel->bss->rct_clock_tick;
}

/* Length of a tick, from the two clocks' progress; kernels tick at one of four rates. */
static u32 tick_us(struct rct_live *l, u64 ns, u64 tick)
{
	static const u32 us[] = { 1000, 3333, 4000, 10000 };
	double measured = tick > l->clock_tick ? (ns - l->clock_ns) / 1e3 / (tick - l->clock_tick) : 4000;
	u32 best = 0;

	for (u32 i = 1; i < 4; i++) {
		double a = measured > us[i] ? measured / us[i] : us[i] / measured;
		double b = measured > us[best] ? measured / us[best] : us[best] / measured;

		if (a < b)
			best = i;
	}
	return us[best];
}

/* A RoCE v2 RC SEND ONLY of one flow, 10.0.0.1 to 10.0.0.2, in the slot that is no interface. */
static u32 calibration_frame(u8 *f)
{
	static const u8 head[54] = {
		[12] = 0x08, [14] = 0x45, [17] = 76, [22] = 64, [23] = 17, [26] = 10, [29] = 1,
		[30] = 10, [33] = 2, [34] = 0xc0, [36] = RCT_ROCE_PORT >> 8,
		[37] = RCT_ROCE_PORT & 0xff, [39] = 56, [42] = 0x24, [44] = 0xff, [45] = 0xff,
	};

	memcpy(f, head, sizeof(head));
	return 90;
}

/* UC SEND ONLY repeats one PSN: a step back each time, dearer than a packet in order. UD has none. */
static void calibrate(struct rct_live *l)
{
	const struct bpf_program *p = l->hook == RCT_HOOK_XDP ? l->skel->progs.rct_xdp :
				      l->hook == RCT_HOOK_TC ? l->skel->progs.rct_tc_rx : NULL;
	u8 frame[128] = "";
	u32 len = calibration_frame(frame);
	int ns;

	frame[42] = 0x64;		/* UD SEND ONLY */
	/* tp_btf programs have no test run; loopback is where test runs seem to come from */
	if (!p || if_nametoindex("lo") != 1 || set_slot(l, 1, CALIBRATE_SLOT, 0))
		return;
	run_program(bpf_program__fd(p), frame, len, 100);
	ns = run_program(bpf_program__fd(p), frame, len, CALIBRATE_RUNS);
	clear_slot(l, 1);
	l->ns_per_packet = ns > 0 ? ns : 0;
	rct_rowtab_drop_slot(l->rows, CALIBRATE_SLOT);
}

/* ----------------------------------------------------------------- attach */

static void uncovered(struct iface *i, const char *why)
{
	i->coverage.state = RCT_COV_NONE;
	snprintf(i->coverage.why, sizeof(i->coverage.why), "%.255s", why);
}

/* auto: no program on a port whose RDMA device keeps RoCE from the kernel. */
static bool offloaded(struct iface *i)
{
	char dev[64], why[256];

	if (!rct_iface_offloads(i->name, dev, sizeof(dev)))
		return false;
	snprintf(why, sizeof(why), "%s offloads RoCE: its packets never reach the kernel (explain blind.packets; --hook tc looks all the same)", dev);
	uncovered(i, why);
	return true;
}

static int attach_iface(struct rct_live *l, struct iface *i, u32 slot, struct rct_err *err)
{
	struct rct_attached how = {};
	int rc;

	rc = set_slot(l, i->ifindex, slot, has_mac(i->name) ? 0 : RCT_SLOT_NO_MAC);
	if (rc)
		return rct_fail(err, ENOSPC, "%s: the interface table has no room for ifindex %u", i->name, i->ifindex);
	if (l->hook == RCT_HOOK_XDP)
		rc = rct_attach_xdp(bpf_program__fd(l->skel->progs.rct_xdp), i->ifindex, i->name,
				    &i->attachment, &how, err);
	else if (l->hook == RCT_HOOK_TC)
		rc = rct_attach_tc(bpf_program__fd(l->skel->progs.rct_tc_rx),
				   bpf_program__fd(l->skel->progs.rct_tc_tx), i->ifindex, i->name,
				   l->allow_clsact, &i->attachment, &how, err);
	else
		set_bond_slots(l, i->name, slot);
	if (rc)
		return rc;
	if (!how.partial && !rct_iface_up(i->name)) {
		how.partial = true;
		snprintf(how.why, sizeof(how.why), "the interface is down: ip link set %s up", i->name);
	}
	i->coverage.state = how.partial ? RCT_COV_PARTIAL : RCT_COV_OK;
	snprintf(i->coverage.method, sizeof(i->coverage.method), "%s",
		 l->hook == RCT_HOOK_NETDEV ? "netdev" : how.method);
	snprintf(i->coverage.why, sizeof(i->coverage.why), "%s", how.why);
	l->programs += l->hook == RCT_HOOK_TC ? 2 : l->hook == RCT_HOOK_XDP;
	return 0;
}

static int attach_netdev(struct rct_live *l, struct rct_err *err)
{
	l->netdev_links[0] = bpf_program__attach(l->skel->progs.rct_netdev_rx);
	l->netdev_links[1] = bpf_program__attach(l->skel->progs.rct_netdev_tx);
	if (!l->netdev_links[0] || !l->netdev_links[1])
		return rct_fail(err, errno, "cannot attach to the netdev tracepoints: %s; %s",
				strerror(errno), load_advice(errno));
	l->programs += 2;
	return 0;
}

/* Attaches to all; what fails is an interface without coverage. -errno where nothing is left. */
static int attach_all(struct rct_live *l, const struct rct_live_config *cfg, struct rct_err *err)
{
	struct rct_err one = {};
	u32 attached = 0;
	int rc = 0, last = 0;

	for (u32 n = 0; n < l->n_ifaces; n++) {
		struct iface *i = &l->ifaces[n];

		if (cfg->hook == RCT_HOOK_AUTO && i->coverage.state == RCT_COV_NONE)
			continue;
		rc = attach_iface(l, i, n, &one);
		if (rc) {
			uncovered(i, one.text);
			clear_slot(l, i->ifindex);
			last = rc;
			continue;
		}
		attached++;
		if (cfg->promiscuous)
			i->promisc_fd = rct_promiscuous(i->ifindex);
	}
	if (attached && l->hook == RCT_HOOK_NETDEV)
		return attach_netdev(l, err);
	if (!attached && last)
		return rct_fail(err, -last, "%s", one.text);
	return 0;
}

/* Which programs: what was asked, or what this kernel has that disturbs least. */
static enum rct_hook choose_hook(const struct rct_live_config *cfg)
{
	if (cfg->hook != RCT_HOOK_AUTO)
		return cfg->hook;
	return rct_probe_tcx() ? RCT_HOOK_TC : RCT_HOOK_NETDEV;
}

static int start(struct rct_live *l, const struct rct_live_config *cfg, struct rct_err *err)
{
	u64 began = now_ns(CLOCK_MONOTONIC);
	u32 open = 0;
	int rc;

	rc = add_ifaces(l, cfg, err);
	if (rc)
		return rc;
	for (u32 n = 0; n < l->n_ifaces; n++)
		open += !(cfg->hook == RCT_HOOK_AUTO && offloaded(&l->ifaces[n]));
	l->hook = choose_hook(cfg);
	l->allow_clsact = cfg->hook == RCT_HOOK_TC;
	if (open) {
		rc = load(l, cfg->flows, err);
		if (rc)
			return rc;
		read_clocks(l, &l->clock_ns, &l->clock_tick);
		calibrate(l);
		rc = attach_all(l, cfg, err);
		if (rc)
			return rc;
	}
	l->start_ns = now_ns(CLOCK_REALTIME);
	l->start_cpu = cpu_seconds();
	l->attach_ms = (now_ns(CLOCK_MONOTONIC) - began) / 1e6;
	return 0;
}

int rct_live_start(const struct rct_live_config *cfg, struct rct_live **ret, struct rct_err *err)
{
	struct rct_live *l = calloc(1, sizeof(*l));
	int rc;

	if (!l)
		return rct_fail(err, ENOMEM, "out of memory");
	rc = start(l, cfg, err);
	if (rc) {
		rct_live_free(l);
		return rc;
	}
	*ret = l;
	return 0;
}

/* ------------------------------------------------------------------ while */

/* An interface that went away, or has another name now. */
static void follow_iface(struct iface *i)
{
	char name[RCT_IFNAME], was[RCT_IFNAME];

	if (i->gone)
		return;
	if (!if_indextoname(i->ifindex, name)) {
		if (errno != ENXIO && errno != ENODEV)
			return;		/* that is not what this failure says */
		i->gone = true;
		if (i->coverage.state == RCT_COV_OK)
			i->coverage.state = RCT_COV_PARTIAL;
		snprintf(i->coverage.why, sizeof(i->coverage.why), "the interface went away while it was traced");
	} else if (strcmp(name, i->name)) {
		memcpy(was, i->name, sizeof(was));
		snprintf(i->coverage.why, sizeof(i->coverage.why), "was renamed from %s while it was traced", was);
		snprintf(i->name, sizeof(i->name), "%s", name);
		snprintf(i->coverage.object, sizeof(i->coverage.object), "%s", name);
	} else if (i->attachment && i->coverage.state != RCT_COV_NONE && !rct_attachment_alive(i->attachment)) {
		i->coverage.state = RCT_COV_PARTIAL;
		snprintf(i->coverage.why, sizeof(i->coverage.why), "somebody took the program off while it was tracing");
	}
}

/* Empties the ring. 0 or -errno. */
static int take_records(struct rct_live *l)
{
	u64 ns, tick;
	int rc;

	if (!l->ring)
		return 0;
	l->n_records = 0;
	rc = ring_buffer__consume(l->ring);
	if (!rc || (rc < 0 && rc != -E2BIG))
		return rc;
	read_clocks(l, &ns, &tick);
	return rct_retry_log_join(l->retries, tick_us(l, ns, tick));
}

int rct_live_poll(struct rct_live *l, int timeout_ms)
{
	struct timespec t = { timeout_ms / 1000, timeout_ms % 1000 * 1000000L };
	u64 now, ns, tick;
	int rc;

	if (nanosleep(&t, NULL) && errno == EINTR)
		return -EINTR;
	rc = take_records(l);
	if (rc)
		return rc;
	now = now_ns(CLOCK_MONOTONIC);
	if (now - l->followed_ns < FOLLOW_NS)
		return 0;
	l->followed_ns = now;
	for (u32 n = 0; n < l->n_ifaces; n++)
		follow_iface(&l->ifaces[n]);
	if (!l->rows)
		return 0;
	read_clocks(l, &ns, &tick);
	return rct_rowtab_recycle(l->rows, IDLE_US / tick_us(l, ns, tick));
}

void rct_live_stop(struct rct_live *l)
{
	if (l->stop_ns)
		return;
	for (u32 n = 0; n < l->n_ifaces; n++) {
		struct iface *i = &l->ifaces[n];

		rct_detach(i->attachment);
		i->attachment = NULL;
		if (i->promisc_fd >= 0)
			close(i->promisc_fd);
		i->promisc_fd = -1;
	}
	for (int k = 0; k < 2; k++) {
		bpf_link__destroy(l->netdev_links[k]);
		l->netdev_links[k] = NULL;
	}
	if (l->rows)
		rct_rowtab_grace(l->rows);
	take_records(l);
	l->stop_ns = now_ns(CLOCK_REALTIME);
}

/* --------------------------------------------------------------- snapshot */

static int sum_stats(struct rct_live *l, u32 slot, struct rct_stats *sum)
{
	int cpus = libbpf_num_possible_cpus();
	struct rct_stats *v;
	int rc;

	memset(sum, 0, sizeof(*sum));
	v = cpus > 0 ? calloc(cpus, sizeof(*v)) : NULL;
	if (!v)
		return -ENOMEM;
	rc = bpf_map_lookup_elem(bpf_map__fd(l->skel->maps.rct_stats), &slot, v) ? -errno : 0;
	for (int c = 0; c < cpus && !rc; c++) {
		for (u32 i = 0; i < sizeof(*v) / 8; i++)
			((u64 *)sum)[i] += ((u64 *)&v[c])[i];
	}
	free(v);
	return rc;
}

static int snapshot_iface(struct rct_live *l, u32 slot, struct rct_snapshot *s)
{
	const struct iface *from = &l->ifaces[slot];
	struct rct_iface *i = rct_snapshot_add_iface(s);
	struct rct_coverage *c = rct_snapshot_add_coverage(s);
	struct rct_stats stats = {};
	int rc;

	if (!i || !c)
		return -ENOMEM;
	snprintf(i->name, sizeof(i->name), "%s", from->name);
	i->ifindex = from->ifindex;
	i->speed_mbps = from->speed_mbps;
	i->slot = slot;
	i->gone = from->gone;
	*c = from->coverage;
	if (!l->skel)
		return 0;
	rc = sum_stats(l, slot, &stats);
	if (rc)
		return rc;
	memcpy(i->verdict, stats.verdict, sizeof(i->verdict));
	i->overflow_packets = stats.verdict[RCT_OK];
	i->overflow_bytes = stats.overflow_bytes;
	s->totals.events_lost += stats.events_lost;
	s->totals.overflow_packets += i->overflow_packets;
	for (u32 dir = 0; dir < 2; dir++) {
		u32 at = slot * 2 + dir;

		bpf_map_lookup_elem(bpf_map__fd(l->skel->maps.rct_pauses), &at, &i->pause[dir]);
	}
	if (c->state == RCT_COV_OK && i->verdict[RCT_NOT_READ]) {
		c->state = RCT_COV_PARTIAL;
		snprintf(c->why, sizeof(c->why), "%llu packets could not be read at this hook (their headers lie in page fragments): --hook tc reads them",
			 (unsigned long long)i->verdict[RCT_NOT_READ]);
	}
	return 0;
}

static int say_left_out(struct rct_live *l, struct rct_snapshot *s)
{
	struct rct_coverage *c = rct_snapshot_add_coverage(s);

	if (!c)
		return -ENOMEM;
	c->source = "packets";
	c->state = RCT_COV_NONE;
	snprintf(c->object, sizeof(c->object), "%u more interfaces", l->left_out);
	snprintf(c->why, sizeof(c->why), "no more than %d are traced at once: name those of interest with -i", CALIBRATE_SLOT);
	return 0;
}

/*
 * The rows' times are ticks and the monotonic clock; the snapshot's are real time.
 * Retries come from the records.
 */
static void finish_flows(struct rct_live *l, struct rct_snapshot *s)
{
	u64 ns, tick, real = now_ns(CLOCK_REALTIME), offset = real - now_ns(CLOCK_MONOTONIC);

	read_clocks(l, &ns, &tick);
	s->tick_us = tick_us(l, ns, tick);
	for (size_t i = 0; i < s->n_flows; i++) {
		struct rct_flow *f = &s->flows[i];
		u64 age = (u64)((u32)tick - (u32)f->last_ns) * s->tick_us * 1000;

		rct_retry_log_fold(l->retries, f);
		f->first_ns += offset;
		f->last_ns = ns + offset - age;
		if (f->last_ns < f->first_ns)
			f->last_ns = f->first_ns;	/* within one tick */
	}
}

/* Two programs split the frames by direction, and only their sum is counted. */
static void set_programs(struct rct_live *l, struct rct_snapshot *s)
{
	static const char *const names[][2] = {
		[RCT_HOOK_XDP] = { "rct_xdp" }, [RCT_HOOK_TC] = { "rct_tc_rx", "rct_tc_tx" },
		[RCT_HOOK_NETDEV] = { "rct_netdev_rx", "rct_netdev_tx" },
	};

	for (u32 i = 0; l->programs && i < 2 && names[l->hook][i]; i++) {
		s->self.program[i] = names[l->hook][i];
		s->self.runs[i] = l->hook == RCT_HOOK_XDP ? s->totals.packets : RCT_UNKNOWN;
		s->self.n_names = i + 1;
	}
}

static void set_self(struct rct_live *l, struct rct_snapshot *s)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	s->self.cpu_seconds = cpu_seconds();
	s->self.start_cpu_seconds = l->start_cpu;
	s->self.rss_bytes = (u64)u.ru_maxrss * 1024;
	s->self.attach_ms = l->attach_ms;
	s->self.ns_per_packet = l->ns_per_packet;
	s->self.programs = l->programs;
	set_programs(l, s);
}

static void set_totals(struct rct_live *l, struct rct_snapshot *s)
{
	struct rct_totals *t = &s->totals;

	u64 retired_bytes = 0;

	if (l->rows)
		rct_rowtab_retired(l->rows, &t->retired_packets, &retired_bytes);
	rct_snapshot_sum(s);
	t->roce += t->retired_packets;
	t->bytes += retired_bytes;
	for (size_t i = 0; i < s->n_ifaces; i++) {
		struct rct_iface *f = &s->ifaces[i];

		f->verdict[RCT_OK] = f->overflow_packets;
		for (size_t k = 0; k < s->n_flows; k++)
			f->verdict[RCT_OK] += s->flows[k].key.slot == f->slot ? s->flows[k].packets : 0;
		for (u32 v = 0; v < RCT_VERDICT_COUNT; v++) {
			t->packets += f->verdict[v];
			if (v != RCT_OK)
				t->refused[v] += f->verdict[v];
		}
	}
	t->packets += t->retired_packets;
}

int rct_live_snapshot(struct rct_live *l, struct rct_snapshot *s, struct rct_err *err)
{
	int rc = 0;

	memset(s, 0, sizeof(*s));
	s->live = true;
	rct_snapshot_host(s);
	s->start_ns = l->start_ns;
	s->end_ns = l->stop_ns ? l->stop_ns : now_ns(CLOCK_REALTIME);
	for (u32 n = 0; n < l->n_ifaces && !rc; n++)
		rc = snapshot_iface(l, n, s);
	if (!rc && l->left_out)
		rc = say_left_out(l, s);
	if (!rc && l->rows) {
		rc = rct_rowtab_snapshot(l->rows, s);
		if (!rc)
			finish_flows(l, s);
	}
	if (rc)
		return rct_fail(err, -rc, "cannot copy the flow table: %s", strerror(-rc));
	set_totals(l, s);
	set_self(l, s);
	return 0;
}

void rct_live_progress(struct rct_live *l, u64 *bytes, u64 *flows)
{
	*bytes = *flows = 0;
	if (l->rows)
		rct_rowtab_progress(l->rows, bytes, flows);
}

void rct_live_free(struct rct_live *l)
{
	if (!l)
		return;
	rct_live_stop(l);
	rct_rowtab_free(l->rows);
	ring_buffer__free(l->ring);
	rct_retry_log_free(l->retries);
	packet_bpf__destroy(l->skel);
	free(l);
}
