/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel images: the boot header of an x86 bzImage (Documentation/arch/x86/boot.rst)
 * and of an arm64 Image, and the ELF file inside of a bzImage.
 */
#ifndef KTSTR_KERNEL_BZIMAGE_H
#define KTSTR_KERNEL_BZIMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define BZIMAGE_RELEASE_SIZE 128

struct bzimage {
	const char *arch;      /* x86_64 or aarch64 */
	size_t payload_offset; /* the compressed vmlinux; length 0 on arm64 */
	size_t payload_length;
	char release[BZIMAGE_RELEASE_SIZE]; /* as uname -r says it; "" when it is not in there */
};

/*
 * Reads the header. -EINVAL when it is no kernel image, -ENODATA when it is one
 * that was cut off; both with a message.
 */
int bzimage_parse(const void *data, size_t len, struct bzimage *out);

/* Appends the decompressed vmlinux. -EINVAL with a message. */
int bzimage_unpack(const void *data, size_t len, struct str *vmlinux);

/* The whole file through bzimage_parse(). */
int bzimage_check_file(const char *path, struct bzimage *out);

/*
 * Writes the vmlinux inside of an image to a file: it can be booted directly
 * (PVH), which saves the guest the decompression.
 */
int bzimage_extract(const char *image, const char *vmlinux);

#endif
