// SPDX-License-Identifier: GPL-2.0-only
/* Puts frames into the ring. */
#include <sys/mman.h>

#include "base/hash.h"
#include "channel/channel.h"

#define WAIT_STEP_NS 1000000 /* 1 ms */
#define WAIT_STEPS 10000     /* without any progress of the host */

int channel_lock_init(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attr;
	int rc = pthread_mutexattr_init(&attr);

	rc = rc ?: pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	rc = rc ?: pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	rc = rc ?: pthread_mutex_init(lock, &attr);
	pthread_mutexattr_destroy(&attr);
	return rc ? err_sys(rc, "make the channel's lock") : 0;
}

int channel_writer_init(struct channel_writer *w, void *region, uint64_t region_size,
			pthread_mutex_t *lock)
{
	const char *problem = channel_header_problem(region, region_size);

	*w = (struct channel_writer){};
	if (problem)
		return err_set(EPROTO, "the channel cannot be used: %s", problem);
	*w = (struct channel_writer){ .header = region, .region_size = region_size, .lock = lock };
	return 0;
}

/* A process that died with the lock had not moved write_pos yet, so there is no partial frame. */
static int take_lock(pthread_mutex_t *lock, int (*take)(pthread_mutex_t *))
{
	int rc = take(lock);

	if (rc == EOWNERDEAD)
		rc = pthread_mutex_consistent(lock);
	return -rc;
}

static uint64_t load_pos(const uint64_t *pos)
{
	return __atomic_load_n(pos, __ATOMIC_ACQUIRE);
}

static bool has_room(const struct channel_header *h, uint64_t need)
{
	uint64_t used = h->write_pos - load_pos(&h->read_pos);

	return used <= h->capacity && need <= h->capacity - used;
}

/* Waits until the host makes room. The count restarts whenever it has read something. */
static bool wait_for_room(const struct channel_header *h, uint64_t need)
{
	uint64_t seen = load_pos(&h->read_pos);

	for (int i = 0; i < WAIT_STEPS; i++) {
		uint64_t now;

		if (has_room(h, need))
			return true;
		clock_sleep_ns(WAIT_STEP_NS);
		now = load_pos(&h->read_pos);
		if (now != seen)
			i = 0;
		seen = now;
	}
	return false;
}

/* Copies within the region, without wrapping. */
static int copy_to(const struct channel_writer *w, uint64_t offset, const void *data, size_t len)
{
	size_t before = w->has_windows ? offset % (size_t)sysconf(_SC_PAGESIZE) : 0;
	uint8_t *window = (uint8_t *)w->header + offset;

	if (len == 0)
		return 0;
	if (w->has_windows)
		window = mmap(NULL, before + len, PROT_READ | PROT_WRITE, MAP_SHARED, w->fd,
			      (off_t)(offset - before));
	if (window == MAP_FAILED)
		return -errno;
	memcpy(window + before, data, len);
	if (w->has_windows)
		munmap(window, before + len);
	return 0;
}

static int copy_in(const struct channel_writer *w, uint64_t pos, const void *data, size_t len)
{
	const struct channel_header *h = w->header;
	size_t at = pos % h->capacity;
	size_t first = MIN(len, h->capacity - at);

	return copy_to(w, h->ring_offset + at, data, first) ?:
		       copy_to(w, h->ring_offset, (const uint8_t *)data + first, len - first);
}

static int put(const struct channel_writer *w, uint32_t type, const void *data, size_t len)
{
	struct channel_header *h = w->header;
	struct channel_frame_header f = {
		.type = type,
		.length = (uint32_t)len,
		.crc = crc32_of(data, len),
		.sequence = h->sequence,
	};
	int rc = copy_in(w, h->write_pos, &f, sizeof(f)) ?:
			 copy_in(w, h->write_pos + sizeof(f), data, len);

	if (rc == 0)
		__atomic_store_n(&h->write_pos, h->write_pos + sizeof(f) + len, __ATOMIC_RELEASE);
	return rc;
}

static int send_locked(struct channel_writer *w, uint32_t type, const void *data, size_t len,
		       bool can_wait)
{
	struct channel_header *h = w->header;
	uint64_t need = sizeof(struct channel_frame_header) + (uint64_t)len;
	bool fits;
	int rc;

	/* A restored VM has a fresh region: check it again. */
	if (channel_header_problem(h, w->region_size))
		return -EPROTO;
	fits = has_room(h, need);
	if (!fits && can_wait && need <= h->capacity && h->flags & CHANNEL_LIVE_READER)
		fits = wait_for_room(h, need);
	rc = fits ? put(w, type, data, len) : -ENOSPC;
	if (rc < 0)
		h->drops++;
	h->sequence++;
	return rc;
}

static int send_frame(struct channel_writer *w, uint32_t type, const void *data, size_t len,
		      bool can_wait)
{
	int rc;

	if (!w->header)
		return -ENODEV;
	if (len > CHANNEL_MAX_CAPACITY)
		return -EMSGSIZE;
	rc = take_lock(w->lock, can_wait ? pthread_mutex_lock : pthread_mutex_trylock);
	if (rc < 0)
		return rc;
	rc = send_locked(w, type, data, len, can_wait);
	pthread_mutex_unlock(w->lock);
	return rc;
}

int channel_send(struct channel_writer *w, uint32_t type, const void *data, size_t len)
{
	return send_frame(w, type, data, len, true);
}

/* The host advances read_pos when it has handled a frame; frames of others are waited for, too. */
int channel_send_and_wait(struct channel_writer *w, uint32_t type, const void *data, size_t len)
{
	const struct channel_header *h = w->header;
	uint64_t end, seen;
	int rc;

	if (h && !(h->flags & CHANNEL_LIVE_READER))
		return -ENOTSUP;
	rc = channel_send(w, type, data, len);
	if (rc < 0)
		return rc;
	end = load_pos(&h->write_pos);
	seen = load_pos(&h->read_pos);
	for (int i = 0; i < WAIT_STEPS; i++) {
		uint64_t now = load_pos(&h->read_pos);

		if (now >= end)
			return 0;
		if (now != seen)
			i = 0;
		seen = now;
		clock_sleep_ns(WAIT_STEP_NS);
	}
	return -ETIMEDOUT;
}

int channel_send_urgent(struct channel_writer *w, uint32_t type, const void *data, size_t len)
{
	return send_frame(w, type, data, len, false);
}

bool channel_has_input(const struct channel_header *h)
{
	return __atomic_load_n(&h->input_state, __ATOMIC_ACQUIRE) == 1;
}

int channel_input(const struct channel_header *h, uint64_t region_size, const void **data,
		  size_t *len)
{
	const uint8_t *start;

	if (!channel_has_input(h))
		return err_set(ENODATA, "the channel holds no input");
	if (h->input_offset < CHANNEL_HEADER_SIZE || h->input_offset > region_size ||
	    h->input_len > region_size - h->input_offset)
		return err_set(EPROTO, "the channel's input lies outside of the region");
	start = (const uint8_t *)h + h->input_offset;
	if (channel_sum(start, h->input_len) != h->input_sum)
		return err_set(EPROTO, "the channel's input is damaged: its checksum is wrong");
	*data = start;
	*len = h->input_len;
	return 0;
}

void channel_drop_input(struct channel_header *h, uint64_t region_size)
{
	const void *data;
	size_t len = 0;

	if (channel_input(h, region_size, &data, &len) == 0)
		memset((uint8_t *)h + h->input_offset, 0, len);
	__atomic_store_n(&h->input_state, 0, __ATOMIC_RELEASE);
}
