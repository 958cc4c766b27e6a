// SPDX-License-Identifier: GPL-2.0-only
/* Judges one cell by the outcome of its guest. */
#include "run/parts.h"

#include "guest/protocol.h"
#include "verifier/verifier.h"

#define WORKER "worker on cpu"

/*
 * Parses the lines of guest init's workload: "worker on cpu3: 12.5 ms". Returns the number of
 * workers; *idle and idle_cpus: those that never ran.
 */
static unsigned int count_workers(const char *output, unsigned int *idle, struct str *idle_cpus)
{
	const char *line = output;
	unsigned int total = 0;

	*idle = 0;
	while (line && *line) {
		const char *cpu = str_starts(line, WORKER) ? line + strlen(WORKER) : NULL;
		const char *ms = cpu ? strstr(cpu, ": ") : NULL;

		total += ms != NULL;
		if (ms && strtod(ms + 2, NULL) <= 0)
			str_addf(idle_cpus, "%s%.*s", (*idle)++ ? ", " : "", (int)(ms - cpu), cpu);
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return total;
}

/* Reports a run that timed out, crashed or ended early, perhaps not due to the scheduler. */
static bool find_run_problem(struct sweep_cell *c, const struct outcome *o)
{
	if (o->facts.end == OUTCOME_EXITED)
		return false;
	if (o->facts.end == OUTCOME_TIMED_OUT)
		str_addf(&c->problem, "timed out after %.1fs of wall-clock time",
			 (double)o->facts.duration_ns / NSEC_PER_SEC);
	else if (o->facts.end == OUTCOME_CRASHED)
		str_addf(&c->problem, "guest crashed: %s", str_get(&o->message));
	else
		str_add(&c->problem, o->message.len ? str_get(&o->message) :
						      "the guest ended without a message");
	return true;
}

static void find_workload_problem(struct sweep_cell *c, const struct outcome *o)
{
	_str_ struct str idle_cpus = {};
	unsigned int idle, total = count_workers(str_get(&o->output), &idle, &idle_cpus);

	c->has_run = o->facts.status == 0 && total > 0 && idle == 0;
	if (c->has_run)
		return;
	if (idle)
		str_addf(&c->problem, "attached, but %u of %u workers never got to run: cpu %s",
			 idle, total, str_get(&idle_cpus));
	else
		str_addf(&c->problem, "attached, but the workload ended with status %d",
			 o->facts.status);
}

static void find_problem(struct sweep_cell *c, const struct outcome *o)
{
	if (find_run_problem(c, o))
		return;
	if (!c->has_report) {
		str_add(&c->problem, "the guest did not report the state of the scheduler");
		return;
	}
	if (sched_report_is_bad(&c->report))
		str_add(&c->problem, c->report.message ? c->report.message : c->report.end);
	else if (c->is_attached)
		find_workload_problem(c, o);
	else
		str_add(&c->problem, "the scheduler was not attached");
}

static void keep_log(struct sweep_cell *c, const struct outcome *o, bool is_raw)
{
	_str_ struct str once = {};
	struct verifier_log log;

	if (c->problem.len && o->sched_dump.len)
		str_addn(&c->dump, o->sched_dump.s, o->sched_dump.len);
	if (!o->sched_log.len)
		return;
	sched_text_drop_dump(&o->sched_log, &c->dump, &once);
	verifier_log_last(str_get(&once), once.len, &log);
	verifier_log_figures(log.text, log.len, &c->figures);
	if (!c->problem.len) /* do not keep up to 16 MiB that are not shown */
		return;
	if (is_raw || collapse_log(log.text, log.len, &c->log) < 0) {
		str_reset(&c->log);
		str_addn(&c->log, log.text, log.len);
	}
}

void sweep_cell_judge(struct sweep_cell *c, struct outcome *o, bool is_raw)
{
	/* The scheduler was not loaded, for instance because the kernel has no sched_ext. */
	if (o->facts.end == OUTCOME_SKIPPED) {
		str_addf(&c->problem, "not run: %s", str_get(&o->message));
		return;
	}
	c->has_ended = true;
	if (o->sched_report.len) {
		int rc = sched_report_read(&c->report, o->sched_report.s, o->sched_report.len);

		c->has_report = rc == 0;
		if (rc < 0)
			str_add(&c->problem, err_text(rc));
	}
	if (c->has_report) {
		c->is_attached = c->report.is_attached;
		c->is_rejected = str_eq(c->report.end, GUEST_SCHED_END_VERIFIER);
	}
	if (!c->problem.len)
		find_problem(c, o);
	keep_log(c, o, is_raw);
}
