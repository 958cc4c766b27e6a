// SPDX-License-Identifier: GPL-2.0-only
/* One message per stop in each direction. All vCPUs share one thread: a stop stops all. */
#include "trace/plugin/plugin.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "trace/debug_format.h"

/* A translation block; never freed, because QEMU does not report that a block is gone. */
struct block {
	uint64_t first, last; /* addresses of instructions */
};

static int fd = -1;
static struct debug_shared *shared;
static struct debug_order order = { .until = DEBUG_BEGINNING, .time_ns = DEBUG_NOWHERE };
static struct debug_event note, pending;
static struct plugin_register registers[DEBUG_REGISTER_COUNT];
static GByteArray *bytes;

static uint64_t block_number;
static const struct block *block;
static bool is_armed; /* there may be a stop in this block */
static bool is_time;

static const char *const names[DEBUG_REGISTER_COUNT] = {
#define X(name) #name,
	DEBUG_REGISTERS(X)
#undef X
};

bool debug_take_argument(const char *text)
{
	uint64_t number;

	if (plugin_take_number(text, "debug_fd=", &number)) {
		fd = (int)number;
		return true;
	}
	if (!plugin_take_number(text, "debug_shared=", &number))
		return false;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, (int)number, 0);
	return shared != MAP_FAILED;
}

bool debug_is_wanted(void)
{
	return fd >= 0 && shared;
}

void debug_take_registers(GArray *all)
{
	for (unsigned int i = 0; i < all->len; i++) {
		const struct qemu_plugin_reg_descriptor *d = qemu_plugin_nth_register(all, i);

		for (size_t k = 0; k < DEBUG_REGISTER_COUNT; k++)
			if (strcmp(d->name, names[k]) == 0)
				registers[k] = (struct plugin_register){ d->handle, true };
	}
}

static uint64_t read_register(enum debug_register which)
{
	if (!bytes)
		bytes = g_byte_array_new();
	bytes->len = 0;
	return plugin_register_value(&registers[which], bytes);
}

/* In user space the kernel's gs_base is in another register. */
static uint64_t cpu_base(void)
{
	uint64_t base = read_register(DEBUG_gs_base);

	return base >> 63 ? base : read_register(DEBUG_k_gs_base);
}

/* After the host has closed the socket there are no more stops. */
static void give_up(void)
{
	fd = -1;
	order = (struct debug_order){ .until = DEBUG_NOWHERE, .time_ns = DEBUG_NOWHERE };
	is_armed = false;
}

static void stop(uint64_t reason, uint64_t position, uint64_t rip)
{
	struct debug_stop s = { .event = { position, reason, rip, 0 }, .note = note };
	ssize_t n;

	if (reason == DEBUG_WATCH)
		s.event.address = pending.address, s.event.access = pending.access;
	for (size_t i = 0; i < DEBUG_REGISTER_COUNT; i++)
		s.registers[i] = read_register((enum debug_register)i);
	s.registers[DEBUG_rip] = rip; /* QEMU's value is that of the block */
	s.cpu_base = cpu_base();
	s.cpu = plugin_cpu_at(s.cpu_base, &s.time_ns);
	pending = note = (struct debug_event){};
	is_time = false;
	if (send(fd, &s, sizeof(s), MSG_NOSIGNAL) != sizeof(s)) {
		give_up();
		return;
	}
	do
		n = recv(fd, &order, sizeof(order), 0);
	while (n < 0 && errno == EINTR);
	if (n != sizeof(order) || order.place_count > DEBUG_MAX_PLACES ||
	    order.watch_count > DEBUG_MAX_WATCHES)
		give_up();
}

static bool is_place(uint64_t address)
{
	for (uint32_t i = 0; i < order.place_count; i++)
		if (order.places[i] == address)
			return true;
	return false;
}

static bool has_place(const struct block *b)
{
	for (uint32_t i = 0; i < order.place_count; i++)
		if (order.places[i] >= b->first && order.places[i] <= b->last)
			return true;
	return false;
}

static bool notes(uint64_t position)
{
	return order.only_notes && position >= order.notes_from;
}

static void note_instruction(uint64_t position, uint64_t address)
{
	if (order.step_cpu && cpu_base() == order.step_cpu)
		note = (struct debug_event){ position, DEBUG_STEPPED, address, 0 };
	else if (is_place(address))
		note = (struct debug_event){ position, DEBUG_PLACE, address, 0 };
}

/* DEBUG_BEGINS = do not stop. */
static enum debug_reason reason_at(uint64_t position, uint64_t address)
{
	if (position >= order.until)
		return DEBUG_ARRIVED;
	if (shared->is_interrupted)
		return DEBUG_INTERRUPTED;
	if (order.only_notes)
		return DEBUG_BEGINS;
	if (pending.position)
		return DEBUG_WATCH;
	if (is_time)
		return DEBUG_TIME;
	if (is_place(address))
		return DEBUG_PLACE;
	return order.step_cpu && cpu_base() == order.step_cpu ? DEBUG_STEPPED : DEBUG_BEGINS;
}

/* data = offset from the first instruction of the block, and index in the block. */
static void on_instruction(unsigned int vcpu, void *data)
{
	uint64_t packed = (uintptr_t)data;
	uint64_t position = debug_position(block_number, packed & ((1U << DEBUG_INDEX_BITS) - 1));
	uint64_t address = block->first + (packed >> DEBUG_INDEX_BITS);
	enum debug_reason reason;

	(void)vcpu;
	if (!is_armed)
		return;
	if (position == DEBUG_BEGINNING) {
		stop(DEBUG_BEGINS, position, address);
		/* The first instruction may also be the one to stop at. */
		if (fd < 0 || position < order.until)
			return;
	}
	reason = reason_at(position, address);
	if (reason != DEBUG_BEGINS)
		stop(reason, position, address);
	else if (notes(position))
		note_instruction(position, address);
}

static void on_block(unsigned int vcpu, void *data)
{
	(void)vcpu;
	block = data;
	block_number++;
	if (fd < 0)
		return;
	is_armed = block_number == order.until >> DEBUG_INDEX_BITS || block_number == 1 ||
		   is_time || pending.position || shared->is_interrupted ||
		   (order.step_cpu &&
		    (!order.only_notes || block_number >= order.notes_from >> DEBUG_INDEX_BITS)) ||
		   has_place(block);
}

static void on_access(unsigned int vcpu, uint32_t info, uint64_t address, void *data)
{
	uint64_t size = 1ULL << qemu_plugin_mem_size_shift(info);
	uint64_t access = qemu_plugin_mem_is_store(info) ? DEBUG_WATCH_WRITE : DEBUG_WATCH_READ;
	uint64_t packed = (uintptr_t)data;
	uint64_t position = debug_position(block_number, packed & ((1U << DEBUG_INDEX_BITS) - 1));

	(void)vcpu;
	for (uint32_t i = 0; i < order.watch_count && fd >= 0; i++) {
		const struct debug_watch *w = &order.watches[i];
		struct debug_event e = { position, DEBUG_WATCH, w->address, w->access };

		if (!(w->access & access) || address >= w->address + w->bytes ||
		    w->address >= address + size)
			continue;
		if (!order.only_notes) {
			pending = e;
			is_armed = true;
		} else if (notes(position) && position < order.until) {
			note = e;
		}
	}
}

void debug_watch_block(struct qemu_plugin_tb *tb)
{
	size_t count = qemu_plugin_tb_n_insns(tb);
	struct block *b = fd >= 0 && count ? malloc(sizeof(*b)) : NULL;

	if (!b)
		return;
	b->first = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));
	b->last = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, count - 1));
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS, b);
	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t packed = (qemu_plugin_insn_vaddr(insn) - b->first) << DEBUG_INDEX_BITS | i;
		void *data = (void *)(uintptr_t)packed;

		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_instruction, QEMU_PLUGIN_CB_R_REGS,
						       data);
		qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, data);
	}
}

/*
 * The time of a stop must not depend on earlier stops: a position that is reached twice must have
 * the same time. So the clock is recorded whenever the guest uses it, not only at stops.
 */
void debug_note_clock(void)
{
	uint64_t time_ns;

	if (fd >= 0)
		plugin_cpu_at(cpu_base(), &time_ns);
}

void debug_reached(void)
{
	uint64_t time_ns;

	if (fd < 0 || order.time_ns == DEBUG_NOWHERE)
		return;
	plugin_cpu_at(cpu_base(), &time_ns);
	is_time = time_ns >= order.time_ns;
	if (is_time)
		is_armed = true;
}
