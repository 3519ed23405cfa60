// SPDX-License-Identifier: BSD-2-Clause
#include "lib/seq.h"

#include <stdlib.h>
#include <string.h>

/* Of all requests that are messages: their number. */
#define RC(n, ...)	{ .messages = (n), ##__VA_ARGS__ }

const struct rct_seq rct_seqs[] = {
	/* ---- in order, gaps, late, repeated */
	{ "one packet", "S7", RC(1) },
	{ "in order", "S100..110", RC(11) },
	{ "any first PSN", "S0xabcdef..0xabcdff", RC(17) },
	{ "a gap", "S100 S102", RC(2, .gaps = 1, .missing = 1) },
	{ "a gap of many", "S100 S1101", RC(2, .gaps = 1, .missing = 1000) },
	{ "a gap that is filled", "S100 S102 S101 S103", RC(4, .gaps = 1, .late = 1) },
	{ "filled from the front", "S0 S5 S1..4 S6", RC(7, .gaps = 1, .late = 4) },
	{ "filled from the back", "S0 S5 S4 S3 S2 S1 S6", RC(7, .gaps = 1, .late = 4) },
	{ "filled from the middle", "S0 S5 S3 S1 S4 S2 S6", RC(7, .gaps = 1, .late = 4) },
	{ "filled in part", "S0 S5 S3", RC(3, .gaps = 1, .late = 1, .missing = 3) },
	{ "a filled PSN comes again", "S0 S3 S1 S1", RC(4, .gaps = 1, .late = 1, .missing = 1, .repeated = 1, .steps_back = 1) },
	{ "repeated", "S100..104 S102..104", RC(8, .repeated = 3, .steps_back = 1) },
	{ "go back and go on", "S0..9 S5..12", RC(18, .repeated = 5, .steps_back = 1) },
	{ "go back twice", "S0..9 S5..12 S7..13", RC(25, .repeated = 11, .steps_back = 2) },
	{ "a run that does not go on", "S0..9 S5 S6 S2 S3", RC(14, .repeated = 4, .steps_back = 2) },
	{ "the network doubles packets", "S0..3 S3 S4 S4", RC(7, .repeated = 2, .steps_back = 2) },
	{ "selective repeat", "S0 S1 S3 S4 S2 S5 S6", RC(7, .gaps = 1, .late = 1) },
	{ "repeated before a gap", "S0 S1 S5 S1", RC(4, .gaps = 1, .missing = 3, .repeated = 1, .steps_back = 1) },
	{ "a run backwards that fills a hole first is not a repetition's", "S0 S2 S3 S4 S1..5",
	  RC(9, .gaps = 1, .late = 1, .repeated = 3) },

	/* ---- modulo 2^24 */
	{ "wraps", "S0xfffffe..0x1000002", RC(5) },
	{ "a gap over the wrap", "S0xfffffe S2", RC(2, .gaps = 1, .missing = 3) },
	{ "a gap over the wrap, filled", "S0xfffffe S2 S0xffffff S0 S1 S3", RC(6, .gaps = 1, .late = 3) },
	{ "a gap over the wrap, split at it", "S0xfffffc S3 S0", RC(3, .gaps = 1, .late = 1, .missing = 5) },
	{ "repeated over the wrap", "S0xfffffe..0x1000001 S0xffffff S0", RC(6, .repeated = 2, .steps_back = 1) },

	/* ---- the window */
	{ "the widest gap", "S0 S65537", RC(2, .gaps = 1, .missing = 65536) },
	{ "a wider step is another start", "S0 S65538 S65539", RC(3, .resync = 1) },
	{ "the farthest step back", "S65536 S1", RC(2, .repeated = 1, .steps_back = 1) },
	{ "a farther one is another start", "S65536 S0 S1", RC(3, .resync = 1) },
	{ "half the circle ahead", "S0 S0x800001", RC(2, .resync = 1) },
	{ "a connection starts again at 0", "S500000..500010 S0..9", RC(21, .resync = 1) },
	{ "what was missing before stays missing", "S0 S3 S500000 S500001", RC(4, .gaps = 1, .missing = 2, .resync = 1) },
	{ "holes of before are forgotten", "S0 S3 S500000 S0 S3 S1",
	  RC(6, .gaps = 2, .missing = 3, .resync = 2, .late = 1) },
	{ "a run of before does not go on", "S100..109 S105 S500000 S106 S104",
	  RC(14, .repeated = 2, .resync = 2, .steps_back = 2) },

	/* ---- holes */
	{ "six holes", "S0 S2 S4 S6 S8 S10 S12", RC(7, .gaps = 6, .missing = 6) },
	{ "six holes filled", "S0 S2 S4 S6 S8 S10 S12 S11 S9 S7 S5 S3 S1 S13", RC(14, .gaps = 6, .late = 6) },
	{ "the seventh: the oldest is given up", "S0 S2 S4 S6 S8 S10 S12 S14",
	  RC(8, .gaps = 7, .missing = 7, .given_up = 1) },
	{ "a PSN that was given up is repeated", "S0 S2 S4 S6 S8 S10 S12 S14 S1",
	  RC(9, .gaps = 7, .missing = 7, .given_up = 1, .repeated = 1, .steps_back = 1) },
	{ "the others are late still", "S0 S2 S4 S6 S8 S10 S12 S14 S3 S13",
	  RC(10, .gaps = 7, .missing = 5, .given_up = 1, .late = 2) },
	{ "a filled hole makes room", "S0 S2 S4 S6 S8 S10 S12 S5 S14",
	  RC(9, .gaps = 7, .missing = 6, .late = 1) },
	{ "the oldest is given up whole", "S0 S5 S7 S9 S11 S13 S15 S17",
	  RC(8, .gaps = 7, .missing = 10, .given_up = 4) },
	{ "the oldest over the wrap", "S0xfffff8 S0xfffffa S0xfffffc S0xfffffe S0 S2 S4 S6 S0xfffff9",
	  RC(9, .gaps = 7, .missing = 7, .given_up = 1, .repeated = 1, .steps_back = 1) },
	{ "a split needs a place: the oldest is given up", "S0 S2 S20 S22 S24 S26 S28 S10 S1 S5",
	  RC(10, .gaps = 6, .missing = 20, .given_up = 3, .late = 2, .repeated = 1, .steps_back = 1) },
	{ "a split of the oldest: its older part is given up", "S0 S10 S12 S14 S16 S18 S20 S5 S7 S2",
	  RC(10, .gaps = 6, .missing = 12, .given_up = 5, .late = 2, .repeated = 1, .steps_back = 1) },
	{ "thirty holes", "S0 S2 S4 S6 S8 S10 S12 S14 S16 S18 S20 S22 S24 S26 S28 S30 S32 S34 S36 S38 S40 S42 S44 S46 S48 S50 S52 S54 S56 S58 S60",
	  RC(31, .gaps = 30, .missing = 30, .given_up = 24) },

	/* ---- messages in parts, atomics, others */
	{ "a send in parts", "f0 m1..8 l9 S10", RC(2, .path_mtu = 1024) },
	{ "a write in parts, a packet lost", "F0 M1 M3 L4 M2", RC(1, .gaps = 1, .late = 1, .path_mtu = 1024) },
	{ "atomics", "A0..3 A5", RC(5, .gaps = 1, .missing = 1) },
	{ "a flush takes a PSN, and is no message", "S0 H1 S2", RC(2) },
	{ "UC", "u0 u1 u5", RC(3, .gaps = 1, .missing = 3, .transport = RCT_UC) },
	{ "XRC", "X0 X1 X3 X2", RC(4, .gaps = 1, .late = 1, .transport = RCT_XRC) },
	{ "UD has no order here", "U5 U100 U3 U3", RC(4, .transport = RCT_UD) },
	{ "CNPs are beside", "S0 C0 S1 C7 S2", RC(3, .cnp = 2) },
	{ "a CNP first", "C0 S10 S11 S13", RC(3, .cnp = 1, .gaps = 1, .missing = 1) },
	{ "only CNPs", "C0 C0", { .cnp = 2, .transport = RCT_TRANSPORT_NONE } },
	{ "another transport", "S0 u500 S1 X7 S2", RC(3) },
	{ "an unknown operation", "S0 ?77 S1", RC(2) },
	{ "acknowledgements have no PSN of their own", "S0 k500 S1 k9 k9 a3 S2", RC(3, .acks = 3) },
	{ "NAKs are no ACKs", "k5 n6 r7 k8:0x61 k8:0x62 k8:0x63 k8:0x64 k8:0x65 k8:0x41", { .acks = 1 } },

	/* ---- READ requests, path MTU known */
	{ "a read, path MTU seen", "F0 L1 R2:3000 S5", RC(3, .path_mtu = 1024) },
	{ "a read of whole packets", "F0 L1 R2:2048 S4", RC(3, .path_mtu = 1024) },
	{ "a read of one byte more", "F0 L1 R2:2049 S5", RC(3, .path_mtu = 1024) },
	{ "a read of nothing", "F0 L1 R2:0 S3", RC(3, .path_mtu = 1024) },
	{ "the smallest path MTU", "F0:256 L1 R2:1000 S6", RC(3, .path_mtu = 256) },
	{ "path MTU 512, by a middle packet", "m0:512 R1:3000 S7", RC(2, .path_mtu = 512) },
	{ "path MTU 2048, by a send's first", "f0:2048 l1 R2:3000 S4", RC(3, .path_mtu = 2048) },
	{ "path MTU 1024, by a write's middle", "M0 R1:3000 S4", RC(2, .path_mtu = 1024) },
	{ "path MTU seen in order", "S0 f1 l2 R3:2048 S6", RC(4, .path_mtu = 1024, .gaps = 1, .missing = 1) },
	{ "the largest path MTU", "F0:4096 L1 R2:10000 S5", RC(3, .path_mtu = 4096) },
	{ "a gap behind a read", "F0 L1 R2:3000 S6", RC(3, .gaps = 1, .missing = 1, .path_mtu = 1024) },
	{ "a read comes late", "F0 L1 S5 R2:3000 S6", RC(4, .gaps = 1, .late = 1, .path_mtu = 1024) },
	{ "a read comes late, in the middle of a hole", "F0 L1 S10 R4:3000 S11",
	  RC(4, .gaps = 1, .late = 1, .missing = 5, .path_mtu = 1024) },
	{ "a read is repeated from its middle", "F0 L1 R2:3000 R3:1976 S5",
	  RC(4, .repeated = 1, .steps_back = 1, .path_mtu = 1024) },
	{ "a read over the wrap", "F0xfffffc L0xfffffd R0xfffffe:4096 S2", RC(3, .path_mtu = 1024) },
	{ "a read of 2 GiB", "F0:256 L1 R2:0x80000000 S0x800002", RC(3, .path_mtu = 256) },

	/* ---- READ requests, path MTU unknown */
	{ "the next request tells the path MTU", "S0 R1:4096 S5 R6:2048 S8 S10",
	  RC(6, .path_mtu = 1024, .gaps = 1, .missing = 1) },
	{ "each path MTU can be told: 256", "S0 R1:4096 S17", RC(3, .path_mtu = 256) },
	{ "each path MTU can be told: 512", "S0 R1:4096 S9", RC(3, .path_mtu = 512) },
	{ "each path MTU can be told: 2048", "S0 R1:4096 S3", RC(3, .path_mtu = 2048) },
	{ "each path MTU can be told: 4096", "S0 R1:4096 S2", RC(3, .path_mtu = 4096) },
	{ "a short packet does not tell it", "S0:512 R1:4096 S5", RC(3, .path_mtu = 1024) },
	{ "nor does a last one", "L0:512 R1:4096 S5", RC(2, .path_mtu = 1024) },
	{ "a first one of no path MTU's size doesn't either", "F0:1000 R1:4096 S5", RC(3, .path_mtu = 1024) },
	{ "the smallest read that can take two PSNs", "S0 R1:257 S3", RC(3, .path_mtu = 256) },
	{ "none explains it", "S0 R1:4096 S100 S101 S103", RC(5, .reanchored = 1, .gaps = 1, .missing = 1) },
	{ "a small read takes one PSN at any", "S0 R1:256 S2 R3:1 S4", RC(5) },
	{ "several explain it", "S0 R1:1000 S2 S3", RC(4) },
	{ "several explain it, the next read tells", "S0 R1:1000 S2 R3:3000 S6 R7:2000 S9",
	  RC(7, .path_mtu = 1024) },
	{ "what was ruled out stays so", "S0 R1:1000 S2 R3:3000 S9 S10", RC(6, .reanchored = 1) },
	{ "a read behind a read", "S0 R1:2048 R3:2048 S5", RC(4, .path_mtu = 1024) },
	{ "the read again", "S0 R1:4096 R1:4096 S5", RC(4, .reanchored = 1, .path_mtu = 1024) },
	{ "far back behind a read: holes of before are no use", "S100 S110 R111:4096 S50..104 S108 S106 S105 S107 S109",
	  RC(63, .gaps = 2, .missing = 9, .late = 3, .reanchored = 1) },
	{ "a read first of all", "R1:4096 S5 S6", RC(3, .path_mtu = 1024) },
	{ "the payload behind tells the path MTU", "S0 R1:4096 F5 L6", RC(3, .path_mtu = 1024) },
	{ "the payload behind tells it, and a gap", "S0 R1:4096 F6 L7",
	  RC(3, .path_mtu = 1024, .gaps = 1, .missing = 1) },
	{ "no request behind", "S0 R1:4096 k4 p1", RC(2, .acks = 1) },

	/* ---- READ responses */
	{ "responses", "x100 y101..110 z111", { 0 } },
	{ "responses jump to the next read's PSN", "x100 z101 p200 x300 y301 z302", { 0 } },
	{ "responses are beside requests", "S0 p100 S1 p101 S2", RC(3) },
	{ "a middle response is missing", "x100 y101 y103 z104", { .rsp_gaps = 1, .rsp_missing = 1 } },
	{ "the last response after a gap", "x100 z104", { .rsp_gaps = 1, .rsp_missing = 3 } },
	{ "responses again", "x100 y101 z102 x100 y101 z102", { .rsp_repeated = 3 } },
	{ "an only response again", "p100 p100 p101", { .rsp_repeated = 1 } },
	{ "responses over the wrap", "x0xfffffe y0xffffff z0", { 0 } },
	{ "responses, the widest gap", "x0 y65537", { .rsp_gaps = 1, .rsp_missing = 65536 } },
	{ "responses far ahead", "x0 y65538 z65539", { .resync = 1 } },
	{ "responses far back", "x70000 z70001 p0 p1", { .resync = 1 } },

	/* ---- CPUs */
	{ "another CPU fills the hole", "S0 S2@0 S1@1", RC(3, .gaps = 1, .late = 1, .cross_cpu = 1) },
	{ "the same CPU fills it", "S0@0 S2@1 S1@1", RC(3, .gaps = 1, .late = 1) },
	{ "what is left of a split keeps its CPU", "S0 S6@0 S3@1 S1@0 S2@1 S5@1",
	  RC(6, .gaps = 1, .late = 4, .cross_cpu = 3, .missing = 1) },
};

const size_t rct_n_seqs = sizeof(rct_seqs) / sizeof(rct_seqs[0]);

/* Letter, opcode, usual number. */
static const struct {
	char letter;
	u8 op;
	u32 number;
} letters[] = {
	{ 'S', 0x04, 64 }, { 'f', 0x00, 1024 }, { 'm', 0x01, 1024 }, { 'l', 0x02, 64 },
	{ 'W', 0x0a, 64 }, { 'F', 0x06, 1024 }, { 'M', 0x07, 1024 }, { 'L', 0x08, 64 },
	{ 'R', 0x0c, 64 }, { 'A', 0x13, 0 }, { 'a', 0x12, 0 },
	{ 'x', 0x0d, 1024 }, { 'y', 0x0e, 1024 }, { 'z', 0x0f, 64 }, { 'p', 0x10, 64 },
	{ 'k', 0x11, 0x1f }, { 'n', 0x11, 0x60 }, { 'r', 0x11, 0x2c },
	{ 'u', 0x24, 64 }, { 'U', 0x64, 64 }, { 'X', 0xa4, 64 },
	{ 'C', 0x81, 16 }, { 'H', 0x1c, 0 }, { '?', 0x15, 64 },
};

static void begin(struct rct_seq_at *a)
{
	char letter = *a->text++;
	char *end;
	size_t i;
	u32 number;

	for (i = 0; i < sizeof(letters) / sizeof(letters[0]) && letters[i].letter != letter; i++)
		;
	if (i == sizeof(letters) / sizeof(letters[0]))
		abort();
	number = letters[i].number;
	a->brief.op = letters[i].op;
	a->brief.psn = strtoul(a->text, &end, 0);
	a->last = a->brief.psn;
	if (!strncmp(end, "..", 2))
		a->last = strtoul(end + 2, &end, 0);
	if (*end == ':')
		number = strtoul(end + 1, &end, 0);
	a->cpu = *end == '@' ? strtoul(end + 1, &end, 0) : 0;
	if (*end && *end != ' ')
		abort();
	a->text = end;
	a->brief.len = a->brief.dma = a->brief.syn = 0;
	if (a->brief.op == 0x11)
		a->brief.syn = number;
	else if (a->brief.op == 0x0c)
		a->brief.dma = number;
	else
		a->brief.len = a->brief.dma = number;
}

bool rct_seq_next(struct rct_seq_at *a)
{
	u32 psn = a->brief.psn;

	if (a->range && psn != a->last) {
		psn++;
	} else {
		while (*a->text == ' ')
			a->text++;
		if (!*a->text)
			return false;
		begin(a);
		psn = a->brief.psn;
		a->range = true;
	}
	a->brief.psn = psn;
	return true;
}

u32 rct_seq_frame(const struct rct_seq_at *a, u32 qp, u8 *buf, size_t size)
{
	struct rct_brief b = a->brief;

	b.qp = qp;
	b.psn &= 0xffffff;
	if (!b.psn)
		b.psn = RCT_ZERO;
	return rct_build_brief(&b, buf, size);
}

const char *rct_seq_differs(const struct rct_seq *s, const struct rct_flow *f, u64 *ret_got, u64 *ret_want)
{
	const struct rct_seq_want *w = &s->want;
	const struct { const char *name; u64 got, want; } counts[] = {
		{ "gaps", f->gaps, w->gaps },
		{ "missing", f->missing, w->missing },
		{ "late", f->late, w->late },
		{ "repeated", f->repeated, w->repeated },
		{ "given_up", f->given_up, w->given_up },
		{ "resync", f->resync, w->resync },
		{ "reanchored", f->reanchored, w->reanchored },
		{ "cross_cpu", f->cross_cpu, w->cross_cpu },
		{ "rsp.gaps", f->rsp_gaps, w->rsp_gaps },
		{ "rsp.missing", f->rsp_missing, w->rsp_missing },
		{ "rsp.repeated", f->rsp_repeated, w->rsp_repeated },
		{ "steps_back", f->steps_back, w->steps_back },
		{ "messages", f->messages, w->messages },
		{ "acks", f->acks, w->acks },
		{ "cnp", f->cnp, w->cnp },
		{ "path_mtu", f->path_mtu, w->path_mtu },
		{ "transport", f->transport, w->transport },
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		if (counts[i].got == counts[i].want)
			continue;
		*ret_got = counts[i].got;
		*ret_want = counts[i].want;
		return counts[i].name;
	}
	return NULL;
}
