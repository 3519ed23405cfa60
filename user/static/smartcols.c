// SPDX-License-Identifier: BSD-2-Clause
/*
 * For STATIC=1 only: what the report uses of libsmartcols, of which Debian has
 * no archive. The same calls, the same lines: tests/e2e/static compares the two
 * programs' output. Cells are plain ASCII (render/escape.c sees to that).
 */
#include <errno.h>
#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>

struct libscols_column {
	struct libscols_column *next;
	char *name;
	int flags;
	size_t width;
};

struct libscols_line {
	struct libscols_line *next;
	size_t n;
	char **cells;		/* n of them, NULL: empty */
};

struct libscols_table {
	FILE *out;
	size_t termwidth, n_columns;
	struct libscols_column *columns, **columns_end;
	struct libscols_line *lines, **lines_end;
};

struct libscols_table *scols_new_table(void)
{
	struct libscols_table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->out = stdout;
	t->columns_end = &t->columns;
	t->lines_end = &t->lines;
	return t;
}

void scols_unref_table(struct libscols_table *t)
{
	struct libscols_column *c;
	struct libscols_line *l;

	if (!t)
		return;
	while ((c = t->columns)) {
		t->columns = c->next;
		free(c->name);
		free(c);
	}
	while ((l = t->lines)) {
		t->lines = l->next;
		for (size_t i = 0; i < l->n; i++)
			free(l->cells[i]);
		free(l->cells);
		free(l);
	}
	free(t);
}

int scols_table_set_stream(struct libscols_table *t, FILE *stream)
{
	t->out = stream;
	return 0;
}

int scols_table_set_termforce(struct libscols_table *t, int force)
{
	(void)t;
	(void)force;		/* the width that was set is what counts */
	return 0;
}

int scols_table_set_termwidth(struct libscols_table *t, size_t width)
{
	t->termwidth = width;
	return 0;
}

struct libscols_column *scols_table_new_column(struct libscols_table *t, const char *name,
					       double whint, int flags)
{
	struct libscols_column *c = calloc(1, sizeof(*c));

	(void)whint;
	if (!c || !(c->name = strdup(name))) {
		free(c);
		return NULL;
	}
	c->flags = flags;
	c->width = strlen(name);
	*t->columns_end = c;
	t->columns_end = &c->next;
	t->n_columns++;
	return c;
}

struct libscols_line *scols_table_new_line(struct libscols_table *t, struct libscols_line *parent)
{
	struct libscols_line *l = calloc(1, sizeof(*l));

	(void)parent;		/* no trees here */
	if (!l || !(l->cells = calloc(t->n_columns, sizeof(*l->cells)))) {
		free(l);
		return NULL;
	}
	l->n = t->n_columns;
	*t->lines_end = l;
	t->lines_end = &l->next;
	return l;
}

int scols_line_set_data(struct libscols_line *l, size_t n, const char *data)
{
	char *copy;

	if (n >= l->n)
		return -EINVAL;
	copy = strdup(data);
	if (!copy)
		return -ENOMEM;
	free(l->cells[n]);
	l->cells[n] = copy;
	return 0;
}

static void measure(struct libscols_table *t)
{
	size_t i = 0, len;

	for (struct libscols_column *c = t->columns; c; c = c->next, i++) {
		for (struct libscols_line *l = t->lines; l; l = l->next) {
			len = l->cells[i] ? strlen(l->cells[i]) : 0;
			if (len > c->width)
				c->width = len;
		}
	}
}

/* Takes from the widest columns that may be cut, until the table fits. */
static void shrink(struct libscols_table *t)
{
	struct libscols_column *widest;
	size_t total;

	do {
		widest = NULL;
		total = t->n_columns - 1;
		for (struct libscols_column *c = t->columns; c; c = c->next) {
			total += c->width;
			if (c->flags & SCOLS_FL_TRUNC && c->width > 1 &&
			    (!widest || c->width >= widest->width))
				widest = c;
		}
		if (widest && total > t->termwidth)
			widest->width--;
	} while (widest && total > t->termwidth);
}

static void print_cell(FILE *out, const struct libscols_column *c, const char *text)
{
	int width = (int)c->width;

	if (c->flags & SCOLS_FL_RIGHT)
		fprintf(out, "%*s", width, text);
	else if (c->next)
		fprintf(out, "%-*.*s", width, width, text);
	else
		fprintf(out, "%.*s", width, text);
	fputc(c->next ? ' ' : '\n', out);
}

int scols_print_table(struct libscols_table *t)
{
	if (!t->columns || !t->lines)
		return 0;
	measure(t);
	shrink(t);
	for (struct libscols_column *c = t->columns; c; c = c->next)
		print_cell(t->out, c, c->name);
	for (struct libscols_line *l = t->lines; l; l = l->next) {
		size_t i = 0;

		for (struct libscols_column *c = t->columns; c; c = c->next, i++)
			print_cell(t->out, c, l->cells[i] ? l->cells[i] : "");
	}
	return 0;
}
