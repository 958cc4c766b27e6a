// SPDX-License-Identifier: GPL-2.0-only
/* The table of evidence, and its evaluation. */
#include "kernel/parts.h"

#include "base/btf.h"
#include "base/elf_view.h"

#define EMBEDDED_START "IKCFG_ST"
#define EMBEDDED_END "IKCFG_ED"
#define MAX_CONFIG (8u << 20)

/*
 * Functions are in files or blocks that are compiled only with the option; members and enumerators
 * are in an #ifdef of it. Several rows of an option are for different versions.
 */
static const struct config_row {
	const char *option;
	enum btf_kind kind;
	const char *evidence;
} rows[] = {
	/* clang-format off */
	{ "AUDIT",                   BTF_STRUCT, "task_struct.loginuid" },
	{ "BLK_CGROUP",              BTF_ENUM,   "cgroup_subsys_id.io_cgrp_id" },
	{ "BPF_EVENTS",              BTF_FUNC,   "trace_call_bpf" },
	{ "BPF_JIT",                 BTF_FUNC,   "bpf_jit_binary_alloc" },
	{ "BPF_LSM",                 BTF_FUNC,   "bpf_lsm_verify_prog" },
	{ "BPF_SYSCALL",             BTF_STRUCT, "task_struct.bpf_ctx" },
	{ "CFS_BANDWIDTH",           BTF_STRUCT, "cfs_bandwidth.quota" },
	{ "CGROUPS",                 BTF_STRUCT, "task_struct.cgroups" },
	{ "CGROUP_BPF",              BTF_FUNC,   "__cgroup_bpf_run_filter_skb" },
	{ "CGROUP_CPUACCT",          BTF_ENUM,   "cgroup_subsys_id.cpuacct_cgrp_id" },
	{ "CGROUP_DEBUG",            BTF_ENUM,   "cgroup_subsys_id.debug_cgrp_id" },
	{ "CGROUP_DEVICE",           BTF_ENUM,   "cgroup_subsys_id.devices_cgrp_id" },
	{ "CGROUP_DMEM",             BTF_ENUM,   "cgroup_subsys_id.dmem_cgrp_id" },
	{ "CGROUP_FREEZER",          BTF_ENUM,   "cgroup_subsys_id.freezer_cgrp_id" },
	{ "CGROUP_HUGETLB",          BTF_ENUM,   "cgroup_subsys_id.hugetlb_cgrp_id" },
	{ "CGROUP_MISC",             BTF_ENUM,   "cgroup_subsys_id.misc_cgrp_id" },
	{ "CGROUP_NET_CLASSID",      BTF_ENUM,   "cgroup_subsys_id.net_cls_cgrp_id" },
	{ "CGROUP_NET_PRIO",         BTF_ENUM,   "cgroup_subsys_id.net_prio_cgrp_id" },
	{ "CGROUP_PERF",             BTF_ENUM,   "cgroup_subsys_id.perf_event_cgrp_id" },
	{ "CGROUP_PIDS",             BTF_ENUM,   "cgroup_subsys_id.pids_cgrp_id" },
	{ "CGROUP_RDMA",             BTF_ENUM,   "cgroup_subsys_id.rdma_cgrp_id" },
	{ "CGROUP_SCHED",            BTF_ENUM,   "cgroup_subsys_id.cpu_cgrp_id" },
	{ "CPUSETS",                 BTF_ENUM,   "cgroup_subsys_id.cpuset_cgrp_id" },
	{ "CPU_FREQ",                BTF_FUNC,   "cpufreq_register_driver" },
	{ "CPU_FREQ_GOV_SCHEDUTIL",  BTF_FUNC,   "sugov_init" },
	{ "CPU_IDLE",                BTF_FUNC,   "cpuidle_register_driver" },
	{ "CPU_ISOLATION",           BTF_FUNC,   "housekeeping_cpumask" },
	{ "DEBUG_ATOMIC_SLEEP",      BTF_STRUCT, "task_struct.task_state_change" },
	{ "DEBUG_LOCK_ALLOC",        BTF_STRUCT, "raw_spinlock.dep_map" },
	{ "DEBUG_MUTEXES",           BTF_STRUCT, "mutex.magic" },
	{ "DEBUG_SPINLOCK",          BTF_STRUCT, "raw_spinlock.magic" },
	{ "DYNAMIC_FTRACE",          BTF_FUNC,   "ftrace_set_filter" },
	{ "DYNAMIC_FTRACE_WITH_DIRECT_CALLS", BTF_FUNC, "register_ftrace_direct" },
	{ "ENERGY_MODEL",            BTF_FUNC,   "em_dev_register_perf_domain" },
	{ "EVENT_TRACING",           BTF_FUNC,   "trace_event_reg" },
	{ "EXT_GROUP_SCHED",         BTF_STRUCT, "scx_task_group.weight" },
	{ "EXT_GROUP_SCHED",         BTF_STRUCT, "task_group.scx_weight" },
	{ "FAIR_GROUP_SCHED",        BTF_STRUCT, "sched_entity.my_q" },
	{ "FPROBE",                  BTF_FUNC,   "register_fprobe" },
	{ "FTRACE",                  BTF_FUNC,   "register_ftrace_function" },
	{ "FTRACE_SYSCALLS",         BTF_FUNC,   "ftrace_syscall_enter" },
	{ "FUNCTION_GRAPH_TRACER",   BTF_STRUCT, "task_struct.ret_stack" },
	{ "FUNCTION_TRACER",         BTF_FUNC,   "register_ftrace_function" },
	{ "FUTEX",                   BTF_FUNC,   "futex_wake" },
	{ "HIGH_RES_TIMERS",         BTF_FUNC,   "tick_init_highres" },
	{ "HOTPLUG_CPU",             BTF_FUNC,   "take_cpu_down" },
	{ "HUGETLB_PAGE",            BTF_FUNC,   "hugetlb_fault" },
	{ "INET",                    BTF_FUNC,   "ip_rcv" },
	{ "IPV6",                    BTF_FUNC,   "ipv6_rcv" },
	{ "IPV6_SUBTREES",           BTF_STRUCT, "fib6_node.subtree" },
	{ "IRQ_TIME_ACCOUNTING",     BTF_STRUCT, "rq.prev_irq_time" },
	{ "JUMP_LABEL",              BTF_FUNC,   "jump_label_update" },
	{ "KALLSYMS",                BTF_FUNC,   "kallsyms_lookup_name" },
	{ "KASAN",                   BTF_FUNC,   "kasan_report" },
	{ "KCOV",                    BTF_STRUCT, "task_struct.kcov_mode" },
	{ "KCSAN",                   BTF_STRUCT, "task_struct.kcsan_ctx" },
	{ "KPROBES",                 BTF_FUNC,   "register_kprobe" },
	{ "KPROBES_ON_FTRACE",       BTF_FUNC,   "kprobe_ftrace_handler" },
	{ "KPROBE_EVENTS",           BTF_FUNC,   "alloc_trace_kprobe" },
	{ "KSM",                     BTF_STRUCT, "mm_struct.ksm_merging_pages" },
	{ "LIVEPATCH",               BTF_STRUCT, "task_struct.patch_state" },
	{ "LOCKDEP",                 BTF_STRUCT, "task_struct.lockdep_depth" },
	{ "LOCK_STAT",               BTF_FUNC,   "lock_stats" },
	{ "MEMBARRIER",              BTF_STRUCT, "mm_struct.membarrier_state" },
	{ "MEMCG",                   BTF_ENUM,   "cgroup_subsys_id.memory_cgrp_id" },
	{ "MODULES",                 BTF_FUNC,   "find_module" },
	{ "NET",                     BTF_FUNC,   "__dev_queue_xmit" },
	{ "NO_HZ_COMMON",            BTF_STRUCT, "rq.nohz_csd" },
	{ "NO_HZ_FULL",              BTF_STRUCT, "task_struct.tick_dep_mask" },
	{ "NUMA",                    BTF_STRUCT, "task_struct.mempolicy" },
	{ "NUMA_BALANCING",          BTF_STRUCT, "task_struct.numa_faults" },
	{ "PERF_EVENTS",             BTF_STRUCT, "task_struct.perf_event_ctxp" },
	{ "PREEMPTION",              BTF_FUNC,   "preempt_schedule" },
	{ "PREEMPT_DYNAMIC",         BTF_FUNC,   "sched_dynamic_update" },
	{ "PREEMPT_NOTIFIERS",       BTF_STRUCT, "task_struct.preempt_notifiers" },
	{ "PREEMPT_RCU",             BTF_STRUCT, "task_struct.rcu_read_lock_nesting" },
	{ "PREEMPT_RT",              BTF_STRUCT, "task_struct.softirq_disable_cnt" },
	{ "PSI",                     BTF_STRUCT, "task_struct.psi_flags" },
	{ "RCU_NOCB_CPU",            BTF_STRUCT, "rcu_data.nocb_gp_kthread" },
	{ "RT_GROUP_SCHED",          BTF_STRUCT, "sched_rt_entity.my_q" },
	{ "RT_MUTEXES",              BTF_STRUCT, "task_struct.pi_waiters" },
	{ "SCHEDSTATS",              BTF_STRUCT, "sched_statistics.wait_start" },
	{ "SCHED_AUTOGROUP",         BTF_STRUCT, "task_group.autogroup" },
	{ "SCHED_CLASS_EXT",         BTF_STRUCT, "task_struct.scx" },
	{ "SCHED_CLUSTER",           BTF_FUNC,   "cpu_cluster_flags" },
	{ "SCHED_CORE",              BTF_STRUCT, "task_struct.core_cookie" },
	{ "SCHED_HRTICK",            BTF_STRUCT, "rq.hrtick_timer" },
	{ "SCHED_INFO",              BTF_STRUCT, "sched_info.pcount" },
	{ "SCHED_MC",                BTF_FUNC,   "cpu_core_flags" },
	{ "SCHED_MC_PRIO",           BTF_FUNC,   "sched_set_itmt_core_prio" },
	{ "SCHED_SMT",               BTF_FUNC,   "__update_idle_core" },
	{ "SECCOMP",                 BTF_FUNC,   "__secure_computing" },
	{ "SECURITY",                BTF_STRUCT, "task_struct.security" },
	{ "SECURITY_APPARMOR",       BTF_FUNC,   "aa_splitn_fqname" },
	{ "SECURITY_SELINUX",        BTF_FUNC,   "avc_has_perm" },
	{ "SECURITY_SMACK",          BTF_FUNC,   "smk_access" },
	{ "SMP",                     BTF_FUNC,   "smp_call_function_many" },
	{ "STACKPROTECTOR",          BTF_STRUCT, "task_struct.stack_canary" },
	{ "STACKTRACE",              BTF_FUNC,   "stack_trace_save" },
	{ "TASKSTATS",               BTF_FUNC,   "taskstats_exit" },
	{ "TASK_DELAY_ACCT",         BTF_STRUCT, "task_struct.delays" },
	{ "TASK_IO_ACCOUNTING",      BTF_STRUCT, "task_io_accounting.read_bytes" },
	{ "TASK_XACCT",              BTF_STRUCT, "task_struct.acct_rss_mem1" },
	{ "TICK_ONESHOT",            BTF_FUNC,   "tick_switch_to_oneshot" },
	{ "TRACEPOINTS",             BTF_FUNC,   "tracepoint_probe_register" },
	{ "TRACE_IRQFLAGS",          BTF_STRUCT, "task_struct.irqtrace" },
	{ "TRACING",                 BTF_FUNC,   "tracing_open_generic" },
	{ "TRANSPARENT_HUGEPAGE",    BTF_FUNC,   "do_huge_pmd_anonymous_page" },
	{ "UCLAMP_TASK",             BTF_STRUCT, "task_struct.uclamp" },
	{ "UCLAMP_TASK_GROUP",       BTF_STRUCT, "task_group.uclamp" },
	{ "UPROBES",                 BTF_FUNC,   "uprobe_register" },
	{ "UPROBE_EVENTS",           BTF_FUNC,   "alloc_trace_uprobe" },
	{ "USER_NS",                 BTF_FUNC,   "create_user_ns" },
	{ "VIRT_CPU_ACCOUNTING_GEN", BTF_STRUCT, "task_struct.vtime" },
	{ "VMAP_STACK",              BTF_STRUCT, "task_struct.stack_vm_area" },
	{ "X86_KERNEL_IBT",          BTF_FUNC,   "ibt_save" },
	/* clang-format on */
};

static const struct {
	uint16_t machine;
	const char *lines;
} machines[] = {
	{ EM_X86_64, "CONFIG_64BIT=y\nCONFIG_X86=y\nCONFIG_X86_64=y\n" },
	{ EM_AARCH64, "CONFIG_64BIT=y\nCONFIG_ARM64=y\n" },
};

static uint32_t get32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Unpacks the gzip data between two marks; its last four bytes are the uncompressed size. */
static int unpack_embedded(const uint8_t *start, const uint8_t *limit, struct str *out)
{
	const uint8_t *end =
		memmem(start, (size_t)(limit - start), EMBEDDED_END, strlen(EMBEDDED_END));
	size_t wanted;

	if (!end || end - start < 18 || start[0] != 0x1f || start[1] != 0x8b)
		return -ENOENT;
	wanted = get32(end - 4);
	if (!wanted || wanted > MAX_CONFIG)
		return -ENOENT;
	return archive_unpack_buffer(start, (size_t)(end - start), wanted, out);
}

int config_embedded_add(const void *data, size_t len, struct str *out)
{
	const uint8_t *at = data, *limit = at + len;

	while ((at = memmem(at, (size_t)(limit - at), EMBEDDED_START, strlen(EMBEDDED_START)))) {
		int rc;

		at += strlen(EMBEDDED_START);
		rc = unpack_embedded(at, limit, out);
		if (rc != -ENOENT)
			return err_wrap(rc, "the configuration in the kernel image");
	}
	return -ENOENT;
}

static bool has_evidence(const struct btf *b, const struct config_row *row)
{
	uint64_t offset;

	switch (row->kind) {
	case BTF_STRUCT:
		return btf_offset(b, row->evidence, &offset) == 0;
	case BTF_ENUM:
		return btf_has_enumerator(b, row->evidence);
	default:
		return btf_find(b, row->kind, row->evidence, strlen(row->evidence)) != 0;
	}
}

static int add_rows(const void *types, size_t len, struct str *out)
{
	_btf_ struct btf b = {};
	const char *last = "";
	int rc = btf_open(&b, types, len);

	if (rc < 0)
		return rc;
	str_add(out, "CONFIG_DEBUG_INFO_BTF=y\n");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (str_eq(rows[i].option, last) || !has_evidence(&b, &rows[i]))
			continue;
		last = rows[i].option;
		str_addf(out, "CONFIG_%s=y\n", last);
	}
	return 0;
}

static void add_machine(unsigned int machine, struct str *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (machine == machines[i].machine)
			str_add(out, machines[i].lines);
}

int config_facts_add(const void *vmlinux, size_t len, struct str *out)
{
	struct elf_view e;
	Elf64_Shdr types;
	int rc = elf_view_open(&e, vmlinux, len) ?: elf_view_find(&e, ".BTF", &types);

	if (rc < 0 && rc != -ENOENT)
		return err_set(EINVAL, "not a 64-bit ELF file, or a damaged one");
	str_add(out, CONFIG_FACTS_MARK "\n");
	add_machine(e.header.e_machine, out);
	if (rc == 0 && elf_section_size(&types))
		rc = add_rows(e.data + types.sh_offset, elf_section_size(&types), out);
	else
		rc = 0;
	return rc ?: str_check(out);
}
