// SPDX-License-Identifier: GPL-2.0-only
/* What a battery takes before its first run: kernels, machines, and the list and page of it. */
#include "unit.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "battery/battery.h"
#include "kernel_fixture.h"

int __wrap_battery_program(char **path);
int __wrap_campaign_select(struct campaign *c);
int __wrap_campaign_equip(struct campaign *c);
int __wrap_campaign_open_records(struct campaign *c);
void __wrap_campaign_finish(struct campaign *c);
int __wrap_kernel_require_scx(const struct kernel_image *k);

/* What the campaign finds, what it returns, and the steps that it took: "select equip ". */
static size_t chosen;
static int select_rc, equip_rc, records_rc, finished;
static struct run_kernel found_kernels[3];
static size_t found_kernel_count;
static const struct variant a_variant;
static struct str taken;

int __wrap_battery_program(char **path)
{
	*path = strdup("/x/battery");
	return *path ? 0 : -ENOMEM;
}

static int take_step(const char *name, int rc)
{
	str_addf(&taken, "%s ", name);
	return rc < 0 ? err_set(-rc, "no %s", name) : rc;
}

int __wrap_campaign_select(struct campaign *c)
{
	c->kernels.items.items = found_kernels;
	c->kernels.items.count = found_kernel_count;
	for (size_t i = 0; i < chosen; i++)
		assert_int_equal(vec_push(&c->chosen.items, &a_variant), 0);
	return take_step("select", select_rc);
}

int __wrap_campaign_equip(struct campaign *c)
{
	(void)c;
	return take_step("equip", equip_rc);
}

int __wrap_campaign_open_records(struct campaign *c)
{
	(void)c;
	return take_step("records", records_rc);
}

void __wrap_campaign_finish(struct campaign *c)
{
	free(c->chosen.items.items);
	finished++;
}

/* Nothing can be loaded into the kernel that is called "no". */
int __wrap_kernel_require_scx(const struct kernel_image *k)
{
	return str_eq(k->version, "no") ? err_set(EOPNOTSUPP, "it has no sched_ext") : 0;
}

static int setup(void **state)
{
	chosen = 0;
	select_rc = equip_rc = records_rc = finished = 0;
	found_kernel_count = 0;
	memset(found_kernels, 0, sizeof(found_kernels));
	str_reset(&taken);
	return kernel_fixture_setup(state);
}

static int teardown(void **state)
{
	str_finish(&taken);
	taken = (struct str){};
	return kernel_fixture_teardown(state);
}

static void put(const char *key, const char *version, bool has_scx)
{
	_free_ char *text =
		fixture_metadata(version, "2026-01-01T00:00:00Z",
				 has_scx ? ", \"has_scx\": true" : ", \"has_scx\": false");

	fixture_entry(key, text, "");
}

/* An entry whose metadata has another text at this place. */
static void put_changed(const char *key, const char *from, const char *to)
{
	_free_ char *text =
		fixture_metadata("7.9.9", "2026-01-01T00:00:00Z", ", \"has_scx\": true");
	char *at = strstr(text, from);
	_free_ char *changed = NULL;

	assert_non_null(at);
	*at = '\0';
	changed = str_fmt("%s%s%s", text, to, at + strlen(from));
	fixture_entry(key, changed, "");
}

static void open_with(struct battery *b, const struct battery_options *o, int expected)
{
	int rc;

	*b = (struct battery){};
	rc = battery_open(b, o);
	if (rc != expected)
		fail_msg("expected %d, got %d: %s", expected, rc, rc < 0 ? err_text(rc) : "");
}

static void kernels_are_those_of_the_cache_the_newest_first(void **state)
{
	static const char *const named[] = { "6.12" };
	struct battery_options o = { .label = "ktstr", .seed = 4, .jobs = 2 };
	struct battery b;

	(void)state;
	put("a", "6.12.9", true);
	put("b", "7.0.1", true);
	put("c", "6.12.9", true);
	put("d", "6.2.1", true);
	put("e", "7.1.1", false);
	put_changed("without-version", "\"7.9.9\"", "null");
	put_changed("other-configuration", "kconfig_hash\": \"", "kconfig_hash\": \"0");
	open_with(&b, &o, RUN_EXIT_NOTHING);
	assert_int_equal(b.runner.kernel_count, 3);
	assert_string_equal(b.runner.kernels[0], "7.0.1");
	assert_string_equal(b.runner.kernels[1], "6.12.9");
	assert_string_equal(b.runner.kernels[2], "6.2.1");
	assert_int_equal(b.runner.seed, 4);
	assert_int_equal(b.runner.jobs, 2);
	assert_int_equal(b.runner.path_count, 1);
	assert_string_equal(b.runner.paths[0], "/x/battery");
	assert_true(b.runner.knobs.is_eevdf);
	battery_finish(&b);
	o.kernels = named;
	o.kernel_count = 1;
	open_with(&b, &o, RUN_EXIT_NOTHING);
	assert_int_equal(b.runner.kernel_count, 1);
	assert_string_equal(b.runner.kernels[0], "6.12");
	assert_int_equal(b.kernel_ids.count, 0);
	battery_finish(&b);
}

static void a_battery_with_tests_opens_its_records(void **state)
{
	struct battery_options o = { .label = "ktstr", .scheduler = "/bin/true" };
	struct battery b;

	(void)state;
	chosen = 1;
	found_kernel_count = 3;
	found_kernels[0].image.version = (char *)"7.0.1";
	found_kernels[1].image.version = (char *)"no";
	found_kernels[2].image.version = (char *)"7.0.2";
	open_with(&b, &o, 0);
	assert_string_equal(str_get(&taken), "select equip records ");
	assert_false(b.is_left_out[0]);
	assert_true(b.is_left_out[1]);
	assert_false(b.is_left_out[2]);
	assert_false(b.is_left_out[3]);
	/* What was said of the kernel is no error of the battery. */
	assert_string_equal(err_text(-EIO), strerror(EIO));
	assert_string_equal(battery_kernel(&b, 1), "no");
	found_kernels[1].image.version = NULL;
	found_kernels[1].image.image = (char *)"/k/bzImage";
	assert_string_equal(battery_kernel(&b, 1), "/k/bzImage");
	battery_finish(&b);
	assert_int_equal(finished, 1);
}

static void without_a_kernel_for_the_scheduler_nothing_runs(void **state)
{
	struct battery_options o = { .label = "ktstr", .scheduler = "/bin/true" };
	struct battery b;

	(void)state;
	chosen = 1;
	found_kernel_count = 1;
	found_kernels[0].image.version = (char *)"no";
	open_with(&b, &o, RUN_EXIT_NOTHING);
	assert_string_equal(str_get(&taken), "select ");
	battery_finish(&b);
	/* The kernel's own scheduler needs no sched_ext. */
	str_reset(&taken);
	o.scheduler = NULL;
	open_with(&b, &o, 0);
	assert_string_equal(str_get(&taken), "select equip records ");
	assert_false(b.is_left_out[0]);
	battery_finish(&b);
	assert_int_equal(finished, 2);
}

static void the_first_step_that_fails_is_the_last(void **state)
{
	struct battery_options o = { .label = "ktstr" };
	struct battery b;

	(void)state;
	/* Without a test nothing is equipped, whatever kernels there are. */
	found_kernel_count = 1;
	open_with(&b, &o, RUN_EXIT_NOTHING);
	assert_string_equal(str_get(&taken), "select ");
	battery_finish(&b);
	str_reset(&taken);
	finished = 0;
	chosen = 1;
	found_kernel_count = 1;
	records_rc = -EIO;
	open_with(&b, &o, -EIO);
	assert_string_equal(str_get(&taken), "select equip records ");
	battery_finish(&b);
	str_reset(&taken);
	equip_rc = -EPERM;
	open_with(&b, &o, -EPERM);
	assert_string_equal(str_get(&taken), "select equip ");
	battery_finish(&b);
	str_reset(&taken);
	select_rc = -ENOENT;
	open_with(&b, &o, -ENOENT);
	assert_string_equal(str_get(&taken), "select ");
	battery_finish(&b);
	assert_int_equal(finished, 3);
	/* Without a program there is no campaign yet. */
	o.scheduler = "/no/such/program";
	open_with(&b, &o, -ENOENT);
	assert_int_equal(b.place_count, 0);
	battery_finish(&b);
	assert_int_equal(finished, 3);
}

static void options_reach_the_runner_and_the_machines(void **state)
{
	static char *args[] = { (char *)"--x" };
	static const char *const machines[] = { "odd-3llc", "1,1,4,1", "1,4,1,1" };
	struct battery_options o = { .label = "cargo ktstr",
				     .scheduler = "/bin/true",
				     .args = args,
				     .arg_count = 1,
				     .machines = machines,
				     .machine_count = 3,
				     .filter = &(struct filter){},
				     .include_eol = true,
				     .no_perf_mode = true,
				     .is_quiet = true };
	struct battery b;

	(void)state;
	open_with(&b, &o, RUN_EXIT_NOTHING);
	assert_int_equal(b.place_count, 3);
	assert_string_equal(b.places[0].name, "odd-3llc");
	assert_string_equal(b.places[1].name, "one LLC");
	assert_string_equal(b.places[2].name, "1n4l1c1t");
	assert_int_equal(b.places[0].knobs.topology.llcs, 3);
	assert_string_equal(b.places[0].knobs.scheduler, "true");
	assert_string_equal(b.places[0].knobs.scheduler_args[0], "--x");
	assert_string_equal(b.runner.knobs.scheduler, "true");
	assert_int_equal(b.runner.knobs.scheduler_arg_count, 1);
	assert_false(b.runner.knobs.is_eevdf);
	assert_true(b.runner.scheduler && *b.runner.scheduler == '/');
	assert_string_equal(b.runner.label, "cargo ktstr");
	assert_string_equal(b.runner.accel, "sim");
	assert_true(b.runner.include_eol && b.runner.no_perf_mode && b.runner.is_quiet);
	assert_true(b.runner.choice.is_any_kernel);
	assert_ptr_equal(b.runner.choice.filter, o.filter);
	assert_string_equal(b.runner.profile->name, "default");
	assert_ptr_equal(b.runner.format, &run_report_human);
	assert_ptr_equal(b.campaign.options, &b.runner);
	assert_int_equal(b.runner.kernel_count, 0);
	assert_int_equal(finished, 0);
	battery_finish(&b);
	assert_int_equal(finished, 1);
}

static void machines_are_presets_topologies_or_all(void **state)
{
	static const char *const machines[] = { "1,2,2,1", "1,1,5,1" },
				 *const small[] = { "1,1,3,1" }, *const bad[] = { "1,1" };
	static char *args[] = { (char *)"--x", (char *)"a\nb" };
	struct battery_options o = {
		.label = "ktstr", .scheduler = "/bin/true", .args = args, .arg_count = 1
	};
	struct battery b;

	(void)state;
	open_with(&b, &o, RUN_EXIT_NOTHING);
	assert_int_equal(b.place_count, battery_machine_count());
	assert_string_equal(b.places[0].name, battery_machines[0].name);
	assert_false(b.places[0].knobs.is_eevdf);
	assert_int_equal(b.places[0].knobs.scheduler_arg_count, 1);
	assert_memory_equal(&b.places[1].knobs.topology, &battery_machines[1].topology,
			    sizeof(struct vm_topology));
	battery_finish(&b);
	o.machines = machines;
	o.machine_count = 2;
	open_with(&b, &o, RUN_EXIT_NOTHING);
	assert_int_equal(b.place_count, 2);
	assert_string_equal(b.places[0].name, "two LLCs");
	assert_string_equal(b.places[1].name, "1n1l5c1t");
	battery_finish(&b);
	o.machines = small;
	o.machine_count = 1;
	open_with(&b, &o, -EINVAL);
	assert_string_equal(err_text(-EINVAL),
			    "machine 1n1l3c1t has 3 CPUs: the tests need 4 or more");
	battery_finish(&b);
	o.machines = bad;
	open_with(&b, &o, -EINVAL);
	battery_finish(&b);
	o.machine_count = 0;
	o.arg_count = 2;
	open_with(&b, &o, -EINVAL);
	assert_string_equal(err_text(-EINVAL), "an argument of the scheduler has a line end in it");
	battery_finish(&b);
}

static void the_list_has_every_row(void **state)
{
	const struct battery_row *row = &battery_rows[BATTERY_LOADS];
	_cleanup_(filter_finish) struct filter all = {}, one = {}, two = {};
	_str_ struct str text = {}, json = {};
	_free_ char *first =
		str_fmt("{\"schema_version\":1,\"tests\":[{\"name\":\"%s\",\"machine\":\"%s\","
			"\"duration_ms\":%u,\"what\":\"%s\"},",
			row->name, battery_machines[row->machine].name, row->ms, row->what);
	size_t lines = 0;
	struct json j;

	(void)state;
	assert_int_equal(battery_add_list(&all, 0, &text), 0);
	for (const char *p = str_get(&text); *p; p++)
		lines += *p == '\n';
	assert_int_equal(lines, battery_row_count() + 1);
	json_init(&j, &json, false);
	battery_put_list(&all, &j);
	assert_true(str_starts(str_get(&json), first));
	str_reset(&json);
	assert_int_equal(filter_add(&one, "test(=ktstr/loads)"), 0);
	json_init(&j, &json, false);
	battery_put_list(&one, &j);
	first[strlen(first) - 1] = '\0';
	assert_true(str_starts(str_get(&json), first));
	assert_string_equal(str_get(&json) + strlen(first), "]}");
	str_reset(&json);
	assert_int_equal(filter_add(&two, "test(=ktstr/herd)"), 0);
	json_init(&j, &json, false);
	battery_put_list(&two, &j);
	assert_true(
		str_starts(str_get(&json), "{\"schema_version\":1,\"tests\":[{\"name\":\"herd\","));
	str_reset(&text);
	assert_int_equal(battery_add_list(&two, 0, &text), 0);
	assert_non_null(strstr(str_get(&text), "\n herd "));
	str_reset(&text);
	assert_int_equal(battery_add_list(&one, 0, &text), 0);
	assert_string_equal(
		str_get(&text),
		" TEST   FIRST ON  MS   WHAT IT IS FOR\n"
		" loads  one LLC   300  it loads, attaches, and runs a task on each CPU\n");
}

static void the_list_fits_a_narrow_terminal(void **state)
{
	_cleanup_(filter_finish) struct filter all = {};
	_str_ struct str text = {};
	size_t column = 0;

	(void)state;
	assert_int_equal(battery_add_list(&all, 50, &text), 0);
	for (const char *p = str_get(&text); *p; p++) {
		column = *p == '\n' ? 0 : column + 1;
		assert_in_range(column, 0, 50);
	}
}

static void records_become_a_page(void **state)
{
	const char *source = getenv("SRCDIR");
	_free_ char *command = NULL;
	_str_ struct str page = {};
	char *dirs[2] = { strdup(fixture_path("runs/one")), strdup(fixture_path("runs/two")) };
	const char *names[2] = { dirs[0], dirs[1] };
	struct battery b = { .campaign = { .dir_names = names, .dir_name_count = 2 } };

	(void)state;
	command = str_fmt(
		"echo '{\"one\": [{\"test_name\": \"first\", \"kernel_version\": \"7.0.1\"}], "
		"\"two\": [{\"test_name\": \"second\", \"kernel_version\": \"6.19.1\"}]}' | "
		"%s/tests/tools/make-sidecars %s",
		source ? source : ".", fixture_path("runs"));
	/* NOLINTNEXTLINE(cert-env33-c): a tool of the tests */
	assert_int_equal(system(command), 0);
	assert_int_equal(battery_write_html(&b, fixture_path("page.html")), 0);
	assert_int_equal(file_read(fixture_path("page.html"), &page), 0);
	assert_non_null(strstr(str_get(&page), "first"));
	assert_non_null(strstr(str_get(&page), "second"));
	names[1] = "/no/such/run";
	assert_true(battery_write_html(&b, fixture_path("page.html")) < 0);
	free(dirs[0]);
	free(dirs[1]);
}

#define IN_DIR(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(kernels_are_those_of_the_cache_the_newest_first),
		IN_DIR(a_battery_with_tests_opens_its_records),
		IN_DIR(without_a_kernel_for_the_scheduler_nothing_runs),
		IN_DIR(the_first_step_that_fails_is_the_last),
		IN_DIR(options_reach_the_runner_and_the_machines),
		IN_DIR(machines_are_presets_topologies_or_all),
		IN_DIR(the_list_has_every_row),
		cmocka_unit_test(the_list_fits_a_narrow_terminal),
		IN_DIR(records_become_a_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
