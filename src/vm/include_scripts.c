// SPDX-License-Identifier: GPL-2.0-only
/* Checks the #! lines of include files. */
#include "vm/initramfs_plan.h"

#define MAX_LINE 256 /* limit of the kernel */

struct script {
	char interpreter[MAX_LINE];
	char program[MAX_LINE]; /* program started by env, or "" */
};

static bool next_word(const char **p, char out[static MAX_LINE])
{
	size_t len;

	*p += strspn(*p, " \t");
	len = strcspn(*p, " \t\r");
	if (len == 0 || len >= MAX_LINE)
		return false;
	memcpy(out, *p, len);
	out[len] = '\0';
	*p += len;
	return true;
}

static bool parse_script(const char *line, struct script *out)
{
	const char *name;

	*out = (struct script){};
	if (!next_word(&line, out->interpreter))
		return false;
	name = strrchr(out->interpreter, '/');
	if (!name || !str_eq(name, "/env"))
		return true;
	while (next_word(&line, out->program) && out->program[0] == '-')
		;
	return true;
}

static bool read_script(const char *path, struct script *out)
{
	_map_file_ struct map_file file = {};
	char line[MAX_LINE] = "";
	size_t len;

	if (map_file_open(&file, path) < 0 || file.size < 3 || memcmp(file.data, "#!", 2) != 0)
		return false;
	len = MIN(file.size - 2, sizeof(line) - 1);
	memcpy(line, file.data + 2, len);
	line[strcspn(line, "\n")] = '\0';
	return parse_script(line, out);
}

/* Applets are in /bin; the other usual directories are links to it. */
static bool is_applet(const struct str *applets, const char *path)
{
	static const char *const dirs[] = { "/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/" };

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		if (str_starts(path, dirs[i]) &&
		    text_has_line(str_get(applets), path + strlen(dirs[i])))
			return true;
	return false;
}

static bool is_included(const struct include_files *f, const char *path)
{
	for (size_t i = 0; i < f->count; i++)
		if (str_eq(f->files[i].guest_path, path))
			return true;
	return array_find(f->libraries.libraries, f->libraries.count, path, path);
}

/* PATH in the guest contains every include directory with a program. */
static bool is_in_guest_path(const struct include_files *f, const struct str *applets,
			     const char *name)
{
	if (text_has_line(str_get(applets), name))
		return true;
	for (size_t i = 0; i < f->count; i++) {
		const char *base = strrchr(f->files[i].guest_path, '/');

		if (f->files[i].mode & 0111 && str_eq(base + 1, name))
			return true;
	}
	return false;
}

static void check_script(struct include_files *f, const struct include_file *file,
			 const struct script *script, const struct str *applets)
{
	const char *absent = NULL;

	if (!is_applet(applets, script->interpreter) && !is_included(f, script->interpreter))
		absent = script->interpreter;
	else if (script->program[0] && !is_in_guest_path(f, applets, script->program))
		absent = script->program;
	if (absent)
		str_addf(&f->warnings,
			 "-i %s: %s is a script for %s, which the guest does not have\n",
			 file->argument, file->host_path, absent);
}

int include_scripts_check(struct include_files *f)
{
	_free_ char *busybox = NULL;
	_str_ struct str applets = {};

	for (size_t i = 0; i < f->count; i++) {
		struct script script;
		int rc;

		if (f->files[i].is_elf || !read_script(f->files[i].host_path, &script))
			continue;
		if (!busybox) {
			rc = busybox_find(&busybox) ?: busybox_list_applets(busybox, &applets);
			if (rc < 0)
				return rc;
		}
		check_script(f, &f->files[i], &script, &applets);
	}
	return 0;
}
