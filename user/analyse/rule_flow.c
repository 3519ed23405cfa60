// SPDX-License-Identifier: BSD-2-Clause
/* What single packets say: refusals, congestion marks, attributes, path MTU. */
#include <inttypes.h>
#include <stdio.h>

#include "analyse/rule.h"
#include "base/units.h"
#include "model/names.h"

/* ---- retry.rnr_here, retry.rnr_peer: p's sender answers that it has no receive buffer posted */

static u64 weigh_rnr_here(const struct rct_case *c, const struct rct_path *p)
{
	(void)c;
	return p->seen == RCT_SENT_HERE ? p->rnr_naks : 0;
}

static u64 weigh_rnr_peer(const struct rct_case *c, const struct rct_path *p)
{
	(void)c;
	return p->seen == RCT_SENT_HERE ? 0 : p->rnr_naks;
}

/* The queue pair whose sender waits most. */
static u32 rnr_qp(const struct rct_path *p)
{
	const struct rct_flow *most = p->flows[0];

	for (u32 i = 1; i < p->n_flows; i++) {
		if (p->flows[i]->rnr_naks > most->rnr_naks)
			most = p->flows[i];
	}
	return most->key.dest_qp;
}

static void found_rnr(struct rct_case *c, const struct rct_hits *k)
{
	const struct rct_path *p = k->worst;
	u64 messages = p->back ? p->back->requests : 0;
	bool many = k->weight >= 10 && messages && k->weight * 100 > messages;
	struct rct_finding *f = rct_find(c, many ? RCT_CRITICAL : RCT_WARNING, RCT_CONF_HIGH,
					 RCT_SCOPE_FLOW);
	char src[RCT_ADDR_TEXT], dst[RCT_ADDR_TEXT], from[48], a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT];

	rct_addr_text(p->key.src, p->key.family, src);
	rct_addr_text(p->key.dst, p->key.family, dst);
	if (p->seen == RCT_SENT_HERE)
		RCT_SAY(f->title, "This host had no receive buffer ready when %s sent: the program here is late.", dst);
	else
		RCT_SAY(f->title, "%s had no receive buffer ready when %s sent: the program there is late.", src, dst);
	rct_from(c, p, from);
	rct_evidence(f, "RNR NAKs", NULL, from, "%s, against %s request packets", rct_count_text(k->weight, a),
		     messages ? rct_count_text(messages, b) : "n/a");
	rct_evidence(f, "waiting time asked for", NULL, from, "%s each", rct_time_text(p->rnr_us * 1000ULL, a));
	rct_evidence(f, "queue pair that waits", NULL, from, "QP %u of %s", rnr_qp(p), dst);
	RCT_SAY(f->impact, "%s waited for at least %s; past rnr_retry its QP fails (status 13). Not the network", dst,
		rct_time_text(k->weight * p->rnr_us * 1000ULL, a));
	rct_next(f, "on %s: is the receiving process stopped, swapping, on a busy core? perf top -p PID; numastat -p PID", src);
	rct_next(f, "receive queue depth and rnr_retry of the application on %s (7 waits for ever)", dst);
	rct_about_hits(c, k, f);
}

/* Somebody acknowledged: then a NAK would have been seen, too. */
static bool acks_seen(const struct rct_case *c)
{
	for (size_t i = 0; i < c->paths.n; i++) {
		if (c->paths.v[i].acks)
			return true;
	}
	return false;
}

void rct_rule_rnr_here(struct rct_case *c)
{
	rct_each_hits(c, weigh_rnr_here, found_rnr);
}

void rct_rule_rnr_peer(struct rct_case *c)
{
	rct_each_hits(c, weigh_rnr_peer, found_rnr);
	if (!rct_has(c, "retry.rnr") && acks_seen(c))
		rct_pass(c, "receivers (no RNR NAK)");
}

/* ---- qp.error: NAKs that end a connection; p's sender refuses what it was asked */

static u64 fatal_naks(const struct rct_path *p)
{
	return p->naks[1] + p->naks[2] + p->naks[3] + p->naks[4];
}

static u64 weigh_fatal(const struct rct_case *c, const struct rct_path *p)
{
	(void)c;
	return fatal_naks(p);
}

static void say_fatal(const struct rct_path *p, const char *from, struct rct_finding *f)
{
	static const char *const meaning[] = {
		[1] = "message larger than the buffer, or operation not enabled (status 9)",
		[2] = "wrong rkey, address or rights, or memory that is gone (status 10)",
		[3] = "the responder failed on its own side (status 11)",
		[4] = "invalid RD request",
	};
	char a[RCT_UNIT_TEXT], metric[48];

	for (u32 i = 1; i < 5; i++) {
		if (!p->naks[i])
			continue;
		RCT_SAY(metric, "NAKs %s", rct_nak_name(i));
		rct_evidence(f, metric, NULL, from, "%s: %s", rct_count_text(p->naks[i], a), meaning[i]);
	}
}

/* A flow of the path that carries such a NAK. */
static u32 fatal_qp(const struct rct_path *p)
{
	for (u32 i = 0; i < p->n_flows; i++) {
		const u64 *n = p->flows[i]->naks;

		if (n[1] + n[2] + n[3] + n[4])
			return p->flows[i]->key.dest_qp;
	}
	return 0;
}

static void found_fatal(struct rct_case *c, const struct rct_hits *k)
{
	const struct rct_path *p = k->worst;
	struct rct_finding *f = rct_find(c, RCT_CRITICAL, RCT_CONF_HIGH, RCT_SCOPE_QP);
	char src[RCT_ADDR_TEXT], dst[RCT_ADDR_TEXT], from[48], a[RCT_UNIT_TEXT];

	rct_addr_text(p->key.src, p->key.family, src);
	rct_addr_text(p->key.dst, p->key.family, dst);
	RCT_SAY(f->title, "%s%s refused requests of %s: those connections are in error now.",
		p->seen == RCT_SENT_HERE ? "This host " : "", src, dst);
	rct_from(c, p, from);
	say_fatal(p, from, f);
	rct_evidence(f, "queue pair in error", NULL, from, "QP %u of %s%s", fatal_qp(p), dst,
		     k->weight > 1 ? ", and more" : "");
	RCT_SAY(f->impact, "%s connection%s failed; the job's others follow as flushed (status 5). Not the network",
		rct_count_text(k->weight, a), k->weight > 1 ? "s" : "");
	rct_next(f, "the application's log on %s: completion status 9, 10 or 11, and the first process that ended", dst);
	rct_next(f, "on %s: did the process that owned the memory end first? dmesg; journalctl -k --since -10min", src);
	rct_about_hits(c, k, f);
}

void rct_rule_qp_error(struct rct_case *c)
{
	if (!rct_each_hits(c, weigh_fatal, found_fatal) && acks_seen(c))
		rct_pass(c, "QPs (no fatal NAK)");
}

/* ---- link.errors: damaged packets */

static u64 weigh_icrc(const struct rct_case *c, const struct rct_path *p)
{
	(void)c;
	return p->icrc_bad;
}

/* What receivers drop for a bad checksum looks like loss to them: one cause, one warning. */
static void take_over(struct rct_case *c, const struct rct_hits *k, struct rct_finding *by, u64 asked)
{
	for (size_t i = 0; i < c->out->n; i++) {
		struct rct_finding *f = &c->out->v[i];

		if (f == by || f->severity < RCT_WARNING || f->severity > RCT_CRITICAL ||
		    k->weight * 2 < asked)
			continue;
		if (strncmp(f->id, "loss.", 5) && strcmp(f->id, "retry.timeout"))
			continue;
		rct_explains(by, "%s: receivers drop damaged packets silently, then they are sent again", f->id);
		f->severity = RCT_NOTICE;
	}
}

static void found_icrc(struct rct_case *c, const struct rct_hits *k)
{
	const struct rct_path *p = k->worst;
	struct rct_finding *f;
	u64 checked = 0, naks = 0;
	char from[48], a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT], s[RCT_UNIT_TEXT];

	for (size_t i = 0; i < c->paths.n; i++) {
		checked += c->paths.v[i].icrc_checked;
		naks += c->paths.v[i].naks[0];
	}
	f = rct_find(c, k->weight >= 10 && k->weight * 100 >= checked ? RCT_CRITICAL : RCT_WARNING,
		     RCT_CONF_HIGH, RCT_SCOPE_FLOW);
	RCT_SAY(f->title, "Packets are damaged where the trace was taken: their invariant CRC is wrong.");
	rct_from(c, p, from);
	rct_evidence(f, "wrong ICRC", NULL, from, "%s of %s verified packets (%s)", rct_count_text(k->weight, a),
		     rct_count_text(checked, b), rct_share_text(k->weight, checked, s));
	rct_evidence(f, "sequence NAKs of all flows", NULL, from, "%s", rct_count_text(naks, a));
	if (k->n > 2)
		rct_evidence(f, "pairs of hosts hit", NULL, from, "%u, phantoms of damaged addresses among them", k->n);
	RCT_SAY(f->impact, "each one is dropped by its receiver without a word, and repeated");
	RCT_SAY(f->refuted_by, "clean FCS and ICRC counters at the receivers: then the capture itself is damaged");
	rct_next(f, "a frame with a good FCS and a wrong ICRC was damaged inside a device: switch memory, NIC, PCIe, or a driver's offload");
	rct_next(f, "at the receivers: rdma statistic show; ethtool -S IFACE   (icrc, crc, symbol errors); then hop by hop");
	rct_about_hits(c, k, f);
	take_over(c, k, f, naks);
}

void rct_rule_icrc(struct rct_case *c)
{
	u64 checked = 0;
	char a[RCT_UNIT_TEXT];

	for (size_t i = 0; i < c->paths.n; i++)
		checked += c->paths.v[i].icrc_checked;
	if (!rct_each_hits(c, weigh_icrc, found_icrc) && checked)
		rct_pass(c, "damage (ICRC of %s packets right)", rct_count_text(checked, a));
}

/* ---- qos.dscp_mismatch */

/* Both directions seen, each in one class, and not CNPs alone, which have a class of their own. */
static bool dscp_comparable(const struct rct_path *p)
{
	const struct rct_path *b = p->back;

	return b && !p->dscp_moved && !b->dscp_moved && p->packets > p->cnp && b->packets > b->cnp;
}

static u64 weigh_dscp(const struct rct_case *c, const struct rct_path *p)
{
	const struct rct_path *b = p->back;

	(void)c;
	if (!dscp_comparable(p) || p->dscp == b->dscp)
		return 0;
	/* of the two directions the one with more bytes tells */
	if (b->bytes > p->bytes || (b->bytes == p->bytes && b > p))
		return 0;
	return p->packets + b->packets;
}

static void found_dscp(struct rct_case *c, const struct rct_hits *k)
{
	const struct rct_path *p = k->worst, *b = p->back;
	bool data = b->requests || b->responses;
	struct rct_finding *f = rct_find(c, data ? RCT_WARNING : RCT_NOTICE, RCT_CONF_MEDIUM,
					 RCT_SCOPE_FLOW);
	char src[RCT_ADDR_TEXT], dst[RCT_ADDR_TEXT], from[48];

	rct_addr_text(p->key.src, p->key.family, src);
	rct_addr_text(p->key.dst, p->key.family, dst);
	RCT_SAY(f->title, "The two directions of one connection are in different traffic classes.");
	rct_from(c, p, from);
	rct_evidence(f, "DSCP", NULL, from, "%u from %s", p->dscp, src);
	rct_evidence(f, "DSCP", NULL, from, "%u from %s", b->dscp, dst);
	RCT_SAY(f->impact, "the fabric protects one of them at most; lost ACKs cost as much as lost data");
	RCT_SAY(f->refuted_by, "a fabric that treats both DSCPs alike, or that rewrites them on the way");
	rct_next(f, "compare the job's traffic class on both hosts (NCCL_IB_TC, tos of rdma_cm, cma_roce_tos), then the switch's DSCP map");
	rct_about_hits(c, k, f);
}

void rct_rule_dscp(struct rct_case *c)
{
	bool pairs = false, same = true;
	u32 dscp = 0;

	for (size_t i = 0; i < c->paths.n; i++) {
		const struct rct_path *p = &c->paths.v[i];

		if (!dscp_comparable(p))
			continue;
		same &= !pairs || p->dscp == dscp;
		dscp = p->dscp;
		pairs = true;
	}
	if (rct_each_hits(c, weigh_dscp, found_dscp) || !pairs)
		return;
	if (same)
		rct_pass(c, "DSCP (%u both ways)", dscp);
	else
		rct_pass(c, "DSCP (the same both ways)");
}

/* ---- path.single_port, path.entropy */

#define QPS_WARN	4	/* of a pair of hosts: fewer may be what the job needs */
#define QPS_ENTROPY	8
#define RATE_CRITICAL	25e9	/* bits a second on one path that others could share */
#define SHARE_CRITICAL	0.5	/* of all bytes: that path is what the trace is about, whatever its rate */

static u64 weigh_single(const struct rct_case *c, const struct rct_path *p)
{
	(void)c;
	return p->sports == 1 && p->data_flows >= 2 ? p->data_flows : 0;
}

static enum rct_severity single_severity(const struct rct_case *c, const struct rct_path *p)
{
	bool heavy = c->seconds > 0 && p->bytes * 8 / c->seconds >= RATE_CRITICAL;
	bool most = p->bytes >= c->s->totals.bytes * SHARE_CRITICAL;

	if ((heavy || most) && p->data_flows >= QPS_ENTROPY)
		return RCT_CRITICAL;
	return p->data_flows >= QPS_WARN ? RCT_WARNING : RCT_NOTICE;
}

static void found_single(struct rct_case *c, const struct rct_hits *k)
{
	const struct rct_path *p = k->worst;
	struct rct_finding *f = rct_find(c, single_severity(c, p), RCT_CONF_MEDIUM, RCT_SCOPE_FLOW);
	char from[48], a[RCT_UNIT_TEXT], b[RCT_UNIT_TEXT];

	RCT_SAY(f->title, "All queue pairs of a pair of hosts use one UDP source port: one path through the fabric.");
	rct_from(c, p, from);
	rct_evidence(f, "source ports", "as many as QPs", from, "1 (%u) for %u queue pairs",
		     RCT_ATTR_SPORT(rct_worst_flow(p)->attr), p->data_flows);
	rct_evidence(f, "bytes on that path", NULL, from, "%s, %s", rct_bytes_text(p->bytes, a),
		     rct_rate_text(p->bytes, c->seconds, b));
	RCT_SAY(f->impact, "ECMP sends all of it over one link, while the others stay empty");
	RCT_SAY(f->refuted_by, "a fabric that hashes on the QP or sprays packets; or that has one path only");
	rct_next(f, "what does the fabric hash on? If on the UDP source port: flow labels or more ports for the job's QPs");
	rct_about_hits(c, k, f);
}

void rct_rule_single_port(struct rct_case *c)
{
	u32 least = 0;

	for (size_t i = 0; i < c->paths.n; i++) {
		const struct rct_path *p = &c->paths.v[i];

		if (p->data_flows >= 2 && p->sports && (!least || p->sports < least))
			least = p->sports;
	}
	if (!rct_each_hits(c, weigh_single, found_single) && least)
		rct_pass(c, "path (%u or more source ports a pair)", least);
}

static u64 weigh_entropy(const struct rct_case *c, const struct rct_path *p)
{
	(void)c;
	return p->sports > 1 && p->data_flows >= QPS_ENTROPY && p->sports * 2 <= p->data_flows ?
	       p->data_flows - p->sports : 0;
}

static void found_entropy(struct rct_case *c, const struct rct_hits *k)
{
	const struct rct_path *p = k->worst;
	struct rct_finding *f = rct_find(c, RCT_NOTICE, RCT_CONF_MEDIUM, RCT_SCOPE_FLOW);
	char from[48];

	RCT_SAY(f->title, "Many queue pairs share few UDP source ports: they share paths through the fabric.");
	rct_from(c, p, from);
	rct_evidence(f, "source ports", "as many as QPs", from, "%u for %u queue pairs", p->sports, p->data_flows);
	RCT_SAY(f->refuted_by, "a fabric that hashes on the QP or sprays packets");
	rct_next(f, "compare the load of the fabric's parallel links: uneven means that the hash has too little to work on");
	rct_about_hits(c, k, f);
}

void rct_rule_entropy(struct rct_case *c)
{
	rct_each_hits(c, weigh_entropy, found_entropy);
}

/* ---- mtu.small */

#define MTU_FULL	4096

static u64 weigh_mtu(const struct rct_case *c, const struct rct_path *p)
{
	(void)c;
	return p->least_mtu && p->least_mtu < MTU_FULL ? p->bytes : 0;
}

static void found_mtu(struct rct_case *c, const struct rct_hits *k)
{
	const struct rct_path *p = k->worst;
	struct rct_finding *f = rct_find(c, RCT_NOTICE, RCT_CONF_HIGH, RCT_SCOPE_FLOW);
	char from[48];
	u32 n = 0, known = 0;

	for (u32 i = 0; i < p->n_flows; i++) {
		known += p->flows[i]->path_mtu != 0;
		n += p->flows[i]->path_mtu && p->flows[i]->path_mtu < MTU_FULL;
	}
	RCT_SAY(f->title, "The path MTU is %u, not %u: more packets for the same data.", p->least_mtu, MTU_FULL);
	rct_from(c, p, from);
	rct_evidence(f, "path MTU", "4096", from, "%u; below 4096 in %u of %u flows where it shows", p->least_mtu, n, known);
	RCT_SAY(f->impact, "%u times the packets; a NIC that is bound by packets gets slower", MTU_FULL / p->least_mtu);
	rct_next(f, "ip link show: RoCE takes the largest of 256..4096 that fits the netdev MTU less its headers: 4200 gives 4096, 1500 gives 1024");
	rct_about_hits(c, k, f);
	f->weight = 0;	/* bytes are no measure beside packets lost */
}

void rct_rule_mtu(struct rct_case *c)
{
	bool known = false;

	for (size_t i = 0; i < c->paths.n; i++)
		known |= c->paths.v[i].least_mtu != 0;
	if (!rct_each_hits(c, weigh_mtu, found_mtu) && known)
		rct_pass(c, "path MTU (4096)");
}
