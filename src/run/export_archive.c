// SPDX-License-Identifier: GPL-2.0-only
/* The archive of an exported test; reproducible: the same files give the same bytes. */
#include "run/parts.h"

#include <archive.h>
#include <archive_entry.h>

#define BLOCK 65536

static void cleanup_archive(struct archive **a)
{
	archive_write_free(*a);
}

static void cleanup_entry(struct archive_entry **e)
{
	archive_entry_free(*e);
}

static la_ssize_t take_block(struct archive *a, void *out, const void *data, size_t len)
{
	str_addn(out, data, len);
	if (str_check(out) == 0)
		return (la_ssize_t)len;
	archive_set_error(a, ENOMEM, "out of memory");
	return -1;
}

static int fail(struct archive *a, const char *what)
{
	return err_set(EIO, "pack %s: %s", what, archive_error_string(a));
}

static int copy_data(struct archive *a, int fd, const char *path, size_t size)
{
	char block[BLOCK];

	while (size > 0) {
		ssize_t n = read(fd, block, sizeof(block));

		if (n < 0)
			return err_sys(errno, "pack %s", path);
		if (n == 0 || (size_t)n > size)
			return err_set(EIO, "pack %s: it was changed while it was read", path);
		if (archive_write_data(a, block, (size_t)n) != n)
			return fail(a, path);
		size -= (size_t)n;
	}
	return 0;
}

static int add_file(struct archive *a, const char *name, const char *path)
{
	_cleanup_(cleanup_entry) struct archive_entry *e = archive_entry_new();
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (!e)
		return err_no_memory();
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(errno, "pack %s", path);
	archive_entry_set_pathname(e, name);
	archive_entry_set_filetype(e, AE_IFREG);
	archive_entry_set_perm(e, st.st_mode & 0111 ? 0755 : 0644);
	archive_entry_set_size(e, st.st_size);
	archive_entry_set_mtime(e, 0, 0);
	if (archive_write_header(a, e) != ARCHIVE_OK)
		return fail(a, path);
	return copy_data(a, fd, path, (size_t)st.st_size);
}

static int add_files(struct archive *a, const struct export_parts *p)
{
	int rc = add_file(a, EXPORT_PROGRAM, p->variant->program->path);

	if (rc == 0 && p->scheduler)
		rc = add_file(a, EXPORT_SCHEDULER, p->scheduler);
	/* Guest paths are absolute, names in the archive are relative. */
	for (size_t i = 0; i < p->includes->count && rc == 0; i++)
		rc = add_file(a, p->includes->files[i].guest_path + 1,
			      p->includes->files[i].host_path);
	return rc;
}

int export_add_archive(const struct export_parts *p, struct str *out)
{
	_cleanup_(cleanup_archive) struct archive *a = archive_write_new();
	int rc;

	if (!a)
		return err_no_memory();
	/* busybox can read this format. No gzip timestamp: it would differ between runs. */
	if (archive_write_set_format_gnutar(a) != ARCHIVE_OK ||
	    archive_write_add_filter_gzip(a) != ARCHIVE_OK ||
	    archive_write_set_filter_option(a, "gzip", "timestamp", NULL) != ARCHIVE_OK ||
	    archive_write_set_bytes_in_last_block(a, 1) != ARCHIVE_OK ||
	    archive_write_open(a, out, NULL, take_block, NULL) != ARCHIVE_OK)
		return fail(a, p->variant->test->name);
	rc = add_files(a, p);
	if (rc == 0 && archive_write_close(a) != ARCHIVE_OK)
		rc = fail(a, p->variant->test->name);
	return rc ?: str_check(out);
}
