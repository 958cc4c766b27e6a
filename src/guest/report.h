/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How PID 1 speaks: frames on the channel, lines on the serial ports. One per
 * process, because a signal handler has to find it.
 */
#ifndef KTSTR_GUEST_REPORT_H
#define KTSTR_GUEST_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "channel/writer.h"

struct report {
	int console; /* COM1, the kernel's; -1 = not open */
	int control; /* COM2, ours; -1 = not open */
	struct channel_writer channel;
	uint64_t lost_bytes; /* of output */
};

extern struct report report;

/* Opens the ports, once /dev is there. Works without them, but then nobody hears. */
void report_open(void);

/* Finds the ivshmem function, switches it on and maps it. -ENODEV: there is none. */
int report_open_channel(void);
bool report_has_channel(void);

/* A line of its own on COM2. */
void report_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A remark for whoever looks into a run: a LOGL frame, or a line on COM1. */
void report_log(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A program's output: frames, or plain bytes on COM2. */
void report_output(uint32_t type, const void *data, size_t len);

/*
 * Whether that much more of one kind may be sent. A ring that nobody drains has to
 * keep room for what comes after: a kind has 1/part of it, *sent is what it has used.
 */
bool report_has_room(uint64_t *sent, size_t len, unsigned int part);

/* What one text may have of such a ring; the rest of it is for what comes after. */
size_t report_free(void);

/* A text of any length in as many frames as it takes; they follow each other. */
void report_pieces(uint32_t type, const struct str *text);

/* How much of it had no room, if any. */
void report_lost_output(void);

/* What a test program wrote about itself, or len 0: a frame, or between two marks on COM2. */
void report_result(const char *text, size_t len);

/* The last words of PID 1 everywhere, then the end of the guest. */
void report_fatal(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* From a signal handler: text without formatting. */
void report_crash(const char *text, size_t len);

/* Waits until the serial ports have sent what was written to them. */
void report_drain(void);

/* Waits until the serial ports are empty, then ends the guest. */
void report_reboot(void) __attribute__((noreturn));

#endif
