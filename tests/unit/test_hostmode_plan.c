// SPDX-License-Identifier: GPL-2.0-only
/* What can be run on this host, where it comes from, and the plan of its runs. */
#include "unit.h"

#include <dlfcn.h>
#include <errno.h>

#include "base/err.h"
#include "hostmode/execute.h"
#include "scenario/catalog.h"
#include "scenario/ctx.h"
#include "scenfile/scenfile.h"

static char *dir;

static int setup(void **state)
{
	(void)state;
	dir = unit_temp_create();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unit_temp_remove(dir);
	return 0;
}

/* ---- plans ---- */

static void flags_are_names_with_commas(void **state)
{
	uint64_t mask = 99;
	int rc;

	(void)state;
	assert_int_equal(host_flags()->count, 6);
	assert_int_equal(host_flags_parse("", &mask), 0);
	assert_int_equal(mask, 0);
	assert_int_equal(host_flags_parse("borrow,llc", &mask), 0);
	assert_int_equal(mask, FLAG_LLC | FLAG_BORROW);
	rc = host_flags_parse("llc,none", &mask);
	assert_int_equal(rc, -EINVAL);
	assert_string_equal(err_text(rc),
			    "unknown flag: 'none'. valid flags: llc, borrow, steal, rebal, "
			    "reject-pin, no-ctrl");
	rc = host_flags_parse("steal", &mask);
	assert_int_equal(rc, -EINVAL);
	assert_string_equal(err_text(rc), "flag 'steal' requires flag 'llc': give both");
	assert_int_equal(host_flags_parse("steal,llc", &mask), 0);
}

static void add(struct host_scenarios *s, struct host_scenario one)
{
	assert_int_equal(vec_push(&s->list, one), 0);
}

static void expect_closest(const struct host_scenarios *s, const char *word, const char *name)
{
	const char *found = host_scenarios_closest(s, word);

	assert_string_equal(found ? found : "", name);
}

static void near_misses_are_suggested(void **state)
{
	struct host_scenarios s = {};

	(void)state;
	add(&s, (struct host_scenario){ .name = "cgroup_steady" });
	add(&s, (struct host_scenario){ .name = "abcdefghijkl" });
	add(&s, (struct host_scenario){ .name = "x_mix_weights" });
	add(&s, (struct host_scenario){ .name = "abcdefghijmn" });
	expect_closest(&s, "cgroup_stedy", "cgroup_steady");
	/* A third of a long word may be wrong, of a whole name three letters at least. */
	expect_closest(&s, "abcdefghi", "abcdefghijkl");
	expect_closest(&s, "abcdefgh", "");
	expect_closest(&s, "abcdefghWXYZ", "abcdefghijkl");
	expect_closest(&s, "abcdefgVWXYZ", "");
	/* The nearest, not the last that is near. */
	expect_closest(&s, "abcdefghijkm", "abcdefghijkl");
	expect_closest(&s, "abcdefghijmx", "abcdefghijmn");
	/* One word of a name, unless it is a short one. */
	expect_closest(&s, "steadi", "steady");
	expect_closest(&s, "weights", "weights");
	expect_closest(&s, "wights", "weights");
	expect_closest(&s, "mxi", "");
	host_scenarios_finish(&s);
}

/* A third of a word of a name may be wrong, and it has four letters at least. */
static void words_of_names_have_a_tighter_limit(void **state)
{
	struct host_scenarios s = {};

	(void)state;
	add(&s, (struct host_scenario){ .name = "first_of_them" });
	add(&s, (struct host_scenario){ .name = "a_long_name_with_steady_load" });
	add(&s, (struct host_scenario){ .name = "cgroup_weights" });
	expect_closest(&s, "stXXdy", "steady");
	expect_closest(&s, "sXXXdy", "");
	expect_closest(&s, "lXad", "load");
	expect_closest(&s, "lXXd", "");
	expect_closest(&s, "cgrup_weights", "cgroup_weights");
	host_scenarios_finish(&s);
}

static void names_are_compared_with_all_before_them(void **state)
{
	struct host_scenarios s = {};

	(void)state;
	add(&s, (struct host_scenario){ .name = "a" });
	add(&s, (struct host_scenario){ .name = "b" });
	add(&s, (struct host_scenario){ .name = "c" });
	assert_int_equal(host_scenarios_check(&s), 0);
	add(&s, (struct host_scenario){ .name = "b" });
	assert_int_equal(host_scenarios_check(&s), -EINVAL);
	assert_string_equal(err_text(-EINVAL), "there are two scenarios 'b'");
	host_scenarios_finish(&s);
}

static void scenarios_are_there_once(void **state)
{
	struct host_scenarios s = {};
	int rc;

	(void)state;
	assert_int_equal(host_scenarios_add_catalog(&s), 0);
	assert_int_equal(s.list.count, 81);
	assert_int_equal(host_scenarios_check(&s), 0);
	add(&s, (struct host_scenario){ .name = "mine",
					.required = FLAG_LLC | FLAG_REBAL,
					.excluded = FLAG_REBAL });
	rc = host_scenarios_check(&s);
	assert_int_equal(rc, -EINVAL);
	assert_string_equal(err_text(rc), "scenario 'mine': flag 'rebal' is required and excluded");
	s.list.items[s.list.count - 1] = (struct host_scenario){ .name = s.list.items[0].name };
	rc = host_scenarios_check(&s);
	assert_int_equal(rc, -EINVAL);
	assert_non_null(strstr(err_text(rc), "there are two scenarios '"));
	/* The first of them is looked at as the others are. */
	s.list.items[0].required = s.list.items[0].excluded = FLAG_LLC;
	rc = host_scenarios_check(&s);
	assert_int_equal(rc, -EINVAL);
	assert_non_null(strstr(err_text(rc), ": flag 'llc' is required and excluded"));
	host_scenarios_finish(&s);
}

static void expect_plan(const struct host_scenarios *s, const struct host_plan_options *o,
			const char *runs)
{
	struct host_plan plan = {};
	_str_ struct str text = {};

	assert_int_equal(host_plan_build(&plan, s, o), 0);
	for (size_t i = 0; i < plan.runs.count; i++)
		str_addf(&text, "%s%s%s\n", plan.runs.items[i].name,
			 plan.runs.items[i].skip ? ": " : "",
			 plan.runs.items[i].skip ? plan.runs.items[i].skip : "");
	assert_string_equal(str_get(&text), runs);
	host_plan_finish(&plan);
}

static void a_plan_is_ordered_by_profile(void **state)
{
	const uint64_t others = FLAG_BORROW | FLAG_STEAL | FLAG_REJECT_PIN | FLAG_NO_CTRL;
	struct host_scenarios s = {};
	struct host_plan plan = {};

	(void)state;
	add(&s, (struct host_scenario){ .name = "b_first", .excluded = others });
	add(&s,
	    (struct host_scenario){ .name = "a_second", .required = FLAG_LLC, .excluded = others });
	expect_plan(&s, &(struct host_plan_options){ .profiles = HOST_PROFILES_ALL },
		    "b_first/default\nb_first/llc\na_second/llc\nb_first/llc+rebal\n"
		    "a_second/llc+rebal\nb_first/rebal\n");
	expect_plan(&s, &(struct host_plan_options){ .profiles = HOST_PROFILES_BASE },
		    "b_first/default\na_second/llc\n");
	expect_plan(&s,
		    &(struct host_plan_options){ .profiles = HOST_PROFILES_EXACT,
						 .exact = FLAG_BORROW },
		    "b_first/borrow: excludes borrow\na_second/borrow: needs llc\n");
	expect_plan(&s,
		    &(struct host_plan_options){ .profiles = HOST_PROFILES_BASE, .filter = "sec" },
		    "a_second/llc\n");
	assert_int_equal(host_plan_build(&plan, &s,
					 &(struct host_plan_options){ .filter = "b_frist" }),
			 -ENOENT);
	assert_string_equal(err_text(-ENOENT),
			    "no scenario matches 'b_frist'. Did you mean 'b_first'?");
	assert_int_equal(host_plan_build(&plan, &s, &(struct host_plan_options){ .filter = "zzz" }),
			 -ENOENT);
	assert_string_equal(err_text(-ENOENT),
			    "no scenario matches 'zzz'; `ktstr list` shows them all");
	host_plan_finish(&plan);
	host_scenarios_finish(&s);
}

static double estimate(const struct host_scenarios *s, struct host_plan_options o, size_t *runs)
{
	struct host_plan plan = {};
	double seconds;

	assert_int_equal(host_plan_build(&plan, s, &o), 0);
	assert_true(plan.has_budget == (o.budget_s > 0));
	if (o.budget_s > 0)
		assert_int_equal(plan.budget.chosen, plan.runs.count);
	*runs = plan.runs.count;
	seconds = plan.estimate_s;
	host_plan_finish(&plan);
	return seconds;
}

/* What a scenario says itself counts, what is skipped costs nothing, and a budget is kept. */
static void a_plan_knows_what_it_costs(void **state)
{
	struct host_plan_options o = { .profiles = HOST_PROFILES_BASE,
				       .duration_ms = 8000,
				       .workers = 2,
				       .nodes = 1,
				       .llcs = 2,
				       .cpus = 4 };
	struct host_scenarios s = {};
	double eight, three, both;
	size_t runs;

	(void)state;
	add(&s, (struct host_scenario){ .name = "as_told" });
	eight = estimate(&s, o, &runs);
	s.list.items[0].duration_ms = 3000;
	three = estimate(&s, o, &runs);
	assert_true(eight - three > 4.9 && eight - three < 5.1);
	s.list.items[0].duration_ms = 0;
	add(&s, (struct host_scenario){ .name = "other", .required = FLAG_LLC });
	both = estimate(&s, o, &runs);
	assert_true(both > 1.99 * eight && both < 2.01 * eight);
	assert_int_equal(runs, 2);
	o.budget_s = eight * 1.5;
	assert_true(estimate(&s, o, &runs) < both);
	assert_int_equal(runs, 1);
	o.budget_s = both * 2;
	estimate(&s, o, &runs);
	assert_int_equal(runs, 2);
	o.budget_s = 0;
	o.profiles = HOST_PROFILES_EXACT;
	assert_true(estimate(&s, o, &runs) < 1.01 * eight);
	assert_int_equal(runs, 2);
	host_scenarios_finish(&s);
}

static struct selection_item asked; /* what the last estimate was about */

double __wrap_selection_cost(const struct selection_item *item);
double __real_selection_cost(const struct selection_item *item);

double __wrap_selection_cost(const struct selection_item *item)
{
	asked = *item;
	return __real_selection_cost(item);
}

static void an_estimate_is_about_a_run_on_this_machine(void **state)
{
	struct host_plan_options o = { .profiles = HOST_PROFILES_EXACT,
				       .exact = FLAG_LLC,
				       .duration_ms = 1500,
				       .workers = 2,
				       .nodes = 3,
				       .llcs = 4,
				       .cpus = 5 };
	struct host_scenarios s = {};
	size_t runs;

	(void)state;
	add(&s,
	    (struct host_scenario){ .name = "a", .required = FLAG_LLC, .excluded = FLAG_BORROW });
	estimate(&s, o, &runs);
	assert_int_equal(asked.required_flags, FLAG_LLC);
	assert_int_equal(asked.excluded_flags, FLAG_BORROW);
	assert_int_equal(asked.active_flags, FLAG_LLC);
	assert_int_equal(asked.nodes * 100 + asked.llcs * 10 + asked.cpus, 345);
	assert_int_equal(asked.threads, 1);
	assert_true(asked.is_host_only);
	assert_true(asked.duration_s == 1.5);
	assert_int_equal(asked.workers, 2);
	o.has_smt = true;
	s.list.items[0].workers = 7;
	estimate(&s, o, &runs);
	assert_int_equal(asked.threads, 2);
	assert_int_equal(asked.workers, 7);
	host_scenarios_finish(&s);
}

/* Those that the budget chose stay in their order. */
static void a_budget_leaves_out_and_moves_nothing(void **state)
{
	struct host_plan_options o = { .profiles = HOST_PROFILES_BASE,
				       .duration_ms = 1000,
				       .workers = 1,
				       .nodes = 1,
				       .llcs = 1,
				       .cpus = 2 };
	struct host_scenarios s = {};

	(void)state;
	add(&s, (struct host_scenario){ .name = "long_one", .duration_ms = 100000 });
	add(&s, (struct host_scenario){ .name = "b", .required = FLAG_LLC });
	add(&s, (struct host_scenario){ .name = "a", .required = FLAG_LLC | FLAG_STEAL });
	o.budget_s = 30;
	expect_plan(&s, &o, "b/llc\na/llc+steal\n");
	/* Less than a second is a budget, too. */
	o.budget_s = 0.5;
	expect_plan(&s, &o, "");
	host_scenarios_finish(&s);
}

/* An empty list is no mistake where nobody asked for a name. */
static void nothing_to_plan_is_a_plan(void **state)
{
	struct host_scenarios s = {};

	(void)state;
	expect_plan(&s, &(struct host_plan_options){}, "");
}

static void the_profiles_of_a_scenario_have_names(void **state)
{
	const uint64_t others = FLAG_BORROW | FLAG_STEAL | FLAG_REJECT_PIN | FLAG_NO_CTRL;
	struct host_scenario s = { .name = "a", .excluded = others };
	const char *const *names = NULL;
	struct arena arena = {};
	struct host_plan plan = {};
	struct host_scenarios list = {};
	size_t count = 99;
	int rc;

	(void)state;
	assert_int_equal(host_plan_add_profiles(&s, &arena, &names, &count), 0);
	assert_int_equal(count, 4);
	assert_string_equal(names[0], "default");
	assert_string_equal(names[1], "llc");
	assert_string_equal(names[2], "rebal");
	assert_string_equal(names[3], "llc+rebal");
	/* Flags that exclude what they need have none. */
	s.required = FLAG_STEAL;
	s.excluded = FLAG_LLC;
	rc = host_plan_add_profiles(&s, &arena, &names, &count);
	assert_true(rc < 0);
	assert_non_null(strstr(err_text(rc), "scenario 'a': "));
	add(&list, s);
	assert_int_equal(
		host_plan_build(&plan, &list,
				&(struct host_plan_options){ .profiles = HOST_PROFILES_BASE }),
		rc);
	assert_int_equal(host_plan_build(&plan, &list, &(struct host_plan_options){}), rc);
	host_plan_finish(&plan);
	host_scenarios_finish(&list);
	arena_finish(&arena);
}
/* ---- tests out of a library: this program plays it ---- */

static const struct ktstr_sched careful = { .name = "careful",
					    .assert = { .max_gap_ms = 5, .max_spread_pct = 6 } };
static struct ktstr_test loaded[4];

/* In no order, and with a hole as linkers leave them. */
__attribute__((used, section("ktstr_tests"))) static const struct ktstr_test *const entries[] = {
	&loaded[2], NULL, &loaded[3], &loaded[0], &loaded[1]
};

void *__wrap_dlopen(const char *path, int flags);
void *__real_dlopen(const char *path, int flags);

void *__wrap_dlopen(const char *path, int flags)
{
	assert_int_equal(flags, RTLD_NOW | RTLD_LOCAL);
	return __real_dlopen(strstr(path, "refused") ? path : NULL, flags);
}

static int loaded_body(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	assert_null(ctx);
	assert_null(res);
	return 44;
}

static void fill_library(void)
{
	static const char *const needed[] = { "llc", "rebal", NULL };
	static const char *const excluded[] = { "borrow", NULL };

	loaded[0] = (struct ktstr_test){ .name = "without_file", .line = 99 };
	loaded[1] = (struct ktstr_test){ .name = "first",
					 .file = "a.c",
					 .line = 10,
					 .duration_s = 3,
					 .workers_per_cgroup = 4,
					 .run = loaded_body };
	loaded[2] = (struct ktstr_test){ .name = "second",
					 .file = "a.c",
					 .line = 11,
					 .duration_s = 3,
					 .duration_ms = 250,
					 .expect_err = true,
					 .scheduler = &careful,
					 .assert = { .max_gap_ms = 7 },
					 .required_flags = needed,
					 .excluded_flags = excluded };
	loaded[3] = (struct ktstr_test){ .name = "third", .file = "b.c", .line = 1 };
}

static void tests_of_a_library_are_in_the_order_of_its_source(void **state)
{
	static const char *const names[] = { "without_file", "first", "second", "third" };
	struct host_scenarios s = {};
	const struct host_scenario *one;

	(void)state;
	fill_library();
	assert_int_equal(host_scenarios_add_library(&s, "/proc/self/exe"), 0);
	assert_int_equal(s.list.count, ARRAY_SIZE(names));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_string_equal(s.list.items[i].name, names[i]);
		assert_string_equal(s.list.items[i].category, "loaded");
	}
	assert_string_equal(s.list.items[0].description, "");
	one = &s.list.items[1];
	assert_string_equal(one->description, "a.c");
	assert_int_equal(one->duration_ms, 3000);
	assert_int_equal(one->workers, 4);
	assert_false(one->expects_error);
	assert_int_equal(one->required | one->excluded, 0);
	assert_int_equal(one->checks->max_gap_ms, 0);
	assert_int_equal(one->run(one->what, NULL, NULL), 44);
	one = &s.list.items[2];
	assert_int_equal(one->duration_ms, 250);
	assert_true(one->expects_error);
	assert_int_equal(one->required, FLAG_LLC | FLAG_REBAL);
	assert_int_equal(one->excluded, FLAG_BORROW);
	/* Its own limits count more than those of its scheduler. */
	assert_int_equal(one->checks->max_gap_ms, 7);
	assert_true(one->checks->max_spread_pct == 6);
	host_scenarios_finish(&s);
}

static void expect_no_library(const char *path, int errnum, const char *complaint)
{
	struct host_scenarios s = {};
	int rc = host_scenarios_add_library(&s, path);

	assert_int_equal(rc, -errnum);
	if (!strstr(err_text(rc), complaint))
		fail_msg("no '%s' in: %s", complaint, err_text(rc));
	host_scenarios_finish(&s);
}

static void what_is_wrong_with_a_library_is_told(void **state)
{
	static const char *const unknown[] = { "llc", "none", NULL };
	static const char *const bad_names[] = { NULL, "", "a/b", "a\\b" };
	_free_ char *text = str_fmt("%s/text", dir);
	_free_ char *refused = str_fmt("%s/refused", dir);

	(void)state;
	unit_write(dir, "text", "no library\n");
	unit_write(dir, "refused", "no library\n");
	expect_no_library("/no/such/library", ENOENT, "open /no/such/library: ");
	expect_no_library(refused, EINVAL, "cannot load ");
	expect_no_library(text, EINVAL, ": no ELF file");
	expect_no_library("/bin/sh", ENOENT,
			  " has no tests: it has no section ktstr_tests, where KTSTR_TEST() puts "
			  "them");
	fill_library();
	loaded[3].required_flags = unknown;
	expect_no_library("/proc/self/exe", EINVAL,
			  "/proc/self/exe: test 'third': unknown flag: 'none'. valid flags: llc, ");
	loaded[3].required_flags = NULL;
	loaded[3].excluded_flags = unknown;
	expect_no_library("/proc/self/exe", EINVAL,
			  "/proc/self/exe: test 'third': unknown flag: 'none'. valid flags: llc, ");
	loaded[3].excluded_flags = NULL;
	loaded[3].assert.max_spread_pct = -1000;
	expect_no_library("/proc/self/exe", EINVAL, "/proc/self/exe: test 'third': ");
	for (size_t i = 0; i < ARRAY_SIZE(bad_names); i++) {
		loaded[3].name = bad_names[i];
		expect_no_library("/proc/self/exe", EINVAL, "' is empty or has a / or \\");
	}
}

/* ---- rows of the catalog, and files ---- */

static const void *ran;
static uint64_t fair_after_ns;

int __wrap_catalog_run(const struct catalog_row *row, struct ktstr_ctx *ctx,
		       struct ktstr_result *res);
int __wrap_scenfile_run(const struct scenfile *file, struct ktstr_ctx *ctx,
			struct ktstr_result *res);

int __wrap_catalog_run(const struct catalog_row *row, struct ktstr_ctx *ctx,
		       struct ktstr_result *res)
{
	assert_null(res);
	ran = row;
	fair_after_ns = ctx->fair_after_ns;
	return 45;
}

int __wrap_scenfile_run(const struct scenfile *file, struct ktstr_ctx *ctx,
			struct ktstr_result *res)
{
	assert_null(ctx);
	assert_null(res);
	ran = file;
	return 46;
}

static void rows_of_the_catalog_are_judged_fairly_after_a_while(void **state)
{
	const struct catalog_row *row = &catalog_categories[0].rows[0];
	struct host_scenarios s = {};
	struct ktstr_ctx ctx = {};
	struct host_scenario one;

	(void)state;
	assert_int_equal(host_scenarios_add_catalog(&s), 0);
	one = s.list.items[0];
	assert_string_equal(one.name, row->name);
	assert_string_equal(one.category, catalog_categories[0].name);
	assert_string_equal(one.description, row->description);
	assert_int_equal(one.required, row->needs);
	assert_int_equal(one.excluded, row->excludes);
	assert_int_equal(one.run(one.what, &ctx, NULL), 45);
	assert_ptr_equal(ran, row);
	assert_int_equal(fair_after_ns, 10 * NSEC_PER_SEC);
	host_scenarios_finish(&s);
}

static void a_file_is_a_scenario_with_its_wishes(void **state)
{
	_free_ char *all = str_fmt("%s/all.yaml", dir), *bad = str_fmt("%s/bad.yaml", dir);
	_free_ char *least = str_fmt("%s/least.yaml", dir);
	struct host_scenarios s = {};
	struct host_scenario one;

	(void)state;
	unit_write(dir, "all.yaml",
		   "name: mine\ndescription: what it is\nduration: 1500ms\nworkers: 4\n"
		   "flags: [llc, steal]\nexcluded_flags: [borrow, rebal]\n"
		   "checks: { max_gap_ms: 77 }\ncgroups: [{ name: a }]\n");
	unit_write(dir, "least.yaml", "cgroups: [{ name: a }]\n");
	unit_write(dir, "bad.yaml", "cgrups: []\n");
	assert_int_equal(host_scenarios_add_file(&s, all), 0);
	assert_int_equal(host_scenarios_add_file(&s, least), 0);
	assert_int_equal(host_scenarios_add_file(&s, bad), -EINVAL);
	assert_int_equal(host_scenarios_add_file(&s, "/no/such.yaml"), -ENOENT);
	assert_int_equal(s.list.count, 2);
	one = s.list.items[0];
	assert_string_equal(one.name, "mine");
	assert_string_equal(one.category, "file");
	assert_string_equal(one.description, "what it is");
	assert_int_equal(one.duration_ms, 1500);
	assert_int_equal(one.workers, 4);
	assert_int_equal(one.required, FLAG_LLC | FLAG_STEAL);
	assert_int_equal(one.excluded, FLAG_BORROW | FLAG_REBAL);
	assert_int_equal(one.checks->max_gap_ms, 77);
	assert_int_equal(one.run(one.what, NULL, NULL), 46);
	assert_ptr_equal(ran, one.what);
	one = s.list.items[1];
	assert_string_equal(one.name, "least");
	assert_int_equal(one.duration_ms + one.workers + one.required + one.excluded, 0);
	host_scenarios_finish(&s);
}
#define HERE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HERE(flags_are_names_with_commas),
		HERE(near_misses_are_suggested),
		HERE(words_of_names_have_a_tighter_limit),
		HERE(names_are_compared_with_all_before_them),
		HERE(scenarios_are_there_once),
		HERE(a_plan_is_ordered_by_profile),
		HERE(a_plan_knows_what_it_costs),
		HERE(an_estimate_is_about_a_run_on_this_machine),
		HERE(a_budget_leaves_out_and_moves_nothing),
		HERE(nothing_to_plan_is_a_plan),
		HERE(the_profiles_of_a_scenario_have_names),
		HERE(tests_of_a_library_are_in_the_order_of_its_source),
		HERE(what_is_wrong_with_a_library_is_told),
		HERE(rows_of_the_catalog_are_judged_fairly_after_a_while),
		HERE(a_file_is_a_scenario_with_its_wishes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
