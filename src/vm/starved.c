// SPDX-License-Identifier: GPL-2.0-only
/* schedstat of every thread: time on a CPU, time waiting for one, times it got one. */
#include "vm/starved.h"

#include <dirent.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/parse.h"
#include "base/str.h"
#include "base/util.h"

static uint64_t thread_starved_ns(int tasks, const char *tid)
{
	_str_ struct str text = {};
	char name[64];
	uint64_t on_cpu, waiting;
	const char *p;

	snprintf(name, sizeof(name), "%.32s/schedstat", tid);
	if (tid[0] == '.' || file_read_at(tasks, name, &text) < 0)
		return 0;
	p = str_get(&text);
	if (parse_digits(&p, &on_cpu) < 0 || *p++ != ' ' || parse_digits(&p, &waiting) < 0)
		return 0;
	return waiting;
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
		uint64_t ns = thread_starved_ns(dirfd(tasks), e->d_name);

		longest = MAX(longest, ns);
	}
	return longest;
}
