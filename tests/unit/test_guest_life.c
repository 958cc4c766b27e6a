// SPDX-License-Identifier: GPL-2.0-only
/* Lives of a guest: what it is told to run, and what it tells. */
#include "played_life.h"

/* ---- tests ---- */

static void a_command_runs_and_its_status_is_the_end(void **state)
{
	_free_ char *ready = NULL;
	struct utsname kernel;
	struct sysinfo info;

	(void)state;
	add_channel(&(struct channel_region){});
	run_with("KTSTR_MODE=exec\n", "echo out; echo problem >&2; echo $HOME $TERM; exit 7");
	expect_file("dev/ttyS1", "KTSTR_INIT_STARTED\nKTSTR_EXEC_EXIT=7\nKTSTR_EXIT=7\n");
	expect_file("dev/ttyS0", "");
	expect_frame("OUT1:out\n");
	expect_frame("/root linux\n");
	expect_frame("OUT2:problem\n");
	expect_frame("EXIT:7\n");
	expect_frame("LOGL:KTSTR_TOPO is not set, the topology is not checked\n");
	expect_frame("\ncpu 1 2 3\n");
	expect_frame("PULS:ns=");
	assert_int_equal(lost_bytes, 0);
	expect_no_frame("CRSH");
	uname(&kernel);
	sysinfo(&info);
	ready = str_fmt("\nkernel=%s\nmemory_mib=%lu\n", kernel.release,
			info.totalram * info.mem_unit >> 20);
	expect_frame("RDY.:ns=");
	expect_frame(ready);
	expect_no_frame("topology=");
	expect_file("proc/sys/kernel/hostname", "ktstr");
	expect_file("proc/sys/kernel/bpf_stats_enabled", "1");
	assert_int_equal(asked->ports, 0);
	assert_int_equal(asked->time.tv_sec, 0);
}

#define SAFE_BITS "e"

static void the_table_of_mounts_is_mounted(void **state)
{
	char target[64] = {};
	_free_ char *link = str_fmt("%s/dev/stderr", root);

	(void)state;
	run_with("KTSTR_MODE=exec\n", "true");
	/* What the initramfs put below a tmpfs stays: here, /dev/shm and /run. */
	assert_string_equal(asked->mounts, "devtmpfs /dev 2 mode=0755\n"
					   "proc /proc " SAFE_BITS " -\n"
					   "sysfs /sys " SAFE_BITS " -\n"
					   "devpts /dev/pts a ptmxmode=0666\n"
					   "tmpfs /tmp 6 mode=1777\n"
					   "debugfs /sys/kernel/debug " SAFE_BITS " -\n"
					   "tracefs /sys/kernel/tracing " SAFE_BITS " -\n"
					   "bpf /sys/fs/bpf " SAFE_BITS " mode=0700\n"
					   "cgroup2 /sys/fs/cgroup " SAFE_BITS " -\n");
	assert_true(readlink(link, target, sizeof(target) - 1) > 0);
	assert_string_equal(target, "/proc/self/fd/2");
}

static void a_mount_that_is_needed_ends_it(void **state)
{
	(void)state;
	snprintf(asked->refused_mount, sizeof(asked->refused_mount), "/sys/fs/bpf");
	run_with("KTSTR_MODE=exec\n", "exit 3");
	expect_part("dev/ttyS1", "KTSTR_EXIT=3\n");
	snprintf(asked->refused_mount, sizeof(asked->refused_mount), "/tmp");
	run_with("KTSTR_MODE=exec\n", "exit 3");
	expect_part("dev/ttyS1", "PANIC: mount /tmp: Permission denied\nKTSTR_EXIT=1\n");
	expect_part("dev/ttyS0", "PANIC: mount /tmp: Permission denied\n");
}

static void without_a_channel_lines_tell_all(void **state)
{
	(void)state;
	run_with("KTSTR_MODE=exec\n", "echo out; exit 2");
	expect_file("dev/ttyS1", "KTSTR_INIT_STARTED\nout\nKTSTR_EXEC_EXIT=2\nKTSTR_EXIT=2\n");
	expect_part("dev/ttyS0", "ktstr: no channel, using " GUEST_SHELL_TTY ": ");
}

/* ends_with SETTINGS COMPLAINT: nothing is run. */
static void expect_fatal(const char *settings, const char *complaint)
{
	_free_ char *line = str_fmt("PANIC: %s\nKTSTR_EXIT=1\n", complaint);

	unit_write(root, "dev/ttyS1", "");
	run_with(settings, "echo never");
	expect_part("dev/ttyS1", line);
}

static void what_makes_no_sense_is_told(void **state)
{
	_free_ char *mark = str_fmt("%s/.ktstr_init_ok", root);
	_free_ char *commands = str_fmt("%s/exec_cmd", root);

	(void)state;
	expect_fatal("KTSTR_MODE=x\n", "KTSTR_MODE is none of shell, exec, run");
	expect_fatal("KTSTR_MODE=exec\nKTSTR_TOPO=x\n",
		     "topology x: 'x' is not a topology of the form n,l,c,t");
	expect_fatal("KTSTR_MODE=exec\nKTSTR_TEMPLATE=1\n",
		     "a template needs a channel: No such device");
	unit_write(root, "args", "\n");
	expect_fatal("KTSTR_MODE=run\n", "/args names no program");
	assert_int_equal(unlink(commands), 0);
	unit_write(root, "dev/ttyS1", "");
	run_with("KTSTR_MODE=exec\n", NULL);
	expect_part("dev/ttyS1", "PANIC: read /exec_cmd: No such file or directory\n");
	assert_int_equal(unlink(mark), 0);
	unit_write(root, "dev/ttyS1", "");
	run_with("KTSTR_MODE=exec\n", "echo never");
	expect_part("dev/ttyS1", "PANIC: the initramfs was not unpacked to its end: the guest's "
				 "memory (");
}

static void a_program_runs_as_a_test(void **state)
{
	(void)state;
	add_channel(&(struct channel_region){});
	unit_write(root, "args",
		   "/bin/busybox\nsh\n-c\necho $MINE; echo '{}' >" GUEST_RESULT_FILE "; exit 4\n");
	unit_write(root, "env", "MINE=from the file\n");
	unit_write(root, "run/ktstr-profiles/a.profraw", "profile");
	run_with("KTSTR_MODE=run\nKTSTR_OBSERVE=0\nKTSTR_LIMIT_S=50\n", NULL);
	expect_file("dev/ttyS1", "KTSTR_INIT_STARTED\nKTSTR_PAYLOAD_STARTING\nKTSTR_EXIT=4\n");
	expect_frame("OUT1:from the file\n");
	expect_frame("TEST:{}\n");
	expect_frame("PRAW:profile\n");
	expect_frame("EXIT:4\n");
	expect_file("run/ktstr-observe-problem", "this ktstr was built without a BPF compiler");
}

static void observe_with(const char *loader, const char *settings)
{
	_free_ char *path = str_fmt("%s" GUEST_OBSERVER, root);

	unit_write(root, "ktstr-observe", loader);
	assert_int_equal(chmod(path, 0755), 0);
	run_with(settings, NULL);
}

static void events_are_counted_where_they_can_be(void **state)
{
	_free_ char *problem = str_fmt("%s" GUEST_OBSERVE_PROBLEM, root);
	static const char loader[] = "#!/bin/busybox sh\necho $@ >/run/said\n";

	(void)state;
	unit_write(root, "args", "/bin/busybox\ntrue\n");
	observe_with("no program", "KTSTR_MODE=run\n");
	expect_file("run/ktstr-observe-problem", "run /ktstr-observe: Exec format error\n");
	observe_with("#!/bin/busybox sh\necho no >&2; exit 1\n", "KTSTR_MODE=run\n");
	expect_file("run/ktstr-observe-problem", "no\n");
	/* It is loaded, but there is nothing to attach; nobody says so who does not want it. */
	observe_with(loader, "KTSTR_MODE=run\n");
	expect_file("run/said", "/sys/fs/bpf/ktstr\n");
	expect_file("run/ktstr-observe-problem", "No such file or directory");
	observe_with(loader, "KTSTR_MODE=run\nKTSTR_OBSERVE=0\n");
	assert_int_equal(access(problem, F_OK), -1);
}

/* Half of a ring that nobody empties is for output, a quarter for profiles: the rest comes last. */
static void what_does_not_fit_is_counted(void **state)
{
	char profile[2][66000];

	(void)state;
	add_channel(&(struct channel_region){ .ring_bytes = 4096 + 262144 });
	unit_write(root, "args", "/bin/busybox\nsh\n-c\nyes | head -c 300000\n");
	for (int i = 0; i < 2; i++) {
		memset(profile[i], 'a' + i, sizeof(profile[i]));
		profile[i][i ? sizeof(profile[i]) - 1 : 60000] = '\0';
	}
	unit_write(root, "run/ktstr-profiles/a", profile[0]);
	unit_write(root, "run/ktstr-profiles/b", profile[1]);
	run_with("KTSTR_MODE=run\n", NULL);
	assert_int_equal(output_bytes + lost_bytes, 300000);
	assert_in_range(output_bytes, 131072 - 65536, 131072);
	expect_frame("PRAW:aaaa");
	expect_no_frame("PRAW:b");
	expect_frame("LOGL:a profile of 65999 bytes is too large for the channel\n");
	expect_frame("EXIT:0\n");
}

/* A result without a channel is between two lines, and so is none. */
static void a_result_without_a_channel_is_marked(void **state)
{
	(void)state;
	unit_write(root, "args", "/bin/busybox\ntrue\n");
	run_with("KTSTR_MODE=run\n", NULL);
	expect_file("dev/ttyS1", "KTSTR_INIT_STARTED\nKTSTR_PAYLOAD_STARTING\n" GUEST_RESULT_START
				 "\n\n" GUEST_RESULT_END "\nKTSTR_EXIT=0\n");
}

/* The per-run archive in the channel replaces what the template had. */
static void a_template_goes_on_with_its_input(void **state)
{
	_str_ struct str input = {};

	(void)state;
	assert_int_equal(
		initramfs_suffix_add(
			&(struct initramfs_run){ .settings = "KTSTR_MODE=exec\nKTSTR_ACCEL=sim\n"
							     "KTSTR_WALL_NS=1700000000000000005\n",
						 .exec_command = "echo restored" },
			&input),
		0);
	add_channel(&(struct channel_region){ .input = input.s, .input_len = input.len });
	run_with("KTSTR_TEMPLATE=1\nKTSTR_MODE=exec\nKTSTR_ACCEL=sim\n", "echo never");
	expect_frame("OUT1:restored\n");
	expect_frame("EXIT:0\n");
	expect_part("dev/ttyS1", "KTSTR_INIT_STARTED\nKTSTR_READY\nKTSTR_EXEC_EXIT=0\n");
	assert_int_equal(asked->time.tv_sec, 1700000000);
	assert_int_equal(asked->time.tv_nsec, 5);
#if defined(__x86_64__)
	/* It asks to be stopped where it can be saved, and at its end. */
	assert_int_equal(asked->ports, 2);
#endif
}

static void under_kvm_nobody_writes_to_ports(void **state)
{
	(void)state;
	add_channel(&(struct channel_region){});
	run_with("KTSTR_MODE=exec\nKTSTR_ACCEL=kvm\n", "true");
	assert_int_equal(asked->ports, 0);
	expect_frame("EXIT:0\n");
}

static void a_fatal_signal_has_last_words(void **state)
{
	(void)state;
	add_channel(&(struct channel_region){});
	run_with("KTSTR_MODE=exec\n", "kill -SEGV $PPID; sleep 9");
	expect_frame("CRSH:guest init: SIGSEGV sent by another process\n");
	expect_no_frame("EXIT");
	expect_part("dev/ttyS0", "PANIC: guest init: SIGSEGV sent by another process\n");
	expect_part("dev/ttyS1", "PANIC: guest init: SIGSEGV sent by another process\n");
}

/* Its terminal is a file here, at whose end the shell ends. */
static void a_shell_begins_with_a_banner(void **state)
{
	_free_ char *link = str_fmt("%s/bin/applet", root);

	(void)state;
	add_channel(&(struct channel_region){});
	unit_write(root, "include-files/a", "");
	assert_int_equal(symlink("busybox", link), 0);
	run_with("KTSTR_MODE=shell\n", NULL);
	expect_part("dev/ttyS1", "/include-files/a");
	expect_part("dev/ttyS1", "1 ");
	expect_part("dev/ttyS1", "/dev /proc /sys /dev/pts /tmp");
	expect_frame("EXIT:0\n");
	expect_no_frame("PULS");
}

/* A terminal of this machine under the guest's name for it; the other end. */
static int add_terminal(void)
{
	int user = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	assert_true(user >= 0);
	assert_true(grantpt(user) == 0 && unlockpt(user) == 0);
	terminal = open(ptsname(user), O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(terminal >= 0);
	return user;
}

/* What is typed, and all that was shown when the shell has ended. */
static void expect_shown(int user, const char *keys, const char *settings, const char *text)
{
	char shown[8192] = {};
	size_t len = 0;
	ssize_t n;

	assert_int_equal(write(user, keys, strlen(keys)), strlen(keys));
	run_with(settings, NULL);
	cleanup_fd(&terminal);
	while ((n = read(user, shown + len, sizeof(shown) - 1 - len)) > 0)
		len += (size_t)n;
	close(user);
	if (!strstr(shown, text))
		fail_msg("no '%s' in: %s", text, shown);
}

#define TYPED "/bin/busybox stty -a; exit 3\n"

static void a_shell_has_a_sane_terminal_of_a_size(void **state)
{
	(void)state;
	add_channel(&(struct channel_region){});
	expect_shown(add_terminal(), TYPED, "KTSTR_MODE=shell\nKTSTR_COLS=90\nKTSTR_ROWS=30\n",
		     "rows 30; columns 90;");
	expect_frame("EXIT:3\n");
}

static void its_keys_are_those_of_a_login(void **state)
{
	(void)state;
	add_channel(&(struct channel_region){});
	expect_shown(add_terminal(), TYPED, "KTSTR_MODE=shell\nKTSTR_COLS=65536\nKTSTR_ROWS=9\n",
		     "intr = ^C; quit = ^\\; erase = ^?; kill = ^U; eof = ^D;");
	expect_frame("EXIT:3\n");
}

/* A window that the host says was resized. */
static void a_terminal_follows_the_window(void **state)
{
	_free_ char *path = str_fmt("%s/" DEVICE "resource2", root);
	uint32_t size = CHANNEL_TERMINAL_SIZE(77, 22);
	int fd;

	(void)state;
	add_channel(&(struct channel_region){ .has_live_reader = true });
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_int_equal(pwrite(fd, &size, sizeof(size),
				offsetof(struct channel_header, terminal_size)),
			 sizeof(size));
	close(fd);
	expect_shown(add_terminal(), "/bin/busybox sleep 0.1; " TYPED,
		     "KTSTR_MODE=shell\nKTSTR_COLS=90\nKTSTR_ROWS=30\n", "rows 22; columns 77;");
}

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

#define HERE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HERE(a_command_runs_and_its_status_is_the_end),
		HERE(the_table_of_mounts_is_mounted),
		HERE(a_mount_that_is_needed_ends_it),
		HERE(without_a_channel_lines_tell_all),
		HERE(what_makes_no_sense_is_told),
		HERE(a_program_runs_as_a_test),
		HERE(events_are_counted_where_they_can_be),
		HERE(what_does_not_fit_is_counted),
		HERE(a_result_without_a_channel_is_marked),
		HERE(a_template_goes_on_with_its_input),
		HERE(under_kvm_nobody_writes_to_ports),
		HERE(a_fatal_signal_has_last_words),
		HERE(a_shell_begins_with_a_banner),
		HERE(a_shell_has_a_sane_terminal_of_a_size),
		HERE(its_keys_are_those_of_a_login),
		HERE(a_terminal_follows_the_window),
		HERE(a_disk_has_one_name),
		HERE(a_disk_is_waited_for),
		HERE(every_knob_has_its_limits),
		HERE(a_seed_puts_the_run_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
