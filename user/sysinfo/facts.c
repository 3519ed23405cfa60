// SPDX-License-Identifier: BSD-2-Clause
#include "sysinfo/facts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"
#include "sysinfo/text.h"

void rct_path(char ret[PATH_MAX], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(ret, PATH_MAX, fmt, ap);
	va_end(ap);
}

enum rct_have rct_have_of(int rc)
{
	switch (rc) {
	case 0:
		return RCT_THERE;
	case -ENOENT:
	case -ENOTDIR:
		return RCT_ABSENT;
	/* EINVAL, EOPNOTSUPP, ENODEV: the file is there, and has nothing to say */
	default:
		return RCT_UNREADABLE;
	}
}

struct rct_num rct_num_of(const struct rct_root *r, const char *dir, const char *file)
{
	struct rct_num ret = { 0 };
	int64_t v;

	ret.have = rct_have_of(rct_root_number(r, &v, "%s/%s", dir, file));
	if (ret.have == RCT_THERE)
		ret.v = v;
	return ret;
}

/* A text that isn't there, or that says nothing to its parser, is no error. */
static int parse_if(const struct rct_root *r, const struct rct_text_if *t, struct rct_netif *n)
{
	size_t len;
	char *text = rct_root_text(r, &len, NULL, "cmd/%s-%s.txt", t->prefix, n->name);
	int rc;

	if (!text)
		return 0;
	rc = t->parse(text, len, n);
	free(text);
	return rc == -ENOMEM ? rc : 0;
}

static int parse_host(const struct rct_root *r, const struct rct_text_host *t, struct rct_facts *f)
{
	size_t len;
	char *text = rct_root_text(r, &len, NULL, "cmd/%s", t->name);
	int rc;

	if (!text)
		return 0;
	rc = t->parse(text, len, f);
	free(text);
	return rc == -ENOMEM ? rc : 0;
}

static int read_texts(const struct rct_root *r, struct rct_facts *f)
{
	int rc = 0;

	for (u32 i = 0; i < f->n_netifs && !rc; i++) {
		/* on the running host each text is a question to the driver */
		if (!rct_root_captured(r) && !rct_netif_is_wanted(f, &f->netifs[i]))
			continue;
		for (const struct rct_text_if *t = rct_texts_if; t->prefix && !rc; t++)
			rc = parse_if(r, t, &f->netifs[i]);
	}
	for (const struct rct_text_host *t = rct_texts_host; t->name && !rc; t++)
		rc = parse_host(r, t, f);
	return rc;
}

/*
 * sysfs tells the names of other network namespaces' interfaces too, and eth0 may be
 * somebody else here: ours lies on the same PCI function, or upon other interfaces.
 */
static bool is_of(const struct rct_nic *n, const struct rct_netif *i)
{
	return !strcmp(n->ifname, i->name) && (!*n->pci || !*i->pci || !strcmp(n->pci, i->pci));
}

/* Only now: a text may have told the interface of a port. */
static int join_nics(const struct rct_root *r, struct rct_facts *f)
{
	(void)r;
	for (u32 i = 0; i < f->n_nics; i++) {
		for (u32 j = 0; j < f->n_netifs; j++) {
			if (is_of(&f->nics[i], &f->netifs[j]))
				f->nics[i].netif = j;
		}
	}
	return 0;
}

static int (*const readers[])(const struct rct_root *r, struct rct_facts *f) = {
	rct_read_host, rct_read_netifs, rct_read_nics, read_texts, join_nics,
	rct_read_statistics, rct_read_tables, rct_read_procs, rct_read_irqs,
};

/* What no reader may find out. */
static void set_unknown(struct rct_facts *f)
{
	memset(f, 0, sizeof(*f));
	f->uptime = -1;
	f->vm = f->container = f->irqbalance = f->nv_peermem = RCT_TRI_UNKNOWN;
	f->iommu_on = f->iommu_pt = f->nccl.gdr = RCT_TRI_UNKNOWN;
}

int rct_facts_read(const struct rct_root *root, struct rct_facts *ret, struct rct_err *err)
{
	int rc = 0;

	set_unknown(ret);
	if (!rct_root_exists(root, "sys") && !rct_root_exists(root, "proc") &&
	    !rct_root_exists(root, "cmd"))
		return rct_fail(err, ENOENT,
				"%s holds no captured host: it has none of the folders sys, proc and cmd",
				root->path);
	for (size_t i = 0; i < RCT_ARRAY_SIZE(readers) && !rc; i++)
		rc = readers[i](root, ret);
	if (!rc)
		return 0;
	rct_facts_free(ret);
	return rct_fail(err, -rc, "reading the facts of the host: out of memory");
}
