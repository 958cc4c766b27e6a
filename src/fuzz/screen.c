// SPDX-License-Identifier: GPL-2.0-only
/* Shows a running campaign on the terminal. */
#include "base/screen.h"
#include "fuzz/parts.h"

#define REDRAW_NS (NSEC_PER_SEC / 2)
#define LABEL 12 /* width of the labels in front of figures */
#define MARGIN 4
#define RECENT_S 60.0

static void add_clock(struct str *out, double seconds)
{
	unsigned int s = (unsigned int)seconds;

	str_addf(out, "%u:%02u:%02u", s / 3600, s / 60 % 60, s % 60);
}

/* Scenarios per second in the last minute. */
static double recent_rate(const struct fuzz *f, double seconds)
{
	double from = 0;
	uint64_t runs = 0;

	for (size_t i = f->curve.count; i-- && f->curve.items[i].seconds >= seconds - RECENT_S;) {
		from = i ? f->curve.items[i - 1].seconds : 0;
		runs = i ? f->curve.items[i - 1].runs : 0;
	}
	return seconds > from ? (double)(f->runs - runs) / (seconds - from) : 0;
}

static void add_title(const struct fuzz *f, double seconds, struct str *out)
{
	str_addf(out, "%s fuzz ", f->options->label);
	text_add_printable(out, f->options->scheduler);
	str_addf(out, " on %s, ", lab_kernel(&f->lab));
	add_clock(out, seconds);
	str_add(out, " of ");
	add_clock(out, (double)f->options->budget_ns / NSEC_PER_SEC);
	str_add(out, "\n\n");
}

static size_t features_at(const struct fuzz *f, double seconds)
{
	size_t features = 0;

	for (size_t i = 0; i < f->curve.count && f->curve.items[i].seconds <= seconds; i++)
		features = f->curve.items[i].features;
	return features;
}

/* Features over time, from the start until now. */
static void add_curve(const struct fuzz *f, double seconds, unsigned int columns, struct str *out)
{
	static const char *const bars[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	unsigned int width = columns > LABEL + MARGIN ? columns - LABEL - MARGIN : 1;

	if (!f->cover.count)
		return;
	str_addf(out, "%-*s", LABEL, "over time");
	for (unsigned int i = 1; i <= width; i++) {
		size_t features = features_at(f, seconds * i / width);
		size_t height = features * (ARRAY_SIZE(bars) - 1) / f->cover.count;

		str_add(out, bars[MIN(height, ARRAY_SIZE(bars) - 1)]);
	}
	str_addc(out, '\n');
}

static void add_failures(const struct fuzz *f, struct str *out)
{
	str_addf(out, "%-*s%zu", LABEL, "failures", f->failures.count);
	if (f->unconfirmed)
		str_addf(out, ", and %llu that were not seen again", ULL(f->unconfirmed));
	str_addc(out, '\n');
	vec_each(const struct fuzz_failure, failure, &f->failures) {
		str_addf(out, "  %llu × ", ULL(failure->runs));
		text_add_printable(out, failure->signature);
		if (failure->file)
			str_addf(out, "  %s", failure->file);
		str_addf(out, "%s\n", failure->is_known ? "  (known)" : "");
	}
}

void fuzz_screen_add(const struct fuzz *f, double seconds, unsigned int columns, struct str *out)
{
	add_title(f, seconds, out);
	str_addf(out, "%-*s%llu, %.1f a second; %llu passed, %llu skipped, %llu invalid\n", LABEL,
		 "scenarios", ULL(f->runs), recent_rate(f, seconds), ULL(f->passed),
		 ULL(f->skipped), ULL(f->invalid));
	str_addf(out, "%-*s%zu features\n", LABEL, "coverage", f->cover.count);
	add_curve(f, seconds, columns, out);
	str_addf(out, "%-*s%.1f ms\n", LABEL, "worst wait", f->cover.worst_wait_us / 1e3);
	str_addf(out, "%-*s%zu kept in ", LABEL, "corpus", f->corpus.entries.count);
	text_add_printable(out, f->options->corpus);
	str_addc(out, '\n');
	add_failures(f, out);
	str_add(out, "\n^C ends it and keeps everything; the same command goes on from there.\n");
}

void fuzz_screen_draw(struct fuzz *f)
{
	_str_ struct str out = {};

	f->shown_ns = clock_mono_ns();
	fuzz_screen_add(f, fuzz_seconds(f), screen_size().columns, &out);
	if (str_check(&out) < 0 || screen_show(str_get(&out)) < 0)
		err_clear();
	fflush(stdout);
}

void fuzz_screen_tick(struct fuzz *f)
{
	if (f->options->has_screen && clock_mono_ns() - f->shown_ns >= REDRAW_NS)
		fuzz_screen_draw(f);
}
