// SPDX-License-Identifier: GPL-2.0-only
/* Reads newc archives. */
#include "guest/parts.h"

#define HEADER_SIZE 110
#define MAGIC "070701"
#define TRAILER "TRAILER!!!"

struct entry {
	uint32_t mode;
	const char *name;
	const char *data;
	size_t len;
};

struct archive {
	const char *data;
	size_t len;
	size_t at;
};

static int damaged(const char *what)
{
	return err_set(EINVAL, "damaged archive: %s", what);
}

/* Reads field number (from 0) of eight hex digits. */
static int read_field(const char *header, int number, uint32_t *value)
{
	const char *p = header + strlen(MAGIC) + (size_t)number * 8;

	*value = 0;
	for (int i = 0; i < 8; i++) {
		const char *digits = "0123456789abcdefABCDEF";
		const char *found = p[i] ? strchr(digits, p[i]) : NULL;
		unsigned int digit = found ? (unsigned int)(found - digits) : 0;

		if (!found)
			return damaged("a number is not one");
		*value = *value << 4 | (digit < 16 ? digit : digit - 6);
	}
	return 0;
}

/* Moves past len bytes and their padding. Returns NULL if the archive ends before that. */
static const char *take(struct archive *a, size_t len)
{
	const char *start = a->data + a->at;
	size_t end;

	if (len > a->len - a->at)
		return NULL;
	end = (a->at + len + 3) & ~(size_t)3;
	a->at = MIN(end, a->len);
	return start;
}

static int read_entry(struct archive *a, struct entry *e)
{
	const char *header;
	uint32_t size = 0, name_size = 0;
	int rc;

	/* Header and name are padded together, so do not advance past the header alone. */
	if (a->len - a->at < HEADER_SIZE)
		return damaged("it ends inside a header");
	header = a->data + a->at;
	if (memcmp(header, MAGIC, strlen(MAGIC)) != 0)
		return damaged("an entry does not begin where it should");
	rc = read_field(header, 1, &e->mode) ?: read_field(header, 6, &size);
	rc = rc ?: read_field(header, 11, &name_size);
	if (rc < 0)
		return rc;
	if (!take(a, HEADER_SIZE + (size_t)name_size) || name_size == 0 ||
	    header[HEADER_SIZE + name_size - 1] != '\0')
		return damaged("it ends inside a name");
	e->name = header + HEADER_SIZE;
	e->data = take(a, size);
	e->len = size;
	return e->data ? 0 : damaged("it ends inside a file");
}

static bool is_safe(const char *name)
{
	return name[0] && name[0] != '/' && !str_eq(name, "..") && !str_starts(name, "../") &&
	       !strstr(name, "/../") &&
	       (strlen(name) < 3 || !str_eq(name + strlen(name) - 3, "/.."));
}

static int write_file(const char *path, const struct entry *e)
{
	_close_ int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	int rc;

	if (fd < 0)
		return -errno;
	rc = fd_write_all(fd, e->data, e->len);
	return rc == 0 && fchmod(fd, e->mode & 07777) < 0 ? -errno : rc;
}

static int make_link(const char *path, const struct entry *e)
{
	_str_ struct str target = {};

	str_addn(&target, e->data, e->len);
	return !target.failed && symlink(str_get(&target), path) == 0 ? 0 : -errno;
}

static int make_directory(const char *path, const struct entry *e)
{
	return mkdir(path, e->mode & 07777) == 0 || errno == EEXIST ? 0 : -errno;
}

static int unpack_entry(const char *root, const struct entry *e)
{
	_free_ char *path = NULL;
	int rc;

	if (!is_safe(e->name))
		return damaged("an entry leads out of it");
	path = str_fmt("%s/%s", root, e->name);
	if (!path)
		return err_no_memory();
	if (!S_ISDIR(e->mode) && unlink(path) < 0 && errno != ENOENT)
		return err_sys(errno, "replace %s", path);
	switch (e->mode & S_IFMT) {
	case S_IFDIR:
		rc = make_directory(path, e);
		break;
	case S_IFREG:
		rc = write_file(path, e);
		break;
	case S_IFLNK:
		rc = make_link(path, e);
		break;
	default:
		return damaged("an entry is neither file, link nor directory");
	}
	return rc < 0 ? err_sys(-rc, "unpack %s", path) : 0;
}

int unpack_newc(const char *root, const void *data, size_t len)
{
	struct archive a = { .data = data, .len = len };

	for (;;) {
		struct entry e = {};
		int rc = read_entry(&a, &e);

		if (rc < 0 || !e.name)
			return rc;
		if (str_eq(e.name, TRAILER))
			return 0;
		rc = unpack_entry(root, &e);
		if (rc < 0)
			return rc;
	}
}
