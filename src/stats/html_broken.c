// SPDX-License-Identifier: GPL-2.0-only
/* List of failures: a failure on six machines is one failure with six places. */
#include "base/html.h"
#include "stats/parts.h"
#include "stats/stats.h"

#define MAX_BROKEN 8
#define MAX_PLACES 24

/* Items of one test whose first failure text is the same except for numbers. */
struct failure {
	const struct html_item *first;
	char *signature;
	VEC(const struct html_item *) places;
};

struct failures {
	VEC(struct failure) list;
};

static void failures_finish(struct failures *f)
{
	vec_release(&f->list, each, free(each->signature), free(each->places.items));
}

static const char *reason_of(const struct sidecar *s)
{
	for (size_t i = 0; i < s->detail_count; i++)
		if (s->details[i].verdict == s->outcome)
			return s->details[i].message;
	return NULL;
}

static char *signature_of(const struct sidecar *s)
{
	const char *reason = reason_of(s);
	_str_ struct str out = {};

	signature_add_text(&out, reason ? reason : "");
	return out.failed ? NULL : strdup(str_get(&out));
}

static struct failure *find(struct failures *f, const struct html_items *all,
			    const struct html_item *item, const char *signature)
{
	vec_each(struct failure, known, &f->list) {
		if (known->first->s->outcome == item->s->outcome &&
		    str_eq(known->signature, signature) &&
		    html_is_same_test(all, known->first->s, item->s))
			return known;
	}
	return NULL;
}

static int take(struct failures *f, const struct html_items *all, const struct html_item *item)
{
	char *signature = signature_of(item->s);
	struct failure *known = signature ? find(f, all, item, signature) : NULL;
	int rc;

	if (!signature)
		return err_no_memory();
	if (known) {
		free(signature);
		return vec_push(&known->places, item);
	}
	rc = vec_push(&f->list, (struct failure){ .first = item, .signature = signature });
	if (rc < 0) {
		free(signature);
		return rc;
	}
	return vec_push(&f->list.items[f->list.count - 1].places, item);
}

static int collect(struct failures *f, const struct html_items *all)
{
	int rc = 0;

	for (int v = KTSTR_FAILED; v <= KTSTR_INCONCLUSIVE; v++)
		for (size_t i = 0; i < all->list.count && rc == 0; i++)
			if ((int)all->list.items[i].s->outcome == v)
				rc = take(f, all, &all->list.items[i]);
	return rc;
}

/* ---- on the page ---- */

/* The item that has been failing for the longest time. */
static const struct html_item *oldest(const struct failure *f)
{
	const struct html_item *found = NULL;

	vec_each_ptr(const struct html_item, item, &f->places) {
		if (item->history.since &&
		    (!found || strcmp(item->history.since, found->history.since) < 0))
			found = item;
	}
	return found;
}

static bool has_passed(const struct failure *f)
{
	bool found = false;

	for (size_t i = 0; i < f->places.count; i++)
		found |= f->places.items[i]->history.passed != NULL;
	return found;
}

static void add_since(struct str *out, const struct failure *f)
{
	const struct html_item *item = oldest(f);
	const char *commit = item ? item->history.since_commit : f->first->s->project_commit;

	if (item)
		html_add_start(out, "since ", item->history.since, 10);
	else
		str_add(out,
			has_passed(f) ? "new" : "since when is not known: no earlier run kept");
	if (commit && (item || has_passed(f)))
		html_add_in(out, item ? ", commit " : " in commit ", commit, "");
}

static void add_places(struct str *out, const struct failure *f)
{
	for (size_t i = 0; i < f->places.count && i < MAX_PLACES; i++) {
		const struct html_item *item = f->places.items[i];

		str_addf(out, "%s<a href=#r%zu>", i ? ", " : "", item->id);
		html_add_text(out, item->s->topology);
		if (item->s->kernel_version)
			html_add_in(out, " · ", item->s->kernel_version, "");
		str_add(out, "</a>");
	}
	if (f->places.count > MAX_PLACES)
		str_addf(out, " and %zu more", f->places.count - MAX_PLACES);
}

/* Appends how to reproduce it, from the first of its places. */
static void add_ways(struct str *out, const struct html_item *item)
{
	str_add(out, "<details class=again><summary>see it again</summary><dl>");
	if (item->s->has_seed)
		str_addf(out, "<dt>Seed<dd>%" PRIu64, item->s->seed);
	html_add_commands(out, item);
	if (html_find_explanation(item->s))
		str_addf(out, "<dt>Explanation<dd><a href=#e%zu>what the scheduler did</a>",
			 item->id);
	str_add(out, "</dl></details>");
}

static void add_failure(struct str *out, const struct html_items *all, const struct failure *f)
{
	const struct sidecar *s = f->first->s;
	const char *why = reason_of(s), *class = html_verdict_class(s->outcome);

	str_addf(out, "<li data-v=%s><span class=\"v %s\">%s</span> <a href=#r%zu>", class, class,
		 html_verdict_sign(s->outcome), f->first->id);
	html_add_name(out, all, s);
	str_add(out, "</a> <span class=dim><b>");
	add_since(out, f);
	str_add(out, "</b></span>");
	if (why)
		html_add_in(out, "<br>", why, "");
	str_addf(out, "<br><span class=dim>%zu %s: ", f->places.count,
		 f->places.count == 1 ? "place" : "places");
	add_places(out, f);
	str_add(out, "</span>");
	add_ways(out, f->first);
}

/* Shows the first ones; the matrix below them must stay visible. */
static void add_failures(struct str *out, const struct html_items *all, const struct failures *f)
{
	str_add(out, "<section aria-labelledby=hb><h2 id=hb>What broke</h2><ul class=broken>\n");
	for (size_t i = 0; i < f->list.count; i++) {
		if (i == MAX_BROKEN)
			str_addf(out,
				 "</ul><details><summary>%zu more</summary><ul class=broken>\n",
				 f->list.count - MAX_BROKEN);
		add_failure(out, all, &f->list.items[i]);
	}
	str_add(out,
		f->list.count > MAX_BROKEN ? "</ul></details></section>\n" : "</ul></section>\n");
}

int html_add_broken(struct str *out, const struct html_items *all)
{
	_cleanup_(failures_finish) struct failures f = {};
	int rc = collect(&f, all);

	if (rc < 0)
		return rc;
	if (f.list.count)
		add_failures(out, all, &f);
	else
		str_add(out, "<p class=good>Nothing failed.</p>\n");
	return 0;
}
