// SPDX-License-Identifier: BSD-2-Clause
#include "capture/rowtab.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

/* Cold parts are read a batch at a time where a batch holds more than a few live rows. */
#define BATCH		1024
#define BATCH_WORTH	32

struct rct_rowtab {
	struct rct_row *row;
	size_t mapped;
	u32 rows;
	int cold_fd;
	int grace_outer, grace_inner;	/* an array of one map; see rct_rowtab_grace() */
	struct rct_cold *batch;		/* BATCH of them */
	u32 *keys;
	u64 retired_packets, retired_bytes;
};

static u32 state_of(const struct rct_row *r)
{
	return __atomic_load_n(&r->state, __ATOMIC_ACQUIRE);
}

/* ------------------------------------------------------------------ open */

static int grace_maps(struct rct_rowtab *t)
{
	LIBBPF_OPTS(bpf_map_create_opts, o);

	t->grace_inner = bpf_map_create(BPF_MAP_TYPE_ARRAY, "rct_inner", 4, 4, 1, NULL);
	if (t->grace_inner < 0)
		return -errno;
	o.inner_map_fd = t->grace_inner;
	t->grace_outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "rct_grace", 4, 4, 1, &o);
	return t->grace_outer < 0 ? -errno : 0;
}

int rct_rowtab_open(int rows_fd, int cold_fd, u32 rows, struct rct_rowtab **ret,
		    struct rct_err *err)
{
	struct rct_rowtab *t = calloc(1, sizeof(*t));
	long page = sysconf(_SC_PAGESIZE);
	int rc;

	if (!t)
		return rct_fail(err, ENOMEM, "out of memory");
	t->grace_inner = t->grace_outer = -1;
	t->rows = rows;
	t->cold_fd = cold_fd;
	t->mapped = ((size_t)rows * sizeof(*t->row) + page - 1) / page * page;
	t->batch = calloc(BATCH, sizeof(*t->batch));
	t->keys = calloc(BATCH, sizeof(*t->keys));
	t->row = mmap(NULL, t->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, rows_fd, 0);
	if (t->row == MAP_FAILED) {
		rc = rct_fail(err, errno, "cannot map the flow table of %u rows: %s", rows, strerror(errno));
		t->row = NULL;
		goto fail;
	}
	if (!t->batch || !t->keys) {
		rc = rct_fail(err, ENOMEM, "out of memory");
		goto fail;
	}
	rc = grace_maps(t);
	if (rc) {
		rct_fail(err, -rc, "cannot create a map: %s", strerror(-rc));
		goto fail;
	}
	*ret = t;
	return 0;
fail:
	rct_rowtab_free(t);
	return rc;
}

void rct_rowtab_free(struct rct_rowtab *t)
{
	if (!t)
		return;
	if (t->row)
		munmap(t->row, t->mapped);
	if (t->grace_inner >= 0)
		close(t->grace_inner);
	if (t->grace_outer >= 0)
		close(t->grace_outer);
	free(t->batch);
	free(t->keys);
	free(t);
}

/* The kernel waits for all running programs before an update of a map of maps returns. */
void rct_rowtab_grace(struct rct_rowtab *t)
{
	u32 zero = 0;

	bpf_map_update_elem(t->grace_outer, &zero, &t->grace_inner, BPF_ANY);
}

/* --------------------------------------------------------------- snapshot */

/* The cold parts of rows [first, first + n) into t->batch. False: they are to be read one by one. */
static bool read_batch(struct rct_rowtab *t, u32 first, u32 n)
{
	LIBBPF_OPTS(bpf_map_batch_opts, o);
	u32 count = n, in = first - 1, out;

	return !bpf_map_lookup_batch(t->cold_fd, first ? &in : NULL, &out, t->keys, t->batch, &count, &o) ||
	       errno == ENOENT;
}

/* cold: NULL: not read yet. */
static int add_flow(struct rct_rowtab *t, u32 i, const struct rct_cold *cold, struct rct_snapshot *s)
{
	struct rct_row row;
	struct rct_flow *f;

	if (!cold && bpf_map_lookup_elem(t->cold_fd, &i, t->batch))
		return -errno;
	row = t->row[i];
	f = rct_snapshot_add_flow(s);
	if (!f)
		return -ENOMEM;
	rct_flow_fold(&row, cold ? cold : t->batch, f);
	f->last_ns = row.tick;
	return 0;
}

int rct_rowtab_snapshot(struct rct_rowtab *t, struct rct_snapshot *s)
{
	u64 bytes = 0, flows = 0;
	int rc = 0;

	rct_rowtab_progress(t, &bytes, &flows);
	if (flows && rct_snapshot_reserve_flows(s, flows))
		return -ENOMEM;
	for (u32 first = 0; first < t->rows; first += BATCH) {
		u32 n = t->rows - first < BATCH ? t->rows - first : BATCH, live = 0;
		bool batch;

		for (u32 i = first; i < first + n; i++)
			live += state_of(&t->row[i]) == RCT_ROW_LIVE;
		if (!live)
			continue;
		batch = live >= BATCH_WORTH && read_batch(t, first, n);
		for (u32 i = first; i < first + n && !rc; i++) {
			if (state_of(&t->row[i]) == RCT_ROW_LIVE)
				rc = add_flow(t, i, batch ? &t->batch[i - first] : NULL, s);
		}
		if (rc)
			return rc;
	}
	return 0;
}

void rct_rowtab_progress(const struct rct_rowtab *t, u64 *bytes, u64 *flows)
{
	for (u32 i = 0; i < t->rows; i++) {
		const struct rct_row *r = &t->row[i];

		if (state_of(r) != RCT_ROW_LIVE)
			continue;
		*bytes += r->bytes + RCT_W_BYTES(r->word);
		(*flows)++;
	}
}

/* ---------------------------------------------------------------- recycle */

/* Rows that were marked dead, and that no program holds any more: counts kept, place free. */
static int bury(struct rct_rowtab *t)
{
	static const struct rct_cold zero;
	struct rct_cold cold;
	struct rct_flow f;

	for (u32 i = 0; i < t->rows; i++) {
		struct rct_row *r = &t->row[i];

		if (state_of(r) != RCT_ROW_DEAD)
			continue;
		if (bpf_map_lookup_elem(t->cold_fd, &i, &cold) ||
		    bpf_map_update_elem(t->cold_fd, &i, &zero, BPF_ANY))
			return -errno;
		rct_flow_fold(r, &cold, &f);
		t->retired_packets += f.packets;
		t->retired_bytes += f.bytes;
		__atomic_store_n(&r->state, RCT_ROW_TOMB, __ATOMIC_RELEASE);
	}
	return 0;
}

/* Marks live rows that yes() says yes to. Returns how many. */
static u32 mark_dead(struct rct_rowtab *t, bool (*yes)(const struct rct_row *r, u32 arg), u32 arg)
{
	u32 n = 0;

	for (u32 i = 0; i < t->rows; i++) {
		u32 live = RCT_ROW_LIVE;

		if (state_of(&t->row[i]) != RCT_ROW_LIVE || !yes(&t->row[i], arg))
			continue;
		n += __atomic_compare_exchange_n(&t->row[i].state, &live, RCT_ROW_DEAD, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	}
	return n;
}

/* Last seen before that tick; ticks wrap. */
static bool is_idle(const struct rct_row *r, u32 since)
{
	return (s32)(r->tick - since) < 0;
}

static bool is_of_slot(const struct rct_row *r, u32 slot)
{
	return r->key.slot == slot;
}

int rct_rowtab_recycle(struct rct_rowtab *t, u32 idle_ticks)
{
	u32 used = 0, newest = 0;
	bool any = false;

	for (u32 i = 0; i < t->rows; i++) {
		const struct rct_row *r = &t->row[i];

		if (state_of(r) != RCT_ROW_LIVE)
			continue;
		used++;
		if (!any || (s32)(r->tick - newest) > 0)
			newest = r->tick;
		any = true;
	}
	/* rows are half as many again as flows: this is three quarters of the flows */
	if (used < t->rows / 2 || !mark_dead(t, is_idle, newest - idle_ticks))
		return 0;
	rct_rowtab_grace(t);
	return bury(t);
}

void rct_rowtab_drop_slot(struct rct_rowtab *t, u32 slot)
{
	u64 packets = t->retired_packets, bytes = t->retired_bytes;

	if (!mark_dead(t, is_of_slot, slot))
		return;
	rct_rowtab_grace(t);
	bury(t);
	t->retired_packets = packets;
	t->retired_bytes = bytes;
}

void rct_rowtab_retired(const struct rct_rowtab *t, u64 *packets, u64 *bytes)
{
	*packets = t->retired_packets;
	*bytes = t->retired_bytes;
}
