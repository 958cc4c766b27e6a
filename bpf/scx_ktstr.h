/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the loader and the BPF program: the configuration, which is constant once
 * the program is loaded, and the state, which the loader reads.
 */
#ifndef KTSTR_BPF_SCX_KTSTR_H
#define KTSTR_BPF_SCX_KTSTR_H

#define MAX_CPUS 512
#define MAX_LLCS 64

/* Faults of the BPF program; faults.c describes them. */
enum fault {
	FAULT_DROP_TASK,
	FAULT_FORGET_WAKEUP,
	FAULT_IGNORE_AFFINITY,
	FAULT_IGNORE_WEIGHTS,
	FAULT_LOCKSTEP,
	FAULT_STALL,
	FAULT_ERROR,
	FAULT_UNREGISTER,
	FAULT_INVALID_DSQ,
	FAULT_OFFLINE_CPU,
	FAULT_STARVE_LLC,
	FAULT_DELAY_WAKEUPS,
	FAULT_LEAK_ON_HOTPLUG,
	FAULT_UNFAIR_SLICES,
	FAULT_ONE_CPU,
	FAULT_ENDLESS_SLICE,
	FAULT_NEWEST_FIRST,
	FAULT_BOUNCE,
	FAULT_VERIFIER,
	FAULT_VERIFIER_LOOP,
};
#define FAULT_BIT(fault) (1ULL << (fault))

/* Faults that must see every wakeup, even if there is an idle CPU. */
#define FAULTS_WITHOUT_SHORTCUT                                                                  \
	(FAULT_BIT(FAULT_DROP_TASK) | FAULT_BIT(FAULT_FORGET_WAKEUP) |                           \
	 FAULT_BIT(FAULT_IGNORE_AFFINITY) | FAULT_BIT(FAULT_LOCKSTEP) | FAULT_BIT(FAULT_STALL) | \
	 FAULT_BIT(FAULT_OFFLINE_CPU) | FAULT_BIT(FAULT_STARVE_LLC) |                            \
	 FAULT_BIT(FAULT_DELAY_WAKEUPS) | FAULT_BIT(FAULT_LEAK_ON_HOTPLUG) |                     \
	 FAULT_BIT(FAULT_ONE_CPU) | FAULT_BIT(FAULT_BOUNCE) | FAULT_BIT(FAULT_INVALID_DSQ))
/* Faults that also affect a task that runs alone: it is enqueued when its slice ends. */
#define FAULTS_WITH_LAST                                                                 \
	(FAULT_BIT(FAULT_DROP_TASK) | FAULT_BIT(FAULT_STALL) | FAULT_BIT(FAULT_BOUNCE) | \
	 FAULT_BIT(FAULT_LEAK_ON_HOTPLUG) | FAULT_BIT(FAULT_LOCKSTEP))
/* Faults that need a timer to serve queues. */
#define FAULTS_WITH_TIMER (FAULT_BIT(FAULT_LOCKSTEP) | FAULT_BIT(FAULT_DELAY_WAKEUPS))

struct scx_ktstr_config {
	unsigned long long faults; /* FAULT_BIT() */
	unsigned long long slice_ns;
	unsigned long long
		after_ns; /* when FAULT_STALL, _ERROR, _UNREGISTER and _INVALID_DSQ begin */
	unsigned long long delay_ns; /* of FAULT_DELAY_WAKEUPS */
	unsigned int cpu_count;	     /* number of possible CPUs */
	unsigned int llc_count;
	unsigned int offline_cpu; /* of FAULT_OFFLINE_CPU */
	unsigned int loader;	  /* PID of the loader, which no fault affects */
	unsigned int cpu_llc[MAX_CPUS];
	unsigned char steals; /* idle CPUs take from other LLCs */
};

struct scx_ktstr_state {
	unsigned long long started_ns;
	unsigned long long left_ns;	    /* when the last CPU went offline */
	unsigned long long evened_ns;	    /* last move from a longer queue */
	unsigned long long vtime[MAX_LLCS]; /* of the task that ran last, per LLC */
	unsigned long long step[MAX_CPUS];  /* FAULT_LOCKSTEP: last step of each CPU */
	unsigned int llc_cpus[MAX_LLCS];    /* number of online CPUs per LLC */
	unsigned int orphan_llcs;	    /* number of LLCs without an online CPU */
	unsigned int leaver;		    /* CPU that went offline last, plus one */
	unsigned int tasks;
	unsigned int wakeups;
	unsigned int next_cpu;
	unsigned int next_llc;
	unsigned int leaks_left;
	unsigned int victim;	   /* pid of the task that FAULT_DROP_TASK drops */
	unsigned int has_reported; /* FAULT_ERROR and FAULT_UNREGISTER act once */
	/* How the scheduler ended; exit_kind is written last, 0 = it has not ended. */
	long long exit_code;
	char exit_reason[128];
	char exit_message[1024];
	char exit_dump[32768];
	unsigned int exit_kind;
};

/* Only the members that are used: libbpf resolves them by name. */
struct task_struct;
struct scx_exit_info;
struct scx_init_task_args;
struct sched_ext_ops {
	int (*select_cpu)(struct task_struct *p, int prev_cpu, unsigned long long wake_flags);
	void (*enqueue)(struct task_struct *p, unsigned long long enq_flags);
	void (*dispatch)(int cpu, struct task_struct *prev);
	void (*tick)(struct task_struct *p);
	void (*running)(struct task_struct *p);
	void (*stopping)(struct task_struct *p, _Bool runnable);
	void (*enable)(struct task_struct *p);
	int (*init_task)(struct task_struct *p, struct scx_init_task_args *args);
	void (*cpu_online)(int cpu);
	void (*cpu_offline)(int cpu);
	int (*init)(void);
	void (*exit)(struct scx_exit_info *info);
	unsigned long long flags;
	unsigned int timeout_ms;
	unsigned int exit_dump_len;
	char name[128];
};
#define SCX_OPS_ENQ_LAST 2ULL

#define SCX_KTSTR_OPS "ktstr_ops"
#define SCX_KTSTR_CONFIG ".rodata.config"
#define SCX_KTSTR_STATE ".data.state"

#endif
