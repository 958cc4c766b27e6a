// SPDX-License-Identifier: GPL-2.0-only
/* The groups that used, waited and moved most, in words. */
#include "ctprof/report.h"

#include <math.h>

/* A thread that hands over a lock or a message sleeps and wakes all the time. */
#define MANY_SWITCHES_PER_SECOND 1000
#define SMALL_SHARE 0.05  /* parts of a wait below it are left out */
#define ALL_OF_IT 0.9995  /* of a wait: the parts need not be told apart */
#define OTHERS_SHARE 0.01 /* groups that have less of what the first one has, too */

typedef double (*weigh)(const struct group *g, const struct report *r);

static double cpu_of(const struct group *g, const struct report *r)
{
	return group_notice(g, &r->window).cpu_ns;
}

static double waits_of(const struct group *g, const struct report *r)
{
	return group_notice(g, &r->window).waited_ns;
}

/* NaN where neither was measured. */
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

/*
 * Workers of the kernel sleep between two tasks, which says nothing; and who
 * waited for a disk is told with the waits.
 */
static double switches_of(const struct group *g, const struct report *r)
{
	double for_disk = group_activity(g, M_blkio_delay_count, &r->window);
	double all = group_activity(g, M_voluntary_csw, &r->window);

	if (g->sides[CANDIDATE]->kernel_threads)
		return NAN;
	return for_disk > 0 ? all - for_disk : all;
}

struct most {
	struct top groups;
	bool is_measured; /* in some group */
};

static const struct group *nth(const struct most *m, size_t i)
{
	return m->groups.items[i];
}

static void add_group(struct most *m, const struct group *g, double weight)
{
	m->is_measured |= !isnan(weight);
	if (weight > 0)
		top_add(&m->groups, g, weight);
}

/* With --match tid those that were born are apart. */
static struct most find_most(const struct report *r, weigh weight)
{
	const struct grouping *all[] = { &r->groups, &r->born };
	struct most m = {};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		for (size_t k = 0; k < all[i]->count; k++)
			if (all[i]->groups[k].sides[CANDIDATE])
				add_group(&m, &all[i]->groups[k], weight(&all[i]->groups[k], r));
	return m;
}

static void add_name(struct str *out, const struct group *g)
{
	bool has_process = g->pcomm && g->comm && !str_eq(g->pcomm, g->comm);

	name_add_printable(out, group_leaf(g));
	if (has_process) {
		str_add(out, " of ");
		name_add_printable(out, g->pcomm);
	}
	if (g->cgroup_shown && g->comm && !str_eq(g->cgroup_shown, "/")) {
		str_add(out, " in ");
		text_add_printable(out, g->cgroup_shown);
	}
	if (!g->sides[BASELINE])
		str_add(out, " (born in between)");
}

static void add_time(struct str *out, double ns)
{
	number_add_real(out, LADDER_NS, ns);
}

/* What was counted belongs to the window, or is only the difference of two lives. */
static const char *than_before(const struct group *g)
{
	return g->is_joined ? "" : " more than in the baseline";
}

static void add_others(struct str *out, const struct most *m)
{
	for (size_t i = 1;
	     i < m->groups.count && m->groups.weights[i] >= m->groups.weights[0] * OTHERS_SHARE;
	     i++) {
		str_add(out, i == 1 ? "; then " : ", ");
		add_name(out, nth(m, i));
		str_addc(out, ' ');
		add_time(out, m->groups.weights[i]);
	}
}

static void tell_cpu(struct str *out, const struct most *m, const struct report *r)
{
	const struct group *g = nth(m, 0);
	double ns = m->groups.weights[0];

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
	add_others(out, m);
}

static enum wait_kind longest_wait(const struct notice *n)
{
	enum wait_kind most = 0;

	for (enum wait_kind kind = 1; kind < WAIT_KINDS; kind++)
		if (!(n->waits_ns[kind] <= n->waits_ns[most]) && !isnan(n->waits_ns[kind]))
			most = kind;
	return most;
}

/* ": 3 s for block I/O, 1 s for a CPU" */
static void add_wait_kinds(struct str *out, struct notice n)
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

static void tell_waits(struct str *out, const struct most *m, const struct report *r)
{
	const struct group *g = nth(m, 0);
	struct notice n = group_notice(g, &r->window);
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
	add_others(out, m);
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

static void tell_storage(struct str *out, const struct most *m, const struct report *r)
{
	tell_bytes(out, nth(m, 0), r, (unsigned int[]){ M_read_bytes, M_write_bytes },
		   (const char *[]){ " from storage and wrote ", " to it" });
}

static void tell_calls(struct str *out, const struct most *m, const struct report *r)
{
	tell_bytes(out, nth(m, 0), r, (unsigned int[]){ M_rchar, M_wchar },
		   (const char *[]){ " and wrote ", ", none of it from or to storage" });
}

static void add_sentence(struct summary *s, struct str *text)
{
	if (str_check(text) < 0 || vec_push(s, *text) < 0)
		s->failed = true;
	else
		*text = (struct str){};
}

/* "Most CPU: NAME ..."; that nobody has any, or nobody was measured, is told as well. */
static void add_most(struct summary *s, const struct report *r, const char *what,
		     const struct most *m,
		     void (*tell)(struct str *out, const struct most *m, const struct report *r))
{
	_str_ struct str text = {};

	str_addf(&text, "Most %s: ", what);
	if (m->groups.count)
		tell(&text, m, r);
	else
		str_add(&text, m->is_measured ? "none in any group" : "not measured");
	str_addc(&text, '.');
	add_sentence(s, &text);
}

static void add_io(struct summary *s, const struct report *r)
{
	struct most storage = find_most(r, storage_of), calls = find_most(r, calls_of);

	if (storage.groups.count || !calls.groups.count)
		add_most(s, r, "I/O", &storage, tell_storage);
	else
		add_most(s, r, "I/O", &calls, tell_calls);
}

/*
 * Waiting for a lock is sleep to the kernel. Where it keeps no account of sleep,
 * what is left of the threads' time is all that can be said.
 */
static void add_sleep(struct summary *s, const struct report *r)
{
	_str_ struct str text = {};
	struct most m = find_most(r, switches_of);
	const struct group *g = nth(&m, 0);
	struct notice n;
	double alive_ns, rest_ns;

	if (!g || !g->is_joined || !(r->window.seconds > 0) ||
	    m.groups.weights[0] < MANY_SWITCHES_PER_SECOND * r->window.seconds)
		return;
	n = group_notice(g, &r->window);
	alive_ns = g->sides[CANDIDATE]->alive_sum * r->window.seconds * (double)NSEC_PER_SEC;
	rest_ns = alive_ns - n.cpu_ns - n.waited_ns;
	if (!(rest_ns > alive_ns / 2) ||
	    !isnan(group_activity(g, M_voluntary_sleep_ns, &r->window)))
		return;
	str_add(&text, "Most switches: ");
	add_name(&text, g);
	str_add(&text, " gave up a CPU ");
	number_add(&text, LADDER_COUNT, (uint64_t)m.groups.weights[0]);
	str_add(&text, " times");
	if (!isnan(n.waits_ns[WAIT_BLOCK_IO]))
		str_add(&text, ", not for block I/O");
	str_add(&text, "; for ");
	add_time(&text, rest_ns);
	str_add(&text, " of ");
	add_time(&text, alive_ns);
	str_addf(&text, " its threads neither ran nor waited for a CPU (%ssleep, locks, messages).",
		 isnan(n.waits_ns[WAIT_BLOCK_IO]) ? "block I/O, " : "");
	add_sentence(s, &text);
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
	for (size_t i = 0; i < u.parents.count; i++) {
		const struct thread_record *parent = u.parents.items[i];

		str_add(&text, i ? ", " : "; busiest parents: ");
		name_add_printable(&text, parent->comm);
		str_addf(&text, "[%u] (%.1f s)", parent->tgid, u.parents.weights[i]);
	}
	str_addc(&text, '.');
	add_sentence(s, &text);
}

int summary_collect(struct summary *s, const struct report *r)
{
	struct most cpu, waits;

	if (r->options->is_show || r->options->are_metrics_named || r->options->are_sections_named)
		return 0;
	cpu = find_most(r, cpu_of);
	waits = find_most(r, waits_of);
	add_most(s, r, "CPU", &cpu, tell_cpu);
	add_most(s, r, "waiting", &waits, tell_waits);
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
