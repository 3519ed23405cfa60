// SPDX-License-Identifier: BSD-2-Clause
#include "render/diff.h"

#include <errno.h>

#include "render/escape.h"
#include "render/grid.h"
#include "render/json_value.h"

#define CLIP	30		/* longest cell, but with -v */
#define LABEL	256

/* ---- text */

/* Words from column at on, broken at the width; further lines begin at column indent. */
static void put_wrapped(FILE *out, const struct rct_diff_view *view, int at, int indent, const char *text)
{
	bool first = true;

	while (*text) {
		int n = strcspn(text, " ");

		if (!first && view->width && at + 1 + n > view->width) {
			fprintf(out, "\n%*s", indent, "");
			at = indent;
			first = true;
		}
		at += fprintf(out, "%s%.*s", first ? "" : " ", n, text);
		first = false;
		text += n + (text[n] == ' ');
	}
	fputc('\n', out);
}

static bool shown(const struct rct_difference *r, const struct rct_diff_view *view)
{
	if (view->verbose < 0)
		return r->severity == RCT_CRITICAL || r->severity == RCT_WARNING;
	return r->severity != RCT_OK_FINDING || view->verbose > 0;
}

static char *clip(const char *text, const struct rct_diff_view *view, char buf[256])
{
	rct_escape(text, 0, buf, 256);
	if (view->verbose < 1 && strlen(buf) > CLIP) {
		rct_escape(text, 0, buf, CLIP - 2);
		strcat(buf, "...");
	}
	return buf;
}

/* What an empty text stands for. */
static const char *value(const struct rct_difference *r, u32 side)
{
	if (*r->v[side])
		return r->v[side];
	if (r->kind == RCT_DIFF_FINDING || !strcmp(r->name, "nic"))
		return "no";
	return r->kind == RCT_DIFF_JOB && r->severity != RCT_UNKNOWN_FINDING ? "not set" : "n/a";
}

static void where(const struct rct_difference *r, char *buf, size_t size)
{
	if (r->nics > 1)
		snprintf(buf, size, "%s and %u more", r->object, r->nics - 1);
	else
		snprintf(buf, size, "%s", *r->object ? r->object : "host");
}

static void upper(const char *name, char buf[16])
{
	size_t i;

	for (i = 0; name[i] && i < 15; i++)
		buf[i] = name[i] & ~0x20;
	buf[i] = 0;
}

static int add_row(struct rct_grid *g, const struct rct_difference *r, const struct rct_diff_view *view)
{
	char level[16], name[256], object[256], a[256], b[256], place[220];

	if (r->severity == RCT_OK_FINDING || r->severity == RCT_UNKNOWN_FINDING)
		snprintf(level, sizeof(level), "%s", r->severity == RCT_OK_FINDING ? "alike" : "unknown");
	else
		upper(rct_severity_name(r->severity), level);
	where(r, place, sizeof(place));
	return rct_grid_add(g, (const char *[]){ level, clip(r->name, view, name), clip(place, view, object),
						 clip(value(r, 0), view, a), clip(value(r, 1), view, b) });
}

/* Long names stand above the table, and letters in it. */
static bool letters(const struct rct_diff_view *view)
{
	return strlen(view->label[0]) > CLIP || strlen(view->label[1]) > CLIP;
}

static int put_table(FILE *out, const struct rct_diff *d, const struct rct_diff_view *view)
{
	char label[2][LABEL];
	struct rct_column columns[] = {
		{ "LEVEL", 9, true }, { "WHAT", 9, true }, { "WHERE", 5, true },
		{ letters(view) ? "A" : rct_escape(view->label[0], 0, label[0], LABEL), 9, true },
		{ letters(view) ? "B" : rct_escape(view->label[1], 0, label[1], LABEL), 9, true },
	};
	struct rct_grid g = { .columns = columns, .n = 5 };
	int err = 0;

	for (size_t i = 0; i < d->n && !err; i++) {
		if (shown(&d->v[i], view))
			err = add_row(&g, &d->v[i], view);
	}
	if (!err && g.rows)
		err = rct_grid_print(out, &g, view->width);
	rct_grid_free(&g);
	return err;
}

/* What it means, of each name once; of findings what they said. */
static void put_reasons(FILE *out, const struct rct_diff *d, const struct rct_diff_view *view)
{
	char name[256], why[600];

	for (size_t i = 0; i < d->n; i++) {
		const struct rct_difference *r = &d->v[i];
		bool again = !*r->why || !shown(r, view) || r->severity == RCT_OK_FINDING;

		for (size_t k = 0; k < i && !again; k++)
			again = shown(&d->v[k], view) && !strcmp(d->v[k].name, r->name) && !strcmp(d->v[k].why, r->why);
		if (!again)
			put_wrapped(out, view, fprintf(out, "  %s: ", rct_escape(r->name, 0, name, sizeof(name))), 4,
				    rct_escape(r->why, 0, why, sizeof(why)));
	}
}

static u32 count(const struct rct_diff *d, const struct rct_diff_view *view)
{
	u32 n = 0;

	for (size_t i = 0; i < d->n; i++)
		n += shown(&d->v[i], view) && d->v[i].severity != RCT_OK_FINDING;
	return n;
}

static void put_header(FILE *out, const struct rct_diff *d, const struct rct_diff_view *view)
{
	bool long_names = letters(view);
	char a[LABEL], b[LABEL];

	fprintf(out, "rocetrace diff  %s and %s  ", long_names ? "A" : rct_escape(view->label[0], 0, a, LABEL),
		long_names ? "B" : rct_escape(view->label[1], 0, b, LABEL));
	fprintf(out, "%u pair%s of NICs%s\n", d->pairs, d->pairs == 1 ? "" : "s", !d->pairs ? "" :
		d->by_name == d->pairs ? ", by their names" : d->by_name ?
		", by their names, the others in their order" : ", in the order of their names");
	if (long_names)
		fprintf(out, "A        %s\nB        %s\n", rct_escape(view->label[0], 0, a, LABEL),
			rct_escape(view->label[1], 0, b, LABEL));
	if (!count(d, view))
		fputs("OK       nothing differs that matters, in what both tell\n", out);
}

int rct_render_diff_text(FILE *out, const struct rct_diff *d, const struct rct_diff_view *view)
{
	int err;

	if (view->verbose >= 0)
		put_header(out, d, view);
	err = put_table(out, d, view);
	if (!err && view->verbose >= 0) {
		put_reasons(out, d, view);
		fprintf(out, "SEEN     %u values that both tell\n", d->compared);
		if (*d->unread)
			put_wrapped(out, view, fprintf(out, "UNSEEN   not told by both: "), 9, d->unread);
	}
	if (fflush(out) || ferror(out))
		return -EIO;
	return err;
}

/* ---- JSON */

static json_t *row(const struct rct_difference *r)
{
	return json_pack("{ss ss so so sI so so so}", "severity", r->severity == RCT_OK_FINDING ? "alike" :
			 rct_severity_name(r->severity), "kind", rct_diff_kind_name(r->kind), "name", rct_json_text(r->name),
			 "object", rct_json_text_or_null(r->object), "nics", (json_int_t)r->nics,
			 "a", rct_json_text_or_null(r->v[0]), "b", rct_json_text_or_null(r->v[1]),
			 "why", rct_json_text_or_null(r->why));
}

static json_t *host(const struct rct_snapshot *s, const char *label)
{
	double seconds = rct_facts_seconds(s->before, s->facts);

	return json_pack("{so so so so}", "label", rct_json_text(label), "name", rct_json_text_or_null(s->host),
			 "kernel", rct_json_text_or_null(s->kernel), "seconds", seconds > 0 ? json_real(seconds) : json_null());
}

static json_t *words(const char *list)
{
	json_t *ret = json_array();

	while (*list) {
		size_t n = strcspn(list, ",");

		json_array_append_new(ret, json_stringn(list, n));
		list += n + (list[n] == ',');
		list += *list == ' ';
	}
	return ret;
}

int rct_render_diff_json(FILE *out, const struct rct_diff *d, const struct rct_diff_view *view)
{
	json_t *rows = json_array(), *all;
	bool failed = !rows;

	for (size_t i = 0; i < d->n; i++)
		failed |= json_array_append_new(rows, row(&d->v[i])) != 0;
	all = json_pack("{si ss ss so so sI sI sI so so}", "schema", 1, "tool", "rocetrace " RCT_VERSION, "command", "diff",
			"a", host(d->s[0], view->label[0]), "b", host(d->s[1], view->label[1]),
			"pairs", (json_int_t)d->pairs, "pairs_by_name", (json_int_t)d->by_name,
			"compared", (json_int_t)d->compared, "unread", words(d->unread), "differences", rows);
	failed |= !all || json_dumpf(all, out, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
	json_decref(all);
	if (failed && !ferror(out))
		return -ENOMEM;
	return fputc('\n', out) == EOF || fflush(out) || ferror(out) ? -EIO : 0;
}
