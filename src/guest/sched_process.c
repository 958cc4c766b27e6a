// SPDX-License-Identifier: GPL-2.0-only
/* Starts and finds schedulers. */
#include "guest/sched.h"

#include <elf.h>
#include <signal.h>
#include <sys/wait.h>

static bool begins_with(const char *path, const char *magic, size_t len)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	char start[4] = {};

	return fd >= 0 && read(fd, start, sizeof(start)) >= (ssize_t)len &&
	       memcmp(start, magic, len) == 0;
}

static bool is_script(const char *path)
{
	return begins_with(path, "#!", 2);
}

static bool is_elf(const char *path)
{
	return begins_with(path, ELFMAG, SELFMAG);
}

void sched_process_explain(const char *program, int errnum, char *out, size_t size)
{
	const char *hint = NULL;

	if (errnum == ENOEXEC)
		hint = is_elf(program) ?
			       "it is not a program for this machine" :
			       "it is neither an ELF program nor a script whose first line has #!";
	else if (errnum == ENOENT && access(program, F_OK) == 0)
		hint = is_script(program) ? "the program of its first line is not in the guest" :
					    "its loader (the ELF interpreter) is not in the guest";
	else if (errnum == ELIBBAD)
		hint = "it or its loader is damaged";
	snprintf(out, size, "%s%s%s", strerror(errnum), hint ? ": " : "", hint ? hint : "");
}

static void exec_scheduler(char *const argv[], int output, int errors, int go)
{
	char c;

	while (read(go, &c, 1) < 0 && errno == EINTR)
		;
	run_begin_session(open("/dev/null", O_RDONLY), output, output);
	/* Never through a shell, which execvp() would try for a program of another format. */
	if (strchr(argv[0], '/'))
		execv(argv[0], argv);
	else
		execvp(argv[0], argv);
	(void)fd_write_all(errors, &errno, sizeof(errno));
	_exit(127);
}

int sched_process_start(const struct sched_launch *launch, pid_t *pid, int *output, char *problem,
			size_t size)
{
	int pipes[2], errors[2], go[2], errnum = 0;
	ssize_t n;

	if (pipe2(pipes, O_CLOEXEC) < 0 || pipe2(errors, O_CLOEXEC) < 0 ||
	    pipe2(go, O_CLOEXEC) < 0 || (*pid = fork()) < 0) {
		snprintf(problem, size, "%s", strerror(errno));
		*pid = 0;
		return -1;
	}
	if (*pid == 0) {
		close(go[1]);
		exec_scheduler(launch->argv, pipes[1], errors[1], go[0]);
	}
	close(go[0]);
	close(pipes[1]);
	close(errors[1]);
	if (launch->before_exec)
		launch->before_exec(launch->ctx, *pid);
	close(go[1]);
	do
		n = read(errors[0], &errnum, sizeof(errnum));
	while (n < 0 && errno == EINTR);
	close(errors[0]);
	if (n != (ssize_t)sizeof(errnum)) {
		fcntl(pipes[0], F_SETFL, O_NONBLOCK);
		*output = pipes[0];
		return 0;
	}
	waitpid(*pid, NULL, 0);
	*pid = 0;
	close(pipes[0]);
	sched_process_explain(launch->argv[0], errnum, problem, size);
	return -1;
}

static bool holds_link(const char *pid)
{
	char path[64];
	struct dirent *e;

	snprintf(path, sizeof(path), "/proc/%.16s/fdinfo", pid);
	_closedir_ DIR *dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		_str_ struct str text = {};

		if (file_read_at(dirfd(dir), e->d_name, &text) == 0 &&
		    strstr(str_get(&text), "link_type:\tstruct_ops"))
			return true;
	}
	return false;
}

static bool is_child_of_init(const char *pid)
{
	_str_ struct str text = {};
	char path[64];
	const char *name_end;

	snprintf(path, sizeof(path), "/proc/%.16s/stat", pid);
	if (file_read_at(AT_FDCWD, path, &text) < 0)
		return false;
	/* The name may contain anything, so parse what follows the last ")". */
	name_end = strrchr(str_get(&text), ')');
	/* ") S 1 ...": the state, then the parent. */
	return name_end && strlen(name_end) > 4 && strtol(name_end + 4, NULL, 10) == 1;
}

/* The first process younger than this one for which is_so() is true; 0 = none. */
static pid_t find_process(pid_t older, bool (*is_so)(const char *pid))
{
	_closedir_ DIR *dir = opendir("/proc");
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (strtol(e->d_name, NULL, 10) > older && is_so(e->d_name))
			return (pid_t)strtol(e->d_name, NULL, 10);
	return 0;
}

bool sched_process_has_orphans(pid_t older)
{
	return find_process(older, is_child_of_init) != 0;
}

pid_t sched_process_find_holder(void)
{
	return find_process(1, holds_link);
}
