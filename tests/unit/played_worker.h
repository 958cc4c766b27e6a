/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A worker by hand on a machine that the test plays: time passes only where something takes time,
 * and whatever the worker asks the kernel for is noted down in words.
 */
#ifndef KTSTR_PLAYED_WORKER_H
#define KTSTR_PLAYED_WORKER_H

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "work/types.h"
#include "work/worker.h"
#include "wrapped_syscall.h"

#define BEGIN_NS (100 * NSEC_PER_SEC)
#define YIELD_NS 7  /* what a yield takes */
#define BLOCK_NS 50 /* and a wait for others, a child, or a lock */
#define CPU 3

static struct {
	bool is_on; /* outside of tests everything is real: sanitizers are linked to this, too */
	uint64_t now_ns;
	uint64_t late_ns; /* by which sleeps end too late */
	int cpu;
	uint64_t spun; /* not said yet */
	unsigned int relaxes;
	struct str said;
	/* Called while the worker waits: how often so far, from 1 on. */
	void (*on_wait)(unsigned int count);
	unsigned int waits;
	/* What calls return: 0 = they succeed, otherwise the errno. */
	int sleep_error, lock_error, priority_error, policy_error, affinity_error, bind_error;
	int fork_error, wait_errors;		/* so many waits are interrupted */
	int status;				/* of a child */
	unsigned long nodes;			/* that memory may be on */
	uint64_t touched;			/* pages of what was given back */
	unsigned int allowed[4], allowed_count; /* CPUs */
	struct {
		const char *path, *text; /* NULL = there is no such file */
	} file;				 /* path NULL = all are as they are */
} played;

static struct workers_shared shared;
static struct worker_line lines[4];
static struct team_line team;
static struct worker_report *report;
static struct ktstr_work work;
static struct workers_spec spec;
static struct ktstr_worker w;

/* ---- what was asked for ---- */

static void say_spins(void)
{
	if (played.spun)
		str_addf(&played.said, "%sspin %llu", played.said.len ? ", " : "",
			 (unsigned long long)played.spun);
	played.spun = 0;
}

__attribute__((format(printf, 1, 2))) static void say(const char *fmt, ...)
{
	char text[256];
	va_list ap;

	say_spins();
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	str_addf(&played.said, "%s%s", played.said.len ? ", " : "", text);
}

/* All since the last call. */
static inline void assert_said(const char *expected)
{
	say_spins();
	assert_string_equal(str_get(&played.said), expected);
	str_reset(&played.said);
}

static inline void forget_said(void)
{
	say_spins();
	str_reset(&played.said);
}

static const char *name_of(const void *word)
{
	static char text[16];

	if (word == &team.word)
		return "team";
	if (word == &team.arrived)
		return "arrived";
	if (word == &team.generation)
		return "generation";
	for (unsigned int i = 0; i < ARRAY_SIZE(lines); i++) {
		snprintf(text, sizeof(text), "line%u", i);
		if (word == &lines[i].word)
			return text;
	}
	return "?";
}

static void pass_wait(void)
{
	played.now_ns += BLOCK_NS;
	if (played.on_wait)
		played.on_wait(++played.waits);
}

static long fail_with(int error)
{
	errno = error;
	return error ? -1 : 0;
}

/* ---- time and CPUs ---- */

uint64_t __wrap_clock_mono_ns(void);
uint64_t __wrap_clock_wall_ns(void);
uint64_t __wrap_clock_ns(clockid_t id);
int __wrap_clock_sleep_until_ns(uint64_t mono_ns);
int __wrap_sched_getcpu(void);
int __wrap_sched_yield(void);
int __real_sched_yield(void);
void __wrap_worker_relax(uint64_t units);

uint64_t __wrap_clock_mono_ns(void)
{
	return played.now_ns;
}

/* Half a slice before a second is over. */
uint64_t __wrap_clock_wall_ns(void)
{
	return 7 * NSEC_PER_SEC - 50 * NSEC_PER_MSEC;
}

/* The worker's own time runs at half the speed. */
uint64_t __wrap_clock_ns(clockid_t id)
{
	assert_int_equal(id, CLOCK_THREAD_CPUTIME_ID);
	return played.now_ns / 2;
}

int __wrap_clock_sleep_until_ns(uint64_t mono_ns)
{
	int error = played.sleep_error;

	say("sleep %lld", (long long)(mono_ns - played.now_ns));
	if (error) {
		pass_wait();
		return -error;
	}
	if (mono_ns > played.now_ns)
		played.now_ns = mono_ns;
	played.now_ns += played.late_ns;
	return 0;
}

int __wrap_sched_getcpu(void)
{
	return played.cpu;
}

int __wrap_sched_yield(void)
{
	if (!played.is_on)
		return __real_sched_yield();
	say("yield");
	played.now_ns += YIELD_NS;
	return 0;
}

/* A unit is a nanosecond here. */
void __wrap_worker_relax(uint64_t units)
{
	played.spun += units;
	played.relaxes++;
	played.now_ns += units;
}

/* ---- calls without a name ---- */

static long play_lock(const struct timespec *until)
{
	say("lock %s until %lld.%09ld", name_of(&team.word), (long long)until->tv_sec,
	    until->tv_nsec);
	pass_wait();
	return fail_with(played.lock_error);
}

static long play_futex(const void *word, int operation, uint32_t value,
		       const struct timespec *until)
{
	switch (operation) {
	case FUTEX_WAIT:
		say("wait %s %u", name_of(word), value);
		assert_int_equal(until->tv_sec, 0);
		assert_int_equal(until->tv_nsec, 100 * NSEC_PER_MSEC);
		pass_wait();
		return 0;
	case FUTEX_WAKE:
		say("wake %u of %s", value, name_of(word));
		return 0;
	case FUTEX_LOCK_PI:
		return play_lock(until);
	case FUTEX_UNLOCK_PI:
		say("unlock %s", name_of(word));
		return 0;
	default:
		fail_msg("futex operation %d", operation);
		return -1;
	}
}

static long play_affinity(const uint64_t *bits, size_t size)
{
	_str_ struct str cpus = {};

	assert_int_equal(size, WORKER_MAX_CPUS / 8);
	for (unsigned int cpu = 0; cpu < WORKER_MAX_CPUS; cpu++)
		if (bits[cpu / 64] >> cpu % 64 & 1)
			str_addf(&cpus, " %u", cpu);
	say("affinity%s", cpus.len < 32 ? str_get(&cpus) : " all");
	return fail_with(cpus.len < 32 ? played.affinity_error : 0);
}

/* The words of the kernel's struct sched_attr that are not 0. */
static long play_scheduling(const uint32_t *words)
{
	static const char *const names[14] = { "size",	   "policy",  "flags", NULL,	   "nice",
					       "priority", "runtime", NULL,    "deadline", NULL,
					       "period",   NULL,      "min",   "max" };
	_str_ struct str text = {};

	for (size_t i = 1; i < ARRAY_SIZE(names); i++)
		if (words[i])
			str_addf(&text, " %s %d", names[i] ? names[i] : "high", (int)words[i]);
	assert_int_equal(words[0], sizeof(names) / sizeof(names[0]) * sizeof(*words));
	say("schedule%s", str_get(&text));
	return fail_with(played.policy_error);
}

static long play_memory_policy(int mode, const unsigned long *mask, long most)
{
	_str_ struct str text = {};

	for (unsigned int i = 0; mask && i < MEMORY_NODES_MAX; i++)
		if (mask[i / 64] >> i % 64 & 1)
			str_addf(&text, " %u", i);
	say("memory %x%s of %ld", (unsigned int)mode, str_get(&text), most);
	return fail_with(played.bind_error);
}

static long play_syscall(long number, const long args[SYSCALL_ARGS])
{
	if (number == SYS_futex && played.is_on)
		return play_futex((const void *)args[0], (int)args[1], (uint32_t)args[2],
				  (const struct timespec *)args[3]);
	if (number == SYS_sched_setaffinity)
		return play_affinity((const uint64_t *)args[2], (size_t)args[1]);
	if (number == SYS_get_mempolicy) {
		*(unsigned long *)args[1] = played.nodes;
		return fail_with(played.nodes ? 0 : ENOSYS);
	}
	if (number == SYS_sched_setattr)
		return play_scheduling((const uint32_t *)args[1]);
	if (number == SYS_set_mempolicy)
		return play_memory_policy((int)args[0], (const unsigned long *)args[1], args[2]);
	if (number == SYS_mbind) {
		say("bind %lx", *(unsigned long *)args[3]);
		return fail_with(played.bind_error);
	}
	return pass_syscall(number, args);
}

/* ---- tasks ---- */

int __wrap_kill(pid_t pid, int number);
int __wrap_setpriority(__priority_which_t which, id_t who, int value);
int __wrap_sched_setscheduler(pid_t pid, int policy, const struct sched_param *param);
int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);
pid_t __wrap_fork(void);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);
int __wrap_madvise(void *at, size_t len, int advice);
int __real_madvise(void *at, size_t len, int advice);
pid_t __real_waitpid(pid_t pid, int *status, int options);
int __real_kill(pid_t pid, int number);

int __wrap_kill(pid_t pid, int number)
{
	if (!played.is_on)
		return __real_kill(pid, number);
	say("kill %d %d", (int)pid, number);
	return 0;
}

int __wrap_setpriority(__priority_which_t which, id_t who, int value)
{
	assert_int_equal(which, PRIO_PROCESS);
	assert_int_equal(who, 0);
	say("nice %d", value);
	return (int)fail_with(played.priority_error);
}

int __wrap_sched_setscheduler(pid_t pid, int policy, const struct sched_param *param)
{
	assert_int_equal(pid, 0);
	say("policy %d %d", policy, param->sched_priority);
	return (int)fail_with(policy == SCHED_FIFO || policy == SCHED_RR ? played.policy_error : 0);
}

int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	assert_int_equal(pid, 0);
	assert_int_equal(size, WORKER_MAX_CPUS / 8);
	for (unsigned int i = 0; i < played.allowed_count; i++)
		CPU_SET_S(played.allowed[i], size, set);
	return 0;
}

#define CHILD 4321

pid_t __wrap_fork(void)
{
	say("fork");
	return fail_with(played.fork_error) ? -1 : CHILD;
}

pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
	if (!played.is_on)
		return __real_waitpid(pid, status, options);
	assert_int_equal(options, 0);
	say("wait for %d", (int)pid);
	played.now_ns += BLOCK_NS;
	*status = played.status;
	if (played.wait_errors && played.wait_errors--)
		return (pid_t)fail_with(EINTR);
	return pid;
}

int __wrap_madvise(void *at, size_t len, int advice)
{
	if (!played.is_on)
		return __real_madvise(at, len, advice);
	say("advise %zu %d", len, advice);
	if (advice != MADV_DONTNEED)
		return 0;
	played.touched = 0;
	for (size_t page = 0; page < len / 4096; page++)
		played.touched |= (uint64_t)((const unsigned char *)at)[page * 4096] << page;
	memset(at, 0, len);
	return 0;
}

/* ---- files ---- */

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout_ms);
int __real_poll(struct pollfd *fds, nfds_t count, int timeout_ms);
int __wrap_epoll_wait(int fd, struct epoll_event *events, int most, int timeout_ms);
int __real_epoll_wait(int fd, struct epoll_event *events, int most, int timeout_ms);

int __wrap_file_read_at(int dirfd, const char *path, struct str *out);
int __real_file_read_at(int dirfd, const char *path, struct str *out);

int __wrap_file_read_at(int dirfd, const char *path, struct str *out)
{
	if (!played.file.path)
		return __real_file_read_at(dirfd, path, out);
	assert_int_equal(dirfd, AT_FDCWD);
	assert_string_equal(path, played.file.path);
	if (!played.file.text)
		return -ENOENT;
	str_add(out, played.file.text);
	return 0;
}

/* Which of the team's files it is. */
static int file_number(int fd)
{
	for (int i = 0; i < WORKER_MAX_FDS && w.fds[i] >= 0; i++)
		if (w.fds[i] == fd)
			return i;
	return -1;
}

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	assert_int_equal(count, 1);
	assert_int_equal(timeout_ms, WORKER_WAIT_SLICE_MS);
	say("poll %d for %s", file_number(fds->fd), fds->events == POLLIN ? "in" : "out");
	pass_wait();
	return __real_poll(fds, count, 0);
}

int __wrap_epoll_wait(int fd, struct epoll_event *events, int most, int timeout_ms)
{
	assert_int_equal(most, WORKER_MAX_FDS);
	assert_int_equal(timeout_ms, WORKER_WAIT_SLICE_MS);
	say("epoll");
	pass_wait();
	return __real_epoll_wait(fd, events, most, 0);
}

/* ---- the worker ---- */

static int set_up(void **state)
{
	(void)state;
	memset(&played, 0, sizeof(played));
	played.is_on = true;
	played.now_ns = BEGIN_NS;
	played.cpu = CPU;
	shared = (struct workers_shared){};
	memset(lines, 0, sizeof(lines));
	team = (struct team_line){};
	report = calloc(1, sizeof(*report));
	work = (struct ktstr_work){};
	spec = (struct workers_spec){ .work = &work };
	w = (struct ktstr_worker){ .shared = &shared,
				   .line = &lines[0],
				   .lines = lines,
				   .team = &team,
				   .team_size = 4,
				   .report = report,
				   .spec = &spec,
				   .random = 1 };
	worker_begin(&w);
	close(w.schedstat_fd);
	w.schedstat_fd = -1;
	return report ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	played.is_on = false;
	str_finish(&played.said);
	free(w.state);
	free(report);
	return 0;
}

static inline void be(unsigned int member)
{
	w.member = member;
	w.line = &lines[member];
}

static inline void stop_worker(unsigned int count)
{
	(void)count;
	atomic_store(&shared.stop, 1);
}

/* What it has told of its latencies, in order of time: the last one, and how many there are. */
static void assert_wakes(uint64_t count, uint64_t sum_ns)
{
	assert_int_equal(w.counts->wakes.count, count);
	assert_int_equal((uint64_t)w.counts->wakes.sum, sum_ns);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

#endif
