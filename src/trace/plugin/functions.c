// SPDX-License-Identifier: GPL-2.0-only
/* Open calls are kept by stack: calls below the stack pointer of a later one have ended. */
#include "trace/plugin/plugin.h"

#define STACKS 512 /* with open calls */
#define TRIES 8	   /* slots to try for a stack in the hash table */
#define MAX_DEPTH 32
#define STACK_SHIFT 14 /* 16 KiB, aligned */
#define SITES 4096     /* a power of two */
#define BEFORE 7       /* bytes of the longest call instruction */

struct call {
	uint64_t slot, back; /* address of the return address, and its value */
	uint64_t arguments[TRACE_MAX_ARGUMENTS], values[TRACE_MAX_FIELDS];
	uint32_t number, function, pid;
};

struct stack {
	uint64_t id, used;
	size_t count;
	struct call calls[MAX_DEPTH]; /* the innermost is the last one */
};

static struct trace_function *functions;
static size_t function_count;
static struct stack stacks[STACKS];
static uint64_t uses;
static uint32_t call_count;
static uint16_t open_at[SITES]; /* number of open calls by hash of the return address */

static bool are_sound(void)
{
	for (size_t i = 0; i < function_count; i++) {
		const struct trace_function *f = &functions[i];

		if (f->arguments > TRACE_MAX_ARGUMENTS || f->field_count > TRACE_MAX_FIELDS)
			return false;
		for (size_t k = 0; k < f->field_count; k++)
			if (f->fields[k].argument >= f->arguments ||
			    f->fields[k].bytes > sizeof(uint64_t))
				return false;
	}
	return true;
}

bool functions_take_argument(const char *text)
{
	const char *path = plugin_value_of(text, "functions=");
	size_t size = 0;

	if (!path)
		return false;
	functions = plugin_read_file(path, &size);
	function_count = size / sizeof(*functions);
	return functions && function_count <= TRACE_MAX_FUNCTIONS && are_sound();
}

static uint16_t *site_of(uint64_t address)
{
	return &open_at[(address ^ address >> 12) % SITES];
}

/* ---- records ---- */

struct call_moment {
	uint64_t time_ns;
	uint32_t cpu;
};

static void emit(const struct call *c, const struct call_moment *m, uint16_t type, uint32_t value,
		 uint64_t number)
{
	plugin_emit(&(struct trace_record){ .time_ns = m->time_ns,
					    .type = type,
					    .cpu = (uint16_t)m->cpu,
					    .pid = c->pid,
					    .arg = c->number,
					    .value = value,
					    .number = number });
}

/* Fields of the same argument are adjacent. */
static void read_fields(const struct call *c, uint64_t *values)
{
	const struct trace_function *f = &functions[c->function];

	for (size_t i = 0, end; i < f->field_count; i = end) {
		for (end = i;
		     end < f->field_count && f->fields[end].argument == f->fields[i].argument;)
			end++;
		fields_read(c->arguments[f->fields[i].argument], f->fields + i, end - i,
			    values + i);
	}
}

static void tell_entry(struct call *c, const struct call_moment *m)
{
	const struct trace_function *f = &functions[c->function];

	emit(c, m, TRACE_ENTER, c->function, 0);
	for (uint32_t i = 0; i < f->arguments; i++)
		emit(c, m, TRACE_ARGUMENT, i, c->arguments[i]);
	read_fields(c, c->values);
	for (uint32_t i = 0; i < f->field_count; i++)
		emit(c, m, TRACE_FIELD, i, c->values[i]);
}

static void tell_return(const struct call *c, const struct call_moment *m)
{
	const struct trace_function *f = &functions[c->function];
	uint64_t values[TRACE_MAX_FIELDS] = {};

	emit(c, m, TRACE_LEAVE, c->function, plugin_result());
	read_fields(c, values);
	for (uint32_t i = 0; i < f->field_count; i++)
		if (values[i] != c->values[i])
			emit(c, m, TRACE_FIELD, i, values[i]);
}

/* ---- open calls ---- */

/* is_seen: it returns here; else its end was not seen. */
static void close_innermost(struct stack *s, const struct call_moment *m, bool is_seen)
{
	const struct call *c = &s->calls[--s->count];

	(*site_of(c->back))--;
	if (is_seen)
		tell_return(c, m);
	else
		emit(c, m, TRACE_LEAVE, TRACE_UNSEEN, 0);
}

static struct call *innermost(struct stack *s)
{
	return s->count ? &s->calls[s->count - 1] : NULL;
}

/* NULL = no open calls on this stack. */
static struct stack *find_stack(uint64_t slot)
{
	uint64_t id = slot >> STACK_SHIFT;

	for (uint64_t i = 0; i < TRIES; i++) {
		struct stack *s = &stacks[(id + i) % STACKS];

		if (s->count && s->id == id)
			return s;
	}
	return NULL;
}

/* Uses a free slot, or replaces the least recently used stack. */
static struct stack *new_stack(uint64_t slot, const struct call_moment *m)
{
	uint64_t id = slot >> STACK_SHIFT;
	struct stack *best = NULL;

	for (uint64_t i = 0; i < TRIES; i++) {
		struct stack *s = &stacks[(id + i) % STACKS];

		if (!best || !s->count || (best->count && s->used < best->used))
			best = s;
	}
	while (best->count)
		close_innermost(best, m, false);
	best->id = id;
	return best;
}

/* Closes calls that must have ended, given the stack pointer. */
static void drop_below(struct stack *s, uint64_t slot, const struct call_moment *m)
{
	while (innermost(s) && innermost(s)->slot < slot)
		close_innermost(s, m, false);
}

/* Returns whether the previous call made a tail call to this one: both return together. */
static bool has_jumped(const struct call *before, const struct call *c)
{
	return before->slot == c->slot && before->back == c->back &&
	       before->function != c->function;
}

static void open_call(struct call *c, const struct call_moment *m)
{
	struct stack *s = find_stack(c->slot);

	if (!s)
		s = new_stack(c->slot, m);
	drop_below(s, c->slot, m);
	while (innermost(s) && innermost(s)->slot == c->slot && !has_jumped(innermost(s), c))
		close_innermost(s, m, false);
	if (s->count == MAX_DEPTH)
		return;
	s->used = ++uses;
	c->number = ++call_count;
	tell_entry(c, m);
	s->calls[s->count++] = *c;
	(*site_of(c->back))++;
}

/* ---- executing ---- */

/* Task on whose behalf the function runs; false = not the traced task. */
static bool find_task(const struct trace_function *f, uint64_t *task, uint32_t *pid)
{
	uint32_t cpu = plugin_cpu(NULL);

	*task = f->task_argument < f->arguments ? plugin_argument(f->task_argument) : 0;
	*pid = *task ? plugin_pid(*task) : plugin_running(cpu);
	return !programs_are_of_others(*pid, plugin_last_time());
}

/* data = the function. Most calls are for other tasks. */
static void on_enter(unsigned int vcpu, void *data)
{
	struct call c = { .function = (uint32_t)(uintptr_t)data };
	const struct trace_function *f = &functions[c.function];
	struct call_moment m;
	uint64_t task;

	(void)vcpu;
	if (plugin_is_early(plugin_last_time()) || !find_task(f, &task, &c.pid))
		return;
	m.cpu = plugin_cpu(&m.time_ns);
	c.slot = plugin_stack();
	if (!plugin_read(c.slot, &c.back, sizeof(c.back)))
		return;
	for (unsigned int i = 0; i < f->arguments; i++)
		c.arguments[i] = plugin_argument(i);
	if (task)
		plugin_introduce(c.pid, task, m.time_ns, m.cpu);
	open_call(&c, &m);
}

/* data = the address. */
static void on_site(unsigned int vcpu, void *data)
{
	uint64_t back = (uintptr_t)data, slot;
	struct stack *s;
	struct call_moment m;

	(void)vcpu;
	if (!*site_of(back))
		return;
	slot = plugin_stack() - sizeof(uint64_t);
	s = find_stack(slot);
	if (!s)
		return;
	m.cpu = plugin_cpu(&m.time_ns);
	drop_below(s, slot, &m);
	while (innermost(s) && innermost(s)->slot == slot && innermost(s)->back == back)
		close_innermost(s, &m, true);
}

/* ---- translating ---- */

/* Returns whether the bytes before an address look like a call: e8, or ff with /2. */
static bool follows_call(uint64_t address)
{
	static const unsigned int lengths[] = { 2, 3, 4, 6, 7 };
	uint8_t code[BEFORE];

	if (!plugin_read(address - BEFORE, code, sizeof(code)) || code[BEFORE - 5] == 0xe8)
		return true;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		const uint8_t *at = code + BEFORE - lengths[i];

		if (at[0] == 0xff && (at[1] >> 3 & 7) == 2)
			return true;
	}
	return false;
}

/* A call ends its block, so its return address starts one. */
void functions_watch_block(struct qemu_plugin_tb *tb)
{
	struct qemu_plugin_insn *first;
	uint64_t address;

	if (!function_count || !qemu_plugin_tb_n_insns(tb))
		return;
	first = qemu_plugin_tb_get_insn(tb, 0);
	address = qemu_plugin_insn_vaddr(first);
	if (address >> 63 && follows_call(address))
		qemu_plugin_register_vcpu_insn_exec_cb(first, on_site, QEMU_PLUGIN_CB_R_REGS,
						       (void *)(uintptr_t)address);
}

void functions_watch(struct qemu_plugin_insn *insn, uint64_t address)
{
	for (size_t i = 0; i < function_count && functions[i].address <= address; i++)
		if (functions[i].address == address)
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, on_enter, QEMU_PLUGIN_CB_R_REGS, (void *)(uintptr_t)i);
}
