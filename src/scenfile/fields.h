/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maps of a scenario file into structs, by tables: a key, how its value is read, and
 * where it goes. Every problem is one sentence with file and line; a key that is not
 * known comes with the nearest that is.
 */
#ifndef KTSTR_SCENFILE_FIELDS_H
#define KTSTR_SCENFILE_FIELDS_H

#include <stddef.h>

#include "scenfile/tree.h"

struct reader {
	const char *name; /* of the file */
	struct arena *arena;
};

typedef int read_fn(const struct reader *r, const struct tree_node *node, void *out);

/* Lists end with a NULL key. */
struct field {
	const char *key;
	read_fn *read;
	size_t offset;
};

#define FIELD(type, member, key_text, fn)                                                \
	{                                                                                \
		.key = (key_text), .read = (fn), .offset = offsetof(struct type, member) \
	}

/* "NAME:LINE: sentence"; returns -EINVAL. */
int fail_at(const struct reader *r, const struct tree_node *node, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* -EINVAL: the node is not of this kind. what = "a cgroup". */
int expect_kind(const struct reader *r, const struct tree_node *node, enum tree_kind kind,
		const char *what);

/* The members of a map by a table; what = "a cgroup" for messages. */
int read_fields(const struct reader *r, const struct tree_node *node, const struct field *fields,
		void *out, const char *what);

/* Complains about a word; the candidates end with NULL. */
int unknown_word(const struct reader *r, const struct tree_node *node, const char *what,
		 const char *word, const char *const *candidates);

/* The index of a scalar among words, or -EINVAL. */
int read_word(const struct reader *r, const struct tree_node *node, const char *what,
	      const char *const *words);

/* The items of a list, each of this size, zeroed, with one more zeroed at the end. */
int read_list(const struct reader *r, const struct tree_node *node, const char *what, size_t size,
	      read_fn *read, void **items);

/* A map with one member, such as { fifo: 10 }: that member. */
int read_single(const struct reader *r, const struct tree_node *node, const char *what,
		const struct tree_node **member);

/* Values. out is the type in the name. */
read_fn read_text, read_u32, read_int, read_u64, read_i64, read_double, read_share, read_tri,
	read_bool, read_duration_ms, read_duration_us, read_duration_ns, read_cpus, read_nodes,
	read_cgroup_name, read_texts;

#endif
