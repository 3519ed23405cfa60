/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a host is: devices, configuration, processes, log. Plain data, filled by
 * user/sysinfo from a struct rct_root, read by user/analyse. Nothing is judged here,
 * and nothing that could not be read has a value that looks as if it had been.
 *
 * Lists are arrays with a count; everything hangs on one struct rct_facts and is freed
 * with it. Texts of foreign origin are raw: render escapes them.
 */
#ifndef RCT_FACTS_H
#define RCT_FACTS_H

#include "model/counter.h"

#define RCT_NAME	64
#define RCT_TRI_UNKNOWN	(-1)		/* of the int fields that are 0, 1 or unknown */

/* A number that may be unknown. */
struct rct_num {
	enum rct_have have;
	s64 v;
};

/* ---------------------------------------------------------------- devices */

enum rct_gid_type { RCT_GID_UNSET, RCT_GID_V1, RCT_GID_V2, RCT_GID_IB };

struct rct_gid {
	u32 index;
	enum rct_gid_type type;		/* UNSET: all zero, or its type can't be read */
	u8 addr[16];
	char ndev[16];
};

/* Data Center Bridging of a netdev. */
struct rct_dcb {
	enum rct_have pfc, app, trust, buffer;
	u8 pfc_enabled;			/* bit p: priority p */
	u8 pfc_cap;
	s8 dscp_prio[64];		/* -1: no entry */
	bool trust_dscp;		/* trust order names dscp; else pcp only */
	s8 prio_buffer[8];		/* -1: unknown */
	u64 buffer_size[8];
	s8 prio_tc[8];			/* -1: unknown */
	char dcbx[32];			/* mlnx_qos's words; "" unknown */
};

struct rct_netif {
	char name[16];
	u32 ifindex;
	char mac[20];
	char driver[32], driver_version[64], firmware[64];
	char pci[16];			/* 0000:1a:00.0; "": none */
	char port_id[64];		/* phys_switch_id and phys_port_name, or phys_port_id; "" */
	s32 node;			/* NUMA node; -1: not told; -2: unknown */
	struct rct_num mtu, speed_mbps, carrier, carrier_changes, type;
	char operstate[16];
	struct rct_dcb dcb;
	/* 802.3x: ethtool -a */
	int pause_autoneg, pause_rx, pause_tx;	/* RCT_TRI_UNKNOWN */
	/* DCQCN enabled per priority: class/net/X/ecn/roce_{np,rp}/enable/P */
	s8 ecn_np[8], ecn_rp[8];	/* -1: unknown */
	/* ethtool -k, -l */
	int lro, gro_hw;
	struct rct_num channels, channels_max;	/* combined */
	/* PCIe */
	char link_speed[24], link_speed_max[24];	/* "8.0 GT/s PCIe" */
	struct rct_num link_width, link_width_max;
	/* bonding */
	char master[16];		/* the bond it is a member of */
	char bond_mode[32], bond_policy[32];	/* where it is a bond */
	char members[8][16];
	u32 n_members;
	/* vectors: device/msi_irqs */
	u32 *irqs, n_irqs;
	char local_cpus[512];		/* device/local_cpulist */
	/* arp and routing switches of /proc/sys/net/ipv4/conf */
	struct rct_num arp_ignore, arp_announce, rp_filter;
	/* statistics: ethtool -S and class/net/X/statistics */
	struct rct_counter *counters;
	u32 n_counters;
	bool ethtool_read;		/* ethtool -S was there */
};

/* One port of an RDMA device: what the reports call a NIC. */
struct rct_nic {
	char dev[RCT_NAME];
	u32 port;
	char ifname[16];		/* its netdev; "": not known */
	s32 netif;			/* index in rct_facts.netifs; -1 */
	char driver[32];		/* of the RDMA device: mlx5, bnxt_re, irdma, ionic, rxe, ...; "" */
	char fw[64], node_type[32], pci[16];
	s32 node;			/* as in rct_netif */
	bool readable;			/* anything at all could be read below the device */
	char state[24], phys_state[24];	/* "ACTIVE", "LinkUp"; "": unknown */
	char link_layer[16];
	struct rct_num rate_mbps;
	struct rct_num active_mtu;	/* bytes */
	bool active_mtu_derived;	/* from the netdev's MTU, as drivers do; not asked of the device */
	struct rct_gid *gids;
	u32 n_gids;
	struct rct_num traffic_class;	/* device-wide: tc/N/traffic_class (OFED) or cma_roce_tos */
	enum rct_have port_counters, hw_counters;	/* of the two folders */
	struct rct_counter *counters;	/* hw_counters and counters */
	u32 n_counters;
};

/* From `rdma res show qp`. */
struct rct_qp {
	char dev[RCT_NAME];
	u32 port, lqpn, rqpn;		/* rqpn 0: none */
	char type[16], state[16], comm[32];
	s32 pid;
	u32 rq_psn, sq_psn;
};

/* -------------------------------------------------------------- processes */

struct rct_env {
	char *name, *value;
};

/* A process that has NCCL-like variables or owns a queue pair. */
struct rct_proc {
	s32 pid;
	char comm[32];
	struct rct_env *env;		/* NCCL_, RCCL_, UCX_, MLX5_ and job ids only */
	u32 n_env;
	bool env_read;
	char cpus[256], mems[64];	/* Cpus_allowed_list, Mems_allowed_list */
	char cgroup[256];
	u64 memlock;			/* bytes; UINT64_MAX: unlimited */
	bool memlock_read;
};

/* ---------------------------------------------------------------- network */

struct rct_addr4 {
	char ifname[16];
	u8 family;			/* 4 or 6 */
	u8 addr[16];			/* IPv4 mapped */
	u8 prefix;
};

struct rct_route {
	char ifname[16];
	u8 family, prefix;
	u8 dst[16];
	char table[32];			/* "main" */
	bool gateway;
};

struct rct_ip_rule {
	u32 priority;
	char from[64], table[32];	/* "all", "local" */
};

struct rct_neigh {
	char ifname[16], mac[20], state[16];
	u8 family;
	u8 addr[16];
};

/* ------------------------------------------------------------ logs and more */

enum rct_log_class {
	RCT_LOG_OTHER, RCT_LOG_LINK_DOWN, RCT_LOG_LINK_UP, RCT_LOG_MODULE, RCT_LOG_TEMPERATURE,
	RCT_LOG_HEALTH, RCT_LOG_FW, RCT_LOG_TX_TIMEOUT, RCT_LOG_XID, RCT_LOG_AER, RCT_LOG_PCIE_POWER,
	RCT_LOG_NEIGH_OVERFLOW, RCT_LOG_CONNTRACK, RCT_LOG_OOM, RCT_LOG_HUNG, RCT_LOG_LOCKUP,
	RCT_LOG_MCE, RCT_LOG_IOMMU, RCT_LOG_XDP, RCT_LOG_RENAMED, RCT_LOG_QP_ERROR, RCT_LOG_BOND,
	RCT_LOG_PCIE_WIDTH,
	RCT_LOG_CLASSES
};

struct rct_log {
	double at;			/* seconds since boot; < 0: unknown */
	enum rct_log_class class;	/* lines of class OTHER are not kept */
	char object[RCT_NAME];		/* interface, PCI address, device; "" */
	s32 code;			/* Xid number, transmit queue, syndrome; -1 */
	char *text;
};

/* What a job's NCCL log says. */
struct rct_nccl_device {
	char dev[RCT_NAME];
	u32 port;
	bool roce;
};

struct rct_nccl_error {
	s32 status;			/* completion status; -1: another error */
	char hca[RCT_NAME];		/* "" */
	char peer[64], local_gid[48], remote_gid[48];
	u64 count;
	char *text;			/* the first such line */
};

struct rct_nccl {
	bool read;
	char network[32];		/* Using network X: IB, Socket, ...; "" */
	char version[32];
	struct rct_nccl_device devices[32];
	u32 n_devices;
	u32 channels_ib, channels_socket, channels_gdr;
	int gdr;			/* 1: enabled for some HCA, 0: disabled; RCT_TRI_UNKNOWN */
	char gdr_hca[RCT_NAME];		/* the first for which it is disabled */
	struct rct_nccl_error *errors;
	u32 n_errors;
	struct rct_env *env;		/* "X set by environment to Y" */
	u32 n_env;
};

/* A PCI bridge or device of lspci -vv. */
struct rct_pci {
	char addr[16];
	char class[64];
	bool bridge, gpu;
	s32 node;
	int acs_redirect;		/* ACSCtl has ReqRedir+ or CmpltRedir+; RCT_TRI_UNKNOWN */
	char link_speed[24], link_speed_max[24];	/* as in rct_netif */
	u32 link_width, link_width_max;	/* 0: unknown */
};

/* How a GPU and an RDMA device reach each other, in nvidia-smi's words. */
struct rct_distance {
	char gpu[16], dev[RCT_NAME];
	char path[8];			/* PIX, PXB, PHB, NODE, SYS */
};

struct rct_irq {
	u32 irq;
	char name[96];			/* action */
	char chip[32];
	u64 total;
	u64 *per_cpu;			/* by column of /proc/interrupts: rct_facts.irq_cpus */
	char affinity[512], effective[256], hint[512];	/* CPU lists; "": unknown */
	s32 node;
	s32 nic;			/* index in nics; -1 */
	s32 netif;			/* index in netifs; -1 */
	int managed;			/* by the kernel: can't be moved; RCT_TRI_UNKNOWN */
};

struct rct_numa {
	u32 node;
	char cpus[512];			/* list */
};

struct rct_facts {
	double uptime;			/* seconds; < 0: unknown */
	char cpus_online[256], cpus_possible[256], cpus_isolated[256];
	struct rct_numa *nodes;
	u32 n_nodes;
	int vm;				/* hypervisor flag; RCT_TRI_UNKNOWN */
	int container;			/* cgroup path or missing parts say so */
	int irqbalance;			/* running; RCT_TRI_UNKNOWN */
	int nv_peermem, iommu_on, iommu_pt;	/* RCT_TRI_UNKNOWN */
	u64 caps;			/* CapEff of the reading process; captured: proc/self/status */
	bool caps_read;
	char kernel_cmdline[1024];
	struct rct_netif *netifs;
	u32 n_netifs;
	struct rct_nic *nics;
	u32 n_nics;
	struct rct_qp *qps;
	u32 n_qps;
	bool qps_read;
	struct rct_proc *procs;
	u32 n_procs;
	struct rct_addr4 *addrs;
	u32 n_addrs;
	struct rct_route *routes;
	u32 n_routes;
	struct rct_ip_rule *rules;
	u32 n_rules;
	struct rct_neigh *neighs;
	u32 n_neighs;
	struct rct_num gc_thresh1, gc_thresh2, gc_thresh3;	/* IPv4 neighbour table */
	struct rct_num arp_ignore_all, arp_announce_all, rp_filter_all;
	struct rct_log *log;
	u32 n_log;
	bool log_read;
	struct rct_nccl nccl;
	struct rct_pci *pcis;
	u32 n_pcis;
	struct rct_distance *distances;
	u32 n_distances;
	u32 *irq_cpus, n_irq_cpus;	/* CPU number of each column */
	struct rct_irq *irqs;
	u32 n_irqs;
	bool irqs_read;
};

void rct_facts_free(struct rct_facts *f);

/*
 * A new, zeroed element at the end of one of the lists above; NULL: no memory. Every list
 * grows by this alone: its room is known from its length. E.g.
 * struct rct_gid *g = RCT_FACTS_ADD(nic->gids, nic->n_gids);
 */
void *rct_facts_add(void **list, u32 *n, size_t size);
#define RCT_FACTS_ADD(list, n)	rct_facts_add((void **)&(list), &(n), sizeof(*(list)))

/* The netdev of a NIC, or NULL. */
struct rct_netif *rct_nic_netif(const struct rct_facts *f, const struct rct_nic *n);
struct rct_netif *rct_netif_named(const struct rct_facts *f, const char *name);

/* A variable of a process, or NULL. */
const char *rct_proc_env(const struct rct_proc *p, const char *name);

/*
 * A canonical counter of a NIC, from whichever of its lists and its netdev's has it.
 * prio: 0 to 7 where the canonical is per priority. RCT_ABSENT: this driver has none.
 * from: where it was read, e.g. "hw_counters/out_of_sequence"; NULL: not wanted.
 */
struct rct_num rct_nic_counter(const struct rct_facts *f, const struct rct_nic *n,
			       enum rct_canonical c, u32 prio, char *from, size_t from_size);

/* A counter's growth between two readings of one host. */
struct rct_delta {
	enum rct_have have;		/* RCT_THERE: both times, and it did not restart */
	bool reset;			/* it went back: restarted, delta is since then */
	u64 delta;
	double per_second;		/* by the two uptimes */
	char from[80];
};

/* after's NIC is found in before by device and port. before NULL: have is RCT_ABSENT. */
struct rct_delta rct_nic_delta(const struct rct_facts *before, const struct rct_facts *after,
			       const struct rct_nic *n, enum rct_canonical c, u32 prio);

/* The same of one interface, e.g. of a bond's member. */
struct rct_num rct_netif_counter(const struct rct_netif *n, enum rct_canonical c, u32 prio,
				 char *from, size_t from_size);
struct rct_delta rct_netif_delta(const struct rct_facts *before, const struct rct_facts *after,
				 const struct rct_netif *n, enum rct_canonical c, u32 prio);

/*
 * Counters of the physical port (port_*, pfc_*, crc_error, ...) repeat on each of its
 * functions. Does n repeat those of a NIC before it in the list? Sums leave it out.
 */
bool rct_nic_repeats_port(const struct rct_facts *f, const struct rct_nic *n);

/* Seconds between two readings; <= 0: unknown. */
double rct_facts_seconds(const struct rct_facts *before, const struct rct_facts *after);

#endif
