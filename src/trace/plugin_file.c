// SPDX-License-Identifier: GPL-2.0-only
/* Embeds build/ktstr-trace.so, which the Makefile builds first. */
#include "trace/parts.h"

#include "base/embed.h"

EMBED(ktstr_trace_plugin, KTSTR_BUILD "/ktstr-trace.so");

int plugin_file_open(const struct vm_spec *spec)
{
	char name[32];
	int fd;

	if (!spec->plugin_api)
		return err_set(ENOTSUP,
			       "%s cannot load the plugin that looks into guests of sim: "
			       "QEMU 9.2 or newer is needed",
			       spec->qemu);
	snprintf(name, sizeof(name), PLUGIN_FILE_PREFIX "%u.so", spec->plugin_api);
	fd = memory_file(name, ktstr_trace_plugin_start, EMBEDDED_SIZE(ktstr_trace_plugin));

	return fd < 0 ? err_sys(-fd, "unpack the trace plugin") : fd;
}
