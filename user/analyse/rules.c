// SPDX-License-Identifier: BSD-2-Clause
/*
 * The rules, in the order in which they judge: a later one may look at what an
 * earlier one found. id, one sentence, text of `rocetrace explain ID`, function.
 */
#include "analyse/rule.h"
#include "base/util.h"

const struct rct_rule rct_rules[] = {
	{ { "loss.sent",
	    "Packets passed the point of the trace and were lost behind it.",
	    "A receiver that misses a packet answers with a sequence NAK, and the sender goes "
	    "back and sends again from there. Here the receiver did so, and the first copy of "
	    "what it missed had passed the hook without a gap: the loss is between this point "
	    "and the receiver's RDMA engine. Traced on the sender this means network or "
	    "receiver; traced on a mirror port it means the part of the way behind the "
	    "mirror.\n\n"
	    "Most NICs repeat all that was sent after the lost packet (go-back-N), so a few "
	    "lost packets cost many repeated ones. The number of NAKs is the number of losses "
	    "that were noticed; the number of repeated packets is what they cost.\n\n"
	    "Critical from 1 % sent again, warning from 10 per million, else notice.\n\n"
	    "To place it: trace the receiver. Gaps there: the network. None there: its host or "
	    "NIC." },
	  rct_rule_loss_sent },
	{ { "loss.received",
	    "Packets were lost before they reached the point of the trace; alone and as a "
	    "notice: they were reordered.",
	    "There are gaps in the packet sequence numbers at this point, and somebody asked "
	    "for packets again. So they were lost between their sender's RDMA engine and "
	    "here.\n\n"
	    "Gaps that are filled later without a NAK and without repeated packets are no loss: "
	    "adaptive routing and packet spraying reorder by design. Then this is a notice and "
	    "its title says so.\n\n"
	    "Unreliable connections (UC) never send again: what is missing there is lost for "
	    "good.\n\n"
	    "To place it: trace the sender. Gaps there, too: it loses them before its wire." },
	  rct_rule_loss_received },
	{ { "loss.host",
	    "Packets were lost inside the traced host.",
	    "Either packets are missing already where they leave this host (a queue discipline, "
	    "a firewall, or the hook itself), or they arrived whole and the host asked for them "
	    "again: dropped between the hook and RDMA, for instance for a wrong checksum, a "
	    "full socket buffer or a firewall.\n\n"
	    "Only hosts whose RoCE runs in software show this; an offloading NIC keeps its "
	    "packets to itself." },
	  rct_rule_loss_host },
	{ { "retry.timeout",
	    "A sender heard nothing and sent again after its timeout.",
	    "A requester waits 4.096 us * 2^timeout for an answer (timeout 14: 67 ms, 18: 1.07 "
	    "s, NCCL's 20: 4.3 s; up to four times as long is allowed), then sends again, up to "
	    "retry_cnt times, then its queue pair fails with status 12. A timeout without a NAK "
	    "means that the last packets of a burst, all packets, or the answers were lost; or "
	    "that the peer is gone.\n\n"
	    "Where the queue pair's timeout is not known, a silence of at least four times the "
	    "longest round trip seen counts, and the report says inferred: a connection that "
	    "was simply used again after a pause can look the same." },
	  rct_rule_timeout },
	{ { "loss.unknown",
	    "Packets were sent or seen again, and the packets do not tell why.",
	    "No NAK, no gap, no timeout that could be shown. A lost acknowledgement, a network "
	    "that duplicates packets, or a tap that sees them twice look alike from here. The "
	    "receiver's duplicate_request counter tells the tap from the others." },
	  rct_rule_loss_unknown },
	{ { "link.errors",
	    "Packets are damaged on the way.",
	    "The invariant CRC (ICRC) of a RoCE packet covers all that a switch may not change. "
	    "It was recomputed for the packets that the capture holds whole. Where it is wrong "
	    "and the Ethernet FCS was right (else the NIC had dropped it), the damage happened "
	    "inside a device: switch memory, a NIC, PCIe, a faulty offload, or the capture "
	    "itself.\n\n"
	    "Receivers drop such packets silently. So loss findings of the same interval may "
	    "only be its consequence; they are listed under explains and lowered to notices." },
	  rct_rule_icrc },
	{ { "retry.rnr_here",
	    "This host's receiver had no buffer ready and told its peer to wait.",
	    "A SEND (or a WRITE with immediate data) needs a posted receive buffer. Without one "
	    "the responder answers RNR NAK with a waiting time, and the sender stops for at "
	    "least that long. The program on this host posts its buffers too late: it is "
	    "stopped, swapped, on a busy core, or has too short a receive queue.\n\n"
	    "118 of them can be fatal: with a small rnr_retry the sender gives up (status 13). "
	    "The network is not the cause." },
	  rct_rule_rnr_here },
	{ { "retry.rnr_peer",
	    "The peer's receiver had no buffer ready and told the sender to wait.",
	    "As retry.rnr_here, at the other end (or, in a capture, at the end that is named): "
	    "the program there is late. The network is not the cause." },
	  rct_rule_rnr_peer },
	{ { "qp.error",
	    "A responder refused a request for good: the connection is in error.",
	    "NAK invalid request (status 9 at the requester), remote access error (10) or "
	    "remote operation error (11). Both queue pairs go to the error state, everything "
	    "else in flight completes as flushed (5), which is never a cause by itself. Usual "
	    "causes: a process that ended and took its memory with it, a wrong rkey, a message "
	    "longer than the posted buffer." },
	  rct_rule_qp_error },
	{ { "ecn.overthrottled",
	    "Congestion control slows senders although the link is mostly idle.",
	    "Many marked packets or CNPs while the traced link is used to less than 30 %. "
	    "Either the marking threshold of a queue (Kmin) is too low, or many senders hit one "
	    "receiver for moments that an average hides (incast). The queue's watermark at the "
	    "switch decides." },
	  rct_rule_ecn_overthrottled },
	{ { "ecn.marked",
	    "Switches mark packets: a queue on the way is over its threshold.",
	    "CE marks, or CNPs that tell a sender to slow down. At high load this is congestion "
	    "control at work. It is a warning only where 10 % or more of the packets are marked "
	    "and the link's load is not known to be high. What leaves the traced host has "
	    "passed no switch yet: marks show on what arrives." },
	  rct_rule_ecn_marked },
	{ { "ecn.no_cnp",
	    "A receiver of marked packets sends no CNPs.",
	    "With DCQCN the receiver of a CE mark sends a congestion notification packet (CNP) "
	    "to the sender's queue pair. None was seen. Soft-RoCE never sends one; RTT-based "
	    "congestion control needs none; else the notification point is off for that "
	    "priority." },
	  rct_rule_ecn_no_cnp },
	{ { "ecn.unmarked",
	    "Packets that need it are not ECN-capable.",
	    "A switch can mark only packets whose ECN field says ECT. Not-ECT packets are "
	    "dropped instead when the queue is full. Told only where packets were lost or the "
	    "link is busy." },
	  rct_rule_ecn_unmarked },
	{ { "pause.received",
	    "Pause frames arrive: the network stops this link's sender.",
	    "Priority flow control (PFC) or 802.3x frames seen as packets, which only virtual "
	    "links, some mirror ports and captures show: a NIC keeps them to itself. The time "
	    "is an upper bound: quanta * 512 bit times at the link's speed, as if no frame had "
	    "cut another short. Warning from 1 % of the time, critical from 20 %; 802.3x pause, "
	    "which stops everything, is always a warning." },
	  rct_rule_pause_received },
	{ { "pause.sent",
	    "Pause frames leave: this host stops its switch port.",
	    "As pause.received, in the other direction: this host cannot take what arrives. "
	    "Look at its PCIe, its memory, its receive buffers." },
	  rct_rule_pause_sent },
	{ { "qos.dscp_mismatch",
	    "The two directions of a connection have different DSCPs.",
	    "A fabric protects traffic classes, chosen by DSCP. Where the two ends of a "
	    "connection are configured differently, one direction is in the wrong class: its "
	    "data or its acknowledgements can be dropped while the other's cannot. CNPs have a "
	    "class of their own and are not compared." },
	  rct_rule_dscp },
	{ { "path.single_port",
	    "All queue pairs of two hosts share one UDP source port.",
	    "ECMP picks a path by hashing addresses and ports; the UDP source port is all that "
	    "differs between the queue pairs of two hosts. One port is one path. Warning from "
	    "four queue pairs on, because the fabric's hashing is not known from here." },
	  rct_rule_single_port },
	{ { "path.entropy",
	    "Many queue pairs share few UDP source ports.",
	    "As path.single_port, less extreme: at most half as many source ports as queue pairs." },
	  rct_rule_entropy },
	{ { "mtu.small",
	    "The path MTU is below 4096.",
	    "Packets in the middle of a message are as long as the path MTU, so it shows. RoCE "
	    "takes the largest of 256, 512, 1024, 2048 and 4096 that fits the interface's MTU "
	    "less the headers: 1500 gives 1024, 4096 gives 2048, 4200 gives 4096." },
	  rct_rule_mtu },
	{ { "blind.packets",
	    "RoCE packets could not be seen.",
	    "On NICs that offload RoCE (mlx5, bnxt, irdma, ionic and others) those packets "
	    "never reach XDP, tc or a tracepoint of the host. No packets seen then says nothing "
	    "about the traffic, and no per-flow loss, round trip or mark can be told. Packets "
	    "can be seen on soft-RoCE, on virtual interfaces, at a mirror port of the switch, "
	    "on a DPU, with the NIC's own sniffer, and in captures taken there. rocetrace probe "
	    "says which apply." },
	  rct_rule_blind },
	{ { "self.overflow",
	    "The flow table was full.",
	    "Packets of flows that found no place are counted together, not by flow. Give "
	    "--flows a larger number." },
	  rct_rule_overflow },
	{ { "self.events_lost",
	    "Events on the way to user space were lost.",
	    "Counts do not depend on events and stay exact. The causes and stall times of retries do." },
	  rct_rule_events_lost },
	{ { "self.tap_loss",
	    "The tap lost packets, not the network.",
	    "Packets that were acknowledged, and neither NAKed nor repeated, arrived at their "
	    "receiver. Where they were never seen here, the mirror session, the capture or this "
	    "host dropped them. They are not counted as loss." },
	  rct_rule_tap_loss },
	{ { "loss.none",
	    "Whether no loss means anything.",
	    "Nothing was lost, but a queue that never fills never drops. It counts as proven "
	    "only where both directions were seen, with at least 100,000 data packets, at 30 % "
	    "load or more of a link whose speed is known. Otherwise the report says what was "
	    "missing." },
	  rct_rule_loss_none },
};

const size_t rct_n_rules = RCT_ARRAY_SIZE(rct_rules);

/* Words of the report that are no findings. */
static const struct rct_explanation terms[] = {
	{ "gaps", "Steps forward in the packet sequence numbers of a flow's requests (PSN).",
	  "Each gap is counted once, whatever its length; the packets in it are missing until "
	    "they come late." },
	{ "missing", "Packets whose sequence number was skipped and which never came.",
	  "A gap's packets are missing until they come (late). Up to six holes a flow are "
	    "remembered; what is beyond stays missing and counts in given_up." },
	{ "late", "Packets that filled a gap.",
	  "Either reordered by the network, or a repeated packet whose first copy was lost "
	    "before this point." },
	{ "repeated", "Packets whose sequence number had been seen before.",
	  "Sent again: the first copy was lost behind this point, or its answer was. With "
	    "go-back-N most repeated packets had arrived." },
	{ "resync", "Jumps of more than 65,536 in the sequence numbers.",
	  "The queue pair was reset or its number reused; nothing is called lost." },
	{ "reanchored", "Requests behind a READ whose extent was not known yet.",
	  "A READ request uses as many sequence numbers as its answer has packets, which "
	    "takes the path MTU. Until that is known the tracker starts anew behind each READ "
	    "instead of guessing a gap." },
	{ "coverage", "Which source could speak of which object.",
	  "SEEN names what was looked at and how; UNSEEN what could not be, and why. What is "
	    "not seen is n/a in the report and null in JSON, never 0." },
	{ "cost", "What tracing cost.",
	  "Packets times nanoseconds each, calibrated at the start, plus the CPU time of the "
	    "process." },
};

const struct rct_explanation *rct_explanation_at(size_t i)
{
	if (i < rct_n_rules)
		return &rct_rules[i].about;
	i -= rct_n_rules;
	return i < RCT_ARRAY_SIZE(terms) ? &terms[i] : NULL;
}
