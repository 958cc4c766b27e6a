// SPDX-License-Identifier: GPL-2.0-only
/* Text of a run that did not pass; the kind of failure determines the order of sections. */
#include "run/parts.h"

#include "guest/protocol.h"

#define CONSOLE_LINES 20
#define NOTABLE_DILATION 1.05
#define KERNEL_PANIC "Kernel panic - not syncing"

/* Appends the end of the console, or all of it after a panic. */
static void add_console(struct str *out, const struct outcome *o)
{
	const char *text = str_get(&o->console), *at = text + o->console.len;
	size_t total = 0, kept = 0;

	for (const char *p = text; *p; p++)
		total += *p == '\n';
	if (!total)
		return;
	if (strstr(text, GUEST_LINE_PANIC) || strstr(text, KERNEL_PANIC) || total <= CONSOLE_LINES)
		at = text;
	while (at > text && kept <= CONSOLE_LINES)
		kept += *--at == '\n';
	if (at > text)
		at++;
	str_addf(out, "console (%zu lines%s):\n", total, at > text ? ", truncated" : "");
	text_add_marked(out, at);
}

static void add_diagnostics(const struct run_judging *j, struct str *out)
{
	const struct outcome *o = j->outcome;
	bool died = j->out->has_sched_report && sched_report_is_bad(&j->out->sched_report);
	bool is_silent = !j->out->has_result && !o->sched_log.len;

	/* Nothing if the guest was never started. */
	if (!o->facts.is_guest || o->facts.end == OUTCOME_NOT_RUN ||
	    !(died || is_silent || j->options->is_verbose || o->diagnostics.len))
		return;
	str_addf(out, "\n--- diagnostics ---\nstage: %s\n", outcome_stage(o));
	if (o->facts.end == OUTCOME_EXITED)
		str_addf(out, "exit_code=%d\n", o->facts.status);
	str_add(out, str_get(&o->diagnostics));
	add_console(out, o);
}

/*
 * Appends the log of the scheduler. Verifier logs repeat a loop for every iteration, so repetitions
 * are collapsed. If it is still long, only both ends are shown; `ktstr verifier` shows all.
 */
static void add_scheduler_log(const struct run_judging *j, struct str *out)
{
	const struct str *log = &j->outcome->sched_log;
	_cleanup_(bounded_text_finish) struct bounded_text text = {};
	_str_ struct str once = {}, collapsed = {}, shown = {};

	sched_text_drop_dump(log, &j->outcome->sched_dump, &once);
	log = &once;
	if (log->len && collapse_log(log->s, log->len, &collapsed) >= 0)
		log = &collapsed;
	bounded_text_add(&text, str_get(log), log->len);
	/* The guest has truncated the log before; the text itself does not show that any more. */
	if (bounded_text_omitted(&text) && j->out->sched_report.log_bytes > text.total)
		text.total = j->out->sched_report.log_bytes;
	bounded_text_get(&text, &shown);
	sched_text_add_section(out, "\n--- scheduler log ---", &shown);
}

/* Appends the kernel's reason for ejecting the scheduler; it precedes all other sections. */
static void add_summary(const struct run_judging *j, struct str *out)
{
	const struct sched_report *r = &j->out->sched_report;

	if (!j->out->has_sched_report || !sched_report_is_bad(r) || !r->exit_reason)
		return;
	/*
	 * A process that dies takes its scheduler with it: then it is not a reason of the kernel.
	 */
	if (str_eq(r->end, GUEST_SCHED_END_DIED))
		return;
	str_addf(out, "BUG SUMMARY: %s%s%s\n", r->exit_reason, r->exit_message ? ": " : "",
		 r->exit_message ? r->exit_message : "");
}

/* Appends the host's figures; nothing if the host did not interfere. */
static void add_host_time(const struct run_judging *j, struct str *out)
{
	const struct vm_host_time *t = &j->outcome->facts.host_time;
	int worst = vm_host_time_worst(t);

	if (worst < 0 || vm_dilation(&t->threads[worst]) < NOTABLE_DILATION)
		return;
	str_addc(out, '\n');
	host_time_add_line(t, out);
}

/* only: name of the only section to add; NULL = all. */
static void add_sections(const struct str *json, const char *only, const char *prefix,
			 struct str *out)
{
	_cleanup_(arena_finish) struct arena arena = {};
	_str_ struct str copy = {};
	const struct json_node *dump = NULL;

	if (!json->len)
		return;
	str_addn(&copy, json->s, json->len);
	if (str_check(&copy) == 0)
		dump = json_tree_read(&arena, copy.s, copy.len);
	if (!dump) {
		str_addf(out, "\n--- %squeues ---\nnot shown: %s\n", prefix, err_text(-EINVAL));
		err_clear();
		return;
	}
	array_each(const struct dump_section, s, dump_sections, ARRAY_SIZE(dump_sections)) {
		_str_ struct str title = {}, text = {};

		if (s->is_detail || (only && !str_eq(only, s->title)))
			continue;
		str_addf(&title, "\n--- %s%s ---", prefix, s->title);
		s->add(dump, &dump_brief, &text);
		sched_text_add_section(out, str_get(&title), &text);
	}
}

static void add_dump(const struct run_judging *j, struct str *out)
{
	add_sections(&j->outcome->early, "queues", "early ", out);
	add_sections(&j->outcome->dump, NULL, "", out);
}

static void add_timeline(const struct run_judging *j, struct str *out)
{
	struct timeline_facts facts = {
		.kernel = j->outcome->kernel_release.len ? j->outcome->kernel_release.s : NULL,
		.scheduler = j->variant->sched ? j->variant->sched->name : NULL,
		.series = j->out->monitor.is_known ? &j->out->monitor.series : NULL,
	};

	timeline_add(j->variant, &j->out->result, &facts, out);
}

static void add_monitor(const struct run_judging *j, struct str *out)
{
	run_monitor_add_section(&j->out->monitor, out);
}

/* Appends the snapshot from outside and the kernel's dump. */
static void add_dumps(const struct run_judging *j, struct str *out)
{
	add_dump(j, out);
	sched_text_add_section(out, "\n--- sched_ext dump ---", &j->outcome->sched_dump);
}

void judgement_write_text(struct run_judging *j)
{
	typedef void section_fn(const struct run_judging *j, struct str *out);
	static section_fn *const orders[][4] = {
		{ add_timeline, add_scheduler_log, add_monitor, add_dumps },
		{ add_timeline, add_scheduler_log, add_dumps, add_monitor },
		{ add_timeline, add_monitor, add_scheduler_log, add_dumps },
	};
	section_fn *const *order = orders[j->is_of_monitor ? 2 : !j->out->has_result ? 1 : 0];
	struct str *out = &j->out->text;
	struct result_title title = { .test = j->variant->test->name,
				      .scheduler = scheduler_label(j->variant),
				      .topology = topology_text(&j->variant->topology),
				      .outcome = j->headline };

	add_summary(j, out);
	result_add_failure_text(&j->out->result, &title, out);
	add_diagnostics(j, out);
	add_host_time(j, out);
	for (size_t i = 0; i < ARRAY_SIZE(orders[0]); i++)
		order[i](j, out);
	sched_text_add_section(out, "\n--- probe pipeline ---", &j->outcome->repro_pipeline);
	sched_text_add_section(out, "\n--- auto-repro ---", &j->outcome->repro_text);
}
