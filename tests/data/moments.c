// SPDX-License-Identifier: GPL-2.0-only
/* What the guest says about its queues, and a snapshot at the moment that it speaks of. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ktstr/ktstr.h>

KTSTR_SCHEDULER(tried, .name = "tried", .binary = "tried", .topology = KTSTR_TOPO(1, 1, 2, 1));

/* Of kernels without sched_ext. */
KTSTR_SCHEDULER(own, .name = "own", .kernel_builtin_enable = "true",
		.kernel_builtin_disable = "true");

#define MAX_SPINNERS 64
#define MANY 50
#define TRIES 20

/* Where nobody hears KTSTR_SNAPSHOT(): under kvm and on other machines than x86-64. Asking takes longer. */
#ifndef ASKS_BY_NAME
#define ASKS_BY_NAME false
#endif

struct facts {
	unsigned long long switches, running;
};

static void read_number(const char *path, const char *format, unsigned long long *value)
{
	char line[8192];
	FILE *f = fopen(path, "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, format, value) == 1)
			break;
	if (f)
		fclose(f);
}

static struct facts look(void)
{
	struct facts f = {};

	read_number("/proc/loadavg", "%*s %*s %*s %llu/", &f.running);
	read_number("/proc/stat", "ctxt %llu", &f.switches);
	return f;
}

static void add(struct ktstr_result *res, const char *name, unsigned long long value)
{
	ktstr_result_metric(res, name, (double)value, KTSTR_LOWER_BETTER, NULL);
}

/* Snapshots on request are for tests that look at them. */
#define POST_VM (ASKS_BY_NAME ? look_at_nothing : NULL)

static int look_at_nothing(const struct ktstr_snapshots *snapshots, struct ktstr_result *res)
{
	(void)snapshots;
	(void)res;
	return KTSTR_PASSED;
}

/*
 * Nothing has happened in between where both looks are the same. Of many CPUs some one always does
 * something: then one look is before it, and one after it.
 */
static void tell(struct ktstr_ctx *ctx, struct ktstr_result *res, bool is_still)
{
	for (int tag = 1; tag <= TRIES; tag++) {
		struct facts before = look(), after;

		if (!ASKS_BY_NAME)
			KTSTR_SNAPSHOT(tag);
		else if (ktstr_capture_snapshot(ctx, "asked") < 0)
			break;
		after = look();
		if (is_still &&
		    (before.switches != after.switches || before.running != after.running))
			continue;
		add(res, "tag", (unsigned long long)tag);
		add(res, "switches_before", before.switches);
		add(res, "switches_after", after.switches);
		if (is_still)
			add(res, "running", before.running);
		return;
	}
	ktstr_result_fail(res, "no two looks were the same");
}

static int spin_and_tell(struct ktstr_ctx *ctx, struct ktstr_result *res, int spinners)
{
	pid_t pids[MAX_SPINNERS];
	unsigned long long none = 0;

	for (int i = 0; i < spinners; i++) {
		char name[32];

		pids[i] = fork();
		while (pids[i] == 0)
			none++;
		snprintf(name, sizeof(name), "spinner%d", i);
		ktstr_result_metric(res, name, pids[i], KTSTR_LOWER_BETTER, NULL);
	}
	usleep(100000);
	tell(ctx, res, spinners < MANY && !ASKS_BY_NAME);
	for (int i = 0; i < spinners; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	return KTSTR_PASSED;
}

KTSTR_TEST(one_cpu, .scheduler = &tried, .llcs = 1, .cores = 1, .threads = 1, .duration_ms = 100,
	   .post_vm = POST_VM)
{
	return spin_and_tell(ctx, res, 4);
}

KTSTR_TEST(two_cpus, .scheduler = &tried, .llcs = 1, .cores = 2, .threads = 1, .duration_ms = 100,
	   .post_vm = POST_VM)
{
	return spin_and_tell(ctx, res, 7);
}

KTSTR_TEST(eight_cpus, .scheduler = &tried, .llcs = 2, .cores = 4, .threads = 1, .duration_ms = 100,
	   .post_vm = POST_VM)
{
	return spin_and_tell(ctx, res, 19);
}

KTSTR_TEST(many_cpus, .scheduler = &tried, .llcs = 4, .cores = 8, .threads = 1, .duration_ms = 100,
	   .post_vm = POST_VM)
{
	return spin_and_tell(ctx, res, MANY);
}

KTSTR_TEST(own_two_cpus, .scheduler = &own, .llcs = 1, .cores = 2, .threads = 1, .duration_ms = 100)
{
	return spin_and_tell(ctx, res, 7);
}

KTSTR_TEST(own_many_cpus, .scheduler = &own, .llcs = 4, .cores = 8, .threads = 1,
	   .duration_ms = 100)
{
	return spin_and_tell(ctx, res, MANY);
}

/* Nobody in the guest can say anything after this. */
KTSTR_TEST(crashed, .scheduler = &tried, .duration_ms = 100)
{
	FILE *f = fopen("/proc/sysrq-trigger", "w");

	if (f) {
		fputc('c', f);
		fclose(f);
	}
	return KTSTR_PASSED;
}

/* Long enough for a scheduler that forgets somebody to be thrown out. */
KTSTR_TEST(thrown_out, .scheduler = &tried, .duration_ms = 3000, .watchdog_timeout_s = 1,
	   .extra_sched_args = KTSTR_ARGS("--drop-task"))
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS({ .name = "busy", .workers = 6 }));
}
