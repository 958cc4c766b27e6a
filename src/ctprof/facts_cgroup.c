// SPDX-License-Identifier: GPL-2.0-only
/* Sections about cgroups: use, limits, peaks, memory.stat, memory.events and io.stat. */
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "base/util.h"
#include "ctprof/facts.h"
#include "ctprof/named_list.h"

static const struct fact_layout stats_layout = {
	.section = SECTION_CGROUP_STATS,
	.leads = { LEAD_SUBJECT },
	.lead_count = 1,
	.facts_per_line = 4,
	.columns = { "cgroup", "cpu_usage_usec", "nr_throttled", "throttled_usec",
		     "memory_current" },
};

static const struct fact_layout limits_layout = {
	.section = SECTION_CGROUP_LIMITS,
	.leads = { LEAD_SUBJECT },
	.lead_count = 1,
	.facts_per_line = 6,
	.is_equal_once = true,
	.columns = { "cgroup", "cpu.max", "cpu.weight", "memory.max", "memory.high", "pids.current",
		     "pids.max" },
};

static const struct fact_layout peaks_layout = {
	.section = SECTION_CGROUP_PEAKS,
	.leads = { LEAD_SUBJECT },
	.lead_count = 1,
	.facts_per_line = 3,
	.columns = { "cgroup", "memory.peak", "memory.swap.current", "pids.peak" },
};

static const struct fact_layout memory_stat_layout = {
	.section = SECTION_MEMORY_STAT,
	.leads = { LEAD_SUBJECT, LEAD_METRIC },
	.lead_count = 2,
	.facts_per_line = 1,
	.columns = { "cgroup", "key", "value" },
};

static const struct fact_layout memory_events_layout = {
	.section = SECTION_MEMORY_EVENTS,
	.leads = { LEAD_SUBJECT, LEAD_METRIC },
	.lead_count = 2,
	.facts_per_line = 1,
	.columns = { "cgroup", "event", "count" },
};

static const struct fact_layout io_stat_layout = {
	.section = SECTION_IO_STAT,
	.leads = { LEAD_SUBJECT, LEAD_METRIC },
	.lead_count = 2,
	.facts_per_line = 1,
	.columns = { "cgroup", "key", "value" },
};

/* Reads one column of a record. The arena holds text that is made for it. */
typedef struct value (*read_fn)(const struct cgroup_record *r, struct arena *arena);

static struct value known(const struct opt_u64 *v)
{
	return v->is_known ? value_unsigned(v->value) : (struct value){};
}

/*
 * The file has null for "max" and for a limit that was not read. Where the
 * controller was read at all, as a value tells that it always has, it is "max".
 */
static struct value limit(const struct opt_u64 *v, bool is_controller_read)
{
	if (v->is_known)
		return value_unsigned(v->value);
	return is_controller_read ? value_text("max") : (struct value){};
}

#define READER(name, expression)                                                     \
	static struct value name(const struct cgroup_record *r, struct arena *arena) \
	{                                                                            \
		(void)arena;                                                         \
		return expression;                                                   \
	}

READER(read_usage, known(&r->usage_usec))
READER(read_nr_throttled, known(&r->nr_throttled))
READER(read_throttled, known(&r->throttled_usec))
READER(read_memory_current, known(&r->memory_current))
READER(read_weight, known(&r->cpu_weight))
READER(read_memory_max, limit(&r->memory_max, r->memory_current.is_known))
READER(read_memory_high, limit(&r->memory_high, r->memory_current.is_known))
READER(read_pids_current, known(&r->pids_current))
READER(read_pids_max, limit(&r->pids_max, r->pids_current.is_known))
READER(read_memory_peak, known(&r->memory_peak))
READER(read_swap_current, known(&r->memory_swap_current))
READER(read_pids_peak, known(&r->pids_peak))

static struct value read_cpu_max(const struct cgroup_record *r, struct arena *arena)
{
	_free_ char *text = NULL;

	/* cpu.stat has the use of every cgroup, but throttling only under the controller. */
	if (!r->cpu_quota_us.is_known)
		return limit(&r->cpu_quota_us, r->cpu_weight.is_known || r->nr_throttled.is_known);
	text = str_fmt("%llu/%llu", (unsigned long long)r->cpu_quota_us.value,
		       (unsigned long long)(r->cpu_period_us.is_known ? r->cpu_period_us.value :
									100000));
	return value_text(text ? arena_copy(arena, text, strlen(text)) : NULL);
}

struct reader {
	read_fn read;
	enum metric_ladder ladder;
	bool is_counter;
};

static const struct reader stats_readers[] = {
	{ read_usage, LADDER_US, true },
	{ read_nr_throttled, LADDER_COUNT, true },
	{ read_throttled, LADDER_US, true },
	{ read_memory_current, LADDER_BYTES, false },
};

static const struct reader limits_readers[] = {
	{ read_cpu_max, LADDER_NONE, false },	    { read_weight, LADDER_NONE, false },
	{ read_memory_max, LADDER_BYTES, false },   { read_memory_high, LADDER_BYTES, false },
	{ read_pids_current, LADDER_COUNT, false }, { read_pids_max, LADDER_COUNT, false },
};

static const struct reader peaks_readers[] = {
	{ read_memory_peak, LADDER_BYTES, false },
	{ read_swap_current, LADDER_BYTES, false },
	{ read_pids_peak, LADDER_COUNT, false },
};

static int add_line(struct fact_tables *all, struct fact_table *t, const struct cgroup_pair *p,
		    const struct reader *readers)
{
	for (size_t i = 0; i < t->layout->facts_per_line; i++) {
		struct fact f = { .subject = p->shown,
				  .metric = t->layout->columns[t->layout->lead_count + i],
				  .ladder = readers[i].ladder,
				  .is_counter = readers[i].is_counter };
		int rc;

		for (enum side side = BASELINE; side < SIDES; side++)
			if (p->sides[side])
				f.cell.sides[side] = readers[i].read(p->sides[side], &all->arena);
		rc = fact_add(t, f);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static bool has_stats(const struct cgroup_record *r)
{
	return r && (r->usage_usec.is_known || r->nr_throttled.is_known ||
		     r->throttled_usec.is_known || r->memory_current.is_known);
}

static bool has_limits(const struct cgroup_record *r)
{
	return r && (r->cpu_quota_us.is_known || r->cpu_weight.is_known || r->memory_max.is_known ||
		     r->memory_high.is_known || r->pids_max.is_known);
}

static bool has_peaks(const struct cgroup_record *r)
{
	return r && (r->memory_peak.is_known || r->memory_swap_current.is_known ||
		     r->pids_peak.is_known);
}

static int collect_lines(struct fact_tables *all, const struct fact_sources *from,
			 const struct fact_layout *layout, const struct reader *readers,
			 bool (*has)(const struct cgroup_record *r))
{
	struct fact_table *t;

	if (!options_want(from->options, layout->section))
		return 0;
	t = fact_table_new(all, layout, sections[layout->section].heading);
	if (!t)
		return -ENOMEM;
	for (size_t i = 0; i < from->cgroups->count; i++) {
		const struct cgroup_pair *p = &from->cgroups->pairs[i];
		int rc = has(p->sides[BASELINE]) || has(p->sides[CANDIDATE]) ?
				 add_line(all, t, p, readers) :
				 0;

		if (rc < 0)
			return rc;
	}
	fact_table_drop_empty(all);
	return 0;
}

typedef const struct named_list *(*list_fn)(const struct cgroup_record *r);

static const struct named_list *stat_list(const struct cgroup_record *r)
{
	return &r->memory_stat;
}

static const struct named_list *events_list(const struct cgroup_record *r)
{
	return &r->memory_events;
}

static const struct named_list *io_list(const struct cgroup_record *r)
{
	return &r->io_stat;
}

/* What the number of that name is, by the file that the section shows. */
static struct fact start_named(enum section_id section, const char *subject, const char *name)
{
	struct fact f = {
		.subject = subject, .metric = name, .ladder = LADDER_COUNT, .is_counter = true
	};

	if (section == SECTION_MEMORY_STAT && memory_stat_is_gauge(name)) {
		f.ladder = LADDER_BYTES;
		f.is_counter = false;
	} else if (section == SECTION_IO_STAT && strstr(name, "bytes")) {
		f.ladder = LADDER_BYTES;
	}
	return f;
}

static struct value named_value(const struct cgroup_record *r, list_fn list, const char *name,
				size_t hint)
{
	const struct named_u64 *found = r ? named_list_find(list(r), name, hint) : NULL;

	return found ? value_unsigned(found->value) : (struct value){};
}

/* The names of one side; those that the other side has too were told by it before. */
static int add_named(struct fact_table *t, const struct cgroup_pair *p, list_fn list,
		     enum side side, bool is_show)
{
	const struct named_list *names = p->sides[side] ? list(p->sides[side]) : NULL;
	const struct cgroup_record *baseline = p->sides[BASELINE];

	for (size_t i = 0; names && i < names->count; i++) {
		const char *name = names->items[i].name;
		struct fact f = start_named(t->layout->section, p->shown, name);
		int rc;

		if (side == CANDIDATE && baseline && named_list_find(list(baseline), name, i))
			continue;
		f.cell.sides[BASELINE] = named_value(baseline, list, name, i);
		f.cell.sides[CANDIDATE] = named_value(p->sides[CANDIDATE], list, name, i);
		if (fact_is_zero(&f) || (!is_show && !fact_is_changed(&f)))
			continue;
		rc = fact_add(t, f);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int collect_named(struct fact_tables *all, const struct fact_sources *from,
			 const struct fact_layout *layout, list_fn list)
{
	bool is_show = from->options->is_show;
	struct fact_table *t;
	int rc = 0;

	if (!options_want(from->options, layout->section))
		return 0;
	t = fact_table_new(all, layout, sections[layout->section].heading);
	if (!t)
		return -ENOMEM;
	for (size_t i = 0; rc == 0 && i < from->cgroups->count; i++) {
		const struct cgroup_pair *p = &from->cgroups->pairs[i];

		rc = add_named(t, p, list, BASELINE, is_show);
		if (rc == 0)
			rc = add_named(t, p, list, CANDIDATE, is_show);
	}
	fact_table_drop_empty(all);
	return rc;
}

int facts_collect_cgroups(struct fact_tables *t, const struct fact_sources *from)
{
	int rc = collect_lines(t, from, &stats_layout, stats_readers, has_stats);

	if (rc == 0)
		rc = collect_lines(t, from, &limits_layout, limits_readers, has_limits);
	if (rc == 0)
		rc = collect_lines(t, from, &peaks_layout, peaks_readers, has_peaks);
	if (rc == 0)
		rc = collect_named(t, from, &memory_stat_layout, stat_list);
	if (rc == 0)
		rc = collect_named(t, from, &memory_events_layout, events_list);
	return rc < 0 ? rc : collect_named(t, from, &io_stat_layout, io_list);
}
