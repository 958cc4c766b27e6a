// SPDX-License-Identifier: GPL-2.0-only
/* A BPF program of about twenty instructions on the tracepoint sched_waking. */
#include "guest/parts.h"

#include "guest/bpf_code.h"

/* R6 and up are preserved across calls. */
#define STATE BPF_REG_6
#define UNTIL BPF_REG_7

static void write_code(struct bpf_code *c, int state_fd, int32_t longest_ns)
{
	size_t is_not_hit, is_over, look;

	bpf_code_add_value(c, STATE, state_fd);
	bpf_code_add_random(c, BPF_REG_1, BPF_REG_2, STATE, 0);
	/* Some bits of the random number decide whether to delay, others how long. */
	bpf_code_add(c, MOVE(UNTIL, BPF_REG_1));
	bpf_code_add(c, RIGHT(BPF_REG_1, 48));
	bpf_code_add(c, MODULO(BPF_REG_1, WAKE_DELAY_ONE_IN));
	is_not_hit = bpf_code_add(c, UNLESS_ZERO(BPF_REG_1, 0));
	bpf_code_add(c, RIGHT(UNTIL, 8));
	bpf_code_add(c, MODULO(UNTIL, longest_ns));
	bpf_code_add(c, CALL(BPF_FUNC_ktime_get_ns));
	bpf_code_add(c, ADD(UNTIL, BPF_REG_0));
	look = is_over = bpf_code_add(c, ENOUGH(0));
	bpf_code_add(c, CALL(BPF_FUNC_ktime_get_ns));
	bpf_code_add_back(c, IF_LESS(BPF_REG_0, UNTIL, 0), look);
	bpf_code_land(c, is_over);
	bpf_code_land(c, is_not_hit);
	bpf_code_add(c, SET(BPF_REG_0, 0));
	bpf_code_add(c, EXIT);
}

int wake_delay_start(uint64_t seed, uint32_t longest_us)
{
	_close_ int state_fd = -1, program = -1;
	struct bpf_code code = {};
	uint64_t state;

	if (longest_us == 0)
		return 0;
	if (longest_us > WAKE_DELAY_MAX_US)
		return -EINVAL;
	seed ^= 0x77616b6575700000;   /* a different sequence than that of the slice */
	state = seed_next(&seed) | 1; /* 0 would stay 0 */
	state_fd = bpf_value_make(&state, sizeof(state));
	if (state_fd < 0)
		return state_fd;
	write_code(&code, state_fd, (int32_t)longest_us * 1000);
	program = bpf_code_load(&code, BPF_PROG_TYPE_RAW_TRACEPOINT, "wake_delay", 0);
	return program < 0 ? program : bpf_attach_tracepoint(program, "sched_waking");
}
