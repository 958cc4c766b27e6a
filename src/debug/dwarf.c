// SPDX-License-Identifier: GPL-2.0-only
/* Numbers, lengths and tables in DWARF encoding. */
#include "debug/dwarf.h"

#define VERSION 4
#define ADDRESS_BYTES 8

const char *const dwarf_out_section_names[DWARF_SECTIONS] = {
	[DWARF_ABBREV] = ".debug_abbrev", [DWARF_INFO] = ".debug_info",
	[DWARF_STRINGS] = ".debug_str",	  [DWARF_LINE] = ".debug_line",
	[DWARF_RANGES] = ".debug_ranges", [DWARF_FRAME] = ".debug_frame",
};

static void add_bytes(struct str *out, uint64_t value, size_t bytes)
{
	char data[sizeof(value)];

	for (size_t i = 0; i < bytes; i++)
		data[i] = (char)(value >> (i * 8));
	str_addn(out, data, bytes);
}

void dwarf_out_u8(struct str *out, uint64_t value)
{
	add_bytes(out, value, 1);
}

void dwarf_out_u16(struct str *out, uint64_t value)
{
	add_bytes(out, value, 2);
}

void dwarf_out_u32(struct str *out, uint64_t value)
{
	add_bytes(out, value, 4);
}

void dwarf_out_u64(struct str *out, uint64_t value)
{
	add_bytes(out, value, 8);
}

void dwarf_out_uleb(struct str *out, uint64_t value)
{
	while (value >= 0x80) {
		dwarf_out_u8(out, value | 0x80);
		value >>= 7;
	}
	dwarf_out_u8(out, value);
}

void dwarf_out_sleb(struct str *out, int64_t value)
{
	while (value < -0x40 || value >= 0x40) {
		dwarf_out_u8(out, (uint64_t)value | 0x80);
		value >>= 7;
	}
	dwarf_out_u8(out, (uint64_t)value & 0x7f);
}

void dwarf_out_text(struct str *out, const char *text)
{
	str_addn(out, text, strlen(text) + 1);
}

size_t dwarf_out_begin(struct str *out)
{
	dwarf_out_u32(out, 0);
	return out->len;
}

void dwarf_out_end(struct str *out, size_t begin)
{
	uint32_t bytes = (uint32_t)(out->len - begin);

	if (!out->failed)
		memcpy(out->s + begin - sizeof(bytes), &bytes, sizeof(bytes));
}

size_t dwarf_out_begin_unit(struct str *info, size_t abbrevs)
{
	size_t begin = dwarf_out_begin(info);

	dwarf_out_u16(info, VERSION);
	dwarf_out_u32(info, abbrevs);
	dwarf_out_u8(info, ADDRESS_BYTES);
	return begin;
}

void dwarf_out_add_abbrevs(struct str *out, const struct dwarf_out_abbrev *rows, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		dwarf_out_uleb(out, i);
		dwarf_out_uleb(out, rows[i].tag);
		dwarf_out_u8(out, rows[i].has_children);
		for (size_t k = 0; k < ARRAY_SIZE(rows[i].attributes) && rows[i].attributes[k].name;
		     k++) {
			dwarf_out_uleb(out, rows[i].attributes[k].name);
			dwarf_out_uleb(out, rows[i].attributes[k].form);
		}
		dwarf_out_u16(out, 0);
	}
	dwarf_out_u8(out, 0);
}

void dwarf_out_finish(struct dwarf_out *d)
{
	for (size_t i = 0; i < DWARF_SECTIONS; i++)
		str_finish(&d->sections[i]);
}
