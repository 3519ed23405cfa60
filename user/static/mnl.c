// SPDX-License-Identifier: BSD-2-Clause
/*
 * For STATIC=1 only: what is used of libmnl, of which Debian has no archive.
 * Netlink's format: linux/netlink.h, RFC 3549.
 */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <stdlib.h>
#include <string.h>

/* ---- sockets */

struct mnl_socket {
	int fd;
	struct sockaddr_nl addr;
};

struct mnl_socket *mnl_socket_open2(int bus, int flags)
{
	struct mnl_socket *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->fd = socket(AF_NETLINK, SOCK_RAW | flags, bus);
	if (s->fd < 0) {
		free(s);
		return NULL;
	}
	return s;
}

int mnl_socket_bind(struct mnl_socket *s, unsigned int groups, pid_t pid)
{
	socklen_t len = sizeof(s->addr);

	s->addr.nl_family = AF_NETLINK;
	s->addr.nl_groups = groups;
	s->addr.nl_pid = pid;
	if (bind(s->fd, (struct sockaddr *)&s->addr, len))
		return -1;
	return getsockname(s->fd, (struct sockaddr *)&s->addr, &len);
}

int mnl_socket_close(struct mnl_socket *s)
{
	int rc = close(s->fd);

	free(s);
	return rc;
}

int mnl_socket_get_fd(const struct mnl_socket *s)
{
	return s->fd;
}

unsigned int mnl_socket_get_portid(const struct mnl_socket *s)
{
	return s->addr.nl_pid;
}

int mnl_socket_setsockopt(const struct mnl_socket *s, int type, void *buf, socklen_t len)
{
	return setsockopt(s->fd, SOL_NETLINK, type, buf, len);
}

ssize_t mnl_socket_sendto(const struct mnl_socket *s, const void *req, size_t size)
{
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

	return sendto(s->fd, req, size, 0, (const struct sockaddr *)&kernel, sizeof(kernel));
}

/* Only what the kernel sent, and only whole. */
ssize_t mnl_socket_recvfrom(const struct mnl_socket *s, void *buf, size_t size)
{
	struct sockaddr_nl from;
	struct iovec iov = { .iov_base = buf, .iov_len = size };
	struct msghdr msg = {
		.msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = &iov, .msg_iovlen = 1,
	};
	ssize_t n = recvmsg(s->fd, &msg, 0);

	if (n < 0)
		return n;
	if (msg.msg_flags & MSG_TRUNC)
		errno = ENOSPC;
	else if (msg.msg_namelen != sizeof(from) || from.nl_pid)
		errno = EINVAL;
	else
		return n;
	return -1;
}

/* ---- messages */

struct nlmsghdr *mnl_nlmsg_put_header(void *buf)
{
	struct nlmsghdr *h = buf;

	memset(h, 0, MNL_NLMSG_HDRLEN);
	h->nlmsg_len = MNL_NLMSG_HDRLEN;
	return h;
}

void *mnl_nlmsg_get_payload_tail(const struct nlmsghdr *h)
{
	return (char *)h + MNL_ALIGN(h->nlmsg_len);
}

void *mnl_nlmsg_put_extra_header(struct nlmsghdr *h, size_t size)
{
	void *p = mnl_nlmsg_get_payload_tail(h);

	memset(p, 0, MNL_ALIGN(size));
	h->nlmsg_len += MNL_ALIGN(size);
	return p;
}

void *mnl_nlmsg_get_payload(const struct nlmsghdr *h)
{
	return (char *)h + MNL_NLMSG_HDRLEN;
}

void *mnl_nlmsg_get_payload_offset(const struct nlmsghdr *h, size_t offset)
{
	return (char *)h + MNL_NLMSG_HDRLEN + MNL_ALIGN(offset);
}

size_t mnl_nlmsg_get_payload_len(const struct nlmsghdr *h)
{
	return h->nlmsg_len - MNL_NLMSG_HDRLEN;
}

/* ---- attributes */

uint16_t mnl_attr_get_type(const struct nlattr *a)
{
	return a->nla_type & NLA_TYPE_MASK;
}

uint16_t mnl_attr_get_payload_len(const struct nlattr *a)
{
	return a->nla_len - MNL_ATTR_HDRLEN;
}

void *mnl_attr_get_payload(const struct nlattr *a)
{
	return (char *)a + MNL_ATTR_HDRLEN;
}

uint8_t mnl_attr_get_u8(const struct nlattr *a)
{
	return *(uint8_t *)mnl_attr_get_payload(a);
}

uint16_t mnl_attr_get_u16(const struct nlattr *a)
{
	return *(uint16_t *)mnl_attr_get_payload(a);
}

uint32_t mnl_attr_get_u32(const struct nlattr *a)
{
	return *(uint32_t *)mnl_attr_get_payload(a);
}

/* Attributes are aligned to four bytes. */
uint64_t mnl_attr_get_u64(const struct nlattr *a)
{
	uint64_t v;

	memcpy(&v, mnl_attr_get_payload(a), sizeof(v));
	return v;
}

const char *mnl_attr_get_str(const struct nlattr *a)
{
	return mnl_attr_get_payload(a);
}

bool mnl_attr_ok(const struct nlattr *a, int len)
{
	return len >= (int)sizeof(*a) && a->nla_len >= sizeof(*a) && a->nla_len <= len;
}

struct nlattr *mnl_attr_next(const struct nlattr *a)
{
	return (struct nlattr *)((char *)a + MNL_ALIGN(a->nla_len));
}

/* Of the types that are asked for; any other length is the caller's business. */
int mnl_attr_validate(const struct nlattr *a, enum mnl_attr_data_type type)
{
	size_t len = mnl_attr_get_payload_len(a);
	const char *text = mnl_attr_get_payload(a);

	if ((type == MNL_TYPE_U32 && len != sizeof(uint32_t)) ||
	    (type == MNL_TYPE_NUL_STRING && !len)) {
		errno = ERANGE;
		return -1;
	}
	if (type == MNL_TYPE_NUL_STRING && text[len - 1]) {
		errno = EINVAL;
		return -1;
	}
	return 0;
}

void mnl_attr_put(struct nlmsghdr *h, uint16_t type, size_t len, const void *data)
{
	struct nlattr *a = mnl_nlmsg_get_payload_tail(h);
	size_t pad = MNL_ALIGN(len) - len;

	a->nla_type = type;
	a->nla_len = MNL_ATTR_HDRLEN + len;
	if (len)
		memcpy(mnl_attr_get_payload(a), data, len);
	memset((char *)mnl_attr_get_payload(a) + len, 0, pad);
	h->nlmsg_len += MNL_ATTR_HDRLEN + len + pad;
}

void mnl_attr_put_u32(struct nlmsghdr *h, uint16_t type, uint32_t v)
{
	mnl_attr_put(h, type, sizeof(v), &v);
}

void mnl_attr_put_strz(struct nlmsghdr *h, uint16_t type, const char *text)
{
	mnl_attr_put(h, type, strlen(text) + 1, text);
}

struct nlattr *mnl_attr_nest_start(struct nlmsghdr *h, uint16_t type)
{
	struct nlattr *a = mnl_nlmsg_get_payload_tail(h);

	mnl_attr_put(h, type | NLA_F_NESTED, 0, NULL);
	return a;
}

void mnl_attr_nest_end(struct nlmsghdr *h, struct nlattr *start)
{
	start->nla_len = (char *)mnl_nlmsg_get_payload_tail(h) - (char *)start;
}

/* ---- answers */

/* MNL_CB_STOP at an acknowledgement; else errno is what the kernel says. */
static int take_error(const struct nlmsghdr *h)
{
	const struct nlmsgerr *e = mnl_nlmsg_get_payload(h);

	if (mnl_nlmsg_get_payload_len(h) < sizeof(*e)) {
		errno = EBADMSG;
		return MNL_CB_ERROR;
	}
	errno = e->error < 0 ? -e->error : e->error;
	return e->error ? MNL_CB_ERROR : MNL_CB_STOP;
}

static int take(const struct nlmsghdr *h, unsigned int seq, unsigned int portid, mnl_cb_t each,
		void *arg)
{
	int rc = MNL_CB_OK;

	errno = 0;
	if (h->nlmsg_pid && h->nlmsg_pid != portid)
		errno = ESRCH;
	else if (h->nlmsg_seq && h->nlmsg_seq != seq)
		errno = EPROTO;
	else if (h->nlmsg_flags & NLM_F_DUMP_INTR)
		errno = EINTR;		/* what was dumped changed meanwhile */
	if (errno)
		return MNL_CB_ERROR;
	if (h->nlmsg_type == NLMSG_ERROR)
		return take_error(h);
	if (h->nlmsg_type == NLMSG_DONE)
		return MNL_CB_STOP;
	if (h->nlmsg_type >= NLMSG_MIN_TYPE && each)
		rc = each(h, arg);
	return rc;
}

int mnl_cb_run(const void *buf, size_t size, unsigned int seq, unsigned int portid, mnl_cb_t each,
	       void *arg)
{
	const struct nlmsghdr *h = buf;
	int rc = MNL_CB_OK;

	while (rc > MNL_CB_STOP && size >= sizeof(*h) && h->nlmsg_len >= sizeof(*h) &&
	       h->nlmsg_len <= size) {
		rc = take(h, seq, portid, each, arg);
		if (size < MNL_ALIGN(h->nlmsg_len))
			break;
		size -= MNL_ALIGN(h->nlmsg_len);
		h = (const struct nlmsghdr *)((const char *)h + MNL_ALIGN(h->nlmsg_len));
	}
	return rc;
}
