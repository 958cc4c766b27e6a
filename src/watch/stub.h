/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * QEMU's gdb stub, on a socket that nobody else has: where no plugin sees writes it sets the
 * processor's watchpoints. While it has any, the guest is told through it to go on, as it speaks of the next stop only then.
 */
#ifndef KTSTR_WATCH_STUB_H
#define KTSTR_WATCH_STUB_H

#include "trace/format.h"
#include "watch/packet.h"

struct stub {
	int ours, theirs; /* ends of the socket; -1 = there is none */
	struct packets packets;
	struct trace_watch watches[TRACE_MAX_WATCHES];
	size_t watch_count; /* 0 = the guest is not told to go on through here */
	bool stops_before;  /* arm64: the write follows the stop */
	bool is_held;	    /* the guest has stopped, and we have heard of it */
	bool has_hit;	    /* a write was the reason */
	size_t hit;	    /* to this one of them */
};

#define STUB_NONE       \
	(struct stub)   \
	{               \
		-1, -1, \
		{       \
		}       \
	}

int stub_open(struct stub *s);
void stub_close(struct stub *s);

/* One more, of a guest that stands still. -EINVAL with a message: the processor cannot watch it. */
int stub_watch(struct stub *s, const struct trace_watch *w);
/* The same: nothing is watched any more. */
void stub_unwatch(struct stub *s);

/* Something has come from QEMU. */
bool stub_has_news(const struct stub *s);
/* Waits so long for QEMU to tell of a stop; sets is_held, has_hit and hit. */
void stub_await_stop(struct stub *s, uint64_t limit_ns);
/* The guest goes on. */
bool stub_go_on(struct stub *s);

#endif
