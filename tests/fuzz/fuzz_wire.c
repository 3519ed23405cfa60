// SPDX-License-Identifier: BSD-2-Clause
/*
 * bpf/wire.h on foreign bytes. Input: what the hook says (1 byte: bits 0-1 what the
 * data starts with, bit 2 a tag outside the frame), bytes that the capture cut
 * (1 byte), the frame.
 */
#include <stdlib.h>

#include "lib/hosttab.h"
#include "fuzz/fuzz.h"

#define HEAD	2

static void check_packet(const struct rct_frame *f, const struct rct_pkt *p)
{
	u32 len = f->end - f->data;

	must(p->psn <= 0xffffff && p->key.dest_qp <= 0xffffff);
	must(p->op < RCT_OPS && p->transport < 8 && p->pad < 4 && p->ecn < 4);
	must(p->bth + 12u <= len && p->bth <= RCT_DEPTH);
	must(p->wire_len == f->wire_len);
	must(p->key.slot == f->slot && p->key.dir == f->dir);
	must(p->key.tunnel <= RCT_TUN_IPIP);
	must(p->flags ? p->op != RCT_OPN_OTHER : p->op == RCT_OPN_OTHER && !p->ext);
	must(!(p->flags & RCT_OP_RETH) || p->cut || p->dma_len == rct_be32(f->data + p->bth + 12 +
		(p->transport == RCT_XRC ? 4 : 0) + 12));
	/* as far as the frame is there, payload is part of it */
	must(rct_pkt_end(p) > len || p->payload < len);
}

/* One packet's row adds up to the packet. */
static void check_flow(struct rct_pkt *p)
{
	u32 payload = p->payload, wire_len = p->wire_len, ecn = p->ecn;
	struct rct_now now = { .tick = 7 };
	struct rct_hosttab t;
	struct rct_hostflow *h;
	struct rct_flow f;

	rct_hosttab_init(&t);
	rct_hosttab_packet(&t, p, &now);
	h = rct_hosttab_find(&t, &p->key);
	must(h);
	rct_flow_fold(&h->row, &h->cold, &f);
	must(f.packets == 1 && f.bytes == wire_len && f.payload == payload && f.ecn[ecn] == 1);
	must(!f.gaps && !f.missing && !f.repeated);
	rct_hosttab_free(&t);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const u16 types[] = { 0, 0x0800, 0x86dd, 0x8915 };
	struct rct_frame f = { .slot = 3, .dir = RCT_NODIR };
	struct rct_pause pause = { 0 };
	struct rct_pkt p;
	u8 *copy;
	int verdict;

	if (size < HEAD)
		return 0;
	copy = fuzz_copy(data + HEAD, size - HEAD);
	f.data = copy;
	f.end = copy + (size - HEAD);
	f.ethertype = types[data[0] & 3];
	f.vlan = data[0] & 4 ? 0x0123 : RCT_NOVLAN;
	f.wire_len = size - HEAD + data[1];
	memset(&p, 0xa5, sizeof(p));
	verdict = rct_parse(&f, &p);
	must(verdict >= RCT_OK && verdict <= RCT_DEEP);
	if (verdict == RCT_PAUSE) {
		verdict = rct_parse_pause(&f, &pause);
		must(verdict == RCT_PAUSE || verdict == RCT_OTHER);
	} else if (verdict == RCT_OK) {
		check_packet(&f, &p);
		check_flow(&p);
	}
	free(copy);
	return 0;
}
