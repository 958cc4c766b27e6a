/* SPDX-License-Identifier: GPL-2.0-only */
/* BPF programs in an image: one with a subprogram and lines, one without lines. */
#ifndef KTSTR_WATCH_PROGS_IMAGE_H
#define KTSTR_WATCH_PROGS_IMAGE_H

#include "watch_maps_image.h"

enum pi_place {
	PI_IDR = IMAGE_HEAP + 0x98000,
	PI_LEAF = IMAGE_HEAP + 0x98400,
	PI_PROGRAMS = IMAGE_HEAP + 0x98800, /* 0x100 each */
	PI_AUX = IMAGE_HEAP + 0x99000,	    /* 0x400 each */
	PI_LINES = IMAGE_HEAP + 0x9b000,
	PI_JITED = IMAGE_HEAP + 0x9c000,
	PI_BTF = IMAGE_HEAP + 0x9d000,
	PI_BTF_DATA = IMAGE_HEAP + 0x9d100,
	PI_FUNCS = IMAGE_HEAP + 0x9e000,
	PI_OP_NAME = IMAGE_HEAP + 0x9f000,
};

/* Offsets of members. */
enum pi_member {
	PI_PROG_AUX = 0,
	PI_FUNC = 8,
	PI_JITED_LEN = 16,
	PI_TYPE = 20,
	PI_ID = 0,
	PI_FUNC_COUNT = 4,
	PI_AUX_FUNCS = 8,
	PI_AUX_BTF = 16,
	PI_AUX_LINES = 24,
	PI_AUX_JITED = 32,
	PI_LINE_COUNT = 40,
	PI_FIRST_LINE = 44,
	PI_OP = 48,
	PI_KSYM_NAME = 64,
};

enum pi_program { PI_ENQUEUE, PI_PICK, PI_TICK };

#define PI_CODE(program) (0xffffffffc0001000ULL + 0x1000ULL * (program))
#define PI_NAMES "\0my.bpf.c\0if (a)\0return pick();\0lib.h"
#define PI_LINE_COUNT_ALL 5

static inline void pi_layout(struct watch_layout *l)
{
	static const struct {
		enum watch_member member;
		uint32_t offset;
		uint8_t bytes;
	} rows[] = {
		{ M_PROG_AUX, PI_PROG_AUX, 8 },
		{ M_PROG_FUNC, PI_FUNC, 8 },
		{ M_PROG_JITED_LEN, PI_JITED_LEN, 4 },
		{ M_AUX_ID, PI_ID, 4 },
		{ M_AUX_FUNC_COUNT, PI_FUNC_COUNT, 4 },
		{ M_AUX_FUNCS, PI_AUX_FUNCS, 8 },
		{ M_AUX_BTF, PI_AUX_BTF, 8 },
		{ M_AUX_LINES, PI_AUX_LINES, 8 },
		{ M_AUX_JITED_LINES, PI_AUX_JITED, 8 },
		{ M_AUX_LINE_COUNT, PI_LINE_COUNT, 4 },
		{ M_PROG_TYPE, PI_TYPE, 4 },
		{ M_AUX_OP, PI_OP, 8 },
		{ M_AUX_FIRST_LINE, PI_FIRST_LINE, 4 },
		{ M_AUX_KSYM_NAME, PI_KSYM_NAME, 8 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		l->members[rows[i].member] = rows[i].offset;
		l->bytes[rows[i].member] = rows[i].bytes;
	}
	l->symbols[SYM_PROG_IDR] = MI_VIRTUAL(PI_IDR);
}

static inline uint64_t pi_program(enum pi_program program)
{
	return PI_PROGRAMS + 0x100ULL * program;
}

static inline uint64_t pi_aux(enum pi_program program)
{
	return PI_AUX + 0x400ULL * program;
}

static inline void pi_put_program(struct image *m, enum pi_program program, const char *name,
				  uint32_t bytes)
{
	uint64_t at = pi_program(program);

	image_put(m, at + PI_PROG_AUX, MI_VIRTUAL(pi_aux(program)), 8);
	image_put(m, at + PI_FUNC, PI_CODE(program), 8);
	image_put(m, at + PI_JITED_LEN, bytes, 4);
	image_put(m, at + PI_TYPE, SPACE_STRUCT_OPS, 4);
	image_put(m, pi_aux(program) + PI_OP, MI_VIRTUAL(PI_OP_NAME), 8);
	snprintf(m->data + PI_OP_NAME, 32, "enqueue");
	image_put(m, pi_aux(program) + PI_ID, 40U + program, 4);
	snprintf(m->data + pi_aux(program) + PI_KSYM_NAME, 64, "bpf_prog_0123456789abcdef_%s",
		 name);
}

static inline void pi_put_lines(struct image *m)
{
	/* instruction, file, text, line << 10 | column; then where its code is */
	static const uint32_t lines[PI_LINE_COUNT_ALL][4] = {
		{ 0, 1, 10, 10U << 10 | 3 },  { 2, 1, 17, 11U << 10 | 5 },
		{ 3, 1, 17, 11U << 10 | 12 }, { 4, 32, 10, 4U << 10 | 1 },
		{ 6, 32, 10, 5U << 10 | 1 },
	};
	static const uint64_t jited[PI_LINE_COUNT_ALL] = {
		PI_CODE(PI_ENQUEUE), PI_CODE(PI_ENQUEUE) + 0x10, PI_CODE(PI_ENQUEUE) + 0x10,
		PI_CODE(PI_PICK),    PI_CODE(PI_PICK) + 0x20,
	};

	memcpy(m->data + PI_LINES, lines, sizeof(lines));
	memcpy(m->data + PI_JITED, jited, sizeof(jited));
	for (enum pi_program i = PI_ENQUEUE; i <= PI_PICK; i++) {
		image_put(m, pi_aux(i) + PI_AUX_BTF, MI_VIRTUAL(PI_BTF), 8);
		image_put(m, pi_aux(i) + PI_AUX_LINES, MI_VIRTUAL(PI_LINES), 8);
		image_put(m, pi_aux(i) + PI_AUX_JITED, MI_VIRTUAL(PI_JITED), 8);
		image_put(m, pi_aux(i) + PI_LINE_COUNT, PI_LINE_COUNT_ALL, 4);
	}
	image_put(m, pi_aux(PI_PICK) + PI_FIRST_LINE, 3, 4);
}

static inline void pi_put_btf(struct image *m)
{
	static const char names[] = PI_NAMES;
	const uint32_t head[] = { 0x1eb9f, 24, 0, 0, 0, sizeof(names) };

	memcpy(m->data + PI_BTF_DATA, head, sizeof(head));
	memcpy(m->data + PI_BTF_DATA + sizeof(head), names, sizeof(names));
	image_put(m, PI_BTF, MI_VIRTUAL(PI_BTF_DATA), 8);
	image_put(m, PI_BTF + 8, sizeof(head) + sizeof(names), 4);
}

/* Subprograms are in no table of the kernel. */
static inline void progs_image_fill(struct image *m)
{
	mi_layout(&m->layout);
	pi_layout(&m->layout);
	image_put(m, PI_IDR + 8, MI_NODE(PI_LEAF), 8);
	image_put(m, PI_LEAF, 0, 1);
	image_put(m, PI_LEAF + 40 + 8, MI_VIRTUAL(pi_program(PI_ENQUEUE)), 8);
	image_put(m, PI_LEAF + 40 + 16, MI_VIRTUAL(pi_program(PI_TICK)), 8);
	pi_put_program(m, PI_ENQUEUE, "my_enqueue", 0x100);
	pi_put_program(m, PI_PICK, "pick", 0x40);
	pi_put_program(m, PI_TICK, "my_tick", 0x80);
	image_put(m, pi_aux(PI_ENQUEUE) + PI_AUX_FUNCS, MI_VIRTUAL(PI_FUNCS), 8);
	image_put(m, pi_aux(PI_ENQUEUE) + PI_FUNC_COUNT, 2, 4);
	image_put(m, PI_FUNCS, MI_VIRTUAL(pi_program(PI_ENQUEUE)), 8);
	image_put(m, PI_FUNCS + 8, MI_VIRTUAL(pi_program(PI_PICK)), 8);
	pi_put_lines(m);
	pi_put_btf(m);
}

#endif
