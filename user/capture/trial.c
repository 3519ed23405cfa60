// SPDX-License-Identifier: BSD-2-Clause
#include "capture/trial.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/genetlink.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/util.h"
#include "capture/attach.h"
#include "capture/tc.h"

/* No header of Debian 12 has these names. */
#define XDP_HAS_FRAGS	(1U << 5)	/* BPF_F_XDP_HAS_FRAGS */
#define CALL_KFUNC	2		/* BPF_PSEUDO_KFUNC_CALL */

/* Instructions, as the kernel's filter.h writes them. */
#define MOV_IMM(reg, v)		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = reg, .imm = v }
#define MOV_REG(reg, from)	{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = reg, .src_reg = from }
#define ADD_IMM(reg, v)		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = reg, .imm = v }
#define LOAD64(reg, from, at)	{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = reg, .src_reg = from, .off = at }
#define CALL(how, what)		{ .code = BPF_JMP | BPF_CALL, .src_reg = how, .imm = what }
#define EXIT()			{ .code = BPF_JMP | BPF_EXIT }

static int load(enum bpf_prog_type type, const struct bpf_insn *insns, size_t n,
		struct bpf_prog_load_opts *opts)
{
	int fd = bpf_prog_load(type, "rct_trial", "Dual BSD/GPL", insns, n, opts);

	return fd < 0 ? -errno : fd;
}

/* To 0 or -errno. */
static int shut(int fd)
{
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int pass_tc(void)
{
	static const struct bpf_insn pass[] = { MOV_IMM(BPF_REG_0, -1), EXIT() };

	return load(BPF_PROG_TYPE_SCHED_CLS, pass, RCT_ARRAY_SIZE(pass), NULL);
}

static int pass_xdp(bool frags)
{
	static const struct bpf_insn pass[] = { MOV_IMM(BPF_REG_0, XDP_PASS), EXIT() };
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = frags ? XDP_HAS_FRAGS : 0,
		    .expected_attach_type = BPF_XDP);

	return load(BPF_PROG_TYPE_XDP, pass, RCT_ARRAY_SIZE(pass), &opts);
}

/* Interface 0 is nobody's: a kernel with tcx misses the device, one without it the attach type. */
int rct_trial_tcx(void)
{
	int prog = pass_tc(), link, rc;

	if (prog < 0)
		return prog;
	link = bpf_link_create(prog, 0, RCT_TCX_INGRESS, NULL);
	rc = link < 0 ? -errno : link;
	close(prog);
	if (rc == -ENODEV)
		return 0;
	return shut(rc);
}

/* The id of a name in the kernel's BTF; -errno where it isn't there. */
static int btf_id(const char *name, u32 kind)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int id = btf ? btf__find_by_name_kind(btf, name, kind) : -errno;

	btf__free(btf);
	return id;
}

/* The program of bpf/packet.bpf.c that needs it, at its smallest. */
int rct_trial_dynptr(void)
{
	struct bpf_insn insns[] = {
		LOAD64(BPF_REG_1, BPF_REG_1, 0),	/* the tracepoint's skb */
		MOV_IMM(BPF_REG_2, 0),
		MOV_REG(BPF_REG_3, BPF_REG_10),
		ADD_IMM(BPF_REG_3, -16),
		CALL(CALL_KFUNC, 0),
		MOV_IMM(BPF_REG_0, 0),
		EXIT(),
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_RAW_TP);
	int kfunc = btf_id("bpf_dynptr_from_skb", BTF_KIND_FUNC);
	int tp = kfunc < 0 ? kfunc : btf_id("btf_trace_netif_receive_skb", BTF_KIND_TYPEDEF);

	if (kfunc < 0 || tp < 0)
		return -ENOENT;
	insns[4].imm = kfunc;
	opts.attach_btf_id = tp;
	return shut(load(BPF_PROG_TYPE_TRACING, insns, RCT_ARRAY_SIZE(insns), &opts));
}

int rct_trial_buff_len(void)
{
	static const struct bpf_insn insns[] = {
		CALL(0, BPF_FUNC_xdp_get_buff_len),
		MOV_IMM(BPF_REG_0, XDP_PASS),
		EXIT(),
	};

	return shut(load(BPF_PROG_TYPE_XDP, insns, RCT_ARRAY_SIZE(insns), NULL));
}

int rct_trial_read_kernel(void)
{
	static const struct bpf_insn insns[] = {
		MOV_REG(BPF_REG_1, BPF_REG_10),
		ADD_IMM(BPF_REG_1, -8),
		MOV_IMM(BPF_REG_2, 8),
		MOV_IMM(BPF_REG_3, 0),
		CALL(0, BPF_FUNC_probe_read_kernel),
		MOV_IMM(BPF_REG_0, -1),
		EXIT(),
	};

	return shut(load(BPF_PROG_TYPE_SCHED_CLS, insns, RCT_ARRAY_SIZE(insns), NULL));
}

int rct_trial_ringbuf(void)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "rct_trial", 0, 0, sysconf(_SC_PAGESIZE), NULL);

	return shut(fd < 0 ? -errno : fd);
}

int rct_trial_xdp_frags(void)
{
	return shut(pass_xdp(true));
}

int rct_trial_atomics(void)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .off = -8 },
		MOV_IMM(BPF_REG_0, 0),
		MOV_IMM(BPF_REG_1, 1),
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = BPF_REG_10, .src_reg = BPF_REG_1,
		  .off = -8, .imm = BPF_CMPXCHG },
		MOV_IMM(BPF_REG_0, -1),
		EXIT(),
	};

	return shut(load(BPF_PROG_TYPE_SCHED_CLS, insns, RCT_ARRAY_SIZE(insns), NULL));
}

static int tracing(enum bpf_attach_type how, int btf_id)
{
	static const struct bpf_insn insns[] = { MOV_IMM(BPF_REG_0, 0), EXIT() };
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = how);

	if (btf_id <= 0)
		return -ENOENT;
	opts.attach_btf_id = btf_id;
	return load(BPF_PROG_TYPE_TRACING, insns, RCT_ARRAY_SIZE(insns), &opts);
}

int rct_trial_tp_btf(const char *tracepoint)
{
	char name[128];

	snprintf(name, sizeof(name), "btf_trace_%s", tracepoint);
	return shut(tracing(BPF_TRACE_RAW_TP, btf_id(name, BTF_KIND_TYPEDEF)));
}

/* Of the kernel's, there for such tests: it runs for nothing else. */
#define TEST_FUNCTION	"bpf_fentry_test1"

/* Loading tells nothing of whether the kernel can redirect a function; attaching does. */
int rct_trial_fentry(void)
{
	int prog = tracing(BPF_TRACE_FENTRY, btf_id(TEST_FUNCTION, BTF_KIND_FUNC)), link, rc;

	if (prog < 0)
		return prog;
	link = bpf_raw_tracepoint_open(NULL, prog);
	rc = link < 0 ? -errno : link;
	close(prog);
	return shut(rc);
}

/* The number that the kernel gave to a kind of event source; -errno: it has none. */
static int pmu_type(const char *name)
{
	char path[64];
	int type;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", name);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	if (fscanf(f, "%d", &type) != 1)
		type = -EINVAL;
	fclose(f);
	return type;
}

int rct_trial_kprobe(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.config1 = (unsigned long)TEST_FUNCTION,
	};
	int type = pmu_type("kprobe"), fd;

	if (type < 0)
		return type;
	attr.type = type;
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return shut(fd < 0 ? -errno : fd);
}

/* ----------------------------------------------- in a namespace of its own */

/* The loopback interface of a new network namespace, which ends with the child. */
#define SANDBOX_LO	1

static int in_sandbox(int (*trial)(void))
{
	int status, rc;
	pid_t pid = fork();

	if (!pid) {
		rc = unshare(CLONE_NEWNET) ? -errno : trial();
		_exit(-rc & 0xff);	/* an errno that matters here is less than 256 */
	}
	if (pid < 0)
		return -errno;
	do
		rc = waitpid(pid, &status, 0);
	while (rc < 0 && errno == EINTR);
	if (rc < 0)
		return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

static int clsact_on_lo(void)
{
	struct rct_nl nl;
	int rc = rct_nl_open(&nl, NETLINK_ROUTE, NULL);

	return rc ? rc : rct_tc_add_clsact(&nl, SANDBOX_LO);
}

int rct_trial_clsact(void)
{
	return in_sandbox(clsact_on_lo);
}

static int xdp_on_lo(void)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_SKB_MODE);
	int prog = pass_xdp(false), link;

	if (prog < 0)
		return prog;
	link = bpf_link_create(prog, SANDBOX_LO, BPF_XDP, &opts);
	return link < 0 ? -errno : 0;
}

int rct_trial_xdp_generic(void)
{
	return in_sandbox(xdp_on_lo);
}

/* ------------------------------------------------------------ XDP features */

/* The generic netlink family "netdev" of Linux 6.3; Debian 12 has no header for it. */
#define NETDEV_DEV_GET		1
#define NETDEV_A_IFINDEX	1
#define NETDEV_A_XDP_FEATURES	3

static struct genlmsghdr *begin_genl(union rct_nl_msg *m, int family, int cmd)
{
	struct genlmsghdr *g = rct_nl_begin(m, family, 0, sizeof(*g));

	g->cmd = cmd;
	g->version = 1;
	return g;
}

static int on_family(const struct nlmsghdr *h, void *arg)
{
	const struct nlattr *a;

	mnl_attr_for_each(a, h, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(a) == CTRL_ATTR_FAMILY_ID)
			*(int *)arg = mnl_attr_get_u16(a);
	}
	return MNL_CB_OK;
}

static int on_features(const struct nlmsghdr *h, void *arg)
{
	const struct nlattr *a;

	mnl_attr_for_each(a, h, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(a) == NETDEV_A_XDP_FEATURES && mnl_attr_get_payload_len(a) >= 8)
			*(u64 *)arg = mnl_attr_get_u64(a);
	}
	return MNL_CB_OK;
}

int rct_trial_xdp_features(u32 ifindex, u64 *ret)
{
	union rct_nl_msg m;
	struct rct_nl nl;
	int family = 0, rc = rct_nl_open(&nl, NETLINK_GENERIC, NULL);

	if (rc)
		return rc;
	begin_genl(&m, GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	mnl_attr_put_strz(&m.h, CTRL_ATTR_FAMILY_NAME, "netdev");
	rc = rct_nl_talk(&nl, &m, on_family, &family);
	if (!rc) {
		begin_genl(&m, family, NETDEV_DEV_GET);
		mnl_attr_put_u32(&m.h, NETDEV_A_IFINDEX, ifindex);
		*ret = 0;
		rc = rct_nl_talk(&nl, &m, on_features, ret);
	}
	rct_nl_close(&nl);
	return rc;
}

/* ------------------------------------------------------------------ frag 0 */

/* Both symbols have addresses that this process is shown. */
static bool symbols_known(const char *const *names, size_t n)
{
	unsigned long long addr;
	size_t found = 0;
	char line[256], name[128];
	FILE *f = fopen("/proc/kallsyms", "re");

	if (!f)
		return false;
	while (found < n && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx %*c %127s", &addr, name) != 2 || !addr)
			continue;
		for (size_t i = 0; i < n; i++)
			found += !strcmp(name, names[i]);
	}
	fclose(f);
	return found == n;
}

static bool has_member(const struct btf *btf, const struct btf_type *t, const char *name)
{
	const struct btf_member *m = btf_members(t);

	for (u32 i = 0; i < btf_vlen(t); i++) {
		if (!strcmp(btf__name_by_offset(btf, m[i].name_off), name))
			return true;
	}
	return false;
}

/* struct page is 64 bytes, a fragment is a struct bio_vec (until Linux 6.9). */
static bool layouts_known(const struct btf *btf)
{
	s32 page = btf__find_by_name_kind(btf, "page", BTF_KIND_STRUCT);
	s32 frag = btf__find_by_name_kind(btf, "skb_frag_t", BTF_KIND_TYPEDEF);
	const struct btf_type *t;

	if (page < 0 || frag < 0 || btf__resolve_size(btf, page) != 64)
		return false;
	frag = btf__resolve_type(btf, frag);
	t = frag < 0 ? NULL : btf__type_by_id(btf, frag);
	return t && btf_is_struct(t) && has_member(btf, t, "bv_page");
}

int rct_trial_frag0(void)
{
#ifdef __x86_64__
	static const char *const symbols[] = { "vmemmap_base", "page_offset_base" };
	struct btf *btf = btf__load_vmlinux_btf();
	bool known = btf && layouts_known(btf);

	btf__free(btf);
	if (!known)
		return -EOPNOTSUPP;
	return symbols_known(symbols, RCT_ARRAY_SIZE(symbols)) ? 0 : -EPERM;
#else
	return -EOPNOTSUPP;
#endif
}

bool rct_trial_btf(const char *module)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", module ? module : "vmlinux");
	return !access(path, R_OK);
}
