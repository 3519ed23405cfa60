/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* What the bench's programs and packet.c share. */
#ifndef BENCH_H
#define BENCH_H

#include "types.h"

/* Who counts the walk's packets. */
enum bench_lane {
	BENCH_FLOWS,	/* the tracker: its PSNs must follow each other */
	BENCH_OTHER,	/* all programs that don't look at PSNs */
	BENCH_LANES
};

/* What the packets of a flow are. */
enum bench_mix {
	BENCH_WRITE_ONLY,	/* one message each */
	BENCH_MESSAGE,		/* messages of eight packets: FIRST, six MIDDLE, LAST */
};

/* Offsets in the frame that packet.c builds: Ethernet, IPv4 without options, UDP. */
#define BENCH_BTH	42
#define BENCH_MIN	(BENCH_BTH + 12)

#endif
