/* SPDX-License-Identifier: GPL-2.0-only */
/* Both ends of a channel. */
#ifndef KTSTR_CHANNEL_ENDS_H
#define KTSTR_CHANNEL_ENDS_H

#include "unit.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "channel/channel.h"

#define SMALL_RING 8192 /* a header and a ring of one page */

/* Both ends over one file, as a booted VM has them. */
struct ends {
	int fd;
	struct channel_mapping region;
	struct channel_header *header;
	pthread_mutex_t *lock;
	struct channel_writer writer;
	struct channel_reader reader;
	struct str seen; /* "TYPE:payload\n" of every frame */
	size_t frames;
};

static inline void open_ends(struct ends *e, const struct channel_region *spec, bool can_write)
{
	struct channel_io io;

	*e = (struct ends){ .fd = memfd_create("region", MFD_CLOEXEC) };
	assert_int_equal(channel_region_write(e->fd, spec), 0);
	e->region.size = channel_region_size(spec);
	e->region.data = mmap(NULL, e->region.size, PROT_READ | PROT_WRITE, MAP_SHARED, e->fd, 0);
	assert_ptr_not_equal(e->region.data, MAP_FAILED);
	e->header = e->region.data;
	e->lock = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_int_equal(channel_lock_init(e->lock), 0);
	assert_int_equal(channel_writer_init(&e->writer, e->region.data, e->region.size, e->lock),
			 0);
	io = channel_io_mapping(&e->region, can_write);
	assert_int_equal(channel_reader_init(&e->reader, &io, e->region.size), 0);
}

static inline void close_ends(struct ends *e)
{
	channel_reader_finish(&e->reader);
	str_finish(&e->seen);
	munmap(e->region.data, e->region.size);
	munmap(e->lock, 4096);
	close(e->fd);
}

static inline int setup(void **state)
{
	struct ends *e = calloc(1, sizeof(*e));

	open_ends(e, &(struct channel_region){ .ring_bytes = SMALL_RING }, true);
	*state = e;
	return 0;
}

static inline int teardown(void **state)
{
	close_ends(*state);
	free(*state);
	return 0;
}

static inline int collect(void *ctx, const struct channel_frame *frame)
{
	struct ends *e = ctx;
	char type[CHANNEL_TYPE_TEXT_SIZE];

	e->frames++;
	channel_type_format(frame->type, type);
	str_addf(&e->seen, "%s:%.*s\n", type, (int)frame->length, (const char *)frame->data);
	return 0;
}

static inline void send_text(struct ends *e, uint32_t type, const char *text)
{
	assert_int_equal(channel_send(&e->writer, type, text, strlen(text)), 0);
}

static inline void drain(struct ends *e)
{
	assert_int_equal(channel_reader_drain(&e->reader, collect, e), 0);
}

static inline void expect_diagnostic(struct ends *e, const char *text)
{
	if (!strstr(str_get(&e->reader.diagnostics), text))
		fail_msg("expected '%s' in '%s'", text, str_get(&e->reader.diagnostics));
}

#define WITH_ENDS(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

#endif
