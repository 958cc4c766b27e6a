// SPDX-License-Identifier: GPL-2.0-only
/* Compiles a C file against the library next to this program. */

#include "run/parts.h"

#define COMPILE_LIMIT_NS (300 * NSEC_PER_SEC)
#define MAX_ARGS 32

/* Paths needed for a compilation. */
struct toolchain {
	char *compiler;
	bool is_clang;
	char *library, *include;
};

static void toolchain_finish(struct toolchain *t)
{
	free(t->compiler);
	free(t->library);
	free(t->include);
}

bool source_is_one(const char *path)
{
	size_t len = strlen(path);

	return len > 2 && str_eq(path + len - 2, ".c");
}

/* The first of the places, relative to the directory of this program, that exists. */
static char *find_beside(const char *dir, const char *const *places, size_t count,
			 const char *witness)
{
	for (size_t i = 0; i < count; i++) {
		_free_ char *path = str_fmt("%s/%s", dir, places[i]);
		_free_ char *proof = path ? str_fmt("%s%s", path, witness) : NULL;

		if (proof && access(proof, R_OK) == 0)
			return take_ptr(&path);
	}
	return NULL;
}

/* Debian's names of library directories. */
#ifdef __aarch64__
#define MULTIARCH "aarch64-linux-gnu"
#else
#define MULTIARCH "x86_64-linux-gnu"
#endif

static int find_library(struct toolchain *t)
{
	static const char *const libraries[] = { "libktstr.a", "../libktstr.a", "../lib/libktstr.a",
						 "../lib/" MULTIARCH "/libktstr.a" };
	static const char *const includes[] = { "../include", "../../include" };
	_free_ char *self = path_own_directory();

	if (!self)
		return -ENOENT;
	t->library = find_beside(self, libraries, ARRAY_SIZE(libraries), "");
	t->include = find_beside(self, includes, ARRAY_SIZE(includes), "/ktstr/ktstr.h");
	if (t->library && t->include)
		return 0;
	return err_set(ENOENT,
		       "%s is needed to compile a test and is not beside %s: build or "
		       "install ktstr as a whole",
		       t->library ? "ktstr/ktstr.h" : "libktstr.a", self);
}

/* Makes the path absolute: the compiler runs in another directory. */
static int take_compiler(struct toolchain *t, char *path)
{
	t->compiler = path_absolute(path);
	free(path);
	return t->compiler ? 0 : -ENOMEM;
}

/* The first that exists of CC, gcc, clang, cc. */
static int find_any_compiler(struct toolchain *t)
{
	const char *wanted[] = { env_get("CC"), "gcc", "clang", "cc" };
	char *found = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(wanted) && !found; i++)
		if (wanted[i])
			found = path_search(wanted[i]);
	if (!found)
		return err_set(ENOENT,
			       "no C compiler found: install gcc or clang, or name one in CC");
	t->is_clang = strstr(found, "clang") != NULL;
	return take_compiler(t, found);
}

static int find_compiler(struct toolchain *t, const struct source_options *how)
{
	char *clang;

	if (!how->is_instrumented)
		return find_any_compiler(t);
	t->is_clang = true;
	clang = coverage_find_clang();
	return clang ? take_compiler(t, clang) : -ENOENT;
}

struct arguments {
	const char *items[MAX_ARGS + 1];
	size_t count;
};

static void add(struct arguments *a, const char *arg)
{
	if (a->count < MAX_ARGS)
		a->items[a->count++] = arg;
}

/* Removes the directory from __FILE__, so that the same file gives the same program anywhere. */
static char *directory_map(const char *path)
{
	return str_fmt("-fmacro-prefix-map=%.*s=", (int)(strrchr(path, '/') + 1 - path), path);
}

/*
 * Turns some warnings into errors: an attribute given twice, a scheduler instead of a payload. A
 * body without a return only gives a warning, because it may never end.
 */
static void add_common(struct arguments *a, const struct toolchain *t,
		       const struct source_options *how)
{
	add(a, t->compiler);
	add(a, "-std=gnu17");
	add(a, "-D_GNU_SOURCE");
	add(a, "-g");
	add(a, how->is_release ? "-O2" : "-O0");
	add(a, "-Wall");
	add(a, t->is_clang ? "-Werror=initializer-overrides" : "-Werror=override-init");
	add(a, "-Werror=incompatible-pointer-types");
	if (how->is_instrumented) {
		add(a, COVERAGE_COMPILE_FLAG);
		add(a, COVERAGE_MAPPING_FLAG);
	}
	add(a, "-isystem");
	add(a, t->include);
}

/* Hash of everything that determines the program: the preprocessed text, library, options. */
static int content_key(const struct toolchain *t, const char *path,
		       const struct source_options *how, char key[static SHA256_HEX_SIZE])
{
	struct arguments a = {};
	_str_ struct str text = {};
	char library[SHA256_HEX_SIZE];
	struct sha256 h;
	int rc;

	add_common(&a, t, how);
	if (!t->is_clang)
		add(&a, "-fno-working-directory");
	add(&a, "-E");
	add(&a, path);
	rc = child_output(a.items, COMPILE_LIMIT_NS, &text);
	if (rc > 0)
		return err_set(EINVAL, "%s does not compile", path);
	rc = rc ?: file_hash(t->library, library);
	if (rc < 0)
		return rc;
	sha256_init(&h);
	for (size_t i = 0; i < a.count; i++)
		sha256_add(&h, a.items[i], strlen(a.items[i]) + 1);
	sha256_add(&h, library, sizeof(library));
	sha256_add(&h, str_get(&text), text.len);
	sha256_hex(&h, key);
	return 0;
}

/*
 * Runs in the directory of the source file: the current directory ends up in the debug information,
 * and another program would be another run in sim.
 */
static int run_compiler(const struct arguments *a, const char *path)
{
	_free_ char *dir = strndup(path, (size_t)(strrchr(path, '/') - path) + 1);
	_cleanup_(child_finish) struct child c = {};
	int rc = dir ? child_start(&c, &(struct child_opts){ .argv = a->items,
							     .directory = dir,
							     .stdout_fd = STDERR_FILENO }) :
		       err_no_memory();

	return rc ?: child_wait(&c, COMPILE_LIMIT_NS);
}

/* path is absolute. */
static int compile(const struct toolchain *t, const char *path, const struct source_options *how,
		   const char *out)
{
	_free_ char *map = directory_map(path);
	struct arguments a = {};
	int rc;

	if (!map)
		return err_no_memory();
	add_common(&a, t, how);
	add(&a, map);
	add(&a, "-static");
	add(&a, "-o");
	add(&a, out);
	add(&a, path);
	add(&a, t->library);
	add(&a, "-lm");
	add(&a, "-lpthread");
	rc = run_compiler(&a, path);
	return rc > 0 ? err_set(EINVAL, "%s does not compile", path) : rc;
}

static char *program_name(const char *path)
{
	const char *name = basename(path);

	return strndup(name, strlen(name) - 2);
}

/* Inputs of a compilation, for program_cache_get(). */
struct recipe {
	const struct toolchain *tools;
	const char *path;
	const struct source_options *how;
};

static int make_from_source(void *ctx, const char *out)
{
	const struct recipe *r = ctx;

	return compile(r->tools, r->path, r->how, out);
}

int source_compile(const char *path, const struct source_options *how, char **program)
{
	_cleanup_(toolchain_finish) struct toolchain t = {};
	_free_ char *absolute = realpath(path, NULL);
	_free_ char *name = absolute ? program_name(absolute) : NULL;
	struct recipe recipe = { &t, absolute, how };
	char key[SHA256_HEX_SIZE];
	int rc;

	*program = NULL;
	if (!absolute || access(absolute, R_OK) < 0)
		return err_sys(errno, "read %s", path);
	rc = find_compiler(&t, how) ?: find_library(&t) ?: content_key(&t, absolute, how, key);
	if (rc == 0 && !name)
		rc = err_no_memory();
	return rc < 0 ? rc : program_cache_get(key, name, make_from_source, &recipe, program);
}

int source_check(void)
{
	_cleanup_(toolchain_finish) struct toolchain t = {};

	return find_compiler(&t, &(struct source_options){}) ?: find_library(&t);
}

struct image {
	const void *bytes;
	size_t len;
};

static int make_from_bytes(void *ctx, const char *out)
{
	const struct image *image = ctx;

	return file_replace(out, image->bytes, image->len, 0755);
}

int source_keep(const char *name, const void *bytes, size_t len, char **program)
{
	struct image image = { bytes, len };
	char key[SHA256_HEX_SIZE];
	struct sha256 h;

	sha256_init(&h);
	sha256_add(&h, bytes, len);
	sha256_hex(&h, key);
	return program_cache_get(key, name, make_from_bytes, &image, program);
}
