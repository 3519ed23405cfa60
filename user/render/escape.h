/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of interfaces and files are other people's bytes: they must not move a
 * terminal's cursor, nor make JSON that is not UTF-8.
 */
#ifndef RCT_ESCAPE_H
#define RCT_ESCAPE_H

#include <stddef.h>

/*
 * Copies text as valid UTF-8 into buf, and returns buf. Bytes that are no UTF-8
 * become \xNN; so do, but for keep_control, control characters and those that
 * change the direction of writing. Cut between characters where buf is full.
 */
char *rct_escape(const char *text, int keep_control, char *buf, size_t size);

#endif
