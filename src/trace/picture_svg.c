// SPDX-License-Identifier: GPL-2.0-only
/*
 * Draws spans as SVG. A row has columns of one pixel, whatever the length of the trace: a column
 * belongs to the span with the largest part of it, and its height is the used fraction.
 */
#include "trace/parts.h"

#include <math.h>

#include "base/embed.h"
#include "base/html.h"

#define LABEL 150
#define COLUMNS 1040
#define ROW 18
#define BAR 14
#define BASELINE (BAR - 3) /* of text */
#define TOP 62		   /* space for title and axis */
#define RIGHT 10
#define LEVELS 7
#define COLOURS 10
#define LETTER 6.6 /* approximate width of a character */
#define MAX_LABEL 22

/* Time used in a column, and the owner of its largest part. */
struct column {
	double used_ns, most_ns;
	uint32_t owner;
};

struct drawing {
	const struct picture *p;
	struct str *out;
	struct column columns[COLUMNS];
	double ns_per_column;
	int y;
};

static void clear_columns(struct drawing *d)
{
	memset(d->columns, 0, sizeof(d->columns));
}

static void fill(struct drawing *d, const struct picture_span *s)
{
	double from = (double)(s->from_ns - d->p->from_ns) / d->ns_per_column;
	double to = (double)(s->to_ns - d->p->from_ns) / d->ns_per_column;

	for (int i = (int)from; i < COLUMNS && i < to; i++) {
		struct column *c = &d->columns[i];
		double share = fmin(to, i + 1) - fmax(from, i);

		c->used_ns += share;
		if (share > c->most_ns) {
			c->most_ns = share;
			c->owner = s->task;
		}
	}
}

static int level(const struct column *c)
{
	return c->used_ns <= 0 ? 0 : (int)fmin(LEVELS, ceil(c->used_ns * LEVELS));
}

static bool is_same(const struct column *a, const struct column *b)
{
	return level(a) == level(b) && (!level(a) || a->owner == b->owner);
}

/* All columns of one colour become one path. */
static void draw_colour(struct drawing *d, uint32_t colour, const char *class)
{
	bool has_any = false;

	for (int i = 0, end; i < COLUMNS; i = end) {
		const struct column *c = &d->columns[i];
		int height = BAR * level(c) / LEVELS;

		for (end = i + 1; end < COLUMNS && is_same(c, &d->columns[end]);)
			end++;
		if (!level(c) || c->owner % COLOURS != colour)
			continue;
		if (!has_any)
			str_addf(d->out, "<path class='%s%u' d='", class, colour);
		has_any = true;
		str_addf(d->out, "M%d %dh%dV%dh-%dz", LABEL + i, d->y + BAR - height, end - i,
			 d->y + BAR, end - i);
	}
	if (has_any)
		str_add(d->out, "'/>");
}

static void draw_columns(struct drawing *d, const char *class)
{
	for (uint32_t colour = 0; colour < COLOURS; colour++)
		draw_colour(d, colour, class);
}

/* Writes text into a span that is wide enough for it. */
static void add_words(struct drawing *d, const struct picture_span *s, const char *words)
{
	double from = (double)(s->from_ns - d->p->from_ns) / d->ns_per_column;
	double to = (double)(s->to_ns - d->p->from_ns) / d->ns_per_column;

	if (to - from < (double)strlen(words) * LETTER + 6)
		return;
	str_addf(d->out, "<text class='%s' x='%.0f' y='%d'>",
		 s->state == TASK_RUNNING ? "on" : "off", LABEL + from + 3, d->y + BASELINE);
	html_add_text(d->out, words);
	str_add(d->out, "</text>");
}

static void add_label(struct drawing *d, const char *label)
{
	_str_ struct str printable = {}, cut = {};

	text_add_printable(&printable, label);
	text_add_cut(&cut, str_get(&printable), printable.len, MAX_LABEL);
	str_addf(d->out, "<text x='4' y='%d'>", d->y + BASELINE);
	html_add_text(d->out, str_get(&cut));
	str_addf(d->out, "</text><path class='l' d='M0 %dh%d'/>", d->y + BAR + 2,
		 LABEL + COLUMNS + RIGHT);
}

static void draw_cpu(struct drawing *d, uint32_t cpu)
{
	const struct picture *p = d->p;
	char label[32];

	snprintf(label, sizeof(label), "cpu%u", cpu);
	add_label(d, label);
	clear_columns(d);
	for (size_t i = 0; i < p->spans.count; i++)
		if (p->spans.items[i].state == TASK_RUNNING && p->spans.items[i].cpu == cpu)
			fill(d, &p->spans.items[i]);
	draw_columns(d, "c");
	vec_each(const struct picture_span, s, &p->spans) {
		_str_ struct str words = {};

		if (s->state != TASK_RUNNING || s->cpu != cpu ||
		    (double)(s->to_ns - s->from_ns) < 6 * LETTER * d->ns_per_column)
			continue;
		picture_add_name(&words, &p->tasks.items[s->task]);
		add_words(d, s, str_get(&words));
	}
	d->y += ROW;
}

static void draw_task(struct drawing *d, uint32_t task)
{
	/* First all runnable time, then running time on top: what remains visible is waiting. */
	static const struct {
		enum task_state least;
		const char *class;
	} layers[] = { { TASK_WAITING, "wait c" }, { TASK_RUNNING, "c" } };
	const struct picture *p = d->p;
	_str_ struct str label = {};

	picture_add_name(&label, &p->tasks.items[task]);
	add_label(d, str_get(&label));
	for (size_t layer = 0; layer < ARRAY_SIZE(layers); layer++) {
		clear_columns(d);
		for (size_t i = 0; i < p->spans.count; i++)
			if (p->spans.items[i].task == task &&
			    p->spans.items[i].state >= layers[layer].least)
				fill(d, &p->spans.items[i]);
		draw_columns(d, layers[layer].class);
	}
	vec_each(const struct picture_span, s, &p->spans) {
		char words[48];

		snprintf(words, sizeof(words),
			 s->state == TASK_RUNNING ? "cpu%u" : "waits on cpu%u", s->cpu);
		if (s->task == task)
			add_words(d, s, words);
	}
	d->y += ROW;
}

/* Returns whether t is the first task of its cgroup. */
static bool has_heading(const struct picture_task *t, uint32_t cgroup_above)
{
	return t->cgroup != cgroup_above && t->cgroup != TRACE_NO_CGROUP;
}

static void draw_tasks(struct drawing *d)
{
	const struct picture *p = d->p;
	uint32_t cgroup = TRACE_NO_CGROUP;

	for (uint32_t i = 0; i < p->tasks.count; i++) {
		const struct picture_task *t = &p->tasks.items[i];

		if (t->rank >= PICTURE_MAX_ROWS)
			continue;
		if (has_heading(t, cgroup)) {
			str_addf(d->out, "<text class='h' x='4' y='%d'>", d->y + BASELINE);
			html_add_in(d->out, "", p->cgroups.items[t->cgroup], "</text>\n");
			d->y += ROW;
		}
		cgroup = t->cgroup;
		draw_task(d, i);
		str_addc(d->out, '\n');
	}
}

/* Distance between the lines of the axis: 1, 2 or 5 times a power of ten. */
static double axis_step(double ns)
{
	double rough = ns / 8, ten = pow(10, floor(log10(rough)));

	return rough < 2 * ten ? 2 * ten : rough < 5 * ten ? 5 * ten : 10 * ten;
}

static void add_round_time(struct str *out, double ns)
{
	if (ns >= (double)NSEC_PER_SEC)
		str_addf(out, "%g s", ns / (double)NSEC_PER_SEC);
	else if (ns >= (double)NSEC_PER_MSEC)
		str_addf(out, "%g ms", ns / (double)NSEC_PER_MSEC);
	else
		str_addf(out, ns > 0 ? "%g µs" : "%g", ns / 1000);
}

static void draw_axis(struct drawing *d, int bottom)
{
	double length = d->ns_per_column * COLUMNS, step = axis_step(length);
	unsigned int marks = (unsigned int)(length / step);

	for (unsigned int i = 0; i <= marks; i++) {
		double at = i * step, x = LABEL + at / d->ns_per_column;

		str_addf(d->out,
			 "<path class='l' d='M%.1f %dV%d'/><text class='a' x='%.1f' y='%d'>", x,
			 TOP - 8, bottom, x + 2, TOP - 10);
		add_round_time(d->out, at);
		str_add(d->out, "</text>\n");
	}
	if (d->p->has_exit && d->p->exit_ns >= d->p->from_ns)
		str_addf(
			d->out,
			"<path class='x' d='M%.1f %dV%d'><title>the scheduler exits</title></path>\n",
			LABEL + (double)(d->p->exit_ns - d->p->from_ns) / d->ns_per_column, TOP - 8,
			bottom);
}

static void add_head(struct drawing *d)
{
	const struct picture *p = d->p;
	_str_ struct str cut = {};

	str_add(d->out, "<text class='t' x='4' y='18'>");
	if (p->of)
		html_add_in(d->out, "", p->of, ": ");
	picture_add_time(d->out, p->to_ns - p->from_ns);
	str_addf(d->out, " of %u CPUs and %zu tasks</text>\n", p->cpu_count, p->tasks.count);
	picture_add_cut(&cut, p, PICTURE_MAX_ROWS);
	str_add(d->out,
		"<text class='a' x='4' y='34'>coloured: runs; pale red: waits for a CPU; lower bar: "
		"part of the time");
	if (p->has_exit)
		str_add(d->out, "; red line: the scheduler exits");
	str_addf(d->out, ". %s</text>\n", str_get(&cut));
}

static int height_of(const struct picture *p)
{
	uint32_t cgroup = TRACE_NO_CGROUP;
	size_t rows = MIN(p->cpu_count, (uint32_t)PICTURE_MAX_ROWS) + 1;

	vec_each(const struct picture_task, t, &p->tasks) {
		if (t->rank >= PICTURE_MAX_ROWS)
			continue;
		rows += 1 + has_heading(t, cgroup);
		cgroup = t->cgroup;
	}
	return TOP + (int)rows * ROW;
}

EMBED_TEXT(picture_svg_style, "src/trace/page/picture.css");

void picture_draw(const struct picture *p, struct str *out)
{
	struct drawing d = { .p = p, .out = out, .y = TOP };
	int width = LABEL + COLUMNS + RIGHT, height = height_of(p);

	d.ns_per_column = (double)MAX(p->to_ns - p->from_ns, 1000ULL) / COLUMNS;
	str_addf(out,
		 "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' "
		 "height='%d' role='img'>\n",
		 width, height, width, height);
	html_add_style(out, picture_svg_style);
	add_head(&d);
	draw_axis(&d, height - ROW / 2);
	for (uint32_t cpu = 0; cpu < p->cpu_count && cpu < PICTURE_MAX_ROWS; cpu++)
		draw_cpu(&d, cpu);
	d.y += ROW / 2;
	draw_tasks(&d);
	str_add(out, "</svg>\n");
}

int picture_write_svg(const void *records, size_t len, const char *of, struct str *out)
{
	_picture_ struct picture p = {};
	int rc = picture_read(&p, records, len, PICTURE_MAX_SPANS);

	if (rc < 0)
		return rc;
	p.of = of;
	picture_draw(&p, out);
	return str_check(out);
}
