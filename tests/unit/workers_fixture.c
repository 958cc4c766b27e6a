// SPDX-License-Identifier: GPL-2.0-only
/* Groups of workers for tests. */
#include "workers_fixture.h"

#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "work/worker.h"

struct board *board;

int fixture_board_setup(void **state)
{
	(void)state;
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	return board == MAP_FAILED ? -1 : 0;
}

int fixture_board_teardown(void **state)
{
	(void)state;
	return munmap(board, sizeof(*board));
}

struct workers *fixture_start(const struct ktstr_work *work, unsigned int count)
{
	const struct workers_spec spec = { .work = work, .count = count, .seed = 42 };
	struct workers *w = NULL;
	int rc = workers_spawn(&spec, &w);

	if (rc < 0) {
		fprintf(stderr, "spawn: %s\n", err_text(rc));
		return NULL;
	}
	workers_start(w);
	return w;
}

static bool all_did(const struct workers *w, uint64_t iterations)
{
	for (unsigned int i = 0; i < w->count; i++)
		if (atomic_load(&w->lines[i].iterations) < iterations)
			return false;
	return true;
}

static bool all_told(const struct workers *w, uint64_t units)
{
	for (unsigned int i = 0; i < w->count; i++)
		if (__atomic_load_n(&report_of(w, i)->phases[0].work_units, __ATOMIC_RELAXED) <
		    units)
			return false;
	return true;
}

static bool somebody_woke(const struct workers *w, uint64_t unused)
{
	(void)unused;
	for (unsigned int i = 0; i < w->count; i++)
		if (atomic_load(&w->lines[i].has_wakes))
			return true;
	return false;
}

static bool await(const struct workers *w, uint64_t count,
		  bool (*has_come)(const struct workers *w, uint64_t count))
{
	const struct timespec pause = { .tv_nsec = 2000000 };

	for (int i = 0; i < PATIENCE_S * 500; i++) {
		if (has_come(w, count))
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

bool fixture_await(const struct workers *w, uint64_t iterations)
{
	return await(w, iterations, all_did);
}

bool fixture_await_wake(const struct workers *w)
{
	return await(w, 0, somebody_woke);
}

bool fixture_await_units(const struct workers *w, uint64_t units)
{
	return await(w, units, all_told);
}

bool fixture_become_nobody(void)
{
	return getuid() == 0 && setgroups(0, NULL) == 0 && setresgid(65534, 65534, 65534) == 0 &&
	       setresuid(65534, 65534, 65534) == 0;
}

int fixture_in_child(int (*run)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(run());
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}
