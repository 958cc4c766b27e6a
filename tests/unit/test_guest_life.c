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

/* Those in memory are not mounted over what is there, which differs. */
static void some_mounts_are_needed_and_others_are_not(void **state)
{
	static const struct {
		const char *target;
		bool is_needed;
	} rows[] = {
		{ "/proc", true },
		{ "/sys", true },
		{ "/dev/pts", false },
		{ "/sys/kernel/debug", false },
		{ "/sys/kernel/tracing", false },
		{ "/sys/fs/bpf", false },
		{ "/sys/fs/cgroup", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *said = str_fmt("PANIC: mount %s: ", rows[i].target);
		_str_ struct str text = {};
		_free_ char *path = str_fmt("%s/dev/ttyS1", root);

		snprintf(asked->refused_mount, sizeof(asked->refused_mount), "%s", rows[i].target);
		run_with("KTSTR_MODE=exec\n", "true");
		assert_int_equal(file_read(path, &text), 0);
		if (!strstr(str_get(&text), said) == rows[i].is_needed)
			fail_msg("%s: %s", rows[i].target, str_get(&text));
	}
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
	observe_with(loader, "KTSTR_MODE=run\nKTSTR_ACCEL=kvm\n");
	expect_file("run/said", "/sys/fs/bpf/ktstr\n");
	observe_with(loader, "KTSTR_MODE=run\nKTSTR_ACCEL=tcg\n");
	expect_file("run/said", "/sys/fs/bpf/ktstr turns\n");
	observe_with(loader, "KTSTR_MODE=run\nKTSTR_ACCEL=sim\n");
	expect_file("run/said", "/sys/fs/bpf/ktstr turns\n");
	expect_file("run/ktstr-observe-problem", "No such file or directory");
	observe_with(loader, "KTSTR_MODE=run\nKTSTR_OBSERVE=0\n");
	assert_int_equal(access(problem, F_OK), -1);
}

static void expect_mode(const char *name, mode_t mode)
{
	_free_ char *path = str_fmt("%s/%s", root, name);
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, mode);
}

/* A problem replaces another; what keeps it from being written down is told. */
static void problems_of_the_observer_are_for_everybody(void **state)
{
	_free_ char *problem = str_fmt("%s" GUEST_OBSERVE_PROBLEM, root);
	_free_ char *loader = str_fmt("%s" GUEST_OBSERVER, root);

	(void)state;
	unit_write(root, "args", "/bin/busybox\ntrue\n");
	observe_with("#!/bin/busybox sh\necho a long complaint about everything that there is in "
		     "this guest >&2; exit 1\n",
		     "KTSTR_MODE=run\n");
	expect_mode("run/ktstr-observe-problem", 0644);
	assert_int_equal(unlink(problem), 0);
	unit_write(root, "run/ktstr-observe-problem",
		   "one that is much longer than what there is to be told now\n");
	assert_int_equal(unlink(loader), 0);
	run_with("KTSTR_MODE=run\n", NULL);
	expect_file("run/ktstr-observe-problem", "this ktstr was built without a BPF compiler");
	assert_int_equal(unlink(problem), 0);
	run_with("KTSTR_MODE=run\n", NULL);
	expect_mode("run/ktstr-observe-problem", 0644);
	assert_int_equal(unlink(problem), 0);
	assert_int_equal(mkdir(problem, 0755), 0);
	unit_write(root, "dev/ttyS0", "");
	run_with("KTSTR_MODE=run\n", NULL);
	expect_part("dev/ttyS0", "ktstr: write /run/ktstr-observe-problem: Is a directory\n");
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
	assert_in_range(asked->naps, 1, 1000);
}

/* ---- its place ---- */

static void expect_link(const char *name, const char *wanted)
{
	_free_ char *path = str_fmt("%s/%s", root, name);
	char target[64] = {};

	assert_true(readlink(path, target, sizeof(target) - 1) > 0);
	assert_string_equal(target, wanted);
}

static void directories_and_links_are_made(void **state)
{
	(void)state;
	add_channel(&(struct channel_region){});
	run_with("KTSTR_MODE=exec\n", "true");
	expect_mode("tmp", 0755);
	expect_mode("dev/pts", 0755);
	/* What is no mount is for everybody as the mount would be. */
	expect_mode("dev/shm", 01777);
	expect_mode("dev/shm/ktstr-channel-lock", 0600);
	expect_link("dev/fd", "/proc/self/fd");
	expect_link("dev/stdin", "/proc/self/fd/0");
	expect_link("dev/stdout", "/proc/self/fd/1");
	assert_int_equal(asked->null_files, 3);
	expect_file(DEVICE "enable", "1\n");
	/* They are there already, which is no problem. */
	run_with("KTSTR_MODE=exec\n", "true");
	expect_no_frame("LOGL:link");
}

static void without_dev_nothing_goes_on(void **state)
{
	(void)state;
	snprintf(asked->refused_mount, sizeof(asked->refused_mount), "/dev");
	asked->refused_with = EBUSY; /* the kernel has mounted it already */
	run_with("KTSTR_MODE=exec\n", "exit 3");
	expect_part("dev/ttyS1", "KTSTR_EXIT=3\n");
	asked->refused_with = 0;
	unit_write(root, "dev/ttyS1", "");
	run_with("KTSTR_MODE=exec\n", "exit 3");
	expect_file("dev/ttyS1", "PANIC: mount /dev: Permission denied\nKTSTR_EXIT=1\n");
}

static void what_cannot_be_written_is_told(void **state)
{
	_free_ char *name = str_fmt("%s/proc/sys/kernel/hostname", root);

	(void)state;
	add_channel(&(struct channel_region){});
	assert_int_equal(unlink(name), 0);
	unit_write(root, "boot/config/x", "");
	run_with("KTSTR_MODE=exec\n", "true");
	/* On the console: the channel is opened later. */
	expect_file("dev/ttyS0", "ktstr: write /proc/sys/kernel/hostname: No such file or "
				 "directory\nktstr: /boot/config: Is a directory\n");
	expect_frame("EXIT:0\n");
}

static void a_channel_that_cannot_be_used_is_none(void **state)
{
	_free_ char *memory = str_fmt("%s/" DEVICE "resource2", root);

	(void)state;
	add_channel(&(struct channel_region){});
	unit_write(root, "dev/shm/ktstr-channel-lock/x", "");
	run_with("KTSTR_MODE=exec\n", "exit 4");
	expect_part("dev/ttyS0", "ktstr: no channel, using " GUEST_SHELL_TTY
				 ": make /dev/shm/ktstr-channel-lock: Is a directory\n");
	expect_part("dev/ttyS1", "KTSTR_EXIT=4\n");
	unit_write(root, "dev/ttyS0", "");
	assert_int_equal(unlink(memory), 0);
	run_with("KTSTR_MODE=exec\n", "exit 4");
	expect_part("dev/ttyS0", "ktstr: no channel, using " GUEST_SHELL_TTY ": open /sys/");
	expect_part("dev/ttyS1", "KTSTR_EXIT=4\n");
}

static void write_cpu(const char *name, const char *text)
{
	for (int cpu = 0; cpu < 2; cpu++) {
		_free_ char *path = str_fmt("sys/devices/system/cpu/cpu%d/%s", cpu, name);
		_free_ char *own = str_fmt("%d\n", cpu);

		unit_write(root, path, text ? text : own);
	}
}

/* Two CPUs below one cache, on a node of 1000 MiB. */
static void make_topology(void)
{
	unit_write(root, "sys/devices/system/cpu/online", "0-1\n");
	write_cpu("topology/core_id", NULL);
	write_cpu("topology/core_cpus_list", NULL);
	write_cpu("topology/physical_package_id", "0\n");
	write_cpu("cache/index0/level", "3\n");
	write_cpu("cache/index0/type", "Unified\n");
	write_cpu("cache/index0/size", "1024K\n");
	write_cpu("cache/index0/shared_cpu_list", "0-1\n");
	unit_write(root, "sys/devices/system/node/online", "0\n");
	unit_write(root, "sys/devices/system/node/node0/cpulist", "0-1\n");
	unit_write(root, "sys/devices/system/node/node0/distance", "10\n");
	unit_write(root, "sys/devices/system/node/node0/meminfo", "Node 0 MemTotal: 1024000 kB\n");
}

static void the_topology_is_compared_and_told(void **state)
{
	(void)state;
	add_channel(&(struct channel_region){});
	make_topology();
	run_with("KTSTR_MODE=exec\nKTSTR_TOPO=1,1,2,1\nKTSTR_NODES=1:1000\n", "true");
	expect_frame("\ntopology=1n1l2c1t\n");
	expect_no_frame("LOGL");
	expect_fatal("KTSTR_MODE=exec\nKTSTR_TOPO=1,1,1,2\n",
		     "topology 1,1,1,2: CPU 0 is one of 1 threads of its core, 2 were asked for");
	expect_fatal("KTSTR_MODE=exec\nKTSTR_TOPO=1,1,2,1\nKTSTR_NODES=1:999\n",
		     "topology 1,1,2,1: NUMA node 0 has 1024000 KiB of memory, 999 MiB were asked "
		     "for");
}

/* As in an emulated aarch64 guest: the last level is the second, and clusters may be shown. */
static void clusters_are_looked_at_where_caches_are_not_shown(void **state)
{
	static const char settings[] = "KTSTR_MODE=exec\nKTSTR_TOPO=1,1,2,1\n";

	(void)state;
	add_channel(&(struct channel_region){});
	make_topology();
	write_cpu("cache/index0/level", "2\n");
	run_with(settings, "true");
	expect_frame("LOGL:warning: this guest shows neither L3 caches nor clusters: its LLCs are "
		     "not checked\n");
	expect_frame("EXIT:0\n");
	add_channel(&(struct channel_region){});
	write_cpu("topology/cluster_cpus_list", "0-1\n");
	run_with(settings, "true");
	expect_frame("LOGL:warning: this guest shows no L3 cache: its LLCs are clusters\n");
	expect_no_frame("not checked");
	expect_frame("EXIT:0\n");
	write_cpu("topology/cluster_cpus_list", NULL);
	expect_fatal(settings,
		     "topology 1,1,2,1: the cluster of CPU 0 has 1 CPUs, 2 were asked for");
}

/* ---- what it tells ---- */

/* The number behind the mark in the frames. */
static uint64_t told(const char *mark)
{
	const char *at = strstr(str_get(&frames), mark);

	assert_non_null(at);
	return strtoull(at + strlen(mark), NULL, 10);
}

static void times_are_those_of_its_clock(void **state)
{
	uint64_t before = __real_clock_mono_ns(), after;

	(void)state;
	add_channel(&(struct channel_region){});
	run_with("KTSTR_MODE=exec\n", "true");
	after = __real_clock_mono_ns();
	assert_in_range(told("RDY.:ns="), before, after);
	assert_in_range(told("PULS:ns="), told("RDY.:ns="), after);
	expect_no_frame("events=");
}

static void an_initramfs_that_was_cut_is_told_with_the_memory(void **state)
{
	_free_ char *mark = str_fmt("%s/.ktstr_init_ok", root), *text = NULL;
	struct sysinfo info;

	(void)state;
	assert_int_equal(unlink(mark), 0);
	sysinfo(&info);
	text = str_fmt("the initramfs was not unpacked to its end: the guest's memory (%lu MB) is "
		       "too small for it; give it more with --memory-mib",
		       info.totalram * info.mem_unit >> 20);
	expect_fatal("KTSTR_MODE=exec\n", text);
}

/* A person at the shell reads no lines of ours, unless nothing else tells. */
static void the_end_of_a_shell_is_a_line_without_a_channel(void **state)
{
	_str_ struct str shown = {};
	_free_ char *port = str_fmt("%s/dev/ttyS1", root);

	(void)state;
	run_with("KTSTR_MODE=shell\n", NULL);
	expect_part("dev/ttyS1", "KTSTR_EXIT=0\n");
	unit_write(root, "dev/ttyS1", "");
	add_channel(&(struct channel_region){});
	run_with("KTSTR_MODE=shell\n", NULL);
	assert_int_equal(file_read(port, &shown), 0);
	assert_null(strstr(str_get(&shown), "KTSTR_"));
	/* The bin of busybox has no link that is an applet. */
	assert_non_null(strstr(str_get(&shown), "busybox (0 applets)"));
}

/* Where the first serial port is not, the console may be another. */
static void the_console_is_what_there_is(void **state)
{
	_free_ char *port = str_fmt("%s/dev/ttyS0", root);

	(void)state;
	assert_int_equal(unlink(port), 0);
	unit_write(root, "dev/console", "");
	run_with("KTSTR_MODE=exec\n", "true");
	expect_part("dev/console", "ktstr: no channel, using " GUEST_SHELL_TTY ": ");
}

static void the_environment_is_that_of_the_settings(void **state)
{
	(void)state;
	add_channel(&(struct channel_region){});
	run_with("KTSTR_MODE=exec\nKTSTR_TERM=xterm\nKTSTR_COLORTERM=24bit\n"
		 "KTSTR_LIBRARY_PATH=/lib/mine\n",
		 "echo $TERM $COLORTERM $LD_LIBRARY_PATH");
	expect_frame("OUT1:xterm 24bit /lib/mine\n");
}

/* No text is a command, too: one that does nothing. */
static void an_empty_command_does_nothing(void **state)
{
	(void)state;
	add_channel(&(struct channel_region){});
	run_with("KTSTR_MODE=exec\n", "");
	expect_frame("EXIT:0\n");
	expect_part("dev/ttyS1", "KTSTR_EXEC_EXIT=0\n");
}

static void a_program_has_as_many_arguments_as_there_is_room_for(void **state)
{
	_str_ struct str args = {};

	(void)state;
	add_channel(&(struct channel_region){});
	str_add(&args, "/bin/busybox\nsh\n-c\necho $# $1\nzero\n");
	for (int i = 1; i <= 1030; i++)
		str_addf(&args, "\n%d\n", i);
	unit_write(root, "args", str_get(&args));
	run_with("KTSTR_MODE=run\nKTSTR_OBSERVE=0\n", NULL);
	expect_frame("OUT1:1019 1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		HERE(a_command_runs_and_its_status_is_the_end),
		HERE(the_table_of_mounts_is_mounted),
		HERE(some_mounts_are_needed_and_others_are_not),
		HERE(a_mount_that_is_needed_ends_it),
		HERE(without_a_channel_lines_tell_all),
		HERE(what_makes_no_sense_is_told),
		HERE(a_program_runs_as_a_test),
		HERE(events_are_counted_where_they_can_be),
		HERE(problems_of_the_observer_are_for_everybody),
		HERE(what_does_not_fit_is_counted),
		HERE(a_result_without_a_channel_is_marked),
		HERE(a_template_goes_on_with_its_input),
		HERE(under_kvm_nobody_writes_to_ports),
		HERE(a_fatal_signal_has_last_words),
		HERE(a_shell_begins_with_a_banner),
		HERE(a_shell_has_a_sane_terminal_of_a_size),
		HERE(its_keys_are_those_of_a_login),
		HERE(a_terminal_follows_the_window),
		HERE(directories_and_links_are_made),
		HERE(without_dev_nothing_goes_on),
		HERE(what_cannot_be_written_is_told),
		HERE(a_channel_that_cannot_be_used_is_none),
		HERE(the_topology_is_compared_and_told),
		HERE(clusters_are_looked_at_where_caches_are_not_shown),
		HERE(times_are_those_of_its_clock),
		HERE(an_initramfs_that_was_cut_is_told_with_the_memory),
		HERE(the_end_of_a_shell_is_a_line_without_a_channel),
		HERE(the_console_is_what_there_is),
		HERE(the_environment_is_that_of_the_settings),
		HERE(an_empty_command_does_nothing),
		HERE(a_program_has_as_many_arguments_as_there_is_room_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
