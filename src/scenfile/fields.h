/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the readers of a scenario file, for the files of this directory only. */
#ifndef KTSTR_SCENFILE_FIELDS_H
#define KTSTR_SCENFILE_FIELDS_H

#include <ktstr/ktstr.h>

#include "base/base.h"

/*
 * tree.c: YAML as a tree that remembers its lines. Supports only what a scenario needs: one
 * document of maps, lists and scalars. Anchors, aliases and tags are rejected, so that a
 * small file cannot expand to a huge one.
 */

enum tree_kind { TREE_SCALAR, TREE_LIST, TREE_MAP };

struct tree_node {
	enum tree_kind kind;
	unsigned int line; /* from 1; for a member of a map, that of its key */
	const char *key;   /* of a member of a map, or NULL */
	const char *text;  /* of a scalar */
	struct tree_node *first, *next;
	size_t count; /* number of children */
};

/* Parses text; name is for messages, "NAME:LINE: what". All memory is from the arena. */
int tree_parse(const char *name, const char *text, size_t len, struct arena *arena,
	       struct tree_node **root);

/* "a map", "a list", "a value": for messages. */
const char *tree_kind_name(enum tree_kind kind);

/*
 * fields.c: reads maps of a scenario file into structs by tables: a key, how its value is
 * read, and where it is stored. Every error is one sentence with file and line; for an
 * unknown key, the nearest known one is suggested.
 */

struct scenfile_reader {
	const char *name; /* of the file */
	struct arena *arena;
};

typedef int read_fn(const struct scenfile_reader *r, const struct tree_node *node, void *out);

/* Tables end with a NULL key. */
struct scenfile_field {
	const char *key;
	read_fn *read;
	size_t offset;
};

#define FIELD(type, member, key_text, fn)                                                \
	{                                                                                \
		.key = (key_text), .read = (fn), .offset = offsetof(struct type, member) \
	}

/* Sets the message "NAME:LINE: sentence" and returns -EINVAL. */
int fail_at(const struct scenfile_reader *r, const struct tree_node *node, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Returns -EINVAL if the node is not of this kind. what: "a cgroup", for the message. */
int expect_kind(const struct scenfile_reader *r, const struct tree_node *node, enum tree_kind kind,
		const char *what);

/* Reads the members of a map by a table; what: "a cgroup", for messages. */
int read_fields(const struct scenfile_reader *r, const struct tree_node *node,
		const struct scenfile_field *fields, void *out, const char *what);

/* Reports an unknown word; the candidates end with NULL. */
int unknown_word(const struct scenfile_reader *r, const struct tree_node *node, const char *what,
		 const char *word, const char *const *candidates);

/* Returns the index of a scalar among words, or -EINVAL. */
int read_word(const struct scenfile_reader *r, const struct tree_node *node, const char *what,
	      const char *const *words);

/* Reads the items of a list, each of this size; they are zeroed, and followed by a zeroed one. */
int read_list(const struct scenfile_reader *r, const struct tree_node *node, const char *what,
	      size_t size, read_fn *read, void **items);

/*
 * One of several kinds: a word alone, or { key: value } with more details. The number of
 * the kind is stored at the beginning of out. Tables end with a NULL key.
 */
struct scenfile_form {
	const char *key;
	int kind;
	read_fn *read; /* for the value, after the fields if there are any; NULL = none */
	size_t offset; /* of the member that it reads */
	const struct scenfile_field *fields; /* if the value is a map, or NULL */
	const char *what;		     /* name of that map in messages; NULL = its key */
	size_t required;		     /* the first so many fields are required */
};

struct forms {
	const char *name; /* "an affinity", for messages */
	const char *word; /* name of an unknown word, */
	const char *key;  /* and of an unknown key, in messages */
	const struct scenfile_form *rows;
};

int read_form(const struct scenfile_reader *r, const struct tree_node *node, const struct forms *f,
	      void *out);

/* Returns the only member of a map such as { fifo: 10 }. */
int read_single(const struct scenfile_reader *r, const struct tree_node *node, const char *what,
		const struct tree_node **member);

/* Readers of values. out points to the type of the name. */
read_fn read_text, read_u32, read_int, read_u64, read_i64, read_double, read_share, read_tri,
	read_bool, read_duration_ms, read_duration_us, read_duration_ns, read_cpus, read_nodes,
	read_cgroup_name, read_texts;

/* values.c: values of a scenario file that are more than one word. */

/* out is the struct ktstr_... of that name. */
read_fn read_cpuset, read_affinity, read_policy, read_mem_policy, read_mpol_flags, read_hold,
	read_work_type, read_payload;

/* A group of workers; the table is also used for operations that have more keys. */
read_fn read_nice;
int check_group(const struct scenfile_reader *r, const struct tree_node *node,
		const struct ktstr_work_type *type, uint32_t workers);

/* out is const struct ktstr_work *, const struct ktstr_cgroup *, ..., terminated as in the API. */
read_fn read_works, read_cgroup, read_cgroups, read_ops;

/* names.c: whether operations use cgroups that exist. */

/* Returns -EINVAL with the line of an operation on a cgroup that the file never creates. */
int names_check(const struct scenfile_reader *r, const struct tree_node *root);

#endif
