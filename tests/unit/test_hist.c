// SPDX-License-Identifier: BSD-2-Clause
/* user/model/hist.c: the promised error, at every octave. */
#include "lib/unit.h"
#include "lib/part.h"
#include "model/hist.h"

static struct rct_hist h;

static void check_error(u64 ns)
{
	u64 got, error;

	memset(&h, 0, sizeof(h));
	rct_hist_add(&h, ns);
	rct_hist_add(&h, ns * 4);	/* so that the longest does not help */
	got = rct_hist_quantile(&h, 500);
	error = got > ns ? got - ns : ns - got;
	if (error * 1000 > ns * 32)
		fail_msg("%llu ns are read as %llu", (unsigned long long)ns, (unsigned long long)got);
}

static void test_error(void **state)
{
	u64 seed = 1;

	(void)state;
	for (u64 ns = 0; ns < 5000; ns++)
		check_error(ns);
	for (u32 octave = 12; octave < RCT_HIST_TOP; octave++) {
		check_error(1ull << octave);
		check_error((2ull << octave) - 1);
		for (int i = 0; i < 200; i++)
			check_error((1ull << octave) + rct_test_random(&seed) % (1ull << octave));
	}
}

static int compare(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void check_quantile(const u64 *sorted, u32 n, u32 permille)
{
	u64 want = sorted[(n * permille + 999) / 1000 - 1], got = rct_hist_quantile(&h, permille);

	if (got * 1000 < want * 968 || got * 1000 > want * 1032)
		fail_msg("%u permille are %llu, expected %llu", permille, (unsigned long long)got,
			 (unsigned long long)want);
}

static void test_quantiles(void **state)
{
	static u64 v[1000];
	struct rct_quantiles q;
	u64 seed = 7;

	(void)state;
	memset(&h, 0, sizeof(h));
	for (u32 i = 0; i < 1000; i++) {
		v[i] = 1 + rct_test_random(&seed) % 3000000;
		rct_hist_add(&h, v[i]);
	}
	qsort(v, 1000, sizeof(v[0]), compare);
	for (u32 permille = 1; permille <= 1000; permille++)
		check_quantile(v, 1000, permille);
	q = rct_hist_quantiles(&h);
	assert_int_equal(q.count, 1000);
	assert_int_equal(q.max, v[999]);
	assert_int_equal(q.p50, rct_hist_quantile(&h, 500));
	assert_int_equal(q.p99, rct_hist_quantile(&h, 990));
	assert_int_equal(q.p999, rct_hist_quantile(&h, 999));
}

static void test_ends(void **state)
{
	(void)state;
	memset(&h, 0, sizeof(h));
	assert_int_equal(rct_hist_quantile(&h, 500), 0);
	/* one value: never more than the longest that was seen */
	rct_hist_add(&h, 1000);
	assert_in_range(rct_hist_quantile(&h, 1), 969, 1000);
	assert_int_equal(rct_hist_quantiles(&h).max, 1000);
	/* beyond the last class: the longest */
	memset(&h, 0, sizeof(h));
	rct_hist_add(&h, UINT64_MAX);
	assert_int_equal(rct_hist_quantile(&h, 500), UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_error),
		cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
