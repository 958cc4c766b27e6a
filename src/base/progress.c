// SPDX-License-Identifier: GPL-2.0-only
/* Progress bars and lines. */
#include "base/progress.h"

#include "base/base.h"

#define BAR_INTERVAL_NS (100 * NSEC_PER_MSEC)
/* Lines stay in a log: they become rarer with time. */
#define FIRST_LINE_NS (5 * NSEC_PER_SEC)
#define RAREST_LINE_NS (60 * NSEC_PER_SEC)
#define BAR_MAX 30

static bool is_quiet;

void progress_set_quiet(bool quiet)
{
	is_quiet = quiet;
}

void progress_start(struct progress *p, const char *what, uint64_t total)
{
	*p = (struct progress){ .what = what, .total = total };
	p->on_terminal = term_knows_escapes(stderr);
	p->drawn_ns = p->on_terminal ? 0 : clock_mono_ns();
	p->interval_ns = p->on_terminal ? BAR_INTERVAL_NS : FIRST_LINE_NS;
}

static void add_counts(struct str *line, const struct progress *p, uint64_t done)
{
	if (p->total)
		str_addf(line, "%s: %llu/%llu", p->what, ULL(done), ULL(p->total));
	else
		str_addf(line, "%s: %llu", p->what, ULL(done));
}

static void draw_bar(struct progress *p, uint64_t done)
{
	unsigned int columns = term_width(stderr);
	_str_ struct str line = {};
	size_t used, room, filled;

	add_counts(&line, p, done);
	used = text_width(str_get(&line));
	room = columns > used + 4 ? columns - used - 4 : 0;
	if (room > BAR_MAX)
		room = BAR_MAX;
	if (p->total && room >= 5) {
		filled = done >= p->total ? room : (size_t)(done * room / p->total);
		str_add(&line, " [");
		str_repeat(&line, '#', filled);
		str_repeat(&line, '.', room - filled);
		str_add(&line, "]");
	}
	if (columns && used >= columns && line.len >= columns)
		line.s[columns - 1] = '\0';
	fprintf(stderr, "\r\033[K%s", str_get(&line));
	p->shown = true;
}

void progress_update(struct progress *p, uint64_t done)
{
	uint64_t now = clock_mono_ns();

	if (is_quiet || now - p->drawn_ns < p->interval_ns)
		return;
	p->drawn_ns = now;
	if (p->on_terminal) {
		draw_bar(p, done);
	} else {
		_str_ struct str line = {};

		add_counts(&line, p, done);
		fprintf(stderr, "%s\n", str_get(&line));
		p->interval_ns *= 2;
		if (p->interval_ns > RAREST_LINE_NS)
			p->interval_ns = RAREST_LINE_NS;
	}
}

void progress_end(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
