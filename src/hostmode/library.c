// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of a shared object. They are found as in a test program: by the section to which
 * KTSTR_TEST() adds pointers. The functions they call are those of this program.
 */
#include <dlfcn.h>
#include <link.h>

#include "base/elf_view.h"
#include "check/check.h"
#include "hostmode/execute.h"
#include "program/protocol.h"

/* The section in memory. */
struct test_section {
	const struct ktstr_test *const *tests;
	size_t count;
};

static int find_section(const char *path, const struct map_file *file, void *handle,
			struct test_section *out)
{
	struct link_map *map;
	struct elf_view elf;
	Elf64_Shdr header;

	if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
		return err_set(EINVAL, "%s: %s", path, dlerror());
	if (elf_view_open(&elf, file->data, file->size) < 0)
		return err_set(EINVAL, "%s: no ELF file", path);
	if (elf_view_find(&elf, PROGRAM_SECTION, &header) < 0)
		return err_set(
			ENOENT,
			"%s has no tests: it has no section %s, where KTSTR_TEST() puts them", path,
			PROGRAM_SECTION);
	out->tests = (const struct ktstr_test *const *)(map->l_addr + header.sh_addr);
	out->count = header.sh_size / sizeof(*out->tests);
	return 0;
}

static int run_test(const void *what, struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	const struct ktstr_test *test = what;

	return test->run(ctx, res);
}

static int flags_of(const struct ktstr_test *test, const char *const *names, uint64_t *mask)
{
	for (; names && *names; names++) {
		uint64_t bit = profile_bit(host_flags(), *names);

		if (!bit)
			return err_wrap(host_flags_unknown(*names), "test '%s'", test->name);
		*mask |= bit;
	}
	return 0;
}

static int add_test(struct host_scenarios *s, const struct ktstr_test *test)
{
	struct ktstr_assert *checks = arena_alloc(&s->arena, sizeof(*checks));
	struct host_scenario entry = {
		.name = test->name,
		.category = "loaded",
		.description = test->file ? test->file : "",
		.duration_ms = test->duration_ms ? test->duration_ms : test->duration_s * 1000ULL,
		.workers = test->workers_per_cgroup,
		.checks = checks,
		.expects_error = test->expect_err,
		.run = run_test,
		.what = test,
	};
	int rc;

	if (!checks)
		return err_no_memory();
	if (!test->name || !*test->name || strpbrk(test->name, "/\\"))
		return err_set(EINVAL, "test name '%s' is empty or has a / or \\",
			       test->name ? test->name : "");
	*checks = test->scheduler ? test->scheduler->assert : (struct ktstr_assert){};
	assert_merge(checks, &test->assert);
	rc = assert_validate(checks);
	if (rc < 0)
		return err_wrap(rc, "test '%s'", test->name);
	rc = flags_of(test, test->required_flags, &entry.required);
	rc = rc ?: flags_of(test, test->excluded_flags, &entry.excluded);
	return rc ?: vec_push(&s->list, entry);
}

/* The compiler may emit them in any order; sort them as in the source. */
static int compare_tests(const void *a, const void *b)
{
	const struct ktstr_test *x = *(const struct ktstr_test *const *)a;
	const struct ktstr_test *y = *(const struct ktstr_test *const *)b;
	int order = strcmp(x->file ? x->file : "", y->file ? y->file : "");

	return order ? order : ORDER(x->line, y->line);
}

static int add_tests(struct host_scenarios *s, const struct test_section *section)
{
	_free_ const struct ktstr_test **tests = calloc(section->count + 1, sizeof(*tests));
	size_t count = 0;
	int rc = 0;

	if (!tests)
		return err_no_memory();
	/* The linker may pad between the parts of a section. */
	for (size_t i = 0; i < section->count; i++)
		if (section->tests[i])
			tests[count++] = section->tests[i];
	qsort(tests, count, sizeof(tests[0]), compare_tests);
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = add_test(s, tests[i]);
	return rc;
}

int host_scenarios_add_library(struct host_scenarios *s, const char *path)
{
	_free_ char *real = realpath(path, NULL);
	_map_file_ struct map_file file = {};
	struct test_section section = {};
	void *handle;
	int rc;

	if (!real)
		return err_sys(errno, "open %s", path);
	/* Referenced so that it is linked: the loaded object uses it. */
	if (!library_api[0])
		return err_set(ENOSYS, "this program has no library to load tests for");
	/* First: dlopen() would wait for a writer of a FIFO. */
	rc = map_file_open_whole(&file, real);
	if (rc < 0)
		return rc;
	handle = dlopen(real, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return err_set(EINVAL, "cannot load %s", dlerror());
	rc = find_section(real, &file, handle, &section) ?: add_tests(s, &section);
	return err_wrap(rc, "%s", path);
}
