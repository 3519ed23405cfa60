/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parsers of the texts under cmd/: what ethtool, dcb, rdma, ip, lspci and others print,
 * the kernel log and a job's NCCL log. Each takes a text of any bytes and any length
 * and adds what it understands to the facts; the rest, torn lines too, is passed over.
 * 0 or -errno: -ENOMEM; -ENODATA: nothing in it was understood.
 *
 * What a text doesn't say keeps its value, so the caller has set "unknown" before
 * (struct rct_netif: -1 in node, pause_*, lro, gro_hw, and all of dcb's s8 arrays).
 *
 * Lists grow by rct_facts_add() only (model/facts.h): other readers add to the same ones.
 */
#ifndef RCT_TEXT_H
#define RCT_TEXT_H

#include "model/facts.h"

/* ---- of one interface: cmd/PREFIX-IFNAME.txt */

int rct_text_ethtool_stats(const char *text, size_t len, struct rct_netif *n);	/* -S: counters */
int rct_text_ethtool_driver(const char *text, size_t len, struct rct_netif *n);	/* -i */
int rct_text_ethtool_pause(const char *text, size_t len, struct rct_netif *n);	/* -a */
int rct_text_ethtool_features(const char *text, size_t len, struct rct_netif *n);	/* -k */
int rct_text_ethtool_channels(const char *text, size_t len, struct rct_netif *n);	/* -l */
int rct_text_dcb_pfc(const char *text, size_t len, struct rct_netif *n);	/* dcb pfc show */
int rct_text_dcb_app(const char *text, size_t len, struct rct_netif *n);	/* dcb app show; empty: none */
int rct_text_dcb_apptrust(const char *text, size_t len, struct rct_netif *n);
int rct_text_dcb_ets(const char *text, size_t len, struct rct_netif *n);	/* priority -> traffic class */
int rct_text_dcb_buffer(const char *text, size_t len, struct rct_netif *n);
/* Says all that dcb says: call it last, it fills only what dcb left unknown. */
int rct_text_mlnx_qos(const char *text, size_t len, struct rct_netif *n);

/* ---- of the host: cmd/NAME.txt. They know the NICs by device and port: fill f->nics before. */

int rct_text_ibv_devinfo(const char *text, size_t len, struct rct_facts *f);	/* active_mtu, state, fw */
int rct_text_rdma_link(const char *text, size_t len, struct rct_facts *f);	/* state, ifname */
int rct_text_rdma_res_qp(const char *text, size_t len, struct rct_facts *f);	/* qps, qps_read */
int rct_text_show_gids(const char *text, size_t len, struct rct_facts *f);	/* only of NICs that have no gids yet */
int rct_text_ip_addr(const char *text, size_t len, struct rct_facts *f);
int rct_text_ip_rule(const char *text, size_t len, struct rct_facts *f);
int rct_text_ip_route(const char *text, size_t len, struct rct_facts *f);
int rct_text_ip_neigh(const char *text, size_t len, struct rct_facts *f);
int rct_text_numactl(const char *text, size_t len, struct rct_facts *f);	/* nodes that sysfs did not tell */
int rct_text_lspci(const char *text, size_t len, struct rct_facts *f);
int rct_text_topo(const char *text, size_t len, struct rct_facts *f);	/* nvidia-smi topo -m */
int rct_text_dmesg(const char *text, size_t len, struct rct_facts *f);	/* dmesg or /dev/kmsg */
int rct_text_nccl(const char *text, size_t len, struct rct_facts *f);

/* The two lists above as tables, in the order to call them; prefix and name are NULL behind the last. */

struct rct_text_if {
	const char *prefix;	/* "ethtool-S": cmd/ethtool-S-eth0.txt */
	int (*parse)(const char *text, size_t len, struct rct_netif *n);
};

struct rct_text_host {
	const char *name;	/* with its suffix: "dmesg.txt", "nccl.log" */
	int (*parse)(const char *text, size_t len, struct rct_facts *f);
};

extern const struct rct_text_if rct_texts_if[];
extern const struct rct_text_host rct_texts_host[];

#endif
