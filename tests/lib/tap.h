/* SPDX-License-Identifier: BSD-2-Clause */
/* Results of test programs that have more tests than functions: one line each, as TAP. */
#ifndef RCT_TEST_TAP_H
#define RCT_TEST_TAP_H

#include <stdbool.h>

/* "ok - TEXT" or "not ok - TEXT". Returns good. */
bool rct_tap(bool good, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A line of explanation. */
void rct_tap_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

void rct_tap_skip(const char *what, const char *reason);

/* Prints the plan; the program's exit status. */
int rct_tap_end(void);

#endif
