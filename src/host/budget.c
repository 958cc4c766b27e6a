// SPDX-License-Identifier: GPL-2.0-only
/* CPU budgets. */
#include "host/budget.h"

#include "host/topology.h"

static int read_status(struct cpulist *allowed, const struct roots *roots)
{
	static const char key[] = "\nCpus_allowed_list:";
	_str_ struct str status = {};
	int rc = root_read(roots->proc, &status, "self/status");
	_free_ char *list = NULL;
	const char *at;

	if (rc < 0)
		return rc;
	at = strstr(str_get(&status), key);
	if (!at)
		return -ENODATA;
	at += strlen(key);
	at += strspn(at, " \t");
	list = strndup(at, strcspn(at, "\n"));
	return list ? cpulist_parse(list, allowed) : -ENOMEM;
}

int budget_read_allowed(struct cpulist *allowed, const struct roots *roots)
{
	int rc = roots_is_live(roots) ? affinity_get(0, allowed) : -ENODATA;

	if (rc < 0 && rc != -ENOMEM)
		rc = read_status(allowed, roots);
	if (rc < 0)
		return err_sys(-rc, "cannot determine which CPUs this process may use");
	if (!allowed->count) {
		cpulist_finish(allowed);
		return err_set(ENODEV, "this process may use no CPU at all");
	}
	return 0;
}

bool budget_is_bypassed(void)
{
	return env_get("KTSTR_BYPASS_LLC_LOCKS") != NULL;
}

static int parse_cap(struct cpu_cap *cap, const char *text)
{
	uint64_t cpus;
	int rc = parse_u64(text, &cpus);

	if (rc == -ERANGE)
		return err_set(EINVAL, "%s: %s CPUs are more than any machine has", cap->source,
			       text);
	if (rc < 0)
		return err_set(EINVAL, "%s takes a number of CPUs, not '%s'", cap->source, text);
	if (!cpus)
		return err_set(EINVAL, "%s must be ≥ 1 CPU (got 0)", cap->source);
	cap->cpus = cpus;
	return 0;
}

int cpu_cap_resolve(struct cpu_cap *cap, const char *flag, size_t allowed)
{
	const char *text = flag ? flag : env_get("KTSTR_CPU_CAP");
	int rc;

	*cap = (struct cpu_cap){ .source = flag ? "--cpu-cap" : "KTSTR_CPU_CAP" };
	if (!text)
		return 0;
	rc = parse_cap(cap, text);
	if (rc < 0)
		return rc;
	if (budget_is_bypassed())
		return err_set(EINVAL,
			       "%s and KTSTR_BYPASS_LLC_LOCKS exclude each other: a cap is a "
			       "resource contract with the other users of this machine, and the "
			       "bypass breaks it; drop one of them",
			       cap->source);
	if (cap->cpus > allowed)
		return err_set(EINVAL, "%s asks for %zu CPUs, but this process may use only %zu",
			       cap->source, cap->cpus, allowed);
	return 0;
}

int cpu_cap_check_mode(struct cpu_cap *cap, bool no_perf_mode)
{
	if (!cap->cpus || no_perf_mode)
		return 0;
	if (str_eq(cap->source, "--cpu-cap"))
		return err_set(EINVAL, "--cpu-cap requires --no-perf-mode: performance mode "
				       "reserves whole LLCs, which a cap would reserve again");
	log_warn("host", "%s=%zu has no effect without --no-perf-mode", cap->source, cap->cpus);
	cap->cpus = 0;
	return 0;
}

size_t budget_default_build(size_t allowed)
{
	return MAX(1, (allowed * 3 + 9) / 10);
}
