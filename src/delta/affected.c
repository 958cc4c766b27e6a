// SPDX-License-Identifier: GPL-2.0-only
#include "delta/affected.h"

static const char *const document_suffixes[] = { ".md", ".rst", ".adoc" };
static const char *const document_prefixes[] = { "docs/", "doc/", "Documentation/", "LICENSE",
						 "COPYING" };

/* docs/ also contains examples, which may be built. */
static bool is_source(const char *path)
{
	static const char *const suffixes[] = { ".c", ".h", ".rs", ".py", ".sh" };
	const char *dot = strrchr(path, '.');

	return dot && str_index(suffixes, ARRAY_SIZE(suffixes), dot) >= 0;
}

bool affected_is_document(const char *path)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < ARRAY_SIZE(document_suffixes); i++) {
		size_t suffix = strlen(document_suffixes[i]);

		if (len > suffix && str_eq(path + len - suffix, document_suffixes[i]))
			return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(document_prefixes); i++)
		if (str_starts(path, document_prefixes[i]) && !is_source(path))
			return true;
	return false;
}

/* Treats "scx-my" and "scx_my" as the same name. */
static bool is_same_name(const char *a, const char *b, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (a[i] != b[i] && !(strchr("-_", a[i]) && b[i] && strchr("-_", b[i])))
			return false;
	return b[len] == '\0';
}

/* True if a directory of the path, or the file up to its first dot, has this name. */
static bool has_part(const char *path, const char *name)
{
	while (*path) {
		size_t len = strcspn(path, "/");
		size_t stem = path[len] ? len : strcspn(path, ".");

		if (is_same_name(path, name, stem))
			return true;
		path += len + (path[len] == '/');
	}
	return false;
}

static const char *program_of(const struct probe_sched *s)
{
	if (s->binary_path)
		return basename(s->binary_path);
	return s->binary ? s->binary : s->name;
}

static bool touches_scheduler(const char *path, const struct probe_sched *s,
			      const struct dependencies *d)
{
	const char *program = program_of(s);
	bool has_rules = false;

	vec_each(const struct dependency, item, &d->items) {
		if (!is_same_name(item->target, program, strlen(item->target)))
			continue;
		has_rules = true;
		if (str_eq(item->source, path))
			return true;
	}
	return !has_rules && (has_part(path, program) || has_part(path, s->name));
}

/* The compiler may have been given the path with any prefix. */
static bool is_file(const char *whole, const char *path)
{
	size_t len = whole ? strlen(whole) : 0, end = strlen(path);

	return whole && len >= end && str_eq(whole + len - end, path) &&
	       (len == end || whole[len - end - 1] == '/');
}

static bool touches_test(const char *path, const struct test_program *p, const struct probe_test *t)
{
	return is_file(p->source, path) || is_file(t->file, path);
}

static const struct probe_sched *sched_of(const struct test_program *p, const struct probe_test *t)
{
	return t->scheduler ? probe_find_sched(&p->probe, t->scheduler) : NULL;
}

struct affected_names {
	struct affected *out;
	const struct dependencies *dependencies;
};

static int add_name(struct affected *a, bool is_test, const char *name)
{
	size_t count = is_test ? a->tests.count : a->schedulers.count;
	const char **names = is_test ? a->tests.items : a->schedulers.items;

	if (str_index(names, count, name) >= 0)
		return 0;
	return is_test ? vec_push(&a->tests, name) : vec_push(&a->schedulers, name);
}

static int add_test(struct affected *a, const struct test_program *p, const struct probe_test *t)
{
	const struct probe_sched *s = sched_of(p, t);
	int rc = add_name(a, true, t->name);

	return rc == 0 && s ? add_name(a, false, s->name) : rc;
}

/* Adds what the file affects of a program; path NULL = everything. */
static int add_of_program(struct affected_names *f, const struct test_program *p, const char *path,
			  bool *is_known)
{
	int rc = 0;

	vec_each_while(const struct probe_sched, s, &p->probe.schedulers, rc == 0) {
		if (path && !touches_scheduler(path, s, f->dependencies))
			continue;
		*is_known = true;
		rc = add_name(f->out, false, s->name);
	}
	vec_each_while(const struct probe_test, t, &p->probe.tests, rc == 0) {
		const struct probe_sched *s = sched_of(p, t);

		if (path && !touches_test(path, p, t) &&
		    !(s && touches_scheduler(path, s, f->dependencies)))
			continue;
		*is_known = true;
		rc = add_test(f->out, p, t);
	}
	return rc;
}

static int add_of_all(struct affected_names *f, const struct test_programs *programs,
		      const char *path, bool *is_known)
{
	int rc = 0;

	for (size_t i = 0; i < programs->items.count && rc == 0; i++)
		rc = add_of_program(f, &programs->items.items[i], path, is_known);
	return rc;
}

static bool is_built_from(const struct test_programs *programs, const char *target)
{
	vec_each(const struct test_program, p, &programs->items) {
		if (is_same_name(target, p->name, strlen(target)))
			return true;
		vec_each(const struct probe_sched, s, &p->probe.schedulers)
			if (is_same_name(target, program_of(s), strlen(target)))
				return true;
	}
	return false;
}

/*
 * True for a part of an object that is neither scheduler nor test: it may be linked into
 * any of them.
 */
static bool is_of_others(const struct dependencies *d, const struct test_programs *programs,
			 const char *path)
{
	vec_each(const struct dependency, item, &d->items)
		if (str_eq(item->source, path) && !is_built_from(programs, item->target))
			return true;
	return false;
}

int affected_find(struct affected *a, const struct texts *changed, const struct dependencies *d,
		  const struct test_programs *programs)
{
	struct affected_names f = { .out = a, .dependencies = d };
	int rc = 0;

	*a = (struct affected){};
	for (size_t i = 0; i < changed->count && rc == 0 && !a->doubt; i++) {
		bool is_known = affected_is_document(changed->items[i]);

		if (!is_known)
			rc = add_of_all(&f, programs, changed->items[i], &is_known);
		if (!is_known || is_of_others(d, programs, changed->items[i]))
			a->doubt = changed->items[i];
	}
	if (rc == 0 && a->doubt) {
		bool is_known;

		a->schedulers.count = a->tests.count = 0;
		rc = add_of_all(&f, programs, NULL, &is_known);
	}
	if (rc < 0)
		affected_finish(a);
	return rc;
}

void affected_finish(struct affected *a)
{
	free(a->schedulers.items);
	free(a->tests.items);
	*a = (struct affected){};
}
