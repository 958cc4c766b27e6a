/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds verifier logs in the output of a scheduler, and the figures at their end. */
#ifndef KTSTR_PROBE_VERIFIER_LOG_H
#define KTSTR_PROBE_VERIFIER_LOG_H

#include "base/base.h"

/* Log of one program; strings point into the whole text and are not NUL-terminated. */
struct verifier_log {
	const char *program; /* NULL = unknown */
	size_t program_len;
	const char *text;
	size_t len;
};

/*
 * The next log framed by libbpf at or after *cursor (start with 0). False if there is none. A frame
 * without an end extends to the end of the text.
 */
bool verifier_log_next(const char *all, size_t len, size_t *cursor, struct verifier_log *out);

/* The last framed log, or the whole text if nothing is framed. */
void verifier_log_last(const char *all, size_t len, struct verifier_log *out);

struct verifier_figures {
	bool has_processed; /* false = no figures at all */
	uint64_t processed, total_states, peak_states;
	bool has_time, has_stack;
	uint64_t time_us;
	char stack[64]; /* "24+16": per function */
};

void verifier_log_figures(const char *text, size_t len, struct verifier_figures *out);

/* Appends "processed=186  states=7/7  time=120us  stack=24", as far as known. */
void verifier_figures_format(const struct verifier_figures *f, struct str *out);

#endif
