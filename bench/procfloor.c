// SPDX-License-Identifier: GPL-2.0-only
/*
 * The floor under any reader of procfs: opens and reads the per-thread files of
 * every thread once, in one thread, and looks at nothing. Prints threads, files,
 * bytes and milliseconds.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const char *const files[] = {
	"stat", "sched", "schedstat", "io", "cgroup", "comm", "status"
};
static long threads, reads, bytes;

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void read_thread(int tasks, const char *tid)
{
	static char buffer[65536];
	int dir = openat(tasks, tid, O_RDONLY | O_DIRECTORY);

	if (dir < 0)
		return;
	threads++;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		int fd = openat(dir, files[i], O_RDONLY);
		ssize_t n = fd < 0 ? -1 : read(fd, buffer, sizeof(buffer));

		reads += n > 0;
		bytes += n > 0 ? n : 0;
		if (fd >= 0)
			close(fd);
	}
	close(dir);
}

static void read_process(const char *pid)
{
	char path[300];
	struct dirent *entry;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	tasks = opendir(path);
	if (!tasks)
		return;
	while ((entry = readdir(tasks)))
		if (isdigit((unsigned char)entry->d_name[0]))
			read_thread(dirfd(tasks), entry->d_name);
	closedir(tasks);
}

int main(void)
{
	double start = now_ms();
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	if (!proc) {
		perror("/proc");
		return 1;
	}
	while ((entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]))
			read_process(entry->d_name);
	closedir(proc);
	printf("%ld threads %ld files %ld bytes %.3f ms\n", threads, reads, bytes,
	       now_ms() - start);
	return 0;
}
