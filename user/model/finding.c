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

const char *rct_confidence_name(enum rct_confidence c)
{
	static const char *const names[] = {
		[RCT_CONF_LOW] = "low", [RCT_CONF_MEDIUM] = "medium", [RCT_CONF_HIGH] = "high",
	};

	return names[c];
}

const char *rct_scope_name(enum rct_scope s)
{
	static const char *const names[] = {
		[RCT_SCOPE_HOST] = "host", [RCT_SCOPE_NIC] = "nic", [RCT_SCOPE_FLOW] = "flow",
		[RCT_SCOPE_IRQ] = "irq", [RCT_SCOPE_QP] = "qp",
	};

	return names[s];
}
