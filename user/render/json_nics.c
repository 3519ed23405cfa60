// SPDX-License-Identifier: BSD-2-Clause
/* NICs in JSON: what they are, what they counted, who paused whom. */
#include "render/host.h"
#include "render/json_value.h"

/* ---- counters */

static json_t *counter(const struct rct_snapshot *s, const struct rct_nic *n, enum rct_canonical c, u32 prio)
{
	char from[80];
	struct rct_num v = rct_nic_counter(s->facts, n, c, prio, from, sizeof(from));
	struct rct_delta d;
	bool both;

	if (v.have == RCT_ABSENT)
		return NULL;
	d = rct_nic_delta(s->before, s->facts, n, c, prio);
	both = d.have == RCT_THERE;
	return json_pack("{so so so so}", "value", rct_json_known(v),
			 "delta", both ? json_integer(d.delta) : json_null(),
			 "per_second", both && rct_facts_seconds(s->before, s->facts) > 0 ?
			 json_real(d.per_second) : json_null(), "from", rct_json_text(from));
}

static json_t *prios(const struct rct_snapshot *s, const struct rct_nic *n, enum rct_canonical c)
{
	json_t *list = json_array(), *one;

	for (u32 p = 0; p < RCT_PRIOS; p++) {
		one = counter(s, n, c, p);
		if (!one)
			continue;
		json_object_set_new(one, "prio", json_integer(p));
		json_array_append_new(list, one);
	}
	if (json_array_size(list))
		return list;
	json_decref(list);
	return NULL;
}

/* Those that its driver has. */
static json_t *counters(const struct rct_snapshot *s, const struct rct_nic *n)
{
	json_t *o = json_object(), *one;

	for (u32 c = 0; c < RCT_CANONICAL_COUNT; c++) {
		const struct rct_canonical_info *info = rct_canonical_at(c);

		one = info->prio ? prios(s, n, c) : counter(s, n, c, 0);
		if (one)
			json_object_set_new(o, info->name, one);
	}
	return o;
}

/* ---- pause */

static json_t *delta(const struct rct_delta *d)
{
	return d->have == RCT_THERE ? json_integer(d->delta) : json_null();
}

/* By the NIC's own counters; prio < 0: 802.3x. NULL: it has none, or was read only once. */
static json_t *counted_row(const struct rct_snapshot *s, const struct rct_nic *n, int prio)
{
	static const enum rct_canonical of[2][4] = {
		{ RCT_C_PFC_RX_FRAMES, RCT_C_PFC_TX_FRAMES, RCT_C_PFC_RX_DURATION, RCT_C_PFC_TX_DURATION },
		{ RCT_C_PAUSE_RX_FRAMES, RCT_C_PAUSE_TX_FRAMES, RCT_C_PAUSE_RX_DURATION, RCT_C_PAUSE_TX_DURATION },
	};
	double us_all = rct_facts_seconds(s->before, s->facts) * 1e6;
	struct rct_delta d[4];
	bool any = false, timed;
	u64 most = 0;

	for (u32 i = 0; i < 4; i++) {
		d[i] = rct_nic_delta(s->before, s->facts, n, of[prio < 0][i], prio < 0 ? 0 : prio);
		any |= d[i].have == RCT_THERE;
		if (i > 1 && d[i].have == RCT_THERE && d[i].delta > most)
			most = d[i].delta;
	}
	if (!any)
		return NULL;
	timed = us_all > 0 && (d[2].have == RCT_THERE || d[3].have == RCT_THERE);
	return json_pack("{so so so so so so ss}", "prio", prio < 0 ? json_null() : json_integer(prio),
			 "rx_frames", delta(&d[0]), "tx_frames", delta(&d[1]), "rx_us", delta(&d[2]),
			 "tx_us", delta(&d[3]), "share", timed ? json_real(most / us_all) : json_null(),
			 "from", "counters");
}

/* Microseconds of a number of pause quanta, or null. */
static json_t *quanta_us(const struct rct_iface *i, u64 quanta)
{
	return i->speed_mbps ? json_real(quanta * 512.0 / i->speed_mbps) : json_null();
}

/* Frames were seen as packets: of a capture nobody knows who sent them. */
static json_t *seen_row(const struct rct_snapshot *s, const struct rct_iface *i, int prio)
{
	u64 n[2], q[2], most;
	double us_all = (s->end_ns - s->start_ns) / 1e3;

	for (int dir = 0; dir < 2; dir++) {
		const struct rct_pauses *p = &i->pause[dir];

		n[dir] = prio < 0 ? p->global_frames : p->xoff[prio] + p->xon[prio];
		q[dir] = prio < 0 ? p->global_quanta : p->quanta[prio];
	}
	if (!n[RCT_RX] && !n[RCT_TX])
		return NULL;
	most = q[RCT_RX] > q[RCT_TX] ? q[RCT_RX] : q[RCT_TX];
	return json_pack("{so sI so so so so ss}", "prio", prio < 0 ? json_null() : json_integer(prio),
			 "rx_frames", (json_int_t)n[RCT_RX],
			 "tx_frames", s->live ? json_integer(n[RCT_TX]) : json_null(),
			 "rx_us", quanta_us(i, q[RCT_RX]),
			 "tx_us", s->live ? quanta_us(i, q[RCT_TX]) : json_null(),
			 "share", i->speed_mbps && us_all > 0 ?
			 json_real(most * 512.0 / i->speed_mbps / us_all) : json_null(), "from", "packets");
}

/* n, i: either may be NULL. An empty list: nothing is known of pause. */
static json_t *pause_rows(const struct rct_snapshot *s, const struct rct_nic *n, const struct rct_iface *i)
{
	json_t *rows = json_array(), *row;

	for (int prio = -1; prio < RCT_PRIOS; prio++) {
		row = n ? counted_row(s, n, prio) : NULL;
		if (row)
			json_array_append_new(rows, row);
		row = i ? seen_row(s, i, prio) : NULL;
		if (row)
			json_array_append_new(rows, row);
	}
	return rows;
}

/* ---- NICs */

static const struct rct_iface *traced(const struct rct_snapshot *s, const char *ifname)
{
	for (size_t i = 0; *ifname && i < s->n_ifaces; i++) {
		if (!strcmp(s->ifaces[i].name, ifname))
			return &s->ifaces[i];
	}
	return NULL;
}

static const char *first_of(const char *a, const char *b)
{
	return *a ? a : b;
}

static struct rct_num speed_of(const struct rct_nic *n, const struct rct_netif *i)
{
	/* an interface that is down says -1 */
	return i->speed_mbps.have == RCT_THERE && i->speed_mbps.v > 0 ? i->speed_mbps : n->rate_mbps;
}

static json_t *nic(const struct rct_snapshot *s, const struct rct_nic *n)
{
	static const struct rct_netif none = { .node = -2 };
	const struct rct_netif *i = rct_nic_netif(s->facts, n);

	i = i ? i : &none;
	return json_pack("{so so sI so so so so so so so so so so so}", "ifname", rct_json_text_or_null(n->ifname),
			 "dev", rct_json_text(n->dev), "port", (json_int_t)n->port,
			 "driver", rct_json_text_or_null(first_of(n->driver, i->driver)),
			 "firmware", rct_json_text_or_null(first_of(n->fw, i->firmware)),
			 "pci", rct_json_text_or_null(first_of(n->pci, i->pci)), "node", rct_json_node(n->node >= 0 ? n->node : i->node),
			 "speed_mbps", rct_json_known(speed_of(n, i)), "mtu", rct_json_known(i->mtu),
			 "active_mtu", rct_json_known(n->active_mtu), "state", rct_json_text_or_null(n->state),
			 "neighbour", json_null(), "counters", counters(s, n),
			 "pause", pause_rows(s, n, traced(s, n->ifname)));
}

/* An interface that is no NIC's, as far as that is known. */
static json_t *iface(const struct rct_snapshot *s, const struct rct_iface *i)
{
	json_t *rows = pause_rows(s, NULL, i);

	if (!json_array_size(rows)) {
		json_decref(rows);
		return NULL;
	}
	return json_pack("{so so so so so so so so so so so so so so}", "ifname", rct_json_text(i->name),
			 "dev", json_null(), "port", json_null(), "driver", json_null(), "firmware", json_null(),
			 "pci", json_null(), "node", json_null(), "speed_mbps", rct_json_nonzero(i->speed_mbps),
			 "mtu", json_null(), "active_mtu", json_null(), "state", json_null(),
			 "neighbour", json_null(), "counters", json_null(), "pause", rows);
}

static bool is_nics(const struct rct_snapshot *s, const struct rct_iface *i)
{
	for (u32 k = 0; s->facts && k < s->facts->n_nics; k++) {
		if (!strcmp(s->facts->nics[k].ifname, i->name))
			return true;
	}
	return false;
}

json_t *rct_json_nics(const struct rct_snapshot *s)
{
	json_t *list = json_array(), *one;
	bool failed = false;

	for (u32 k = 0; s->facts && k < s->facts->n_nics; k++)
		failed |= json_array_append_new(list, nic(s, &s->facts->nics[k])) != 0;
	for (size_t i = 0; i < s->n_ifaces; i++) {
		one = is_nics(s, &s->ifaces[i]) ? NULL : iface(s, &s->ifaces[i]);
		if (one)
			failed |= json_array_append_new(list, one) != 0;
	}
	if (!failed)
		return list;
	json_decref(list);
	return NULL;
}
