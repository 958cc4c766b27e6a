// SPDX-License-Identifier: GPL-2.0-only
/* Names of symbols and variables become places in a guest's memory. */
#include "unit.h"

#include "base/err.h"
#include "watch/parts.h"
#include "watch_image.h"
#include "watch_maps_image.h"

static struct image image;
static struct space space;
static struct maps maps;
static struct symbols symbols;

static int set_up(void **state)
{
	int rc = maps_image_start(&image, &space);

	(void)state;
	str_add(&symbols.text, "ffffffff81000010 D even\nffffffff81000021 D odd\n");
	return rc ?: maps_read(&maps, &space, IMAGE_CPUS);
}

static int tear_down(void **state)
{
	(void)state;
	maps_finish(&maps);
	image_close(&image);
	symbols_finish(&symbols);
	err_clear();
	return 0;
}

static void is_at(const char *name, uint64_t address, uint64_t bytes)
{
	struct trace_watch w = {};

	assert_int_equal(watchpoint_find(name, &symbols, &maps, &space, &w), 0);
	assert_int_equal(w.address, address);
	assert_int_equal(w.bytes, bytes);
}

static void is_nowhere(const char *name, int rc, const char *message)
{
	struct trace_watch w;

	assert_int_equal(watchpoint_find(name, &symbols, &maps, &space, &w), rc);
	assert_string_equal(err_text(rc), message);
}

static void symbols_are_four_bytes(void **state)
{
	(void)state;
	is_at("even", 0xffffffff81000010 + space.slide, 4);
	is_nowhere("odd", -EINVAL, "symbol 'odd' is at an address that is not a multiple of 4");
}

static void variables_are_as_long_as_they_are(void **state)
{
	uint64_t section = MI_VIRTUAL(mi_map(MI_SECTION)) + MI_ARRAY_VALUE;

	(void)state;
	is_at("total", section + 24, 8);
	is_at("now", section, 24);
	is_at("now.count", section, 4);
	is_at("now.level", section + 4, 2);
	is_at("now.name", section + 12, 8);
	is_at("now.name[3]", section + 15, 1);
}

/* The same section twice, as of a scheduler that was replaced and is still loaded. */
static void of_several_variables_the_live_one_is_watched(void **state)
{
	uint64_t first = MI_VIRTUAL(mi_map(MI_SECTION)) + MI_ARRAY_VALUE;
	uint64_t second = MI_VIRTUAL(mi_map(MI_RING)) + MI_ARRAY_VALUE;

	(void)state;
	mi_put_map(&image, MI_RING, "new.bss", 2, 32, 1, MI_BSS);
	maps_finish(&maps);
	assert_int_equal(maps_read(&maps, &space, IMAGE_CPUS), 0);
	is_at("total", first + 24, 8);
	maps.maps.items[MI_RING].is_live = true;
	is_at("total", second + 24, 8);
	maps.maps.items[MI_RING].is_live = false;
	maps.maps.items[MI_SECTION].is_live = true;
	is_at("total", first + 24, 8);
}

/* "total" is a symbol of the kernel, too. */
static void a_variable_of_the_scheduler_comes_before_a_symbol(void **state)
{
	uint64_t variable = MI_VIRTUAL(mi_map(MI_SECTION)) + MI_ARRAY_VALUE + 24;
	uint64_t symbol = 0xffffffff81000040 + space.slide;

	(void)state;
	str_add(&symbols.text, "ffffffff81000040 D total\n");
	maps.maps.items[MI_SECTION].is_live = true;
	is_at("total", variable, 8);
	is_at("kernel:total", symbol, 4);
	/* That of somebody else does not. */
	maps.maps.items[MI_SECTION].is_live = false;
	is_at("total", symbol, 4);
	is_nowhere("kernel:now", -ENOENT, "symbol 'now' not found in vmlinux symtab");
	is_nowhere("kernel:odd", -EINVAL,
		   "symbol 'odd' is at an address that is not a multiple of 4");
}

static void other_names_are_told_what_there_is(void **state)
{
	static const char *const names[] = {
		"eve",	     "now.coun",    "now.count.x", "now[0]",	 "now.name[8]",
		"now.name[", "now.name[x]", "now.",	   "now..count", "now.low",
		""
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char message[200];

		snprintf(message, sizeof(message),
			 "symbol '%s' not found in vmlinux symtab, nor is it a global variable "
			 "(available globals: [now, total])",
			 names[i]);
		is_nowhere(names[i], -ENOENT, message);
	}
}

static uint64_t number_at(uint64_t offset, size_t len)
{
	uint64_t number = 0;

	memcpy(&number, image.data + mi_map(MI_SECTION) + MI_ARRAY_VALUE + offset, len);
	return number;
}

static void is_refused(const char *wish, int rc, const char *message)
{
	assert_int_equal(map_write(wish, &maps, &space), rc);
	assert_string_equal(err_text(rc), message);
}

/* As many bytes as the variable has, and none beside it. */
static void variables_are_written(void **state)
{
	uint64_t level = number_at(4, 2), total = number_at(24, 8);

	(void)state;
	assert_int_equal(map_write("now.count=4294967295", &maps, &space), 0);
	assert_int_equal(number_at(0, 4), 0xffffffff);
	assert_int_equal(number_at(4, 2), level);
	assert_int_equal(map_write("total=0", &maps, &space), 0);
	assert_int_equal(number_at(24, 8), 0);
	assert_int_equal(map_write("now.count=7", &maps, &space), 0);
	is_refused("now.count=4294967296", -EINVAL,
		   "4294967296 does not fit into the 4 bytes of 'now.count'");
	is_refused("now=1", -EINVAL, "'now' has 24 bytes; 1, 2, 4 or 8 can be written");
	is_refused("now.count", -EINVAL, "'now.count' is not VARIABLE=NUMBER");
	is_refused("now.count=x", -EINVAL, "'now.count=x' is not VARIABLE=NUMBER");
	/* Of the kernel nothing is written. */
	is_refused("even=1", -ENOENT,
		   "'even' is not a global variable (available globals: [now, total])");
	assert_int_equal(number_at(0, 4), 7);
	image_put(&image, mi_map(MI_SECTION) + MI_ARRAY_VALUE + 24, total, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_are_four_bytes),
		cmocka_unit_test(variables_are_as_long_as_they_are),
		cmocka_unit_test(variables_are_written),
		cmocka_unit_test(other_names_are_told_what_there_is),
		cmocka_unit_test(of_several_variables_the_live_one_is_watched),
		cmocka_unit_test(a_variable_of_the_scheduler_comes_before_a_symbol),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
