// SPDX-License-Identifier: BSD-2-Clause
/* `rocetrace probe`: what this host, its kernel and these privileges let us see. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include <bpf/libbpf.h>

#include "collect/features.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "render/escape.h"

/* ---- text */

static void print_feature(const struct rct_feature *f, void *arg)
{
	char id[128], found[1024];
	const char **group = arg;

	if (!*group || strcmp(*group, f->group))
		printf("%s%s\n", *group ? "\n" : "", f->group);
	*group = f->group;
	printf("  %-8s %-17s %s", rct_feature_state_name(f->state), rct_escape(f->id, 0, id, sizeof(id)),
	       rct_escape(f->found, 0, found, sizeof(found)));
	if (f->costs)
		printf(" | costs: %s", f->costs);
	if (f->remedy)
		printf(" | do: %s", f->remedy);
	putchar('\n');
}

static int print_text(void)
{
	const char *group = NULL;
	struct utsname u;

	uname(&u);
	printf("rocetrace " RCT_VERSION " probe  %s  Linux %s %s\n\n", u.nodename, u.release, u.machine);
	rct_features(print_feature, &group);
	return fflush(stdout) ? RCT_EXIT_FAIL : RCT_EXIT_OK;
}

/* ---- JSON */

static json_t *text_or_null(const char *text)
{
	char clean[1024];

	return text ? json_string(rct_escape(text, 1, clean, sizeof(clean))) : json_null();
}

static void add_feature(const struct rct_feature *f, void *arg)
{
	json_array_append_new(arg, json_pack("{ss so ss so so so}", "group", f->group, "id", text_or_null(f->id),
					     "state", rct_feature_state_name(f->state), "found", text_or_null(f->found),
					     "costs", text_or_null(f->costs), "remedy", text_or_null(f->remedy)));
}

static int print_json(FILE *out)
{
	json_t *features = json_array(), *root;
	struct utsname u;
	int rc;

	uname(&u);
	rct_features(add_feature, features);
	root = json_pack("{si ss ss s{so ss ss} so}", "schema", 1, "tool", "rocetrace " RCT_VERSION,
			 "command", "probe", "host", "name", text_or_null(u.nodename), "kernel", u.release,
			 "arch", u.machine, "features", features);
	rc = !root || json_dumpf(root, out, JSON_INDENT(2)) || fputc('\n', out) == EOF || fflush(out);
	json_decref(root);
	return rc ? RCT_EXIT_FAIL : RCT_EXIT_OK;
}

int rct_cmd_probe(int argc, char **argv)
{
	struct rct_options o;
	int rc = rct_options_parse("probe", argc, argv, &o);

	if (!rc) {
		/* that something can't be had is what we print, in our words */
		libbpf_set_print(NULL);
		rc = RCT_EXIT_OK;
		if (o.json)
			rc = print_json(o.json_out ? o.json_out : stdout);
		if (!rc && !(o.json && !o.json_out))
			rc = print_text();
	} else if (rc == RCT_OPTIONS_HELP) {
		rc = RCT_EXIT_OK;
	}
	rct_options_free(&o);
	return rc;
}
