// SPDX-License-Identifier: GPL-2.0-only
/* Writes the newc format. */
#include "vm/initramfs_plan.h"

#define HEADER_SIZE 110
#define BLOCK_SIZE 512
#define PAGE 4096ULL

void cpio_init(struct cpio *c, struct cpio_sink sink)
{
	*c = (struct cpio){ .sink = sink };
}

static int write_str(void *ctx, const void *data, size_t len)
{
	struct str *out = ctx;

	str_addn(out, data, len);
	return str_check(out);
}

struct cpio_sink cpio_sink_str(struct str *out)
{
	return (struct cpio_sink){ .write = write_str, .ctx = out };
}

static int write_fd(void *ctx, const void *data, size_t len)
{
	int rc = fd_write_all(*(int *)ctx, data, len);

	return rc < 0 ? err_sys(-rc, "write the initramfs") : 0;
}

struct cpio_sink cpio_sink_fd(int *fd)
{
	return (struct cpio_sink){ .write = write_fd, .ctx = fd };
}

static int emit(struct cpio *c, const void *data, size_t len)
{
	int rc = len ? c->sink.write(c->sink.ctx, data, len) : 0;

	if (rc == 0)
		c->packed_bytes += len;
	return rc;
}

static int pad(struct cpio *c, size_t alignment)
{
	static const char zeros[BLOCK_SIZE];

	return emit(c, zeros, (alignment - c->packed_bytes % alignment) % alignment);
}

static int emit_header(struct cpio *c, const char *name, mode_t mode, uint64_t size, uint32_t inode)
{
	char header[HEADER_SIZE + 1];
	size_t name_size = strlen(name) + 1;
	int rc;

	snprintf(header, sizeof(header),
		 "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x", inode,
		 (unsigned int)mode, 0U, 0U, S_ISDIR(mode) ? 2U : 1U, 0U, (unsigned int)size, 0U,
		 0U, 0U, 0U, (unsigned int)name_size, 0U);
	rc = emit(c, header, HEADER_SIZE) ?: emit(c, name, name_size);
	return rc < 0 ? rc : pad(c, 4);
}

/* Index of the name, or where to insert it. */
static size_t find_name(const struct cpio *c, const char *name, bool *is_there)
{
	size_t low = 0, high = c->name_count;

	*is_there = false;
	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = strcmp(c->names[middle], name);

		if (order == 0) {
			*is_there = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int remember_name(struct cpio *c, const char *name, size_t at)
{
	char *owned = strdup(name);
	int rc;

	if (!owned)
		return err_no_memory();
	rc = vec_grow((void **)&c->names, &c->name_cap, c->name_count + 1, sizeof(*c->names));
	if (rc < 0) {
		free(owned);
		return rc;
	}
	memmove(&c->names[at + 1], &c->names[at], (c->name_count - at) * sizeof(*c->names));
	c->names[at] = owned;
	c->name_count++;
	return 0;
}

static int add_entry(struct cpio *c, const char *name, mode_t mode, uint64_t size)
{
	bool is_there;
	size_t at = find_name(c, name, &is_there);

	if (is_there)
		return S_ISDIR(mode) ? 0 : err_set(EEXIST, "/%s is in the initramfs twice", name);
	return remember_name(c, name, at) ?: emit_header(c, name, mode, size, ++c->last_inode);
}

static int add_parents(struct cpio *c, const char *name)
{
	_free_ char *partial = strdup(name);
	int rc = 0;

	if (!partial)
		return err_no_memory();
	for (char *p = strchr(partial, '/'); p && rc == 0; p = strchr(p + 1, '/')) {
		*p = '\0';
		rc = add_entry(c, partial, S_IFDIR | 0755, 0);
		*p = '/';
	}
	return rc;
}

static int begin(struct cpio *c, const char *path, mode_t mode, uint64_t size)
{
	int rc;

	if (c->open_bytes)
		return err_set(EINVAL, "the initramfs entry before %s is not complete", path);
	if (path[0] != '/' || path[1] == '\0' || path[strlen(path) - 1] == '/' ||
	    strstr(path, "/../") || strstr(path, "//"))
		return err_set(EINVAL, "'%s' cannot be a path in an initramfs", path);
	if (size > CPIO_MAX_FILE)
		return err_set(
			EFBIG,
			"%s: %llu MiB are too much for an initramfs, which takes files below 2048 MiB",
			path, ULL(size >> 20));
	rc = add_parents(c, path + 1);
	return rc < 0 ? rc : add_entry(c, path + 1, mode, size);
}

int cpio_add_directory(struct cpio *c, const char *path, mode_t permissions)
{
	return begin(c, path, S_IFDIR | (permissions & 07777), 0);
}

int cpio_put(struct cpio *c, const void *data, size_t len)
{
	int rc;

	if (len > c->open_bytes)
		return err_set(EINVAL, "more bytes for the initramfs than were announced");
	rc = emit(c, data, len);
	if (rc < 0)
		return rc;
	c->open_bytes -= len;
	return c->open_bytes ? 0 : pad(c, 4);
}

int cpio_add_link(struct cpio *c, const char *path, const char *target)
{
	size_t len = strlen(target);
	int rc = begin(c, path, S_IFLNK | 0777, len);

	c->open_bytes = len;
	return rc < 0 ? rc : cpio_put(c, target, len);
}

int cpio_begin(struct cpio *c, const char *path, mode_t permissions, uint64_t size)
{
	int rc = begin(c, path, S_IFREG | (permissions & 07777), size);

	if (rc < 0)
		return rc;
	c->open_bytes = size;
	c->unpacked_bytes += (size + PAGE - 1) & ~(PAGE - 1);
	return 0;
}

int cpio_add_bytes(struct cpio *c, const char *path, mode_t permissions, const void *data,
		   size_t len)
{
	int rc = cpio_begin(c, path, permissions, len);

	return rc < 0 ? rc : cpio_put(c, data, len);
}

int cpio_end(struct cpio *c)
{
	int rc;

	if (c->open_bytes)
		return err_set(EINVAL, "the last entry of the initramfs is not complete");
	rc = emit_header(c, "TRAILER!!!", 0, 0, 0);
	return rc < 0 ? rc : pad(c, BLOCK_SIZE);
}

void cpio_finish(struct cpio *c)
{
	for (size_t i = 0; i < c->name_count; i++)
		free(c->names[i]);
	free(c->names);
	*c = (struct cpio){};
}
