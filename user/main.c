// SPDX-License-Identifier: BSD-2-Clause
/* The verbs. Each is a file in user/cmd. */
#include <locale.h>

#include "base/util.h"
#include "cmd/cmd.h"
#include "cmd/options.h"

static const struct rct_cmd cmds[] = {
	{ "run", rct_cmd_run },
	{ "read", rct_cmd_read },
	{ "check", rct_cmd_check },
	{ "bundle", rct_cmd_bundle },
	{ "irq", rct_cmd_irq },
	{ "diff", rct_cmd_diff },
	{ "probe", rct_cmd_probe },
	{ "explain", rct_cmd_explain },
	{ "cleanup", rct_cmd_cleanup },
};

static int help(void)
{
	const struct rct_verb *v;

	printf("Usage: rocetrace [COMMAND] [OPTION...]\n"
	       "Which RoCE flow is in trouble on this host, at which end, why, and what to type next.\n\n");
	for (size_t i = 0; (v = rct_verb_at(i)); i++)
		printf("  %-10s%s\n", v->name, v->help);
	printf("\n  rocetrace                      trace for 10 seconds\n"
	       "  rocetrace run -i eth0 -t 60    one interface, one minute\n"
	       "  rocetrace read trace.pcap      a capture file; needs no privileges\n"
	       "\n'rocetrace COMMAND --help' lists a command's options; man rocetrace has the rest.\n");
	return fflush(stdout) ? RCT_EXIT_FAIL : RCT_EXIT_OK;
}

static int version(void)
{
	puts("rocetrace " RCT_VERSION);
	return fflush(stdout) ? RCT_EXIT_FAIL : RCT_EXIT_OK;
}

static int unknown(const char *verb)
{
	const char *near = rct_nearest(verb, rct_verb_name);

	fprintf(stderr, "rocetrace: unknown command '%s'%s%s%s\nTry 'rocetrace --help'.\n", verb,
		near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	return RCT_EXIT_USAGE;
}

int main(int argc, char **argv)
{
	const char *first = argc > 1 ? argv[1] : "";

	setlocale(LC_CTYPE, "");
	if (!strcmp(first, "-h") || !strcmp(first, "--help") || !strcmp(first, "help"))
		return help();
	if (!strcmp(first, "-V") || !strcmp(first, "--version"))
		return version();
	/* bare options, or nothing at all: run */
	if (argc < 2 || *first == '-')
		return rct_cmd_run(argc, argv);
	for (size_t i = 0; i < RCT_ARRAY_SIZE(cmds); i++) {
		if (!strcmp(first, cmds[i].name))
			return cmds[i].run(argc - 1, argv + 1);
	}
	return unknown(first);
}
