// SPDX-License-Identifier: GPL-2.0-only
/* The coverage directory: its location, and adding and removing files. */
#include "run/parts.h"

#include "vm/stock.h"

#define HOST_PATTERN "default-%p-%m.profraw"
#define MAX_KEPT 1000000

static char *beside_this_program(void)
{
	_free_ char *self = path_own_directory();

	return self && access(self, W_OK) == 0 ? str_fmt("%s/llvm-cov-target", self) : NULL;
}

static char *find_dir(void)
{
	const char *given = env_get("LLVM_COV_TARGET_DIR"), *target = env_get("CARGO_TARGET_DIR");
	char *dir;

	if (given)
		return strdup(given);
	if (env_get("LLVM_PROFILE_FILE"))
		return coverage_profile_dir();
	dir = beside_this_program();
	return dir ? dir : str_fmt("%s/llvm-cov-target", target ? target : "target");
}

char *coverage_dir(void)
{
	_free_ char *dir = find_dir();

	if (dir)
		return path_absolute(dir);
	err_no_memory();
	return NULL;
}

int coverage_set_environment(const char *dir)
{
	_free_ char *pattern = str_fmt("%s/%s", dir, HOST_PATTERN);

	if (!pattern)
		return err_no_memory();
	if (!env_get("LLVM_PROFILE_FILE"))
		setenv("LLVM_PROFILE_FILE", pattern, 1);
	return 0;
}

int coverage_add_objects(const char *dir, const char *const *programs, size_t count)
{
	_free_ char *path = str_fmt("%s/" COVERAGE_OBJECTS, dir);
	_str_ struct str lines = {};
	int rc = path ? file_make_dirs(dir, 0755) : err_no_memory();

	if (rc < 0)
		return rc;
	file_read_at(AT_FDCWD, path, &lines); /* fails for the first program: no file yet */
	for (size_t i = 0; i < count; i++)
		if (!text_has_line(str_get(&lines), programs[i]))
			str_addf(&lines, "%s\n", programs[i]);
	rc = str_check(&lines);
	return rc ?: file_replace(path, str_get(&lines), lines.len, 0644);
}

bool coverage_is_raw_profile(const void *data, size_t len)
{
	/* Stored in the byte order of the machine that wrote the profile. */
	static const uint8_t magic[] = { 0x81, 'r', 'f', 'o', 'r', 'p', 'l', 0xff };

	return len > sizeof(magic) && memcmp(data, magic, sizeof(magic)) == 0;
}

int coverage_keep(const char *dir, const char *suffix, const void *data, size_t len)
{
	int rc = file_make_dirs(dir, 0755);

	for (unsigned int n = 0; rc == 0 && n < MAX_KEPT; n++) {
		_free_ char *path = str_fmt("%s/ktstr-test-%d-%u%s", dir, (int)getpid(), n, suffix);

		if (!path)
			return err_no_memory();
		/* The file may exist: an earlier process can have had the same PID. */
		if (access(path, F_OK) != 0)
			return file_replace(path, data, len, 0644);
	}
	return rc ?: err_set(EEXIST, "%s is full of profiles", dir);
}

static int remove_file(const char *path)
{
	return unlink(path) == 0 || errno == ENOENT ? 0 : err_sys(errno, "remove %s", path);
}

static int remove_profiles(const char *dir)
{
	_texts_ struct texts files = {};
	int rc = coverage_files_list(dir, &files);

	for (size_t i = 0; rc == 0 && i < files.count; i++)
		rc = remove_file(files.items[i]);
	return rc;
}

/* Each program is in its own directory, named after its content. */
static int remove_programs(const char *dir)
{
	_free_ char *path = str_fmt("%s/" COVERAGE_OBJECTS, dir);
	_free_ char *cache = path_cache_part(STOCK_PROGRAM_PART);
	_str_ struct str lines = {};
	char *save = NULL;
	int rc = 0;

	if (!path || !cache)
		return cache ? err_no_memory() : -ENOENT;
	if (file_read_at(AT_FDCWD, path, &lines) < 0 || !lines.len)
		return 0;
	for (char *line = strtok_r(lines.s, "\n", &save); line && rc == 0;
	     line = strtok_r(NULL, "\n", &save)) {
		char *slash = strrchr(line, '/');

		if (!slash || !str_starts(line, cache) || line[strlen(cache)] != '/')
			continue;
		*slash = '\0';
		rc = tree_remove(line);
	}
	return rc;
}

static int remove_reports(const char *dir)
{
	_free_ char *merged = str_fmt("%s/" COVERAGE_MERGED, dir);
	_free_ char *objects = str_fmt("%s/" COVERAGE_OBJECTS, dir);
	_free_ char *html = str_fmt("%s/" COVERAGE_HTML_DIR, dir);
	int rc = merged && objects && html ? remove_file(merged) : err_no_memory();

	rc = rc ?: remove_file(objects);
	rc = rc ?: tree_remove(html);
	if (rc == 0)
		rmdir(dir); /* fails if the directory has other files; that is fine */
	return rc;
}

int coverage_clean(const char *dir, enum coverage_clean what)
{
	int rc = remove_profiles(dir);

	if (rc == 0 && what == COVERAGE_CLEAN_PROGRAMS)
		rc = remove_programs(dir);
	if (rc == 0 && what != COVERAGE_CLEAN_PROFILES)
		rc = remove_reports(dir);
	return rc;
}
