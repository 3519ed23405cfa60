// SPDX-License-Identifier: BSD-2-Clause
/* GPUs against the NICs that their job may use. */
#include <stdio.h>

#include "analyse/job.h"
#include "base/util.h"
#include "model/irqs.h"

/* What the processes of the job, or its log, say; NULL: nothing. */
static const char *hca_list(const struct rct_facts *f)
{
	const char *list = rct_job_env(f, NULL, "NCCL_IB_HCA");

	for (u32 i = 0; !list && i < f->n_procs; i++)
		list = rct_proc_env(&f->procs[i], "NCCL_IB_HCA");
	return list;
}

static bool taken(const struct rct_facts *f, const char *list, const char *dev)
{
	const struct rct_nic *n = rct_nic_of(f, dev);

	return n && rct_nic_active(n) && rct_hca_takes(list, n);
}

/* What the NICs of the job are to a GPU. */
struct reach {
	u32 taken, far;
	const char *dev;	/* the first far one */
	s32 node;		/* of the GPU, as that of a NIC near to it */
};

static struct reach reach_of(const struct rct_facts *f, const char *list, const char *gpu)
{
	struct reach r = { .node = RCT_NODE_UNKNOWN };

	for (u32 i = 0; i < f->n_distances; i++) {
		const struct rct_distance *d = &f->distances[i];
		const struct rct_nic *n = rct_nic_of(f, d->dev);
		bool far = !strcmp(d->path, "SYS");

		if (strcmp(d->gpu, gpu) || !n)
			continue;
		if (!far && n->node >= 0)
			r.node = n->node;
		if (!taken(f, list, d->dev))
			continue;
		r.taken++;
		if (far && !r.far++)
			r.dev = d->dev;
	}
	return r;
}

static bool first_of_gpu(const struct rct_facts *f, u32 at)
{
	for (u32 i = 0; i < at; i++) {
		if (!strcmp(f->distances[i].gpu, f->distances[at].gpu))
			return false;
	}
	return true;
}

static void found_far(struct rct_case *c, const char *gpus, u32 n, const struct reach *r, const char *list)
{
	struct rct_finding *f = rct_find(c, RCT_NOTICE, RCT_CONF_HIGH, RCT_SCOPE_HOST);
	char node[32] = "";

	if (r->node >= 0)
		RCT_SAY(node, " of node %d", r->node);
	RCT_SAY(f->object, "%s", gpus);
	RCT_SAY(f->title, "%u GPU%s%s must cross sockets to reach the network: of the NICs to be used, %.48s%s, none is near.", n,
		n > 1 ? "s" : "", node, r->dev, r->taken > 1 ? " and others" : "");
	rct_evidence(f, "distance", "PIX or PXB", "nvidia-smi topo -m", "SYS: %.80s to %s", gpus, r->dev);
	if (list)
		rct_evidence(f, "NCCL_IB_HCA", NULL, "environment", "%.90s", list);
	rct_next(f, list ? "let NCCL choose: without NCCL_IB_HCA, or with every NIC of the job in it" :
		 "is a NIC of that socket down, or not an RDMA device? rdma link");
}

void rct_rule_gpu_nic(struct rct_case *c)
{
	const struct rct_facts *f = c->s->facts;
	const char *list = hca_list(f);
	struct reach worst = {};
	char gpus[100] = "";
	u32 far = 0, judged = 0;

	for (u32 i = 0; i < f->n_distances; i++) {
		struct reach r;

		if (!first_of_gpu(f, i))
			continue;
		r = reach_of(f, list, f->distances[i].gpu);
		judged += r.taken > 0;
		if (!r.taken || r.far < r.taken)
			continue;
		snprintf(gpus + strlen(gpus), sizeof(gpus) - strlen(gpus), "%s%s", far++ ? " " : "", f->distances[i].gpu);
		worst = worst.dev ? worst : r;
	}
	if (far)
		found_far(c, gpus, far, &worst, list);
	else if (judged)
		rct_pass(c, "GPU-NIC distance (each of %u GPUs has a NIC on its side)", judged);
}
