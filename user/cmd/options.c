// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/options.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>

#include "base/util.h"
#include "cmd/cmd.h"

#define V_RUN		0x01
#define V_READ		0x02
#define V_PROBE		0x04
#define V_EXPLAIN	0x08
#define V_CLEANUP	0x10
#define V_CHECK		0x20
#define V_BUNDLE	0x40
#define V_IRQ		0x80
#define V_DIFF		0x100
#define V_FLOWS		(V_RUN | V_READ)
#define V_REPORT	(V_RUN | V_READ | V_CHECK | V_IRQ)
#define V_ALL		0x1ff

static const struct rct_verb verbs[] = {
	{ "run", "[-- COMMAND [ARG...]]", "trace this host's interfaces and print the report (the default)", V_RUN, 0, 0 },
	{ "read", "FILE...", "the same report from capture files; - is standard input", V_READ, 1, 65536 },
	{ "check", "[HOST...]", "judge configuration, counters and logs, of this host or captured ones", V_CHECK, 0, 4096 },
	{ "bundle", "", "pack the raw facts of this host, twice, in a file for check elsewhere", V_BUNDLE, 0, 0 },
	{ "irq", "[HOST]", "check where NIC interrupts are delivered, and print what mends it", V_IRQ, 0, 1 },
	{ "diff", "HOST HOST", "what differs that matters between two captured hosts, or two times of one", V_DIFF, 2, 2 },
	{ "probe", "", "what this host lets rocetrace see, and what would help", V_PROBE, 0, 0 },
	{ "explain", "[ID]", "what a finding or a counter means; without ID: all that can be explained", V_EXPLAIN, 0, 1 },
	{ "cleanup", "", "remove filters that a killed instance left behind", V_CLEANUP, 0, 0 },
};

enum kind {
	K_FLAG, K_COUNT, K_SECONDS, K_NUMBER, K_CHOICE, K_IFACE, K_HOST, K_QP, K_ROOT, K_FILE, K_JSON,
	K_FAIL, K_HELP,
};

struct row {
	char letter;
	const char *name;
	const char *metavar;		/* NULL: takes no value */
	enum kind kind;
	bool optional;			/* the value may be left out */
	unsigned verbs;
	size_t at;			/* in struct rct_options */
	double least, most;
	const char *const *choices;	/* by value, NULL at the end */
	const char *help;
};

static const char *const hooks[] = { "auto", "xdp", "tc", "netdev", NULL };
static const char *const sorts[] = { "worst", "bytes", "packets", "repeated", "naks", "cnp", "ce", NULL };
static const char *const levels[] = { "none", "notice", "warning", "critical", NULL };

_Static_assert(RCT_HOOK_NETDEV == 3, "hooks[] follows enum rct_hook");
_Static_assert(RCT_SORT_CE == 6, "sorts[] follows enum rct_sort");
_Static_assert(RCT_OK_FINDING == 0 && RCT_CRITICAL == 3, "levels[] follows enum rct_severity");

#define AT(field)	offsetof(struct rct_options, field)

static const struct row rows[] = {
	{ 'i', "interface", "IFACE", K_IFACE, .verbs = V_RUN,
	  .help = "trace this interface; repeatable; any: all that are up. Default: the interfaces of RDMA devices, else those that are up" },
	{ 't', "time", "SECONDS", K_SECONDS, .verbs = V_RUN | V_BUNDLE | V_IRQ, .at = AT(seconds), .least = 0, .most = 31536000,
	  .help = "how long; 0: until Ctrl-C. Default 10, of irq 2; with a COMMAND: until it ends" },
	{ 0, "interval", "SECONDS", K_SECONDS, .verbs = V_RUN, .at = AT(interval), .least = 0.1, .most = 86400,
	  .help = "a report every SECONDS instead of one at the end; JSON: one object a line" },
	{ 0, "hook", "HOOK", K_CHOICE, .verbs = V_RUN, .at = AT(hook), .choices = hooks,
	  .help = "where packets are seen: auto, xdp (received only), tc, netdev (nothing is attached to the interface)" },
	{ 'p', "no-promiscuous", NULL, K_FLAG, .verbs = V_RUN, .at = AT(no_promisc),
	  .help = "leave a capture port as it is instead of making it promiscuous" },
	{ 0, "flows", "N", K_NUMBER, .verbs = V_RUN, .at = AT(flows), .least = 16, .most = 1048576,
	  .help = "flows that the table holds. Default 65536" },
	{ 0, "host", "ADDR", K_HOST, .verbs = V_FLOWS,
	  .help = "report flows from or to this address only; repeatable" },
	{ 0, "qp", "N", K_QP, .verbs = V_FLOWS,
	  .help = "report flows to this queue pair, and to its peer where that is known, only; decimal or 0x; repeatable" },
	{ 0, "top", "N", K_NUMBER, .verbs = V_FLOWS, .at = AT(top), .least = 0, .most = 16777216,
	  .help = "flows in the table; 0: all. Default 20. JSON always has all" },
	{ 0, "sort", "KEY", K_CHOICE, .verbs = V_FLOWS, .at = AT(sort), .choices = sorts,
	  .help = "order of the table: worst, bytes, packets, repeated, naks, cnp, ce" },
	{ 0, "sysroot", "DIR", K_ROOT, .verbs = V_CHECK | V_BUNDLE | V_IRQ,
	  .help = "of the captured host in this folder instead of this one; twice: before and after an interval" },
	{ 0, "nccl-log", "FILE", K_FILE, .verbs = V_CHECK | V_BUNDLE, .at = AT(nccl_log),
	  .help = "what a job's NCCL wrote (NCCL_DEBUG=INFO), as one more source" },
	{ 'o', "output", "FILE", K_FILE, .verbs = V_BUNDLE, .at = AT(output),
	  .help = "the bundle's file, a .tar.gz" },
	{ 0, "redact", NULL, K_FLAG, .verbs = V_BUNDLE, .at = AT(redact),
	  .help = "put invented names and addresses in the place of those of hosts, processes and interfaces" },
	{ 0, "all", NULL, K_FLAG, .verbs = V_IRQ, .at = AT(all),
	  .help = "list vectors of other devices than NICs, and those that did not fire, too" },
	{ 0, "topology", NULL, K_FLAG, .verbs = V_IRQ, .at = AT(topology),
	  .help = "print nodes, their CPUs, NICs and GPUs, and each NIC's vectors, instead of a report" },
	{ 0, "fix", NULL, K_FLAG, .verbs = V_IRQ, .at = AT(fix),
	  .help = "print a shell script that spreads each NIC's vectors over CPUs near it; nothing is changed" },
	{ 0, "undo", NULL, K_FLAG, .verbs = V_IRQ, .at = AT(undo),
	  .help = "with --fix: print the script that puts back what is set now; make it first" },
	{ 0, "expect", "FILE", K_FILE, .verbs = V_IRQ, .at = AT(expect),
	  .help = "compare with a declared layout; its lines: NIC CPUS|local spread|one-to-one" },
	{ 0, "json", "FILE", K_JSON, .optional = true, .verbs = V_REPORT | V_PROBE | V_DIFF,
	  .help = "JSON to FILE beside the text; without FILE: to standard output instead of the text" },
	{ 0, "fail-on", "LEVEL", K_FAIL, .verbs = V_REPORT | V_DIFF,
	  .help = "exit with 3 for a finding or difference of this level or above: notice, warning, critical or none. Default none, of check and irq warning; a further ,unknown counts those that could not be judged" },
	{ 'q', "quiet", NULL, K_COUNT, .verbs = V_REPORT | V_BUNDLE | V_DIFF, .at = AT(quiet),
	  .help = "no progress line, and of the report only what is wrong" },
	{ 'v', "verbose", NULL, K_COUNT, .verbs = V_REPORT | V_DIFF, .at = AT(verbose),
	  .help = "every column, and the evidence of every finding; repeatable" },
	{ 'h', "help", NULL, K_HELP, .verbs = V_ALL, .help = "this text" },
};

#define ROWS	RCT_ARRAY_SIZE(rows)
#define LONG_ONLY 256		/* getopt's value of row 0, where a row has no letter */

const struct rct_verb *rct_verb_at(size_t i)
{
	return i < RCT_ARRAY_SIZE(verbs) ? &verbs[i] : NULL;
}

const char *rct_verb_name(size_t i)
{
	return i < RCT_ARRAY_SIZE(verbs) ? verbs[i].name : NULL;
}

static const struct rct_verb *verb_named(const char *name)
{
	for (size_t i = 0; i < RCT_ARRAY_SIZE(verbs); i++) {
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	}
	return NULL;
}

/* ---- help */

static void row_flags(const struct row *r, char *buf, size_t size)
{
	char letter[8] = "";

	if (r->letter)
		snprintf(letter, sizeof(letter), "-%c, ", r->letter);
	snprintf(buf, size, "%s--%s%s%s%s%s", letter, r->name, r->optional ? "[" : "",
		 r->metavar ? "=" : "", r->metavar ? r->metavar : "", r->optional ? "]" : "");
}

bool rct_option_at(size_t i, char *flags, size_t size, const char **help)
{
	if (i >= ROWS)
		return false;
	row_flags(&rows[i], flags, size);
	*help = rows[i].help;
	return true;
}

#define HELP_INDENT	28
#define HELP_WIDTH	80

/* Words of text, broken at HELP_WIDTH; the first line goes on at column HELP_INDENT. */
static void print_wrapped(FILE *out, const char *text)
{
	int column = HELP_INDENT;

	while (*text) {
		int n = strcspn(text, " ");

		if (column > HELP_INDENT && column + 1 + n > HELP_WIDTH) {
			fprintf(out, "\n%*s", HELP_INDENT, "");
			column = HELP_INDENT;
		} else if (column > HELP_INDENT) {
			fputc(' ', out);
			column++;
		}
		fprintf(out, "%.*s", n, text);
		column += n;
		text += n + (text[n] == ' ');
	}
	fputc('\n', out);
}

static int print_help(FILE *out, const struct rct_verb *v)
{
	char flags[64];

	fprintf(out, "Usage: rocetrace %s [OPTION...]%s%s\n", v->name, *v->operands ? " " : "",
		v->operands);
	fputs("       ", out);
	fprintf(out, "%s\n\n", v->help);
	for (size_t i = 0; i < ROWS; i++) {
		if (!(rows[i].verbs & v->bit))
			continue;
		row_flags(&rows[i], flags, sizeof(flags));
		fprintf(out, "  %s%-*s", rows[i].letter ? "" : "    ",
			HELP_INDENT - 2 - (rows[i].letter ? 0 : 4), flags);
		print_wrapped(out, rows[i].help);
	}
	fputs("\nExit status, examples, and every number's meaning: man rocetrace\n", out);
	return fflush(out) ? RCT_EXIT_FAIL : RCT_OPTIONS_HELP;
}

/* ---- values: 0 or -EINVAL and what would be right, or -ENOMEM */

struct value {
	const struct row *row;
	const char *text;
	struct rct_options *o;
	struct rct_err err;	/* what is accepted */
};

static void *field(const struct value *v)
{
	return (char *)v->o + v->row->at;
}

/* One more element behind n of size in list; NULL: no memory. */
static void *grow(void *list, size_t *n, size_t size)
{
	char **p = list, *new = realloc(*p, (*n + 1) * size);

	if (!new)
		return NULL;
	*p = new;
	return new + (*n)++ * size;
}

static int set_flag(struct value *v)
{
	*(bool *)field(v) = true;
	return 0;
}

static int set_count(struct value *v)
{
	(*(int *)field(v))++;
	return 0;
}

/* Digits and a point: strtod() also takes nan, hexadecimal and exponents. */
static int set_seconds(struct value *v)
{
	double x = 0;
	char *end = NULL;

	if (v->text[strspn(v->text, "0123456789.")] == 0)
		x = strtod(v->text, &end);
	if (!end || end == v->text || *end || x < v->row->least || x > v->row->most)
		return rct_fail(&v->err, EINVAL, "a number of seconds from %g to %.0f, such as 10 or 0.5",
				v->row->least, v->row->most);
	*(double *)field(v) = x;
	if (v->row->at == AT(seconds))
		v->o->seconds_set = true;
	return 0;
}

/* A whole number up to most, 0x allowed; false: it isn't one. */
static bool whole_number(const char *text, unsigned long most, unsigned long *ret)
{
	bool hex = text[0] == '0' && (text[1] | 0x20) == 'x';
	unsigned long x;
	char *end;

	if (!isxdigit((unsigned char)text[hex ? 2 : 0]))
		return false;
	errno = 0;
	x = strtoul(text, &end, hex ? 16 : 10);
	if (errno || *end || x > most)
		return false;
	*ret = x;
	return true;
}

static int set_number(struct value *v)
{
	unsigned long x;

	if (!whole_number(v->text, v->row->most, &x) || x < v->row->least)
		return rct_fail(&v->err, EINVAL, "a whole number from %.0f to %.0f",
				v->row->least, v->row->most);
	*(u32 *)field(v) = x;
	return 0;
}

/* "auto, xdp, tc" */
static void list_choices(const char *const *choices, char *buf, size_t size)
{
	size_t used = 0;

	for (; *choices && used < size; choices++)
		used += snprintf(buf + used, size - used, "%s%s", used ? ", " : "", *choices);
}

static int choice(const char *const *choices, const char *text, size_t len)
{
	for (int i = 0; choices[i]; i++) {
		if (strlen(choices[i]) == len && !memcmp(choices[i], text, len))
			return i;
	}
	return -1;
}

static int set_choice(struct value *v)
{
	int i = choice(v->row->choices, v->text, strlen(v->text));
	char all[128];

	if (i < 0) {
		list_choices(v->row->choices, all, sizeof(all));
		return rct_fail(&v->err, EINVAL, "one of %s", all);
	}
	*(unsigned *)field(v) = i;
	return 0;
}

static int set_iface(struct value *v)
{
	const char **name;

	if (!*v->text || strlen(v->text) >= RCT_IFNAME || strpbrk(v->text, "/ \t\n"))
		return rct_fail(&v->err, EINVAL, "an interface's name of at most %d characters, as in 'ip link', or any",
				RCT_IFNAME - 1);
	if (!strcmp(v->text, "any")) {
		v->o->any = true;
		return 0;
	}
	name = grow(&v->o->ifaces, &v->o->n_ifaces, sizeof(*name));
	if (!name)
		return -ENOMEM;
	*name = v->text;
	return 0;
}

static int set_host(struct value *v)
{
	struct rct_addr a = { { 0, 0xffff0000ULL } }, *new;

	if (inet_pton(AF_INET, v->text, (u8 *)&a + 12) != 1 &&
	    inet_pton(AF_INET6, v->text, &a) != 1)
		return rct_fail(&v->err, EINVAL, "an IPv4 or IPv6 address, such as 10.0.0.1 or fd00::1");
	new = grow(&v->o->hosts, &v->o->n_hosts, sizeof(*new));
	if (!new)
		return -ENOMEM;
	*new = a;
	return 0;
}

static int set_qp(struct value *v)
{
	unsigned long x;
	u32 *new;

	if (!whole_number(v->text, 0xffffff, &x))
		return rct_fail(&v->err, EINVAL, "a queue pair's number from 0 to 16777215 (0xffffff)");
	new = grow(&v->o->qps, &v->o->n_qps, sizeof(*new));
	if (!new)
		return -ENOMEM;
	*new = x;
	return 0;
}

static int set_root(struct value *v)
{
	if (!*v->text || v->o->n_sysroots == RCT_ARRAY_SIZE(v->o->sysroots))
		return rct_fail(&v->err, EINVAL, "a folder, given once, or twice for before and after");
	v->o->sysroots[v->o->n_sysroots++] = v->text;
	return 0;
}

static int set_file(struct value *v)
{
	if (!*v->text)
		return rct_fail(&v->err, EINVAL, "a file's name");
	*(const char **)field(v) = v->text;
	return 0;
}

static int set_json(struct value *v)
{
	if (v->text && !*v->text)
		return rct_fail(&v->err, EINVAL, "a file's name, or - for standard output");
	v->o->json = true;
	v->o->json_file = v->text ? v->text : "-";
	return 0;
}

/* "warning", "unknown", "warning,unknown" */
static int set_fail(struct value *v)
{
	const char *p = v->text;
	enum rct_severity level = RCT_OK_FINDING;
	bool unknown = false;

	do {
		size_t n = strcspn(p, ",");
		int i = choice(levels, p, n);

		if (i >= 0)
			level = i;
		else if (n == 7 && !memcmp(p, "unknown", n))
			unknown = true;
		else
			return rct_fail(&v->err, EINVAL, "notice, warning, critical or none, and ,unknown behind it if wanted");
		p += n;
	} while (*p++);
	v->o->fail_on = level;
	v->o->fail_unknown = unknown;
	v->o->fail_set = true;
	return 0;
}

static int (*const setters[])(struct value *v) = {
	[K_FLAG] = set_flag, [K_COUNT] = set_count, [K_SECONDS] = set_seconds,
	[K_NUMBER] = set_number, [K_CHOICE] = set_choice, [K_IFACE] = set_iface,
	[K_HOST] = set_host, [K_QP] = set_qp, [K_ROOT] = set_root, [K_FILE] = set_file, [K_JSON] = set_json, [K_FAIL] = set_fail,
};

/* ---- getopt */

struct lists {
	char letters[2 + 2 * ROWS + 1];
	struct option names[ROWS + 1];
};

static void make_lists(const struct rct_verb *v, struct lists *l)
{
	char *p = l->letters;
	struct option *n = l->names;

	memset(l, 0, sizeof(*l));
	*p++ = '-';	/* operands come in order, as the option 1 */
	*p++ = ':';	/* a missing value is told from an unknown option */
	for (size_t i = 0; i < ROWS; i++) {
		const struct row *r = &rows[i];

		if (!(r->verbs & v->bit))
			continue;
		if (r->letter) {
			*p++ = r->letter;
			if (r->metavar)
				*p++ = ':';
		}
		n->name = r->name;
		n->has_arg = !r->metavar ? no_argument :
			     r->optional ? optional_argument : required_argument;
		n->val = LONG_ONLY + i;
		n++;
	}
}

static const struct row *row_of(int value)
{
	if (value >= LONG_ONLY)
		return &rows[value - LONG_ONLY];
	for (size_t i = 0; i < ROWS; i++) {
		if (rows[i].letter && rows[i].letter == value)
			return &rows[i];
	}
	return NULL;
}

static const char *row_name(size_t i)
{
	return i < ROWS ? rows[i].name : NULL;
}

static int usage(const struct rct_verb *v)
{
	fprintf(stderr, "Try 'rocetrace %s --help'.\n", v->name);
	return RCT_EXIT_USAGE;
}

/*
 * getopt refused. optopt: a letter, a row's LONG_ONLY value, or 0 for a long name
 * that no row has, which is then the word before optind.
 */
static int refuse(const struct rct_verb *v, int c, const char *word)
{
	const struct row *r = optopt ? row_of(optopt) : NULL;
	const char *near;
	char text[64];

	if (c == ':') {
		fprintf(stderr, "rocetrace %s: --%s needs a value: %s\n", v->name, r->name, r->metavar);
	} else if (optopt >= LONG_ONLY) {
		fprintf(stderr, "rocetrace %s: --%s takes no value: '%s'\n", v->name, r->name, word);
	} else if (optopt) {
		fprintf(stderr, "rocetrace %s: unknown option '-%c'%s\n", v->name, optopt,
			r ? ", which other commands have" : "");
	} else {
		snprintf(text, sizeof(text), "%.*s", (int)strcspn(word + 2, "="), word + 2);
		near = rct_nearest(text, row_name);
		fprintf(stderr, "rocetrace %s: unknown option '%s'%s%s%s\n", v->name, word,
			near ? "; did you mean --" : "", near ? near : "", near ? "?" : "");
	}
	return usage(v);
}

static int set(const struct rct_verb *v, const struct row *r, const char *text, struct rct_options *o)
{
	struct value value = { .row = r, .text = text, .o = o };
	int err;

	err = setters[r->kind](&value);
	if (!err)
		return 0;
	if (err == -ENOMEM) {
		fprintf(stderr, "rocetrace %s: no memory for the options\n", v->name);
		return RCT_EXIT_FAIL;
	}
	fprintf(stderr, "rocetrace %s: --%s '%s': it must be %s\n", v->name, r->name, text,
		value.err.text);
	return RCT_EXIT_USAGE;
}

static int step(const struct rct_verb *v, int c, char **argv, struct rct_options *o)
{
	const struct row *r;

	if (c == 1) {
		o->rest[o->n_rest++] = optarg;
		return 0;
	}
	if (c == '?' || c == ':')
		return refuse(v, c, argv[optind - 1]);
	r = row_of(c);
	return r->kind == K_HELP ? print_help(stdout, v) : set(v, r, optarg, o);
}

/* A command's own words, behind --. Operands of run before it have no meaning. */
static int take_command(const struct rct_verb *v, int argc, char **argv, struct rct_options *o)
{
	if (o->n_rest) {
		fprintf(stderr, "rocetrace run: '%s' has no meaning here: a command to run goes behind --, an interface behind -i\n",
			o->rest[0]);
		return usage(v);
	}
	if (optind == argc && argc > 1 && !strcmp(argv[argc - 1], "--")) {
		fprintf(stderr, "rocetrace run: behind -- goes a command to run\n");
		return usage(v);
	}
	o->has_cmd = optind < argc;
	return 0;
}

static int take_operands(const struct rct_verb *v, int argc, char **argv, struct rct_options *o)
{
	int err = v->bit == V_RUN ? take_command(v, argc, argv, o) : 0;

	if (err)
		return err;
	while (optind < argc)
		o->rest[o->n_rest++] = argv[optind++];
	if (o->n_rest && o->n_sysroots) {
		fprintf(stderr, "rocetrace %s: '%s': hosts are given either with --sysroot or as operands\n", v->name,
			o->rest[0]);
		return usage(v);
	}
	if (o->n_rest < v->least) {
		fprintf(stderr, "rocetrace %s: %s is missing\n", v->name, v->operands);
		return usage(v);
	}
	if (o->n_rest > v->most && !o->has_cmd) {
		fprintf(stderr, "rocetrace %s: '%s' is one operand too many\n", v->name, o->rest[v->most]);
		return usage(v);
	}
	return 0;
}

/* Before the work, not after it: a report that can't be written shall not take ten seconds to say so. */
static int open_json(const struct rct_verb *v, struct rct_options *o)
{
	int fd;

	if (!o->json || !strcmp(o->json_file, "-"))
		return 0;
	/* what it holds is kept until there is a report: see rct_report() */
	fd = open(o->json_file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	o->json_out = fd < 0 ? NULL : fdopen(fd, "w");
	if (o->json_out)
		return 0;
	fprintf(stderr, "rocetrace %s: cannot write %s: %s\n", v->name, o->json_file, strerror(errno));
	return RCT_EXIT_FAIL;
}

int rct_options_parse(const char *verb, int argc, char **argv, struct rct_options *o)
{
	const struct rct_verb *v = verb_named(verb);
	struct lists l;
	int c, err = 0;

	*o = (struct rct_options){ .seconds = 10, .flows = 65536, .top = 20 };
	o->rest = calloc(argc + 1, sizeof(*o->rest));
	if (!o->rest) {
		fprintf(stderr, "rocetrace %s: no memory for the options\n", verb);
		return RCT_EXIT_FAIL;
	}
	if (v->bit & (V_CHECK | V_IRQ))
		o->fail_on = RCT_WARNING;
	if (v->bit == V_IRQ)
		o->seconds = 2;
	make_lists(v, &l);
	opterr = 0;
	optind = 0;	/* glibc: start afresh */
	while (!err && (c = getopt_long(argc, argv, l.letters, l.names, NULL)) != -1)
		err = step(v, c, argv, o);
	if (!err)
		err = take_operands(v, argc, argv, o);
	return err ? err : open_json(v, o);
}

void rct_options_free(struct rct_options *o)
{
	free(o->ifaces);
	free(o->hosts);
	free(o->qps);
	free(o->rest);
	if (o->json_out)
		fclose(o->json_out);
	memset(o, 0, sizeof(*o));
}
