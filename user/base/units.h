/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers as people read them. Each function writes to buf and returns it. */
#ifndef RCT_UNITS_H
#define RCT_UNITS_H

#include <stddef.h>
#include <stdint.h>

#define RCT_UNIT_TEXT	32	/* room for any of them */

/* "0", "1,740", "1.23 M" */
char *rct_count_text(uint64_t n, char *buf);
/* "812 B", "30.1 MB"; 1 kB is 1000 bytes */
char *rct_bytes_text(uint64_t n, char *buf);
/* "41.2 Gb/s"; "n/a" where seconds is not positive */
char *rct_rate_text(uint64_t bytes, double seconds, char *buf);
/* "820 ns", "67.1 ms", "4.3 s" */
char *rct_time_text(uint64_t ns, char *buf);
/* "35 %", "0.21 %", "7 per million"; "0 %" only of nothing */
char *rct_share_text(uint64_t part, uint64_t whole, char *buf);

#endif
