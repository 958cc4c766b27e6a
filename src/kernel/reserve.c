/* The CPU share of builds. */
#include "kernel/reserve.h"

#include <sched.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/parse.h"
#include "base/util.h"

/* A build is a guest on the machine: it takes 30 %. */
#define SHARE_PERCENT 30

int reserve_parse_cap(const char *flag, uint64_t *cap)
{
	const char *text = flag ? flag : env_get("KTSTR_CPU_CAP");
	const char *name = flag ? "--cpu-cap" : "KTSTR_CPU_CAP";

	*cap = 0;
	if (!text)
		return 0;
	if (parse_u64(text, cap) < 0)
		return err_set(EINVAL, "%s takes a number of CPUs, not '%s'", name, text);
	if (*cap == 0)
		return err_set(EINVAL, "--cpu-cap must be ≥ 1 CPU (got 0)");
	if (env_get("KTSTR_BYPASS_LLC_LOCKS"))
		return err_set(
			EINVAL,
			"%s and KTSTR_BYPASS_LLC_LOCKS exclude each other: a cap is a resource "
			"contract, and the bypass breaks it",
			name);
	return 0;
}

int reserve_count(uint64_t cap, size_t allowed, size_t *cpus)
{
	if (cap > allowed)
		return err_set(EINVAL,
			       "--cpu-cap %llu is more than the %zu CPUs this process may use",
			       (unsigned long long)cap, allowed);
	if (cap)
		*cpus = (size_t)cap;
	else
		*cpus = MAX(1, (allowed * SHARE_PERCENT + 99) / 100);
	return 0;
}

int reserve_build_cpus(uint64_t cap, size_t *cpus)
{
	size_t size = CPU_ALLOC_SIZE(8192);
	_free_ cpu_set_t *set = calloc(1, size);
	size_t allowed;

	if (!set)
		return err_set(ENOMEM, "out of memory");
	if (sched_getaffinity(0, size, set) < 0)
		return err_sys(errno, "find the CPUs this process may use");
	allowed = (size_t)CPU_COUNT_S(size, set);
	if (env_get("KTSTR_BYPASS_LLC_LOCKS")) {
		*cpus = allowed;
		return 0;
	}
	return reserve_count(cap, allowed, cpus);
}
