// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/job.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

const char *rct_proc_text(const struct rct_proc *p, char buf[RCT_NIC_TEXT])
{
	snprintf(buf, RCT_NIC_TEXT, *p->comm ? "process %d (%s)" : "process %d", p->pid, p->comm);
	return buf;
}

/* One entry of the list, without "=" or "^" in front. */
static bool entry_takes(const char *entry, size_t len, bool exact, const struct rct_nic *n)
{
	const char *colon = memchr(entry, ':', len);
	size_t name = colon ? (size_t)(colon - entry) : len;

	if (!name || strncmp(entry, n->dev, name) || (exact && n->dev[name]))
		return false;
	return !colon || strtoul(colon + 1, NULL, 10) == n->port;
}

bool rct_hca_takes(const char *list, const struct rct_nic *n)
{
	bool exact = false, without = false, hit = false;

	if (!rct_nic_active(n))
		return false;
	if (!list || !*list)
		return true;
	for (; *list == '^' || *list == '='; list++) {
		without |= *list == '^';
		exact |= *list == '=';
	}
	while (*list) {
		size_t len = strcspn(list, ",");

		hit |= entry_takes(list, len, exact, n);
		list += len + (list[len] == ',');
	}
	return hit != without;
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

int rct_job_traffic_class(const struct rct_facts *f, const struct rct_proc *p)
{
	const char *value = rct_job_env(f, p, "NCCL_IB_TC");
	char *end;
	long tc;

	if (!value || !*value)
		return -1;
	tc = strtol(value, &end, 0);
	return *end || tc < 0 || tc > 255 ? -1 : tc;
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
