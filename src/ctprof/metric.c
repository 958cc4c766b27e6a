// SPDX-License-Identifier: GPL-2.0-only
/* The registry table and its tags. */
#include "ctprof/metric.h"

#include "host/need.h"

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

/* Not elapsed time: a slice is an allowance, and idle time is summed over siblings. */
bool metric_is_elapsed(enum metric_id id)
{
	return metrics[id].ladder == LADDER_NS && id != M_fair_slice_ns &&
	       id != M_core_forceidle_sum;
}

/* clang-format off */
#define GATE(option, more) { "[" #option "]", "needs CONFIG_" #option more, .gate = GATE_##option }

const struct metric_tag metric_tags[] = {
	{ "[cfs-only]", "written by the fair class only; stays still for tasks of other classes",
	  .class = CLASS_CFS_ONLY },
	{ "[non-ext]", "not written while the task is in sched_ext", .class = CLASS_NON_EXT },
	{ "[fair-policy]", "meaningful for fair policies; stale in sched_ext",
	  .class = CLASS_FAIR_POLICY },
	GATE(SCHED_INFO, ""),
	GATE(SCHEDSTATS, " and " NEED_SYSCTL_SCHEDSTATS "=1"),
	GATE(SCHED_CORE, " and core scheduling in use"),
	GATE(SCHED_CLASS_EXT, ""),
	GATE(TASK_DELAY_ACCT, " and " NEED_SYSCTL_DELAYACCT "=1"),
	GATE(TASK_IO_ACCOUNTING, ""),
	GATE(TASKSTATS, " and CAP_NET_ADMIN"),
	GATE(TASK_XACCT, ""),
	GATE(IRQ_TIME_ACCOUNTING, ""),
	{ "[dead]", "kept for old snapshots; this kernel never writes it" },
	{},
};
/* clang-format on */

void metric_add_tags(const struct metric *m, struct str *out)
{
	const char *gap = "";

	for (const struct metric_tag *tag = metric_tags; tag->name; tag++) {
		if (!(m->gates & tag->gate) && (!tag->class || m->class != tag->class))
			continue;
		str_addf(out, "%s%s", gap, tag->name);
		gap = " ";
	}
}

void metric_ask_options(const struct metric *m, struct str *out)
{
	const char *gap = "";

	for (const struct metric_tag *tag = metric_tags; tag->name; tag++) {
		if (!(m->gates & tag->gate))
			continue;
		/* the tag without its brackets */
		str_addf(out, "%sCONFIG_%.*s", gap, (int)strlen(tag->name) - 2, tag->name + 1);
		gap = ", ";
	}
	if (*gap)
		str_addc(out, '?');
}
