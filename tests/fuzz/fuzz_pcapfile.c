// SPDX-License-Identifier: BSD-2-Clause
/*
 * A capture file from the first byte to the snapshot: file format, gzip, link type,
 * parser, flow table, connections. Whatever the bytes: no packet is lost on the way.
 */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/pcapfile.h"

static void check(const struct rct_snapshot *s)
{
	u64 refused = 0, in_flows = 0;

	for (int i = RCT_OK + 1; i < RCT_VERDICT_COUNT; i++)
		refused += s->totals.refused[i];
	for (size_t i = 0; i < s->n_flows; i++) {
		const struct rct_flow *f = &s->flows[i];

		in_flows += f->packets;
		must(f->repeated + f->late <= f->packets);
		must(f->icrc_bad <= f->icrc_checked && f->icrc_checked <= f->packets);
		must(f->first_ns <= f->last_ns);
		must(f->rtt.p50 <= f->rtt.p99 && f->rtt.p99 <= f->rtt.p999 && f->rtt.p999 <= f->rtt.max);
	}
	must(in_flows + refused == s->totals.packets);
	must(in_flows == s->totals.roce + s->totals.roce1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rct_snapshot s = {};
	struct rct_err err = {};
	char name[64];
	const char *names[] = { name, name };
	int fd = memfd_create("capture", 0), rc;

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	/* twice: as one trace whose clock goes back */
	rc = rct_pcapfile_read(names, 2, &s, &err);
	must(rc <= 0 && !rc == !err.text[0]);
	check(&s);
	rct_snapshot_free(&s);
	close(fd);
	return 0;
}
