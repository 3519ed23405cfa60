// SPDX-License-Identifier: BSD-2-Clause
#include "model/flowtab.h"

#include <errno.h>
#include <stdlib.h>

#define MTUS	5	/* 256 << i */

/* Rows are cache line aligned, as in the kernel. */
struct entry {
	struct rct_row row;
	struct rct_cold cold;
	u64 last_ns;
	/* for the path MTU of a flow that READs */
	u32 votes[MTUS];
	u32 read_psn, read_len;		/* the last request, if it was a READ; len 0: none */
	u32 largest;			/* FIRST or MIDDLE payload */
	bool guessed;			/* a READ came before the path MTU was known */
	bool done;			/* second pass: counts of the first one stand */
} __attribute__((aligned(64)));

#define CHUNK	256

struct rct_flowtab {
	struct entry **chunks;
	u32 n;
	u32 *index;		/* entry number + 1 */
	u32 mask;
	struct entry *last;
};

/* A fixed seed: a capture's report must not depend on the run. */
static const u64 seed[6] = {
	0x9ddfea08eb382d69, 0xc2b2ae3d27d4eb4f, 0x9e3779b97f4a7c15, 0xff51afd7ed558ccd,
	0xc4ceb9fe1a85ec53, 0x94d049bb133111eb,
};

#define TICK_NS	(RCT_FLOWTAB_TICK_US * 1000)

struct rct_flowtab *rct_flowtab_new(void)
{
	struct rct_flowtab *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->mask = 1023;
	t->index = calloc(t->mask + 1, sizeof(*t->index));
	if (!t->index) {
		free(t);
		return NULL;
	}
	return t;
}

void rct_flowtab_free(struct rct_flowtab *t)
{
	if (!t)
		return;
	for (u32 i = 0; i * CHUNK < t->n; i++)
		free(t->chunks[i]);
	free(t->chunks);
	free(t->index);
	free(t);
}

static struct entry *entry_at(const struct rct_flowtab *t, u32 i)
{
	return &t->chunks[i / CHUNK][i % CHUNK];
}

static u32 place(const struct rct_flowtab *t, const struct rct_key *key)
{
	return rct_hash(key, seed) >> 32 & t->mask;
}

static int grow_index(struct rct_flowtab *t)
{
	u32 *old = t->index, mask = t->mask * 2 + 1;
	u32 *new = calloc((size_t)mask + 1, sizeof(*new));

	if (!new)
		return -ENOMEM;
	t->index = new;
	t->mask = mask;
	for (u32 i = 0; i < t->n; i++) {
		u32 at = place(t, &entry_at(t, i)->row.key);

		while (new[at])
			at = (at + 1) & mask;
		new[at] = i + 1;
	}
	free(old);
	return 0;
}

static struct entry *new_entry(struct rct_flowtab *t)
{
	struct entry **chunks;

	if (t->n % CHUNK == 0) {
		chunks = realloc(t->chunks, (t->n / CHUNK + 1) * sizeof(*chunks));
		if (!chunks)
			return NULL;
		t->chunks = chunks;
		chunks[t->n / CHUNK] = aligned_alloc(64, CHUNK * sizeof(struct entry));
		if (!chunks[t->n / CHUNK])
			return NULL;
	}
	return memset(entry_at(t, t->n++), 0, sizeof(struct entry));
}

static struct entry *find(struct rct_flowtab *t, const struct rct_key *key)
{
	u32 at = place(t, key);
	struct entry *e;

	for (; t->index[at]; at = (at + 1) & t->mask) {
		e = entry_at(t, t->index[at] - 1);
		if (rct_key_equal(&e->row.key, key))
			return e;
	}
	if (t->n * 2 > t->mask) {
		if (grow_index(t))
			return NULL;
		for (at = place(t, key); t->index[at]; at = (at + 1) & t->mask)
			;
	}
	e = new_entry(t);
	if (!e)
		return NULL;
	e->row.key = *key;
	t->index[at] = t->n;
	return e;
}

/* Which path MTUs explain the step from a READ request to the next request. */
static void vote(struct entry *e, const struct rct_pkt *p)
{
	if (!(p->flags & RCT_OP_REQ))
		return;
	if (e->read_len) {
		for (u32 i = 0; i < MTUS; i++) {
			u32 at = e->read_psn + rct_read_psns(e->read_len, 8 + i);

			e->votes[i] += (at & RCT_W_PSN) == p->psn;
		}
	}
	e->read_len = 0;
	if (p->op == 0x0c && !p->cut && p->dma_len > 256) {
		e->read_psn = p->psn;
		e->read_len = p->dma_len;
		e->guessed |= !e->row.mtu_shift;
	}
	if ((p->op == 0 || p->op == 1 || p->op == 6 || p->op == 7) && p->payload > e->largest)
		e->largest = p->payload;
}

int rct_flowtab_packet(struct rct_flowtab *t, struct rct_pkt *pkt, u64 ns)
{
	struct rct_now now = { .tick = ns / TICK_NS };
	struct entry *e = t->last;
	u32 need, kind;
	u64 flushed;

	if (!e || !rct_key_equal(&e->row.key, &pkt->key)) {
		e = find(t, &pkt->key);
		if (!e)
			return -ENOMEM;
		t->last = e;
	}
	if (e->done)
		return 0;
	if (e->row.state == RCT_ROW_FREE) {
		u8 shift = e->row.mtu_shift;

		rct_row_init(&e->row, pkt, &now, ns);
		e->row.mtu_shift = shift;
		e->row.state = RCT_ROW_LIVE;
	}
	e->last_ns = ns;
	need = rct_row_step(&e->row, pkt, &now, &kind, &flushed);
	vote(e, pkt);
	return need ? rct_cold_step(&e->row, &e->cold, pkt, &now, need, kind, flushed) : 0;
}

void rct_flowtab_icrc(struct rct_flowtab *t, bool good)
{
	if (!t->last || t->last->done)
		return;
	t->last->cold.icrc_checked++;
	t->last->cold.icrc_bad += !good;
}

static u8 best_mtu(const struct entry *e)
{
	u32 best = 0, i;

	if (rct_mtu_shift(e->largest))
		return rct_mtu_shift(e->largest);
	/* of equals the larger: it explains the READs that one packet answers */
	for (i = 0; i < MTUS; i++) {
		if (e->votes[i] >= e->votes[best])
			best = i;
	}
	return e->votes[best] ? 8 + best : 0;
}

/* For the second pass. What only the first one looks at stays. */
static void reset(struct entry *e, u8 mtu_shift)
{
	u64 checked = e->cold.icrc_checked, bad = e->cold.icrc_bad;

	memset(&e->cold, 0, sizeof(e->cold));
	e->cold.icrc_checked = checked;
	e->cold.icrc_bad = bad;
	e->row.state = RCT_ROW_FREE;
	e->row.mtu_shift = mtu_shift;
}

bool rct_flowtab_rewind(struct rct_flowtab *t)
{
	bool again = false;

	for (u32 i = 0; i < t->n; i++) {
		struct entry *e = entry_at(t, i);
		u8 mtu = best_mtu(e);

		e->done = !e->guessed || !mtu;
		if (e->done)
			continue;
		again = true;
		reset(e, mtu);
	}
	return again;
}

int rct_flowtab_snapshot(const struct rct_flowtab *t, struct rct_snapshot *s)
{
	for (u32 i = 0; i < t->n; i++) {
		const struct entry *e = entry_at(t, i);
		struct rct_flow *f = rct_snapshot_add_flow(s);

		if (!f)
			return -ENOMEM;
		rct_flow_fold(&e->row, &e->cold, f);
		f->last_ns = e->last_ns;
	}
	return 0;
}
