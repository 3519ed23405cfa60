/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traces of both directions of connections, as a line of words, through the flow
 * table of a capture: what `rocetrace read` makes of them, without a file.
 *
 *	+MICROSECONDS	time goes on
 *	>QP  <QP	the packets behind go from A to B, or back, to that queue pair
 *	others		packets, in the letters of lib/seq.h; each takes a microsecond
 *
 * A is 10.1.0.1, B is 10.1.0.2.
 */
#ifndef RCT_TEST_TRACE_H
#define RCT_TEST_TRACE_H

#include "model/flowtab.h"

struct rct_trace {
	struct rct_flowtab *tab;
	struct rct_snapshot s;
	u64 start_ns;
	u32 passes;		/* that rct_trace_end() needed */
};

/* A connection manager's exchange before the words: A's and B's queue pairs. */
struct rct_trace_cm {
	u32 qp_a, qp_b;		/* 0: none */
	u8 mtu, timeout;	/* code of the path MTU (3: 1024), exponent of the timeout */
};

/* Counts the whole trace, as often as the flow table asks for, and takes the snapshot. */
void rct_trace_run(struct rct_trace *t, const struct rct_trace_cm *cm, const char *words);
void rct_trace_free(struct rct_trace *t);

/* The flow to a queue pair, back: of B to A. Aborts where there is none: a test's mistake. */
const struct rct_flow *rct_trace_flow(const struct rct_trace *t, bool back, u32 qp);

/* Writes a message of the connection manager, REQ or REP, into 256 bytes. */
void rct_build_cm(u8 *mad, bool rep, u32 local_id, u32 remote_id, u32 qpn, u8 mtu, u8 timeout);

#endif
