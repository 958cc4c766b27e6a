// SPDX-License-Identifier: GPL-2.0-only
/* Run times of BPF programs of schedulers, and links of the observer's own programs. */
#include "observer_fixture.h"

static const struct program {
	unsigned int id;
	uint32_t type;
	uint64_t ns, calls;
	bool is_gone; /* between the two calls */
} * loaded;

static const struct program nothing_loaded[] = { {} };
static int readings; /* of the whole list */

unsigned int __wrap_bpf_program_next(unsigned int id);
int __wrap_bpf_program_info(unsigned int id, struct bpf_prog_info *info);

/* Ids ascend; the last one is 0. */
unsigned int __wrap_bpf_program_next(unsigned int id)
{
	const struct program *p = loaded;

	readings += id == 0;
	while (p->id && p->id <= id)
		p++;
	return p->id;
}

int __wrap_bpf_program_info(unsigned int id, struct bpf_prog_info *info)
{
	const struct program *p = loaded;

	while (p->id && p->id != id)
		p++;
	assert_int_equal(p->id, id);
	*info = (struct bpf_prog_info){ .type = p->type,
					.run_time_ns = p->ns,
					.run_cnt = p->calls };
	return p->is_gone ? -1 : 0;
}

#define SCHEDULER BPF_PROG_TYPE_STRUCT_OPS

static void run_times_are_summed_over_programs_of_schedulers(void **state)
{
	static const struct {
		struct program programs[6];
		uint64_t ns, calls;
	} rows[] = {
		{ { {} }, 0, 0 },
		{ { { 1, SCHEDULER, 10, 7 } }, 10, 7 },
		{ { { 1, SCHEDULER, 10, 7 }, { 2, SCHEDULER, 30, 4 } }, 40, 7 },
		{ { { 1, SCHEDULER, 10, 7 }, { 9, SCHEDULER, 30, 8 } }, 40, 8 },
		/* Other types and programs that were unloaded meanwhile do not count. */
		{ { { 3, BPF_PROG_TYPE_TRACING, 100, 100 }, { 4, SCHEDULER, 30, 8 } }, 30, 8 },
		{ { { 3, SCHEDULER, 100, 100, true }, { 4, SCHEDULER, 30, 8 } }, 30, 8 },
		{ { { 3, SCHEDULER, 5, 6 },
		    { 4, BPF_PROG_TYPE_TRACING, 30, 8, true },
		    { 5, SCHEDULER, 1, 2 } },
		  6,
		  6 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct observe_programs sum;

		loaded = rows[i].programs;
		sum = observe_programs_read();
		assert_int_equal(sum.ns, rows[i].ns);
		assert_int_equal(sum.calls, rows[i].calls);
	}
}

static void run_times_are_those_of_the_phase(void **state)
{
	static const struct program before[] = { { 1, SCHEDULER, 100, 10 },
						 { 2, SCHEDULER, 50, 20 },
						 {} },
				    after[] = { { 1, SCHEDULER, 103, 40 },
						{ 2, SCHEDULER, 54, 21 },
						{} };
	struct observed seen;

	observer_count_programs(*state);
	loaded = before;
	observer_begin(*state);
	loaded = after;
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(seen.programs.ns, 7);
	assert_int_equal(seen.programs.calls, 20);
	observed_finish(&seen);
	assert_int_equal(seen.programs.ns, 0);

	/* The scheduler was unloaded in the phase. */
	loaded = nothing_loaded;
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(seen.programs.ns, 0);
	assert_int_equal(seen.programs.calls, 0);
	observed_finish(&seen);
}

static void run_times_are_read_only_on_request(void **state)
{
	static const struct program after[] = { { 1, SCHEDULER, 100, 10 }, {} };
	struct observed seen;

	readings = 0;
	loaded = nothing_loaded;
	observer_begin(*state);
	loaded = after;
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(seen.programs.ns, 0);
	assert_int_equal(seen.programs.calls, 0);
	assert_int_equal(readings, 0);
	observed_finish(&seen);
	observer_count_programs(*state);
	observer_begin(*state);
	assert_int_equal(readings, 1);
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(readings, 2);
	observed_finish(&seen);
}

/* ---- links ---- */

#define HIGH_FD 100

/* Programs whose descriptors are high, so that the next one is the lowest that is free. */
static int open_high(const char *path)
{
	int fd = memfd_create(strrchr(path, '/') + 1, MFD_CLOEXEC), high;

	assert_true(fd >= 0);
	high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_FD);
	close(fd);
	return high;
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* A process without standard input gets it for a link. */
static void descriptor_0_is_a_link_like_others(void **state)
{
	struct observe_links links = {};
	int kept = fcntl(0, F_DUPFD_CLOEXEC, HIGH_FD);

	(void)state;
	close(0);
	open_program = open_high;
	assert_int_equal(observe_attach(&links, "/pins"), 0);
	assert_int_equal(links.fds[0], 1);
	assert_true(is_open(0));
	observe_detach(&links);
	assert_false(is_open(0));
	assert_int_equal(links.fds[0], 0);
	open_program = NULL;
	if (kept >= 0) {
		assert_int_equal(dup2(kept, 0), 0);
		close(kept);
	}
}

static void descriptor_0_is_a_program_like_others(void **state)
{
	struct observe_links links = {};
	int kept = fcntl(0, F_DUPFD_CLOEXEC, HIGH_FD);

	(void)state;
	close(0);
	attached = 0;
	assert_int_equal(observe_attach(&links, "/pins"), 0);
	assert_int_equal(attached, OBSERVE_PROGRAMS);
	assert_false(is_open(0));
	observe_detach(&links);
	if (kept >= 0) {
		assert_int_equal(dup2(kept, 0), 0);
		close(kept);
	}
}

/* The switch program is first and the one for wakeups last, see links.c. */
static void a_failed_link_detaches_those_before_it(void **state)
{
	struct observe_links links = {};
	int before = memfd_create("next", MFD_CLOEXEC), after;

	(void)state;
	close(before);
	for (fail_link_at = 1; fail_link_at <= OBSERVE_PROGRAMS; fail_link_at++) {
		attached = 0;
		assert_int_equal(observe_attach(&links, "/pins"), -EBUSY);
		assert_int_equal(attached, fail_link_at);
		for (int i = 0; i < OBSERVE_PROGRAMS; i++)
			assert_int_equal(links.fds[i], 0);
		after = memfd_create("next",
				     MFD_CLOEXEC); /* the same number again: nothing is left open */
		assert_int_equal(after, before);
		close(after);
	}
	fail_link_at = 0;
}

static void programs_are_attached_in_their_order(void **state)
{
	static const char *const names[] = { "observe_switch", "observe_migrate",
					     "observe_wakeup_new", "observe_wakeup" };
	struct observe_links links = {};

	(void)state;
	for (int i = 0; i < OBSERVE_PROGRAMS; i++) {
		lacking = names[i];
		attached = 0;
		assert_int_equal(observe_attach(&links, "/pins"), -ENOENT);
		assert_int_equal(attached, i);
	}
}

static void detaching_nothing_closes_nothing(void **state)
{
	struct {
		struct observe_links links;
		int next; /* of somebody else */
	} all = { .next = memfd_create("next", MFD_CLOEXEC) + 1 };

	(void)state;
	observe_detach(&all.links);
	assert_true(is_open(all.next - 1));
	close(all.next - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_times_are_summed_over_programs_of_schedulers),
		OBSERVED(run_times_are_those_of_the_phase),
		OBSERVED(run_times_are_read_only_on_request),
		OBSERVED(descriptor_0_is_a_link_like_others),
		OBSERVED(descriptor_0_is_a_program_like_others),
		OBSERVED(a_failed_link_detaches_those_before_it),
		OBSERVED(programs_are_attached_in_their_order),
		cmocka_unit_test(detaching_nothing_closes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
