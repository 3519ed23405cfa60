// SPDX-License-Identifier: BSD-2-Clause
/* dcb pfc, app, apptrust, ets and buffer show, by dcbnl. */
#include <errno.h>
#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "base/nl.h"
#include "sysinfo/gen.h"

#define PRIOS		8
/* include/uapi/linux/dcbnl.h of 6.2 and later */
#define IEEE_BUFFER	10
#define IEEE_APP_TRUST	11
#define SEL_PCP		255

/* The payload of an attribute, if it has room for n bytes. Not aligned. */
static bool copy_struct(const struct nlattr *a, void *ret, size_t n)
{
	if (!a || mnl_attr_get_payload_len(a) < n)
		return false;
	memcpy(ret, mnl_attr_get_payload(a), n);
	return true;
}

void rct_gen_ieee_parse(const struct nlmsghdr *h, struct rct_gen_ieee *ret)
{
	const struct nlattr *a, *nest = NULL;

	memset(ret, 0, sizeof(*ret));
	if (mnl_nlmsg_get_payload_len(h) < sizeof(struct dcbmsg))
		return;
	mnl_attr_for_each(a, h, sizeof(struct dcbmsg)) {
		if (mnl_attr_get_type(a) == DCB_ATTR_IEEE)
			nest = a;
	}
	if (!nest)
		return;
	mnl_attr_for_each_nested(a, nest) {
		switch (mnl_attr_get_type(a)) {
		case DCB_ATTR_IEEE_ETS:
			ret->ets = a;
			break;
		case DCB_ATTR_IEEE_PFC:
			ret->pfc = a;
			break;
		case DCB_ATTR_IEEE_APP_TABLE:
			ret->app = a;
			break;
		case IEEE_BUFFER:
			ret->buffer = a;
			break;
		case IEEE_APP_TRUST:
			ret->trust = a;
			break;
		}
	}
}

bool rct_gen_pfc_text(FILE *out, const struct rct_gen_ieee *i)
{
	struct ieee_pfc p;

	if (!copy_struct(i->pfc, &p, sizeof(p)))
		return false;
	fprintf(out, "pfc-cap %u macsec-bypass %s delay %u\nprio-pfc", p.pfc_cap, p.mbc ? "on" : "off",
		p.delay);
	for (int prio = 0; prio < PRIOS; prio++)
		fprintf(out, " %d:%s", prio, p.pfc_en & 1 << prio ? "on" : "off");
	fputc('\n', out);
	return true;
}

/* Only the DSCP map is printed. Without an entry there is no line. */
bool rct_gen_app_text(FILE *out, const struct rct_gen_ieee *i)
{
	const struct nlattr *a;
	struct dcb_app app;
	bool any = false;

	if (!i->app)
		return false;
	mnl_attr_for_each_nested(a, i->app) {
		if (mnl_attr_get_type(a) != DCB_ATTR_IEEE_APP || !copy_struct(a, &app, sizeof(app)) ||
		    app.selector != IEEE_8021QAZ_APP_SEL_DSCP)
			continue;
		fprintf(out, "%s %u:%u", any ? "" : "dscp-prio", app.protocol, app.priority);
		any = true;
	}
	fputc('\n', out);
	return true;
}

bool rct_gen_trust_text(FILE *out, const struct rct_gen_ieee *i)
{
	static const char *const names[] = {
		[IEEE_8021QAZ_APP_SEL_ETHERTYPE] = "ethertype", [IEEE_8021QAZ_APP_SEL_STREAM] = "stream-port",
		[IEEE_8021QAZ_APP_SEL_DGRAM] = "dgram-port", [IEEE_8021QAZ_APP_SEL_ANY] = "port",
		[IEEE_8021QAZ_APP_SEL_DSCP] = "dscp",
	};
	const struct nlattr *a;
	u8 selector;

	if (!i->trust)
		return false;
	fputs("order", out);
	mnl_attr_for_each_nested(a, i->trust) {
		if (!copy_struct(a, &selector, sizeof(selector)))
			continue;
		if (selector == SEL_PCP)
			fputs(" pcp", out);
		else if (selector < sizeof(names) / sizeof(names[0]) && names[selector])
			fprintf(out, " %s", names[selector]);
	}
	fputc('\n', out);
	return true;
}

bool rct_gen_ets_text(FILE *out, const struct rct_gen_ieee *i)
{
	struct ieee_ets e;

	if (!copy_struct(i->ets, &e, sizeof(e)))
		return false;
	fprintf(out, "willing %s ets-cap %u cbs %s\ntc-bw", e.willing ? "on" : "off", e.ets_cap,
		e.cbs ? "on" : "off");
	for (int tc = 0; tc < PRIOS; tc++)
		fprintf(out, " %d:%u", tc, e.tc_tx_bw[tc]);
	fputs("\nprio-tc", out);
	for (int prio = 0; prio < PRIOS; prio++)
		fprintf(out, " %d:%u", prio, e.prio_tc[prio]);
	fputc('\n', out);
	return true;
}

/* struct dcbnl_buffer, which 32-bit and 64-bit kernels lay out alike */
struct buffers {
	u8 prio[PRIOS];
	u32 size[PRIOS];
	u32 total;
};

bool rct_gen_buffer_text(FILE *out, const struct rct_gen_ieee *i)
{
	struct buffers b;

	if (!copy_struct(i->buffer, &b, sizeof(b)))
		return false;
	fputs("prio-buffer", out);
	for (int prio = 0; prio < PRIOS; prio++)
		fprintf(out, " %d:%u", prio, b.prio[prio]);
	fputs("\nbuffer-size", out);
	for (int n = 0; n < PRIOS; n++)
		fprintf(out, " %d:%ub", n, b.size[n]);
	fprintf(out, "\ntotal-size %ub\n", b.total);
	return true;
}

struct answer {
	FILE *out;
	bool (*text)(FILE *out, const struct rct_gen_ieee *i);
	bool found;
};

static int on_ieee(const struct nlmsghdr *h, void *arg)
{
	struct answer *a = arg;
	struct rct_gen_ieee i;

	rct_gen_ieee_parse(h, &i);
	a->found |= a->text(a->out, &i);
	return MNL_CB_OK;
}

static int show(FILE *out, const char *ifname, bool (*text)(FILE *out, const struct rct_gen_ieee *i))
{
	struct answer a = { .out = out, .text = text };
	union rct_nl_msg m;
	struct dcbmsg *d;
	struct rct_nl nl;
	int rc = rct_nl_open(&nl, NETLINK_ROUTE, NULL);

	if (rc)
		return rc;
	d = rct_nl_begin(&m, RTM_GETDCB, 0, sizeof(*d));
	d->cmd = DCB_CMD_IEEE_GET;
	mnl_attr_put_strz(&m.h, DCB_ATTR_IFNAME, ifname);
	rc = rct_nl_talk(&nl, &m, on_ieee, &a);
	rct_nl_close(&nl);
	return rc ? rc : a.found ? 0 : -EOPNOTSUPP;
}

int rct_gen_dcb_pfc(FILE *out, const char *ifname)
{
	return show(out, ifname, rct_gen_pfc_text);
}

int rct_gen_dcb_app(FILE *out, const char *ifname)
{
	return show(out, ifname, rct_gen_app_text);
}

int rct_gen_dcb_apptrust(FILE *out, const char *ifname)
{
	return show(out, ifname, rct_gen_trust_text);
}

int rct_gen_dcb_ets(FILE *out, const char *ifname)
{
	return show(out, ifname, rct_gen_ets_text);
}

int rct_gen_dcb_buffer(FILE *out, const char *ifname)
{
	return show(out, ifname, rct_gen_buffer_text);
}
