// SPDX-License-Identifier: GPL-2.0-only
/*
 * JSON to sidecars. What is not there stays unknown; what is there and of another
 * type makes the whole file unusable, because half a record misleads.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/file.h"
#include "base/util.h"
#include "base/vec.h"
#include "check/result_fields.h"
#include "check/sidecar_fields.h"
#include "check/verdict.h"
#include "work/histogram.h"

#define MAX_FILE_SIZE (64 << 20)

struct loader {
	struct json_reader r;
	struct sidecar *s;
	const char *missing; /* a field that had to be there */
	uint64_t other_schema;
	bool is_other_schema;
	bool is_out_of_memory;
};

static void load_fields(struct loader *l, const struct sidecar_field *fields, void *base);

static void fail(struct loader *l, const char *problem)
{
	json_read_fail(&l->r, problem);
}

static void *keep(struct loader *l, const void *data, size_t size)
{
	void *kept = size ? arena_alloc(&l->s->arena, size) : NULL;

	if (kept)
		memcpy(kept, data, size);
	else if (size)
		l->is_out_of_memory = true;
	return kept;
}

static const char *keep_text(struct loader *l, const struct json_value *v)
{
	const char *text = arena_copy(&l->s->arena, v->s, v->len);

	if (!text)
		l->is_out_of_memory = true;
	return text;
}

static void load_word(struct loader *l, const struct json_value *v, const char *const *words,
		      size_t count, unsigned int *to)
{
	if (v->kind != JSON_STRING) {
		fail(l, "expected a string");
		return;
	}
	for (unsigned int i = 0; i < count; i++) {
		if (str_eq(words[i], v->s)) {
			*to = i;
			return;
		}
	}
	fail(l, "an unknown word");
}

static void load_verdict(struct loader *l, const struct json_value *v, enum ktstr_verdict *to)
{
	if (v->kind != JSON_STRING)
		fail(l, "expected a string");
	else if (!verdict_from_name(v->s, to))
		fail(l, "an unknown word");
}

static void load_strings(struct loader *l, struct sidecar_strings *to)
{
	VEC(const char *) strings = {};
	struct json_value v;

	while (json_read_item(&l->r)) {
		if (json_read_value(&l->r, &v) != JSON_STRING)
			fail(l, "expected a string");
		else if (vec_push(&strings, keep_text(l, &v)) < 0)
			l->is_out_of_memory = true;
	}
	to->items = keep(l, strings.items, strings.count * sizeof(*strings.items));
	to->count = to->items ? strings.count : 0;
	free(strings.items);
}

/* A null among the numbers is a reading that was not there: left out, as absent. */
static void load_pairs(struct loader *l, struct sidecar_pairs *to)
{
	VEC(struct sidecar_pair) pairs = {};
	struct json_value key, v;

	while (json_read_key(&l->r, &key)) {
		struct sidecar_pair pair = {};

		if (json_read_value(&l->r, &v) == JSON_NULL)
			continue;
		if (!json_number(&v, &pair.value)) {
			fail(l, "expected a finite number");
			break;
		}
		pair.name = keep_text(l, &key);
		if (vec_push(&pairs, pair) < 0)
			l->is_out_of_memory = true;
	}
	to->items = keep(l, pairs.items, pairs.count * sizeof(*pairs.items));
	to->count = to->items ? pairs.count : 0;
	to->is_known = true;
	free(pairs.items);
}

static bool load_bucket_part(struct loader *l, uint64_t limit, uint32_t *part)
{
	struct json_value v;

	if (json_read_value(&l->r, &v) != JSON_UNSIGNED || v.u > limit) {
		fail(l, "expected a bucket's index or count");
		return false;
	}
	*part = (uint32_t)v.u;
	return true;
}

static void load_buckets(struct loader *l, const struct sidecar_field *f, void *base)
{
	VEC(struct sidecar_bucket) buckets = {};
	const struct sidecar_bucket **items = sidecar_member(base, f->offset);
	size_t *count = sidecar_member(base, f->count_offset);

	while (json_read_item(&l->r)) {
		struct sidecar_bucket b = {};

		if (!load_bucket_part(l, HISTOGRAM_BUCKETS - 1, &b.index))
			break;
		if (!json_read_item(&l->r)) {
			fail(l, "a bucket without its count");
			break;
		}
		if (!load_bucket_part(l, UINT32_MAX, &b.count))
			break;
		if (buckets.count && buckets.items[buckets.count - 1].index >= b.index) {
			fail(l, "buckets out of order");
			break;
		}
		if (vec_push(&buckets, b) < 0)
			l->is_out_of_memory = true;
	}
	*items = keep(l, buckets.items, buckets.count * sizeof(*buckets.items));
	*count = *items ? buckets.count : 0;
	free(buckets.items);
}

static void load_array(struct loader *l, const struct sidecar_field *f, void *base)
{
	const void **items = sidecar_member(base, f->offset);
	size_t *count = sidecar_member(base, f->count_offset);
	void *grown = NULL;
	size_t used = 0, cap = 0;
	struct json_value v;

	while (json_read_item(&l->r)) {
		void *element;

		if (json_read_value(&l->r, &v) != JSON_OBJECT) {
			fail(l, "expected an object");
			break;
		}
		if (vec_grow(&grown, &cap, used + 1, f->size) < 0) {
			l->is_out_of_memory = true;
			break;
		}
		element = (char *)grown + used++ * f->size;
		memset(element, 0, f->size);
		load_fields(l, f->fields, element);
	}
	*items = keep(l, grown, used * f->size);
	*count = *items ? used : 0;
	free(grown);
}

static void load_host(struct loader *l, struct sidecar *s)
{
	host_context_finish(&s->read_host);
	if (host_context_load(&s->read_host, &l->r) < 0)
		l->is_out_of_memory = true;
	s->host = &s->read_host;
}

static enum json_kind expected_kind(enum sidecar_kind kind)
{
	switch (kind) {
	case SIDECAR_TEXT:
		return JSON_STRING;
	case SIDECAR_STRINGS:
	case SIDECAR_BUCKETS:
	case SIDECAR_ARRAY:
		return JSON_ARRAY;
	case SIDECAR_PAIRS:
	case SIDECAR_OBJECT:
	case SIDECAR_LATENCY:
	case SIDECAR_OPTIONAL:
	case SIDECAR_HOST:
		return JSON_OBJECT;
	case SIDECAR_SCHEMA_VERSION:
	case SIDECAR_U64:
	case SIDECAR_SEED:
		return JSON_UNSIGNED;
	default:
		return JSON_BROKEN; /* the field's own business */
	}
}

static void load_number(struct loader *l, const struct json_value *v, double *to)
{
	if (!json_number(v, to))
		fail(l, "expected a finite number");
}

static void load_bool(struct loader *l, const struct json_value *v, bool *to)
{
	if (v->kind != JSON_TRUE && v->kind != JSON_FALSE)
		fail(l, "expected a boolean");
	*to = v->kind == JSON_TRUE;
}

static void load_schema(struct loader *l, uint64_t version)
{
	if (version == SIDECAR_SCHEMA)
		return;
	l->is_other_schema = true;
	l->other_schema = version;
	fail(l, "another schema");
}

static void load_known(struct loader *l, const struct sidecar_field *f, void *base,
		       const struct json_value *v)
{
	void *member = sidecar_member(base, f->offset);

	switch (f->kind) {
	case SIDECAR_SCHEMA_VERSION:
		load_schema(l, v->u);
		break;
	case SIDECAR_TEXT:
		*(const char **)member = keep_text(l, v);
		break;
	case SIDECAR_BOOL:
		load_bool(l, v, member);
		break;
	case SIDECAR_SEED:
		((struct sidecar *)base)->has_seed = true;
		*(uint64_t *)member = v->u;
		break;
	case SIDECAR_U64:
		*(uint64_t *)member = v->u;
		break;
	case SIDECAR_DOUBLE:
		load_number(l, v, member);
		break;
	case SIDECAR_NUMBER:
		((struct sidecar_number *)member)->is_known = true;
		load_number(l, v, &((struct sidecar_number *)member)->value);
		break;
	case SIDECAR_VERDICT:
		load_verdict(l, v, member);
		break;
	case SIDECAR_POLARITY:
		load_word(l, v, result_polarities, ARRAY_SIZE(result_polarities), member);
		break;
	case SIDECAR_STRINGS:
		load_strings(l, member);
		break;
	case SIDECAR_PAIRS:
		load_pairs(l, member);
		break;
	case SIDECAR_BUCKETS:
		load_buckets(l, f, base);
		break;
	case SIDECAR_OPTIONAL:
		*(bool *)member = true;
		load_fields(l, f->fields, member);
		break;
	case SIDECAR_OBJECT:
	case SIDECAR_LATENCY:
		load_fields(l, f->fields, member);
		break;
	case SIDECAR_ARRAY:
		load_array(l, f, base);
		break;
	case SIDECAR_HOST:
		load_host(l, base);
		break;
	case SIDECAR_END:
	case SIDECAR_IS_PASS:
	case SIDECAR_IS_SKIP:
		break;
	}
}

/* Whether the field got a value: null is none. */
static bool load_field(struct loader *l, const struct sidecar_field *f, void *base)
{
	enum json_kind expected = expected_kind(f->kind);
	struct json_value v;

	if (f->kind == SIDECAR_IS_PASS || f->kind == SIDECAR_IS_SKIP) {
		json_read_skip(&l->r);
		return true;
	}
	if (json_read_value(&l->r, &v) == JSON_NULL || v.kind == JSON_BROKEN)
		return false;
	if (expected != JSON_BROKEN && v.kind != expected) {
		fail(l, "a value of another type was expected");
		return false;
	}
	load_known(l, f, base, &v);
	return true;
}

/* Mostly the next one: our own files have the order of the table. */
static const struct sidecar_field *find_field(const struct sidecar_field *fields,
					      const struct sidecar_field *next, const char *key)
{
	if (next->key && str_eq(next->key, key))
		return next;
	for (const struct sidecar_field *f = fields; f->key; f++)
		if (str_eq(f->key, key))
			return f;
	return NULL;
}

static void check_required(struct loader *l, const struct sidecar_field *fields, uint64_t seen)
{
	for (size_t i = 0; fields[i].key && !l->r.problem; i++) {
		if (!fields[i].is_required || seen >> i & 1)
			continue;
		l->missing = fields[i].key;
		fail(l, "a field is missing");
	}
}

/* The fields of the object that was entered, up to its end. */
static void load_fields(struct loader *l, const struct sidecar_field *fields, void *base)
{
	const struct sidecar_field *next = fields;
	uint64_t seen = 0; /* tables are shorter than this is wide */
	struct json_value key;

	while (!l->is_out_of_memory && json_read_key(&l->r, &key)) {
		const struct sidecar_field *f = find_field(fields, next, key.s);
		uint64_t bit = f ? UINT64_C(1) << (f - fields) : 0;

		if (!f) {
			json_read_skip(&l->r);
			continue;
		}
		if (seen & bit) {
			fail(l, "a field given twice");
			return;
		}
		if (load_field(l, f, base))
			seen |= bit;
		next = f + 1;
	}
	check_required(l, fields, seen);
}

static int report(const struct loader *l)
{
	if (l->is_out_of_memory)
		return err_no_memory();
	if (l->is_other_schema)
		return err_set(EINVAL, "schema_version is %llu, this program reads %d",
			       (unsigned long long)l->other_schema, SIDECAR_SCHEMA);
	if (l->missing)
		return err_set(EINVAL, "no %s", l->missing);
	return err_set(EINVAL, "byte %zu: %s", l->r.problem_at, l->r.problem);
}

int sidecar_parse(struct sidecar *s, char *text, size_t len)
{
	struct loader l = { .s = s };
	struct json_value v;
	int rc;

	sidecar_init(s);
	if (len == 0)
		return err_set(EINVAL, "the file is empty");
	json_read_init(&l.r, text, len);
	if (json_read_value(&l.r, &v) == JSON_OBJECT)
		load_fields(&l, sidecar_fields, s);
	else
		fail(&l, "expected an object");
	if (json_read_end(&l.r) && !l.is_out_of_memory)
		return 0;
	rc = report(&l);
	sidecar_finish(s);
	return rc;
}

static int check_size(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return err_sys(errno, "read %s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(EISDIR, "%s is no regular file", path);
	if (st.st_size > MAX_FILE_SIZE)
		return err_set(EFBIG, "%s is larger than %d MiB", path, MAX_FILE_SIZE >> 20);
	return 0;
}

int sidecar_read(struct sidecar *s, const char *path)
{
	_str_ struct str text = {};
	int rc;

	sidecar_init(s);
	rc = check_size(path);
	if (rc < 0)
		return rc;
	rc = file_read_regular(path, &text);
	if (rc < 0)
		return err_sys(-rc, "read %s", path);
	if (!text.s)
		return err_set(EINVAL, "the file is empty");
	return sidecar_parse(s, text.s, text.len);
}
