/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Going through a run of sim in both directions. Forwards the plugin lets the guest run to its
 * next stop. Backwards the run is run again from its template: once to find the last stop before
 * the present position, and once more to stop there. A run is a function of its seed, so it is
 * the same run each time; that is checked by the instruction that is found at a position, and at
 * the end by the digest.
 */
#ifndef KTSTR_DEBUG_TRAVEL_H
#define KTSTR_DEBUG_TRAVEL_H

#include "base/base.h"
#include "trace/debug_format.h"
#include "vm/engine.h"
#include "vm/memory.h"
#include "vm/session.h"
#include "watch/space.h"

struct travel;

/* Who decides how to go on. */
struct travel_driver {
	int fd; /* that may have something to say while the guest runs; -1 = none */
	/*
	 * The guest stands still: one of the travel_...() below has been called when this returns
	 * 0; a negative errno ends the session.
	 */
	int (*stands)(void *ctx, struct travel *t);
	/* There is something at fd: travel_interrupt() may be called. */
	int (*hear)(void *ctx, struct travel *t);
	void *ctx;
};

enum travel_goal {
	TRAVEL_FORWARD,
	TRAVEL_SEARCH, /* for the last stop before a position */
	TRAVEL_RETURN, /* to a position that is known */
};

struct travel {
	struct vm_session session;
	const struct watch_layout *layout;
	struct travel_driver driver;
	const char *arguments; /* more of them for the plugin, each with a comma in front */

	enum travel_goal goal;
	struct debug_order order;
	struct debug_event target; /* of TRAVEL_RETURN */
	uint64_t expected_rip;	   /* at the position that it is run to; 0 = not known */
	bool is_again;		   /* the session is to be started again */
	int problem;		   /* a negative errno with a message, or 0 */

	/* Where it stands. */
	struct debug_stop stop;
	bool is_beginning; /* there is nothing before */

	/* Of the present session. */
	struct vm_watcher watcher;
	struct vm_plugin plugin;
	struct str option;
	int ours;
	struct debug_shared *shared;
	struct vm *vm;
	struct vm_memory memory;
	struct space space;
	bool has_space;
};

void travel_init(struct travel *t, const struct vm_session *session,
		 const struct watch_layout *layout, const char *arguments,
		 const struct travel_driver *driver);

/*
 * Runs from the beginning, by the first order, until the run has ended: 0 with its result. A
 * negative errno of the driver, or of a run that cannot be run.
 */
int travel_run(struct travel *t, const struct debug_order *first, struct vm_result *result);
void travel_finish(struct travel *t);

/* An order that never stops. */
struct debug_order travel_order(void);

/* How to go on from where it stands. Places and watches of the order are kept. */
void travel_forward(struct travel *t, const struct debug_order *order);
void travel_back(struct travel *t, const struct debug_order *order);
void travel_step_back(struct travel *t, uint64_t cpu_base);

/* The guest stops at its next instruction. */
void travel_interrupt(struct travel *t);

#endif
