// SPDX-License-Identifier: GPL-2.0-only
/* Options of ctprof reports, and their output. */
#include "cli/ctprof_report.h"

#include "ctprof/report.h"

/* A browser can still sort such a page; the other formats are for programs. */
#define HTML_LIMIT 5000

/* Options whose text is passed to a setter, once or each time. */
struct text_option {
	const char *name;
	int (*set)(struct report_options *o, const char *text);
};

const char *report_format(const struct cli_call *call)
{
	return cli_flag(call, "json") ? "json" : cli_text(call, "format");
}

static int set_all(const struct cli_call *call, struct report_options *o,
		   const struct text_option *options, size_t count)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++)
		for (size_t k = 0; rc == 0 && k < cli_count(call, options[i].name); k++)
			rc = options[i].set(o, cli_nth(call, options[i].name, k));
	return rc;
}

static uint64_t effective_limit(const struct cli_call *call, enum output_format format)
{
	if (format == FORMAT_TABLE || cli_is_given(call, "limit"))
		return cli_number(call, "limit");
	return format == FORMAT_HTML ? HTML_LIMIT : 0;
}

static bool has_columns(const struct cli_call *call, bool is_show)
{
	return cli_is_given(call, "columns") || (!is_show && cli_is_given(call, "display-format"));
}

int ctprof_check_format(const struct cli_call *call, bool is_show)
{
	if (!str_eq(report_format(call), "json") || !has_columns(call, is_show))
		return 0;
	return cli_usage_error(call, "columns cannot be chosen with --format json, "
				     "which always has every value");
}

static int set_common(const struct cli_call *call, struct report_options *o)
{
	static const struct text_option options[] = {
		{ "columns", options_set_columns },	   { "sections", options_set_sections },
		{ "metrics", options_set_metrics },	   { "sort-by", options_set_sort },
		{ "cgroup-flatten", options_add_flatten }, { "pid", options_add_pid },
		{ "cgroup", options_add_cgroup },	   { "comm", options_add_comm },
	};
	int rc = options_set_axis(o, cli_text(call, "group-by"));

	o->are_columns_named = has_columns(call, o->is_show);
	rc = rc ?: options_set_format(o, report_format(call));
	rc = rc ?: set_all(call, o, options, ARRAY_SIZE(options));
	o->limit = effective_limit(call, o->format);
	o->is_thread_literal = cli_flag(call, "no-thread-normalize");
	o->is_cgroup_literal = cli_flag(call, "no-cg-normalize");
	o->is_per_thread = cli_flag(call, "per-thread");
	o->has_colour = o->format == FORMAT_TABLE && term_has_colour(stdout);
	if (cli_flag(call, "wrap"))
		o->wrap_width = term_width(stdout);
	o->line_width = term_width(stdout);
	return rc;
}

int ctprof_options_show(const struct cli_call *call, struct report_options *o)
{
	options_init(o, true);
	return set_common(call, o);
}

int ctprof_options_compare(const struct cli_call *call, struct report_options *o)
{
	static const struct text_option options[] = {
		{ "min-pct", options_set_min_percent },
		{ "min-delta", options_set_min_delta },
		{ "threshold", options_add_threshold },
	};
	int rc;

	options_init(o, false);
	rc = options_set_display_format(o, cli_text(call, "display-format")) ?: set_common(call, o);
	rc = rc ?: set_all(call, o, options, ARRAY_SIZE(options));
	o->is_matched_by_tid = str_eq(cli_text(call, "match"), "tid");
	o->is_per_second = cli_flag(call, "per-second");
	o->is_changed_only = cli_flag(call, "changed-only");
	o->is_brief = !cli_flag(call, "all-rows") && !o->are_metrics_named &&
		      !o->are_sections_named &&
		      (o->format == FORMAT_TABLE || o->format == FORMAT_HTML);
	return rc;
}

void ctprof_print_note(const struct note *note)
{
	bool is_warning = note->level == NOTE_WARNING;

	_str_ struct str shown = {};

	if (!log_enabled(is_warning ? LOG_WARN : LOG_INFO, "ctprof"))
		return;
	text_add_lines(&shown, note->text);
	fprintf(stderr, "%s: %s\n", is_warning ? "warning" : "note", str_get(&shown));
}

int ctprof_check_thresholds(const struct report *r, struct report_options *o)
{
	_str_ struct str violations = {}, shown = {};
	size_t count = report_violations(r, &violations);

	for (size_t i = 0; i < o->thresholds.count; i++)
		o->thresholds.items[i].was_judged |=
			report_can_judge(r, o->thresholds.items[i].measure);
	text_add_lines(&shown, str_get(&violations));
	fputs(str_get(&shown), stderr);
	return count ? EXIT_THRESHOLD : EXIT_OK;
}

int ctprof_check_judged(const struct report_options *o)
{
	for (size_t i = 0; i < o->thresholds.count; i++)
		if (!o->thresholds.items[i].was_judged)
			return err_set(ENODATA, "threshold %s: not measured in any group",
				       measure_name(o->thresholds.items[i].measure));
	return 0;
}

int ctprof_print(const struct report *r, struct report_options *o)
{
	_str_ struct str text = {};
	_notes_ struct notes notes = {};
	int rc = render_report(r, &text), status;

	rc = rc ?: output_raw(&text);
	rc = rc ?: notes_collect(&notes, r);
	if (rc < 0)
		return rc;
	fflush(stdout);
	for (size_t i = 0; i < notes.count; i++)
		ctprof_print_note(&notes.items[i]);
	status = ctprof_check_thresholds(r, o);
	rc = ctprof_check_judged(o);
	return rc < 0 ? rc : status;
}
