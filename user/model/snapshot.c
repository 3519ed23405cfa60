// SPDX-License-Identifier: BSD-2-Clause
#include "model/snapshot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "model/facts.h"

static void free_facts(struct rct_facts *f)
{
	if (f)
		rct_facts_free(f);
	free(f);
}

void rct_snapshot_free(struct rct_snapshot *s)
{
	if (!s)
		return;
	free(s->coverage);
	free(s->ifaces);
	free(s->flows);
	free_facts(s->before);
	free_facts(s->facts);
	memset(s, 0, sizeof(*s));
}

/* Grows a list by one element; capacities are powers of two. */
static void *append(void **list, size_t *n, size_t size)
{
	size_t cap = *n;
	char *p = *list;

	if (!(cap & (cap - 1))) {
		p = realloc(p, (cap ? cap * 2 : 1) * size);
		if (!p)
			return NULL;
		*list = p;
	}
	p += *n * size;
	(*n)++;
	return memset(p, 0, size);
}

struct rct_coverage *rct_snapshot_add_coverage(struct rct_snapshot *s)
{
	return append((void **)&s->coverage, &s->n_coverage, sizeof(*s->coverage));
}

struct rct_iface *rct_snapshot_add_iface(struct rct_snapshot *s)
{
	return append((void **)&s->ifaces, &s->n_ifaces, sizeof(*s->ifaces));
}

int rct_snapshot_reserve_flows(struct rct_snapshot *s, size_t n)
{
	struct rct_flow *flows = realloc(s->flows, (s->n_flows + n) * sizeof(*flows));

	if (!flows)
		return -ENOMEM;
	s->flows = flows;
	s->room_flows = s->n_flows + n;
	return 0;
}

struct rct_flow *rct_snapshot_add_flow(struct rct_snapshot *s)
{
	if (s->n_flows == s->room_flows && rct_snapshot_reserve_flows(s, s->n_flows ? s->n_flows : 16))
		return NULL;
	return memset(&s->flows[s->n_flows++], 0, sizeof(*s->flows));
}

static void read_line(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");

	if (f && fgets(buf, size, f))
		buf[strcspn(buf, "\n")] = 0;
	if (f)
		fclose(f);
}

static u32 count_nodes(void)
{
	char path[64];
	u32 n = 0;

	do {
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%u", n);
	} while (!access(path, F_OK) && ++n < 1024);
	return n;
}

void rct_snapshot_host(struct rct_snapshot *s)
{
	struct utsname u;

	if (!uname(&u)) {
		snprintf(s->host, sizeof(s->host), "%s", u.nodename);
		snprintf(s->kernel, sizeof(s->kernel), "%s", u.release);
		snprintf(s->arch, sizeof(s->arch), "%s", u.machine);
	}
	read_line("/proc/sys/kernel/random/boot_id", s->boot_id, sizeof(s->boot_id));
	s->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	s->nodes = count_nodes();
}

void rct_snapshot_sum(struct rct_snapshot *s)
{
	struct rct_totals *t = &s->totals;

	t->flows = s->n_flows;
	t->roce = t->roce1 = t->bytes = 0;
	for (size_t i = 0; i < s->n_flows; i++) {
		const struct rct_flow *f = &s->flows[i];

		if (f->key.family == RCT_ROCE1)
			t->roce1 += f->packets;
		else
			t->roce += f->packets;
		t->bytes += f->bytes;
	}
	for (size_t i = 0; i < s->n_ifaces; i++) {
		t->roce += s->ifaces[i].overflow_packets;
		t->bytes += s->ifaces[i].overflow_bytes;
	}
}
