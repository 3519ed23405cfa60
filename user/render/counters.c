// SPDX-License-Identifier: BSD-2-Clause
#include "render/counters.h"

#include <errno.h>

#include "model/counter.h"

/* Rows of one driver, best first, have keys below this: four ranks of four lists. */
#define KEYS	16

/* Of two that a device has, the one with the lower key is taken. */
static u32 key_of(const struct rct_counter_map *m)
{
	return m->rank * 4 + m->group;
}

/* "mlx5" of "mlx5 mlx5_core": the second is the name of the same driver's interfaces. */
static int driver_len(const struct rct_counter_map *m)
{
	return strcspn(m->drivers, " ");
}

static bool same_driver(const struct rct_counter_map *a, const struct rct_counter_map *b)
{
	return !strcmp(a->drivers, b->drivers);
}

/* The first row of this driver that makes the canonical. */
static bool is_first(size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (rct_counter_maps[k].canonical == rct_counter_maps[i].canonical &&
		    same_driver(&rct_counter_maps[k], &rct_counter_maps[i]))
			return false;
	}
	return true;
}

/* What is done with the value, or when it is taken. */
static void put_notes(FILE *out, const struct rct_counter_map *m, bool lesser)
{
	const char *between = "   ";

	if (m->factor) {
		fprintf(out, "%stimes %u", between, m->factor);
		between = ", ";
	}
	if (m->bits) {
		fprintf(out, "%sof %u bits", between, m->bits);
		between = ", ";
	}
	if (m->add || m->subtract) {
		fprintf(out, "%s%s", between, m->add ? "added up" : "taken off");
		between = ", ";
	}
	if (lesser)
		fprintf(out, "%sif none of those above", between);
	fputc('\n', out);
}

static void put_row(FILE *out, const struct rct_counter_map *m, bool first, bool lesser)
{
	bool all = *m->drivers == '*';

	fprintf(out, "  %-10.*s%s/%s", !first ? 0 : all ? 3 : driver_len(m), all ? "all" : m->drivers,
		rct_counter_group_name(m->group), m->name);
	put_notes(out, m, lesser);
}

/* All rows of the i-th's driver, in the order in which they are looked for. */
static void put_driver(FILE *out, size_t i)
{
	const struct rct_counter_map *of = &rct_counter_maps[i], *m;
	u32 best = KEYS;
	bool first = true;

	for (u32 key = 0; key < KEYS; key++) {
		for (size_t k = i; k < rct_counter_maps_n; k++) {
			m = &rct_counter_maps[k];
			if (key_of(m) != key || m->canonical != of->canonical || !same_driver(m, of))
				continue;
			best = best < key ? best : key;
			put_row(out, m, first, key > best);
			first = false;
		}
	}
}

static void put_canonical(FILE *out, enum rct_canonical c)
{
	const struct rct_canonical_info *info = rct_canonical_at(c);

	fprintf(out, "%s\n  %s\n\n", info->name, info->text);
	fprintf(out, "A counter, in %s%s.\nFindings and JSON call it so whatever the NIC calls it. "
		"By driver, it is read from:\n\n", info->unit, info->prio ? ", for each priority (#)" : "");
	for (size_t i = 0; i < rct_counter_maps_n; i++) {
		if (rct_counter_maps[i].canonical == c && is_first(i))
			put_driver(out, i);
	}
}

/* What vendors call so, by canonical counter. */
static u32 put_vendors(FILE *out, const char *name)
{
	u32 n = 0;

	for (u32 c = 0; c < RCT_CANONICAL_COUNT; c++) {
		bool any = false;

		for (size_t i = 0; i < rct_counter_maps_n; i++) {
			const struct rct_counter_map *m = &rct_counter_maps[i];

			if (m->canonical != c || !rct_counter_called(m, name))
				continue;
			fprintf(out, "%s%s/%s of %.*s %s %s.\n", n && !any ? "\n" : "", rct_counter_group_name(m->group),
				m->name, *m->drivers == '*' ? 15 : driver_len(m), *m->drivers == '*' ? "every interface" : m->drivers,
				m->subtract ? "is taken off" : m->add ? "is a part of" : "is", rct_canonical_at(c)->name);
			any = true;
			n++;
		}
		if (!any)
			continue;
		fputc('\n', out);
		put_canonical(out, c);
	}
	return n;
}

int rct_counters_explain(FILE *out, const char *name)
{
	for (u32 c = 0; c < RCT_CANONICAL_COUNT; c++) {
		if (strcmp(rct_canonical_at(c)->name, name))
			continue;
		put_canonical(out, c);
		return 0;
	}
	return put_vendors(out, name) ? 0 : -ENOENT;
}

void rct_counters_list(FILE *out)
{
	for (u32 c = 0; c < RCT_CANONICAL_COUNT; c++)
		fprintf(out, "%-24s%s\n", rct_canonical_at(c)->name, rct_canonical_at(c)->text);
}

const char *rct_counters_name(size_t i)
{
	if (i < RCT_CANONICAL_COUNT)
		return rct_canonical_at(i)->name;
	i -= RCT_CANONICAL_COUNT;
	return i < rct_counter_maps_n ? rct_counter_maps[i].name : NULL;
}
