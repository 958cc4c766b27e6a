// SPDX-License-Identifier: GPL-2.0-only
/* The bytes of build/ktstr-trace.so; the Makefile says where it is and builds it first. */
#include "trace/plugin_file.h"

#include "base/embed.h"
#include "base/err.h"
#include "base/file.h"

#ifndef KTSTR_TRACE_PLUGIN
#define KTSTR_TRACE_PLUGIN "build/ktstr-trace.so"
#endif

EMBED(ktstr_trace_plugin, KTSTR_TRACE_PLUGIN);

int plugin_file_open(void)
{
	int fd = memory_file("ktstr-trace.so", ktstr_trace_plugin_start,
			     EMBEDDED_SIZE(ktstr_trace_plugin));

	return fd < 0 ? err_sys(-fd, "unpack the trace plugin") : fd;
}
