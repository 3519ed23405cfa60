/* SPDX-License-Identifier: BSD-2-Clause */
/* Link types of capture files: from a record's bytes to a frame for rct_parse(). */
#ifndef RCT_LINKTYPE_H
#define RCT_LINKTYPE_H

#include "wire.h"

struct rct_linktype {
	int dlt;		/* libpcap's number */
	/* Points f into the record. f->data, end and wire_len are set to the whole of it. */
	void (*frame)(struct rct_frame *f);
};

/* NULL: a link type in which RoCE is not looked for. */
const struct rct_linktype *rct_linktype_find(int dlt);

#endif
