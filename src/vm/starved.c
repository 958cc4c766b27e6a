// SPDX-License-Identifier: GPL-2.0-only
/* schedstat of every thread: run time, wait time, number of time slices. */
#include "vm/engine.h"

static bool read_times(int tasks, const char *tid, uint64_t *run_ns, uint64_t *wait_ns)
{
	_str_ struct str text = {};
	uint64_t on_cpu, waiting;
	char name[64];
	const char *p;

	snprintf(name, sizeof(name), "%.32s/schedstat", tid);
	if (tid[0] == '.' || file_read_at(tasks, name, &text) < 0)
		return false;
	p = str_get(&text);
	if (parse_digits(&p, &on_cpu) < 0 || *p++ != ' ' || parse_digits(&p, &waiting) < 0)
		return false;
	*run_ns = on_cpu;
	*wait_ns = waiting;
	return true;
}

bool vm_thread_time(pid_t pid, pid_t tid, uint64_t *run_ns, uint64_t *wait_ns)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)pid, (int)tid);
	return read_times(AT_FDCWD, path, run_ns, wait_ns);
}

uint64_t vm_used_ns(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) < 0)
		return 0;
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

uint64_t vm_starved_ns(pid_t pid)
{
	_closedir_ DIR *tasks = NULL;
	uint64_t longest = 0;
	char path[64];
	struct dirent *e;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && (e = readdir(tasks))) {
		uint64_t run_ns, ns;

		if (read_times(dirfd(tasks), e->d_name, &run_ns, &ns))
			longest = MAX(longest, ns);
	}
	return longest;
}
