// SPDX-License-Identifier: BSD-2-Clause
/* user/capture/icrc.c, against the bit-by-bit CRC of lib/part.c. */
#include "lib/unit.h"
#include "lib/part.h"
#include "capture/icrc.h"

static u8 buf[2048];

static enum rct_icrc check(u32 len, u16 ethertype)
{
	struct rct_frame f = { .data = buf, .end = buf + len, .wire_len = len, .ethertype = ethertype,
			       .vlan = RCT_NOVLAN };
	struct rct_pkt p;

	/* a changed byte may make it no RoCE packet at all: then there is nothing to verify */
	return rct_parse(&f, &p) == RCT_OK ? rct_icrc_check(&f, &p) : RCT_ICRC_UNKNOWN;
}

struct row {
	const char *name;
	const struct rct_part *parts;
	u32 start;		/* of the packet that the ICRC is of: before it nothing matters */
	u32 free[16];		/* bytes behind start that may change on the way, 0-terminated */
};

static const struct row rows[] = {
	{ "IPv4", PARTS(ETH(), IP4(), UDP(), BTH(.op = 4), DATA(64), ICRC()), 14, { 1, 8, 10, 11, 26, 27, 32 } },
	{ "IPv4 with options", PARTS(ETH(), IP4(.words = 3), UDP(), BTH(.op = 4), DATA(64), ICRC()), 14,
	  { 1, 8, 10, 11, 38, 39, 44 } },
	{ "IPv6", PARTS(ETH(), IP6(), UDP(), BTH(.op = 4), DATA(64), ICRC()), 14, { 1, 2, 3, 7, 46, 47, 52 } },
	{ "a tag", PARTS(ETH(), TAG(.tci = 5), IP4(), UDP(), BTH(.op = 17), AETH(), ICRC()), 18,
	  { 1, 8, 10, 11, 26, 27, 32 } },
	{ "VXLAN", PARTS(ETH(), IP4(), UDP(.dport = 4789), VXLAN(.id = 7), ETH(), IP4(), UDP(), BTH(.op = 4), DATA(64), ICRC()), 64,
	  { 1, 8, 10, 11, 26, 27, 32 } },
	{ "RoCE v1", PARTS(ETH(), GRH(), BTH(.op = 4), DATA(64), ICRC()), 14, { 1, 2, 3, 7, 44 } },
	{ "padding", PARTS(ETH(), IP4(), UDP(), BTH(.op = 4, .pad = 3), DATA(61), PADDING(3), ICRC()), 14,
	  { 1, 8, 10, 11, 26, 27, 32 } },
	{ "no payload", PARTS(ETH(), IP4(), UDP(), BTH(.op = 0x11), AETH(), ICRC()), 14,
	  { 1, 8, 10, 11, 26, 27, 32 } },
};

static bool may_change(const struct row *r, u32 at)
{
	for (u32 i = 0; r->free[i]; i++) {
		if (r->free[i] == at)
			return true;
	}
	return false;
}

/* Every byte of the packet is covered, but those that routers may write. */
static void check_row(const struct row *r)
{
	u32 len = rct_build(r->parts, buf, sizeof(buf));
	enum rct_icrc got;

	if (check(len, 0) != RCT_ICRC_GOOD)
		fail_msg("%s: a good ICRC is not", r->name);
	for (u32 i = r->start; i < len; i++) {
		buf[i] ^= 0x10;
		got = check(len, 0);
		buf[i] ^= 0x10;
		if (may_change(r, i - r->start) ? got != RCT_ICRC_GOOD : got == RCT_ICRC_GOOD)
			fail_msg("%s: byte %u of the packet changed, and the ICRC is %s", r->name, i - r->start,
				 got == RCT_ICRC_GOOD ? "good" : "not");
	}
	if (check(len - 1, 0) != RCT_ICRC_UNKNOWN)
		fail_msg("%s: verified although the last byte is not there", r->name);
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(&rows[i]);
}

static void test_bad(void **state)
{
	u32 len = rct_build(PARTS(ETH(), IP4(), UDP(), BTH(.op = 4), DATA(64), ICRC()), buf, sizeof(buf));

	(void)state;
	buf[len - 10] ^= 0x40;
	assert_int_equal(check(len, 0), RCT_ICRC_BAD);
	buf[len - 10] ^= 0x40;
	buf[len - 1] ^= 0x40;
	assert_int_equal(check(len, 0), RCT_ICRC_BAD);
}

/* Ethernet padding behind the packet is no part of it. */
static void test_trailer(void **state)
{
	u32 len = rct_build(PARTS(ETH(), IP4(), UDP(), BTH(.op = 0x81), DATA(16), ICRC(), TRAIL(9)), buf,
			    sizeof(buf));

	(void)state;
	assert_int_equal(check(len, 0), RCT_ICRC_GOOD);
}

/* The frame starts with its network header, as in a cooked capture. */
static void test_no_link_header(void **state)
{
	u32 len = rct_build(PARTS(IP4(), UDP(), BTH(.op = 4), DATA(64), ICRC()), buf, sizeof(buf));

	(void)state;
	assert_int_equal(check(len, 0x0800), RCT_ICRC_GOOD);
	len = rct_build(PARTS(GRH(), BTH(.op = 4), DATA(64), ICRC()), buf, sizeof(buf));
	assert_int_equal(check(len, RCT_ETH_ROCE1), RCT_ICRC_GOOD);
}

/* Behind extension headers the CRC is not defined. */
static void test_extension(void **state)
{
	u32 len = rct_build(PARTS(ETH(), IP6(), EXT(.proto = 60), UDP(), BTH(.op = 4), DATA(64), ICRC()), buf,
			    sizeof(buf));

	(void)state;
	assert_int_equal(check(len, 0), RCT_ICRC_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_trailer),
		cmocka_unit_test(test_no_link_header),
		cmocka_unit_test(test_extension),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
