/* SPDX-License-Identifier: GPL-2.0-only */
/* Run queues, dispatch queues, tasks, maps and programs of one moment, read and as JSON. */
#ifndef KTSTR_WATCH_MOMENT_H
#define KTSTR_WATCH_MOMENT_H

#include "watch/chase.h"
#include "watch/domains.h"
#include "watch/programs.h"
#include "watch/queues.h"
#include "watch/sample.h"

struct vcpus;

/*
 * Clocks of run queues stand still in a guest that hangs with interrupts disabled, or idles: since when, by
 * a clock that goes on, as far as samples tell. All 0 = nothing was seen yet.
 */
struct moment_still {
	uint64_t clock_ns, since_ns;
};

struct moment {
	const char *trigger;	    /* "scheduler exit", "on demand" */
	uint64_t tag;		    /* of one on demand */
	const char *name;	    /* NULL = the tag is its name */
	struct moment_still *still; /* of earlier samples, and goes on; NULL = nobody knows */
	uint64_t outer_ns;	    /* the clock that goes on; 0 = not known */
	uint64_t now_ns;	    /* the guest's clock, with the time that it stood still */
	const struct guest_sample *sample;
	const struct queues *queues;
	const struct domains *domains; /* or NULL */
	const struct maps *maps;       /* NULL, both: they are told elsewhere */
	const struct programs *programs;
	struct space *space;		 /* for pointers of the maps' values */
	const struct chase_types *types; /* the same; NULL = nothing is known besides the maps */
	const struct vcpus *vcpus;	 /* empty = QEMU was not asked; of a dump */
	uint64_t unreadable;
};

/* What is read for a moment besides its sample. */
struct moment_parts {
	struct queues queues;
	struct domains domains; /* with maps: for those who look once */
	struct maps maps;
	struct programs programs;
};

/*
 * Takes the sample and reads the rest; of maps nothing without has_maps. -ENODATA when no CPU can
 * be read: there is no such moment. The parts are to be finished in any case.
 */
int moment_read(struct moment *m, struct moment_parts *parts, struct guest_sample *sample,
		struct space *space, bool has_maps);
void moment_parts_finish(struct moment_parts *parts);

/* The guest's clock: the latest that any run queue has seen. */
uint64_t moment_clock(const struct guest_sample *sample);
/* The same with how long it has stood still by now, and remembers it. */
uint64_t moment_still_clock(struct moment_still *s, const struct guest_sample *sample,
			    uint64_t outer_ns);

/* Members of the object that is being written: maps and programs. The guest still stands still. */
void moment_put_bpf(const struct moment *s, struct json *j);

void moment_to_json(const struct moment *s, struct json *j);

/* Appends to the text of a file of snapshots, which is whole after each of them. */
int moment_add_to_file(const struct moment *s, struct str *text);

#endif
