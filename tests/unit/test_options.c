// SPDX-License-Identifier: BSD-2-Clause
/* user/cmd/options.c: what is accepted, what it becomes, what is refused and how. */
#include "lib/unit.h"

#include <stdio.h>
#include <unistd.h>

#include "base/util.h"
#include "cmd/cmd.h"
#include "cmd/options.h"

#define WORDS	32

/* A command line split at blanks, and what came of it. */
struct line {
	struct rct_options o;
	int rc;
	char text[256];
	char *argv[WORDS];
	char said[4096];	/* on standard output and standard error */
};

/* Runs the parser with both outputs in a file. */
static void parse(struct line *l, const char *text)
{
	FILE *file = tmpfile();
	int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO), argc = 0;
	size_t n;

	assert_non_null(file);
	memset(l, 0, sizeof(*l));
	snprintf(l->text, sizeof(l->text), "%s", text);
	for (char *p = strtok(l->text, " "); p && argc < WORDS - 1; p = strtok(NULL, " "))
		l->argv[argc++] = p;
	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	dup2(fileno(file), STDERR_FILENO);
	l->rc = rct_options_parse(l->argv[0], argc, l->argv, &l->o);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	close(out);
	close(err);
	rewind(file);
	n = fread(l->said, 1, sizeof(l->said) - 1, file);
	l->said[n] = 0;
	fclose(file);
}

static void test_defaults(void **state)
{
	struct line l;

	(void)state;
	parse(&l, "run");
	assert_int_equal(l.rc, 0);
	assert_string_equal(l.said, "");
	assert_true(l.o.seconds == 10 && !l.o.seconds_set && l.o.interval == 0);
	assert_int_equal(l.o.flows, 65536);
	assert_int_equal(l.o.top, 20);
	assert_int_equal(l.o.n_ifaces + l.o.n_hosts + l.o.n_qps + l.o.n_rest, 0);
	assert_int_equal(l.o.hook, RCT_HOOK_AUTO);
	assert_int_equal(l.o.sort, RCT_SORT_WORST);
	assert_int_equal(l.o.fail_on, RCT_OK_FINDING);
	assert_false(l.o.any || l.o.no_promisc || l.o.json || l.o.fail_unknown || l.o.fail_set || l.o.has_cmd);
	rct_options_free(&l.o);
}

static void test_run(void **state)
{
	struct line l;

	(void)state;
	parse(&l, "run -i eth0 -i eth1 --interface any -t 0.25 --interval=2 --hook netdev -p --flows 16 "
	      "--sort cnp --top 0 -vv");
	assert_int_equal(l.rc, 0);
	assert_int_equal(l.o.n_ifaces, 2);
	assert_string_equal(l.o.ifaces[0], "eth0");
	assert_string_equal(l.o.ifaces[1], "eth1");
	assert_true(l.o.any);
	assert_true(l.o.seconds == 0.25 && l.o.seconds_set && l.o.interval == 2);
	assert_int_equal(l.o.hook, RCT_HOOK_NETDEV);
	assert_true(l.o.no_promisc);
	assert_int_equal(l.o.flows, 16);
	assert_int_equal(l.o.sort, RCT_SORT_CNP);
	assert_int_equal(l.o.top, 0);
	assert_int_equal(l.o.verbose, 2);
	rct_options_free(&l.o);
}

static void test_addresses(void **state)
{
	static const u8 v4[16] = { [10] = 0xff, 0xff, 10, 0, 0, 1 };
	static const u8 v6[16] = { 0xfd, [15] = 2 };
	struct line l;

	(void)state;
	parse(&l, "read --host 10.0.0.1 --host fd00::2 --qp 17 --qp 0xABCDEF x.pcap");
	assert_int_equal(l.rc, 0);
	assert_int_equal(l.o.n_hosts, 2);
	assert_memory_equal(&l.o.hosts[0], v4, 16);
	assert_memory_equal(&l.o.hosts[1], v6, 16);
	assert_int_equal(l.o.n_qps, 2);
	assert_int_equal(l.o.qps[0], 17);
	assert_int_equal(l.o.qps[1], 0xabcdef);
	rct_options_free(&l.o);
}

static void test_operands(void **state)
{
	struct line l;

	(void)state;
	/* options and files in any order; behind -- all are files */
	parse(&l, "read a.pcap -q b.pcap -- -c");
	assert_int_equal(l.rc, 0);
	assert_int_equal(l.o.n_rest, 3);
	assert_string_equal(l.o.rest[0], "a.pcap");
	assert_string_equal(l.o.rest[2], "-c");
	assert_int_equal(l.o.quiet, 1);
	rct_options_free(&l.o);
	parse(&l, "read -");
	assert_int_equal(l.rc, 0);
	assert_string_equal(l.o.rest[0], "-");
	rct_options_free(&l.o);
	/* the command's options are its own */
	parse(&l, "run -t 3 -- ping -c 1 --help");
	assert_int_equal(l.rc, 0);
	assert_true(l.o.has_cmd);
	assert_int_equal(l.o.n_rest, 4);
	assert_string_equal(l.o.rest[3], "--help");
	assert_null(l.o.rest[4]);
	rct_options_free(&l.o);
}

static void test_check(void **state)
{
	struct line l;

	(void)state;
	parse(&l, "check");
	assert_int_equal(l.rc, 0);
	assert_int_equal(l.o.fail_on, RCT_WARNING);
	assert_int_equal(l.o.n_sysroots + l.o.n_rest, 0);
	assert_null(l.o.nccl_log);
	rct_options_free(&l.o);
	parse(&l, "check --sysroot a --sysroot=b --nccl-log job.log --fail-on none");
	assert_int_equal(l.rc, 0);
	assert_int_equal(l.o.fail_on, RCT_OK_FINDING);
	assert_int_equal(l.o.n_sysroots, 2);
	assert_string_equal(l.o.sysroots[1], "b");
	assert_string_equal(l.o.nccl_log, "job.log");
	rct_options_free(&l.o);
	parse(&l, "check hostA hostB.before,hostB.after");
	assert_int_equal(l.rc, 0);
	assert_int_equal(l.o.n_rest, 2);
	rct_options_free(&l.o);
}

static void test_json(void **state)
{
	char line[128], path[] = P_tmpdir "/rct-options-XXXXXX";
	int fd = mkstemp(path);
	struct line l;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	parse(&l, "read --json x");
	assert_true(l.o.json && !l.o.json_out);
	assert_string_equal(l.o.json_file, "-");
	rct_options_free(&l.o);
	snprintf(line, sizeof(line), "read --json=%s x", path);
	parse(&l, line);
	assert_true(l.rc == 0 && l.o.json && l.o.json_out);
	rct_options_free(&l.o);
	unlink(path);
	/* said before ten seconds of tracing, not after */
	parse(&l, "read --json=/nowhere/x.json x");
	assert_int_equal(l.rc, RCT_EXIT_FAIL);
	assert_non_null(strstr(l.said, "/nowhere/x.json: No such file or directory"));
	rct_options_free(&l.o);
}

static void test_fail_on(void **state)
{
	static const struct { const char *line; int level; bool unknown; } rows[] = {
		{ "read --fail-on notice x", RCT_NOTICE, false },
		{ "read --fail-on warning x", RCT_WARNING, false },
		{ "read --fail-on critical,unknown x", RCT_CRITICAL, true },
		{ "read --fail-on unknown x", RCT_OK_FINDING, true },
		{ "read --fail-on none x", RCT_OK_FINDING, false },
	};
	struct line l;

	(void)state;
	for (size_t i = 0; i < RCT_ARRAY_SIZE(rows); i++) {
		parse(&l, rows[i].line);
		assert_int_equal(l.rc, 0);
		assert_int_equal(l.o.fail_on, rows[i].level);
		assert_int_equal(l.o.fail_unknown, rows[i].unknown);
		assert_true(l.o.fail_set);
		rct_options_free(&l.o);
	}
}

/* Refused with exit code 2; the user's text, and what would be right, are in the message. */
static void test_refused(void **state)
{
	static const struct { const char *line, *quoted, *right; } rows[] = {
		{ "run --tiem 5", "'--tiem'", "did you mean --time?" },
		{ "run --zzzz", "'--zzzz'", "--help" },
		{ "run -x", "'-x'", "--help" },
		{ "read -t 5 x", "'-t'", "other commands" },
		{ "run -t", "--time needs a value", "SECONDS" },
		{ "run -t x", "'x'", "a number of seconds from 0 to 31536000" },
		{ "run -t -1", "'-1'", "a number of seconds" },
		{ "run -t 1e3", "'1e3'", "a number of seconds" },
		{ "run -t nan", "'nan'", "a number of seconds" },
		{ "run -t 0x10", "'0x10'", "a number of seconds" },
		{ "run -t .", "'.'", "a number of seconds" },
		{ "run -t 1.2.3", "'1.2.3'", "a number of seconds" },
		{ "run -t 31536001", "'31536001'", "to 31536000" },
		{ "run --interval 0", "'0'", "from 0.1 to 86400" },
		{ "run --hook kprobe", "'kprobe'", "one of auto, xdp, tc, netdev" },
		{ "run --sort size", "'size'", "worst, bytes" },
		{ "run --flows 15", "'15'", "from 16 to 1048576" },
		{ "run --flows 1048577", "'1048577'", "to 1048576" },
		{ "run --flows 99999999999999999999", "'99999999999999999999'", "to 1048576" },
		{ "run --flows 1k", "'1k'", "whole number" },
		{ "run --top -5", "'-5'", "whole number from 0" },
		{ "run --host 10.0.0", "'10.0.0'", "IPv4 or IPv6 address" },
		{ "run --host 10.0.0.256", "'10.0.0.256'", "IPv4 or IPv6 address" },
		{ "run --qp 16777216", "'16777216'", "0 to 16777215" },
		{ "run --qp 0x", "'0x'", "queue pair" },
		{ "run --qp 0x-1", "'0x-1'", "queue pair" },
		{ "run -i an-interface-too-long", "'an-interface-too-long'", "15 characters" },
		{ "run -i a/b", "'a/b'", "interface's name" },
		{ "run --fail-on severe", "'severe'", "notice, warning, critical or none" },
		{ "run --fail-on warning,", "'warning,'", "notice, warning" },
		{ "run --json=", "''", "a file's name" },
		{ "run -p=1", "'-='", "--help" },
		{ "run --quiet=1", "'--quiet=1'", "takes no value" },
		{ "run --json -vz", "'-z'", "--help" },
		{ "run eth0", "'eth0'", "an interface behind -i" },
		{ "run --", "behind --", "a command to run" },
		{ "read", "FILE... is missing", "--help" },
		{ "explain a b", "'b'", "too many" },
		{ "probe x", "'x'", "too many" },
		{ "check --sysroot a --sysroot b --sysroot c", "'c'", "twice for before and after" },
		{ "check --sysroot=", "''", "a folder" },
		{ "check --sysroot a b", "'b'", "either with --sysroot or as operands" },
		{ "check --nccl-log=", "''", "a file's name" },
		{ "check --host 10.0.0.1", "'--host'", "" },
	};
	struct line l;

	(void)state;
	for (size_t i = 0; i < RCT_ARRAY_SIZE(rows); i++) {
		parse(&l, rows[i].line);
		if (l.rc != RCT_EXIT_USAGE || !strstr(l.said, rows[i].quoted) || !strstr(l.said, rows[i].right))
			fail_msg("%s: status %d, and said: %s", rows[i].line, l.rc, l.said);
		rct_options_free(&l.o);
	}
}

static void test_help(void **state)
{
	const struct rct_verb *v;
	struct line l;
	char line[64];

	(void)state;
	for (size_t i = 0; (v = rct_verb_at(i)); i++) {
		snprintf(line, sizeof(line), "%s --help", v->name);
		parse(&l, line);
		assert_int_equal(l.rc, RCT_OPTIONS_HELP);
		assert_non_null(strstr(l.said, v->help));
		assert_non_null(strstr(l.said, "-h, --help"));
		rct_options_free(&l.o);
		for (const char *p = l.said; *p; p = strchr(p, '\n') + 1)
			assert_true(strcspn(p, "\n") <= 80);
	}
	/* only what the verb has */
	parse(&l, "read -h");
	assert_non_null(strstr(l.said, "--json[=FILE]"));
	assert_null(strstr(l.said, "--hook"));
	rct_options_free(&l.o);
}

/* No option twice, none without help. */
static void test_table(void **state)
{
	char a[64], b[64];
	const char *help;

	(void)state;
	for (size_t i = 0; rct_option_at(i, a, sizeof(a), &help); i++) {
		assert_true(*help);
		for (size_t j = 0; j < i; j++) {
			const char *x = strstr(a, "--"), *y;

			rct_option_at(j, b, sizeof(b), &help);
			y = strstr(b, "--");
			assert_string_not_equal(x, y);
			assert_false(a[1] != '-' && b[1] != '-' && a[1] == b[1]);
		}
	}
}

static const char *verb_or_not(size_t i)
{
	return rct_verb_name(i);
}

static void test_nearest(void **state)
{
	(void)state;
	assert_string_equal(rct_nearest("raed", verb_or_not), "read");
	assert_string_equal(rct_nearest("cleenup", verb_or_not), "cleanup");
	assert_string_equal(rct_nearest("exp", verb_or_not), "explain");
	assert_null(rct_nearest("frobnicate", verb_or_not));
	assert_null(rct_nearest("", verb_or_not));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults), cmocka_unit_test(test_run), cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_operands), cmocka_unit_test(test_check), cmocka_unit_test(test_json),
		cmocka_unit_test(test_fail_on),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_help), cmocka_unit_test(test_table),
		cmocka_unit_test(test_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
