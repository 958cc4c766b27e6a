// SPDX-License-Identifier: GPL-2.0-only
/* Passes events to the selected format; the human-readable format. */
#include "run/parts.h"

#define SHOWN_DIGEST 16 /* of 64 digits, as in replay and trace */

#define RED "\033[31;1m"
#define GREEN "\033[32;1m"
#define YELLOW "\033[33;1m"
#define NO_COLOUR "\033[0m"

static const struct {
	const char *name; /* in machine-readable formats */
	const char *word; /* in the human-readable format */
	const char *colour;
} statuses[] = {
	[TEST_PASSED] = { "pass", "PASS", GREEN },
	[TEST_FAILED] = { "fail", "FAIL", RED },
	[TEST_TIMED_OUT] = { "timeout", "TIMEOUT", RED },
	[TEST_INCONCLUSIVE] = { "inconclusive", "INCONCLUSIVE", YELLOW },
	[TEST_SKIPPED] = { "skip", "SKIP", YELLOW },
};

static const struct report_format *const formats[] = { &run_report_human, &run_report_ktap,
						       &run_report_junit, &run_report_json };

const char *test_status_name(enum test_status status)
{
	return statuses[status].name;
}

size_t run_totals_failed(const struct run_totals *t)
{
	return t->failed + t->timed_out;
}

size_t run_totals_ended(const struct run_totals *t)
{
	return t->passed + t->failed + t->timed_out + t->inconclusive + t->skipped;
}

size_t run_totals_not_run(const struct run_totals *t)
{
	size_t ended = run_totals_ended(t);

	return t->selected > ended ? t->selected - ended : 0;
}

void run_totals_count(struct run_totals *t, const struct test_event *e)
{
	size_t *const counters[] = {
		[TEST_PASSED] = &t->passed,	  [TEST_FAILED] = &t->failed,
		[TEST_TIMED_OUT] = &t->timed_out, [TEST_INCONCLUSIVE] = &t->inconclusive,
		[TEST_SKIPPED] = &t->skipped,
	};

	++*counters[e->status];
	t->flaky += e->status == TEST_PASSED && e->attempt > 1;
}

const char *const *run_report_format_names(void)
{
	static const char *names[ARRAY_SIZE(formats) + 1];

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		names[i] = formats[i]->name;
	return names;
}

const struct report_format *run_report_format_by_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (str_eq(formats[i]->name, name))
			return formats[i];
	return NULL;
}

void run_report_begin(struct run_report *r, const struct report_format *format,
		      const struct run_report_options *options, size_t selected)
{
	*r = (struct run_report){ .format = format, .options = *options };
	if (format->begin)
		format->begin(r, selected);
	term_flush(options->out);
}

void run_report_tell(struct run_report *r, enum report_moment m, const struct test_event *e)
{
	r->ended += m == REPORT_ENDED || m == REPORT_UNRUN;
	if (r->format->tell)
		r->format->tell(r, m, e);
	term_flush(r->options.out);
}

int run_report_finish(struct run_report *r, const struct run_totals *t)
{
	int rc;

	if (r->format->finish)
		r->format->finish(r, t);
	term_flush(r->options.out);
	rc = str_check(&r->collected) ?: str_check(&r->failed);
	str_finish(&r->collected);
	str_finish(&r->failed);
	return rc;
}

/* Returns whether the run is reproducible and identified by a digest. */
static bool has_identity(const struct test_event *e)
{
	return e->has_seed && e->digest;
}

void report_add_name(struct str *out, const struct test_event *e)
{
	text_add_printable(out, e->binary_id);
	str_addc(out, ' ');
	text_add_printable(out, e->name);
}

/* "    PASS [  11.34s] suite::binary ktstr/two_cgroups" */
static void print_line(const struct run_report *r, const char *word, const char *colour,
		       const char *sign, const struct test_event *e)
{
	bool has_colour = r->options.has_colour;
	_str_ struct str name = {};

	report_add_name(&name, e);
	fprintf(r->options.out, "    %s%s%s [%s%*.2fs] %s", has_colour ? colour : "", word,
		has_colour ? NO_COLOUR : "", sign, *sign ? 6 : 7, e->seconds, str_get(&name));
	if (r->options.is_verbose && has_identity(e))
		fprintf(r->options.out, " (seed %llu, digest %.*s)", ULL(e->seed), SHOWN_DIGEST,
			e->digest);
	fputc('\n', r->options.out);
}

/*
 * Appends a verdict with control characters escaped: it quotes output of programs and schedulers,
 * which must not control the terminal. Ends with a newline.
 */
static void add_shown(struct str *out, const char *text)
{
	text_add_lines(out, text);
	if (text[strlen(text) - 1] != '\n')
		str_addc(out, '\n');
}

static void add_block(struct str *out, const char *title, const char *text,
		      void (*add)(struct str *out, const char *text))
{
	if (!text || !*text)
		return;
	str_addf(out, "\n--- %s ---\n", title);
	add(out, text);
}

static void print_shown(const struct run_report *r, const char *before, const char *text,
			void (*add)(struct str *out, const char *text))
{
	_str_ struct str shown = {};

	add(&shown, text);
	fprintf(r->options.out, "%s%s", before, str_get(&shown));
}

/* Appends the details of a failed test: the failure text, then the program's output. */
static void add_details(struct str *out, const struct test_event *e)
{
	add_block(out, "STDERR", e->text, add_shown);
	add_block(out, "scheduler and EEVDF", e->note, add_shown);
	add_block(out, "OUTPUT", e->output, text_add_marked);
	str_addc(out, '\n');
}

static void print_details(const struct run_report *r, const struct test_event *e)
{
	_str_ struct str details = {};

	add_details(&details, e);
	fputs(str_get(&details), r->options.out);
}

static bool is_bad(const struct test_event *e)
{
	return e->status != TEST_PASSED && e->status != TEST_SKIPPED;
}

/* Appends a command for copy and paste; the path is quoted, since it may contain any character. */
static void add_command(struct str *out, const char *command, const char *path)
{
	_str_ struct str word = {};

	text_add_word(&word, path);
	str_addf(out, "%s ", command);
	text_add_printable(out, str_get(&word));
	str_addc(out, '\n');
	out->failed |= word.failed;
}

static void add_record(struct str *out, const char *label, const char *path)
{
	_free_ char *dump = dump_files_path(path);

	str_add(out, "    stats:  ");
	text_add_printable(out, path);
	str_addf(out, "\n    replay: %s", label);
	add_command(out, " replay", path);
	if (dump && access(dump, R_OK) == 0) {
		str_addf(out, "    dump:   %s", label);
		add_command(out, " show-dump", dump);
	}
}

static void add_failed(struct run_report *r, const struct test_event *e, const char *mark)
{
	str_add(&r->failed, "  ");
	report_add_name(&r->failed, e);
	str_addf(&r->failed, "%s\n", mark);
	if (e->sidecar)
		add_record(&r->failed, r->options.label, e->sidecar);
	if (e->seed)
		str_addf(&r->failed, "    seed:   %llu\n", ULL(e->seed));
	if (has_identity(e))
		str_addf(&r->failed, "    digest: %.*s\n", SHOWN_DIGEST, e->digest);
}

/* Printed even if the test passes later: the failed attempt has a record. */
static void human_retry(struct run_report *r, const struct test_event *e)
{
	char word[64], mark[32];

	snprintf(word, sizeof(word), "TRY %u %s", e->attempt, statuses[e->status].word);
	snprintf(mark, sizeof(mark), " (try %u)", e->attempt);
	print_line(r, word, statuses[e->status].colour, "", e);
	add_failed(r, e, mark);
	if (!r->options.shows_failures_last)
		print_details(r, e);
}

/* Profile ci prints details at the end; collects them until then. */
static void keep_details(struct run_report *r, const struct test_event *e)
{
	str_addf(&r->collected, "    %s [%7.2fs] ", statuses[e->status].word, e->seconds);
	report_add_name(&r->collected, e);
	str_addc(&r->collected, '\n');
	add_details(&r->collected, e);
}

static void print_end_line(const struct run_report *r, const struct test_event *e)
{
	char word[64];

	if (e->status == TEST_PASSED && e->attempt > 1) {
		snprintf(word, sizeof(word), "FLAKY %u/%u", e->attempt, e->attempts);
		print_line(r, word, YELLOW, "", e);
		return;
	}
	print_line(r, statuses[e->status].word, statuses[e->status].colour, "", e);
}

static void human_end(struct run_report *r, const struct test_event *e)
{
	if (is_bad(e) || !r->options.is_quiet)
		print_end_line(r, e);
	if (e->status == TEST_SKIPPED && e->text && *e->text && !r->options.is_quiet)
		print_shown(r, "ktstr: SKIP: ", e->text, text_add_marked_rest);
	if (is_bad(e)) {
		add_failed(r, e, "");
		if (r->options.shows_failures_last)
			keep_details(r, e);
		else
			print_details(r, e);
		return;
	}
	if (e->note && *e->note)
		print_shown(r, "\n", e->note, add_shown);
	if (r->options.shows_output && e->output && *e->output)
		print_shown(r, "", e->output, text_add_marked);
}

static void human_tell(struct run_report *r, enum report_moment m, const struct test_event *e)
{
	if (m == REPORT_ENDED)
		human_end(r, e);
	else if (m == REPORT_RETRIED)
		human_retry(r, e);
	else if (m == REPORT_SLOW && !r->options.is_quiet)
		print_line(r, "SLOW", YELLOW, ">", e);
}

static void add_count(struct str *out, size_t count, const char *what)
{
	if (count)
		str_addf(out, ", %zu %s", count, what);
}

static void print_run_dir(const struct run_report *r, const char *path)
{
	_str_ struct str shown = {};

	text_add_printable(&shown, path);
	fprintf(r->options.out, "  run: %s\n", str_get(&shown));
}

static void human_finish(struct run_report *r, const struct run_totals *t)
{
	_str_ struct str line = {};
	size_t ran = run_totals_ended(t) - t->skipped;

	if (r->collected.len)
		fprintf(r->options.out, "\n%s", r->collected.s);
	str_addf(&line, "%zu %s run: %zu passed", ran, ran == 1 ? "test" : "tests", t->passed);
	add_count(&line, t->flaky, "flaky");
	add_count(&line, t->slow, "slow");
	add_count(&line, t->failed, "failed");
	add_count(&line, t->timed_out, "timed out");
	add_count(&line, t->inconclusive, "inconclusive");
	add_count(&line, t->skipped, "skipped");
	add_count(&line, t->filtered_out, "not selected");
	add_count(&line, run_totals_not_run(t), "not run");
	fprintf(r->options.out, "------------\n    Summary [%7.2fs] %s%s\n", t->seconds,
		str_get(&line), t->is_interrupted ? " (interrupted)" : "");
	if (!r->options.run_dir_count || !run_totals_ended(t))
		return;
	fprintf(r->options.out, "\n%s: test outputs\n", r->options.label);
	for (size_t i = 0; i < r->options.run_dir_count; i++)
		print_run_dir(r, r->options.run_dirs[i]);
	fputs(str_get(&r->failed), r->options.out);
}

const struct report_format run_report_human = {
	.name = "human",
	.tell = human_tell,
	.finish = human_finish,
};
