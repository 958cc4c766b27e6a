// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unwinds by ORC on x86-64, see arch/x86/include/asm/orc_types.h and arch/x86/kernel/unwind_orc.c
 * in the kernel. Stacks are not trusted: the number of frames is limited.
 */
#include "watch/parts.h"

#define ENTRY_BYTES 6

enum orc_type {
	ORC_TYPE_UNDEFINED,
	ORC_TYPE_END,
	ORC_TYPE_CALL,
	ORC_TYPE_REGS,
	ORC_TYPE_REGS_PARTIAL,
};

/*
 * Register numbers of ORC by version: kernels contain a hash of the definitions. Registers that
 * only entry code uses end the unwinding.
 */
#define HASH_BYTES 20

static const struct orc_format {
	const char *hash;
	uint8_t sp, bp, prev_sp, sp_indirect, bp_indirect;
} formats[] = {
	/* 6.19 and 7.0 */
	{ "\xfe\x5d\x32\xbf\x58\x1b\xd6\x3b\x2c\xa9\xa5\xc6\x5b\xa5\xa6\x25\xea\xb3\xfe\x24",
	  .sp = 5, .bp = 4, .prev_sp = 1, .sp_indirect = 9, .bp_indirect = 8 },
	/* 7.2 */
	{ "\x13\x7c\x36\xad\x76\x27\xc4\xdd\x55\x93\x21\x76\xbb\x0e\xcd\xbd\x50\x41\xfc\x82",
	  .sp = 3, .bp = 4, .prev_sp = 8, .sp_indirect = 9, .bp_indirect = 10 },
};

/* Offsets in struct pt_regs. */
enum { PT_BP = 32, PT_IP = 128, PT_CS = 136, PT_SP = 152 };

struct orc {
	int16_t sp_offset, bp_offset;
	uint8_t sp_reg, bp_reg;
	enum orc_type type;
	bool is_signal;
};

struct state {
	struct space *space;
	const struct orc_format *format;
	uint64_t ip, sp, bp;
	bool is_exact; /* ip is the current instruction, not a return address */
};

static const struct orc_format *find_format(struct space *space)
{
	uint64_t header = space_symbol(space, SYM_ORC_HEADER);
	char hash[HASH_BYTES];

	if (!header || !space_read(space, header, hash, sizeof(hash)))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (memcmp(formats[i].hash, hash, sizeof(hash)) == 0)
			return &formats[i];
	return NULL;
}

static bool read_ip(struct space *space, uint64_t table, uint64_t i, uint64_t *ip)
{
	uint32_t relative;

	if (!space_read_u32(space, table + 4 * i, &relative))
		return false;
	*ip = table + 4 * i + (uint64_t)(int64_t)(int32_t)relative;
	return true;
}

/* Index of the last entry at or before ip. */
static bool find_entry(struct space *space, uint64_t ip, uint64_t *index)
{
	uint64_t table = space_symbol(space, SYM_ORC_IP), at;
	uint64_t low = 0, high = (space_symbol(space, SYM_ORC_IP_END) - table) / 4;

	if (!table)
		return false;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (!read_ip(space, table, middle, &at))
			return false;
		if (at <= ip)
			low = middle + 1;
		else
			high = middle;
	}
	*index = low - 1;
	return low != 0;
}

static bool find_orc(const struct state *s, uint64_t ip, struct orc *orc)
{
	struct space *space = s->space;
	uint64_t text = space_symbol(space, SYM_TEXT), end = space_symbol(space, SYM_TEXT_END), i;
	char raw[ENTRY_BYTES];
	uint16_t bits;

	/* Code generated at run time uses frame pointers. */
	if (ip < text || ip >= end) {
		*orc = (struct orc){ .sp_offset = 16,
				     .bp_offset = -16,
				     .sp_reg = s->format->bp,
				     .bp_reg = s->format->prev_sp,
				     .type = ORC_TYPE_CALL };
		return true;
	}
	if (!find_entry(space, ip, &i) ||
	    !space_read(space, space_symbol(space, SYM_ORC) + ENTRY_BYTES * i, raw, sizeof(raw)))
		return false;
	memcpy(&orc->sp_offset, raw, 2);
	memcpy(&orc->bp_offset, raw + 2, 2);
	memcpy(&bits, raw + 4, 2);
	orc->sp_reg = bits & 15;
	orc->bp_reg = bits >> 4 & 15;
	orc->type = bits >> 8 & 7;
	orc->is_signal = bits >> 11 & 1;
	return true;
}

/* Stack pointer before this frame. */
static bool find_stack(struct state *s, const struct orc *orc, uint64_t *sp)
{
	uint64_t offset = (uint64_t)(int64_t)orc->sp_offset;
	const struct orc_format *f = s->format;

	if (orc->sp_reg == f->bp_indirect)
		return space_read_u64(s->space, s->bp + offset, sp);
	if (orc->sp_reg == f->sp_indirect && !space_read_u64(s->space, s->sp, sp))
		return false;
	if (orc->sp_reg == f->sp)
		*sp = s->sp;
	else if (orc->sp_reg == f->bp)
		*sp = s->bp;
	else if (orc->sp_reg != f->sp_indirect)
		return false;
	*sp += offset;
	return true;
}

/* 0 = unchanged by the frame. */
static bool find_frame_pointer(struct state *s, const struct orc *orc, uint64_t sp)
{
	uint64_t offset = (uint64_t)(int64_t)orc->bp_offset;

	if (orc->bp_reg == s->format->prev_sp)
		return space_read_u64(s->space, sp + offset, &s->bp);
	if (orc->bp_reg == s->format->bp)
		return space_read_u64(s->space, s->bp + offset, &s->bp);
	return !orc->bp_reg;
}

/* Continues with the registers that an interrupt saved on the stack; false in user mode. */
static bool take_registers(struct state *s, uint64_t at, bool is_whole)
{
	uint64_t cs;

	return space_read_u64(s->space, at + PT_IP, &s->ip) &&
	       space_read_u64(s->space, at + PT_SP, &s->sp) &&
	       space_read_u64(s->space, at + PT_CS, &cs) && (cs & 3) == 0 &&
	       (!is_whole || space_read_u64(s->space, at + PT_BP, &s->bp));
}

static bool step(struct state *s)
{
	struct orc orc;
	uint64_t sp;

	if (!find_orc(s, s->is_exact ? s->ip : s->ip - 1, &orc) || !find_stack(s, &orc, &sp))
		return false;
	s->is_exact = orc.is_signal;
	switch (orc.type) {
	case ORC_TYPE_CALL:
		if (!space_read_u64(s->space, sp - 8, &s->ip))
			return false;
		s->sp = sp;
		return find_frame_pointer(s, &orc, sp);
	case ORC_TYPE_REGS:
		return take_registers(s, sp, true);
	case ORC_TYPE_REGS_PARTIAL:
		return take_registers(s, sp - PT_IP, false);
	default:
		return false;
	}
}

/* struct inactive_task_frame of __switch_to_asm: r15 to r12, rbx, rbp, and return address. */
enum { FRAME_BP = 40, FRAME_IP = 48, FRAME_BYTES = 56 };

bool orc_read_sleeper(struct vcpu *v, struct space *space, uint64_t task)
{
	uint64_t sp;

	if (!space_read_member(space, task, M_TASK_SP, &sp) ||
	    !space_read_u64(space, sp + FRAME_BP, &v->registers[VCPU_RBP]) ||
	    !space_read_u64(space, sp + FRAME_IP, &v->registers[VCPU_RIP]))
		return false;
	v->registers[VCPU_RSP] = sp + FRAME_BYTES;
	return true;
}

void orc_unwind(struct vcpu *v, struct space *space)
{
	struct state s = { .space = space,
			   .format = find_format(space),
			   .ip = v->registers[VCPU_RIP],
			   .sp = v->registers[VCPU_RSP],
			   .bp = v->registers[VCPU_RBP],
			   .is_exact = true };

	/* Kernel addresses are in the upper half. */
	while (v->frame_count < VCPU_MAX_FRAMES && s.ip >> 63) {
		v->frames[v->frame_count++] = s.ip;
		if (!s.format || !step(&s))
			break;
	}
}
