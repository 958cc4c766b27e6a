/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How another process of the same user finds a guest that runs: whoever runs it keeps a memory
 * file open that says where QEMU has the guest's memory, and which kernel it runs. It is
 * found in /proc, so there is no directory to agree on, nothing that others could have put there,
 * and nothing is left when the process ends, however it does.
 */
#ifndef KTSTR_WATCH_NOTICE_H
#define KTSTR_WATCH_NOTICE_H

#include "vm/engine.h"
#include "vm/memory.h"
#include "vm/session.h"
#include "watch/layout.h"

#define NOTICE_NAME 128

struct notice {
	char magic[16], version[16];
	uint32_t bytes; /* of this struct */
	uint32_t cpu_count;
	char name[NOTICE_NAME]; /* of what runs: a test, or "shell" */
	struct vm_memory memory;
	char kernel[PATH_MAX], vmlinux[PATH_MAX];
	uint32_t has_layout; /* or else it is read from these files by whoever needs it */
	struct watch_layout layout;
};

struct notices {
	VEC(struct notice) items; /* by the pid of QEMU */
	size_t strange;		  /* of other versions of this program */
};

/* Says which guest it is; memory and layout are the caller's to fill in. */
void notice_name(struct notice *n, const struct vm_session *session, const char *name,
		 const char *vmlinux);

/* A descriptor to keep open as long as the guest is there, or a negative errno with a message. */
int notice_post(struct notice *n);

/*
 * announce.c: a guest that is not sampled has a notice, too. Enters itself in the session; without
 * effect where the guest has no memory that can be read.
 */
struct announcement {
	struct vm_watcher vm;
	struct notice notice;
	int fd;
};

void announcement_open(struct announcement *a, struct vm_session *session, const char *name,
		       const char *vmlinux);
void announcement_close(struct announcement *a);

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
