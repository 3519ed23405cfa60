// SPDX-License-Identifier: BSD-2-Clause
/* What ethtool prints, and generate.c after it. */
#include "sysinfo/text.h"

#include <stdio.h>
#include <string.h>

#include "sysinfo/text_scan.h"

/* Names of per-ring counters that a driver has, at most. */
#define RING_NAMES	256

/* "on", "off", and anything behind it: "off [fixed]". */
static int on_off(struct rct_str v)
{
	struct rct_str w = rct_str_word(&v);

	return rct_str_is(w, "on") ? 1 : rct_str_is(w, "off") ? 0 : RCT_TRI_UNKNOWN;
}

/* ---- -S */

/* bnxt lists its rings one behind the other, as "[0]: name: value": their sum is wanted. */
static struct rct_counter *ring_counter(struct rct_netif *n, u32 first, struct rct_str name)
{
	u32 end = n->n_counters < first + RING_NAMES ? n->n_counters : first + RING_NAMES;

	for (u32 i = first; i < end; i++) {
		if (rct_str_is(name, n->counters[i].name))
			return &n->counters[i];
	}
	return NULL;
}

static bool skip_ring(struct rct_str *line)
{
	struct rct_str in, rest;
	u64 ring;

	if (!rct_str_starts(*line, "[") || !rct_str_after(*line, "]: ", &in, &rest))
		return false;
	if (!rct_str_skip(&in, "[") || !rct_str_u64(in, &ring))
		return false;
	*line = rest;
	return true;
}

/* The last colon: a name may hold some. */
static bool split_counter(struct rct_str line, struct rct_str *name, struct rct_str *value)
{
	const char *at = memrchr(line.p, ':', line.n);

	if (!at)
		return false;
	*name = rct_str_trim((struct rct_str){ line.p, at - line.p });
	*value = rct_str_trim((struct rct_str){ at + 1, line.p + line.n - at - 1 });
	return name->n && name->n < sizeof(((struct rct_counter *)0)->name) && value->n;
}

static int take_counter(struct rct_netif *n, struct rct_str line, u32 *first_ring)
{
	struct rct_counter *c = NULL;
	struct rct_str name, value;
	bool ring = skip_ring(&line), there;
	u64 v = 0;

	if (!split_counter(line, &name, &value))
		return 0;
	there = rct_str_u64(value, &v);
	if (!there && !rct_str_is(value, "n/a") && !rct_str_is(value, "N/A"))
		return 0;
	if (ring) {
		if (*first_ring == UINT32_MAX)
			*first_ring = n->n_counters;
		c = ring_counter(n, *first_ring, name);
	}
	if (!c) {
		c = RCT_LIST_ADD(n->counters, n->n_counters);
		if (!c)
			return rct_list_end(n->n_counters);
		c->group = RCT_G_ETHTOOL;
		rct_str_copy(c->name, sizeof(c->name), name);
		c->have = there ? RCT_THERE : RCT_UNREADABLE;
	}
	c->value += v;
	return 0;
}

int rct_text_ethtool_stats(const char *text, size_t len, struct rct_netif *n)
{
	struct rct_str t = { text, len }, line;
	u32 first_ring = UINT32_MAX, before = n->n_counters;
	int rc = 0;

	while (!rc && rct_str_line(&t, &line)) {
		line = rct_str_trim(line);
		rc = take_counter(n, line, &first_ring);
	}
	if (n->n_counters != before)
		n->ethtool_read = true;
	return rc ? rc : n->ethtool_read ? 0 : -ENODATA;
}

/* ---- -i, -a, -k, -l: lines of "key: value" */

struct key_row {
	const char *key;
	void (*take)(struct rct_netif *n, struct rct_str value);
};

static void take_driver(struct rct_netif *n, struct rct_str v)
{
	rct_str_copy(n->driver, sizeof(n->driver), v);
}

static void take_version(struct rct_netif *n, struct rct_str v)
{
	rct_str_copy(n->driver_version, sizeof(n->driver_version), v);
}

static void take_firmware(struct rct_netif *n, struct rct_str v)
{
	if (!rct_str_is(v, "N/A"))
		rct_str_copy(n->firmware, sizeof(n->firmware), v);
}

/* Only PCI addresses: others have "virtio0", or nothing. */
static void take_bus(struct rct_netif *n, struct rct_str v)
{
	unsigned domain, bus, dev, fn;
	char text[32];

	rct_str_copy(text, sizeof(text), v);
	if (sscanf(text, "%x:%x:%x.%x", &domain, &bus, &dev, &fn) == 4 && v.n < sizeof(n->pci))
		rct_str_copy(n->pci, sizeof(n->pci), v);
}

static void take_autoneg(struct rct_netif *n, struct rct_str v)
{
	n->pause_autoneg = on_off(v);
}

static void take_rx(struct rct_netif *n, struct rct_str v)
{
	n->pause_rx = on_off(v);
}

static void take_tx(struct rct_netif *n, struct rct_str v)
{
	n->pause_tx = on_off(v);
}

static void take_lro(struct rct_netif *n, struct rct_str v)
{
	n->lro = on_off(v);
}

static void take_gro_hw(struct rct_netif *n, struct rct_str v)
{
	n->gro_hw = on_off(v);
}

static const struct key_row driver_keys[] = {
	{ "driver", take_driver }, { "version", take_version },
	{ "firmware-version", take_firmware }, { "bus-info", take_bus }, { NULL, NULL },
};

static const struct key_row pause_keys[] = {
	{ "Autonegotiate", take_autoneg }, { "RX", take_rx }, { "TX", take_tx }, { NULL, NULL },
};

static const struct key_row feature_keys[] = {
	{ "large-receive-offload", take_lro }, { "rx-gro-hw", take_gro_hw }, { NULL, NULL },
};

static int take_keys(const char *text, size_t len, struct rct_netif *n, const struct key_row *keys)
{
	struct rct_str t = { text, len }, line, key, value;
	int rc = -ENODATA;

	while (rct_str_line(&t, &line)) {
		if (!rct_str_pair(line, ':', &key, &value) || !value.n)
			continue;
		for (const struct key_row *k = keys; k->key; k++) {
			if (!rct_str_is(key, k->key))
				continue;
			k->take(n, value);
			rc = 0;
		}
	}
	return rc;
}

int rct_text_ethtool_driver(const char *text, size_t len, struct rct_netif *n)
{
	return take_keys(text, len, n, driver_keys);
}

int rct_text_ethtool_pause(const char *text, size_t len, struct rct_netif *n)
{
	return take_keys(text, len, n, pause_keys);
}

int rct_text_ethtool_features(const char *text, size_t len, struct rct_netif *n)
{
	return take_keys(text, len, n, feature_keys);
}

int rct_text_ethtool_channels(const char *text, size_t len, struct rct_netif *n)
{
	struct rct_str t = { text, len }, line, key, value;
	struct rct_num *into = NULL;
	int rc = -ENODATA;
	u64 v;

	while (rct_str_line(&t, &line)) {
		if (!rct_str_pair(line, ':', &key, &value))
			continue;
		if (rct_str_is(key, "Pre-set maximums"))
			into = &n->channels_max;
		else if (rct_str_is(key, "Current hardware settings"))
			into = &n->channels;
		if (!into || !rct_str_is(key, "Combined") || !rct_str_u64(value, &v))
			continue;
		*into = (struct rct_num){ RCT_THERE, v > INT32_MAX ? INT32_MAX : (s64)v };
		rc = 0;
	}
	return rc;
}
