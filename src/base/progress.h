/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Progress of long operations on stderr: a bar that is redrawn in place on a terminal, otherwise an
 * occasional line; nothing with --quiet.
 */
#ifndef KTSTR_BASE_PROGRESS_H
#define KTSTR_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	const char *what; /* "ktstr: capturing" */
	uint64_t total;	  /* 0 = unknown */
	uint64_t drawn_ns, interval_ns;
	bool on_terminal;
	bool shown; /* a bar is visible and must be wiped */
};

void progress_set_quiet(bool quiet);

void progress_start(struct progress *p, const char *what, uint64_t total);
void progress_update(struct progress *p, uint64_t done);

/* Wipes the bar; the caller reports what was done. */
void progress_end(struct progress *p);

#endif
