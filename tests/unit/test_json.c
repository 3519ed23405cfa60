// SPDX-License-Identifier: BSD-2-Clause
/*
 * user/render/json.c: what is not known is null, counts are integers, foreign bytes
 * stay inside their strings. (That real outputs follow the schema: tests/golden/schema.)
 */
#include "lib/unit.h"

#include <jansson.h>
#include <stdio.h>

#include "analyse/analyse.h"
#include "model/facts.h"
#include "render/render.h"

static json_t *load(const struct rct_snapshot *s, bool compact, size_t *lines)
{
	struct rct_findings f;
	json_error_t error;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	json_t *v;

	assert_int_equal(rct_analyse(s, &f), 0);
	assert_int_equal(rct_render_json(out, s, &f, compact), 0);
	fclose(out);
	*lines = 0;
	for (const char *p = text; (p = strchr(p, '\n')); p++)
		(*lines)++;
	assert_int_equal(text[size - 1], '\n');
	v = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	if (!v)
		fail_msg("%s in line %d: %s", error.text, error.line, text);
	free(text);
	rct_findings_free(&f);
	return v;
}

static struct rct_flow *add_flow(struct rct_snapshot *s)
{
	struct rct_flow *f = rct_snapshot_add_flow(s);

	f->key.family = RCT_IPV4;
	f->key.src[1] = 0xffff0000ULL | 0x0100000aULL << 32;
	f->key.dst[1] = 0xffff0000ULL | 0x0200000aULL << 32;
	f->key.dest_qp = 0xffffff;
	f->key.dir = RCT_TX;
	f->packets = f->ops[0x0a] = 1ULL << 53;
	f->attr = RCT_ATTR(49152, 0x6064, 0xffff, 26, 64);
	f->unseen = RCT_UNKNOWN;
	for (int i = 0; i < RCT_RETRY_CAUSES; i++)
		f->retries[i] = f->stall_ns[i] = RCT_UNKNOWN;
	return f;
}

static void start(struct rct_snapshot *s, const char *ifname)
{
	struct rct_iface *i;

	memset(s, 0, sizeof(*s));
	s->command = "run";
	s->live = true;
	i = rct_snapshot_add_iface(s);
	strcpy(i->name, ifname);
}

static const json_t *at(const json_t *v, const char *a, const char *b)
{
	const json_t *x = json_object_get(v, a);

	if (x && b)
		x = json_object_get(x, b);
	if (!x)
		fail_msg("no %s %s", a, b ? b : "");
	return x;
}

static void test_unknown_is_null(void **state)
{
	struct rct_snapshot s;
	json_t *v, *f;
	size_t lines;

	(void)state;
	start(&s, "eth0");
	add_flow(&s);
	v = load(&s, false, &lines);
	f = json_array_get(at(v, "flows", NULL), 0);
	assert_true(json_is_null(at(f, "psn", "unseen")));
	assert_true(json_is_null(at(f, "retry", NULL)));
	assert_true(json_is_null(at(f, "rtt_us", NULL)));
	assert_true(json_is_null(at(f, "icrc_bad", NULL)));
	assert_true(json_is_null(at(f, "rnr_timer_us", NULL)));
	assert_true(json_is_null(at(f, "path_mtu", NULL)));
	assert_true(json_is_null(at(f, "peer", NULL)));
	assert_true(json_is_null(at(f, "first_time", NULL)));
	assert_true(json_is_null(at(v, "interval", "start_time")));
	assert_int_equal(json_array_size(at(v, "self", "programs")), 0);
	/* a list that is not filled would say "none": it is not there */
	assert_null(json_object_get(v, "qps"));
	assert_null(json_object_get(v, "nics"));
	assert_null(json_object_get(v, "irqs"));
	json_decref(v);
	rct_snapshot_free(&s);
}

static void test_known(void **state)
{
	struct rct_snapshot s;
	struct rct_flow *flow;
	json_t *v, *f;
	size_t lines;

	(void)state;
	start(&s, "eth0");
	s.start_ns = 1700000000123456789;
	s.end_ns = s.start_ns + 1500000000;
	flow = add_flow(&s);
	memset(flow->retries, 0, sizeof(flow->retries));
	memset(flow->stall_ns, 0, sizeof(flow->stall_ns));
	flow->stall_ns[RCT_RETRY_TIMEOUT] = 67100000;
	flow->unseen = 0;
	flow->rnr_naks = 1;
	flow->rnr_timer = 14;
	flow->icrc_checked = 1;
	flow->peer_by = RCT_PEER_CM;
	flow->peer_qp = 17;
	flow->rtt = (struct rct_quantiles){ 5, 1000, 2000, 3000, 4000 };
	flow->sizes[16] = 9;
	v = load(&s, false, &lines);
	f = json_array_get(at(v, "flows", NULL), 0);
	assert_int_equal(json_integer_value(at(f, "packets", NULL)), 1ULL << 53);
	assert_int_equal(json_integer_value(at(f, "opcodes", "RC_WRITE_ONLY")), 1ULL << 53);
	assert_int_equal(json_object_size(at(f, "opcodes", NULL)), 1);
	assert_int_equal(json_integer_value(at(f, "dest_qp", NULL)), 0xffffff);
	assert_int_equal(json_integer_value(at(f, "vlan", NULL)), 0x64);
	assert_int_equal(json_integer_value(at(f, "dscp", NULL)), 26);
	assert_int_equal(json_integer_value(at(f, "rnr_timer_us", NULL)), 1280);
	assert_true(json_is_integer(at(f, "icrc_bad", NULL)) && json_is_integer(at(f, "psn", "unseen")));
	assert_true(json_real_value(at(f, "retry", "longest_stall_us")) == 67100);
	assert_true(json_real_value(at(f, "rtt_us", "p999")) == 3);
	assert_int_equal(json_integer_value(at(f, "message_bytes", "le_16")), 9);
	assert_string_equal(json_string_value(at(f, "peer", "by")), "cm");
	assert_string_equal(json_string_value(at(f, "src", NULL)), "10.0.0.1");
	assert_string_equal(json_string_value(at(v, "interval", "start_time")), "2023-11-14T22:13:20.123456789Z");
	assert_true(json_real_value(at(v, "interval", "seconds")) == 1.5);
	json_decref(v);
	rct_snapshot_free(&s);
}

static void test_direction(void **state)
{
	struct rct_snapshot s;
	json_t *v;
	size_t lines;

	(void)state;
	start(&s, "eth0");
	add_flow(&s);
	add_flow(&s)->key.dir = RCT_NODIR;
	v = load(&s, false, &lines);
	assert_string_equal(json_string_value(at(json_array_get(at(v, "flows", NULL), 0), "ifname", NULL)), "eth0");
	assert_string_equal(json_string_value(at(json_array_get(at(v, "flows", NULL), 0), "direction", NULL)), "tx");
	assert_true(json_is_null(at(json_array_get(at(v, "flows", NULL), 1), "ifname", NULL)));
	assert_true(json_is_null(at(json_array_get(at(v, "flows", NULL), 1), "direction", NULL)));
	json_decref(v);
	rct_snapshot_free(&s);
}

static void test_foreign_bytes(void **state)
{
	struct rct_snapshot s;
	json_t *v;
	size_t lines;

	(void)state;
	start(&s, "a\"b\\\n\xff\x01");
	add_flow(&s);
	strcpy(s.host, "h\xc3(\xf0\x9f\x98\x80");
	v = load(&s, true, &lines);
	assert_string_equal(json_string_value(at(json_array_get(at(v, "flows", NULL), 0), "ifname", NULL)),
			    "a\"b\\\n\\xff\x01");
	assert_string_equal(json_string_value(at(v, "host", "name")), "h\\xc3(\xf0\x9f\x98\x80");
	/* compact is one object a line, whatever is in it */
	assert_int_equal(lines, 1);
	json_decref(v);
	rct_snapshot_free(&s);
}

static void test_pause(void **state)
{
	struct rct_snapshot s;
	json_t *v, *row;
	size_t lines;

	(void)state;
	start(&s, "eth0");
	s.start_ns = 1;
	s.end_ns = 1000000001;
	s.ifaces[0].speed_mbps = 100000;
	s.ifaces[0].pause[RCT_RX].xoff[3] = 10;
	s.ifaces[0].pause[RCT_RX].quanta[3] = 10 * 65535;
	v = load(&s, false, &lines);
	row = json_array_get(at(json_array_get(at(v, "nics", NULL), 0), "pause", NULL), 0);
	assert_int_equal(json_integer_value(at(row, "prio", NULL)), 3);
	assert_int_equal(json_integer_value(at(row, "rx_frames", NULL)), 10);
	assert_int_equal(json_integer_value(at(row, "tx_frames", NULL)), 0);
	assert_string_equal(json_string_value(at(row, "from", NULL)), "packets");
	/* 655,350 quanta of 5.12 ns */
	assert_int_equal((int)json_real_value(at(row, "rx_us", NULL)), 3355);
	json_decref(v);
	/* without the link's speed no time, and in a capture nobody knows who sent */
	s.ifaces[0].speed_mbps = 0;
	s.live = false;
	v = load(&s, false, &lines);
	row = json_array_get(at(json_array_get(at(v, "nics", NULL), 0), "pause", NULL), 0);
	assert_true(json_is_null(at(row, "rx_us", NULL)) && json_is_null(at(row, "share", NULL)));
	assert_true(json_is_null(at(row, "tx_frames", NULL)));
	json_decref(v);
	rct_snapshot_free(&s);
}

/* ---- NICs */

static void add_nic(struct rct_facts *f, const char *ifname)
{
	struct rct_nic *n = RCT_FACTS_ADD(f->nics, f->n_nics);
	struct rct_netif *i = RCT_FACTS_ADD(f->netifs, f->n_netifs);

	strcpy(n->dev, "mlx5_0");
	strcpy(n->driver, "mlx5");
	strcpy(n->state, "ACTIVE");
	strcpy(n->ifname, ifname);
	n->port = 1;
	n->node = -2;
	strcpy(i->name, ifname);
	strcpy(i->driver, "mlx5_core");
	strcpy(i->pci, "0000:1a:00.0");
	i->node = -1;
	i->mtu = (struct rct_num){ RCT_THERE, 4200 };
}

static void put(struct rct_facts *f, enum rct_counter_group group, const char *name, enum rct_have have, u64 v)
{
	struct rct_counter *c;

	if (group == RCT_G_ETHTOOL)
		c = RCT_FACTS_ADD(f->netifs[0].counters, f->netifs[0].n_counters);
	else
		c = RCT_FACTS_ADD(f->nics[0].counters, f->nics[0].n_counters);
	c->group = group;
	c->have = have;
	c->value = v;
	snprintf(c->name, sizeof(c->name), "%s", name);
}

/* A host with one NIC, read ten seconds apart. */
struct host {
	struct rct_snapshot s;
	struct rct_facts before, after;
};

static void host_start(struct host *h, const char *ifname)
{
	memset(h, 0, sizeof(*h));
	h->s.command = "check";
	h->s.before = &h->before;
	h->s.facts = &h->after;
	h->before.uptime = 1000;
	h->after.uptime = 1010;
	add_nic(&h->before, ifname);
	add_nic(&h->after, ifname);
}

static void both(struct host *h, enum rct_counter_group group, const char *name, u64 v, u64 grew)
{
	put(&h->before, group, name, RCT_THERE, v);
	put(&h->after, group, name, RCT_THERE, v + grew);
}

static json_t *first_nic(struct host *h, json_t **v)
{
	size_t lines;

	*v = load(&h->s, false, &lines);
	return json_array_get(at(*v, "nics", NULL), 0);
}

static void host_done(struct host *h, json_t *v)
{
	json_decref(v);
	rct_facts_free(&h->before);
	rct_facts_free(&h->after);
	h->s.before = h->s.facts = NULL;
	rct_snapshot_free(&h->s);
}

static void test_nic(void **state)
{
	struct host h;
	json_t *v, *n, *c;

	(void)state;
	host_start(&h, "e\"\x01");
	both(&h, RCT_G_HW, "packet_seq_err", 100, 50);
	both(&h, RCT_G_PORT, "port_xmit_data", 1000, 25);
	both(&h, RCT_G_HW, "np_cnp_sent", 7, 0);
	n = first_nic(&h, &v);
	assert_string_equal(json_string_value(at(n, "ifname", NULL)), "e\"\x01");
	assert_string_equal(json_string_value(at(n, "dev", NULL)), "mlx5_0");
	assert_string_equal(json_string_value(at(n, "driver", NULL)), "mlx5");
	assert_string_equal(json_string_value(at(n, "pci", NULL)), "0000:1a:00.0");
	assert_string_equal(json_string_value(at(n, "state", NULL)), "ACTIVE");
	assert_int_equal(json_integer_value(at(n, "mtu", NULL)), 4200);
	assert_true(json_is_null(at(n, "node", NULL)) && json_is_null(at(n, "active_mtu", NULL)));
	assert_true(json_is_null(at(n, "firmware", NULL)) && json_is_null(at(n, "speed_mbps", NULL)));
	c = json_object_get(n, "counters");
	assert_int_equal(json_integer_value(at(c, "seq_nak_received", "value")), 150);
	assert_int_equal(json_integer_value(at(c, "seq_nak_received", "delta")), 50);
	assert_true(json_real_value(at(c, "seq_nak_received", "per_second")) == 5);
	assert_string_equal(json_string_value(at(c, "seq_nak_received", "from")), "hw_counters/packet_seq_err");
	/* words of four bytes */
	assert_int_equal(json_integer_value(at(c, "roce_tx_bytes", "delta")), 100);
	/* zero is a value */
	assert_int_equal(json_integer_value(at(c, "cnp_sent", "delta")), 0);
	/* and what this driver has not, or was not there, is nothing */
	assert_null(json_object_get(c, "out_of_sequence"));
	assert_null(json_object_get(c, "pfc_rx_frames"));
	assert_int_equal(json_array_size(at(n, "pause", NULL)), 0);
	host_done(&h, v);
}

static void test_nic_without_a_delta(void **state)
{
	struct host h;
	json_t *v, *n;

	(void)state;
	/* unreadable, restarted, new */
	host_start(&h, "eth0");
	put(&h.before, RCT_G_HW, "packet_seq_err", RCT_THERE, 5);
	put(&h.after, RCT_G_HW, "packet_seq_err", RCT_UNREADABLE, 0);
	put(&h.before, RCT_G_PORT, "port_xmit_packets", RCT_THERE, 5000);
	put(&h.after, RCT_G_PORT, "port_xmit_packets", RCT_THERE, 3);
	put(&h.after, RCT_G_HW, "np_cnp_sent", RCT_THERE, 9);
	n = json_object_get(first_nic(&h, &v), "counters");
	assert_true(json_is_null(at(n, "seq_nak_received", "value")));
	assert_true(json_is_null(at(n, "seq_nak_received", "delta")));
	assert_int_equal(json_integer_value(at(n, "roce_tx_packets", "value")), 3);
	assert_true(json_is_null(at(n, "roce_tx_packets", "delta")));
	assert_int_equal(json_integer_value(at(n, "cnp_sent", "value")), 9);
	assert_true(json_is_null(at(n, "cnp_sent", "delta")));
	host_done(&h, v);

	/* one reading */
	host_start(&h, "eth0");
	both(&h, RCT_G_HW, "packet_seq_err", 100, 50);
	both(&h, RCT_G_ETHTOOL, "rx_prio3_pause", 100, 50);
	h.s.before = NULL;
	n = first_nic(&h, &v);
	assert_int_equal(json_array_size(at(n, "pause", NULL)), 0);
	n = json_object_get(n, "counters");
	assert_int_equal(json_integer_value(at(n, "seq_nak_received", "value")), 150);
	assert_true(json_is_null(at(n, "seq_nak_received", "delta")));
	assert_true(json_is_null(at(n, "seq_nak_received", "per_second")));
	host_done(&h, v);

	/* no time between */
	host_start(&h, "eth0");
	both(&h, RCT_G_HW, "packet_seq_err", 100, 50);
	h.after.uptime = -1;
	n = json_object_get(first_nic(&h, &v), "counters");
	assert_int_equal(json_integer_value(at(n, "seq_nak_received", "delta")), 50);
	assert_true(json_is_null(at(n, "seq_nak_received", "per_second")));
	host_done(&h, v);
}

static void test_nic_pause(void **state)
{
	struct host h;
	struct rct_iface *i;
	json_t *v, *n, *row;

	(void)state;
	host_start(&h, "eth0");
	both(&h, RCT_G_ETHTOOL, "rx_prio3_pause", 9, 40);
	both(&h, RCT_G_ETHTOOL, "rx_prio3_pause_duration", 9, 2500000);
	both(&h, RCT_G_ETHTOOL, "tx_prio5_pause", 9, 0);
	i = rct_snapshot_add_iface(&h.s);
	strcpy(i->name, "eth0");
	i->pause[RCT_RX].xoff[3] = 2;
	i = rct_snapshot_add_iface(&h.s);
	strcpy(i->name, "mirror");
	i->pause[RCT_RX].global_frames = 4;
	n = first_nic(&h, &v);
	assert_int_equal(json_array_size(at(n, "pause", NULL)), 3);
	row = json_array_get(at(n, "pause", NULL), 0);
	assert_int_equal(json_integer_value(at(row, "prio", NULL)), 3);
	assert_string_equal(json_string_value(at(row, "from", NULL)), "counters");
	assert_int_equal(json_integer_value(at(row, "rx_frames", NULL)), 40);
	assert_int_equal(json_integer_value(at(row, "rx_us", NULL)), 2500000);
	assert_true(json_is_null(at(row, "tx_frames", NULL)) && json_is_null(at(row, "tx_us", NULL)));
	assert_true(json_real_value(at(row, "share", NULL)) == 0.25);
	row = json_array_get(at(n, "pause", NULL), 1);
	assert_string_equal(json_string_value(at(row, "from", NULL)), "packets");
	assert_int_equal(json_integer_value(at(row, "rx_frames", NULL)), 2);
	row = json_array_get(at(n, "pause", NULL), 2);
	assert_int_equal(json_integer_value(at(row, "prio", NULL)), 5);
	assert_true(json_is_integer(at(row, "tx_frames", NULL)) && json_is_null(at(row, "share", NULL)));
	n = json_array_get(at(at(n, "counters", NULL), "pfc_rx_frames", NULL), 0);
	assert_int_equal(json_integer_value(at(n, "prio", NULL)), 3);
	assert_int_equal(json_integer_value(at(n, "value", NULL)), 49);
	/* an interface of which nothing else is known */
	assert_int_equal(json_array_size(at(v, "nics", NULL)), 2);
	n = json_array_get(at(v, "nics", NULL), 1);
	assert_string_equal(json_string_value(at(n, "ifname", NULL)), "mirror");
	assert_true(json_is_null(at(n, "dev", NULL)) && json_is_null(at(n, "counters", NULL)));
	host_done(&h, v);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown_is_null), cmocka_unit_test(test_known),
		cmocka_unit_test(test_direction), cmocka_unit_test(test_foreign_bytes),
		cmocka_unit_test(test_pause), cmocka_unit_test(test_nic),
		cmocka_unit_test(test_nic_without_a_delta), cmocka_unit_test(test_nic_pause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
