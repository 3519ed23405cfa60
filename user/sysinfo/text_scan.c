// SPDX-License-Identifier: BSD-2-Clause
#include "sysinfo/text_scan.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

static bool blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || !c;
}

static struct rct_str cut_front(struct rct_str s, size_t n)
{
	return (struct rct_str){ s.p + n, s.n - n };
}

bool rct_str_line(struct rct_str *text, struct rct_str *ret)
{
	const char *end;

	if (!text->n)
		return false;
	end = memchr(text->p, '\n', text->n);
	ret->p = text->p;
	ret->n = end ? (size_t)(end - text->p) : text->n;
	*text = cut_front(*text, ret->n + (end ? 1 : 0));
	while (ret->n && ret->p[ret->n - 1] == '\r')
		ret->n--;
	return true;
}

struct rct_str rct_str_word(struct rct_str *s)
{
	struct rct_str w;

	while (s->n && blank(*s->p))
		*s = cut_front(*s, 1);
	w = *s;
	while (s->n && !blank(*s->p))
		*s = cut_front(*s, 1);
	w.n = s->p - w.p;
	return w;
}

struct rct_str rct_str_trim(struct rct_str s)
{
	while (s.n && blank(*s.p))
		s = cut_front(s, 1);
	while (s.n && blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

bool rct_str_pair(struct rct_str line, char sep, struct rct_str *key, struct rct_str *value)
{
	const char *at = memchr(line.p, sep, line.n);

	if (!at)
		return false;
	*key = rct_str_trim((struct rct_str){ line.p, at - line.p });
	*value = rct_str_trim(cut_front(line, at + 1 - line.p));
	return key->n;
}

bool rct_str_is(struct rct_str s, const char *text)
{
	return s.n == strlen(text) && !memcmp(s.p, text, s.n);
}

bool rct_str_starts(struct rct_str s, const char *text)
{
	size_t n = strlen(text);

	return s.n >= n && !memcmp(s.p, text, n);
}

bool rct_str_skip(struct rct_str *s, const char *text)
{
	if (!rct_str_starts(*s, text))
		return false;
	*s = cut_front(*s, strlen(text));
	return true;
}

bool rct_str_after(struct rct_str s, const char *text, struct rct_str *before, struct rct_str *after)
{
	size_t n = strlen(text);
	const char *at = s.n ? memmem(s.p, s.n, text, n) : NULL;

	if (!at)
		return false;
	if (before)
		*before = (struct rct_str){ s.p, at - s.p };
	if (after)
		*after = cut_front(s, at + n - s.p);
	return true;
}

struct rct_str rct_str_until(struct rct_str s, const char *bytes)
{
	size_t n = 0;

	while (n < s.n && s.p[n] && !strchr(bytes, s.p[n]))
		n++;
	s.n = n;
	return s;
}

static int digit(char c, int base)
{
	int d = c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ?
		(c | 0x20) - 'a' + 10 : 16;

	return d < base ? d : -1;
}

/* Digits consumed; 0: none, or more than 64 bits. */
static size_t number(struct rct_str s, u64 *ret)
{
	size_t i = 0, first;
	int base = 10, d;
	u64 v = 0;

	if (s.n > 2 && s.p[0] == '0' && (s.p[1] | 0x20) == 'x') {
		base = 16;
		i = 2;
	}
	for (first = i; i < s.n && (d = digit(s.p[i], base)) >= 0; i++) {
		if (__builtin_mul_overflow(v, (u64)base, &v) || __builtin_add_overflow(v, (u64)d, &v))
			return 0;
	}
	if (i == first)
		return 0;
	*ret = v;
	return i;
}

bool rct_str_u64(struct rct_str s, u64 *ret)
{
	return s.n && number(s, ret) == s.n;
}

bool rct_str_leading(struct rct_str s, u64 *ret)
{
	return number(s, ret);
}

bool rct_str_s32(struct rct_str s, s32 *ret)
{
	bool minus = rct_str_skip(&s, "-");
	u64 v;

	if (!rct_str_u64(s, &v) || v > INT32_MAX)
		return false;
	*ret = minus ? -(s32)v : (s32)v;
	return true;
}

bool rct_str_addr(struct rct_str s, u8 *family, u8 addr[16], u8 *prefix)
{
	struct rct_str net = rct_str_until(s, "/%");
	char text[INET6_ADDRSTRLEN];
	u64 bits;

	if (!net.n || net.n >= sizeof(text))
		return false;
	rct_str_copy(text, sizeof(text), net);
	memset(addr, 0, 16);
	if (inet_pton(AF_INET, text, addr + 12) == 1) {
		memset(addr + 10, 0xff, 2);
		*family = 4;
	} else if (inet_pton(AF_INET6, text, addr) == 1) {
		*family = 6;
	} else {
		return false;
	}
	*prefix = *family == 4 ? 32 : 128;
	if (rct_str_after(s, "/", NULL, &s)) {
		if (!rct_str_u64(s, &bits) || bits > *prefix)
			return false;
		*prefix = bits;
	}
	return true;
}

void rct_str_copy(char *buf, size_t size, struct rct_str s)
{
	size_t n = s.n < size ? s.n : size - 1;

	if (n)
		memcpy(buf, s.p, n);
	buf[n] = '\0';
}

char *rct_str_dup(struct rct_str s)
{
	char *p = malloc(s.n + 1);

	if (p)
		rct_str_copy(p, s.n + 1, s);
	return p;
}

struct rct_nic *rct_text_nic(const struct rct_facts *f, struct rct_str dev, u64 port)
{
	for (u32 i = 0; i < f->n_nics; i++) {
		if (f->nics[i].port == port && rct_str_is(dev, f->nics[i].dev))
			return &f->nics[i];
	}
	return NULL;
}
