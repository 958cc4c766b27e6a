// SPDX-License-Identifier: GPL-2.0-only
/* Converts options to the knobs of a run. */
#include "cli/options.h"

#include "guest/order.h"

/* "random" is the same as --sim-jitter, so records store it as such. */
static int read_strategy(const struct cli_call *call, const char *text, struct run_knobs *out)
{
	int rc = run_strategy_parse(text, &out->strategy);

	if (rc < 0)
		return rc;
	if (str_eq(text, RUN_STRATEGY_RANDOM)) {
		out->strategy = NULL;
		out->has_jitter = true;
	}
	if (cli_is_given(call, "depth") || str_eq(text, ORDER_PCT))
		out->depth = (unsigned int)cli_number(call, "depth");
	out->events = (uint32_t)cli_number(call, "events");
	return run_strategy_check(out);
}

uint64_t vm_sim_slice_option(const struct cli_call *call)
{
	return cli_is_given(call, "sim-slice") ? cli_number(call, "sim-slice") : VM_SIM_SLICE_UNSET;
}

int knob_options(const struct cli_call *call, struct run_knobs *out)
{
	const char *topology = cli_text(call, "topology"), *steps = cli_text(call, "steps");
	uint64_t shift = cli_number(call, "sim-shift"), slice = vm_sim_slice_option(call);
	const char *strategy = cli_text(call, "strategy");
	int rc = vm_sim_check(shift, slice);

	*out = (struct run_knobs){
		.shift = (unsigned int)shift,
		.slice_us = (uint32_t)slice,
		.has_jitter = cli_flag(call, "sim-jitter"),
		.delays = (uint32_t)cli_number(call, "sim-delays"),
		.wake_delay_us = (uint32_t)cli_number(call, "sim-wake-delays"),
		.is_cold = cli_flag(call, "cold"),
		.is_release = cli_flag(call, "release"),
		.versus_eevdf = cli_flag(call, "versus-eevdf"),
		.is_verbose = vm_env_is_verbose(VM_ACCEL_SIM),
		.duration_ms = cli_number(call, "duration") / NSEC_PER_MSEC,
		.workers = (unsigned int)cli_number(call, "workers"),
		.hold_percent = (unsigned int)cli_number(call, "hold-percent"),
	};
	if (rc == 0 && strategy)
		rc = read_strategy(call, strategy, out);
	if (rc == 0 && topology)
		rc = vm_topology_parse(topology, &out->topology);
	if (rc == 0 && steps)
		rc = run_steps_parse(steps, &out->steps);
	if (rc == 0 && cli_is_given(call, "duration") && !out->duration_ms)
		rc = err_set(EINVAL, "--duration must be at least 1ms");
	return rc < 0 ? cli_usage_error(call, "%s", err_text(rc)) : 0;
}
