// SPDX-License-Identifier: BSD-2-Clause
#include "render/grid.h"

#include <errno.h>
#include <libsmartcols.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "render/escape.h"

#define CELL	256

int rct_grid_add(struct rct_grid *g, const char *const *texts)
{
	char **cells = realloc(g->cells, (g->rows + 1) * g->n * sizeof(*cells)), buf[CELL];

	if (!cells)
		return -ENOMEM;
	g->cells = cells;
	cells += g->rows * g->n;
	for (unsigned col = 0; col < g->n; col++) {
		cells[col] = strdup(rct_escape(*texts[col] ? texts[col] : "-", 0, buf, sizeof(buf)));
		if (cells[col])
			continue;
		while (col--)
			free(cells[col]);
		return -ENOMEM;
	}
	g->rows++;
	return 0;
}

void rct_grid_free(struct rct_grid *g)
{
	for (size_t i = 0; i < g->rows * g->n; i++)
		free(g->cells[i]);
	free(g->cells);
	g->cells = NULL;
	g->rows = 0;
}

static size_t column_width(const struct rct_grid *g, unsigned col)
{
	size_t w = strlen(g->columns[col].name);

	for (size_t row = 0; row < g->rows; row++) {
		size_t n = strlen(g->cells[row * g->n + col]);

		w = n > w ? n : w;
	}
	return w;
}

/* Takes out the least important columns, the right one of equals, until it fits. */
static void fit(const struct rct_grid *g, int width, bool on[RCT_GRID_COLUMNS])
{
	size_t total = 0, w[RCT_GRID_COLUMNS];

	for (unsigned col = 0; col < g->n; col++) {
		on[col] = true;
		w[col] = column_width(g, col) + 1;
		total += w[col];
	}
	while (width && total > (size_t)width + 1) {
		int victim = -1;

		for (unsigned col = 0; col < g->n; col++) {
			if (on[col] && g->columns[col].keep < 9 &&
			    (victim < 0 || g->columns[col].keep <= g->columns[victim].keep))
				victim = col;
		}
		if (victim < 0)
			return;
		on[victim] = false;
		total -= w[victim];
	}
}

static int fill(struct libscols_table *t, const struct rct_grid *g, const bool *on)
{
	for (unsigned col = 0; col < g->n; col++) {
		if (on[col] && !scols_table_new_column(t, g->columns[col].name, 0,
						       g->columns[col].left ? SCOLS_FL_TRUNC : SCOLS_FL_RIGHT))
			return -ENOMEM;
	}
	for (size_t row = 0; row < g->rows; row++) {
		struct libscols_line *line = scols_table_new_line(t, NULL);
		size_t at = 0;

		if (!line)
			return -ENOMEM;
		for (unsigned col = 0; col < g->n; col++) {
			if (on[col] && scols_line_set_data(line, at++, g->cells[row * g->n + col]))
				return -ENOMEM;
		}
	}
	return 0;
}

int rct_grid_print(FILE *out, const struct rct_grid *g, int width)
{
	struct libscols_table *t = scols_new_table();
	bool on[RCT_GRID_COLUMNS] = {};
	const char *what = "too narrow for:";
	int err = -ENOMEM;

	if (!t)
		return err;
	fit(g, width, on);
	scols_table_set_stream(t, out);
	scols_table_set_termforce(t, SCOLS_TERMFORCE_ALWAYS);
	scols_table_set_termwidth(t, width ? width : 4096);
	if (!fill(t, g, on))
		err = scols_print_table(t) < 0 ? -ENOMEM : 0;
	scols_unref_table(t);
	for (unsigned col = 0; !err && col < g->n; col++) {
		if (on[col])
			continue;
		fprintf(out, "%s %s", what, g->columns[col].name);
		what = "";
	}
	if (!*what)
		fputc('\n', out);
	return err;
}
