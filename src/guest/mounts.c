// SPDX-License-Identifier: GPL-2.0-only
/* The table of mounts. */
#include "guest/parts.h"

#include <sys/mount.h>

#define SAFE (MS_NOSUID | MS_NOEXEC | MS_NODEV)

static struct mount_row {
	const char *type;
	const char *target;
	unsigned long flags;
	const char *data;
	bool is_required;
	bool is_mounted;
} rows[] = {
	/* clang-format off */
	/* First, because it has the settings. */
	{ "proc",     "/proc",               SAFE,                 NULL,            true,  false },
	{ "sysfs",    "/sys",                SAFE,                 NULL,            true,  false },
	{ "devpts",   "/dev/pts",            MS_NOSUID | MS_NOEXEC, "ptmxmode=0666", false, false },
	{ "tmpfs",    "/dev/shm",            MS_NOSUID | MS_NODEV, "mode=1777",     true,  false },
	{ "tmpfs",    "/tmp",                MS_NOSUID | MS_NODEV, "mode=1777",     true,  false },
	{ "tmpfs",    "/run",                MS_NOSUID | MS_NODEV, "mode=0755",     true,  false },
	{ "debugfs",  "/sys/kernel/debug",   SAFE,                 NULL,            false, false },
	{ "tracefs",  "/sys/kernel/tracing", SAFE,                 NULL,            false, false },
	{ "bpf",      "/sys/fs/bpf",         SAFE,                 "mode=0700",     false, false },
	{ "cgroup2",  "/sys/fs/cgroup",      SAFE,                 NULL,            false, false },
	/* clang-format on */
};

static const struct {
	const char *path;
	const char *target;
} dev_links[] = {
	{ "/dev/fd", "/proc/self/fd" },
	{ "/dev/stdin", "/proc/self/fd/0" },
	{ "/dev/stdout", "/proc/self/fd/1" },
	{ "/dev/stderr", "/proc/self/fd/2" },
};

int mounts_make_dev(void)
{
	mkdir("/dev", 0755);
	if (mount("devtmpfs", "/dev", "devtmpfs", MS_NOSUID, "mode=0755") < 0 && errno != EBUSY)
		return -errno;
	return 0;
}

static bool holds_files(const char *path)
{
	_closedir_ DIR *dir = opendir(path);
	int count = 0;

	while (dir && readdir(dir))
		count++;
	return count > 2; /* "." and ".." */
}

/*
 * Libraries keep their paths from the host, which may be below /tmp. A mount must not hide
 * what the initramfs put into a directory; the root is in memory like any tmpfs.
 */
static void make_row(struct mount_row *r)
{
	mkdir(r->target, 0755);
	if (str_eq(r->type, "tmpfs") && holds_files(r->target)) {
		chmod(r->target, 01777);
		return;
	}
	r->is_mounted = mount(r->type, r->target, r->type, r->flags, r->data) == 0;
	if (!r->is_mounted && r->is_required)
		report_fatal("mount %s: %s", r->target, strerror(errno));
}

void mounts_make_proc(void)
{
	make_row(&rows[0]);
}

void mounts_make_rest(void)
{
	for (size_t i = 1; i < ARRAY_SIZE(rows); i++)
		make_row(&rows[i]);
	for (size_t i = 0; i < ARRAY_SIZE(dev_links); i++)
		if (symlink(dev_links[i].target, dev_links[i].path) < 0 && errno != EEXIST)
			report_log("link %s: %s", dev_links[i].path, strerror(errno));
}

void mounts_list(struct str *out)
{
	str_add(out, "/dev");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].is_mounted)
			str_addf(out, " %s", rows[i].target);
}
