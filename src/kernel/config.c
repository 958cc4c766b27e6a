// SPDX-License-Identifier: GPL-2.0-only
/* Sources of a configuration, best first. */

#include "kernel/parts.h"

/* Next to the image in a cache entry. The number changes with the table in config_facts.c. */
#define DERIVED_NAME "config.derived-1"
#define EMBEDDED_NAME "config"

/* Path of a file in the cache entry, to be freed; NULL for a kernel without one. */
static char *entry_file(const struct kernel_image *k, const char *name)
{
	const char *slash = k->key ? strrchr(k->image, '/') : NULL;

	return slash ? str_fmt("%.*s/%s", (int)(slash - k->image), k->image, name) : NULL;
}

/* Errors are ignored: an unwritable cache only costs time on the next call. */
static void keep(const struct kernel_image *k, const char *name, const char *text, size_t len)
{
	_free_ char *path = entry_file(k, name);

	int rc = path ? file_replace(path, text, len, 0644) : 0;

	if (rc < 0)
		log_debug("kernel", "not kept: %s", err_text(rc));
}

static int look_into(const struct kernel_image *k, const void *data, size_t len, struct str *out)
{
	size_t before = out->len;
	int rc = config_embedded_add(data, len, out);

	if (rc == 0) {
		keep(k, EMBEDDED_NAME, out->s + before, out->len - before);
		return 0;
	}
	if (rc != -ENOENT)
		return rc;
	rc = config_facts_add(data, len, out);
	if (rc == 0)
		keep(k, DERIVED_NAME, out->s + before, out->len - before);
	return rc;
}

static int look_into_image(const struct kernel_image *k, struct str *out)
{
	_map_file_ struct map_file file = {};
	_str_ struct str vmlinux = {};
	int rc = map_file_open_whole(&file, k->image);

	rc = rc ?: bzimage_unpack(file.data, file.size, &vmlinux);
	return rc ?: look_into(k, str_get(&vmlinux), vmlinux.len, out);
}

static int look(const struct kernel_image *k, struct str *out)
{
	_map_file_ struct map_file file = {};
	int rc;

	if (!k->vmlinux)
		return look_into_image(k, out);
	rc = map_file_open_whole(&file, k->vmlinux);
	return rc ?: look_into(k, file.data, file.size, out);
}

static bool read_kept(const struct kernel_image *k, struct str *out)
{
	_free_ char *path = entry_file(k, DERIVED_NAME);
	_str_ struct str text = {};

	if (!path || file_read_at(AT_FDCWD, path, &text) < 0 ||
	    !str_starts(str_get(&text), CONFIG_FACTS_MARK "\n"))
		return false;
	str_addn(out, text.s, text.len);
	return true;
}

int kernel_config_read(const struct kernel_image *k, struct str *out)
{
	if (k->config)
		return file_read(k->config, out);
	if (read_kept(k, out))
		return str_check(out);
	return err_wrap(look(k, out), "the configuration of %s", k->image);
}
