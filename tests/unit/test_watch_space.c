// SPDX-License-Identifier: GPL-2.0-only
/* Addresses of a guest's kernel: where it lies, page tables of all sizes, pointers that lie. */
#include "unit.h"

#include "base/err.h"
#include "watch_image.h"

#define PRESENT 1ULL
#define LARGE 0x80ULL
#define VMALLOC 0xffffc90000000000ULL

static struct image image;
static struct space space;

static int set_up(void **state)
{
	(void)state;
	return image_open(&image);
}

static int tear_down(void **state)
{
	(void)state;
	image_close(&image);
	return 0;
}

static void open_space(void)
{
	assert_int_equal(space_open(&space, &image.memory, &image.layout), 0);
}

static void a_kernel_at_its_place_is_found(void **state)
{
	uint64_t copy;

	(void)state;
	open_space();
	assert_true(space.slide == 0 && space.address_bits == 48 &&
		    space.linear.base == IMAGE_DIRECT);
	assert_true(space_symbol(&space, SYM_RUNQUEUES) == IMAGE_TEXT + IMAGE_RUNQUEUES);
	assert_true(space_symbol(&space, SYM_DSQ_HASH) == 0);
	assert_true(space_of_cpu(&space, space_symbol(&space, SYM_RUNQUEUES), 1, &copy));
	assert_true(copy == IMAGE_DIRECT + image_of_cpu(1, IMAGE_RUNQUEUES));
	assert_false(space_of_cpu(&space, space_symbol(&space, SYM_RUNQUEUES), 2, &copy));
}

static void a_kernel_that_was_moved_is_found(void **state)
{
	uint64_t value;

	(void)state;
	image_fill(&image, 0x1a00000, 0x3400000);
	image_set(&image, IMAGE_SCX_ROOT, 0x1234, 8);
	open_space();
	assert_true(space.slide == 0x3400000);
	assert_true(space_symbol(&space, SYM_SCX_ROOT) == IMAGE_TEXT + 0x3400000 + IMAGE_SCX_ROOT);
	assert_true(space_read_u64(&space, space_symbol(&space, SYM_SCX_ROOT), &value));
	assert_true(value == 0x1234);
	assert_true(space_of_cpu(&space, space_symbol(&space, SYM_RUNQUEUES), 0, &value));
	assert_true(value == IMAGE_DIRECT + image_of_cpu(0, IMAGE_RUNQUEUES));
}

static void a_copy_of_the_banner_is_no_kernel(void **state)
{
	(void)state;
	image_fill(&image, 0x1a00000, 0);
	memcpy(image.data + 0x1400000 + IMAGE_BANNER, "Linux version 7.0", 17);
	image_put(&image, 0x1400000 + IMAGE_PHYS_BASE, 0x123456789, 8);
	open_space();
	assert_true(space.image.physical == 0x1a00000 - (IMAGE_TEXT - IMAGE_MAP));
	/* Near where the kernel could be, but not where it is ever loaded. */
	image_put(&image, 0x1400000 + IMAGE_PHYS_BASE,
		  0x1400000 - (IMAGE_TEXT - IMAGE_MAP) - 0x1000, 8);
	open_space();
	assert_true(space.image.physical == 0x1a00000 - (IMAGE_TEXT - IMAGE_MAP));
}

static void another_kernel_is_refused(void **state)
{
	(void)state;
	image.data[image.load + IMAGE_BANNER] = 'X';
	assert_int_equal(space_open(&space, &image.memory, &image.layout), -ENOENT);
	err_clear();
}

static uint64_t put_entry(uint64_t table, uint64_t address, int level, uint64_t entry)
{
	uint64_t index = address >> (12 + 9 * (level - 1)) & 511;

	image_put(&image, table + 8 * index, entry, 8);
	return entry & 0x000ffffffffff000ULL;
}

/* Tables one after the other in the heap, down to the level that has the leaf. */
static void map_address(uint64_t address, int levels, int leaf, uint64_t to)
{
	uint64_t table = image.load + IMAGE_TABLE;

	for (int level = levels; level > leaf; level--)
		table = put_entry(table, address, level,
				  (IMAGE_HEAP + 0x1000ULL * (unsigned int)level) | PRESENT);
	put_entry(table, address, leaf, to | PRESENT | (leaf > 1 ? LARGE : 0));
}

static void expect_walk(uint64_t address, uint64_t physical, uint64_t left)
{
	uint64_t found, rest;

	assert_true(space_walk(&space, address, &found, &rest));
	assert_true(found == physical && rest == left);
}

static void pages_of_all_sizes_are_walked(void **state)
{
	uint64_t found, rest;

	(void)state;
	open_space();
	map_address(VMALLOC, 4, 1, 0x345000);
	expect_walk(VMALLOC + 0xff8, 0x345ff8, 8);
	map_address(VMALLOC + (2ULL << 30) + (4 << 20), 4, 2, 0x400000);
	expect_walk(VMALLOC + (2ULL << 30) + (4 << 20) + 0x12345, 0x412345, (2 << 20) - 0x12345);
	map_address(VMALLOC + (4ULL << 30), 4, 3, 0x40000000);
	expect_walk(VMALLOC + (4ULL << 30) + 5, 0x40000005, (1 << 30) - 5);
	assert_false(space_walk(&space, VMALLOC + 0x1000, &found, &rest));
	assert_false(space_walk(&space, VMALLOC + (1ULL << 40), &found, &rest));
	/* Not canonical, and of user space. */
	assert_false(space_walk(&space, VMALLOC & ~(1ULL << 60), &found, &rest));
	assert_false(space_walk(&space, 0x1000, &found, &rest));
}

static void five_levels_are_walked(void **state)
{
	(void)state;
	image_set(&image, IMAGE_PGDIR_SHIFT, 48, 4);
	image_set(&image, IMAGE_PAGE_OFFSET, 0, 8);
	open_space();
	assert_true(space.address_bits == 57 && space.linear.base == 0xff11000000000000ULL);
	map_address(0xffa0000000000000ULL, 5, 1, 0x345000);
	expect_walk(0xffa0000000000010ULL, 0x345010, 0xff0);
}

/* One built for four levels and without KASLR of its memory has no variables that say so. */
/* The upper half of what tables translate, and on arm64 all of it. */
static void addresses_of_the_kernel_have_all_upper_bits(void **state)
{
	static const struct {
		uint64_t address;
		bool is_x86, is_arm64;
	} rows[] = {
		{ UINT64_MAX, true, true },
		{ 0xffff800000000000ULL, true, true },
		{ 0xffff7fffffffffffULL, false, true },
		{ 0xffff000000000000ULL, false, true },
		{ 0xfffeffffffffffffULL, false, false },
		{ 0x7fffffffffffULL, false, false },
		{ 0x7fffffffffffffffULL, false, false },
		{ 0, false, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct space x86 = { .machine = &space_x86, .address_bits = 48 };
		struct space arm64 = { .machine = &space_arm64, .address_bits = 48 };

		assert_int_equal(space_is_kernel(&x86, rows[i].address), rows[i].is_x86);
		assert_int_equal(space_is_kernel(&arm64, rows[i].address), rows[i].is_arm64);
	}
}

static void a_small_kernel_has_four_levels(void **state)
{
	(void)state;
	image.layout.symbols[SYM_PGDIR_SHIFT] = image.layout.symbols[SYM_PAGE_OFFSET_BASE] = 0;
	open_space();
	assert_int_equal(space.address_bits, 48);
	assert_true(space.linear.base == IMAGE_DIRECT);
	assert_int_equal(space.unreadable, 0);
}

static void large_pages_exist_at_two_levels_only(void **state)
{
	uint64_t found, rest, table = image.load + IMAGE_TABLE;

	(void)state;
	open_space();
	put_entry(table, VMALLOC, 4, (IMAGE_HEAP + 0x1000) | PRESENT | LARGE);
	assert_false(space_walk(&space, VMALLOC, &found, &rest));
}

static void reads_cross_pages_and_stop_where_none_is(void **state)
{
	uint64_t value;

	(void)state;
	open_space();
	map_address(VMALLOC, 4, 1, 0x345000);
	map_address(VMALLOC + 0x1000, 4, 1, 0x700000);
	image_put(&image, 0x345ffc, 0x11111111, 4);
	image_put(&image, 0x700000, 0x22222222, 4);
	assert_true(space_read_u64(&space, VMALLOC + 0xffc, &value));
	assert_true(value == 0x2222222211111111ULL);
	assert_true(space.unreadable == 0);
	assert_false(space_read_u64(&space, VMALLOC + 0x1ffc, &value));
	assert_false(space_read_u64(&space, IMAGE_DIRECT + IMAGE_BYTES - 4, &value));
	assert_false(space_read_u64(&space, UINT64_MAX - 3, &value));
	assert_false(space_read_u64(&space, 0, &value));
	assert_true(space.unreadable == 4);
}

/* What lies between pages is skipped, and the table of a region is one for all of them here. */
static void the_next_page_is_found_across_gaps(void **state)
{
	static const struct {
		uint64_t from, end, expected;
	} rows[] = {
		{ 0x5000, 0x100000, 0x5000 },
		{ 0x5fff, 0x100000, 0x5000 },
		{ 0, 0x100000, 0x5000 },
		{ 0x1234, 0x100000, 0x5000 },
		{ 0x6000, 0x200000, 0x1ff000 },
		{ 0x6000, 0x1ff000, 0x1ff000 },
		{ 0x6000, 0x1fe000, 0x1fe000 },
		{ 0, 0x5000, 0x5000 },
		{ 0, 0x4000, 0x4000 },
		{ 0, 0x4001, 0x4001 },
		{ 0x1000, 0x1000, 0x1000 },
		/* The region behind has no table, and the one behind that has the same. */
		{ 0x200000, 0x1000000, 0x405000 },
		{ 0x201000, 0x1000000, 0x405000 },
		{ 0x200000, 0x400000, 0x400000 },
		{ 0x600000, 0x40000000, 0x40000000 },
		{ 0x600000, 1ULL << 41, 1ULL << 41 },
	};

	(void)state;
	open_space();
	map_address(VMALLOC + 0x5000, 4, 1, 0x345000);
	map_address(VMALLOC + 0x1ff000, 4, 1, 0x345000);
	map_address(VMALLOC + 0x405000, 4, 1, 0x345000);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t found =
			space_next_page(&space, VMALLOC + rows[i].from, VMALLOC + rows[i].end);

		if (found != VMALLOC + rows[i].expected)
			fail_msg("row %zu: %llx", i, (unsigned long long)(found - VMALLOC));
	}
	/* Without tables there is no page at all. */
	space.top_table = 0;
	assert_true(space_next_page(&space, VMALLOC, VMALLOC + 0x3000) == VMALLOC + 0x3000);
}

static void memory_ends_with_its_last_extent(void **state)
{
	struct vm_memory memory = { .extents = { { .guest = 0, .bytes = 0x1000 },
						 { .guest = 0x100000, .bytes = 0x2000 } } };
	struct space s = { .memory = &memory };

	(void)state;
	assert_true(space_memory_end(&s) == 0);
	memory.count = 1;
	assert_true(space_memory_end(&s) == 0x1000);
	memory.count = 2;
	assert_true(space_memory_end(&s) == 0x102000);
}

static void physical_addresses_have_a_length(void **state)
{
	uint64_t found;

	(void)state;
	open_space();
	map_address(VMALLOC, 4, 1, 0x345000);
	assert_true(space_physical(&space, VMALLOC + 0xff8, 8, &found));
	assert_true(found == 0x345ff8);
	assert_false(space_physical(&space, VMALLOC + 0xff8, 9, &found));
	assert_false(space_physical(&space, VMALLOC + 0x1000, 1, &found));
	/* The image and the direct map have no pages to look at. */
	assert_true(space_physical(&space, IMAGE_TEXT, 1 << 20, &found));
	assert_true(found == image.load);
	assert_true(space_physical(&space, IMAGE_DIRECT + 0x5123, 1 << 20, &found));
	assert_true(found == 0x5123);
}

static void copies_of_all_cpus_are_read_at_once(void **state)
{
	uint64_t values[3], at;

	(void)state;
	open_space();
	at = space_symbol(&space, SYM_RUNQUEUES);
	image_put(&image, image_of_cpu(0, IMAGE_RUNQUEUES), 0x1111, 8);
	image_put(&image, image_of_cpu(1, IMAGE_RUNQUEUES), 0x2222, 8);
	assert_true(space_read_cpus(&space, at, 2, sizeof(*values), (char *)values));
	assert_true(values[0] == 0x1111 && values[1] == 0x2222);
	/* One that was never there has no copy. */
	assert_false(space_read_cpus(&space, at, 3, sizeof(*values), (char *)values));
	assert_false(space_read_cpus(&space, at, VM_MAX_CPUS + 1, sizeof(*values), (char *)values));
}

static void members_that_are_unknown_are_zero(void **state)
{
	uint64_t value = 7;

	(void)state;
	open_space();
	image.layout.members[M_RQ_CLOCK] = 16;
	image.layout.bytes[M_RQ_CLOCK] = 2;
	image_put(&image, 0x5010, 0xaabbccdd, 4);
	assert_true(space_read_member(&space, IMAGE_DIRECT + 0x5000, M_RQ_CLOCK, &value));
	assert_true(value == 0xccdd);
	assert_false(space_read_member(&space, 0, M_RQ_CLOCK, &value));
	assert_true(value == 0);
	value = 7;
	assert_false(space_read_member(&space, IMAGE_DIRECT + 0x5000, M_RQ_RUNNABLE, &value));
	assert_true(value == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(a_kernel_at_its_place_is_found),
		TEST(a_kernel_that_was_moved_is_found),
		TEST(a_copy_of_the_banner_is_no_kernel),
		TEST(another_kernel_is_refused),
		TEST(pages_of_all_sizes_are_walked),
		TEST(five_levels_are_walked),
		TEST(addresses_of_the_kernel_have_all_upper_bits),
		TEST(a_small_kernel_has_four_levels),
		TEST(large_pages_exist_at_two_levels_only),
		TEST(the_next_page_is_found_across_gaps),
		TEST(memory_ends_with_its_last_extent),
		TEST(physical_addresses_have_a_length),
		TEST(copies_of_all_cpus_are_read_at_once),
		TEST(members_that_are_unknown_are_zero),
		TEST(reads_cross_pages_and_stop_where_none_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
