// SPDX-License-Identifier: BSD-2-Clause
#include "base/nl.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

int rct_nl_open(struct rct_nl *nl, int family, struct rct_err *err)
{
	struct timeval limit = { .tv_sec = RCT_NL_TIMEOUT_MS / 1000 };
	int one = 1;

	memset(nl, 0, sizeof(*nl));
	nl->seq = time(NULL);
	nl->sock = mnl_socket_open2(family, SOCK_CLOEXEC);
	if (!nl->sock || mnl_socket_bind(nl->sock, 0, MNL_SOCKET_AUTOPID) < 0) {
		int errnum = errno;

		rct_nl_close(nl);
		return rct_fail(err, errnum, "netlink socket: %s", strerror(errnum));
	}
	/* without these two it works too: less is said, a dead kernel thread is waited for */
	mnl_socket_setsockopt(nl->sock, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(mnl_socket_get_fd(nl->sock), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	return 0;
}

void rct_nl_close(struct rct_nl *nl)
{
	if (nl->sock)
		mnl_socket_close(nl->sock);
	nl->sock = NULL;
}

void *rct_nl_begin(union rct_nl_msg *m, int type, int flags, size_t header)
{
	memset(m, 0, sizeof(*m));
	mnl_nlmsg_put_header(m);
	m->h.nlmsg_type = type;
	m->h.nlmsg_flags = NLM_F_REQUEST | flags;
	return mnl_nlmsg_put_extra_header(&m->h, header);
}

/* The kernel's words stand behind its error code, and behind the request where that is returned. */
static void keep_words(struct rct_nl *nl, const struct nlmsghdr *h)
{
	const struct nlmsgerr *e = mnl_nlmsg_get_payload(h);
	const struct nlattr *a;
	size_t skip = sizeof(*e);

	if (h->nlmsg_type != NLMSG_ERROR || !(h->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(h->nlmsg_flags & NLM_F_CAPPED))
		skip += MNL_ALIGN(e->msg.nlmsg_len - sizeof(e->msg));
	if (skip > mnl_nlmsg_get_payload_len(h))
		return;
	mnl_attr_for_each(a, h, skip) {
		if (mnl_attr_get_type(a) == NLMSGERR_ATTR_MSG && !mnl_attr_validate(a, MNL_TYPE_NUL_STRING))
			snprintf(nl->kernel_said, sizeof(nl->kernel_said), "%s", mnl_attr_get_str(a));
	}
}

static int send_request(struct rct_nl *nl, union rct_nl_msg *m)
{
	/* a dump has an end of its own */
	if ((m->h.nlmsg_flags & NLM_F_DUMP) != NLM_F_DUMP)
		m->h.nlmsg_flags |= NLM_F_ACK;
	m->h.nlmsg_seq = ++nl->seq;
	nl->kernel_said[0] = '\0';
	return mnl_socket_sendto(nl->sock, m, m->h.nlmsg_len) < 0 ? -errno : 0;
}

int rct_nl_talk(struct rct_nl *nl, union rct_nl_msg *m, mnl_cb_t each, void *arg)
{
	size_t size = 1 << 16;		/* the kernel fills at most 32 KiB at a time */
	char *buf = malloc(size);
	int rc = buf ? send_request(nl, m) : -ENOMEM, more = 1;
	ssize_t n;

	while (!rc && more > 0) {
		n = mnl_socket_recvfrom(nl->sock, buf, size);
		if (n < 0) {
			rc = errno == EAGAIN ? -ETIMEDOUT : -errno;
			break;
		}
		/* what is left of an earlier request that timed out */
		if ((size_t)n >= sizeof(struct nlmsghdr) && ((struct nlmsghdr *)buf)->nlmsg_seq != nl->seq)
			continue;
		keep_words(nl, (struct nlmsghdr *)buf);
		more = mnl_cb_run(buf, n, nl->seq, mnl_socket_get_portid(nl->sock), each, arg);
		if (more < 0)
			rc = -errno;
	}
	free(buf);
	return rc;
}
