// SPDX-License-Identifier: GPL-2.0-only
/* Sentences about the groups with most CPU time, waits and I/O. */
#include "ctprof/report.h"

#include <math.h>

#define SMALL_SHARE 0.05  /* smaller parts of a wait are omitted; ticks are not exact */
#define ALL_OF_IT 0.9995  /* a single kind of wait: no parts are named */
#define OTHERS_SHARE 0.01 /* groups below this part of the first one are omitted */

static double cpu_of(const struct group *g, const struct report *r)
{
	return group_notice(g, &r->window).cpu_ns;
}

static double waits_of(const struct group *g, const struct report *r)
{
	return group_notice(g, &r->window).waited_ns;
}

/* NaN if neither was measured. */
static double sum_of(const struct group *g, unsigned int a, unsigned int b, const struct window *w)
{
	double x = group_activity(g, a, w), y = group_activity(g, b, w);

	return isnan(x) ? y : isnan(y) ? x : x + y;
}

static double storage_of(const struct group *g, const struct report *r)
{
	return sum_of(g, M_read_bytes, M_write_bytes, &r->window);
}

static double calls_of(const struct group *g, const struct report *r)
{
	return sum_of(g, M_rchar, M_wchar, &r->window);
}

static const struct group *nth(const struct top_few *t, size_t i)
{
	return t->items[i];
}

static void add_name(struct str *out, const struct group *g)
{
	group_add_in_words(out, g);
	if (!g->sides[BASELINE])
		str_add(out, " (born in between)");
}

static void add_time(struct str *out, double ns)
{
	number_add_real(out, LADDER_NS, ns);
}

/* Without matched threads the value is only a difference of two snapshots. */
static const char *than_before(const struct group *g)
{
	return g->is_joined ? "" : " more than in the baseline";
}

static void add_others(struct str *out, const struct top_few *t)
{
	for (size_t i = 1; i < top_told(t) && t->weights[i] >= t->weights[0] * OTHERS_SHARE; i++) {
		str_add(out, i == 1 ? "; then " : ", ");
		add_name(out, nth(t, i));
		str_addc(out, ' ');
		add_time(out, t->weights[i]);
	}
}

static void tell_cpu(struct str *out, const struct top_few *t, const struct report *r)
{
	const struct group *g = nth(t, 0);
	double ns = t->weights[0];

	add_name(out, g);
	str_add(out, " used ");
	add_time(out, ns);
	if (g->is_joined && r->window.seconds > 0) {
		str_add(out, " in ");
		add_time(out, r->window.seconds * (double)NSEC_PER_SEC);
	}
	if (g->is_joined && ns / (double)NSEC_PER_SEC > r->window.seconds)
		str_addf(out, ", %.1f CPUs", ns / (double)NSEC_PER_SEC / r->window.seconds);
	str_add(out, than_before(g));
	add_others(out, t);
}

static enum wait_kind longest_wait(const struct noticed_times *n)
{
	enum wait_kind most = 0;

	for (enum wait_kind kind = 1; kind < WAIT_KINDS; kind++)
		if (!(n->waits_ns[kind] <= n->waits_ns[most]) && !isnan(n->waits_ns[kind]))
			most = kind;
	return most;
}

/* ": 3 s for block I/O, 1 s for a CPU" */
static void add_wait_kinds(struct str *out, struct noticed_times n)
{
	const char *gap = ": ";

	for (size_t left = WAIT_KINDS; left; left--) {
		enum wait_kind most = longest_wait(&n);

		if (!(n.waits_ns[most] >= n.waited_ns * SMALL_SHARE))
			break;
		str_add(out, gap);
		add_time(out, n.waits_ns[most]);
		str_addf(out, " %s", wait_names[most]);
		n.waits_ns[most] = NAN;
		gap = ", ";
	}
}

static void tell_waits(struct str *out, const struct top_few *t, const struct report *r)
{
	const struct group *g = nth(t, 0);
	struct noticed_times n = group_notice(g, &r->window);
	enum wait_kind kind = longest_wait(&n);
	bool is_all = n.waits_ns[kind] >= n.waited_ns * ALL_OF_IT;

	add_name(out, g);
	str_add(out, " waited ");
	add_time(out, n.waited_ns);
	if (is_all)
		str_addf(out, " %s", wait_names[kind]);
	str_add(out, than_before(g));
	if (!is_all)
		add_wait_kinds(out, n);
	add_others(out, t);
}

static void add_bytes(struct str *out, const struct group *g, const struct report *r,
		      unsigned int measure)
{
	double bytes = group_activity(g, measure, &r->window);

	number_add(out, LADDER_BYTES, bytes > 0 ? (uint64_t)bytes : 0);
}

static void tell_bytes(struct str *out, const struct group *g, const struct report *r,
		       const unsigned int measures[2], const char *const texts[2])
{
	add_name(out, g);
	str_add(out, " read ");
	add_bytes(out, g, r, measures[0]);
	str_add(out, texts[0]);
	add_bytes(out, g, r, measures[1]);
	str_add(out, texts[1]);
	str_add(out, than_before(g));
}

static void tell_storage(struct str *out, const struct top_few *t, const struct report *r)
{
	tell_bytes(out, nth(t, 0), r, (unsigned int[]){ M_read_bytes, M_write_bytes },
		   (const char *[]){ " from storage and wrote ", " to it" });
}

static void tell_calls(struct str *out, const struct top_few *t, const struct report *r)
{
	tell_bytes(out, nth(t, 0), r, (unsigned int[]){ M_rchar, M_wchar },
		   (const char *[]){ " and wrote ", ", none of it from or to storage" });
}

static void add_sentence(struct summary *s, struct str *text)
{
	if (str_check(text) < 0 || vec_push(s, *text) < 0)
		s->failed = true;
	else
		*text = (struct str){};
}

/* Appends " (measured for 2 of 120 threads)" if fewer than half were measured. */
static void add_coverage(struct str *out, const struct report *r, unsigned int measure)
{
	const struct grouping *all[] = { &r->groups, &r->born };
	size_t measured = 0, threads = 0;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		for (size_t k = 0; k < all[i]->count; k++) {
			const struct aggregate *a = all[i]->groups[k].sides[CANDIDATE];

			measured += aggregate_measured(a, measure);
			threads += a ? a->threads : 0;
		}
	if (measured < threads / 2)
		str_addf(out, " (measured for %zu of %zu threads)", measured, threads);
}

/* "Most CPU: NAME ..."; also reports that no group has any, or that none was measured. */
static void add_most(struct summary *s, const struct report *r, const char *what,
		     unsigned int measure, const struct top_few *t,
		     void (*tell)(struct str *out, const struct top_few *t, const struct report *r))
{
	_str_ struct str text = {};

	str_addf(&text, "Most %s: ", what);
	if (t->count)
		tell(&text, t, r);
	else
		str_add(&text, t->is_measured ? "none in any group" : "not measured");
	if (t->is_measured)
		add_coverage(&text, r, measure);
	str_addc(&text, '.');
	add_sentence(s, &text);
}

static void add_io(struct summary *s, const struct report *r)
{
	struct top_few storage = find_top(r, storage_of), calls = find_top(r, calls_of);

	if (storage.count || !calls.count)
		add_most(s, r, "I/O", M_read_bytes, &storage, tell_storage);
	else
		add_most(s, r, "I/O", M_rchar, &calls, tell_calls);
}

static void tell_sleep(struct str *out, const struct top_few *t, const struct report *r)
{
	const struct group *g = nth(t, 0);
	bool has_io = !isnan(group_notice(g, &r->window).waits_ns[WAIT_BLOCK_IO]);

	add_name(out, g);
	str_add(out, " neither ran nor waited for a CPU");
	str_add(out, has_io ? " or a disk for " : " for ");
	add_time(out, t->weights[0]);
	str_add(out, " of ");
	add_time(out, group_alive_ns(g, &r->window));
	str_add(out, ", and went to sleep ");
	number_add(out, LADDER_COUNT, (uint64_t)group_sleeps(g, &r->window));
	str_addf(out, " times (%slocks, messages, timers)", has_io ? "" : "block I/O, ");
	add_others(out, t);
}

static void add_sleep(struct summary *s, const struct report *r)
{
	struct top_few t = find_sleepers(r);

	if (t.count)
		add_most(s, r, "sleep", M_voluntary_csw, &t, tell_sleep);
}

/*
 * The time that a parent got from its children can exceed what started and exited in between: a
 * child that exited while the baseline was read contributes its whole life, as do threads that
 * exited earlier in a child that is gone. The values are then limits.
 */
static void add_parents(struct str *out, const struct unseen *u)
{
	double sum = 0;

	for (size_t i = 0; i < top_told(&u->parents); i++)
		sum += u->parents.weights[i];
	for (size_t i = 0; i < top_told(&u->parents); i++) {
		const struct thread_record *parent = u->parents.items[i];

		str_add(out, i ? ", " : "; busiest parents: ");
		name_add_printable(out, parent->comm);
		str_addf(out, "[%u] (%s%.1f s)", parent->tgid,
			 sum > u->unseen_s * (1 + SMALL_SHARE) ? "at most " : "",
			 MIN(u->parents.weights[i], u->unseen_s));
	}
}

static void add_unseen(struct summary *s, const struct report *r)
{
	_str_ struct str text = {};
	struct unseen u;
	int rc = unseen_find(&u, r);

	s->failed |= rc < 0;
	if (rc <= 0)
		return;
	str_addf(&text, "%.1f s of CPU (of %.1f s) were used by threads that came and went",
		 u.unseen_s, u.busy_s);
	if (u.cgroup) {
		str_add(&text, ", most of it in ");
		text_add_printable(&text, u.cgroup);
	}
	add_parents(&text, &u);
	str_addc(&text, '.');
	add_sentence(s, &text);
}

bool has_summary(const struct report *r)
{
	const struct report_options *o = r->options;

	return !o->is_show && !o->are_metrics_named && !o->are_sections_named;
}

int summary_collect(struct summary *s, const struct report *r)
{
	struct top_few cpu, waits;

	if (!has_summary(r))
		return 0;
	cpu = find_top(r, cpu_of);
	waits = find_top(r, waits_of);
	add_most(s, r, "CPU", M_run_time_ns, &cpu, tell_cpu);
	add_most(s, r, "waiting", M_wait_time_ns, &waits, tell_waits);
	add_io(s, r);
	add_sleep(s, r);
	add_unseen(s, r);
	return s->failed ? err_no_memory() : 0;
}

void summary_finish(struct summary *s)
{
	for (size_t i = 0; i < s->count; i++)
		str_finish(&s->items[i]);
	free(s->items);
	*s = (struct summary){};
}
