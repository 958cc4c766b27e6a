/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Diagnostics on stderr, one line each:
 *
 *	2026-07-04T22:00:48.765819Z INFO ktstr::ctprof: text
 *
 * The level comes from KTSTR_LOG (or RUST_LOG): error, warn, info (default),
 * debug, trace, off; `room=level` entries, separated by commas, set one room.
 */
#ifndef KTSTR_BASE_LOG_H
#define KTSTR_BASE_LOG_H

#include <stdbool.h>

enum log_level { LOG_OFF, LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG, LOG_TRACE };

/* Reads the environment. A malformed value is reported once and ignored. */
void log_init(void);

/* Overrides the default level of the environment: --quiet and --verbose. */
void log_set_level(enum log_level level);

bool log_enabled(enum log_level level, const char *room);

/* Prefix of notes: "ktstr" (default) or "cargo ktstr". */
void log_set_label(const char *label);
const char *log_label(void);

/* Prints a line for the user, without a level: "ktstr: wrote ...". Nothing with --quiet. */
void log_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

void log_line(enum log_level level, const char *room, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#define log_warn(room, ...) log_line(LOG_WARN, room, __VA_ARGS__)
#define log_info(room, ...) log_line(LOG_INFO, room, __VA_ARGS__)
#define log_debug(room, ...) log_line(LOG_DEBUG, room, __VA_ARGS__)

#endif
