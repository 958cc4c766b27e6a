// SPDX-License-Identifier: GPL-2.0-only
/* Stopping threads of child processes in every state that a thread can be in. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/util.h"
#include "ctprof/jemalloc.h"
#include "ctprof/jemalloc_parts.h"

/* What a child and the test both see. */
static struct shared {
	_Atomic(pid_t) tid; /* set when the child is where it should be */
	_Atomic(unsigned int) signals, progress;
	_Atomic(bool) may_end;
} * shared;

static struct tracer tracer;

static void nap(void)
{
	usleep(1000);
}

static pid_t start(void (*run)(void))
{
	pid_t pid;

	memset((void *)shared, 0, sizeof(*shared));
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run();
		_exit(0);
	}
	while (!shared->tid)
		nap();
	return pid;
}

/* The line of /proc/PID/status that begins with the key. */
static char first_of(pid_t tid, const char *key)
{
	_str_ struct str text = {};
	char name[64];
	const char *line;

	snprintf(name, sizeof(name), "/proc/%d/status", (int)tid);
	assert_int_equal(file_read(name, &text), 0);
	line = strstr(str_get(&text), key);
	assert_non_null(line);
	return line[strlen(key)];
}

static void wait_for_state(pid_t tid, char state)
{
	while (first_of(tid, "State:\t") != state)
		nap();
}

static void assert_not_traced(pid_t tid)
{
	assert_int_equal(first_of(tid, "TracerPid:\t"), '0');
	assert_int_not_equal(first_of(tid, "State:\t"), 't');
}

static void reap_killed(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void kill_and_reap(pid_t pid)
{
	kill(pid, SIGKILL);
	reap_killed(pid);
}

static const char *note_state(pid_t tid, void *context)
{
	*(char *)context = first_of(tid, "State:\t");
	return NULL;
}

static const char *stop_and_note(pid_t tid, char *state)
{
	struct thread_stop s = { .tid = tid, .inspect = note_state, .context = state };
	const char *tag = tracer_stop(&tracer, &s);

	assert_int_equal(s.was_stopped, tag == NULL);
	return tag;
}

/* On a busy machine a thread may get no CPU in the time that a stop may take. */
static void stop_surely(pid_t tid, char *state)
{
	const char *tag;

	do
		tag = stop_and_note(tid, state);
	while (tag && strcmp(tag, TAG_WAITPID) == 0);
	assert_null(tag);
}

static void run_busily(void)
{
	shared->tid = getpid();
	while (!shared->may_end)
		shared->progress++;
}

static void run_asleep(void)
{
	shared->tid = getpid();
	for (;;)
		pause();
}

static void test_running_thread_goes_on(void **state)
{
	pid_t pid = start(run_busily);
	unsigned int before;
	char during = 0;
	int status;

	(void)state;
	stop_surely(pid, &during);
	assert_int_equal(during, 't');
	assert_not_traced(pid);
	before = shared->progress;
	while (shared->progress == before)
		nap();
	shared->may_end = true;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void test_stopped_process_stays_stopped(void **state)
{
	pid_t pid = start(run_asleep);
	char during = 0;

	(void)state;
	kill(pid, SIGSTOP);
	wait_for_state(pid, 'T');
	for (int i = 0; i < 3; i++) {
		stop_surely(pid, &during);
		assert_int_equal(during, 't');
		wait_for_state(pid, 'T');
		assert_not_traced(pid);
	}
	kill(pid, SIGCONT);
	wait_for_state(pid, 'S');
	kill_and_reap(pid);
}

static const char *note_call(pid_t tid, void *context)
{
	(void)tid;
	*(bool *)context = true;
	return NULL;
}

static void test_thread_that_was_held_too_long_is_not_inspected(void **state)
{
	pid_t pid = start(run_asleep);
	bool is_inspected = false;
	struct thread_stop s = {
		.tid = pid, .inspect = note_call, .context = &is_inspected, .max_ns = 1
	};

	(void)state;
	do
		tracer_stop(&tracer, &s);
	while (!s.was_stopped && !str_eq(s.tag, TAG_UNBOUNDED));
	if (!s.was_stopped) {
		kill_and_reap(pid);
		print_message("skip: needs the right to use SCHED_FIFO\n");
		skip();
	}
	assert_string_equal(s.tag, TAG_ONE_STOP);
	assert_false(is_inspected);
	assert_true(s.stop_ns > 1);
	wait_for_state(pid, 'S');
	assert_not_traced(pid);
	kill_and_reap(pid);
}

/* A parent in vfork() does not stop before its child has ended. */
static void run_vfork_for_a_while(void)
{
	if (vfork() == 0) {
		shared->tid = getppid();
		while (!shared->may_end)
			syscall(SYS_sched_yield);
		_exit(0);
	}
	for (;;)
		pause();
}

static void *end_child_later(void *ended_ns)
{
	usleep(50000);
	*(uint64_t *)ended_ns = clock_mono_ns();
	shared->may_end = true;
	return NULL;
}

static bool is_held_from_the_stop_on(void)
{
	pid_t pid = start(run_vfork_for_a_while);
	char during = 0;
	struct thread_stop s = { .tid = pid, .inspect = note_state, .context = &during };
	uint64_t ended_ns = 0, released_ns;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, end_child_later, &ended_ns), 0);
	tracer_stop(&tracer, &s);
	released_ns = clock_mono_ns();
	pthread_join(thread, NULL);
	kill_and_reap(pid);
	return s.was_stopped && s.stop_ns <= released_ns - ended_ns;
}

/* The bound counts what our thread waited for a CPU, and a busy machine lets it wait early. */
static void test_time_until_the_stop_does_not_count(void **state)
{
	bool is_held = false;

	(void)state;
	if (access("/proc/thread-self/schedstat", R_OK) < 0)
		skip();
	for (int i = 0; !is_held && i < 20; i++)
		is_held = is_held_from_the_stop_on();
	assert_true(is_held);
}

static void run_nothing(void)
{
	shared->tid = getpid();
}

static void test_dead_threads_are_missing(void **state)
{
	pid_t pid = start(run_nothing);
	char during;

	(void)state;
	wait_for_state(pid, 'Z');
	assert_string_equal(stop_and_note(pid, &during), TAG_PID_MISSING);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_string_equal(stop_and_note(pid, &during), TAG_PID_MISSING);
}

static void *outlive(void *leader)
{
	wait_for_state(*(pid_t *)leader, 'Z');
	shared->tid = (pid_t)syscall(SYS_gettid);
	for (;;)
		pause();
	return NULL;
}

static void run_without_leader(void)
{
	static pid_t leader;
	pthread_t thread;

	leader = getpid();
	pthread_create(&thread, NULL, outlive, &leader);
	pthread_exit(NULL);
}

static void test_process_without_leader(void **state)
{
	pid_t pid = start(run_without_leader);
	char during = 0;

	(void)state;
	assert_string_equal(stop_and_note(pid, &during), TAG_PID_MISSING);
	stop_surely(shared->tid, &during);
	assert_int_equal(during, 't');
	kill_and_reap(pid);
}

static void test_traced_thread_is_refused(void **state)
{
	pid_t pid = start(run_asleep);
	char during;

	(void)state;
	assert_int_equal(ptrace(PTRACE_SEIZE, pid, 0, 0), 0);
	assert_string_equal(stop_and_note(pid, &during), TAG_SEIZE);
	kill_and_reap(pid);
}

static void run_vfork(void)
{
	pid_t child = vfork();

	if (child == 0) {
		shared->tid = getppid();
		/* Nothing of the parent's may be touched, and it waits until we end. */
		while (!shared->may_end)
			syscall(SYS_sched_yield);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

/* It does not stop, so it cannot be detached; and it is let go all the same. */
static void test_parent_in_vfork_is_let_go(void **state)
{
	pid_t pid = start(run_vfork), other;
	char during = 0;
	int status;

	(void)state;
	assert_string_equal(stop_and_note(pid, &during), TAG_WAITPID);
	/* A thread can be joined a moment before the kernel lets go of what it traced. */
	while (first_of(pid, "TracerPid:\t") != '0')
		nap();
	assert_not_traced(pid);
	shared->may_end = true;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	/* The next stop is made by a new thread. */
	other = start(run_asleep);
	stop_surely(other, &during);
	assert_int_equal(during, 't');
	kill_and_reap(other);
}

static const char *kill_it(pid_t tid, void *context)
{
	(void)context;
	kill(tid, SIGKILL);
	return NULL;
}

/* The exit status belongs to the parent, and is still there. */
static void test_killed_while_stopped(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++) {
		pid_t pid = start(run_asleep);
		struct thread_stop s = { .tid = pid, .inspect = kill_it };

		tracer_stop(&tracer, &s);
		reap_killed(pid);
	}
}

static void count_signal(int number)
{
	(void)number;
	shared->signals++;
}

static void run_counting(void)
{
	signal(SIGRTMIN, count_signal);
	shared->tid = getpid();
	while (!shared->may_end)
		shared->progress++;
}

static const char *send_one(pid_t tid, void *context)
{
	union sigval value = {};

	*(unsigned int *)context += sigqueue(tid, SIGRTMIN, value) == 0;
	return NULL;
}

static void *send_many(void *argument)
{
	union sigval value = {};
	unsigned int *sent = argument;

	while (*sent < 20000) {
		if (sigqueue(shared->tid, SIGRTMIN, value) == 0)
			++*sent;
		else
			usleep(100); /* the queue is full */
	}
	return NULL;
}

/* Queued signals are never merged, so each one that was sent can be counted. */
static void test_signals_are_not_lost(void **state)
{
	unsigned int sent = 0, sent_inside = 0, stops = 0;
	pid_t pid = start(run_counting);
	pthread_t sender;

	(void)state;
	assert_int_equal(pthread_create(&sender, NULL, send_many, &sent), 0);
	while (pthread_tryjoin_np(sender, NULL) == EBUSY) {
		struct thread_stop s = { .tid = pid, .inspect = send_one, .context = &sent_inside };

		stops += tracer_stop(&tracer, &s) == NULL;
	}
	assert_true(stops > 0);
	for (int i = 0; i < 10000 && shared->signals != sent + sent_inside; i++)
		nap();
	assert_int_equal(shared->signals, sent + sent_inside);
	kill_and_reap(pid);
}

static void run_raising(void)
{
	signal(SIGUSR1, count_signal);
	shared->tid = getpid();
	while (!shared->may_end) {
		raise(SIGUSR1);
		shared->progress++;
	}
	_exit(shared->signals == shared->progress ? 0 : 1);
}

/* A thread that does little but take signals is often about to take one when it stops. */
static void test_signal_in_delivery_is_delivered(void **state)
{
	pid_t pid = start(run_raising);
	int status;
	char during;

	(void)state;
	for (int i = 0; i < 1000; i++)
		stop_surely(pid, &during);
	shared->may_end = true;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static const char *die_inside(pid_t tid, void *context)
{
	send_one(tid, context);
	kill(getpid(), SIGKILL);
	return NULL;
}

/* In a process of its own, which does not survive it. */
static void stop_and_die(pid_t pid)
{
	pid_t tracing = fork();
	unsigned int unused = 0;

	if (tracing == 0) {
		struct thread_stop s = { .tid = pid, .inspect = die_inside, .context = &unused };
		struct tracer own;

		tracer_init(&own);
		/* Until it is inside; see stop_surely(). */
		for (int i = 0; i < 1000; i++)
			tracer_stop(&own, &s);
		_exit(1);
	}
	reap_killed(tracing);
}

/* The tracer is killed while it holds a thread: that one runs on, with its signals. */
static void test_killed_tracer_harms_nobody(void **state)
{
	unsigned int sent = 0, before, deaths = 0;
	pid_t pid = start(run_counting);
	pthread_t sender;

	(void)state;
	assert_int_equal(pthread_create(&sender, NULL, send_many, &sent), 0);
	do {
		stop_and_die(pid);
		deaths++;
	} while (pthread_tryjoin_np(sender, NULL) == EBUSY);
	for (int i = 0; i < 10000 && shared->signals != sent + deaths; i++)
		nap();
	assert_int_equal(shared->signals, sent + deaths);
	assert_not_traced(pid);
	before = shared->progress;
	while (shared->progress == before)
		nap();
	kill_and_reap(pid);
}

static _Atomic(bool) is_inside, is_done;

static const char *take_time(pid_t tid, void *context)
{
	(void)tid;
	(void)context;
	is_inside = true;
	usleep(50000);
	is_done = true;
	return NULL;
}

static void *stop_slowly(void *argument)
{
	struct thread_stop s = { .tid = *(pid_t *)argument, .inspect = take_time };

	while (!is_inside)
		tracer_stop(&tracer, &s);
	return NULL;
}

static void test_detach_all_waits_for_the_stop(void **state)
{
	pid_t pid = start(run_asleep);
	pthread_t thread;

	(void)state;
	jemalloc_detach_all(); /* nothing is attached */
	assert_int_equal(pthread_create(&thread, NULL, stop_slowly, &pid), 0);
	while (!is_inside)
		nap();
	jemalloc_detach_all();
	assert_true(is_done);
	assert_not_traced(pid);
	pthread_join(thread, NULL);
	kill_and_reap(pid);
}

static int set_up(void **state)
{
	(void)state;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	tracer_init(&tracer);
	return shared == MAP_FAILED;
}

static int tear_down(void **state)
{
	(void)state;
	tracer_finish(&tracer);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_running_thread_goes_on),
		cmocka_unit_test(test_stopped_process_stays_stopped),
		cmocka_unit_test(test_thread_that_was_held_too_long_is_not_inspected),
		cmocka_unit_test(test_time_until_the_stop_does_not_count),
		cmocka_unit_test(test_dead_threads_are_missing),
		cmocka_unit_test(test_process_without_leader),
		cmocka_unit_test(test_traced_thread_is_refused),
		cmocka_unit_test(test_parent_in_vfork_is_let_go),
		cmocka_unit_test(test_killed_while_stopped),
		cmocka_unit_test(test_signals_are_not_lost),
		cmocka_unit_test(test_signal_in_delivery_is_delivered),
		cmocka_unit_test(test_killed_tracer_harms_nobody),
		cmocka_unit_test(test_detach_all_waits_for_the_stop),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
