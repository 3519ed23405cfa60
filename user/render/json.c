// SPDX-License-Identifier: BSD-2-Clause
/*
 * docs/json.md describes this output, schema/rocetrace-1.schema.json checks it.
 * Lists are written element by element: 65,536 flows are never all in memory.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "model/irqs.h"
#include "model/names.h"
#include "render/host.h"
#include "render/json_value.h"
#include "render/render.h"

struct writer {
	FILE *out;
	bool compact;
	bool comma;	/* something stands before, on this level */
	bool failed;
};

/* ---- values */

static json_t *count(u64 n)
{
	return n == RCT_UNKNOWN ? json_null() : json_integer(n);
}

static json_t *time_text(u64 ns)
{
	time_t s = ns / 1000000000;
	struct tm tm;
	char day[32], buf[64];

	if (!ns || !gmtime_r(&s, &tm))
		return json_null();
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf, sizeof(buf), "%s.%09uZ", day, (unsigned)(ns % 1000000000));
	return json_string(buf);
}

static json_t *us(u64 ns)
{
	return ns == RCT_UNKNOWN ? json_null() : json_real(ns / 1e3);
}

/* ---- one member or element at a time */

static void dump(struct writer *w, json_t *v)
{
	/* NULL: no memory for it */
	if (!v || json_dumpf(v, w->out, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(12)))
		w->failed = true;
	json_decref(v);
}

static void begin(struct writer *w)
{
	if (w->comma)
		fputc(',', w->out);
	if (!w->compact)
		fputc('\n', w->out);
	w->comma = true;
}

static void member(struct writer *w, const char *name, json_t *v)
{
	begin(w);
	fprintf(w->out, "\"%s\":%s", name, w->compact ? "" : " ");
	dump(w, v);
}

static void list_begin(struct writer *w, const char *name)
{
	begin(w);
	fprintf(w->out, "\"%s\":%s[", name, w->compact ? "" : " ");
	w->comma = false;
}

static void element(struct writer *w, json_t *v)
{
	begin(w);
	dump(w, v);
}

static void list_end(struct writer *w)
{
	fputc(']', w->out);
	w->comma = true;
}

/* ---- flows */

/* Numbers of a flow by name; the rows' order is the output's. */
struct field {
	const char *name;
	size_t at;
};

#define F(name)		{ #name, offsetof(struct rct_flow, name) }

static const struct field psn_fields[] = {
	F(gaps), F(missing), F(late), F(repeated), F(given_up), F(unseen), F(resync), F(reanchored),
	F(cross_cpu), F(steps_back),
};

static const struct field rsp_fields[] = {
	{ "gaps", offsetof(struct rct_flow, rsp_gaps) },
	{ "missing", offsetof(struct rct_flow, rsp_missing) },
	{ "repeated", offsetof(struct rct_flow, rsp_repeated) },
};

static const struct field change_fields[] = {
	{ "vlan", offsetof(struct rct_flow, vlan_changes) },
	{ "pkey", offsetof(struct rct_flow, pkey_changes) },
	{ "dscp", offsetof(struct rct_flow, dscp_changes) },
	{ "ttl", offsetof(struct rct_flow, ttl_changes) },
};

#define FIELDS(table, f) fields(table, sizeof(table) / sizeof(*(table)), f)

static json_t *fields(const struct field *rows, size_t n, const struct rct_flow *f)
{
	json_t *o = json_object();

	for (size_t i = 0; i < n; i++)
		json_object_set_new(o, rows[i].name, count(*(const u64 *)((const char *)f + rows[i].at)));
	return o;
}

static json_t *opcodes(const struct rct_flow *f)
{
	json_t *o = json_object();

	for (u32 i = 0; i < RCT_OPS; i++) {
		const char *name = rct_op_name(f->transport, i);

		/* several numbers may have no name */
		if (f->ops[i])
			json_object_set_new(o, name, json_integer(f->ops[i] +
					    json_integer_value(json_object_get(o, name))));
	}
	return o;
}

static json_t *message_bytes(const struct rct_flow *f)
{
	json_t *o = json_object();
	char name[16];

	for (u32 i = 0; i < RCT_SIZES; i++) {
		snprintf(name, sizeof(name), "le_%u", i);
		if (f->sizes[i])
			json_object_set_new(o, name, json_integer(f->sizes[i]));
	}
	return o;
}

static json_t *naks(const struct rct_flow *f)
{
	json_t *o = json_object();

	for (u32 i = 0; i < 5; i++)
		json_object_set_new(o, rct_nak_name(i), json_integer(f->naks[i]));
	return o;
}

static json_t *ecn(const struct rct_flow *f)
{
	static const u8 order[] = { RCT_NOT_ECT, RCT_ECT0, RCT_ECT1, RCT_CE };
	json_t *o = json_object();

	for (u32 i = 0; i < 4; i++)
		json_object_set_new(o, rct_ecn_name(order[i]), json_integer(f->ecn[order[i]]));
	return o;
}

static json_t *retry(const struct rct_flow *f)
{
	u64 longest = 0;
	json_t *o;

	if (f->retries[0] == RCT_UNKNOWN)
		return json_null();
	o = json_object();
	for (u32 i = 0; i < RCT_RETRY_CAUSES; i++) {
		json_object_set_new(o, rct_retry_name(i), count(f->retries[i]));
		if (f->stall_ns[i] != RCT_UNKNOWN && f->stall_ns[i] > longest)
			longest = f->stall_ns[i];
	}
	json_object_set_new(o, "longest_stall_us", us(longest));
	json_object_set_new(o, "timeout_inferred", json_boolean(f->timeout_inferred));
	return o;
}

static json_t *rtt(const struct rct_quantiles *q)
{
	if (!q->count || q->count == RCT_UNKNOWN)
		return json_null();
	return json_pack("{sI so so so so}", "count", (json_int_t)q->count, "p50", us(q->p50),
			 "p99", us(q->p99), "p999", us(q->p999), "max", us(q->max));
}

static json_t *peer(const struct rct_flow *f)
{
	const char *by = rct_peer_name(f->peer_by);

	return by ? json_pack("{sI ss}", "dest_qp", (json_int_t)f->peer_qp, "by", by) : json_null();
}

static const char *direction(const struct rct_flow *f)
{
	return f->key.dir == RCT_RX ? "rx" : f->key.dir == RCT_TX ? "tx" : NULL;
}

static const char *family(const struct rct_flow *f)
{
	return f->key.family == RCT_IPV4 ? "ipv4" : f->key.family == RCT_IPV6 ? "ipv6" : "roce1";
}

static void set_identity(json_t *o, const struct rct_snapshot *s, const struct rct_flow *f)
{
	const struct rct_iface *iface = direction(f) ? rct_iface_of(s, f->key.slot) : NULL;
	u16 vlan = RCT_ATTR_VLAN(f->attr);
	char addr[RCT_ADDR_TEXT];

	json_object_set_new(o, "ifname", rct_json_text_or_null(iface ? iface->name : NULL));
	json_object_set_new(o, "direction", rct_json_text_or_null(direction(f)));
	json_object_set_new(o, "family", rct_json_text(family(f)));
	json_object_set_new(o, "src", rct_json_text(rct_addr_text(f->key.src, f->key.family, addr)));
	json_object_set_new(o, "dst", rct_json_text(rct_addr_text(f->key.dst, f->key.family, addr)));
	json_object_set_new(o, "dest_qp", json_integer(f->key.dest_qp));
	json_object_set_new(o, "tunnel", rct_json_text_or_null(rct_tunnel_name(f->key.tunnel)));
	json_object_set_new(o, "vni", json_integer(f->key.tunnel_id));
	json_object_set_new(o, "vlan", vlan == RCT_NOVLAN ? json_null() : json_integer(vlan & 0xfff));
	json_object_set_new(o, "sport", json_integer(RCT_ATTR_SPORT(f->attr)));
	json_object_set_new(o, "sport_changes", json_integer(f->sport_changes));
	json_object_set_new(o, "dscp", json_integer(RCT_ATTR_DSCP(f->attr)));
	json_object_set_new(o, "ttl", json_integer(RCT_ATTR_TTL(f->attr)));
	json_object_set_new(o, "pkey", json_integer(RCT_ATTR_PKEY(f->attr)));
	json_object_set_new(o, "changes", FIELDS(change_fields, f));
	json_object_set_new(o, "transport", rct_json_text(rct_transport_name(f->transport)));
	json_object_set_new(o, "path_mtu", rct_json_nonzero(f->path_mtu));
}

static void set_counts(json_t *o, const struct rct_flow *f)
{
	json_object_set_new(o, "packets", json_integer(f->packets));
	json_object_set_new(o, "bytes", json_integer(f->bytes));
	json_object_set_new(o, "payload_bytes", json_integer(f->payload));
	json_object_set_new(o, "messages", json_integer(f->messages));
	json_object_set_new(o, "opcodes", opcodes(f));
	json_object_set_new(o, "ecn", ecn(f));
	json_object_set_new(o, "cnp", json_integer(f->cnp));
	json_object_set_new(o, "acks", json_integer(f->acks));
	json_object_set_new(o, "naks", naks(f));
	json_object_set_new(o, "rnr_naks", json_integer(f->rnr_naks));
	json_object_set_new(o, "rnr_timer_us", f->rnr_naks ? json_integer(rct_rnr_us(f->rnr_timer)) : json_null());
	json_object_set_new(o, "reserved_aeth", json_integer(f->reserved_aeth));
	json_object_set_new(o, "cut", json_integer(f->cut));
	json_object_set_new(o, "icrc_checked", json_integer(f->icrc_checked));
	json_object_set_new(o, "icrc_bad", f->icrc_checked ? json_integer(f->icrc_bad) : json_null());
}

static json_t *flow(const struct rct_snapshot *s, const struct rct_flow *f)
{
	json_t *o = json_object();

	set_identity(o, s, f);
	set_counts(o, f);
	json_object_set_new(o, "psn", FIELDS(psn_fields, f));
	json_object_set_new(o, "rsp", FIELDS(rsp_fields, f));
	json_object_set_new(o, "retry", retry(f));
	json_object_set_new(o, "rtt_us", rtt(&f->rtt));
	json_object_set_new(o, "message_bytes", message_bytes(f));
	json_object_set_new(o, "burst", json_pack("{sI so}", "bytes", (json_int_t)f->burst,
						  "tick_us", rct_json_nonzero(s->tick_us)));
	json_object_set_new(o, "first_time", time_text(f->first_ns));
	json_object_set_new(o, "last_time", time_text(f->last_ns));
	json_object_set_new(o, "peer", peer(f));
	json_object_set_new(o, "process", json_null());
	return o;
}

/* ---- the rest */

static json_t *host(const struct rct_snapshot *s)
{
	return json_pack("{so so so so so so}", "name", rct_json_text_or_null(s->host),
			 "kernel", rct_json_text_or_null(s->kernel),
			 "arch", rct_json_text_or_null(s->arch), "boot_id", rct_json_text_or_null(s->boot_id),
			 "cpus", rct_json_nonzero(s->cpus), "nodes", rct_json_nonzero(s->nodes));
}

static json_t *interval(const struct rct_snapshot *s)
{
	double seconds = rct_interval_seconds(s);

	return json_pack("{so so so}", "start_time", time_text(s->start_ns), "end_time", time_text(s->end_ns),
			 "seconds", seconds >= 0 ? json_real(seconds) : json_null());
}

static json_t *coverage(const struct rct_coverage *c)
{
	return json_pack("{so so so so so}", "source", rct_json_text(c->source), "object", rct_json_text(c->object),
			 "state", rct_json_text(rct_cov_name(c->state)), "method", rct_json_text_or_null(c->method),
			 "why", rct_json_text_or_null(c->why));
}

static json_t *totals(const struct rct_totals *t)
{
	json_t *refused = json_object();

	for (u32 i = RCT_FRAGMENT; i < RCT_VERDICT_COUNT; i++)
		json_object_set_new(refused, rct_verdict_name(i), json_integer(t->refused[i]));
	return json_pack("{so so so so so so so so so so so so so}", "packets", count(t->packets),
			 "roce", count(t->roce), "roce1", count(t->roce1), "bytes", count(t->bytes),
			 "flows", count(t->flows), "other", count(t->refused[RCT_OTHER]),
			 "pause", count(t->refused[RCT_PAUSE]), "refused", refused,
			 "truncated", count(t->truncated),
			 "overflow_packets", count(t->overflow_packets),
			 "retired_packets", count(t->retired_packets),
			 "sampled_out", count(t->sampled_out), "events_lost", count(t->events_lost));
}

static json_t *self(const struct rct_snapshot *s)
{
	const struct rct_self *x = &s->self;
	json_t *programs = json_array();

	for (u32 i = 0; i < x->n_names; i++)
		json_array_append_new(programs, json_pack("{ss so so}", "name", x->program[i], "runs", count(x->runs[i]),
				      "ns_per_run", x->ns_per_packet > 0 ? json_real(x->ns_per_packet) : json_null()));
	return json_pack("{so so so so so}", "programs", programs,
			 "programs_attached", s->live ? json_integer(x->programs) : json_null(),
			 "cpu_seconds", json_real(x->cpu_seconds), "rss_bytes", rct_json_nonzero(x->rss_bytes),
			 "attach_ms", s->live ? json_real(x->attach_ms) : json_null());
}

/* An empty list would say that there are no NICs. */
static void nics(struct writer *w, const struct rct_snapshot *s)
{
	json_t *list = rct_json_nics(s);

	if (json_array_size(list)) {
		list_begin(w, "nics");
		for (size_t i = 0; i < json_array_size(list); i++)
			element(w, json_incref(json_array_get(list, i)));
		list_end(w);
	}
	w->failed |= !list;
	json_decref(list);
}

/* ---- interrupts */

static json_t *irq_cpus(const struct rct_vector *v)
{
	json_t *list = v->counted ? json_array() : json_null();

	for (u32 i = 0; i < v->n_cpus; i++)
		json_array_append_new(list, json_pack("{sI so sI}", "cpu", (json_int_t)v->cpus[i].cpu,
				      "node", rct_json_node(v->cpus[i].node), "count", (json_int_t)v->cpus[i].count));
	return list;
}

static json_t *irq(const struct rct_vector *v)
{
	bool shared = v->counted && v->node >= 0 && v->count;

	return json_pack("{sI so so so so so so so so so so so}", "irq", (json_int_t)v->irq->irq,
			 "name", rct_json_text(v->irq->name), "dev", rct_json_text_or_null(v->nic ? v->nic->dev : NULL),
			 "ifname", rct_json_text_or_null(v->netif ? v->netif->name : NULL),
			 "queue", v->queue >= 0 ? json_integer(v->queue) : json_null(), "data", json_boolean(v->data),
			 "node", rct_json_node(v->node), "affinity", rct_json_text_or_null(v->irq->affinity),
			 "effective", rct_json_text_or_null(v->irq->effective),
			 "total", v->counted ? json_integer(v->count) : json_null(), "cpus", irq_cpus(v),
			 "remote_share", shared ? json_real((double)v->remote / v->count) : json_null());
}

/* Those of NICs, and all where the user asked for all. Without /proc/interrupts there is no list. */
static void irqs(struct writer *w, const struct rct_snapshot *s)
{
	struct rct_irqs all;

	if (!s->facts || !s->facts->irqs_read)
		return;
	w->failed |= rct_irqs_make(s->before, s->facts, &all) != 0;
	list_begin(w, "irqs");
	for (u32 i = 0; i < all.n && !w->failed; i++) {
		if (all.v[i].group != UINT32_MAX || s->vectors == RCT_VECTORS_ALL)
			element(w, irq(&all.v[i]));
	}
	list_end(w);
	rct_irqs_free(&all);
}

static json_t *evidence(const struct rct_finding *f)
{
	json_t *list = json_array();

	for (u32 i = 0; i < f->n_evidence; i++) {
		const struct rct_evidence *e = &f->evidence[i];

		json_array_append_new(list, json_pack("{so so so so}", "metric", rct_json_text(e->metric),
				      "value", rct_json_text(e->value), "threshold", rct_json_text_or_null(e->threshold),
				      "from", rct_json_text_or_null(e->from)));
	}
	return list;
}

static json_t *texts(const char *first, size_t size, u32 n)
{
	json_t *list = json_array();

	for (u32 i = 0; i < n; i++)
		json_array_append_new(list, rct_json_text(first + i * size));
	return list;
}

static json_t *finding(const struct rct_finding *f)
{
	return json_pack("{so so so so so so so so so so so so}", "id", rct_json_text(f->id),
			 "severity", rct_json_text(rct_severity_name(f->severity)),
			 "confidence", rct_json_text(rct_confidence_name(f->confidence)),
			 "scope", rct_json_text(rct_scope_name(f->scope)), "object", rct_json_text_or_null(f->object),
			 "title", rct_json_text(f->title), "evidence", evidence(f),
			 "explains", texts(f->explains[0], sizeof(f->explains[0]), f->n_explains),
			 "impact", rct_json_text_or_null(f->impact), "refuted_by", rct_json_text_or_null(f->refuted_by),
			 "explain", rct_json_text(f->explain),
			 "next", texts(f->next[0], sizeof(f->next[0]), f->n_next));
}

static void write_lists(struct writer *w, const struct rct_snapshot *s, const struct rct_findings *f)
{
	list_begin(w, "coverage");
	for (size_t i = 0; i < s->n_coverage; i++)
		element(w, coverage(&s->coverage[i]));
	list_end(w);
	member(w, "totals", totals(&s->totals));
	list_begin(w, "flows");
	for (size_t i = 0; i < s->n_flows && !w->failed; i++)
		element(w, flow(s, &s->flows[i]));
	list_end(w);
	nics(w, s);
	irqs(w, s);
	list_begin(w, "findings");
	for (size_t i = 0; i < f->n; i++)
		element(w, finding(&f->v[i]));
	list_end(w);
}

int rct_render_json(FILE *out, const struct rct_snapshot *s, const struct rct_findings *f, bool compact)
{
	struct writer w = { .out = out, .compact = compact };

	fputc('{', out);
	member(&w, "schema", json_integer(1));
	member(&w, "tool", rct_json_text("rocetrace " RCT_VERSION));
	member(&w, "command", rct_json_text(s->command));
	member(&w, "host", host(s));
	member(&w, "interval", interval(s));
	write_lists(&w, s, f);
	member(&w, "self", self(s));
	fputs(compact ? "}\n" : "\n}\n", out);
	if (w.failed && !ferror(out))
		return -ENOMEM;
	return fflush(out) || ferror(out) ? -EIO : 0;
}
