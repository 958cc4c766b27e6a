/* SPDX-License-Identifier: GPL-2.0-only */
/* A worker that is no process of its own: the test calls what it does. */
#ifndef KTSTR_WORKER_BY_HAND_H
#define KTSTR_WORKER_BY_HAND_H

#include <unistd.h>

#include "work/types.h"
#include "work/worker.h"

static struct workers_shared shared;
static struct worker_line lines[2];
static struct worker_report *report;
static struct ktstr_work work;
static struct workers_spec spec;
static struct ktstr_worker w;

static int set_up(void **state)
{
	(void)state;
	shared = (struct workers_shared){};
	memset(lines, 0, sizeof(lines));
	report = calloc(1, sizeof(*report));
	work = (struct ktstr_work){};
	spec = (struct workers_spec){ .work = &work };
	w = (struct ktstr_worker){ .shared = &shared,
				   .line = &lines[0],
				   .lines = lines,
				   .report = report,
				   .spec = &spec };
	worker_begin(&w);
	return report ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	close(w.schedstat_fd);
	free(w.state);
	free(report);
	return 0;
}

static inline void stop(void)
{
	atomic_store(&shared.stop, 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

#endif
