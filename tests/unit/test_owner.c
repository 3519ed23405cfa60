// SPDX-License-Identifier: BSD-2-Clause
/* Marks on tc filters, whose they are, and whether that process lives. */
#include "lib/unit.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/owner.h"

static void test_format(void **state)
{
	struct rct_owner o = { .pid = 4711, .id = 0x00c0ffee00c0ffeeULL, .qdisc = true }, back;
	char mark[RCT_MARK_MAX];

	(void)state;
	rct_owner_format(&o, mark);
	assert_string_equal(mark, "rocetrace/4711/00c0ffee00c0ffee/qdisc");
	assert_true(rct_owner_parse(mark, &back));
	assert_int_equal(back.pid, o.pid);
	assert_true(back.id == o.id && back.qdisc);
	o = (struct rct_owner){ .pid = UINT32_MAX, .id = UINT64_MAX };
	rct_owner_format(&o, mark);
	assert_true(rct_owner_parse(mark, &back));
	assert_true(back.pid == o.pid && back.id == o.id && !back.qdisc);
}

static void test_foreign(void **state)
{
	static const char *const names[] = {
		"", "rocetrace", "rocetrace/", "rocetrace/1/", "rocetrace/1/2", "rocetrace/x/0000000000000001",
		"rocetrace/1/0000000000000001/", "rocetrace/1/0000000000000001/qdiscs", "xrocetrace/1/0000000000000001",
		"rocetrace/1/0000000000000001 ", "rocetrace/-1/0000000000000001", "rocetrace/1/0X00000000000001",
		"rocetrace/99999999999/0000000000000001", "cil_from_netdev-eth0", "/qdisc",
	};
	struct rct_owner o = { .pid = 1 };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (rct_owner_parse(names[i], &o))
			fail_msg("took '%s' for ours", names[i]);
	}
	assert_int_equal(o.pid, 1);
}

static void test_life(void **state)
{
	struct rct_owner o, other;
	int fd = rct_owner_open(&o), status;
	pid_t pid;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(o.pid, getpid());
	assert_false(rct_owner_dead(&o));
	other = o;
	other.id ^= 1;
	assert_true(rct_owner_dead(&other));
	/* somebody else's view */
	pid = fork();
	if (!pid) {
		close(fd);
		_exit(rct_owner_dead(&o));
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	close(fd);
	assert_true(rct_owner_dead(&o));
}

/* Killed and not even waited for: it is dead. */
static void test_killed(void **state)
{
	struct rct_owner o;
	int pipes[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (!pid) {
		int fd = rct_owner_open(&o);

		if (fd < 0 || write(pipes[1], &o, sizeof(o)) != sizeof(o))
			_exit(1);
		pause();
		_exit(0);
	}
	assert_int_equal(read(pipes[0], &o, sizeof(o)), sizeof(o));
	assert_false(rct_owner_dead(&o));
	kill(pid, SIGKILL);
	for (int i = 0; i < 100 && !rct_owner_dead(&o); i++)
		usleep(10000);
	assert_true(rct_owner_dead(&o));
	waitpid(pid, NULL, 0);
	close(pipes[0]);
	close(pipes[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_format), cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_life), cmocka_unit_test(test_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
