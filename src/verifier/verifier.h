/* SPDX-License-Identifier: GPL-2.0-only */
/* Logs of the BPF verifier in the output of a scheduler: their figures, and their loops folded. */
#ifndef KTSTR_VERIFIER_VERIFIER_H
#define KTSTR_VERIFIER_VERIFIER_H

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

/*
 * Makes verifier logs readable: the verifier walks an unrolled loop once per iteration and prints
 * all of it each time. Repeated blocks become
 *
 *         --- 8x of the following 12 lines ---
 *         the first block
 *         --- 6 identical iterations omitted ---
 *         the last block
 *         --- end repeat ---
 *
 * Blocks are equal if their instructions are, whatever the register contents.
 *
 * Appends the collapsed log, with NUL bytes as '?'. Returns the number of cycles found, or -ENOMEM
 * with a message. The time is linear in the number of lines.
 */
int collapse_log(const char *text, size_t len, struct str *out);

/*
 * Finds the part of a line that is compared: without register contents and, for comparing blocks
 * (is_block), without the instruction's number, for which *start is advanced. Returns its length.
 */
size_t collapse_normalise(const char **start, size_t len, bool is_block);

#endif
