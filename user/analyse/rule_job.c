// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a job's environment and log say, held against the host's NICs: GID index,
 * choice of NICs, sockets instead of RDMA, completion errors.
 */
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "analyse/job.h"
#include "analyse/rule.h"

/* An InfiniBand port has GIDs of another kind, and no RoCE. */
static bool is_active(const struct rct_nic *n)
{
	return rct_nic_active(n) && rct_nic_roce(n);
}

static u32 active_nics(const struct rct_facts *f)
{
	u32 n = 0;

	for (u32 i = 0; i < f->n_nics; i++)
		n += is_active(&f->nics[i]);
	return n;
}

/* "a", "a and b", "a, b and 3 more": appends one to a list of names. */
static void add_name(char *buf, size_t size, const char *name, u32 n)
{
	size_t len = strlen(buf);

	if (len + strlen(name) + 16 < size)
		snprintf(buf + len, size - len, "%s%s", n ? ", " : "", name);
	else if (len && buf[len - 1] != '.')
		snprintf(buf + len, size - len, " ...");
}

/* ---------------------------------------------------------------- GID index */

/* What a pinned GID index is on one NIC. UNKNOWN: there is an address, and no type could be read. */
enum pinned { PIN_GOOD, PIN_UNKNOWN, PIN_UNSET, PIN_LINK_LOCAL, PIN_V1 };

static enum pinned pinned_gid(const struct rct_nic *n, u32 index)
{
	const struct rct_gid *g = rct_gid_at(n, index);

	static const u8 zero[16];

	if (!g || !memcmp(g->addr, zero, sizeof(zero)))
		return PIN_UNSET;
	if (rct_gid_link_local(g))
		return PIN_LINK_LOCAL;
	if (g->type == RCT_GID_UNSET)
		return PIN_UNKNOWN;
	return g->type == RCT_GID_V1 ? PIN_V1 : PIN_GOOD;
}

static const char *const pin_titles[] = {
	[PIN_UNSET] = "The job pins a GID index that is unset here: its queue pairs can't reach anybody.",
	[PIN_LINK_LOCAL] = "The job uses a link-local GID, which no router forwards: peers never answer.",
	[PIN_V1] = "The job uses a RoCE v1 GID: no router forwards it, and a RoCE v2 peer does not answer.",
};

/* The status 12 that such a GID ends in, if the job's log has one. */
static void explain_errors(const struct rct_facts *f, struct rct_finding *x)
{
	for (u32 i = 0; i < f->nccl.n_errors; i++) {
		if (f->nccl.errors[i].status == 12)
			rct_explains(x, "NCCL completion status 12 (retries exceeded), %s to %s",
				     f->nccl.errors[i].local_gid, f->nccl.errors[i].remote_gid);
	}
}

/* One finding for all NICs that fail in one way. */
static void bad_pin(struct rct_case *c, const struct rct_proc *p, u32 index, enum pinned how)
{
	const struct rct_facts *f = c->s->facts;
	const char *list = rct_job_env(f, p, "NCCL_IB_HCA");
	struct rct_finding *x = NULL;
	char who[RCT_NIC_TEXT], gid[RCT_NIC_TEXT];
	u32 n = 0;

	for (u32 i = 0; i < f->n_nics; i++) {
		const struct rct_nic *nic = &f->nics[i];
		const struct rct_gid *best = rct_gid_best(nic), *g = rct_gid_at(nic, index);

		if (!rct_hca_takes(list, nic) || !rct_nic_roce(nic) || !nic->n_gids || pinned_gid(nic, index) != how)
			continue;
		if (!x) {
			x = rct_find(c, RCT_CRITICAL, RCT_CONF_HIGH, RCT_SCOPE_NIC);
			x->weight = RCT_CAUSE;
			rct_evidence(x, "NCCL_IB_GID_INDEX", NULL, "environment", "%u, of %s", index, rct_proc_text(p, who));
		}
		add_name(x->object, sizeof(x->object), rct_nic_text(nic, who), n++);
		rct_evidence(x, nic->dev, best ? "" : "no RoCE v2 address there", "gids", "index %s%s%s",
			     g ? rct_gid_text(g, who) : "not in the table",
			     best ? "; usable: " : "", best ? rct_gid_text(best, gid) : "");
	}
	if (!x)
		return;
	RCT_SAY(x->title, "%s", pin_titles[how]);
	explain_errors(f, x);
	rct_next(x, "unset NCCL_IB_GID_INDEX (NCCL 2.21 and later finds the RoCE v2 address itself), or set the usable index on every rank");
	rct_next(x, "indices differ between NICs and hosts: grep . /sys/class/infiniband/*/ports/*/gid_attrs/types/*");
}

/* The index that a process pins; false: none, or one that NCCL ignores (negative). */
static bool pinned_index(const struct rct_facts *f, const struct rct_proc *p, u32 *ret)
{
	long v;

	if (!rct_job_number(f, p, "NCCL_IB_GID_INDEX", &v) || v < 0 || v > INT32_MAX)
		return false;
	*ret = v;
	return true;
}

/* Ranks of one job have one environment: each index is judged once. */
static bool judged_before(const struct rct_facts *f, u32 upto, u32 index)
{
	u32 other;

	for (u32 i = 0; i < upto; i++) {
		if (rct_proc_is_job(&f->procs[i]) && pinned_index(f, &f->procs[i], &other) && other == index)
			return true;
	}
	return false;
}

static void judge_gid(struct rct_case *c, enum pinned how)
{
	const struct rct_facts *f = c->s->facts;
	u32 index;

	if (!f)
		return;
	for (u32 i = 0; i < f->n_procs; i++) {
		if (rct_proc_is_job(&f->procs[i]) && pinned_index(f, &f->procs[i], &index) &&
		    !judged_before(f, i, index))
			bad_pin(c, &f->procs[i], index, how);
	}
}

void rct_rule_gid_missing(struct rct_case *c)
{
	judge_gid(c, PIN_UNSET);
}

void rct_rule_gid_version(struct rct_case *c)
{
	judge_gid(c, PIN_V1);
}

/* The last of the three: says that all is well, too. */
void rct_rule_gid_link_local(struct rct_case *c)
{
	const struct rct_facts *f = c->s->facts;
	u32 with = 0, without = 0;

	if (!f)
		return;
	judge_gid(c, PIN_LINK_LOCAL);
	for (u32 i = 0; i < f->n_nics; i++) {
		if (!is_active(&f->nics[i]))
			continue;
		with += rct_gid_best(&f->nics[i]) != NULL;
		without += !rct_gid_best(&f->nics[i]);
	}
	if (with && !without && !rct_has(c, "gid."))
		rct_pass(c, "GID (RoCE v2 on %u of %u)", with, with);
	else if (without)
		rct_unsure(c, "GID: no routable RoCE v2 address could be read on %u of %u active NICs", without, with + without);
}

/* ------------------------------------------------------------------ sockets */

void rct_rule_nccl_socket(struct rct_case *c)
{
	const struct rct_facts *f = c->s->facts;
	struct rct_finding *x = NULL;
	char who[RCT_NIC_TEXT];
	bool said;

	if (!f || !active_nics(f))
		return;
	said = !strcasecmp(f->nccl.network, "Socket");
	for (u32 i = 0; i < f->n_procs; i++) {
		const struct rct_proc *p = &f->procs[i];
		const char *net = rct_proc_env(p, "NCCL_NET");
		bool asked = net && !strcasecmp(net, "Socket"), disabled;
		long off = 0;

		disabled = rct_job_number(f, p, "NCCL_IB_DISABLE", &off) && off && rct_proc_is_job(p);

		if (!asked && !disabled && !(said && rct_proc_is_job(p)))
			continue;
		if (!x) {
			x = rct_find(c, RCT_CRITICAL, said ? RCT_CONF_HIGH : RCT_CONF_MEDIUM, RCT_SCOPE_HOST);
			x->weight = RCT_CAUSE;
			RCT_SAY(x->object, "%s", rct_proc_text(p, who));
			RCT_SAY(x->title, "NCCL uses TCP sockets although %u RoCE NIC%s active: RDMA is not used at all.",
				active_nics(f), active_nics(f) == 1 ? " is" : "s are");
			if (asked)
				rct_evidence(x, "NCCL_NET", NULL, "environment", "%s", net);
			if (disabled)
				rct_evidence(x, "NCCL_IB_DISABLE", NULL, "environment", "%ld", off);
		}
	}
	if (!x && said) {
		x = rct_find(c, RCT_CRITICAL, RCT_CONF_HIGH, RCT_SCOPE_HOST);
		x->weight = RCT_CAUSE;
		RCT_SAY(x->object, "job");
		RCT_SAY(x->title, "NCCL uses TCP sockets although RoCE NICs are active: RDMA is not used at all.");
	}
	if (!x)
		return;
	if (said)
		rct_evidence(x, "Using network", NULL, "NCCL log", "%s", f->nccl.network);
	rct_next(x, "unset NCCL_NET and NCCL_IB_DISABLE in the job's launcher, image, /etc/nccl.conf and ~/.nccl.conf");
	rct_next(x, "in a container: /dev/infiniband and rdma-core's libraries must be there: ibv_devices; NCCL_DEBUG=INFO says why it fell back");
}

/* --------------------------------------------------------------- NIC choice */

/* The NICs that a list takes differ in a way that no job wants. */
static bool differ(const struct rct_nic *a, const struct rct_nic *b)
{
	return a->rate_mbps.have == RCT_THERE && b->rate_mbps.have == RCT_THERE && a->rate_mbps.v != b->rate_mbps.v;
}

static bool is_name(const struct rct_hca *h, const struct rct_nic *n)
{
	return !strncmp(h->name, n->dev, h->len) && !n->dev[h->len];
}

/* Does the list have the whole name of this NIC? */
static const struct rct_nic *named(const char *list, const struct rct_nic *n)
{
	struct rct_hca h;

	while (rct_hca_next(&list, &h)) {
		if (is_name(&h, n))
			return n;
	}
	return NULL;
}

/* The NIC whose whole name this one of the list is, or NULL. */
static const struct rct_nic *nic_of_name(const struct rct_facts *f, const struct rct_hca *h)
{
	for (u32 i = 0; i < f->n_nics; i++) {
		if (is_name(h, &f->nics[i]) && rct_nic_active(&f->nics[i]))
			return &f->nics[i];
	}
	return NULL;
}

/*
 * A name of the list that is the whole name of one NIC and the beginning of another's,
 * which the list does not name as well: that one was not meant.
 */
static const struct rct_nic *prefix_collision(const struct rct_facts *f, const char *list, const struct rct_nic **ret_meant)
{
	bool without, exact;
	const char *names = rct_hca_names(list, &without, &exact), *at = names;
	struct rct_hca h;

	while (!without && !exact && rct_hca_next(&at, &h)) {
		const struct rct_nic *meant = nic_of_name(f, &h);

		for (u32 k = 0; meant && k < f->n_nics; k++) {
			const struct rct_nic *other = &f->nics[k];

			if (strncmp(other->dev, h.name, h.len) || named(names, other) || !rct_hca_takes(list, other))
				continue;
			*ret_meant = meant;
			return other;
		}
	}
	return NULL;
}

static void say_collision(struct rct_case *c, const struct rct_proc *p, const char *list)
{
	const struct rct_facts *f = c->s->facts;
	const struct rct_nic *meant = NULL, *other = prefix_collision(f, list, &meant);
	struct rct_finding *x;
	char who[RCT_NIC_TEXT], taken[128] = "";
	u32 n = 0;
	bool mixed = false;

	if (!other)
		return;
	for (u32 i = 0; i < f->n_nics; i++) {
		if (!rct_hca_takes(list, &f->nics[i]))
			continue;
		add_name(taken, sizeof(taken), f->nics[i].dev, n++);
		mixed |= differ(meant, &f->nics[i]);
	}
	x = rct_find(c, RCT_WARNING, RCT_CONF_HIGH, RCT_SCOPE_HOST);
	x->weight = RCT_CAUSE;
	RCT_SAY(x->object, "%s", rct_proc_text(p, who));
	RCT_SAY(x->title, "NCCL_IB_HCA=%.40s selects %u devices, for its names are prefixes%s.", list, n,
		mixed ? ", and they differ in speed" : "");
	rct_evidence(x, "selected", NULL, "environment", "%s", taken);
	for (u32 i = 0; i < f->n_nics; i++) {
		if (rct_hca_takes(list, &f->nics[i]) && f->nics[i].rate_mbps.have == RCT_THERE)
			rct_evidence(x, f->nics[i].dev, NULL, "rate", "%lld Gb/s", (long long)f->nics[i].rate_mbps.v / 1000);
	}
	rct_next(x, "NCCL_IB_HCA==%.60s   (\"=\" in front makes the names exact)", list);
}

/* Does another process of the job take a NIC that this one leaves out? Each rank may have its own. */
static bool others_take(const struct rct_facts *f, const struct rct_proc *p, const struct rct_nic *only)
{
	for (u32 i = 0; i < f->n_procs; i++) {
		const char *list = rct_proc_env(&f->procs[i], "NCCL_IB_HCA");

		for (u32 k = 0; list && &f->procs[i] != p && k < f->n_nics; k++) {
			if (&f->nics[k] != only && rct_hca_takes(list, &f->nics[k]))
				return true;
		}
	}
	return false;
}

/* A list that leaves all but one of several equal NICs idle. */
static void one_nic(struct rct_case *c, const struct rct_proc *p, const char *list)
{
	const struct rct_facts *f = c->s->facts;
	const struct rct_nic *only = NULL;
	struct rct_finding *x;
	u32 taken = 0, equal = 0;
	char who[RCT_NIC_TEXT];

	for (u32 i = 0; i < f->n_nics; i++) {
		if (rct_hca_takes(list, &f->nics[i])) {
			only = &f->nics[i];
			taken++;
		}
	}
	if (taken != 1)
		return;
	for (u32 i = 0; i < f->n_nics; i++)
		equal += &f->nics[i] == only || rct_sibling(c, only, &f->nics[i]);
	if (equal < 4 || others_take(f, p, only))
		return;
	x = rct_find(c, RCT_CRITICAL, RCT_CONF_HIGH, RCT_SCOPE_HOST);
	x->weight = RCT_CAUSE;
	RCT_SAY(x->object, "%s", rct_proc_text(p, who));
	RCT_SAY(x->title, "NCCL_IB_HCA=%.40s limits the job to 1 of %u equal NICs.", list, equal);
	rct_evidence(x, "NCCL_IB_HCA", NULL, "environment", "%s: takes %s", list, only->dev);
	if (*list != '=')
		rct_evidence(x, "names are prefixes", NULL, "NCCL", "mlx5_1 would take mlx5_10, too; \"=\" in front makes them exact");
	rct_next(x, "unset NCCL_IB_HCA, or name all rails: NCCL_IB_HCA==%s,...", only->dev);
}

static bool has_qps(const struct rct_facts *f, const struct rct_proc *p)
{
	for (u32 i = 0; i < f->n_qps; i++) {
		if (f->qps[i].pid == p->pid)
			return true;
	}
	return false;
}

/* A list that takes none of the NICs there are. One that has queue pairs found its own somewhere. */
static void no_nic(struct rct_case *c, const struct rct_proc *p, const char *list)
{
	const struct rct_facts *f = c->s->facts;
	struct rct_finding *x;
	char who[RCT_NIC_TEXT], there[96] = "";
	u32 n = 0;

	if (!active_nics(f) || has_qps(f, p))
		return;
	for (u32 i = 0; i < f->n_nics; i++) {
		if (rct_hca_takes(list, &f->nics[i]))
			return;
		if (is_active(&f->nics[i]))
			add_name(there, sizeof(there), f->nics[i].dev, n++);
	}
	x = rct_find(c, RCT_CRITICAL, RCT_CONF_MEDIUM, RCT_SCOPE_HOST);
	x->weight = RCT_CAUSE;
	RCT_SAY(x->object, "%s", rct_proc_text(p, who));
	RCT_SAY(x->title, "NCCL_IB_HCA=%.40s takes none of this host's NICs: NCCL falls back to TCP sockets or fails.", list);
	rct_evidence(x, "active NICs", NULL, "sysfs", "%s", there);
	RCT_SAY(x->refuted_by, "the process has RDMA devices of a namespace of its own");
	rct_next(x, "unset NCCL_IB_HCA, or name NICs that are there: rdma link");
}

static bool listed_before(const struct rct_facts *f, u32 upto, const char *list)
{
	for (u32 i = 0; i < upto; i++) {
		const char *other = rct_proc_env(&f->procs[i], "NCCL_IB_HCA");

		if (other && !strcmp(other, list))
			return true;
	}
	return false;
}

void rct_rule_nccl_hca(struct rct_case *c)
{
	const struct rct_facts *f = c->s->facts;

	for (u32 i = 0; i < f->n_procs; i++) {
		const char *list = rct_proc_env(&f->procs[i], "NCCL_IB_HCA");

		if (!list || !*list || listed_before(f, i, list))
			continue;
		say_collision(c, &f->procs[i], list);
		one_nic(c, &f->procs[i], list);
		no_nic(c, &f->procs[i], list);
	}
}

/* -------------------------------------------------------------------- errors */

static const struct {
	s32 status;
	const char *title;
} statuses[] = {
	{ 4, "local protection error: the job used memory that it had not registered" },
	{ 9, "remote invalid request: the peer refused it, often for a path MTU or length that does not match" },
	{ 10, "remote access error: wrong key, address or rights" },
	{ 11, "remote operation error: the responder failed on its own side" },
	{ 12, "retries exceeded: the peer never answered" },
	{ 13, "RNR retries exceeded: the peer had no receive posted" },
};

static void say_error(struct rct_case *c, const struct rct_nccl_error *e, const char *title)
{
	/* where its cause is known it is only that cause's consequence */
	bool known = rct_has(c, "link.") || rct_has(c, "nic.firmware") || rct_has(c, "host.xid") || rct_has(c, "path.rail");
	struct rct_finding *x = rct_find(c, known ? RCT_NOTICE : RCT_CRITICAL, RCT_CONF_HIGH, RCT_SCOPE_HOST);

	RCT_SAY(x->object, "%s", *e->hca ? e->hca : "job");
	RCT_SAY(x->title, "NCCL log: completion status %d, %s.", e->status, title);
	rct_evidence(x, "lines", NULL, "NCCL log", "%llu", (unsigned long long)e->count);
	if (*e->local_gid || *e->remote_gid)
		rct_evidence(x, "local to remote GID", NULL, "NCCL log", "%s to %s", e->local_gid, e->remote_gid);
	if (*e->peer)
		rct_evidence(x, "peer", NULL, "NCCL log", "%s", e->peer);
	rct_next(x, "on the peer %s: rocetrace check   (a status 12 always has two ends)", *e->peer ? e->peer : "host");
}

void rct_rule_nccl_error(struct rct_case *c)
{
	const struct rct_facts *f = c->s->facts;

	for (u32 i = 0; f && i < f->nccl.n_errors; i++) {
		for (size_t k = 0; k < sizeof(statuses) / sizeof(statuses[0]); k++) {
			if (f->nccl.errors[i].status == statuses[k].status)
				say_error(c, &f->nccl.errors[i], statuses[k].title);
		}
	}
}
