// SPDX-License-Identifier: BSD-2-Clause
/*
 * Interrupts of a foreign host, with a name and lists of CPUs that somebody else wrote,
 * and declared layouts. Input: which (1 byte), the text, which ends with a 0.
 */
#include <stdio.h>

#include "analyse/irq_expect.h"
#include "fuzz/fuzz.h"
#include "render/irq.h"

/* What was read is written so that it reads the same. */
static void list(const char *text)
{
	struct rct_cpus a, b;
	char again[8 * RCT_CPUS];
	bool good = rct_cpus_parse(text, &a);

	must(good == (rct_cpus_count(&a) > 0));
	rct_cpus_text(&a, again, sizeof(again));
	must(rct_cpus_parse(again, &b) == good && !memcmp(&a, &b, sizeof(a)));
}

static void layout(const char *text)
{
	struct rct_expect e;

	if (!rct_expect_parse(text, "layout", &e, NULL))
		must(e.n);
	for (u32 i = 0; i < e.n; i++)
		must(*e.v[i].nic && (e.v[i].local || rct_cpus_count(&e.v[i].cpus)));
	rct_expect_free(&e);
}

/* Each line of the script is one of its own, an affinity to be set, or a comment. */
static void look_at(const char *script)
{
	const char *p = strstr(script, "\n}\n");

	must(p);
	for (p += 3; *p; p = strchr(p, '\n') + 1)
		must(*p == '#' || *p == '\n' || !strncmp(p, "put 7 '", 7) || !strncmp(p, "exit $failed\n", 13));
}

static void script(const char *text)
{
	struct rct_facts f = { .irqs_read = true };
	struct rct_snapshot s = { .command = "irq", .facts = &f };
	struct rct_netif *n = RCT_FACTS_ADD(f.netifs, f.n_netifs);
	struct rct_irq *i = RCT_FACTS_ADD(f.irqs, f.n_irqs);
	size_t name = strcspn(text, "\t");
	char *out;
	FILE *to;

	must(n && i);
	snprintf(f.cpus_online, sizeof(f.cpus_online), "0-3");
	snprintf(n->name, sizeof(n->name), "%s", text);
	snprintf(i->name, sizeof(i->name), "%.*s", (int)name, text);
	snprintf(i->affinity, sizeof(i->affinity), "%s", text + name + (text[name] == '\t'));
	i->irq = 7;
	i->nic = -1;
	i->managed = RCT_TRI_UNKNOWN;
	for (int undo = 0; undo < 2; undo++) {
		size_t len;

		to = open_memstream(&out, &len);
		must(to && !rct_irq_fix(to, &s, undo));
		fclose(to);
		look_at(out);
		free(out);
	}
	rct_facts_free(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const parts[])(const char *text) = { list, layout, script };
	char *text;

	if (!size)
		return 0;
	text = malloc(size);
	must(text);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	parts[data[0] % 3](text);
	free(text);
	return 0;
}
