/* SPDX-License-Identifier: BSD-2-Clause */
/* What the fuzz targets share. */
#ifndef RCT_TEST_FUZZ_H
#define RCT_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Not assert(): it must hold in every build. */
#define must(x)		do { if (!(x)) abort(); } while (0)

/* A copy that ends where the bytes end, so that a sanitizer sees one byte too much. free() it. */
static inline uint8_t *fuzz_copy(const uint8_t *data, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);

	must(copy);
	memcpy(copy, data, n);
	return copy;
}

#endif
