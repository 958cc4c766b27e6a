/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Access to the memory of a running guest from outside. A restored guest writes to a private copy
 * of its template, so the memory is read from QEMU's address space; booted guests are read in the
 * same way. The guest is not stopped and cannot notice it.
 */
#ifndef KTSTR_VM_MEMORY_H
#define KTSTR_VM_MEMORY_H

#include "vm/spec.h"

#define VM_MAX_EXTENTS 32

struct vm;

/* Guest-physical range, and its address in QEMU (pid). */
struct vm_extent {
	uint64_t guest, bytes, host;
};

struct vm_memory {
	pid_t pid;
	struct vm_extent extents[VM_MAX_EXTENTS]; /* ascending, without overlaps */
	size_t count;
};

/*
 * Asks QEMU for the layout of the guest's memory and finds where the RAM files are mapped. Call it
 * before a restored guest runs: in sim QEMU must not be queried later.
 */
int vm_memory_open(struct vm_memory *m, struct vm *vm);

/*
 * -EFAULT without a message if not all of it is RAM; -ESRCH if QEMU has exited, -EPERM without
 * permission to read it.
 */
int vm_memory_read(const struct vm_memory *m, uint64_t address, void *data, size_t len);

/*
 * Writes memory, with the same errors. QEMU does not notice: existing translation blocks stay as
 * they are.
 */
int vm_memory_write(const struct vm_memory *m, uint64_t address, const void *data, size_t len);

struct vm_read {
	uint64_t address;
	void *data;
	size_t len;
};

/* Many reads in few system calls. The same errors if any of them fails. */
int vm_memory_read_all(const struct vm_memory *m, const struct vm_read *reads, size_t count);

/*
 * Access to a process's memory by virtual address. -EIO without a message if it was only partly
 * possible.
 */
int vm_process_read(pid_t pid, uint64_t address, void *data, size_t len);
int vm_process_write(pid_t pid, uint64_t address, const void *data, size_t len);

/*
 * Parses the answer to "info mtree -f". hosts: address of each node's memory in QEMU, 0 = none.
 * -EINVAL with a message if it contains none of our RAM.
 */
int vm_memory_parse(struct vm_memory *m, const char *mtree, const uint64_t hosts[VM_MAX_NODES]);

/* Address at which the start of a file is mapped, by the text of /proc/PID/maps; 0 = not mapped. */
uint64_t vm_memory_mapped_at(const char *maps, const char *name, ino_t inode);

#endif
