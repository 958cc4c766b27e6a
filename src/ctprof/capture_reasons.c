// SPDX-License-Identifier: GPL-2.0-only
/*
 * Determines reasons by metric. A value is missing because its file could not be read, or because
 * the kernel did not print it; the errors of all threads together show which.
 */
#include "ctprof/capture_parts.h"

#include <linux/capability.h>

#include "ctprof/procfs_view.h"

#define ERRNOS 256 /* an errno in a record is one byte */

struct reasons {
	const struct snapshot *s;
	const struct capture_opts *o;
	uint64_t missing[METRIC_COUNT];
	uint64_t file_errors[SNAPSHOT_FILES][ERRNOS];
	uint64_t taskstats_errors[ERRNOS];
	uint64_t without_delays; /* threads that answered, and had none counted */
	bool counts_irq_time;
	uint64_t impossible[METRIC_COUNT];
	const char *schedstats_off; /* why the kernel writes no statistics, or NULL */
	const char *jemalloc_tag;   /* jemalloc-not-found if any thread has it, or the first */
};

/* Counts consecutive threads that lack the same metrics together: usually all do. */
static void count_missing(struct reasons *r, const uint64_t measured[static MEASURED_WORDS],
			  uint64_t threads)
{
	for (int id = 0; threads && id < METRIC_COUNT; id++)
		if (!(measured[id / 64] >> (id % 64) & 1))
			r->missing[id] += threads;
}

static void count_errors(struct reasons *r, const struct thread_record *t)
{
	for (size_t i = 0; i < SNAPSHOT_FILES; i++)
		r->file_errors[i][t->unread[i]]++;
	r->taskstats_errors[t->unread_taskstats]++;
	r->without_delays += t->taskstats_measured && !t->delay_block_active;
	if (t->unread_jemalloc &&
	    (!r->jemalloc_tag || str_eq(t->unread_jemalloc, "jemalloc-not-found")))
		r->jemalloc_tag = t->unread_jemalloc;
}

static void count_threads(struct reasons *r)
{
	const struct snapshot *s = r->s;
	uint64_t same = 0, followers = 0;

	for (size_t i = 0; i < s->thread_count; i++) {
		const struct thread_record *t = &s->threads[i];

		if (i && memcmp(t->measured, t[-1].measured, sizeof(t->measured)) != 0) {
			count_missing(r, t[-1].measured, same);
			same = 0;
		}
		same++;
		followers += t->tid != t->tgid && !t->unread[FILE_STATUS];
		count_errors(r, t);
	}
	if (s->thread_count)
		count_missing(r, s->threads[s->thread_count - 1].measured, same);
	/* thread_count is never stored, so it is not missing. */
	r->missing[M_thread_count] = 0;
	r->missing[M_nr_threads] -= MIN(followers, r->missing[M_nr_threads]);
}

/* The most frequent errno; 0 = there were no errors. */
static int dominant_errno(const uint64_t counts[static ERRNOS], uint64_t *total)
{
	int best = 0;

	*total = 0;
	for (int i = 1; i < ERRNOS; i++) {
		*total += counts[i];
		if (counts[i] && (!best || counts[i] > counts[best]))
			best = i;
	}
	return best;
}

#define NO_FILE(option) "no such file: " LACK_OPTION(option) ", or the thread exited"

static const struct {
	enum snapshot_file file;
	int error;
	const char *reason;
} file_reasons[] = {
	{ FILE_IO, ENOENT, NO_FILE("TASK_IO_ACCOUNTING") },
	{ FILE_SCHEDSTAT, ENOENT, NO_FILE("SCHED_INFO") },
	{ FILE_SCHED, ENOENT, NO_FILE("SCHED_DEBUG") },
};

static const char *file_reason(enum snapshot_file file, int error)
{
	if (file == FILE_IO && (error == EACCES || error == EPERM))
		return lacks_capability(CAP_SYS_PTRACE) ?
			       "permission denied: io needs the same user or CAP_SYS_PTRACE" :
			       IO_IN_SPITE ": another user namespace, or a security module";
	for (size_t i = 0; i < ARRAY_SIZE(file_reasons); i++)
		if (file_reasons[i].file == file && file_reasons[i].error == error)
			return file_reasons[i].reason;
	return error == ESRCH || error == ENOENT ? "the thread exited during the capture" :
						   strerror(error);
}

/* Why the kernel writes no schedstats; NULL = it does, so there is another reason. */
static const char *schedstats_off(const struct capture_opts *o)
{
	_running_config_ struct running_config config = {};
	uint64_t value;

	if (root_read_u64(o->roots.proc, &value, "sys/kernel/sched_schedstats") == 0)
		return value ? NULL : needs[NEED_SCHEDSTATS_ON].lack;
	if (roots_is_live(&o->roots)) /* a kernel with schedstats has the sysctl */
		return needs[NEED_SCHEDSTATS].lack;
	if (running_config_read(&config, o->roots.proc, NULL) < 0)
		err_clear();
	switch (running_config_get(&config, needs[NEED_SCHEDSTATS].name)) {
	case OPTION_OFF:
		return needs[NEED_SCHEDSTATS].lack;
	case OPTION_ON:
		return needs[NEED_SCHEDSTATS_ON].lack;
	default:
		return NEED_SYSCTL_SCHEDSTATS "=0 or " LACK_OPTION("SCHEDSTATS");
	}
}

static const char *absent_key_reason(const struct reasons *r, const struct metric *m)
{
	if (m->gates & GATE_SCHED_CLASS_EXT)
		return needs[NEED_SCHED_CLASS_EXT].lack;
	if (m->gates & (GATE_SCHEDSTATS | GATE_SCHED_CORE) && r->schedstats_off)
		return r->schedstats_off;
	if (m->gates & GATE_SCHED_CORE)
		return needs[NEED_SCHED_CORE].lack;
	if (m->class == CLASS_FAIR_POLICY)
		return "written for threads of a fair policy only";
	return "not in this kernel's file, or not a number";
}

static int source_file(enum metric_source source)
{
	switch (source) {
	case METRIC_FROM_STAT:
		return FILE_STAT;
	case METRIC_FROM_SCHEDSTAT:
		return FILE_SCHEDSTAT;
	case METRIC_FROM_STATUS:
	case METRIC_FROM_AFFINITY:
		return FILE_STATUS;
	case METRIC_FROM_SCHED:
		return FILE_SCHED;
	case METRIC_FROM_IO:
		return FILE_IO;
	default:
		return -1;
	}
}

static const char *procfs_reason(const struct reasons *r, int id)
{
	enum snapshot_file file = (enum snapshot_file)source_file(metrics[id].source);
	uint64_t failures;
	int error = dominant_errno(r->file_errors[file], &failures);

	return error && failures * 2 >= r->missing[id] ? file_reason(file, error) :
							 absent_key_reason(r, &metrics[id]);
}

static const char *delay_reason(const struct reasons *r, int id)
{
	const struct opt_u64 *delayacct = &r->s->taskstats.delayacct;

	if (!delayacct->is_known)
		return needs[NEED_TASK_DELAY_ACCT].lack;
	if (metrics[id].gates & GATE_IRQ_TIME_ACCOUNTING && !r->counts_irq_time)
		return needs[NEED_IRQ_TIME_ACCOUNTING].lack;
	if (!str_eq(metrics[id].key, "cpu") && !delayacct->value)
		return needs[NEED_DELAYACCT_ON].lack;
	if (!str_eq(metrics[id].key, "cpu") && r->without_delays * 2 >= r->missing[id])
		return "started before task_delayacct=1 (or never delayed)";
	return "not in this kernel's version of struct taskstats";
}

static const char *taskstats_reason(const struct reasons *r, int id)
{
	const struct thread_record *t = &r->s->threads[0];
	const struct metric *m = &metrics[id];
	uint64_t failures;
	int error = dominant_errno(r->taskstats_errors, &failures);

	if (r->o->no_taskstats)
		return "not asked for: --no-taskstats";
	if (r->o->has_foreign_pids)
		return PROCFS_FOREIGN;
	if (!r->s->taskstats.is_known)
		return "no netlink for a recorded tree";
	if (error && failures * 2 >= r->missing[id])
		return error == EPERM ? needs[NEED_NET_ADMIN].lack :
		       error == ESRCH ? "the thread exited during the capture" :
					strerror(error);
	if (!r->s->taskstats.ok)
		return needs[NEED_TASKSTATS].lack;
	if (m->index == TASKSTATS_HIWATER)
		return t->xacct_active ? "the process exited, and its memory is gone" :
					 needs[NEED_TASK_XACCT].lack;
	return delay_reason(r, id);
}

#define NOT_INSPECTED "processes of others could not be inspected: "

static const char *jemalloc_reason(const struct reasons *r)
{
	if (r->o->no_probe)
		return "not asked for: --no-probe";
	if (r->o->has_foreign_pids)
		return PROCFS_FOREIGN;
	if (!r->s->probe.is_known)
		return "no ptrace for a recorded tree";
	/* If most processes are inaccessible, that is the reason, not a process that has exited. */
	if (r->s->probe.not_inspected > r->s->probe.failed)
		return r->s->probe.has_ptrace ? NOT_INSPECTED PTRACE_IN_SPITE :
						NOT_INSPECTED LACK_CAPABILITY("SYS_PTRACE");
	if (r->s->probe.dominant)
		return r->s->probe.dominant;
	return r->jemalloc_tag ? r->jemalloc_tag : "not probed";
}

static const char *find_reason(const struct reasons *r, int id)
{
	/* At this point it is the number of negative values. */
	if (r->s->unread[id].threads && r->s->unread[id].threads * 2 >= r->missing[id])
		return "below zero: clock skew between CPUs";
	if (r->impossible[id] && r->impossible[id] * 2 >= r->missing[id])
		return IMPOSSIBLE_REASON;
	switch (metrics[id].source) {
	case METRIC_FROM_TASKSTATS:
		return taskstats_reason(r, id);
	case METRIC_FROM_JEMALLOC:
		return jemalloc_reason(r);
	default:
		return procfs_reason(r, id);
	}
}

/* Refusals are due to missing rights, all other errors to the configuration of the kernel. */
static uint64_t count_refusals(const struct reasons *r, enum snapshot_file file)
{
	return r->file_errors[file][EACCES] + r->file_errors[file][EPERM];
}

static void judge_parse(struct snapshot *s, const struct reasons *r)
{
	struct parse_summary *p = &s->parse;
	uint64_t config = p->by_file[FILE_IO] + p->by_file[FILE_SCHEDSTAT] -
			  count_refusals(r, FILE_IO) - count_refusals(r, FILE_SCHEDSTAT);
	size_t dominant = 0;

	for (size_t i = 1; i < SNAPSHOT_FILES; i++)
		if (p->by_file[i] > p->by_file[dominant])
			dominant = i;
	p->dominant = p->by_file[dominant] ? snapshot_file_names[dominant] : NULL;
	p->kernel_config_dominant = config && config * 2 >= p->read_failures;
}

void capture_find_reasons(struct snapshot *s, const struct capture_opts *o)
{
	struct reasons r = { .s = s,
			     .o = o,
			     .schedstats_off = schedstats_off(o),
			     .counts_irq_time = kernel_counts_irq_time(o->roots.proc, "/boot") };

	s->parse.impossible_values = impossible_drop(s, r.impossible);
	count_threads(&r);
	for (int id = 0; id < METRIC_COUNT; id++)
		s->unread[id] = (struct metric_unread){ r.missing[id], r.missing[id] ?
									       find_reason(&r, id) :
									       NULL };
	judge_parse(s, &r);
}
