// SPDX-License-Identifier: GPL-2.0-only
/* Templates of guests that the test plays: built once, under a lock, and given up in words. */
#include "played_template.h"

/* ---- booting ---- */

static void a_template_is_booted_once(void **state)
{
	const struct vm_template_request r = plain();
	_str_ struct str words = {}, console = {};
	_free_ char *state_path = NULL;
	struct vm_template t;
	struct stat st;

	(void)state;
	assert_int_equal(vm_template_get(&r, &t), 0);
	assert_true(t.was_built && t.lock_fd >= 0 && !t.temporary);
	assert_int_equal(seen.boots, 1);
	assert_true(seen.has_initrd);
	assert_int_equal(seen.channel.ring_bytes, RING);
	assert_int_equal(seen.channel_bytes, CHANNEL);
	assert_null(seen.channel.input);
	assert_int_equal(seen.stops, 0);
	assert_int_equal(seen.finished, 1);
	assert_int_equal(seen.trims, 1);
	assert_int_equal(locks.exclusive_ns, 0);
	assert_int_equal(locks.shared_ns, 20 * NSEC_PER_SEC);
	expect_text(t.dir, "ram0", "booted");
	expect_text(t.dir, "state", "devices");
	assert_int_equal(vm_template_console(&t, &console), 0);
	assert_string_equal(str_get(&console), "Linux version 7.0\n");
	state_path = str_fmt("%s/state", t.dir);
	assert_int_equal(stat(state_path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	assert_false(vm_template_describe(t.dir, &words));
	assert_string_equal(str_get(&words), "7.0, 1n2l3c4t, tcg");
	vm_template_finish(&t);
	free(get_key(&r, false));
	assert_int_equal(seen.boots, 1);
	assert_int_equal(seen.trims, 1);
}

static void expect_json(const char *dir, const char *part)
{
	_free_ char *path = str_fmt("%s/" TEMPLATE_JSON, dir);
	_str_ struct str text = {};

	assert_int_equal(file_read(path, &text), 0);
	if (!strstr(str_get(&text), part))
		fail_msg("no %s in %s", part, str_get(&text));
}

static void its_description_tells_what_it_is_of(void **state)
{
	struct vm_template_request r = plain();
	_free_ char *dir = dir_of(&r);
	_str_ struct str words = {}, none = {};

	(void)state;
	expect_json(dir, "\"kernel\": \"7.0\"");
	expect_json(dir, "\"topology\": \"1n2l3c4t\"");
	expect_json(dir, "\"accel\": \"tcg\"");
	expect_json(dir, "\"memory_mib\": 64");
	expect_json(dir, "\"built_at\": \"20");
	expect_json(dir, "format 1\\nqemu QEMU 10\\nkernel ");
	expect_json(dir, "\\ninitramfs base\\n");
	unit_write(dir, TEMPLATE_JSON, "{\"identity\": \"x\", \"files\": []}\n");
	assert_false(vm_template_describe(dir, &words));
	assert_string_equal(str_get(&words), "a guest of another version of ktstr");
	assert_false(vm_template_describe(root, &none));
	assert_string_equal(str_get(&none), "not complete");
}

static void a_key_is_of_all_that_makes_the_guest(void **state)
{
	const struct vm_template_request r = plain();
	_free_ char *first = get_key(&r, true), *again = get_key(&r, false);
	struct vm_template_request other = r;

	(void)state;
	assert_string_equal(first, again);
	qemu.version_text = "QEMU 11";
	build_it(&r);
	base.key = "other";
	build_it(&r);
	other.channel_bytes *= 2;
	build_it(&other);
	spec.memory_mib = 128;
	build_it(&r);
	spec.is_verbose = true;
	guest.console = "";
	build_it(&r);
	unit_write(root, "7.0/vmlinux", "another kernel");
	build_it(&r);
	spec.kernel = "/nonexistent";
	assert_int_equal(vm_template_get(&r, &(struct vm_template){}), -ENOENT);
}

static void a_verbose_guest_has_a_template_of_its_own(void **state)
{
	const struct vm_template_request r = plain();
	_free_ char *quiet = dir_of(&r), *verbose = NULL;

	(void)state;
	spec.is_verbose = true;
	verbose = dir_of(&r);
	expect_json(verbose, "console kept\\n");
	assert_string_not_equal(quiet, verbose);
}

/* KVM's guests, and those of other machines, do not stop themselves. */
static void who_does_not_stop_itself_is_stopped(void **state)
{
	const struct vm_template_request r = plain();

	(void)state;
	guest.end = VM_RUNNING;
	spec.accel = VM_ACCEL_KVM;
	build_it(&r);
	assert_int_equal(seen.stops, 1);
	assert_int_equal(seen.polls, 2);
	spec.accel = VM_ACCEL_TCG;
	spec.arch = VM_ARCH_AARCH64;
	build_it(&r);
	assert_int_equal(seen.stops, 2);
	spec.memory_mib++;
	guest.stop_rc = -EIO;
	assert_int_equal(vm_template_get(&r, &(struct vm_template){}), -EIO);
	assert_int_equal(seen.stops, 3);
	/* Nobody is stopped who has ended, or is not ready. */
	guest.is_late = true;
	guest.end = VM_ENDED;
	spec.arch = VM_ARCH_X86_64;
	spec.accel = VM_ACCEL_KVM;
	assert_int_equal(vm_template_get(&r, &(struct vm_template){}), -EIO);
	assert_int_equal(seen.stops, 3);
	guest.is_late = false;
	guest.control = "words\n";
	guest.end = VM_ENDED;
	assert_int_equal(vm_template_get(&r, &(struct vm_template){}), -EIO);
	assert_int_equal(seen.stops, 3);
}

static void a_boot_that_goes_wrong_is_told_in_its_words(void **state)
{
	const struct vm_template_request r = plain();

	(void)state;
	guest.end = VM_ENDED;
	guest.control = "a\n" GUEST_LINE_PANIC "no memory\r\nb\n";
	expect_failure(&r, -EIO, "the guest gave up before it was ready: no memory");
	guest.control = "a\n";
	guest.console = "x\nKernel panic - not syncing: no init\r\n rest\n";
	expect_failure(&r, -EIO, "the guest kernel panicked before it was ready: no init");
	guest.console = "first\nlast words\n\n";
	guest.reason = "guest-reset";
	expect_failure(&r, -EIO,
		       "the guest ended before it was ready: it was reset, by a triple fault or a "
		       "reboot; its last line: last words");
	guest.console = "only";
	guest.reason = NULL;
	expect_failure(
		&r, -EIO,
		"the guest ended before it was ready: QEMU does not tell why; its last line: "
		"only");
	guest.console = "";
	expect_failure(
		&r, -EIO,
		"the guest ended before it was ready: QEMU does not tell why; its last line: "
		"(none; --dmesg makes its kernel talk)");
	/* A panic stops the machine, too. */
	guest.end = VM_PAUSED;
	guest.console = "x\nKernel panic - not syncing: no init";
	expect_failure(&r, -EIO, "the guest kernel panicked before it was ready: no init");
	guest.end = VM_ENDED;
	guest.control = GUEST_LINE_READY "\n";
	guest.console = "z";
	expect_failure(
		&r, -EIO,
		"the guest ended before it was ready: QEMU does not tell why; its last line: z");
	assert_int_equal(seen.saves, 0);
	assert_int_equal(seen.finished, seen.boots);
}

static void a_qemu_that_fails_is_told(void **state)
{
	const struct vm_template_request r = plain();

	(void)state;
	guest.start_rc = -ENOEXEC;
	expect_failure(&r, -ENOEXEC, "it does not start");
	guest.start_rc = 0;
	guest.end = VM_QEMU_DIED;
	expect_failure(&r, -EIO, "QEMU died");
	guest.end = VM_PAUSED;
	guest.save_rc = -EPIPE;
	expect_failure(&r, -EIO, "QEMU died");
	assert_int_equal(seen.died, 2);
	guest.save_rc = -ENOSPC;
	expect_failure(&r, -ENOSPC, NULL);
	guest.poll_rc = -EBADF;
	expect_failure(&r, -EBADF, NULL);
	guest.poll_rc = 0;
	guest.interrupt_rc = -EINTR;
	expect_failure(&r, -EINTR, NULL);
	assert_int_equal(seen.polls, 1);
}

/* What the host kept from it is given to it, and no more. */
static void a_boot_has_a_limit(void **state)
{
	struct vm_template_request r = plain();

	(void)state;
	guest.look_ns = 10 * NSEC_PER_SEC;
	r.boot_limit_ns = 20 * NSEC_PER_SEC;
	build_it(&r);
	spec.memory_mib++;
	r.boot_limit_ns--;
	assert_int_equal(vm_template_get(&r, &(struct vm_template){}), -ETIMEDOUT);
	assert_string_equal(err_text(-ETIMEDOUT), "the guest did not get ready within 19 s");
	guest.starved_ns = 1;
	build_it(&r);
}

static void the_processor_is_a_part_of_the_key_under_kvm(void **state)
{
	const struct vm_template_request r = plain();
	_str_ struct str processor = {}, text = {};
	_free_ char *dir = NULL, *path = NULL;

	(void)state;
	vm_host_cpu_identity(&roots_live, &processor);
	if (!strchr(str_get(&processor), '\n'))
		skip();
	*strchr(processor.s, '\n') = '\0';
	spec.accel = VM_ACCEL_KVM;
	dir = dir_of(&r);
	expect_json(dir, processor.s);
	spec.accel = VM_ACCEL_TCG;
	free(dir);
	dir = dir_of(&r);
	path = str_fmt("%s/" TEMPLATE_JSON, dir);
	assert_int_equal(file_read(path, &text), 0);
	assert_null(strstr(str_get(&text), processor.s));
}

/* Files have the number 0 in a program that was started without stdin. */
static void it_works_without_stdin(void **state)
{
	const struct vm_template_request r = plain();
	int real = dup(STDIN_FILENO);
	struct vm_template t;

	(void)state;
	for (zero = ZERO_INITRD; zero <= ZERO_SHARED; zero++) {
		spec.memory_mib++;
		assert_int_equal(vm_template_get(&r, &t), 0);
		assert_true(t.was_built);
		assert_true(t.lock_fd >= 0);
		assert_int_equal(vm_template_discard(&t), 0);
		assert_int_equal(access(t.dir, F_OK), -1);
		vm_template_finish(&t);
	}
	assert_int_equal(seen.boots, 3);
	dup2(real, STDIN_FILENO);
	close(real);
}

/* ---- going on with a scheduler ---- */

static void a_scheduler_is_loaded_into_a_copy(void **state)
{
	const struct vm_template_request parent = plain(), r = loaded(&parent);
	_free_ char *booted = dir_of(&parent), *channel = NULL, *temp = NULL, *first = NULL;
	_str_ struct str words = {};
	struct vm_template t;
	struct stat st;

	(void)state;
	assert_int_equal(vm_template_get(&r, &t), 0);
	assert_true(t.was_built);
	assert_int_equal(seen.boots, 1);
	assert_int_equal(seen.continued, 1);
	assert_string_equal(seen.template_dir, booted);
	temp = str_fmt("%s.tmp-build", t.dir);
	assert_string_equal(seen.ram_dir, temp);
	assert_int_equal(seen.channel.ring_bytes, RING);
	assert_int_equal(seen.channel_bytes, CHANNEL);
	assert_int_equal(seen.channel.input_len, 5);
	/* Its memory is there already. */
	expect_text(t.dir, "ram0", "memory");
	channel = str_fmt("%s/ktstr-channel", t.dir);
	assert_int_equal(stat(channel, &st), 0);
	assert_int_equal(st.st_size, CHANNEL);
	assert_true(vm_template_describe(t.dir, &words));
	assert_string_equal(str_get(&words), "7.0, 1n2l3c4t, tcg, with scx_test");
	expect_json(t.dir, "\"scheduler\": \"scx_test\"");
	expect_json(t.dir, "format 1\\ntemplate ");
	first = strdup(t.key);
	vm_template_finish(&t);
	/* Other files are another template. */
	str_add(&input, " more");
	assert_int_equal(vm_template_get(&r, &t), 0);
	assert_true(t.was_built);
	assert_string_not_equal(t.key, first);
	vm_template_finish(&t);
}

static void one_that_cannot_be_gone_on_from_is_booted_again(void **state)
{
	const struct vm_template_request parent = plain(), r = loaded(&parent);

	(void)state;
	build_it(&parent);
	guest.second_start_rc = -EIO;
	guest.failures = 1;
	build_it(&r);
	assert_int_equal(seen.boots, 2);
	assert_int_equal(seen.continued, 2);
	/* Twice is enough. */
	str_add(&input, "x");
	guest.failures = 0;
	assert_int_equal(vm_template_get(&r, &(struct vm_template){}), -EIO);
	assert_int_equal(seen.boots, 3);
	assert_int_equal(seen.continued, 4);
}

static void one_that_was_just_booted_is_not_at_fault(void **state)
{
	const struct vm_template_request parent = plain(), r = loaded(&parent);

	(void)state;
	guest.second_start_rc = -EIO;
	assert_int_equal(vm_template_get(&r, &(struct vm_template){}), -EIO);
	assert_int_equal(seen.boots, 1);
	assert_int_equal(seen.continued, 1);
	/* Nor is one of a run that was interrupted. */
	guest.second_start_rc = -EINTR;
	assert_int_equal(vm_template_get(&r, &(struct vm_template){}), -EINTR);
	assert_int_equal(seen.boots, 1);
	assert_int_equal(seen.continued, 2);
	guest.start_rc = -ENOEXEC;
	spec.memory_mib++;
	assert_int_equal(vm_template_get(&r, &(struct vm_template){}), -ENOEXEC);
	assert_int_equal(seen.boots, 2);
	assert_int_equal(seen.continued, 2);
}

/* Who may only read the cache loads a scheduler for itself. */
static void without_the_right_to_write_it_is_loaded_apart(void **state)
{
	static const int refusals[] = { EACCES, EPERM, EROFS };
	const struct vm_template_request parent = plain(), r = loaded(&parent);
	struct vm_template t;

	(void)state;
	build_it(&parent);
	for (size_t i = 0; i < 3; i++) {
		_free_ char *place = NULL;

		locks.exclusive_rc = -refusals[i];
		assert_int_equal(vm_template_get(&r, &t), 0);
		assert_true(t.was_built && t.lock_fd == -1);
		assert_non_null(t.temporary);
		place = str_fmt("%s/ktstr-template-", root);
		assert_int_equal(strncmp(t.temporary, place, strlen(place)), 0);
		assert_int_equal(strncmp(t.dir, t.temporary, strlen(t.temporary)), 0);
		expect_text(t.dir, "ram0", "memory");
		free(place);
		place = strdup(t.temporary);
		vm_template_finish(&t);
		assert_int_equal(access(place, F_OK), -1);
	}
	assert_int_equal(seen.trims, 1);
	locks.exclusive_rc = -ENOSPC;
	assert_int_equal(vm_template_get(&r, &t), -ENOSPC);
	locks.exclusive_rc = -EACCES;
	spec.memory_mib++;
	assert_int_equal(vm_template_get(&parent, &t), -EACCES);
	setenv("TMPDIR", "/nonexistent", 1);
	spec.memory_mib--;
	assert_int_equal(vm_template_get(&r, &t), -ENOENT);
	assert_null(t.temporary);
}

/* ---- locks ---- */

static void who_builds_the_same_is_waited_for(void **state)
{
	const struct vm_template_request r = plain();

	(void)state;
	locks.refusals = 26;
	build_it(&r);
	assert_int_equal(seen.sleeps, 26);
	/* After five seconds, once. */
	assert_int_equal(seen.notes, 0);
	spec.memory_mib++;
	locks.refusals = 40;
	build_it(&r);
	assert_int_equal(seen.notes, 1);
	assert_int_equal(seen.boots, 2);
}

static void what_somebody_else_built_is_used(void **state)
{
	const struct vm_template_request r = plain();
	_free_ char *dir = dir_of(&r), *away = str_fmt("%s/away", root);

	(void)state;
	assert_int_equal(rename(dir, away), 0);
	locks.come = dir;
	locks.from = away;
	locks.refusals = 1000;
	free(get_key(&r, false));
	assert_int_equal(seen.boots, 1);
	assert_int_equal(seen.sleeps, 3);
}

static void a_wait_for_a_template_ends(void **state)
{
	const struct vm_template_request r = plain();

	(void)state;
	locks.refusals = 100000;
	expect_failure(&r, -EWOULDBLOCK, "it is held");
	/* Half an hour, in steps of a fifth of a second, looked at before each. */
	assert_int_equal(seen.sleeps, 1800 * 5 + 2);
	seen.sleeps = 0;
	locks.sleep_rc = -EINTR;
	expect_failure(&r, -EINTR, "interrupted while waiting for a template");
	assert_int_equal(seen.sleeps, 1);
	assert_int_equal(seen.boots, 0);
}

/* Who can open the lock file can hold it for ever. */
static void a_lock_that_is_held_does_not_keep_a_whole_one_back(void **state)
{
	const struct vm_template_request r = plain();
	struct vm_template t;

	(void)state;
	build_it(&r);
	locks.shared_rc = -EWOULDBLOCK;
	assert_int_equal(vm_template_get(&r, &t), 0);
	assert_false(t.was_built);
	assert_true(t.lock_fd < 0);
	vm_template_finish(&t);
	assert_int_equal(seen.boots, 1);
	locks.shared_rc = -EACCES;
	assert_int_equal(vm_template_get(&r, &t), -EACCES);
}

static void one_that_is_damaged_is_built_again(void **state)
{
	const struct vm_template_request r = plain();
	_free_ char *dir = dir_of(&r);

	(void)state;
	unit_write(dir, "ram0", "other memory");
	free(get_key(&r, true));
	assert_int_equal(seen.boots, 2);
	expect_text(dir, "ram0", "booted");
	/* What a killed builder left is no harm. */
	assert_int_equal(tree_remove(dir), 0);
	{
		_free_ char *temp = str_fmt("%s.tmp-build", dir);

		unit_write(temp, "ram7", "left");
		free(get_key(&r, true));
		assert_int_equal(access(temp, F_OK), -1);
	}
	{
		_free_ char *left = str_fmt("%s/ram7", dir);

		assert_int_equal(access(left, F_OK), -1);
	}
}

static void one_that_does_not_stay_is_given_up(void **state)
{
	const struct vm_template_request r = plain();
	_free_ char *dir = dir_of(&r);

	(void)state;
	seen.boots = 0;
	locks.remove = dir;
	assert_int_equal(vm_template_get(&r, &(struct vm_template){}), -EIO);
	assert_non_null(strstr(err_text(-EIO), "does not stay as it was built"));
	assert_int_equal(seen.boots, 3);
}

static void without_a_cache_there_is_none(void **state)
{
	_free_ char *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
	const struct vm_template_request r = plain();
	struct vm_template t;

	(void)state;
	unsetenv("KTSTR_CACHE_DIR");
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	assert_int_equal(vm_template_get(&r, &t), -EINVAL);
	assert_int_equal(t.lock_fd, -1);
	if (home)
		setenv("HOME", home, 1);
}

/* ---- removing ---- */

static void one_that_failed_is_removed(void **state)
{
	const struct vm_template_request r = plain();
	struct vm_template t;

	(void)state;
	assert_int_equal(vm_template_get(&r, &t), 0);
	assert_int_equal(vm_template_discard(&t), 0);
	assert_int_equal(t.lock_fd, -1);
	assert_int_equal(locks.exclusive_ns, 60 * NSEC_PER_SEC);
	assert_int_equal(access(t.dir, F_OK), -1);
	/* Somebody else was faster. */
	assert_int_equal(vm_template_discard(&t), 0);
	vm_template_finish(&t);
}

static void one_that_is_used_or_new_stays(void **state)
{
	const struct vm_template_request r = plain();
	struct vm_template t;

	(void)state;
	assert_int_equal(vm_template_get(&r, &t), 0);
	locks.exclusive_rc = -EWOULDBLOCK;
	assert_int_equal(vm_template_discard(&t), -EWOULDBLOCK);
	assert_int_equal(access(t.dir, F_OK), 0);
	locks.exclusive_rc = 0;
	locks.vanish = t.dir;
	assert_int_equal(vm_template_discard(&t), 0);
	locks.vanish = NULL;
	vm_template_finish(&t);
	assert_int_equal(vm_template_get(&r, &t), 0);
	locks.replace = t.dir;
	assert_int_equal(vm_template_discard(&t), 0);
	assert_int_equal(access(t.dir, F_OK), 0);
	vm_template_finish(&t);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_template_is_booted_once),
		TEST(its_description_tells_what_it_is_of),
		TEST(a_key_is_of_all_that_makes_the_guest),
		TEST(a_verbose_guest_has_a_template_of_its_own),
		TEST(who_does_not_stop_itself_is_stopped),
		TEST(a_boot_that_goes_wrong_is_told_in_its_words),
		TEST(a_qemu_that_fails_is_told),
		TEST(a_boot_has_a_limit),
		TEST(the_processor_is_a_part_of_the_key_under_kvm),
		TEST(it_works_without_stdin),
		TEST(a_scheduler_is_loaded_into_a_copy),
		TEST(one_that_cannot_be_gone_on_from_is_booted_again),
		TEST(one_that_was_just_booted_is_not_at_fault),
		TEST(without_the_right_to_write_it_is_loaded_apart),
		TEST(who_builds_the_same_is_waited_for),
		TEST(what_somebody_else_built_is_used),
		TEST(a_wait_for_a_template_ends),
		TEST(a_lock_that_is_held_does_not_keep_a_whole_one_back),
		TEST(one_that_is_damaged_is_built_again),
		TEST(one_that_does_not_stay_is_given_up),
		TEST(without_a_cache_there_is_none),
		TEST(one_that_failed_is_removed),
		TEST(one_that_is_used_or_new_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
