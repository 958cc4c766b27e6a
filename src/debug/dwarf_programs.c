// SPDX-License-Identifier: GPL-2.0-only
/* BPF programs: source lines of their instructions, and saved registers. */
#include "debug/dwarf.h"

#define LINE_VERSION 2
#define LINE_BASE (-5)
#define LINE_RANGE 14
#define WORD 8
#define PUSH_BYTES 1 /* push %rbp */
#define MOVE_BYTES 3 /* mov %rsp,%rbp */

enum abbrev {
	ABBREV_NONE,
	ABBREV_UNIT,
	ABBREV_FUNCTION,
	ABBREVS,
};

static const struct dwarf_out_abbrev abbrevs[ABBREVS] = {
	[ABBREV_UNIT] = { TAG_UNIT,
			  true,
			  { { AT_PRODUCER, FORM_STRING },
			    { AT_LANGUAGE, FORM_DATA1 },
			    { AT_NAME, FORM_STRING },
			    { AT_STMT_LIST, FORM_SEC_OFFSET },
			    { AT_LOW_PC, FORM_ADDR },
			    { AT_RANGES, FORM_SEC_OFFSET } } },
	[ABBREV_FUNCTION] = { TAG_SUBPROGRAM,
			      false,
			      { { AT_NAME, FORM_STRING },
				{ AT_LOW_PC, FORM_ADDR },
				{ AT_HIGH_PC, FORM_DATA8 },
				{ AT_PROTOTYPED, FORM_FLAG_PRESENT } } },
};

struct files {
	VEC(const char *) names;
};

static void files_finish(struct files *f)
{
	free(f->names.items);
}

/* From 1; 0 = none. */
static uint64_t file_number(const struct files *f, const char *name)
{
	return (uint64_t)(str_index(f->names.items, f->names.count, name) + 1);
}

static int collect_files(struct files *f, const struct prog_lines *programs)
{
	int rc = 0;

	for (size_t i = 0; i < programs->lines.count && rc == 0; i++) {
		const char *name = programs->lines.items[i].file;

		if (*name && !file_number(f, name))
			rc = vec_push(&f->names, name);
	}
	return rc;
}

/* ---- lines ---- */

static void add_head(struct str *out, const struct files *f)
{
	/* Number of operands of each standard opcode. */
	static const uint8_t operands[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	size_t begin = dwarf_out_begin(out);

	dwarf_out_u8(out, 1); /* minimum instruction length */
	dwarf_out_u8(out, 1); /* default_is_stmt */
	dwarf_out_u8(out, (uint8_t)LINE_BASE);
	dwarf_out_u8(out, LINE_RANGE);
	dwarf_out_u8(out, sizeof(operands) + 1);
	str_addn(out, operands, sizeof(operands));
	dwarf_out_u8(out, 0); /* no directories */
	for (size_t i = 0; i < f->names.count; i++) {
		dwarf_out_text(out, f->names.items[i]);
		dwarf_out_u8(out, 0); /* directory, time, length: unknown */
		dwarf_out_u16(out, 0);
	}
	dwarf_out_u8(out, 0);
	dwarf_out_end(out, begin);
}

static void add_extended(struct str *out, uint8_t operation, size_t operand_bytes)
{
	dwarf_out_u8(out, 0);
	dwarf_out_uleb(out, operand_bytes + 1);
	dwarf_out_u8(out, operation);
}

static void add_function_lines(struct str *out, const struct files *files,
			       const struct prog_lines *programs, const struct prog_function *f)
{
	uint64_t address = f->start;
	int64_t line = 1;

	add_extended(out, LINE_SET_ADDRESS, WORD);
	dwarf_out_u64(out, address);
	for (size_t i = 0; i < f->count; i++) {
		const struct prog_line *l = &programs->lines.items[f->first + i];
		uint64_t file = file_number(files, l->file);
		/* Instructions before the first line belong to it. */
		uint64_t from = i ? l->address : f->start;

		if (!file || from < address || from >= f->end)
			continue;
		dwarf_out_u8(out, LINE_ADVANCE_PC);
		dwarf_out_uleb(out, from - address);
		dwarf_out_u8(out, LINE_SET_FILE);
		dwarf_out_uleb(out, file);
		dwarf_out_u8(out, LINE_ADVANCE_LINE);
		dwarf_out_sleb(out, (int64_t)l->line - line);
		dwarf_out_u8(out, LINE_SET_COLUMN);
		dwarf_out_uleb(out, l->column);
		dwarf_out_u8(out, LINE_COPY);
		address = from;
		line = l->line;
	}
	dwarf_out_u8(out, LINE_ADVANCE_PC);
	dwarf_out_uleb(out, f->end - address);
	add_extended(out, LINE_END_SEQUENCE, 0);
}

static void add_lines(struct str *out, const struct files *files, const struct prog_lines *programs)
{
	size_t begin = dwarf_out_begin(out);

	dwarf_out_u16(out, LINE_VERSION);
	add_head(out, files);
	for (size_t i = 0; i < programs->functions.count; i++)
		add_function_lines(out, files, programs, &programs->functions.items[i]);
	dwarf_out_end(out, begin);
}

/* ---- frames ---- */

static void add_common_frame(struct str *out)
{
	size_t begin = dwarf_out_begin(out);

	dwarf_out_u32(out, UINT32_MAX); /* marks a CIE */
	dwarf_out_u8(out, 1);		/* version */
	dwarf_out_text(out, "");
	dwarf_out_uleb(out, 1);
	dwarf_out_sleb(out, -WORD);
	dwarf_out_u8(out, REGISTER_RIP);
	dwarf_out_u8(out, FRAME_DEF_CFA);
	dwarf_out_uleb(out, REGISTER_RSP);
	dwarf_out_uleb(out, WORD);
	dwarf_out_u8(out, FRAME_OFFSET | REGISTER_RIP);
	dwarf_out_uleb(out, 1);
	dwarf_out_end(out, begin);
}

/* "push %rbp; mov %rsp,%rbp" sets up the frame, some bytes after the start. */
static void add_frame(struct str *out, size_t common, const struct prog_function *f)
{
	size_t begin = dwarf_out_begin(out);

	dwarf_out_u32(out, common);
	dwarf_out_u64(out, f->start);
	dwarf_out_u64(out, f->end - f->start);
	dwarf_out_u8(out, FRAME_ADVANCE | (f->frame_at + PUSH_BYTES));
	dwarf_out_u8(out, FRAME_DEF_CFA_OFFSET);
	dwarf_out_uleb(out, 2ULL * WORD);
	dwarf_out_u8(out, FRAME_OFFSET | REGISTER_RBP);
	dwarf_out_uleb(out, 2);
	dwarf_out_u8(out, FRAME_ADVANCE | MOVE_BYTES);
	dwarf_out_u8(out, FRAME_DEF_CFA_REGISTER);
	dwarf_out_uleb(out, REGISTER_RBP);
	dwarf_out_end(out, begin);
}

/* ---- the unit ---- */

static void add_ranges(struct str *out, const struct prog_lines *programs)
{
	for (size_t i = 0; i < programs->functions.count; i++) {
		dwarf_out_u64(out, programs->functions.items[i].start);
		dwarf_out_u64(out, programs->functions.items[i].end);
	}
	dwarf_out_u64(out, 0);
	dwarf_out_u64(out, 0);
}

static void add_unit(struct dwarf_out *d, const struct files *files,
		     const struct prog_lines *programs)
{
	struct str *info = &d->sections[DWARF_INFO];
	size_t begin = dwarf_out_begin_unit(info, d->sections[DWARF_ABBREV].len);

	dwarf_out_add_abbrevs(&d->sections[DWARF_ABBREV], abbrevs, ABBREVS);
	dwarf_out_uleb(info, ABBREV_UNIT);
	dwarf_out_text(info, "ktstr");
	dwarf_out_u8(info, LANGUAGE_C99);
	dwarf_out_text(info, files->names.items[0]);
	dwarf_out_u32(info, d->sections[DWARF_LINE].len);
	dwarf_out_u64(info, 0);
	dwarf_out_u32(info, d->sections[DWARF_RANGES].len);
	vec_each(const struct prog_function, f, &programs->functions) {
		dwarf_out_uleb(info, ABBREV_FUNCTION);
		dwarf_out_text(info, f->name);
		dwarf_out_u64(info, f->start);
		dwarf_out_u64(info, f->end - f->start);
	}
	dwarf_out_u8(info, 0);
	dwarf_out_end(info, begin);
}

int dwarf_out_add_programs(struct dwarf_out *d, const struct prog_lines *programs)
{
	_cleanup_(files_finish) struct files files = {};
	struct str *frames = &d->sections[DWARF_FRAME];
	int rc = collect_files(&files, programs);

	if (rc < 0 || !files.names.count)
		return rc;
	add_unit(d, &files, programs);
	add_lines(&d->sections[DWARF_LINE], &files, programs);
	add_ranges(&d->sections[DWARF_RANGES], programs);
	add_common_frame(frames);
	for (size_t i = 0; i < programs->functions.count; i++)
		if (programs->functions.items[i].has_frame)
			add_frame(frames, 0, &programs->functions.items[i]);
	for (size_t i = 0; i < DWARF_SECTIONS && rc == 0; i++)
		rc = str_check(&d->sections[i]);
	return rc;
}
