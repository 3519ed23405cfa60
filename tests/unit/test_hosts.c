// SPDX-License-Identifier: BSD-2-Clause
/* user/analyse/hosts.c: what several hosts say beside each other. */
#include "lib/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/analyse.h"
#include "model/facts.h"

#define HOSTS	3

/* Each with one NIC, mlx5_0 upon eth0, and one process. */
struct hosts {
	struct rct_snapshot s[HOSTS];
	const struct rct_snapshot *list[HOSTS];
	struct rct_findings found;
};

static void make(struct hosts *h)
{
	memset(h, 0, sizeof(*h));
	for (int i = 0; i < HOSTS; i++) {
		struct rct_facts *f = h->s[i].facts = calloc(1, sizeof(*f));
		struct rct_nic *n = RCT_FACTS_ADD(f->nics, f->n_nics);
		struct rct_proc *p = RCT_FACTS_ADD(f->procs, f->n_procs);

		snprintf(h->s[i].host, sizeof(h->s[i].host), "host%c", 'A' + i);
		strcpy(n->dev, "mlx5_0");
		strcpy(n->ifname, "eth0");
		n->port = 1;
		n->netif = -1;
		n->active_mtu = (struct rct_num){ RCT_THERE, 4096 };
		p->pid = 100 + i;
		p->env_read = true;
		h->list[i] = &h->s[i];
	}
}

static void set_env(struct hosts *h, int host, const char *name, const char *value)
{
	struct rct_proc *p = &h->s[host].facts->procs[0];
	struct rct_env *e = RCT_FACTS_ADD(p->env, p->n_env);

	e->name = strdup(name);
	e->value = strdup(value);
}

/* 10.NET.0.HOST/24 */
static void set_address(struct hosts *h, int host, u8 net)
{
	struct rct_facts *f = h->s[host].facts;
	struct rct_addr4 *a = RCT_FACTS_ADD(f->addrs, f->n_addrs);

	strcpy(a->ifname, "eth0");
	a->family = 4;
	a->prefix = 24;
	memcpy(a->addr, (u8[16]){ [10] = 0xff, 0xff, 10, net, 0, host + 1 }, 16);
}

static void judge(struct hosts *h)
{
	assert_int_equal(rct_analyse_hosts(h->list, HOSTS, &h->found), 0);
}

static void done(struct hosts *h)
{
	rct_findings_free(&h->found);
	for (int i = 0; i < HOSTS; i++)
		rct_snapshot_free(&h->s[i]);
}

static void test_equal(void **state)
{
	struct hosts h;

	(void)state;
	make(&h);
	for (int i = 0; i < HOSTS; i++)
		set_env(&h, i, "NCCL_IB_TC", "106");
	judge(&h);
	assert_int_equal(h.found.n, 0);
	done(&h);
}

static void test_mtu_by_name(void **state)
{
	struct hosts h;

	(void)state;
	make(&h);
	h.s[2].facts->nics[0].active_mtu.v = 1024;
	judge(&h);
	assert_int_equal(h.found.n, 1);
	assert_string_equal(h.found.v[0].id, "mtu.mismatch");
	assert_int_equal(h.found.v[0].severity, RCT_CRITICAL);
	assert_non_null(strstr(h.found.v[0].title, "4096 and 1024"));
	assert_non_null(strstr(h.found.v[0].object, "hostC mlx5_0"));
	done(&h);
}

static void test_mtu_unknown(void **state)
{
	struct hosts h;

	(void)state;
	make(&h);
	h.s[2].facts->nics[0].active_mtu = (struct rct_num){ .have = RCT_ABSENT };
	judge(&h);
	assert_int_equal(h.found.n, 0);
	done(&h);
}

/* NICs of one name that are not in one subnet do not face each other. */
static void test_mtu_by_subnet(void **state)
{
	struct hosts h;

	(void)state;
	make(&h);
	set_address(&h, 0, 1);
	set_address(&h, 1, 1);
	set_address(&h, 2, 2);
	h.s[2].facts->nics[0].active_mtu.v = 1024;
	judge(&h);
	assert_int_equal(h.found.n, 0);
	rct_findings_free(&h.found);
	strcpy(h.s[1].facts->nics[0].dev, "bnxt_re7");
	h.s[1].facts->nics[0].active_mtu.v = 2048;
	judge(&h);
	assert_int_equal(h.found.n, 1);
	assert_non_null(strstr(h.found.v[0].object, "bnxt_re7"));
	done(&h);
}

static void test_disagree(void **state)
{
	struct hosts h;

	(void)state;
	make(&h);
	set_env(&h, 0, "NCCL_IB_TC", "106");
	set_env(&h, 1, "NCCL_IB_TC", "106");
	set_env(&h, 2, "NCCL_DEBUG", "INFO");
	judge(&h);
	assert_int_equal(h.found.n, 1);
	assert_string_equal(h.found.v[0].id, "nccl.disagree");
	assert_int_equal(h.found.v[0].severity, RCT_WARNING);
	assert_string_equal(h.found.v[0].object, "hostC process 102");
	assert_non_null(strstr(h.found.v[0].title, "NCCL_IB_TC is not set here and 106 on hostA"));
	done(&h);
}

/* Another job may well be told something else. */
static void test_other_job(void **state)
{
	struct hosts h;

	(void)state;
	make(&h);
	set_env(&h, 0, "NCCL_IB_TC", "106");
	set_env(&h, 0, "SLURM_JOB_ID", "1");
	set_env(&h, 1, "NCCL_IB_TC", "96");
	set_env(&h, 1, "SLURM_JOB_ID", "2");
	judge(&h);
	assert_int_equal(h.found.n, 0);
	done(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal), cmocka_unit_test(test_mtu_by_name),
		cmocka_unit_test(test_mtu_unknown), cmocka_unit_test(test_mtu_by_subnet),
		cmocka_unit_test(test_disagree), cmocka_unit_test(test_other_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
