/* SPDX-License-Identifier: BSD-2-Clause */
/* What the rules have in common. Each is a row of the table in rules.c. */
#ifndef RCT_RULE_H
#define RCT_RULE_H

#include "analyse/analyse.h"
#include "analyse/paths.h"

struct rct_rule;
struct rct_port;

/* A snapshot under judgement. */
struct rct_case {
	const struct rct_snapshot *s;
	struct rct_paths paths;
	double seconds;
	struct rct_port *ports;		/* analyse/nics.h, of the host's facts */
	u32 n_ports;
	const struct rct_rule *rule;	/* whose turn it is */
	struct rct_findings *out;
	struct rct_finding spare;	/* written instead where there is no memory */
	bool no_memory;
};

struct rct_rule {
	struct rct_explanation about;
	void (*judge)(struct rct_case *c);	/* adds what it finds, "ok" or "unknown" included; or NULL */
};

extern const struct rct_rule rct_rules[];
extern const size_t rct_n_rules;

/*
 * What the counters and logs of a host say under the id of a rule: runs behind that
 * rule's own function, and only where the host's facts are there (never NULL).
 */
struct rct_host_rule {
	const char *id;
	void (*judge)(struct rct_case *c);
};

extern const struct rct_host_rule rct_host_rules[];
extern const size_t rct_n_host_rules;

/* A new finding of the rule; never NULL. */
struct rct_finding *rct_find(struct rct_case *c, enum rct_severity severity,
			     enum rct_confidence confidence, enum rct_scope scope);

/* The rule had what it needed and found nothing: what was ruled out, in a few words. */
void rct_pass(struct rct_case *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* It could not judge: what is unknown and what it would take. */
void rct_unsure(struct rct_case *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* threshold, from: NULL or text. */
void rct_evidence(struct rct_finding *f, const char *metric, const char *threshold,
		  const char *from, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void rct_next(struct rct_finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void rct_explains(struct rct_finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define RCT_SAY(field, ...)	snprintf(field, sizeof(field), __VA_ARGS__)

/*
 * Paths that a rule picks: all of one interface that are seen from one point. One
 * cause on one interface is one finding, however many flows it hits.
 */
struct rct_hits {
	u32 n;				/* paths picked */
	const struct rct_path *worst;
	bool same_src, same_dst;	/* of all that were picked */
	bool both_ways;			/* two: the directions of one pair of hosts */
	u64 weight;			/* sum */
	u64 trouble, packets;		/* rct_path_trouble(), requests and responses of those picked */
	u64 other_n, other_trouble, other_packets;	/* of those that were not */
};

/* 0: not picked; else how bad it is. */
typedef u64 rct_weigh(const struct rct_case *c, const struct rct_path *p);

/* Calls found for each interface and point with a pick. Returns how many. */
u32 rct_each_hits(struct rct_case *c, rct_weigh *weigh,
		  void (*found)(struct rct_case *c, const struct rct_hits *p));

/* Fills in object, weight and where it was seen. */
void rct_about_hits(const struct rct_case *c, const struct rct_hits *p, struct rct_finding *f);

/* "packets eth0", "packets" */
const char *rct_from(const struct rct_case *c, const struct rct_path *p, char buf[48]);
/* The flow of a path with the most trouble. */
const struct rct_flow *rct_worst_flow(const struct rct_path *p);
/* Bytes a second of an interface's direction, of its speed; -1: not known. */
double rct_load(const struct rct_case *c, u32 slot, u32 dir);
/* Some finding of this area ("loss.") or id at notice or above is there already. */
bool rct_has(const struct rct_case *c, const char *id);

void rct_rule_loss_sent(struct rct_case *c);
void rct_rule_loss_received(struct rct_case *c);
void rct_rule_loss_host(struct rct_case *c);
void rct_rule_loss_unknown(struct rct_case *c);
void rct_rule_loss_none(struct rct_case *c);
void rct_rule_timeout(struct rct_case *c);
void rct_rule_rnr_here(struct rct_case *c);
void rct_rule_rnr_peer(struct rct_case *c);
void rct_rule_qp_error(struct rct_case *c);
void rct_rule_icrc(struct rct_case *c);
void rct_rule_ecn_marked(struct rct_case *c);
void rct_rule_ecn_overthrottled(struct rct_case *c);
void rct_rule_ecn_no_cnp(struct rct_case *c);
void rct_rule_ecn_unmarked(struct rct_case *c);
void rct_rule_pause_received(struct rct_case *c);
void rct_rule_pause_sent(struct rct_case *c);
void rct_rule_dscp(struct rct_case *c);
void rct_rule_single_port(struct rct_case *c);
void rct_rule_entropy(struct rct_case *c);
void rct_rule_hop_limit(struct rct_case *c);
void rct_rule_mtu(struct rct_case *c);
void rct_rule_blind(struct rct_case *c);
void rct_rule_gid_missing(struct rct_case *c);
void rct_rule_gid_version(struct rct_case *c);
void rct_rule_gid_link_local(struct rct_case *c);
void rct_rule_nccl_socket(struct rct_case *c);
void rct_rule_nccl_hca(struct rct_case *c);
void rct_rule_nccl_error(struct rct_case *c);
void rct_rule_nccl_tuning(struct rct_case *c);
void rct_rule_mtu_host(struct rct_case *c);
void rct_rule_arp_flux(struct rct_case *c);
void rct_rule_arp_neighbour(struct rct_case *c);
void rct_rule_path_rail(struct rct_case *c);
void rct_rule_qos_process(struct rct_case *c);
void rct_rule_vm_topology(struct rct_case *c);
void rct_rule_overflow(struct rct_case *c);
void rct_rule_events_lost(struct rct_case *c);
void rct_rule_tap_loss(struct rct_case *c);

/* on counters and logs: rows of rct_host_rules */
void rct_rule_nic_firmware(struct rct_case *c);
void rct_rule_host_xid(struct rct_case *c);
void rct_rule_host_aer(struct rct_case *c);
void rct_rule_host_oom(struct rct_case *c);
void rct_rule_host_watchdog(struct rct_case *c);
void rct_rule_host_mce(struct rct_case *c);
void rct_rule_host_iommu(struct rct_case *c);
void rct_rule_host_timeline(struct rct_case *c);
void rct_rule_host_exonerated(struct rct_case *c);
void rct_rule_link_flap(struct rct_case *c);
void rct_rule_link_optic(struct rct_case *c);
void rct_rule_link_damage(struct rct_case *c);
void rct_rule_link_upstream(struct rct_case *c);
void rct_rule_link_down(struct rct_case *c);
void rct_rule_pcie_degraded(struct rct_case *c);
void rct_rule_pcie_limit(struct rct_case *c);
void rct_rule_pcie_stall(struct rct_case *c);
void rct_rule_pcie_acs(struct rct_case *c);
void rct_rule_pcie_iommu(struct rct_case *c);
void rct_rule_gdr_off(struct rct_case *c);
void rct_rule_nic_drops(struct rct_case *c);
void rct_rule_nic_received(struct rct_case *c);
void rct_rule_nic_sent(struct rct_case *c);
void rct_rule_nic_place(struct rct_case *c);
void rct_rule_nic_lossless(struct rct_case *c);
void rct_rule_nic_timeout(struct rct_case *c);
void rct_rule_nic_rnr_here(struct rct_case *c);
void rct_rule_nic_rnr_peer(struct rct_case *c);
void rct_rule_nic_refused(struct rct_case *c);
void rct_rule_nic_pause_received(struct rct_case *c);
void rct_rule_nic_pause_sent(struct rct_case *c);
void rct_rule_pause_global(struct rct_case *c);
void rct_rule_pause_storm(struct rct_case *c);
void rct_rule_pause_deadlock(struct rct_case *c);
void rct_rule_nic_overthrottled(struct rct_case *c);
void rct_rule_nic_marked(struct rct_case *c);
void rct_rule_nic_no_cnp(struct rct_case *c);
void rct_rule_nic_unmarked(struct rct_case *c);
void rct_rule_ecn_late(struct rct_case *c);
void rct_rule_nic_class(struct rct_case *c);
void rct_rule_nic_spread(struct rct_case *c);
void rct_rule_nic_slow(struct rct_case *c);
void rct_rule_nic_unused(struct rct_case *c);
void rct_rule_lag_member(struct rct_case *c);
void rct_rule_blind_counters(struct rct_case *c);
void rct_rule_blind_function(struct rct_case *c);

/* on interrupts and nodes: rows of rct_host_rules */
void rct_rule_irq_remote(struct rct_case *c);
void rct_rule_irq_effective(struct rct_case *c);
void rct_rule_irq_single(struct rct_case *c);
void rct_rule_irq_shared(struct rct_case *c);
void rct_rule_irq_moved(struct rct_case *c);
void rct_rule_irq_isolated(struct rct_case *c);
void rct_rule_irq_storm(struct rct_case *c);
void rct_rule_irq_balancer(struct rct_case *c);
void rct_rule_numa_node(struct rct_case *c);
void rct_rule_gpu_nic(struct rct_case *c);

#endif
