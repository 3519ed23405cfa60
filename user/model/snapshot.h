/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All that is known about an interval: plain data, made by capture, read by
 * render. Every count is exact unless a comment says otherwise.
 */
#ifndef RCT_SNAPSHOT_H
#define RCT_SNAPSHOT_H

#include "abi.h"

#define RCT_IFNAME	16

/* A count that may be unknown: never shown as 0 then. */
#define RCT_UNKNOWN	UINT64_MAX

/* How the other direction of a connection was found, best first. */
enum rct_peer_by { RCT_PEER_NONE, RCT_PEER_RDMA, RCT_PEER_CM, RCT_PEER_PSN };

/* What made a requester go back and send again. */
enum rct_retry_cause { RCT_RETRY_NAK, RCT_RETRY_RNR, RCT_RETRY_TIMEOUT, RCT_RETRY_UNKNOWN };
#define RCT_RETRY_CAUSES	4

/* Of a distribution, in ns; count 0: nothing was measured. */
struct rct_quantiles {
	u64 count, p50, p99, p999, max;
};

/* One flow, all derived sums made. Field meanings: docs/numbers.md. */
struct rct_flow {
	struct rct_key key;
	u8 transport;			/* enum rct_transport */
	u64 packets, bytes, payload, messages;
	u64 ops[RCT_OPS];
	u64 ecn[4];			/* by enum rct_ecn */
	u64 cnp, acks, naks[5], rnr_naks, reserved_aeth, cut;
	u32 rnr_timer;			/* code of the last RNR NAK; valid if rnr_naks */
	u64 icrc_checked, icrc_bad;
	u64 attr;			/* of the last packet; RCT_ATTR_* */
	u64 sport_changes, vlan_changes, pkey_changes, dscp_changes, ttl_changes;
	u64 gaps, missing, late, repeated, given_up, resync, reanchored, cross_cpu;
	u64 rsp_gaps, rsp_missing, rsp_repeated;
	u64 steps_back;			/* retransmission runs */
	u32 sizes[RCT_SIZES];		/* messages by size class */
	u64 burst;			/* most bytes in one tick */
	u32 path_mtu;			/* 0: not seen */
	u64 first_ns, last_ns;		/* CLOCK_REALTIME; 0: unknown */
	/* from the other direction of the connection: offline, but for retries and stalls, live by capture/retry.c */
	u32 peer_qp;			/* destination QP of the other direction; valid if peer_by */
	u8 peer_by;			/* enum rct_peer_by */
	bool timeout_inferred;		/* the QP's timeout is unknown: retries by timeout are inferred */
	u64 unseen;			/* PSNs acknowledged and never seen: lost by the tap; RCT_UNKNOWN */
	u64 retries[RCT_RETRY_CAUSES];	/* episodes by cause; RCT_UNKNOWN */
	u64 stall_ns[RCT_RETRY_CAUSES];	/* longest time without progress that each cause made; RCT_UNKNOWN */
	struct rct_quantiles rtt;	/* request to acknowledgement */
};

struct rct_iface {
	char name[RCT_IFNAME];
	u32 ifindex;
	u32 speed_mbps;			/* 0: unknown */
	u16 slot;
	bool gone;			/* vanished while traced */
	u64 verdict[RCT_VERDICT_COUNT];	/* packets by verdict; [RCT_OK]: RoCE packets in flow rows and overflow */
	u64 overflow_packets, overflow_bytes;
	struct rct_pauses pause[2];	/* by direction */
};

/* What a source of evidence could see of an object. */
enum rct_cov_state { RCT_COV_OK, RCT_COV_PARTIAL, RCT_COV_NONE };

struct rct_coverage {
	const char *source;		/* packets, rdma, counters, cpu, log, config */
	char object[64];		/* interface, device or file */
	enum rct_cov_state state;
	char method[24];		/* tcx, clsact, xdp, xdp-generic, netdev, pcap; "" */
	char why[256];			/* "" where state is ok */
};

struct rct_totals {
	u64 packets;			/* frames looked at */
	u64 roce;			/* RoCE v2 packets, whether in a flow or in overflow */
	u64 roce1;			/* RoCE v1 packets */
	u64 bytes;			/* of RoCE packets */
	u64 flows;
	u64 refused[RCT_VERDICT_COUNT];	/* [RCT_OK] unused */
	u64 truncated;			/* frames that the snaplen cut */
	u64 overflow_packets, retired_packets, sampled_out, events_lost;
};

/* What the tool itself cost. */
struct rct_self {
	double cpu_seconds;		/* user space */
	double start_cpu_seconds;	/* of them, before tracing began: loading and attaching */
	u64 rss_bytes;
	double attach_ms;
	double ns_per_packet;		/* calibrated; 0: not known */
	u64 programs;			/* attached, over all interfaces */
	const char *program[2];		/* their names */
	u32 n_names;
	u64 runs[2];			/* RCT_UNKNOWN where two share the frames */
};

/* Whose interrupts the text report lists; JSON always has those of NICs. */
enum rct_vectors { RCT_VECTORS_NONE, RCT_VECTORS_NICS, RCT_VECTORS_ALL };

struct rct_facts;

struct rct_snapshot {
	const char *command;		/* run, read, check, irq, diff */
	char host[256], kernel[128], arch[66], boot_id[40];
	u32 cpus, nodes;
	u64 start_ns, end_ns;		/* CLOCK_REALTIME; of a capture: first and last packet */
	u32 tick_us;			/* length of the tick that bursts are measured in */
	bool live;
	struct rct_coverage *coverage;
	size_t n_coverage;
	struct rct_totals totals;
	struct rct_iface *ifaces;
	size_t n_ifaces;
	struct rct_flow *flows;
	size_t n_flows, room_flows;
	struct rct_self self;
	/* the host itself, model/facts.h, before and after the interval; NULL: not read */
	struct rct_facts *before, *facts;
	enum rct_vectors vectors;
};

void rct_snapshot_free(struct rct_snapshot *s);

/* A new, zeroed element at the end of one of the lists; NULL: no memory. */
struct rct_coverage *rct_snapshot_add_coverage(struct rct_snapshot *s);
struct rct_iface *rct_snapshot_add_iface(struct rct_snapshot *s);
struct rct_flow *rct_snapshot_add_flow(struct rct_snapshot *s);

/* Room for n more flows, so that adding them copies nothing. 0 or -ENOMEM. */
int rct_snapshot_reserve_flows(struct rct_snapshot *s, size_t n);

/* Host name, kernel, boot id and processors of this machine. */
void rct_snapshot_host(struct rct_snapshot *s);

/* Sums that hold for the flows as they are listed: totals.flows, roce, bytes. */
void rct_snapshot_sum(struct rct_snapshot *s);

/* A flow's row and cold part to its counts. last_ns and first_ns are the caller's. */
void rct_flow_fold(const struct rct_row *row, const struct rct_cold *cold, struct rct_flow *ret);

/* A name of the specification, e.g. RC_WRITE_ONLY; OTHER, CNP for those of no transport. */
const char *rct_op_name(u32 transport, u32 op);

#endif
