// SPDX-License-Identifier: BSD-2-Clause
/* What iproute2's ip prints of addresses, rules, routes and neighbours. */
#include "sysinfo/text.h"

#include <string.h>

#include "sysinfo/text_scan.h"

/* The word behind the word key, or n == 0. */
static struct rct_str value_of(struct rct_str line, const char *key)
{
	struct rct_str w;

	do {
		w = rct_str_word(&line);
	} while (w.n && !rct_str_is(w, key));
	return rct_str_word(&line);
}

/* "eth1.100@eth1": the name is what stands before */
static void copy_ifname(char *buf, size_t size, struct rct_str s)
{
	rct_str_copy(buf, size, rct_str_until(s, "@"));
}

/* "3: eth1    inet 10.27.0.11/24 brd ..."; with a peer the prefix is the peer's */
static int take_addr(struct rct_facts *f, struct rct_str line)
{
	struct rct_str index = rct_str_word(&line), ifname = rct_str_word(&line),
		       kind = rct_str_word(&line), addr = rct_str_word(&line), peer;
	struct rct_addr4 a = { 0 }, *new;
	u8 unused[16], family;

	if (!rct_str_after(index, ":", NULL, NULL) ||
	    (!rct_str_is(kind, "inet") && !rct_str_is(kind, "inet6")) ||
	    !rct_str_addr(addr, &a.family, a.addr, &a.prefix))
		return 0;
	peer = rct_str_word(&line);
	if (rct_str_is(peer, "peer"))
		rct_str_addr(rct_str_word(&line), &family, unused, &a.prefix);
	copy_ifname(a.ifname, sizeof(a.ifname), ifname);
	new = RCT_LIST_ADD(f->addrs, f->n_addrs);
	if (!new)
		return rct_list_end(f->n_addrs);
	*new = a;
	return 0;
}

/* "32766:	from all lookup main" */
static int take_rule(struct rct_facts *f, struct rct_str line)
{
	struct rct_str prio, rest, from;
	struct rct_ip_rule *r;
	u64 v;

	if (!rct_str_pair(line, ':', &prio, &rest) || !rct_str_u64(prio, &v) || v > UINT32_MAX)
		return 0;
	from = value_of(rest, "from");
	if (!from.n)
		return 0;
	r = RCT_LIST_ADD(f->rules, f->n_rules);
	if (!r)
		return rct_list_end(f->n_rules);
	r->priority = v;
	rct_str_copy(r->from, sizeof(r->from), from);
	rct_str_copy(r->table, sizeof(r->table), value_of(rest, "lookup"));
	return 0;
}

/* Where "default" stands the family is that of the gateway; IPv4 where there is none. */
static bool destination(struct rct_str w, struct rct_str line, struct rct_route *r)
{
	u8 via[16], prefix;

	if (!rct_str_is(w, "default"))
		return rct_str_addr(w, &r->family, r->dst, &r->prefix);
	memset(r->dst, 0, sizeof(r->dst));
	w = value_of(line, "via");
	if (rct_str_is(w, "inet6"))	/* IPv4 over an IPv6 gateway */
		r->family = 4;
	else if (!rct_str_addr(w, &r->family, via, &prefix))
		r->family = 4;
	if (r->family == 4)
		memset(r->dst + 10, 0xff, 2);
	r->prefix = 0;
	return true;
}

static int add_route(struct rct_facts *f, struct rct_route *r, struct rct_str line)
{
	struct rct_str dev = value_of(line, "dev");
	struct rct_route *new;

	if (!dev.n)
		return 0;	/* its "nexthop" lines follow */
	new = RCT_LIST_ADD(f->routes, f->n_routes);
	if (!new)
		return rct_list_end(f->n_routes);
	*new = *r;
	rct_str_copy(new->ifname, sizeof(new->ifname), dev);
	new->gateway = value_of(line, "via").n;
	return 0;
}

/* last: the route that "nexthop" lines belong to. Types but unicast have a word before the address. */
static int take_route(struct rct_facts *f, struct rct_route *last, struct rct_str line)
{
	struct rct_str rest = line, w = rct_str_word(&rest), table;
	struct rct_route r = { .family = 0 };

	if (rct_str_is(w, "nexthop"))
		return last->family ? add_route(f, last, line) : 0;
	last->family = 0;
	if (rct_str_is(w, "unicast"))
		w = rct_str_word(&rest);
	if (!destination(w, rest, &r))
		return 0;
	table = value_of(rest, "table");
	rct_str_copy(r.table, sizeof(r.table), table.n ? table : (struct rct_str){ "main", 4 });
	*last = r;
	return add_route(f, &r, rest);
}

/* States that a neighbour entry is in; other words of its line are flags. */
static const char *const neigh_states[] = {
	"NONE", "INCOMPLETE", "REACHABLE", "STALE", "DELAY", "PROBE", "FAILED", "NOARP", "PERMANENT",
};

static void neigh_words(struct rct_neigh *n, struct rct_str line)
{
	struct rct_str w;

	while ((w = rct_str_word(&line)).n) {
		for (size_t i = 0; i < sizeof(neigh_states) / sizeof(neigh_states[0]); i++) {
			if (rct_str_is(w, neigh_states[i]))
				rct_str_copy(n->state, sizeof(n->state), w);
		}
	}
}

/* "10.0.0.1 dev eth0 lladdr 02:00:5e:10:00:01 REACHABLE" */
static int take_neigh(struct rct_facts *f, struct rct_str line)
{
	struct rct_neigh n = { .family = 0 }, *new;
	struct rct_str dev;
	u8 prefix;

	if (!rct_str_addr(rct_str_word(&line), &n.family, n.addr, &prefix))
		return 0;
	dev = value_of(line, "dev");
	if (!dev.n)
		return 0;
	rct_str_copy(n.ifname, sizeof(n.ifname), dev);
	rct_str_copy(n.mac, sizeof(n.mac), value_of(line, "lladdr"));
	neigh_words(&n, line);
	new = RCT_LIST_ADD(f->neighs, f->n_neighs);
	if (!new)
		return rct_list_end(f->n_neighs);
	*new = n;
	return 0;
}

static int each_line(const char *text, size_t len, struct rct_facts *f, const u32 *n,
		     int (*take)(struct rct_facts *f, struct rct_str line))
{
	struct rct_str t = { text, len }, line;
	u32 before = *n;
	int rc = 0;

	while (!rc && rct_str_line(&t, &line))
		rc = take(f, line);
	return rc ? rc : *n != before ? 0 : -ENODATA;
}

int rct_text_ip_addr(const char *text, size_t len, struct rct_facts *f)
{
	return each_line(text, len, f, &f->n_addrs, take_addr);
}

int rct_text_ip_rule(const char *text, size_t len, struct rct_facts *f)
{
	return each_line(text, len, f, &f->n_rules, take_rule);
}

int rct_text_ip_neigh(const char *text, size_t len, struct rct_facts *f)
{
	return each_line(text, len, f, &f->n_neighs, take_neigh);
}

int rct_text_ip_route(const char *text, size_t len, struct rct_facts *f)
{
	struct rct_str t = { text, len }, line;
	struct rct_route last = { .family = 0 };
	u32 before = f->n_routes;
	int rc = 0;

	while (!rc && rct_str_line(&t, &line))
		rc = take_route(f, &last, line);
	return rc ? rc : f->n_routes != before ? 0 : -ENODATA;
}
