// SPDX-License-Identifier: GPL-2.0-only
/* Sections about cgroups: use, limits, peaks, memory.stat, memory.events and io.stat. */
#include "ctprof/report.h"

static const struct fact_layout stats_layout = { SECTION_CGROUP_STATS,
						 { LEAD_SUBJECT },
						 { "cgroup", "cpu_usage_usec", "nr_throttled",
						   "throttled_usec", "memory_current" } };

static const struct fact_layout limits_layout = { SECTION_CGROUP_LIMITS,
						  { LEAD_SUBJECT },
						  { "cgroup", "cpu.max", "cpu.weight", "memory.max",
						    "memory.high", "pids.current", "pids.max" },
						  true };

static const struct fact_layout peaks_layout = { SECTION_CGROUP_PEAKS,
						 { LEAD_SUBJECT },
						 { "cgroup", "memory.peak", "memory.swap.current",
						   "pids.peak" } };

static const struct fact_layout memory_stat_layout = { SECTION_MEMORY_STAT,
						       { LEAD_SUBJECT, LEAD_METRIC },
						       { "cgroup", "key", "value" } };

static const struct fact_layout memory_events_layout = { SECTION_MEMORY_EVENTS,
							 { LEAD_SUBJECT, LEAD_METRIC },
							 { "cgroup", "event", "count" } };

static const struct fact_layout io_stat_layout = { SECTION_IO_STAT,
						   { LEAD_SUBJECT, LEAD_METRIC },
						   { "cgroup", "key", "value" } };

/* A column, and the member of the record that it shows. */
struct reader {
	size_t offset;
	enum metric_ladder ladder;
	bool is_counter;
	bool is_beside; /* does not cause a line by itself */
	/*
	 * For limits: snapshots have null for "max" and for a limit that was not read. It is
	 * "max" if this member, which the controller always provides, was read.
	 */
	size_t controller;
};

#define AT(member) offsetof(struct cgroup_record, member)

static const struct reader stats_readers[] = {
	{ AT(usage_usec), LADDER_US, .is_counter = true },
	{ AT(nr_throttled), LADDER_COUNT, .is_counter = true },
	{ AT(throttled_usec), LADDER_US, .is_counter = true },
	{ AT(memory_current), LADDER_BYTES },
};

static const struct reader limits_readers[] = {
	{ AT(cpu_quota_us), LADDER_NONE },
	{ AT(cpu_weight), LADDER_NONE },
	{ AT(memory_max), LADDER_BYTES, .controller = AT(memory_current) },
	{ AT(memory_high), LADDER_BYTES, .controller = AT(memory_current) },
	{ AT(pids_current), LADDER_COUNT, .is_beside = true },
	{ AT(pids_max), LADDER_COUNT, .controller = AT(pids_current) },
};

static const struct reader peaks_readers[] = {
	{ AT(memory_peak), LADDER_BYTES },
	{ AT(memory_swap_current), LADDER_BYTES },
	{ AT(pids_peak), LADDER_COUNT },
};

static const struct opt_u64 *number_at(const struct cgroup_record *r, size_t offset)
{
	return (const struct opt_u64 *)((const char *)r + offset);
}

/* cpu.stat has the use of every cgroup, but throttling only under the controller. */
static struct value read_cpu_max(struct fact_tables *all, const struct cgroup_record *r)
{
	_free_ char *text = NULL;
	const char *copy;

	if (!r->cpu_quota_us.is_known)
		return value_text(r->cpu_weight.is_known || r->nr_throttled.is_known ? "max" :
										       NULL);
	text = str_fmt("%llu/%llu", ULL(r->cpu_quota_us.value),
		       ULL(r->cpu_period_us.is_known ? r->cpu_period_us.value : 100000));
	copy = text ? arena_copy(&all->arena, text, strlen(text)) : NULL;
	all->failed |= !copy;
	return value_text(copy);
}

static struct value read_column(struct fact_tables *all, const struct cgroup_record *r,
				const struct reader *reader)
{
	const struct opt_u64 *number = number_at(r, reader->offset);

	if (reader->offset == AT(cpu_quota_us))
		return read_cpu_max(all, r);
	if (!number->is_known && reader->controller && number_at(r, reader->controller)->is_known)
		return value_text("max");
	return value_known(number);
}

static bool has_any(const struct cgroup_record *r, const struct reader *readers, size_t count)
{
	for (size_t i = 0; r && i < count; i++)
		if (!readers[i].is_beside && number_at(r, readers[i].offset)->is_known)
			return true;
	return false;
}

static void collect_lines(struct fact_tables *all, const struct fact_sources *from,
			  const struct fact_layout *layout, const struct reader *readers)
{
	size_t width = facts_per_line(layout);

	if (!fact_table_start(all, from, layout, NULL))
		return;
	for (size_t i = 0; i < from->cgroups->count * width; i++) {
		const struct cgroup_pair *p = &from->cgroups->pairs[i / width];
		const struct reader *reader = &readers[i % width];
		struct fact f = { .subject = p->shown,
				  .metric = layout->columns[fact_leads(layout) + i % width],
				  .ladder = reader->ladder,
				  .is_counter = reader->is_counter };

		if (!has_any(p->sides[BASELINE], readers, width) &&
		    !has_any(p->sides[CANDIDATE], readers, width))
			continue;
		for (enum side side = BASELINE; side < SIDES; side++)
			if (p->sides[side])
				f.cell.sides[side] = read_column(all, p->sides[side], reader);
		fact_add(all, &f);
	}
}

static const struct named_list *list_at(const struct cgroup_record *r, size_t offset)
{
	static const struct named_list none;

	return r ? (const struct named_list *)((const char *)r + offset) : &none;
}

/* Determines what the number of that name means, by the file that the section shows. */
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

static struct value named_value(const struct named_list *list, const char *name, size_t hint)
{
	const struct named_u64 *found = named_list_find(list, name, hint);

	return found ? value_unsigned(found->value) : (struct value){};
}

/* Adds the names of one side; names of both sides were added with the baseline. */
static void add_named(struct fact_tables *all, const struct fact_layout *layout,
		      const struct cgroup_pair *p, size_t offset, enum side side, bool is_show)
{
	const struct named_list *lists[SIDES] = { list_at(p->sides[BASELINE], offset),
						  list_at(p->sides[CANDIDATE], offset) };

	for (size_t i = 0; i < lists[side]->count; i++) {
		const char *name = lists[side]->items[i].name;
		struct fact f = start_named(layout->section, p->shown, name);

		if (side == CANDIDATE && named_list_find(lists[BASELINE], name, i))
			continue;
		for (enum side of = BASELINE; of < SIDES; of++)
			f.cell.sides[of] = named_value(lists[of], name, i);
		if (!fact_is_zero(&f) && (is_show || fact_is_changed(&f)))
			fact_add(all, &f);
	}
}

static void collect_named(struct fact_tables *all, const struct fact_sources *from,
			  const struct fact_layout *layout, size_t offset)
{
	if (!fact_table_start(all, from, layout, NULL))
		return;
	for (size_t i = 0; i < from->cgroups->count; i++)
		for (enum side side = BASELINE; side < SIDES; side++)
			add_named(all, layout, &from->cgroups->pairs[i], offset, side,
				  from->options->is_show);
}

void facts_collect_cgroups(struct fact_tables *t, const struct fact_sources *from)
{
	collect_lines(t, from, &stats_layout, stats_readers);
	collect_lines(t, from, &limits_layout, limits_readers);
	collect_lines(t, from, &peaks_layout, peaks_readers);
	collect_named(t, from, &memory_stat_layout, AT(memory_stat));
	collect_named(t, from, &memory_events_layout, AT(memory_events));
	collect_named(t, from, &io_stat_layout, AT(io_stat));
}
