// SPDX-License-Identifier: BSD-2-Clause
/* user/capture/{pcapfile,infile,linktype}.c: file formats, link types, damage. */
#include "lib/unit.h"
#include "lib/part.h"
#include "capture/pcapfile.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

#define PACKETS		20
#define PAYLOAD		256
#define FRAME		(14 + 20 + 8 + 12 + PAYLOAD + 4)

/* A file in memory. */
struct image {
	u8 b[64 << 10];
	size_t n;
};

static struct image image;
static char path[] = "/tmp/rocetrace-test-XXXXXX";

static void put(const void *p, size_t n)
{
	assert_true(image.n + n <= sizeof(image.b));
	memcpy(image.b + image.n, p, n);
	image.n += n;
}

static void put32(u32 v)
{
	put(&v, 4);
}

static void put16(u16 v)
{
	put(&v, 2);
}

/* What comes of a packet in a file, before the network header. */
enum link { ETHERNET, COOKED, COOKED_TAG, COOKED2, RAW, LOOP, LOOP_BSD };

static const u16 linktypes[] = { 1, 113, 113, 276, 101, 108, 0 };

static u32 link_header(enum link link, u8 *p)
{
	static const u8 cooked[16] = { 0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0, 0x08, 0x00 };
	static const u8 tagged[20] = { 0, 4, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0, 0x81, 0x00, 0x60, 100, 0x08, 0x00 };
	static const u8 cooked2[20] = { 0x08, 0x00, 0, 0, 0, 0, 0, 2, 0, 1, 0, 6, 2 };
	static const u8 family_be[4] = { 0, 0, 0, 2 }, family_le[4] = { 2 };
	static const struct { const u8 *p; u32 n; } headers[] = {
		[COOKED] = { cooked, 16 }, [COOKED_TAG] = { tagged, 20 }, [COOKED2] = { cooked2, 20 },
		[LOOP] = { family_be, 4 }, [LOOP_BSD] = { family_le, 4 },
	};

	if (link == ETHERNET || link == RAW)
		return 0;
	memcpy(p, headers[link].p, headers[link].n);
	return headers[link].n;
}

static u32 make_packet(enum link link, u32 psn, u8 *buf, size_t size)
{
	u32 n = link_header(link, buf);

	if (link == ETHERNET)
		return rct_build(PARTS(ETH(), IP4(), UDP(), BTH(.op = 4, .psn = psn ? psn : RCT_ZERO),
				       DATA(PAYLOAD), ICRC()), buf, size);
	return n + rct_build(PARTS(IP4(), UDP(), BTH(.op = 4, .psn = psn ? psn : RCT_ZERO),
				   DATA(PAYLOAD), ICRC()), buf + n, size - n);
}

static u32 swapped(u32 v, bool swap)
{
	return swap ? __builtin_bswap32(v) : v;
}

/* A pcap file of 20 packets from second 100 on, 1,000,001 ns (or us) apart. */
static void make_pcap(enum link link, bool ns, bool swap, u32 snaplen)
{
	u8 p[1024];

	image.n = 0;
	put32(swapped(ns ? 0xa1b23c4d : 0xa1b2c3d4, swap));
	put32(swap ? 0x04000200 : 0x00040002);	/* version 2.4 */
	put32(0);
	put32(0);
	put32(swapped(65535, swap));
	put32(swapped(linktypes[link], swap));
	for (u32 i = 0; i < PACKETS; i++) {
		u32 len = make_packet(link, i, p, sizeof(p)), cap = len < snaplen ? len : snaplen;

		put32(swapped(100 + i, swap));
		put32(swapped(i * 7, swap));
		put32(swapped(cap, swap));
		put32(swapped(len, swap));
		put(p, cap);
	}
}

static void put_record(const u8 *p, u32 len)
{
	put32(1);
	put32(0);
	put32(len);
	put32(len);
	put(p, len);
}

static void block_begin(u32 type, u32 body)
{
	put32(type);
	put32(12 + body);
}

static void block_end(u32 body)
{
	put32(12 + body);
}

static void interface(u16 linktype, u32 snaplen)
{
	block_begin(1, 8 + 12);
	put16(linktype);
	put16(0);
	put32(snaplen);
	put16(9);	/* if_tsresol: nanoseconds */
	put16(1);
	put32(9);
	put32(0);	/* end of options */
	block_end(8 + 12);
}

static void pcapng_packet(u32 interface_id, u32 i)
{
	u64 ts = (100 + i) * 1000000000ull + i * 7;
	u8 p[1024];
	u32 len = make_packet(ETHERNET, i, p, sizeof(p)), padded = (len + 3) & ~3u;

	block_begin(6, 20 + padded);
	put32(interface_id);
	put32(ts >> 32);
	put32(ts);
	put32(len);
	put32(len);
	memset(p + len, 0, 4);
	put(p, padded);
	block_end(20 + padded);
}

static void section(void)
{
	image.n = 0;
	block_begin(0x0a0d0d0a, 16);
	put32(0x1a2b3c4d);
	put32(1);	/* version 1.0 */
	put32(0xffffffff);
	put32(0xffffffff);
	block_end(16);
}

static void make_pcapng(u16 second_linktype, u32 second_snaplen)
{
	section();
	interface(1, 65535);
	for (u32 i = 0; i < PACKETS / 2; i++)
		pcapng_packet(0, i);
	interface(second_linktype, second_snaplen);
	for (u32 i = PACKETS / 2; i < PACKETS; i++)
		pcapng_packet(i & 1, i);
}

static void save(void)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(image.b, 1, image.n, f), image.n);
	assert_int_equal(fclose(f), 0);
}

static int read_files(struct rct_snapshot *s, struct rct_err *err, size_t n)
{
	const char *names[] = { path, path, path };

	memset(s, 0, sizeof(*s));
	memset(err, 0, sizeof(*err));
	return rct_pcapfile_read(names, n, s, err);
}

static int read_saved(struct rct_snapshot *s, struct rct_err *err)
{
	save();
	return read_files(s, err, 1);
}

/* All 20 packets, as they are on an Ethernet. */
static void check_all(const struct rct_snapshot *s, u32 frame)
{
	assert_int_equal(s->totals.packets, PACKETS);
	assert_int_equal(s->totals.roce, PACKETS);
	assert_int_equal(s->n_flows, 1);
	assert_int_equal(s->flows[0].packets, PACKETS);
	assert_int_equal(s->flows[0].bytes, (u64)PACKETS * frame);
	assert_int_equal(s->flows[0].payload, PACKETS * PAYLOAD);
	assert_int_equal(s->flows[0].gaps, 0);
	assert_int_equal(s->flows[0].key.dir, RCT_NODIR);
	assert_int_equal(s->flows[0].icrc_checked, PACKETS);
	assert_int_equal(s->flows[0].icrc_bad, 0);
	assert_int_equal(s->start_ns, 100000000000);
	assert_int_equal(s->coverage[0].state, RCT_COV_OK);
	assert_int_equal(s->n_ifaces, 1);
	assert_int_equal(s->ifaces[0].verdict[RCT_OK], PACKETS);
}

static void test_pcap(void **state)
{
	struct rct_snapshot s;
	struct rct_err err;

	(void)state;
	for (int i = 0; i < 4; i++) {
		make_pcap(ETHERNET, i & 1, i & 2, 65535);
		assert_int_equal(read_saved(&s, &err), 0);
		check_all(&s, FRAME);
		assert_int_equal(s.end_ns, 119000000000 + 19 * 7 * (i & 1 ? 1 : 1000));
		rct_snapshot_free(&s);
	}
}

static void test_pcapng(void **state)
{
	struct rct_snapshot s;
	struct rct_err err;

	(void)state;
	make_pcapng(1, 65535);
	assert_int_equal(read_saved(&s, &err), 0);
	check_all(&s, FRAME);
	assert_int_equal(s.end_ns, 119000000133);
	rct_snapshot_free(&s);
}

/* libpcap refuses interfaces that differ: what came before is there, and the words help. */
static void test_mixed(void **state)
{
	static const struct { u16 linktype; u32 snaplen; const char *words; } rows[] = {
		{ 113, 65535, "interfaces of different link types" },
		{ 1, 128, "interfaces of different snapshot lengths" },
	};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct rct_snapshot s;
		struct rct_err err;

		make_pcapng(rows[i].linktype, rows[i].snaplen);
		assert_int_not_equal(read_saved(&s, &err), 0);
		assert_non_null(strstr(err.text, rows[i].words));
		assert_non_null(strstr(err.text, path));
		assert_int_equal(s.flows[0].packets, PACKETS / 2);
		assert_int_equal(s.coverage[0].state, RCT_COV_PARTIAL);
		rct_snapshot_free(&s);
	}
}

/* Bytes are those of the Ethernet frame, where there was one. */
static void test_link_types(void **state)
{
	static const struct { enum link link; u32 frame; u16 vlan; } rows[] = {
		{ COOKED, FRAME, RCT_NOVLAN }, { COOKED_TAG, FRAME + 4, 0x6064 }, { COOKED2, FRAME, RCT_NOVLAN },
		{ RAW, FRAME - 14, RCT_NOVLAN }, { LOOP, FRAME - 14, RCT_NOVLAN }, { LOOP_BSD, FRAME - 14, RCT_NOVLAN },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rct_snapshot s;
		struct rct_err err;

		make_pcap(rows[i].link, false, false, 65535);
		assert_int_equal(read_saved(&s, &err), 0);
		check_all(&s, rows[i].frame);
		assert_int_equal(RCT_ATTR_VLAN(s.flows[0].attr), rows[i].vlan);
		rct_snapshot_free(&s);
	}
}

/* Records too short for their link header, and such without any IP. */
static void test_short_records(void **state)
{
	struct rct_snapshot s;
	struct rct_err err;

	(void)state;
	for (u32 cap = 0; cap < 70; cap++) {
		for (enum link link = ETHERNET; link <= LOOP_BSD; link++) {
			make_pcap(link, false, false, cap);
			assert_int_equal(read_saved(&s, &err), 0);
			assert_int_equal(s.totals.packets, PACKETS);
			assert_int_equal(s.totals.truncated, PACKETS);
			rct_snapshot_free(&s);
		}
	}
}

static void test_snaplen(void **state)
{
	struct rct_snapshot s;
	struct rct_err err;

	(void)state;
	make_pcap(ETHERNET, false, false, 128);
	assert_int_equal(read_saved(&s, &err), 0);
	assert_int_equal(s.totals.truncated, PACKETS);
	assert_int_equal(s.flows[0].packets, PACKETS);
	assert_int_equal(s.flows[0].bytes, PACKETS * FRAME);
	assert_int_equal(s.flows[0].payload, PACKETS * PAYLOAD);
	assert_int_equal(s.flows[0].icrc_checked, 0);
	rct_snapshot_free(&s);
}

static void test_unsupported(void **state)
{
	struct rct_snapshot s;
	struct rct_err err;

	(void)state;
	make_pcap(ETHERNET, false, false, 65535);
	image.b[20] = 197;	/* ERF */
	assert_int_not_equal(read_saved(&s, &err), 0);
	assert_non_null(strstr(err.text, "link type ERF (197) is not supported"));
	assert_int_equal(s.totals.packets, PACKETS);
	assert_int_equal(s.totals.refused[RCT_OTHER], PACKETS);
	assert_int_equal(s.n_flows, 0);
	assert_int_equal(s.coverage[0].state, RCT_COV_NONE);
	rct_snapshot_free(&s);
}

/* ---- damage */

/* Cut anywhere: the whole packets before it are counted, and the place is told. */
static void test_cut(void **state)
{
	const u32 record = 16 + FRAME;

	(void)state;
	for (u32 cut = 24 + 3 * record - 5; cut <= 24 + 4 * record; cut++) {
		bool whole = (cut - 24) % record == 0;
		struct rct_snapshot s;
		struct rct_err err;
		char at[64];

		make_pcap(ETHERNET, false, false, 65535);
		image.n = cut;
		assert_int_equal(!read_saved(&s, &err), whole);
		assert_int_equal(s.totals.packets, (cut - 24) / record);
		snprintf(at, sizeof(at), "at byte %u, after %u packets", cut, (cut - 24) / record);
		assert_true(whole || (strstr(err.text, path) && strstr(err.text, at)));
		assert_int_equal(s.coverage[0].state, whole ? RCT_COV_OK : RCT_COV_PARTIAL);
		rct_snapshot_free(&s);
	}
}

static void test_header_cut(void **state)
{
	(void)state;
	for (u32 cut = 0; cut < 24; cut++) {
		struct rct_snapshot s;
		struct rct_err err;

		make_pcap(ETHERNET, false, false, 65535);
		image.n = cut;
		assert_int_not_equal(read_saved(&s, &err), 0);
		assert_non_null(strstr(err.text, cut ? "is not a capture file" : "is empty"));
		assert_int_equal(s.totals.packets, 0);
		rct_snapshot_free(&s);
	}
}

static void test_absurd_length(void **state)
{
	struct rct_snapshot s;
	struct rct_err err;

	(void)state;
	make_pcap(ETHERNET, false, false, 65535);
	memset(image.b + 24 + 5 * (16 + FRAME) + 8, 0x7f, 4);
	assert_int_not_equal(read_saved(&s, &err), 0);
	assert_non_null(strstr(err.text, "after 5 packets"));
	assert_int_equal(s.flows[0].packets, 5);
	rct_snapshot_free(&s);
}

static void test_not_there(void **state)
{
	const char *names[] = { path, "/nonexistent/file.pcap" };
	struct rct_snapshot s = {};
	struct rct_err err;

	(void)state;
	make_pcap(ETHERNET, false, false, 65535);
	save();
	assert_int_equal(rct_pcapfile_read(names, 2, &s, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/file.pcap"));
	assert_int_equal(s.totals.packets, PACKETS);
	rct_snapshot_free(&s);
}

static void test_directory(void **state)
{
	const char *names[] = { "/" };
	struct rct_snapshot s = {};
	struct rct_err err;

	(void)state;
	assert_int_equal(rct_pcapfile_read(names, 1, &s, &err), -EISDIR);
	rct_snapshot_free(&s);
}

/* ---- several files, gzip, pipes */

/* One trace: the second file's packets are the first one's once more, and older. */
static void test_files(void **state)
{
	struct rct_snapshot s;
	struct rct_err err;

	(void)state;
	make_pcap(ETHERNET, false, false, 65535);
	save();
	assert_int_equal(read_files(&s, &err, 3), 0);
	assert_int_equal(s.totals.packets, 3 * PACKETS);
	assert_int_equal(s.n_flows, 1);
	assert_int_equal(s.flows[0].packets, 3 * PACKETS);
	assert_int_equal(s.flows[0].repeated, 2 * PACKETS);
	assert_int_equal(s.n_coverage, 3);
	assert_int_equal(s.start_ns, 100000000000);
	assert_int_equal(s.flows[0].first_ns, 100000000000);
	rct_snapshot_free(&s);
}

/* READs that make a second pass necessary, a file without packets between their files. */
static void test_second_pass(void **state)
{
	char empty[] = "/tmp/rocetrace-test-XXXXXX";
	const char *names[] = { path, empty, path };
	int fd = mkstemp(empty);
	struct rct_snapshot s;
	struct rct_err err;
	u8 p[1024];

	(void)state;
	make_pcap(ETHERNET, false, false, 65535);
	assert_int_equal(write(fd, image.b, 24), 24);
	close(fd);
	image.n = 24;
	/* the first step fits a path MTU of 2,048, all others 1,024: by it the first steps back, the third skips 4 */
	for (u32 i = 0, psn = 0; i < 8; psn += i == 0 ? 4 : 8, i++)
		put_record(p, rct_build(PARTS(ETH(), IP4(), UDP(), BTH(.op = 12, .psn = psn ? psn : RCT_ZERO),
					      RETH(.dma = 8192), ICRC()), p, sizeof(p)));
	save();
	memset(&s, 0, sizeof(s));
	assert_int_equal(rct_pcapfile_read(names, 3, &s, &err), 0);
	assert_int_equal(s.totals.packets, 16);
	assert_int_equal(s.flows[0].packets, 16);
	assert_int_equal(s.flows[0].path_mtu, 1024);
	assert_int_equal(s.flows[0].gaps, 1);
	assert_int_equal(s.flows[0].missing, 4);
	assert_int_equal(s.flows[0].icrc_checked, 16);
	rct_snapshot_free(&s);
	unlink(empty);
}

/* More files than a process may have open. */
static void test_many_files(void **state)
{
	enum { FILES = 3000 };
	static const char *names[FILES];
	struct rct_snapshot s = {};
	struct rct_err err;

	(void)state;
	make_pcap(ETHERNET, false, false, 65535);
	image.n = 24 + 16 + FRAME;
	save();
	for (int i = 0; i < FILES; i++)
		names[i] = path;
	assert_int_equal(rct_pcapfile_read(names, FILES, &s, &err), 0);
	assert_int_equal(s.flows[0].packets, FILES);
	rct_snapshot_free(&s);
}

static void gzip(const char *mode, size_t from, size_t n)
{
	gzFile f = gzopen(path, mode);

	assert_non_null(f);
	assert_int_equal(gzwrite(f, image.b + from, n), (int)n);
	assert_int_equal(gzclose(f), Z_OK);
}

static void append(const char *text, size_t n)
{
	FILE *f = fopen(path, "a");

	assert_non_null(f);
	fwrite(text, 1, n, f);
	fclose(f);
}

static void test_gzip(void **state)
{
	struct rct_snapshot s;
	struct rct_err err;

	(void)state;
	make_pcap(ETHERNET, false, false, 65535);
	/* two members, as of two files joined, and what tapes leave behind */
	gzip("w", 0, 1000);
	gzip("a", 1000, image.n - 1000);
	append("\0\0\0\0\0\0\0", 7);
	assert_int_equal(read_files(&s, &err, 1), 0);
	check_all(&s, FRAME);
	rct_snapshot_free(&s);
}

static void test_gzip_damaged(void **state)
{
	struct rct_snapshot s;
	struct rct_err err;
	u64 seed = 3;
	long size;
	FILE *f;

	(void)state;
	make_pcap(ETHERNET, false, false, 65535);
	/* payloads that can't be compressed: half of the file is half of the packets */
	for (u32 i = 24 + 16 + FRAME - PAYLOAD; i < image.n; i += 16 + FRAME) {
		for (u32 j = 0; j < PAYLOAD - 4; j++)
			image.b[i + j] = rct_test_random(&seed);
	}
	gzip("w", 0, image.n);
	f = fopen(path, "r+");
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	/* the check value of the contents, at the end */
	fseek(f, -8, SEEK_END);
	fwrite("\x55\xaa\x55\xaa", 1, 4, f);
	fclose(f);
	assert_int_not_equal(read_files(&s, &err, 1), 0);
	assert_non_null(strstr(err.text, "uncompressed"));
	rct_snapshot_free(&s);
	assert_int_equal(truncate(path, size / 2), 0);
	assert_int_not_equal(read_files(&s, &err, 1), 0);
	assert_non_null(strstr(err.text, "cut off"));
	assert_true(s.totals.packets > 0 && s.totals.packets < PACKETS);
	rct_snapshot_free(&s);
}

/* Standard input becomes what is in the image, through a pipe. */
static pid_t pipe_in(int *saved)
{
	int fds[2];
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(fds[0]);
		_exit(write(fds[1], image.b, image.n) != (ssize_t)image.n);
	}
	close(fds[1]);
	*saved = dup(0);
	dup2(fds[0], 0);
	close(fds[0]);
	return pid;
}

static void test_pipe(void **state)
{
	const char *names[] = { "-" };
	struct rct_snapshot s = {};
	struct rct_err err;
	int saved;

	(void)state;
	make_pcap(ETHERNET, false, false, 65535);
	pipe_in(&saved);
	assert_int_equal(rct_pcapfile_read(names, 1, &s, &err), 0);
	dup2(saved, 0);
	close(saved);
	check_all(&s, FRAME);
	assert_string_equal(s.coverage[0].object, "standard input");
	rct_snapshot_free(&s);
}

static void test_pipe_no_room(void **state)
{
	const char *names[] = { "-" };
	struct rct_snapshot s = {};
	struct rct_err err;
	int saved;

	(void)state;
	make_pcap(ETHERNET, false, false, 65535);
	pipe_in(&saved);
	setenv("TMPDIR", "/nonexistent", 1);
	assert_int_not_equal(rct_pcapfile_read(names, 1, &s, &err), 0);
	unsetenv("TMPDIR");
	dup2(saved, 0);
	close(saved);
	assert_non_null(strstr(err.text, "TMPDIR"));
	rct_snapshot_free(&s);
}

/* Standard input is a file that was read from before: its place counts. */
static void test_stdin_file(void **state)
{
	const char *names[] = { "-" };
	struct rct_snapshot s = {};
	struct rct_err err;
	int saved = dup(0);
	FILE *f;

	(void)state;
	make_pcap(ETHERNET, false, false, 65535);
	memmove(image.b + 5, image.b, image.n);
	image.n += 5;
	save();
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(lseek(fileno(f), 5, SEEK_SET), 5);
	dup2(fileno(f), 0);
	fclose(f);
	assert_int_equal(rct_pcapfile_read(names, 1, &s, &err), 0);
	dup2(saved, 0);
	close(saved);
	check_all(&s, FRAME);
	rct_snapshot_free(&s);
}

/* ---- what else is in a capture */

static void test_pause_and_refused(void **state)
{
	static const u8 arp[60] = { [12] = 0x08, [13] = 0x06 };
	struct rct_snapshot s;
	struct rct_err err;
	u8 p[1024];
	u32 n;

	(void)state;
	make_pcap(ETHERNET, false, false, 65535);
	put_record(arp, sizeof(arp));
	n = rct_build(PARTS(ETH(), PFC(.id = 0x18, .quanta = { [3] = 100 })), p, sizeof(p));
	put_record(p, n);
	n = rct_build(PARTS(ETH(), PAUSE(.quanta = { 500 })), p, sizeof(p));
	put_record(p, n);
	n = rct_build(PARTS(ETH(), IP4(.frag = 0x2000), UDP(), BTH(.op = 4), DATA(64)), p, sizeof(p));
	put_record(p, n);
	n = rct_build(PARTS(ETH(), IP4(), UDP(), BTH(.op = 4, .ver = 1), DATA(64)), p, sizeof(p));
	put_record(p, n);
	assert_int_equal(read_saved(&s, &err), 0);
	assert_int_equal(s.totals.packets, PACKETS + 5);
	assert_int_equal(s.totals.roce, PACKETS);
	assert_int_equal(s.totals.refused[RCT_OTHER], 1);
	assert_int_equal(s.totals.refused[RCT_PAUSE], 2);
	assert_int_equal(s.totals.refused[RCT_FRAGMENT], 1);
	assert_int_equal(s.totals.refused[RCT_TVER], 1);
	assert_int_equal(s.ifaces[0].pause[0].frames, 1);
	assert_int_equal(s.ifaces[0].pause[0].xoff[3], 1);
	assert_int_equal(s.ifaces[0].pause[0].xon[4], 1);
	assert_int_equal(s.ifaces[0].pause[0].quanta[3], 100);
	assert_int_equal(s.ifaces[0].pause[0].global_frames, 1);
	assert_int_equal(s.ifaces[0].pause[0].global_quanta, 500);
	rct_snapshot_free(&s);
}

static int setup(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	unsetenv("TMPDIR");
	return fd < 0 || close(fd);
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pcap),
		cmocka_unit_test(test_pcapng),
		cmocka_unit_test(test_mixed),
		cmocka_unit_test(test_link_types),
		cmocka_unit_test(test_short_records),
		cmocka_unit_test(test_snaplen),
		cmocka_unit_test(test_unsupported),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_header_cut),
		cmocka_unit_test(test_absurd_length),
		cmocka_unit_test(test_not_there),
		cmocka_unit_test(test_directory),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_second_pass),
		cmocka_unit_test(test_many_files),
		cmocka_unit_test(test_gzip),
		cmocka_unit_test(test_gzip_damaged),
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_pipe_no_room),
		cmocka_unit_test(test_stdin_file),
		cmocka_unit_test(test_pause_and_refused),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
