// SPDX-License-Identifier: GPL-2.0-only
/* BPF programs on scheduling events, which spin in virtual time. */
#include "guest/order.h"

#include "base/bpf_call.h"
#include "base/btf.h"
#include "guest/bpf_code.h"
#include "guest/parts.h"

#define KERNEL_SYMBOLS "/proc/kallsyms"
#define SCHEDULER_CALLS "scx_bpf_" /* prefix of the functions that a sched_ext scheduler calls */
#define MAX_CPUS 256
#define SEEN_PIDS 4096 /* a power of two */
#define WALK_ONE_IN 4
#define WALK_NS 300000
#define PRIORITY_WAIT_NS 300000
#define LONGEST_HOLD_NS 4000000
#define LOWEST_OF_TASKS 256 /* lower priorities are those of changed tasks */

/* Shared by all programs; the map's only value. */
struct order_state {
	uint64_t random, events;
	uint64_t change[ORDER_MAX_DEPTH - 1]; /* number of an event; 0 = none */
	uint64_t hold_ns[ORDER_MAX_DEPTH - 1];
	uint64_t lowered[ORDER_MAX_DEPTH - 1]; /* pid of the changed task */
	uint64_t running[MAX_CPUS];	       /* priority of the running task; 0 = idle */
	uint8_t seen[SEEN_PIDS];
};

#define AT(member) ((int16_t)offsetof(struct order_state, member))

/* R6 and up are preserved across calls. */
#define STATE BPF_REG_6
#define PID BPF_REG_7
#define PRIORITY BPF_REG_8
#define UNTIL BPF_REG_9
#define FRAME BPF_REG_10
#define READ_AT (-8)  /* offset in the frame */
#define IS_HELD (-16) /* hold even if no task of a higher priority runs */

enum event { EVENT_SWITCH, EVENT_WAKING, EVENT_CALL };

static int state_fd = -1;

/* ---- the programs ---- */

/* Loads the pid of the task that the given argument points to. */
static void add_task_pid(struct bpf_code *c, unsigned int argument, uint32_t pid_offset)
{
	bpf_code_add(c, LOAD(BPF_REG_3, BPF_REG_1, (int16_t)(argument * 8)));
	bpf_code_add(c, ADD_NUMBER(BPF_REG_3, (int32_t)pid_offset));
	bpf_code_add(c, MOVE(BPF_REG_1, FRAME));
	bpf_code_add(c, ADD_NUMBER(BPF_REG_1, READ_AT));
	bpf_code_add(c, SET(BPF_REG_2, sizeof(uint32_t)));
	bpf_code_add(c, CALL(BPF_FUNC_probe_read_kernel));
	bpf_code_add(c, LOAD_U32(PID, FRAME, READ_AT));
}

static void add_pid(struct bpf_code *c, enum event event, uint32_t pid_offset)
{
	bpf_code_add(c, SET(BPF_REG_0, 0));
	bpf_code_add(c, STORE(FRAME, BPF_REG_0, READ_AT));
	bpf_code_add(c, STORE(FRAME, BPF_REG_0, IS_HELD));
	if (event == EVENT_SWITCH) {
		add_task_pid(c, 2, pid_offset); /* preempt, prev, next */
	} else if (event == EVENT_WAKING) {
		add_task_pid(c, 0, pid_offset);
	} else {
		bpf_code_add(c, CALL(BPF_FUNC_get_current_pid_tgid));
		bpf_code_add(c, MOVE(PID, BPF_REG_0));
		bpf_code_add(c, LEFT(PID, 32));
		bpf_code_add(c, RIGHT(PID, 32));
	}
}

/* Leaves the number of the event in R1. */
static void add_count(struct bpf_code *c)
{
	bpf_code_add(c, MOVE(BPF_REG_1, PID));
	bpf_code_add(c, AND(BPF_REG_1, SEEN_PIDS - 1));
	bpf_code_add(c, MOVE(BPF_REG_2, STATE));
	bpf_code_add(c, ADD(BPF_REG_2, BPF_REG_1));
	bpf_code_add(c, STORE_BYTE(BPF_REG_2, 1, AT(seen)));
	bpf_code_add(c, SET(BPF_REG_1, 1));
	bpf_code_add(c, FETCH_ADD(STATE, BPF_REG_1, AT(events)));
	bpf_code_add(c, ADD_NUMBER(BPF_REG_1, 1));
}

/* A pid has the same priority throughout a run; the seed decides which of two is higher. */
static void add_priority(struct bpf_code *c, uint64_t seed)
{
	bpf_code_add(c, MOVE(PRIORITY, PID));
	bpf_code_add(c, ADD_NUMBER(PRIORITY, (int32_t)(seed_next(&seed) >> 33)));
	for (int i = 0; i < 2; i++) {
		bpf_code_add(c, MULTIPLY(PRIORITY, (int32_t)(seed_next(&seed) >> 33 | 1)));
		bpf_code_add(c, MOVE(BPF_REG_2, PRIORITY));
		bpf_code_add(c, RIGHT(BPF_REG_2, 17));
		bpf_code_add(c, XOR(PRIORITY, BPF_REG_2));
	}
	bpf_code_add(c, LEFT(PRIORITY, 33));
	bpf_code_add(c, RIGHT(PRIORITY, 33));
	bpf_code_add(c, ADD_NUMBER(PRIORITY, LOWEST_OF_TASKS));
}

/* The last change of a task counts; each change is below all initial priorities. */
static void add_changes(struct bpf_code *c, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		size_t is_other_event, is_other_task;

		bpf_code_add(c, LOAD(BPF_REG_2, STATE, AT(change[i])));
		is_other_event = bpf_code_add(c, UNLESS_EQUAL(BPF_REG_1, BPF_REG_2, 0));
		bpf_code_add(c, STORE(STATE, PID, AT(lowered[i])));
		bpf_code_add(c, LOAD(UNTIL, STATE, AT(hold_ns[i])));
		bpf_code_add(c, STORE(FRAME, BPF_REG_1, IS_HELD));
		bpf_code_land(c, is_other_event);
		bpf_code_add(c, LOAD(BPF_REG_2, STATE, AT(lowered[i])));
		is_other_task = bpf_code_add(c, UNLESS_EQUAL(PID, BPF_REG_2, 0));
		bpf_code_add(c, SET(PRIORITY, (int32_t)i + 1));
		bpf_code_land(c, is_other_task);
	}
}

/* Stores the register in running[this CPU]. */
static void add_running(struct bpf_code *c, int reg)
{
	bpf_code_add(c, CALL(BPF_FUNC_get_smp_processor_id));
	bpf_code_add(c, AND(BPF_REG_0, MAX_CPUS - 1));
	bpf_code_add(c, LEFT(BPF_REG_0, 3));
	bpf_code_add(c, MOVE(BPF_REG_1, STATE));
	bpf_code_add(c, ADD(BPF_REG_1, BPF_REG_0));
	bpf_code_add(c, STORE(BPF_REG_1, reg, AT(running)));
}

/* Spins until the time in UNTIL has passed, or until no task of a higher priority runs. */
static void add_hold(struct bpf_code *c, unsigned int cpus, bool has_priorities)
{
	size_t is_over, look, is_late, is_not_held, is_last, next;

	bpf_code_add(c, CALL(BPF_FUNC_ktime_get_ns));
	bpf_code_add(c, ADD(UNTIL, BPF_REG_0));
	look = is_over = bpf_code_add(c, ENOUGH(0));
	bpf_code_add(c, CALL(BPF_FUNC_ktime_get_ns));
	if (!has_priorities) {
		bpf_code_add_back(c, IF_LESS(BPF_REG_0, UNTIL, 0), look);
		bpf_code_land(c, is_over);
		return;
	}
	is_late = bpf_code_add(c, IF_MORE(BPF_REG_0, UNTIL, 0));
	bpf_code_add(c, LOAD(BPF_REG_1, FRAME, IS_HELD));
	is_not_held = bpf_code_add(c, IF_ZERO(BPF_REG_1, 0));
	bpf_code_add_back(c, GOTO(0), look);
	bpf_code_land(c, is_not_held);
	bpf_code_add(c, LOAD(BPF_REG_1, STATE, AT(random))); /* is 0, unknown to the verifier */
	next = bpf_code_add(c, ENOUGH(0));
	is_last = bpf_code_add(c, IF_AT_LEAST(BPF_REG_1, (int32_t)cpus, 0));
	bpf_code_add(c, MOVE(BPF_REG_2, BPF_REG_1));
	bpf_code_add(c, LEFT(BPF_REG_2, 3));
	bpf_code_add(c, MOVE(BPF_REG_3, STATE));
	bpf_code_add(c, ADD(BPF_REG_3, BPF_REG_2));
	bpf_code_add(c, LOAD(BPF_REG_3, BPF_REG_3, AT(running)));
	bpf_code_add_back(c, IF_MORE(BPF_REG_3, PRIORITY, 0), look);
	bpf_code_add(c, ADD_NUMBER(BPF_REG_1, 1));
	bpf_code_add_back(c, GOTO(0), next);
	bpf_code_land(c, is_over);
	bpf_code_land(c, is_late);
	bpf_code_land(c, next);
	bpf_code_land(c, is_last);
}

static void add_end(struct bpf_code *c)
{
	bpf_code_add(c, SET(BPF_REG_0, 0));
	bpf_code_add(c, EXIT);
}

static void write_walk(struct bpf_code *c)
{
	size_t goes_on;

	bpf_code_add_random(c, BPF_REG_1, BPF_REG_2, STATE, AT(random));
	bpf_code_add(c, MOVE(UNTIL, BPF_REG_1));
	bpf_code_add(c, RIGHT(BPF_REG_1, 48));
	bpf_code_add(c, MODULO(BPF_REG_1, WALK_ONE_IN));
	goes_on = bpf_code_add(c, UNLESS_ZERO(BPF_REG_1, 0));
	bpf_code_add(c, RIGHT(UNTIL, 8));
	bpf_code_add(c, MODULO(UNTIL, WALK_NS));
	add_hold(c, 0, false);
	bpf_code_land(c, goes_on);
}

static void write_pct(struct bpf_code *c, const struct order_options *o, enum event event,
		      unsigned int cpus)
{
	bpf_code_add(c, SET(UNTIL, PRIORITY_WAIT_NS));
	add_priority(c, o->seed);
	add_changes(c, o->depth - 1);
	if (event == EVENT_SWITCH)
		add_running(c, PRIORITY);
	add_hold(c, cpus, true);
}

/* The idle task has no events and no priority. */
static void write_code(struct bpf_code *c, const struct order_options *o, enum event event,
		       uint32_t pid_offset, unsigned int cpus)
{
	bool is_walk = str_eq(o->strategy, ORDER_WALK);
	size_t is_task;

	bpf_code_add_value(c, STATE, state_fd);
	add_pid(c, event, pid_offset);
	is_task = bpf_code_add(c, UNLESS_ZERO(PID, 0));
	if (event == EVENT_SWITCH)
		add_running(c, PID);
	add_end(c);
	bpf_code_land(c, is_task);
	add_count(c);
	if (is_walk)
		write_walk(c);
	else
		write_pct(c, o, event, cpus);
	add_end(c);
}

/* ---- attaching ---- */

static int find_pid_offset(uint32_t *offset)
{
	_str_ struct str bytes = {};
	_btf_ struct btf types = {};
	uint64_t place = 0;
	int rc = file_read_at(AT_FDCWD, BTF_OF_KERNEL, &bytes);

	rc = rc ?: btf_open(&types, bytes.s, bytes.len);
	rc = rc ?: btf_offset(&types, "task_struct.pid", &place);
	*offset = (uint32_t)place;
	return rc;
}

struct names {
	VEC(const char *) items;
};

/* Finds the "ADDRESS t NAME" lines of functions that are not in a module. */
static int find_calls(struct str *symbols, struct names *names)
{
	char *save = NULL;
	int rc = file_read_at(AT_FDCWD, KERNEL_SYMBOLS, symbols);

	for (char *line = rc == 0 ? strtok_r(symbols->s, "\n", &save) : NULL; line && rc == 0;
	     line = strtok_r(NULL, "\n", &save)) {
		char *type = strchr(line, ' ');

		if (type && (type[1] == 't' || type[1] == 'T') &&
		    str_starts(type + 2, " " SCHEDULER_CALLS) && !strpbrk(type + 3, ".\t"))
			rc = vec_push(&names->items, type + 3);
	}
	return rc;
}

static int attach_to_calls(int program, const struct names *names, bool at_return)
{
	union bpf_attr attr = {};
	int rc;

	attr.link_create.prog_fd = (unsigned int)program;
	attr.link_create.attach_type = BPF_TRACE_KPROBE_MULTI;
	attr.link_create.kprobe_multi.flags = at_return ? BPF_F_KPROBE_MULTI_RETURN : 0;
	attr.link_create.kprobe_multi.cnt = (uint32_t)names->items.count;
	attr.link_create.kprobe_multi.syms = (unsigned long)names->items.items;
	rc = bpf_call(BPF_LINK_CREATE, &attr);
	return rc < 0 ? rc : 0; /* left open: the link ends with the process */
}

static int start_calls(const struct order_options *o, unsigned int cpus)
{
	_str_ struct str symbols = {};
	_close_ int program = -1;
	struct bpf_code code = {};
	struct names names = {};
	int rc = find_calls(&symbols, &names);

	write_code(&code, o, EVENT_CALL, 0, cpus);
	if (rc == 0)
		rc = program = bpf_code_load(&code, BPF_PROG_TYPE_KPROBE, "order_call",
					     BPF_TRACE_KPROBE_MULTI);
	if (rc >= 0 && names.items.count)
		rc = attach_to_calls(program, &names, false);
	if (rc >= 0 && names.items.count)
		rc = attach_to_calls(program, &names, true);
	free(names.items.items);
	return MIN(rc, 0);
}

static int start_tracepoint(const struct order_options *o, enum event event, const char *name,
			    uint32_t pid_offset, unsigned int cpus)
{
	_close_ int program = -1;
	struct bpf_code code = {};

	write_code(&code, o, event, pid_offset, cpus);
	program = bpf_code_load(&code, BPF_PROG_TYPE_RAW_TRACEPOINT, name, 0);
	return program < 0 ? program : bpf_attach_tracepoint(program, name);
}

/* ---- the run ---- */

void order_choose_changes(uint64_t seed, uint64_t events, unsigned int count, uint64_t *out)
{
	for (unsigned int i = 0; i < count; i++) {
		bool is_taken;

		do {
			is_taken = false;
			out[i] = events ? 1 + seed_next(&seed) % events : 0;
			for (unsigned int k = 0; k < i; k++)
				is_taken |= out[k] == out[i];
		} while (is_taken && events > count);
	}
}

static void fill_state(struct order_state *s, const struct order_options *o)
{
	uint64_t seed = o->seed ^ 0x6f72646572000000; /* unlike the slice's sequence */

	if (str_eq(o->strategy, ORDER_WALK)) {
		s->random = seed_next(&seed) | 1; /* 0 would stay 0 */
		return;
	}
	order_choose_changes(seed, o->events, o->depth - 1, s->change);
	seed = ~seed;
	for (unsigned int i = 0; i < o->depth - 1; i++)
		s->hold_ns[i] = 1 + seed_next(&seed) % LONGEST_HOLD_NS;
}

static int check(const struct order_options *o)
{
	if (str_eq(o->strategy, ORDER_WALK))
		return 0;
	return str_eq(o->strategy, ORDER_PCT) && o->depth >= 1 && o->depth <= ORDER_MAX_DEPTH ?
		       0 :
		       -EINVAL;
}

int order_start(const struct order_options *o)
{
	_free_ struct order_state *state = NULL;
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint32_t pid_offset;
	int rc = check(o) ?: find_pid_offset(&pid_offset);

	if (rc < 0)
		return rc;
	state = calloc(1, sizeof(*state));
	if (!state)
		return -ENOMEM;
	fill_state(state, o);
	state_fd = bpf_value_make(state, sizeof(*state));
	if (state_fd < 0)
		return state_fd;
	cpus = cpus > 0 && cpus <= MAX_CPUS ? cpus : MAX_CPUS;
	rc = start_tracepoint(o, EVENT_SWITCH, "sched_switch", pid_offset, (unsigned int)cpus);
	if (rc == 0)
		rc = start_tracepoint(o, EVENT_WAKING, "sched_waking", pid_offset,
				      (unsigned int)cpus);
	if (rc == 0 && o->has_scheduler)
		rc = start_calls(o, (unsigned int)cpus);
	return rc;
}

bool order_count(uint64_t *events, uint64_t *tasks)
{
	_free_ struct order_state *state = NULL;

	*events = *tasks = 0;
	if (state_fd < 0)
		return false;
	state = calloc(1, sizeof(*state));
	if (!state || bpf_value_read(state_fd, state) < 0)
		return false;
	*events = state->events;
	for (size_t i = 0; i < SEEN_PIDS; i++)
		*tasks += state->seen[i];
	return true;
}
