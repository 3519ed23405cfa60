// SPDX-License-Identifier: BSD-2-Clause
#include "sysinfo/generate.h"

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "sysinfo/gen.h"

struct maker {
	const char *name;		/* without ".txt" */
	bool per_interface;		/* "-IFNAME" follows */
	int (*make)(FILE *out, const char *ifname);
};

static const struct maker makers[] = {
	{ "ethtool-S", true, rct_gen_ethtool_stats },
	{ "ethtool-i", true, rct_gen_ethtool_driver },
	{ "ethtool-a", true, rct_gen_ethtool_pause },
	{ "ethtool-k", true, rct_gen_ethtool_features },
	{ "ethtool-l", true, rct_gen_ethtool_channels },
	{ "dcb-pfc", true, rct_gen_dcb_pfc },
	{ "dcb-app", true, rct_gen_dcb_app },
	{ "dcb-apptrust", true, rct_gen_dcb_apptrust },
	{ "dcb-ets", true, rct_gen_dcb_ets },
	{ "dcb-buffer", true, rct_gen_dcb_buffer },
	{ "ip-addr", false, rct_gen_ip_addr },
	{ "ip-rule", false, rct_gen_ip_rule },
	{ "ip-route", false, rct_gen_ip_route },
	{ "ip-neigh", false, rct_gen_ip_neigh },
	{ "rdma-link", false, rct_gen_rdma_link },
	{ "rdma-res-qp", false, rct_gen_rdma_res_qp },
	{ "ibv_devinfo", false, rct_gen_ibv_devinfo },
	{ "lspci-vv", false, rct_gen_lspci },
	{ "dmesg", false, rct_gen_dmesg },
};

/* stem is name without ".txt"; *ret_ifname points behind the prefix. */
static const struct maker *maker_of(const char *stem, const char **ret_ifname)
{
	for (size_t i = 0; i < RCT_ARRAY_SIZE(makers); i++) {
		const struct maker *m = &makers[i];
		size_t n = strlen(m->name);

		if (strncmp(stem, m->name, n))
			continue;
		*ret_ifname = stem + n + 1;
		if (m->per_interface ? stem[n] == '-' && stem[n + 1] && strlen(stem + n + 1) < IFNAMSIZ :
		    !stem[n])
			return m;
	}
	return NULL;
}

static int make(const struct maker *m, const char *ifname, char **ret, size_t *ret_len)
{
	FILE *out = open_memstream(ret, ret_len);
	int rc;

	if (!out)
		return -errno;
	rc = m->make(out, ifname);
	if (fclose(out) && !rc)
		rc = -ENOMEM;
	if (!rc)
		return 0;
	free(*ret);
	*ret = NULL;
	*ret_len = 0;
	return rc;
}

int rct_generate(const char *name, char **ret, size_t *ret_len)
{
	char stem[64];
	const char *ifname;
	const struct maker *m;
	size_t n = strlen(name);

	if (n < 5 || n >= sizeof(stem) || strcmp(name + n - 4, ".txt"))
		return -ENOENT;
	memcpy(stem, name, n - 4);
	stem[n - 4] = '\0';
	m = maker_of(stem, &ifname);
	return m ? make(m, ifname, ret, ret_len) : -ENOENT;
}
