// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr debug`: where gdb begins, what it is given, and how the run ended. */
#include "cli_run.h"

#include <errno.h>

#include "base/cleanup.h"
#include "cli/recorded.h"
#include "debug/debug.h"
#include "guest/protocol.h"

static struct sidecar record;
static struct lab_request request;
static struct debug_options options; /* of the run */
static char digest[64], scheduler[64], arguments[64], script[64];
static struct str noted;
static bool has_record;
static const char *job_scheduler;
static int gdb_rc, debug_rc;
static struct debug_end end;
static enum outcome_end job_end;
static uint64_t seed;
static size_t installs;	       /* of handlers for ^C */
static const char *now_kernel; /* hash of the kernel that is run */

int __wrap_gdb_check(void);
int __wrap_recorded_open(struct recorded *r, const struct cli_call *call,
			 const struct lab_words *words, struct lab_request *out);
int __wrap_lab_open(struct lab *l, const struct lab_request *r);
void __wrap_lab_finish(struct lab *l);
void __wrap_job_run(const struct job *job, struct outcome *out);
int __wrap_debug_run(const struct debug_options *o, const struct vm_session *session,
		     const char *vmlinux, struct vm_result *result, struct debug_end *to);
void __wrap_log_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void __wrap_interrupt_install(void);

int __wrap_gdb_check(void)
{
	return gdb_rc < 0 ? err_set(-gdb_rc, "no gdb") : 0;
}

int __wrap_recorded_open(struct recorded *r, const struct cli_call *call,
			 const struct lab_words *words, struct lab_request *out)
{
	(void)call;
	assert_int_equal(words->count, 1);
	assert_string_equal(words->items[0], "RUN");
	r->record = has_record ? &record : NULL;
	request = *out;
	snprintf(scheduler, sizeof(scheduler), "%s", out->scheduler ? out->scheduler : "-");
	return 0;
}

static struct probe_test test = { .name = "race" };
static struct probe_sched sched = { .name = "mine" };
static struct variant variant = { .name = "ktstr/race", .test = &test };
static struct vm_qemu qemu = { .version_text = (char *)"9.0" };
static struct run_world world = { .qemu = &qemu };
static struct task task = { .job = { .variant = &variant, .world = &world } };

int __wrap_lab_open(struct lab *l, const struct lab_request *r)
{
	(void)r;
	*l = (struct lab){ .task = &task };
	task.job.scheduler = job_scheduler;
	return 0;
}

void __wrap_lab_finish(struct lab *l)
{
	(void)l;
}

void __wrap_job_run(const struct job *job, struct outcome *out)
{
	struct vm_session session = {};
	struct vm_result result;
	int rc;

	seed = job->seed;
	assert_int_equal(job->event_fd, -1);
	snprintf(out->facts.kernel_hash, sizeof(out->facts.kernel_hash), "%s", now_kernel);
	snprintf(out->facts.initramfs_hash, sizeof(out->facts.initramfs_hash), "files");
	rc = job->run_instead(job->instead, &session, "/vmlinux", &result);
	out->facts.end = job_end;
	snprintf(out->facts.digest, sizeof(out->facts.digest), "%s", "0123456789abcdefNEW");
	if (rc < 0)
		str_add(&out->message, "the emulator is gone");
}

int __wrap_debug_run(const struct debug_options *o, const struct vm_session *session,
		     const char *vmlinux, struct vm_result *result, struct debug_end *to)
{
	(void)session;
	(void)result;
	assert_string_equal(vmlinux, "/vmlinux");
	options = *o;
	snprintf(digest, sizeof(digest), "%s", o->digest);
	*arguments = '\0';
	for (size_t i = 0; i < o->gdb.argument_count; i++)
		snprintf(arguments + strlen(arguments), sizeof(arguments) - strlen(arguments),
			 "%s ", o->gdb.arguments[i]);
	snprintf(script, sizeof(script), "%s", o->gdb.script ? o->gdb.script : "-");
	*to = end;
	return debug_rc;
}

void __wrap_log_note(const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	str_addf(&noted, "%s\n", text);
}

void __wrap_interrupt_install(void)
{
	installs++;
}

static int start(void **state)
{
	(void)state;
	record = (struct sidecar){ .outcome = KTSTR_FAILED,
				   .digest = "DIGESTOFTHERECORDTHATISLONG",
				   .seed = 7,
				   .kernel_hash = "kernel",
				   .initramfs_hash = "files",
				   .qemu_version = "9.0" };
	now_kernel = "kernel";
	has_record = true;
	job_scheduler = "/bin/mine";
	variant.sched = &sched;
	gdb_rc = debug_rc = 0;
	installs = 0;
	end = (struct debug_end){ .is_ended = true, .is_same = true };
	job_end = OUTCOME_EXITED;
	unsetenv("KTSTR_NO_PERF_MODE");
	return 0;
}

static int stop(void **state)
{
	(void)state;
	str_finish(&noted);
	cli_forget();
	return 0;
}

#define PLAYED(f) cmocka_unit_test_setup_teardown(f, start, stop)

static void gdb_begins_where_it_is_told(void **state)
{
	static const struct {
		const char *words;
		enum ktstr_verdict outcome;
		enum debug_at at;
		uint64_t time_ns;
	} rows[] = {
		{ "", KTSTR_FAILED, DEBUG_AT_FAILURE, 0 },
		{ "", KTSTR_PASSED, DEBUG_AT_START, 0 },
		{ "--at start", KTSTR_FAILED, DEBUG_AT_START, 0 },
		{ "--at failure", KTSTR_PASSED, DEBUG_AT_FAILURE, 0 },
		{ "--at 2s", KTSTR_FAILED, DEBUG_AT_TIME, 2000000000 },
		{ "--at 15ms", KTSTR_FAILED, DEBUG_AT_TIME, 15000000 },
		{ "--at 4.250013s", KTSTR_FAILED, DEBUG_AT_TIME, 4250013000 },
		{ "--at 0.000000001s", KTSTR_FAILED, DEBUG_AT_TIME, 1 },
		{ "--at 0.0000000019s", KTSTR_FAILED, DEBUG_AT_TIME, 1 },
		{ "--at 18446744073.5s", KTSTR_FAILED, DEBUG_AT_TIME, 18446744073500000000U },
		{ "--at 18446744073.709551615s", KTSTR_FAILED, DEBUG_AT_TIME, UINT64_MAX },
		{ "--break do_it", KTSTR_FAILED, DEBUG_AT_SYMBOL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *line = str_fmt("debug RUN %s", rows[i].words);

		record.outcome = rows[i].outcome;
		assert_int_equal(cli_run(line), 0);
		assert_int_equal(options.at, rows[i].at);
		assert_true(options.time_ns == rows[i].time_ns);
	}
	assert_int_equal(installs, ARRAY_SIZE(rows));
	assert_string_equal(digest, "DIGESTOFTHERECORDTHATISLONG");
	assert_int_equal(seed, 7);
}

static void times_that_are_none_are_refused(void **state)
{
	static const char *const times[] = { "soon",  "1.5",	       "1.5x",
					     ".5s",   "1.s5",	       "18446744074.5s",
					     "1.5sx", "18446744073.9s" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		_free_ char *line = str_fmt("debug RUN --at %s", times[i]);

		assert_int_equal(cli_run(line), 2);
		expect_in(cli_err, "--at is start, failure, or a time of the guest's clock such as "
				   "1.25s, not '");
	}
}

static void gdb_is_given_what_is_for_it(void **state)
{
	(void)state;
	assert_int_equal(cli_run("debug RUN"), 0);
	assert_false(options.may_write || options.gdb.is_batch);
	assert_string_equal(script, "-");
	assert_string_equal(arguments, "");
	assert_true(options.has_scheduler);
	assert_string_equal(options.scheduler, "/bin/mine");
	assert_false(request.is_quiet || request.no_perf_mode);
	assert_string_equal(scheduler, "-");
	variant.sched = NULL;
	job_scheduler = NULL;
	assert_int_equal(cli_run("debug RUN --write --batch -x file --quiet --scheduler-bin /other "
				 "-- -ex bt"),
			 0);
	assert_true(options.may_write && options.gdb.is_batch && request.is_quiet);
	assert_string_equal(script, "file");
	assert_string_equal(arguments, "-ex bt ");
	assert_false(options.has_scheduler);
	assert_null(options.scheduler);
	assert_string_equal(scheduler, "/other");
	assert_string_equal(request.label, "ktstr");
}

/* The task of the verdict, else the one with the longest wait; none if the scheduler was ejected. */
static void the_task_that_waited_is_found(void **state)
{
	struct sidecar_detail details[] = {
		{ .verdict = KTSTR_FAILED, .message = "nobody" },
		{ .verdict = KTSTR_INCONCLUSIVE, .message = "tid 41 (a) waited 900ms" },
		{ .verdict = KTSTR_FAILED, .message = "tid 42 (a) waited 900ms" },
	};
	struct sidecar_cgroup cgroups[] = {
		{ .worst_wait_us = { true, 5 }, .worst_wait_tid = { false, 1 } },
		{ .worst_wait_us = { true, 2 }, .worst_wait_tid = { true, 2 } },
		{ .worst_wait_us = { true, 4 }, .worst_wait_tid = { true, 3 } },
		{ .worst_wait_us = { true, 4 }, .worst_wait_tid = { true, 4 } },
	};
	static const char *const ends[] = { GUEST_SCHED_END_ERROR, GUEST_SCHED_END_STALLED,
					    GUEST_SCHED_END_UNREGISTERED };

	(void)state;
	assert_int_equal(cli_run("debug RUN"), 0);
	assert_int_equal(options.waiter, 0);
	record.stats.cgroups = cgroups;
	record.stats.cgroup_count = ARRAY_SIZE(cgroups);
	assert_int_equal(cli_run("debug RUN"), 0);
	assert_int_equal(options.waiter, 3);
	record.details = details;
	record.detail_count = ARRAY_SIZE(details);
	assert_int_equal(cli_run("debug RUN"), 0);
	assert_int_equal(options.waiter, 42);
	record.scheduler_exit.end = GUEST_SCHED_END_DIED;
	assert_int_equal(cli_run("debug RUN"), 0);
	assert_int_equal(options.waiter, 42);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		record.scheduler_exit.end = ends[i];
		assert_int_equal(cli_run("debug RUN"), 0);
		assert_int_equal(options.waiter, 0);
	}
	record.scheduler_exit.end = NULL;
	record.outcome = KTSTR_PASSED;
	assert_int_equal(cli_run("debug RUN"), 0);
	assert_int_equal(options.waiter, 0);
}

static void differences_are_told_before_the_run(void **state)
{
	(void)state;
	assert_int_equal(cli_run("debug RUN"), 0);
	assert_string_equal(str_get(&noted), "");
	now_kernel = "other";
	assert_int_equal(cli_run("debug RUN"), 0);
	expect_in(str_get(&noted),
		  "warning: this will not be the run of the record; what differs: ");
	expect_in(str_get(&noted), "kernel");
	assert_null(strstr(str_get(&noted), "scheduler"));
	str_reset(&noted);
	/* Without hashes there is nothing to compare. */
	record.kernel_hash = NULL;
	assert_int_equal(cli_run("debug RUN"), 0);
	assert_string_equal(str_get(&noted), "");
}

static void the_end_of_the_session_decides(void **state)
{
	static const struct {
		struct debug_end end;
		enum outcome_end job_end;
		int debug_rc, expected;
		const char *message;
	} rows[] = {
		{ { .is_ended = true, .is_same = true }, OUTCOME_EXITED, 0, 0, NULL },
		{ { .is_ended = true },
		  OUTCOME_EXITED,
		  0,
		  -EIO,
		  "this run differs from the recorded one (digest DIGESTOFTHERECOR, now "
		  "0123456789abcdef); ktstr replay tells what differs" },
		{ { .is_ended = true, .is_written = true }, OUTCOME_EXITED, 0, 0, NULL },
		{ {}, OUTCOME_NOT_RUN, -EIO, -EIO, "the emulator is gone" },
		/* gdb was left, and nobody pressed ^C. */
		{ {}, OUTCOME_INTERRUPTED, -EINTR, 0, NULL },
		{ {}, OUTCOME_INTERRUPTED, -EIO, RUN_EXIT_INTERRUPTED, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		end = rows[i].end;
		job_end = rows[i].job_end;
		debug_rc = rows[i].debug_rc;
		assert_int_equal(cli_run("debug RUN"), rows[i].expected);
		if (rows[i].message)
			assert_string_equal(err_text(rows[i].expected), rows[i].message);
	}
}

static void what_is_no_record_cannot_be_debugged(void **state)
{
	(void)state;
	has_record = false;
	assert_int_equal(cli_run("debug RUN"), -ENOENT);
	assert_string_equal(err_text(-ENOENT), "RUN is neither a record (*.ktstr.json) nor the "
					       "directory of a run");
	gdb_rc = -ENOENT;
	assert_int_equal(cli_run("debug RUN"), -ENOENT);
	assert_string_equal(err_text(-ENOENT), "no gdb");
	gdb_rc = -EINTR;
	assert_int_equal(cli_run("debug RUN"), RUN_EXIT_INTERRUPTED);
	assert_int_equal(cli_run("debug RUN -E test("), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLAYED(gdb_begins_where_it_is_told),
		PLAYED(times_that_are_none_are_refused),
		PLAYED(gdb_is_given_what_is_for_it),
		PLAYED(the_task_that_waited_is_found),
		PLAYED(differences_are_told_before_the_run),
		PLAYED(the_end_of_the_session_decides),
		PLAYED(what_is_no_record_cannot_be_debugged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
