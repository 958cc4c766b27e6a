/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Failure dumps and snapshots for a person: the failure text and `ktstr show-dump` print what the
 * file says. Files may come from anywhere, and names in them are the guest's own: each is printed
 * on its line, without control characters.
 */
#ifndef KTSTR_WATCH_DUMP_TEXT_H
#define KTSTR_WATCH_DUMP_TEXT_H

#include "base/base.h"
#include "base/json_tree.h"

/* How much is shown of what may be long. */
struct dump_limits {
	size_t tasks;	  /* of a queue */
	size_t values;	  /* of a map */
	size_t variables; /* of a section of a program */
	size_t columns;	  /* of one value, more or less */
	size_t bytes;	  /* of all maps, more or less */
};

extern const struct dump_limits dump_brief, dump_whole;

/* Parts of a dump by their titles, in the order of the failure text; nothing = it has none. */
struct dump_section {
	const char *title;
	bool is_detail; /* too much for the failure text */
	void (*add)(const struct json_node *dump, const struct dump_limits *limits,
		    struct str *out);
};

extern const struct dump_section dump_sections[8];

/*
 * One map with all that it holds, by its name or the end of it (".bss"). -ENOENT with a message
 * that lists the maps that there are.
 */
int dump_add_map(const struct json_node *dump, const char *name, struct str *out);

/* A runnable task, and what maps hold of it. -ENOENT with a message that lists the tasks. */
int dump_add_task(const struct json_node *dump, uint64_t pid, struct str *out);

/* A string of the guest's; a number or whatever else has no parts. */
void dump_add_string(struct str *out, const char *s);
void dump_add_plain(const struct json_node *node, struct str *out);

/* A node of datum.h on one line: {vtime=7 name="x" clock={...}}; zeros are left out. */
void dump_add_value(const struct json_node *value, size_t columns, struct str *out);
bool dump_is_zero(const struct json_node *value);

#endif
