// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Packets that several CPUs make at once, for tests/bpf/twocpu.c: the frame is
 * parsed as always, then numbers from one shared counter are put into the packet,
 * and it goes the way of all packets. So it is known what they must add up to, in
 * whatever order the CPUs come.
 */
#include "maps.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

u64 rct_drawn;			/* the shared counter */
u64 rct_held;
u32 rct_qp;			/* of the one flow */
const volatile u32 rct_shift;	/* 1 << this draws in a row go to one of the many flows */

/* Of eight draws in a row. Not static in the function: libbpf 1.1 gives that no place. */
const volatile u8 rct_ops[8] = { 0x06, 0x07, 0x07, 0x08, 0x11, 0x04, 0x05, 0x13 };

RCT_INLINE int draw(struct xdp_md *ctx, struct rct_pkt *p, u64 *ret_n)
{
	struct rct_frame f = {
		.data = (void *)(long)ctx->data, .end = (void *)(long)ctx->data_end,
		.wire_len = ctx->data_end - ctx->data, .vlan = RCT_NOVLAN, .slot = 1, .dir = RCT_RX,
	};

	if (rct_open_parse(&f, p, false) != RCT_OK)
		return -1;
	*ret_n = __sync_fetch_and_add(&rct_drawn, 1);
	/* one in sixteen is held up, so that the other CPU overtakes it */
	if (!(*ret_n * 2654435761u >> 20 & 15)) {
		for (int i = 0; i < 8; i++)
			rct_held = bpf_ktime_get_ns();
	}
	return 0;
}

/* One flow, one kind of packet. */
SEC("xdp")
int rct_one_flow(struct xdp_md *ctx)
{
	struct rct_pkt p;
	u64 n;

	if (draw(ctx, &p, &n))
		return XDP_ABORTED;
	p.psn = n & 0xffffff;
	p.key.dest_qp = rct_qp;
	rct_packet(&p);
	return XDP_PASS;
}

/*
 * One flow, all that makes a packet leave the short way: messages in four parts,
 * an ACK for each, ECN that changes, a source port that moves, a length of its own.
 */
SEC("xdp")
int rct_mixed_flow(struct xdp_md *ctx)
{
	struct rct_pkt p;
	u64 n;

	if (draw(ctx, &p, &n))
		return XDP_ABORTED;
	p.opcode = rct_ops[n & 7];
	p.payload += p.ext;
	p.info = rct_opcodes[p.opcode];
	p.payload -= p.ext;
	p.dma_len = p.payload;
	/* the ACK in each eight takes no PSN of its own */
	p.psn = ((n >> 3) * 7 + (n & 7) - ((n & 7) > 4)) & 0xffffff;
	p.syndrome = (n >> 3) & 15 ? 0x1f : 0x60;
	p.ecn = n & 63 ? RCT_ECT0 : n & 64 ? RCT_CE : RCT_NOT_ECT;
	p.attr = (p.attr & ~0xffffULL) | (n >> 10 & 0xffff);
	p.wire_len += n & 255 ? 0 : 6;		/* Ethernet padding */
	p.key.dest_qp = rct_qp;
	rct_packet(&p);
	return XDP_PASS;
}

/* Many flows, each made by whichever CPU comes first. */
SEC("xdp")
int rct_many_flows(struct xdp_md *ctx)
{
	struct rct_pkt p;
	u64 n;

	if (draw(ctx, &p, &n))
		return XDP_ABORTED;
	p.psn = n & ((1 << rct_shift) - 1);
	p.key.dest_qp = n >> rct_shift & 0xffffff;
	rct_packet(&p);
	return XDP_PASS;
}
