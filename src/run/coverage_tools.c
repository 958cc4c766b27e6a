// SPDX-License-Identifier: GPL-2.0-only
/* Finds the LLVM tools by all the names that distributions use. */
#include "run/parts.h"

#include <sys/utsname.h>

#define NEWEST_LLVM 30
#define OLDEST_LLVM 11
#define ASK_LIMIT_NS (30 * NSEC_PER_SEC)

/* "clang", "clang-30", ... "clang-11" for i = 0, 1, ...; false after the last. */
static bool numbered_name(const char *base, size_t i, char *name, size_t size)
{
	if (i == 0)
		snprintf(name, size, "%s", base);
	else
		snprintf(name, size, "%s-%zu", base, NEWEST_LLVM + 1 - i);
	return i <= NEWEST_LLVM + 1 - OLDEST_LLVM;
}

void coverage_tools_finish(struct coverage_tools *t)
{
	free(t->profdata);
	free(t->cov);
	*t = (struct coverage_tools){};
}

static bool find_pair(const char *profdata, const char *cov, struct coverage_tools *out)
{
	*out = (struct coverage_tools){ .profdata = path_search(profdata),
					.cov = path_search(cov) };
	if (out->profdata && out->cov)
		return true;
	coverage_tools_finish(out);
	return false;
}

int coverage_tools_nth(size_t index, struct coverage_tools *out)
{
	const char *profdata = env_get("LLVM_PROFDATA"), *cov = env_get("LLVM_COV");
	char names[2][32];

	*out = (struct coverage_tools){};
	if (profdata || cov) {
		profdata = profdata ? profdata : "llvm-profdata";
		cov = cov ? cov : "llvm-cov";
		if (index == 0 && !find_pair(profdata, cov, out))
			return err_set(ENOENT,
				       "LLVM_PROFDATA and LLVM_COV: '%s' or '%s' is not a program",
				       profdata, cov);
		return index ? -ENOENT : 0;
	}
	for (size_t i = 0; numbered_name("llvm-profdata", i, names[0], sizeof(names[0])) &&
			   numbered_name("llvm-cov", i, names[1], sizeof(names[1]));
	     i++)
		if (find_pair(names[0], names[1], out)) {
			if (index-- == 0)
				return 0;
			coverage_tools_finish(out);
		}
	return err_set(ENOENT,
		       "a report of coverage is made by llvm-profdata and llvm-cov, which are not "
		       "installed: install llvm, or name them in LLVM_PROFDATA and LLVM_COV");
}

int coverage_check_tools(void)
{
	struct coverage_tools tools;
	int rc = coverage_tools_nth(0, &tools);

	coverage_tools_finish(&tools);
	return rc;
}

/*
 * Asks the compiler for the path of a runtime file; it prints a bare name if the file is missing.
 */
static bool has_file(const char *clang, const char *name)
{
	_free_ char *option = str_fmt("-print-file-name=%s", name);
	_str_ struct str answer = {};

	return option &&
	       child_output((const char *const[]){ clang, option, NULL }, ASK_LIMIT_NS, &answer) ==
		       0 &&
	       strchr(str_get(&answer), '/');
}

/* Some distributions package the profile runtime separately. */
static bool has_profile_runtime(const char *clang)
{
	_free_ char *name = NULL;
	struct utsname host;

	uname(&host);
	name = str_fmt("libclang_rt.profile-%s.a", host.machine);
	return name && (has_file(clang, name) || has_file(clang, "libclang_rt.profile.a"));
}

static char *no_clang(const char *without_runtime)
{
	if (without_runtime)
		err_set(ENOENT,
			"%s has no runtime for coverage (libclang_rt.profile): install "
			"libclang-rt-dev, or compiler-rt, of its version",
			without_runtime);
	else
		err_set(ENOENT, "coverage needs clang, which is not installed: install clang, or "
				"name one in CC");
	return NULL;
}

char *coverage_find_clang(void)
{
	const char *given = env_get("CC");
	_free_ char *lacking = NULL;
	char name[32];

	if (given && strstr(given, "clang")) {
		_free_ char *path = path_search(given);

		return path && has_profile_runtime(path) ? take_ptr(&path) : no_clang(path);
	}
	for (size_t i = 0; numbered_name("clang", i, name, sizeof(name)); i++) {
		_free_ char *path = path_search(name);

		if (path && has_profile_runtime(path))
			return take_ptr(&path);
		if (path && !lacking)
			lacking = take_ptr(&path);
	}
	return no_clang(lacking);
}
