// SPDX-License-Identifier: GPL-2.0-only
/* Validation of test programs, and lookup of tests. */
#include "run/parts.h"

#include "base/pattern.h"

/* Maximum number of errors in one message; the program itself prints all. */
#define MAX_TOLD 8
#define LIST_PREFIX "ktstr/"
#define PROGRAM_SEPARATOR "::"

/* Checked on the host: test programs do not use the C library's regular expressions. */
static int check_pattern(const struct probe_test *t)
{
	const char *pattern = t->expect_scx_bpf_error_matches;
	bool is_vacuous;
	char why[PATTERN_WHY];
	regex_t regex;

	if (!pattern)
		return 0;
	if (pattern_compile(&regex, pattern, why) < 0)
		return err_set(EINVAL,
			       "test '%s' (%s:%llu): expect_scx_bpf_error_matches: '%s' is "
			       "not a regular expression: %s",
			       t->name, t->file, ULL(t->line), pattern, why);
	/* No error message contains this text. */
	is_vacuous = regexec(&regex, "\1\1\1", 0, NULL, 0) == 0;
	regfree(&regex);
	if (!is_vacuous)
		return 0;
	return err_set(
		EINVAL,
		"test '%s' (%s:%llu): expect_scx_bpf_error_matches: '%s' matches every error",
		t->name, t->file, ULL(t->line), pattern);
}

static int check_patterns(const struct test_program *p)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < p->probe.tests.count; i++)
		rc = check_pattern(&p->probe.tests.items[i]);
	return rc;
}

int test_program_check(const struct test_program *p)
{
	const struct probe_texts *problems = &p->probe.problems;
	_str_ struct str all = {};

	for (size_t i = 0; i < problems->count && i < MAX_TOLD; i++)
		str_addf(&all, "\n  %s", problems->items[i]);
	if (problems->count > MAX_TOLD)
		str_addf(&all, "\n  and %zu more, which %s --list shows",
			 problems->count - MAX_TOLD, p->name);
	if (!problems->count)
		return check_patterns(p);
	return err_set(EINVAL, "%s declares what cannot be run:%s", p->path, str_get(&all));
}

int test_programs_check(const struct test_programs *p)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < p->items.count; i++)
		rc = test_program_check(&p->items.items[i]);
	return rc;
}

static int unknown_test(const struct test_programs *p, const char *name)
{
	VEC(const char *) names = {};
	const char *near;
	int rc = 0;

	for (size_t i = 0; i < p->items.count; i++) {
		const struct probe *probe = &p->items.items[i].probe;

		for (size_t k = 0; rc == 0 && k < probe->tests.count; k++)
			rc = vec_push(&names, probe->tests.items[k].name);
	}
	near = rc == 0 ? text_closest(name, names.items, names.count) : NULL;
	if (rc == 0 && names.count == 0)
		rc = err_set(ENOENT,
			     "no test '%s': no test was found in tests or build of this project; "
			     "KTSTR_TEST_DIR names another directory",
			     name);
	else if (rc == 0)
		rc = err_set(ENOENT, "no test '%s'%s%s%s", name, near ? ". Did you mean '" : "",
			     near ? near : "", near ? "'?" : "");
	free(names.items);
	return rc;
}

static int refuse_namesakes(const char *name, const struct test_program *a,
			    const struct test_program *b)
{
	return err_set(EINVAL,
		       "the test '%s' is in %s and in %s: name it as '%s" PROGRAM_SEPARATOR
		       "%s' or '%s" PROGRAM_SEPARATOR "%s'",
		       name, test_program_origin(a), test_program_origin(b), a->name, name, b->name,
		       name);
}

/* Accepts the name with or without the prefix of lists, and with or without the program. */
int test_programs_find(const struct test_programs *p, const char *name,
		       const struct test_program **program, const struct probe_test **test)
{
	const char *separator = strstr(name, PROGRAM_SEPARATOR);
	_free_ char *wanted = separator ? strndup(name, (size_t)(separator - name)) : NULL;

	if (separator && !wanted)
		return err_no_memory();
	if (separator)
		name = separator + strlen(PROGRAM_SEPARATOR);
	if (str_starts(name, LIST_PREFIX))
		name += strlen(LIST_PREFIX);
	*test = NULL;
	vec_each(const struct test_program, candidate, &p->items) {
		const struct probe_test *found = probe_find_test(&candidate->probe, name);

		if (!found || (wanted && !str_eq(wanted, candidate->name)))
			continue;
		if (*test)
			return refuse_namesakes(name, *program, candidate);
		*program = candidate;
		*test = found;
	}
	return *test ? 0 : unknown_test(p, name);
}
