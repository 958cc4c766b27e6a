/* SPDX-License-Identifier: GPL-2.0-only */
/* What one executable or library tells about the jemalloc in it. */
#ifndef KTSTR_CTPROF_JEMALLOC_FILE_H
#define KTSTR_CTPROF_JEMALLOC_FILE_H

#include "ctprof/jemalloc_dwarf.h"
#include "ctprof/jemalloc_tls.h"

struct jemalloc_layout {
	bool is_executable;
	uint64_t tls_size, tls_align;
	struct jemalloc_offsets counters; /* from the start of the TLS block */
	bool is_by_size; /* told by the size of the state only: to be checked when it is read */
	/* Of libraries: */
	bool is_malloc; /* of the whole process, not only for a user of its own */
	struct tls_slot slot;
	struct elf_segment code; /* by which the load address is found */
};

/* Offsets that a library gave, by its build-id: copies of it need not be asked again. */
struct jemalloc_known {
	unsigned char id[ELF_BUILD_ID_MAX];
	size_t id_len;
	struct jemalloc_offsets counters;
};

struct jemalloc_lookup {
	int fd;
	pid_t tgid;	  /* a process that maps it */
	const char *path; /* as that process names it */
	bool is_executable;
	/* Remembers answers; both may be called from several threads. */
	bool (*recall)(void *context, struct jemalloc_known *known);
	void (*remember)(void *context, const struct jemalloc_known *known);
	void *context;
};

/* NULL and the layout, or a tag. */
const char *jemalloc_examine(const struct jemalloc_lookup *lookup, struct jemalloc_layout *out);

#endif
