// SPDX-License-Identifier: BSD-2-Clause
/*
 * The parsers of cmd/ texts. Input: which parser (1 byte: an index into the two tables,
 * one behind the other), then the text.
 */
#include "fuzz/fuzz.h"

#include <errno.h>

#include "sysinfo/text.h"

static size_t n_if, n_host;

static void count(void)
{
	for (n_if = 0; rct_texts_if[n_if].prefix; n_if++)
		;
	for (n_host = 0; rct_texts_host[n_host].name; n_host++)
		;
}

/* Ends with a 0 inside of the field. */
#define ENDS(field)	must(memchr(field, 0, sizeof(field)))

static void check_netif(const struct rct_netif *n)
{
	ENDS(n->driver);
	ENDS(n->driver_version);
	ENDS(n->firmware);
	ENDS(n->pci);
	ENDS(n->dcb.dcbx);
	for (u32 i = 0; i < n->n_counters; i++) {
		ENDS(n->counters[i].name);
		must(n->counters[i].name[0] && n->counters[i].have != RCT_ABSENT);
	}
	for (int i = 0; i < 64; i++)
		must(n->dcb.dscp_prio[i] >= -1 && n->dcb.dscp_prio[i] < RCT_PRIOS);
	for (int i = 0; i < RCT_PRIOS; i++) {
		must(n->dcb.prio_buffer[i] >= -1 && n->dcb.prio_buffer[i] < RCT_PRIOS);
		must(n->dcb.prio_tc[i] >= -1 && n->dcb.prio_tc[i] < RCT_PRIOS);
	}
	must(n->pause_rx >= -1 && n->pause_rx <= 1 && n->lro >= -1 && n->lro <= 1);
}

static void check_nccl(const struct rct_nccl *n)
{
	must(n->gdr >= -1 && n->gdr <= 1 && n->n_devices <= 32);
	ENDS(n->network);
	ENDS(n->gdr_hca);
	for (u32 i = 0; i < n->n_errors; i++) {
		ENDS(n->errors[i].peer);
		ENDS(n->errors[i].remote_gid);
		must(n->errors[i].text && n->errors[i].count);
		must(n->errors[i].status >= -1 && n->errors[i].status < 256);
	}
	for (u32 i = 0; i < n->n_env; i++)
		must(n->env[i].name && n->env[i].value && strchr(n->env[i].name, '_'));
}

static void check_facts(const struct rct_facts *f)
{
	check_nccl(&f->nccl);
	for (u32 i = 0; i < f->n_log; i++) {
		must(f->log[i].class > RCT_LOG_OTHER && f->log[i].class < RCT_LOG_CLASSES);
		must(f->log[i].text && (f->log[i].at >= 0 || f->log[i].at == -1));
		ENDS(f->log[i].object);
	}
	for (u32 i = 0; i < f->n_qps; i++)
		must(f->qps[i].lqpn <= 0xffffff && f->qps[i].sq_psn <= 0xffffff);
	for (u32 i = 0; i < f->n_addrs; i++)
		must(f->addrs[i].prefix <= (f->addrs[i].family == 4 ? 32 : 128));
	for (u32 i = 0; i < f->n_pcis; i++)
		must(strlen(f->pcis[i].addr) == 12 && f->pcis[i].link_width <= 64);
	for (u32 i = 0; i < f->n_nodes; i++)
		ENDS(f->nodes[i].cpus);
	must(f->nics[0].active_mtu.v >= 0 && f->nics[0].active_mtu.v <= 4096);
}

static void run_if(size_t i, const char *text, size_t size)
{
	struct rct_netif n = { .lro = -1, .gro_hw = -1, .pause_autoneg = -1, .pause_rx = -1, .pause_tx = -1 };
	int rc;

	memset(n.dcb.dscp_prio, -1, sizeof(n.dcb.dscp_prio));
	memset(n.dcb.prio_buffer, -1, sizeof(n.dcb.prio_buffer));
	memset(n.dcb.prio_tc, -1, sizeof(n.dcb.prio_tc));
	rc = rct_texts_if[i].parse(text, size, &n);
	must(!rc || rc == -ENODATA);
	check_netif(&n);
	free(n.counters);
}

static void run_host(size_t i, const char *text, size_t size)
{
	struct rct_facts f = { .nccl = { .gdr = -1 } };
	struct rct_nic *nic = RCT_FACTS_ADD(f.nics, f.n_nics);
	int rc;

	must(nic);
	strcpy(nic->dev, "mlx5_0");
	nic->port = 1;
	rc = rct_texts_host[i].parse(text, size, &f);
	must(!rc || rc == -ENODATA);
	check_facts(&f);
	rct_facts_free(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *text;
	size_t i;

	if (!n_if)
		count();
	if (!size)
		return 0;
	text = fuzz_copy(data + 1, size - 1);
	i = data[0] % (n_if + n_host);
	if (i < n_if)
		run_if(i, (char *)text, size - 1);
	else
		run_host(i - n_if, (char *)text, size - 1);
	free(text);
	return 0;
}
