/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What gdb asks of a guest that stands still, and the answers. Threads are CPUs, from 1 on.
 * A run that is written to is not the same any more: only who asked for it may do so.
 */
#ifndef KTSTR_DEBUG_SERVER_H
#define KTSTR_DEBUG_SERVER_H

#include "base/base.h"
#include "trace/debug_format.h"

/* The guest. False = it cannot be read. */
struct server_guest {
	size_t cpu_count;
	bool (*registers)(void *ctx, unsigned int cpu, uint64_t out[DEBUG_REGISTER_COUNT]);
	/* As many bytes from the beginning as can be read, as this CPU sees them. */
	size_t (*memory)(void *ctx, unsigned int cpu, uint64_t address, void *out, size_t len);
	/* False = not all of it is memory. */
	bool (*write)(void *ctx, unsigned int cpu, uint64_t address, const void *data, size_t len);
	void (*cpu_name)(void *ctx, unsigned int cpu, struct str *out);
	/* A command of ours, see monitor.h. */
	void (*monitor)(void *ctx, const char *command, struct str *out);
	void *ctx;
};

/* What gdb wants after its answer. */
enum server_next {
	SERVER_STAY,
	SERVER_CONTINUE,
	SERVER_STEP,
	SERVER_BACK,
	SERVER_STEP_BACK,
	SERVER_LEAVE, /* it wants no more */
};

struct server {
	const struct server_guest *guest;
	const struct debug_stop *stop; /* where it stands */
	bool is_beginning;	       /* of the run */
	bool may_write;		       /* to memory */
	bool is_written;	       /* it was */
	const char *note;	       /* for the user, whom gdb does not tell; NULL = none */
	bool no_ack;		       /* packets are not acknowledged any more */
	unsigned int asked_cpu;	       /* whose registers and memory are meant */
	unsigned int step_cpu;	       /* of SERVER_STEP and SERVER_STEP_BACK */
	uint32_t place_count, watch_count;
	uint64_t places[DEBUG_MAX_PLACES];
	struct debug_watch watches[DEBUG_MAX_WATCHES];
};

/* The guest stands somewhere else now. */
void server_set_stop(struct server *s, const struct debug_stop *stop, bool is_beginning);

/* The data of a packet; it must end with a NUL that is not counted. */
enum server_next server_answer(struct server *s, const char *data, size_t len, struct str *reply);

/* Why it stands still. */
void server_add_stop(const struct server *s, struct str *reply);

#endif
