/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One flow's side of a connection: its requests are what its peer's acknowledgements,
 * NAKs and READ responses speak of. How long an answer takes, why the requester went
 * back and how long it stood, and which of its packets only the tap missed. Reliable
 * transports only: others have no answers.
 *
 * Pure code over packets in the order of the trace. Meaning of the counts: docs/numbers.md.
 */
#ifndef RCT_HALF_H
#define RCT_HALF_H

#include "model/hist.h"

/* What the flow's trackers made of a packet. */
enum rct_seen {
	RCT_SEEN_OTHER,		/* no request */
	RCT_SEEN_NEW,		/* in order, or behind a gap */
	RCT_SEEN_LATE,		/* filled a hole */
	RCT_SEEN_AGAIN,
};

/* A packet, as far as connections go. */
struct rct_event {
	u64 ns;
	u32 psn;
	u32 n;			/* PSNs of a request, 0: not known */
	u8 seen;		/* enum rct_seen */
	u8 op, flags, syndrome, cut, ack_req;	/* as in struct rct_pkt */
};

/* A request that asks for an answer and has none yet. */
struct rct_sent {
	u64 ns;
	u32 psn;
};

struct rct_half {
	struct rct_half *peer;
	u8 by;				/* enum rct_peer_by */
	u32 dest_qp;
	/* the owner's: its number of the flow, + 1, and the holes of its tracker; 0 and NULL: no packet yet */
	u32 flow;
	const struct rct_cold *cold;

	/* identity beside dest_qp */
	u32 group;			/* two addresses */
	u32 tunnel_id;
	u8 side;			/* direction in the group */
	/* from the connection manager; 0: unknown */
	u8 mtu_shift;
	u8 timeout;			/* exponent */
	u64 cm_id;			/* of the connection that made the peer */

	/* evidence for a peer */
	struct rct_half *candidate;
	u32 hits;			/* answers that fit the candidate, or the peer, exactly */
	u32 conflicts;			/* answers to what the peer never sent */
	bool ambiguous;			/* never again */
	u64 log_first, log_last;	/* what was logged while there is no peer; 0: nothing */
	u32 n_logged;

	/* requests that wait for an answer, by PSN: a ring */
	struct rct_sent *sent;
	u32 sent_at, n_sent, sent_cap;

	bool started, answered;		/* next, acked are valid */
	bool unsure;			/* behind a READ of unknown extent: next is at least that */
	u32 next;			/* highest PSN sent, + 1 */
	u32 acked;			/* highest PSN answered */
	u64 wait_ns;			/* since when something waits without progress; 0: nothing waits */
	u64 progress_ns;		/* last new request, or answer to one */
	u64 answer_ns;			/* last answer of any kind */
	u64 request_ns;			/* last request of any kind */

	/* retries */
	u8 pending;			/* NAK since the last progress: enum rct_retry_cause + 1; 0: none */
	u32 pending_psn;		/* that it asked for */
	bool inferred;
	bool run;			/* a retransmission run goes on at run_next */
	u32 run_next;
	bool run_holed;			/* the run left out PSNs from run_hole on */
	u32 run_hole;
	bool stalled;
	u8 stall_cause;
	u64 stall_from;
	u64 retries[RCT_RETRY_CAUSES], stall_ns[RCT_RETRY_CAUSES];

	/* holes before judged are judged; those before excused are not the tap's */
	u32 judged, excused;
	u64 unseen;

	struct rct_hist *rtt;		/* NULL: no sample yet */
};

/* Makes the two each other's peers, and parts them from others. */
void rct_half_join(struct rct_half *a, struct rct_half *b, enum rct_peer_by by);

/* New PSNs from here on: what waits for an answer never gets one. */
void rct_half_restart(struct rct_half *h);

/* As if nothing had been counted. */
void rct_half_forget(struct rct_half *h);

/* Counts a packet: a request, or an answer to the peer's requests. 0 or -ENOMEM. */
int rct_half_step(struct rct_half *h, const struct rct_event *e);

/* An acknowledgement or a response, and no NAK. */
bool rct_half_positive(const struct rct_event *e);

/* The half's counts into its flow, which has those of its trackers. */
void rct_half_fold(const struct rct_half *h, struct rct_flow *f);

#endif
