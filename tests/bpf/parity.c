// SPDX-License-Identifier: BSD-2-Clause
/*
 * One parser and one flow step, compiled twice: the same frames through the host
 * build and through the loaded programs (XDP, and tc egress for the other direction
 * and the frames it takes), compared after every frame by verdict and row, and at
 * the end by all that is in the tables. Time does not matter: what it decides is
 * not compared.
 *
 *	parity [-n FRAMES] [-s SEED]	so many mutated frames (200000), from this seed
 */
#include <errno.h>
#include <ftw.h>
#include <pcap/pcap.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cases.h"
#include "lib/loaded.h"
#include "lib/opspec.h"
#include "lib/seq.h"
#include "lib/tap.h"

#define ROWS		RCT_ROWS(131072)
#define CAPTURES	"tests/data/pcap"

/* One program with its tables, and the host's of the same frames. */
struct side {
	enum rct_via via;
	struct rct_loaded bpf;
	struct rct_hosttab host;
	struct rct_stats stats;		/* what the host counts */
	struct rct_pauses pauses;
};

static struct side sides[] = { { .via = RCT_VIA_XDP }, { .via = RCT_VIA_TC_TX } };

#define N_SIDES	(sizeof(sides) / sizeof(sides[0]))

/* Of the group of frames that is being fed. */
static u64 frames, wrong;

/* Says what differed, of the first few frames, with the frame's bytes. */
static void differs(const struct side *s, const u8 *data, u32 len, const char *what)
{
	if (wrong++ >= 3)
		return;
	rct_tap_say("%s, %s, %u bytes, frame %llu of its group:", what, rct_via_name(s->via), len,
		    (unsigned long long)frames);
	printf("#  ");
	for (u32 i = 0; i < len && i < 200; i++)
		printf(" %02x", data[i]);
	putchar('\n');
}

static void count_pause(struct side *s, const struct rct_pause *p)
{
	if (!p->pfc) {
		s->pauses.global_frames++;
		s->pauses.global_quanta += p->quanta[0];
		return;
	}
	s->pauses.frames++;
	for (int i = 0; i < 8; i++) {
		if (!(p->classes & 1 << i))
			continue;
		s->pauses.xoff[i] += p->quanta[i] > 0;
		s->pauses.xon[i] += p->quanta[i] == 0;
		s->pauses.quanta[i] += p->quanta[i];
	}
}

/* The host's turn. Returns the flow, or NULL where the frame is in none. */
static struct rct_hostflow *feed_host(struct side *s, const u8 *data, u32 len)
{
	struct rct_frame f = { data, data + len, len, 0, RCT_NOVLAN, RCT_LOADED_SLOT, rct_via_dir(s->via) };
	struct rct_now now = { 0 };
	struct rct_pause pause = { 0 };
	struct rct_pkt p;
	int verdict = rct_parse(&f, &p);

	if (verdict == RCT_OK) {
		rct_hosttab_packet(&s->host, &p, &now);
		return rct_hosttab_find(&s->host, &p.key);
	}
	if (verdict == RCT_PAUSE) {
		verdict = rct_parse_pause(&f, &pause);
		if (verdict == RCT_PAUSE)
			count_pause(s, &pause);
	}
	s->stats.verdict[verdict]++;
	return NULL;
}

/* The row is in mapped memory: cheap to compare after every frame; the cold part is not. */
static const char *row_differs(const struct side *s, const struct rct_hostflow *h)
{
	s64 idx = rct_loaded_find(&s->bpf, &h->row.key);
	struct rct_hostflow b;

	if (idx < 0)
		return "the host has a flow that the program has not";
	b.row = s->bpf.rows[idx];
	b.cold = h->cold;
	return rct_flow_differs(h, &b);
}

static void feed_side(struct side *s, const u8 *data, u32 len)
{
	struct rct_stats stats;
	struct rct_hostflow *h;
	const char *what;
	int err;

	if (!rct_via_takes(s->via, data, len))
		return;
	err = rct_loaded_run(&s->bpf, s->via, data, len, 0);
	if (err) {
		differs(s, data, len, strerror(-err));
		return;
	}
	frames++;
	h = feed_host(s, data, len);
	rct_loaded_stats(&s->bpf, &stats);
	if (memcmp(&stats, &s->stats, sizeof(stats))) {
		differs(s, data, len, "another verdict");
		s->stats = stats;
	}
	what = h ? row_differs(s, h) : NULL;
	if (what)
		differs(s, data, len, what);
}

static void feed(const u8 *data, u32 len)
{
	for (size_t i = 0; i < N_SIDES; i++)
		feed_side(&sides[i], data, len);
}

static void begin_group(void)
{
	frames = wrong = 0;
}

static void end_group(const char *name)
{
	rct_tap(!wrong && frames, "%s: %llu runs agree%s", name, (unsigned long long)(frames - wrong),
		wrong ? ", others not" : "");
}

/* ------------------------------------------------------------ the frames */

/* What is mutated later: frames of the table and of the captures. */
#define SEEDS	4096

static struct {
	u8 *data;
	u32 len;
} seeds[SEEDS];
static u32 n_seeds;

static void keep(const u8 *data, u32 len)
{
	if (n_seeds == SEEDS || len < 14)
		return;
	seeds[n_seeds].data = malloc(len);
	if (!seeds[n_seeds].data)
		abort();
	memcpy(seeds[n_seeds].data, data, len);
	seeds[n_seeds++].len = len;
}

static u8 frame[RCT_CASE_MAX];

static void feed_cases(void)
{
	begin_group();
	for (size_t i = 0; i < rct_n_cases; i++) {
		struct rct_frame f;

		if (rct_cases[i].ethertype || rct_cases[i].hook_vlan)
			continue;
		rct_case_frame(&rct_cases[i], frame, sizeof(frame), &f);
		feed(f.data, f.end - f.data);
		keep(f.data, f.end - f.data);
	}
	end_group("the case table");
}

/* Every prefix of every frame of the table. */
static void feed_prefixes(void)
{
	begin_group();
	for (size_t i = 0; i < rct_n_cases; i++) {
		struct rct_frame f;

		if (rct_cases[i].ethertype || rct_cases[i].hook_vlan || rct_cases[i].cut)
			continue;
		rct_case_frame(&rct_cases[i], frame, sizeof(frame), &f);
		for (u32 len = 14; len < f.wire_len && len < 200; len++)
			feed(frame, len);
	}
	end_group("prefixes of the case table");
}

static void feed_opcodes(void)
{
	begin_group();
	for (int op = 0; op < 256; op++) {
		for (u32 k = 0; k < 4; k++) {
			struct rct_brief b = { .op = op, .qp = 1000 + op, .psn = 1 + k, .len = 40 * k, .dma = 5000,
					       .syn = 0x5f + k };
			u32 len = rct_build_brief(&b, frame, sizeof(frame));

			feed(frame, len);
			if (!k)
				keep(frame, len);
		}
	}
	end_group("every opcode");
}

static void feed_sequences(void)
{
	begin_group();
	for (size_t i = 0; i < rct_n_seqs; i++) {
		struct rct_seq_at at = { .text = rct_seqs[i].packets };

		while (rct_seq_next(&at))
			feed(frame, rct_seq_frame(&at, 2000 + i, frame, sizeof(frame)));
	}
	end_group("the PSN sequences");
}

/* A few flows with every operation, and PSNs that step to and fro. */
static void feed_walk(u32 n, u64 seed)
{
	static const u32 mtus[] = { 256, 512, 1024, 2048 };
	static u32 psn[16];

	begin_group();
	for (u32 i = 0; i < n; i++) {
		u32 flow = rct_test_random(&seed) % 16, r = rct_test_random(&seed) % 64;
		struct rct_brief b = { .qp = 3000 + flow, .sport = 50000 + flow };

		psn[flow] += r < 40 ? 1 : r < 50 ? rct_test_random(&seed) % 5 :
			     r < 62 ? 0u - rct_test_random(&seed) % 20 : rct_test_random(&seed);
		b.psn = (psn[flow] & 0xffffff) ? psn[flow] & 0xffffff : RCT_ZERO;
		b.op = rct_test_random(&seed) % 30;
		if (flow % 4 == 3)
			b.op = rct_test_random(&seed);
		b.dma = rct_test_random(&seed) >> rct_test_random(&seed) % 31;
		b.syn = rct_test_random(&seed);
		b.tos = rct_test_random(&seed) % 8 ? 2 : rct_test_random(&seed);
		b.tci = rct_test_random(&seed) % 16 ? 0 : 1 + rct_test_random(&seed) % 3;
		b.len = rct_test_random(&seed) % 4 ? mtus[flow % 4] : rct_test_random(&seed) % 2000;
		b.pad = rct_test_random(&seed) % 4;
		feed(frame, rct_build_brief(&b, frame, sizeof(frame)));
	}
	end_group("PSNs that step to and fro");
}

/* ---------------------------------------------------------- the captures */

static u32 captures;

static pcap_t *open_capture(const char *path, FILE **pipe)
{
	char error[PCAP_ERRBUF_SIZE], command[1200];
	size_t n = strlen(path);

	*pipe = NULL;
	if (n < 3 || strcmp(path + n - 3, ".gz"))
		return pcap_open_offline(path, error);
	snprintf(command, sizeof(command), "gzip -dc '%s'", path);
	*pipe = popen(command, "r");
	return *pipe ? pcap_fopen_offline(*pipe, error) : NULL;
}

static void feed_capture(const char *path)
{
	struct pcap_pkthdr *h;
	const u8 *data;
	FILE *pipe;
	pcap_t *p = open_capture(path, &pipe);

	if (!p || pcap_datalink(p) != DLT_EN10MB) {
		rct_tap_say("%s: not an Ethernet capture, passed by", path);
		if (p)
			pcap_close(p);
		return;
	}
	begin_group();
	for (u32 i = 0; pcap_next_ex(p, &h, &data) == 1; i++) {
		feed(data, h->caplen);
		if (i % 37 == 0)
			keep(data, h->caplen);
	}
	end_group(path);
	captures++;
	pcap_close(p);		/* and the pipe's stream */
}

static char *paths[256];
static u32 n_paths;

static int visit(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)at;
	if (type == FTW_F && n_paths < 256 && strstr(path, ".pcap") && !strstr(path, ".expected.")) {
		paths[n_paths] = strdup(path);
		n_paths += paths[n_paths] != NULL;
	}
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In the order of their names: what is mutated later must not depend on the file system. */
static void feed_captures(void)
{
	nftw(CAPTURES, visit, 16, FTW_PHYS);
	qsort(paths, n_paths, sizeof(paths[0]), by_name);
	for (u32 i = 0; i < n_paths; i++) {
		feed_capture(paths[i]);
		free(paths[i]);
	}
	rct_tap(captures > 0, "captures: %u files in %s", captures, CAPTURES);
}

/* -------------------------------------------------------------- mutation */

/* Some bytes changed, most of them in the headers, or cut, or longer. */
static u32 mutate(u8 *data, u32 len, u64 *seed)
{
	static const u8 interesting[] = { 0x00, 0x01, 0x04, 0x0c, 0x11, 0x45, 0x60, 0x7f, 0x80, 0x81, 0xff };
	u32 n = 1 + rct_test_random(seed) % 4;

	while (n--) {
		u32 span = rct_test_random(seed) % 8 ? 110 : len;
		u8 *b = data + rct_test_random(seed) % (span < len ? span : len);

		switch (rct_test_random(seed) % 4) {
		case 0:
			*b ^= 1 << rct_test_random(seed) % 8;
			break;
		case 1:
			*b = interesting[rct_test_random(seed) % sizeof(interesting)];
			break;
		case 2:
			*b += rct_test_random(seed) % 5 - 2;
			break;
		default:
			*b = rct_test_random(seed);
		}
	}
	if (rct_test_random(seed) % 4 == 0)
		return 14 + rct_test_random(seed) % (len - 13);
	if (rct_test_random(seed) % 8 == 0) {
		n = rct_test_random(seed) % 64;
		memset(data + len, n, n);
		return len + n;
	}
	return len;
}

static void feed_mutated(u32 n, u64 seed)
{
	begin_group();
	for (u32 i = 0; i < n; i++) {
		u32 at = rct_test_random(&seed) % n_seeds, len = seeds[at].len;

		if (len + 64 > sizeof(frame))
			continue;
		memcpy(frame, seeds[at].data, len);
		feed(frame, mutate(frame, len, &seed));
	}
	end_group("mutated and truncated frames");
}

/* --------------------------------------------------------------- the end */

/* All rows with their cold parts, all counters. */
static void compare_tables(struct side *s)
{
	struct rct_stats stats;
	struct rct_pauses pauses;
	u32 compared = 0, bad = 0;

	for (size_t i = 0; i < s->host.size; i++) {
		struct rct_hostflow *h = s->host.flows[i], b;
		const char *what = "not in the program's table";
		s64 idx;

		if (!h)
			continue;
		compared++;
		idx = rct_loaded_find(&s->bpf, &h->row.key);
		if (idx >= 0) {
			rct_loaded_flow(&s->bpf, idx, &b);
			what = rct_flow_differs(h, &b);
		}
		if (what && bad++ < 5)
			rct_tap_say("%s: flow to QP %u, family %u: %s", rct_via_name(s->via), h->row.key.dest_qp,
				    h->row.key.family, what);
	}
	rct_tap(!bad && compared == rct_loaded_live(&s->bpf), "%s: %u flows are equal, all that is in them (of %u)",
		rct_via_name(s->via), compared - bad, rct_loaded_live(&s->bpf));
	rct_loaded_stats(&s->bpf, &stats);
	rct_tap(!memcmp(&stats, &s->stats, sizeof(stats)) && !stats.verdict[RCT_OK],
		"%s: the verdict counters are equal, and there is no overflow", rct_via_name(s->via));
	rct_loaded_pauses(&s->bpf, rct_via_dir(s->via), &pauses);
	rct_tap(!memcmp(&pauses, &s->pauses, sizeof(pauses)) && pauses.frames && pauses.global_frames,
		"%s: the pause counters are equal", rct_via_name(s->via));
}

/* Every verdict that the parser gives was among the frames. */
static void every_verdict(void)
{
	bool all = true;

	for (int i = RCT_OK + 1; i <= RCT_DEEP; i++)
		all &= sides[0].stats.verdict[i] > 0;
	rct_tap(all && sides[0].host.n, "every verdict was given");
}

static void pin(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		abort();
}

static bool open_sides(void)
{
	for (size_t i = 0; i < N_SIDES; i++) {
		int err = rct_loaded_open(&sides[i].bpf, ROWS, false);

		if (err)
			return rct_tap(false, "the packet programs load: %s", strerror(-err));
		rct_hosttab_init(&sides[i].host);
	}
	return true;
}

int main(int argc, char **argv)
{
	const char *why = rct_loaded_impossible();
	u32 mutated = 200000;
	u64 seed = 1;
	int opt;

	while ((opt = getopt(argc, argv, "n:s:")) != -1) {
		if (opt == 'n')
			mutated = strtoul(optarg, NULL, 0);
		else if (opt == 's')
			seed = strtoull(optarg, NULL, 0);
		else
			return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (why) {
		rct_tap_skip("parity", why);
		return rct_tap_end();
	}
	pin();
	if (!open_sides())
		return rct_tap_end();
	feed_cases();
	feed_prefixes();
	feed_opcodes();
	feed_sequences();
	feed_walk(20000, seed);
	feed_captures();
	feed_mutated(mutated, seed);
	for (size_t i = 0; i < N_SIDES; i++)
		compare_tables(&sides[i]);
	every_verdict();
	for (size_t i = 0; i < N_SIDES; i++) {
		rct_loaded_close(&sides[i].bpf);
		rct_hosttab_free(&sides[i].host);
	}
	while (n_seeds)
		free(seeds[--n_seeds].data);
	return rct_tap_end();
}
