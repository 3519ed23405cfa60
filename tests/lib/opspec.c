// SPDX-License-Identifier: BSD-2-Clause
#include "lib/opspec.h"

#define R	OP_REQUEST

const struct rct_opspec rct_opspecs[] = {
	{ 0x00, "RC_SEND_FIRST",		{ 0 },				R, true },
	{ 0x01, "RC_SEND_MIDDLE",		{ 0 },				R, false },
	{ 0x02, "RC_SEND_LAST",			{ 0 },				R, false },
	{ 0x03, "RC_SEND_LAST_IMM",		{ PART_IMM },			R, false },
	{ 0x04, "RC_SEND_ONLY",			{ 0 },				R, true },
	{ 0x05, "RC_SEND_ONLY_IMM",		{ PART_IMM },			R, true },
	{ 0x06, "RC_WRITE_FIRST",		{ PART_RETH },			R, true },
	{ 0x07, "RC_WRITE_MIDDLE",		{ 0 },				R, false },
	{ 0x08, "RC_WRITE_LAST",		{ 0 },				R, false },
	{ 0x09, "RC_WRITE_LAST_IMM",		{ PART_IMM },			R, false },
	{ 0x0a, "RC_WRITE_ONLY",		{ PART_RETH },			R, true },
	{ 0x0b, "RC_WRITE_ONLY_IMM",		{ PART_RETH, PART_IMM },	R, true },
	{ 0x0c, "RC_READ_REQUEST",		{ PART_RETH },			R, true },
	{ 0x0d, "RC_READ_RESPONSE_FIRST",	{ PART_AETH },			OP_RESPONSE, false },
	{ 0x0e, "RC_READ_RESPONSE_MIDDLE",	{ 0 },				OP_RESPONSE, false },
	{ 0x0f, "RC_READ_RESPONSE_LAST",	{ PART_AETH },			OP_RESPONSE, false },
	{ 0x10, "RC_READ_RESPONSE_ONLY",	{ PART_AETH },			OP_RESPONSE, false },
	{ 0x11, "RC_ACKNOWLEDGE",		{ PART_AETH },			OP_ACK, false },
	{ 0x12, "RC_ATOMIC_ACKNOWLEDGE",	{ PART_AETH, PART_ATOMICACK },	OP_ACK, false },
	{ 0x13, "RC_COMPARE_SWAP",		{ PART_ATOMIC },		R, true },
	{ 0x14, "RC_FETCH_ADD",			{ PART_ATOMIC },		R, true },
	{ 0x16, "RC_SEND_LAST_INV",		{ PART_IETH },			R, false },
	{ 0x17, "RC_SEND_ONLY_INV",		{ PART_IETH },			R, true },
	{ 0x1c, "RC_FLUSH",			{ PART_IMM, PART_RETH },	R, false },
	{ 0x1d, "RC_ATOMIC_WRITE",		{ PART_RETH },			R, true },

	{ 0x20, "UC_SEND_FIRST",		{ 0 },				R, true },
	{ 0x21, "UC_SEND_MIDDLE",		{ 0 },				R, false },
	{ 0x22, "UC_SEND_LAST",			{ 0 },				R, false },
	{ 0x23, "UC_SEND_LAST_IMM",		{ PART_IMM },			R, false },
	{ 0x24, "UC_SEND_ONLY",			{ 0 },				R, true },
	{ 0x25, "UC_SEND_ONLY_IMM",		{ PART_IMM },			R, true },
	{ 0x26, "UC_WRITE_FIRST",		{ PART_RETH },			R, true },
	{ 0x27, "UC_WRITE_MIDDLE",		{ 0 },				R, false },
	{ 0x28, "UC_WRITE_LAST",		{ 0 },				R, false },
	{ 0x29, "UC_WRITE_LAST_IMM",		{ PART_IMM },			R, false },
	{ 0x2a, "UC_WRITE_ONLY",		{ PART_RETH },			R, true },
	{ 0x2b, "UC_WRITE_ONLY_IMM",		{ PART_RETH, PART_IMM },	R, true },

	{ 0x64, "UD_SEND_ONLY",			{ PART_DETH },			OP_DATAGRAM, true },
	{ 0x65, "UD_SEND_ONLY_IMM",		{ PART_DETH, PART_IMM },	OP_DATAGRAM, true },

	{ 0x81, "CNP",				{ 0 },				OP_NOTICE, false },

	{ 0xa0, "XRC_SEND_FIRST",		{ PART_XRCETH },		R, true },
	{ 0xa1, "XRC_SEND_MIDDLE",		{ PART_XRCETH },		R, false },
	{ 0xa2, "XRC_SEND_LAST",		{ PART_XRCETH },		R, false },
	{ 0xa3, "XRC_SEND_LAST_IMM",		{ PART_XRCETH, PART_IMM },	R, false },
	{ 0xa4, "XRC_SEND_ONLY",		{ PART_XRCETH },		R, true },
	{ 0xa5, "XRC_SEND_ONLY_IMM",		{ PART_XRCETH, PART_IMM },	R, true },
	{ 0xa6, "XRC_WRITE_FIRST",		{ PART_XRCETH, PART_RETH },	R, true },
	{ 0xa7, "XRC_WRITE_MIDDLE",		{ PART_XRCETH },		R, false },
	{ 0xa8, "XRC_WRITE_LAST",		{ PART_XRCETH },		R, false },
	{ 0xa9, "XRC_WRITE_LAST_IMM",		{ PART_XRCETH, PART_IMM },	R, false },
	{ 0xaa, "XRC_WRITE_ONLY",		{ PART_XRCETH, PART_RETH },	R, true },
	{ 0xab, "XRC_WRITE_ONLY_IMM",		{ PART_XRCETH, PART_RETH, PART_IMM }, R, true },
	{ 0xac, "XRC_READ_REQUEST",		{ PART_XRCETH, PART_RETH },	R, true },
	{ 0xad, "XRC_READ_RESPONSE_FIRST",	{ PART_AETH },			OP_RESPONSE, false },
	{ 0xae, "XRC_READ_RESPONSE_MIDDLE",	{ 0 },				OP_RESPONSE, false },
	{ 0xaf, "XRC_READ_RESPONSE_LAST",	{ PART_AETH },			OP_RESPONSE, false },
	{ 0xb0, "XRC_READ_RESPONSE_ONLY",	{ PART_AETH },			OP_RESPONSE, false },
	{ 0xb1, "XRC_ACKNOWLEDGE",		{ PART_AETH },			OP_ACK, false },
	{ 0xb2, "XRC_ATOMIC_ACKNOWLEDGE",	{ PART_AETH, PART_ATOMICACK },	OP_ACK, false },
	{ 0xb3, "XRC_COMPARE_SWAP",		{ PART_XRCETH, PART_ATOMIC },	R, true },
	{ 0xb4, "XRC_FETCH_ADD",		{ PART_XRCETH, PART_ATOMIC },	R, true },
	{ 0xb6, "XRC_SEND_LAST_INV",		{ PART_XRCETH, PART_IETH },	R, false },
	{ 0xb7, "XRC_SEND_ONLY_INV",		{ PART_XRCETH, PART_IETH },	R, true },
};

const size_t rct_n_opspecs = sizeof(rct_opspecs) / sizeof(rct_opspecs[0]);

const struct rct_opspec *rct_opspec(u8 op)
{
	for (size_t i = 0; i < rct_n_opspecs; i++) {
		if (rct_opspecs[i].op == op)
			return &rct_opspecs[i];
	}
	return NULL;
}

u32 rct_opspec_ext(const struct rct_opspec *s)
{
	static const u8 of[] = {
		[PART_XRCETH] = 4, [PART_RETH] = 16, [PART_AETH] = 4, [PART_IMM] = 4,
		[PART_IETH] = 4, [PART_ATOMIC] = 28, [PART_ATOMICACK] = 8, [PART_DETH] = 8,
	};
	u32 n = 0;

	for (int i = 0; s->heads[i]; i++)
		n += of[s->heads[i]];
	return n;
}

u32 rct_build_brief(const struct rct_brief *f, u8 *buf, size_t size)
{
	const struct rct_opspec *s = rct_opspec(f->op);
	struct rct_part parts[16] = { ETH() };
	u32 n = 1;

	if (f->tci)
		parts[n++] = (struct rct_part)TAG(.tci = f->tci);
	if (f->v6)
		parts[n++] = (struct rct_part)IP6(.tos = f->tos, .ttl = f->ttl, .src = f->src, .dst = f->dst);
	else
		parts[n++] = (struct rct_part)IP4(.tos = f->tos, .ttl = f->ttl, .src = f->src, .dst = f->dst);
	parts[n++] = (struct rct_part)UDP(.sport = f->sport, .dport = f->dport);
	parts[n++] = (struct rct_part)BTH(.op = f->op, .qp = f->qp, .psn = f->psn, .pad = f->pad,
					  .ack = f->ack, .pkey = f->pkey);
	for (int i = 0; s && s->heads[i]; i++)
		parts[n++] = (struct rct_part){ .kind = s->heads[i], .dma = f->dma, .syn = f->syn };
	parts[n++] = (struct rct_part)DATA(f->len);
	parts[n++] = (struct rct_part)PADDING(f->pad);
	parts[n++] = (struct rct_part)ICRC();
	return rct_build(parts, buf, size);
}
