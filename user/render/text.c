// SPDX-License-Identifier: BSD-2-Clause
/* The report as people read it: what is wrong first, the flow table last. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <time.h>

#include "base/units.h"
#include "base/util.h"
#include "model/facts.h"
#include "model/names.h"
#include "render/escape.h"
#include "render/host.h"
#include "render/irq.h"
#include "render/render.h"
#include "render/table.h"

#define UNLIMITED	4096
#define LABEL		9	/* columns of "NEXT", "SEEN", ... */
#define FULL_BLOCKS	2	/* findings told with their evidence on the first screen */
#define FIRST_NEXT	3

struct page {
	FILE *out;
	const struct rct_snapshot *s;
	const struct rct_findings *f;
	const struct rct_view *view;
	int width;
};

/* ---- lines */

static const char *color_of(enum rct_severity s)
{
	static const char *const colors[] = {
		[RCT_CRITICAL] = "\033[1;31m", [RCT_WARNING] = "\033[1;33m", [RCT_NOTICE] = "\033[36m",
		[RCT_OK_FINDING] = "\033[32m", [RCT_UNKNOWN_FINDING] = "\033[35m",
	};

	return colors[s];
}

static void put_colored(const struct page *p, const char *color, int width, const char *text)
{
	if (p->view->color)
		fprintf(p->out, "%s%-*s\033[0m", color, width, text);
	else
		fprintf(p->out, "%-*s", width, text);
}

/* Columns that UTF-8 text takes, taken one a character. */
static int columns(const char *text, size_t bytes)
{
	int n = 0;

	for (size_t i = 0; i < bytes; i++)
		n += (text[i] & 0xc0) != 0x80;
	return n;
}

/* Text from column at on, wrapped between words to the indent. Escapes it. */
static void put_wrapped(const struct page *p, int at, int indent, const char *raw)
{
	char text[1024], *s = rct_escape(raw, 0, text, sizeof(text));
	bool first = true;

	while (*s) {
		size_t n = strcspn(s, " ");
		int w = columns(s, n);

		if (!first && at + 1 + w > p->width) {
			fprintf(p->out, "\n%*s", indent, "");
			at = indent;
		} else if (!first) {
			fputc(' ', p->out);
			at++;
		}
		fprintf(p->out, "%.*s", (int)n, s);
		at += w;
		first = false;
		s += n;
		/* runs of spaces inside a line are kept: they part columns */
		while (*s == ' ' && s[1] == ' ') {
			fputc(' ', p->out);
			at++;
			s++;
		}
		s += *s == ' ';
	}
	fputc('\n', p->out);
}

static void put_labelled(const struct page *p, const char *color, const char *label, const char *text)
{
	put_colored(p, color, LABEL, label);
	put_wrapped(p, LABEL, LABEL, text);
}

/* ---- header */

static void time_text(const struct rct_snapshot *s, char *buf, size_t size)
{
	time_t t = s->end_ns / 1000000000;
	struct tm tm;

	buf[0] = 0;
	if (s->end_ns && gmtime_r(&t, &tm))
		strftime(buf, size, s->live ? "to %H:%M:%SZ" : "to %Y-%m-%d %H:%M:%SZ", &tm);
}

/* The host of a trace, the files of a capture. */
static void subject(const struct rct_snapshot *s, char *buf, size_t size)
{
	size_t used = 0;

	if (s->live || s->facts || !s->n_coverage) {
		snprintf(buf, size, "%s", *s->host ? s->host : "host n/a");
		return;
	}
	buf[0] = 0;
	for (size_t i = 0; i < s->n_coverage && used < size; i++) {
		const char *name = s->coverage[i].object, *slash = strrchr(name, '/');

		used += snprintf(buf + used, size - used, "%s%s", i ? " " : "", slash && slash[1] ? slash + 1 : name);
	}
}

static bool looked_at_packets(const struct rct_snapshot *s)
{
	for (size_t i = 0; i < s->n_coverage; i++) {
		if (!strcmp(s->coverage[i].source, "packets") && s->coverage[i].state != RCT_COV_NONE)
			return true;
	}
	return false;
}

/* "12 flows, 1,740 RoCE packets, 41.2 Gb/s"; "" where no packet was looked at. */
static void flows_text(const struct rct_snapshot *s, double seconds, char *buf, size_t size)
{
	const struct rct_totals *t = &s->totals;
	char flows[80], a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT];

	buf[0] = 0;
	if (!looked_at_packets(s) && (s->facts || !s->n_coverage))
		return;
	if (s->n_flows < t->flows)
		snprintf(flows, sizeof(flows), "%zu of %" PRIu64 " flows", s->n_flows, t->flows);
	else
		snprintf(flows, sizeof(flows), "%s flow%s", rct_count_text(t->flows, a), t->flows == 1 ? "" : "s");
	snprintf(buf, size, "%s, %s RoCE packets, %s", flows, rct_count_text(t->roce + t->roce1, a),
		 rct_rate_text(t->bytes, seconds, b));
}

static void put_header(const struct page *p)
{
	double seconds = rct_interval_seconds(p->s);
	char who[300], when[40], span[40] = "", host[120] = "", flows[160], line[900];

	subject(p->s, who, sizeof(who));
	time_text(p->s, when, sizeof(when));
	flows_text(p->s, seconds, flows, sizeof(flows));
	if (p->s->facts && (p->s->facts->n_nics || !*flows))
		rct_host_counts(p->s, host, sizeof(host));
	if (seconds >= 0 || (!p->s->facts && p->s->n_coverage))
		snprintf(span, sizeof(span), "  %.*f s", seconds < 1 ? 3 : 1, seconds < 0 ? 0 : seconds);
	snprintf(line, sizeof(line), "rocetrace %s  %s%s%s%s%s%s%s%s", p->s->command, who, span,
		 *when ? *span ? " " : "  " : "", when, *host ? "  " : "", host, *host && *flows ? "; " : *flows ? "  " : "", flows);
	put_wrapped(p, 0, LABEL, line);
}

/* ---- findings */

/* What -q tells: to be blind (an unknown that has evidence) is no good news. */
static bool is_wrong(const struct rct_finding *f)
{
	return f->severity == RCT_CRITICAL || f->severity == RCT_WARNING ||
	       (f->severity == RCT_UNKNOWN_FINDING && f->n_evidence);
}

static const char *upper(const char *name, char buf[16])
{
	size_t i;

	for (i = 0; name[i] && i < 15; i++)
		buf[i] = name[i] & ~0x20;
	buf[i] = 0;
	return buf;
}

/* "WARNING loss.sent  OBJECT          confidence high" */
static void put_headline(const struct page *p, const struct rct_finding *f)
{
	char object[400], name[16], tail[32];
	int used, room;

	upper(rct_severity_name(f->severity), name);
	rct_escape(f->object, 0, object, sizeof(object));
	snprintf(tail, sizeof(tail), "confidence %s", rct_confidence_name(f->confidence));
	put_colored(p, color_of(f->severity), LABEL, name);
	used = LABEL + fprintf(p->out, "%s%s%s", f->id, *object ? "  " : "", object);
	room = p->width - used - (int)strlen(tail);
	if (p->width < UNLIMITED && room >= 2)
		fprintf(p->out, "%*s%s\n", room, "", tail);
	else
		fprintf(p->out, "  %s\n", tail);
}

static int metric_width(const struct rct_finding *f)
{
	int w = 0;

	for (u32 i = 0; i < f->n_evidence; i++)
		w = (int)strlen(f->evidence[i].metric) > w ? (int)strlen(f->evidence[i].metric) : w;
	return w;
}

static void put_evidence(const struct page *p, const struct rct_finding *f)
{
	int w = metric_width(f);
	char text[400];

	for (u32 i = 0; i < f->n_evidence; i++) {
		const struct rct_evidence *e = &f->evidence[i];

		bool from = p->view->verbose > 0 && p->s->live && *e->from;

		snprintf(text, sizeof(text), "%-*s  %s%s%s%s%s%s%s", w, e->metric, e->value,
			 *e->threshold ? "   (" : "", e->threshold, *e->threshold ? ")" : "",
			 from ? "   [" : "", from ? e->from : "", from ? "]" : "");
		fputs("    ", p->out);
		put_wrapped(p, 4, 6 + w, text);
	}
}

static void put_trailer(const struct page *p, const char *label, const char *text)
{
	if (!*text)
		return;
	fprintf(p->out, "  %-10s", label);
	put_wrapped(p, 12, 12, text);
}

static void put_block(const struct page *p, const struct rct_finding *f)
{
	put_headline(p, f);
	fputs("  ", p->out);
	put_wrapped(p, 2, 2, f->title);
	put_evidence(p, f);
	for (u32 i = 0; i < f->n_explains; i++)
		put_trailer(p, i ? "" : "explains", f->explains[i]);
	put_trailer(p, "impact", f->impact);
	put_trailer(p, "unless", f->refuted_by);
}

static void put_line(const struct page *p, const struct rct_finding *f)
{
	char text[500], name[16];

	snprintf(text, sizeof(text), "%s%s%s  %s", f->id, *f->object ? "  " : "", f->object, f->title);
	put_labelled(p, color_of(f->severity), upper(rct_severity_name(f->severity), name), text);
}

/* An unknown with evidence, such as blind.packets, is a verdict of its own. */
static bool is_verdict(const struct rct_finding *f)
{
	return f->severity != RCT_OK_FINDING && (f->severity != RCT_UNKNOWN_FINDING || f->n_evidence);
}

static bool all_well(const struct page *p)
{
	for (size_t i = 0; i < p->f->n; i++) {
		if (is_verdict(&p->f->v[i]) && p->f->v[i].severity != RCT_NOTICE)
			return false;
	}
	return true;
}

static void put_verdicts(const struct page *p)
{
	u32 blocks = 0;

	if (p->view->verbose >= 0 && all_well(p))
		put_labelled(p, color_of(RCT_OK_FINDING), "OK", "nothing wrong in what could be seen");
	for (size_t i = 0; i < p->f->n; i++) {
		const struct rct_finding *f = &p->f->v[i];

		if (!is_verdict(f) || (p->view->verbose < 0 && !is_wrong(f)))
			continue;
		if (p->view->verbose || (f->severity != RCT_NOTICE && blocks++ < FULL_BLOCKS))
			put_block(p, f);
		else
			put_line(p, f);
	}
}

/* What to type, of the worst findings first, each thing once. */
static void put_next(const struct page *p)
{
	u32 n = 0, most = p->view->verbose > 0 ? 16 : FIRST_NEXT;
	const char *told[16];

	for (size_t i = 0; i < p->f->n; i++) {
		const struct rct_finding *f = &p->f->v[i];

		/* notices only where nothing is worse */
		if (!is_verdict(f) || (f->severity == RCT_NOTICE && n && p->view->verbose < 1) ||
		    (p->view->verbose < 0 && !is_wrong(f)))
			continue;
		for (u32 k = 0; k < f->n_next && n < most; k++) {
			bool again = false;
			char text[256];

			for (u32 j = 0; j < n; j++)
				again |= !strcmp(told[j], f->next[k]);
			if (again)
				continue;
			told[n++] = f->next[k];
			snprintf(text, sizeof(text), "%u %s", n, f->next[k]);
			put_colored(p, "\033[1m", 5, n == 1 ? "NEXT" : "");
			put_wrapped(p, 5, 7, text);
		}
	}
}

/* Titles of all findings of a severity that are no verdicts, on one line. */
static void put_joined(const struct page *p, enum rct_severity severity, const char *label,
		       const char *start, const char *between)
{
	char text[1000] = "";
	size_t used = 0;

	for (size_t i = 0; i < p->f->n && used < sizeof(text); i++) {
		const struct rct_finding *f = &p->f->v[i];

		if (f->severity == severity && !is_verdict(f))
			used += snprintf(text + used, sizeof(text) - used, "%s%s", used ? between : start, f->title);
	}
	if (used)
		put_labelled(p, color_of(severity), label, text);
}

/* ---- SEEN, UNSEEN, COST */

/* Packets by interface or file; what facts speak of is counted instead. */
static size_t seen_packets(const struct rct_snapshot *s, char *buf, size_t size, size_t used)
{
	for (size_t i = 0; i < s->n_coverage && used < size; i++) {
		const struct rct_coverage *c = &s->coverage[i];

		if (c->state == RCT_COV_NONE || (s->facts && strcmp(c->source, "packets")))
			continue;
		used += snprintf(buf + used, size - used, "%s%s of %s%s%s%s", used ? ", " : "", c->source,
				 c->object, *c->method ? " (" : "", c->method, *c->method ? ")" : "");
	}
	return used;
}

static void put_seen(const struct page *p)
{
	const struct rct_totals *t = &p->s->totals;
	char text[900] = "", a[RCT_UNIT_TEXT];
	size_t used;

	if (p->s->facts)
		rct_host_seen(p->s, text, sizeof(text));
	used = seen_packets(p->s, text, sizeof(text), strlen(text));
	if (used < sizeof(text) && (looked_at_packets(p->s) || (!p->s->facts && p->s->n_coverage)))
		used += snprintf(text + used, sizeof(text) - used, "%s%s frame%s looked at", used ? "; " : "",
				 rct_count_text(t->packets, a), t->packets == 1 ? "" : "s");
	if (t->truncated && used < sizeof(text))
		snprintf(text + used, sizeof(text) - used, ", %s cut by the capture and used as far as they go",
			 rct_count_text(t->truncated, a));
	if (*text)
		put_labelled(p, "\033[1m", "SEEN", text);
}

/* Frames that look like RoCE, or could be, and are in no flow. */
static void put_refused(const struct page *p, const char *label)
{
	char text[600] = "", a[RCT_UNIT_TEXT];
	size_t used = 0;

	for (u32 i = RCT_OK + 1; i < RCT_VERDICT_COUNT && used < sizeof(text); i++) {
		u64 n = p->s->totals.refused[i];

		if (!n || i == RCT_OTHER || i == RCT_PAUSE)
			continue;
		used += snprintf(text + used, sizeof(text) - used, "%s%s %s (%s)", used ? "; " : "",
				 rct_count_text(n, a), rct_verdict_name(i), rct_verdict_text(i));
	}
	if (used)
		put_labelled(p, "\033[1m", label, text);
}

/* "counters of mlx5_0", but "kernel log", "QPs", "IRQs" */
static bool of_object(const struct rct_coverage *c)
{
	return !strcmp(c->source, "packets") || !strcmp(c->source, "counters") || !strcmp(c->source, "config");
}

#define UNSEEN_LINES	5

static void put_unseen(const struct page *p)
{
	size_t n = 0, most = p->view->verbose > 0 ? SIZE_MAX : UNSEEN_LINES, left = 0;
	char text[700], objects[300];

	for (size_t i = 0; i < p->s->n_coverage; i++) {
		const struct rct_coverage *c = &p->s->coverage[i];

		if (c->state == RCT_COV_OK || !rct_cov_objects(p->s, i, objects, sizeof(objects)))
			continue;
		if (n >= most) {
			left++;
			continue;
		}
		snprintf(text, sizeof(text), "%s%s%s%s: %s", c->state == RCT_COV_PARTIAL ? "part of the " : "",
			 of_object(c) ? c->source : "", of_object(c) ? " of " : "", objects, c->why);
		put_labelled(p, "\033[1m", n++ ? "" : "UNSEEN", text);
	}
	if (left) {
		snprintf(text, sizeof(text), "and %zu more: -v", left);
		put_labelled(p, "", "", text);
	}
	put_refused(p, n ? "" : "UNSEEN");
}

static char *percent_text(double percent, char buf[RCT_UNIT_TEXT])
{
	snprintf(buf, RCT_UNIT_TEXT, percent < 10 ? "%.2g %%" : "%.0f %%", percent);
	return buf;
}

static void put_cost(const struct page *p)
{
	const struct rct_self *x = &p->s->self;
	const struct rct_totals *t = &p->s->totals;
	double seconds = (p->s->end_ns - p->s->start_ns) / 1e9;
	double packets = x->ns_per_packet * t->packets / 1e9;
	char text[300], rss[RCT_UNIT_TEXT], a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT], percent[RCT_UNIT_TEXT];

	rct_bytes_text(x->rss_bytes, rss);
	if (!looked_at_packets(p->s) && (p->s->facts || !p->s->n_coverage))
		snprintf(text, sizeof(text), "%.2f s of CPU, %s of memory; 0 packet programs attached; nothing written",
			 x->cpu_seconds, rss);
	else if (!p->s->live)
		snprintf(text, sizeof(text), "%.2f s of CPU (%s packets/s), %s of memory", x->cpu_seconds,
			 x->cpu_seconds > 0 ? rct_count_text(t->packets / x->cpu_seconds, a) : "n/a", rss);
	else if (x->ns_per_packet > 0 && seconds > 0)
		snprintf(text, sizeof(text), "%s of a core, %.0f ns a packet; %" PRIu64 " programs; %s; %s events lost, %s packets in no flow",
			 percent_text((packets + x->cpu_seconds - x->start_cpu_seconds) / seconds * 100, percent), x->ns_per_packet,
			 x->programs, rss, rct_count_text(t->events_lost, a),
			 rct_count_text(t->overflow_packets, b));
	else
		snprintf(text, sizeof(text), "%.2f s of CPU and n/a a packet; %" PRIu64 " programs; %s",
			 x->cpu_seconds, x->programs, rss);
	put_labelled(p, "\033[1m", "COST", text);
}

int rct_render_text(FILE *out, const struct rct_snapshot *s, const struct rct_findings *f,
		    const struct rct_view *view)
{
	struct page p = { out, s, f, view, view->width ? view->width : UNLIMITED };
	int err = 0;

	if (view->verbose >= 0)
		put_header(&p);
	put_verdicts(&p);
	put_next(&p);
	if (view->verbose >= 0) {
		put_joined(&p, RCT_OK_FINDING, "ok", "not the cause: ", ", ");
		put_joined(&p, RCT_UNKNOWN_FINDING, "unknown", "", "; ");
		put_seen(&p);
		put_unseen(&p);
		put_cost(&p);
		if (s->n_flows)
			fputc('\n', out);
		err = rct_table(out, s, view);
		if (!err && s->vectors && s->facts)
			err = rct_irq_table(out, s, view);
	}
	if (fflush(out) || ferror(out))
		return -EIO;
	return err;
}
