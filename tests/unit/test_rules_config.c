// SPDX-License-Identifier: BSD-2-Clause
/* Rules on configuration and jobs: what is said, what is not, and what nobody can know. */
#include "lib/unit.h"

#include <arpa/inet.h>
#include <stdio.h>

#include "analyse/job.h"
#include "base/util.h"

/* A host, and what the rules said of it. */
struct trial {
	struct rct_snapshot s;
	struct rct_facts before, after;
	struct rct_findings f;
};

static void start(struct trial *t)
{
	memset(t, 0, sizeof(*t));
	t->s.command = "check";
	t->s.facts = &t->after;
	t->after.uptime = 100010;
	t->after.vm = t->after.container = RCT_TRI_UNKNOWN;
	t->after.nv_peermem = t->after.iommu_on = t->after.iommu_pt = t->after.nccl.gdr = RCT_TRI_UNKNOWN;
}

static void done(struct trial *t)
{
	rct_findings_free(&t->f);
	rct_facts_free(&t->before);
	rct_facts_free(&t->after);
}

static void judge(struct trial *t)
{
	rct_findings_free(&t->f);
	assert_int_equal(rct_analyse(&t->s, &t->f), 0);
}

static struct rct_num num(s64 v)
{
	return (struct rct_num){ RCT_THERE, v };
}

static struct rct_nic *add_nic(struct rct_facts *f, const char *dev, const char *ifname)
{
	struct rct_nic *n = RCT_FACTS_ADD(f->nics, f->n_nics);
	struct rct_netif *i = RCT_FACTS_ADD(f->netifs, f->n_netifs);

	assert_true(n && i);
	snprintf(n->dev, sizeof(n->dev), "%s", dev);
	snprintf(n->ifname, sizeof(n->ifname), "%s", ifname);
	n->port = 1;
	n->netif = f->n_netifs - 1;
	n->readable = true;
	strcpy(n->driver, "mlx5");
	strcpy(n->state, "ACTIVE");
	strcpy(n->link_layer, "Ethernet");
	n->rate_mbps = num(400000);
	n->hw_counters = RCT_THERE;
	snprintf(i->name, sizeof(i->name), "%s", ifname);
	strcpy(i->driver, "mlx5_core");
	i->speed_mbps = num(400000);
	i->pause_autoneg = i->pause_rx = i->pause_tx = RCT_TRI_UNKNOWN;
	memset(i->dcb.dscp_prio, -1, sizeof(i->dcb.dscp_prio));
	memset(i->ecn_np, -1, sizeof(i->ecn_np));
	memset(i->ecn_rp, -1, sizeof(i->ecn_rp));
	return n;
}

static struct rct_nic *nic(struct trial *t, const char *dev, const char *ifname)
{
	return add_nic(&t->after, dev, ifname);
}

/* n of them, eth0 and so on. */
static void nics(struct trial *t, u32 n)
{
	char dev[16], ifname[16];

	for (u32 i = 0; i < n; i++) {
		snprintf(dev, sizeof(dev), "mlx5_%u", i);
		snprintf(ifname, sizeof(ifname), "eth%u", i);
		nic(t, dev, ifname);
	}
}

static struct rct_proc *proc(struct trial *t, s32 pid)
{
	struct rct_proc *p = RCT_FACTS_ADD(t->after.procs, t->after.n_procs);

	assert_non_null(p);
	p->pid = pid;
	p->env_read = true;
	strcpy(p->comm, "python");
	return p;
}

static void add_env(struct rct_env **list, u32 *n, const char *name, const char *value)
{
	struct rct_env *e = rct_facts_add((void **)list, n, sizeof(*e));

	assert_non_null(e);
	e->name = strdup(name);
	e->value = strdup(value);
}

static void env(struct rct_proc *p, const char *name, const char *value)
{
	add_env(&p->env, &p->n_env, name, value);
}

static void to_addr(const char *text, u8 addr[16], u8 *family)
{
	*family = strchr(text, ':') ? 6 : 4;
	memset(addr, 0, 16);
	if (*family == 4)
		addr[10] = addr[11] = 0xff;
	assert_int_equal(inet_pton(*family == 4 ? AF_INET : AF_INET6, text, addr + (*family == 4 ? 12 : 0)), 1);
}

static void gid(struct rct_nic *n, u32 index, enum rct_gid_type type, const char *text)
{
	struct rct_gid *g = RCT_FACTS_ADD(n->gids, n->n_gids);
	u8 family;

	assert_non_null(g);
	g->index = index;
	g->type = type;
	if (text)
		to_addr(text, g->addr, &family);
}

static void addr(struct trial *t, const char *ifname, const char *text, u8 prefix)
{
	struct rct_addr4 *a = RCT_FACTS_ADD(t->after.addrs, t->after.n_addrs);

	assert_non_null(a);
	snprintf(a->ifname, sizeof(a->ifname), "%s", ifname);
	to_addr(text, a->addr, &a->family);
	a->prefix = prefix;
}

static void route(struct trial *t, const char *ifname, const char *text, u8 prefix)
{
	struct rct_route *r = RCT_FACTS_ADD(t->after.routes, t->after.n_routes);

	assert_non_null(r);
	snprintf(r->ifname, sizeof(r->ifname), "%s", ifname);
	to_addr(text, r->dst, &r->family);
	r->prefix = prefix;
	strcpy(r->table, "main");
}

static void rule(struct trial *t, const char *from, const char *table)
{
	struct rct_ip_rule *r = RCT_FACTS_ADD(t->after.rules, t->after.n_rules);

	assert_non_null(r);
	snprintf(r->from, sizeof(r->from), "%s", from);
	snprintf(r->table, sizeof(r->table), "%s", table);
}

static void neigh(struct trial *t, const char *ifname, const char *text, const char *mac)
{
	struct rct_neigh *n = RCT_FACTS_ADD(t->after.neighs, t->after.n_neighs);

	assert_non_null(n);
	snprintf(n->ifname, sizeof(n->ifname), "%s", ifname);
	snprintf(n->mac, sizeof(n->mac), "%s", mac);
	to_addr(text, n->addr, &n->family);
}

static void error(struct trial *t, s32 status, const char *local, const char *remote)
{
	struct rct_nccl_error *e = RCT_FACTS_ADD(t->after.nccl.errors, t->after.nccl.n_errors);

	assert_non_null(e);
	e->status = status;
	e->count = 3;
	snprintf(e->local_gid, sizeof(e->local_gid), "%s", local);
	snprintf(e->remote_gid, sizeof(e->remote_gid), "%s", remote);
}

/* ---- what was said */

static const struct rct_finding *find(const struct trial *t, const char *id)
{
	for (size_t i = 0; i < t->f.n; i++) {
		if (!strcmp(t->f.v[i].id, id))
			return &t->f.v[i];
	}
	return NULL;
}

static const struct rct_finding *need(const struct trial *t, const char *id, enum rct_severity severity)
{
	const struct rct_finding *f = find(t, id);

	if (!f)
		fail_msg("%s was not found", id);
	assert_int_equal(f->severity, severity);
	return f;
}

static void none(const struct trial *t, const char *id)
{
	const struct rct_finding *f = find(t, id);

	if (f)
		fail_msg("%s: %s", id, f->title);
}

static bool says(const struct rct_finding *f, const char *text)
{
	if (strstr(f->title, text) || strstr(f->object, text))
		return true;
	for (u32 i = 0; i < f->n_evidence; i++) {
		if (strstr(f->evidence[i].value, text) || strstr(f->evidence[i].metric, text))
			return true;
	}
	for (u32 i = 0; i < f->n_explains; i++) {
		if (strstr(f->explains[i], text))
			return true;
	}
	return false;
}

/* ------------------------------------------------------------------ NCCL_IB_HCA */

static void hca_lists(void **state)
{
	static const struct {
		const char *list;
		const char *takes;	/* of mlx5_1, mlx5_10 (port 1), mlx5_2 (port 2): "y" or "n" */
	} rows[] = {
		{ NULL, "yyy" }, { "", "yyy" },
		{ "mlx5_1", "yyn" }, { "=mlx5_1", "ynn" }, { "^mlx5_1", "nny" }, { "^=mlx5_1", "nyy" },
		{ "mlx5", "yyy" }, { "=mlx5", "nnn" }, { "^mlx5", "nnn" }, { "^=mlx5", "yyy" },
		{ "mlx5_1:1", "yyn" }, { "mlx5_1:2", "nnn" }, { "mlx5_2:2", "nny" }, { "mlx5_2:1", "nnn" },
		{ "=mlx5_2:2,mlx5_10:1", "nyy" }, { "^mlx5_2:1", "yyy" }, { "^mlx5_2:2", "yyn" },
		{ "mlx5_2:", "nny" }, { "mlx5_2:-1", "nny" }, { "mlx5_2:x", "nnn" }, { "mlx5_2:0", "nnn" },
		{ "mlx5_2:99999999999999999999", "nnn" }, { "mlx5_2:2:0:1", "nny" },
		/* no name at all: all, and with ^ none */
		{ "^", "nnn" }, { "=", "yyy" }, { "^=", "nnn" }, { ",", "yyy" }, { ",,,", "yyy" }, { ":", "yyy" },
		{ ":1", "yyy" }, { "^,", "nnn" },
		/* empty entries do not count beside others */
		{ ",mlx5_2", "nny" }, { "mlx5_2,", "nny" }, { ",,mlx5_2,,", "nny" }, { ":1,mlx5_2", "nny" },
		/* only in front, and in this order; else a part of the name */
		{ "=^mlx5_1", "nnn" }, { "mlx5_2,^mlx5_1", "nny" }, { "^^mlx5_1", "yyy" }, { "==mlx5_1", "nnn" },
		{ "mlx5_1 ", "nnn" }, { "MLX5_1", "nnn" }, { "mlx5_100000000000000000000000000000000000000000000", "nnn" },
	};
	struct rct_nic n[3] = { { .dev = "mlx5_1", .port = 1 }, { .dev = "mlx5_10", .port = 1 }, { .dev = "mlx5_2", .port = 2 } };

	(void)state;
	for (u32 k = 0; k < 3; k++)
		strcpy(n[k].state, "ACTIVE");
	for (size_t i = 0; i < RCT_ARRAY_SIZE(rows); i++) {
		for (u32 k = 0; k < 3; k++) {
			if (rct_hca_takes(rows[i].list, &n[k]) != (rows[i].takes[k] == 'y'))
				fail_msg("'%s' and %s", rows[i].list ? rows[i].list : "NULL", n[k].dev);
		}
	}
	strcpy(n[0].state, "DOWN");
	assert_false(rct_hca_takes(NULL, &n[0]));
	assert_false(rct_hca_takes("mlx5_1", &n[0]));
}

static void numbers(void **state)
{
	static const struct {
		const char *value;
		bool good;
		long n;
		int class;
	} rows[] = {
		{ "106", true, 106, 106 }, { "0", true, 0, 0 }, { "0x6a", true, 106, 106 }, { " 7", true, 7, 7 },
		{ "-1", true, -1, -1 }, { "255", true, 255, 255 }, { "256", true, 256, -1 }, { "106abc", true, 106, 106 },
		{ "", false, 0, -1 }, { "x", false, 0, -1 }, { " ", false, 0, -1 }, { "99999999999999999999999", false, 0, -1 },
	};
	struct trial t;
	long n;

	(void)state;
	for (size_t i = 0; i < RCT_ARRAY_SIZE(rows); i++) {
		start(&t);
		env(proc(&t, 1), "NCCL_IB_TC", rows[i].value);
		assert_int_equal(rct_job_number(&t.after, &t.after.procs[0], "NCCL_IB_TC", &n), rows[i].good);
		if (rows[i].good)
			assert_int_equal(n, rows[i].n);
		assert_int_equal(rct_job_traffic_class(&t.after, &t.after.procs[0]), rows[i].class);
		assert_false(rct_job_number(&t.after, &t.after.procs[0], "NCCL_IB_SL", &n));
		done(&t);
	}
	/* what only the log tells */
	start(&t);
	add_env(&t.after.nccl.env, &t.after.nccl.n_env, "NCCL_IB_TC", "41");
	assert_int_equal(rct_job_traffic_class(&t.after, NULL), 41);
	assert_int_equal(rct_job_traffic_class(&t.after, proc(&t, 1)), 41);
	done(&t);
}

static void a_prefix_that_takes_another(void **state)
{
	static const struct {
		const char *list;
		const char *devs[4];
		bool hit;
	} rows[] = {
		{ "mlx5_1", { "mlx5_1", "mlx5_10" }, true },
		{ "mlx5_0,mlx5_1", { "mlx5_0", "mlx5_1", "mlx5_12" }, true },
		/* both were named, or only a prefix was */
		{ "mlx5_1,mlx5_10", { "mlx5_1", "mlx5_10" }, false },
		{ "mlx5", { "mlx5_1", "mlx5_10" }, false },
		{ "mlx5_", { "mlx5_1", "mlx5_10" }, false },
		{ "=mlx5_1", { "mlx5_1", "mlx5_10" }, false },
		{ "^mlx5_1", { "mlx5_1", "mlx5_10", "mlx5_2" }, false },
		{ "mlx5_1", { "mlx5_1", "mlx5_2" }, false },
		/* two ports of one device */
		{ "mlx5_1", { "mlx5_1", "mlx5_1" }, false },
		{ "mlx5_1:1", { "mlx5_1", "mlx5_10" }, true },
	};
	struct trial t;

	(void)state;
	for (size_t i = 0; i < RCT_ARRAY_SIZE(rows); i++) {
		start(&t);
		for (u32 k = 0; k < 4 && rows[i].devs[k]; k++)
			nic(&t, rows[i].devs[k], "eth");
		env(proc(&t, 500), "NCCL_IB_HCA", rows[i].list);
		judge(&t);
		if (!rows[i].hit)
			none(&t, "nccl.hca");
		else
			assert_true(says(need(&t, "nccl.hca", RCT_WARNING), "500"));
		done(&t);
	}
}

static void one_of_many(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	nics(&t, 8);
	env(proc(&t, 1), "NCCL_IB_HCA", "mlx5_0");
	judge(&t);
	assert_true(says(need(&t, "nccl.hca", RCT_CRITICAL), "1 of 8"));
	/* each rank has its own */
	env(proc(&t, 2), "NCCL_IB_HCA", "mlx5_1");
	judge(&t);
	none(&t, "nccl.hca");
	done(&t);

	/* the others are no equals: slower, or down */
	start(&t);
	nics(&t, 8);
	for (u32 i = 1; i < 5; i++)
		t.after.nics[i].rate_mbps = t.after.netifs[i].speed_mbps = num(25000);
	strcpy(t.after.nics[5].state, "DOWN");
	env(proc(&t, 1), "NCCL_IB_HCA", "mlx5_0");
	judge(&t);
	none(&t, "nccl.hca");
	done(&t);
}

static void a_list_that_takes_none(void **state)
{
	struct trial t;
	struct rct_qp *q;

	(void)state;
	start(&t);
	nics(&t, 2);
	env(proc(&t, 77), "NCCL_IB_HCA", "mlx5_7");
	judge(&t);
	assert_true(says(need(&t, "nccl.hca", RCT_CRITICAL), "mlx5_0, mlx5_1"));
	/* it has queue pairs: so it has found some, in a namespace that is not ours */
	q = RCT_FACTS_ADD(t.after.qps, t.after.n_qps);
	q->pid = 77;
	judge(&t);
	none(&t, "nccl.hca");
	done(&t);

	/* and where there is no NIC at all that is no one's fault */
	start(&t);
	env(proc(&t, 77), "NCCL_IB_HCA", "mlx5_7");
	judge(&t);
	none(&t, "nccl.hca");
	done(&t);
}

/* ------------------------------------------------------------------------ GIDs */

static void pinned(struct trial *t, const char *index)
{
	struct rct_nic *n;

	start(t);
	n = nic(t, "mlx5_0", "eth0");
	gid(n, 0, RCT_GID_V1, "fe80::1");
	gid(n, 1, RCT_GID_V2, "fe80::1");
	gid(n, 2, RCT_GID_V1, "10.0.0.1");
	gid(n, 3, RCT_GID_V2, "10.0.0.1");
	gid(n, 4, RCT_GID_UNSET, NULL);
	gid(n, 5, RCT_GID_UNSET, "10.0.0.2");
	if (index)
		env(proc(t, 1), "NCCL_IB_GID_INDEX", index);
	judge(t);
}

static void pinned_gids(void **state)
{
	static const struct {
		const char *index, *id;
	} rows[] = {
		{ "3", NULL }, { NULL, NULL }, { "0", "gid.link_local" }, { "1", "gid.link_local" },
		{ "2", "gid.version" }, { "4", "gid.missing" }, { "200", "gid.missing" }, { "0x4", "gid.missing" },
		/* NCCL takes its default, or looks itself */
		{ "-1", NULL }, { "x", NULL }, { "", NULL }, { "99999999999999999999", NULL }, { "4294967300", NULL },
		/* an address whose type could not be read is no fault */
		{ "5", NULL },
	};
	static const char *const ids[] = { "gid.missing", "gid.version", "gid.link_local" };
	struct trial t;

	(void)state;
	for (size_t i = 0; i < RCT_ARRAY_SIZE(rows); i++) {
		pinned(&t, rows[i].index);
		for (size_t k = 0; k < RCT_ARRAY_SIZE(ids); k++) {
			const struct rct_finding *f = find(&t, ids[k]);
			bool bad = f && f->severity != RCT_OK_FINDING;

			if (bad != (rows[i].id && !strcmp(rows[i].id, ids[k])))
				fail_msg("index %s: %s %s", rows[i].index ? rows[i].index : "-", ids[k], f ? f->title : "is missing");
			if (bad)
				assert_int_equal(f->severity, RCT_CRITICAL);
		}
		done(&t);
	}
}

static void a_gid_finding_names_what_would_do(void **state)
{
	struct trial t;

	(void)state;
	pinned(&t, "1");
	error(&t, 12, "fe80::1", "fe80::2");
	judge(&t);
	assert_true(says(need(&t, "gid.link_local", RCT_CRITICAL), "3 (RoCE v2, 10.0.0.1)"));
	assert_true(says(find(&t, "gid.link_local"), "status 12"));
	assert_true(says(find(&t, "gid.link_local"), "mlx5_0"));
	done(&t);
}

static void only_nics_that_the_job_takes(void **state)
{
	struct trial t;

	(void)state;
	pinned(&t, "4");
	env(&t.after.procs[0], "NCCL_IB_HCA", "^mlx5_0");
	judge(&t);
	none(&t, "gid.missing");
	done(&t);

	/* an InfiniBand port has link-local GIDs, and is none of ours */
	pinned(&t, "0");
	strcpy(t.after.nics[0].link_layer, "InfiniBand");
	judge(&t);
	none(&t, "gid.link_local");
	done(&t);

	/* a process that is no job */
	pinned(&t, NULL);
	env(proc(&t, 9), "UCX_IB_GID_INDEX", "4");
	judge(&t);
	none(&t, "gid.missing");
	done(&t);
}

static void unread_gids_do_not_pass(void **state)
{
	struct trial t;

	(void)state;
	pinned(&t, "3");
	need(&t, "gid.link_local", RCT_OK_FINDING);
	/* a second NIC without a table */
	nic(&t, "mlx5_1", "eth1");
	judge(&t);
	need(&t, "gid.link_local", RCT_UNKNOWN_FINDING);
	done(&t);

	start(&t);
	judge(&t);
	none(&t, "gid.link_local");
	done(&t);
}

/* --------------------------------------------------------------- sockets, errors */

static void sockets(void **state)
{
	static const struct {
		const char *name, *value;
		bool hit;
	} rows[] = {
		{ "NCCL_NET", "Socket", true }, { "NCCL_NET", "socket", true }, { "NCCL_NET", "IB", false },
		{ "NCCL_NET", "", false }, { "NCCL_IB_DISABLE", "1", true }, { "NCCL_IB_DISABLE", "0x1", true },
		{ "NCCL_IB_DISABLE", "-1", true }, { "NCCL_IB_DISABLE", "0", false }, { "NCCL_IB_DISABLE", "", false },
		{ "NCCL_IB_DISABLE", "yes", false }, { "NCCL_DEBUG", "INFO", false },
	};
	struct trial t;

	(void)state;
	for (size_t i = 0; i < RCT_ARRAY_SIZE(rows); i++) {
		start(&t);
		nics(&t, 2);
		env(proc(&t, 41), rows[i].name, rows[i].value);
		judge(&t);
		if (rows[i].hit)
			assert_true(says(need(&t, "nccl.socket", RCT_CRITICAL), "41"));
		else
			none(&t, "nccl.socket");
		/* without an active RoCE NIC sockets are what there is */
		strcpy(t.after.nics[0].state, "DOWN");
		strcpy(t.after.nics[1].link_layer, "InfiniBand");
		judge(&t);
		none(&t, "nccl.socket");
		done(&t);
	}
}

static void sockets_by_the_log(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	nics(&t, 1);
	strcpy(t.after.nccl.network, "Socket");
	judge(&t);
	need(&t, "nccl.socket", RCT_CRITICAL);
	strcpy(t.after.nccl.network, "IB");
	judge(&t);
	none(&t, "nccl.socket");
	done(&t);
}

static void completion_errors(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	nics(&t, 1);
	error(&t, 12, "10.0.0.1", "10.0.0.2");
	judge(&t);
	assert_true(says(need(&t, "nccl.error", RCT_CRITICAL), "10.0.0.1 to 10.0.0.2"));
	/* flushed ones are a consequence; others are no completion */
	t.after.nccl.errors[0].status = 5;
	judge(&t);
	none(&t, "nccl.error");
	t.after.nccl.errors[0].status = -1;
	judge(&t);
	none(&t, "nccl.error");
	done(&t);
}

/* ------------------------------------------------------------------------- MTU */

static void mtu(struct trial *t, s64 netdev, s64 active, bool derived)
{
	start(t);
	nics(t, 1);
	if (netdev)
		t->after.netifs[0].mtu = num(netdev);
	if (active)
		t->after.nics[0].active_mtu = num(active);
	t->after.nics[0].active_mtu_derived = derived;
	judge(t);
}

static void mtus(void **state)
{
	static const struct {
		s64 netdev, active;
		enum rct_severity severity;
		const char *says;
	} rows[] = {
		{ 4200, 4096, RCT_OK_FINDING, "4096 on 1 of 1" },
		{ 9000, 0, RCT_OK_FINDING, "4096 on 1 of 1" },
		{ 4192, 0, RCT_OK_FINDING, "4096" },
		{ 0, 4096, RCT_OK_FINDING, "4096" },
		/* jumbo frames were meant, and 4096 does not fit */
		{ 4191, 0, RCT_WARNING, "path MTU of 2048" },
		{ 4096, 2048, RCT_WARNING, "path MTU of 2048" },
		{ 1500, 1024, RCT_NOTICE, "path MTU of 1024" },
		{ 1500, 0, RCT_NOTICE, "path MTU of 1024" },
		{ 68, 0, RCT_NOTICE, "path MTU of 256" },
		/* the device has less than would fit */
		{ 9000, 1024, RCT_WARNING, "has room for 4096" },
		/* the interface's is not known */
		{ 0, 1024, RCT_NOTICE, "path MTU is 1024" },
		{ 0, 0, RCT_UNKNOWN_FINDING, "not readable" },
	};
	struct trial t;

	(void)state;
	for (size_t i = 0; i < RCT_ARRAY_SIZE(rows); i++) {
		mtu(&t, rows[i].netdev, rows[i].active, false);
		if (!says(need(&t, "mtu.small", rows[i].severity), rows[i].says))
			fail_msg("%lld, %lld: %s", (long long)rows[i].netdev, (long long)rows[i].active, find(&t, "mtu.small")->title);
		done(&t);
	}
}

static void one_unknown_mtu_is_no_pass(void **state)
{
	struct trial t;

	(void)state;
	mtu(&t, 9000, 0, false);
	nic(&t, "mlx5_1", "eth1");
	judge(&t);
	need(&t, "mtu.small", RCT_UNKNOWN_FINDING);
	/* one that is down does not count */
	strcpy(t.after.nics[1].state, "DOWN");
	judge(&t);
	need(&t, "mtu.small", RCT_OK_FINDING);
	done(&t);
	mtu(&t, 0, 0, false);
	t.after.nics[0].readable = false;
	judge(&t);
	none(&t, "mtu.small");
	done(&t);
}

static void a_derived_mtu_is_said_to_be(void **state)
{
	struct trial t;
	const struct rct_finding *f;

	(void)state;
	mtu(&t, 1500, 1024, true);
	f = need(&t, "mtu.small", RCT_NOTICE);
	assert_string_equal(f->evidence[1].from, "derived from the netdev MTU");
	done(&t);
	mtu(&t, 1500, 1024, false);
	assert_string_equal(need(&t, "mtu.small", RCT_NOTICE)->evidence[1].from, "device");
	done(&t);
}

/* ------------------------------------------------------------------------- ARP */

/* Four rails in one subnet, as Linux comes. */
static void flux(struct trial *t)
{
	char ip[16], ifname[8];

	start(t);
	nics(t, 4);
	for (u32 i = 0; i < 4; i++) {
		snprintf(ip, sizeof(ip), "10.27.0.1%u", i);
		snprintf(ifname, sizeof(ifname), "eth%u", i);
		addr(t, ifname, ip, 24);
		t->after.netifs[i].arp_ignore = t->after.netifs[i].arp_announce = num(0);
	}
	t->after.arp_ignore_all = t->after.arp_announce_all = num(0);
	rule(t, "all", "local");
	rule(t, "all", "main");
}

static void arp_flux(void **state)
{
	struct trial t;

	(void)state;
	flux(&t);
	judge(&t);
	assert_true(says(need(&t, "arp.flux", RCT_CRITICAL), "eth0, eth1, eth2, eth3"));
	assert_true(says(find(&t, "arp.flux"), "4 RoCE NICs"));
	/* a rule by source */
	rule(&t, "10.27.0.10", "101");
	judge(&t);
	none(&t, "arp.flux");
	done(&t);
}

static void no_flux(void **state)
{
	struct trial t;

	(void)state;
	/* each answers for itself, by its own switch or by that of all */
	flux(&t);
	t.after.arp_ignore_all = num(1);
	judge(&t);
	none(&t, "arp.flux");
	t.after.arp_ignore_all = num(0);
	for (u32 i = 0; i < 3; i++)
		t.after.netifs[i].arp_ignore = num(1);
	judge(&t);
	none(&t, "arp.flux");
	done(&t);

	/* a subnet for each */
	flux(&t);
	for (u32 i = 0; i < 4; i++)
		t.after.addrs[i].prefix = 32;
	judge(&t);
	none(&t, "arp.flux");
	done(&t);

	/* several addresses of one interface */
	start(&t);
	nics(&t, 1);
	addr(&t, "eth0", "10.0.0.1", 24);
	addr(&t, "eth0", "10.0.0.2", 24);
	t.after.netifs[0].arp_ignore = t.after.arp_ignore_all = num(0);
	rule(&t, "all", "main");
	judge(&t);
	none(&t, "arp.flux");
	done(&t);

	/* the others are no RoCE NICs */
	flux(&t);
	for (u32 i = 1; i < 4; i++)
		strcpy(t.after.addrs[i].ifname, "docker0");
	judge(&t);
	none(&t, "arp.flux");
	done(&t);
}

static void unread_switches_accuse_nobody(void **state)
{
	struct trial t;

	(void)state;
	flux(&t);
	t.after.arp_ignore_all.have = RCT_ABSENT;
	judge(&t);
	none(&t, "arp.flux");
	done(&t);

	flux(&t);
	for (u32 i = 0; i < 4; i++)
		t.after.netifs[i].arp_ignore.have = RCT_UNREADABLE;
	judge(&t);
	none(&t, "arp.flux");
	done(&t);

	/* a host always has rules: these were not read */
	flux(&t);
	t.after.n_rules = 0;
	judge(&t);
	none(&t, "arp.flux");
	t.after.n_rules = 2;
	done(&t);

	/* and what was not read is not called 0 */
	flux(&t);
	t.after.arp_announce_all.have = RCT_ABSENT;
	judge(&t);
	assert_true(says(need(&t, "arp.flux", RCT_CRITICAL), "0 and n/a"));
	done(&t);
}

static void neighbours(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	nics(&t, 1);
	neigh(&t, "eth0", "10.27.0.21", "02:00:00:00:00:01");
	neigh(&t, "eth0", "10.27.0.22", "02:00:00:00:00:01");
	judge(&t);
	none(&t, "arp.flux_peer");
	neigh(&t, "eth0", "10.27.0.23", "02:00:00:00:00:01");
	judge(&t);
	assert_true(says(need(&t, "arp.flux_peer", RCT_WARNING), "10.27.0.21"));
	done(&t);

	/* unresolved ones have none in common; in IPv6 each has several addresses */
	start(&t);
	nics(&t, 1);
	for (u32 i = 0; i < 4; i++) {
		neigh(&t, "eth0", (const char *[]){ "10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4" }[i], i & 1 ? "" : "00:00:00:00:00:00");
		neigh(&t, "eth0", (const char *[]){ "fe80::2", "fd00::2", "fd00::3", "fd00::4" }[i], "02:00:00:00:00:01");
		neigh(&t, "lo", (const char *[]){ "10.1.0.1", "10.1.0.2", "10.1.0.3", "10.1.0.4" }[i], "02:00:00:00:00:02");
	}
	judge(&t);
	none(&t, "arp.flux_peer");
	done(&t);
}

/* ----------------------------------------------------------------------- rails */

static void rails(struct trial *t)
{
	start(t);
	nics(t, 2);
	addr(t, "eth0", "10.1.0.5", 24);
	addr(t, "eth1", "10.2.0.5", 24);
	route(t, "eth0", "10.1.0.0", 24);
	route(t, "eth1", "10.2.0.0", 24);
}

static void crossed_rails(void **state)
{
	struct trial t;

	(void)state;
	rails(&t);
	error(&t, 12, "10.1.0.5", "10.2.0.9");
	judge(&t);
	assert_true(says(need(&t, "path.rail", RCT_CRITICAL), "eth0"));
	/* the error is its consequence */
	assert_int_equal(need(&t, "nccl.error", RCT_NOTICE)->severity, RCT_NOTICE);
	/* a default route of the other family does not help, one of this does */
	route(&t, "eth0", "::", 0);
	judge(&t);
	need(&t, "path.rail", RCT_CRITICAL);
	route(&t, "eth1", "0.0.0.0", 0);
	judge(&t);
	need(&t, "path.rail", RCT_CRITICAL);
	route(&t, "eth0", "0.0.0.0", 0);
	judge(&t);
	none(&t, "path.rail");
	done(&t);

	/* the same the other way round */
	rails(&t);
	addr(&t, "eth0", "fd01::5", 64);
	route(&t, "eth0", "0.0.0.0", 0);
	error(&t, 12, "fd01::5", "fd02::9");
	judge(&t);
	need(&t, "path.rail", RCT_CRITICAL);
	route(&t, "eth0", "::", 0);
	judge(&t);
	none(&t, "path.rail");
	done(&t);
}

static void no_crossing(void **state)
{
	static const struct {
		s32 status;
		const char *local, *remote;
	} rows[] = {
		{ 12, "10.1.0.5", "10.1.0.9" },		/* one rail */
		{ 13, "10.1.0.5", "10.2.0.9" },		/* it did answer */
		{ 12, "10.3.0.5", "10.2.0.9" },		/* no address of ours */
		{ 12, "", "" }, { 12, "x", "10.2.0.9" }, { 12, "10.1.0.5", "10.2.0.999" }, { 12, "10.1.0.5", "" },
	};
	struct trial t;

	(void)state;
	for (size_t i = 0; i < RCT_ARRAY_SIZE(rows); i++) {
		rails(&t);
		error(&t, rows[i].status, rows[i].local, rows[i].remote);
		judge(&t);
		none(&t, "path.rail");
		done(&t);
	}
	/* routes were not read */
	start(&t);
	nics(&t, 1);
	addr(&t, "eth0", "10.1.0.5", 24);
	error(&t, 12, "10.1.0.5", "10.2.0.9");
	judge(&t);
	none(&t, "path.rail");
	done(&t);
}

/* --------------------------------------------------------------- traffic class */

/* PFC on priority 3, which DSCP 26 goes to. */
static void lossless(struct trial *t, const char *tc)
{
	struct rct_dcb *d;

	start(t);
	nics(t, 1);
	d = &t->after.netifs[0].dcb;
	d->pfc = d->app = d->trust = RCT_THERE;
	d->pfc_enabled = 1 << 3;
	d->trust_dscp = true;
	d->dscp_prio[26] = 3;
	env(proc(t, 4410), "NCCL_DEBUG", "WARN");
	if (tc)
		env(&t->after.procs[0], "NCCL_IB_TC", tc);
}

static void classes(void **state)
{
	static const struct {
		const char *tc;
		bool hit;
	} rows[] = {
		{ "106", false }, { "104", false }, { "0x6a", false },
		{ "0", true }, { "64", true }, { "128", true },
		/* by its upper bits, where the map has no entry */
		{ "96", false }, { "255", true },
		/* not set, and nothing says that it travels unprotected */
		{ NULL, false }, { "-1", false }, { "x", false }, { "", false }, { "99999999999999999999", false },
	};
	struct trial t;

	(void)state;
	for (size_t i = 0; i < RCT_ARRAY_SIZE(rows); i++) {
		lossless(&t, rows[i].tc);
		judge(&t);
		if (!rows[i].hit)
			none(&t, "qos.process");
		else
			assert_true(says(need(&t, "qos.process", RCT_WARNING), "4410"));
		done(&t);
	}
}

static void unread_classes_accuse_nobody(void **state)
{
	struct trial t;

	(void)state;
	for (u32 i = 0; i < 5; i++) {
		struct rct_dcb *d;

		lossless(&t, "0");
		d = &t.after.netifs[0].dcb;
		if (i == 0)
			d->pfc = RCT_UNREADABLE;
		else if (i == 1)
			d->app = RCT_ABSENT;
		else if (i == 2)
			d->trust = RCT_ABSENT;
		else if (i == 3)
			d->pfc_enabled = 0;	/* nothing is lossless here: other rules' matter */
		else
			t.after.nics[0].netif = -1;
		judge(&t);
		none(&t, "qos.process");
		done(&t);
	}
	/* a priority that there is not */
	lossless(&t, "104");
	t.after.netifs[0].dcb.dscp_prio[26] = 100;
	judge(&t);
	none(&t, "qos.process");
	done(&t);
}

static void put(struct rct_counter **list, u32 *n, const char *name, u64 v)
{
	struct rct_counter *c = rct_facts_add((void **)list, n, sizeof(*c));

	assert_non_null(c);
	c->group = strncmp(name, "port_", 5) ? RCT_G_ETHTOOL : RCT_G_PORT;
	c->have = RCT_THERE;
	snprintf(c->name, sizeof(c->name), "%s", name);
	c->value = v;
}

/* No class is set: what the job sent tells. */
static void traffic(struct trial *t, u64 prio0, u64 prio3)
{
	lossless(t, NULL);
	add_nic(&t->before, "mlx5_0", "eth0");
	t->before.uptime = 100000;
	t->s.before = &t->before;
	for (u32 i = 0; i < 2; i++) {
		struct rct_facts *f = i ? &t->after : &t->before;

		put(&f->netifs[0].counters, &f->netifs[0].n_counters, "tx_prio0_bytes", i * prio0);
		put(&f->netifs[0].counters, &f->netifs[0].n_counters, "tx_prio3_bytes", i * prio3);
		put(&f->nics[0].counters, &f->nics[0].n_counters, "port_xmit_data", i * (prio0 + prio3) / 4);
	}
	judge(t);
}

static void a_class_that_is_not_set(void **state)
{
	struct trial t;

	(void)state;
	traffic(&t, 100000000000, 1000);
	assert_true(says(need(&t, "qos.process", RCT_WARNING), "not set"));
	/* a word that is no number is shown as it is */
	env(&t.after.procs[0], "NCCL_IB_TC", "high");
	judge(&t);
	assert_true(says(need(&t, "qos.process", RCT_WARNING), "high"));
	done(&t);
	traffic(&t, 1000, 100000000000);
	none(&t, "qos.process");
	done(&t);
}

/* ---------------------------------------------------------------------- tuning */

static void bonds(void **state)
{
	static const struct {
		const char *qps;
		u32 members;
		bool hit;
	} rows[] = {
		{ NULL, 2, true }, { "1", 2, true }, { "x", 2, true }, { "-4", 2, true }, { "", 2, true },
		{ "4", 2, false }, { "0x2", 2, false }, { NULL, 0, false }, { NULL, 1, false },
	};
	struct trial t;

	(void)state;
	for (size_t i = 0; i < RCT_ARRAY_SIZE(rows); i++) {
		start(&t);
		nics(&t, 1);
		t.after.netifs[0].n_members = rows[i].members;
		env(proc(&t, 7), "NCCL_DEBUG", "WARN");
		if (rows[i].qps)
			env(&t.after.procs[0], "NCCL_IB_QPS_PER_CONNECTION", rows[i].qps);
		judge(&t);
		if (rows[i].hit)
			need(&t, "nccl.tuning", RCT_WARNING);
		else
			none(&t, "nccl.tuning");
		done(&t);
	}
}

static void guests(void **state)
{
	struct trial t;

	(void)state;
	for (int vm = RCT_TRI_UNKNOWN; vm <= 1; vm++) {
		start(&t);
		nics(&t, 1);
		t.after.vm = vm;
		judge(&t);
		none(&t, "numa.vm_topology");	/* no job */
		env(proc(&t, 7), "NCCL_DEBUG", "WARN");
		judge(&t);
		if (vm == 1)
			need(&t, "numa.vm_topology", RCT_NOTICE);
		else
			none(&t, "numa.vm_topology");
		env(&t.after.procs[0], "NCCL_TOPO_FILE", "/etc/topo.xml");
		judge(&t);
		none(&t, "numa.vm_topology");
		done(&t);
	}
	/* set in nccl.conf: the log says so */
	start(&t);
	t.after.vm = 1;
	env(proc(&t, 7), "NCCL_DEBUG", "INFO");
	add_env(&t.after.nccl.env, &t.after.nccl.n_env, "NCCL_TOPO_FILE", "/etc/topo.xml");
	judge(&t);
	none(&t, "numa.vm_topology");
	done(&t);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(hca_lists), cmocka_unit_test(numbers),
		cmocka_unit_test(a_prefix_that_takes_another), cmocka_unit_test(one_of_many),
		cmocka_unit_test(a_list_that_takes_none), cmocka_unit_test(pinned_gids),
		cmocka_unit_test(a_gid_finding_names_what_would_do),
		cmocka_unit_test(only_nics_that_the_job_takes), cmocka_unit_test(unread_gids_do_not_pass),
		cmocka_unit_test(sockets), cmocka_unit_test(sockets_by_the_log),
		cmocka_unit_test(completion_errors), cmocka_unit_test(mtus),
		cmocka_unit_test(one_unknown_mtu_is_no_pass), cmocka_unit_test(a_derived_mtu_is_said_to_be),
		cmocka_unit_test(arp_flux), cmocka_unit_test(no_flux),
		cmocka_unit_test(unread_switches_accuse_nobody), cmocka_unit_test(neighbours),
		cmocka_unit_test(crossed_rails), cmocka_unit_test(no_crossing), cmocka_unit_test(classes),
		cmocka_unit_test(unread_classes_accuse_nobody), cmocka_unit_test(a_class_that_is_not_set),
		cmocka_unit_test(bonds), cmocka_unit_test(guests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
