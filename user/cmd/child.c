// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cmd.h"

static void child(int wait_fd, char **argv)
{
	/* not SIGHUP: handled, it is the default again after exec; ignored, as by nohup, it stays so */
	static const int signals[] = { SIGINT, SIGTERM, SIGPIPE, SIGXFSZ };
	int err;
	char c;

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_DFL);
	/* one byte: go; end of file: the tracer ended before */
	if (read(wait_fd, &c, 1) != 1)
		_exit(RCT_EXIT_OWN);
	execvp(argv[0], argv);
	err = errno;
	fprintf(stderr, "rocetrace: cannot run %s: %s\n", argv[0], strerror(err));
	_exit(err == ENOENT ? RCT_EXIT_NOCMD : RCT_EXIT_NOEXEC);
}

int rct_child_prepare(struct rct_child *c, char **argv)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	c->pid = fork();
	if (c->pid < 0) {
		c->pid = 0;
		close(fds[0]);
		close(fds[1]);
		return -errno;
	}
	if (!c->pid) {
		close(fds[1]);
		child(fds[0], argv);
	}
	close(fds[0]);
	c->go = fds[1];
	return 0;
}

void rct_child_go(struct rct_child *c)
{
	if (c->go < 0)
		return;
	if (write(c->go, "", 1) == 1)
		close(c->go);
	c->go = -1;
}

static void take_status(struct rct_child *c, int status)
{
	c->done = true;
	c->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void rct_child_look(struct rct_child *c)
{
	int status;

	if (c->pid && !c->done && waitpid(c->pid, &status, WNOHANG) == c->pid)
		take_status(c, status);
}

void rct_child_signal(struct rct_child *c, int sig)
{
	if (c->pid && !c->done)
		kill(c->pid, sig);
}
