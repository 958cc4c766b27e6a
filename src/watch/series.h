/* SPDX-License-Identifier: GPL-2.0-only */
/* The samples of a run, and how they get from the process that took them to those that judge. */
#ifndef KTSTR_WATCH_SERIES_H
#define KTSTR_WATCH_SERIES_H

#include "watch/programs.h"
#include "watch/sample.h"

#define SERIES_PERIOD_NS 100000000ULL
#define SERIES_BUDGET_NS (10 * NSEC_PER_MSEC)
#define SERIES_MAX_SAMPLES 36000 /* an hour */
#define SERIES_PROBLEM 160

/* A BPF program of the scheduler, and how often and how long it ran while there were samples. */
struct series_program {
	char name[PROGRAMS_NAME + 1];
	uint64_t calls, ns;
};

struct series {
	size_t cpu_count;
	bool is_exact; /* taken at stops of a sim: no host was in between */
	VEC(struct guest_sample) samples;
	VEC(struct series_program) programs; /* whose calls are counted */
	uint64_t unreadable;		     /* reads that failed */
	uint64_t left_out;		     /* samples for which there was no room */
	uint64_t overruns;		     /* samples that took longer than SERIES_BUDGET_NS */
	char problem[SERIES_PROBLEM];	     /* why nothing could be watched; "" = it could */
};

/* Appends a copy with its own CPUs. */
int series_add(struct series *s, const struct guest_sample *sample);
void series_finish(struct series *s);

/* Calls from the first sample to the last: what was known of the programs then. */
int series_set_programs(struct series *s, const struct programs *first,
			const struct programs *last);

/* As bytes for another process of this program, and back. -EINVAL when they are none. */
int series_encode(const struct series *s, struct str *out);
int series_decode(struct series *s, const char *data, size_t len);

#endif
