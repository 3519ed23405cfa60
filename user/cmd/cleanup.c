// SPDX-License-Identifier: BSD-2-Clause
/* `rocetrace cleanup`: removes the tc filters of instances that were killed, in this network namespace. */
#include <stdio.h>

#include "base/caps.h"
#include "base/util.h"
#include "capture/attach.h"
#include "cmd/cmd.h"
#include "cmd/options.h"

static void told(const char *ifname, const char *what, void *arg)
{
	(void)arg;
	printf("%s: removed %s\n", ifname, what);
}

static int cleanup(void)
{
	static const int caps[] = { CAP_NET_ADMIN };
	struct rct_err err;
	int n = rct_caps_need(caps, RCT_ARRAY_SIZE(caps), "removing filters", &err);

	if (!n)
		n = rct_cleanup(told, NULL, &err);
	if (n < 0) {
		fprintf(stderr, "rocetrace cleanup: %s\n", err.text);
		return RCT_EXIT_FAIL;
	}
	if (!n)
		printf("nothing to clean up in this network namespace\n");
	return fflush(stdout) ? RCT_EXIT_FAIL : RCT_EXIT_OK;
}

int rct_cmd_cleanup(int argc, char **argv)
{
	struct rct_options o;
	int rc = rct_options_parse("cleanup", argc, argv, &o);

	if (!rc)
		rc = cleanup();
	else if (rc == RCT_OPTIONS_HELP)
		rc = RCT_EXIT_OK;
	rct_options_free(&o);
	return rc;
}
