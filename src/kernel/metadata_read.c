// SPDX-License-Identifier: GPL-2.0-only
/* Reading metadata.json: whatever is in it, the answer is an entry or a reason. */
#include <string.h>

#include "base/json_read.h"
#include "base/util.h"
#include "kernel/cache.h"

/* More than any version of the document has; what comes behind them is not known anyway. */
#define MAX_MEMBERS 48

struct member {
	const char *key;
	struct json_value value;
};

/* An object taken apart. */
struct members {
	struct member items[MAX_MEMBERS];
	size_t count;
};

static const struct json_value *find(const struct members *m, const char *key)
{
	for (size_t i = 0; i < m->count; i++)
		if (str_eq(m->items[i].key, key))
			return &m->items[i].value;
	return NULL;
}

/* The members of the object that was entered; those of its member "source" go into source. */
static void read_members(struct json_reader *r, struct members *m, struct members *source)
{
	struct json_value key, value;

	while (json_read_key(r, &key)) {
		enum json_kind kind = json_read_value(r, &value);

		if (kind == JSON_OBJECT && source && str_eq(key.s, "source"))
			read_members(r, source, NULL);
		else if (kind == JSON_OBJECT || kind == JSON_ARRAY)
			json_read_leave(r);
		if (m->count < MAX_MEMBERS)
			m->items[m->count++] = (struct member){ .key = key.s, .value = value };
	}
}

static bool read_texts(struct kernel_meta *meta, const struct members *from,
		       const struct meta_field *fields, struct str *reason)
{
	for (; fields && fields->name; fields++) {
		const char **to = (const char **)((char *)meta + fields->offset);
		const struct json_value *value = find(from, fields->name);

		if (value && value->kind == JSON_STRING)
			*to = kernel_meta_text(meta, value->s);
		if (*to ||
		    (value && value->kind == JSON_NULL && fields->presence != META_REQUIRED) ||
		    (!value && fields->presence == META_OPTIONAL))
			continue;
		str_addf(reason, "metadata.json: '%s' is %s", fields->name,
			 value ? "not text" : "missing");
		return false;
	}
	return true;
}

static bool read_flag(const struct members *from, const char *name, bool *value, struct str *reason)
{
	const struct json_value *found = find(from, name);

	if (!found || (found->kind != JSON_TRUE && found->kind != JSON_FALSE)) {
		str_addf(reason, "metadata.json: '%s' is %s", name,
			 found ? "neither true nor false" : "missing");
		return false;
	}
	*value = found->kind == JSON_TRUE;
	return true;
}

static bool read_source(struct kernel_meta *meta, const struct members *source, struct str *reason)
{
	const struct json_value *type = find(source, "type");

	for (size_t i = 0; type && type->kind == JSON_STRING && i < META_SOURCE_COUNT; i++) {
		if (!str_eq(meta_sources[i].type, type->s))
			continue;
		meta->source = (enum kernel_source)i;
		return read_texts(meta, source, meta_sources[i].fields, reason);
	}
	str_add(reason, "metadata.json: 'source' is not of a known type");
	return false;
}

static bool is_null(const struct json_value *value)
{
	return !value || value->kind == JSON_NULL;
}

/* Both numbers or none: a half-known origin cannot be compared with a file. */
static bool read_origin(struct kernel_meta *meta, const struct members *root, struct str *reason)
{
	const struct json_value *size = find(root, "source_vmlinux_size");
	const struct json_value *mtime = find(root, "source_vmlinux_mtime_secs");

	if (is_null(size) && is_null(mtime))
		return true;
	if (is_null(size) || is_null(mtime) || size->kind != JSON_UNSIGNED ||
	    mtime->kind != JSON_UNSIGNED) {
		str_add(reason, "metadata.json: size and time of the original vmlinux are not "
				"two numbers");
		return false;
	}
	meta->has_vmlinux_origin = true;
	meta->source_vmlinux_size = size->u;
	meta->source_vmlinux_mtime_secs = mtime->u;
	return true;
}

/* Additions of ours: absent or strange means not known, never a corrupt entry. */
static void read_facts(struct kernel_meta *meta, const struct members *root)
{
	const struct json_value *scx = find(root, "has_scx"), *btf = find(root, "btf");
	const struct json_value *kfuncs = find(root, "unsound_kfuncs");

	if (scx && (scx->kind == JSON_TRUE || scx->kind == JSON_FALSE))
		meta->has_scx = scx->kind == JSON_TRUE ? KERNEL_YES : KERNEL_NO;
	for (size_t i = KERNEL_BTF_NONE; btf && btf->kind == JSON_STRING && i < META_BTF_COUNT; i++)
		if (str_eq(meta_btf_words[i], btf->s))
			meta->btf = (enum kernel_btf)i;
	if (kfuncs && kfuncs->kind == JSON_UNSIGNED && kfuncs->u <= UINT32_MAX)
		meta->unsound_kfuncs = (uint32_t)kfuncs->u;
}

static bool is_plain_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

static bool read_document(struct kernel_meta *meta, const struct members *root,
			  const struct members *source, struct str *reason)
{
	if (!read_texts(meta, root, meta_fields, reason) || !read_source(meta, source, reason) ||
	    !read_flag(root, "has_vmlinux", &meta->has_vmlinux, reason) ||
	    !read_flag(root, "vmlinux_stripped", &meta->vmlinux_stripped, reason) ||
	    !read_origin(meta, root, reason))
		return false;
	if (!is_plain_name(meta->image_name)) {
		str_add(reason, "metadata.json: 'image_name' is not the name of a file");
		return false;
	}
	read_facts(meta, root);
	return true;
}

/* Whether more text could have mended it: nothing is left, or half a word or escape. */
static bool is_cut_off(const struct json_reader *r)
{
	static const char *const words[] = { "true", "false", "null" };
	const char *rest = r->start + r->problem_at;
	size_t len = (size_t)(r->end - rest);

	if (len == 0 || (rest[0] == '\\' && len < strlen("\\uXXXX")))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (len < strlen(words[i]) && strncmp(words[i], rest, len) == 0)
			return true;
	return false;
}

static enum cache_fault syntax_fault(const struct json_reader *r, struct str *reason)
{
	if (is_cut_off(r)) {
		str_add(reason, "metadata.json ends too early");
		return CACHE_TRUNCATED;
	}
	str_addf(reason, "metadata.json, byte %zu: %s", r->problem_at, r->problem);
	/* A document that we only cannot hold may be a good one. */
	return r->depth == JSON_READ_MAX_DEPTH ? CACHE_PARSE_ERROR : CACHE_MALFORMED;
}

enum cache_fault kernel_meta_parse(char *text, size_t len, struct kernel_meta *meta,
				   struct str *reason)
{
	struct members root = {}, source = {};
	struct json_reader r;
	struct json_value v;
	enum json_kind kind;

	*meta = (struct kernel_meta){};
	json_read_init(&r, text, len);
	kind = json_read_value(&r, &v);
	if (kind == JSON_OBJECT)
		read_members(&r, &root, &source);
	else if (kind == JSON_ARRAY)
		json_read_leave(&r);
	if (!json_read_end(&r))
		return syntax_fault(&r, reason);
	if (kind != JSON_OBJECT) {
		str_add(reason, "metadata.json is not an object");
		return CACHE_SCHEMA_DRIFT;
	}
	if (read_document(meta, &root, &source, reason))
		return CACHE_OK;
	kernel_meta_finish(meta);
	return CACHE_SCHEMA_DRIFT;
}
