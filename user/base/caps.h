/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Capabilities: which are there, and giving them up. They belong to a thread: give
 * up before others are started.
 */
#ifndef RCT_CAPS_H
#define RCT_CAPS_H

#include <linux/capability.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

bool rct_caps_have(int cap);

/* CAP_NET_ADMIN, ... */
const char *rct_caps_name(int cap, char *ret, size_t size);

/* 0; or -EPERM, and *err says which of them are missing, what for, and how to get them. */
int rct_caps_need(const int *caps, size_t n, const char *what, struct rct_err *err);

/* Gives up all for good, but those kept. Where not even that is allowed: -errno and *err. */
int rct_caps_keep_only(const int *caps, size_t n, struct rct_err *err);

/*
 * What a tracer can do without once its programs are attached: everything, or all
 * but what attaching another interface needs. Kernels before 5.19 may want
 * CAP_BPF for reading a map that is open; it is kept there.
 */
int rct_caps_drop_after_attach(bool reattach, struct rct_err *err);

#endif
