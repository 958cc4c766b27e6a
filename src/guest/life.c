// SPDX-License-Identifier: GPL-2.0-only
/* The life of PID 1, from its first instruction to the reboot. */

#include <sys/sysinfo.h>
#include <sys/utsname.h>
#if defined(__x86_64__)
#include <sys/io.h>
#endif

#include "guest/order.h"
#include "guest/protocol.h"
#include "guest/sched.h"

#define VALUE_SIZE 4096
#define MAX_ARGS 1024
#define POLL_STEP_NS 1000000 /* 1 ms */
#define BPF_STATS "/proc/sys/kernel/bpf_stats_enabled"

struct guest {
	struct settings settings;
	struct topology_shape shape;
	struct include_path includes;
	struct utsname kernel;
};

static const char *get(const struct guest *g, const char *name, char value[static VALUE_SIZE])
{
	return settings_get(&g->settings, name, value, VALUE_SIZE);
}

static bool is_mode(const struct guest *g, const char *mode)
{
	char value[VALUE_SIZE];

	return get(g, GUEST_MODE, value) && str_eq(value, mode);
}

static void open_stdio(void)
{
	int fd = open("/dev/null", O_RDWR);

	for (int i = STDIN_FILENO; fd >= 0 && i <= STDERR_FILENO; i++)
		dup2(fd, i);
	if (fd > STDERR_FILENO)
		close(fd);
}

static void write_file(const char *path, const char *text)
{
	_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);
	int rc = fd < 0 ? -errno : fd_write_all(fd, text, strlen(text));

	if (rc < 0)
		report_log("write %s: %s", path, strerror(-rc));
}

static void read_settings(struct guest *g)
{
	int rc = settings_read(&g->settings, "");

	if (rc < 0)
		report_fatal("read the settings: %s", strerror(-rc));
}

/* The mark is the last file of every archive: without it, unpacking was incomplete. */
static void check_complete(void)
{
	struct sysinfo info;

	if (access(GUEST_INIT_OK, F_OK) == 0)
		return;
	sysinfo(&info);
	report_fatal(
		"the initramfs was not unpacked to its end: the guest's memory (%lu MB) is too small for it; give it more with --memory-mib",
		info.totalram * info.mem_unit >> 20);
}

/* Programs look for it under the name of the running kernel. */
static void name_config(void)
{
	int rc = kernel_config_place("");

	if (rc < 0 && rc != -ENOENT)
		report_log(GUEST_CONFIG ": %s", strerror(-rc));
}

static void open_channel(const struct guest *g)
{
	int rc = report_open_channel();

	if (rc == 0)
		return;
	if (settings_is_set(&g->settings, GUEST_TEMPLATE))
		report_fatal("a template needs a channel: %s", err_text(rc));
	report_log("no channel, using %s: %s", GUEST_SHELL_TTY, err_text(rc));
}

/* An emulated aarch64 machine shows no last-level cache: print a warning and check its clusters. */
static int check_clusters(const struct guest *g, const struct topology *t)
{
	int rc = topology_check_clusters(t, &g->shape, &roots_live);

	if (rc == -ENODATA)
		report_log("warning: this guest shows neither L3 caches nor clusters: its LLCs are "
			   "not checked");
	else if (rc == 0)
		report_log("warning: this guest shows no L3 cache: its LLCs are clusters");
	return rc == -ENODATA ? 0 : rc;
}

static void check_topology(struct guest *g)
{
	char topology[VALUE_SIZE], nodes[VALUE_SIZE], distances[VALUE_SIZE];
	_topology_ struct topology t = {};
	int rc;

	if (!get(g, GUEST_TOPOLOGY, topology)) {
		report_log(GUEST_TOPOLOGY " is not set, the topology is not checked");
		return;
	}
	rc = topology_shape_parse(topology, &g->shape);
	rc = rc ?: topology_read(&t, &roots_live);
	if (rc == 0)
		rc = topology_check(&t, &g->shape, get(g, GUEST_NODES, nodes),
				    get(g, GUEST_DISTANCES, distances));
	if (rc == 0 && topology_lacks_caches(&t))
		rc = check_clusters(g, &t);
	if (rc < 0)
		report_fatal("topology %s: %s", topology, err_text(rc));
}

/*
 * Ends a step after which the host may stop the machine: QEMU's pvpanic device pauses it at
 * once. Under KVM, the host stops it after reading the line instead: if KVM is nested in an
 * emulator, programs may not write to ports in spite of ioperm(). aarch64 has no ports.
 */
static void ask_for_pause(const struct guest *g _unused_)
{
#if defined(__x86_64__)
	char accel[VALUE_SIZE];

	if (get(g, GUEST_ACCEL, accel) && str_eq(accel, "kvm"))
		return;
	if (ioperm(GUEST_PAUSE_PORT, 1, 1) == 0)
		outb(GUEST_PAUSE_VALUE, GUEST_PAUSE_PORT);
#endif
}

/*
 * The ready point of a template. The guest is saved somewhere in here and continues from
 * here in every run, where the input is in the channel from the start.
 */
static void wait_for_input(const struct guest *g)
{
	const struct channel_header *h = report.channel.header;
	const void *data;
	size_t len;
	int rc;

	report_line(GUEST_LINE_READY);
	/* The host looks for that line as soon as the machine has stopped. */
	report_drain();
	ask_for_pause(g);
	while (!channel_has_input(h))
		clock_sleep_ns(POLL_STEP_NS);
	rc = channel_input(h, report.channel.region_size, &data, &len);
	if (rc == 0) {
		unlink(GUEST_INIT_OK);
		rc = unpack_newc("", data, len);
	}
	if (rc < 0)
		report_fatal("the run's files: %s", err_text(rc));
	check_complete();
}

static void take_input(struct guest *g)
{
	wait_for_input(g);
	read_settings(g);
}

/* The clock is that of the template, which may be weeks old. Run times are not affected. */
static void set_time(const struct guest *g)
{
	char value[VALUE_SIZE];
	struct timespec now;
	uint64_t ns;

	if (!get(g, GUEST_WALL_NS, value) || parse_u64(value, &ns) < 0)
		return;
	now.tv_sec = (time_t)(ns / NSEC_PER_SEC);
	now.tv_nsec = (long)(ns % NSEC_PER_SEC);
	if (clock_settime(CLOCK_REALTIME, &now) < 0)
		report_log("set the time: %s", strerror(errno));
}

static unsigned long memory_mib(void)
{
	struct sysinfo info;

	return sysinfo(&info) == 0 ? info.totalram * info.mem_unit >> 20 : 0;
}

static void add_clock(struct str *out)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	str_addf(out, "ns=%lld\n", (long long)now.tv_sec * 1000000000 + now.tv_nsec);
}

static void announce(struct guest *g)
{
	_str_ struct str text = {};
	const struct topology_shape *s = &g->shape;

	uname(&g->kernel);
	add_clock(&text);
	str_addf(&text, "kernel=%s\nmemory_mib=%lu\n", g->kernel.release, memory_mib());
	if (s->nodes)
		str_addf(&text, "topology=%un%ul%uc%ut\n", s->nodes, s->llcs, s->cores, s->threads);
	channel_send(&report.channel, CHANNEL_READY, str_get(&text), text.len);
}

static void set_environment(struct guest *g)
{
	char libraries[VALUE_SIZE], term[VALUE_SIZE], colorterm[VALUE_SIZE];
	_str_ struct str lines = {};

	file_read_at(AT_FDCWD, GUEST_ENV_FILE, &lines);
	include_path_scan(&g->includes, GUEST_INCLUDE_DIR);
	run_set_environment(&(struct run_environment){
		.program_dirs = str_get(&g->includes.directories),
		.library_path = get(g, GUEST_LIBRARY_PATH, libraries),
		.term = get(g, GUEST_TERM, term),
		.colorterm = get(g, GUEST_COLORTERM, colorterm),
		.lines = str_get(&lines),
	});
}

static unsigned int count_applets(void)
{
	_closedir_ DIR *dir = opendir("/bin");
	unsigned int count = 0;

	for (struct dirent *e; dir && (e = readdir(dir));)
		count += e->d_type == DT_LNK;
	return count;
}

static unsigned int get_number(const struct guest *g, const char *name)
{
	char value[VALUE_SIZE];
	uint64_t number;

	if (!get(g, name, value) || parse_u64(value, &number) < 0 || number > 65535)
		return 0;
	return (unsigned int)number;
}

static int run_shell(const struct guest *g)
{
	_str_ struct str banner = {}, mounts = {};

	mounts_list(&mounts);
	shell_add_banner(&(struct shell_facts){ .kernel = g->kernel.release,
						.memory_mib = memory_mib(),
						.shape = g->shape,
						.includes = str_get(&g->includes.files),
						.applets = count_applets(),
						.mounts = str_get(&mounts) },
			 &banner);
	return shell_run(str_get(&banner),
			 &(struct shell_terminal){ .columns = get_number(g, GUEST_COLUMNS),
						   .rows = get_number(g, GUEST_ROWS) });
}

static int run_exec(void)
{
	_str_ struct str command = {};
	char *argv[] = { GUEST_BUSYBOX, "sh", "-c", NULL, NULL };
	int rc = file_read(GUEST_EXEC_FILE, &command), status;

	if (rc < 0)
		report_fatal("%s", err_text(rc));
	argv[3] = command.s ? command.s : "";
	status = run_program(argv);
	report_line(GUEST_LINE_EXEC_EXIT "%d", status);
	return status;
}

/* Sends the result that the test program wrote, if it got that far. */
static void send_result(void)
{
	_str_ struct str result = {};

	if (file_read_at(AT_FDCWD, GUEST_RESULT_FILE, &result) < 0)
		str_reset(&result);
	report_result(str_get(&result), result.len);
}

static int run_attached(struct scheduler *s, char *const argv[])
{
	struct run_watcher watcher;
	int status;

	if (!scheduler_start(s))
		return GUEST_STATUS_NO_SCHEDULER;
	probes_wait();
	watcher = scheduler_watcher(s);
	report_line(GUEST_LINE_PAYLOAD);
	scheduler_begin_payload(s);
	status = run_program_watched(argv, &watcher);
	send_result();
	return status;
}

static int run_under_scheduler(const struct guest *g, struct scheduler *s, char *const argv[])
{
	char functions[VALUE_SIZE];
	bool has_probes = get(g, GUEST_PROBES, functions);
	int status;

	if (has_probes)
		probes_start(functions);
	status = run_attached(s, argv);
	if (has_probes)
		probes_finish();
	return status;
}

static bool is_observed(const struct guest *g)
{
	char value[VALUE_SIZE];

	return !get(g, GUEST_OBSERVE, value) || !str_eq(value, "0");
}

static struct scheduler scheduler;

/* Everything before the second ready point. */
static void prepare(struct guest *g)
{
	int rc;

	channel_drop_input(report.channel.header, report.channel.region_size);
	report_keep_logs();
	set_environment(g);
	rc = scheduler_init(&scheduler, &g->settings);
	if (rc < 0)
		report_fatal("%s", err_text(rc));
	scheduler_prepare(&scheduler);
}

/* Runs the test: its program and arguments are lines of a file. */
static int run_payload(const struct guest *g)
{
	static char *argv[MAX_ARGS + 1];
	_str_ struct str lines = {};
	size_t count = 0;
	char *save = NULL;
	int rc = file_read(GUEST_ARGS_FILE, &lines), status;

	if (rc < 0)
		report_fatal("%s", err_text(rc));
	for (char *line = strtok_r(lines.s, "\n", &save); line && count < MAX_ARGS;
	     line = strtok_r(NULL, "\n", &save))
		argv[count++] = line;
	if (count == 0)
		report_fatal(GUEST_ARGS_FILE " names no program");
	rc = scheduler_init(&scheduler, &g->settings);
	if (rc < 0)
		report_fatal("%s", err_text(rc));
	if (is_observed(g))
		observe_start();
	if (scheduler.is_wanted) {
		status = run_under_scheduler(g, &scheduler, argv);
	} else {
		report_line(GUEST_LINE_PAYLOAD);
		status = run_program(argv);
		send_result();
	}
	scheduler_finish(&scheduler);
	profiles_send();
	return status;
}

static void set_limit(const struct guest *g)
{
	char value[VALUE_SIZE];
	uint64_t seconds;

	if (get(g, GUEST_LIMIT_S, value) && parse_u64(value, &seconds) == 0 && seconds < 1000000)
		run_set_limit(seconds * 1000000000ULL);
}

static int run_mode(const struct guest *g)
{
	if (is_mode(g, GUEST_MODE_SHELL))
		return run_shell(g);
	if (is_mode(g, GUEST_MODE_EXEC))
		return run_exec();
	set_limit(g);
	if (is_mode(g, GUEST_MODE_RUN))
		return run_payload(g);
	report_fatal(GUEST_MODE " is none of " GUEST_MODE_SHELL ", " GUEST_MODE_EXEC
				", " GUEST_MODE_RUN);
}

static void add_order(struct str *out)
{
	uint64_t events, tasks;

	if (order_count(&events, &tasks))
		str_addf(out, "events=%llu\ntasks=%llu\n", ULL(events), ULL(tasks));
}

/*
 * Two different runs may have the same output, but not the same clock, context switches and
 * interrupts. These are sent to become part of the run's digest.
 */
static void send_pulse(void)
{
	_str_ struct str text = {};

	add_clock(&text);
	add_order(&text);
	file_read_at(AT_FDCWD, "/proc/stat", &text);
	channel_send(&report.channel, CHANNEL_PULSE, str_get(&text), text.len);
}

/*
 * In the simulator, the host has all frames once the machine has stopped. So the reboot is
 * skipped: nobody looks at it, and translating its code takes a thirtieth of a short run.
 */
static void stop_at_end(const struct guest *g)
{
	char accel[VALUE_SIZE];

	if (!report_has_channel() || !get(g, GUEST_ACCEL, accel) || !str_eq(accel, "sim"))
		return;
	report_drain();
	ask_for_pause(g);
}

/* A user of the interactive shell should not see these lines, unless there is no channel. */
static void finish(const struct guest *g, int32_t status) __attribute__((noreturn));

static void finish(const struct guest *g, int32_t status)
{
	if (!is_mode(g, GUEST_MODE_SHELL))
		send_pulse();
	report_lost_output();
	channel_send(&report.channel, CHANNEL_EXIT, &status, sizeof(status));
	stop_at_end(g);
	if (!report_has_channel() || !is_mode(g, GUEST_MODE_SHELL))
		report_line(GUEST_LINE_EXIT "%d", status);
	report_reboot();
}

/* QEMU runs all vCPUs on one thread, except under KVM. */
static bool takes_turns(const struct guest *g)
{
	char accel[VALUE_SIZE];

	return get(g, GUEST_ACCEL, accel) && (str_eq(accel, "sim") || str_eq(accel, "tcg"));
}

static void boot(struct guest *g)
{
	int rc = mounts_make_dev();

	/* First of all: what is opened before it may take the place of stdin, stdout or stderr. */
	open_stdio();
	report_open();
	if (rc < 0)
		report_fatal("mount /dev: %s", strerror(-rc));
	mounts_make_proc();
	read_settings(g);
	if (!is_mode(g, GUEST_MODE_SHELL))
		report_line(GUEST_LINE_STARTED);
	mounts_make_rest();
	write_file("/proc/sys/kernel/hostname", "ktstr");
	check_complete();
	name_config();
	write_file(BPF_STATS, "1");
	open_channel(g);
	check_topology(g);
	if (settings_is_set(&g->settings, GUEST_TEMPLATE) || is_mode(g, GUEST_MODE_RUN)) {
		scx_watchdog_learn();
		observe_load(takes_turns(g));
	}
}

/* Returns fallback if the setting is missing. */
static uint32_t read_knob(const struct guest *g, const char *name, uint32_t fallback)
{
	char value[VALUE_SIZE];
	uint64_t number;

	if (!get(g, name, value))
		return fallback;
	if (parse_u64(value, &number) < 0)
		report_fatal("%s is not a number: %s", name, value);
	return (uint32_t)MIN(number, UINT32_MAX);
}

/* Starts the strategy that delays tasks to vary their order, if one is set. */
static void apply_order(const struct guest *g, uint64_t seed)
{
	char strategy[VALUE_SIZE];
	struct order_options o = { .strategy = get(g, GUEST_STRATEGY, strategy),
				   .depth = read_knob(g, GUEST_DEPTH, 0),
				   .events = read_knob(g, GUEST_EVENTS, 0),
				   .seed = seed,
				   .has_scheduler = access(GUEST_SCHED_ARGS, F_OK) == 0 };
	int rc = o.strategy ? order_start(&o) : 0;

	if (rc < 0)
		report_fatal("strategy %s of depth %u: %s", strategy, o.depth, strerror(-rc));
	/*
	 * Strategies delay the scheduler's programs in kernel calls: that is not the
	 * scheduler's own time.
	 */
	if (o.strategy)
		write_file(BPF_STATS, "0");
}

static void apply_jitter(const struct guest *g, uint64_t seed)
{
	char strategy[VALUE_SIZE];
	bool is_on = settings_is_set(&g->settings, GUEST_JITTER);
	uint32_t usual_us = get(g, GUEST_STRATEGY, strategy) ? ORDER_SLICE_US : JITTER_SLICE_US;
	uint32_t slice_us = read_knob(g, GUEST_SLICE, is_on ? jitter_slice_us(seed) : usual_us);
	uint32_t delays = read_knob(g, GUEST_DELAYS, is_on ? JITTER_DELAYS : 0);
	uint32_t wake_delay_us = read_knob(g, GUEST_WAKE_DELAYS, 0);
	int rc = jitter_set_slice(slice_us);

	if (rc < 0)
		report_fatal("a slice of %u us: %s", slice_us, strerror(-rc));
	rc = jitter_start_delays(seed, delays);
	if (rc < 0)
		report_fatal("%u delays a second: %s", delays, strerror(-rc));
	rc = wake_delay_start(seed, wake_delay_us);
	if (rc < 0)
		report_fatal("wakeups that take up to %u us longer: %s", wake_delay_us,
			     strerror(-rc));
	apply_order(g, seed);
}

static void apply_seed(const struct guest *g)
{
	char value[VALUE_SIZE];
	uint64_t seed;

	if (!get(g, GUEST_SEED, value) || parse_u64(value, &seed) < 0)
		return;
	apply_jitter(g, seed);
	seed_apply(seed);
}

void guest_live(void)
{
	static struct guest g;

	crash_install();
	boot(&g);
	if (settings_is_set(&g.settings, GUEST_TEMPLATE)) {
		take_input(&g);
		if (settings_is_set(&g.settings, GUEST_PREPARE)) {
			prepare(&g);
			take_input(&g);
		}
		set_time(&g);
	}
	announce(&g);
	report_send_logs();
	if (settings_is_set(&g.settings, GUEST_DISK))
		disk_make();
	set_environment(&g);
	apply_seed(&g);
	finish(&g, run_mode(&g));
}
