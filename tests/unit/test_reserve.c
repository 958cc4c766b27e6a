// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reservations among real processes that compete for a machine on paper: 64
 * CPUs, four LLCs, two nodes. The locks are real flocks in a directory of the
 * test's own.
 */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "host/lock_holders.h"
#include "host/queue.h"
#include "host/reserve.h"

#define STORM_ROUNDS 10
#define LLCS 4
#define CPUS 64
#define LONG_NS (60 * NSEC_PER_SEC)

static struct topology machine;
static struct cpulist allowed;
static char *dir;

/* A process that holds a reservation until it is told to end, or killed. */
struct peer {
	pid_t pid;
	int from; /* one byte when it has its reservation, 'X' when not */
	int to;
	size_t count;
	unsigned int cpus[CPUS];
};

static struct reserve_request request(enum run_mode mode, size_t llcs, size_t cores)
{
	return (struct reserve_request){
		.mode = mode,
		.shape = { 1, llcs, cores, 1 },
		.topology = &machine,
		.allowed = &allowed,
		.lock_dir = dir,
	};
}

static void peer_main(const struct reserve_request *wanted, int out, int in)
{
	struct reservation r;
	int rc = reservation_acquire(&r, wanted);
	char byte = rc == 0 ? 'R' : 'X';

	if (write(out, &byte, 1) != 1)
		_exit(1);
	if (rc == 0 && write(out, r.plan.cpus, r.plan.cpu_count * sizeof(unsigned int)) < 0)
		_exit(1);
	close(out);
	while (read(in, &byte, 1) < 0 && errno == EINTR)
		;
	reservation_release(&r);
	_exit(rc < 0);
}

static struct peer peer_start(const struct reserve_request *wanted)
{
	struct peer p = {};
	int out[2], in[2];

	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	p.pid = fork();
	assert_true(p.pid >= 0);
	if (p.pid == 0) {
		close(out[0]);
		close(in[1]);
		peer_main(wanted, out[1], in[0]);
	}
	close(out[1]);
	close(in[0]);
	p.from = out[0];
	p.to = in[1];
	return p;
}

/* Whether the peer got what it wanted; its CPUs are known then. */
static bool peer_is_served(struct peer *p)
{
	char byte = 0;
	ssize_t n;

	assert_int_equal(read(p->from, &byte, 1), 1);
	n = byte == 'R' ? read(p->from, p->cpus, sizeof(p->cpus)) : 0;
	assert_true(n >= 0);
	p->count = (size_t)n / sizeof(p->cpus[0]);
	return byte == 'R';
}

static void peer_end(struct peer *p, bool by_force)
{
	if (by_force)
		kill(p->pid, SIGKILL);
	else
		assert_int_equal(write(p->to, "e", 1), 1);
	close(p->to);
	close(p->from);
	assert_int_equal(waitpid(p->pid, NULL, 0), p->pid);
}

/* Locks of any kind that this process holds below the directory. */
static size_t locks_held_by_us(void)
{
	_lock_table_ struct lock_table table = {};
	size_t count = 0;

	assert_int_equal(lock_table_read(&table, &roots_live), 0);
	for (size_t i = 0; i < table.entry_count; i++)
		count += table.entries[i].pid == getpid();
	return count;
}

static int setup(void **state)
{
	(void)state;
	log_set_level(LOG_OFF);
	dir = unit_temp_create();
	unsetenv("KTSTR_BYPASS_LLC_LOCKS");
	assert_int_equal(topology_from_notation(&machine, "2n4l8c2t"), 0);
	return cpulist_parse("0-63", &allowed);
}

static int teardown(void **state)
{
	(void)state;
	assert_int_equal(locks_held_by_us(), 0);
	cpulist_finish(&allowed);
	topology_finish(&machine);
	unit_temp_remove(dir);
	return 0;
}

static void performance_runs_get_llcs_of_their_own(void **state)
{
	struct reserve_request two = request(RUN_PERFORMANCE, 2, 2);
	struct peer a = peer_start(&two), b;
	struct reservation r;
	int rc;

	(void)state;
	assert_true(peer_is_served(&a));
	b = peer_start(&two);
	assert_true(peer_is_served(&b));
	assert_int_not_equal(a.cpus[0] / 32, b.cpus[0] / 32);
	two.shape.llcs = 1;
	rc = reservation_acquire(&r, &two);
	assert_int_equal(rc, -EBUSY);
	assert_int_equal(r.skip, SKIP_RESOURCE_CONTENTION);
	assert_non_null(strstr(err_text(rc), "ResourceContention: LLC 0 busy: "));
	assert_non_null(strstr(err_text(rc), "is held by pid "));
	peer_end(&a, true);
	assert_int_equal(reservation_acquire(&r, &two), 0);
	reservation_release(&r);
	peer_end(&b, false);
}

static void machine_too_small_is_told_apart_from_contention(void **state)
{
	struct reserve_request five = request(RUN_PERFORMANCE, 5, 1);
	struct reservation r;

	(void)state;
	assert_int_equal(reservation_acquire(&r, &five), -EOPNOTSUPP);
	assert_int_equal(r.skip, SKIP_PERF_MODE_UNAVAILABLE);
	assert_non_null(strstr(err_text(-EOPNOTSUPP), "PerfModeUnavailable: performance mode "));
}

static void emulated_machines_have_no_performance_mode(void **state)
{
	struct reserve_request vm = request(RUN_PERFORMANCE, 1, 1);
	struct reservation r;

	(void)state;
	vm.is_single = true;
	assert_int_equal(reservation_acquire(&r, &vm), -EOPNOTSUPP);
	assert_int_equal(r.skip, SKIP_PERF_MODE_UNAVAILABLE);
	assert_non_null(strstr(err_text(-EOPNOTSUPP), "PerfModeUnavailable: performance mode needs "
						      "KVM"));
}

static void budget_beyond_the_allowed_cpus_is_a_skip(void **state)
{
	struct reserve_request vm = request(RUN_BUDGETED, 1, 1);
	struct reservation r;

	(void)state;
	vm.budget = 65;
	assert_int_equal(reservation_acquire(&r, &vm), -ERANGE);
	assert_int_equal(r.skip, SKIP_CPU_BUDGET);
	assert_string_equal(err_text(-ERANGE),
			    "CpuBudgetUnsatisfiable: the CPU budget of 65 is more "
			    "than the 64 that may be used");
}

static void default_runs_fill_the_machine_without_sharing_cpus(void **state)
{
	struct reserve_request four = request(RUN_DEFAULT, 1, 4);
	struct peer peers[CPUS / 4];
	bool is_taken[CPUS] = {};
	struct reservation r;
	int rc;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(peers); i++)
		peers[i] = peer_start(&four);
	for (size_t i = 0; i < ARRAY_SIZE(peers); i++) {
		assert_true(peer_is_served(&peers[i]));
		assert_int_equal(peers[i].count, 4);
		for (size_t k = 0; k < 4; k++) {
			assert_false(is_taken[peers[i].cpus[k]]);
			is_taken[peers[i].cpus[k]] = true;
		}
	}
	rc = reservation_acquire(&r, &four);
	assert_int_equal(rc, -EBUSY);
	assert_int_equal(r.skip, SKIP_RESOURCE_CONTENTION);
	assert_non_null(strstr(err_text(rc), "ResourceContention: no 4 free CPUs in one place"));
	assert_non_null(strstr(err_text(rc), "pid "));
	for (size_t i = 0; i < ARRAY_SIZE(peers); i++)
		peer_end(&peers[i], i % 2);
}

static void single_threaded_vms_take_one_cpu(void **state)
{
	struct reserve_request vm = request(RUN_DEFAULT, 4, 16);
	_reservation_ struct reservation r = {};

	(void)state;
	vm.is_single = true;
	assert_int_equal(reservation_acquire(&r, &vm), 0);
	assert_int_equal(r.plan.cpu_count, 1);
	assert_int_equal(r.fd_count, 2);
}

static void budgets_share_llcs_and_keep_performance_runs_out(void **state)
{
	struct reserve_request build = request(RUN_BUDGETED, 0, 0);
	struct reserve_request whole = request(RUN_PERFORMANCE, 4, 2);
	struct peer a, b;
	struct reservation r;

	(void)state;
	build.budget = 20;
	a = peer_start(&build);
	assert_true(peer_is_served(&a));
	b = peer_start(&build);
	assert_true(peer_is_served(&b));
	assert_int_equal(a.count, 20);
	assert_memory_equal(a.cpus, b.cpus, 20 * sizeof(a.cpus[0]));
	assert_int_equal(reservation_acquire(&r, &whole), -EBUSY);
	peer_end(&a, true);
	peer_end(&b, false);
	assert_int_equal(reservation_acquire(&r, &whole), 0);
	a = peer_start(&build);
	assert_false(peer_is_served(&a));
	reservation_release(&r);
	peer_end(&a, false);
}

static void failure_holds_nothing(void **state)
{
	struct reserve_request last = request(RUN_BUDGETED, 0, 0);
	struct reserve_request all = request(RUN_PERFORMANCE, 4, 1);
	struct cpulist only_last = {};
	struct reservation r;
	struct peer a;

	(void)state;
	assert_int_equal(cpulist_parse("48-63", &only_last), 0);
	last.allowed = &only_last;
	last.budget = 1;
	a = peer_start(&last);
	assert_true(peer_is_served(&a));
	assert_int_equal(reservation_acquire(&r, &all), -EBUSY);
	assert_non_null(strstr(err_text(-EBUSY), "LLC 3 busy"));
	assert_int_equal(locks_held_by_us(), 0);
	peer_end(&a, false);
	cpulist_finish(&only_last);
}

static size_t files_in_dir(void)
{
	_closedir_ DIR *d = opendir(dir);
	size_t count = 0;

	assert_non_null(d);
	while (readdir(d))
		count++;
	return count - 2;
}

static void free_mode_and_bypass_take_no_lock(void **state)
{
	struct reserve_request free_run = request(RUN_FREE, 1, 4);
	struct reserve_request vm = request(RUN_DEFAULT, 1, 4);
	struct reservation r;

	(void)state;
	assert_int_equal(reservation_acquire(&r, &free_run), 0);
	assert_int_equal(r.fd_count, 0);
	reservation_release(&r);
	setenv("KTSTR_BYPASS_LLC_LOCKS", "1", 1);
	assert_int_equal(reservation_acquire(&r, &vm), 0);
	assert_int_equal(r.fd_count, 0);
	assert_int_equal(r.plan.cpu_count, 4);
	reservation_release(&r);
	unsetenv("KTSTR_BYPASS_LLC_LOCKS");
	assert_int_equal(files_in_dir(), 0);
}

static void overcommitted_runs_coexist(void **state)
{
	struct reserve_request large = request(RUN_DEFAULT, 8, 16);
	_reservation_ struct reservation a = {}, b = {};

	(void)state;
	assert_int_equal(reservation_acquire(&a, &large), 0);
	assert_true(a.plan.is_overcommitted);
	assert_int_equal(a.plan.cpu_count, CPUS);
	assert_int_equal(reservation_acquire(&b, &large), 0);
}

static void wait_for_queue(int length)
{
	while (queue_length(dir) != length)
		usleep(1000);
}

/* Starts a process that queues for everything; returns when it stands in the queue. */
static struct peer waiter_start(int place)
{
	struct reserve_request all = request(RUN_PERFORMANCE, 4, 2);
	struct peer p;

	all.timeout_ns = LONG_NS;
	p = peer_start(&all);
	wait_for_queue(place);
	return p;
}

static bool has_news(const struct peer *p)
{
	struct pollfd fd = { .fd = p->from, .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

static void count_wait(void *ctx)
{
	++*(int *)ctx;
}

/* One that waits for three tenths of a second in vain; how often it told so. */
static int waits_told(void)
{
	struct reserve_request all = request(RUN_PERFORMANCE, 4, 2);
	struct reservation r;
	int told = 0;

	all.timeout_ns = 300 * NSEC_PER_MSEC;
	all.waits = count_wait;
	all.ctx = &told;
	assert_int_equal(reservation_acquire(&r, &all), -EBUSY);
	return told;
}

/* The holder is a child of ours: none of our run for us, but for another child of ours. */
static void a_wait_is_told_once_and_not_for_the_own_run(void **state)
{
	struct reserve_request all = request(RUN_PERFORMANCE, 4, 2);
	struct peer holder = peer_start(&all);
	_str_ struct str ours = {}, others = {};
	_free_ char *named = str_fmt("pid %d ", (int)holder.pid);
	int status;
	pid_t pid;

	(void)state;
	assert_true(peer_is_served(&holder));
	assert_int_equal(waits_told(), 1);
	pid = fork();
	if (pid == 0)
		_exit(waits_told());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(reserve_add_holders(&machine, dir, getpid(), &ours), 0);
	assert_string_equal(str_get(&ours), "");
	assert_int_equal(reserve_add_holders(&machine, dir, getppid(), &others), 0);
	assert_true(str_starts(str_get(&others), named));
	peer_end(&holder, false);
}

static void waiters_are_served_in_the_order_of_their_coming(void **state)
{
	struct reserve_request all = request(RUN_PERFORMANCE, 4, 2);
	struct reservation r;
	struct peer waiters[4];

	(void)state;
	assert_int_equal(reservation_acquire(&r, &all), 0);
	for (int i = 0; i < 4; i++)
		waiters[i] = waiter_start(i + 1);
	reservation_release(&r);
	for (int i = 0; i < 4; i++) {
		assert_true(peer_is_served(&waiters[i]));
		for (int k = i + 1; k < 4; k++)
			assert_false(has_news(&waiters[k]));
		peer_end(&waiters[i], i % 2);
	}
	assert_int_equal(queue_length(dir), 0);
}

static void killed_waiters_lose_only_their_own_turn(void **state)
{
	struct reserve_request all = request(RUN_PERFORMANCE, 4, 2);
	struct reservation r;
	struct peer waiters[3];

	(void)state;
	assert_int_equal(reservation_acquire(&r, &all), 0);
	for (int i = 0; i < 3; i++)
		waiters[i] = waiter_start(i + 1);
	peer_end(&waiters[0], true);
	wait_for_queue(2);
	reservation_release(&r);
	assert_true(peer_is_served(&waiters[1]));
	assert_false(has_news(&waiters[2]));
	peer_end(&waiters[1], true);
	assert_true(peer_is_served(&waiters[2]));
	peer_end(&waiters[2], false);
	assert_int_equal(queue_length(dir), 0);
}

static void newcomers_do_not_pass_the_queue(void **state)
{
	struct reserve_request small = request(RUN_DEFAULT, 1, 1);
	struct reserve_request all = request(RUN_PERFORMANCE, 4, 2);
	_free_ char *who = NULL;
	struct reservation r;
	struct peer first;

	(void)state;
	assert_int_equal(reservation_acquire(&r, &small), 0);
	first = waiter_start(1);
	who = str_fmt("for CPUs: pid %d (", first.pid);
	small.timeout_ns = 250 * NSEC_PER_MSEC;
	{
		struct reservation late;
		int rc = reservation_acquire(&late, &small);

		assert_int_equal(rc, -EBUSY);
		assert_non_null(strstr(err_text(rc), "still 1 in front in the queue"));
		assert_non_null(strstr(err_text(rc), who));
	}
	reservation_release(&r);
	assert_true(peer_is_served(&first));
	peer_end(&first, false);
	all.timeout_ns = LONG_NS;
	assert_int_equal(reservation_acquire(&r, &all), 0);
	reservation_release(&r);
}

static void giving_up_leaves_no_ticket_and_names_the_holder(void **state)
{
	struct reserve_request all = request(RUN_PERFORMANCE, 4, 2);
	struct reservation r;
	struct peer a = peer_start(&all);
	_free_ char *who = str_fmt("pid %d (", a.pid);
	int rc;

	(void)state;
	assert_true(peer_is_served(&a));
	all.timeout_ns = 150 * NSEC_PER_MSEC;
	rc = reservation_acquire(&r, &all);
	assert_int_equal(rc, -EBUSY);
	assert_non_null(strstr(err_text(rc), who));
	assert_int_equal(queue_length(dir), 0);
	peer_end(&a, false);
}

static bool has_ticket(const char *digits)
{
	_free_ char *path = str_fmt("%s/" QUEUE_DIR "/ticket-%s", dir, digits);

	return access(path, F_OK) == 0;
}

static void foreign_files_in_the_queue_are_ignored(void **state)
{
	_queue_ticket_ struct queue_ticket t = QUEUE_TICKET_NONE;

	(void)state;
	unit_write(dir, QUEUE_DIR "/ticket-0000000005", "");
	unit_write(dir, QUEUE_DIR "/ticket-18446744073709551615", "");
	unit_write(dir, QUEUE_DIR "/ticket-99999999999999999999999999", "");
	unit_write(dir, QUEUE_DIR "/README", "");
	assert_int_equal(queue_join(&t, dir), 0);
	assert_int_equal(t.number, 1);
	assert_int_equal(queue_position(&t), 0);
	assert_int_equal(queue_length(dir), 1);
	/* Dead tickets are gone, and what is none stays. */
	assert_false(has_ticket("0000000005"));
	assert_true(has_ticket("99999999999999999999999999"));
}

/* A regular file whose lock is held, and nothing else, keeps others waiting. */
static void a_ticket_that_is_no_ticket_keeps_nobody_waiting(void **state)
{
	_queue_ticket_ struct queue_ticket t = QUEUE_TICKET_NONE;
	_free_ char *queue = str_fmt("%s/" QUEUE_DIR "/ticket-000000000", dir);
	char path[4][PATH_MAX];

	(void)state;
	for (int i = 0; i < 4; i++)
		snprintf(path[i], PATH_MAX, "%s%d", queue, i + 1);
	unit_write(dir, QUEUE_DIR "/x", "");
	assert_int_equal(mknod(path[0], S_IFSOCK | 0666, 0), 0);
	assert_int_equal(mkfifo(path[1], 0666), 0);
	assert_int_equal(mkdir(path[2], 0777), 0);
	assert_int_equal(symlink("x", path[3]), 0);
	assert_int_equal(queue_length(dir), 0);
	assert_int_equal(queue_join(&t, dir), 0);
	/* The names are taken and passed over. */
	assert_int_equal(t.number, 5);
	assert_int_equal(queue_position(&t), 0);
}

#define EX_UNREACHABLE 98

/* A file of root's that others may not read. */
static void an_unreadable_ticket_keeps_nobody_waiting(void **state)
{
	_free_ char *path = str_fmt("%s/" QUEUE_DIR "/ticket-0000000001", dir);
	_free_ char *queue = str_fmt("%s/" QUEUE_DIR, dir);
	int status;
	pid_t pid;

	(void)state;
	if (geteuid() != 0)
		skip();
	unit_write(dir, QUEUE_DIR "/ticket-0000000001", "");
	assert_int_equal(chmod(path, 0), 0);
	assert_int_equal(chmod(dir, 0755), 0);
	assert_int_equal(chmod(queue, 01777), 0);
	pid = fork();
	if (pid == 0) {
		if (setresuid(65534, 65534, 65534) < 0)
			_exit(99);
		_exit(access(queue, R_OK | X_OK) < 0 ? EX_UNREACHABLE : queue_length(dir));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	/* The directory for temporary files may be root's own. */
	if (WIFEXITED(status) && WEXITSTATUS(status) == EX_UNREACHABLE) {
		print_message("skip: others cannot reach the directory for temporary files\n");
		/* It jumps: nothing is released on the way. */
		free(take_ptr(&path));
		free(take_ptr(&queue));
		skip();
	}
	assert_int_equal(status, 0);
}

/* Locks a ticket of that number, as a process that waits would. */
static int hold_ticket(const char *digits)
{
	_free_ char *path = str_fmt("%s/" QUEUE_DIR "/ticket-%s", dir, digits);
	_free_ char *queue = str_fmt("%s/" QUEUE_DIR, dir);
	int fd;

	mkdir(queue, 0777);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	return fd;
}

static void numbers_of_tickets_have_any_number_of_digits(void **state)
{
	_queue_ticket_ struct queue_ticket a = QUEUE_TICKET_NONE, b = QUEUE_TICKET_NONE;
	_close_ int held = hold_ticket("9999999999");

	(void)state;
	assert_int_equal(queue_join(&a, dir), 0);
	assert_int_equal(a.number, 10000000000);
	assert_int_equal(queue_join(&b, dir), 0);
	assert_int_equal(b.number, 10000000001);
	assert_int_equal(queue_position(&b), 2);
	assert_int_equal(queue_length(dir), 3);
}

static void nobody_waits_behind_the_last_number(void **state)
{
	struct queue_ticket t = QUEUE_TICKET_NONE;
	_close_ int held = hold_ticket("18446744073709551614");

	(void)state;
	assert_int_equal(queue_join(&t, dir), -ERANGE);
	assert_int_equal(t.fd, -1);
}

/* In a process of its own: a remembered signal stays. */
static void waiting_for_cpus_ends_with_the_signal_that_came_before(void **state)
{
	struct reserve_request all = request(RUN_PERFORMANCE, 4, 2);
	struct reservation r, late;
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(reservation_acquire(&r, &all), 0);
	all.timeout_ns = LONG_NS;
	pid = fork();
	if (pid == 0) {
		interrupt_install();
		raise(SIGTERM);
		_exit(reservation_acquire(&late, &all) == -EINTR ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	reservation_release(&r);
}

/* The name of the queue is in a directory that everybody may write to. */
static void queue_is_never_joined_through_a_link(void **state)
{
	struct queue_ticket t = QUEUE_TICKET_NONE;
	_free_ char *elsewhere = str_fmt("%s/elsewhere", dir), *link = NULL;

	(void)state;
	link = str_fmt("%s/" QUEUE_DIR, dir);
	assert_int_equal(mkdir(elsewhere, 0755), 0);
	assert_int_equal(symlink(elsewhere, link), 0);
	assert_int_equal(queue_join(&t, dir), -ENOTDIR);
	assert_int_equal(t.fd, -1);
	assert_int_equal(queue_length(dir), -ENOTDIR);
	/* Nothing was left there. */
	assert_int_equal(rmdir(elsewhere), 0);
	assert_int_equal(queue_join(&t, dir), -ENOTDIR);
	assert_int_equal(access(elsewhere, F_OK), -1);
}

/* A link that takes the name while we wait changes nothing: names are looked up in the queue. */
static void queue_stays_the_one_that_was_joined(void **state)
{
	_queue_ticket_ struct queue_ticket t = QUEUE_TICKET_NONE;
	_free_ char *queue = str_fmt("%s/" QUEUE_DIR, dir), *moved = str_fmt("%s/moved", dir);
	_free_ char *other = str_fmt("%s/other", dir), *ticket = NULL;

	(void)state;
	assert_int_equal(queue_join(&t, dir), 0);
	assert_int_equal(rename(queue, moved), 0);
	unit_write(dir, "other/ticket-0000000001", "mine");
	assert_int_equal(symlink(other, queue), 0);
	assert_int_equal(queue_position(&t), 0);
	queue_leave(&t);
	ticket = str_fmt("%s/ticket-0000000001", other);
	assert_int_equal(access(ticket, F_OK), 0);
	assert_int_equal(rmdir(moved), 0);
}

static void queue_of_another_user_has_to_be_everybodys(void **state)
{
	_queue_ticket_ struct queue_ticket t = QUEUE_TICKET_NONE;
	_free_ char *queue = str_fmt("%s/" QUEUE_DIR, dir);

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(mkdir(queue, 0755), 0);
	assert_int_equal(chown(queue, 65534, 65534), 0);
	assert_int_equal(queue_join(&t, dir), -EPERM);
	assert_non_null(strstr(err_text(-EPERM), "belongs to user 65534"));
	assert_int_equal(chmod(queue, 0777), 0);
	assert_int_equal(queue_join(&t, dir), 0);
}

/* What the processes of the storm believe to hold, in memory that they share. */
struct board {
	atomic_int cpu_owners[CPUS];
	atomic_int shared[LLCS];
	atomic_int exclusive[LLCS];
	atomic_int violations;
	atomic_int grants;
};

static void board_enter(struct board *b, const struct plan *p)
{
	for (size_t i = 0; i < p->llc_count; i++) {
		size_t llc = p->llcs[i];
		bool is_alone = p->mode == RUN_PERFORMANCE;

		if (atomic_fetch_add(is_alone ? &b->exclusive[llc] : &b->shared[llc], 1) &&
		    is_alone)
			b->violations++;
		if (is_alone ? b->shared[llc] : b->exclusive[llc])
			b->violations++;
	}
	for (size_t i = 0; p->mode == RUN_DEFAULT && i < p->cpu_count; i++) {
		if (atomic_fetch_add(&b->cpu_owners[p->cpus[i]], 1))
			b->violations++;
	}
}

static void board_leave(struct board *b, const struct plan *p)
{
	for (size_t i = 0; p->mode == RUN_DEFAULT && i < p->cpu_count; i++)
		b->cpu_owners[p->cpus[i]]--;
	for (size_t i = 0; i < p->llc_count; i++) {
		if (p->mode == RUN_PERFORMANCE)
			b->exclusive[p->llcs[i]]--;
		else
			b->shared[p->llcs[i]]--;
	}
}

static void storm_process(struct board *b, unsigned int seed)
{
	for (int i = 0; i < STORM_ROUNDS; i++) {
		unsigned int dice = (seed = seed * 1103515245 + 12345) >> 16;
		struct reserve_request wanted =
			request((enum run_mode)(dice % 3), 1 + dice / 3 % 2, 1 + dice / 7 % 6);
		struct reservation r;
		int rc;

		wanted.budget = 1 + dice / 5 % 40;
		wanted.timeout_ns = LONG_NS;
		rc = reservation_acquire(&r, &wanted);
		if (rc < 0)
			_exit(2);
		b->grants++;
		board_enter(b, &r.plan);
		usleep(dice % 3000);
		board_leave(b, &r.plan);
		reservation_release(&r);
	}
	_exit(0);
}

static void storm_of_processes_never_shares_what_is_exclusive(void **state)
{
	struct board *b =
		mmap(NULL, sizeof(*b), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	enum { PROCESSES = 8 };
	pid_t pids[PROCESSES];

	(void)state;
	assert_ptr_not_equal(b, MAP_FAILED);
	for (unsigned int i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0)
			storm_process(b, i + 1);
	}
	for (unsigned int i = 0; i < PROCESSES; i++) {
		int status;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(b->violations, 0);
	assert_int_equal(b->grants, PROCESSES * STORM_ROUNDS);
	munmap(b, sizeof(*b));
}

static void unusable_lock_directory_is_an_error_with_the_remedy(void **state)
{
	struct reserve_request vm = request(RUN_DEFAULT, 1, 1);
	_free_ char *file = str_fmt("%s/file", dir);
	struct reservation r;

	(void)state;
	unit_write(dir, "file", "");
	vm.lock_dir = file;
	assert_int_equal(reservation_acquire(&r, &vm), -ENOTDIR);
	assert_int_equal(r.skip, SKIP_NONE);
	assert_non_null(strstr(err_text(-ENOTDIR), "KTSTR_LOCK_DIR"));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(performance_runs_get_llcs_of_their_own),
		TEST(machine_too_small_is_told_apart_from_contention),
		TEST(emulated_machines_have_no_performance_mode),
		TEST(budget_beyond_the_allowed_cpus_is_a_skip),
		TEST(default_runs_fill_the_machine_without_sharing_cpus),
		TEST(single_threaded_vms_take_one_cpu),
		TEST(budgets_share_llcs_and_keep_performance_runs_out),
		TEST(failure_holds_nothing),
		TEST(free_mode_and_bypass_take_no_lock),
		TEST(overcommitted_runs_coexist),
		TEST(a_wait_is_told_once_and_not_for_the_own_run),
		TEST(waiters_are_served_in_the_order_of_their_coming),
		TEST(killed_waiters_lose_only_their_own_turn),
		TEST(newcomers_do_not_pass_the_queue),
		TEST(giving_up_leaves_no_ticket_and_names_the_holder),
		TEST(foreign_files_in_the_queue_are_ignored),
		TEST(a_ticket_that_is_no_ticket_keeps_nobody_waiting),
		TEST(an_unreadable_ticket_keeps_nobody_waiting),
		TEST(numbers_of_tickets_have_any_number_of_digits),
		TEST(nobody_waits_behind_the_last_number),
		TEST(waiting_for_cpus_ends_with_the_signal_that_came_before),
		TEST(queue_is_never_joined_through_a_link),
		TEST(queue_stays_the_one_that_was_joined),
		TEST(queue_of_another_user_has_to_be_everybodys),
		TEST(storm_of_processes_never_shares_what_is_exclusive),
		TEST(unusable_lock_directory_is_an_error_with_the_remedy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
