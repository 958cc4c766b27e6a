// SPDX-License-Identifier: GPL-2.0-only
/* Callbacks for start, lines, and end of BPF programs. */
#include "trace/plugin/plugin.h"

#include <stdlib.h>

#define MAX_FIELDS 16
#define MAX_LINES 1024	/* per call */
#define LEAVE_CODE 0xc9 /* "leave": only where a program returns */

static struct trace_place *places;
static size_t place_count;
static uint64_t wanted_pid, near_ns;

static struct trace_function_field fields[MAX_FIELDS];
static size_t field_count;

/* The current call on each CPU; a nested call replaces it. */
static struct {
	bool is_active;
	bool is_in_program; /* also in one that is not recorded */
	uint32_t place, pid, lines, last_line;
	uint64_t task, values[MAX_FIELDS]; /* task: whose fields are recorded, or 0 */
} inside[PLUGIN_MAX_CPUS];
static unsigned int active_count; /* CPUs in a call; usually 0, when lines need not be recorded */

static bool take_places(const char *path)
{
	size_t size;

	places = plugin_read_file(path, &size);
	place_count = places ? size / sizeof(*places) : 0;
	return places;
}

static bool take_field(const char *text)
{
	struct trace_function_field f = {};
	char *end;

	if (field_count == MAX_FIELDS)
		return false;
	f.offset = (uint32_t)strtoul(text, &end, 16);
	if (*end != ':')
		return false;
	f.bytes = (uint8_t)strtoul(end + 1, &end, 16);
	if (*end == ':') {
		f.is_pointer = true;
		f.behind = (uint32_t)strtoul(end + 1, &end, 16);
	}
	fields[field_count++] = f;
	return !*end && f.bytes <= sizeof(uint64_t);
}

bool programs_take_argument(const char *text)
{
	const char *value;

	if ((value = plugin_value_of(text, "places=")))
		return take_places(value);
	if ((value = plugin_value_of(text, "field=")))
		return take_field(value);
	return plugin_take_number(text, "pid=", &wanted_pid) ||
	       plugin_take_number(text, "near=", &near_ns);
}

bool programs_are_of_others(uint32_t pid, uint64_t time_ns)
{
	return wanted_pid && pid != wanted_pid && time_ns < near_ns;
}

static void emit(uint16_t type, uint32_t cpu, uint64_t time, uint32_t value, uint64_t number)
{
	plugin_emit(&(struct trace_record){ .time_ns = time,
					    .type = type,
					    .cpu = (uint16_t)cpu,
					    .pid = inside[cpu].pid,
					    .value = value,
					    .number = number });
}

static void set_active(uint32_t cpu, bool is_active)
{
	active_count += is_active - inside[cpu].is_active;
	inside[cpu].is_active = is_active;
}

/* Starts recording a call. */
static void begin(uint32_t cpu, uint32_t place, uint32_t pid, uint64_t task, uint64_t time)
{
	set_active(cpu, true);
	inside[cpu].place = place;
	inside[cpu].task = task;
	inside[cpu].pid = pid;
	inside[cpu].lines = 0;
	inside[cpu].last_line = UINT32_MAX;
	emit(TRACE_ENTER, cpu, time, place, 0);
}

/* data = the place. struct_ops programs get the address of their arguments. */
static void on_enter(unsigned int vcpu, void *data)
{
	const struct trace_place *p = &places[(uintptr_t)data];
	uint64_t arguments[TRACE_MAX_ARGUMENTS] = {}, task = 0, time;
	uint32_t cpu = plugin_cpu(&time), pid;
	bool is_of_other;

	(void)vcpu;
	set_active(cpu, false);
	inside[cpu].is_in_program = true;
	if (!plugin_read(plugin_argument(0), arguments, p->arguments * sizeof(arguments[0])))
		return;
	if (p->task_argument < p->arguments)
		task = arguments[p->task_argument];
	pid = task ? plugin_pid(task) : 0;
	is_of_other = programs_are_of_others(pid, time);
	if (is_of_other && (!p->is_for_all || !plugin_has_room()))
		return;
	if (task)
		plugin_introduce(pid, task, time, cpu);
	begin(cpu, (uint32_t)(uintptr_t)data, pid, is_of_other ? 0 : task, time);
	for (uint32_t i = 0; i < p->arguments; i++)
		emit(TRACE_ARGUMENT, cpu, time, i, arguments[i]);
	if (!inside[cpu].task)
		return;
	fields_read(task, fields, field_count, inside[cpu].values);
	for (uint32_t i = 0; i < field_count; i++)
		emit(TRACE_FIELD, cpu, time, i, inside[cpu].values[i]);
}

static void on_line(unsigned int vcpu, void *data)
{
	uint32_t cpu, line = (uint32_t)(uintptr_t)data;
	uint64_t time;

	(void)vcpu;
	if (!active_count)
		return;
	cpu = plugin_cpu(NULL);
	if (!inside[cpu].is_active || line == inside[cpu].last_line ||
	    inside[cpu].lines == MAX_LINES)
		return;
	plugin_cpu(&time);
	inside[cpu].lines++;
	inside[cpu].last_line = line;
	emit(TRACE_LINE, cpu, time, line, 0);
}

static void on_leave(unsigned int vcpu, void *data)
{
	uint64_t time, values[MAX_FIELDS] = {};
	uint32_t cpu = plugin_cpu(&time);

	(void)vcpu;
	if (places[(uintptr_t)data].kind == TRACE_PLACE_PROGRAM)
		inside[cpu].is_in_program = false;
	if (!inside[cpu].is_active || inside[cpu].place != (uintptr_t)data)
		return;
	emit(TRACE_LEAVE, cpu, time, inside[cpu].place, plugin_result());
	if (inside[cpu].task)
		fields_read(inside[cpu].task, fields, field_count, values);
	for (uint32_t i = 0; inside[cpu].task && i < field_count; i++)
		if (values[i] != inside[cpu].values[i])
			emit(TRACE_FIELD, cpu, time, i, values[i]);
	set_active(cpu, false);
}

/* The first place at or after this address. */
static size_t find_place(uint64_t address)
{
	size_t low = 0, high = place_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (places[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The program or subprogram that contains this instruction; place_count = none. */
static size_t find_program(uint64_t address)
{
	for (size_t i = 0; i < place_count; i++)
		if (places[i].kind != TRACE_PLACE_LINE &&
		    address - places[i].address < places[i].bytes)
			return i;
	return place_count;
}

/*
 * data = the place of a subprogram. Usually its program calls it, directly or through a helper. If
 * there is no program, a timer or work queue of the scheduler calls it, for no task.
 */
static void on_callback(unsigned int vcpu, void *data)
{
	uint64_t caller = 0, time;
	uint32_t cpu = plugin_cpu(NULL);

	(void)vcpu;
	if (inside[cpu].is_in_program || !plugin_read(plugin_stack(), &caller, sizeof(caller)) ||
	    find_program(caller) < place_count)
		return;
	plugin_cpu(&time);
	if (!programs_are_of_others(0, time))
		begin(cpu, (uint32_t)(uintptr_t)data, 0, 0, time);
}

void programs_watch(struct qemu_plugin_insn *insn, uint64_t address)
{
	static void (*const handlers[])(unsigned int vcpu, void *data) = {
		[TRACE_PLACE_PROGRAM] = on_enter,
		[TRACE_PLACE_CALLBACK] = on_callback,
		[TRACE_PLACE_LINE] = on_line,
	};
	uint8_t code = 0;
	size_t program;

	if (!place_count || address < places[0].address)
		return;
	for (size_t i = find_place(address); i < place_count && places[i].address == address; i++)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, handlers[places[i].kind],
						       QEMU_PLUGIN_CB_R_REGS, (void *)(uintptr_t)i);
	if (qemu_plugin_insn_size(insn) != 1 || qemu_plugin_insn_data(insn, &code, 1) != 1 ||
	    code != LEAVE_CODE)
		return;
	program = find_program(address);
	if (program < place_count)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_leave, QEMU_PLUGIN_CB_R_REGS,
						       (void *)(uintptr_t)program);
}
