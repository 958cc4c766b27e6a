/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program without its debug sections, as a list of pieces: nothing is written
 * to disk. Section numbers stay, emptied sections become SHT_NULL, so symbol
 * tables need no change; loadable segments are never touched.
 */
#ifndef KTSTR_VM_ELF_STRIP_H
#define KTSTR_VM_ELF_STRIP_H

#include <stddef.h>
#include <stdint.h>

struct elf_piece {
	const void *data; /* inside the file's image or of the plan's own memory */
	size_t len;
};

struct elf_strip {
	struct elf_piece *pieces;
	size_t count, cap;
	uint64_t size; /* of all pieces */
	void *header;
	void *sections;
};

/*
 * Plans the stripped form of the file. 0, or -ENOENT when there is nothing to
 * strip (no ELF file, no debug sections, or something unusual: then the file is
 * best taken as it is), or -ENOMEM with a message. The pieces live as long as data.
 */
int elf_strip_plan(struct elf_strip *s, const uint8_t *data, size_t size);
void elf_strip_finish(struct elf_strip *s);

#endif
