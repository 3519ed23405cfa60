// SPDX-License-Identifier: BSD-2-Clause
/* bpf/opcode.h against the specification's tables, typed in a second time. */
#include "lib/unit.h"
#include "lib/opspec.h"
#include "model/snapshot.h"
#include "opcode.h"

/* As listed, so that a row that stands twice can be seen. */
static const struct { u32 opcode; const char *name; } listed[] = {
#define ROW(opcode, name, ext, flags) { opcode, name },
	RCT_OPCODES(ROW)
#undef ROW
};

#define N_LISTED	(sizeof(listed) / sizeof(listed[0]))

static void test_complete(void **state)
{
	(void)state;
	assert_int_equal(N_LISTED, rct_n_opspecs);
	for (size_t i = 0; i < rct_n_opspecs; i++)
		assert_true(rct_opcodes[rct_opspecs[i].op].flags & RCT_OP_KNOWN);
	for (int op = 0; op < 256; op++)
		assert_int_equal(rct_opcodes[op].flags != 0, rct_opspec(op) != NULL);
}

static void test_no_duplicates(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_LISTED; i++) {
		for (size_t j = 0; j < i; j++) {
			assert_int_not_equal(listed[i].opcode, listed[j].opcode);
			assert_string_not_equal(listed[i].name, listed[j].name);
		}
	}
}

static void test_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_LISTED; i++) {
		const struct rct_opspec *s = rct_opspec(listed[i].opcode);
		u32 op = s->op == 0x81 ? RCT_OPN_CNP : s->op & 0x1f;

		assert_string_equal(listed[i].name, s->name);
		assert_string_equal(rct_op_name(s->op >> 5, op), s->name);
	}
	assert_string_equal(rct_op_name(RCT_RC, 0x15), "OTHER");
	assert_string_equal(rct_op_name(RCT_UC, 0x11), "OTHER");
	assert_string_equal(rct_op_name(RCT_UD, RCT_OPN_OTHER), "OTHER");
	assert_string_equal(rct_op_name(RCT_TRANSPORT_NONE, RCT_OPN_CNP), "CNP");
	assert_string_equal(rct_op_name(RCT_TRANSPORT_NONE, 4), "OTHER");
}

static bool has(const struct rct_opspec *s, u8 head)
{
	for (int i = 0; s->heads[i]; i++) {
		if (s->heads[i] == head)
			return true;
	}
	return false;
}

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && !strcmp(name + n - m, end);
}

/* What the packets do, told from the specification's names and headers. */
static void test_flags(void **state)
{
	(void)state;
	for (size_t i = 0; i < rct_n_opspecs; i++) {
		const struct rct_opspec *s = &rct_opspecs[i];
		u32 flags = rct_opcodes[s->op].flags;
		bool response = s->kind == OP_RESPONSE;

		assert_int_equal(rct_opcodes[s->op].ext, rct_opspec_ext(s));
		assert_int_equal(!!(flags & RCT_OP_REQ), s->kind == OP_REQUEST);
		assert_int_equal(!!(flags & RCT_OP_RSP), response);
		assert_int_equal(!!(flags & RCT_OP_MSG), s->message);
		/* the pure acknowledgement alone says ACK or NAK */
		assert_int_equal(!!(flags & RCT_OP_AETH), (s->op & 0x1f) == 0x11);
		assert_int_equal(!!(flags & RCT_OP_SENDEND), strstr(s->name, "_SEND_LAST") != NULL);
		if (response)
			assert_int_equal(!!(flags & RCT_OP_START),
					 ends_with(s->name, "_FIRST") || ends_with(s->name, "_ONLY"));
		else if (s->message)
			assert_true(flags & RCT_OP_START);
		/* the length of the message stands in the packet; flush and atomic write move none */
		if (s->op != 0x1c && s->op != 0x1d)
			assert_int_equal(!!(flags & RCT_OP_RETH), has(s, PART_RETH));
	}
}

/* The operations that stand for none must be none of any transport. */
static void test_stand_ins(void **state)
{
	(void)state;
	for (size_t i = 0; i < rct_n_opspecs; i++) {
		assert_int_not_equal(rct_opspecs[i].op & 0x1f, RCT_OPN_OTHER);
		assert_int_not_equal(rct_opspecs[i].op & 0x1f, RCT_OPN_CNP);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_complete),
		cmocka_unit_test(test_no_duplicates),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_stand_ins),
	};

	return cmocka_run_group_tests_name("opcode", tests, NULL, NULL);
}
