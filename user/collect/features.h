/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Everything that decides what can be seen on this host, one row each, tried or
 * looked up now. Works without privileges, and then says what it could not try.
 */
#ifndef RCT_FEATURES_H
#define RCT_FEATURES_H

#include "types.h"

enum rct_feature_state {
	RCT_HAVE,		/* ok */
	RCT_HAVE_PART,		/* partial */
	RCT_HAVE_NOT,		/* no */
	RCT_HAVE_UNKNOWN,	/* could not be tried */
};

struct rct_feature {
	const char *group;		/* kernel, privileges, hooks, rdma, interfaces */
	char id[64];
	enum rct_feature_state state;
	char found[400];		/* what it is, and what was found */
	const char *costs;		/* what goes without it; NULL where all is there */
	const char *remedy;		/* what would help; NULL: nothing, or no need */
};

const char *rct_feature_state_name(enum rct_feature_state s);

/* Calls each for every row, in groups. */
void rct_features(void (*each)(const struct rct_feature *f, void *arg), void *arg);

#endif
