// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/paths.h"

#include <errno.h>
#include <stdlib.h>

#include "model/names.h"

#define CM_QP	1	/* the connection manager's */

/* Order: by pair of hosts and direction, then by queue pair. */
static int compare_pair(const struct rct_key *a, const struct rct_key *b)
{
	int d;

	if (a->slot != b->slot)
		return a->slot < b->slot ? -1 : 1;
	if (a->tunnel != b->tunnel)
		return a->tunnel < b->tunnel ? -1 : 1;
	if (a->tunnel_id != b->tunnel_id)
		return a->tunnel_id < b->tunnel_id ? -1 : 1;
	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	d = memcmp(a->src, b->src, sizeof(a->src));
	if (!d)
		d = memcmp(a->dst, b->dst, sizeof(a->dst));
	return d ? d : (int)a->dir - (int)b->dir;
}

static int compare_flow(const void *x, const void *y)
{
	const struct rct_flow *a = *(const struct rct_flow *const *)x;
	const struct rct_flow *b = *(const struct rct_flow *const *)y;
	int d = compare_pair(&a->key, &b->key);

	if (d)
		return d;
	return a->key.dest_qp < b->key.dest_qp ? -1 : a->key.dest_qp > b->key.dest_qp;
}

static int compare_path(const void *key, const void *path)
{
	return compare_pair(key, &((const struct rct_path *)path)->key);
}

static u64 count_ops(const struct rct_flow *f, u32 flag)
{
	u64 n = 0;

	if (f->transport > 7)
		return 0;
	for (u32 op = 0; op < RCT_OPN_OTHER; op++) {
		if (rct_opcodes[f->transport << 5 | op].flags & flag)
			n += f->ops[op];
	}
	return n;
}

u64 rct_flow_trouble(const struct rct_flow *f)
{
	u64 n = f->missing + f->late + f->repeated + f->rsp_missing + f->rsp_repeated + f->rnr_naks;

	for (int i = 0; i < 5; i++)
		n += f->naks[i];
	return n;
}

u64 rct_path_trouble(const struct rct_path *p)
{
	return p->repeated + p->late + p->rsp_repeated;
}

static void add_retries(struct rct_path *p, const struct rct_flow *f)
{
	if (f->retries[RCT_RETRY_NAK] == RCT_UNKNOWN) {
		p->causes = false;
		return;
	}
	p->inferred |= f->timeout_inferred;
	for (int i = 0; i < RCT_RETRY_CAUSES; i++) {
		p->retries[i] += f->retries[i];
		if (f->stall_ns[i] != RCT_UNKNOWN && f->stall_ns[i] > p->stall_ns[i])
			p->stall_ns[i] = f->stall_ns[i];
	}
}

static void add_trackers(struct rct_path *p, const struct rct_flow *f, u64 requests)
{
	if (f->ops[0x0c] && f->ops[0x0c] == requests)
		p->reread += f->repeated;
	else
		p->repeated += f->repeated;
	p->gaps += f->gaps;
	p->missing += f->missing;
	if (f->transport == RCT_UC)
		p->uc_missing += f->missing;
	p->late += f->late;
	p->steps_back += f->steps_back;
	p->cross_cpu += f->cross_cpu;
	p->rsp_gaps += f->rsp_gaps;
	p->rsp_missing += f->rsp_missing;
	p->rsp_repeated += f->rsp_repeated;
	if (f->unseen != RCT_UNKNOWN)
		p->unseen += f->unseen;
	if (requests)
		add_retries(p, f);
}

static void add_signals(struct rct_path *p, const struct rct_flow *f)
{
	for (int i = 0; i < 5; i++)
		p->naks[i] += f->naks[i];
	if (f->rnr_naks && rct_rnr_us(f->rnr_timer) > p->rnr_us)
		p->rnr_us = rct_rnr_us(f->rnr_timer);
	p->rnr_naks += f->rnr_naks;
	p->acks += f->acks;
	p->cnp += f->cnp;
	if (f->ecn[RCT_NOT_ECT] == f->packets && f->transport != RCT_UD)
		p->unmarkable_trouble += f->repeated + f->late + f->rsp_repeated;
	for (int i = 0; i < 4; i++)
		p->ecn[i] += f->ecn[i];
	p->icrc_checked += f->icrc_checked;
	p->icrc_bad += f->icrc_bad;
}

static void add_flow(struct rct_path *p, const struct rct_flow *f)
{
	u64 requests = count_ops(f, RCT_OP_REQ), responses = count_ops(f, RCT_OP_RSP);

	p->n_flows++;
	p->packets += f->packets;
	p->bytes += f->bytes;
	p->requests += requests;
	p->responses += responses;
	if (f->key.dest_qp > CM_QP && (requests || responses))
		p->data_flows++;
	if (f->path_mtu && (!p->least_mtu || f->path_mtu < p->least_mtu))
		p->least_mtu = f->path_mtu;
	if (f->dscp_changes)
		p->dscp_moved = true;
	add_trackers(p, f, requests);
	add_signals(p, f);
}

/* Different source ports of the data flows; seen: a bit for each port, all 0, before and after. */
static u32 count_sports(const struct rct_path *p, u64 *seen)
{
	u32 n = 0;

	for (u32 i = 0; i < p->n_flows; i++) {
		const struct rct_flow *f = p->flows[i];
		u16 port = RCT_ATTR_SPORT(f->attr);

		if (f->key.dest_qp <= CM_QP || !(count_ops(f, RCT_OP_REQ | RCT_OP_RSP)))
			continue;
		if (f->sport_changes) {
			n = 0;
			break;
		}
		n += !(seen[port / 64] >> port % 64 & 1);
		seen[port / 64] |= 1ULL << port % 64;
	}
	for (u32 i = 0; i < p->n_flows; i++)
		seen[RCT_ATTR_SPORT(p->flows[i]->attr) / 64] = 0;
	return n;
}

static void finish_path(struct rct_path *p, u64 *seen)
{
	const struct rct_flow *big = p->flows[0];

	for (u32 i = 1; i < p->n_flows; i++) {
		if (p->flows[i]->bytes > big->bytes)
			big = p->flows[i];
	}
	p->dscp = RCT_ATTR_DSCP(big->attr);
	p->sports = count_sports(p, seen);
}

static void find_back(const struct rct_paths *ps, struct rct_path *p)
{
	static const u8 other[] = { [RCT_RX] = RCT_TX, [RCT_TX] = RCT_RX, [RCT_NODIR] = RCT_NODIR };
	struct rct_key k = p->key;

	memcpy(k.src, p->key.dst, sizeof(k.src));
	memcpy(k.dst, p->key.src, sizeof(k.dst));
	k.dir = other[p->key.dir];
	p->back = bsearch(&k, ps->v, ps->n, sizeof(*ps->v), compare_path);
	p->seen = p->key.dir == RCT_TX ? RCT_SENT_HERE :
		  p->key.dir == RCT_RX ? RCT_RECEIVED_HERE : RCT_ON_THE_WAY;
	if (p->back || p->key.dir == RCT_NODIR)
		return;
	/* a mirror port receives both directions */
	k.dir = p->key.dir;
	p->back = bsearch(&k, ps->v, ps->n, sizeof(*ps->v), compare_path);
	if (p->back)
		p->seen = RCT_ON_THE_WAY;
}

static void fill(struct rct_paths *ps, size_t n_flows, u64 *seen)
{
	struct rct_path *p = NULL;

	for (size_t i = 0; i < n_flows; i++) {
		const struct rct_flow *f = ps->flows[i];

		if (!p || compare_pair(&p->key, &f->key)) {
			if (p)
				finish_path(p, seen);
			p = &ps->v[ps->n++];
			p->key = f->key;
			p->key.dest_qp = 0;
			p->flows = &ps->flows[i];
			p->causes = true;
		}
		add_flow(p, f);
	}
	if (p)
		finish_path(p, seen);
	for (size_t i = 0; i < ps->n; i++)
		find_back(ps, &ps->v[i]);
}

int rct_paths_make(const struct rct_snapshot *s, struct rct_paths *ret)
{
	u64 *seen = calloc(65536 / 64, sizeof(*seen));

	memset(ret, 0, sizeof(*ret));
	ret->flows = malloc((s->n_flows + 1) * sizeof(*ret->flows));
	ret->v = calloc(s->n_flows + 1, sizeof(*ret->v));
	if (!seen || !ret->flows || !ret->v) {
		free(seen);
		rct_paths_free(ret);
		return -ENOMEM;
	}
	for (size_t i = 0; i < s->n_flows; i++)
		ret->flows[i] = &s->flows[i];
	qsort(ret->flows, s->n_flows, sizeof(*ret->flows), compare_flow);
	fill(ret, s->n_flows, seen);
	free(seen);
	return 0;
}

void rct_paths_free(struct rct_paths *p)
{
	free(p->flows);
	free(p->v);
	memset(p, 0, sizeof(*p));
}
