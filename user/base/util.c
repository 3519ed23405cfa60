// SPDX-License-Identifier: BSD-2-Clause
#include "base/util.h"

#include <limits.h>
#include <string.h>

#define LONGEST	48

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Letters to change, add or leave out to make b of a (Levenshtein), both at most LONGEST. */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[LONGEST + 1], before, here;
	size_t n = strlen(b);

	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		before = row[0];
		row[0] = i + 1;
		for (size_t j = 1; j <= n; j++) {
			here = row[j];
			row[j] = least(least(row[j], row[j - 1]) + 1, before + (a[i] != b[j - 1]));
			before = here;
		}
	}
	return row[n];
}

const char *rct_nearest(const char *text, const char *(*name)(size_t i))
{
	size_t len = strlen(text);
	const char *best = NULL, *s;
	unsigned d, found = UINT_MAX;

	if (!len || len > LONGEST)
		return NULL;
	for (size_t i = 0; (s = name(i)); i++) {
		if (strlen(s) > LONGEST)
			continue;
		d = strncmp(s, text, len) ? distance(text, s) : 1;
		if (d < found) {
			found = d;
			best = s;
		}
	}
	/* more than a third of the letters wrong is no typing error */
	return found <= (len + 2) / 3 ? best : NULL;
}
