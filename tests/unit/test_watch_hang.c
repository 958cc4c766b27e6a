// SPDX-License-Identifier: GPL-2.0-only
/* Which guests hang. */
#include "unit.h"

#include "base/util.h"
#include "watch/parts.h"
#include "watch_image.h"

#define LIMIT 1000

static struct hang h;

static int set_up(void **state)
{
	(void)state;
	h = (struct hang){};
	return 0;
}

/* One that ticks, at times that the limit is counted from. */
static void let_it_tick(void)
{
	assert_false(hang_suspect(&h, 7, 0, 0, LIMIT));
	assert_false(hang_suspect(&h, 8, 100, 100, LIMIT));
}

static void jiffies_that_stand_still_are_suspect(void **state)
{
	(void)state;
	let_it_tick();
	assert_false(hang_suspect(&h, 8, 99 + LIMIT, 99 + LIMIT, LIMIT));
	assert_true(hang_suspect(&h, 8, 100 + LIMIT, 100 + LIMIT, LIMIT));
	/* Who was looked at and does not hang has as long again. */
	assert_false(hang_suspect(&h, 8, 99 + 2 * LIMIT, 99 + 2 * LIMIT, LIMIT));
	assert_true(hang_suspect(&h, 8, 100 + 2 * LIMIT, 100 + 2 * LIMIT, LIMIT));
}

static void a_tick_begins_the_time_again(void **state)
{
	(void)state;
	let_it_tick();
	assert_false(hang_suspect(&h, 9, 5 * LIMIT, 5 * LIMIT, LIMIT));
	assert_false(hang_suspect(&h, 9, 6 * LIMIT - 1, 6 * LIMIT - 1, LIMIT));
	assert_true(hang_suspect(&h, 9, 6 * LIMIT, 6 * LIMIT, LIMIT));
}

/* A guest that idles or starves uses no CPU; many vCPUs use much of it in a short time. */
static void both_clocks_have_to_pass(void **state)
{
	(void)state;
	let_it_tick();
	assert_false(hang_suspect(&h, 8, 100 * LIMIT, 100, LIMIT));
	assert_false(hang_suspect(&h, 8, 100 + LIMIT - 1, 100 * LIMIT, LIMIT));
	assert_true(hang_suspect(&h, 8, 100 * LIMIT, 100 * LIMIT, LIMIT));
}

static void a_kernel_that_boots_does_not_hang(void **state)
{
	(void)state;
	assert_false(hang_suspect(&h, 0, 0, 0, LIMIT));
	assert_false(hang_suspect(&h, 0, 10 * LIMIT, 10 * LIMIT, LIMIT));
	assert_false(hang_suspect(&h, 0, 20 * LIMIT, 20 * LIMIT, LIMIT));
}

static bool is_certain(struct vcpu *all, size_t count)
{
	return hang_is_certain(&(struct vcpus){ .items = { all, count, count } });
}

static void busy_vcpus_without_interrupts_make_it_certain(void **state)
{
	struct vcpu stuck = { .registers[VCPU_RFL] = 0x46 },
		    busy = { .registers[VCPU_RFL] = 0x246 },
		    idle = { .is_halted = true, .registers[VCPU_RFL] = 0x246 };
	struct vcpu arm_stuck = { .is_arm64 = true, .registers[VCPU_PSTATE] = 0x600000c5 },
		    arm_busy = { .is_arm64 = true, .registers[VCPU_PSTATE] = 0x60000005 };

	(void)state;
	assert_true(is_certain((struct vcpu[]){ stuck, stuck }, 2));
	assert_true(is_certain((struct vcpu[]){ idle, stuck }, 2));
	assert_false(is_certain((struct vcpu[]){ stuck, busy }, 2));
	assert_false(is_certain((struct vcpu[]){ idle, idle }, 2));
	assert_false(is_certain(NULL, 0));
	assert_true(is_certain((struct vcpu[]){ arm_stuck }, 1));
	assert_false(is_certain((struct vcpu[]){ arm_stuck, arm_busy }, 2));
}

static void expect_described(struct vcpu *all, size_t count, const char *places)
{
	static const char begin[] =
		"the guest hangs: no CPU took a timer interrupt for 5 s, and those "
		"that are busy have interrupts disabled";
	const struct vcpus v = { .items = { all, count, count } };
	struct symbols symbols = {};
	_str_ struct str out = {};
	struct image image;
	struct space space;

	assert_int_equal(image_open(&image), 0);
	assert_int_equal(space_open(&space, &image.memory, &image.layout), 0);
	str_add(&symbols.text, "ffffffff81000100 T first\nffffffff81000200 T second\n"
			       "ffffffff81f00000 T _etext\n");
	hang_describe(&v, &symbols, &space, hang_limit_ns(VM_ACCEL_SIM), &out);
	assert_true(str_starts(str_get(&out), begin));
	assert_string_equal(str_get(&out) + strlen(begin), places);
	str_finish(&symbols.text);
	image_close(&image);
}

/* Where the busy ones stand, up to four of them; who sleeps or cannot be read is left out. */
static void the_places_of_a_hang_are_told(void **state)
{
	struct vcpu all[7];

	(void)state;
	for (unsigned int i = 0; i < 7; i++)
		all[i] = (struct vcpu){ .number = i,
					.frame_count = 1,
					.frames = { 0xffffffff81000100 + 0x100ULL * (i % 2) } };
	all[1].is_halted = true;
	all[2].frame_count = 0;
	expect_described(all, 0, "");
	expect_described(all, 3, ": cpu0 in first+0x0");
	expect_described(all, 5, ": cpu0 in first+0x0, cpu3 in second+0x0, cpu4 in first+0x0");
	expect_described(all, 6,
			 ": cpu0 in first+0x0, cpu3 in second+0x0, cpu4 in first+0x0, cpu5 in "
			 "second+0x0");
	expect_described(all, 7,
			 ": cpu0 in first+0x0, cpu3 in second+0x0, cpu4 in first+0x0, cpu5 in "
			 "second+0x0 and 1 more");
	/* Emulated processors are slower. */
	assert_int_equal(hang_limit_ns(VM_ACCEL_TCG), 20000000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, set_up)
		TEST(jiffies_that_stand_still_are_suspect),
		TEST(a_tick_begins_the_time_again),
		TEST(both_clocks_have_to_pass),
		TEST(a_kernel_that_boots_does_not_hang),
		TEST(the_places_of_a_hang_are_told),
		TEST(busy_vcpus_without_interrupts_make_it_certain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
