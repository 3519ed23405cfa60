/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the rules on a host's own facts have in common: its RoCE ports, how their
 * counters moved, how a NIC compares with its siblings. Deltas, never totals; what was
 * not read twice has no delta.
 */
#ifndef RCT_NICS_H
#define RCT_NICS_H

#include "analyse/rule.h"
#include "model/facts.h"

/* A physical port of a RoCE NIC. Functions that share one port are one. */
struct rct_port {
	const struct rct_nic *nic;
	const struct rct_netif *netif;	/* NULL: not known */
	bool member;			/* of the bond that is the NIC's interface */
};

/* Fills c->ports. No memory: c->no_memory. */
void rct_ports_make(struct rct_case *c);

#define RCT_NIC_TEXT	(RCT_NAME + 32)

/* "mlx5_3/ens3np0" */
const char *rct_nic_text(const struct rct_nic *n, char buf[RCT_NIC_TEXT]);
const char *rct_port_text(const struct rct_port *p, char buf[RCT_NIC_TEXT]);

bool rct_nic_active(const struct rct_nic *n);
/* An InfiniBand port is none, nor is a device of which nothing can be read. */
bool rct_nic_roce(const struct rct_nic *n);
/* The kernel log says that its firmware stopped, and not that it recovered: its counters may be frozen. */
bool rct_nic_sick(const struct rct_case *c, const struct rct_nic *n);
/* The NIC that a log line, a PCI address or an interface belongs to, or NULL. */
const struct rct_nic *rct_nic_of(const struct rct_facts *f, const char *object);

/* Seconds between the two readings; 0: there are none, or it is not known. */
double rct_span(const struct rct_case *c);

struct rct_delta rct_nic_grew(const struct rct_case *c, const struct rct_nic *n, enum rct_canonical x);
struct rct_delta rct_port_grew(const struct rct_case *c, const struct rct_port *p,
			       enum rct_canonical x, u32 prio);
struct rct_num rct_port_counter(const struct rct_case *c, const struct rct_port *p,
				enum rct_canonical x, u32 prio, char from[80]);
/* A delta's size; 0 where there is none. */
u64 rct_grown(const struct rct_delta *d);
/* All priorities together. */
struct rct_delta rct_port_grew_all(const struct rct_case *c, const struct rct_port *p,
				   enum rct_canonical x);
/* Some counter of the RDMA device moved. */
bool rct_rdma_moved(const struct rct_case *c, const struct rct_nic *n);

/* Bits a second that the device can do, all members of a bond together; 0: not known. */
double rct_nic_speed(const struct rct_case *c, const struct rct_nic *n);
/* Bytes that went through: of RoCE, or of all traffic where that is more. */
struct rct_delta rct_nic_bytes(const struct rct_case *c, const struct rct_nic *n, bool tx);
/* Of the busier direction, of its speed; -1: not known. */
double rct_nic_load(const struct rct_case *c, const struct rct_nic *n);

/* Others of the same driver and speed that are up. */
bool rct_sibling(const struct rct_case *c, const struct rct_nic *n, const struct rct_nic *other);
/* "the other 7 NICs: 0", "" where they are not all known to be. */
const char *rct_others_text(const struct rct_case *c, const struct rct_nic *n,
			    enum rct_canonical x, char buf[48]);
/* Fills in impact where this NIC moved less than its siblings. */
void rct_say_impact(const struct rct_case *c, const struct rct_nic *n, struct rct_finding *f);

/* Fills in object. */
void rct_about_nic(const struct rct_nic *n, struct rct_finding *f);
void rct_about_port(const struct rct_port *p, struct rct_finding *f);

/* "+1,740 in 10 s (174/s)" under the name that the vendor gave it; nothing where it did not grow. */
void rct_say_growth(const struct rct_case *c, struct rct_finding *f, const struct rct_delta *d,
		    const char *threshold);
/* The vendor's name of what a delta or a value was read from. */
const char *rct_vendor_name(const char *from);

/* How bad lost packets are: as a share of all, else (all 0) by the rate. */
enum rct_severity rct_loss_severity(const struct rct_case *c, u64 lost, u64 all);

/* Findings that name a cause stand above those of the same severity that name a symptom. */
#define RCT_CAUSE	(1ULL << 40)

/* Of one NIC in the interval: signs of loss, and what on this host explains them. */
struct rct_losses {
	struct rct_delta out_of_sequence, duplicates, implied;	/* on the way to this host */
	struct rct_delta naks, timeouts, exceeded, repeated;	/* on the way from it, and back */
	struct rct_delta damaged, dropped;		/* frames that its ports received */
	u64 by_damage, by_drop, received_left;		/* out_of_sequence, by cause */
	u64 timeouts_left;				/* that no lost acknowledgement explains */
};

struct rct_losses rct_nic_losses(const struct rct_case *c, const struct rct_nic *n);

/* What a NIC sent, by whether pause protects its priority. */
struct rct_classes {
	bool known;		/* the counters and the configuration were read */
	bool some, none;	/* a priority is protected; none is, nor by 802.3x pause */
	double open;		/* share of what was sent that travelled unprotected */
	double arrived_open;	/* the same of what arrived; -1: not known */
	u64 sent;		/* packets, or bytes where only those are told apart */
	u32 prio, safe;		/* the unprotected one with most; the protected one */
};

struct rct_classes rct_nic_classes(const struct rct_case *c, const struct rct_nic *n);

#endif
