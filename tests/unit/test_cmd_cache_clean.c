// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr cache clean` with items that the test plays: which are removed, and what is told. */
#include "cli_run.h"

#include <errno.h>

#include "base/cleanup.h"
#include "cli/cache_items.h"
#include "cli/options.h"

#define DAY (86400ULL * 1000000000)
#define MIB (1ULL << 20)
#define NOW (100 * DAY)

static const struct stock_item *items;
static size_t item_count;
static unsigned int asked_kinds;
static struct str removed;
static const char *stubborn; /* what cannot be removed, with this error */
static int stubborn_rc, confirm_rc, read_rc;
static size_t confirmed; /* how many were asked about; 0 = nobody was asked */

uint64_t __wrap_clock_wall_ns(void);
int __wrap_stock_read(struct stock *s, unsigned int kinds);
int __wrap_stock_remove(const struct stock_item *item);
int __wrap_confirm_removal(size_t count);

uint64_t __wrap_clock_wall_ns(void)
{
	return NOW;
}

int __wrap_stock_read(struct stock *s, unsigned int kinds)
{
	asked_kinds = kinds;
	for (size_t i = 0; i < item_count; i++) {
		struct stock_item copy = items[i];

		copy.name = strdup(items[i].name);
		copy.path = strdup("/path");
		copy.what = strdup(items[i].what ? items[i].what : "a thing");
		assert_int_equal(vec_push(s, copy), 0);
	}
	return read_rc < 0 ? err_set(-read_rc, "no cache") : 0;
}

int __wrap_stock_remove(const struct stock_item *item)
{
	if (item->is_used)
		return err_set(EWOULDBLOCK, "%s is in use", item->name);
	if (stubborn && str_eq(item->name, stubborn))
		return err_set(-stubborn_rc, "%s cannot be removed", item->name);
	str_addf(&removed, "%s ", item->name);
	return 0;
}

int __wrap_confirm_removal(size_t count)
{
	confirmed = count;
	return confirm_rc;
}

static int start(void **state)
{
	(void)state;
	stubborn = NULL;
	confirm_rc = 1;
	read_rc = 0;
	confirmed = 0;
	return 0;
}

static int stop(void **state)
{
	(void)state;
	str_finish(&removed);
	cli_forget();
	return 0;
}

#define PLAYED(f) cmocka_unit_test_setup_teardown(f, start, stop)
#define ITEMS(...)                                                        \
	do {                                                              \
		static const struct stock_item rows_[] = { __VA_ARGS__ }; \
		items = rows_;                                            \
		item_count = ARRAY_SIZE(rows_);                           \
	} while (0)
#define ITEM(item, mib, days_ago, ...)                                            \
	{                                                                         \
		.kind = STOCK_TEMPLATE, .name = (char *)item, .bytes = (mib)*MIB, \
		.used_ns = NOW - (days_ago)*DAY, ##__VA_ARGS__                    \
	}

static void expect(const char *words, int status, const char *gone, const char *out)
{
	_free_ char *line = str_fmt("cache clean %s", words);
	int rc;

	str_reset(&removed);
	confirmed = 0;
	rc = cli_run(line);
	if (rc != status)
		fail_msg("%s: %d: %s", words, rc, cli_err);
	assert_string_equal(str_get(&removed), gone);
	assert_string_equal(cli_out, out);
}

/* The least recently used go first, until the rest is small enough. */
static void the_oldest_are_removed(void **state)
{
	(void)state;
	ITEMS(ITEM("young", 1, 1), ITEM("old", 2, 9), ITEM("older", 4, 20));
	expect("--force", 0, "older old young ", "removed 3, freed 7.0 MiB\n");
	expect("--force --older-than 9d", 0, "older old ", "removed 2, freed 6.0 MiB\n");
	expect("--force --older-than 217h", 0, "older ", "removed 1, freed 4.0 MiB\n");
	expect("--force --older-than 21d", 0, "", "nothing to clean\n");
	expect("--force --to-size 7mib", 0, "", "nothing to clean\n");
	expect("--force --to-size 6mib", 0, "older ", "removed 1, freed 4.0 MiB\n");
	expect("--force --to-size 3mib", 0, "older ", "removed 1, freed 4.0 MiB\n");
	expect("--force --to-size 2mib", 0, "older old ", "removed 2, freed 6.0 MiB\n");
	expect("--force --to-size 1mib --older-than 10d", 0, "older ",
	       "removed 1, freed 4.0 MiB\n");
	assert_int_equal(confirmed, 0);
	/* Of the future, by a clock that was wrong. */
	ITEMS({ .name = (char *)"future", .bytes = MIB, .used_ns = NOW + 1 },
	      { .name = (char *)"now", .bytes = MIB, .used_ns = NOW });
	expect("--force", 0, "now ", "removed 1, freed 1.0 MiB\n");
	item_count = 0;
	expect("", 0, "", "nothing to clean\n");
}

static void what_is_in_use_is_kept(void **state)
{
	(void)state;
	ITEMS(ITEM("used", 4, 20, .is_used = true), ITEM("old", 2, 9), ITEM("young", 1, 1));
	expect("--force", 0, "old young ", "removed 2, freed 3.0 MiB, kept 1\n");
	expect_in(cli_err, "kept: used is in use\n");
	/* It will not make room. */
	expect("--force --to-size 5mib", 0, "old ", "removed 1, freed 2.0 MiB, kept 1\n");
	stubborn = "old";
	stubborn_rc = -EWOULDBLOCK;
	expect("--force", 0, "young ", "removed 1, freed 1.0 MiB, kept 2\n");
	stubborn_rc = -EPERM;
	expect("--force", 1, "young ", "removed 1, freed 1.0 MiB, kept 2\n");
	expect_in(cli_err, "kept: old cannot be removed\n");
}

static void it_is_asked_for_what_will_go(void **state)
{
	(void)state;
	ITEMS({ .kind = STOCK_KERNEL,
		.name = (char *)"7.0",
		.bytes = 1536,
		.what = (char *)"an \033image" },
	      { .kind = STOCK_PROGRAM, .name = (char *)"p", .bytes = 1 << 30, .is_used = true });
	expect("", 0, "7.0 ", "removed 1, freed 2 KiB, kept 1\n");
	assert_int_equal(confirmed, 2);
	expect_in(cli_err, "  kernel 7.0 (2 KiB): an \\x1bimage\n"
			   "  program p (1.0 GiB): a thing, in use\n");
	confirm_rc = 0;
	expect("", 0, "", "");
	confirm_rc = -EINVAL;
	expect("", -EINVAL, "", "");
	assert_int_equal(asked_kinds, STOCK_ALL);
}

static void kinds_are_chosen(void **state)
{
	(void)state;
	item_count = 0;
	expect("--kind template --kind program", 0, "", "nothing to clean\n");
	assert_int_equal(asked_kinds, 1U << STOCK_TEMPLATE | 1U << STOCK_PROGRAM);
	expect("--to-size many", 2, "", "");
	expect_in(cli_err, "invalid size 'many' for --to-size: expected 512mib, 20gib or the like");
	read_rc = -EACCES;
	expect("", -EACCES, "", "");
}

static void documents_have_the_counts(void **state)
{
	(void)state;
	ITEMS(ITEM("used", 4, 20, .is_used = true), ITEM("old", 2, 9));
	assert_int_equal(cli_run("cache clean --force --json"), 0);
	expect_in(cli_out, "\"removed\": 1,");
	expect_in(cli_out, "\"kept\": 1,");
	expect_in(cli_out, "\"freed_bytes\": 2097152");
}

static void sizes_and_ages_have_units(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} sizes[] = {
		{ 0, "0 KiB" },		  { 1535, "1 KiB" },	       { 1023 * 1024, "1023 KiB" },
		{ MIB, "1.0 MiB" },	  { 3 * MIB / 2, "1.5 MiB" },  { MIB << 10, "1.0 GiB" },
		{ MIB << 20, "1.0 TiB" }, { MIB << 30, "1024.0 TiB" },
	};
	static const struct {
		uint64_t seconds;
		const char *text;
	} ages[] = {
		{ 0, "0 s ago" },	{ 59, "59 s ago" },	{ 60, "1 min ago" },
		{ 3599, "59 min ago" }, { 3600, "1 h ago" },	{ 86399, "23 h ago" },
		{ 86400, "1 d ago" },	{ 864000, "10 d ago" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		_str_ struct str out = {};

		cache_add_size(&out, sizes[i].bytes);
		assert_string_equal(str_get(&out), sizes[i].text);
	}
	for (size_t i = 0; i < ARRAY_SIZE(ages); i++) {
		_str_ struct str out = {};

		cache_add_age(&out, ages[i].seconds * 1000000000 + 999999999);
		assert_string_equal(str_get(&out), ages[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLAYED(the_oldest_are_removed),	      PLAYED(what_is_in_use_is_kept),
		PLAYED(it_is_asked_for_what_will_go), PLAYED(kinds_are_chosen),
		PLAYED(documents_have_the_counts),    PLAYED(sizes_and_ages_have_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
