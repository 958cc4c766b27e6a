// SPDX-License-Identifier: GPL-2.0-only
/* Which guests hang. */
#include "unit.h"

#include "base/util.h"
#include "watch/parts.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, set_up)
		TEST(jiffies_that_stand_still_are_suspect),
		TEST(a_tick_begins_the_time_again),
		TEST(both_clocks_have_to_pass),
		TEST(a_kernel_that_boots_does_not_hang),
		TEST(busy_vcpus_without_interrupts_make_it_certain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
