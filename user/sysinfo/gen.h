/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The makers behind rct_generate(): each writes its text to out. 0 or -errno. Those
 * that end with _reply take one netlink message, as libmnl calls them: the tests do so
 * with messages of devices that are not here.
 */
#ifndef RCT_GEN_H
#define RCT_GEN_H

#include <libmnl/libmnl.h>
#include <stdio.h>

#include "types.h"

/* Messages of one dump that are looked at. */
#define RCT_GEN_MESSAGES	65536

int rct_gen_ethtool_stats(FILE *out, const char *ifname);
int rct_gen_ethtool_driver(FILE *out, const char *ifname);
int rct_gen_ethtool_pause(FILE *out, const char *ifname);
int rct_gen_ethtool_features(FILE *out, const char *ifname);
int rct_gen_ethtool_channels(FILE *out, const char *ifname);

int rct_gen_dcb_pfc(FILE *out, const char *ifname);
int rct_gen_dcb_app(FILE *out, const char *ifname);
int rct_gen_dcb_apptrust(FILE *out, const char *ifname);
int rct_gen_dcb_ets(FILE *out, const char *ifname);
int rct_gen_dcb_buffer(FILE *out, const char *ifname);

/* The parts of an answer to DCB_CMD_IEEE_GET; NULL: the driver doesn't tell. */
struct rct_gen_ieee {
	const struct nlattr *ets, *pfc, *app, *buffer, *trust;
};

void rct_gen_ieee_parse(const struct nlmsghdr *h, struct rct_gen_ieee *ret);
/* false: it is not there, or of another size than it should be */
bool rct_gen_pfc_text(FILE *out, const struct rct_gen_ieee *i);
bool rct_gen_app_text(FILE *out, const struct rct_gen_ieee *i);
bool rct_gen_trust_text(FILE *out, const struct rct_gen_ieee *i);
bool rct_gen_ets_text(FILE *out, const struct rct_gen_ieee *i);
bool rct_gen_buffer_text(FILE *out, const struct rct_gen_ieee *i);

/* arg of the replies below is a struct rct_gen_dump */
struct rct_gen_dump {
	FILE *out;
	u32 seen;		/* messages so far */
	const char *dev;	/* RDMA: whose ports or queue pairs these are */
};

int rct_gen_ip_addr(FILE *out, const char *unused);
int rct_gen_ip_rule(FILE *out, const char *unused);
int rct_gen_ip_route(FILE *out, const char *unused);
int rct_gen_ip_neigh(FILE *out, const char *unused);
int rct_gen_addr_reply(const struct nlmsghdr *h, void *arg);
int rct_gen_rule_reply(const struct nlmsghdr *h, void *arg);
int rct_gen_route_reply(const struct nlmsghdr *h, void *arg);
int rct_gen_neigh_reply(const struct nlmsghdr *h, void *arg);

int rct_gen_rdma_link(FILE *out, const char *unused);
int rct_gen_rdma_res_qp(FILE *out, const char *unused);
int rct_gen_ibv_devinfo(FILE *out, const char *unused);
int rct_gen_link_reply(const struct nlmsghdr *h, void *arg);
int rct_gen_qp_reply(const struct nlmsghdr *h, void *arg);
/* The largest path MTU whose packets fit, as the drivers reckon it; 0: none. */
u32 rct_gen_path_mtu(u32 netdev_mtu, bool soft);

int rct_gen_lspci(FILE *out, const char *unused);
/* The ACS lines of a function's configuration space, of which n bytes could be read. */
void rct_gen_acs_text(FILE *out, const u8 *config, size_t n);

int rct_gen_dmesg(FILE *out, const char *unused);
/* One record of /dev/kmsg as dmesg prints it. */
void rct_gen_kmsg_text(FILE *out, const char *record, size_t n);

#endif
