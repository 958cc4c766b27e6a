/* SPDX-License-Identifier: GPL-2.0-only */
/* A lab whose runs are played, with a clock and a progress that are played, too; and its output. */
#ifndef KTSTR_TESTS_PLAYED_LAB_H
#define KTSTR_TESTS_PLAYED_LAB_H

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/progress.h"
#include "explore/explore.h"

/* What a run comes to, by its seed and knobs. */
typedef void play_fn(struct trial *t);

static play_fn *play;
static size_t runs;		  /* that were played */
static uint64_t hole;		  /* a seed that comes to no end */
static int lab_rc;		  /* after the last of them */
static struct run_knobs of_first; /* knobs of the first run */
static uint64_t now_ns;
static bool is_backwards;  /* the last run ends first, and all of them end */
static const char *metric; /* of every run, with its seed as value; or NULL */
static bool has_terminal;
static struct str shown; /* as progress */

uint64_t __wrap_clock_mono_ns(void);
void __wrap_progress_start(struct progress *p, const char *what, uint64_t total);
void __wrap_progress_update(struct progress *p, uint64_t done);
void __wrap_progress_end(struct progress *p);
int __wrap_lab_run(struct lab *l, struct trial *trials, size_t count,
		   const struct lab_watch *watch);

uint64_t __wrap_clock_mono_ns(void)
{
	return now_ns;
}

void __wrap_progress_start(struct progress *p, const char *what, uint64_t total)
{
	*p = (struct progress){ .what = what, .total = total, .on_terminal = has_terminal };
	str_addf(&shown, "%s of %llu:", what, (unsigned long long)total);
}

void __wrap_progress_update(struct progress *p, uint64_t done)
{
	(void)p;
	str_addf(&shown, " %llu", (unsigned long long)done);
}

void __wrap_progress_end(struct progress *p)
{
	(void)p;
	str_add(&shown, " end");
}

static inline bool tell_end(const struct lab_watch *watch, struct trial *t, int *rc)
{
	struct judgement j = { .has_result = metric };
	bool goes_on;

	result_init(&j.result);
	if (metric)
		assert_int_equal(vec_push(&j.result.metrics,
					  ((struct named_metric){ .name = strdup(metric),
								  .value = (double)t->seed })),
				 0);
	goes_on = watch->ended(watch->ctx, t, &j, rc);
	result_finish(&j.result);
	return goes_on;
}

/* A second for each run. */
int __wrap_lab_run(struct lab *l, struct trial *trials, size_t count, const struct lab_watch *watch)
{
	int rc = 0;

	(void)l;
	for (size_t n = 0; n < count; n++) {
		size_t i = is_backwards ? count - 1 - n : n;

		if (trials[i].seed == hole)
			continue;
		if (watch->tick)
			watch->tick(watch->ctx);
		if (runs++ == 0)
			of_first = *trials[i].knobs;
		play(&trials[i]);
		trials[i].is_done = true;
		now_ns += NSEC_PER_SEC;
		if (((watch->ended && !tell_end(watch, &trials[i], &rc)) && !is_backwards) ||
		    rc < 0)
			break;
	}
	return rc < 0 ? rc : lab_rc;
}

static struct test_program program = { .path = (char *)"/t/race.c" };
static struct probe_test test = { .name = (char *)"race", .duration_ms = 5000 };
static struct variant variant = {
	.program = &program, .test = &test, .name = (char *)"ktstr/race", .topology = { 1, 1, 4, 1 }
};
static struct run_kernel kernel = { .image.version = (char *)"7.0.13" };
static const struct task task = { .job.variant = &variant };
static struct lab lab;

static inline int start(void **state)
{
	(void)state;
	lab = (struct lab){ .options = { .label = "ktstr", .knobs = RUN_KNOBS_DEFAULT },
			    .task = &task };
	lab.campaign.kernels.items.items = &kernel;
	runs = 0;
	lab_rc = 0;
	hole = 0;
	now_ns = 1000 * NSEC_PER_SEC;
	is_backwards = has_terminal = false;
	metric = NULL;
	return 0;
}

static inline int stop(void **state)
{
	(void)state;
	str_finish(&shown);
	shown = (struct str){};
	return 0;
}

#define IN_LAB(f) cmocka_unit_test_setup_teardown(f, start, stop)

/* ---- what was printed ---- */

static int real_stdout, printed_fd;

static inline void catch_output(void)
{
	fflush(stdout);
	real_stdout = dup(STDOUT_FILENO);
	printed_fd = memfd_create("stdout", MFD_CLOEXEC);
	dup2(printed_fd, STDOUT_FILENO);
}

static inline char *caught_output(void)
{
	char *text;
	off_t len;

	fflush(stdout);
	dup2(real_stdout, STDOUT_FILENO);
	close(real_stdout);
	len = lseek(printed_fd, 0, SEEK_END);
	text = calloc(1, (size_t)len + 1);
	assert_int_equal(pread(printed_fd, text, (size_t)len, 0), len);
	close(printed_fd);
	return text;
}

static inline void come_to(struct trial *t, enum test_status status, const char *signature,
			   const char *text)
{
	t->status = status;
	t->signature = signature ? strdup(signature) : NULL;
	t->cause = signature ? strdup(signature) : NULL;
	t->text = text ? strdup(text) : NULL;
}

#define AGAIN "ktstr test /t/race.c -E 'test(=ktstr/race)' --kernel 7.0.13 --accel sim --seed "

static inline void play_all_pass(struct trial *t)
{
	come_to(t, TEST_PASSED, NULL, NULL);
}

#endif
