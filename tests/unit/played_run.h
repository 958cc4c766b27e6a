/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run of `ktstr test` from its options to its records, in which the test plays what takes time:
 * programs that declare tests, kernels, the VM, and what becomes of each attempt. For one file of a
 * program: it defines the functions that are played.
 */
#ifndef KTSTR_TESTS_PLAYED_RUN_H
#define KTSTR_TESTS_PLAYED_RUN_H

#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "run/parts.h"

#define PLAYED_TESTS 3
#define PLAYED_KERNELS 2

/* What the test sets before, and finds afterwards. */
static struct {
	struct runner_options options;
	struct probe_sched sched;
	struct probe_test tests[PLAYED_TESTS];
	size_t test_count;
	size_t program_count; /* with the same tests each: "mine", "mine1", ... */
	const char *source;   /* file that the program was made from, or NULL */
	bool is_instrumented; /* the program */
	const char *versions[PLAYED_KERNELS];
	enum kernel_answer has_scx[PLAYED_KERNELS];
	enum vm_accel accel;
	struct vm_qemu *qemu;  /* or NULL */
	const char *scheduler; /* what is found for a test that declares one; NULL = nothing is */
	/* What an attempt comes to; it has passed before. */
	void (*play)(const struct task *t, struct outcome *o);
	int execute_rc;
	bool has_screen; /* there is a line of what runs: at first two tasks, at last none */
	/* What was asked for. */
	size_t kernel_requests, vm_requests;
	bool only_labels;
	struct discover_options discovery;
	struct execute_limits limits;
	struct str ran;	  /* "name:attempt:seed " of each attempt */
	struct str jobs;  /* "name scheduler trace;" of each task */
	uint64_t wait_ns; /* of the last attempt that had to wait */
	char *dir;	  /* where it runs; records are in "runs" */
	char *out, *err;  /* what was printed */
	int here_fd;
	uint64_t now_ns;
} played;

#define PLAYED_PASS "{\"schema_version\":1,\"verdict\":\"pass\"}"
#define PLAYED_FAIL                                                                    \
	"{\"schema_version\":1,\"verdict\":\"fail\",\"details\":[{\"kind\":\"Stuck\"," \
	"\"verdict\":\"fail\",\"message\":\"stuck 900ms\"}]}"
#define PLAYED_UNSURE                                                                \
	"{\"schema_version\":1,\"verdict\":\"inconclusive\",\"details\":[{\"kind\":" \
	"\"Other\",\"verdict\":\"inconclusive\",\"message\":\"too dark\"}]}"
#define PLAYED_SKIP                                                                    \
	"{\"schema_version\":1,\"verdict\":\"skip\",\"details\":[{\"kind\":\"Other\"," \
	"\"verdict\":\"skip\",\"message\":\"too small\"}]}"

/* ---- what is played ---- */

uint64_t __wrap_clock_mono_ns(void);
int __wrap_discover_programs(const char *const *paths, size_t count,
			     const struct discover_options *o, struct test_programs *out);
int __wrap_run_kernels_resolve(const struct run_kernels_request *r, struct run_kernels *out);
int __wrap_run_machine_prepare_vm(struct run_machine *m, const char *accel,
				  struct run_kernels *kernels, struct run_world *w);
int __wrap_scheduler_find(const struct probe_sched *s, const struct scheduler_search *search,
			  char **path, const char **source);
int __wrap_scheduler_version(const char *path, char **version);
int __wrap_execute_tasks(struct task *tasks, size_t count, const struct execute_limits *limits,
			 const struct execute_callbacks *callbacks);
void __wrap_execute_limits_read(const struct cpulist *allowed, size_t cap, size_t jobs,
				struct execute_limits *out);

bool __wrap_term_knows_escapes(FILE *stream);
unsigned int __wrap_term_width(FILE *stream);

uint64_t __wrap_clock_mono_ns(void)
{
	return played.now_ns;
}

bool __wrap_term_knows_escapes(FILE *stream)
{
	(void)stream;
	return played.has_screen;
}

unsigned int __wrap_term_width(FILE *stream)
{
	(void)stream;
	return 200;
}

int __wrap_discover_programs(const char *const *paths, size_t count,
			     const struct discover_options *o, struct test_programs *out)
{
	(void)paths;
	(void)count;
	played.discovery = *o;
	*out = (struct test_programs){};
	for (size_t i = 0; played.test_count && i < played.program_count; i++) {
		struct test_program p = { .path = i ? str_fmt("/suite/mine%zu", i) :
						      strdup("/suite/mine"),
					  .name = i ? str_fmt("mine%zu", i) : strdup("mine"),
					  .source = played.source ? strdup(played.source) : NULL,
					  .is_instrumented = played.is_instrumented };

		p.probe.tests.items = played.tests;
		p.probe.tests.count = played.test_count;
		p.probe.schedulers.items = &played.sched;
		p.probe.schedulers.count = 1;
		assert_int_equal(vec_push(&out->items, p), 0);
	}
	return 0;
}

/* "/kernels/0/bzImage" with the label "kernel_0", and so on. */
int __wrap_run_kernels_resolve(const struct run_kernels_request *r, struct run_kernels *out)
{
	size_t count = MAX(r->count, (size_t)1);

	played.kernel_requests++;
	played.only_labels = r->only_labels;
	*out = (struct run_kernels){ .labels = calloc(count + 1, sizeof(*out->labels)) };
	assert_non_null(out->labels);
	for (size_t i = 0; i < count; i++) {
		struct run_kernel k = { .base.lock_fd = -1, .label = str_fmt("kernel_%zu", i) };

		k.image.image = str_fmt("/kernels/%zu/bzImage", i);
		k.image.key = str_fmt("key_%zu", i);
		k.image.has_scx = played.has_scx[i];
		k.image.version = played.versions[i] ? strdup(played.versions[i]) : NULL;
		assert_int_equal(vec_push(&out->items, k), 0);
		out->labels[i] = k.label;
	}
	return 0;
}

int __wrap_run_machine_prepare_vm(struct run_machine *m, const char *accel,
				  struct run_kernels *kernels, struct run_world *w)
{
	(void)m;
	(void)accel;
	(void)kernels;
	played.vm_requests++;
	w->accel = played.accel;
	w->qemu = played.qemu;
	return 0;
}

int __wrap_scheduler_find(const struct probe_sched *s, const struct scheduler_search *search,
			  char **path, const char **source)
{
	(void)search;
	*path = played.scheduler ? strdup(played.scheduler) : NULL;
	*source = "path";
	return *path ? 0 : err_set(ENOENT, "scheduler '%s' not found", s->binary);
}

int __wrap_scheduler_version(const char *path, char **version)
{
	(void)path;
	*version = strdup("mine 1.2");
	return 0;
}

static enum task_next play_attempt(struct task *t, const struct execute_callbacks *callbacks)
{
	struct outcome o = { .facts = { .end = OUTCOME_EXITED,
					.is_guest = !t->job.variant->test->host_only,
					.has_started = true,
					.has_payload_started = true,
					.duration_ns = 1500 * NSEC_PER_MSEC } };
	enum task_next next;

	str_addf(&played.ran, "%s:%u:%llu ", t->job.variant->name, t->attempt,
		 (unsigned long long)t->job.seed);
	t->begun_ns = played.now_ns;
	if (callbacks->started)
		callbacks->started(callbacks->ctx, t);
	if (t->is_slow)
		callbacks->slow(callbacks->ctx, t);
	str_add(&o.result, PLAYED_PASS);
	if (played.play)
		played.play(t, &o);
	played.now_ns += 2 * NSEC_PER_SEC;
	next = callbacks->ended(callbacks->ctx, t, &o);
	outcome_finish(&o);
	return next;
}

/* The first has run for three seconds, the second is about to. */
static void play_screen(struct task *tasks, size_t count, const struct execute_callbacks *callbacks)
{
	struct task *const running[] = { &tasks[0], &tasks[1] };

	tasks[0].begun_ns = played.now_ns - 3 * NSEC_PER_SEC - 999 * NSEC_PER_MSEC;
	tasks[0].running_ns = played.now_ns;
	tasks[1].begun_ns = played.now_ns;
	callbacks->tick(callbacks->ctx, running, MIN(count, (size_t)2));
}

/* One after the other, two seconds each. */
int __wrap_execute_tasks(struct task *tasks, size_t count, const struct execute_limits *limits,
			 const struct execute_callbacks *callbacks)
{
	enum task_next next = TASK_DONE;

	played.limits = *limits;
	for (size_t i = 0; i < count; i++)
		str_addf(&played.jobs, "%s %s %s;", tasks[i].job.variant->name,
			 tasks[i].job.scheduler ? tasks[i].job.scheduler : "-",
			 tasks[i].job.trace ? tasks[i].job.trace : "-");
	if (played.has_screen && count > 1)
		play_screen(tasks, count, callbacks);
	for (size_t i = 0; i < count && next != TASK_STOP; i++) {
		next = play_attempt(&tasks[i], callbacks);
		while (next == TASK_RETRY) {
			if (tasks[i].not_before_ns)
				played.wait_ns = tasks[i].not_before_ns - played.now_ns;
			next = play_attempt(&tasks[i], callbacks);
		}
	}
	if (played.has_screen)
		callbacks->tick(callbacks->ctx, NULL, 0);
	return played.execute_rc;
}

void __wrap_execute_limits_read(const struct cpulist *allowed, size_t cap, size_t jobs,
				struct execute_limits *out)
{
	(void)allowed;
	(void)cap;
	*out = (struct execute_limits){ .jobs = jobs, .cpus = 2 };
}

/* ---- a run ---- */

/* Three tests: a and b have a scheduler, c has none. No machine of the gauntlet is large enough. */
static inline int played_start(void **state)
{
	static const char *const cleared[] = {
		"KTSTR_SIDECAR_DIR",   "KTSTR_RUN_EPOCH",     "KTSTR_KERNEL", "KTSTR_KERNEL_LIST",
		"KTSTR_NO_AUTO_REPRO", "GITHUB_STEP_SUMMARY", "KTSTR_CI",     "LLVM_PROFILE_FILE",
		"KTSTR_ORCHESTRATED",  "KTSTR_KERNEL_COMMIT"
	};
	static const char *const names[PLAYED_TESTS] = { "a", "b", "c" };

	(void)state;
	memset(&played, 0, sizeof(played));
	for (size_t i = 0; i < ARRAY_SIZE(cleared); i++)
		unsetenv(cleared[i]);
	played.dir = unit_temp_create();
	played.here_fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(chdir(played.dir), 0);
	setenv("KTSTR_RUNS_ROOT", "runs", 1);
	setenv("KTSTR_PROJECT_COMMIT", "1a2b3c4", 1);
	setenv("XDG_CACHE_HOME", played.dir, 1);
	for (size_t i = 0; i < PLAYED_TESTS; i++)
		played.tests[i] = (struct probe_test){ .name = names[i],
						       .scheduler = i < 2 ? "mine" : NULL,
						       .topology = { 1, 1, 2, 1 },
						       .constraints = { .min_cpus = 10000 },
						       .duration_ms = 2000 };
	played.test_count = PLAYED_TESTS;
	played.program_count = 1;
	played.sched = (struct probe_sched){ .name = "mine", .binary = "scx_mine" };
	played.scheduler = "/bin/true";
	played.versions[0] = "7.0.1";
	played.versions[1] = "6.12.9";
	played.accel = VM_ACCEL_SIM;
	played.now_ns = 1000 * NSEC_PER_SEC;
	played.options = (struct runner_options){ .label = "ktstr",
						  .seed = 5,
						  .knobs = RUN_KNOBS_DEFAULT,
						  .profile = run_profile_by_name("default"),
						  .format = &run_report_human };
	return 0;
}

static inline int played_stop(void **state)
{
	(void)state;
	assert_int_equal(fchdir(played.here_fd), 0);
	close(played.here_fd);
	free(played.out);
	free(played.err);
	str_finish(&played.ran);
	str_finish(&played.jobs);
	unit_temp_remove(played.dir);
	return 0;
}

#define PLAYED(f) cmocka_unit_test_setup_teardown(f, played_start, played_stop)

static inline int catch_stream(FILE *stream, int fd, int *real)
{
	int to = memfd_create("caught", MFD_CLOEXEC);

	fflush(stream);
	*real = dup(fd);
	dup2(to, fd);
	return to;
}

static inline void caught_stream(FILE *stream, int fd, int real, int from, char **text)
{
	off_t len;

	fflush(stream);
	dup2(real, fd);
	close(real);
	len = lseek(from, 0, SEEK_END);
	free(*text);
	*text = calloc(1, (size_t)len + 1);
	assert_int_equal(pread(from, *text, (size_t)len, 0), len);
	close(from);
}

/* Its exit status, or negative errno, has to be this one. */
static inline void expect_run(int expected)
{
	int real_out, real_err, rc;
	int out = catch_stream(stdout, STDOUT_FILENO, &real_out);
	int err = catch_stream(stderr, STDERR_FILENO, &real_err);

	str_reset(&played.ran);
	str_reset(&played.jobs);
	rc = runner_run(&played.options);
	caught_stream(stderr, STDERR_FILENO, real_err, err, &played.err);
	caught_stream(stdout, STDOUT_FILENO, real_out, out, &played.out);
	if (rc != expected)
		fail_msg("expected %d, got %d: %s\n%s%s", expected, rc, rc < 0 ? err_text(rc) : "",
			 played.out, played.err);
}

static inline void expect_part(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("expected '%s' in '%s'", part, text);
}

/* The text of a file; "" = it is not there. To be freed. */
static inline char *file_text(const char *path)
{
	struct str text = {};

	if (file_read_at(AT_FDCWD, path, &text) < 0)
		str_reset(&text);
	return text.s ? str_take(&text) : strdup("");
}

/* The record of a test, of which there has to be one; false = there is none. */
static inline bool read_record(const char *dir, const char *test, struct sidecar *s)
{
	_free_ char *prefix = str_fmt("%s-", test);
	_closedir_ DIR *d = opendir(dir);
	size_t found = 0;
	struct dirent *e;

	while (d && (e = readdir(d))) {
		_free_ char *path = str_fmt("%s/%s", dir, e->d_name);

		if (!str_starts(e->d_name, prefix) || !str_ends(e->d_name, SIDECAR_SUFFIX))
			continue;
		assert_int_equal(found++, 0);
		assert_int_equal(sidecar_read(s, path), 0);
	}
	return found == 1;
}

#endif
