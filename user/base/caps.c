// SPDX-License-Identifier: BSD-2-Clause
#include "base/caps.h"

#include <cap-ng.h>
#include <ctype.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/util.h"

bool rct_caps_have(int cap)
{
	if (capng_get_caps_process())
		return false;
	return capng_have_capability(CAPNG_EFFECTIVE, cap);
}

const char *rct_caps_name(int cap, char *ret, size_t size)
{
	const char *name = capng_capability_to_name(cap);

	if (name)
		snprintf(ret, size, "CAP_%s", name);
	else
		snprintf(ret, size, "CAP_%d", cap);
	for (char *c = ret; *c; c++)
		*c = toupper((unsigned char)*c);
	return ret;
}

int rct_caps_need(const int *caps, size_t n, const char *what, struct rct_err *err)
{
	char missing[256] = "", name[32];
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		if (rct_caps_have(caps[i]) || used >= sizeof(missing))
			continue;
		used += snprintf(missing + used, sizeof(missing) - used, "%s%s", used ? ", " : "",
				 rct_caps_name(caps[i], name, sizeof(name)));
	}
	if (!used)
		return 0;
	return rct_fail(err, EPERM, "%s needs %s, which this process doesn't have; run it as root, or give the binary the capability with setcap(8)",
			what, missing);
}

/* Sets effective and permitted capabilities; dropping from the bounding set takes CAP_SETPCAP. */
static int apply(const int *caps, size_t n, capng_type_t which)
{
	capng_select_t set = CAPNG_SELECT_CAPS;

	if (capng_get_caps_process())
		return -EPERM;
	if (which & CAPNG_PERMITTED) {
		if (capng_have_capability(CAPNG_EFFECTIVE, CAP_SETPCAP))
			set = CAPNG_SELECT_BOTH;
		capng_clear(set);
	} else {
		for (int c = 0; c <= CAP_LAST_CAP; c++)
			capng_update(CAPNG_DROP, CAPNG_EFFECTIVE, c);
	}
	for (size_t i = 0; i < n; i++)
		capng_update(CAPNG_ADD, which, caps[i]);
	return capng_apply(set) ? -EPERM : 0;
}

int rct_caps_keep_only(const int *caps, size_t n, struct rct_err *err)
{
	int had[CAP_LAST_CAP + 1];
	size_t k = 0;

	/* what isn't there can't be kept */
	for (size_t i = 0; i < n && k <= CAP_LAST_CAP; i++) {
		if (rct_caps_have(caps[i]))
			had[k++] = caps[i];
	}
	if (apply(had, k, CAPNG_EFFECTIVE | CAPNG_PERMITTED))
		return rct_fail(err, EPERM, "cannot give up capabilities");
	return 0;
}

/* Would the kernel let a process without CAP_BPF use the maps that it has open? */
static bool maps_stay_usable(void)
{
	union bpf_attr attr = { .map_fd = -1 };
	bool usable;
	void *before;

	if (capng_get_caps_process())
		return false;
	before = capng_save_state();
	if (!before || apply(NULL, 0, CAPNG_EFFECTIVE)) {
		free(before);
		return false;
	}
	syscall(SYS_bpf, BPF_MAP_LOOKUP_ELEM, &attr, sizeof(attr));
	usable = errno != EPERM;
	capng_restore_state(&before);
	capng_apply(CAPNG_SELECT_CAPS);
	return usable;
}

int rct_caps_drop_after_attach(bool reattach, struct rct_err *err)
{
	static const int keep[] = { CAP_BPF, CAP_PERFMON, CAP_NET_ADMIN };
	int bpf = CAP_BPF;

	if (reattach)
		return rct_caps_keep_only(keep, RCT_ARRAY_SIZE(keep), err);
	if (maps_stay_usable())
		return rct_caps_keep_only(NULL, 0, err);
	return rct_caps_keep_only(&bpf, 1, err);
}
