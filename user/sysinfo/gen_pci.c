// SPDX-License-Identifier: BSD-2-Clause
/*
 * lspci -vv, of sysfs: class, link, node and, from the configuration space, whether
 * access control sends peer-to-peer traffic up to the root. Without CAP_SYS_ADMIN only
 * 64 bytes of that can be read, and then nothing is said of it.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "sysinfo/gen.h"

#define DEVICES		"/sys/bus/pci/devices"
#define CONFIG		4096
/* include/uapi/linux/pci_regs.h */
#define EXT_START	0x100
#define EXT_ACS		0x0d
#define ACS_CAP		4
#define ACS_CTRL	6

static const struct {
	u16 class;
	const char *name;
} classes[] = {
	{ 0x0604, "PCI bridge" }, { 0x0302, "3D controller" }, { 0x0300, "VGA compatible controller" },
	{ 0x0380, "Display controller" }, { 0x1200, "Processing accelerators" },
	{ 0x0200, "Ethernet controller" }, { 0x0207, "Infiniband controller" },
	{ 0x0600, "Host bridge" }, { 0x0108, "Non-Volatile memory controller" },
};

static const struct {
	u16 id;
	const char *name;
} vendors[] = {
	{ 0x10de, "NVIDIA Corporation" }, { 0x1002, "Advanced Micro Devices, Inc. [AMD/ATI]" },
	{ 0x1022, "Advanced Micro Devices, Inc. [AMD]" }, { 0x15b3, "Mellanox Technologies" },
	{ 0x14e4, "Broadcom Inc." }, { 0x8086, "Intel Corporation" }, { 0x1dd8, "AMD Pensando Systems" },
};

static bool read_word(const char *dev, const char *file, char *buf, size_t size)
{
	char path[160];
	bool ok;
	FILE *f;

	snprintf(path, sizeof(path), DEVICES "/%.32s/%s", dev, file);
	*buf = '\0';
	f = fopen(path, "re");
	if (!f)
		return false;
	ok = fgets(buf, size, f);
	fclose(f);
	if (!ok)
		*buf = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return *buf;
}

static unsigned long read_hex(const char *dev, const char *file)
{
	char text[32];

	return read_word(dev, file, text, sizeof(text)) ? strtoul(text, NULL, 16) : 0;
}

static void head(FILE *out, const char *dev)
{
	u16 class = read_hex(dev, "class") >> 8, vendor = read_hex(dev, "vendor");
	const char *class_name = "Device", *vendor_name = "Vendor";

	for (size_t i = 0; i < RCT_ARRAY_SIZE(classes); i++) {
		if (classes[i].class == class)
			class_name = classes[i].name;
	}
	for (size_t i = 0; i < RCT_ARRAY_SIZE(vendors); i++) {
		if (vendors[i].id == vendor)
			vendor_name = vendors[i].name;
	}
	fprintf(out, "%s %s: %s [%04x:%04lx]\n", dev, class_name, vendor_name, vendor,
		read_hex(dev, "device") & 0xffff);
}

/* "16.0 GT/s PCIe" and "16" */
static void link_line(FILE *out, const char *dev, const char *key, const char *speed_file,
		      const char *width_file)
{
	char speed[32], width[16];
	double gt;

	if (!read_word(dev, speed_file, speed, sizeof(speed)) ||
	    !read_word(dev, width_file, width, sizeof(width)) || sscanf(speed, "%lf GT/s", &gt) != 1)
		return;
	fprintf(out, "\t%s:\tSpeed %gGT/s, Width x%s\n", key, gt, width);
}

static u32 get(const u8 *p, size_t n)
{
	u32 v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

static void acs_line(FILE *out, const char *key, u16 bits)
{
	static const char *const names[] = {
		"SrcValid", "TransBlk", "ReqRedir", "CmpltRedir", "UpstreamFwd", "EgressCtrl", "DirectTrans",
	};

	fprintf(out, "\t%s:", key);
	for (size_t i = 0; i < RCT_ARRAY_SIZE(names); i++)
		fprintf(out, "%c%s%c", i ? ' ' : '\t', names[i], bits & 1 << i ? '+' : '-');
	fputc('\n', out);
}

/* Extended capabilities: 16 bits of identity, 4 of version, 12 of where the next one is. */
void rct_gen_acs_text(FILE *out, const u8 *config, size_t n)
{
	size_t at = EXT_START;

	/* each takes 8 bytes at least: more of them than this is a loop */
	for (int left = (CONFIG - EXT_START) / 8; left && at >= EXT_START && at + 8 <= n; left--) {
		u32 h = get(config + at, 4);

		if ((h & 0xffff) == EXT_ACS) {
			acs_line(out, "ACSCap", get(config + at + ACS_CAP, 2));
			acs_line(out, "ACSCtl", get(config + at + ACS_CTRL, 2));
			return;
		}
		at = h >> 20 & 0xffc;
	}
}

static void one_device(FILE *out, const char *dev)
{
	char path[160], node[16];
	u8 config[CONFIG];
	size_t n = 0;
	FILE *f;

	head(out, dev);
	if (read_word(dev, "numa_node", node, sizeof(node)))
		fprintf(out, "\tNUMA node: %s\n", node);
	link_line(out, dev, "LnkCap", "max_link_speed", "max_link_width");
	link_line(out, dev, "LnkSta", "current_link_speed", "current_link_width");
	snprintf(path, sizeof(path), DEVICES "/%.32s/config", dev);
	f = fopen(path, "re");
	if (!f)
		return;
	n = fread(config, 1, sizeof(config), f);
	fclose(f);
	rct_gen_acs_text(out, config, n);
}

static int visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

int rct_gen_lspci(FILE *out, const char *unused)
{
	struct dirent **names;
	int n = scandir(DEVICES, &names, visible, alphasort);

	(void)unused;
	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		one_device(out, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	return 0;
}
