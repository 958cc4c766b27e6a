/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How another process of the same user finds a guest that runs: whoever runs it keeps a memory
 * file open that says where QEMU has the guest's memory, and what its kernel looks like. It is
 * found in /proc, so there is no directory to agree on, nothing that others could have put there,
 * and nothing is left when the process ends, however it does.
 */
#ifndef KTSTR_WATCH_NOTICE_H
#define KTSTR_WATCH_NOTICE_H

#include "vm/memory.h"
#include "watch/layout.h"

#define NOTICE_NAME 128

struct notice {
	char magic[16], version[16];
	uint32_t bytes; /* of this struct */
	uint32_t cpu_count;
	char name[NOTICE_NAME]; /* of what runs: a test */
	struct vm_memory memory;
	struct watch_layout layout;
};

struct notices {
	VEC(struct notice) items; /* by the pid of QEMU */
	size_t strange;		  /* of other versions of this program */
};

/* A descriptor to keep open as long as the guest is there, or a negative errno with a message. */
int notice_post(const char *name, const struct vm_memory *memory, const struct watch_layout *layout,
		uint32_t cpu_count);

/* Those of processes that belong to the caller's user. */
int notices_find(struct notices *n, const char *proc);
void notices_finish(struct notices *n);

/*
 * The one that is meant: by the pid of QEMU or by name, with or without what stands before its last
 * '/'; NULL = the only one there is. -ENOENT and -EINVAL with a message that tells what there is.
 */
int notices_choose(const struct notices *n, const char *wanted, const struct notice **out);

/* False = these are not the bytes of one that can be used. */
bool notice_is_valid(const struct notice *n, size_t len);

#endif
