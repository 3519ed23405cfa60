// SPDX-License-Identifier: BSD-2-Clause
#include "lib/cases.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

/* What most cases end with. */
#define PACKET		UDP(), BTH(.op = 4), DATA(64), ICRC()
#define FRAME4		ETH(), IP4(), PACKET
#define WANT(...)	.verdict = RCT_OK, .want = { .op = 4, .payload = 64, ##__VA_ARGS__ }
#define ONE_PACKET(...)	.verdict = RCT_OK, .want = { __VA_ARGS__ }
#define OUTER		.src = "192.0.2.1", .dst = "192.0.2.2", .tos = 0xfc, .ttl = 9

const struct rct_case rct_cases[] = {
	/* ---- link header */
	{ "plain", PARTS(FRAME4), WANT(.bth = 42) },
	{ "tag", PARTS(ETH(), TAG(.tci = 0x6064), IP4(), PACKET), WANT(.vlan = 0x6064, .bth = 46) },
	{ "priority tag", PARTS(ETH(), TAG(.tci = 0x6000), IP4(), PACKET), WANT(.vlan = 0x6000) },
	{ "tag in tag: the inner one counts",
	  PARTS(ETH(), TAG(.dport = 0x88a8, .tci = 7), TAG(.tci = 0x0123), IP4(), PACKET),
	  WANT(.vlan = 0x0123, .bth = 50) },
	{ "old tag type", PARTS(ETH(), TAG(.dport = 0x9100, .tci = 7), TAG(.tci = 9), IP4(), PACKET),
	  WANT(.vlan = 9) },
	{ "three tags are not looked behind",
	  PARTS(ETH(), TAG(.tci = 1), TAG(.tci = 2), TAG(.tci = 3), IP4(), PACKET), RCT_OTHER },
	{ "tag kept by the hook", PARTS(FRAME4), WANT(.vlan = 0x4321), .hook_vlan = 0x4321 },
	{ "tag kept by the hook, another in the frame",
	  PARTS(ETH(), TAG(.tci = 5), IP4(), PACKET), WANT(.vlan = 5), .hook_vlan = 6 },
	{ "data begins with IPv4", PARTS(IP4(), PACKET), WANT(.bth = 28), .ethertype = 0x0800 },
	{ "data begins with IPv6", PARTS(IP6(), PACKET), WANT(.family = RCT_IPV6, .bth = 48),
	  .ethertype = 0x86dd },
	{ "ARP", PARTS(ETH(.type = 0x0806), DATA(46)), RCT_OTHER },
	{ "802.3 length instead of a type", PARTS(ETH(.type = 38), DATA(46)), RCT_OTHER },
	{ "14 bytes", PARTS(ETH(.type = 0x0800)), RCT_OTHER },
	{ "13 bytes", PARTS(ETH(.type = 0x0800)), RCT_OTHER, .cut = 13 },
	{ "Ethernet padding is no payload",
	  PARTS(ETH(), IP4(), UDP(), BTH(.op = 0x11), AETH(), ICRC(), TRAIL(20)),
	  ONE_PACKET(.op = 0x11, .ext = 4) },

	/* ---- IPv4 */
	{ "addresses, DSCP, ECN, TTL",
	  PARTS(ETH(), IP4(.src = "203.0.113.9", .dst = "198.51.100.200", .tos = 0x6a, .ttl = 255), PACKET),
	  WANT(.src = "203.0.113.9", .dst = "198.51.100.200", .tos = 0x6a, .ttl = 255) },
	{ "ECT(1)", PARTS(ETH(), IP4(.tos = 1), PACKET), WANT(.tos = 1) },
	{ "CE", PARTS(ETH(), IP4(.tos = 0x6b), PACKET), WANT(.tos = 0x6b) },
	{ "one word of options", PARTS(ETH(), IP4(.words = 1), PACKET), WANT(.bth = 46) },
	{ "ten words of options", PARTS(ETH(), IP4(.words = 10), PACKET), WANT(.bth = 82) },
	{ "ten words of options, two tags, the longest extension",
	  PARTS(ETH(), TAG(.tci = 1), TAG(.tci = 2), IP4(.words = 10), UDP(),
		BTH(.op = 0xab), XRCETH(), RETH(.dma = 99), IMM(), DATA(96), ICRC()),
	  ONE_PACKET(.op = 0xab, .vlan = 2, .ext = 24, .payload = 96, .dma = 99, .bth = 90) },
	{ "header length 4", PARTS(ETH(), IP4(.ihl = 4), PACKET), RCT_OTHER },
	{ "version 5", PARTS(ETH(), IP4(.ver = 5), PACKET), RCT_OTHER },
	{ "total length below the header's", PARTS(ETH(), IP4(.lie = -100), PACKET), RCT_OTHER },
	{ "don't fragment", PARTS(ETH(), IP4(.frag = 0x4000), PACKET), WANT() },
	{ "first fragment", PARTS(ETH(), IP4(.frag = 0x2000), PACKET), RCT_FRAGMENT },
	{ "later fragment", PARTS(ETH(), IP4(.frag = 0x2001), PACKET), RCT_FRAGMENT },
	{ "last fragment", PARTS(ETH(), IP4(.frag = 0x1fff), PACKET), RCT_FRAGMENT },
	{ "last fragment of two short ones", PARTS(ETH(), IP4(.frag = 0x0001), PACKET), RCT_FRAGMENT },
	{ "total length is the header's", PARTS(ETH(), IP4(.lie = -88), PACKET), RCT_LENGTH },
	{ "fragment of something else", PARTS(ETH(), IP4(.frag = 0x2000), TCP(), DATA(64)), RCT_OTHER },
	{ "TCP to 4791", PARTS(ETH(), IP4(.proto = 6), PACKET), RCT_OTHER },
	{ "IPv4 header cut", PARTS(FRAME4), RCT_OTHER, .cut = 33 },

	/* ---- IPv6 */
	{ "IPv6", PARTS(ETH(), IP6(), PACKET), WANT(.family = RCT_IPV6, .bth = 62) },
	{ "IPv6 addresses, class, hop limit",
	  PARTS(ETH(), IP6(.src = "2001:db8::1:2", .dst = "fe80::aa", .tos = 0x6b, .ttl = 1), PACKET),
	  WANT(.family = RCT_IPV6, .src = "2001:db8::1:2", .dst = "fe80::aa", .tos = 0x6b, .ttl = 1) },
	{ "IPv6, no tag, key 0", PARTS(ETH(), IP6(), UDP(), BTH(.op = 4, .pkey = RCT_ZERO), DATA(64), ICRC()),
	  WANT(.family = RCT_IPV6, .pkey = RCT_ZERO) },
	{ "IPv6, tag", PARTS(ETH(), TAG(.tci = 100), IP6(), PACKET),
	  WANT(.family = RCT_IPV6, .vlan = 100) },
	{ "mapped address in IPv6 is not IPv4",
	  PARTS(ETH(), IP6(.src = "::ffff:10.1.0.1", .dst = "::ffff:10.1.0.2"), PACKET),
	  WANT(.family = RCT_IPV6, .src = "::ffff:10.1.0.1", .dst = "::ffff:10.1.0.2") },
	{ "IPv6 version 4", PARTS(ETH(), IP6(.ver = 4), PACKET), RCT_OTHER },
	{ "hop-by-hop options", PARTS(ETH(), IP6(), EXT(.proto = 0), PACKET),
	  WANT(.family = RCT_IPV6, .bth = 70) },
	{ "routing, longer", PARTS(ETH(), IP6(), EXT(.proto = 43, .words = 2), PACKET),
	  WANT(.family = RCT_IPV6, .bth = 86) },
	{ "destination options and authentication",
	  PARTS(ETH(), IP6(), EXT(.proto = 60), AH(.words = 3), PACKET),
	  WANT(.family = RCT_IPV6, .bth = 94) },
	{ "mobility", PARTS(ETH(), IP6(), EXT(.proto = 135), PACKET), WANT(.family = RCT_IPV6) },
	{ "fragment header of a whole packet", PARTS(ETH(), IP6(), FRAG(.id = 0xffffffff), PACKET),
	  WANT(.family = RCT_IPV6, .bth = 70) },
	{ "IPv6 first fragment", PARTS(ETH(), IP6(), FRAG(.frag = 1), PACKET), RCT_FRAGMENT },
	{ "IPv6 far fragment", PARTS(ETH(), IP6(), FRAG(.frag = 0x8000), PACKET), RCT_FRAGMENT },
	{ "IPv6 later fragment", PARTS(ETH(), IP6(), FRAG(.frag = 8), PACKET), RCT_FRAGMENT },
	{ "IPv6 fragment behind options",
	  PARTS(ETH(), IP6(), EXT(.proto = 60), FRAG(.frag = 0x11), PACKET), RCT_FRAGMENT },
	{ "IPv6 fragment of something else",
	  PARTS(ETH(), IP6(), FRAG(.frag = 1), TCP(), DATA(64)), RCT_OTHER },
	{ "six extension headers",
	  PARTS(ETH(), IP6(), EXT(.proto = 0), EXT(.proto = 60), EXT(.proto = 43), FRAG(), EXT(.proto = 60),
		EXT(.proto = 135), PACKET),
	  WANT(.family = RCT_IPV6, .bth = 110) },
	{ "seven are too many",
	  PARTS(ETH(), IP6(), EXT(.proto = 0), EXT(.proto = 60), EXT(.proto = 43), FRAG(), EXT(.proto = 60),
		EXT(.proto = 135), EXT(.proto = 60), PACKET), RCT_DEEP },
	{ "extension header longer than what is looked at",
	  PARTS(ETH(), IP6(), EXT(.proto = 60, .words = 100), PACKET), RCT_DEEP },
	{ "extension header cut", PARTS(ETH(), IP6(), EXT(.proto = 60), PACKET), RCT_OTHER, .cut = 60 },
	{ "no next header", PARTS(ETH(), IP6(.proto = 59), DATA(64)), RCT_OTHER },

	/* ---- UDP */
	{ "source port", PARTS(ETH(), IP4(), UDP(.sport = 0xffff), BTH(.op = 4), DATA(64), ICRC()),
	  WANT(.sport = 0xffff) },
	{ "source port 0", PARTS(ETH(), IP4(), UDP(.sport = RCT_ZERO), BTH(.op = 4), DATA(64), ICRC()),
	  WANT(.sport = RCT_ZERO) },
	{ "another destination port",
	  PARTS(ETH(), IP4(), UDP(.dport = 4790), BTH(.op = 4), DATA(64), ICRC()), RCT_OTHER },
	{ "4791 only as source port",
	  PARTS(ETH(), IP4(), UDP(.sport = 4791, .dport = 53), BTH(.op = 4), DATA(64), ICRC()), RCT_OTHER },
	{ "the IP length counts, not UDP's",
	  PARTS(ETH(), IP4(), UDP(.lie = -40), BTH(.op = 4), DATA(64), ICRC()), WANT() },
	{ "UDP header cut", PARTS(FRAME4), RCT_OTHER, .cut = 41 },

	/* ---- base transport header */
	{ "nothing behind UDP", PARTS(ETH(), IP4(), UDP()), RCT_SHORT },
	{ "11 bytes of it", PARTS(FRAME4), RCT_SHORT, .cut = 53 },
	{ "12 bytes of it", PARTS(FRAME4), WANT(), .cut = 54 },
	{ "version 1", PARTS(ETH(), IP4(), UDP(), BTH(.op = 4, .ver = 1), DATA(64), ICRC()), RCT_TVER },
	{ "version 15", PARTS(ETH(), IP4(), UDP(), BTH(.op = 4, .ver = 15), DATA(64), ICRC()), RCT_TVER },
	{ "no room for the check sum", PARTS(ETH(), IP4(), UDP(), BTH(.op = 4), DATA(3)), RCT_LENGTH },
	{ "no room for the extension header",
	  PARTS(ETH(), IP4(), UDP(), BTH(.op = 0x0a), DATA(15), ICRC()), RCT_LENGTH },
	{ "no room for the pad", PARTS(ETH(), IP4(), UDP(), BTH(.op = 4, .pad = 3), DATA(2), ICRC()),
	  RCT_LENGTH },
	{ "just room for the pad", PARTS(ETH(), IP4(), UDP(), BTH(.op = 4, .pad = 3), PADDING(3), ICRC()),
	  ONE_PACKET(.op = 4, .pad = 3) },
	{ "IP length says less than is there", PARTS(ETH(), IP4(.lie = -10), PACKET),
	  ONE_PACKET(.op = 4, .payload = 54) },
	{ "IP length says more than is there: a mirror cut it", PARTS(ETH(), IP4(.lie = 1000), PACKET),
	  ONE_PACKET(.op = 4, .payload = 1064) },
	{ "all fields", PARTS(ETH(), IP4(), UDP(), BTH(.op = 4, .qp = 0xfffffe, .psn = 0xffffff,
		.pkey = 0x7fff, .ack = 1, .flags = 0xc0, .pad = 1), DATA(63), PADDING(1), ICRC()),
	  ONE_PACKET(.op = 4, .qp = 0xfffffe, .psn = 0xffffff, .pkey = 0x7fff, .ack = 1, .pad = 1,
		     .payload = 63) },
	{ "QP, PSN and key 0", PARTS(ETH(), IP4(), UDP(), BTH(.op = 4, .qp = RCT_ZERO, .psn = RCT_ZERO,
		.pkey = RCT_ZERO), DATA(64), ICRC()),
	  WANT(.qp = RCT_ZERO, .psn = RCT_ZERO, .pkey = RCT_ZERO) },
	{ "pad 2", PARTS(ETH(), IP4(), UDP(), BTH(.op = 4, .pad = 2), DATA(2), PADDING(2), ICRC()),
	  ONE_PACKET(.op = 4, .pad = 2, .payload = 2) },

	/* ---- extension headers */
	{ "write, length of the message", PARTS(ETH(), IP4(), UDP(), BTH(.op = 6), RETH(.dma = 1 << 30),
		DATA(1024), ICRC()), ONE_PACKET(.op = 6, .ext = 16, .payload = 1024, .dma = 1 << 30) },
	{ "read request", PARTS(ETH(), IP4(), UDP(), BTH(.op = 0x0c), RETH(.dma = 30000), ICRC()),
	  ONE_PACKET(.op = 0x0c, .ext = 16, .dma = 30000) },
	{ "read request, its length cut",
	  PARTS(ETH(), IP4(), UDP(), BTH(.op = 0x0c), RETH(.dma = 30000), ICRC()),
	  ONE_PACKET(.op = 0x0c, .ext = 16, .cut = true), .cut = 69 },
	{ "read request, its length just there",
	  PARTS(ETH(), IP4(), UDP(), BTH(.op = 0x0c), RETH(.dma = 30000), ICRC()),
	  ONE_PACKET(.op = 0x0c, .ext = 16, .dma = 30000), .cut = 70 },
	{ "XRC read request, its length cut",
	  PARTS(ETH(), IP4(), UDP(), BTH(.op = 0xac), XRCETH(), RETH(.dma = 30000), ICRC()),
	  ONE_PACKET(.op = 0xac, .ext = 20, .cut = true), .cut = 73 },
	{ "acknowledgement", PARTS(ETH(), IP4(), UDP(), BTH(.op = 0x11), AETH(.syn = 0x1f), ICRC()),
	  ONE_PACKET(.op = 0x11, .ext = 4, .syn = 0x1f) },
	{ "sequence error", PARTS(ETH(), IP4(), UDP(), BTH(.op = 0x11), AETH(.syn = 0x60), ICRC()),
	  ONE_PACKET(.op = 0x11, .ext = 4, .syn = 0x60) },
	{ "acknowledgement, syndrome cut",
	  PARTS(ETH(), IP4(), UDP(), BTH(.op = 0x11), AETH(.syn = 0x60), ICRC()),
	  ONE_PACKET(.op = 0x11, .ext = 4, .cut = true), .cut = 57 },
	{ "XRC acknowledgement", PARTS(ETH(), IP4(), UDP(), BTH(.op = 0xb1), AETH(.syn = 0x2e), ICRC()),
	  ONE_PACKET(.op = 0xb1, .ext = 4, .syn = 0x2e) },
	{ "congestion notification",
	  PARTS(ETH(), IP4(.tos = 0xc2), UDP(.sport = RCT_ZERO), BTH(.op = 0x81, .psn = RCT_ZERO), DATA(16), ICRC()),
	  ONE_PACKET(.op = 0x81, .tos = 0xc2, .sport = RCT_ZERO, .psn = RCT_ZERO, .payload = 16) },
	{ "datagram", PARTS(ETH(), IP4(), UDP(), BTH(.op = 0x64, .qp = 1), DETH(), DATA(256), ICRC()),
	  ONE_PACKET(.op = 0x64, .qp = 1, .ext = 8, .payload = 256) },
	{ "datagram to a group", PARTS(ETH(), IP4(.dst = "239.1.2.3"), UDP(), BTH(.op = 0x65, .qp = 0xffffff), DETH(),
		IMM(), DATA(8), ICRC()),
	  ONE_PACKET(.op = 0x65, .dst = "239.1.2.3", .qp = 0xffffff, .ext = 12, .payload = 8) },
	{ "operation that the transport has not", PARTS(ETH(), IP4(), UDP(), BTH(.op = 0x2c), DATA(64), ICRC()),
	  ONE_PACKET(.op = 0x2c, .payload = 64) },
	{ "reliable datagram", PARTS(ETH(), IP4(), UDP(), BTH(.op = 0x44), DATA(64), ICRC()),
	  ONE_PACKET(.op = 0x44, .payload = 64) },
	{ "manufacturer's opcode", PARTS(ETH(), IP4(), UDP(), BTH(.op = 0xff), DATA(64), ICRC()),
	  ONE_PACKET(.op = 0xff, .payload = 64) },

	/* ---- tunnels */
	{ "VXLAN", PARTS(ETH(), IP4(OUTER), UDP(.dport = 4789), VXLAN(.id = 0xabcdef), FRAME4),
	  WANT(.tunnel = RCT_TUN_VXLAN, .tunnel_id = 0xabcdef, .bth = 92) },
	{ "VXLAN, the old port", PARTS(ETH(), IP4(OUTER), UDP(.dport = 8472), VXLAN(.id = 7), FRAME4),
	  WANT(.tunnel = RCT_TUN_VXLAN, .tunnel_id = 7) },
	{ "VXLAN over IPv6, IPv6 inside",
	  PARTS(ETH(), IP6(), UDP(.dport = 4789), VXLAN(.id = 7), ETH(), IP6(.tos = 2), PACKET),
	  WANT(.family = RCT_IPV6, .tos = 2, .tunnel = RCT_TUN_VXLAN, .tunnel_id = 7, .bth = 132) },
	{ "VXLAN, tag inside", PARTS(ETH(), TAG(.tci = 1), IP4(), UDP(.dport = 4789), VXLAN(.id = 7), ETH(),
		TAG(.tci = 0x2222), IP4(), PACKET),
	  WANT(.vlan = 0x2222, .tunnel = RCT_TUN_VXLAN, .tunnel_id = 7) },
	{ "VXLAN, tag outside only", PARTS(ETH(), TAG(.tci = 1), IP4(), UDP(.dport = 4789), VXLAN(.id = 7), FRAME4),
	  WANT(.tunnel = RCT_TUN_VXLAN, .tunnel_id = 7) },
	{ "VXLAN without a VNI", PARTS(ETH(), IP4(), UDP(.dport = 4789), VXLAN(.flags = 0xf7), FRAME4),
	  RCT_OTHER },
	{ "VXLAN, not RoCE inside",
	  PARTS(ETH(), IP4(), UDP(.dport = 4789), VXLAN(.id = 7), ETH(), IP4(), TCP(), DATA(64)), RCT_OTHER },
	{ "VXLAN, fragment inside",
	  PARTS(ETH(), IP4(), UDP(.dport = 4789), VXLAN(.id = 7), ETH(), IP4(.frag = 0x2000), PACKET),
	  RCT_FRAGMENT },
	{ "VXLAN, RoCE v1 inside", PARTS(ETH(), IP4(), UDP(.dport = 4789), VXLAN(.id = 7), ETH(), GRH(),
		BTH(.op = 4), DATA(64), ICRC()),
	  WANT(.family = RCT_ROCE1, .sport = RCT_ZERO, .tunnel = RCT_TUN_VXLAN, .tunnel_id = 7) },
	{ "Geneve, Ethernet", PARTS(ETH(), IP4(OUTER), UDP(.dport = 6081), GENEVE(.id = 0x10203), FRAME4),
	  WANT(.tunnel = RCT_TUN_GENEVE, .tunnel_id = 0x10203) },
	{ "Geneve, IPv4, options", PARTS(ETH(), IP4(OUTER), UDP(.dport = 6081), GENEVE(.id = 5, .words = 4),
		IP4(), PACKET),
	  WANT(.tunnel = RCT_TUN_GENEVE, .tunnel_id = 5, .bth = 94) },
	{ "Geneve, IPv6", PARTS(ETH(), IP4(), UDP(.dport = 6081), GENEVE(.id = 5), IP6(), PACKET),
	  WANT(.family = RCT_IPV6, .tunnel = RCT_TUN_GENEVE, .tunnel_id = 5) },
	{ "Geneve version 1", PARTS(ETH(), IP4(), UDP(.dport = 6081), GENEVE(.ver = 1), FRAME4), RCT_OTHER },
	{ "Geneve, all the options that it can have",
	  PARTS(ETH(), IP4(), UDP(.dport = 6081), GENEVE(.id = 5, .words = 63), FRAME4),
	  WANT(.tunnel = RCT_TUN_GENEVE, .tunnel_id = 5, .bth = 344) },
	{ "two long Geneve headers reach too far",
	  PARTS(ETH(), IP4(), UDP(.dport = 6081), GENEVE(.id = 5, .words = 63), ETH(), IP4(),
		UDP(.dport = 6081), GENEVE(.id = 5, .words = 63), FRAME4), RCT_DEEP },
	{ "two long Geneve headers, IPv4 inside, reach too far",
	  PARTS(ETH(), IP4(), UDP(.dport = 6081), GENEVE(.id = 5, .words = 63), IP4(),
		UDP(.dport = 6081), GENEVE(.id = 5, .words = 63), IP4(), PACKET), RCT_DEEP },
	{ "GRE, IPv4", PARTS(ETH(), IP4(OUTER), GRE(), IP4(), PACKET), WANT(.tunnel = RCT_TUN_GRE, .bth = 66) },
	{ "GRE, IPv6", PARTS(ETH(), IP4(OUTER), GRE(), IP6(), PACKET),
	  WANT(.family = RCT_IPV6, .tunnel = RCT_TUN_GRE) },
	{ "GRE, Ethernet, checksum, key, sequence", PARTS(ETH(), IP4(), GRE(.flags = 0xb0, .id = 0xdeadbeef), FRAME4),
	  WANT(.tunnel = RCT_TUN_GRE, .tunnel_id = 0xdeadbeef) },
	{ "GRE, key alone", PARTS(ETH(), IP4(), GRE(.flags = 0x20, .id = 9), IP4(), PACKET),
	  WANT(.tunnel = RCT_TUN_GRE, .tunnel_id = 9) },
	{ "GRE with routing", PARTS(ETH(), IP4(), GRE(.flags = 0x40), IP4(), PACKET), RCT_OTHER },
	{ "GRE version 1", PARTS(ETH(), IP4(), GRE(.ver = 1), IP4(), PACKET), RCT_OTHER },
	{ "GRE, something else inside", PARTS(ETH(), IP4(), GRE(.type = 0x880b), DATA(64)), RCT_OTHER },
	{ "ERSPAN without a header", PARTS(ETH(), IP4(OUTER), GRE(.type = 0x88be), FRAME4),
	  WANT(.tunnel = RCT_TUN_ERSPAN, .bth = 80) },
	{ "ERSPAN II", PARTS(ETH(), IP4(OUTER), GRE(.flags = 0x10), ERSPAN2(.id = 0x3ff), FRAME4),
	  WANT(.tunnel = RCT_TUN_ERSPAN, .tunnel_id = 0x3ff, .bth = 92) },
	{ "ERSPAN III", PARTS(ETH(), IP4(OUTER), GRE(.flags = 0x10), ERSPAN3(.id = 17), FRAME4),
	  WANT(.tunnel = RCT_TUN_ERSPAN, .tunnel_id = 17, .bth = 96) },
	{ "ERSPAN III, platform subheader", PARTS(ETH(), IP4(OUTER), GRE(.flags = 0x10),
		ERSPAN3(.id = 17, .flags = 1), ETH(), TAG(.tci = 3), IP4(), PACKET),
	  WANT(.vlan = 3, .tunnel = RCT_TUN_ERSPAN, .tunnel_id = 17, .bth = 108) },
	{ "IPv4 in IPv4", PARTS(ETH(), IP4(OUTER), IP4(), PACKET), WANT(.tunnel = RCT_TUN_IPIP, .bth = 62) },
	{ "IPv6 in IPv4", PARTS(ETH(), IP4(OUTER), IP6(), PACKET),
	  WANT(.family = RCT_IPV6, .tunnel = RCT_TUN_IPIP) },
	{ "IPv4 in IPv6", PARTS(ETH(), IP6(), IP4(), PACKET), WANT(.tunnel = RCT_TUN_IPIP) },
	{ "IPv6 in IPv6, options between", PARTS(ETH(), IP6(), EXT(.proto = 60), IP6(), PACKET),
	  WANT(.family = RCT_IPV6, .tunnel = RCT_TUN_IPIP) },
	{ "the tag outside stays of a tunnel without Ethernet", PARTS(ETH(), TAG(.tci = 4), IP4(OUTER), IP4(), PACKET),
	  WANT(.vlan = 4, .tunnel = RCT_TUN_IPIP) },
	{ "two tunnels: the inner one counts", PARTS(ETH(), IP4(OUTER), GRE(.flags = 0x20, .id = 1), IP4(),
		UDP(.dport = 4789), VXLAN(.id = 2), FRAME4),
	  WANT(.tunnel = RCT_TUN_VXLAN, .tunnel_id = 2) },
	{ "a VXLAN in a mirror", PARTS(ETH(), IP4(OUTER), GRE(.flags = 0x10), ERSPAN2(.id = 6), ETH(), IP4(),
		UDP(.dport = 4789), VXLAN(.id = 2), ETH(), IP4(.tos = 3), PACKET),
	  WANT(.tos = 3, .tunnel = RCT_TUN_VXLAN, .tunnel_id = 2, .bth = 142) },
	{ "a tunnel without a number after one with", PARTS(ETH(), IP4(OUTER), GRE(.flags = 0x20, .id = 1), IP4(),
		IP4(), PACKET), WANT(.tunnel = RCT_TUN_IPIP) },
	{ "three tunnels", PARTS(ETH(), IP4(), IP4(), IP4(), IP4(), PACKET), RCT_DEEP },

	/* ---- RoCE v1 */
	{ "RoCE v1", PARTS(ETH(), GRH(), BTH(.op = 4), DATA(64), ICRC()),
	  WANT(.family = RCT_ROCE1, .sport = RCT_ZERO, .bth = 54) },
	{ "RoCE v1, tag, fields", PARTS(ETH(), TAG(.tci = 0x6001), GRH(.src = "fe80::1", .tos = 0x68, .ttl = 1),
		BTH(.op = 0x0a, .pad = 2), RETH(.dma = 6), DATA(6), PADDING(2), ICRC()),
	  ONE_PACKET(.family = RCT_ROCE1, .op = 0x0a, .src = "fe80::1", .tos = 0x68, .ttl = 1, .vlan = 0x6001,
		     .sport = RCT_ZERO, .ext = 16, .payload = 6, .dma = 6, .pad = 2) },
	{ "RoCE v1, not a transport header", PARTS(ETH(), GRH(.proto = 17), BTH(.op = 4), DATA(64), ICRC()),
	  RCT_TVER },
	{ "RoCE v1, header cut", PARTS(ETH(), GRH(), BTH(.op = 4), DATA(64), ICRC()), RCT_SHORT, .cut = 53 },
	{ "RoCE v1, transport header cut", PARTS(ETH(), GRH(), BTH(.op = 4), DATA(64), ICRC()), RCT_SHORT,
	  .cut = 65 },
	{ "RoCE v1, length", PARTS(ETH(), GRH(.lie = -70), BTH(.op = 4), DATA(64), ICRC()), RCT_LENGTH },

	/* ---- pause */
	{ "pause", PARTS(ETH(), PAUSE(.quanta = { 0xffff })), RCT_PAUSE,
	  .pause = { .classes = 1, .quanta = { 0xffff } } },
	{ "pause, go on", PARTS(ETH(), PAUSE()), RCT_PAUSE, .pause = { .classes = 1 } },
	{ "priority pause", PARTS(ETH(), PFC(.id = 0x08, .quanta = { 0, 0, 0, 0xffff })), RCT_PAUSE,
	  .pause = { 1, 0x08, { 0, 0, 0, 0xffff } } },
	{ "priority pause, all classes", PARTS(ETH(), PFC(.id = 0xff, .quanta = { 1, 2, 3, 4, 5, 6, 7, 8 })),
	  RCT_PAUSE, .pause = { 1, 0xff, { 1, 2, 3, 4, 5, 6, 7, 8 } } },
	{ "priority pause, one stops, one goes on", PARTS(ETH(), PFC(.id = 0x18, .quanta = { 9, 9, 9, 100 })),
	  RCT_PAUSE, .pause = { 1, 0x18, { 9, 9, 9, 100 } } },
	{ "priority pause, tag", PARTS(ETH(), TAG(.tci = 1), PFC(.id = 0x01, .quanta = { 5 })), RCT_PAUSE,
	  .pause = { 1, 0x01, { 5 } } },
	{ "another MAC control frame", PARTS(ETH(), MACCTL(0x0002)), RCT_OTHER },
	{ "pause, cut", PARTS(ETH(), PAUSE(.quanta = { 5 })), RCT_OTHER, .cut = 17 },
	{ "pause, just there", PARTS(ETH(), PAUSE(.quanta = { 5 })), RCT_PAUSE,
	  .pause = { .classes = 1, .quanta = { 5 } }, .cut = 18 },
	{ "priority pause, cut", PARTS(ETH(), PFC(.id = 1, .quanta = { 5 })), RCT_OTHER, .cut = 33 },
	{ "priority pause, just there", PARTS(ETH(), PFC(.id = 1, .quanta = { 5 })), RCT_PAUSE,
	  .pause = { 1, 1, { 5 } }, .cut = 34 },

	/* ---- long frames: in several buffers at XDP */
	{ "4 KiB path MTU", PARTS(ETH(), IP4(), UDP(), BTH(.op = 7), DATA(4096), ICRC()),
	  ONE_PACKET(.op = 7, .payload = 4096) },
	{ "4 KiB path MTU in VXLAN", PARTS(ETH(), IP4(OUTER), UDP(.dport = 4789), VXLAN(.id = 3), ETH(), IP6(), UDP(),
		BTH(.op = 6), RETH(.dma = 1 << 20), DATA(4096), ICRC()),
	  ONE_PACKET(.family = RCT_IPV6, .op = 6, .ext = 16, .payload = 4096, .dma = 1 << 20,
		     .tunnel = RCT_TUN_VXLAN, .tunnel_id = 3) },
	{ "9000 bytes", PARTS(ETH(), IP4(), UDP(), BTH(.op = 4), DATA(8956), ICRC()),
	  ONE_PACKET(.op = 4, .payload = 8956) },
	{ "20000 bytes", PARTS(ETH(), IP4(), UDP(), BTH(.op = 4), DATA(20000), ICRC()),
	  ONE_PACKET(.op = 4, .payload = 20000) },
	{ "9000 bytes, of which the IP length tells 146", PARTS(ETH(), IP4(.lie = -8854), UDP(), BTH(.op = 4), DATA(8956), ICRC()),
	  ONE_PACKET(.op = 4, .payload = 102) },
	{ "64 KiB", PARTS(ETH(), IP4(), UDP(), BTH(.op = 4), DATA(65400), ICRC()),
	  ONE_PACKET(.op = 4, .payload = 65400) },
};

const size_t rct_n_cases = sizeof(rct_cases) / sizeof(rct_cases[0]);

void rct_case_frame(const struct rct_case *c, u8 *buf, size_t size, struct rct_frame *f)
{
	u32 len = rct_build(c->parts, buf, size);

	*f = (struct rct_frame){
		.data = buf, .end = buf + (c->cut ? c->cut : len), .wire_len = len,
		.ethertype = c->ethertype, .vlan = c->hook_vlan ? c->hook_vlan : RCT_NOVLAN,
		.slot = 1, .dir = RCT_RX,
	};
}

static u32 usual(u32 v, u32 d)
{
	return v == RCT_ZERO ? 0 : v ? v : d;
}

static void want_address(void *to, const struct rct_want *w, const char *text, const char *d4,
			 const char *d6)
{
	u8 *b = to;

	memset(b, 0, 16);
	if (!w->family)
		b[10] = b[11] = 0xff;
	if (!text)
		text = w->family ? d6 : d4;
	if (inet_pton(w->family ? AF_INET6 : AF_INET, text, w->family ? b : b + 12) != 1)
		abort();
}

struct rct_key rct_case_key(const struct rct_case *c, u16 slot, u8 dir)
{
	const struct rct_want *w = &c->want;
	struct rct_key k = {
		.dest_qp = usual(w->qp, RCT_D_QP), .slot = slot, .dir = dir,
		.family = w->family ? w->family : RCT_IPV4,
		.tunnel = w->tunnel, .tunnel_id = w->tunnel_id,
	};

	want_address(k.src, w, w->src, RCT_D_SRC4, RCT_D_SRC6);
	want_address(k.dst, w, w->dst, RCT_D_DST4, RCT_D_DST6);
	return k;
}

const char *rct_case_differs(const struct rct_case *c, const struct rct_pkt *p,
			     u64 *ret_got, u64 *ret_want)
{
	const struct rct_want *w = &c->want;
	struct rct_key k = rct_case_key(c, 1, RCT_RX);
	const struct { const char *name; u64 got, want; } fields[] = {
		{ "source address", memcmp(p->key.src, k.src, 16), 0 },
		{ "destination address", memcmp(p->key.dst, k.dst, 16), 0 },
		{ "destination QP", p->key.dest_qp, k.dest_qp },
		{ "slot", p->key.slot, 1 },
		{ "direction", p->key.dir, RCT_RX },
		{ "family", p->key.family, k.family },
		{ "tunnel", p->key.tunnel, k.tunnel },
		{ "tunnel id", p->key.tunnel_id, k.tunnel_id },
		{ "source port", RCT_ATTR_SPORT(p->attr), usual(w->sport, RCT_D_SPORT) },
		{ "VLAN", RCT_ATTR_VLAN(p->attr), w->vlan ? w->vlan : RCT_NOVLAN },
		{ "P_Key", RCT_ATTR_PKEY(p->attr), usual(w->pkey, RCT_D_PKEY) },
		{ "DSCP", RCT_ATTR_DSCP(p->attr), w->tos >> 2 },
		{ "TTL", RCT_ATTR_TTL(p->attr), usual(w->ttl, RCT_D_TTL) },
		{ "ECN", p->ecn, w->tos & 3 },
		{ "opcode", p->opcode, w->op },
		{ "PSN", p->psn, usual(w->psn, RCT_D_PSN) },
		{ "payload", p->payload, w->payload },
		{ "message length", p->cut ? 0 : p->dma_len, w->cut ? 0 : w->dma ? w->dma : w->payload },
		{ "extension bytes", p->ext, w->ext },
		{ "pad", p->pad, w->pad },
		{ "syndrome", p->syndrome, w->syn },
		{ "AckReq", p->ack_req, w->ack },
		{ "cut", p->cut, w->cut },
		{ "place of the transport header", w->bth ? p->bth : 0, w->bth },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (fields[i].got == fields[i].want)
			continue;
		*ret_got = fields[i].got;
		*ret_want = fields[i].want;
		return fields[i].name;
	}
	return NULL;
}
