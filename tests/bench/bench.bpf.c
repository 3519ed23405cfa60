// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The packet programs as they ship, and what they are compared with. Each
 * program but the empty ones first turns the frame into the next packet of a walk
 * over all flows; the cost of doing so is measured by the *_walk programs.
 */
#include "../../bpf/packet.bpf.c"
#include "bench.h"

u64 bench_seq[BENCH_LANES];	/* packets so far */
u32 bench_shift;		/* log2 of the number of flows */
u32 bench_mix;
u64 bench_sink;

RCT_INLINE u8 bench_opcode(u32 psn)
{
	if (bench_mix == BENCH_WRITE_ONLY)
		return 0x0a;
	return (psn & 7) == 0 ? 0x06 : (psn & 7) == 7 ? 0x08 : 0x07;
}

/*
 * Every flow comes once in 1 << bench_shift packets, in an order without a
 * pattern (a multiplication by an odd number, and the table hashes the key).
 */
RCT_INLINE void bench_next(u8 *p, const u8 *end, u32 lane)
{
	u64 seq = bench_seq[lane]++;
	u32 mask = (1u << bench_shift) - 1;
	u32 flow = ((u32)seq * 0x9e3779b1u) & mask;
	u32 psn = seq >> bench_shift;

	if (p + BENCH_MIN > end)
		return;
	p += BENCH_BTH;
	p[0] = bench_opcode(psn);
	*(u32 *)(p + 4) = RCT_NTOH32(flow);
	*(u32 *)(p + 8) = RCT_NTOH32(psn & 0xffffff);
}

RCT_INLINE int bench_parse(const u8 *data, const u8 *end, struct rct_pkt *p)
{
	struct rct_frame f = {
		.data = data, .end = end, .wire_len = end - data, .vlan = RCT_NOVLAN, .dir = RCT_RX,
	};
	struct rct_cursor c;

	rct_parse_start(&f, &c, p);
	return rct_layer(&f, &c, p, true);
}

/* All that the tracker would use of a packet. */
RCT_INLINE u64 bench_digest(const struct rct_pkt *p)
{
	const u64 *k = (const u64 *)&p->key;

	return k[0] ^ k[1] ^ k[2] ^ k[3] ^ k[4] ^ k[5] ^ p->attr ^ p->psn ^ p->payload ^
	       p->dma_len ^ p->op ^ p->ext ^ p->ecn;
}

/* The usual way to count by flow. */
struct bench_counts {
	u64 packets, bytes;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RCT_ROWS(65536));
	__type(key, struct rct_key);
	__type(value, struct bench_counts);
} bench_plain SEC(".maps");

RCT_INLINE void bench_count(const u8 *data, const u8 *end)
{
	struct bench_counts *c, zero = {};
	struct rct_pkt p;

	if (bench_parse(data, end, &p))
		return;
	c = bpf_map_lookup_elem(&bench_plain, &p.key);
	if (!c) {
		bpf_map_update_elem(&bench_plain, &p.key, &zero, BPF_NOEXIST);
		c = bpf_map_lookup_elem(&bench_plain, &p.key);
		if (!c)
			return;
	}
	__sync_fetch_and_add(&c->packets, 1);
	__sync_fetch_and_add(&c->bytes, end - data);
}

#define BENCH_DATA(ctx)	((u8 *)(long)(ctx)->data)
#define BENCH_END(ctx)	((u8 *)(long)(ctx)->data_end)

SEC("xdp.frags")
int xdp_empty(struct xdp_md *ctx)
{
	return XDP_PASS;
}

SEC("xdp.frags")
int xdp_walk(struct xdp_md *ctx)
{
	bench_next(BENCH_DATA(ctx), BENCH_END(ctx), BENCH_OTHER);
	return XDP_PASS;
}

SEC("xdp.frags")
int xdp_parse(struct xdp_md *ctx)
{
	struct rct_pkt p;

	bench_next(BENCH_DATA(ctx), BENCH_END(ctx), BENCH_OTHER);
	if (!bench_parse(BENCH_DATA(ctx), BENCH_END(ctx), &p))
		bench_sink = bench_digest(&p);
	return XDP_PASS;
}

SEC("xdp.frags")
int xdp_plain(struct xdp_md *ctx)
{
	bench_next(BENCH_DATA(ctx), BENCH_END(ctx), BENCH_OTHER);
	bench_count(BENCH_DATA(ctx), BENCH_END(ctx));
	return XDP_PASS;
}

SEC("xdp.frags")
int xdp_flows(struct xdp_md *ctx)
{
	bench_next(BENCH_DATA(ctx), BENCH_END(ctx), BENCH_FLOWS);
	rct_xdp_frame(ctx);
	return XDP_PASS;
}

SEC("tc")
int tc_empty(struct __sk_buff *skb)
{
	return TC_ACT_UNSPEC;
}

SEC("tc")
int tc_walk(struct __sk_buff *skb)
{
	bench_next(BENCH_DATA(skb), BENCH_END(skb), BENCH_OTHER);
	return TC_ACT_UNSPEC;
}

SEC("tc")
int tc_parse(struct __sk_buff *skb)
{
	struct rct_pkt p;

	bench_next(BENCH_DATA(skb), BENCH_END(skb), BENCH_OTHER);
	if (!bench_parse(BENCH_DATA(skb), BENCH_END(skb), &p))
		bench_sink = bench_digest(&p);
	return TC_ACT_UNSPEC;
}

SEC("tc")
int tc_plain(struct __sk_buff *skb)
{
	bench_next(BENCH_DATA(skb), BENCH_END(skb), BENCH_OTHER);
	bench_count(BENCH_DATA(skb), BENCH_END(skb));
	return TC_ACT_UNSPEC;
}

SEC("tc")
int tc_flows(struct __sk_buff *skb)
{
	bench_next(BENCH_DATA(skb), BENCH_END(skb), BENCH_FLOWS);
	rct_tc_frame(skb, RCT_RX);
	return TC_ACT_UNSPEC;
}
