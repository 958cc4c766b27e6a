// SPDX-License-Identifier: GPL-2.0-only
/* The bytes of build/ktstr-trace.so; the Makefile says where it is and builds it first. */
#include "trace/plugin_file.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"

#ifndef KTSTR_TRACE_PLUGIN
#define KTSTR_TRACE_PLUGIN "build/ktstr-trace.so"
#endif

__asm__(".pushsection .rodata\n"
	".balign 16\n"
	".global ktstr_trace_plugin_start\n"
	"ktstr_trace_plugin_start:\n"
	".incbin \"" KTSTR_TRACE_PLUGIN "\"\n"
	".global ktstr_trace_plugin_end\n"
	"ktstr_trace_plugin_end:\n"
	".popsection\n");

extern const char ktstr_trace_plugin_start[], ktstr_trace_plugin_end[];

int plugin_file_open(void)
{
	size_t len = (uintptr_t)ktstr_trace_plugin_end - (uintptr_t)ktstr_trace_plugin_start;
	_close_ int fd = memfd_create("ktstr-trace.so", MFD_CLOEXEC);
	int rc = fd < 0 ? -errno : fd_write_all(fd, ktstr_trace_plugin_start, len);

	return rc < 0 ? err_sys(-rc, "unpack the trace plugin") : take_fd(&fd);
}
