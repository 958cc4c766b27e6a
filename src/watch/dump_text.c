// SPDX-License-Identifier: GPL-2.0-only
/* Queues, tasks and programs as text. Missing data is omitted. */
#include "watch/parts.h"

const struct dump_limits dump_brief = {
	.tasks = 16, .values = 8, .variables = 64, .columns = 400, .bytes = 1U << 20
};
const struct dump_limits dump_whole = { SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX };

/* Appends " slice=7ns" if the member is a number. */
static void add_number(const struct json_node *n, const char *key, const char *label,
		       const char *unit, struct str *out)
{
	uint64_t value;

	if (json_get_u64(n, key, &value))
		str_addf(out, " %s%" PRIu64 "%s", label, value, unit);
}

/* The same with its own name: " weight=100". */
static void add_named_number(const struct json_node *n, const char *key, struct str *out)
{
	uint64_t value;

	if (json_get_u64(n, key, &value))
		str_addf(out, " %s=%" PRIu64, key, value);
}

static void add_text(const struct json_node *n, const char *key, struct str *out)
{
	const char *text = json_get_text(n, key);

	if (text) {
		str_addc(out, ' ');
		dump_add_string(out, text);
	}
}

static void add_task_name(const struct json_node *task, struct str *out)
{
	uint64_t pid;

	json_get_u64(task, "pid", &pid);
	dump_add_string(out, json_get_text(task, "comm"));
	str_addf(out, ":%" PRIu64, pid);
}

#define DSQ_GLOBAL 0x8000000000000001 /* SCX_DSQ_GLOBAL */
#define DSQ_LOCAL 0x8000000000000002  /* SCX_DSQ_LOCAL */

/* Appends the name of a DSQ, as in the list of queues. */
static void add_dsq(uint64_t id, struct str *out)
{
	if (id == DSQ_LOCAL || id == DSQ_GLOBAL)
		str_add(out, id == DSQ_LOCAL ? "local DSQ" : "global DSQ");
	else
		str_addf(out, "DSQ 0x%" PRIx64, id);
}

/* Appends where a task is, if it is not listed below its queue. */
static void add_place(const struct json_node *task, struct str *out)
{
	const char *state = json_get_text(task, "state");
	uint64_t id;

	if (state && str_eq(state, "running")) {
		str_add(out, " runs");
	} else if (state && str_eq(state, "moving")) {
		str_add(out, " between CPUs");
	} else if (json_get_u64(task, "dsq", &id)) {
		str_add(out, " in ");
		add_dsq(id, out);
	}
}

static void add_task_facts(const struct json_node *task, bool has_vtime, struct str *out)
{
	uint64_t wait_ns;

	if (json_get_u64(task, "wait_ns", &wait_ns))
		str_addf(out, " waited %.1fms", (double)wait_ns / NSEC_PER_MSEC);
	if (has_vtime)
		add_named_number(task, "vtime", out);
	add_number(task, "slice_ns", "slice=", "ns", out);
	add_named_number(task, "weight", out);
	add_number(task, "cpu", "cpu", " of", out);
	add_text(task, "cpus", out);
	add_text(task, "cgroup", out);
	str_addc(out, '\n');
}

/* is_listed: in the list of all tasks, not below its queue. */
static void add_task(const struct json_node *task, bool has_vtime, bool is_listed, struct str *out)
{
	str_add(out, "  ");
	add_task_name(task, out);
	if (is_listed)
		add_place(task, out);
	add_task_facts(task, has_vtime, out);
}

static bool is_user_queue(const struct json_node *queue)
{
	const char *kind = json_get_text(queue, "kind");

	return kind && str_eq(kind, "user");
}

static void add_queue_name(const struct json_node *queue, struct str *out)
{
	uint64_t number;

	if (is_user_queue(queue)) {
		json_get_u64(queue, "id", &number);
		str_addf(out, "DSQ 0x%" PRIx64, number);
	} else if (json_get_u64(queue, "cpu", &number)) {
		str_addf(out, "local DSQ of cpu%" PRIu64, number);
	} else {
		json_get_u64(queue, "node", &number);
		str_addf(out, "global DSQ of node %" PRIu64, number);
	}
}

static void add_queue(const struct json_node *queue, size_t limit, struct str *out)
{
	bool is_cut = json_get_true(queue, "unreadable");
	uint64_t length;
	size_t count = 0;

	json_get_u64(queue, "length", &length);
	if (!length && !is_cut)
		return;
	add_queue_name(queue, out);
	str_addf(out, ": %" PRIu64 " task%s%s\n", length, length == 1 ? "" : "s",
		 is_cut ? " (its list is unreadable)" : "");
	for (const struct json_node *t = json_get_first(queue, "tasks"); t; t = t->next)
		if (count++ < limit)
			add_task(t, is_user_queue(queue), false, out);
	if (count > limit)
		str_addf(out, "  and %zu more\n", count - limit);
}

static void add_longest_wait(const struct json_node *snapshot, struct str *out)
{
	const struct json_node *worst = NULL;
	uint64_t wait_ns, worst_ns = 0;
	size_t count = 0;

	for (const struct json_node *t = json_get_first(snapshot, "runnable"); t; t = t->next) {
		count++;
		if (!json_get_u64(t, "wait_ns", &wait_ns) || (worst && wait_ns <= worst_ns))
			continue;
		worst = t;
		worst_ns = wait_ns;
	}
	str_addf(out, "%zu runnable task%s; the longest wait:\n", count, count == 1 ? "" : "s");
	if (worst)
		add_task(worst, false, false, out);
	else
		str_add(out, "  nobody waits\n");
}

static void add_moment(const struct json_node *snapshot, struct str *out)
{
	const char *name = json_get_text(snapshot, "name");
	uint64_t tag;

	str_add(out, "at ");
	dump_add_string(out, json_get_text(snapshot, "trigger"));
	/* Snapshots of earlier versions have no names. */
	if (name && !str_eq(name, "0")) {
		str_addc(out, ' ');
		dump_add_string(out, name);
	} else if (json_get_u64(snapshot, "tag", &tag) && tag) {
		str_addf(out, " %" PRIu64, tag);
	}
	str_add(out, ":\n");
}

static void add_queues(const struct json_node *dump, const struct dump_limits *limits,
		       struct str *out)
{
	for (const struct json_node *s = json_get_first(dump, "snapshots"); s; s = s->next) {
		add_moment(s, out);
		for (const struct json_node *q = json_get_first(s, "dsqs"); q; q = q->next)
			add_queue(q, limits->tasks, out);
		add_longest_wait(s, out);
	}
}

/* Appends the events with a count above 0. */
static void add_events(const struct json_node *cpu, struct str *out)
{
	size_t count = 0;

	for (const struct json_node *e = json_get_first(cpu, "event_counters"); e; e = e->next) {
		if (e->value.kind == JSON_UNSIGNED ? !e->value.u : e->value.kind != JSON_NEGATIVE)
			continue;
		str_add(out, count++ ? " " : "    ");
		dump_add_string(out, e->key);
		str_addc(out, '=');
		dump_add_plain(e, out);
	}
	if (count)
		str_addc(out, '\n');
}

static void add_cpus(const struct json_node *dump, const struct dump_limits *limits _unused_,
		     struct str *out)
{
	static const char *const numbers[] = { "nr_running", "scx_nr_running", "local_dsq_depth",
					       "rq_clock", "switches" };

	for (const struct json_node *s = json_get_first(dump, "snapshots"); s; s = s->next) {
		add_moment(s, out);
		for (const struct json_node *c = json_get_first(s, "cpus"); c; c = c->next) {
			add_number(c, "cpu", " cpu", ":", out);
			for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
				add_named_number(c, numbers[i], out);
			str_addc(out, '\n');
			add_events(c, out);
		}
	}
}

static void add_runnable(const struct json_node *dump, const struct dump_limits *limits _unused_,
			 struct str *out)
{
	for (const struct json_node *s = json_get_first(dump, "snapshots"); s; s = s->next) {
		add_moment(s, out);
		for (const struct json_node *t = json_get_first(s, "runnable"); t; t = t->next)
			add_task(t, true, true, out);
	}
}

static void add_register(const struct json_node *registers, const char *name, struct str *out)
{
	uint64_t value;

	if (!json_get_u64(registers, name, &value))
		return;
	str_addc(out, ' ');
	dump_add_string(out, name);
	str_addf(out, "=0x%" PRIx64, value);
}

static void add_vcpu(const struct json_node *v, bool has_all, struct str *out)
{
	const struct json_node *registers = json_get(v, "registers");
	const char *place = json_get(registers, "pc") ? "pc" : "rip";
	uint64_t number, ip = UINT64_MAX;

	json_get_u64(v, "cpu", &number);
	str_addf(out, "cpu%" PRIu64 ":", number);
	if (has_all)
		for (const struct json_node *r = json_get_first(v, "registers"); r; r = r->next)
			add_register(registers, r->key, out);
	else
		add_register(registers, place, out);
	/* Kernel addresses are in the upper half. */
	if (json_get_u64(registers, place, &ip) && !(ip >> 63))
		str_add(out, " in user space");
	str_add(out, json_get_true(v, "is_halted") ? " halted\n" : "\n");
	for (const struct json_node *f = json_get_first(v, "backtrace"); f; f = f->next) {
		str_add(out, "  ");
		dump_add_plain(f, out);
		str_addc(out, '\n');
	}
}

static void add_vcpus(const struct json_node *dump, const struct dump_limits *limits,
		      struct str *out)
{
	size_t count = 0;

	for (const struct json_node *v = json_get_first(dump, "vcpus"); v; v = v->next)
		if (count++ < limits->tasks)
			add_vcpu(v, limits->tasks == SIZE_MAX, out);
	if (count > limits->tasks)
		str_addf(out, "and %zu more\n", count - limits->tasks);
}

static void add_program(const struct json_node *p, struct str *out)
{
	const char *name = json_get_text(p, "name");
	uint64_t calls, ns, misses;
	bool has_stats = json_get_u64(p, "cnt", &calls) && json_get_u64(p, "nsecs", &ns);
	size_t begin = out->len;

	dump_add_string(out, name);
	if (out->len - begin < 15)
		str_repeat(out, ' ', 15 - (out->len - begin));
	add_named_number(p, "verified_insns", out);
	if (has_stats)
		str_addf(out, " cnt=%" PRIu64, calls);
	else
		str_add(out, " calls are not known");
	if (has_stats && calls)
		str_addf(out, " %" PRIu64 "ns/call", ns / calls);
	if (json_get_u64(p, "misses", &misses) && misses)
		str_addf(out, " misses=%" PRIu64, misses);
	str_addc(out, '\n');
}

static void add_programs(const struct json_node *dump, const struct dump_limits *limits _unused_,
			 struct str *out)
{
	for (const struct json_node *h = dump; h; h = dump_next_holder(dump, h)) {
		for (const struct json_node *p = json_get_first(h, "programs"); p; p = p->next)
			add_program(p, out);
		if (json_get_true(h, "programs_truncated"))
			str_add(out, "there are more programs, or some of them cannot be read\n");
	}
}

/* Appends text of another origin, marked as a quotation. */
static void add_marked(const struct json_node *dump, const char *member, struct str *out)
{
	const char *text = json_get_text(dump, member);

	text_add_marked(out, text ? text : "");
}

static void add_kernel_dump(const struct json_node *dump, const struct dump_limits *limits _unused_,
			    struct str *out)
{
	add_marked(dump, "sched_ext_dump", out);
}

static void add_console(const struct json_node *dump, const struct dump_limits *limits _unused_,
			struct str *out)
{
	add_marked(dump, "console", out);
}

/* clang-format off */
const struct dump_section dump_sections[8] = {
	{ "cpus", true, add_cpus },
	{ "vcpus", false, add_vcpus },
	{ "queues", false, add_queues },
	{ "tasks", true, add_runnable },
	{ "maps", false, dump_add_maps },
	{ "programs", false, add_programs },
	{ "sched_ext dump", true, add_kernel_dump },
	{ "console", true, add_console },
};
/* clang-format on */

/* Appends every member that is not null. */
static void add_task_members(const struct json_node *task, struct str *out)
{
	add_task_name(task, out);
	str_addc(out, '\n');
	for (const struct json_node *m = task->first; m; m = m->next) {
		bool is_dsq = str_eq(m->key, "dsq") && m->value.kind == JSON_UNSIGNED;

		if (m->value.kind == JSON_NULL)
			continue;
		str_add(out, "  ");
		dump_add_string(out, m->key);
		str_add(out, ": ");
		if (is_dsq)
			add_dsq(m->value.u, out);
		else
			dump_add_plain(m, out);
		str_addc(out, '\n');
	}
}

static bool add_task_of(const struct json_node *snapshot, uint64_t pid, struct str *out)
{
	for (const struct json_node *t = json_get_first(snapshot, "runnable"); t; t = t->next) {
		uint64_t number;

		if (!json_get_u64(t, "pid", &number) || number != pid)
			continue;
		add_moment(snapshot, out);
		add_task_members(t, out);
		return true;
	}
	return false;
}

#define LISTED 20

static int no_such_task(const struct json_node *dump, uint64_t pid)
{
	_str_ struct str names = {};
	size_t count = 0;

	for (const struct json_node *s = json_get_first(dump, "snapshots"); s; s = s->next)
		for (const struct json_node *t = json_get_first(s, "runnable"); t; t = t->next) {
			if (count++ >= LISTED)
				continue;
			str_add(&names, names.len ? ", " : "");
			add_task_name(t, &names);
		}
	if (count > LISTED)
		str_addf(&names, " and %zu more", count - LISTED);
	return err_set(ENOENT, "the dump has no runnable task %" PRIu64 " (runnable tasks: [%s])",
		       pid, str_get(&names));
}

int dump_add_task(const struct json_node *dump, uint64_t pid, struct str *out)
{
	bool is_found = false;

	for (const struct json_node *s = json_get_first(dump, "snapshots"); s; s = s->next)
		is_found |= add_task_of(s, pid, out);
	if (!is_found)
		return no_such_task(dump, pid);
	dump_add_entries_of(dump, pid, out);
	return 0;
}
