// SPDX-License-Identifier: GPL-2.0-only
/* The cgroup manager on a cgroup tree of plain files. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/err.h"
#include "cgroup/cgroup.h"
#include "fake_cgroup.h"

static struct fake_cgroup fake;
static struct cgroup_manager m;

static void start_with(const char *controllers, bool without_cpu)
{
	fake_cgroup_start(&fake, controllers);
	assert_int_equal(
		cgroup_manager_init(&m,
				    &(struct cgroup_manager_options){ .roots = &fake.roots,
								      .parent = "ktstr-1",
								      .without_cpu = without_cpu }),
		0);
}

static int start(void **state)
{
	(void)state;
	start_with("cpuset cpu memory pids", false);
	assert_int_equal(cgroup_setup(&m), 0);
	fake_cgroup_clear_log();
	return 0;
}

static int stop(void **state)
{
	(void)state;
	cgroup_manager_finish(&m);
	fake_cgroup_stop(&fake);
	return 0;
}

static void expect_error(int rc, int errnum, const char *text)
{
	assert_int_equal(rc, -errnum);
	if (!strstr(err_text(rc), text))
		fail_msg("expected '%s' in '%s'", text, err_text(rc));
}

static void expect_file(const char *path, const char *content)
{
	assert_string_equal(fake_cgroup_read(&fake, path), content);
}

static void test_setup_enables_from_the_root_down(void **state)
{
	(void)state;
	start_with("cpuset cpu memory", false);
	assert_int_equal(cgroup_setup(&m), 0);
	assert_string_equal(fake_cgroup_log(),
			    "ROOT/cgroup.subtree_control=+cpuset;ROOT/cgroup.subtree_control=+cpu;"
			    "./cgroup.subtree_control=+cpuset;./cgroup.subtree_control=+cpu;");
	expect_file("ktstr-1/cgroup.subtree_control", "cpuset cpu");
	stop(NULL);
}

static void test_no_ctrl_leaves_cpu_off(void **state)
{
	(void)state;
	start_with("cpuset cpu memory", true);
	assert_int_equal(cgroup_setup(&m), 0);
	assert_int_equal(cgroup_create(&m, "a/b"), 0);
	expect_file("cgroup.subtree_control", "cpuset");
	expect_file("ktstr-1/a/cgroup.subtree_control", "cpuset");
	expect_error(cgroup_set_cpu_weight(&m, "a", 100), ENOENT,
		     "cgroup 'a' has no cpu.weight: this run leaves the cpu controller off");
	stop(NULL);
}

static void test_missing_controller_is_told(void **state)
{
	(void)state;
	start_with("memory", false);
	expect_error(cgroup_setup(&m), ENODATA, "has no cpuset controller: cgroup v1 may be using");
	stop(NULL);
}

static void test_without_cgroup2(void **state)
{
	struct cgroup_manager_options options = { .roots = &fake.roots, .parent = "ktstr-1" };

	(void)state;
	start_with("cpuset", false);
	cgroup_manager_finish(&m);
	unit_write(fake.dir, "proc/self/mounts", "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n");
	expect_error(cgroup_manager_init(&m, &options), ENODATA,
		     "cgroup v2 is not mounted on this machine");
	unit_write(fake.dir, "proc/self/mounts", "none /a\\040b\\ cgroup2 rw 0 0");
	assert_int_equal(cgroup_manager_init(&m, &options), 0);
	assert_string_equal(m.mount, "/a b\\");
	cgroup_manager_finish(&m);
	options.parent = "/elsewhere";
	expect_error(cgroup_manager_init(&m, &options), EINVAL, "parent cgroup '/elsewhere'");
	stop(NULL);
}

static void test_missing_rights(void **state)
{
	(void)state;
	fake_cgroup_fail("cpuset.cpus", EACCES, 1);
	assert_int_equal(cgroup_create(&m, "a"), 0);
	expect_error(cgroup_set_cpuset(&m, "a", "0"), EACCES,
		     "Permission denied; cgroups need root, or a directory that was delegated");
}

static void test_names(void **state)
{
	static const char *const bad[] = { "",	     "/a", "a/",  "a//b", "..",
					   "a/../b", ".",  "a/.", "a\nb" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(cgroup_create(&m, bad[i]), -EINVAL);
		assert_int_equal(cgroup_remove(&m, bad[i]), -EINVAL);
	}
	assert_int_equal(cgroup_create(&m, "..a/b..c"), 0);
	assert_int_equal(cgroup_create(&m, ".a/.../b."), 0);
}

static void test_create_is_nested_and_idempotent(void **state)
{
	(void)state;
	assert_int_equal(cgroup_create(&m, "a/b/c"), 0);
	assert_int_equal(cgroup_create(&m, "a/b/c"), 0);
	expect_file("ktstr-1/a/b/cgroup.subtree_control", "cpuset cpu");
	expect_file("ktstr-1/a/b/c/cgroup.subtree_control", "");
	expect_file("ktstr-1/a/b/c/cgroup.controllers", "cpuset cpu");
}

static void test_level_with_tasks_gets_no_controllers(void **state)
{
	(void)state;
	assert_int_equal(cgroup_create(&m, "a"), 0);
	assert_int_equal(cgroup_move_task(&m, "a", 77), 0);
	assert_int_equal(cgroup_create(&m, "a/churn/deep"), 0);
	expect_file("ktstr-1/a/cgroup.subtree_control", "");
	expect_error(cgroup_set_cpuset(&m, "a/churn", "0"), ENOENT,
		     "cgroup 'a/churn' has no cpuset.cpus: the cpuset controller is not enabled");
	expect_error(cgroup_set_memory(&m, "a/churn", "memory.max", "1M"), EBUSY,
		     "it has tasks of its own");
}

static void test_remove_drains_and_goes_depth_first(void **state)
{
	(void)state;
	assert_int_equal(cgroup_create(&m, "a/b"), 0);
	assert_int_equal(cgroup_move_task(&m, "a/b", 77), 0);
	assert_int_equal(cgroup_remove(&m, "a"), 0);
	assert_false(fake_cgroup_has(&fake, "ktstr-1/a"));
	assert_non_null(strstr(fake_cgroup_log(), "ROOT/cgroup.procs=77;"));
	assert_int_equal(cgroup_remove(&m, "a"), 0);
}

static void test_remove_waits_for_a_busy_one(void **state)
{
	(void)state;
	assert_int_equal(cgroup_create(&m, "a"), 0);
	fake_cgroup_fail("rmdir", EBUSY, 3);
	assert_int_equal(cgroup_remove(&m, "a"), 0);
	assert_int_equal(cgroup_create(&m, "a"), 0);
	fake_cgroup_fail("rmdir", EBUSY, 100);
	expect_error(cgroup_remove(&m, "a"), EBUSY, "tasks may still be in it");
	fake_cgroup_fail("rmdir", EACCES, 1);
	expect_error(cgroup_remove(&m, "a"), EACCES, "it belongs to another user");
}

static void test_setters(void **state)
{
	(void)state;
	assert_int_equal(cgroup_create(&m, "a"), 0);
	assert_int_equal(cgroup_set_cpuset(&m, "a", "0-2"), 0);
	assert_int_equal(cgroup_set_mems(&m, "a", "1"), 0);
	assert_int_equal(cgroup_set_cpu_max(&m, "a", "50000 100000"), 0);
	assert_int_equal(cgroup_set_cpu_weight(&m, "a", 10000), 0);
	assert_int_equal(cgroup_set_uclamp(&m, "a", 10, 50), 0);
	assert_int_equal(cgroup_set_memory(&m, "a", "memory.high", "64M"), 0);
	assert_int_equal(cgroup_set_pids_max(&m, "a", 99), 0);
	expect_file("ktstr-1/a/cpuset.cpus", "0-2");
	expect_file("ktstr-1/a/cpuset.mems", "1");
	expect_file("ktstr-1/a/cpu.max", "50000 100000");
	expect_file("ktstr-1/a/cpu.weight", "10000");
	expect_file("ktstr-1/a/cpu.uclamp.max", "50");
	expect_file("ktstr-1/a/memory.high", "64M");
	expect_file("ktstr-1/a/pids.max", "99");
	assert_int_equal(cgroup_clear_cpuset(&m, "a"), 0);
	expect_file("ktstr-1/a/cpuset.cpus", "");
	expect_error(cgroup_set_cpu_weight(&m, "a", 0), EINVAL, "cpu.weight is 1 to 10000, not 0");
	expect_error(cgroup_set_cpu_weight(&m, "a", 10001), EINVAL, "not 10001");
	expect_error(cgroup_set_uclamp(&m, "a", 60, 50), EINVAL, "uclamp is in percent");
	expect_error(cgroup_set_cpuset(&m, "b", "0"), ENOENT, "there is no cgroup 'b'");
}

/* Before 7.0 the kernel refuses to empty the list of a cgroup with tasks in it. */
static void test_clear_cpuset_with_tasks(void **state)
{
	(void)state;
	assert_int_equal(cgroup_create(&m, "a/b"), 0);
	assert_int_equal(cgroup_write(&m, "", "cpuset.cpus.effective", "0-7"), 0);
	assert_int_equal(cgroup_write(&m, "a", "cpuset.cpus.effective", "0-3"), 0);
	assert_int_equal(cgroup_set_cpuset(&m, "a/b", "1"), 0);
	fake_cgroup_fail("cpuset.cpus", ENOSPC, 1);
	assert_int_equal(cgroup_clear_cpuset(&m, "a/b"), 0);
	expect_file("ktstr-1/a/b/cpuset.cpus", "0-3");
	fake_cgroup_fail("cpuset.cpus", ENOSPC, 1);
	assert_int_equal(cgroup_clear_cpuset(&m, "a"), 0);
	expect_file("ktstr-1/a/cpuset.cpus", "0-7");
	fake_cgroup_fail("cpuset.cpus", ENOSPC, 2);
	expect_error(cgroup_clear_cpuset(&m, "a"), ENOSPC, "write '0-7' to");
}

static void test_freeze_waits_for_the_event(void **state)
{
	(void)state;
	assert_int_equal(cgroup_create(&m, "a"), 0);
	assert_int_equal(cgroup_freeze(&m, "a"), 0);
	expect_file("ktstr-1/a/cgroup.freeze", "1");
	assert_int_equal(cgroup_unfreeze(&m, "a"), 0);
	expect_file("ktstr-1/a/cgroup.freeze", "0");
}

static void test_move_tasks(void **state)
{
	const pid_t pids[] = { 11, 12, 13 };

	(void)state;
	assert_int_equal(cgroup_create(&m, "a"), 0);
	assert_int_equal(cgroup_create(&m, "b"), 0);
	assert_int_equal(cgroup_move_tasks(&m, "a", pids, 3), 0);
	expect_file("ktstr-1/a/cgroup.procs", "11\n12\n13");
	/* One has gone meanwhile: that is not an error. */
	fake_cgroup_fail("cgroup.procs", ESRCH, 1);
	assert_int_equal(cgroup_move_tasks(&m, "b", pids, 3), 0);
	expect_file("ktstr-1/a/cgroup.procs", "11");
	expect_file("ktstr-1/b/cgroup.procs", "12\n13");
	assert_int_equal(cgroup_move_tasks(&m, "b", pids, 0), 0);
	fake_cgroup_fail("cgroup.procs", EPERM, 1);
	expect_error(cgroup_move_tasks(&m, "b", pids, 1), EPERM, "move task 11 to");
}

static void test_busy_move_is_tried_again(void **state)
{
	const pid_t pids[] = { 11, 12 };

	(void)state;
	assert_int_equal(cgroup_create(&m, "a"), 0);
	fake_cgroup_fail("cgroup.procs", EBUSY, 5);
	assert_int_equal(cgroup_move_tasks(&m, "a", pids, 2), 0);
	expect_file("ktstr-1/a/cgroup.procs", "12\n11");
	fake_cgroup_fail("cgroup.procs", EBUSY, 8);
	expect_error(cgroup_move_tasks(&m, "a", pids, 2), EBUSY, "also after 3 more tries");
}

static void test_clear_subtree_control_lets_tasks_in(void **state)
{
	(void)state;
	assert_int_equal(cgroup_create(&m, "a/b/c"), 0);
	expect_error(cgroup_move_task(&m, "a", 5), EBUSY, "takes no tasks");
	assert_int_equal(cgroup_clear_subtree_control(&m, "a"), 0);
	expect_file("ktstr-1/a/b/cgroup.subtree_control", "");
	assert_int_equal(cgroup_move_task(&m, "a", 5), 0);
	expect_file("ktstr-1/a/cgroup.procs", "5");
	assert_int_equal(cgroup_drain(&m, "a"), 0);
	expect_file("ktstr-1/a/cgroup.procs", "");
}

static void test_cleanup_all(void **state)
{
	(void)state;
	assert_int_equal(cgroup_create(&m, "a/b"), 0);
	assert_int_equal(cgroup_create(&m, "c"), 0);
	assert_int_equal(cgroup_cleanup_all(&m), 0);
	assert_false(fake_cgroup_has(&fake, "ktstr-1/a"));
	assert_false(fake_cgroup_has(&fake, "ktstr-1/c"));
	assert_true(fake_cgroup_has(&fake, "ktstr-1"));
	assert_true(m.made_parent);
	assert_int_equal(cgroup_remove_parent(&m), 0);
	assert_false(fake_cgroup_has(&fake, "ktstr-1"));
}

static void test_group_goes_in_reverse(void **state)
{
	struct cgroup_group g = { .manager = &m };

	(void)state;
	assert_int_equal(cgroup_group_create(&g, "a"), 0);
	assert_int_equal(cgroup_group_create(&g, "a/b"), 0);
	assert_int_equal(cgroup_group_add(&g, "never-made"), 0);
	cgroup_group_finish(&g);
	assert_false(fake_cgroup_has(&fake, "ktstr-1/a"));
	assert_int_equal(g.names.count, 0);
}

static void test_write_gives_up(void **state)
{
	(void)state;
	assert_int_equal(cgroup_create(&m, "a"), 0);
	fake_cgroup_delay("cpu.max", 2500);
	expect_error(cgroup_set_cpu_max(&m, "a", "max"), ETIMEDOUT,
		     "cpu.max: the kernel did not answer within 2 s");
	/* The thread that was left behind still uses the tree. */
	usleep(1000 * 1000);
	fake_cgroup_delay("cpu.max", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_setup_enables_from_the_root_down),
		cmocka_unit_test(test_no_ctrl_leaves_cpu_off),
		cmocka_unit_test(test_missing_controller_is_told),
		cmocka_unit_test(test_without_cgroup2),
		cmocka_unit_test_setup_teardown(test_missing_rights, start, stop),
		cmocka_unit_test_setup_teardown(test_names, start, stop),
		cmocka_unit_test_setup_teardown(test_create_is_nested_and_idempotent, start, stop),
		cmocka_unit_test_setup_teardown(test_level_with_tasks_gets_no_controllers, start,
						stop),
		cmocka_unit_test_setup_teardown(test_remove_drains_and_goes_depth_first, start,
						stop),
		cmocka_unit_test_setup_teardown(test_remove_waits_for_a_busy_one, start, stop),
		cmocka_unit_test_setup_teardown(test_setters, start, stop),
		cmocka_unit_test_setup_teardown(test_clear_cpuset_with_tasks, start, stop),
		cmocka_unit_test_setup_teardown(test_freeze_waits_for_the_event, start, stop),
		cmocka_unit_test_setup_teardown(test_move_tasks, start, stop),
		cmocka_unit_test_setup_teardown(test_busy_move_is_tried_again, start, stop),
		cmocka_unit_test_setup_teardown(test_clear_subtree_control_lets_tasks_in, start,
						stop),
		cmocka_unit_test_setup_teardown(test_cleanup_all, start, stop),
		cmocka_unit_test_setup_teardown(test_group_goes_in_reverse, start, stop),
		cmocka_unit_test_setup_teardown(test_write_gives_up, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
