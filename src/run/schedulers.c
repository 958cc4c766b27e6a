// SPDX-License-Identifier: GPL-2.0-only
/* Finds scheduler programs, and builds their arguments. */
#include "run/parts.h"

#include "guest/protocol.h"
#include "vm/elf_closure.h"

struct search {
	const struct probe_sched *sched;
	char **path;
	const char **source;
	struct str places; /* that were searched without success */
};

/* Why the program cannot be started; NULL = it can, "" = it does not exist. */
static const char *problem_of(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return "";
	if (!S_ISREG(st.st_mode))
		return " (no file)";
	return access(path, X_OK) == 0 ? NULL : " (not executable)";
}

/* Tries one path, which it takes over. True = the search is over. */
static bool try_path(struct search *s, char *path, const char *source)
{
	_free_ char *owned = path;
	const char *problem = owned ? problem_of(owned) : NULL;

	if (!owned)
		return false;
	if (problem) {
		str_addf(&s->places, "%s%s%s", s->places.len ? ", " : "", owned, problem);
		return false;
	}
	*s->path = take_ptr(&owned);
	*s->source = source;
	return true;
}

static bool try_directory(struct search *s, const char *dir, const char *source)
{
	return try_path(s, str_fmt("%s/%s", dir, s->sched->binary), source);
}

static bool try_variable(struct search *s, const char *name)
{
	const char *value = env_get(name);

	if (value)
		return try_path(s, strdup(value), "environment");
	str_addf(&s->places, "%s%s (unset)", s->places.len ? ", " : "", name);
	return false;
}

static bool try_named_variable(struct search *s)
{
	_str_ struct str name = {};

	str_add(&name, "KTSTR_SCHEDULER_BIN_");
	for (const char *p = s->sched->name; *p; p++)
		str_addc(&name,
			 isalnum((unsigned char)*p) ? (char)toupper((unsigned char)*p) : '_');
	return try_variable(s, str_get(&name));
}

static bool try_beside(struct search *s, const char *program)
{
	_free_ char *dir = strdup(program);
	char *slash = dir ? strrchr(dir, '/') : NULL;

	if (!slash)
		return false;
	*slash = '\0';
	if (try_directory(s, dir, "test program"))
		return true;
	slash = strrchr(dir, '/');
	if (!slash || !str_eq(slash + 1, "deps"))
		return false;
	*slash = '\0';
	return try_directory(s, dir, "test program");
}

static bool try_builds(struct search *s, const char *profile)
{
	static const char *const dirs[] = { "target/debug", "target/release", "build",
					    "build/bpf" };

	_free_ char *first = profile ? str_fmt("target/%s", profile) : NULL;

	if (first && try_directory(s, first, "build"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		if (!(first && str_eq(dirs[i], first)) && try_directory(s, dirs[i], "build"))
			return true;
	return false;
}

static bool try_search_path(struct search *s)
{
	char *found = path_search(s->sched->binary);

	if (found)
		return try_path(s, found, "PATH");
	str_add(&s->places, ", PATH");
	return false;
}

/* Finds scx-ktstr next to ktstr, also if that is not installed. */
static bool try_beside_ktstr(struct search *s)
{
	_free_ char *dir = path_own_directory();

	return dir && try_directory(s, dir, "ktstr");
}

static int find_binary(struct search *s, const struct scheduler_search *where)
{
	if (try_named_variable(s) || try_variable(s, "KTSTR_SCHEDULER") ||
	    try_beside(s, where->program) || try_builds(s, where->profile) || try_search_path(s) ||
	    try_beside_ktstr(s))
		return 0;
	return err_set(ENOENT, "scheduler '%s' not found; looked at: %s", s->sched->binary,
		       str_get(&s->places));
}

int scheduler_find(const struct probe_sched *sched, const struct scheduler_search *where,
		   char **path, const char **source)
{
	struct search s = { .sched = sched, .path = path, .source = source };
	int rc;

	*path = NULL;
	*source = "kernel";
	if (where->given && (sched->binary || sched->binary_path)) {
		if (try_path(&s, strdup(where->given), "option"))
			return 0;
		rc = err_set(ENOENT, "the scheduler %s cannot be started", str_get(&s.places));
		str_finish(&s.places);
		return rc;
	}
	if (sched->binary_path) {
		if (try_path(&s, strdup(sched->binary_path), "binary_path"))
			return 0;
		str_finish(&s.places);
		return err_set(ENOENT, "scheduler '%s' not found: %s%s", sched->name,
			       sched->binary_path,
			       *problem_of(sched->binary_path) ? problem_of(sched->binary_path) :
								 " does not exist");
	}
	if (!sched->binary)
		return 0;
	rc = find_binary(&s, where);
	str_finish(&s.places);
	return rc;
}

/* Rejects only ELF files for another machine: scripts are programs, too. */
static int check_machine(const char *path)
{
	_cleanup_(elf_closure_finish) struct elf_closure libraries = {};
	int rc = elf_closure_add(&libraries, &(struct elf_search){}, path);

	if (rc == -ENOTSUP)
		return rc;
	err_clear();
	return 0;
}

int scheduler_args_check(const char *const *args, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strchr(args[i], '\n'))
			return err_set(EINVAL, "an argument of the scheduler has a line end in it");
	return 0;
}

int scheduler_program(const char *name, char **path)
{
	_free_ char *absolute = realpath(name, NULL);
	struct stat st;
	int rc;

	*path = NULL;
	if (!absolute || stat(absolute, &st) < 0)
		return err_sys(errno, "use '%s' as a scheduler", name);
	if (S_ISDIR(st.st_mode))
		return err_sys(EISDIR, "use '%s' as a scheduler", name);
	if (access(absolute, X_OK) < 0)
		return err_sys(errno, "use '%s' as a scheduler", name);
	rc = check_machine(absolute);
	if (rc < 0)
		return err_wrap(rc, "use '%s' as a scheduler", name);
	*path = take_ptr(&absolute);
	return 0;
}

static void add_arg(struct str *out, const char *arg)
{
	str_addn(out, arg, strlen(arg) + 1);
}

static void add_args(struct str *out, const struct probe_texts *args)
{
	for (size_t i = 0; i < args->count; i++)
		add_arg(out, args->items[i]);
}

/* Appends "--config=/include-files/x" from "--config={file}"; two arguments without a template. */
static void add_config(const struct probe_sched *s, struct str *out)
{
	const char *name = s->config_file ? basename(s->config_file) : NULL;
	_free_ char *path = NULL;
	const char *template, *mark;

	if (!name)
		return;
	if (s->config_file_def.count < 2) {
		path = str_fmt(GUEST_INCLUDE_DIR "/%s", name);
		add_arg(out, "--config");
		add_arg(out, path ? path : "");
		return;
	}
	template = s->config_file_def.items[0];
	mark = strstr(template, "{file}");
	if (mark)
		str_addf(out, "%.*s%s%s", (int)(mark - template), template,
			 s->config_file_def.items[1], mark + strlen("{file}"));
	else
		str_add(out, template);
	str_addn(out, "", 1);
}

int scheduler_add_args(const struct probe_sched *s, const struct probe_test *t, uint64_t flags,
		       struct str *out)
{
	add_arg(out, GUEST_SCHEDULER);
	add_config(s, out);
	if (s->cgroup_parent) {
		add_arg(out, "--cell-parent-cgroup");
		add_arg(out, s->cgroup_parent);
	}
	add_args(out, &s->args);
	add_args(out, &t->extra_sched_args);
	for (size_t i = 0; i < s->flags.count; i++)
		if (flags >> i & 1)
			add_args(out, &s->flags.items[i].args);
	return str_check(out);
}
