// SPDX-License-Identifier: GPL-2.0-only
/*
 * Virtual time of tasks, but those of other users than root are charged three times.
 *
 * To be caught by: shares, of busy tasks of another user.
 */
#include "vtime.h"

struct kuid {
	u32 val;
};

struct cred {
	struct kuid uid;
} FROM_KERNEL;

struct task_struct___owned {
	const struct cred *cred;
} FROM_KERNEL;

static u64 weight_of(struct task_struct *p)
{
	return BPF_CORE_READ((struct task_struct___owned *)p, cred, uid.val) ? 33 : 100;
}

VTIME_SCHEDULER(users_pay);
