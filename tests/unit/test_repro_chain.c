// SPDX-License-Identifier: GPL-2.0-only
/* Functions out of stacks and lists. */
#include "unit.h"

#include "repro/parts.h"

static void expect(const struct repro_chain *c, const char *const *names, size_t count)
{
	assert_int_equal(c->functions.count, count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(c->functions.items[i], names[i]);
}

static void a_stack_is_read_as_the_kernel_prints_it(void **state)
{
	static const char *const names[] = { "do_enqueue_task", "finish_task_switch.isra.0",
					     "kthread" };
	struct repro_chain c = {};

	(void)state;
	assert_int_equal(repro_chain_add_stack(
				 &c, "EXIT: error (a + b)\n"
				     "  12.3 ktstr[1] sched_ext_dump:   do_enqueue_task+0x1b/0x40\n"
				     "    finish_task_switch.isra.0+0x9c/0x2c0\n"
				     "\tdo_enqueue_task+0x1b/0x40\n"
				     "    schedule+0x1/0x2\n    _raw_spin_lock+0x1/0x2\n"
				     "    bpf_prog_0123456789abcdef_ktstr_enqueue+0x12/0x34\n"
				     "    bpf__sched_ext_ops_tick+0x4b/0xa0\n"
				     "  R worker[12] +3ms\n+0x1/0x2\n    kthread+0xe3/0x120"),
			 0);
	expect(&c, names, ARRAY_SIZE(names));
	assert_int_equal(c.program_count, 1);
	repro_chain_finish(&c);
}

static void of_a_dump_the_way_to_the_end_counts(void **state)
{
	static const char *const names[] = { "scx_watchdog_workfn", "kthread" };
	struct repro_chain c = {};

	(void)state;
	assert_int_equal(repro_chain_add_dump(&c, "no_dump+0x1/0x2\n"), 0);
	expect(&c, names, 0);
	assert_int_equal(repro_chain_add_dump(&c, "a[1] triggered exit kind 1026:\n  a+b\n\n"
						  "Backtrace:\n  scx_exit+0x50/0x70\n"
						  "  scx_watchdog_workfn+0x189/0x210\n"
						  "  kthread+0xe3/0x120\n\nCPU states\n"
						  "    do_sys_poll+0x413/0x500\n"),
			 0);
	expect(&c, names, ARRAY_SIZE(names));
	repro_chain_finish(&c);
}

static void a_list_is_names_and_nothing_else(void **state)
{
	static const char *const names[] = { "one", "two_2", "three.part.0" };
	struct repro_chain c = {};

	(void)state;
	assert_int_equal(repro_chain_add_words(&c, "schedule,bpf_prog_1_x"), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), "functions that every task passes through"));
	err_clear();
	assert_int_equal(repro_chain_add_words(&c, "one,two_2, three.part.0,one,"), 0);
	expect(&c, names, ARRAY_SIZE(names));
	assert_int_equal(repro_chain_add_words(&c, "no-name"), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), "'no-name' is not a function name"));
	repro_chain_finish(&c);
}

static void a_file_or_a_text_is_a_stack(void **state)
{
	static const char *const names[] = { "inside", "text" };
	char path[] = "/tmp/ktstr-chain-XXXXXX";
	struct repro_chain c = {};
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0 && write(fd, "inside+0x1/0x2\nplain\n", 21) == 21);
	close(fd);
	assert_int_equal(repro_chain_add_words(&c, path), 0);
	assert_int_equal(repro_chain_add_words(&c, " text+0x1/0x2"), 0);
	unlink(path);
	expect(&c, names, ARRAY_SIZE(names));
	repro_chain_finish(&c);
}

/* Timestamps, marks of doubt, registers. */
static void a_log_of_the_kernel_has_stacks(void **state)
{
	static const char *const names[] = { "do_enqueue_task", "enqueue_task", "sched_tick",
					     "end" };
	struct repro_chain c = {};

	(void)state;
	assert_int_equal(repro_chain_add_stack(&c,
					       "[   12.345678] Call Trace:\n"
					       "[   12.345679]  <TASK>\n"
					       "[   12.3]  ? do_enqueue_task+0x1b/0x40\n"
					       "[   12.4][  T12]  enqueue_task+0x9c/0x2c0 [m]\n"
					       "[   12.5] RIP: 0010:sched_tick+0x10/0x20\n"
					       "[   12.6] 3 tasks + more, waited +5ms\n"
					       "[   12.7] no offset+0\n[   12.8] no offset+5x1\n"
					       "[   12.9] no offset+01\n[   12.9] no end+0x"),
			 0);
	expect(&c, names, ARRAY_SIZE(names));
	repro_chain_finish(&c);
}

static void expect_refused(const char *words, const char *reason)
{
	struct repro_chain c = {};

	assert_true(repro_chain_add_words(&c, words) < 0);
	if (!strstr(err_text(-EINVAL), reason))
		fail_msg("'%s' is not in '%s'", reason, err_text(-EINVAL));
	err_clear();
	repro_chain_finish(&c);
}

static void a_file_is_stacks_or_a_list_and_nothing_else(void **state)
{
	static const char *const names[] = { "one", "two", "three" };
	static const char junk[] = "k+\0\xff\x01+0x1";
	char path[] = "/tmp/ktstr-chain-XXXXXX";
	struct repro_chain c = {};
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0 && write(fd, "one, two \r\nthree\n", 17) == 17);
	assert_int_equal(repro_chain_add_words(&c, path), 0);
	expect(&c, names, ARRAY_SIZE(names));
	repro_chain_finish(&c);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, "nothing of it\n", 14, 0), 14);
	expect_refused(path, "has neither stacks nor names");
	assert_int_equal(pwrite(fd, junk, sizeof(junk), 0), sizeof(junk));
	expect_refused(path, "is not a text");
	assert_int_equal(ftruncate(fd, 0), 0);
	expect_refused(path, "there is no function of the kernel in it");
	close(fd);
	unlink(path);
	expect_refused("/tmp", "/tmp cannot be read: it is not a regular file");
	expect_refused("/dev/zero", "it is not a regular file");
	expect_refused("missing.txt", "'missing.txt' is not a function name, and there is no");
	expect_refused("no/such", "'no/such' is not a function name");
	expect_refused("1st", "'1st' is not a function name");
}

/* A program is found in a stack as well as a function, and there may be some already. */
static void a_file_with_programs_is_a_stack(void **state)
{
	static const char *const names[] = { "first", "one", "two" };
	char path[] = "/tmp/ktstr-chain-XXXXXX";
	struct repro_chain c = {};
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0 && write(fd, "first+0x1/0x2\nbpf_prog_1_x+0x1/0x2\n", 35) == 35);
	assert_int_equal(repro_chain_add_words(&c, path), 0);
	expect(&c, names, 1);
	assert_int_equal(c.program_count, 1);
	assert_false(c.has_skipped);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, "one\n\n\ttwo\n", 10, 0), 10);
	assert_int_equal(repro_chain_add_words(&c, path), 0);
	expect(&c, names, 3);
	repro_chain_finish(&c);
	/* Programs alone are nothing to look at besides. */
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, "bpf_prog_1_x+0x1/0x2\n", 21, 0), 21);
	expect_refused(path, "there is no function of the kernel in it");
	close(fd);
	unlink(path);
}

static void endings_of_compilers_belong_to_a_name(void **state)
{
	static const char *const good[] = { "f.isra.0", "f.part.1", "f.constprop.2", "f.cold",
					    "f.llvm.9", "f.lto_x",  "f.__uniq.3",    "a0" };
	static const char *const bad[] = { "f.c", "f.o.cold", "0a", "f.", "a-b", "9" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct repro_chain c = {};

		assert_int_equal(repro_chain_add_words(&c, good[i]), 0);
		expect(&c, &good[i], 1);
		repro_chain_finish(&c);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		expect_refused(bad[i], "is not a function name");
}

static void there_is_an_end_to_it(void **state)
{
	struct repro_chain c = {};
	_str_ struct str text = {};

	(void)state;
	for (int i = 0; i < CHAIN_MAX; i++)
		str_addf(&text, "f%d+0x0/0x1\n", i);
	assert_int_equal(repro_chain_add_stack(&c, str_get(&text)), 0);
	assert_int_equal(c.functions.count, CHAIN_MAX);
	assert_false(c.is_cut);
	/* What is there already, and programs, are no more of them. */
	str_add(&text, "f0+0x0/0x1\nbpf_prog_1_x+0x0/0x1\nschedule+0x0/0x1\n");
	assert_int_equal(repro_chain_add_stack(&c, str_get(&text)), 0);
	assert_false(c.is_cut);
	assert_true(c.has_skipped);
	assert_int_equal(c.program_count, 1);
	assert_int_equal(repro_chain_add_stack(&c, "more+0x0/0x1\n"), 0);
	assert_int_equal(c.functions.count, CHAIN_MAX);
	assert_true(c.is_cut);
	repro_chain_finish(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_is_read_as_the_kernel_prints_it),
		cmocka_unit_test(of_a_dump_the_way_to_the_end_counts),
		cmocka_unit_test(a_list_is_names_and_nothing_else),
		cmocka_unit_test(a_file_or_a_text_is_a_stack),
		cmocka_unit_test(a_log_of_the_kernel_has_stacks),
		cmocka_unit_test(a_file_is_stacks_or_a_list_and_nothing_else),
		cmocka_unit_test(a_file_with_programs_is_a_stack),
		cmocka_unit_test(endings_of_compilers_belong_to_a_name),
		cmocka_unit_test(there_is_an_end_to_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
