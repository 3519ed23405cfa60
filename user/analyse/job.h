/* SPDX-License-Identifier: BSD-2-Clause */
/* What a job's processes and its NICs are to each other: for the rules on configuration. */
#ifndef RCT_JOB_H
#define RCT_JOB_H

#include "analyse/nics.h"

/* "process 4410 (python)". Returns buf. */
const char *rct_proc_text(const struct rct_proc *p, char buf[RCT_NIC_TEXT]);

/*
 * Does NCCL's list of HCAs (NCCL_IB_HCA) take this NIC? Names are prefixes, "=" in
 * front of the list makes them exact, "^" leaves out instead, "^=" does both, ":N" is a
 * port. NULL or no name in it: every active NIC, with "^" none. Source: NVIDIA/nccl,
 * parseStringList() and matchIfList(), src/misc/utils.cc.
 */
bool rct_hca_takes(const char *list, const struct rct_nic *n);

/* A name of the list, and of a port if not -1. */
struct rct_hca {
	const char *name;
	size_t len;
	long port;
};

/* Walks the names: *list is moved behind the one that is returned. False: none is left. */
bool rct_hca_next(const char **list, struct rct_hca *ret);
/* Behind "^" and "=", which are told. */
const char *rct_hca_names(const char *list, bool *ret_without, bool *ret_exact);

/* The variable of a process, or of its job's log where that has it. */
const char *rct_job_env(const struct rct_facts *f, const struct rct_proc *p, const char *name);

/*
 * A number as NCCL reads it: of any base of C, whatever stands behind it. False: not set,
 * or none, or too large for it; then NCCL takes its default.
 */
bool rct_job_number(const struct rct_facts *f, const struct rct_proc *p, const char *name, long *ret);

/* Traffic class that a process asks for; -1: none, or not one. */
int rct_job_traffic_class(const struct rct_facts *f, const struct rct_proc *p);

/* A process that runs NCCL or RCCL: it has one of their variables. */
bool rct_proc_is_job(const struct rct_proc *p);

/* ---- GIDs */
const struct rct_gid *rct_gid_at(const struct rct_nic *n, u32 index);
bool rct_gid_link_local(const struct rct_gid *g);
bool rct_gid_v4(const struct rct_gid *g);

/* What NCCL would pick: RoCE v2, IPv4 before IPv6, not link-local. NULL: none. */
const struct rct_gid *rct_gid_best(const struct rct_nic *n);

/* "3 (RoCE v2, 10.1.0.1)". Returns buf. */
const char *rct_gid_text(const struct rct_gid *g, char buf[RCT_NIC_TEXT]);

#endif
