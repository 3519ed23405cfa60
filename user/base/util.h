/* SPDX-License-Identifier: BSD-2-Clause */
/* Small things that know nothing of the tool. */
#ifndef RCT_UTIL_H
#define RCT_UTIL_H

#include <stddef.h>

#define RCT_ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/*
 * The name that text most likely meant, or NULL where none is near. name(i) is
 * NULL behind the last one.
 */
const char *rct_nearest(const char *text, const char *(*name)(size_t i));

#endif
