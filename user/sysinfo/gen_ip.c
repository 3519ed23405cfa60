// SPDX-License-Identifier: BSD-2-Clause
/* ip -o addr, ip rule, ip route and ip neigh, by rtnetlink. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>

#include "base/nl.h"
#include "base/util.h"
#include "sysinfo/gen.h"

#define ATTRS	64	/* more than any of these messages has kinds of */

struct attrs {
	const struct nlattr *v[ATTRS];
};

/* False: the message is shorter than its header. */
static bool take_attrs(const struct nlmsghdr *h, size_t header, struct attrs *ret)
{
	const struct nlattr *a;

	memset(ret, 0, sizeof(*ret));
	if (mnl_nlmsg_get_payload_len(h) < header)
		return false;
	mnl_attr_for_each(a, h, header) {
		if (mnl_attr_get_type(a) < ATTRS)
			ret->v[mnl_attr_get_type(a)] = a;
	}
	return true;
}

static u32 number(const struct nlattr *a, u32 otherwise)
{
	return a && mnl_attr_get_payload_len(a) >= sizeof(u32) ? mnl_attr_get_u32(a) : otherwise;
}

/* False: it is no address of this family. */
static bool addr_text(int family, const struct nlattr *a, char ret[INET6_ADDRSTRLEN])
{
	size_t n = family == AF_INET ? 4 : family == AF_INET6 ? 16 : 0;

	if (!a || !n || mnl_attr_get_payload_len(a) < n)
		return false;
	return inet_ntop(family, mnl_attr_get_payload(a), ret, INET6_ADDRSTRLEN);
}

static const char *ifname_of(u32 index, char ret[IF_NAMESIZE])
{
	if (!if_indextoname(index, ret))
		snprintf(ret, IF_NAMESIZE, "if%u", index % 1000000);
	return ret;
}

static const char *table_name(u32 table, char ret[16])
{
	snprintf(ret, 16, "%u", table);
	return table == RT_TABLE_LOCAL ? "local" : table == RT_TABLE_MAIN ? "main" :
	       table == RT_TABLE_DEFAULT ? "default" : ret;
}

static int next(struct rct_gen_dump *d)
{
	return ++d->seen < RCT_GEN_MESSAGES ? MNL_CB_OK : MNL_CB_STOP;
}

int rct_gen_addr_reply(const struct nlmsghdr *h, void *arg)
{
	struct rct_gen_dump *d = arg;
	const struct ifaddrmsg *m = mnl_nlmsg_get_payload(h);
	char addr[INET6_ADDRSTRLEN], peer[INET6_ADDRSTRLEN], name[IF_NAMESIZE];
	struct attrs a;
	bool far;

	if (!take_attrs(h, sizeof(*m), &a))
		return MNL_CB_OK;
	/* IFA_LOCAL differs from IFA_ADDRESS, the peer's, on point-to-point links */
	far = addr_text(m->ifa_family, a.v[IFA_ADDRESS], peer);
	if (!addr_text(m->ifa_family, a.v[IFA_LOCAL] ? a.v[IFA_LOCAL] : a.v[IFA_ADDRESS], addr))
		return MNL_CB_OK;
	fprintf(d->out, "%u: %s    %s ", m->ifa_index, ifname_of(m->ifa_index, name),
		m->ifa_family == AF_INET ? "inet" : "inet6");
	if (far && strcmp(addr, peer))
		fprintf(d->out, "%s peer %s/%u\n", addr, peer, m->ifa_prefixlen);
	else
		fprintf(d->out, "%s/%u\n", addr, m->ifa_prefixlen);
	return next(d);
}

int rct_gen_rule_reply(const struct nlmsghdr *h, void *arg)
{
	struct rct_gen_dump *d = arg;
	const struct fib_rule_hdr *m = mnl_nlmsg_get_payload(h);
	char addr[INET6_ADDRSTRLEN], table[16];
	struct attrs a;

	/* as `ip rule`: IPv6 and multicast routing have rules of their own */
	if (!take_attrs(h, sizeof(*m), &a) || m->family != AF_INET || m->action != FR_ACT_TO_TBL)
		return MNL_CB_OK;
	fprintf(d->out, "%u:\tfrom ", number(a.v[FRA_PRIORITY], 0));
	if (!addr_text(m->family, a.v[FRA_SRC], addr))
		fputs("all", d->out);
	else
		fprintf(d->out, "%s/%u", addr, m->src_len);
	if (addr_text(m->family, a.v[FRA_DST], addr))
		fprintf(d->out, " to %s/%u", addr, m->dst_len);
	fprintf(d->out, " lookup %s\n", table_name(number(a.v[FRA_TABLE], m->table), table));
	return next(d);
}

static void route_via(FILE *out, int family, const struct nlattr *gateway)
{
	char addr[INET6_ADDRSTRLEN];

	if (addr_text(family, gateway, addr))
		fprintf(out, " via %s", addr);
}

static const struct nlattr *gateway_of(const struct rtnexthop *n)
{
	const void *from = RTNH_DATA(n);
	const struct nlattr *attr;

	mnl_attr_for_each_payload(from, n->rtnh_len - sizeof(*n)) {
		if (mnl_attr_get_type(attr) == RTA_GATEWAY)
			return attr;
	}
	return NULL;
}

/* Each way of several is a route of its own line. */
static void route_ways(FILE *out, int family, const struct nlattr *ways)
{
	const char *p = mnl_attr_get_payload(ways);
	size_t left = mnl_attr_get_payload_len(ways);
	const struct rtnexthop *n;
	char name[IF_NAMESIZE];
	size_t step;

	while (left >= sizeof(*n)) {
		n = (const struct rtnexthop *)p;
		if (n->rtnh_len < sizeof(*n) || n->rtnh_len > left)
			return;
		fputs("\tnexthop", out);
		route_via(out, family, gateway_of(n));
		fprintf(out, " dev %s weight %u\n", ifname_of(n->rtnh_ifindex, name), n->rtnh_hops + 1);
		step = RTNH_ALIGN((size_t)n->rtnh_len);
		if (step >= left)
			return;
		p += step;
		left -= step;
	}
}

int rct_gen_route_reply(const struct nlmsghdr *h, void *arg)
{
	struct rct_gen_dump *d = arg;
	const struct rtmsg *m = mnl_nlmsg_get_payload(h);
	char addr[INET6_ADDRSTRLEN], table[16], name[IF_NAMESIZE];
	struct attrs a;
	u32 id;

	/* RTM_F_CLONED: an exception that the kernel learned, no configuration */
	if (!take_attrs(h, sizeof(*m), &a) || m->rtm_type != RTN_UNICAST || m->rtm_flags & RTM_F_CLONED)
		return MNL_CB_OK;
	if (addr_text(m->rtm_family, a.v[RTA_DST], addr))
		fprintf(d->out, "%s/%u", addr, m->rtm_dst_len);
	else
		/* lone "default" would be read as IPv4 */
		fputs(m->rtm_family == AF_INET6 ? "::/0" : "default", d->out);
	route_via(d->out, m->rtm_family, a.v[RTA_GATEWAY]);
	if (a.v[RTA_OIF])
		fprintf(d->out, " dev %s", ifname_of(number(a.v[RTA_OIF], 0), name));
	id = number(a.v[RTA_TABLE], m->rtm_table);
	if (id != RT_TABLE_MAIN)
		fprintf(d->out, " table %s", table_name(id, table));
	fputc('\n', d->out);
	if (a.v[RTA_MULTIPATH])
		route_ways(d->out, m->rtm_family, a.v[RTA_MULTIPATH]);
	return next(d);
}

static const struct {
	u16 state;
	const char *name;
} neigh_states[] = {
	{ NUD_INCOMPLETE, "INCOMPLETE" }, { NUD_REACHABLE, "REACHABLE" }, { NUD_STALE, "STALE" },
	{ NUD_DELAY, "DELAY" }, { NUD_PROBE, "PROBE" }, { NUD_FAILED, "FAILED" },
	{ NUD_PERMANENT, "PERMANENT" },
};

/* Entries that need no resolving (NUD_NOARP: broadcast, multicast, loopback) are left out, as ip does. */
int rct_gen_neigh_reply(const struct nlmsghdr *h, void *arg)
{
	struct rct_gen_dump *d = arg;
	const struct ndmsg *m = mnl_nlmsg_get_payload(h);
	char addr[INET6_ADDRSTRLEN], name[IF_NAMESIZE];
	struct attrs a;
	const u8 *mac;

	if (!take_attrs(h, sizeof(*m), &a) || m->ndm_state & NUD_NOARP || !m->ndm_state ||
	    !addr_text(m->ndm_family, a.v[NDA_DST], addr))
		return MNL_CB_OK;
	fprintf(d->out, "%s dev %s", addr, ifname_of(m->ndm_ifindex, name));
	if (a.v[NDA_LLADDR] && mnl_attr_get_payload_len(a.v[NDA_LLADDR]) == 6) {
		mac = mnl_attr_get_payload(a.v[NDA_LLADDR]);
		fprintf(d->out, " lladdr %02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3],
			mac[4], mac[5]);
	}
	for (size_t i = 0; i < RCT_ARRAY_SIZE(neigh_states); i++) {
		if (m->ndm_state & neigh_states[i].state)
			fprintf(d->out, " %s", neigh_states[i].name);
	}
	fputc('\n', d->out);
	return next(d);
}

static int dump(FILE *out, int type, mnl_cb_t each)
{
	struct rct_gen_dump d = { .out = out };
	union rct_nl_msg m;
	struct rct_nl nl;
	int rc = rct_nl_open(&nl, NETLINK_ROUTE, NULL);

	if (rc)
		return rc;
	/* the longest of the four headers; all zero is: any family, any interface */
	rct_nl_begin(&m, type, NLM_F_DUMP, sizeof(struct rtmsg));
	rc = rct_nl_talk(&nl, &m, each, &d);
	rct_nl_close(&nl);
	return rc;
}

int rct_gen_ip_addr(FILE *out, const char *unused)
{
	(void)unused;
	return dump(out, RTM_GETADDR, rct_gen_addr_reply);
}

int rct_gen_ip_rule(FILE *out, const char *unused)
{
	(void)unused;
	return dump(out, RTM_GETRULE, rct_gen_rule_reply);
}

int rct_gen_ip_route(FILE *out, const char *unused)
{
	(void)unused;
	return dump(out, RTM_GETROUTE, rct_gen_route_reply);
}

int rct_gen_ip_neigh(FILE *out, const char *unused)
{
	(void)unused;
	return dump(out, RTM_GETNEIGH, rct_gen_neigh_reply);
}
