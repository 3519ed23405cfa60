/* SPDX-License-Identifier: BSD-2-Clause */
/* Subcommands and exit codes. A subcommand is one file and one row in main.c. */
#ifndef RCT_CMD_H
#define RCT_CMD_H

/* Documented in the man page, tested in tests/golden. */
enum rct_exit {
	RCT_EXIT_OK = 0,	/* done, nothing at or above --fail-on */
	RCT_EXIT_FAIL = 1,	/* could not run, or not to the end */
	RCT_EXIT_USAGE = 2,
	RCT_EXIT_FINDING = 3,	/* a finding at or above --fail-on */
	/* with -- CMD, as timeout(1) and env(1): */
	RCT_EXIT_OWN = 125,	/* rocetrace itself failed */
	RCT_EXIT_NOEXEC = 126,	/* CMD was found and could not be run */
	RCT_EXIT_NOCMD = 127,	/* CMD was not found */
};

struct rct_cmd {
	const char *name;	/* its usage and help are in options.c */
	int (*run)(int argc, char **argv);	/* argv[0] is the name; returns enum rct_exit */
};

int rct_cmd_run(int argc, char **argv);
int rct_cmd_read(int argc, char **argv);
int rct_cmd_check(int argc, char **argv);
int rct_cmd_bundle(int argc, char **argv);
int rct_cmd_irq(int argc, char **argv);
int rct_cmd_diff(int argc, char **argv);
int rct_cmd_probe(int argc, char **argv);
int rct_cmd_explain(int argc, char **argv);
int rct_cmd_cleanup(int argc, char **argv);

#endif
