// SPDX-License-Identifier: BSD-2-Clause
#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct unit {
	double size;
	const char *name;
};

/* Three digits that count, and the largest unit that leaves something before the point. */
static char *scale(double x, const struct unit *units, char *buf)
{
	const struct unit *u = units;

	/* 999.6 of a unit would be printed as 1000 */
	while (u->size > 1 && x < u->size * 0.9995)
		u++;
	x /= u->size;
	snprintf(buf, RCT_UNIT_TEXT, "%.*f%s%s", u->size <= 1 || x >= 99.95 ? 0 : x >= 9.995 ? 1 : 2, x,
		 *u->name ? " " : "", u->name);
	return buf;
}

char *rct_count_text(uint64_t n, char *buf)
{
	static const struct unit units[] = {
		{ 1e18, "E" }, { 1e15, "P" }, { 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" }, { 1, "" },
	};

	if (n < 1000)
		snprintf(buf, RCT_UNIT_TEXT, "%" PRIu64, n);
	else if (n < 1000000)
		snprintf(buf, RCT_UNIT_TEXT, "%" PRIu64 ",%03" PRIu64, n / 1000, n % 1000);
	else
		scale(n, units, buf);
	return buf;
}

char *rct_bytes_text(uint64_t n, char *buf)
{
	static const struct unit units[] = {
		{ 1e18, "EB" }, { 1e15, "PB" }, { 1e12, "TB" }, { 1e9, "GB" }, { 1e6, "MB" },
		{ 1e3, "kB" }, { 1, "B" },
	};

	return scale(n, units, buf);
}

char *rct_rate_text(uint64_t bytes, double seconds, char *buf)
{
	static const struct unit units[] = {
		{ 1e15, "Pb/s" }, { 1e12, "Tb/s" }, { 1e9, "Gb/s" }, { 1e6, "Mb/s" }, { 1e3, "kb/s" },
		{ 1, "b/s" },
	};

	if (!(seconds > 0))
		return strcpy(buf, "n/a");
	return scale(bytes * 8.0 / seconds, units, buf);
}

char *rct_time_text(uint64_t ns, char *buf)
{
	static const struct unit units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" } };

	return scale(ns, units, buf);
}

char *rct_share_text(uint64_t part, uint64_t whole, char *buf)
{
	double percent = whole ? 100.0 * part / whole : 0;

	if (!whole)
		strcpy(buf, "n/a");
	else if (!part)
		strcpy(buf, "0 %");
	else if (percent < 0.01)
		snprintf(buf, RCT_UNIT_TEXT, "%.*f per million", percent < 0.001 ? 1 : 0, percent * 1e4);
	else
		snprintf(buf, RCT_UNIT_TEXT, "%.*f %%", percent < 1 ? 2 : percent < 10 ? 1 : 0, percent);
	return buf;
}
