/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of the plugin lend to each other. */
#ifndef KTSTR_TRACE_PLUGIN_H
#define KTSTR_TRACE_PLUGIN_H

#include "trace/format.h"
#include "trace/plugin/qemu_plugin.h"

/*
 * trace_plugin.c: What the plugin lends to its parts: registers and memory of the guest, and its
 * records.
 */

#define PLUGIN_MAX_CPUS 256

/* The register of an argument, from 0, and of a function's result. */
uint64_t plugin_argument(unsigned int index);
uint64_t plugin_result(void);

uint64_t plugin_stack(void);

/* The task that runs on a CPU; 0 = it idles, or nobody knows yet. */
uint32_t plugin_running(uint32_t cpu);

/* Whether records of this time are too early to be kept. */
bool plugin_is_early(uint64_t time_ns);

/* All of a file, which is memory to be freed; NULL = it cannot be read. */
void *plugin_read_file(const char *path, size_t *size);

/* What tells CPUs apart without reading memory. */
uint64_t plugin_gs_base(void);

/* False = not all of it is mapped. */
bool plugin_read(uint64_t address, void *out, size_t len);

/* The CPU that executes, below PLUGIN_MAX_CPUS, and the time of its clock unless NULL. */
uint32_t plugin_cpu(uint64_t *time_ns);

/* The same where this is its gs_base, which is another one while it is in user space. */
uint32_t plugin_cpu_at(uint64_t gs, uint64_t *time_ns);

/* The time that was read last: that of now or a moment before. */
uint64_t plugin_last_time(void);

uint32_t plugin_pid(uint64_t task);

/* Tells the name of a task of which nothing was told yet. */
void plugin_introduce(uint32_t pid, uint64_t task, uint64_t time_ns, uint32_t cpu);

/* The pid of a task, whose name has been told then. */
uint32_t plugin_describe(uint64_t task, uint64_t time_ns, uint32_t cpu);

/* Whether less than a half of what may be told has been told. */
bool plugin_has_room(void);

/* What follows the name, "NAME="; NULL = another argument. */
const char *plugin_value_of(const char *text, const char *name);

/* The number of NAME=NUMBER, in hexadecimal; false = another argument. */
bool plugin_take_number(const char *text, const char *name, uint64_t *value);

void plugin_emit(const struct trace_record *r);

/*
 * stops.c: Stops for somebody outside: when the guest's counter passes a value, the thread that
 * emulates it tells so and waits for the value of the next stop. The guest executes the same
 * instructions as without, so that a sim run stays what it was.
 */

/*
 * stop_fd=NUMBER, in hexadecimal: a socket. stop_threads=1: vCPUs are threads of their own, as they
 * are in tcg; only requests of the guest stop it then. stop_watch=1: writes of the kernel may be
 * watched. stop_call=ADDRESS: stop there, too;
 * stop_program=ADDRESS: the same, where BPF programs come and go. False = another argument.
 */
bool stops_take_argument(const char *text);

/* Whether there are any. */
bool stops_are_wanted(void);

/* Whether vCPUs are threads: nothing else in this plugin is prepared for that. */
bool stops_have_threads(void);

/* With the last argument. */
void stops_begin(void);

/* The guest has read its counter. */
void stops_reached(uint64_t counter);

/* An instruction is translated: it may be one to stop at. */
void stops_watch(struct qemu_plugin_insn *insn, uint64_t address);

/* How often it has stopped for a BPF program. */
uint32_t stops_of_programs(void);

/*
 * blocks.c: Which blocks of JITed BPF programs are executed, and which way their conditional jumps
 * go. The guest executes the same instructions as without.
 */

/* blocks_fd=NUMBER, in hexadecimal: memory for a struct trace_blocks. False = another argument. */
bool blocks_take_argument(const char *text);

/* A block is translated. */
void blocks_watch(struct qemu_plugin_tb *tb);

/*
 * fields.c: Values of fields out of the guest's memory, of which each look at it costs a walk
 * through tables.
 */

/* Of the struct at this address; what cannot be read is 0, behind a pointer all ones. */
void fields_read(uint64_t base, const struct trace_function_field *fields, size_t count,
		 uint64_t *values);

/*
 * functions.c: Functions of the kernel from their entry to their return: arguments, fields of the
 * structs that they point to, before and after, and the result. A return is seen where a function
 * returns to, with the stack pointer that belongs to it, so that it does not matter whether a
 * function jumps to another one at its end, sleeps, goes on elsewhere, or is entered again by an
 * interrupt.
 */

/* functions=FILE of struct trace_function. False = another argument. */
bool functions_take_argument(const char *text);

/* A block is translated: calls may return to where it begins. */
void functions_watch_block(struct qemu_plugin_tb *tb);

/* An instruction of the kernel is translated: a function may begin there. */
void functions_watch(struct qemu_plugin_insn *insn, uint64_t address);

/*
 * programs.c: BPF programs of a scheduler as they run on behalf of a task: their arguments, fields
 * of the task before and after, and which lines of their sources they went through. Where they are
 * the host has found out in an earlier run of the same seed.
 */

/*
 * places=FILE of struct trace_place; pid=NUMBER: only on its behalf where there is not much
 * room, unless after near=TIME;
 * field=OFFSET:BYTES[:OFFSET]: of a task, with the second one behind a pointer. Numbers are
 * hexadecimal. False = another argument.
 */
bool programs_take_argument(const char *text);

/* Whether this is not the task whose story it is, and not near the end of it either. */
bool programs_are_of_others(uint32_t pid, uint64_t time_ns);

/* An instruction of the kernel is translated: a program or a line may begin there, or end. */
void programs_watch(struct qemu_plugin_insn *insn, uint64_t address);

/*
 * window.c: Of a run in which one task waited too long, nobody knows when, only the records of its
 * longest wait: the last ones are kept in memory, and written when a wait is over that is longer
 * than those before. However long the run is, this is what is wanted of it.
 */

/*
 * window=NANOSECONDS before a wait that belong to it, window_pid=NUMBER: whose wait. Numbers are
 * hexadecimal. False = another argument.
 */
bool window_take_argument(const char *text);

bool window_is_wanted(void);

/* A record of this run, of which those that are names are kept all; fd: the file of the trace. */
void window_take(const struct trace_record *r, int fd);

/* Whether there is a lot of room for the wait that goes on. */
bool window_has_room(void);

/* The run is over, a wait with it. */
void window_finish(int fd);

/*
 * debug.c: Stops for a debugger (trace/debug_format.h), at any instruction. Nothing is written into
 * the guest: every instruction has a call in front of it, which returns at once unless there may be
 * a stop in its block. (Conditional calls of QEMU 10.0 would be faster, but in front of every
 * instruction they break x86 guests.) Accesses to memory are told always, whether they are watched
 * or not: QEMU cuts blocks by the code that they become, so that only runs with the same calls have
 * the same positions. The guest executes the same instructions as without.
 */

/*
 * debug_fd=NUMBER: a socket; debug_shared=NUMBER: memory for a struct debug_shared. Numbers are
 * hexadecimal. False = another argument.
 */
bool debug_take_argument(const char *text);

bool debug_is_wanted(void);

/* What a vCPU has. */
void debug_take_registers(GArray *all);

/* A block is translated. */
void debug_watch_block(struct qemu_plugin_tb *tb);

/* The guest is about to read its counter again: how far its clock was ahead of it is told now. */
void debug_note_clock(void);

/* The guest has read its counter. */
void debug_reached(void);

#endif
