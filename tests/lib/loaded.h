/* SPDX-License-Identifier: BSD-2-Clause */
/* The packet programs, loaded, fed with frames by BPF_PROG_TEST_RUN, and their maps read. */
#ifndef RCT_TEST_LOADED_H
#define RCT_TEST_LOADED_H

#include "lib/hosttab.h"

#define RCT_LOADED_SLOT	1	/* of the loopback interface, where test runs take place */

enum rct_via { RCT_VIA_XDP, RCT_VIA_TC_RX, RCT_VIA_TC_TX, RCT_VIAS };

struct packet_bpf;

struct rct_loaded {
	struct packet_bpf *skel;
	struct rct_row *rows;	/* mapped */
	u32 n_rows;
};

/* A fixed seed, for a table that is the same on every run. */
void rct_loaded_seed(u64 *seed);

/* Loads with a table of so many rows. 0 or -errno. */
int rct_loaded_open(struct rct_loaded *l, u32 rows, bool events);
void rct_loaded_close(struct rct_loaded *l);

/*
 * Why nothing of this can run here, or NULL. Prints nothing; a program that gets
 * a reason reports it as a skip.
 */
const char *rct_loaded_impossible(void);

/* Is it a frame that the kernel's test run takes? */
bool rct_via_takes(enum rct_via via, const u8 *data, u32 len);
const char *rct_via_name(enum rct_via via);
u8 rct_via_dir(enum rct_via via);

/*
 * Runs a program on the frame. 0; -errno; -EPROTO where its verdict isn't the one
 * that lets everybody else go on, or the frame came back changed. gso_size: tc only.
 */
int rct_loaded_run(struct rct_loaded *l, enum rct_via via, const u8 *data, u32 len, u32 gso_size);

/* The counters of the slot, all CPUs. */
void rct_loaded_stats(const struct rct_loaded *l, struct rct_stats *sum);
void rct_loaded_pauses(const struct rct_loaded *l, u8 dir, struct rct_pauses *p);

/* Index of the live row of a key, or -1. */
s64 rct_loaded_find(const struct rct_loaded *l, const struct rct_key *key);

/* A copy of a row and its cold part. */
void rct_loaded_flow(const struct rct_loaded *l, u32 idx, struct rct_hostflow *f);

/* Empties a row as user space does. No program may run meanwhile: there is no grace period here. */
void rct_loaded_take_out(struct rct_loaded *l, u32 idx);

/* Live rows. */
u32 rct_loaded_live(const struct rct_loaded *l);

#endif
