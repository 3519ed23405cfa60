/* SPDX-License-Identifier: BSD-2-Clause */
/* What keys and codes are called in every output. */
#ifndef RCT_NAMES_H
#define RCT_NAMES_H

#include "snapshot.h"

#define RCT_ADDR_TEXT	48	/* INET6_ADDRSTRLEN and more */

/* An address of a key; IPv4 where family says so. Returns buf. */
const char *rct_addr_text(const u64 addr[2], u32 family, char buf[RCT_ADDR_TEXT]);

const char *rct_verdict_name(u32 verdict);	/* roce, other, fragment, ... */
const char *rct_verdict_text(u32 verdict);	/* what it means */
const char *rct_nak_name(u32 code);		/* sequence, invalid_request, ...; code 0 to 4 */
const char *rct_ecn_name(u32 ecn);		/* not_ect, ect1, ect0, ce */
const char *rct_transport_name(u32 transport);	/* RC, UC, RD, UD, CNP, XRC; other */
const char *rct_tunnel_name(u32 tunnel);	/* vxlan, ...; NULL: none */
const char *rct_cov_name(enum rct_cov_state state);
const char *rct_peer_name(u32 by);		/* rdma, cm, psn; NULL: none */
const char *rct_retry_name(u32 cause);		/* nak_sequence, rnr, timeout, unknown */

/* Waiting time of an RNR NAK's timer code, 0 to 31. */
u32 rct_rnr_us(u32 code);

/* The interface of a slot, or NULL. */
const struct rct_iface *rct_iface_of(const struct rct_snapshot *s, u32 slot);

#endif
