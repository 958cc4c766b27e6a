// SPDX-License-Identifier: GPL-2.0-only
/* Work through files and on tasks, and how any work is measured: call by call. */
#include "played_worker.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include "base/file.h"

static int fds[WORKER_MAX_FDS];

static void open_pipes(int count)
{
	memset(fds, -1, sizeof(fds));
	for (int i = 0; i < count; i++)
		assert_int_equal(pipe2(fds + 2 * i, O_NONBLOCK | O_CLOEXEC), 0);
	w.fds = fds;
}

static void close_files(void)
{
	for (int i = 0; i < WORKER_MAX_FDS && fds[i] >= 0; i++)
		close(fds[i]);
}

/* ---- files ---- */

static void answer_the_second_time(unsigned int count)
{
	if (count == 2)
		assert_int_equal(write(fds[w.member == 0 ? 1 : 3], "x", 1), 1);
}

static void a_pair_waits_for_its_byte(void **state)
{
	char bytes[4];

	(void)state;
	open_pipes(2);
	w.args[0] = 20;
	played.on_wait = answer_the_second_time;
	pipe_io_iterate(&w);
	assert_said("spin 20, poll 0 for in, poll 0 for in");
	assert_wakes(1, 2 * BLOCK_NS);
	assert_int_equal(read(fds[2], bytes, sizeof(bytes)), 1);
	be(1);
	played.waits = 0;
	pipe_io_iterate(&w);
	assert_said("spin 20, poll 2 for in, poll 2 for in");
	assert_int_equal(read(fds[0], bytes, sizeof(bytes)), 1);
	assert_wakes(2, 4 * BLOCK_NS);
	played.on_wait = stop_worker;
	pipe_io_iterate(&w);
	assert_said("spin 20, poll 2 for in");
	assert_wakes(2, 4 * BLOCK_NS);
	close_files();
}

static void a_pair_with_a_cache_touches_it_first(void **state)
{
	const unsigned char *bytes;

	(void)state;
	open_pipes(2);
	w.args[0] = 1;
	w.args[1] = 17;
	assert_int_equal(cache_pipe_prepare(&w), 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	cache_pipe_iterate(&w);
	assert_said("poll 0 for in");
	assert_int_equal(w.work_units, 17);
	assert_wakes(1, BLOCK_NS);
	bytes = *(unsigned char **)w.state;
	for (size_t i = 0; i < 1024; i++)
		assert_int_equal(bytes[i], i % 64 ? 0 : i == 0 ? 2 : 1);
	free(*(void **)w.state);
	close_files();
}

static void empty_the_queue(unsigned int count)
{
	static char page[4096];

	if (count == 2)
		assert_int_equal(read(fds[0], page, sizeof(page)), sizeof(page));
}

static void fill_the_queue(unsigned int count)
{
	uint64_t stamp_ns = played.now_ns - 9;

	if (count == 2)
		assert_int_equal(write(fds[1], &stamp_ns, sizeof(stamp_ns)), sizeof(stamp_ns));
}

/* By the number of producers, as many as they are. */
static void producers_and_consumers_wait_for_each_other(void **state)
{
	uint64_t stamp_ns;

	(void)state;
	open_pipes(1);
	w.args[0] = 2;
	w.args[2] = 10;
	be(1);
	assert_int_equal(producer_consumer_prepare(&w), 0);
	assert_int_not_equal(fcntl(fds[1], F_GETPIPE_SZ), 4096); /* the first one does that */
	be(0);
	assert_int_equal(producer_consumer_prepare(&w), 0);
	assert_int_equal(fcntl(fds[1], F_GETPIPE_SZ), 4096);
	be(1);
	played.now_ns += 6;
	producer_consumer_iterate(&w);
	assert_said("");
	assert_int_equal(read(fds[0], &stamp_ns, sizeof(stamp_ns)), sizeof(stamp_ns));
	assert_int_equal(stamp_ns, BEGIN_NS + 6);
	for (int i = 0; i < 512; i++)
		producer_consumer_iterate(&w);
	played.on_wait = empty_the_queue;
	producer_consumer_iterate(&w);
	assert_said("poll 1 for out, poll 1 for out");
	assert_int_equal(w.work_units, 514);
	assert_int_equal(read(fds[0], &stamp_ns, sizeof(stamp_ns)), sizeof(stamp_ns));
	be(2);
	played.waits = 0;
	played.on_wait = fill_the_queue;
	producer_consumer_iterate(&w);
	assert_said("poll 0 for in, poll 0 for in, spin 10");
	assert_wakes(1, 9);
	assert_int_equal(w.work_units, 525);
	/* Nobody reads any more. */
	be(0);
	close(fds[0]);
	signal(SIGPIPE, SIG_IGN);
	producer_consumer_iterate(&w);
	signal(SIGPIPE, SIG_DFL);
	assert_string_equal(report->problem, "write to the queue: Broken pipe");
	assert_int_equal(w.work_units, 525);
	close(fds[1]);
}

static const struct work_type_row three_events = { .events = 3 };

static void open_events(void)
{
	memset(fds, -1, sizeof(fds));
	for (int i = 0; i < 3; i++)
		fds[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
	w.fds = fds;
	w.type = &three_events;
}

static void take_an_event(unsigned int count)
{
	(void)count;
	atomic_fetch_sub(&team.word, 1);
}

static void raise_the_second_time(unsigned int count)
{
	static const uint64_t one = 1;

	if (count != 2)
		return;
	atomic_store(&team.stamp_ns, played.now_ns - 5);
	atomic_store(&team.word, 2);
	for (int i = 1; i < 3; i++)
		assert_int_equal(write(fds[i], &one, sizeof(one)), sizeof(one));
}

static void events_are_raised_until_all_are_taken(void **state)
{
	uint64_t value;

	(void)state;
	open_events();
	w.args[1] = 30;
	assert_int_equal(epoll_storm_prepare(&w), 0);
	played.on_wait = take_an_event;
	epoll_storm_iterate(&w);
	assert_said("spin 30, wait team 3, wait team 2, wait team 1");
	assert_int_equal(w.work_units, 33);
	assert_int_equal(atomic_load(&team.stamp_ns), BEGIN_NS);
	for (int i = 0; i < 3; i++)
		assert_int_equal(read(fds[i], &value, sizeof(value)), sizeof(value));
	played.on_wait = stop_worker;
	epoll_storm_iterate(&w);
	assert_said("spin 30, wait team 3");
	close_files();
	epoll_storm_iterate(&w);
	assert_string_equal(report->problem, "raise an event: Bad file descriptor");
}

static void events_are_taken_by_who_comes_first(void **state)
{
	(void)state;
	open_events();
	be(1);
	assert_int_equal(epoll_storm_prepare(&w), 0);
	played.on_wait = raise_the_second_time;
	epoll_storm_iterate(&w);
	/* With the last of them the first worker is woken. */
	assert_said("epoll, epoll, wake 1 of team");
	assert_int_equal(w.work_units, 2);
	assert_wakes(2, 10);
	assert_int_equal(atomic_load(&team.word), 0);
	assert_int_equal(w.last_checkpoint_ns, played.now_ns);
	played.on_wait = stop_worker;
	epoll_storm_iterate(&w);
	assert_said("epoll");
	assert_int_equal(w.work_units, 2);
	close(*(int *)w.state);
	close_files();
	free(w.state);
	fds[0] = 100000; /* there is no such file */
	assert_int_equal(epoll_storm_prepare(&w), -EBADF);
	assert_string_equal(report->problem, "add an event to an epoll: Bad file descriptor");
	close(*(int *)w.state);
}

/* ---- tasks ---- */

static void children_are_waited_for_in_spite_of_signals(void **state)
{
	(void)state;
	played.wait_errors = 2;
	fork_exit_iterate(&w);
	assert_said("fork, wait for 4321, wait for 4321, wait for 4321");
	assert_wakes(1, 3 * BLOCK_NS);
	assert_int_equal(w.work_units, 1);
	exec_storm_iterate(&w);
	assert_said("fork, wait for 4321");
	assert_string_equal(report->problem, "");
	played.status = ENOENT << 8;
	exec_storm_iterate(&w);
	assert_string_equal(report->problem, "execute /proc/self/exe: No such file or directory");
	report->problem[0] = '\0';
	played.status = SIGKILL; /* that is no error of the program */
	exec_storm_iterate(&w);
	assert_string_equal(report->problem, "");
	assert_int_equal(w.work_units, 4);
	/* Where there is no room for a child, none is waited for. */
	forget_said();
	played.fork_error = EAGAIN;
	fork_exit_iterate(&w);
	assert_said("fork, sleep 1000000");
	assert_string_equal(report->problem, "fork: Resource temporarily unavailable");
	report->problem[0] = '\0';
	exec_storm_iterate(&w);
	assert_said("fork, sleep 1000000");
	assert_string_equal(report->problem, "fork: Resource temporarily unavailable");
	assert_int_equal(w.work_units, 4);
	assert_wakes(4, 6 * BLOCK_NS);
}

/* Whoever ignores its children has none to wait for. */
static void children_are_not_ignored(void **state)
{
	struct sigaction now;

	(void)state;
	signal(SIGCHLD, SIG_IGN);
	assert_int_equal(fork_exit_prepare(&w), 0);
	assert_int_equal(sigaction(SIGCHLD, NULL, &now), 0);
	assert_true(now.sa_handler == SIG_DFL);
}

static void nice_values_begin_where_they_may(void **state)
{
	(void)state;
	assert_int_equal(nice_sweep_prepare(&w), 0);
	assert_said("nice -20");
	nice_sweep_iterate(&w);
	nice_sweep_iterate(&w);
	assert_said("spin 512, nice -20, yield, spin 512, nice -19, yield");
	assert_wakes(2, 2 * YIELD_NS);
	nice_sweep_finish(&w);
	assert_said("nice 0");
	free(w.state);
	played.priority_error = EACCES;
	assert_int_equal(nice_sweep_prepare(&w), 0);
	forget_said();
	nice_sweep_iterate(&w);
	assert_said("spin 512, nice 0, yield");
	assert_string_equal(report->problem, "nice 0: Permission denied");
	report->problem[0] = '\0';
	played.priority_error = 0;
	for (int i = 1; i < 19; i++)
		nice_sweep_iterate(&w);
	forget_said();
	nice_sweep_iterate(&w);
	nice_sweep_iterate(&w);
	assert_said("spin 512, nice 19, yield, spin 512, nice 0, yield");
	assert_string_equal(report->problem, "");
}

static void affinities_are_random_and_widen_when_refused(void **state)
{
	struct ktstr_worker twin = w;

	(void)state;
	assert_int_equal(affinity_churn_prepare(&w), -EINVAL);
	assert_string_equal(report->problem, "no CPU is allowed: Invalid argument");
	report->problem[0] = '\0';
	free(w.state);
	played.allowed[0] = 2;
	played.allowed[1] = 64;
	played.allowed[2] = WORKER_MAX_CPUS - 1;
	played.allowed_count = 3;
	w.args[0] = 15;
	assert_int_equal(affinity_churn_prepare(&w), 0);
	for (int i = 0; i < 8; i++) {
		char said[64];

		snprintf(said, sizeof(said), "spin 15, affinity %u, yield",
			 played.allowed[worker_random(&twin) % 3]);
		affinity_churn_iterate(&w);
		assert_said(said);
	}
	assert_wakes(8, 8 * YIELD_NS);
	affinity_churn_finish(&w);
	assert_said("affinity 2 64 1023");
	/* A cpuset has changed: from now on what it allows. */
	played.affinity_error = EPERM;
	played.allowed[0] = 7;
	played.allowed_count = 1;
	w.random = 1;
	affinity_churn_iterate(&w);
	forget_said();
	played.affinity_error = 0;
	affinity_churn_iterate(&w);
	assert_said("spin 15, affinity 7, yield");
	affinity_churn_finish(&w);
	assert_said("affinity 7");
	assert_string_equal(report->problem, "");
}

/* A cpuset that is changed at this moment is asked again, up to four times. */
static void an_affinity_is_tried_again(void **state)
{
	const struct worker_cpus one = { { 1 } };

	(void)state;
	played.affinity_error = EINVAL;
	assert_int_equal(worker_set_affinity(0, &one), -EINVAL);
	assert_said("affinity 0, affinity 0, affinity 0, affinity 0");
	played.affinity_error = EPERM;
	assert_int_equal(worker_set_affinity(0, &one), -EPERM);
	assert_said("affinity 0");
	played.affinity_error = 0;
	errno = EINVAL;
	assert_int_equal(worker_set_affinity(0, &one), 0);
	assert_said("affinity 0");
}

static void policies_take_turns(void **state)
{
	(void)state;
	w.args[0] = 9;
	assert_int_equal(policy_churn_prepare(&w), 0);
	assert_said("policy 1 1, policy 0 0");
	for (int i = 0; i < 6; i++)
		policy_churn_iterate(&w);
	assert_said("spin 9, policy 0 0, yield, spin 9, policy 3 0, yield, "
		    "spin 9, policy 5 0, yield, spin 9, policy 1 1, yield, "
		    "spin 9, policy 2 1, yield, spin 9, policy 0 0, yield");
	assert_wakes(6, 6 * YIELD_NS);
	policy_churn_finish(&w);
	assert_said("policy 0 0");
	free(w.state);
	/* Who may not be real-time does not try it again. */
	played.policy_error = EPERM;
	assert_int_equal(policy_churn_prepare(&w), 0);
	forget_said();
	for (int i = 0; i < 3; i++)
		policy_churn_iterate(&w);
	assert_said("spin 9, policy 0 0, yield, spin 9, policy 3 0, yield, "
		    "spin 9, policy 0 0, yield");
	assert_string_equal(report->problem, "");
	/* Who lost the right to it does, and says so. */
	((unsigned int *)w.state)[0] = 5;
	((unsigned int *)w.state)[1] = 3;
	policy_churn_iterate(&w);
	assert_string_equal(report->problem, "policy 1: Operation not permitted");
}

/* The first signal that is not taken yet has the time from which it is measured. */
static void signals_are_measured_from_the_first_on(void **state)
{
	(void)state;
	w.args[0] = 2;
	w.args[1] = 30;
	assert_int_equal(signal_storm_prepare(&w), 0);
	assert_int_equal(atomic_load(&lines[0].word), 1);
	atomic_store(&lines[1].word, 1);
	atomic_store(&lines[1].pid, 55);
	atomic_store(&lines[1].state, WORKER_RUNNING);
	signal_storm_iterate(&w);
	assert_said("kill 55 12, kill 55 12, spin 30");
	assert_int_equal(w.work_units, 32);
	assert_int_equal(atomic_load(&lines[1].stamp_ns), BEGIN_NS);
	signal_storm_iterate(&w);
	assert_int_equal(atomic_load(&lines[1].stamp_ns), BEGIN_NS); /* nobody took it */
	forget_said();
	atomic_store(&lines[0].stamp_ns, played.now_ns - 40);
	raise(SIGUSR2);
	assert_int_equal(atomic_load(&lines[0].stamp_ns), 0);
	atomic_store(&lines[1].word, 0); /* the partner has no handler */
	signal_storm_iterate(&w);
	assert_said("spin 30");
	assert_wakes(1, 40);
	/* Without a time, or with one that is yet to come, there is nothing to measure. */
	raise(SIGUSR2);
	signal_storm_iterate(&w);
	atomic_store(&lines[0].stamp_ns, played.now_ns + 1);
	raise(SIGUSR2);
	signal_storm_iterate(&w);
	assert_wakes(1, 40);
	atomic_store(&lines[0].stamp_ns, played.now_ns);
	raise(SIGUSR2);
	signal_storm_iterate(&w);
	assert_wakes(2, 40);
	atomic_store(&lines[1].word, 1);
	atomic_store(&lines[1].state, WORKER_DONE);
	forget_said();
	signal_storm_iterate(&w);
	assert_said("spin 30");
	atomic_store(&lines[1].state, WORKER_RUNNING);
	stop_worker(0);
	signal_storm_iterate(&w);
	assert_said("spin 30");
	signal(SIGUSR2, SIG_DFL);
}

/* ---- cgroups ---- */

static void make_child(const char *dir, unsigned int i, bool has_file)
{
	char name[64], path[512];

	snprintf(name, sizeof(name), "ktstr_attach_%d_%u", getpid(), i);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(mkdir(path, 0755), 0);
	strcat(name, "/cgroup.procs");
	if (has_file)
		unit_write(dir, name, "");
}

static bool has_child(const char *dir, unsigned int i, bool is_removed)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/ktstr_attach_%d_%u", dir, getpid(), i);
	return is_removed ? rmdir(path) == 0 : access(path, F_OK) == 0;
}

/* One "0" for each time that it moved there. */
static void assert_moves(const char *dir, int child, const char *expected)
{
	_str_ struct str text = {};
	char path[512];

	if (child < 0)
		snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	else
		snprintf(path, sizeof(path), "%s/ktstr_attach_%d_%d/cgroup.procs", dir, getpid(),
			 child);
	assert_int_equal(file_read(path, &text), 0);
	assert_string_equal(str_get(&text), expected);
}

struct attach_storm {
	unsigned int count, next;
	int home_fd, fds[64];
};

static void moves_go_round_the_cgroups(void **state)
{
	char *dir = unit_temp_create();
	struct attach_storm *s;

	(void)state;
	spec.cgroup_dir = dir;
	w.args[0] = 3;
	w.args[1] = 25;
	assert_int_equal(cgroup_attach_prepare(&w), -ENOENT);
	assert_non_null(strstr(report->problem, "/cgroup.procs: No such file or directory"));
	report->problem[0] = '\0';
	free(w.state);
	unit_write(dir, "cgroup.procs", "");
	for (unsigned int i = 0; i < 3; i++)
		make_child(dir, i, i < 2);
	/* That it exists is no problem; that its file cannot be opened is one. */
	assert_int_equal(cgroup_attach_prepare(&w), -ENOENT);
	assert_non_null(strstr(report->problem, "_2/cgroup.procs: No such file or directory"));
	report->problem[0] = '\0';
	free(w.state);
	assert_true(has_child(dir, 2, true));
	make_child(dir, 2, true);
	assert_int_equal(cgroup_attach_prepare(&w), 0);
	s = w.state;
	assert_int_equal(s->count, 3);
	assert_int_equal(fcntl(s->home_fd, F_GETFL) & O_ACCMODE, O_WRONLY);
	assert_int_equal(fcntl(s->fds[2], F_GETFD), FD_CLOEXEC);
	for (int i = 0; i < 4; i++)
		cgroup_attach_iterate(&w);
	assert_said("spin 100");
	assert_wakes(4, 0);
	assert_moves(dir, 0, "00");
	assert_moves(dir, 1, "0");
	assert_moves(dir, 2, "0");
	assert_moves(dir, -1, "");
	cgroup_attach_finish(&w);
	assert_moves(dir, -1, "0");
	assert_string_equal(report->problem, "");
	close(s->fds[1]);
	cgroup_attach_iterate(&w);
	assert_string_equal(report->problem, "move to another cgroup: Bad file descriptor");
	assert_wakes(4, 0);
	report->problem[0] = '\0';
	close(s->home_fd);
	cgroup_attach_finish(&w);
	assert_string_equal(report->problem, "move back from another cgroup: Bad file descriptor");
	close(s->fds[0]);
	close(s->fds[2]);
	unit_temp_remove(dir);
}

/* Up to the first that there is not, and no more than there can be. */
static void cgroups_are_removed_in_order(void **state)
{
	char *dir = unit_temp_create();

	(void)state;
	make_child(dir, 0, false);
	make_child(dir, 1, true); /* in use: the others go all the same */
	make_child(dir, 2, false);
	make_child(dir, 4, false);
	cgroup_attach_remove(dir, getpid());
	assert_false(has_child(dir, 0, false));
	assert_true(has_child(dir, 1, false));
	assert_false(has_child(dir, 2, false));
	assert_true(has_child(dir, 4, true));
	make_child(dir, 0, false);
	for (unsigned int i = 2; i <= 64; i++)
		make_child(dir, i, false);
	cgroup_attach_remove(dir, getpid());
	assert_false(has_child(dir, 63, false));
	assert_true(has_child(dir, 64, false));
	unit_temp_remove(dir);
}

static void there_are_at_most_64_cgroups(void **state)
{
	char *dir = unit_temp_create();
	struct attach_storm *s;

	(void)state;
	unit_write(dir, "cgroup.procs", "");
	for (unsigned int i = 0; i < 64; i++)
		make_child(dir, i, true);
	spec.cgroup_dir = dir;
	w.args[0] = 65;
	assert_int_equal(cgroup_attach_prepare(&w), 0);
	s = w.state;
	assert_int_equal(s->count, 64);
	for (unsigned int i = 0; i < 64; i++)
		close(s->fds[i]);
	close(s->home_fd);
	unit_temp_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_pair_waits_for_its_byte),
		TEST(a_pair_with_a_cache_touches_it_first),
		TEST(producers_and_consumers_wait_for_each_other),
		TEST(events_are_raised_until_all_are_taken),
		TEST(events_are_taken_by_who_comes_first),
		TEST(children_are_waited_for_in_spite_of_signals),
		TEST(children_are_not_ignored),
		TEST(nice_values_begin_where_they_may),
		TEST(affinities_are_random_and_widen_when_refused),
		TEST(an_affinity_is_tried_again),
		TEST(policies_take_turns),
		TEST(signals_are_measured_from_the_first_on),
		TEST(moves_go_round_the_cgroups),
		TEST(cgroups_are_removed_in_order),
		TEST(there_are_at_most_64_cgroups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
