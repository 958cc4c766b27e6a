// SPDX-License-Identifier: GPL-2.0-only
/* The state of sched_ext. */
#include "ctprof/report.h"

static const struct fact_layout layout = { SECTION_SCHED_EXT,
					   { LEAD_METRIC },
					   { "attr", "value" } };

enum { STATE, OPS, SWITCH_ALL, NR_REJECTED, HOTPLUG_SEQ, ENABLE_SEQ, ATTRIBUTES };

#define AT(member) offsetof(struct sched_ext_record, member)

static const struct {
	const char *name;
	size_t offset;
	bool is_text;
} attributes[ATTRIBUTES] = {
	[STATE] = { "state", AT(state), true },
	[OPS] = { "root/ops", AT(ops), true },
	[SWITCH_ALL] = { "switch_all", AT(switch_all), false },
	[NR_REJECTED] = { "nr_rejected", AT(nr_rejected), false },
	[HOTPLUG_SEQ] = { "hotplug_seq", AT(hotplug_seq), false },
	[ENABLE_SEQ] = { "enable_seq", AT(enable_seq), false },
};

static struct fact attribute_fact(const struct snapshot_pair *pair, int i)
{
	struct fact f = { .metric = attributes[i].name, .ladder = LADDER_NONE };

	for (enum side side = BASELINE; side < SIDES; side++) {
		const struct snapshot *s = pair->sides[side];
		const void *at = s ? (const char *)&s->sched_ext + attributes[i].offset : NULL;

		if (s && s->has_sched_ext)
			f.cell.sides[side] = attributes[i].is_text ?
						     value_text(*(const char *const *)at) :
						     value_known(at);
	}
	return f;
}

void facts_collect_sched_ext(struct fact_tables *all, const struct fact_sources *from)
{
	struct fact facts[ATTRIBUTES];
	bool is_told = from->options->is_show;

	for (int i = 0; i < ATTRIBUTES; i++) {
		facts[i] = attribute_fact(from->pair, i);
		is_told |= fact_is_changed(&facts[i]);
	}
	/* The count of rejections starts anew with every scheduler that is loaded. */
	facts[NR_REJECTED].has_no_delta = fact_is_changed(&facts[ENABLE_SEQ]);
	if (!is_told || !fact_table_start(all, from, &layout, NULL))
		return;
	for (int i = 0; i < ATTRIBUTES; i++)
		if (facts[i].cell.sides[BASELINE].kind || facts[i].cell.sides[CANDIDATE].kind)
			fact_add(all, &facts[i]);
}
