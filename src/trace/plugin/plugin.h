/* SPDX-License-Identifier: GPL-2.0-only */
/* Interfaces between the parts of the plugin. */
#ifndef KTSTR_TRACE_PLUGIN_H
#define KTSTR_TRACE_PLUGIN_H

#include "trace/format.h"
#include "trace/plugin/qemu_plugin.h"

/* trace_plugin.c: services for the parts: registers and memory of the guest, and records. */

#define PLUGIN_MAX_CPUS 256

/* Register of the argument with this index (from 0), and of a function's result. */
uint64_t plugin_argument(unsigned int index);
uint64_t plugin_result(void);

uint64_t plugin_stack(void);

/* PID of the task that runs on a CPU; 0 = idle, or unknown yet. */
uint32_t plugin_running(uint32_t cpu);

/* Returns whether records at this time are too early to be kept. */
bool plugin_is_early(uint64_t time_ns);

/* Reads a whole file into memory, to be freed; NULL = unreadable. */
void *plugin_read_file(const char *path, size_t *size);

/* Identifies the CPU without reading memory. */
uint64_t plugin_gs_base(void);

/* False = not all of it is mapped. */
bool plugin_read(uint64_t address, void *out, size_t len);

/* The current CPU, below PLUGIN_MAX_CPUS, and its time unless NULL. */
uint32_t plugin_cpu(uint64_t *time_ns);

/* The same for a given gs_base, which differs while the CPU is in user space. */
uint32_t plugin_cpu_at(uint64_t gs, uint64_t *time_ns);

/* The last time that was read: the current one or slightly earlier. */
uint64_t plugin_last_time(void);

uint32_t plugin_pid(uint64_t task);

/* Emits the name of a task, if that was not done yet. */
void plugin_introduce(uint32_t pid, uint64_t task, uint64_t time_ns, uint32_t cpu);

/* PID of a task; emits its name and cgroup if they are new. */
uint32_t plugin_describe(uint64_t task, uint64_t time_ns, uint32_t cpu);

/* Returns whether less than half of the allowed number of records was emitted. */
bool plugin_has_room(void);

/* Value of the argument "NAME=..."; NULL = another argument. */
const char *plugin_value_of(const char *text, const char *name);

/* Parses NAME=NUMBER, hexadecimal; false = another argument. */
bool plugin_take_number(const char *text, const char *name, uint64_t *value);

void plugin_emit(const struct trace_record *r);

/*
 * stops.c: stops for the host: when the guest's counter passes a value, the emulating thread sends
 * a message and waits for the value of the next stop. The guest executes the same instructions as
 * without, so a sim run is not changed.
 */

/*
 * stop_fd=NUMBER: a socket. stop_threads=1: vCPUs are separate threads, as in tcg; then only
 * requests of the guest stop it. stop_watch=1: writes of the kernel may be watched.
 * stop_call=ADDRESS: stop there, too; stop_program=ADDRESS: the same, where BPF programs are loaded
 * and freed. Numbers are hexadecimal. False = another argument.
 */
bool stops_take_argument(const char *text);

/* Returns whether stops were requested. */
bool stops_are_wanted(void);

/* Returns whether vCPUs are threads: no other part of this plugin supports that. */
bool stops_have_threads(void);

/* Called after the last argument. */
void stops_begin(void);

/* The guest has read its counter. */
void stops_reached(uint64_t counter);

/* Called when an instruction is translated: registers a callback if it is one to stop at. */
void stops_watch(struct qemu_plugin_insn *insn, uint64_t address);

/* Number of stops for BPF programs so far. */
uint32_t stops_of_programs(void);

/*
 * blocks.c: counts executed blocks of JITed BPF programs, and the directions of their conditional
 * jumps. The guest executes the same instructions as without.
 */

/* blocks_fd=NUMBER, hexadecimal: memory for a struct trace_blocks. False = another argument. */
bool blocks_take_argument(const char *text);

/* Called when a block is translated. */
void blocks_watch(struct qemu_plugin_tb *tb);

/* fields.c: reads fields from guest memory; each access costs a page table walk. */

/* Fields of the struct at this address; unreadable ones are 0, behind a pointer all ones. */
void fields_read(uint64_t base, const struct trace_function_field *fields, size_t count,
		 uint64_t *values);

/*
 * functions.c: records kernel functions from entry to return: arguments, fields of the structs that
 * they point to, before and after, and the result. A return is detected at the return address with
 * the matching stack pointer, so it does not matter whether a function ends with a tail call,
 * sleeps, migrates, or is entered again by an interrupt.
 */

/* functions=FILE of struct trace_function. False = another argument. */
bool functions_take_argument(const char *text);

/* Called when a block is translated: it may start at a return address. */
void functions_watch_block(struct qemu_plugin_tb *tb);

/* Called when an instruction of the kernel is translated: a function may start there. */
void functions_watch(struct qemu_plugin_insn *insn, uint64_t address);

/*
 * programs.c: records BPF programs of a scheduler that run on behalf of a task: arguments, fields
 * of the task before and after, and executed source lines. The host knows their addresses from an
 * earlier run with the same seed.
 */

/*
 * places=FILE of struct trace_place; pid=NUMBER: if room is short only on its behalf, except after
 * near=TIME; field=OFFSET:BYTES[:OFFSET]: of a task, the second offset behind a pointer. Numbers
 * are hexadecimal. False = another argument.
 */
bool programs_take_argument(const char *text);

/* Returns whether pid is not the traced task, and the time is not near the end. */
bool programs_are_of_others(uint32_t pid, uint64_t time_ns);

/*
 * Called when an instruction of the kernel is translated: a program or a line may start or end
 * there.
 */
void programs_watch(struct qemu_plugin_insn *insn, uint64_t address);

/*
 * window.c: for a run in which one task waited too long at an unknown time: keeps only the records
 * of its longest wait. The last records are kept in memory, and written at the end of a wait that
 * is longer than all before. So the length of the run does not matter.
 */

/*
 * window=NANOSECONDS to keep before a wait, window_pid=NUMBER: the task. Numbers are hexadecimal.
 * False = another argument.
 */
bool window_take_argument(const char *text);

bool window_is_wanted(void);

/* Adds a record; all records with names are kept. fd: the trace file. */
void window_take(const struct trace_record *r, int fd);

/* Returns whether there is plenty of room for the current wait. */
bool window_has_room(void);

/* End of the run, and of a wait. */
void window_finish(int fd);

/*
 * debug.c: stops for a debugger (trace/debug_format.h), at any instruction. Nothing is written into
 * the guest: every instruction is preceded by a callback, which returns at once unless its block
 * may contain a stop. (Conditional callbacks of QEMU 10.0 would be faster, but before every
 * instruction they break x86 guests.) Memory callbacks are always registered, whether accesses are
 * watched or not: QEMU splits blocks by the size of the generated code, so only runs with the same
 * callbacks have the same positions. The guest executes the same instructions as without.
 */

/*
 * debug_fd=NUMBER: a socket; debug_shared=NUMBER: memory for a struct debug_shared. Numbers are
 * hexadecimal. False = another argument.
 */
bool debug_take_argument(const char *text);

bool debug_is_wanted(void);

/* Takes the handles of a vCPU's registers. */
void debug_take_registers(GArray *all);

/* Called when a block is translated. */
void debug_watch_block(struct qemu_plugin_tb *tb);

/* The guest is about to read its counter again: records how far its clock was ahead of it. */
void debug_note_clock(void);

/* The guest has read its counter. */
void debug_reached(void);

#endif
