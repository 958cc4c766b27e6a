// SPDX-License-Identifier: GPL-2.0-only
/* Rows whose workload depends on the machine, or on events during the run. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "battery/program/workloads.h"

#define MAX_CPUS 64

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void sleep_ms(unsigned int ms)
{
	usleep(ms * 1000);
}

/* Runs one pinned worker on each CPU. */
int body_loads(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	unsigned int cpus = ktstr_cpu_count(ctx);
	struct ktstr_work works[MAX_CPUS + 1] = {};
	char lists[MAX_CPUS][8];

	if (cpus > MAX_CPUS)
		cpus = MAX_CPUS;
	for (unsigned int i = 0; i < cpus; i++) {
		snprintf(lists[i], sizeof(lists[i]), "%u", i);
		works[i] =
			(struct ktstr_work){ .workers = 1, .affinity = KTSTR_PIN_EXACT(lists[i]) };
	}
	works[cpus].workers = UINT32_MAX;
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS({ .name = "each_cpu", .works = works }));
}

/* ---- exits while queued ---- */

#define VICTIMS 12
/* A dying task needs one more turn on the CPU that it shares with the others. */
#define DEATH_MS 1000

static int spawn_victim(pid_t *pid)
{
	cpu_set_t one;

	*pid = fork();
	if (*pid < 0)
		return -errno;
	if (*pid > 0)
		return 0;
	CPU_ZERO(&one);
	CPU_SET(1, &one);
	sched_setaffinity(0, sizeof(one), &one);
	for (;;)
		;
}

/* Kills all victims. Returns how many of them did not die in time. */
static unsigned int kill_victims(const pid_t *pids, unsigned int count)
{
	uint64_t deadline = now_ms() + DEATH_MS;
	unsigned int left = count;

	for (unsigned int i = 0; i < count; i++)
		kill(pids[i], SIGKILL);
	for (unsigned int i = 0; i < count; i++) {
		pid_t got;

		while ((got = waitpid(pids[i], NULL, WNOHANG)) == 0 && now_ms() < deadline)
			sleep_ms(1);
		left -= got != 0;
	}
	return left;
}

static int run_victims(struct ktstr_result *res)
{
	pid_t pids[VICTIMS];
	unsigned int count = 0, left;
	int rc = 0;

	while (count < VICTIMS && rc == 0) {
		rc = spawn_victim(&pids[count]);
		count += rc == 0;
	}
	sleep_ms(40);
	left = kill_victims(pids, count);
	if (left)
		ktstr_result_fail(res,
				  "%u of %u tasks that were killed while they waited for CPU 1 "
				  "did not come to run and die within %d ms",
				  left, count, DEATH_MS);
	return rc;
}

/* The victims share CPU 1, so that all but one of them are queued when they are killed. */
int body_exits_while_queued(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	const struct ktstr_work busy = { .workers = 4, .work_type = KTSTR_BURSTY(6, 3) };
	uint64_t end = now_ms() + ktstr_duration_ms(ctx);
	struct ktstr_workers *workers = NULL;
	int rc = ktstr_workers_spawn(ctx, &busy, NULL, &workers) ?: ktstr_workers_start(workers);

	while (rc == 0 && now_ms() < end && ktstr_result_verdict(res) != KTSTR_FAILED)
		rc = run_victims(res);
	rc = rc ?: ktstr_workers_stop_collect(workers, res);
	ktstr_workers_free(workers);
	return rc;
}

/* ---- cgroups that come and go ---- */

#define ALIVE 4

static int begin_cgroup(struct ktstr_ctx *ctx, const char *name, struct ktstr_workers **workers)
{
	const struct ktstr_work work = { .workers = 2, .work_type = KTSTR_BURSTY(2, 1) };
	int rc = ktstr_cgroup_create(ctx, name) ?: ktstr_workers_spawn(ctx, &work, name, workers);

	return rc < 0 ? rc : ktstr_workers_start(*workers);
}

static int end_cgroup(struct ktstr_ctx *ctx, const char *name, struct ktstr_workers **workers,
		      struct ktstr_result *res)
{
	int rc = ktstr_workers_stop_collect(*workers, res);

	ktstr_workers_free(*workers);
	*workers = NULL;
	return rc ?: ktstr_cgroup_remove(ctx, name);
}

/* Keeps a few cgroups alive at a time, each long enough for its workers to run. */
int body_cgroups_come_and_go(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	uint64_t end = now_ms() + ktstr_duration_ms(ctx);
	struct ktstr_workers *workers[ALIVE] = {};
	char names[ALIVE][32];
	int rc = 0;

	for (unsigned int round = 0; rc == 0 && now_ms() < end; round++) {
		unsigned int i = round % ALIVE;

		if (workers[i])
			rc = end_cgroup(ctx, names[i], &workers[i], res);
		snprintf(names[i], sizeof(names[i]), "short_%u", round);
		rc = rc ?: begin_cgroup(ctx, names[i], &workers[i]);
		sleep_ms(30);
	}
	for (unsigned int i = 0; i < ALIVE; i++)
		if (workers[i] && rc == 0)
			rc = end_cgroup(ctx, names[i], &workers[i], res);
	for (unsigned int i = 0; i < ALIVE; i++)
		ktstr_workers_free(workers[i]);
	return rc;
}

/* ---- many cgroups ---- */

#define MANY 68

/*
 * More cgroups than the tables of some schedulers have room for; the busy one is created
 * first. The others together use at most half of the machine.
 */
int body_many_cgroups(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	struct ktstr_cgroup cgroups[MANY + 2] = { { .name = "busy", .workers_pct = 200 } };
	char names[MANY][8];

	for (unsigned int i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof(names[i]), "g_%u", i);
		cgroups[i + 1] = (struct ktstr_cgroup){ .name = names[i],
							.workers = 1,
							.work_type = KTSTR_BURSTY(1, 60) };
	}
	return ktstr_run_defs(ctx, res, cgroups);
}
