// SPDX-License-Identifier: BSD-2-Clause
#include "lib/trace.h"

#include <stdlib.h>

#include "lib/seq.h"

#define A		"10.1.0.1"
#define B		"10.1.0.2"
#define START_NS	1700000000000000000ull
#define STEP_NS		1000

/* Where the reader of the words is. */
struct at {
	struct rct_trace *t;
	u64 ns;
	bool back;
	u32 qp;
};

static void packet(struct at *at, struct rct_brief b)
{
	u8 buf[8192];
	struct rct_frame f = { .data = buf, .vlan = RCT_NOVLAN, .dir = RCT_NODIR };
	struct rct_pkt p;

	b.src = at->back ? B : A;
	b.dst = at->back ? A : B;
	b.qp = at->qp;
	if (!b.psn)
		b.psn = RCT_ZERO;
	f.wire_len = rct_build_brief(&b, buf, sizeof(buf));
	f.end = buf + f.wire_len;
	if (rct_parse(&f, &p) != RCT_OK || rct_flowtab_packet(at->t->tab, &p, at->ns) < 0)
		abort();
	at->ns += STEP_NS;
}

static void put(u8 *p, u32 n, u32 value)
{
	for (u32 i = 0; i < n; i++)
		p[i] = value >> (8 * (n - 1 - i));
}

void rct_build_cm(u8 *mad, bool rep, u32 local_id, u32 remote_id, u32 qpn, u8 mtu, u8 timeout)
{
	u8 *m = mad + 24;

	memset(mad, 0, 256);
	mad[0] = 1;
	mad[1] = 0x07;			/* communication management */
	mad[2] = 2;
	mad[3] = 0x03;			/* send */
	put(mad + 16, 2, rep ? 0x0013 : 0x0010);
	put(m, 4, local_id);
	if (rep) {
		put(m + 4, 4, remote_id);
		put(m + 12, 3, qpn);
		return;
	}
	put(m + 32, 3, qpn);
	m[50] = mtu << 4;
	m[95] = timeout << 3;
}

static void datagram(struct at *at, bool back, const u8 *mad)
{
	struct rct_pkt p;
	struct rct_frame f = { .vlan = RCT_NOVLAN, .dir = RCT_NODIR };
	struct rct_brief b = { .op = 0x64, .qp = 1, .psn = RCT_ZERO, .len = 256 };
	u8 buf[512];

	b.src = back ? B : A;
	b.dst = back ? A : B;
	f.wire_len = rct_build_brief(&b, buf, sizeof(buf));
	f.data = buf;
	f.end = buf + f.wire_len;
	if (rct_parse(&f, &p) != RCT_OK || rct_flowtab_packet(at->t->tab, &p, at->ns) < 0 ||
	    rct_flowtab_datagram(at->t->tab, &p, mad, 256))
		abort();
	at->ns += STEP_NS;
}

static void exchange(struct at *at, const struct rct_trace_cm *cm)
{
	u8 mad[256];

	rct_build_cm(mad, false, 77, 0, cm->qp_a, cm->mtu, cm->timeout);
	datagram(at, false, mad);
	rct_build_cm(mad, true, 99, 77, cm->qp_b, 0, 0);
	datagram(at, true, mad);
	datagram(at, true, mad);	/* sent again: changes nothing */
}

static void word(struct at *at, char *w)
{
	struct rct_seq_at seq = { .text = w };

	if (*w == '+') {
		at->ns += strtoull(w + 1, NULL, 10) * 1000;
	} else if (*w == '<' || *w == '>') {
		at->back = *w == '<';
		at->qp = strtoul(w + 1, NULL, 0);
	} else {
		while (rct_seq_next(&seq))
			packet(at, seq.brief);
	}
}

static void pass(struct rct_trace *t, const struct rct_trace_cm *cm, const char *words)
{
	struct at at = { .t = t, .ns = START_NS };
	char *copy = strdup(words), *save = NULL;

	if (cm && cm->qp_a)
		exchange(&at, cm);
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		word(&at, w);
	free(copy);
	t->passes++;
}

void rct_trace_run(struct rct_trace *t, const struct rct_trace_cm *cm, const char *words)
{
	memset(t, 0, sizeof(*t));
	t->tab = rct_flowtab_new();
	t->start_ns = START_NS;
	if (!t->tab)
		abort();
	pass(t, cm, words);
	if (rct_flowtab_rewind(t->tab) == 1)
		pass(t, cm, words);
	if (rct_flowtab_snapshot(t->tab, &t->s))
		abort();
}

void rct_trace_free(struct rct_trace *t)
{
	rct_snapshot_free(&t->s);
	rct_flowtab_free(t->tab);
}

const struct rct_flow *rct_trace_flow(const struct rct_trace *t, bool back, u32 qp)
{
	for (size_t i = 0; i < t->s.n_flows; i++) {
		const struct rct_flow *f = &t->s.flows[i];
		u8 last = ((const u8 *)f->key.src)[15];

		if (f->key.dest_qp == qp && (last == 2) == back)
			return f;
	}
	abort();
}
