// SPDX-License-Identifier: GPL-2.0-only
/* The state of sched_ext. */
#include "base/err.h"
#include "base/util.h"
#include "ctprof/facts.h"

static const struct fact_layout layout = {
	.section = SECTION_SCHED_EXT,
	.leads = { LEAD_METRIC },
	.lead_count = 1,
	.facts_per_line = 1,
	.columns = { "attr", "value" },
};

static struct value known(const struct opt_u64 *v)
{
	return v->is_known ? value_unsigned(v->value) : (struct value){};
}

enum { STATE, OPS, SWITCH_ALL, NR_REJECTED, HOTPLUG_SEQ, ENABLE_SEQ, ATTRIBUTES };

static const char *const names[ATTRIBUTES] = {
	"state", "root/ops", "switch_all", "nr_rejected", "hotplug_seq", "enable_seq",
};

static struct value read_attribute(const struct snapshot *s, int attribute)
{
	const struct sched_ext_record *r = &s->sched_ext;

	switch (attribute) {
	case STATE:
		return value_text(r->state);
	case OPS:
		return value_text(r->ops);
	case SWITCH_ALL:
		return known(&r->switch_all);
	case NR_REJECTED:
		return known(&r->nr_rejected);
	case HOTPLUG_SEQ:
		return known(&r->hotplug_seq);
	default:
		return known(&r->enable_seq);
	}
}

static struct fact attribute_fact(const struct snapshot_pair *pair, int attribute)
{
	struct fact f = { .metric = names[attribute], .ladder = LADDER_NONE };

	for (enum side side = BASELINE; side < SIDES; side++)
		if (pair->sides[side] && pair->sides[side]->has_sched_ext)
			f.cell.sides[side] = read_attribute(pair->sides[side], attribute);
	return f;
}

int facts_collect_sched_ext(struct fact_tables *all, const struct fact_sources *from)
{
	struct fact facts[ATTRIBUTES];
	bool is_told = from->options->is_show;
	struct fact_table *t;
	int rc = 0;

	if (!options_want(from->options, SECTION_SCHED_EXT))
		return 0;
	for (int i = 0; i < ATTRIBUTES; i++) {
		facts[i] = attribute_fact(from->pair, i);
		is_told |= fact_is_changed(&facts[i]);
	}
	/* The count of rejections starts anew with every scheduler that is loaded. */
	facts[NR_REJECTED].has_no_delta = fact_is_changed(&facts[ENABLE_SEQ]);
	if (!is_told)
		return 0;
	t = fact_table_new(all, &layout, sections[SECTION_SCHED_EXT].heading);
	if (!t)
		return -ENOMEM;
	for (int i = 0; rc == 0 && i < ATTRIBUTES; i++)
		if (facts[i].cell.sides[BASELINE].kind || facts[i].cell.sides[CANDIDATE].kind)
			rc = fact_add(t, facts[i]);
	fact_table_drop_empty(all);
	return rc;
}
