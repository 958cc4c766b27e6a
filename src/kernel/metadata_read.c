/* Reading metadata.json: whatever is in it, the answer is an entry or a reason. */
#include <json-c/json.h>
#include <string.h>

#include "base/util.h"
#include "kernel/json_read.h"
#include "kernel/metadata.h"
#include "kernel/metadata_fields.h"

/* Whether the key is there at all: json-c has no object for null. */
static bool is_present(struct json_object *object, const char *key)
{
	return json_object_is_type(object, json_type_object) &&
	       json_object_object_get_ex(object, key, NULL);
}

static bool read_texts(struct kernel_meta *meta, struct json_object *from,
		       const struct meta_field *fields, struct str *reason)
{
	for (; fields && fields->name; fields++) {
		const char **to = (const char **)((char *)meta + fields->offset);
		struct json_object *value = json_member(from, fields->name);

		bool is_there = is_present(from, fields->name);

		if (json_object_is_type(value, json_type_string))
			*to = kernel_meta_text(meta, json_object_get_string(value));
		if (*to || (is_there && !value && fields->presence != META_REQUIRED) ||
		    (!is_there && fields->presence == META_OPTIONAL))
			continue;
		str_addf(reason, "metadata.json: '%s' is %s", fields->name,
			 is_there ? "not text" : "missing");
		return false;
	}
	return true;
}

static bool read_flag(struct json_object *from, const char *name, bool *value, struct str *reason)
{
	struct json_object *item = json_member(from, name);

	if (!json_object_is_type(item, json_type_boolean)) {
		str_addf(reason, "metadata.json: '%s' is %s", name,
			 item ? "neither true nor false" : "missing");
		return false;
	}
	*value = json_object_get_boolean(item);
	return true;
}

static bool read_source(struct kernel_meta *meta, struct json_object *root, struct str *reason)
{
	struct json_object *source = json_member(root, "source");
	const char *type = json_member_text(source, "type");

	for (size_t i = 0; type && i < META_SOURCE_COUNT; i++) {
		if (!str_eq(meta_sources[i].type, type))
			continue;
		meta->source = (enum kernel_source)i;
		return read_texts(meta, source, meta_sources[i].fields, reason);
	}
	str_add(reason, "metadata.json: 'source' is not of a known type");
	return false;
}

/* A whole number from 0 on; -1 for anything else. */
static int64_t number_of(struct json_object *value)
{
	return json_object_is_type(value, json_type_int) ? json_object_get_int64(value) : -1;
}

/* Both numbers or none: a half-known origin cannot be compared with a file. */
static bool read_origin(struct kernel_meta *meta, struct json_object *root, struct str *reason)
{
	struct json_object *size = json_member(root, "source_vmlinux_size");
	struct json_object *mtime = json_member(root, "source_vmlinux_mtime_secs");

	if (!size && !mtime)
		return true;
	if (number_of(size) < 0 || number_of(mtime) < 0) {
		str_add(reason, "metadata.json: size and time of the original vmlinux are not "
				"two numbers");
		return false;
	}
	meta->has_vmlinux_origin = true;
	meta->source_vmlinux_size = (uint64_t)number_of(size);
	meta->source_vmlinux_mtime_secs = (uint64_t)number_of(mtime);
	return true;
}

/* Additions of ours: absent or strange means not known, never a corrupt entry. */
static void read_facts(struct kernel_meta *meta, struct json_object *root)
{
	struct json_object *scx = json_member(root, "has_scx");
	const char *btf = json_member_text(root, "btf");
	int64_t kfuncs = number_of(json_member(root, "unsound_kfuncs"));

	if (json_object_is_type(scx, json_type_boolean))
		meta->has_scx = json_object_get_boolean(scx) ? KERNEL_YES : KERNEL_NO;
	for (size_t i = KERNEL_BTF_NONE; btf && i < META_BTF_COUNT; i++)
		if (str_eq(meta_btf_words[i], btf))
			meta->btf = (enum kernel_btf)i;
	if (kfuncs > 0 && kfuncs <= UINT32_MAX)
		meta->unsound_kfuncs = (uint32_t)kfuncs;
}

static bool is_plain_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

static bool read_document(struct kernel_meta *meta, struct json_object *root, struct str *reason)
{
	if (!json_object_is_type(root, json_type_object)) {
		str_add(reason, "metadata.json is not an object");
		return false;
	}
	if (!read_texts(meta, root, meta_fields, reason) || !read_source(meta, root, reason) ||
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

enum cache_fault kernel_meta_parse(const char *text, size_t len, struct kernel_meta *meta,
				   struct str *reason)
{
	static const enum cache_fault faults[] = {
		[JSON_FAULT_TRUNCATED] = CACHE_TRUNCATED,
		[JSON_FAULT_MALFORMED] = CACHE_MALFORMED,
		[JSON_FAULT_OTHER] = CACHE_PARSE_ERROR,
	};
	_json_object_ struct json_object *root = NULL;
	enum json_fault fault;

	*meta = (struct kernel_meta){};
	str_add(reason, "metadata.json: ");
	root = json_read(text, len, &fault, reason);
	if (fault != JSON_FAULT_NONE)
		return faults[fault];
	str_reset(reason);
	if (read_document(meta, root, reason))
		return CACHE_OK;
	kernel_meta_finish(meta);
	return CACHE_SCHEMA_DRIFT;
}
