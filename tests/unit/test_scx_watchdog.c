// SPDX-License-Identifier: GPL-2.0-only
/* The stall limit in a scheduler's operations, written while a child hands them over. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "btf_maker.h"
#include "guest/sched.h"
#include "wrapped_syscall.h"

#define OPERATIONS_TYPE 3 /* see add_types() */
#define TIMEOUT_WORD 6	  /* of the operations: 16 + 8 bytes */
#define MAP_FD 55
#define HANDED_BYTES ((long)offsetof(union bpf_attr, flags)) /* that are needed at least */

static struct played {
	bool has_types, is_other_map;
	unsigned int newest_map, lacking_pidfds;
	uint32_t value_type;
} now;

/* Between the test and its child. */
static volatile struct {
	bool has_map; /* the child has made one */
	bool is_seen; /* and it was told to stop at calls */
} * shared;

static struct scx_watchdog w;
static struct sched_watchdog facts;

int __wrap_file_read_at(int dirfd, const char *path, struct str *out);
int __real_file_read_at(int dirfd, const char *path, struct str *out);

static long play_bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	struct bpf_map_info *info;

	if (command == BPF_MAP_GET_NEXT_ID) {
		if (attr->start_id >= now.newest_map)
			return -1;
		attr->next_id = attr->start_id + 1;
		return 0;
	}
	assert_int_equal(command, BPF_OBJ_GET_INFO_BY_FD);
	assert_int_equal(attr->info.info_len, sizeof(*info));
	info = (struct bpf_map_info *)(uintptr_t)attr->info.info;
	info->type = now.is_other_map ? BPF_MAP_TYPE_HASH : BPF_MAP_TYPE_STRUCT_OPS;
	info->btf_vmlinux_value_type_id = now.value_type;
	return 0;
}

static long play_syscall(long number, const long args[SYSCALL_ARGS])
{
	if (number == SYS_bpf)
		return play_bpf((enum bpf_cmd)args[0], (union bpf_attr *)args[1]);
	if (number == SYS_pidfd_getfd) {
		assert_int_equal(args[1], MAP_FD);
		assert_int_equal((unsigned int)args[2], 0);
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	}
	if (number == SYS_pidfd_open) {
		assert_int_equal((unsigned int)args[1], 0);
		if (now.lacking_pidfds && now.lacking_pidfds--)
			return -1;
	}
	return pass_syscall(number, args);
}

int __wrap_file_read_at(int dirfd, const char *path, struct str *out)
{
	static struct btf_maker types;

	if (strcmp(path, BTF_OF_KERNEL) != 0)
		return __real_file_read_at(dirfd, path, out);
	if (!now.has_types)
		return -ENOENT;
	memset(&types, 0, sizeof(types));
	bm_int(&types, "int", 4, 0);
	bm_record(&types, BTF_STRUCT, "sched_ext_ops", 64, 2);
	bm_member(&types, "flags", 1, 0);
	bm_member(&types, "timeout_ms", 1, 8);
	bm_record(&types, BTF_STRUCT, "bpf_struct_ops_sched_ext_ops", 80, 2);
	bm_member(&types, "common", 1, 0);
	bm_member(&types, "data", 2, 16);
	str_addn(out, (const char *)types.blob, bm_end(&types));
	return 0;
}

static int setup(void **state)
{
	(void)state;
	now = (struct played){ .has_types = true, .newest_map = 5, .value_type = OPERATIONS_TYPE };
	w = (struct scx_watchdog){};
	facts = (struct sched_watchdog){ .is_wanted = true, .seconds = 7 };
	scx_watchdog_learn();
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	assert_true(shared != MAP_FAILED);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	munmap((void *)shared, sizeof(*shared));
	return 0;
}

/* ---- the scheduler ---- */

static uint32_t operations[20];

/* Nothing is written by a call that only looks like it. */
static void mislead(long number, long command, const union bpf_attr *attr, long size)
{
	__real_syscall(number, command, attr, size);
	operations[TIMEOUT_WORD] = 5000;
}

/* Hands them over; the seconds that are in them then. */
static int hand_over(void)
{
	union bpf_attr attr = { .map_fd = MAP_FD, .value = (unsigned long)operations };

	operations[TIMEOUT_WORD] = 5000;
	mislead(SYS_bpf, BPF_MAP_LOOKUP_ELEM, &attr, sizeof(attr));
	mislead(SYS_getpriority, BPF_MAP_UPDATE_ELEM, &attr, sizeof(attr));
	mislead(SYS_bpf, BPF_MAP_UPDATE_ELEM, &attr, 8);
	mislead(SYS_bpf, BPF_MAP_UPDATE_ELEM, &attr, HANDED_BYTES - 1);
	__real_syscall(SYS_bpf, BPF_MAP_UPDATE_ELEM, &attr, HANDED_BYTES);
	return (int)(operations[TIMEOUT_WORD] / 1000);
}

/* A stop of any kind, as that of an exec(), is where it begins to be stopped at calls. */
static int directly(void)
{
	raise(SIGWINCH);
	return hand_over();
}

static int by_a_child(void)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(hand_over());
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static volatile sig_atomic_t got;

static void note_signal(int number)
{
	got = number;
}

static int with_signals(void)
{
	signal(SIGUSR1, note_signal);
	raise(SIGUSR1);
	raise(SIGSTOP);
	return got == SIGUSR1 ? hand_over() : 99;
}

static int from_nowhere(void)
{
	union bpf_attr attr = { .map_fd = MAP_FD, .value = 8 };

	raise(SIGWINCH);
	__real_syscall(SYS_bpf, BPF_MAP_UPDATE_ELEM, &attr, sizeof(attr));
	return 4;
}

static int takes_a_signal(void)
{
	signal(SIGUSR1, note_signal);
	raise(SIGUSR1);
	return got == SIGUSR1 ? 6 : 99;
}

/* Twice: the first time nobody stops at calls yet. */
static int after_its_map(void)
{
	int first = directly();

	shared->has_map = true;
	while (!shared->is_seen)
		usleep(1000);
	return 10 * first + hand_over();
}

static int waits(void)
{
	usleep(50000);
	return 1;
}

/* It begins once it is followed. */
static pid_t begin(int (*does)(void), bool are_stops_dear)
{
	int go[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		close(go[1]);
		if (read(go[0], &byte, 1) < 0)
			_exit(98);
		_exit(does());
	}
	close(go[0]);
	scx_watchdog_begin(&w, &facts, pid, are_stops_dear);
	if (!w.is_tracing && now.has_types) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		print_message("# skip: %s\n", facts.problem);
		skip();
	}
	close(go[1]);
	return pid;
}

/* Until it ends; its status. */
static int follow(pid_t pid)
{
	int status;

	for (;;) {
		pid_t ended = waitpid(-1, &status, __WALL | WNOHANG);

		assert_true(ended >= 0);
		now.newest_map = shared->has_map ? 6 : 5;
		scx_watchdog_look(&w);
		shared->is_seen = w.stops_at_calls;
		if (ended == 0) {
			usleep(1000);
			continue;
		}
		if (WIFSTOPPED(status)) {
			if (status >> 16 && WSTOPSIG(status) == SIGSTOP)
				kill(ended, SIGCONT);
			scx_watchdog_take_stop(&w, ended, status);
			continue;
		}
		scx_watchdog_forget(&w, ended);
		if (ended == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	}
}

/* ---- tests ---- */

static void expect_written(unsigned int written_ms, const char *problem)
{
	assert_true(facts.is_written);
	assert_int_equal(facts.previous_ms, 5000);
	assert_int_equal(facts.written_ms, written_ms);
	assert_string_equal(facts.problem, problem);
	assert_false(w.is_tracing);
	assert_int_equal(w.task_count, 0);
	assert_int_equal(w.held.task, 0);
}

static void expect_unwritten(const char *problem)
{
	assert_false(facts.is_written);
	assert_string_equal(facts.problem, problem);
}

static void the_limit_is_written_when_they_are_handed_over(void **state)
{
	(void)state;
	assert_true(scx_watchdog_can_follow());
	assert_int_equal(follow(begin(directly, false)), 7);
	expect_written(7000, "");
	now.lacking_pidfds = 1; /* as of a thread */
	facts = (struct sched_watchdog){ .is_wanted = true, .seconds = 30 };
	assert_int_equal(follow(begin(directly, false)), 30);
	expect_written(30000, "");
	facts = (struct sched_watchdog){ .is_wanted = true, .seconds = 31 };
	assert_int_equal(follow(begin(directly, false)), 30);
	expect_written(30000, "the kernel allows 30 s at most");
}

static void children_are_followed(void **state)
{
	(void)state;
	assert_int_equal(follow(begin(by_a_child, false)), 7);
	expect_written(7000, "");
}

static void signals_reach_it(void **state)
{
	(void)state;
	assert_int_equal(follow(begin(with_signals, false)), 7);
	expect_written(7000, "");
}

static int stop_signal;

/* In a group of its own, whose leader has a parent: only there do all of them stop. */
static int stops(void)
{
	setpgid(0, 0);
	raise(stop_signal);
	return 1;
}

static pid_t wait_for_group_stop(pid_t pid)
{
	int status;

	for (;;) {
		assert_int_equal(waitpid(pid, &status, __WALL), pid);
		assert_true(WIFSTOPPED(status));
		scx_watchdog_take_stop(&w, pid, status);
		if (status >> 16 && WSTOPSIG(status) == stop_signal)
			return pid;
	}
}

static void whoever_is_stopped_stays_so_until_it_is_continued(void **state)
{
	static const int signals[] = { SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		pid_t pid;

		stop_signal = signals[i];
		w = (struct scx_watchdog){};
		pid = wait_for_group_stop(begin(stops, false));
		usleep(5000);
		assert_int_equal(waitpid(pid, NULL, __WALL | WNOHANG), 0);
		kill(pid, SIGCONT);
		assert_int_equal(follow(pid), 1);
	}
}

static void where_stops_are_dear_it_runs_until_its_first_map(void **state)
{
	(void)state;
	assert_int_equal(follow(begin(after_its_map, true)), 57);
	expect_written(7000, "");
	assert_int_equal(w.last_map, 5);
}

static void other_maps_are_left_alone(void **state)
{
	static const char nothing[] = "the scheduler was not seen handing over its operations";

	(void)state;
	now.value_type = 2;
	assert_int_equal(follow(begin(directly, false)), 5);
	expect_unwritten(nothing);
	now.value_type = OPERATIONS_TYPE;
	now.is_other_map = true;
	assert_int_equal(follow(begin(directly, false)), 5);
	expect_unwritten(nothing);
	assert_true(w.is_tracing);
	assert_int_equal(w.task_count, 0);
	/* One that cannot be looked at is such a map, too. */
	now.is_other_map = false;
	now.lacking_pidfds = 2;
	assert_int_equal(follow(begin(directly, false)), 5);
	expect_unwritten(nothing);
}

static void operations_that_cannot_be_written_are_told(void **state)
{
	(void)state;
	assert_int_equal(follow(begin(from_nowhere, false)), 4);
	expect_unwritten("the scheduler's operations cannot be written: Bad address");
}

/* Stopped there, until the limit of the run is known. */
static void it_may_be_held(void **state)
{
	pid_t pid;
	int status;

	(void)state;
	for (int is_wanted = 0; is_wanted <= 1; is_wanted++) {
		w = (struct scx_watchdog){ .holds = true };
		facts = (struct sched_watchdog){};
		pid = begin(directly, false);
		while (w.is_tracing) {
			assert_int_equal(waitpid(pid, &status, __WALL), pid);
			scx_watchdog_take_stop(&w, pid, status);
		}
		assert_int_equal(w.held.task, pid);
		usleep(5000);
		assert_int_equal(waitpid(pid, &status, __WALL | WNOHANG), 0);
		facts.is_wanted = is_wanted;
		facts.seconds = 9;
		scx_watchdog_release(&w);
		assert_int_equal(w.held.task, 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(WEXITSTATUS(status), is_wanted ? 9 : 5);
	}
	scx_watchdog_release(&w); /* nobody is held */
}

static void all_are_let_go(void **state)
{
	char path[64];
	_str_ struct str text = {};
	int status;
	pid_t pid;

	(void)state;
	pid = begin(waits, false);
	assert_int_equal(w.task_count, 1);
	scx_watchdog_end(&w);
	assert_false(w.is_tracing);
	assert_int_equal(w.task_count, 0);
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	assert_int_equal(__real_file_read_at(AT_FDCWD, path, &text), 0);
	assert_non_null(strstr(str_get(&text), "TracerPid:\t0\n"));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 1);
	scx_watchdog_end(&w);
}

/* The signal for which it has stopped is its own. */
static void signals_reach_whoever_is_let_go(void **state)
{
	siginfo_t info;
	int status;
	pid_t pid;

	(void)state;
	pid = begin(takes_a_signal, false);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOWAIT | __WALL), 0);
	scx_watchdog_end(&w);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 6);
}

/* A stop that is noticed later than the end of tracing. */
static void whoever_stops_late_is_let_go(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	pid = begin(directly, false);
	assert_int_equal(waitpid(pid, &status, __WALL), pid);
	assert_true(WIFSTOPPED(status));
	w.is_tracing = false;
	scx_watchdog_take_stop(&w, pid, status);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 5);
}

static void without_types_nobody_is_followed(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	now.has_types = false;
	scx_watchdog_learn();
	assert_false(scx_watchdog_can_follow());
	pid = begin(directly, false);
	expect_unwritten("the kernel has no BTF of sched_ext's operations");
	assert_false(w.is_tracing);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 5);
	now.has_types = true;
	scx_watchdog_learn();
	scx_watchdog_begin(&w, &facts, pid, false); /* it is gone */
	expect_unwritten("the scheduler cannot be followed: No such process");
}

static void as_many_tasks_as_there_is_room_for_are_remembered(void **state)
{
	(void)state;
	w = (struct scx_watchdog){ .tasks = { 1, 2, 3 }, .task_count = 3 };
	scx_watchdog_forget(&w, 2);
	assert_int_equal(w.task_count, 2);
	assert_true(w.tasks[0] == 1 && w.tasks[1] == 3);
	scx_watchdog_forget(&w, 2);
	assert_int_equal(w.task_count, 2);
	/* No process has such a number, so that nothing happens to it. */
	w = (struct scx_watchdog){ .facts = &facts, .is_tracing = true };
	for (pid_t task = 10000000; task < 10000070; task++)
		scx_watchdog_take_stop(&w, task, SIGCHLD << 8 | 0x7f);
	assert_int_equal(w.task_count, SCX_WATCHDOG_MAX_TASKS);
	assert_int_equal(w.tasks[SCX_WATCHDOG_MAX_TASKS - 1], 10000063);
	assert_int_equal(w.held.task, 0);
	w.task_count = 0;
}

#define HERE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HERE(the_limit_is_written_when_they_are_handed_over),
		HERE(children_are_followed),
		HERE(signals_reach_it),
		HERE(whoever_is_stopped_stays_so_until_it_is_continued),
		HERE(where_stops_are_dear_it_runs_until_its_first_map),
		HERE(other_maps_are_left_alone),
		HERE(operations_that_cannot_be_written_are_told),
		HERE(it_may_be_held),
		HERE(all_are_let_go),
		HERE(signals_reach_whoever_is_let_go),
		HERE(whoever_stops_late_is_let_go),
		HERE(without_types_nobody_is_followed),
		HERE(as_many_tasks_as_there_is_room_for_are_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
