/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows for the commands of `ktstr ctprof`. */
#ifndef KTSTR_CLI_ROWS_CTPROF_H
#define KTSTR_CLI_ROWS_CTPROF_H

#include "cli/table.h"
#include "ctprof/metric.h"

/* Packed rows are easier to read than one field per line. */
/* clang-format off */
CLI_CHOICE_LIST(compare_axes, "all", "pcomm", "cgroup", "comm", "comm-exact")

CLI_CHOICE_LIST(display_formats, "arrow", "full", "delta-only", "no-pct", "pct-only")

CLI_CHOICE_LIST(output_formats, "table", "json", "csv", "html")

CLI_CHOICE_LIST(match_modes, "name", "tid")

CLI_CHOICE_LIST(compare_columns, "group", "threads", "metric", "baseline", "candidate", "delta", "%",
	    "arrow", "tags", "uptime", "cgroup", "survived", "born", "died", "lifetime", "time")

#define FILTERS \
	{ .name = "pid", .kind = CLI_NUMBER, .value = "PID", .min = 1, .max = 4294967295, \
	  .is_repeatable = true, .help = "only threads of this process" }, \
	{ .name = "cgroup", .kind = CLI_STRING, .value = "GLOB", .is_repeatable = true, \
	  .help = "only threads whose cgroup path matches" }, \
	{ .name = "comm", .kind = CLI_STRING, .value = "GLOB", .is_repeatable = true, \
	  .help = "only threads whose name or process name matches" }

#define GROUPING \
	{ .name = "sections", .kind = CLI_CHOICES, .value = "LIST", .choices = section_names, \
	  .help = "parts to print, comma-separated [default: those with data]" }, \
	{ .name = "metrics", .kind = CLI_CHOICES, .value = "LIST", .choices = metric_names, \
	  .help = "metrics to print, comma-separated; see ktstr ctprof metric-list" }, \
	{ .name = "sort-by", .kind = CLI_STRING, .value = "SPEC", \
	  .help = "rank groups by metric[:asc|desc],...; desc is the default direction" }, \
	{ .name = "limit", .kind = CLI_NUMBER, .value = "N", .fallback = "500", \
	  .help = "maximum number of lines per section; 0 is unlimited. If not given, html has " \
		  "5000, json and csv have all" }, \
	{ .name = "cgroup-flatten", .kind = CLI_STRING, .value = "GLOB", .is_repeatable = true, \
	  .help = "merge cgroup paths that match, under the name of the pattern" }, \
	{ .name = "no-thread-normalize", \
	  .help = "use literal thread and process names: do not merge worker-1 and worker-2" }, \
	{ .name = "no-cg-normalize", .help = "use literal cgroup paths" }, \
	{ .name = "wrap", .help = "wrap cells to the width of the terminal" }, \
	{ .name = "json", .excludes = "format", .help = "the same as --format json" }, \
	{ .name = "format", .kind = CLI_CHOICE, .value = "FORMAT", .choices = output_formats, \
	  .fallback = "table", .help = "what to print" }

#define AXES_HELP \
	"what makes a row: cgroup, process and thread name together, or one of them; comm " \
	"joins names that differ in numbers, comm-exact does not, except under smaps-rollup"

#define COMPARE_OPTIONS(axes, axis, display) \
	{ .name = "group-by", .kind = CLI_CHOICE, .value = "AXIS", .choices = axes, \
	  .fallback = axis, \
	  .help = AXES_HELP }, \
	{ .name = "display-format", .kind = CLI_CHOICE, .value = "FMT", \
	  .choices = display_formats, .fallback = display, \
	  .help = "columns of tables, csv and html; json always has every value" }, \
	{ .name = "columns", .kind = CLI_CHOICES, .value = "LIST", .choices = compare_columns, \
	  .help = "columns by name, comma-separated; overrides --display-format; csv has a " \
		  "fixed order" }, \
	GROUPING, \
	{ .name = "match", .kind = CLI_CHOICE, .value = "MODE", .choices = match_modes, \
	  .fallback = "name", \
	  .help = "tid joins only identical threads and lists new and exited ones separately" }, \
	{ .name = "per-second", .help = "divide deltas by the time between the snapshots" }, \
	{ .name = "per-thread", .help = "divide values by the number of measured threads" }, \
	{ .name = "all-rows", \
	  .help = "include rows that did not change, and all rows of a group instead of 10; " \
		  "implied by --metrics and --sections, json and csv" }, \
	{ .name = "changed-only", .help = "omit rows without a change" }, \
	{ .name = "min-pct", .kind = CLI_STRING, .value = "PCT", \
	  .help = "omit rows that changed by less than PCT percent" }, \
	{ .name = "min-delta", .kind = CLI_STRING, .value = "N", \
	  .help = "omit rows that changed by less than N, in the unit of the metric; applies " \
		  "to --threshold too" }, \
	{ .name = "threshold", .kind = CLI_STRING, .value = "METRIC=PCT", .is_repeatable = true, \
	  .help = "exit with 5 when a group's metric grew by more than PCT percent, or with a negative " \
		  "PCT when it fell by more; 1 when no group measured it" }, \
	FILTERS
/* clang-format on */

#endif
