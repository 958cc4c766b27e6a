/* SPDX-License-Identifier: GPL-2.0-only */
/* Two BPF programs of a scheduler with their source lines in an image, and one of another kind. */
#ifndef KTSTR_REPRO_IMAGE_H
#define KTSTR_REPRO_IMAGE_H

#include <linux/bpf.h>
#include <stdio.h>

#include "watch_image.h"

#define RI_VIRTUAL(physical) (IMAGE_DIRECT + (physical))
#define RI_CODE 0xffffffffc0001000ULL
#define RI_PROGRAMS 3
#define RI_LINES 3 /* of each */

enum ri_place {
	RI_IDR = IMAGE_HEAP + 0xc0000,
	RI_NODE = IMAGE_HEAP + 0xc0400,
	RI_PROGRAM = IMAGE_HEAP + 0xc1000, /* 0x1000 each, with these parts: */
	RI_AUX = 0x100,
	RI_INFOS = 0x400,
	RI_ADDRESSES = 0x800,
	RI_OP = 0xc00,
	RI_FUNCTIONS = 0xd00,
	RI_BTF = IMAGE_HEAP + 0xd0000,
	RI_BTF_DATA = IMAGE_HEAP + 0xd0100,
};

#define RI_NAMES "\0demo_enqueue\0demo_dispatch\0/src/demo.bpf.c\0\tif (is_lost(p))\0\t\treturn;\0}"

static inline uint32_t ri_name(const char *name)
{
	static const char names[] = RI_NAMES;

	for (uint32_t at = 1; at < sizeof(names); at += (uint32_t)strlen(names + at) + 1)
		if (strcmp(names + at, name) == 0)
			return at;
	return 0;
}

static inline void ri_put_btf(struct image *m)
{
	static const char names[] = RI_NAMES;
	const uint32_t types[] = { 0,
				   13U << 24,
				   0, /* 1: a prototype */
				   ri_name("demo_enqueue"),
				   12U << 24,
				   1,
				   ri_name("demo_dispatch"),
				   12U << 24,
				   1 };
	const uint32_t head[] = { 0x1eb9f, 24, 0, sizeof(types), sizeof(types), sizeof(names) };

	memcpy(m->data + RI_BTF_DATA, head, sizeof(head));
	memcpy(m->data + RI_BTF_DATA + sizeof(head), types, sizeof(types));
	memcpy(m->data + RI_BTF_DATA + sizeof(head) + sizeof(types), names, sizeof(names));
	image_put(m, RI_BTF, RI_VIRTUAL(RI_BTF_DATA), 8);
	image_put(m, RI_BTF + 8, sizeof(head) + sizeof(types) + sizeof(names), 4);
}

static inline void ri_layout(struct watch_layout *l)
{
	static const struct {
		enum watch_member member;
		uint32_t offset;
		uint8_t bytes;
	} rows[] = {
		{ M_IDR_HEAD, 8, 8 },	      { M_XA_SHIFT, 0, 1 },	   { M_XA_SLOTS, 40, 8 },
		{ M_PROG_TYPE, 0, 4 },	      { M_PROG_AUX, 8, 8 },	   { M_PROG_CODE, 16, 8 },
		{ M_PROG_CODE_BYTES, 24, 4 }, { M_AUX_NAME, 0, 8 },	   { M_AUX_OP, 16, 8 },
		{ M_AUX_BTF, 24, 8 },	      { M_AUX_FUNCTIONS, 32, 8 },  { M_AUX_LINES, 40, 8 },
		{ M_AUX_LINES_AT, 48, 8 },    { M_AUX_LINE_COUNT, 56, 4 }, { M_BTF_DATA, 0, 8 },
		{ M_BTF_DATA_SIZE, 8, 4 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		l->members[rows[i].member] = rows[i].offset;
		l->bytes[rows[i].member] = rows[i].bytes;
	}
	l->symbols[SYM_PROG_IDR] = RI_VIRTUAL(RI_IDR);
}

static inline uint64_t ri_program(unsigned int i)
{
	return RI_PROGRAM + 0x1000ULL * i;
}

/* Lines 10, 11 and 12 of the first, 20, 21 and 22 of the second, four bytes of code each. */
static inline void ri_put_lines(struct image *m, unsigned int i)
{
	static const char *const texts[RI_LINES] = { "\tif (is_lost(p))", "\t\treturn;", "}" };
	uint64_t at = ri_program(i);

	for (uint32_t k = 0; k < RI_LINES; k++) {
		const struct bpf_line_info info = { .insn_off = k,
						    .file_name_off = ri_name("/src/demo.bpf.c"),
						    .line_off = ri_name(texts[k]),
						    .line_col = (10 * (i + 1) + k) << 10 | 3 };

		memcpy(m->data + at + RI_INFOS + k * sizeof(info), &info, sizeof(info));
		image_put(m, at + RI_ADDRESSES + 8ULL * k, RI_CODE + 0x100ULL * i + 4ULL * k, 8);
	}
}

static inline void ri_put_program(struct image *m, unsigned int i, uint32_t type)
{
	uint64_t at = ri_program(i), aux = at + RI_AUX;

	image_put(m, at, type, 4);
	image_put(m, at + 8, RI_VIRTUAL(aux), 8);
	image_put(m, at + 16, RI_CODE + 0x100ULL * i, 8);
	image_put(m, at + 24, 0x40, 4);
	snprintf(m->data + aux, 16, "%s", i ? "demo_dispatc" : "demo_enqueu");
	image_put(m, aux + 16, RI_VIRTUAL(at + RI_OP), 8);
	snprintf(m->data + at + RI_OP, 16, "%s", i ? "dispatch" : "enqueue");
	image_put(m, aux + 24, RI_VIRTUAL(RI_BTF), 8);
	image_put(m, aux + 32, RI_VIRTUAL(at + RI_FUNCTIONS), 8);
	image_put(m, at + RI_FUNCTIONS + 4, 2 + i, 4);
	image_put(m, aux + 40, RI_VIRTUAL(at + RI_INFOS), 8);
	image_put(m, aux + 48, RI_VIRTUAL(at + RI_ADDRESSES), 8);
	image_put(m, aux + 56, RI_LINES, 4);
	ri_put_lines(m, i);
}

static inline void repro_image_fill(struct image *m)
{
	ri_layout(&m->layout);
	image_put(m, RI_IDR + 8, RI_VIRTUAL(RI_NODE) | 2, 8);
	for (unsigned int i = 0; i < RI_PROGRAMS; i++) {
		image_put(m, RI_NODE + 40 + 8ULL * i, RI_VIRTUAL(ri_program(i)), 8);
		ri_put_program(m, i, i == 2 ? BPF_PROG_TYPE_KPROBE : BPF_PROG_TYPE_STRUCT_OPS);
	}
	ri_put_btf(m);
}

#endif
