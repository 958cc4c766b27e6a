// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sidecars in memory, as JSON and as files. A field that is missing in the text stays
 * unknown. A field of a wrong type makes the whole file unusable, because half a record
 * misleads.
 */
#include "record/sidecar.h"

#include "base/hash.h"
#include "record/parts.h"

#define MAX_FILE_SIZE (64 << 20)

void sidecar_init(struct sidecar *s)
{
	*s = (struct sidecar){ .outcome = KTSTR_SKIPPED };
}

void sidecar_finish(struct sidecar *s)
{
	arena_finish(&s->arena);
	host_context_finish(&s->read_host);
	sidecar_init(s);
}

const char *sidecar_copy(struct sidecar *s, const char *text)
{
	return text ? arena_copy(&s->arena, text, strlen(text)) : NULL;
}

bool sidecar_has(const struct sidecar *s, const char *field)
{
	return json_field_has(json_field_find(sidecar_fields, field), s);
}

void sidecar_to_json(const struct sidecar *s, struct str *out)
{
	struct json j;

	json_init(&j, out, false);
	json_put_struct(&j, sidecar_fields, s);
	str_addc(out, '\n');
}

static void add_terminated(struct str *out, const char *text)
{
	str_add(out, text ? text : "");
	str_addc(out, '\0');
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
	qsort(sorted, strings->count, sizeof(*sorted), order_texts);
	for (size_t i = 0; i < strings->count; i++)
		add_terminated(out, sorted[i]);
}

/* What was run, not its outcome. Separators keep a flag from being taken for a sysctl. */
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
	/*
	 * A preset may be identical to the topology that the test declares: these are two
	 * results.
	 */
	if (s->preset) {
		str_addc(out, '\xfb');
		add_terminated(out, s->preset);
	}
	/* Another program may have a test of the same name. */
	if (s->binary) {
		str_addc(out, '\xf9');
		add_terminated(out, s->binary);
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
	/* Two builds of a scheduler in one run are two results. */
	if (s->scheduler_hash) {
		str_addc(&identity, '\xfa');
		add_terminated(&identity, s->scheduler_hash);
	}
	add_safe_name(out, s->test_name ? s->test_name : "");
	str_addf(out, "-%016llx" SIDECAR_SUFFIX,
		 ULL(siphash(str_get(&identity), identity.len, (struct siphash_key){}, 1, 3)));
	if (identity.failed)
		out->failed = true;
}

bool sidecar_pair_value(const struct sidecar_pairs *pairs, const char *name, double *value)
{
	for (size_t i = 0; i < pairs->count; i++) {
		if (!str_eq(pairs->items[i].name, name))
			continue;
		*value = pairs->items[i].value;
		return true;
	}
	return false;
}

bool sidecar_is_same_test(const struct sidecar *a, const struct sidecar *b)
{
	_str_ struct str x = {}, y = {};

	add_identity(a, &x);
	add_identity(b, &y);
	return str_eq(a->test_name ?: "", b->test_name ?: "") && !x.failed && !y.failed &&
	       x.len == y.len && memcmp(x.s, y.s, x.len) == 0;
}

int sidecar_write(const struct sidecar *s, const char *dir)
{
	_str_ struct str path = {}, text = {};

	str_addf(&path, "%s/", dir);
	sidecar_file_name(s, &path);
	sidecar_to_json(s, &text);
	return str_check(&path) ?: str_check(&text) ?: file_replace(path.s, text.s, text.len, 0644);
}

static int report(const struct json_load *l)
{
	if (l->is_out_of_memory)
		return err_no_memory();
	if (l->is_other_schema)
		return err_set(EINVAL, "schema_version is %llu, this program reads %d",
			       ULL(l->other_schema), SIDECAR_SCHEMA);
	if (l->missing)
		return err_set(EINVAL, "no %s", l->missing);
	return err_set(EINVAL, "byte %zu: %s", l->r->problem_at, l->r->problem);
}

int sidecar_parse(struct sidecar *s, char *text, size_t len)
{
	struct json_reader r;
	struct json_load l = { .r = &r, .arena = &s->arena, .nulls_are_absent = true };

	sidecar_init(s);
	if (len == 0)
		return err_set(EINVAL, "the file is empty");
	json_read_init(&r, text, len);
	if (json_load_text(&l, sidecar_fields, s))
		return 0;
	sidecar_finish(s);
	return report(&l);
}

static int check_size(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return err_sys(errno, "read %s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(EISDIR, "%s is not a regular file", path);
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
