// SPDX-License-Identifier: GPL-2.0-only
/* Reports of quiet workers: tids from 100 on, 2 s of which they had half a CPU each. */
#include "unit.h"

#include "report_maker.h"

static struct worker_report *quiet_worker(unsigned int index)
{
	struct worker_report *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->tid = 100 + (pid_t)index;
	w->index = index;
	w->has_started = true;
	w->total = (struct worker_counts){
		.wall_time_ns = 2000000000,
		.cpu_time_ns = 1000000000,
		.work_units = 1024000,
		.iterations = 1000,
		.migrations = 2,
		.max_gap_ns = 20000000,
		.max_gap_at_ns = 500000000,
		.max_gap_cpu = (int)index % 2,
		.has_run_delay = true,
		.run_delay_ns = 900000000,
	};
	histogram_init(&w->total.wakes);
	histogram_init(&w->total.timers);
	worker_cpus_add(&w->total.cpus_used, 0);
	worker_cpus_add(&w->total.cpus_used, 1);
	return w;
}

void made_init(struct made_cgroup *m, size_t workers)
{
	*m = (struct made_cgroup){};
	for (size_t i = 0; i < workers; i++) {
		m->reports[i] = quiet_worker((unsigned int)i);
		m->list[i] = m->reports[i];
	}
	worker_cpus_add(&m->cpuset, 0);
	worker_cpus_add(&m->cpuset, 1);
	m->cgroup = (struct judged_cgroup){
		.name = "cg_0",
		.reports = m->list,
		.count = workers,
		.cpuset = &m->cpuset,
	};
}

void made_finish(struct made_cgroup *m)
{
	for (size_t i = 0; i < MADE_WORKERS; i++)
		free(m->reports[i]);
}

const char *only_detail(const struct ktstr_result *r, enum detail_kind kind)
{
	const char *found = NULL;

	for (size_t i = 0; i < r->details.count; i++) {
		if (r->details.items[i].kind != kind)
			continue;
		assert_null(found);
		found = r->details.items[i].message;
	}
	assert_non_null(found);
	return found;
}
