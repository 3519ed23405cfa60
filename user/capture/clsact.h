/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tc filters on a clsact qdisc, beside those of others. Every filter bears the mark of
 * its instance, and the keeper knows of it before it is there: what ends an instance,
 * however hard, leaves nothing that isn't recognised as ours.
 */
#ifndef RCT_CLSACT_H
#define RCT_CLSACT_H

#include "capture/keeper.h"
#include "capture/others.h"

/*
 * Programs on both sides, fd[0] receives. *why gets who is in front of them. *ret_keeper
 * is set also where this fails, and wanted by rct_clsact_detach() then. 0 or -errno
 * and *err.
 */
int rct_clsact_attach(const int fd[2], u32 ifindex, const char *name,
		      struct rct_keeper **ret_keeper, struct rct_list *why, struct rct_err *err);

/* Both filters are there. */
bool rct_clsact_alive(const struct rct_keeper *k, u32 ifindex);

/* Removes them, and gives the keeper back. k may be NULL. */
void rct_clsact_detach(struct rct_keeper *k, u32 ifindex);

#endif
