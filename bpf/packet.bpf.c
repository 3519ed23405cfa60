// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The packet programs: two-line stubs on one frame handler. They look, and
 * never change, drop, steal or reorder: XDP_PASS, TC_ACT_UNSPEC (which lets the
 * next program in the chain decide), nothing pulled, nothing written.
 */
#include "maps.bpf.h"
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

#define TC_ACT_UNSPEC	(-1)

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Headers that are nearly always enough: so much in the linear part is not added to. */
#define RCT_DIRECT	128

/* ------------------------------------------------------------------- XDP */

/* Kernels without bpf_xdp_load_bytes (before 5.18) have no frames in parts either. */
RCT_INLINE int rct_xdp_copy(struct xdp_md *ctx, struct rct_copy *copy, u32 n)
{
	n--;		/* 1 to RCT_COPY, in the form that Linux 6.1's verifier follows */
	RCT_OPAQUE(n);
	if (n >= RCT_COPY)
		return -1;
	n++;
	if (rct_config.buff_len)
		return bpf_xdp_load_bytes(ctx, 0, copy->b, n);
	return bpf_probe_read_kernel(copy->b, n, (void *)(long)ctx->data);
}

/*
 * A frame in several buffers fills its first one: what is shorter than this is whole,
 * unless its packet says that it is longer.
 */
#define RCT_XDP_ONE	2048

/* The length of all of the frame's buffers. The call costs 8 ns, so: only where it matters. */
RCT_INLINE u32 rct_xdp_len(struct xdp_md *ctx)
{
	return rct_config.buff_len ? bpf_xdp_get_buff_len(ctx) : ctx->data_end - ctx->data;
}

RCT_INLINE void rct_xdp_frame(struct xdp_md *ctx)
{
	struct rct_frame f = {
		.data = (void *)(long)ctx->data, .end = (void *)(long)ctx->data_end,
		.wire_len = ctx->data_end - ctx->data, .vlan = RCT_NOVLAN, .dir = RCT_RX,
	};
	struct rct_copy *copy;
	struct rct_pkt p;
	int verdict;
	u64 slot;
	u32 n;

	if (rct_slot(ctx->ingress_ifindex, &slot))
		return;
	f.slot = RCT_SLOT_NR(slot);
	verdict = rct_open_parse(&f, &p, false);
	if (verdict == RCT_OK) {
		if (rct_pkt_end(&p) > f.wire_len || f.wire_len > RCT_XDP_ONE)
			p.wire_len = rct_xdp_len(ctx);
		rct_packet(&p);
		return;
	}
	if (verdict != RCT_AGAIN) {
		rct_no_packet(&f, verdict);
		return;
	}
	f.wire_len = rct_xdp_len(ctx);
	copy = rct_copy_of(RCT_RX);
	n = f.wire_len < RCT_COPY ? f.wire_len : RCT_COPY;
	if (!copy || rct_xdp_copy(ctx, copy, n))
		rct_count(f.slot, RCT_NOT_READ);
	else
		rct_copied_frame(&f, copy, n, false, &p);
}

SEC("xdp.frags")
int rct_xdp(struct xdp_md *ctx)
{
	rct_xdp_frame(ctx);
	return XDP_PASS;
}

/* -------------------------------------------------------------------- tc */

RCT_INLINE int rct_tc_copy(struct __sk_buff *skb, struct rct_copy *copy, u32 n)
{
	n--;		/* as in rct_xdp_copy() */
	RCT_OPAQUE(n);
	if (n >= RCT_COPY)
		return -1;
	return bpf_skb_load_bytes(skb, 0, copy->b, n + 1);
}

/*
 * Behind a generic XDP program that made the kernel copy the packet (6.9 and later;
 * seen on 6.18), tc programs get it without its Ethernet header. Then the bytes
 * where the ethertype should be are not skb->protocol, and the first are an IP
 * version.
 */
RCT_INLINE bool rct_tc_mac_missing(struct __sk_buff *skb)
{
	const u8 *p = (void *)(long)skb->data;
	u16 type = skb->protocol;

	if (p + 14 > (u8 *)(long)skb->data_end || rct_ld16(p + 12) == type)
		return false;
	return p[0] >> 4 == (type == RCT_NTOH16(0x0800) ? 4 : type == RCT_NTOH16(0x86dd) ? 6 : 0xff);
}

RCT_INLINE void rct_tc_frame(struct __sk_buff *skb, u8 dir)
{
	struct rct_frame f = {
		.data = (void *)(long)skb->data, .end = (void *)(long)skb->data_end,
		.wire_len = skb->len, .vlan = RCT_NOVLAN, .dir = dir,
	};
	struct rct_copy *copy;
	struct rct_pkt p;
	int verdict;
	u64 slot;
	u32 n = skb->len;

	if (rct_slot(skb->ifindex, &slot))
		return;
	f.slot = RCT_SLOT_NR(slot);
	if (skb->vlan_present) {
		f.vlan = skb->vlan_tci;
		f.wire_len += 4;
	}
	if (slot & RCT_SLOT_NO_MAC) {
		/* by the copy, so that the plain parser is verified for Ethernet alone */
		f.ethertype = RCT_NTOH16(skb->protocol);
		verdict = RCT_AGAIN;
	} else {
		verdict = rct_open_parse(&f, &p, skb->gso_size);
	}
	if (verdict == RCT_OK) {
		rct_packet(&p);
		return;
	}
	if (verdict == RCT_OTHER && !f.ethertype && rct_tc_mac_missing(skb)) {
		f.ethertype = RCT_NTOH16(skb->protocol);
		f.wire_len += 14;
		verdict = RCT_AGAIN;
	}
	if (verdict != RCT_AGAIN) {
		rct_no_packet(&f, verdict);
		return;
	}
	copy = rct_copy_of(dir);
	if (n > RCT_COPY)
		n = RCT_COPY;
	if (!copy || rct_tc_copy(skb, copy, n))
		rct_count(f.slot, RCT_NOT_READ);
	else
		rct_copied_frame(&f, copy, n, skb->gso_size, &p);
}

SEC("tc")
int rct_tc_rx(struct __sk_buff *skb)
{
	rct_tc_frame(skb, RCT_RX);
	return TC_ACT_UNSPEC;
}

SEC("tc")
int rct_tc_tx(struct __sk_buff *skb)
{
	rct_tc_frame(skb, RCT_TX);
	return TC_ACT_UNSPEC;
}

/* ---------------------------------------------------------------- netdev */

extern int bpf_dynptr_from_skb(struct __sk_buff *skb, __u64 flags, struct bpf_dynptr *ptr) __ksym __weak;
extern const void vmemmap_base __ksym __weak;
extern const void page_offset_base __ksym __weak;

/* x86-64: struct page is 64 bytes, its array starts at vmemmap_base. */
#define RCT_PAGE_STRUCT	64
#define RCT_PAGE_SHIFT	12

RCT_INLINE struct skb_shared_info *rct_skb_shared(struct sk_buff *skb)
{
	return (void *)(BPF_CORE_READ(skb, head) + skb->end);
}

/* Where the bytes of the first fragment are, and how many. */
RCT_INLINE const void *rct_frag0(struct sk_buff *skb, u32 *ret_len)
{
	struct skb_shared_info *si = rct_skb_shared(skb);
	u64 vmemmap = 0, direct = 0;
	struct page *page = BPF_CORE_READ(si, frags[0].bv_page);

	*ret_len = BPF_CORE_READ(si, frags[0].bv_len);
	if (!BPF_CORE_READ(si, nr_frags) || !page ||
	    bpf_probe_read_kernel(&vmemmap, sizeof(vmemmap), &vmemmap_base) ||
	    bpf_probe_read_kernel(&direct, sizeof(direct), &page_offset_base))
		return NULL;
	return (void *)(direct + ((((u64)page - vmemmap) / RCT_PAGE_STRUCT) << RCT_PAGE_SHIFT) +
			BPF_CORE_READ(si, frags[0].bv_offset));
}

/* Link headers are up to this long. */
#define RCT_MAC_MAX	64

/* A frame of its own on the stack: what a dynptr lay on may not be used again. */
static __attribute__((noinline)) int rct_skb_dynptr(struct sk_buff *skb, struct rct_copy *copy,
						    u32 mac, u32 n)
{
	struct bpf_dynptr ptr;

	if (mac > RCT_MAC_MAX || n > RCT_COPY - RCT_MAC_MAX)
		return -1;
	if (bpf_dynptr_from_skb((struct __sk_buff *)skb, 0, &ptr))
		return -1;
	return bpf_dynptr_read(copy->b + mac, n, &ptr, 0, 0);
}

/*
 * The frame's first bytes into the copy: mac bytes of link header that were
 * pulled already, then from skb->data on. Returns how many, 0: unreadable.
 */
RCT_INLINE u32 rct_skb_copy(struct sk_buff *skb, struct rct_copy *copy, u32 mac)
{
	u32 have = skb->len - skb->data_len + mac, want = skb->len + mac, len = 0, n;
	const void *frag;

	if (want > RCT_COPY - RCT_MAC_MAX + mac)
		want = RCT_COPY - RCT_MAC_MAX + mac;
	n = have < want ? have : want;
	RCT_OPAQUE(n);
	if (n > RCT_COPY || bpf_probe_read_kernel(copy->b, n, BPF_CORE_READ(skb, data) - mac))
		return 0;
	if (have >= want || have >= RCT_DIRECT)
		return n;
	if (rct_config.dynptr) {
		n = want - mac;
		if (mac > RCT_MAC_MAX || rct_skb_dynptr(skb, copy, mac, n))
			return 0;
		return want;
	}
	if (!rct_config.frag0)
		return 0;
	frag = rct_frag0(skb, &len);
	if (!frag)
		return 0;
	n = want - have;
	if (n > len)
		n = len;
	if (n > RCT_COPY - RCT_DIRECT)
		n = RCT_COPY - RCT_DIRECT;
	RCT_OPAQUE(have);
	RCT_OPAQUE(n);
	if (have > RCT_DIRECT || n > RCT_COPY - RCT_DIRECT ||
	    bpf_probe_read_kernel(copy->b + have, n, frag))
		return 0;
	return have + n;
}

RCT_INLINE u16 rct_skb_tag(struct sk_buff *skb)
{
	struct sk_buff___vlan_present *old = (void *)skb;

	if (bpf_core_field_exists(old->vlan_present)) {
		if (!BPF_CORE_READ_BITFIELD_PROBED(old, vlan_present))
			return RCT_NOVLAN;
	} else if (!skb->vlan_proto) {
		return RCT_NOVLAN;
	}
	return skb->vlan_tci;
}

RCT_INLINE int rct_netdev_frame(struct sk_buff *skb, u8 dir)
{
	struct rct_frame f = { .dir = dir };
	struct skb_shared_info *si;
	struct net_device *dev = skb->dev;
	struct rct_copy *copy;
	struct rct_pkt p;
	u32 mac = 0, n;
	u64 slot;

	if (rct_slot(dev->ifindex, &slot) || dev->nd_net.net->ns.inum != rct_config.netns)
		return 0;
	if (dir == RCT_TX && slot & RCT_SLOT_RX_ONLY)
		return 0;
	f.slot = RCT_SLOT_NR(slot);
	if (slot & RCT_SLOT_NO_MAC) {
		f.ethertype = RCT_NTOH16(skb->protocol);
	} else if (dir == RCT_RX) {
		/* the link header was pulled; devices without one never set it */
		if (skb->mac_header != 0xffff)
			mac = BPF_CORE_READ(skb, data) - BPF_CORE_READ(skb, head) - skb->mac_header;
		if (!mac || mac > RCT_MAC_MAX) {
			mac = 0;
			f.ethertype = RCT_NTOH16(skb->protocol);
		}
	}
	f.wire_len = skb->len + mac;
	f.vlan = rct_skb_tag(skb);
	if (f.vlan != RCT_NOVLAN)
		f.wire_len += 4;
	copy = rct_copy_of(dir);
	if (!copy)
		return 0;
	n = rct_skb_copy(skb, copy, mac);
	if (!n || n > RCT_COPY) {
		rct_count(f.slot, RCT_NOT_READ);
		return 0;
	}
	si = rct_skb_shared(skb);
	rct_copied_frame(&f, copy, n, BPF_CORE_READ(si, gso_size), &p);
	return 0;
}

SEC("tp_btf/netif_receive_skb")
int BPF_PROG(rct_netdev_rx, struct sk_buff *skb)
{
	return rct_netdev_frame(skb, RCT_RX);
}

SEC("tp_btf/net_dev_start_xmit")
int BPF_PROG(rct_netdev_tx, struct sk_buff *skb, struct net_device *dev)
{
	return rct_netdev_frame(skb, RCT_TX);
}

/* The two clocks at one moment: user space turns ticks into time with it. */
u64 rct_clock_ns, rct_clock_tick;

SEC("xdp")
int rct_clock(struct xdp_md *ctx)
{
	rct_clock_ns = bpf_ktime_get_ns();
	rct_clock_tick = bpf_jiffies64();
	return XDP_PASS;
}
