// SPDX-License-Identifier: BSD-2-Clause
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>

int rct_fail(struct rct_err *e, int errnum, const char *fmt, ...)
{
	va_list ap;

	if (e) {
		va_start(ap, fmt);
		vsnprintf(e->text, sizeof(e->text), fmt, ap);
		va_end(ap);
	}
	return -errnum;
}
