// SPDX-License-Identifier: GPL-2.0-only
/* One table per section; unknown values are "-". */
#include "watch/parts.h"

#define MAX_COLUMNS 10
#define SHOWN_TASKS 4 /* per queue */
#define STILL_NS NSEC_PER_SEC
#define AROUND 2 /* lines of a section besides its rows: header and empty line */

const char *const top_section_names[TOP_SECTIONS + 1] = {
	[TOP_CPUS] = "cpus",	 [TOP_QUEUES] = "queues",     [TOP_TASKS] = "tasks",
	[TOP_EVENTS] = "events", [TOP_PROGRAMS] = "programs", [TOP_SECTIONS] = "all",
};

/* Guest time between the last two reads; 0 = it stood still, or is unknown. */
static double seconds(const struct top *t)
{
	uint64_t now = moment_clock(&t->now), before = moment_clock(&t->before);

	return before && now > before ? (double)(now - before) / NSEC_PER_SEC : 0;
}

static void put_rate(struct table *table, size_t column, const struct top *t, bool is_known,
		     uint64_t before, uint64_t now)
{
	if (is_known && seconds(t) > 0 && now >= before)
		table_cellf(table, column, "%.0f", (double)(now - before) / seconds(t));
	else
		table_cell(table, column, "-");
}

static void put_u64(struct table *table, size_t column, bool is_known, uint64_t value)
{
	if (is_known)
		table_cellf(table, column, "%" PRIu64, value);
	else
		table_cell(table, column, "-");
}

static void put_ms(struct table *table, size_t column, bool is_known, uint64_t ns)
{
	if (is_known)
		table_cellf(table, column, "%.3f", (double)ns / NSEC_PER_MSEC);
	else
		table_cell(table, column, "-");
}

static uint64_t still_for(const struct top *t, size_t cpu)
{
	uint64_t ns = t->host_ns - t->moved_ns[cpu];

	return ns >= STILL_NS ? ns : 0;
}

/* Clocks of a hanging guest stand still: adds the time since then to the wait. */
static void put_wait(struct table *table, size_t column, const struct top *t, bool is_known,
		     uint64_t ns)
{
	size_t still = 0, busy = 0;

	for (size_t i = 0; i < t->now.cpu_count; i++) {
		busy += t->now.cpus[i].nr_running > 0;
		still += t->now.cpus[i].nr_running && still_for(t, i);
	}
	if (is_known && busy && still == busy)
		table_cellf(table, column, ">%.3f", (double)ns / NSEC_PER_MSEC);
	else
		put_ms(table, column, is_known, ns);
}

static const struct task_view *running_on(const struct top *t, size_t cpu)
{
	const struct queues *q = &t->parts.queues;

	for (size_t i = 0; i < q->runnable.count; i++)
		if (q->runnable.items[i].is_running && q->runnable.items[i].cpu == cpu)
			return &q->runnable.items[i];
	return NULL;
}

static void put_cpu(const struct top *t, size_t cpu, struct table *table)
{
	const struct cpu_sample *a = &t->before.cpus[cpu], *b = &t->now.cpus[cpu];
	const struct task_view *task = running_on(t, cpu);
	uint64_t still = still_for(t, cpu);

	table_cellf(table, 0, "%zu", cpu);
	put_u64(table, 1, b->is_known, b->nr_running);
	put_u64(table, 2, b->has_scx, b->scx_nr_running);
	put_u64(table, 3, b->has_scx, b->local_dsq_depth);
	put_rate(table, 4, t, a->is_known && b->is_known, a->switches, b->switches);
	put_ms(table, 5, b->is_known, b->clock_ns);
	if (still)
		table_cellf(table, 6, "%.0f s", (double)still / NSEC_PER_SEC);
	if (task)
		table_cellf(table, 7, "%s[%u]", task->comm, task->pid);
}

static void put_queue(const struct top *t, size_t index, struct table *table)
{
	const struct queues *all = &t->parts.queues;
	const struct queue_view *q = &all->queues.items[index];
	_str_ struct str tasks = {};
	bool is_known = false;
	uint64_t longest = 0;

	for (size_t i = 0; i < q->count; i++) {
		const struct task_view *task = &all->queued.items[q->first + i];

		is_known |= task->is_waiting;
		longest = MAX(longest, task->is_waiting ? task->wait_ns : 0);
		if (i < SHOWN_TASKS)
			str_addf(&tasks, "%s%s[%u]", i ? " " : "", task->comm, task->pid);
	}
	if (q->count > SHOWN_TASKS)
		str_add(&tasks, " ...");
	if (q->is_cut)
		str_add(&tasks, " (the list cannot be followed)");
	if (q->kind == QUEUE_USER)
		table_cellf(table, 0, "0x%" PRIx64, q->id);
	else
		table_cellf(table, 0, q->kind == QUEUE_LOCAL ? "local, cpu %u" : "global, node %u",
			    q->number);
	table_cellf(table, 1, "%" PRIu64, q->length);
	put_wait(table, 2, t, is_known, longest);
	table_cell(table, 3, str_get(&tasks));
}

static void put_task(const struct top *t, size_t index, struct table *table)
{
	const struct task_view *task = &t->parts.queues.runnable.items[index];

	table_cellf(table, 0, "%u", task->pid);
	table_cell(table, 1, task->comm);
	table_cell(table, 2, task_state(task));
	table_cellf(table, 3, "%u", task->cpu);
	put_wait(table, 4, t, task->is_waiting, task->wait_ns);
	if (task->has_dsq)
		table_cellf(table, 5, "0x%" PRIx64, task->dsq_id);
	else
		table_cell(table, 5, "-");
	put_ms(table, 6, true, task->slice_ns);
	table_cellf(table, 7, "%" PRIu64, task->vtime);
	table_cellf(table, 8, "%u", task->weight);
	table_cell(table, 9, *task->cgroup ? task->cgroup : "-");
}

static uint64_t sum_of(const struct guest_sample *s, size_t event, bool *is_known)
{
	int64_t sum = 0;

	for (size_t i = 0; i < s->cpu_count; i++) {
		*is_known &= s->cpus[i].known_events >> event & 1;
		sum += s->cpus[i].events[event];
	}
	return (uint64_t)MAX(sum, 0);
}

static void put_event(const struct top *t, size_t event, struct table *table)
{
	bool is_known = true, was_known = true;
	uint64_t now = sum_of(&t->now, event, &is_known);
	uint64_t before = sum_of(&t->before, event, &was_known);

	table_cell(table, 0, scx_counter_names[event]);
	put_rate(table, 1, t, is_known && was_known, before, now);
	put_u64(table, 2, is_known, now);
}

static void put_program(const struct top *t, size_t index, struct table *table)
{
	const struct program_view *p = &t->parts.programs.items.items[index];
	const struct program_view *old = programs_find(&t->old_programs, p->id);
	bool has_old = old && old->has_stats && p->has_stats && p->calls > old->calls;

	table_cell(table, 0, p->name);
	put_rate(table, 1, t, p->has_stats && old && old->has_stats, old ? old->calls : 0,
		 p->calls);
	put_u64(table, 2, has_old, has_old ? (p->ns - old->ns) / (p->calls - old->calls) : 0);
	put_u64(table, 3, p->has_stats, p->calls);
	put_u64(table, 4, p->has_stats && p->calls, p->calls ? p->ns / p->calls : 0);
	put_u64(table, 5, p->has_insns, p->verified_insns);
}

static const struct top_table {
	const char *columns[MAX_COLUMNS];
	size_t count;
	void (*put)(const struct top *t, size_t index, struct table *table);
} sections[TOP_SECTIONS] = {
	[TOP_CPUS] = { { "CPU", "RUNNABLE", "SCX", "LOCAL DSQ", "SWITCHES/s", "CLOCK ms",
			 "STILL FOR", "TASK" },
		       8,
		       put_cpu },
	[TOP_QUEUES] = { { "QUEUE", "LENGTH", "LONGEST WAIT ms", "TASKS IN ORDER" }, 4, put_queue },
	[TOP_TASKS] = { { "PID", "COMM", "STATE", "CPU", "WAIT ms", "DSQ", "SLICE ms", "VTIME",
			  "WEIGHT", "CGROUP" },
			10,
			put_task },
	[TOP_EVENTS] = { { "EVENT", "PER s", "TOTAL" }, 3, put_event },
	[TOP_PROGRAMS] = { { "PROGRAM", "CALLS/s", "ns/CALL", "CALLS", "ns/CALL OF ALL",
			     "VERIFIED INSNS" },
			   6,
			   put_program },
};

static int add_section(const struct top *t, enum top_section which, size_t limit, struct str *out)
{
	_cleanup_(table_finish) struct table table = {};
	const struct top_rows *rows = &t->rows[which];
	size_t shown = rows->items.count > limit ? limit - 1 : rows->items.count;
	int rc = table_init(&table, sections[which].columns, sections[which].count);

	for (size_t i = 0; i < shown && rc == 0; i++) {
		rc = table_row(&table);
		if (rc == 0)
			sections[which].put(t, rows->items.items[i], &table);
	}
	rc = rc ?: table_add(&table, out);
	if (shown < rows->items.count)
		str_addf(out, " ... %zu more\n", rows->items.count - shown);
	return rc;
}

/* Distributes lines: sections that need few get them, the others share the rest. */
static void share(const struct top *t, size_t lines, size_t limits[TOP_SECTIONS])
{
	size_t left = 0, room = lines;

	for (size_t i = 0; i < TOP_SECTIONS; i++) {
		limits[i] = 0;
		left += t->rows[i].items.count > 0;
	}
	room -= MIN(room, left * AROUND);
	for (bool is_changed = true; is_changed && left;) {
		is_changed = false;
		for (size_t i = 0; i < TOP_SECTIONS; i++) {
			size_t need = t->rows[i].items.count;

			if (limits[i] || !need || need > room / left)
				continue;
			limits[i] = need;
			room -= need;
			is_changed = true;
			if (!--left)
				return;
		}
	}
	for (size_t i = 0; i < TOP_SECTIONS; i++)
		if (!limits[i] && t->rows[i].items.count)
			limits[i] = MAX(room / left, 1);
}

int top_add_text(const struct top *t, enum top_section section, size_t lines, struct str *out)
{
	size_t limits[TOP_SECTIONS];
	int rc = 0;

	share(t, lines ? lines : SIZE_MAX, limits);
	for (size_t i = 0; i < TOP_SECTIONS && rc == 0; i++) {
		if (section == TOP_SECTIONS && t->rows[i].items.count) {
			rc = add_section(t, i, limits[i], out);
			str_addc(out, '\n');
		} else if (section == i) {
			rc = add_section(t, i, lines > 1 ? lines - 1 : SIZE_MAX, out);
		}
	}
	return rc < 0 ? rc : str_check(out);
}
