// SPDX-License-Identifier: GPL-2.0-only
/* Caches of the dynamic linker made by hand, both formats; busyboxes; the time of a process. */
#include "unit.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "vm/elf_closure.h"
#include "vm/engine.h"
#include "vm/initramfs_plan.h"

#define HEADER 48
#define ENTRY 24

struct entry {
	uint32_t flags;
	const char *key, *value;
	uint32_t needs[2]; /* of the processor */
};

static void put_word(struct str *out, size_t at, uint32_t word)
{
	memcpy(out->s + at, &word, sizeof(word));
}

/* The strings lie behind the entries; offsets count from the beginning of this format. */
static void add_cache(struct str *out, const struct entry *entries, uint32_t count)
{
	static const char zeros[HEADER];
	size_t start = out->len;

	str_addn(out, zeros, HEADER);
	memcpy(out->s + start, "glibc-ld.so.cache1.1", 20);
	put_word(out, start + 20, count);
	for (uint32_t i = 0; i < count; i++)
		str_addn(out, zeros, ENTRY);
	for (uint32_t i = 0; i < count; i++) {
		size_t at = start + HEADER + i * ENTRY;

		put_word(out, at, entries[i].flags);
		put_word(out, at + 4, (uint32_t)(out->len - start));
		str_addn(out, entries[i].key, strlen(entries[i].key) + 1);
		put_word(out, at + 8, (uint32_t)(out->len - start));
		str_addn(out, entries[i].value, strlen(entries[i].value) + 1);
		put_word(out, at + 16, entries[i].needs[0]);
		put_word(out, at + 20, entries[i].needs[1]);
	}
}

/* In a block of its own size: what is read behind it is an error of ASan's. */
static int find_in(const void *data, size_t len, const char *name, const char *expected)
{
	_free_ uint8_t *copy = malloc(len ? len : 1);
	_str_ struct str path = {};
	int rc;

	if (len)
		memcpy(copy, data, len);
	rc = ld_cache_find(copy, len, name, &path);
	assert_string_equal(str_get(&path), rc == 0 ? expected : "");
	return rc;
}

static const struct entry entries[] = {
	{ ELF_NATIVE_CACHE_FLAGS + 1, "liba.so", "/foreign/liba.so", { 0, 0 } },
	{ ELF_NATIVE_CACHE_FLAGS, "liba.so", "/new/liba.so", { 1, 0 } },
	{ ELF_NATIVE_CACHE_FLAGS, "liba.so", "/newer/liba.so", { 0, 1 } },
	{ ELF_NATIVE_CACHE_FLAGS, "liba.so", "relative/liba.so", { 0, 0 } },
	{ ELF_NATIVE_CACHE_FLAGS, "libb.so", "/lib/libb.so", { 0, 0 } },
	{ ELF_NATIVE_CACHE_FLAGS, "liba.so", "/lib/liba.so", { 0, 0 } },
	{ ELF_NATIVE_CACHE_FLAGS, "libz.so", "/lib/libz.so", { 0, 0 } },
};

static void the_entry_for_any_processor_is_taken(void **state)
{
	_str_ struct str cache = {};

	(void)state;
	add_cache(&cache, entries, ARRAY_SIZE(entries));
	assert_int_equal(find_in(cache.s, cache.len, "liba.so", "/lib/liba.so"), 0);
	assert_int_equal(find_in(cache.s, cache.len, "libb.so", "/lib/libb.so"), 0);
	assert_int_equal(find_in(cache.s, cache.len, "libz.so", "/lib/libz.so"), 0);
	assert_int_equal(find_in(cache.s, cache.len, "libc.so", ""), -ENOENT);
	assert_int_equal(ld_cache_find(NULL, 0, "liba.so", &(struct str){}), -ENOENT);
	/* Its last string has no end. */
	assert_int_equal(find_in(cache.s, cache.len - 1, "libz.so", ""), -ENOENT);
	assert_int_equal(find_in(cache.s, cache.len - 1, "liba.so", "/lib/liba.so"), 0);
	for (size_t len = 0; len < cache.len; len++)
		find_in(cache.s, len, "libz.so", "");
}

static void a_cache_that_is_none_is_passed_over(void **state)
{
	_str_ struct str cache = {}, empty = {};

	(void)state;
	add_cache(&empty, NULL, 0);
	assert_int_equal(find_in(empty.s, empty.len, "liba.so", ""), -ENOENT);
	put_word(&empty, 20, 1);
	assert_int_equal(find_in(empty.s, empty.len, "liba.so", ""), -ENOENT);
	add_cache(&cache, entries + 6, 1);
	assert_int_equal(find_in(cache.s, cache.len, "libz.so", "/lib/libz.so"), 0);
	/* More entries than there are bytes for. */
	put_word(&cache, 20, (uint32_t)((cache.len - HEADER) / ENTRY + 1));
	assert_int_equal(find_in(cache.s, cache.len, "libz.so", ""), -ENOENT);
	put_word(&cache, 20, UINT32_MAX);
	assert_int_equal(find_in(cache.s, cache.len, "libz.so", ""), -ENOENT);
	put_word(&cache, 20, 1);
	/* Strings at the end and behind it. */
	put_word(&cache, HEADER + 4, (uint32_t)cache.len);
	assert_int_equal(find_in(cache.s, cache.len, "libz.so", ""), -ENOENT);
	put_word(&cache, HEADER + 4, UINT32_MAX);
	assert_int_equal(find_in(cache.s, cache.len, "libz.so", ""), -ENOENT);
	cache.s[3] = 'x';
	assert_int_equal(find_in(cache.s, cache.len, "libz.so", ""), -ENOENT);
}

/* Older systems have one of the first format in front: a header of 16 bytes and entries of 12. */
static void a_cache_of_the_first_format_is_skipped(void **state)
{
	(void)state;
	for (uint32_t count = 0; count < 4; count++) {
		_str_ struct str cache = {};
		static const char zeros[64];
		size_t cache_at;

		str_addn(&cache, "ld.so-1.7.0\0\0\0\0\0", 16);
		put_word(&cache, 12, count);
		str_addn(&cache, zeros, (count * 12 + 7) / 8 * 8);
		assert_int_equal(find_in(cache.s, cache.len, "libz.so", ""), -ENOENT);
		cache_at = cache.len;
		add_cache(&cache, entries + 6, 1);
		assert_int_equal(find_in(cache.s, cache.len, "libz.so", "/lib/libz.so"), 0);
		/* What was skipped is not there for entries. */
		put_word(&cache, cache_at + 20,
			 (uint32_t)((cache.len - cache_at - HEADER) / ENTRY));
		assert_int_equal(find_in(cache.s, cache.len, "libz.so", "/lib/libz.so"), 0);
		put_word(&cache, cache_at + 20,
			 (uint32_t)((cache.len - cache_at - HEADER) / ENTRY + 1));
		assert_int_equal(find_in(cache.s, cache.len, "libz.so", ""), -ENOENT);
		cache.s[5] = 'x';
		assert_int_equal(find_in(cache.s, cache.len, "libz.so", ""), -ENOENT);
	}
	assert_int_equal(find_in("ld.so-1.7.0", 11, "libz.so", ""), -ENOENT);
}

/* ---- busybox ---- */

int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
static unsigned int places;

/* None of the usual places has one. */
int __wrap_access(const char *path, int mode)
{
	if (!strstr(path, "bin/busybox"))
		return __real_access(path, mode);
	places++;
	errno = ENOENT;
	return -1;
}

static void a_busybox_is_looked_for_in_all_places(void **state)
{
	_free_ char *path = NULL;

	(void)state;
	unsetenv("KTSTR_BUSYBOX_PATH");
	assert_int_equal(busybox_find(&path), -ENOENT);
	assert_string_equal(err_text(-ENOENT), "busybox not found; install busybox-static or set "
					       "KTSTR_BUSYBOX_PATH");
	assert_int_equal(places, 4);
}

static void a_busybox_lists_what_it_can(void **state)
{
	char *dir = unit_temp_create();
	_free_ char *path = str_fmt("%s/busybox", dir);
	_str_ struct str list = {};

	(void)state;
	unit_write(dir, "busybox", "#!/bin/sh\n[ \"$1\" = --list ] || exit 9\necho sh\necho ls\n");
	assert_int_equal(chmod(path, 0755), 0);
	assert_int_equal(busybox_list_applets(path, &list), 0);
	assert_string_equal(str_get(&list), "sh\nls\n");
	unit_write(dir, "busybox", "#!/bin/sh\nexit 1\n");
	assert_int_equal(chmod(path, 0755), 0);
	assert_int_equal(busybox_list_applets(path, &list), -EIO);
	unit_temp_remove(dir);
}

/* ---- times ---- */

static void a_process_has_used_what_its_clock_says(void **state)
{
	uint64_t before, after;
	struct timespec t;
	pid_t gone = fork();

	(void)state;
	if (gone == 0)
		_exit(0);
	waitpid(gone, NULL, 0);
	assert_int_equal(vm_used_ns(gone), 0);
	/* More than a second is counted in seconds: without one it is less than any of them. */
	assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t), 0);
	before = (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
	after = vm_used_ns(getpid());
	assert_true(after >= before);
	assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t), 0);
	assert_true(after <= (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_entry_for_any_processor_is_taken),
		cmocka_unit_test(a_cache_that_is_none_is_passed_over),
		cmocka_unit_test(a_cache_of_the_first_format_is_skipped),
		cmocka_unit_test(a_busybox_is_looked_for_in_all_places),
		cmocka_unit_test(a_busybox_lists_what_it_can),
		cmocka_unit_test(a_process_has_used_what_its_clock_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
