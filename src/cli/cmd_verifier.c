// SPDX-License-Identifier: GPL-2.0-only
/* ktstr verifier: do schedulers load, attach and dispatch, wherever they should? */
#include "cli/options.h"
#include "run/runner.h"
#include "run/sweep.h"

static int print(const struct cli_call *call, const struct sweep *s)
{
	_str_ struct str out = {};
	struct json j;
	int rc;

	if (!cli_flag(call, "json")) {
		if (s->cells.count == 0)
			return 0;
		rc = sweep_add_text(s, &out);
		return rc ?: output_text(&out);
	}
	json_init(&j, &out, true);
	sweep_put_json(s, &j);
	return output_json(&out);
}

int cmd_verifier(const struct cli_call *call)
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
