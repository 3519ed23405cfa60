// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/job.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

const char *rct_proc_text(const struct rct_proc *p, char buf[RCT_NIC_TEXT])
{
	snprintf(buf, RCT_NIC_TEXT, *p->comm ? "process %d (%s)" : "process %d", p->pid, p->comm);
	return buf;
}

const char *rct_hca_names(const char *list, bool *ret_without, bool *ret_exact)
{
	*ret_without = *list == '^';
	list += *ret_without;
	*ret_exact = *list == '=';
	return list + *ret_exact;
}

bool rct_hca_next(const char **list, struct rct_hca *ret)
{
	while (**list) {
		size_t len = strcspn(*list, ",");
		const char *colon = memchr(*list, ':', len);

		ret->name = *list;
		ret->len = colon ? (size_t)(colon - *list) : len;
		/* "mlx5_0:" is any port, and so is ":-1" */
		ret->port = colon && colon + 1 < *list + len ? strtol(colon + 1, NULL, 10) : -1;
		*list += len + ((*list)[len] == ',');
		if (ret->len)
			return true;
	}
	return false;
}

bool rct_hca_takes(const char *list, const struct rct_nic *n)
{
	bool exact, without, hit = false, any = false;
	struct rct_hca h;

	if (!rct_nic_active(n))
		return false;
	if (!list || !*list)
		return true;
	list = rct_hca_names(list, &without, &exact);
	while (rct_hca_next(&list, &h)) {
		any = true;
		hit |= !strncmp(h.name, n->dev, h.len) && (!exact || !n->dev[h.len]) &&
		       (h.port == -1 || h.port == (long)n->port);
	}
	return (hit || !any) != without;
}

const char *rct_job_env(const struct rct_facts *f, const struct rct_proc *p, const char *name)
{
	const char *value = p ? rct_proc_env(p, name) : NULL;

	for (u32 i = 0; i < f->nccl.n_env && !value; i++) {
		if (!strcmp(f->nccl.env[i].name, name))
			value = f->nccl.env[i].value;
	}
	return value;
}

bool rct_job_number(const struct rct_facts *f, const struct rct_proc *p, const char *name, long *ret)
{
	const char *value = rct_job_env(f, p, name);
	char *end;

	if (!value)
		return false;
	errno = 0;
	*ret = strtol(value, &end, 0);
	return !errno && end != value;
}

int rct_job_traffic_class(const struct rct_facts *f, const struct rct_proc *p)
{
	long tc;

	return rct_job_number(f, p, "NCCL_IB_TC", &tc) && tc >= 0 && tc <= 255 ? tc : -1;
}

bool rct_proc_is_job(const struct rct_proc *p)
{
	for (u32 i = 0; i < p->n_env; i++) {
		if (!strncmp(p->env[i].name, "NCCL_", 5) || !strncmp(p->env[i].name, "RCCL_", 5))
			return true;
	}
	return false;
}

const struct rct_gid *rct_gid_at(const struct rct_nic *n, u32 index)
{
	for (u32 i = 0; i < n->n_gids; i++) {
		if (n->gids[i].index == index)
			return &n->gids[i];
	}
	return NULL;
}

bool rct_gid_link_local(const struct rct_gid *g)
{
	return g->addr[0] == 0xfe && (g->addr[1] & 0xc0) == 0x80;
}

bool rct_gid_v4(const struct rct_gid *g)
{
	static const u8 mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(g->addr, mapped, sizeof(mapped));
}

const struct rct_gid *rct_gid_best(const struct rct_nic *n)
{
	const struct rct_gid *best = NULL;

	for (u32 i = 0; i < n->n_gids; i++) {
		const struct rct_gid *g = &n->gids[i];

		if (g->type != RCT_GID_V2 || rct_gid_link_local(g))
			continue;
		if (!best || (rct_gid_v4(g) && !rct_gid_v4(best)))
			best = g;
	}
	return best;
}

const char *rct_gid_text(const struct rct_gid *g, char buf[RCT_NIC_TEXT])
{
	static const char *const types[] = {
		[RCT_GID_UNSET] = "unset", [RCT_GID_V1] = "RoCE v1", [RCT_GID_V2] = "RoCE v2",
		[RCT_GID_IB] = "InfiniBand",
	};
	char addr[INET6_ADDRSTRLEN];

	if (g->type == RCT_GID_UNSET) {
		snprintf(buf, RCT_NIC_TEXT, "%u (unset)", g->index);
		return buf;
	}
	inet_ntop(rct_gid_v4(g) ? AF_INET : AF_INET6, rct_gid_v4(g) ? g->addr + 12 : g->addr, addr, sizeof(addr));
	snprintf(buf, RCT_NIC_TEXT, "%u (%s, %s%s)", g->index, types[g->type], addr,
		 rct_gid_link_local(g) ? ", link-local" : "");
	return buf;
}
