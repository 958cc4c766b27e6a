/* SPDX-License-Identifier: GPL-2.0-only */
/* The members of metadata.json, as the reader and the writer see them. */
#ifndef KTSTR_KERNEL_METADATA_FIELDS_H
#define KTSTR_KERNEL_METADATA_FIELDS_H

#include <stddef.h>

enum meta_presence { META_REQUIRED, META_NULLABLE, META_OPTIONAL };

struct meta_field {
	const char *name;
	size_t offset; /* of the text in struct kernel_meta */
	enum meta_presence presence;
};

/* Lists end with a NULL name. */
extern const struct meta_field meta_fields[];

/* What a source has besides its type; by enum kernel_source. */
struct meta_source {
	const char *type;		 /* in the file */
	const char *column;		 /* in kernel list */
	const struct meta_field *fields; /* or NULL */
};

#define META_SOURCE_COUNT 4
extern const struct meta_source meta_sources[META_SOURCE_COUNT];

/* By enum kernel_btf; the first, unknown, has no word. */
#define META_BTF_COUNT 4
extern const char *const meta_btf_words[META_BTF_COUNT];

#endif
