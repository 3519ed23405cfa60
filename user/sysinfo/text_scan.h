/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Slices of a text that may hold any bytes and need not end with 0; what the parsers
 * (text_*.c) are made of. A slice never owns memory.
 */
#ifndef RCT_TEXT_SCAN_H
#define RCT_TEXT_SCAN_H

#include <errno.h>

#include "model/facts.h"

/* Elements that one list takes at most: a hostile text shall not eat the memory. */
#define RCT_LIST_MAX	65536

struct rct_str {
	const char *p;
	size_t n;
};

/* Takes the next line off, without its end (LF or CR LF). False behind the last. */
bool rct_str_line(struct rct_str *text, struct rct_str *ret);
/* Takes the next word off: what stands between blanks, or n == 0 behind the last. */
struct rct_str rct_str_word(struct rct_str *s);
struct rct_str rct_str_trim(struct rct_str s);
/* "key: value", both trimmed. False: no such line. */
bool rct_str_pair(struct rct_str line, char sep, struct rct_str *key, struct rct_str *value);

bool rct_str_is(struct rct_str s, const char *text);
bool rct_str_starts(struct rct_str s, const char *text);
/* Cuts text off the front, if it stands there. */
bool rct_str_skip(struct rct_str *s, const char *text);
/* What stands behind the first text in s; before: what stands before it, or NULL. */
bool rct_str_after(struct rct_str s, const char *text, struct rct_str *before, struct rct_str *after);
/* The part before the first of these bytes, or all of it. */
struct rct_str rct_str_until(struct rct_str s, const char *bytes);

/* All of s is a decimal or 0x number. */
bool rct_str_u64(struct rct_str s, u64 *ret);
/* The number that s begins with. */
bool rct_str_leading(struct rct_str s, u64 *ret);
bool rct_str_s32(struct rct_str s, s32 *ret);

/* An address, and /prefix where it stands there; family 4 or 6, IPv4 as mapped IPv6. */
bool rct_str_addr(struct rct_str s, u8 *family, u8 addr[16], u8 *prefix);

/* A copy that ends with 0, cut where it doesn't fit. Bytes 0 end it. */
void rct_str_copy(char *buf, size_t size, struct rct_str s);
char *rct_str_dup(struct rct_str s);	/* malloc()ed; NULL: no memory */

/* One more element of a list of the facts. NULL: then rct_list_end() is what to return. */
#define RCT_LIST_ADD(list, n)	((n) < RCT_LIST_MAX ? RCT_FACTS_ADD(list, n) : NULL)

static inline int rct_list_end(u32 n)
{
	return n < RCT_LIST_MAX ? -ENOMEM : 0;
}

struct rct_nic *rct_text_nic(const struct rct_facts *f, struct rct_str dev, u64 port);

#endif
