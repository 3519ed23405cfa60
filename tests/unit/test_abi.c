// SPDX-License-Identifier: BSD-2-Clause
/* bpf/abi.h: words that are packed, and how well the table's places are spread. */
#include "lib/unit.h"
#include "abi.h"
#include "lib/part.h"

static void test_slot_word(void **state)
{
	u64 w = RCT_SLOT_WORD(0x7fffffff, 63, RCT_SLOT_RX_ONLY);

	(void)state;
	assert_int_equal(RCT_SLOT_IFINDEX(w), 0x7fffffff);
	assert_int_equal(RCT_SLOT_NR(w) & (RCT_SLOTS - 1), 63);
	assert_true(w & RCT_SLOT_USED && w & RCT_SLOT_RX_ONLY);
	assert_int_equal(RCT_SLOT_WORD(5, 2, 0) & RCT_SLOT_RX_ONLY, 0);
	for (u32 ifindex = 1; ifindex < 1000; ifindex++) {
		for (u32 i = 0; i < RCT_SLOT_TRIES; i++)
			assert_in_range(RCT_SLOT_AT(ifindex, i), 0, RCT_SLOT_HASH - 1);
	}
}

static void test_attributes(void **state)
{
	u64 a = RCT_ATTR(0xfedc, 0xba98, 0x7654, 0x32, 0xff);

	(void)state;
	assert_int_equal(RCT_ATTR_SPORT(a), 0xfedc);
	assert_int_equal(RCT_ATTR_VLAN(a), 0xba98);
	assert_int_equal(RCT_ATTR_PKEY(a), 0x7654);
	assert_int_equal(RCT_ATTR_DSCP(a), 0x32);
	assert_int_equal(RCT_ATTR_TTL(a), 0xff);
}

/* ------------------------------------------------------ the table's places */

/* Flow number i of a site: two hosts and a QP. */
static void one_pair(u32 i, u8 *src, u8 *dst, struct rct_key *k)
{
	src[15] = 1;
	dst[15] = 2;
	k->dest_qp = 2 + i;
}

static void many_senders(u32 i, u8 *src, u8 *dst, struct rct_key *k)
{
	src[14] = i >> 14;
	src[15] = i >> 6;
	dst[15] = 2;
	k->dest_qp = 0x100 + i % 64;
}

static void all_to_all_64(u32 i, u8 *src, u8 *dst, struct rct_key *k)
{
	src[15] = i % 64;
	dst[15] = i / 64 % 64;
	k->dest_qp = 0x100 + i / 4096;
}

static void all_to_all_256(u32 i, u8 *src, u8 *dst, struct rct_key *k)
{
	src[15] = i;
	dst[15] = i >> 8;
	k->dest_qp = 17;
}

static void all_to_all_ipv6(u32 i, u8 *src, u8 *dst, struct rct_key *k)
{
	all_to_all_64(i, src, dst, k);
	src[0] = dst[0] = 0xfd;
	memset(src + 10, 0, 3);
	memset(dst + 10, 0, 3);
	k->family = RCT_IPV6;
}

static void rails(u32 i, u8 *src, u8 *dst, struct rct_key *k)
{
	src[13] = dst[13] = i % 8;
	src[14] = i / 8 % 32;
	dst[14] = i / 256 % 32;
	src[15] = dst[15] = 1;
	k->dest_qp = 0x80 + i / 8192;
}

static void tunnels(u32 i, u8 *src, u8 *dst, struct rct_key *k)
{
	src[15] = 1;
	dst[15] = 2;
	k->tunnel = RCT_TUN_VXLAN;
	k->tunnel_id = i % 256;
	k->dest_qp = 17 + i / 256;
}

static const struct {
	const char *name;
	void (*key)(u32 i, u8 *src, u8 *dst, struct rct_key *k);
} sites[] = {
	{ "QPs of one pair of hosts", one_pair },
	{ "64 QPs of each of many senders", many_senders },
	{ "all pairs of 64 hosts", all_to_all_64 },
	{ "all pairs of 256 hosts", all_to_all_256 },
	{ "all pairs of 64 hosts, IPv6", all_to_all_ipv6 },
	{ "eight rails of 32 hosts", rails },
	{ "256 tunnels", tunnels },
};

static struct rct_key site_key(size_t site, u32 i)
{
	struct rct_key k = { .slot = 1, .family = RCT_IPV4 };
	u8 *src = (u8 *)k.src, *dst = (u8 *)k.dst;

	src[10] = src[11] = dst[10] = dst[11] = 0xff;
	src[12] = dst[12] = 10;
	sites[site].key(i, src, dst, &k);
	return k;
}

static u8 taken[RCT_ROWS(65536)];

/* Puts the site's flows into an empty table; what does not find a place, and the places looked at. */
static u32 fill(size_t site, u32 flows, const u64 *seed, u64 *ret_probes)
{
	u32 rows = RCT_ROWS(flows), lost = 0;

	memset(taken, 0, rows);
	*ret_probes = 0;
	for (u32 i = 0; i < flows; i++) {
		struct rct_key k = site_key(site, i);
		u64 hash = rct_hash(&k, seed);
		u32 pos = hash >> 32, n, at = 0;

		for (n = 0; n < RCT_PROBES; n++, pos += rct_stride(hash)) {
			at = (u64)pos * rows >> 32;
			if (!taken[at])
				break;
		}
		*ret_probes += n < RCT_PROBES ? n + 1 : n;
		lost += n == RCT_PROBES;
		taken[at] = 1;
	}
	return lost;
}

/* A table holds what it was made for, whatever pattern addresses and QPs have. */
static void test_places(void **state)
{
	u64 random = 3, seed[6], probes;

	(void)state;
	for (size_t site = 0; site < sizeof(sites) / sizeof(sites[0]); site++) {
		for (int run = 0; run < 8; run++) {
			u32 flows = run % 2 ? 65536 : 4096, lost;

			for (int i = 0; i < 6; i++)
				seed[i] = (u64)rct_test_random(&random) << 33 |
					  (u64)rct_test_random(&random) << 2 | 1;
			lost = fill(site, flows, seed, &probes);
			/* the last flow is lost with probability 2e-6; 1.7 places are usual */
			if (lost > 4 || probes > 2 * flows)
				fail_msg("%s: %u of %u flows find no place, %.1f places looked at a flow",
					 sites[site].name, lost, flows, (double)probes / flows);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slot_word),
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_places),
	};

	return cmocka_run_group_tests_name("abi", tests, NULL, NULL);
}
