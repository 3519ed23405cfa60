/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The facts of a host (model/facts.h) out of a struct rct_root: the same readers for
 * the running host and for a captured one. What each of them reads, by file:
 *
 *	sysfs_net.c	class/net: interfaces, their PCI device, bonds, switches of /proc/sys
 *	sysfs_nic.c	class/infiniband: ports, addresses (GIDs), counters
 *	irqs.c		/proc/interrupts, /proc/irq, and which NIC a vector is of
 *	proc.c		processes that use RDMA or are told to by their environment
 *	host.c		processors, nodes, kernel, container, routes and neighbours
 *	text*.c		the texts under cmd/
 *
 * A file that isn't there leaves "unknown" behind, never 0, and a device that can't be
 * read never stops the rest.
 */
#ifndef RCT_SYSINFO_FACTS_H
#define RCT_SYSINFO_FACTS_H

#include <limits.h>

#include "base/err.h"
#include "base/root.h"
#include "model/facts.h"

/* 0 or -errno: no memory, or the folder holds no host; then *ret is empty. */
int rct_facts_read(const struct rct_root *root, struct rct_facts *ret, struct rct_err *err);

/* ---- the readers, in the order in which they are called; each adds to f. 0 or -ENOMEM */

int rct_read_host(const struct rct_root *r, struct rct_facts *f);
int rct_read_netifs(const struct rct_root *r, struct rct_facts *f);
int rct_read_nics(const struct rct_root *r, struct rct_facts *f);
/* behind the texts: need the names and addresses that those tell */
int rct_read_statistics(const struct rct_root *r, struct rct_facts *f);
int rct_read_tables(const struct rct_root *r, struct rct_facts *f);
int rct_read_procs(const struct rct_root *r, struct rct_facts *f);
int rct_read_irqs(const struct rct_root *r, struct rct_facts *f);

/* ---- what they share */

/* Writes a path; one that is too long is cut, and then names nothing. */
void rct_path(char ret[PATH_MAX], const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* dir/file as a number. */
struct rct_num rct_num_of(const struct rct_root *r, const char *dir, const char *file);
/* Hosts of containers have a thousand virtual interfaces: nothing is asked of those. */
bool rct_netif_is_wanted(const struct rct_facts *f, const struct rct_netif *n);
/* What an error of reading a file says of what is in it. */
enum rct_have rct_have_of(int rc);

/*
 * Adds a counter that is a file to a list: its number, or RCT_UNREADABLE where it has
 * none ("N/A (no PMA)", EINVAL). A file that isn't there adds nothing.
 */
int rct_read_counter(const struct rct_root *r, const char *dir, const char *file,
		     enum rct_counter_group group, struct rct_counter **list, u32 *n);

/*
 * The folder with a device's PCI function: dir/device or, where that is a device of
 * another bus upon it (virtio, auxiliary), the one above. pci: its address, "" where
 * it has none.
 */
void rct_pci_folder(const struct rct_root *r, const char *dir, char ret[PATH_MAX], char pci[16]);
/* numa_node of that folder: -2 where it is not told. */
s32 rct_node_of(const struct rct_root *r, const char *folder);
/* Adds the numbers of its vectors to a list. */
int rct_read_vectors(const struct rct_root *r, const char *folder, u32 **list, u32 *n);

/* ---- parsers of texts that sysfs and procfs have */

/* "ff,ffffc000" as a list of CPUs, "14-39". -EINVAL: it is no mask; -E2BIG; then ret is "". */
int rct_mask_list(const char *mask, char *ret, size_t size);
/* Is the CPU or node in a list like "0-3,8"? */
bool rct_list_has(const char *list, u32 number);
/* A line of gids/N. False: it is none. */
bool rct_gid_parse(const char *line, u8 ret[16]);
/* "400 Gb/sec (4X NDR)" to 400000. */
struct rct_num rct_rate_parse(const char *line);
/* /proc/interrupts: adds CPUs and vectors. -ENODATA: it has no header. */
int rct_interrupts_parse(const char *text, size_t len, struct rct_facts *f);
/* /proc/PID/environ, from an allow-list. Its result: has it variables of RDMA software? */
int rct_environ_parse(const char *text, size_t len, struct rct_proc *p, bool *ret_rdma);
void rct_status_parse(const char *text, struct rct_proc *p);
void rct_limits_parse(const char *text, struct rct_proc *p);
void rct_cgroup_parse(const char *text, struct rct_proc *p);
/* /proc/net/route, /proc/net/arp */
int rct_route_parse(const char *text, struct rct_facts *f);
int rct_arp_parse(const char *text, struct rct_facts *f);

#endif
