/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel takes, found out by trying: each function loads a program of a
 * few instructions, or looks into the kernel's BTF, and leaves nothing behind.
 */
#ifndef RCT_TRIAL_H
#define RCT_TRIAL_H

#include "types.h"

/* 0, or -errno of the kernel's refusal. */
int rct_trial_tcx(void);
int rct_trial_dynptr(void);
int rct_trial_buff_len(void);
int rct_trial_ringbuf(void);
int rct_trial_atomics(void);		/* compare-and-swap in programs */
int rct_trial_read_kernel(void);	/* lockdown=confidentiality forbids it */
int rct_trial_xdp_frags(void);
int rct_trial_clsact(void);		/* in a network namespace of its own */
int rct_trial_xdp_generic(void);	/* there too */
int rct_trial_tp_btf(const char *tracepoint);
int rct_trial_fentry(void);
int rct_trial_kprobe(void);

/*
 * What native XDP on an interface can do, as its driver says (Linux 6.3): NETDEV_XDP_ACT_*
 * of linux/netdev.h. 0 or -errno.
 */
#define RCT_XDP_BASIC	(1U << 0)
#define RCT_XDP_FRAGS	(1U << 5)
int rct_trial_xdp_features(u32 ifindex, u64 *ret);

/* Page arithmetic: x86-64, its two symbols readable, layouts as bpf/packet.bpf.c knows them. */
int rct_trial_frag0(void);

/* The kernel describes its types: BTF of the kernel (module NULL) or of a module. */
bool rct_trial_btf(const char *module);

#endif
