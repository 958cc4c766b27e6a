// SPDX-License-Identifier: GPL-2.0-only
/*
 * metadata.json: its fields and tokens, writing and parsing. Any input gives an entry or a reason.
 */
#include "kernel/cache.h"

#include "base/json_fields.h"

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

/* ---- members ---- */

static bool answer_has(const void *member)
{
	return *(const enum kernel_answer *)member != KERNEL_UNKNOWN;
}

static void put_answer(struct json *j, const void *member)
{
	json_bool(j, *(const enum kernel_answer *)member == KERNEL_YES);
}

static bool load_answer(struct json_load *l _unused_, const struct json_value *v, void *member)
{
	if (v->kind != JSON_TRUE && v->kind != JSON_FALSE)
		return false;
	*(enum kernel_answer *)member = v->kind == JSON_TRUE ? KERNEL_YES : KERNEL_NO;
	return true;
}

static const struct json_own answer_own = { put_answer, load_answer, answer_has };

/* By enum kernel_source and enum kernel_btf. */
static const char *const source_words[] = { "tarball", "git", "local", "distro", "installed", NULL };
static const char *const btf_words[] = { NULL, "none", "ok", "unsound", NULL };

/* clang-format off */
#define TEXT(json_name, member, ...) \
	JSON_NAMED(json_name, kernel_meta, member, TEXT, .flags = (__VA_ARGS__))

/* Fields of all sources; no source has all of them. */
static const struct json_field source_fields[] = {
	JSON_NAMED("type", kernel_meta, source, WORD, .words = source_words, .flags = FIELD_REQUIRED),
	TEXT("git_hash", git_hash, FIELD_OPEN),
	TEXT("ref", git_ref, FIELD_OPEN),
	TEXT("source_tree_path", source_tree, FIELD_OPEN),
	TEXT("package", package, FIELD_OPEN),
	TEXT("package_version", package_version, FIELD_OPEN),
	TEXT("suite", suite, FIELD_OPEN),
	TEXT("image_path", image_path, FIELD_OPEN),
	{}
};

/* The last three are extensions: a missing or invalid value means unknown, not a corrupt entry. */
static const struct json_field meta_fields[] = {
	{ "source", FIELD_OBJECT, .fields = source_fields, .flags = FIELD_REQUIRED },
	TEXT("version", version, FIELD_PRESENT),
	TEXT("arch", arch, FIELD_REQUIRED),
	TEXT("image_name", image_name, FIELD_REQUIRED),
	TEXT("config_hash", config_hash, FIELD_PRESENT),
	TEXT("built_at", built_at, FIELD_REQUIRED),
	TEXT("ktstr_kconfig_hash", kconfig_hash, FIELD_PRESENT),
	TEXT("extra_kconfig_hash", extra_kconfig_hash, FIELD_LEFT_OUT),
	TEXT("release", release, FIELD_LEFT_OUT),
	JSON_FIELD(kernel_meta, has_vmlinux, BOOL, .flags = FIELD_REQUIRED),
	JSON_FIELD(kernel_meta, vmlinux_stripped, BOOL, .flags = FIELD_REQUIRED),
	JSON_FIELD_IF(kernel_meta, source_vmlinux_size, U64, has_vmlinux_origin),
	JSON_FIELD_IF(kernel_meta, source_vmlinux_mtime_secs, U64, has_vmlinux_origin),
	JSON_OWN("has_scx", kernel_meta, has_scx, answer_own, .flags = FIELD_LEFT_OUT | FIELD_OPEN),
	JSON_FIELD(kernel_meta, btf, WORD, .words = btf_words, .flags = FIELD_LEFT_OUT | FIELD_OPEN),
	JSON_FIELD(kernel_meta, unsound_kfuncs, U32, .flags = FIELD_LEFT_OUT | FIELD_OPEN),
	{}
};
/* clang-format on */

static const struct {
	const char *column;    /* in kernel list */
	const char *fields[4]; /* of the source, besides its type */
	bool are_needed;       /* none of them may be null */
} sources[] = {
	[KERNEL_SOURCE_TARBALL] = { "tarball", {}, false },
	[KERNEL_SOURCE_GIT] = { "git", { "git_hash", "ref" }, true },
	[KERNEL_SOURCE_LOCAL] = { "local", { "source_tree_path", "git_hash" }, false },
	[KERNEL_SOURCE_DISTRO] = { "debian", { "package", "package_version", "suite" }, true },
	[KERNEL_SOURCE_INSTALLED] = { "installed", { "image_path" }, true },
};

const char *cache_fault_token(enum cache_fault fault)
{
	return fault_tokens[fault];
}

const char *kernel_source_text(enum kernel_source source)
{
	return sources[source].column;
}

const char *kernel_meta_text(struct kernel_meta *meta, const char *text)
{
	return text ? arena_copy(&meta->arena, text, strlen(text)) : NULL;
}

/* ---- writing ---- */

void kernel_meta_write(const struct kernel_meta *meta, struct str *out)
{
	const char *const *name = sources[meta->source].fields;
	struct json j;

	json_init(&j, out, true);
	json_object(&j);
	json_put_object(&j, "source");
	json_put_field(&j, &source_fields[0], meta);
	for (; *name; name++)
		json_put_field(&j, json_field_find(source_fields, *name), meta);
	json_object_end(&j);
	json_put_fields(&j, meta_fields + 1, meta);
	json_object_end(&j);
	str_addc(out, '\n');
}

/* ---- reading ---- */

static bool is_plain_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

static void add_wrong(struct str *reason, const struct json_field *f)
{
	if (f->kind == FIELD_U64)
		str_add(reason, "metadata.json: size and time of the original vmlinux are not "
				"two numbers");
	else if (f->kind == FIELD_TEXT)
		str_addf(reason, "metadata.json: '%s' is not text", f->name);
	else if (f->kind == FIELD_BOOL)
		str_addf(reason, "metadata.json: '%s' is neither true nor false", f->name);
	else
		str_add(reason, "metadata.json: 'source' is not of a known type");
}

/* Name of a required field of the source that is missing; or NULL. */
static const char *missing_of_source(const struct kernel_meta *meta)
{
	const char *const *name = sources[meta->source].fields;

	for (; sources[meta->source].are_needed && *name; name++)
		if (!json_field_has(json_field_find(source_fields, *name), meta))
			return *name;
	return NULL;
}

static bool check_document(const struct kernel_meta *meta, const struct json_load *l,
			   struct str *reason)
{
	const char *missing = l->missing ? l->missing : missing_of_source(meta);
	/* Both numbers or none: one alone cannot be compared with a file. */
	bool is_half_known = meta->has_vmlinux_origin &&
			     (meta->source_vmlinux_size == UINT64_MAX ||
			      meta->source_vmlinux_mtime_secs == UINT64_MAX);

	if (l->wrong)
		add_wrong(reason, l->wrong);
	else if (missing && str_eq(missing, "type"))
		add_wrong(reason, &source_fields[0]);
	else if (missing)
		str_addf(reason, "metadata.json: '%s' is missing", missing);
	else if (is_half_known)
		add_wrong(reason, json_field_find(meta_fields, "source_vmlinux_size"));
	else if (!is_plain_name(meta->image_name))
		str_add(reason, "metadata.json: 'image_name' is not the name of a file");
	else
		return true;
	return false;
}

/* Returns whether the text is truncated: it ends where more was needed. */
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
	/* Too deep for this parser, but possibly valid JSON. */
	return r->depth == JSON_READ_MAX_DEPTH ? CACHE_PARSE_ERROR : CACHE_MALFORMED;
}

enum cache_fault kernel_meta_parse(char *text, size_t len, struct kernel_meta *meta,
				   struct str *reason)
{
	struct json_reader r;
	struct json_load l = { .r = &r, .arena = &meta->arena, .is_lenient = true };
	enum cache_fault fault = CACHE_SCHEMA_DRIFT;
	struct json_value v;
	enum json_kind kind;

	*meta = (struct kernel_meta){ .source_vmlinux_size = UINT64_MAX,
				      .source_vmlinux_mtime_secs = UINT64_MAX };
	json_read_init(&r, text, len);
	kind = json_read_value(&r, &v);
	if (kind == JSON_OBJECT)
		json_load_fields(&l, meta_fields, meta);
	else if (kind == JSON_ARRAY)
		json_read_leave(&r);
	if (!json_read_end(&r))
		fault = syntax_fault(&r, reason);
	else if (kind != JSON_OBJECT)
		str_add(reason, "metadata.json is not an object");
	else if (check_document(meta, &l, reason))
		fault = CACHE_OK;
	if (fault != CACHE_OK)
		kernel_meta_finish(meta);
	else if (!meta->has_vmlinux_origin)
		meta->source_vmlinux_size = meta->source_vmlinux_mtime_secs = 0;
	return fault;
}

void kernel_meta_finish(struct kernel_meta *meta)
{
	arena_finish(&meta->arena);
	*meta = (struct kernel_meta){};
}
