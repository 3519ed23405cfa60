// SPDX-License-Identifier: BSD-2-Clause
/* What lspci -vv, nvidia-smi topo -m and numactl -H print: who sits where. */
#include "sysinfo/text.h"

#include <stdio.h>
#include <string.h>

#include "sysinfo/text_scan.h"

/* ---- lspci -vv */

static bool hex_digits(struct rct_str s, size_t n)
{
	if (s.n != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!s.p[i] || !strchr("0123456789abcdefABCDEF", s.p[i]))
			return false;
	}
	return true;
}

/* "0000:18:00.0" or "18:00.0" */
static bool pci_addr(struct rct_str s, char ret[16])
{
	struct rct_str domain = { "0000", 4 }, bus, rest, dev;

	if (s.n == 12) {
		domain = (struct rct_str){ s.p, 4 };
		if (s.p[4] != ':')
			return false;
		s = (struct rct_str){ s.p + 5, s.n - 5 };
	}
	if (s.n != 7 || s.p[2] != ':' || s.p[5] != '.')
		return false;
	bus = (struct rct_str){ s.p, 2 };
	rest = (struct rct_str){ s.p + 3, 2 };
	dev = (struct rct_str){ s.p + 6, 1 };
	if (!hex_digits(domain, 4) || !hex_digits(bus, 2) || !hex_digits(rest, 2) || !hex_digits(dev, 1))
		return false;
	snprintf(ret, 16, "%.4s:%.7s", domain.p, s.p);
	return true;
}

/* Device classes that GPUs have; those of "any" maker's too have displays of servers' consoles. */
static const struct {
	const char *class, *maker;
} gpu_classes[] = {
	{ "3D controller", "" }, { "Processing accelerators", "NVIDIA" },
	{ "Processing accelerators", "AMD" }, { "VGA compatible controller", "NVIDIA" },
	{ "VGA compatible controller", "AMD" }, { "Display controller", "AMD" },
};

static bool is_gpu(struct rct_str class, struct rct_str name)
{
	for (size_t i = 0; i < sizeof(gpu_classes) / sizeof(gpu_classes[0]); i++) {
		if (rct_str_starts(class, gpu_classes[i].class) &&
		    (!*gpu_classes[i].maker || rct_str_after(name, gpu_classes[i].maker, NULL, NULL)))
			return true;
	}
	return false;
}

/* What sysfs told of it before is kept. Only those are looked through: a text names each once. */
static struct rct_pci *pci_named(struct rct_facts *f, u32 before, const char *addr)
{
	for (u32 i = 0; i < before; i++) {
		if (!strcmp(f->pcis[i].addr, addr))
			return &f->pcis[i];
	}
	return RCT_LIST_ADD(f->pcis, f->n_pcis);
}

/* "ADDRESS CLASS: NAME" */
static int take_head(struct rct_facts *f, u32 before, struct rct_str line, struct rct_pci **ret)
{
	struct rct_str addr = rct_str_word(&line), class, name = { "", 0 };
	struct rct_pci *p;
	char text[16];

	if (!pci_addr(addr, text))
		return 0;
	p = pci_named(f, before, text);
	if (!p)
		return rct_list_end(f->n_pcis);
	if (!p->addr[0]) {
		p->node = -2;
		p->acs_redirect = RCT_TRI_UNKNOWN;
	}
	snprintf(p->addr, sizeof(p->addr), "%s", text);
	class = rct_str_trim(line);
	rct_str_after(class, ": ", &class, &name);
	rct_str_copy(p->class, sizeof(p->class), class);
	p->bridge = rct_str_starts(class, "PCI bridge");
	p->gpu = is_gpu(class, name);
	*ret = p;
	return 0;
}

/* "16GT/s (ok)" as sysfs has it: "16.0 GT/s PCIe" */
static void copy_speed(char *buf, size_t size, struct rct_str v)
{
	struct rct_str number;

	if (!rct_str_after(v, "GT/s", &number, NULL) || !number.n || number.n > 5)
		return;
	snprintf(buf, size, "%.*s%s GT/s PCIe", (int)number.n, number.p,
		 memchr(number.p, '.', number.n) ? "" : ".0");
}

static void take_link(struct rct_str v, char *speed, size_t size, u32 *width)
{
	struct rct_str rest;
	u64 lanes;

	if (rct_str_after(v, "Speed ", NULL, &rest))
		copy_speed(speed, size, rest);
	if (rct_str_after(v, "Width x", NULL, &rest) && rct_str_leading(rest, &lanes) && lanes <= 64)
		*width = lanes;
}

static void take_line(struct rct_pci *p, struct rct_str key, struct rct_str v)
{
	if (rct_str_is(key, "NUMA node"))
		rct_str_s32(rct_str_word(&v), &p->node);
	else if (rct_str_is(key, "LnkSta"))
		take_link(v, p->link_speed, sizeof(p->link_speed), &p->link_width);
	else if (rct_str_is(key, "LnkCap"))
		take_link(v, p->link_speed_max, sizeof(p->link_speed_max), &p->link_width_max);
	else if (rct_str_is(key, "ACSCtl") && rct_str_after(v, "ReqRedir", NULL, NULL))
		p->acs_redirect = rct_str_after(v, "ReqRedir+", NULL, NULL) ||
				  rct_str_after(v, "CmpltRedir+", NULL, NULL);
}

int rct_text_lspci(const char *text, size_t len, struct rct_facts *f)
{
	struct rct_str t = { text, len }, line, key, value;
	struct rct_pci *p = NULL;
	u32 before = f->n_pcis;
	int rc = 0;

	while (!rc && rct_str_line(&t, &line)) {
		if (line.n && line.p[0] != '\t' && line.p[0] != ' ') {
			p = NULL;
			rc = take_head(f, before, line, &p);
		} else if (p && rct_str_pair(line, ':', &key, &value)) {
			take_line(p, key, value);
		}
	}
	return rc ? rc : f->n_pcis ? 0 : -ENODATA;
}

/* ---- nvidia-smi topo -m: a matrix of what its first line names, then a legend of NICs */

#define TOPO_COLUMNS	128

static bool is_path(struct rct_str s)
{
	static const char *const paths[] = { "PIX", "PXB", "PHB", "NODE", "SYS" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		if (rct_str_is(s, paths[i]))
			return true;
	}
	return false;
}

struct topo {
	struct rct_facts *f;
	u32 first;			/* of the distances that this text tells */
	struct rct_str columns[TOPO_COLUMNS];
	u32 n;
};

static void topo_columns(struct topo *t, struct rct_str line)
{
	struct rct_str w;

	while (t->n < TOPO_COLUMNS && (w = rct_str_word(&line)).n &&
	       (rct_str_starts(w, "GPU") || rct_str_starts(w, "NIC") || rct_str_starts(w, "mlx5_")))
		t->columns[t->n++] = w;
}

static int topo_row(struct topo *t, struct rct_str gpu, struct rct_str line)
{
	struct rct_distance *d;
	struct rct_str w;

	for (u32 i = 0; i < t->n && (w = rct_str_word(&line)).n; i++) {
		if (rct_str_starts(t->columns[i], "GPU") || !is_path(w))
			continue;
		d = RCT_LIST_ADD(t->f->distances, t->f->n_distances);
		if (!d)
			return rct_list_end(t->f->n_distances);
		rct_str_copy(d->gpu, sizeof(d->gpu), gpu);
		rct_str_copy(d->dev, sizeof(d->dev), t->columns[i]);
		rct_str_copy(d->path, sizeof(d->path), w);
	}
	return 0;
}

/* "NIC0: mlx5_0" */
static void topo_legend(struct topo *t, struct rct_str nic, struct rct_str dev)
{
	for (u32 i = t->first; i < t->f->n_distances; i++) {
		if (rct_str_is(nic, t->f->distances[i].dev))
			rct_str_copy(t->f->distances[i].dev, RCT_NAME, dev);
	}
}

int rct_text_topo(const char *text, size_t len, struct rct_facts *f)
{
	struct rct_str s = { text, len }, line, rest, key, value;
	struct topo t = { .f = f, .first = f->n_distances };
	u32 legends = 0;
	int rc = 0;

	while (!rc && rct_str_line(&s, &line)) {
		rest = line;
		key = rct_str_word(&rest);
		if (!t.n && rct_str_starts(key, "GPU"))
			topo_columns(&t, line);
		else if (rct_str_starts(key, "GPU") && !memchr(key.p, ':', key.n))
			rc = topo_row(&t, key, rest);
		else if (rct_str_pair(line, ':', &key, &value) && rct_str_starts(key, "NIC") && value.n &&
			 legends++ < TOPO_COLUMNS)
			topo_legend(&t, key, value);
	}
	return rc ? rc : f->n_distances != t.first ? 0 : -ENODATA;
}

/* ---- numactl -H */

/* "0 1 2 5": "0-2,5"; what doesn't fit is left out */
static void cpu_list(struct rct_str v, char *buf, size_t size)
{
	u64 from = 0, to = 0, cpu;
	bool open = false, more;
	size_t used = 0;

	buf[0] = '\0';
	do {
		more = rct_str_u64(rct_str_word(&v), &cpu);
		if (open && (!more || cpu != to + 1)) {
			int n = snprintf(buf + used, size - used, from == to ? "%s%llu" : "%s%llu-%llu",
					 used ? "," : "", (unsigned long long)from, (unsigned long long)to);

			if (n < 0 || (size_t)n >= size - used) {
				buf[used] = '\0';
				return;
			}
			used += n;
			open = false;
		}
		if (more && !open)
			from = cpu;
		to = cpu;
		open = more;
	} while (more);
}

static struct rct_numa *node_numbered(struct rct_facts *f, u64 node)
{
	struct rct_numa *n;

	for (u32 i = 0; i < f->n_nodes; i++) {
		if (f->nodes[i].node == node)
			return &f->nodes[i];
	}
	n = f->n_nodes < 1024 ? RCT_LIST_ADD(f->nodes, f->n_nodes) : NULL;
	if (n)
		n->node = node;
	return n;
}

int rct_text_numactl(const char *text, size_t len, struct rct_facts *f)
{
	struct rct_str t = { text, len }, line, key, value, number, what;
	struct rct_numa *n;
	int rc = -ENODATA;
	u64 node;

	while (rct_str_line(&t, &line)) {
		if (!rct_str_pair(line, ':', &key, &value) || !rct_str_skip(&key, "node "))
			continue;
		number = rct_str_word(&key);
		what = rct_str_word(&key);
		if (!rct_str_u64(number, &node) || node > 65535 || !rct_str_is(what, "cpus"))
			continue;
		n = node_numbered(f, node);
		if (n && !n->cpus[0])
			cpu_list(value, n->cpus, sizeof(n->cpus));
		rc = 0;
	}
	return rc;
}
