/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command line as a struct. One table in options.c has every option; getopt's
 * lists, --help, the checks and the man page's test are made from it.
 */
#ifndef RCT_OPTIONS_H
#define RCT_OPTIONS_H

#include <stdio.h>

#include "capture/live.h"
#include "render/render.h"

/* An address as flow keys have it: network order, IPv4 as ::ffff:a.b.c.d. */
struct rct_addr {
	u64 w[2];
};

struct rct_options {
	const char **ifaces;		/* -i, without any */
	size_t n_ifaces;
	bool any;			/* -i any */
	double seconds;			/* -t; 0: until Ctrl-C */
	bool seconds_set;		/* -t was given */
	double interval;		/* --interval; 0: one report at the end */
	enum rct_hook hook;
	bool no_promisc;
	u32 flows;			/* size of the flow table */
	struct rct_addr *hosts;		/* --host; none: all */
	size_t n_hosts;
	u32 *qps;			/* --qp; none: all */
	size_t n_qps;
	const char *sysroots[2];	/* --sysroot: the host, or before and after */
	size_t n_sysroots;
	const char *nccl_log;		/* --nccl-log; NULL: none */
	const char *output;		/* -o; NULL: none */
	bool redact;
	bool all, topology, fix, undo;	/* of irq */
	const char *expect;		/* --expect; NULL: none */
	u32 top;			/* flows in the text report; 0: all */
	enum rct_sort sort;
	bool json;
	const char *json_file;		/* "-": standard output, and no text */
	FILE *json_out;			/* the file, open; NULL: none, or standard output */
	enum rct_severity fail_on;	/* RCT_OK_FINDING: never */
	bool fail_unknown;
	bool fail_set;			/* --fail-on was given */
	bool many;			/* several reports: of hosts, one after the other */
	int verbose, quiet;
	char **rest;			/* operands; of run: CMD and its arguments, NULL at the end */
	int n_rest;
	bool has_cmd;			/* run: there is a CMD */
};

/* rct_options_parse(): --help was asked for and printed. The command ends with RCT_EXIT_OK. */
#define RCT_OPTIONS_HELP	(-1)

/*
 * argv[0] is the verb. 0: go on; RCT_OPTIONS_HELP; else an exit code, and the reason
 * is on standard error. *o is to be freed in every case. Strings of *o lie in argv.
 */
int rct_options_parse(const char *verb, int argc, char **argv, struct rct_options *o);
void rct_options_free(struct rct_options *o);

/* A verb as users see it. */
struct rct_verb {
	const char *name;
	const char *operands;		/* of the usage line */
	const char *help;		/* one line */
	unsigned bit;			/* in an option's set of verbs */
	int least, most;		/* operands */
};

/* The i-th verb; NULL behind the last. */
const struct rct_verb *rct_verb_at(size_t i);

/* "-t, --time=SECONDS" and help of the i-th option; false behind the last. For tests. */
bool rct_option_at(size_t i, char *flags, size_t size, const char **help);

/* The name of that verb, or NULL: for rct_nearest(). */
const char *rct_verb_name(size_t i);

#endif
