// SPDX-License-Identifier: BSD-2-Clause
/*
 * bpf/flow.h on any sequence of packets of one flow. Input: the path MTU's log2 - 8
 * (1 byte, above 4: unknown), then records of RECORD bytes, a packet each.
 */
#include "fuzz/fuzz.h"
#include "lib/hosttab.h"

#define RECORD	8
#define PACKETS	400

/* What the packets are known to add up to. */
struct truth {
	u64 packets, bytes, payload, messages, ecn[4];
};

/*
 * 0 opcode, or of one transport only (bit 5 of the last byte)
 * 1-2 PSN: signed step from the one before; bit 7 of the last byte: times 256
 * 3-4 payload; bit 6 of the last byte: a long frame
 * 5 message length: 1 << (low 5 bits), + 1 by bit 5; bit 6 header cut; bit 7 tag
 * 6 syndrome
 * 7 ECN (bits 0-1), pad (2-3), Ethernet padding (4)
 */
static u32 make_packet(struct rct_pkt *p, const u8 *r, u32 psn)
{
	s32 step = (int16_t)(r[1] | r[2] << 8);

	memset(p, 0, sizeof(*p));
	p->opcode = r[7] & 0x20 ? r[0] % 0x1e : r[0];
	p->info = rct_opcodes[p->opcode];
	if (!p->flags) {
		p->op = RCT_OPN_OTHER;
		p->transport = p->opcode >> 5;
	}
	p->psn = (psn + step * (r[7] & 0x80 ? 256 : 1)) & 0xffffff;
	p->payload = (r[3] | r[4] << 8) >> 3;
	if (r[7] & 0x40)
		p->payload += 16000;
	p->pad = r[7] >> 2 & 3;
	p->ecn = r[7] & 3;
	p->dma_len = p->flags & RCT_OP_RETH ? (1u << (r[5] & 31)) + (r[5] >> 5 & 1) : p->payload;
	p->cut = r[5] & 0x40 && p->flags & (RCT_OP_RETH | RCT_OP_AETH);
	p->syndrome = p->flags & RCT_OP_AETH && !p->cut ? r[6] : 0;
	p->attr = RCT_ATTR(50000, r[5] & 0x80 ? 5 : RCT_NOVLAN, 0xffff, 26, 64);
	p->wire_len = 14 + 20 + 8 + 12 + p->ext + p->payload + p->pad + 4 + (r[5] & 0x80 ? 4 : 0) +
		      (r[7] & 0x10 ? 9 : 0);
	return p->psn;
}

static void add_truth(struct truth *t, const struct rct_pkt *p, u32 transport)
{
	t->packets++;
	t->bytes += p->wire_len;
	t->payload += p->payload;
	t->ecn[p->ecn]++;
	t->messages += p->flags & RCT_OP_MSG && p->transport == transport;
}

static void check_holes(const struct rct_cold *c)
{
	u64 n = 0;

	for (int i = 0; i < RCT_HOLES; i++) {
		must(c->holes[i].n <= RCT_PSN_WINDOW && c->holes[i].start <= 0xffffff);
		n += c->holes[i].n;
		for (int k = 0; k < i && !c->reanchored; k++)
			must(!c->holes[i].n || !c->holes[k].n ||
			     ((c->holes[i].start - c->holes[k].start) & RCT_W_PSN) >= c->holes[k].n);
	}
	must(n + c->given_up <= c->missing || (c->resync && n <= c->missing));
	must(c->missing < 1ull << 40 && c->given_up <= c->missing);
	if (!c->resync)
		must(n + c->given_up == c->missing);
}

static void check(const struct rct_row *r, const struct rct_cold *c, const struct truth *t)
{
	struct rct_flow f;
	u64 sizes = 0, naks = 0;

	must(!(r->word & RCT_W_BUSY));
	check_holes(c);
	rct_flow_fold(r, c, &f);
	must(f.packets == t->packets && f.bytes == t->bytes && f.payload == t->payload);
	must(f.messages == t->messages);
	for (int i = 0; i < 4; i++)
		must(f.ecn[i] == t->ecn[i]);
	for (int i = 0; i < RCT_SIZES; i++)
		sizes += f.sizes[i];
	for (int i = 0; i < 5; i++)
		naks += f.naks[i];
	must(sizes <= f.messages);
	must(f.acks + naks + f.rnr_naks + f.reserved_aeth + c->aeth_cut == f.ops[0x11]);
	must(f.steps_back <= f.repeated && f.cross_cpu <= f.late);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct rct_now now = { 0 };
	struct rct_row row = { .state = RCT_ROW_LIVE };
	struct rct_cold cold = { 0 };
	struct truth t = { 0 };
	u32 psn = 0xffff80, need, kind;
	struct rct_pkt p;
	u64 flushed;
	u8 mtu;

	if (!size)
		return 0;
	mtu = data[0];
	for (size_t at = 1; at + RECORD <= size && t.packets < PACKETS; at += RECORD) {
		psn = make_packet(&p, data + at, psn);
		now.tick = data[at + 6] >> 6;
		now.cpu = data[at + 6] >> 5 & 1;
		if (!t.packets) {
			rct_row_init(&row, &p, &now, 1);
			row.mtu_shift = mtu < 5 ? 8 + mtu : 0;
		}
		need = rct_row_step(&row, &p, &now, &kind, &flushed);
		add_truth(&t, &p, row.transport);
		if (need)
			rct_cold_step(&row, &cold, &p, &now, need, kind, flushed);
		check(&row, &cold, &t);
	}
	return 0;
}
