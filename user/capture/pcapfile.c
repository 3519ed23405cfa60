// SPDX-License-Identifier: BSD-2-Clause
#include "capture/pcapfile.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>

#include "base/util.h"
#include "capture/icrc.h"
#include "capture/infile.h"
#include "capture/linktype.h"
#include "model/flowtab.h"

#define BTH	12
#define DETH	8	/* datagram header of unreliable datagrams */

/* One file, over both passes. */
struct file {
	struct rct_infile *in;
	u64 packets;		/* that the first pass read: it may be growing */
	u64 roce, truncated;
	bool unsupported;
	int dlt;
	char why[256];		/* what is wrong with it; "" */
	u64 verdict[RCT_VERDICT_COUNT];
	struct rct_pauses pause;
};

/* State of a pass, for the callback. */
struct pass {
	struct rct_flowtab *tab;
	struct rct_snapshot *s;
	struct file *file;
	const struct rct_linktype *link;
	pcap_t *pcap;
	int rc;
	u64 left;		/* second pass: packets that the first one saw */
};

static u64 time_of(const struct pcap_pkthdr *h)
{
	/* opened with nanoseconds, which are in tv_usec */
	return (u64)h->ts.tv_sec * 1000000000 + (u64)h->ts.tv_usec;
}

static void stop(struct pass *p, int rc)
{
	p->rc = rc;
	pcap_breakloop(p->pcap);
}

static void make_frame(const struct pass *p, const struct pcap_pkthdr *h, const u8 *data,
		       struct rct_frame *f)
{
	f->data = data;
	f->end = data + h->caplen;
	f->wire_len = h->len > h->caplen ? h->len : h->caplen;
	f->vlan = RCT_NOVLAN;
	f->slot = 0;
	f->dir = RCT_NODIR;
	p->link->frame(f);
}

static void count_pause(struct rct_pauses *to, const struct rct_pause *pause)
{
	if (!pause->pfc) {
		to->global_frames++;
		to->global_quanta += pause->quanta[0];
		return;
	}
	to->frames++;
	for (int i = 0; i < 8; i++) {
		if (!(pause->classes >> i & 1))
			continue;
		to->xoff[i] += pause->quanta[i] != 0;
		to->xon[i] += pause->quanta[i] == 0;
		to->quanta[i] += pause->quanta[i];
	}
}

static void count_refused(struct file *file, const struct rct_frame *f, int verdict)
{
	struct rct_pause pause;

	if (verdict == RCT_PAUSE) {
		verdict = rct_parse_pause(f, &pause);
		if (verdict == RCT_PAUSE)
			count_pause(&file->pause, &pause);
	}
	file->verdict[verdict]++;
}

static void count_time(struct rct_snapshot *s, u64 ns)
{
	if (!s->start_ns || ns < s->start_ns)
		s->start_ns = ns;
	if (ns > s->end_ns)
		s->end_ns = ns;
}

/* Into the flow table; what a datagram to QP 1 says of connections, too. */
static int count(struct pass *p, const struct rct_frame *f, struct rct_pkt *pkt, u64 ns)
{
	int rc = rct_flowtab_packet(p->tab, pkt, ns);
	const u8 *data;

	if (rc < 0 || pkt->key.dest_qp != 1 || pkt->transport != RCT_UD)
		return rc;
	data = f->data + pkt->bth + BTH + DETH;
	return data < f->end ? rct_flowtab_datagram(p->tab, pkt, data, f->end - data) : 0;
}

static void first_pass(u8 *arg, const struct pcap_pkthdr *h, const u8 *data)
{
	struct pass *p = (struct pass *)arg;
	struct file *file = p->file;
	u64 ns = time_of(h);
	struct rct_frame f;
	struct rct_pkt pkt;
	int rc;

	file->packets++;
	file->truncated += h->caplen < h->len;
	count_time(p->s, ns);
	make_frame(p, h, data, &f);
	rc = rct_parse(&f, &pkt);
	if (rc) {
		count_refused(file, &f, rc);
		return;
	}
	file->verdict[RCT_OK]++;
	rc = count(p, &f, &pkt, ns);
	if (rc < 0) {
		stop(p, rc);
		return;
	}
	rc = rct_icrc_check(&f, &pkt);
	if (rc != RCT_ICRC_UNKNOWN)
		rct_flowtab_icrc(p->tab, rc == RCT_ICRC_GOOD);
}

static void second_pass(u8 *arg, const struct pcap_pkthdr *h, const u8 *data)
{
	struct pass *p = (struct pass *)arg;
	struct rct_frame f;
	struct rct_pkt pkt;
	int rc;

	if (!p->left) {
		stop(p, 0);
		return;
	}
	p->left--;
	make_frame(p, h, data, &f);
	if (rct_parse(&f, &pkt))
		return;
	rc = count(p, &f, &pkt, time_of(h));
	if (rc < 0)
		stop(p, rc);
}

/* Frames of a link type that is not looked into: they are counted. */
static void count_only(u8 *arg, const struct pcap_pkthdr *h, const u8 *data)
{
	struct pass *p = (struct pass *)arg;

	(void)data;
	p->file->packets++;
	p->file->truncated += h->caplen < h->len;
	p->file->verdict[RCT_OTHER]++;
	count_time(p->s, time_of(h));
}

/* ---- one file */

/* What libpcap can't read although it is not damaged, by its words, in better ones. */
#define MIXED(what) "interfaces of different " what ", which libpcap does not read; take out one: tshark -r FILE -Y frame.interface_id==0 -w ONE.pcapng"

static const struct {
	const char *says, *means;
} refusals[] = {
	{ "different from the type of the first interface", MIXED("link types") },
	{ "different from the snapshot length of the first interface", MIXED("snapshot lengths") },
};

static const char *reword(const char *reason)
{
	for (size_t i = 0; i < RCT_ARRAY_SIZE(refusals); i++) {
		if (strstr(reason, refusals[i].says))
			return refusals[i].means;
	}
	return reason;
}

/* The reason goes to the coverage, with the file's name also to the user. */
static int wrong(struct file *file, int errnum, struct rct_err *err)
{
	return rct_fail(err, errnum, "%s: %s", rct_infile_name(file->in), file->why);
}

/* It can't be read on: the reason of whoever saw it first. */
static int damaged(struct file *file, FILE *stream, const char *reason, struct rct_err *err)
{
	const char *own = rct_infile_error(file->in);

	snprintf(file->why, sizeof(file->why), "%.160s, at byte %lld%s, after %llu packets",
		 *own ? own : reword(reason), (long long)ftello(stream),
		 rct_infile_compressed(file->in) ? " uncompressed" : "",
		 (unsigned long long)file->packets);
	return wrong(file, EBADMSG, err);
}

/* Not even its header can be read. */
static int no_capture(struct file *file, const char *reason, struct rct_err *err)
{
	const char *own = rct_infile_error(file->in);

	snprintf(file->why, sizeof(file->why), "is not a capture file, pcap or pcapng: %.120s",
		 *own ? own : reason);
	return wrong(file, EBADMSG, err);
}

static int unsupported(struct file *file, struct rct_err *err)
{
	const char *name = pcap_datalink_val_to_name(file->dlt);

	file->unsupported = true;
	snprintf(file->why, sizeof(file->why), "link type %s (%d) is not supported, its packets were counted and not looked into; Ethernet, Linux cooked, raw IP and BSD loopback are",
		 name ? name : "unknown", file->dlt);
	return wrong(file, EPROTONOSUPPORT, err);
}

static int run(struct pass *p, FILE *stream, pcap_handler step, struct rct_err *err)
{
	int rc = pcap_loop(p->pcap, -1, step, (u8 *)p);

	if (rc == PCAP_ERROR)
		return damaged(p->file, stream, pcap_geterr(p->pcap), err);
	if (p->rc)
		return rct_fail(err, -p->rc, "%s: no memory for the flows", rct_infile_name(p->file->in));
	return 0;
}

static int read_stream(struct pass *p, FILE *stream, bool first, struct rct_err *err)
{
	int rc;

	p->file->dlt = pcap_datalink(p->pcap);
	p->link = rct_linktype_find(p->file->dlt);
	if (p->link)
		return run(p, stream, first ? first_pass : second_pass, err);
	if (!first)
		return 0;
	rc = run(p, stream, count_only, err);
	return rc ? rc : unsupported(p->file, err);
}

static int read_file(struct pass *p, bool first, struct rct_err *err)
{
	FILE *stream = rct_infile_stream(p->file->in);
	char text[PCAP_ERRBUF_SIZE] = "";
	int rc;

	if (!stream)
		return rct_fail(err, errno, "%s: cannot read: %s", rct_infile_name(p->file->in),
				strerror(errno));
	p->left = p->file->packets;
	p->pcap = pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, text);
	if (!p->pcap) {
		rc = no_capture(p->file, text, err);
		fclose(stream);
		return rc;
	}
	rc = read_stream(p, stream, first, err);
	pcap_close(p->pcap);	/* and the stream */
	return rc;
}

/* ---- all files */

static int first_read(struct pass *p, struct file *files, const char *const *names, size_t n,
		      struct rct_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		p->file = &files[i];
		rc = rct_infile_open(names[i], &files[i].in, err);
		if (!rc)
			rc = read_file(p, true, err);
	}
	return rc;
}

/* The same packets again; what stopped the first reading stops this one, too, and was told. */
static int second_read(struct pass *p, struct file *files, size_t n)
{
	for (size_t i = 0; i < n && files[i].in && !p->rc; i++) {
		p->file = &files[i];
		if (files[i].packets)
			read_file(p, false, NULL);
	}
	return p->rc;
}

/* Of a long path the end, which is the file's name. */
static void set_object(struct rct_coverage *c, const char *name)
{
	size_t len = strlen(name), room = sizeof(c->object) - 1;

	if (len <= room)
		memcpy(c->object, name, len + 1);
	else
		snprintf(c->object, sizeof(c->object), "...%s", name + len - room + 3);
}

static int describe(struct rct_snapshot *s, const struct file *file)
{
	struct rct_coverage *c = rct_snapshot_add_coverage(s);
	struct rct_iface *iface = rct_snapshot_add_iface(s);

	if (!c || !iface)
		return -ENOMEM;
	c->source = "packets";
	set_object(c, rct_infile_name(file->in));
	snprintf(c->method, sizeof(c->method), "pcap");
	c->state = !*file->why ? RCT_COV_OK : file->unsupported || !file->packets ? RCT_COV_NONE :
		   RCT_COV_PARTIAL;
	memcpy(c->why, file->why, sizeof(c->why));
	memcpy(iface->verdict, file->verdict, sizeof(iface->verdict));
	iface->pause[0] = file->pause;
	s->totals.packets += file->packets;
	s->totals.truncated += file->truncated;
	for (int v = RCT_OTHER; v < RCT_VERDICT_COUNT; v++)
		s->totals.refused[v] += file->verdict[v];
	return 0;
}

/* The files that were opened. */
static int describe_all(struct rct_snapshot *s, const struct file *files, size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < n && files[i].in && !rc; i++)
		rc = describe(s, &files[i]);
	return rc;
}

static int read_all(struct pass *p, struct file *files, const char *const *names, size_t n,
		    struct rct_err *err)
{
	int damage = first_read(p, files, names, n, err), rc;

	if (p->rc)
		return p->rc;
	rc = rct_flowtab_rewind(p->tab);
	if (rc == 1)
		rc = second_read(p, files, n);
	if (!rc)
		rc = rct_flowtab_snapshot(p->tab, p->s);
	if (!rc)
		rc = describe_all(p->s, files, n);
	if (rc)
		return rct_fail(err, -rc, "no memory for the report");
	rct_snapshot_sum(p->s);
	return damage;
}

int rct_pcapfile_read(const char *const *names, size_t n, struct rct_snapshot *s,
		      struct rct_err *err)
{
	struct file *files = calloc(n ? n : 1, sizeof(*files));
	struct pass p = { .s = s, .tab = rct_flowtab_new() };
	int rc;

	s->tick_us = RCT_FLOWTAB_TICK_US;
	if (files && p.tab)
		rc = read_all(&p, files, names, n, err);
	else
		rc = rct_fail(err, ENOMEM, "no memory");
	for (size_t i = 0; files && i < n; i++)
		rct_infile_close(files[i].in);
	free(files);
	rct_flowtab_free(p.tab);
	return rc;
}
