// SPDX-License-Identifier: GPL-2.0-only
/*
 * ktstr verifier: checks whether schedulers load, attach and dispatch on all kernels and machines.
 */
#include "cli/options.h"
#include "cli/rows_test.h"
#include "run/campaign.h"
#include "run/sweep.h"

static int print(const struct cli_call *call, const struct sweep *s)
{
	struct printout o;
	int rc = 0;

	output_begin(&o, call);
	if (o.is_json)
		sweep_put_json(s, &o.json);
	else if (s->cells.count)
		rc = sweep_add_text(s, &o.text);
	return output_end(&o, rc);
}

static int cmd_verifier_run(const struct cli_call *call)
{
	_cleanup_(sweep_finish) struct sweep s = {};
	struct sweep_options options = {
		.label = call->program,
		.scheduler = cli_text(call, "scheduler"),
		.scheduler_bin = cli_text(call, "scheduler-bin"),
		.profiles = cli_text(call, "profiles"),
		.has_all_profiles = cli_flag(call, "all-profiles"),
		.include_eol = cli_flag(call, "include-eol"),
		.is_raw = cli_flag(call, "raw"),
		.is_quiet = cli_flag(call, "quiet"),
		.is_verbose = cli_flag(call, "verbose"),
		.accel = cli_text(call, "accel"),
		.has_seed = cli_is_given(call, "seed"),
		.jobs = (size_t)cli_number(call, "jobs"),
	};
	_free_ const char **kernels = NULL, **machines = NULL;
	int rc = cli_collect(call, "kernel", &kernels, &options.kernel_count);

	rc = rc ?: seed_option(call, &options.seed);
	rc = rc ?: cli_collect(call, "preset", &machines, &options.preset_count);
	if (rc < 0)
		return rc;
	options.kernels = kernels;
	options.presets = machines;
	interrupt_install();
	rc = sweep_run(&s, &options);
	if (rc == -EINTR)
		return RUN_EXIT_INTERRUPTED;
	rc = rc ?: print(call, &s);
	if (rc < 0)
		return rc;
	if (s.cells.count == 0)
		return RUN_EXIT_NOTHING;
	return sweep_bad_count(&s) ? RUN_EXIT_FAILED : RUN_EXIT_PASSED;
}

/* clang-format off */
const struct cli_cmd cmd_verifier = {
	.name = "verifier", .summary = "try schedulers on many kernels and machines",
	.about = "Boots a VM for every combination of scheduler, kernel and machine: the BPF "
		 "programs of the scheduler have to pass the kernel's verifier, it has to "
		 "attach, and a busy worker on every CPU has to run under it. Prints the number "
		 "of instructions that the verifier processed for each program, a grid of "
		 "results, and the verifier log of each rejected program. Tries the schedulers "
		 "that test programs declare, or scx-ktstr if none are declared. A scheduler "
		 "without a program is left out.",
	.params = CLI_PARAMS(
		{ .name = "preset", .is_arg = true, .is_repeatable = true, .kind = CLI_CHOICE,
		  .value = "PRESET", .choices = preset_names,
		  .help = "machines to try [default: all with up to 192 CPUs; without KVM, all "
			  "with up to 9 CPUs]" },
		{ .name = "kernel", .kind = CLI_STRING, .value = "ID", .is_repeatable = true,
		  .help = "kernel as for `ktstr test`; may be repeated [default: the newest one available]" },
		{ .name = "scheduler", .kind = CLI_STRING, .value = "NAME",
		  .help = "only the declared scheduler with this name" },
		CLI_SCHEDULER_BIN("this program instead of declared schedulers"),
		{ .name = "all-profiles", .help = "try every set of flags that a scheduler "
			"declares; asks the program of --scheduler-bin with --ktstr-list-flags" },
		{ .name = "profiles", .kind = CLI_STRING, .value = "LIST", .excludes = "all-profiles",
		  .help = "try these sets of flags: default,llc,llc+steal" },
		{ .name = "raw", .help = "print verifier logs unmodified, including repeated "
			"cycles" },
		{ .name = "accel", .kind = CLI_CHOICE, .value = "ACCEL", .choices = cli_accel_names,
		  .help = "as for `ktstr test` [default: kvm where it works, else sim]" },
		CLI_SEED("with sim: seed of the runs; the same seed gives the same runs"),
		{ .name = "jobs", .letter = 'j', .kind = CLI_NUMBER, .value = "N", .min = 1, .max = 512,
		  .help = "run N VMs in parallel [default: as CPUs and memory allow]" },
		INCLUDE_EOL_ROW,
		CLI_JSON),
	.examples = CLI_EXAMPLES(
		{ "verifier --kernel 7.0", "all schedulers of the available test programs" },
		{ "verifier --kernel 6.19 --kernel 7.0 --scheduler-bin ./scx_mine tiny-1llc odd-3llc",
		  "one program on two kernels and two machines" }),
	.holds_resources = true,
	.exits = CLI_EXITS(
		{ "1", "a combination fails" },
		{ "4", "nothing was tried: every declared scheduler was left out" },
		{ "130", "interrupted" }),
	.run = cmd_verifier_run,
};
/* clang-format on */
