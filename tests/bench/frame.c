// SPDX-License-Identifier: BSD-2-Clause
#include "frame.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bench_die(const char *what)
{
	fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

void bench_make_ip(struct bench_frame *p, u8 proto, u16 dport)
{
	static const u8 head[] = {
		2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x08, 0x00,
		0x45, 0x02, 0, 0, 0, 0, 0x40, 0, 64, 0, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
		0xc0, 0x01,
	};
	u16 ip_len = p->len - 14, udp_len = p->len - 34;

	memcpy(p->data, head, sizeof(head));
	p->data[16] = ip_len >> 8;
	p->data[17] = ip_len & 0xff;
	p->data[23] = proto;
	p->data[36] = dport >> 8;
	p->data[37] = dport & 0xff;
	if (proto != 17)
		return;
	p->data[38] = udp_len >> 8;
	p->data[39] = udp_len & 0xff;
}

void bench_make_roce(struct bench_frame *p)
{
	u32 message = 8 * 1024;

	p->text = "RoCE";
	p->len = BENCH_FRAME;
	bench_make_ip(p, 17, 4791);
	p->data[BENCH_BTH] = 0x0a;
	p->data[BENCH_BTH + 2] = 0xff;
	p->data[BENCH_BTH + 3] = 0xff;
	p->data[BENCH_BTH + 12 + 14] = message >> 8;
}
