/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The world that a test body runs in: in a guest, or on the host.
 *
 *	ctx_init(&ctx, &options);
 *	rc = test->run(&ctx, &res);
 *	ctx_report(&ctx, rc, &res);	an error becomes a failed result
 *	ctx_finish(&ctx);		cgroups, CPUs and schedulers as they were
 *
 * The cgroup tree is set up by the first one who wants a cgroup, so that a body
 * without any also runs where there is no cgroup v2.
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
/* In a guest: tells init that the scheduler's end is wanted (guest/protocol.h). */
#define CTX_INIT_DIR "/run"
#define CTX_SCHEDULER_RELEASED CTX_INIT_DIR "/ktstr-sched-released"
/* And there init tells that it has ended. */
#define CTX_SCHEDULER_ENDED CTX_INIT_DIR "/ktstr-sched-ended"
/* Elsewhere: names the file that tells it to who started the scheduler. */
#define CTX_SCHEDULER_RELEASED_VARIABLE "KTSTR_SCHED_RELEASED"

struct ctx_options {
	const struct roots *roots;	 /* NULL = this machine */
	const struct topology *topology; /* NULL = read from roots; otherwise borrowed */
	const char *cgroup_parent;	 /* below the cgroup2 mount; NULL = "ktstr-PID" */
	bool without_cpu_controller;	 /* the flag no-ctrl */
	/* 0 = the defaults above */
	uint64_t duration_ms, settle_ms, attach_timeout_ms;
	unsigned int workers_per_cgroup;
	uint64_t steps;		   /* of a scenario, as bits; 0 = all */
	unsigned int hold_percent; /* of fixed holds and of settling; 0 = all */
	uint64_t look_ms;	   /* see ctx_wait_ms(); 0 = never */
	/* The scheduler under test; pid 0 = the kernel's own, or not ours: then it is not watched. */
	pid_t scheduler_pid;
	const char *scheduler_name;		 /* for phases and messages; NULL = "eevdf" */
	const char *const *scheduler_argv;	 /* to start it again; NULL = that cannot be done */
	const struct ktstr_work_type *work_type; /* in the place of CpuSpin; NULL = none */
	const struct ktstr_assert *checks;	 /* merged; NULL = the defaults */
	uint64_t seed;
	bool is_verbose, is_guest, is_repro;
	/* Where the observer's maps are pinned; NULL = events are not recorded, for this reason. */
	const char *observe_dir, *observe_problem;
	bool ignores_weights; /* the scheduler does */
	bool has_snapshots;   /* somebody outside takes them on request */
	bool asks_by_channel; /* for them, see snapshot.c */
};

/* One that the body has started in the place of the first; reaped by us. */
struct ctx_scheduler {
	pid_t pid; /* 0 = none */
	bool is_child;
	char *name;
	char **argv;	     /* NULL = cannot be started */
	uint64_t attachment; /* when the phase began, see ctx_scheduler_attachment() */
};

struct ktstr_ctx {
	struct roots roots;
	struct topology own_topology;
	const struct topology *topology;
	struct cpulist present; /* also those that are offline by now */
	struct cpulist usable;	/* all CPUs, but the highest where there are more than two */
	char *cgroup_parent;
	bool without_cpu_controller;
	bool has_cgroups; /* the manager is set up */
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
	uint64_t start_ns; /* when the body began, or its scenario anew */
	uint64_t body_start_ns;
	const char *phase_prefix;	/* "scx_x: " while two schedulers are compared; or NULL */
	VEC(unsigned int) offline_cpus; /* by us: they come back */
	struct str failure;		/* what ktstr_fail() said */
	struct observer *observer;	/* of scheduling events; NULL = not recorded */
	char *observe_problem;		/* why not; NULL = nobody wants to know */
	struct worker_cpus hotplugged;	/* CPUs that came or went in this phase, or are offline */
	struct worker_cpus returned;	/* those of them that came, and went no more */
	bool ignores_weights, has_snapshots, asks_by_channel;
	/* Workers that the body started itself, and the phase since the last of them did. */
	struct {
		VEC(struct ktstr_workers *) started;
		bool is_open, is_changed, has_told; /* has_told: that nothing is recorded */
		struct observed seen;		    /* the last phase that ended */
	} by_hand;
};

int ctx_init(struct ktstr_ctx *ctx, const struct ctx_options *options);
/* Another scenario of the same body begins as the first did: its time, its CPUs, its choices. */
void ctx_begin_anew(struct ktstr_ctx *ctx, uint64_t seed);
/* Puts everything back that the body left behind. Tells the first thing that would not go. */
int ctx_finish(struct ktstr_ctx *ctx);

/* The manager, set up on first use. */
int ctx_cgroups(struct ktstr_ctx *ctx, struct cgroup_manager **out);

/* Adds the sentence of a body that returned an error to its result. */
void ctx_report(struct ktstr_ctx *ctx, int rc, struct ktstr_result *res);

/* Tells who takes periodic snapshots that their time begins. */
int ctx_tell_begin(const struct ktstr_ctx *ctx);
struct stimulus;
/* In a guest: what a step did, now. A frame that cannot be sent is missed by nobody but a timeline. */
void ctx_tell_step(const struct ktstr_ctx *ctx, const struct stimulus *s);

double ctx_elapsed_s(const struct ktstr_ctx *ctx);
/* To its end, also with signals; -EINTR only when we were asked to stop. */
int ctx_sleep_ms(uint64_t ms);
int ctx_sleep_until(uint64_t until_ns);
/* One more seed out of the run's; every random choice has one. */
uint64_t ctx_next_seed(struct ktstr_ctx *ctx);

/* False when there is one under test and it has died. */
bool ctx_scheduler_is_alive(struct ktstr_ctx *ctx);
/* Another number each time that a scheduler was attached; 0 = none is now. */
uint64_t ctx_scheduler_attachment(const struct ktstr_ctx *ctx);
/* True as soon as init has told that the one under test has ended; only in a guest. */
bool ctx_scheduler_has_ended(const struct ktstr_ctx *ctx);
/*
 * Sleeps for a time that depends on the duration of the test; -ESRCH as soon as
 * ctx_scheduler_has_ended(). With look_ms the end is not known to the kernel before it
 * comes: no timer is set for it until the last look. A shorter run of sim is the beginning
 * of a longer one then.
 */
int ctx_wait_ms(struct ktstr_ctx *ctx, uint64_t ms);
/* Sleeps and looks after the scheduler every 500 ms. -ESRCH, and said in res, when it died. */
int ctx_hold(struct ktstr_ctx *ctx, uint64_t ms, struct ktstr_result *res);
/* Adds "scheduler process died..." with what the format says. */
void ctx_report_death(struct ktstr_result *res, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void ctx_report_death_now(const struct ktstr_ctx *ctx, struct ktstr_result *res);

int ctx_scheduler_detach(struct ktstr_ctx *ctx);
int ctx_scheduler_attach(struct ktstr_ctx *ctx);
int ctx_scheduler_restart(struct ktstr_ctx *ctx);

int ctx_cpu_offline(struct ktstr_ctx *ctx, int64_t cpu);
int ctx_cpu_online(struct ktstr_ctx *ctx, int64_t cpu);
/* A phase begins: CPUs that are back are like others from now on. */
void ctx_hotplug_settled(struct ktstr_ctx *ctx);
/* All that we took offline, but for the first ones. */
int ctx_online_again(struct ktstr_ctx *ctx, size_t keep);
/* "2-3" before the body starts: they are then no part of the machine. */
int ctx_offline_list(struct ktstr_ctx *ctx, const char *cpus);

/*
 * The body once under the scheduler and once after it was detached, for the table
 * that compares them: phases are called "NAME: phase" and "eevdf: phase".
 */
int ctx_run_versus(struct ktstr_ctx *ctx, struct ktstr_result *res, ktstr_test_fn *body);

#endif
