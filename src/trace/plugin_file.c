// SPDX-License-Identifier: GPL-2.0-only
/* The bytes of build/ktstr-trace.so; the Makefile says where it is and builds it first. */
#include "trace/plugin_file.h"

#include <stddef.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/embed.h"
#include "base/err.h"
#include "base/file.h"

#ifndef KTSTR_TRACE_PLUGIN
#define KTSTR_TRACE_PLUGIN "build/ktstr-trace.so"
#endif

EMBED(ktstr_trace_plugin, KTSTR_TRACE_PLUGIN);

int plugin_file_open(void)
{
	size_t len = EMBEDDED_SIZE(ktstr_trace_plugin);
	_close_ int fd = memfd_create("ktstr-trace.so", MFD_CLOEXEC);
	int rc = fd < 0 ? -errno : fd_write_all(fd, ktstr_trace_plugin_start, len);

	return rc < 0 ? err_sys(-rc, "unpack the trace plugin") : take_fd(&fd);
}
