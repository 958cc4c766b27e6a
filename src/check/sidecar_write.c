// SPDX-License-Identifier: GPL-2.0-only
/* Sidecars to JSON and into files. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/siphash.h"
#include "base/util.h"
#include "check/result_fields.h"
#include "check/sidecar_fields.h"
#include "check/verdict.h"

static void put_fields(struct json *j, const struct sidecar_field *fields, const void *base);

static void put_number(struct json *j, const struct sidecar_number *n)
{
	if (n->is_known)
		json_double(j, n->value);
	else
		json_null(j);
}

static void put_strings(struct json *j, const struct sidecar_strings *strings)
{
	json_array(j);
	for (size_t i = 0; i < strings->count; i++)
		json_string(j, strings->items[i]);
	json_array_end(j);
}

static void put_pairs(struct json *j, const struct sidecar_pairs *pairs)
{
	if (!pairs->is_known) {
		json_null(j);
		return;
	}
	json_object(j);
	for (size_t i = 0; i < pairs->count; i++)
		json_put_double(j, pairs->items[i].name, pairs->items[i].value);
	json_object_end(j);
}

/* Index and count in turns: a third of the size of an array of objects. */
static void put_buckets(struct json *j, const struct sidecar_bucket *buckets, size_t count)
{
	json_array(j);
	for (size_t i = 0; i < count; i++) {
		json_u64(j, buckets[i].index);
		json_u64(j, buckets[i].count);
	}
	json_array_end(j);
}

static void put_object(struct json *j, bool is_known, const struct sidecar_field *fields,
		       const void *base)
{
	if (!is_known) {
		json_null(j);
		return;
	}
	json_object(j);
	put_fields(j, fields, base);
	json_object_end(j);
}

static void put_array(struct json *j, const struct sidecar_field *f, const void *items,
		      size_t count)
{
	json_array(j);
	for (size_t i = 0; i < count; i++)
		put_object(j, true, f->fields, (const char *)items + i * f->size);
	json_array_end(j);
}

static void put_host(struct json *j, const struct host_context *host)
{
	if (host)
		host_context_to_json(host, j);
	else
		json_null(j);
}

static void put_seed(struct json *j, const struct sidecar *s)
{
	if (s->has_seed)
		json_u64(j, s->seed);
	else
		json_null(j);
}

static void put_value(struct json *j, const struct sidecar_field *f, const void *base)
{
	const void *member = sidecar_member(base, f->offset);
	const size_t *count = sidecar_member(base, f->count_offset);

	switch (f->kind) {
	case SIDECAR_END:
		break;
	case SIDECAR_SCHEMA_VERSION:
		json_u64(j, SIDECAR_SCHEMA);
		break;
	case SIDECAR_TEXT:
		json_string(j, *(const char *const *)member);
		break;
	case SIDECAR_BOOL:
		json_bool(j, *(const bool *)member);
		break;
	case SIDECAR_U64:
		json_u64(j, *(const uint64_t *)member);
		break;
	case SIDECAR_SEED:
		put_seed(j, base);
		break;
	case SIDECAR_DOUBLE:
		json_double(j, *(const double *)member);
		break;
	case SIDECAR_NUMBER:
		put_number(j, member);
		break;
	case SIDECAR_VERDICT:
		json_string(j, verdict_name(*(const enum ktstr_verdict *)member));
		break;
	case SIDECAR_IS_PASS: /* a skip is a pass that must not be counted as passed */
		json_bool(j, *(const enum ktstr_verdict *)member >= KTSTR_PASSED);
		break;
	case SIDECAR_IS_SKIP:
		json_bool(j, *(const enum ktstr_verdict *)member == KTSTR_SKIPPED);
		break;
	case SIDECAR_POLARITY:
		json_string(j, result_polarities[*(const enum ktstr_polarity *)member]);
		break;
	case SIDECAR_STRINGS:
		put_strings(j, member);
		break;
	case SIDECAR_PAIRS:
		put_pairs(j, member);
		break;
	case SIDECAR_BUCKETS:
		put_buckets(j, *(const struct sidecar_bucket *const *)member, *count);
		break;
	case SIDECAR_OBJECT:
		put_object(j, true, f->fields, member);
		break;
	case SIDECAR_LATENCY:
		put_object(j, ((const struct sidecar_latency *)member)->count, f->fields, member);
		break;
	case SIDECAR_OPTIONAL:
		put_object(j, *(const bool *)member, f->fields, member);
		break;
	case SIDECAR_ARRAY:
		put_array(j, f, *(const void *const *)member, *count);
		break;
	case SIDECAR_HOST:
		put_host(j, *(const struct host_context *const *)member);
		break;
	}
}

static void put_fields(struct json *j, const struct sidecar_field *fields, const void *base)
{
	for (const struct sidecar_field *f = fields; f->key; f++) {
		json_key(j, f->key);
		put_value(j, f, base);
	}
}

void sidecar_to_json(const struct sidecar *s, struct str *out)
{
	struct json j;

	json_init(&j, out, false);
	put_object(&j, true, sidecar_fields, s);
	str_addc(out, '\n');
}

static void add_terminated(struct str *out, const char *text)
{
	str_add(out, text ? text : "");
	str_addc(out, '\0');
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_sorted(struct str *out, const struct sidecar_strings *strings)
{
	_free_ const char **sorted = calloc(strings->count + 1, sizeof(*sorted));

	if (!sorted) {
		out->failed = true;
		return;
	}
	for (size_t i = 0; i < strings->count; i++)
		sorted[i] = strings->items[i];
	qsort(sorted, strings->count, sizeof(*sorted), compare_strings);
	for (size_t i = 0; i < strings->count; i++)
		add_terminated(out, sorted[i]);
}

/*
 * What was run, not what came of it. Marks between the parts keep a flag from being taken
 * for a sysctl.
 */
static void add_identity(const struct sidecar *s, struct str *out)
{
	add_terminated(out, s->topology);
	add_terminated(out, s->scheduler);
	str_addc(out, '\xfc');
	add_terminated(out, s->payload);
	str_addc(out, '\xfe');
	for (size_t i = 0; i < s->active_flags.count; i++)
		add_terminated(out, s->active_flags.items[i]);
	str_addc(out, '\xfd');
	add_sorted(out, &s->sysctls);
	str_addc(out, '\xff');
	add_sorted(out, &s->kargs);
	/* A preset may be the very machine that the test declares: those are two results. */
	if (s->preset) {
		str_addc(out, '\xfb');
		add_terminated(out, s->preset);
	}
	/* Another program may have a test of the same name. */
	if (s->binary) {
		str_addc(out, '\xf9');
		add_terminated(out, s->binary);
	}
	/* So are those of two builds of a scheduler. */
	if (s->scheduler_hash) {
		str_addc(out, '\xfa');
		add_terminated(out, s->scheduler_hash);
	}
}

/* A name from outside must not lead out of the run directory. */
static void add_safe_name(struct str *out, const char *name)
{
	for (const char *p = name; *p; p++)
		str_addc(out, *p == '/' || (unsigned char)*p < 0x20 ? '_' : *p);
}

void sidecar_file_name(const struct sidecar *s, struct str *out)
{
	_str_ struct str identity = {};

	add_identity(s, &identity);
	add_safe_name(out, s->test_name ? s->test_name : "");
	str_addf(out, "-%016llx" SIDECAR_SUFFIX,
		 (unsigned long long)siphash(str_get(&identity), identity.len,
					     (struct siphash_key){}, 1, 3));
	if (identity.failed)
		out->failed = true;
}

int sidecar_write(const struct sidecar *s, const char *dir)
{
	_str_ struct str path = {}, text = {};
	int rc;

	str_addf(&path, "%s/", dir);
	sidecar_file_name(s, &path);
	sidecar_to_json(s, &text);
	rc = str_check(&path);
	if (rc == 0)
		rc = str_check(&text);
	if (rc < 0)
		return rc;
	return file_replace(path.s, text.s, text.len, 0644);
}
