// SPDX-License-Identifier: BSD-2-Clause
/* user/render, user/base/units.c: numbers, escapes, and a text report that fits. */
#include "lib/unit.h"

#include <errno.h>
#include <stdio.h>

#include "analyse/analyse.h"
#include "base/units.h"
#include "base/util.h"
#include "render/escape.h"
#include "render/render.h"

/* ---- units */

static void test_counts(void **state)
{
	static const struct { uint64_t n; const char *text; } rows[] = {
		{ 0, "0" }, { 999, "999" }, { 1000, "1,000" }, { 65536, "65,536" }, { 999999, "999,999" },
		{ 1000000, "1.00 M" }, { 1234567, "1.23 M" }, { 99960000, "100 M" }, { 999499999, "999 M" },
		{ 999999999, "1.00 G" }, { 12345678901, "12.3 G" }, { UINT64_MAX - 1, "18.4 E" },
	};
	char buf[RCT_UNIT_TEXT];

	(void)state;
	for (size_t i = 0; i < RCT_ARRAY_SIZE(rows); i++)
		assert_string_equal(rct_count_text(rows[i].n, buf), rows[i].text);
}

static void test_sizes(void **state)
{
	char buf[RCT_UNIT_TEXT];

	(void)state;
	assert_string_equal(rct_bytes_text(0, buf), "0 B");
	assert_string_equal(rct_bytes_text(812, buf), "812 B");
	assert_string_equal(rct_bytes_text(30086938, buf), "30.1 MB");
	assert_string_equal(rct_rate_text(0, 1, buf), "0 b/s");
	assert_string_equal(rct_rate_text(5150000000, 1, buf), "41.2 Gb/s");
	assert_string_equal(rct_rate_text(1, 0, buf), "n/a");
	assert_string_equal(rct_time_text(820, buf), "820 ns");
	assert_string_equal(rct_time_text(67100000, buf), "67.1 ms");
	assert_string_equal(rct_time_text(4300000000, buf), "4.30 s");
}

static void test_shares(void **state)
{
	char buf[RCT_UNIT_TEXT];

	(void)state;
	assert_string_equal(rct_share_text(1, 0, buf), "n/a");
	assert_string_equal(rct_share_text(0, 5, buf), "0 %");
	assert_string_equal(rct_share_text(7, 1000000, buf), "7.0 per million");
	assert_string_equal(rct_share_text(1, 400, buf), "0.25 %");
	assert_string_equal(rct_share_text(1740, 4940, buf), "35 %");
	assert_string_equal(rct_share_text(5, 5, buf), "100 %");
}

/* ---- escapes */

static void test_escape(void **state)
{
	static const struct { const char *in, *out; } rows[] = {
		{ "eth0", "eth0" },
		{ "na\xc3\xafve \xe2\x82\xac", "na\xc3\xafve \xe2\x82\xac" },
		{ "\033[2J", "\\x1b[2J" },
		{ "a\nb\r\tc\x7f", "a\\x0ab\\x0d\\x09c\\x7f" },
		{ "\xc2\x9b" "31m", "\\xc2\\x9b31m" },		/* C1: CSI in one character */
		{ "\xe2\x80\xae" "abc", "\\xe2\\x80\\xaeabc" },	/* turns the writing direction */
		{ "\xff\xfe", "\\xff\\xfe" },
		{ "\xc0\xaf", "\\xc0\\xaf" },			/* too long a form of / */
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },		/* a surrogate */
		{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" },	/* beyond Unicode */
		{ "x\xe2\x82", "x\\xe2\\x82" },			/* cut */
	};
	char buf[64];

	(void)state;
	for (size_t i = 0; i < RCT_ARRAY_SIZE(rows); i++)
		assert_string_equal(rct_escape(rows[i].in, 0, buf, sizeof(buf)), rows[i].out);
	assert_string_equal(rct_escape("a\nb\xff", 1, buf, sizeof(buf)), "a\nb\\xff");
	/* never a half character, never beyond the end */
	assert_string_equal(rct_escape("ab\xe2\x82\xac", 0, buf, 5), "ab");
	assert_string_equal(rct_escape("ab\033", 0, buf, 6), "ab");
}

/* ---- the report */

struct report {
	struct rct_snapshot s;
	struct rct_findings f;
	struct rct_view view;
	char *text;
	size_t size;
};

static struct rct_flow *add_flow(struct report *r, u32 a, u32 b, u32 qp, u8 dir)
{
	struct rct_flow *f = rct_snapshot_add_flow(&r->s);

	assert_non_null(f);
	f->key.src[1] = 0xffff0000ULL | (u64)a << 56 | 0xaULL << 32;
	f->key.dst[1] = 0xffff0000ULL | (u64)b << 56 | 0xaULL << 32;
	f->key.family = RCT_IPV4;
	f->key.dest_qp = qp;
	f->key.dir = dir;
	f->packets = f->ops[6] = 1000;
	f->bytes = 4000000;
	f->unseen = RCT_UNKNOWN;
	for (int i = 0; i < RCT_RETRY_CAUSES; i++)
		f->retries[i] = f->stall_ns[i] = RCT_UNKNOWN;
	return f;
}

static void add_coverage(struct report *r, const char *object, enum rct_cov_state state, const char *why)
{
	struct rct_coverage *c = rct_snapshot_add_coverage(&r->s);

	c->source = "packets";
	snprintf(c->object, sizeof(c->object), "%s", object);
	snprintf(c->method, sizeof(c->method), "tcx");
	snprintf(c->why, sizeof(c->why), "%s", why);
	c->state = state;
}

static void start(struct report *r, const char *ifname)
{
	struct rct_iface *i;

	memset(r, 0, sizeof(*r));
	r->s.command = "run";
	r->s.live = true;
	r->s.start_ns = 1700000000000000000;
	r->s.end_ns = r->s.start_ns + 10000000000;
	strcpy(r->s.host, "host-a");
	r->view = (struct rct_view){ .width = 100, .top = 20 };
	i = rct_snapshot_add_iface(&r->s);
	snprintf(i->name, sizeof(i->name), "%s", ifname);
	add_coverage(r, ifname, RCT_COV_OK, "");
}

static const char *render(struct report *r)
{
	FILE *out;

	free(r->text);
	rct_findings_free(&r->f);
	rct_snapshot_sum(&r->s);
	r->s.totals.packets = r->s.totals.roce;
	assert_int_equal(rct_analyse(&r->s, &r->f), 0);
	out = open_memstream(&r->text, &r->size);
	assert_int_equal(rct_render_text(out, &r->s, &r->f, &r->view), 0);
	fclose(out);
	return r->text;
}

static void finish(struct report *r)
{
	free(r->text);
	rct_findings_free(&r->f);
	rct_snapshot_free(&r->s);
}

static size_t longest_line(const char *text)
{
	size_t most = 0, n;

	for (; *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		most = n > most ? n : most;
	}
	return most;
}

static void lossy(struct report *r)
{
	struct rct_flow *f;

	start(r, "eth0");
	f = add_flow(r, 1, 2, 17, RCT_TX);
	f->repeated = 300;
	f->steps_back = 12;
	f = add_flow(r, 2, 1, 18, RCT_RX);
	f->naks[0] = 12;
	f->ops[6] = 0;
	f->ops[0x11] = 1000;
	f->acks = 988;
}

static void test_first_screen(void **state)
{
	struct report r;
	const char *text;

	(void)state;
	lossy(&r);
	text = render(&r);
	assert_true(strstr(text, "rocetrace run  host-a  10.0 s to 22:13:30Z  2 flows") == text);
	assert_non_null(strstr(text, "\nCRITICAL loss.sent  eth0  10.0.0.1 -> 10.0.0.2"));
	assert_non_null(strstr(text, "300 of 1,000 packets (30 %)"));
	assert_non_null(strstr(text, "12, one for each loss"));
	assert_non_null(strstr(text, "\nNEXT 1 on 10.0.0.2: rocetrace run --host 10.0.0.1"));
	assert_non_null(strstr(text, "\nSEEN     packets of eth0 (tcx)"));
	assert_non_null(strstr(text, "\nCOST "));
	/* the verdict, not the table, is the first screen */
	assert_true(strstr(text, "IFACE DIR SOURCE") > strstr(text, "\nCOST "));
	assert_null(strstr(text, "\033"));
	finish(&r);
}

static void test_fits(void **state)
{
	static const int widths[] = { 80, 100, 160 };
	struct report r;

	(void)state;
	lossy(&r);
	for (size_t i = 0; i < RCT_ARRAY_SIZE(widths); i++) {
		r.view.width = widths[i];
		assert_true(longest_line(render(&r)) <= (size_t)widths[i]);
		/* what is wrong is in every width */
		assert_non_null(strstr(r.text, "REPEATED"));
		assert_non_null(strstr(r.text, "TO-QP"));
	}
	r.view.width = 80;
	assert_non_null(strstr(render(&r), "\ntoo narrow for: "));
	r.view.verbose = 1;
	assert_null(strstr(render(&r), "\ntoo narrow for: "));
	assert_non_null(strstr(r.text, " SPORT"));
	finish(&r);
}

/* What is not known is n/a, what is 0 in all flows is said to be, and never the other way round. */
static void test_unknown(void **state)
{
	struct report r;
	const char *text;

	(void)state;
	lossy(&r);
	text = render(&r);
	assert_non_null(strstr(text, "\n0 in each: GAPS LATE MISSING RNR CNP CE"));
	assert_non_null(strstr(text, "\nn/a: UNSEEN TIMEOUT BAD-ICRC"));
	r.s.flows[0].retries[RCT_RETRY_TIMEOUT] = 0;
	text = render(&r);
	assert_non_null(strstr(text, "0 in each: GAPS LATE MISSING RNR TIMEOUT CNP CE"));
	r.s.flows[0].retries[RCT_RETRY_TIMEOUT] = 3;
	text = render(&r);
	assert_non_null(strstr(strstr(text, "TO-QP"), "TIMEOUT"));
	assert_non_null(strstr(strstr(text, "TO-QP"), "n/a"));
	finish(&r);
}

static void test_top(void **state)
{
	struct report r;

	(void)state;
	start(&r, "eth0");
	for (u32 i = 0; i < 30; i++)
		add_flow(&r, 1, 2, 100 + i, RCT_TX)->bytes = 1000000 + i;
	r.s.flows[7].cnp = 1;
	r.view.sort = RCT_SORT_BYTES;
	r.view.top = 5;
	assert_non_null(strstr(render(&r), "\n5 of 30 flows; --top 0 lists all\n"));
	assert_non_null(strstr(r.text, " 129 "));
	assert_null(strstr(r.text, " 124 "));
	r.view.sort = RCT_SORT_CNP;
	r.view.top = 1;
	assert_non_null(strstr(render(&r), " 107 "));
	/* a 0 in the flows that are listed is no 0 in each */
	r.s.flows[3].naks[0] = 5;
	r.view.sort = RCT_SORT_BYTES;
	render(&r);
	assert_null(strstr(strstr(r.text, "0 in each:"), "NAK"));
	r.view.top = 0;
	render(&r);
	assert_null(strstr(r.text, "--top 0"));
	finish(&r);
}

static void test_injection(void **state)
{
	struct report r;
	const char *text;

	(void)state;
	start(&r, "e\033[2J\n\xff");
	add_flow(&r, 1, 2, 17, RCT_TX)->naks[2] = 1;
	add_coverage(&r, "b\033]0;x\007", RCT_COV_NONE, "why\033[31m\nCRITICAL fake");
	text = render(&r);
	assert_null(strchr(text, '\033'));
	assert_null(strchr(text, '\007'));
	assert_null(strchr(text, '\xff'));
	assert_null(strstr(text, "\nCRITICAL fake"));
	assert_non_null(strstr(text, "e\\x1b[2J"));
	/* of a terminal only our own colours */
	r.view.color = true;
	text = render(&r);
	for (const char *p = text; (p = strchr(p, '\033')); p++)
		assert_true(p[1] == '[' && p[2 + strspn(p + 2, "0123456789;")] == 'm');
	finish(&r);
}

static void test_quiet(void **state)
{
	struct report r;

	(void)state;
	lossy(&r);
	r.view.verbose = -1;
	assert_true(strstr(render(&r), "CRITICAL loss.sent") == r.text);
	assert_null(strstr(r.text, "NOTICE"));
	assert_null(strstr(r.text, "ecn"));
	assert_null(strstr(r.text, "TO-QP"));
	r.s.flows[0].repeated = 0;
	r.s.flows[1].naks[0] = 0;
	r.s.flows[0].path_mtu = 1024;	/* a notice, with something to type */
	assert_string_equal(render(&r), "");
	finish(&r);
}

static void test_failed_output(void **state)
{
	struct report r;
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	if (!full)
		rct_skip("there is no /dev/full here");
	lossy(&r);
	render(&r);
	assert_int_equal(rct_render_text(full, &r.s, &r.f, &r.view), -EIO);
	clearerr(full);
	assert_int_equal(rct_render_json(full, &r.s, &r.f, true), -EIO);
	fclose(full);
	finish(&r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts), cmocka_unit_test(test_sizes), cmocka_unit_test(test_shares),
		cmocka_unit_test(test_escape), cmocka_unit_test(test_first_screen), cmocka_unit_test(test_fits),
		cmocka_unit_test(test_unknown), cmocka_unit_test(test_top), cmocka_unit_test(test_injection),
		cmocka_unit_test(test_quiet), cmocka_unit_test(test_failed_output),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
