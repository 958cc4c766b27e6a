// SPDX-License-Identifier: GPL-2.0-only
/* Queries test programs for their declarations. */
#include "run/parts.h"

#include "base/elf_view.h"
#include "program/protocol.h"

/*
 * Path components in the name of a program: a program and a C file may differ only in directories.
 */
#define MAX_NAME_PARTS 8
/* Section with clang's coverage mapping; also present in stripped programs. */
#define COVERAGE_SECTION "__llvm_covmap"

bool program_is_instrumented(const char *path)
{
	_map_file_ struct map_file m = {};
	const uint8_t *section;
	size_t len;
	bool has = map_file_open_whole(&m, path) == 0 &&
		   elf_section(m.data, m.size, COVERAGE_SECTION, &section, &len) == 0;

	if (!has)
		err_clear();
	return has;
}

/*
 * Runs PATH --ktstr-probe. Invalid attributes are not an error here; they are in probe->problems.
 */
static int program_probe(const char *path, uint64_t limit_ns, struct probe *out)
{
	_str_ struct str text = {};
	int rc = child_output((const char *const[]){ path, PROGRAM_PROBE, NULL }, limit_ns, &text);

	*out = (struct probe){};
	if (rc < 0)
		return rc;
	if (rc > 0)
		return err_set(EINVAL, "%s %s ended with status %d", path, PROGRAM_PROBE, rc);
	if (str_check(&text) < 0)
		return -ENOMEM;
	if (text.len == 0)
		return err_set(
			EINVAL,
			"%s %s has no answer: is there a main() in it? Tests use the library's",
			path, PROGRAM_PROBE);
	str_addc(&text, '\0');
	rc = text.failed ? err_no_memory() : probe_from_json(out, text.s, text.len - 1);
	if (rc < 0)
		probe_finish(out);
	return err_wrap(rc, "%s %s", path, PROGRAM_PROBE);
}

static void program_finish(struct test_program *p)
{
	free(p->path);
	free(p->name);
	free(p->source);
	probe_finish(&p->probe);
}

/* Probes the program and adds it to out. Takes over the strings of f. */
static int add_program(struct test_programs *out, struct test_file *f)
{
	struct test_program program = {};
	int rc = program_probe(f->path, DISCOVER_PROBE_LIMIT_NS, &program.probe);

	if (rc < 0)
		return rc;
	program.path = take_ptr(&f->path);
	program.source = take_ptr(&f->source);
	program.is_instrumented = program_is_instrumented(program.path);
	rc = vec_push(&out->items, program);
	if (rc < 0)
		program_finish(&program);
	return rc;
}

const char *test_program_origin(const struct test_program *p)
{
	return p->source ? p->source : p->path;
}

/* Length of the suffix ".c", or of a scenario file's suffix. */
static size_t ending_of(const struct test_program *p)
{
	if (!p->source)
		return 0;
	return source_is_one(p->source) ? strlen(".c") : scenario_ending(p->source);
}

/* Last components of the path, "build/mine" or "mine", without the suffix of a source file. */
static char *tail_of(const struct test_program *p, size_t parts)
{
	const char *path = test_program_origin(p), *at = path + strlen(path);

	while (at > path && (*at != '/' || --parts > 0))
		at--;
	at += *at == '/';
	return strndup(at, strlen(at) - ending_of(p));
}

/*
 * Returns whether another program has the same tail; true if out of memory, which the caller
 * handles.
 */
static bool has_same_tail(const struct test_programs *all, size_t index, size_t parts)
{
	_free_ char *own = tail_of(&all->items.items[index], parts);

	for (size_t i = 0; own && i < all->items.count; i++) {
		_free_ char *other = i == index ? NULL : tail_of(&all->items.items[i], parts);

		if (other && str_eq(own, other))
			return true;
	}
	return !own;
}

/* Makes names unique: programs with the same name get as many directories as needed. */
static int tell_apart(struct test_programs *all)
{
	for (size_t i = 0; i < all->items.count; i++) {
		struct test_program *p = &all->items.items[i];
		size_t parts = 1;
		char *name;

		while (parts < MAX_NAME_PARTS && has_same_tail(all, i, parts))
			parts++;
		name = tail_of(p, parts);
		if (!name)
			return err_no_memory();
		free(p->name);
		p->name = name;
	}
	return 0;
}

/* With skips_broken, a program that does not answer must not stop the search for another one. */
static int add_programs(struct test_programs *out, const struct test_search *s)
{
	int rc = 0;

	vec_each_while(struct test_file, f, &s->items, rc == 0) {
		rc = add_program(out, f);
		if (rc < 0 && s->skips_broken && !f->is_given) {
			log_note("%s: left out (%s): %s", log_label(), err_text(rc), f->path);
			err_clear();
			rc = 0;
		}
	}
	return rc;
}

/* "two_cgroups" or "ktstr/two_cgroups": neither a path of a directory nor a file with a suffix. */
static bool is_like_test(const char *word)
{
	const char *name = str_starts(word, "ktstr/") ? word + strlen("ktstr/") : word;

	return *name && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
				     "0123456789") == strlen(name);
}

/* The name of a test in the place of a file is the likely mistake. */
static int refuse_test_name(const char *path)
{
	if (!is_like_test(path) || access(path, F_OK) == 0 || errno != ENOENT)
		return 0;
	return err_set(ENOENT, "there is no file '%s'; -E 'test(=%s)' selects a test of this name",
		       path, path);
}

int discover_programs(const char *const *paths, size_t count, const struct discover_options *o,
		      struct test_programs *out)
{
	_cleanup_(test_search_finish) struct test_search s = { .how = o->how,
							       .skips_broken = o->skips_broken };
	int rc = 0;

	*out = (struct test_programs){};
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = (o->has_filter ? refuse_test_name(paths[i]) : 0) ?:
			     test_search_given(&s, paths[i]);
	if (rc == 0 && count == 0)
		rc = test_search_project(&s);
	rc = rc ?: test_search_end(&s);
	rc = rc ?: add_programs(out, &s);
	rc = rc ?: tell_apart(out);
	if (rc < 0)
		test_programs_finish(out);
	return rc;
}

void test_programs_finish(struct test_programs *p)
{
	vec_release(&p->items, each, program_finish(each));
	*p = (struct test_programs){};
}
