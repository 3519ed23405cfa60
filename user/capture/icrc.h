/* SPDX-License-Identifier: BSD-2-Clause */
/* The invariant CRC that ends every RoCE packet. */
#ifndef RCT_ICRC_H
#define RCT_ICRC_H

#include "wire.h"

enum rct_icrc {
	RCT_ICRC_UNKNOWN,	/* not all of the packet is there, or headers that the CRC is not defined over */
	RCT_ICRC_GOOD,
	RCT_ICRC_BAD,
};

/* Verifies the ICRC of a packet that rct_parse() took out of that frame. */
enum rct_icrc rct_icrc_check(const struct rct_frame *f, const struct rct_pkt *p);

#endif
