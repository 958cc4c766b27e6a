/* SPDX-License-Identifier: GPL-2.0-only */
/* The maps of the observer; user space maps them into memory. */
#ifndef KTSTR_BPF_OBSERVE_MAPS_H
#define KTSTR_BPF_OBSERVE_MAPS_H

#include "observe_kernel.h"

#include "../src/observe/layout.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, OBSERVE_TASKS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, u32);
	__type(value, struct observe_task);
} tasks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, OBSERVE_MAX_CPUS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, u32);
	__type(value, struct observe_cpu);
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, OBSERVE_SETS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, u32);
	__type(value, struct observe_set);
} sets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, u32);
	__type(value, struct observe_control);
} control SEC(".maps");

/* Number of words of a cpumask that are used; set by the loader. */
const volatile u32 mask_words = 1;

/* The verifier checks such a function once, instead of at every call. */
#define VERIFIED_ALONE __attribute__((noinline))

static struct observe_control *control_get(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&control, &zero);
}

#endif
