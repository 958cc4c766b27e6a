/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes newc archives whose bytes depend on nothing but what is put in: no
 * times, no owners, inode numbers in order of appearance. Parent directories
 * appear by themselves in front of what needs them.
 */
#ifndef KTSTR_VM_CPIO_H
#define KTSTR_VM_CPIO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"

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

#endif
