/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on several hosts at once. */
#ifndef RCT_HOSTS_H
#define RCT_HOSTS_H

#include "analyse/analyse.h"

struct hosts;

struct rct_hosts_rule {
	struct rct_explanation about;
	void (*judge)(struct hosts *h);
};

extern const struct rct_hosts_rule rct_hosts_rules[];
extern const size_t rct_n_hosts_rules;

/* Must every rank of a job be told the same by this variable? */
bool rct_env_must_agree(const char *name);
/* SLURM_JOB_ID and the like. */
bool rct_env_is_job_id(const char *name);

#endif
