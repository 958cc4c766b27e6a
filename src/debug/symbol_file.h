/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An ELF file of nothing but symbols, for gdb: functions and variables of the guest's kernel and
 * its BPF programs, where they are in the guest's memory.
 */
#ifndef KTSTR_DEBUG_SYMBOL_FILE_H
#define KTSTR_DEBUG_SYMBOL_FILE_H

#include "base/base.h"
#include "trace/symbols.h"
#include "watch/prog_lines.h"

/* programs: NULL = none are known. -ENOMEM only. */
int symbol_file_make(const struct symbols *kernel, const struct prog_lines *programs,
		     struct str *out);

#endif
