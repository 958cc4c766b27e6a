/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Protocol between the debugger and the plugin: one message in each direction per stop. A position
 * consists of the number of the executed translation block, counted from the start of the run, and
 * the index of the instruction in it; the same run has the same positions.
 */
#ifndef KTSTR_TRACE_DEBUG_FORMAT_H
#define KTSTR_TRACE_DEBUG_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#define DEBUG_MAX_PLACES 64
#define DEBUG_MAX_WATCHES 8
#define DEBUG_INDEX_BITS 10 /* a block has at most 512 instructions */

static inline uint64_t debug_position(uint64_t block, uint64_t index)
{
	return block << DEBUG_INDEX_BITS | index;
}

/* The first instruction of the run. */
#define DEBUG_BEGINNING (1ULL << DEBUG_INDEX_BITS)
#define DEBUG_NOWHERE UINT64_MAX

/* X(name): first the registers of gdb's x86-64 core feature, in its order. */
/* clang-format off */
#define DEBUG_REGISTERS(X) \
	X(rax) X(rbx) X(rcx) X(rdx) X(rsi) X(rdi) X(rbp) X(rsp) \
	X(r8) X(r9) X(r10) X(r11) X(r12) X(r13) X(r14) X(r15) X(rip) X(eflags) \
	X(cs) X(ss) X(ds) X(es) X(fs) X(gs) \
	X(fs_base) X(gs_base) X(k_gs_base) X(cr0) X(cr2) X(cr3) X(cr4)
/* clang-format on */

enum debug_register {
#define X(name) DEBUG_##name,
	DEBUG_REGISTERS(X)
#undef X
		DEBUG_REGISTER_COUNT,
};

enum { DEBUG_WATCH_READ = 1, DEBUG_WATCH_WRITE = 2 };

struct debug_watch {
	uint64_t address, bytes, access;
};

/* How to continue. */
struct debug_order {
	uint64_t until;	   /* stop at this position */
	uint64_t time_ns;  /* stop when the guest clock reaches it; DEBUG_NOWHERE = never */
	uint64_t step_cpu; /* stop at the next instruction of this CPU (gs_base); 0 = off */
	/* Do not stop at places, watches and steps, but record the last of them before `until`. */
	bool only_notes;
	uint64_t notes_from; /* with only_notes: ignore everything before */
	uint32_t place_count, watch_count;
	uint64_t places[DEBUG_MAX_PLACES]; /* addresses of instructions */
	struct debug_watch watches[DEBUG_MAX_WATCHES];
};

enum debug_reason {
	DEBUG_BEGINS,  /* at the first instruction, waiting for the first order */
	DEBUG_ARRIVED, /* at `until` */
	DEBUG_TIME,
	DEBUG_STEPPED,
	DEBUG_PLACE,
	DEBUG_WATCH, /* after the instruction with the access; in a note: before it */
	DEBUG_INTERRUPTED,
};

struct debug_event {
	uint64_t position; /* 0 = none */
	uint64_t reason, address;
	uint64_t access; /* for DEBUG_WATCH: kind of access of the watch */
};

struct debug_stop {
	struct debug_event event, note;
	uint64_t time_ns, cpu, cpu_base; /* cpu_base: value for step_cpu */
	uint64_t registers[DEBUG_REGISTER_COUNT];
};

/* Memory shared by host and plugin: the host requests the guest to stop soon. */
struct debug_shared {
	volatile uint32_t is_interrupted;
};

#endif
