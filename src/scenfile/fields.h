/* SPDX-License-Identifier: GPL-2.0-only */
/* What the readers of a scenario file share: for the files of this room only. */
#ifndef KTSTR_SCENFILE_FIELDS_H
#define KTSTR_SCENFILE_FIELDS_H

#include <ktstr/ktstr.h>

#include "base/base.h"

/*
 * tree.c: YAML as a tree that remembers its lines. Only what a scenario needs: one document
 * of maps, lists and scalars. Anchors, aliases and tags are refused, so that a small
 * file cannot stand for a huge one.
 */

enum tree_kind { TREE_SCALAR, TREE_LIST, TREE_MAP };

struct tree_node {
	enum tree_kind kind;
	unsigned int line; /* from 1; of a member of a map: of its key */
	const char *key;   /* of a member of a map, or NULL */
	const char *text;  /* of a scalar */
	struct tree_node *first, *next;
	size_t count; /* of children */
};

/* Parses text; name is for messages, "NAME:LINE: what". Everything is in the arena. */
int tree_parse(const char *name, const char *text, size_t len, struct arena *arena,
	       struct tree_node **root);

/* "a map", "a list", "a value": for messages. */
const char *tree_kind_name(enum tree_kind kind);

/*
 * fields.c: Maps of a scenario file into structs, by tables: a key, how its value is read, and
 * where it goes. Every problem is one sentence with file and line; a key that is not
 * known comes with the nearest that is.
 */

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

/*
 * One of several kinds of a thing: a word alone, or { key: value } where there is more to say.
 * The number of the kind goes to where out begins. Lists end with a NULL key.
 */
struct form {
	const char *key;
	int kind;
	read_fn *read; /* of the value, after the fields if there are any; NULL = none */
	size_t offset; /* of what it reads into */
	const struct field *fields; /* of a value that is a map, or NULL */
	const char *what;	    /* that map is, for messages; NULL = its key */
	size_t required;	    /* so many of them must be there, the first ones */
};

struct forms {
	const char *name; /* "an affinity": for messages */
	const char *word; /* what a word alone, */
	const char *key;  /* and what a key is called when it is not known */
	const struct form *rows;
};

int read_form(const struct reader *r, const struct tree_node *node, const struct forms *f,
	      void *out);

/* A map with one member, such as { fifo: 10 }: that member. */
int read_single(const struct reader *r, const struct tree_node *node, const char *what,
		const struct tree_node **member);

/* Values. out is the type in the name. */
read_fn read_text, read_u32, read_int, read_u64, read_i64, read_double, read_share, read_tri,
	read_bool, read_duration_ms, read_duration_us, read_duration_ns, read_cpus, read_nodes,
	read_cgroup_name, read_texts;

/* values.c: Values of a scenario file that are more than one word. */

/* out is the struct ktstr_... of that name. */
read_fn read_cpuset, read_affinity, read_policy, read_mem_policy, read_mpol_flags, read_hold,
	read_work_type, read_payload;

/* One group of workers; the table also serves operations that have more keys. */
read_fn read_work, read_nice;
int check_group(const struct reader *r, const struct tree_node *node,
		const struct ktstr_work_type *type, uint32_t workers);

/* const struct ktstr_work *, const struct ktstr_cgroup *, ... that end as the API wants. */
read_fn read_works, read_cgroup, read_cgroups, read_ops;

/* names.c: Whether operations speak of cgroups that exist. */

/* -EINVAL with the line of an operation on a cgroup that the file makes nowhere. */
int names_check(const struct reader *r, const struct tree_node *root);

#endif
