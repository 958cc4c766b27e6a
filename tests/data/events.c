// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's own file of sched_ext events, before and after a snapshot of the same counters. */
#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ktstr/ktstr.h>

#define SPINNERS 3 /* on two CPUs, of which one naps */

KTSTR_SCHEDULER(tried, .name = "tried", .binary = "tried", .topology = KTSTR_TOPO(1, 1, 2, 1));

static void tell(struct ktstr_result *res, const char *when)
{
	FILE *f = fopen("/sys/kernel/sched_ext/root/events", "r");
	char name[64], full[96];
	long long value;

	if (!f)
		ktstr_result_fail(res, "the kernel has no file of events");
	while (f && fscanf(f, "SCX_EV_%63s %lld ", name, &value) == 2) {
		snprintf(full, sizeof(full), "%s_%s", when, name);
		for (char *c = full; *c; c++)
			*c = (char)tolower(*c);
		ktstr_result_metric(res, full, (double)value, KTSTR_LOWER_BETTER, NULL);
	}
	if (f)
		fclose(f);
}

KTSTR_TEST(events, .scheduler = &tried, .llcs = 1, .cores = 2, .threads = 1, .duration_ms = 400)
{
	pid_t pids[SPINNERS];

	(void)ctx;
	for (int i = 0; i < SPINNERS; i++) {
		pids[i] = fork();
		while (pids[i] == 0)
			if (i == 0)
				usleep(1000);
	}
	usleep(400000);
	tell(res, "before");
	KTSTR_SNAPSHOT(1);
	tell(res, "after");
	for (int i = 0; i < SPINNERS; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	return KTSTR_PASSED;
}
