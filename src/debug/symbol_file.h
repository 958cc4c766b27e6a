/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An ELF file without code, for gdb: functions and variables of the guest's kernel and its BPF
 * programs, where they are in the guest's memory, and what there is of debug information.
 */
#ifndef KTSTR_DEBUG_SYMBOL_FILE_H
#define KTSTR_DEBUG_SYMBOL_FILE_H

#include "base/base.h"
#include "debug/dwarf.h"
#include "trace/symbols.h"
#include "watch/prog_lines.h"

/* programs, dwarf: NULL = none are known. -ENOMEM only. */
int symbol_file_make(const struct symbols *kernel, const struct prog_lines *programs,
		     const struct dwarf_out *dwarf, struct str *out);

#endif
