/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel takes, found out by trying: each function loads a program of a
 * few instructions, or looks into the kernel's BTF, and leaves nothing behind.
 */
#ifndef RCT_TRIAL_H
#define RCT_TRIAL_H

#include "types.h"

/* A program that passes every packet; a file descriptor or -errno. */
int rct_trial_tc(void);
int rct_trial_xdp(bool frags);

/* 0, or -errno of the kernel's refusal. */
int rct_trial_tcx(void);
int rct_trial_dynptr(void);
int rct_trial_buff_len(void);
int rct_trial_ringbuf(void);
int rct_trial_tp_btf(const char *tracepoint);
int rct_trial_fentry(void);
int rct_trial_kprobe(void);

/* Page arithmetic: x86-64, its two symbols readable, layouts as bpf/packet.bpf.c knows them. */
int rct_trial_frag0(void);

/* The kernel describes its types: BTF of the kernel (module NULL) or of a module. */
bool rct_trial_btf(const char *module);

#endif
