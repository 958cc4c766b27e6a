// SPDX-License-Identifier: GPL-2.0-only
/* A worker's own process, played: what it does before and after its work. */
#include "played_processes.h"

static struct workers_shared shared;
static struct worker_line line;
static struct worker_report *report;
static struct ktstr_worker me;
static struct work_type_row row;
static int fds[WORKER_MAX_FDS];
static uint64_t iterations;
static int prepare_rc;

static int prepare(struct ktstr_worker *worker)
{
	assert_ptr_equal(worker, &me);
	say("prepare");
	return prepare_rc;
}

static void iterate(struct ktstr_worker *worker)
{
	assert_ptr_equal(worker, &me);
	say("iterate");
	worker->work_units += 2;
	if (++iterations == 2)
		atomic_store(&shared.stop, 1);
}

static void finish(struct ktstr_worker *worker)
{
	/* What was done is told before. */
	say("finish %llu", (unsigned long long)worker->counts->work_units);
}

static unsigned int role(const struct ktstr_worker *worker)
{
	return worker->member + 1;
}

static int set_up_own(void **state)
{
	shared = (struct workers_shared){ .start = 1, .start_ns = BEGIN_NS - 30 };
	line = (struct worker_line){};
	row = (struct work_type_row){ .prepare = prepare,
				      .iterate = iterate,
				      .finish = finish,
				      .role = role,
				      .has_messenger = true };
	memset(fds, -1, sizeof(fds));
	iterations = 0;
	prepare_rc = 0;
	worker_stop_signal = 0;
	report = calloc(1, sizeof(*report));
	if (!report || set_up(state) < 0)
		return -1;
	played.parent = 50;
	spec.count = 3;
	spec.name = "cg_0";
	work.nice = 4;
	work.work_type.kind = KTSTR_WORK_BURSTY;
	me = (struct ktstr_worker){ .shared = &shared,
				    .line = &line,
				    .report = report,
				    .spec = &spec,
				    .type = &row,
				    .fds = fds,
				    .index = 7,
				    .has_numa_nodes = true };
	return 0;
}

static int tear_down_own(void **state)
{
	close(me.schedstat_fd);
	free(report);
	signal(SIGUSR1, SIG_DFL);
	return tear_down(state);
}

static void live(const struct worker_cpus *affinity)
{
	me.schedstat_fd = -1;
	if (setjmp(played.left) == 0)
		__real_worker_main(&me, 50, affinity);
}

#define BEFORE "dies by 9, group 0 0, name cg_0/7, signals 0, close 3 on, profile"

static void a_life_from_its_start_to_its_end(void **state)
{
	const struct worker_cpus affinity = { { 1 } };
	struct sigaction now;

	(void)state;
	live(&affinity);
	assert_said(BEFORE ", slack 1, affinity of 0, policy 0 nice 4 of 0, prepare, iterate, "
			   "iterate, finish 4, write profile, exit 0");
	assert_int_equal(atomic_load(&line.pid), getpid());
	assert_int_equal(atomic_load(&line.state), WORKER_DONE);
	assert_int_equal(atomic_load(&line.iterations), 2);
	assert_int_equal(atomic_load(&shared.ended), 1);
	assert_true(report->has_started);
	assert_true(report->is_messenger);
	assert_int_equal(report->role, 1);
	assert_int_equal(report->nice, 4);
	assert_int_equal(report->work_kind, KTSTR_WORK_BURSTY);
	assert_int_equal(report->phases[0].max_gap_ns, 30); /* that late it was started */
	assert_int_equal(report->phases[0].work_units, 4);
	assert_int_equal(report->phases[0].iterations, 2);
	assert_true(report->has_numa_pages);
	assert_int_equal(report->numa_pages[1], 9);
	/* A signal asks it to stop, and ends the call that it is in. */
	assert_int_equal(sigaction(SIGUSR1, NULL, &now), 0);
	assert_int_equal(now.sa_flags & SA_RESTART, 0);
	raise(SIGUSR1);
	assert_int_equal(worker_stop_signal, 1);
	assert_true(worker_should_stop(&me));
}

/* Without any of what a type may do besides, and not as the first of its team. */
static void what_a_type_does_not_do_is_left_out(void **state)
{
	(void)state;
	row = (struct work_type_row){ .iterate = iterate, .has_messenger = true };
	me.member = 1;
	me.has_numa_nodes = false;
	work.nice = 0;
	live(NULL);
	assert_said(BEFORE ", slack 1, iterate, iterate, write profile, exit 0");
	assert_false(report->is_messenger);
	assert_int_equal(report->role, 0);
	assert_int_equal(report->numa_pages[1], 8);
	row.has_messenger = false;
	me.member = 0;
	live(NULL);
	assert_false(report->is_messenger);
}

static void run_body(struct ktstr_worker *worker, void *arg)
{
	say("body %s", (const char *)arg);
	ktstr_worker_did(worker, 1);
}

/* Its body may want the files of who made it. */
static void custom_work_keeps_its_files(void **state)
{
	(void)state;
	row = *work_type_row(KTSTR_WORK_CUSTOM);
	work = (struct ktstr_work){ .work_type = KTSTR_CUSTOM("x", run_body, "arg") };
	live(NULL);
	assert_said("dies by 9, group 0 0, name cg_0/7, signals 0, profile, slack 1, body arg, "
		    "write profile, exit 0");
	assert_int_equal(report->phases[0].iterations, 1);
}

/* Those of its team stay, in whatever order they are. */
static void files_of_others_are_closed(void **state)
{
	(void)state;
	fds[0] = 9;
	fds[1] = 5;
	fds[2] = 6;
	fds[3] = 3;
	prepare_rc = -1;
	live(NULL);
	assert_non_null(strstr(str_get(&played.said),
			       "signals 0, close 4-4, close 7-8, close 10 on, profile"));
	str_reset(&played.said);
	for (int i = 0; i < WORKER_MAX_FDS; i++)
		fds[i] = 20 + i; /* as many as there can be */
	live(NULL);
	assert_non_null(strstr(str_get(&played.said), "signals 0, close 3-19, close 38 on"));
}

static void who_cannot_prepare_does_not_work(void **state)
{
	(void)state;
	prepare_rc = -ENOMEM;
	work.nice = 0;
	live(NULL);
	assert_said(BEFORE ", slack 1, prepare, exit 1");
	assert_int_equal(atomic_load(&line.state), WORKER_RUNNING);
	assert_int_equal(atomic_load(&shared.ended), 0);
}

/* Whose parent has died before it could be told so dies as well. */
static void an_orphan_ends_at_once(void **state)
{
	(void)state;
	played.parent = 1;
	live(NULL);
	assert_said("dies by 9, exit 1");
	spec.has_init_parent = true;
	prepare_rc = -1;
	live(NULL);
	assert_non_null(strstr(str_get(&played.said), "prepare"));
}

static void start_the_second_time(unsigned int count)
{
	played.start_error = EINTR;
	if (count == 2)
		atomic_store(&shared.start, 1);
}

static void start_and_be_late(unsigned int count)
{
	(void)count;
	atomic_store(&shared.start, 1);
}

static void the_start_is_waited_for(void **state)
{
	(void)state;
	shared.start = 0;
	prepare_rc = -1;
	work.nice = 0;
	played.wait_ns = 1;
	played.on_wait = start_the_second_time;
	live(NULL);
	assert_said(BEFORE ", wait for the start, wait for the start, slack 1, prepare, exit 1");
	assert_int_equal(me.late_ns, 32);
	/* It never comes. */
	shared.start = 0;
	report->has_started = false;
	played.on_wait = NULL;
	played.start_error = ETIMEDOUT;
	live(NULL);
	assert_said(BEFORE ", wait for the start, exit 1");
	assert_false(report->has_started);
	/* It comes at the very moment. */
	played.on_wait = start_and_be_late;
	live(NULL);
	assert_said(BEFORE ", wait for the start, slack 1, prepare, exit 1");
}

/* The parent is woken by the last one, and by each 64th of many. */
static void few_of_many_wake_the_parent(void **state)
{
	static const struct {
		uint32_t before;
		unsigned int count;
		bool is_woken;
	} rows[] = { { 2, 3, true },	 { 1, 3, false },    { 0, 1, true },	{ 63, 200, true },
		     { 64, 200, false }, { 127, 200, true }, { 199, 200, true } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		atomic_store(&shared.ended, rows[i].before);
		spec.count = rows[i].count;
		str_reset(&played.said);
		live(NULL);
		assert_int_equal(strstr(str_get(&played.said), "wake 1, exit 0") != NULL,
				 rows[i].is_woken);
		assert_int_equal(atomic_load(&shared.ended), rows[i].before + 1);
	}
}

#undef TEST
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up_own, tear_down_own)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_life_from_its_start_to_its_end), TEST(what_a_type_does_not_do_is_left_out),
		TEST(custom_work_keeps_its_files),	TEST(files_of_others_are_closed),
		TEST(who_cannot_prepare_does_not_work), TEST(an_orphan_ends_at_once),
		TEST(the_start_is_waited_for),		TEST(few_of_many_wake_the_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
