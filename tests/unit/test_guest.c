// SPDX-License-Identifier: GPL-2.0-only
/* Parts of the guest's PID 1 that can be had without being PID 1. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "guest/bpf_code.h"
#include "guest/order.h"
#include "guest/parts.h"
#include "guest/protocol.h"

int guest_main(int argc, char **argv);

#define main guest_main
#include "guest/main.c"
#undef main

static int setup(void **state)
{
	*state = unit_temp_create();
	return 0;
}

static int teardown(void **state)
{
	unit_temp_remove(*state);
	return 0;
}

static void the_channel_is_found_by_its_number(void **state)
{
	_str_ struct str found = {};

	assert_int_equal(channel_device_find(*state, &found), -ENODEV);
	unit_write(*state, "bus/pci/devices/0000:00:01.0/vendor", "0x1af4\n");
	unit_write(*state, "bus/pci/devices/0000:00:01.0/device", "0x1000\n");
	unit_write(*state, "bus/pci/devices/0000:00:02.0/vendor", "0x8086\n");
	unit_write(*state, "bus/pci/devices/0000:00:02.0/device", "0x1110\n");
	assert_int_equal(channel_device_find(*state, &found), -ENODEV);
	unit_write(*state, "bus/pci/devices/0000:00:03.0/vendor", "0x1af4\n");
	unit_write(*state, "bus/pci/devices/0000:00:03.0/device", "0x1110\n");
	assert_int_equal(channel_device_find(*state, &found), 0);
	assert_non_null(strstr(str_get(&found), "/0000:00:03.0"));
}

static void a_device_without_memory_is_an_error(void **state)
{
	void *region;
	size_t size;

	assert_int_equal(channel_device_map(*state, &region, &size), -ENOENT);
	assert_non_null(strstr(err_text(-ENOENT), "switch on "));
	unit_write(*state, "enable", "0\n");
	assert_int_equal(channel_device_map(*state, &region, &size), -ENOENT);
	unit_write(*state, "resource2", "memory");
	assert_int_equal(channel_device_map(*state, &region, &size), 0);
	assert_int_equal(size, 6);
}

/* Without a channel, output goes to COM2: here, a file. */
static void run_to_file(const char *dir, char *const argv[], int *status, struct str *output)
{
	_free_ char *path = str_fmt("%s/com2", dir);

	report.control = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	*status = run_program(argv);
	close(report.control);
	report.control = -1;
	assert_int_equal(file_read(path, output), 0);
}

static void a_program_runs_to_its_end(void **state)
{
	char *argv[] = { "/bin/sh", "-c", "echo out; echo err >&2; cat; exit 7", NULL };
	_str_ struct str output = {};
	int status;

	run_to_file(*state, argv, &status, &output);
	assert_int_equal(status, 7);
	assert_non_null(strstr(str_get(&output), "out\n"));
	assert_non_null(strstr(str_get(&output), "err\n"));
}

static void large_output_arrives_whole(void **state)
{
	char *argv[] = { "/bin/sh", "-c", "head -c 3000000 /dev/zero", NULL };
	_str_ struct str output = {};
	int status;

	run_to_file(*state, argv, &status, &output);
	assert_int_equal(status, 0);
	assert_int_equal(output.len, 3000000);
}

static void signals_and_failures_become_statuses(void **state)
{
	char *killed[] = { "/bin/sh", "-c", "kill -9 $$", NULL };
	char *absent[] = { "/no/such/program", NULL };
	_str_ struct str ignored = {}, output = {};
	int status;

	run_to_file(*state, killed, &status, &ignored);
	assert_int_equal(status, 137);
	run_to_file(*state, absent, &status, &output);
	assert_int_equal(status, 127);
	assert_string_equal(str_get(&output),
			    "ktstr: run /no/such/program: No such file or directory\n");
}

/* A child in the background keeps the pipe open; its parent's end is the end. */
static void background_children_are_not_waited_for(void **state)
{
	char *argv[] = { "/bin/sh", "-c", "sleep 1000 & echo $!", NULL };
	_str_ struct str output = {};
	int status;

	run_to_file(*state, argv, &status, &output);
	assert_int_equal(status, 0);
	assert_true(atoi(str_get(&output)) > 0);
	kill(atoi(str_get(&output)), SIGKILL);
}

/* In a process of its own: the test runner wants to keep its environment. */
static void one_child_is_waited_for_among_others(void **state)
{
	pid_t first, second;
	int status = -1;

	(void)state;
	first = fork();
	if (first == 0)
		_exit(5);
	second = fork();
	if (second == 0) {
		usleep(20000);
		_exit(6);
	}
	assert_int_equal(run_wait(second), 6);
	assert_int_equal(run_wait(second), 127);
	first = fork();
	if (first == 0)
		_exit(7);
	second = fork();
	if (second == 0) {
		usleep(20000);
		raise(SIGKILL);
	}
	while (!run_has_ended(second, &status))
		usleep(1000);
	assert_int_equal(status, 128 + SIGKILL);
	assert_false(run_has_ended(second, &status));
}

static void the_environment_is_made_from_nothing(void **state)
{
	char *argv[] = { "/usr/bin/env", NULL };
	_free_ char *path = str_fmt("%s/com2", (char *)*state);
	_str_ struct str output = {};

	setenv("LEAK", "1", 1);
	if (fork() == 0) {
		_str_ struct str ignored = {};
		int status;

		run_set_environment(
			&(struct run_environment){ .program_dirs = "/include-files/x",
						   .library_path = "/opt/lib",
						   .term = "xterm",
						   .lines = "A=1\nB=x=y\nnonsense\n=z\n" });
		run_to_file(*state, argv, &status, &ignored);
		_exit(status);
	}
	wait(NULL);
	assert_int_equal(file_read(path, &output), 0);
	assert_non_null(
		strstr(str_get(&output), "PATH=/include-files/x:/bin:/sbin:/usr/bin:/usr/sbin\n"));
	assert_non_null(strstr(str_get(&output), "LD_LIBRARY_PATH=/opt/lib\n"));
	assert_non_null(strstr(str_get(&output), "TERM=xterm\n"));
	assert_non_null(strstr(str_get(&output), "A=1\nB=x=y\n"));
	assert_null(strstr(str_get(&output), "LEAK"));
	assert_null(strstr(str_get(&output), "nonsense"));
}

static void requests_are_served_once(void **state)
{
	_free_ char *stall = str_fmt("%s/stall", (char *)*state);
	_free_ char *sysrq = str_fmt("%s/sysrq", (char *)*state);
	const struct requests_files files = { .stall = stall, .sysrq = sysrq };
	struct channel_header h = { .flags = CHANNEL_LIVE_READER };
	_str_ struct str text = {};
	mode_t mask = umask(0);
	struct stat st;

	unit_write(*state, "sysrq", "");
	assert_false(requests_are_possible(NULL));
	assert_false(requests_are_possible(&(struct channel_header){}));
	assert_true(requests_are_possible(&h));
	assert_false(requests_serve(&h, &files));
	assert_int_not_equal(stat(stall, &st), 0);

	h.dump_request = CHANNEL_DUMP_REQUEST;
	h.stall_request = CHANNEL_STALL_REQUEST;
	h.slot0 = CHANNEL_SLOT_SHUT_DOWN;
	assert_true(requests_serve(&h, &files));
	umask(mask);
	assert_int_equal(stat(stall, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_int_equal(st.st_size, 0);
	assert_int_equal(file_read(sysrq, &text), 0);
	assert_string_equal(str_get(&text), "D");
	assert_int_equal(h.dump_request | h.stall_request | h.slot0, 0);
	assert_false(requests_serve(&h, &files));
	h.slot0 = 1; /* some other value is not a request to end */
	assert_false(requests_serve(&h, &files));
	assert_int_equal(h.slot0, 1);
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static void jitter_comes_from_the_seed_alone(void **state)
{
	uint64_t a = 5, b = 5, c = 6;
	bool differs = false;

	(void)state;
	assert_int_equal(jitter_slice_us(3), jitter_slice_us(3));
	for (int i = 0; i < 1000; i++) {
		struct jitter_delay x = jitter_next_delay(&a, 4, 100);
		struct jitter_delay y = jitter_next_delay(&b, 4, 100);
		struct jitter_delay z = jitter_next_delay(&c, 4, 100);

		assert_memory_equal(&x, &y, sizeof(x));
		assert_in_range(x.sleep_us, 1, 20000);
		assert_in_range(x.burn_us, 1, 500);
		assert_in_range(x.cpu, 0, 3);
		assert_in_range(jitter_slice_us((uint64_t)i), 100, 2000);
		differs |= x.sleep_us != z.sleep_us;
	}
	assert_true(differs);
	/* More of them are nearer to each other. */
	for (int i = 0; i < 1000; i++)
		assert_in_range(jitter_next_delay(&a, 4, 10000).sleep_us, 1, 200);
	/* One in a second is at most two seconds away. */
	b = c = 1;
	assert_int_equal(jitter_next_delay(&b, 4, 1).sleep_us, 1 + seed_next(&c) % 2000000);
	assert_int_equal(jitter_start_delays(1, 0), 0);
	assert_int_equal(jitter_start_delays(1, JITTER_MAX_DELAYS + 1), -EINVAL);
	assert_int_equal(wake_delay_start(1, 0), 0);
	assert_int_equal(wake_delay_start(1, WAKE_DELAY_MAX_US + 1), -EINVAL);
}

static void change_points_come_from_the_seed_alone(void **state)
{
	uint64_t a[ORDER_MAX_DEPTH - 1], b[ORDER_MAX_DEPTH - 1];
	unsigned int thirds[3] = {};

	(void)state;
	for (uint64_t seed = 1; seed <= 3000; seed++) {
		order_choose_changes(seed, 9, ARRAY_SIZE(a), a);
		order_choose_changes(seed, 9, ARRAY_SIZE(b), b);
		assert_memory_equal(a, b, sizeof(a));
		for (size_t i = 0; i < ARRAY_SIZE(a); i++) {
			assert_in_range(a[i], 1, 9);
			for (size_t k = 0; k < i; k++)
				assert_true(a[i] != a[k]);
		}
		thirds[(a[0] - 1) / 3]++;
	}
	/* Anywhere in the run. */
	for (size_t i = 0; i < ARRAY_SIZE(thirds); i++)
		assert_in_range(thirds[i], 800, 1200);
	/* Not known, or fewer than change points: it still ends. */
	order_choose_changes(1, 0, 2, a);
	assert_true(a[0] == 0 && a[1] == 0);
	order_choose_changes(1, 1, 3, a);
	assert_true(a[0] == 1 && a[2] == 1);
}

static void what_is_no_strategy_is_refused(void **state)
{
	uint64_t events, tasks;

	(void)state;
	assert_int_equal(order_start(&(struct order_options){ .strategy = "best", .depth = 2 }),
			 -EINVAL);
	assert_int_equal(order_start(&(struct order_options){ .strategy = ORDER_PCT }), -EINVAL);
	assert_int_equal(order_start(&(struct order_options){ .strategy = ORDER_PCT,
							      .depth = ORDER_MAX_DEPTH + 1 }),
			 -EINVAL);
	assert_false(order_count(&events, &tasks));
}

static void jumps_lead_where_they_should(void **state)
{
	struct bpf_code c = {};
	size_t forward, first;

	(void)state;
	bpf_code_add_value(&c, BPF_REG_6, 5);
	first = bpf_code_add(&c, SET(BPF_REG_0, 0));
	forward = bpf_code_add(&c, GOTO(0));
	bpf_code_add(&c, SET(BPF_REG_0, 1));
	bpf_code_land(&c, forward);
	bpf_code_add_back(&c, GOTO(0), first);
	assert_int_equal(first, 2);
	assert_int_equal(c.count, 6);
	assert_int_equal(c.insns[forward].off, 1);
	assert_int_equal(c.insns[5].off, -4);
	/* One that does not fit is refused, not cut, and nothing is written behind its end. */
	while (c.count <= BPF_CODE_MAX) {
		forward = c.count;
		assert_int_equal(bpf_code_add(&c, EXIT), forward);
	}
	assert_int_equal(c.count, BPF_CODE_MAX + 1);
	bpf_code_add(&c, EXIT);
	bpf_code_land(&c, BPF_CODE_MAX);
	assert_int_equal(c.count, BPF_CODE_MAX + 2);
	assert_int_equal(bpf_code_load(&c, BPF_PROG_TYPE_RAW_TRACEPOINT, "x", 0), -E2BIG);
}

static void a_slice_is_what_the_chip_can_count(void **state)
{
	(void)state;
	assert_int_equal(jitter_set_slice(0), 0);
	assert_int_equal(jitter_chip_count(500, 1), 0); /* nobody to take turns with */
	assert_int_equal(jitter_chip_count(500, 2), 1193);
	assert_int_equal(jitter_chip_count(500, 8), 4772);
	assert_int_equal(jitter_chip_count(50000, 252), 65535);
	assert_int_equal(jitter_chip_count(44, 2), 105); /* 105.000016 */
}

/* The CPUs of a process's children, of those that are pinned to one. */
static void add_pinned(pid_t parent, cpu_set_t *out)
{
	_free_ char *path = str_fmt("/proc/%d/task/%d/children", parent, parent);
	_str_ struct str children = {};
	char *save = NULL;

	if (file_read_at(AT_FDCWD, path, &children) < 0)
		return;
	for (char *pid = strtok_r(children.s, " ", &save); pid; pid = strtok_r(NULL, " ", &save)) {
		cpu_set_t cpus;

		if (sched_getaffinity(atoi(pid), sizeof(cpus), &cpus) == 0 && CPU_COUNT(&cpus) == 1)
			CPU_OR(out, out, &cpus);
	}
}

static void spinners_are_pinned_to_a_cpu_each(void **state)
{
	_free_ char *path = str_fmt("%s/out", (char *)*state);
	_str_ struct str said = {};
	cpu_set_t all, pinned;
	unsigned int lines = 0;
	int status;
	pid_t pid;

	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	pid = fork();
	if (pid == 0) {
		if (!freopen(path, "w", stdout))
			_exit(3);
		_exit(spin_run("500"));
	}
	CPU_ZERO(&pinned);
	while (waitpid(pid, &status, WNOHANG) == 0) {
		add_pinned(pid, &pinned);
		usleep(1000);
	}
	assert_int_equal(status, 0);
	assert_true(CPU_EQUAL(&pinned, &all));
	assert_int_equal(file_read_at(AT_FDCWD, path, &said), 0);
	for (const char *at = said.s; (at = strstr(at, "worker on cpu")); at++) {
		lines++;
		at = strchr(at, ':') + 1;
		assert_true(strtod(at, NULL) > 0 && strtod(at, NULL) < 1000000);
	}
	assert_int_equal(lines, CPU_COUNT(&all));
}

/* A machine on which nobody gets to run, or where nobody can be started. */
static bool has_other_cpus, has_no_cpus;
static pid_t forked; /* 0 = as it is */
static bool cannot_be_pinned;
static int class_error; /* of that scheduling class, then */

pid_t __wrap_fork(void);
pid_t __real_fork(void);
int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *cpus);
int __real_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *cpus);

pid_t __wrap_fork(void)
{
	errno = EAGAIN;
	return forked ? forked : __real_fork();
}

int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *cpus)
{
	if (!has_other_cpus && !has_no_cpus)
		return __real_sched_getaffinity(pid, size, cpus);
	assert_int_equal(pid, 0);
	CPU_ZERO(cpus);
	CPU_SET(1, cpus);
	CPU_SET(4, cpus);
	CPU_SET(5, cpus);
	return has_no_cpus ? -1 : 0;
}

int __wrap_sched_setscheduler(pid_t pid, int policy, const struct sched_param *p);
int __real_sched_setscheduler(pid_t pid, int policy, const struct sched_param *p);
int __wrap_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *cpus);
int __real_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *cpus);
int __wrap_clock_sleep_ns(uint64_t ns);
int __real_clock_sleep_ns(uint64_t ns);

int __wrap_sched_setscheduler(pid_t pid, int policy, const struct sched_param *p)
{
	if (!cannot_be_pinned)
		return __real_sched_setscheduler(pid, policy, p);
	errno = pid || policy != 7 || p->sched_priority ? ENOSYS : class_error;
	return errno ? -1 : 0;
}

int __wrap_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *cpus)
{
	if (!cannot_be_pinned)
		return __real_sched_setaffinity(pid, size, cpus);
	errno = pid || CPU_COUNT(cpus) != 1 ? ENOSYS : EPERM;
	return -1;
}

/* Between two looks at who still spins. */
int __wrap_clock_sleep_ns(uint64_t ns)
{
	if (ns != 10000000)
		abort();
	return __real_clock_sleep_ns(ns);
}

/* Its status, and what it says. */
static int spin_to_file(const char *dir, const char *milliseconds, struct str *said)
{
	_free_ char *path = str_fmt("%s/said", dir);
	int kept, status;

	fflush(stdout);
	kept = dup(STDOUT_FILENO);
	assert_true(kept >= 0 && freopen(path, "w", stdout));
	status = spin_run(milliseconds);
	fflush(stdout);
	dup2(kept, STDOUT_FILENO);
	close(kept);
	str_reset(said);
	assert_int_equal(file_read(path, said), 0);
	return status;
}

static void spinners_that_never_ran_are_told(void **state)
{
	_str_ struct str said = {};
	int status;

	has_other_cpus = true;
	forked = 77; /* they are started, and that is all */
	status = spin_to_file(*state, "3600000", &said);
	forked = 0;
	assert_int_equal(status, 1);
	assert_string_equal(
		str_get(&said),
		"worker on cpu1: 0.0 ms\nworker on cpu4: 0.0 ms\nworker on cpu5: 0.0 ms\n");
	forked = -1;
	status = spin_to_file(*state, "5", &said);
	forked = 0;
	assert_int_equal(status, 2);
	assert_string_equal(str_get(&said), "");
	has_no_cpus = true;
	status = spin_to_file(*state, "5", &said);
	has_other_cpus = has_no_cpus = false;
	assert_int_equal(status, 2);
}

static int kept_errors; /* where problems go when nobody looks at them */

static void begin_errors(void)
{
	int fd = memfd_create("errors", MFD_CLOEXEC);

	kept_errors = dup(STDERR_FILENO);
	assert_true(fd >= 0 && kept_errors >= 0);
	dup2(fd, STDERR_FILENO);
	close(fd);
}

static void end_errors(char text[static 1024])
{
	memset(text, 0, 1024);
	assert_true(pread(STDERR_FILENO, text, 1023, 0) >= 0);
	dup2(kept_errors, STDERR_FILENO);
	close(kept_errors);
}

static unsigned int count_in(const char *text, const char *part)
{
	unsigned int count = 0;

	for (; (text = strstr(text, part)); text++)
		count++;
	return count;
}

/* A kernel without that class is as good, and one that refuses it is not. */
static void what_keeps_a_spinner_from_running_is_told(void **state)
{
	static const int errors[] = { 0, EINVAL, EPERM };
	_str_ struct str said = {};
	char text[1024];

	has_other_cpus = cannot_be_pinned = true;
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		int status;

		class_error = errors[i];
		begin_errors();
		status = spin_to_file(*state, "60000", &said);
		end_errors(text);
		assert_int_equal(status, 1);
		assert_int_equal(count_in(str_get(&said), ": 0.0 ms\n"), 3);
		assert_int_equal(count_in(text, "enter SCHED_EXT: "), errors[i] == EPERM ? 3 : 0);
		assert_int_equal(count_in(text, ": Operation not permitted\n"),
				 errors[i] == EPERM ? 6 : 3);
		assert_int_equal(count_in(text, "go to cpu4: "), 1);
	}
	has_other_cpus = cannot_be_pinned = false;
}

static void spinners_want_a_number_of_milliseconds(void **state)
{
	static const char *const bad[] = { NULL, "", "0", "x", "-1", "3600001" };
	char text[1024];

	(void)state;
	begin_errors();
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(spin_run(bad[i]), 2);
	end_errors(text);
	assert_int_equal(count_in(text, "a number of milliseconds is wanted\n"), ARRAY_SIZE(bad));
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* ---- how init is called ---- */

static pid_t own_pid; /* 0 = as it is */
static const char *spun;

pid_t __wrap_getpid(void);
pid_t __real_getpid(void);
void __wrap_guest_live(void) __attribute__((noreturn));
int __wrap_spin_run(const char *milliseconds);
int __real_spin_run(const char *milliseconds);

pid_t __wrap_getpid(void)
{
	return own_pid ? own_pid : __real_getpid();
}

void __wrap_guest_live(void)
{
	_exit(44);
}

int __wrap_spin_run(const char *milliseconds)
{
	if (!own_pid)
		return __real_spin_run(milliseconds);
	spun = milliseconds;
	return 9;
}

static int call(int said, pid_t as, const char *first, const char *second, const char *third)
{
	char *argv[] = { "/init", (char *)first, (char *)second, (char *)third, NULL };
	int argc = 1 + !!first + !!second + !!third, status;
	pid_t pid = fork();

	if (pid == 0) {
		own_pid = as;
		dup2(said, STDERR_FILENO);
		status = guest_main(argc, argv);
		_exit(spun && strcmp(spun, "50") != 0 ? 99 : status);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void init_is_called_as_such_or_as_a_payload(void **state)
{
	static const char refusal[] =
		"ktstr-guest: the init of ktstr guests; not to be started by hand\n";
	_close_ int said = memfd_create("said", MFD_CLOEXEC);
	char text[256] = {};

	(void)state;
	assert_int_equal(call(said, 1, NULL, NULL, NULL), 44);
	assert_int_equal(call(said, 2, GUEST_SPIN, "50", NULL), 9);
	assert_int_equal(pread(said, text, sizeof(text) - 1, 0), 0);
	assert_int_equal(call(said, 2, GUEST_SPIN, NULL, NULL), 1);
	assert_int_equal(pread(said, text, sizeof(text) - 1, 0), strlen(refusal));
	assert_string_equal(text, refusal);
	assert_int_equal(call(said, 2, GUEST_SPIN, "50", "x"), 1);
	assert_int_equal(call(said, 2, "50", "50", NULL), 1);
	assert_int_equal(call(said, 2, "50", GUEST_SPIN, NULL), 1);
	assert_int_equal(call(said, 2, NULL, NULL, NULL), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_PLACE(requests_are_served_once),
		cmocka_unit_test(init_is_called_as_such_or_as_a_payload),
		cmocka_unit_test(jitter_comes_from_the_seed_alone),
		cmocka_unit_test(change_points_come_from_the_seed_alone),
		cmocka_unit_test(what_is_no_strategy_is_refused),
		cmocka_unit_test(jumps_lead_where_they_should),
		cmocka_unit_test(a_slice_is_what_the_chip_can_count),
		IN_PLACE(spinners_are_pinned_to_a_cpu_each),
		IN_PLACE(spinners_that_never_ran_are_told),
		IN_PLACE(what_keeps_a_spinner_from_running_is_told),
		cmocka_unit_test(spinners_want_a_number_of_milliseconds),
		IN_PLACE(the_channel_is_found_by_its_number),
		IN_PLACE(a_device_without_memory_is_an_error),
		IN_PLACE(a_program_runs_to_its_end),
		IN_PLACE(large_output_arrives_whole),
		IN_PLACE(signals_and_failures_become_statuses),
		IN_PLACE(background_children_are_not_waited_for),
		IN_PLACE(one_child_is_waited_for_among_others),
		IN_PLACE(the_environment_is_made_from_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
