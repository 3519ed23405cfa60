/* SPDX-License-Identifier: BSD-2-Clause */
/* What a unit test includes first of all: cmocka needs these headers, in this order. */
#ifndef RCT_TEST_UNIT_H
#define RCT_TEST_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A test that can't run here: says why, which tests/run-ring wants to know. */
#define rct_skip(...)						\
	do {							\
		print_message("# SKIP: " __VA_ARGS__);		\
		print_message("\n");				\
		skip();						\
	} while (0)

#endif
