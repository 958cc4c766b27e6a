// SPDX-License-Identifier: GPL-2.0-only
/* Who waits for CPUs, in which order, and whom a queue keeps waiting. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/interrupt.h"
#include "host/reserve.h"
#include "reserve_fixture.h"

static void wait_for_queue(int length)
{
	while (queue_length(reserve_dir) != length)
		usleep(1000);
}

/* Starts a process that queues for everything; returns when it stands in the queue. */
static struct peer waiter_start(int place)
{
	struct reserve_request all = reserve_wanted(RUN_PERFORMANCE, 4, 2);
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
	struct reserve_request all = reserve_wanted(RUN_PERFORMANCE, 4, 2);
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
	struct reserve_request all = reserve_wanted(RUN_PERFORMANCE, 4, 2);
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
	assert_int_equal(reserve_add_holders(&reserve_machine, reserve_dir, getpid(), &ours), 0);
	assert_string_equal(str_get(&ours), "");
	assert_int_equal(reserve_add_holders(&reserve_machine, reserve_dir, getppid(), &others), 0);
	assert_true(str_starts(str_get(&others), named));
	peer_end(&holder, false);
}

static void waiters_are_served_in_the_order_of_their_coming(void **state)
{
	struct reserve_request all = reserve_wanted(RUN_PERFORMANCE, 4, 2);
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
	assert_int_equal(queue_length(reserve_dir), 0);
}

static void killed_waiters_lose_only_their_own_turn(void **state)
{
	struct reserve_request all = reserve_wanted(RUN_PERFORMANCE, 4, 2);
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
	assert_int_equal(queue_length(reserve_dir), 0);
}

static void newcomers_do_not_pass_the_queue(void **state)
{
	struct reserve_request small = reserve_wanted(RUN_DEFAULT, 1, 1);
	struct reserve_request all = reserve_wanted(RUN_PERFORMANCE, 4, 2);
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
	struct reserve_request all = reserve_wanted(RUN_PERFORMANCE, 4, 2);
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
	assert_int_equal(queue_length(reserve_dir), 0);
	peer_end(&a, false);
}

static bool has_ticket(const char *digits)
{
	_free_ char *path = str_fmt("%s/" QUEUE_DIR "/ticket-%s", reserve_dir, digits);

	return access(path, F_OK) == 0;
}

static void foreign_files_in_the_queue_are_ignored(void **state)
{
	_queue_ticket_ struct queue_ticket t = QUEUE_TICKET_NONE;

	(void)state;
	unit_write(reserve_dir, QUEUE_DIR "/ticket-0000000005", "");
	unit_write(reserve_dir, QUEUE_DIR "/ticket-18446744073709551615", "");
	unit_write(reserve_dir, QUEUE_DIR "/ticket-99999999999999999999999999", "");
	unit_write(reserve_dir, QUEUE_DIR "/README", "");
	assert_int_equal(queue_join(&t, reserve_dir), 0);
	assert_int_equal(t.number, 1);
	assert_int_equal(queue_position(&t), 0);
	assert_int_equal(queue_length(reserve_dir), 1);
	/* Dead tickets are gone, and what is none stays. */
	assert_false(has_ticket("0000000005"));
	assert_true(has_ticket("99999999999999999999999999"));
}

/* A regular file whose lock is held, and nothing else, keeps others waiting. */
static void a_ticket_that_is_no_ticket_keeps_nobody_waiting(void **state)
{
	_queue_ticket_ struct queue_ticket t = QUEUE_TICKET_NONE;
	_free_ char *queue = str_fmt("%s/" QUEUE_DIR "/ticket-000000000", reserve_dir);
	char path[4][PATH_MAX];

	(void)state;
	for (int i = 0; i < 4; i++)
		snprintf(path[i], PATH_MAX, "%s%d", queue, i + 1);
	unit_write(reserve_dir, QUEUE_DIR "/x", "");
	assert_int_equal(mknod(path[0], S_IFSOCK | 0666, 0), 0);
	assert_int_equal(mkfifo(path[1], 0666), 0);
	assert_int_equal(mkdir(path[2], 0777), 0);
	assert_int_equal(symlink("x", path[3]), 0);
	assert_int_equal(queue_length(reserve_dir), 0);
	assert_int_equal(queue_join(&t, reserve_dir), 0);
	/* The names are taken and passed over. */
	assert_int_equal(t.number, 5);
	assert_int_equal(queue_position(&t), 0);
}

#define EX_UNREACHABLE 98

/* A file of root's that others may not read. */
static void an_unreadable_ticket_keeps_nobody_waiting(void **state)
{
	_free_ char *path = str_fmt("%s/" QUEUE_DIR "/ticket-0000000001", reserve_dir);
	_free_ char *queue = str_fmt("%s/" QUEUE_DIR, reserve_dir);
	int status;
	pid_t pid;

	(void)state;
	if (geteuid() != 0)
		skip();
	unit_write(reserve_dir, QUEUE_DIR "/ticket-0000000001", "");
	assert_int_equal(chmod(path, 0), 0);
	assert_int_equal(chmod(reserve_dir, 0755), 0);
	assert_int_equal(chmod(queue, 01777), 0);
	pid = fork();
	if (pid == 0) {
		if (setresuid(65534, 65534, 65534) < 0)
			_exit(99);
		_exit(access(queue, R_OK | X_OK) < 0 ? EX_UNREACHABLE : queue_length(reserve_dir));
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
	_free_ char *path = str_fmt("%s/" QUEUE_DIR "/ticket-%s", reserve_dir, digits);
	_free_ char *queue = str_fmt("%s/" QUEUE_DIR, reserve_dir);
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
	_close_ _unused_ int held = hold_ticket("9999999999");

	(void)state;
	assert_int_equal(queue_join(&a, reserve_dir), 0);
	assert_int_equal(a.number, 10000000000);
	assert_int_equal(queue_join(&b, reserve_dir), 0);
	assert_int_equal(b.number, 10000000001);
	assert_int_equal(queue_position(&b), 2);
	assert_int_equal(queue_length(reserve_dir), 3);
}

static void nobody_waits_behind_the_last_number(void **state)
{
	struct queue_ticket t = QUEUE_TICKET_NONE;
	_close_ _unused_ int held = hold_ticket("18446744073709551614");
	_close_ _unused_ int first = hold_ticket("0000000001");

	(void)state;
	assert_int_equal(queue_join(&t, reserve_dir), -ERANGE);
	/* Nobody else lost a turn by that. */
	assert_int_equal(queue_length(reserve_dir), 2);
	assert_int_equal(t.fd, -1);
}

/* In a process of its own: a remembered signal stays. */
static void waiting_for_cpus_ends_with_the_signal_that_came_before(void **state)
{
	struct reserve_request all = reserve_wanted(RUN_PERFORMANCE, 4, 2);
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
	_free_ char *elsewhere = str_fmt("%s/elsewhere", reserve_dir), *link = NULL;

	(void)state;
	link = str_fmt("%s/" QUEUE_DIR, reserve_dir);
	assert_int_equal(mkdir(elsewhere, 0755), 0);
	assert_int_equal(symlink(elsewhere, link), 0);
	assert_int_equal(queue_join(&t, reserve_dir), -ENOTDIR);
	assert_int_equal(t.fd, -1);
	assert_int_equal(queue_length(reserve_dir), -ENOTDIR);
	/* Nothing was left there. */
	assert_int_equal(rmdir(elsewhere), 0);
	assert_int_equal(queue_join(&t, reserve_dir), -ENOTDIR);
	assert_int_equal(access(elsewhere, F_OK), -1);
}

/* A link that takes the name while we wait changes nothing: names are looked up in the queue. */
static void queue_stays_the_one_that_was_joined(void **state)
{
	_queue_ticket_ struct queue_ticket t = QUEUE_TICKET_NONE;
	_free_ char *queue = str_fmt("%s/" QUEUE_DIR, reserve_dir),
		    *moved = str_fmt("%s/moved", reserve_dir);
	_free_ char *other = str_fmt("%s/other", reserve_dir), *ticket = NULL;

	(void)state;
	assert_int_equal(queue_join(&t, reserve_dir), 0);
	assert_int_equal(rename(queue, moved), 0);
	unit_write(reserve_dir, "other/ticket-0000000001", "mine");
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
	_free_ char *queue = str_fmt("%s/" QUEUE_DIR, reserve_dir);

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(mkdir(queue, 0755), 0);
	assert_int_equal(chown(queue, 65534, 65534), 0);
	assert_int_equal(queue_join(&t, reserve_dir), -EPERM);
	assert_non_null(strstr(err_text(-EPERM), "belongs to user 65534"));
	assert_int_equal(chmod(queue, 0777), 0);
	assert_int_equal(queue_join(&t, reserve_dir), 0);
}

static unsigned int mode_of(const char *name)
{
	_free_ char *path = str_fmt("%s/" QUEUE_DIR "/%s", reserve_dir, name);
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 0777;
}

static void a_queue_is_open_to_everybody_whatever_the_umask(void **state)
{
	mode_t before = umask(077);
	struct queue_ticket t;
	int rc;

	(void)state;
	/* What the ticket was before is overwritten. */
	memset(&t, 1, sizeof(t));
	rc = queue_join(&t, reserve_dir);
	umask(before);
	assert_int_equal(rc, 0);
	assert_int_equal(t.number, 1);
	assert_int_equal(mode_of("."), 0777);
	assert_int_equal(mode_of("ticket-0000000001"), 0666);
	queue_leave(&t);
	assert_int_equal(queue_length(reserve_dir), 0);
	memset(&t, 1, sizeof(t));
	assert_int_equal(queue_join(&t, "/nonexistent"), -ENOENT);
	assert_int_equal(t.fd, -1);
	assert_int_equal(t.dir, -1);
	assert_int_equal(t.number, 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, reserve_setup, reserve_teardown)
	const struct CMUnitTest tests[] = {
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
		TEST(a_queue_is_open_to_everybody_whatever_the_umask),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
