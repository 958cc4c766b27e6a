// SPDX-License-Identifier: GPL-2.0-only
/* Lives of a guest: its place, its disk, its knobs, and its scheduler. */
#include "played_life.h"

static void a_disk_has_one_name(void **state)
{
	_free_ char *link = str_fmt("%s/dev/vda", root);
	char target[64] = {};

	(void)state;
	unit_write(root, "dev/nvme0n1", "");
	run_with("KTSTR_MODE=exec\n", "true");
	assert_int_equal(readlink(link, target, sizeof(target)), -1);
	run_with("KTSTR_MODE=exec\nKTSTR_DISK=1\n", "true");
	assert_true(readlink(link, target, sizeof(target) - 1) > 0);
	assert_string_equal(target, "/dev/nvme0n1");
	assert_int_equal(asked->slept_ns, 0);
}

static void a_disk_is_waited_for(void **state)
{
	(void)state;
	add_channel(&(struct channel_region){});
	run_with("KTSTR_MODE=exec\nKTSTR_DISK=1\n", "true");
	assert_int_equal(asked->slept_ns, 5 * NSEC_PER_SEC);
	expect_frame("LOGL:no disk appeared: neither /dev/vda nor /dev/nvme0n1\n");
}

#define SEEDED "KTSTR_MODE=exec\nKTSTR_SEED=5\n"

static void every_knob_has_its_limits(void **state)
{
	(void)state;
#if defined(__x86_64__)
	expect_fatal(SEEDED, "a slice of 500 us: Operation not permitted");
	expect_fatal(SEEDED "KTSTR_STRATEGY=walk\n", "a slice of 100 us: Operation not permitted");
	expect_fatal(SEEDED "KTSTR_SLICE_US=250\n", "a slice of 250 us: Operation not permitted");
	assert_int_equal(asked->chips, 3);
#endif
	expect_fatal(SEEDED "KTSTR_SLICE_US=x\n", "KTSTR_SLICE_US is not a number: x");
	expect_fatal(SEEDED "KTSTR_SLICE_US=0\nKTSTR_DELAYS=10001\n",
		     "10001 delays a second: Invalid argument");
	expect_fatal(SEEDED "KTSTR_SLICE_US=0\nKTSTR_WAKE_DELAYS_US=100001\n",
		     "wakeups that take up to 100001 us longer: Invalid argument");
	expect_fatal(SEEDED "KTSTR_SLICE_US=0\nKTSTR_STRATEGY=best\nKTSTR_DEPTH=3\n",
		     "strategy best of depth 3: Invalid argument");
}

static void a_seed_puts_the_run_off(void **state)
{
	uint64_t seed = 5;

	(void)state;
	add_channel(&(struct channel_region){});
	run_with(SEEDED "KTSTR_SLICE_US=0\n", "true");
	assert_int_equal(asked->slept_ns, seed_next(&seed) % 8000000);
	expect_frame("LOGL:the seed did not reach the random pool\n");
	expect_frame("EXIT:0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		HERE(a_disk_has_one_name),
		HERE(a_disk_is_waited_for),
		HERE(every_knob_has_its_limits),
		HERE(a_seed_puts_the_run_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
