// SPDX-License-Identifier: BSD-2-Clause
/* user/analyse on a host's counters and logs: what is said, how loud, and when nothing may be. */
#include "lib/unit.h"

#include <stdio.h>

#include "analyse/nics.h"
#include "base/util.h"

/* A host that was read twice, ten seconds apart, and what the rules said. */
struct trial {
	struct rct_snapshot s;
	struct rct_facts before, after;
	struct rct_findings f;
};

static void start(struct trial *t)
{
	memset(t, 0, sizeof(*t));
	t->s.command = "check";
	t->s.before = &t->before;
	t->s.facts = &t->after;
	t->before.uptime = 100000;
	t->after.uptime = 100010;
	t->after.nv_peermem = t->after.iommu_on = t->after.iommu_pt = t->after.nccl.gdr = RCT_TRI_UNKNOWN;
}

static void once(struct trial *t)
{
	t->s.before = NULL;
}

static int done(struct trial *t)
{
	rct_findings_free(&t->f);
	rct_facts_free(&t->before);
	rct_facts_free(&t->after);
	return 0;
}

static void judge(struct trial *t)
{
	rct_findings_free(&t->f);
	assert_int_equal(rct_analyse(&t->s, &t->f), 0);
}

static struct rct_netif *add_netif(struct rct_facts *f, const char *name, s64 mbps)
{
	struct rct_netif *i = RCT_FACTS_ADD(f->netifs, f->n_netifs);

	assert_non_null(i);
	strcpy(i->name, name);
	strcpy(i->driver, "mlx5_core");
	i->speed_mbps = (struct rct_num){ RCT_THERE, mbps };
	i->pause_autoneg = i->pause_rx = i->pause_tx = RCT_TRI_UNKNOWN;
	memset(i->ecn_np, -1, sizeof(i->ecn_np));
	memset(i->ecn_rp, -1, sizeof(i->ecn_rp));
	memset(i->dcb.dscp_prio, -1, sizeof(i->dcb.dscp_prio));
	return i;
}

static void add_nic_to(struct rct_facts *f, const char *dev, const char *ifname, s64 mbps)
{
	struct rct_nic *n = RCT_FACTS_ADD(f->nics, f->n_nics);

	assert_non_null(n);
	snprintf(n->dev, sizeof(n->dev), "%s", dev);
	snprintf(n->ifname, sizeof(n->ifname), "%s", ifname);
	snprintf(n->pci, sizeof(n->pci), "0000:%02x:00.0", f->n_nics);
	n->port = 1;
	strcpy(n->driver, "mlx5");
	strcpy(n->state, "ACTIVE");
	strcpy(n->link_layer, "Ethernet");
	n->readable = true;
	n->hw_counters = RCT_THERE;
	n->rate_mbps = (struct rct_num){ RCT_THERE, mbps };
	n->netif = f->n_netifs;
	snprintf(add_netif(f, ifname, mbps)->pci, 16, "%s", n->pci);
}

static void nic(struct trial *t, const char *dev, const char *ifname, s64 mbps)
{
	add_nic_to(&t->before, dev, ifname, mbps);
	add_nic_to(&t->after, dev, ifname, mbps);
}

static void put(struct rct_counter **list, u32 *n, enum rct_counter_group group, const char *name, u64 v)
{
	struct rct_counter *c = rct_facts_add((void **)list, n, sizeof(*c));

	assert_non_null(c);
	c->group = group;
	c->have = RCT_THERE;
	snprintf(c->name, sizeof(c->name), "%s", name);
	c->value = v;
}

#define OLD	7000000		/* what was there before: no rule may look at it */

/* A counter of the k-th NIC that grew by so much. */
static void hw(struct trial *t, u32 k, const char *name, u64 grew)
{
	put(&t->before.nics[k].counters, &t->before.nics[k].n_counters, RCT_G_HW, name, OLD);
	put(&t->after.nics[k].counters, &t->after.nics[k].n_counters, RCT_G_HW, name, OLD + grew);
}

static void port(struct trial *t, u32 k, const char *name, u64 grew)
{
	put(&t->before.nics[k].counters, &t->before.nics[k].n_counters, RCT_G_PORT, name, OLD);
	put(&t->after.nics[k].counters, &t->after.nics[k].n_counters, RCT_G_PORT, name, OLD + grew);
}

static void eth(struct trial *t, u32 k, const char *name, u64 grew)
{
	put(&t->before.netifs[k].counters, &t->before.netifs[k].n_counters, RCT_G_ETHTOOL, name, OLD);
	put(&t->after.netifs[k].counters, &t->after.netifs[k].n_counters, RCT_G_ETHTOOL, name, OLD + grew);
}

static void pfc(struct trial *t, u32 k, u8 enabled)
{
	t->after.netifs[k].dcb.pfc = RCT_THERE;
	t->after.netifs[k].dcb.pfc_enabled = enabled;
	t->after.netifs[k].pause_rx = t->after.netifs[k].pause_tx = 0;
}

static void say(struct trial *t, double at, enum rct_log_class class, const char *object, s32 code, const char *text)
{
	struct rct_log *l = RCT_FACTS_ADD(t->after.log, t->after.n_log);

	assert_non_null(l);
	l->at = at;
	l->class = class;
	snprintf(l->object, sizeof(l->object), "%s", object);
	l->code = code;
	l->text = strdup(text);
	t->after.log_read = true;
}

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

/* Nothing of an area above "ok". */
static void quiet(const struct trial *t, const char *area)
{
	for (size_t i = 0; i < t->f.n; i++) {
		if (!strncmp(t->f.v[i].id, area, strlen(area)) && t->f.v[i].severity != RCT_OK_FINDING &&
		    t->f.v[i].severity != RCT_UNKNOWN_FINDING)
			fail_msg("%s: %s", t->f.v[i].id, t->f.v[i].title);
	}
}

static bool says(const struct rct_finding *f, const char *text)
{
	if (strstr(f->title, text) || strstr(f->object, text) || strstr(f->impact, text))
		return true;
	for (u32 i = 0; i < f->n_evidence; i++) {
		if (strstr(f->evidence[i].value, text) || strstr(f->evidence[i].metric, text) ||
		    strstr(f->evidence[i].threshold, text))
			return true;
	}
	for (u32 i = 0; i < f->n_explains; i++) {
		if (strstr(f->explains[i], text))
			return true;
	}
	return false;
}

/* ------------------------------------------------------------------ the table */

static void every_host_rule_has_its_row(void **state)
{
	(void)state;
	for (size_t i = 0; i < rct_n_host_rules; i++) {
		size_t k = 0;

		while (k < rct_n_rules && strcmp(rct_rules[k].about.id, rct_host_rules[i].id))
			k++;
		if (k == rct_n_rules)
			fail_msg("%s has no row, so it would never run", rct_host_rules[i].id);
	}
}

static void every_row_has_a_judge(void **state)
{
	(void)state;
	for (size_t k = 0; k < rct_n_rules; k++) {
		bool any = rct_rules[k].judge;

		for (size_t i = 0; i < rct_n_host_rules; i++)
			any |= !strcmp(rct_rules[k].about.id, rct_host_rules[i].id);
		/* nothing runs under these: another rule's function would have to */
		if (!any)
			fail_msg("nobody judges %s", rct_rules[k].about.id);
	}
}

static void without_facts_nothing_is_said(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	t.s.facts = t.s.before = NULL;
	judge(&t);
	for (size_t i = 0; i < t.f.n; i++) {
		for (size_t k = 0; k < rct_n_rules; k++) {
			if (!rct_rules[k].judge && !strcmp(t.f.v[i].id, rct_rules[k].about.id))
				fail_msg("%s: %s", t.f.v[i].id, t.f.v[i].title);
		}
	}
	done(&t);
}

/* ----------------------------------------------------------------------- loss */

static void loss_is_judged_by_its_share(void **state)
{
	static const struct {
		u64 naks;
		enum rct_severity severity;
	} rows[] = { { 10000, RCT_CRITICAL }, { 2000, RCT_CRITICAL }, { 500, RCT_WARNING }, { 5, RCT_NOTICE } };
	struct trial t;

	(void)state;
	for (size_t i = 0; i < RCT_ARRAY_SIZE(rows); i++) {
		start(&t);
		nic(&t, "mlx5_0", "eth0", 400000);
		hw(&t, 0, "packet_seq_err", rows[i].naks);
		hw(&t, 0, "local_ack_timeout_err", 0);
		port(&t, 0, "port_xmit_packets", 20000000);
		judge(&t);
		need(&t, "loss.sent", rows[i].severity);
		none(&t, "loss.none");
		done(&t);
	}
}

static void a_queue_pair_that_gave_up_is_critical(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	nic(&t, "mlx5_0", "eth0", 400000);
	hw(&t, 0, "packet_seq_err", 1);
	hw(&t, 0, "req_transport_retries_exceeded", 1);
	port(&t, 0, "port_xmit_packets", 200000000);
	judge(&t);
	need(&t, "loss.sent", RCT_CRITICAL);
	done(&t);
}

static void totals_are_no_loss(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	nic(&t, "mlx5_0", "eth0", 400000);
	hw(&t, 0, "packet_seq_err", 0);
	hw(&t, 0, "out_of_sequence", 0);
	hw(&t, 0, "local_ack_timeout_err", 0);
	port(&t, 0, "port_xmit_data", 50000000000);
	port(&t, 0, "port_rcv_data", 50000000000);
	judge(&t);
	quiet(&t, "loss.");
	quiet(&t, "retry.");
	/* the words have four bytes: 160 Gb/s of 400 */
	assert_true(says(need(&t, "loss.none", RCT_OK_FINDING), "160 Gb/s"));
	done(&t);
}

static void an_idle_link_proves_nothing(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	nic(&t, "mlx5_0", "eth0", 400000);
	hw(&t, 0, "packet_seq_err", 0);
	port(&t, 0, "port_xmit_data", 1000);
	judge(&t);
	need(&t, "loss.none", RCT_UNKNOWN_FINDING);
	done(&t);
}

static void what_is_not_counted_does_not_pass(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	nic(&t, "mlx5_0", "eth0", 400000);
	judge(&t);
	need(&t, "loss.none", RCT_UNKNOWN_FINDING);
	need(&t, "pause.received", RCT_UNKNOWN_FINDING);
	none(&t, "link.errors");
	done(&t);
}

static void a_counter_that_went_back_has_no_delta(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	nic(&t, "mlx5_0", "eth0", 400000);
	put(&t.before.nics[0].counters, &t.before.nics[0].n_counters, RCT_G_HW, "packet_seq_err", 90000);
	put(&t.after.nics[0].counters, &t.after.nics[0].n_counters, RCT_G_HW, "packet_seq_err", 5000);
	judge(&t);
	quiet(&t, "loss.");
	need(&t, "loss.none", RCT_UNKNOWN_FINDING);
	done(&t);
}

static void out_of_order_alone_is_reordering(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	nic(&t, "mlx5_0", "eth0", 400000);
	hw(&t, 0, "out_of_sequence", 90000);
	port(&t, 0, "port_rcv_packets", 10000000);
	judge(&t);
	assert_true(says(need(&t, "loss.received", RCT_NOTICE), "out of order"));
	hw(&t, 0, "duplicate_request", 400);
	judge(&t);
	need(&t, "loss.received", RCT_CRITICAL);
	done(&t);
}

static void place_is_unknown_without_local_evidence(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	nic(&t, "mlx5_0", "eth0", 400000);
	hw(&t, 0, "packet_seq_err", 9000);
	eth(&t, 0, "rx_crc_errors_phy", 0);
	judge(&t);
	/* what was looked at and what could not be, apart */
	assert_true(says(need(&t, "loss.unknown", RCT_UNKNOWN_FINDING), "damaged frames"));
	assert_true(says(find(&t, "loss.unknown"), "n/a: receive discards"));
	eth(&t, 0, "tx_discards_phy", 9000);
	judge(&t);
	none(&t, "loss.unknown");
	done(&t);
}

/* --------------------------------------------------- damage: direction and size */

static void crc(struct trial *t, u64 frames, u64 oos, u64 naks, u64 timeouts)
{
	start(t);
	nic(t, "mlx5_0", "eth0", 400000);
	eth(t, 0, "rx_crc_errors_phy", frames);
	eth(t, 0, "rx_pcs_symbol_err_phy", 3000);
	eth(t, 0, "rx_prio3_packets", 300000000);
	hw(t, 0, "out_of_sequence", oos);
	hw(t, 0, "packet_seq_err", naks);
	hw(t, 0, "local_ack_timeout_err", timeouts);
	judge(t);
}

static void damage_explains_what_fits(void **state)
{
	struct trial t;

	(void)state;
	crc(&t, 2210, 2110, 0, 35);
	assert_true(says(need(&t, "link.errors", RCT_CRITICAL), "+2,110 of 2,110"));
	assert_true(says(find(&t, "link.errors"), "lost ACKs"));
	none(&t, "loss.received");
	none(&t, "loss.sent");
	none(&t, "retry.timeout");
	none(&t, "loss.none");
	done(&t);
}

static void damage_leaves_over_what_is_too_much(void **state)
{
	struct trial t;

	(void)state;
	crc(&t, 100, 50000, 0, 35);
	need(&t, "link.errors", RCT_CRITICAL);
	assert_true(says(need(&t, "loss.received", RCT_CRITICAL), "explained by damaged"));
	done(&t);
}

static void damage_here_explains_nothing_that_peers_missed(void **state)
{
	struct trial t;

	(void)state;
	crc(&t, 2210, 2110, 9000, 0);
	need(&t, "loss.sent", RCT_CRITICAL);
	for (u32 i = 0; i < find(&t, "link.errors")->n_explains; i++)
		assert_null(strstr(find(&t, "link.errors")->explains[i], "packet_seq_err"));
	done(&t);
}

static void a_clean_link_with_bad_frames_is_upstream(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	nic(&t, "mlx5_0", "eth0", 400000);
	eth(&t, 0, "rx_crc_errors_phy", 2000);
	eth(&t, 0, "rx_prio3_packets", 300000000);
	eth(&t, 0, "rx_pcs_symbol_err_phy", 0);
	judge(&t);
	need(&t, "link.upstream", RCT_WARNING);
	none(&t, "link.errors");
	done(&t);
}

static void corrected_bits_are_normal(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	nic(&t, "mlx5_0", "eth0", 400000);
	eth(&t, 0, "rx_corrected_bits_phy", 900000000);
	eth(&t, 0, "rx_crc_errors_phy", 0);
	judge(&t);
	quiet(&t, "link.");
	need(&t, "link.errors", RCT_OK_FINDING);
	done(&t);
}

static void one_bad_nic_is_held_against_its_siblings(void **state)
{
	struct trial t;
	char name[8], ifname[8];

	(void)state;
	start(&t);
	for (u32 k = 0; k < 4; k++) {
		snprintf(name, sizeof(name), "mlx5_%u", k);
		snprintf(ifname, sizeof(ifname), "eth%u", k);
		nic(&t, name, ifname, 400000);
		eth(&t, k, "rx_crc_errors_phy", k == 2 ? 5000 : 0);
		hw(&t, k, "out_of_sequence", k == 2 ? 5000 : 0);
		port(&t, k, "port_xmit_data", k == 2 ? 100000000 : 50000000000);
	}
	judge(&t);
	assert_true(says(need(&t, "link.errors", RCT_CRITICAL), "mlx5_2/eth2"));
	assert_true(says(find(&t, "link.errors"), "the other 3 NICs: 0"));
	assert_true(says(find(&t, "link.errors"), "its 3 siblings 160 Gb/s"));
	assert_true(says(need(&t, "nic.slow", RCT_NOTICE), "0.20 %"));
	done(&t);
}

/* ------------------------------------------------------------------ one reading */

static void one_reading_has_no_rates(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	nic(&t, "mlx5_0", "eth0", 400000);
	once(&t);
	hw(&t, 0, "packet_seq_err", 900000);
	hw(&t, 0, "out_of_sequence", 900000);
	eth(&t, 0, "rx_crc_errors_phy", 0);
	eth(&t, 0, "rx_global_pause_duration", 9000000);
	judge(&t);
	quiet(&t, "loss.");
	quiet(&t, "pause.");
	need(&t, "loss.none", RCT_UNKNOWN_FINDING);
	assert_true(says(need(&t, "link.errors", RCT_NOTICE), "since boot"));
	done(&t);
}

static void who_never_answered_is_told_from_who_was_slow(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	nic(&t, "mlx5_0", "eth0", 400000);
	once(&t);
	hw(&t, 0, "local_ack_timeout_err", 0);
	judge(&t);
	need(&t, "retry.timeout", RCT_NOTICE);
	done(&t);

	/* gave up, sent, and never heard a thing */
	start(&t);
	nic(&t, "mlx5_0", "eth0", 400000);
	once(&t);
	hw(&t, 0, "local_ack_timeout_err", 0);
	hw(&t, 0, "req_transport_retries_exceeded", 0);
	port(&t, 0, "port_xmit_packets", 0);
	put(&t.after.nics[0].counters, &t.after.nics[0].n_counters, RCT_G_PORT, "port_rcv_packets", 0);
	judge(&t);
	need(&t, "retry.timeout", RCT_CRITICAL);
	done(&t);

	/* it sent nothing that could have been answered */
	start(&t);
	nic(&t, "mlx5_0", "eth0", 400000);
	once(&t);
	hw(&t, 0, "req_transport_retries_exceeded", 0);
	put(&t.after.nics[0].counters, &t.after.nics[0].n_counters, RCT_G_PORT, "port_xmit_packets", 0);
	put(&t.after.nics[0].counters, &t.after.nics[0].n_counters, RCT_G_PORT, "port_rcv_packets", 0);
	judge(&t);
	need(&t, "retry.timeout", RCT_NOTICE);
	done(&t);

	/* packets out of sequence: it did hear */
	start(&t);
	nic(&t, "mlx5_0", "eth0", 400000);
	once(&t);
	hw(&t, 0, "local_ack_timeout_err", 0);
	hw(&t, 0, "out_of_sequence", 0);
	judge(&t);
	none(&t, "retry.timeout");
	done(&t);
}

/* ---------------------------------------------------------------------- pause */

static void pause_is_a_share_of_the_time(void **state)
{
	static const struct {
		const char *name;
		u64 us;
		enum rct_severity severity;
	} rows[] = {
		{ "rx_prio3_pause_duration", 26000, RCT_OK_FINDING },	/* 0.26 % of 10 s */
		{ "rx_prio3_pause_duration", 500000, RCT_WARNING },
		{ "rx_prio3_pause_duration", 2500000, RCT_CRITICAL },
		{ "rx_global_pause_duration", 2170000, RCT_WARNING },
	};
	struct trial t;

	(void)state;
	for (size_t i = 0; i < RCT_ARRAY_SIZE(rows); i++) {
		start(&t);
		nic(&t, "mlx5_0", "eth0", 400000);
		eth(&t, 0, rows[i].name, rows[i].us);
		eth(&t, 0, "rx_prio3_pause", 310000);
		eth(&t, 0, "tx_prio3_packets", 310000);
		judge(&t);
		need(&t, "pause.received", rows[i].severity);
		none(&t, "pause.sent");
		none(&t, "pause.deadlock");
		done(&t);
	}
}

static void pause_sent_blames_this_host(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	nic(&t, "mlx5_0", "eth0", 400000);
	eth(&t, 0, "tx_prio3_pause_duration", 800000);
	eth(&t, 0, "rx_prio3_pause_duration", 0);
	judge(&t);
	assert_true(says(need(&t, "pause.sent", RCT_WARNING), "8 %"));
	none(&t, "pause.received");
	done(&t);
}

static void frames_without_times_are_no_finding(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	nic(&t, "mlx5_0", "eth0", 400000);
	eth(&t, 0, "rx_prio3_pause", 31000);
	judge(&t);
	quiet(&t, "pause.");
	done(&t);
}

static void paused_and_silent_is_a_deadlock(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	nic(&t, "mlx5_0", "eth0", 400000);
	eth(&t, 0, "rx_prio3_pause_duration", 9900000);
	eth(&t, 0, "tx_prio3_packets", 0);
	judge(&t);
	need(&t, "pause.deadlock", RCT_CRITICAL);
	none(&t, "pause.received");
	done(&t);
}

/* -------------------------------------------------------------------- classes */

static void classes(struct trial *t, u64 prio0, u64 prio3)
{
	start(t);
	nic(t, "mlx5_0", "eth0", 400000);
	pfc(t, 0, 1 << 3);
	hw(t, 0, "rx_write_requests", 4000);
	eth(t, 0, "tx_prio0_bytes", prio0);
	eth(t, 0, "tx_prio3_bytes", prio3);
}

static void the_bytes_tell_the_class(void **state)
{
	struct trial t;

	(void)state;
	classes(&t, 189000000000, 31000000000);
	judge(&t);
	assert_true(says(need(&t, "qos.lossy_priority", RCT_CRITICAL), "85.9 %"));
	done(&t);
	classes(&t, 20000000000, 80000000000);
	judge(&t);
	need(&t, "qos.lossy_priority", RCT_NOTICE);
	hw(&t, 0, "packet_seq_err", 500);
	judge(&t);
	need(&t, "qos.lossy_priority", RCT_WARNING);
	done(&t);
	classes(&t, 200000000, 16000000000);
	judge(&t);
	need(&t, "qos.lossy_priority", RCT_OK_FINDING);
	done(&t);
}

static void tcp_on_an_open_class_is_none_of_ours(void **state)
{
	struct trial t;

	(void)state;
	classes(&t, 189000000000, 31000000000);
	put(&t.before.netifs[0].counters, &t.before.netifs[0].n_counters, RCT_G_NETDEV, "tx_bytes", 0);
	put(&t.after.netifs[0].counters, &t.after.netifs[0].n_counters, RCT_G_NETDEV, "tx_bytes", 188900000000);
	judge(&t);
	need(&t, "qos.lossy_priority", RCT_OK_FINDING);
	done(&t);
}

static void drops_are_told_with_what_they_explain(void **state)
{
	struct trial t;

	(void)state;
	classes(&t, 189000000000, 31000000000);
	eth(&t, 0, "rx_prio0_discards", 10231);
	hw(&t, 0, "out_of_sequence", 9793);
	hw(&t, 0, "packet_seq_err", 8091);
	judge(&t);
	assert_true(says(need(&t, "loss.nic", RCT_CRITICAL), "priority 0"));
	assert_true(says(find(&t, "loss.nic"), "+9,793"));
	none(&t, "loss.received");
	none(&t, "loss.sent");
	done(&t);
}

static void no_protection_is_louder_under_loss(void **state)
{
	struct trial t;

	(void)state;
	classes(&t, 189000000000, 0);
	pfc(&t, 0, 0);
	judge(&t);
	need(&t, "qos.lossy_priority", RCT_NOTICE);
	hw(&t, 0, "packet_seq_err", 50000);
	judge(&t);
	need(&t, "qos.lossy_priority", RCT_WARNING);
	/* what can't be read is not off */
	t.after.netifs[0].pause_rx = RCT_TRI_UNKNOWN;
	judge(&t);
	none(&t, "qos.lossy_priority");
	done(&t);
}

/* ------------------------------------------------------------------------ ECN */

static void cnps_at_full_load_are_health(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	nic(&t, "mlx5_0", "eth0", 400000);
	hw(&t, 0, "rp_cnp_handled", 1900000);
	port(&t, 0, "port_xmit_data", 112500000000);
	judge(&t);
	need(&t, "ecn.marked", RCT_NOTICE);
	none(&t, "ecn.overthrottled");
	done(&t);
	start(&t);
	nic(&t, "mlx5_0", "eth0", 400000);
	hw(&t, 0, "rp_cnp_handled", 1900000);
	port(&t, 0, "port_xmit_data", 20000000000);
	judge(&t);
	need(&t, "ecn.overthrottled", RCT_WARNING);
	none(&t, "ecn.marked");
	done(&t);
}

/* ------------------------------------------------------------------------ RNR */

static void rnr_is_judged_by_its_cost(void **state)
{
	struct trial t;
	struct rct_proc *p;
	struct rct_env *e;

	(void)state;
	start(&t);
	nic(&t, "mlx5_0", "eth0", 400000);
	hw(&t, 0, "rnr_nak_retry_err", 118);
	hw(&t, 0, "req_rnr_retries_exceeded", 0);
	judge(&t);
	assert_true(says(need(&t, "retry.rnr_peer", RCT_CRITICAL), "77.3 s"));
	assert_true(says(find(&t, "retry.rnr_peer"), "infinite"));
	none(&t, "retry.rnr_here");

	/* NCCL's timer is 0.64 ms: 118 of them are 76 ms of 10 s */
	p = RCT_FACTS_ADD(t.after.procs, t.after.n_procs);
	e = RCT_FACTS_ADD(p->env, p->n_env);
	e->name = strdup("NCCL_DEBUG");
	e->value = strdup("INFO");
	judge(&t);
	need(&t, "retry.rnr_peer", RCT_NOTICE);
	done(&t);
}

/* ---------------------------------------------------------------------- spread */

static void group(struct trial *t, u32 n, s64 mbps)
{
	char name[8], ifname[8];

	start(t);
	for (u32 k = 0; k < n; k++) {
		snprintf(name, sizeof(name), "mlx5_%u", k);
		snprintf(ifname, sizeof(ifname), "eth%u", k);
		nic(t, name, ifname, mbps);
		port(t, k, "port_xmit_data", k ? 1000 : 110000000000);
		port(t, k, "port_rcv_data", k ? 1000 : 110000000000);
	}
}

static void one_of_many_needs_many(void **state)
{
	struct trial t;

	(void)state;
	group(&t, 8, 400000);
	judge(&t);
	assert_true(says(need(&t, "nic.one_of_many", RCT_CRITICAL), "1 of 8"));
	done(&t);
	group(&t, 2, 400000);
	judge(&t);
	none(&t, "nic.one_of_many");
	done(&t);
	/* the others are of another speed: not for the same purpose */
	group(&t, 4, 400000);
	for (u32 k = 1; k < 4; k++)
		t.after.netifs[k].speed_mbps.v = 100000;
	judge(&t);
	none(&t, "nic.one_of_many");
	done(&t);
}

static void bond(struct trial *t, u64 first, u64 second)
{
	struct rct_facts *both[] = { &t->before, &t->after };

	start(t);
	nic(t, "mlx5_bond_0", "bond0", 200000);
	for (u32 i = 0; i < 2; i++) {
		struct rct_netif *n;

		add_netif(both[i], "eth2", 200000);
		add_netif(both[i], "eth3", 200000);
		n = rct_netif_named(both[i], "bond0");
		strcpy(n->members[0], "eth2");
		strcpy(n->members[1], "eth3");
		n->n_members = 2;
	}
	eth(t, 1, "tx_prio5_bytes", first);
	eth(t, 2, "tx_prio5_bytes", second);
	judge(t);
}

static void a_bond_with_one_full_member(void **state)
{
	struct trial t;

	(void)state;
	bond(&t, 246000000000, 900000000);
	assert_true(says(need(&t, "path.lag_member", RCT_CRITICAL), "eth2"));
	done(&t);
	bond(&t, 123000000000, 120000000000);
	none(&t, "path.lag_member");
	done(&t);
	/* little traffic is one queue pair's */
	bond(&t, 2460000000, 9000000);
	none(&t, "path.lag_member");
	done(&t);
}

/* ----------------------------------------------------------------------- logs */

static void a_sick_nic_passes_nothing(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	nic(&t, "mlx5_0", "eth0", 400000);
	hw(&t, 0, "packet_seq_err", 0);
	eth(&t, 0, "rx_crc_errors_phy", 0);
	eth(&t, 0, "rx_prio3_pause_duration", 0);
	port(&t, 0, "port_xmit_data", 100000000000);
	say(&t, 99953, RCT_LOG_HEALTH, "0000:01:00.0", -1,
	    "mlx5_core 0000:01:00.0: device's health compromised - reached miss count");
	say(&t, 99953, RCT_LOG_HEALTH, "0000:01:00.0", 7, "mlx5_core 0000:01:00.0: synd 0x7: irisc not responding");
	judge(&t);
	assert_true(says(need(&t, "nic.firmware", RCT_CRITICAL), "57 s ago"));
	assert_true(says(find(&t, "nic.firmware"), "0x7: irisc not responding"));
	none(&t, "loss.none");
	none(&t, "link.errors");
	none(&t, "link.flap");
	none(&t, "pause.received");
	/* and it recovers */
	say(&t, 99970, RCT_LOG_HEALTH, "0000:01:00.0", -1, "mlx5_core 0000:01:00.0: health recovery succeeded");
	judge(&t);
	none(&t, "nic.firmware");
	need(&t, "loss.none", RCT_OK_FINDING);
	done(&t);
}

static void flap(struct trial *t, double first)
{
	start(t);
	nic(t, "mlx5_0", "eth0", 400000);
	once(t);
	for (u32 i = 0; i < 3; i++) {
		say(t, first + i * 20, RCT_LOG_LINK_DOWN, "eth0", -1, "mlx5_core 0000:01:00.0 eth0: Link down");
		say(t, first + i * 20 + 4 + i, RCT_LOG_LINK_UP, "eth0", -1, "mlx5_core 0000:01:00.0 eth0: Link up");
	}
	judge(t);
}

static void flaps_are_recent_or_history(void **state)
{
	struct trial t;

	(void)state;
	flap(&t, 99500);
	assert_true(says(need(&t, "link.flap", RCT_CRITICAL), "3 times"));
	assert_true(says(find(&t, "link.flap"), "longest outage 6 s"));
	done(&t);
	flap(&t, 40000);
	need(&t, "link.flap", RCT_NOTICE);
	done(&t);
	/* drivers do that at start */
	flap(&t, 12);
	need(&t, "link.flap", RCT_OK_FINDING);
	done(&t);
}

static void a_module_that_complained_first_is_the_cause(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	nic(&t, "mlx5_0", "eth0", 400000);
	once(&t);
	say(&t, 99400, RCT_LOG_MODULE, "0000:01:00.0", 0,
	    "mlx5_core 0000:01:00.0: Port module event[error]: module 0, Cable error, High Temperature");
	judge(&t);
	need(&t, "link.optic", RCT_WARNING);
	say(&t, 99500, RCT_LOG_LINK_DOWN, "eth0", -1, "mlx5_core 0000:01:00.0 eth0: Link down");
	judge(&t);
	need(&t, "link.optic", RCT_CRITICAL);
	done(&t);
}

static void the_first_gpu_fault_is_named(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	nic(&t, "mlx5_0", "eth0", 400000);
	once(&t);
	put(&t.after.nics[0].counters, &t.after.nics[0].n_counters, RCT_G_HW, "out_of_sequence", 0);
	put(&t.after.nics[0].counters, &t.after.nics[0].n_counters, RCT_G_HW, "packet_seq_err", 0);
	say(&t, 99700, RCT_LOG_XID, "0000:43:00.0", 45, "NVRM: Xid (PCI:0000:43:00): 45, pid=8");
	judge(&t);
	need(&t, "host.xid", RCT_NOTICE);
	say(&t, 99801, RCT_LOG_XID, "0000:1b:00.0", 79, "NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus.");
	judge(&t);
	assert_true(says(need(&t, "host.xid", RCT_CRITICAL), "Xid 79"));
	need(&t, "host.exonerated", RCT_NOTICE);
	/* what comes later is not the first, whatever it is */
	say(&t, 99900, RCT_LOG_XID, "0000:1c:00.0", 48, "NVRM: Xid (PCI:0000:1c:00): 48, DBE");
	say(&t, 99901, RCT_LOG_XID, "0000:1d:00.0", 31, "NVRM: Xid (PCI:0000:1d:00): 31, MMU fault");
	judge(&t);
	assert_true(says(need(&t, "host.xid", RCT_CRITICAL), "Xid 79"));
	/* counters that say otherwise take that back */
	put(&t.after.nics[0].counters, &t.after.nics[0].n_counters, RCT_G_HW, "local_ack_timeout_err", 5);
	judge(&t);
	none(&t, "host.exonerated");
	done(&t);
}

/* ----------------------------------------------------------------------- PCIe */

static void pcie(struct trial *t, const char *speed, s64 width)
{
	struct rct_netif *n;

	start(t);
	nic(t, "mlx5_0", "eth0", 200000);
	n = &t->after.netifs[0];
	strcpy(n->link_speed, speed);
	strcpy(n->link_speed_max, "16.0 GT/s PCIe");
	n->link_width = (struct rct_num){ RCT_THERE, width };
	n->link_width_max = (struct rct_num){ RCT_THERE, 16 };
	judge(t);
}

static void pcie_is_held_against_the_port(void **state)
{
	struct trial t;

	(void)state;
	pcie(&t, "8.0 GT/s PCIe", 4);
	assert_true(says(need(&t, "pcie.degraded", RCT_CRITICAL), "31.5 Gb/s"));
	done(&t);
	pcie(&t, "8.0 GT/s PCIe", 16);
	need(&t, "pcie.degraded", RCT_WARNING);
	done(&t);
	pcie(&t, "16.0 GT/s PCIe", 16);
	need(&t, "pcie.degraded", RCT_OK_FINDING);
	done(&t);
}

static void acs_matters_with_a_gpu_and_without_a_vm(void **state)
{
	struct trial t;
	struct rct_pci *p;

	(void)state;
	start(&t);
	p = RCT_FACTS_ADD(t.after.pcis, t.after.n_pcis);
	strcpy(p->addr, "0000:18:00.0");
	p->bridge = true;
	p->acs_redirect = 1;
	p = RCT_FACTS_ADD(t.after.pcis, t.after.n_pcis);
	strcpy(p->addr, "0000:19:00.0");
	p->gpu = true;
	p->acs_redirect = RCT_TRI_UNKNOWN;
	judge(&t);
	need(&t, "pcie.acs", RCT_WARNING);
	t.after.vm = 1;
	judge(&t);
	need(&t, "pcie.acs", RCT_NOTICE);
	t.after.pcis[0].acs_redirect = 0;
	judge(&t);
	need(&t, "pcie.acs", RCT_OK_FINDING);
	done(&t);
}

/* ---------------------------------------------------------------- blind spots */

static void unreadable_devices_are_unknown(void **state)
{
	struct trial t;

	(void)state;
	start(&t);
	nic(&t, "mlx5_0", "eth0", 400000);
	nic(&t, "mlx5_1", "eth1", 400000);
	t.after.nics[1].readable = false;
	t.after.nics[1].hw_counters = RCT_ABSENT;
	judge(&t);
	assert_true(says(need(&t, "blind.counters", RCT_UNKNOWN_FINDING), "1 of 2"));
	done(&t);
}

static void ports_that_are_down(void **state)
{
	struct trial t;
	struct rct_gid *g;

	(void)state;
	start(&t);
	nic(&t, "mlx5_0", "eth0", 400000);
	strcpy(t.after.nics[0].state, "DOWN");
	judge(&t);
	need(&t, "link.down", RCT_NOTICE);
	g = RCT_FACTS_ADD(t.after.nics[0].gids, t.after.nics[0].n_gids);
	g->type = RCT_GID_V2;
	g->addr[0] = 0xfe;
	g->addr[1] = 0x80;
	judge(&t);
	need(&t, "link.down", RCT_NOTICE);
	g->addr[0] = 0xfd;
	judge(&t);
	need(&t, "link.down", RCT_WARNING);
	done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_host_rule_has_its_row),
		cmocka_unit_test(every_row_has_a_judge),
		cmocka_unit_test(without_facts_nothing_is_said),
		cmocka_unit_test(loss_is_judged_by_its_share),
		cmocka_unit_test(a_queue_pair_that_gave_up_is_critical),
		cmocka_unit_test(totals_are_no_loss),
		cmocka_unit_test(an_idle_link_proves_nothing),
		cmocka_unit_test(what_is_not_counted_does_not_pass),
		cmocka_unit_test(a_counter_that_went_back_has_no_delta),
		cmocka_unit_test(out_of_order_alone_is_reordering),
		cmocka_unit_test(place_is_unknown_without_local_evidence),
		cmocka_unit_test(damage_explains_what_fits),
		cmocka_unit_test(damage_leaves_over_what_is_too_much),
		cmocka_unit_test(damage_here_explains_nothing_that_peers_missed),
		cmocka_unit_test(a_clean_link_with_bad_frames_is_upstream),
		cmocka_unit_test(corrected_bits_are_normal),
		cmocka_unit_test(one_bad_nic_is_held_against_its_siblings),
		cmocka_unit_test(one_reading_has_no_rates),
		cmocka_unit_test(who_never_answered_is_told_from_who_was_slow),
		cmocka_unit_test(pause_is_a_share_of_the_time),
		cmocka_unit_test(pause_sent_blames_this_host),
		cmocka_unit_test(frames_without_times_are_no_finding),
		cmocka_unit_test(paused_and_silent_is_a_deadlock),
		cmocka_unit_test(the_bytes_tell_the_class),
		cmocka_unit_test(tcp_on_an_open_class_is_none_of_ours),
		cmocka_unit_test(drops_are_told_with_what_they_explain),
		cmocka_unit_test(no_protection_is_louder_under_loss),
		cmocka_unit_test(cnps_at_full_load_are_health),
		cmocka_unit_test(rnr_is_judged_by_its_cost),
		cmocka_unit_test(one_of_many_needs_many),
		cmocka_unit_test(a_bond_with_one_full_member),
		cmocka_unit_test(a_sick_nic_passes_nothing),
		cmocka_unit_test(flaps_are_recent_or_history),
		cmocka_unit_test(a_module_that_complained_first_is_the_cause),
		cmocka_unit_test(the_first_gpu_fault_is_named),
		cmocka_unit_test(pcie_is_held_against_the_port),
		cmocka_unit_test(acs_matters_with_a_gpu_and_without_a_vm),
		cmocka_unit_test(unreadable_devices_are_unknown),
		cmocka_unit_test(ports_that_are_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
