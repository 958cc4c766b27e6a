// SPDX-License-Identifier: GPL-2.0-only
/* What a program tells of its tests, how it looks at snapshots, and what it executes instead. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "check/check.h"
#include "program/parts.h"
#include "program/protocol.h"
#include "snapshot/snapshot.h"
#include "unit.h"

static int body(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	(void)ctx;
	(void)res;
	return 0;
}

static unsigned int looks, other_looks;
static int look_rc;

static int look(const struct ktstr_snapshots *all, struct ktstr_result *res)
{
	assert_non_null(all);
	assert_non_null(res);
	looks++;
	return look_rc;
}

static int look_otherwise(const struct ktstr_snapshots *all, struct ktstr_result *res)
{
	assert_non_null(all);
	assert_non_null(res);
	other_looks++;
	return 0;
}

/* ---- the description ---- */

static void expect_texts(const struct probe_texts *t, const char *expected)
{
	_str_ struct str all = {};

	for (size_t i = 0; i < t->count; i++)
		str_addf(&all, "%s ", t->items[i]);
	assert_string_equal(str_get(&all), expected);
}

static void a_scheduler_is_described_as_it_is_used(void **state)
{
	const struct ktstr_sched known = { .name = "known", .binary = "k" };
	const struct ktstr_sched s = {
		.name = "s",
		.binary = "b",
		.topology = { 1, 4, 2, 3 },
		.nodes = KTSTR_NODES({ .llcs = 1, .memory_mib = 64 },
				     { .llcs = 3, .memory_mib = 32 }),
		.sched_args = KTSTR_ARGS("-v", "-x"),
		.flags = KTSTR_FLAGS({ .name = "a", .args = KTSTR_ARGS("--a", "1") },
				     { .name = "b", .requires_flags = KTSTR_ARGS("a") }),
		.sysctls = KTSTR_SYSCTLS({ "x", "1" }, { "y", "2" }),
		.constraints = { .min_cpus = 3 },
	};
	const struct ktstr_sched *scheds[] = { &known };
	const struct ktstr_test tests[] = {
		{ .name = "t", .run = body, .scheduler = &s },
		{ .name = "u", .run = body },
		{ .name = "v", .run = body, .scheduler = &s },
		{ .name = "w", .run = body, .scheduler = &known },
	};
	const struct ktstr_test *all[] = { &tests[0], &tests[1], &tests[2], &tests[3] };
	const struct program_entries e = { all, ARRAY_SIZE(all), scheds, 1 };
	const struct probe_sched *found;
	struct probe p;

	(void)state;
	assert_int_equal(describe_program(&p, &e), 0);
	assert_int_equal(p.problems.count, 0);
	assert_int_equal(p.schema_version, PROGRAM_PROBE_SCHEMA);
	assert_string_equal(p.ktstr, ktstr_version());
	assert_int_equal(p.schedulers.count, 2);
	assert_string_equal(p.schedulers.items[0].name, "known");
	found = &p.schedulers.items[1];
	assert_string_equal(found->name, "s");
	assert_string_equal(found->topology, "2n4l2c3t");
	assert_int_equal(found->nodes.count, 2);
	assert_int_equal(found->nodes.items[1].memory_mib, 32);
	expect_texts(&found->args, "-v -x ");
	expect_texts(&found->kargs, "");
	assert_int_equal(found->flags.count, 2);
	assert_string_equal(found->flags.items[0].name, "a");
	expect_texts(&found->flags.items[0].args, "--a 1 ");
	expect_texts(&found->flags.items[0].requires_flags, "");
	expect_texts(&found->flags.items[1].requires_flags, "a ");
	assert_int_equal(found->sysctls.count, 2);
	assert_string_equal(found->sysctls.items[1].value, "2");
	assert_int_equal(found->constraints.min_cpus, 3);
	assert_int_equal(p.schedulers.items[0].flags.count, 0);
	assert_int_equal(p.tests.count, 4);
	assert_string_equal(p.tests.items[2].scheduler, "s");
	assert_null(p.tests.items[1].scheduler);
	probe_finish(&p);
	assert_int_equal(p.tests.count, 0);
}

/* Each once: those of the section, and then those that only tests name. */
static void schedulers_are_described_once(void **state)
{
	static const struct ktstr_sched k = { .name = "k", .binary = "b" },
					l = { .name = "l", .binary = "b" },
					m = { .name = "m", .binary = "b" },
					n = { .name = "n", .binary = "b" };
	const struct ktstr_sched *scheds[] = { &k, &l };
	const struct ktstr_test tests[] = {
		{ .name = "a", .run = body, .scheduler = &m },
		{ .name = "b", .run = body, .scheduler = &n },
		{ .name = "c", .run = body, .scheduler = &l },
		{ .name = "d", .run = body, .scheduler = &n },
		{ .name = "e", .run = body, .scheduler = &m },
	};
	const struct ktstr_test *all[] = { &tests[0], &tests[1], &tests[2], &tests[3], &tests[4] };
	const struct program_entries e = { all, ARRAY_SIZE(all), scheds, ARRAY_SIZE(scheds) };
	static const char *const names[] = { "k", "l", "m", "n" };
	struct probe p;

	(void)state;
	assert_int_equal(describe_program(&p, &e), 0);
	assert_int_equal(p.schedulers.count, ARRAY_SIZE(names));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_string_equal(p.schedulers.items[i].name, names[i]);
	probe_finish(&p);
}

static long allocations_left = -1; /* until one fails; -1 = none does */

void *__wrap_arena_alloc(struct arena *arena, size_t size);
void *__real_arena_alloc(struct arena *arena, size_t size);
char *__wrap_arena_copy(struct arena *arena, const char *text, size_t len);
char *__real_arena_copy(struct arena *arena, const char *text, size_t len);

static bool is_out_of_memory(void)
{
	return allocations_left >= 0 && allocations_left-- == 0;
}

void *__wrap_arena_alloc(struct arena *arena, size_t size)
{
	return is_out_of_memory() ? NULL : __real_arena_alloc(arena, size);
}

char *__wrap_arena_copy(struct arena *arena, const char *text, size_t len)
{
	return is_out_of_memory() ? NULL : __real_arena_copy(arena, text, len);
}

static void a_description_is_complete_or_an_error(void **state)
{
	static const struct ktstr_payload payload = { .binary = "x" };
	const struct ktstr_sched s = {
		.name = "s",
		.binary = "b",
		.sched_args = KTSTR_ARGS("-v"),
		.flags = KTSTR_FLAGS({ .name = "a", .args = KTSTR_ARGS("--a", "1") }),
		.sysctls = KTSTR_SYSCTLS({ "x", "1" }),
	};
	const struct ktstr_test t = { .name = "t",
				      .run = body,
				      .scheduler = &s,
				      .payload = &payload,
				      .numa_nodes = 1,
				      .distances = (const uint8_t[]){ 10 },
				      .accel = "none" };
	const struct ktstr_test *all[] = { &t };
	const struct program_entries e = { .tests = all, .test_count = 1 };
	struct probe p;
	long nth = 0;
	int rc;

	(void)state;
	do {
		allocations_left = nth++;
		rc = describe_program(&p, &e);
		assert_int_equal(rc, allocations_left < 0 ? -ENOMEM : 0);
		probe_finish(&p);
	} while (rc < 0);
	allocations_left = -1;
	assert_true(nth > 20);
}

static struct probe described(struct ktstr_test t)
{
	const struct ktstr_test *all[] = { &t };
	const struct program_entries e = { .tests = all, .test_count = 1 };
	struct probe p;

	t.name = "t";
	t.run = body;
	assert_int_equal(describe_program(&p, &e), 0);
	assert_int_equal(p.tests.count, 1);
	return p;
}

static void expect_reproduced(int auto_repro, bool expect_err, bool is_wanted)
{
	struct probe p = described(
		(struct ktstr_test){ .auto_repro = auto_repro, .expect_err = expect_err });

	assert_int_equal(p.tests.items[0].auto_repro, is_wanted);
	probe_finish(&p);
}

static void expect_topology(const struct ktstr_sched *of, const struct ktstr_test *own,
			    const char *wanted)
{
	struct ktstr_test t = *own;
	const struct ktstr_test *all[] = { &t };
	const struct program_entries e = { .tests = all, .test_count = 1 };
	_str_ struct str text = {};
	struct probe p;

	t.name = "t";
	t.run = body;
	t.scheduler = of;
	assert_int_equal(describe_program(&p, &e), 0);
	str_addf(&text, "%s ", p.schedulers.items[0].topology);
	add_topology_notation(&text, &p.tests.items[0].topology);
	assert_string_equal(str_get(&text), wanted);
	probe_finish(&p);
}

/* What neither of them gives has a default. */
static void a_topology_is_of_the_test_then_of_its_scheduler(void **state)
{
	const struct ktstr_sched plain = { .name = "s", .binary = "b" };
	const struct ktstr_sched large = { .name = "s", .binary = "b", .topology = { 3, 6, 4, 2 } };
	const struct ktstr_sched llcs = { .name = "s", .binary = "b", .topology = { .llcs = 5 } };

	(void)state;
	expect_topology(&plain, &(struct ktstr_test){}, "1n1l2c1t 1n1l2c1t");
	expect_topology(&large, &(struct ktstr_test){}, "3n6l4c2t 3n6l4c2t");
	expect_topology(&llcs, &(struct ktstr_test){ .cores = 7 }, "1n5l2c1t 1n5l7c1t");
	expect_topology(&large, &(struct ktstr_test){ .numa_nodes = 2, .llcs = 8, .threads = 1 },
			"3n6l4c2t 2n8l4c1t");
}

static void a_test_is_described_with_its_defaults(void **state)
{
	static const struct ktstr_payload one = { .binary = "one", .name = "first" },
					  two = { .binary = "two", .output = KTSTR_OUT_TEXT };
	static const struct ktstr_sched s = { .name = "s", .binary = "b" };
	struct probe p = described((struct ktstr_test){ .line = -1 });
	const struct probe_test *t = p.tests.items;

	(void)state;
	assert_int_equal(t->line, 0);
	assert_true(t->memory_mib == 2048 && t->duration_ms == 2000 && t->watchdog_timeout_s == 4);
	assert_int_equal(t->workers_per_cgroup, 2);
	assert_int_equal(t->payloads.count, 0);
	assert_int_equal(t->distances.count, 0);
	assert_int_equal(t->nodes.count, 0);
	assert_int_equal(t->perf_delta_assertions.count, 0);
	assert_false(t->has_post_vm || t->has_post_vm_unconditional);
	assert_null(t->versus);
	assert_true(t->observe);
	probe_finish(&p);
	p = described((struct ktstr_test){
		.line = 1,
		.scheduler = &s,
		.numa_nodes = 3,
		.llcs = 3,
		.distances = (const uint8_t[]){ 10, 20, 30, 20, 10, 40, 30, 40, 10 },
		.max_numa_nodes = 3,
		.payload = &one,
		.workloads = (const struct ktstr_payload *const[]){ &two, &ktstr_fio, NULL },
		.memory_mib = 5,
		.watchdog_timeout_s = 6,
		.workers_per_cgroup = 7,
		.post_vm = look,
		.versus = KTSTR_EEVDF,
		.observe = KTSTR_OFF,
		.perf_delta_assertions = KTSTR_PERF_DELTA({ .metric = "m" }, { .metric = "n" }),
	});
	t = p.tests.items;
	assert_int_equal(t->line, 1);
	assert_true(t->memory_mib == 5 && t->watchdog_timeout_s == 6);
	assert_int_equal(t->workers_per_cgroup, 7);
	assert_int_equal(t->distances.count, 9);
	assert_true(t->distances.items[0] == 10 && t->distances.items[5] == 40);
	assert_int_equal(t->payloads.count, 3);
	assert_string_equal(t->payloads.items[0].name, "first");
	assert_string_equal(t->payloads.items[0].output, "exit");
	assert_string_equal(t->payloads.items[1].name, "two");
	assert_string_equal(t->payloads.items[1].output, "text");
	assert_string_equal(t->payloads.items[2].binary, "fio");
	assert_int_equal(t->perf_delta_assertions.count, 2);
	assert_string_equal(t->perf_delta_assertions.items[1].metric, "n");
	assert_true(t->has_post_vm && !t->has_post_vm_unconditional);
	assert_string_equal(t->versus, "eevdf");
	assert_false(t->observe);
	probe_finish(&p);
	expect_reproduced(0, false, true);
	expect_reproduced(KTSTR_ON, false, true);
	expect_reproduced(KTSTR_OFF, false, false);
	expect_reproduced(0, true, false);
	expect_reproduced(KTSTR_OFF, true, false);
}

static void problems_are_described_too(void **state)
{
	struct probe p = described((struct ktstr_test){ .accel = "x", .strategy = "y" });

	(void)state;
	expect_texts(&p.problems, "test 't' (?:0): strategy: 'y' is neither random nor walk "
				  "test 't' (?:0): accel: 'x' is none of kvm, tcg, sim ");
	probe_finish(&p);
}

static void limits_are_told_as_they_are_checked(void **state)
{
	static const char wanted[] =
		"\"assert\":{\"not_starved\":true,\"isolation\":false,\"max_gap_ms\":0,"
		"\"max_spread_pct\":7.5,"
		"\"max_throughput_cv\":false,\"min_work_rate\":null,";
	struct probe p = described((struct ktstr_test){
		.assert = { .not_starved = KTSTR_ON,
			    .isolation = KTSTR_OFF,
			    .max_gap_ms = KTSTR_ZERO,
			    .max_spread_pct = 7.5,
			    .max_throughput_cv = KTSTR_OFF,
			    .min_work_rate = NAN },
	});
	_str_ struct str text = {};
	struct json j;

	(void)state;
	json_init(&j, &text, false);
	probe_to_json(&p, &j);
	probe_finish(&p);
	if (!strstr(str_get(&text), wanted))
		fail_msg("no %s in %s", wanted, str_get(&text));
}

/* The text of a limit, and the limit; NAN = that is none. */
static void limits_are_read_as_they_were_told(void **state)
{
	static const struct {
		const char *text;
		double value;
	} cases[] = {
		{ "0", (double)KTSTR_ZERO },
		{ "1e18", 1e18 },
		{ "1.1e18", NAN },
		{ "-0.5", NAN },
		{ "false", KTSTR_OFF },
		{ "true", KTSTR_ON },
		{ "null", 0 },
		{ "\"1\"", NAN },
		{ "2.5", 2.5 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_free_ char *text = str_fmt("{\"schema_version\":1,\"tests\":[{\"name\":\"a\","
					    "\"assert\":{\"later\":[1],\"max_spread_pct\":%s,"
					    "\"isolation\":true,\"fail_on_stall\":false}}]}",
					    cases[i].text);
		struct probe p = {};
		int rc = probe_from_json(&p, text, strlen(text));

		assert_int_equal(rc, isnan(cases[i].value) ? -EINVAL : 0);
		if (rc == 0) {
			assert_true(p.tests.items[0].assert.max_spread_pct == cases[i].value);
			assert_int_equal(p.tests.items[0].assert.isolation, KTSTR_ON);
			assert_int_equal(p.tests.items[0].assert.fail_on_stall, KTSTR_OFF);
		}
		probe_finish(&p);
	}
}

static void every_item_has_a_name(void **state)
{
	char tests[] = "{\"schema_version\":1,\"tests\":[{\"name\":\"a\"},{\"line\":1}]}";
	char scheds[] = "{\"schema_version\":1,\"schedulers\":[{\"name\":\"a\"},{}]}";
	char flags[] = "[{\"name\":\"x\",\"args\":[\"-x\"]},{\"name\":\"y\"}]";
	char broken[] = "[{\"name\":\"x\"}";
	struct probe p = {}, q = {};
	struct probe_sched s = {};

	(void)state;
	assert_int_equal(probe_from_json(&p, tests, strlen(tests)), -EINVAL);
	assert_string_equal(err_text(-EINVAL), "test 1 has no name");
	probe_finish(&p);
	assert_int_equal(probe_from_json(&q, scheds, strlen(scheds)), -EINVAL);
	assert_string_equal(err_text(-EINVAL), "scheduler 1 has no name");
	assert_int_equal(probe_flags_from_json(&s, &q.arena, flags, strlen(flags)), 0);
	assert_int_equal(s.flags.count, 2);
	expect_texts(&s.flags.items[0].args, "-x ");
	assert_int_equal(probe_flags_from_json(&s, &q.arena, broken, strlen(broken)), -EINVAL);
	probe_finish(&q);
}

/* ---- snapshots ---- */

static int load_rc;
static unsigned int notes;

int __wrap_snapshots_load(struct ktstr_snapshots *all, const char *path);
void __wrap_snapshots_note_reuse(const struct ktstr_snapshots *all, struct ktstr_result *res);

int __wrap_snapshots_load(struct ktstr_snapshots *all, const char *path)
{
	(void)all;
	assert_string_equal(path, "/snapshots");
	return load_rc;
}

void __wrap_snapshots_note_reuse(const struct ktstr_snapshots *all, struct ktstr_result *res)
{
	(void)all;
	(void)res;
	notes++;
}

/* What its two functions make of it, in the file of the result. */
static void expect_looked(const struct body_options *o, int rc, enum ktstr_verdict verdict,
			  const char *message)
{
	const struct ktstr_test t = { .name = "t",
				      .post_vm = look,
				      .post_vm_unconditional = look_otherwise };
	_str_ struct str text = {};
	struct ktstr_result res;
	struct stat st;

	look_rc = rc;
	looks = other_looks = notes = 0;
	unlink(o->result_path);
	assert_int_equal(post_vm_run(&t, o), 0);
	assert_int_equal(looks, !o->has_failed);
	assert_int_equal(other_looks, 1);
	assert_int_equal(notes, 1);
	assert_int_equal(file_read(o->result_path, &text), 0);
	assert_int_equal(stat(o->result_path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_int_equal(text.s[text.len - 1], '\n');
	text.s[--text.len] = '\0';
	assert_null(strchr(text.s, '\n'));
	assert_int_equal(result_from_json(&res, text.s, text.len), 0);
	assert_int_equal(res.verdict, verdict);
	if (message)
		assert_string_equal(res.details.items[0].message, message);
	else
		assert_int_equal(res.details.count, 0);
	result_finish(&res);
}

static void snapshots_are_looked_at_on_the_host(void **state)
{
	char *dir = unit_temp_create();
	_free_ char *path = str_fmt("%s/result", dir);
	const struct ktstr_test none = { .name = "n" }, t = { .name = "t", .post_vm = look };
	struct body_options o = { .snapshots_path = "/snapshots", .result_path = path };

	(void)state;
	expect_looked(&o, -ENOENT, KTSTR_FAILED, "post_vm: No such file or directory");
	expect_looked(&o, 77777, KTSTR_FAILED,
		      "post_vm returned 77777: it has to return 0, a negative errno or a verdict");
	o.has_failed = true;
	looks = 0;
	expect_looked(&o, 77777, KTSTR_SKIPPED, NULL);
	assert_int_equal(post_vm_run(&none, &o), -EINVAL);
	assert_string_equal(err_text(-EINVAL), "test 'n' has no post_vm");
	load_rc = -EIO;
	assert_int_equal(post_vm_run(&t, &o), -EIO);
	load_rc = 0;
	o.result_path = NULL;
	assert_int_equal(post_vm_run(&t, &o), 0);
	o.snapshots_path = NULL;
	assert_int_equal(post_vm_run(&t, &o), -EINVAL);
	assert_string_equal(err_text(-EINVAL), "test 't': --snapshots is missing");
	unit_temp_remove(dir);
}

/* ---- ktstr in the place of the program ---- */

static const char *self, *there, *in_path;
static struct str executed;

ssize_t __wrap_readlink(const char *path, char *out, size_t size);
ssize_t __real_readlink(const char *path, char *out, size_t size);
int __wrap_access(const char *path, int mode);
int __wrap_execl(const char *path, const char *first, ...);
char *__wrap_path_search(const char *name);

ssize_t __wrap_readlink(const char *path, char *out, size_t size)
{
	if (strcmp(path, "/proc/self/exe") != 0)
		return __real_readlink(path, out, size);
	assert_int_equal(size, PATH_MAX - 1);
	errno = EACCES;
	memset(out, 'x', size);
	if (self)
		memcpy(out, self, strlen(self));
	return self ? (ssize_t)strlen(self) : -1;
}

int __wrap_access(const char *path, int mode)
{
	assert_int_equal(mode, X_OK);
	return there && strcmp(path, there) == 0 ? 0 : -1;
}

int __wrap_execl(const char *path, const char *first, ...)
{
	va_list ap;

	str_reset(&executed);
	str_addf(&executed, "%s:", path);
	va_start(ap, first);
	for (const char *argument = first; argument; argument = va_arg(ap, const char *))
		str_addf(&executed, " %s", argument);
	va_end(ap);
	errno = ENOEXEC;
	return -1;
}

char *__wrap_path_search(const char *name)
{
	assert_string_equal(name, "ktstr");
	return in_path ? strdup(in_path) : NULL;
}

static void expect_executed(const char *path, bool is_ignored, const char *end)
{
	_free_ char *expected = str_fmt("%s: %s test /a/b/self -- -E test(=ktstr/x) --no-capture%s",
					path, path, end);

	assert_int_equal(exact_run("x", is_ignored), -ENOEXEC);
	assert_string_equal(str_get(&executed), expected);
}

static void ktstr_is_looked_for_nearby(void **state)
{
	(void)state;
	unsetenv("KTSTR_BIN");
	self = NULL;
	assert_int_equal(exact_run("x", false), -EACCES);
	self = "/a/b/self";
	assert_int_equal(exact_run("x", false), -ENOENT);
	in_path = "/bin/ktstr";
	expect_executed("/bin/ktstr", false, "");
	there = "/a/b/../ktstr";
	expect_executed("/a/b/../ktstr", true, " --run-ignored all");
	there = "/a/b/ktstr";
	expect_executed("/a/b/ktstr", false, "");
	setenv("KTSTR_BIN", "/mine", 1);
	expect_executed("/mine", false, "");
	unsetenv("KTSTR_BIN");
	str_finish(&executed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_scheduler_is_described_as_it_is_used),
		cmocka_unit_test(schedulers_are_described_once),
		cmocka_unit_test(a_description_is_complete_or_an_error),
		cmocka_unit_test(a_topology_is_of_the_test_then_of_its_scheduler),
		cmocka_unit_test(a_test_is_described_with_its_defaults),
		cmocka_unit_test(problems_are_described_too),
		cmocka_unit_test(limits_are_told_as_they_are_checked),
		cmocka_unit_test(limits_are_read_as_they_were_told),
		cmocka_unit_test(every_item_has_a_name),
		cmocka_unit_test(snapshots_are_looked_at_on_the_host),
		cmocka_unit_test(ktstr_is_looked_for_nearby),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
