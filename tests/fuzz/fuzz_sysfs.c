// SPDX-License-Identifier: BSD-2-Clause
/*
 * Texts of sysfs and procfs from foreign hosts. Input: which parser (1 byte), the text.
 * The texts end with a 0, as rct_root_text() gives them.
 */
#include <ctype.h>
#include <errno.h>

#include "base/util.h"
#include "sysinfo/facts.h"
#include "fuzz/fuzz.h"

/* A list says what the mask says, for the CPUs of its last group. */
static void mask(char *text, size_t len)
{
	const char *end = text + strcspn(text, "\n"), *group = end;
	char list[512];
	u32 bits;

	(void)len;
	if (rct_mask_list(text, list, sizeof(list))) {
		must(!*list);
		return;
	}
	while (group > text && group[-1] != ',')
		group--;
	bits = strtoul(group, NULL, 16);
	for (u32 i = 0; i < 32; i++)
		must(rct_list_has(list, i) == (bits >> i & 1));
}

static void line(char *text, size_t len)
{
	struct rct_num rate = rct_rate_parse(text);
	u8 addr[16];

	(void)len;
	must(rate.have == RCT_THERE ? rate.v >= 0 : !rate.v);
	rct_list_has(text, 7);
	rct_gid_parse(text, addr);
}

static void interrupts(char *text, size_t len)
{
	struct rct_facts f = { 0 };
	u64 sum;

	must(rct_interrupts_parse(text, len, &f) == (f.irqs_read ? 0 : -ENODATA));
	must(f.irqs_read || !f.n_irqs);
	for (u32 i = 0; i < f.n_irqs; i++) {
		sum = 0;
		for (u32 j = 0; j < f.n_irq_cpus; j++)
			sum += f.irqs[i].per_cpu[j];
		must(sum == f.irqs[i].total);
	}
	rct_facts_free(&f);
}

/* Nothing but what is asked for comes out of an environment. */
static void process(char *text, size_t len)
{
	struct rct_facts f = { 0 };
	struct rct_proc *p = RCT_FACTS_ADD(f.procs, f.n_procs);
	bool rdma = false;

	must(p && !rct_environ_parse(text, len, p, &rdma));
	must(!rdma || p->n_env);
	for (u32 i = 0; i < p->n_env; i++)
		must(isupper((u8)*p->env[i].name) && !strchr(p->env[i].name, '='));
	rct_status_parse(text, p);
	rct_limits_parse(text, p);
	rct_cgroup_parse(text, p);
	must(strlen(p->cgroup) < sizeof(p->cgroup) && !strchr(p->cpus, '\n'));
	rct_facts_free(&f);
}

static void tables(char *text, size_t len)
{
	struct rct_facts f = { 0 };

	(void)len;
	must(!rct_route_parse(text, &f) && !rct_arp_parse(text, &f));
	for (u32 i = 0; i < f.n_routes; i++)
		must(f.routes[i].prefix <= 32);
	rct_facts_free(&f);
}

static void (*const parsers[])(char *text, size_t len) = {
	mask, line, interrupts, process, tables,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (!size)
		return 0;
	text = malloc(size);
	must(text);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	parsers[*data % RCT_ARRAY_SIZE(parsers)](text, size - 1);
	free(text);
	return 0;
}
