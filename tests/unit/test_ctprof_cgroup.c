// SPDX-License-Identifier: GPL-2.0-only
/* Cgroup files, pressure and sched_ext below roots of our own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/util.h"
#include "ctprof/capture.h"
#include "ctprof/proc_parse.h"

static char root[] = "/tmp/ktstr-cgroup-XXXXXX";

static int make_root(void **state)
{
	(void)state;
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	_free_ char *command = str_fmt("rm -rf '%s'", root);

	(void)state;
	return command ? system(command) : -1;
}

static void put_file(const char *name, const char *text)
{
	_free_ char *path = str_fmt("%s/%s", root, name);
	_free_ char *dir = strdup(path);

	*strrchr(dir, '/') = '\0';
	assert_int_equal(file_make_dirs(dir, 0755), 0);
	assert_int_equal(file_replace(path, text, strlen(text), 0644), 0);
}

static void limits_floors_and_defaults(void **state)
{
	struct arena arena = {};
	struct cgroup_record c = {};

	(void)state;
	put_file("g/cpu.stat",
		 "usage_usec 18446744073709551615\nnr_throttled 2\nthrottled_usec 3\n");
	put_file("g/cpu.max", "max 250000\n");
	put_file("g/cpu.weight.nice", "-20\n");
	put_file("g/memory.max", "max\n");
	put_file("g/memory.high", "1048576\n");
	put_file("g/memory.low", "max\n");
	put_file("g/memory.stat", "anon 5\nslab_reclaimable 6\n");
	put_file("g/pids.current", "garbage\n");
	put_file("g/io.pressure", "some avg10=0.10 avg60=0.00 avg300=0.00 total=9\n");
	assert_int_equal(cgroup_record_read(root, "/g", &arena, &c), 0);
	assert_int_equal(c.usage_usec.value, UINT64_MAX);
	assert_int_equal(c.nr_throttled.value, 2);
	assert_int_equal(c.throttled_usec.value, 3);
	assert_false(c.cpu_quota_us.is_known);
	assert_int_equal(c.cpu_period_us.value, 250000);
	assert_true(c.has_weight_nice);
	assert_int_equal(c.cpu_weight_nice, -20);
	assert_false(c.cpu_weight.is_known);
	assert_false(c.memory_max.is_known);
	assert_int_equal(c.memory_high.value, 1048576);
	assert_true(c.memory_low.is_known);
	assert_int_equal(c.memory_low.value, UINT64_MAX);
	assert_false(c.memory_min.is_known);
	assert_false(c.memory_current.is_known);
	assert_int_equal(c.memory_stat.count, 2);
	assert_int_equal(c.memory_events.count, 0);
	assert_false(c.pids_current.is_known);
	assert_true(c.psi.resources[PSI_IO].some.is_known);
	assert_int_equal(c.psi.resources[PSI_IO].some.avg10, 10);
	assert_false(c.psi.resources[PSI_IO].full.is_known);
	assert_false(c.psi.resources[PSI_CPU].some.is_known);
	arena_finish(&arena);
}

static void peaks_swap_and_io(void **state)
{
	struct arena arena = {};
	struct cgroup_record c = {}, idle = {}, damaged = {};

	(void)state;
	put_file("p/memory.peak", "8192\n");
	put_file("p/memory.swap.current", "0\n");
	put_file("p/pids.peak", "12\n");
	put_file("p/io.stat", "8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=5 dios=6\n");
	assert_int_equal(cgroup_record_read(root, "/p", &arena, &c), 0);
	assert_int_equal(c.memory_peak.value, 8192);
	assert_true(c.memory_swap_current.is_known);
	assert_int_equal(c.memory_swap_current.value, 0);
	assert_int_equal(c.pids_peak.value, 12);
	assert_int_equal(c.io_stat.count, 6);
	assert_string_equal(c.io_stat.items[5].name, "dios");
	assert_int_equal(c.io_stat.items[5].value, 6);

	/* No I/O at all is a measurement, unlike a file that is not there. */
	put_file("idle/io.stat", "");
	assert_int_equal(cgroup_record_read(root, "/idle", &arena, &idle), 0);
	assert_int_equal(idle.io_stat.count, 6);
	assert_int_equal(idle.io_stat.items[0].value, 0);
	assert_false(idle.memory_peak.is_known);

	put_file("damaged/io.stat", "8:0 rbytes=");
	put_file("damaged/memory.peak", "");
	put_file("damaged/pids.peak", "99999999999999999999\n");
	assert_int_equal(cgroup_record_read(root, "/damaged", &arena, &damaged), 0);
	assert_int_equal(damaged.io_stat.count, 0);
	assert_false(damaged.memory_peak.is_known);
	assert_false(damaged.memory_swap_current.is_known);
	assert_false(damaged.pids_peak.is_known);
	arena_finish(&arena);
}

static void a_group_that_is_gone_is_all_unknown(void **state)
{
	struct arena arena = {};
	struct cgroup_record c = {};

	(void)state;
	assert_int_equal(cgroup_record_read(root, "/gone", &arena, &c), 0);
	assert_false(c.usage_usec.is_known);
	assert_false(c.cpu_period_us.is_known);
	assert_false(c.memory_peak.is_known);
	assert_int_equal(c.io_stat.count, 0);
	arena_finish(&arena);
}

static void paths_of_other_namespaces_are_not_followed(void **state)
{
	struct arena arena = {};
	struct cgroup_record c = {};

	(void)state;
	put_file("inside/x", "");
	put_file("cpu.stat", "usage_usec 1\n");
	assert_int_equal(cgroup_record_read(root, "/inside/../", &arena, &c), 0);
	assert_false(c.usage_usec.is_known);
	assert_int_equal(cgroup_record_read(root, "/..", &arena, &c), 0);
	assert_false(c.usage_usec.is_known);
	assert_int_equal(cgroup_record_read(root, "/", &arena, &c), 0);
	assert_true(c.usage_usec.is_known);
	arena_finish(&arena);
}

static void the_v2_mount_is_found_in_mountinfo(void **state)
{
	_free_ char *proc = str_fmt("%s/proc", root);
	struct roots roots = { .proc = proc, .sys = root, .cgroup = root };
	struct arena arena = {};

	(void)state;
	assert_string_equal(cgroup_find_root(&roots, &arena), root);
	put_file("proc/self/mountinfo",
		 "24 1 0:22 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
		 "25 24 0:23 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
		 "26 24 0:24 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw\n");
	assert_string_equal(cgroup_find_root(&roots, &arena), "/sys/fs/cgroup/unified");
	put_file("proc/self/mountinfo", "1 1 0:1 / / rw - ext4 /dev/vda rw\n - cgroup2 \n");
	assert_string_equal(cgroup_find_root(&roots, &arena), root);
	arena_finish(&arena);
}

static void sched_ext_is_absent_without_its_directory(void **state)
{
	struct sched_ext_record x = {};
	struct arena arena = {};

	(void)state;
	assert_false(sched_ext_read(root, &arena, &x));
	put_file("kernel/sched_ext/state", "disabled\n");
	put_file("kernel/sched_ext/nr_rejected", "7\n");
	assert_true(sched_ext_read(root, &arena, &x));
	assert_string_equal(x.state, "disabled");
	assert_null(x.ops);
	assert_int_equal(x.nr_rejected.value, 7);
	assert_false(x.enable_seq.is_known);
	arena_finish(&arena);
}

static void workers_follow_size_and_load(void **state)
{
	static const struct {
		unsigned int cpus;
		double load;
		unsigned int workers;
	} cases[] = {
		{ 1, 0, 1 },  { 1, 5, 1 },   { 2, 0, 2 },   { 2, 0.9, 2 },  { 2, 1, 1 },
		{ 2, 50, 1 }, { 8, 0.5, 5 }, { 8, 5.5, 3 }, { 64, 10, 33 }, { 64, 63.5, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(capture_worker_count(cases[i].cpus, cases[i].load),
				 cases[i].workers);
}

/* Only where no thread can be elsewhere than its process need the others not be asked. */
static void threaded_cgroups_part_processes(void **state)
{
	static const struct {
		const char *type;
		bool is_together;
	} cases[] = {
		{ "domain\n", true },
		{ "domain threaded\n", false },
		{ "threaded\n", false },
		{ "domain invalid\n", false },
	};

	(void)state;
	assert_true(cgroup_keeps_together(root, "/"));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put_file("apart/cgroup.type", cases[i].type);
		assert_int_equal(cgroup_keeps_together(root, "/apart"), cases[i].is_together);
	}
	put_file("apart/cgroup.type", "domain threaded\n");
	assert_true(cgroup_keeps_together(root, "/"));
	put_file("apart/cgroup.type", "threaded\n");
	assert_false(cgroup_keeps_together(root, "/"));
	put_file("apart/cgroup.type", "domain\n");
	assert_false(cgroup_keeps_together(root, "/gone"));
	assert_false(cgroup_keeps_together(root, "/../apart"));
	assert_false(cgroup_keeps_together("/nonexistent", "/"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_floors_and_defaults),
		cmocka_unit_test(peaks_swap_and_io),
		cmocka_unit_test(a_group_that_is_gone_is_all_unknown),
		cmocka_unit_test(paths_of_other_namespaces_are_not_followed),
		cmocka_unit_test(the_v2_mount_is_found_in_mountinfo),
		cmocka_unit_test(sched_ext_is_absent_without_its_directory),
		cmocka_unit_test(threaded_cgroups_part_processes),
		cmocka_unit_test(workers_follow_size_and_load),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
