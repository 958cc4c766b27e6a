// SPDX-License-Identifier: GPL-2.0-only
/* Runs programs. */
#include "kernel/parts.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#define STEP_NS (100 * NSEC_PER_MSEC)

/*
 * The process group that has to end with this process: make's children do not die with make. The
 * child stores it before exec(), in memory shared with this process and the guard, so that no
 * program runs in an unknown group. NULL = not mapped yet.
 */
static _Atomic pid_t *running_group;

static const int fatal_signals[] = { SIGINT, SIGTERM, SIGHUP };

static void kill_group(void)
{
	pid_t group = atomic_load(running_group);

	if (group > 0)
		kill(-group, SIGKILL);
}

/* In the child, which leads a group of its own, before exec(). */
static int set_group(void)
{
	atomic_store(running_group, getpid());
	return 0;
}

/* Maps a page for this process: a forked process runs programs of its own. */
static int map_group(void)
{
	static pid_t mapped_by;
	void *page;

	if (running_group && mapped_by == getpid())
		return 0;
	page = mmap(NULL, sizeof(*running_group), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return err_sys(errno, "map memory");
	running_group = page;
	mapped_by = getpid();
	return 0;
}

static void end_group(int number)
{
	kill_group();
	signal(number, SIG_DFL);
	raise(number);
}

/* Signals that are ignored or handled stay as they are. */
static void catch_signals(struct sigaction *old, bool on)
{
	for (size_t i = 0; i < ARRAY_SIZE(fatal_signals); i++) {
		if (!on) {
			sigaction(fatal_signals[i], &old[i], NULL);
			continue;
		}
		sigaction(fatal_signals[i], NULL, &old[i]);
		if (old[i].sa_handler == SIG_DFL)
			sigaction(fatal_signals[i], &(struct sigaction){ .sa_handler = end_group },
				  NULL);
	}
}

/* Forks a process that kills the group if this process is killed. An error can be ignored. */
static pid_t start_guard(void)
{
	pid_t parent = getpid(), pid = fork();
	sigset_t all, death;
	int number;

	if (pid != 0)
		return pid;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	sigemptyset(&death);
	sigaddset(&death, SIGUSR1);
	prctl(PR_SET_PDEATHSIG, SIGUSR1);
	/* It must not hold inherited locks and pipes. */
	close_range(0, ~0U, 0);
	while (getppid() == parent)
		sigwait(&death, &number);
	kill_group();
	_exit(0);
}

static int wait_with_progress(struct child *child, const struct command *c)
{
	uint64_t start = clock_mono_ns();
	struct progress bar;
	int rc;

	progress_start(&bar, c->what, 0);
	do {
		uint64_t spent = clock_mono_ns() - start;

		rc = child_wait(child, STEP_NS);
		if (c->what && bar.on_terminal)
			progress_update(&bar, spent / NSEC_PER_SEC);
		if (rc == -ETIMEDOUT && interrupt_check() < 0)
			rc = -EINTR;
		if (rc == -ETIMEDOUT && c->timeout_ns && spent > c->timeout_ns) {
			rc = err_set(ETIMEDOUT, "%s did not end within %llu s", c->argv[0],
				     ULL(c->timeout_ns / NSEC_PER_SEC));
			break;
		}
	} while (rc == -ETIMEDOUT);
	progress_end(&bar);
	return rc;
}

static int read_output(int fd, struct str *out)
{
	int rc = lseek(fd, 0, SEEK_SET) < 0 ? -errno : fd_read_all(fd, out);

	return rc < 0 ? err_sys(-rc, "read the output of a program") : 0;
}

int command_run(const struct command *c, struct str *out)
{
	struct sigaction old[ARRAY_SIZE(fatal_signals)];
	_cleanup_(child_finish) struct child child = {};
	struct child guard;
	_close_ int kept = memfd_create("output", MFD_CLOEXEC);
	_close_ int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int rc = map_group(), status;

	if (rc < 0)
		return rc;
	if (kept < 0 || null < 0)
		return err_sys(errno, "start %s", c->argv[0]);
	atomic_store(running_group, 0);
	guard.pid = start_guard();
	catch_signals(old, true);
	rc = child_start(&child, &(struct child_opts){
					 .argv = c->argv,
					 .directory = c->directory,
					 .stdout_fd = c->show ? STDERR_FILENO : kept,
					 .stderr_fd = c->show	      ? STDERR_FILENO :
						      c->merge_stderr ? kept :
									null,
					 .prepare = set_group,
				 });
	if (rc == 0) {
		rc = wait_with_progress(&child, c);
		child_finish(&child);
	}
	child_finish(&guard);
	atomic_store(running_group, 0);
	catch_signals(old, false);
	status = rc;
	if (rc >= 0 && out) {
		rc = read_output(kept, out);
		status = rc < 0 ? rc : status;
	}
	return status;
}
