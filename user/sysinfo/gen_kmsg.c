// SPDX-License-Identifier: BSD-2-Clause
/* dmesg, of /dev/kmsg: what the kernel's ring holds, without waiting for more. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sysinfo/gen.h"

#define RECORD		8192		/* the kernel's limit of one record */
#define TEXT_MAX	(15 << 20)	/* below what readers take */

/* "prio,sequence,microseconds,flags[,...];text\n KEY=value\n..." */
void rct_gen_kmsg_text(FILE *out, const char *record, size_t n)
{
	const char *text = memchr(record, ';', n), *end;
	unsigned long long us;
	char head[96];

	if (!text || (size_t)(text - record) >= sizeof(head))
		return;
	memcpy(head, record, text - record);
	head[text - record] = '\0';
	if (sscanf(head, "%*u,%*u,%llu,", &us) != 1)
		return;
	text++;
	end = memchr(text, '\n', record + n - text);
	fprintf(out, "[%5llu.%06llu] %.*s\n", us / 1000000, us % 1000000,
		(int)((end ? end : record + n) - text), text);
}

int rct_gen_dmesg(FILE *out, const char *unused)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC), rc = 0;
	char record[RECORD];
	ssize_t n;

	(void)unused;
	if (fd < 0)
		return -errno;
	while (ftell(out) < TEXT_MAX) {
		n = read(fd, record, sizeof(record));
		if (n > 0) {
			rct_gen_kmsg_text(out, record, n);
			continue;
		}
		/* records were overwritten while we read: the next ones are there */
		if (n < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (n < 0 && errno != EAGAIN)
			rc = -errno;
		break;
	}
	close(fd);
	return rc;
}
