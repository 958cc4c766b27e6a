/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Running many tests: each attempt in a forked process of its own, as many at once
 * as CPUs and memory allow. A process that dies takes its VM and its locks along
 * and is one lost test; a process that hangs is killed; being interrupted ends all
 * of them within a second.
 */
#ifndef KTSTR_RUN_EXECUTE_H
#define KTSTR_RUN_EXECUTE_H

#include "host/budget.h"
#include "host/plan.h"
#include "kernel/kernel.h"
#include "run/knobs.h"
#include "run/outcome.h"
#include "run/variants.h"
#include "vm/accel.h"
#include "vm/initramfs.h"
#include "vm/session.h"

/*
 * One attempt at one test, in a process of its own: from a variant to an outcome.
 * Nothing here judges.
 */

/* The kernels of a run: what the user named, resolved, with a label for each. */

struct run_kernel {
	struct kernel_image image;
	char *label;		    /* "kernel_7_0" */
	struct initramfs_base base; /* what its guests start with, once there is to be one */
};

struct run_kernels {
	VEC(struct run_kernel) items;
	const char **labels; /* of all, in order */
};

struct run_kernels_request {
	const char *const *ids; /* as given to --kernel; none = the newest one available */
	size_t count;
	bool include_eol;
	bool only_labels;  /* nothing is downloaded or built; there are no images then */
	const char *label; /* of progress lines */
};

/* Ranges become one kernel for each version. Two kernels of one label are an error. */
int run_kernels_resolve(const struct run_kernels_request *r, struct run_kernels *out);
void run_kernels_finish(struct run_kernels *k);

/* What all tests of a run share. */
struct run_world {
	const struct vm_qemu *qemu; /* NULL = no test needs a VM */
	enum vm_accel accel;
	const struct run_kernels *kernels;
	const struct topology *host;
	const struct cpulist *allowed; /* host CPUs */
	struct cpu_cap cap;
	bool no_perf_mode;
	bool is_verbose;	   /* the guest's kernel talks, but not in sim */
	uint64_t slow_ns;	   /* when a test is slow */
	unsigned int slow_periods; /* so many times: it is ended */
	const char *no_kvm;	   /* why KVM does not work here; NULL = it does */
};

/* What a worker tells while it works: one byte each. */
enum job_event {
	JOB_WAITS = 'w',      /* for CPUs that somebody outside of the run holds */
	JOB_HAS_CPUS = 'c',   /* no longer queueing */
	JOB_IS_RUNNING = 'r', /* the guest is up, the clock of time-outs runs */
};

struct job {
	const struct run_world *world;
	const struct variant *variant;
	const char *scheduler;	       /* host path of its program, or NULL */
	const char *scheduler_version; /* that it tells, or NULL */
	const char *problem;	       /* why it cannot run, known before; or NULL */
	const struct run_knobs *knobs;
	const char *trace;	 /* file for what the scheduler did, or NULL */
	const char *core;	 /* file for a core of a guest that fails, or NULL */
	const char *profile_dir; /* for profiles of its programs; NULL = they count nothing */
	const char *input;	 /* file for the test program alone, PROGRAM_GUEST_INPUT; or NULL */
	const char *bpf_dir;	 /* for what it executes of BPF programs, or NULL */
	bool counts_kernel;	 /* with bpf_dir: functions of sched_ext, too */
	bool explains; /* a run that failed is run again by auto-repro, if its test wants that */
	const char *
		probe_stack; /* functions to look at then, repro/chain.h; NULL = those of its stacks */
	uint64_t seed;
	int event_fd; /* or -1 */
	/* Who runs the guest instead of us, as vm_session_run(); or NULL. */
	int (*run_instead)(void *ctx, const struct vm_session *s, const char *vmlinux,
			   struct vm_result *result);
	void *instead;
};

/* Which accelerator the test gets: its own wish, else the run's. */
enum vm_accel job_accel(const struct job *job);

/* How many host CPUs it keeps busy: a VM of tcg or sim is one busy thread. */
size_t job_cpus(const struct job *job);

/* How long its body is to run. */
uint64_t job_duration_ms(const struct job *job);

/* Guest memory by the rule for test VMs, before the boot floor. */
uint64_t job_memory_mib(const struct variant *v);

/* Seconds to attach that the environment or the test asks for; 0 = as the guest has it. */
uint64_t job_attach_s(const struct job *job);

/* Wall-clock time for the run itself, and for all of it with boot and queueing left out. */
uint64_t job_limit_ns(const struct job *job);
uint64_t job_guest_limit_ns(const struct job *job); /* the same in the guest's own time */
uint64_t job_slow_ns(const struct job *job);	    /* from here on it is slow */
uint64_t job_total_limit_ns(const struct job *job);

/* Always leaves an outcome. */
void job_run(const struct job *job, struct outcome *out);

/* The parts of it, by where the test runs. 0, or a negative errno when there was no run. */
int job_run_guest(const struct job *job, const struct plan *plan, struct outcome *out);
int job_run_host(const struct job *job, struct outcome *out);

/*
 * A program on this host: both its streams go to output. argv ends with "--result" and room for one
 * more argument, which is set here. Its exit status, -ETIMEDOUT, or a negative errno.
 */
int job_run_program(const char **argv, int further_fd, uint64_t deadline_ns,
		    struct bounded_text *output, struct str *result);

/* Whether the guest's requests for snapshots are heard. */
bool job_has_snapshots(const struct job *job);

/*
 * The test's post_vm after a body that did not fail, and its post_vm_unconditional after each, where
 * it has them; their result is out->post_vm then.
 * problem: why nobody could look at the guest, or "".
 */
int post_vm_judge(const struct job *job, const char *problem, struct outcome *out);

/* The arguments of the test program, without the program. */
#define JOB_MAX_ARGS 28
#define JOB_DURATION_DIGITS 12
struct job_args {
	const char *argv[JOB_MAX_ARGS + 1];
	size_t count;
	struct arena arena;
};
/* result: NULL = the last argument is still missing. */
int job_args_make(struct job_args *a, const struct job *job, const char *program,
		  const char *result);
/* Of a variant without a program: guest init's own workload, for as long as the test lasts. */
int job_args_spin(struct job_args *a, const struct job *job);
void job_args_finish(struct job_args *a);

void job_tell(const struct job *job, enum job_event event);

/* The last line of a terminal, which tells what is going on and is wiped before others. */

struct live_line {
	bool is_on; /* stderr is a terminal, and nobody asked for quiet */
	bool is_shown;
};

void live_line_init(struct live_line *l, bool is_quiet);
void live_line_draw(struct live_line *l, const char *text);
void live_line_wipe(struct live_line *l);

struct task {
	struct job job;
	unsigned int attempt;	/* from 1 */
	uint64_t not_before_ns; /* of a retry */
	bool is_begun, is_ended;
	uint64_t begun_ns, running_ns; /* when; 0 = not yet */
	bool is_slow;
};

/* What to do after an attempt. */
enum task_next {
	TASK_DONE,
	TASK_RETRY, /* attempt, seed and not_before_ns were set by the callback */
	TASK_STOP,  /* start no more tests */
};

/* started and slow may be NULL. */
struct execute_callbacks {
	void (*started)(void *ctx, struct task *t);
	void (*slow)(void *ctx, struct task *t);
	enum task_next (*ended)(void *ctx, struct task *t, struct outcome *o);
	/* Now and then: how many are running, and one of them for each index. */
	void (*tick)(void *ctx, struct task *const *running, size_t count);
	struct live_line *line; /* to be wiped before something is said; or NULL */
	void *ctx;
};

struct execute_limits {
	size_t jobs;	     /* processes at once; 0 = by CPUs alone */
	size_t cpus;	     /* that may be kept busy */
	uint64_t memory_mib; /* for all guests together; 0 = no limit */
};

/* 0 when all ended or were stopped, -EINTR when interrupted. */
int execute_tasks(struct task *tasks, size_t count, const struct execute_limits *limits,
		  const struct execute_callbacks *callbacks);

/* What this machine can give: CPUs that we may use (cap of them, if not 0), available memory. */
void execute_limits_read(const struct cpulist *allowed, size_t cap, size_t jobs,
			 struct execute_limits *out);

/* This host as a place for VMs: what struct run_world points at. */

struct run_machine {
	struct topology topology;
	struct cpulist allowed;
	struct vm_qemu qemu;
	struct str no_kvm;
};

/* CPUs, and how many of them may be used. Fills host, allowed, cap and no_perf_mode of the world. */
int run_machine_read(struct run_machine *m, bool no_perf_mode, struct run_world *w);

/* QEMU, accelerator (by name; NULL = the best there is) and what the guests of each kernel start with. */
int run_machine_prepare_vm(struct run_machine *m, const char *accel, struct run_kernels *kernels,
			   struct run_world *w);

void run_machine_finish(struct run_machine *m);

#endif
