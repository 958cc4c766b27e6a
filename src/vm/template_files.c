// SPDX-License-Identifier: GPL-2.0-only
/* Writes and reads template.json, with checksums of sparse files. */
#include "vm/template.h"

#include <xxhash.h>

#include "base/file_memo.h"
#include "base/json_fields.h"

#define PAGE 4096UL
#define BLOCK (256 * PAGE)
#define MEMO "template"
#define SUM_SIZE 17

static const struct json_field file_fields[] = {
	JSON_FIELD(template_file, name, TEXT, .flags = FIELD_REQUIRED),
	JSON_FIELD(template_file, bytes, U64),
	JSON_NAMED("xxh3", template_file, sum, TEXT, .flags = FIELD_REQUIRED),
	{},
};

static const struct json_field template_fields[] = {
	JSON_FIELD(template_text, kernel, TEXT),
	JSON_FIELD(template_text, topology, TEXT),
	JSON_FIELD(template_text, accel, TEXT),
	JSON_FIELD(template_text, scheduler, TEXT),
	JSON_LIST_OF("files", template_text, files, file_fields),
	{},
};

static void cleanup_state(XXH3_state_t **s)
{
	XXH3_freeState(*s);
}

static bool is_zero(const uint8_t *page, size_t len)
{
	return page[0] == 0 && memcmp(page, page + 1, len - 1) == 0;
}

/* Hashes non-zero pages and their offsets only: a copy may have other holes. */
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

/* Reads a whole block, or up to the end of the file. */
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

static int look_at(int dir, const char *name, uint64_t *bytes, char sum[static SUM_SIZE])
{
	_close_ int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	*bytes = (uint64_t)st.st_size;
	return find_sum(fd, &st, sum);
}

int template_files_put(struct json *j, const char *dir)
{
	_closedir_ DIR *d = opendir(dir);
	struct dirent *entry;

	if (!d)
		return err_sys(errno, "read %s", dir);
	json_put_array(j, "files");
	while ((entry = readdir(d))) {
		char sum[SUM_SIZE];
		struct template_file f = { .name = entry->d_name, .sum = sum };
		int rc;

		if (entry->d_name[0] == '.')
			continue;
		rc = look_at(dirfd(d), entry->d_name, &f.bytes, sum);
		if (rc < 0)
			return err_sys(-rc, "read %s/%s", dir, entry->d_name);
		json_put_struct(j, file_fields, &f);
	}
	json_array_end(j);
	return 0;
}

bool template_text_read(const char *dir, struct template_text *out)
{
	_free_ char *path = str_fmt("%s/" TEMPLATE_JSON, dir);
	_str_ struct str text = {};
	struct json_reader r;
	struct json_load l = { .r = &r, .arena = &out->arena, .is_lenient = true };

	if (!path || file_read_regular(path, &text) < 0 || !text.len)
		return false;
	json_read_init(&r, text.s, text.len);
	out->is_whole = json_load_text(&l, template_fields, out) && !l.missing;
	return true;
}

static int check_one(int dir, const struct template_file *saved, struct str *why)
{
	char sum[SUM_SIZE];
	uint64_t bytes = 0;
	int rc = strchr(saved->name, '/') ? -EINVAL : look_at(dir, saved->name, &bytes, sum);

	if (rc < 0)
		str_addf(why, "%s cannot be read: %s", saved->name, strerror(-rc));
	else if (bytes != saved->bytes)
		str_addf(why, "%s has %llu bytes, %llu were saved", saved->name, ULL(bytes),
			 ULL(saved->bytes));
	else if (!str_eq(sum, saved->sum))
		str_addf(why, "%s is not what was saved", saved->name);
	else
		return 0;
	return -EINVAL;
}

static const char *problem_of(int fd, const char *dir, struct template_text *t)
{
	if (fd < 0 || !template_text_read(dir, t))
		return TEMPLATE_JSON " cannot be read";
	if (!t->is_whole)
		return TEMPLATE_JSON " is malformed";
	return t->files.count ? NULL : "it has no checksums";
}

int template_files_check(const char *dir, struct str *why)
{
	_cleanup_(template_text_finish) struct template_text t = {};
	_close_ int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const char *problem = problem_of(fd, dir, &t);
	int rc = problem ? -EINVAL : 0;

	str_add(why, problem ? problem : "");
	vec_each_while(const struct template_file, f, &t.files, rc == 0)
		rc = check_one(fd, f, why);
	return rc;
}
