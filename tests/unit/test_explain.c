// SPDX-License-Identifier: BSD-2-Clause
/* user/render/counters.c: every counter can be asked for by each of its names. */
#include "lib/unit.h"

#include <stdio.h>

#include "analyse/analyse.h"
#include "model/counter.h"
#include "render/counters.h"

/* What is said of a name; NULL: nothing is called so. To be freed. */
static char *explain(const char *name)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int rc = rct_counters_explain(out, name);

	fclose(out);
	assert_true(!rc == (size > 0));
	if (!rc)
		return text;
	free(text);
	return NULL;
}

static void says(const char *name, const char *what)
{
	char *text = explain(name);

	if (!text)
		fail_msg("nothing is called %s", name);
	if (!strstr(text, what))
		fail_msg("%s: no '%s' in: %s", name, what, text);
	free(text);
}

static void every_canonical_counter(void **state)
{
	(void)state;
	for (u32 c = 0; c < RCT_CANONICAL_COUNT; c++) {
		const struct rct_canonical_info *i = rct_canonical_at(c);

		says(i->name, i->text);
		says(i->name, i->unit);
	}
}

static void every_vendor_name_leads_to_its_canonical(void **state)
{
	char name[128];

	(void)state;
	for (size_t i = 0; i < rct_counter_maps_n; i++) {
		const struct rct_counter_map *m = &rct_counter_maps[i];

		says(m->name, rct_canonical_at(m->canonical)->text);
		snprintf(name, sizeof(name), "%s/%s", rct_counter_group_name(m->group), m->name);
		says(name, rct_canonical_at(m->canonical)->text);
		says(rct_canonical_at(m->canonical)->name, name);
	}
}

static void notes(void **state)
{
	(void)state;
	says("np_cnp_sent", "hw_counters/np_cnp_sent of mlx5 is cnp_sent.");
	says("rx_prio3_pause", "rx_prio#_pause of mlx5 is pfc_rx_frames.");
	says("pfc_rx_frames", "in frames, for each priority (#)");
	says("roce_rx_bytes", "counters/port_rcv_data   times 4");
	says("out_of_sequence", "hw_counters/out_of_sequence   of 32 bits");
	says("cnp_sent", "hw_counters/cc_tx_cnp_pkts   if none of those above");
	says("completer_retry_err", "is a part of ack_timeout");
	says("netdev_rx_bytes", "  all       statistics/rx_bytes\n");
	/* the same name is several things */
	says("rx_bytes", "statistics/rx_bytes of every interface is netdev_rx_bytes.");
	says("rx_bytes", "hw_counters/rx_bytes of mana is roce_rx_bytes.");
	says("rx_bytes", "ethtool/rx_bytes of bnxt_en is port_rx_bytes.");
}

static void the_better_stands_above(void **state)
{
	char *text = explain("link_down");

	(void)state;
	assert_non_null(text);
	/* the table has them the other way round */
	assert_true(strstr(text, "ethtool/link_down_events_phy") < strstr(text, "counters/link_downed"));
	free(text);
}

static void what_is_none(void **state)
{
	static const char *const names[] = {
		"", "/", "#", "nonsense", "counters/np_cnp_sent", "hw_counters/", "rx_prio8_pause", "rx_prio33_pause",
		"rx_prio_pause", "np_cnp_sent ", "%n%s", "a/b/c",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_null(explain(names[i]));
}

static void no_name_hides_another(void **state)
{
	const struct rct_explanation *e;

	(void)state;
	for (u32 c = 0; c < RCT_CANONICAL_COUNT; c++) {
		const char *name = rct_canonical_at(c)->name;

		for (size_t i = 0; (e = rct_explanation_at(i)); i++)
			assert_string_not_equal(e->id, name);
		/* a driver's counter of that name has to be that counter */
		for (size_t i = 0; i < rct_counter_maps_n; i++) {
			if (!strcmp(rct_counter_maps[i].name, name) && rct_counter_maps[i].canonical != c)
				fail_msg("%s of %s is another counter", name, rct_counter_maps[i].drivers);
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_canonical_counter),
		cmocka_unit_test(every_vendor_name_leads_to_its_canonical),
		cmocka_unit_test(notes),
		cmocka_unit_test(the_better_stands_above),
		cmocka_unit_test(what_is_none),
		cmocka_unit_test(no_name_hides_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
