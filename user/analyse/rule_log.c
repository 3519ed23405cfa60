// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the kernel log says. The first event in time is named as coincident with what
 * follows, not as its proof; what is older than an hour is a notice.
 */
#include <stdio.h>
#include <stdlib.h>

#include "analyse/nics.h"
#include "base/units.h"

#define RECENT		3600.0
#define TOGETHER	5.0	/* seconds: lines of one event */

/* Seconds before the reading; < 0: not known. */
static double age(const struct rct_case *c, const struct rct_log *l)
{
	return l->at >= 0 && c->s->facts->uptime >= l->at ? c->s->facts->uptime - l->at : -1;
}

static bool recent(const struct rct_case *c, const struct rct_log *l)
{
	double s = age(c, l);

	return s < 0 || s < RECENT;
}

static enum rct_severity if_recent(const struct rct_case *c, const struct rct_log *l, enum rct_severity s)
{
	return recent(c, l) ? s : RCT_NOTICE;
}

static const char *age_text(const struct rct_case *c, const struct rct_log *l, char buf[32])
{
	double s = age(c, l);

	if (s < 0)
		strcpy(buf, "when is not known");
	else if (s < 600)
		snprintf(buf, 32, "%.0f s ago", s);
	else
		snprintf(buf, 32, "%.0f minutes ago", s / 60);
	return buf;
}

static void say_line(struct rct_finding *f, const char *metric, const struct rct_log *l)
{
	char at[32] = "kernel log";

	if (l->at >= 0)
		RCT_SAY(at, "kernel log [%.1f]", l->at);
	rct_evidence(f, metric, NULL, at, "%.95s", l->text);
}

static const struct rct_log *first_of(const struct rct_facts *f, enum rct_log_class class)
{
	for (u32 i = 0; i < f->n_log; i++) {
		if (f->log[i].class == class)
			return &f->log[i];
	}
	return NULL;
}

/* ---- nic.firmware */

static const char *after(const char *text, const char *key, char *buf, size_t size)
{
	const char *p = strstr(text, key);

	*buf = '\0';
	if (p)
		snprintf(buf, size, "%.*s", (int)strcspn(p + strlen(key), " :,;"), p + strlen(key));
	return buf;
}

/* What the health report of one device says. */
static void say_health(struct rct_case *c, const struct rct_nic *n, struct rct_finding *f)
{
	const struct rct_facts *facts = c->s->facts;
	char syndrome[32] = "", firmware[RCT_NAME];

	RCT_SAY(firmware, "%s", n->fw);
	for (u32 i = 0; i < facts->n_log; i++) {
		const struct rct_log *l = &facts->log[i];
		char word[64];

		if (l->class != RCT_LOG_HEALTH || rct_nic_of(facts, l->object) != n)
			continue;
		if (strstr(l->text, " synd 0x") && !strstr(l->text, "ext_synd"))
			rct_evidence(f, "syndrome", NULL, "kernel log", "%.90s", strstr(l->text, "synd ") + 5);
		else if (!*syndrome && *after(l->text, "syndrome ", word, sizeof(word)))
			RCT_SAY(syndrome, "%.31s", word);
		if (!*firmware && *after(l->text, "fw_ver ", word, sizeof(word)))
			RCT_SAY(firmware, "%.63s", word);
	}
	if (*syndrome)
		rct_evidence(f, "syndrome", NULL, "kernel log", "%s", syndrome);
	rct_evidence(f, "firmware", NULL, "class/infiniband", "%s", *firmware ? firmware : "n/a");
}

static const struct rct_log *first_health(const struct rct_facts *f, const struct rct_nic *n)
{
	const struct rct_log *last_good = NULL;

	for (u32 i = f->n_log; i-- > 0;) {
		const struct rct_log *l = &f->log[i];

		if (l->class != RCT_LOG_HEALTH || rct_nic_of(f, l->object) != n)
			continue;
		if (strstr(l->text, "recovery succeeded"))
			break;
		last_good = l;
	}
	return last_good;
}

static void found_sick(struct rct_case *c, const struct rct_nic *n)
{
	const struct rct_log *l = first_health(c->s->facts, n);
	struct rct_finding *f = rct_find(c, RCT_CRITICAL, RCT_CONF_HIGH, RCT_SCOPE_NIC);
	const struct rct_netif *i = rct_nic_netif(c->s->facts, n);
	char when[32], name[RCT_NIC_TEXT];
	const char *pci = *n->pci ? n->pci : i ? i->pci : "";

	RCT_SAY(f->object, "%s%s%s%s", rct_nic_text(n, name), *pci ? " (" : "", pci, *pci ? ")" : "");
	RCT_SAY(f->title, "The NIC's firmware reported a fault %s: its health is compromised.", age_text(c, l, when));
	say_line(f, "first line", l);
	say_health(c, n, f);
	rct_evidence(f, "counters", NULL, NULL, "may be frozen: deltas of 0 prove nothing for this NIC");
	RCT_SAY(f->impact, "its queue pairs hang or fail; not a fault of the network");
	RCT_SAY(f->refuted_by, "a later line that says: health recovery succeeded");
	rct_next(f, "drain this host; devlink health show; devlink health diagnose pci/%s reporter fw", *pci ? pci : "ADDRESS");
	rct_next(f, "devlink health dump show pci/%s reporter fw_fatal   (for the vendor); then firmware update, power cycle, or replace",
		 *pci ? pci : "ADDRESS");
	f->weight = RCT_CAUSE * 4;
}

/* Resets, command time-outs: signs that the firmware does not keep up. */
static void found_firmware_lines(struct rct_case *c, const struct rct_nic *n)
{
	const struct rct_facts *facts = c->s->facts;
	struct rct_finding *f = NULL;
	char when[32];

	for (u32 i = 0; i < facts->n_log; i++) {
		const struct rct_log *l = &facts->log[i];

		if (l->class != RCT_LOG_FW || rct_nic_of(facts, l->object) != n)
			continue;
		if (!f) {
			f = rct_find(c, RCT_WARNING, RCT_CONF_MEDIUM, RCT_SCOPE_NIC);
			rct_about_nic(n, f);
			RCT_SAY(f->title, "The NIC's driver complains about its firmware (%s).", age_text(c, l, when));
		}
		f->severity = if_recent(c, l, RCT_WARNING);
		say_line(f, "log", l);
	}
	if (f)
		rct_next(f, "devlink health show; devlink dev info   (firmware version against the driver's release notes)");
}

void rct_rule_nic_firmware(struct rct_case *c)
{
	for (u32 k = 0; k < c->s->facts->n_nics; k++) {
		const struct rct_nic *n = &c->s->facts->nics[k];

		if (rct_nic_sick(c, n))
			found_sick(c, n);
		else
			found_firmware_lines(c, n);
	}
}

/* ---- host.xid */

enum xid_kind { XID_FOLLOWS, XID_APPLICATION, XID_HARDWARE };

static const struct xid {
	s32 code;
	enum xid_kind kind;
	const char *text;
} xids[] = {
	{ 13, XID_APPLICATION, "graphics engine exception" },
	{ 31, XID_APPLICATION, "memory page fault" },
	{ 43, XID_APPLICATION, "GPU stopped processing" },
	{ 45, XID_FOLLOWS, "preemptive clean-up, a follow-up of another error or of a kill" },
	{ 48, XID_HARDWARE, "double bit ECC error" },
	{ 61, XID_HARDWARE, "internal micro-controller breakpoint" },
	{ 62, XID_HARDWARE, "internal micro-controller halt" },
	{ 63, XID_FOLLOWS, "row remapping recorded" },
	{ 64, XID_HARDWARE, "row remapping failed" },
	{ 74, XID_HARDWARE, "NVLink error" },
	{ 79, XID_HARDWARE, "GPU has fallen off the bus" },
	{ 92, XID_FOLLOWS, "high rate of corrected ECC errors" },
	{ 94, XID_HARDWARE, "contained ECC error" },
	{ 95, XID_HARDWARE, "uncontained ECC error" },
	{ 119, XID_HARDWARE, "GSP firmware does not answer" },
	{ 120, XID_HARDWARE, "GSP firmware error" },
	{ 140, XID_HARDWARE, "unrecovered ECC error" },
};

static const struct xid *xid_of(const struct rct_log *l)
{
	static const struct xid other = { -1, XID_APPLICATION, "GPU error" };

	for (size_t i = 0; i < sizeof(xids) / sizeof(xids[0]); i++) {
		if (xids[i].code == l->code)
			return &xids[i];
	}
	return &other;
}

/* The first fault of hardware; else the first of a program; else the first follow-up. */
static const struct rct_log *first_xid(const struct rct_facts *f)
{
	const struct rct_log *best = NULL;

	for (u32 i = 0; i < f->n_log; i++) {
		const struct rct_log *l = &f->log[i];

		if (l->class != RCT_LOG_XID)
			continue;
		if (!best || xid_of(l)->kind > xid_of(best)->kind)
			best = l;
	}
	return best;
}

/* A PCIe error of the same device in the same moment. */
static const struct rct_log *aer_with(const struct rct_facts *f, const struct rct_log *x)
{
	for (u32 i = 0; i < f->n_log; i++) {
		const struct rct_log *l = &f->log[i];
		double apart = l->at - x->at;

		if (l->class == RCT_LOG_AER && !strcmp(l->object, x->object) && apart > -TOGETHER && apart < TOGETHER)
			return l;
	}
	return NULL;
}

static const struct rct_log *next_xid(const struct rct_facts *f, const struct rct_log *x)
{
	for (const struct rct_log *l = x + 1; l < f->log + f->n_log; l++) {
		if (l->class == RCT_LOG_XID && strcmp(l->object, x->object))
			return l;
	}
	return NULL;
}

static void say_followers(struct rct_case *c, struct rct_finding *f, const struct rct_log *x)
{
	const struct rct_log *aer = aer_with(c->s->facts, x), *next = next_xid(c->s->facts, x);

	if (aer)
		say_line(f, "PCIe", aer);
	if (next)
		rct_evidence(f, "next GPU error", NULL, "kernel log", "%.0f s later: Xid %d of %s", next->at - x->at,
			     next->code, next->object);
	if (c->s->facts->nccl.n_errors)
		rct_explains(f, "NCCL errors of this job: the peers lost a rank");
}

void rct_rule_host_xid(struct rct_case *c)
{
	const struct rct_log *x = first_xid(c->s->facts);
	const struct xid *kind = x ? xid_of(x) : NULL;
	struct rct_finding *f;
	char when[32];

	if (!x)
		return;
	f = rct_find(c, if_recent(c, x, kind->kind == XID_HARDWARE ? RCT_CRITICAL :
				  kind->kind == XID_APPLICATION ? RCT_WARNING : RCT_NOTICE),
		     RCT_CONF_MEDIUM, RCT_SCOPE_HOST);
	RCT_SAY(f->object, "GPU %s", x->object);
	RCT_SAY(f->title, "Xid %d: %s, %s. The first such event in the log; what follows may be its consequence.",
		x->code, kind->text, age_text(c, x, when));
	say_line(f, "first event", x);
	say_followers(c, f, x);
	RCT_SAY(f->refuted_by, "errors of the job that are older than this event");
	rct_next(f, "drain this host; nvidia-smi -q -d ECC,PAGE_RETIREMENT; nvidia-bug-report.sh; reset or replace the GPU");
	f->weight = RCT_CAUSE * 4;
}

/* ---- host.aer */

static bool fatal(const struct rct_log *l)
{
	return strstr(l->text, "Uncorrect") || strstr(l->text, "ncorrected");
}

void rct_rule_host_aer(struct rct_case *c)
{
	const struct rct_facts *facts = c->s->facts;
	const struct rct_log *x = first_xid(facts);
	struct rct_finding *f = NULL;
	u32 more = 0;

	for (u32 i = 0; i < facts->n_log; i++) {
		const struct rct_log *l = &facts->log[i];
		const struct rct_nic *n = rct_nic_of(facts, l->object);
		enum rct_severity s = !fatal(l) ? RCT_NOTICE : n ? RCT_CRITICAL : RCT_WARNING;

		if (l->class != RCT_LOG_AER || (x && !strcmp(x->object, l->object)))
			continue;
		s = if_recent(c, l, s);
		if (f && s <= f->severity) {
			more++;
			continue;
		}
		f = rct_find(c, s, RCT_CONF_MEDIUM, n ? RCT_SCOPE_NIC : RCT_SCOPE_HOST);
		RCT_SAY(f->object, "%s", l->object);
		RCT_SAY(f->title, "PCIe error%s of %s.", fatal(l) ? " that was not corrected" : ", corrected", l->object);
		say_line(f, "log", l);
		RCT_SAY(f->refuted_by, "a rate of corrected errors that does not grow, and no lost transfer");
		rct_next(f, "lspci -vv -s %s   (UESta, CESta, LnkSta); reseat card and riser", l->object);
	}
	if (f && more)
		rct_evidence(f, "further lines", NULL, "kernel log", "%u", more);
}

/* ---- host.oom, host.watchdog, host.mce, host.iommu: one class of lines each */

static void judge_class(struct rct_case *c, enum rct_log_class class, enum rct_severity severity,
			const char *title, const char *next)
{
	const struct rct_log *l = first_of(c->s->facts, class);
	struct rct_finding *f;
	u32 n = 0;

	if (!l)
		return;
	for (u32 i = 0; i < c->s->facts->n_log; i++)
		n += c->s->facts->log[i].class == class;
	f = rct_find(c, if_recent(c, l, severity), RCT_CONF_MEDIUM, RCT_SCOPE_HOST);
	RCT_SAY(f->object, "%s", *l->object ? l->object : "host");
	RCT_SAY(f->title, "%s", title);
	say_line(f, "first line", l);
	if (n > 1)
		rct_evidence(f, "such lines", NULL, "kernel log", "%u", n);
	rct_next(f, "%s", next);
	f->weight = RCT_CAUSE;
}

void rct_rule_host_oom(struct rct_case *c)
{
	judge_class(c, RCT_LOG_OOM, RCT_WARNING, "The kernel killed a process for lack of memory: its peers see a connection that dies.",
		    "was it a rank of the job? dmesg -T | grep -i 'killed process'; memory limits of the job's cgroup");
}

void rct_rule_host_watchdog(struct rct_case *c)
{
	judge_class(c, RCT_LOG_TX_TIMEOUT, RCT_WARNING, "A transmit queue of a NIC stood still until the kernel's watchdog spoke.",
		    "ethtool -S of the interface; devlink health show; is its link up, is it paused all the time?");
	judge_class(c, RCT_LOG_LOCKUP, RCT_WARNING, "A CPU of this host stood still: interrupts and processes on it waited.",
		    "dmesg -T around that line; firmware and kernel versions");
	judge_class(c, RCT_LOG_HUNG, RCT_NOTICE, "A task waited for minutes in the kernel.",
		    "cat /proc/PID/stack of that task; storage, file system or driver?");
}

void rct_rule_host_mce(struct rct_case *c)
{
	judge_class(c, RCT_LOG_MCE, RCT_WARNING, "The processor reported a hardware error.",
		    "mcelog or rasdaemon: ras-mc-ctl --summary; memory module or processor?");
}

void rct_rule_host_iommu(struct rct_case *c)
{
	judge_class(c, RCT_LOG_IOMMU, RCT_WARNING, "The IOMMU refused a transfer of a device: its data did not arrive.",
		    "which device is it, is it a NIC with GPUDirect? ACS, iommu=pt, driver versions");
}

/* ---- host.timeline: module, link, time-outs, job: in this order */

static const struct rct_log *earlier(const struct rct_log *a, const struct rct_log *b)
{
	if (!a || !b)
		return a ? a : b;
	return b->at >= 0 && (a->at < 0 || b->at < a->at) ? b : a;
}

static u64 total(const struct rct_case *c, enum rct_canonical x)
{
	u64 sum = 0;

	for (u32 k = 0; k < c->s->facts->n_nics; k++) {
		struct rct_num v = rct_nic_counter(c->s->facts, &c->s->facts->nics[k], x, 0, NULL, 0);

		sum += v.have == RCT_THERE ? v.v : 0;
	}
	return sum;
}

static bool job_failed(const struct rct_facts *f)
{
	for (u32 i = 0; i < f->nccl.n_errors; i++) {
		if (f->nccl.errors[i].status == 12)
			return true;
	}
	return false;
}

static const char *event_name(const struct rct_log *l)
{
	switch (l->class) {
	case RCT_LOG_MODULE:
		return "module error";
	case RCT_LOG_TEMPERATURE:
		return "high temperature";
	case RCT_LOG_HEALTH:
		return "firmware fault";
	case RCT_LOG_LINK_DOWN:
		return "link down";
	default:
		return "event";
	}
}

void rct_rule_host_timeline(struct rct_case *c)
{
	const struct rct_facts *facts = c->s->facts;
	const struct rct_log *module = earlier(first_of(facts, RCT_LOG_MODULE), first_of(facts, RCT_LOG_TEMPERATURE));
	const struct rct_log *down = first_of(facts, RCT_LOG_LINK_DOWN);
	const struct rct_log *first = earlier(earlier(module, down), first_of(facts, RCT_LOG_HEALTH));
	u64 timeouts = total(c, RCT_C_ACK_TIMEOUT);
	struct rct_finding *f;
	char chain[80], when[32];

	if (!first || !(job_failed(facts) || (timeouts && down)) || !recent(c, first))
		return;
	RCT_SAY(chain, "%s%s%s%s", event_name(first), down && down != first ? ", link down" : "",
		timeouts ? ", ACK timeouts" : "", job_failed(facts) ? ", NCCL status 12" : "");
	f = rct_find(c, RCT_NOTICE, RCT_CONF_MEDIUM, RCT_SCOPE_HOST);
	if (rct_nic_of(facts, first->object))
		rct_about_nic(rct_nic_of(facts, first->object), f);
	else
		RCT_SAY(f->object, "%s", *first->object ? first->object : "host");
	RCT_SAY(f->title, "Time line: %s. The first event (%s) is the probable cause.", chain, age_text(c, first, when));
	say_line(f, "first event", first);
	if (down && down != first)
		say_line(f, "then", down);
	if (timeouts)
		rct_evidence(f, "ACK timeouts", "when is not known", "hw_counters", "%llu since boot",
			     (unsigned long long)timeouts);
	RCT_SAY(f->refuted_by, "errors of the job that are older than the first event");
}

/* ---- host.exonerated */

static bool counters_clean(const struct rct_case *c)
{
	static const enum rct_canonical signs[] = {
		RCT_C_OUT_OF_SEQUENCE, RCT_C_SEQ_NAK_RECEIVED, RCT_C_ACK_TIMEOUT, RCT_C_RETRY_EXCEEDED, RCT_C_CRC_ERROR,
	};
	u32 known = 0;

	for (u32 k = 0; k < c->s->facts->n_nics; k++) {
		for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
			const struct rct_nic *n = &c->s->facts->nics[k];
			struct rct_num v = rct_nic_counter(c->s->facts, n, signs[i], 0, NULL, 0);
			struct rct_delta d = rct_nic_grew(c, n, signs[i]);

			if (c->s->before ? rct_grown(&d) : v.have == RCT_THERE && v.v)
				return false;
			known += c->s->before ? d.have == RCT_THERE : v.have == RCT_THERE;
		}
	}
	return known >= 2;
}

void rct_rule_host_exonerated(struct rct_case *c)
{
	struct rct_finding *f;

	if (!rct_has(c, "host.xid") && !rct_has(c, "host.oom") && !rct_has(c, "host.aer"))
		return;
	if (!counters_clean(c) || rct_has(c, "nic.firmware"))
		return;
	f = rct_find(c, RCT_NOTICE, RCT_CONF_MEDIUM, RCT_SCOPE_HOST);
	RCT_SAY(f->object, "host");
	RCT_SAY(f->title, "Probably not the network: no counter of loss, timeouts or damaged frames %s.",
		c->s->before ? "moved" : "is above 0");
	RCT_SAY(f->refuted_by, "such counters at the peers");
}
