// SPDX-License-Identifier: GPL-2.0-only
/* What a comparison warns about and tells beside its figures; and groups that are merged. */
#include "unit.h"

#include "base/arena.h"
#include "compare_fixture.h"

#define ONE THREAD("1", "1", "a", ",\"minflt\":1")

static bool has_note(const struct fixture *f, const char *text, enum note_level level)
{
	_notes_ struct notes notes = {};

	assert_int_equal(notes_collect(&notes, &f->report), 0);
	for (size_t i = 0; i < notes.count; i++)
		if (str_eq(notes.items[i].text, text) && notes.items[i].level == level)
			return true;
	return false;
}

/* Whether there is any that begins so. */
static bool has_any(const struct fixture *f, const char *begin)
{
	_notes_ struct notes notes = {};

	assert_int_equal(notes_collect(&notes, &f->report), 0);
	for (size_t i = 0; i < notes.count; i++)
		if (str_starts(notes.items[i].text, begin))
			return true;
	return false;
}

/* Two moments that differ in what stands before the threads; NULL = nothing begins like this. */
struct pair {
	const char *baseline, *candidate, *begin, *rest;
};

static void expect_pairs(const struct pair *rows, size_t count, enum note_level level)
{
	for (size_t i = 0; i < count; i++) {
		_free_ char *note = str_fmt("%s%s", rows[i].begin, rows[i].rest ?: "");
		_fixture_ struct fixture f;

		fixture_init(&f, false);
		fixture_load(&f, BASELINE, rows[i].baseline, ONE);
		fixture_load(&f, CANDIDATE, rows[i].candidate, ONE);
		fixture_build(&f);
		if (rows[i].rest ? !has_note(&f, note, level) : has_any(&f, note))
			fail_msg("%s: '%s'", rows[i].rest ? "missing" : "not expected", note);
	}
}

#define HOST(members) ",\"host\":{" members "}"
#define LIFETIMES ": cumulative counters restart at boot, so deltas compare lifetimes, not a window"
#define SPREAD ": the same load spreads differently, so deltas are not only the workload's"
#define TICKS ": clock ticks have different lengths and cannot be subtracted"

static void other_moments_and_machines_are_warned_about(void **state)
{
	static const struct pair rows[] = {
		{ ",\"captured_at_unix_ns\":3500000000", ",\"captured_at_unix_ns\":1000000000",
		  "snapshots look swapped",
		  ": the candidate was captured 2.5 s before the baseline" },
		{ ",\"captured_at_unix_ns\":5", ",\"captured_at_unix_ns\":5", "snapshots look" },
		{ ",\"captured_at_unix_ns\":5", "", "snapshots look" },
		{ "", ",\"captured_at_unix_ns\":5", "snapshots look" },
		{ HOST("\"kernel_release\":\"6.1\""), HOST("\"kernel_release\":\"6.2\""),
		  "different kernel release", " (6.1, 6.2)" LIFETIMES },
		{ HOST("\"kernel_release\":\"6.1\""), HOST("\"kernel_release\":\"6.1\""),
		  "different kernel" },
		{ HOST("\"kernel_release\":\"6.1\""), HOST(""), "different kernel" },
		{ HOST("\"kernel_release\":\"6.1\""), "", "different kernel" },
		{ "", HOST("\"kernel_release\":\"6.1\""), "different kernel" },
		{ HOST("\"arch\":\"a\""), HOST("\"arch\":\"b\""), "different architecture",
		  " (a, b)" LIFETIMES },
		{ ",\"boot_id\":\"x\"", ",\"boot_id\":\"y\"", "different boot",
		  " (x, y)" LIFETIMES },
		{ ",\"boot_id\":\"x\"", ",\"boot_id\":\"x\"", "different boot" },
		{ ",\"user_hz\":100", ",\"user_hz\":250", "different USER_HZ",
		  " (100, 250)" TICKS },
		{ ",\"user_hz\":100", "", "different USER_HZ" },
		{ "", ",\"user_hz\":100", "different USER_HZ" },
		{ HOST("\"online_cpus\":4"), HOST("\"online_cpus\":8"), "different CPU count",
		  " (4, 8)" SPREAD },
		{ HOST("\"online_cpus\":4"), HOST("\"online_cpus\":4"), "different CPU count" },
		{ HOST("\"online_cpus\":4"), HOST(""), "different CPU count" },
		{ HOST(""), HOST("\"online_cpus\":4"), "different CPU count" },
	};

	(void)state;
	expect_pairs(rows, ARRAY_SIZE(rows), NOTE_WARNING);
}

#define SCHED_EXT(members) ",\"sched_ext\":{" members "}"

static void hosts_that_schedule_otherwise_are_told(void **state)
{
	static const struct pair rows[] = {
		{ HOST("\"kernel_release\":\"6.1\""), HOST("\"kernel_release\":\"6.2\""),
		  "host: ", "kernel 6.1 → 6.2" },
		{ HOST("\"kernel_release\":\"6.1\""), HOST(""), "host: ", "kernel 6.1 → -" },
		{ HOST(""), HOST("\"kernel_release\":\"6.1\""), "host: ", "kernel - → 6.1" },
		{ HOST("\"kernel_release\":\"6.1\""), "", "host: " },
		{ HOST(""), HOST(""), "host: " },
		{ "", SCHED_EXT("\"state\":\"enabled\",\"ops\":\"simple\""),
		  "host: ", "scheduler no sched_ext → simple" },
		{ SCHED_EXT("\"state\":\"enabled\",\"ops\":\"simple\""),
		  SCHED_EXT("\"state\":\"disabled\""), "host: ", "scheduler simple → disabled" },
		{ SCHED_EXT("\"state\":\"enabled\",\"ops\":\"\""), SCHED_EXT("\"ops\":\"simple\""),
		  "host: ", "scheduler enabled → no sched_ext" },
		{ SCHED_EXT("\"state\":\"enabled\""), SCHED_EXT("\"state\":\"enabled\""),
		  "host: " },
		{ HOST("\"sched_tunables\":{\"a\":\"1\",\"b\":\"2\",\"c\":\"3\"}"),
		  HOST("\"sched_tunables\":{\"a\":\"1\",\"b\":\"5\",\"d\":\"4\"}"),
		  "host: ", "b 2 → 5; c 3 → -; d - → 4" },
		{ HOST("\"sched_tunables\":{\"a\":\"1\"}"), HOST(""), "host: " },
		{ HOST(""), HOST("\"sched_tunables\":{\"a\":\"1\"}"), "host: " },
	};

	(void)state;
	expect_pairs(rows, ARRAY_SIZE(rows), NOTE_PLAIN);
}

static void threads_that_ended_meanwhile_are_told(void **state)
{
	static const struct pair rows[] = {
		{ ",\"parse_summary\":{\"vanished_threads\":1}", "", "1 thread",
		  " exited while the baseline was captured, and is not in it" },
		{ "", ",\"parse_summary\":{\"vanished_threads\":2}", "2 threads",
		  " exited while the candidate was captured, and are not in it" },
		{ "", "", "0 thread" },
	};

	(void)state;
	expect_pairs(rows, ARRAY_SIZE(rows), NOTE_PLAIN);
}

static void sides_without_threads_are_told(void **state)
{
	_fixture_ struct fixture empty, filtered;

	(void)state;
	load(&empty, "", ONE);
	fixture_build(&empty);
	assert_true(has_note(&empty, "no threads in a.zst", NOTE_PLAIN));
	assert_false(has_any(&empty, "no threads in b.zst"));
	assert_false(has_any(&empty, "no thread in"));
	load(&filtered, ONE, THREAD("2", "1", "b", ""));
	assert_int_equal(options_add_comm(&filtered.options, "b"), 0);
	fixture_build(&filtered);
	assert_true(has_note(&filtered, "no thread in a.zst passes the filter", NOTE_PLAIN));
	assert_false(has_any(&filtered, "no thread in b.zst"));
	assert_false(has_any(&filtered, "no threads in"));
}

static void a_file_that_is_compared_with_itself_is_warned_about(void **state)
{
	char *dir = unit_temp_create();
	_free_ char *one = str_fmt("%s/one", dir), *same = str_fmt("%s/./one", dir),
		    *two = str_fmt("%s/two", dir);
	_free_ char *note =
		str_fmt("baseline and candidate are the same file (%s): every delta is 0", same);
	_fixture_ struct fixture f;

	(void)state;
	unit_write(dir, "one", "x");
	unit_write(dir, "two", "x");
	load(&f, ONE, ONE);
	fixture_build(&f);
	assert_false(has_any(&f, "baseline and candidate are"));
	f.report.paths[BASELINE] = one;
	f.report.paths[CANDIDATE] = two;
	assert_false(has_any(&f, "baseline and candidate are"));
	f.report.paths[CANDIDATE] = same;
	assert_true(has_note(&f, note, NOTE_WARNING));
	f.report.paths[BASELINE] = f.report.paths[CANDIDATE] = dir; /* no file at all */
	assert_false(has_any(&f, "baseline and candidate are"));
	unit_temp_remove(dir);
}

static void sections_of_another_grouping_are_warned_about(void **state)
{
	static const char note[] =
		"section 'cgroup-stats' requires --group-by cgroup; omitted under --group-by "
		"comm-exact";
	_fixture_ struct fixture f;

	(void)state;
	load(&f, ONE, ONE);
	memset(f.options.sections, 0, sizeof(f.options.sections));
	f.options.sections[SECTION_PRIMARY] = f.options.sections[SECTION_CGROUP_STATS] = true;
	f.options.are_sections_named = true;
	fixture_build(&f);
	assert_true(has_note(&f, note, NOTE_WARNING));
	assert_false(has_any(&f, "section 'primary'"));
	assert_false(has_any(&f, "section 'io-stat'"));
	f.options.are_sections_named = false;
	assert_false(has_any(&f, "section '"));
}

/* What one side has not measured at all has no delta. */
static void families_of_one_side_are_warned_about(void **state)
{
	static const char with[] = THREAD("1", "1", "a", ",\"rchar\":1") "," //
		THREAD("2", "1", "a", ",\"rchar\":1");
	static const char without[] = THREAD("1", "1", "a", "") "," THREAD("2", "1", "a", "");
	static const char half[] = THREAD("1", "1", "a", ",\"rchar\":1") "," //
		THREAD("2", "1", "a", "");
	_fixture_ struct fixture gone, new, less, same;

	(void)state;
	load(&gone, with, without);
	fixture_build(&gone);
	assert_true(has_any(&gone, "io was measured in the baseline only, so its cells have no "
				   "delta: the candidate has 0/2 threads"));
	load(&new, without, half);
	fixture_build(&new);
	assert_true(has_any(&new, "io was measured in the candidate only, so its cells have no "
				  "delta: the baseline has 0/2 threads"));
	load(&less, with, half);
	fixture_build(&less);
	assert_false(has_any(&less, "io was measured"));
	assert_true(has_any(&less, "io: 2/2 → 1/2 threads measured"));
	load(&same, half, half);
	fixture_build(&same);
	assert_true(has_any(&same, "io: 1/2 threads measured"));
	assert_false(has_any(&same, "io: 1/2 →"));
}

/* ---- groups that are merged ---- */

static struct thread_record make_thread(uint32_t tid, const char *state, const char *cpus,
					int64_t nice, uint64_t wait_max)
{
	struct thread_record t = { .tid = tid, .tgid = tid };
	static const enum metric_id ids[] = { M_state, M_cpu_affinity, M_nice, M_wait_max,
					      M_rchar };

	t.values[M_state].s = state;
	t.values[M_cpu_affinity].s = cpus;
	t.values[M_nice].i = nice;
	t.values[M_wait_max].u = wait_max;
	t.values[M_rchar].u = 10;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		thread_set_measured(&t, ids[i]);
	return t;
}

static void add(struct aggregate *a, const struct thread_record *t, struct arena *arena)
{
	struct metric_set set = thread_metrics(t);

	assert_int_equal(aggregate_add_thread(a, t, &set, arena), 0);
}

static void expect_merged(const struct aggregate *a, enum metric_id id, const char *text)
{
	struct value v = aggregate_value(a, id);
	_str_ struct str out = {};

	value_add_text(&out, &v, measure_ladder(id));
	assert_string_equal(str_get(&out), text);
}

/* As if all threads had been of one group from the beginning. */
static void merged_groups_are_one_by_every_rule(void **state)
{
	const struct thread_record threads[] = {
		make_thread(1, "R", "0-3", -5, 100),  make_thread(2, "S", "0-3", 3, 700),
		make_thread(3, "S", "0-3", 19, 300),  make_thread(4, "S", "0-7", 0, 900),
		make_thread(5, "R", "0-3", -20, 200),
	};

	(void)state;
	for (size_t split = 0; split <= ARRAY_SIZE(threads); split++) {
		struct aggregate whole = {}, first = {}, second = {};
		struct arena arena = {};

		for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
			add(&whole, &threads[i], &arena);
			add(i < split ? &first : &second, &threads[i], &arena);
		}
		assert_int_equal(aggregate_merge(&first, &second, &arena), 0);
		expect_merged(&first, M_state, "S (3/5)");
		expect_merged(&first, M_cpu_affinity, "4-8 cpus (mixed)");
		expect_merged(&first, M_nice, "-20..19");
		expect_merged(&first, M_wait_max, "900ns");
		expect_merged(&first, M_rchar, "50B");
		assert_int_equal(first.threads, ARRAY_SIZE(threads));
		for (unsigned int id = 0; id < METRIC_COUNT; id++) {
			struct value v = aggregate_value(&whole, id);
			_str_ struct str expected = {};

			value_add_text(&expected, &v, measure_ladder(id));
			expect_merged(&first, (enum metric_id)id, str_get(&expected));
			assert_int_equal(first.measured[id], whole.measured[id]);
		}
		arena_finish(&arena);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_moments_and_machines_are_warned_about),
		cmocka_unit_test(hosts_that_schedule_otherwise_are_told),
		cmocka_unit_test(threads_that_ended_meanwhile_are_told),
		cmocka_unit_test(sides_without_threads_are_told),
		cmocka_unit_test(a_file_that_is_compared_with_itself_is_warned_about),
		cmocka_unit_test(sections_of_another_grouping_are_warned_about),
		cmocka_unit_test(families_of_one_side_are_warned_about),
		cmocka_unit_test(merged_groups_are_one_by_every_rule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
