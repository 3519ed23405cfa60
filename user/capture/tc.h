/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tc's qdiscs and filters over rtnetlink, as far as hanging a BPF program on an
 * interface beside others needs it.
 */
#ifndef RCT_TC_H
#define RCT_TC_H

#include <linux/pkt_sched.h>

#include "base/nl.h"
#include "capture/owner.h"

/* Where the filters of a clsact qdisc hang. */
#define RCT_TC_RX	TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS)
#define RCT_TC_TX	TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_EGRESS)

struct rct_tc_filter {
	u32 ifindex;
	u32 parent;		/* RCT_TC_RX, RCT_TC_TX, or another qdisc's */
	u32 handle;
	u16 prio;
	u16 protocol;		/* network order */
	char kind[16];		/* bpf, flower, ... */
	char name[RCT_MARK_MAX];/* of a bpf filter; "" */
	u32 prog_id;		/* of a bpf filter; 0 */
	bool ours;		/* has our mark */
	struct rct_owner owner;	/* where ours */
};

/* Kind of the qdisc at the ingress hook: clsact, ingress, "" for none. 0 or -errno. */
int rct_tc_qdisc(struct rct_nl *nl, u32 ifindex, char ret_kind[16]);

/* -EEXIST: there is one, of whatever kind. */
int rct_tc_add_clsact(struct rct_nl *nl, u32 ifindex);

/* Calls each for every filter of one side of an interface. 0 or -errno. */
int rct_tc_filters(struct rct_nl *nl, u32 ifindex, u32 parent,
		   void (*each)(const struct rct_tc_filter *f, void *arg), void *arg);

/* A BPF program as a filter that decides by itself (direct action), for all protocols. */
int rct_tc_add_filter(struct rct_nl *nl, u32 ifindex, u32 parent, u16 prio, int prog_fd,
		      const char *mark);

/*
 * Removes the filters which that owner has on the interface, and the clsact qdisc if
 * the owner or a filter's mark says that it was ours and nothing is on it any more.
 * What is gone already is fine. Calls told for each; may be NULL. Returns how many
 * were removed, or -errno.
 */
int rct_tc_remove(struct rct_nl *nl, u32 ifindex, const struct rct_owner *owner,
		  void (*told)(u32 ifindex, const char *what, void *arg), void *arg);

/* Calls each for every interface that has a clsact qdisc. 0 or -errno. */
int rct_tc_clsacts(struct rct_nl *nl, void (*each)(u32 ifindex, void *arg), void *arg);

#endif
