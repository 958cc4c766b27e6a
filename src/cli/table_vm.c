// SPDX-License-Identifier: GPL-2.0-only
/* Commands that start virtual machines. */
#include "cli/table.h"

/* Rows read better packed than one field to a line. */
/* clang-format off */
CLI_CHOICE_LIST(accel_names, "kvm", "tcg", "sim")

const struct cli_param cli_shell_params[] = {
	{ .name = "kernel", .kind = CLI_STRING, .value = "ID",
	  .help = "kernel: a version (7.0, 6.19.14), a source directory, a cache key, host for the "
		  "one that runs here, a range or git+URL#REF that comes down to one kernel; as cargo ktstr also an image file "
		  "[default: the newest one available]" },
	{ .name = "topology", .kind = CLI_STRING, .value = "N,L,C,T", .fallback = "1,1,1,1",
	  .help = "machine: NUMA nodes, LLCs in total, cores per LLC, threads per core" },
	{ .name = "test", .kind = CLI_STRING, .value = "NAME", .excludes = "topology",
	  .help = "the machine, memory and files of this test of the project: see the test "
		  "command" },
	{ .name = "include-files", .letter = 'i', .kind = CLI_FILE, .value = "PATH",
	  .is_repeatable = true,
	  .help = "file or directory for /include-files in the guest, with the libraries it "
		  "needs; a bare name is looked up in PATH" },
	{ .name = "explain-includes", .help = "say why each library was packed" },
	{ .name = "memory-mib", .alias = "memory-mb", .kind = CLI_NUMBER, .value = "MIB", .min = 128,
	  .max = 1048576, .help = "guest memory [default: what it needs]" },
	{ .name = "dmesg", .help = "show the guest kernel's messages on stderr" },
	{ .name = "exec", .kind = CLI_STRING, .value = "CMD",
	  .help = "run this in the guest's shell instead of an interactive one; its status is ours" },
	{ .name = "exec-timeout", .kind = CLI_DURATION, .value = "DUR", .fallback = "120s",
	  .help = "end the VM when --exec takes longer, in wall-clock time; the status is then 124" },
	{ .name = "accel", .kind = CLI_CHOICE, .value = "ACCEL", .choices = accel_names,
	  .help = "kvm is fast, sim repeats exactly, tcg is neither; KTSTR_ACCEL is the same "
		  "[default: kvm where it works, else sim, or tcg for an interactive shell]" },
	CLI_SEED("with sim: another seed is another run, the same seed the same run"),
	CLI_SIM_KNOBS,
	{ .name = "trace", .kind = CLI_FILE, .value = "FILE",
	  .help = "with sim and --exec: write what the scheduler did, for ui.perfetto.dev, "
		  "or as picture, page or text when FILE ends in .svg, .html or .txt; the run stays "
		  "the same" },
	{ .name = "cold", .help = "boot the kernel instead of restoring a guest that booted before" },
	{ .name = "disk", .kind = CLI_STRING, .value = "SIZE",
	  .help = "attach an empty disk as /dev/vda: 256mib, 1gib" },
	{ .name = "no-perf-mode", .help = "reserve no CPUs; KTSTR_NO_PERF_MODE is the same" },
	{ .name = "cpu-cap", .kind = CLI_STRING, .value = "N",
	  .help = "reserve only N host CPUs; needs --no-perf-mode; KTSTR_CPU_CAP is the same" },
	{},
};

const struct cli_param cli_doctor_params[] = { CLI_JSON, CLI_ROOTS, {} };

const struct cli_example cli_doctor_examples[] = {
	{ "doctor", "everything, with the commands that help" },
	{ "doctor --json", "the same for a script" },
	{}
};

const struct cli_example cli_shell_examples[] = {
	{ "shell --kernel 7.0", "a shell on Linux 7.0; exit or Ctrl-A X ends it" },
	{ "shell --kernel 7.0 --topology 2,4,2,2 --exec 'cat /sys/devices/system/node/online; nproc'",
	  "one command on a machine of 2 nodes, 4 LLCs and 16 CPUs" },
	{ "shell -i ./my-tool -i strace --exec 'strace -c my-tool'", "with programs of your own" },
	{},
};
/* clang-format on */
