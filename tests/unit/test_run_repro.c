// SPDX-License-Identifier: GPL-2.0-only
/* Whether a failure is explained, with what, and what is kept of the second run. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "guest/scx_exit.h"
#include "kernel/btf.h"
#include "repro/parts.h"
#include "run/parts.h"

/* ---- what is played: repeating in sim, and telling of probes ---- */

static struct repro_request asked;
static char chain_text[512], digest[64];
static size_t repeats, tellings;
static int repro_rc;

int __wrap_repro_run(const struct repro_request *q, const struct repro_scene *scene,
		     struct repro_report *out);
int __wrap_repro_probed_tell(const struct repro_probed *q, struct repro_report *out);
int __wrap_btf_file_open(struct btf_file *f, const char *path);
bool __wrap_source_lines_search(struct source_lines *s, const struct kernel_image *k);

int __wrap_repro_run(const struct repro_request *q, const struct repro_scene *scene,
		     struct repro_report *out)
{
	(void)scene;
	asked = *q;
	repeats++;
	snprintf(digest, sizeof(digest), "%s", q->digest);
	*chain_text = '\0';
	for (size_t i = 0; i < q->chain->functions.count; i++)
		snprintf(chain_text + strlen(chain_text), sizeof(chain_text) - strlen(chain_text),
			 "%s ", q->chain->functions.items[i]);
	if (repro_rc < 0)
		return err_set(-repro_rc, "no plugin");
	str_add(&out->text, "the story\n");
	str_add(&out->pipeline, "the pipeline\n");
	str_add(&out->json, "{\"a\":1}");
	return 0;
}

int __wrap_repro_probed_tell(const struct repro_probed *q, struct repro_report *out)
{
	tellings++;
	assert_int_equal(q->cpu_count, 4);
	str_addf(&out->text, "told of %s\n", str_get(q->report));
	str_add(&out->json, "{\"p\":1}");
	return 0;
}

int __wrap_btf_file_open(struct btf_file *f, const char *path)
{
	(void)f;
	assert_string_equal(path, "/k/vmlinux");
	return 0;
}

bool __wrap_source_lines_search(struct source_lines *s, const struct kernel_image *k)
{
	(void)s;
	(void)k;
	return false;
}

/* ---- a run that failed ---- */

static struct {
	struct probe_test test;
	struct probe_sched sched;
	struct variant variant;
	struct run_kernel kernel;
	struct run_kernels kernels;
	struct run_world world;
	struct run_knobs knobs;
	struct job job;
	struct outcome out;
} made;

static struct probed_run second; /* what the run with probes comes to */
static char functions[512];
static int second_rc;

static int run_again(void *ctx, const char *names, struct probed_run *to)
{
	assert_ptr_equal(ctx, &made);
	snprintf(functions, sizeof(functions), "%s", names);
	*to = second;
	second = (struct probed_run){};
	return second_rc < 0 ? err_set(-second_rc, "no second VM") : 0;
}

static const struct job_again again = { .run = run_again, .ctx = &made };

#define STALLED                                                                                 \
	"{\"end\":\"stalled\",\"attached\":true,\"message\":\"it stalled\",\"exit\":{\"kind\":" \
	"1026,\"reason\":\"runnable task stall\",\"message\":\"a[7] failed to run for 1s\"}}"
#define BROKE                                                                                    \
	"{\"end\":\"error\",\"attached\":true,\"message\":\"it broke\",\"exit\":{\"kind\":1025," \
	"\"reason\":\"scx_bpf_error\",\"message\":\"bad cpu\"}}"
#define FAIL(message)                                                                  \
	"{\"schema_version\":1,\"verdict\":\"fail\",\"details\":[{\"kind\":\"Stuck\"," \
	"\"verdict\":\"fail\",\"message\":\"" message "\"}]}"

static int start(void **state)
{
	(void)state;
	memset(&made, 0, sizeof(made));
	made.test = (struct probe_test){ .name = "t", .auto_repro = true };
	made.sched.name = "mine";
	made.variant = (struct variant){ .test = &made.test,
					 .sched = &made.sched,
					 .topology = { 1, 1, 4, 1 } };
	made.kernel.image.vmlinux = (char *)"/k/vmlinux";
	made.kernels.items.items = &made.kernel;
	made.kernels.items.count = 1;
	made.world = (struct run_world){ .accel = VM_ACCEL_SIM, .kernels = &made.kernels };
	made.job = (struct job){ .world = &made.world,
				 .variant = &made.variant,
				 .knobs = &made.knobs,
				 .seed = 7,
				 .explains = true };
	snprintf(made.out.facts.digest, sizeof(made.out.facts.digest), "d1");
	made.out.facts.end = OUTCOME_EXITED;
	repeats = tellings = 0;
	repro_rc = second_rc = 0;
	*functions = '\0';
	return 0;
}

static int stop(void **state)
{
	(void)state;
	outcome_finish(&made.out);
	probed_run_finish(&second);
	second = (struct probed_run){};
	return 0;
}

#define MADE(f) cmocka_unit_test_setup_teardown(f, start, stop)

static void explain(void)
{
	const struct vm_session session = {};
	const struct repro_scene scene = {};

	str_finish(&made.out.repro_text);
	str_finish(&made.out.repro_pipeline);
	str_finish(&made.out.repro);
	made.out.repro_text = made.out.repro_pipeline = made.out.repro = (struct str){};
	job_repro(&made.job, &session, &scene, &again, &made.out);
}

static void set(struct str *to, const char *text)
{
	str_reset(to);
	str_add(to, text);
}

static void only_failures_under_a_scheduler_are_explained_where_that_is_wanted(void **state)
{
	(void)state;
	explain();
	assert_int_equal(repeats, 0);
	set(&made.out.sched_report, STALLED);
	explain();
	assert_int_equal(repeats, 1);
	made.job.explains = false;
	explain();
	made.job.explains = true;
	made.test.auto_repro = false;
	explain();
	made.test.auto_repro = true;
	made.variant.sched = NULL;
	explain();
	assert_int_equal(repeats, 1);
	made.variant.sched = &made.sched;
	/* A body that failed by itself. */
	set(&made.out.sched_report, "{\"end\":\"ran\",\"attached\":true}");
	explain();
	assert_int_equal(repeats, 1);
	set(&made.out.result, FAIL("stuck 900ms: a/1 (tid 55)"));
	explain();
	assert_int_equal(repeats, 2);
	set(&made.out.result, "{\"schema_version\":1,\"verdict\":\"pass\"}");
	explain();
	set(&made.out.result, "{");
	explain();
	assert_int_equal(repeats, 2);
}

static void the_cause_is_the_kernels_or_the_task_of_the_verdict(void **state)
{
	(void)state;
	set(&made.out.result, FAIL("stuck 900ms: a/1 (tid 55)"));
	explain();
	assert_int_equal(asked.cause.pid, 55);
	assert_int_equal(asked.cause.exit_kind, 0);
	assert_int_equal(asked.seed, 7);
	assert_string_equal(digest, "d1");
	assert_string_equal(asked.vmlinux, "/k/vmlinux");
	/* What the kernel says counts more. */
	set(&made.out.sched_report, STALLED);
	explain();
	assert_int_equal(asked.cause.pid, 0);
	assert_int_equal(asked.cause.exit_kind, SCX_KIND_STALL);
	/* Nobody is named: who waited longest. */
	set(&made.out.sched_report, "");
	set(&made.out.result,
	    "{\"schema_version\":1,\"verdict\":\"fail\",\"details\":[{\"kind\":\"Other\",\"verdict\":"
	    "\"fail\",\"message\":\"unfair\"}],\"cgroups\":["
	    "{\"name\":\"a\",\"worst_wait_us\":10,\"worst_wait_tid\":61},"
	    "{\"name\":\"b\",\"worst_wait_us\":30,\"worst_wait_tid\":62},"
	    "{\"name\":\"c\",\"worst_wait_us\":20,\"worst_wait_tid\":63}]}");
	explain();
	assert_int_equal(asked.cause.pid, 62);
}

static void a_scheduler_that_did_not_attach_has_nothing_to_repeat(void **state)
{
	(void)state;
	set(&made.out.sched_report, "{\"end\":\"timeout\",\"attached\":false}");
	explain();
	assert_int_equal(repeats, 0);
	assert_string_equal(str_get(&made.out.repro_text),
			    "PRIMARY DID NOT REACH WORKLOAD: scheduler did not attach (timeout)\n");
}

static void the_story_is_kept_or_why_there_is_none(void **state)
{
	(void)state;
	set(&made.out.sched_report, BROKE);
	explain();
	assert_string_equal(str_get(&made.out.repro_text), "the story\n");
	assert_string_equal(str_get(&made.out.repro_pipeline), "the pipeline\n");
	assert_string_equal(str_get(&made.out.repro), "{\"runs\":[{\"a\":1}]}");
	repro_rc = -EIO;
	explain();
	assert_string_equal(str_get(&made.out.repro_text), "not run again: no plugin\n");
	assert_string_equal(str_get(&made.out.repro), "");
}

static void functions_that_are_given_are_looked_at(void **state)
{
	(void)state;
	set(&made.out.sched_report, BROKE);
	explain();
	assert_false(asked.is_given);
	assert_string_equal(chain_text, "");
	made.job.probe_stack = "do_enqueue_task,balance_one";
	explain();
	assert_true(asked.is_given);
	assert_string_equal(chain_text, "do_enqueue_task balance_one ");
}

/* ---- where no run can be repeated ---- */

static void the_second_run_with_probes_is_told(void **state)
{
	(void)state;
	made.world.accel = VM_ACCEL_KVM;
	made.job.probe_stack = "do_enqueue_task,balance_one";
	set(&made.out.sched_report, BROKE);
	set(&second.report, "probes");
	set(&second.outcome.sched_report, BROKE);
	set(&second.outcome.sched_log, "first\nlast");
	set(&second.outcome.dump, "{}");
	second.outcome.facts.end = OUTCOME_EXITED;
	second.outcome.facts.duration_ns = 2500 * NSEC_PER_MSEC;
	explain();
	assert_int_equal(repeats, 0);
	assert_int_equal(tellings, 1);
	assert_string_equal(functions, "do_enqueue_task,balance_one");
	assert_string_equal(str_get(&made.out.repro_text),
			    "second run under kvm, with BPF probes: not the run that failed\n"
			    "told of probes\n"
			    "scheduler crashed — bad cpu\n"
			    "repro VM duration: 2.5s\n"
			    "repro VM scheduler log:\nfirst\nlast\n");
	assert_string_equal(str_get(&made.out.repro_pipeline),
			    "extracted: 2 functions of the kernel, 0 of BPF\n");
	assert_string_equal(str_get(&made.out.repro), "{\"runs\":[{\"p\":1}]}");
	assert_string_equal(str_get(&made.out.repro_dump), "{}");
}

static void ends_of_the_second_run_have_words(void **state)
{
	static const struct {
		const char *report, *result;
		enum outcome_end end;
		int status;
		const char *text;
	} rows[] = {
		{ "", "", OUTCOME_TIMED_OUT, 0, "repro VM: timed out\n" },
		{ "{\"end\":\"verifier\",\"attached\":false}", "", OUTCOME_EXITED, 0,
		  "scheduler did not attach (verifier)\n" },
		{ STALLED, "", OUTCOME_EXITED, 0,
		  "scheduler crashed — a[7] failed to run for 1s\n" },
		{ "{\"end\":\"ran\",\"attached\":true}", FAIL("x"), OUTCOME_EXITED, 1,
		  "exited abnormally (exit code 1)\n" },
		{ "{\"end\":\"ran\",\"attached\":true}", "", OUTCOME_EXITED, 3,
		  "exited abnormally (exit code 3)\n" },
		{ "{\"end\":\"ran\",\"attached\":true}", "", OUTCOME_CRASHED, 0,
		  "exited abnormally (exit code 0)\n" },
		{ "{\"end\":\"ran\",\"attached\":true}", "", OUTCOME_EXITED, 0,
		  "scheduler ran normally (crash did not reproduce)\n" },
	};

	(void)state;
	made.world.accel = VM_ACCEL_TCG;
	set(&made.out.sched_report, BROKE);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		set(&second.report, "probes");
		set(&second.outcome.sched_report, rows[i].report);
		set(&second.outcome.result, rows[i].result);
		second.outcome.facts.end = rows[i].end;
		second.outcome.facts.status = rows[i].status;
		explain();
		if (!strstr(str_get(&made.out.repro_text), rows[i].text))
			fail_msg("%zu: %s", i, str_get(&made.out.repro_text));
	}
	/* Nothing was given, and there is no stack. */
	assert_string_equal(functions, "-");
}

static void of_a_long_log_the_last_lines_are_shown(void **state)
{
	(void)state;
	made.world.accel = VM_ACCEL_KVM;
	set(&made.out.sched_report, BROKE);
	set(&second.report, "probes");
	set(&second.outcome.sched_report, BROKE);
	for (int i = 1; i <= 50; i++)
		str_addf(&second.outcome.sched_dump, "line %d\n", i);
	explain();
	assert_non_null(strstr(str_get(&made.out.repro_text),
			       "repro VM sched_ext dump:\nline 11\nline 12\n"));
	assert_non_null(strstr(str_get(&made.out.repro_text), "line 50\n"));
}

static void a_second_run_that_says_nothing_explains_nothing(void **state)
{
	(void)state;
	made.world.accel = VM_ACCEL_KVM;
	set(&made.out.sched_report, BROKE);
	explain();
	assert_int_equal(tellings, 0);
	assert_non_null(strstr(str_get(&made.out.repro_text),
			       "not explained: the second run left no report of its probes\n"));
	second_rc = -EIO;
	explain();
	assert_string_equal(str_get(&made.out.repro_text), "not explained: no second VM\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE(only_failures_under_a_scheduler_are_explained_where_that_is_wanted),
		MADE(the_cause_is_the_kernels_or_the_task_of_the_verdict),
		MADE(a_scheduler_that_did_not_attach_has_nothing_to_repeat),
		MADE(the_story_is_kept_or_why_there_is_none),
		MADE(functions_that_are_given_are_looked_at),
		MADE(the_second_run_with_probes_is_told),
		MADE(ends_of_the_second_run_have_words),
		MADE(of_a_long_log_the_last_lines_are_shown),
		MADE(a_second_run_that_says_nothing_explains_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
