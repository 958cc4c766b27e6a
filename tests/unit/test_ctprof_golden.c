// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recorded machine and two recorded moments give what tests/data/ctprof says, in this process:
 * the reports by the lists that the commands have, too.
 */
#include "unit.h"

#include <sys/stat.h>

#include "base/err.h"
#include "base/file.h"
#include "cli/cli.h"
#include "cli/ctprof_report.h"
#include "ctprof/capture.h"
#include "ctprof/snapshot_fields.h"

#define MAX_WORDS 32

static char *path_of(const char *name)
{
	const char *srcdir = getenv("SRCDIR");

	return str_fmt("%s/tests/data/ctprof/%s", srcdir ? srcdir : ".", name);
}

static void read_data(const char *name, struct str *text)
{
	_free_ char *path = path_of(name);

	if (file_read(path, text) < 0)
		fail_msg("%s cannot be read", path);
}

/* Leaves the marks, without what is between them. */
static void drop_between(struct str *text, const char *begin, const char *end)
{
	char *from = strstr(text->s, begin), *to;

	assert_non_null(from);
	from += strlen(begin);
	to = strstr(from, end);
	assert_non_null(to);
	memmove(from, to, strlen(to) + 1);
	text->len = strlen(text->s);
}

/* A line for each object of a JSON text. */
static void break_lines(struct str *text)
{
	_str_ struct str broken = {};

	for (const char *c = text->s; *c; c++) {
		str_addc(&broken, *c);
		if (*c == ',' && c[-1] == '}')
			str_addc(&broken, '\n');
	}
	str_reset(text);
	str_add(text, str_get(&broken));
}

/* What a report says, in lines, without the style and the script of pages. */
static void make_readable(struct str *text, enum output_format format)
{
	if (format == FORMAT_JSON)
		break_lines(text);
	if (format != FORMAT_HTML)
		return;
	drop_between(text, "<style>", "</style>");
	drop_between(text, "<script>", "</script>");
}

/* At the first line that differs. */
static void expect_text(const char *name, const char *got, const char *expected)
{
	size_t line = 1, start = 0;

	if (str_eq(got, expected))
		return;
	for (size_t i = 0; got[i] == expected[i]; i++)
		if (got[i] == '\n') {
			line++;
			start = i + 1;
		}
	fail_msg("%s, line %zu: '%.*s', expected '%.*s'", name, line,
		 (int)strcspn(got + start, "\n"), got + start, (int)strcspn(expected + start, "\n"),
		 expected + start);
}

static void parse(const char *name, struct snapshot *s)
{
	_str_ struct str text = {};
	int rc;

	read_data(name, &text);
	rc = snapshot_parse(s, text.s, text.len);
	if (rc < 0)
		fail_msg("%s: %s", name, err_text(rc));
}

/* What a terminal asks for. */
static struct {
	bool has_colour;
	unsigned int wrap_width, line_width;
} terminal;

/* Two snapshots of tests/data/ctprof. */
struct data_pair {
	const char *before, *after;
};

static void add_report(const struct cli_call *call, bool is_show, const struct data_pair *data,
		       struct str *out)
{
	const char *const paths[SIDES] = { "before.ctprof.zst", "after.ctprof.zst" };
	_snapshot_ struct snapshot before = {}, after = {};
	struct snapshot_pair pair = { { is_show ? NULL : &before, &after } };
	_report_options_ struct report_options options = {};
	_report_ struct report report = {};
	int rc = is_show ? ctprof_options_show(call, &options) :
			   ctprof_options_compare(call, &options);

	parse(data->before, &before);
	parse(data->after, &after);
	options.has_colour = terminal.has_colour;
	options.wrap_width = terminal.wrap_width;
	options.line_width = terminal.line_width;
	rc = rc ?: report_build(&report, &pair, paths, &options);
	rc = rc ?: render_report(&report, out);
	if (rc < 0)
		fail_msg("%s", err_text(rc));
	make_readable(out, options.format);
}

/* A line of the list: the name of what is expected, and options. */
static void expect_report(char *line, bool is_show, const struct data_pair *data)
{
	char *argv[MAX_WORDS] = { "ktstr", "ctprof", is_show ? "show" : "compare", "after" };
	int argc = is_show ? 4 : 5;
	_free_ char *file = str_fmt("%s.txt", strsep(&line, " "));
	_str_ struct str got = {}, expected = {};
	struct cli_call call;

	if (!is_show)
		argv[4] = "before";
	while (line && argc < MAX_WORDS)
		argv[argc++] = strsep(&line, " ");
	assert_int_equal(cli_parse(&call, argc, argv), 0);
	add_report(&call, is_show, data, &got);
	cli_call_finish(&call);
	read_data(file, &expected);
	expect_text(file, str_get(&got), str_get(&expected));
}

static void expect_list(const char *name, size_t least, bool is_show, const struct data_pair *data)
{
	_str_ struct str list = {};
	size_t count = 0;
	char *rest, *line;

	read_data(name, &list);
	rest = list.s;
	while ((line = strsep(&rest, "\n")) && *line) {
		expect_report(line, is_show, data);
		count++;
	}
	assert_true(count >= least);
}

static const struct data_pair plain = { "before.json", "after.json" };
/* Renamed cgroups, other hosts, waits of all kinds, threads that came, went and were renamed. */
static const struct data_pair renamed = { "renamed-before.json", "renamed-after.json" };
static const struct data_pair swapped = { "renamed-after.json", "renamed-before.json" };

static void comparisons_are_as_recorded(void **state)
{
	(void)state;
	expect_list("compare.list", 9, false, &plain);
}

static void single_snapshots_are_as_recorded(void **state)
{
	(void)state;
	expect_list("show.list", 9, true, &plain);
}

static void documents_and_pages_are_as_recorded(void **state)
{
	(void)state;
	expect_list("compare-formats.list", 4, false, &plain);
	expect_list("show-formats.list", 3, true, &plain);
}

static void renamed_groups_and_other_hosts_are_as_recorded(void **state)
{
	(void)state;
	expect_list("renamed.list", 14, false, &renamed);
	expect_list("renamed-show.list", 3, true, &renamed);
	expect_list("swapped.list", 1, false, &swapped);
}

/* A unit test alone: commands look at the terminal. */
static void terminals_get_colours_and_broken_lines(void **state)
{
	(void)state;
	terminal.has_colour = true;
	expect_list("coloured.list", 3, false, &plain);
	expect_list("coloured-renamed.list", 2, false, &renamed);
	expect_list("coloured-show.list", 1, true, &plain);
	terminal.has_colour = false;
	terminal.wrap_width = 70;
	expect_list("wrapped.list", 1, false, &plain);
	terminal.wrap_width = 0;
	terminal.line_width = 60;
	expect_list("wrapped-sentences.list", 1, false, &renamed);
	terminal.line_width = 0;
}

/* Sorted pages, rows without the names of groups, and nothing to show. */
static void rarer_reports_are_as_recorded(void **state)
{
	(void)state;
	expect_list("more.list", 8, false, &plain);
	expect_list("more-renamed.list", 4, false, &renamed);
	expect_list("more-show.list", 1, true, &plain);
}

static void add_document(const struct snapshot *s, struct str *out)
{
	snapshot_json_head(s, out);
	snapshot_json_threads(s, 0, s->thread_count, false, out);
	snapshot_json_tail(s, false, out);
}

/* These belong to the moment and to the program. */
static void drop_value(struct str *text, const char *key, const char *value)
{
	_str_ struct str left = {};
	char *at = strstr(text->s, key);
	size_t len;

	assert_non_null(at);
	len = strcspn(at + strlen(key), ",}");
	str_addn(&left, text->s, (size_t)(at - text->s) + strlen(key));
	str_add(&left, value);
	str_add(&left, at + strlen(key) + len);
	str_reset(text);
	str_add(text, str_get(&left));
}

static void a_capture_is_as_recorded_whoever_reads(void **state)
{
	char *dir = unit_temp_create();
	_free_ char *maker = path_of("make-tree");
	_free_ char *command = str_fmt("'%s' '%s'", maker, dir);
	_free_ char *proc = str_fmt("%s/proc", dir), *cgroup = str_fmt("%s/cgroup", dir);
	_free_ char *sys = str_fmt("%s/sys", dir);
	struct capture_opts opts = { .roots = { .proc = proc, .cgroup = cgroup, .sys = sys },
				     .is_cgroup_root_given = true,
				     .is_sys_root_given = true };
	_str_ struct str expected = {};

	(void)state;
	assert_int_equal(system(command), 0);
	read_data("golden.json", &expected);
	for (opts.worker_count = 1; opts.worker_count <= 3; opts.worker_count++) {
		_snapshot_ struct snapshot s = {};
		_str_ struct str text = {};
		int rc = capture_snapshot(&s, &opts);

		if (rc < 0)
			fail_msg("%s", err_text(rc));
		add_document(&s, &text);
		drop_value(&text, "\"tool\":", "\"ktstr\"");
		drop_value(&text, "\"capture_ms\":", "0");
		drop_value(&text, "\"captured_at_unix_ns\":", "0");
		str_addc(&text, '\n');
		expect_text("golden.json", str_get(&text), str_get(&expected));
	}
	unit_temp_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comparisons_are_as_recorded),
		cmocka_unit_test(single_snapshots_are_as_recorded),
		cmocka_unit_test(documents_and_pages_are_as_recorded),
		cmocka_unit_test(renamed_groups_and_other_hosts_are_as_recorded),
		cmocka_unit_test(rarer_reports_are_as_recorded),
		cmocka_unit_test(terminals_get_colours_and_broken_lines),
		cmocka_unit_test(a_capture_is_as_recorded_whoever_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
