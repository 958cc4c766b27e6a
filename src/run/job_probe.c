// SPDX-License-Identifier: GPL-2.0-only
/* The second run under kvm and tcg: with probes. It is not a repetition of the failed run. */
#include "run/parts.h"

#include "kernel/btf.h"

#define SHOWN_LINES 40

void probed_run_finish(struct probed_run *r)
{
	outcome_finish(&r->outcome);
	str_finish(&r->report);
	str_finish(&r->records);
}

/* Functions to probe: the given ones, else those in the stacks of the failed run. */
static int read_chain(struct repro_chain *c, const char *words, const struct outcome *out,
		      struct str *list)
{
	int rc = words ? repro_chain_add_words(c, words) :
			 repro_chain_add_stack(c, str_get(&out->sched_log));

	if (!words && !c->functions.count)
		rc = rc ?: repro_chain_add_stack(c, str_get(&out->sched_dump));
	for (size_t i = 0; i < c->functions.count; i++)
		str_addf(list, "%s%s", i ? "," : "", c->functions.items[i]);
	if (!c->functions.count)
		str_add(list, "-");
	return rc ?: str_check(list);
}

/* Describes how the second run ended, if the probes recorded nothing. */
static void add_status(const struct outcome *o, const struct job_failure *f, struct str *out)
{
	if (o->facts.end == OUTCOME_TIMED_OUT)
		str_add(out, "repro VM: timed out\n");
	else if (f->report.end && !f->report.is_attached)
		str_addf(out, "scheduler did not attach (%s)\n", f->report.end);
	else if (f->report.end && f->is_failed && f->cause.exit_kind)
		str_addf(out, "scheduler crashed — %s\n",
			 f->cause.message ? f->cause.message : f->report.end);
	else if (f->is_failed || o->facts.end != OUTCOME_EXITED || o->facts.status)
		str_addf(out, "exited abnormally (exit code %d)\n", o->facts.status);
	else
		str_add(out, "scheduler ran normally (crash did not reproduce)\n");
}

/* Appends the last lines of an output of the second run. */
static void add_tail(const char *title, const struct str *text, struct str *out)
{
	const char *at = str_get(text), *from = at + text->len;

	if (!text->len)
		return;
	for (int lines = 0; from > at; from--)
		if (from[-1] == '\n' && from != at + text->len && ++lines == SHOWN_LINES)
			break;
	str_addf(out, "%s:\n", title);
	text_add_lines(out, from);
	if (out->s[out->len - 1] != '\n')
		str_addc(out, '\n');
}

static int tell(const struct job *job, struct probed_run *r, const struct job_failure *f,
		struct repro_report *report)
{
	const struct run_kernel *k = &job->world->kernels->items.items[job->variant->kernel];
	_cleanup_(source_lines_finish) struct source_lines lines = {};
	_btf_file_ struct btf_file file = {};
	struct repro_probed q = { .types = &file.types,
				  .cpu_count = vm_topology_cpus(&job->variant->topology),
				  .cause = f->cause,
				  .report = &r->report,
				  .records = &r->records };
	int rc;

	if (!r->report.len)
		return err_set(ENODATA, "the second run left no report of its probes");
	if (source_lines_search(&lines, &k->image))
		q.lines = &lines;
	rc = btf_file_open(&file, k->image.vmlinux) ?: repro_probed_tell(&q, report);
	if (rc == 0)
		add_status(&r->outcome, f, &report->text);
	return MIN(rc, 0);
}

static int run_and_tell(const struct job *job, const struct job_again *again,
			const struct repro_chain *chain, const char *functions, struct outcome *out)
{
	_cleanup_(probed_run_finish) struct probed_run r = {};
	struct repro_report report = {};
	struct job_failure f;
	int rc = again->run(again->ctx, functions, &r);

	if (rc < 0)
		return rc;
	job_failure_read(&f, &r.outcome);
	str_addf(&report.pipeline, "extracted: %zu functions of the kernel%s, %zu of BPF\n",
		 chain->functions.count, chain->is_cut ? " (there were more)" : "",
		 chain->program_count);
	str_addf(&report.text, "second run under %s, with BPF probes: not the run that failed\n",
		 vm_accel_name(job_accel(job)));
	rc = tell(job, &r, &f, &report);
	str_addf(&report.text, "repro VM duration: %.1fs\n",
		 (double)r.outcome.facts.duration_ns / NSEC_PER_SEC);
	/* The output of the scheduler usually contains the dump. */
	if (f.is_failed && r.outcome.sched_log.len)
		add_tail("repro VM scheduler log", &r.outcome.sched_log, &report.text);
	else if (f.is_failed)
		add_tail("repro VM sched_ext dump", &r.outcome.sched_dump, &report.text);
	if (f.is_failed)
		str_addn(&out->repro_dump, str_get(&r.outcome.dump), r.outcome.dump.len);
	job_repro_keep(out, &report);
	job_failure_finish(&f);
	return rc;
}

void job_repro_probed(const struct job *job, const struct job_again *again, struct outcome *out)
{
	_cleanup_(repro_chain_finish) struct repro_chain chain = {};
	_str_ struct str functions = {};
	int rc = read_chain(&chain, job->probe_stack, out, &functions);

	rc = rc ?: run_and_tell(job, again, &chain, str_get(&functions), out);
	if (rc < 0) {
		str_addf(&out->repro_text, "not explained: %s\n", err_text(rc));
		err_clear();
	}
}
