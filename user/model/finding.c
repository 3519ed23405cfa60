// SPDX-License-Identifier: BSD-2-Clause
#include "model/finding.h"

#include <stdlib.h>

struct rct_finding *rct_findings_add(struct rct_findings *f)
{
	struct rct_finding *v = realloc(f->v, (f->n + 1) * sizeof(*v));

	if (!v)
		return NULL;
	f->v = v;
	return memset(&v[f->n++], 0, sizeof(*v));
}

void rct_findings_free(struct rct_findings *f)
{
	free(f->v);
	memset(f, 0, sizeof(*f));
}

const char *rct_severity_name(enum rct_severity s)
{
	static const char *const names[] = {
		[RCT_OK_FINDING] = "ok", [RCT_NOTICE] = "notice", [RCT_WARNING] = "warning",
		[RCT_CRITICAL] = "critical", [RCT_UNKNOWN_FINDING] = "unknown",
	};

	return names[s];
}
