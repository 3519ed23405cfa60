// SPDX-License-Identifier: BSD-2-Clause
#include "collect/cover.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/util.h"
#include "collect/collect.h"
#include "model/facts.h"

static int __attribute__((format(printf, 6, 7)))
cover(struct rct_snapshot *s, const char *source, const char *object, enum rct_cov_state state,
      const char *method, const char *why, ...)
{
	struct rct_coverage *c = rct_snapshot_add_coverage(s);
	va_list ap;

	if (!c)
		return -ENOMEM;
	c->source = source;
	c->state = state;
	snprintf(c->object, sizeof(c->object), "%s", object);
	snprintf(c->method, sizeof(c->method), "%s", method);
	va_start(ap, why);
	vsnprintf(c->why, sizeof(c->why), why, ap);
	va_end(ap);
	return 0;
}

/* ---- text of several parts */

struct parts {
	char text[256];
	size_t n;
};

static void __attribute__((format(printf, 2, 3))) add(struct parts *p, const char *fmt, ...)
{
	va_list ap;

	if (p->n && p->n < sizeof(p->text))
		p->n += snprintf(p->text + p->n, sizeof(p->text) - p->n, "; ");
	va_start(ap, fmt);
	if (p->n < sizeof(p->text))
		p->n += vsnprintf(p->text + p->n, sizeof(p->text) - p->n, fmt, ap);
	va_end(ap);
}

/* ---- counters */

/* What rules ask for first. Not every driver has them all. */
static const struct {
	enum rct_canonical id;
	const char *text;
} wanted[] = {
	{ RCT_C_OUT_OF_SEQUENCE, "out of sequence" },
	{ RCT_C_SEQ_NAK_RECEIVED, "sequence NAKs" },
	{ RCT_C_ACK_TIMEOUT, "ACK timeouts" },
	{ RCT_C_RNR_NAK_RECEIVED, "RNR NAKs" },
	{ RCT_C_CNP_RECEIVED, "CNPs" },
	{ RCT_C_PFC_RX_FRAMES, "PFC frames" },
	{ RCT_C_PORT_RX_DISCARDS, "port discards" },
	{ RCT_C_CRC_ERROR, "CRC errors" },
};

static bool has(const struct rct_facts *f, const struct rct_nic *n, enum rct_canonical id)
{
	u32 prios = rct_canonical_at(id)->prio ? RCT_PRIOS : 1;

	for (u32 p = 0; p < prios; p++) {
		if (rct_nic_counter(f, n, id, p, NULL, 0).have == RCT_THERE)
			return true;
	}
	return false;
}

static void add_missing(const struct rct_facts *f, const struct rct_nic *n, struct parts *p)
{
	char list[160] = "";
	size_t used = 0;

	for (size_t i = 0; i < RCT_ARRAY_SIZE(wanted); i++) {
		if (!has(f, n, wanted[i].id) && used < sizeof(list))
			used += snprintf(list + used, sizeof(list) - used, "%s%s", used ? ", " : "",
					 wanted[i].text);
	}
	if (used)
		add(p, "n/a: %s", list);
}

static u32 counters_there(const struct rct_counter *list, u32 n)
{
	u32 there = 0;

	for (u32 i = 0; i < n; i++)
		there += list[i].have == RCT_THERE;
	return there;
}

static void add_folder(struct parts *p, const char *name, enum rct_have have)
{
	if (have == RCT_ABSENT)
		add(p, "no %s folder", name);
	else if (have == RCT_UNREADABLE)
		add(p, "%s has no numbers, e.g. N/A (no PMA)", name);
}

static int cover_counters(struct rct_snapshot *s, const struct rct_facts *f, const struct rct_nic *n)
{
	const struct rct_netif *i = rct_nic_netif(f, n);
	u32 there = counters_there(n->counters, n->n_counters);
	struct parts p = { .n = 0 };
	enum rct_cov_state state;

	if (i)
		there += counters_there(i->counters, i->n_counters);
	if (!n->readable)
		return cover(s, "counters", n->dev, RCT_COV_NONE, "", "nothing can be read below the device");
	add_folder(&p, "hw_counters", n->hw_counters);
	add_folder(&p, "counters", n->port_counters);
	if (i && !i->ethtool_read)
		add(&p, "no ethtool statistics");
	if (there)
		add_missing(f, n, &p);
	state = !there ? RCT_COV_NONE : p.n ? RCT_COV_PARTIAL : RCT_COV_OK;
	return cover(s, "counters", n->dev, state, "sysfs", "%s", p.text);
}

/* ---- configuration */

static int cover_config(struct rct_snapshot *s, const struct rct_facts *f, const struct rct_nic *n)
{
	const struct rct_netif *i = rct_nic_netif(f, n);
	struct parts p = { .n = 0 };

	if (!n->readable)
		return cover(s, "config", n->dev, RCT_COV_NONE, "", "listed, but its folder leads nowhere: %s",
			     f->container == 1 ? "in a container /sys/devices is not mounted" :
			     "the device is of another namespace, or /sys/devices is not there");
	if (!n->n_gids)
		add(&p, "no GID can be read");
	if (!i)
		add(&p, "its network interface is not known");
	else if (i->dcb.pfc != RCT_THERE)
		add(&p, "PFC is not told");
	if (i && i->dcb.app != RCT_THERE && i->dcb.trust != RCT_THERE)
		add(&p, "the map of DSCP to priorities is not told");
	if (n->active_mtu.have != RCT_THERE)
		add(&p, "the path MTU is not told");
	return cover(s, "config", n->dev, p.n ? RCT_COV_PARTIAL : RCT_COV_OK, "sysfs", "%s", p.text);
}

static int cover_devices(struct rct_snapshot *s, const struct rct_facts *f)
{
	u32 readable = 0;

	for (u32 i = 0; i < f->n_nics; i++)
		readable += f->nics[i].readable;
	if (readable == f->n_nics)
		return 0;
	return cover(s, "config", "host", readable ? RCT_COV_PARTIAL : RCT_COV_NONE, "sysfs",
		     "%u of %u RDMA devices readable%s", readable, f->n_nics,
		     f->container == 1 ? "; this looks like a container (its cgroup's path)" : "");
}

/* ---- the host */

static int cover_log(struct rct_snapshot *s, const struct rct_facts *f)
{
	return cover(s, "log", "kernel log", f->log_read ? RCT_COV_OK : RCT_COV_NONE, "", "%s", f->log_read ? "" :
		     "cannot be read: link flaps, GPU errors and the like are not known");
}

static int cover_qps(struct rct_snapshot *s, const struct rct_facts *f)
{
	return cover(s, "rdma", "QPs", f->qps_read ? RCT_COV_OK : RCT_COV_NONE, "netlink", "%s",
		     f->qps_read ? "" : "the list of queue pairs cannot be read");
}

static int cover_irqs(struct rct_snapshot *s, const struct rct_facts *f)
{
	u32 vectors = 0;

	for (u32 i = 0; i < f->n_irqs; i++)
		vectors += f->irqs[i].nic >= 0;
	return cover(s, "cpu", "IRQs", vectors ? RCT_COV_OK : RCT_COV_NONE, "procfs", "%s", vectors ? "" :
		     f->irqs_read ? "no vector of a NIC is in /proc/interrupts" : "/proc/interrupts cannot be read");
}

int rct_cover_facts(struct rct_snapshot *s)
{
	const struct rct_facts *f = s->facts;
	int rc;

	/* a tap, say: there is nothing that these sources could tell */
	if (!f->n_nics)
		return 0;
	rc = cover_devices(s, f);
	for (u32 i = 0; i < f->n_nics && !rc; i++)
		rc = cover_counters(s, f, &f->nics[i]);
	for (u32 i = 0; i < f->n_nics && !rc; i++)
		rc = cover_config(s, f, &f->nics[i]);
	if (!rc)
		rc = cover_log(s, f);
	if (!rc)
		rc = cover_qps(s, f);
	return rc ? rc : cover_irqs(s, f);
}

/* ---- sources that hang */

/* "sys/class/infiniband/mlx5_3" to counters of mlx5_3; the first that fits. */
static const struct {
	const char *start, *source;
} hung_of[] = {
	{ "sys/class/infiniband/", "counters" },
	{ "sys/class/net/", "config" },
	{ "cmd/ethtool-S-", "counters" },
	{ "cmd/rdma-", "rdma" },
	{ "cmd/dmesg", "log" },
	{ "proc/irq", "cpu" },
	{ "", "config" },
};

int rct_cover_hung(struct rct_snapshot *s, const char *source)
{
	const char *object = source;
	size_t i = 0;

	while (strncmp(source, hung_of[i].start, strlen(hung_of[i].start)))
		i++;
	if (!strncmp(source, "sys/class/", 10))
		object = source + strlen(hung_of[i].start);
	return cover(s, hung_of[i].source, object, RCT_COV_NONE, "",
		     "did not answer in time and was left behind: its driver or firmware hangs");
}

/* ---- packets */

static bool in_software(const struct rct_nic *n)
{
	return !strcmp(n->driver, "rxe") || !strcmp(n->driver, "siw") || !strncmp(n->dev, "rxe", 3);
}

int rct_collect_no_packets(struct rct_snapshot *s, const struct rct_facts *f)
{
	int rc = 0;

	if (!f->n_nics)
		return cover(s, "config", "host", RCT_COV_NONE, "", "no RDMA device: nothing in /sys/class/infiniband");
	for (u32 i = 0; i < f->n_nics && !rc; i++) {
		const struct rct_nic *n = &f->nics[i];

		if (!strcmp(n->link_layer, "InfiniBand"))
			continue;
		rc = cover(s, "packets", *n->ifname ? n->ifname : n->dev, RCT_COV_NONE, "", "%s", in_software(n) ?
			   "check looks at no packets; this device's run in software, and rocetrace run sees them" :
			   "the NIC offloads RoCE: its packets never reach the kernel (explain blind.packets)");
	}
	return rc;
}
