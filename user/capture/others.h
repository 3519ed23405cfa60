/* SPDX-License-Identifier: BSD-2-Clause */
/* What other people hung on an interface. Nothing of it is ever touched. */
#ifndef RCT_OTHERS_H
#define RCT_OTHERS_H

#include "types.h"

/* Text that grows in a fixed place: "one; two". */
struct rct_list {
	char *text;
	size_t size, used;
};

__attribute__((format(printf, 2, 3)))
void rct_list_add(struct rct_list *l, const char *fmt, ...);

/* "'name' (id 7)", or "id 7" where this process may not ask for the name. */
const char *rct_prog_name(u32 id, char *ret, size_t size);

/* The id of the XDP program on an interface; 0: none. */
u32 rct_xdp_there(u32 ifindex);

/* The tcx programs of one side, in their order, but ours. Returns how many, at most max. */
u32 rct_tcx_there(u32 ifindex, u32 attach_type, u32 *ret_ids, u32 max);

/* All of it for people: "XDP program 'x' (id 7)"; "" where nothing is. */
void rct_others(u32 ifindex, char *ret, size_t size);

#endif
