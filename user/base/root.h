/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where facts of a host are read from: the running host, or a folder that holds a
 * captured one (--sysroot, an unpacked bundle). Every reader of sysfs and procfs
 * goes through it. What on a host comes by ioctl, netlink or a tool is text too, under
 * cmd/: on the running host a generator makes it (user/sysinfo/generate.c), in a
 * folder it is a file. So there is one parser for both, and a bundle is the texts.
 */
#ifndef RCT_ROOT_H
#define RCT_ROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RCT_TEXT_MAX	(16 << 20)	/* longer files are cut here */

/* Makes the text of cmd/NAME. *ret is malloc()ed and ends with 0. 0 or -errno. */
typedef int (*rct_generate_fn)(const char *name, char **ret, size_t *ret_len);

struct rct_guard;

/*
 * Told of each file that was read, and of each name that was found (text NULL), with a
 * path that may hold "/..": the copy of a host is made so (sysinfo/bundle.c).
 */
typedef void (*rct_seen_fn)(void *arg, const char *path, const char *text, size_t len);

struct rct_root {
	char *path;			/* "" : the running host */
	int fd;				/* of the folder */
	rct_generate_fn generate;	/* of the running host; NULL: there is nothing under cmd/ */
	struct rct_guard *guard;	/* reads have a deadline (base/guard.h); the caller's; NULL: none */
	rct_seen_fn seen;		/* NULL: nobody */
	void *seen_arg;
	const char *nccl_log;		/* a file that stands for cmd/nccl.log; the caller's; NULL: none */
};

/* path NULL or "": the running host. 0 or -errno. */
int rct_root_open(struct rct_root *r, const char *path, rct_generate_fn generate);
void rct_root_close(struct rct_root *r);

/* Is it a captured host? */
bool rct_root_captured(const struct rct_root *r);

/*
 * The text of a file, e.g. "sys/class/net/eth0/mtu" or "cmd/ethtool-S-eth0.txt"; malloc()ed,
 * with a 0 behind it. NULL and *ret_error = errno where it can't be read (ENOENT: it
 * isn't there). Paths never leave the folder.
 */
char *rct_root_text(const struct rct_root *r, size_t *ret_len, int *ret_error, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The first line, without its end, into buf. 0 or -errno. */
int rct_root_line(const struct rct_root *r, char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* A decimal or 0x number that is all of the file. 0 or -errno; -EINVAL: it is no number. */
int rct_root_number(const struct rct_root *r, int64_t *ret, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * The names in a folder, sorted as people count (eth2 before eth10), malloc()ed; free
 * with rct_names_free(). 0 or -errno.
 */
int rct_root_list(const struct rct_root *r, char ***ret_names, size_t *ret_n, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void rct_names_free(char **names, size_t n);

bool rct_root_exists(const struct rct_root *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * The last part of a symbolic link's target. In a captured host, which may have no links:
 * DIR/driver and DIR/device by the uevent file of the device. 0 or -errno.
 */
int rct_root_link(const struct rct_root *r, char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The value of KEY= in a folder's uevent file. 0 or -errno. */
int rct_root_uevent(const struct rct_root *r, char *buf, size_t size, const char *key,
		    const char *fmt, ...) __attribute__((format(printf, 5, 6)));

#endif
