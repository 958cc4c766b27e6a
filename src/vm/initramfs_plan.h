/* SPDX-License-Identifier: GPL-2.0-only */
/* Archives for guests and their contents: for the files of this directory only. */
#ifndef KTSTR_VM_INITRAMFS_PLAN_H
#define KTSTR_VM_INITRAMFS_PLAN_H

#include "vm/initramfs.h"

/*
 * cpio.c: writes reproducible newc archives: no times, no owners, inode numbers in order of
 * appearance. Parent directories are added automatically before their entries.
 */

/* The format has 32 bits for a size; guests could not hold more than 2 GiB anyway. */
#define CPIO_MAX_FILE 0x7fffffffULL

/* Destination of the archive. write() returns 0 or a negative errno with a message. */
struct cpio_sink {
	int (*write)(void *ctx, const void *data, size_t len);
	void *ctx;
};

struct cpio {
	struct cpio_sink sink;
	uint32_t last_inode;
	uint64_t packed_bytes;
	uint64_t unpacked_bytes; /* pages that the contents take in the guest's tmpfs */
	uint64_t open_bytes;	 /* still missing of the current file */
	char **names;		 /* of all entries so far, sorted */
	size_t name_count, name_cap;
};

void cpio_init(struct cpio *c, struct cpio_sink sink);
struct cpio_sink cpio_sink_str(struct str *out);
struct cpio_sink cpio_sink_fd(int *fd);

/* Paths are absolute. An existing path is -EEXIST, except for a directory. */
int cpio_add_directory(struct cpio *c, const char *path, mode_t permissions);
int cpio_add_link(struct cpio *c, const char *path, const char *target);
int cpio_add_bytes(struct cpio *c, const char *path, mode_t permissions, const void *data,
		   size_t len);

/* Writes a file in pieces: cpio_begin() with its size, then cpio_put() until it is complete. */
int cpio_begin(struct cpio *c, const char *path, mode_t permissions, uint64_t size);
int cpio_put(struct cpio *c, const void *data, size_t len);

/* Writes the trailer, padded so that another archive can follow. */
int cpio_end(struct cpio *c);

void cpio_finish(struct cpio *c);

/*
 * initramfs_plan.c: contents of an archive, collected before it is written, so that its key can be
 * computed without building it.
 */

enum plan_rank {
	PLAN_FIRST,  /* unpacked even if memory ends before the archive */
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
	const void *data;   /* for PLAN_BYTES; not copied */
	size_t len;
};

struct initramfs_plan {
	struct plan_entry *entries;
	size_t count, cap;
	struct arena memory;
};

int initramfs_plan_add(struct initramfs_plan *p, const struct plan_entry *entry);

/* Adds each library, and a link for each other name that the linker uses for it. */
int initramfs_plan_add_libraries(struct initramfs_plan *p, const struct elf_closure *c);
int initramfs_plan_add_includes(struct initramfs_plan *p, const struct include_files *f);

/* Sorts the entries and drops duplicates; two different entries with the same path are an error. */
int initramfs_plan_settle(struct initramfs_plan *p);

bool initramfs_plan_has_below(const struct initramfs_plan *p, const char *directory);

/* Hash over paths, modes and contents of a settled plan, as 32 hex digits. */
#define INITRAMFS_KEY_SIZE 33
int initramfs_plan_hash(const struct initramfs_plan *p, char key[static INITRAMFS_KEY_SIZE]);

/* Writes all entries of a settled plan, without debug sections. */
int initramfs_plan_write(const struct initramfs_plan *p, struct cpio *archive);

/* Memory that the contents will take in the guest, computed without writing them. */
int initramfs_plan_measure(const struct initramfs_plan *p, uint64_t *unpacked_bytes);

void initramfs_plan_finish(struct initramfs_plan *p);

/* busybox.c: the guest's userland: finding it, and listing its applets. */

/*
 * KTSTR_BUSYBOX_PATH, or the first statically linked one in the usual places: the guest has no
 * libraries. *path is to be freed.
 */
int busybox_find(char **path);

/* Appends the names of its applets, one per line, as listed by busybox itself. */
int busybox_list_applets(const char *path, struct str *out);

/* guest_program.c: the guest's PID 1, embedded in this program. */

const void *guest_program(size_t *len);

/*
 * include_scripts.c: scripts among the include files, whose interpreter may be missing in the
 * guest.
 */

/* Adds a warning for each script whose #! line names a missing program. */
int include_scripts_check(struct include_files *f);

#endif
