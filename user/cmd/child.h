/* SPDX-License-Identifier: BSD-2-Clause */
/* `run -- CMD`: starts CMD once tracing is on, and ends when it ends. */
#ifndef RCT_CHILD_H
#define RCT_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct rct_child {
	pid_t pid;	/* 0: none */
	int go;		/* a byte written here lets it run; -1: none */
	bool done;
	int status;	/* exit code as a shell gives it, once done */
};

/*
 * Forks, so that everything that can fail has failed before tracing starts; the
 * child waits for rct_child_go(). 0 or -errno.
 */
int rct_child_prepare(struct rct_child *c, char **argv);
void rct_child_go(struct rct_child *c);

/* Looks whether it ended, without waiting. */
void rct_child_look(struct rct_child *c);

/* Passes a signal on, or ends a child that never ran. */
void rct_child_signal(struct rct_child *c, int sig);

#endif
