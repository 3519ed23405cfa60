// SPDX-License-Identifier: BSD-2-Clause
/*
 * What this host allows: the answers must hold together on any host, with and
 * without privileges. Where they are right is tests/bpf/attach.c's matter.
 */
#include "lib/unit.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "base/caps.h"
#include "collect/features.h"
#include "capture/others.h"
#include "capture/probe.h"

#define MOST	512

struct seen {
	struct rct_feature f[MOST];
	u32 n;
};

static void take(const struct rct_feature *f, void *arg)
{
	struct seen *s = arg;

	assert_true(s->n < MOST);
	s->f[s->n++] = *f;
}

static struct seen *look(void)
{
	struct seen *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	libbpf_set_print(NULL);
	rct_features(take, s);
	return s;
}

static const struct rct_feature *named(const struct seen *s, const char *group, const char *id)
{
	for (u32 i = 0; i < s->n; i++) {
		if (!strcmp(s->f[i].group, group) && !strcmp(s->f[i].id, id))
			return &s->f[i];
	}
	return NULL;
}

static void test_rows(void **state)
{
	static const char *const groups[] = { "kernel", "privileges", "hooks", "rdma", "interfaces" };
	struct seen *s = look();
	u32 group = 0;

	(void)state;
	for (u32 i = 0; i < s->n; i++) {
		const struct rct_feature *f = &s->f[i];

		while (group < 5 && strcmp(groups[group], f->group))
			group++;
		assert_true(group < 5);			/* known, and in this order */
		assert_true(*f->id && *f->found);
		assert_ptr_equal(named(s, f->group, f->id), f);
		assert_true(*rct_feature_state_name(f->state));
		if (f->state == RCT_HAVE)
			assert_true(!f->costs && !f->remedy);
	}
	assert_non_null(named(s, "hooks", "tcx"));
	assert_non_null(named(s, "rdma", "devices") ? named(s, "rdma", "devices") : named(s, "rdma", "netlink"));
	assert_null(named(s, "interfaces", "lo"));
	free(s);
}

/* The loader asks the same questions. */
static void test_same_answers(void **state)
{
	struct seen *s = look();

	(void)state;
	assert_int_equal(named(s, "hooks", "tcx")->state == RCT_HAVE, rct_probe_tcx());
	assert_int_equal(named(s, "hooks", "xdp-frags")->state == RCT_HAVE, rct_probe_buff_len());
	assert_int_equal(named(s, "hooks", "fragments")->state == RCT_HAVE, rct_probe_dynptr() || rct_probe_frag0());
	free(s);
}

/* In a child, since it is for good. Bit by bit what was wrong. */
static int without_capabilities(void)
{
	struct seen *s;
	int wrong = 0;

	if (rct_caps_keep_only(NULL, 0, NULL))
		return 1;
	s = look();
	for (u32 i = 0; i < s->n; i++) {
		const struct rct_feature *f = &s->f[i];

		if (!strncmp(f->id, "CAP_", 4) && f->state != RCT_HAVE_NOT)
			wrong |= 2;
		/* a refusal says nothing of the kernel then */
		if (!strcmp(f->group, "hooks") && f->state == RCT_HAVE_NOT)
			wrong |= 4;
		if (f->state == RCT_HAVE_UNKNOWN && !f->remedy)
			wrong |= 8;
	}
	if (named(s, "hooks", "clsact")->state != RCT_HAVE_UNKNOWN)
		wrong |= 16;
	free(s);
	return wrong;
}

static void test_unprivileged(void **state)
{
	int status = 0;
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(without_capabilities());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void test_interfaces(void **state)
{
	char names[4][RCT_IFNAME], dev[64] = "untouched";
	struct rct_iface_look look_at;
	int n = rct_default_interfaces(names, 4);

	(void)state;
	assert_in_range(n, 0, 4);
	for (int i = 0; i < n; i++) {
		assert_true(if_nametoindex(names[i]) > 0);
		assert_string_not_equal(names[i], "lo");
	}
	assert_int_equal(rct_default_interfaces(names, 0), 0);
	assert_int_equal(rct_iface_look("lo", &look_at), 0);
	assert_true(look_at.loopback);
	assert_int_equal(rct_iface_look("no-such-iface", &look_at), -ENODEV);
	assert_false(rct_iface_up("no-such-iface"));
	assert_false(rct_iface_driver("no-such-iface", dev, sizeof(dev)));
	assert_false(rct_iface_offloads("lo", dev, sizeof(dev)));
}

static void test_list(void **state)
{
	char text[32] = "";
	struct rct_list l = { .text = text, .size = sizeof(text) };

	(void)state;
	rct_list_add(&l, "%s %d", "one", 1);
	assert_string_equal(text, "one 1");
	rct_list_add(&l, "two");
	assert_string_equal(text, "one 1; two");
	for (int i = 0; i < 10; i++)
		rct_list_add(&l, "another one that has no room");
	assert_int_equal(strlen(text), sizeof(text) - 1);
}

static void test_need(void **state)
{
	const int caps[] = { CAP_BPF, CAP_NET_ADMIN };
	struct rct_err err = {};
	int status = 0;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		if (rct_caps_keep_only(&caps[1], 1, NULL))
			_exit(1);
		if (rct_caps_need(caps, 2, "this", &err) != -EPERM || !strstr(err.text, "this needs CAP_BPF"))
			_exit(2);
		if (rct_caps_have(CAP_NET_ADMIN) == !!strstr(err.text, "CAP_NET_ADMIN"))
			_exit(3);
		if (rct_caps_drop_after_attach(false, NULL) || rct_caps_have(CAP_NET_ADMIN))
			_exit(4);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* What a tracer that attaches again keeps: this, as far as it was there, and no more. */
static int keeps_reattach(void)
{
	static const int kept[] = { CAP_BPF, CAP_PERFMON, CAP_NET_ADMIN };
	bool had[3];

	for (int i = 0; i < 3; i++)
		had[i] = rct_caps_have(kept[i]);
	if (rct_caps_drop_after_attach(true, NULL))
		return 1;
	for (int i = 0; i < 3; i++) {
		if (rct_caps_have(kept[i]) != had[i])
			return 2;
	}
	return rct_caps_have(CAP_SYS_ADMIN) || rct_caps_have(CAP_NET_RAW) ? 3 : 0;
}

static void test_reattach(void **state)
{
	int status = 0;
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(keeps_reattach());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows), cmocka_unit_test(test_same_answers),
		cmocka_unit_test(test_unprivileged), cmocka_unit_test(test_interfaces),
		cmocka_unit_test(test_list), cmocka_unit_test(test_need),
		cmocka_unit_test(test_reattach),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
