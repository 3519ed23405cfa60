// SPDX-License-Identifier: BSD-2-Clause
/* Interrupt vectors: counts per CPU, where they may go and do go, whose they are. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"
#include "sysinfo/facts.h"
#include "sysinfo/text_scan.h"

#define CPUS_MAX	65536

/* ------------------------------------------------------------- lists of CPUs */

struct list {
	char *buf;
	size_t size, len;
	bool full;
};

static void list_add(struct list *l, u32 from, u32 to)
{
	int n;

	if (l->full)
		return;
	n = snprintf(l->buf + l->len, l->size - l->len, from == to ? "%s%u" : "%s%u-%u",
		     l->len ? "," : "", from, to);
	if ((size_t)n >= l->size - l->len)
		l->full = true;
	else
		l->len += n;
}

/* The groups of eight hexadecimal digits, the least significant is the last. */
static int mask_group(const char *begin, const char *end, u32 *ret)
{
	*ret = 0;
	if (begin == end || end - begin > 8)
		return -EINVAL;
	for (; begin < end; begin++) {
		if (!isxdigit((unsigned char)*begin))
			return -EINVAL;
		*ret = *ret << 4 | (isdigit((unsigned char)*begin) ? *begin - '0'
								   : (*begin | 0x20) - 'a' + 10);
	}
	return 0;
}

/* Bits from the last group on, as ascending CPUs. 0 or -EINVAL, whatever is in l then. */
static int read_mask(const char *mask, struct list *l)
{
	const char *end = mask + strcspn(mask, "\n"), *begin;
	u32 cpu = 0, bits, from = UINT32_MAX;

	for (;; end = begin - 1) {
		for (begin = end; begin > mask && begin[-1] != ','; begin--)
			;
		if (cpu >= CPUS_MAX || mask_group(begin, end, &bits))
			return -EINVAL;
		for (u32 i = 0; i < 32; i++, cpu++) {
			if (bits >> i & 1) {
				from = from == UINT32_MAX ? cpu : from;
			} else if (from != UINT32_MAX) {
				list_add(l, from, cpu - 1);
				from = UINT32_MAX;
			}
		}
		if (begin == mask)
			break;
	}
	if (from != UINT32_MAX)
		list_add(l, from, cpu - 1);
	return 0;
}

int rct_mask_list(const char *mask, char *ret, size_t size)
{
	struct list l = { ret, size, 0, false };
	int rc;

	*ret = '\0';
	rc = read_mask(mask, &l);
	if (!rc && l.full)
		rc = -E2BIG;
	if (rc)
		*ret = '\0';
	return rc;
}

bool rct_list_has(const char *list, u32 number)
{
	unsigned long from, to;
	char *end;

	for (; isdigit((unsigned char)*list); list = end + (*end == ',')) {
		from = to = strtoul(list, &end, 10);
		if (*end == '-' && isdigit((unsigned char)end[1]))
			to = strtoul(end + 1, &end, 10);
		if (number >= from && number <= to)
			return true;
	}
	return false;
}

/* ---------------------------------------------------------- /proc/interrupts */

/* "CPU0 CPU2 ...": those that are online, so with holes. */
static int parse_header(struct rct_str line, struct rct_facts *f)
{
	struct rct_str word;
	u32 *cpu;
	u64 v;

	while ((word = rct_str_word(&line)).n && f->n_irq_cpus < CPUS_MAX) {
		if (!rct_str_skip(&word, "CPU") || !rct_str_u64(word, &v) || v >= CPUS_MAX)
			return -ENODATA;
		cpu = RCT_FACTS_ADD(f->irq_cpus, f->n_irq_cpus);
		if (!cpu)
			return -ENOMEM;
		*cpu = v;
	}
	return f->n_irq_cpus ? 0 : -ENODATA;
}

/* All columns or none: a torn line has no counts. */
static bool parse_counts(struct rct_str *line, u64 *counts, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		if (!rct_str_u64(rct_str_word(line), &counts[i]))
			return false;
	}
	return true;
}

/*
 * What stands between the chip and the names: "1-edge", "524288 Edge", "30932993-edge",
 * or nothing at all with old kernels' "PCI-MSI-edge".
 */
static bool is_hwirq(struct rct_str w)
{
	static const char *const triggers[] = { "Edge", "Level", "edge", "level", "fasteoi" };
	size_t digits = 0;

	for (size_t i = 0; i < RCT_ARRAY_SIZE(triggers); i++) {
		if (rct_str_is(w, triggers[i]))
			return true;
	}
	while (digits < w.n && isdigit((unsigned char)w.p[digits]))
		digits++;
	return digits && (digits == w.n || (w.p[digits] == '-' && isalpha((unsigned char)w.p[w.n - 1])));
}

static void parse_names(struct rct_str line, struct rct_irq *irq)
{
	struct rct_str rest;

	rct_str_copy(irq->chip, sizeof(irq->chip), rct_str_word(&line));
	for (rest = line; is_hwirq(rct_str_word(&rest)); line = rest)
		;
	rct_str_copy(irq->name, sizeof(irq->name), rct_str_trim(line));
}

static int parse_vector(struct rct_str line, u64 *counts, struct rct_facts *f)
{
	struct rct_str number, rest;
	struct rct_irq *irq;
	u64 v;

	/* NMI, LOC and others that no device sends have letters */
	if (!rct_str_after(line, ":", &number, &rest) || !rct_str_u64(rct_str_trim(number), &v) ||
	    v > UINT32_MAX || !parse_counts(&rest, counts, f->n_irq_cpus))
		return 0;
	irq = RCT_FACTS_ADD(f->irqs, f->n_irqs);
	if (!irq)
		return -ENOMEM;
	irq->irq = v;
	irq->node = -2;
	irq->nic = irq->netif = -1;
	irq->managed = RCT_TRI_UNKNOWN;
	irq->per_cpu = malloc(f->n_irq_cpus * sizeof(*counts));
	if (!irq->per_cpu)
		return -ENOMEM;
	memcpy(irq->per_cpu, counts, f->n_irq_cpus * sizeof(*counts));
	for (u32 i = 0; i < f->n_irq_cpus; i++)
		irq->total += counts[i];
	parse_names(rest, irq);
	return 0;
}

int rct_interrupts_parse(const char *text, size_t len, struct rct_facts *f)
{
	struct rct_str s = { text, len }, line;
	u64 *counts;
	int rc;

	if (f->n_irq_cpus || !rct_str_line(&s, &line))
		return -ENODATA;
	rc = parse_header(line, f);
	if (rc)
		return rc;
	counts = malloc(f->n_irq_cpus * sizeof(*counts));
	if (!counts)
		return -ENOMEM;
	while (!rc && f->n_irqs < RCT_LIST_MAX && rct_str_line(&s, &line))
		rc = parse_vector(line, counts, f);
	free(counts);
	f->irqs_read = !rc;
	return rc;
}

/* ----------------------------------------------------------------- affinity */

/* The list, or the same as a mask. */
static void read_list(const struct rct_root *r, u32 irq, const char *list, const char *mask,
		      char *ret, size_t size)
{
	char line[CPUS_MAX / 32];

	if (list && !rct_root_line(r, ret, size, "proc/irq/%u/%s", irq, list))
		return;
	if (rct_root_line(r, line, sizeof(line), "proc/irq/%u/%s", irq, mask) ||
	    rct_mask_list(line, ret, size))
		*ret = '\0';
}

/* Only kernels with CONFIG_GENERIC_IRQ_DEBUGFS tell, and only root. */
static void read_managed(const struct rct_root *r, struct rct_irq *i)
{
	char *text = rct_root_text(r, NULL, NULL, "sys/kernel/debug/irq/irqs/%u", i->irq);

	if (text)
		i->managed = strstr(text, "IRQD_AFFINITY_MANAGED") != NULL;
	free(text);
}

static void read_affinity(const struct rct_root *r, struct rct_irq *i)
{
	char dir[PATH_MAX];
	struct rct_num node;

	read_list(r, i->irq, "smp_affinity_list", "smp_affinity", i->affinity, sizeof(i->affinity));
	read_list(r, i->irq, "effective_affinity_list", "effective_affinity", i->effective,
		  sizeof(i->effective));
	if (i->nic < 0 && i->netif < 0)
		return;
	read_managed(r, i);
	read_list(r, i->irq, NULL, "affinity_hint", i->hint, sizeof(i->hint));
	rct_path(dir, "proc/irq/%u", i->irq);
	node = rct_num_of(r, dir, "node");
	if (node.have == RCT_THERE && node.v >= -1 && node.v <= INT_MAX)
		i->node = node.v;
}

/* -------------------------------------------------------------------- owner */

static int by_value(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static bool has_vector(const struct rct_netif *n, u32 irq)
{
	return n->n_irqs && bsearch(&irq, n->irqs, n->n_irqs, sizeof(irq), by_value);
}

/* "eth2-TxRx-0", "ice-eth2-TxRx-0", "ens2f0-3" */
static bool names_if(const char *name, const char *ifname)
{
	size_t len = strlen(ifname);
	const char *p = name;

	for (; len && (p = strstr(p, ifname)); p++) {
		if ((p == name || p[-1] == '-') && (p[len] == '-' || !p[len]))
			return true;
	}
	return false;
}

/* "mlx5_comp0@pci:0000:3b:00.0", "irdma-0000:3b:00.0-CEQ-1"; chip "IR-PCI-MSIX-0000:3b:00.0" */
static bool names_pci(const struct rct_irq *i, const char *pci)
{
	return *pci && (strstr(i->name, pci) || strstr(i->chip, pci));
}

static void find_netif(const struct rct_facts *f, struct rct_irq *i)
{
	for (u32 j = 0; j < f->n_netifs && i->netif < 0; j++) {
		if (has_vector(&f->netifs[j], i->irq))
			i->netif = j;
	}
	for (u32 j = 0; j < f->n_netifs && i->netif < 0; j++) {
		if (names_if(i->name, f->netifs[j].name) || names_pci(i, f->netifs[j].pci))
			i->netif = j;
	}
}

/* Is the NIC's interface this one, or the bond that it is a member of? */
static bool lies_on(const struct rct_facts *f, const struct rct_nic *n, const struct rct_netif *i)
{
	const struct rct_netif *own = rct_nic_netif(f, n);

	return own && (own == i || !strcmp(own->name, i->master));
}

/* Of the ports on one PCI function the one with the vector's interface, else the first. */
static void find_nic(const struct rct_facts *f, struct rct_irq *i)
{
	const struct rct_netif *netif = i->netif < 0 ? NULL : &f->netifs[i->netif];
	const char *pci = netif ? netif->pci : "";

	for (u32 j = 0; netif && j < f->n_nics && i->nic < 0; j++) {
		if (lies_on(f, &f->nics[j], netif))
			i->nic = j;
	}
	for (u32 j = 0; j < f->n_nics && i->nic < 0; j++) {
		if (names_pci(i, f->nics[j].pci) || (*pci && !strcmp(pci, f->nics[j].pci)))
			i->nic = j;
	}
}

int rct_read_irqs(const struct rct_root *r, struct rct_facts *f)
{
	size_t len;
	char *text = rct_root_text(r, &len, NULL, "proc/interrupts");
	int rc;

	if (!text)
		return 0;
	rc = rct_interrupts_parse(text, len, f);
	free(text);
	for (u32 i = 0; !rc && i < f->n_irqs; i++) {
		find_netif(f, &f->irqs[i]);
		find_nic(f, &f->irqs[i]);
		read_affinity(r, &f->irqs[i]);
	}
	return rc == -ENOMEM ? rc : 0;
}
