/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the counters are in jemalloc's thread state, by debug information. */
#ifndef KTSTR_CTPROF_JEMALLOC_DWARF_H
#define KTSTR_CTPROF_JEMALLOC_DWARF_H

#include "base/base.h"

/* Offsets of the two counters, from the start of the structure or of a TLS block. */
struct jemalloc_offsets {
	uint64_t allocated, deallocated;
};

/* From struct tsd_s in the file's DWARF. 0, or -ENOENT when it does not tell. */
int jemalloc_dwarf_offsets(int fd, struct jemalloc_offsets *out);

#endif
