// SPDX-License-Identifier: BSD-2-Clause
#include "capture/owner.h"

#include <errno.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define PREFIX	"rocetrace/"
#define QDISC	"/qdisc"

/* A socket, and the abstract address that goes with the mark. */
static int open_socket(const struct rct_owner *o, struct sockaddr_un *addr, socklen_t *ret_len)
{
	memset(addr, 0, sizeof(*addr));
	addr->sun_family = AF_UNIX;
	*ret_len = offsetof(struct sockaddr_un, sun_path) + 1 +
		   snprintf(addr->sun_path + 1, sizeof(addr->sun_path) - 1, PREFIX "%u/%016llx",
			    o->pid, (unsigned long long)o->id);
	return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

int rct_owner_open(struct rct_owner *ret)
{
	struct rct_owner o = { .pid = getpid() };
	struct sockaddr_un addr;
	socklen_t len;
	int fd, rc = 0;

	if (getrandom(&o.id, sizeof(o.id), 0) != sizeof(o.id))
		return -EIO;
	fd = open_socket(&o, &addr, &len);
	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, len))
		rc = -errno;
	if (rc && fd >= 0)
		close(fd);
	if (rc)
		return rc;
	*ret = o;
	return fd;
}

void rct_owner_format(const struct rct_owner *o, char ret[RCT_MARK_MAX])
{
	snprintf(ret, RCT_MARK_MAX, PREFIX "%u/%016llx%s", o->pid, (unsigned long long)o->id,
		 o->qdisc ? QDISC : "");
}

bool rct_owner_parse(const char *text, struct rct_owner *ret)
{
	struct rct_owner o = {};
	char again[RCT_MARK_MAX];
	unsigned long long id;

	if (sscanf(text, PREFIX "%u/%llx", &o.pid, &id) != 2)
		return false;
	o.id = id;
	o.qdisc = strstr(text, QDISC);
	rct_owner_format(&o, again);
	if (strcmp(text, again))
		return false;
	*ret = o;
	return true;
}

bool rct_owner_dead(const struct rct_owner *o)
{
	struct sockaddr_un addr;
	socklen_t len;
	int fd = open_socket(o, &addr, &len);
	bool dead;

	if (fd < 0)
		return false;
	dead = connect(fd, (struct sockaddr *)&addr, len) && errno == ECONNREFUSED;
	close(fd);
	return dead;
}
