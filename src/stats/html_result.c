// SPDX-License-Identifier: GPL-2.0-only
/* One result on the page: failure, since when, phases, latencies and metrics. */
#include <math.h>

#include "base/html.h"
#include "stats/parts.h"

#define MAX_PHASES 24
#define MAX_PARTS 64

static void add_field(struct str *out, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	str_addf(out, "<dt>%s<dd>", name);
	html_add_text(out, value);
}

static void add_facts(struct str *out, const struct html_item *item)
{
	const struct sidecar *s = item->s;
	_str_ struct str flags = {}, seed = {}, dilation = {};
	double value;

	dimension_value(s, DIMENSION_FLAG, &flags);
	if (s->has_seed)
		str_addf(&seed, "%llu", ULL(s->seed));
	if (sidecar_pair_value(&s->host_time, "dilation", &value))
		str_addf(&dilation, "%.2f", value);
	str_add(out, "<dl>");
	add_field(out, "Kernel", s->kernel_version);
	add_field(out, "Topology", s->topology);
	add_field(out, "Scheduler", s->scheduler);
	add_field(out, "Version", s->scheduler_version);
	add_field(out, "Program", s->scheduler_hash);
	add_field(out, "Work", s->work_type);
	add_field(out, "Flags", str_get(&flags));
	add_field(out, "Payload", s->payload);
	add_field(out, "Accelerator", s->accel);
	add_field(out, "Dilation by the host", str_get(&dilation));
	add_field(out, "Seed", str_get(&seed));
	add_field(out, "Digest", s->digest);
	html_add_commands(out, item);
	add_field(out, "Time", s->timestamp);
	add_field(out, "Commit", s->project_commit);
	add_field(out, "Monitor", s->monitor.is_known ? s->monitor.summary : NULL);
	str_add(out, "</dl>");
}

static void add_since(struct str *out, const struct history *h, enum ktstr_verdict outcome)
{
	str_addf(out, "%s since <b>", outcome == KTSTR_FAILED ? "Fails" : "Has not passed");
	html_add_text(out, h->since);
	str_addf(out, "</b> (%zu earlier %s).", h->not_passed, h->not_passed == 1 ? "run" : "runs");
}

static void add_history(struct str *out, const struct history *h, enum ktstr_verdict outcome)
{
	str_add(out, "<p class=since>");
	if (!h->passed && !h->not_passed)
		str_add(out, "No earlier run of this test is kept.");
	else if (!h->not_passed)
		str_add(out, "<b>New:</b> it passed before.");
	else
		add_since(out, h, outcome);
	if (h->passed) {
		html_add_in(out, " Passed last on ", h->passed, " in ");
		html_add_text(out, h->passed_run);
		str_addc(out, '.');
	}
	str_add(out, "</p>");
}

static void add_details(struct str *out, const struct sidecar *s)
{
	if (!s->detail_count)
		return;
	str_add(out, "<ul class=why>");
	array_each(const struct sidecar_detail, d, s->details, s->detail_count) {
		str_addf(out, "<li class=%s><b>", html_verdict_class(d->verdict));
		html_add_text(out, d->kind);
		str_add(out, "</b> ");
		html_add_lines(out, d->message);
	}
	str_add(out, "</ul>");
}

/* The explanation has its own section, linked from the overview. */
static void add_failure(struct str *out, const struct html_item *item)
{
	const char *explanation = html_find_explanation(item->s);
	_free_ char *before = NULL;

	if (!item->s->failure)
		return;
	before = explanation ? strndup(item->s->failure, (size_t)(explanation - item->s->failure)) :
			       strdup(item->s->failure);
	out->failed |= !before;
	str_add(out, "<pre tabindex=0>");
	html_add_lines(out, before ? before : "");
	str_add(out, "</pre>");
	if (!explanation)
		return;
	str_add(out, "<h4>Explanation</h4>");
	html_add_story(out, explanation);
	str_addf(out, "<pre tabindex=0 id=e%zu>", item->id);
	html_add_lines(out, explanation);
	str_add(out, "</pre>");
}

/* ---- tables ---- */

void html_add_value(struct str *out, struct sidecar_number n, enum html_number_style style)
{
	static const char *const suffixes[] = { "", "%", " ms" };

	if (!n.is_known)
		str_add(out, "–");
	else if (style == HTML_MICROSECONDS)
		html_add_duration_ns(out, n.value * 1000);
	else if (style == HTML_NANOSECONDS)
		html_add_duration_ns(out, n.value);
	else
		str_addf(out, "%.*f%s", style == HTML_PERCENT ? 1 : 0, n.value, suffixes[style]);
}

void html_add_number(struct str *out, struct sidecar_number n, enum html_number_style style)
{
	str_add(out, "<td>");
	html_add_value(out, n, style);
}

static void add_latency_cell(struct str *out, uint64_t count, uint64_t ns)
{
	str_add(out, "<td>");
	if (count)
		html_add_duration_ns(out, (double)ns);
	else
		str_add(out, "–");
}

static void add_cgroup_row(struct str *out, const char *phase, const struct sidecar_cgroup *c)
{
	str_add(out, "<tr><th scope=row>");
	if (phase) {
		html_add_text(out, phase);
		str_add(out, "<td>");
	}
	html_add_text(out, c->name ? c->name : "–");
	html_add_number(out, c->workers, HTML_PLAIN);
	html_add_number(out, c->cpus, HTML_PLAIN);
	html_add_number(out, c->spread, HTML_PERCENT);
	html_add_number(out, c->gap_ms, HTML_MILLISECONDS);
	html_add_number(out, c->migrations, HTML_PLAIN);
	html_add_number(out, c->iterations, HTML_PLAIN);
	html_add_number(out, c->mean_run_delay_us, HTML_MICROSECONDS);
	add_latency_cell(out, c->wakes.count, c->wakes.p50_ns);
	add_latency_cell(out, c->wakes.count, c->wakes.p99_ns);
	html_add_number(out, c->worst_wait_us, HTML_MICROSECONDS);
}

#define NUMBER_TITLES                                                                  \
	"<th scope=col>workers<th scope=col>CPUs<th scope=col>spread<th scope=col>gap" \
	"<th scope=col>migrations<th scope=col>iterations<th scope=col>run delay"      \
	"<th scope=col>wake p50<th scope=col>wake p99<th scope=col>worst wait"

static void add_cgroups(struct str *out, const struct sidecar *s)
{
	if (!s->stats.cgroup_count)
		return;
	str_add(out, "<div class=sc><table class=num><caption>Cgroups</caption><thead><tr>"
		     "<th scope=col>cgroup" NUMBER_TITLES "<tbody>");
	for (size_t i = 0; i < s->stats.cgroup_count; i++)
		add_cgroup_row(out, NULL, &s->stats.cgroups[i]);
	str_add(out, "</table></div>");
}

static void add_phase_rows(struct str *out, const struct sidecar *s)
{
	for (size_t i = 0; i < s->phase_count && i < MAX_PHASES; i++)
		for (size_t k = 0; k < s->phases[i].cgroup_count; k++) {
			add_cgroup_row(out, s->phases[i].name ? s->phases[i].name : "phase",
				       &s->phases[i].cgroups[k]);
			/* Of the worst CPU of the machine; the same for all cgroups. */
			html_add_number(out, s->phases[i].events.idle_wait_pct, HTML_PERCENT);
		}
}

/* Phases of a test without a result, from the step events it sent: each lasts until the next. */
struct told_phases {
	struct sidecar_phase items[MAX_PHASES];
	char names[MAX_PHASES][32];
	size_t count;
};

static void phases_of_steps(const struct sidecar *s, struct told_phases *to)
{
	uint64_t end = 0;

	for (size_t i = 0; i < s->monitor.plot_count; i++)
		end = MAX(end, (uint64_t)fmin(fmax(s->monitor.plots[i].to_ms, 0), UINT32_MAX));
	to->count = MIN(s->stimulus_count, (size_t)MAX_PHASES);
	for (size_t i = 0; i < to->count; i++) {
		const struct stimulus *now = &s->stimuli[i];
		uint64_t next = i + 1 < s->stimulus_count ? now[1].elapsed_ms : end;

		snprintf(to->names[i], sizeof(to->names[i]), "step %llu", ULL(now->step + 1));
		to->items[i] = (struct sidecar_phase){ .name = to->names[i],
						       .start_ms = now->elapsed_ms,
						       .end_ms = MAX(next, now->elapsed_ms) };
	}
}

static void add_phases(struct str *out, const struct sidecar *s)
{
	struct told_phases told = {};
	struct sidecar drawn = *s;

	if (s->phase_count || s->monitor.plot_count)
		str_add(out, "<h4>Phases</h4>");
	if (!s->phase_count && s->monitor.plot_count) {
		phases_of_steps(s, &told);
		drawn.phases = told.items;
		drawn.phase_count = told.count;
	}
	html_add_timeline(out, &drawn);
	html_add_plots(out, &drawn);
	if (!s->phase_count)
		return;
	str_add(out,
		"<div class=sc><table class=num><thead><tr><th scope=col>phase"
		"<th scope=col>cgroup" NUMBER_TITLES "<th scope=col>idle while waiting<tbody>");
	add_phase_rows(out, s);
	str_add(out, "</table></div>");
	if (s->phase_count > MAX_PHASES)
		str_addf(out, "<p class=dim>and %zu more phases</p>", s->phase_count - MAX_PHASES);
	for (size_t i = 0; i < s->phase_count && i < MAX_PHASES; i++)
		html_add_events(out, &s->phases[i]);
}

/* ---- latencies ---- */

static size_t wakes_of(const struct sidecar_cgroup *cgroups, size_t count,
		       const struct latency **parts, bool are_timers)
{
	size_t used = 0;

	for (size_t i = 0; i < count && used < MAX_PARTS; i++)
		parts[used++] = are_timers ? &cgroups[i].timers : &cgroups[i].wakes;
	return used;
}

static void add_histograms(struct str *out, const struct sidecar *s)
{
	const struct latency *parts[MAX_PARTS];
	size_t count = wakes_of(s->stats.cgroups, s->stats.cgroup_count, parts, false);

	str_add(out, "<div class=figs>");
	html_add_histogram(out, "Wake latency", parts, count);
	count = wakes_of(s->stats.cgroups, s->stats.cgroup_count, parts, true);
	html_add_histogram(out, "Timer latency", parts, count);
	for (size_t i = 0; i < s->phase_count && s->phase_count > 1 && i < MAX_PHASES; i++) {
		_str_ struct str title = {};

		str_addf(&title, "Wake latency, %s",
			 s->phases[i].name ? s->phases[i].name : "phase");
		count = wakes_of(s->phases[i].cgroups, s->phases[i].cgroup_count, parts, false);
		html_add_histogram(out, str_get(&title), parts, count);
	}
	str_add(out, "</div>");
}

/* ---- the whole result ---- */

static void add_heading(struct str *out, const struct html_items *all, const struct html_item *item)
{
	const struct sidecar *s = item->s;

	str_addf(out, "<summary><span class=\"v %s\">%s %s</span> <span class=nm>",
		 html_verdict_class(s->outcome), html_verdict_sign(s->outcome),
		 verdict_word(s->outcome));
	html_add_name(out, all, s);
	html_add_in(out, "</span> <span class=dim>", s->topology, "");
	if (s->kernel_version)
		html_add_in(out, " · ", s->kernel_version, "");
	if (s->duration_ms.is_known)
		str_addf(out, " · %.1f s", s->duration_ms.value / 1000);
	str_add(out, "</span></summary>");
}

static void add_body(struct str *out, const struct html_items *all, const struct html_item *item)
{
	const struct sidecar *s = item->s;

	str_add(out, "<div class=body>");
	if (s->outcome < KTSTR_PASSED)
		add_history(out, &item->history, s->outcome);
	add_details(out, s);
	add_failure(out, item);
	add_facts(out, item);
	add_histograms(out, s);
	add_phases(out, s);
	add_cgroups(out, s);
	if (html_add_figures(out, item, all->history) < 0)
		out->failed = true;
	str_add(out, "</div>");
}

/*
 * Passed results stay unparsed text in the browser until they are opened: thousands of tables and
 * pictures would slow down the page. Nothing in it can end the element: there is no script in it,
 * and texts are escaped.
 */
void html_add_result(struct str *out, const struct html_items *all, const struct html_item *item)
{
	bool is_deferred = item->s->outcome >= KTSTR_PASSED;
	const char *class = html_verdict_class(item->s->outcome);

	str_addf(out, "<details id=r%zu class=%s data-v=%s>", item->id, class, class);
	add_heading(out, all, item);
	if (is_deferred)
		str_add(out, "<script type=text/plain>");
	add_body(out, all, item);
	str_add(out, is_deferred ? "</script></details>\n" : "</details>\n");
}
