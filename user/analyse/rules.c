// SPDX-License-Identifier: BSD-2-Clause
/*
 * The rules, in the order in which they judge: a later one may look at what an
 * earlier one found. id, one sentence, text of `rocetrace explain ID`, function.
 */
#include "analyse/hosts.h"
#include "analyse/irq_expect.h"
#include "analyse/rule.h"
#include "base/util.h"

const struct rct_rule rct_rules[] = {
	{ { "nic.firmware",
	    "The NIC's firmware reported a fault.",
	    "The driver watches a counter that the firmware moves. When it stands still or "
	    "the firmware reports an assert, the kernel log says so (mlx5: health "
	    "compromised, Health issue observed). Queue pairs of that NIC hang or fail, and "
	    "its counters may be frozen: that they do not move proves nothing then.\n\n"
	    "No fault of the network. devlink health keeps a dump for the vendor." },
	  NULL },
	{ { "host.xid",
	    "The GPU driver reported an error (Xid).",
	    "A GPU that fails takes its rank with it: the peers see time-outs or flushed "
	    "completions, and NCCL reports a network error. Named is the first hardware fault "
	    "in the log, not its follow-ups (45 only cleans up). 48, 62, 64, 74, 79, 94, 95, "
	    "119, 120 and 140 are the hardware's; 13, 31 and 43 are mostly the program's.\n\n"
	    "What follows in time may be its consequence; that it is, is no more than likely. "
	    "Events older than an hour are notices." },
	  NULL },
	{ { "host.aer",
	    "A PCIe device reported an error.",
	    "Uncorrected errors lose transfers, and the device may be reset. Corrected ones "
	    "cost a repetition; many of them say that a link is bad." },
	  NULL },
	{ { "host.oom",
	    "The kernel killed a process for lack of memory.",
	    "If it was a rank of a job, its peers see connections that die; the network is "
	    "not the cause." },
	  NULL },
	{ { "host.watchdog",
	    "A CPU, a task or a transmit queue stood still.",
	    "A soft or hard lockup keeps interrupts and processes of a CPU waiting; a "
	    "transmit queue that timed out says that the NIC took no more packets, for "
	    "instance because it is paused all the time." },
	  NULL },
	{ { "host.mce",
	    "The processor reported a hardware error.",
	    "Memory or processor; a corrected error is a warning of a worse one." },
	  NULL },
	{ { "host.iommu",
	    "The IOMMU refused a transfer of a device.",
	    "The device used an address that it may not use. With GPUDirect this can be a "
	    "wrong mapping, ACS or an old driver; the data did not arrive." },
	  NULL },
	{ { "link.optic",
	    "The module of a link complains.",
	    "Drivers report modules that are too hot, draw too much power, cannot be read, or "
	    "are not supported. It is critical where that came before the link went down." },
	  NULL },
	{ { "link.flap",
	    "A link goes down and up.",
	    "Every queue pair over it waits for its retries; an outage longer than those ends "
	    "them with status 12. Read from the kernel log and from link counters between two "
	    "readings. A total since boot is no rate: when it was counted is not known. Downs "
	    "in the first five minutes after boot are the drivers' own." },
	  NULL },
	{ { "link.down",
	    "A port is not up.",
	    "Without an address nobody meant to use it: a notice. With one, something that is "
	    "set up is not connected." },
	  NULL },
	{ { "link.upstream",
	    "Damaged frames arrive over a link that is clean itself.",
	    "A cut-through switch has begun to send a frame before it can check it. It marks "
	    "(stomps) the checksum of a bad one, and every hop behind counts it. Where CRC "
	    "errors grow and neither symbol errors nor FEC do, the fault is on a hop before." },
	  NULL },
	{ { "pcie.degraded",
	    "A NIC's PCIe link is slower or narrower than device and slot can do.",
	    "Compared are current and largest speed and width. Critical where what is left is "
	    "below 60 % of the Ethernet port's speed, warning where it is below the port's at "
	    "all. Usual causes: a card not seated well, a riser, BIOS bifurcation, a link "
	    "that trained down after errors." },
	  NULL },
	{ { "pcie.limit",
	    "PCIe carries less than the Ethernet port, by design.",
	    "The device runs at its best, which is less than its port's speed." },
	  NULL },
	{ { "pcie.stall",
	    "The NIC waits for PCIe.",
	    "mlx5 counts seconds in which it waited for more than 30 % of the time. The "
	    "host's memory, a narrow link, an IOMMU that translates, or buffers on the far "
	    "NUMA node." },
	  NULL },
	{ { "pcie.acs",
	    "ACS redirect sends GPU-NIC transfers over the root complex.",
	    "Access Control Services of PCIe switches can force transfers between two devices "
	    "below one switch up to the root complex and back. GPUDirect RDMA then gets a "
	    "part of its rate. Judged by ACSCtl, which is what is on, not by ACSCap.\n\n"
	    "Virtual machines that are given such devices need ACS for their isolation: leave "
	    "it on there." },
	  NULL },
	{ { "pcie.iommu",
	    "The IOMMU translates every transfer.",
	    "With iommu=pt devices of the host itself are not translated. Without it each DMA "
	    "needs a look-up, which costs bandwidth at the speeds of today's NICs." },
	  NULL },
	{ { "gdr.off",
	    "GPUDirect RDMA is off: data goes through the host's memory.",
	    "It takes nvidia_peermem (or nv_peer_mem), or DMA-BUF of kernel, driver and NCCL. "
	    "NCCL's log says for each NIC whether it is enabled, and marks its channels "
	    "/GDRDMA. Whether DMA-BUF can be used is not told by the module list: without "
	    "NCCL's log nothing is said." },
	  NULL },
	{ { "qos.lossy_priority",
	    "RoCE travels on a priority that nothing protects.",
	    "Packets per priority against the priorities with PFC. Where one is lossless and "
	    "most of what is sent goes elsewhere, DSCP or traffic class of the job is not "
	    "what the fabric protects: critical from half of what is sent, with or without "
	    "loss yet. Where no priority is protected at all, neither by 802.3x pause, it is "
	    "a warning.\n\n"
	    "Follow the bytes: queue pairs that are set up without the kernel (DevX, GPU- "
	    "initiated) ignore a device-wide default, so a configuration that matches proves "
	    "nothing." },
	  NULL },
	{ { "pause.global",
	    "802.3x pause stops all classes together.",
	    "Link-level pause knows no priorities: one slow receiver of any class stops all "
	    "others as well (head-of-line blocking). RoCE wants PFC on one priority instead. "
	    "A warning where pause was received in the interval, else a notice." },
	  NULL },
	{ { "pause.storm",
	    "A NIC sent pause without an end.",
	    "A host that hangs keeps its switch port paused until the NIC's storm prevention "
	    "ends it. Until then everything behind that port, and in time the fabric, stands "
	    "still." },
	  NULL },
	{ { "pause.deadlock",
	    "A priority is paused all the time and sends nothing.",
	    "From 90 % of the interval, without one packet sent. Either somebody sends pause "
	    "without an end, or switches wait for each other in a circle." },
	  NULL },
	{ { "ecn.late",
	    "Pause comes, and no congestion notification.",
	    "ECN should slow senders before a queue reaches its pause threshold. Pause "
	    "without a CNP says that marking begins too late, that it is off, or that a "
	    "receiver is slow itself, which marks cannot mend." },
	  NULL },
	{ { "loss.nic",
	    "The NIC dropped packets that it had received.",
	    "Its receive buffer was full: the host takes data too slowly (PCIe, memory), or "
	    "the priority has no pause that would have stopped the sender. It explains "
	    "packets out of sequence and lost acknowledgements here, as many as were dropped, "
	    "never what peers missed of this host." },
	  NULL },
	{ { "path.lag_member",
	    "A bond's traffic is on one of its members.",
	    "Each queue pair stays on one member, which the NIC chooses; the kernel's hash "
	    "policy applies to its own packets only. With few queue pairs chance decides. A "
	    "RoCE LAG device reports one member's rate." },
	  NULL },
	{ { "nic.one_of_many",
	    "One of several equal NICs carries everything.",
	    "Compared are NICs of one driver and speed that are up, at least three. Warning "
	    "from 10 % load of the busiest, critical from 50 %." },
	  NULL },
	{ { "nic.slow",
	    "A NIC carries less than half of what its siblings do.",
	    "A comparison, no cause: look for errors, pause or a slow PCIe link of that NIC." },
	  NULL },
	{ { "nic.unused",
	    "NICs carry no RDMA traffic.",
	    "Either since boot, while their interfaces carry other traffic; or in the "
	    "interval, while equal ones are busy." },
	  NULL },
	{ { "blind.counters",
	    "RDMA devices are listed and cannot be read.",
	    "In a container /sys/class/infiniband may list devices whose targets are not "
	    "mounted. That is no health: nothing is known. Counters that a driver does not "
	    "have, or that say \"N/A (no PMA)\", are n/a and never 0." },
	  NULL },
	{ { "blind.function",
	    "Programs cannot be loaded or attached here.",
	    "Native XDP needs an MTU that fits a page (or a driver with fragments), LRO off "
	    "and, in some drivers, free channels; loading programs needs CAP_BPF, CAP_PERFMON "
	    "and CAP_NET_ADMIN. Nothing is changed to make it possible: other hooks and the "
	    "counters are used instead." },
	  NULL },
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
	    "four queue pairs on, because the fabric's hashing is not known from here; critical "
	    "from eight on that carry 25 Gb/s together." },
	  rct_rule_single_port },
	{ { "path.entropy",
	    "Many queue pairs share few UDP source ports.",
	    "As path.single_port, less extreme: at most half as many source ports as queue pairs." },
	  rct_rule_entropy },
	{ { "path.hop_limit",
	    "Packets are sent with a hop limit (TTL) of 1.",
	    "The hop limit of a queue pair is set when it is connected. With 1 its packets reach "
	    "hosts of the same subnet and are dropped by the first router, without a word to the "
	    "sender's RDMA engine: it sends again until it gives up. Critical where such packets "
	    "were repeated and nothing was answered, a notice where they were answered." },
	  rct_rule_hop_limit },
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
	{ { "gid.missing",
	    "The job pins a GID index that is not set on a NIC.",
	    "A GID index is a place in a table that each device and each network namespace "
	    "fills on its own. In a pod, or after an address was removed, an index that is "
	    "right elsewhere is empty: creating or connecting a queue pair fails.\n\n"
	    "Never pin an index for a fleet. NCCL 2.21 and later finds the entry by address "
	    "family and RoCE version when NCCL_IB_GID_INDEX is not set." },
	  NULL },
	{ { "gid.version",
	    "The job uses a RoCE v1 GID.",
	    "RoCE v1 is an Ethernet type of its own: no router forwards it, and a peer that "
	    "uses RoCE v2 never answers. The same address stands in the table twice, once for "
	    "each version: gid_attrs/types/N says which is which." },
	  NULL },
	{ { "gid.link_local",
	    "The job uses a link-local GID.",
	    "fe80:: addresses are valid on one link only. Over a routed fabric every request "
	    "goes unanswered until the retries are used up: completion status 12, ACK timeouts "
	    "without any lost packet. The usable entry is RoCE v2 with an IPv4 address or a "
	    "routable IPv6 address." },
	  NULL },
	{ { "nccl.socket",
	    "NCCL uses TCP sockets although RoCE NICs are active.",
	    "NCCL_NET=Socket, NCCL_IB_DISABLE=1, a missing libibverbs or /dev/infiniband in a "
	    "container: NCCL then runs over TCP, at a fraction of the speed, without an error. "
	    "Its log says 'Using network Socket' and channels 'via NET/Socket'." },
	  NULL },
	{ { "nccl.hca",
	    "NCCL_IB_HCA takes more or fewer NICs than were meant.",
	    "The names in the list are prefixes: mlx5_1 takes mlx5_10 and mlx5_11, too. '=' in "
	    "front of the list makes them exact, '^' leaves them out, '^=' both. A list that "
	    "names one NIC of several leaves the others idle." },
	  NULL },
	{ { "nccl.tuning",
	    "A setting of NCCL does not fit the host.",
	    "Over a bond each queue pair stays on one member, whatever the bond's hash policy: "
	    "the NIC chooses by queue pair. With one queue pair a connection the members are "
	    "used by luck. NCCL_IB_QPS_PER_CONNECTION gives it more to spread." },
	  NULL },
	{ { "path.rail",
	    "A connection goes from one rail to another, and no route joins them.",
	    "Rail-optimised fabrics often have no way between rails. NCCL crosses when the NICs "
	    "have another order on the other host, or for some algorithms and versions. The "
	    "connection then ends in status 12." },
	  NULL },
	{ { "nccl.error",
	    "The job's log has completion errors.",
	    "Status 12: the peer never answered (wrong GID, route, peer gone, heavy loss); look "
	    "at both ends. 13: the peer had no receive posted. 9, 10, 11: the peer refused or "
	    "failed. 5 (flushed) is never a cause: it only follows another error, and is not "
	    "reported here." },
	  NULL },
	{ { "arp.flux",
	    "Several RoCE NICs in one subnet answer ARP for each other's addresses.",
	    "With arp_ignore 0 Linux answers for any local address on any interface, and with "
	    "one route for the subnet it sends by one interface whatever the source address. "
	    "RDMA traffic then leaves by one NIC and returns to another, which drops it." },
	  NULL },
	{ { "arp.flux_peer",
	    "Several addresses of neighbours have one MAC address.",
	    "A peer with several NICs in one subnet answers for all its addresses on one of "
	    "them. Frames for its other NICs then go to the wrong one." },
	  NULL },
	{ { "qos.process",
	    "A job's traffic class is not what the fabric protects.",
	    "NCCL_IB_TC is the traffic class byte: DSCP * 4 + ECN; 106 is DSCP 26 with ECN. The "
	    "NIC maps DSCP to a priority, and PFC protects some of those. A device-wide class "
	    "does not reach queue pairs that are set up without the kernel (DevX, "
	    "GPU-initiated networking)." },
	  NULL },
	{ { "irq.remote",
	    "A NIC's interrupts are handled on another NUMA node than its own.",
	    "Counted in the interval, per vector and CPU, from /proc/interrupts. Critical from "
	    "half of them and 1,000 a second on other nodes, a warning from a tenth and 100 a "
	    "second; few are a notice. Nodes are compared, not sockets: a socket may have "
	    "several. Vectors that never fire are not judged unless all of them could only be "
	    "delivered far away.\n\n"
	    "NCCL polls its completion queues, so on a NIC that offloads RoCE its data raises "
	    "no interrupts. Then this finding speaks of other traffic, and is not the reason "
	    "for a slow job." },
	  NULL },
	{ { "irq.effective",
	    "Interrupts are not delivered as the affinity that was asked for suggests.",
	    "x86 delivers a vector to one CPU, however many its mask allows: effective_affinity "
	    "says which. A wide mask spreads nothing; without a balancer all vectors may end on "
	    "one CPU. Also reported: a vector that is delivered outside its mask, because the "
	    "CPUs in it are offline or the change waits for the next interrupt." },
	  NULL },
	{ { "irq.single",
	    "One vector, or one CPU, does all the work of a NIC.",
	    "An application that gives all completion queues the same comp_vector uses one "
	    "vector of many: no affinity mends that. Where several vectors are busy and "
	    "pinned to the same CPU, affinity does. A warning from 10,000 a second, nothing "
	    "below 1,000." },
	  NULL },
	{ { "irq.shared",
	    "Several busy vectors share few CPUs while others near the NIC are idle.",
	    "Compared with one CPU for each busy vector, as far as the NIC's node has them: "
	    "more queues than CPUs is no fault. A warning from 10,000 a second, nothing below "
	    "1,000." },
	  NULL },
	{ { "irq.moved",
	    "A vector moved to another CPU in the interval.",
	    "Its effective affinity changed between the readings: irqbalance, a script or CPU "
	    "hotplug did that. The counts of the interval are of both places." },
	  NULL },
	{ { "irq.isolated",
	    "A NIC's interrupts are handled on CPUs that are isolated for others.",
	    "Isolated are those of isolcpus= and nohz_full=. Threads that poll there are "
	    "stopped by each interrupt." },
	  NULL },
	{ { "irq.storm",
	    "A vector fires as often as no healthy device's does.",
	    "10,000 a second of a vector that has nothing to do with data (events, commands), or "
	    "a million of any other." },
	  NULL },
	{ { "irq.balancer",
	    "irqbalance moves interrupts, or nobody does.",
	    "irqbalance places vectors by load and node, starts again now and then, and undoes "
	    "what was pinned by hand unless it is told to leave those alone (--banirq, "
	    "--banmod, a policy script). Where it started before the driver had made its "
	    "vectors, it may have missed them. Reported only beside a finding on placement." },
	  NULL },
	{ { "numa.unknown_node",
	    "Which NUMA node a NIC is on is not told.",
	    "numa_node is -1 where firmware or hypervisor describe no proximity. On a host with "
	    "several nodes nothing can be said of local and remote then; on one with a single "
	    "node everything is local. Virtual interfaces have no place and are not named." },
	  NULL },
	{ { "numa.gpu_nic",
	    "A GPU reaches the network only over another socket.",
	    "Of the NICs that the job may use (NCCL_IB_HCA, else all that are up) none is on "
	    "the GPU's side: SYS in nvidia-smi topo -m. GPUDirect over the socket link gets a "
	    "part of the rate, or is not used at all." },
	  NULL },
	{ { "numa.vm_topology",
	    "A virtual machine hides what is near what.",
	    "NCCL chooses NICs by the PCI tree, which a hypervisor flattens. A topology file "
	    "(NCCL_TOPO_FILE) from the cloud provider tells it." },
	  NULL },
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
	{ { "host.timeline",
	    "What happened first.",
	    "Events of the kernel log and of the job in the order in which they happened. The "
	    "first is the probable cause, not a proven one." },
	  NULL },
	{ { "host.exonerated",
	    "The network is probably not the cause.",
	    "A fault of the host itself is in the log, and no counter of loss, time-outs or "
	    "damaged frames of its NICs moved. Completion status 5 (flushed) only follows the "
	    "end of a queue pair." },
	  NULL },
};

const size_t rct_n_rules = RCT_ARRAY_SIZE(rct_rules);

/* The order is that of the table above. */
const struct rct_host_rule rct_host_rules[] = {
	{ "nic.firmware", rct_rule_nic_firmware },
	{ "host.xid", rct_rule_host_xid },
	{ "host.aer", rct_rule_host_aer },
	{ "host.oom", rct_rule_host_oom },
	{ "host.watchdog", rct_rule_host_watchdog },
	{ "host.mce", rct_rule_host_mce },
	{ "host.iommu", rct_rule_host_iommu },
	{ "link.optic", rct_rule_link_optic },
	{ "link.flap", rct_rule_link_flap },
	{ "link.down", rct_rule_link_down },
	{ "link.upstream", rct_rule_link_upstream },
	{ "link.errors", rct_rule_link_damage },
	{ "gid.missing", rct_rule_gid_missing },
	{ "gid.version", rct_rule_gid_version },
	{ "gid.link_local", rct_rule_gid_link_local },
	{ "mtu.small", rct_rule_mtu_host },
	{ "path.rail", rct_rule_path_rail },
	{ "arp.flux", rct_rule_arp_flux },
	{ "arp.flux_peer", rct_rule_arp_neighbour },
	{ "nccl.socket", rct_rule_nccl_socket },
	{ "nccl.hca", rct_rule_nccl_hca },
	{ "nccl.tuning", rct_rule_nccl_tuning },
	{ "qos.process", rct_rule_qos_process },
	{ "nccl.error", rct_rule_nccl_error },
	{ "numa.vm_topology", rct_rule_vm_topology },
	{ "pcie.degraded", rct_rule_pcie_degraded },
	{ "pcie.limit", rct_rule_pcie_limit },
	{ "pcie.stall", rct_rule_pcie_stall },
	{ "pcie.acs", rct_rule_pcie_acs },
	{ "pcie.iommu", rct_rule_pcie_iommu },
	{ "gdr.off", rct_rule_gdr_off },
	{ "qos.lossy_priority", rct_rule_nic_class },
	{ "pause.global", rct_rule_pause_global },
	{ "pause.storm", rct_rule_pause_storm },
	{ "pause.deadlock", rct_rule_pause_deadlock },
	{ "pause.received", rct_rule_nic_pause_received },
	{ "pause.sent", rct_rule_nic_pause_sent },
	{ "ecn.late", rct_rule_ecn_late },
	{ "ecn.overthrottled", rct_rule_nic_overthrottled },
	{ "ecn.marked", rct_rule_nic_marked },
	{ "ecn.no_cnp", rct_rule_nic_no_cnp },
	{ "ecn.unmarked", rct_rule_nic_unmarked },
	{ "loss.nic", rct_rule_nic_drops },
	{ "loss.received", rct_rule_nic_received },
	{ "loss.sent", rct_rule_nic_sent },
	{ "loss.unknown", rct_rule_nic_place },
	{ "loss.none", rct_rule_nic_lossless },
	{ "retry.timeout", rct_rule_nic_timeout },
	{ "retry.rnr_here", rct_rule_nic_rnr_here },
	{ "retry.rnr_peer", rct_rule_nic_rnr_peer },
	{ "qp.error", rct_rule_nic_refused },
	{ "path.lag_member", rct_rule_lag_member },
	{ "nic.one_of_many", rct_rule_nic_spread },
	{ "nic.slow", rct_rule_nic_slow },
	{ "nic.unused", rct_rule_nic_unused },
	{ "blind.counters", rct_rule_blind_counters },
	{ "blind.function", rct_rule_blind_function },
	{ "irq.remote", rct_rule_irq_remote },
	{ "irq.effective", rct_rule_irq_effective },
	{ "irq.single", rct_rule_irq_single },
	{ "irq.shared", rct_rule_irq_shared },
	{ "irq.moved", rct_rule_irq_moved },
	{ "irq.isolated", rct_rule_irq_isolated },
	{ "irq.storm", rct_rule_irq_storm },
	{ "irq.balancer", rct_rule_irq_balancer },
	{ "numa.unknown_node", rct_rule_numa_node },
	{ "numa.gpu_nic", rct_rule_gpu_nic },
	{ "host.timeline", rct_rule_host_timeline },
	{ "host.exonerated", rct_rule_host_exonerated },
};

const size_t rct_n_host_rules = RCT_ARRAY_SIZE(rct_host_rules);

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
	if (i < rct_n_hosts_rules)
		return &rct_hosts_rules[i].about;
	i -= rct_n_hosts_rules;
	if (i-- == 0)
		return &rct_expect_rule.about;
	return i < RCT_ARRAY_SIZE(terms) ? &terms[i] : NULL;
}
