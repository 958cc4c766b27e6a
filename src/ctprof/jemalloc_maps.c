// SPDX-License-Identifier: GPL-2.0-only
/* Reads /proc/PID/maps, and opens mapped files. */
#include "ctprof/jemalloc_parts.h"

#include <fnmatch.h>
#include <sys/sysmacros.h>

/* Parses a number that must be followed by this character. */
static bool take_number(char **p, int base, char behind, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(*p, &end, base);
	if (end == *p || errno || *end != behind)
		return false;
	*p = end + 1;
	return true;
}

static bool is_glibc(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && (str_eq(slash, "/libc.so.6") || fnmatch("/libc-2.*.so", slash, 0) == 0);
}

/* 7f0c3b4a0000-7f0c3b545000 r-xp 00009000 fe:00 131 /usr/lib/libjemalloc.so.2 */
bool maps_parse_line(char *line, struct mapped_file *out)
{
	uint64_t major, minor, inode;
	char *p = line;

	*out = (struct mapped_file){};
	if (!take_number(&p, 16, '-', &out->start) || !take_number(&p, 16, ' ', &out->end))
		return false;
	if (strnlen(p, 5) < 5 || p[2] != 'x' || p[4] != ' ')
		return false;
	p += 5;
	if (!take_number(&p, 16, ' ', &out->offset) || !take_number(&p, 16, ':', &major) ||
	    !take_number(&p, 16, ' ', &minor) || !take_number(&p, 10, ' ', &inode) || inode == 0)
		return false;
	out->path = p + strspn(p, " ");
	out->device = makedev(major, minor);
	out->inode = inode;
	out->is_libc = is_glibc(out->path);
	/* Files without a path contain generated code, not libraries. */
	return *out->path == '/' && !str_starts(out->path, "/memfd:");
}

int maps_each_code(pid_t tgid, bool (*visit)(const struct mapped_file *f, void *context),
		   void *context)
{
	_str_ struct str text = {};
	char name[32], *line, *rest = NULL;
	int rc;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)tgid);
	rc = file_read_at(AT_FDCWD, name, &text);
	if (rc < 0)
		return rc;
	line = text.s ? strtok_r(text.s, "\n", &rest) : NULL;
	if (!line)
		return -ESRCH; /* the process has exited */
	for (; line; line = strtok_r(NULL, "\n", &rest)) {
		struct mapped_file f;

		if (!maps_parse_line(line, &f))
			continue;
		f.tgid = tgid;
		if (visit(&f, context))
			break;
	}
	return 0;
}

static bool has_inode(int fd, ino_t inode)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_ino == inode;
}

/*
 * With CAP_CHECKPOINT_RESTORE, uses the links in /proc/PID/map_files. Without it, opens the path
 * and compares the inode, but not the device: for some file systems maps shows another one.
 */
int maps_open(const struct mapped_file *f)
{
	char link[80];
	_close_ int fd = -1;

	if (f->end == 0)
		snprintf(link, sizeof(link), "/proc/%d/exe", (int)f->tgid);
	else
		snprintf(link, sizeof(link), "/proc/%d/map_files/%llx-%llx", (int)f->tgid,
			 ULL(f->start), ULL(f->end));
	fd = open(link, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 || f->end == 0)
		return fd < 0 ? -errno : take_fd(&fd);
	fd = elf_open_for(f->tgid, f->path);
	if (fd >= 0 && has_inode(fd, f->inode))
		return take_fd(&fd);
	cleanup_fd(&fd);
	fd = elf_open_for(0, f->path);
	return fd >= 0 && has_inode(fd, f->inode) ? take_fd(&fd) : -ENOENT;
}
