// SPDX-License-Identifier: BSD-2-Clause
/* user/analyse/diff*.c, user/render/diff.c: two hosts beside each other. */
#include "lib/unit.h"

#include <jansson.h>
#include <stdio.h>

#include "analyse/analyse.h"
#include "analyse/diff.h"
#include "base/util.h"
#include "model/facts.h"
#include "render/diff.h"

struct both {
	struct rct_snapshot s[2];
	struct rct_facts before[2], after[2];
	struct rct_findings f[2];
	struct rct_diff d;
};

static struct rct_num num(s64 v)
{
	return (struct rct_num){ RCT_THERE, v };
}

static void add_nic(struct rct_facts *f, const char *dev, const char *ifname)
{
	struct rct_nic *n = RCT_FACTS_ADD(f->nics, f->n_nics);
	struct rct_netif *i = RCT_FACTS_ADD(f->netifs, f->n_netifs);

	snprintf(n->dev, sizeof(n->dev), "%s", dev);
	snprintf(n->ifname, sizeof(n->ifname), "%s", ifname);
	snprintf(i->name, sizeof(i->name), "%s", ifname);
	n->port = 1;
	n->netif = f->n_netifs - 1;
	n->readable = true;
	n->node = i->node = -2;
	strcpy(n->driver, "mlx5");
	strcpy(i->driver, "mlx5_core");
	strcpy(n->state, "ACTIVE");
	n->active_mtu = num(4096);
	i->mtu = num(4200);
	i->pause_rx = i->pause_tx = i->pause_autoneg = RCT_TRI_UNKNOWN;
	memset(i->dcb.dscp_prio, -1, sizeof(i->dcb.dscp_prio));
	memset(i->ecn_np, -1, sizeof(i->ecn_np));
	memset(i->ecn_rp, -1, sizeof(i->ecn_rp));
}

static void start(struct both *b)
{
	memset(b, 0, sizeof(*b));
	for (u32 k = 0; k < 2; k++) {
		snprintf(b->s[k].host, sizeof(b->s[k].host), "host%c", 'A' + k);
		b->s[k].command = "diff";
		b->s[k].facts = &b->after[k];
		b->s[k].before = &b->before[k];
		b->before[k].uptime = 1000;
		b->after[k].uptime = 1010;
		for (u32 i = 0; i < 2; i++) {
			struct rct_facts *f = i ? &b->after[k] : &b->before[k];

			f->vm = f->irqbalance = f->nv_peermem = f->iommu_on = f->iommu_pt = f->nccl.gdr = RCT_TRI_UNKNOWN;
		}
	}
}

static void nic(struct both *b, u32 k, const char *dev, const char *ifname)
{
	add_nic(&b->before[k], dev, ifname);
	add_nic(&b->after[k], dev, ifname);
}

/* One NIC each, of one name. */
static void start_one(struct both *b)
{
	start(b);
	nic(b, 0, "mlx5_0", "eth0");
	nic(b, 1, "mlx5_0", "eth0");
}

static void done(struct both *b)
{
	rct_diff_free(&b->d);
	for (u32 k = 0; k < 2; k++) {
		rct_findings_free(&b->f[k]);
		rct_facts_free(&b->before[k]);
		rct_facts_free(&b->after[k]);
	}
}

static void diff(struct both *b)
{
	const struct rct_snapshot *s[] = { &b->s[0], &b->s[1] };
	const struct rct_findings *f[] = { &b->f[0], &b->f[1] };

	rct_diff_free(&b->d);
	assert_int_equal(rct_diff_make(s, f, &b->d), 0);
}

static const struct rct_difference *find(const struct both *b, const char *name)
{
	for (size_t i = 0; i < b->d.n; i++) {
		if (!strcmp(b->d.v[i].name, name))
			return &b->d.v[i];
	}
	return NULL;
}

static const struct rct_difference *need(const struct both *b, const char *name, enum rct_severity severity,
					 const char *x, const char *y)
{
	const struct rct_difference *r = find(b, name);

	if (!r)
		fail_msg("%s does not differ", name);
	assert_int_equal(r->severity, severity);
	assert_string_equal(r->v[0], x);
	assert_string_equal(r->v[1], y);
	return r;
}

static void none(const struct both *b, const char *name)
{
	const struct rct_difference *r = find(b, name);

	if (r)
		fail_msg("%s: '%s' '%s'", name, r->v[0], r->v[1]);
}

static bool unread(const struct both *b, const char *name)
{
	char list[1100], word[80];

	snprintf(list, sizeof(list), " %s,", b->d.unread);
	snprintf(word, sizeof(word), " %s,", name);
	return strstr(list, word);
}

static void set_env(struct both *b, u32 k, const char *name, const char *value)
{
	struct rct_facts *f = &b->after[k];
	struct rct_proc *p = f->n_procs ? &f->procs[0] : RCT_FACTS_ADD(f->procs, f->n_procs);
	struct rct_env *e = RCT_FACTS_ADD(p->env, p->n_env);

	p->pid = 100 + k;
	p->env_read = true;
	e->name = strdup(name);
	e->value = strdup(value);
}

static void put(struct rct_facts *f, u32 k, const char *name, enum rct_have have, u64 v)
{
	struct rct_counter *c = RCT_FACTS_ADD(f->nics[k].counters, f->nics[k].n_counters);

	c->group = RCT_G_HW;
	c->have = have;
	c->value = v;
	snprintf(c->name, sizeof(c->name), "%s", name);
}

/* Grew by so much in ten seconds. */
static void grew(struct both *b, u32 k, const char *name, u64 by)
{
	put(&b->before[k], 0, name, RCT_THERE, 777);
	put(&b->after[k], 0, name, RCT_THERE, 777 + by);
}

static void found(struct both *b, u32 k, const char *id, enum rct_severity severity)
{
	struct rct_finding *f = rct_findings_add(&b->f[k]);

	f->id = id;
	f->explain = "";
	f->severity = severity;
	snprintf(f->title, sizeof(f->title), "title of %s", id);
}

/* ------------------------------------------------------------------- settings */

static void alike_is_silent(void **state)
{
	struct both b;

	(void)state;
	start_one(&b);
	diff(&b);
	assert_int_equal(b.d.n, 0);
	assert_int_equal(b.d.pairs, 1);
	assert_true(b.d.compared >= 4);
	/* and what nobody could read is named */
	assert_true(unread(&b, "pfc") && unread(&b, "trust") && unread(&b, "dscp_map") && unread(&b, "node"));
	assert_true(unread(&b, "pause_802.3x") && unread(&b, "ecn_np") && unread(&b, "environment of jobs"));
	assert_false(unread(&b, "mtu") || unread(&b, "active_mtu") || unread(&b, "state"));
	done(&b);
}

static void settings(void **state)
{
	struct rct_netif *i[2];
	struct rct_nic *n[2];
	struct both b;

	(void)state;
	start_one(&b);
	for (u32 k = 0; k < 2; k++) {
		i[k] = &b.after[k].netifs[0];
		n[k] = &b.after[k].nics[0];
		i[k]->dcb.pfc = i[k]->dcb.trust = i[k]->dcb.app = RCT_THERE;
		i[k]->dcb.pfc_enabled = 1 << 3;
		i[k]->dcb.trust_dscp = true;
		i[k]->dcb.dscp_prio[26] = 3;
		i[k]->speed_mbps = num(400000);
		i[k]->pause_rx = i[k]->pause_tx = 0;
		i[k]->ecn_np[3] = i[k]->ecn_rp[3] = 1;
		n[k]->node = 0;
		strcpy(n[k]->fw, "28.39");
	}
	diff(&b);
	assert_int_equal(b.d.n, 0);
	i[1]->mtu = num(1500);
	n[1]->active_mtu = num(1024);
	i[1]->dcb.pfc_enabled = 1 << 3 | 1 << 5;
	i[1]->dcb.trust_dscp = false;
	i[1]->dcb.dscp_prio[26] = 0;
	i[1]->dcb.dscp_prio[48] = 6;
	i[1]->speed_mbps = num(100000);
	i[1]->pause_tx = 1;
	i[1]->ecn_rp[3] = 0;
	n[1]->node = 1;
	strcpy(n[1]->fw, "28.40");
	strcpy(n[1]->state, "DOWN");
	diff(&b);
	assert_string_equal(need(&b, "active_mtu", RCT_CRITICAL, "4096", "1024")->object, "mlx5_0/eth0");
	need(&b, "state", RCT_CRITICAL, "ACTIVE", "DOWN");
	need(&b, "mtu", RCT_WARNING, "4200", "1500");
	need(&b, "pfc", RCT_WARNING, "3", "3,5");
	need(&b, "trust", RCT_WARNING, "dscp", "pcp");
	need(&b, "dscp_map", RCT_WARNING, "26:3 48:-", "26:0 48:6");
	need(&b, "speed", RCT_WARNING, "400 Gb/s", "100 Gb/s");
	need(&b, "pause_802.3x", RCT_WARNING, "rx off, tx off", "rx off, tx on");
	need(&b, "ecn_rp", RCT_WARNING, "3", "none");
	none(&b, "ecn_np");
	need(&b, "node", RCT_NOTICE, "0", "1");
	need(&b, "firmware", RCT_NOTICE, "28.39", "28.40");
	/* worst first */
	assert_int_equal(b.d.v[0].severity, RCT_CRITICAL);
	assert_int_equal(b.d.v[b.d.n - 1].severity, RCT_NOTICE);
	done(&b);
}

static void one_that_is_not_known_is_not_alike(void **state)
{
	struct both b;

	(void)state;
	start_one(&b);
	b.after[1].nics[0].active_mtu.have = RCT_UNREADABLE;
	b.after[0].netifs[0].dcb.pfc = RCT_THERE;
	b.after[0].netifs[0].dcb.app = RCT_THERE;
	diff(&b);
	need(&b, "active_mtu", RCT_UNKNOWN_FINDING, "4096", "");
	/* read, and none: that is known */
	need(&b, "pfc", RCT_UNKNOWN_FINDING, "none", "");
	need(&b, "dscp_map", RCT_UNKNOWN_FINDING, "there", "");
	/* no interface is known at all */
	b.after[1].nics[0].netif = -1;
	diff(&b);
	need(&b, "mtu", RCT_UNKNOWN_FINDING, "4200", "");
	done(&b);
}

static void gids(void **state)
{
	struct rct_gid *g;
	struct both b;

	(void)state;
	start_one(&b);
	for (u32 k = 0; k < 2; k++) {
		g = RCT_FACTS_ADD(b.after[k].nics[0].gids, b.after[k].nics[0].n_gids);
		g->type = RCT_GID_V2;
		g->index = 3 + 2 * k;
		memcpy(g->addr, (u8[16]){ [10] = 0xff, 0xff, 10, 0, 0, 1 + k }, 16);
	}
	diff(&b);
	need(&b, "gid_index", RCT_NOTICE, "3 (IPv4)", "5 (IPv4)");
	set_env(&b, 0, "NCCL_IB_GID_INDEX", "3");
	set_env(&b, 1, "NCCL_IB_GID_INDEX", "3");
	diff(&b);
	need(&b, "gid_index", RCT_WARNING, "3 (IPv4)", "5 (IPv4)");
	/* the same index, whatever the address */
	g->index = 3;
	diff(&b);
	none(&b, "gid_index");
	g->type = RCT_GID_V1;
	diff(&b);
	need(&b, "gid_index", RCT_WARNING, "3 (IPv4)", "none");
	done(&b);
}

static void hosts(void **state)
{
	struct both b;

	(void)state;
	start_one(&b);
	strcpy(b.s[0].kernel, "6.8.0");
	strcpy(b.s[1].kernel, "6.12.1");
	b.after[0].iommu_on = 0;
	b.after[1].iommu_on = b.after[1].iommu_pt = 1;
	b.after[0].vm = 0;
	diff(&b);
	need(&b, "kernel", RCT_NOTICE, "6.8.0", "6.12.1");
	need(&b, "iommu", RCT_WARNING, "off", "passthrough");
	need(&b, "vm", RCT_UNKNOWN_FINDING, "no", "");
	assert_int_equal(find(&b, "kernel")->nics, 0);
	done(&b);
}

/* ----------------------------------------------------------------------- rails */

static void the_same_on_all_rails_is_said_once(void **state)
{
	char dev[16], ifname[16];
	struct both b;
	u32 n = 0;

	(void)state;
	start(&b);
	for (u32 i = 0; i < 8; i++) {
		snprintf(dev, sizeof(dev), "mlx5_%u", i);
		snprintf(ifname, sizeof(ifname), "eth%u", i);
		nic(&b, 0, dev, ifname);
		nic(&b, 1, dev, ifname);
		b.after[1].netifs[i].mtu = num(i == 5 ? 9000 : 1500);
	}
	diff(&b);
	for (size_t i = 0; i < b.d.n; i++)
		n += !strcmp(b.d.v[i].name, "mtu");
	assert_int_equal(n, 2);
	assert_int_equal(need(&b, "mtu", RCT_WARNING, "4200", "1500")->nics, 7);
	assert_int_equal(b.d.pairs, 8);
	done(&b);
}

static void rails_of_other_names(void **state)
{
	struct both b;

	(void)state;
	/* as many: in their order */
	start(&b);
	nic(&b, 0, "mlx5_0", "eth0");
	nic(&b, 0, "mlx5_1", "eth1");
	nic(&b, 1, "mlx5_1", "ens1");
	nic(&b, 1, "mlx5_2", "ens2");
	b.after[1].netifs[0].mtu = num(9000);
	diff(&b);
	assert_int_equal(b.d.pairs, 2);
	assert_int_equal(b.d.by_name, 0);
	assert_string_equal(need(&b, "mtu", RCT_WARNING, "4200", "9000")->object, "mlx5_0/eth0 : mlx5_1/ens1");
	done(&b);

	/* one is missing: the others keep their names */
	start(&b);
	nic(&b, 0, "mlx5_0", "eth0");
	nic(&b, 0, "mlx5_1", "eth1");
	nic(&b, 0, "mlx5_2", "eth2");
	nic(&b, 1, "mlx5_0", "eth0");
	nic(&b, 1, "mlx5_2", "eth2");
	diff(&b);
	assert_int_equal(b.d.by_name, 2);
	assert_string_equal(need(&b, "nic", RCT_WARNING, "there", "")->object, "mlx5_1/eth1");
	assert_int_equal(b.d.n, 1);
	done(&b);

	/* none at all */
	start(&b);
	nic(&b, 1, "mlx5_0", "eth0");
	diff(&b);
	assert_int_equal(b.d.pairs, 0);
	need(&b, "nic", RCT_WARNING, "", "there");
	done(&b);

	/* an InfiniBand port is no rail of RoCE */
	start_one(&b);
	strcpy(b.after[1].nics[0].link_layer, "InfiniBand");
	diff(&b);
	need(&b, "nic", RCT_WARNING, "there", "");
	done(&b);
}

/* ------------------------------------------------------------------------ jobs */

static void variables(void **state)
{
	struct both b;

	(void)state;
	start_one(&b);
	for (u32 k = 0; k < 2; k++) {
		set_env(&b, k, "NCCL_IB_TC", k ? "0" : "106");
		set_env(&b, k, "NCCL_IB_TIMEOUT", "22");
		set_env(&b, k, "SLURM_JOB_ID", k ? "8" : "7");
		set_env(&b, k, "NCCL_DEBUG", k ? "" : "INFO");
	}
	set_env(&b, 0, "NCCL_IB_SL", "3");
	diff(&b);
	assert_string_equal(need(&b, "NCCL_IB_TC", RCT_WARNING, "106", "0")->object, "process 100 : process 101");
	need(&b, "NCCL_IB_SL", RCT_WARNING, "3", "");
	/* set to nothing is not the same as not set */
	need(&b, "NCCL_DEBUG", RCT_NOTICE, "INFO", "(empty)");
	assert_non_null(strstr(need(&b, "SLURM_JOB_ID", RCT_NOTICE, "7", "8")->why, "not processes of one job"));
	none(&b, "NCCL_IB_TIMEOUT");
	done(&b);
}

static void a_job_on_one_host_only(void **state)
{
	struct both b;

	(void)state;
	start_one(&b);
	set_env(&b, 1, "NCCL_IB_TC", "106");
	diff(&b);
	need(&b, "job", RCT_UNKNOWN_FINDING, "", "process 101");
	none(&b, "NCCL_IB_TC");
	/* an environment that could not be read tells nothing either */
	set_env(&b, 0, "NCCL_IB_TC", "3");
	b.after[0].procs[0].env_read = false;
	diff(&b);
	need(&b, "job", RCT_UNKNOWN_FINDING, "", "process 101");
	done(&b);
}

/* ----------------------------------------------------------------------- rates */

static void rates(void **state)
{
	static const struct {
		const char *vendor, *name;
		u64 a, b;
		enum rct_severity severity;
		const char *x, *y;
	} rows[] = {
		{ "packet_seq_err", "seq_nak_received", 1000, 0, RCT_WARNING, "100/s", "0/s" },
		{ "packet_seq_err", "seq_nak_received", 0, 1000, RCT_WARNING, "0/s", "100/s" },
		{ "packet_seq_err", "seq_nak_received", 1000, 300, RCT_OK_FINDING, "100/s", "30/s" },
		/* too few to mean anything */
		{ "packet_seq_err", "seq_nak_received", 5, 0, RCT_OK_FINDING, "0.5/s", "0/s" },
		{ "local_ack_timeout_err", "ack_timeout", 5, 0, RCT_WARNING, "0.5/s", "0/s" },
		{ "req_transport_retries_exceeded", "retry_exceeded", 1, 0, RCT_CRITICAL, "0.1/s", "0/s" },
		{ "np_cnp_sent", "cnp_sent", 100000, 400, RCT_NOTICE, "10,000/s", "40/s" },
	};
	struct both b;

	(void)state;
	for (size_t i = 0; i < RCT_ARRAY_SIZE(rows); i++) {
		start_one(&b);
		grew(&b, 0, rows[i].vendor, rows[i].a);
		grew(&b, 1, rows[i].vendor, rows[i].b);
		diff(&b);
		need(&b, rows[i].name, rows[i].severity, rows[i].x, rows[i].y);
		done(&b);
	}
	/* nothing beside nothing */
	start_one(&b);
	grew(&b, 0, "packet_seq_err", 0);
	grew(&b, 1, "packet_seq_err", 0);
	diff(&b);
	none(&b, "seq_nak_received");
	assert_false(unread(&b, "seq_nak_received"));
	done(&b);
}

static void rates_that_are_not_known(void **state)
{
	struct both b;

	(void)state;
	start_one(&b);
	grew(&b, 0, "packet_seq_err", 1000);
	put(&b.before[1], 0, "packet_seq_err", RCT_UNREADABLE, 0);
	put(&b.after[1], 0, "packet_seq_err", RCT_UNREADABLE, 0);
	grew(&b, 0, "out_of_sequence", 0);
	diff(&b);
	need(&b, "seq_nak_received", RCT_UNKNOWN_FINDING, "100/s", "");
	/* 0 beside a counter that is not there is no news, and no sameness */
	none(&b, "out_of_sequence");
	assert_true(unread(&b, "out_of_sequence"));
	assert_false(unread(&b, "rates"));
	/* what neither NIC counts is nobody's gap */
	assert_false(unread(&b, "rnr_nak_sent"));
	/* a sum of which one part can't be read is none */
	for (u32 k = 0; k < 2; k++) {
		for (u32 i = 0; i < 2; i++) {
			struct rct_netif *n = i ? &b.after[k].netifs[0] : &b.before[k].netifs[0];

			for (u32 prio = 3; prio < 5; prio++) {
				struct rct_counter *c = RCT_FACTS_ADD(n->counters, n->n_counters);

				c->group = RCT_G_ETHTOOL;
				c->have = k && prio == 4 ? RCT_UNREADABLE : RCT_THERE;
				c->value = i * 1000;
				snprintf(c->name, sizeof(c->name), "tx_prio%u_pause", prio);
			}
		}
	}
	diff(&b);
	need(&b, "pfc_tx_frames", RCT_UNKNOWN_FINDING, "200/s", "");
	/* one of them was read once */
	b.s[1].before = NULL;
	diff(&b);
	none(&b, "seq_nak_received");
	assert_true(unread(&b, "rates"));
	done(&b);
}

/* -------------------------------------------------------------------- findings */

static void findings(void **state)
{
	struct both b;

	(void)state;
	start_one(&b);
	found(&b, 0, "loss.sent", RCT_CRITICAL);
	found(&b, 0, "loss.sent", RCT_NOTICE);
	found(&b, 0, "mtu.small", RCT_WARNING);
	found(&b, 1, "mtu.small", RCT_WARNING);
	found(&b, 0, "link.errors", RCT_NOTICE);
	found(&b, 1, "link.errors", RCT_CRITICAL);
	found(&b, 1, "gid.missing", RCT_UNKNOWN_FINDING);
	found(&b, 1, "loss.sent", RCT_OK_FINDING);
	diff(&b);
	assert_string_equal(need(&b, "loss.sent", RCT_CRITICAL, "critical", "")->why, "title of loss.sent");
	need(&b, "link.errors", RCT_CRITICAL, "notice", "critical");
	none(&b, "mtu.small");
	none(&b, "gid.missing");
	assert_int_equal(b.d.n, 2);
	done(&b);
}

static void causes_stand_first(void **state)
{
	struct both b;

	(void)state;
	start_one(&b);
	found(&b, 1, "qp.error", RCT_CRITICAL);
	b.after[1].nics[0].active_mtu = num(1024);
	b.after[1].vm = 1;
	diff(&b);
	assert_string_equal(b.d.v[0].name, "active_mtu");
	assert_string_equal(b.d.v[1].name, "qp.error");
	assert_int_equal(b.d.v[b.d.n - 1].severity, RCT_UNKNOWN_FINDING);
	done(&b);
}

/* ---------------------------------------------------------------------- output */

static char *render(struct both *b, const struct rct_diff_view *view, bool json)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(json ? rct_render_diff_json(out, &b->d, view) : rct_render_diff_text(out, &b->d, view), 0);
	fclose(out);
	return text;
}

static void text(void **state)
{
	struct rct_diff_view view = { .label = { "hostA", "hostB" }, .width = 100 };
	struct both b;
	char *t;

	(void)state;
	start_one(&b);
	grew(&b, 0, "packet_seq_err", 1000);
	grew(&b, 1, "packet_seq_err", 900);
	diff(&b);
	t = render(&b, &view, false);
	assert_non_null(strstr(t, "nothing differs that matters"));
	assert_null(strstr(t, "seq_nak_received"));
	assert_non_null(strstr(t, "UNSEEN"));
	free(t);
	/* rates that are alike stand there with -v */
	view.verbose = 1;
	t = render(&b, &view, false);
	assert_non_null(strstr(t, "alike"));
	assert_non_null(strstr(t, "90/s"));
	free(t);
	view.verbose = 0;
	b.after[1].nics[0].active_mtu.have = RCT_ABSENT;
	set_env(&b, 0, "NCCL_IB_TC", "1\x1b[31m\xff");
	set_env(&b, 1, "NCCL_DEBUG", "WARN");
	found(&b, 1, "qp.error", RCT_CRITICAL);
	diff(&b);
	t = render(&b, &view, false);
	assert_null(strstr(t, "nothing differs"));
	assert_null(strchr(t, '\x1b'));
	/* (the table's library escapes the backslash once more) */
	assert_non_null(strstr(t, "x1b[31m\\x"));
	assert_non_null(strstr(t, "n/a"));
	assert_non_null(strstr(t, "not set"));
	assert_non_null(strstr(t, "CRITICAL qp.error"));
	free(t);
	/* -q: what is wrong only */
	view.verbose = -1;
	t = render(&b, &view, false);
	assert_null(strstr(t, "n/a"));
	assert_null(strstr(t, "SEEN"));
	assert_non_null(strstr(t, "qp.error"));
	free(t);
	done(&b);
}

static void json(void **state)
{
	struct rct_diff_view view = { .label = { "a\"\xff", "b\n" } };
	struct both b;
	json_t *v, *r;
	char *t;

	(void)state;
	start_one(&b);
	b.after[1].nics[0].active_mtu = num(1024);
	b.after[1].netifs[0].mtu.have = RCT_ABSENT;
	diff(&b);
	t = render(&b, &view, true);
	v = json_loads(t, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(v);
	r = json_array_get(json_object_get(v, "differences"), 0);
	assert_string_equal(json_string_value(json_object_get(r, "name")), "active_mtu");
	assert_string_equal(json_string_value(json_object_get(r, "severity")), "critical");
	assert_string_equal(json_string_value(json_object_get(r, "a")), "4096");
	r = json_array_get(json_object_get(v, "differences"), 1);
	assert_string_equal(json_string_value(json_object_get(r, "severity")), "unknown");
	assert_true(json_is_null(json_object_get(r, "b")));
	assert_string_equal(json_string_value(json_object_get(json_object_get(v, "a"), "label")), "a\"\\xff");
	assert_true(json_is_real(json_object_get(json_object_get(v, "a"), "seconds")));
	assert_string_equal(json_string_value(json_array_get(json_object_get(v, "unread"), 0)), "speed");
	json_decref(v);
	free(t);
	done(&b);
}

static void without_facts(void **state)
{
	struct both b;

	(void)state;
	start(&b);
	b.s[0].facts = b.s[0].before = b.s[1].facts = b.s[1].before = NULL;
	diff(&b);
	assert_int_equal(b.d.n, 0);
	assert_int_equal(b.d.compared, 0);
	done(&b);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(alike_is_silent), cmocka_unit_test(settings),
		cmocka_unit_test(one_that_is_not_known_is_not_alike), cmocka_unit_test(gids),
		cmocka_unit_test(hosts), cmocka_unit_test(the_same_on_all_rails_is_said_once),
		cmocka_unit_test(rails_of_other_names), cmocka_unit_test(variables),
		cmocka_unit_test(a_job_on_one_host_only), cmocka_unit_test(rates),
		cmocka_unit_test(rates_that_are_not_known), cmocka_unit_test(findings),
		cmocka_unit_test(causes_stand_first), cmocka_unit_test(text), cmocka_unit_test(json),
		cmocka_unit_test(without_facts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
