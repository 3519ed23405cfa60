// SPDX-License-Identifier: BSD-2-Clause
/* Data Center Bridging as iproute2's dcb prints it, and Mellanox's mlnx_qos. */
#include "sysinfo/text.h"

#include <stdio.h>
#include <string.h>

#include "sysinfo/text_scan.h"

/* dcb prints code points by name where /etc/iproute2/rt_dsfield has one. */
static const struct {
	const char *name;
	u8 dscp;
} dscp_names[] = {
	{ "CS0", 0 }, { "LE", 1 }, { "CS1", 8 }, { "AF11", 10 }, { "AF12", 12 }, { "AF13", 14 },
	{ "CS2", 16 }, { "AF21", 18 }, { "AF22", 20 }, { "AF23", 22 }, { "CS3", 24 }, { "AF31", 26 },
	{ "AF32", 28 }, { "AF33", 30 }, { "CS4", 32 }, { "AF41", 34 }, { "AF42", 36 }, { "AF43", 38 },
	{ "CS5", 40 }, { "VA", 44 }, { "VOICE-ADMIT", 44 }, { "EF", 46 }, { "CS6", 48 }, { "CS7", 56 },
	{ NULL, 0 },
};

static bool dscp_of(struct rct_str s, u64 *ret)
{
	for (size_t i = 0; dscp_names[i].name; i++) {
		if (rct_str_is(s, dscp_names[i].name)) {
			*ret = dscp_names[i].dscp;
			return true;
		}
	}
	return rct_str_u64(s, ret) && *ret < 64;
}

/* Words of "a:b" that follow the word key, until one is none. False: key isn't there. */
struct pairs {
	struct rct_str rest;
};

static bool pairs_of(const char *text, size_t len, const char *key, struct pairs *p)
{
	struct rct_str w;

	p->rest = (struct rct_str){ text, len };
	do {
		w = rct_str_word(&p->rest);
	} while (w.n && !rct_str_is(w, key));
	return w.n;
}

static bool next_pair(struct pairs *p, struct rct_str *a, struct rct_str *b)
{
	return rct_str_pair(rct_str_word(&p->rest), ':', a, b) && b->n;
}

static bool next_prio(struct pairs *p, u64 *prio, struct rct_str *value)
{
	struct rct_str a;

	return next_pair(p, &a, value) && rct_str_u64(a, prio) && *prio < RCT_PRIOS;
}

int rct_text_dcb_pfc(const char *text, size_t len, struct rct_netif *n)
{
	struct rct_str v, cap;
	struct pairs p;
	u64 prio, number;
	u32 seen = 0;

	if (pairs_of(text, len, "pfc-cap", &p)) {
		cap = rct_str_word(&p.rest);
		if (rct_str_u64(cap, &number) && number <= RCT_PRIOS)
			n->dcb.pfc_cap = number;
	}
	if (!pairs_of(text, len, "prio-pfc", &p))
		return -ENODATA;
	n->dcb.pfc_enabled = 0;
	while (next_prio(&p, &prio, &v)) {
		if (rct_str_is(v, "on"))
			n->dcb.pfc_enabled |= 1 << prio;
		else if (!rct_str_is(v, "off"))
			break;
		seen |= 1 << prio;
	}
	/* a torn line tells of some priorities only: that is not known */
	if (seen != 0xff)
		return -ENODATA;
	n->dcb.pfc = RCT_THERE;
	return 0;
}

int rct_text_dcb_app(const char *text, size_t len, struct rct_netif *n)
{
	struct rct_str a, b;
	struct pairs p;
	u64 dscp, prio;

	n->dcb.app = RCT_THERE;		/* an empty table prints nothing */
	memset(n->dcb.dscp_prio, -1, sizeof(n->dcb.dscp_prio));
	if (!pairs_of(text, len, "dscp-prio", &p))
		return 0;
	while (next_pair(&p, &a, &b)) {
		if (!dscp_of(a, &dscp) || !rct_str_u64(b, &prio) || prio >= RCT_PRIOS)
			break;
		/* of several for one code point the kernel takes the highest */
		if ((s8)prio > n->dcb.dscp_prio[dscp])
			n->dcb.dscp_prio[dscp] = prio;
	}
	return 0;
}

int rct_text_dcb_apptrust(const char *text, size_t len, struct rct_netif *n)
{
	struct rct_str w;
	struct pairs p;

	if (!pairs_of(text, len, "order", &p))
		return -ENODATA;
	n->dcb.trust = RCT_THERE;
	n->dcb.trust_dscp = false;
	while ((w = rct_str_word(&p.rest)).n)
		n->dcb.trust_dscp |= rct_str_is(w, "dscp");
	return 0;
}

/* "243072b", "237Kb", "1.5Mb" */
static bool size_of(struct rct_str s, u64 *ret)
{
	char text[24], unit[4] = "";
	double v;

	rct_str_copy(text, sizeof(text), s);
	if (s.n >= sizeof(text) || text[strspn(text, "0123456789.KMGb")] ||
	    sscanf(text, "%lf%3s", &v, unit) < 1 || v > 1e12)
		return false;
	*ret = v * (*unit == 'K' ? 1 << 10 : *unit == 'M' ? 1 << 20 : *unit == 'G' ? 1 << 30 : 1);
	return true;
}

int rct_text_dcb_buffer(const char *text, size_t len, struct rct_netif *n)
{
	struct rct_str v;
	struct pairs p;
	u64 prio, number;

	if (!pairs_of(text, len, "prio-buffer", &p))
		return -ENODATA;
	while (next_prio(&p, &prio, &v)) {
		if (rct_str_u64(v, &number) && number < RCT_PRIOS)
			n->dcb.prio_buffer[prio] = number;
	}
	if (!pairs_of(text, len, "buffer-size", &p))
		return -ENODATA;
	while (next_prio(&p, &prio, &v)) {
		if (size_of(v, &number))
			n->dcb.buffer_size[prio] = number;
	}
	n->dcb.buffer = RCT_THERE;
	return 0;
}

int rct_text_dcb_ets(const char *text, size_t len, struct rct_netif *n)
{
	struct rct_str v;
	struct pairs p;
	u64 prio, number;

	if (!pairs_of(text, len, "prio-tc", &p))
		return -ENODATA;
	while (next_prio(&p, &prio, &v)) {
		if (rct_str_u64(v, &number) && number < RCT_PRIOS)
			n->dcb.prio_tc[prio] = number;
	}
	return 0;
}

/* ---- mlnx_qos */

struct qos {
	struct rct_dcb *d, was;		/* being filled; as dcb left it */
	s64 tc;				/* that "priority:" lines belong to; -1 */
};

static void qos_trust(struct qos *q, struct rct_str v)
{
	if (q->was.trust == RCT_THERE || (!rct_str_is(v, "dscp") && !rct_str_is(v, "pcp") &&
					  !rct_str_is(v, "both")))
		return;
	q->d->trust = RCT_THERE;
	q->d->trust_dscp = !rct_str_is(v, "pcp");
}

static void qos_dcbx(struct qos *q, struct rct_str v)
{
	rct_str_copy(q->d->dcbx, sizeof(q->d->dcbx), v);
}

/* "5 dscp:59,58," */
static void qos_dscp(struct qos *q, struct rct_str v)
{
	struct rct_str prio = rct_str_word(&v), list, one;
	u64 p, dscp;

	if (q->was.app == RCT_THERE || !rct_str_u64(prio, &p) || p >= RCT_PRIOS ||
	    !rct_str_after(v, "dscp:", NULL, &list))
		return;
	while (list.n) {
		one = rct_str_until(list, ",");
		if (rct_str_u64(one, &dscp) && dscp < 64) {
			q->d->dscp_prio[dscp] = p;
			q->d->app = RCT_THERE;
		}
		list.p += one.n + (one.n < list.n);
		list.n -= one.n + (one.n < list.n);
	}
}

static void qos_buffers(struct qos *q, struct rct_str v)
{
	struct rct_str one;
	u64 size;

	for (u32 i = 0; i < RCT_PRIOS; i++) {
		one = rct_str_until(v, ",");
		if (one.n == v.n || !rct_str_u64(rct_str_trim(one), &size))
			return;
		if (q->was.buffer != RCT_THERE)
			q->d->buffer_size[i] = size;
		v.p += one.n + 1;
		v.n -= one.n + 1;
	}
	q->d->buffer = RCT_THERE;
}

static void qos_tc(struct qos *q, struct rct_str v)
{
	u64 tc;

	q->tc = rct_str_u64(rct_str_word(&v), &tc) && tc < RCT_PRIOS ? (s64)tc : -1;
}

static void qos_priority(struct qos *q, struct rct_str v)
{
	struct rct_str w;
	u64 p;

	while (q->tc >= 0 && (w = rct_str_word(&v)).n) {
		if (rct_str_u64(w, &p) && p < RCT_PRIOS && q->was.prio_tc[p] < 0)
			q->d->prio_tc[p] = q->tc;
	}
}

static const struct {
	const char *key;
	void (*take)(struct qos *q, struct rct_str value);
} qos_keys[] = {
	{ "DCBX mode", qos_dcbx }, { "Priority trust state", qos_trust }, { "prio", qos_dscp },
	{ "Receive buffer size (bytes)", qos_buffers }, { "tc", qos_tc }, { "priority", qos_priority },
};

/* Eight numbers, one a priority. */
static bool qos_row(struct rct_str v, u8 ret[RCT_PRIOS])
{
	u64 x;

	for (u32 i = 0; i < RCT_PRIOS; i++) {
		if (!rct_str_u64(rct_str_word(&v), &x) || x >= RCT_PRIOS)
			return false;
		ret[i] = x;
	}
	return true;
}

/* The table of PFC has no colons. */
static bool qos_table(struct qos *q, struct rct_str line)
{
	struct rct_str key = rct_str_word(&line);
	u8 row[RCT_PRIOS];

	if ((!rct_str_is(key, "enabled") && !rct_str_is(key, "buffer")) || !qos_row(line, row))
		return false;
	for (u32 i = 0; i < RCT_PRIOS; i++) {
		if (rct_str_is(key, "buffer")) {
			if (q->was.prio_buffer[i] < 0)
				q->d->prio_buffer[i] = row[i];
		} else if (q->was.pfc != RCT_THERE) {
			q->d->pfc = RCT_THERE;
			q->d->pfc_enabled = (q->d->pfc_enabled & ~(1 << i)) | !!row[i] << i;
		}
	}
	return true;
}

int rct_text_mlnx_qos(const char *text, size_t len, struct rct_netif *n)
{
	struct rct_str t = { text, len }, line, key, value;
	struct qos q = { .d = &n->dcb, .was = n->dcb, .tc = -1 };
	int rc = -ENODATA;

	while (rct_str_line(&t, &line)) {
		if (!rct_str_pair(line, ':', &key, &value)) {
			if (qos_table(&q, line))
				rc = 0;
			continue;
		}
		for (size_t i = 0; i < sizeof(qos_keys) / sizeof(qos_keys[0]); i++) {
			if (!rct_str_is(key, qos_keys[i].key))
				continue;
			qos_keys[i].take(&q, value);
			rc = 0;
		}
	}
	return rc;
}
