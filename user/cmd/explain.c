// SPDX-License-Identifier: BSD-2-Clause
/* `rocetrace explain [ID]`: what a finding, a counter or a word of the report means. */
#include <stdio.h>
#include <string.h>

#include "analyse/analyse.h"
#include "base/util.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "render/counters.h"

#define WIDTH	80

/* All that can be asked for: for the nearest to a name that is none. */
static const char *id_at(size_t i)
{
	size_t n = 0;

	while (rct_explanation_at(n))
		n++;
	return i < n ? rct_explanation_at(i)->id : rct_counters_name(i - n);
}

static void list(void)
{
	const struct rct_explanation *e;

	for (size_t i = 0; (e = rct_explanation_at(i)); i++)
		printf("%-20s%s\n", e->id, e->title);
	printf("\nCounters, which NICs call otherwise; their names can be asked for, too:\n\n");
	rct_counters_list(stdout);
}

/* Paragraphs, wrapped between words. */
static void print_text(const char *text)
{
	size_t column = 0, n;

	for (; *text; text += n + (text[n] == ' ')) {
		n = strcspn(text, " \n");
		if (n && column && column + 1 + n > WIDTH) {
			putchar('\n');
			column = 0;
		}
		if (n)
			column += printf("%s%.*s", column ? " " : "", (int)n, text);
		if (text[n] == '\n') {
			putchar('\n');
			n++;
			column = 0;
		}
	}
	putchar('\n');
}

static int explain(const char *id)
{
	const struct rct_explanation *e;
	const char *near;

	for (size_t i = 0; (e = rct_explanation_at(i)); i++) {
		if (strcmp(e->id, id))
			continue;
		printf("%s\n  %s\n\n", e->id, e->title);
		print_text(e->text);
		return RCT_EXIT_OK;
	}
	if (!rct_counters_explain(stdout, id))
		return RCT_EXIT_OK;
	near = rct_nearest(id, id_at);
	fprintf(stderr, "rocetrace explain: nothing is called '%s'%s%s%s\n'rocetrace explain' lists all.\n", id,
		near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	return RCT_EXIT_USAGE;
}

int rct_cmd_explain(int argc, char **argv)
{
	struct rct_options o;
	int rc = rct_options_parse("explain", argc, argv, &o);

	if (rc) {
		rct_options_free(&o);
		return rc == RCT_OPTIONS_HELP ? RCT_EXIT_OK : rc;
	}
	if (o.n_rest)
		rc = explain(o.rest[0]);
	else
		list();
	rct_options_free(&o);
	return fflush(stdout) && !rc ? RCT_EXIT_FAIL : rc;
}
