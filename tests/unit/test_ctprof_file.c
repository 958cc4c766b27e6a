// SPDX-License-Identifier: GPL-2.0-only
/* Snapshot files: what is written comes back, and what is no such file is told by its place. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/err.h"
#include "base/file.h"
#include "ctprof/snapshot_fields.h"

#define THREADS 150 /* more than two pieces */
#define NOT_ZSTD "not a zstd file (expected a .ctprof.zst from ktstr ctprof capture)"

static void make_snapshot(struct snapshot *s, size_t threads)
{
	_str_ struct str text = {};

	str_add(&text, "{\"schema_version\":1,\"threads\":[");
	for (size_t i = 1; i <= threads; i++)
		str_addf(&text, "%s{\"tid\":%zu,\"tgid\":%zu,\"comm\":\"c%zu\",\"rchar\":%zu}",
			 i > 1 ? "," : "", i, i / 3 + 1, i, i * 7);
	str_add(&text, "]}");
	assert_int_equal(snapshot_parse(s, text.s, text.len), 0);
}

static void add_document(const struct snapshot *s, bool zero_fill, struct str *out)
{
	snapshot_json_head(s, out);
	snapshot_json_threads(s, 0, s->thread_count, zero_fill, out);
	snapshot_json_tail(s, zero_fill, out);
}

/* A file of these bytes in the directory, which is loaded. */
static int load_bytes(const char *dir, struct snapshot *s, const void *bytes, size_t len)
{
	_free_ char *path = str_fmt("%s/file", dir);

	assert_int_equal(file_replace(path, bytes, len, 0644), 0);
	return snapshot_load(s, path);
}

static void expect_refused(const char *dir, const struct str *file, size_t len, int error,
			   const char *message)
{
	struct snapshot s;

	assert_int_equal(load_bytes(dir, &s, str_get(file), len), -error);
	assert_string_equal(err_text(-error), message);
}

/* Adds a frame; one that is made in pieces does not say how long it is. */
static void add_frame(struct str *out, const char *text, size_t len, bool is_told)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	size_t size = ZSTD_compressBound(len);
	_free_ char *frame = malloc(size);
	ZSTD_inBuffer in = { text, len, 0 };
	ZSTD_outBuffer packed = { frame, size, 0 };

	assert_non_null(frame);
	if (is_told)
		packed.pos = ZSTD_compress2(context, frame, size, text, len);
	else
		while (in.pos < in.size || ZSTD_compressStream2(context, &packed, &in, ZSTD_e_end))
			ZSTD_compressStream2(context, &packed, &in, ZSTD_e_continue);
	assert_false(ZSTD_isError(packed.pos));
	ZSTD_freeCCtx(context);
	str_addn(out, frame, packed.pos);
}

static void add_text_frame(struct str *out, const char *text)
{
	add_frame(out, text, strlen(text), true);
}

static void add_skipped_frame(struct str *out)
{
	str_addn(out, "\x53\x2a\x4d\x18\x03\x00\x00\x00xyz", 11);
}

static void what_is_written_comes_back(void **state)
{
	static const size_t counts[] = { 0, 1, 63, 64, 65, THREADS };
	char *dir = unit_temp_create();
	_free_ char *path = str_fmt("%s/file", dir);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts) * 4; i++) {
		_snapshot_ struct snapshot s = {}, again = {};
		_str_ struct str expected = {}, got = {};

		make_snapshot(&s, counts[i / 4]);
		s.worker_count = i & 1 ? 4 : 1;
		assert_int_equal(snapshot_write(&s, i & 2, path), 0);
		assert_int_equal(snapshot_load(&again, path), 0);
		assert_int_equal(again.thread_count, counts[i / 4]);
		add_document(&s, i & 2, &expected);
		add_document(&again, i & 2, &got);
		assert_string_equal(str_get(&got), str_get(&expected));
	}
	unit_temp_remove(dir);
}

/* As it is decompressed, not as it is read: a reader takes a value of 0 and none alike. */
static void a_file_is_the_document_compressed(void **state)
{
	char *dir = unit_temp_create();
	_free_ char *path = str_fmt("%s/file", dir), *text = malloc(1 << 20);
	_snapshot_ struct snapshot s = {};

	(void)state;
	make_snapshot(&s, THREADS);
	for (int zero_fill = 0; zero_fill <= 1; zero_fill++) {
		_str_ struct str file = {}, expected = {};
		struct stat st;
		size_t size;
		mode_t mask = umask(0);

		assert_int_equal(snapshot_write(&s, zero_fill, path), 0);
		umask(mask);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0644);
		assert_int_equal(file_read(path, &file), 0);
		add_document(&s, zero_fill, &expected);
		size = ZSTD_decompress(text, 1 << 20, str_get(&file), file.len);
		assert_int_equal(size, expected.len);
		assert_memory_equal(text, str_get(&expected), size);
		/* Of the magic's frame descriptor, the bit for a checksum; then the window. */
		assert_int_equal(file.s[4] & 4, 4);
		assert_int_equal((unsigned char)file.s[5] >> 3, 18 - 10);
	}
	unit_temp_remove(dir);
}

static void a_file_that_cannot_be_written_is_named(void **state)
{
	_snapshot_ struct snapshot s = {};
	int before = dup(STDOUT_FILENO), full = open("/dev/full", O_WRONLY | O_CLOEXEC), rc;

	(void)state;
	make_snapshot(&s, 1);
	assert_int_equal(snapshot_write(&s, false, "/nowhere/at/all"), -ENOENT);
	assert_non_null(strstr(err_text(-ENOENT), "write ctprof snapshot to /nowhere/at/all: "));
	if (full < 0)
		skip();
	fflush(stdout);
	dup2(full, STDOUT_FILENO);
	rc = snapshot_write(&s, false, "-");
	dup2(before, STDOUT_FILENO);
	close(before);
	close(full);
	assert_int_equal(rc, -ENOSPC);
	assert_non_null(strstr(err_text(rc), "write ctprof snapshot to standard output: "));
}

/* What zstd itself and others make of it: with its size or without, in parts, with notes. */
static void frames_of_all_kinds_are_read(void **state)
{
	static const char whole[] = "{\"threads\":[{\"tid\":1,\"comm\":\"abc\"}]}";
	char *dir = unit_temp_create();

	(void)state;
	for (int kind = 0; kind < 5; kind++) {
		_snapshot_ struct snapshot s = {};
		_str_ struct str file = {};
		int rc;

		if (kind == 1)
			add_skipped_frame(&file);
		add_frame(&file, whole, kind == 4 ? 10 : strlen(whole), kind != 2);
		if (kind == 1)
			add_skipped_frame(&file);
		if (kind == 3)
			add_frame(&file, "", 0, true);
		if (kind == 4)
			add_text_frame(&file, whole + 10);
		rc = load_bytes(dir, &s, str_get(&file), file.len);
		if (rc < 0)
			fail_msg("%d: %s", kind, err_text(rc));
		assert_int_equal(s.thread_count, 1);
		assert_string_equal(s.threads[0].comm, "abc");
	}
	unit_temp_remove(dir);
}

/* Room grows by the megabyte where nothing tells how much it takes. */
static void documents_of_any_length_are_read(void **state)
{
	static const size_t sizes[] = { (1 << 20) - 2, (1 << 20) - 1, 1 << 20, (1 << 20) + 1,
					(2 << 20) - 1, 2 << 20,	      5 << 20 };
	static const char tail[] = "{\"threads\":[{\"tid\":1,\"comm\":\"abc\"}]}";
	char *dir = unit_temp_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes) * 2; i++) {
		size_t size = sizes[i / 2];
		_free_ char *text = malloc(size);
		_snapshot_ struct snapshot s = {};
		_str_ struct str file = {};
		int rc;

		memset(text, ' ', size);
		memcpy(text + size - strlen(tail), tail, strlen(tail));
		add_frame(&file, text, size, i & 1);
		rc = load_bytes(dir, &s, str_get(&file), file.len);
		if (rc < 0)
			fail_msg("%zu: %s", size, err_text(rc));
		assert_string_equal(s.threads[0].comm, "abc");
	}
	unit_temp_remove(dir);
}

static void other_files_are_told_by_their_beginning(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} rows[] = {
		{ "", 0 },
		{ "\x28\xb5\x2f", 3 },
		{ "\x28\xb5\x2f\xfe", 4 },
		{ "\x27\xb5\x2f\xfd", 4 },
		{ "\x28\xb4\x2f\xfd", 4 },
		{ "\x28\xb5\x2e\xfd", 4 },
		{ "\x4f\x2a\x4d\x18", 4 },
		{ "\x60\x2a\x4d\x18", 4 },
		{ "{\"schema_version\":1}", 20 },
		{ "\x1f\x8b\x08\x00\x00\x00", 6 },
	};
	char *dir = unit_temp_create();
	struct snapshot s;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(load_bytes(dir, &s, rows[i].bytes, rows[i].len), -EINVAL);
		assert_string_equal(err_text(-EINVAL), NOT_ZSTD);
		assert_int_equal(s.thread_count, 0);
	}
	/* Endless, but its beginning tells. */
	assert_int_equal(snapshot_load(&s, "/dev/zero"), -EINVAL);
	assert_string_equal(err_text(-EINVAL), NOT_ZSTD);
	assert_int_equal(snapshot_load(&s, "/nowhere"), -ENOENT);
	assert_string_equal(err_text(-ENOENT), "No such file or directory");
	assert_int_equal(snapshot_load(&s, dir), -EISDIR);
	assert_string_equal(err_text(-EISDIR), "Is a directory");
	unit_temp_remove(dir);
}

static void a_file_cut_off_is_told_by_its_length(void **state)
{
	char *dir = unit_temp_create();
	_str_ struct str file = {};
	_free_ char *text = malloc(40000);
	unsigned int seed = 1;

	(void)state;
	for (size_t i = 0; i < 40000; i++) {
		seed = seed * 1103515245 + 12345;
		text[i] = (char)(seed >> 24);
	}
	/* Noise, of which no block is smaller than what it was made of. */
	add_frame(&file, text, 40000, true);
	for (size_t len = 4; len < file.len; len += len < 30 ? 1 : 1021) {
		_free_ char *expected =
			str_fmt("zstd stream truncated/corrupt after %zu bytes; re-capture", len);

		expect_refused(dir, &file, len, EBADMSG, expected);
	}
	unit_temp_remove(dir);
}

static void damage_and_garbage_are_told_by_their_place(void **state)
{
	static const char garbage[] = "garbage";
	char *dir = unit_temp_create();

	(void)state;
	for (size_t extra = 1; extra < sizeof(garbage); extra++) {
		_str_ struct str file = {};
		_free_ char *expected = NULL;

		add_text_frame(&file, "{}");
		expected = str_fmt("%zu bytes of garbage follow the zstd stream at byte %zu", extra,
				   file.len);
		str_addn(&file, garbage, extra);
		expect_refused(dir, &file, file.len, EBADMSG, expected);
	}
	for (size_t whole = 1; whole <= 3; whole++) {
		_str_ struct str file = {};
		_free_ char *expected = NULL;
		size_t at;

		for (size_t i = 0; i < whole; i++)
			add_text_frame(&file, "{}");
		at = file.len;
		expected = str_fmt("zstd stream truncated/corrupt after %zu bytes; re-capture", at);
		add_text_frame(&file, "{}");
		file.s[at + 4] |= 8; /* a bit of the descriptor that must not be set */
		expect_refused(dir, &file, file.len, EBADMSG, expected);
	}
	unit_temp_remove(dir);
}

/* A small file may hold any number of zeros. */
static void a_document_beyond_the_limit_is_refused(void **state)
{
	static char zeros[1 << 20];
	char *dir = unit_temp_create(), packed[4096];
	ZSTD_CCtx *context = ZSTD_createCCtx();
	_str_ struct str file = {};

	(void)state;
	for (size_t done = 0; done <= SNAPSHOT_MAX_BYTES; done += sizeof(zeros)) {
		bool is_last = done == SNAPSHOT_MAX_BYTES;
		ZSTD_inBuffer in = { zeros, is_last ? 1 : sizeof(zeros), 0 };
		size_t left;

		do {
			ZSTD_outBuffer out = { packed, sizeof(packed), 0 };

			left = ZSTD_compressStream2(context, &out, &in,
						    is_last ? ZSTD_e_end : ZSTD_e_continue);
			assert_false(ZSTD_isError(left));
			str_addn(&file, packed, out.pos);
		} while (is_last ? left : in.pos < in.size);
	}
	ZSTD_freeCCtx(context);
	expect_refused(dir, &file, file.len, EFBIG,
		       "decompressed text exceeds the 268435456-byte cap");
	unit_temp_remove(dir);
}

static void a_pair_names_the_one_that_fails(void **state)
{
	char *dir = unit_temp_create();
	_free_ char *one = str_fmt("%s/one", dir), *two = str_fmt("%s/two", dir);
	_free_ char *first = str_fmt("load baseline /nowhere: No such file or directory");
	_snapshot_ struct snapshot s = {}, a = {}, b = {};

	(void)state;
	make_snapshot(&s, 3);
	assert_int_equal(snapshot_write(&s, false, one), 0);
	s.thread_count = 2;
	assert_int_equal(snapshot_write(&s, false, two), 0);
	assert_int_equal(snapshot_load_pair(&a, one, &b, two), 0);
	assert_int_equal(a.thread_count, 3);
	assert_int_equal(b.thread_count, 2);
	snapshot_finish(&a);
	snapshot_finish(&b);
	assert_int_equal(snapshot_load_pair(&a, "/nowhere", &b, two), -ENOENT);
	assert_string_equal(err_text(-ENOENT), first);
	snapshot_finish(&b);
	assert_int_equal(snapshot_load_pair(&a, one, &b, dir), -EISDIR);
	assert_true(str_starts(err_text(-EISDIR), "load candidate "));
	snapshot_finish(&a);
	assert_int_equal(snapshot_load_pair(&a, "/nowhere", &b, dir), -ENOENT);
	assert_string_equal(err_text(-ENOENT), first);
	unit_temp_remove(dir);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_comes_back),
		cmocka_unit_test(a_file_is_the_document_compressed),
		cmocka_unit_test(a_file_that_cannot_be_written_is_named),
		cmocka_unit_test(frames_of_all_kinds_are_read),
		cmocka_unit_test(documents_of_any_length_are_read),
		cmocka_unit_test(other_files_are_told_by_their_beginning),
		cmocka_unit_test(a_file_cut_off_is_told_by_its_length),
		cmocka_unit_test(damage_and_garbage_are_told_by_their_place),
		cmocka_unit_test(a_document_beyond_the_limit_is_refused),
		cmocka_unit_test(a_pair_names_the_one_that_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
