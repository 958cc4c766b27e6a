// SPDX-License-Identifier: GPL-2.0-only
/* Stores data at the end of a scheduler. */
#include "repro/parts.h"

#define MAX_TASKS 1024

static int take_tasks(struct repro_scene *s, const struct moment *m)
{
	size_t count = MIN(m->queues->runnable.count, MAX_TASKS);
	int rc = 0;

	s->time_ns = moment_clock(m->sample);
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = vec_push(&s->runnable, m->queues->runnable.items[i]);
	return rc;
}

void repro_scene_take(void *ctx, struct space *space, const struct moment *m)
{
	struct repro_scene *s = ctx;
	int rc;

	prog_lines_finish(&s->programs);
	rc = prog_lines_of_schedulers(&s->programs, space);
	if (rc == 0 && m)
		rc = take_tasks(s, m);
	if (rc < 0) /* the failure stays unexplained */
		err_clear();
}

void repro_scene_finish(struct repro_scene *s)
{
	prog_lines_finish(&s->programs);
	free(s->runnable.items);
	*s = (struct repro_scene){};
}
