/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connection management messages on QP 1: how the two ends of a connection tell
 * each other their queue pairs. InfiniBand Architecture Specification Vol 1, 12.6
 * (messages) and 13.4.2 (datagram header).
 */
#ifndef RCT_CM_H
#define RCT_CM_H

#include "types.h"

enum rct_cm_kind { RCT_CM_OTHER, RCT_CM_REQ, RCT_CM_REP };

struct rct_cm {
	enum rct_cm_kind kind;
	u32 local_id;		/* the sender's number of the connection */
	u32 remote_id;		/* REP: the receiver's */
	u32 qpn;		/* the sender's queue pair */
	/* REQ; what both ends will use */
	u8 mtu_shift;		/* log2 of the path MTU, 0: none that exists */
	u8 timeout;		/* acknowledgement timeout is 4.096 us << timeout, 0: none */
};

/* Takes a datagram apart, from its first byte. Of any other one, or a cut one: RCT_CM_OTHER. */
struct rct_cm rct_cm_parse(const u8 *mad, size_t len);

#endif
