// SPDX-License-Identifier: BSD-2-Clause
/* The table of vendors' counters, and what is made of two readings. */
#include "lib/unit.h"

#include <stdio.h>

#include "base/util.h"
#include "model/facts.h"

/* ------------------------------------------------------------------ table */

static void canonicals(void **state)
{
	const struct rct_canonical_info *a, *b;

	(void)state;
	for (u32 i = 0; i < RCT_CANONICAL_COUNT; i++) {
		a = rct_canonical_at(i);
		assert_true(*a->name && *a->unit && *a->text);
		for (u32 j = 0; j < i; j++) {
			b = rct_canonical_at(j);
			assert_string_not_equal(a->name, b->name);
		}
	}
}

static bool share_driver(const char *a, const char *b)
{
	char list[64], *save, *word;

	snprintf(list, sizeof(list), "%s", a);
	for (word = strtok_r(list, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (!strcmp(word, "*") || !strcmp(b, "*") || strstr(b, word))
			return true;
	}
	return false;
}

static void no_row_is_double(void **state)
{
	const struct rct_counter_map *a, *b;

	(void)state;
	for (size_t i = 0; i < rct_counter_maps_n; i++) {
		a = &rct_counter_maps[i];
		for (size_t j = 0; j < i; j++) {
			b = &rct_counter_maps[j];
			if (a->group != b->group || a->canonical != b->canonical ||
			    !share_driver(a->drivers, b->drivers))
				continue;
			if (strcmp(a->name, b->name) && (a->rank != b->rank || (a->add && b->add) ||
							 a->subtract || b->subtract))
				continue;
			fail_msg("%s: %s and %s both are %s", a->drivers, a->name, b->name,
				 rct_canonical_at(a->canonical)->name);
		}
	}
}

static void every_canonical_has_a_row(void **state)
{
	bool has[RCT_CANONICAL_COUNT] = { false };

	(void)state;
	for (size_t i = 0; i < rct_counter_maps_n; i++)
		has[rct_counter_maps[i].canonical] = true;
	for (u32 i = 0; i < RCT_CANONICAL_COUNT; i++) {
		if (!has[i])
			fail_msg("%s has no row", rct_canonical_at(i)->name);
	}
}

static void rows_are_sound(void **state)
{
	const struct rct_counter_map *m;
	struct rct_counter c;

	(void)state;
	for (size_t i = 0; i < rct_counter_maps_n; i++) {
		m = &rct_counter_maps[i];
		assert_true(strlen(m->name) > 0 && strlen(m->name) < sizeof(c.name));
		assert_true(m->bits <= 64);
		assert_false(m->add && m->subtract);
		/* a priority in the name is one in the meaning, and only there */
		assert_int_equal(strchr(m->name, '#') != NULL, rct_canonical_at(m->canonical)->prio);
	}
}

static void names_match(void **state)
{
	const struct rct_counter_map m = { "mlx5 mlx5_core", RCT_G_ETHTOOL, "rx_prio#_pause",
					   RCT_C_PFC_RX_FRAMES, 0, 0, false, 0, false };

	(void)state;
	assert_true(rct_counter_is(&m, "mlx5_core", RCT_G_ETHTOOL, "rx_prio3_pause", 3));
	assert_true(rct_counter_is(&m, "mlx5", RCT_G_ETHTOOL, "rx_prio3_pause", 3));
	assert_false(rct_counter_is(&m, "mlx5", RCT_G_HW, "rx_prio3_pause", 3));
	assert_false(rct_counter_is(&m, "mlx5", RCT_G_ETHTOOL, "rx_prio3_pause", 4));
	assert_false(rct_counter_is(&m, "mlx5", RCT_G_ETHTOOL, "rx_prio3_pause_duration", 3));
	assert_false(rct_counter_is(&m, "mlx5", RCT_G_ETHTOOL, "rx_prio3_pa", 3));
	assert_false(rct_counter_is(&m, "mlx", RCT_G_ETHTOOL, "rx_prio3_pause", 3));
	assert_false(rct_counter_is(&m, "mlx5_core2", RCT_G_ETHTOOL, "rx_prio3_pause", 3));
	assert_false(rct_counter_is(&m, "", RCT_G_ETHTOOL, "rx_prio3_pause", 3));
}

/* What drivers of Linux call them: driver, list, name as it is read, canonical, priority. */
static const struct {
	const char *driver;
	enum rct_counter_group group;
	const char *name, *canonical;
	u32 prio;
} known[] = {
	{ "mlx5", RCT_G_HW, "packet_seq_err", "seq_nak_received", 0 },
	{ "mlx5", RCT_G_HW, "out_of_sequence", "out_of_sequence", 0 },
	{ "mlx5", RCT_G_HW, "local_ack_timeout_err", "ack_timeout", 0 },
	{ "mlx5", RCT_G_HW, "rnr_nak_retry_err", "rnr_nak_received", 0 },
	{ "mlx5", RCT_G_HW, "np_ecn_marked_roce_packets", "ecn_ce_received", 0 },
	{ "mlx5", RCT_G_HW, "rp_cnp_handled", "cnp_received", 0 },
	{ "mlx5", RCT_G_PORT, "port_xmit_data", "roce_tx_bytes", 0 },
	{ "mlx5_core", RCT_G_ETHTOOL, "tx_prio5_pause_duration", "pfc_tx_duration", 5 },
	{ "mlx5_core", RCT_G_ETHTOOL, "rx_prio0_discards", "prio_rx_discards", 0 },
	{ "mlx5_core", RCT_G_ETHTOOL, "rx_discards_phy", "port_rx_discards", 0 },
	{ "bnxt_re", RCT_G_HW, "seq_err_naks_rcvd", "seq_nak_received", 0 },
	{ "bnxt_re", RCT_G_HW, "oos_drop_count", "out_of_sequence", 0 },
	{ "bnxt_re", RCT_G_HW, "to_retransmits", "ack_timeout", 0 },
	{ "bnxt_re", RCT_G_HW, "max_retry_exceeded", "retry_exceeded", 0 },
	{ "bnxt_en", RCT_G_ETHTOOL, "pfc_pri3_rx_duration_us", "pfc_rx_duration", 3 },
	{ "bnxt_en", RCT_G_ETHTOOL, "rx_pfc_ena_frames_pri7", "pfc_rx_frames", 7 },
	{ "irdma", RCT_G_HW, "cnpHandled", "cnp_received", 0 },
	{ "irdma", RCT_G_HW, "RxECNMrkd", "ecn_ce_received", 0 },
	{ "ice", RCT_G_ETHTOOL, "rx_priority_3_xoff.nic", "pfc_rx_frames", 3 },
	{ "hns", RCT_G_HW, "rx_cnp_pkt", "cnp_received", 0 },
	{ "hns3", RCT_G_ETHTOOL, "mac_tx_pfc_pri2_pkt_num", "pfc_tx_frames", 2 },
	{ "ionic", RCT_G_HW, "req_rx_pkt_seq_err", "seq_nak_received", 0 },
	{ "ionic", RCT_G_HW, "tx_rdma_ack_timeout", "ack_timeout", 0 },
	{ "ionic", RCT_G_ETHTOOL, "rx_pripause_3_1us_count", "pfc_rx_duration", 3 },
	{ "mana", RCT_G_HW, "requester_oos_nak", "seq_nak_received", 0 },
	{ "rxe", RCT_G_HW, "send_rnr_err", "rnr_nak_sent", 0 },
	{ "efa", RCT_G_HW, "retrans_pkts", "retransmitted_packets", 0 },
	{ "qede", RCT_G_ETHTOOL, "rx_crc_errors", "crc_error", 0 },
	{ "e1000e", RCT_G_NETDEV, "rx_bytes", "netdev_rx_bytes", 0 },
};

static bool stands_for(const char *driver, enum rct_counter_group group, const char *name,
		       const char *canonical, u32 prio)
{
	const struct rct_counter_map *m;

	for (size_t i = 0; i < rct_counter_maps_n; i++) {
		m = &rct_counter_maps[i];
		if (rct_counter_is(m, driver, group, name, prio) &&
		    !strcmp(rct_canonical_at(m->canonical)->name, canonical))
			return true;
	}
	return false;
}

static void vendors_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < RCT_ARRAY_SIZE(known); i++) {
		if (!stands_for(known[i].driver, known[i].group, known[i].name, known[i].canonical,
				known[i].prio))
			fail_msg("%s %s is not %s", known[i].driver, known[i].name,
				 known[i].canonical);
	}
	/* counts PFC too: a host without global pause would seem to have it */
	assert_false(stands_for("mlx5_core", RCT_G_ETHTOOL, "rx_pause_ctrl_phy", "pause_rx_frames", 0));
}

/* ------------------------------------------------------------------ values */

/* A host with one port of RDMA and its interface, and maybe members of a bond. */
struct host {
	struct rct_facts f;
	struct rct_netif netifs[3];
	struct rct_nic nics[3];
	struct rct_counter hw[4], eth[3][4];
};

static void add(struct rct_counter *list, u32 *n, enum rct_counter_group group, const char *name,
		enum rct_have have, u64 value)
{
	struct rct_counter *c = &list[(*n)++];

	c->group = group;
	c->have = have;
	c->value = value;
	snprintf(c->name, sizeof(c->name), "%s", name);
}

static void make_host(struct host *h, const char *driver, const char *netdev_driver, double uptime)
{
	static const char *const names[] = { "eth0", "eth1", "eth2" };

	memset(h, 0, sizeof(*h));
	h->f.uptime = uptime;
	h->f.netifs = h->netifs;
	h->f.nics = h->nics;
	h->f.n_netifs = 3;
	h->f.n_nics = 1;
	for (u32 i = 0; i < 3; i++) {
		strcpy(h->netifs[i].name, names[i]);
		strcpy(h->netifs[i].driver, netdev_driver);
		h->netifs[i].counters = h->eth[i];
		h->nics[i].netif = -1;
		h->nics[i].port = 1;
		snprintf(h->nics[i].dev, sizeof(h->nics[i].dev), "rdma%u", i);
		strcpy(h->nics[i].driver, driver);
	}
	h->nics[0].netif = 0;
	h->nics[0].counters = h->hw;
}

static void hw(struct host *h, const char *name, enum rct_have have, u64 value)
{
	add(h->hw, &h->nics[0].n_counters, RCT_G_HW, name, have, value);
}

static void eth(struct host *h, u32 i, const char *name, u64 value)
{
	add(h->eth[i], &h->netifs[i].n_counters, RCT_G_ETHTOOL, name, RCT_THERE, value);
}

static void absent_unreadable_zero(void **state)
{
	char from[80];
	struct rct_num n;
	struct host h;

	(void)state;
	make_host(&h, "mlx5", "mlx5_core", 1);
	n = rct_nic_counter(&h.f, h.nics, RCT_C_OUT_OF_SEQUENCE, 0, from, sizeof(from));
	assert_int_equal(n.have, RCT_ABSENT);
	assert_string_equal(from, "");
	hw(&h, "out_of_sequence", RCT_UNREADABLE, 0);
	n = rct_nic_counter(&h.f, h.nics, RCT_C_OUT_OF_SEQUENCE, 0, NULL, 0);
	assert_int_equal(n.have, RCT_UNREADABLE);
	h.hw[0].have = RCT_THERE;
	n = rct_nic_counter(&h.f, h.nics, RCT_C_OUT_OF_SEQUENCE, 0, from, sizeof(from));
	assert_int_equal(n.have, RCT_THERE);
	assert_int_equal(n.v, 0);
	assert_string_equal(from, "hw_counters/out_of_sequence");
	/* the same name of another driver's is another thing */
	strcpy(h.nics[0].driver, "irdma");
	n = rct_nic_counter(&h.f, h.nics, RCT_C_OUT_OF_SEQUENCE, 0, NULL, 0);
	assert_int_equal(n.have, RCT_ABSENT);
}

static void the_better_of_two(void **state)
{
	struct rct_num n;
	struct host h;

	(void)state;
	make_host(&h, "mlx5", "mlx5_core", 1);
	eth(&h, 0, "rx_vport_rdma_unicast_bytes", 7);
	n = rct_nic_counter(&h.f, h.nics, RCT_C_ROCE_RX_BYTES, 0, NULL, 0);
	assert_int_equal(n.v, 7);
	/* in words of four bytes */
	add(h.hw, &h.nics[0].n_counters, RCT_G_PORT, "port_rcv_data", RCT_THERE, 100);
	n = rct_nic_counter(&h.f, h.nics, RCT_C_ROCE_RX_BYTES, 0, NULL, 0);
	assert_int_equal(n.v, 400);
	/* one that can't be read gives way */
	h.hw[0].have = RCT_UNREADABLE;
	n = rct_nic_counter(&h.f, h.nics, RCT_C_ROCE_RX_BYTES, 0, NULL, 0);
	assert_int_equal(n.have, RCT_THERE);
	assert_int_equal(n.v, 7);
	/* two of one list are not added up */
	eth(&h, 0, "rx_prio3_buf_discard", 50);
	eth(&h, 0, "rx_prio3_discards", 2);
	n = rct_nic_counter(&h.f, h.nics, RCT_C_PRIO_RX_DISCARDS, 3, NULL, 0);
	assert_int_equal(n.v, 2);
}

static void sums(void **state)
{
	char from[80];
	struct rct_num n;
	struct host h;

	(void)state;
	make_host(&h, "mlx5", "mlx5_core", 1);
	hw(&h, "req_cqe_error", RCT_THERE, 3);
	hw(&h, "resp_cqe_error", RCT_THERE, 4);
	n = rct_nic_counter(&h.f, h.nics, RCT_C_COMPLETION_ERROR, 0, from, sizeof(from));
	assert_int_equal(n.v, 7);
	assert_string_equal(from, "hw_counters/req_cqe_error + resp_cqe_error");
	/* half a sum is none */
	h.hw[1].have = RCT_UNREADABLE;
	n = rct_nic_counter(&h.f, h.nics, RCT_C_COMPLETION_ERROR, 0, NULL, 0);
	assert_int_equal(n.have, RCT_UNREADABLE);

	make_host(&h, "rxe", "virtio_net", 1);
	hw(&h, "rcvd_seq_err", RCT_THERE, 30);
	n = rct_nic_counter(&h.f, h.nics, RCT_C_ACK_TIMEOUT, 0, NULL, 0);
	assert_int_equal(n.have, RCT_ABSENT);
	hw(&h, "completer_retry_err", RCT_THERE, 32);
	n = rct_nic_counter(&h.f, h.nics, RCT_C_ACK_TIMEOUT, 0, from, sizeof(from));
	assert_int_equal(n.v, 2);
	assert_string_equal(from, "hw_counters/completer_retry_err - rcvd_seq_err");
	h.hw[0].value = 40;
	n = rct_nic_counter(&h.f, h.nics, RCT_C_ACK_TIMEOUT, 0, NULL, 0);
	assert_int_equal(n.v, 0);
	n = rct_nic_counter(&h.f, h.nics, RCT_C_SEQ_NAK_RECEIVED, 0, NULL, 0);
	assert_int_equal(n.v, 40);
}

static void priorities(void **state)
{
	struct rct_num n;
	struct host h;

	(void)state;
	make_host(&h, "mlx5", "mlx5_core", 1);
	eth(&h, 0, "rx_prio3_pause", 5);
	n = rct_nic_counter(&h.f, h.nics, RCT_C_PFC_RX_FRAMES, 3, NULL, 0);
	assert_int_equal(n.v, 5);
	/* without PFC there mlx5 has no such counter: not 0 */
	n = rct_nic_counter(&h.f, h.nics, RCT_C_PFC_RX_FRAMES, 4, NULL, 0);
	assert_int_equal(n.have, RCT_ABSENT);
}

/* ------------------------------------------------------------------ deltas */

static struct rct_delta grew(const char *name, enum rct_canonical c, u64 from, u64 to)
{
	struct host a, b;

	make_host(&a, "mlx5", "mlx5_core", 100);
	make_host(&b, "mlx5", "mlx5_core", 110);
	hw(&a, name, RCT_THERE, from);
	hw(&b, name, RCT_THERE, to);
	return rct_nic_delta(&a.f, &b.f, b.nics, c, 0);
}

static void growth(void **state)
{
	struct rct_delta d = grew("out_of_sequence", RCT_C_OUT_OF_SEQUENCE, 100, 150);

	(void)state;
	assert_int_equal(d.have, RCT_THERE);
	assert_int_equal(d.delta, 50);
	assert_true(d.per_second > 4.99 && d.per_second < 5.01);
	assert_string_equal(d.from, "hw_counters/out_of_sequence");
	assert_false(d.reset);
	d = grew("out_of_sequence", RCT_C_OUT_OF_SEQUENCE, 7, 7);
	assert_int_equal(d.have, RCT_THERE);
	assert_int_equal(d.delta, 0);
}

static void wrap_and_reset(void **state)
{
	struct rct_delta d;

	(void)state;
	d = grew("out_of_sequence", RCT_C_OUT_OF_SEQUENCE, UINT32_MAX - 9, 10);
	assert_int_equal(d.have, RCT_THERE);
	assert_int_equal(d.delta, 20);
	d = grew("out_of_sequence", RCT_C_OUT_OF_SEQUENCE, 3000000000, 400000000);
	assert_int_equal(d.have, RCT_THERE);
	assert_int_equal(d.delta, 1694967296);
	/* less than half of its range back: that is a new beginning */
	d = grew("out_of_sequence", RCT_C_OUT_OF_SEQUENCE, 1000000, 12);
	assert_true(d.reset);
	assert_int_equal(d.have, RCT_UNREADABLE);
	assert_int_equal(d.delta, 12);
	/* 64 bits never wrap */
	d = grew("np_cnp_sent", RCT_C_CNP_SENT, UINT32_MAX, 5);
	assert_true(d.reset);
	assert_int_equal(d.delta, 5);
	/* a vendor's kernel may show more bits than we know of */
	d = grew("out_of_sequence", RCT_C_OUT_OF_SEQUENCE, 1ULL << 40, 5);
	assert_true(d.reset);
}

static void nothing_to_compare(void **state)
{
	struct host a, b;
	struct rct_delta d;

	(void)state;
	make_host(&a, "mlx5", "mlx5_core", 100);
	make_host(&b, "mlx5", "mlx5_core", -1);
	hw(&b, "out_of_sequence", RCT_THERE, 4);
	d = rct_nic_delta(NULL, &b.f, b.nics, RCT_C_OUT_OF_SEQUENCE, 0);
	assert_int_equal(d.have, RCT_ABSENT);
	d = rct_nic_delta(&a.f, &b.f, b.nics, RCT_C_OUT_OF_SEQUENCE, 0);
	assert_int_equal(d.have, RCT_ABSENT);
	hw(&a, "out_of_sequence", RCT_UNREADABLE, 0);
	d = rct_nic_delta(&a.f, &b.f, b.nics, RCT_C_OUT_OF_SEQUENCE, 0);
	assert_int_equal(d.have, RCT_UNREADABLE);
	assert_int_equal(d.delta, 0);
	a.hw[0].have = RCT_THERE;
	d = rct_nic_delta(&a.f, &b.f, b.nics, RCT_C_OUT_OF_SEQUENCE, 0);
	assert_int_equal(d.have, RCT_THERE);
	assert_int_equal(d.delta, 4);
	assert_true(d.per_second == 0);
	/* the device has another name since */
	strcpy(a.nics[0].dev, "other");
	d = rct_nic_delta(&a.f, &b.f, b.nics, RCT_C_OUT_OF_SEQUENCE, 0);
	assert_int_equal(d.have, RCT_ABSENT);
}

static void make_bond(struct host *h)
{
	*h->netifs[0].driver = '\0';
	strcpy(h->netifs[0].members[0], "eth1");
	strcpy(h->netifs[0].members[1], "eth2");
	h->netifs[0].n_members = 2;
}

static void bond(void **state)
{
	struct host a, b;
	struct rct_delta d;
	struct rct_num n;

	(void)state;
	make_host(&a, "mlx5", "mlx5_core", 10);
	make_host(&b, "mlx5", "mlx5_core", 12);
	make_bond(&a);
	make_bond(&b);
	eth(&a, 1, "tx_bytes_phy", 10);
	eth(&b, 1, "tx_bytes_phy", 110);
	eth(&a, 2, "tx_bytes_phy", 20);
	n = rct_nic_counter(&b.f, b.nics, RCT_C_PORT_TX_BYTES, 0, NULL, 0);
	/* one member's is not the bond's */
	assert_int_equal(n.have, RCT_ABSENT);
	eth(&b, 2, "tx_bytes_phy", 30);
	n = rct_nic_counter(&b.f, b.nics, RCT_C_PORT_TX_BYTES, 0, NULL, 0);
	assert_int_equal(n.v, 140);
	d = rct_nic_delta(&a.f, &b.f, b.nics, RCT_C_PORT_TX_BYTES, 0);
	assert_int_equal(d.have, RCT_THERE);
	assert_int_equal(d.delta, 110);
	assert_true(d.per_second > 54.9 && d.per_second < 55.1);
	d = rct_netif_delta(&a.f, &b.f, &b.netifs[1], RCT_C_PORT_TX_BYTES, 0);
	assert_int_equal(d.delta, 100);
}

static void ports_count_once(void **state)
{
	struct host h;

	(void)state;
	make_host(&h, "mlx5", "mlx5_core", 1);
	h.f.n_nics = 3;
	h.nics[1].netif = 1;
	h.nics[2].netif = 2;
	for (u32 i = 0; i < 3; i++) {
		eth(&h, i, "rx_bytes_phy", 0);
		eth(&h, i, "tx_bytes_phy", 0);
	}
	/* idle ports are alike */
	assert_false(rct_nic_repeats_port(&h.f, &h.nics[1]));
	for (u32 i = 0; i < 3; i++) {
		h.eth[i][0].value = i == 1 ? 500 : 400;
		h.eth[i][1].value = 300;
	}
	assert_false(rct_nic_repeats_port(&h.f, &h.nics[0]));
	assert_false(rct_nic_repeats_port(&h.f, &h.nics[1]));
	assert_true(rct_nic_repeats_port(&h.f, &h.nics[2]));
	strcpy(h.netifs[0].port_id, "b8");
	strcpy(h.netifs[1].port_id, "b8");
	assert_true(rct_nic_repeats_port(&h.f, &h.nics[1]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(canonicals),
		cmocka_unit_test(no_row_is_double),
		cmocka_unit_test(every_canonical_has_a_row),
		cmocka_unit_test(rows_are_sound),
		cmocka_unit_test(names_match),
		cmocka_unit_test(vendors_names),
		cmocka_unit_test(absent_unreadable_zero),
		cmocka_unit_test(the_better_of_two),
		cmocka_unit_test(sums),
		cmocka_unit_test(priorities),
		cmocka_unit_test(growth),
		cmocka_unit_test(wrap_and_reset),
		cmocka_unit_test(nothing_to_compare),
		cmocka_unit_test(bond),
		cmocka_unit_test(ports_count_once),
	};

	return cmocka_run_group_tests_name("counter", tests, NULL, NULL);
}
