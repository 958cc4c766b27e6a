// SPDX-License-Identifier: GPL-2.0-only
/*
 * Breadth-first search over DT_NEEDED with the dynamic linker's rules.
 *
 * Each program is a separate search: a library name is looked up once per program, for the first
 * object that requests it, and later objects get the same library.
 */
#include "vm/elf_closure.h"

static const char *const default_dirs[] = {
	"/lib/" ELF_MULTIARCH,
	"/usr/lib/" ELF_MULTIARCH,
	"/lib",
	"/usr/lib",
	"/lib64",
	"/usr/lib64",
	"/usr/local/lib",
	"/usr/local/lib64",
	"/usr/local/lib/" ELF_MULTIARCH,
};

/* A file that belongs to the program being searched. */
struct object {
	const char *path;
	const char *origin; /* its directory: $ORIGIN */
	const char *name;   /* as requested */
	struct elf_image image;
	const struct object *loader; /* first object that requested it; NULL for the program */
	struct object *next;
};

struct search {
	struct elf_closure *closure;
	const char *library_path;
	const char *hints; /* directories separated by ':', or NULL */
	struct map_file cache;
	struct object *first, **last;
};

/* A library that was found, before it is known whether it is new. */
struct candidate {
	const char *path;
	const char *directory; /* as written, or NULL */
	enum elf_found_by how;
	struct elf_image image;
};

const char *elf_found_by_text(enum elf_found_by how)
{
	static const char *const texts[] = {
		[ELF_FOUND_PATH] = "named by its path",
		[ELF_FOUND_RPATH] = "RPATH",
		[ELF_FOUND_ENVIRONMENT] = "LD_LIBRARY_PATH",
		[ELF_FOUND_RUNPATH] = "RUNPATH",
		[ELF_FOUND_INTERPRETER_HINT] = "beside the interpreter",
		[ELF_FOUND_CACHE] = "ld.so.cache",
		[ELF_FOUND_DEFAULT] = "default directory",
		[ELF_FOUND_INTERPRETER] = "interpreter",
	};

	return texts[how];
}

static char *copy(struct elf_closure *c, const char *text)
{
	return arena_copy(&c->memory, text, strlen(text));
}

static char *directory_of(struct elf_closure *c, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return copy(c, ".");
	return arena_copy(&c->memory, path, slash == path ? 1 : (size_t)(slash - path));
}

/*
 * Path in the guest: as found. If that is not absolute or contains "..", the directory is resolved;
 * the last component stays, because the guest's linker uses this name.
 */
static char *guest_path(struct elf_closure *c, const char *path)
{
	char resolved[PATH_MAX];
	const char *directory;
	_str_ struct str out = {};

	if (path[0] == '/' && !strstr(path, "/.") && !strstr(path, "//"))
		return copy(c, path);
	directory = directory_of(c, path);
	if (!directory || !realpath(directory, resolved))
		return NULL;
	str_addf(&out, "%s/%s", resolved, basename(path));
	return out.failed ? NULL : copy(c, str_get(&out));
}

/* Makes the file the candidate if it fits this machine. False: continue the search. */
static bool try_path(struct search *s, const char *path, struct candidate *out)
{
	_map_file_ struct map_file file = {};
	struct elf_closure *c = s->closure;

	if (map_file_open(&file, path) < 0 ||
	    elf_image_parse(file.data, file.size, &c->memory, &out->image) < 0)
		return false;
	out->path = guest_path(c, path);
	return out->path != NULL;
}

struct variable {
	const char *name;
	const char *value;
};

/* Value of $NAME or ${NAME} at p, and the position after it. */
static const char *match_variable(const char *p, const struct variable *variables, size_t count,
				  const char **after)
{
	bool has_brace = p[1] == '{';
	const char *name = p + 1 + has_brace;

	for (size_t i = 0; i < count; i++) {
		size_t len = strlen(variables[i].name);

		if (strncmp(name, variables[i].name, len) != 0 || (has_brace && name[len] != '}'))
			continue;
		*after = name + len + has_brace;
		return variables[i].value;
	}
	return NULL;
}

static void expand(const char *text, size_t len, const char *origin, const char *lib,
		   struct str *out)
{
	const struct variable variables[] = {
		{ "ORIGIN", origin },
		{ "LIB", lib },
		{ "PLATFORM", ELF_PLATFORM },
	};
	const char *end = text + len;

	while (text < end) {
		const char *after = NULL;
		const char *value = *text == '$' ? match_variable(text, variables,
								  ARRAY_SIZE(variables), &after) :
						   NULL;

		if (value && after <= end) {
			str_add(out, value);
			text = after;
		} else {
			str_addc(out, *text++);
		}
	}
}

/* Tries one entry of a search path. $LIB differs between distributions, so each value is tried. */
static bool try_directory(struct search *s, const char *entry, size_t len, const char *origin,
			  const char *name, struct candidate *out)
{
	static const char *const libs[] = { ("lib/" ELF_MULTIARCH), "lib64", "lib" };
	size_t readings = memmem(entry, len, "$LIB", 4) || memmem(entry, len, "${LIB}", 6) ?
				  ARRAY_SIZE(libs) :
				  1;

	for (size_t i = 0; i < readings; i++) {
		_str_ struct str path = {};

		expand(entry, len, origin, libs[i], &path);
		if (path.len == 0) /* an empty entry means the current directory */
			str_addc(&path, '.');
		str_addf(&path, "/%s", name);
		if (!path.failed && try_path(s, str_get(&path), out)) {
			out->directory = arena_copy(&s->closure->memory, entry, len);
			return true;
		}
	}
	return false;
}

/* Tries directories separated by ':' (and, in LD_LIBRARY_PATH, ';'). */
static bool try_list(struct search *s, const char *list, const char *origin, const char *name,
		     enum elf_found_by how, struct candidate *out)
{
	out->how = how;
	while (list && *list) {
		size_t len = strcspn(list, ":;");

		if (try_directory(s, list, len, origin, name, out))
			return true;
		list += len + (list[len] != '\0');
	}
	return false;
}

/* Tries RPATH of the requesting object, of the object that requested that one, and so on. */
static bool try_rpaths(struct search *s, const struct object *asker, const char *name,
		       struct candidate *out)
{
	if (asker->image.runpath)
		return false;
	for (const struct object *o = asker; o; o = o->loader)
		if (!o->image.runpath &&
		    try_list(s, o->image.rpath, o->origin, name, ELF_FOUND_RPATH, out))
			return true;
	return false;
}

static bool try_cache(struct search *s, const char *name, struct candidate *out)
{
	_str_ struct str path = {};

	out->how = ELF_FOUND_CACHE;
	return ld_cache_find(s->cache.data, s->cache.size, name, &path) == 0 && !path.failed &&
	       try_path(s, str_get(&path), out);
}

static bool try_defaults(struct search *s, const char *name, struct candidate *out)
{
	out->how = ELF_FOUND_DEFAULT;
	for (size_t i = 0; i < ARRAY_SIZE(default_dirs); i++)
		if (try_directory(s, default_dirs[i], strlen(default_dirs[i]), "", name, out))
			return true;
	return false;
}

static bool find_library(struct search *s, const struct object *asker, const char *name,
			 struct candidate *out)
{
	*out = (struct candidate){};
	if (strchr(name, '/')) {
		_str_ struct str path = {};

		out->how = ELF_FOUND_PATH;
		expand(name, strlen(name), asker->origin, "lib/" ELF_MULTIARCH, &path);
		return !path.failed && try_path(s, str_get(&path), out);
	}
	return try_rpaths(s, asker, name, out) ||
	       try_list(s, s->library_path, "", name, ELF_FOUND_ENVIRONMENT, out) ||
	       try_list(s, asker->image.runpath, asker->origin, name, ELF_FOUND_RUNPATH, out) ||
	       try_list(s, s->hints, "", name, ELF_FOUND_INTERPRETER_HINT, out) ||
	       try_cache(s, name, out) || try_defaults(s, name, out);
}

static bool is_loaded(const struct search *s, const char *name)
{
	for (const struct object *o = s->first; o; o = o->next)
		if ((o->name && str_eq(o->name, name)) ||
		    (o->image.soname && str_eq(o->image.soname, name)))
			return true;
	return false;
}

static int add_object(struct search *s, const char *path, const char *name,
		      const struct elf_image *image, const struct object *loader)
{
	struct elf_closure *c = s->closure;
	struct object *o = arena_alloc(&c->memory, sizeof(*o));

	if (!o)
		return err_no_memory();
	*o = (struct object){
		.path = path,
		.origin = directory_of(c, path),
		.name = name,
		.image = *image,
		.loader = loader,
	};
	if (!o->origin)
		return err_no_memory();
	*s->last = o;
	s->last = &o->next;
	return 0;
}

/* Directories that the guest's linker searches by default. */
static bool is_built_in(const char *directory)
{
	static const char *const debian[] = { "/lib/" ELF_MULTIARCH, "/usr/lib/" ELF_MULTIARCH,
					      "/lib", "/usr/lib" };
	static const char *const others[] = { "/lib64", "/usr/lib64", "/lib", "/usr/lib" };
	const char *const *dirs = access("/lib/" ELF_MULTIARCH, F_OK) == 0 ? debian : others;

	return str_index(dirs, ARRAY_SIZE(debian), directory) >= 0;
}

/*
 * An absolute RPATH also works in the guest, because libraries keep their paths. All other
 * directories must be passed to the guest's linker: it has neither our cache nor our environment,
 * and programs are in another directory.
 */
static int note_directory(struct elf_closure *c, const struct candidate *found)
{
	bool is_own = found->how == ELF_FOUND_RPATH || found->how == ELF_FOUND_RUNPATH;
	const char *directory = directory_of(c, found->path);

	if (!directory)
		return err_no_memory();
	if (found->how == ELF_FOUND_INTERPRETER || is_built_in(directory) ||
	    (is_own && found->directory && !strchr(found->directory, '$')))
		return 0;
	return str_index(c->search_dirs.items, c->search_dirs.count, directory) >= 0 ?
		       0 :
		       vec_push(&c->search_dirs, directory);
}

static int add_library(struct elf_closure *c, const struct candidate *found, const char *name,
		       const char *needed_by)
{
	char canonical[PATH_MAX];
	struct elf_library *l;
	int rc;

	for (size_t i = 0; i < c->count; i++)
		if (str_eq(c->libraries[i].path, found->path))
			return 0;
	if (!realpath(found->path, canonical))
		return err_sys(errno, "resolve %s", found->path);
	rc = vec_grow((void **)&c->libraries, &c->cap, c->count + 1, sizeof(*c->libraries));
	if (rc < 0)
		return rc;
	l = &c->libraries[c->count];
	*l = (struct elf_library){
		.name = copy(c, name),
		.path = found->path,
		.canonical = copy(c, canonical),
		.needed_by = copy(c, needed_by),
		.directory = found->directory,
		.how = found->how,
	};
	if (!l->name || !l->canonical || !l->needed_by)
		return err_no_memory();
	c->count++;
	return note_directory(c, found);
}

static int add_missing(struct elf_closure *c, const char *name, const char *needed_by)
{
	struct elf_missing m = { .name = copy(c, name), .needed_by = copy(c, needed_by) };

	if (!m.name || !m.needed_by)
		return err_no_memory();
	return vec_find(&c->missing, name, name) ? 0 : vec_push(&c->missing, m);
}

static int add_needed(struct search *s, const struct object *asker, const char *name)
{
	struct candidate found;
	int rc;

	if (is_loaded(s, name))
		return 0;
	if (!find_library(s, asker, name, &found))
		return add_missing(s->closure, name, asker->path);
	rc = add_library(s->closure, &found, name, asker->path);
	if (rc < 0)
		return rc;
	return add_object(s, found.path, name, &found.image, asker);
}

/* Adds "DIR:DIR/../lib:DIR/../lib64" of an interpreter in an unusual place. */
static int note_hints(struct search *s, const char *interpreter)
{
	const char *dir = directory_of(s->closure, interpreter);
	_str_ struct str hints = {};

	if (!dir)
		return err_no_memory();
	if (is_built_in(dir) || str_eq(interpreter, ELF_USUAL_INTERPRETER))
		return 0;
	str_addf(&hints, "%s:%s/../lib:%s/../lib64", dir, dir, dir);
	s->hints = hints.failed ? NULL : copy(s->closure, str_get(&hints));
	return s->hints ? 0 : err_no_memory();
}

static int add_interpreter(struct search *s, const struct object *program)
{
	const char *path = program->image.interpreter;
	struct candidate found = { .how = ELF_FOUND_INTERPRETER };
	int rc;

	if (!path)
		return 0;
	rc = note_hints(s, path);
	if (rc < 0)
		return rc;
	if (!try_path(s, path, &found))
		return add_missing(s->closure, path, program->path);
	rc = add_library(s->closure, &found, path, program->path);
	if (rc < 0)
		return rc;
	/* Added as an object, because libraries may request it by its soname. */
	return add_object(s, found.path, path, &found.image, program);
}

static int search_all(struct search *s, const char *path, const struct elf_image *image)
{
	int rc = add_object(s, path, NULL, image, NULL) ?: add_interpreter(s, s->first);

	for (const struct object *o = s->first; o && rc == 0; o = o->next)
		for (size_t i = 0; i < o->image.needed_count && rc == 0; i++)
			rc = add_needed(s, o, o->image.needed[i]);
	return rc;
}

static int read_program(struct elf_closure *c, const char *path, struct elf_image *image)
{
	_map_file_ struct map_file file = {};
	int rc = map_file_open(&file, path);

	if (rc < 0)
		return err_sys(-rc, "read %s", path);
	rc = elf_image_parse(file.data, file.size, &c->memory, image);
	return rc < 0 ? err_wrap(rc, "%s", path) : 0;
}

int elf_closure_add(struct elf_closure *c, const struct elf_search *opts, const char *path)
{
	struct search s = { .closure = c };
	char canonical[PATH_MAX];
	struct elf_image image;
	int rc = read_program(c, path, &image);

	if (rc < 0)
		return rc;
	if (!realpath(path, canonical))
		return err_sys(errno, "resolve %s", path);
	path = copy(c, canonical);
	if (!path)
		return err_no_memory();
	s.last = &s.first;
	s.library_path = opts->library_path ? opts->library_path : env_get("LD_LIBRARY_PATH");
	map_file_open(&s.cache, opts->cache_path ? opts->cache_path : "/etc/ld.so.cache");
	rc = search_all(&s, path, &image);
	map_file_finish(&s.cache);
	return rc;
}

void elf_closure_describe_missing(const struct elf_closure *c, struct str *out)
{
	if (c->missing.count == 0)
		return;
	str_addf(out, "shared %s not found:", c->missing.count == 1 ? "library" : "libraries");
	for (size_t i = 0; i < c->missing.count; i++)
		str_addf(out, "%s %s (needed by %s)", i ? "," : "", c->missing.items[i].name,
			 c->missing.items[i].needed_by);
}

void elf_closure_finish(struct elf_closure *c)
{
	free(c->libraries);
	free(c->missing.items);
	free(c->search_dirs.items);
	arena_finish(&c->memory);
	*c = (struct elf_closure){};
}
