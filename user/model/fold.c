// SPDX-License-Identifier: BSD-2-Clause
/* From the rows that packets write to the counts that people read. */
#include "model/snapshot.h"

/* A row that packets go into is copied in parts, and these need not fit: then 0, not 2^64 less a few. */
static u64 less(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

static void fold_word(const struct rct_row *row, struct rct_flow *f)
{
	u64 w = row->word;
	u32 n = RCT_W_PACKETS(w), size = RCT_W_SIZE(w);

	f->ops[RCT_W_OP(w)] += n;
	f->bytes = row->bytes + RCT_W_BYTES(w);
	if (size)
		f->sizes[size - 1] += n;
}

/* What is derived: packets, messages, ACKs, payload, the usual ECN value. */
static void fold_sums(const struct rct_row *row, const struct rct_cold *cold, struct rct_flow *f)
{
	u64 rest = 0, outside = cold->extra, refused = f->rnr_naks + f->reserved_aeth + cold->aeth_cut;

	for (u32 i = 0; i < RCT_OPS; i++) {
		const union rct_opcode *o = &rct_opcodes[(row->transport & 7) << 5 | i];
		bool own = i != RCT_OPN_OTHER && i != RCT_OPN_CNP;

		f->packets += f->ops[i];
		outside += f->ops[i] * (row->overhead + (own ? o->ext : 0));
		if (own && o->flags & RCT_OP_MSG)
			f->messages += f->ops[i];
		if (own && o->flags & RCT_OP_AETH)
			f->acks += f->ops[i];
	}
	f->payload = f->bytes - outside;
	f->cnp = f->ops[RCT_OPN_CNP];
	for (int i = 0; i < 5; i++)
		refused += f->naks[i];
	f->acks = less(f->acks, refused);
	f->ecn[RCT_CE] += row->ce;
	for (int i = 0; i < 4; i++)
		rest += f->ecn[i];
	f->ecn[row->usual_ecn & 3] += less(f->packets, rest);
}

void rct_flow_fold(const struct rct_row *row, const struct rct_cold *c, struct rct_flow *f)
{
	u64 tick;

	memset(f, 0, sizeof(*f));
	f->key = row->key;
	f->transport = row->transport;
	memcpy(f->ops, c->ops, sizeof(f->ops));
	for (u32 i = 0; i < RCT_SIZES; i++)
		f->sizes[i] = c->sizes[i];
	memcpy(f->ecn, c->ecn, sizeof(f->ecn));
	memcpy(f->naks, c->naks, sizeof(f->naks));
	f->rnr_naks = c->rnr_naks;
	f->reserved_aeth = c->reserved_aeth;
	f->rnr_timer = c->rnr_timer;
	f->cut = c->cut;
	f->icrc_checked = c->icrc_checked;
	f->icrc_bad = c->icrc_bad;
	f->attr = row->attr;
	f->sport_changes = c->sport_changes;
	f->vlan_changes = c->vlan_changes;
	f->pkey_changes = c->pkey_changes;
	f->dscp_changes = c->dscp_changes;
	f->ttl_changes = c->ttl_changes;
	f->gaps = c->gaps;
	f->missing = c->missing;
	f->late = c->late;
	f->repeated = c->repeated;
	f->given_up = c->given_up;
	f->resync = c->resync;
	f->reanchored = c->reanchored;
	f->cross_cpu = c->cross_cpu;
	f->rsp_gaps = c->rsp_gaps;
	f->rsp_missing = c->rsp_missing;
	f->rsp_repeated = c->rsp_repeated;
	f->steps_back = c->steps_back;
	f->path_mtu = row->mtu_shift ? 1u << row->mtu_shift : 0;
	f->first_ns = row->first_ns;
	/* what needs the other direction: only pair.c knows it */
	f->unseen = RCT_UNKNOWN;
	for (int i = 0; i < RCT_RETRY_CAUSES; i++)
		f->retries[i] = f->stall_ns[i] = RCT_UNKNOWN;
	fold_word(row, f);
	fold_sums(row, c, f);
	tick = less(f->bytes, row->tick_bytes);
	f->burst = tick > row->burst ? tick : row->burst;
}
