// SPDX-License-Identifier: GPL-2.0-only
/* Searches directories for programs and C files with tests. */
#include "run/parts.h"

#include <sys/utsname.h>

#include "base/elf_view.h"
#include "program/protocol.h"

/* Build trees are not deeper; also ends a loop of bind mounts. */
#define MAX_DEPTH 8
/* A C file without this word is not compiled. */
#define SOURCE_MARK "KTSTR_TEST"
/* A larger C file is not compiled either: that would take minutes and gigabytes. */
#define MAX_SOURCE_MIB 16

/* Directories of a project to search. Build directories contain many programs without tests. */
static const struct {
	const char *name;
	bool is_build;
} places[] = { { "tests", false }, { "build", true } };

/* ELF machine numbers and their names in uname. */
static const struct {
	unsigned int machine;
	const char *name;
} machines[] = {
	{ EM_X86_64, "x86_64" },
	{ EM_AARCH64, "aarch64" },
};

static void test_file_finish(struct test_file *f)
{
	free(f->path);
	free(f->source);
}

void test_search_finish(struct test_search *s)
{
	struct search_left_out *const left_out[] = { &s->plain, &s->foreign, &s->unreadable,
						     &s->broken, &s->large };

	vec_release(&s->items, each, test_file_finish(each));
	texts_finish(&s->sources);
	for (size_t i = 0; i < ARRAY_SIZE(left_out); i++)
		free(left_out[i]->first);
}

/* ---- kinds of files ---- */

enum file_kind {
	FILE_OTHER,
	FILE_PLAIN, /* a program or C file without tests */
	FILE_PROGRAM,
	FILE_FOREIGN, /* a test program of another architecture */
	FILE_SOURCE,
	FILE_LARGE, /* a generated C file, too large to compile */
	FILE_UNREADABLE,
};

/* Shared libraries of tests also have the section and are executable, but are not programs. */
static bool is_library(const struct elf_view *e)
{
	Elf64_Phdr unused;

	return e->header.e_type == ET_DYN && !elf_view_find_segment(e, PT_INTERP, &unused);
}

/* NULL = not in the table. */
static const char *machine_name(unsigned int machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (machines[i].machine == machine)
			return machines[i].name;
	return NULL;
}

static bool is_foreign(unsigned int machine)
{
	const char *name = machine_name(machine);
	struct utsname host;

	return uname(&host) == 0 && (!name || !str_eq(name, host.machine));
}

static enum file_kind kind_of_program(const struct map_file *m, unsigned int *machine)
{
	struct elf_view e;
	Elf64_Shdr section;
	int rc = elf_view_open(&e, m->data, m->size);

	if (rc < 0) {
		err_clear();
		return rc == -ENOTSUP ? FILE_PLAIN : FILE_OTHER;
	}
	if (elf_view_find(&e, PROGRAM_SECTION, &section) < 0 || is_library(&e))
		return FILE_PLAIN;
	*machine = e.header.e_machine;
	return is_foreign(*machine) ? FILE_FOREIGN : FILE_PROGRAM;
}

static enum file_kind kind_of_source(const struct map_file *m)
{
	return m->size && memmem(m->data, m->size, SOURCE_MARK, strlen(SOURCE_MARK)) ? FILE_SOURCE :
										       FILE_PLAIN;
}

static bool is_large_source(const struct stat *st)
{
	return st->st_size > (off_t)MAX_SOURCE_MIB << 20;
}

/* *machine is set for test programs. */
static enum file_kind kind_of(const char *path, unsigned int *machine)
{
	_map_file_ struct map_file m = {};
	bool is_source = source_is_one(path);
	struct stat st;
	int rc;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) || !(is_source || st.st_mode & 0111))
		return FILE_OTHER;
	if (is_source && is_large_source(&st))
		return FILE_LARGE;
	rc = map_file_open(&m, path);
	if (rc < 0)
		return rc == -EACCES || rc == -EPERM ? FILE_UNREADABLE : FILE_OTHER;
	return is_source ? kind_of_source(&m) : kind_of_program(&m, machine);
}

/* Returns whether the file is an executable with tests. Damaged files are not. */
static bool is_test_program(const char *path)
{
	unsigned int machine;
	enum file_kind kind = source_is_one(path) ? FILE_OTHER : kind_of(path, &machine);

	return kind == FILE_PROGRAM || kind == FILE_FOREIGN;
}

/* ---- results ---- */

/* Adds a file, unless the same program was already found by another path. */
static int add_file(struct test_search *s, const char *path, const char *source, bool is_given)
{
	struct test_file f = { .path = realpath(path, NULL),
			       .source = source ? realpath(source, NULL) : NULL,
			       .is_given = is_given };
	bool is_known = false;
	int rc = 0;

	if (!f.path || (source && !f.source))
		rc = err_sys(errno, "open %s", f.path ? source : path);
	for (size_t i = 0; f.path && rc == 0 && i < s->items.count; i++)
		is_known |= str_eq(s->items.items[i].path, f.path);
	if (rc == 0 && !is_known)
		rc = vec_push(&s->items, f);
	if (rc < 0 || is_known)
		test_file_finish(&f);
	return rc;
}

static int leave_out(struct search_left_out *l, const char *path)
{
	if (l->count++ == 0)
		l->first = strdup(path);
	return l->first ? 0 : err_no_memory();
}

/* ---- directories ---- */

static int search_dir(struct test_search *s, const char *dir, int depth);

/* Caches are skipped: their programs were compiled for other runs. */
static bool is_cache(const char *dir)
{
	_free_ char *tag = str_fmt("%s/" PROGRAM_CACHE_TAG, dir);

	return tag && access(tag, F_OK) == 0;
}

/* Symbolic links to directories are not followed: they may lead out of the tree. */
static int look_at(struct test_search *s, const char *path, int depth)
{
	unsigned int machine;
	struct stat st;

	if (lstat(path, &st) < 0)
		return 0;
	if (S_ISDIR(st.st_mode))
		return depth < MAX_DEPTH && !is_cache(path) ? search_dir(s, path, depth + 1) : 0;
	switch (kind_of(path, &machine)) {
	case FILE_PROGRAM:
		return add_file(s, path, NULL, false);
	case FILE_SOURCE:
		return texts_add(&s->sources, path);
	case FILE_PLAIN:
		return s->is_build ? 0 : leave_out(&s->plain, path);
	case FILE_FOREIGN:
		return leave_out(&s->foreign, path);
	case FILE_LARGE:
		return leave_out(&s->large, path);
	case FILE_UNREADABLE:
		return leave_out(&s->unreadable, path);
	case FILE_OTHER:
		break;
	}
	return 0;
}

static int search_dir(struct test_search *s, const char *dir, int depth)
{
	struct dirent **entries;
	int count = scandir(dir, &entries, NULL, alphasort), rc = 0;

	if (count < 0 && depth > 0 && errno == EACCES)
		return leave_out(&s->unreadable, dir);
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

/* ---- paths from the command line ---- */

static int compile(struct test_search *s, const char *path, bool is_given)
{
	_free_ char *program = NULL;
	int rc = source_compile(path, &s->how, &program);

	if (rc == 0 && !is_test_program(program))
		rc = err_set(ENODATA, "%s has no test in it: nothing uses KTSTR_TEST", path);
	return rc < 0 ? rc : add_file(s, program, path, is_given);
}

/* Only for files named by the user: not every YAML file of a directory is a scenario. */
static int attach(struct test_search *s, const char *path)
{
	_free_ char *program = NULL;
	int rc = scenario_program(path, &program);

	return rc < 0 ? rc : add_file(s, program, path, true);
}

static int tell_foreign(const char *path, unsigned int machine)
{
	const char *name = machine_name(machine);
	struct utsname host;

	uname(&host);
	return err_set(ENOEXEC,
		       "%s is a test program for another architecture (%s), and this machine is "
		       "%s: build it for this one, or run it there",
		       path, name ? name : "unknown", host.machine);
}

int test_search_given(struct test_search *s, const char *path)
{
	unsigned int machine;
	struct stat st;

	if (stat(path, &st) < 0)
		return err_sys(errno, "open %s", path);
	if (S_ISDIR(st.st_mode))
		return search_dir(s, path, 0);
	if (source_is_one(path) && is_large_source(&st))
		return err_set(EFBIG, "%s is larger than %d MiB: not compiled", path,
			       MAX_SOURCE_MIB);
	if (source_is_one(path))
		return compile(s, path, true);
	if (scenario_ending(path))
		return attach(s, path);
	switch (kind_of(path, &machine)) {
	case FILE_PROGRAM:
		return add_file(s, path, NULL, true);
	case FILE_FOREIGN:
		return tell_foreign(path, machine);
	case FILE_UNREADABLE:
		return err_sys(EACCES, "read %s", path);
	default:
		return err_set(EINVAL, "%s is not a test program: it has no section %s", path,
			       PROGRAM_SECTION);
	}
}

/* ---- the project ---- */

static bool has_entry(const char *dir, const char *name)
{
	_free_ char *path = str_fmt("%s/%s", dir, name);

	return path && access(path, F_OK) == 0;
}

static bool has_place(const char *dir)
{
	bool has = false;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		has |= has_entry(dir, places[i].name);
	return has;
}

/* Path of the project: "." or ".." or "../.." and so on; to be freed. NULL if out of memory. */
static char *project_dir(void)
{
	_free_ char *here = getcwd(NULL, 0);
	_str_ struct str up = {};
	char *slash;

	str_addc(&up, '.');
	if (has_place("."))
		return str_take(&up);
	while (here && !has_entry(str_get(&up), ".git") && (slash = strrchr(here, '/'))) {
		*slash = '\0';
		str_add(&up, "/..");
	}
	return has_entry(str_get(&up), ".git") ? str_take(&up) : strdup(".");
}

/* A missing directory is no error. Paths stay relative for messages: "tests/x.c". */
static int search_place(struct test_search *s, const char *project, const char *name)
{
	_free_ char *dir = str_eq(project, ".") ? strdup(name) : str_fmt("%s/%s", project, name);
	struct stat st;

	if (!dir)
		return err_no_memory();
	return stat(dir, &st) == 0 && S_ISDIR(st.st_mode) ? search_dir(s, dir, 0) : 0;
}

int test_search_project(struct test_search *s)
{
	const char *given = env_get("KTSTR_TEST_DIR");
	_free_ char *project = given ? NULL : project_dir();
	int rc = 0;

	if (given)
		return test_search_given(s, given);
	if (!project)
		return err_no_memory();
	for (size_t i = 0; i < ARRAY_SIZE(places) && rc == 0; i++) {
		s->is_build = places[i].is_build;
		rc = search_place(s, project, places[i].name);
	}
	return rc;
}

/* ---- end of the search ---- */

/* The program in the list that was built from the C file, or NULL. */
static struct test_file *program_of(struct test_search *s, const char *source)
{
	const char *name = strrchr(source, '/') + 1;
	size_t len = strlen(name) - strlen(".c");

	for (size_t i = 0; i < s->items.count; i++) {
		const char *program = strrchr(s->items.items[i].path, '/') + 1;

		if (!s->items.items[i].is_given && !s->items.items[i].source &&
		    strncmp(program, name, len) == 0 && !program[len])
			return &s->items.items[i];
	}
	return NULL;
}

static bool is_newer(const char *a, const char *b)
{
	struct stat of_a, of_b;

	if (stat(a, &of_a) < 0 || stat(b, &of_b) < 0)
		return false;
	return of_a.st_mtim.tv_sec != of_b.st_mtim.tv_sec ?
		       of_a.st_mtim.tv_sec > of_b.st_mtim.tv_sec :
		       of_a.st_mtim.tv_nsec > of_b.st_mtim.tv_nsec;
}

static void forget(struct test_search *s, const char *path)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->items.count; i++) {
		if (s->items.items[i].path == path)
			test_file_finish(&s->items.items[i]);
		else
			s->items.items[kept++] = s->items.items[i];
	}
	s->items.count = kept;
}

static int take_source(struct test_search *s, const char *source)
{
	struct test_file *built = program_of(s, source);
	const char *older = built ? built->path : NULL;
	int rc;

	if (older && !is_newer(source, older))
		return 0;
	rc = compile(s, source, false);
	if (rc == -ENODATA)
		return leave_out(&s->plain, source);
	if (rc == -EINVAL && s->skips_broken)
		return leave_out(&s->broken, source);
	if (rc == 0 && older)
		forget(s, older);
	return rc;
}

static void tell_left_out(const struct search_left_out *l, const char *why)
{
	_str_ struct str shown = {};

	if (!l->count)
		return;
	text_add_printable(&shown, l->first);
	if (l->count > 1)
		str_addf(&shown, " and %zu more", l->count - 1);
	log_note("%s: left out (%s): %s", log_label(), why, str_get(&shown));
}

int test_search_end(struct test_search *s)
{
	char large[64];
	int rc = 0;

	snprintf(large, sizeof(large), "a C file of more than %d MiB", MAX_SOURCE_MIB);
	for (size_t i = 0; i < s->sources.count && rc == 0; i++)
		rc = take_source(s, s->sources.items[i]);
	if (rc < 0)
		return rc;
	tell_left_out(&s->plain, "no test");
	tell_left_out(&s->large, large);
	tell_left_out(&s->foreign, "for another architecture");
	tell_left_out(&s->unreadable, "cannot be read");
	tell_left_out(&s->broken, "does not compile");
	return 0;
}
