// SPDX-License-Identifier: BSD-2-Clause
#include "lib/tap.h"

#include <stdarg.h>
#include <stdio.h>

static unsigned int n, failed;

bool rct_tap(bool good, const char *fmt, ...)
{
	va_list ap;

	n++;
	failed += !good;
	printf("%sok - ", good ? "" : "not ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	return good;
}

void rct_tap_say(const char *fmt, ...)
{
	va_list ap;

	printf("# ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

void rct_tap_skip(const char *what, const char *reason)
{
	n++;
	printf("ok - %s # SKIP %s\n", what, reason);
}

int rct_tap_end(void)
{
	printf("1..%u\n", n);
	return failed ? 1 : 0;
}
