/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The kernel types that the BPF programs read, and no more. Layouts come from
 * the running kernel's BTF at load time (CO-RE), so only names and the rough
 * type matter here; scripts/check-vmlinux compares them with a real BTF.
 */
#ifndef RCT_VMLINUX_H
#define RCT_VMLINUX_H

#include <linux/types.h>
#include <linux/bpf.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s32 s32;
typedef __s64 s64;
typedef _Bool bool;
#define true 1
#define false 0
#define NULL ((void *)0)

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct ns_common {
	unsigned int inum;
};

struct net {
	struct ns_common ns;
};

typedef struct {
	struct net *net;
} possible_net_t;

struct net_device {
	int ifindex;
	possible_net_t nd_net;
};

struct page {
	unsigned long flags;
};

/* skb_frag_t is a struct bio_vec before Linux 6.9 (21d2e6737c97) and has its own names after */
struct bio_vec {
	struct page *bv_page;
	unsigned int bv_len;
	unsigned int bv_offset;
};

struct skb_shared_info {
	u8 nr_frags;
	unsigned short gso_size;
	struct bio_vec frags[17];
};

struct sk_buff {
	unsigned int len;
	unsigned int data_len;
	u16 vlan_proto;
	u16 vlan_tci;
	u16 protocol;
	u16 mac_header;
	unsigned int end;
	unsigned char *head;
	unsigned char *data;
	struct net_device *dev;
};

/* before Linux 6.4 (354259fa73e2) a bit says that there is a tag */
struct sk_buff___vlan_present {
	u8 vlan_present: 1;
};

#pragma clang attribute pop

#endif
