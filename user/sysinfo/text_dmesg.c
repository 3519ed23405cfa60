// SPDX-License-Identifier: BSD-2-Clause
/*
 * The kernel log. Lines are known by fixed phrases of the kernel's own sources; all
 * else in them varies. Lines of no class are passed over.
 */
#include "sysinfo/text.h"

#include <stdlib.h>
#include <string.h>

#include "sysinfo/text_scan.h"

#define LINE_KEPT	512
#define PHRASE_LEAST	7	/* no shorter line can be of a class */

/* Where the name of the thing stands that a line is about. */
enum object {
	O_BEFORE,	/* the word before the phrase: "eth0: Link down", "e1000: eth0 NIC Link is Up" */
	O_AFTER,	/* the word after it: "NETDEV WATCHDOG: eth0 (mlx5_core): ..." */
	O_HEAD,		/* "mlx5_core 0000:1a:00.0 eth0: ...": the interface, else the address */
	O_PCI,		/* the first PCI address */
	O_LAST_PCI,	/* the last one: the port that reports an error names its origin behind */
	O_XID,		/* "(PCI:0000:1b:00): " */
	O_NAME,		/* in parentheses after the phrase: "Killed process 71 (python3)" */
	O_SLAVE,	/* "(slave eth1): ", or after "for interface " */
	O_NONE,
};

struct phrase {
	const char *text;
	const char *also;	/* must be in the line too; NULL: nothing */
	enum rct_log_class class;
	enum object object;
	const char *code;	/* a number follows this; NULL: none */
};

/* The first that fits is taken: what is in other phrases too stands behind them. */
static const struct phrase phrases[] = {
	{ "Port module event", NULL, RCT_LOG_MODULE, O_PCI, "module " },
	{ "unsupported module type was detected", NULL, RCT_LOG_MODULE, O_PCI, NULL },
	{ "power requirements exceed", NULL, RCT_LOG_MODULE, O_PCI, NULL },
	{ "High temperature on sensors", NULL, RCT_LOG_TEMPERATURE, O_PCI, NULL },
	{ "Chip temperature has gone", NULL, RCT_LOG_TEMPERATURE, O_HEAD, NULL },
	{ "link status definitely", NULL, RCT_LOG_BOND, O_SLAVE, NULL },
	{ "lag map", "mlx5", RCT_LOG_BOND, O_PCI, NULL },
	{ " NIC Link is Down", NULL, RCT_LOG_LINK_DOWN, O_BEFORE, NULL },
	{ " NIC Link is Up", NULL, RCT_LOG_LINK_UP, O_BEFORE, NULL },
	{ ": Link is Down", NULL, RCT_LOG_LINK_DOWN, O_BEFORE, NULL },
	{ ": Link is Up", NULL, RCT_LOG_LINK_UP, O_BEFORE, NULL },
	{ ": Link down", NULL, RCT_LOG_LINK_DOWN, O_BEFORE, NULL },
	{ ": Link up", NULL, RCT_LOG_LINK_UP, O_BEFORE, NULL },
	{ ": renamed from", NULL, RCT_LOG_RENAMED, O_BEFORE, NULL },
	{ "NETDEV WATCHDOG: ", NULL, RCT_LOG_TX_TIMEOUT, O_AFTER, "queue " },
	{ ": TX timeout detected", NULL, RCT_LOG_TX_TIMEOUT, O_BEFORE, NULL },
	{ "NVRM: Xid (PCI:", NULL, RCT_LOG_XID, O_XID, "): " },
	{ "insufficient power on the PCIe slot", NULL, RCT_LOG_PCIE_POWER, O_PCI, NULL },
	{ "available PCIe bandwidth, limited by", NULL, RCT_LOG_PCIE_WIDTH, O_PCI, NULL },
	{ "PCIe Bus Error: severity=", NULL, RCT_LOG_AER, O_PCI, NULL },
	{ " error message received from ", "AER:", RCT_LOG_AER, O_LAST_PCI, NULL },
	{ " error received: ", "AER:", RCT_LOG_AER, O_LAST_PCI, NULL },
	{ "aer_status:", NULL, RCT_LOG_AER, O_PCI, NULL },
	{ "link has been reset", "AER:", RCT_LOG_AER, O_PCI, NULL },
	{ "Health issue observed,", NULL, RCT_LOG_HEALTH, O_PCI, NULL },
	{ ": synd 0x", "mlx5", RCT_LOG_HEALTH, O_PCI, "synd " },
	{ "device's health compromised", NULL, RCT_LOG_HEALTH, O_PCI, NULL },
	{ "assert_var[", "mlx5", RCT_LOG_HEALTH, O_PCI, NULL },
	{ "Fatal error ", "mlx5", RCT_LOG_HEALTH, O_PCI, "error " },
	{ "health recovery ", "mlx5", RCT_LOG_HEALTH, O_PCI, NULL },
	{ "Driver is in error state", NULL, RCT_LOG_HEALTH, O_PCI, NULL },
	{ "PCI channel offline", NULL, RCT_LOG_HEALTH, O_PCI, NULL },
	{ "Will cause a leak of a command resource", NULL, RCT_LOG_FW, O_PCI, NULL },
	{ "No done completion", NULL, RCT_LOG_FW, O_PCI, NULL },
	{ "Sync Reset", "mlx5", RCT_LOG_FW, O_PCI, NULL },
	{ "Got Device Reset", NULL, RCT_LOG_FW, O_PCI, NULL },
	{ "FW reported ", "bnxt", RCT_LOG_FW, O_HEAD, NULL },
	{ "Firmware recover", NULL, RCT_LOG_FW, O_HEAD, NULL },
	{ "not set during FW reset", NULL, RCT_LOG_FW, O_HEAD, NULL },
	{ "RX ring reset failed", NULL, RCT_LOG_FW, O_HEAD, NULL },
	{ "due to MDD event", NULL, RCT_LOG_FW, O_HEAD, NULL },
	{ " failed", "ice 0000:", RCT_LOG_FW, O_HEAD, "reset " },
	{ ": QP ", " error: ", RCT_LOG_QP_ERROR, O_BEFORE, "QP " },
	{ "dump error cqe", NULL, RCT_LOG_QP_ERROR, O_HEAD, NULL },
	{ "dump_cqe", "mlx5", RCT_LOG_QP_ERROR, O_HEAD, NULL },
	{ ": neighbor table overflow", NULL, RCT_LOG_NEIGH_OVERFLOW, O_BEFORE, NULL },
	{ ": table full, dropping packet", "nf_conntrack", RCT_LOG_CONNTRACK, O_NONE, NULL },
	{ "ut of memory: Kill", NULL, RCT_LOG_OOM, O_NAME, "process " },
	{ " blocked for more than ", "task ", RCT_LOG_HUNG, O_BEFORE, NULL },
	{ "soft lockup", NULL, RCT_LOG_LOCKUP, O_NONE, "CPU#" },
	{ "hard LOCKUP", NULL, RCT_LOG_LOCKUP, O_NONE, "cpu " },
	{ "detected stalls", "rcu", RCT_LOG_LOCKUP, O_NONE, NULL },
	{ "nobody cared", "irq ", RCT_LOG_LOCKUP, O_NONE, "irq " },
	{ "mce: [Hardware Error]", NULL, RCT_LOG_MCE, O_NONE, "CPU " },
	{ "DMAR: [DMA ", NULL, RCT_LOG_IOMMU, O_PCI, NULL },
	{ "AMD-Vi: Event logged", NULL, RCT_LOG_IOMMU, O_PCI, NULL },
	{ "without XDP", NULL, RCT_LOG_XDP, O_HEAD, NULL },
	{ "XDP frag", NULL, RCT_LOG_XDP, O_HEAD, NULL },
	{ "XDP is not", NULL, RCT_LOG_XDP, O_HEAD, NULL },
	{ "for XDP", "MTU", RCT_LOG_XDP, O_HEAD, NULL },
};

/* ---- object */

static bool hex(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* DDDD:BB:DD.F begins here */
static bool pci_here(const char *p, const char *end)
{
	static const char shape[] = "xxxx:xx:xx.x";

	if (end - p < (ptrdiff_t)sizeof(shape) - 1)
		return false;
	for (size_t i = 0; shape[i]; i++) {
		if (shape[i] == 'x' ? !hex(p[i]) : p[i] != shape[i])
			return false;
	}
	return true;
}

static struct rct_str pci_in(struct rct_str line, bool last)
{
	struct rct_str found = { line.p, 0 };

	for (const char *p = line.p; p < line.p + line.n; p++) {
		if (!pci_here(p, line.p + line.n))
			continue;
		found = (struct rct_str){ p, 12 };
		if (!last)
			break;
	}
	return found;
}

static struct rct_str last_word(struct rct_str s)
{
	struct rct_str w, last = { s.p, 0 };

	while ((w = rct_str_word(&s)).n)
		last = w;
	while (last.n && (last.p[last.n - 1] == ':' || last.p[last.n - 1] == ','))
		last.n--;
	return last;
}

/* "drv 0000:1a:00.0 eth0: words" or "drv 0000:1a:00.0: words" */
static struct rct_str head_of(struct rct_str line)
{
	struct rct_str addr = pci_in(line, false), rest, w;

	if (!addr.n)
		return addr;
	rest = (struct rct_str){ addr.p + addr.n, line.p + line.n - addr.p - addr.n };
	if (!rct_str_starts(rest, " "))
		return addr;
	w = rct_str_word(&rest);
	if (w.n < 2 || w.p[w.n - 1] != ':' || w.p[0] == '(')
		return addr;
	return (struct rct_str){ w.p, w.n - 1 };
}

static struct rct_str slave_of(struct rct_str line)
{
	struct rct_str rest = { line.p, 0 };

	if (rct_str_after(line, "(slave ", NULL, &rest))
		return rct_str_until(rest, ")");
	if (rct_str_after(line, "for interface ", NULL, &rest))
		return rct_str_until(rest, " ,");
	return rest;
}

static struct rct_str object_of(enum object kind, struct rct_str line, struct rct_str before,
				struct rct_str after)
{
	struct rct_str none = { line.p, 0 };

	switch (kind) {
	case O_BEFORE:
		return last_word(before);
	case O_AFTER:
		return rct_str_until(after, " :(");
	case O_HEAD:
		return head_of(line);
	case O_PCI:
		return pci_in(line, false);
	case O_LAST_PCI:
		return pci_in(line, true);
	case O_XID:
		return rct_str_until(after, ")");
	case O_NAME:
		return rct_str_after(after, "(", NULL, &after) ? rct_str_until(after, ")") : none;
	case O_SLAVE:
		return slave_of(line);
	case O_NONE:
		break;
	}
	return none;
}

static void set_object(struct rct_log *l, enum object kind, struct rct_str s)
{
	size_t n;

	rct_str_copy(l->object, sizeof(l->object), s);
	n = strlen(l->object);
	/* the driver leaves the function out, which is 0 */
	if (kind == O_XID && n == 10)
		memcpy(l->object + n, ".0", 3);
	/* "task nccl:8121 blocked", "mlx5_0/1: QP 7 error": the name alone */
	if (l->class == RCT_LOG_HUNG)
		l->object[strcspn(l->object, ":")] = '\0';
	else if (l->class == RCT_LOG_QP_ERROR)
		l->object[strcspn(l->object, "/")] = '\0';
}

static s32 code_of(const struct phrase *ph, struct rct_str line)
{
	u64 v;

	while (ph->code && rct_str_after(line, ph->code, NULL, &line)) {
		if (rct_str_leading(line, &v) && v <= INT32_MAX)
			return v;
	}
	return -1;
}

/* ---- a line */

/* "12.345" without the C library's other spellings of numbers; < 0: it is none */
static double seconds(struct rct_str s)
{
	char text[32];

	s = rct_str_trim(s);
	rct_str_copy(text, sizeof(text), s);
	if (!s.n || s.n >= sizeof(text) || text[strspn(text, "0123456789.")])
		return -1;
	return strtod(text, NULL);
}

/* "prio,sequence,microseconds,flags;text" of /dev/kmsg */
static bool cut_kmsg(struct rct_str *line, double *at)
{
	struct rct_str head, rest, field[3];
	u64 v = 0;

	if (!rct_str_after(*line, ";", &head, &rest) || head.n > 80)
		return false;
	for (int i = 0; i < 3; i++) {
		if (!rct_str_pair(head, ',', &field[i], &head) || !rct_str_u64(field[i], &v))
			return false;
	}
	*at = v / 1e6;
	*line = rest;
	return true;
}

/* What stands before the text: "[  12.345678] ", "<6>[12.3] ", "kern  :err : [12.3] ", a journal's date. */
static double cut_time(struct rct_str *line)
{
	struct rct_str before, in, rest;
	double at = -1;

	if (cut_kmsg(line, &at))
		return at;
	if (rct_str_after(*line, "[", &before, &in) && rct_str_after(in, "] ", &in, &rest) && before.n < 24) {
		at = seconds(in);
		if (at >= 0 || !before.n)
			*line = rest;
	} else if (rct_str_after(*line, " kernel: ", &before, &rest) && before.n < 80) {
		*line = rest;
	}
	return at;
}

static const struct phrase *phrase_of(struct rct_str line, struct rct_str *before, struct rct_str *after)
{
	for (size_t i = 0; i < sizeof(phrases) / sizeof(phrases[0]); i++) {
		const struct phrase *ph = &phrases[i];

		if (rct_str_after(line, ph->text, before, after) &&
		    (!ph->also || rct_str_after(line, ph->also, NULL, NULL)))
			return ph;
	}
	return NULL;
}

static int take_line(struct rct_facts *f, struct rct_str line)
{
	const struct phrase *ph;
	struct rct_str before, after;
	struct rct_log *l;
	double at = cut_time(&line);

	line = rct_str_trim(line);
	if (line.n > LINE_KEPT)
		line.n = LINE_KEPT;
	if (line.n < PHRASE_LEAST)
		return 0;
	ph = phrase_of(line, &before, &after);
	if (!ph)
		return 0;
	l = RCT_LIST_ADD(f->log, f->n_log);
	if (!l)
		return rct_list_end(f->n_log);
	l->at = at;
	l->class = ph->class;
	set_object(l, ph->object, object_of(ph->object, line, before, after));
	l->code = code_of(ph, line);
	l->text = rct_str_dup(line);
	return l->text ? 0 : -ENOMEM;
}

/* An empty log is a log: nothing happened. */
int rct_text_dmesg(const char *text, size_t len, struct rct_facts *f)
{
	struct rct_str t = { text, len }, line;
	int rc = 0;

	f->log_read = true;
	while (!rc && rct_str_line(&t, &line))
		rc = take_line(f, line);
	return rc;
}
