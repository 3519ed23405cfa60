// SPDX-License-Identifier: BSD-2-Clause
/* bpf/wire.h: the case table, and that no byte beyond the end is read. */
#include "lib/cases.h"
#include "lib/opspec.h"
#include "lib/unit.h"

static u8 built[RCT_CASE_MAX];

/* Parses a copy that ends where the data ends, so that a sanitizer sees one byte too much. */
static int parse_exactly(const struct rct_frame *f, struct rct_pkt *p, struct rct_pause *pause)
{
	size_t len = f->end - f->data;
	u8 *copy = malloc(len ? len : 1);
	struct rct_frame g = *f;
	int verdict;

	assert_non_null(copy);
	memcpy(copy, f->data, len);
	g.data = copy;
	g.end = copy + len;
	verdict = rct_parse(&g, p);
	if (verdict == RCT_PAUSE)
		verdict = rct_parse_pause(&g, pause);
	free(copy);
	return verdict;
}

static void check_case(const struct rct_case *c)
{
	struct rct_pause pause = { 0 };
	struct rct_frame f;
	struct rct_pkt p;
	u64 got, want;
	const char *field;
	int verdict;

	rct_case_frame(c, built, sizeof(built), &f);
	memset(&p, 0xa5, sizeof(p));
	verdict = parse_exactly(&f, &p, &pause);
	if (verdict != c->verdict)
		fail_msg("%s: verdict %d, expected %d", c->name, verdict, c->verdict);
	if (verdict == RCT_OK) {
		field = rct_case_differs(c, &p, &got, &want);
		if (field)
			fail_msg("%s: %s is 0x%llx, expected 0x%llx", c->name, field,
				 (unsigned long long)got, (unsigned long long)want);
		assert_int_equal(p.wire_len, f.wire_len);
	}
	if (verdict == RCT_PAUSE) {
		assert_int_equal(pause.pfc, c->pause.pfc);
		assert_int_equal(pause.classes, c->pause.classes);
		assert_memory_equal(pause.quanta, c->pause.quanta, sizeof(pause.quanta));
	}
}

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < rct_n_cases; i++)
		check_case(&rct_cases[i]);
}

/* Each verdict that the parser itself gives has a case. */
static void test_every_verdict(void **state)
{
	bool seen[RCT_VERDICT_COUNT] = { [RCT_MERGED] = true, [RCT_NOT_READ] = true };

	(void)state;
	for (size_t i = 0; i < rct_n_cases; i++)
		seen[rct_cases[i].verdict] = true;
	for (int i = 0; i < RCT_VERDICT_COUNT; i++) {
		if (!seen[i])
			fail_msg("no case has verdict %d", i);
	}
}

static void test_case_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < rct_n_cases; i++) {
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(rct_cases[i].name, rct_cases[j].name);
	}
}

/*
 * Every prefix of every frame: no read beyond it, and the verdict is the whole
 * frame's or one of an end that came too early. What is said of a prefix that
 * still holds the packet's headers is what is said of the frame.
 */
static void check_prefix(const struct rct_case *c, const struct rct_frame *f, u32 len, u32 *headers)
{
	struct rct_frame g = *f;
	struct rct_pause pause;
	struct rct_pkt p;
	u64 got, want;
	int verdict;

	g.end = g.data + len;
	verdict = parse_exactly(&g, &p, &pause);
	if (verdict == RCT_OK && !p.cut && !*headers)
		*headers = len;
	if (*headers) {
		if (verdict != RCT_OK || rct_case_differs(c, &p, &got, &want))
			fail_msg("%s: its first %u bytes are not what its first %u are", c->name, len, *headers);
		return;
	}
	if (verdict == RCT_OK)
		assert_int_equal(c->verdict, RCT_OK);
	else if (verdict != RCT_OTHER && verdict != RCT_SHORT && verdict != c->verdict)
		fail_msg("%s: its first %u bytes have verdict %d", c->name, len, verdict);
}

static void test_prefixes(void **state)
{
	(void)state;
	for (size_t i = 0; i < rct_n_cases; i++) {
		const struct rct_case *c = &rct_cases[i];
		struct rct_frame f;
		u32 headers = 0, len;

		if (c->cut)
			continue;
		rct_case_frame(c, built, sizeof(built), &f);
		len = f.wire_len < 700 ? f.wire_len : 700;
		for (u32 n = 0; n <= len; n++)
			check_prefix(c, &f, n, &headers);
		if (c->verdict == RCT_OK)
			assert_true(headers > 0 && headers <= f.wire_len);
	}
}

/* All 256 opcodes, against the specification typed in a second time. */
static void test_opcodes(void **state)
{
	(void)state;
	for (int op = 0; op < 256; op++) {
		const struct rct_opspec *s = rct_opspec(op);
		struct rct_brief b = { .op = op, .len = 40, .dma = 5000, .syn = 0x7f };
		u32 len = rct_build_brief(&b, built, sizeof(built));
		struct rct_frame f = { built, built + len, len, 0, RCT_NOVLAN, 1, RCT_RX };
		struct rct_pkt p;

		assert_int_equal(rct_parse(&f, &p), RCT_OK);
		assert_int_equal(p.opcode, op);
		assert_int_equal(p.payload, 40);
		assert_int_equal(p.ext, s ? rct_opspec_ext(s) : 0);
		assert_int_equal(p.transport, op >> 5);
		assert_int_equal(p.op, !s ? RCT_OPN_OTHER : op == 0x81 ? RCT_OPN_CNP : op & 0x1f);
	}
}

/* Where a packet ends, whatever is in front of it and behind. */
static void test_packet_end(void **state)
{
	struct rct_frame f = { .data = built, .vlan = RCT_NOVLAN };
	struct rct_pkt p = { 0 };

	(void)state;
	f.wire_len = rct_build(PARTS(ETH(), TAG(), IP6(), UDP(), BTH(.op = 0x0a, .pad = 1), RETH(), DATA(7), PADDING(1),
				     ICRC(), TRAIL(30)), built, sizeof(built));
	f.end = built + f.wire_len;
	assert_int_equal(rct_parse(&f, &p), RCT_OK);
	assert_int_equal(rct_pkt_end(&p), f.wire_len - 30);
}

/* Random bytes behind a RoCE packet's headers: any length, no read beyond the end. */
static void test_random_bytes(void **state)
{
	u64 seed = 1;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		const struct rct_case *c = &rct_cases[rct_test_random(&seed) % rct_n_cases];
		u32 n = 1 + rct_test_random(&seed) % 4;
		struct rct_pause pause;
		struct rct_frame f;
		struct rct_pkt p;

		rct_case_frame(c, built, sizeof(built), &f);
		if (f.end - f.data > 1500)
			f.end = f.data + 1500;
		while (n--)
			built[rct_test_random(&seed) % (f.end - f.data)] = rct_test_random(&seed);
		f.end -= rct_test_random(&seed) % (f.end - f.data);
		assert_in_range(parse_exactly(&f, &p, &pause), 0, RCT_DEEP);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_every_verdict),
		cmocka_unit_test(test_case_names),
		cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_opcodes),
		cmocka_unit_test(test_packet_end),
		cmocka_unit_test(test_random_bytes),
	};

	return cmocka_run_group_tests_name("wire", tests, NULL, NULL);
}
