// SPDX-License-Identifier: GPL-2.0-only
/* What a guest finds out about itself: settings, configuration, topology, files. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "guest/parts.h"
#include "guest/protocol.h"

static int setup(void **state)
{
	*state = unit_temp_create();
	return 0;
}

static int teardown(void **state)
{
	unit_temp_remove(*state);
	return 0;
}

static void settings_finish(struct settings *s)
{
	str_finish(&s->text);
}

static void settings_come_from_the_nearest_place(void **state)
{
	_cleanup_(settings_finish) struct settings s = {};
	char value[64];

	unit_write(*state, "proc/cmdline",
		   "quiet KTSTR_MODE=run KTSTR_TOPO=1,2,3,4 XKTSTR_SEED=9\n");
	unit_write(*state, ".ktstr_base", "KTSTR_TERM=base\nKTSTR_LIBRARY_PATH=/a b:/c\n");
	unit_write(*state, ".ktstr_run", "KTSTR_MODE=exec\nKTSTR_TERM=run");
	assert_int_equal(settings_read(&s, *state), 0);
	assert_string_equal(settings_get(&s, GUEST_MODE, value, sizeof(value)), "exec");
	assert_string_equal(settings_get(&s, GUEST_TERM, value, sizeof(value)), "run");
	assert_string_equal(settings_get(&s, GUEST_TOPOLOGY, value, sizeof(value)), "1,2,3,4");
	assert_string_equal(settings_get(&s, GUEST_LIBRARY_PATH, value, sizeof(value)), "/a b:/c");
	assert_null(settings_get(&s, GUEST_SEED, value, sizeof(value)));
	assert_string_equal(settings_get(&s, GUEST_TOPOLOGY, value, 4), "1,2");
}

static void settings_are_whole_words(void **state)
{
	_cleanup_(settings_finish) struct settings s = {};
	_free_ char *file = str_fmt("%s/.ktstr_run", (char *)*state);
	char value[64];

	unit_write(*state, ".ktstr_run", "KTSTR_MODE\nKTSTR_TERM=\nKTSTR_TEMPLATE=10\nKTSTR_DISK=");
	unit_write(*state, ".ktstr_base", "KTSTR_MODE=base\n");
	unit_write(*state, "proc/cmdline", "KTSTR_TERM=x KTSTR_ACCEL=sim");
	assert_int_equal(settings_read(&s, *state), 0);
	assert_string_equal(settings_get(&s, GUEST_MODE, value, sizeof(value)), "base");
	assert_string_equal(settings_get(&s, GUEST_TERM, value, sizeof(value)), "");
	assert_string_equal(settings_get(&s, GUEST_ACCEL, value, sizeof(value)), "sim");
	assert_false(settings_is_set(&s, GUEST_TEMPLATE));
	assert_false(settings_is_set(&s, GUEST_DISK));
	/* Words are separated on the command line only. */
	assert_string_equal(str_get(&s.text),
			    "KTSTR_MODE\nKTSTR_TERM=\nKTSTR_TEMPLATE=10\nKTSTR_DISK=\n"
			    "KTSTR_MODE=base\nKTSTR_TERM=x\nKTSTR_ACCEL=sim\n");
	/* They are read anew, and what cannot be read is an error. */
	unit_write(*state, ".ktstr_run", "");
	assert_int_equal(settings_read(&s, *state), 0);
	assert_string_equal(settings_get(&s, GUEST_TERM, value, sizeof(value)), "x");
	assert_int_equal(unlink(file), 0);
	assert_int_equal(mkdir(file, 0755), 0);
	assert_int_equal(settings_read(&s, *state), -EISDIR);
}

static struct timespec tick;
static int tick_rc;

int __wrap_clock_getres(clockid_t clock, struct timespec *out);

int __wrap_clock_getres(clockid_t clock, struct timespec *out)
{
	assert_int_equal(clock, CLOCK_MONOTONIC_COARSE);
	*out = tick;
	return tick_rc;
}

static void expect_placed(const char *root, const char *text)
{
	_str_ struct str placed = {};
	_free_ char *path = NULL;
	struct utsname kernel;

	uname(&kernel);
	path = str_fmt("%s" GUEST_CONFIG "-%s", root, kernel.release);
	assert_int_equal(kernel_config_place(root), 0);
	assert_int_equal(file_read(path, &placed), 0);
	assert_string_equal(str_get(&placed), text);
	assert_int_equal(kernel_config_place(root), -ENOENT);
}

static void a_derived_configuration_is_completed_and_named(void **state)
{
	assert_int_equal(kernel_config_place(*state), -ENOENT);
	tick = (struct timespec){ .tv_nsec = 4000000 };
	unit_write(*state, "sys/devices/system/cpu/kernel_max", "8191\n");
	unit_write(*state, "boot/config", "# derived\n# CONFIG_HZ=1\nCONFIG_HZ_250=y\n");
	expect_placed(*state, "# derived\n# CONFIG_HZ=1\nCONFIG_HZ_250=y\nCONFIG_HZ=250\n"
			      "CONFIG_NR_CPUS=8192\n");
	unit_write(*state, "sys/devices/system/cpu/kernel_max", "many\n");
	unit_write(*state, "boot/config", "CONFIG_HZ=100\n");
	expect_placed(*state, "CONFIG_HZ=100\n");
	/* The number of a CPU that there cannot be, and the largest that there can. */
	unit_write(*state, "sys/devices/system/cpu/kernel_max", "4294967295\n");
	unit_write(*state, "boot/config", "CONFIG_HZ=100\n");
	expect_placed(*state, "CONFIG_HZ=100\n");
	unit_write(*state, "sys/devices/system/cpu/kernel_max", "4294967294\n");
	unit_write(*state, "boot/config", "XCONFIG_NR_CPUS=1\nCONFIG_HZ=100\n");
	expect_placed(*state, "XCONFIG_NR_CPUS=1\nCONFIG_HZ=100\nCONFIG_NR_CPUS=4294967295\n");
}

static void expect_hz(const char *root, long seconds, long ns, const char *line)
{
	_free_ char *expected = str_fmt("CONFIG_NR_CPUS=1\n%s", line);

	tick = (struct timespec){ .tv_sec = seconds, .tv_nsec = ns };
	unit_write(root, "boot/config", "CONFIG_NR_CPUS=1\n");
	expect_placed(root, expected);
}

/* The kernel rounds the length of a tick. */
static void ticks_are_counted_in_a_second(void **state)
{
	expect_hz(*state, 0, 1000000, "CONFIG_HZ=1000\n");
	expect_hz(*state, 0, 3333333, "CONFIG_HZ=300\n");
	expect_hz(*state, 0, 10000000, "CONFIG_HZ=100\n");
	expect_hz(*state, 0, 3, "CONFIG_HZ=333333333\n");
	expect_hz(*state, 0, 400000000, "CONFIG_HZ=3\n"); /* 2.5 */
	/* What is no tick tells nothing. */
	expect_hz(*state, 1, 4000000, "");
	expect_hz(*state, 0, 0, "");
	tick_rc = -1;
	expect_hz(*state, 0, 4000000, "");
	tick_rc = 0;
}

static void a_configuration_that_cannot_be_named_is_an_error(void **state)
{
	_free_ char *below = NULL;
	struct utsname kernel;

	uname(&kernel);
	below = str_fmt("boot/config-%s/x", kernel.release);
	unit_write(*state, below, "");
	unit_write(*state, "boot/config", "CONFIG_NR_CPUS=64\nCONFIG_HZ=123\n");
	assert_int_equal(kernel_config_place(*state), -EISDIR);
}

static void a_configuration_of_its_own_stays_as_it_is(void **state)
{
	if (fcntl(STDIN_FILENO, F_GETFD) < 0)
		assert_int_equal(open("/dev/null", O_RDONLY), STDIN_FILENO);
	unit_write(*state, "sys/devices/system/cpu/kernel_max", "8191\n");
	unit_write(*state, "boot/config", "CONFIG_NR_CPUS=64\nCONFIG_HZ=123\n");
	expect_placed(*state, "CONFIG_NR_CPUS=64\nCONFIG_HZ=123\n");
	assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
}

static void settings_may_be_absent(void **state)
{
	_cleanup_(settings_finish) struct settings s = {};
	char value[8];

	assert_int_equal(settings_read(&s, *state), 0);
	assert_null(settings_get(&s, GUEST_MODE, value, sizeof(value)));
	assert_false(settings_is_set(&s, GUEST_TEMPLATE));
	unit_write(*state, ".ktstr_run", "KTSTR_TEMPLATE=1\nKTSTR_DISK=0\n");
	assert_int_equal(settings_read(&s, *state), 0);
	assert_true(settings_is_set(&s, GUEST_TEMPLATE));
	assert_false(settings_is_set(&s, GUEST_DISK));
}

static void shapes_are_parsed_whole(void **state)
{
	static const char *const bad[] = { "",	      "1,2,3",	 "1,2,3,4,5", "0,1,1,1",
					   "1,1,1,x", "1;1;1;1", "1,1,1,1 ",  "1,1,1,65537" };
	struct topology_shape s;

	(void)state;
	assert_int_equal(topology_shape_parse("2,4,8,1", &s), 0);
	assert_int_equal(s.nodes * 1000 + s.llcs * 100 + s.cores * 10 + s.threads, 2481);
	assert_int_equal(topology_shape_parse("1,1,1,65536", &s), 0);
	assert_int_equal(s.threads, 65536);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(topology_shape_parse(bad[i], &s), -EINVAL);
}

/* The machine that is there, what was asked for, and the complaint ("" = none). */
static void topologies_are_compared(void **state)
{
	static const struct {
		const char *machine, *wanted, *distances, *complaint;
	} cases[] = {
		{ "1n1l1c1t", "1,1,1,1", NULL, "" },
		{ "2n4l2c2t", "2,4,2,2", NULL, "" },
		{ "2n4l2c2t", "2,4,2,2", "10,20,20,10", "" },
		{ "2n4l2c2t", "2,4,2,2", "10,21,21,10",
		  "the NUMA distance from node 0 to 1 is 20, 21 was asked for" },
		{ "2n4l2c2t", "2,4,2,2", "10,20", "the list of NUMA distances is too short" },
		{ "1n4l2c2t", "2,4,2,2", NULL, "NUMA node 0 has 16 CPUs, 8 were asked for" },
		{ "2n4l2c2t", "1,4,2,2", NULL, "NUMA node 0 has 8 CPUs, 16 were asked for" },
		{ "1n1l8c1t", "1,2,4,1", NULL,
		  "the guest has 1 last-level caches, 2 were asked for" },
		{ "1n2l4c1t", "1,2,2,2", NULL,
		  "CPU 0 is one of 1 threads of its core, 2 were asked for" },
		{ "1n2l4c1t", "1,2,8,1", NULL, "the guest has 8 CPUs, 16 were asked for" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_topology_ struct topology t = {};
		struct topology_shape want;
		int rc;

		assert_int_equal(topology_from_notation(&t, cases[i].machine), 0);
		assert_int_equal(topology_shape_parse(cases[i].wanted, &want), 0);
		rc = topology_check(&t, &want, NULL, cases[i].distances);
		assert_true(rc <= 0);
		assert_string_equal(rc < 0 ? err_text(rc) : "", cases[i].complaint);
	}
}

/* Four CPUs on a node and two on another, and one of memory; the test says what was asked for. */
static void unequal_nodes_are_compared(void **state)
{
	static const struct {
		const char *nodes, *distances, *complaint;
	} cases[] = {
		{ "2:1024,1:512,0:256", "10,21,40,21,10,30,40,30,10", "" },
		{ "1:1024,2:512,0:256", NULL, "NUMA node 0 has 4 CPUs, 2 were asked for" },
		{ "2:1024,0:512,1:256", NULL, "NUMA node 1 has 2 CPUs, 0 were asked for" },
		{ "2:512,1:1024,0:256", NULL,
		  "NUMA node 0 has 1000000 KiB of memory, 512 MiB were asked for" },
		{ "2:1024,1:512", NULL, "the list of NUMA nodes is too short" },
		{ "2:1024,1:512,0", NULL, "the list of NUMA nodes is too short" },
		{ "2:1024,1:512,0:256", NULL,
		  "the NUMA distance from node 0 to 1 is 21, 20 was asked for" },
	};
	unsigned int distances[] = { 10, 21, 40, 21, 10, 30, 40, 30, 10 };
	struct topology_node nodes[] = {
		{ .id = 0, .cpu_count = 4, .has_memory_kib = true, .memory_kib = 1000000 },
		{ .id = 1, .cpu_count = 2, .has_memory_kib = true, .memory_kib = 500000 },
		{ .id = 2, .has_memory_kib = true, .memory_kib = 250000 },
	};
	struct topology_shape want = { 3, 3, 2, 1 };
	_topology_ struct topology real = {};
	struct topology t;

	(void)state;
	assert_int_equal(topology_from_notation(&real, "1n3l2c1t"), 0);
	t = real;
	t.nodes = nodes;
	t.node_count = ARRAY_SIZE(nodes);
	t.distances = distances;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int rc = topology_check(&t, &want, cases[i].nodes, cases[i].distances);

		assert_true(rc <= 0);
		assert_string_equal(rc < 0 ? err_text(rc) : "", cases[i].complaint);
	}
	t.node_count = 2;
	assert_string_equal(err_text(topology_check(&t, &want, "2:1024,1:512,0:256", NULL)),
			    "the guest has 2 NUMA nodes, 3 were asked for");
}

static void expect_difference(const struct topology *t, const char *wanted, const char *nodes,
			      const char *complaint)
{
	struct topology_shape want;
	int rc;

	assert_int_equal(topology_shape_parse(wanted, &want), 0);
	rc = topology_check(t, &want, nodes, NULL);
	assert_true(rc <= 0);
	assert_string_equal(rc < 0 ? err_text(rc) : "", complaint);
}

/* Sums that are right do not hide parts that are not. */
static void parts_of_a_machine_are_compared(void **state)
{
	_topology_ struct topology t = {};
	unsigned int *distances;

	(void)state;
	assert_int_equal(topology_from_notation(&t, "2n2l4c1t"), 0);
	expect_difference(&t, "2,2,4,1", NULL, "");
	t.llcs[0].cpu_count = 5;
	t.llcs[1].cpu_count = 3;
	expect_difference(&t, "2,2,4,1", NULL, "last-level cache 0 has 5 CPUs, 4 were asked for");
	t.llcs[0].cpu_count = 4;
	expect_difference(&t, "2,2,4,1", NULL, "last-level cache 1 has 3 CPUs, 4 were asked for");
	t.llcs[1].cpu_count = 4;
	t.nodes[1].cpu_count = 3;
	expect_difference(&t, "2,2,4,1", NULL, "NUMA node 1 has 3 CPUs, 4 were asked for");
	/* A node without CPUs is memory, and counts only where nodes were asked for by name. */
	t.nodes[1].cpu_count = 0;
	expect_difference(&t, "2,2,4,1", NULL,
			  "the guest has 1 NUMA nodes with CPUs, 2 were asked for");
	t.nodes[1].cpu_count = 4;
	distances = t.distances;
	t.distances = NULL;
	expect_difference(&t, "2,2,4,1", NULL, "the guest's kernel shows no NUMA distances");
	t.distances = distances;
	t.distances[2] = 21;
	expect_difference(&t, "2,2,4,1", NULL,
			  "the NUMA distance from node 1 to 0 is 21, 20 was asked for");
	t.distances[2] = 20;
	t.distances[3] = 11;
	expect_difference(&t, "2,2,4,1", NULL,
			  "the NUMA distance from node 1 to 1 is 11, 10 was asked for");
}

/* All that was given, or less; none, or an unknown amount, is not that. */
static void memory_of_a_node_is_no_more_than_was_given(void **state)
{
	_topology_ struct topology t = {};

	(void)state;
	assert_int_equal(topology_from_notation(&t, "1n1l2c1t"), 0);
	t.nodes[0].has_memory_kib = true;
	t.nodes[0].memory_kib = 100 * 1024;
	expect_difference(&t, "1,1,2,1", "1:100", "");
	expect_difference(&t, "1,1,2,1", "1:99",
			  "NUMA node 0 has 102400 KiB of memory, 99 MiB were asked for");
	t.nodes[0].memory_kib = 100 * 1024 + 1;
	expect_difference(&t, "1,1,2,1", "1:100",
			  "NUMA node 0 has 102401 KiB of memory, 100 MiB were asked for");
	t.nodes[0].memory_kib = 0;
	expect_difference(&t, "1,1,2,1", "1:100",
			  "NUMA node 0 has 0 KiB of memory, 100 MiB were asked for");
	t.nodes[0].memory_kib = 1;
	expect_difference(&t, "1,1,2,1", "1:100", "");
	t.nodes[0].has_memory_kib = false;
	expect_difference(&t, "1,1,2,1", "1:100",
			  "NUMA node 0 has 1 KiB of memory, 100 MiB were asked for");
}

/* Memory between nodes with CPUs, and cores of several threads. */
static void all_nodes_with_cpus_are_compared(void **state)
{
	_topology_ struct topology t = {};
	struct topology_node nodes[3] = { { .id = 0, .cpu_count = 4 },
					  { .id = 1 },
					  { .id = 2, .cpu_count = 4 } };
	unsigned int distances[] = { 10, 20, 20, 20, 10, 20, 20, 20, 10 };
	struct topology own;

	(void)state;
	assert_int_equal(topology_from_notation(&t, "1n2l2c2t"), 0);
	own = t;
	own.nodes = nodes;
	own.node_count = ARRAY_SIZE(nodes);
	own.distances = distances;
	expect_difference(&own, "2,2,2,2", NULL, "");
	nodes[2].cpu_count = 3;
	expect_difference(&own, "2,2,2,2", NULL, "NUMA node 2 has 3 CPUs, 4 were asked for");
	t.nodes[0].has_memory_kib = true;
	t.nodes[0].memory_kib = 1;
	expect_difference(&t, "1,2,2,2", "2:1", "");
}

/* An aarch64 guest under emulation: no caches, clusters of two CPUs. */
static void clusters_stand_in_for_caches(void **state)
{
	static const struct {
		const char *wanted, *complaint;
	} cases[] = {
		{ "1,2,2,1", "" },
		{ "1,2,1,2", "" },
		{ "1,1,4,1", "the cluster of CPU 0 has 2 CPUs, 4 were asked for" },
		{ "1,3,2,1", "the guest has 2 clusters, 3 were asked for" },
	};
	struct roots roots = { .sys = *state };
	_topology_ struct topology t = {};
	struct topology_shape want = { 1, 2, 2, 1 };

	assert_int_equal(topology_from_notation(&t, "1n1l4c1t"), 0);
	assert_false(topology_lacks_caches(&t));
	t.llcs[0].level = 2;
	assert_true(topology_lacks_caches(&t));
	t.llcs[0].level = 0;
	assert_true(topology_lacks_caches(&t));
	assert_int_equal(topology_check_clusters(&t, &want, &roots), -ENODATA);
	for (unsigned int cpu = 0; cpu < 4; cpu++) {
		char name[96];

		snprintf(name, sizeof(name), "devices/system/cpu/cpu%u/topology/cluster_cpus_list",
			 cpu);
		unit_write(*state, name, cpu < 2 ? "0-1\n" : "2-3\n");
	}
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int rc;

		assert_int_equal(topology_shape_parse(cases[i].wanted, &want), 0);
		rc = topology_check_clusters(&t, &want, &roots);
		assert_true(rc <= 0);
		assert_string_equal(rc < 0 ? err_text(rc) : "", cases[i].complaint);
	}
	assert_int_equal(topology_shape_parse("1,2,2,1", &want), 0);
	unit_write(*state, "devices/system/cpu/cpu2/topology/cluster_cpus_list", "2\n");
	assert_int_equal(topology_check_clusters(&t, &want, &roots), -EPROTO);
	assert_string_equal(err_text(-EPROTO), "the cluster of CPU 2 has 1 CPUs, 2 were asked for");
	unit_write(*state, "devices/system/cpu/cpu2/topology/cluster_cpus_list", "\n");
	assert_int_equal(topology_check_clusters(&t, &want, &roots), -ENODATA);
	assert_string_equal(err_text(-ENODATA), "the guest's kernel shows no clusters");
	t.llcs[0].level = 3;
	assert_false(topology_lacks_caches(&t));
}

static void the_banner_has_its_form(void **state)
{
	_str_ struct str out = {};

	(void)state;
	shell_add_banner(&(struct shell_facts){ .kernel = "7.0.13",
						.memory_mib = 512,
						.shape = { 2, 4, 2, 2 },
						.includes = "/include-files/a\n/include-files/b\n",
						.applets = 270,
						.mounts = "/dev /proc" },
			 &out);
	assert_string_equal(str_get(&out),
			    "ktstr shell\n"
			    "  kernel:    7.0.13\n"
			    "  memory:    512 MB\n"
			    "  topology:  2 NUMA nodes, 4 LLCs, 2 cores, 2 threads (16 vCPUs)\n"
			    "  includes:  /include-files/a\n"
			    "             /include-files/b\n"
			    "  tools:     busybox (270 applets)\n"
			    "  mounts:    /dev /proc\n"
			    "  'exit' or Ctrl+D powers off; Ctrl+A X kills the VM\n");
}

static void the_smallest_machine_is_told_in_the_singular(void **state)
{
	_str_ struct str out = {};

	(void)state;
	shell_add_banner(
		&(struct shell_facts){
			.kernel = "x", .shape = { 1, 1, 1, 1 }, .includes = "", .mounts = "" },
		&out);
	assert_non_null(strstr(str_get(&out), "  topology:  1 LLC, 1 core, 1 thread (1 vCPU)\n"));
	assert_null(strstr(str_get(&out), "includes:"));
}

static void include_path_finish(struct include_path *p)
{
	str_finish(&p->files);
	str_finish(&p->directories);
}

static void include_directories_with_programs_are_found(void **state)
{
	const char *dir = *state;
	_free_ char *program = str_fmt("%s/sub/run", dir), *top = str_fmt("%s/tool", dir);
	_free_ char *expected = str_fmt("%s/sub:%s", dir, dir);
	_cleanup_(include_path_finish) struct include_path p = {};
	struct include_path before;

	unit_write(dir, "tool", "");
	unit_write(dir, "sub/run", "");
	unit_write(dir, "data/file", "");
	assert_int_equal(chmod(program, 0755), 0);
	assert_int_equal(chmod(top, 0700), 0);
	include_path_scan(&p, dir);
	assert_string_equal(str_get(&p.directories), expected);
	assert_non_null(strstr(str_get(&p.files), "/data/file\n"));
	/* A second time it begins anew. */
	before = p;
	include_path_scan(&p, dir);
	assert_string_equal(str_get(&p.directories), expected);
	assert_string_equal(str_get(&p.files), str_get(&before.files));
	include_path_finish(&before);
	include_path_finish(&p);
	include_path_scan(&p, "/nonexistent");
	assert_string_equal(str_get(&p.files), "");
}

static const char *vanished;

int __wrap_lstat(const char *path, struct stat *st);
int __real_lstat(const char *path, struct stat *st);

int __wrap_lstat(const char *path, struct stat *st)
{
	errno = ENOENT;
	return vanished && strcmp(path, vanished) == 0 ? -1 : __real_lstat(path, st);
}

static void what_is_gone_meanwhile_is_no_program(void **state)
{
	_free_ char *path = str_fmt("%s/gone", (char *)*state);
	_cleanup_(include_path_finish) struct include_path p = {};

	unit_write(*state, "gone", "");
	assert_int_equal(chmod(path, 0755), 0);
	vanished = path;
	include_path_scan(&p, *state);
	vanished = NULL;
	assert_string_equal(str_get(&p.directories), "");
	assert_string_equal(str_get(&p.files), "");
}

/* For anybody, and not by a link. */
static void programs_are_files_that_can_be_run(void **state)
{
	const char *dir = *state;
	_free_ char *others = str_fmt("%s/a/others", dir), *link = str_fmt("%s/b/link", dir);
	_free_ char *directories = str_fmt("%s/a", dir);
	_free_ char *files =
		str_fmt("%s/a/none\n%s/a/others\n%s/b/link\n%s/c\n", dir, dir, dir, dir);
	_cleanup_(include_path_finish) struct include_path p = {};

	unit_write(dir, "a/others", "");
	unit_write(dir, "a/none", "");
	unit_write(dir, "c", "");
	assert_int_equal(chmod(others, 0601), 0);
	unit_write(dir, "b/x", "");
	assert_int_equal(symlink("/bin/sh", link), 0);
	free(link);
	link = str_fmt("%s/b/x", dir);
	assert_int_equal(unlink(link), 0);
	include_path_scan(&p, dir);
	assert_string_equal(str_get(&p.directories), directories);
	assert_string_equal(str_get(&p.files), files);
}

static void directories_are_walked_so_deep(void **state)
{
	_str_ struct str name = {}, expected = {};
	_cleanup_(include_path_finish) struct include_path p = {};

	for (int i = 0; i < 64; i++)
		str_add(&name, "d/");
	str_addf(&expected, "%s/%sf\n", (char *)*state, str_get(&name));
	str_add(&name, "f");
	unit_write(*state, str_get(&name), "");
	name.len--;
	str_add(&name, "d/f");
	unit_write(*state, str_get(&name), "");
	include_path_scan(&p, *state);
	assert_string_equal(str_get(&p.files), str_get(&expected));
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_PLACE(settings_come_from_the_nearest_place),
		IN_PLACE(settings_are_whole_words),
		IN_PLACE(a_derived_configuration_is_completed_and_named),
		IN_PLACE(ticks_are_counted_in_a_second),
		IN_PLACE(a_configuration_that_cannot_be_named_is_an_error),
		IN_PLACE(a_configuration_of_its_own_stays_as_it_is),
		IN_PLACE(settings_may_be_absent),
		IN_PLACE(shapes_are_parsed_whole),
		IN_PLACE(topologies_are_compared),
		IN_PLACE(unequal_nodes_are_compared),
		IN_PLACE(parts_of_a_machine_are_compared),
		IN_PLACE(memory_of_a_node_is_no_more_than_was_given),
		IN_PLACE(all_nodes_with_cpus_are_compared),
		IN_PLACE(clusters_stand_in_for_caches),
		IN_PLACE(the_banner_has_its_form),
		IN_PLACE(the_smallest_machine_is_told_in_the_singular),
		IN_PLACE(include_directories_with_programs_are_found),
		IN_PLACE(what_is_gone_meanwhile_is_no_program),
		IN_PLACE(programs_are_files_that_can_be_run),
		IN_PLACE(directories_are_walked_so_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
