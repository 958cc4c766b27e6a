// SPDX-License-Identifier: GPL-2.0-only
/* Order of verdicts: fail > inconclusive > pass > skip. A missing result is never a pass. */
#include "run/parts.h"

#include "base/pattern.h"
#include "check/events.h"
#include "guest/protocol.h"
#include "program/protocol.h"

const char *scheduler_label(const struct variant *v)
{
	if (!v->sched)
		return NULL;
	if (v->sched->binary)
		return v->sched->binary;
	return v->sched->binary_path ? v->sched->binary_path : "kernel";
}

static void fail(struct run_judging *j, enum detail_kind kind, const char *text)
{
	result_add(&j->out->result, kind, KTSTR_FAILED, "%s", text);
}

/* Reads step events that were sent while the test ran: the body may have died before its result. */
static void read_stimuli(struct run_judging *j)
{
	struct ktstr_result *r = &j->out->result;
	const struct str *frames = &j->outcome->stimuli;

	if (!j->out->has_result && result_take_stimuli(r, str_get(frames), frames->len) < 0)
		r->failed_alloc = true;
}

/* A result that cannot be parsed is a failure, not a missing result. */
static void read_result(struct run_judging *j)
{
	struct str *text = &j->outcome->result;
	struct judgement *out = j->out;
	int rc;

	result_init(&out->result);
	if (!text->len)
		return;
	rc = result_from_json(&out->result, text->s, text->len);
	if (rc == 0) /* extraction that was left to the host */
		rc = run_extract_metrics(&out->result);
	if (rc == 0) {
		out->has_result = true;
		return;
	}
	result_finish(&out->result);
	result_init(&out->result);
	result_add(&out->result, DETAIL_OTHER, KTSTR_FAILED, "the test's result cannot be read: %s",
		   err_text(rc));
}

static void read_sched_report(struct run_judging *j)
{
	struct str *text = &j->outcome->sched_report;
	int rc;

	if (!text->len)
		return;
	rc = sched_report_read(&j->out->sched_report, text->s, text->len);
	j->out->has_sched_report = rc == 0;
	if (rc < 0)
		fail(j, DETAIL_OTHER, err_text(rc));
}

/* Returns whether the kernel reported why it ejected the scheduler. */
static bool is_taken_down(const struct sched_report *r)
{
	static const char *const ends[] = { GUEST_SCHED_END_ERROR, GUEST_SCHED_END_STALLED,
					    GUEST_SCHED_END_UNREGISTERED };

	return str_index(ends, ARRAY_SIZE(ends), r->end) >= 0;
}

/*
 * Replaces " during workload (2.2s into test)" in `why` by the more precise text of the body: "
 * after completing step ...". False if there is none.
 */
static bool add_step(const char *why, const char *body, struct str *out)
{
	const char *during = strstr(why, " during workload (");
	const char *step = body ? strstr(body, " after completing step ") : NULL;
	const char *end = during ? strchr(during, ')') : NULL;

	if (!end || !step || !strchr(step, ')'))
		return false;
	str_addn(out, why, (size_t)(during - why));
	str_addn(out, step, (size_t)(strchr(step, ')') + 1 - step));
	str_add(out, end + 1);
	return true;
}

static void add_end(const struct sched_report *r, const char *body, struct str *out)
{
	static const char start[] = "scheduler did not attach: ";
	const char *why = r->message ? r->message : r->end;

	if (add_step(why, body, out))
		return;
	if (!r->is_attached && !is_taken_down(r) && !str_starts(why, start))
		str_add(out, start);
	str_add(out, why);
}

/* Message of the first detail of this kind; NULL = none. */
static const char *find_detail(const struct ktstr_result *r, enum detail_kind kind)
{
	for (size_t i = 0; i < r->details.count; i++)
		if (r->details.items[i].kind == kind)
			return r->details.items[i].message;
	return NULL;
}

/* Drops details of the body: it only saw that the scheduler was gone. */
static void drop_details(struct ktstr_result *r, enum detail_kind kind)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->details.count; i++) {
		if (r->details.items[i].kind == kind)
			free(r->details.items[i].message);
		else
			r->details.items[kept++] = r->details.items[i];
	}
	r->details.count = kept;
}

/* Adds a failure in front of the others: it may be their cause. */
static void fail_first(struct run_judging *j, enum detail_kind kind, const char *text, uint64_t ns)
{
	struct ktstr_result *r = &j->out->result;
	size_t had = r->details.count;
	struct detail last;

	fail(j, kind, text);
	if (r->details.count == had)
		return;
	result_set_time(r, ns);
	last = r->details.items[had];
	memmove(r->details.items + 1, r->details.items, had * sizeof(last));
	r->details.items[0] = last;
}

/* Adds one detail for the end of the scheduler, in front of all others. */
static void judge_scheduler(struct run_judging *j)
{
	const struct sched_report *r = &j->out->sched_report;
	_str_ struct str text = {};

	if (!j->out->has_sched_report || !sched_report_is_bad(r))
		return;
	j->is_error_of_test = true;
	add_end(r, find_detail(&j->out->result, DETAIL_SCHEDULER_DIED), &text);
	drop_details(&j->out->result, DETAIL_SCHEDULER_DIED);
	fail_first(j, DETAIL_SCHEDULER_DIED, str_get(&text), host_time_in_text(str_get(&text)));
}

static void add_absence(const struct sched_absence *a, struct str *out)
{
	str_addf(out,
		 "the scheduler left %.1fs into the test (%s) and was back after %.0f ms, in which "
		 "the kernel's own scheduler ran",
		 (double)a->left_ns / NSEC_PER_SEC, a->reason ? a->reason : "no reason known",
		 (double)a->away_ns / NSEC_PER_MSEC);
}

static void note_absences(struct run_judging *j)
{
	const struct sched_report *r = &j->out->sched_report;

	for (size_t i = 0; j->out->has_sched_report && i < r->absences.count; i++) {
		_str_ struct str text = {};

		add_absence(&r->absences.items[i], &text);
		if (i + 1 == r->absences.count && r->absence_count > i + 1)
			str_addf(&text, "; it left %llu times in all", ULL(r->absence_count));
		result_add(&j->out->result, DETAIL_NOTE, KTSTR_SKIPPED, "%s", str_get(&text));
		str_addf(&j->outcome->notes, "%s: %s\n", j->variant->name, str_get(&text));
		str_addf(&j->outcome->diagnostics, "%s\n", str_get(&text));
	}
}

/* Returns whether guest init killed the body because its guest time was up. */
static bool is_out_of_time(const struct outcome *o)
{
	return o->facts.end == OUTCOME_EXITED && o->facts.status == 128 + GUEST_LIMIT_SIGNAL &&
	       !o->result.len;
}

/* Judges the exit status of the test program. */
static void judge_status(struct run_judging *j)
{
	int status = j->outcome->facts.status;
	_str_ struct str text = {};

	if (j->outcome->facts.end != OUTCOME_EXITED || status <= PROGRAM_INCONCLUSIVE)
		return;
	if (status == GUEST_STATUS_NO_SCHEDULER && j->out->has_sched_report)
		return;
	/* Guest init killed the body because the scheduler had ended: that is the reason. */
	if (status > 128 && j->out->sched_report.payload_signal)
		return;
	if (is_out_of_time(j->outcome)) {
		j->headline = "timed out (no result in SHM or COM2)";
		fail(j, DETAIL_OTHER, "the body did not come to its end in guest time");
		result_set_time(&j->out->result, j->outcome->facts.duration_ns);
		return;
	}
	if (status > 128)
		str_addf(&text, "the test program was killed by signal %d (%s)%s", status - 128,
			 strsignal(status - 128), j->out->has_result ? " after its result" : "");
	else
		str_addf(&text, "the test program ended with status %d%s", status,
			 j->out->has_result ? " after its result" : "");
	fail(j, DETAIL_OTHER, str_get(&text));
}

/*
 * Adds a timeout as failure. Wall-clock time is attached only if the limit was wall-clock time:
 * host contention cannot explain the others.
 */
static void fail_by_time(struct run_judging *j, const char *before)
{
	const struct outcome *o = j->outcome;

	if (o->message.len) {
		fail(j, DETAIL_OTHER, str_get(&o->message));
		return;
	}
	result_add(&j->out->result, DETAIL_OTHER, KTSTR_FAILED,
		   "%sit was ended after %.1fs of wall-clock time", before,
		   (double)o->facts.duration_ns / NSEC_PER_SEC);
	result_set_time(&j->out->result, o->facts.duration_ns);
}

static void judge_silence(struct run_judging *j)
{
	const struct outcome *o = j->outcome;

	switch (o->facts.end) {
	case OUTCOME_TIMED_OUT:
		j->headline = "timed out (no result in SHM or COM2)";
		fail_by_time(j, "");
		return;
	case OUTCOME_CRASHED:
		j->headline = "guest crashed";
		fail(j, DETAIL_OTHER, str_get(&o->message));
		return;
	case OUTCOME_NOT_RUN:
	case OUTCOME_LOST:
	case OUTCOME_INTERRUPTED:
		fail(j, DETAIL_OTHER, str_get(&o->message));
		return;
	default:
		break;
	}
	/* No further detail if there is already a reason. */
	if (j->out->result.details.count == 0)
		fail(j, DETAIL_OTHER,
		     j->variant->sched ? "no test result received from guest" :
					 "test function produced no output");
}

/* The guest sent its result, but did not shut down. */
static void judge_rest(struct run_judging *j)
{
	if (j->outcome->facts.end != OUTCOME_TIMED_OUT)
		return;
	j->headline = "did not end after its result";
	fail_by_time(j, "the guest did not end: ");
}

/* Notes that watchdog_timeout_s could not be set; this is not a failure. */
static void note_watchdog(struct run_judging *j)
{
	const struct sched_report *r = &j->out->sched_report;

	if (!j->out->has_sched_report || !r->is_attached || !r->watchdog_problem)
		return;
	result_add(&j->out->result, DETAIL_NOTE, KTSTR_SKIPPED,
		   "watchdog_timeout_s does not hold: %s", r->watchdog_problem);
	str_addf(&j->outcome->diagnostics, "watchdog_timeout_s does not hold: %s\n",
		 r->watchdog_problem);
}

/* If the body failed, monitor data is only an explanation and does not change the verdict. */
static void judge_monitor(struct run_judging *j)
{
	const struct ktstr_assert *limits = &j->variant->test->assert;
	struct judgement *out = j->out;
	int rc = run_monitor_read(&out->monitor, &j->outcome->samples, limits);

	if (rc < 0) {
		fail(j, DETAIL_MONITOR, err_text(rc));
		return;
	}
	if (out->result.verdict == KTSTR_FAILED)
		return;
	if (!j->variant->sched) {
		if (out->result.verdict != KTSTR_SKIPPED)
			run_monitor_without_scheduler(limits, &out->result);
		return;
	}
	j->is_of_monitor = run_monitor_judge(&out->monitor, limits, &out->result) &&
			   out->has_result;
	if (j->is_of_monitor)
		j->headline = "passed scenario but monitor failed";
}

static void add_lines(struct run_judging *j, const struct str *lines, enum detail_kind kind,
		      enum ktstr_verdict verdict)
{
	for (const char *at = str_get(lines); *at; at += strcspn(at, "\n") + 1)
		result_add(&j->out->result, kind, verdict, "%.*s", (int)strcspn(at, "\n"), at);
}

/* Judges the invariants of the scheduler's variables, in any case. */
static void judge_invariants(struct run_judging *j)
{
	add_lines(j, &j->outcome->broken_invariants, DETAIL_INVARIANT, KTSTR_FAILED);
	if (j->out->has_result)
		add_lines(j, &j->outcome->unknown_invariants, DETAIL_INVARIANT, KTSTR_INCONCLUSIVE);
}

/* Adds the result of the test's post_vm, which evaluated the snapshots on the host. */
static void judge_post_vm(struct run_judging *j)
{
	_cleanup_(result_finish) struct ktstr_result part = {};
	struct str *text = &j->outcome->post_vm;
	int rc;

	if (j->out->has_result)
		add_lines(j, &j->outcome->problems, DETAIL_OTHER, KTSTR_FAILED);
	if (!text->len)
		return;
	result_init(&part);
	rc = result_from_json(&part, text->s, text->len);
	if (rc < 0)
		result_add(&j->out->result, DETAIL_OTHER, KTSTR_FAILED,
			   "the result of post_vm cannot be read: %s", err_text(rc));
	else
		result_merge(&j->out->result, &part);
}

/* Returns whether the error matches the expected one. *wanted = what was expected. */
static bool is_expected_error(const struct run_judging *j, const char **wanted)
{
	const struct probe_test *t = j->variant->test;
	const struct sched_report *r = &j->out->sched_report;
	_str_ struct str said = {};

	if (r->exit_reason)
		str_addf(&said, "%s\n", r->exit_reason);
	if (r->exit_message)
		str_addf(&said, "%s\n", r->exit_message);
	str_addn(&said, str_get(&j->outcome->sched_log), j->outcome->sched_log.len);
	*wanted = t->expect_scx_bpf_error_contains;
	if (*wanted && !strstr(str_get(&said), *wanted))
		return false;
	*wanted = t->expect_scx_bpf_error_matches;
	return !*wanted || pattern_matches(*wanted, str_get(&said));
}

/* Judges expect_err: a failure of the test itself is expected, one of ktstr is not. */
static enum ktstr_verdict judge_expectation(struct run_judging *j)
{
	const struct probe_test *t = j->variant->test;
	enum ktstr_verdict found = j->out->result.verdict;
	const char *wanted;

	if (!t->expect_err)
		return verdict_expected(found, false, t->allow_inconclusive);
	if (found == KTSTR_FAILED && !j->out->has_result && !j->is_error_of_test)
		return KTSTR_FAILED;
	if (found == KTSTR_FAILED && !is_expected_error(j, &wanted)) {
		result_add(&j->out->result, DETAIL_OTHER, KTSTR_FAILED,
			   "the error is not the expected one: '%s' is neither in the scheduler's "
			   "exit nor in its log",
			   wanted);
		return KTSTR_FAILED;
	}
	if (found == KTSTR_PASSED)
		j->headline = "passed, but an error was expected";
	return verdict_expected(found, true, t->allow_inconclusive);
}

/* Without events most checks judge nothing, and a pass says little: that must not be silent. */
static void note_missing_events(struct run_judging *j)
{
	const char *why = events_missing(&j->out->result);
	size_t observer;

	observer_program(&observer);
	/* runner.c warns of a ktstr that was built without an observer. */
	if (why && observer)
		str_addf(
			&j->outcome->notes,
			"warning: waits, idle CPUs, shares and migrations are not judged: scheduling "
			"events were not recorded: %s\n",
			why);
}

static void judge_cleanup(struct run_judging *j)
{
	uint64_t budget_ms = j->variant->test->cleanup_budget_ms;
	const struct outcome_facts *f = &j->outcome->facts;

	if (!budget_ms || !f->has_cleanup || f->cleanup_ns <= budget_ms * NSEC_PER_MSEC)
		return;
	result_add(&j->out->result, DETAIL_OTHER, KTSTR_FAILED,
		   "cleaning up took %llums, the budget is %llums",
		   ULL(f->cleanup_ns / NSEC_PER_MSEC), ULL(budget_ms));
	result_set_time(&j->out->result, f->cleanup_ns);
}

static void write_skip_reason(struct run_judging *j)
{
	const struct ktstr_result *r = &j->out->result;

	for (size_t i = 0; i < r->details.count; i++)
		if (r->details.items[i].verdict == KTSTR_SKIPPED &&
		    r->details.items[i].kind != DETAIL_NOTE)
			str_addf(&j->out->text, "%s%s", j->out->text.len ? "; " : "",
				 r->details.items[i].message);
	if (!j->out->text.len)
		str_add(&j->out->text, "no check applied");
}

static const enum test_status statuses[VERDICT_COUNT] = {
	[VERDICT_AT(KTSTR_FAILED)] = TEST_FAILED,
	[VERDICT_AT(KTSTR_INCONCLUSIVE)] = TEST_INCONCLUSIVE,
	[VERDICT_AT(KTSTR_PASSED)] = TEST_PASSED,
	[VERDICT_AT(KTSTR_SKIPPED)] = TEST_SKIPPED,
};

/* Turns a skip into a failure: with --no-skip-mode, and after an attempt that failed. */
static void refuse_skip(struct run_judging *j)
{
	const struct judge_options *o = j->options;
	_str_ struct str why = {};

	if (j->out->status != TEST_SKIPPED || !(o->fails_on_skip || o->is_retry))
		return;
	str_addf(&why, "skipped, %s: %s",
		 o->is_retry ? "after an attempt that failed" : "which this run does not allow",
		 str_get(&j->out->text));
	str_reset(&j->out->text);
	fail(j, DETAIL_OTHER, str_get(&why));
	j->out->status = TEST_FAILED;
	judgement_write_text(j);
}

static void judge_run(struct run_judging *j)
{
	struct judgement *out = j->out;
	enum ktstr_verdict verdict;

	read_result(j);
	read_stimuli(j);
	read_sched_report(j);
	judge_scheduler(j);
	judge_status(j);
	if (out->has_result)
		judge_rest(j);
	else
		judge_silence(j);
	note_watchdog(j);
	note_absences(j);
	note_missing_events(j);
	judge_cleanup(j);
	judge_monitor(j);
	judge_invariants(j);
	judge_post_vm(j);
	if (!j->variant->test->expect_err)
		host_time_excuse(&out->result, &j->outcome->facts.host_time);
	verdict = judge_expectation(j);
	out->status = statuses[verdict_index(verdict)];
	if ((j->outcome->facts.end == OUTCOME_TIMED_OUT || is_out_of_time(j->outcome)) &&
	    out->status == TEST_FAILED)
		out->status = TEST_TIMED_OUT;
	if (out->status == TEST_SKIPPED)
		write_skip_reason(j);
	else if (out->status != TEST_PASSED)
		judgement_write_text(j);
}

int judge(const struct variant *v, struct outcome *o, const struct judge_options *options,
	  struct judgement *out)
{
	struct run_judging j = { .variant = v, .outcome = o, .options = options, .out = out };
	int rc = 0;

	*out = (struct judgement){};
	if (o->facts.end == OUTCOME_SKIPPED) {
		result_init(&out->result);
		out->status = TEST_SKIPPED;
		str_add(&out->text, str_get(&o->message));
	} else {
		judge_run(&j);
	}
	refuse_skip(&j);
	if (out->has_result)
		rc = versus_collect(&out->result, &out->versus);
	rc = rc ?: versus_add_table(&out->versus, &out->note);
	str_trim_end(&out->text);
	return rc ?: str_check(&out->text);
}

void judgement_finish(struct judgement *j)
{
	result_finish(&j->result);
	sched_report_finish(&j->sched_report);
	str_finish(&j->text);
	str_finish(&j->note);
	versus_finish(&j->versus);
	run_monitor_finish(&j->monitor);
	*j = (struct judgement){};
}
