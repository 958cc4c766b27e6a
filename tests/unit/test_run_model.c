// SPDX-License-Identifier: GPL-2.0-only
/* The pinned model: its place, its state, and downloads that this test answers. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "net/http.h"
#include "run/model.h"

/* SHA-256 of "good". */
#define GOOD "770e607624d689265ca6c44884d0807d9b054d23c473c106c72be9de08b7376c"

static char *dir, *path;
static struct {
	const char *text; /* what arrives */
	long status;
	int rc;
	size_t count;
	char url[256];
	struct http_file to;
} served;
static uint64_t free_bytes;

int __wrap_http_get_file(const char *url, const struct http_file *to, struct http_answer *answer);
int __wrap_statvfs(const char *name, struct statvfs *st);

int __wrap_http_get_file(const char *url, const struct http_file *to, struct http_answer *answer)
{
	served.count++;
	served.to = *to;
	snprintf(served.url, sizeof(served.url), "%s", url);
	assert_string_equal(to->what, "ktstr: downloading the model");
	if (served.text)
		assert_int_equal(file_replace(to->path, served.text, strlen(served.text), 0644), 0);
	*answer = (struct http_answer){ .status = served.status };
	return served.rc < 0 ? err_set(-served.rc, "the line is dead") : 0;
}

int __wrap_statvfs(const char *name, struct statvfs *st)
{
	assert_string_equal(name, dir);
	if (!free_bytes) {
		errno = EIO;
		return -1;
	}
	*st = (struct statvfs){ .f_bavail = free_bytes / 2, .f_frsize = 2 };
	return 0;
}

static void set_pin(const char *pin)
{
	setenv("KTSTR_MODEL_PIN", pin, 1);
}

static int start(void **state)
{
	(void)state;
	dir = unit_temp_create();
	path = str_fmt("%s/tiny.gguf", dir);
	memset(&served, 0, sizeof(served));
	served.text = "good";
	served.status = 200;
	free_bytes = 1 << 30;
	setenv("KTSTR_CACHE_DIR", dir, 1);
	set_pin("tiny.gguf,4," GOOD);
	unsetenv("KTSTR_MODEL_URL");
	unsetenv("KTSTR_MODEL_OFFLINE");
	return 0;
}

static int stop(void **state)
{
	(void)state;
	free(path);
	unit_temp_remove(dir);
	err_clear();
	return 0;
}

#define IN_DIR(f) cmocka_unit_test_setup_teardown(f, start, stop)

/* What is told, with $ for the path of the model. */
static void expect(int (*tell)(struct str *out), const char *expected)
{
	_str_ struct str out = {}, short_out = {};
	const char *at, *next;

	assert_int_equal(tell(&out), 0);
	for (at = str_get(&out); (next = strstr(at, path)); at = next + strlen(path)) {
		str_addn(&short_out, at, (size_t)(next - at));
		str_addc(&short_out, '$');
	}
	str_add(&short_out, at);
	assert_string_equal(str_get(&short_out), expected);
}

static int fetch(struct str *out)
{
	return model_fetch_text("prog", out);
}

#define STATUS(cached, checked, hint) \
	"model:    tiny.gguf\npath:     $\ncached:   " cached "\nchecked:  " checked "\n" hint

static void expect_error(int error, const char *part)
{
	_str_ struct str out = {};

	assert_int_equal(fetch(&out), -error);
	if (!strstr(err_text(-error), part))
		fail_msg("expected '%s' in '%s'", part, err_text(-error));
	assert_string_equal(str_get(&out), "");
}

static size_t count_files(void)
{
	_free_ char *note = str_fmt("%s.mtime-size", path);
	_free_ char *temp = str_fmt("%s.%d.tmp", path, (int)getpid());

	return (size_t)(access(path, F_OK) == 0) + (access(note, F_OK) == 0) +
	       (access(temp, F_OK) == 0);
}

static void a_model_is_downloaded_once(void **state)
{
	(void)state;
	expect(model_status_text,
	       STATUS("false", "false", "(not downloaded; 'model fetch' gets 0 MiB)\n"));
	expect(fetch, "prog: model 'tiny.gguf' ready at $\n");
	assert_int_equal(served.count, 1);
	assert_string_equal(served.url, "https://huggingface.co/Qwen/Qwen3.5-4B-GGUF/resolve/main/"
					"tiny.gguf");
	assert_int_equal(served.to.limit, 4);
	assert_int_equal(served.to.timeout_s, 60);
	assert_int_equal(count_files(), 2);
	expect(model_status_text, STATUS("true", "true", ""));
	expect(fetch, "prog: model 'tiny.gguf' ready at $\n");
	assert_int_equal(served.count, 1);
}

/* Its time depends on its size, within limits. */
static void a_large_model_may_take_longer(void **state)
{
	static const struct {
		const char *pin;
		long timeout_s;
	} rows[] = {
		{ "a,180000000," GOOD, 60 },	{ "a,182999999," GOOD, 60 },
		{ "a,183000000," GOOD, 61 },	{ "a,5400000000," GOOD, 1800 },
		{ "a,5403000000," GOOD, 1800 }, { "a,9000000000," GOOD, 1800 },
	};

	(void)state;
	free_bytes = UINT64_C(1) << 40;
	served.text = "evil";
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		set_pin(rows[i].pin);
		expect_error(EBADMSG, "the downloaded model is not the pinned one: 4 bytes");
		assert_int_equal(served.to.timeout_s, rows[i].timeout_s);
	}
}

/* A tenth more than its size, for what else is written there. */
static void there_has_to_be_room(void **state)
{
	(void)state;
	served.text = "evil";
	set_pin("tiny.gguf,104857600," GOOD);
	free_bytes = 115343358;
	expect_error(ENOSPC, " has 109 MiB free, the model needs 110 MiB");
	assert_int_equal(served.count, 0);
	free_bytes = 115343360;
	expect_error(EBADMSG, "is not the pinned one");
	free_bytes = 0;
	expect_error(EIO, "ask for the free space of ");
	assert_int_equal(served.count, 1);
}

static void what_is_not_the_model_leaves_nothing(void **state)
{
	(void)state;
	served.text = "evil";
	expect_error(EBADMSG, "is not the pinned one: 4 bytes with SHA-256 ");
	expect_error(EBADMSG, ", expected 4 bytes with " GOOD);
	/* Its status would be bad from then on. */
	served.text = "good";
	set_pin("tiny.gguf,5," GOOD);
	expect_error(EBADMSG, "is not the pinned one: 4 bytes with SHA-256 " GOOD
			      ", expected 5 bytes with " GOOD);
	set_pin("tiny.gguf,4," GOOD);
	served.status = 404;
	expect_error(EIO, "/tiny.gguf: the server answered 404");
	served.rc = -ENETUNREACH;
	expect_error(ENETUNREACH, "the line is dead");
	assert_int_equal(count_files(), 0);
	served.rc = 0;
	served.status = 200;
	served.text = NULL;
	expect_error(ENOENT, "read ");
	setenv("KTSTR_MODEL_URL", "http://here/", 1);
	expect_error(ENOENT, "read ");
	assert_string_equal(served.url, "http://here/tiny.gguf");
}

static void keep_time(const struct stat *st)
{
	const struct timespec times[2] = { st->st_atim, st->st_mtim };

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Status may trust the note beside it; fetching never does. */
static void a_model_that_changed_is_seen(void **state)
{
	struct stat st;

	(void)state;
	expect(fetch, "prog: model 'tiny.gguf' ready at $\n");
	assert_int_equal(stat(path, &st), 0);
	unit_write(dir, "tiny.gguf", "evil");
	keep_time(&st);
	expect(model_status_text, STATUS("true", "true", ""));
	setenv("KTSTR_MODEL_OFFLINE", "1", 1);
	expect_error(EIO, "has another hash than it should");
	st.st_mtim.tv_nsec ^= 1;
	keep_time(&st);
	expect(model_status_text,
	       STATUS("true", "false",
		      "(the file is not the pinned model; 'model fetch' replaces it)\n"));
	/* Nor is a good one of another size looked at. */
	unit_write(dir, "tiny.gguf", "good too");
	expect(model_status_text,
	       STATUS("true", "false",
		      "(the file is not the pinned model; 'model fetch' replaces it)\n"));
	unit_write(dir, "tiny.gguf", "good");
	expect(model_status_text, STATUS("true", "true", ""));
	unsetenv("KTSTR_MODEL_OFFLINE");
	unit_write(dir, "tiny.gguf", "evil");
	expect(fetch, "prog: model 'tiny.gguf' ready at $\n");
	assert_int_equal(served.count, 1 + 1);
	/* What was hashed and found good is noted by whoever did it. */
	{
		_free_ char *note = str_fmt("%s.mtime-size", path);

		assert_int_equal(unlink(note), 0);
		expect(model_status_text, STATUS("true", "true", ""));
		assert_int_equal(access(note, F_OK), 0);
	}
}

static void without_a_network_it_is_told_what_is_missing(void **state)
{
	(void)state;
	setenv("KTSTR_MODEL_OFFLINE", "1", 1);
	expect_error(ENOENT, " is not cached, and KTSTR_MODEL_OFFLINE forbids to download it");
	assert_int_equal(mkdir(path, 0755), 0);
	expect_error(EIO, " cannot be read (Is a directory), and KTSTR_MODEL_OFFLINE ");
	expect(model_status_text,
	       STATUS("true", "false", "(the file cannot be read: Is a directory)\n"));
	assert_int_equal(served.count, 0);
	/* A loop is no missing file, a file in the place of its directory makes one. */
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(symlink("tiny.gguf", path), 0);
	expect(model_status_text,
	       STATUS("true", "false",
		      "(the file cannot be read: Too many levels of symbolic links)\n"));
	free(path);
	unit_write(dir, "file", "");
	path = str_fmt("%s/file", dir);
	setenv("KTSTR_CACHE_DIR", path, 1);
	free(path);
	path = str_fmt("%s/file/tiny.gguf", dir);
	expect(model_status_text,
	       STATUS("false", "false", "(not downloaded; 'model fetch' gets 0 MiB)\n"));
	expect(model_clean_text, "no cached model found at $\n");
}

/* ---- pins and places ---- */

#define NAME_OF_127                                                        \
	"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggg" \
	"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggg"

static void pins_have_a_form(void **state)
{
	static const struct {
		const char *pin;
		bool is_good;
	} rows[] = {
		{ "tiny.gguf,4," GOOD, true },
		{ NAME_OF_127 ",4," GOOD, true },
		{ NAME_OF_127 "x,4," GOOD, false },
		{ "a,18446744073709551615," GOOD, true },
		{ "a,18446744073709551616," GOOD, false },
		{ "a,0," GOOD, false },
		{ "a,x," GOOD, false },
		{ "a,4," GOOD "0", false },
		{ "a,4,70e607624d689265ca6c44884d0807d9b054d23c473c106c72be9de08b7376c", false },
		{ "a,4,G70e607624d689265ca6c44884d0807d9b054d23c473c106c72be9de08b7376c", false },
		{ "../a,4," GOOD, false },
		{ "a/b,4," GOOD, false },
		{ ".a,4," GOOD, false },
		{ ",4," GOOD, false },
		{ "a,4", false },
		{ "a", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *found = NULL;
		_str_ struct str out = {};

		set_pin(rows[i].pin);
		found = model_path();
		assert_int_equal(found != NULL, rows[i].is_good);
		assert_int_equal(model_status_text(&out), rows[i].is_good ? 0 : -EINVAL);
		if (!rows[i].is_good)
			assert_non_null(strstr(err_text(-EINVAL), "it has the form FILE,BYTES,"));
	}
}

static void a_model_has_its_place_in_the_cache(void **state)
{
	static const struct {
		const char *cache, *xdg, *home, *expected;
	} rows[] = {
		{ "/c", "/x", "/h", "/c/tiny.gguf" },
		{ NULL, "/x", "/h", "/x/ktstr/models/tiny.gguf" },
		{ NULL, NULL, "/h", "/h/.cache/ktstr/models/tiny.gguf" },
		{ NULL, NULL, "/", "no place for models: HOME is /; " },
		{ NULL, NULL, "relative", "no place for models: HOME is no absolute path; " },
		{ NULL, NULL, NULL, "no place for models: HOME is not set; " },
	};
	_free_ char *home = strdup(getenv("HOME") ? getenv("HOME") : "/");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *found = NULL;
		_str_ struct str out = {};

		setenv("KTSTR_CACHE_DIR", rows[i].cache ? rows[i].cache : "", 1);
		setenv("XDG_CACHE_HOME", rows[i].xdg ? rows[i].xdg : "", 1);
		setenv("HOME", rows[i].home ? rows[i].home : "", 1);
		if (!rows[i].home)
			unsetenv("HOME");
		found = model_path();
		if (*rows[i].expected == '/') {
			assert_string_equal(found, rows[i].expected);
			continue;
		}
		assert_null(found);
		assert_true(str_starts(err_text(-ENOENT), rows[i].expected));
		assert_int_equal(model_status_text(&out), -ENOENT);
		assert_int_equal(model_clean_text(&out), -ENOENT);
	}
	setenv("HOME", home, 1);
	unsetenv("XDG_CACHE_HOME");
}

/* Of another size than any other: it is asked for by what a user sees. */
static void the_model_of_this_release_is_pinned(void **state)
{
	_str_ struct str out = {};

	(void)state;
	unsetenv("KTSTR_MODEL_PIN");
	assert_int_equal(model_status_text(&out), 0);
	assert_true(str_starts(str_get(&out), "model:    Qwen3.5-4B-Q4_K_M.gguf\n"));
	assert_non_null(strstr(str_get(&out), "gets 2613 MiB)\n"));
}

/* ---- cleaning ---- */

static void write_file(const char *name, size_t size)
{
	_free_ char *file = str_fmt("%s/%s", dir, name);

	unit_write(dir, name, "");
	assert_int_equal(truncate(file, (off_t)size), 0);
}

static void what_is_removed_is_told_with_its_size(void **state)
{
	static const struct {
		size_t size;
		const char *text;
	} rows[] = {
		{ 0, "0 bytes" },
		{ 1023, "1023 bytes" },
		{ 1024, "1.00 KiB" },
		{ 1536, "1.50 KiB" },
		{ (1 << 20) - 1, "1024.00 KiB" },
		{ 1 << 20, "1.00 MiB" },
		{ 1 << 30, "1.00 GiB" },
		{ (size_t)3 << 40, "3072.00 GiB" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *expected =
			str_fmt("removed $ (%s)\nfreed %s total\n", rows[i].text, rows[i].text);

		write_file("tiny.gguf", rows[i].size);
		expect(model_clean_text, expected);
	}
	expect(model_clean_text, "no cached model found at $\n");
	write_file("tiny.gguf", 1000);
	write_file("tiny.gguf.mtime-size", 48);
	expect(model_clean_text, "removed $ (1000 bytes)\nremoved $.mtime-size (48 bytes)\n"
				 "freed 1.02 KiB total\n");
	assert_int_equal(count_files(), 0);
	write_file("tiny.gguf.mtime-size", 48);
	expect(model_clean_text, "removed $.mtime-size (48 bytes)\nfreed 48 bytes total\n");
}

static void what_cannot_be_removed_is_an_error(void **state)
{
	_str_ struct str out = {};

	(void)state;
	assert_int_equal(mkdir(path, 0755), 0);
	write_file("tiny.gguf.mtime-size", 48);
	assert_int_equal(model_clean_text(&out), -EISDIR);
	assert_non_null(strstr(err_text(-EISDIR), "remove "));
	assert_int_equal(count_files(), 2);
	assert_string_equal(str_get(&out), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(a_model_is_downloaded_once),
		IN_DIR(a_large_model_may_take_longer),
		IN_DIR(there_has_to_be_room),
		IN_DIR(what_is_not_the_model_leaves_nothing),
		IN_DIR(a_model_that_changed_is_seen),
		IN_DIR(without_a_network_it_is_told_what_is_missing),
		IN_DIR(pins_have_a_form),
		IN_DIR(a_model_has_its_place_in_the_cache),
		IN_DIR(the_model_of_this_release_is_pinned),
		IN_DIR(what_is_removed_is_told_with_its_size),
		IN_DIR(what_cannot_be_removed_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
