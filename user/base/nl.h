/* SPDX-License-Identifier: BSD-2-Clause */
/* Netlink requests and their answers, over libmnl, with the kernel's own words for errors. */
#ifndef RCT_NL_H
#define RCT_NL_H

#include <libmnl/libmnl.h>

#include "base/err.h"

/* How long an answer may take. */
#define RCT_NL_TIMEOUT_MS	2000

struct rct_nl {
	struct mnl_socket *sock;
	unsigned int seq;
	char kernel_said[160];	/* its explanation of the last error, or "" */
};

/* A request under construction, with room for every one that we make. */
union rct_nl_msg {
	struct nlmsghdr h;
	char room[512];
};

/* family: NETLINK_ROUTE, ... 0 or -errno and *err. */
int rct_nl_open(struct rct_nl *nl, int family, struct rct_err *err);
void rct_nl_close(struct rct_nl *nl);

/* Zeroes the message and begins it; returns where the family's own header is. */
void *rct_nl_begin(union rct_nl_msg *m, int type, int flags, size_t header);

/*
 * Sends it and hands every answer to each() until it returns MNL_CB_ERROR; each may be
 * NULL. 0 or -errno: of the kernel, or of a time limit (-ETIMEDOUT).
 */
int rct_nl_talk(struct rct_nl *nl, union rct_nl_msg *m, mnl_cb_t each, void *arg);

#endif
