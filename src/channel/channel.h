/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one channel between host and guest: a shared region (the guest sees it as
 * BAR 2 of an ivshmem PCI function) with a header, a ring of frames that flows
 * out of the guest, and an input area that the host fills before the guest runs.
 *
 *	0             header, one page
 *	ring_offset   ring, `capacity` bytes; positions run freely, index = position % capacity
 *	input_offset  input, `input_len` bytes: a newc archive that the guest unpacks
 *
 * Nothing is kept outside the region, so a VM that is restored from a snapshot
 * into a fresh region goes on with it: the guest looks up every position there.
 *
 * The first 40 bytes are those of version 1. Version 2 adds what restored VMs
 * need (the input area), what lets a full ring wait instead of losing frames (a
 * flag that somebody is reading), and a sequence number in every frame, so that
 * the host notices frames that vanished without the drop counter saying so.
 * Cache lines are not kept apart: the host looks a few hundred times a second.
 *
 * A frame is a struct channel_frame_header and its payload; both may wrap.
 */
#ifndef KTSTR_CHANNEL_CHANNEL_H
#define KTSTR_CHANNEL_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHANNEL_MAGIC 0x53544d52U /* "STMR" */
#define CHANNEL_VERSION 2
#define CHANNEL_HEADER_SIZE 4096
#define CHANNEL_MAX_CAPACITY (1U << 30)
#define CHANNEL_DEFAULT_SIZE (16U << 20) /* header and ring */

/*
 * Requests of the host, in the header's bytes of the same name; only with
 * CHANNEL_LIVE_READER, that is to booted guests outside of sim.
 */
#define CHANNEL_DUMP_REQUEST 'D'    /* SysRq D: sched_ext tells its state on the console */
#define CHANNEL_STALL_REQUEST 'S'   /* make GUEST_STALL_FILE */
#define CHANNEL_SLOT_SHUT_DOWN 0xdd /* slot 0: end what runs, the time is nearly up */
#define CHANNEL_SLOT_SCHEDULER_UP 1 /* slot 1 */

enum channel_flag {
	CHANNEL_LIVE_READER = 1 << 0, /* the host drains while the guest runs */
};

/* Whole little-endian words; what the host writes before start is marked "host". */
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
	uint32_t sequence;	/* guest: of the next frame, dropped ones count */
	uint32_t input_state;	/* host: 1 = the input area holds an archive */
	uint64_t input_offset;	/* host */
	uint64_t input_len;	/* host */
	uint32_t input_crc;	/* host */
	uint32_t terminal_size; /* host, only with CHANNEL_LIVE_READER: see below; 0 = not told */
};

/* Columns and rows of a terminal that changed, in one word: half a size is never read. */
#define CHANNEL_TERMINAL_SIZE(columns, rows) ((uint32_t)(columns) | (uint32_t)(rows) << 16)

struct channel_frame_header {
	uint32_t type;
	uint32_t length;
	uint32_t crc; /* CRC-32 (IEEE) of the payload */
	uint32_t sequence;
};

/* A type is its four letters read big-endian, so that it can be read in a dump. */
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
	CHANNEL_SCHED_REPORT = CHANNEL_TYPE('S', 'C', 'D', 'R'), /* JSON */
	CHANNEL_SCHED_LOG = CHANNEL_TYPE('S', 'C', 'D', 'L'),	 /* text: its own output */
	CHANNEL_SCHED_DUMP = CHANNEL_TYPE('S', 'C', 'D', 'D'),	 /* text: the kernel's dump */
	CHANNEL_CRASH = CHANNEL_TYPE('C', 'R', 'S', 'H'),	 /* text: PID 1 gave up, and why */
	CHANNEL_METRICS = CHANNEL_TYPE('P', 'M', 'E', 'T'),
	CHANNEL_RAW_OUTPUT = CHANNEL_TYPE('R', 'A', 'W', 'O'),
	CHANNEL_COVERAGE = CHANNEL_TYPE('P', 'R', 'A', 'W'),
	CHANNEL_STDOUT = CHANNEL_TYPE('O', 'U', 'T', '1'), /* bytes as the program wrote them */
	CHANNEL_STDERR = CHANNEL_TYPE('O', 'U', 'T', '2'),
	CHANNEL_READY = CHANNEL_TYPE('R', 'D', 'Y', ' '), /* NAME=VALUE lines: what was checked */
	CHANNEL_LOST = CHANNEL_TYPE('L', 'O', 'S', 'T'),  /* u64: bytes of output without room */
	CHANNEL_LOG = CHANNEL_TYPE('L', 'O', 'G', 'L'),	  /* one line of guest init */
	CHANNEL_PULSE =
		CHANNEL_TYPE('P', 'U', 'L', 'S'), /* text: the kernel's clock and counters */
};

/* "STIM"; anything that is no letter or digit as '.'. */
#define CHANNEL_TYPE_TEXT_SIZE 5
void channel_type_format(uint32_t type, char out[static CHANNEL_TYPE_TEXT_SIZE]);

uint32_t channel_crc32(const void *data, size_t len);

/*
 * Whether a header describes a ring that lies inside a region of this size; NULL,
 * or the reason why not.
 */
const char *channel_header_problem(const struct channel_header *h, uint64_t region_size);

#endif
