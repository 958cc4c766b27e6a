// SPDX-License-Identifier: GPL-2.0-only
/* Log lines and the level table. */
#include "base/log.h"

#include <strings.h>

#include "base/base.h"

#define MAX_ROOMS 16

static const char *const level_names[] = { "off", "error", "warn", "info", "debug", "trace" };
static const char *const level_labels[] = { "", "ERROR", "WARN", "INFO", "DEBUG", "TRACE" };

static enum log_level default_level = LOG_INFO;
static struct {
	char room[32];
	enum log_level level;
} rooms[MAX_ROOMS];
static size_t room_count;

static int level_by_name(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(level_names); i++)
		if (strlen(level_names[i]) == len && strncasecmp(level_names[i], name, len) == 0)
			return (int)i;
	return -1;
}

/* Parses an entry of the list: `level` or `room=level`, the room with or without "ktstr::". */
static bool apply_entry(const char *entry, size_t len)
{
	const char *equals = memchr(entry, '=', len);
	size_t name_len;
	int level;

	if (!equals) {
		level = level_by_name(entry, len);
		if (level >= 0)
			default_level = (enum log_level)level;
		return level >= 0;
	}
	name_len = (size_t)(equals - entry);
	level = level_by_name(equals + 1, len - name_len - 1);
	if (name_len > 7 && strncmp(entry, "ktstr::", 7) == 0) {
		entry += 7;
		name_len -= 7;
	}
	if (level < 0 || name_len == 0 || name_len >= sizeof(rooms[0].room) ||
	    room_count == MAX_ROOMS)
		return false;
	snprintf(rooms[room_count].room, sizeof(rooms[0].room), "%.*s", (int)name_len, entry);
	rooms[room_count++].level = (enum log_level)level;
	return true;
}

void log_init(void)
{
	const char *name = env_get("KTSTR_LOG") ? "KTSTR_LOG" : "RUST_LOG";
	const char *spec = env_get(name);

	default_level = LOG_INFO;
	room_count = 0;
	while (spec && *spec) {
		size_t len = strcspn(spec, ",");

		if (len && !apply_entry(spec, len))
			log_warn("log",
				 "%s: ignoring '%.*s' (levels: off error warn info debug trace, "
				 "or room=level)",
				 name, (int)len, spec);
		spec += len + (spec[len] == ',');
	}
	/* "ktstr=warn" applies to every room, wherever it is in the list. */
	for (size_t i = 0; i < room_count; i++)
		if (str_eq(rooms[i].room, "ktstr"))
			default_level = rooms[i].level;
}

void log_set_level(enum log_level level)
{
	default_level = level;
}

bool log_enabled(enum log_level level, const char *room)
{
	enum log_level limit = default_level;

	for (size_t i = 0; i < room_count; i++)
		if (str_eq(rooms[i].room, room))
			limit = rooms[i].level;
	return level <= limit;
}

static const char *note_label = "ktstr";

void log_set_label(const char *label)
{
	note_label = label;
}

const char *log_label(void)
{
	return note_label;
}

void log_note(const char *fmt, ...)
{
	_str_ struct str line = {}, shown = {};

	if (default_level < LOG_WARN)
		return;
	str_add_rest(&line, fmt);
	text_add_lines(&shown, str_get(&line));
	fprintf(stderr, "%s\n", str_get(&shown));
}

void log_line(enum log_level level, const char *room, const char *fmt, ...)
{
	char stamp[CLOCK_TEXT_SIZE];
	_str_ struct str line = {}, shown = {};

	if (!log_enabled(level, room))
		return;
	clock_format_utc(clock_wall_ns(), 6, stamp);
	str_addf(&line, "%s %s ktstr::%s: ", stamp, level_labels[level], room);
	str_add_rest(&line, fmt);
	text_add_printable(&shown, str_get(&line));
	fprintf(stderr, "%s\n", str_get(&shown));
}
