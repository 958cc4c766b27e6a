// SPDX-License-Identifier: GPL-2.0-only
/* Finds modules on disk, and in packages. */
#include "base/elf_view.h"
#include "kernel/distro.h"
#include "kernel/parts.h"

/* No module is nearly as large. */
#define MAX_MODULE ((size_t)256 << 20)

/* How long the absence of a package in the archive is remembered. */
#define ABSENCE_AGE_S (24L * 60 * 60)

static const char *const endings[] = { "", ".xz", ".zst", ".gz" };

/*
 * The section header table is at the end of a module, except for its signature: a truncated one
 * lacks it.
 */
static bool is_whole(const struct str *module)
{
	struct elf_view e;

	return elf_view_open(&e, module->s, module->len) == 0 && e.header.e_type == ET_REL &&
	       elf_view_has_sections(&e);
}

static int read_module(const char *path, struct str *out)
{
	int rc = archive_read_file(path, MAX_MODULE, out);

	if (rc == 0 && !is_whole(out))
		rc = err_set(EBADMSG, "%s is not a module, or not all of one", path);
	if (rc < 0)
		str_reset(out);
	return rc;
}

/* Reads base.ko in any compression; -ENOENT without a message if there is none. */
static int read_any(const char *base, struct str *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		_free_ char *path = str_fmt("%s.ko%s", base, endings[i]);

		if (!path)
			return err_no_memory();
		if (access(path, F_OK) == 0)
			return read_module(path, out);
	}
	return -ENOENT;
}

static int read_installed(const struct kernel_image *k, const char *name, struct str *out)
{
	_free_ char *built = k->source_tree ? str_fmt("%s/%s", k->source_tree, name) : NULL;
	_free_ char *installed =
		k->release ? str_fmt("/lib/modules/%s/kernel/%s", k->release, name) : NULL;
	int rc = built ? read_any(built, out) : -ENOENT;

	return rc == -ENOENT && installed ? read_any(installed, out) : rc;
}

/* Modules are in the package of the image, or in another one if that has the image alone. */
static char *package_of(const struct kernel_meta *meta)
{
	static const char image_alone[] = "linux-binary-";

	if (str_starts(meta->package, image_alone))
		return str_fmt("linux-modules-%s", meta->package + strlen(image_alone));
	return strdup(meta->package);
}

static int unpack_package(const char *package, const char *name, const char *target)
{
	_free_ char *old = str_fmt("./lib/modules/*/kernel/%s.ko*", name);
	_free_ char *new = str_fmt("./usr/lib/modules/*/kernel/%s.ko*", name);
	struct archive_member member = { { old, new }, target, false };
	int rc;

	if (!old || !new)
		return err_no_memory();
	rc = archive_unpack_deb(package, &member, 1);
	if (rc == 0 && !member.found)
		rc = err_set(EINVAL, "%s holds no module %s", package, name);
	return rc;
}

/* Downloads the package and extracts the module, uncompressed, to a file. */
static int fetch(const char *root, const struct kernel_meta *meta, const char *name,
		 const char *label, const char *target)
{
	_cache_temp_ struct cache_temp work = { .fd = -1 };
	_distro_list_ struct distro_list list = {};
	_apt_ struct apt a = {};
	_free_ char *package = package_of(meta), *what = NULL, *packed = NULL;
	_str_ struct str path = {}, module = {};
	/* Uses the index of today, as read for the image. */
	int rc = package ? distro_list_get(root, label, &list) : err_no_memory();

	rc = rc ?: apt_open(&a, root);
	rc = rc ?: cache_temp_make(&work, root);
	if (rc < 0)
		return rc;
	what = str_fmt("%s: fetching the modules of Linux %s (MiB)", label, meta->version);
	packed = str_fmt("%s/module", work.path);
	if (!what || !packed)
		return err_no_memory();
	rc = apt_download(&a, package, meta->package_version, 0, work.path, what, &path);
	rc = rc ?: unpack_package(str_get(&path), name, packed);
	rc = rc ?: read_module(packed, &module);
	return rc < 0 ? rc : file_replace(target, str_get(&module), module.len, 0644);
}

/* Returns the error remembered today for a missing package; asking again takes a second. */
static int recall_absence(const char *note)
{
	_str_ struct str text = {};

	if (!file_read_fresh(note, ABSENCE_AGE_S, &text) || !text.len)
		return 0;
	return err_set(EIO, "%s", str_get(&text));
}

static int fetch_once(const char *root, const struct cache_entry *entry, const char *name,
		      const char *label, const char *target)
{
	_free_ char *note = str_fmt("%s.absent", target);
	int rc = note ? recall_absence(note) : err_no_memory();

	if (rc < 0)
		return rc;
	rc = fetch(root, &entry->meta, name, label, target);
	/* Only for a missing package: other failures may be temporary. */
	if (rc == -EIO && strstr(err_text(rc), "not found")) {
		_free_ char *text = strdup(err_text(rc));

		if (text && file_replace(note, text, strlen(text), 0644) == 0)
			return err_set(EIO, "%s", text);
	}
	return rc;
}

/* A cached file that is damaged is downloaded again. */
static int read_cached(const struct kernel_image *k, const char *name, const char *label,
		       struct str *out)
{
	_cache_entry_ struct cache_entry entry = {};
	_free_ char *root = NULL, *target = NULL;
	int rc = cache_root(&root) ?: cache_entry_load(root, k->key, &entry);

	if (rc < 0 || entry.fault != CACHE_OK)
		return rc < 0 ? rc : -ENOENT;
	target = str_fmt("%s/%s.ko", entry.path, basename(name));
	if (!target)
		return err_no_memory();
	rc = access(target, F_OK) == 0 ? read_module(target, out) : -ENOENT;
	if (rc == 0 || entry.meta.source != KERNEL_SOURCE_DISTRO || !entry.meta.package ||
	    !entry.meta.package_version)
		return rc;
	rc = fetch_once(root, &entry, name, label, target);
	return rc < 0 ? rc : read_module(target, out);
}

int kernel_module_get(const struct kernel_image *k, const char *name, const char *label,
		      struct str *out)
{
	int rc = read_installed(k, name, out);

	if (rc == -ENOENT && k->key)
		rc = read_cached(k, name, label, out);
	if (rc == -ENOENT)
		return err_set(ENOENT, "this kernel comes without a module %s", basename(name));
	return err_wrap(rc, "no module %s", basename(name));
}
