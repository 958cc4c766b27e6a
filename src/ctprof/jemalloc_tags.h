/* SPDX-License-Identifier: GPL-2.0-only */
/* The failure tags, as jemalloc.h explains them. */
#ifndef KTSTR_CTPROF_JEMALLOC_TAGS_H
#define KTSTR_CTPROF_JEMALLOC_TAGS_H

#include "base/base.h"

#define TAG_NOT_FOUND "jemalloc-not-found"
#define TAG_READLINK "readlink-failure"
#define TAG_PID_MISSING "pid-missing"
#define TAG_MAPS_READ "maps-read-failure"
#define TAG_IN_DSO "jemalloc-in-dso"
#define TAG_UNTRUSTED "untrusted-library"
#define TAG_ARCH "arch-mismatch"
#define TAG_DWARF "dwarf-parse-failure"
#define TAG_SEIZE "ptrace-seize"
#define TAG_INTERRUPT "ptrace-interrupt"
#define TAG_WAITPID "waitpid"
#define TAG_REGSET "get-regset"
#define TAG_VM_READV "process-vm-readv"
#define TAG_TLS "tls-arithmetic"
#define TAG_BUDGET "stop-budget"
#define TAG_ONE_STOP "stop-limit"
#define TAG_UNBOUNDED "stop-unbounded"

/* What is never attached to. */
#define TAG_KERNEL_THREAD "kernel-thread"
#define TAG_SELF "own-process"
#define TAG_DEAD "exited"

/* A tag that says something went wrong, rather than that there is nothing to read. */
bool jemalloc_tag_is_failure(const char *tag);

#endif
