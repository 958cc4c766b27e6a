// SPDX-License-Identifier: GPL-2.0-only
/* Matches records; resolves git revisions to hashes. */
#include "stats/compare.h"

#include "base/git.h"

int side_filter_add(struct side_filter *f, enum dimension d, const char *value)
{
	return texts_add(&f->values[d], value);
}

void side_filter_finish(struct side_filter *f)
{
	for (int d = 0; d < DIMENSION_COUNT; d++) {
		texts_finish(&f->values[d]);
		texts_finish(&f->hashes[d]);
	}
}

bool side_filter_is_same(const struct side_filter *a, const struct side_filter *b, enum dimension d)
{
	const struct texts *x = &a->values[d], *y = &b->values[d];

	for (size_t i = 0; i < x->count; i++)
		if (!texts_has(y, x->items[i]))
			return false;
	for (size_t i = 0; i < y->count; i++)
		if (!texts_has(x, y->items[i]))
			return false;
	return true;
}

/* ---- matching ---- */

static bool is_series(const char *text)
{
	size_t major = strspn(text, "0123456789"), minor;

	if (!major || text[major] != '.')
		return false;
	minor = strspn(text + major + 1, "0123456789");
	return minor && text[major + 1 + minor] == '\0';
}

bool side_filter_kernel_matches(const char *filter, const char *version)
{
	size_t len = strlen(filter);

	if (!is_series(filter))
		return str_eq(filter, version);
	return strncmp(filter, version, len) == 0 && !isdigit((unsigned char)version[len]);
}

#define DIRTY "-dirty"
#define MIN_HASH 7

static size_t hash_length(const char *text)
{
	return strspn(text, "0123456789abcdef");
}

/*
 * Both are prefixes of a hash, followed by "-dirty" if files were modified. A run with modified
 * files is not a run of the commit: both or none must have the suffix.
 */
static bool is_same_commit(const char *recorded, const char *wanted)
{
	size_t a = hash_length(recorded), b = hash_length(wanted), len = MIN(a, b);

	return len >= MIN_HASH && strncmp(recorded, wanted, len) == 0 &&
	       (recorded[a] == '\0' || str_eq(recorded + a, DIRTY)) &&
	       str_eq(recorded + a, wanted + b);
}

static bool matches_any(const struct side_filter *f, enum dimension d, const char *value)
{
	vec_each_ptr(const char, wanted, &f->values[d]) {
		if (d == DIMENSION_KERNEL ? side_filter_kernel_matches(wanted, value) :
					    str_eq(wanted, value))
			return true;
	}
	for (size_t i = 0; i < f->hashes[d].count; i++)
		if (is_same_commit(value, f->hashes[d].items[i]))
			return true;
	return false;
}

/* All wanted flags are on; a run may have more. */
static bool has_flags(const struct side_filter *f, const struct sidecar *s)
{
	vec_each_ptr(const char, wanted, &f->values[DIMENSION_FLAG]) {
		bool is_there = false;

		for (size_t k = 0; k < s->active_flags.count; k++)
			is_there |= str_eq(s->active_flags.items[k], wanted);
		if (!is_there)
			return false;
	}
	return true;
}

bool side_filter_matches_dimension(const struct side_filter *f, const struct sidecar *s,
				   enum dimension d)
{
	_str_ struct str value = {};

	if (!f->values[d].count)
		return true;
	if (d == DIMENSION_FLAG)
		return has_flags(f, s);
	return dimension_value(s, d, &value) && matches_any(f, d, str_get(&value));
}

bool side_filter_matches(const struct side_filter *f, const struct sidecar *s)
{
	for (int d = 0; d < DIMENSION_COUNT; d++)
		if (!side_filter_matches_dimension(f, s, d))
			return false;
	return true;
}

/* ---- git ---- */

static bool is_recorded(const struct runs *runs, enum dimension d, const char *value)
{
	_str_ struct str text = {};

	vec_each(const struct run, run, &runs->items) {
		for (size_t i = 0; i < run->sidecars.count; i++) {
			str_reset(&text);
			if (dimension_value(run->sidecars.items[i], d, &text) &&
			    str_eq(str_get(&text), value))
				return true;
		}
	}
	return false;
}

static int add_lines(struct texts *to, char *text, const char *suffix)
{
	int rc = 0;

	for (char *save = NULL, *line = strtok_r(text, "\n", &save); line && rc == 0;
	     line = strtok_r(NULL, "\n", &save))
		rc = texts_take(to, str_fmt("%s%s", line, suffix));
	return rc;
}

/* Returns 1 if git knows the revision. */
static int ask_git(struct texts *to, const char *directory, const char *revision,
		   const char *suffix)
{
	bool is_range = strstr(revision, "..") != NULL;
	_free_ char *commit = is_range ? strdup(revision) : str_fmt("%s^{commit}", revision);
	const char *const range[] = { "git",  "-C", directory, "rev-list", "--end-of-options",
				      commit, NULL };
	const char *const single[] = { "git",	   "-C",      directory,	  "rev-parse",
				       "--verify", "--quiet", "--end-of-options", commit,
				       NULL };
	_str_ struct str hashes = {};
	int rc;

	if (!commit)
		return err_no_memory();
	if (!git_quietly(&hashes, is_range ? range : single) || !hashes.s)
		return 0;
	rc = add_lines(to, hashes.s, suffix);
	return rc ?: 1;
}

static bool is_hash(const char *text)
{
	size_t len = hash_length(text);

	return len >= MIN_HASH && (text[len] == '\0' || str_eq(text + len, DIRTY));
}

/* "HEAD~1" means runs of that clean commit, "HEAD~1-dirty" those with modified files. */
static int resolve_one(struct texts *to, const char *directory, const char *value)
{
	size_t len = strlen(value), suffix = strlen(DIRTY);
	_free_ char *clean = len > suffix && str_eq(value + len - suffix, DIRTY) ?
				     strndup(value, len - suffix) :
				     NULL;
	int rc = directory ? ask_git(to, directory, value, "") : 0;

	if (rc == 0 && directory && clean)
		rc = ask_git(to, directory, clean, DIRTY);
	/*
	 * A value unknown to git stays as it is: as a hash it may be longer than the recorded one.
	 */
	if (rc == 0 && is_hash(value))
		rc = texts_add(to, value);
	return MIN(rc, 0);
}

static int resolve(struct side_filter *f, const struct runs *runs, enum dimension d,
		   const char *directory)
{
	int rc = 0;

	vec_each_ptr_while(const char, value, &f->values[d], rc == 0) {
		if (is_hash(value) || !is_recorded(runs, d, value))
			rc = resolve_one(&f->hashes[d], directory, value);
	}
	return rc;
}

int side_filter_resolve_commits(struct side_filter *f, const struct runs *runs)
{
	int rc = resolve(f, runs, DIMENSION_PROJECT_COMMIT, ".");

	return rc < 0 ? rc : resolve(f, runs, DIMENSION_KERNEL_COMMIT, env_get("KTSTR_KERNEL"));
}
