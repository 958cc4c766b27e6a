/* SPDX-License-Identifier: GPL-2.0-only */
/* Archives and compressed data, through libarchive. */
#ifndef KTSTR_KERNEL_ARCHIVE_H
#define KTSTR_KERNEL_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/*
 * Appends what a compressed buffer unpacks to: gzip, xz, zstd, lz4, lzma, bzip2 or
 * lzo, told by its first bytes. -EINVAL with a message unless it is exactly
 * wanted bytes.
 */
int archive_unpack_buffer(const void *data, size_t len, size_t wanted, struct str *out);

/*
 * Unpacks a compressed or plain text file piece by piece: take() gets whole
 * lines without their ends and may return a negative errno to stop.
 */
int archive_read_lines(const char *path, int (*take)(void *context, char *line), void *context);

/* Appends a whole file, unpacked where it is compressed; -EFBIG when that is more than limit bytes. */
int archive_read_file(const char *path, size_t limit, struct str *out);

/* A member of a package to take: the first whose name matches one of the patterns. */
struct archive_member {
	const char *patterns[2]; /* "./boot/vmlinuz-*"; the second may be NULL */
	const char *target;	 /* file to write */
	bool found;
};

/* Takes members out of a Debian package. */
int archive_unpack_deb(const char *path, struct archive_member *members, size_t count);

/*
 * Unpacks a tar archive below directory. Everything in it has to lie below
 * top/, which is what a kernel archive looks like.
 */
int archive_unpack_tar(const char *path, const char *directory, const char *top);

#endif
