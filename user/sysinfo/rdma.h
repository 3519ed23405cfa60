/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RDMA devices and their interfaces, from sysfs. Nothing here asks an adapter's firmware,
 * which may not answer for a minute when it is sick: the kernel knows it all itself.
 */
#ifndef RCT_RDMA_H
#define RCT_RDMA_H

#include "base/err.h"
#include "base/root.h"
#include "model/snapshot.h"

#define RCT_RDMA_NETDEVS	8

enum rct_rdma_kind {
	RCT_RDMA_UNKNOWN,	/* its files can't be read, as in some containers */
	RCT_RDMA_ROCE,		/* an adapter that handles RoCE itself: the kernel sees no packet */
	RCT_RDMA_SOFT,		/* rxe: the kernel sees every packet */
	RCT_RDMA_SOFT_IWARP,	/* siw: RDMA over TCP, nothing of it is RoCE */
	RCT_RDMA_IWARP,		/* the same in an adapter */
	RCT_RDMA_IB,		/* InfiniBand, Omni-Path, EFA: no Ethernet */
};

struct rct_rdma {
	char name[64];			/* mlx5_0 */
	char driver[32];		/* mlx5_core, rxe; "" where unknown */
	char bus[64];			/* device it sits on: 0000:3b:00.0; "" where it is software */
	char firmware[32];		/* "" where unknown */
	enum rct_rdma_kind kind;
	char netdev[RCT_RDMA_NETDEVS][RCT_IFNAME];
	u32 n_netdevs;			/* 0: none in this network namespace */
};

struct rct_rdma_list {
	struct rct_rdma *v;
	size_t n;
};

/* 0 and a list, empty where there is no RDMA device; or -errno and *err. */
int rct_rdma_read(const struct rct_root *r, struct rct_rdma_list *ret, struct rct_err *err);
void rct_rdma_free(struct rct_rdma_list *l);

/* The device that carries RDMA on this interface or on what it lies on (VLAN, bond); or NULL. */
const struct rct_rdma *rct_rdma_of(const struct rct_root *r, const struct rct_rdma_list *l,
				   const char *ifname);

/* RDMA netlink answers on this host: 0, or -errno. */
int rct_rdma_netlink(void);

const char *rct_rdma_kind_name(enum rct_rdma_kind kind);

/*
 * The kernel module that made the device's driver comes with the kernel, or from
 * elsewhere (a vendor's OFED or DOCA package); version as it says, "" where it doesn't.
 */
enum rct_origin { RCT_ORIGIN_UNKNOWN, RCT_ORIGIN_KERNEL, RCT_ORIGIN_OTHER };

enum rct_origin rct_module_origin(const struct rct_root *r, const char *module, char *ret_version,
				  size_t size);

#endif
