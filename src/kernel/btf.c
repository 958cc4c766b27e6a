// SPDX-License-Identifier: GPL-2.0-only
/* Walking the type section of BTF (Documentation/bpf/btf.rst). */
#include "kernel/btf.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/util.h"
#include "base/vec.h"

#define BTF_MAGIC 0xeb9f
#define MAX_TYPES (16u << 20)

enum btf_kind {
	KIND_INT = 1,
	KIND_ARRAY = 3,
	KIND_STRUCT = 4,
	KIND_UNION = 5,
	KIND_ENUM = 6,
	KIND_FUNC = 12,
	KIND_FUNC_PROTO = 13,
	KIND_VAR = 14,
	KIND_DATASEC = 15,
	KIND_DECL_TAG = 17,
	KIND_ENUM64 = 19,
	KIND_COUNT = 20,
};

struct btf_header {
	uint16_t magic;
	uint8_t version, flags;
	uint32_t hdr_len, type_off, type_len, str_off, str_len;
};

struct btf_type {
	uint32_t name, info, size_or_type;
};

/* Bytes behind a struct btf_type: once, and for each of its members. */
static const struct {
	uint8_t once, each;
} extra[KIND_COUNT] = {
	[KIND_INT] = { .once = 4 },	 [KIND_ARRAY] = { .once = 12 },
	[KIND_STRUCT] = { .each = 12 },	 [KIND_UNION] = { .each = 12 },
	[KIND_ENUM] = { .each = 8 },	 [KIND_FUNC_PROTO] = { .each = 8 },
	[KIND_VAR] = { .once = 4 },	 [KIND_DATASEC] = { .each = 12 },
	[KIND_DECL_TAG] = { .once = 4 }, [KIND_ENUM64] = { .each = 12 },
};

struct btf {
	const uint8_t *types;
	size_t types_len;
	const char *names;
	size_t names_len;
	VEC(uint32_t) offsets; /* of type number i + 1 */
	VEC(uint32_t) scx;     /* type numbers of functions with a name of sched_ext */
};

static int bad(const char *what)
{
	return err_set(EINVAL, "malformed BTF: %s", what);
}

static int open_sections(struct btf *b, const uint8_t *data, size_t len)
{
	struct btf_header h;

	if (len < sizeof(h))
		return bad("it is shorter than its header");
	memcpy(&h, data, sizeof(h));
	if (h.magic != BTF_MAGIC || h.version != 1 || h.hdr_len < sizeof(h) || h.hdr_len > len)
		return bad("the header is not one");
	data += h.hdr_len;
	len -= h.hdr_len;
	if (h.type_off > len || h.type_len > len - h.type_off || h.str_off > len ||
	    h.str_len > len - h.str_off)
		return bad("a section lies outside of it");
	b->types = data + h.type_off;
	b->types_len = h.type_len;
	b->names = (const char *)data + h.str_off;
	b->names_len = h.str_len;
	if (!b->names_len || b->names[b->names_len - 1])
		return bad("its strings do not end");
	return 0;
}

static const char *name_at(const struct btf *b, uint32_t offset)
{
	return offset < b->names_len ? b->names + offset : "";
}

static uint32_t kind_of(const struct btf_type *t)
{
	return t->info >> 24 & 31;
}

static size_t count_of(const struct btf_type *t)
{
	return t->info & 0xffff;
}

static bool is_scx_name(const char *name)
{
	return str_starts(name, "scx_bpf_") || str_starts(name, "__scx_bpf_") ||
	       str_starts(name, "bpf_iter_scx");
}

static int note_type(struct btf *b, const struct btf_type *t, struct btf_facts *out)
{
	const char *name = name_at(b, t->name);

	if (kind_of(t) == KIND_STRUCT && t->size_or_type && str_eq(name, "sched_ext_ops"))
		out->has_scx = true;
	if (kind_of(t) != KIND_FUNC || !is_scx_name(name))
		return 0;
	return vec_push(&b->scx, (uint32_t)b->offsets.count);
}

static int walk_types(struct btf *b, struct btf_facts *out)
{
	size_t at = 0;
	int rc = 0;

	while (at < b->types_len && rc == 0) {
		struct btf_type t;
		size_t more;

		if (b->types_len - at < sizeof(t))
			return bad("a type is cut off");
		memcpy(&t, b->types + at, sizeof(t));
		if (kind_of(&t) == 0 || kind_of(&t) >= KIND_COUNT)
			return bad("a type is of no known kind");
		if (b->offsets.count == MAX_TYPES)
			return bad("too many types");
		rc = vec_push(&b->offsets, (uint32_t)at);
		if (rc == 0)
			rc = note_type(b, &t, out);
		more = extra[kind_of(&t)].once + extra[kind_of(&t)].each * count_of(&t);
		at += sizeof(t);
		if (more > b->types_len - at)
			return bad("a type is cut off");
		at += more;
	}
	return rc;
}

/* Numbers that no type has give a type without a kind. */
static struct btf_type type_at(const struct btf *b, uint32_t number)
{
	struct btf_type t = {};

	if (number && number <= b->offsets.count)
		memcpy(&t, b->types + b->offsets.items[number - 1], sizeof(t));
	return t;
}

static const char *last_parameter(const struct btf *b, const struct btf_type *function)
{
	struct btf_type proto = type_at(b, function->size_or_type);
	uint32_t name;

	if (kind_of(&proto) != KIND_FUNC_PROTO || !count_of(&proto))
		return "";
	memcpy(&name,
	       b->types + b->offsets.items[function->size_or_type - 1] + sizeof(proto) +
		       (count_of(&proto) - 1) * extra[KIND_FUNC_PROTO].each,
	       sizeof(name));
	return name_at(b, name);
}

static bool has_twin(const struct btf *b, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < b->scx.count; i++) {
		struct btf_type t = type_at(b, b->scx.items[i]);
		const char *other = name_at(b, t.name);

		if (strncmp(other, name, len) == 0 && str_eq(other + len, "_impl"))
			return true;
	}
	return false;
}

static bool is_impl(const char *name)
{
	size_t len = strlen(name);

	return len > 5 && str_eq(name + len - 5, "_impl");
}

static uint32_t count_unsound(const struct btf *b)
{
	uint32_t count = 0;

	for (size_t i = 0; i < b->scx.count; i++) {
		struct btf_type t = type_at(b, b->scx.items[i]);
		const char *name = name_at(b, t.name);

		if (!is_impl(name) && str_eq(last_parameter(b, &t), "aux") && !has_twin(b, name))
			count++;
	}
	return count;
}

int btf_look(const void *data, size_t len, struct btf_facts *out)
{
	struct btf b = {};
	int rc;

	*out = (struct btf_facts){};
	rc = open_sections(&b, data, len);
	if (rc == 0)
		rc = walk_types(&b, out);
	if (rc == 0)
		out->unsound_kfuncs = count_unsound(&b);
	free(b.offsets.items);
	free(b.scx.items);
	return rc;
}
