// SPDX-License-Identifier: GPL-2.0-only
/* From what --kernel names to kernels with labels, with kernels that a test plays. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "kernel/ident.h"
#include "kernel_fixture.h"
#include "run/parts.h"

/* Also those that were asked for by other processes. */
static char log_path[4096];

int __wrap_kernel_resolve(const char *id, const struct kernel_resolve_opts *opts,
			  struct kernel_image *out);

static void note(const char *text)
{
	int fd = open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	_free_ char *line = str_fmt("%s ", text);

	assert_int_equal(write(fd, line, strlen(line)), (ssize_t)strlen(line));
	close(fd);
}

int __wrap_kernel_resolve(const char *id, const struct kernel_resolve_opts *opts,
			  struct kernel_image *out)
{
	assert_string_equal(opts->label, "ktstr");
	assert_true(opts->fetch_when_absent);
	note(id ? id : "newest");
	*out = (struct kernel_image){};
	if (id && strstr(id, "6.66"))
		return err_set(ENOENT, "there is no Linux %s", id);
	if (id && strstr(id, "6.13"))
		_exit(1);
	out->image = str_fmt("/k/%s", id ? id : "newest");
	if (!id)
		out->version = strdup("7.9.9");
	return 0;
}

static bool includes_eol;

int __wrap_kernel_range_expand(const struct kernel_id *range, const struct range_opts *opts,
			       struct version_list *out);

/* Three of them, whatever its ends are. */
int __wrap_kernel_range_expand(const struct kernel_id *range, const struct range_opts *opts,
			       struct version_list *out)
{
	static const char *const versions[] = { "6.14.11", "6.15.11", "6.16.9" };

	assert_string_equal(range->text, "6.14..6.16");
	assert_string_equal(opts->label, "ktstr");
	assert_non_null(opts->root);
	assert_int_equal(opts->include_eol, includes_eol);
	*out = (struct version_list){ .items = calloc(3, sizeof(*out->items)),
				      .count = 3,
				      .cap = 3 };
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(kernel_version_parse(versions[i], &out->items[i]), 0);
	return 0;
}

static int start(void **state)
{
	includes_eol = false;
	kernel_fixture_setup(state);
	snprintf(log_path, sizeof(log_path), "%s", fixture_path("log"));
	setenv("KTSTR_KERNEL_PARALLELISM", "1", 1);
	return 0;
}

static int stop(void **state)
{
	unsetenv("KTSTR_KERNEL_PARALLELISM");
	return kernel_fixture_teardown(state);
}

#define MADE(f) cmocka_unit_test_setup_teardown(f, start, stop)

static int resolve(const char *const *ids, size_t count, bool only_labels, struct run_kernels *k)
{
	unlink(log_path);
	return run_kernels_resolve(&(struct run_kernels_request){ .ids = ids,
								  .count = count,
								  .only_labels = only_labels,
								  .include_eol = includes_eol,
								  .label = "ktstr" },
				   k);
}

static void expect_kernels(const char *const *ids, size_t count, bool only_labels,
			   const char *labels, const char *asked)
{
	_str_ struct str got = {}, log = {};
	struct run_kernels k;
	int rc = resolve(ids, count, only_labels, &k);

	if (rc < 0)
		fail_msg("%s", err_text(rc));
	for (size_t i = 0; i < k.items.count; i++) {
		assert_string_equal(k.labels[i], k.items.items[i].label);
		str_addf(&got, "%s=%s ", k.labels[i],
			 k.items.items[i].image.image ? k.items.items[i].image.image : "-");
	}
	assert_null(k.labels[k.items.count]);
	assert_string_equal(str_get(&got), labels);
	file_read_at(AT_FDCWD, log_path, &log);
	assert_string_equal(str_get(&log), asked);
	run_kernels_finish(&k);
	assert_int_equal(k.items.count, 0);
}

static void without_a_wish_it_is_the_newest_kernel(void **state)
{
	(void)state;
	expect_kernels(NULL, 0, false, "kernel_7_9_9=/k/newest ", "newest ");
}

static void a_range_is_all_of_its_kernels(void **state)
{
	static const char *const ids[] = { "7.0.1", "6.14..6.16" };

	(void)state;
	for (int with_eol = 0; with_eol < 2; with_eol++) {
		includes_eol = with_eol;
		expect_kernels(ids, 2, true,
			       "kernel_7_0_1=- kernel_6_14_11=- kernel_6_15_11=- kernel_6_16_9=- ",
			       "");
	}
}

static void each_wish_has_a_label(void **state)
{
	static const char *const ids[] = { "7.0.1", "6.12.9" };

	(void)state;
	expect_kernels(ids, 2, false, "kernel_7_0_1=/k/7.0.1 kernel_6_12_9=/k/6.12.9 ",
		       "7.0.1 6.12.9 ");
	/* Labels alone need no kernel. */
	expect_kernels(ids, 2, true, "kernel_7_0_1=- kernel_6_12_9=- ", "");
}

static void two_kernels_of_one_label_are_refused_before_any_is_got(void **state)
{
	static const char *const ids[] = { "6.1.1", "7.0.1", "6.2.1", "7.0.1" };
	struct run_kernels k;

	(void)state;
	assert_int_equal(resolve(ids, 4, false, &k), -EINVAL);
	assert_non_null(
		strstr(err_text(-EINVAL), "kernels '7.0.1' and '7.0.1' would both be called"));
	assert_true(access(log_path, F_OK) < 0);
}

/* ---- several at once ---- */

static const char *const many[] = { "7.0.1", "./tree", "6.12.9", "6.1.1" };

static size_t words_in_log(void)
{
	_str_ struct str log = {};
	size_t count = 0;

	file_read_at(AT_FDCWD, log_path, &log);
	for (const char *p = str_get(&log); *p; p++)
		count += *p == ' ';
	return count;
}

static void kernels_are_fetched_by_processes_of_their_own(void **state)
{
	static const struct {
		const char *parallelism;
		size_t count, expected;
	} rows[] = {
		{ "4", 4, 3 }, { "2", 4, 3 }, { " 3 ", 4, 3 },
		{ "1", 4, 0 }, { "4", 1, 0 }, { "4", 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unlink(log_path);
		setenv("KTSTR_KERNEL_PARALLELISM", rows[i].parallelism, 1);
		assert_int_equal(kernels_fetch(many, rows[i].count, "ktstr"), 0);
		/* Trees are left to whoever needs them. */
		assert_int_equal(words_in_log(), rows[i].expected);
	}
}

static void the_first_failure_is_told(void **state)
{
	static const char *const bad[] = { "7.0.1", "6.66" };
	static const char *const silent[] = { "7.0.1", "6.13" };

	(void)state;
	setenv("KTSTR_KERNEL_PARALLELISM", "2", 1);
	assert_int_equal(kernels_fetch(bad, 2, "ktstr"), -ENOENT);
	assert_string_equal(err_text(-ENOENT), "there is no Linux 6.66");
	assert_int_equal(kernels_fetch(silent, 2, "ktstr"), -EIO);
	assert_string_equal(err_text(-EIO), "getting Linux 6.13 ended without a message");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE(without_a_wish_it_is_the_newest_kernel),
		MADE(a_range_is_all_of_its_kernels),
		MADE(each_wish_has_a_label),
		MADE(two_kernels_of_one_label_are_refused_before_any_is_got),
		MADE(kernels_are_fetched_by_processes_of_their_own),
		MADE(the_first_failure_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
