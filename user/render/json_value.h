/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of JSON that the files of the JSON report share. NULL: no memory, which the writer notices. */
#ifndef RCT_JSON_VALUE_H
#define RCT_JSON_VALUE_H

#include <jansson.h>

#include "model/facts.h"
#include "model/snapshot.h"
#include "render/escape.h"

static inline json_t *rct_json_text(const char *s)
{
	char buf[1024];

	return json_string(rct_escape(s, 1, buf, sizeof(buf)));
}

static inline json_t *rct_json_text_or_null(const char *s)
{
	return s && *s ? rct_json_text(s) : json_null();
}

static inline json_t *rct_json_nonzero(u64 n)
{
	return n ? json_integer(n) : json_null();
}

static inline json_t *rct_json_known(struct rct_num n)
{
	return n.have == RCT_THERE ? json_integer(n.v) : json_null();
}

/* A NUMA node; it may not be told, or not be known. */
static inline json_t *rct_json_node(s32 n)
{
	return n >= 0 ? json_integer(n) : json_null();
}

/*
 * The NICs that facts know, and interfaces that pause frames were seen on as packets.
 * An empty list where there is neither; NULL: no memory.
 */
json_t *rct_json_nics(const struct rct_snapshot *s);

#endif
