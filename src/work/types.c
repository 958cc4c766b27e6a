// SPDX-License-Identifier: GPL-2.0-only
/* The table of work types, and finding one by name. */
#include "work/types.h"

/* ---- teams ---- */

static unsigned int limit(uint64_t size)
{
	return size < UINT32_MAX ? (unsigned int)size : UINT32_MAX;
}

static unsigned int group_pair(const struct ktstr_work_type *type _unused_)
{
	return 2;
}

static unsigned int group_triple(const struct ktstr_work_type *type _unused_)
{
	return 3;
}

static unsigned int group_first(const struct ktstr_work_type *type)
{
	return limit(work_type_arg(type, 0));
}

static unsigned int group_first_and_one(const struct ktstr_work_type *type)
{
	return limit(limit(work_type_arg(type, 0)) + 1ULL);
}

static unsigned int group_sum(const struct ktstr_work_type *type)
{
	return limit((uint64_t)limit(work_type_arg(type, 0)) + limit(work_type_arg(type, 1)));
}

/* ---- roles in a team ---- */

static unsigned int role_first_or_other(const struct ktstr_worker *w)
{
	return w->member != 0;
}

static unsigned int role_member(const struct ktstr_worker *w)
{
	return w->member;
}

static unsigned int role_producer_or_consumer(const struct ktstr_worker *w)
{
	return w->member >= work_type_arg(&w->spec->work->work_type, 0);
}

/* ---- the table ---- */

/* clang-format off */
static const struct work_type_row rows[KTSTR_WORK_COUNT] = {
	[KTSTR_WORK_CPU_SPIN] = {
		.info = { .name = "CpuSpin", .stresses = "fairness, load balance" },
		.iterate = cpu_spin_iterate,
	},
	[KTSTR_WORK_YIELD_HEAVY] = {
		.info = { .name = "YieldHeavy", .stresses = "wake/yield path" },
		.iterate = yield_heavy_iterate,
	},
	[KTSTR_WORK_MIXED] = {
		.info = { .name = "Mixed", .stresses = "CPU + voluntary preemption" },
		.iterate = mixed_iterate,
	},
	[KTSTR_WORK_IO_SYNC] = {
		.info = { .name = "IoSync", .stresses = "dequeue/requeue, page allocator" },
		.prepare = io_sync_prepare,
		.iterate = io_sync_iterate,
	},
	[KTSTR_WORK_BURSTY] = {
		.info = { .name = "Bursty", .stresses = "CPU borrowing, idle balance",
			  .parameters = { { "burst_ms", 50 }, { "sleep_ms", 100 } } },
		.iterate = bursty_iterate,
	},
	[KTSTR_WORK_PIPE_IO] = {
		.info = { .name = "PipeIo", .stresses = "cross-CPU wake",
			  .parameters = { { "burst_iters", 1024 } },
			  .group = group_pair },
		.iterate = pipe_io_iterate,
		.pipes = 2,
	},
	[KTSTR_WORK_FUTEX_PING_PONG] = {
		.info = { .name = "FutexPingPong", .stresses = "non-sync futex wake",
			  .parameters = { { "spin_iters", 1024 } },
			  .group = group_pair },
		.iterate = futex_ping_pong_iterate,
	},
	[KTSTR_WORK_CACHE_PRESSURE] = {
		.info = { .name = "CachePressure", .stresses = "cache-hot placement",
			  .parameters = { { "size_kb", 32 }, { "stride", 64 } } },
		.prepare = cache_pressure_prepare,
		.iterate = cache_pressure_iterate,
	},
	[KTSTR_WORK_CACHE_YIELD] = {
		.info = { .name = "CacheYield", .stresses = "re-placement when cache-hot",
			  .parameters = { { "size_kb", 32 }, { "stride", 64 } } },
		.prepare = cache_pressure_prepare,
		.iterate = cache_yield_iterate,
	},
	[KTSTR_WORK_CACHE_PIPE] = {
		.info = { .name = "CachePipe", .stresses = "cache + wake",
			  .parameters = { { "size_kb", 32 }, { "burst_iters", 1024 } },
			  .group = group_pair },
		.prepare = cache_pipe_prepare,
		.iterate = cache_pipe_iterate,
		.pipes = 2,
	},
	[KTSTR_WORK_FUTEX_FAN_OUT] = {
		.info = { .name = "FutexFanOut", .stresses = "wake storms",
			  .parameters = { { "fan_out", 4 }, { "spin_iters", 1024 } },
			  .group = group_first_and_one },
		.prepare = seen_prepare,
		.iterate = futex_fan_out_iterate,
		.has_messenger = true,
		.role = role_first_or_other,
	},
	[KTSTR_WORK_FAN_OUT_COMPUTE] = {
		.info = { .name = "FanOutCompute", .stresses = "cache-aware fan-out",
			  .parameters = { { "fan_out", 4 }, { "cache_footprint_kb", 256 }, { "operations", 5 }, { "sleep_usec", 100 } },
			  .group = group_first_and_one },
		.prepare = fan_out_compute_prepare,
		.iterate = fan_out_compute_iterate,
		.has_messenger = true,
		.role = role_first_or_other,
	},
	[KTSTR_WORK_SEQUENCE] = {
		.info = { .name = "Sequence", .stresses = "phased patterns",
			  .is_unnameable = true },
		.prepare = sequence_prepare,
		.iterate = sequence_iterate,
	},
	[KTSTR_WORK_FORK_EXIT] = {
		.info = { .name = "ForkExit", .stresses = "task create/exit" },
		.prepare = fork_exit_prepare,
		.iterate = fork_exit_iterate,
	},
	[KTSTR_WORK_NICE_SWEEP] = {
		.info = { .name = "NiceSweep", .stresses = "reweighting" },
		.prepare = nice_sweep_prepare,
		.iterate = nice_sweep_iterate,
		.finish = nice_sweep_finish,
	},
	[KTSTR_WORK_AFFINITY_CHURN] = {
		.info = { .name = "AffinityChurn", .stresses = "forced migration",
			  .parameters = { { "spin_iters", 1024 } } },
		.prepare = affinity_churn_prepare,
		.iterate = affinity_churn_iterate,
		.finish = affinity_churn_finish,
	},
	[KTSTR_WORK_POLICY_CHURN] = {
		.info = { .name = "PolicyChurn", .stresses = "class switches",
			  .parameters = { { "spin_iters", 1024 } } },
		.prepare = policy_churn_prepare,
		.iterate = policy_churn_iterate,
		.finish = policy_churn_finish,
	},
	[KTSTR_WORK_PAGE_FAULT_CHURN] = {
		.info = { .name = "PageFaultChurn", .stresses = "page faults, TLB",
			  .parameters = { { "region_kb", 4096 }, { "touches_per_cycle", 256 }, { "spin_iters", 64 } } },
		.prepare = page_fault_churn_prepare,
		.iterate = page_fault_churn_iterate,
	},
	[KTSTR_WORK_MUTEX_CONTENTION] = {
		.info = { .name = "MutexContention", .stresses = "convoy, lock-holder preemption",
			  .parameters = { { "contenders", 4 }, { "hold_iters", 256 }, { "work_iters", 1024 } },
			  .group = group_first },
		.iterate = mutex_contention_iterate,
	},
	[KTSTR_WORK_CUSTOM] = {
		.info = { .name = "Custom", .stresses = "anything", .is_unnameable = true },
	},
	[KTSTR_WORK_ALU_HOT] = {
		.info = { .name = "AluHot", .stresses = "a core without pauses, SMT sharing" },
		.iterate = alu_hot_iterate,
	},
	[KTSTR_WORK_IDLE_CHURN] = {
		.info = { .name = "IdleChurn", .stresses = "idle entry and exit, idle CPU selection",
			  .parameters = { { "burst_us", 100 }, { "sleep_us", 900 } } },
		.iterate = idle_churn_iterate,
	},
	[KTSTR_WORK_WAKE_CHAIN] = {
		.info = { .name = "WakeChain", .stresses = "wakes that follow each other",
			  .parameters = { { "depth", 4 }, { "spin_iters", 256 } },
			  .group = group_first },
		.prepare = seen_prepare,
		.iterate = wake_chain_iterate,
	},
	[KTSTR_WORK_THUNDERING_HERD] = {
		.info = { .name = "ThunderingHerd", .stresses = "many wakes at once",
			  .parameters = { { "herd", 7 }, { "spin_iters", 256 } },
			  .group = group_first_and_one },
		.iterate = thundering_herd_iterate,
		.role = role_first_or_other,
	},
	[KTSTR_WORK_TIMER_LATENCY] = {
		.info = { .name = "TimerLatency", .stresses = "timer wakes by the clock",
			  .parameters = { { "period_us", 1000 } } },
		.prepare = timer_latency_prepare,
		.iterate = timer_latency_iterate,
	},
	[KTSTR_WORK_EPOLL_STORM] = {
		.info = { .name = "EpollStorm", .stresses = "wakes that find nothing to do",
			  .parameters = { { "waiters", 4 }, { "spin_iters", 256 } },
			  .group = group_first_and_one },
		.prepare = epoll_storm_prepare,
		.iterate = epoll_storm_iterate,
		.role = role_first_or_other,
		.events = 8,
	},
	[KTSTR_WORK_CGROUP_ATTACH_STORM] = {
		.info = { .name = "CgroupAttachStorm", .stresses = "tasks that change cgroup",
			  .parameters = { { "cgroups", 2 }, { "spin_iters", 1024 } } },
		.prepare = cgroup_attach_prepare,
		.iterate = cgroup_attach_iterate,
		.finish = cgroup_attach_finish,
	},
	[KTSTR_WORK_PRIORITY_INVERSION] = {
		.info = { .name = "PriorityInversion", .stresses = "a lock held by the least important",
			  .parameters = { { "hold_iters", 4096 }, { "work_iters", 1024 }, { "use_pi", 0 } },
			  .group = group_triple },
		.prepare = priority_inversion_prepare,
		.iterate = priority_inversion_iterate,
		.role = role_member,
	},
	[KTSTR_WORK_RT_STARVATION] = {
		.info = { .name = "RtStarvation", .stresses = "progress beside real-time load",
			  .parameters = { { "victims", 1 }, { "burst_ms", 20 }, { "rest_ms", 80 } },
			  .group = group_first_and_one },
		.prepare = rt_starvation_prepare,
		.iterate = rt_starvation_iterate,
		.role = role_first_or_other,
	},
	[KTSTR_WORK_PREEMPT_STORM] = {
		.info = { .name = "PreemptStorm", .stresses = "wakeup preemption",
			  .parameters = { { "preemptors", 3 }, { "interval_us", 200 }, { "spin_iters", 64 } },
			  .group = group_first_and_one },
		.iterate = preempt_storm_iterate,
		.role = role_first_or_other,
	},
	[KTSTR_WORK_SIGNAL_STORM] = {
		.info = { .name = "SignalStorm", .stresses = "signal delivery to running tasks",
			  .parameters = { { "signals", 16 }, { "spin_iters", 256 } },
			  .group = group_pair },
		.prepare = signal_storm_prepare,
		.iterate = signal_storm_iterate,
	},
	[KTSTR_WORK_PRODUCER_CONSUMER_IMBALANCE] = {
		.info = { .name = "ProducerConsumerImbalance", .stresses = "a queue that is always full or empty",
			  .parameters = { { "producers", 3 }, { "consumers", 1 }, { "item_iters", 256 } },
			  .group = group_sum },
		.prepare = producer_consumer_prepare,
		.iterate = producer_consumer_iterate,
		.role = role_producer_or_consumer,
		.pipes = 1,
	},
	[KTSTR_WORK_NUMA_WORKING_SET_SWEEP] = {
		.info = { .name = "NumaWorkingSetSweep", .stresses = "memory that moves between nodes",
			  .parameters = { { "region_kb", 16384 }, { "passes", 4 } } },
		.prepare = numa_sweep_prepare,
		.iterate = numa_sweep_iterate,
	},
	[KTSTR_WORK_EXEC_STORM] = {
		.info = { .name = "ExecStorm", .stresses = "task create/exec/exit" },
		.prepare = fork_exit_prepare,
		.iterate = exec_storm_iterate,
	},
};
/* clang-format on */

_Static_assert(KTSTR_WORK_COUNT <= 64, "kinds of work are bits of a word");

enum ktstr_work_kind work_type_kind(int number)
{
	return number <= KTSTR_WORK_DEFAULT || number >= KTSTR_WORK_COUNT ?
		       KTSTR_WORK_CPU_SPIN :
		       (enum ktstr_work_kind)number;
}

const struct work_type_row *work_type_row(enum ktstr_work_kind kind)
{
	return &rows[work_type_kind((int)kind)];
}

const struct work_type_info *work_type_info(enum ktstr_work_kind kind)
{
	return &work_type_row(kind)->info;
}

uint64_t work_type_arg(const struct ktstr_work_type *type, unsigned int i)
{
	return type->args[i] ? type->args[i] : work_type_info(type->kind)->parameters[i].value;
}

unsigned int work_type_group(const struct ktstr_work_type *type)
{
	const struct work_type_info *info = work_type_info(type->kind);

	return info->group ? info->group(type) : 1;
}

static int unknown_type(const char *name)
{
	const char *names[KTSTR_WORK_COUNT], *near;
	_str_ struct str list = {};
	size_t count = 0;

	for (int kind = KTSTR_WORK_DEFAULT + 1; kind < KTSTR_WORK_COUNT; kind++) {
		if (rows[kind].info.is_unnameable)
			continue;
		str_addf(&list, "%s%s", count ? ", " : "", rows[kind].info.name);
		names[count++] = rows[kind].info.name;
	}
	near = text_closest(name, names, count);
	return err_set(EINVAL, "unknown work type: '%s'. valid types: %s%s%s%s", name,
		       str_get(&list), near ? ". Did you mean '" : "", near ? near : "",
		       near ? "'?" : "");
}

int work_type_by_name(const char *name, struct ktstr_work_type *out)
{
	const char *wanted = str_eq(name, "SpinWait") ? "CpuSpin" : name;

	for (int kind = KTSTR_WORK_DEFAULT + 1; kind < KTSTR_WORK_COUNT; kind++) {
		if (rows[kind].info.is_unnameable || !str_eq(rows[kind].info.name, wanted))
			continue;
		*out = (struct ktstr_work_type){ .kind = (enum ktstr_work_kind)kind };
		return 0;
	}
	return unknown_type(name);
}
