// SPDX-License-Identifier: BSD-2-Clause
#include "model/snapshot.h"

#define OP_NAME(op, name, ext, flags) [op] = name,
static const char *const names[256] = { RCT_OPCODES(OP_NAME) };
#undef OP_NAME

const char *rct_op_name(u32 transport, u32 op)
{
	const char *name;

	if (op == RCT_OPN_CNP)
		return "CNP";
	if (op >= RCT_OPS || op == RCT_OPN_OTHER || transport > 7)
		return "OTHER";
	name = names[transport << 5 | op];
	return name ? name : "OTHER";
}
