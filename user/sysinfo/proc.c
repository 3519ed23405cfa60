// SPDX-License-Identifier: BSD-2-Clause
/*
 * Processes that use RDMA: by their environment, or by queue pairs of theirs. Of an
 * environment only what is on a list is kept: it holds people's secrets too.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"
#include "sysinfo/facts.h"

#define ENV_MAX		512	/* variables that are kept of one process */
#define VALUE_MAX	4096	/* longer values are not */

/* -------------------------------------------------------------- environment */

/* Names that begin so are of RDMA software: a process that has one is of interest. */
static const char *const rdma_prefixes[] = {
	"NCCL_", "RCCL_", "UCX_", "MLX5_", "MLX4_", "RDMAV_", "IBV_", "NVSHMEM_", "FI_",
	"OMPI_COMM_WORLD_",
};

/* Which job and which part of it, which devices. */
static const char *const names[] = {
	"SLURM_JOB_ID", "SLURM_JOBID", "SLURM_STEP_ID", "SLURM_PROCID", "SLURM_LOCALID",
	"SLURM_NTASKS", "PBS_JOBID", "LSB_JOBID", "JOB_ID", "PMI_RANK", "PMIX_RANK", "RANK",
	"LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "CUDA_VISIBLE_DEVICES",
	"HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
};

static bool is_rdma(const char *name)
{
	for (size_t i = 0; i < RCT_ARRAY_SIZE(rdma_prefixes); i++) {
		if (!strncmp(name, rdma_prefixes[i], strlen(rdma_prefixes[i])))
			return true;
	}
	return false;
}

/* len: of the name, which ends with '='. */
static bool is_named(const char *name, size_t len)
{
	for (size_t i = 0; i < RCT_ARRAY_SIZE(names); i++) {
		if (strlen(names[i]) == len && !strncmp(name, names[i], len))
			return true;
	}
	return false;
}

static int keep(const char *text, size_t name_len, struct rct_proc *p)
{
	struct rct_env *e = RCT_FACTS_ADD(p->env, p->n_env);

	if (!e)
		return -ENOMEM;
	e->name = strndup(text, name_len);
	e->value = strdup(text + name_len + 1);
	return e->name && e->value ? 0 : -ENOMEM;
}

int rct_environ_parse(const char *text, size_t len, struct rct_proc *p, bool *ret_rdma)
{
	const char *end = text + len, *equals;
	size_t n;
	bool rdma;
	int rc;

	/* text ends with a 0 of its own, so that the last variable does too */
	for (; text < end && p->n_env < ENV_MAX; text += n + 1) {
		n = strlen(text);
		equals = strchr(text, '=');
		if (!equals || equals == text || text + n - equals > VALUE_MAX)
			continue;
		rdma = is_rdma(text);
		if (!rdma && !is_named(text, equals - text))
			continue;
		*ret_rdma |= rdma;
		rc = keep(text, equals - text, p);
		if (rc)
			return rc;
	}
	return 0;
}

/* ------------------------------------------------------------------ process */

/* The rest of the line that begins with key, without blanks before it. False: none, or it doesn't fit. */
static bool line_value(const char *text, const char *key, char *ret, size_t size)
{
	size_t len = strlen(key);

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		if (strncmp(text, key, len))
			continue;
		text += len;
		text += strspn(text, " \t");
		len = strcspn(text, "\n");
		if (len >= size)
			return false;
		memcpy(ret, text, len);
		ret[len] = '\0';
		return true;
	}
	return false;
}

void rct_status_parse(const char *text, struct rct_proc *p)
{
	line_value(text, "Cpus_allowed_list:", p->cpus, sizeof(p->cpus));
	line_value(text, "Mems_allowed_list:", p->mems, sizeof(p->mems));
}

/* The soft limit: "Max locked memory  65536  65536  bytes". */
void rct_limits_parse(const char *text, struct rct_proc *p)
{
	char line[128], *end;
	u64 v;

	if (!line_value(text, "Max locked memory", line, sizeof(line)))
		return;
	if (!strncmp(line, "unlimited", 9)) {
		p->memlock = UINT64_MAX;
		p->memlock_read = true;
		return;
	}
	errno = 0;
	v = strtoull(line, &end, 10);
	if (!isdigit((unsigned char)*line) || errno || (*end && *end != ' '))
		return;
	p->memlock = v;
	p->memlock_read = true;
}

/* That of version 2, "0::/path"; where there is none, the first. */
void rct_cgroup_parse(const char *text, struct rct_proc *p)
{
	const char *line = strstr(text, "0::");

	if (!line || (line != text && line[-1] != '\n')) {
		line = strchr(text, ':');
		line = line ? strchr(line + 1, ':') : NULL;
		if (!line)
			return;
		line++;
	} else {
		line += 3;
	}
	snprintf(p->cgroup, sizeof(p->cgroup), "%.*s", (int)strcspn(line, "\n"), line);
}

static void parse_file(const struct rct_root *r, const char *pid, const char *file,
		       void (*parse)(const char *text, struct rct_proc *p), struct rct_proc *p)
{
	char *text = rct_root_text(r, NULL, NULL, "proc/%s/%s", pid, file);

	if (text)
		parse(text, p);
	free(text);
}

static void free_env(struct rct_proc *p)
{
	for (u32 i = 0; i < p->n_env; i++) {
		free(p->env[i].name);
		free(p->env[i].value);
	}
	free(p->env);
}

static bool owns_qp(const struct rct_facts *f, s32 pid)
{
	for (u32 i = 0; i < f->n_qps; i++) {
		if (f->qps[i].pid == pid)
			return true;
	}
	return false;
}

static int add_proc(const struct rct_root *r, const char *pid, struct rct_proc *p,
		    struct rct_facts *f)
{
	struct rct_proc *added = RCT_FACTS_ADD(f->procs, f->n_procs);

	if (!added) {
		free_env(p);
		return -ENOMEM;
	}
	parse_file(r, pid, "status", rct_status_parse, p);
	parse_file(r, pid, "cgroup", rct_cgroup_parse, p);
	parse_file(r, pid, "limits", rct_limits_parse, p);
	*added = *p;
	return 0;
}

static int read_proc(const struct rct_root *r, const char *pid, struct rct_facts *f)
{
	struct rct_proc p = { .pid = strtol(pid, NULL, 10) };
	bool rdma = owns_qp(f, p.pid);
	size_t len;
	char *text;
	int rc = 0;

	rct_root_line(r, p.comm, sizeof(p.comm), "proc/%s/comm", pid);
	if (!strcmp(p.comm, "irqbalance"))
		f->irqbalance = 1;
	text = rct_root_text(r, &len, NULL, "proc/%s/environ", pid);
	p.env_read = text;
	if (text)
		rc = rct_environ_parse(text, len, &p, &rdma);
	free(text);
	if (!rc && rdma)
		return add_proc(r, pid, &p, f);
	free_env(&p);
	return rc;
}

/*
 * A captured host has its irqbalance among the processes if it has one. A container sees
 * its own processes only: none there says nothing of the host.
 */
static void judge_irqbalance(const struct rct_root *r, struct rct_facts *f)
{
	bool all = rct_root_captured(r) ? f->container != 1 : f->container == 0;

	if (f->irqbalance != RCT_TRI_UNKNOWN)
		return;
	if (all && rct_root_exists(r, "proc/interrupts"))
		f->irqbalance = 0;
	else if (rct_root_exists(r, "run/irqbalance.pid") ||
		 rct_root_exists(r, "run/irqbalance/irqbalance.pid"))
		f->irqbalance = 1;
}

int rct_read_procs(const struct rct_root *r, struct rct_facts *f)
{
	char **entries;
	size_t n;
	int rc = 0;

	if (rct_root_list(r, &entries, &n, "proc"))
		return 0;
	for (size_t i = 0; i < n && !rc; i++) {
		/* process numbers have at most seven digits */
		if (strlen(entries[i]) < 10 && entries[i][strspn(entries[i], "0123456789")] == '\0')
			rc = read_proc(r, entries[i], f);
	}
	rct_names_free(entries, n);
	judge_irqbalance(r, f);
	return rc;
}
