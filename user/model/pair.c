// SPDX-License-Identifier: BSD-2-Clause
#include "model/pair.h"

#include <errno.h>
#include <stdlib.h>

#define HITS		3		/* answers that must fit one half alone */
#define HITS_AT_END	2		/* of a connection too short for more */
#define FRESH_NS	100000000	/* an answer later than this fits nothing */
#define CHUNK		64

/*
 * What halves without a peer did, so that it counts once the peer is known: a ring for
 * all of them. Entries are numbered from 1 on.
 */
struct logged {
	struct rct_event e;
	u64 before;		/* the half's entry before this one; 0: none */
};

#define LOG		16384

/* A request of a half that has no peer yet; its PSN is looked up by answers. */
struct recent {
	u64 ns;
	struct rct_half *half;		/* NULL: several */
	u32 psn;
	u32 group;
	u8 side;
};

#define RECENT		16384

/* A connection request that waits for its reply. */
struct asked {
	struct rct_cm cm;
	u32 group, tunnel_id;
	u8 side;
};

#define ASKED		1024

/* Two addresses, and what else both directions between them share. No padding. */
struct group {
	u64 low[2], high[2];
	u32 tunnel, tunnel_id;
	u32 slot, family;
};

struct rct_pairs {
	struct rct_half **chunks;
	u32 n_halves;
	struct group *groups;
	u32 n_groups;
	u32 *half_index, half_mask;	/* by group, side, queue pair: number + 1 */
	u32 *group_index, group_mask;
	struct recent *recent;
	struct asked *asked;
	struct logged *log;
	u64 n_log;			/* number of the last entry */
	bool late;			/* a peer was found after packets that its counts lack */
};

/* ---- tables */

static u64 mix(u64 a, u64 b)
{
	u64 h = (a ^ b * 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd;

	return h ^ h >> 32;
}

struct rct_pairs *rct_pairs_new(void)
{
	struct rct_pairs *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->half_mask = p->group_mask = 255;
	p->half_index = calloc(p->half_mask + 1, sizeof(u32));
	p->group_index = calloc(p->group_mask + 1, sizeof(u32));
	p->recent = calloc(RECENT, sizeof(*p->recent));
	p->asked = calloc(ASKED, sizeof(*p->asked));
	p->log = calloc(LOG, sizeof(*p->log));
	if (p->half_index && p->group_index && p->recent && p->asked && p->log)
		return p;
	rct_pairs_free(p);
	return NULL;
}

static struct rct_half *half_at(const struct rct_pairs *p, u32 i)
{
	return &p->chunks[i / CHUNK][i % CHUNK];
}

void rct_pairs_free(struct rct_pairs *p)
{
	if (!p)
		return;
	for (u32 i = 0; i < p->n_halves; i++) {
		free(half_at(p, i)->sent);
		free(half_at(p, i)->rtt);
	}
	for (u32 i = 0; i * CHUNK < p->n_halves; i++)
		free(p->chunks[i]);
	free(p->chunks);
	free(p->groups);
	free(p->half_index);
	free(p->group_index);
	free(p->recent);
	free(p->asked);
	free(p->log);
	free(p);
}

/*
 * The group of a flow, with everything in it that its other direction shares. Of
 * what carries mirrored packets only the kind: sessions differ by direction.
 */
static struct group make_group(const struct rct_key *k, u8 *ret_side)
{
	struct group g = { .slot = k->slot, .family = k->family, .tunnel = k->tunnel };
	bool up = memcmp(k->src, k->dst, sizeof(k->src)) > 0;

	memcpy(g.low, up ? k->dst : k->src, sizeof(g.low));
	memcpy(g.high, up ? k->src : k->dst, sizeof(g.high));
	if (k->tunnel == RCT_TUN_VXLAN || k->tunnel == RCT_TUN_GENEVE)
		g.tunnel_id = k->tunnel_id;
	*ret_side = up;
	return g;
}

static bool same_group(const struct group *a, const struct group *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static u32 group_place(const struct rct_pairs *p, const struct group *g)
{
	return mix(mix(g->low[0], g->low[1]), mix(g->high[0], g->high[1] + g->tunnel_id)) & p->group_mask;
}

/* An index of twice the size, filled anew by the caller; the old one is freed. */
static int bigger(u32 **index, u32 *mask)
{
	u32 *new = calloc(*mask * 2 + 2, sizeof(u32));

	if (!new)
		return -ENOMEM;
	free(*index);
	*index = new;
	*mask = *mask * 2 + 1;
	return 0;
}

static void put(u32 *index, u32 mask, u32 at, u32 i)
{
	while (index[at])
		at = (at + 1) & mask;
	index[at] = i + 1;
}

static int new_group(struct rct_pairs *p, const struct group *g)
{
	struct group *v = p->groups;
	u32 cap = p->n_groups;

	if (!(cap & (cap - 1))) {
		v = realloc(v, (cap ? cap * 2 : 1) * sizeof(*v));
		if (!v)
			return -ENOMEM;
		p->groups = v;
	}
	if (p->n_groups * 2 > p->group_mask) {
		if (bigger(&p->group_index, &p->group_mask))
			return -ENOMEM;
		for (u32 i = 0; i < p->n_groups; i++)
			put(p->group_index, p->group_mask, group_place(p, &v[i]), i);
	}
	v[p->n_groups] = *g;
	put(p->group_index, p->group_mask, group_place(p, g), p->n_groups);
	return p->n_groups++;
}

/* Number of the group, or -ENOMEM. */
static int find_group(struct rct_pairs *p, const struct rct_key *key, u8 *ret_side)
{
	struct group g = make_group(key, ret_side);
	u32 at = group_place(p, &g);

	for (; p->group_index[at]; at = (at + 1) & p->group_mask) {
		if (same_group(&p->groups[p->group_index[at] - 1], &g))
			return p->group_index[at] - 1;
	}
	return new_group(p, &g);
}

static u32 half_place(const struct rct_pairs *p, u32 group, u8 side, u32 qp)
{
	return mix((u64)group << 1 | side, qp) & p->half_mask;
}

/* Room for one more half, in the index and in a chunk. */
static int room_for_half(struct rct_pairs *p)
{
	struct rct_half **chunks;

	if (p->n_halves * 2 > p->half_mask) {
		if (bigger(&p->half_index, &p->half_mask))
			return -ENOMEM;
		for (u32 i = 0; i < p->n_halves; i++) {
			const struct rct_half *h = half_at(p, i);

			put(p->half_index, p->half_mask, half_place(p, h->group, h->side, h->dest_qp), i);
		}
	}
	if (p->n_halves % CHUNK)
		return 0;
	chunks = realloc(p->chunks, (p->n_halves / CHUNK + 1) * sizeof(*chunks));
	if (!chunks)
		return -ENOMEM;
	p->chunks = chunks;
	chunks[p->n_halves / CHUNK] = calloc(CHUNK, sizeof(**chunks));
	return chunks[p->n_halves / CHUNK] ? 0 : -ENOMEM;
}

static struct rct_half *find_half(struct rct_pairs *p, u32 group, u8 side, u32 tunnel_id, u32 qp)
{
	u32 at = half_place(p, group, side, qp);
	struct rct_half *h;

	for (; p->half_index[at]; at = (at + 1) & p->half_mask) {
		h = half_at(p, p->half_index[at] - 1);
		if (h->group == group && h->side == side && h->dest_qp == qp && h->tunnel_id == tunnel_id)
			return h;
	}
	if (room_for_half(p))
		return NULL;
	h = half_at(p, p->n_halves);
	h->group = group;
	h->side = side;
	h->tunnel_id = tunnel_id;
	h->dest_qp = qp;
	put(p->half_index, p->half_mask, half_place(p, group, side, qp), p->n_halves);
	p->n_halves++;
	return h;
}

struct rct_half *rct_pairs_half(struct rct_pairs *p, const struct rct_key *key)
{
	u8 side;
	int group = find_group(p, key, &side);

	return group < 0 ? NULL : find_half(p, group, side, key->tunnel_id, key->dest_qp);
}

/* The other direction. Of a host that talks to itself both are one. */
static u8 other_side(const struct rct_pairs *p, u32 group, u8 side)
{
	const struct group *g = &p->groups[group];

	return memcmp(g->low, g->high, sizeof(g->low)) ? !side : side;
}

/* ---- the connection manager */

static struct asked *asked_at(const struct rct_pairs *p, u32 group, u8 side, u32 id)
{
	return &p->asked[mix((u64)group << 1 | side, id) & (ASKED - 1)];
}

static int connect(struct rct_half *x, struct rct_half *y, const struct rct_cm *req,
		   const struct rct_cm *rep)
{
	u64 id = (u64)rep->remote_id << 32 | rep->local_id;

	if (x->peer == y && x->cm_id == id && y->cm_id == id)
		return 0;	/* sent again */
	rct_half_restart(x);
	rct_half_restart(y);
	rct_half_join(x, y, RCT_PEER_CM);
	x->cm_id = y->cm_id = id;
	x->timeout = y->timeout = req->timeout;
	x->mtu_shift = y->mtu_shift = req->mtu_shift;
	return 1;
}

int rct_pairs_cm(struct rct_pairs *p, const struct rct_key *key, const struct rct_cm *cm,
		 struct rct_half *ret[2])
{
	struct asked *a;
	int group;
	u8 side;

	if (cm->kind == RCT_CM_OTHER)
		return 0;
	group = find_group(p, key, &side);
	if (group < 0)
		return group;
	if (cm->kind == RCT_CM_REQ) {
		*asked_at(p, group, side, cm->local_id) =
			(struct asked){ .cm = *cm, .group = group, .side = side, .tunnel_id = key->tunnel_id };
		return 0;
	}
	a = asked_at(p, group, other_side(p, group, side), cm->remote_id);
	if (a->cm.kind != RCT_CM_REQ || a->group != (u32)group || a->cm.local_id != cm->remote_id ||
	    a->side != other_side(p, group, side))
		return 0;
	/* what goes to a queue pair comes from the one that told its number */
	ret[0] = find_half(p, group, a->side, a->tunnel_id, cm->qpn);
	ret[1] = find_half(p, group, side, key->tunnel_id, a->cm.qpn);
	if (!ret[0] || !ret[1])
		return -ENOMEM;
	return ret[0] == ret[1] ? 0 : connect(ret[0], ret[1], &a->cm, cm);
}

/* ---- halves without a peer: a log, and evidence */

static struct recent *recent_at(const struct rct_pairs *p, u32 group, u8 side, u32 psn)
{
	return &p->recent[mix((u64)group << 1 | side, psn) & (RECENT - 1)];
}

/* A request of a half without a peer. */
static void remember(struct rct_pairs *p, struct rct_half *h, const struct rct_event *e)
{
	struct recent *r = recent_at(p, h->group, h->side, e->psn);
	bool same = r->ns && r->group == h->group && r->side == h->side && r->psn == e->psn &&
		    e->ns - r->ns < FRESH_NS;

	/* siblings at the same PSN: nobody can tell whose the answer is */
	if (same && r->half != h && !(r->half && r->half->peer))
		h = NULL;
	*r = (struct recent){ .ns = e->ns, .half = h, .psn = e->psn,
			      .group = h ? h->group : r->group, .side = h ? h->side : r->side };
}

static void log_event(struct rct_pairs *p, struct rct_half *h, const struct rct_event *e)
{
	struct logged *l = &p->log[++p->n_log % LOG];

	l->e = *e;
	l->before = h->log_last;
	h->log_last = p->n_log;
	if (!h->log_first)
		h->log_first = p->n_log;
	h->n_logged++;
}

static bool log_whole(const struct rct_pairs *p, const struct rct_half *h)
{
	return !h->log_first || p->n_log - h->log_first < LOG;
}

/* Both logs in the order of the trace. */
static int replay_in_order(struct rct_pairs *p, struct rct_half *a, struct rct_half *b)
{
	u32 n = a->n_logged + b->n_logged, i = n;
	u64 at_a = a->log_last, at_b = b->log_last, *order = malloc((n ? n : 1) * sizeof(*order));
	int rc = 0;

	if (!order)
		return -ENOMEM;
	while (i > 0) {
		u64 *at = at_a > at_b ? &at_a : &at_b;

		/* the lowest bit says whose it is */
		order[--i] = *at << 1 | (at == &at_b);
		*at = p->log[*at % LOG].before;
	}
	for (; i < n && !rc; i++)
		rc = rct_half_step(order[i] & 1 ? b : a, &p->log[(order[i] >> 1) % LOG].e);
	free(order);
	return rc;
}

/* Peers by what their answers say; what they did before counts, too. */
static int found(struct rct_pairs *p, struct rct_half *a, struct rct_half *b)
{
	rct_half_join(a, b, RCT_PEER_PSN);
	rct_half_forget(a);
	rct_half_forget(b);
	if (log_whole(p, a) && log_whole(p, b))
		return replay_in_order(p, a, b);
	p->late = true;
	return 0;
}

/* Does b, by the answers that it gave, belong to another half than a? */
static bool disagrees(const struct rct_half *a, const struct rct_half *b)
{
	return b->candidate && b->candidate != a && !b->candidate->peer && b->hits >= HITS_AT_END;
}

static bool fits(const struct rct_half *h, const struct rct_half *x)
{
	return x && x != h && !x->peer && !x->ambiguous;
}

/* An answer of a half without a peer: whose request was it? */
static int consider(struct rct_pairs *p, struct rct_half *h, const struct rct_event *e)
{
	u8 side = other_side(p, h->group, h->side);
	const struct recent *r = recent_at(p, h->group, side, e->psn);

	/* a READ response in the middle has no request of its PSN, a NAK's was perhaps never seen */
	if ((e->flags & RCT_OP_RSP && !(e->flags & RCT_OP_START)) || !rct_half_positive(e))
		return 0;
	if (!fits(h, r->half) || r->group != h->group || r->side != side || r->psn != e->psn ||
	    e->ns - r->ns >= FRESH_NS)
		return 0;
	if (h->candidate != r->half)
		h->hits = 0;
	h->candidate = r->half;
	h->hits++;
	return h->hits < HITS || disagrees(h, r->half) ? 0 : found(p, h, r->half);
}

static int step_alone(struct rct_pairs *p, struct rct_half *h, const struct rct_event *e)
{
	int rc;

	log_event(p, h, e);
	if (e->seen == RCT_SEEN_OTHER)
		return consider(p, h, e);
	/* also those that don't ask: an answer may carry the PSN of any */
	rc = rct_half_step(h, e);
	if (e->seen != RCT_SEEN_AGAIN)
		remember(p, h, e);
	return rc;
}

int rct_pairs_packet(struct rct_pairs *p, struct rct_half *h, const struct rct_pkt *pkt, u64 ns,
		     enum rct_seen seen, u32 n)
{
	struct rct_event e = {
		.ns = ns, .psn = pkt->psn, .n = n, .seen = seen, .op = pkt->op, .flags = pkt->flags,
		.syndrome = pkt->syndrome, .cut = pkt->cut, .ack_req = pkt->ack_req,
	};

	/* answers are READ responses, ACK, atomic ACK */
	if (seen == RCT_SEEN_OTHER && (pkt->op < 0x0d || pkt->op > 0x12))
		return 0;
	return h->peer || h->ambiguous ? rct_half_step(h, &e) : step_alone(p, h, &e);
}

int rct_pairs_settle(struct rct_pairs *p)
{
	int rc = 0;

	for (u32 i = 0; i < p->n_halves && !rc; i++) {
		struct rct_half *h = half_at(p, i);

		if (h->peer || h->ambiguous || !fits(h, h->candidate) || h->hits < HITS_AT_END ||
		    disagrees(h, h->candidate))
			continue;
		rc = found(p, h, h->candidate);
	}
	return rc ? rc : p->late;
}

/* ---- results */

void rct_pairs_rewind(struct rct_pairs *p)
{
	p->late = false;
	memset(p->asked, 0, ASKED * sizeof(*p->asked));
	for (u32 i = 0; i < p->n_halves; i++) {
		struct rct_half *h = half_at(p, i), old = *h;
		bool keep = old.by == RCT_PEER_PSN;

		free(old.rtt);
		*h = (struct rct_half){
			.dest_qp = old.dest_qp, .flow = old.flow, .cold = old.cold, .group = old.group,
			.tunnel_id = old.tunnel_id, .side = old.side, .sent = old.sent,
			.sent_cap = old.sent_cap, .ambiguous = !keep,
			.peer = keep ? old.peer : NULL, .by = keep ? old.by : RCT_PEER_NONE,
		};
	}
}
