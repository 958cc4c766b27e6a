/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Thread-local storage of another process: from a thread pointer to the block
 * that a module (the executable or a library) has for that thread.
 *
 * The executable's block is at a distance from the thread pointer that the ABI
 * fixes. A library's is not, but the dynamic linker had to write it down for
 * the library's own code: as a distance when the block is part of the static
 * TLS, else as a module number, to be looked up in the thread's dynamic thread
 * vector. The relocation table says at which address.
 */
#ifndef KTSTR_CTPROF_JEMALLOC_TLS_H
#define KTSTR_CTPROF_JEMALLOC_TLS_H

#include "ctprof/elf_file.h"

/* EM_… of the machine we run on; files for others cannot be probed. */
uint16_t tls_our_machine(void);

enum tls_slot_kind { TLS_SLOT_NONE, TLS_SLOT_DESCRIPTOR, TLS_SLOT_MODULE, TLS_SLOT_DISTANCE };

struct tls_slot {
	enum tls_slot_kind kind;
	uint64_t vaddr;	 /* before the load address is added */
	uint64_t offset; /* what of the block it speaks of */
};

/* The most direct slot by which a library finds its own block. False = none. Needs sections. */
bool tls_find_slot(const struct elf_file *f, struct tls_slot *out);

struct tls_place {
	bool is_module;
	int64_t distance; /* block - thread pointer */
	uint64_t module;  /* number in the dynamic thread vector */
};

/* Of an executable. False for sizes and alignments that no linker makes. */
bool tls_place_executable(uint16_t machine, uint64_t size, uint64_t align, struct tls_place *out);

/* Of a library whose slot is at that address of a process. NULL, or a tag. */
const char *tls_place_library(pid_t pid, const struct tls_slot *slot, uint64_t address,
			      uint64_t size, struct tls_place *out);

/* The block's address; 0 = the thread never used it, so that it was not made. NULL, or a tag. */
const char *tls_block(pid_t pid, const struct tls_place *place, uint64_t thread_pointer,
		      uint64_t *out);

/* The thread pointer of a thread that runs on; 0 = only a stop tells. */
uint64_t tls_running_thread_pointer(pid_t tid);

/* The thread pointer of a stopped tracee. NULL, or a tag. */
const char *tls_thread_pointer(pid_t tid, uint64_t *out);

/* Copies memory of a process. False = not all of it is there, or not for us. */
bool process_read(pid_t pid, uint64_t address, void *out, size_t len);

#endif
