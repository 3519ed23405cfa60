// SPDX-License-Identifier: BSD-2-Clause
#include "model/half.h"

#include <errno.h>
#include <stdlib.h>

#define CONFLICTS	3		/* answers to what was never sent */
#define SENT_FIRST	16
#define SENT_MOST	4096		/* requests that wait at once; past them the oldest is dropped */
#define TICK_NS		4000000		/* a timer may fire this much early */
#define TIMEOUT_NS	4096		/* shifted by the exponent */

/* ---- peers */

void rct_half_restart(struct rct_half *h)
{
	h->n_sent = 0;
	h->started = h->answered = false;
	h->wait_ns = 0;
	h->pending = 0;
	h->run = false;
	h->stalled = false;
}

static void part(struct rct_half *h)
{
	if (!h->peer)
		return;
	h->peer->peer = NULL;
	h->peer->by = RCT_PEER_NONE;
	h->peer = NULL;
	h->by = RCT_PEER_NONE;
}

void rct_half_join(struct rct_half *a, struct rct_half *b, enum rct_peer_by by)
{
	if (a->peer != b) {
		part(a);
		part(b);
	}
	a->peer = b;
	b->peer = a;
	a->by = b->by = by;
	a->conflicts = b->conflicts = 0;
}

/* Without what a peer that was none seemed to tell. */
static void unlearn(struct rct_half *h)
{
	rct_half_restart(h);
	free(h->rtt);
	h->rtt = NULL;
	h->unseen = 0;
}

/* An answer to what the peer never sent. A few are the tap's losses, many a wrong peer. */
static void doubt(struct rct_half *h)
{
	struct rct_half *x = h->peer;

	h->conflicts++;
	if (h->by != RCT_PEER_PSN || h->conflicts < CONFLICTS || h->conflicts * 16 < h->hits)
		return;
	part(h);
	h->ambiguous = x->ambiguous = true;
	unlearn(h);
	unlearn(x);
}

/* ---- requests that wait for an answer */

static struct rct_sent *sent_at(const struct rct_half *h, u32 i)
{
	return &h->sent[(h->sent_at + i) & (h->sent_cap - 1)];
}

static int sent_grow(struct rct_half *h)
{
	u32 cap = h->sent_cap ? h->sent_cap * 2 : SENT_FIRST;
	struct rct_sent *v;

	if (cap > SENT_MOST) {
		h->sent_at++;
		h->n_sent--;
		return 0;
	}
	v = malloc(cap * sizeof(*v));
	if (!v)
		return -ENOMEM;
	for (u32 i = 0; i < h->n_sent; i++)
		v[i] = *sent_at(h, i);
	free(h->sent);
	h->sent = v;
	h->sent_cap = cap;
	h->sent_at = 0;
	return 0;
}

/* Kept in the order of PSNs; only a late one isn't the last. */
static int sent_put(struct rct_half *h, u32 psn, u64 ns)
{
	u32 i;

	if (h->n_sent == h->sent_cap && sent_grow(h))
		return -ENOMEM;
	for (i = h->n_sent; i > 0 && rct_psn_diff(sent_at(h, i - 1)->psn, psn) > 0; i--)
		*sent_at(h, i) = *sent_at(h, i - 1);
	*sent_at(h, i) = (struct rct_sent){ .psn = psn, .ns = ns };
	h->n_sent++;
	return 0;
}

/* From psn on everything is sent again: an answer may then be to either. */
static void sent_drop(struct rct_half *h, u32 psn)
{
	while (h->n_sent && rct_psn_diff(sent_at(h, h->n_sent - 1)->psn, psn) >= 0)
		h->n_sent--;
}

static int sample(struct rct_half *h, u64 sent_ns, u64 ns)
{
	if (ns < sent_ns)
		return 0;	/* the file's clock went back */
	if (!h->rtt) {
		h->rtt = calloc(1, sizeof(*h->rtt));
		if (!h->rtt)
			return -ENOMEM;
	}
	rct_hist_add(h->rtt, ns - sent_ns);
	return 0;
}

/* Everything up to psn is answered. */
static int sent_answered(struct rct_half *h, u32 psn, u64 ns)
{
	int rc = 0;

	while (h->n_sent && rct_psn_diff(sent_at(h, 0)->psn, psn) <= 0 && !rc) {
		if (sent_at(h, 0)->psn == psn && h->peer)
			h->peer->hits++;
		rc = sample(h, sent_at(h, 0)->ns, ns);
		h->sent_at++;
		h->n_sent--;
	}
	return rc;
}

/* ---- retries */

static u64 since(u64 ns, u64 from)
{
	return ns > from ? ns - from : 0;
}

static bool timed_out(const struct rct_half *h, u64 from, u64 ns)
{
	u64 timeout = (u64)TIMEOUT_NS << h->timeout;

	if (h->timeout) {
		timeout -= timeout / 4 < TICK_NS ? timeout / 4 : TICK_NS;
		return since(ns, from) >= timeout;
	}
	/* inferred: nothing came for four of the longest round trips so far */
	return h->rtt && since(ns, h->answer_ns > from ? h->answer_ns : from) >= 4 * h->rtt->max;
}

/* The requester went back to psn: why, and since when does it stand? */
static void retry(struct rct_half *h, u32 psn, u64 ns)
{
	u64 from = h->wait_ns ? h->wait_ns : h->progress_ns;
	u8 cause = h->pending ? h->pending - 1 : timed_out(h, from, ns) ? RCT_RETRY_TIMEOUT :
		   RCT_RETRY_UNKNOWN;

	h->retries[cause]++;
	h->inferred |= cause == RCT_RETRY_TIMEOUT && !h->timeout;
	h->run_holed = h->pending && rct_psn_diff(psn, h->pending_psn) > 0;
	h->run_hole = h->pending_psn;
	h->pending = 0;		/* one NAK explains one step back: what is lost again is not told again */
	h->stall_cause = cause;
	if (!h->stalled)
		h->stall_from = from;
	h->stalled = true;
}

static void end_stall(struct rct_half *h, u64 ns)
{
	u64 *most = &h->stall_ns[h->stall_cause];

	if (h->stalled && since(ns, h->stall_from) > *most)
		*most = since(ns, h->stall_from);
	h->stalled = false;
}

/* ---- requests */

/* A FIRST or MIDDLE that does not ask for an answer gets none of its own. */
static bool asks(const struct rct_event *e)
{
	return e->ack_req || (e->op > 1 && e->op != 6 && e->op != 7);
}

static int ask(struct rct_half *h, const struct rct_event *e)
{
	return h->peer && asks(e) ? sent_put(h, e->psn, e->ns) : 0;
}

static void first_request(struct rct_half *h, u32 psn)
{
	rct_half_restart(h);
	h->started = true;
	h->next = h->judged = h->excused = psn;
}

static int new_request(struct rct_half *h, const struct rct_event *e)
{
	s32 d = rct_psn_diff(e->psn, h->next);

	if (!h->started || d > RCT_PSN_WINDOW || d < -RCT_PSN_WINDOW)
		first_request(h, e->psn);
	h->next = (e->psn + (e->n ? e->n : 1)) & RCT_W_PSN;
	h->unsure = !e->n;
	h->run = false;
	h->progress_ns = e->ns;
	if (!h->peer)
		end_stall(h, e->ns);
	if (!h->wait_ns || !h->peer)
		h->wait_ns = e->ns;
	return ask(h, e);
}

/* Behind the run's end, but in what it left out: the network changed the order of the run. */
static bool fills_run(const struct rct_half *h, const struct rct_event *e)
{
	return h->run_holed && !h->pending && rct_psn_diff(e->psn, h->run_hole) >= 0 &&
	       !timed_out(h, h->stall_from, e->ns);
}

/* A retransmission run goes on, or one begins. */
static void go_back(struct rct_half *h, const struct rct_event *e)
{
	s32 d = rct_psn_diff(e->psn, h->run_next);

	if (h->run && d < 0 && fills_run(h, e))
		return;
	if (!h->run || d < 0) {
		retry(h, e->psn, e->ns);
	} else if (d > 0 && !h->run_holed) {
		h->run_holed = true;
		h->run_hole = h->run_next;
	}
	h->run_next = (e->psn + (e->n ? e->n : 1)) & RCT_W_PSN;
	h->run = rct_psn_diff(h->run_next, h->next) < 0;
}

static int late_request(struct rct_half *h, const struct rct_event *e)
{
	/* behind a NAK it is recovery; otherwise the network changed the order */
	if (h->run || h->pending)
		go_back(h, e);
	/* answered before the tap showed it: not lost by the tap after all */
	if (h->answered && rct_psn_diff(e->psn, h->acked) <= 0 &&
	    rct_psn_diff(e->psn, h->excused) >= 0)
		h->unseen -= e->n < h->unseen ? e->n : h->unseen;
	return ask(h, e);
}

static int request(struct rct_half *h, const struct rct_event *e)
{
	h->request_ns = e->ns;
	if (e->seen == RCT_SEEN_NEW)
		return new_request(h, e);
	if (!h->started)
		return 0;	/* a new connection, and a straggler of the one before */
	if (e->seen == RCT_SEEN_LATE)
		return late_request(h, e);
	sent_drop(h, e->psn);
	go_back(h, e);
	h->judged = h->excused = h->next;
	return 0;
}

/* ---- answers */

/* Holes that the peer acknowledged up to psn, and nobody repaired: the tap lost them. */
static void judge(struct rct_half *h, u32 psn)
{
	u32 end = (psn + 1) & RCT_W_PSN;

	if (rct_psn_diff(end, h->judged) <= 0)
		return;
	for (u32 i = 0; h->cold && h->cold->missing != h->cold->given_up && i < RCT_HOLES; i++) {
		const struct rct_hole *hole = &h->cold->holes[i];
		u32 from = hole->start, to = hole->start + hole->n;

		if (rct_psn_diff(from, h->judged) < 0)
			from = h->judged;
		if (rct_psn_diff(to, end) > 0)
			to = end;
		if (hole->n && rct_psn_diff(to, from) > 0)
			h->unseen += rct_psn_diff(to, from);
	}
	h->judged = end;
}

/* Of x's requests everything up to psn is answered. */
static int answered(struct rct_half *x, u32 psn, u64 ns)
{
	bool all = rct_psn_diff(psn, x->next - 1) >= 0;
	bool moved = !x->answered || rct_psn_diff(psn, x->acked) > 0;

	judge(x, psn);
	x->answer_ns = ns;
	if (moved) {
		x->answered = true;
		x->acked = psn;
		x->pending = 0;
		x->progress_ns = ns;
		x->wait_ns = all ? 0 : ns;
	}
	if (moved || all)
		end_stall(x, ns);
	return sent_answered(x, psn, ns);
}

/* What a packet says of the peer's requests: the highest PSN that it answers. */
struct verdict {
	u32 psn;
	u8 pending;		/* as in struct rct_half */
	bool positive, negative;
};

static struct verdict verdict_of(const struct rct_event *e)
{
	struct verdict v = { .psn = e->psn };

	if (!(e->flags & RCT_OP_AETH)) {
		v.positive = true;
		return v;
	}
	if (e->cut)
		return v;
	switch (e->syndrome >> 5) {
	case 0:
		v.positive = true;
		return v;
	case 1:
		v.pending = RCT_RETRY_RNR + 1;
		break;
	case 3:
		v.pending = (e->syndrome & 0x1f) == 0 ? RCT_RETRY_NAK + 1 : 0;
		break;
	default:
		return v;	/* reserved */
	}
	v.negative = true;
	v.psn = (e->psn - 1) & RCT_W_PSN;	/* the one it complains of is not done */
	return v;
}

bool rct_half_positive(const struct rct_event *e)
{
	return verdict_of(e).positive;
}

/* The peer's requests are refused: it will go back. */
static void refused(struct rct_half *x, const struct rct_event *e, u8 pending)
{
	x->judged = x->excused = x->next;
	/* the first of several is the reason of the others */
	if (x->pending)
		return;
	x->pending = pending;
	x->pending_psn = e->psn;
}

static int answer(struct rct_half *h, const struct rct_event *e)
{
	struct verdict v = verdict_of(e);
	struct rct_half *x = h->peer;
	s32 ahead;
	int rc;

	if (!x || !x->started || (!v.positive && !v.negative))
		return 0;
	ahead = rct_psn_diff(v.psn, x->next);
	if (ahead > RCT_PSN_WINDOW || ahead < -RCT_PSN_WINDOW)
		return 0;
	if (ahead >= 0 && x->unsure)
		v.psn = (x->next - 1) & RCT_W_PSN;
	else if (ahead >= 0) {
		doubt(h);
		return 0;
	}
	rc = answered(x, v.psn, e->ns);
	if (v.negative)
		refused(x, e, v.pending);
	return rc;
}

int rct_half_step(struct rct_half *h, const struct rct_event *e)
{
	return e->seen == RCT_SEEN_OTHER ? answer(h, e) : request(h, e);
}

/* ---- results */

void rct_half_forget(struct rct_half *h)
{
	unlearn(h);
	h->inferred = false;
	memset(h->retries, 0, sizeof(h->retries));
	memset(h->stall_ns, 0, sizeof(h->stall_ns));
}

void rct_half_fold(const struct rct_half *h, struct rct_flow *f)
{
	u64 stood = since(h->request_ns, h->stall_from);

	memcpy(f->retries, h->retries, sizeof(f->retries));
	memcpy(f->stall_ns, h->stall_ns, sizeof(f->stall_ns));
	/* one that the trace's end cut off lasted at least until the last try */
	if (h->stalled && stood > f->stall_ns[h->stall_cause])
		f->stall_ns[h->stall_cause] = stood;
	f->timeout_inferred = h->inferred;
	if (h->rtt)
		f->rtt = rct_hist_quantiles(h->rtt);
	if (!h->peer)
		return;
	f->peer_qp = h->peer->dest_qp;
	f->peer_by = h->by;
	f->unseen = h->unseen;
}
