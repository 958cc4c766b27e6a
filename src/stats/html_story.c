// SPDX-License-Identifier: GPL-2.0-only
/*
 * Draws auto-repro's story of a task: a row per event in order, with a lane per CPU that shows
 * whether the task runs, waits or sleeps there.
 */
#include <math.h>

#include "base/html.h"
#include "stats/parts.h"

#define MAX_ROWS 512
#define MAX_LANES 32
#define FRAME "  | " /* prefix of each line */

enum state { STATE_ASLEEP, STATE_WAITS, STATE_RUNS };

struct story_row {
	double time_s;
	unsigned int cpu;
	struct text_line words; /* of an event, or the heading of a program's call */
	bool is_program;
};

struct told {
	VEC(struct story_row) rows;
	struct text_line who;
	double wait_s, wait_from_s;
	bool has_wait;
	unsigned int lanes[MAX_LANES], lane_count;
};

static struct text_line without_frame(struct text_line l)
{
	size_t frame = strlen(FRAME);

	if (l.len >= frame && strncmp(l.s, FRAME, frame) == 0)
		return (struct text_line){ l.s + frame, l.len - frame };
	return l;
}

static void add_lane(struct told *t, unsigned int cpu)
{
	unsigned int at = 0;

	while (at < t->lane_count && t->lanes[at] < cpu)
		at++;
	if (t->lane_count == MAX_LANES || (at < t->lane_count && t->lanes[at] == cpu))
		return;
	memmove(&t->lanes[at + 1], &t->lanes[at], (t->lane_count - at) * sizeof(*t->lanes));
	t->lanes[at] = cpu;
	t->lane_count++;
}

static int add_row(struct told *t, struct story_row row)
{
	if (t->rows.count == MAX_ROWS)
		return 0;
	add_lane(t, row.cpu);
	return vec_push(&t->rows, row);
}

/* Parses a number after this text; *at moves past both. False = it does not match. */
static bool take_number(const char **at, const char *before, double *out)
{
	char *end;

	if (!str_starts(*at, before))
		return false;
	*at += strlen(before);
	if (!isdigit((unsigned char)**at))
		return false;
	*out = strtod(*at, &end);
	*at = end;
	return true;
}

static bool take_place(const char **at, const char *before, const char *between,
		       struct story_row *row)
{
	double cpu;

	if (!take_number(at, before, &row->time_s) || !take_number(at, between, &cpu))
		return false;
	row->cpu = (unsigned int)fmin(cpu, UINT16_MAX);
	return true;
}

/* Parses lines of the story: "  4.25s cpu1  words", and a heading before "    at 4.25s on cpu1". */
static int take_line(struct told *t, struct text_line l, struct text_line *head)
{
	_free_ char *text = strndup(l.s, l.len);
	struct story_row row = {};
	const char *at;

	if (!text)
		return err_no_memory();
	at = text;
	if (take_place(&at, "  ", "s cpu", &row) && str_starts(at, "  ")) {
		size_t begin = (size_t)(at + 2 - text);

		row.words = (struct text_line){ l.s + begin, l.len - begin };
		return add_row(t, row);
	}
	at = text;
	if (take_place(&at, "    at ", "s on cpu", &row) && head->len) {
		row.words = (struct text_line){ head->s + 2, head->len - 2 };
		row.is_program = true;
		return add_row(t, row);
	}
	if (str_starts(text, "task: "))
		t->who = (struct text_line){ l.s + strlen("task: "), l.len - strlen("task: ") };
	at = text;
	if (take_number(&at, "waited ", &t->wait_s) && take_number(&at, "s from ", &t->wait_from_s))
		t->has_wait = true;
	*head = str_starts(text, "  ") && text[2] != ' ' ? l : (struct text_line){};
	return 0;
}

static void add_words(struct str *out, struct text_line words)
{
	_free_ char *text = strndup(words.s, words.len);

	out->failed |= !text;
	if (text)
		html_add_text(out, text);
}

static bool begins(struct text_line words, const char *with)
{
	return words.len >= strlen(with) && strncmp(words.s, with, strlen(with)) == 0;
}

static bool ends(struct text_line words, const char *with)
{
	size_t len = strlen(with);

	return words.len >= len && strncmp(words.s + words.len - len, with, len) == 0;
}

/* State of the task after an event. */
static enum state state_after(const struct story_row *row, enum state before)
{
	if (row->is_program)
		return before;
	if (begins(row->words, "runs after "))
		return STATE_RUNS;
	if (ends(row->words, "takes its place, it stays runnable"))
		return STATE_WAITS;
	if (ends(row->words, " takes its place"))
		return STATE_ASLEEP;
	if (before == STATE_ASLEEP &&
	    (begins(row->words, "woken by ") || begins(row->words, "runnable") ||
	     begins(row->words, "put into ")))
		return STATE_WAITS;
	return before;
}

/* state -1 = the task is elsewhere, or unknown. */
static void add_lanes(struct str *out, const struct told *t, unsigned int cpu, int state,
		      const char *mark)
{
	static const char *const classes[] = { "s", "w", "r" };

	for (unsigned int i = 0; i < t->lane_count; i++)
		str_addf(out, "<td class=\"l%s%s\">%s", t->lanes[i] == cpu && state >= 0 ? " " : "",
			 t->lanes[i] == cpu && state >= 0 ? classes[state] : "",
			 t->lanes[i] == cpu ? mark : "");
}

/* Derived from the first event that starts or ends a stay on a CPU. */
static enum state state_before(const struct told *t)
{
	vec_each(const struct story_row, r, &t->rows) {
		if (begins(r->words, "runs after "))
			return STATE_WAITS;
		if (begins(r->words, "woken by "))
			return STATE_ASLEEP;
		if (state_after(r, STATE_ASLEEP) != state_after(r, STATE_RUNS))
			continue;
		return STATE_RUNS;
	}
	return STATE_WAITS;
}

/* Position of the task after these rows; calls may be on other CPUs. */
static const struct story_row *last_event(const struct told *t, size_t count)
{
	while (count && t->rows.items[count - 1].is_program)
		count--;
	return count ? &t->rows.items[count - 1] : NULL;
}

static bool is_there(const struct told *t, const struct story_row *r)
{
	const struct story_row *event = last_event(t, (size_t)(r - t->rows.items) + 1);

	return t->who.len && (!event || event->cpu == r->cpu);
}

static void add_rows(struct str *out, const struct told *t)
{
	enum state state = state_before(t);

	vec_each(const struct story_row, r, &t->rows) {
		double since = r > t->rows.items ? r->time_s - r[-1].time_s : 0;

		state = state_after(r, state);
		str_addf(out, "<tr><td>%.6f<td>", r->time_s);
		if (since > 0) {
			str_addc(out, '+');
			html_add_duration_ns(out, round(since * NSEC_PER_SEC));
		}
		add_lanes(out, t, r->cpu, is_there(t, r) ? (int)state : -1,
			  r->is_program ? "◆" : "●");
		str_add(out, r->is_program ? "<th scope=row>" : "<td class=x>");
		add_words(out, r->words);
	}
}

static void add_wait(struct str *out, const struct told *t)
{
	const struct story_row *last = last_event(t, t->rows.count);

	if (!t->has_wait)
		return;
	/* The task runs again; the row above has the time. */
	if (last && begins(last->words, "runs after ")) {
		str_add(out, "<tr class=wait><td><td>");
		add_lanes(out, t, 0, -1, "");
	} else {
		str_addf(out, "<tr class=wait><td>%.6f<td>+", t->wait_from_s + t->wait_s);
		html_add_duration_ns(out, round(t->wait_s * NSEC_PER_SEC));
		add_lanes(out, t, last ? last->cpu : 0, last ? STATE_WAITS : -1, "");
	}
	str_addf(out, "<th scope=row>waited %.3f s from %.6f s on", t->wait_s, t->wait_from_s);
}

static void add_table(struct str *out, const struct told *t)
{
	str_add(out, "<div class=sc><table class=story><caption>");
	if (t->who.len) {
		add_words(out, t->who);
		str_add(out,
			" <span class=k><i class=r></i>runs <i class=w></i>waits <i class=s></i>"
			"sleeps</span>");
	}
	str_add(out, "</caption><thead><tr><th scope=col>s<th scope=col>");
	for (unsigned int i = 0; i < t->lane_count; i++)
		str_addf(out, "<th scope=col>cpu%u", t->lanes[i]);
	str_add(out, "<th scope=col><tbody>");
	add_rows(out, t);
	add_wait(out, t);
	str_add(out, "</table></div>");
}

void html_add_story(struct str *out, const char *explanation)
{
	struct text_line head = {};
	struct told t = {};
	int rc = 0;

	text_each_line(l, explanation)
		rc = rc ?: take_line(&t, without_frame(l), &head);
	out->failed |= rc < 0;
	if (t.rows.count)
		add_table(out, &t);
	free(t.rows.items);
}
