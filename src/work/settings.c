// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scheduling settings of a worker, applied by the worker itself. If the kernel refuses one,
 * the report says so: a worker that does not run as requested proves nothing.
 */
#include "work/worker.h"

#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE 6
#endif
#ifndef SCHED_EXT
#define SCHED_EXT 7
#endif

/* The kernel's struct sched_attr, which libc lacks or declares under the same name. */
struct scheduling {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime_ns, deadline_ns, period_ns;
	uint32_t util_min, util_max;
};

enum {
	FLAG_KEEP_POLICY = 0x08,
	FLAG_KEEP_PARAMS = 0x10,
	FLAG_UTIL_MIN = 0x20,
	FLAG_UTIL_MAX = 0x40,
};

#define UTIL_LIMIT 1024

static const struct {
	uint32_t number;
	const char *name;
} policies[] = {
	[KTSTR_POLICY_NORMAL] = { SCHED_OTHER, "SCHED_OTHER" },
	[KTSTR_POLICY_BATCH] = { SCHED_BATCH, "SCHED_BATCH" },
	[KTSTR_POLICY_IDLE] = { SCHED_IDLE, "SCHED_IDLE" },
	[KTSTR_POLICY_FIFO] = { SCHED_FIFO, "SCHED_FIFO" },
	[KTSTR_POLICY_RR] = { SCHED_RR, "SCHED_RR" },
	[KTSTR_POLICY_DEADLINE] = { SCHED_DEADLINE, "SCHED_DEADLINE" },
	[KTSTR_POLICY_EXT] = { SCHED_EXT, "SCHED_EXT" },
};

static const struct {
	int mode;
	const char *name;
	bool has_nodes;
} memory_modes[] = {
	[KTSTR_MEM_DEFAULT] = { 0, "default", false },
	[KTSTR_MEM_PREFERRED] = { 1, "preferred", true },
	[KTSTR_MEM_BIND] = { 2, "bind", true },
	[KTSTR_MEM_INTERLEAVE] = { 3, "interleave", true },
	[KTSTR_MEM_LOCAL] = { 4, "local", false },
	[KTSTR_MEM_PREFERRED_MANY] = { 5, "preferred_many", true },
	[KTSTR_MEM_WEIGHTED_INTERLEAVE] = { 6, "weighted_interleave", true },
};

/* ---- validation, before workers are forked ---- */

static int validate_policy(const struct ktstr_policy *p)
{
	if ((size_t)p->kind >= ARRAY_SIZE(policies))
		return err_set(EINVAL, "unknown scheduling policy %d", (int)p->kind);
	if (p->kind != KTSTR_POLICY_DEADLINE)
		return 0;
	if (p->runtime_ns == 0 || p->runtime_ns > p->deadline_ns || p->deadline_ns > p->period_ns)
		return err_set(EINVAL,
			       "deadline policy needs 0 < runtime <= deadline <= period, "
			       "got %llu, %llu, %llu ns",
			       ULL(p->runtime_ns), ULL(p->deadline_ns), ULL(p->period_ns));
	return 0;
}

static int validate_memory_flags(int flags)
{
	int known = KTSTR_MPOL_STATIC_NODES | KTSTR_MPOL_RELATIVE_NODES | KTSTR_MPOL_NUMA_BALANCING;

	if (flags & ~known)
		return err_set(EINVAL, "unknown memory policy flags 0x%x", flags & ~known);
	if ((flags & KTSTR_MPOL_STATIC_NODES) && (flags & KTSTR_MPOL_RELATIVE_NODES))
		return err_set(EINVAL, "memory policy flags static_nodes and relative_nodes "
				       "exclude each other");
	return 0;
}

/*
 * Parses the nodes of a memory policy; none for policies without nodes. Returns -EINVAL
 * with a message.
 */
static int policy_nodes(const struct ktstr_mem_policy *policy, struct cpulist *out)
{
	const char *text = policy->nodes ? policy->nodes : "";
	const char *name;
	int rc;

	*out = (struct cpulist){};
	if ((size_t)policy->kind >= ARRAY_SIZE(memory_modes))
		return err_set(EINVAL, "unknown memory policy %d", (int)policy->kind);
	if (!memory_modes[policy->kind].has_nodes)
		return 0;
	name = memory_modes[policy->kind].name;
	rc = cpulist_parse(text, out);
	if (rc == -ENOMEM)
		return err_no_memory();
	if (rc < 0)
		return err_set(EINVAL, "memory policy %s: '%s' is not a list of nodes", name, text);
	if (out->count == 0)
		return err_set(EINVAL, "memory policy %s needs at least one node", name);
	if (out->cpus[out->count - 1] < MEMORY_NODES_MAX)
		return 0;
	cpulist_finish(out);
	return err_set(EINVAL, "memory policy %s: node %s is too large", name, text);
}

int settings_validate(const struct ktstr_work *work)
{
	struct cpulist nodes;
	int rc = validate_policy(&work->sched_policy);

	if (rc < 0)
		return rc;
	if (work->uclamp_min > UTIL_LIMIT || work->uclamp_max > UTIL_LIMIT ||
	    (work->uclamp_max && work->uclamp_min > work->uclamp_max))
		return err_set(EINVAL, "uclamp needs 0 <= min <= max <= 1024, got %u, %u",
			       work->uclamp_min, work->uclamp_max);
	if (work->nice < -20 || work->nice > 19)
		return err_set(EINVAL, "nice must be within -20..19, got %d", work->nice);
	rc = validate_memory_flags(work->mpol_flags);
	if (rc < 0)
		return rc;
	rc = policy_nodes(&work->mem_policy, &nodes);
	cpulist_finish(&nodes);
	return rc;
}

/* ---- in the worker ---- */

/* The kernel also returns EINVAL if a cpuset or the online CPUs changed meanwhile, so try again. */
#define AFFINITY_TRIES 4

int worker_set_affinity(pid_t pid, const struct worker_cpus *cpus)
{
	long rc = -1;

	for (int i = 0; i < AFFINITY_TRIES && rc < 0 && (!i || errno == EINVAL); i++)
		rc = syscall(SYS_sched_setaffinity, pid, sizeof(cpus->bits), cpus->bits);
	return rc < 0 ? -errno : 0;
}

/* "0-3,5" */
static void format_cpus(const struct worker_cpus *cpus, struct str *out)
{
	unsigned int list[WORKER_MAX_CPUS];
	size_t count = 0;

	for (unsigned int cpu = 0; cpu < WORKER_MAX_CPUS; cpu++)
		if (worker_cpus_have(cpus, cpu))
			list[count++] = cpu;
	cpulist_format(list, count, out);
}

static void refuse_affinity(struct ktstr_worker *w, int errnum, const struct worker_cpus *cpus)
{
	_str_ struct str text = {};

	format_cpus(cpus, &text);
	worker_problem(w, errnum, "affinity to CPUs %s", str_get(&text));
}

static void apply_affinity(struct ktstr_worker *w, const struct worker_cpus *cpus)
{
	int rc;

	if (!cpus || atomic_load(&w->line->is_placed))
		return;
	rc = worker_set_affinity(0, cpus);
	if (rc < 0)
		refuse_affinity(w, -rc, cpus);
}

static int set_scheduling(pid_t pid, struct scheduling *s)
{
	s->size = sizeof(*s);
	return syscall(SYS_sched_setattr, pid, s, 0) < 0 ? -errno : 0;
}

/* nice is used only by policies that have it; for the others it is not set. */
static struct scheduling policy_of(const struct ktstr_work *work)
{
	const struct ktstr_policy *p = &work->sched_policy;
	struct scheduling s = { .policy = policies[p->kind].number, .nice = work->nice };

	if (p->kind == KTSTR_POLICY_FIFO || p->kind == KTSTR_POLICY_RR)
		s.priority = (uint32_t)MIN(MAX(p->priority, 1), 99);
	if (p->kind == KTSTR_POLICY_DEADLINE) {
		s.runtime_ns = p->runtime_ns;
		s.deadline_ns = p->deadline_ns;
		s.period_ns = p->period_ns;
	}
	return s;
}

int worker_set_policy(pid_t pid, const struct ktstr_work *work)
{
	struct scheduling s = policy_of(work);

	return set_scheduling(pid, &s);
}

static void apply_policy(struct ktstr_worker *w, const struct ktstr_work *work)
{
	const struct ktstr_policy *p = &work->sched_policy;
	struct scheduling s = policy_of(work);
	int rc;

	if ((p->kind == KTSTR_POLICY_NORMAL && work->nice == 0) ||
	    atomic_load(&w->line->has_policy))
		return;
	rc = set_scheduling(0, &s);
	if (rc == 0)
		return;
	if (s.priority)
		worker_problem(w, -rc, "policy %s %u", policies[p->kind].name, s.priority);
	else if (p->kind == KTSTR_POLICY_NORMAL)
		worker_problem(w, -rc, "nice %d", work->nice);
	else
		worker_problem(w, -rc, "policy %s", policies[p->kind].name);
}

static void apply_clamps(struct ktstr_worker *w, const struct ktstr_work *work)
{
	struct scheduling s = { .flags = FLAG_KEEP_POLICY | FLAG_KEEP_PARAMS,
				.util_min = work->uclamp_min,
				.util_max = work->uclamp_max };
	int rc;

	if (work->uclamp_min == 0 && work->uclamp_max == 0)
		return;
	s.flags |= FLAG_UTIL_MIN | (work->uclamp_max ? FLAG_UTIL_MAX : 0);
	rc = set_scheduling(0, &s);
	if (rc < 0)
		worker_problem(w, -rc, "uclamp %u..%u", work->uclamp_min, work->uclamp_max);
}

static void apply_memory_policy(struct ktstr_worker *w, const struct ktstr_work *work)
{
	const struct ktstr_mem_policy *p = &work->mem_policy;
	unsigned long mask[MEMORY_NODES_MAX / (8 * sizeof(unsigned long))] = {};
	const size_t bits = 8 * sizeof(mask[0]);
	unsigned long highest = 0;
	struct cpulist nodes;

	if (p->kind == KTSTR_MEM_DEFAULT || policy_nodes(p, &nodes) < 0)
		return;
	for (size_t i = 0; i < nodes.count; i++) {
		highest = nodes.cpus[i];
		mask[highest / bits] |= 1UL << highest % bits;
	}
	if (syscall(SYS_set_mempolicy, memory_modes[p->kind].mode | work->mpol_flags,
		    nodes.count ? mask : NULL, nodes.count ? highest + 2 : 0) < 0)
		worker_problem(w, errno, "memory policy %s %s", memory_modes[p->kind].name,
			       p->nodes ? p->nodes : "");
	cpulist_finish(&nodes);
}

void worker_set_name(const struct ktstr_worker *w)
{
	const struct workers_spec *spec = w->spec;
	char comm[WORKER_COMM_SIZE];

	if (spec->work->comm)
		prctl(PR_SET_NAME, spec->work->comm);
	else if (spec->name)
		prctl(PR_SET_NAME, worker_name(comm, sizeof(comm), spec->name, w->index));
}

void worker_apply_settings(struct ktstr_worker *w, const struct worker_cpus *affinity)
{
	const struct ktstr_work *work = w->spec->work;

	/*
	 * Without this, a timer may be 50 us late by default, which would look like the
	 * scheduler's fault.
	 */
	prctl(PR_SET_TIMERSLACK, 1);
	apply_affinity(w, affinity);
	apply_policy(w, work);
	apply_clamps(w, work);
	apply_memory_policy(w, work);
}
