// SPDX-License-Identifier: GPL-2.0-only
/* Finds a statically linked busybox. */
#include "vm/initramfs_plan.h"

static const char *const usual_places[] = { "/bin/busybox", "/usr/bin/busybox", "/sbin/busybox",
					    "/usr/sbin/busybox" };

/* 0, or an error that names the file and says why it cannot be used. */
static int check_static(const char *path)
{
	_map_file_ struct map_file file = {};
	_cleanup_(arena_finish) struct arena memory = {};
	struct elf_image image;
	int rc = map_file_open(&file, path);

	if (rc < 0)
		return err_sys(-rc, "read busybox %s", path);
	rc = elf_image_parse(file.data, file.size, &memory, &image);
	if (rc < 0)
		return err_wrap(rc, "busybox %s", path);
	if (image.interpreter || image.needed_count)
		return err_set(
			ENOEXEC,
			"busybox %s is linked dynamically, the guest needs a static one: install busybox-static",
			path);
	return 0;
}

static int take_path(const char *path, char **out)
{
	*out = strdup(path);
	return *out ? 0 : err_no_memory();
}

int busybox_find(char **path)
{
	const char *wanted = env_get("KTSTR_BUSYBOX_PATH");
	int rc = -ENOENT;

	if (wanted) {
		rc = check_static(wanted);
		return rc < 0 ? err_wrap(rc, "KTSTR_BUSYBOX_PATH") : take_path(wanted, path);
	}
	for (size_t i = 0; i < ARRAY_SIZE(usual_places); i++) {
		if (access(usual_places[i], F_OK) < 0)
			continue;
		rc = check_static(usual_places[i]);
		if (rc == 0)
			return take_path(usual_places[i], path);
	}
	if (rc != -ENOENT)
		return rc;
	return err_set(ENOENT,
		       "busybox not found; install busybox-static or set KTSTR_BUSYBOX_PATH");
}

int busybox_list_applets(const char *path, struct str *out)
{
	int rc = child_output((const char *const[]){ path, "--list", NULL }, 5 * NSEC_PER_SEC, out);

	if (rc > 0)
		return err_set(EIO, "%s --list ended with status %d", path, rc);
	return rc;
}
