// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long a scheduler needs in a guest, for bench-scheduler: from the start of its
 * process until the kernel says that it is attached, started by hand; and until the
 * body of a test begins, started by ktstr. Both are clocked by the guest and in the
 * ticks of /proc, 10 ms.
 */
#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ktstr/ktstr.h>

#define LOADER "scx-ktstr"
#define PACKED "scheduler" /* what ktstr calls it in the guest */
#define LIMIT_S 60

KTSTR_SCHEDULER(scx_ktstr, .name = "scx_ktstr", .binary = LOADER,
		.topology = KTSTR_TOPO(1, 2, 1, 1));

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* When a process started, in seconds of the guest's life; negative = it is not that program. */
static double started_s(const char *pid, const char *comm)
{
	unsigned long long ticks = 0;
	char path[64], text[1024];
	const char *end;
	size_t len;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.16s/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return -1;
	len = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[len] = '\0';
	end = strrchr(text, ')');
	if (!end || strncmp(strchr(text, '(') + 1, comm, strlen(comm)) != 0)
		return -1;
	/* Field 22; the first behind the parenthesis is field 3. */
	if (sscanf(end + 1,
		   " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
		   "%*s %*s %llu",
		   &ticks) != 1)
		return -1;
	return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

static double loader_started_s(const char *comm)
{
	DIR *proc = opendir("/proc");
	double found = -1;
	struct dirent *e;

	while (proc && found < 0 && (e = readdir(proc)))
		if (isdigit((unsigned char)e->d_name[0]))
			found = started_s(e->d_name, comm);
	if (proc)
		closedir(proc);
	return found;
}

static bool is_enabled(void)
{
	char text[32] = "";
	FILE *f = fopen("/sys/kernel/sched_ext/state", "r");

	if (f && !fgets(text, sizeof(text), f))
		text[0] = '\0';
	if (f)
		fclose(f);
	return strncmp(text, "enabled", strlen("enabled")) == 0;
}

KTSTR_TEST(started_by_ktstr, .scheduler = &scx_ktstr, .duration_s = 1)
{
	double start = loader_started_s(PACKED), now = now_s();

	(void)ctx;
	if (start < 0 || !is_enabled())
		ktstr_result_fail(res, "there is no scheduler");
	printf("start_s=%.3f\n", now - start);
	return 0;
}

KTSTR_TEST(started_by_hand, .numa_nodes = 1, .llcs = 2, .cores = 1, .threads = 1, .duration_s = 1,
	   .extra_include_files = KTSTR_ARGS(LOADER))
{
	const struct timespec nap = { .tv_nsec = 1000000 };
	double begin = now_s();
	char pid[16];
	pid_t child = fork();

	(void)ctx;
	if (child == 0) {
		execl("/include-files/" LOADER, LOADER, (char *)NULL);
		_exit(127);
	}
	while (!is_enabled() && now_s() - begin < LIMIT_S)
		nanosleep(&nap, NULL);
	if (!is_enabled())
		ktstr_result_fail(res, "the scheduler was not attached within %d s", LIMIT_S);
	snprintf(pid, sizeof(pid), "%d", (int)child);
	printf("start_s=%.3f\n", now_s() - started_s(pid, LOADER));
	kill(child, SIGTERM);
	waitpid(child, NULL, 0);
	return 0;
}
