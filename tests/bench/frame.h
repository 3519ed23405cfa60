/* SPDX-License-Identifier: BSD-2-Clause */
/* The frames that the benches send. */
#ifndef BENCH_FRAME_H
#define BENCH_FRAME_H

#include "bench.h"

#define BENCH_FRAME	1098	/* WRITE ONLY of 1,024 bytes */

struct bench_frame {
	const char *text;
	u8 data[BENCH_FRAME];
	u32 len;
};

/* Ethernet, IPv4 and ports into a frame whose len is set. */
void bench_make_ip(struct bench_frame *p, u8 proto, u16 dport);

/* A WRITE ONLY whose queue pair and PSN are 0. */
void bench_make_roce(struct bench_frame *p);

/* Says what failed, with errno, and exits. */
void bench_die(const char *what) __attribute__((noreturn));

#endif
