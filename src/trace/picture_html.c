// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes a page: tasks as elements, so that the browser treats names as text; spans as numbers, and
 * a script that draws them. Without scripting there is a picture of the whole trace.
 */
#include "trace/parts.h"

#include "base/embed.h"
#include "base/html.h"

EMBED_TEXT(picture_page_style, "src/trace/page/trace.css");
EMBED_TEXT(picture_page_script, "src/trace/page/trace.js");

static void add_head(struct str *out, const struct picture *p)
{
	_str_ struct str cut = {};

	html_add_in(out, "<header><h1>", p->of ? p->of : "Trace", "</h1><p>");
	picture_add_time(out, p->to_ns - p->from_ns);
	str_addf(out, ", %u CPUs, %zu tasks, %zu spans", p->cpu_count, p->tasks.count,
		 p->spans.count);
	if (p->has_exit) {
		str_add(out, "; <b class=exit>the scheduler exits at ");
		picture_add_time(out, p->exit_ns - p->trace_from_ns);
		str_add(out, "</b>");
	}
	str_add(out, "</p>");
	picture_add_cut(&cut, p, PICTURE_MAX_PAGE_ROWS);
	if (cut.len)
		html_add_in(out, "<p class=cut>", str_get(&cut), "</p>");
	str_add(out, "</header>\n");
}

static void add_tasks(struct str *out, const struct picture *p)
{
	str_add(out, "<ol id=tasks hidden>\n");
	vec_each(const struct picture_task, t, &p->tasks) {
		_str_ struct str name = {};

		picture_add_name(&name, t);
		str_addf(out,
			 "<li data-ran=%" PRIu64 " data-waited=%" PRIu64 " data-worst=%" PRIu64,
			 t->ran_ns, t->waited_ns, t->longest_wait_ns);
		if (t->rank >= PICTURE_MAX_PAGE_ROWS)
			str_add(out, " data-cut");
		if (t->cgroup < p->cgroups.count)
			html_add_attribute(out, "data-cgroup", p->cgroups.items[t->cgroup]);
		html_add_in(out, ">", str_get(&name), "\n");
	}
	str_add(out, "</ol>\n");
}

/* Nanoseconds since the previous span, r or w, its length, task, CPU. */
static void add_spans(struct str *out, const struct picture *p)
{
	uint64_t last_ns = p->from_ns;

	str_addf(out,
		 "<script type=text/plain id=spans data-cpus=%u data-length=%" PRIu64
		 " data-start=%" PRIu64,
		 MIN(p->cpu_count, (uint32_t)PICTURE_MAX_PAGE_ROWS), p->to_ns - p->from_ns,
		 p->from_ns - p->trace_from_ns);
	if (p->has_exit && p->exit_ns >= p->from_ns)
		str_addf(out, " data-exit=%" PRIu64, p->exit_ns - p->from_ns);
	str_add(out, ">");
	vec_each(const struct picture_span, s, &p->spans) {
		str_addf(out, "%" PRIu64 "%c%" PRIu64 " %u %u\n", s->from_ns - last_ns,
			 s->state == TASK_RUNNING ? 'r' : 'w', s->to_ns - s->from_ns, s->task,
			 s->cpu);
		last_ns = s->from_ns;
	}
	str_add(out, "</script>\n");
}

static const char controls[] =
	"<main>\n<div id=top><div class=bar>"
	"<button id=in title=\"zoom in (+ or w)\">+</button>"
	"<button id=out title=\"zoom out (- or s)\">−</button>"
	"<button id=left title=\"earlier (a)\">←</button>"
	"<button id=right title=\"later (d)\">→</button>"
	"<button id=all title=\"everything (0)\">whole</button>"
	"<button id=worst title=\"the longest time that a task waits for a CPU (l)\">longest wait</button>"
	"<input id=q type=search placeholder=\"find a task or cgroup\" aria-label=\"find a task or cgroup\">"
	"<span class=key><i class=run></i>runs <i class=wait></i>waits for a CPU</span></div>\n"
	"<p id=what aria-live=polite>Drag to move, Ctrl and wheel or two fingers to zoom, click a "
	"bar for what it is.</p></div>\n"
	"<canvas id=chart tabindex=0 role=img aria-label=\"CPUs and tasks over time\"></canvas>\n"
	"<noscript>";

int picture_write_html(const void *records, size_t len, const char *of, struct str *out)
{
	_picture_ struct picture p = {};
	int rc = picture_read(&p, records, len, PICTURE_MAX_SPANS);

	if (rc < 0)
		return rc;
	p.of = of;
	html_begin(out, of ? of : "trace", picture_page_style);
	add_head(out, &p);
	str_add(out, controls);
	picture_draw(&p, out);
	str_add(out, "</noscript>\n");
	add_tasks(out, &p);
	add_spans(out, &p);
	html_end(out, picture_page_script);
	return str_check(out);
}
