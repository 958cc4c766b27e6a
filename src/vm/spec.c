// SPDX-License-Identifier: GPL-2.0-only
/* Names and parsers of a VM's description. */
#include "vm/spec.h"

#include "guest/protocol.h"

static const char *const accel_names[] = {
	[VM_ACCEL_KVM] = "kvm",
	[VM_ACCEL_TCG] = "tcg",
	[VM_ACCEL_SIM] = "sim",
};

int vm_accel_by_name(const char *name)
{
	return str_index(accel_names, ARRAY_SIZE(accel_names), name);
}

const char *vm_accel_name(enum vm_accel accel)
{
	return accel_names[accel];
}

static int check_topology(const char *text, const struct vm_topology *t)
{
	uint64_t cpus = (uint64_t)t->llcs * t->cores * t->threads;

	if (t->llcs % t->nodes)
		return err_set(
			EINVAL,
			"invalid topology '%s': llcs (%u) must be a multiple of numa_nodes (%u)",
			text, t->llcs, t->nodes);
	if (t->nodes > VM_MAX_NODES)
		return err_set(EINVAL,
			       "invalid topology '%s': numa_nodes is %u, at most %d are possible",
			       text, t->nodes, VM_MAX_NODES);
	if (cpus > VM_MAX_CPUS)
		return err_set(
			EINVAL,
			"invalid topology '%s': llcs x cores x threads is %llu vCPUs, at most %d "
			"are possible",
			text, ULL(cpus), VM_MAX_CPUS);
	return 0;
}

int vm_topology_parse(const char *text, struct vm_topology *out)
{
	struct {
		const char *name;
		unsigned int *value;
	} fields[] = {
		{ "numa_nodes", &out->nodes },
		{ "llcs", &out->llcs },
		{ "cores", &out->cores },
		{ "threads", &out->threads },
	};
	const char *p = text;

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		uint64_t value = 0;

		if (i > 0 && *p++ != ',')
			return err_set(EINVAL,
				       "invalid topology '%s': %s is missing; expected "
				       "numa_nodes,llcs,cores,threads such as 1,2,4,1",
				       text, fields[i].name);
		if (parse_digits(&p, &value) < 0 || (*p && *p != ','))
			return err_set(EINVAL, "invalid topology '%s': %s is not a whole number",
				       text, fields[i].name);
		if (value == 0 || value > 65536)
			return err_set(EINVAL, "invalid topology '%s': %s must be at least 1%s",
				       text, fields[i].name, value ? " and at most 65536" : "");
		*fields[i].value = (unsigned int)value;
	}
	if (*p)
		return err_set(EINVAL, "invalid topology '%s': text after threads", text);
	return check_topology(text, out);
}

int vm_sim_check(uint64_t shift, uint64_t slice_us)
{
	if (shift > VM_SIM_MAX_SHIFT)
		return err_set(EINVAL, "--sim-shift must be 0 to %d", VM_SIM_MAX_SHIFT);
	if (slice_us && slice_us != VM_SIM_SLICE_UNSET &&
	    (slice_us < VM_SIM_MIN_SLICE_US || slice_us > VM_SIM_MAX_SLICE_US))
		return err_set(EINVAL, "--sim-slice must be 0, or %d to %d", VM_SIM_MIN_SLICE_US,
			       VM_SIM_MAX_SLICE_US);
	return 0;
}

void vm_sim_settings(const struct vm_sim *sim, struct str *out)
{
	str_addf(out, "%s=%llu\n", GUEST_SEED, ULL(sim->seed));
	if (sim->slice_us != VM_SIM_SLICE_UNSET)
		str_addf(out, "%s=%u\n", GUEST_SLICE, sim->slice_us);
	if (sim->has_jitter)
		str_addf(out, "%s=1\n", GUEST_JITTER);
	if (sim->delays)
		str_addf(out, "%s=%u\n", GUEST_DELAYS, sim->delays);
	if (sim->wake_delay_us)
		str_addf(out, "%s=%u\n", GUEST_WAKE_DELAYS, sim->wake_delay_us);
	if (sim->strategy)
		str_addf(out, "%s=%s\n%s=%u\n%s=%u\n", GUEST_STRATEGY, sim->strategy, GUEST_DEPTH,
			 sim->depth, GUEST_EVENTS, sim->events);
}

bool vm_env_is_verbose(enum vm_accel accel)
{
	const char *verbose = env_get("KTSTR_VERBOSE"), *backtrace = env_get("RUST_BACKTRACE");

	if (verbose && str_eq(verbose, "1"))
		return true;
	return accel != VM_ACCEL_SIM && backtrace &&
	       (str_eq(backtrace, "1") || str_eq(backtrace, "full"));
}
