/* SPDX-License-Identifier: GPL-2.0-only */
/* What CPUs did while a task waited that they could have run. */
#ifndef KTSTR_REPRO_STORY_CPUS_H
#define KTSTR_REPRO_STORY_CPUS_H

#include "repro/story.h"

/* Each record in order; those of a story without a wait are passed over. */
void story_cpus_take(struct story *s, const struct trace_record *r);
/* When all are there. */
void story_cpus_finish(struct story *s);

#endif
