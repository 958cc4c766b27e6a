/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The host's end: takes frames out of a region that the guest may have filled
 * with anything. Nothing that the guest writes is trusted: geometry is read once,
 * before the guest runs, positions are checked, a frame that fails its CRC is
 * dropped, a ring that makes no sense is given up. Each kind of trouble is told
 * once, as a line of `diagnostics`.
 */
#ifndef KTSTR_CHANNEL_READER_H
#define KTSTR_CHANNEL_READER_H

#include "base/str.h"
#include "channel/channel.h"

/*
 * How the region is reached: an mmapped file for booted VMs, process_vm_readv for
 * restored ones. 0 or a negative errno; no short transfers. write may be NULL
 * (restored VMs, sim): the guest then never learns how far the host has read.
 */
struct channel_io {
	int (*read)(void *ctx, uint64_t offset, void *data, size_t len);
	int (*write)(void *ctx, uint64_t offset, const void *data, size_t len);
	void *ctx;
};

struct channel_frame {
	uint32_t type;
	uint32_t sequence;
	uint32_t length;
	const uint8_t *data; /* valid during the call; not NUL-terminated */
};

/* Anything but 0 ends the drain and is returned by it; the frame counts as taken. */
typedef int channel_frame_fn(void *ctx, const struct channel_frame *frame);

struct channel_reader {
	struct channel_io io;
	uint64_t region_size;
	uint32_t ring_offset, capacity;
	uint64_t position; /* ours; the header's copy is for the guest only */
	uint32_t next_sequence;
	uint64_t frames;
	uint64_t bad_crc;	    /* frames that were left out */
	uint64_t vanished;	    /* frames that neither arrived nor were counted as drops */
	uint64_t drops;		    /* as the guest counted them, at the last drain */
	uint64_t unexplained_drops; /* not yet seen as a gap in the sequence */
	bool is_corrupt;	    /* nothing more is read */
	struct str diagnostics;
	uint8_t *buffer;
	size_t buffer_size;
};

/* Reads and checks the header; do it before the guest runs. */
int channel_reader_init(struct channel_reader *r, const struct channel_io *io,
			uint64_t region_size);

/*
 * Hands every complete frame to fn. Returns 0, what fn returned, or a negative
 * errno with a message when the region could not be read at all; a corrupt ring
 * is no error but a diagnostic.
 */
int channel_reader_drain(struct channel_reader *r, channel_frame_fn *fn, void *ctx);

enum channel_request {
	CHANNEL_REQUEST_DUMP,
	CHANNEL_REQUEST_STALL,
	CHANNEL_REQUEST_SHUT_DOWN,
};
/* -EROFS, without a message, where the guest cannot be written to. */
int channel_reader_request(struct channel_reader *r, enum channel_request request);

/* The size of the terminal that the guest is used from, the same way. */
int channel_reader_tell_size(struct channel_reader *r, uint16_t columns, uint16_t rows);

void channel_reader_finish(struct channel_reader *r);

/* The io of a region that is mapped here; the mapping stays the caller's. */
struct channel_mapping {
	void *data;
	uint64_t size;
};
struct channel_io channel_io_mapping(struct channel_mapping *m, bool can_write);

#endif
