/* SPDX-License-Identifier: GPL-2.0-only */
/* What /sys/kernel/sched_ext says. */
#ifndef KTSTR_GUEST_SCX_STATE_H
#define KTSTR_GUEST_SCX_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct scx_state {
	bool is_there;	/* this kernel has sched_ext */
	bool is_active; /* in any way: enabling, enabled, disabling */
	bool is_enabled;
	char ops[128]; /* "" = none */
	bool has_rejected, has_enable_seq;
	uint64_t rejected, enable_seq;
};

/* Below root ("" for the guest itself). */
void scx_state_read(struct scx_state *s, const char *root);

/* A scheduler is at work: enabled, and the kernel tells its name. */
bool scx_state_is_attached(const struct scx_state *s);

#endif
