/* SPDX-License-Identifier: BSD-2-Clause */
/* A judgement on a snapshot: made by analyse, read by render and the exit code. */
#ifndef RCT_FINDING_H
#define RCT_FINDING_H

#include "model/snapshot.h"

enum rct_severity { RCT_OK_FINDING, RCT_NOTICE, RCT_WARNING, RCT_CRITICAL, RCT_UNKNOWN_FINDING };
enum rct_confidence { RCT_CONF_LOW, RCT_CONF_MEDIUM, RCT_CONF_HIGH };
enum rct_scope { RCT_SCOPE_HOST, RCT_SCOPE_NIC, RCT_SCOPE_FLOW, RCT_SCOPE_IRQ, RCT_SCOPE_QP };

/* One line of proof. */
struct rct_evidence {
	char metric[48];
	char value[96];		/* as people read it */
	char threshold[48];	/* what it is compared with; "" */
	char from[48];		/* where it was read: packets eth0, ... */
};

#define RCT_EVIDENCE	6
#define RCT_NEXT	4
#define RCT_EXPLAINS	4

struct rct_finding {
	const char *id;			/* area.kind, of the rule table */
	const char *explain;		/* what such a finding means, one sentence, of the rule table */
	enum rct_severity severity;
	enum rct_confidence confidence;
	enum rct_scope scope;
	char object[160];		/* flow, interface, host */
	char title[200];		/* one sentence */
	struct rct_evidence evidence[RCT_EVIDENCE];
	u32 n_evidence;
	char explains[RCT_EXPLAINS][96];	/* what else it is the cause of, and is not judged again */
	u32 n_explains;
	char impact[200];		/* what it cost; "" */
	char refuted_by[200];
	char next[RCT_NEXT][200];	/* what to type or look at next */
	u32 n_next;
	u64 weight;			/* orders findings of one severity, packets lost or repeated */
};

struct rct_findings {
	struct rct_finding *v;
	size_t n;
};

struct rct_finding *rct_findings_add(struct rct_findings *f);
void rct_findings_free(struct rct_findings *f);
const char *rct_severity_name(enum rct_severity s);	/* critical, warning, notice, ok, unknown */
const char *rct_confidence_name(enum rct_confidence c);	/* low, medium, high */
const char *rct_scope_name(enum rct_scope s);		/* host, nic, flow, irq, qp */

#endif
