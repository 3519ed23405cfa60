/* SPDX-License-Identifier: BSD-2-Clause */
/* A table of texts that is fitted to the reader's width by leaving out columns. */
#ifndef RCT_GRID_H
#define RCT_GRID_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct rct_column {
	const char *name;
	uint8_t keep;		/* those with the lowest go first; 9 never does */
	_Bool left;
};

#define RCT_GRID_COLUMNS	16

struct rct_grid {
	const struct rct_column *columns;
	unsigned n;		/* of columns, at most RCT_GRID_COLUMNS */
	char **cells;		/* row by row */
	size_t rows;
};

/* A row of n texts of foreign origin, which are escaped. 0 or -ENOMEM. */
int rct_grid_add(struct rct_grid *g, const char *const *texts);
/* width 0: unlimited. What did not fit is named below. 0 or -ENOMEM. */
int rct_grid_print(FILE *out, const struct rct_grid *g, int width);
void rct_grid_free(struct rct_grid *g);

#endif
