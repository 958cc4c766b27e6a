// SPDX-License-Identifier: GPL-2.0-only
/* All commands, groups of commands, global options, and environment variables. */
#include "cli/table.h"

const char *const *cli_accel_names(void)
{
	static const char *const names[] = { "kvm", "tcg", "sim", NULL };

	return names;
}

/* Packed rows are easier to read than one field per line. */
/* clang-format off */
static const struct cli_cmd llvm_cov_group = {
	.name = "llvm-cov", .summary = "report or remove profiles of coverage",
	.subs = CLI_SUBS(&cmd_llvm_cov_report, &cmd_llvm_cov_clean, &cmd_llvm_cov_show_env),
};

static const struct cli_cmd kernel_group = {
	.name = "kernel", .summary = "get, list and remove kernels to test",
	.subs = CLI_SUBS(&cmd_kernel_list, &cmd_kernel_build, &cmd_kernel_fetch, &cmd_kernel_clean),
};

static const struct cli_cmd cache_group = {
	.name = "cache", .summary = "list and remove cached kernels, guests and other files",
	.subs = CLI_SUBS(&cmd_cache_list, &cmd_cache_clean),
};

static const struct cli_cmd model_group = {
	.name = "model", .summary = "get and remove the language model for text metrics",
	.subs = CLI_SUBS(&cmd_model_fetch, &cmd_model_status, &cmd_model_clean),
};

static const struct cli_cmd ctprof_group = {
	.name = "ctprof", .summary = "compare every thread's counters between two moments",
	.subs = CLI_SUBS(&cmd_ctprof_capture, &cmd_ctprof_compare, &cmd_ctprof_show, &cmd_ctprof_metric_list,
			 &cmd_ctprof_info, &cmd_ctprof_doctor, &cmd_ctprof_watch),
};

static const struct cli_cmd host_state_group = {
	.name = "host-state", .summary = "older spelling of ctprof capture and compare",
	.subs = CLI_SUBS(&cmd_host_state_capture, &cmd_host_state_compare),
};

static const struct {
	const struct cli_cmd *first;
	const char *text;
} headings[] = {
	{ &cmd_check, "Test a scheduler" },
	{ &cmd_replay, "Explain a failure" },
	{ &cmd_stats, "Compare results" },
	{ &cmd_shell, "Kernels and VMs" },
	{ &ctprof_group, "This host" },
	{ &cmd_completions, "Help" },
};

const char *cli_heading(const struct cli_cmd *cmd)
{
	for (size_t i = 0; i < ARRAY_SIZE(headings); i++)
		if (headings[i].first == cmd)
			return headings[i].text;
	return NULL;
}

const struct cli_param cli_scheduler_words[] = {
	{ .name = "arg", .is_arg = true, .is_repeatable = true, .kind = CLI_STRING, .value = "ARG",
	  .help = "arguments for the scheduler, passed unchanged" },
	{}
};

static const struct cli_param global_params[] = {
	{ .name = "verbose", .letter = 'v', .help = "say more" },
	{ .name = "quiet", .letter = 'q', .excludes = "verbose",
	  .help = "no progress, notes or warnings; errors only" },
	{ .name = "help", .letter = 'h', .help = "show this help" },
	{ .name = "version", .letter = 'V', .help = "show the version, and those of QEMU and libbpf" },
	{}
};

const struct cli_cmd cli_root = {
	.name = "ktstr",
	.summary = "test harness for Linux process schedulers",
	.about = "ktstr tests Linux process schedulers, sched_ext ones above all: it runs declared "
		 "workloads on declared machines and checks the decisions of the scheduler.",
	.params = global_params,
	.subs = CLI_SUBS(&cmd_check, &cmd_test, &cmd_watch_tests, &cmd_verifier, &cmd_explore, &cmd_fuzz,
			 &cmd_coverage, &llvm_cov_group, &cmd_export, &cmd_init, &cmd_show_thresholds,
			 &cmd_replay, &cmd_trace, &cmd_debug, &cmd_bisect, &cmd_show_dump, &cmd_top,
			 &cmd_stats, &cmd_report, &cmd_perf_delta, &cmd_affected, &cmd_funify, &cmd_shell,
			 &kernel_group, &cache_group, &cmd_doctor, &cmd_locks, &model_group, &ctprof_group,
			 &host_state_group, &cmd_run, &cmd_list, &cmd_cleanup, &cmd_topo, &cmd_show_host,
			 &cmd_completions, &cmd_help, &cmd_generate_man),
};

const struct cli_note cli_environment[] = {
	{ "KTSTR_LOG", "Level of the log on stderr: off, error, warn, info (default), debug or "
		       "trace; room=level entries set one part of the program. RUST_LOG is read "
		       "when this is unset." },
	{ "KTSTR_VERBOSE", "If set to 1, guest kernels print their messages on the console "
			   "(loglevel 7), which in sim is a different run. RUST_BACKTRACE=1 or "
			   "full, and --verbose of test and verifier, do the same outside of "
			   "sim." },
	{ "KTSTR_CACHE_DIR", "Directory of the kernel cache; the other caches are hidden "
			     "directories in it. If unset: ktstr/kernels and directories beside "
			     "it, below XDG_CACHE_HOME or ~/.cache." },
	{ "KTSTR_CACHE_LIMIT", "Size that templates, initramfs bases and programs together may "
			       "take (512mib, 20gib); the least recently used make room; 20gib by default." },
	{ "KTSTR_CACHE_STORE_LOCK_TIMEOUT", "How long to wait for a cache entry that is in use; "
					    "60s by default." },
	{ "KTSTR_KERNEL", "Kernel to use when none is named: a version, a path or a cache key." },
	{ "KTSTR_KERNEL_PARALLELISM", "Number of kernels to download or build in parallel if "
				      "several are named [default: one for each CPU]." },
	{ "KTSTR_TEST_KERNEL", "Kernel image to use when none is named, before everything else." },
	{ "KTSTR_TEST_DIR", "Directory in which test programs and C files with tests are looked for when "
			    "none are named, instead of tests and build of the project." },
	{ "KTSTR_CPU_CAP", "CPUs that a kernel build may use, as --cpu-cap." },
	{ "KTSTR_KERNEL_ORG_URL", "Address of the release index, instead of "
		"https://www.kernel.org." },
	{ "KTSTR_CDN_URL", "Address of the sources of releases, instead of "
		"https://cdn.kernel.org." },
	{ "KTSTR_GIT_KERNEL_URL", "Address of release candidates, instead of "
		"https://git.kernel.org." },
	{ "KTSTR_DEBIAN_URL", "Debian archive for kernel images, instead of that of the machine's "
			      "apt." },
	{ "KTSTR_DEBIAN_KEYRING", "Keys that sign the archive of KTSTR_DEBIAN_URL, instead of "
				  "Debian's." },
	{ "KTSTR_INSTALLED_ROOT", "Directory below which installed kernels are looked for, in lib/modules "
				  "and boot [default: /]." },
	{ "KTSTR_BYPASS_LLC_LOCKS", "When set and not empty, no CPUs are reserved; excludes a CPU "
		"cap." },
	{ "KTSTR_KERNEL_LIST", "Kernels of a run as label=path entries, separated by semicolons." },
	{ "KTSTR_RUNS_ROOT", "Directory of run records; without it: ktstr below CARGO_TARGET_DIR, or "
			     "below target." },
	{ "CARGO_TARGET_DIR", "See KTSTR_RUNS_ROOT." },
	{ "KTSTR_LLM_CMD", "Program that turns the text of benchmarks into metrics: it gets the "
			   "path of a model as its last argument and a prompt on stdin, and prints "
			   "JSON." },
	{ "KTSTR_MODEL_URL", "Address from which the model is downloaded, without the name of the "
			     "file." },
	{ "KTSTR_MODEL_PIN", "Another model: FILE,BYTES,SHA256." },
	{ "KTSTR_MODEL_OFFLINE", "When set and not empty, no model is downloaded." },
	{ "KTSTR_SIDECAR_DIR", "Directory for the records of a run, used unchanged; stats and "
			       "report without arguments read it." },
	{ "KTSTR_RUN_EPOCH", "Name of a run: records of the same name are not cleared." },
	{ "KTSTR_PROJECT_COMMIT", "Version of the project for records, instead of asking git." },
	{ "KTSTR_KERNEL_COMMIT", "Commit of the kernel for records." },
	{ "KTSTR_CI", "When set and not empty, records say that they come from CI." },
	{ "KTSTR_SEED", "Seed of every command that has --seed, when it is not given." },
	{ "KTSTR_BUDGET_SECS", "Run only tests that differ most from each other and fit into this "
		"many seconds." },
	{ "KTSTR_PERF_ONLY", "When set and not empty, only tests of performance mode are run." },
	{ "KTSTR_NO_SKIP_MODE", "When set, even if empty, a test that would be skipped fails." },
	{ "KTSTR_SCHEDULER", "Path of the program of schedulers; KTSTR_SCHEDULER_BIN_NAME is that "
			     "of the scheduler with that name." },
	{ "KTSTR_SCHEDULER_PROFILE", "Build profile of schedulers, as test --profile." },
	{ "CC", "Compiler for tests that are C files, instead of gcc or clang." },
	{ "LLVM_PROFILE_FILE", "Where instrumented programs write profiles, as clang documents it; set for "
			       "tests where it is unset." },
	{ "LLVM_COV_TARGET_DIR", "Directory of profiles; without it that of LLVM_PROFILE_FILE, or "
				 "llvm-cov-target beside ktstr or below CARGO_TARGET_DIR or target." },
	{ "LLVM_PROFDATA, LLVM_COV", "Tools of LLVM that make reports of coverage, instead of those in "
				     "PATH." },
	{ "GITHUB_STEP_SUMMARY", "File to which a summary of the run is appended as Markdown." },
	{ "CI_NODE_INDEX, CI_NODE_TOTAL", "Which part of the tests to run, as --shard; so do the "
					  "variables of CircleCI, Buildkite and Slurm job arrays." },
	{ "KTSTR_LOCK_DIR", "Directory of the lock files of LLCs and CPUs, on a local file system "
			    "[default: /tmp]." },
	{ "KTSTR_ACCEL", "Accelerator of VMs: kvm, tcg or sim." },
	{ "KTSTR_QEMU", "QEMU to use instead of the one in PATH." },
	{ "KTSTR_BOOT_TIMEOUT", "Time limit for booting a guest, from which later runs are "
				"restored [default: 120s plus 5s for each of its CPUs]." },
	{ "KTSTR_ATTACH_TIMEOUT", "Time limit for attaching a scheduler; overrides that of a test "
				  "[default: 30s, under kvm 3s for each second that the guest took "
				  "to boot; twice that from each BPF program that the scheduler "
				  "has loaded, four times that in all]." },
	{ "KTSTR_BUSYBOX_PATH", "Static busybox for guests instead of the distribution's." },
	{ "KTSTR_NO_MONITOR", "When set and not empty, the host does not monitor guests." },
	{ "KTSTR_NO_PERF_MODE", "When set and not empty, the same as --no-perf-mode." },
	{ "KTSTR_NO_AUTO_REPRO", "When set and not empty, no failed test is rerun to explain it." },
	{ "KTSTR_HOST_CGROUP_PARENT", "Cgroup in which run creates its own, instead of the root; "
				      "cleanup looks there too." },
	{ "KTSTR_CTPROF_WORKERS", "Threads that a ctprof capture reads and compresses with, instead "
				  "of as many as the load of the machine suggests." },
	{ "LC_ALL, LC_CTYPE, LANG", "Output is UTF-8 in every locale; these only choose the width of "
				    "characters." },
	{ "NO_COLOR", "When set and not empty, no colour is used, also on a terminal." },
	{ "COLUMNS", "Width of the terminal, if the terminal does not report it." },
	{}
};

const struct cli_note cli_files[] = {
	{ "NAME.ctprof.zst", "A snapshot: JSON, compressed with zstd." },
	{ "/proc, /sys, /sys/fs/cgroup", "Where the machine is read from; commands that take other "
					 "roots have options for them." },
	{}
};
/* clang-format on */
