// SPDX-License-Identifier: BSD-2-Clause
/* What only shows when several hosts lie side by side: what must be equal at both ends. */
#include "analyse/hosts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"
#include "model/facts.h"

/* Hosts under judgement. */
struct hosts {
	const struct rct_snapshot *const *s;
	size_t n;
	const struct rct_hosts_rule *rule;
	struct rct_findings *out;
	bool no_memory;
};

static struct rct_finding *find(struct hosts *h, enum rct_severity severity, enum rct_confidence confidence,
				enum rct_scope scope)
{
	struct rct_finding *f = rct_findings_add(h->out);

	if (!f) {
		h->no_memory = true;
		return NULL;
	}
	f->id = h->rule->about.id;
	f->explain = h->rule->about.title;
	f->severity = severity;
	f->confidence = confidence;
	f->scope = scope;
	return f;
}

/* ---- mtu.mismatch */

struct end {
	const struct rct_snapshot *s;
	const struct rct_nic *n;
	const struct rct_netif *i;	/* NULL: not known */
	bool told;			/* a finding names it */
};

static bool same_prefix(const struct rct_addr4 *a, const struct rct_addr4 *b)
{
	u32 bits = a->prefix + (a->family == 4 ? 96 : 0);

	if (a->family != b->family || a->prefix != b->prefix || !a->prefix || bits > 128)
		return false;
	/* fe80::/64 is every link's own */
	if (a->family == 6 && a->addr[0] == 0xfe && (a->addr[1] & 0xc0) == 0x80)
		return false;
	return !memcmp(a->addr, b->addr, bits / 8) &&
	       (!(bits % 8) || !((a->addr[bits / 8] ^ b->addr[bits / 8]) >> (8 - bits % 8)));
}

static bool share_subnet(const struct end *a, const struct end *b, bool *both_have)
{
	const struct rct_facts *fa = a->s->facts, *fb = b->s->facts;

	*both_have = false;
	for (u32 i = 0; i < fa->n_addrs; i++) {
		for (u32 k = 0; k < fb->n_addrs; k++) {
			if (strcmp(fa->addrs[i].ifname, a->n->ifname) || strcmp(fb->addrs[k].ifname, b->n->ifname))
				continue;
			*both_have = true;
			if (same_prefix(&fa->addrs[i], &fb->addrs[k]))
				return true;
		}
	}
	return false;
}

/* Do they talk to each other? By subnet; where addresses are not known, by the rail's name. */
static bool face(const struct end *a, const struct end *b)
{
	bool both_have;

	if (a->s == b->s)
		return false;
	if (share_subnet(a, b, &both_have))
		return true;
	return !both_have && !strcmp(a->n->dev, b->n->dev) && a->n->port == b->n->port;
}

static struct end *list_ends(struct hosts *h, size_t *n)
{
	struct end *ends = NULL;
	size_t most = 0;

	*n = 0;
	for (size_t i = 0; i < h->n; i++)
		most += h->s[i]->facts ? h->s[i]->facts->n_nics : 0;
	if (most)
		ends = calloc(most, sizeof(*ends));
	h->no_memory |= most && !ends;
	for (size_t i = 0; ends && i < h->n; i++) {
		const struct rct_facts *f = h->s[i]->facts;

		for (u32 k = 0; f && k < f->n_nics; k++) {
			if (f->nics[k].active_mtu.have != RCT_THERE)
				continue;
			ends[(*n)++] = (struct end){ h->s[i], &f->nics[k],
						     rct_nic_netif(f, &f->nics[k]), false };
		}
	}
	return ends;
}

static void say_end(struct rct_finding *f, struct end *e)
{
	struct rct_evidence *v;

	e->told = true;
	if (f->n_evidence == RCT_EVIDENCE)
		return;
	v = &f->evidence[f->n_evidence++];
	snprintf(v->metric, sizeof(v->metric), "%.24s %.20s", e->s->host, e->n->dev);
	if (e->i && e->i->mtu.have == RCT_THERE)
		snprintf(v->value, sizeof(v->value), "path MTU %lld, netdev MTU %lld", (long long)e->n->active_mtu.v,
			 (long long)e->i->mtu.v);
	else
		snprintf(v->value, sizeof(v->value), "path MTU %lld", (long long)e->n->active_mtu.v);
	snprintf(v->from, sizeof(v->from), "config %.40s", e->n->dev);
}

/* Requests that do not fit the other end are refused. */
static void say_refused(struct rct_finding *f, const struct end *e)
{
	static const enum rct_canonical refused[] = { RCT_C_REMOTE_INVALID_REQUEST, RCT_C_LOCAL_LENGTH_ERROR };

	for (size_t i = 0; i < RCT_ARRAY_SIZE(refused); i++) {
		struct rct_num v = rct_nic_counter(e->s->facts, e->n, refused[i], 0, NULL, 0);

		if (v.have == RCT_THERE && v.v > 0 && f->n_explains < RCT_EXPLAINS)
			snprintf(f->explains[f->n_explains++], sizeof(f->explains[0]), "%.40s: %s %lld", e->s->host,
				 rct_canonical_at(refused[i])->name, (long long)v.v);
	}
}

static struct rct_finding *mismatch(struct hosts *h, struct end *a, const struct end *b)
{
	struct rct_finding *f = find(h, RCT_CRITICAL, RCT_CONF_HIGH, RCT_SCOPE_NIC);

	if (!f)
		return NULL;
	snprintf(f->object, sizeof(f->object), "%.50s %.24s <-> %.50s %.24s", a->s->host, a->n->dev, b->s->host,
		 b->n->dev);
	snprintf(f->title, sizeof(f->title), "The two ends have different path MTUs: %lld and %lld.",
		 (long long)a->n->active_mtu.v, (long long)b->n->active_mtu.v);
	snprintf(f->impact, sizeof(f->impact),
		 "a queue pair that is set up with the larger one sends packets that the other end refuses");
	snprintf(f->next[f->n_next++], sizeof(f->next[0]),
		 "set one netdev MTU on both ends and on every switch port between; then: ping -M do -s SIZE PEER");
	say_end(f, a);
	say_refused(f, a);
	return f;
}

/* All ends that face a and differ from it are one finding. */
static void judge_end(struct hosts *h, struct end *a, struct end *last)
{
	struct rct_finding *f = NULL;

	for (struct end *b = a + 1; b < last; b++) {
		if (b->told || b->n->active_mtu.v == a->n->active_mtu.v || !face(a, b))
			continue;
		if (!f)
			f = mismatch(h, a, b);
		if (!f)
			return;
		say_end(f, b);
		say_refused(f, b);
	}
}

static void judge_mtu(struct hosts *h)
{
	size_t n;
	struct end *ends = list_ends(h, &n);

	for (size_t i = 0; i < n; i++) {
		if (!ends[i].told)
			judge_end(h, &ends[i], ends + n);
	}
	free(ends);
}

/* ---- nccl.disagree */

/* What every rank of a job must be told alike. */
static const char *const alike[] = {
	"NCCL_NET", "NCCL_IB_DISABLE", "NCCL_IB_TC", "NCCL_IB_SL", "NCCL_IB_TIMEOUT", "NCCL_IB_RETRY_CNT",
	"NCCL_IB_QPS_PER_CONNECTION", "NCCL_CROSS_NIC", "NCCL_ALGO", "NCCL_PROTO", "NCCL_BUFFSIZE",
	"NCCL_MIN_NCHANNELS", "NCCL_MAX_NCHANNELS", "NCCL_IB_ADAPTIVE_ROUTING", "NCCL_P2P_LEVEL",
};

static const char *const job_ids[] = { "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID" };

bool rct_env_must_agree(const char *name)
{
	for (size_t i = 0; i < RCT_ARRAY_SIZE(alike); i++) {
		if (!strcmp(alike[i], name))
			return true;
	}
	return false;
}

bool rct_env_is_job_id(const char *name)
{
	for (size_t i = 0; i < RCT_ARRAY_SIZE(job_ids); i++) {
		if (!strcmp(job_ids[i], name))
			return true;
	}
	return false;
}

static bool has_nccl(const struct rct_proc *p)
{
	for (u32 i = 0; i < p->n_env; i++) {
		if (!strncmp(p->env[i].name, "NCCL_", 5))
			return true;
	}
	return false;
}

/* A host's first process whose environment was read and speaks of NCCL. */
static const struct rct_proc *rank_of(const struct rct_snapshot *s)
{
	const struct rct_facts *f = s->facts;

	for (u32 i = 0; f && i < f->n_procs; i++) {
		if (f->procs[i].env_read && has_nccl(&f->procs[i]))
			return &f->procs[i];
	}
	return NULL;
}

static bool other_job(const struct rct_proc *a, const struct rct_proc *b)
{
	for (size_t i = 0; i < RCT_ARRAY_SIZE(job_ids); i++) {
		const char *x = rct_proc_env(a, job_ids[i]), *y = rct_proc_env(b, job_ids[i]);

		if (x && y)
			return strcmp(x, y) != 0;
	}
	return false;
}

static bool differ(const char *x, const char *y)
{
	return !x != !y || (x && strcmp(x, y));
}

static void say_rank(struct rct_finding *f, const struct rct_snapshot *s, const struct rct_proc *p,
		     const char *name)
{
	const char *value = rct_proc_env(p, name);
	struct rct_evidence *v = &f->evidence[f->n_evidence++];

	snprintf(v->metric, sizeof(v->metric), "%.28s pid %d", s->host, p->pid);
	snprintf(v->value, sizeof(v->value), "%s%s%.50s", name, value ? "=" : " is not set", value ? value : "");
	snprintf(v->from, sizeof(v->from), "environment at exec");
}

static void disagree(struct hosts *h, const struct rct_snapshot *sa, const struct rct_proc *a,
		     const struct rct_snapshot *sb, const struct rct_proc *b, const char *name)
{
	const char *x = rct_proc_env(a, name), *y = rct_proc_env(b, name);
	struct rct_finding *f = find(h, RCT_WARNING, RCT_CONF_MEDIUM, RCT_SCOPE_HOST);

	if (!f)
		return;
	/* the one that was told nothing is the odd one */
	snprintf(f->object, sizeof(f->object), "%.100s process %d", x ? sb->host : sa->host, x ? b->pid : a->pid);
	if (x && y)
		snprintf(f->title, sizeof(f->title), "%s is %.40s here and %.40s on %.40s: the ends of the job's connections differ.",
			 name, y, x, sa->host);
	else
		snprintf(f->title, sizeof(f->title), "%s is not set here and %.40s on %.60s: the ends of the job's connections differ.",
			 name, x ? x : y, x ? sa->host : sb->host);
	say_rank(f, sa, a, name);
	say_rank(f, sb, b, name);
	snprintf(f->refuted_by, sizeof(f->refuted_by), "the processes are not of one job, or set it later themselves");
	snprintf(f->next[f->n_next++], sizeof(f->next[0]),
		 "hand %s to all ranks by the launcher (mpirun -x, srun --export), not by a shell's profile", name);
}

static void judge_ranks(struct hosts *h)
{
	for (size_t v = 0; v < RCT_ARRAY_SIZE(alike); v++) {
		const struct rct_snapshot *first = NULL;
		const struct rct_proc *a = NULL, *b;

		for (size_t i = 0; i < h->n; i++) {
			b = rank_of(h->s[i]);
			if (!b || (a && other_job(a, b)))
				continue;
			if (!a) {
				a = b;
				first = h->s[i];
			} else if (differ(rct_proc_env(a, alike[v]), rct_proc_env(b, alike[v]))) {
				/* one is enough to look at the launcher */
				disagree(h, first, a, h->s[i], b, alike[v]);
				break;
			}
		}
	}
}

/* ---- the table */

const struct rct_hosts_rule rct_hosts_rules[] = {
	{ { "mtu.mismatch",
	    "The two ends of a link or rail have different path MTUs.",
	    "RDMA cuts messages into packets of the path MTU that the queue pair was set up with, the "
	    "largest of 256, 512, 1024, 2048 and 4096 that fits the interface's MTU less headers. "
	    "Software that takes its own port's value, without asking the peer, sends packets that "
	    "are too long for the other end: they are refused as invalid requests, or dropped on the "
	    "way.\n\n"
	    "Which ends belong together is told by their subnets; where addresses are not known, "
	    "by the device's name. One host alone never has this finding." },
	  judge_mtu },
	{ { "nccl.disagree",
	    "Processes on different hosts were told different things by their environments.",
	    "Traffic class, service level, timeouts, protocol and number of queue pairs must be the "
	    "same for all ranks of a job. A variable that is set by one host's profile and not by "
	    "another's gives connections whose directions are treated differently: one lossless, the "
	    "other not.\n\n"
	    "Only the environment at exec is known; what a program sets later is not." },
	  judge_ranks },
};

const size_t rct_n_hosts_rules = RCT_ARRAY_SIZE(rct_hosts_rules);

int rct_analyse_hosts(const struct rct_snapshot *const *s, size_t n, struct rct_findings *ret)
{
	struct hosts h = { .s = s, .n = n, .out = ret };

	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < rct_n_hosts_rules; i++) {
		h.rule = &rct_hosts_rules[i];
		h.rule->judge(&h);
	}
	if (h.no_memory) {
		rct_findings_free(ret);
		return -ENOMEM;
	}
	rct_findings_sort(ret);
	return 0;
}
