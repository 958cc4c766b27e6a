/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What performance mode does to threads, and what about this machine will
 * disturb its figures. Threads are given by id: QEMU tells those of its vCPUs.
 */
#ifndef KTSTR_HOST_PERFMODE_H
#define KTSTR_HOST_PERFMODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "base/roots.h"
#include "base/str.h"
#include "host/context.h"
#include "host/plan.h"

/* Thread i on cpus[i] alone. */
int perfmode_pin(const pid_t *tids, const unsigned int *cpus, size_t count);

/* Every thread on any of the CPUs. */
int perfmode_mask(const pid_t *tids, size_t count, const unsigned int *cpus, size_t cpu_count);

/* SCHED_FIFO. Where that is refused (-EPERM) the run goes on with a warning. */
int perfmode_set_fifo(const pid_t *tids, size_t count, int priority);

/* The caller alone on a CPU, at that priority where it is allowed. */
int perfmode_serve(unsigned int cpu, int priority);

/* All three for the vCPUs of a plan, by its mode. */
int perfmode_place_vcpus(const struct plan *plan, const pid_t *tids, size_t count);

/*
 * The other threads of the process go to the service CPU, where the plan has one: on the CPUs of
 * real-time vCPUs they would starve, and the guest with them when it waits for a device.
 */
int perfmode_place_others(const struct plan *plan, pid_t pid, const pid_t *vcpus, size_t count);

struct perfmode_facts {
	struct host_number hugepages_free; /* of 2 MiB, on the plan's nodes */
	struct host_number procs_running;
	char *clocksource; /* NULL = unknown */
};

void perfmode_read_facts(struct perfmode_facts *facts, const struct plan *plan,
			 const struct roots *roots);
void perfmode_facts_finish(struct perfmode_facts *facts);

#define _perfmode_facts_ _cleanup_(perfmode_facts_finish)

/* Whether the guest's memory fits into the free huge pages. */
bool perfmode_has_hugepages(const struct perfmode_facts *facts, uint64_t memory_mib);

/* One line each: `performance_mode: WARNING: ...`. */
void perfmode_add_warnings(const struct perfmode_facts *facts, size_t vcpus, uint64_t memory_mib,
			   struct str *out);

#endif
