// SPDX-License-Identifier: BSD-2-Clause
#include "model/names.h"

#include <arpa/inet.h>
#include <stdio.h>

#define PICK(table, i, none) ((i) < sizeof(table) / sizeof(*(table)) && (table)[i] ? (table)[i] : (none))

const char *rct_addr_text(const u64 addr[2], u32 family, char buf[RCT_ADDR_TEXT])
{
	const u8 *b = (const u8 *)addr;

	if (!inet_ntop(family == RCT_IPV4 ? AF_INET : AF_INET6, family == RCT_IPV4 ? b + 12 : b, buf,
		       RCT_ADDR_TEXT))
		buf[0] = 0;
	return buf;
}

static const struct {
	const char *name, *text;
} verdicts[] = {
#define VERDICT(id, n, t) [RCT_##id] = { n, t },
	RCT_VERDICTS(VERDICT)
#undef VERDICT
};

_Static_assert(sizeof(verdicts) / sizeof(*verdicts) == RCT_VERDICT_COUNT, "a name for every verdict");

const char *rct_verdict_name(u32 verdict)
{
	return verdicts[verdict].name;
}

const char *rct_verdict_text(u32 verdict)
{
	return verdicts[verdict].text;
}

const char *rct_nak_name(u32 code)
{
	static const char *const names[] = {
		"sequence", "invalid_request", "remote_access", "remote_operation", "invalid_rd",
	};

	return PICK(names, code, "other");
}

const char *rct_ecn_name(u32 ecn)
{
	static const char *const names[] = {
		[RCT_NOT_ECT] = "not_ect", [RCT_ECT1] = "ect1", [RCT_ECT0] = "ect0", [RCT_CE] = "ce",
	};

	return PICK(names, ecn, "other");
}

const char *rct_transport_name(u32 transport)
{
	static const char *const names[] = {
		[RCT_RC] = "RC", [RCT_UC] = "UC", [RCT_RD] = "RD", [RCT_UD] = "UD",
		[RCT_CNP] = "CNP", [RCT_XRC] = "XRC", [RCT_TRANSPORT_NONE] = "CNP",
	};

	return PICK(names, transport, "other");
}

const char *rct_tunnel_name(u32 tunnel)
{
	static const char *const names[] = {
		[RCT_TUN_VXLAN] = "vxlan", [RCT_TUN_GENEVE] = "geneve", [RCT_TUN_GRE] = "gre",
		[RCT_TUN_ERSPAN] = "erspan", [RCT_TUN_IPIP] = "ipip",
	};

	return PICK(names, tunnel, NULL);
}

const char *rct_cov_name(enum rct_cov_state state)
{
	static const char *const names[] = {
		[RCT_COV_OK] = "ok", [RCT_COV_PARTIAL] = "partial", [RCT_COV_NONE] = "none",
	};

	return names[state];
}

const char *rct_peer_name(u32 by)
{
	static const char *const names[] = {
		[RCT_PEER_RDMA] = "rdma", [RCT_PEER_CM] = "cm", [RCT_PEER_PSN] = "psn",
	};

	return PICK(names, by, NULL);
}

const char *rct_retry_name(u32 cause)
{
	static const char *const names[] = {
		[RCT_RETRY_NAK] = "nak_sequence", [RCT_RETRY_RNR] = "rnr",
		[RCT_RETRY_TIMEOUT] = "timeout", [RCT_RETRY_UNKNOWN] = "unknown",
	};

	return PICK(names, cause, "other");
}

/* InfiniBand Architecture Specification Vol 1, 9.7.5.2.8: encoding of the RNR NAK timer. */
u32 rct_rnr_us(u32 code)
{
	static const u32 us[] = {
		655360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1280, 1920,
		2560, 3840, 5120, 7680, 10240, 15360, 20480, 30720, 40960, 61440, 81920, 122880,
		163840, 245760, 327680, 491520,
	};

	return us[code & 31];
}

const struct rct_iface *rct_iface_of(const struct rct_snapshot *s, u32 slot)
{
	for (size_t i = 0; i < s->n_ifaces; i++) {
		if (s->ifaces[i].slot == slot)
			return &s->ifaces[i];
	}
	return NULL;
}
