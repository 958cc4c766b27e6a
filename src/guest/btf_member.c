// SPDX-License-Identifier: GPL-2.0-only
/* A walk over BTF that keeps nothing: one question is asked per run. */
#include "guest/bpf_code.h"

#include <errno.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <string.h>

#include "base/util.h"

struct btf_view {
	const uint8_t *types, *end;
	const char *strings;
	size_t strings_len;
};

static int open_view(const void *btf, size_t len, struct btf_view *v)
{
	struct btf_header h;
	uint64_t types, strings;

	if (len < sizeof(h))
		return -EINVAL;
	memcpy(&h, btf, sizeof(h));
	types = (uint64_t)h.hdr_len + h.type_off;
	strings = (uint64_t)h.hdr_len + h.str_off;
	if (h.magic != BTF_MAGIC || types + h.type_len > len || strings + h.str_len > len)
		return -EINVAL;
	v->types = (const uint8_t *)btf + types;
	v->end = v->types + h.type_len;
	v->strings = (const char *)btf + strings;
	v->strings_len = h.str_len;
	return 0;
}

/* Bytes behind the head of a type; -1 for a kind that is not known. */
static int64_t extra_bytes(const struct btf_type *t)
{
	int64_t count = BTF_INFO_VLEN(t->info);

	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return 4;
	case BTF_KIND_ARRAY:
		return 12;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_DATASEC:
	case BTF_KIND_ENUM64:
		return 12 * count;
	case BTF_KIND_ENUM:
	case BTF_KIND_FUNC_PROTO:
		return 8 * count;
	default:
		return BTF_INFO_KIND(t->info) <= BTF_KIND_TYPE_TAG ? 0 : -1;
	}
}

/* The type at p, whose extra bytes are inside the view. Where the next one begins, or NULL. */
static const uint8_t *read_type(const struct btf_view *v, const uint8_t *p, struct btf_type *t)
{
	size_t left = (size_t)(v->end - p);
	int64_t extra;

	if (left < sizeof(*t))
		return NULL;
	memcpy(t, p, sizeof(*t));
	extra = extra_bytes(t);
	if (extra < 0 || left < sizeof(*t) + (size_t)extra)
		return NULL;
	return p + sizeof(*t) + extra;
}

static const uint8_t *find_type(const struct btf_view *v, uint32_t id, struct btf_type *t)
{
	const uint8_t *p = v->types, *next;

	for (uint32_t i = 1; (next = read_type(v, p, t)); i++, p = next)
		if (i == id)
			return p + sizeof(*t);
	return NULL;
}

static bool has_name(const struct btf_view *v, uint32_t offset, const char *name)
{
	size_t len = strlen(name) + 1;

	return offset < v->strings_len && len <= v->strings_len - offset &&
	       memcmp(v->strings + offset, name, len) == 0;
}

int btf_find_member(const void *btf, size_t len, uint32_t struct_id, const char *name,
		    uint32_t *offset, uint32_t *type_id)
{
	struct btf_view v;
	struct btf_type t;
	const uint8_t *members;

	if (open_view(btf, len, &v) < 0)
		return -EINVAL;
	members = find_type(&v, struct_id, &t);
	if (!members || BTF_INFO_KIND(t.info) != BTF_KIND_STRUCT)
		return -EINVAL;
	for (size_t i = 0; i < BTF_INFO_VLEN(t.info); i++) {
		struct btf_member m;

		memcpy(&m, members + i * sizeof(m), sizeof(m));
		if (!has_name(&v, m.name_off, name))
			continue;
		*offset = (BTF_INFO_KFLAG(t.info) ? BTF_MEMBER_BIT_OFFSET(m.offset) : m.offset) / 8;
		*type_id = m.type;
		return 0;
	}
	return -ENOENT;
}

int btf_each_struct(const void *btf, size_t len, const char *prefix,
		    void (*fn)(void *ctx, uint32_t id), void *ctx)
{
	size_t prefix_len = strlen(prefix);
	const uint8_t *p, *next;
	struct btf_view v;
	struct btf_type t;

	if (open_view(btf, len, &v) < 0)
		return -EINVAL;
	p = v.types;
	for (uint32_t id = 1; (next = read_type(&v, p, &t)); id++, p = next)
		if (BTF_INFO_KIND(t.info) == BTF_KIND_STRUCT && t.name_off < v.strings_len &&
		    prefix_len <= v.strings_len - t.name_off &&
		    memcmp(v.strings + t.name_off, prefix, prefix_len) == 0)
			fn(ctx, id);
	return 0;
}
