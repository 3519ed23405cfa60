// SPDX-License-Identifier: BSD-2-Clause
/* user/analyse: which rule speaks, of which end, how loud; and when it must not. */
#include "lib/unit.h"

#include <stdio.h>

#include "analyse/analyse.h"
#include "base/util.h"
#include "model/names.h"

/* A snapshot that a test adds to, and what the rules said. */
struct trial {
	struct rct_snapshot s;
	struct rct_findings f;
};

static void start(struct trial *t, bool live)
{
	struct rct_iface *i;

	memset(t, 0, sizeof(*t));
	t->s.command = live ? "run" : "read";
	t->s.live = live;
	t->s.start_ns = 1000000000;
	t->s.end_ns = 11000000000;
	i = rct_snapshot_add_iface(&t->s);
	strcpy(i->name, "eth0");
}

/* A flow from 10.0.0.a to 10.0.0.b that WRITEs. */
static struct rct_flow *flow(struct trial *t, u32 a, u32 b, u32 qp, u8 dir)
{
	struct rct_flow *f = rct_snapshot_add_flow(&t->s);

	assert_non_null(f);
	f->key.src[1] = 0xffff0000ULL | (u64)a << 56 | 0xaULL << 32;
	f->key.dst[1] = 0xffff0000ULL | (u64)b << 56 | 0xaULL << 32;
	f->key.family = RCT_IPV4;
	f->key.dest_qp = qp;
	f->key.dir = dir;
	f->packets = f->ops[7] = 100000;
	f->ecn[RCT_ECT0] = f->packets;
	f->bytes = f->packets * 4000;
	f->path_mtu = 4096;
	f->attr = RCT_ATTR(50000 + qp, RCT_NOVLAN, 0xffff, 26, 64);
	f->unseen = RCT_UNKNOWN;
	for (int i = 0; i < RCT_RETRY_CAUSES; i++)
		f->retries[i] = f->stall_ns[i] = RCT_UNKNOWN;
	return f;
}

/* A flow that only answers. */
static struct rct_flow *answers(struct trial *t, u32 a, u32 b, u32 qp, u8 dir)
{
	struct rct_flow *f = flow(t, a, b, qp, dir);

	f->ops[7] = 0;
	f->packets = f->ops[0x11] = f->acks = f->ecn[RCT_ECT0] = 10000;
	f->bytes = f->packets * 62;
	return f;
}

static void sequence_naks(struct rct_flow *f, u64 n)
{
	f->naks[0] = n;
	f->acks -= n;
}

static void judge(struct trial *t)
{
	rct_findings_free(&t->f);
	rct_snapshot_sum(&t->s);
	t->s.totals.packets = t->s.totals.roce;
	assert_int_equal(rct_analyse(&t->s, &t->f), 0);
}

static const struct rct_finding *find(const struct trial *t, const char *id)
{
	for (size_t i = 0; i < t->f.n; i++) {
		if (!strcmp(t->f.v[i].id, id))
			return &t->f.v[i];
	}
	return NULL;
}

/* The finding, which must be there and be this severe. */
static const struct rct_finding *expect(const struct trial *t, const char *id, enum rct_severity severity)
{
	const struct rct_finding *f = find(t, id);

	if (!f)
		fail_msg("no %s", id);
	if (f->severity != severity)
		fail_msg("%s is %s, not %s", id, rct_severity_name(f->severity), rct_severity_name(severity));
	return f;
}

/* Nothing at notice or above but these, ids in one string. */
static void expect_only(const struct trial *t, const char *ids)
{
	for (size_t i = 0; i < t->f.n; i++) {
		const struct rct_finding *f = &t->f.v[i];

		if (f->severity >= RCT_NOTICE && f->severity <= RCT_CRITICAL && !strstr(ids, f->id))
			fail_msg("%s: %s", f->id, f->title);
	}
}

static void end(struct trial *t)
{
	rct_findings_free(&t->f);
	rct_snapshot_free(&t->s);
}

/* ---- loss: the same events, seen from three places */

static void test_loss_sent(void **state)
{
	struct trial t;
	const struct rct_finding *f;

	(void)state;
	start(&t, true);
	flow(&t, 1, 2, 17, RCT_TX)->repeated = 5000;
	sequence_naks(answers(&t, 2, 1, 18, RCT_RX), 40);
	judge(&t);
	f = expect(&t, "loss.sent", RCT_CRITICAL);
	assert_int_equal(f->confidence, RCT_CONF_HIGH);
	assert_string_equal(f->object, "eth0  10.0.0.1 -> 10.0.0.2");
	assert_non_null(strstr(f->title, "left this host"));
	assert_non_null(strstr(f->next[0], "on 10.0.0.2:"));
	expect_only(&t, "loss.sent");
	assert_null(find(&t, "loss.none"));
	end(&t);
}

static void test_loss_received(void **state)
{
	struct trial t;
	struct rct_flow *d;

	(void)state;
	start(&t, true);
	d = flow(&t, 2, 1, 18, RCT_RX);
	d->gaps = d->late = 40;
	d->repeated = 400;
	sequence_naks(answers(&t, 1, 2, 17, RCT_TX), 40);
	judge(&t);
	assert_non_null(strstr(expect(&t, "loss.received", RCT_WARNING)->title, "on their way to this host"));
	expect_only(&t, "loss.received");
	end(&t);
}

/* No gap arrives, and this host asks again: it lost them itself. */
static void test_loss_here(void **state)
{
	struct trial t;

	(void)state;
	start(&t, true);
	flow(&t, 2, 1, 18, RCT_RX)->repeated = 400;
	sequence_naks(answers(&t, 1, 2, 17, RCT_TX), 40);
	judge(&t);
	assert_non_null(strstr(expect(&t, "loss.host", RCT_WARNING)->title, "reached this host"));
	expect_only(&t, "loss.host");
	end(&t);
	/* missing already where they leave, and later sent again */
	start(&t, true);
	flow(&t, 1, 2, 17, RCT_TX)->gaps = 40;
	t.s.flows[0].late = 40;
	sequence_naks(answers(&t, 2, 1, 18, RCT_RX), 40);
	judge(&t);
	assert_non_null(strstr(expect(&t, "loss.host", RCT_WARNING)->title, "where they leave it"));
	expect_only(&t, "loss.host");
	end(&t);
}

static void test_loss_in_a_capture(void **state)
{
	struct trial t;
	struct rct_flow *d;

	(void)state;
	start(&t, false);
	d = flow(&t, 1, 2, 17, RCT_NODIR);
	d->repeated = 400;
	sequence_naks(answers(&t, 2, 1, 18, RCT_NODIR), 40);
	judge(&t);
	assert_string_equal(expect(&t, "loss.sent", RCT_WARNING)->object, "10.0.0.1 -> 10.0.0.2");
	expect_only(&t, "loss.sent");
	t.s.flows[0].gaps = t.s.flows[0].late = 40;
	judge(&t);
	expect(&t, "loss.received", RCT_WARNING);
	expect_only(&t, "loss.received");
	/* a repeated packet that is lost again leaves no gap: 12 NAKs for 8 gaps are one place */
	t.s.flows[0].gaps = 25;
	judge(&t);
	expect_only(&t, "loss.received");
	end(&t);
}

/* A mirror port receives both directions: neither end is this host. */
static void test_loss_at_a_mirror(void **state)
{
	struct trial t;

	(void)state;
	start(&t, true);
	flow(&t, 1, 2, 17, RCT_RX)->repeated = 400;
	sequence_naks(answers(&t, 2, 1, 18, RCT_RX), 40);
	judge(&t);
	assert_non_null(strstr(expect(&t, "loss.sent", RCT_WARNING)->title, "passed this point"));
	expect_only(&t, "loss.sent");
	end(&t);
}

/* READ data have no NAK: the requester asks again. */
static void test_loss_of_read_data(void **state)
{
	struct trial t;
	struct rct_flow *f;

	(void)state;
	start(&t, true);
	f = flow(&t, 2, 1, 18, RCT_RX);
	f->ops[7] = 0;
	f->ops[0x0e] = f->packets;
	f->rsp_gaps = f->rsp_missing = 20;
	f->rsp_repeated = 400;
	f = flow(&t, 1, 2, 17, RCT_TX);
	f->ops[7] = 0;
	f->packets = f->ops[0x0c] = f->ecn[RCT_ECT0] = 1000;
	f->repeated = f->steps_back = 20;
	judge(&t);
	assert_string_equal(expect(&t, "loss.received", RCT_WARNING)->evidence[1].metric, "READs repeated by 10.0.0.1");
	expect_only(&t, "loss.received");
	end(&t);
}

static void test_no_false_loss(void **state)
{
	struct trial t;
	struct rct_flow *f;

	(void)state;
	/* reordering: late, and nobody asked */
	start(&t, true);
	f = flow(&t, 2, 1, 18, RCT_RX);
	f->gaps = f->late = 500;
	answers(&t, 1, 2, 17, RCT_TX);
	judge(&t);
	assert_non_null(strstr(expect(&t, "loss.received", RCT_NOTICE)->title, "reordering, not loss"));
	expect_only(&t, "loss.received");
	/* order that only this host's CPUs made */
	f = &t.s.flows[0];
	f->cross_cpu = 500;
	judge(&t);
	expect_only(&t, "");
	/* acknowledged and never seen: the tap */
	f->late = f->cross_cpu = 0;
	f->missing = f->unseen = 500;
	judge(&t);
	expect(&t, "self.tap_loss", RCT_NOTICE);
	expect_only(&t, "self.tap_loss");
	end(&t);
}

static void test_unreliable(void **state)
{
	struct trial t;
	struct rct_flow *f;

	(void)state;
	start(&t, true);
	f = flow(&t, 2, 1, 18, RCT_RX);
	f->transport = RCT_UC;
	f->gaps = 3;
	f->missing = 5;
	flow(&t, 1, 2, 17, RCT_TX)->transport = RCT_UC;
	judge(&t);
	assert_string_equal(expect(&t, "loss.received", RCT_WARNING)->impact, "5 packets of unreliable connections are lost for good");
	end(&t);
}

/* One cause on one interface is one finding, which says what the flows have in common. */
static void test_many_flows(void **state)
{
	struct trial t;
	const struct rct_finding *f;
	u32 n = 0;

	(void)state;
	start(&t, true);
	for (u32 i = 3; i < 8; i++) {
		flow(&t, i, 2, 17, RCT_NODIR)->repeated = 100 * i;
		sequence_naks(answers(&t, 2, i, 18, RCT_NODIR), 10);
		flow(&t, i, 9, 17, RCT_NODIR);
		answers(&t, 9, i, 18, RCT_NODIR);
	}
	judge(&t);
	f = expect(&t, "loss.sent", RCT_WARNING);
	assert_string_equal(f->object, "10.0.0.7 -> 10.0.0.2 and 4 more, all to it");
	for (size_t i = 0; i < t.f.n; i++)
		n += !strcmp(t.f.v[i].id, "loss.sent");
	assert_int_equal(n, 1);
	end(&t);
}

/* ---- retries */

static void set_timeouts(struct rct_flow *f, u64 n, u64 stall_ns, bool inferred)
{
	memset(f->retries, 0, sizeof(f->retries));
	memset(f->stall_ns, 0, sizeof(f->stall_ns));
	f->retries[RCT_RETRY_TIMEOUT] = n;
	f->stall_ns[RCT_RETRY_TIMEOUT] = stall_ns;
	f->timeout_inferred = inferred;
	f->steps_back = n;
	f->repeated = n;
}

static void test_timeout(void **state)
{
	struct trial t;
	struct rct_flow *f;

	(void)state;
	start(&t, false);
	set_timeouts(flow(&t, 1, 2, 17, RCT_NODIR), 4, 70000000, false);
	answers(&t, 2, 1, 18, RCT_NODIR);
	judge(&t);
	expect(&t, "retry.timeout", RCT_WARNING);
	expect_only(&t, "retry.timeout");
	t.s.flows[0].stall_ns[RCT_RETRY_TIMEOUT] = 2000000000;
	judge(&t);
	expect(&t, "retry.timeout", RCT_CRITICAL);
	/* reuse after a pause looks like one long timeout: never critical by itself */
	set_timeouts(&t.s.flows[0], 1, 2000000000, true);
	judge(&t);
	assert_int_equal(expect(&t, "retry.timeout", RCT_WARNING)->confidence, RCT_CONF_MEDIUM);
	/* nobody answers */
	f = &t.s.flows[1];
	f->acks = f->ops[0x11] = f->packets = 0;
	set_timeouts(&t.s.flows[0], 5, 100000000, true);
	judge(&t);
	assert_non_null(strstr(expect(&t, "retry.timeout", RCT_CRITICAL)->title, "no answer"));
	end(&t);
}

/* One root cause: the timeouts of a lossy path are told with the loss. */
static void test_timeout_explained(void **state)
{
	struct trial t;

	(void)state;
	start(&t, false);
	set_timeouts(flow(&t, 1, 2, 17, RCT_NODIR), 2, 70000000, true);
	t.s.flows[0].repeated = 900;
	sequence_naks(answers(&t, 2, 1, 18, RCT_NODIR), 40);
	judge(&t);
	assert_non_null(strstr(expect(&t, "loss.sent", RCT_WARNING)->explains[0], "retry.timeout: 2"));
	expect_only(&t, "loss.sent");
	end(&t);
}

static void test_duplicates(void **state)
{
	struct trial t;

	(void)state;
	start(&t, false);
	set_timeouts(flow(&t, 1, 2, 17, RCT_NODIR), 0, 0, false);
	t.s.flows[0].repeated = t.s.flows[0].steps_back = 7;
	t.s.flows[0].retries[RCT_RETRY_UNKNOWN] = 7;
	answers(&t, 2, 1, 18, RCT_NODIR);
	judge(&t);
	expect(&t, "loss.unknown", RCT_NOTICE);
	expect_only(&t, "loss.unknown");
	end(&t);
}

/* An RNR NAK is the receiver's; the sequence NAKs behind it are no loss. */
static void test_rnr(void **state)
{
	struct trial t;
	struct rct_flow *f;

	(void)state;
	start(&t, true);
	flow(&t, 2, 1, 18, RCT_RX)->repeated = 100;
	f = answers(&t, 1, 2, 17, RCT_TX);
	f->rnr_naks = 118;
	f->rnr_timer = 14;
	f->acks -= 118;
	sequence_naks(f, 60);
	judge(&t);
	assert_non_null(strstr(expect(&t, "retry.rnr_here", RCT_WARNING)->title, "This host"));
	expect_only(&t, "retry.rnr_here");
	t.s.flows[0].key.dir = RCT_TX;
	t.s.flows[1].key.dir = RCT_RX;
	judge(&t);
	assert_non_null(strstr(expect(&t, "retry.rnr_peer", RCT_WARNING)->title, "10.0.0.1 had no receive buffer"));
	assert_non_null(strstr(find(&t, "retry.rnr_peer")->evidence[1].value, "1.28 ms"));
	assert_null(find(&t, "retry.rnr_here"));
	end(&t);
}

static void test_fatal_nak(void **state)
{
	struct trial t;
	const struct rct_finding *f;

	(void)state;
	start(&t, true);
	flow(&t, 1, 2, 17, RCT_TX);
	answers(&t, 2, 1, 18, RCT_RX)->naks[2] = 1;
	judge(&t);
	f = expect(&t, "qp.error", RCT_CRITICAL);
	assert_non_null(strstr(f->title, "10.0.0.2 refused requests of 10.0.0.1"));
	assert_non_null(strstr(f->evidence[0].value, "status 10"));
	assert_string_equal(f->evidence[1].value, "QP 18 of 10.0.0.1");
	end(&t);
}

/* ---- damage */

static void test_damage_explains_loss(void **state)
{
	struct trial t;

	(void)state;
	start(&t, false);
	flow(&t, 1, 2, 17, RCT_NODIR)->repeated = 400;
	t.s.flows[0].icrc_checked = 100000;
	t.s.flows[0].icrc_bad = 40;
	sequence_naks(answers(&t, 2, 1, 18, RCT_NODIR), 40);
	judge(&t);
	assert_non_null(strstr(expect(&t, "link.errors", RCT_WARNING)->explains[0], "loss.sent"));
	expect(&t, "loss.sent", RCT_NOTICE);
	/* 3 damaged packets do not explain 40 losses: what is left over stays */
	t.s.flows[0].icrc_bad = 3;
	judge(&t);
	assert_int_equal(expect(&t, "link.errors", RCT_WARNING)->n_explains, 0);
	expect(&t, "loss.sent", RCT_WARNING);
	end(&t);
}

/* ---- congestion */

static void test_ecn(void **state)
{
	struct trial t;
	struct rct_flow *f;

	(void)state;
	start(&t, true);
	f = flow(&t, 2, 1, 18, RCT_RX);
	f->ecn[RCT_CE] = 2000;
	f->ecn[RCT_ECT0] -= 2000;
	answers(&t, 1, 2, 17, RCT_TX)->cnp = 50;
	judge(&t);
	expect(&t, "ecn.marked", RCT_NOTICE);
	expect_only(&t, "ecn.marked");
	/* the same at 0.3 % of a known link's load */
	t.s.ifaces[0].speed_mbps = 100000;
	judge(&t);
	expect(&t, "ecn.overthrottled", RCT_WARNING);
	assert_null(find(&t, "ecn.marked"));
	/* and on a link that is full */
	t.s.ifaces[0].speed_mbps = 400;
	judge(&t);
	expect(&t, "ecn.marked", RCT_NOTICE);
	assert_null(find(&t, "ecn.overthrottled"));
	/* marks, and nobody is told */
	t.s.flows[1].cnp = 0;
	judge(&t);
	expect(&t, "ecn.no_cnp", RCT_NOTICE);
	end(&t);
}

static void test_pause(void **state)
{
	struct trial t;
	struct rct_pauses *p;

	(void)state;
	start(&t, true);
	flow(&t, 1, 2, 17, RCT_TX);
	answers(&t, 2, 1, 18, RCT_RX);
	judge(&t);
	assert_non_null(strstr(expect(&t, "pause.sent", RCT_UNKNOWN_FINDING)->title, "only counters"));
	p = &t.s.ifaces[0].pause[RCT_RX];
	p->frames = p->xoff[3] = 1000;
	p->quanta[3] = 1000 * 65535ULL;
	judge(&t);
	expect(&t, "pause.received", RCT_NOTICE);	/* no speed, no share of time */
	t.s.ifaces[0].speed_mbps = 100000;
	judge(&t);
	expect(&t, "pause.received", RCT_WARNING);	/* 335 ms of 10 s */
	p->quanta[3] *= 7;
	judge(&t);
	expect(&t, "pause.received", RCT_CRITICAL);
	end(&t);
}

/* ---- configuration that packets show */

static void test_dscp(void **state)
{
	struct trial t;

	(void)state;
	start(&t, true);
	flow(&t, 1, 2, 17, RCT_TX);
	flow(&t, 2, 1, 18, RCT_RX)->attr = RCT_ATTR(50000, RCT_NOVLAN, 0xffff, 0, 64);
	judge(&t);
	expect(&t, "qos.dscp_mismatch", RCT_WARNING);
	expect_only(&t, "qos.dscp_mismatch");
	/* CNPs have a class of their own */
	t.s.flows[1].ops[7] = 0;
	t.s.flows[1].cnp = t.s.flows[1].packets = t.s.flows[1].ops[RCT_OPN_CNP] = 5;
	judge(&t);
	assert_null(find(&t, "qos.dscp_mismatch"));
	end(&t);
}

static void test_ports(void **state)
{
	struct trial t;

	(void)state;
	start(&t, true);
	for (u32 i = 0; i < 8; i++)
		flow(&t, 1, 2, 100 + i, RCT_TX)->attr = RCT_ATTR(49152, RCT_NOVLAN, 0xffff, 26, 64);
	answers(&t, 2, 1, 18, RCT_RX);
	judge(&t);
	expect(&t, "path.single_port", RCT_CRITICAL);
	for (u32 i = 0; i < 8; i++)
		t.s.flows[i].attr = RCT_ATTR(49152 + i / 2, RCT_NOVLAN, 0xffff, 26, 64);
	judge(&t);
	expect(&t, "path.entropy", RCT_NOTICE);
	expect_only(&t, "path.entropy");
	for (u32 i = 0; i < 8; i++)
		t.s.flows[i].attr = RCT_ATTR(49152 + i, RCT_NOVLAN, 0xffff, 26, 64);
	judge(&t);
	expect_only(&t, "");
	assert_non_null(strstr(expect(&t, "path.single_port", RCT_OK_FINDING)->title, "8 or more"));
	end(&t);
}

/* Most bytes of the trace go elsewhere: the one path is not what it is about. */
static void test_light_port(void **state)
{
	struct trial t;

	(void)state;
	start(&t, true);
	for (u32 i = 0; i < 8; i++)
		flow(&t, 1, 2, 100 + i, RCT_TX)->attr = RCT_ATTR(49152, RCT_NOVLAN, 0xffff, 26, 64);
	flow(&t, 1, 3, 200, RCT_TX)->bytes = 9 * t.s.flows[0].bytes;
	answers(&t, 2, 1, 18, RCT_RX);
	judge(&t);
	expect(&t, "path.single_port", RCT_WARNING);
	end(&t);
}

static void test_hop_limit(void **state)
{
	struct trial t;

	(void)state;
	start(&t, true);
	flow(&t, 1, 2, 17, RCT_TX)->attr = RCT_ATTR(50000, RCT_NOVLAN, 0xffff, 26, 1);
	answers(&t, 2, 1, 18, RCT_RX);
	judge(&t);
	expect(&t, "path.hop_limit", RCT_NOTICE);
	/* no answer, and sent again; what follows from it is no verdict of its own */
	t.s.n_flows = 1;
	t.s.flows[0].repeated = 56;
	t.s.flows[0].steps_back = 7;
	judge(&t);
	expect(&t, "path.hop_limit", RCT_CRITICAL);
	expect_only(&t, "path.hop_limit retry.timeout");
	expect(&t, "retry.timeout", RCT_NOTICE);
	end(&t);
	/* where they arrived they had hops enough */
	start(&t, true);
	flow(&t, 1, 2, 17, RCT_RX)->attr = RCT_ATTR(50000, RCT_NOVLAN, 0xffff, 26, 1);
	answers(&t, 2, 1, 18, RCT_TX);
	judge(&t);
	assert_null(find(&t, "path.hop_limit"));
	end(&t);
}

static void test_mtu(void **state)
{
	struct trial t;

	(void)state;
	start(&t, true);
	flow(&t, 1, 2, 17, RCT_TX)->path_mtu = 1024;
	answers(&t, 2, 1, 18, RCT_RX)->path_mtu = 0;
	judge(&t);
	assert_non_null(strstr(expect(&t, "mtu.small", RCT_NOTICE)->title, "1024"));
	t.s.flows[0].path_mtu = 4096;
	judge(&t);
	expect(&t, "mtu.small", RCT_OK_FINDING);
	t.s.flows[0].path_mtu = 0;
	judge(&t);
	assert_null(find(&t, "mtu.small"));	/* not seen: neither right nor wrong */
	end(&t);
}

/* ---- what could not be seen */

static void test_blind(void **state)
{
	struct trial t;
	struct rct_coverage *c;

	(void)state;
	start(&t, true);
	c = rct_snapshot_add_coverage(&t.s);
	c->source = "packets";
	strcpy(c->object, "eth0");
	strcpy(c->why, "its RDMA device mlx5_0 offloads RoCE");
	c->state = RCT_COV_NONE;
	judge(&t);
	assert_non_null(strstr(expect(&t, "blind.packets", RCT_UNKNOWN_FINDING)->title, "no RoCE packet"));
	assert_non_null(strstr(find(&t, "blind.packets")->evidence[0].value, "mlx5_0 offloads"));
	/* and nothing is said to be right */
	for (size_t i = 0; i < t.f.n; i++)
		assert_int_not_equal(t.f.v[i].severity, RCT_OK_FINDING);
	end(&t);
}

static void test_self(void **state)
{
	struct trial t;

	(void)state;
	start(&t, true);
	flow(&t, 1, 2, 17, RCT_TX);
	answers(&t, 2, 1, 18, RCT_RX);
	t.s.totals.overflow_packets = 5;
	t.s.totals.events_lost = 7;
	judge(&t);
	expect(&t, "self.overflow", RCT_WARNING);
	expect(&t, "self.events_lost", RCT_NOTICE);
	end(&t);
}

static void test_proven_lossless(void **state)
{
	struct trial t;

	(void)state;
	start(&t, true);
	flow(&t, 1, 2, 17, RCT_TX);
	answers(&t, 2, 1, 18, RCT_RX);
	judge(&t);
	assert_non_null(strstr(expect(&t, "loss.none", RCT_UNKNOWN_FINDING)->title, "load is unknown"));
	t.s.ifaces[0].speed_mbps = 400;
	judge(&t);
	expect(&t, "loss.none", RCT_OK_FINDING);
	t.s.ifaces[0].speed_mbps = 400000;
	judge(&t);
	assert_non_null(strstr(expect(&t, "loss.none", RCT_UNKNOWN_FINDING)->title, "not proven"));
	/* one direction only */
	t.s.n_flows = 1;
	t.s.ifaces[0].speed_mbps = 400;
	judge(&t);
	assert_non_null(strstr(expect(&t, "loss.none", RCT_UNKNOWN_FINDING)->title, "one direction"));
	end(&t);
}

/* Worst first, and of those the heaviest. */
static void test_order(void **state)
{
	static const int ranks[] = { [RCT_CRITICAL] = 0, [RCT_WARNING] = 1, [RCT_NOTICE] = 2,
				     [RCT_UNKNOWN_FINDING] = 3, [RCT_OK_FINDING] = 4 };
	struct trial t;

	(void)state;
	start(&t, true);
	flow(&t, 1, 2, 17, RCT_TX)->repeated = 400;
	sequence_naks(answers(&t, 2, 1, 18, RCT_RX), 40);
	t.s.flows[1].naks[2] = 1;
	t.s.flows[0].path_mtu = 1024;
	judge(&t);
	for (size_t i = 1; i < t.f.n; i++)
		assert_true(ranks[t.f.v[i - 1].severity] <= ranks[t.f.v[i].severity]);
	assert_string_equal(t.f.v[0].id, "qp.error");
	end(&t);
}

/* Every id can be explained, once, and its area is one that scripts may rely on. */
static void test_explanations(void **state)
{
	const struct rct_explanation *e, *other;

	(void)state;
	for (size_t i = 0; (e = rct_explanation_at(i)); i++) {
		assert_true(*e->id && *e->title && *e->text);
		for (size_t j = 0; j < i; j++) {
			other = rct_explanation_at(j);
			assert_string_not_equal(e->id, other->id);
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loss_sent), cmocka_unit_test(test_loss_received),
		cmocka_unit_test(test_loss_here), cmocka_unit_test(test_loss_in_a_capture),
		cmocka_unit_test(test_loss_at_a_mirror), cmocka_unit_test(test_loss_of_read_data),
		cmocka_unit_test(test_no_false_loss), cmocka_unit_test(test_unreliable),
		cmocka_unit_test(test_many_flows), cmocka_unit_test(test_timeout),
		cmocka_unit_test(test_timeout_explained), cmocka_unit_test(test_duplicates),
		cmocka_unit_test(test_rnr), cmocka_unit_test(test_fatal_nak),
		cmocka_unit_test(test_damage_explains_loss), cmocka_unit_test(test_ecn),
		cmocka_unit_test(test_pause), cmocka_unit_test(test_dscp), cmocka_unit_test(test_ports), cmocka_unit_test(test_light_port),
		cmocka_unit_test(test_hop_limit),
		cmocka_unit_test(test_mtu), cmocka_unit_test(test_blind), cmocka_unit_test(test_self),
		cmocka_unit_test(test_proven_lossless), cmocka_unit_test(test_order),
		cmocka_unit_test(test_explanations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
