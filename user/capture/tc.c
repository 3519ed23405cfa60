// SPDX-License-Identifier: BSD-2-Clause
#include "capture/tc.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/pkt_cls.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"

#define CLSACT_HANDLE	TC_H_MAKE(TC_H_CLSACT, 0)	/* ffff: */

static struct tcmsg *begin(union rct_nl_msg *m, int type, int flags, u32 ifindex, u32 parent)
{
	struct tcmsg *tc = rct_nl_begin(m, type, flags, sizeof(*tc));

	tc->tcm_family = AF_UNSPEC;
	tc->tcm_ifindex = ifindex;
	tc->tcm_parent = parent;
	return tc;
}

/* A string attribute, cut to what fits. */
static void take_string(const struct nlattr *a, char *ret, size_t size)
{
	size_t len = mnl_attr_get_payload_len(a);

	if (len >= size)
		len = size - 1;
	memcpy(ret, mnl_attr_get_payload(a), len);
	ret[len] = '\0';
}

/* ------------------------------------------------------------------ qdiscs */

struct qdisc_search {
	u32 ifindex;			/* of interest; 0: all */
	char *ret_kind;
	void (*each)(u32 ifindex, void *arg);
	void *arg;
};

static int on_qdisc(const struct nlmsghdr *h, void *arg)
{
	const struct tcmsg *tc = mnl_nlmsg_get_payload(h);
	struct qdisc_search *s = arg;
	const struct nlattr *a;
	char kind[16] = "";

	/* TC_H_INGRESS and TC_H_CLSACT are the same number */
	if (tc->tcm_parent != TC_H_INGRESS || (s->ifindex && (u32)tc->tcm_ifindex != s->ifindex))
		return MNL_CB_OK;
	mnl_attr_for_each(a, h, sizeof(*tc)) {
		if (mnl_attr_get_type(a) == TCA_KIND)
			take_string(a, kind, sizeof(kind));
	}
	if (s->ret_kind)
		strcpy(s->ret_kind, kind);
	if (s->each && !strcmp(kind, "clsact"))
		s->each(tc->tcm_ifindex, s->arg);
	return MNL_CB_OK;
}

static int for_qdiscs(struct rct_nl *nl, struct qdisc_search *s)
{
	union rct_nl_msg m;

	begin(&m, RTM_GETQDISC, NLM_F_DUMP, s->ifindex, 0);
	return rct_nl_talk(nl, &m, on_qdisc, s);
}

int rct_tc_qdisc(struct rct_nl *nl, u32 ifindex, char ret_kind[16])
{
	struct qdisc_search s = { .ifindex = ifindex, .ret_kind = ret_kind };

	*ret_kind = '\0';
	return for_qdiscs(nl, &s);
}

int rct_tc_clsacts(struct rct_nl *nl, void (*each)(u32 ifindex, void *arg), void *arg)
{
	struct qdisc_search s = { .each = each, .arg = arg };

	return for_qdiscs(nl, &s);
}

static int clsact(struct rct_nl *nl, u32 ifindex, int type, int flags)
{
	union rct_nl_msg m;
	struct tcmsg *tc = begin(&m, type, flags, ifindex, TC_H_CLSACT);

	tc->tcm_handle = CLSACT_HANDLE;
	mnl_attr_put_strz(&m.h, TCA_KIND, "clsact");
	return rct_nl_talk(nl, &m, NULL, NULL);
}

int rct_tc_add_clsact(struct rct_nl *nl, u32 ifindex)
{
	return clsact(nl, ifindex, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_EXCL);
}

/* ----------------------------------------------------------------- filters */

struct filter_walk {
	u32 parent;
	void (*each)(const struct rct_tc_filter *f, void *arg);
	void *arg;
};

static void take_bpf(const struct nlattr *options, struct rct_tc_filter *f)
{
	const struct nlattr *a;

	mnl_attr_for_each_nested(a, options) {
		if (mnl_attr_get_type(a) == TCA_BPF_NAME)
			take_string(a, f->name, sizeof(f->name));
		else if (mnl_attr_get_type(a) == TCA_BPF_ID)
			f->prog_id = mnl_attr_get_u32(a);
	}
	f->ours = rct_owner_parse(f->name, &f->owner);
}

static int on_filter(const struct nlmsghdr *h, void *arg)
{
	const struct tcmsg *tc = mnl_nlmsg_get_payload(h);
	const struct nlattr *a, *options = NULL;
	struct filter_walk *w = arg;
	struct rct_tc_filter f = {
		.ifindex = tc->tcm_ifindex, .parent = w->parent, .handle = tc->tcm_handle,
		.prio = TC_H_MAJ(tc->tcm_info) >> 16, .protocol = TC_H_MIN(tc->tcm_info),
	};

	mnl_attr_for_each(a, h, sizeof(*tc)) {
		if (mnl_attr_get_type(a) == TCA_KIND)
			take_string(a, f.kind, sizeof(f.kind));
		else if (mnl_attr_get_type(a) == TCA_OPTIONS)
			options = a;
	}
	if (options && !strcmp(f.kind, "bpf"))
		take_bpf(options, &f);
	/* a filter's own head is listed too, with no handle */
	if (f.handle)
		w->each(&f, w->arg);
	return MNL_CB_OK;
}

int rct_tc_filters(struct rct_nl *nl, u32 ifindex, u32 parent,
		   void (*each)(const struct rct_tc_filter *f, void *arg), void *arg)
{
	struct filter_walk w = { .parent = parent, .each = each, .arg = arg };
	union rct_nl_msg m;

	begin(&m, RTM_GETTFILTER, NLM_F_DUMP, ifindex, parent);
	return rct_nl_talk(nl, &m, on_filter, &w);
}

int rct_tc_add_filter(struct rct_nl *nl, u32 ifindex, u32 parent, u16 prio, int prog_fd,
		      const char *mark)
{
	union rct_nl_msg m;
	struct tcmsg *tc = begin(&m, RTM_NEWTFILTER, NLM_F_CREATE | NLM_F_EXCL, ifindex, parent);
	struct nlattr *options;

	tc->tcm_info = TC_H_MAKE((u32)prio << 16, htons(ETH_P_ALL));
	mnl_attr_put_strz(&m.h, TCA_KIND, "bpf");
	options = mnl_attr_nest_start(&m.h, TCA_OPTIONS);
	mnl_attr_put_u32(&m.h, TCA_BPF_FD, prog_fd);
	mnl_attr_put_strz(&m.h, TCA_BPF_NAME, mark);
	mnl_attr_put_u32(&m.h, TCA_BPF_FLAGS, TCA_BPF_FLAG_ACT_DIRECT);
	mnl_attr_nest_end(&m.h, options);
	return rct_nl_talk(nl, &m, NULL, NULL);
}

static int del_filter(struct rct_nl *nl, const struct rct_tc_filter *f)
{
	union rct_nl_msg m;
	struct tcmsg *tc = begin(&m, RTM_DELTFILTER, 0, f->ifindex, f->parent);

	tc->tcm_handle = f->handle;
	tc->tcm_info = TC_H_MAKE((u32)f->prio << 16, f->protocol);
	mnl_attr_put_strz(&m.h, TCA_KIND, f->kind);
	return rct_nl_talk(nl, &m, NULL, NULL);
}

/* ------------------------------------------------------------------ removal */

#define BATCH	16

struct removal {
	const struct rct_owner *owner;
	struct rct_tc_filter found[BATCH];
	size_t n;
	size_t others;
	bool qdisc;		/* one of them made the qdisc */
};

static void collect(const struct rct_tc_filter *f, void *arg)
{
	struct removal *r = arg;

	if (!f->ours || f->owner.id != r->owner->id) {
		r->others++;
		return;
	}
	r->qdisc |= f->owner.qdisc;
	if (r->n < BATCH)
		r->found[r->n++] = *f;
}

/* Gone already: the filter, its qdisc, or the interface. */
static bool is_gone(int rc)
{
	return rc == -ENOENT || rc == -ENODEV || rc == -EINVAL;
}

static const char *side_name(u32 parent)
{
	return parent == RCT_TC_RX ? "ingress" : "egress";
}

struct report {
	u32 ifindex;
	void (*told)(u32 ifindex, const char *what, void *arg);
	void *arg;
	int removed;
};

/* What is gone already is fine. */
static int note(struct report *r, int rc, const char *what)
{
	if (rc)
		return is_gone(rc) ? 0 : rc;
	if (r->told)
		r->told(r->ifindex, what, r->arg);
	r->removed++;
	return 0;
}

static int remove_found(struct rct_nl *nl, const struct removal *r, struct report *report)
{
	char what[64];
	int rc = 0;

	for (size_t i = 0; !rc && i < r->n; i++) {
		snprintf(what, sizeof(what), "tc %s filter of process %u",
			 side_name(r->found[i].parent), r->owner->pid);
		rc = note(report, del_filter(nl, &r->found[i]), what);
	}
	if (!rc && r->qdisc && !r->others)
		rc = note(report, clsact(nl, report->ifindex, RTM_DELQDISC, 0), "clsact qdisc");
	return rc;
}

int rct_tc_remove(struct rct_nl *nl, u32 ifindex, const struct rct_owner *owner,
		  void (*told)(u32 ifindex, const char *what, void *arg), void *arg)
{
	struct report report = { .ifindex = ifindex, .told = told, .arg = arg };
	struct removal r = { .owner = owner, .qdisc = owner->qdisc };
	char kind[16];
	int rc;

	rc = rct_tc_qdisc(nl, ifindex, kind);
	if (!rc && !strcmp(kind, "clsact")) {
		rc = rct_tc_filters(nl, ifindex, RCT_TC_RX, collect, &r);
		if (!rc)
			rc = rct_tc_filters(nl, ifindex, RCT_TC_TX, collect, &r);
		if (!rc)
			rc = remove_found(nl, &r, &report);
	}
	return rc && !is_gone(rc) ? rc : report.removed;
}
