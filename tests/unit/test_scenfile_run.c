// SPDX-License-Identifier: GPL-2.0-only
/* Running a scenario file: machines that are too small, and what is prepared before the run. */
#include "unit.h"

#include <errno.h>

#include "base/arena.h"
#include "base/err.h"
#include "check/result.h"
#include "scenfile/rtapp.h"
#include "scenfile/scenfile.h"

static unsigned int nodes, llcs, cpus; /* of the machine */
static unsigned int prepared, ran;
static int prepare_rc, run_rc;
static struct rtapp rtapp;
static struct scenfile file;

unsigned int __wrap_ktstr_numa_node_count(const struct ktstr_ctx *ctx);
unsigned int __wrap_ktstr_llc_count(const struct ktstr_ctx *ctx);
unsigned int __wrap_ktstr_cpu_count(const struct ktstr_ctx *ctx);
int __wrap_rtapp_prepare(struct rtapp *app);
int __wrap_ktstr_run_scenario(struct ktstr_ctx *ctx, struct ktstr_result *res,
			      const struct ktstr_scenario_run *run);

unsigned int __wrap_ktstr_numa_node_count(const struct ktstr_ctx *ctx)
{
	(void)ctx;
	return nodes;
}

unsigned int __wrap_ktstr_llc_count(const struct ktstr_ctx *ctx)
{
	(void)ctx;
	return llcs;
}

unsigned int __wrap_ktstr_cpu_count(const struct ktstr_ctx *ctx)
{
	(void)ctx;
	return cpus;
}

int __wrap_rtapp_prepare(struct rtapp *app)
{
	assert_ptr_equal(app, &rtapp);
	assert_int_equal(ran, 0);
	prepared++;
	return prepare_rc;
}

int __wrap_ktstr_run_scenario(struct ktstr_ctx *ctx, struct ktstr_result *res,
			      const struct ktstr_scenario_run *run)
{
	(void)ctx;
	(void)res;
	assert_ptr_equal(run, &file.run);
	ran++;
	return run_rc;
}

static int start(void **state)
{
	(void)state;
	nodes = 2;
	llcs = 4;
	cpus = 16;
	prepared = ran = 0;
	prepare_rc = run_rc = 0;
	file = (struct scenfile){ .topology = {
					  .numa_nodes = 2, .llcs = 4, .cores = 2, .threads = 2 } };
	return 0;
}

static void a_machine_that_is_large_enough_runs_it(void **state)
{
	struct ktstr_result res;

	(void)state;
	result_init(&res);
	assert_int_equal(scenfile_run(&file, NULL, &res), 0);
	assert_int_equal(ran, 1);
	assert_int_equal(prepared, 0);
	assert_int_equal(res.details.count, 0);
	run_rc = -EIO;
	assert_int_equal(scenfile_run(&file, NULL, &res), -EIO);
	result_finish(&res);
}

static void a_machine_that_is_too_small_skips_it(void **state)
{
	static const struct {
		unsigned int *lacks;
		const char *message;
	} rows[] = { { &nodes, "need >=2 NUMA nodes" },
		     { &llcs, "need >=4 LLCs" },
		     { &cpus, "need >=16 CPUs" } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct ktstr_result res;

		result_init(&res);
		start(state);
		--*rows[i].lacks;
		assert_int_equal(scenfile_run(&file, NULL, &res), 0);
		assert_int_equal(ran, 0);
		assert_int_equal(res.details.count, 1);
		assert_string_equal(res.details.items[0].message, rows[i].message);
		assert_int_equal(res.details.items[0].verdict, KTSTR_SKIPPED);
		result_finish(&res);
	}
}

static void locks_of_an_rtapp_file_are_prepared_first(void **state)
{
	struct ktstr_result res;

	(void)state;
	result_init(&res);
	file.rtapp = &rtapp;
	assert_int_equal(scenfile_run(&file, NULL, &res), 0);
	assert_int_equal(prepared, 1);
	assert_int_equal(ran, 1);
	ran = 0;
	prepare_rc = -ENOMEM;
	assert_int_equal(scenfile_run(&file, NULL, &res), -ENOMEM);
	assert_int_equal(ran, 0);
	result_finish(&res);
}

/* ---- files ---- */

static void a_file_is_loaded_with_its_name(void **state)
{
	char *directory = unit_temp_create();
	_free_ char *path = str_fmt("%s/steal.yaml", directory);
	_free_ char *missing = str_fmt("%s/none.yaml", directory);
	struct arena arena = {};
	struct scenfile f;

	(void)state;
	unit_write(directory, "steal.yaml", "\n \t{ \"tasks\": { \"t\": { \"run\": 1 } } }\n");
	assert_int_equal(scenfile_load(path, &arena, &f), 0);
	assert_string_equal(f.name, "steal");
	assert_string_equal(f.description, path);
	assert_non_null(f.rtapp);
	unit_write(directory, "steal.yaml", "name: x\ndescription: y\ncgroups: [{name: a}]\n");
	assert_int_equal(scenfile_load(path, &arena, &f), 0);
	assert_string_equal(f.name, "x");
	assert_string_equal(f.description, "y");
	assert_null(f.rtapp);
	unit_write(directory, "steal.yaml", "name: x\n");
	assert_int_equal(scenfile_load(path, &arena, &f), -EINVAL);
	assert_int_equal(scenfile_load(missing, &arena, &f), -ENOENT);
	arena_finish(&arena);
	unit_temp_remove(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_machine_that_is_large_enough_runs_it, start),
		cmocka_unit_test_setup(a_machine_that_is_too_small_skips_it, start),
		cmocka_unit_test_setup(locks_of_an_rtapp_file_are_prepared_first, start),
		cmocka_unit_test(a_file_is_loaded_with_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
