// SPDX-License-Identifier: GPL-2.0-only
/* Sidecars: their names, what is written comes back, and what is refused. */
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/hash.h"
#include "check/result.h"
#include "record/sidecar.h"
#include "unit.h"

/* From the paper: SipHash-2-4 of 00 01 .. 0e under the key 00 .. 0f. */
static void test_siphash_of_the_paper(void **state)
{
	const struct siphash_key key = { 0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL };
	uint8_t bytes[15];

	(void)state;
	for (uint8_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i;
	assert_int_equal(siphash(bytes, sizeof(bytes), key, 2, 4), 0xa129ca6149be45e5ULL);
	/* The first two of the reference implementation's vectors. */
	assert_int_equal(siphash(bytes, 0, key, 2, 4), 0x726fdb47dd0e0e31ULL);
	assert_int_equal(siphash(bytes, 1, key, 2, 4), 0x74f839c593dc67fdULL);
}

/* What another implementation of 1-3 gives with a key of zeros: CPython's hash of bytes. */
static void test_siphash_1_3(void **state)
{
	static const struct {
		const char *text;
		uint64_t hash;
	} cases[] = {
		{ "a", 0x407448d2b89b1813ULL },
		{ "abcdefg", 0x6db12aae9070f506ULL },
		{ "abcdefgh", 0x3f7b849c0b8e35eaULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(siphash(cases[i].text, strlen(cases[i].text),
					 (struct siphash_key){}, 1, 3),
				 cases[i].hash);
}

static struct sidecar plain_sidecar(void)
{
	struct sidecar s;

	sidecar_init(&s);
	s.test_name = "two_cgroups";
	s.topology = "1n1l2c1t";
	s.scheduler = "eevdf";
	s.work_type = "CpuSpin";
	s.outcome = KTSTR_PASSED;
	return s;
}

static void expect_name(const struct sidecar *s, const char *expected)
{
	_str_ struct str name = {};

	sidecar_file_name(s, &name);
	assert_string_equal(str_get(&name), expected);
}

static void expect_other_name(const struct sidecar *s, const char *other)
{
	_str_ struct str name = {};

	sidecar_file_name(s, &name);
	assert_string_not_equal(str_get(&name), other);
}

static void test_file_name(void **state)
{
	static const char *const one[] = { "a", "b" }, *const other[] = { "b", "a" };
	static const char plain[] = "two_cgroups-a9fea4e10015192a.ktstr.json";
	struct sidecar s = plain_sidecar();
	_str_ struct str first = {}, second = {};

	(void)state;
	expect_name(&s, plain);
	s.outcome = KTSTR_FAILED; /* what came of it has no part in the name */
	s.kernel_version = "7.0";
	s.work_type = "none";
	expect_name(&s, plain);
	s.payload = "fio";
	expect_other_name(&s, plain);
	s.payload = NULL;
	s.preset = "tiny-1llc"; /* the same machine, and a result of its own */
	expect_other_name(&s, plain);
	s.preset = NULL;
	s.binary = "tests"; /* another program's test of that name */
	expect_other_name(&s, plain);
	s.binary = NULL;
	s.scheduler_path = "/one/scx"; /* where it lay does not matter, what it was does */
	expect_name(&s, plain);
	s.scheduler_hash = "aa";
	expect_other_name(&s, plain);
	s.scheduler_hash = NULL;
	s.active_flags = (struct sidecar_strings){ one, 1 };
	expect_other_name(&s, plain);
	s.active_flags = (struct sidecar_strings){};
	/* The order of settings does not matter. */
	s.sysctls = (struct sidecar_strings){ one, 2 };
	sidecar_file_name(&s, &first);
	s.sysctls = (struct sidecar_strings){ other, 2 };
	sidecar_file_name(&s, &second);
	assert_string_equal(first.s, second.s);
	s.kargs = s.sysctls;
	s.sysctls = (struct sidecar_strings){};
	expect_other_name(&s, first.s);
	s.kargs = (struct sidecar_strings){};
	s.test_name = "../../etc";
	expect_name(&s, ".._.._etc-a9fea4e10015192a.ktstr.json");
}

static void fill_everything(struct sidecar *s)
{
	static const char *const flags[] = { "llc", "steal" }, *const options[] = { "-smp", "2" };
	static const struct sidecar_pair exits[] = { { "exits_per_vcpu", 12.5 } };
	static const struct sidecar_pair readings[] = { { "max_imbalance_ratio", 2 } };
	static const struct sidecar_callback callbacks[] = { { "ktstr_enqueue", 373, 12682 } };
	static const double points[] = { 1, 2.5, 0 };
	static const struct sidecar_plot plots[] = { { "runnable", 40, 340, { points, 3 } } };
	static const struct sidecar_program programs[] = { { "ktstr_enqueue", 500 } };
	static struct host_context host = { .cpu_model = (char *)"A CPU",
					    .online_cpus = { true, 2 } };

	s->name = "ktstr/two_cgroups";
	s->declared_at = "tests.c:12";
	s->kernel_version = "7.0.13";
	s->active_flags = (struct sidecar_strings){ flags, 2 };
	s->qemu_options = (struct sidecar_strings){ options, 2 };
	s->accel = "sim";
	s->has_seed = true;
	s->seed = UINT64_MAX;
	s->digest = "abc";
	s->failure = "it broke\nbadly";
	s->scheduler_exit = (struct sidecar_exit){ "stalled", { true, 1026 }, "a stall", NULL };
	s->cpu_budget = (struct sidecar_number){ true, 0 };
	s->kvm_stats = (struct sidecar_pairs){ true, exits, 1 };
	s->monitor = (struct sidecar_monitor){ .is_known = true,
					       .summary = "monitor OK",
					       .numbers = { true, readings, 1 },
					       .callbacks = callbacks,
					       .callback_count = 1,
					       .plots = plots,
					       .plot_count = 1 };
	s->programs = programs;
	s->program_count = 1;
	s->host = &host;
}

static void fill_result(struct ktstr_result *r)
{
	struct cgroup_stats *c = calloc(1, sizeof(*c));
	struct phase_stats phase = { .name = strdup("BASELINE"), .end_ms = 500 };
	struct stimulus e = { .elapsed_ms = 500, .step = 1, .op_count = 2 };

	result_init(r);
	result_add(r, DETAIL_STUCK, KTSTR_FAILED, "stuck 3500ms on cpu1 at +100ms");
	cgroup_stats_init(c);
	c->name = strdup("cg_0");
	c->workers = 2;
	c->cpus = 2;
	c->cpu_list.bits[0] = 0x3;
	c->work_kinds = UINT64_C(1) << KTSTR_WORK_CPU_SPIN;
	c->has_off_cpu = true;
	c->spread_pct = 5.25;
	c->gap_ms = 3500;
	c->gap_cpu = 1;
	c->migrations = 4;
	c->iterations = 15230;
	c->iterations_per_worker = 7615;
	for (uint64_t i = 1; i <= 1000; i++)
		histogram_add(&c->wakes, i * 1000);
	assert_int_equal(vec_push(&r->cgroups, *c), 0);
	c->name = strdup("cg_1");
	c->has_off_cpu = false;
	c->gap_cpu = -1;
	c->workers = 3;
	c->work_kinds |= UINT64_C(1) << KTSTR_WORK_YIELD_HEAVY;
	histogram_init(&c->wakes);
	assert_int_equal(vec_push(&r->cgroups, *c), 0);
	c->name = strdup("cg_0");
	assert_int_equal(vec_push(&phase.cgroups, *c), 0);
	assert_int_equal(vec_push(&r->phases, phase), 0);
	assert_int_equal(vec_push(&r->stimuli, e), 0);
	ktstr_result_metric(r, "iops", 0.1, KTSTR_HIGHER_BETTER, "1/s");
	free(c);
}

/* Everything that a run can leave survives the file. */
static void test_round_trip(void **state)
{
	_sidecar_ struct sidecar s = plain_sidecar(), back;
	_str_ struct str text = {}, again = {};
	struct ktstr_result r;

	(void)state;
	fill_result(&r);
	fill_everything(&s);
	assert_int_equal(sidecar_set_result(&s, &r), 0);
	result_finish(&r);
	sidecar_to_json(&s, &text);
	again.len = 0;
	{
		_free_ char *copy = strdup(text.s);

		assert_int_equal(sidecar_parse(&back, copy, text.len), 0);
	}
	sidecar_to_json(&back, &again);
	assert_string_equal(text.s, again.s);
	assert_int_equal(back.outcome, KTSTR_FAILED);
	assert_int_equal(back.seed, UINT64_MAX);
	assert_string_equal(back.declared_at, "tests.c:12");
	assert_true(back.stats.total_workers.value == 5);
	assert_string_equal(back.work_type, "CpuSpin+YieldHeavy"); /* what ran, each once */
	assert_true(back.stats.total_cpus.value == 2); /* the same two in both cgroups */
	assert_true(back.stats.worst_spread.value == 5.25);
	assert_true(back.stats.worst_gap_cpu.value == 1);
	assert_true(back.stats.cgroups[0].wakes.p50_ns >= 480000);
	assert_true(back.stats.cgroups[0].wakes.p50_ns <= 520000);
	/* A reading that was not there is not 0. */
	assert_false(back.stats.cgroups[1].spread.is_known);
	assert_false(back.stats.cgroups[1].gap_ms.is_known);
	assert_int_equal(back.stats.cgroups[1].wakes.count, 0);
	assert_false(back.stats.worst_page_locality.is_known);
	assert_true(back.cpu_budget.is_known);
	assert_null(back.payload);
	assert_string_equal(back.host->cpu_model, "A CPU");
	assert_int_equal(back.phase_count, 1);
	assert_string_equal(back.metrics[0].unit, "1/s");
	assert_int_equal(back.monitor.plot_count, 1);
	assert_true(back.monitor.plots[0].to_ms == 340);
	assert_int_equal(back.monitor.plots[0].points.count, 3);
	assert_true(back.monitor.plots[0].points.items[1] == 2.5);
}

static void test_write_and_read_a_file(void **state)
{
	char *dir = unit_temp_create();
	_sidecar_ struct sidecar s = plain_sidecar(), back;
	_str_ struct str path = {};

	(void)state;
	assert_int_equal(sidecar_write(&s, dir), 0);
	str_addf(&path, "%s/", dir);
	sidecar_file_name(&s, &path);
	assert_int_equal(sidecar_read(&back, path.s), 0);
	assert_string_equal(back.test_name, "two_cgroups");
	sidecar_finish(&back);
	assert_int_equal(sidecar_read(&back, dir), -EISDIR);
	assert_int_equal(sidecar_read(&back, "/no/such/file"), -ENOENT);
	unit_temp_remove(dir);
}

#define START "{\"schema_version\":1,\"test_name\":\"t\",\"topology\":\"1n1l1c1t\","
#define REST "\"scheduler\":\"eevdf\",\"work_type\":\"CpuSpin\",\"outcome\":\"pass\""

static void expect_refused(const char *text, const char *why)
{
	_free_ char *copy = strdup(text);
	struct sidecar s;

	assert_int_equal(sidecar_parse(&s, copy, strlen(copy)), -EINVAL);
	if (!strstr(err_text(-EINVAL), why))
		fail_msg("expected '%s' in '%s' for %s", why, err_text(-EINVAL), text);
	assert_null(s.test_name);
}

static void expect_accepted(const char *text)
{
	_free_ char *copy = strdup(text);
	_sidecar_ struct sidecar s;

	assert_int_equal(sidecar_parse(&s, copy, strlen(copy)), 0);
}

static void test_refused(void **state)
{
	(void)state;
	expect_accepted(START REST "}");
	expect_accepted(START REST ",\"from_the_future\":{\"a\":[1]}}");
	expect_accepted(START REST ",\"payload\":null,\"monitor\":null,\"stats\":null}");
	/* Records of earlier versions have no plots. */
	expect_accepted(START REST ",\"monitor\":{\"summary\":\"monitor OK\"}}");
	expect_refused("", "the file is empty");
	expect_refused("[]", "expected an object");
	expect_refused("{}", "no schema_version");
	expect_refused(START "\"scheduler\":\"x\"," REST "}", "given twice");
	expect_refused(START "\"work_type\":\"x\",\"outcome\":\"pass\"}", "no scheduler");
	expect_refused(START REST, "byte ");
	expect_refused("{\"schema_version\":2," REST "}",
		       "schema_version is 2, this program reads 1");
	expect_refused(START REST ",\"attempts\":NaN}", "expected a value");
	expect_refused(START REST ",\"attempts\":1e999}", "another kind");
	expect_refused(START REST ",\"payload\":7}", "another kind");
	expect_refused(START REST ",\"details\":[{\"kind\":\"Stuck\",\"message\":\"m\"}]}",
		       "no verdict");
	expect_refused(START REST ",\"host\":{\"online_cpus\":\"two\"}}", "another kind");
	expect_refused(START REST ",\"stats\":{\"cgroups\":[{\"wakes\":{\"count\":1}}]}}",
		       "no min_ns");
	expect_refused(START "\"scheduler\":\"e\",\"work_type\":\"x\",\"outcome\":\"odd\"}",
		       "another kind");
}

static void expect_buckets_refused(const char *buckets)
{
	_free_ char *text = str_fmt(
		START REST
		",\"stats\":{\"cgroups\":[{\"wakes\":{\"count\":1,\"min_ns\":1,\"p50_ns\":1,"
		"\"p90_ns\":1,\"p99_ns\":1,\"p999_ns\":1,\"max_ns\":1,\"mean_ns\":1,\"cv\":0,"
		"\"buckets\":%s}}]}}",
		buckets);

	expect_refused(text, "bucket");
}

static void test_odd_buckets(void **state)
{
	(void)state;
	expect_buckets_refused("[1]");
	expect_buckets_refused("[99999,1]");
	expect_buckets_refused("[2,1,2,1]");
	expect_buckets_refused("[3,1,2,1]");
	expect_buckets_refused("[1,-1]");
}

static void test_all_buckets_come_back(void **state)
{
	static const struct latency_bucket buckets[] = { { 2, 5 }, { 7, 1 }, { 9, 4 } };
	static const struct sidecar_cgroup cgroup = {
		.name = "cg", .wakes = { .count = 10, .buckets = buckets, .bucket_count = 3 }
	};
	struct sidecar s = plain_sidecar(), back;
	_str_ struct str text = {};

	(void)state;
	s.stats.cgroups = &cgroup;
	s.stats.cgroup_count = 1;
	sidecar_to_json(&s, &text);
	assert_int_equal(sidecar_parse(&back, text.s, text.len), 0);
	assert_int_equal(back.stats.cgroup_count, 1);
	assert_int_equal(back.stats.cgroups[0].wakes.bucket_count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(back.stats.cgroups[0].wakes.buckets[i].index, buckets[i].index);
		assert_int_equal(back.stats.cgroups[0].wakes.buckets[i].count, buckets[i].count);
	}
	sidecar_finish(&back);
	sidecar_finish(&s);
}

/* Records of earlier versions lack figures that come from the same place as those they have. */
static void test_each_figure_may_be_unknown(void **state)
{
	char text[] = START REST
		",\"phases\":[{\"name\":\"a\",\"cgroups\":[{\"name\":\"cg\",\"wait_ns\":5,"
		"\"gap_ms\":7,\"workers\":null}],\"events\":{\"share_error_pct\":0,"
		"\"cpus\":[{\"idle_wait_ns\":0}],\"tasks\":[{\"name\":\"t\",\"run_ns\":3,"
		"\"wait_histogram\":[0,1,31,4294967295]}]}}]}";
	static const char *const parts[] = {
		"{\"name\":\"cg\",\"workers\":null,",
		"\"gap_ms\":7,\"gap_cpu\":null,",
		"\"wait_ns\":5,\"worst_wait_us\":null,",
		"\"share_error_pct\":0,\"single_share_error_pct\":null,",
		"\"idle_wait_ns\":0,\"longest_idle_wait_ns\":null,",
		"\"longest_unpicked_ns\":null",
		"\"wait_histogram\":[0,1,31,4294967295],\"wakeup_wait_histogram\":null,",
		"\"run_ns\":3,\"wait_ns\":null,",
	};
	_str_ struct str again = {};
	_sidecar_ struct sidecar s;

	(void)state;
	assert_int_equal(sidecar_parse(&s, text, strlen(text)), 0);
	sidecar_to_json(&s, &again);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (!strstr(str_get(&again), parts[i]))
			fail_msg("expected '%s' in '%s'", parts[i], again.s);
}

static void test_buckets_of_waits_are_checked(void **state)
{
	static const char *const wrong[] = {
		"[32,1]", "[0]",       "[0,1,2]", "[-1,1]", "[0,4294967296]",
		"[[],1]", "[0,\"a\"]", "7",	  "{}"
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		_str_ struct str text = {};
		_sidecar_ struct sidecar s;

		str_addf(&text,
			 START REST ",\"phases\":[{\"name\":\"a\",\"events\":{\"tasks\":[{\"name\":"
				    "\"t\",\"wait_histogram\":%s}]}}]}",
			 wrong[i]);
		assert_int_equal(str_check(&text), 0);
		if (sidecar_parse(&s, text.s, text.len) != -EINVAL)
			fail_msg("%s was accepted", wrong[i]);
	}
}

/* Of a result: shares and figures of its worst phase, and each bucket of its latencies. */
static void test_results_become_totals(void **state)
{
	struct sidecar s = plain_sidecar();
	struct cgroup_stats stats;
	struct ktstr_result r;

	(void)state;
	result_init(&r);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(result_add_phase(&r, i ? "b" : "a", (uint64_t)i * 1000), i);
		r.phases.items[i].events.is_known = true;
		r.phases.items[i].events.has_shares = true;
		r.phases.items[i].events.share_error_pct = i ? 12 : 7;
		r.phases.items[i].events.single_share_error_pct = i ? 9 : 21;
		r.phases.items[i].events.migrations_per_s = i ? 3 : 5;
	}
	cgroup_stats_init(&stats);
	stats.name = strdup("cg");
	histogram_add(&stats.wakes, 0);
	histogram_add(&stats.wakes, 0);
	histogram_add(&stats.wakes, 5000);
	assert_int_equal(vec_push(&r.cgroups, stats), 0);
	assert_int_equal(sidecar_set_result(&s, &r), 0);
	assert_true(s.stats.worst_share_error_pct.is_known);
	assert_true(s.stats.worst_share_error_pct.value == 12);
	assert_true(s.stats.worst_single_share_error_pct.value == 21);
	assert_true(s.stats.worst_migrations_per_s.value == 5);
	assert_int_equal(s.stats.cgroups[0].wakes.count, 3);
	assert_int_equal(s.stats.cgroups[0].wakes.bucket_count, 2);
	assert_int_equal(s.stats.cgroups[0].wakes.buckets[0].index, 0);
	assert_int_equal(s.stats.cgroups[0].wakes.buckets[0].count, 2);
	sidecar_finish(&s);
	result_finish(&r);
}

/* Every one of the flags, sysctls and arguments of the kernel makes another record. */
static void test_each_setting_makes_another_name(void **state)
{
	static const char *const one[] = { "x", "a" }, *const two[] = { "x", "b" };
	const struct sidecar_strings first = { one, 2 }, second = { two, 2 };

	(void)state;
	for (int what = 0; what < 3; what++) {
		struct sidecar a = plain_sidecar(), b = plain_sidecar(), c = plain_sidecar();
		struct sidecar *const all[] = { &a, &b, &c };
		struct str names[3] = {};

		for (int i = 0; i < 3; i++) {
			struct sidecar_strings *to = what == 0 ? &all[i]->active_flags :
						     what == 1 ? &all[i]->sysctls :
								 &all[i]->kargs;

			if (i < 2)
				*to = i ? second : first;
			else
				to->items = one, to->count = 1;
			sidecar_file_name(all[i], &names[i]);
		}
		assert_string_not_equal(str_get(&names[0]), str_get(&names[1]));
		assert_string_not_equal(str_get(&names[0]), str_get(&names[2]));
		for (int i = 0; i < 3; i++) {
			sidecar_finish(all[i]);
			str_finish(&names[i]);
		}
	}
}

/* By what was run: neither what came of it nor which build of the scheduler. */
static void test_runs_of_one_test(void **state)
{
	static const char *const flag[] = { "llc" };
	struct sidecar a = plain_sidecar(), b = plain_sidecar();

	(void)state;
	assert_true(sidecar_is_same_test(&a, &b));
	b.outcome = KTSTR_FAILED;
	b.scheduler_hash = "aa";
	assert_true(sidecar_is_same_test(&a, &b));
	b.test_name = "two_cgroupt";
	assert_false(sidecar_is_same_test(&a, &b));
	b = plain_sidecar();
	b.topology = "1n1l4c1t"; /* as long, and larger */
	assert_false(sidecar_is_same_test(&a, &b));
	assert_false(sidecar_is_same_test(&b, &a));
	b = plain_sidecar();
	b.active_flags = (struct sidecar_strings){ flag, 1 };
	assert_false(sidecar_is_same_test(&a, &b));
	a.test_name = b.test_name = NULL;
	a.active_flags = b.active_flags;
	assert_true(sidecar_is_same_test(&a, &b));
}

static void test_values_of_pairs(void **state)
{
	static const struct sidecar_pair items[] = { { .name = "a", .value = 1 },
						     { .name = "b", .value = 2 },
						     { .name = "c", .value = 3 } };
	const struct sidecar_pairs pairs = { .is_known = true, .items = items, .count = 2 };
	double value = 7;

	(void)state;
	assert_true(sidecar_pair_value(&pairs, "b", &value) && value == 2);
	assert_true(sidecar_pair_value(&pairs, "a", &value) && value == 1);
	assert_false(sidecar_pair_value(&pairs, "c", &value));
	assert_true(value == 1);
}

/* Blanks are part of a name; what would leave the directory or the line is not. */
static void test_names_of_files_are_safe(void **state)
{
	struct sidecar s = plain_sidecar();
	_str_ struct str name = {};

	(void)state;
	s.test_name = "../a b\x1f\n";
	sidecar_file_name(&s, &name);
	assert_true(str_starts(str_get(&name), ".._a b__-"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_siphash_of_the_paper),
		cmocka_unit_test(test_siphash_1_3),
		cmocka_unit_test(test_file_name),
		cmocka_unit_test(test_runs_of_one_test),
		cmocka_unit_test(test_values_of_pairs),
		cmocka_unit_test(test_names_of_files_are_safe),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_write_and_read_a_file),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_odd_buckets),
		cmocka_unit_test(test_all_buckets_come_back),
		cmocka_unit_test(test_each_figure_may_be_unknown),
		cmocka_unit_test(test_buckets_of_waits_are_checked),
		cmocka_unit_test(test_results_become_totals),
		cmocka_unit_test(test_each_setting_makes_another_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
