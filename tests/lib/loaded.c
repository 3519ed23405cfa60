// SPDX-License-Identifier: BSD-2-Clause
#include "lib/loaded.h"
#include "lib/part.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "packet.skel.h"

#define LOOPBACK	1	/* ifindex, in every network namespace */

/*
 * The kernel refuses less than an Ethernet header; at tc also more than a page with
 * its overhead, and (6.18) an Ethernet type whose IP header isn't all there.
 */
#define RUN_MIN		14
#define RUN_MAX_TC	3400

static int __attribute__((format(printf, 2, 0)))
quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	if (level != LIBBPF_WARN)
		return 0;
	printf("# ");
	return vprintf(fmt, ap);
}

void rct_loaded_seed(u64 *seed)
{
	u64 state = 42;

	for (int i = 0; i < 6; i++)
		seed[i] = (u64)rct_test_random(&state) << 33 | (u64)rct_test_random(&state) << 2 | 1;
}

static bool have_kfunc(const char *name)
{
	struct btf *btf = btf__load_vmlinux_btf();
	bool have = btf && btf__find_by_name_kind(btf, name, BTF_KIND_FUNC) > 0;

	btf__free(btf);
	return have;
}

static void configure(struct packet_bpf *s, u32 rows, bool events)
{
	struct rct_config c = { .rows = rows, .events = events };

	rct_loaded_seed(c.seed);
	c.buff_len = libbpf_probe_bpf_helper(BPF_PROG_TYPE_XDP, BPF_FUNC_xdp_get_buff_len, NULL) == 1;
	c.dynptr = have_kfunc("bpf_dynptr_from_skb");
	memcpy((void *)&s->rodata->rct_config, &c, sizeof(c));
	bpf_map__set_max_entries(s->maps.rct_rows, rows);
	bpf_map__set_max_entries(s->maps.rct_cold, rows);
	s->bss->rct_slot_of[RCT_SLOT_AT(LOOPBACK, 0)] = RCT_SLOT_WORD(LOOPBACK, RCT_LOADED_SLOT, 0);
}

int rct_loaded_open(struct rct_loaded *l, u32 rows, bool events)
{
	void *map;
	int err;

	memset(l, 0, sizeof(*l));
	libbpf_set_print(quiet);
	l->skel = packet_bpf__open();
	if (!l->skel)
		return -errno;
	configure(l->skel, rows, events);
	err = packet_bpf__load(l->skel);
	if (err)
		goto fail;
	map = mmap(NULL, (size_t)rows * sizeof(struct rct_row), PROT_READ | PROT_WRITE, MAP_SHARED,
		   bpf_map__fd(l->skel->maps.rct_rows), 0);
	if (map == MAP_FAILED) {
		err = -errno;
		goto fail;
	}
	l->rows = map;
	l->n_rows = rows;
	return 0;
fail:
	packet_bpf__destroy(l->skel);
	l->skel = NULL;
	return err;
}

void rct_loaded_close(struct rct_loaded *l)
{
	if (l->rows)
		munmap(l->rows, (size_t)l->n_rows * sizeof(struct rct_row));
	packet_bpf__destroy(l->skel);
	memset(l, 0, sizeof(*l));
}

const char *rct_loaded_impossible(void)
{
	if (geteuid())
		return "needs root, to load BPF programs";
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return "this kernel has no BTF";
	return NULL;
}

bool rct_via_takes(enum rct_via via, const u8 *data, u32 len)
{
	u32 type;

	if (len < RUN_MIN)
		return false;
	if (via == RCT_VIA_XDP)
		return true;
	type = data[12] << 8 | data[13];
	return len <= RUN_MAX_TC && len >= RUN_MIN + (type == 0x0800 ? 20 : type == 0x86dd ? 40 : 0);
}

const char *rct_via_name(enum rct_via via)
{
	static const char *const names[] = { "xdp", "tc ingress", "tc egress" };

	return names[via];
}

u8 rct_via_dir(enum rct_via via)
{
	return via == RCT_VIA_TC_TX ? RCT_TX : RCT_RX;
}

int rct_loaded_run(struct rct_loaded *l, enum rct_via via, const u8 *data, u32 len, u32 gso_size)
{
	const struct bpf_program *progs[] = {
		l->skel->progs.rct_xdp, l->skel->progs.rct_tc_rx, l->skel->progs.rct_tc_tx,
	};
	static u8 out[1 << 17];
	struct __sk_buff skb = { .gso_size = gso_size, .gso_segs = gso_size ? 2 : 0 };
	LIBBPF_OPTS(bpf_test_run_opts, o, .data_in = data, .data_size_in = len,
		    .data_out = out, .data_size_out = sizeof(out), .repeat = 1);

	if (gso_size) {
		o.ctx_in = &skb;
		o.ctx_size_in = sizeof(skb);
	}
	if (bpf_prog_test_run_opts(bpf_program__fd(progs[via]), &o))
		return -errno;
	if ((int)o.retval != (via == RCT_VIA_XDP ? XDP_PASS : -1 /* TC_ACT_UNSPEC */))
		return -EPROTO;
	return o.data_size_out == len && !memcmp(out, data, len) ? 0 : -EPROTO;
}

void rct_loaded_stats(const struct rct_loaded *l, struct rct_stats *sum)
{
	static struct rct_stats per_cpu[1024];
	u32 slot = RCT_LOADED_SLOT;
	int cpus = libbpf_num_possible_cpus();
	u64 *to = (u64 *)sum;

	memset(sum, 0, sizeof(*sum));
	if (cpus > 1024 || bpf_map_lookup_elem(bpf_map__fd(l->skel->maps.rct_stats), &slot, per_cpu))
		abort();
	for (int i = 0; i < cpus; i++) {
		const u64 *from = (const u64 *)&per_cpu[i];

		for (size_t k = 0; k < sizeof(*sum) / sizeof(u64); k++)
			to[k] += from[k];
	}
}

void rct_loaded_pauses(const struct rct_loaded *l, u8 dir, struct rct_pauses *p)
{
	u32 at = RCT_LOADED_SLOT * 2 + dir;

	if (bpf_map_lookup_elem(bpf_map__fd(l->skel->maps.rct_pauses), &at, p))
		abort();
}

s64 rct_loaded_find(const struct rct_loaded *l, const struct rct_key *key)
{
	u64 hash = rct_hash(key, l->skel->rodata->rct_config.seed);
	u32 pos = hash >> 32;

	for (int i = 0; i < RCT_PROBES; i++, pos += rct_stride(hash)) {
		u32 idx = (u64)pos * l->n_rows >> 32;
		const struct rct_row *r = &l->rows[idx];

		if (r->state == RCT_ROW_LIVE && rct_key_equal(&r->key, key))
			return idx;
		if (r->state == RCT_ROW_FREE)
			break;
	}
	return -1;
}

void rct_loaded_flow(const struct rct_loaded *l, u32 idx, struct rct_hostflow *f)
{
	f->row = l->rows[idx];
	if (bpf_map_lookup_elem(bpf_map__fd(l->skel->maps.rct_cold), &idx, &f->cold))
		abort();
}

u32 rct_loaded_live(const struct rct_loaded *l)
{
	u32 n = 0;

	for (u32 i = 0; i < l->n_rows; i++)
		n += l->rows[i].state == RCT_ROW_LIVE;
	return n;
}

void rct_loaded_take_out(struct rct_loaded *l, u32 idx)
{
	static const struct rct_cold zero;

	l->rows[idx].state = RCT_ROW_DEAD;
	if (bpf_map_update_elem(bpf_map__fd(l->skel->maps.rct_cold), &idx, &zero, 0))
		abort();
	l->rows[idx].state = RCT_ROW_TOMB;
}
