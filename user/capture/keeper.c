// SPDX-License-Identifier: BSD-2-Clause
#include "capture/keeper.h"

#include <errno.h>
#include <linux/netlink.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/caps.h"
#include "base/util.h"
#include "capture/tc.h"

#define NAME		"rocetrace-keep"	/* 15 characters fit */
#define WATCHED		256			/* interfaces */
#define TRIES		5			/* at the end, a second apart */
#define ANSWER_MS	(2 * RCT_NL_TIMEOUT_MS)

enum op { OP_WATCH, OP_REMOVE };

struct request {
	u32 op;
	u32 ifindex;
};

struct rct_keeper {
	struct rct_keeper *next;
	u64 netns;
	struct rct_owner owner;
	int alive;		/* the owner's socket */
	int sock;
	pid_t pid;
	u32 users;
};

static struct rct_keeper *keepers;

/* --------------------------------------------------------- in the keeper */

struct watch {
	int sock;
	struct rct_nl nl;
	struct rct_owner owner;		/* the tracer */
	struct {
		u32 ifindex;
		bool qdisc;		/* that we made */
	} iface[WATCHED];
	u32 n;
};

static void shed_signals(void)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU };

	/* the tracer's handlers are not for us */
	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
	for (size_t i = 0; i < RCT_ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
}

/* Links, maps, pipes: what the tracer holds must go with the tracer. */
static void shed_files(int but)
{
	long limit = sysconf(_SC_OPEN_MAX);

	if (but && syscall(SYS_close_range, 0U, but - 1U, 0U)) {
		for (int fd = 0; fd < but; fd++)
			close(fd);
	}
	if (!syscall(SYS_close_range, but + 1U, ~0U, 0U))
		return;
	for (int fd = but + 1; fd < limit; fd++)
		close(fd);
}

static int become_keeper(struct watch *w)
{
	static const int keep[] = { CAP_NET_ADMIN };
	int rc;

	shed_signals();
	shed_files(w->sock);
	setsid();
	prctl(PR_SET_NAME, NAME);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (chdir("/"))
		return -errno;
	rc = rct_nl_open(&w->nl, NETLINK_ROUTE, NULL);
	return rc ? rc : rct_caps_keep_only(keep, RCT_ARRAY_SIZE(keep), NULL);
}

/* The qdisc is made here, so that there is no moment in which nobody knows whose it is. */
static int watch_iface(struct watch *w, u32 ifindex)
{
	u32 i = 0;
	int rc;

	while (i < w->n && w->iface[i].ifindex != ifindex)
		i++;
	if (i == WATCHED)
		return -ENOSPC;
	rc = rct_tc_add_clsact(&w->nl, ifindex);
	if (rc && rc != -EEXIST)
		return rc;
	if (i == w->n) {
		w->iface[w->n].ifindex = ifindex;
		w->iface[w->n++].qdisc = false;
	}
	w->iface[i].qdisc |= !rc;
	return rc;
}

static int remove_from(struct watch *w, u32 ifindex)
{
	struct rct_owner owner = w->owner;
	int rc;

	for (u32 i = 0; i < w->n; i++) {
		if (w->iface[i].ifindex != ifindex)
			continue;
		owner.qdisc = w->iface[i].qdisc;
		rc = rct_tc_remove(&w->nl, ifindex, &owner, NULL, NULL);
		if (rc < 0)
			return rc;
		w->iface[i] = w->iface[--w->n];
		return 0;
	}
	return 0;
}

static void remove_all(struct watch *w)
{
	for (int try = 0; w->n && try < TRIES; try++) {
		if (try)
			sleep(1);
		for (u32 i = w->n; i-- > 0;)
			remove_from(w, w->iface[i].ifindex);
	}
}

/* Until the tracer's end of the socket closes. */
static void serve(struct watch *w)
{
	struct request q;
	ssize_t n;
	int rc;

	for (;;) {
		n = recv(w->sock, &q, sizeof(q), 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n != sizeof(q))
			break;
		rc = q.op == OP_WATCH ? watch_iface(w, q.ifindex) : remove_from(w, q.ifindex);
		send(w->sock, &rc, sizeof(rc), MSG_NOSIGNAL);
	}
	remove_all(w);
}

static void keeper_main(int sock, const struct rct_owner *tracer)
{
	struct watch w = { .sock = sock, .owner = *tracer };
	int rc = become_keeper(&w);

	send(sock, &rc, sizeof(rc), MSG_NOSIGNAL);
	if (!rc)
		serve(&w);
	_exit(0);
}

/* --------------------------------------------------------- in the tracer */

static int answer(int sock)
{
	struct pollfd p = { .fd = sock, .events = POLLIN };
	int rc, n;

	do
		n = poll(&p, 1, ANSWER_MS);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n ? -errno : -ETIMEDOUT;
	return recv(sock, &rc, sizeof(rc), MSG_DONTWAIT) == sizeof(rc) ? rc : -EPIPE;
}

static int ask(struct rct_keeper *k, enum op op, u32 ifindex)
{
	struct request q = { .op = op, .ifindex = ifindex };

	if (send(k->sock, &q, sizeof(q), MSG_NOSIGNAL) != sizeof(q))
		return -errno;
	return answer(k->sock);
}

int rct_keeper_watch(struct rct_keeper *k, u32 ifindex)
{
	return ask(k, OP_WATCH, ifindex);
}

int rct_keeper_remove(struct rct_keeper *k, u32 ifindex)
{
	return ask(k, OP_REMOVE, ifindex);
}

/* Stuck in the kernel, it is left behind. */
static void end_keeper(struct rct_keeper *k)
{
	int rc, how = 0;

	shutdown(k->sock, SHUT_WR);
	do
		rc = answer(k->sock);
	while (!rc);
	close(k->sock);
	if (rc == -ETIMEDOUT)
		how = WNOHANG;
	while (waitpid(k->pid, NULL, how) < 0 && errno == EINTR)
		;
}

static int fork_keeper(struct rct_keeper *k, struct rct_err *err)
{
	int pair[2], rc;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return rct_fail(err, errno, "socket to the keeper: %s", strerror(errno));
	k->pid = fork();
	if (!k->pid)
		keeper_main(pair[1], &k->owner);
	rc = k->pid < 0 ? -errno : 0;
	close(pair[1]);
	k->sock = pair[0];
	if (!rc)
		rc = answer(k->sock);
	if (!rc)
		return 0;
	if (k->pid > 0)
		end_keeper(k);
	else
		close(k->sock);
	return rct_fail(err, -rc, "cannot start the process that removes tc filters should this one be killed: %s", strerror(-rc));
}

static u64 this_netns(void)
{
	struct stat st;

	return stat("/proc/thread-self/ns/net", &st) ? 0 : st.st_ino;
}

int rct_keeper_get(struct rct_keeper **ret, struct rct_err *err)
{
	u64 netns = this_netns();
	struct rct_keeper *k;
	int rc;

	for (k = keepers; k; k = k->next) {
		if (k->netns == netns) {
			k->users++;
			*ret = k;
			return 0;
		}
	}
	k = calloc(1, sizeof(*k));
	if (!k)
		return rct_fail(err, ENOMEM, "out of memory");
	k->alive = rct_owner_open(&k->owner);
	if (k->alive < 0)
		rc = rct_fail(err, -k->alive, "cannot bind the socket that shows this tracer alive: %s", strerror(-k->alive));
	else
		rc = fork_keeper(k, err);
	if (rc) {
		if (k->alive >= 0)
			close(k->alive);
		free(k);
		return rc;
	}
	k->netns = netns;
	k->users = 1;
	k->next = keepers;
	keepers = k;
	*ret = k;
	return 1;
}

const struct rct_owner *rct_keeper_owner(const struct rct_keeper *k)
{
	return &k->owner;
}

void rct_keeper_put(struct rct_keeper *k)
{
	struct rct_keeper **at = &keepers;

	if (!k || --k->users)
		return;
	while (*at != k)
		at = &(*at)->next;
	*at = k->next;
	end_keeper(k);
	close(k->alive);
	free(k);
}
