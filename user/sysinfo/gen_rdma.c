// SPDX-License-Identifier: BSD-2-Clause
/*
 * rdma link, rdma res show qp and ibv_devinfo, by RDMA netlink. The queue pairs' dump
 * is a device query for each.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nl.h"
#include "base/util.h"
#include "sysinfo/gen.h"

#define DEVICES	256
#define NAME	64

#define NLDEV(cmd)	RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_##cmd)

struct device {
	u32 index;
	char name[NAME];
};

struct devices {
	struct device v[DEVICES];
	u32 n;
};

static const struct nlattr *attr(const struct nlmsghdr *h, u16 type)
{
	const struct nlattr *a, *found = NULL;

	mnl_attr_for_each(a, h, 0) {
		if (mnl_attr_get_type(a) == type)
			found = a;
	}
	return found;
}

static const struct nlattr *nested(const struct nlattr *nest, u16 type)
{
	const struct nlattr *a, *found = NULL;

	mnl_attr_for_each_nested(a, nest) {
		if (mnl_attr_get_type(a) == type)
			found = a;
	}
	return found;
}

static bool u32_of(const struct nlattr *a, u32 *ret)
{
	if (!a || mnl_attr_get_payload_len(a) < sizeof(*ret))
		return false;
	memcpy(ret, mnl_attr_get_payload(a), sizeof(*ret));
	return true;
}

static bool text_of(const struct nlattr *a, char *buf, size_t size)
{
	*buf = '\0';
	if (!a)
		return false;
	snprintf(buf, size, "%.*s", (int)mnl_attr_get_payload_len(a), mnl_attr_get_str(a));
	return *buf;
}

/* The name of a small number, or what it is. */
static const char *name_of(const struct nlattr *a, const char *const *names, size_t n, char buf[8])
{
	u8 v;

	if (!a || mnl_attr_get_payload_len(a) < sizeof(v))
		return "UNKNOWN";
	v = mnl_attr_get_u8(a);
	snprintf(buf, 8, "%u", v);
	return v < n && names[v] ? names[v] : buf;
}

#define NAME_OF(a, names, buf)	name_of(a, names, RCT_ARRAY_SIZE(names), buf)

/* include/rdma/ib_verbs.h: enum ib_port_state, ib_port_phys_state, ib_qp_type, ib_qp_state */
static const char *const port_states[] = { "NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER" };
static const char *const phys_states[] = {
	NULL, "SLEEP", "POLLING", "DISABLED", "PORT_CONFIGURATION_TRAINING", "LINK_UP",
	"LINK_ERROR_RECOVERY", "PHY_TEST",
};
static const char *const qp_types[] = {
	[0] = "SMI", [1] = "GSI", [2] = "RC", [3] = "UC", [4] = "UD", [5] = "RAW_IPV6",
	[6] = "RAW_ETHERTYPE", [8] = "RAW_PACKET", [9] = "XRC_INI", [10] = "XRC_TGT", [255] = "DRIVER",
};
static const char *const qp_states[] = { "RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR" };

static int on_device(const struct nlmsghdr *h, void *arg)
{
	struct devices *l = arg;
	struct device *d = &l->v[l->n];

	if (l->n == DEVICES)
		return MNL_CB_STOP;
	if (u32_of(attr(h, RDMA_NLDEV_ATTR_DEV_INDEX), &d->index) &&
	    text_of(attr(h, RDMA_NLDEV_ATTR_DEV_NAME), d->name, sizeof(d->name)))
		l->n++;
	return MNL_CB_OK;
}

static int next(struct rct_gen_dump *d)
{
	return ++d->seen < RCT_GEN_MESSAGES ? MNL_CB_OK : MNL_CB_STOP;
}

int rct_gen_link_reply(const struct nlmsghdr *h, void *arg)
{
	struct rct_gen_dump *d = arg;
	char state[8], phys[8], netdev[NAME];
	u32 port;

	if (!u32_of(attr(h, RDMA_NLDEV_ATTR_PORT_INDEX), &port))
		return MNL_CB_OK;
	fprintf(d->out, "link %s/%u state %s physical_state %s", d->dev, port,
		NAME_OF(attr(h, RDMA_NLDEV_ATTR_PORT_STATE), port_states, state),
		NAME_OF(attr(h, RDMA_NLDEV_ATTR_PORT_PHYS_STATE), phys_states, phys));
	if (text_of(attr(h, RDMA_NLDEV_ATTR_NDEV_NAME), netdev, sizeof(netdev)))
		fprintf(d->out, " netdev %s", netdev);
	fputc('\n', d->out);
	return next(d);
}

static void one_number(FILE *out, const char *key, const struct nlattr *a)
{
	u32 v;

	if (u32_of(a, &v))
		fprintf(out, " %s %u", key, v);
}

/* The kernel tells a kernel user's name, and of a process the number only. */
static void owner(FILE *out, const struct nlattr *entry)
{
	char name[NAME] = "", path[40];
	FILE *f;
	u32 pid;

	if (u32_of(nested(entry, RDMA_NLDEV_ATTR_RES_PID), &pid)) {
		snprintf(path, sizeof(path), "/proc/%u/comm", pid);
		f = fopen(path, "re");
		if (f && fgets(name, sizeof(name), f))
			name[strcspn(name, "\n")] = '\0';
		if (f)
			fclose(f);
		fprintf(out, " pid %u", pid);
	} else {
		text_of(nested(entry, RDMA_NLDEV_ATTR_RES_KERN_NAME), name, sizeof(name));
	}
	if (*name)
		fprintf(out, " comm %s", name);
}

static void one_qp(const struct rct_gen_dump *d, const struct nlattr *e)
{
	char type[8], state[8];
	u32 port = 0;

	u32_of(nested(e, RDMA_NLDEV_ATTR_PORT_INDEX), &port);
	fprintf(d->out, "link %s/%u", d->dev, port);
	one_number(d->out, "lqpn", nested(e, RDMA_NLDEV_ATTR_RES_LQPN));
	one_number(d->out, "rqpn", nested(e, RDMA_NLDEV_ATTR_RES_RQPN));
	fprintf(d->out, " type %s state %s", NAME_OF(nested(e, RDMA_NLDEV_ATTR_RES_TYPE), qp_types, type),
		NAME_OF(nested(e, RDMA_NLDEV_ATTR_RES_STATE), qp_states, state));
	one_number(d->out, "rq-psn", nested(e, RDMA_NLDEV_ATTR_RES_RQ_PSN));
	one_number(d->out, "sq-psn", nested(e, RDMA_NLDEV_ATTR_RES_SQ_PSN));
	owner(d->out, e);
	fputc('\n', d->out);
}

int rct_gen_qp_reply(const struct nlmsghdr *h, void *arg)
{
	const struct nlattr *table = attr(h, RDMA_NLDEV_ATTR_RES_QP), *e;
	struct rct_gen_dump *d = arg;

	if (!table)
		return MNL_CB_OK;
	mnl_attr_for_each_nested(e, table) {
		if (mnl_attr_get_type(e) == RDMA_NLDEV_ATTR_RES_QP_ENTRY)
			one_qp(d, e);
	}
	return next(d);
}

/* Asks about each device in turn. One that can't answer doesn't hide the others; its error counts if all fail. */
static int each_device(FILE *out, int type, mnl_cb_t each)
{
	struct devices *l = calloc(1, sizeof(*l));
	union rct_nl_msg m;
	struct rct_nl nl;
	int rc, failed = 0;
	u32 good = 0;

	if (!l)
		return -ENOMEM;
	rc = rct_nl_open(&nl, NETLINK_RDMA, NULL);
	if (!rc) {
		rct_nl_begin(&m, NLDEV(GET), NLM_F_DUMP, 0);
		rc = rct_nl_talk(&nl, &m, on_device, l);
	}
	for (u32 i = 0; !rc && i < l->n; i++) {
		struct rct_gen_dump d = { .out = out, .dev = l->v[i].name };

		rct_nl_begin(&m, type, NLM_F_DUMP, 0);
		mnl_attr_put_u32(&m.h, RDMA_NLDEV_ATTR_DEV_INDEX, l->v[i].index);
		failed = rct_nl_talk(&nl, &m, each, &d);
		good += !failed;
	}
	rct_nl_close(&nl);
	if (!rc && l->n && !good)
		rc = failed;
	free(l);
	return rc;
}

int rct_gen_rdma_link(FILE *out, const char *unused)
{
	(void)unused;
	return each_device(out, NLDEV(PORT_GET), rct_gen_link_reply);
}

int rct_gen_rdma_res_qp(FILE *out, const char *unused)
{
	(void)unused;
	return each_device(out, NLDEV(RES_QP_GET), rct_gen_qp_reply);
}

/* ---- the path MTU: only a verbs context can be asked, so it is reckoned */

u32 rct_gen_path_mtu(u32 netdev_mtu, bool soft)
{
	/*
	 * What drivers keep for headers: iboe_get_mtu() of ib_addr.h takes GRH, UDP, BTH, XRC,
	 * atomic and ICRC; rxe its own RXE_MAX_HDR_LENGTH.
	 */
	u32 headers = soft ? 80 : 96;

	for (u32 mtu = 4096; mtu >= 256; mtu /= 2) {
		if (netdev_mtu >= mtu + headers)
			return mtu;
	}
	return 0;
}

static u32 netdev_mtu(const char *ifname)
{
	char path[128];
	u32 mtu = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/net/%s/mtu", ifname);
	f = fopen(path, "re");
	if (f) {
		if (fscanf(f, "%u", &mtu) != 1)
			mtu = 0;
		fclose(f);
	}
	return mtu;
}

static int on_mtu(const struct nlmsghdr *h, void *arg)
{
	struct rct_gen_dump *d = arg;
	char netdev[NAME], path[128], state[8];
	u32 port, mtu;

	if (!u32_of(attr(h, RDMA_NLDEV_ATTR_PORT_INDEX), &port) ||
	    !text_of(attr(h, RDMA_NLDEV_ATTR_NDEV_NAME), netdev, sizeof(netdev)))
		return MNL_CB_OK;
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/device", d->dev);
	mtu = rct_gen_path_mtu(netdev_mtu(netdev), access(path, F_OK) != 0);
	fprintf(d->out, "hca_id:\t%s\n\t\tport:\t%u\n\t\t\tstate:\t\t\tPORT_%s\n", d->dev, port,
		NAME_OF(attr(h, RDMA_NLDEV_ATTR_PORT_STATE), port_states, state));
	if (mtu)
		fprintf(d->out, "\t\t\tactive_mtu:\t\t%u derived from the MTU of %s\n", mtu, netdev);
	return next(d);
}

int rct_gen_ibv_devinfo(FILE *out, const char *unused)
{
	(void)unused;
	return each_device(out, NLDEV(PORT_GET), on_mtu);
}
