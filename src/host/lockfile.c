// SPDX-License-Identifier: GPL-2.0-only
/* Opens and takes lock files. */
#include "host/lock_holders.h"

#include <sys/file.h>
#include <sys/vfs.h>

#define REMEDY                                                                           \
	"choose another place with KTSTR_LOCK_DIR (CPU and LLC locks), KTSTR_CACHE_DIR " \
	"(kernels) or KTSTR_RUNS_ROOT (runs)"

static const struct {
	uint32_t magic;
	const char *name;
} remote_filesystems[] = {
	{ 0x6969, "NFS" },	{ 0xFF534D42, "CIFS" }, { 0xFE534D42, "SMB2" },
	{ 0x00C36400, "Ceph" }, { 0x6B414653, "AFS" },	{ 0x65735546, "FUSE" },
};

int lockfile_check_filesystem(const char *path, uint32_t magic)
{
	for (size_t i = 0; i < ARRAY_SIZE(remote_filesystems); i++) {
		if (remote_filesystems[i].magic != magic)
			continue;
		return err_set(EREMOTE,
			       "lock file %s is on %s, where flock does not reliably exclude "
			       "others; it has to be on a local file system (tmpfs, ext4, xfs, "
			       "btrfs, f2fs, bcachefs): " REMEDY,
			       path, remote_filesystems[i].name);
	}
	return 0;
}

/* The directory of path: "." or "/" if it has none. */
static void parent_of(const char *path, char parent[static PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	size_t len = slash ? (size_t)(slash - path) : 0;

	if (!slash)
		snprintf(parent, PATH_MAX, ".");
	else
		snprintf(parent, PATH_MAX, "%.*s", len ? (int)len : 1, path);
}

static int check_place(const char *path)
{
	char parent[PATH_MAX];
	struct statfs fs;
	int rc;

	if (strlen(path) >= PATH_MAX)
		return err_set(ENAMETOOLONG, "lock file %s: the name is too long", path);
	if (statfs(path, &fs) == 0)
		return lockfile_check_filesystem(path, (uint32_t)fs.f_type);
	parent_of(path, parent);
	if (statfs(parent, &fs) < 0 && errno == ENOENT) {
		rc = file_make_dirs(parent, 0777);
		if (rc < 0)
			return err_wrap(rc, "lock file %s: " REMEDY, path);
	}
	if (statfs(parent, &fs) < 0)
		return err_sys(errno, "lock file %s: " REMEDY, path);
	return lockfile_check_filesystem(path, (uint32_t)fs.f_type);
}

/*
 * Opens first and creates second: with fs.protected_regular, the kernel refuses O_CREAT on
 * another user's file in /tmp, even if it is writable.
 */
static int open_or_create(const char *path)
{
	const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK;
	int fd;

	for (;;) {
		fd = open(path, flags);
		if (fd >= 0 || errno != ENOENT)
			return fd < 0 ? -errno : fd;
		fd = open(path, flags | O_CREAT | O_EXCL, 0666);
		if (fd >= 0) {
			/* The umask is the creator's, but all users share the lock. */
			fchmod(fd, 0666);
			return fd;
		}
		if (errno != EEXIST)
			return -errno;
	}
}

int lockfile_open(const char *path)
{
	_close_ int fd = -1;
	struct stat st;
	int rc = check_place(path);

	if (rc < 0)
		return rc;
	fd = open_or_create(path);
	if (fd < 0)
		return err_sys(-fd, "lock file %s cannot be opened: " REMEDY, path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return err_set(EINVAL, "lock file %s is not a regular file: remove it", path);
	return take_fd(&fd);
}

static void path_of(int fd, char path[static PATH_MAX])
{
	char link[64];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, PATH_MAX - 1);
	path[len < 0 ? 0 : len] = '\0';
}

static int check_not_deleted(int fd)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && st.st_nlink > 0)
		return 0;
	flock(fd, LOCK_UN);
	return err_set(ESTALE, "the lock file was deleted; a lock on it has no effect");
}

static int try_lock(int fd, bool exclusive)
{
	while (flock(fd, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	/* Set the time of the last acquisition, for the age that `locks` shows. */
	futimens(fd, NULL);
	return check_not_deleted(fd);
}

static int busy(int fd, uint64_t waited_ns)
{
	_str_ struct str holders = {};
	char path[PATH_MAX];

	path_of(fd, path);
	lock_holders_describe(path, &holders);
	if (waited_ns < LOCKFILE_POLL_NS)
		return err_set(EWOULDBLOCK, "%s is held by %s", path, str_get(&holders));
	return err_set(EWOULDBLOCK, "%s is still held after %.1f s by %s", path,
		       (double)waited_ns / NSEC_PER_SEC, str_get(&holders));
}

static int poll_pause(uint64_t ns)
{
	return clock_sleep_ns(ns) == -EINTR ?
		       err_set(EINTR, "interrupted while waiting for a lock") :
		       0;
}

int lockfile_acquire(int fd, bool exclusive, uint64_t timeout_ns)
{
	uint64_t start = clock_mono_ns(), waited = 0;
	bool is_told = false;
	int rc;

	for (;;) {
		rc = try_lock(fd, exclusive);
		if (rc == 0 || rc == -ESTALE)
			return rc;
		if (rc != -EWOULDBLOCK)
			return err_sys(-rc, "flock");
		waited = clock_mono_ns() - start;
		if (waited >= timeout_ns)
			return busy(fd, waited);
		if (!is_told) {
			busy(fd, 0);
			log_info("host", "waiting: %s", err_text(rc));
			is_told = true;
		}
		rc = poll_pause(MIN(LOCKFILE_POLL_NS, timeout_ns - waited));
		if (rc < 0)
			return rc;
	}
}

int lockfile_take(const char *path, bool exclusive, uint64_t timeout_ns)
{
	int rc;

	do {
		_close_ int fd = lockfile_open(path);

		if (fd < 0)
			return fd;
		rc = lockfile_acquire(fd, exclusive, timeout_ns);
		if (rc == 0)
			return take_fd(&fd);
	} while (rc == -ESTALE);
	return rc;
}
