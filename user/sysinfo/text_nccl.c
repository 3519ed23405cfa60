// SPDX-License-Identifier: BSD-2-Clause
/*
 * A job's NCCL (or RCCL) log, by the fixed parts of its lines, old and new. What a
 * launcher puts before them is no matter.
 */
#include "sysinfo/text.h"

#include <string.h>

#include "sysinfo/text_scan.h"

#define LINE_KEPT	4096
/* Kinds of a thing that are told apart; a log of thousands of ranks says much the same. */
#define KINDS_MAX	256

struct nccl {
	struct rct_nccl *n;
	struct rct_str line;
};

/* ---- selection of the network */

/* One line for each communicator: if one of them fell back, that is what matters. */
static int take_network(struct nccl *s, struct rct_str before, struct rct_str after)
{
	(void)before;
	after = rct_str_trim(after);
	if (!s->n->network[0] || rct_str_is(after, "Socket"))
		rct_str_copy(s->n->network, sizeof(s->n->network), after);
	return 0;
}

static int take_version(struct nccl *s, struct rct_str before, struct rct_str after)
{
	(void)before;
	if (!s->n->version[0])
		rct_str_copy(s->n->version, sizeof(s->n->version), rct_str_word(&after));
	return 0;
}

/* "[0]mlx5_0:1/RoCE", "{[1]mlx5_1:1/RoCE}", "mlx5_1:1/RoCE:2:0": from the last of [ ] { = on */
static bool device_word(struct rct_str w, struct rct_nccl_device *d)
{
	struct rct_str name, port, kind;
	u64 v;

	for (size_t i = 0; i < w.n; i++) {
		if (memchr("]{=", w.p[i], 3)) {
			w = (struct rct_str){ w.p + i + 1, w.n - i - 1 };
			i = -1;
		}
	}
	if (!rct_str_pair(w, ':', &name, &w) || !rct_str_pair(w, '/', &port, &kind) ||
	    name.n >= sizeof(d->dev) || !rct_str_u64(port, &v) || v > 255)
		return false;
	if (!rct_str_starts(kind, "RoCE") && !rct_str_starts(kind, "IB"))
		return false;
	*d = (struct rct_nccl_device){ .port = v, .roce = rct_str_starts(kind, "RoCE") };
	rct_str_copy(d->dev, sizeof(d->dev), name);
	return true;
}

static void add_device(struct rct_nccl *n, const struct rct_nccl_device *d)
{
	for (u32 i = 0; i < n->n_devices; i++) {
		if (n->devices[i].port == d->port && !strcmp(n->devices[i].dev, d->dev))
			return;
	}
	if (n->n_devices < sizeof(n->devices) / sizeof(n->devices[0]))
		n->devices[n->n_devices++] = *d;
}

static int take_using(struct nccl *s, struct rct_str before, struct rct_str after)
{
	struct rct_str list = rct_str_until(after, ";"), w;
	struct rct_nccl_device d;

	(void)before;
	while ((w = rct_str_word(&list)).n) {
		if (device_word(w, &d))
			add_device(s->n, &d);
	}
	return 0;
}

/* "Enabled for HCA 0 'mlx5_0'" */
static int take_gdr(struct nccl *s, struct rct_str before, struct rct_str after)
{
	struct rct_str how = rct_str_word(&after), hca = { "", 0 };

	(void)before;
	if (rct_str_after(after, "'", NULL, &after))
		hca = rct_str_until(after, "'");
	if (rct_str_is(how, "Enabled")) {
		s->n->gdr = 1;
	} else if (rct_str_is(how, "Disabled")) {
		if (s->n->gdr != 1)
			s->n->gdr = 0;
		if (!s->n->gdr_hca[0])
			rct_str_copy(s->n->gdr_hca, sizeof(s->n->gdr_hca), hca);
	}
	return 0;
}

/* "Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/3/GDRDMA" */
static int take_channel(struct nccl *s, struct rct_str before, struct rct_str after)
{
	if (!rct_str_after(before, "Channel ", NULL, NULL))
		return 0;
	if (rct_str_starts(after, "IB/"))
		s->n->channels_ib++;
	else if (rct_str_starts(after, "Socket/"))
		s->n->channels_socket++;
	if (rct_str_after(after, "/GDRDMA", NULL, NULL))
		s->n->channels_gdr++;
	return 0;
}

/* ---- environment */

static bool env_name(struct rct_str s)
{
	static const char *const prefixes[] = { "NCCL_", "RCCL_", "UCX_", "MLX5_" };

	for (size_t i = 0; i < s.n; i++) {
		if (!s.p[i] || !strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", s.p[i]))
			return false;
	}
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (rct_str_starts(s, prefixes[i]))
			return true;
	}
	return false;
}

static bool have_env(const struct rct_nccl *n, struct rct_str name, struct rct_str value)
{
	for (u32 i = 0; i < n->n_env; i++) {
		if (rct_str_is(name, n->env[i].name) && rct_str_is(value, n->env[i].value))
			return true;
	}
	return false;
}

/* "NCCL_IB_TC set by environment to 106.", "NCCL_IB_HCA set to mlx5_0": ranks may differ */
static int take_env(struct nccl *s, struct rct_str before, struct rct_str after)
{
	struct rct_str w, name = { "", 0 }, value = rct_str_trim(after);
	struct rct_env *e;

	while ((w = rct_str_word(&before)).n)
		name = w;
	if (value.n && value.p[value.n - 1] == '.')
		value.n--;
	if (!env_name(name) || s->n->n_env >= KINDS_MAX || have_env(s->n, name, value))
		return 0;
	e = RCT_LIST_ADD(s->n->env, s->n->n_env);
	if (!e)
		return -ENOMEM;
	e->name = rct_str_dup(name);
	e->value = rct_str_dup(value);
	return e->name && e->value ? 0 : -ENOMEM;
}

/* ---- errors */

/* "IBV_WC_RETRY_EXC_ERR(12)" or "12" */
static s32 status_of(struct rct_str s)
{
	struct rct_str w = rct_str_word(&s), number;
	u64 v;

	if (rct_str_after(w, "(", NULL, &number))
		w = number;
	return rct_str_leading(w, &v) && v < 256 ? (s32)v : -1;
}

/* The word behind key; a colon of the value may follow the key without a blank. */
static void copy_behind(struct rct_str s, const char *key, char *buf, size_t size)
{
	if (rct_str_after(s, key, NULL, &s))
		rct_str_copy(buf, size, rct_str_word(&s));
}

static bool same_error(const struct rct_nccl_error *a, const struct rct_nccl_error *b)
{
	return a->status == b->status && !strcmp(a->hca, b->hca) && !strcmp(a->peer, b->peer) &&
	       !strcmp(a->local_gid, b->local_gid) && !strcmp(a->remote_gid, b->remote_gid);
}

/* Lines without a status are the same if they are of one phrase and device. */
static int add_error(struct nccl *s, struct rct_nccl_error *e, const char *phrase)
{
	struct rct_nccl_error *new;

	for (u32 i = 0; i < s->n->n_errors; i++) {
		if (same_error(&s->n->errors[i], e) &&
		    (e->status >= 0 || strstr(s->n->errors[i].text, phrase))) {
			s->n->errors[i].count++;
			return 0;
		}
	}
	if (s->n->n_errors >= KINDS_MAX)
		return 0;
	new = RCT_LIST_ADD(s->n->errors, s->n->n_errors);
	if (!new)
		return -ENOMEM;
	*new = *e;
	new->count = 1;
	new->text = rct_str_dup(rct_str_trim(s->line));
	return new->text ? 0 : -ENOMEM;
}

/*
 * New: "... peer IP<port> with status=NAME(12) opcode=... localGid G remoteGids G hca mlx5_0";
 * old: "... with error 12, opcode 0, len 0, vendor err 129".
 */
static int take_completion(struct nccl *s, struct rct_str before, struct rct_str after)
{
	struct rct_nccl_error e = { .status = -1 };
	struct rct_str v;

	(void)before;
	if (rct_str_after(after, "peer ", NULL, &v))
		rct_str_copy(e.peer, sizeof(e.peer), rct_str_until(v, "< "));
	if (rct_str_after(after, "status=", NULL, &v) || rct_str_after(after, "error ", NULL, &v))
		e.status = status_of(v);
	copy_behind(after, "localGid ", e.local_gid, sizeof(e.local_gid));
	copy_behind(after, "remoteGids", e.remote_gid, sizeof(e.remote_gid));
	copy_behind(after, "hca ", e.hca, sizeof(e.hca));
	return add_error(s, &e, "Got completion");
}

/* "NET/IB : mlx5_4:1 Got async event : port error": the device is the word before */
static int take_async(struct nccl *s, struct rct_str before, struct rct_str after)
{
	struct rct_nccl_error e = { .status = -1 };
	struct rct_str w, last = { "", 0 };

	(void)after;
	while ((w = rct_str_word(&before)).n) {
		if (!rct_str_is(w, "Got"))
			last = w;
		else
			break;
	}
	if (rct_str_after(last, ":", NULL, NULL) && last.n && last.p[0] != ':')
		rct_str_copy(e.hca, sizeof(e.hca), rct_str_until(last, ":"));
	return add_error(s, &e, "event");
}

static int take_other(struct nccl *s, const char *phrase)
{
	struct rct_nccl_error e = { .status = -1 };

	return add_error(s, &e, phrase);
}

static const struct {
	const char *text;
	int (*take)(struct nccl *s, struct rct_str before, struct rct_str after);
} phrases[] = {
	{ "Got completion from ", take_completion },
	{ "Got completion with ", take_completion },
	{ "Using network ", take_network },
	{ "NET/IB : Using ", take_using },
	{ "GPU Direct RDMA ", take_gdr },
	{ " via NET/", take_channel },
	{ " set by environment to ", take_env },
	{ " set to ", take_env },
	{ " async event", take_async },
	{ " async fatal event", take_async },
	{ "NCCL version ", take_version },
	{ "RCCL version ", take_version },
};

/* Failures that are worth their line. */
static const char *const failures[] = {
	"Call to ibv_", "Attempted to connect incompatible devices", "NET/IB : No device found",
	"No IP interface found", "Watchdog caught collective operation timeout", "Accept failed",
};

static int take_line(struct nccl *s)
{
	struct rct_str before, after;

	for (size_t i = 0; i < sizeof(phrases) / sizeof(phrases[0]); i++) {
		if (rct_str_after(s->line, phrases[i].text, &before, &after))
			return phrases[i].take(s, before, after);
	}
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
		if (rct_str_after(s->line, failures[i], NULL, NULL))
			return take_other(s, failures[i]);
	}
	return 0;
}

int rct_text_nccl(const char *text, size_t len, struct rct_facts *f)
{
	struct rct_str t = { text, len };
	struct nccl s = { .n = &f->nccl };
	int rc = 0;

	if (!f->nccl.read)
		f->nccl.gdr = RCT_TRI_UNKNOWN;
	f->nccl.read = true;
	while (!rc && rct_str_line(&t, &s.line)) {
		if (s.line.n > LINE_KEPT)
			s.line.n = LINE_KEPT;
		rc = take_line(&s);
	}
	return rc;
}
