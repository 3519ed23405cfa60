// SPDX-License-Identifier: BSD-2-Clause
#include "capture/retry.h"

#include <errno.h>
#include <stdlib.h>

#define NAKS		4096		/* remembered; a newer one takes an older one's place */
#define NAK_NS		2000000000ULL	/* a step back later than this is not its work; RNR timers go to 0.66 s */

/*
 * Silence that stands for a timeout where the QP's own is unknown: the usual
 * shortest setting (4.096 us * 2^14 = 67 ms), less a tick or two. A capture, which
 * has round trips to compare with, can tell more.
 */
#define TIMEOUT_US	60000

/* Records of two CPUs can be this much out of order; a NAK later than that is not the cause. */
#define CPU_ORDER_NS	1000000

struct nak {
	struct rct_key key;
	u64 ns;			/* 0: none */
	u32 psn;
	u8 syndrome;
};

struct count {
	struct rct_key key;
	bool used;
	u64 retries[RCT_RETRY_CAUSES], stall_ns[RCT_RETRY_CAUSES];
};

struct rct_retry_log {
	struct rct_rec *recs;
	size_t n_recs, cap_recs;
	struct nak naks[NAKS];
	struct count *counts;	/* open addressing */
	u32 mask, n_counts;
};

static const u64 seed[6] = {
	0x9ddfea08eb382d69, 0xc2b2ae3d27d4eb4f, 0x9e3779b97f4a7c15,
	0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53, 0x94d049bb133111eb,
};

struct rct_retry_log *rct_retry_log_new(void)
{
	struct rct_retry_log *log = calloc(1, sizeof(*log));

	if (!log)
		return NULL;
	log->mask = 255;
	log->counts = calloc(log->mask + 1, sizeof(*log->counts));
	if (log->counts)
		return log;
	free(log);
	return NULL;
}

void rct_retry_log_free(struct rct_retry_log *log)
{
	if (!log)
		return;
	free(log->recs);
	free(log->counts);
	free(log);
}

int rct_retry_log_add(struct rct_retry_log *log, const struct rct_rec *rec)
{
	size_t cap = log->cap_recs ? log->cap_recs * 2 : 256;
	struct rct_rec *recs;

	if (log->n_recs == log->cap_recs) {
		recs = realloc(log->recs, cap * sizeof(*recs));
		if (!recs)
			return -ENOMEM;
		log->recs = recs;
		log->cap_recs = cap;
	}
	log->recs[log->n_recs++] = *rec;
	return 0;
}

/* ------------------------------------------------------------------ NAKs */

/* The addresses as the requester's packets have them; queue pair and direction don't count. */
static struct rct_key hosts_of(const struct rct_key *key, bool reverse)
{
	struct rct_key k = *key;

	if (reverse) {
		memcpy(k.src, key->dst, sizeof(k.src));
		memcpy(k.dst, key->src, sizeof(k.dst));
	}
	k.dest_qp = 0;
	k.dir = 0;
	return k;
}

static struct nak *nak_at(struct rct_retry_log *log, const struct rct_key *hosts, u32 psn)
{
	return &log->naks[(rct_hash(hosts, seed) >> 32 ^ psn * 0x9e3779b1u) % NAKS];
}

static void remember(struct rct_retry_log *log, const struct rct_rec *rec)
{
	struct rct_key hosts = hosts_of(&rec->key, true);
	struct nak *n = nak_at(log, &hosts, rec->psn);

	/* other NAKs end the connection: nothing is sent again */
	if (rec->arg != 0x60 && rec->arg >> 5 != 1)
		return;
	n->key = hosts;
	n->ns = rec->ns;
	n->psn = rec->psn;
	n->syndrome = rec->arg;
}

static const struct nak *find_nak(struct rct_retry_log *log, const struct rct_rec *rec)
{
	struct rct_key hosts = hosts_of(&rec->key, false);
	struct nak *n = nak_at(log, &hosts, rec->psn);

	if (!n->ns || n->psn != rec->psn || !rct_key_equal(&n->key, &hosts) ||
	    n->ns > rec->ns + CPU_ORDER_NS || (rec->ns > n->ns && rec->ns - n->ns > NAK_NS))
		return NULL;
	return n;
}

/* ---------------------------------------------------------------- counts */

static struct count *count_at(const struct rct_retry_log *log, const struct rct_key *key)
{
	u32 at = rct_hash(key, seed) >> 32;

	for (;; at++) {
		struct count *c = &log->counts[at & log->mask];

		if (!c->used || rct_key_equal(&c->key, key))
			return c;
	}
}

static int grow(struct rct_retry_log *log)
{
	struct count *old = log->counts;
	u32 n = log->mask + 1;

	log->counts = calloc((size_t)n * 2, sizeof(*old));
	if (!log->counts) {
		log->counts = old;
		return -ENOMEM;
	}
	log->mask = n * 2 - 1;
	for (u32 i = 0; i < n; i++) {
		if (old[i].used)
			*count_at(log, &old[i].key) = old[i];
	}
	free(old);
	return 0;
}

static enum rct_retry_cause cause_of(const struct nak *n, u64 stall_ns)
{
	if (n)
		return n->syndrome >> 5 == 1 ? RCT_RETRY_RNR : RCT_RETRY_NAK;
	return stall_ns >= TIMEOUT_US * 1000 ? RCT_RETRY_TIMEOUT : RCT_RETRY_UNKNOWN;
}

static int step_back(struct rct_retry_log *log, const struct rct_rec *rec, u32 tick_us)
{
	const struct nak *n = find_nak(log, rec);
	u64 stall = (u64)rec->arg * tick_us * 1000;
	enum rct_retry_cause cause = cause_of(n, stall);
	struct count *c;

	/* late without a NAK is reordering, not a retry */
	if (rec->type == RCT_REC_FILL && !n)
		return 0;
	if (log->n_counts * 2 > log->mask && grow(log))
		return -ENOMEM;
	c = count_at(log, &rec->key);
	if (!c->used) {
		c->used = true;
		c->key = rec->key;
		log->n_counts++;
	}
	c->retries[cause]++;
	if (stall > c->stall_ns[cause])
		c->stall_ns[cause] = stall;
	return 0;
}

int rct_retry_log_join(struct rct_retry_log *log, u32 tick_us)
{
	int rc = 0;

	for (size_t i = 0; i < log->n_recs; i++) {
		if (log->recs[i].type == RCT_REC_NAK)
			remember(log, &log->recs[i]);
	}
	for (size_t i = 0; i < log->n_recs && !rc; i++) {
		if (log->recs[i].type != RCT_REC_NAK)
			rc = step_back(log, &log->recs[i], tick_us);
	}
	log->n_recs = 0;
	return rc;
}

void rct_retry_log_fold(const struct rct_retry_log *log, struct rct_flow *f)
{
	const struct count *c = count_at(log, &f->key);

	if (f->transport != RCT_RC && f->transport != RCT_XRC)
		return;
	memset(f->retries, 0, sizeof(f->retries));
	memset(f->stall_ns, 0, sizeof(f->stall_ns));
	if (!c->used)
		return;
	memcpy(f->retries, c->retries, sizeof(f->retries));
	memcpy(f->stall_ns, c->stall_ns, sizeof(f->stall_ns));
	f->timeout_inferred = c->retries[RCT_RETRY_TIMEOUT] > 0;
}
