/* SPDX-License-Identifier: GPL-2.0-only */
/* The stretch of time between two snapshots, as far as they tell. */
#ifndef KTSTR_CTPROF_WINDOW_H
#define KTSTR_CTPROF_WINDOW_H

#include "ctprof/select.h"

struct window {
	bool is_one_boot;      /* both say so: ticks of both can be subtracted */
	bool is_other_boot;    /* both say so: counters started anew */
	bool has_other_ticks;  /* both say so: clock ticks have different lengths */
	double now_ticks;      /* of the candidate */
	double interval_ticks; /* 0 when unknown */
	double seconds;	       /* 0 when unknown */
	double user_hz;	       /* of both; 0 when unknown or different */
};

struct window window_between(const struct snapshot_pair *pair);

/* Whether a thread of the candidate began after the baseline was taken. */
bool window_has_start(const struct window *w, const struct thread_record *t);

/* The share of the window that a thread of the candidate was alive. */
double window_alive(const struct window *w, uint64_t start_ticks);

#endif
