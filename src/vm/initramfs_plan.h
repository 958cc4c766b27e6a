/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What goes into an archive, before any byte of it is written: so that its
 * identity can be known without building it.
 */
#ifndef KTSTR_VM_INITRAMFS_PLAN_H
#define KTSTR_VM_INITRAMFS_PLAN_H

#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/str.h"
#include "vm/cpio.h"
#include "vm/elf_closure.h"
#include "vm/include_files.h"

enum plan_rank {
	PLAN_FIRST,  /* there even when the guest's memory ends before the archive does */
	PLAN_MIDDLE, /* by path */
	PLAN_LAST,
};

enum plan_kind { PLAN_DIRECTORY, PLAN_FILE, PLAN_BYTES, PLAN_LINK };

struct plan_entry {
	enum plan_rank rank;
	enum plan_kind kind;
	const char *path;
	mode_t mode;
	const char *source; /* host path of a file, target of a link */
	const void *data;   /* of bytes; not copied */
	size_t len;
};

struct initramfs_plan {
	struct plan_entry *entries;
	size_t count, cap;
	struct arena memory;
};

int initramfs_plan_add(struct initramfs_plan *p, const struct plan_entry *entry);

/* The file, and a link for each other name that the linker knows it by. */
int initramfs_plan_add_libraries(struct initramfs_plan *p, const struct elf_closure *c);
int initramfs_plan_add_includes(struct initramfs_plan *p, const struct include_files *f);

/* Sorts, drops repeats; two different things in one place are an error that names it. */
int initramfs_plan_settle(struct initramfs_plan *p);

bool initramfs_plan_has_below(const struct initramfs_plan *p, const char *directory);

/* Of a settled plan: a hash over paths, modes and contents, as 32 hex digits. */
#define INITRAMFS_KEY_SIZE 33
int initramfs_plan_hash(const struct initramfs_plan *p, char key[static INITRAMFS_KEY_SIZE]);

/* Of a settled plan: all entries, debug sections left out. */
int initramfs_plan_write(const struct initramfs_plan *p, struct cpio *archive);

/* What the contents will take in the guest, without writing them anywhere. */
int initramfs_plan_measure(const struct initramfs_plan *p, uint64_t *unpacked_bytes);

void initramfs_plan_finish(struct initramfs_plan *p);

#endif
