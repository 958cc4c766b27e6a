/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The context in which a test body runs, in a guest or on the host.
 *
 *	ctx_init(&ctx, &options);
 *	rc = test->run(&ctx, &res);
 *	ctx_report(&ctx, rc, &res);	an error becomes a failed result
 *	ctx_finish(&ctx);		restores cgroups, CPUs and schedulers
 *
 * The cgroup tree is set up on first use, so that a body without cgroups also runs where
 * there is no cgroup v2.
 */
#ifndef KTSTR_SCENARIO_CTX_H
#define KTSTR_SCENARIO_CTX_H

#include <ktstr/ktstr.h>

#include "cgroup/cgroup.h"
#include "host/topology.h"
#include "observe/observer.h"
#include "work/report.h"

#define CTX_DURATION_MS 2000
#define CTX_SETTLE_MS 500
#define CTX_WORKERS 2
#define CTX_FAIR_AFTER_NS UINT64_C(1000000000) /* see docs/guide/verdicts.md, Enough evidence */
#define CTX_ATTACH_TIMEOUT_MS 30000
/* In a guest: this file tells init that the end of the scheduler is wanted (guest/protocol.h). */
#define CTX_INIT_DIR "/run"
#define CTX_SCHEDULER_RELEASED CTX_INIT_DIR "/ktstr-sched-released"
/* With this file, init reports that the scheduler has ended. */
#define CTX_SCHEDULER_ENDED CTX_INIT_DIR "/ktstr-sched-ended"
/* Elsewhere: names such a file for the process that started the scheduler. */
#define CTX_SCHEDULER_RELEASED_VARIABLE "KTSTR_SCHED_RELEASED"

struct ctx_options {
	const struct roots *roots;	 /* NULL = this machine */
	const struct topology *topology; /* NULL = read from roots; otherwise borrowed */
	const char *cgroup_parent;	 /* below the cgroup2 mount; NULL = "ktstr-PID" */
	bool without_cpu_controller;	 /* the flag no-ctrl */
	/* 0 = the defaults above */
	uint64_t duration_ms, settle_ms, attach_timeout_ms;
	unsigned int workers_per_cgroup;
	uint64_t steps;		   /* steps of a scenario to run, as bits; 0 = all */
	unsigned int hold_percent; /* scale of fixed holds and of settling; 0 = 100 */
	uint64_t look_ms;	   /* see ctx_wait_ms(); 0 = never */
	/*
	 * The scheduler under test; 0 = the kernel's own, or one not started by us: it is
	 * not watched.
	 */
	pid_t scheduler_pid;
	const char *scheduler_name;		 /* for phases and messages; NULL = "eevdf" */
	const char *const *scheduler_argv;	 /* to restart it; NULL = cannot be restarted */
	const struct ktstr_work_type *work_type; /* replaces CpuSpin; NULL = none */
	const struct ktstr_assert *checks;	 /* merged; NULL = the defaults */
	uint64_t seed;
	bool is_verbose, is_guest, is_repro;
	/*
	 * Where the observer's maps are pinned; NULL = events are not recorded, because of
	 * observe_problem.
	 */
	const char *observe_dir, *observe_problem;
	bool observe_is_off;  /* by the test */
	bool ignores_weights; /* declared by the scheduler */
	bool has_snapshots;   /* the host takes snapshots on request */
	bool asks_by_channel; /* requests them through the channel, see snapshot.c */
};

/*
 * The scheduler under test, or the one that the body started in its place (is_child: reaped
 * here).
 */
struct ctx_scheduler {
	pid_t pid; /* 0 = none */
	bool is_child;
	char *name;
	char **argv;	     /* NULL = cannot be started */
	uint64_t attachment; /* at the start of the phase, see ctx_scheduler_attachment() */
};

struct ktstr_ctx {
	struct roots roots;
	struct topology own_topology;
	const struct topology *topology;
	struct cpulist present; /* including CPUs that are offline by now */
	struct cpulist usable;	/* all CPUs but the highest one, if there are more than two */
	char *cgroup_parent;
	bool without_cpu_controller;
	bool has_cgroups; /* cgroup_manager is set up */
	struct cgroup_manager cgroup_manager;
	uint64_t duration_ms, settle_ms, attach_timeout_ms;
	unsigned int workers_per_cgroup;
	uint64_t steps;		   /* as bits; 0 = all */
	unsigned int hold_percent; /* 0 = all */
	uint64_t look_ms;	   /* 0 = never */
	struct ctx_scheduler scheduler;
	bool has_work_type;
	struct ktstr_work_type work_type;
	struct ktstr_assert checks;
	uint64_t fair_after_ns; /* see struct judged_cgroup */
	uint64_t seed, random_state;
	bool is_verbose, is_guest, is_repro;
	uint64_t start_ns; /* when the body began, or began anew */
	uint64_t body_start_ns;
	const char *phase_prefix;	/* "scx_x: " while two schedulers are compared, or NULL */
	VEC(unsigned int) offline_cpus; /* taken offline here; ctx_finish() brings them back */
	struct str failure;		/* message of ktstr_fail() */
	struct observer *observer;	/* of scheduling events; NULL = not recorded */
	char *observe_problem;		/* why not; NULL = not to be reported */
	bool observe_is_off;		/* because the test says so */
	struct worker_cpus hotplugged;	/* changed state in this phase, or are offline */
	struct worker_cpus returned;	/* those of them that came online and stayed */
	bool ignores_weights, has_snapshots, asks_by_channel;
	/* Workers that the body started itself, and the phase since the last of them started. */
	struct {
		VEC(struct ktstr_workers *) started;
		bool is_open, is_changed, has_told; /* has_told: missing events were reported */
		struct observed seen;		    /* the last phase that ended */
	} by_hand;
};

int ctx_init(struct ktstr_ctx *ctx, const struct ctx_options *options);
/* Resets time, CPUs and random choices for another scenario of the same body. */
void ctx_begin_anew(struct ktstr_ctx *ctx, uint64_t seed);
/* Restores everything that the body changed. Returns the first error. */
int ctx_finish(struct ktstr_ctx *ctx);

/* Returns the manager, set up on first use. */
int ctx_cgroups(struct ktstr_ctx *ctx, struct cgroup_manager **out);

/* Adds the error that a body returned to its result. */
void ctx_report(struct ktstr_ctx *ctx, int rc, struct ktstr_result *res);

/* Tells the host that the time of periodic snapshots begins. */
int ctx_tell_begin(const struct ktstr_ctx *ctx);
struct stimulus;
/* In a guest: sends what a step did, now. A lost frame is only missing in the timeline. */
void ctx_tell_step(const struct ktstr_ctx *ctx, const struct stimulus *s);

double ctx_elapsed_s(const struct ktstr_ctx *ctx);
/* Sleeps to the end in spite of signals; -EINTR only if this process was asked to stop. */
int ctx_sleep_ms(uint64_t ms);
int ctx_sleep_until(uint64_t until_ns);
/* Derives another seed from the run's; every random choice has its own. */
uint64_t ctx_next_seed(struct ktstr_ctx *ctx);

/* Returns false if there is a scheduler under test and it has died. */
bool ctx_scheduler_is_alive(struct ktstr_ctx *ctx);
/* A number that changes each time a scheduler is attached; 0 = none is attached. */
uint64_t ctx_scheduler_attachment(const struct ktstr_ctx *ctx);
/* True once init has reported the end of the scheduler under test; only in a guest. */
bool ctx_scheduler_has_ended(const struct ktstr_ctx *ctx);
/*
 * Sleeps for a time that depends on the duration of the test. Returns -ESRCH as soon as
 * ctx_scheduler_has_ended(). With look_ms, no timer for the end is set before the last
 * look, so the kernel does not know the end in advance: a shorter simulator run is then a
 * prefix of a longer one.
 */
int ctx_wait_ms(struct ktstr_ctx *ctx, uint64_t ms);
/* Sleeps, and checks the scheduler every 500 ms. Returns -ESRCH, with a detail, if it died. */
int ctx_hold(struct ktstr_ctx *ctx, uint64_t ms, struct ktstr_result *res);
/* Adds "scheduler process died..." followed by the formatted text. */
void ctx_report_death(struct ktstr_result *res, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void ctx_report_death_now(const struct ktstr_ctx *ctx, struct ktstr_result *res);

int ctx_scheduler_detach(struct ktstr_ctx *ctx);
int ctx_scheduler_attach(struct ktstr_ctx *ctx);
int ctx_scheduler_restart(struct ktstr_ctx *ctx);

int ctx_cpu_offline(struct ktstr_ctx *ctx, int64_t cpu);
int ctx_cpu_online(struct ktstr_ctx *ctx, int64_t cpu);
/* A phase begins: CPUs that came back now count like all others. */
void ctx_hotplug_settled(struct ktstr_ctx *ctx);
/* Brings all CPUs that were taken offline here online again, except the first keep ones. */
int ctx_online_again(struct ktstr_ctx *ctx, size_t keep);
/* Takes CPUs such as "2-3" offline before the body starts: they are not part of its machine. */
int ctx_offline_list(struct ktstr_ctx *ctx, const char *cpus);

/*
 * Runs the body once under the scheduler and once after detaching it, for a comparison:
 * phases are named "NAME: phase" and "eevdf: phase".
 */
int ctx_run_versus(struct ktstr_ctx *ctx, struct ktstr_result *res, ktstr_test_fn *body);

#endif
