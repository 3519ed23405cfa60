// SPDX-License-Identifier: BSD-2-Clause
#include "render/escape.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Length of the UTF-8 character at p and its code point; 0: not valid (RFC 3629). */
static size_t decode(const unsigned char *p, uint32_t *ret)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : p[0] >> 3 == 30 ? 4 : 0;
	uint32_t x = n == 1 ? p[0] : p[0] & (0x7f >> n);

	for (size_t i = 1; i < n; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		x = x << 6 | (p[i] & 0x3f);
	}
	if (!n || x < least[n] || x > 0x10ffff || (x >= 0xd800 && x < 0xe000))
		return 0;
	*ret = x;
	return n;
}

static int harmful(uint32_t x)
{
	return x < 0x20 || (x >= 0x7f && x < 0xa0) || (x >= 0x200e && x <= 0x200f) ||
	       (x >= 0x2028 && x <= 0x202e) || (x >= 0x2066 && x <= 0x2069);
}

char *rct_escape(const char *text, int keep_control, char *buf, size_t size)
{
	const unsigned char *p = (const unsigned char *)text;
	char piece[4 * 4 + 1];
	size_t used = 0, n, len;
	uint32_t x;

	for (; *p; p += n) {
		n = decode(p, &x);
		if (n && (keep_control || !harmful(x))) {
			len = n;
			memcpy(piece, p, n);
		} else {
			len = 0;
			n = n ? n : 1;
			for (size_t i = 0; i < n; i++)
				len += snprintf(piece + len, 5, "\\x%02x", p[i]);
		}
		if (used + len >= size)
			break;
		memcpy(buf + used, piece, len);
		used += len;
	}
	buf[used] = 0;
	return buf;
}
