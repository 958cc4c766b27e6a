// SPDX-License-Identifier: GPL-2.0-only
/* Searching directories for test programs, and asking them what they declare. */
#include "run/discover.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/child.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/map_file.h"
#include "base/util.h"
#include "kernel/vmlinux.h"
#include "program/protocol.h"

/* Deeper trees are not build trees; also what ends a loop of bind mounts. */
#define MAX_DEPTH 8

struct search {
	VEC(char *) paths; /* of test programs, absolute */
};

static void search_finish(struct search *s)
{
	for (size_t i = 0; i < s->paths.count; i++)
		free(s->paths.items[i]);
	free(s->paths.items);
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
static int add_path(struct search *s, const char *path)
{
	char *real = realpath(path, NULL);
	int rc;

	if (!real)
		return err_sys(errno, "open %s", path);
	for (size_t i = 0; i < s->paths.count; i++) {
		if (str_eq(s->paths.items[i], real)) {
			free(real);
			return 0;
		}
	}
	rc = vec_push(&s->paths, real);
	if (rc < 0)
		free(real);
	return rc;
}

static int search_dir(struct search *s, const char *dir, int depth);

static int look_at(struct search *s, const char *path, int depth)
{
	struct stat st;

	/* Links may lead out of the tree; what they lead to is found where it lives. */
	if (lstat(path, &st) < 0)
		return 0;
	if (S_ISDIR(st.st_mode))
		return depth < MAX_DEPTH ? search_dir(s, path, depth + 1) : 0;
	return is_test_program(path) ? add_path(s, path) : 0;
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

static int search_given(struct search *s, const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return err_sys(errno, "open %s", path);
	if (S_ISDIR(st.st_mode))
		return search_dir(s, path, 0);
	if (!is_test_program(path))
		return err_set(EINVAL, "%s is no test program: it has no section %s", path,
			       PROGRAM_SECTION);
	return add_path(s, path);
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
	str_addc(&text, '\0');
	rc = text.failed ? err_no_memory() : probe_from_json(out, text.s, text.len - 1);
	if (rc < 0)
		probe_finish(out);
	return err_wrap(rc, "%s %s", path, PROGRAM_PROBE);
}

static int add_program(struct test_programs *out, const char *path)
{
	struct test_program program = {};
	int rc = program_probe(path, DISCOVER_PROBE_LIMIT_NS, &program.probe);

	if (rc < 0)
		return rc;
	program.path = strdup(path);
	program.name = strdup(strrchr(path, '/') + 1);
	if (program.path && program.name && vec_push(&out->items, program) == 0)
		return 0;
	free(program.path);
	free(program.name);
	probe_finish(&program.probe);
	return err_no_memory();
}

int discover_programs(const char *const *paths, size_t count, struct test_programs *out)
{
	_cleanup_(search_finish) struct search s = {};
	int rc = 0;

	*out = (struct test_programs){};
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = search_given(&s, paths[i]);
	if (rc == 0 && count == 0)
		rc = search_defaults(&s);
	for (size_t i = 0; rc == 0 && i < s.paths.count; i++)
		rc = add_program(out, s.paths.items[i]);
	if (rc < 0)
		test_programs_finish(out);
	return rc;
}

void test_programs_finish(struct test_programs *p)
{
	for (size_t i = 0; i < p->items.count; i++) {
		free(p->items.items[i].path);
		free(p->items.items[i].name);
		probe_finish(&p->items.items[i].probe);
	}
	free(p->items.items);
	*p = (struct test_programs){};
}
