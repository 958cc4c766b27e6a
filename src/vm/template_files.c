// SPDX-License-Identifier: GPL-2.0-only
/* Checksums of sparse files. */
#include "vm/template.h"

#include <xxhash.h>

#include "base/file_memo.h"

#define PAGE 4096UL
#define BLOCK (256 * PAGE)
#define MEMO "template"
#define SUM_SIZE 17

struct saved_file {
	char name[64];
	uint64_t bytes;
	char sum[SUM_SIZE];
};

static void cleanup_state(XXH3_state_t **s)
{
	XXH3_freeState(*s);
}

static bool is_zero(const uint8_t *page, size_t len)
{
	return page[0] == 0 && memcmp(page, page + 1, len - 1) == 0;
}

/* Only pages with something in them, and where: a copy may have other holes. */
static void add_pages(XXH3_state_t *h, const uint8_t *data, size_t len, uint64_t at)
{
	for (size_t i = 0; i < len; i += PAGE, at += PAGE) {
		size_t piece = MIN(len - i, PAGE);

		if (is_zero(data + i, piece))
			continue;
		XXH3_64bits_update(h, &at, sizeof(at));
		XXH3_64bits_update(h, data + i, piece);
	}
}

/* A whole block, or up to the end of the file. */
static ssize_t read_block(int fd, uint8_t *out, off_t at)
{
	size_t have = 0;

	while (have < BLOCK) {
		ssize_t n = pread(fd, out + have, BLOCK - have, at + (off_t)have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : (ssize_t)have;
		have += (size_t)n;
	}
	return (ssize_t)have;
}

static int sum_of(int fd, char out[static SUM_SIZE])
{
	_cleanup_(cleanup_state) XXH3_state_t *h = XXH3_createState();
	_free_ uint8_t *block = malloc(BLOCK);
	off_t at = 0;

	if (!h || !block)
		return -ENOMEM;
	XXH3_64bits_reset(h);
	while ((at = lseek(fd, at, SEEK_DATA)) >= 0) {
		ssize_t n;

		at -= at % PAGE;
		n = read_block(fd, block, at);
		if (n < 0)
			return (int)n;
		add_pages(h, block, (size_t)n, (uint64_t)at);
		at += n;
	}
	if (errno != ENXIO)
		return -errno;
	snprintf(out, SUM_SIZE, "%016llx", ULL(XXH3_64bits_digest(h)));
	return 0;
}

static int find_sum(int fd, const struct stat *st, char out[static SUM_SIZE])
{
	_str_ struct str known = {};
	int rc;

	if (file_memo_get(st, MEMO, &known) == 0 && known.len == SUM_SIZE - 1) {
		memcpy(out, known.s, SUM_SIZE);
		return 0;
	}
	rc = sum_of(fd, out);
	if (rc == 0)
		file_memo_put(st, MEMO, out);
	return rc;
}

static int look_at(int dir, const char *name, struct saved_file *out)
{
	_close_ int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	snprintf(out->name, sizeof(out->name), "%s", name);
	out->bytes = (uint64_t)st.st_size;
	return find_sum(fd, &st, out->sum);
}

int template_files_put(struct json *j, const char *dir)
{
	_closedir_ DIR *d = opendir(dir);
	struct dirent *entry;

	if (!d)
		return err_sys(errno, "read %s", dir);
	json_put_array(j, "files");
	while ((entry = readdir(d))) {
		struct saved_file f = {};
		int rc;

		if (entry->d_name[0] == '.')
			continue;
		rc = look_at(dirfd(d), entry->d_name, &f);
		if (rc < 0)
			return err_sys(-rc, "read %s/%s", dir, entry->d_name);
		json_object(j);
		json_put_string(j, "name", f.name);
		json_put_u64(j, "bytes", f.bytes);
		json_put_string(j, "xxh3", f.sum);
		json_object_end(j);
	}
	json_array_end(j);
	return 0;
}

static void read_file_object(struct json_reader *r, struct saved_file *out)
{
	struct json_value key, v;

	while (json_read_key(r, &key)) {
		enum json_kind kind = json_read_value(r, &v);

		if (kind == JSON_STRING && str_eq(key.s, "name"))
			snprintf(out->name, sizeof(out->name), "%s", v.s);
		else if (kind == JSON_STRING && str_eq(key.s, "xxh3"))
			snprintf(out->sum, sizeof(out->sum), "%s", v.s);
		else if (kind == JSON_UNSIGNED && str_eq(key.s, "bytes"))
			out->bytes = v.u;
		else if (kind == JSON_ARRAY || kind == JSON_OBJECT)
			json_read_leave(r);
	}
}

static int check_one(int dir, const struct saved_file *saved, struct str *why)
{
	struct saved_file now = {};
	int rc = strchr(saved->name, '/') ? -EINVAL : look_at(dir, saved->name, &now);

	if (rc < 0)
		str_addf(why, "%s cannot be read: %s", saved->name, strerror(-rc));
	else if (now.bytes != saved->bytes)
		str_addf(why, "%s has %llu bytes, %llu were saved", saved->name, ULL(now.bytes),
			 ULL(saved->bytes));
	else if (!str_eq(now.sum, saved->sum))
		str_addf(why, "%s is not what was saved", saved->name);
	else
		return 0;
	return -EINVAL;
}

/* How many were right; a negative errno at the first that is not. */
static int check_files(struct json_reader *r, int dir, struct str *why)
{
	struct json_value v;
	int count = 0;

	while (json_read_item(r)) {
		struct saved_file saved = {};
		int rc;

		if (json_read_value(r, &v) != JSON_OBJECT)
			return -EINVAL;
		read_file_object(r, &saved);
		rc = check_one(dir, &saved, why);
		if (rc < 0)
			return rc;
		count++;
	}
	return count;
}

int template_files_check(const char *dir, struct str *why)
{
	_free_ char *path = str_fmt("%s/" TEMPLATE_JSON, dir);
	_close_ int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_str_ struct str text = {};
	struct json_value key, v;
	struct json_reader r;
	int count = 0;

	if (!path || fd < 0 || file_read_regular(path, &text) < 0 || !text.len) {
		str_add(why, TEMPLATE_JSON " cannot be read");
		return -EINVAL;
	}
	json_read_init(&r, text.s, text.len);
	if (json_read_value(&r, &v) == JSON_OBJECT)
		while (count >= 0 && json_read_key(&r, &key)) {
			enum json_kind kind = json_read_value(&r, &v);

			if (kind == JSON_ARRAY && str_eq(key.s, "files"))
				count = check_files(&r, fd, why);
			else if (kind == JSON_ARRAY || kind == JSON_OBJECT)
				json_read_leave(&r);
		}
	if (count < 0)
		return -EINVAL;
	if (json_read_end(&r) && count)
		return 0;
	str_add(why, count ? TEMPLATE_JSON " is malformed" : "it has no checksums");
	return -EINVAL;
}
