/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A scenario file as a test program: build/ktstr-scenfile, followed by the file and this
 * struct. Such a program is complete: it can be recorded, exported and run again like any
 * other.
 */
#ifndef KTSTR_SCENFILE_ATTACHED_H
#define KTSTR_SCENFILE_ATTACHED_H

#include <stdint.h>

#define ATTACHED_MAGIC "ktstrYML"

struct attached_end {
	uint64_t name_len, text_len; /* of the name and the text that precede this struct */
	char magic[8];
};

#endif
