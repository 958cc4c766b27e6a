/* SPDX-License-Identifier: GPL-2.0-only */
/* One BPF timer, for schedulers that do something by the clock. Its callback starts it again. */
#ifndef KTSTR_TESTS_SCHEDULERS_CLOCK_H
#define KTSTR_TESTS_SCHEDULERS_CLOCK_H

#include "scheduler.h"

struct clock {
	struct bpf_timer timer;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct clock);
} clocks SEC(".maps");

/* From ops.init: callback(void *map, u32 *key, struct clock *c) runs after this time. */
static __always_inline s32 clock_start(void *callback, u64 ns)
{
	u32 key = 0;
	struct clock *c = bpf_map_lookup_elem(&clocks, &key);
	s32 rc;

	if (!c)
		return -ENOMEM;
	rc = (s32)bpf_timer_init(&c->timer, &clocks, CLOCK_MONOTONIC);
	if (rc == 0)
		rc = (s32)bpf_timer_set_callback(&c->timer, callback);
	return rc ? rc : (s32)bpf_timer_start(&c->timer, ns, 0);
}

#endif
