// SPDX-License-Identifier: BSD-2-Clause
#include "model/flowtab.h"

#include <errno.h>
#include <stdlib.h>

#include "model/pair.h"

#define MTUS	5	/* 256 << i */
#define OP_READ	0x0c

/* Rows are cache line aligned, as in the kernel. */
struct entry {
	struct rct_row row;
	struct rct_cold cold;
	u64 last_ns;
	/* for the path MTU of a flow that READs */
	u32 votes[MTUS];
	u32 read_psn, read_len;		/* the last request, if it was a READ; len 0: none */
	u32 number;
	u32 largest;			/* FIRST or MIDDLE payload */
	bool guessed;			/* a READ came before the path MTU was known */
	struct rct_half *half;		/* of a connected transport */
} __attribute__((aligned(64)));

#define CHUNK	256

struct rct_flowtab {
	struct entry **chunks;
	u32 n;
	u32 *index;		/* entry number + 1 */
	u32 mask;
	struct entry *last;
	struct rct_pairs *pairs;
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
	t->pairs = rct_pairs_new();
	if (t->index && t->pairs)
		return t;
	rct_flowtab_free(t);
	return NULL;
}

void rct_flowtab_free(struct rct_flowtab *t)
{
	if (!t)
		return;
	for (u32 i = 0; i * CHUNK < t->n; i++)
		free(t->chunks[i]);
	free(t->chunks);
	free(t->index);
	rct_pairs_free(t->pairs);
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
	struct entry **chunks, *e;

	if (t->n % CHUNK == 0) {
		chunks = realloc(t->chunks, (t->n / CHUNK + 1) * sizeof(*chunks));
		if (!chunks)
			return NULL;
		t->chunks = chunks;
		chunks[t->n / CHUNK] = aligned_alloc(64, CHUNK * sizeof(struct entry));
		if (!chunks[t->n / CHUNK])
			return NULL;
	}
	e = memset(entry_at(t, t->n), 0, sizeof(*e));
	e->number = t->n++;
	return e;
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
	if (p->op == OP_READ && !p->cut && p->dma_len > 256) {
		e->read_psn = p->psn;
		e->read_len = p->dma_len;
		e->guessed |= !e->row.mtu_shift;
	}
}

/* The path MTU, where one packet tells it: a FIRST or MIDDLE carries exactly that. */
static void look_at_size(struct entry *e, const struct rct_pkt *p)
{
	bool whole = p->flags & (RCT_OP_REQ | RCT_OP_RSP) &&
		     (p->op <= 1 || p->op == 6 || p->op == 7 || p->op == 0x0d || p->op == 0x0e);

	if (whole && p->payload > e->largest && rct_mtu_shift(p->payload))
		e->largest = p->payload;
}

/* The other direction's entry, or NULL. */
static const struct entry *peer_of(const struct rct_flowtab *t, const struct entry *e)
{
	const struct rct_half *peer = e->half ? e->half->peer : NULL;

	return peer && peer->flow ? entry_at(t, peer->flow - 1) : NULL;
}

/* What the connection manager said, else the largest packet of either direction, else the votes. */
static u8 best_mtu(const struct rct_flowtab *t, const struct entry *e)
{
	const struct entry *peer = peer_of(t, e);
	u32 largest = e->largest, best = 0, i;

	if (e->half && e->half->mtu_shift)
		return e->half->mtu_shift;
	if (peer && peer->largest > largest)
		largest = peer->largest;
	if (largest)
		return rct_mtu_shift(largest);
	/* of equals the larger: it explains the READs that one packet answers */
	for (i = 0; i < MTUS; i++) {
		if (e->votes[i] >= e->votes[best])
			best = i;
	}
	return e->votes[best] ? 8 + best : 0;
}

/* The flow's half of its connection, from its first packet of a connected transport on. */
static int find_half(struct rct_flowtab *t, struct entry *e)
{
	e->half = rct_pairs_half(t->pairs, &e->row.key);
	if (!e->half)
		return -ENOMEM;
	e->half->flow = e->number + 1;
	e->half->cold = &e->cold;
	if (!e->row.mtu_shift)
		e->row.mtu_shift = e->half->mtu_shift;
	return 0;
}

static void start(struct entry *e, const struct rct_pkt *pkt, const struct rct_now *now, u64 ns)
{
	u8 mtu_shift = e->row.mtu_shift;	/* known from the first pass or the connection manager */

	rct_row_init(&e->row, pkt, now, ns);
	e->row.mtu_shift = mtu_shift;
	e->row.state = RCT_ROW_LIVE;
	e->last_ns = ns;
}

/* The entry of the packet's flow, ready to count it. */
static struct entry *entry_of(struct rct_flowtab *t, const struct rct_pkt *pkt,
			      const struct rct_now *now, u64 ns)
{
	bool connected = pkt->transport == RCT_RC || pkt->transport == RCT_XRC || pkt->transport == RCT_UC;
	struct entry *e = t->last;

	if (!e || !rct_key_equal(&e->row.key, &pkt->key)) {
		e = find(t, &pkt->key);
		if (!e)
			return NULL;
		t->last = e;
	}
	if (connected && !e->half && find_half(t, e))
		return NULL;
	if (e->row.state == RCT_ROW_FREE)
		start(e, pkt, now, ns);
	/* files may be given out of order */
	if (ns > e->last_ns)
		e->last_ns = ns;
	else if (ns < e->row.first_ns)
		e->row.first_ns = ns;
	return e;
}

/* The packet for the flow's half, with what the tracker made of it. before: the row's word. */
static int pair_step(struct rct_flowtab *t, struct entry *e, const struct rct_pkt *pkt, u64 ns,
		     u64 before, u32 ev)
{
	u32 next = e->row.word & RCT_W_PSN, n = rct_psns(pkt, e->row.mtu_shift);
	enum rct_seen seen = RCT_SEEN_OTHER;

	if (pkt->transport != e->row.transport || pkt->transport == RCT_UC)
		return 0;
	if (!(pkt->flags & RCT_OP_REQ))
		return rct_pairs_packet(t->pairs, e->half, pkt, ns, seen, 0);
	if (ev & RCT_EV_LATE)
		seen = RCT_SEEN_LATE;
	else if (before & RCT_W_SLOW || (before & RCT_W_PSN) != next)
		seen = RCT_SEEN_NEW;
	else
		seen = RCT_SEEN_AGAIN;
	return rct_pairs_packet(t->pairs, e->half, pkt, ns, seen, n);
}

/* Before a READ: the path MTU may be known from its answers to those before. */
static void learn_mtu(const struct rct_flowtab *t, struct entry *e)
{
	const struct entry *peer = peer_of(t, e);

	if (peer && peer->largest)
		e->row.mtu_shift = rct_mtu_shift(peer->largest);
}

int rct_flowtab_packet(struct rct_flowtab *t, struct rct_pkt *pkt, u64 ns)
{
	struct rct_now now = { .tick = ns / TICK_NS };
	struct entry *e = entry_of(t, pkt, &now, ns);
	u32 need, kind;
	u64 flushed, before;
	int ev = 0, rc;

	if (!e)
		return -ENOMEM;
	if (pkt->op == OP_READ && !e->row.mtu_shift)
		learn_mtu(t, e);
	before = e->row.word;
	need = rct_row_step(&e->row, pkt, &now, &kind, &flushed);
	if (need)
		ev = rct_cold_step(&e->row, &e->cold, pkt, &now, need, kind, flushed);
	vote(e, pkt);
	look_at_size(e, pkt);
	rc = e->half ? pair_step(t, e, pkt, ns, before, ev) : 0;
	return rc ? rc : ev;
}

/* A new connection on a queue pair that had one: its PSNs start anew. */
static void new_connection(struct entry *e)
{
	e->row.mtu_shift = e->half->mtu_shift;
	if (e->row.state != RCT_ROW_LIVE)
		return;
	e->cold.resync++;
	e->row.word |= RCT_W_SLOW;
	e->row.rsp = 0;
	rct_holes_drop(&e->cold);
	e->cold.back_open = 0;
	e->cold.read_len = 0;
	e->cold.send_mtu = 0;
	e->read_len = 0;
}

int rct_flowtab_datagram(struct rct_flowtab *t, const struct rct_pkt *pkt, const u8 *data,
			 size_t len)
{
	struct rct_cm cm = rct_cm_parse(data, len);
	struct rct_half *halves[2];
	int rc = rct_pairs_cm(t->pairs, &pkt->key, &cm, halves);

	for (int i = 0; i < 2 && rc == 1; i++) {
		if (halves[i]->flow)
			new_connection(entry_at(t, halves[i]->flow - 1));
	}
	return rc < 0 ? rc : 0;
}

void rct_flowtab_icrc(struct rct_flowtab *t, bool good)
{
	if (!t->last)
		return;
	t->last->cold.icrc_checked++;
	t->last->cold.icrc_bad += !good;
}

/* Were READs counted by another path MTU than it is, or not at all? */
static bool miscounted(const struct entry *e, u8 mtu_shift)
{
	if (!e->guessed || !mtu_shift)
		return false;
	return e->cold.reanchored || (e->row.mtu_shift && e->row.mtu_shift != mtu_shift) ||
	       e->cold.mtu_not >> (mtu_shift - 8) & 1;
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
	e->read_len = 0;
}

int rct_flowtab_rewind(struct rct_flowtab *t)
{
	int again = rct_pairs_settle(t->pairs);
	u32 i;

	for (i = 0; i < t->n && !again; i++)
		again = miscounted(entry_at(t, i), best_mtu(t, entry_at(t, i)));
	if (again <= 0)
		return again;
	for (i = 0; i < t->n; i++)
		reset(entry_at(t, i), best_mtu(t, entry_at(t, i)));
	rct_pairs_rewind(t->pairs);
	return 1;
}

static void fold(const struct rct_flowtab *t, const struct entry *e, struct rct_flow *f)
{
	u8 mtu_shift = best_mtu(t, e);

	rct_flow_fold(&e->row, &e->cold, f);
	f->last_ns = e->last_ns;
	if (!f->path_mtu && mtu_shift)
		f->path_mtu = 1u << mtu_shift;
	if (e->half && e->row.transport != RCT_UC)
		rct_half_fold(e->half, f);
}

int rct_flowtab_snapshot(const struct rct_flowtab *t, struct rct_snapshot *s)
{
	for (u32 i = 0; i < t->n; i++) {
		struct rct_flow *f = rct_snapshot_add_flow(s);

		if (!f)
			return -ENOMEM;
		fold(t, entry_at(t, i), f);
	}
	return 0;
}
