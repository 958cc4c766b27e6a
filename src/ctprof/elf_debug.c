// SPDX-License-Identifier: GPL-2.0-only
/* Finds debug information by build ID and debuglink, on this host and in containers. */
#include "ctprof/jemalloc_parts.h"

#include <linux/openat2.h>
#include <sys/syscall.h>

#include "base/hash.h"

#define DEBUG_ROOT "/usr/lib/debug"
#define CHECKSUM_MAX (1LL << 30) /* limit for untrusted files */

/*
 * Another process controls the names in its root directory: symbolic links must not lead out of the
 * root, and the file must not be a device or a pipe, which could block.
 */
int elf_open_for(pid_t tgid, const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	char root_name[64] = "/";
	_close_ int root = -1, fd = -1;
	struct stat st;

	if (tgid)
		snprintf(root_name, sizeof(root_name), "/proc/%d/root", (int)tgid);
	root = open(root_name, O_PATH | O_CLOEXEC);
	if (root < 0)
		return -errno;
	fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return -ENOENT;
	return take_fd(&fd);
}

static bool has_same_build_id(int fd, const unsigned char *id, size_t len)
{
	unsigned char other[ELF_BUILD_ID_MAX];
	struct elf_view f;

	if (elf_view_open_file(&f, fd) < 0)
		return false;
	return elf_build_id(&f, other) == len && memcmp(id, other, len) == 0;
}

static int open_by_build_id(const struct elf_view *f, pid_t tgid)
{
	unsigned char id[ELF_BUILD_ID_MAX];
	size_t len = elf_build_id(f, id);
	char path[256];
	int at;

	if (len < 2)
		return -ENOENT;
	at = snprintf(path, sizeof(path), DEBUG_ROOT "/.build-id/%02x/", id[0]);
	for (size_t i = 1; i < len; i++)
		at += snprintf(path + at, sizeof(path) - (size_t)at, "%02x", id[i]);
	snprintf(path + at, sizeof(path) - (size_t)at, ".debug");
	for (int foreign = 0; foreign <= 1; foreign++) {
		_close_ int fd = elf_open_for(foreign ? tgid : 0, path);

		if (fd >= 0 && has_same_build_id(fd, id, len))
			return take_fd(&fd);
	}
	return -ENOENT;
}

static bool has_crc(int fd, uint32_t wanted)
{
	unsigned char piece[65536];
	uint32_t crc = 0;
	off_t at = 0;
	ssize_t n;

	for (; (n = pread(fd, piece, sizeof(piece), at)) > 0 && at < CHECKSUM_MAX; at += n)
		crc = crc32_add(crc, piece, (size_t)n);
	return n == 0 && crc == wanted;
}

static int open_by_debuglink(const struct elf_view *f, pid_t tgid, const char *path)
{
	static const char *const places[][2] = {
		{ "", "" },
		{ "", ".debug/" },
		{ DEBUG_ROOT, "" },
	};
	const char *slash = strrchr(path, '/');
	char name[256], candidate[PATH_MAX];
	uint32_t crc;

	if (!slash || !elf_debuglink(f, name, &crc))
		return -ENOENT;
	for (size_t i = 0; i < ARRAY_SIZE(places) * 2; i++) {
		const char *const *place = places[i / 2];
		_close_ int fd = -1;
		int len = snprintf(candidate, sizeof(candidate), "%s%.*s/%s%s", place[0],
				   (int)(slash - path), path, place[1], name);

		if (len < 0 || (size_t)len >= sizeof(candidate))
			continue;
		fd = elf_open_for(i % 2 ? 0 : tgid, candidate);
		if (fd >= 0 && has_crc(fd, crc))
			return take_fd(&fd);
	}
	return -ENOENT;
}

int elf_open_debug(const struct elf_view *f, pid_t tgid, const char *path)
{
	int fd = open_by_build_id(f, tgid);

	return fd >= 0 ? fd : open_by_debuglink(f, tgid, path);
}
