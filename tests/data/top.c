// SPDX-License-Identifier: GPL-2.0-only
/* Guests to look at from outside while they run: one that works, and one that hangs. */
#include <fcntl.h>
#include <unistd.h>

#include <ktstr/ktstr.h>

KTSTR_SCHEDULER(tried, .name = "tried", .binary = "tried", .topology = KTSTR_TOPO(1, 1, 2, 1));

KTSTR_TEST(top_works, .scheduler = &tried, .duration_ms = 600000)
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS({ .name = "busy", .workers = 6 }));
}

KTSTR_TEST(top_eevdf, .llcs = 1, .cores = 2, .threads = 1, .duration_ms = 600000)
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS({ .name = "busy", .workers = 6 }));
}

static void put(const char *path, char value)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, &value, 1) != 1 || close(fd) < 0)
		_exit(1);
}

/* The kernel stops all other CPUs with interrupts off, and does not reboot. */
KTSTR_TEST(top_hangs, .scheduler = &tried, .duration_ms = 1000)
{
	unsigned long long none = 0;

	for (int i = 0; i < 5; i++)
		if (fork() == 0)
			for (;;)
				none++;
	usleep(200000);
	put("/proc/sys/kernel/panic", '0');
	put("/proc/sysrq-trigger", 'c');
	return KTSTR_PASSED;
}
