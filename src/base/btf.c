// SPDX-License-Identifier: GPL-2.0-only
/* Opens BTF and looks up types. */
#include "base/btf.h"

#include "base/base.h"

#define BTF_MAGIC 0xeb9f
#define MAX_TYPES (16u << 20)
#define MAX_NESTING 16

struct btf_header {
	uint16_t magic;
	uint8_t version, flags;
	uint32_t hdr_len, type_off, type_len, str_off, str_len;
};

/* Size of the data after a struct btf_type: fixed part, and per member. */
static const struct {
	uint8_t once, each;
} extra[BTF_KIND_COUNT] = {
	[BTF_INT] = { .once = 4 },	[BTF_ARRAY] = { .once = 12 },
	[BTF_STRUCT] = { .each = 12 },	[BTF_UNION] = { .each = 12 },
	[BTF_ENUM] = { .each = 8 },	[BTF_FUNC_PROTO] = { .each = 8 },
	[BTF_VAR] = { .once = 4 },	[BTF_DATASEC] = { .each = 12 },
	[BTF_DECL_TAG] = { .once = 4 }, [BTF_ENUM64] = { .each = 12 },
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

static int walk_types(struct btf *b)
{
	size_t at = 0;
	int rc = 0;

	while (at < b->types_len && rc == 0) {
		struct btf_type t;
		size_t more;

		if (b->types_len - at < sizeof(t))
			return bad("a type is cut off");
		memcpy(&t, b->types + at, sizeof(t));
		if (btf_kind_of(&t) == 0 || btf_kind_of(&t) >= BTF_KIND_COUNT)
			return bad("a type is of no known kind");
		if (b->offsets.count == MAX_TYPES)
			return bad("too many types");
		rc = vec_push(&b->offsets, (uint32_t)at);
		more = extra[btf_kind_of(&t)].once + extra[btf_kind_of(&t)].each * btf_count_of(&t);
		at += sizeof(t);
		if (more > b->types_len - at)
			return bad("a type is cut off");
		at += more;
	}
	return rc;
}

size_t btf_length(const void *data, size_t len)
{
	struct btf_header h;
	struct btf b;

	if (open_sections(&b, data, len) < 0) {
		err_clear();
		return 0;
	}
	memcpy(&h, data, sizeof(h));
	return h.hdr_len + MAX((size_t)h.type_off + h.type_len, (size_t)h.str_off + h.str_len);
}

int btf_open(struct btf *b, const void *data, size_t len)
{
	int rc;

	*b = (struct btf){};
	rc = open_sections(b, data, len) ?: walk_types(b);
	if (rc < 0)
		btf_close(b);
	return rc;
}

void btf_close(struct btf *b)
{
	free(b->offsets.items);
	*b = (struct btf){};
}

const char *btf_name_at(const struct btf *b, uint32_t offset)
{
	return offset < b->names_len ? b->names + offset : "";
}

struct btf_type btf_type_at(const struct btf *b, uint32_t number)
{
	struct btf_type t = {};

	if (number && number <= b->offsets.count)
		memcpy(&t, b->types + b->offsets.items[number - 1], sizeof(t));
	return t;
}

struct btf_member btf_member_at(const struct btf *b, uint32_t number, size_t i)
{
	struct btf_member m;

	memcpy(&m,
	       b->types + b->offsets.items[number - 1] + sizeof(struct btf_type) + i * sizeof(m),
	       sizeof(m));
	return m;
}

uint32_t btf_word_at(const struct btf *b, uint32_t number, size_t i)
{
	uint32_t word;

	memcpy(&word,
	       b->types + b->offsets.items[number - 1] + sizeof(struct btf_type) + i * sizeof(word),
	       sizeof(word));
	return word;
}

const char *btf_last_parameter(const struct btf *b, const struct btf_type *function)
{
	struct btf_type proto = btf_type_at(b, function->size_or_type);
	size_t count = btf_count_of(&proto);

	if (btf_kind_of(&proto) != BTF_FUNC_PROTO || !count)
		return "";
	return btf_name_at(b, btf_word_at(b, function->size_or_type, (count - 1) * 2));
}

bool btf_parameter_at(const struct btf *b, uint32_t function, size_t i, struct btf_parameter *out)
{
	struct btf_type f = btf_type_at(b, function), proto = btf_type_at(b, f.size_or_type);

	if (btf_kind_of(&f) != BTF_FUNC || btf_kind_of(&proto) != BTF_FUNC_PROTO ||
	    i >= btf_count_of(&proto))
		return false;
	out->name = btf_name_at(b, btf_word_at(b, f.size_or_type, 2 * i));
	out->type = btf_word_at(b, f.size_or_type, 2 * i + 1);
	return true;
}

uint32_t btf_result_of(const struct btf *b, uint32_t function)
{
	struct btf_type f = btf_type_at(b, function), proto = btf_type_at(b, f.size_or_type);

	return btf_kind_of(&f) == BTF_FUNC && btf_kind_of(&proto) == BTF_FUNC_PROTO ?
		       proto.size_or_type :
		       0;
}

bool btf_points_to(const struct btf *b, uint32_t number, const char *name)
{
	struct btf_type t = btf_type_at(b, btf_skip_modifiers(b, number));

	if (btf_kind_of(&t) != BTF_PTR)
		return false;
	t = btf_type_at(b, btf_skip_modifiers(b, t.size_or_type));
	return btf_kind_of(&t) == BTF_STRUCT && str_eq(btf_name_at(b, t.name), name);
}

static bool is_record(const struct btf_type *t)
{
	return btf_kind_of(t) == BTF_STRUCT || btf_kind_of(t) == BTF_UNION;
}

/* Typedefs and qualifiers do not affect the layout. */
uint32_t btf_skip_modifiers(const struct btf *b, uint32_t number)
{
	for (int i = 0; i < MAX_NESTING; i++) {
		struct btf_type t = btf_type_at(b, number);

		switch (btf_kind_of(&t)) {
		case BTF_TYPEDEF:
		case BTF_VOLATILE:
		case BTF_CONST:
		case BTF_RESTRICT:
		case BTF_TYPE_TAG:
			number = t.size_or_type;
			break;
		default:
			return number;
		}
	}
	return 0;
}

static bool is_name(const char *name, const char *wanted, size_t len)
{
	/* Most of a kernel's 100,000 names differ in the first letter: avoids a call for these. */
	return (!len || *name == *wanted) && strncmp(name, wanted, len) == 0 && !name[len];
}

/* Finds a member by name, also inside unnamed members. */
static bool find_member(const struct btf *b, uint32_t number, const char *name, size_t len,
			int depth, uint64_t *bits, uint32_t *type)
{
	struct btf_type t = btf_type_at(b, number);
	bool has_bit_fields = t.info >> 31;

	if (!is_record(&t) || depth > MAX_NESTING)
		return false;
	for (size_t i = 0; i < btf_count_of(&t); i++) {
		struct btf_member m = btf_member_at(b, number, i);
		uint64_t at = has_bit_fields ? m.offset & 0xffffff : m.offset;
		const char *found = btf_name_at(b, m.name);

		if (*found ? !is_name(found, name, len) :
			     !find_member(b, btf_skip_modifiers(b, m.type), name, len, depth + 1,
					  bits, type))
			continue;
		if (*found && has_bit_fields && m.offset >> 24)
			return false;
		*bits += at;
		if (*found)
			*type = btf_skip_modifiers(b, m.type);
		return true;
	}
	return false;
}

uint32_t btf_find(const struct btf *b, enum btf_kind kind, const char *name, size_t len)
{
	for (uint32_t i = 1; i <= b->offsets.count; i++) {
		struct btf_type t = btf_type_at(b, i);

		if (btf_kind_of(&t) == kind && t.size_or_type &&
		    is_name(btf_name_at(b, t.name), name, len))
			return i;
	}
	return 0;
}

uint32_t btf_next_struct(const struct btf *b, uint32_t after, const char *prefix)
{
	for (uint32_t i = after + 1; i <= b->offsets.count; i++) {
		struct btf_type t = btf_type_at(b, i);

		if (btf_kind_of(&t) == BTF_STRUCT && str_starts(btf_name_at(b, t.name), prefix))
			return i;
	}
	return 0;
}

/* Names and values; values are two words in 64-bit enums. */
const char *btf_enumerator_name(const struct btf *b, uint32_t type, uint64_t value)
{
	struct btf_type t = btf_type_at(b, type);
	bool is_large = btf_kind_of(&t) == BTF_ENUM64;
	size_t step = is_large ? 3 : 2;

	if (!is_large && btf_kind_of(&t) != BTF_ENUM)
		return "";
	for (size_t i = 0; i < btf_count_of(&t); i++) {
		uint64_t number = btf_word_at(b, type, i * step + 1);

		if (is_large)
			number |= (uint64_t)btf_word_at(b, type, i * step + 2) << 32;
		if (number == (is_large ? value : (uint32_t)value))
			return btf_name_at(b, btf_word_at(b, type, i * step));
	}
	return "";
}

bool btf_has_enumerator(const struct btf *b, const char *path)
{
	size_t len = strcspn(path, ".");
	uint32_t number = btf_find(b, BTF_ENUM, path, len);
	struct btf_type t = btf_type_at(b, number);

	for (size_t i = 0; number && path[len] && i < btf_count_of(&t); i++)
		if (str_eq(btf_name_at(b, btf_word_at(b, number, i * 2)), path + len + 1))
			return true;
	return false;
}

static uint32_t size_of(const struct btf *b, uint32_t type)
{
	struct btf_type t = btf_type_at(b, type);

	switch (btf_kind_of(&t)) {
	case BTF_PTR:
		return sizeof(uint64_t);
	case BTF_INT:
	case BTF_ENUM:
	case BTF_ENUM64:
	case BTF_FLOAT:
	case BTF_STRUCT:
	case BTF_UNION:
		return t.size_or_type;
	default:
		return 0;
	}
}

uint64_t btf_size_of(const struct btf *b, uint32_t number)
{
	uint64_t count = 1, each;

	for (int i = 0; i < MAX_NESTING; i++) {
		struct btf_type t;

		number = btf_skip_modifiers(b, number);
		t = btf_type_at(b, number);
		if (btf_kind_of(&t) != BTF_ARRAY) {
			each = size_of(b, number);
			return each && count > UINT64_MAX / each ? 0 : count * each;
		}
		each = btf_word_at(b, number, 2);
		if (each && count > UINT64_MAX / each)
			return 0;
		count *= each;
		number = btf_word_at(b, number, 0);
	}
	return 0;
}

int btf_member_in(const struct btf *b, uint32_t type, const char *path, struct btf_place *out)
{
	uint64_t bits = 0;
	size_t len;

	for (; *path; path += len + (path[len] == '.')) {
		len = strcspn(path, ".");
		if (!find_member(b, type, path, len, 0, &bits, &type))
			return -ENOENT;
	}
	*out = (struct btf_place){ .offset = bits / 8, .size = size_of(b, type) };
	return bits % 8 ? -ENOENT : 0;
}

int btf_offset(const struct btf *b, const char *path, uint64_t *offset)
{
	size_t len = strcspn(path, ".");
	uint32_t type = btf_find(b, BTF_STRUCT, path, len);
	struct btf_place place;
	int rc;

	if (!type)
		return -ENOENT;
	rc = btf_member_in(b, type, path + len + (path[len] == '.'), &place);
	*offset = rc < 0 ? 0 : place.offset;
	return rc;
}

size_t btf_find_parameter(const struct btf *b, const char *function, const char *type)
{
	uint32_t number = btf_find(b, BTF_FUNC, function, strlen(function));
	struct btf_parameter p;

	for (size_t i = 0; btf_parameter_at(b, number, i, &p); i++)
		if (btf_points_to(b, p.type, type))
			return i + 1;
	return 0;
}
