// SPDX-License-Identifier: BSD-2-Clause
/*
 * Invented names and addresses for those in a bundle. All follow from the true ones and a
 * random key that is thrown away, so that the same stays the same across files. An address
 * keeps its kind (loopback, link-local, multicast, mapped), and bit by bit what it shares
 * with others: who was in one subnet is so afterwards.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/util.h"
#include "sysinfo/bundle.h"
#include "sysinfo/text.h"
#include "sysinfo/text_scan.h"

#define NAMES_MAX	512

/* A word that is replaced. */
struct name {
	char *from;
	char to[20];
};

struct redact {
	u64 key[2];
	struct name names[NAMES_MAX];
	size_t n_names;
	bool first[256];	/* bytes that a name begins with */
};

/* ---- a keyed hash: SipHash-2-4 */

static u64 rotl(u64 x, int n)
{
	return x << n | x >> (64 - n);
}

static void sip_rounds(u64 v[4], int n)
{
	while (n--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotl(v[1], 13) ^ v[0];
		v[3] = rotl(v[3], 16) ^ v[2];
		v[0] = rotl(v[0], 32) + v[3];
		v[2] += v[1];
		v[3] = rotl(v[3], 21) ^ v[0];
		v[1] = rotl(v[1], 17) ^ v[2];
		v[2] = rotl(v[2], 32);
	}
}

static u64 hash(const struct redact *r, const void *data, size_t len)
{
	u64 v[4] = { r->key[0] ^ 0x736f6d6570736575ULL, r->key[1] ^ 0x646f72616e646f6dULL,
		     r->key[0] ^ 0x6c7967656e657261ULL, r->key[1] ^ 0x7465646279746573ULL };
	const u8 *p = data;
	u64 w = 0;

	for (size_t i = 0; i <= len; i++) {
		/* the last word ends with the length */
		w |= i < len ? (u64)p[i] << 8 * (i % 8) : (u64)(len & 0xff) << 56;
		if (i % 8 != 7 && i != len)
			continue;
		v[3] ^= w;
		sip_rounds(v, 2);
		v[0] ^= w;
		w = 0;
	}
	v[2] ^= 0xff;
	sip_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* ---- addresses */

/* Bits from to to - 1: each is turned over or not, as the bits before it say. */
static void scramble(const struct redact *r, u8 *addr, unsigned from, unsigned to)
{
	u8 was[17] = "", seen[17];

	memcpy(was, addr, (to + 7) / 8);
	for (unsigned i = from; i < to; i++) {
		memset(seen, 0, sizeof(seen));
		memcpy(seen, was, i / 8);
		if (i % 8)
			seen[i / 8] = was[i / 8] & (u8)(0xff00 >> i % 8);
		seen[16] = i;
		addr[i / 8] ^= (hash(r, seen, sizeof(seen)) & 1) << (7 - i % 8);
	}
}

/* 0.x, 127.x, multicast, broadcast and masks are nobody's. */
static void invent4(const struct redact *r, u8 *a)
{
	if (a[0] == 0 || a[0] == 127 || a[0] >= 224)
		return;
	scramble(r, a, a[0] == 169 && a[1] == 254 ? 16 : 8, 32);
}

static void invent6(const struct redact *r, u8 *a)
{
	static const u8 mapped[12] = { [10] = 0xff, [11] = 0xff }, none[15];

	if (!memcmp(a, mapped, sizeof(mapped)))
		invent4(r, a + 12);
	else if (a[0] != 0xff && (memcmp(a, none, sizeof(none)) || a[15] > 1))
		scramble(r, a, a[0] == 0xfe && (a[1] & 0xc0) == 0x80 ? 64 : 16, 128);
}

/* All groups of four digits, as sysfs has GIDs. */
static void full6(const u8 *a, char *ret)
{
	for (int i = 0; i < 8; i++)
		ret += sprintf(ret, "%s%02x%02x", i ? ":" : "", a[2 * i], a[2 * i + 1]);
}

/* n groups of so many digits each, with colons between */
static bool groups(struct rct_str s, size_t digits, size_t *ret_n)
{
	*ret_n = (s.n + 1) / (digits + 1);
	if (*ret_n * (digits + 1) != s.n + 1)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if ((s.p[i] == ':') != (i % (digits + 1) == digits))
			return false;
	}
	return true;
}

/* A MAC address, Ethernet's or InfiniBand's; not those that mean all or none. */
static bool invent_mac(const struct redact *r, struct rct_str s, FILE *out)
{
	size_t n;
	u64 h;

	if (!groups(s, 2, &n) || (n != 6 && n != 20) || memchr(s.p, '.', s.n))
		return false;
	if (rct_str_is(s, "00:00:00:00:00:00") || rct_str_is(s, "ff:ff:ff:ff:ff:ff")) {
		fwrite(s.p, 1, s.n, out);
		return true;
	}
	h = hash(r, s.p, s.n);
	fputs("02:00:5e", out);
	for (size_t i = 3; i < n; i++)
		fprintf(out, ":%02x", (unsigned)(h >> 8 * (i % 8)) & 0xff);
	return true;
}

/* "506b:4b03:00aa:bb01": a device's GUID */
static bool invent_guid(const struct redact *r, struct rct_str s, FILE *out)
{
	size_t n;
	u64 h;

	if (!groups(s, 4, &n) || n != 4 || memchr(s.p, '.', s.n))
		return false;
	h = hash(r, s.p, s.n);
	fprintf(out, "0200:5e%02x:%04x:%04x", (unsigned)(h & 0xff), (unsigned)(h >> 8 & 0xffff),
		(unsigned)(h >> 24 & 0xffff));
	return true;
}

static bool invent_addr(const struct redact *r, struct rct_str s, FILE *out)
{
	char text[INET6_ADDRSTRLEN + 1];
	u8 a[16];

	if (s.n < 2 || s.n >= sizeof(text))
		return false;
	rct_str_copy(text, sizeof(text), s);
	if (inet_pton(AF_INET, text, a) == 1) {
		invent4(r, a);
		inet_ntop(AF_INET, a, text, sizeof(text));
	} else if (inet_pton(AF_INET6, text, a) == 1) {
		invent6(r, a);
		if (s.n == 39)
			full6(a, text);
		else
			inet_ntop(AF_INET6, a, text, sizeof(text));
	} else {
		return false;
	}
	fputs(text, out);
	return true;
}

static bool invent(const struct redact *r, struct rct_str s, FILE *out)
{
	return invent_mac(r, s, out) || invent_guid(r, s, out) || invent_addr(r, s, out);
}

/* A run of digits, colons and points that is no address: "0:10.20.0.1" has one in it. */
static void invent_parts(const struct redact *r, struct rct_str s, FILE *out)
{
	while (s.n) {
		struct rct_str part = rct_str_until(s, ":");

		if (!memchr(part.p, '.', part.n) || !invent_addr(r, part, out))
			fwrite(part.p, 1, part.n, out);
		s.p += part.n;
		s.n -= part.n;
		if (s.n) {
			fputc(*s.p++, out);
			s.n--;
		}
	}
}

static bool addr_char(char c)
{
	return c && strchr("0123456789abcdefABCDEF:.", c);
}

static bool name_char(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' || c == '-';
}

/* Ends of sentences, and of names before an address, are none of its own. */
static struct rct_str without_end(struct rct_str s)
{
	while (s.n > 1 && (s.p[s.n - 1] == '.' || (s.p[s.n - 1] == ':' && s.p[s.n - 2] != ':')))
		s.n--;
	return s;
}

static void redact_addrs(const struct redact *r, struct rct_str s, FILE *out)
{
	struct rct_str run, word;

	while (s.n) {
		run = s;
		for (run.n = 0; run.n < s.n && addr_char(s.p[run.n]); run.n++)
			;
		if (run.n) {
			word = without_end(run);
			if (!invent(r, word, out))
				invent_parts(r, word, out);
			fwrite(word.p + word.n, 1, run.n - word.n, out);
		} else {
			fputc(*s.p, out);
			run.n = 1;
		}
		s.p += run.n;
		s.n -= run.n;
	}
}

/* ---- names */

/* 0 or -ENOMEM. What has a meaning to the readers, or none to anybody, is kept. */
static int add_name(struct redact *r, struct rct_str s, const char *kind)
{
	static const char *const kept[] = { "irqbalance", "localhost", "(none)" };
	struct name *n = &r->names[r->n_names];

	s = rct_str_trim(s);
	if (s.n < 2 || s.n > 255 || r->n_names == NAMES_MAX)
		return 0;
	for (size_t i = 0; i < RCT_ARRAY_SIZE(kept); i++) {
		if (rct_str_is(s, kept[i]))
			return 0;
	}
	for (size_t i = 0; i < r->n_names; i++) {
		if (rct_str_is(s, r->names[i].from))
			return 0;
	}
	n->from = rct_str_dup(s);
	if (!n->from)
		return -ENOMEM;
	r->first[(u8)*s.p] = true;
	snprintf(n->to, sizeof(n->to), "%s-%06x", kind, (unsigned)hash(r, s.p, s.n) & 0xffffff);
	r->n_names++;
	return 0;
}

/* The longest that stands here as a whole word. */
static const struct name *name_here(const struct redact *r, struct rct_str s)
{
	const struct name *best = NULL;

	for (size_t i = 0; r->first[(u8)*s.p] && i < r->n_names; i++) {
		size_t n = strlen(r->names[i].from);

		if (rct_str_starts(s, r->names[i].from) && (n == s.n || !name_char(s.p[n])) &&
		    (!best || n > strlen(best->from)))
			best = &r->names[i];
	}
	return best;
}

static void redact_names(const struct redact *r, struct rct_str s, FILE *out)
{
	bool inside = false;

	while (s.n) {
		const struct name *n = inside ? NULL : name_here(r, s);
		size_t len = n ? strlen(n->from) : 1;

		if (n)
			fputs(n->to, out);
		else
			fputc(*s.p, out);
		inside = name_char(s.p[len - 1]);
		s.p += len;
		s.n -= len;
	}
}

/* "node3:3359:3400 [1] NCCL INFO ...": each line begins with its host */
static int names_of_nccl(struct redact *r, struct rct_str text)
{
	struct rct_str line, host, rest, pid;
	u64 v;
	int rc = 0;

	while (!rc && rct_str_line(&text, &line)) {
		if (rct_str_pair(line, ':', &host, &rest) && rct_str_pair(rest, ':', &pid, &rest) &&
		    rct_str_u64(pid, &v) && !memchr(host.p, ' ', host.n))
			rc = add_name(r, host, "host");
	}
	return rc;
}

/* "... pid 7711 comm NAME": not the kernel's users, which have no pid */
static int names_of_qps(struct redact *r, struct rct_str text)
{
	struct rct_str line, comm;
	int rc = 0;

	while (!rc && rct_str_line(&text, &line)) {
		if (rct_str_after(line, " pid ", NULL, &line) && rct_str_after(line, " comm ", NULL, &comm))
			rc = add_name(r, comm, "proc");
	}
	return rc;
}

static int names_of_host(struct redact *r, struct rct_str text)
{
	int rc = add_name(r, text, "host");

	return rc ? rc : add_name(r, rct_str_until(text, ".\n"), "host");
}

static int names_of_comm(struct redact *r, struct rct_str text)
{
	return add_name(r, text, "proc");
}

/* ---- files */

static int known_lines(char **text, size_t *len)
{
	struct rct_facts f = { 0 };
	char *out_text = NULL;
	size_t out_len;
	FILE *out;
	int rc = rct_text_dmesg(*text, *len, &f);

	out = rc ? NULL : open_memstream(&out_text, &out_len);
	for (u32 i = 0; out && i < f.n_log; i++) {
		if (f.log[i].at >= 0)
			fprintf(out, "[%12.6f] ", f.log[i].at);
		fprintf(out, "%s\n", f.log[i].text);
	}
	rct_facts_free(&f);
	if (!out || fclose(out))
		return rc ? rc : -ENOMEM;
	free(*text);
	*text = out_text;
	*len = out_len;
	return 0;
}

/* /proc/net/route: destination and gateway are words of memory, in hexadecimal digits */
static void redact_route(const struct redact *r, struct rct_str s, FILE *out)
{
	struct rct_str line, w;
	char digits[9];
	u32 addr;

	while (rct_str_line(&s, &line)) {
		for (int i = 0; (w = rct_str_word(&line)).n; i++) {
			rct_str_copy(digits, sizeof(digits), w);
			addr = strtoul(digits, NULL, 16);
			if (w.n == 8 && (i == 1 || i == 2) && digits[strspn(digits, "0123456789ABCDEFabcdef")] == 0) {
				invent4(r, (u8 *)&addr);
				fprintf(out, "%s%08X", i ? "\t" : "", addr);
			} else {
				fprintf(out, "%s%.*s", i ? "\t" : "", (int)w.n, w.p);
			}
		}
		fputc('\n', out);
	}
}

static void redact_id(const struct redact *r, struct rct_str s, FILE *out)
{
	s = rct_str_trim(s);
	if (s.n)
		fprintf(out, "%016llx\n", (unsigned long long)hash(r, s.p, s.n));
}

static void redact_both(const struct redact *r, struct rct_str s, FILE *out)
{
	char *text = NULL;
	size_t len;
	FILE *half = open_memstream(&text, &len);

	if (!half)
		return;
	redact_names(r, s, half);
	if (!fclose(half))
		redact_addrs(r, (struct rct_str){ text, len }, out);
	free(text);
}

static void keep(const struct redact *r, struct rct_str s, FILE *out)
{
	(void)r;
	fwrite(s.p, 1, s.n, out);
}

/* By the end of a path; the first that fits. All others have addresses, if anything. */
static const struct kind {
	const char *begin, *end;
	int (*names)(struct redact *r, struct rct_str text);	/* NULL: tells none */
	void (*redact)(const struct redact *r, struct rct_str text, FILE *out);
} kinds[] = {
	{ "proc/sys/kernel/", "/hostname", names_of_host, redact_names },
	{ "proc/sys/kernel/", "/osrelease", NULL, keep },
	{ "proc/sys/kernel/", "/boot_id", NULL, redact_id },
	{ "proc/net/", "/route", NULL, redact_route },
	{ "proc/", "/comm", names_of_comm, redact_names },
	{ "proc/", "/status", NULL, redact_names },
	{ "proc/", "/cgroup", NULL, redact_names },
	{ "proc/", "/environ", NULL, redact_both },
	{ "proc/", "/cmdline", NULL, redact_both },
	{ "cmd/", "/nccl.log", names_of_nccl, redact_both },
	{ "cmd/", "/rdma-res-qp.txt", names_of_qps, redact_names },
	{ "cmd/", "/dmesg.txt", NULL, redact_both },
	/* versions of four numbers look like addresses */
	{ "cmd/ethtool-i", "", NULL, keep },
	{ "sys/", "/fw_ver", NULL, keep },
	{ "sys/", "/phys_switch_id", NULL, redact_id },
	{ "sys/", "/phys_port_id", NULL, redact_id },
	{ "", "", NULL, redact_addrs },
};

static const struct kind *kind_of(const char *path)
{
	const struct kind *k = kinds;

	for (;; k++) {
		size_t n = strlen(path), end = strlen(k->end);

		if (!strncmp(path, k->begin, strlen(k->begin)) && n >= end && !strcmp(path + n - end, k->end))
			return k;
	}
}

static int redact_file(const struct redact *r, struct rct_tree_file *f)
{
	char *text = NULL;
	size_t len;
	FILE *out;
	int rc = strcmp(f->path, "cmd/dmesg.txt") ? 0 : known_lines(&f->text, &f->len);

	out = rc ? NULL : open_memstream(&text, &len);
	if (out)
		kind_of(f->path)->redact(r, (struct rct_str){ f->text, f->len }, out);
	if (!out || fclose(out))
		return rc ? rc : -ENOMEM;
	free(f->text);
	f->text = text;
	f->len = len;
	return 0;
}

static int find_names(struct redact *r, const struct rct_tree *t)
{
	int rc = 0;

	for (size_t i = 0; i < t->n && !rc; i++) {
		const struct kind *k = kind_of(t->v[i].path);

		if (t->v[i].text && k->names)
			rc = k->names(r, (struct rct_str){ t->v[i].text, t->v[i].len });
	}
	return rc;
}

int rct_trees_redact(struct rct_tree *trees, size_t n)
{
	struct redact *r = calloc(1, sizeof(*r));
	int rc = r ? 0 : -ENOMEM;

	if (r && getrandom(r->key, sizeof(r->key), 0) != sizeof(r->key))
		rc = -EIO;
	for (size_t k = 0; k < n && !rc; k++)
		rc = find_names(r, &trees[k]);
	for (size_t k = 0; k < n; k++) {
		for (size_t i = 0; i < trees[k].n && !rc; i++) {
			if (trees[k].v[i].text)
				rc = redact_file(r, &trees[k].v[i]);
		}
	}
	for (size_t i = 0; r && i < r->n_names; i++)
		free(r->names[i].from);
	free(r);
	return rc;
}
