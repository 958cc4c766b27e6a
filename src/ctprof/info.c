// SPDX-License-Identifier: GPL-2.0-only
/* Coverage and diagnosis of a snapshot. */
#include "ctprof/family.h"

#include "ctprof/jemalloc_parts.h"
#include "ctprof/procfs_view.h"

static void cover(struct info_family *f, const struct snapshot *s, enum family_id id)
{
	f->coverage = family_coverage(s, id);
	f->is_expected = family_is_expected(s, id, &f->coverage);
	family_add_reason(&f->reason, s, id, &f->coverage);
}

int snapshot_info_read(struct snapshot_info *info, const struct snapshot *s)
{
	bool is_failed = false;

	*info = (struct snapshot_info){};
	for (size_t i = 0; i < s->thread_count; i++) {
		info->processes += s->threads[i].tid == s->threads[i].tgid;
		info->kernel_threads += s->threads[i].is_kernel_thread;
	}
	for (enum family_id id = 0; id < FAMILIES; id++) {
		cover(&info->families[id], s, id);
		is_failed |= info->families[id].reason.failed;
	}
	if (!is_failed)
		return 0;
	snapshot_info_finish(info);
	return err_no_memory();
}

void snapshot_info_finish(struct snapshot_info *info)
{
	for (size_t i = 0; i < FAMILIES; i++)
		str_finish(&info->families[i].reason);
	*info = (struct snapshot_info){};
}

const char *snapshot_unrecorded(const struct snapshot *s)
{
	return s->schema_version.is_known ? NULL : "not recorded by this older format";
}

/* Appends what failed for lack of a capability, and how to get it. */
static void add_right(struct str *out, const char *what, enum need_id id)
{
	str_addf(out, "%s%s: ", what, needs[id].lack);
	need_add_right(out, id);
}

/* Without rights, files of most processes are unreadable, not only of a few. */
static bool is_refused(const struct snapshot *s)
{
	const char *why = s->unread[M_rchar].reason;

	if (why && str_starts(why, IO_IN_SPITE))
		return false;
	return s->parse.by_file[FILE_IO] * 2 >= s->parse.tids_walked;
}

void snapshot_diagnose_parse(const struct snapshot *s, struct str *out)
{
	const struct parse_summary *p = &s->parse;

	if (!p->is_known)
		return;
	if (p->read_failures && p->kernel_config_dominant)
		str_add(out, "schedstat and io failures dominate: the " CONFIG_DOMINATES);
	else if (p->read_failures && is_refused(s))
		add_right(out, "files of other processes were not readable, ", NEED_SYS_PTRACE);
	else if (p->read_failures)
		str_add(out, "some are normal: threads exit during the walk, and some programs "
			     "shut their files");
	if (p->is_hiding)
		str_addf(out, "%s" PROCFS_HIDING, out->len ? "; " : "");
	if (p->negative_dotted_values)
		str_addf(out,
			 "%s%llu negative times (clock skew between CPUs) count as not "
			 "measured",
			 out->len ? "; " : "", ULL(p->negative_dotted_values));
	if (p->impossible_values)
		str_addf(out,
			 "%s%llu times were longer than the life of their thread allows (a fault "
			 "in the kernel's accounting) and count as not measured",
			 out->len ? "; " : "", ULL(p->impossible_values));
}

/* Returns whether any delay that kernel.task_delayacct enables was counted. */
static bool has_delays(const struct snapshot *s)
{
	for (size_t i = 0; i < s->thread_count; i++)
		for (int m = M_blkio_delay_count; m <= M_irq_delay_min_ns; m++)
			if (thread_has(&s->threads[i], m) && s->threads[i].values[m].u)
				return true;
	return false;
}

void snapshot_diagnose_taskstats(const struct snapshot *s, struct str *out)
{
	const struct need *on = &needs[NEED_DELAYACCT_ON];
	const struct taskstats_summary *t = &s->taskstats;

	if (!t->is_known && snapshot_unrecorded(s))
		return;
	if (s->parse.has_foreign_pids)
		str_add(out, "not asked: " PROCFS_FOREIGN);
	else if (!t->is_known)
		str_add(out, "taskstats was not asked: by --no-taskstats, or on a recorded tree");
	else if (t->eperm)
		add_right(out, "", NEED_NET_ADMIN);
	else if (s->parse.is_known && t->esrch && t->esrch * 2 >= s->parse.tids_walked)
		str_add(out, TASKSTATS_EXITED);
	else if (t->ok == 0)
		str_add(out, TASKSTATS_SILENT);
	else if (!has_delays(s) && t->delayacct.is_known && t->delayacct.value)
		str_addf(out,
			 "%s: these threads started before %s; start the workload again, and "
			 "capture again",
			 on->loss, on->name);
	else if (!has_delays(s))
		str_addf(out,
			 "%s: %s, or boot with delayacct; then start the workload again, and "
			 "capture again",
			 on->loss, on->fix);
}

void snapshot_diagnose_probe(const struct snapshot *s, struct str *out)
{
	const struct probe_summary *p = &s->probe;

	if (!p->is_known && snapshot_unrecorded(s))
		return;
	if (s->parse.has_foreign_pids)
		str_add(out, "not probed: " PROCFS_FOREIGN);
	else if (!p->is_known)
		str_add(out, "jemalloc was not probed: by --no-probe, or on a recorded tree");
	else if (p->privilege_dominant && p->has_ptrace)
		str_add(out,
			"ptrace was " PTRACE_IN_SPITE ": another tracer or user namespace, or a "
			"security module");
	else if (p->privilege_dominant) {
		add_right(out, "ptrace was refused, ", NEED_SYS_PTRACE);
		str_addf(out, ", or set %s", needs[NEED_PTRACE_SCOPE].name);
	} else if (p->not_inspected)
		str_addf(out,
			 "%llu process%s could not be inspected, so whether %s jemalloc is not "
			 "known: %s",
			 ULL(p->not_inspected), p->not_inspected == 1 ? "" : "es",
			 p->not_inspected == 1 ? "it uses" : "they use",
			 PTRACE_REFUSED(p->has_ptrace));
	else if (p->jemalloc_detected == 0)
		str_add(out, "no process with jemalloc was found; other allocators have no "
			     "per-thread counters");
	else if (p->dominant && str_eq(p->dominant, TAG_ONE_STOP))
		str_add(out, STOPS_LET_GO);
	else if (p->dominant && str_eq(p->dominant, TAG_UNBOUNDED))
		str_add(out, STOPS_UNBOUNDED);
	else if (p->failed)
		str_add(out, "some processes with jemalloc could not be read; "
			     "KTSTR_LOG=ctprof=debug capture tells which");
}
