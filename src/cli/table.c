// SPDX-License-Identifier: GPL-2.0-only
/* The commands that belong to no larger group, and the root that holds them all. */
#include "cli/table.h"

static const char *const shells[] = { "bash", "zsh", "fish", "elvish", "powershell", NULL };

static const char *const *shell_names(void)
{
	return shells;
}

/* Rows read better packed than one field to a line. */
/* clang-format off */
static const struct cli_param topo_params[] = {
	CLI_JSON,
	{ .name = "from", .kind = CLI_DIR, .value = "MACHINE",
	  .help = "another machine than this one: a directory with a recorded sysfs tree, or a "
		  "topology such as 1n4l8c2t (nodes, LLCs in total, cores per LLC, threads)" },
	{}
};

static const struct cli_example topo_examples[] = {
	{ "topo", "the LLCs of this machine and their CPUs" },
	{ "topo --verbose", "with the short notation, one line per CPU and NUMA distances" },
	{ "topo --from 2n4l8c2t --json", "a machine that only exists on paper" },
	{}
};

static const struct cli_param show_host_params[] = { CLI_JSON, {} };

static const struct cli_param show_dump_params[] = {
	{ .name = "file", .is_arg = true, .is_required = true, .kind = CLI_FILE, .value = "FILE",
	  .help = "a *.failure-dump.json or *.snapshots.json beside the record of a test" },
	{ .name = "map", .kind = CLI_STRING, .value = "NAME",
	  .help = "only the BPF maps whose names end so, with all that they hold" },
	{ .name = "task", .kind = CLI_NUMBER, .value = "PID", .max = INT32_MAX,
	  .help = "only this runnable task, and what the storage of tasks has of it" },
	{}
};

static const struct cli_example show_dump_examples[] = {
	{ "show-dump target/ktstr/*/my_test-*.failure-dump.json", "all of it, long maps in short" },
	{ "show-dump my_test.failure-dump.json --map .bss", "global variables of the scheduler" },
	{}
};

CLI_CHOICE_LIST(top_sorts, "wait", "cpu", "dsq", "vtime", "pid")
CLI_CHOICE_LIST(top_views, "all", "cpus", "queues", "tasks", "events", "programs")

static const struct cli_param top_params[] = {
	{ .name = "run", .is_arg = true, .kind = CLI_STRING, .value = "RUN",
	  .help = "name of the test that runs, or the pid of its QEMU [default: the only guest]" },
	{ .name = "vm", .kind = CLI_NUMBER, .value = "PID", .max = INT32_MAX,
	  .help = "pid of a QEMU, instead of RUN" },
	{ .name = "interval", .letter = 'n', .kind = CLI_DURATION, .value = "DUR", .fallback = "1s",
	  .help = "time between two looks" },
	{ .name = "count", .kind = CLI_NUMBER, .value = "N", .min = 1,
	  .help = "stop after this many [default: 1 where stdout is not a terminal]" },
	{ .name = "sort", .kind = CLI_CHOICE, .value = "KEY", .choices = top_sorts,
	  .fallback = "wait", .help = "order of tasks" },
	{ .name = "view", .kind = CLI_CHOICE, .value = "VIEW", .choices = top_views,
	  .fallback = "all", .help = "what is shown" },
	{}
};

static const struct cli_example top_examples[] = {
	{ "top", "the guest that runs" },
	{ "top my_test --view queues --sort vtime", "one of several tests that run" },
	{ "top my_test --count 3 --interval 500ms", "three looks" },
	{}
};

static const struct cli_param show_thresholds_params[] = {
	{ .name = "test", .is_arg = true, .is_required = true, .kind = CLI_STRING, .value = "TEST",
	  .help = "name of the test" },
	{ .name = "program", .is_arg = true, .is_repeatable = true, .kind = CLI_FILE,
	  .value = "PROGRAM",
	  .help = "test programs, C files, or directories of both [default: KTSTR_TEST_DIR, else tests "
		  "and build of the project]" },
	{}
};

static const struct cli_example show_thresholds_examples[] = {
	{ "show-thresholds my_test", "the thresholds of a test in tests or build" },
	{ "show-thresholds my_test my_test.c", "a test of one C file" },
	{}
};

static const struct cli_param locks_params[] = {
	CLI_JSON,
	{ .name = "watch", .kind = CLI_DURATION, .value = "DURATION",
	  .help = "show them again at this interval (100ms, 1s, 5m) until interrupted" },
	{}
};

static const struct cli_exit verifier_exits[] = {
	{ "1", "a combination fails" },
	{ "4", "nothing was tried: every declared scheduler was left out" },
	{ "130", "interrupted" },
	{}
};

static const struct cli_exit watch_tests_exits[] = { { "130", "interrupted: how it ends" }, {} };

static const struct cli_example watch_tests_examples[] = {
	{ "watch-tests mine.c", "while you work on the test, or on the scheduler that it declares" },
	{}
};

static const struct cli_exit shell_exits[] = {
	{ "124", "the command of --exec did not end within --exec-timeout" },
	{ "130", "interrupted" },
	{ "other", "the status of the command of --exec" },
	{}
};

static const struct cli_example locks_examples[] = {
	{ "locks", "who holds what, now" },
	{ "locks --watch 1s", "the same, every second until Ctrl-C" },
	{ "locks --watch 1s --json", "one JSON object per line and second" },
	{}
};

static const struct cli_param completions_params[] = {
	{ .name = "shell", .is_arg = true, .is_required = true, .kind = CLI_CHOICE,
	  .value = "SHELL", .choices = shell_names, .help = "shell to write for" },
	{ .name = "binary", .kind = CLI_STRING, .value = "NAME",
	  .help = "name under which the program is called [default: ktstr, or cargo for "
		  "cargo-ktstr]" },
	{}
};

static const struct cli_example completions_examples[] = {
	{ "completions bash > ~/.local/share/bash-completion/completions/ktstr",
	  "complete in bash from the next shell on" },
	{ "completions zsh > ~/.zfunc/_ktstr", "the same for zsh, with ~/.zfunc in $fpath" },
	{ "completions fish > ~/.config/fish/completions/ktstr.fish", "the same for fish" },
	{}
};

static const struct cli_param help_params[] = {
	{ .name = "command", .is_arg = true, .is_repeatable = true, .kind = CLI_COMMAND,
	  .value = "COMMAND", .help = "command to explain" },
	{}
};

static const struct cli_param init_params[] = {
	{ .name = "dir", .is_arg = true, .kind = CLI_DIR, .value = "DIR", .fallback = ".",
	  .help = "directory of the project, made where it does not exist" },
	{}
};

static const struct cli_example init_examples[] = {
	{ "init my_tests", "a new project, and the command that runs its tests" },
	{ "init", "the same beside what this directory has" },
	{}
};

static const struct cli_param man_params[] = {
	{ .name = "dir", .is_arg = true, .is_required = true, .kind = CLI_DIR, .value = "DIR",
	  .help = "directory for the pages" },
	{}
};

static const struct cli_cmd commands[] = {
	{ .heading = "Test a scheduler",
	  .name = "check", .summary = "try a scheduler with a battery of tests, without writing one",
	  .about = "Loads the scheduler on every kernel and machine, then runs a table of tests of at "
		   "most 2 s each under it, in sim: what shows trouble most often comes first, and "
		   "with the time that is left everything again with other seeds and machines. "
		   "Prints what loads where, what passes, and each distinct failure with the command "
		   "that repeats it exactly. Every run leaves a record.",
	  .params = cli_check_params, .examples = cli_check_examples, .holds_resources = true,
	  .exits = cli_check_exits, .rest = &cli_check_rest, .run = cmd_check },
	{ .name = "test", .alias = "nextest", .summary = "run tests in VMs, as many at once as fit",
	  .about = "Runs the tests of programs, C files, or directories of both, each in a VM of its "
		   "own; without a name, those of KTSTR_TEST_DIR, or of tests and build of the "
		   "project. Without KVM they run in sim, where a failure repeats exactly; with "
		   "--verbose results have the seed and the digest of their run, and outside of sim "
		   "the kernels of guests print their messages. Each test leaves a record in the run "
		   "directory.",
	  .params = cli_test_params, .examples = cli_test_examples, .holds_resources = true,
	  .exits = cli_test_exits, .rest = &cli_test_rest, .run = cmd_test },
	{ .name = "watch-tests", .summary = "run tests again whenever they or their scheduler change",
	  .about = "Runs tests as `ktstr test` does, with the same options, and again whenever a C file "
		   "or program of theirs or the program of a scheduler is written, until it is "
		   "interrupted. What failed in the last round runs first, and the other tests when "
		   "that passes.",
	  .params = cli_test_params, .examples = watch_tests_examples, .holds_resources = true,
	  .exits = watch_tests_exits, .rest = &cli_test_rest, .run = cmd_watch_tests },
	{ .name = "verifier", .summary = "try schedulers on many kernels and machines",
	  .about = "Boots a VM for every scheduler, kernel and machine: its BPF programs have to pass "
		   "the kernel's verifier, it has to attach, and a busy worker on every CPU has to "
		   "run under it. Prints how many instructions the verifier processed for each "
		   "program, a grid of what works, and what the verifier said where it refused. "
		   "Schedulers are those that test programs declare; where they declare none at "
		   "all, scx-ktstr. One that has no program is left out.",
	  .params = cli_verifier_params, .examples = cli_verifier_examples, .holds_resources = true,
	  .exits = verifier_exits, .run = cmd_verifier },
	{ .name = "explore", .summary = "run a test over many seeds and tell what can go wrong",
	  .about = "Runs one test in sim with one seed after the other, in parallel. Every seed is "
		   "another interleaving: where the run begins, how often vCPUs take turns, short "
		   "delays at random moments; with --strategy also who goes first. Failures are grouped by what they say, each with the "
		   "command that repeats it exactly; the figures of all runs are summed up. "
		   "--shrink then makes one failure small. Steps of a scenario stay as they are.",
	  .params = cli_explore_params, .examples = cli_explore_examples, .holds_resources = true,
	  .exits = cli_test_exits, .run = cmd_explore },
	{ .name = "fuzz", .summary = "look for scenarios in which a scheduler fails",
	  .about = "Runs scenarios at random under a scheduler, in sim: cgroups, workers of all kinds, "
		   "policies, affinities, hotplug and restarts, on several machines. What reaches new "
		   "places of its BPF programs, or makes a task wait longer than before, is kept in the "
		   "corpus and changed further. Every distinct failure is shrunk and written to the "
		   "current directory as fuzz-N.c, a test that fails whenever it is run. A later call "
		   "with the same corpus goes on; the same corpus and seed give the same campaign.",
	  .params = cli_fuzz_params, .examples = cli_fuzz_examples, .holds_resources = true,
	  .exits = cli_fuzz_exits, .rest = &cli_fuzz_rest, .run = cmd_fuzz },
	{ .name = "coverage", .summary = "run tests and report which of their lines were executed",
	  .about = "Runs tests as `ktstr test` does, with the same options, and reports what of the "
		   "source was executed, in guests and on the host together. C files are compiled "
		   "with clang for it; programs have to be built with clang "
		   "-fprofile-instr-generate -fcoverage-mapping, for which `ktstr llvm-cov show-env` "
		   "has the variables. The report is also made when tests fail. A program that is "
		   "killed leaves no profile. Without a format: a table by file. With --bpf it is about "
		   "the BPF programs of schedulers instead, which need not be built for it.",
	  .params = cli_coverage_params, .examples = cli_coverage_examples, .holds_resources = true,
	  .exits = cli_test_exits, .rest = &cli_coverage_rest, .run = cmd_coverage },
	{ .name = "llvm-cov", .summary = "report or remove profiles of coverage",
	  .subs = cli_llvm_cov_commands },
	{ .name = "export", .summary = "write a test as one file that runs on a machine without ktstr",
	  .about = "The file is a shell script with the test program, its scheduler and its include "
		   "files in it. Run as root it checks that the machine has sched_ext where that is "
		   "needed, cgroup2, enough CPUs and no other scheduler, starts the scheduler, runs "
		   "the test, stops it again and tells the verdict; it has a --help of its own. "
		   "Include files are found by PATH, not in /include-files. Shared libraries are "
		   "not packed.",
	  .params = cli_export_params, .examples = cli_export_examples, .run = cmd_export },
	{ .name = "init", .summary = "write a starter project: tests of a scheduler, Makefile, CI file",
	  .about = "Writes tests/first.c with a scheduler and two tests, a Makefile, a workflow for "
		   "GitHub and a .gitignore, and prints the command that runs the tests. The "
		   "scheduler is scx-ktstr until another one is named. A file that exists is kept "
		   "as it is.",
	  .params = init_params, .examples = init_examples, .run = cmd_init },
	{ .name = "show-thresholds", .summary = "show the thresholds that a test is checked by",
	  .about = "Prints the thresholds of a test after the defaults, its "
		   "scheduler's and its own have been merged; 'none' is not checked, 'off' was "
		   "switched off.",
	  .params = show_thresholds_params, .examples = show_thresholds_examples,
	  .run = cmd_show_thresholds },
	{ .heading = "Explain a failure",
	  .name = "replay", .summary = "run failed tests again, or repeat a run exactly",
	  .about = "Without an argument the failed tests of the last run are run again, with their "
		   "kernels and seeds. With a run or a record, that is repeated and compared: in sim "
		   "the digest has to be the same, and where it is not, what differs is named. "
		   "Records of a replay are kept beside those of the run, which stay as they are. What "
		   "a run names that was not made by this user on this machine is told first, and "
		   "executed when the user agrees or --trust is given.",
	  .params = cli_replay_params, .examples = cli_replay_examples, .holds_resources = true,
	  .exits = cli_test_exits, .run = cmd_replay },
	{ .name = "trace", .summary = "show what the scheduler did in a run of sim",
	  .about = "Runs a test of sim, or a run that left a record, with a tracer inside of the "
		   "emulator: context switches, wakeups, migrations and calls of sched_ext with "
		   "their virtual times. The guest cannot tell: the digest of the run has to be the "
		   "same as without the tracer, or else there is no trace.",
	  .params = cli_trace_params, .examples = cli_trace_examples, .holds_resources = true,
	  .exits = cli_test_exits, .run = cmd_trace },
	{ .name = "debug", .summary = "go through a run of sim with gdb, forwards and backwards",
	  .about = "Runs a run that left a record once more, with gdb connected to it. Threads are "
		   "CPUs. Breakpoints, watchpoints and steps stop the emulator and leave the guest "
		   "as it is, so that it stays the same run; reverse-continue, reverse-stepi and "
		   "the like run it again to the moment before. Nothing is written unless --write "
		   "is given. Symbols are those of the kernel and the scheduler's BPF programs, "
		   "with the lines of these; types are the kernel's. ktstr-task, ktstr-rq, "
		   "ktstr-dsq, ktstr-map, ktstr-watch, ktstr-bt and ktstr-where are commands of "
		   "gdb, info tasks tells every task with its kernel stack.",
	  .params = cli_debug_params, .examples = cli_debug_examples, .holds_resources = true,
	  .rest = &cli_debug_rest, .run = cmd_debug },
	{ .name = "bisect", .summary = "find the first kernel or scheduler with which a test fails",
	  .about = "Runs one test in sim on kernels from --good to --bad, with the schedulers of "
		   "--scheduler-list, or with a scheduler built from the commits between --good and "
		   "--bad, halving the distance each time. Runs are exact: a step is never wrong "
		   "by chance. What cannot be tested is stepped around.",
	  .params = cli_bisect_params, .examples = cli_bisect_examples, .holds_resources = true,
	  .run = cmd_bisect },
	{ .name = "show-dump", .summary = "show what a guest's memory held when a test failed",
	  .about = "Prints a failure dump: run queues, dispatch queues with their tasks, runnable "
		   "tasks, BPF maps and programs of the guest when its scheduler was thrown out, or "
		   "when it hung. Snapshots that a test asked for are shown in the same way.",
	  .params = show_dump_params, .examples = show_dump_examples, .run = cmd_show_dump },
	{ .name = "top", .summary = "watch a guest while it runs",
	  .about = "Shows CPUs, dispatch queues with their tasks, runnable tasks, events of sched_ext "
		   "and the scheduler's programs with calls and ns per call, read from the guest's "
		   "memory: a guest that hangs can be watched as any other, and none notices. Rates "
		   "are by the guest's clock. STILL FOR is how long, on this host, the clock of a CPU "
		   "with work did not move. Keys: s sorts tasks, v changes the view, f or blank "
		   "freezes what is shown (the guest goes on), d writes NAME.top-N.snapshots.json for "
		   "show-dump, q quits. Tests and shells of your own user can be watched.",
	  .params = top_params, .examples = top_examples, .run = cmd_top },
	{ .heading = "Compare results",
	  .name = "stats", .summary = "show and compare run results",
	  .about = "Without a command: the newest run by scenario, topology and work type, with "
		   "outliers, BPF programs and what the machines cost. KTSTR_SIDECAR_DIR names "
		   "another directory of records.",
	  .subs = cli_stats_commands, .examples = cli_stats_examples, .run = cmd_stats },
	{ .name = "report", .summary = "write a run as an HTML page",
	  .about = "Writes one file that needs nothing else: the verdicts of all tests by topology "
		   "and kernel, and of each test what failed, its phases and its latencies. Where "
		   "earlier runs are kept beside it, it says since when a test fails.",
	  .params = cli_report_params, .examples = cli_report_examples, .run = cmd_report },
	{ .name = "perf-delta", .summary = "tell whether HEAD is slower than its baseline",
	  .about = "Compares performance_mode tests, under tcg and sim all tests, of HEAD (B) with "
		   "those of a baseline commit (A), or two builds of a scheduler. Records that are there are "
		   "pooled; with --noise-adjust N both are checked out in scratch work trees, built "
		   "with --build, and run N times each. A metric regressed when the difference is "
		   "told apart from chance and passes both gates of 'stats list-metrics'. In sim the "
		   "same seeds run on both sides and are compared in pairs: the same code has no "
		   "difference at all. Where $GITHUB_STEP_SUMMARY is set the table goes there, too.",
	  .params = cli_perf_delta_params, .examples = cli_perf_delta_examples,
	  .exits = cli_perf_delta_exits, .holds_resources = true, .run = cmd_perf_delta },
	{ .name = "affected", .summary = "list the schedulers or tests that a change touches",
	  .about = "Prints a JSON array of the declared schedulers that the commits from --base to HEAD "
		   "touch, or of tests: by what dependency files (*.d) name, or else by directories and "
		   "files of a scheduler's name, and by the files of tests. A file that belongs to none of "
		   "them may be part of all: then all are listed. Documents touch nothing.",
	  .params = cli_affected_params, .examples = cli_affected_examples, .run = cmd_affected },
	{ .name = "funify", .alias = "costume",
	  .summary = "replace the texts of a JSON document by stable names",
	  .about = "Prints the document with every text in it replaced by an adjective and an animal: the "
		   "same text gets the same name, also in another document with the same --seed, with a "
		   "number behind it where another text of the document has that name already. Keys, "
		   "numbers and names of metrics stay. For showing figures around without telling whose "
		   "they are; it is no protection against somebody who can guess the texts.",
	  .params = cli_funify_params, .examples = cli_funify_examples, .run = cmd_funify },
	{ .heading = "Kernels and VMs",
	  .name = "shell", .summary = "boot a kernel in a VM and get a shell, or run one command",
	  .about = "Boots a kernel with a busybox userland on the machine you describe. Without KVM "
		   "a command runs in sim: time counts instructions, so the same seed gives the "
		   "same run, whatever else this host does; with --verbose the digest of that run "
		   "is told. Press Ctrl-A X to end an interactive VM.",
	  .params = cli_shell_params, .examples = cli_shell_examples, .holds_resources = true,
	  .exits = shell_exits, .run = cmd_shell },
	{ .name = "kernel", .summary = "get, list and drop kernels to test",
	  .subs = cli_kernel_commands },
	{ .name = "cache", .summary = "see and drop what is kept: kernels, saved guests, their files",
	  .subs = cli_cache_commands },
	{ .name = "doctor", .summary = "tell what this machine lacks for VMs and kernel builds",
	  .about = "Looks at QEMU, KVM, busybox, the kernels and the space in the cache, lock files, "
		   "cgroup delegation, huge pages, real-time priority and compilers. Each line is "
		   "ok, warn (something works less well) or fail (no VM can be run), with the "
		   "command that helps. Exits with 1 when something fails. What a capture of "
		   "counters lacks is told by ctprof doctor.",
	  .params = cli_doctor_params, .examples = cli_doctor_examples, .run = cmd_doctor },
	{ .name = "locks", .summary = "show the locks of ktstr on this machine and who holds them",
	  .about = "Shows the lock files of LLCs, CPUs, kernel cache entries and run directories "
		   "with the processes that hold them. Takes no lock itself. A lock file that "
		   "was deleted while held is marked '(deleted)'.",
	  .params = locks_params, .examples = locks_examples, .run = cmd_locks },
	{ .name = "model", .summary = "get and drop the language model for text metrics",
	  .subs = cli_model_commands },
	{ .heading = "This host",
	  .name = "ctprof", .summary = "compare every thread's counters between two moments",
	  .subs = cli_ctprof_commands },
	{ .name = "host-state", .summary = "older spelling of ctprof capture and compare",
	  .subs = cli_host_state_commands },
	{ .name = "run", .summary = "run scenarios on this machine, under its present scheduler",
	  .about = "Runs the scenarios of the catalog (`ktstr list`) on this machine, under the "
		   "scheduler that is loaded: start yours before. Flags only select what is run, "
		   "they do not configure the scheduler. Needs root and cgroup v2; everything "
		   "happens below the cgroup ktstr-PID, which is gone afterwards.",
	  .params = cli_run_params, .examples = cli_run_examples, .exits = cli_run_exits,
	  .holds_resources = true, .run = cmd_run },
	{ .name = "list", .summary = "list the scenarios that `ktstr run` knows",
	  .about = "Prints name, category and description of each scenario, and the profiles "
		   "(sets of flags) that it runs with.",
	  .params = cli_list_params, .examples = cli_list_examples, .run = cmd_list },
	{ .name = "cleanup", .summary = "remove cgroups that killed runs left behind",
	  .about = "Removes /sys/fs/cgroup/ktstr and every /sys/fs/cgroup/ktstr-PID with all that "
		   "is below them. One whose PID is a running ktstr is left alone.",
	  .params = cli_cleanup_params, .examples = cli_cleanup_examples, .run = cmd_cleanup },
	{ .name = "topo", .summary = "show the CPU topology of this machine",
	  .about = "Shows the CPUs, last-level caches (LLCs) and NUMA nodes of this machine: the "
		   "view that the planner and performance mode use.",
	  .params = topo_params, .examples = topo_examples, .run = cmd_topo },
	{ .name = "show-host", .summary = "show the host context that runs and snapshots record",
	  .about = "Prints kernel, CPU, memory, scheduler tunables and frequency governors of "
		   "this machine, as run records and snapshots keep them. What could not be read "
		   "is '(unknown)'.",
	  .params = show_host_params, .run = cmd_show_host },
	{ .heading = "Help",
	  .name = "completions", .summary = "write a completion script for a shell",
	  .about = "Writes a script that completes commands, options and their values. Written for "
		   "the name cargo it completes 'cargo ktstr' and leaves what is known about the "
		   "rest of cargo in place; in bash, add to ~/.bashrc: source <(cargo ktstr "
		   "completions bash).",
	  .params = completions_params, .examples = completions_examples,
	  .run = cmd_completions },
	{ .name = "help", .summary = "explain a command", .params = help_params, .run = cmd_help },
	{ .name = "generate-man", .summary = "write the man pages", .params = man_params,
	  .is_hidden = true, .run = cmd_generate_man },
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
		 "workloads on declared machines and checks what the scheduler made of them.",
	.params = global_params,
	.subs = commands,
};

const struct cli_note cli_environment[] = {
	{ "KTSTR_LOG", "Level of the log on stderr: off, error, warn, info (default), debug or "
		       "trace; room=level entries set one part of the program. RUST_LOG is read "
		       "when this is unset." },
	{ "KTSTR_VERBOSE", "Set to 1, the kernels of guests print their messages on their console "
			   "(loglevel 7), which in sim makes another run. RUST_BACKTRACE=1 or full, and --verbose of test and "
			   "verifier, do the same outside of sim." },
	{ "KTSTR_CACHE_DIR", "Directory of the kernel cache, with everything else that is kept in "
			     "hidden directories of it. Without it: ktstr/kernels and its neighbours "
			     "below XDG_CACHE_HOME, or below ~/.cache." },
	{ "KTSTR_CACHE_LIMIT", "Size that templates, initramfs bases and programs together may "
			       "take (512mib, 20gib); the least recently used make room; 20gib by default." },
	{ "KTSTR_CACHE_STORE_LOCK_TIMEOUT", "How long to wait for a cache entry that is in use; "
					    "60s by default." },
	{ "KTSTR_KERNEL", "Kernel to use when none is named: a version, a path or a cache key." },
	{ "KTSTR_KERNEL_PARALLELISM", "Kernels that are downloaded or built at a time where several are "
				      "named [default: one for each CPU]." },
	{ "KTSTR_TEST_KERNEL", "Kernel image to use when none is named, before everything else." },
	{ "KTSTR_TEST_DIR", "Directory in which test programs and C files with tests are looked for when "
			    "none are named, instead of tests and build of the project." },
	{ "KTSTR_CPU_CAP", "CPUs that a kernel build may use, as --cpu-cap." },
	{ "KTSTR_KERNEL_ORG_URL", "Instead of https://www.kernel.org, for the release index." },
	{ "KTSTR_CDN_URL", "Instead of https://cdn.kernel.org, for sources of releases." },
	{ "KTSTR_GIT_KERNEL_URL", "Instead of https://git.kernel.org, for release candidates." },
	{ "KTSTR_DEBIAN_URL", "Debian archive for kernel images, instead of that of the machine's "
			      "apt." },
	{ "KTSTR_DEBIAN_KEYRING", "Keys that sign it, instead of Debian's." },
	{ "KTSTR_INSTALLED_ROOT", "Directory below which installed kernels are looked for, in lib/modules "
				  "and boot [default: /]." },
	{ "KTSTR_BYPASS_LLC_LOCKS", "When set and not empty, no CPUs are reserved; excludes a cap." },
	{ "KTSTR_KERNEL_LIST", "Kernels of a run as label=path entries, separated by semicolons." },
	{ "KTSTR_RUNS_ROOT", "Directory of run records; without it: ktstr below CARGO_TARGET_DIR, or "
			     "below target." },
	{ "CARGO_TARGET_DIR", "See KTSTR_RUNS_ROOT." },
	{ "KTSTR_LLM_CMD", "Program that turns the text of benchmarks into metrics: it gets the "
			   "path of a model as its last argument and a prompt on stdin, and prints "
			   "JSON." },
	{ "KTSTR_MODEL_URL", "Instead of the address that the model comes from, without the file's "
			     "name." },
	{ "KTSTR_MODEL_PIN", "Another model: FILE,BYTES,SHA256." },
	{ "KTSTR_MODEL_OFFLINE", "When set and not empty, no model is downloaded." },
	{ "KTSTR_SIDECAR_DIR", "Directory for the records of a run, taken as it is; bare stats and report "
			       "read it." },
	{ "KTSTR_RUN_EPOCH", "Name of a run: records of the same name are not cleared." },
	{ "KTSTR_PROJECT_COMMIT", "Version of the project for records, instead of asking git." },
	{ "KTSTR_KERNEL_COMMIT", "Commit of the kernel for records." },
	{ "KTSTR_CI", "When set and not empty, records say that they come from CI." },
	{ "KTSTR_SEED", "Seed of every command that has --seed, when it is not given." },
	{ "KTSTR_BUDGET_SECS", "Run only the most different tests that fit into so many seconds." },
	{ "KTSTR_PERF_ONLY", "When set and not empty, only tests of performance mode are run." },
	{ "KTSTR_NO_SKIP_MODE", "When set, also to nothing, a test that would be skipped fails." },
	{ "KTSTR_SCHEDULER", "Program of schedulers; KTSTR_SCHEDULER_BIN_NAME of the one of that "
			     "name." },
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
	{ "KTSTR_BOOT_TIMEOUT", "Time in which a guest that is booted once for all must get ready "
				"[default: 120s and 5s for each of its CPUs]." },
	{ "KTSTR_ATTACH_TIMEOUT", "Time in which a scheduler must be attached, whatever a test says "
				  "[default: 30s; under kvm 3s for each second that the guest took "
				  "to boot]." },
	{ "KTSTR_BUSYBOX_PATH", "Static busybox for guests instead of the distribution's." },
	{ "KTSTR_NO_MONITOR", "When set and not empty, guests are not watched from outside." },
	{ "KTSTR_NO_PERF_MODE", "When set and not empty, the same as --no-perf-mode." },
	{ "KTSTR_NO_AUTO_REPRO", "When set and not empty, no failed test is run again to explain it." },
	{ "KTSTR_HOST_CGROUP_PARENT", "Cgroup below which run makes its own, instead of the root; "
				      "cleanup looks there too." },
	{ "KTSTR_CTPROF_WORKERS", "Threads that a ctprof capture reads and compresses with, instead "
				  "of as many as the load of the machine suggests." },
	{ "LC_ALL, LC_CTYPE, LANG", "Output is UTF-8 in every locale; these only choose the width of "
				    "characters." },
	{ "NO_COLOR", "When set and not empty, no colour is used, also on a terminal." },
	{ "COLUMNS", "Width of the terminal where it does not tell by itself." },
	{}
};

const struct cli_note cli_files[] = {
	{ "NAME.ctprof.zst", "A snapshot: JSON, compressed with zstd." },
	{ "/proc, /sys, /sys/fs/cgroup", "Where the machine is read from; commands that take other "
					 "roots have options for them." },
	{}
};
/* clang-format on */
