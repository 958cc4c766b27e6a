// SPDX-License-Identifier: GPL-2.0-only
/* The probe as a whole: concurrent look-ups, and targets that change under it. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "ctprof/jemalloc.h"
#include "ctprof/jemalloc_parts.h"

#define WORKERS 4

static const struct jemalloc_limits no_limits;

/* A fixture's path, or NULL when this test runs outside of a build. */
static char *fixture(const char *name)
{
	const char *build = env_get("KTSTR_BUILD");
	static const char *const places[] = { "%s/tests/fixtures/%s", "%s/../tests/fixtures/%s" };

	for (size_t i = 0; build && i < ARRAY_SIZE(places); i++) {
		char *path = NULL;

		if (asprintf(&path, places[i], build, name) > 0 && access(path, X_OK) == 0)
			return path;
		free(path);
	}
	return NULL;
}

/* A program that holds jemalloc, with its input and output as pipes. */
struct program {
	pid_t pid;
	int in, out;
};

static struct program start(const char *const *argv)
{
	struct program p;
	int in[2], out[2];
	char c = 0;

	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	p.pid = fork();
	if (p.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		execv(argv[0], (char *const *)argv);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	p.in = in[1];
	p.out = out[0];
	while (c != '\n')
		assert_int_equal(read(p.out, &c, 1), 1);
	return p;
}

static void finish(struct program *p)
{
	close(p->in);
	close(p->out);
	kill(p->pid, SIGKILL);
	waitpid(p->pid, NULL, 0);
}

struct lookup {
	struct jemalloc_probe *probe;
	const pid_t *pids;
	const char *tags[64];
	struct jemalloc_target *targets[64];
	size_t count;
};

static void *look_up_all(void *argument)
{
	struct lookup *l = argument;

	for (size_t i = 0; i < l->count; i++)
		l->tags[i] = jemalloc_resolve(l->probe, l->pids[i], &l->targets[i]);
	return NULL;
}

static void sleep_for_ever(pid_t *pids, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
	}
}

/* Several threads ask for the same files at once, and get the same answers. */
static void test_concurrent_lookups_agree(void **state)
{
	_free_ char *path = fixture("jemalloc-executable");
	const char *const argv[] = { path, NULL };
	struct lookup lookups[WORKERS] = {};
	struct jemalloc_probe *probe;
	pthread_t threads[WORKERS];
	struct program program;
	pid_t pids[33];

	(void)state;
	if (!path)
		skip();
	program = start(argv);
	pids[0] = program.pid;
	sleep_for_ever(pids + 1, ARRAY_SIZE(pids) - 1);
	assert_int_equal(jemalloc_probe_create(&probe, &no_limits), 0);
	for (size_t i = 0; i < WORKERS; i++) {
		lookups[i].probe = probe;
		lookups[i].pids = pids;
		lookups[i].count = ARRAY_SIZE(pids);
		assert_int_equal(pthread_create(&threads[i], NULL, look_up_all, &lookups[i]), 0);
	}
	for (size_t i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < WORKERS; i++) {
		uint64_t allocated, deallocated;

		assert_null(lookups[i].tags[0]);
		assert_null(jemalloc_read(probe, lookups[i].targets[0], program.pid, &allocated,
					  &deallocated));
		for (size_t k = 1; k < ARRAY_SIZE(pids); k++)
			assert_string_equal(lookups[i].tags[k], TAG_NOT_FOUND);
	}
	jemalloc_probe_destroy(probe);
	finish(&program);
	for (size_t k = 1; k < ARRAY_SIZE(pids); k++) {
		kill(pids[k], SIGKILL);
		waitpid(pids[k], NULL, 0);
	}
}

/* The process is another program by now: its memory must not be taken for counters. */
static void test_replaced_program_is_not_read(void **state)
{
	_free_ char *path = fixture("jemalloc-executable");
	const char *const argv[] = { path, "--then", "/bin/cat", NULL };
	uint64_t allocated = 77, deallocated = 77;
	struct jemalloc_target *target;
	struct jemalloc_probe *probe;
	struct program program;
	char c;

	(void)state;
	if (!path)
		skip();
	program = start(argv);
	assert_int_equal(jemalloc_probe_create(&probe, &no_limits), 0);
	assert_null(jemalloc_resolve(probe, program.pid, &target));
	/* It becomes cat, which answers the second letter. */
	assert_int_equal(write(program.in, "x", 1), 1);
	assert_int_equal(write(program.in, "y", 1), 1);
	assert_int_equal(read(program.out, &c, 1), 1);
	assert_string_equal(jemalloc_read(probe, target, program.pid, &allocated, &deallocated),
			    TAG_PID_MISSING);
	assert_int_equal(allocated, 77);
	finish(&program);
	assert_string_equal(jemalloc_read(probe, target, program.pid, &allocated, &deallocated),
			    TAG_PID_MISSING);
	jemalloc_probe_destroy(probe);
}

static void test_stops_are_counted(void **state)
{
	_free_ char *path = fixture("jemalloc-executable");
	const char *const argv[] = { path, "--unlisted", NULL };
	uint64_t allocated, deallocated;
	struct jemalloc_target *target;
	struct jemalloc_probe *probe;
	struct jemalloc_stops stops;
	struct program program;

	(void)state;
	if (!path)
		skip();
	program = start(argv);
	assert_int_equal(jemalloc_probe_create(&probe, &no_limits), 0);
	jemalloc_stops(probe, &stops);
	assert_int_equal(stops.stops, 0);
	assert_int_equal(stops.median_ns, 0);
	assert_null(jemalloc_resolve(probe, program.pid, &target));
	for (int i = 0; i < 9; i++)
		assert_null(jemalloc_read(probe, target, program.pid, &allocated, &deallocated));
	jemalloc_stops(probe, &stops);
	assert_int_equal(stops.stops, 9);
	assert_true(stops.median_ns > 0 && stops.median_ns <= stops.longest_ns);
	assert_true(stops.longest_ns <= stops.total_ns && stops.total_ns <= 9 * stops.longest_ns);
	assert_true(stops.total_ns >= 5 * stops.median_ns);
	jemalloc_probe_destroy(probe);
	jemalloc_probe_destroy(NULL);
	finish(&program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_concurrent_lookups_agree),
		cmocka_unit_test(test_replaced_program_is_not_read),
		cmocka_unit_test(test_stops_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
