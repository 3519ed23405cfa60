// SPDX-License-Identifier: BSD-2-Clause
/*
 * For STATIC=1 only: libpcap's table of capture devices names its D-Bus module,
 * which would bring in libdbus and libsystemd, and Debian has no archive of the
 * latter. Files are all that is read by libpcap here, so that module is
 * answered for with "no such device, and none is mine", as the interface of
 * libpcap's device modules has it; the module itself stays in the archive.
 */
#include <pcap/pcap.h>

struct pcap *dbus_create(const char *device, char *errbuf, int *is_ours);
int dbus_findalldevs(void *list, char *errbuf);

struct pcap *dbus_create(const char *device, char *errbuf, int *is_ours)
{
	(void)device;
	(void)errbuf;
	*is_ours = 0;
	return NULL;
}

int dbus_findalldevs(void *list, char *errbuf)
{
	(void)list;
	(void)errbuf;
	return 0;
}
