// SPDX-License-Identifier: BSD-2-Clause
#include "render/table.h"

#include <errno.h>
#include <libsmartcols.h>
#include <stdlib.h>

#include "base/units.h"
#include "base/util.h"
#include "model/names.h"
#include "render/escape.h"

#define CELL	64

/* A number of a flow that is not one field. RCT_UNKNOWN: not known. */
static u64 repeated_of(const struct rct_flow *f)
{
	return f->repeated + f->rsp_repeated;
}

static u64 gaps_of(const struct rct_flow *f)
{
	return f->gaps + f->rsp_gaps;
}

static u64 missing_of(const struct rct_flow *f)
{
	return f->missing + f->rsp_missing;
}

static u64 late_of(const struct rct_flow *f)
{
	return f->late;
}

static u64 naks_of(const struct rct_flow *f)
{
	return f->naks[0] + f->naks[1] + f->naks[2] + f->naks[3] + f->naks[4];
}

static u64 rnr_of(const struct rct_flow *f)
{
	return f->rnr_naks;
}

static u64 timeouts_of(const struct rct_flow *f)
{
	return f->retries[RCT_RETRY_TIMEOUT];
}

static u64 cnp_of(const struct rct_flow *f)
{
	return f->cnp;
}

static u64 ce_of(const struct rct_flow *f)
{
	return f->ecn[RCT_CE];
}

static u64 icrc_of(const struct rct_flow *f)
{
	return f->icrc_checked ? f->icrc_bad : RCT_UNKNOWN;
}

static u64 unseen_of(const struct rct_flow *f)
{
	return f->unseen;
}

static u64 packets_of(const struct rct_flow *f)
{
	return f->packets;
}

static u64 messages_of(const struct rct_flow *f)
{
	return f->messages;
}

static u64 acks_of(const struct rct_flow *f)
{
	return f->acks;
}

/* ---- cells that are no counts */

struct cell {
	const struct rct_snapshot *s;
	const struct rct_flow *f;
	char *buf;		/* CELL bytes; "" where the flow has nothing to say */
};

static void show_iface(const struct cell *c)
{
	const struct rct_iface *i = rct_iface_of(c->s, c->f->key.slot);

	rct_escape(i ? i->name : "?", 0, c->buf, CELL);
}

static void show_dir(const struct cell *c)
{
	strcpy(c->buf, c->f->key.dir == RCT_RX ? "rx" : c->f->key.dir == RCT_TX ? "tx" : "");
}

static void show_src(const struct cell *c)
{
	rct_addr_text(c->f->key.src, c->f->key.family, c->buf);
}

static void show_dst(const struct cell *c)
{
	rct_addr_text(c->f->key.dst, c->f->key.family, c->buf);
}

static void show_qp(const struct cell *c)
{
	snprintf(c->buf, CELL, "%u", c->f->key.dest_qp);
}

static void show_vni(const struct cell *c)
{
	const char *tunnel = rct_tunnel_name(c->f->key.tunnel);

	if (tunnel)
		snprintf(c->buf, CELL, "%s %u", tunnel, c->f->key.tunnel_id);
}

/* What most of the packets do. */
static void show_type(const struct cell *c)
{
	static const struct {
		u32 first, last;
		const char *name;
	} kinds[] = {
		{ 0x00, 0x05, "send" }, { 0x16, 0x17, "send" }, { 0x06, 0x0b, "write" }, { 0x0c, 0x0c, "read req" },
		{ 0x0d, 0x10, "read data" }, { 0x11, 0x12, "ack" }, { 0x13, 0x14, "atomic" },
		{ 0x1c, 0x1d, "flush" }, { RCT_OPN_OTHER, RCT_OPN_OTHER, "other" }, { RCT_OPN_CNP, RCT_OPN_CNP, "CNP" },
	};
	u64 n, most = 0;
	const char *name = "";

	for (size_t k = 0; k < RCT_ARRAY_SIZE(kinds); k++) {
		n = 0;
		for (u32 op = kinds[k].first; op <= kinds[k].last; op++)
			n += c->f->ops[op];
		if (n > most) {
			most = n;
			name = kinds[k].name;
		}
	}
	if (c->f->key.dest_qp == 1)
		strcpy(c->buf, "CM");
	else if (c->f->transport == RCT_TRANSPORT_NONE)
		strcpy(c->buf, "CNP");
	else
		snprintf(c->buf, CELL, "%s %s", rct_transport_name(c->f->transport), name);
}

static void show_bytes(const struct cell *c)
{
	rct_bytes_text(c->f->bytes, c->buf);
}

static void show_rate(const struct cell *c)
{
	rct_rate_text(c->f->bytes, (c->s->end_ns - c->s->start_ns) / 1e9, c->buf);
}

static void show_p50(const struct cell *c)
{
	if (c->f->rtt.count)
		rct_time_text(c->f->rtt.p50, c->buf);
}

static void show_p99(const struct cell *c)
{
	if (c->f->rtt.count)
		rct_time_text(c->f->rtt.p99, c->buf);
}

static void show_stall(const struct cell *c)
{
	u64 longest = 0;

	for (u32 i = 0; i < RCT_RETRY_CAUSES; i++) {
		if (c->f->stall_ns[i] != RCT_UNKNOWN && c->f->stall_ns[i] > longest)
			longest = c->f->stall_ns[i];
	}
	if (longest)
		rct_time_text(longest, c->buf);
}

static void show_mtu(const struct cell *c)
{
	if (c->f->path_mtu)
		snprintf(c->buf, CELL, "%u", c->f->path_mtu);
}

static void show_sport(const struct cell *c)
{
	snprintf(c->buf, CELL, "%u%s", RCT_ATTR_SPORT(c->f->attr), c->f->sport_changes ? "*" : "");
}

static void show_dscp(const struct cell *c)
{
	snprintf(c->buf, CELL, "%u%s", RCT_ATTR_DSCP(c->f->attr), c->f->dscp_changes ? "*" : "");
}

static void show_vlan(const struct cell *c)
{
	if (RCT_ATTR_VLAN(c->f->attr) != RCT_NOVLAN)
		snprintf(c->buf, CELL, "%u", RCT_ATTR_VLAN(c->f->attr) & 0xfff);
}

static void show_peer(const struct cell *c)
{
	const char *by = rct_peer_name(c->f->peer_by);

	if (by)
		snprintf(c->buf, CELL, "%u (%s)", c->f->peer_qp, by);
}

/*
 * Columns, left to right. keep: those with the lowest go first where the terminal is
 * narrow; 9 never does. A quiet column is shown only where it says something.
 */
struct column {
	const char *name;
	u64 (*number)(const struct rct_flow *f);
	void (*show)(const struct cell *c);
	u8 keep;
	bool left, quiet, live;
	u8 verbose;
};

static const struct column columns[] = {
	{ "IFACE", .show = show_iface, .keep = 6, .left = true, .live = true },
	{ "DIR", .show = show_dir, .keep = 9, .left = true, .live = true },
	{ "SOURCE", .show = show_src, .keep = 9, .left = true },
	{ "DESTINATION", .show = show_dst, .keep = 9, .left = true },
	{ "TUNNEL", .show = show_vni, .keep = 5, .left = true, .quiet = true },
	{ "TO-QP", .show = show_qp, .keep = 9 },
	{ "PEER-QP", .show = show_peer, .keep = 1, .quiet = true, .verbose = 1 },
	{ "TYPE", .show = show_type, .keep = 4, .left = true },
	{ "PACKETS", .number = packets_of, .keep = 9 },
	{ "BYTES", .show = show_bytes, .keep = 2 },
	{ "RATE", .show = show_rate, .keep = 3 },
	{ "MESSAGES", .number = messages_of, .keep = 1 },
	{ "REPEATED", .number = repeated_of, .keep = 8, .quiet = true },
	{ "GAPS", .number = gaps_of, .keep = 7, .quiet = true },
	{ "LATE", .number = late_of, .keep = 6, .quiet = true },
	{ "MISSING", .number = missing_of, .keep = 7, .quiet = true },
	{ "UNSEEN", .number = unseen_of, .keep = 5, .quiet = true },
	{ "NAK", .number = naks_of, .keep = 8, .quiet = true },
	{ "RNR", .number = rnr_of, .keep = 8, .quiet = true },
	{ "TIMEOUT", .number = timeouts_of, .keep = 8, .quiet = true },
	{ "STALL", .show = show_stall, .keep = 5, .quiet = true },
	{ "CNP", .number = cnp_of, .keep = 8, .quiet = true },
	{ "CE", .number = ce_of, .keep = 8, .quiet = true },
	{ "BAD-ICRC", .number = icrc_of, .keep = 8, .quiet = true },
	{ "RTT50", .show = show_p50, .keep = 2, .quiet = true },
	{ "RTT99", .show = show_p99, .keep = 3, .quiet = true },
	{ "MTU", .show = show_mtu, .keep = 1, .quiet = true },
	{ "ACKS", .number = acks_of, .keep = 1, .verbose = 1 },
	{ "SPORT", .show = show_sport, .keep = 1, .verbose = 1 },
	{ "DSCP", .show = show_dscp, .keep = 1, .verbose = 1 },
	{ "VLAN", .show = show_vlan, .keep = 1, .quiet = true, .verbose = 1 },
};

#define COLUMNS	RCT_ARRAY_SIZE(columns)

/* ---- which flows, in which order */

static u64 key_of(const struct rct_flow *f, enum rct_sort sort)
{
	switch (sort) {
	case RCT_SORT_BYTES: return f->bytes;
	case RCT_SORT_PACKETS: return f->packets;
	case RCT_SORT_REPEATED: return repeated_of(f) + f->late;
	case RCT_SORT_NAKS: return naks_of(f) + f->rnr_naks;
	case RCT_SORT_CNP: return f->cnp;
	case RCT_SORT_CE: return f->ecn[RCT_CE];
	case RCT_SORT_WORST: break;
	}
	return repeated_of(f) + f->late + missing_of(f) + naks_of(f) + f->rnr_naks + f->icrc_bad;
}

static int compare(const void *x, const void *y, void *arg)
{
	const struct rct_flow *a = *(const struct rct_flow *const *)x;
	const struct rct_flow *b = *(const struct rct_flow *const *)y;
	enum rct_sort sort = *(const enum rct_sort *)arg;
	u64 ka = key_of(a, sort), kb = key_of(b, sort);

	if (ka != kb)
		return ka > kb ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return memcmp(&a->key, &b->key, sizeof(a->key));
}

/* ---- fitting */

struct grid {
	const struct rct_snapshot *s;
	const struct rct_flow **flows;
	u32 n;
	bool on[COLUMNS];
	bool silent[COLUMNS];		/* a quiet column without news */
	bool unknown[COLUMNS];		/* nothing known of it in any flow */
	size_t width[COLUMNS];
};

enum news { NOTHING, ZERO, UNKNOWN, NEWS };

/* Text of one cell, and what it is worth. */
static enum news fill_cell(const struct grid *g, u32 row, u32 col, char *buf)
{
	const struct column *k = &columns[col];
	struct cell c = { .s = g->s, .f = g->flows[row], .buf = buf };
	u64 n;

	buf[0] = 0;
	if (k->show) {
		k->show(&c);
		if (*buf)
			return NEWS;
		strcpy(buf, "-");
		return NOTHING;
	}
	n = k->number(c.f);
	if (n == RCT_UNKNOWN) {
		strcpy(buf, "n/a");
		return UNKNOWN;
	}
	rct_count_text(n, buf);
	return n ? NEWS : ZERO;
}

static void measure(struct grid *g, u32 col)
{
	/* a column that is shown in any case needs to be looked at only where it is shown */
	u32 rows = columns[col].quiet ? g->s->n_flows : g->n;
	char buf[CELL];

	g->silent[col] = columns[col].quiet;
	g->unknown[col] = true;
	g->width[col] = strlen(columns[col].name);
	/* of all flows, not only of those listed: "0 in each" shall be true */
	for (u32 row = 0; row < rows; row++) {
		enum news news = fill_cell(g, row, col, buf);

		g->silent[col] &= news != NEWS;
		g->unknown[col] &= news == UNKNOWN || news == NOTHING;
		if (row < g->n && strlen(buf) > g->width[col])
			g->width[col] = strlen(buf);
	}
}

static void choose(struct grid *g, const struct rct_view *view)
{
	for (u32 col = 0; col < COLUMNS; col++) {
		const struct column *k = &columns[col];

		measure(g, col);
		g->on[col] = !(k->live && !g->s->live) && k->verbose <= view->verbose &&
			     (!g->silent[col] || (view->verbose > 0 && !g->unknown[col]));
	}
}

static size_t total_width(const struct grid *g)
{
	size_t w = 0;

	for (u32 col = 0; col < COLUMNS; col++)
		w += g->on[col] ? g->width[col] + 1 : 0;
	return w ? w - 1 : 0;
}

/* Takes out the least important columns, the right one of equals, until it fits. */
static void fit(struct grid *g, int width)
{
	while (width && total_width(g) > (size_t)width) {
		int victim = -1;

		for (u32 col = 0; col < COLUMNS; col++) {
			if (g->on[col] && columns[col].keep < 9 &&
			    (victim < 0 || columns[col].keep <= columns[victim].keep))
				victim = col;
		}
		if (victim < 0)
			return;
		g->on[victim] = false;
	}
}

static int add_columns(struct libscols_table *t, const struct grid *g)
{
	for (u32 col = 0; col < COLUMNS; col++) {
		int flags = columns[col].left ? SCOLS_FL_TRUNC : SCOLS_FL_RIGHT;

		if (g->on[col] && !scols_table_new_column(t, columns[col].name, 0, flags))
			return -ENOMEM;
	}
	return 0;
}

static int add_lines(struct libscols_table *t, const struct grid *g)
{
	for (u32 row = 0; row < g->n; row++) {
		struct libscols_line *line = scols_table_new_line(t, NULL);
		char buf[CELL];
		size_t at = 0;

		if (!line)
			return -ENOMEM;
		for (u32 col = 0; col < COLUMNS; col++) {
			if (!g->on[col])
				continue;
			fill_cell(g, row, col, buf);
			if (scols_line_set_data(line, at++, buf))
				return -ENOMEM;
		}
	}
	return 0;
}

static int print_grid(FILE *out, const struct grid *g, int width)
{
	struct libscols_table *t = scols_new_table();
	int err = -ENOMEM;

	if (!t)
		return err;
	scols_table_set_stream(t, out);
	scols_table_set_termforce(t, SCOLS_TERMFORCE_ALWAYS);
	scols_table_set_termwidth(t, width ? width : 4096);
	if (!add_columns(t, g) && !add_lines(t, g))
		err = scols_print_table(t) < 0 ? -ENOMEM : 0;
	scols_unref_table(t);
	return err;
}

/* A column that is not there is not a 0: say which are, and which did not fit. */
static void note(FILE *out, const struct grid *g, const struct rct_view *view, const char *what,
		 bool (*which)(const struct grid *g, u32 col))
{
	bool any = false;

	for (u32 col = 0; col < COLUMNS; col++) {
		const struct column *k = &columns[col];

		if (g->on[col] || (k->live && !g->s->live) || k->verbose > view->verbose || !which(g, col))
			continue;
		fprintf(out, "%s %s", any ? "" : what, k->name);
		any = true;
	}
	if (any)
		fputc('\n', out);
}

static bool is_zero(const struct grid *g, u32 col)
{
	return g->silent[col] && columns[col].number && !g->unknown[col];
}

static bool is_unknown(const struct grid *g, u32 col)
{
	return g->silent[col] && columns[col].number && g->unknown[col];
}

static bool is_cut(const struct grid *g, u32 col)
{
	return !g->silent[col];
}

static void notes(FILE *out, const struct grid *g, const struct rct_view *view)
{
	if (g->n < g->s->n_flows)
		fprintf(out, "%u of %zu flows; --top 0 lists all\n", g->n, g->s->n_flows);
	note(out, g, view, "0 in each:", is_zero);
	note(out, g, view, "n/a:", is_unknown);
	note(out, g, view, "too narrow for:", is_cut);
}

int rct_table(FILE *out, const struct rct_snapshot *s, const struct rct_view *view)
{
	struct grid g = { .s = s };
	enum rct_sort sort = view->sort;
	int width = view->verbose > 0 ? 0 : view->width;	/* -v: all columns, whatever the terminal */
	int err;

	if (!s->n_flows)
		return 0;
	g.flows = malloc(s->n_flows * sizeof(*g.flows));
	g.n = view->top && view->top < s->n_flows ? view->top : s->n_flows;
	if (!g.flows)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_flows; i++)
		g.flows[i] = &s->flows[i];
	qsort_r(g.flows, s->n_flows, sizeof(*g.flows), compare, &sort);
	choose(&g, view);
	fit(&g, width);
	err = print_grid(out, &g, width);
	if (!err)
		notes(out, &g, view);
	free(g.flows);
	return err;
}
