// SPDX-License-Identifier: BSD-2-Clause
/* user/model/cm.c */
#include "lib/unit.h"
#include "lib/trace.h"
#include "model/cm.h"

static u8 mad[256];

static void test_req(void **state)
{
	struct rct_cm cm;

	(void)state;
	rct_build_cm(mad, false, 0x01020304, 0, 0xabcdef, 3, 17);
	cm = rct_cm_parse(mad, sizeof(mad));
	assert_int_equal(cm.kind, RCT_CM_REQ);
	assert_int_equal(cm.local_id, 0x01020304);
	assert_int_equal(cm.qpn, 0xabcdef);
	assert_int_equal(cm.mtu_shift, 10);
	assert_int_equal(cm.timeout, 17);
}

static void test_path_mtu(void **state)
{
	static const u8 shifts[16] = { [1] = 8, [2] = 9, [3] = 10, [4] = 11, [5] = 12 };

	(void)state;
	for (u8 code = 0; code < 16; code++) {
		rct_build_cm(mad, false, 1, 0, 2, code, 0);
		assert_int_equal(rct_cm_parse(mad, sizeof(mad)).mtu_shift, shifts[code]);
	}
}

static void test_rep(void **state)
{
	struct rct_cm cm;

	(void)state;
	rct_build_cm(mad, true, 0x0a0b0c0d, 0x01020304, 0x123456, 0, 0);
	cm = rct_cm_parse(mad, sizeof(mad));
	assert_int_equal(cm.kind, RCT_CM_REP);
	assert_int_equal(cm.local_id, 0x0a0b0c0d);
	assert_int_equal(cm.remote_id, 0x01020304);
	assert_int_equal(cm.qpn, 0x123456);
}

static void test_others(void **state)
{
	(void)state;
	rct_build_cm(mad, false, 1, 0, 2, 3, 4);
	mad[1] = 0x04;		/* performance management */
	assert_int_equal(rct_cm_parse(mad, sizeof(mad)).kind, RCT_CM_OTHER);
	mad[1] = 0x07;
	mad[17] = 0x14;		/* RTU */
	assert_int_equal(rct_cm_parse(mad, sizeof(mad)).kind, RCT_CM_OTHER);
}

/* Cut messages, each in memory that ends with it: nothing is read beyond. */
static void test_cut(void **state)
{
	(void)state;
	for (int rep = 0; rep < 2; rep++) {
		rct_build_cm(mad, rep, 1, 0, 2, 3, 4);
		for (size_t len = 0; len < sizeof(mad); len++) {
			u8 *copy = malloc(len ? len : 1);
			struct rct_cm cm;

			assert_non_null(copy);
			memcpy(copy, mad, len);
			cm = rct_cm_parse(copy, len);
			assert_int_equal(cm.kind != RCT_CM_OTHER, len >= (rep ? 24 + 24 : 24 + 96));
			free(copy);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_req),
		cmocka_unit_test(test_path_mtu),
		cmocka_unit_test(test_rep),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
