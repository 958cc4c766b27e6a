/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes that are played: forks, signals and ends of workers as a test sets them. */
#ifndef KTSTR_PLAYED_PROCESSES_H
#define KTSTR_PLAYED_PROCESSES_H

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/str.h"
#include "work/types.h"
#include "work/worker.h"
#include "wrapped_syscall.h"

#define FIRST_PID 7001
#define BEGIN_NS (100 * NSEC_PER_SEC)
#define SLICE_NS (50 * NSEC_PER_MSEC)
#define MOST 8

/* What a worker was told, from a process that is one. */
struct told {
	struct ktstr_worker worker;
	int fds[WORKER_MAX_FDS], flags[WORKER_MAX_FDS];
	pid_t parent;
	struct worker_cpus affinity;
	bool has_affinity;
};

static struct {
	bool is_real; /* processes are, as outside of tests: sanitizers are linked to this, too */
	uint64_t now_ns;
	struct str said;
	unsigned int forks, most_forks;
	bool is_dead[MOST], is_gone[MOST]; /* gone: nobody knows it */
	bool has_group[MOST];
	int status[MOST];
	bool lacks_pidfd;
	bool dies_late[MOST]; /* only when it is waited for */
	uint64_t migrated;
	bool has_vmstat;
	int policy_error;
	void (*on_wait)(unsigned int count);
	unsigned int waits;
	uint64_t wait_ns;
	/* Of a worker's own process. */
	jmp_buf left;
	pid_t parent;
	int start_error;
} played;

static struct told *told;
static struct workers *w;
static struct ktstr_work work;
static struct workers_spec spec;

__attribute__((format(printf, 1, 2))) static void say(const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	str_addf(&played.said, "%s%s", played.said.len ? ", " : "", text);
}

static void assert_said(const char *expected)
{
	assert_string_equal(str_get(&played.said), expected);
	str_reset(&played.said);
}

static unsigned int child(pid_t pid)
{
	assert_in_range(pid, FIRST_PID, FIRST_PID + MOST - 1);
	return (unsigned int)(pid - FIRST_PID);
}

/* ---- the machine ---- */

pid_t __wrap_fork(void);
pid_t __real_fork(void);
int __wrap_kill(pid_t pid, int number);
int __real_kill(pid_t pid, int number);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);
pid_t __real_waitpid(pid_t pid, int *status, int options);
int __wrap_waitid(idtype_t type, id_t id, siginfo_t *info, int options);
int __wrap_poll(struct pollfd *files, nfds_t count, int timeout_ms);
uint64_t __wrap_clock_mono_ns(void);
int __wrap_clock_sleep_ns(uint64_t ns);
bool __wrap_vmstat_read_migrated(uint64_t *pages);
bool __wrap_has_numa_nodes(void);
void __wrap_cgroup_attach_remove(const char *dir, pid_t pid);

pid_t __wrap_fork(void)
{
	if (played.forks == played.most_forks) {
		errno = EAGAIN;
		return -1;
	}
	played.forks++;
	return played.is_real ? __real_fork() : FIRST_PID + (pid_t)played.forks - 1;
}

int __wrap_kill(pid_t pid, int number)
{
	if (played.is_real)
		return __real_kill(pid, number);
	say("kill %d %d", (int)pid, number);
	if (pid > 0 || played.has_group[child(-pid)])
		return 0;
	errno = ESRCH;
	return -1;
}

pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
	unsigned int i;

	if (played.is_real)
		return __real_waitpid(pid, status, options);
	i = child(pid);
	say("reap %d%s", (int)pid, options == WNOHANG ? "" : " at any time");
	if (played.is_gone[i]) {
		errno = ECHILD;
		return -1;
	}
	if (!played.is_dead[i] && options == WNOHANG)
		return 0;
	*status = played.status[i];
	return pid;
}

int __wrap_waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	unsigned int i = child((pid_t)id);

	assert_int_equal(type, P_PID);
	assert_int_equal(options, WEXITED | WNOHANG | WNOWAIT);
	if (played.is_gone[i]) {
		errno = ECHILD;
		return -1;
	}
	info->si_pid = played.is_dead[i] ? (pid_t)id : 0;
	return 0;
}

static void pass_wait(void)
{
	played.now_ns += played.wait_ns;
	if (played.on_wait)
		played.on_wait(++played.waits);
}

int __wrap_poll(struct pollfd *files, nfds_t count, int timeout_ms)
{
	assert_false(played.is_real);
	assert_int_equal(count, 1);
	assert_int_equal(files->events, POLLIN);
	say("poll %d ms", timeout_ms);
	for (unsigned int i = 0; i < MOST; i++)
		played.is_dead[i] |= played.dies_late[i];
	return 0;
}

/* By a clock that the test does not play, within half a minute. */
static void wait_for_start(const struct timespec *until)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	assert_in_range(until->tv_sec - now.tv_sec, 1, 30);
	say("wait for the start");
}

static long play_futex(int operation, uint32_t value, const struct timespec *until)
{
	if (operation == FUTEX_WAKE) {
		say("wake %u", value);
		return 0;
	}
	if (operation == FUTEX_WAIT_BITSET)
		wait_for_start(until);
	else
		say("wait %u for %ld ns", value, until->tv_nsec);
	pass_wait();
	errno = played.start_error;
	return played.start_error ? -1 : 0;
}

static long play_syscall(long number, const long args[SYSCALL_ARGS])
{
	switch (number) {
	case SYS_futex:
		return play_futex((int)args[1], (uint32_t)args[2],
				  (const struct timespec *)args[3]);
	case SYS_pidfd_open:
		say("pidfd %d", (pid_t)args[0]);
		errno = ENOSYS;
		return played.lacks_pidfd ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
	case SYS_sched_setaffinity:
		say("affinity of %d", (pid_t)args[0]);
		errno = (pid_t)args[0] < 0 ? ESRCH : 0;
		return errno ? -1 : 0;
	case SYS_sched_setattr:
		say("policy %u nice %d of %d", ((uint32_t *)args[1])[1], ((int *)args[1])[4],
		    (pid_t)args[0]);
		errno = played.policy_error;
		return errno ? -1 : 0;
	case SYS_rt_sigprocmask:
		say("signals %lx", *(unsigned long *)args[1]);
		return 0;
	}
	return pass_syscall(number, args);
}

uint64_t __wrap_clock_mono_ns(void)
{
	return played.now_ns;
}

int __wrap_clock_sleep_ns(uint64_t ns)
{
	say("sleep %llu", (unsigned long long)ns);
	played.now_ns += ns;
	return 0;
}

bool __wrap_vmstat_read_migrated(uint64_t *pages)
{
	*pages = played.migrated;
	return played.has_vmstat;
}

bool __wrap_has_numa_nodes(void)
{
	return true;
}

void __wrap_cgroup_attach_remove(const char *dir, pid_t pid)
{
	say("remove %s of %d", dir, (int)pid);
}

/* ---- a worker's own process ---- */

_Noreturn void __wrap_worker_main(struct ktstr_worker *worker, pid_t parent,
				  const struct worker_cpus *affinity);
_Noreturn void __real_worker_main(struct ktstr_worker *worker, pid_t parent,
				  const struct worker_cpus *affinity);
_Noreturn void __wrap__exit(int status);
_Noreturn void __real__exit(int status);
int __wrap_prctl(int option, ...);
int __wrap_setpgid(pid_t pid, pid_t group);
int __wrap_close_range(unsigned int first, unsigned int last, int flags);
pid_t __wrap_getppid(void);
void __wrap_profile_begin_child(void);
void __wrap_profile_write(void);
bool __wrap_numa_read_pages(bool has_nodes, uint64_t pages[static WORKER_MAX_NODES]);

_Noreturn void __wrap_worker_main(struct ktstr_worker *worker, pid_t parent,
				  const struct worker_cpus *affinity)
{
	struct told *t = &told[worker->index];

	*t = (struct told){ .worker = *worker, .parent = parent, .has_affinity = affinity };
	if (affinity)
		t->affinity = *affinity;
	memcpy(t->fds, worker->fds, sizeof(t->fds));
	for (int i = 0; i < WORKER_MAX_FDS && t->fds[i] >= 0; i++)
		t->flags[i] = (fcntl(t->fds[i], F_GETFL) & O_NONBLOCK ? 1 : 0) |
			      (fcntl(t->fds[i], F_GETFD) & FD_CLOEXEC ? 2 : 0);
	__real__exit(0);
}

_Noreturn void __wrap__exit(int status)
{
	say("exit %d", status);
	longjmp(played.left, 1);
}

int __wrap_prctl(int option, ...)
{
	unsigned long value;
	va_list ap;

	va_start(ap, option);
	value = va_arg(ap, unsigned long);
	va_end(ap);
	if (option == PR_SET_NAME)
		say("name %s", (const char *)value);
	else if (option == PR_SET_PDEATHSIG)
		say("dies by %lu", value);
	else if (option == PR_SET_TIMERSLACK)
		say("slack %lu", value);
	return 0;
}

int __wrap_setpgid(pid_t pid, pid_t group)
{
	say("group %d %d", (int)pid, (int)group);
	return 0;
}

int __wrap_close_range(unsigned int first, unsigned int last, int flags)
{
	assert_int_equal(flags, 0);
	if (last == UINT_MAX)
		say("close %u on", first);
	else
		say("close %u-%u", first, last);
	return 0;
}

pid_t __wrap_getppid(void)
{
	return played.parent;
}

void __wrap_profile_begin_child(void)
{
	say("profile");
}

void __wrap_profile_write(void)
{
	say("write profile");
}

bool __wrap_numa_read_pages(bool has_nodes, uint64_t pages[static WORKER_MAX_NODES])
{
	pages[1] = has_nodes ? 9 : 8;
	return true;
}

/* ---- set up ---- */

static int set_up(void **state)
{
	(void)state;
	memset(&played, 0, sizeof(played));
	played.now_ns = BEGIN_NS;
	played.most_forks = MOST;
	played.wait_ns = SLICE_NS;
	work = (struct ktstr_work){};
	spec = (struct workers_spec){ .work = &work, .count = 1 };
	w = NULL;
	told = mmap(NULL, MOST * sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		    -1, 0);
	return told == MAP_FAILED ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	workers_free(w);
	played.is_real = true;
	str_finish(&played.said);
	return munmap(told, MOST * sizeof(*told));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

#endif
