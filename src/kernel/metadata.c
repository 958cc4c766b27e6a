// SPDX-License-Identifier: GPL-2.0-only
/* The table of metadata.json, its tokens, and writing it. */
#include "kernel/cache.h"

#include <string.h>

#include "base/json.h"
#include "base/util.h"

static const char *const fault_tokens[] = {
	[CACHE_OK] = "ok",
	[CACHE_MISSING] = "missing",
	[CACHE_UNREADABLE] = "unreadable",
	[CACHE_SCHEMA_DRIFT] = "schema_drift",
	[CACHE_MALFORMED] = "malformed",
	[CACHE_TRUNCATED] = "truncated",
	[CACHE_PARSE_ERROR] = "parse_error",
	[CACHE_IMAGE_MISSING] = "image_missing",
	[CACHE_UNKNOWN] = "unknown",
};

#define TEXT(name, member, presence)                                 \
	{                                                            \
		name, offsetof(struct kernel_meta, member), presence \
	}

const struct meta_field meta_fields[] = {
	TEXT("version", version, META_NULLABLE),
	TEXT("arch", arch, META_REQUIRED),
	TEXT("image_name", image_name, META_REQUIRED),
	TEXT("config_hash", config_hash, META_NULLABLE),
	TEXT("built_at", built_at, META_REQUIRED),
	TEXT("ktstr_kconfig_hash", kconfig_hash, META_NULLABLE),
	TEXT("extra_kconfig_hash", extra_kconfig_hash, META_OPTIONAL),
	TEXT("release", release, META_OPTIONAL),
	{},
};

static const struct meta_field git_fields[] = {
	TEXT("git_hash", git_hash, META_REQUIRED),
	TEXT("ref", git_ref, META_REQUIRED),
	{},
};

static const struct meta_field local_fields[] = {
	TEXT("source_tree_path", source_tree, META_NULLABLE),
	TEXT("git_hash", git_hash, META_NULLABLE),
	{},
};

static const struct meta_field distro_fields[] = {
	TEXT("package", package, META_REQUIRED),
	TEXT("package_version", package_version, META_REQUIRED),
	TEXT("suite", suite, META_REQUIRED),
	{},
};

const struct meta_source meta_sources[META_SOURCE_COUNT] = {
	[KERNEL_SOURCE_TARBALL] = { "tarball", "tarball", NULL },
	[KERNEL_SOURCE_GIT] = { "git", "git", git_fields },
	[KERNEL_SOURCE_LOCAL] = { "local", "local", local_fields },
	[KERNEL_SOURCE_DISTRO] = { "distro", "debian", distro_fields },
};

const char *const meta_btf_words[META_BTF_COUNT] = {
	[KERNEL_BTF_NONE] = "none",
	[KERNEL_BTF_OK] = "ok",
	[KERNEL_BTF_UNSOUND] = "unsound",
};

const char *cache_fault_token(enum cache_fault fault)
{
	return fault_tokens[fault];
}

const char *kernel_source_text(enum kernel_source source)
{
	return meta_sources[source].column;
}

const char *kernel_meta_text(struct kernel_meta *meta, const char *text)
{
	return text ? arena_copy(&meta->arena, text, strlen(text)) : NULL;
}

static void put_texts(struct json *j, const struct kernel_meta *meta,
		      const struct meta_field *fields)
{
	for (; fields && fields->name; fields++) {
		const char *value = *(const char *const *)((const char *)meta + fields->offset);

		if (value || fields->presence != META_OPTIONAL)
			json_put_string(j, fields->name, value);
	}
}

static void put_facts(struct json *j, const struct kernel_meta *meta)
{
	if (meta->has_scx != KERNEL_UNKNOWN)
		json_put_bool(j, "has_scx", meta->has_scx == KERNEL_YES);
	if (meta->btf != KERNEL_BTF_UNKNOWN)
		json_put_string(j, "btf", meta_btf_words[meta->btf]);
	if (meta->btf == KERNEL_BTF_UNSOUND)
		json_put_u64(j, "unsound_kfuncs", meta->unsound_kfuncs);
}

void kernel_meta_write(const struct kernel_meta *meta, struct str *out)
{
	struct json j;

	json_init(&j, out, true);
	json_object(&j);
	json_put_object(&j, "source");
	json_put_string(&j, "type", meta_sources[meta->source].type);
	put_texts(&j, meta, meta_sources[meta->source].fields);
	json_object_end(&j);
	put_texts(&j, meta, meta_fields);
	json_put_bool(&j, "has_vmlinux", meta->has_vmlinux);
	json_put_bool(&j, "vmlinux_stripped", meta->vmlinux_stripped);
	if (meta->has_vmlinux_origin) {
		json_put_u64(&j, "source_vmlinux_size", meta->source_vmlinux_size);
		json_put_u64(&j, "source_vmlinux_mtime_secs", meta->source_vmlinux_mtime_secs);
	} else {
		json_put_null(&j, "source_vmlinux_size");
		json_put_null(&j, "source_vmlinux_mtime_secs");
	}
	put_facts(&j, meta);
	json_object_end(&j);
	str_addc(out, '\n');
}

void kernel_meta_finish(struct kernel_meta *meta)
{
	arena_finish(&meta->arena);
	*meta = (struct kernel_meta){};
}
