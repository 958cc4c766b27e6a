// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr shell`: boots a kernel on a machine, and runs a shell or one command. */
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "cli/options.h"
#include "cli/rows_test.h"
#include "guest/protocol.h"
#include "kernel/kernel.h"
#include "run/discover.h"
#include "trace/trace.h"
#include "vm/session.h"
#include "watch/watch.h"

#define EXIT_TIMED_OUT 124
#define INTERACTIVE_LIMIT_NS (24ULL * 3600 * NSEC_PER_SEC)
#define QUEUE_LIMIT_NS (3600 * NSEC_PER_SEC)

/* Prints each line as "warning: ..." to stderr. */
static void vm_print_warnings(const struct str *lines)
{
	text_each_line(l, str_get(lines))
		if (l.len)
			log_note("warning: %.*s", (int)l.len, l.s);
}

/* ---- the disk ---- */

/* An empty disk in memory: leaves no files behind. */
struct vm_disk {
	uint64_t bytes; /* 0 = none */
	int fd;
	char path[64];
	struct str driver; /* virtio_blk, if the kernel has it as a module */
	struct initramfs_file driver_file;
};

static int vm_disk_parse(struct vm_disk *d, const char *text)
{
	*d = (struct vm_disk){ .fd = -1 };
	if (!text)
		return 0;
	if (parse_size_iec(text, &d->bytes) < 0 || d->bytes == 0 || d->bytes > 1ULL << 44)
		return err_set(EINVAL,
			       "invalid size '%s' for --disk: expected 256mib, 1gib or the like",
			       text);
	return 0;
}

/* False if the configuration does not say so; the driver may still exist as a module. */
static bool has_virtio_built_in(const struct kernel_image *kernel)
{
	_str_ struct str config = {};

	return kernel->config && file_read_at(AT_FDCWD, kernel->config, &config) == 0 &&
	       strstr(str_get(&config), "CONFIG_VIRTIO_BLK=y\n");
}

/* Uses the built-in driver, or its module, or else NVMe, which every kernel image has. */
static int choose_driver(struct vm_disk *d, const struct kernel_image *kernel, struct vm_spec *spec)
{
	int rc;

	if (has_virtio_built_in(kernel))
		return 0;
	rc = kernel_module_get(kernel, "drivers/block/virtio_blk", log_label(), &d->driver);
	if (rc == -ENOMEM || rc == -EINTR)
		return rc;
	if (rc < 0) {
		log_note("%s: %s: the disk is an NVMe with a link /dev/vda", log_label(),
			 err_text(rc));
		spec->disk_is_nvme = true;
		return 0;
	}
	d->driver_file = (struct initramfs_file){ .path = GUEST_DISK_DRIVER,
						  .data = d->driver.s,
						  .len = d->driver.len };
	spec->has_modules = true;
	return 0;
}

/*
 * Sets the disk of the spec; if driver_file has a path, it must be added to the files of the run.
 */
static int vm_disk_use(struct vm_disk *d, const struct kernel_image *kernel, struct vm_spec *spec)
{
	if (!d->bytes)
		return 0;
	d->fd = memfd_create("ktstr-disk", 0);
	if (d->fd < 0 || ftruncate(d->fd, (off_t)d->bytes) < 0)
		return err_sys(errno, "create the guest's disk");
	snprintf(d->path, sizeof(d->path), "/proc/self/fd/%d", d->fd);
	spec->disk_path = d->path;
	return choose_driver(d, kernel, spec);
}

static void vm_disk_finish(struct vm_disk *d)
{
	cleanup_fd(&d->fd);
	str_finish(&d->driver);
	*d = (struct vm_disk){ .fd = -1 };
}

/* ---- host CPUs ---- */

/* Host CPUs of a VM, by --no-perf-mode, --cpu-cap and their variables. */
struct vm_reservation {
	struct topology topology;
	struct cpulist allowed;
	struct reservation reservation;
	struct sandbox sandbox;
	struct cpu_cap cap;
	bool no_perf_mode;
};

/* Before anything is fetched or started. */
static int vm_reservation_read(struct vm_reservation *r, const struct cli_call *call)
{
	int rc = budget_read_allowed(&r->allowed, &roots_live);

	r->no_perf_mode = cli_flag(call, "no-perf-mode") || run_mode_env_no_perf();
	rc = rc ?: cpu_cap_resolve(&r->cap, cli_text(call, "cpu-cap"), r->allowed.count);
	return rc ?: cpu_cap_check_mode(&r->cap, r->no_perf_mode);
}

static int vm_reservation_take(struct vm_reservation *r, enum vm_accel accel,
			       const struct vm_topology *topology)
{
	struct reserve_request request = { .is_single = accel != VM_ACCEL_KVM,
					   .shape = { topology->nodes, topology->llcs,
						      topology->cores, topology->threads },
					   .preference = PLAN_SPREAD,
					   .timeout_ns = QUEUE_LIMIT_NS,
					   .topology = &r->topology,
					   .allowed = &r->allowed };
	int rc;

	request.mode = run_mode_select(&(struct run_mode_wishes){
		.has_budget = r->cap.cpus > 0, .no_perf_mode = r->no_perf_mode });
	request.budget = r->cap.cpus;
	if (r->cap.cpus)
		request.preference = PLAN_CONSOLIDATE;
	if (request.mode == RUN_FREE || budget_is_bypassed())
		return 0;
	rc = topology_read(&r->topology, &roots_live);
	rc = rc ?: reservation_acquire(&r->reservation, &request);
	return rc ?: sandbox_enter_plan(&r->sandbox, &r->reservation.plan, r->cap.cpus > 0);
}

static void vm_reservation_finish(struct vm_reservation *r)
{
	sandbox_leave(&r->sandbox);
	reservation_release(&r->reservation);
	topology_finish(&r->topology);
	cpulist_finish(&r->allowed);
}

/* ---- sim ---- */

/* --sim-shift and the other options of sim, except the seed; -EINVAL with the reason. */
static int vm_sim_options(const struct cli_call *call, struct vm_sim *out)
{
	uint64_t shift = cli_number(call, "sim-shift"), slice = vm_sim_slice_option(call);

	*out = (struct vm_sim){ .shift = (unsigned int)shift,
				.slice_us = (uint32_t)slice,
				.has_jitter = cli_flag(call, "sim-jitter"),
				.delays = (uint32_t)cli_number(call, "sim-delays"),
				.wake_delay_us = (uint32_t)cli_number(call, "sim-wake-delays") };
	return vm_sim_check(shift, slice);
}

/* Warns about each of them, and about --seed, if the accelerator is not sim. */
static void vm_sim_options_warn(const struct cli_call *call, enum vm_accel accel)
{
	static const char *const options[] = { "--seed",       "--sim-shift",  "--sim-slice",
					       "--sim-jitter", "--sim-delays", "--sim-wake-delays" };

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (cli_is_given(call, options[i] + strlen("--")))
			vm_accel_check_sim_option(accel, options[i]);
}

/* ---- the command ---- */

/* All resources of a shell, with one finish function. */
struct shell {
	const struct cli_call *call;
	const char *command; /* NULL = interactive */
	struct vm_topology topology;
	struct vm_numa numa;
	struct vm_qemu qemu;
	enum vm_accel accel;
	struct vm_sim sim;
	struct kernel_image kernel;
	struct include_files includes;
	struct initramfs_base base;
	struct vm_reservation cpus;
	struct str settings;
	struct vm_disk disk;
	uint64_t memory_mib;
	struct test_programs programs; /* for --test */
	const struct probe_test *test;
};

static void shell_finish(struct shell *s)
{
	test_programs_finish(&s->programs);
	vm_reservation_finish(&s->cpus);
	vm_disk_finish(&s->disk);
	initramfs_base_finish(&s->base);
	include_files_finish(&s->includes);
	kernel_image_finish(&s->kernel);
	vm_qemu_finish(&s->qemu);
	str_finish(&s->settings);
}

/* Uses the machine of a declared test. */
static int find_test(struct shell *s)
{
	const char *name = cli_text(s->call, "test");
	const struct test_program *program;
	int rc;

	if (!name)
		return 0;
	if (cli_is_given(s->call, "memory-mib"))
		return cli_usage_error(s->call, "--test cannot be used with --memory-mib");
	rc = discover_programs(NULL, 0, &(struct discover_options){ .skips_broken = true },
			       &s->programs);
	rc = rc ?: test_programs_find(&s->programs, name, &program, &s->test);
	if (rc < 0)
		return rc;
	s->topology = run_topology_of(s->test);
	s->memory_mib = s->test->memory_mib;
	return run_numa_of(s->test, &s->numa);
}

/* Checks before anything is fetched or started. */
static int check_options(struct shell *s)
{
	const struct cli_call *call = s->call;
	int rc = vm_topology_parse(cli_text(call, "topology"), &s->topology);

	rc = rc ?: vm_disk_parse(&s->disk, cli_text(call, "disk"));
	if (rc < 0)
		return cli_usage_error(call, "%s", err_text(rc));
	s->command = cli_text(call, "exec");
	if (cli_is_given(call, "exec-timeout") && !s->command)
		return cli_usage_error(call, "--exec-timeout requires --exec");
	if (cli_is_given(call, "trace") && !s->command)
		return cli_usage_error(call, "--trace requires --exec");
	rc = vm_sim_options(call, &s->sim);
	if (rc < 0)
		return cli_usage_error(call, "%s", err_text(rc));
	rc = seed_option(call, &s->sim.seed) ?: vm_reservation_read(&s->cpus, call);
	if (rc < 0)
		return rc;
	rc = s->command ? 0 : terminal_check();
	return rc ? rc : find_test(s);
}

struct include_list {
	const char *items[256];
	size_t count;
};

static void add_file(struct include_list *l, const char *name)
{
	if (l->count < ARRAY_SIZE(l->items))
		l->items[l->count] = name;
	l->count++;
}

/* Parts of a test may request the same file twice; a duplicate given by the user is reported. */
static void want_file(struct include_list *l, const char *name)
{
	for (size_t i = 0; i < l->count && i < ARRAY_SIZE(l->items); i++)
		if (str_eq(l->items[i], name))
			return;
	add_file(l, name);
}

static void want_files_of_test(struct include_list *l, const struct probe_test *t)
{
	for (size_t i = 0; i < t->payloads.count; i++) {
		want_file(l, t->payloads.items[i].binary);
		for (size_t k = 0; k < t->payloads.items[i].include_files.count; k++)
			want_file(l, t->payloads.items[i].include_files.items[k]);
	}
	for (size_t i = 0; i < t->include_files.count; i++)
		want_file(l, t->include_files.items[i]);
}

static int resolve_files(struct shell *s)
{
	struct include_list wanted = {};
	int rc;

	for (size_t i = 0; i < cli_count(s->call, "include-files"); i++)
		add_file(&wanted, cli_nth(s->call, "include-files", i));
	if (s->test)
		want_files_of_test(&wanted, s->test);
	if (wanted.count > ARRAY_SIZE(wanted.items))
		return err_set(E2BIG, "at most %zu -i are possible; name a directory instead",
			       ARRAY_SIZE(wanted.items));
	rc = include_files_resolve(&s->includes, wanted.items, wanted.count);
	if (rc < 0)
		return rc;
	vm_print_warnings(&s->includes.warnings);
	if (cli_flag(s->call, "explain-includes")) {
		_str_ struct str text = {};

		include_files_explain(&s->includes, &text);
		fputs(str_get(&text), stderr);
	}
	return 0;
}

static int resolve(struct shell *s)
{
	enum vm_accel fallback = s->command ? VM_ACCEL_SIM : VM_ACCEL_TCG;
	struct kernel_resolve_opts opts = { .label = s->call->program,
					    .allow_raw_image = s->call->is_cargo,
					    .fetch_when_absent = true };
	int rc = vm_qemu_find(vm_arch_host(), &s->qemu);

	if (rc == 0)
		rc = vm_accel_choose(cli_text(s->call, "accel"), &s->qemu, vm_arch_host(), fallback,
				     &s->accel, NULL);
	if (rc == 0)
		vm_sim_options_warn(s->call, s->accel);
	rc = rc ?: resolve_files(s);
	rc = rc ?: kernel_resolve(cli_text(s->call, "kernel"), &opts, &s->kernel);
	if (rc == 0)
		rc = initramfs_base_get(&(struct initramfs_base_spec){ .kernel = &s->kernel },
					&s->base);
	return rc;
}

/*
 * Only an interactive guest gets properties of the terminal: the run of a command must not depend
 * on them.
 */
static void add_terminal(struct shell *s)
{
	const char *term = env_get("TERM"), *colour = env_get("COLORTERM");
	struct winsize size;

	if (term)
		str_addf(&s->settings, "%s=%s\n", GUEST_TERM, term);
	if (colour)
		str_addf(&s->settings, "%s=%s\n", GUEST_COLORTERM, colour);
	if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		str_addf(&s->settings, "%s=%u\n%s=%u\n", GUEST_COLUMNS, size.ws_col, GUEST_ROWS,
			 size.ws_row);
}

static int describe(struct shell *s, struct vm_session *session, struct initramfs_run *run)
{
	int rc;

	str_addf(&s->settings, "%s=%s\n", GUEST_MODE,
		 s->command ? GUEST_MODE_EXEC : GUEST_MODE_SHELL);
	if (s->accel == VM_ACCEL_SIM)
		vm_sim_settings(&s->sim, &s->settings);
	if (s->disk.bytes)
		str_addf(&s->settings, "%s=1\n", GUEST_DISK);
	if (!s->command)
		add_terminal(s);
	*run = (struct initramfs_run){ .settings = str_get(&s->settings),
				       .exec_command = s->command,
				       .includes = &s->includes };
	*session = (struct vm_session){
		.qemu = &s->qemu,
		.base = &s->base,
		.run = run,
		.is_cold = !s->command || cli_flag(s->call, "cold"),
		.forwards_console = cli_flag(s->call, "dmesg"),
		.limit_ns = s->command ? cli_number(s->call, "exec-timeout") : INTERACTIVE_LIMIT_NS,
		.has_wall_limit = true,
		.boot_limit_ns = vm_boot_limit_ns(&s->topology),
	};
	vm_fill_spec(&session->spec, &s->qemu, s->accel, &s->kernel, &s->topology);
	session->spec.numa = s->numa;
	session->spec.mode = s->command ? GUEST_MODE_EXEC : GUEST_MODE_SHELL;
	session->spec.is_verbose = session->forwards_console || vm_env_is_verbose(s->accel);
	session->spec.sim = s->sim;
	session->spec.has_modules = include_files_have_modules(&s->includes);
	if (str_check(&s->settings) < 0)
		return -ENOMEM;
	rc = vm_disk_use(&s->disk, &s->kernel, &session->spec);
	run->files = &s->disk.driver_file;
	run->file_count = s->disk.driver_file.path != NULL;
	return rc;
}

static uint64_t wanted_memory(const struct shell *s, uint64_t floor_mib)
{
	if (s->numa.has_nodes)
		return run_numa_memory_mib(s->test);
	if (cli_is_given(s->call, "memory-mib"))
		return cli_number(s->call, "memory-mib");
	return MAX(s->memory_mib, vm_memory_default(floor_mib, &s->topology));
}

/* Guest memory: as requested, or the minimum plus some room. */
static int choose_memory(struct shell *s, struct vm_session *session)
{
	uint64_t floor_mib;
	int rc = vm_memory_floor(&s->kernel, &s->base, session->run, &floor_mib);

	if (rc < 0)
		return rc;
	session->spec.memory_mib = wanted_memory(s, floor_mib);
	if (session->spec.memory_mib < floor_mib)
		return err_set(EINVAL,
			       "%s %llu is too little: kernel and files need %llu MiB to boot",
			       s->numa.has_nodes ? "the memory_mib of all .nodes together," :
						   "--memory-mib",
			       ULL(session->spec.memory_mib), ULL(floor_mib));
	return 0;
}

static int print_frame(void *ctx _unused_, const struct channel_frame *frame)
{
	if (frame->type == CHANNEL_STDOUT)
		return output_bytes(STDOUT_FILENO, frame->data, frame->length);
	if (frame->type == CHANNEL_STDERR)
		return output_bytes(STDERR_FILENO, frame->data, frame->length);
	return 0;
}

/* The whole digest: no record contains it. */
static void tell_digest(const struct shell *s, const struct vm_result *r)
{
	if (s->accel == VM_ACCEL_SIM && *r->digest && cli_flag(s->call, "verbose"))
		log_note("%s: seed %llu, digest %s", log_label(), ULL(s->sim.seed), r->digest);
}

static int report(const struct shell *s, const struct vm_result *r)
{
	vm_print_warnings(&r->diagnostics);
	tell_digest(s, r);
	if (r->lost_bytes)
		return err_set(ENOSPC,
			       "the last %llu bytes of the command's output are lost: a restored "
			       "guest has room for %llu MiB; --accel tcg --cold has no such limit",
			       ULL(r->lost_bytes), VM_RING_BYTES / 2 >> 20);
	switch (r->outcome) {
	case VM_OUTCOME_EXIT:
		return r->status;
	case VM_OUTCOME_TIMED_OUT:
		fprintf(stderr, "error: the command did not end within %s; the VM was ended\n",
			cli_text(s->call, "exec-timeout"));
		return EXIT_TIMED_OUT;
	case VM_OUTCOME_CRASHED:
		return err_set(EIO, "the guest crashed: %s", str_get(&r->message));
	case VM_OUTCOME_SILENT:
		return err_set(EIO,
			       "the guest ended without a result: %s; --dmesg shows its kernel's "
			       "messages",
			       str_get(&r->message));
	}
	return EXIT_FAILED;
}

static int run_command(struct shell *s, struct vm_session *session)
{
	const struct run_tracer_file trace = { .path = cli_text(s->call, "trace"),
					       .of = s->command };
	struct vm_result result;
	int rc;

	session->on_frame = print_frame;
	rc = trace.path ? run_tracer_run(session, s->kernel.vmlinux, &trace, &result) :
			  vm_session_run(session, &result);
	if (rc < 0)
		return rc;
	rc = report(s, &result);
	vm_result_finish(&result);
	return rc;
}

/* The host cannot model unequal nodes: their LLCs are placed where there is room. */
static int take_cpus(struct shell *s)
{
	struct vm_topology t = s->topology;

	if (s->numa.has_nodes)
		t.nodes = 1;
	return vm_reservation_take(&s->cpus, s->accel, &t);
}

static int run(struct shell *s)
{
	struct vm_session session;
	struct initramfs_run files;
	struct announcement announcement;
	int rc = describe(s, &session, &files) ?: choose_memory(s, &session) ?: take_cpus(s);

	if (rc < 0)
		return rc;
	session.plan = &s->cpus.reservation.plan;
	announcement_open(&announcement, &session, "shell", s->kernel.vmlinux);
	rc = s->command ? run_command(s, &session) : vm_session_interactive(&session);
	announcement_close(&announcement);
	return rc;
}

static int cmd_shell_run(const struct cli_call *call)
{
	_cleanup_(
		shell_finish) struct shell s = { .call = call, .disk.fd = -1, .base.lock_fd = -1 };
	int rc = check_options(&s);

	if (rc != 0)
		return rc;
	interrupt_install();
	rc = resolve(&s) ?: run(&s);
	return rc == -EINTR ? EXIT_INTERRUPTED : rc;
}

/* clang-format off */
const struct cli_cmd cmd_shell = {
	.name = "shell", .summary = "boot a kernel in a VM and get a shell, or run one command",
	.about = "Boots a kernel with a busybox userland on the given machine. Without KVM a "
		 "command runs in sim: virtual time counts instructions, so the same seed gives "
		 "the same run, regardless of the load on the host; --verbose prints the digest "
		 "of the run. Press Ctrl-A X to end an interactive VM.",
	.params = CLI_PARAMS(
		{ .name = "kernel", .kind = CLI_STRING, .value = "ID",
		  .help = "kernel: a version (7.0, 6.19.14), a source directory, a cache key, host "
			  "for the one that runs here, a range or git+URL#REF that gives exactly "
			  "one kernel; as cargo ktstr also an image file [default: the newest one "
			  "available]" },
		{ .name = "topology", .kind = CLI_STRING, .value = "N,L,C,T", .fallback = "1,1,1,1",
		  .help = "machine: NUMA nodes, LLCs in total, cores per LLC, threads per core" },
		{ .name = "test", .kind = CLI_STRING, .value = "NAME", .excludes = "topology",
		  .help = "use the machine, memory and files of this test of the project; see "
			  "ktstr test" },
		{ .name = "include-files", .letter = 'i', .kind = CLI_FILE, .value = "PATH",
		  .is_repeatable = true,
		  .help = "file or directory for /include-files in the guest, with the libraries it "
			  "needs; a bare name is looked up in PATH" },
		{ .name = "explain-includes", .help = "explain why each library was included" },
		{ .name = "memory-mib", .alias = "memory-mb", .kind = CLI_NUMBER, .value = "MIB", .min = 128,
		  .max = 1048576, .help = "guest memory [default: what it needs]" },
		{ .name = "dmesg", .help = "show the guest kernel's messages on stderr" },
		{ .name = "exec", .kind = CLI_STRING, .value = "CMD",
		  .help = "run CMD in the guest and exit with its status, instead of an "
			  "interactive shell" },
		{ .name = "exec-timeout", .kind = CLI_DURATION, .value = "DUR", .fallback = "120s",
		  .help = "end the VM if --exec takes longer, in wall-clock time; the exit "
			  "status is then 124" },
		{ .name = "accel", .kind = CLI_CHOICE, .value = "ACCEL", .choices = cli_accel_names,
		  .help = "accelerator: kvm is fast, sim is reproducible, tcg is for comparison "
			  "only; same as KTSTR_ACCEL [default: kvm if it works, else sim, or tcg "
			  "for an interactive shell]" },
		CLI_SEED("with sim: seed of the run; the same seed gives the same run"),
		CLI_SIM_KNOBS,
		{ .name = "trace", .kind = CLI_FILE, .value = "FILE",
		  .help = "with sim and --exec: write a trace, for ui.perfetto.dev, or as a "
			  "picture, page or text if FILE ends in .svg, .html or .txt; the run "
			  "does not change" },
		{ .name = "cold", .help = "boot the kernel instead of restoring a saved guest" },
		{ .name = "disk", .kind = CLI_STRING, .value = "SIZE",
		  .help = "attach an empty disk as /dev/vda: 256mib, 1gib" },
		NO_PERF_ROW,
		{ .name = "cpu-cap", .kind = CLI_STRING, .value = "N",
		  .help = "reserve only N host CPUs; requires --no-perf-mode; same as "
			  "KTSTR_CPU_CAP" }),
	.examples = CLI_EXAMPLES(
		{ "shell --kernel 7.0", "a shell on Linux 7.0; exit or Ctrl-A X ends it" },
		{ "shell --kernel 7.0 --topology 2,4,2,2 --exec 'cat /sys/devices/system/node/online; nproc'",
		  "one command on a machine of 2 nodes, 4 LLCs and 16 CPUs" },
		{ "shell -i ./my-tool -i strace --exec 'strace -c my-tool'", "with programs of your own" }),
	.holds_resources = true,
	.exits = CLI_EXITS(
		{ "124", "the command of --exec did not end within --exec-timeout" },
		{ "130", "interrupted" },
		{ "other", "the status of the command of --exec" }),
	.run = cmd_shell_run,
};
/* clang-format on */
