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
void __wrap_campaign_finish(struct campaign *c);

int __wrap_battery_program(char **path)
{
	*path = strdup("/x/battery");
	return *path ? 0 : -ENOMEM;
}

/* Nothing is selected: it ends here. */
int __wrap_campaign_select(struct campaign *c)
{
	(void)c;
	return 0;
}

void __wrap_campaign_finish(struct campaign *c)
{
	(void)c;
}

static void put(const char *key, const char *version, bool has_scx)
{
	_free_ char *text =
		fixture_metadata(version, "2026-01-01T00:00:00Z",
				 has_scx ? ", \"has_scx\": true" : ", \"has_scx\": false");

	fixture_entry(key, text, "");
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
	_cleanup_(filter_finish) struct filter all = {}, one = {};
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

#define IN_DIR(f) cmocka_unit_test_setup_teardown(f, kernel_fixture_setup, kernel_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(kernels_are_those_of_the_cache_the_newest_first),
		IN_DIR(machines_are_presets_topologies_or_all),
		IN_DIR(the_list_has_every_row),
		cmocka_unit_test(the_list_fits_a_narrow_terminal),
		IN_DIR(records_become_a_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
