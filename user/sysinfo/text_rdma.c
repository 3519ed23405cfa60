// SPDX-License-Identifier: BSD-2-Clause
/* What ibv_devinfo, rdma and show_gids print of RDMA devices. */
#include "sysinfo/text.h"

#include <string.h>

#include "sysinfo/text_scan.h"

/* ---- ibv_devinfo: a device's lines, and under "port:" those of its ports */

struct devinfo {
	struct rct_facts *f;
	struct rct_str dev, fw;
	struct rct_nic *nic;		/* of the port that lines belong to, or NULL */
};

/* "PORT_ACTIVE (4)": "ACTIVE" */
static void devinfo_state(struct devinfo *d, struct rct_str v)
{
	struct rct_str w = rct_str_word(&v);

	if (d->nic->state[0] || !rct_str_skip(&w, "PORT_"))
		return;
	rct_str_copy(d->nic->state, sizeof(d->nic->state), w);
}

static void devinfo_mtu(struct devinfo *d, struct rct_str v)
{
	u64 mtu;

	if (!rct_str_u64(rct_str_word(&v), &mtu) || mtu < 256 || mtu > 4096)
		return;
	d->nic->active_mtu = (struct rct_num){ RCT_THERE, mtu };
	d->nic->active_mtu_derived = rct_str_after(v, "derived", NULL, NULL);
}

static void devinfo_layer(struct devinfo *d, struct rct_str v)
{
	if (!d->nic->link_layer[0])
		rct_str_copy(d->nic->link_layer, sizeof(d->nic->link_layer), v);
}

static const struct {
	const char *key;
	void (*take)(struct devinfo *d, struct rct_str value);
} port_keys[] = {
	{ "state", devinfo_state }, { "active_mtu", devinfo_mtu }, { "link_layer", devinfo_layer },
};

static void devinfo_port(struct devinfo *d, struct rct_str v)
{
	u64 port;

	d->nic = rct_str_u64(v, &port) ? rct_text_nic(d->f, d->dev, port) : NULL;
	if (d->nic && !d->nic->fw[0])
		rct_str_copy(d->nic->fw, sizeof(d->nic->fw), d->fw);
}

int rct_text_ibv_devinfo(const char *text, size_t len, struct rct_facts *f)
{
	struct rct_str t = { text, len }, line, key, value;
	struct devinfo d = { .f = f };
	int rc = -ENODATA;

	while (rct_str_line(&t, &line)) {
		if (!rct_str_pair(line, ':', &key, &value))
			continue;
		if (rct_str_is(key, "hca_id")) {
			d = (struct devinfo){ .f = f, .dev = value };
			rc = 0;
		} else if (rct_str_is(key, "fw_ver")) {
			d.fw = value;
		} else if (rct_str_is(key, "port")) {
			devinfo_port(&d, value);
		}
		for (size_t i = 0; d.nic && i < sizeof(port_keys) / sizeof(port_keys[0]); i++) {
			if (rct_str_is(key, port_keys[i].key))
				port_keys[i].take(&d, value);
		}
	}
	return rc;
}

/* ---- rdma link, rdma res show qp: "link DEV/PORT key value key value ..." */

struct link_line {
	struct rct_str dev, rest;
	u64 port;
};

static bool link_line(struct rct_str line, struct link_line *l)
{
	struct rct_str w = rct_str_word(&line), port;

	if (!rct_str_is(w, "link"))
		return false;
	w = rct_str_word(&line);
	*l = (struct link_line){ .dev = w, .rest = line };
	if (rct_str_pair(w, '/', &l->dev, &port) && !rct_str_u64(port, &l->port))
		l->port = 0;		/* "-": of no port */
	return l->dev.n && l->dev.n < RCT_NAME;
}

static bool next_key(struct link_line *l, struct rct_str *key, struct rct_str *value)
{
	*key = rct_str_word(&l->rest);
	*value = rct_str_word(&l->rest);
	return value->n;
}

/* sysfs spells them otherwise */
static const char *const phys_states[][2] = {
	{ "LINK_UP", "LinkUp" }, { "DISABLED", "Disabled" }, { "POLLING", "Polling" },
	{ "SLEEP", "Sleep" }, { "LINK_ERROR_RECOVERY", "LinkErrorRecovery" },
};

static void set_once(char *buf, size_t size, struct rct_str v)
{
	if (!buf[0])
		rct_str_copy(buf, size, v);
}

static void link_field(struct rct_nic *n, struct rct_str key, struct rct_str v)
{
	if (rct_str_is(key, "state"))
		set_once(n->state, sizeof(n->state), v);
	else if (rct_str_is(key, "netdev"))
		set_once(n->ifname, sizeof(n->ifname), v);
	if (!rct_str_is(key, "physical_state"))
		return;
	for (size_t i = 0; i < sizeof(phys_states) / sizeof(phys_states[0]); i++) {
		if (rct_str_is(v, phys_states[i][0]))
			v = (struct rct_str){ phys_states[i][1], strlen(phys_states[i][1]) };
	}
	set_once(n->phys_state, sizeof(n->phys_state), v);
}

int rct_text_rdma_link(const char *text, size_t len, struct rct_facts *f)
{
	struct rct_str t = { text, len }, line, key, value;
	struct rct_nic *n;
	struct link_line l;
	int rc = -ENODATA;

	while (rct_str_line(&t, &line)) {
		if (!link_line(line, &l))
			continue;
		rc = 0;
		n = rct_text_nic(f, l.dev, l.port);
		while (n && next_key(&l, &key, &value))
			link_field(n, key, value);
	}
	return rc;
}

static void qp_number(struct rct_qp *q, struct rct_str key, struct rct_str value)
{
	u32 *into = rct_str_is(key, "lqpn") ? &q->lqpn : rct_str_is(key, "rqpn") ? &q->rqpn :
		    rct_str_is(key, "rq-psn") ? &q->rq_psn : rct_str_is(key, "sq-psn") ? &q->sq_psn : NULL;
	u64 v;

	if (into && rct_str_u64(value, &v) && v <= 0xffffff)
		*into = v;
	else if (rct_str_is(key, "pid"))
		rct_str_s32(value, &q->pid);
}

/* A process's name may hold blanks; nothing that is wanted stands behind it. */
static void qp_fields(struct rct_qp *q, struct link_line *l)
{
	struct rct_str key, value, rest = l->rest;

	while (next_key(l, &key, &value)) {
		if (rct_str_is(key, "comm")) {
			rct_str_after(rest, "comm", NULL, &value);
			rct_str_copy(q->comm, sizeof(q->comm), rct_str_trim(value));
			return;
		}
		if (rct_str_is(key, "type"))
			rct_str_copy(q->type, sizeof(q->type), value);
		else if (rct_str_is(key, "state"))
			rct_str_copy(q->state, sizeof(q->state), value);
		else
			qp_number(q, key, value);
		rest = l->rest;
	}
}

/* An empty list is a list too: no queue pairs. */
int rct_text_rdma_res_qp(const char *text, size_t len, struct rct_facts *f)
{
	struct rct_str t = { text, len }, line;
	struct link_line l;
	struct rct_qp *q;

	f->qps_read = true;
	while (rct_str_line(&t, &line)) {
		if (!link_line(line, &l))
			continue;
		q = RCT_LIST_ADD(f->qps, f->n_qps);
		if (!q)
			return rct_list_end(f->n_qps);
		rct_str_copy(q->dev, sizeof(q->dev), l.dev);
		q->port = l.port;
		q->pid = -1;
		qp_fields(q, &l);
	}
	return 0;
}

/* ---- show_gids: DEV PORT INDEX GID [IPv4] VER DEV */

static int take_gid(struct rct_nic *n, u64 index, const u8 gid[16], struct rct_str ver,
		    struct rct_str ndev)
{
	struct rct_gid *g = RCT_LIST_ADD(n->gids, n->n_gids);

	if (!g)
		return rct_list_end(n->n_gids);
	g->index = index;
	memcpy(g->addr, gid, sizeof(g->addr));
	g->type = rct_str_is(ver, "v2") ? RCT_GID_V2 : rct_str_is(ver, "v1") ? RCT_GID_V1 : RCT_GID_UNSET;
	rct_str_copy(g->ndev, sizeof(g->ndev), ndev);
	return 0;
}

/* The first GID of a NIC that had none opens its list to the lines behind it, all of one block. */
struct gid_block {
	struct rct_nic *open;
};

static int take_gid_line(struct rct_facts *f, struct gid_block *b, struct rct_str line)
{
	struct rct_str dev = rct_str_word(&line), port = rct_str_word(&line), index = rct_str_word(&line),
		       gid = rct_str_word(&line), ver = rct_str_word(&line), ndev = rct_str_word(&line);
	u8 family, prefix, addr[16];
	struct rct_nic *n;
	u64 p, i;

	if (!rct_str_u64(port, &p) || !rct_str_u64(index, &i) || i > 0xffff ||
	    !rct_str_addr(gid, &family, addr, &prefix))
		return 0;
	if (!rct_str_starts(ver, "v")) {	/* the IPv4 column */
		ver = ndev;
		ndev = rct_str_word(&line);
	}
	n = rct_text_nic(f, dev, p);
	if (!n || (n->n_gids && b->open != n))
		return 0;
	b->open = n;
	return take_gid(n, i, addr, ver, ndev);
}

int rct_text_show_gids(const char *text, size_t len, struct rct_facts *f)
{
	struct rct_str t = { text, len }, line;
	struct gid_block b = { NULL };
	int rc = 0;

	while (!rc && rct_str_line(&t, &line))
		rc = take_gid_line(f, &b, line);
	return rc ? rc : b.open ? 0 : -ENODATA;
}
