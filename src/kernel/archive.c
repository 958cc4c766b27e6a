// SPDX-License-Identifier: GPL-2.0-only
/* Wrappers of libarchive. */
#include "kernel/parts.h"

#include <archive.h>
#include <archive_entry.h>
#include <fnmatch.h>

#define BLOCK 65536

/* No package index has longer lines. */
#define MAX_LINE (1 << 20)

static void cleanup_archive(struct archive **a)
{
	if (*a)
		archive_read_free(*a);
}

#define _archive_ _cleanup_(cleanup_archive)

static int fail(struct archive *a)
{
	const char *text = archive_error_string(a);

	return err_set(EINVAL, "%s", text ? text : "the data is damaged");
}

/* A reader for compressed or plain data without an archive format. */
static struct archive *raw_reader(void)
{
	struct archive *a = archive_read_new();

	if (!a)
		return NULL;
	archive_read_support_filter_all(a);
	archive_read_support_format_raw(a);
	archive_read_support_format_empty(a);
	return a;
}

int archive_unpack_buffer(const void *data, size_t len, size_t wanted, struct str *out)
{
	_archive_ struct archive *a = raw_reader();
	struct archive_entry *entry;
	size_t before = out->len;

	if (!a || !str_reserve(out, wanted + 1))
		return err_no_memory();
	if (archive_read_open_memory(a, data, len) != ARCHIVE_OK ||
	    archive_read_next_header(a, &entry) != ARCHIVE_OK)
		return fail(a);
	if (archive_filter_code(a, 0) == ARCHIVE_FILTER_NONE)
		return err_set(EINVAL, "the compression is not known");
	for (;;) {
		size_t room = wanted - (out->len - before);
		ssize_t n = archive_read_data(a, out->s + out->len, room + 1);

		if (n < 0)
			return fail(a);
		if (n == 0)
			break;
		if ((size_t)n > room)
			return err_set(EINVAL, "it unpacks to more than the %zu bytes it claims",
				       wanted);
		out->len += (size_t)n;
	}
	out->s[out->len] = '\0';
	if (out->len - before != wanted)
		return err_set(EINVAL, "it unpacks to %zu of the %zu bytes it claims",
			       out->len - before, wanted);
	return 0;
}

/* Passes on complete lines and keeps the rest. */
static int take_lines(struct str *text, int (*take)(void *context, char *line), void *context)
{
	char *line = text->s, *end = text->s + text->len;
	size_t rest;

	for (;;) {
		char *newline = memchr(line, '\n', (size_t)(end - line));
		int rc;

		if (!newline)
			break;
		*newline = '\0';
		rc = take(context, line);
		if (rc < 0)
			return rc;
		line = newline + 1;
	}
	rest = (size_t)(end - line);
	if (rest > MAX_LINE)
		return err_set(EINVAL, "a line is longer than %d bytes", MAX_LINE);
	memmove(text->s, line, rest);
	text->len = rest;
	text->s[rest] = '\0';
	return 0;
}

/* 1 if the file has data, 0 if it is empty. */
static int open_raw(struct archive *a, const char *path)
{
	struct archive_entry *entry;
	int rc;

	if (!a)
		return err_no_memory();
	if (archive_read_open_filename(a, path, BLOCK) != ARCHIVE_OK)
		return err_wrap(fail(a), "read %s", path);
	rc = archive_read_next_header(a, &entry);
	if (rc == ARCHIVE_EOF)
		return 0;
	return rc == ARCHIVE_OK ? 1 : err_wrap(fail(a), "read %s", path);
}

int archive_read_file(const char *path, size_t limit, struct str *out)
{
	_archive_ struct archive *a = raw_reader();
	size_t before = out->len;
	int rc = open_raw(a, path);

	while (rc > 0) {
		ssize_t n;

		if (!str_reserve(out, BLOCK))
			return err_no_memory();
		n = archive_read_data(a, out->s + out->len, BLOCK - 1);
		if (n < 0)
			return err_wrap(fail(a), "read %s", path);
		out->len += (size_t)n;
		out->s[out->len] = '\0';
		if (out->len - before > limit)
			return err_set(EFBIG, "%s unpacks to more than %zu bytes", path, limit);
		if (n == 0)
			return 0;
	}
	return rc;
}

int archive_read_lines(const char *path, int (*take)(void *context, char *line), void *context)
{
	_archive_ struct archive *a = raw_reader();
	_str_ struct str text = {};
	int rc = open_raw(a, path);

	while (rc > 0) {
		ssize_t n;

		if (!str_reserve(&text, BLOCK))
			return err_no_memory();
		n = archive_read_data(a, text.s + text.len, BLOCK - 1);
		if (n < 0)
			return err_wrap(fail(a), "read %s", path);
		if (n == 0)
			str_addc(&text, '\n');
		text.len += (size_t)n;
		rc = take_lines(&text, take, context);
		if (rc < 0)
			return err_wrap(rc, "read %s", path);
		rc = n > 0;
	}
	return rc;
}

static int write_member(struct archive *a, const char *target)
{
	_close_ int fd = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0)
		return err_sys(errno, "create %s", target);
	if (archive_read_data_into_fd(a, fd) != ARCHIVE_OK)
		return err_wrap(fail(a), "write %s", target);
	if (close(take_fd(&fd)) < 0)
		return err_sys(errno, "write %s", target);
	return 0;
}

static bool has_name(const struct archive_member *m, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(m->patterns) && !m->found; i++)
		if (m->patterns[i] && fnmatch(m->patterns[i], name, FNM_PATHNAME) == 0)
			return true;
	return false;
}

static int take_members(struct archive *a, struct archive_member *members, size_t count)
{
	struct archive_entry *entry;
	size_t missing = count;
	int rc;

	/* Large members are at the end of packages: stop after the last wanted one. */
	while (missing && (rc = archive_read_next_header(a, &entry)) != ARCHIVE_EOF) {
		const char *name = archive_entry_pathname(entry);

		if (rc != ARCHIVE_OK && rc != ARCHIVE_WARN)
			return fail(a);
		for (size_t i = 0; name && i < count; i++) {
			if (archive_entry_filetype(entry) != AE_IFREG ||
			    !has_name(&members[i], name))
				continue;
			rc = write_member(a, members[i].target);
			if (rc < 0)
				return rc;
			members[i].found = true;
			missing--;
			break;
		}
	}
	return 0;
}

static la_ssize_t read_outer(struct archive *inner, void *outer, const void **block)
{
	la_int64_t offset;
	size_t len;
	int rc = archive_read_data_block(outer, block, &len, &offset);

	(void)offset;
	if (rc == ARCHIVE_EOF)
		return 0;
	if (rc == ARCHIVE_OK)
		return (la_ssize_t)len;
	archive_set_error(inner, EINVAL, "%s", archive_error_string(outer));
	return -1;
}

/* A package is an ar archive whose member data.tar.* holds the files. */
int archive_unpack_deb(const char *path, struct archive_member *members, size_t count)
{
	_archive_ struct archive *outer = archive_read_new();
	_archive_ struct archive *inner = archive_read_new();
	struct archive_entry *entry;
	int rc;

	if (!outer || !inner)
		return err_no_memory();
	archive_read_support_format_ar(outer);
	archive_read_support_filter_all(inner);
	archive_read_support_format_tar(inner);
	if (archive_read_open_filename(outer, path, BLOCK) != ARCHIVE_OK)
		return err_wrap(fail(outer), "read %s", path);
	do {
		rc = archive_read_next_header(outer, &entry);
		if (rc == ARCHIVE_EOF)
			return err_set(EINVAL, "%s is not a Debian package", path);
		if (rc != ARCHIVE_OK)
			return err_wrap(fail(outer), "read %s", path);
	} while (!str_starts(archive_entry_pathname(entry), "data.tar"));
	if (archive_read_open(inner, outer, NULL, read_outer, NULL) != ARCHIVE_OK)
		return err_wrap(fail(inner), "read %s", path);
	return err_wrap(take_members(inner, members, count), "read %s", path);
}

/* "./linux-6.14/Makefile" and "linux-6.14" are below "linux-6.14". */
static bool is_below(const char *name, const char *top)
{
	size_t len = strlen(top);

	if (str_starts(name, "./"))
		name += 2;
	return strncmp(name, top, len) == 0 && (name[len] == '/' || name[len] == '\0');
}

static int copy_entry(struct archive *from, struct archive *to, struct archive_entry *entry)
{
	const void *block;
	la_int64_t offset;
	size_t len;
	int rc = archive_write_header(to, entry);

	while (rc == ARCHIVE_OK) {
		rc = archive_read_data_block(from, &block, &len, &offset);
		if (rc == ARCHIVE_EOF)
			return archive_write_finish_entry(to) == ARCHIVE_OK ? 0 : fail(to);
		if (rc != ARCHIVE_OK)
			return fail(from);
		rc = (int)archive_write_data_block(to, block, len, offset);
	}
	return fail(to);
}

/* libarchive resolves names only against the current directory, so prefix them. */
static int place_entry(struct archive_entry *entry, const char *directory)
{
	const char *link = archive_entry_hardlink(entry);
	_str_ struct str name = {}, target = {};

	str_addf(&name, "%s/%s", directory, archive_entry_pathname(entry));
	archive_entry_set_pathname(entry, str_get(&name));
	if (link) {
		str_addf(&target, "%s/%s", directory, link);
		archive_entry_set_hardlink(entry, str_get(&target));
	}
	return str_check(&name) < 0 ? -ENOMEM : str_check(&target);
}

static int unpack_entries(struct archive *from, struct archive *to, const char *directory,
			  const char *top, uint64_t size)
{
	struct progress bar;
	size_t count = 0;
	int rc = 0;

	progress_start(&bar, "unpacking the kernel source", size >> 20);
	while (rc == 0) {
		struct archive_entry *entry;
		const char *name;

		rc = interrupt_check();
		if (rc < 0)
			break;
		rc = archive_read_next_header(from, &entry);
		if (rc == ARCHIVE_EOF) {
			rc = count ? 0 : err_set(EINVAL, "the archive is empty");
			break;
		}
		if (rc != ARCHIVE_OK) {
			rc = fail(from);
			break;
		}
		name = archive_entry_pathname(entry);
		if (name && str_eq(name, "pax_global_header"))
			continue;
		if (!name || !is_below(name, top) || strstr(name, "..")) {
			rc = err_set(EINVAL, "the archive does not extract to %s/: it holds '%s'",
				     top, name ? name : "?");
			break;
		}
		count++;
		rc = place_entry(entry, directory) ?: copy_entry(from, to, entry);
		progress_update(&bar, (uint64_t)archive_filter_bytes(from, -1) >> 20);
	}
	progress_end(&bar);
	return rc;
}

/*
 * Members must not contain links or "..". libarchive checks the whole path, so the caller's
 * directory is passed without them.
 */
int archive_unpack_tar(const char *path, const char *directory, const char *top)
{
	_archive_ struct archive *from = archive_read_new();
	_free_ char *place = realpath(directory, NULL);
	struct archive *to = archive_write_disk_new();
	struct stat st;
	int rc;

	if (!from || !to)
		return err_no_memory();
	archive_read_support_filter_all(from);
	archive_read_support_format_tar(from);
	archive_write_disk_set_options(to, ARCHIVE_EXTRACT_SECURE_SYMLINKS | ARCHIVE_EXTRACT_TIME |
						   ARCHIVE_EXTRACT_SECURE_NODOTDOT);
	if (!place)
		rc = err_sys(errno, "unpack to %s", directory);
	else if (stat(path, &st) < 0)
		rc = err_sys(errno, "unpack %s", path);
	else if (archive_read_open_filename(from, path, BLOCK) != ARCHIVE_OK)
		rc = err_wrap(fail(from), "unpack %s", path);
	else
		rc = err_wrap(unpack_entries(from, to, place, top, (uint64_t)st.st_size),
			      "unpack %s", path);
	archive_write_free(to);
	return rc;
}
