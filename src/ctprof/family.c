// SPDX-License-Identifier: GPL-2.0-only
/* The table of data families, and how much of each a snapshot has. */
#include "ctprof/family.h"

#include "ctprof/group.h"
#include "ctprof/jemalloc_parts.h"

const struct family families[FAMILIES] = {
	[FAMILY_STAT] = { "stat", "threads", M_minflt },
	[FAMILY_STATUS] = { "status", "threads", M_voluntary_csw },
	[FAMILY_AFFINITY] = { "affinity", "threads", M_cpu_affinity },
	[FAMILY_SCHEDSTAT] = { "schedstat", "threads", M_run_time_ns },
	[FAMILY_SCHED] = { "sched", "threads", M_nr_migrations },
	[FAMILY_SCHED_STATISTICS] = { "sched statistics", "threads", M_nr_wakeups },
	[FAMILY_IO] = { "io", "threads", M_rchar },
	[FAMILY_RUN_QUEUE_DELAY] = { "run-queue delay", "threads", M_cpu_delay_count },
	[FAMILY_DELAYS] = { "delays", "threads", M_swapin_delay_count },
	[FAMILY_MEMORY_PEAKS] = { "memory peaks", "threads", M_hiwater_rss_bytes },
	[FAMILY_JEMALLOC] = { "jemalloc", "threads", M_allocated_bytes },
	[FAMILY_SMAPS] = { "smaps_rollup", "processes", METRIC_COUNT },
};

/* Threads that have exited have no memory maps; that is not a gap. */
static bool has_maps(const struct thread_record *t)
{
	return t->tid == t->tgid && !t->is_kernel_thread &&
	       !(thread_has(t, M_state) && strchr("ZX", *t->values[M_state].s));
}

static void count_maps(struct coverage *c, const struct thread_record *t)
{
	bool is_measured = t->smaps_kib.count != 0;

	c->measured += is_measured;
	c->total += is_measured || has_maps(t);
}

static void count_unprobed(struct coverage *c, const char *tag)
{
	if (!tag)
		return;
	if (str_eq(tag, TAG_READLINK)) {
		c->not_inspected++;
	} else if (!jemalloc_tag_is_failure(tag)) {
		c->without++;
	} else {
		c->failure = !c->failed || (c->failure && str_eq(c->failure, tag)) ? tag : NULL;
		c->failed++;
	}
}

void family_count(struct coverage *c, enum family_id id, const struct thread_record *t)
{
	if (id == FAMILY_SMAPS) {
		count_maps(c, t);
		return;
	}
	c->total++;
	if (thread_measured(t, families[id].metric))
		c->measured++;
	else if (id == FAMILY_JEMALLOC)
		count_unprobed(c, t->unread_jemalloc);
}

struct coverage family_coverage(const struct snapshot *s, enum family_id id)
{
	struct coverage c = {};

	for (size_t i = 0; i < s->thread_count; i++)
		family_count(&c, id, &s->threads[i]);
	return c;
}

/* Returns whether a reason is recorded for each thread without jemalloc's counters. */
static bool is_explained(const struct coverage *c)
{
	return c->measured < c->total &&
	       c->without + c->not_inspected + c->failed == c->total - c->measured;
}

bool family_is_expected(const struct snapshot *s, enum family_id id, const struct coverage *c)
{
	switch (id) {
	case FAMILY_JEMALLOC:
		if (is_explained(c))
			return c->failed || c->not_inspected;
		return s->probe.is_known && (s->probe.failed || s->probe.not_inspected);
	case FAMILY_SMAPS:
		return c->measured || s->parse.is_known;
	default:
		return true;
	}
}

static void add_smaps_reason(struct str *out, const struct snapshot *s, const struct coverage *c)
{
	uint64_t failures = s->parse.by_file[FILE_SMAPS_ROLLUP];

	if (failures)
		str_addf(out, "%llu could not be read", ULL(failures));
	else if (c->measured == 0)
		str_add(out, "--no-smaps?");
}

/* Most frequent reasons first, with counts if there are several. */
static void add_jemalloc_reason(struct str *out, const struct snapshot *s, const struct coverage *c)
{
	size_t counts[] = { c->without, c->not_inspected, c->failed }, left;
	size_t missing = c->total - c->measured;
	const char *texts[] = { "without jemalloc", "could not be inspected",
				c->failure ? c->failure : "could not be read" };

	for (left = missing; left;) {
		size_t most = counts[1] > counts[0];

		if (counts[2] > counts[most])
			most = 2;
		if (left < missing)
			str_add(out, ", ");
		if (counts[most] < missing)
			str_addf(out, "%zu ", counts[most]);
		str_add(out, texts[most]);
		if (most == 1 && left == missing)
			str_addf(out, " (%s)", PTRACE_REFUSED(s->probe.has_ptrace));
		left -= counts[most];
		counts[most] = 0;
	}
}

void family_add_reason(struct str *out, const struct snapshot *s, enum family_id id,
		       const struct coverage *c)
{
	if (c->measured == c->total)
		return;
	if (id == FAMILY_SMAPS)
		add_smaps_reason(out, s, c);
	else if (id == FAMILY_JEMALLOC && is_explained(c))
		add_jemalloc_reason(out, s, c);
	else if (s->unread[families[id].metric].reason)
		str_add(out, s->unread[families[id].metric].reason);
	else if (c->measured == 0)
		metric_ask_options(&metrics[families[id].metric], out);
}
