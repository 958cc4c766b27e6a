// SPDX-License-Identifier: GPL-2.0-only
/* Resolves the arguments of -i to a list of files for the guest. */

#include "guest/protocol.h"
#include "vm/initramfs_plan.h"

/* Deeper trees are probably a mistake. */
#define MAX_DEPTH 64
#define MAX_FILES 100000

/* The directories from the argument down to the current one, to detect cycles. */
struct walk {
	struct include_files *files;
	const char *argument;
	dev_t devices[MAX_DEPTH];
	ino_t inodes[MAX_DEPTH];
	size_t depth;
};

static char *copy(struct include_files *f, const char *text)
{
	return arena_copy(&f->memory, text, strlen(text));
}

static void warn(struct include_files *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void warn(struct include_files *f, const char *fmt, ...)
{
	str_add_rest(&f->warnings, fmt);
	str_addc(&f->warnings, '\n');
}

static int check_size(const struct walk *w, const char *path, const struct stat *st)
{
	if ((uint64_t)st->st_size <= CPIO_MAX_FILE)
		return 0;
	return err_set(EFBIG,
		       "-i %s: %s has %llu MiB; files for the guest must be smaller than 2048 MiB",
		       w->argument, path, ULL(st->st_size) >> 20);
}

static int add_file(struct walk *w, const char *host_path, const char *guest_path,
		    const struct stat *st)
{
	struct include_files *f = w->files;
	struct include_file file = {
		.guest_path = copy(f, guest_path),
		.host_path = copy(f, host_path),
		.argument = w->argument,
		.mode = st->st_mode & 07777,
	};
	int rc = check_size(w, host_path, st);

	if (rc < 0)
		return rc;
	if (!file.guest_path || !file.host_path)
		return err_no_memory();
	if (f->count >= MAX_FILES)
		return err_set(E2BIG, "-i %s: more than %d files", w->argument, MAX_FILES);
	if (access(host_path, R_OK) < 0)
		return err_sys(errno, "-i %s: read %s", w->argument, host_path);
	rc = vec_grow((void **)&f->files, &f->cap, f->count + 1, sizeof(*f->files));
	if (rc == 0)
		f->files[f->count++] = file;
	return rc;
}

static int walk_directory(struct walk *w, const char *host_path, const char *guest_path,
			  const struct stat *st);

static bool is_ancestor(const struct walk *w, const struct stat *st)
{
	for (size_t i = 0; i < w->depth; i++)
		if (w->devices[i] == st->st_dev && w->inodes[i] == st->st_ino)
			return true;
	return false;
}

static int walk_entry(struct walk *w, const char *host_dir, const char *guest_dir, const char *name)
{
	_free_ char *host_path = str_fmt("%s/%s", host_dir, name);
	_free_ char *guest_path = str_fmt("%s/%s", guest_dir, name);
	struct stat st;

	if (!host_path || !guest_path)
		return err_no_memory();
	if (stat(host_path, &st) < 0) {
		if (errno != ENOENT && errno != ELOOP)
			return err_sys(errno, "-i %s: read %s", w->argument, host_path);
		warn(w->files, "-i %s: %s leads nowhere, left out", w->argument, host_path);
		return 0;
	}
	if (S_ISREG(st.st_mode))
		return add_file(w, host_path, guest_path, &st);
	if (!S_ISDIR(st.st_mode))
		return 0;
	if (is_ancestor(w, &st)) {
		warn(w->files, "-i %s: %s leads back to a directory above it, left out",
		     w->argument, host_path);
		return 0;
	}
	return walk_directory(w, host_path, guest_path, &st);
}

/* Sorts the names, so that warnings do not depend on the file system. */
static int walk_directory(struct walk *w, const char *host_path, const char *guest_path,
			  const struct stat *st)
{
	struct dirent **entries = NULL;
	int count, rc = 0;

	if (w->depth == MAX_DEPTH)
		return err_set(ELOOP, "-i %s: %s is nested too deeply", w->argument, host_path);
	w->devices[w->depth] = st->st_dev;
	w->inodes[w->depth] = st->st_ino;
	w->depth++;
	count = scandir(host_path, &entries, NULL, alphasort);
	if (count < 0)
		return err_sys(errno, "-i %s: read directory %s", w->argument, host_path);
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;

		if (rc == 0 && !str_eq(name, ".") && !str_eq(name, ".."))
			rc = walk_entry(w, host_path, guest_path, name);
		free(entries[i]);
	}
	free(entries);
	w->depth--;
	return rc;
}

/* Last component of the path; "." and "dir/.." are resolved first. */
static int guest_name(const char *argument, const char *path, struct str *out)
{
	char resolved[PATH_MAX];
	const char *name;
	_str_ struct str plain = {};

	str_add(&plain, path);
	while (plain.len > 1 && plain.s[plain.len - 1] == '/')
		plain.s[--plain.len] = '\0';
	if (str_check(&plain) < 0)
		return -ENOMEM;
	name = basename(str_get(&plain));
	if (*name == '\0' || str_eq(name, ".") || str_eq(name, "..")) {
		if (!realpath(path, resolved))
			return err_sys(errno, "-i %s", argument);
		name = strrchr(resolved, '/') + 1;
	}
	if (*name == '\0')
		return err_set(EINVAL, "-i %s: the whole file system cannot be included", argument);
	str_addf(out, GUEST_INCLUDE_DIR "/%s", name);
	return str_check(out);
}

static bool is_path(const char *argument)
{
	return strchr(argument, '/') || argument[0] == '.';
}

/* Finds a bare name in PATH: the first executable file of that name. */
static int find_in_path(const char *name, struct str *out)
{
	const char *path = env_get("PATH");

	while (path && *path) {
		size_t len = strcspn(path, ":");
		struct stat st;

		str_reset(out);
		str_addn(out, len ? path : ".", len ? len : 1);
		str_addf(out, "/%s", name);
		if (str_check(out) < 0)
			return -ENOMEM;
		if (stat(str_get(out), &st) == 0 && S_ISREG(st.st_mode) &&
		    access(str_get(out), X_OK) == 0)
			return 0;
		path += len + (path[len] == ':');
	}
	return err_set(ENOENT, "-i %s: not found in filesystem or PATH%s%s", name,
		       access(name, F_OK) == 0 ? "; for the one in this directory write ./" : "",
		       access(name, F_OK) == 0 ? name : "");
}

static int locate(const char *argument, struct str *out)
{
	if (*argument == '\0')
		return err_set(EINVAL, "-i: an empty name cannot be included");
	if (!is_path(argument))
		return find_in_path(argument, out);
	if (access(argument, F_OK) < 0)
		return errno == ENOENT ?
			       err_set(ENOENT, "--include-files path not found: %s", argument) :
			       err_sys(errno, "-i %s", argument);
	str_add(out, argument);
	return str_check(out);
}

static int add_argument(struct include_files *f, const char *argument)
{
	struct walk w = { .files = f, .argument = copy(f, argument) };
	_str_ struct str host_path = {}, guest_path = {};
	size_t before = f->count;
	struct stat st;
	int rc;

	if (!w.argument)
		return err_no_memory();
	rc = locate(argument, &host_path) ?: guest_name(argument, str_get(&host_path), &guest_path);
	if (rc < 0)
		return rc;
	if (stat(str_get(&host_path), &st) < 0)
		return err_sys(errno, "-i %s", argument);
	if (S_ISREG(st.st_mode))
		return add_file(&w, str_get(&host_path), str_get(&guest_path), &st);
	if (!S_ISDIR(st.st_mode))
		return err_set(EINVAL, "-i %s: neither a regular file nor a directory", argument);
	rc = walk_directory(&w, str_get(&host_path), str_get(&guest_path), &st);
	if (rc == 0 && f->count == before)
		warn(f, "-i %s: directory contains no regular files", argument);
	return rc;
}

static int compare_files(const void *a, const void *b)
{
	const struct include_file *x = a, *y = b;
	int order = strcmp(x->guest_path, y->guest_path);

	return order ? order : strcmp(x->host_path, y->host_path);
}

static int refuse_duplicates(const struct include_files *f)
{
	for (size_t i = 1; i < f->count; i++) {
		const struct include_file *a = &f->files[i - 1], *b = &f->files[i];

		if (str_eq(a->guest_path, b->guest_path))
			return err_set(EEXIST, "duplicate include path %s: %s and %s",
				       a->guest_path, a->host_path, b->host_path);
	}
	return 0;
}

/*
 * Adds the libraries of a program. Files that are not programs are copied as they are; programs
 * that are damaged or for another machine, too, with a warning.
 */
static int add_libraries(struct include_files *f, struct include_file *file)
{
	static const struct elf_search here = {};
	int rc = elf_closure_add(&f->libraries, &here, file->host_path);

	file->is_elf = rc == 0;
	if (rc == 0 || rc == -ENOEXEC)
		return 0;
	if (rc != -ENOTSUP && rc != -EINVAL)
		return err_wrap(rc, "-i %s", file->argument);
	warn(f, "-i %s: %s; copied without libraries", file->argument, err_text(rc));
	return 0;
}

static bool is_module(const char *path)
{
	static const char *const suffixes[] = { ".ko", ".ko.gz", ".ko.xz", ".ko.zst" };
	size_t len = strlen(path);

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		size_t suffix = strlen(suffixes[i]);

		if (len > suffix && str_eq(path + len - suffix, suffixes[i]))
			return true;
	}
	return false;
}

bool include_files_have_modules(const struct include_files *f)
{
	for (size_t i = 0; i < f->count; i++)
		if (is_module(f->files[i].guest_path))
			return true;
	return false;
}

int include_files_resolve(struct include_files *f, const char *const *arguments, size_t count)
{
	int rc = 0;

	*f = (struct include_files){};
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = add_argument(f, arguments[i]);
	if (rc == 0 && f->count)
		qsort(f->files, f->count, sizeof(*f->files), compare_files);
	rc = rc ?: refuse_duplicates(f);
	for (size_t i = 0; i < f->count && rc == 0; i++)
		rc = add_libraries(f, &f->files[i]);
	if (rc == 0 && f->libraries.missing.count) {
		elf_closure_describe_missing(&f->libraries, &f->warnings);
		str_addc(&f->warnings, '\n');
	}
	rc = rc ?: include_scripts_check(f);
	rc = rc ?: str_check(&f->warnings);
	if (rc < 0)
		include_files_finish(f);
	return rc;
}

static void explain_library(const struct elf_library *l, struct str *out)
{
	str_addf(out, "%s\n", l->path);
	if (!str_eq(l->path, l->canonical))
		str_addf(out, "  is:        %s\n", l->canonical);
	str_addf(out, "  needed by: %s\n  found by:  %s", l->needed_by, elf_found_by_text(l->how));
	if (l->directory && l->how != ELF_FOUND_DEFAULT)
		str_addf(out, " (%s)", l->directory);
	str_addc(out, '\n');
}

void include_files_explain(const struct include_files *f, struct str *out)
{
	for (size_t i = 0; i < f->count; i++)
		str_addf(out, "%s\n  is:        %s\n  asked for: -i %s\n", f->files[i].guest_path,
			 f->files[i].host_path, f->files[i].argument);
	for (size_t i = 0; i < f->libraries.count; i++)
		explain_library(&f->libraries.libraries[i], out);
	for (size_t i = 0; i < f->libraries.missing.count; i++)
		str_addf(out, "%s\n  needed by: %s\n  not found\n",
			 f->libraries.missing.items[i].name,
			 f->libraries.missing.items[i].needed_by);
}

void include_files_finish(struct include_files *f)
{
	free(f->files);
	elf_closure_finish(&f->libraries);
	str_finish(&f->warnings);
	arena_finish(&f->memory);
	*f = (struct include_files){};
}
