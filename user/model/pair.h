/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two directions of a connection, joined. A base transport header names only the
 * queue pair that it goes to, so the directions find each other by the connection
 * manager's messages, or by answers that carry PSNs just sent (PSN affinity). What
 * fits several stays alone.
 */
#ifndef RCT_PAIR_H
#define RCT_PAIR_H

#include "model/cm.h"
#include "model/half.h"

struct rct_pairs;

struct rct_pairs *rct_pairs_new(void);
void rct_pairs_free(struct rct_pairs *p);

/* The half of a flow, the same for the same flow. It lives as long as p. NULL: no memory. */
struct rct_half *rct_pairs_half(struct rct_pairs *p, const struct rct_key *key);

/*
 * A packet of a half, in the order of the trace. n: PSNs that a request takes, 0: not
 * known. 0 or -ENOMEM.
 */
int rct_pairs_packet(struct rct_pairs *p, struct rct_half *h, const struct rct_pkt *pkt, u64 ns,
		     enum rct_seen seen, u32 n);

/*
 * A datagram on QP 1 that key's source sent. 1 where it makes a new connection, with
 * its halves in ret: their PSNs start anew. 0 where it does not, or -ENOMEM.
 */
int rct_pairs_cm(struct rct_pairs *p, const struct rct_key *key, const struct rct_cm *cm,
		 struct rct_half *ret[2]);

/*
 * Nothing more comes: peers that were only probable are taken. 1 where some were found
 * so late that their counts lack packets: to be counted again. 0, or -ENOMEM.
 */
int rct_pairs_settle(struct rct_pairs *p);

/* Forgets all but the peers that answers told, for packets that come once more. */
void rct_pairs_rewind(struct rct_pairs *p);

#endif
