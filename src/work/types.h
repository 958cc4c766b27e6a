/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of work types as workers see it: how each is prepared, done once, cleaned up. */
#ifndef KTSTR_WORK_TYPES_H
#define KTSTR_WORK_TYPES_H

#include "work/worker.h"

struct work_type_row {
	struct work_type_info info;
	/* 0, or a negative errno with a problem: then this worker cannot work. May be NULL. */
	int (*prepare)(struct ktstr_worker *w);
	void (*iterate)(struct ktstr_worker *w); /* NULL = KTSTR_CUSTOM */
	void (*finish)(struct ktstr_worker *w);	 /* may be NULL */
	unsigned int pipes;			 /* that a team shares */
	unsigned int events;			 /* eventfds that a team shares */
	bool has_messenger;			 /* the team's first worker */
};

const struct work_type_row *work_type_row(enum ktstr_work_kind kind);

/* The argument as given, or its default. */
uint64_t work_type_arg(const struct ktstr_work_type *type, unsigned int i);

/* The functions of the table, by file. */
#define WORK_ITERATE(name) void name##_iterate(struct ktstr_worker *w)
#define WORK_PREPARE(name) int name##_prepare(struct ktstr_worker *w)
#define WORK_FINISH(name) void name##_finish(struct ktstr_worker *w)

/* type_spin.c */
WORK_ITERATE(cpu_spin);
WORK_ITERATE(yield_heavy);
WORK_ITERATE(mixed);
WORK_ITERATE(bursty);

#endif
