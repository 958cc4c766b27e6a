// SPDX-License-Identifier: GPL-2.0-only
/* A QEMU that the test plays: how it is started, listened to, and ended. */
#include "played_qemu.h"

/* ---- starting ---- */

static void a_guest_is_held_until_all_is_ready(void **state)
{
	int extra[] = { STDIN_FILENO, STDOUT_FILENO };
	const struct vm_spec spec = spec_of(VM_ACCEL_TCG);
	size_t before = count_open_files();
	struct stat st;

	(void)state;
	assert_int_equal(vm_start(&vm, &spec, STDERR_FILENO,
				  &(struct vm_start){ .channel.ring_bytes = RING,
						      .inherit = extra,
						      .inherit_count = 2 }),
			 0);
	assert_string_equal(seen->commands, "qmp_capabilities cont ");
	assert_int_equal(asked_ns, START_LIMIT_NS);
	assert_true(vm.spec.is_held && !vm.spec.is_restored && !vm.spec.ram_is_private);
	assert_int_equal(vm.end, VM_RUNNING);
	/* Memory, channel, both consoles, QMP, the initramfs, and what was asked for. */
	assert_int_equal(inherited_count, 8);
	assert_true(is_inherited(vm.storage.ram_fds[0]) && is_inherited(vm.storage.channel_fd));
	assert_true(is_inherited(vm.console_file) && is_inherited(vm.control_file));
	assert_true(is_inherited(vm.spec.qmp_fd));
	assert_true(is_inherited(0) && is_inherited(1) && is_inherited(2));
	assert_true(is_own_environment);
	assert_int_equal(their_output, their_errors);
	/* QEMU's ends are QEMU's alone: its death closes them. */
	assert_false(is_open(vm.spec.qmp_fd));
	assert_false(is_open(their_errors));
	assert_int_equal(vm.control_fd, -1);
	assert_int_equal(vm.channel.region_size, RING);
	assert_int_equal(fstat(vm.storage.channel_fd, &st), 0);
	assert_int_equal(st.st_size, RING);
	assert_int_equal(fcntl(vm.errors_fd, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
	vm_finish(&vm);
	assert_string_equal(seen->commands, "qmp_capabilities cont quit ");
	assert_int_equal(waited_ns, QUIT_LIMIT_NS);
	assert_int_equal(count_open_files(), before);
	assert_int_equal(vm.child.pid, 0);
	assert_true(vm.qmp.fd == -1 && vm.control_fd == -1 && vm.console_file == -1 &&
		    vm.control_file == -1 && vm.errors_fd == -1 && vm.storage.channel_fd == -1);
	/* Nothing is there any more, and it may be said twice. */
	vm_finish(&vm);
}

static void a_terminal_is_a_socket(void **state)
{
	char text[16] = {};

	(void)state;
	assert_int_equal(boot(VM_ACCEL_TCG, &(struct vm_start){ .has_control_socket = true }), 0);
	assert_int_equal(vm.control_file, -1);
	assert_true(vm.control_fd >= 0);
	assert_true(is_inherited(vm.spec.control_fd));
	assert_int_equal(inherited_count, 5);
	assert_false(is_open(vm.spec.control_fd));
	assert_int_equal(read(vm.control_fd, text, sizeof(text) - 1), 8);
	assert_string_equal(text, "control\n");
	vm_finish(&vm);
}

static void threads_take_turns_in_sim_alone(void **state)
{
	(void)state;
	assert_int_equal(boot(VM_ACCEL_SIM, &(struct vm_start){}), 0);
	assert_true(has_turns);
	assert_false(is_own_environment);
	assert_int_equal(inherited_count, 6);
	assert_null(vm.channel.io.write);
	vm_finish(&vm);
	assert_int_equal(boot(VM_ACCEL_TCG, &(struct vm_start){}), 0);
	assert_false(has_turns);
	assert_non_null(vm.channel.io.write);
	vm_finish(&vm);
}

static void it_works_without_stdin(void **state)
{
	size_t before = count_open_files();
	int real = dup(STDIN_FILENO);

	(void)state;
	qemu.console = "words\n";
	qemu.after = "{\"event\":\"GUEST_PANICKED\"}\n";
	qemu.errors = "errors\n";
	for (zero_at = 1; zero_at <= 7; zero_at++) {
		_str_ struct str text = {}, control = {};

		made = 0;
		memset(seen, 0, sizeof(*seen));
		assert_int_equal(boot(VM_ACCEL_SIM, &(struct vm_start){}), 0);
		assert_true(made == 7 && has_turns);
		assert_int_equal(inherited_count, 6);
		assert_true(is_inherited(vm.console_file) && is_inherited(vm.control_file));
		while (vm.end == VM_RUNNING)
			assert_int_equal(vm_poll(&vm, NSEC_PER_MSEC), 0);
		assert_int_equal(vm_read_console(&vm, &text), 0);
		assert_string_equal(str_get(&text), "words\n");
		assert_int_equal(vm_read_control(&vm, &control), 0);
		assert_string_equal(str_get(&control), "control\n");
		vm_finish(&vm);
		assert_string_equal(seen->commands, "qmp_capabilities cont quit ");
		dup2(real, STDIN_FILENO);
	}
	close(real);
	assert_int_equal(count_open_files(), before);
}

static void no_more_files_than_there_is_room_for(void **state)
{
	int many[MAX_FDS] = {};

	(void)state;
	assert_int_equal(boot(VM_ACCEL_TCG,
			      &(struct vm_start){ .inherit = many, .inherit_count = MAX_FDS }),
			 0);
	assert_int_equal(inherited_count, VM_MAX_NODES + 9);
	vm_finish(&vm);
}

static void vcpus_of_kvm_are_placed(void **state)
{
	struct plan plan = {};

	(void)state;
	assert_int_equal(boot(VM_ACCEL_TCG, &(struct vm_start){ .plan = &plan }), 0);
	vm_finish(&vm);
	assert_int_equal(boot(VM_ACCEL_KVM, &(struct vm_start){}), 0);
	vm_finish(&vm);
	assert_int_equal(placements, 0);
	assert_int_equal(boot(VM_ACCEL_KVM, &(struct vm_start){ .plan = &plan }), 0);
	assert_int_equal(placements, 1);
	vm_finish(&vm);
	placement_rc = -EPERM;
	assert_int_equal(boot(VM_ACCEL_KVM, &(struct vm_start){ .plan = &plan }), -EPERM);
	assert_int_equal(vm.child.pid, 0);
}

static void begin(void *ctx, struct vm *v)
{
	assert_ptr_equal(ctx, root);
	assert_ptr_equal(v, &vm);
	assert_string_equal(seen->commands, "qmp_capabilities ");
	assert_int_equal(vm.channel.region_size, RING);
	begun++;
}

static void a_watcher_begins_before_the_guest(void **state)
{
	const struct vm_watcher watcher = { .fd = -1, .begin = begin, .ctx = root };

	(void)state;
	assert_int_equal(boot(VM_ACCEL_TCG, &(struct vm_start){ .watcher = &watcher }), 0);
	assert_int_equal(begun, 1);
	vm_finish(&vm);
}

/* ---- restoring ---- */

static char *make_template(void)
{
	char *dir = str_fmt("%s/template", root);

	unit_write(dir, "ram0", "memory");
	return dir;
}

static const char restored[] = "qmp_capabilities migrate-set-capabilities migrate-set-parameters "
			       "migrate-incoming cont ";

static void a_template_is_restored_and_read_in_qemus_memory(void **state)
{
	_free_ char *dir = make_template();
	int rc;

	(void)state;
	qemu.maps_channel = true;
	rc = boot(VM_ACCEL_TCG, &(struct vm_start){ .template_dir = dir });
	if (rc == -EPERM)
		skip();
	assert_int_equal(rc, 0);
	assert_string_equal(seen->commands, restored);
	assert_true(vm.spec.is_restored && vm.spec.ram_is_private);
	assert_int_equal(seen->magic, CHANNEL_MAGIC);
	assert_true(vm.storage.remote_address != 0);
	assert_ptr_equal(vm.channel.io.ctx, &vm);
	assert_int_equal(vm.channel.region_size, RING);
	vm_finish(&vm);
}

static void one_that_is_saved_again_has_memory_of_its_own(void **state)
{
	_free_ char *dir = make_template(), *to = str_fmt("%s/new", root);
	_free_ char *copy = str_fmt("%s/ram0", to);
	_str_ struct str text = {};
	int rc;

	(void)state;
	assert_int_equal(mkdir(to, 0700), 0);
	qemu.maps_channel = true;
	rc = boot(VM_ACCEL_TCG, &(struct vm_start){ .template_dir = dir, .ram_dir = to });
	if (rc == -EPERM)
		skip();
	assert_int_equal(rc, 0);
	assert_true(vm.spec.is_restored && !vm.spec.ram_is_private);
	assert_int_equal(file_read(copy, &text), 0);
	assert_string_equal(str_get(&text), "memory");
	vm_finish(&vm);
}

/* It was saved with an old channel: the new one is written before the guest goes on. */
static void a_channel_that_was_saved_is_renewed(void **state)
{
	_free_ char *dir = make_template();
	int rc;

	(void)state;
	qemu.maps_channel = true;
	assert_int_equal(vm_storage_keep_channel(dir, 2 * RING), 0);
	rc = boot(VM_ACCEL_TCG, &(struct vm_start){ .template_dir = dir,
						    .has_saved_channel = true,
						    .channel_bytes = 2 * RING,
						    .channel.input = "an input",
						    .channel.input_len = 8 });
	if (rc == -EPERM)
		skip();
	assert_int_equal(rc, 0);
	assert_true(vm.spec.channel_is_kept);
	assert_int_equal(seen->magic, CHANNEL_MAGIC);
	assert_memory_equal(seen->input, "an input", 8);
	vm_finish(&vm);
	/* Without that word there is a file of our own. */
	assert_int_equal(boot(VM_ACCEL_TCG,
			      &(struct vm_start){ .template_dir = dir, .channel_bytes = 2 * RING }),
			 0);
	assert_false(vm.spec.channel_is_kept);
	vm_finish(&vm);
}

static void a_template_that_is_not_there_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(boot(VM_ACCEL_TCG, &(struct vm_start){ .template_dir = root }), -ENOENT);
	assert_int_equal(vm.child.pid, 0);
	assert_string_equal(seen->commands, "");
}

/* ---- ends ---- */

static void a_qemu_that_does_not_start_is_told_in_its_words(void **state)
{
	(void)state;
	qemu.dies_at = "qmp_capabilities";
	qemu.status = 3;
	qemu.errors = "\nqemu: no such\noption\n\n";
	assert_int_equal(boot(VM_ACCEL_TCG, &(struct vm_start){}), -EIO);
	assert_string_equal(err_text(-EIO), "QEMU ended with status 3:  qemu: no such option");
	assert_int_equal(vm.child.pid, 0);
	qemu.dies_at = "cont";
	qemu.errors = NULL;
	assert_int_equal(boot(VM_ACCEL_TCG, &(struct vm_start){}), -EIO);
	assert_string_equal(err_text(-EIO), "QEMU ended with status 3");
	qemu.status = 128;
	assert_int_equal(boot(VM_ACCEL_TCG, &(struct vm_start){}), -EIO);
	assert_string_equal(err_text(-EIO), "QEMU ended with status 128");
	qemu.signal = SIGKILL;
	assert_int_equal(boot(VM_ACCEL_TCG, &(struct vm_start){}), -EIO);
	assert_string_equal(err_text(-EIO), "QEMU was ended by signal 9");
	qemu.signal = SIGHUP;
	assert_int_equal(boot(VM_ACCEL_TCG, &(struct vm_start){}), -EIO);
	assert_string_equal(err_text(-EIO), "QEMU was ended by signal 1");
}

/* Of many words the last four hundred letters. */
static void last_words_have_an_end(void **state)
{
	char words[402], expected[512];

	(void)state;
	memset(words, 'x', sizeof(words));
	words[0] = 'a';
	words[401] = '\0';
	for (int i = 0; i < 2; i++) {
		vm = (struct vm){ .errors_fd = -1 };
		str_add(&vm.errors, words + i);
		assert_int_equal(vm_died(&vm), -EIO);
		snprintf(expected, sizeof(expected), "QEMU ended with status 0: %s", words + 1);
		assert_string_equal(err_text(-EIO), expected);
		assert_int_equal(vm.end, VM_QEMU_DIED);
		str_finish(&vm.errors);
	}
	words[400] = '\0';
	vm = (struct vm){ .errors_fd = -1 };
	str_add(&vm.errors, words);
	assert_int_equal(vm_died(&vm), -EIO);
	snprintf(expected, sizeof(expected), "QEMU ended with status 0: %s", words);
	assert_string_equal(err_text(-EIO), expected);
	str_finish(&vm.errors);
}

static void a_qemu_that_does_not_answer_is_given_up(void **state)
{
	(void)state;
	reply_rc = -ETIMEDOUT;
	assert_int_equal(boot(VM_ACCEL_TCG, &(struct vm_start){}), -ETIMEDOUT);
	assert_string_equal(err_text(-ETIMEDOUT), "QEMU started but did not answer within 30 s");
	reply_rc = -EPROTO;
	assert_int_equal(boot(VM_ACCEL_TCG, &(struct vm_start){}), -EPROTO);
}

/* The reason to end it stays the message, also when it has to be killed. */
static void a_deaf_qemu_is_killed(void **state)
{
	pid_t pid;

	(void)state;
	assert_int_equal(boot(VM_ACCEL_TCG, &(struct vm_start){}), 0);
	pid = vm.child.pid;
	qemu.is_deaf = true;
	err_set(EIO, "the reason");
	vm_finish(&vm);
	assert_string_equal(err_text(-EIO), "the reason");
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(errno, ESRCH);
}

/* Of one that died nobody asks anything. */
static void a_dead_qemu_is_not_told_to_quit(void **state)
{
	(void)state;
	assert_int_equal(boot(VM_ACCEL_TCG, &(struct vm_start){}), 0);
	vm.end = VM_QEMU_DIED;
	vm_finish(&vm);
	assert_int_equal(waited_ns, 0);
	assert_string_equal(seen->commands, "qmp_capabilities cont ");
}

/* An event may have come with the answer before: there is nothing to wait for then. */
static int poll_until_it_ends(void)
{
	int rc = 0;

	while (rc == 0 && vm.end == VM_RUNNING)
		rc = vm_poll(&vm, NSEC_PER_MSEC);
	return rc;
}

#define SHUTDOWN(reason) "{\"event\":\"SHUTDOWN\",\"data\":{\"reason\":\"" reason "\"}}\n"

static void the_end_of_a_guest_is_heard(void **state)
{
	(void)state;
	qemu.after = "{\"event\":\"RESUME\"}\n" SHUTDOWN("guest-reset");
	assert_int_equal(boot(VM_ACCEL_TCG, &(struct vm_start){}), 0);
	assert_int_equal(poll_until_it_ends(), 0);
	assert_int_equal(vm.end, VM_ENDED);
	assert_string_equal(vm.shutdown_reason, "guest-reset");
	poll_ms = -5;
	assert_int_equal(vm_poll(&vm, LONG_NS), 0);
	assert_int_equal(poll_ms, -5);
	vm_finish(&vm);
	qemu.after = "{\"event\":\"GUEST_PANICKED\"}\n";
	assert_int_equal(boot(VM_ACCEL_TCG, &(struct vm_start){}), 0);
	assert_int_equal(poll_until_it_ends(), 0);
	assert_int_equal(vm.end, VM_PAUSED);
	assert_string_equal(vm.shutdown_reason, "guest-panic");
	vm_finish(&vm);
}

static void the_end_of_qemu_is_noticed(void **state)
{
	(void)state;
	qemu.leaves = true;
	qemu.status = 7;
	assert_int_equal(boot(VM_ACCEL_TCG, &(struct vm_start){}), 0);
	assert_int_equal(poll_until_it_ends(), 0);
	assert_int_equal(vm.end, VM_QEMU_DIED);
	assert_int_equal(vm_died(&vm), -EIO);
	assert_string_equal(err_text(-EIO), "QEMU ended with status 7");
	vm_finish(&vm);
	/* One that told why has not died of itself. */
	qemu.after = SHUTDOWN("guest-shutdown");
	assert_int_equal(boot(VM_ACCEL_TCG, &(struct vm_start){}), 0);
	assert_int_equal(__real_child_wait(&vm.child, LONG_NS), 7);
	assert_int_equal(poll_until_it_ends(), 0);
	assert_int_equal(vm.end, VM_ENDED);
	vm_finish(&vm);
}

static void a_wait_is_as_long_as_asked_for(void **state)
{
	int ends[2];
	struct vm_watcher watcher = { .fd = -1 };

	(void)state;
	assert_int_equal(boot(VM_ACCEL_TCG, &(struct vm_start){}), 0);
	assert_int_equal(vm_poll(&vm, 3 * NSEC_PER_MSEC), 0);
	assert_int_equal(poll_ms, 3);
	poll_error = EINTR;
	assert_int_equal(vm_poll(&vm, 0), 0);
	poll_error = ENOMEM;
	assert_int_equal(vm_poll(&vm, 0), -ENOMEM);
	poll_error = 0;
	/* Who looks at the guest wakes it. */
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "x", 1), 1);
	watcher.fd = ends[0];
	vm.watcher = &watcher;
	assert_int_equal(vm_poll(&vm, LONG_NS), 0);
	assert_int_equal(vm.end, VM_RUNNING);
	close(ends[0]);
	close(ends[1]);
	vm_finish(&vm);
}

/* ---- consoles ---- */

static void consoles_are_read_once(void **state)
{
	_str_ struct str text = {}, control = {};

	(void)state;
	qemu.console = "first\n";
	assert_true(str_reserve(&text, 4096));
	memset(text.s, 'x', text.cap);
	assert_int_equal(boot(VM_ACCEL_TCG, &(struct vm_start){}), 0);
	assert_int_equal(vm_read_console(&vm, &text), 0);
	assert_string_equal(str_get(&text), "first\n");
	assert_int_equal(pwrite(vm.console_file, "second\n", 7, 6), 7);
	assert_int_equal(vm_read_console(&vm, &text), 0);
	assert_string_equal(str_get(&text), "first\nsecond\n");
	assert_int_equal(vm.console_read, 13);
	assert_int_equal(vm_read_control(&vm, &control), 0);
	assert_string_equal(str_get(&control), "control\n");
	vm_finish(&vm);
	str_reset(&text);
	assert_int_equal(vm_read_console(&vm, &text), 0);
	assert_int_equal(text.len, 0);
}

#define MIB (1 << 20)

/* A guest that talks for hours must not fill the memory of the host twice. */
static void what_was_read_of_a_console_is_given_back(void **state)
{
	_free_ char *many = malloc(MIB);
	_str_ struct str text = {};
	struct stat st;

	(void)state;
	memset(many, 'x', MIB);
	assert_int_equal(boot(VM_ACCEL_TCG, &(struct vm_start){}), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(pwrite(vm.console_file, many, MIB, (off_t)i * MIB), MIB);
	assert_int_equal(pwrite(vm.console_file, "end", 3, 3 * MIB), 3);
	assert_int_equal(vm_read_console(&vm, &text), 0);
	assert_int_equal(text.len, 3 * MIB + 3);
	assert_string_equal(text.s + 3 * MIB - 1, "xend");
	assert_int_equal(fstat(vm.console_file, &st), 0);
	assert_int_equal(st.st_size, 3 * MIB + 3);
	/* The piece that is still being written stays. */
	assert_true(st.st_blocks > 0 && st.st_blocks * 512 < MIB);
	assert_int_equal(pread(vm.console_file, many, 3, 3 * MIB), 3);
	assert_memory_equal(many, "end", 3);
	vm_finish(&vm);
}

static void a_console_that_cannot_be_read_is_an_error(void **state)
{
	_str_ struct str text = {};

	(void)state;
	vm = (struct vm){ .console_file = open(root, O_PATH | O_CLOEXEC) };
	assert_int_equal(vm_read_console(&vm, &text), -EBADF);
	close(vm.console_file);
}

/* What was said on stderr while it ran. */
static void finish_and_listen(struct str *out)
{
	int real = dup(STDERR_FILENO), to = memfd_create("stderr", MFD_CLOEXEC);

	dup2(to, STDERR_FILENO);
	vm_finish(&vm);
	dup2(real, STDERR_FILENO);
	close(real);
	lseek(to, 0, SEEK_SET);
	assert_int_equal(fd_read_all(to, out), 0);
	close(to);
}

static void a_run_that_may_not_repeat_is_told(void **state)
{
	_str_ struct str told = {}, nothing = {};

	(void)state;
	log_set_level(LOG_INFO);
	qemu.errors = VM_TURNS_MISSED "\n";
	assert_int_equal(boot(VM_ACCEL_SIM, &(struct vm_start){}), 0);
	finish_and_listen(&told);
	assert_non_null(strstr(str_get(&told), "this run may come out differently"));
	qemu.errors = "other words\n";
	assert_int_equal(boot(VM_ACCEL_SIM, &(struct vm_start){}), 0);
	finish_and_listen(&nothing);
	assert_string_equal(str_get(&nothing), "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_guest_is_held_until_all_is_ready),
		TEST(a_terminal_is_a_socket),
		TEST(threads_take_turns_in_sim_alone),
		TEST(it_works_without_stdin),
		TEST(no_more_files_than_there_is_room_for),
		TEST(vcpus_of_kvm_are_placed),
		TEST(a_watcher_begins_before_the_guest),
		TEST(a_template_is_restored_and_read_in_qemus_memory),
		TEST(one_that_is_saved_again_has_memory_of_its_own),
		TEST(a_channel_that_was_saved_is_renewed),
		TEST(a_template_that_is_not_there_is_an_error),
		TEST(a_qemu_that_does_not_start_is_told_in_its_words),
		TEST(last_words_have_an_end),
		TEST(a_qemu_that_does_not_answer_is_given_up),
		TEST(a_deaf_qemu_is_killed),
		TEST(a_dead_qemu_is_not_told_to_quit),
		TEST(the_end_of_a_guest_is_heard),
		TEST(the_end_of_qemu_is_noticed),
		TEST(a_wait_is_as_long_as_asked_for),
		TEST(consoles_are_read_once),
		TEST(what_was_read_of_a_console_is_given_back),
		TEST(a_console_that_cannot_be_read_is_an_error),
		TEST(a_run_that_may_not_repeat_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
