/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Vendors' counters, and the canonical ones that rules and reports speak of. One
 * const table maps the former to the latter (facts.md of the project's design; each
 * row's source is the driver's own table of names in Linux).
 */
#ifndef RCT_COUNTER_H
#define RCT_COUNTER_H

#include "types.h"

#define RCT_PRIOS	8

/* X(id, name, unit, per priority, meaning). The names are those of `explain NAME`. */
#define RCT_CANONICALS(X)							\
	X(ROCE_RX_PACKETS, "roce_rx_packets", "packets", 0, "RoCE packets received")	\
	X(ROCE_TX_PACKETS, "roce_tx_packets", "packets", 0, "RoCE packets sent")	\
	X(ROCE_RX_BYTES, "roce_rx_bytes", "bytes", 0, "RoCE bytes received")		\
	X(ROCE_TX_BYTES, "roce_tx_bytes", "bytes", 0, "RoCE bytes sent")		\
	X(SEQ_NAK_RECEIVED, "seq_nak_received", "naks", 0, "sequence NAKs received: packets that this host sent were lost or reordered") \
	X(OUT_OF_SEQUENCE, "out_of_sequence", "packets", 0, "packets received out of order: packets to this host were lost or reordered") \
	X(IMPLIED_NAK, "implied_nak", "events", 0, "READ or atomic responses received beyond the expected one: a response was lost") \
	X(ACK_TIMEOUT, "ack_timeout", "events", 0, "requests that no acknowledgement came for in time") \
	X(DUPLICATE_REQUEST, "duplicate_request", "packets", 0, "requests received again: the peer sent them twice") \
	X(RNR_NAK_RECEIVED, "rnr_nak_received", "naks", 0, "receiver-not-ready NAKs received: the peer had no receive posted") \
	X(RNR_NAK_SENT, "rnr_nak_sent", "naks", 0, "receiver-not-ready NAKs sent: this host had no receive posted") \
	X(RETRY_EXCEEDED, "retry_exceeded", "queue pairs", 0, "queue pairs that gave up after their last retry (completion status 12)") \
	X(RNR_RETRY_EXCEEDED, "rnr_retry_exceeded", "queue pairs", 0, "queue pairs that gave up on a receiver that was never ready (status 13)") \
	X(ADAPTIVE_RETRANSMIT, "adaptive_retransmit", "events", 0, "retransmissions by the NIC's adaptive timer") \
	X(RETRANSMITTED_PACKETS, "retransmitted_packets", "packets", 0, "packets sent again") \
	X(REMOTE_ACCESS_ERROR, "remote_access_error", "events", 0, "requests refused for their memory key, address or rights") \
	X(REMOTE_INVALID_REQUEST, "remote_invalid_request", "events", 0, "requests that the peer refused as invalid") \
	X(LOCAL_LENGTH_ERROR, "local_length_error", "events", 0, "messages longer than the receive posted for them, or than the path MTU allows") \
	X(COMPLETION_ERROR, "completion_error", "events", 0, "completions with an error, without flushed ones") \
	X(FLUSH_ERROR, "flush_error", "events", 0, "flushed completions: a consequence of an error or of closing") \
	X(CNP_SENT, "cnp_sent", "packets", 0, "congestion notifications sent: marked packets arrived here") \
	X(CNP_RECEIVED, "cnp_received", "packets", 0, "congestion notifications received and obeyed") \
	X(CNP_IGNORED, "cnp_ignored", "packets", 0, "congestion notifications received and ignored") \
	X(ECN_CE_RECEIVED, "ecn_ce_received", "packets", 0, "ECN marked (CE) RoCE packets received") \
	X(ICRC_ERROR, "icrc_error", "packets", 0, "RoCE packets with a bad ICRC") \
	X(NO_RECEIVE_BUFFER, "no_receive_buffer", "packets", 0, "packets dropped for lack of a posted receive") \
	X(PFC_RX_FRAMES, "pfc_rx_frames", "frames", 1, "PFC frames received: the network throttles this port") \
	X(PFC_TX_FRAMES, "pfc_tx_frames", "frames", 1, "PFC frames sent: this host throttles the network") \
	X(PFC_RX_DURATION, "pfc_rx_duration", "us", 1, "time that this port was stopped from sending") \
	X(PFC_TX_DURATION, "pfc_tx_duration", "us", 1, "time that this host stopped its peer") \
	X(PFC_RX_TRANSITIONS, "pfc_rx_transitions", "events", 1, "times that sending was stopped") \
	X(PRIO_RX_PACKETS, "prio_rx_packets", "packets", 1, "packets received on the priority") \
	X(PRIO_TX_PACKETS, "prio_tx_packets", "packets", 1, "packets sent on the priority") \
	X(PRIO_RX_BYTES, "prio_rx_bytes", "bytes", 1, "bytes received on the priority") \
	X(PRIO_TX_BYTES, "prio_tx_bytes", "bytes", 1, "bytes sent on the priority") \
	X(PRIO_RX_DISCARDS, "prio_rx_discards", "packets", 1, "packets of the priority dropped for lack of receive buffer") \
	X(PAUSE_RX_FRAMES, "pause_rx_frames", "frames", 0, "802.3x pause frames received: all classes are stopped") \
	X(PAUSE_TX_FRAMES, "pause_tx_frames", "frames", 0, "802.3x pause frames sent") \
	X(PAUSE_RX_DURATION, "pause_rx_duration", "us", 0, "time that 802.3x pause stopped this port from sending") \
	X(PAUSE_TX_DURATION, "pause_tx_duration", "us", 0, "time that this host stopped its peer by 802.3x pause") \
	X(PAUSE_STORM, "pause_storm", "events", 0, "the NIC sent pause for so long that it stopped or warned") \
	X(PORT_RX_DISCARDS, "port_rx_discards", "packets", 0, "packets dropped on receive for lack of port buffer") \
	X(PORT_TX_DISCARDS, "port_tx_discards", "packets", 0, "packets dropped on transmit") \
	X(CRC_ERROR, "crc_error", "frames", 0, "frames received with a bad checksum: damaged on this link or, by a cut-through switch, before") \
	X(SYMBOL_ERROR, "symbol_error", "events", 0, "symbols received wrong on this link") \
	X(FEC_CORRECTED, "fec_corrected", "bits or blocks", 0, "errors that forward error correction mended: normal") \
	X(FEC_UNCORRECTABLE, "fec_uncorrectable", "blocks", 0, "blocks that forward error correction could not mend") \
	X(LINK_DOWN, "link_down", "events", 0, "times that the link went down") \
	X(PCIE_STALL, "pcie_stall", "events", 0, "seconds in which the NIC waited for PCIe for more than 30 % of the time") \
	X(PORT_RX_BYTES, "port_rx_bytes", "bytes", 0, "bytes received on the physical port, all traffic") \
	X(PORT_TX_BYTES, "port_tx_bytes", "bytes", 0, "bytes sent on the physical port, all traffic") \
	X(PORT_RX_PACKETS, "port_rx_packets", "packets", 0, "packets received on the physical port") \
	X(PORT_TX_PACKETS, "port_tx_packets", "packets", 0, "packets sent on the physical port") \
	X(NETDEV_RX_BYTES, "netdev_rx_bytes", "bytes", 0, "bytes that the kernel's network stack received") \
	X(NETDEV_TX_BYTES, "netdev_tx_bytes", "bytes", 0, "bytes that the kernel's network stack sent")

enum rct_canonical {
#define RCT_CANONICAL_ENUM(id, name, unit, prio, text) RCT_C_##id,
	RCT_CANONICALS(RCT_CANONICAL_ENUM)
#undef RCT_CANONICAL_ENUM
	RCT_CANONICAL_COUNT
};

struct rct_canonical_info {
	const char *name, *unit, *text;
	bool prio;
};

const struct rct_canonical_info *rct_canonical_at(enum rct_canonical c);

/* Which list of a device the name is from. */
enum rct_counter_group {
	RCT_G_HW,		/* ports/N/hw_counters, and the device's own hw_counters */
	RCT_G_PORT,		/* ports/N/counters */
	RCT_G_ETHTOOL,		/* ethtool -S */
	RCT_G_NETDEV,		/* class/net/X/statistics */
};

/* A value as it was read. Absent, unreadable and zero are three things. */
enum rct_have { RCT_ABSENT, RCT_UNREADABLE, RCT_THERE };

struct rct_counter {
	enum rct_counter_group group;
	char name[56];
	enum rct_have have;
	u64 value;
};

/* What one vendor name stands for. */
struct rct_counter_map {
	const char *drivers;	/* space separated; "*": any */
	enum rct_counter_group group;
	const char *name;	/* # is a priority */
	enum rct_canonical canonical;
	u32 factor;		/* multiplies the value: 4 for the 4-byte words of port_*_data */
	u8 rank;		/* of several that a device has, the lowest is used */
	bool add;		/* adds to others of the same canonical and rank */
	u8 bits;		/* width at which it wraps; 0: 64 */
	bool subtract;		/* is taken off those that add */
};

extern const struct rct_counter_map rct_counter_maps[];
extern const size_t rct_counter_maps_n;

/* Does the row stand for this counter of a device with this driver? prio: of a name with #. */
bool rct_counter_is(const struct rct_counter_map *m, const char *driver,
		    enum rct_counter_group group, const char *name, u32 prio);
/* Do users call it so? Its name, any priority or # for a #, with "hw_counters/" or the like in front or not. */
bool rct_counter_called(const struct rct_counter_map *m, const char *text);
/* "hw_counters", "counters", "ethtool", "statistics" */
const char *rct_counter_group_name(enum rct_counter_group group);

#endif
