/* SPDX-License-Identifier: GPL-2.0-only */
/* Run queues, dispatch queues, tasks, maps and programs of one moment as JSON. */
#ifndef KTSTR_WATCH_MOMENT_H
#define KTSTR_WATCH_MOMENT_H

#include "base/json.h"
#include "watch/maps.h"
#include "watch/programs.h"
#include "watch/queues.h"
#include "watch/sample.h"
#include "watch/vcpu.h"

struct moment {
	const char *trigger; /* "scheduler exit", "on demand" */
	uint64_t tag;	     /* of one on demand */
	const struct guest_sample *sample;
	const struct queues *queues;
	const struct maps *maps; /* NULL, both: they are told elsewhere */
	const struct programs *programs;
	const struct vcpus *vcpus; /* empty = QEMU was not asked */
	uint64_t unreadable;
};

/* The guest's clock: the latest that any run queue has seen. */
uint64_t moment_clock(const struct guest_sample *sample);

/* Members of the object that is being written: maps and programs. */
void moment_put_bpf(const struct moment *s, struct json *j);

void moment_to_json(const struct moment *s, struct json *j);

#endif
