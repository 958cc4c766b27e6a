// SPDX-License-Identifier: GPL-2.0-only
/* Lives of a guest: what it begins with, what it may lack, and when it may be stopped. */
#include "played_life.h"

#include <sys/ioctl.h>

#include "vm/initramfs_plan.h"

/* ---- files that it begins with ---- */

/* A kernel without a console starts it without any, and one of them may be missing, too. */
static void init_needs_no_files_to_begin_with(void **state)
{
	static const unsigned int closed[] = { 7, 4, 1, 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(closed); i++) {
		asked->closed_files = closed[i];
		asked->null_files = 0;
		unit_write(root, "dev/ttyS0", "");
		unit_write(root, "dev/ttyS1", "");
		run_with("KTSTR_MODE=exec\n", "echo out; exit 3");
		assert_int_equal(asked->null_files, 3);
		expect_file("dev/ttyS1", "KTSTR_INIT_STARTED\nout\nKTSTR_EXEC_EXIT=3\n"
					 "KTSTR_EXIT=3\n");
		expect_part("dev/ttyS0", "ktstr: no channel, using " GUEST_SHELL_TTY ": ");
	}
}

static void ports_are_closed_before_it_opens_them(void **state)
{
	(void)state;
	assert_int_equal(report.console, -1);
	assert_int_equal(report.control, -1);
}

static void settings_that_cannot_be_read_end_it(void **state)
{
	(void)state;
	unit_write(root, ".ktstr_base/x", "");
	expect_fatal("KTSTR_MODE=exec\n", "read the settings: Is a directory");
}

static void its_configuration_is_named_after_its_kernel(void **state)
{
	_free_ char *name = NULL;
	struct utsname kernel;

	(void)state;
	uname(&kernel);
	name = str_fmt("boot/config-%s", kernel.release);
	add_channel(&(struct channel_region){});
	unit_write(root, "boot/config", "CONFIG_HZ=100\nCONFIG_NR_CPUS=2\n");
	run_with("KTSTR_MODE=exec\n", "true");
	expect_file(name, "CONFIG_HZ=100\nCONFIG_NR_CPUS=2\n");
	expect_file("dev/ttyS0", "");
}

static void a_test_needs_a_program(void **state)
{
	(void)state;
	expect_fatal("KTSTR_MODE=run\nKTSTR_OBSERVE=0\n", "read /args: No such file or directory");
}

/* ---- mounts ---- */

static void remove_files_below_mounts(void)
{
	_free_ char *shm = str_fmt("%s/dev/shm/x", root);
	_free_ char *hidden = str_fmt("%s/run/ktstr-profiles/.hidden", root);
	_free_ char *profiles = str_fmt("%s/run/ktstr-profiles", root);

	assert_int_equal(unlink(shm), 0);
	assert_int_equal(unlink(hidden), 0);
	assert_int_equal(rmdir(profiles), 0);
}

static void empty_directories_are_mounted_over(void **state)
{
	_str_ struct str before = {};

	(void)state;
	mounts_list(&before);
	assert_string_equal(str_get(&before), "/dev");
	remove_files_below_mounts();
	run_with("KTSTR_MODE=exec\n", "true");
	assert_string_equal(asked->mounts, "devtmpfs /dev 2 mode=0755\n"
					   "proc /proc e -\n"
					   "sysfs /sys e -\n"
					   "devpts /dev/pts a ptmxmode=0666\n"
					   "tmpfs /dev/shm 6 mode=1777\n"
					   "tmpfs /tmp 6 mode=1777\n"
					   "tmpfs /run 6 mode=0755\n"
					   "debugfs /sys/kernel/debug e -\n"
					   "tracefs /sys/kernel/tracing e -\n"
					   "bpf /sys/fs/bpf e mode=0700\n"
					   "cgroup2 /sys/fs/cgroup e -\n");
	assert_int_equal(asked->dev_mode, 0755);
}

static void memory_for_files_is_needed(void **state)
{
	static const char *const targets[] = { "/dev/shm", "/run" };

	(void)state;
	remove_files_below_mounts();
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
		_free_ char *complaint = str_fmt("mount %s: Permission denied", targets[i]);

		snprintf(asked->refused_mount, sizeof(asked->refused_mount), "%s", targets[i]);
		expect_fatal("KTSTR_MODE=exec\n", complaint);
	}
}

static void a_shell_is_told_what_is_mounted(void **state)
{
	_free_ char *link = str_fmt("%s/bin/applet", root);

	(void)state;
	add_channel(&(struct channel_region){});
	assert_int_equal(symlink("busybox", link), 0);
	run_with("KTSTR_MODE=shell\n", NULL);
	expect_part("dev/ttyS1", "  memory:    1171 MB\n");
	expect_part("dev/ttyS1", "  tools:     busybox (1 applets)\n"
				 "  mounts:    /dev /proc /sys /dev/pts /tmp /sys/kernel/debug "
				 "/sys/kernel/tracing /sys/fs/bpf /sys/fs/cgroup\n");
}

/* Those that are there already are as good. */
static void links_that_cannot_be_made_are_told(void **state)
{
	(void)state;
	add_channel(&(struct channel_region){});
	snprintf(asked->refused_link, sizeof(asked->refused_link), "/dev/stdin");
	run_with("KTSTR_MODE=exec\n", "true");
	expect_file("dev/ttyS0", "ktstr: link /dev/stdin: Read-only file system\n");
	asked->refused_link[0] = '\0';
	unit_write(root, "dev/ttyS0", "");
	run_with("KTSTR_MODE=exec\n", "true");
	expect_file("dev/ttyS0", "");
}

/* ---- the channel ---- */

static void the_channel_has_a_lock_of_its_own(void **state)
{
	_free_ char *lock = str_fmt("%s/dev/shm/ktstr-channel-lock", root);
	struct stat st;

	(void)state;
	add_channel(&(struct channel_region){});
	run_with("KTSTR_MODE=exec\n", "true");
	assert_int_equal(asked->locks, 1);
	assert_int_equal(stat(lock, &st), 0);
	assert_int_equal(st.st_size, 4096);
	/* No fork has to copy what only init writes to. */
	assert_int_equal(asked->private_maps, 1);
	asked->refuses_truncate = true;
	run_with("KTSTR_MODE=exec\n", "true");
	expect_part("dev/ttyS0", "ktstr: no channel, using " GUEST_SHELL_TTY
				 ": make /dev/shm/ktstr-channel-lock: No space left on device\n");
	asked->refuses_truncate = false;
	asked->refuses_lock = true;
	unit_write(root, "dev/ttyS0", "");
	run_with("KTSTR_MODE=exec\n", "true");
	expect_part("dev/ttyS0", "ktstr: no channel, using " GUEST_SHELL_TTY
				 ": make /dev/shm/ktstr-channel-lock: ");
}

/* ---- what it tells ---- */

static void times_are_in_nanoseconds(void **state)
{
	(void)state;
	add_channel(&(struct channel_region){});
	asked->mono = (struct timespec){ .tv_sec = 1234567, .tv_nsec = 89 };
	run_with("KTSTR_MODE=exec\n", "true");
	expect_frame("RDY.:ns=1234567000000089\nkernel=");
	expect_frame("PULS:ns=1234567000000089\ncpu 1 2 3\n");
}

static void memory_is_in_mebibytes(void **state)
{
	_free_ char *mark = str_fmt("%s/.ktstr_init_ok", root);

	(void)state;
	add_channel(&(struct channel_region){});
	run_with("KTSTR_MODE=exec\n", "true");
	expect_frame("\nmemory_mib=1171\n");
	asked->lacks_memory = true;
	run_with("KTSTR_MODE=exec\n", "true");
	expect_frame("\nmemory_mib=0\n");
	asked->lacks_memory = false;
	assert_int_equal(unlink(mark), 0);
	expect_fatal("KTSTR_MODE=exec\n",
		     "the initramfs was not unpacked to its end: the guest's memory (1171 MB) is "
		     "too small for it; give it more with --memory-mib");
}

/* ---- when it may be stopped ---- */

static void expect_drains(const char *settings, unsigned int drains)
{
	asked->drains = 0;
	run_with(settings, "true");
	assert_int_equal(asked->drains, drains);
}

/* What it wrote to its two ports has left them. */
static void ports_are_empty_when_it_may_be_stopped(void **state)
{
	_free_ char *console = str_fmt("%s/dev/ttyS0", root), *control = NULL;

	(void)state;
	add_channel(&(struct channel_region){});
	expect_drains("KTSTR_MODE=exec\n", 2);
	expect_drains("KTSTR_MODE=exec\nKTSTR_ACCEL=sim\n", 4);
	assert_int_equal(unlink(console), 0);
	expect_drains("KTSTR_MODE=exec\n", 1);
	unit_write(root, "dev/console", "");
	control = str_fmt("%s/dev/ttyS1", root);
	assert_int_equal(unlink(control), 0);
	expect_drains("KTSTR_MODE=exec\n", 1);
}

#if defined(__x86_64__)
static void it_is_stopped_through_a_port(void **state)
{
	(void)state;
	add_channel(&(struct channel_region){});
	allows_ports = true;
	run_with("KTSTR_MODE=exec\nKTSTR_ACCEL=sim\n", "true");
	allows_ports = false;
	assert_int_equal(asked->write_count, 1);
	assert_int_equal(asked->written[0][0], GUEST_PAUSE_PORT);
	assert_int_equal(asked->written[0][1], GUEST_PAUSE_VALUE);
}
#endif

/* ---- templates ---- */

static void add_input(const char *settings, const char *commands, struct str *out)
{
	assert_int_equal(initramfs_suffix_add(&(struct initramfs_run){ .settings = settings,
								       .exec_command = commands },
					      out),
			 0);
}

static void run_template(const char *settings)
{
	_str_ struct str input = {};

	add_input(settings, "true", &input);
	add_channel(&(struct channel_region){ .input = input.s, .input_len = input.len });
	asked->time = (struct timespec){};
	asked->drains = 0;
	run_with("KTSTR_TEMPLATE=1\nKTSTR_MODE=exec\n", "echo never");
	expect_frame("EXIT:0\n");
}

static void the_time_of_day_is_set_if_it_is_one(void **state)
{
	(void)state;
	run_template("KTSTR_MODE=exec\nKTSTR_WALL_NS=1700000000000000005\n");
	assert_int_equal(asked->time.tv_sec, 1700000000);
	assert_int_equal(asked->drains, 4);
	expect_no_frame("LOGL:set the time");
	run_template("KTSTR_MODE=exec\nKTSTR_WALL_NS=x\n");
	assert_int_equal(asked->time.tv_sec, 0);
	run_template("KTSTR_MODE=exec\n");
	assert_int_equal(asked->time.tv_sec, 0);
}

/* An archive that lacks its last file is not all of it, whatever was there before. */
static void input_without_its_mark_is_told(void **state)
{
	_cleanup_(cpio_finish) struct cpio c;
	_str_ struct str input = {};

	(void)state;
	cpio_init(&c, cpio_sink_str(&input));
	assert_int_equal(cpio_add_bytes(&c, "/exec_cmd", 0644, "true", 4), 0);
	assert_int_equal(cpio_end(&c), 0);
	add_channel(&(struct channel_region){ .input = input.s, .input_len = input.len });
	expect_fatal("KTSTR_TEMPLATE=1\nKTSTR_MODE=exec\n",
		     "the initramfs was not unpacked to its end: the guest's memory (1171 MB) is "
		     "too small for it; give it more with --memory-mib");
}

static void run_prepared(const char *settings)
{
	_str_ struct str first = {}, second = {};

	add_input(settings, "echo a command that is longer than that of the second input", &first);
	add_input("KTSTR_MODE=exec\n", "true", &second);
	assert_in_range(second.len, 1, MIN(first.len, sizeof(asked->input)));
	memcpy(asked->input, second.s, second.len);
	asked->input_len = second.len;
	asked->input_at = asked->sleeps + 3;
	add_channel(&(struct channel_region){ .input = first.s, .input_len = first.len });
	run_with("KTSTR_TEMPLATE=1\nKTSTR_MODE=exec\n", "echo never");
}

static void a_scheduler_is_prepared_as_it_is_started(void **state)
{
	(void)state;
	unit_write(root, "sched_enable", "echo terminal $TERM");
	run_prepared("KTSTR_PREPARE=1\nKTSTR_TERM=mine\nKTSTR_MODE=exec\n");
	expect_frame("OUT1:terminal mine\n");
	expect_frame("EXIT:0\n");
	assert_int_equal(asked->prepared, 1);
	assert_int_equal(asked->learned, 1);
	unit_write(root, "sched-args", "cut off");
	unit_write(root, "dev/ttyS1", "");
	run_prepared("KTSTR_PREPARE=1\nKTSTR_MODE=exec\n");
	expect_part("dev/ttyS1", "PANIC: /sched-args is cut off\nKTSTR_EXIT=1\n");
}

/* ---- the observer ---- */

static void events_are_counted_unless_it_was_told_not_to(void **state)
{
	_free_ char *problem = str_fmt("%s" GUEST_OBSERVE_PROBLEM, root);
	_free_ char *loader = str_fmt("%s" GUEST_OBSERVER, root);

	(void)state;
	add_channel(&(struct channel_region){});
	unit_write(root, "args", "/bin/busybox\ntrue\n");
	run_with("KTSTR_MODE=run\n", NULL);
	expect_file("run/ktstr-observe-problem", "this ktstr was built without a BPF compiler");
	expect_no_frame("LOGL:write");
	assert_int_equal(asked->learned, 1);
	unit_write(root, "ktstr-observe", "#!/bin/busybox sh\nexit 0\n");
	assert_int_equal(chmod(loader, 0755), 0);
	run_with("KTSTR_MODE=run\nKTSTR_OBSERVE=1\n", NULL);
	expect_file("run/ktstr-observe-problem", "No such file or directory");
	asked->can_observe = true;
	run_with("KTSTR_MODE=run\nKTSTR_OBSERVE=1\n", NULL);
	assert_int_equal(access(problem, F_OK), -1);
	asked->learned = 0;
	run_with("KTSTR_MODE=exec\n", "true");
	assert_int_equal(asked->learned, 0);
}

/* ---- the size of a terminal ---- */

static void a_terminal_has_a_size_that_is_one(void **state)
{
	static const struct {
		const char *settings;
		unsigned short columns, rows;
	} cases[] = {
		{ "KTSTR_COLS=65536\nKTSTR_ROWS=9\n", 50, 20 },
		{ "KTSTR_COLS=65535\nKTSTR_ROWS=9\n", 65535, 9 },
		{ "KTSTR_COLS=x\nKTSTR_ROWS=9\n", 50, 20 },
		{ "KTSTR_ROWS=9\n", 50, 20 },
	};

	(void)state;
	add_channel(&(struct channel_region){});
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_free_ char *settings = str_fmt("KTSTR_MODE=shell\n%s", cases[i].settings);
		struct winsize size = { .ws_col = 50, .ws_row = 20 };
		_close_ int user = add_terminal();

		assert_int_equal(ioctl(user, TIOCSWINSZ, &size), 0);
		assert_int_equal(write(user, "exit 3\n", 7), 7);
		run_with(settings, NULL);
		expect_frame("EXIT:3\n");
		assert_int_equal(ioctl(user, TIOCGWINSZ, &size), 0);
		assert_int_equal(size.ws_col, cases[i].columns);
		assert_int_equal(size.ws_row, cases[i].rows);
		cleanup_fd(&terminal);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		HERE(ports_are_closed_before_it_opens_them),
		HERE(init_needs_no_files_to_begin_with),
		HERE(settings_that_cannot_be_read_end_it),
		HERE(its_configuration_is_named_after_its_kernel),
		HERE(a_test_needs_a_program),
		HERE(empty_directories_are_mounted_over),
		HERE(memory_for_files_is_needed),
		HERE(a_shell_is_told_what_is_mounted),
		HERE(links_that_cannot_be_made_are_told),
		HERE(the_channel_has_a_lock_of_its_own),
		HERE(times_are_in_nanoseconds),
		HERE(memory_is_in_mebibytes),
		HERE(ports_are_empty_when_it_may_be_stopped),
#if defined(__x86_64__)
		HERE(it_is_stopped_through_a_port),
#endif
		HERE(the_time_of_day_is_set_if_it_is_one),
		HERE(input_without_its_mark_is_told),
		HERE(a_scheduler_is_prepared_as_it_is_started),
		HERE(events_are_counted_unless_it_was_told_not_to),
		HERE(a_terminal_has_a_size_that_is_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
