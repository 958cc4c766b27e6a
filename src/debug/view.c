// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of the current CPU come with the stop; those of the others are queried from QEMU, only
 * when needed: it answers without running the guest.
 */
#include "debug/parts.h"

#define TABLE_MASK 0x000ffffffffff000ULL
#define PAGE 4096
#define COMM 16

static const struct {
	enum vcpu_register from;
	enum debug_register to;
} same[] = {
	{ VCPU_RAX, DEBUG_rax }, { VCPU_RBX, DEBUG_rbx }, { VCPU_RCX, DEBUG_rcx },
	{ VCPU_RDX, DEBUG_rdx }, { VCPU_RSI, DEBUG_rsi }, { VCPU_RDI, DEBUG_rdi },
	{ VCPU_RBP, DEBUG_rbp }, { VCPU_RSP, DEBUG_rsp }, { VCPU_R8, DEBUG_r8 },
	{ VCPU_R9, DEBUG_r9 },	 { VCPU_R10, DEBUG_r10 }, { VCPU_R11, DEBUG_r11 },
	{ VCPU_R12, DEBUG_r12 }, { VCPU_R13, DEBUG_r13 }, { VCPU_R14, DEBUG_r14 },
	{ VCPU_R15, DEBUG_r15 }, { VCPU_RIP, DEBUG_rip }, { VCPU_RFL, DEBUG_eflags },
	{ VCPU_CR2, DEBUG_cr2 }, { VCPU_CR3, DEBUG_cr3 },
};

void view_reset(struct view *v)
{
	vcpus_finish(&v->others);
}

static bool read_registers(void *ctx, unsigned int cpu, uint64_t out[DEBUG_REGISTER_COUNT])
{
	struct view *v = ctx;

	memset(out, 0, DEBUG_REGISTER_COUNT * sizeof(*out));
	if (cpu == v->travel->stop.cpu) {
		memcpy(out, v->travel->stop.registers, DEBUG_REGISTER_COUNT * sizeof(*out));
		return true;
	}
	if (!v->others.items.count && v->travel->vm)
		vcpus_ask(&v->others, v->travel->vm);
	vec_each(const struct vcpu, c, &v->others.items) {
		if (c->number != cpu)
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(same); k++)
			out[same[k].to] = c->registers[same[k].from];
		return true;
	}
	return false;
}

static size_t read_through(struct space *space, uint64_t address, char *out, size_t len)
{
	size_t done = 0;

	while (done < len) {
		size_t part = MIN(len - done, PAGE - (address + done) % PAGE);

		if (!space_read(space, address + done, out + done, part))
			break;
		done += part;
	}
	return done;
}

/* Uses the page tables of the CPU, which map user space and, in kernel mode, also the kernel. */
static size_t read_memory(void *ctx, unsigned int cpu, uint64_t address, void *out, size_t len)
{
	struct view *v = ctx;
	uint64_t registers[DEBUG_REGISTER_COUNT];
	struct space own = v->travel->space;
	size_t done;

	if (!v->travel->has_space)
		return 0;
	done = read_through(&v->travel->space, address, out, len);
	if (done || !read_registers(v, cpu, registers) || !registers[DEBUG_cr3])
		return done;
	own.top_table = registers[DEBUG_cr3] & TABLE_MASK;
	return read_through(&own, address, out, len);
}

static bool write_through(struct space *space, uint64_t address, const char *data, size_t len)
{
	while (len) {
		size_t part = MIN(len, PAGE - address % PAGE);
		uint64_t physical;

		if (!space_physical(space, address, part, &physical) ||
		    vm_memory_write(space->memory, physical, data, part) < 0)
			return false;
		address += part;
		data += part;
		len -= part;
	}
	return true;
}

static bool write_memory(void *ctx, unsigned int cpu, uint64_t address, const void *data,
			 size_t len)
{
	struct view *v = ctx;
	struct space own = v->travel->space;
	uint64_t registers[DEBUG_REGISTER_COUNT];

	if (!v->travel->has_space)
		return false;
	if (write_through(&v->travel->space, address, data, len))
		return true;
	if (!read_registers(v, cpu, registers) || !registers[DEBUG_cr3])
		return false;
	own.top_table = registers[DEBUG_cr3] & TABLE_MASK;
	return write_through(&own, address, data, len);
}

uint64_t view_cpu_base(struct view *v, unsigned int cpu)
{
	uint64_t base;

	return v->travel->has_space && space_of_cpu(&v->travel->space, 0, cpu, &base) ? base : 0;
}

/* "CPU 1: cg_0/2[171]", with the current task of its run queue. */
static void add_cpu_name(void *ctx, unsigned int cpu, struct str *out)
{
	struct view *v = ctx;
	struct space *space = &v->travel->space;
	uint64_t rq, task = 0, pid = 0;
	char comm[COMM + 1] = "";

	str_addf(out, "CPU %u", cpu);
	if (!v->travel->has_space ||
	    !space_of_cpu(space, space_symbol(space, SYM_RUNQUEUES), cpu, &rq) ||
	    !space_read_member(space, rq, M_RQ_CURR, &task) ||
	    !space_read_member(space, task, M_TASK_PID, &pid) ||
	    !layout_has(space->layout, M_TASK_COMM) ||
	    !space_read(space, task + space->layout->members[M_TASK_COMM], comm, COMM))
		return;
	str_addf(out, ": %s[%u]", comm, (unsigned int)pid);
}

static void answer(void *ctx, const char *command, struct str *out)
{
	struct view *v = ctx;
	uint64_t registers[DEBUG_REGISTER_COUNT];
	unsigned int cpus = (unsigned int)v->guest.cpu_count;
	struct monitor m = { .stop = &v->travel->stop,
			     .space = v->travel->has_space ? &v->travel->space : NULL,
			     .symbols = v->symbols,
			     .cpu_count = cpus };

	if (m.space)
		m.types = known_types_get(&v->known, v->vmlinux, v->scheduler);
	for (unsigned int i = 0; i < cpus && monitor_wants_registers(command); i++)
		if (read_registers(v, i, registers))
			monitor_add_cpu(&m, i, registers);
	monitor_answer(&m, command, out);
	monitor_finish(&m);
}

void view_init(struct view *v, struct travel *t, const struct symbols *symbols)
{
	*v = (struct view){ .travel = t,
			    .symbols = symbols,
			    .guest = { .cpu_count = vm_topology_cpus(&t->session.spec.topology),
				       .registers = read_registers,
				       .memory = read_memory,
				       .write = write_memory,
				       .cpu_name = add_cpu_name,
				       .monitor = answer,
				       .ctx = v } };
}
