// SPDX-License-Identifier: BSD-2-Clause
/* Receivers that are not ready, peers that never answer, requests that are refused. */
#include <stdio.h>

#include "analyse/nics.h"
#include "base/units.h"

static u64 since_boot(const struct rct_case *c, const struct rct_nic *n, enum rct_canonical x, char from[80])
{
	struct rct_num v = rct_nic_counter(c->s->facts, n, x, 0, from, 80);

	return v.have == RCT_THERE ? v.v : 0;
}

static bool known_zero(const struct rct_case *c, const struct rct_nic *n, enum rct_canonical x)
{
	struct rct_num v = rct_nic_counter(c->s->facts, n, x, 0, NULL, 0);

	return v.have == RCT_THERE && !v.v;
}

static void say_total(struct rct_case *c, struct rct_finding *f, const struct rct_nic *n,
		      enum rct_canonical x, const char *threshold)
{
	char from[80], metric[48], a[RCT_UNIT_TEXT];
	u64 v = since_boot(c, n, x, from);

	if (!v)
		return;
	RCT_SAY(metric, "%.47s", rct_vendor_name(from));
	rct_evidence(f, metric, threshold, from, "%s since boot", rct_count_text(v, a));
}

/* ---- retry.rnr_peer, retry.rnr_here */

#define RNR_LONGEST_US	655360	/* timer code 0 */
#define RNR_NCCL_US	640	/* NCCL's 12, fixed in its source */

/* NCCL sets up its queue pairs with one timer; of others it is not known from here. */
static u64 rnr_us(const struct rct_case *c)
{
	const struct rct_facts *f = c->s->facts;

	for (u32 i = 0; i < f->n_procs; i++) {
		for (u32 k = 0; k < f->procs[i].n_env; k++) {
			if (!strncmp(f->procs[i].env[k].name, "NCCL_", 5))
				return RNR_NCCL_US;
		}
	}
	return f->nccl.read ? RNR_NCCL_US : RNR_LONGEST_US;
}

/* By what they can cost: waiting longer than the interval is long; nothing that moves at full speed waits. */
static enum rct_severity rnr_severity(const struct rct_case *c, const struct rct_nic *n, u64 naks, u64 us)
{
	double span = rct_span(c), waited = span > 0 ? naks * us / 1e6 / span : naks * us / 1e6;
	double load = rct_nic_load(c, n);

	if (waited < 0.01)
		return RCT_NOTICE;
	return waited >= 1 && load < 0.5 ? RCT_CRITICAL : RCT_WARNING;
}

static void say_rnr_cost(struct rct_finding *f, u64 naks, u64 us)
{
	char a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT];

	rct_time_text(us * 1000, a);
	rct_time_text(naks * us * 1000, b);
	if (us == RNR_NCCL_US)
		rct_evidence(f, "cost", NULL, NULL, "%s each (NCCL's timer code 12): %s of waiting, over all QPs", a, b);
	else
		rct_evidence(f, "cost", NULL, NULL, "up to %s each (timer code 0): up to %s of waiting, over all QPs", a, b);
}

static void found_rnr(struct rct_case *c, const struct rct_nic *n, const struct rct_delta *d, bool here)
{
	u64 us = rnr_us(c);
	struct rct_finding *f = rct_find(c, rnr_severity(c, n, d->delta, us), RCT_CONF_MEDIUM, RCT_SCOPE_NIC);
	struct rct_delta gave_up = rct_nic_grew(c, n, RCT_C_RNR_RETRY_EXCEEDED);
	char a[RCT_UNIT_TEXT];

	rct_about_nic(n, f);
	rct_count_text(d->delta, a);
	if (here)
		RCT_SAY(f->title, "Receivers on this host were not ready %s times: senders wait. Not a fault of the network.", a);
	else
		RCT_SAY(f->title, "Peers were not ready %s times: they had no receive posted. Not a fault of the network.", a);
	rct_say_growth(c, f, d, NULL);
	say_rnr_cost(f, d->delta, us);
	rct_say_growth(c, f, &gave_up, "QPs that gave up (status 13)");
	if (!here && gave_up.have == RCT_THERE && !gave_up.delta)
		rct_evidence(f, "gave up", NULL, gave_up.from,
			     "0: typical of rnr_retry 7 (infinite); the application sees no error, it waits");
	RCT_SAY(f->refuted_by, "min_rnr_timer 12 to 14 (0.6 to 1.3 ms) at the receiver, and a rate that does not suffer");
	if (here)
		rct_next(f, "on this host: which process owns the QPs (rdma res show qp)? Is it stopped, swapped, on a busy core? Post more receives");
	else
		rct_next(f, "on the peer: rdma res show qp, then the process: post more receives, or min_rnr_timer 12 to 14; back-pressure by the application");
	f->weight = d->delta * us / 1000;
}

static void each_rnr(struct rct_case *c, enum rct_canonical x, bool here)
{
	for (u32 k = 0; c->s->before && k < c->s->facts->n_nics; k++) {
		const struct rct_nic *n = &c->s->facts->nics[k];
		struct rct_delta d = rct_nic_grew(c, n, x);

		if (rct_nic_roce(n) && rct_grown(&d))
			found_rnr(c, n, &d, here);
	}
}

void rct_rule_nic_rnr_peer(struct rct_case *c)
{
	each_rnr(c, RCT_C_RNR_NAK_RECEIVED, false);
}

void rct_rule_nic_rnr_here(struct rct_case *c)
{
	each_rnr(c, RCT_C_RNR_NAK_SENT, true);
}

/* ---- retry.timeout */

static bool timeouts_alone(const struct rct_losses *l)
{
	return rct_grown(&l->timeouts) && !rct_grown(&l->naks) && !rct_grown(&l->repeated) &&
	       !rct_grown(&l->exceeded) && l->timeouts_left;
}

static void found_timeouts(struct rct_case *c, const struct rct_nic *n, const struct rct_losses *l)
{
	/* each is a wait of 67 ms at the least, with NCCL's settings of 4.3 s */
	struct rct_finding *f = rct_find(c, rct_loss_severity(c, l->timeouts_left * 10, 0), RCT_CONF_MEDIUM,
					 RCT_SCOPE_NIC);
	char others[48];

	rct_about_nic(n, f);
	RCT_SAY(f->title, "Requests of this host are not answered in time, and no peer asks for them again.");
	rct_say_growth(c, f, &l->timeouts, rct_others_text(c, n, RCT_C_ACK_TIMEOUT, others));
	rct_say_impact(c, n, f);
	RCT_SAY(f->refuted_by, "the peer's out_of_sequence grows too: then single packets are lost, not all");
	rct_next(f, "is the peer up, is its address (GID) right, is there a route and a neighbour? ping -I %s PEER; ip neigh", n->ifname);
	rct_next(f, "on the peer: do requests arrive, do answers leave? rocetrace check");
	f->weight = l->timeouts_left;
}

/* All that was ever sent went unanswered. */
static bool never_heard(const struct rct_case *c, const struct rct_nic *n)
{
	char from[80];

	return known_zero(c, n, RCT_C_ROCE_RX_PACKETS) && since_boot(c, n, RCT_C_ROCE_TX_PACKETS, from) &&
	       since_boot(c, n, RCT_C_RETRY_EXCEEDED, from);
}

static bool silent_once(const struct rct_case *c, const struct rct_nic *n)
{
	char from[80];

	return rct_nic_roce(n) && (since_boot(c, n, RCT_C_ACK_TIMEOUT, from) ||
	       since_boot(c, n, RCT_C_RETRY_EXCEEDED, from)) &&
	       !since_boot(c, n, RCT_C_OUT_OF_SEQUENCE, from) && !since_boot(c, n, RCT_C_SEQ_NAK_RECEIVED, from);
}

static void list_silent(struct rct_case *c, struct rct_finding *f)
{
	const struct rct_facts *facts = c->s->facts;
	char name[RCT_NIC_TEXT];
	size_t used = 0;

	for (u32 k = 0; k < facts->n_nics && used < sizeof(f->object); k++) {
		if (!silent_once(c, &facts->nics[k]))
			continue;
		used += snprintf(f->object + used, sizeof(f->object) - used, "%s%s", used ? ", " : "",
				 rct_nic_text(&facts->nics[k], name));
	}
}

/* One reading: what has been counted since boot, when is not known. NICs alike are one finding. */
static void found_silent(struct rct_case *c)
{
	const struct rct_facts *facts = c->s->facts;
	struct rct_finding *f;
	bool dead = false, any = false;

	/* those have said why */
	if (rct_has(c, "link.flap") || rct_has(c, "nic.firmware"))
		return;
	for (u32 k = 0; k < facts->n_nics; k++) {
		any |= silent_once(c, &facts->nics[k]);
		dead |= silent_once(c, &facts->nics[k]) && never_heard(c, &facts->nics[k]);
	}
	if (!any)
		return;
	f = rct_find(c, dead ? RCT_CRITICAL : RCT_NOTICE, RCT_CONF_MEDIUM, RCT_SCOPE_NIC);
	list_silent(c, f);
	RCT_SAY(f->title, "%s", dead ? "Peers never answered: retries exceeded, and not one RoCE packet was ever received." :
		"ACK timeouts without a packet out of sequence: peers did not answer at all; no random loss.");
	for (u32 k = 0; k < facts->n_nics; k++) {
		if (!silent_once(c, &facts->nics[k]))
			continue;
		say_total(c, f, &facts->nics[k], RCT_C_ACK_TIMEOUT, facts->nics[k].dev);
		say_total(c, f, &facts->nics[k], RCT_C_RETRY_EXCEEDED, facts->nics[k].dev);
	}
	RCT_SAY(f->refuted_by, "a peer that was switched off at the time; when these were counted is not known");
	rct_next(f, "is the address (GID) in use right, is there a route and a neighbour? show_gids; ip route get PEER; ip neigh");
	f->weight = 1;
}

void rct_rule_nic_timeout(struct rct_case *c)
{
	if (!c->s->before) {
		found_silent(c);
		return;
	}
	for (u32 k = 0; k < c->s->facts->n_nics; k++) {
		const struct rct_nic *n = &c->s->facts->nics[k];
		struct rct_losses l;

		if (!rct_nic_roce(n) || rct_nic_sick(c, n))
			continue;
		l = rct_nic_losses(c, n);
		if (timeouts_alone(&l))
			found_timeouts(c, n, &l);
	}
}

/* ---- qp.error */

static const struct refusal {
	enum rct_canonical x;
	enum rct_severity severity;	/* of many */
	const char *title;
} refusals[] = {
	{ RCT_C_REMOTE_INVALID_REQUEST, RCT_CRITICAL,
	  "Peers refuse requests of this host as invalid: each ends a connection (status 9)." },
	{ RCT_C_REMOTE_ACCESS_ERROR, RCT_WARNING,
	  "Requests were refused for their memory key, address or rights (status 10)." },
	{ RCT_C_LOCAL_LENGTH_ERROR, RCT_NOTICE,
	  "Messages arrived that are longer than the receive posted, or their packets than the path MTU." },
};

/* A few are a program that ended with its memory; so many are something that keeps failing. */
#define MANY_REFUSED	100

static void judge_refusal(struct rct_case *c, const struct rct_nic *n, const struct refusal *r)
{
	struct rct_delta d = rct_nic_grew(c, n, r->x);
	char from[80] = "";
	u64 total = since_boot(c, n, r->x, from), count = c->s->before ? rct_grown(&d) : total;
	struct rct_finding *f;

	if (!count)
		return;
	f = rct_find(c, count >= MANY_REFUSED || c->s->before ? r->severity : RCT_NOTICE,
		     c->s->before ? RCT_CONF_HIGH : RCT_CONF_MEDIUM, RCT_SCOPE_NIC);
	rct_about_nic(n, f);
	RCT_SAY(f->title, "%s", r->title);
	if (c->s->before)
		rct_say_growth(c, f, &d, NULL);
	else
		say_total(c, f, n, r->x, "when is not known");
	RCT_SAY(f->refuted_by, "a program that ended and took its memory with it: then they stop");
	rct_next(f, "compare with the peer: active_mtu (ibv_devinfo), message sizes, memory keys; the other end's counters");
	f->weight = count;
}

/* The job complains of it: say what it is worth. */
static bool job_says_flushed(const struct rct_facts *f)
{
	for (u32 i = 0; i < f->nccl.n_errors; i++) {
		if (f->nccl.errors[i].status == 5)
			return true;
	}
	return false;
}

static void judge_flushed(struct rct_case *c, const struct rct_nic *n)
{
	struct rct_finding *f;
	char from[80];

	if (!job_says_flushed(c->s->facts) || !since_boot(c, n, RCT_C_FLUSH_ERROR, from))
		return;
	f = rct_find(c, RCT_NOTICE, RCT_CONF_HIGH, RCT_SCOPE_NIC);
	rct_about_nic(n, f);
	RCT_SAY(f->title, "Completion status 5 (flushed): queue pairs were torn down. A consequence, never a cause.");
	say_total(c, f, n, RCT_C_FLUSH_ERROR, "when is not known");
	rct_next(f, "look for what came first: other errors of the job, GPU and kernel log, the peers");
}

void rct_rule_nic_refused(struct rct_case *c)
{
	for (u32 k = 0; k < c->s->facts->n_nics; k++) {
		for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
			if (rct_nic_roce(&c->s->facts->nics[k]))
				judge_refusal(c, &c->s->facts->nics[k], &refusals[i]);
		}
		judge_flushed(c, &c->s->facts->nics[k]);
	}
}
