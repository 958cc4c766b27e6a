/* SPDX-License-Identifier: GPL-2.0-only */
/* What a reader must know before trusting a report's figures, one line each. */
#ifndef KTSTR_CTPROF_NOTES_H
#define KTSTR_CTPROF_NOTES_H

#include "ctprof/report.h"

enum note_level { NOTE_WARNING, NOTE_PLAIN };

struct note {
	enum note_level level;
	char *text;
};

struct notes {
	struct note *items;
	size_t count, cap;
	bool failed; /* out of memory: some are missing */
};

/* Warnings, the host line, and at the end which data families are incomplete. */
int notes_collect(struct notes *n, const struct report *r);
void notes_finish(struct notes *n);

#define _notes_ _cleanup_(notes_finish)

void notes_add(struct notes *n, enum note_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The families whose threads were not all measured. */
void notes_add_coverage(struct notes *n, const struct report *r);

#endif
