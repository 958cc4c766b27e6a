// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr kernel`: getting, listing and dropping kernels. */
#include "cli/table.h"

/* Rows read better packed than one field to a line. */
/* clang-format off */

#define KERNEL_ID_HELP \
	"version (6.14.2), series (6.14), source tree (./linux), git+URL#REF or cache key"

static const struct cli_param list_params[] = {
	CLI_JSON,
	{ .name = "range", .alias = "kernel", .kind = CLI_STRING, .value = "START..END",
	  .help = "print the versions that lie in a range instead of the cache" },
	{ .name = "include-eol", .needs = "range",
	  .help = "also series that kernel.org does not list any more" },
	{}
};

static const struct cli_param build_params[] = {
	{ .name = "release", .is_arg = true, .kind = CLI_STRING, .value = "VERSION",
	  .help = "version or series to build [default: the latest stable]" },
	{ .name = "source", .kind = CLI_DIR, .value = "PATH", .excludes = "git",
	  .help = "build this source tree" },
	{ .name = "git", .kind = CLI_STRING, .value = "URL", .needs = "ref",
	  .help = "build a git repository" },
	{ .name = "ref", .kind = CLI_STRING, .value = "REF", .needs = "git",
	  .help = "branch, tag or commit of it" },
	{ .name = "kernel", .kind = CLI_STRING, .value = "ID",
	  .help = "the same in one word: " KERNEL_ID_HELP },
	{ .name = "force", .help = "build even when it is cached" },
	{ .name = "clean", .help = "make mrproper first; source trees only" },
	{ .name = "cpu-cap", .kind = CLI_STRING, .value = "N",
	  .help = "use this many CPUs [default: 30 % of those allowed]" },
	{ .name = "extra-kconfig", .kind = CLI_FILE, .value = "PATH",
	  .help = "more configuration, appended after ktstr's own" },
	{ .name = "skip-sha256", .help = "do not check the download" },
	{}
};

static const struct cli_param fetch_params[] = {
	{ .name = "release", .is_arg = true, .kind = CLI_STRING, .value = "VERSION",
	  .help = "version or series [default: the newest whose BTF is sound]" },
	{ .name = "force", .help = "fetch even when it is cached" },
	{}
};

static const struct cli_param clean_params[] = {
	{ .name = "keep", .kind = CLI_NUMBER, .value = "N", .excludes = "corrupt-only",
	  .help = "keep the N newest valid entries" },
	{ .name = "corrupt-only", .help = "remove only entries that cannot be used" },
	{ .name = "force", .help = "do not ask" },
	{}
};

static const struct cli_example list_examples[] = {
	{ "kernel list", "what is in the cache" },
	{ "kernel list --range 6.12..6.16", "which releases a range stands for" },
	{}
};

static const struct cli_example build_examples[] = {
	{ "kernel build 6.14.2", "compile a release of kernel.org" },
	{ "kernel build --source ./linux", "compile a source tree" },
	{ "kernel build --git https://example.org/linux.git --ref for-next",
	  "compile the tip of a branch" },
	{}
};

static const struct cli_example fetch_examples[] = {
	{ "kernel fetch 7.0", "the newest sound image of the 7.0 series, in seconds" },
	{}
};

static const struct cli_example clean_examples[] = {
	{ "kernel clean --keep 3", "all but the three newest" },
	{ "kernel clean --corrupt-only --force", "only what cannot be used, without asking" },
	{}
};

const struct cli_cmd cli_kernel_commands[] = {
	{ .name = "list", .summary = "list cached kernels",
	  .about = "Lists the kernels in the cache, newest first. SCX says whether the kernel has "
		   "sched_ext; BTF whether its type information lets BPF programs call the "
		   "functions of sched_ext: in a kernel with unsound BTF no scheduler that calls "
		   "them can be loaded.",
	  .params = list_params, .examples = list_examples, .run = cmd_kernel_list },
	{ .name = "build", .summary = "compile a kernel and cache it",
	  .about = "Gets the source, configures it with what tests need, compiles it on a share of "
		   "the CPUs and puts the image into the cache. A source tree is cached only when "
		   "it is a clean git checkout, because only then does its commit name it.",
	  .params = build_params, .examples = build_examples, .holds_resources = true,
	  .run = cmd_kernel_build },
	{ .name = "fetch", .summary = "get a ready-made kernel",
	  .about = "Downloads the image that Debian built and puts it into the cache: seconds "
		   "instead of a compile. Needs apt, and no rights: nothing is installed. Of a "
		   "series the newest image with sound BTF is taken. Where there is no apt, no "
		   "network or no such version, an image that is installed on this machine "
		   "(/lib/modules/*/vmlinuz, /boot/vmlinuz-*) is copied into the cache.",
	  .params = fetch_params, .examples = fetch_examples, .holds_resources = true,
	  .run = cmd_kernel_fetch },
	{ .name = "clean", .summary = "remove kernels from the cache", .params = clean_params,
	  .examples = clean_examples, .holds_resources = true, .run = cmd_kernel_clean },
	{}
};
/* clang-format on */
