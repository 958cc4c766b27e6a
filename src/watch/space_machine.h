/* SPDX-License-Identifier: GPL-2.0-only */
/* What space.c has to know of a machine. */
#ifndef KTSTR_WATCH_SPACE_MACHINE_H
#define KTSTR_WATCH_SPACE_MACHINE_H

#include "watch/space.h"

enum space_entry { ENTRY_NOTHING, ENTRY_TABLE, ENTRY_PAGE };

struct space_machine {
	uint64_t load_step; /* the kernel is loaded at multiples of this */
	/*
	 * Whether the kernel that is loaded here runs here, too: a copy of its text may lie elsewhere.
	 * Then image and slide are known.
	 */
	bool (*take_load)(struct space *s, uint64_t load);
	/* Page tables, and where all memory is. */
	void (*settle)(struct space *s);
	/* Of a table whose entries lead to pages (level 1), or to tables of the level below. */
	enum space_entry (*look_at)(uint64_t entry, unsigned int level);
	uint64_t entry_address; /* the bits of an entry that are an address */
	uint64_t first_symbol;	/* what lies below does not move with the kernel */
	bool has_own_tables;	/* the kernel's addresses have page tables of their own */
};

extern const struct space_machine space_x86, space_arm64;

/* The kernel has other symbols on each machine. */
const struct space_machine *space_machine_of(const struct watch_layout *layout);

/* Before anything is known: what lies so far behind the kernel's first byte. */
bool space_read_loaded(const struct space *s, uint64_t load, enum watch_symbol symbol, void *data,
		       size_t len);

/* Behind the last byte of the guest's memory. */
uint64_t space_memory_end(const struct space *s);

#endif
