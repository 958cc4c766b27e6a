// SPDX-License-Identifier: GPL-2.0-only
/* Scheduling events of a phase on the page: a table of its CPUs, and one of its tasks. */
#include <stddef.h>

#include "base/html.h"
#include "stats/parts.h"

/* Maximum number of CPUs or tasks shown per phase, worst ones first: a page has many results. */
#define MAX_ROWS 64

/* ---- figures of a row ---- */

struct event_column {
	const char *title;
	size_t offset; /* of its struct sidecar_number */
	enum html_number_style style;
	size_t count; /* offset of the number that it is divided by; 0 = none */
};

#define CPU_COLUMN(title, member, style)                           \
	{                                                          \
		title, offsetof(struct sidecar_cpu, member), style \
	}
#define TASK_COLUMN(title, member, ...)                                   \
	{                                                                 \
		title, offsetof(struct sidecar_task, member), __VA_ARGS__ \
	}

static const struct event_column cpu_columns[] = {
	CPU_COLUMN("busy", busy_ns, HTML_NANOSECONDS),
	CPU_COLUMN("idle", idle_ns, HTML_NANOSECONDS),
	CPU_COLUMN("idle while a task waited", idle_wait_ns, HTML_NANOSECONDS),
	CPU_COLUMN("longest", longest_idle_wait_ns, HTML_NANOSECONDS),
	CPU_COLUMN("picks", picks, HTML_PLAIN),
	CPU_COLUMN("longest without a pick", longest_unpicked_ns, HTML_NANOSECONDS),
};

static const struct event_column task_columns[] = {
	TASK_COLUMN("TID", tid, HTML_PLAIN),
	TASK_COLUMN("run", run_ns, HTML_NANOSECONDS),
	TASK_COLUMN("wait", wait_ns, HTML_NANOSECONDS),
	TASK_COLUMN("migrations", migrations, HTML_PLAIN),
	TASK_COLUMN("wakeups", wakeups, HTML_PLAIN),
	TASK_COLUMN("wakeup to run: mean", wakeup_wait_ns, HTML_NANOSECONDS,
		    offsetof(struct sidecar_task, wakeup_waits)),
	TASK_COLUMN("worst", worst_wakeup_wait_ns, HTML_NANOSECONDS),
	TASK_COLUMN("worst wait", worst_wait_ns, HTML_NANOSECONDS),
	TASK_COLUMN("ended at", worst_wait_at_ms, HTML_MILLISECONDS),
	TASK_COLUMN("on CPU", worst_wait_cpu, HTML_PLAIN),
};

static void add_titles(struct str *out, const char *caption, const char *first,
		       const struct event_column *columns, size_t count)
{
	str_addf(out,
		 "<div class=sc><table class=num><caption>%s</caption><thead><tr><th scope=col>%s",
		 caption, first);
	array_each(const struct event_column, c, columns, count)
		str_addf(out, "<th scope=col>%s", c->title);
}

static struct sidecar_number number_of(const void *row, const struct event_column *c)
{
	struct sidecar_number n = *(const struct sidecar_number *)((const char *)row + c->offset);
	const struct sidecar_number *by = (const void *)((const char *)row + c->count);

	if (!c->count)
		return n;
	n.is_known = n.is_known && by->is_known && by->value > 0;
	n.value = n.is_known ? n.value / by->value : 0;
	return n;
}

static void add_cells(struct str *out, const void *row, const struct event_column *columns,
		      size_t count)
{
	array_each(const struct event_column, c, columns, count) {
		html_add_number(out, number_of(row, c), c->style);
	}
}

static void end_table(struct str *out, size_t count, const char *noun)
{
	str_add(out, "</table></div>");
	if (count > MAX_ROWS)
		str_addf(out, "<p class=dim>and %zu more %s%s</p>", count - MAX_ROWS, noun,
			 count == MAX_ROWS + 1 ? "" : "s");
}

/* Descending, absent ones last. */
static int compare_worst(struct sidecar_number a, struct sidecar_number b)
{
	if (!a.is_known || !b.is_known)
		return b.is_known - a.is_known;
	return (a.value < b.value) - (a.value > b.value);
}

/* ---- CPUs ---- */

static int by_cpu(const void *a, const void *b)
{
	const struct sidecar_cpu *const *x = a, *const *y = b;

	return compare_worst((*y)->cpu, (*x)->cpu);
}

static int by_idle_wait(const void *a, const void *b)
{
	const struct sidecar_cpu *const *x = a, *const *y = b;

	return compare_worst((*x)->idle_wait_ns, (*y)->idle_wait_ns) ?: by_cpu(a, b);
}

static void add_cpus(struct str *out, const struct sidecar_events *e)
{
	_free_ const struct sidecar_cpu **rows = calloc(e->cpu_count, sizeof(*rows));
	size_t shown = MIN(e->cpu_count, (size_t)MAX_ROWS);

	if (!rows) {
		out->failed = true;
		return;
	}
	for (size_t i = 0; i < e->cpu_count; i++)
		rows[i] = &e->cpus[i];
	qsort(rows, e->cpu_count, sizeof(*rows), by_idle_wait);
	qsort(rows, shown, sizeof(*rows), by_cpu);
	add_titles(out, "CPUs", "CPU", cpu_columns, ARRAY_SIZE(cpu_columns));
	str_add(out, "<tbody>");
	for (size_t i = 0; i < shown; i++) {
		str_add(out, "<tr><th scope=row>");
		html_add_value(out, rows[i]->cpu, HTML_PLAIN);
		add_cells(out, rows[i], cpu_columns, ARRAY_SIZE(cpu_columns));
	}
	end_table(out, e->cpu_count, "CPU");
}

/* ---- tasks ---- */

static int by_worst_wait(const void *a, const void *b)
{
	const struct sidecar_task *const *x = a, *const *y = b;

	return compare_worst((*x)->worst_wait_ns, (*y)->worst_wait_ns) ?:
		       compare_worst((*y)->tid, (*x)->tid);
}

static void add_task(struct str *out, const struct sidecar_task *t)
{
	html_add_in(out, "<tr><th scope=row>", t->name ? t->name : "–", "");
	if (t->is_worker || t->is_kernel)
		str_addf(out, " <small>%s</small>", t->is_worker ? "worker" : "kernel");
	add_cells(out, t, task_columns, ARRAY_SIZE(task_columns));
	html_add_in(out, "<td>", t->worst_wait_by ? t->worst_wait_by : "–", "");
	if (t->worst_wait_by && t->worst_wait_by_tid.is_known)
		str_addf(out, " (%.0f)", t->worst_wait_by_tid.value);
}

static void add_tasks(struct str *out, const struct sidecar_events *e)
{
	_free_ const struct sidecar_task **rows = calloc(e->task_count, sizeof(*rows));

	if (!rows) {
		out->failed = true;
		return;
	}
	for (size_t i = 0; i < e->task_count; i++)
		rows[i] = &e->tasks[i];
	qsort(rows, e->task_count, sizeof(*rows), by_worst_wait);
	add_titles(out, "Tasks", "task", task_columns, ARRAY_SIZE(task_columns));
	str_add(out, "<th scope=col>ran instead<tbody>");
	for (size_t i = 0; i < e->task_count && i < MAX_ROWS; i++)
		add_task(out, rows[i]);
	end_table(out, e->task_count, "task");
}

/* ---- a phase ---- */

static void add_count(struct str *out, const char *before, size_t count, const char *what)
{
	str_addf(out, "%s%zu %s%s", before, count, what, count == 1 ? "" : "s");
}

void html_add_events(struct str *out, const struct sidecar_phase *p)
{
	const struct sidecar_events *e = &p->events;

	if (!e->is_known || (!e->cpu_count && !e->task_count))
		return;
	html_add_in(out, "<details><summary>", p->name ? p->name : "phase", ": ");
	add_count(out, "", e->cpu_count, "CPU");
	add_count(out, ", ", e->task_count, "task");
	if (e->observed_ns.is_known) {
		str_add(out, ", counted for ");
		html_add_value(out, e->observed_ns, HTML_NANOSECONDS);
	}
	str_add(out, "</summary>");
	if (e->lost_events.is_known && e->lost_events.value > 0)
		str_addf(out, "<p class=warn>%.0f events were lost: the figures are too low.</p>",
			 e->lost_events.value);
	if (e->cpu_count)
		add_cpus(out, e);
	if (e->task_count)
		add_tasks(out, e);
	str_add(out, "</details>");
}
