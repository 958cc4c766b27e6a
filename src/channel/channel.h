/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The channel between host and guest: a shared region (for the guest, BAR 2 of an ivshmem
 * PCI device) with a header, a ring of frames from the guest to the host, and an input area
 * that the host fills before the guest runs.
 *
 *	0             header, one page
 *	ring_offset   ring, `capacity` bytes; positions run freely, index = position % capacity
 *	input_offset  input, `input_len` bytes: a newc archive that the guest unpacks
 *
 * Nothing is kept outside the region, so a VM that is restored from a snapshot with a fresh
 * region continues with it: the guest reads every position from there.
 *
 * The first 40 bytes are those of version 1. Version 2 adds the input area for restored
 * VMs, a flag for a live reader, so that a full ring waits instead of losing frames, and a
 * sequence number in every frame, so that the host notices lost frames that the drop
 * counter does not show. Cache lines are not separated: the host polls only a few hundred
 * times a second.
 *
 * A frame is a struct channel_frame_header and its payload; both may wrap.
 */
#ifndef KTSTR_CHANNEL_CHANNEL_H
#define KTSTR_CHANNEL_CHANNEL_H

#include <pthread.h>

#include "base/base.h"

#define CHANNEL_MAGIC 0x53544d52U /* "STMR" */
#define CHANNEL_VERSION 2
#define CHANNEL_HEADER_SIZE 4096
#define CHANNEL_MAX_CAPACITY (1U << 30)
#define CHANNEL_DEFAULT_SIZE (16U << 20) /* header and ring */

/*
 * Requests of the host, in the header's bytes of the same name; only with
 * CHANNEL_LIVE_READER, that is for booted guests outside the simulator.
 */
#define CHANNEL_DUMP_REQUEST 'D'    /* SysRq D: sched_ext prints its state on the console */
#define CHANNEL_STALL_REQUEST 'S'   /* create GUEST_STALL_FILE */
#define CHANNEL_SLOT_SHUT_DOWN 0xdd /* slot 0: end the payload, the time is nearly up */
#define CHANNEL_SLOT_SCHEDULER_UP 1 /* slot 1 */

enum channel_flag {
	CHANNEL_LIVE_READER = 1 << 0, /* the host reads while the guest runs */
};

/* Little-endian words; "host": written by the host before the start. */
struct channel_header {
	uint32_t magic;		/* host */
	uint32_t version;	/* host */
	uint32_t capacity;	/* host */
	uint8_t dump_request;	/* host to guest, cleared by the guest */
	uint8_t stall_request;	/* host to guest */
	uint8_t slot0;		/* host to guest */
	uint8_t slot1;		/* guest to host */
	uint64_t write_pos;	/* guest */
	uint64_t read_pos;	/* host, only with CHANNEL_LIVE_READER */
	uint64_t drops;		/* guest: frames that did not fit */
	uint32_t flags;		/* host: enum channel_flag */
	uint32_t ring_offset;	/* host */
	uint32_t sequence;	/* guest: of the next frame; dropped ones count */
	uint32_t input_state;	/* host: 1 = the input area holds an archive */
	uint64_t input_offset;	/* host */
	uint64_t input_len;	/* host */
	uint32_t input_sum;	/* host: channel_sum() of the input */
	uint32_t terminal_size; /* host, only with CHANNEL_LIVE_READER; 0 = unknown */
};

/* Terminal size in one word, so that a partial update is never read. */
#define CHANNEL_TERMINAL_SIZE(columns, rows) ((uint32_t)(columns) | (uint32_t)(rows) << 16)

struct channel_frame_header {
	uint32_t type;
	uint32_t length;
	uint32_t crc; /* CRC-32 (IEEE) of the payload */
	uint32_t sequence;
};

/* A type is its four letters in big-endian order, so that it is readable in a dump. */
#define CHANNEL_TYPE(a, b, c, d) \
	((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

enum channel_type {
	CHANNEL_STIMULUS = CHANNEL_TYPE('S', 'T', 'I', 'M'),
	CHANNEL_SCENARIO_START = CHANNEL_TYPE('S', 'C', 'S', 'T'),
	CHANNEL_SCENARIO_END = CHANNEL_TYPE('S', 'C', 'E', 'N'),
	CHANNEL_EXIT = CHANNEL_TYPE('E', 'X', 'I', 'T'),	/* i32: status of the run */
	CHANNEL_TEST_RESULT = CHANNEL_TYPE('T', 'E', 'S', 'T'), /* JSON */
	CHANNEL_SCHED_EXIT = CHANNEL_TYPE('S', 'C', 'D', 'X'),	/* i32; guest/protocol.h */
	CHANNEL_SCHED_ATTACHED = CHANNEL_TYPE('S', 'C', 'D', 'A'),
	CHANNEL_SCHED_REPORT = CHANNEL_TYPE('S', 'C', 'D', 'R'),  /* JSON */
	CHANNEL_SCHED_LOG = CHANNEL_TYPE('S', 'C', 'D', 'L'),	  /* text: its own output */
	CHANNEL_SCHED_DUMP = CHANNEL_TYPE('S', 'C', 'D', 'D'),	  /* text: the kernel's dump */
	CHANNEL_PROBE_REPORT = CHANNEL_TYPE('P', 'R', 'B', 'R'),  /* JSON, guest/protocol.h */
	CHANNEL_PROBE_RECORDS = CHANNEL_TYPE('P', 'R', 'B', 'D'), /* trace/format.h, in pieces */
	CHANNEL_CRASH = CHANNEL_TYPE('C', 'R', 'S', 'H'),	  /* text: why PID 1 gave up */
	CHANNEL_METRICS = CHANNEL_TYPE('P', 'M', 'E', 'T'),
	CHANNEL_RAW_OUTPUT = CHANNEL_TYPE('R', 'A', 'W', 'O'),
	CHANNEL_COVERAGE = CHANNEL_TYPE('P', 'R', 'A', 'W'),
	CHANNEL_STDOUT = CHANNEL_TYPE('O', 'U', 'T', '1'), /* unmodified output of the program */
	CHANNEL_STDERR = CHANNEL_TYPE('O', 'U', 'T', '2'),
	CHANNEL_READY = CHANNEL_TYPE('R', 'D', 'Y', ' '), /* NAME=VALUE lines: what was checked */
	CHANNEL_LOST = CHANNEL_TYPE('L', 'O', 'S', 'T'),  /* u64: lost bytes of output */
	CHANNEL_LOG = CHANNEL_TYPE('L', 'O', 'G', 'L'),	  /* one line of guest init */
	CHANNEL_SNAPSHOT = CHANNEL_TYPE('S', 'N', 'A', 'P'), /* struct channel_snapshot */
	CHANNEL_PULSE =
		CHANNEL_TYPE('P', 'U', 'L', 'S'), /* text: the kernel's clock and counters */
};

/* A request of a test to the observing host, which the test waits for. */
struct channel_snapshot {
	uint32_t request; /* enum trace_request */
	char name[48];	  /* NUL-terminated; "" = none */
};

/* "STIM"; characters other than letters and digits become '.'. */
#define CHANNEL_TYPE_TEXT_SIZE 5
void channel_type_format(uint32_t type, char out[static CHANNEL_TYPE_TEXT_SIZE]);

/*
 * Checksum of the input, which is megabytes that each guest verifies before its run: sums
 * of words and of these sums, which detect a changed or moved word. A CRC took a sixth of
 * all instructions of a short run.
 */
uint32_t channel_sum(const void *data, size_t len);

/*
 * Checks that a header describes a ring within a region of this size. Returns NULL, or the
 * reason why not.
 */
const char *channel_header_problem(const struct channel_header *h, uint64_t region_size);

/*
 * writer.c: the guest's end. Frames of several threads and processes do not mix: all take
 * one robust mutex in shared memory, so a writer that dies midway blocks no other and
 * leaves no partial frame.
 */

struct channel_writer {
	struct channel_header *header; /* NULL = no channel; sends fail with -ENODEV */
	uint64_t region_size;
	pthread_mutex_t *lock;
	bool has_windows; /* only the header is mapped; parts of the ring are mapped on demand */
	int fd;		  /* of the region, if has_windows */
};

/* Initialises the mutex; called once, by the first process. */
int channel_lock_init(pthread_mutex_t *lock);

/* Returns -EPROTO with a message if the region's header is invalid. */
int channel_writer_init(struct channel_writer *w, void *region, uint64_t region_size,
			pthread_mutex_t *lock);

/*
 * Sends one frame. With a live reader, waits while the ring is full, as long as the host
 * continues to read. Without one, or if the host makes no progress for 10 s, the frame is
 * dropped and counted: -ENOSPC. Negative errnos have no message.
 */
int channel_send(struct channel_writer *w, uint32_t type, const void *data, size_t len);

/*
 * The same, but returns when the host has handled the frame: for booted guests and those
 * under KVM. Returns -ENOTSUP without a live reader, -ETIMEDOUT if the host makes no
 * progress for 10 s.
 */
int channel_send_and_wait(struct channel_writer *w, uint32_t type, const void *data, size_t len);

/* For signal handlers: never waits, neither for the lock nor for room. */
int channel_send_urgent(struct channel_writer *w, uint32_t type, const void *data, size_t len);

/* True if the host has put an archive into the input area. */
bool channel_has_input(const struct channel_header *h);

/* The verified input in place. Returns -EPROTO with a message if it is damaged. */
int channel_input(const struct channel_header *h, uint64_t region_size, const void **data,
		  size_t *len);

/* Drops the input and zeroes its memory, for another one that follows. */
void channel_drop_input(struct channel_header *h, uint64_t region_size);

/* device.c: the ivshmem PCI device of the channel, accessed through sysfs: needs no driver. */

#define CHANNEL_LOCK_FILE "/dev/shm/ktstr-channel-lock" /* created by guest init */

/* Appends the device's directory in sysfs. Returns -ENODEV if there is none. */
int channel_device_find(const char *sysfs, struct str *out);

/* Enables the device and maps its memory. */
int channel_device_map(const char *device_dir, void **region, size_t *size);

/*
 * For programs that send little: mapping the whole ring takes milliseconds of guest time,
 * and each fork() copies the mapping. The descriptor stays open.
 */
int channel_device_join(struct channel_writer *w, const char *device_dir, pthread_mutex_t *lock);

/* For programs started by guest init: its channel, until they end. */
int channel_join(struct channel_writer *w);

/*
 * reader.c: the host's end: takes frames out of a region that the guest may have filled
 * with anything. Nothing that the guest writes is trusted: the geometry is read once,
 * before the guest runs, positions are checked, a frame with a bad CRC is dropped, an
 * inconsistent ring is given up. Each kind of problem is reported once, as a line of
 * `diagnostics`.
 */

/*
 * Access to the region: a mapped file for booted VMs, process_vm_readv for restored ones.
 * Return 0 or a negative errno; no short transfers. write may be NULL (restored VMs,
 * simulator): then the guest never learns how far the host has read.
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

/* A nonzero return value ends the drain and is returned by it; the frame counts as taken. */
typedef int channel_frame_fn(void *ctx, const struct channel_frame *frame);

struct channel_reader {
	struct channel_io io;
	uint64_t region_size;
	uint32_t ring_offset, capacity;
	uint64_t position; /* the reader's own; the header's copy is for the guest only */
	uint32_t next_sequence;
	uint64_t frames;
	uint64_t bad_crc;	    /* dropped frames */
	uint64_t vanished;	    /* neither received nor counted as drops */
	uint64_t drops;		    /* as counted by the guest, at the last drain */
	uint64_t unexplained_drops; /* not yet seen as a gap in the sequence */
	bool is_corrupt;	    /* nothing more is read */
	struct str diagnostics;
	uint8_t *buffer;
	size_t buffer_size;
};

/* Reads and checks the header; call before the guest runs. */
int channel_reader_init(struct channel_reader *r, const struct channel_io *io,
			uint64_t region_size);

/*
 * Passes every complete frame to fn. Returns 0, the result of fn, or a negative errno with
 * a message if the region could not be read; a corrupt ring is not an error but a
 * diagnostic.
 */
int channel_reader_drain(struct channel_reader *r, channel_frame_fn *fn, void *ctx);

enum channel_request {
	CHANNEL_REQUEST_DUMP,
	CHANNEL_REQUEST_STALL,
	CHANNEL_REQUEST_SHUT_DOWN,
};
/* Returns -EROFS, without a message, if the guest's memory cannot be written. */
int channel_reader_request(struct channel_reader *r, enum channel_request request);

/* Tells the guest the size of the terminal, in the same way. */
int channel_reader_tell_size(struct channel_reader *r, uint16_t columns, uint16_t rows);

void channel_reader_finish(struct channel_reader *r);

/* Access to a region that is mapped here; the caller keeps the mapping. */
struct channel_mapping {
	void *data;
	uint64_t size;
};
struct channel_io channel_io_mapping(struct channel_mapping *m, bool can_write);

/* region.c: prepares a region on the host, before a VM is started or restored with it. */

struct channel_region {
	uint64_t ring_bytes; /* header and ring, multiple of a page; 0 = CHANNEL_DEFAULT_SIZE */
	bool has_live_reader;
	const void *input; /* NULL = none; a template waits until it is restored with one */
	uint64_t input_len;
};

/* The size of the BAR: the power of two that holds header, ring and input. */
uint64_t channel_region_size(const struct channel_region *r);

/* The header of a fresh region; -EINVAL if such a ring is impossible. */
int channel_region_header(const struct channel_region *r, struct channel_header *out);

/*
 * Writes a fresh region into the file, which becomes channel_region_size() bytes long. Old
 * contents are lost; parts that are not written are holes.
 */
int channel_region_write(int fd, const struct channel_region *r);

#endif
