// SPDX-License-Identifier: GPL-2.0-only
/* Which threads the probe asks for, and what it makes of the answers: jemalloc's side is played. */
#include "unit.h"

#include <linux/capability.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "ctprof/capture_parts.h"
#include "ctprof/jemalloc_parts.h"

#define MAX_THREADS 16
#define FIRST (1 << 23) /* no number of a process of ours: more than a kernel gives out */

struct jemalloc_target {
	pid_t tgid;
};

/* What is played: answers by the number of the process or of the thread, NULL = there it is. */
static struct played {
	struct answer {
		pid_t number;
		const char *tag;
	} processes[MAX_THREADS], threads[MAX_THREADS];
	struct jemalloc_stops stops;
	bool lacks_ptrace;
	int create_error;
	/* What was asked for. */
	struct jemalloc_limits limits;
	atomic_uint resolved[MAX_THREADS], read[MAX_THREADS];
	unsigned int destroyed, told, summed_up;
	struct jemalloc_target targets[MAX_THREADS];
} played;

int __wrap_jemalloc_probe_create(struct jemalloc_probe **out, const struct jemalloc_limits *limits);
void __wrap_jemalloc_probe_destroy(struct jemalloc_probe *p);
const char *__wrap_jemalloc_resolve(struct jemalloc_probe *p, pid_t tgid,
				    struct jemalloc_target **target);
const char *__wrap_jemalloc_read(struct jemalloc_probe *p, struct jemalloc_target *target,
				 pid_t tid, uint64_t *allocated, uint64_t *deallocated);
void __wrap_jemalloc_stops(const struct jemalloc_probe *p, struct jemalloc_stops *out);
bool __wrap_lacks_capability(int capability);
void __wrap_log_line(enum log_level level, const char *room, const char *fmt, ...);

int __wrap_jemalloc_probe_create(struct jemalloc_probe **out, const struct jemalloc_limits *limits)
{
	*out = played.create_error ? NULL : (void *)&played;
	played.limits = *limits;
	return played.create_error;
}

void __wrap_jemalloc_probe_destroy(struct jemalloc_probe *p)
{
	assert_ptr_equal(p, played.create_error ? NULL : (void *)&played);
	played.destroyed++;
}

static const char *answer_for(const struct answer *answers, pid_t number)
{
	for (size_t i = 0; i < MAX_THREADS; i++)
		if (answers[i].number == number - FIRST)
			return answers[i].tag;
	return NULL;
}

const char *__wrap_jemalloc_resolve(struct jemalloc_probe *p, pid_t tgid,
				    struct jemalloc_target **target)
{
	const char *tag = answer_for(played.processes, tgid);

	(void)p;
	played.resolved[tgid % MAX_THREADS]++;
	played.targets[tgid % MAX_THREADS].tgid = tgid;
	*target = tag ? NULL : &played.targets[tgid % MAX_THREADS];
	return tag;
}

const char *__wrap_jemalloc_read(struct jemalloc_probe *p, struct jemalloc_target *target,
				 pid_t tid, uint64_t *allocated, uint64_t *deallocated)
{
	(void)p;
	played.read[tid % MAX_THREADS]++;
	*allocated = (uint64_t)(target->tgid - FIRST) * 1000 + (uint64_t)(tid - FIRST);
	*deallocated = (uint64_t)(tid - FIRST);
	return answer_for(played.threads, tid);
}

void __wrap_jemalloc_stops(const struct jemalloc_probe *p, struct jemalloc_stops *out)
{
	(void)p;
	*out = played.stops;
}

bool __wrap_lacks_capability(int capability)
{
	return capability == CAP_SYS_PTRACE && played.lacks_ptrace;
}

void __wrap_log_line(enum log_level level, const char *room, const char *fmt, ...)
{
	(void)room;
	(void)fmt;
	played.told += level == LOG_DEBUG;
	played.summed_up += level == LOG_INFO;
}

static struct thread_record *add_thread(struct snapshot *s, uint32_t tgid, uint32_t tid,
					const char *state)
{
	struct thread_record *t = &s->threads[s->thread_count++];

	if (s->thread_count > MAX_THREADS)
		fail();
	*t = (struct thread_record){ .tgid = FIRST + tgid, .tid = FIRST + tid, .comm = "x" };
	if (state) {
		t->values[M_state].s = state;
		thread_set_measured(t, M_state);
	}
	return t;
}

static struct snapshot begin(void)
{
	played = (struct played){};
	return (struct snapshot){ .threads = malloc(MAX_THREADS * sizeof(struct thread_record)) };
}

static void probe(struct snapshot *s, unsigned int workers)
{
	struct jemalloc_limits limits = { 5, 7 };

	assert_int_equal(probe_threads(s, &limits, workers), 0);
	assert_int_equal(played.limits.one_stop_ns, 5);
	assert_int_equal(played.limits.all_stops_ns, 7);
	assert_int_equal(played.destroyed, 1);
	assert_true(s->probe.is_known);
}

static void expect_unread(const struct snapshot *s, size_t i, const char *tag)
{
	const struct thread_record *t = &s->threads[i];

	assert_string_equal(t->unread_jemalloc ? t->unread_jemalloc : "read", tag);
	assert_int_equal(t->jemalloc_measured, str_eq(tag, "read"));
	assert_int_equal(thread_has(t, M_allocated_bytes), str_eq(tag, "read"));
	assert_int_equal(thread_has(t, M_deallocated_bytes), str_eq(tag, "read"));
}

/* However many workers there are. */
static void each_process_is_looked_at_once_and_each_thread_read(void **state)
{
	(void)state;
	for (unsigned int workers = 1; workers <= 5; workers++) {
		_snapshot_ struct snapshot s = begin();

		add_thread(&s, 1, 1, "S");
		add_thread(&s, 1, 2, NULL);
		add_thread(&s, 1, 3, "R");
		add_thread(&s, 4, 4, "S");
		add_thread(&s, 5, 5, "D");
		add_thread(&s, 5, 6, "D");
		probe(&s, workers);
		for (size_t i = 0; i < s.thread_count; i++) {
			const struct thread_record *t = &s.threads[i];

			uint32_t tgid = t->tgid - FIRST, tid = t->tid - FIRST;

			assert_int_equal(played.resolved[tgid], 1);
			assert_int_equal(played.read[tid], 1);
			expect_unread(&s, i, "read");
			assert_int_equal(t->values[M_allocated_bytes].u, tgid * 1000 + tid);
			assert_int_equal(t->values[M_deallocated_bytes].u, tid);
		}
		assert_int_equal(s.probe.tgids_walked, 3);
		assert_int_equal(s.probe.jemalloc_detected, 3);
		assert_int_equal(s.probe.probed_ok, 6);
		assert_int_equal(s.probe.failed, 0);
		assert_int_equal(s.probe.not_inspected, 0);
		assert_null(s.probe.dominant);
		assert_false(s.probe.privilege_dominant);
		assert_int_equal(played.told, 0);
	}
}

static void some_are_never_looked_at(void **state)
{
	_snapshot_ struct snapshot s = begin();

	(void)state;
	add_thread(&s, 1, 1, "S")->is_kernel_thread = true;
	add_thread(&s, 2, 2, "Z");
	add_thread(&s, 3, 3, "X");
	add_thread(&s, 3, 4, "S");
	add_thread(&s, 5, 5, "R")->tgid = (uint32_t)getpid();
	probe(&s, 2);
	for (size_t i = 0; i < MAX_THREADS; i++)
		assert_int_equal(played.resolved[i] + played.read[i], 0);
	expect_unread(&s, 0, TAG_KERNEL_THREAD);
	expect_unread(&s, 1, TAG_DEAD);
	expect_unread(&s, 2, TAG_DEAD);
	expect_unread(&s, 3, TAG_DEAD);
	expect_unread(&s, 4, TAG_SELF);
	assert_int_equal(s.probe.tgids_walked, 4);
	assert_int_equal(s.probe.jemalloc_detected, 0);
	assert_int_equal(s.probe.not_inspected, 0);
	assert_int_equal(s.probe.failed, 0);
}

static void a_process_fails_once_for_all_its_threads(void **state)
{
	_snapshot_ struct snapshot s = begin();

	(void)state;
	played.processes[0] = (struct answer){ 1, TAG_MAPS_READ };
	played.processes[1] = (struct answer){ 3, TAG_NOT_FOUND };
	played.processes[2] = (struct answer){ 4, TAG_READLINK };
	add_thread(&s, 1, 1, "S");
	add_thread(&s, 1, 2, "S");
	add_thread(&s, 3, 3, "S");
	add_thread(&s, 4, 4, "S");
	add_thread(&s, 5, 5, "S");
	probe(&s, 1);
	expect_unread(&s, 0, TAG_MAPS_READ);
	expect_unread(&s, 1, TAG_MAPS_READ);
	expect_unread(&s, 2, TAG_NOT_FOUND);
	expect_unread(&s, 3, TAG_READLINK);
	expect_unread(&s, 4, "read");
	assert_int_equal(s.probe.jemalloc_detected, 1);
	assert_int_equal(s.probe.probed_ok, 1);
	assert_int_equal(s.probe.not_inspected, 1);
	assert_int_equal(s.probe.failed, 1);
	assert_string_equal(s.probe.dominant, TAG_MAPS_READ);
	assert_int_equal(played.told, 0);
}

/* Of a process only the first is told: the others say the same. */
static void threads_that_cannot_be_read_are_counted(void **state)
{
	_snapshot_ struct snapshot s = begin();

	(void)state;
	played.threads[0] = (struct answer){ 1, TAG_TLS };
	played.threads[1] = (struct answer){ 2, TAG_WAITPID };
	played.threads[2] = (struct answer){ 3, TAG_TLS };
	played.threads[3] = (struct answer){ 7, TAG_TLS };
	add_thread(&s, 1, 1, "S");
	add_thread(&s, 1, 2, "S");
	add_thread(&s, 1, 3, "S");
	add_thread(&s, 1, 4, "Z");
	add_thread(&s, 1, 5, "S");
	add_thread(&s, 6, 6, "S");
	add_thread(&s, 6, 7, "S");
	probe(&s, 1);
	expect_unread(&s, 0, TAG_TLS);
	expect_unread(&s, 1, TAG_WAITPID);
	expect_unread(&s, 2, TAG_TLS);
	expect_unread(&s, 3, TAG_DEAD);
	expect_unread(&s, 4, "read");
	expect_unread(&s, 5, "read");
	expect_unread(&s, 6, TAG_TLS);
	assert_int_equal(played.read[4], 0);
	assert_int_equal(s.probe.jemalloc_detected, 2);
	assert_int_equal(s.probe.probed_ok, 2);
	assert_int_equal(s.probe.failed, 4);
	assert_string_equal(s.probe.dominant, TAG_TLS);
	assert_int_equal(played.told, 2);
}

/* The most frequent one; of two, the first by name. */
static void one_failure_dominates(void **state)
{
	static const struct {
		const char *tags[4];
		const char *dominant;
		bool is_privilege;
	} rows[] = {
		{ { TAG_WAITPID, TAG_TLS }, TAG_TLS, false },
		{ { TAG_TLS, TAG_WAITPID }, TAG_TLS, false },
		{ { TAG_TLS, TAG_WAITPID, TAG_WAITPID }, TAG_WAITPID, false },
		{ { TAG_WAITPID, TAG_WAITPID, TAG_TLS }, TAG_WAITPID, false },
		{ { TAG_SEIZE, TAG_TLS }, TAG_SEIZE, true },
		{ { TAG_SEIZE, TAG_TLS, TAG_TLS }, TAG_TLS, false },
		{ { TAG_SEIZE, TAG_TLS, TAG_TLS, TAG_INTERRUPT }, TAG_TLS, true },
		{ { TAG_SEIZE, TAG_TLS, TAG_WAITPID, TAG_REGSET }, TAG_REGSET, false },
		{ { TAG_INTERRUPT }, TAG_INTERRUPT, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_snapshot_ struct snapshot s = begin();

		for (uint32_t k = 0; k < 4 && rows[i].tags[k]; k++) {
			played.threads[k] = (struct answer){ (pid_t)k + 1, rows[i].tags[k] };
			add_thread(&s, 1, k + 1, "S");
		}
		probe(&s, 1);
		assert_int_equal(s.probe.failed, s.thread_count);
		assert_string_equal(s.probe.dominant, rows[i].dominant);
		assert_int_equal(s.probe.privilege_dominant, rows[i].is_privilege);
	}
}

static void stops_are_told_when_there_were_some(void **state)
{
	(void)state;
	for (uint64_t stops = 0; stops <= 1; stops++) {
		_snapshot_ struct snapshot s = begin();

		played.stops = (struct jemalloc_stops){ stops, 20, 10, 5 };
		played.lacks_ptrace = stops;
		add_thread(&s, 1, 1, "S");
		probe(&s, 1);
		assert_int_equal(s.probe.has_ptrace, !stops);
		assert_int_equal(s.probe.stopped_ns.is_known, stops);
		assert_int_equal(s.probe.longest_stop_ns.is_known, stops);
		assert_int_equal(played.summed_up, stops);
		if (!stops)
			continue;
		assert_int_equal(s.probe.stopped_ns.value, 20);
		assert_int_equal(s.probe.longest_stop_ns.value, 10);
	}
}

static void without_a_probe_nothing_is_asked(void **state)
{
	const struct jemalloc_limits limits = {};
	_snapshot_ struct snapshot s = begin();

	(void)state;
	played.create_error = -ENOMEM;
	add_thread(&s, 1, 1, "S");
	assert_int_equal(probe_threads(&s, &limits, 1), -ENOMEM);
	assert_int_equal(played.resolved[1], 0);
	assert_false(s.probe.is_known);
}

static void some_tags_are_no_failures(void **state)
{
	static const char *const harmless[] = { TAG_NOT_FOUND, TAG_READLINK, TAG_KERNEL_THREAD,
						TAG_SELF, TAG_DEAD };
	static const char *const failures[] = { TAG_PID_MISSING, TAG_MAPS_READ, TAG_IN_DSO,
						TAG_SEIZE,	 TAG_BUDGET,	TAG_TLS };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(harmless); i++)
		assert_false(jemalloc_tag_is_failure(harmless[i]));
	for (size_t i = 0; i < ARRAY_SIZE(failures); i++)
		assert_true(jemalloc_tag_is_failure(failures[i]));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_process_is_looked_at_once_and_each_thread_read),
		cmocka_unit_test(some_are_never_looked_at),
		cmocka_unit_test(a_process_fails_once_for_all_its_threads),
		cmocka_unit_test(threads_that_cannot_be_read_are_counted),
		cmocka_unit_test(one_failure_dominates),
		cmocka_unit_test(stops_are_told_when_there_were_some),
		cmocka_unit_test(without_a_probe_nothing_is_asked),
		cmocka_unit_test(some_tags_are_no_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
