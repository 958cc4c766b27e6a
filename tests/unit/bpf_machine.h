/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs BPF programs that the guest writes, as strictly as a verifier: a register that was not
 * written, or memory that is not the program's, fails the test. Time passes only in calls.
 */
#ifndef KTSTR_BPF_MACHINE_H
#define KTSTR_BPF_MACHINE_H

#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bpf_call.h"
#include "guest/bpf_code.h"

#define MACHINE_MAPS 4
#define MACHINE_PROGRAMS 4
#define MACHINE_STEP_NS 1000 /* that a look at the clock takes */
#define MACHINE_TURNS 100000 /* of loops, before the kernel has had enough */
#define MACHINE_STEPS 20000000
#define FIRST_MAP_FD 1000
#define FIRST_PROGRAM_FD 2000

struct machine_map {
	uint8_t *value;
	uint32_t size;
	bool is_closed;
};

struct machine_program {
	char name[BPF_OBJ_NAME_LEN];
	struct bpf_insn insns[BPF_CODE_MAX];
	uint32_t count, type, attach_type;
	char tracepoint[32];
	char calls[256], returns[256]; /* functions that it is attached to, a space behind each */
	bool is_closed;
};

/* What the kernel would hold; a test sets who runs where, and what fails. */
static struct {
	struct machine_map maps[MACHINE_MAPS];
	struct machine_program programs[MACHINE_PROGRAMS];
	unsigned int map_count, program_count, link_count;
	unsigned int first_map, first_program; /* descriptors */
	uint64_t now_ns, most_turns;
	uint32_t cpu, pid;
	enum bpf_cmd refused; /* with -EPERM; BPF_MAP_CREATE is 0, so there is a flag, too */
	bool refuses;
	bool has_had_enough; /* a loop was ended by the kernel */
	void (*while_held)(void);
} machine;

static inline struct machine_map *machine_map_of(uint32_t fd)
{
	assert_in_range(fd - machine.first_map, 0, machine.map_count - 1);
	return &machine.maps[fd - machine.first_map];
}

static inline struct machine_program *machine_program_of(uint32_t fd)
{
	assert_in_range(fd - machine.first_program, 0, machine.program_count - 1);
	return &machine.programs[fd - machine.first_program];
}

static inline bool machine_is_map(uint32_t fd)
{
	return fd >= machine.first_map && fd - machine.first_map < machine.map_count;
}

static inline bool machine_is_program(uint32_t fd)
{
	return fd >= machine.first_program && fd - machine.first_program < machine.program_count;
}

int __wrap_close(int fd);
int __real_close(int fd);

/* Programs keep their maps, and links their programs: only calls want them open. */
int __wrap_close(int fd)
{
	bool *is_closed =
		machine_is_map((uint32_t)fd)	 ? &machine_map_of((uint32_t)fd)->is_closed :
		machine_is_program((uint32_t)fd) ? &machine_program_of((uint32_t)fd)->is_closed :
						   NULL;

	if (!is_closed) {
		assert_int_not_equal(fd, STDIN_FILENO);
		return __real_close(fd);
	}
	assert_false(*is_closed);
	*is_closed = true;
	return 0;
}

static inline int machine_add_map(const union bpf_attr *attr)
{
	struct machine_map *map = &machine.maps[machine.map_count];

	assert_in_range(machine.map_count, 0, MACHINE_MAPS - 1);
	assert_int_equal(attr->map_type, BPF_MAP_TYPE_ARRAY);
	assert_int_equal(attr->key_size, sizeof(uint32_t));
	assert_int_equal(attr->max_entries, 1);
	map->size = attr->value_size;
	map->value = calloc(1, map->size);
	assert_non_null(map->value);
	return (int)(machine.first_map + machine.map_count++);
}

static inline int machine_add_program(const union bpf_attr *attr)
{
	struct machine_program *p = &machine.programs[machine.program_count];

	assert_in_range(machine.program_count, 0, MACHINE_PROGRAMS - 1);
	assert_in_range(attr->insn_cnt, 1, BPF_CODE_MAX);
	assert_string_equal((const char *)(uintptr_t)attr->license, "GPL");
	memcpy(p->insns, (const void *)(uintptr_t)attr->insns, attr->insn_cnt * sizeof(*p->insns));
	memcpy(p->name, attr->prog_name, sizeof(p->name));
	p->count = attr->insn_cnt;
	p->type = attr->prog_type;
	p->attach_type = attr->expected_attach_type;
	for (uint32_t i = 0; i < p->count; i++)
		if (p->insns[i].code == (BPF_LD | BPF_IMM | BPF_DW))
			assert_false(machine_map_of((uint32_t)p->insns[i].imm)->is_closed);
	return (int)(machine.first_program + machine.program_count++);
}

static inline int machine_attach_calls(const union bpf_attr *attr)
{
	struct machine_program *p = machine_program_of(attr->link_create.prog_fd);
	const char *const *names =
		(const char *const *)(uintptr_t)attr->link_create.kprobe_multi.syms;
	bool at_return = attr->link_create.kprobe_multi.flags == BPF_F_KPROBE_MULTI_RETURN;
	char *list = at_return ? p->returns : p->calls;

	machine.link_count++;
	assert_int_equal(attr->link_create.attach_type, BPF_TRACE_KPROBE_MULTI);
	assert_int_equal(p->attach_type, BPF_TRACE_KPROBE_MULTI);
	assert_false(p->is_closed);
	for (uint32_t i = 0; i < attr->link_create.kprobe_multi.cnt; i++) {
		size_t len = strlen(list);

		snprintf(list + len, sizeof(p->calls) - len, "%s ", names[i]);
	}
	return 9;
}

static inline int machine_attach_tracepoint(const union bpf_attr *attr)
{
	struct machine_program *p = machine_program_of(attr->raw_tracepoint.prog_fd);

	assert_int_equal(p->attach_type, 0);
	assert_false(p->is_closed);
	snprintf(p->tracepoint, sizeof(p->tracepoint), "%s",
		 (const char *)(uintptr_t)attr->raw_tracepoint.name);
	return 8;
}

int __wrap_bpf_call(enum bpf_cmd command, union bpf_attr *attr);

int __wrap_bpf_call(enum bpf_cmd command, union bpf_attr *attr)
{
	struct machine_map *map;

	if (machine.refuses && command == machine.refused)
		return -EPERM;
	switch (command) {
	case BPF_MAP_CREATE:
		return machine_add_map(attr);
	case BPF_MAP_UPDATE_ELEM:
	case BPF_MAP_LOOKUP_ELEM:
		map = machine_map_of(attr->map_fd);
		assert_false(map->is_closed);
		assert_int_equal(*(const uint32_t *)(uintptr_t)attr->key, 0);
		if (command == BPF_MAP_UPDATE_ELEM)
			memcpy(map->value, (const void *)(uintptr_t)attr->value, map->size);
		else
			memcpy((void *)(uintptr_t)attr->value, map->value, map->size);
		return 0;
	case BPF_PROG_LOAD:
		return machine_add_program(attr);
	case BPF_RAW_TRACEPOINT_OPEN:
		return machine_attach_tracepoint(attr);
	case BPF_LINK_CREATE:
		return machine_attach_calls(attr);
	default:
		fail_msg("bpf command %d", (int)command);
		return -EINVAL;
	}
}

/* One run of a program. */
struct machine_run {
	const struct machine_program *program;
	uint64_t regs[11];
	uint16_t written; /* registers, one bit each */
	const uint64_t *args;
	size_t arg_count;
	uint64_t stack[64]; /* R10 is its end */
	bool is_set[512];   /* bytes of it */
	uint64_t turns;
};

static inline uint64_t machine_read(const struct machine_run *r, unsigned int reg)
{
	if (!(r->written >> reg & 1))
		fail_msg("%s: R%u is read before it is written", r->program->name, reg);
	return r->regs[reg];
}

static inline void machine_write(struct machine_run *r, unsigned int reg, uint64_t value)
{
	assert_in_range(reg, 0, 9);
	r->regs[reg] = value;
	r->written |= (uint16_t)(1U << reg);
}

static inline bool machine_is_in(uint64_t at, size_t len, const void *begin, size_t size)
{
	uint64_t first = (uintptr_t)begin;

	return at >= first && at + len <= first + size;
}

/* What was not written there is not read. */
static inline void machine_use_stack(struct machine_run *r, size_t offset, size_t len,
				     bool is_write)
{
	for (size_t i = offset; i < offset + len; i++) {
		if (!is_write && !r->is_set[i])
			fail_msg("%s: byte %zu of the stack is read before it is written",
				 r->program->name, i);
		r->is_set[i] = true;
	}
}

static inline void *machine_memory(struct machine_run *r, uint64_t at, size_t len, bool is_write)
{
	bool is_ours =
		machine_is_in(at, len, r->stack, sizeof(r->stack)) ||
		(!is_write && machine_is_in(at, len, r->args, r->arg_count * sizeof(*r->args)));

	for (unsigned int i = 0; i < machine.map_count; i++)
		is_ours |= machine_is_in(at, len, machine.maps[i].value, machine.maps[i].size);
	if (!is_ours || at % len)
		fail_msg("%s: %zu bytes of memory that is not its own", r->program->name, len);
	if (machine_is_in(at, len, r->stack, sizeof(r->stack)))
		machine_use_stack(r, at - (uintptr_t)r->stack, len, is_write);
	return (void *)(uintptr_t)at;
}

static inline uint64_t machine_helper(struct machine_run *r, int32_t number)
{
	switch (number) {
	case BPF_FUNC_ktime_get_ns:
		machine.now_ns += MACHINE_STEP_NS;
		return machine.now_ns;
	case BPF_FUNC_get_smp_processor_id:
		return machine.cpu;
	case BPF_FUNC_get_current_pid_tgid:
		return (uint64_t)7 << 32 | machine.pid;
	case BPF_FUNC_probe_read_kernel:
		assert_int_equal(machine_read(r, 2), sizeof(uint32_t));
		memcpy(machine_memory(r, machine_read(r, 1), sizeof(uint32_t), true),
		       (const void *)(uintptr_t)machine_read(r, 3), sizeof(uint32_t));
		return 0;
	default:
		fail_msg("%s: helper %d", r->program->name, (int)number);
		return 0;
	}
}

/* Registers of arguments do not live through a call. */
static inline void machine_call(struct machine_run *r, int32_t number)
{
	uint64_t result = machine_helper(r, number);

	r->written &= (uint16_t)~0x3e;
	machine_write(r, 0, result);
	if (number == BPF_FUNC_ktime_get_ns && machine.while_held)
		machine.while_held();
}

static inline void machine_compute(struct machine_run *r, const struct bpf_insn *insn)
{
	uint64_t by = insn->code & BPF_X ? machine_read(r, insn->src_reg) :
					   (uint64_t)(int64_t)insn->imm;
	uint64_t was = BPF_OP(insn->code) == BPF_MOV ? 0 : machine_read(r, insn->dst_reg);

	switch (BPF_OP(insn->code)) {
	case BPF_MOV:
		return machine_write(r, insn->dst_reg, by);
	case BPF_ADD:
		return machine_write(r, insn->dst_reg, was + by);
	case BPF_MUL:
		return machine_write(r, insn->dst_reg, was * by);
	case BPF_AND:
		return machine_write(r, insn->dst_reg, was & by);
	case BPF_XOR:
		return machine_write(r, insn->dst_reg, was ^ by);
	case BPF_LSH:
		assert_in_range(by, 0, 63);
		return machine_write(r, insn->dst_reg, was << by);
	case BPF_RSH:
		assert_in_range(by, 0, 63);
		return machine_write(r, insn->dst_reg, was >> by);
	case BPF_MOD:
		assert_int_not_equal(by, 0);
		return machine_write(r, insn->dst_reg, was % by);
	default:
		fail_msg("%s: operation %#x", r->program->name, insn->code);
	}
}

static inline void machine_load(struct machine_run *r, const struct bpf_insn *insn)
{
	uint64_t at = machine_read(r, insn->src_reg) + (uint64_t)(int64_t)insn->off;

	if (BPF_SIZE(insn->code) == BPF_DW)
		machine_write(r, insn->dst_reg, *(uint64_t *)machine_memory(r, at, 8, false));
	else
		machine_write(r, insn->dst_reg, *(uint32_t *)machine_memory(r, at, 4, false));
}

static inline void machine_store(struct machine_run *r, const struct bpf_insn *insn)
{
	uint64_t at = machine_read(r, insn->dst_reg) + (uint64_t)(int64_t)insn->off, was;

	if (insn->code == (BPF_ST | BPF_MEM | BPF_B)) {
		*(uint8_t *)machine_memory(r, at, 1, true) = (uint8_t)insn->imm;
	} else if (insn->code == (BPF_STX | BPF_ATOMIC | BPF_DW)) {
		assert_int_equal(insn->imm, BPF_ADD | BPF_FETCH);
		was = *(uint64_t *)machine_memory(r, at, 8, true);
		*(uint64_t *)machine_memory(r, at, 8, true) = was + machine_read(r, insn->src_reg);
		machine_write(r, insn->src_reg, was);
	} else {
		assert_int_equal(insn->code, BPF_STX | BPF_MEM | BPF_DW);
		*(uint64_t *)machine_memory(r, at, 8, true) = machine_read(r, insn->src_reg);
	}
}

static inline bool machine_jumps(struct machine_run *r, const struct bpf_insn *insn)
{
	uint64_t left, right;

	if (insn->code == (BPF_JMP | BPF_JA))
		return true;
	if (insn->code == (BPF_JMP | BPF_MAY_GOTO)) {
		machine.has_had_enough |= r->turns >= machine.most_turns;
		return r->turns++ >= machine.most_turns;
	}
	left = machine_read(r, insn->dst_reg);
	right = insn->code & BPF_X ? machine_read(r, insn->src_reg) : (uint64_t)(int64_t)insn->imm;
	switch (BPF_OP(insn->code)) {
	case BPF_JEQ:
		return left == right;
	case BPF_JNE:
		return left != right;
	case BPF_JLT:
		return left < right;
	case BPF_JGT:
		return left > right;
	case BPF_JGE:
		return left >= right;
	default:
		fail_msg("%s: jump %#x", r->program->name, insn->code);
		return false;
	}
}

/* The instruction after this one; -1 behind the last. */
static inline int64_t machine_step(struct machine_run *r, int64_t at)
{
	const struct bpf_insn *insn = &r->program->insns[at];

	if (insn->code == (BPF_JMP | BPF_EXIT)) {
		assert_int_equal(machine_read(r, 0), 0);
		return -1;
	}
	if (insn->code == (BPF_LD | BPF_IMM | BPF_DW)) {
		assert_int_equal(insn->src_reg, BPF_PSEUDO_MAP_VALUE);
		assert_int_equal(insn->off, 0);
		assert_memory_equal(&insn[1], &(struct bpf_insn){}, sizeof(*insn));
		machine_write(r, insn->dst_reg,
			      (uintptr_t)machine_map_of((uint32_t)insn->imm)->value);
		return at + 2;
	}
	if (insn->code == (BPF_JMP | BPF_CALL))
		machine_call(r, insn->imm);
	else if (BPF_CLASS(insn->code) == BPF_ALU64)
		machine_compute(r, insn);
	else if (BPF_CLASS(insn->code) == BPF_LDX)
		machine_load(r, insn);
	else if (BPF_CLASS(insn->code) == BPF_JMP)
		return at + 1 + (machine_jumps(r, insn) ? insn->off : 0);
	else
		machine_store(r, insn);
	return at + 1;
}

/* Runs it with these arguments; how long that took, by the machine's clock. */
static inline uint64_t machine_run(const struct machine_program *program, const uint64_t *args,
				   size_t arg_count)
{
	struct machine_run r = { .program = program, .args = args, .arg_count = arg_count };
	uint64_t began = machine.now_ns, steps = 0;

	r.regs[1] = (uintptr_t)args;
	r.regs[10] = (uintptr_t)(r.stack + ARRAY_SIZE(r.stack));
	r.written = 1U << 1 | 1U << 10;
	for (int64_t at = 0; at >= 0; at = machine_step(&r, at)) {
		assert_in_range(at, 0, program->count - 1);
		assert_in_range(steps++, 0, MACHINE_STEPS);
	}
	return machine.now_ns - began;
}

static inline void machine_reset(void)
{
	for (unsigned int i = 0; i < machine.map_count; i++)
		free(machine.maps[i].value);
	memset(&machine, 0, sizeof(machine));
	machine.now_ns = 1000000;
	machine.most_turns = MACHINE_TURNS;
	machine.first_map = FIRST_MAP_FD;
	machine.first_program = FIRST_PROGRAM_FD;
}

#endif
