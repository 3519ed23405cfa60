// SPDX-License-Identifier: BSD-2-Clause
#include "lib/hosttab.h"

#include <stdlib.h>
#include <string.h>

static u64 hash(const struct rct_key *k)
{
	const u64 *w = (const u64 *)k;
	u64 h = 0;

	for (int i = 0; i < 6; i++)
		h = (h ^ w[i] ^ w[i] >> 29) * 0x9e3779b97f4a7c15;
	return h >> 20;
}

void rct_hosttab_init(struct rct_hosttab *t)
{
	t->n = 0;
	t->size = 256;
	t->flows = calloc(t->size, sizeof(*t->flows));
	if (!t->flows)
		abort();
}

void rct_hosttab_free(struct rct_hosttab *t)
{
	for (size_t i = 0; i < t->size; i++)
		free(t->flows[i]);
	free(t->flows);
	t->flows = NULL;
	t->size = t->n = 0;
}

static struct rct_hostflow **place(const struct rct_hosttab *t, const struct rct_key *key)
{
	size_t at = hash(key) & (t->size - 1);

	while (t->flows[at] && memcmp(&t->flows[at]->row.key, key, sizeof(*key)))
		at = (at + 1) & (t->size - 1);
	return &t->flows[at];
}

static void grow(struct rct_hosttab *t)
{
	struct rct_hosttab old = *t;

	t->size *= 2;
	t->flows = calloc(t->size, sizeof(*t->flows));
	if (!t->flows)
		abort();
	for (size_t i = 0; i < old.size; i++) {
		if (old.flows[i])
			*place(t, &old.flows[i]->row.key) = old.flows[i];
	}
	free(old.flows);
}

struct rct_hostflow *rct_hosttab_find(const struct rct_hosttab *t, const struct rct_key *key)
{
	return *place(t, key);
}

static struct rct_hostflow *insert(struct rct_hosttab *t, const struct rct_pkt *p, const struct rct_now *now)
{
	struct rct_hostflow *f = aligned_alloc(64, (sizeof(*f) + 63) / 64 * 64);

	if (!f)
		abort();
	if (t->n * 2 >= t->size)
		grow(t);
	memset(f, 0, sizeof(*f));
	f->row.key = p->key;
	rct_row_init(&f->row, p, now, 0);
	f->row.state = RCT_ROW_LIVE;
	*place(t, &p->key) = f;
	t->n++;
	return f;
}

u32 rct_hosttab_packet(struct rct_hosttab *t, struct rct_pkt *p, const struct rct_now *now)
{
	struct rct_hostflow *f = *place(t, &p->key);
	u32 need, kind = 0;
	u64 flushed = 0;

	if (!f)
		f = insert(t, p, now);
	need = rct_row_step(&f->row, p, now, &kind, &flushed);
	return need ? rct_cold_step(&f->row, &f->cold, p, now, need, kind, flushed) : 0;
}

/* A field of a row or of a cold part: where, and how long. */
#define ROW(m)	{ #m, offsetof(struct rct_hostflow, row.m), sizeof(((struct rct_row *)0)->m) }
#define COLD(m)	{ #m, offsetof(struct rct_hostflow, cold.m), sizeof(((struct rct_cold *)0)->m) }

/* Not here: state, tick, tick_bytes, burst, first_ns; the lock, and the holes' CPUs. */
static const struct {
	const char *name;
	size_t at, len;
} fields[] = {
	ROW(key), ROW(word), ROW(overhead), ROW(usual_ecn), ROW(transport), ROW(attr), ROW(rsp),
	ROW(bytes), ROW(ce), ROW(mtu_shift),
	COLD(rnr_timer), COLD(ops), COLD(ecn), COLD(extra), COLD(naks), COLD(rnr_naks),
	COLD(reserved_aeth), COLD(cut), COLD(aeth_cut), COLD(icrc_bad), COLD(icrc_checked), COLD(sizes),
	COLD(sport_changes), COLD(vlan_changes), COLD(pkey_changes), COLD(dscp_changes), COLD(ttl_changes),
	COLD(gaps), COLD(late), COLD(repeated), COLD(resync), COLD(reanchored), COLD(cross_cpu),
	COLD(missing), COLD(given_up), COLD(rsp_gaps), COLD(rsp_repeated), COLD(rsp_missing),
	COLD(steps_back), COLD(back_open), COLD(back_next), COLD(read_psn), COLD(read_len), COLD(mtu_not),
	COLD(send_psn), COLD(send_mtu),
};

const char *rct_flow_differs(const struct rct_hostflow *a, const struct rct_hostflow *b)
{
	const char *x = (const char *)a, *y = (const char *)b;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (memcmp(x + fields[i].at, y + fields[i].at, fields[i].len))
			return fields[i].name;
	}
	for (int i = 0; i < RCT_HOLES; i++) {
		if (a->cold.holes[i].start != b->cold.holes[i].start ||
		    a->cold.holes[i].n != b->cold.holes[i].n)
			return "holes";
	}
	return NULL;
}
