// SPDX-License-Identifier: BSD-2-Clause
#include "capture/trial.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/util.h"
#include "capture/attach.h"

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

int rct_trial_tc(void)
{
	static const struct bpf_insn pass[] = { MOV_IMM(BPF_REG_0, -1), EXIT() };

	return load(BPF_PROG_TYPE_SCHED_CLS, pass, RCT_ARRAY_SIZE(pass), NULL);
}

int rct_trial_xdp(bool frags)
{
	static const struct bpf_insn pass[] = { MOV_IMM(BPF_REG_0, XDP_PASS), EXIT() };
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = frags ? XDP_HAS_FRAGS : 0,
		    .expected_attach_type = BPF_XDP);

	return load(BPF_PROG_TYPE_XDP, pass, RCT_ARRAY_SIZE(pass), &opts);
}

/* Interface 0 is nobody's: a kernel with tcx misses the device, one without it the attach type. */
int rct_trial_tcx(void)
{
	int prog = rct_trial_tc(), link, rc;

	if (prog < 0)
		return prog;
	link = bpf_link_create(prog, 0, RCT_TCX_INGRESS, NULL);
	rc = link < 0 ? -errno : link;
	close(prog);
	if (rc == -ENODEV)
		return 0;
	return shut(rc);
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
	struct btf *btf = btf__load_vmlinux_btf();
	int kfunc = btf ? btf__find_by_name_kind(btf, "bpf_dynptr_from_skb", BTF_KIND_FUNC) : -ENOENT;
	int tp = btf ? btf__find_by_name_kind(btf, "btf_trace_netif_receive_skb", BTF_KIND_TYPEDEF) : -ENOENT;

	btf__free(btf);
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

int rct_trial_ringbuf(void)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "rct_trial", 0, 0, sysconf(_SC_PAGESIZE), NULL);

	return shut(fd < 0 ? -errno : fd);
}

static int tracing(enum bpf_attach_type how, enum bpf_prog_type type, int btf_id)
{
	static const struct bpf_insn insns[] = { MOV_IMM(BPF_REG_0, 0), EXIT() };
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = how);

	if (btf_id < 0)
		return -ENOENT;
	opts.attach_btf_id = btf_id;
	return load(type, insns, RCT_ARRAY_SIZE(insns), &opts);
}

int rct_trial_tp_btf(const char *tracepoint)
{
	return shut(tracing(BPF_TRACE_RAW_TP, BPF_PROG_TYPE_TRACING,
			    libbpf_find_vmlinux_btf_id(tracepoint, BPF_TRACE_RAW_TP)));
}

/*
 * Loading tells nothing of whether the kernel can redirect a function; attaching
 * does. This function is there for such tests, and runs for nothing else.
 */
int rct_trial_fentry(void)
{
	int prog = tracing(BPF_TRACE_FENTRY, BPF_PROG_TYPE_TRACING,
			   libbpf_find_vmlinux_btf_id("bpf_fentry_test1", BPF_TRACE_FENTRY));
	int link, rc;

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
		.config1 = (unsigned long)"bpf_fentry_test1",
	};
	int type = pmu_type("kprobe"), fd;

	if (type < 0)
		return type;
	attr.type = type;
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return shut(fd < 0 ? -errno : fd);
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
