// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cpuset sandbox on a cgroup tree of plain files. What the kernel does when a
 * cgroup is made and removed is played by the two functions below; a log of the
 * writes comes from watching the files.
 */
#include "unit.h"

#include <sched.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int fake_mkdir(const char *path, mode_t mode);
static int fake_rmdir(const char *path);

#define mkdir(path, mode) fake_mkdir(path, mode)
#define rmdir(path) fake_rmdir(path)
#include "host/sandbox.c"
#undef mkdir
#undef rmdir

static char *dir;
static struct roots roots;
static int watch_fd;
static int busy_removals; /* how often rmdir says EBUSY first */
static int removals;	  /* how often it was called */
static const char *effective_cpus, *effective_mems, *new_type;
static int refuse_procs; /* make the new cgroup's cgroup.procs read-only to us */

static const char *const control_files[] = {
	"cpuset.cpus", "cpuset.mems",		"cgroup.procs",
	"cgroup.type", "cpuset.cpus.effective", "cpuset.mems.effective",
};

static int fake_mkdir(const char *path, mode_t mode)
{
	if (mkdir(path, mode) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(control_files); i++) {
		bool is_refused = refuse_procs && str_eq(control_files[i], "cgroup.procs");

		if (!is_refused)
			unit_write(path, control_files[i], "");
	}
	unit_write(path, "cgroup.type", new_type);
	unit_write(path, "cpuset.cpus.effective", effective_cpus);
	unit_write(path, "cpuset.mems.effective", effective_mems);
	assert_true(inotify_add_watch(watch_fd, path, IN_MODIFY) >= 0);
	return 0;
}

static int fake_rmdir(const char *path)
{
	int rc;

	removals++;
	if (busy_removals > 0) {
		busy_removals--;
		errno = EBUSY;
		return -1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(control_files); i++) {
		_free_ char *file = str_fmt("%s/%s", path, control_files[i]);

		unlink(file);
	}
	rc = rmdir(path);
	/* Without a failure, errno is whatever it is. */
	if (rc == 0)
		errno = EIO;
	return rc;
}

/* The names of the files written in the new cgroup, in order. */
static void read_writes(struct str *names)
{
	char buffer[4096] __attribute__((aligned(8)));
	ssize_t len = read(watch_fd, buffer, sizeof(buffer));

	for (ssize_t at = 0; at < len;) {
		const struct inotify_event *event = (const void *)(buffer + at);

		if (event->mask & IN_MODIFY)
			str_addf(names, "%s ", event->name);
		at += (ssize_t)(sizeof(*event) + event->len);
	}
}

static char *read_text(const char *path)
{
	_str_ struct str text = {};

	assert_int_equal(file_read(path, &text), 0);
	str_addn(&text, "", 0);
	return str_take(&text);
}

static void expect_file(const char *name, const char *expected)
{
	_free_ char *path = str_fmt("%s/%s", dir, name);
	_free_ char *text = read_text(path);

	assert_string_equal(text ? text : "", expected);
}

/* The name of the one sandbox below a cgroup; NULL if there is none. */
static char *sandbox_below(const char *cgroup)
{
	_free_ char *path = str_fmt("%s/%s", dir, cgroup);
	_closedir_ DIR *d = opendir(path);
	struct dirent *entry;

	assert_non_null(d);
	while ((entry = readdir(d))) {
		if (str_starts(entry->d_name, SANDBOX_PREFIX))
			return strdup(entry->d_name);
	}
	return NULL;
}

static void write_home(const char *controllers, const char *enabled)
{
	_free_ char *proc = str_fmt("proc/%d/cgroup", getpid());

	unit_write(dir, proc, "4:memory:/elsewhere\n0::/user/job\n");
	unit_write(dir, "cgroup/cgroup.controllers", "cpuset cpu memory\n");
	unit_write(dir, "cgroup/user/job/cgroup.controllers", controllers);
	unit_write(dir, "cgroup/user/job/cgroup.subtree_control", enabled);
	unit_write(dir, "cgroup/user/job/cgroup.procs", "");
}

static int setup(void **state)
{
	(void)state;
	log_set_level(LOG_OFF);
	dir = unit_temp_create();
	roots.proc = str_fmt("%s/proc", dir);
	roots.sys = "/nonexistent";
	roots.cgroup = str_fmt("%s/cgroup", dir);
	write_home("cpuset cpu memory\n", "cpuset\n");
	watch_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	busy_removals = refuse_procs = removals = 0;
	effective_cpus = "0-1\n";
	effective_mems = "0\n";
	new_type = "domain\n";
	err_clear();
	return watch_fd < 0;
}

static int teardown(void **state)
{
	(void)state;
	close(watch_fd);
	free((char *)roots.proc);
	free((char *)roots.cgroup);
	unit_temp_remove(dir);
	return 0;
}

static const unsigned int two_cpus[] = { 0, 1 };
static const unsigned int node_zero[] = { 0 };

static struct sandbox_request request(bool is_explicit)
{
	return (struct sandbox_request){
		.cpus = two_cpus,
		.cpu_count = 2,
		.nodes = node_zero,
		.node_count = 1,
		.is_explicit = is_explicit,
	};
}

static void files_are_written_in_the_order_that_the_kernel_needs(void **state)
{
	_str_ struct str writes = {};
	_free_ char *name = NULL, *cpus = NULL, *mems = NULL, *procs = NULL, *pid = NULL;
	struct sandbox_request r = request(true);
	struct sandbox s;

	(void)state;
	assert_int_equal(sandbox_enter(&s, &r, &roots), 0);
	assert_non_null(s.path);
	read_writes(&writes);
	assert_string_equal(str_get(&writes), "cpuset.cpus cpuset.mems cgroup.procs ");
	name = sandbox_below("cgroup/user/job");
	assert_non_null(name);
	cpus = str_fmt("cgroup/user/job/%s/cpuset.cpus", name);
	mems = str_fmt("cgroup/user/job/%s/cpuset.mems", name);
	procs = str_fmt("cgroup/user/job/%s/cgroup.procs", name);
	pid = str_fmt("%d", getpid());
	expect_file(cpus, "0-1");
	expect_file(mems, "0");
	expect_file(procs, pid);
	sandbox_leave(&s);
	expect_file("cgroup/user/job/cgroup.procs", pid);
	assert_null(sandbox_below("cgroup/user/job"));
	expect_file("cgroup/user/job/cgroup.subtree_control", "cpuset\n");
}

static void missing_controller_is_enabled_and_disabled_again(void **state)
{
	struct sandbox_request r = request(true);
	struct sandbox s;

	(void)state;
	write_home("cpuset cpu\n", "");
	assert_int_equal(sandbox_enter(&s, &r, &roots), 0);
	assert_non_null(s.path);
	expect_file("cgroup/user/job/cgroup.subtree_control", "+cpuset");
	sandbox_leave(&s);
	expect_file("cgroup/user/job/cgroup.subtree_control", "-cpuset");
}

static void cgroup_below_one_with_processes_becomes_threaded(void **state)
{
	_str_ struct str writes = {};
	struct sandbox_request r = request(true);
	struct sandbox s;

	(void)state;
	new_type = "domain invalid\n";
	assert_int_equal(sandbox_enter(&s, &r, &roots), 0);
	assert_non_null(s.path);
	read_writes(&writes);
	assert_string_equal(str_get(&writes), "cgroup.type cpuset.cpus cpuset.mems cgroup.procs ");
	sandbox_leave(&s);
}

static void narrowing_is_fatal_for_an_explicit_cap(void **state)
{
	struct sandbox_request r = request(true);
	struct sandbox s;

	(void)state;
	effective_cpus = "1\n";
	assert_int_equal(sandbox_enter(&s, &r, &roots), -ERANGE);
	assert_string_equal(err_text(-ERANGE), "CPU budget: the cgroup above allows cpuset.cpus "
					       "'1' of the wanted '0-1'");
	assert_null(sandbox_below("cgroup/user/job"));
	effective_cpus = "0-1\n";
	effective_mems = "\n";
	assert_int_equal(sandbox_enter(&s, &r, &roots), -ERANGE);
	assert_non_null(strstr(err_text(-ERANGE), "cpuset.mems '' of the wanted '0'"));
	assert_null(sandbox_below("cgroup/user/job"));
}

static void narrowing_is_a_warning_otherwise(void **state)
{
	struct sandbox_request r = request(false);
	struct sandbox s;

	(void)state;
	effective_cpus = "1\n";
	assert_int_equal(sandbox_enter(&s, &r, &roots), 0);
	assert_non_null(s.path);
	sandbox_leave(&s);
}

static void removal_is_tried_five_times(void **state)
{
	struct sandbox_request r = request(true);
	struct sandbox s;

	(void)state;
	busy_removals = 4;
	assert_int_equal(sandbox_enter(&s, &r, &roots), 0);
	sandbox_leave(&s);
	assert_null(sandbox_below("cgroup/user/job"));
	assert_int_equal(busy_removals, 0);
	assert_int_equal(removals, 5);
	/* Once is enough where nothing is in the way. */
	assert_int_equal(sandbox_enter(&s, &r, &roots), 0);
	sandbox_leave(&s);
	assert_int_equal(removals, 6);
}

/* What is said on stderr from here to stop_hearing(), which returns it. */
static int start_hearing(void)
{
	_free_ char *path = str_fmt("%s/stderr", dir);
	int saved = dup(STDERR_FILENO);

	log_set_level(LOG_INFO);
	assert_non_null(freopen(path, "w", stderr));
	return saved;
}

static char *stop_hearing(int saved)
{
	_free_ char *path = str_fmt("%s/stderr", dir);

	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	log_set_level(LOG_OFF);
	return read_text(path);
}

static void orphan_that_cannot_be_removed_is_told(void **state)
{
	struct sandbox_request r = request(true);
	_free_ char *nothing = NULL;
	_free_ char *text = NULL, *name = NULL;
	struct sandbox s;
	int saved;

	(void)state;
	assert_int_equal(sandbox_enter(&s, &r, &roots), 0);
	saved = start_hearing();
	sandbox_leave(&s);
	nothing = stop_hearing(saved);
	assert_string_equal(nothing ? nothing : "", "");
	assert_int_equal(sandbox_enter(&s, &r, &roots), 0);
	busy_removals = 5;
	saved = start_hearing();
	sandbox_leave(&s);
	text = stop_hearing(saved);
	assert_non_null(strstr(text, "tag=resource_budget.cgroup_orphan_left"));
	name = sandbox_below("cgroup/user/job");
	assert_non_null(name);
	assert_non_null(strstr(text, name));
}

static void old_orphans_are_swept_and_young_ones_stay(void **state)
{
	uint64_t now = clock_wall_ns() / NSEC_PER_SEC;
	_free_ char *old = str_fmt("cgroup/user/job/" SANDBOX_PREFIX "77-%llu/cpuset.cpus",
				   (unsigned long long)(now - SANDBOX_ORPHAN_AGE_S - 60));
	_free_ char *young = str_fmt("cgroup/user/job/" SANDBOX_PREFIX "78-%llu/cpuset.cpus",
				     (unsigned long long)(now - SANDBOX_ORPHAN_AGE_S + 60));
	_free_ char *old_path = str_fmt("%s/%s", dir, old);
	_free_ char *left = str_fmt("removed the left-over cgroup %s/cgroup/user/job/", dir);
	struct sandbox_request r = request(true);
	_free_ char *text = NULL;
	struct sandbox s;
	int saved;

	(void)state;
	unit_write(dir, old, "");
	unit_write(dir, young, "");
	unit_write(dir, "cgroup/user/job/" SANDBOX_PREFIX "notes/cpuset.cpus", "");
	saved = start_hearing();
	assert_int_equal(sandbox_enter(&s, &r, &roots), 0);
	text = stop_hearing(saved);
	assert_non_null(strstr(text, left));
	assert_int_equal(access(old_path, F_OK), -1);
	sandbox_leave(&s);
	expect_file(young, "");
	expect_file("cgroup/user/job/" SANDBOX_PREFIX "notes/cpuset.cpus", "");
}

/* Without a usable cpuset: affinity of this process, and back. */
static void expect_affinity_fallback(void)
{
	_cleanup_(cpulist_finish) struct cpulist before = {}, inside = {}, after = {};
	struct sandbox_request r = request(true);
	struct sandbox s;

	assert_int_equal(affinity_get(0, &before), 0);
	r.cpus = &before.cpus[before.count - 1];
	r.cpu_count = 1;
	assert_int_equal(sandbox_enter(&s, &r, &roots), 0);
	assert_null(s.path);
	assert_int_equal(affinity_get(0, &inside), 0);
	assert_int_equal(inside.count, 1);
	assert_int_equal(inside.cpus[0], before.cpus[before.count - 1]);
	sandbox_leave(&s);
	assert_int_equal(affinity_get(0, &after), 0);
	assert_int_equal(after.count, before.count);
}

static void affinity_stands_in_for_each_missing_piece(void **state)
{
	_free_ char *root_file = str_fmt("%s/cgroup/cgroup.controllers", dir);
	_free_ char *proc = str_fmt("proc/%d/cgroup", getpid());
	_free_ char *left = NULL;

	(void)state;
	refuse_procs = 1;
	expect_affinity_fallback();
	left = sandbox_below("cgroup/user/job");
	assert_null(left);
	write_home("cpu memory\n", "");
	expect_affinity_fallback();
	unit_write(dir, proc, "3:cpuset:/\n2:cpu:/\n");
	expect_affinity_fallback();
	write_home("cpuset\n", "cpuset\n");
	assert_int_equal(unlink(root_file), 0);
	expect_affinity_fallback();
}

static void children_inherit_the_affinity(void **state)
{
	_cleanup_(cpulist_finish) struct cpulist before = {};
	struct sandbox_request r = request(true);
	struct sandbox s;
	int status;
	pid_t pid;

	(void)state;
	write_home("cpu\n", "");
	assert_int_equal(affinity_get(0, &before), 0);
	r.cpus = before.cpus;
	r.cpu_count = 1;
	assert_int_equal(sandbox_enter(&s, &r, &roots), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct cpulist mine = {};

		_exit(affinity_get(0, &mine) == 0 && mine.count == 1 ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	sandbox_leave(&s);
}

/*
 * As a user that owns nothing here: root may write everywhere. From within the directory, because
 * those above it may be closed to others.
 */
static int probe_as_somebody(void)
{
	const struct roots here = { .proc = "proc", .sys = "sys", .cgroup = "cgroup" };
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		if (chdir(dir) < 0 || (getuid() == 0 && setuid(65534) < 0))
			_exit(100);
		_exit(-sandbox_probe(&here));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return -WEXITSTATUS(status);
}

static void a_sandbox_needs_the_right_to_divide_the_cgroup(void **state)
{
	_free_ char *home = str_fmt("%s/cgroup/user/job", dir);
	_free_ char *control = str_fmt("%s/cgroup.subtree_control", home);

	(void)state;
	unit_write(dir, "proc/self/cgroup", "0::/user/job\n");
	assert_int_equal(chmod(dir, 0711), 0);
	assert_int_equal(chmod(home, 0777), 0);
	assert_int_equal(chmod(control, 0666), 0);
	assert_int_equal(probe_as_somebody(), 0);
	assert_int_equal(chmod(control, 0444), 0);
	assert_int_equal(probe_as_somebody(), -EACCES);
	assert_int_equal(chmod(control, 0666), 0);
	assert_int_equal(chmod(home, 0555), 0);
	assert_int_equal(probe_as_somebody(), -EACCES);
	assert_int_equal(chmod(home, 0666), 0);
	assert_int_equal(probe_as_somebody(), -ENODATA);
	assert_int_equal(chmod(home, 0777), 0);
	write_home("cpu\n", "");
	assert_int_equal(probe_as_somebody(), -ENODATA);
	unit_write(dir, "proc/self/cgroup", "1:cpuset:/\n");
	assert_int_equal(probe_as_somebody(), -ENODATA);
}

static void leaving_twice_or_never_entered_is_harmless(void **state)
{
	struct sandbox s = {};

	(void)state;
	sandbox_leave(&s);
	sandbox_leave(&s);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(files_are_written_in_the_order_that_the_kernel_needs),
		TEST(missing_controller_is_enabled_and_disabled_again),
		TEST(cgroup_below_one_with_processes_becomes_threaded),
		TEST(narrowing_is_fatal_for_an_explicit_cap),
		TEST(narrowing_is_a_warning_otherwise),
		TEST(removal_is_tried_five_times),
		TEST(orphan_that_cannot_be_removed_is_told),
		TEST(old_orphans_are_swept_and_young_ones_stay),
		TEST(affinity_stands_in_for_each_missing_piece),
		TEST(children_inherit_the_affinity),
		TEST(a_sandbox_needs_the_right_to_divide_the_cgroup),
		TEST(leaving_twice_or_never_entered_is_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
