/* SPDX-License-Identifier: GPL-2.0-only */
/* Archives for guests and what goes into them: for the files of this room only. */
#ifndef KTSTR_VM_INITRAMFS_PLAN_H
#define KTSTR_VM_INITRAMFS_PLAN_H

#include "vm/initramfs.h"

/*
 * cpio.c: Writes newc archives whose bytes depend on nothing but what is put in: no
 * times, no owners, inode numbers in order of appearance. Parent directories
 * appear by themselves in front of what needs them.
 */

/* The format has 32 bits for a size; beyond 2 GiB guests could not hold it anyway. */
#define CPIO_MAX_FILE 0x7fffffffULL

/* Where the bytes go. 0 or a negative errno with a message. */
struct cpio_sink {
	int (*write)(void *ctx, const void *data, size_t len);
	void *ctx;
};

struct cpio {
	struct cpio_sink sink;
	uint32_t last_inode;
	uint64_t packed_bytes;
	uint64_t unpacked_bytes; /* pages that the guest's tmpfs will need for contents */
	uint64_t open_bytes;	 /* still to come of the file that was begun */
	char **names;		 /* of all entries so far, sorted */
	size_t name_count, name_cap;
};

void cpio_init(struct cpio *c, struct cpio_sink sink);
struct cpio_sink cpio_sink_str(struct str *out);
struct cpio_sink cpio_sink_fd(int *fd);

/* Paths are absolute. One that is there already is -EEXIST; a directory may come again. */
int cpio_add_directory(struct cpio *c, const char *path, mode_t permissions);
int cpio_add_link(struct cpio *c, const char *path, const char *target);
int cpio_add_bytes(struct cpio *c, const char *path, mode_t permissions, const void *data,
		   size_t len);

/* A file in pieces: announced with its size, then as many cpio_put() as it takes. */
int cpio_begin(struct cpio *c, const char *path, mode_t permissions, uint64_t size);
int cpio_put(struct cpio *c, const void *data, size_t len);

/* The trailer, padded so that another archive can follow. */
int cpio_end(struct cpio *c);

void cpio_finish(struct cpio *c);

/*
 * initramfs_plan.c: What goes into an archive, before any byte of it is written: so that its
 * identity can be known without building it.
 */

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

/* busybox.c: busybox, the guest's userland: where it is, and what it brings. */

/*
 * KTSTR_BUSYBOX_PATH, or the first static one of the usual places. Only a static
 * one will do: the guest has no libraries of its own. free() the path.
 */
int busybox_find(char **path);

/* The names of its applets, one per line, as it lists them itself. */
int busybox_list_applets(const char *path, struct str *out);

/* guest_program.c: The guest's PID 1, carried inside of this program so that it stays one file. */

const void *guest_program(size_t *len);

/* include_scripts.c: Scripts among the include files, whose interpreter the guest may not have. */

/* Adds a warning for each script whose #! line names what will not be there. */
int include_scripts_check(struct include_files *f);

#endif
