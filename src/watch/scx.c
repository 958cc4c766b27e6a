// SPDX-License-Identifier: GPL-2.0-only
/* Data of sched_ext: members of struct scx_sched, or variables of older kernels. */
#include "watch/parts.h"

#define EXIT_DONE 1 /* SCX_EXIT_DONE: being disabled, or never enabled */

/* Before 6.16: the kernel's only copy of the operations has a name while a scheduler is loaded. */
static uint64_t old_instance(struct space *space)
{
	uint64_t ops = space_symbol(space, SYM_SCX_OPS);
	uint64_t name = layout_has(space->layout, M_OPS_NAME) ? space->layout->members[M_OPS_NAME] :
								0;
	char first;

	return ops && space_read(space, ops + name, &first, 1) && first ? ops : 0;
}

uint64_t scx_instance(struct space *space)
{
	uint64_t root = space_symbol(space, SYM_SCX_ROOT), instance;

	if (!root)
		return old_instance(space);
	return space_read_u64(space, root, &instance) ? instance : 0;
}

/* Address of the member, or of the variable in older kernels. */
static uint64_t place(struct space *space, uint64_t instance, enum watch_member m,
		      enum watch_symbol symbol)
{
	if (space_symbol(space, SYM_SCX_ROOT) && layout_has(space->layout, m))
		return instance + space->layout->members[m];
	return space_symbol(space, symbol);
}

static uint64_t pointer_at(struct space *space, uint64_t at)
{
	uint64_t value;

	return at && space_read_u64(space, at, &value) ? value : 0;
}

uint64_t scx_ops(struct space *space, uint64_t instance)
{
	return place(space, instance, M_SCHED_OPS, SYM_SCX_OPS);
}

uint64_t scx_dsq_hash(struct space *space, uint64_t instance)
{
	return place(space, instance, M_SCHED_DSQ_HASH, SYM_DSQ_HASH);
}

/* In separate structs from 7.1 on. */
uint64_t scx_global_dsqs(struct space *space, uint64_t instance)
{
	enum watch_member array = layout_has(space->layout, M_SCHED_PNODE) ? M_SCHED_PNODE :
									     M_SCHED_GLOBAL_DSQS;

	return pointer_at(space, place(space, instance, array, SYM_GLOBAL_DSQS));
}

uint64_t scx_exit_kind(struct space *space, uint64_t instance)
{
	uint64_t at = place(space, instance, M_SCHED_EXIT_KIND, SYM_SCX_EXIT_KIND);
	uint64_t info =
		pointer_at(space, place(space, instance, M_SCHED_EXIT_INFO, SYM_SCX_EXIT_INFO));
	uint64_t told;
	uint32_t kind;

	if (!at || !space_read_u32(space, at, &kind))
		return 0;
	if (kind > EXIT_DONE)
		return kind;
	return info && space_read_member(space, info, M_EXIT_INFO_KIND, &told) ? told : 0;
}

#define OLDEST 8 /* tasks of a CPU's runnable list, which is in order of becoming runnable */

/* now and limit are in jiffies. */
static bool waits_for(struct space *space, unsigned int cpu, uint64_t now, uint64_t limit)
{
	const uint32_t *members = space->layout->members;
	uint64_t rq, head, node, since;

	if (!space_of_cpu(space, space_symbol(space, SYM_RUNQUEUES), cpu, &rq))
		return false;
	head = rq + members[M_RQ_RUNNABLE];
	if (!space_read_u64(space, head, &node))
		return false;
	for (int i = 0; i < OLDEST && node != head; i++) {
		if (!space_read_member(space, node - members[M_TASK_RUNNABLE], M_TASK_RUNNABLE_AT,
				       &since))
			return false;
		if ((int64_t)(now - since) >= (int64_t)limit)
			return true;
		if (!space_read_u64(space, node, &node))
			return false;
	}
	return false;
}

bool scx_half_stalled(struct space *space, uint64_t instance, unsigned int cpu_count)
{
	static const enum watch_member needed[] = { M_RQ_RUNNABLE, M_TASK_RUNNABLE,
						    M_TASK_RUNNABLE_AT };
	uint64_t jiffies = space_symbol(space, SYM_JIFFIES), now, timeout;
	uint64_t at = place(space, instance, M_SCHED_WATCHDOG, SYM_SCX_WATCHDOG);

	if (!instance || !at || !jiffies ||
	    !layout_has_all(space->layout, needed, ARRAY_SIZE(needed)) ||
	    !space_read_u64(space, at, &timeout) || !space_read_u64(space, jiffies, &now) ||
	    timeout < 2 || timeout > INT32_MAX)
		return false;
	for (unsigned int i = 0; i < cpu_count; i++)
		if (waits_for(space, i, now, timeout / 2))
			return true;
	return false;
}
