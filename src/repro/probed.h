/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Automatic reproduction where a run cannot be repeated exactly: a second run in the same mode with
 * BPF probes in it, and the story from what they left. The events are those of a trace, so that
 * the story is the one that sim has, without the lines that were executed.
 */
#ifndef KTSTR_REPRO_PROBED_H
#define KTSTR_REPRO_PROBED_H

#include "repro/repro.h"

struct repro_probed {
	const struct btf *types; /* of the kernel */
	size_t cpu_count;
	struct repro_cause cause;  /* of the second run; without a message the records tell */
	const struct str *report;  /* JSON, guest/protocol.h */
	const struct str *records; /* trace/format.h; none = they are lost */
	const struct source_lines *lines; /* of the kernel's source; or NULL */
};

/* The kind with which the kernel threw the scheduler out, by the report; 0 = it did not. */
uint64_t repro_probed_exit(const struct str *report);

/*
 * Adds to pipeline, text and json. 1 when there is a story, 0 when nothing happened that could be
 * told; a negative errno with a sentence for what is not a report.
 */
int repro_probed_tell(const struct repro_probed *q, struct repro_report *out);

#endif
