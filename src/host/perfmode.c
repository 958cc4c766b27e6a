// SPDX-License-Identifier: GPL-2.0-only
/* Pins threads, sets priorities, and reads the state of the machine. */
#include "host/plan.h"

#include <sched.h>

#define WARNING "performance_mode: WARNING: "
#define HUGEPAGE_MIB 2

int perfmode_pin(const pid_t *tids, const unsigned int *cpus, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int rc = affinity_set(tids[i], &cpus[i], 1);

		if (rc < 0)
			return err_sys(-rc, "pin thread %d to CPU %u", tids[i], cpus[i]);
	}
	return 0;
}

int perfmode_mask(const pid_t *tids, size_t count, const unsigned int *cpus, size_t cpu_count)
{
	for (size_t i = 0; i < count; i++) {
		int rc = affinity_set(tids[i], cpus, cpu_count);

		if (rc < 0)
			return err_sys(-rc, "keep thread %d to %zu CPUs", tids[i], cpu_count);
	}
	return 0;
}

int perfmode_set_fifo(const pid_t *tids, size_t count, int priority)
{
	const struct sched_param param = { .sched_priority = priority };

	for (size_t i = 0; i < count; i++) {
		if (sched_setscheduler(tids[i], SCHED_FIFO, &param) == 0)
			continue;
		if (errno != EPERM)
			return err_sys(errno, "make thread %d real-time", tids[i]);
		log_warn("host", WARNING "SCHED_FIFO is refused, threads run at ordinary priority; "
					 "raise the limit 'rtprio' or grant CAP_SYS_NICE");
		return 0;
	}
	return 0;
}

int perfmode_serve(unsigned int cpu, int priority)
{
	const pid_t self = 0;

	return perfmode_pin(&self, &cpu, 1) ?: perfmode_set_fifo(&self, 1, priority);
}

int perfmode_place_vcpus(const struct plan *plan, const pid_t *tids, size_t count)
{
	const struct run_mode_traits *traits = run_mode_traits(plan->mode);
	int rc;

	if (!plan->cpu_count)
		return 0;
	/* A single thread may run all vCPUs, and an overcommitted plan has fewer CPUs. */
	if (traits->pins_vcpus && !plan->is_overcommitted && plan->cpu_count >= count)
		rc = perfmode_pin(tids, plan->cpus, count);
	else
		rc = perfmode_mask(tids, count, plan->cpus, plan->cpu_count);
	if (rc < 0 || !traits->vcpu_priority)
		return rc;
	return perfmode_set_fifo(tids, count, traits->vcpu_priority);
}

static bool is_among(pid_t tid, const pid_t *tids, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (tids[i] == tid)
			return true;
	return false;
}

int perfmode_place_others(const struct plan *plan, pid_t pid, const pid_t *vcpus, size_t count)
{
	_closedir_ DIR *tasks = NULL;
	struct dirent *e;
	char path[64];

	if (!plan->has_service_cpu || !run_mode_traits(plan->mode)->service_priority)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && (e = readdir(tasks))) {
		uint64_t tid;
		int rc;

		if (parse_u64(e->d_name, &tid) < 0 || is_among((pid_t)tid, vcpus, count))
			continue;
		rc = affinity_set((pid_t)tid, &plan->service_cpu, 1);
		/* A worker thread may have ended meanwhile. */
		if (rc < 0 && rc != -ESRCH)
			return err_sys(-rc, "move thread %d to CPU %u", (int)tid,
				       plan->service_cpu);
	}
	return 0;
}

static struct host_number read_number(const char *base, const char *name)
{
	struct host_number n = {};

	n.is_known = root_read_u64(base, &n.value, "%s", name) == 0;
	return n;
}

/* Memory is bound to the plan's nodes, so only their pages count. */
static struct host_number free_hugepages(const struct plan *plan, const struct roots *roots)
{
	struct host_number sum = { .is_known = plan->node_count > 0 };

	for (size_t i = 0; i < plan->node_count && sum.is_known; i++) {
		uint64_t pages = 0;

		sum.is_known = root_read_u64(roots->sys, &pages,
					     "devices/system/node/node%u/hugepages/"
					     "hugepages-2048kB/free_hugepages",
					     plan->nodes[i]) == 0;
		sum.value += pages;
	}
	if (sum.is_known)
		return sum;
	return read_number(roots->sys, "kernel/mm/hugepages/hugepages-2048kB/free_hugepages");
}

static struct host_number procs_running(const struct roots *roots)
{
	static const char key[] = "\nprocs_running ";
	_str_ struct str stat = {};
	struct host_number n = {};
	const char *p;

	if (root_read(roots->proc, &stat, "stat") < 0)
		return n;
	p = strstr(str_get(&stat), key);
	if (!p)
		return n;
	p += strlen(key);
	n.is_known = parse_digits(&p, &n.value) == 0;
	return n;
}

void perfmode_read_facts(struct perfmode_facts *facts, const struct plan *plan,
			 const struct roots *roots)
{
	_str_ struct str source = {};

	*facts = (struct perfmode_facts){
		.hugepages_free = free_hugepages(plan, roots),
		.procs_running = procs_running(roots),
	};
	if (root_read_line(roots->sys, &source,
			   "devices/system/clocksource/clocksource0/current_clocksource") == 0)
		facts->clocksource = str_take(&source);
}

void perfmode_facts_finish(struct perfmode_facts *facts)
{
	free(facts->clocksource);
	*facts = (struct perfmode_facts){};
}

static uint64_t pages_for(uint64_t memory_mib)
{
	return memory_mib / HUGEPAGE_MIB + memory_mib % HUGEPAGE_MIB;
}

bool perfmode_has_hugepages(const struct perfmode_facts *facts, uint64_t memory_mib)
{
	return facts->hugepages_free.is_known &&
	       facts->hugepages_free.value >= pages_for(memory_mib);
}

static void add_hugepage_warning(const struct perfmode_facts *facts, uint64_t memory_mib,
				 struct str *out)
{
	unsigned long long need = pages_for(memory_mib);
	unsigned long long have = facts->hugepages_free.value;

	if (!facts->hugepages_free.is_known || !have)
		str_addf(out,
			 WARNING "no 2MB hugepages are free, guest memory uses ordinary pages; "
				 "reserve %llu with: sysctl vm.nr_hugepages=%llu\n",
			 need, need);
	else
		str_addf(out,
			 WARNING "only %llu of %llu 2MB hugepages are free, guest memory uses "
				 "ordinary pages; reserve more with: sysctl vm.nr_hugepages\n",
			 have, need);
}

/* On x86, the kernel switches from tsc to another source if it finds it unstable. */
static bool is_clock_stable(const char *source)
{
	return !source || str_eq(source, "tsc") || str_eq(source, "arch_sys_counter");
}

void perfmode_add_warnings(const struct perfmode_facts *facts, size_t vcpus, uint64_t memory_mib,
			   struct str *out)
{
	/* This process is one of the running ones. */
	uint64_t others = facts->procs_running.value - (facts->procs_running.value > 0);

	if (!perfmode_has_hugepages(facts, memory_mib))
		add_hugepage_warning(facts, memory_mib, out);
	if (facts->procs_running.is_known && others > vcpus / 2)
		str_addf(out,
			 WARNING "%llu other processes are running beside %zu vCPUs; a busy "
				 "machine makes figures vary\n",
			 ULL(others), vcpus);
	if (!is_clock_stable(facts->clocksource))
		str_addf(out,
			 WARNING "the clock source is %s, so the TSC is unstable or not trusted; "
				 "times are less exact\n",
			 facts->clocksource);
}
