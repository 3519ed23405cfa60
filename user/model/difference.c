// SPDX-License-Identifier: BSD-2-Clause
#include "model/difference.h"

#include <stdlib.h>

const char *rct_diff_kind_name(enum rct_diff_kind k)
{
	static const char *const names[] = {
		[RCT_DIFF_NIC] = "nic", [RCT_DIFF_JOB] = "job", [RCT_DIFF_FINDING] = "finding",
		[RCT_DIFF_COUNTER] = "counter", [RCT_DIFF_HOST] = "host",
	};

	return names[k];
}

void rct_diff_free(struct rct_diff *d)
{
	free(d->v);
	memset(d, 0, sizeof(*d));
}
