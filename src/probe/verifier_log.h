/* SPDX-License-Identifier: GPL-2.0-only */
/* The verifier's words in what a scheduler printed, and the figures at their end. */
#ifndef KTSTR_PROBE_VERIFIER_LOG_H
#define KTSTR_PROBE_VERIFIER_LOG_H

#include "base/base.h"

/* One program's log; texts point into the whole and are not NUL-terminated. */
struct verifier_log {
	const char *program; /* NULL = not told */
	size_t program_len;
	const char *text;
	size_t len;
};

/*
 * The next program's log that libbpf framed, at or behind *cursor (start with 0).
 * False when there is none. A frame that has no end reaches to the end.
 */
bool verifier_log_next(const char *all, size_t len, size_t *cursor, struct verifier_log *out);

/* The last framed log, or all of it where nothing is framed. */
void verifier_log_last(const char *all, size_t len, struct verifier_log *out);

struct verifier_figures {
	bool has_processed; /* else there are no figures at all */
	uint64_t processed, total_states, peak_states;
	bool has_time, has_stack;
	uint64_t time_us;
	char stack[64]; /* "24+16": by function */
};

void verifier_log_figures(const char *text, size_t len, struct verifier_figures *out);

/* "processed=186  states=7/7  time=120us  stack=24", what is known of it. */
void verifier_figures_format(const struct verifier_figures *f, struct str *out);

#endif
