// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr ctprof watch`: repeatedly captures and compares with the previous capture. */
#include <signal.h>

#include "base/screen.h"
#include "cli/ctprof_report.h"
#include "cli/rows_ctprof.h"
#include "ctprof/capture.h"
#include "ctprof/report.h"

#define SCREEN_LIMIT 20 /* rows per section on a terminal, unless told otherwise */
#define WIDE_SCREEN 120 /* columns that a table with both values needs */

static volatile sig_atomic_t is_interrupted;

/* The first signal ends the loop; a second one does not wait for the capture to end. */
static void on_interrupt(int signal_number _unused_)
{
	if (is_interrupted) {
		jemalloc_detach_all();
		_exit(EXIT_INTERRUPTED);
	}
	is_interrupted = 1;
}

static void catch_interrupts(void)
{
	struct sigaction action = { .sa_handler = on_interrupt };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

struct watch {
	const struct cli_call *call;
	struct report_options options;
	struct capture_opts capture;
	uint64_t interval_ns, count; /* count 0 = until interrupted */
	bool is_since_start;
	bool is_screen;
	struct intern told; /* notes that were already printed */
	uint64_t done;
	int status;
};

static void watch_finish(struct watch *w)
{
	options_finish(&w->options);
	intern_finish(&w->told);
}

static int read_options(struct watch *w, const struct cli_call *call)
{
	int rc = ctprof_options_compare(call, &w->options);

	if (rc < 0)
		return rc;
	w->call = call;
	w->interval_ns = cli_number(call, "interval");
	w->count = cli_number(call, "count");
	w->is_since_start = cli_flag(call, "since-start");
	w->is_screen = w->options.format == FORMAT_TABLE && term_knows_escapes(stdout);
	w->options.line_width = 0; /* lines of a screen are cut */
	if (w->is_screen && !cli_is_given(call, "limit"))
		w->options.limit = SCREEN_LIMIT;
	/* Data that was disabled here is not reported as a gap. */
	w->options.is_smaps_unasked = !options_want(&w->options, SECTION_SMAPS_ROLLUP);
	w->capture = (struct capture_opts){
		.roots = cli_roots(call),
		.is_cgroup_root_given = cli_is_given(call, "cgroup-root"),
		.pids = w->options.filter.pids.items,
		.pid_count = w->options.filter.pids.count,
		.cgroup_globs = w->options.filter.cgroups.items,
		.cgroup_glob_count = w->options.filter.cgroups.count,
		.comm_globs = w->options.filter.comms.items,
		.comm_glob_count = w->options.filter.comms.count,
		.no_probe = !cli_flag(call, "probe"),
		.no_smaps = w->options.is_smaps_unasked,
	};
	return 0;
}

/* The screen may have been resized. */
static int choose_columns(struct watch *w)
{
	bool is_wide = screen_size().columns >= WIDE_SCREEN;

	if (!w->is_screen || w->options.are_columns_named)
		return 0;
	return options_set_display_format(&w->options, is_wide ? "arrow" : "delta-only");
}

static void add_title(const struct watch *w, const struct report *r, struct str *out)
{
	char time[CLOCK_TEXT_SIZE];

	clock_format_utc(r->pair.sides[CANDIDATE]->captured_at_unix_ns.value, 0, time);
	str_addf(out, "# %s, %.1f s, comparison %llu\n", time, r->window.seconds, ULL(w->done) + 1);
}

/* The reader has closed the pipe and there is nothing to clean up: ends by SIGPIPE. */
static int check_reader(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	if (errno == EPIPE) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	return err_sys(errno, "write to standard output");
}

static int print_text(const struct watch *w, const struct report *r, const struct notes *notes)
{
	_str_ struct str text = {}, report = {};
	int rc = render_report(r, &report);

	if (rc < 0)
		return rc;
	if (w->options.format == FORMAT_TABLE)
		add_title(w, r, &text);
	str_addn(&text, str_get(&report), report.len);
	for (size_t i = 0; w->is_screen && i < notes->count; i++)
		str_addf(&text, "%s\n", notes->items[i].text);
	rc = str_check(&text);
	if (rc < 0)
		return rc;
	if (w->is_screen) {
		rc = screen_show(str_get(&text));
		return rc < 0 ? rc : check_reader();
	}
	if (w->done && w->options.format == FORMAT_TABLE)
		fputc('\n', stdout);
	fwrite(str_get(&text), 1, text.len, stdout);
	return check_reader();
}

/* Coverage changes with every thread that starts or exits: printed once, like warnings. */
static int print_new_notes(struct watch *w, const struct notes *notes)
{
	vec_each_while(const struct note, note, notes, !w->is_screen) {
		size_t known = w->told.texts.count;
		uint32_t id;
		int rc = intern_add_copy(&w->told, note->text, &id);

		if (rc < 0)
			return rc;
		if (id == known && (note->level == NOTE_WARNING || !w->done))
			ctprof_print_note(note);
	}
	return 0;
}

static int print_comparison(struct watch *w, const struct snapshot *before,
			    const struct snapshot *now)
{
	static const char *const names[SIDES] = { "the snapshot before", "this snapshot" };
	struct snapshot_pair pair = { { before, now } };
	_report_ struct report report = {};
	_notes_ struct notes notes = {};
	int rc, status;

	w->options.is_continued = w->done > 0;
	rc = choose_columns(w) ?: report_build(&report, &pair, names, &w->options);
	rc = rc ?: notes_collect(&notes, &report);
	rc = rc ?: print_text(w, &report, &notes);
	rc = rc ?: print_new_notes(w, &notes);
	if (rc < 0)
		return rc;
	status = ctprof_check_thresholds(&report, &w->options);
	w->status = status ? status : w->status;
	w->done++;
	return 0;
}

static void sleep_until(uint64_t mono_ns)
{
	while (!is_interrupted && clock_sleep_until_ns(mono_ns) == -EINTR)
		;
}

static bool is_over(const struct watch *w)
{
	return is_interrupted || (w->count && w->done == w->count);
}

static int watch(struct watch *w, struct snapshot *before)
{
	uint64_t next = clock_mono_ns();

	while (!is_over(w)) {
		_snapshot_ struct snapshot now = {};
		uint64_t time = clock_mono_ns();
		int rc;

		/* Missed captures are skipped, not made up for. */
		next += w->interval_ns;
		if (next < time)
			next = time;
		sleep_until(next);
		if (is_interrupted)
			break;
		rc = capture_snapshot(&now, &w->capture) ?: print_comparison(w, before, &now);
		if (rc < 0)
			return rc;
		if (!w->is_since_start) {
			struct snapshot old = *before;

			*before = now;
			now = old;
		}
	}
	return 0;
}

/* An interrupt is the normal end of a watch without a count. */
static int cmd_ctprof_watch_run(const struct cli_call *call)
{
	_cleanup_(watch_finish) struct watch w = {};
	_snapshot_ struct snapshot first = {};
	int rc;

	if (str_eq(report_format(call), "html"))
		return cli_usage_error(call, "--format html is for one comparison; watch has many");
	rc = ctprof_check_format(call, false);
	if (rc)
		return rc;
	rc = read_options(&w, call);
	if (rc < 0)
		return rc;
	catch_interrupts();
	rc = capture_snapshot(&first, &w.capture) ?: watch(&w, &first);
	if (rc < 0)
		return rc;
	if (is_interrupted && w.count && w.done < w.count)
		return EXIT_INTERRUPTED;
	rc = w.done ? ctprof_check_judged(&w.options) : 0;
	return rc < 0 ? rc : w.status;
}

/* clang-format off */
const struct cli_cmd cmd_ctprof_watch = {
	.name = "watch", .summary = "compare repeatedly, live",
	.about = "Captures at every interval and compares with the previous capture. On a "
		 "terminal the display is redrawn, otherwise reports follow one another; json "
		 "prints one document per line. Runs until interrupted.",
	.params = CLI_PARAMS(
		{ .name = "interval", .letter = 'n', .kind = CLI_DURATION, .value = "DUR", .fallback = "2s",
		  .help = "time between two snapshots" },
		{ .name = "count", .kind = CLI_NUMBER, .value = "N", .min = 1,
		  .help = "stop after this many comparisons" },
		{ .name = "since-start", .help = "compare with the first snapshot instead of the "
			"previous one" },
		{ .name = "probe", .help = "also read jemalloc counters, which may stop threads "
			"for a moment" },
		COMPARE_OPTIONS(compare_axes, "all", "arrow"),
		CLI_ROOTS),
	.exits = CLI_EXITS(
		{ "5", "a group grew past a --threshold" },
		{ "130", "interrupted before --count was reached" }),
	.holds_resources = true, .run = cmd_ctprof_watch_run,
};
/* clang-format on */
