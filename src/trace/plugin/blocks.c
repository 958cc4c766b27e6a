// SPDX-License-Identifier: GPL-2.0-only
/*
 * A block that is translated again, as a whole or in part, is the same one: it is identified by
 * address, length and number of programs. The previous block of a CPU is found by gs_base, so that
 * blocks of several CPUs and of interrupts are not mistaken for a jump.
 */
#include "trace/plugin/plugin.h"

#include <sys/mman.h>

#define CODE_BEGIN 0xffffffffa0000000ULL /* after the kernel: modules and JITed code */
#define SLOTS (4UL * TRACE_MAX_BLOCKS)
#define CPU_SLOTS 1024 /* a power of two, more than CPUs */
#define SHORT_JUMP 2
#define LONG_JUMP 6
#define LEAVE_CODE 0xc9 /* "leave": only where a function of a program returns */
#define PAIR_TRIES 16

static struct trace_blocks *shared;
static uint32_t slots[SLOTS]; /* 1 + index of a block; 0 = free */

/* CPUs whose last block ended in a jump that has not been seen in both directions. */
static struct {
	uint64_t gs;
	struct trace_block *block; /* NULL = none */
} last[CPU_SLOTS];
static unsigned int waiting;

/* Last block of each CPU (1 + index) while it is inside a program; 0 = the program has returned. */
static uint32_t inside[PLUGIN_MAX_CPUS];
static unsigned int inside_count;

bool blocks_take_argument(const char *text)
{
	uint64_t fd;

	if (!plugin_take_number(text, "blocks_fd=", &fd))
		return false;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
	if (shared == MAP_FAILED)
		return false;
	shared->count = 0;
	shared->is_full = false;
	return true;
}

/* ---- executing ---- */

/* The lowest bits of gs_base are the same for all CPUs. */
static size_t slot_of_cpu(uint64_t gs)
{
	size_t i = (size_t)(gs >> 12) % CPU_SLOTS;

	for (size_t tries = 0; tries < CPU_SLOTS; tries++, i = (i + 1) % CPU_SLOTS)
		if (!last[i].gs || last[i].gs == gs)
			break;
	last[i].gs = gs;
	return i;
}

static void follow(struct trace_block *before, uint64_t address)
{
	if (address == before->target)
		before->is_taken = true;
	else if (address == before->address + before->bytes)
		before->is_passed = true;
}

static void on_kernel(unsigned int vcpu, void *data)
{
	(void)vcpu;
	((struct trace_block *)data)->count++;
}

static void add_pair(uint32_t first, uint32_t second)
{
	size_t i = (first * 2654435761U ^ second * 40503U) % TRACE_MAX_PAIRS;

	for (size_t tries = 0; tries < PAIR_TRIES; tries++, i = (i + 1) % TRACE_MAX_PAIRS) {
		struct trace_pair *p = &shared->pairs[i];

		if (!p->first)
			*p = (struct trace_pair){ first, second };
		if (p->first == first && p->second == second)
			return;
	}
}

/*
 * A CPU whose slice ends inside a program, or in a function it calls, stays inside while others
 * run.
 */
static void take_turn(unsigned int vcpu, const struct trace_block *b)
{
	uint32_t number = (uint32_t)(b - shared->blocks) + 1;

	if (inside_count > (inside[vcpu] != 0))
		for (size_t i = 0; i < PLUGIN_MAX_CPUS; i++)
			if (i != vcpu && inside[i])
				add_pair(inside[i], number);
	inside_count += !b->is_return - (inside[vcpu] != 0);
	inside[vcpu] = b->is_return ? 0 : number;
}

static void on_block(unsigned int vcpu, void *data)
{
	struct trace_block *b = data;
	bool jumps = b->target && !(b->is_taken && b->is_passed);
	size_t cpu;

	b->count++;
	if (vcpu < PLUGIN_MAX_CPUS)
		take_turn(vcpu, b);
	if (!waiting && !jumps)
		return;
	cpu = slot_of_cpu(plugin_gs_base());
	if (last[cpu].block) {
		follow(last[cpu].block, b->address);
		waiting--;
	}
	last[cpu].block = jumps ? b : NULL;
	waiting += jumps;
}

/* ---- translating ---- */

static uint64_t end_of(const struct qemu_plugin_insn *insn)
{
	return qemu_plugin_insn_vaddr(insn) + qemu_plugin_insn_size(insn);
}

/* cmp r11, r10: an address check that the JIT inserts before a load; not in any source line. */
static bool is_check_of_compiler(const struct qemu_plugin_insn *before)
{
	static const uint8_t compare[] = { 0x4d, 0x39, 0xd3 };
	uint8_t code[sizeof(compare)];

	return qemu_plugin_insn_size(before) == sizeof(code) &&
	       qemu_plugin_insn_data(before, code, sizeof(code)) == sizeof(code) &&
	       memcmp(code, compare, sizeof(code)) == 0;
}

/* Target of a conditional jump; 0 = it is none. */
static uint64_t target_of(const struct qemu_plugin_insn *insn)
{
	uint8_t code[LONG_JUMP] = {};
	size_t size = qemu_plugin_insn_size(insn);
	int32_t far;

	if (size > sizeof(code) || qemu_plugin_insn_data(insn, code, size) != size)
		return 0;
	if (size == SHORT_JUMP && (code[0] & 0xf0) == 0x70)
		return end_of(insn) + (uint64_t)(int64_t)(int8_t)code[1];
	if (size != LONG_JUMP || code[0] != 0x0f || (code[1] & 0xf0) != 0x80)
		return 0;
	memcpy(&far, code + 2, sizeof(far));
	return end_of(insn) + (uint64_t)(int64_t)far;
}

/* Returns whether a function of a program returns at the end of the block. */
static bool returns(const struct qemu_plugin_tb *tb, size_t count)
{
	for (size_t i = count; i > 0 && i + 2 > count; i--) {
		const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i - 1);
		uint8_t code = 0;

		if (qemu_plugin_insn_size(insn) == 1 &&
		    qemu_plugin_insn_data(insn, &code, 1) == 1 && code == LEAVE_CODE)
			return true;
	}
	return false;
}

static struct trace_block *find(uint64_t address, uint32_t bytes, uint32_t programs)
{
	size_t i = (size_t)((address * 31 + bytes) * 31 + programs) * 2654435761U % SLOTS;

	for (; slots[i]; i = (i + 1) % SLOTS) {
		struct trace_block *b = &shared->blocks[slots[i] - 1];

		if (b->address == address && b->bytes == bytes && b->programs == programs)
			return b;
	}
	if (shared->count == TRACE_MAX_BLOCKS) {
		shared->is_full = true;
		return NULL;
	}
	shared->blocks[shared->count] =
		(struct trace_block){ .address = address, .bytes = bytes, .programs = programs };
	slots[i] = ++shared->count;
	return &shared->blocks[shared->count - 1];
}

static bool is_wanted(uint64_t address)
{
	for (uint32_t i = 0; i < shared->range_count && address >= shared->ranges[i].start; i++)
		if (address < shared->ranges[i].end)
			return true;
	return false;
}

void blocks_watch(struct qemu_plugin_tb *tb)
{
	size_t count = qemu_plugin_tb_n_insns(tb);
	const struct qemu_plugin_insn *first, *end;
	struct trace_block *b;
	bool is_kernel;

	if (!shared || !count)
		return;
	first = qemu_plugin_tb_get_insn(tb, 0);
	end = qemu_plugin_tb_get_insn(tb, count - 1);
	is_kernel = qemu_plugin_insn_vaddr(first) < CODE_BEGIN;
	if (is_kernel && !is_wanted(qemu_plugin_insn_vaddr(first)))
		return;
	b = find(qemu_plugin_insn_vaddr(first),
		 (uint32_t)(end_of(end) - qemu_plugin_insn_vaddr(first)),
		 is_kernel ? 0 : stops_of_programs());
	if (b && is_kernel)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_kernel, QEMU_PLUGIN_CB_NO_REGS, b);
	if (!b || is_kernel)
		return;
	b->is_return = returns(tb, count);
	b->jump = (uint32_t)(qemu_plugin_insn_vaddr(end) - b->address);
	b->target = count > 1 && is_check_of_compiler(qemu_plugin_tb_get_insn(tb, count - 2)) ?
			    0 :
			    target_of(end);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_R_REGS, b);
}
