// SPDX-License-Identifier: GPL-2.0-only
/* Finds a kernel if none was named. Nothing here builds, downloads or stores. */
#include "kernel/parts.h"

#include <sys/utsname.h>

/* Each step returns 0 (found), -ENOENT (not here) or an error to stop at. */

static int from_test_kernel(struct kernel_image *out)
{
	const char *path = getenv("KTSTR_TEST_KERNEL");

	if (!path)
		return -ENOENT;
	if (!*path)
		return err_set(EINVAL, "KTSTR_TEST_KERNEL is empty; it names a kernel image");
	if (access(path, R_OK) < 0)
		return err_set(EINVAL, "KTSTR_TEST_KERNEL names %s: %s", path, strerror(errno));
	return err_wrap(image_from_file(path, out), "KTSTR_TEST_KERNEL");
}

/* A directory of the cache has metadata, so prefer that to its files. */
static int from_directory(const char *path, struct kernel_image *out)
{
	_free_ char *metadata = str_fmt("%s/metadata.json", path);
	_free_ char *real = realpath(path, NULL);
	char *slash = real ? strrchr(real, '/') : NULL;

	if (!metadata)
		return err_no_memory();
	if (!slash || slash == real || access(metadata, F_OK) < 0)
		return image_in_tree(path, out);
	*slash = '\0';
	return cache_open(real, slash + 1, out);
}

static int from_cache_by_version(const char *root, const struct kernel_id *id,
				 struct kernel_image *out)
{
	_cache_list_ struct cache_list list = {};
	const struct cache_entry *e;
	int rc = cache_list_read(root, &list);

	if (rc < 0)
		return rc;
	e = lookup_version(&list, &id->version, true);
	if (!e)
		e = lookup_version(&list, &id->version, false);
	return e ? cache_open(root, e->key, out) : -ENOENT;
}

/* A damaged entry gives another error than a missing one. */
static int from_cache_by_key(const char *variable, const char *root, const char *key,
			     struct kernel_image *out)
{
	_free_ char *path = str_fmt("%s/%s", root, key);
	int rc;

	if (!path)
		return err_no_memory();
	rc = cache_open(root, key, out);
	if (rc == -ENOENT && access(path, F_OK) == 0)
		return err_set(EINVAL, "%s: %s", variable, err_text(rc));
	return rc;
}

/* The user named a kernel: use this one or fail. */
static int from_named(const char *variable, const char *text, struct kernel_image *out)
{
	_kernel_id_ struct kernel_id id = {};
	_free_ char *root = NULL;
	int rc = kernel_id_parse(text, &id);

	if (rc < 0)
		return err_wrap(rc, "%s", variable);
	if (id.kind == KERNEL_ID_PATH) {
		rc = from_directory(id.text, out);
		return rc == -ENOENT ? err_set(EINVAL, "%s: %s", variable, err_text(rc)) :
				       err_wrap(rc, "%s", variable);
	}
	if (id.kind == KERNEL_ID_RANGE || id.kind == KERNEL_ID_GIT)
		return err_set(EINVAL,
			       "%s is '%s'; without --kernel it takes a path, a version or a "
			       "cache key",
			       variable, text);
	rc = cache_root(&root);
	if (rc < 0)
		return rc;
	if (id.kind == KERNEL_ID_VERSION)
		rc = from_cache_by_version(root, &id, out);
	else
		rc = from_cache_by_key(variable, root, id.text, out);
	if (rc == -ENOENT)
		return err_set(
			EINVAL,
			"%s names kernel '%s', which is not in the cache, and no other is taken "
			"in its place; `ktstr kernel fetch` or `ktstr kernel build` gets it",
			variable, text);
	return rc;
}

static int from_environment(struct kernel_image *out)
{
	const char *list = env_get("KTSTR_KERNEL_LIST");
	const char *one = env_get("KTSTR_KERNEL");

	if (list) {
		const char *path = strchr(list, '=');
		_free_ char *first = path ? strndup(path + 1, strcspn(path + 1, ";")) : NULL;

		if (!first || !*first)
			return err_set(EINVAL, "KTSTR_KERNEL_LIST is '%s'; it takes LABEL=PATH;...",
				       list);
		return from_named("KTSTR_KERNEL_LIST", first, out);
	}
	return one ? from_named("KTSTR_KERNEL", one, out) : -ENOENT;
}

static int from_cache(struct kernel_image *out)
{
	_cache_list_ struct cache_list list = {};
	const struct cache_entry *e;
	_free_ char *root = NULL;

	if (cache_root(&root) < 0 || cache_list_read(root, &list) < 0)
		return -ENOENT;
	e = lookup_highest(&list);
	return e ? cache_open(root, e->key, out) : -ENOENT;
}

typedef int (*image_reader)(const char *path, struct kernel_image *out);

static int try_place(image_reader read, struct kernel_image *out, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int try_place(image_reader read, struct kernel_image *out, const char *fmt, ...)
{
	_str_ struct str path = {};

	str_add_rest(&path, fmt);
	return read(str_get(&path), out);
}

/* Fedora and Arch keep it in the module directory, Debian and Ubuntu in /boot. */
static int try_running(const struct discover_places *p, struct kernel_image *out)
{
	int rc = try_place(image_from_file, out, "%s/%s/vmlinuz", p->modules, p->release);

	return rc == 0 ? 0 : try_place(image_from_file, out, "%s/vmlinuz-%s", p->boot, p->release);
}

/*
 * An image that exists but is unreadable, as on Ubuntu, gives another message than a missing one.
 */
static char *find_hidden(const struct discover_places *p)
{
	char *paths[] = { str_fmt("%s/%s/vmlinuz", p->modules, p->release),
			  str_fmt("%s/vmlinuz-%s", p->boot, p->release) };
	char *found = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		if (!found && paths[i] && access(paths[i], F_OK) == 0 && access(paths[i], R_OK) < 0)
			found = take_ptr(&paths[i]);
		free(paths[i]);
	}
	return found;
}

int discover_running_in(const struct discover_places *p, struct kernel_image *out)
{
	_free_ char *hidden = NULL;
	int rc = try_running(p, out);

	if (rc == 0)
		return 0;
	hidden = find_hidden(p);
	if (hidden)
		return err_set(EACCES,
			       "%s may be read by root only; copy it, or: sudo chmod a+r %s",
			       hidden, hidden);
	if (rc != -ENOENT)
		return rc;
	return err_set(ENOENT,
		       "the running kernel %s has no image here: neither %s/%s/vmlinuz nor "
		       "%s/vmlinuz-%s is one",
		       p->release, p->modules, p->release, p->boot, p->release);
}

/* Skips an unusable image: the user did not ask for it. */
static int from_machine(const struct discover_places *p, struct kernel_image *out)
{
	if (try_place(image_in_tree, out, "%s/linux", p->here) == 0 ||
	    try_place(image_in_tree, out, "%s/../linux", p->here) == 0 ||
	    try_place(image_in_tree, out, "%s/%s/build", p->modules, p->release) == 0 ||
	    try_running(p, out) == 0 || try_place(image_from_file, out, "%s/vmlinuz", p->boot) == 0)
		return 0;
	return -ENOENT;
}

int discover_in(const struct discover_places *places, struct kernel_image *out)
{
	int rc;

	*out = (struct kernel_image){};
	rc = from_test_kernel(out);
	if (rc == -ENOENT)
		rc = from_environment(out);
	if (rc == -ENOENT)
		rc = from_cache(out);
	if (rc == -ENOENT)
		rc = from_machine(places, out);
	if (rc == -ENOENT)
		return err_set(
			ENOENT,
			"no kernel found\n"
			"  hint: set KTSTR_KERNEL to a source tree, version or cache key, or run "
			"`ktstr kernel fetch` or `ktstr kernel build`\n"
			"  hint: set KTSTR_TEST_KERNEL to a %s",
			cache_image_name());
	return rc;
}

static struct discover_places places_of(struct utsname *host)
{
	uname(host);
	return (struct discover_places){
		.here = ".", .modules = "/lib/modules", .boot = "/boot", .release = host->release
	};
}

int kernel_discover(struct kernel_image *out)
{
	struct utsname host;
	struct discover_places places = places_of(&host);

	return discover_in(&places, out);
}

int discover_running(struct kernel_image *out)
{
	struct utsname host;
	struct discover_places places = places_of(&host);

	return discover_running_in(&places, out);
}
