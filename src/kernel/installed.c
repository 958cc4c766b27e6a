// SPDX-License-Identifier: GPL-2.0-only
/* Kernels installed by packages of this machine's distribution. */
#include <glob.h>

#include "kernel/distro.h"
#include "kernel/parts.h"

/* Maximum number of images to open; a machine has a handful. */
#define MAX_IMAGES 256

struct installed {
	char *path;
	struct bzimage header;
	struct kernel_version version;
};

struct installed_list {
	struct installed *items;
	size_t count, cap;
	size_t hidden; /* unreadable images, as on Ubuntu */
};

static void installed_finish(struct installed_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].path);
	free(list->items);
}

#define _installed_ _cleanup_(installed_finish)
#define _globfree_ _cleanup_(globfree)

/* Skips files that are not kernels of this architecture: the user did not name them. */
static int add_image(struct installed_list *list, const char *path,
		     const struct kernel_version *wanted)
{
	struct installed one = {};
	const char *end;

	if (access(path, R_OK) < 0) {
		/* A dangling link is not counted. */
		list->hidden += errno == EACCES;
		return 0;
	}
	if (bzimage_check_file(path, &one.header) < 0) {
		err_clear();
		return 0;
	}
	if (!str_eq(one.header.arch, cache_arch()) ||
	    kernel_version_parse_start(one.header.release, &one.version, &end) < 0 ||
	    !kernel_version_is_wanted(&one.version, wanted))
		return 0;
	one.path = strdup(path);
	if (one.path && vec_push(list, one) == 0)
		return 0;
	free(one.path);
	return err_no_memory();
}

static int add_matches(struct installed_list *list, const char *pattern,
		       const struct kernel_version *wanted)
{
	_globfree_ glob_t found = {};
	int rc = 0;

	if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
		return 0;
	for (size_t i = 0; i < found.gl_pathc && i < MAX_IMAGES && rc == 0; i++)
		rc = add_image(list, found.gl_pathv[i], wanted);
	return rc;
}

/* Newest first. */
static int compare(const void *a, const void *b)
{
	const struct installed *x = a, *y = b;

	return kernel_version_compare(&y->version, &x->version) ?: strcmp(x->path, y->path);
}

/* A mounted disk of another machine may lack the link from /lib to /usr/lib. */
static const char *modules_of(const char *place)
{
	_free_ char *path = str_fmt("%s/lib/modules", place);

	return path && access(path, F_OK) < 0 ? "usr/lib" : "lib";
}

/* Fedora and Arch keep images with their modules, Debian, Ubuntu and openSUSE in /boot. */
static int find_images(const char *place, const struct kernel_version *wanted,
		       struct installed_list *out)
{
	_free_ char *modules = str_fmt("%s/%s/modules/*/vmlinuz", place, modules_of(place));
	_free_ char *boot = str_fmt("%s/boot/vmlinuz-*", place);
	int rc;

	if (!modules || !boot)
		return err_no_memory();
	rc = add_matches(out, modules, wanted) ?: add_matches(out, boot, wanted);
	if (rc == 0)
		vec_sort(out, compare);
	return rc;
}

/* The release is text from the kernel's build; the key must be a valid directory name. */
static char *key_of(const struct installed *k)
{
	if (strchr(k->header.release, '/'))
		return NULL;
	return str_fmt("%s-installed-%s", k->header.release, cache_arch());
}

static int copy_files(const struct installed *k, const char *entry)
{
	_kernel_image_ struct kernel_image image = {};
	_free_ char *target = str_fmt("%s/%s", entry, cache_image_name());
	_free_ char *config = str_fmt("%s/config", entry);
	int rc = target && config ? image_from_file(k->path, &image) : err_no_memory();

	rc = rc ?: file_copy(k->path, target, 0644);
	return rc == 0 && image.config ? file_copy(image.config, config, 0644) : rc;
}

static int store(const char *root, const struct installed *k, const char *key,
		 struct vmlinux_facts *facts)
{
	_cache_temp_ struct cache_temp entry = { .fd = -1 };
	_kernel_meta_ struct kernel_meta meta = { .source = KERNEL_SOURCE_INSTALLED };
	char version[KERNEL_VERSION_TEXT_SIZE];
	struct bzimage header;
	int rc = cache_temp_make(&entry, root) ?: copy_files(k, entry.path);

	rc = rc ?: entry_look_inside(entry.path, &header, facts, &meta.has_vmlinux);
	if (rc < 0)
		return rc;
	kernel_version_format(&k->version, version);
	meta.version = kernel_meta_text(&meta, version);
	meta.image_path = kernel_meta_text(&meta, k->path);
	kernel_meta_image(&meta, &header, facts);
	return cache_store(&entry, root, key, &meta);
}

static bool is_cached(const char *root, const char *key, struct vmlinux_facts *facts)
{
	_cache_entry_ struct cache_entry entry = {};

	if (cache_entry_load(root, key, &entry) < 0 || entry.fault != CACHE_OK) {
		err_clear();
		return false;
	}
	*facts = (struct vmlinux_facts){ .btf = entry.meta.btf, .has_scx = entry.meta.has_scx };
	return true;
}

static bool is_usable(const struct vmlinux_facts *facts)
{
	return facts->btf == KERNEL_BTF_OK && facts->has_scx == KERNEL_YES;
}

/* The newest one in which sched_ext can be used, else the newest. */
static int choose(const char *root, const struct installed_list *list, bool force, char **key)
{
	for (size_t i = 0; i < list->count; i++) {
		struct vmlinux_facts facts = {};
		_free_ char *name = key_of(&list->items[i]);
		int rc = 0;

		if (!name)
			continue;
		if (force || !is_cached(root, name, &facts))
			rc = store(root, &list->items[i], name, &facts);
		if (rc < 0)
			return rc;
		if (*key && !is_usable(&facts))
			continue;
		free(*key);
		*key = take_ptr(&name);
		if (is_usable(&facts))
			return 0;
	}
	return *key ? 0 : -ENOENT;
}

static int installed_fetch(const char *root, const struct kernel_version *wanted, bool force,
			   size_t *hidden, char **key)
{
	const char *place = env_get("KTSTR_INSTALLED_ROOT");
	_installed_ struct installed_list list = {};
	int rc = find_images(place ? place : "", wanted, &list);

	*hidden = list.hidden;
	return rc < 0 ? rc : choose(root, &list, force, key);
}

int kernel_fetch(const char *root, const struct kernel_version *wanted, bool force,
		 const char *label, char **key)
{
	int archive = distro_fetch(root, wanted, force, label, key), rc;
	_free_ char *why = NULL;
	size_t hidden = 0;

	/* A package that failed verification is not silently replaced by another kernel. */
	if (archive != -ENOTSUP && archive != -ENOENT && archive != -ENETUNREACH)
		return archive;
	why = strdup(err_text(archive));
	rc = installed_fetch(root, wanted, force, &hidden, key);
	if (rc == -ENOENT && hidden)
		return err_set(
			-archive,
			"%s; of the kernels that are installed here, %zu may be read by root "
			"only (sudo chmod a+r /boot/vmlinuz-*)",
			why ? why : "out of memory", hidden);
	if (rc == -ENOENT)
		return err_set(-archive, "%s", why ? why : "out of memory");
	if (rc == 0)
		log_note("%s: %s; taking one that is installed here", label,
			 why ? why : "out of memory");
	return rc;
}
