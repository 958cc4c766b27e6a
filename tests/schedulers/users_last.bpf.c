// SPDX-License-Identifier: GPL-2.0-only
/*
 * First come, first served, but tasks of other users than root come 100 ms later than they did.
 *
 * To be caught by: late wakeups.
 */
#include "arrivals.h"

struct kuid {
	u32 val;
};

struct cred {
	struct kuid uid;
} FROM_KERNEL;

struct task_struct___owner {
	const struct cred *real_cred;
} FROM_KERNEL;

static u64 delay_of(struct task_struct *p, const struct account *a, u64 enq_flags, u64 now)
{
	const struct cred *owner = BPF_CORE_READ((struct task_struct___owner *)p, real_cred);
	u32 uid = 0;

	bpf_core_read(&uid, sizeof(uid), &owner->uid);
	return uid ? 100 * MS : 0;
}

ARRIVALS(users_last);
