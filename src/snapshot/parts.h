/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the files of this directory: nodes behind the handles of test code, lists in
 * messages.
 */
#ifndef KTSTR_SNAPSHOT_PARTS_H
#define KTSTR_SNAPSHOT_PARTS_H

#include "snapshot/snapshot.h"

/* Test code gets nodes of the tree as opaque types. */
static inline const struct json_node *node_of(const void *handle)
{
	return handle;
}

/* Names for a message: "[a, b, and 7 more]". */
struct name_list {
	struct str text;
	size_t count;
};

void name_list_add(struct name_list *l, const char *name);
const char *name_list_end(struct name_list *l);
void name_list_finish(struct name_list *l);

/* The named parts of a value: members of a struct, or variables of a section. */
const struct json_node *value_member(const struct json_node *value, const char *name, size_t len);
void name_list_add_members(struct name_list *l, const struct json_node *value);

/* Stands for an array element that was left out of the file: all of it is 0. */
extern const struct json_node value_zero;

/* One snapshot of a series. */
struct series_point {
	const char *name;
	uint64_t time_ns;
	bool is_known; /* false = a gap */
	double value;
};

struct ktstr_series {
	char *what;
	VEC(struct series_point) points;
};

#endif
