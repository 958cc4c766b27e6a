/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Structs as JSON objects: one table of fields writes a struct, reads it back, frees it and
 * copies it to a struct of another table. Adding a field is adding a row.
 *
 *	static const struct json_field point_fields[] = {
 *		JSON_FIELD(point, name, TEXT, .flags = FIELD_REQUIRED),
 *		JSON_FIELD_IF(point, speed, DOUBLE, has_speed),
 *		{}
 *	};
 *
 * Absent is not zero: a text that is NULL, and a member whose JSON_FIELD_IF flag is false, is
 * null in the text, and null or nothing in the text leaves both as they are. Keys that are not
 * in the table are passed over; a key that is given twice makes the text malformed.
 */
#ifndef KTSTR_BASE_JSON_FIELDS_H
#define KTSTR_BASE_JSON_FIELDS_H

#include <stddef.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/json_read.h"

enum json_field_kind {
	FIELD_TEXT, /* char *; null when NULL */
	FIELD_BOOL,
	FIELD_U16,
	FIELD_U32,
	FIELD_U64,
	FIELD_INT,
	FIELD_I64,
	FIELD_DOUBLE, /* finite */
	FIELD_WORD,   /* an enum, by words */
	FIELD_OBJECT, /* a struct in place, by fields */
	FIELD_LIST,   /* struct json_list of elements */
	FIELD_MAP,    /* the same as an object; elements begin with their key, a char * */
	FIELD_OWN,    /* converted by own */
	FIELD_SCHEMA, /* no member: the version, which is size */
};

enum {
	FIELD_REQUIRED = 1, /* null or absent makes the text unusable */
	FIELD_LEFT_OUT = 2, /* not written when absent; a U64 without flag when 0 */
	FIELD_PRESENT = 8,  /* has to be there, but may be null */
	FIELD_OPEN = 4,	    /* values that are not known count as absent: newer writers have more */
	FIELD_WHOLE = 16,   /* an object with has: there if all its members are */
	FIELD_OLD = 32,	    /* only read: of older writers */
};

/* { items, count }, or a VEC() where memory is not an arena's. */
struct json_list {
	void *items;
	size_t count;
};

/* State of a load. */
struct json_load {
	struct json_reader *r;
	struct arena *arena;   /* for strings and lists; NULL: malloc() and VEC() */
	bool nulls_are_absent; /* also where a plain number or word is expected */
	bool is_lenient;       /* report invalid or missing fields only in wrong and missing */
	uint64_t *unfit;       /* counts numbers that do not fit, which are absent; NULL: wrong */
	bool is_whole;	       /* the object that was read last had all its members */
	/* Results of a failed load: */
	const char *missing;		/* a required field that is missing */
	const struct json_field *wrong; /* the first one with a value of another kind: */
	enum json_field_kind expected;
	enum json_kind found;
	bool is_other_schema; /* other_schema is its version */
	uint64_t other_schema;
	bool is_out_of_memory;
};

struct json_own {
	void (*put)(struct json *j, const void *member);
	/*
	 * Called with the value that was just read. False if it does not fit. NULL: not read back.
	 */
	bool (*load)(struct json_load *l, const struct json_value *v, void *member);
	bool (*has)(const void *member); /* returns whether there is a value; NULL: always */
	/* For copies of another own of the same name; false if out of memory. NULL: no copy. */
	bool (*copy)(struct arena *a, void *to, const void *from);
};

/* Tables end with a NULL name and have at most 64 rows. */
struct json_field {
	const char *name;
	enum json_field_kind kind;
	unsigned int flags;
	size_t offset;
	size_t has; /* 1 + offset of the bool that says whether there is a value; 0 = always */
	const struct json_field *fields; /* of objects, and of elements: then they are objects */
	enum json_field_kind element;	 /* of lists without fields */
	size_t size;			 /* of an element with fields, or of a value with own */
	void (*init)(void *element);	 /* instead of zeros */
	const char *const
		*words; /* by value; the last is NULL, and the first where it is not a value */
	const struct json_own *own;
	const char *from; /* its name where it is copied from; NULL = the same */
};

/* clang-format off */
#define JSON_NAMED(json_name, type, member, k, ...) \
	{ .name = (json_name), .kind = FIELD_##k, .offset = offsetof(struct type, member), \
	  ##__VA_ARGS__ }
#define JSON_FIELD(type, member, k, ...) JSON_NAMED(#member, type, member, k, ##__VA_ARGS__)

/* A member that is valid only if a bool of the same struct is true. */
#define JSON_HAS(type, flag) .has = offsetof(struct type, flag) + 1
#define JSON_FIELD_IF(type, member, k, flag) JSON_FIELD(type, member, k, JSON_HAS(type, flag))
/* struct { bool is_known; ... value; } */
#define JSON_NUMBER(type, member, k, ...) \
	JSON_NAMED(#member, type, member.value, k, JSON_HAS(type, member.is_known), ##__VA_ARGS__)

/* Structs: embedded, in a list, and in an array followed by its counter. */
#define JSON_STRUCT(type, member, table, ...) \
	JSON_FIELD(type, member, OBJECT, .fields = (table), ##__VA_ARGS__)
#define JSON_LIST_OF(json_name, type, member, table, ...) \
	JSON_NAMED(json_name, type, member, LIST, .fields = (table), \
		   .size = sizeof(*((struct type *)0)->member.items), ##__VA_ARGS__)
#define JSON_ARRAY_OF(json_name, type, member, counter, table, ...) \
	JSON_NAMED(json_name, type, member, LIST, .fields = (table), \
		   .size = sizeof(*((struct type *)0)->member) + \
			   0 * sizeof(struct { \
				int of_counter; \
				_Static_assert(offsetof(struct type, counter) == \
					       offsetof(struct type, member) + sizeof(void *), ""); \
			   }), ##__VA_ARGS__)
/* Texts or numbers. */
#define JSON_LIST(type, member, k) JSON_FIELD(type, member, LIST, .element = FIELD_##k)

#define JSON_OWN(json_name, type, member, how, ...) \
	JSON_NAMED(json_name, type, member, OWN, .own = &(how), \
		   .size = sizeof(((struct type *)0)->member), ##__VA_ARGS__)
/* clang-format on */

/* Finds a field by name, or NULL; and returns whether the struct has a value for it. */
const struct json_field *json_field_find(const struct json_field *fields, const char *name);
bool json_field_has(const struct json_field *f, const void *base);

/* Writes one member, all members into the current object, and the whole object. */
void json_put_field(struct json *j, const struct json_field *f, const void *from);
void json_put_fields(struct json *j, const struct json_field *fields, const void *from);
void json_put_struct(struct json *j, const struct json_field *fields, const void *from);

/* Reads the members of the current object, up to its end. */
void json_load_fields(struct json_load *l, const struct json_field *fields, void *into);
/* Reads a whole text. Returns whether it was valid; if not, reader or loader have the reason. */
bool json_load_text(struct json_load *l, const struct json_field *fields, void *into);
/* Reads a text that is the value of this field, for instance a list. */
bool json_load_whole(struct json_load *l, const struct json_field *f, void *into);
/* For FIELD_OWN: copies a string as the loader stores them, or NULL. */
void json_load_no_memory(struct json_load *l);
/* For FIELD_OWN: turns elements collected in malloc()ed memory into a list. */
void json_load_keep(struct json_load *l, void *items, size_t count, size_t size,
		    struct json_list *to);

/* Frees data that was read without an arena. */
void json_free_fields(const struct json_field *fields, void *from);

/*
 * Copies fields that both tables have under the same name (see from): of the same kind, numbers to
 * doubles, words to strings, lists and objects by their fields. False if out of memory.
 */
bool json_copy_fields(struct arena *a, const struct json_field *to_fields, void *to,
		      const struct json_field *from_fields, const void *from);

#endif
