// SPDX-License-Identifier: BSD-2-Clause
#include "capture/others.h"

#include <linux/bpf.h>
#include <linux/netlink.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "capture/attach.h"
#include "capture/tc.h"

#define MOST	16	/* programs of one side that are named */

void rct_list_add(struct rct_list *l, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (l->used + 3 >= l->size)
		return;
	if (l->used)
		l->used += snprintf(l->text + l->used, l->size - l->used, "; ");
	va_start(ap, fmt);
	n = vsnprintf(l->text + l->used, l->size - l->used, fmt, ap);
	va_end(ap);
	l->used += n < 0 ? 0 : n;
	if (l->used >= l->size)
		l->used = l->size - 1;
}

/* 0, or -errno: it ended, or this process may not ask. */
static int prog_info(u32 id, struct bpf_prog_info *ret)
{
	u32 len = sizeof(*ret);
	int fd = bpf_prog_get_fd_by_id(id), rc;

	memset(ret, 0, sizeof(*ret));
	if (fd < 0)
		return fd;
	rc = bpf_obj_get_info_by_fd(fd, ret, &len);
	close(fd);
	return rc;
}

const char *rct_prog_name(u32 id, char *ret, size_t size)
{
	struct bpf_prog_info info;

	if (prog_info(id, &info) || !*info.name)
		snprintf(ret, size, "id %u", id);
	else
		snprintf(ret, size, "'%.15s' (id %u)", info.name, id);
	return ret;
}

u32 rct_xdp_there(u32 ifindex)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, q);

	if (bpf_xdp_query(ifindex, 0, &q))
		return 0;
	if (q.prog_id)
		return q.prog_id;
	if (q.drv_prog_id)
		return q.drv_prog_id;
	return q.skb_prog_id ? q.skb_prog_id : q.hw_prog_id;
}

u32 rct_tcx_there(u32 ifindex, u32 attach_type, u32 *ret_ids, u32 max)
{
	LIBBPF_OPTS(bpf_prog_query_opts, q);
	struct bpf_prog_info info;
	u32 ids[64], n = 0;

	q.prog_ids = ids;
	q.prog_cnt = 64;
	if (bpf_prog_query_opts(ifindex, attach_type, &q))
		return 0;
	for (u32 i = 0; i < q.prog_cnt && n < max; i++) {
		/* other instances of us pass everything on */
		if (!prog_info(ids[i], &info) && !strncmp(info.name, "rct_tc_", 7))
			continue;
		ret_ids[n++] = ids[i];
	}
	return n;
}

static void add_tcx(struct rct_list *l, u32 ifindex, u32 type, const char *side)
{
	u32 ids[MOST], n = rct_tcx_there(ifindex, type, ids, MOST);
	char name[64];

	for (u32 i = 0; i < n; i++)
		rct_list_add(l, "tcx %s program %s", side, rct_prog_name(ids[i], name, sizeof(name)));
}

static void add_filter(const struct rct_tc_filter *f, void *arg)
{
	if (!f->ours)
		rct_list_add(arg, "tc %s filter %s%s%s", f->parent == RCT_TC_RX ? "ingress" : "egress",
			     f->kind, *f->name ? " " : "", f->name);
}

static void add_filters(struct rct_list *l, u32 ifindex)
{
	char kind[16];
	struct rct_nl nl;

	if (rct_nl_open(&nl, NETLINK_ROUTE, NULL))
		return;
	if (!rct_tc_qdisc(&nl, ifindex, kind) && *kind) {
		rct_list_add(l, "%s qdisc", kind);
		rct_tc_filters(&nl, ifindex, RCT_TC_RX, add_filter, l);
		if (!strcmp(kind, "clsact"))
			rct_tc_filters(&nl, ifindex, RCT_TC_TX, add_filter, l);
	}
	rct_nl_close(&nl);
}

void rct_others(u32 ifindex, char *ret, size_t size)
{
	struct rct_list l = { .text = ret, .size = size };
	u32 xdp = rct_xdp_there(ifindex);
	char name[64];

	*ret = '\0';
	if (xdp)
		rct_list_add(&l, "XDP program %s", rct_prog_name(xdp, name, sizeof(name)));
	add_tcx(&l, ifindex, RCT_TCX_INGRESS, "ingress");
	add_tcx(&l, ifindex, RCT_TCX_EGRESS, "egress");
	add_filters(&l, ifindex);
}
