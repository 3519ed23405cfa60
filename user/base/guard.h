/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading with a deadline. A driver whose firmware is sick may keep a reader of one
 * sysfs file for a minute, and nothing wakes it. So the reads of a running host are done
 * by a thread of their own; one that hangs is left behind with its thread, its source
 * (a device, an interface, a process) is not asked again, and the rest goes on.
 */
#ifndef RCT_GUARD_H
#define RCT_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#define RCT_GUARD_MS	2000	/* what one source may take, all its reads together */

struct rct_guard;

/* NULL: no memory or no thread. */
struct rct_guard *rct_guard_new(unsigned ms);
/* Threads that hang keep what they need, and free it when they wake. */
void rct_guard_free(struct rct_guard *g);

/*
 * A job as the guard's thread does it: arg is a copy that stays valid however late the
 * job ends. 0 or -errno. What it returns is freed by drop where nobody waits any more.
 */
struct rct_job {
	int (*run)(int fd, const char *path, void **ret, size_t *ret_n, void *arg);
	void (*drop)(void *ret, size_t n);
	void *arg;
	int fd;		/* a folder; the job gets a copy of it; -1: none */
};

/* Runs it for a path. -ETIMEDOUT: it hangs, or its source did before. */
int rct_guard_run(struct rct_guard *g, const struct rct_job *job, const char *path, void **ret,
		  size_t *ret_n);

/* The i-th source that did not answer in time, e.g. "sys/class/infiniband/mlx5_3"; NULL behind the last. */
const char *rct_guard_hung(const struct rct_guard *g, size_t i);

#endif
