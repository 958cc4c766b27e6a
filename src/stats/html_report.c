// SPDX-License-Identifier: GPL-2.0-only
/* The report page: failures, the matrix, every result, and the hosts. */
#include "stats/stats.h"

#include "base/html.h"
#include "stats/parts.h"

const char *html_verdict_class(enum ktstr_verdict v)
{
	static const char *const classes[VERDICT_COUNT] = { "f", "i", "p", "s" };

	return classes[verdict_index(v)];
}

const char *html_verdict_sign(enum ktstr_verdict v)
{
	static const char *const signs[VERDICT_COUNT] = { "✕", "?", "✓", "–" };

	return signs[verdict_index(v)];
}

void html_add_name(struct str *out, const struct html_items *all, const struct sidecar *s)
{
	html_add_text(out, s->test_name);
	if (all->has_schedulers)
		html_add_in(out, " <small>", s->scheduler, "</small>");
	if (all->has_work_types)
		html_add_in(out, " <small>", s->work_type, "</small>");
	if (all->has_programs && s->binary)
		html_add_in(out, " <small>", s->binary, "</small>");
	if (s->active_flags.count) {
		_str_ struct str flags = {};

		dimension_value(s, DIMENSION_FLAG, &flags);
		html_add_in(out, " <small>", str_get(&flags), "</small>");
	}
}

bool html_is_same_test(const struct html_items *all, const struct sidecar *a,
		       const struct sidecar *b)
{
	_str_ struct str x = {}, y = {};

	html_add_name(&x, all, a);
	html_add_name(&y, all, b);
	return str_eq(str_get(&x), str_get(&y));
}

/* ---- sorting the results ---- */

static int compare_flags(const struct sidecar *x, const struct sidecar *y)
{
	_str_ struct str a = {}, b = {};

	dimension_value(x, DIMENSION_FLAG, &a);
	dimension_value(y, DIMENSION_FLAG, &b);
	return strcmp(str_get(&a), str_get(&b));
}

static int compare_items(const void *a, const void *b)
{
	const struct html_item *x = a, *y = b;
	int order = strcmp(x->s->test_name, y->s->test_name);

	if (!order)
		order = strcmp(x->s->scheduler, y->s->scheduler);
	if (!order)
		order = strcmp(x->s->binary ? x->s->binary : "", y->s->binary ? y->s->binary : "");
	if (!order)
		order = compare_flags(x->s, y->s);
	if (!order)
		order = strcmp(x->s->work_type, y->s->work_type);
	if (!order)
		order = strverscmp(x->s->topology, y->s->topology);
	if (!order)
		order = strverscmp(x->s->kernel_version ? x->s->kernel_version : "",
				   y->s->kernel_version ? y->s->kernel_version : "");
	return order ? order : strcmp(x->path, y->path);
}

static bool is_varied(const struct html_items *all, enum dimension d)
{
	_str_ struct str first = {}, other = {};

	if (all->list.count)
		dimension_value(all->list.items[0].s, d, &first);
	for (size_t i = 1; i < all->list.count; i++) {
		str_reset(&other);
		dimension_value(all->list.items[i].s, d, &other);
		if (!str_eq(str_get(&first), str_get(&other)))
			return true;
	}
	return false;
}

/*
 * Returns whether variants of one test did different work. For a test that never started the work
 * is unknown; that alone does not count as different.
 */
static bool has_other_work(const struct html_items *all)
{
	const struct sidecar *known = NULL;

	for (size_t i = 0; i < all->list.count; i++) {
		const struct sidecar *s = all->list.items[i].s;

		if (str_eq(s->work_type, SIDECAR_NO_WORK))
			continue;
		if (known && str_eq(known->test_name, s->test_name) &&
		    str_eq(known->scheduler, s->scheduler) &&
		    str_eq(known->binary ? known->binary : "", s->binary ? s->binary : "") &&
		    !str_eq(known->work_type, s->work_type))
			return true;
		known = s;
	}
	return false;
}

static int collect_items(struct html_items *all, const struct run *const *runs, size_t count)
{
	for (size_t r = 0; r < count; r++) {
		for (size_t i = 0; i < runs[r]->sidecars.count; i++) {
			struct html_item item = { .s = runs[r]->sidecars.items[i],
						  .run = runs[r],
						  .path = runs[r]->paths.items[i] };
			int rc = vec_push(&all->list, item);

			if (rc < 0)
				return rc;
			all->counts[verdict_index(item.s->outcome)]++;
		}
	}
	if (!all->list.count)
		return err_set(ENOENT, "no usable sidecars in %s", runs[0]->path);
	vec_sort(&all->list, compare_items);
	for (size_t i = 0; i < all->list.count; i++)
		all->list.items[i].id = i;
	all->has_schedulers = is_varied(all, DIMENSION_SCHEDULER);
	all->has_work_types = has_other_work(all);
	all->has_programs = is_varied(all, DIMENSION_PROGRAM);
	return 0;
}

static int collect_history(struct html_items *all, const struct runs *history)
{
	int rc = 0;

	vec_each_while(struct html_item, item, &all->list, rc == 0)
		if (item->s->outcome < KTSTR_PASSED)
			rc = history_of(item->s, item->path, history, &item->history);
	return rc;
}

static void items_finish(struct html_items *all)
{
	vec_release(&all->list, each, history_finish(&each->history));
}

/* ---- parts of the page ---- */

static void add_head(struct str *out, const struct run *const *runs, size_t count)
{
	_str_ struct str title = {};

	str_add(&title, runs[0]->name);
	if (count > 1)
		str_addf(&title, " and %zu more", count - 1);
	html_page_begin(out, str_get(&title));
	out->failed |= title.failed;
}

static void add_tile(struct str *out, const struct html_items *all, enum ktstr_verdict v)
{
	str_addf(out,
		 "<button type=button class=\"tile %s\" data-f=%s aria-pressed=false%s><b>%zu</b> "
		 "%s %s</button>",
		 html_verdict_class(v), html_verdict_class(v),
		 all->counts[verdict_index(v)] ? "" : " disabled", all->counts[verdict_index(v)],
		 html_verdict_sign(v), verdict_word(v));
}

static const char *first_time(const struct html_items *all)
{
	const char *first = NULL;

	for (size_t i = 0; i < all->list.count; i++) {
		const char *t = all->list.items[i].s->timestamp;

		if (t && (!first || strcmp(t, first) < 0))
			first = t;
	}
	return first;
}

static void add_header(struct str *out, const struct html_items *all, const struct run *const *runs,
		       size_t count)
{
	const char *when = first_time(all);
	size_t unusable = 0;

	str_add(out, "<header><h1>");
	for (size_t i = 0; i < count; i++) {
		str_add(out, i ? ", " : "");
		html_add_text(out, runs[i]->name);
		unusable += runs[i]->problems.count;
	}
	str_addf(out, "</h1><p class=dim>%zu results", all->list.count);
	if (when)
		html_add_in(out, " · ", when, "");
	str_add(out, "</p>");
	if (unusable)
		str_addf(out, "<p class=warn>%zu more records could not be read.</p>", unusable);
	str_add(out, "<div class=tiles role=group aria-label=\"Show only\">");
	for (int v = KTSTR_FAILED; v <= KTSTR_SKIPPED; v++)
		add_tile(out, all, v);
	str_add(out, "</div><label class=find><span>Find</span> <input id=q type=search "
		     "autocomplete=off placeholder=\"test, topology, kernel\"></label>"
		     "<p id=n class=dim role=status></p></header>\n<main>\n");
}

void html_add_start(struct str *out, const char *before, const char *text, int len)
{
	_str_ struct str start = {};

	str_addf(&start, "%s%.*s", before, len, text);
	html_add_text(out, str_get(&start));
}

static void add_results(struct str *out, const struct html_items *all)
{
	str_add(out, "<section aria-labelledby=hr><h2 id=hr>Results</h2>\n");
	for (int v = KTSTR_FAILED; v <= KTSTR_SKIPPED; v++)
		for (size_t i = 0; i < all->list.count; i++)
			if ((int)all->list.items[i].s->outcome == v)
				html_add_result(out, all, &all->list.items[i]);
	str_add(out, "</section>\n");
}

static const struct host_context *find_host(const struct html_items *all)
{
	for (size_t i = 0; i < all->list.count; i++)
		if (all->list.items[i].s->host)
			return all->list.items[i].s->host;
	return NULL;
}

static void add_kernels(struct str *out, const struct html_items *all)
{
	VEC(const struct sidecar *) kernels = {};

	str_add(out, "<dl>");
	for (size_t i = 0; i < all->list.count; i++) {
		const struct sidecar *s = all->list.items[i].s;
		bool is_known = !s->kernel_version;

		for (size_t k = 0; k < kernels.count && !is_known; k++)
			is_known = str_eq(kernels.items[k]->kernel_version, s->kernel_version);
		if (is_known || vec_push(&kernels, s) < 0)
			continue;
		html_add_in(out, "<dt>Kernel<dd>", s->kernel_version, "");
		if (s->kernel_commit)
			html_add_in(out, " at ", s->kernel_commit, "");
		if (s->kernel_hash) {
			str_add(out, " <span class=dim>");
			html_add_start(out, "sha256 ", s->kernel_hash, 12);
			str_add(out, "…</span>");
		}
	}
	str_add(out, "</dl>");
	free(kernels.items);
}

static void add_machine(struct str *out, const struct html_items *all)
{
	const struct host_context *host = find_host(all);
	_str_ struct str text = {};

	str_add(out, "<section aria-labelledby=hh><h2 id=hh>Host and kernel</h2>");
	add_kernels(out, all);
	if (host) {
		host_context_to_text(host, &text);
		str_add(out, "<pre class=wrap tabindex=0>");
		html_add_lines(out, str_get(&text));
		str_add(out, "</pre>");
	} else {
		str_add(out, "<p>No record contains its host.</p>");
	}
	str_add(out, "</section>\n");
}

static int add_page(struct str *out, const struct html_items *all, const struct run *const *runs,
		    size_t count)
{
	int rc;

	add_head(out, runs, count);
	add_header(out, all, runs, count);
	rc = html_add_broken(out, all);
	str_add(out, "<section aria-labelledby=hm><h2 id=hm>Tests by kernel and topology</h2>");
	rc = rc ?: html_add_matrix(out, all);
	str_add(out, "</section>\n");
	add_results(out, all);
	add_machine(out, all);
	html_end(out, html_report_script);
	return rc ?: str_check(out);
}

/* Builds the page from loaded runs; history: where to look for earlier runs, listed or loaded. */
static int html_report(const struct run *const *runs, size_t count, const struct runs *history,
		       struct str *out)
{
	_cleanup_(items_finish) struct html_items all = { .history = history };
	int rc = collect_items(&all, runs, count) ?: collect_history(&all, history);

	return rc < 0 ? rc : add_page(out, &all, runs, count);
}

/* Opened runs, each in a separate list. */
struct opened {
	struct runs *lists;
	const struct run **runs;
	size_t count;
};

static void opened_finish(struct opened *o)
{
	for (size_t i = 0; i < o->count; i++)
		runs_finish(&o->lists[i]);
	free(o->lists);
	free(o->runs);
}

static int open_run(struct opened *o, const char *dir, const char *name)
{
	size_t at = o->count++;
	struct run *run = NULL;
	int rc = name ? runs_open(&o->lists[at], dir, name, &run) :
			runs_open_latest(&o->lists[at], dir, &run);

	if (rc < 0)
		return rc;
	run_warn_about_problems(run);
	o->runs[at] = run;
	return 0;
}

int html_report_write(const char *dir, const char *const *names, size_t count, const char *path)
{
	_cleanup_(opened_finish) struct opened o = { .lists = calloc(count + 1, sizeof(*o.lists)),
						     .runs = calloc(count + 1, sizeof(*o.runs)) };
	_str_ struct str out = {};
	int rc = o.lists && o.runs ? 0 : err_no_memory();

	for (size_t i = 0; rc == 0 && i < MAX(count, 1); i++)
		rc = open_run(&o, dir, i < count ? names[i] : NULL);
	if (rc == 0 && o.count)
		rc = html_report(o.runs, o.count, &o.lists[0], &out);
	return rc < 0 ? rc : file_replace(path, out.s, out.len, 0644);
}
