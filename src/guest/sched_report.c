// SPDX-License-Identifier: GPL-2.0-only
/* Turns the facts about a scheduler into a verdict, a sentence and JSON. */
#include "guest/sched.h"

#include <sys/wait.h>

#include "guest/protocol.h"

static const char *const stage_names[] = {
	[SCHED_STAGE_ATTACH] = "attach",
	[SCHED_STAGE_PAYLOAD] = "payload",
	[SCHED_STAGE_DETACH] = "detach",
};

/* The end as the kernel reports it; NULL = not reported, or the process released it. */
static const char *end_by_kernel(const struct scx_exit *e)
{
	if (!e->is_known || e->kind == SCX_KIND_UNREG)
		return NULL;
	if (e->kind == SCX_KIND_STALL)
		return GUEST_SCHED_END_STALLED;
	return e->kind && e->kind < SCX_KIND_ERROR ? GUEST_SCHED_END_UNREGISTERED :
						     GUEST_SCHED_END_ERROR;
}

static const char *end_before_attach(const struct sched_life *r)
{
	const char *by_kernel = end_by_kernel(&r->exit);

	if (r->start_problem[0])
		return GUEST_SCHED_END_NOT_STARTED;
	if (by_kernel)
		return by_kernel;
	if (r->has_rejection)
		return GUEST_SCHED_END_VERIFIER;
	return r->has_status && !r->was_killed ? GUEST_SCHED_END_DIED :
						 GUEST_SCHED_END_NOT_ATTACHED;
}

/*
 * A process that dies takes its scheduler with it, which the kernel reports as
 * unregistered; and a process whose scheduler the kernel ejected exits by itself. What came
 * first counts, and the kernel's reason shows it.
 */
static const char *end_while_attached(const struct sched_life *r)
{
	const char *by_kernel = end_by_kernel(&r->exit);

	if (r->is_released && (!by_kernel || str_eq(by_kernel, GUEST_SCHED_END_UNREGISTERED)))
		return GUEST_SCHED_END_RELEASED;
	if (by_kernel)
		return by_kernel;
	return r->has_status && !r->has_outlived ? GUEST_SCHED_END_DIED :
						   GUEST_SCHED_END_UNREGISTERED;
}

const char *sched_report_end(const struct sched_life *r)
{
	if (!r->has_attached)
		return end_before_attach(r);
	if (r->has_ended && r->stage == SCHED_STAGE_PAYLOAD)
		return end_while_attached(r);
	if (r->exit.is_known && r->exit.kind >= SCX_KIND_ERROR)
		return end_while_attached(r);
	return r->was_killed ? GUEST_SCHED_END_KILLED : GUEST_SCHED_END_RAN;
}

static void add_status(const struct sched_life *r, struct str *out)
{
	if (!r->has_status)
		return;
	if (WIFSIGNALED(r->status))
		str_addf(out, " (signal %d, %s)", WTERMSIG(r->status),
			 strsignal(WTERMSIG(r->status)));
	else
		str_addf(out, " (exit code %d)", WEXITSTATUS(r->status));
}

static void add_exit(const struct sched_life *r, struct str *out)
{
	if (!r->exit.is_known)
		return;
	str_addf(out, ": %s", r->exit.reason);
	if (r->exit.message[0])
		str_addf(out, ": %s", r->exit.message);
}

static void add_not_attached(const struct sched_life *r, struct str *out)
{
	str_add(out, "scheduler did not attach: ");
	if (r->lacks_sched_ext)
		str_add(out, "sched_ext sysfs absent, this kernel has no sched_ext");
	else if (r->other_ops[0])
		str_addf(out, "scheduler %s was attached before it started", r->other_ops);
	else
		str_addf(out, "timeout, not attached within %u s", r->attach_limit_s);
}

static void add_into_test(const struct sched_life *r, struct str *out)
{
	str_addf(out, " (%.1fs into test)", (double)r->ended_ns / NSEC_PER_SEC);
}

static void add_verifier(const struct sched_life *r, struct str *out)
{
	str_add(out, "scheduler rejected by the kernel's verifier");
	if (r->rejection.program[0])
		str_addf(out, ": program %s", r->rejection.program);
	add_status(r, out);
	if (r->rejection.reason[0])
		str_addf(out, ": %s", r->rejection.reason);
}

static void add_died(const struct sched_life *r, struct str *out)
{
	if (r->has_attached)
		str_add(out, "scheduler process died unexpectedly during workload");
	else
		str_addf(out, "scheduler process died before %s",
			 r->was_enabled ? "the test began" : "it was attached");
	if (r->has_attached)
		add_into_test(r, out);
	add_status(r, out);
	if (r->last_words[0])
		str_addf(out, ": %s", r->last_words);
}

static void add_taken_down(const struct sched_life *r, struct str *out)
{
	str_add(out, r->has_outlived && r->exit.kind == SCX_KIND_UNREG ?
			     "scheduler was detached while its process went on" :
			     "the kernel took the scheduler down");
	add_exit(r, out);
	if (r->stage == SCHED_STAGE_PAYLOAD)
		add_into_test(r, out);
	else if (r->stage == SCHED_STAGE_ATTACH)
		str_addf(out, " (%s)",
			 r->was_enabled ? "before the test began" : "while it was being attached");
	if (r->back_after_ns)
		str_addf(out, ", and its loader started it again after %.1fs",
			 (double)r->back_after_ns / NSEC_PER_SEC);
	else if (r->has_outlived && r->exit.is_known && r->exit.kind < SCX_KIND_ERROR)
		str_addf(out, ", and it was not back within %u s", r->return_limit_s);
}

void sched_report_message(const struct sched_life *r, struct str *out)
{
	const char *end = sched_report_end(r);

	if (str_eq(end, GUEST_SCHED_END_NOT_STARTED))
		str_addf(out, "scheduler could not be started: %s: %s", r->program,
			 r->start_problem);
	else if (str_eq(end, GUEST_SCHED_END_VERIFIER))
		add_verifier(r, out);
	else if (str_eq(end, GUEST_SCHED_END_NOT_ATTACHED))
		add_not_attached(r, out);
	else if (str_eq(end, GUEST_SCHED_END_DIED))
		add_died(r, out);
	else if (str_eq(end, GUEST_SCHED_END_RAN))
		str_add(out, "scheduler ran to the end and detached");
	else if (str_eq(end, GUEST_SCHED_END_KILLED))
		str_add(out, "scheduler ran to the end but did not leave when told to");
	else if (str_eq(end, GUEST_SCHED_END_RELEASED))
		str_add(out, "scheduler was taken down by the test");
	else
		add_taken_down(r, out);
}

int32_t sched_report_code(const struct sched_life *r)
{
	if (!r->has_status)
		return 0;
	return WIFSIGNALED(r->status) ? -WTERMSIG(r->status) : WEXITSTATUS(r->status);
}

static const char *known(const char *text)
{
	return text[0] ? text : NULL;
}

static void put_exit(const struct scx_exit *e, struct json *j)
{
	if (!e->is_known) {
		json_put_null(j, "exit");
		return;
	}
	json_put_object(j, "exit");
	json_put_known_u64(j, "kind", e->kind != 0, (uint64_t)e->kind);
	json_put_string(j, "reason", e->reason);
	json_put_string(j, "message", known(e->message));
	json_put_string(j, "source", e->source);
	json_object_end(j);
}

static void put_watchdog(const struct sched_watchdog *w, struct json *j)
{
	if (!w->is_wanted) {
		json_put_null(j, "watchdog");
		return;
	}
	json_put_object(j, "watchdog");
	json_put_u64(j, "requested_s", w->seconds);
	json_put_known_u64(j, "previous_ms", w->is_written, w->previous_ms);
	json_put_known_u64(j, "written_ms", w->is_written, w->written_ms);
	json_put_string(j, "problem", known(w->problem));
	json_object_end(j);
}

static void put_programs(const struct sched_life *r, struct json *j)
{
	json_put_array(j, "programs");
	for (size_t i = 0; i < r->program_count; i++) {
		json_object(j);
		json_put_string(j, "name", r->programs[i].name);
		json_put_u64(j, "verified_insns", r->programs[i].verified_insns);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_absences(const struct sched_life *r, struct json *j)
{
	json_put_array(j, "absences");
	for (size_t i = 0; i < MIN(r->absence_count, (size_t)SCHED_MAX_ABSENCES); i++) {
		json_object(j);
		json_put_u64(j, "left_ns", r->absences[i].left_ns);
		json_put_u64(j, "away_ns", r->absences[i].away_ns);
		json_put_string(j, "reason", r->absences[i].reason);
		json_object_end(j);
	}
	json_array_end(j);
	json_put_u64(j, "absence_count", r->absence_count);
}

static void put_process(const struct sched_life *r, struct json *j)
{
	/* A signal that init sent says nothing about the scheduler. */
	bool is_signal = r->has_status && WIFSIGNALED(r->status) && !r->was_killed;
	bool is_exit = r->has_status && WIFEXITED(r->status);

	json_put_bool(j, "started", !r->start_problem[0] && (r->pid || r->has_forked_away));
	json_put_known_u64(j, "pid", r->pid != 0, (uint64_t)r->pid);
	json_put_bool(j, "forked_away", r->has_forked_away);
	json_put_bool(j, "attached", r->has_attached || r->was_enabled);
	json_put_string(j, "ops", known(r->ops));
	json_put_known_u64(j, "attach_ns", r->has_attached, r->attach_ns);
	json_put_string(j, "stage", stage_names[r->stage]);
	json_put_known_u64(j, "ended_ns", r->has_ended && r->stage == SCHED_STAGE_PAYLOAD,
			   r->ended_ns);
	json_put_known_u64(j, "exit_code", is_exit, is_exit ? WEXITSTATUS(r->status) : 0);
	json_put_known_u64(j, "signal", is_signal, is_signal ? WTERMSIG(r->status) : 0);
	json_put_bool(j, "released", r->is_released);
	json_put_known_u64(j, "payload_signal", r->payload_signal, (uint64_t)r->payload_signal);
}

void sched_report_json(const struct sched_life *r, struct str *out)
{
	_str_ struct str message = {};
	struct json j;

	sched_report_message(r, &message);
	json_init(&j, out, false);
	json_object(&j);
	json_put_string(&j, "end", sched_report_end(r));
	json_put_string(&j, "message", str_get(&message));
	put_process(r, &j);
	put_absences(r, &j);
	put_exit(&r->exit, &j);
	put_watchdog(&r->watchdog, &j);
	put_programs(r, &j);
	json_put_known_u64(&j, "nr_rejected", r->state.has_rejected, r->state.rejected);
	json_put_known_u64(&j, "enable_seq", r->state.has_enable_seq, r->state.enable_seq);
	json_put_u64(&j, "log_bytes", r->log_bytes);
	json_put_u64(&j, "log_omitted_bytes", r->log_omitted);
	json_put_u64(&j, "dump_bytes", r->dump_bytes);
	json_put_u64(&j, "dump_omitted_bytes", r->dump_omitted);
	json_object_end(&j);
}
