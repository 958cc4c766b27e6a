// SPDX-License-Identifier: GPL-2.0-only
/* Invariants against the variables of a guest: what is told, and how often. */
#include "unit.h"

#include "base/err.h"
#include "watch/parts.h"
#include "watch_image.h"
#include "watch_maps_image.h"

static struct image image;
static struct space space;
static struct maps maps;

static int set_up(void **state)
{
	int rc = maps_image_start(&image, &space);

	(void)state;
	return rc ?: maps_read(&maps, &space, IMAGE_CPUS);
}

static int tear_down(void **state)
{
	(void)state;
	maps_finish(&maps);
	image_close(&image);
	err_clear();
	return 0;
}

static void look_twice(const char *text, const char *broken, const char *unknown)
{
	struct invariants v = { .texts = &text, .count = 1 };

	invariants_look(&v, &maps, 1500000000);
	invariants_look(&v, &maps, 2500000000);
	invariants_end(&v, "");
	assert_string_equal(str_get(&v.broken), broken);
	assert_string_equal(str_get(&v.unknown), unknown);
	invariants_finish(&v);
}

static void what_holds_is_not_told(void **state)
{
	(void)state;
	look_twice("total == total", "", "");
	look_twice("now.count >= 0", "", "");
}

static void what_does_not_hold_is_told_once_with_value_and_time(void **state)
{
	(void)state;
	look_twice("now.count == 99999",
		   "the invariant 'now.count == 99999' does not hold: now.count is 7, 1.500 s "
		   "after the guest began\n",
		   "");
	look_twice("now.count != now.count",
		   "the invariant 'now.count != now.count' does not hold: now.count is 7 and "
		   "now.count is 7, 1.500 s after the guest began\n",
		   "");
}

static void set_count(uint32_t count)
{
	image_put(&image, mi_map(MI_SECTION) + MI_ARRAY_VALUE, count, 4);
	maps_finish(&maps);
	assert_int_equal(maps_read(&maps, &space, IMAGE_CPUS), 0);
}

static void large_values_have_all_their_digits(void **state)
{
	(void)state;
	set_count(123456789);
	look_twice("now.count == 0",
		   "the invariant 'now.count == 0' does not hold: now.count is 123456789, 1.500 s "
		   "after the guest began\n",
		   "");
	set_count(7);
}

/* The section with the variables is not always the first map. */
static void variables_are_found_in_any_map(void **state)
{
	struct map_view section = maps.maps.items[0];

	(void)state;
	assert_true(maps.maps.count > 2);
	memmove(maps.maps.items, maps.maps.items + 1,
		(maps.maps.count - 1) * sizeof(*maps.maps.items));
	maps.maps.items[maps.maps.count - 1] = section;
	look_twice("now.count == 7", "", "");
	look_twice(
		"now.count == 8",
		"the invariant 'now.count == 8' does not hold: now.count is 7, 1.500 s after the "
		"guest began\n",
		"");
}

static void what_cannot_be_read_is_told(void **state)
{
	struct maps none = {};
	const char *text = "total == 0";
	struct invariants v = { .texts = &text, .count = 1 };

	(void)state;
	look_twice("nothing == 0", "",
		   "the invariant 'nothing == 0' could not be judged: 'nothing' is not a global "
		   "variable (available globals: [now, total])\n");
	look_twice("now == 0", "",
		   "the invariant 'now == 0' could not be judged: now is not a number\n");
	invariants_look(&v, &none, 1);
	invariants_end(&v, "");
	assert_string_equal(str_get(&v.unknown), "invariants could not be judged: no variables of "
						 "a scheduler were seen\n");
	invariants_finish(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_holds_is_not_told),
		cmocka_unit_test(what_does_not_hold_is_told_once_with_value_and_time),
		cmocka_unit_test(large_values_have_all_their_digits),
		cmocka_unit_test(variables_are_found_in_any_map),
		cmocka_unit_test(what_cannot_be_read_is_told),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
