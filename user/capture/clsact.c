// SPDX-License-Identifier: BSD-2-Clause
#include "capture/clsact.h"

#include <errno.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <stdlib.h>

#include "capture/attach.h"
#include "capture/tc.h"

/* Who is there on one side. */
struct neighbours {
	u8 used[0x10000 / 8];	/* priorities */
	u32 low, high;		/* of them; 0: none */
	bool our_qdisc;		/* another instance of us made the qdisc */
};

static void see_filter(const struct rct_tc_filter *f, void *arg)
{
	struct neighbours *n = arg;

	if (f->ours)
		n->our_qdisc |= f->owner.qdisc;
	n->used[f->prio / 8] |= 1 << f->prio % 8;
	if (!n->low || f->prio < n->low)
		n->low = f->prio;
	if (f->prio > n->high)
		n->high = f->prio;
}

/* The first free one from prio on, in steps of 1 or -1. 0: none. */
static u32 free_prio(const struct neighbours *n, u32 prio, int step)
{
	while (prio && prio < 0x10000 && n->used[prio / 8] & 1 << prio % 8)
		prio += step;
	return prio < 0x10000 ? prio : 0;
}

/* Before the others, with room left for who comes later; where somebody is the first, next to it. */
static u32 rx_prio(const struct neighbours *n)
{
	if (!n->low)
		return 0x4000;
	return n->low > 1 ? n->low / 2 : free_prio(n, 2, 1);
}

/* Behind the others. */
static u32 tx_prio(const struct neighbours *n)
{
	if (!n->high)
		return 0xc000;
	return n->high < 0xffff ? (n->high + 0x10000) / 2 : free_prio(n, 0xfffe, -1);
}

/* Our place, and who decides on packets before us. */
struct front {
	u32 prio;
	struct rct_list *why;
};

static void name_front(const struct rct_tc_filter *f, void *arg)
{
	struct front *front = arg;

	if (!f->ours && f->prio < front->prio)
		rct_list_add(front->why, "tc filter %s%s%s is in front on %s: what it drops, redirects or accepts for good isn't seen",
			     f->kind, *f->name ? " " : "", f->name,
			     f->parent == RCT_TC_RX ? "receive" : "transmit");
}

/* qdisc: the qdisc is ours, or turns out to be another instance's. */
static int add_filter(struct rct_nl *nl, u32 ifindex, u32 parent, int fd, bool *qdisc,
		      const struct rct_owner *self, struct rct_list *why)
{
	struct neighbours n = {};
	struct rct_owner owner = *self;
	struct front front = { .why = why };
	char mark[RCT_MARK_MAX];
	int rc = rct_tc_filters(nl, ifindex, parent, see_filter, &n);

	if (rc)
		return rc;
	front.prio = parent == RCT_TC_RX ? rx_prio(&n) : tx_prio(&n);
	if (!front.prio)
		return -ENOSPC;
	owner.qdisc = *qdisc |= n.our_qdisc;
	rct_owner_format(&owner, mark);
	rc = rct_tc_filters(nl, ifindex, parent, name_front, &front);
	return rc ? rc : rct_tc_add_filter(nl, ifindex, parent, front.prio, fd, mark);
}

/* Finds or makes the clsact qdisc. 0 or -errno and *err. */
static int need_clsact(struct rct_nl *nl, struct rct_keeper *k, u32 ifindex, const char *name,
		       bool *ret_made, struct rct_err *err)
{
	char kind[16];
	int rc = rct_keeper_watch(k, ifindex);

	*ret_made = !rc;
	if (!rc)
		return 0;
	if (rc == -ENOENT || rc == -EOPNOTSUPP)
		return rct_fail(err, EOPNOTSUPP, "%s: this kernel has no clsact qdisc (module sch_ingress); use --hook netdev", name);
	if (rc != -EEXIST)
		return rct_fail(err, -rc, "%s: cannot add a clsact qdisc: %s%s", name, strerror(-rc), rct_attach_advice(-rc));
	rc = rct_tc_qdisc(nl, ifindex, kind);
	if (rc)
		return rct_fail(err, -rc, "%s: cannot list its qdiscs: %s", name, strerror(-rc));
	if (strcmp(kind, "clsact"))
		return rct_fail(err, EEXIST, "%s: somebody's %s qdisc is there, and a clsact qdisc can't be beside it; it is left alone: use --hook netdev",
				name, kind);
	return 0;
}

static int add_filters(struct rct_nl *nl, const int fd[2], struct rct_keeper *k, u32 ifindex,
		       const char *name, struct rct_list *why, struct rct_err *err)
{
	static const struct {
		u32 parent;
		const char *name;
	} side[] = { { RCT_TC_RX, "ingress" }, { RCT_TC_TX, "egress" } };
	bool qdisc;
	int rc = need_clsact(nl, k, ifindex, name, &qdisc, err);

	if (rc)
		return rc;
	for (int i = 0; !rc && i < 2; i++) {
		rc = add_filter(nl, ifindex, side[i].parent, fd[i], &qdisc, rct_keeper_owner(k), why);
		if (rc)
			rct_fail(err, -rc, "%s: cannot add the tc %s filter: %s%s%s%s", name, side[i].name,
				 strerror(-rc), *nl->kernel_said ? ": " : "", nl->kernel_said, rct_attach_advice(-rc));
	}
	return rc;
}

/* Needs the keeper first: from its start on nothing that we add can be left behind. */
int rct_clsact_attach(const int fd[2], u32 ifindex, const char *name,
		      struct rct_keeper **ret_keeper, struct rct_list *why, struct rct_err *err)
{
	struct rct_nl nl;
	int rc = rct_nl_open(&nl, NETLINK_ROUTE, err);

	if (rc)
		return rc;
	rc = rct_keeper_get(ret_keeper, err);
	if (rc > 0)
		rct_cleanup(NULL, NULL, NULL);
	if (rc >= 0)
		rc = add_filters(&nl, fd, *ret_keeper, ifindex, name, why, err);
	rct_nl_close(&nl);
	return rc;
}

struct count {
	u64 id;
	u32 n;
};

static void count_ours(const struct rct_tc_filter *f, void *arg)
{
	struct count *c = arg;

	c->n += f->ours && f->owner.id == c->id;
}

bool rct_clsact_alive(const struct rct_keeper *k, u32 ifindex)
{
	struct count c = { .id = rct_keeper_owner(k)->id };
	struct rct_nl nl;

	if (rct_nl_open(&nl, NETLINK_ROUTE, NULL))
		return true;	/* not known to be gone */
	if (rct_tc_filters(&nl, ifindex, RCT_TC_RX, count_ours, &c) ||
	    rct_tc_filters(&nl, ifindex, RCT_TC_TX, count_ours, &c))
		c.n = 0;
	rct_nl_close(&nl);
	return c.n == 2;
}

/* The keeper was killed: what it would have done, if this process still may. */
static void remove_filters(struct rct_keeper *k, u32 ifindex)
{
	struct rct_nl nl;

	if (rct_nl_open(&nl, NETLINK_ROUTE, NULL))
		return;
	rct_tc_remove(&nl, ifindex, rct_keeper_owner(k), NULL, NULL);
	rct_nl_close(&nl);
}

void rct_clsact_detach(struct rct_keeper *k, u32 ifindex)
{
	if (k && rct_keeper_remove(k, ifindex))
		remove_filters(k, ifindex);
	rct_keeper_put(k);
}

/* ------------------------------------------------------------------ cleanup */

#define DEAD_MAX	16	/* dead instances that one look at an interface finds */

struct indexes {
	u32 *v;
	size_t n;
	bool short_of_memory;
};

static void take_index(u32 ifindex, void *arg)
{
	struct indexes *x = arg;
	u32 *v = realloc(x->v, (x->n + 1) * sizeof(*v));

	if (!v) {
		x->short_of_memory = true;
		return;
	}
	x->v = v;
	v[x->n++] = ifindex;
}

struct dead {
	struct rct_owner v[DEAD_MAX];
	u32 n;
};

static void take_dead(const struct rct_tc_filter *f, void *arg)
{
	struct dead *d = arg;

	for (u32 i = 0; i < d->n; i++) {
		if (d->v[i].id == f->owner.id) {
			d->v[i].qdisc |= f->owner.qdisc;
			return;
		}
	}
	if (f->ours && d->n < DEAD_MAX && rct_owner_dead(&f->owner))
		d->v[d->n++] = f->owner;
}

struct teller {
	void (*told)(const char *ifname, const char *what, void *arg);
	void *arg;
};

static void tell(u32 ifindex, const char *what, void *arg)
{
	const struct teller *t = arg;
	char name[IF_NAMESIZE];

	if (t->told)
		t->told(if_indextoname(ifindex, name) ? name : "?", what, t->arg);
}

/* How many were removed from one interface, or -errno. */
static int clean_iface(struct rct_nl *nl, u32 ifindex, struct teller *t)
{
	struct dead d = {};
	int n = 0, rc;

	rc = rct_tc_filters(nl, ifindex, RCT_TC_RX, take_dead, &d);
	if (!rc)
		rc = rct_tc_filters(nl, ifindex, RCT_TC_TX, take_dead, &d);
	for (u32 i = 0; rc >= 0 && i < d.n; i++) {
		rc = rct_tc_remove(nl, ifindex, &d.v[i], tell, t);
		n += rc > 0 ? rc : 0;
	}
	return rc < 0 ? rc : n;
}

int rct_cleanup(void (*told)(const char *ifname, const char *what, void *arg), void *arg,
		struct rct_err *err)
{
	struct teller t = { told, arg };
	struct indexes x = {};
	struct rct_nl nl;
	int n = 0, rc;

	rc = rct_nl_open(&nl, NETLINK_ROUTE, err);
	if (rc)
		return rc;
	rc = rct_tc_clsacts(&nl, take_index, &x);
	if (!rc && x.short_of_memory)
		rc = -ENOMEM;
	for (size_t i = 0; rc >= 0 && i < x.n; i++) {
		rc = clean_iface(&nl, x.v[i], &t);
		n += rc > 0 ? rc : 0;
	}
	rct_nl_close(&nl);
	free(x.v);
	if (rc < 0)
		return rct_fail(err, -rc, "cannot remove what a killed instance left: %s%s", strerror(-rc), rct_attach_advice(-rc));
	return n;
}
