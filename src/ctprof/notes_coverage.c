/* Which data families are incomplete, and why. */
#include "base/err.h"
#include "base/util.h"
#include "ctprof/aggregate.h"
#include "ctprof/notes.h"

/* A family is read from one place; one of its metrics stands for all. */
static const struct {
	const char *name;
	enum metric_id metric;
} families[] = {
	{ "stat", M_minflt },
	{ "status", M_voluntary_csw },
	{ "schedstat", M_run_time_ns },
	{ "sched", M_nr_wakeups },
	{ "io", M_rchar },
	{ "affinity", M_cpu_affinity },
	{ "taskstats (run-queue delay)", M_cpu_delay_count },
	{ "taskstats (other delays)", M_blkio_delay_count },
	{ "taskstats (memory peaks)", M_hiwater_rss_bytes },
	{ "jemalloc", M_allocated_bytes },
};

struct coverage {
	size_t measured, total;
};

static struct coverage count(const struct report *r, enum side side, enum metric_id metric)
{
	struct coverage c = { .total = r->kept.sides[side].count };

	for (size_t i = 0; i < c.total; i++)
		c.measured += thread_measured(r->kept.sides[side].items[i].thread, metric);
	return c;
}

/* Most programs do not use jemalloc; only counters that could not be had are missing. */
static bool is_expected(const struct snapshot *s, enum metric_id metric)
{
	return metric != M_allocated_bytes || (s->probe.is_known && s->probe.failed);
}

static void add_gates(struct str *out, unsigned int gates)
{
	static const struct {
		enum metric_gate gate;
		const char *option;
	} options[] = {
		{ GATE_SCHED_INFO, "CONFIG_SCHED_INFO" },
		{ GATE_SCHEDSTATS, "CONFIG_SCHEDSTATS" },
		{ GATE_TASKSTATS, "CONFIG_TASKSTATS" },
		{ GATE_TASK_DELAY_ACCT, "CONFIG_TASK_DELAY_ACCT" },
		{ GATE_TASK_XACCT, "CONFIG_TASK_XACCT" },
		{ GATE_TASK_IO_ACCOUNTING, "CONFIG_TASK_IO_ACCOUNTING" },
	};
	const char *gap = " — ";

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (gates & options[i].gate) {
			str_addf(out, "%s%s", gap, options[i].option);
			gap = ", ";
		}
	if (gates)
		str_addc(out, '?');
}

/* The reason that the capture recorded, or the options that are the usual one. */
static void add_reason(struct str *out, const struct snapshot *s, enum metric_id metric)
{
	if (s->unread[metric].reason)
		str_addf(out, " — %s", s->unread[metric].reason);
	else
		add_gates(out, metrics[metric].gates);
}

static bool is_incomplete(const struct coverage *c)
{
	return c->measured < c->total;
}

static int add_show_line(struct notes *n, const struct report *r, size_t family)
{
	const struct snapshot *s = r->pair.sides[CANDIDATE];
	enum metric_id metric = families[family].metric;
	struct coverage c = count(r, CANDIDATE, metric);
	_str_ struct str reason = {};

	if (!is_expected(s, metric) || !is_incomplete(&c))
		return 0;
	add_reason(&reason, s, metric);
	return notes_add(n, NOTE_PLAIN, "%s: %zu/%zu threads measured%s", families[family].name,
			 c.measured, c.total, str_get(&reason));
}

/* The side that lacks more of its threads gives the reason. */
static enum side poorer(const struct coverage c[SIDES])
{
	return (double)c[BASELINE].measured * (double)c[CANDIDATE].total <
			       (double)c[CANDIDATE].measured * (double)c[BASELINE].total ?
		       BASELINE :
		       CANDIDATE;
}

static bool is_one_sided(const struct coverage c[SIDES])
{
	return c[BASELINE].total && c[CANDIDATE].total &&
	       !c[BASELINE].measured != !c[CANDIDATE].measured;
}

static int add_compare_line(struct notes *n, const struct report *r, size_t family)
{
	enum metric_id metric = families[family].metric;
	const struct coverage c[SIDES] = { count(r, BASELINE, metric),
					   count(r, CANDIDATE, metric) };
	enum side worse = poorer(c);
	_str_ struct str reason = {};

	if (!is_expected(r->pair.sides[BASELINE], metric) &&
	    !is_expected(r->pair.sides[CANDIDATE], metric))
		return 0;
	add_reason(&reason, r->pair.sides[worse], metric);
	if (is_one_sided(c))
		return notes_add(
			n, NOTE_WARNING,
			"%s was measured in the %s only, so its cells have no delta: the %s "
			"has 0/%zu threads%s",
			families[family].name, worse == BASELINE ? "candidate" : "baseline",
			worse == BASELINE ? "baseline" : "candidate", c[worse].total,
			str_get(&reason));
	if (!is_incomplete(&c[BASELINE]) && !is_incomplete(&c[CANDIDATE]))
		return 0;
	if (c[BASELINE].measured == c[CANDIDATE].measured &&
	    c[BASELINE].total == c[CANDIDATE].total)
		return notes_add(n, NOTE_PLAIN, "%s: %zu/%zu threads measured%s",
				 families[family].name, c[CANDIDATE].measured, c[CANDIDATE].total,
				 str_get(&reason));
	return notes_add(n, NOTE_PLAIN, "%s: %zu/%zu → %zu/%zu threads measured%s",
			 families[family].name, c[BASELINE].measured, c[BASELINE].total,
			 c[CANDIDATE].measured, c[CANDIDATE].total, str_get(&reason));
}

int notes_add_coverage(struct notes *n, const struct report *r)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(families); i++)
		rc = r->options->is_show ? add_show_line(n, r, i) : add_compare_line(n, r, i);
	return rc;
}
