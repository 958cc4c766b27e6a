// SPDX-License-Identifier: GPL-2.0-only
/* What is in the cache, what may go, and who makes room. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "base/str.h"
#include "vm/stock.h"

#define MIB (1 << 20)

static char *root;

/* The last names that removed items had, without the number of this process. */
static struct str names_while_removed;

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);

int __wrap_rename(const char *from, const char *to)
{
	_free_ char *number = str_fmt("-%d", (int)getpid());
	const char *name = strrchr(to, '/') + 1, *end = strstr(name, number);

	if (strstr(name, ".tmp-") && end)
		str_addf(&names_while_removed, "%.*s ", (int)(end - name), name);
	return __real_rename(from, to);
}

static int setup(void **state)
{
	(void)state;
	str_reset(&names_while_removed);
	root = unit_temp_create();
	setenv("KTSTR_CACHE_DIR", root, 1);
	setenv("KTSTR_CACHE_LIMIT", "2500kib", 1);
	log_set_level(LOG_OFF);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unit_temp_remove(root);
	return 0;
}

/* A file of so many bytes that are really there, last used so many seconds after 2001. */
static void make_file(const char *name, size_t bytes, long used)
{
	_free_ char *text = malloc(bytes + 1);
	_free_ char *path = str_fmt("%s/%s", root, name);
	const struct timespec times[] = { { .tv_sec = 1000000000 + used },
					  { .tv_sec = 1000000000 + used } };

	memset(text, 'x', bytes);
	text[bytes] = '\0';
	unit_write(root, name, text);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void age_path(const char *name, long used)
{
	_free_ char *path = str_fmt("%s/%s", root, name);
	const struct timespec times[] = { { .tv_sec = 1000000000 + used },
					  { .tv_sec = 1000000000 + used } };

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void make_template(const char *key, long used)
{
	_free_ char *ram = str_fmt(".templates/%s/ram0", key);
	_free_ char *about = str_fmt(".templates/%s/template.json", key);
	_free_ char *lock = str_fmt(".templates/%s.lock", key);
	_free_ char *dir = str_fmt(".templates/%s", key);

	make_file(ram, MIB, used);
	unit_write(root, about,
		   "{\"schema_version\":1,\"kernel\":\"7.0.13-x\",\"topology\":\"1n2l1c1t\","
		   "\"accel\":\"sim\",\"memory_mib\":512,\"identity\":\"a\\nb\"}");
	make_file(lock, 0, used);
	age_path(dir, used);
}

static bool has(const char *name)
{
	_free_ char *path = str_fmt("%s/%s", root, name);

	return access(path, F_OK) == 0;
}

static int hold(const char *name, int how)
{
	_free_ char *path = str_fmt("%s/%s", root, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(flock(fd, how), 0);
	return fd;
}

static void every_kind_is_found(void **state)
{
	static const struct {
		enum stock_kind kind;
		const char *name, *what;
	} expected[] = {
		{ STOCK_KERNEL, "6.1-broken", "corrupt: metadata.json is missing" },
		{ STOCK_TEMPLATE, "old", "7.0.13-x, 1n2l1c1t, sim" },
		{ STOCK_TEMPLATE, "new", "7.0.13-x, 1n2l1c1t, sim" },
		{ STOCK_TEMPLATE, "odd", "a guest of another version of ktstr" },
		{ STOCK_INITRAMFS, "abc", "files of the guest" },
		{ STOCK_PROGRAM, "aa", "compiled test mine" },
		{ STOCK_PROGRAM, "bb", "not complete" },
		{ STOCK_SYMBOLS, "6.1-x", "symbols of a kernel" },
		{ STOCK_SYMBOLS, "build-id", "types of a kernel image" },
		{ STOCK_MODEL, "m.gguf", "language model that reads metrics" },
		{ STOCK_APT, "archive", "package lists of the Debian archive" },
		{ STOCK_ANSWERS, "files", "hashes and versions of files" },
		{ STOCK_LEFTOVER, ".tmp-Pr", "of a process that was killed" },
		{ STOCK_LEFTOVER, ".tmp-Xy", "of a process that was killed" },
	};
	_stock_ struct stock s = {};

	(void)state;
	make_template("new", 20);
	make_template("old", 10);
	unit_write(root, ".templates/odd/template.json", "{ broken");
	unit_write(root, ".initramfs/abc.cpio", "x");
	unit_write(root, ".initramfs/abc.cpio.lock", "");
	/* Those of one age are in the order of their names. */
	unit_write(root, ".programs/aa/mine", "x");
	unit_write(root, ".programs/bb/.hidden", "x");
	age_path(".programs/aa", 10);
	age_path(".programs/bb", 10);
	make_file(".symbols/6.1-x", 10, 10);
	make_file(".vmlinux/build-id", 10, 11);
	unit_write(root, ".programs/.tmp-Pr/mine", "x");
	age_path(".programs/.tmp-Pr", 10);
	/* None of these is anything. */
	unit_write(root, ".programs/file", "x");
	unit_write(root, ".programs/.hidden/mine", "x");
	unit_write(root, ".templates/file", "x");
	unit_write(root, ".templates/a.b/template.json", "{}");
	unit_write(root, ".initramfs/.cpio", "x");
	unit_write(root, ".initramfs/abc.cpiox", "x");
	unit_write(root, ".models/m.gguf", "x");
	unit_write(root, ".apt/url", "x");
	unit_write(root, ".answers/sha256-1", "x");
	unit_write(root, ".tmp-Xy/bzImage", "x");
	unit_write(root, "6.1-broken/bzImage", "x");
	assert_int_equal(stock_read(&s, STOCK_ALL), 0);
	assert_int_equal(s.count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < s.count; i++) {
		assert_int_equal(s.items[i].kind, expected[i].kind);
		assert_string_equal(s.items[i].name, expected[i].name);
		assert_string_equal(s.items[i].what, expected[i].what);
		assert_false(s.items[i].is_used);
		assert_true(s.items[i].bytes > 0);
	}
	assert_int_equal(names_while_removed.len, 0);
	assert_true(s.items[1].bytes >= MIB && s.items[1].bytes < 2 * MIB);
	assert_true(s.items[1].used_ns == 1000000010ULL * 1000000000);
	for (size_t i = 0; i < s.count; i++)
		assert_int_equal(stock_remove(&s.items[i]), 0);
	/* Whoever is killed in between leaves what counts as left over. */
	assert_string_equal(str_get(&names_while_removed),
			    ".tmp-removed-6.1-broken old.tmp new.tmp odd.tmp abc.cpio.tmp "
			    ".tmp-removed-aa .tmp-removed-bb 6.1-x.tmp build-id.tmp m.gguf.tmp "
			    ".tmp-removed-.apt .answers.tmp .tmp-Pr.tmp .tmp-Xy.tmp ");
	stock_finish(&s);
	assert_int_equal(stock_read(&s, STOCK_ALL), 0);
	assert_int_equal(s.count, 0);
}

static void what_is_in_use_stays(void **state)
{
	_stock_ struct stock s = {};
	int template, base;

	(void)state;
	make_template("one", 10);
	unit_write(root, ".initramfs/abc.cpio", "x");
	template = hold(".templates/one.lock", LOCK_SH);
	base = hold(".initramfs/abc.cpio", LOCK_SH);
	assert_int_equal(stock_read(&s, STOCK_ALL), 0);
	assert_int_equal(s.count, 2);
	for (size_t i = 0; i < s.count; i++) {
		assert_true(s.items[i].is_used);
		assert_int_equal(stock_remove(&s.items[i]), -EWOULDBLOCK);
		assert_non_null(strstr(err_text(-EWOULDBLOCK), "is in use by pid"));
	}
	close(template);
	close(base);
	for (size_t i = 0; i < s.count; i++)
		assert_int_equal(stock_remove(&s.items[i]), 0);
	assert_false(has(".templates/one"));
	assert_false(has(".initramfs/abc.cpio"));
}

static void the_least_recently_used_makes_room(void **state)
{
	(void)state;
	make_template("a", 30);
	make_template("b", 10);
	make_template("c", 20);
	stock_trim();
	assert_true(has(".templates/a"));
	assert_false(has(".templates/b"));
	assert_true(has(".templates/c"));
	stock_trim(); /* it fits now */
	assert_true(has(".templates/c"));
}

static void load(const char *key)
{
	_free_ char *about = str_fmt(".templates/%s/template.json", key);

	unit_write(root, about,
		   "{\"kernel\":\"7.0\",\"topology\":\"1n1l1c1t\",\"accel\":\"sim\","
		   "\"scheduler\":\"scx_a\"}");
}

/* A quarter of the limit holds none of them here: the one that was used last goes, too. */
static void schedulers_do_not_drive_out_the_rest(void **state)
{
	(void)state;
	make_template("booted", 5);
	make_template("a", 20);
	make_template("b", 30);
	load("a");
	load("b");
	stock_trim();
	assert_true(has(".templates/booted"));
	assert_false(has(".templates/a"));
	assert_false(has(".templates/b"));
}

static void room_is_not_made_at_the_cost_of_a_user(void **state)
{
	int user;

	(void)state;
	make_template("a", 30);
	make_template("b", 10);
	make_template("c", 20);
	user = hold(".templates/b.lock", LOCK_SH);
	stock_trim();
	close(user);
	assert_true(has(".templates/a"));
	assert_true(has(".templates/b"));
	assert_false(has(".templates/c"));
}

/* Templates and bases share the limit; a kernel does not go by itself. */
static void bases_count_too_and_kernels_do_not(void **state)
{
	(void)state;
	make_template("a", 10);
	make_file(".initramfs/x.cpio", MIB, 20);
	make_file(".initramfs/y.cpio", MIB, 30);
	make_file("6.1-mine/bzImage", 4 * MIB, 1);
	stock_trim();
	assert_false(has(".templates/a"));
	assert_true(has(".initramfs/x.cpio"));
	assert_true(has("6.1-mine/bzImage"));
}

static void leftovers_go_unless_their_maker_lives(void **state)
{
	int maker;

	(void)state;
	unit_write(root, ".templates/dead.lock", "");
	unit_write(root, ".templates/dead.tmp-1/ram0", "x");
	unit_write(root, ".templates/alive.lock", "");
	unit_write(root, ".templates/alive.tmp-2/ram0", "x");
	unit_write(root, ".initramfs/z.cpio.tmp-3", "x");
	unit_write(root, ".tmp-abc/bzImage", "x");
	maker = hold(".templates/alive.lock", LOCK_EX);
	stock_trim();
	close(maker);
	assert_false(has(".templates/dead.tmp-1"));
	assert_true(has(".templates/alive.tmp-2"));
	assert_false(has(".initramfs/z.cpio.tmp-3"));
	assert_false(has(".tmp-abc"));
}

static void a_bad_limit_is_an_error_and_removes_nothing(void **state)
{
	uint64_t limit;

	(void)state;
	make_template("a", 10);
	setenv("KTSTR_CACHE_LIMIT", "20", 1);
	assert_int_equal(stock_limit(&limit), -EINVAL);
	stock_trim();
	assert_true(has(".templates/a"));
	setenv("KTSTR_CACHE_LIMIT", "", 1);
	assert_int_equal(stock_limit(&limit), 0);
	assert_true(limit == 20ULL << 30);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_kind_is_found),
		TEST(what_is_in_use_stays),
		TEST(the_least_recently_used_makes_room),
		TEST(schedulers_do_not_drive_out_the_rest),
		TEST(room_is_not_made_at_the_cost_of_a_user),
		TEST(bases_count_too_and_kernels_do_not),
		TEST(leftovers_go_unless_their_maker_lives),
		TEST(a_bad_limit_is_an_error_and_removes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
