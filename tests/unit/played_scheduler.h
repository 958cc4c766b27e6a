/* SPDX-License-Identifier: GPL-2.0-only */
/* A kernel, a scheduler's process and a clock, for the guest's part that looks after a scheduler. */
#ifndef KTSTR_PLAYED_SCHEDULER_H
#define KTSTR_PLAYED_SCHEDULER_H

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "guest/protocol.h"
#include "guest/sched.h"

#define PID 77
#define PAYLOAD 500
#define SECOND NSEC_PER_SEC
#define EXITED(code) ((code) << 8)
#define DISABLED(reason) "3,1,1,-;sched_ext: BPF scheduler \"a\" disabled (" reason ")\n"
#define ENABLED "6,1,1,-;sched_ext: BPF scheduler \"a\" enabled\n"

struct event {
	uint64_t at_ms; /* since the beginning */
	void (*happens)(void);
};

static struct played {
	uint64_t now_ns;
	const struct event *events;
	struct scx_state state;
	int status; /* of a process that has ended */
	pid_t ended, holder;
	bool has_orphans, cannot_start, is_released, ends_on_int, ends_on_kill;
	int output[2], kmsg[2], sysrq;
	unsigned int newest_program, starts;
	const char *args, *enable, *disable, *dump;
	size_t args_len;
	int command_status, policy, priority;
	bool can_follow, traces;
	unsigned int stops_left;
	unsigned int signals_left;	 /* that come without a wait */
	unsigned int trace_reads, waits; /* waits: for signals, before the first of them */
	uint64_t memory_bytes;		 /* 0 = not known */
	struct str calls;		 /* signals, frames and commands, in their order */
	struct str ended_file;
	struct str logs; /* remarks, a line each */
	unsigned int lost_records, looks;
	bool has_no_priority, has_no_cgroups;
	bool has_sought; /* the end of the kernel's log */
} now;

static struct scheduler s;

/* ---- what the guest calls ---- */

uint64_t __wrap_clock_mono_ns(void);
int __wrap_poll(struct pollfd *fds, nfds_t count, int ms);
void __wrap_scx_state_read(struct scx_state *state, const char *root);
int __wrap_sched_process_start(const struct sched_launch *launch, pid_t *pid, int *output,
			       char *problem, size_t size);
pid_t __wrap_sched_process_find_holder(void);
bool __wrap_sched_process_has_orphans(pid_t older);
pid_t __wrap_waitpid(pid_t pid, int *status, int flags);
int __wrap_kill(pid_t pid, int number);
int __wrap_access(const char *path, int mode);
int __wrap_open(const char *path, int flags, ...);
int __real_open(const char *path, int flags, ...);
int __wrap_sched_setscheduler(pid_t pid, int policy, const struct sched_param *p);
int __wrap_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *limit);
int __wrap_sysinfo(struct sysinfo *info);
ssize_t __wrap_read(int fd, void *data, size_t len);
ssize_t __real_read(int fd, void *data, size_t len);
off_t __wrap_lseek(int fd, off_t offset, int whence);
off_t __real_lseek(int fd, off_t offset, int whence);
int __wrap_file_read_at(int dirfd, const char *path, struct str *out);
int __wrap_file_make_dirs(const char *path, mode_t mode);
int __wrap_file_replace(const char *path, const char *data, size_t len, mode_t mode);
int __wrap_run_program(char *const argv[]);
int __wrap_channel_send(struct channel_writer *w, uint32_t type, const void *data, size_t len);
unsigned int __wrap_scx_programs_newest(unsigned int after);
void __wrap_scx_programs_read(struct sched_life *r);
void __wrap_scx_trace_open(struct scx_trace *t);
void __wrap_scx_trace_read(struct scx_trace *t, struct bounded_text *out);
void __wrap_scx_trace_close(struct scx_trace *t);
bool __wrap_scx_watchdog_can_follow(void);
void __wrap_scx_watchdog_begin(struct scx_watchdog *w, struct sched_watchdog *facts, pid_t pid,
			       bool are_stops_dear);
void __wrap_scx_watchdog_look(struct scx_watchdog *w);
void __wrap_scx_watchdog_take_stop(struct scx_watchdog *w, pid_t task, int status);
void __wrap_scx_watchdog_forget(struct scx_watchdog *w, pid_t task);
void __wrap_scx_watchdog_end(struct scx_watchdog *w);
void __wrap_scx_watchdog_release(struct scx_watchdog *w);

uint64_t __wrap_clock_mono_ns(void)
{
	return now.now_ns;
}

static void pass(uint64_t ns)
{
	now.now_ns += ns;
	while (now.events && now.events->happens &&
	       now.events->at_ms * NSEC_PER_MSEC <= now.now_ns - 11 * SECOND)
		(now.events++)->happens();
}

int __wrap_poll(struct pollfd *fds, nfds_t count, int ms)
{
	assert_int_equal(count, 2);
	assert_int_equal(fds[0].fd, s.output);
	assert_int_equal(fds[1].fd, s.kmsg);
	assert_int_equal(ms, 10);
	pass((uint64_t)ms * NSEC_PER_MSEC);
	return 0;
}

void __wrap_scx_state_read(struct scx_state *state, const char *root)
{
	assert_string_equal(root, "");
	*state = now.state;
}

int __wrap_sched_process_start(const struct sched_launch *launch, pid_t *pid, int *output,
			       char *problem, size_t size)
{
	now.starts++;
	assert_string_equal(launch->argv[0], "/scheduler");
	if (now.cannot_start) {
		snprintf(problem, size, "it is no program");
		return -1;
	}
	launch->before_exec(launch->ctx, PID);
	*pid = PID;
	*output = now.output[0];
	return 0;
}

pid_t __wrap_sched_process_find_holder(void)
{
	return now.holder;
}

bool __wrap_sched_process_has_orphans(pid_t older)
{
	assert_int_equal(older, PID);
	return now.has_orphans;
}

pid_t __wrap_waitpid(pid_t pid, int *status, int flags)
{
	pid_t ended = now.ended;

	assert_int_equal(pid, -1);
	assert_true(flags & WNOHANG);
	if (now.stops_left) {
		now.stops_left--;
		*status = 0x57f;
		return PID;
	}
	*status = now.status;
	now.ended = 0;
	return ended;
}

static void ends(pid_t pid, int status)
{
	now.ended = pid;
	now.status = status;
	now.state.is_active = now.state.is_enabled = false;
}

int __wrap_kill(pid_t pid, int number)
{
	str_addf(&now.calls, "kill %d %d;", (int)pid, number);
	if (pid == -PAYLOAD)
		return 0;
	if ((number == SIGINT && now.ends_on_int) || (number == SIGKILL && now.ends_on_kill))
		ends(pid, number == SIGINT ? 0 : SIGKILL);
	return 0;
}

int __wrap_access(const char *path, int mode)
{
	assert_string_equal(path, GUEST_SCHED_RELEASED);
	assert_int_equal(mode, F_OK);
	return now.is_released ? 0 : -1;
}

int __wrap_open(const char *path, int flags, ...)
{
	if (str_eq(path, "/dev/kmsg")) {
		assert_int_equal(flags, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		return now.kmsg[0];
	}
	assert_string_equal(path, REQUESTS_SYSRQ);
	assert_int_equal(flags, O_WRONLY | O_CLOEXEC);
	return dup(now.sysrq);
}

/* Records of the kernel's log may be overwritten before they are read. */
ssize_t __wrap_read(int fd, void *data, size_t len)
{
	if (fd != now.kmsg[0] || !now.lost_records)
		return __real_read(fd, data, len);
	now.lost_records--;
	errno = EPIPE;
	return -1;
}

off_t __wrap_lseek(int fd, off_t offset, int whence)
{
	now.has_sought |= fd == now.kmsg[0] && offset == 0 && whence == SEEK_END;
	return __real_lseek(fd, offset, whence);
}

int __wrap_sched_setscheduler(pid_t pid, int policy, const struct sched_param *p)
{
	assert_int_equal(pid, 0);
	now.policy = policy;
	now.priority = p->sched_priority;
	errno = EPERM;
	return now.has_no_priority ? -1 : 0;
}

int __wrap_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *limit)
{
	sigset_t blocked;

	(void)info;
	for (int number = 1; number < SIGRTMIN; number++)
		assert_int_equal(sigismember(set, number) == 1, number == SIGCHLD);
	assert_int_equal(limit->tv_sec, 0);
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	assert_true(sigismember(&blocked, SIGCHLD));
	now.waits += !now.trace_reads;
	if (now.signals_left) {
		now.signals_left--;
		return SIGCHLD;
	}
	pass((uint64_t)limit->tv_nsec);
	return -1;
}

int __wrap_sysinfo(struct sysinfo *info)
{
	*info = (struct sysinfo){ .totalram = now.memory_bytes / 4, .mem_unit = 4 };
	return now.memory_bytes ? 0 : -1;
}

int __wrap_file_read_at(int dirfd, const char *path, struct str *out)
{
	const char *text = str_eq(path, GUEST_SCHED_ENABLE_FILE)  ? now.enable :
			   str_eq(path, GUEST_SCHED_DISABLE_FILE) ? now.disable :
								    NULL;

	assert_int_equal(dirfd, AT_FDCWD);
	if (str_eq(path, GUEST_SCHED_ARGS) && now.args) {
		str_addn(out, now.args, now.args_len);
		return 0;
	}
	if (!text)
		return -ENOENT;
	str_add(out, text);
	return 0;
}

int __wrap_file_make_dirs(const char *path, mode_t mode)
{
	assert_int_equal(mode, 0755);
	str_addf(&now.calls, "mkdir %s;", path);
	return now.has_no_cgroups ? err_set(EROFS, "no place for it") : 0;
}

int __wrap_file_replace(const char *path, const char *data, size_t len, mode_t mode)
{
	assert_string_equal(path, GUEST_SCHED_ENDED);
	assert_int_equal(mode, 0644);
	str_reset(&now.ended_file);
	str_addn(&now.ended_file, data, len);
	return 0;
}

int __wrap_run_program(char *const argv[])
{
	assert_string_equal(argv[0], GUEST_BUSYBOX);
	assert_string_equal(argv[1], "sh");
	assert_string_equal(argv[2], "-c");
	assert_null(argv[4]);
	str_addf(&now.calls, "run %s;", argv[3]);
	return now.command_status;
}

static struct str json; /* of the last report */

int __wrap_channel_send(struct channel_writer *w, uint32_t type, const void *data, size_t len)
{
	assert_ptr_equal(w, &report.channel);
	if (type == CHANNEL_SCHED_EXIT) {
		assert_int_equal(len, sizeof(int32_t));
		str_addf(&now.calls, "exit %d;", *(const int32_t *)data);
	} else if (type == CHANNEL_SCHED_ATTACHED) {
		str_addf(&now.calls, "attached %.*s;", (int)len, (const char *)data);
	} else if (type == CHANNEL_SCHED_REPORT) {
		str_reset(&json);
		str_addn(&json, data, len);
		str_add(&now.calls, "report;");
	} else if (type == CHANNEL_SCHED_LOG || type == CHANNEL_SCHED_DUMP) {
		str_addf(&now.calls, "%s %.*s;", type == CHANNEL_SCHED_LOG ? "log" : "dump",
			 (int)len, (const char *)data);
	} else if (type == CHANNEL_LOG) {
		str_addf(&now.logs, "%.*s\n", (int)len, (const char *)data);
	}
	return 0;
}

unsigned int __wrap_scx_programs_newest(unsigned int after)
{
	assert_true(after == 0 || after == s.attach.newest_program);
	return now.newest_program;
}

void __wrap_scx_programs_read(struct sched_life *r)
{
	r->program_count = 0;
	str_add(&now.calls, "programs;");
}

void __wrap_scx_trace_open(struct scx_trace *t)
{
	t->fd = 99;
}

void __wrap_scx_trace_read(struct scx_trace *t, struct bounded_text *out)
{
	now.trace_reads++;
	if (now.dump && t->fd == 99)
		bounded_text_add(out, now.dump, strlen(now.dump));
	now.dump = NULL;
}

void __wrap_scx_trace_close(struct scx_trace *t)
{
	t->fd = -1;
}

bool __wrap_scx_watchdog_can_follow(void)
{
	return now.can_follow;
}

void __wrap_scx_watchdog_begin(struct scx_watchdog *w, struct sched_watchdog *facts, pid_t pid,
			       bool are_stops_dear)
{
	(void)are_stops_dear;
	assert_ptr_equal(facts, &s.report.watchdog);
	assert_int_equal(pid, PID);
	w->is_tracing = now.traces;
	w->task_count = 1;
	str_add(&now.calls, "follow;");
}

void __wrap_scx_watchdog_look(struct scx_watchdog *w)
{
	(void)w;
	now.looks++;
}

void __wrap_scx_watchdog_take_stop(struct scx_watchdog *w, pid_t task, int status)
{
	assert_int_equal(task, PID);
	assert_int_equal(status, 0x57f);
	str_add(&now.calls, "stop;");
	if (!now.stops_left) { /* it hands over its operations */
		w->is_tracing = false;
		w->task_count = 0;
	}
}

void __wrap_scx_watchdog_forget(struct scx_watchdog *w, pid_t task)
{
	(void)w;
	str_addf(&now.calls, "forget %d;", (int)task);
}

void __wrap_scx_watchdog_end(struct scx_watchdog *w)
{
	if (w->is_tracing)
		str_add(&now.calls, "let go;");
	w->is_tracing = false;
}

void __wrap_scx_watchdog_release(struct scx_watchdog *w)
{
	if (w->holds)
		str_add(&now.calls, "release;");
}

/* ---- scenes ---- */

static int setup(void **state)
{
	(void)state;
	if (fcntl(STDIN_FILENO, F_GETFD) < 0)
		assert_int_equal(__real_open("/dev/null", O_RDONLY), STDIN_FILENO);
	memset(&s, 0, sizeof(s));
	memset(&now, 0, sizeof(now));
	now.now_ns = 11 * SECOND;
	now.state.is_there = true;
	now.args = "/scheduler\0-v";
	now.args_len = sizeof("/scheduler\0-v");
	now.ends_on_int = now.ends_on_kill = true;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, now.kmsg), 0);
	assert_int_equal(pipe2(now.output, O_NONBLOCK), 0);
	now.sysrq = memfd_create("sysrq", 0);
	report.control = memfd_create("control", 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	close(now.kmsg[1]);
	close(now.output[1]);
	close(now.sysrq);
	cleanup_fd(&report.control);
	str_finish(&now.calls);
	str_finish(&now.ended_file);
	str_finish(&now.logs);
	assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
	str_finish(&json);
	json = (struct str){};
	return 0;
}

static inline void log_kernel(const char *record)
{
	assert_int_equal(write(now.kmsg[1], record, strlen(record)), strlen(record));
}

static inline void attaches(void)
{
	now.state.is_active = now.state.is_enabled = true;
	snprintf(now.state.ops, sizeof(now.state.ops), "a");
	log_kernel(ENABLED);
}

static inline void goes_with_3(void)
{
	ends(PID, EXITED(3));
}

static inline void attaches_by_a_child(void)
{
	now.holder = 88;
	attaches();
}

static inline void goes_well(void)
{
	now.ended = PID;
	now.status = EXITED(0);
}

static inline void init_with(const char *settings)
{
	struct settings set = {};

	str_add(&set.text, settings);
	assert_int_equal(scheduler_init(&s, &set), 0);
	str_finish(&set.text);
}

static inline void expect_calls(const char *wanted)
{
	assert_string_equal(str_get(&now.calls), wanted);
	str_reset(&now.calls);
}

static inline void expect_logs(const char *wanted)
{
	assert_string_equal(str_get(&now.logs), wanted);
	str_reset(&now.logs);
}

static inline void expect_json(const char *part)
{
	if (!strstr(str_get(&json), part))
		fail_msg("no %s in %s", part, str_get(&json));
}

static inline void expect_line(const char *begin)
{
	char line[512] = {};

	assert_true(pread(report.control, line, sizeof(line) - 1, 0) >= 0);
	if (strncmp(line, begin, strlen(begin)) != 0)
		fail_msg("not %s: %s", begin, line);
}

static const struct event soon[] = { { 50, attaches }, {} };

/* Attached, and its payload runs. */
static inline struct run_watcher begin(const char *settings)
{
	if (!now.events)
		now.events = soon;
	init_with(settings);
	assert_true(s.is_wanted);
	assert_true(scheduler_start(&s));
	scheduler_begin_payload(&s);
	str_reset(&now.calls);
	return scheduler_watcher(&s);
}

/* Time passes while the payload runs. */
static inline void look_for(const struct run_watcher *w, uint64_t ms)
{
	for (uint64_t i = 0; i < ms; i += 100) {
		pass(100 * NSEC_PER_MSEC);
		w->look(w->ctx, PAYLOAD);
	}
}

#define HERE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

#endif
