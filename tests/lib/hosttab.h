/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flows stepped by the host build of bpf/flow.h, just as bpf/maps.bpf.h steps
 * them, found by key. For comparing with the loaded programs.
 */
#ifndef RCT_TEST_HOSTTAB_H
#define RCT_TEST_HOSTTAB_H

#include <stddef.h>

#include "abi.h"

struct rct_hostflow {
	struct rct_row row;
	struct rct_cold cold;
};

struct rct_hosttab {
	struct rct_hostflow **flows;	/* open addressed */
	size_t size, n;
};

void rct_hosttab_init(struct rct_hosttab *t);
void rct_hosttab_free(struct rct_hosttab *t);

/* The flow, or NULL. */
struct rct_hostflow *rct_hosttab_find(const struct rct_hosttab *t, const struct rct_key *key);

/* Counts a packet in its flow, which is made where there is none. Returns RCT_EV_*. */
u32 rct_hosttab_packet(struct rct_hosttab *t, struct rct_pkt *p, const struct rct_now *now);

/*
 * Compares two rows with their cold parts, all but what time and place decide.
 * Returns NULL, or the name of what differs.
 */
const char *rct_flow_differs(const struct rct_hostflow *a, const struct rct_hostflow *b);

#endif
