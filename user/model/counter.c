// SPDX-License-Identifier: BSD-2-Clause
#include "model/counter.h"

#include "base/util.h"

static const struct rct_canonical_info canonicals[] = {
#define RCT_CANONICAL_ROW(id, name_, unit_, prio_, text_) \
	[RCT_C_##id] = { .name = name_, .unit = unit_, .text = text_, .prio = prio_ },
	RCT_CANONICALS(RCT_CANONICAL_ROW)
#undef RCT_CANONICAL_ROW
};

const struct rct_canonical_info *rct_canonical_at(enum rct_canonical c)
{
	return &canonicals[c];
}

/*
 * Rows of one driver, by list. HW, PORT: the driver of the RDMA device; ETHTOOL, NETDEV:
 * that of the interface. Options: .rank where a better one may be there, .add, .factor,
 * .bits.
 *
 * Not here on purpose: gauges (outbound_pci_stalled_rd is a share, active_qps);
 * rx_pause_ctrl_phy of mlx5, which counts PFC frames too and would call them global
 * pause; hns3's xoff times, whose unit differs by firmware; statistics/rx_crc_errors and
 * the like, which the kernel shows as 0 where a driver doesn't count.
 */
#define ROW(d, g, n, c, ...)	{ .drivers = d, .group = RCT_G_##g, .name = n, \
				  .canonical = RCT_C_##c, ##__VA_ARGS__ }
#define MLX5(g, n, c, ...)	ROW("mlx5 mlx5_core", g, n, c, ##__VA_ARGS__)
/* The firmware's counters per set of queues have 32 bits, those of congestion control 64. */
#define MLX5_Q(n, c, ...)	MLX5(HW, n, c, .bits = 32, ##__VA_ARGS__)
#define BNXT_RE(n, c, ...)	ROW("bnxt_re", HW, n, c, ##__VA_ARGS__)
#define BNXT_EN(n, c, ...)	ROW("bnxt_en", ETHTOOL, n, c, ##__VA_ARGS__)
#define IRDMA(n, c, ...)	ROW("irdma", HW, n, c, ##__VA_ARGS__)
#define ICE(n, c, ...)		ROW("ice", ETHTOOL, n, c, ##__VA_ARGS__)
#define HNS(n, c, ...)		ROW("hns", HW, n, c, ##__VA_ARGS__)
#define HNS3(n, c, ...)		ROW("hns3", ETHTOOL, n, c, ##__VA_ARGS__)
#define IONIC(n, c, ...)	ROW("ionic", HW, n, c, ##__VA_ARGS__)
#define IONIC_ETH(n, c, ...)	ROW("ionic", ETHTOOL, n, c, ##__VA_ARGS__)
#define RXE(n, c, ...)		ROW("rxe", HW, n, c, ##__VA_ARGS__)
#define MANA(n, c, ...)		ROW("mana", HW, n, c, ##__VA_ARGS__)
#define EFA(n, c, ...)		ROW("efa", HW, n, c, ##__VA_ARGS__)
#define MLX4(n, c, ...)		ROW("mlx4", HW, n, c, ##__VA_ARGS__)
#define QEDE(n, c, ...)		ROW("qede", ETHTOOL, n, c, ##__VA_ARGS__)

const struct rct_counter_map rct_counter_maps[] = {
	/* mlx5: hw_counters */
	MLX5_Q("packet_seq_err", SEQ_NAK_RECEIVED),
	MLX5_Q("out_of_sequence", OUT_OF_SEQUENCE),
	MLX5_Q("implied_nak_seq_err", IMPLIED_NAK),
	MLX5_Q("local_ack_timeout_err", ACK_TIMEOUT),
	MLX5_Q("duplicate_request", DUPLICATE_REQUEST),
	MLX5_Q("rnr_nak_retry_err", RNR_NAK_RECEIVED),
	MLX5_Q("req_transport_retries_exceeded", RETRY_EXCEEDED),
	MLX5_Q("req_rnr_retries_exceeded", RNR_RETRY_EXCEEDED),
	MLX5_Q("roce_adp_retrans", ADAPTIVE_RETRANSMIT),
	MLX5_Q("req_remote_access_errors", REMOTE_ACCESS_ERROR, .add = true),
	MLX5_Q("resp_remote_access_errors", REMOTE_ACCESS_ERROR, .add = true),
	MLX5_Q("req_remote_invalid_request", REMOTE_INVALID_REQUEST),
	MLX5_Q("resp_local_length_error", LOCAL_LENGTH_ERROR),
	MLX5_Q("req_cqe_error", COMPLETION_ERROR, .add = true),
	MLX5_Q("resp_cqe_error", COMPLETION_ERROR, .add = true),
	MLX5_Q("req_cqe_flush_error", FLUSH_ERROR, .add = true),
	MLX5_Q("resp_cqe_flush_error", FLUSH_ERROR, .add = true),
	MLX5_Q("out_of_buffer", NO_RECEIVE_BUFFER),
	MLX5(HW, "np_cnp_sent", CNP_SENT),
	MLX5(HW, "rp_cnp_handled", CNP_RECEIVED),
	MLX5(HW, "rp_cnp_ignored", CNP_IGNORED),
	MLX5(HW, "np_ecn_marked_roce_packets", ECN_CE_RECEIVED),
	MLX5(HW, "cc_tx_cnp_pkts", CNP_SENT, .rank = 1),
	MLX5(HW, "cc_rx_cnp_pkts", CNP_RECEIVED, .rank = 1),
	MLX5(HW, "cc_rx_ce_pkts", ECN_CE_RECEIVED, .rank = 1),
	MLX5(HW, "rx_icrc_encapsulated", ICRC_ERROR),
	/* mlx5: counters, where they are of RDMA traffic only */
	MLX5(PORT, "port_rcv_packets", ROCE_RX_PACKETS),
	MLX5(PORT, "port_xmit_packets", ROCE_TX_PACKETS),
	MLX5(PORT, "port_rcv_data", ROCE_RX_BYTES, .factor = 4),
	MLX5(PORT, "port_xmit_data", ROCE_TX_BYTES, .factor = 4),
	MLX5(PORT, "link_downed", LINK_DOWN, .rank = 1),
	MLX5(PORT, "symbol_error", SYMBOL_ERROR, .rank = 2),
	/* mlx5: ethtool */
	MLX5(ETHTOOL, "rx_vport_rdma_unicast_packets", ROCE_RX_PACKETS, .rank = 1),
	MLX5(ETHTOOL, "tx_vport_rdma_unicast_packets", ROCE_TX_PACKETS, .rank = 1),
	MLX5(ETHTOOL, "rx_vport_rdma_unicast_bytes", ROCE_RX_BYTES, .rank = 1),
	MLX5(ETHTOOL, "tx_vport_rdma_unicast_bytes", ROCE_TX_BYTES, .rank = 1),
	MLX5(ETHTOOL, "rx_out_of_buffer", NO_RECEIVE_BUFFER, .rank = 1, .bits = 32),
	MLX5(ETHTOOL, "rx_prio#_pause", PFC_RX_FRAMES),
	MLX5(ETHTOOL, "tx_prio#_pause", PFC_TX_FRAMES),
	MLX5(ETHTOOL, "rx_prio#_pause_duration", PFC_RX_DURATION),
	MLX5(ETHTOOL, "tx_prio#_pause_duration", PFC_TX_DURATION),
	MLX5(ETHTOOL, "rx_prio#_pause_transition", PFC_RX_TRANSITIONS),
	MLX5(ETHTOOL, "rx_prio#_packets", PRIO_RX_PACKETS),
	MLX5(ETHTOOL, "tx_prio#_packets", PRIO_TX_PACKETS),
	MLX5(ETHTOOL, "rx_prio#_bytes", PRIO_RX_BYTES),
	MLX5(ETHTOOL, "tx_prio#_bytes", PRIO_TX_BYTES),
	MLX5(ETHTOOL, "rx_prio#_discards", PRIO_RX_DISCARDS),
	MLX5(ETHTOOL, "rx_prio#_buf_discard", PRIO_RX_DISCARDS, .rank = 1),
	MLX5(ETHTOOL, "rx_global_pause", PAUSE_RX_FRAMES),
	MLX5(ETHTOOL, "tx_global_pause", PAUSE_TX_FRAMES),
	MLX5(ETHTOOL, "rx_global_pause_duration", PAUSE_RX_DURATION),
	MLX5(ETHTOOL, "tx_global_pause_duration", PAUSE_TX_DURATION),
	MLX5(ETHTOOL, "tx_pause_storm_warning_events", PAUSE_STORM, .add = true),
	MLX5(ETHTOOL, "tx_pause_storm_error_events", PAUSE_STORM, .add = true),
	MLX5(ETHTOOL, "rx_discards_phy", PORT_RX_DISCARDS),
	MLX5(ETHTOOL, "tx_discards_phy", PORT_TX_DISCARDS),
	MLX5(ETHTOOL, "rx_crc_errors_phy", CRC_ERROR),
	MLX5(ETHTOOL, "rx_pcs_symbol_err_phy", SYMBOL_ERROR),
	MLX5(ETHTOOL, "rx_symbol_err_phy", SYMBOL_ERROR, .rank = 1),
	MLX5(ETHTOOL, "rx_corrected_bits_phy", FEC_CORRECTED),
	MLX5(ETHTOOL, "link_down_events_phy", LINK_DOWN),
	MLX5(ETHTOOL, "outbound_pci_stalled_rd_events", PCIE_STALL, .add = true),
	MLX5(ETHTOOL, "outbound_pci_stalled_wr_events", PCIE_STALL, .add = true),
	MLX5(ETHTOOL, "rx_bytes_phy", PORT_RX_BYTES),
	MLX5(ETHTOOL, "tx_bytes_phy", PORT_TX_BYTES),
	MLX5(ETHTOOL, "rx_packets_phy", PORT_RX_PACKETS),
	MLX5(ETHTOOL, "tx_packets_phy", PORT_TX_PACKETS),

	/* bnxt_re: hw_counters; *_roce_only_* are of later kernels, the others hold all RDMA traffic */
	BNXT_RE("seq_err_naks_rcvd", SEQ_NAK_RECEIVED),
	BNXT_RE("oos_drop_count", OUT_OF_SEQUENCE),
	BNXT_RE("missing_resp", IMPLIED_NAK),
	BNXT_RE("to_retransmits", ACK_TIMEOUT),
	BNXT_RE("dup_req", DUPLICATE_REQUEST),
	BNXT_RE("rnr_naks_rcvd", RNR_NAK_RECEIVED),
	BNXT_RE("max_retry_exceeded", RETRY_EXCEEDED),
	BNXT_RE("remote_access_err", REMOTE_ACCESS_ERROR, .add = true),
	BNXT_RE("res_rx_invalid_rkey", REMOTE_ACCESS_ERROR, .add = true),
	BNXT_RE("res_rx_no_perm", REMOTE_ACCESS_ERROR, .add = true),
	BNXT_RE("res_rx_range_err", REMOTE_ACCESS_ERROR, .add = true),
	BNXT_RE("remote_invalid_req_err", REMOTE_INVALID_REQUEST),
	BNXT_RE("res_length_mismatch", LOCAL_LENGTH_ERROR, .add = true),
	BNXT_RE("res_exceeds_wqe", LOCAL_LENGTH_ERROR, .add = true),
	BNXT_RE("tx_cnp_pkts", CNP_SENT),
	BNXT_RE("rx_cnp_pkts", CNP_RECEIVED),
	BNXT_RE("rx_ecn_marked_pkts", ECN_CE_RECEIVED),
	BNXT_RE("rx_roce_only_pkts", ROCE_RX_PACKETS),
	BNXT_RE("tx_roce_only_pkts", ROCE_TX_PACKETS),
	BNXT_RE("rx_roce_only_bytes", ROCE_RX_BYTES),
	BNXT_RE("tx_roce_only_bytes", ROCE_TX_BYTES),
	BNXT_RE("rx_pkts", ROCE_RX_PACKETS, .rank = 1),
	BNXT_RE("tx_pkts", ROCE_TX_PACKETS, .rank = 1),
	BNXT_RE("rx_bytes", ROCE_RX_BYTES, .rank = 1),
	BNXT_RE("tx_bytes", ROCE_TX_BYTES, .rank = 1),
	BNXT_RE("rx_roce_good_pkts", ROCE_RX_PACKETS, .rank = 2),
	BNXT_RE("rx_roce_good_bytes", ROCE_RX_BYTES, .rank = 2),
	/* bnxt_en: ethtool */
	BNXT_EN("rx_pfc_ena_frames_pri#", PFC_RX_FRAMES),
	BNXT_EN("tx_pfc_ena_frames_pri#", PFC_TX_FRAMES),
	BNXT_EN("pfc_pri#_rx_duration_us", PFC_RX_DURATION),
	BNXT_EN("pfc_pri#_tx_duration_us", PFC_TX_DURATION),
	BNXT_EN("pfc_pri#_rx_transitions", PFC_RX_TRANSITIONS),
	BNXT_EN("rx_packets_pri#", PRIO_RX_PACKETS),
	BNXT_EN("tx_packets_pri#", PRIO_TX_PACKETS),
	BNXT_EN("rx_bytes_pri#", PRIO_RX_BYTES),
	BNXT_EN("tx_bytes_pri#", PRIO_TX_BYTES),
	BNXT_EN("rx_pause_frames", PAUSE_RX_FRAMES),
	BNXT_EN("tx_pause_frames", PAUSE_TX_FRAMES),
	BNXT_EN("continuous_pause_events", PAUSE_STORM, .add = true),
	BNXT_EN("continuous_roce_pause_events", PAUSE_STORM, .add = true),
	BNXT_EN("rx_stat_discard", PORT_RX_DISCARDS),
	BNXT_EN("tx_stat_discard", PORT_TX_DISCARDS),
	BNXT_EN("rx_fcs_err_frames", CRC_ERROR),
	BNXT_EN("rx_pcs_symbol_err", SYMBOL_ERROR),
	BNXT_EN("rx_fec_corrected_blocks", FEC_CORRECTED),
	BNXT_EN("rx_corrected_bits", FEC_CORRECTED, .rank = 1),
	BNXT_EN("rx_fec_uncorrectable_blocks", FEC_UNCORRECTABLE),
	BNXT_EN("link_down_events", LINK_DOWN),
	BNXT_EN("rx_bytes", PORT_RX_BYTES),
	BNXT_EN("tx_bytes", PORT_TX_BYTES),
	BNXT_EN("rx_total_frames", PORT_RX_PACKETS),
	BNXT_EN("tx_total_frames", PORT_TX_PACKETS),

	/* irdma: hw_counters; it counts no NAK, no retransmission and no packet out of order */
	IRDMA("RxUDP", ROCE_RX_PACKETS),
	IRDMA("TxUDP", ROCE_TX_PACKETS),
	IRDMA("ip4InOctets", ROCE_RX_BYTES, .add = true),
	IRDMA("ip6InOctets", ROCE_RX_BYTES, .add = true),
	IRDMA("ip4OutOctets", ROCE_TX_BYTES, .add = true),
	IRDMA("ip6OutOctets", ROCE_TX_BYTES, .add = true),
	IRDMA("cnpSent", CNP_SENT),
	IRDMA("cnpHandled", CNP_RECEIVED),
	IRDMA("cnpIgnored", CNP_IGNORED),
	IRDMA("RxECNMrkd", ECN_CE_RECEIVED),
	/* ice: ethtool; no durations */
	ICE("rx_priority_#_xoff.nic", PFC_RX_FRAMES),
	ICE("tx_priority_#_xoff.nic", PFC_TX_FRAMES),
	ICE("rx_priority_#_xon.nic", PFC_RX_TRANSITIONS),
	ICE("link_xoff_rx.nic", PAUSE_RX_FRAMES),
	ICE("link_xoff_tx.nic", PAUSE_TX_FRAMES),
	ICE("rx_dropped.nic", PORT_RX_DISCARDS),
	ICE("tx_dropped_link_down.nic", PORT_TX_DISCARDS),
	ICE("rx_crc_errors.nic", CRC_ERROR),
	ICE("illegal_bytes.nic", SYMBOL_ERROR),
	ICE("rx_bytes.nic", PORT_RX_BYTES),
	ICE("tx_bytes.nic", PORT_TX_BYTES),

	/* hns: hw_counters, none of retransmissions */
	HNS("rx_pkt", ROCE_RX_PACKETS),
	HNS("tx_pkt", ROCE_TX_PACKETS),
	HNS("tx_cnp_pkt", CNP_SENT),
	HNS("rx_cnp_pkt", CNP_RECEIVED),
	/* hns3: ethtool */
	HNS3("mac_rx_pfc_pri#_pkt_num", PFC_RX_FRAMES),
	HNS3("mac_tx_pfc_pri#_pkt_num", PFC_TX_FRAMES),
	HNS3("mac_rx_mac_pause_num", PAUSE_RX_FRAMES),
	HNS3("mac_tx_mac_pause_num", PAUSE_TX_FRAMES),
	HNS3("mac_rx_fcs_err_pkt_num", CRC_ERROR),
	HNS3("mac_rx_symbol_err_pkt_num", SYMBOL_ERROR),
	HNS3("mac_rx_total_oct_num", PORT_RX_BYTES),
	HNS3("mac_tx_total_oct_num", PORT_TX_BYTES),
	HNS3("mac_rx_total_pkt_num", PORT_RX_PACKETS),
	HNS3("mac_tx_total_pkt_num", PORT_TX_PACKETS),

	/* ionic: hw_counters, whose names come from the firmware (the misspelt one too) */
	IONIC("rx_rdma_ucast_pkts", ROCE_RX_PACKETS),
	IONIC("tx_rdma_ucast_pkts", ROCE_TX_PACKETS),
	IONIC("rx_rdma_ucast_bytes", ROCE_RX_BYTES),
	IONIC("tx_rdma_ucast_bytes", ROCE_TX_BYTES),
	IONIC("req_rx_pkt_seq_err", SEQ_NAK_RECEIVED),
	IONIC("resp_rx_outouf_seq", OUT_OF_SEQUENCE),
	IONIC("resp_tx_pkt_seq_err", OUT_OF_SEQUENCE, .rank = 1),
	IONIC("req_rx_impl_nak_seq_err", IMPLIED_NAK),
	IONIC("tx_rdma_ack_timeout", ACK_TIMEOUT),
	IONIC("resp_rx_dup_request", DUPLICATE_REQUEST),
	IONIC("req_rx_rnr_retry_err", RNR_NAK_RECEIVED),
	IONIC("resp_tx_rnr_retry_err", RNR_NAK_SENT),
	IONIC("req_tx_retry_excd_err", RETRY_EXCEEDED),
	IONIC("tx_rdma_retx_pkts", RETRANSMITTED_PACKETS),
	IONIC("tx_rdma_ccl_cts_retx_pkts", RETRANSMITTED_PACKETS, .rank = 1),
	IONIC("req_rx_rmt_acc_err", REMOTE_ACCESS_ERROR),
	IONIC("req_rx_rmt_req_err", REMOTE_INVALID_REQUEST),
	IONIC("resp_rx_loc_len_err", LOCAL_LENGTH_ERROR),
	IONIC("req_rx_cqe_err", COMPLETION_ERROR, .add = true),
	IONIC("resp_rx_cqe_err", COMPLETION_ERROR, .add = true),
	IONIC("req_rx_cqe_flush", FLUSH_ERROR, .add = true),
	IONIC("resp_rx_cqe_flush", FLUSH_ERROR, .add = true),
	IONIC("tx_rdma_cnp_pkts", CNP_SENT),
	IONIC("rx_rdma_cnp_pkts", CNP_RECEIVED),
	IONIC("rx_rdma_ecn_pkts", ECN_CE_RECEIVED),
	IONIC("resp_rx_outof_buf", NO_RECEIVE_BUFFER),
	/* ionic: ethtool; PFC frames only as the sum of all priorities */
	IONIC_ETH("rx_pripause_#_1us_count", PFC_RX_DURATION),
	IONIC_ETH("tx_pripause_#_1us_count", PFC_TX_DURATION),
	IONIC_ETH("frames_rx_pri_#", PRIO_RX_PACKETS),
	IONIC_ETH("frames_tx_pri_#", PRIO_TX_PACKETS),
	IONIC_ETH("frames_rx_pause", PAUSE_RX_FRAMES),
	IONIC_ETH("frames_tx_pause", PAUSE_TX_FRAMES),
	IONIC_ETH("rx_pause_1us_count", PAUSE_RX_DURATION),
	IONIC_ETH("frames_rx_dropped", PORT_RX_DISCARDS),
	IONIC_ETH("frames_rx_bad_fcs", CRC_ERROR),
	IONIC_ETH("octets_rx_all", PORT_RX_BYTES),
	IONIC_ETH("octets_tx_total", PORT_TX_BYTES),
	IONIC_ETH("frames_rx_all", PORT_RX_PACKETS),
	IONIC_ETH("frames_tx_all", PORT_TX_PACKETS),

	/* rxe: out_of_seq_request counts NAKs sent; runs of retries that no NAK began are timeouts */
	RXE("rcvd_pkts", ROCE_RX_PACKETS),
	RXE("sent_pkts", ROCE_TX_PACKETS),
	RXE("rcvd_seq_err", SEQ_NAK_RECEIVED),
	RXE("out_of_seq_request", OUT_OF_SEQUENCE),
	RXE("completer_retry_err", ACK_TIMEOUT, .add = true),
	RXE("rcvd_seq_err", ACK_TIMEOUT, .subtract = true),
	RXE("duplicate_request", DUPLICATE_REQUEST),
	RXE("rcvd_rnr_err", RNR_NAK_RECEIVED),
	RXE("send_rnr_err", RNR_NAK_SENT),
	RXE("retry_exceeded_err", RETRY_EXCEEDED),
	RXE("retry_rnr_exceeded_err", RNR_RETRY_EXCEEDED),
	RXE("link_downed", LINK_DOWN),

	MANA("rx_pkt", ROCE_RX_PACKETS),
	MANA("tx_pkt", ROCE_TX_PACKETS),
	MANA("rx_bytes", ROCE_RX_BYTES),
	MANA("tx_bytes", ROCE_TX_BYTES),
	MANA("requester_oos_nak", SEQ_NAK_RECEIVED),
	MANA("responder_oos", OUT_OF_SEQUENCE),
	MANA("requester_implicit_nak", IMPLIED_NAK),
	MANA("requester_timeout", ACK_TIMEOUT),
	MANA("responder_dup_request", DUPLICATE_REQUEST),
	MANA("requester_rnr_nak", RNR_NAK_RECEIVED),
	MANA("responder_rnr_nak", RNR_NAK_SENT),
	MANA("requester_retries_exceeded", RETRY_EXCEEDED),
	MANA("requester_rnr_nak_retries_exceeded", RNR_RETRY_EXCEEDED),
	MANA("nak_access_error", REMOTE_ACCESS_ERROR, .add = true),
	MANA("responder_rem_access_error", REMOTE_ACCESS_ERROR, .add = true),
	MANA("nak_inv_req", REMOTE_INVALID_REQUEST),
	MANA("sent_cnps", CNP_SENT),
	MANA("received_cnps", CNP_RECEIVED),
	MANA("received_cnp_count", CNP_RECEIVED, .rank = 1),
	MANA("received_ecns", ECN_CE_RECEIVED),

	EFA("rx_pkts", ROCE_RX_PACKETS),
	EFA("tx_pkts", ROCE_TX_PACKETS),
	EFA("rx_bytes", ROCE_RX_BYTES),
	EFA("tx_bytes", ROCE_TX_BYTES),
	EFA("retrans_pkts", RETRANSMITTED_PACKETS),
	EFA("retrans_timeout_events", ACK_TIMEOUT),
	EFA("rx_drops", PORT_RX_DISCARDS),

	/* mlx4: sq is the requester, rq the responder */
	MLX4("sq_num_oos", SEQ_NAK_RECEIVED),
	MLX4("rq_num_oos", OUT_OF_SEQUENCE),
	MLX4("sq_num_to", ACK_TIMEOUT),
	MLX4("rq_num_dup", DUPLICATE_REQUEST),
	MLX4("sq_num_rnr", RNR_NAK_RECEIVED),
	MLX4("rq_num_rnr", RNR_NAK_SENT),
	MLX4("sq_num_tree", RETRY_EXCEEDED),

	/* qedr has no hw_counters */
	QEDE("rx_pause_frames", PAUSE_RX_FRAMES),
	QEDE("tx_pause_frames", PAUSE_TX_FRAMES),
	QEDE("rx_crc_errors", CRC_ERROR),

	/* what the kernel itself counts */
	ROW("*", NETDEV, "carrier_down_count", LINK_DOWN, .rank = 3),
	ROW("*", NETDEV, "rx_bytes", NETDEV_RX_BYTES),
	ROW("*", NETDEV, "tx_bytes", NETDEV_TX_BYTES),
};

const size_t rct_counter_maps_n = RCT_ARRAY_SIZE(rct_counter_maps);

/* Is the word in a list with blanks between? */
static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	if (!strcmp(list, "*"))
		return true;
	for (const char *p = list; len && *p; p += strcspn(p, " "), p += *p == ' ') {
		if (!strncmp(p, word, len) && (!p[len] || p[len] == ' '))
			return true;
	}
	return false;
}

/* # is one digit: there are eight priorities. */
static bool has_name(const char *pattern, const char *name, u32 prio)
{
	for (; *pattern && *name; pattern++, name++) {
		if (*pattern == '#' ? *name != (char)('0' + prio) : *name != *pattern)
			return false;
	}
	return !*pattern && !*name;
}

bool rct_counter_is(const struct rct_counter_map *m, const char *driver,
		    enum rct_counter_group group, const char *name, u32 prio)
{
	return m->group == group && has_name(m->name, name, prio) && has_word(m->drivers, driver);
}

bool rct_counter_called(const struct rct_counter_map *m, const char *text)
{
	const char *slash = strchr(text, '/'), *group = rct_counter_group_name(m->group);

	if (slash && (strlen(group) != (size_t)(slash - text) || strncmp(group, text, slash - text)))
		return false;
	text = slash ? slash + 1 : text;
	for (u32 prio = 0; prio < RCT_PRIOS; prio++) {
		if (has_name(m->name, text, prio))
			return true;
	}
	return !strcmp(m->name, text);
}

const char *rct_counter_group_name(enum rct_counter_group group)
{
	static const char *const names[] = {
		[RCT_G_HW] = "hw_counters",
		[RCT_G_PORT] = "counters",
		[RCT_G_ETHTOOL] = "ethtool",
		[RCT_G_NETDEV] = "statistics",
	};

	return names[group];
}
