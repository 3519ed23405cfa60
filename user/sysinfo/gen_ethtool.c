// SPDX-License-Identifier: BSD-2-Clause
/* ethtool -S, -i, -a, -k and -l, by ioctl. */
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/util.h"
#include "sysinfo/gen.h"

/* The kernel writes as many values as there are, whatever we made room for: rings may be added. */
#define SPARE	4096
#define TRIES	3

/* 0 or -errno */
static int ask(const char *ifname, void *command)
{
	struct ifreq r = { .ifr_data = command };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), rc;

	if (fd < 0)
		return -errno;
	memcpy(r.ifr_name, ifname, strnlen(ifname, IFNAMSIZ - 1));
	rc = ioctl(fd, SIOCETHTOOL, &r) ? -errno : 0;
	close(fd);
	return rc;
}

/* How many strings a set has; < 0: -errno. */
static int set_size(const char *ifname, u32 set)
{
	/* the answer's number stands behind the struct, which ends with an open array */
	_Alignas(struct ethtool_sset_info) char room[sizeof(struct ethtool_sset_info) + sizeof(u32)] = "";
	struct ethtool_sset_info *q = (struct ethtool_sset_info *)room;
	int rc;

	q->cmd = ETHTOOL_GSSET_INFO;
	q->sset_mask = 1ULL << set;
	rc = ask(ifname, q);
	if (rc)
		return rc;
	return q->sset_mask ? (int)(q->data[0] & INT32_MAX) : 0;
}

/* The strings of a set, malloc()ed. 0 or -errno. */
static int set_strings(const char *ifname, u32 set, struct ethtool_gstrings **ret)
{
	int n = set_size(ifname, set), rc;
	struct ethtool_gstrings *s;

	if (n <= 0)
		return n ? n : -EOPNOTSUPP;
	s = calloc(1, sizeof(*s) + ((size_t)n + SPARE) * ETH_GSTRING_LEN);
	if (!s)
		return -ENOMEM;
	s->cmd = ETHTOOL_GSTRINGS;
	s->string_set = set;
	s->len = n;
	rc = ask(ifname, s);
	if (rc || s->len > (u32)n + SPARE) {
		free(s);
		return rc ? rc : -EAGAIN;
	}
	*ret = s;
	return 0;
}

/* -EAGAIN: names and values are of different numbers of rings */
static int stats_once(FILE *out, const char *ifname)
{
	struct ethtool_gstrings *names;
	struct ethtool_stats *v;
	int rc = set_strings(ifname, ETH_SS_STATS, &names);

	if (rc)
		return rc;
	v = calloc(1, sizeof(*v) + ((size_t)names->len + SPARE) * sizeof(v->data[0]));
	if (v) {
		v->cmd = ETHTOOL_GSTATS;
		v->n_stats = names->len;
		rc = ask(ifname, v);
		if (!rc && v->n_stats != names->len)
			rc = -EAGAIN;
	} else {
		rc = -ENOMEM;
	}
	if (!rc)
		fprintf(out, "NIC statistics:\n");
	for (u32 i = 0; !rc && i < names->len; i++)
		fprintf(out, "     %.*s: %llu\n", ETH_GSTRING_LEN,
			(const char *)names->data + (size_t)i * ETH_GSTRING_LEN,
			(unsigned long long)v->data[i]);
	free(names);
	free(v);
	return rc;
}

int rct_gen_ethtool_stats(FILE *out, const char *ifname)
{
	int rc = -EAGAIN;

	for (int i = 0; rc == -EAGAIN && i < TRIES; i++)
		rc = stats_once(out, ifname);
	return rc;
}

int rct_gen_ethtool_driver(FILE *out, const char *ifname)
{
	struct ethtool_drvinfo d = { .cmd = ETHTOOL_GDRVINFO };
	int rc = ask(ifname, &d);

	if (!rc)
		fprintf(out, "driver: %.32s\nversion: %.32s\nfirmware-version: %.32s\nbus-info: %.32s\n",
			d.driver, d.version, d.fw_version, d.bus_info);
	return rc;
}

static const char *on_off(u32 on)
{
	return on ? "on" : "off";
}

int rct_gen_ethtool_pause(FILE *out, const char *ifname)
{
	struct ethtool_pauseparam p = { .cmd = ETHTOOL_GPAUSEPARAM };
	int rc = ask(ifname, &p);

	if (!rc)
		fprintf(out, "Pause parameters for %s:\nAutonegotiate:\t%s\nRX:\t\t%s\nTX:\t\t%s\n", ifname,
			on_off(p.autoneg), on_off(p.rx_pause), on_off(p.tx_pause));
	return rc;
}

static void channel_set(FILE *out, const char *head, const u32 n[4])
{
	fprintf(out, "%s\nRX:\t\t%u\nTX:\t\t%u\nOther:\t\t%u\nCombined:\t%u\n", head, n[0], n[1], n[2], n[3]);
}

int rct_gen_ethtool_channels(FILE *out, const char *ifname)
{
	struct ethtool_channels c = { .cmd = ETHTOOL_GCHANNELS };
	int rc = ask(ifname, &c);

	if (rc)
		return rc;
	fprintf(out, "Channel parameters for %s:\n", ifname);
	channel_set(out, "Pre-set maximums:",
		    (u32[]){ c.max_rx, c.max_tx, c.max_other, c.max_combined });
	channel_set(out, "Current hardware settings:",
		    (u32[]){ c.rx_count, c.tx_count, c.other_count, c.combined_count });
	return 0;
}

/* ethtool's old names of features */
static const char *const feature_names[][2] = {
	{ "rx-checksum", "rx-checksumming" }, { "rx-gro", "generic-receive-offload" },
	{ "rx-lro", "large-receive-offload" }, { "rx-ntuple-filter", "ntuple-filters" },
	{ "rx-hashing", "receive-hashing" }, { "rx-vlan-hw-parse", "rx-vlan-offload" },
	{ "tx-vlan-hw-insert", "tx-vlan-offload" }, { "tx-generic-segmentation", "generic-segmentation-offload" },
};

static void feature_line(FILE *out, const char *name, u32 bit, const struct ethtool_get_features_block *b)
{
	bool fixed = !(b->available & bit) || (b->never_changed & bit);

	for (size_t i = 0; i < RCT_ARRAY_SIZE(feature_names); i++) {
		if (!strcmp(name, feature_names[i][0]))
			name = feature_names[i][1];
	}
	fprintf(out, "%s: %s%s\n", name, on_off(b->active & bit), fixed ? " [fixed]" : "");
}

int rct_gen_ethtool_features(FILE *out, const char *ifname)
{
	struct ethtool_gstrings *names;
	struct ethtool_gfeatures *f;
	char name[ETH_GSTRING_LEN + 1] = "";
	int rc = set_strings(ifname, ETH_SS_FEATURES, &names);
	u32 blocks;

	if (rc)
		return rc;
	blocks = (names->len + 31) / 32;
	f = calloc(1, sizeof(*f) + blocks * sizeof(f->features[0]));
	if (f) {
		f->cmd = ETHTOOL_GFEATURES;
		f->size = blocks;
		rc = ask(ifname, f);
	} else {
		rc = -ENOMEM;
	}
	if (!rc)
		fprintf(out, "Features for %s:\n", ifname);
	for (u32 i = 0; !rc && i < names->len; i++) {
		memcpy(name, names->data + (size_t)i * ETH_GSTRING_LEN, ETH_GSTRING_LEN);
		if (*name)
			feature_line(out, name, 1U << i % 32, &f->features[i / 32]);
	}
	free(names);
	free(f);
	return rc;
}
