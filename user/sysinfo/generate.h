/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Texts that tools would print, made of what the kernel says on the running host: by
 * ioctl, netlink, PCI configuration space and /dev/kmsg. The formats are those of
 * ethtool, ip, dcb, rdma and lspci, as far as text_*.c reads them. Nothing is changed
 * or enabled. A driver may be slow to answer: callers have a deadline for each.
 */
#ifndef RCT_GENERATE_H
#define RCT_GENERATE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The text of cmd/NAME, such as "ethtool-S-eth0.txt"; malloc()ed, with a 0 behind it.
 * 0 or -errno; -ENOENT: there is no such text here. (struct rct_root's generate)
 */
int rct_generate(const char *name, char **ret, size_t *ret_len);

#endif
