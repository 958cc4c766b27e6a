/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guest kernel's virtual addresses. Nothing that the guest holds is trusted: a pointer that
 * leads nowhere is unreadable, which is counted and never more than that. What differs between
 * machines is in space_x86.c and space_arm64.c.
 */
#ifndef KTSTR_WATCH_SPACE_H
#define KTSTR_WATCH_SPACE_H

#include "vm/memory.h"
#include "watch/layout.h"

#define SPACE_STRUCT_OPS 27 /* of struct bpf_prog.type: what sched_ext schedulers consist of */

struct space_machine;

/* Addresses behind which memory lies in order. */
struct space_range {
	uint64_t base, bytes, physical;
};

struct space {
	const struct vm_memory *memory;
	const struct watch_layout *layout;
	const struct space_machine *machine;
	struct space_range image;  /* the kernel itself */
	struct space_range linear; /* all memory; no bytes = it was not found */
	uint64_t slide;		   /* the kernel lies so far above where it was linked */
	uint64_t top_table;	   /* of page tables, physical; 0 = not found */
	unsigned int page_bits;	   /* of an address inside of its page */
	unsigned int address_bits; /* that page tables translate */
	uint64_t unreadable;	   /* reads that failed */
};

/*
 * Finds the kernel in the memory, at its place or moved by KASLR. -ENOENT with a message when
 * it is not there, or not this kernel.
 */
int space_open(struct space *s, const struct vm_memory *memory, const struct watch_layout *layout);

/* False = not all of it could be read. */
bool space_read(struct space *s, uint64_t address, void *data, size_t len);
bool space_read_u64(struct space *s, uint64_t address, uint64_t *value);
bool space_read_u32(struct space *s, uint64_t address, uint32_t *value);

/* A number in the struct at this address; also false where the kernel has no such member. */
bool space_read_member(struct space *s, uint64_t address, enum watch_member m, uint64_t *value);

/* Where these bytes are in the guest's memory, in one piece; false = they are not. */
bool space_physical(struct space *s, uint64_t address, size_t len, uint64_t *physical);

/*
 * The physical address by the kernel's page tables, and how far the page goes; false = nothing is mapped
 * there, as far as that.
 */
bool space_walk(struct space *s, uint64_t address, uint64_t *physical, uint64_t *left);

/* The first page from this address on that is mapped; end = there is none before it. */
uint64_t space_next_page(struct space *s, uint64_t address, uint64_t end);

/* Whether an address is one of the kernel's, wherever it leads. */
bool space_is_kernel(const struct space *s, uint64_t address);

/* A return address without the bits that sign it. */
uint64_t space_plain_address(const struct space *s, uint64_t address);

/* Where a symbol is in this guest; 0 = the kernel has none. */
uint64_t space_symbol(const struct space *s, enum watch_symbol symbol);

/* A CPU's copy of what lies at this per-CPU address. False = that CPU has none. */
bool space_of_cpu(struct space *s, uint64_t address, unsigned int cpu, uint64_t *copy);

/*
 * len bytes of the copies of all CPUs, one behind the other, at the cost of a few system calls.
 * False = not all of them can be had so: each has to be read by itself.
 */
bool space_read_cpus(struct space *s, uint64_t address, unsigned int cpu_count, size_t len,
		     char *out);

#endif
