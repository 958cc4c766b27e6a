// SPDX-License-Identifier: GPL-2.0-only
/* The registry table and its tags. */
#include "ctprof/metric.h"

const struct metric metrics[METRIC_COUNT] = {
#define METRIC(name_, source_, key_, index_, kind_, rule_, ladder_, section_, class_, gates_, \
	       help_)                                                                         \
	[M_##name_] = { .name = #name_,                                                       \
			.source = METRIC_FROM_##source_,                                      \
			.key = key_,                                                          \
			.index = index_,                                                      \
			.kind = METRIC_##kind_,                                               \
			.rule = RULE_##rule_,                                                 \
			.ladder = LADDER_##ladder_,                                           \
			.section = METRIC_SECTION_##section_,                                 \
			.class = CLASS_##class_,                                              \
			.gates = gates_,                                                      \
			.help = help_ },
#include "ctprof/metrics.def"
#undef METRIC
};

_Static_assert(METRIC_COUNT == 87, "the snapshot format promises 87 primary metrics");

int metric_find(const char *name)
{
	for (int i = 0; i < METRIC_COUNT; i++)
		if (str_eq(metrics[i].name, name))
			return i;
	return -1;
}

/* A slice is a grant, and idle siblings are counted one by one. */
bool metric_is_elapsed(enum metric_id id)
{
	return metrics[id].ladder == LADDER_NS && id != M_fair_slice_ns &&
	       id != M_core_forceidle_sum;
}

/* Classes first, then gates: both in the order of their bits. */
static const struct {
	enum metric_class class;
	const char *tag;
} class_tags[] = {
	{ CLASS_CFS_ONLY, "[cfs-only]" },
	{ CLASS_NON_EXT, "[non-ext]" },
	{ CLASS_FAIR_POLICY, "[fair-policy]" },
};

static const struct {
	enum metric_gate gate;
	const char *tag;
} gate_tags[] = {
	{ GATE_SCHED_INFO, "[SCHED_INFO]" },
	{ GATE_SCHEDSTATS, "[SCHEDSTATS]" },
	{ GATE_SCHED_CORE, "[SCHED_CORE]" },
	{ GATE_SCHED_CLASS_EXT, "[SCHED_CLASS_EXT]" },
	{ GATE_TASK_DELAY_ACCT, "[TASK_DELAY_ACCT]" },
	{ GATE_TASK_IO_ACCOUNTING, "[TASK_IO_ACCOUNTING]" },
	{ GATE_TASKSTATS, "[TASKSTATS]" },
	{ GATE_TASK_XACCT, "[TASK_XACCT]" },
	{ GATE_IRQ_TIME_ACCOUNTING, "[IRQ_TIME_ACCOUNTING]" },
};

const struct metric_tag metric_tags[] = {
	{ "[cfs-only]", "written by the fair class only; stays still for tasks of other classes" },
	{ "[non-ext]", "not written while the task is in sched_ext" },
	{ "[fair-policy]", "meaningful for fair policies; stale in sched_ext" },
	{ "[SCHED_INFO]", "needs CONFIG_SCHED_INFO" },
	{ "[SCHEDSTATS]", "needs CONFIG_SCHEDSTATS and kernel.sched_schedstats=1" },
	{ "[SCHED_CORE]", "needs CONFIG_SCHED_CORE and core scheduling in use" },
	{ "[SCHED_CLASS_EXT]", "needs CONFIG_SCHED_CLASS_EXT" },
	{ "[TASK_DELAY_ACCT]", "needs CONFIG_TASK_DELAY_ACCT and kernel.task_delayacct=1" },
	{ "[TASK_IO_ACCOUNTING]", "needs CONFIG_TASK_IO_ACCOUNTING" },
	{ "[TASKSTATS]", "needs CONFIG_TASKSTATS and CAP_NET_ADMIN" },
	{ "[TASK_XACCT]", "needs CONFIG_TASK_XACCT" },
	{ "[IRQ_TIME_ACCOUNTING]", "needs CONFIG_IRQ_TIME_ACCOUNTING" },
	{ "[dead]", "kept for old snapshots; this kernel never writes it" },
	{},
};

static void add_tag(struct str *out, bool *any, const char *tag)
{
	str_addf(out, "%s%s", *any ? " " : "", tag);
	*any = true;
}

void metric_add_tags(const struct metric *m, struct str *out)
{
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(class_tags); i++)
		if (m->class == class_tags[i].class)
			add_tag(out, &any, class_tags[i].tag);
	for (size_t i = 0; i < ARRAY_SIZE(gate_tags); i++)
		if (m->gates & gate_tags[i].gate)
			add_tag(out, &any, gate_tags[i].tag);
}

void metric_ask_options(const struct metric *m, struct str *out)
{
	const char *gap = "";

	for (size_t i = 0; i < ARRAY_SIZE(gate_tags); i++) {
		if (!(m->gates & gate_tags[i].gate))
			continue;
		/* the tag without its brackets */
		str_addf(out, "%sCONFIG_%.*s", gap, (int)strlen(gate_tags[i].tag) - 2,
			 gate_tags[i].tag + 1);
		gap = ", ";
	}
	if (*gap)
		str_addc(out, '?');
}
