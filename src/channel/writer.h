/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guest's end. Frames of several threads and processes do not mix: all take
 * one robust mutex in shared memory, so a writer that dies in the middle blocks
 * nobody and leaves nothing half-visible.
 */
#ifndef KTSTR_CHANNEL_WRITER_H
#define KTSTR_CHANNEL_WRITER_H

#include <pthread.h>

#include "channel/channel.h"

struct channel_writer {
	struct channel_header *header; /* NULL = no channel; sends fail with -ENODEV */
	uint64_t region_size;
	pthread_mutex_t *lock;
};

/* Makes the mutex; once, by the first process. */
int channel_lock_init(pthread_mutex_t *lock);

/* -EPROTO with a message when the region's header makes no sense. */
int channel_writer_init(struct channel_writer *w, void *region, uint64_t region_size,
			pthread_mutex_t *lock);

/*
 * Sends one frame. With a live reader a full ring waits, as long as the host
 * goes on reading; without one, or when the host stands still for 10 s, the
 * frame is dropped and counted: -ENOSPC. Negative errnos carry no message.
 */
int channel_send(struct channel_writer *w, uint32_t type, const void *data, size_t len);

/* From a signal handler: never waits, neither for the lock nor for room. */
int channel_send_urgent(struct channel_writer *w, uint32_t type, const void *data, size_t len);

/* Whether the host has put an archive into the input area. */
bool channel_has_input(const struct channel_header *h);

/* The input's bytes in place, checked. -EPROTO with a message when damaged. */
int channel_input(const struct channel_header *h, uint64_t region_size, const void **data,
		  size_t *len);

#endif
