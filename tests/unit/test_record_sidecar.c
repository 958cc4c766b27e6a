// SPDX-License-Identifier: GPL-2.0-only
/* Identities of records in the names of their files, and limits of these files. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "record/sidecar.h"

void *__wrap_calloc(size_t count, size_t size);
void *__real_calloc(size_t count, size_t size);

static bool fail_calloc;

void *__wrap_calloc(size_t count, size_t size)
{
	return fail_calloc ? NULL : __real_calloc(count, size);
}

static struct sidecar plain(void)
{
	struct sidecar s;

	sidecar_init(&s);
	s.test_name = "t";
	s.topology = "1n1l1c1t";
	s.scheduler = "eevdf";
	s.work_type = "CpuSpin";
	return s;
}

/*
 * Configurations with the same words in other places. Each has a name of its own, whether or not
 * the other one has further words.
 */
static void each_configuration_has_a_name_of_its_own(void **state)
{
	static const char *const x[] = { "x" }, *const y[] = { "y" }, *const xx[] = { "x", "x" },
				 *const ax[] = { "a", "x" }, *const ay[] = { "a", "y" };
#define LIST(list) .items = list, .count = ARRAY_SIZE(list)
	struct sidecar all[] = {
		{},
		{ .payload = "x" },
		{ .payload = "y" },
		{ .preset = "x" },
		{ .preset = "y" },
		{ .binary = "x" },
		{ .binary = "y" },
		{ .scheduler_hash = "x" },
		{ .scheduler_hash = "y" },
		{ .preset = "x", .binary = "y" },
		{ .preset = "x", .scheduler_hash = "y" },
		{ .active_flags = { LIST(x) } },
		{ .active_flags = { LIST(y) } },
		{ .active_flags = { LIST(xx) } },
		{ .sysctls = { LIST(x) } },
		{ .sysctls = { LIST(y) } },
		{ .sysctls = { LIST(xx) } },
		{ .sysctls = { LIST(ax) } },
		{ .sysctls = { LIST(ay) } },
		{ .kargs = { LIST(x) } },
		{ .kargs = { LIST(y) } },
		{ .kargs = { LIST(xx) } },
		{ .kargs = { LIST(ax) } },
		{ .kargs = { LIST(ay) } },
		{ .kargs = { LIST(x) }, .preset = "x" },
		{ .sysctls = { LIST(x) }, .kargs = { LIST(x) } },
		{ .topology = "2n2l2c1t" },
		{ .scheduler = "scx" },
	};
#undef LIST
	struct str names[ARRAY_SIZE(all)] = {};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		all[i].test_name = "t";
		if (!all[i].topology)
			all[i].topology = "1n1l1c1t";
		if (!all[i].scheduler)
			all[i].scheduler = "eevdf";
		sidecar_file_name(&all[i], &names[i]);
		assert_int_equal(str_check(&names[i]), 0);
		for (size_t k = 0; k < i; k++) {
			if (strcmp(names[i].s, names[k].s) == 0)
				fail_msg("configurations %zu and %zu are %s", i, k, names[i].s);
			if (!all[i].scheduler_hash && !all[k].scheduler_hash)
				assert_false(sidecar_is_same_test(&all[i], &all[k]));
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		str_finish(&names[i]);
}

static void a_name_needs_memory_for_all_of_its_parts(void **state)
{
	static const char *const sysctls[] = { "x" };
	struct sidecar a = plain(), b = plain();
	_str_ struct str name = {};

	(void)state;
	a.sysctls = b.sysctls = (struct sidecar_strings){ sysctls, 1 };
	assert_true(sidecar_is_same_test(&a, &b));
	fail_calloc = true;
	sidecar_file_name(&a, &name);
	assert_false(sidecar_is_same_test(&a, &b));
	fail_calloc = false;
	assert_true(name.failed);
	assert_int_equal(str_check(&name), -ENOMEM);
}

static void records_are_readable_for_everyone(void **state)
{
	_str_ struct str path = {}, text = {};
	char *dir = unit_temp_create();
	mode_t before = umask(022);
	struct sidecar s = plain();
	struct stat st;

	(void)state;
	assert_int_equal(sidecar_write(&s, dir), 0);
	str_addf(&path, "%s/", dir);
	sidecar_file_name(&s, &path);
	assert_int_equal(stat(path.s, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_int_equal(file_read(path.s, &text), 0);
	assert_int_equal(text.s[text.len - 1], '\n');
	umask(before);
	unit_temp_remove(dir);
}

/* A file that cannot be read leaves an empty record, whatever was there before. */
static void a_record_that_cannot_be_read_is_empty(void **state)
{
	struct sidecar s;

	(void)state;
	memset(&s, 0xff, sizeof(s));
	assert_int_equal(sidecar_read(&s, "/no/such/file"), -ENOENT);
	assert_null(s.test_name);
	assert_null(s.host);
	assert_int_equal(s.detail_count, 0);
	assert_int_equal(s.outcome, KTSTR_SKIPPED);
	sidecar_finish(&s);
}

#define LARGEST (INT64_C(64) << 20)

/* Of 64 MiB, all of them zeros: it is read, but it is no record. */
static void larger_files_than_64_mib_are_not_read(void **state)
{
	char *dir = unit_temp_create();
	_free_ char *path = str_fmt("%s/file", dir);
	struct sidecar s;
	int fd;

	(void)state;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(sidecar_read(&s, path), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), "the file is empty"));
	assert_int_equal(ftruncate(fd, LARGEST + 1), 0);
	assert_int_equal(sidecar_read(&s, path), -EFBIG);
	assert_non_null(strstr(err_text(-EFBIG), "is larger than 64 MiB"));
	assert_int_equal(ftruncate(fd, LARGEST), 0);
	assert_int_equal(sidecar_read(&s, path), -EINVAL);
	assert_null(s.test_name);
	close(fd);
	unit_temp_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_configuration_has_a_name_of_its_own),
		cmocka_unit_test(a_name_needs_memory_for_all_of_its_parts),
		cmocka_unit_test(records_are_readable_for_everyone),
		cmocka_unit_test(a_record_that_cannot_be_read_is_empty),
		cmocka_unit_test(larger_files_than_64_mib_are_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
