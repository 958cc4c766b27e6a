/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Debug information (DWARF 4) for gdb, for a kernel without: its types, from BTF, and the source
 * lines of the BPF programs in the guest.
 */
#ifndef KTSTR_DEBUG_DWARF_H
#define KTSTR_DEBUG_DWARF_H

#include "watch/guest.h"

/* Constants of the DWARF 4 standard that are used here, by their names. */

enum {
	TAG_ARRAY = 0x01,
	TAG_ENUMERATION = 0x04,
	TAG_PARAMETER = 0x05,
	TAG_MEMBER = 0x0d,
	TAG_POINTER = 0x0f,
	TAG_UNIT = 0x11,
	TAG_STRUCTURE = 0x13,
	TAG_SUBROUTINE_TYPE = 0x15,
	TAG_TYPEDEF = 0x16,
	TAG_UNION = 0x17,
	TAG_UNSPECIFIED_PARAMETERS = 0x18,
	TAG_SUBRANGE = 0x21,
	TAG_BASE = 0x24,
	TAG_CONST = 0x26,
	TAG_ENUMERATOR = 0x28,
	TAG_SUBPROGRAM = 0x2e,
	TAG_VOLATILE = 0x35,
	TAG_RESTRICT = 0x37,
	TAG_UNSPECIFIED_TYPE = 0x3b,
};

enum {
	AT_NAME = 0x03,
	AT_BYTE_SIZE = 0x0b,
	AT_BIT_SIZE = 0x0d,
	AT_STMT_LIST = 0x10,
	AT_LOW_PC = 0x11,
	AT_HIGH_PC = 0x12,
	AT_LANGUAGE = 0x13,
	AT_CONST_VALUE = 0x1c,
	AT_PRODUCER = 0x25,
	AT_PROTOTYPED = 0x27,
	AT_COUNT = 0x37,
	AT_MEMBER_LOCATION = 0x38,
	AT_DECLARATION = 0x3c,
	AT_ENCODING = 0x3e,
	AT_TYPE = 0x49,
	AT_RANGES = 0x55,
	AT_DATA_BIT_OFFSET = 0x6b,
};

enum {
	FORM_ADDR = 0x01,
	FORM_DATA4 = 0x06,
	FORM_DATA8 = 0x07,
	FORM_STRING = 0x08,
	FORM_DATA1 = 0x0b,
	FORM_SDATA = 0x0d,
	FORM_STRP = 0x0e,
	FORM_REF4 = 0x13,
	FORM_SEC_OFFSET = 0x17,
	FORM_FLAG_PRESENT = 0x19,
};

enum {
	ENCODING_BOOL = 2,
	ENCODING_SIGNED = 5,
	ENCODING_SIGNED_CHAR = 6,
	ENCODING_UNSIGNED = 7,
	ENCODING_UNSIGNED_CHAR = 8,
};

enum {
	LANGUAGE_C99 = 0x0c,
};

enum {
	LINE_COPY = 1,
	LINE_ADVANCE_PC = 2,
	LINE_ADVANCE_LINE = 3,
	LINE_SET_FILE = 4,
	LINE_SET_COLUMN = 5,
	LINE_END_SEQUENCE = 1, /* extended */
	LINE_SET_ADDRESS = 2,  /* extended */
};

enum {
	FRAME_DEF_CFA = 0x0c,
	FRAME_DEF_CFA_REGISTER = 0x0d,
	FRAME_DEF_CFA_OFFSET = 0x0e,
	FRAME_ADVANCE = 0x40, /* plus the number of bytes */
	FRAME_OFFSET = 0x80,  /* plus the register */
};

enum {
	REGISTER_RBP = 6,
	REGISTER_RSP = 7,
	REGISTER_RIP = 16,
};

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

/* Each function adds a unit, at most once. -ENOMEM only. */
int dwarf_out_add_types(struct dwarf_out *d, const struct btf *types);
int dwarf_out_add_programs(struct dwarf_out *d, const struct prog_lines *programs);
void dwarf_out_finish(struct dwarf_out *d);

#define _dwarf_out_ _cleanup_(dwarf_out_finish)

/* ---- encoding helpers ---- */

void dwarf_out_u8(struct str *out, uint64_t value);
void dwarf_out_u16(struct str *out, uint64_t value);
void dwarf_out_u32(struct str *out, uint64_t value);
void dwarf_out_u64(struct str *out, uint64_t value);
void dwarf_out_uleb(struct str *out, uint64_t value);
void dwarf_out_sleb(struct str *out, int64_t value);
void dwarf_out_text(struct str *out, const char *text);

/* Reserves a length field, returns its position; and sets it to the number of bytes after it. */
size_t dwarf_out_begin(struct str *out);
void dwarf_out_end(struct str *out, size_t begin);

/* Contents of a kind of entry. Abbreviations of a table are numbered from 1. */
struct dwarf_out_abbrev {
	uint8_t tag;
	bool has_children;
	struct {
		uint8_t name, form;
	} attributes[6];
};

void dwarf_out_add_abbrevs(struct str *out, const struct dwarf_out_abbrev *rows, size_t count);

/* Starts a unit of .debug_info with abbreviations at this offset. dwarf_out_end() ends it. */
size_t dwarf_out_begin_unit(struct str *info, size_t abbrevs);

#endif
