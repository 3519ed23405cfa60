// SPDX-License-Identifier: BSD-2-Clause
/*
 * user/render/json.c: what is not known is null, counts are integers, foreign bytes
 * stay inside their strings. (That real outputs follow the schema: tests/golden/schema.)
 */
#include "lib/unit.h"

#include <jansson.h>
#include <stdio.h>

#include "analyse/analyse.h"
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
	assert_true(json_is_null(at(v, "self", "ns_per_packet")));
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

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown_is_null), cmocka_unit_test(test_known),
		cmocka_unit_test(test_direction), cmocka_unit_test(test_foreign_bytes),
		cmocka_unit_test(test_pause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
