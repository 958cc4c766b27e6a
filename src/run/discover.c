// SPDX-License-Identifier: GPL-2.0-only
/* Searching directories for test programs, and asking them what they declare. */
#include "run/discover.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/map_file.h"
#include "base/util.h"
#include "kernel/vmlinux.h"
#include "program/protocol.h"

/* Deeper trees are not build trees; also what ends a loop of bind mounts. */
#define MAX_DEPTH 8
/* Of clang, for reports of coverage: also in programs that were stripped. */
#define COVERAGE_SECTION "__llvm_covmap"

/* A test program, absolute, and the C file that it was made from or NULL. */
struct found {
	char *path, *source;
};

struct search {
	VEC(struct found) items;
	struct source_options how;
};

static void found_finish(struct found *f)
{
	free(f->path);
	free(f->source);
}

static void search_finish(struct search *s)
{
	for (size_t i = 0; i < s->items.count; i++)
		found_finish(&s->items.items[i]);
	free(s->items.items);
}

/* Libraries of tests have the section too, and the mode of programs; but nobody starts them. */
static bool is_library(const struct map_file *m)
{
	Elf64_Ehdr h;

	if (m->size < sizeof(h))
		return true;
	memcpy(&h, m->data, sizeof(h));
	if (h.e_type != ET_DYN)
		return false;
	for (size_t i = 0; i < h.e_phnum; i++) {
		Elf64_Phdr p;

		if (h.e_phoff > m->size || (m->size - h.e_phoff) / sizeof(p) <= i)
			return true;
		memcpy(&p, m->data + h.e_phoff + i * sizeof(p), sizeof(p));
		if (p.p_type == PT_INTERP)
			return false;
	}
	return true;
}

bool program_is_instrumented(const char *path)
{
	_map_file_ struct map_file m = {};
	const uint8_t *section;
	size_t len;
	bool has = map_file_open_whole(&m, path) == 0 &&
		   vmlinux_section(m.data, m.size, COVERAGE_SECTION, &section, &len) == 0;

	if (!has)
		err_clear();
	return has;
}

bool is_test_program(const char *path)
{
	_map_file_ struct map_file m = {};
	const uint8_t *section;
	struct stat st;
	size_t len;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) || !(st.st_mode & 0111) ||
	    map_file_open_whole(&m, path) < 0) {
		err_clear();
		return false;
	}
	return vmlinux_section(m.data, m.size, PROGRAM_SECTION, &section, &len) == 0 &&
	       !is_library(&m);
}

/* The same program under two names, or found on two ways, is one. */
static int add_found(struct search *s, const char *path, const char *source)
{
	struct found f = { .path = realpath(path, NULL),
			   .source = source ? realpath(source, NULL) : NULL };
	bool is_known = false;
	int rc = 0;

	if (!f.path || (source && !f.source))
		rc = err_sys(errno, "open %s", f.path ? source : path);
	for (size_t i = 0; rc == 0 && i < s->items.count; i++)
		is_known |= str_eq(s->items.items[i].path, f.path);
	if (rc == 0 && !is_known)
		rc = vec_push(&s->items, f);
	if (rc < 0 || is_known)
		found_finish(&f);
	return rc;
}

static int search_dir(struct search *s, const char *dir, int depth);

/* What is kept there was compiled for somebody else's run. */
static bool is_cache(const char *dir)
{
	_free_ char *tag = str_fmt("%s/" SOURCE_CACHE_TAG, dir);

	return tag && access(tag, F_OK) == 0;
}

static int look_at(struct search *s, const char *path, int depth)
{
	struct stat st;

	/* Links may lead out of the tree; what they lead to is found where it lives. */
	if (lstat(path, &st) < 0)
		return 0;
	if (S_ISDIR(st.st_mode))
		return depth < MAX_DEPTH && !is_cache(path) ? search_dir(s, path, depth + 1) : 0;
	return is_test_program(path) ? add_found(s, path, NULL) : 0;
}

static int search_dir(struct search *s, const char *dir, int depth)
{
	struct dirent **entries;
	int count = scandir(dir, &entries, NULL, alphasort), rc = 0;

	if (count < 0)
		return err_sys(errno, "read directory %s", dir);
	for (int i = 0; i < count; i++) {
		_free_ char *path = NULL;

		if (rc == 0 && entries[i]->d_name[0] != '.') {
			path = str_fmt("%s/%s", dir, entries[i]->d_name);
			rc = path ? look_at(s, path, depth) : err_no_memory();
		}
		free(entries[i]);
	}
	free(entries);
	return rc;
}

static int compile_given(struct search *s, const char *path)
{
	_free_ char *program = NULL;
	int rc = source_compile(path, &s->how, &program);

	return rc < 0 ? rc : add_found(s, program, path);
}

static int search_given(struct search *s, const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return err_sys(errno, "open %s", path);
	if (S_ISDIR(st.st_mode))
		return search_dir(s, path, 0);
	if (source_is_one(path))
		return compile_given(s, path);
	if (!is_test_program(path))
		return err_set(EINVAL, "%s is no test program: it has no section %s", path,
			       PROGRAM_SECTION);
	return add_found(s, path, NULL);
}

/* A default place that is not there is no error. */
static int search_default(struct search *s, const char *dir)
{
	struct stat st;

	return stat(dir, &st) == 0 && S_ISDIR(st.st_mode) ? search_dir(s, dir, 0) : 0;
}

static int search_defaults(struct search *s)
{
	static const char *const beside[] = { "examples", "tests" };
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *given = env_get("KTSTR_TEST_DIR");
	int rc = 0;

	if (given)
		return search_given(s, given);
	self[len > 0 ? len : 0] = '\0';
	if (strrchr(self, '/'))
		*strrchr(self, '/') = '\0';
	for (size_t i = 0; rc == 0 && len > 0 && i < ARRAY_SIZE(beside); i++) {
		_free_ char *dir = str_fmt("%s/%s", self, beside[i]);

		rc = dir ? search_default(s, dir) : err_no_memory();
	}
	return rc < 0 ? rc : search_default(s, "build");
}

int program_probe(const char *path, uint64_t limit_ns, struct probe *out)
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

/* Takes the texts of what was found. */
static int add_program(struct test_programs *out, struct found *f)
{
	struct test_program program = {};
	int rc = program_probe(f->path, DISCOVER_PROBE_LIMIT_NS, &program.probe);

	if (rc < 0)
		return rc;
	program.name = strdup(strrchr(f->path, '/') + 1);
	program.path = take_ptr(&f->path);
	program.source = take_ptr(&f->source);
	program.is_instrumented = program_is_instrumented(program.path);
	if (program.name && vec_push(&out->items, program) == 0)
		return 0;
	program_finish(&program);
	return err_no_memory();
}

const char *test_program_origin(const struct test_program *p)
{
	return p->source ? p->source : p->path;
}

int discover_programs(const char *const *paths, size_t count, const struct source_options *how,
		      struct test_programs *out)
{
	_cleanup_(search_finish) struct search s = {};
	int rc = 0;

	*out = (struct test_programs){};
	if (how)
		s.how = *how;
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = search_given(&s, paths[i]);
	if (rc == 0 && count == 0)
		rc = search_defaults(&s);
	for (size_t i = 0; rc == 0 && i < s.items.count; i++)
		rc = add_program(out, &s.items.items[i]);
	if (rc < 0)
		test_programs_finish(out);
	return rc;
}

void test_programs_finish(struct test_programs *p)
{
	for (size_t i = 0; i < p->items.count; i++)
		program_finish(&p->items.items[i]);
	free(p->items.items);
	*p = (struct test_programs){};
}
