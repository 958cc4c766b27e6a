/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Debug information (DWARF 4) for gdb, of a kernel that has none: its types, from BTF, and the
 * source lines of the BPF programs in the guest.
 */
#ifndef KTSTR_DEBUG_DWARF_H
#define KTSTR_DEBUG_DWARF_H

#include "base/base.h"
#include "base/btf.h"
#include "watch/prog_lines.h"

enum dwarf_out_section {
	DWARF_ABBREV,
	DWARF_INFO,
	DWARF_STRINGS,
	DWARF_LINE,
	DWARF_RANGES,
	DWARF_FRAME,
	DWARF_SECTIONS,
};

extern const char *const dwarf_out_section_names[DWARF_SECTIONS];

struct dwarf_out {
	struct str sections[DWARF_SECTIONS];
};

/* Each adds a unit, at most once. -ENOMEM only. */
int dwarf_out_add_types(struct dwarf_out *d, const struct btf *types);
int dwarf_out_add_programs(struct dwarf_out *d, const struct prog_lines *programs);
void dwarf_out_finish(struct dwarf_out *d);

#define _dwarf_out_ _cleanup_(dwarf_out_finish)

/* ---- for those who write it ---- */

void dwarf_out_u8(struct str *out, uint64_t value);
void dwarf_out_u16(struct str *out, uint64_t value);
void dwarf_out_u32(struct str *out, uint64_t value);
void dwarf_out_u64(struct str *out, uint64_t value);
void dwarf_out_uleb(struct str *out, uint64_t value);
void dwarf_out_sleb(struct str *out, int64_t value);
void dwarf_out_text(struct str *out, const char *text);

/* A length that counts the bytes behind it: where it stands, and its value once they are there. */
size_t dwarf_out_begin(struct str *out);
void dwarf_out_end(struct str *out, size_t begin);

/* What a kind of entry consists of. Abbreviations of one table have numbers from 1 on. */
struct dwarf_out_abbrev {
	uint8_t tag;
	bool has_children;
	struct {
		uint8_t name, form;
	} attributes[6];
};

void dwarf_out_add_abbrevs(struct str *out, const struct dwarf_out_abbrev *rows, size_t count);

/* The head of a unit of .debug_info; its abbreviations begin there. dwarf_out_end() ends it. */
size_t dwarf_out_begin_unit(struct str *info, size_t abbrevs);

#endif
