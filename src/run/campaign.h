/* SPDX-License-Identifier: GPL-2.0-only */
/* State of a run in progress; execution of one attempt at a test, and its evaluation. */
#ifndef KTSTR_RUN_CAMPAIGN_H
#define KTSTR_RUN_CAMPAIGN_H

#include "check/result.h"
#include "check/versus.h"
#include "guest/bounded_text.h"
#include "host/budget.h"
#include "host/context.h"
#include "host/plan.h"
#include "kernel/kernel.h"
#include "record/sidecar.h"
#include "run/discover.h"
#include "run/report.h"
#include "vm/accel.h"
#include "vm/initramfs.h"
#include "vm/session.h"
#include "watch/watch.h"

/*
 * run_dir.c: directories of records: {runs root}/{kernel}-{project commit}. A new run replaces the
 * records of the previous one and prints a note. The previous directory is renamed instead if a
 * history is requested, or if it has records of a scheduler that the new run does not test. If
 * another run is still writing to the directory, the new run uses a separate directory.
 */

struct project_commit {
	char *text; /* "1a2b3c4" or "1a2b3c4-dirty"; NULL = not in a repository */
};

struct run_dir_request {
	const char *kernel;	    /* version; NULL = unknown */
	const char *project_commit; /* or NULL */
	const char *epoch;	    /* token of the run; records with the same token are kept */
	unsigned int history;	    /* earlier runs to keep; 0 = none */
	const char *schedulers;	    /* schedulers under test, lines "HASH PATH"; NULL = none */
	/*
	 * Label of a kernel, if another kernel of the run already uses this directory; or NULL.
	 * Needed because file names of records do not contain the kernel.
	 */
	const char *label;
};

struct run_dir {
	char *path;
	int live_fd; /* holds a lock while the run writes to the directory; -1 = none */
};

#define _run_dir_ _cleanup_(run_dir_finish)

/* Test programs and C files of a run, one absolute path per line; read by replay. */
#define RUN_PROGRAMS_FILE ".programs"

/*
 * Stores inode and times of this file, so that run_programs_are_ours() returns false for a run
 * directory that was copied from elsewhere.
 */
void run_programs_mark(const char *path);
bool run_programs_are_ours(const char *path);
/* Programs of the schedulers, lines "HASH PATH". */
#define RUN_SCHEDULERS_FILE ".schedulers"
/* Below a run directory: records of its replay. Directories with a leading dot are not runs. */
#define RUN_REPLAY_DIR ".replay"
/* Below a run directory: records of failed attempts that were retried, one directory each. */
#define RUN_ATTEMPTS_DIR ".attempts"

/* File for CI in a run directory. */
#define RUN_JUNIT_FILE "junit.xml"

/* Prefix of a seed's subdirectory, in the records of a run with many seeds. */
#define RUN_SEED_DIR "seed_"

/* Returns whether the file name is that of a record. */
bool run_dir_is_record(const char *name);

/* {KTSTR_RUNS_ROOT or ktstr below CARGO_TARGET_DIR or target}. To be freed. */
char *run_root(void);

/*
 * outcome.c: raw result of one attempt at a test, not yet judged: everything that the worker
 * process knows, in a form that outlives this process.
 */

enum outcome_end {
	OUTCOME_LOST,	/* the worker process died: see message */
	OUTCOME_EXITED, /* the body exited, with status */
	OUTCOME_TIMED_OUT,
	OUTCOME_CRASHED, /* guest init or kernel crashed: see message */
	OUTCOME_SILENT,	 /* the guest ended without a result */
	OUTCOME_NOT_RUN, /* could not be started: see message */
	OUTCOME_SKIPPED, /* was deliberately not started: see message */
	OUTCOME_INTERRUPTED,
};

/* Texts of an outcome, in the order in which they are stored. */
/* clang-format off */
#define OUTCOME_TEXTS(X) \
	X(message)	/* of a crash, or why the test did not run */ \
	X(result)	/* JSON from the body, check/result.h; "" = none received */ \
	X(stimuli)	/* frames of step events as received, check/result.h */ \
	X(sched_report)	/* JSON, guest/protocol.h; "" = no scheduler */ \
	X(sched_log) \
	X(sched_dump)	/* dump of sched_ext */ \
	X(output)	/* stdout and stderr of the program, interleaved as received */ \
	X(console)	/* of the guest kernel */ \
	X(diagnostics)	/* of the channel, one per line */ \
	X(notes)	/* what the worker wrote to stderr */ \
	X(kernel_release) \
	X(qemu_options)	/* those that affect the guest, one per line */ \
	X(qemu_command)	/* quoted for a shell */ \
	X(samples)	/* of the monitor, struct series; "" = no monitor */ \
	X(dump)		/* JSON: taken when the scheduler was ejected or the guest hung */ \
	X(early)	/* JSON: an earlier snapshot, if there is a dump */ \
	X(core)		/* path of a core file of the same moment; "" = none */ \
	X(core_problem)	/* why there is no core file although one was requested */ \
	X(repro_pipeline) /* functions that auto-repro probed */ \
	X(repro_text)	/* and what it found, or why it did not run */ \
	X(repro)	/* the same as JSON */ \
	X(repro_dump)	/* dump of auto-repro's second run, if that is not a repetition */ \
	X(snapshots)	/* requested by the test: JSON */ \
	X(problems)	/* attributes that could not be satisfied, lines "attribute: why" */ \
	X(broken_invariants) /* one per line */ \
	X(unknown_invariants) /* invariants that could not be evaluated, and why */ \
	X(post_vm)	/* JSON from the test's post_vm, as result; "" = it did not run */
/* clang-format on */

struct outcome_facts {
	enum outcome_end end;
	int status;
	bool is_guest;		  /* the test ran in a VM */
	bool has_started;	  /* guest init has reported its start */
	bool has_payload_started; /* the body has started */
	bool has_cleanup;
	uint64_t duration_ns; /* of the run itself, without the boot of a template */
	uint64_t ready_ns;    /* guest clock at the end of the boot; 0 = not reported */
	uint64_t guest_ns;    /* guest clock at the end */
	uint64_t sched_events,
		sched_tasks; /* with a strategy: scheduling events, and tasks they belong to */
	uint64_t cleanup_ns; /* from the last message of the guest to the exit of QEMU */
	uint64_t memory_mib;
	unsigned int profile_count;   /* coverage profiles received from the guest */
	unsigned int host_cpus;	      /* reserved host CPUs; 0 = none */
	char digest[SHA256_HEX_SIZE]; /* over all output of the guest; "" = none */
	char kernel_hash[SHA256_HEX_SIZE];
	char initramfs_hash[SHA256_HEX_SIZE];
	char scheduler_hash[SHA256_HEX_SIZE]; /* of the scheduler's program; "" = none packed */
	char template_key[64];
	struct vm_exit_stats exits; /* of a KVM guest */
	struct vm_host_time host_time;
};

struct outcome {
	struct outcome_facts facts;
#define X(name) struct str name;
	OUTCOME_TEXTS(X)
#undef X
};

/*
 * -EIO with the outcome's message if the run could not be made: an error of ktstr, not of the test.
 */
int outcome_check(const struct outcome *o);

/* Replaces NULs in program output, which is printed as C strings: a NUL would cut it off. */
void outcome_spell_nuls(struct outcome *o);

void outcome_finish(struct outcome *o);

/* sched_report.c: parses the guest's report on the scheduler's life (guest/protocol.h). */

struct sched_absence {
	uint64_t left_ns; /* since the start of the body */
	uint64_t away_ns;
	const char *reason;
};

/* Strings that were null or missing in the report are NULL. */
struct sched_report {
	const char *end; /* one of GUEST_SCHED_END_* */
	const char *message, *ops, *stage;
	bool is_attached, is_released;
	uint64_t ended_ns;  /* since the start of the body; UINT64_MAX = not reported */
	uint64_t exit_code; /* of the scheduler process; 0 also if it did not exit */
	uint64_t exit_kind; /* SCX exit kind from the kernel; 0 = not reported */
	const char *exit_reason, *exit_message;
	const char *watchdog_problem; /* why the watchdog timeout of the test is not in effect */
	uint64_t payload_signal;      /* init's signal to the body at the scheduler's end, or 0 */
	VEC(struct sched_absence) absences; /* the scheduler came back after each */
	uint64_t absence_count;		    /* also those that are not in the list */
	uint64_t log_bytes;		    /* printed by the scheduler, kept or not */
	VEC(struct sidecar_program) programs;
	struct arena arena;
};

/*
 * Returns whether the scheduler's program was not executed at all: it is for another machine, or a
 * shared library is missing.
 */
bool sched_report_is_unstarted(const struct sched_report *r);

/* judge.c: turns an outcome into a verdict and the text that explains it. */

/* Monitor data of a guest, for the verdict, the failure text and the record. */

struct run_monitor {
	bool is_known; /* the monitor ran, or was supposed to */
	struct series series;
	struct monitor_summary summary;
	struct monitor_verdict verdict;
};

struct judge_options {
	bool fails_on_skip; /* --no-skip-mode */
	bool is_retry;	    /* an earlier attempt failed, for which a skip is no excuse */
	bool is_verbose;    /* print diagnostics also if the test passed */
};

struct judgement {
	enum test_status status;
	bool has_result; /* the body sent a result; findings of the host were added to it */
	struct ktstr_result result;
	bool has_sched_report;
	struct sched_report sched_report;
	struct run_monitor monitor;
	struct str text; /* why the test failed, is inconclusive or was skipped */
	struct versus versus;
	struct str note; /* the table of scheduler and EEVDF, or "" */
};

int judge(const struct variant *v, struct outcome *o, const struct judge_options *options,
	  struct judgement *out);
void judgement_finish(struct judgement *j);

/*
 * plots.c: values over the time of a test, each summed over all CPUs: runnable tasks, idle CPUs,
 * tasks in local DSQs, wait times.
 */
#define PLOT_COUNT 4

struct plot {
	const char *name;
	double (*of)(const struct cpu_sample *before, const struct cpu_sample *now);
};

extern const struct plot plots[PLOT_COUNT];

/* Appends the section "--- timeline ---"; nothing if there are no values. */
struct timeline_facts {
	const char *kernel, *scheduler; /* or NULL */
	const struct series *series;	/* of the guest; or NULL */
};
void timeline_add(const struct variant *v, const struct ktstr_result *r,
		  const struct timeline_facts *facts, struct str *out);

/*
 * execute.c: runs many tests in parallel, each attempt in a forked worker process, as many at once
 * as CPUs and memory allow. A worker that dies takes its VM and its locks with it and counts as one
 * lost test. A worker that hangs is killed. An interrupt ends all workers within a second.
 */

/* One attempt at one test in a worker process: from a variant to an outcome, without judging. */

/* The kernels of a run: the kernels that the user named, resolved, each with a label. */

struct run_kernel {
	struct kernel_image image;
	char *label;		    /* "kernel_7_0" */
	struct initramfs_base base; /* initramfs base of its guests; built on first use */
};

struct run_kernels {
	VEC(struct run_kernel) items;
	const char **labels; /* of all kernels, in order */
};

struct run_kernels_request {
	const char *const *ids; /* arguments of --kernel; none = the newest one available */
	size_t count;
	bool include_eol;
	bool only_labels;  /* download and build nothing; leaves images empty */
	const char *label; /* prefix of progress lines */
};

/* Data shared by all tests of a run. */
struct run_world {
	const struct vm_qemu *qemu; /* NULL = no test needs a VM */
	enum vm_accel accel;
	const struct run_kernels *kernels;
	const struct topology *host;
	const struct cpulist *allowed; /* host CPUs */
	struct cpu_cap cap;
	bool no_perf_mode;
	bool is_verbose;	   /* verbose guest console, except in sim */
	uint64_t slow_ns;	   /* a test is slow after this time */
	unsigned int slow_periods; /* timeout of a test: at least slow_periods * slow_ns */
	const char *no_kvm;	   /* why KVM is unusable here; NULL = it is usable */
};

/* Events that a worker sends to the parent, one byte each. */
enum job_event {
	JOB_WAITS = 'w',      /* waits for CPUs held by a process outside of the run */
	JOB_HAS_CPUS = 'c',   /* has got its CPUs */
	JOB_IS_RUNNING = 'r', /* the guest is up, timeouts count from now */
};

struct job {
	const struct run_world *world;
	const struct variant *variant;
	const char *scheduler;	       /* host path of its program, or NULL */
	const char *scheduler_version; /* version that it prints, or NULL */
	const char *problem;	       /* why it cannot run, if known beforehand; or NULL */
	const struct run_knobs *knobs;
	const char *trace;	 /* file for the trace of scheduling events, or NULL */
	const char *core;	 /* file for a core of a failing guest, or NULL */
	const char *profile_dir; /* for coverage profiles of its programs; NULL = no coverage */
	const char *input;	 /* file for the test program only, PROGRAM_GUEST_INPUT; or NULL */
	const char *bpf_dir;	 /* for coverage of BPF programs, or NULL */
	bool counts_kernel;	 /* with bpf_dir: functions of sched_ext in the kernel, too */
	bool explains;		 /* auto-repro runs a failed test again, if the test allows it */
	const char *
		probe_stack; /* functions for repro_chain_add_words(); NULL = those in the stacks */
	uint64_t seed;
	int event_fd; /* or -1 */
	/* Runs the guest instead of vm_session_run(), same contract; or NULL. */
	int (*run_instead)(void *ctx, const struct vm_session *s, const char *vmlinux,
			   struct vm_result *result);
	void *instead;
};

/* Fills *out in every case, also on error. */
void job_run(const struct job *job, struct outcome *out);

/* Arguments of the test program, without argv[0]. */
#define JOB_MAX_ARGS 32
#define JOB_DURATION_DIGITS 12
struct job_args {
	const char *argv[JOB_MAX_ARGS + 1];
	size_t count;
	struct arena arena;
};
/* result: NULL = leaves out the last argument. */
int job_args_make(struct job_args *a, const struct job *job, const char *program,
		  const char *result);
/*
 * For a variant without a program: arguments of guest init's own workload, for the test's duration.
 */
int job_args_spin(struct job_args *a, const struct job *job);
/* Adds an argument, which has to stay valid. */
void job_args_add(struct job_args *a, const char *arg);
void job_args_finish(struct job_args *a);

/* Status line at the bottom of a terminal; wiped before other output. */

struct live_line {
	bool is_on; /* stderr is a terminal, and --quiet was not given */
	bool is_shown;
};

struct task {
	struct job job;
	unsigned int attempt;	/* from 1 */
	uint64_t not_before_ns; /* earliest start of a retry */
	bool is_begun, is_ended;
	uint64_t begun_ns, running_ns; /* times; 0 = not yet */
	bool is_slow;
};

/* Returned by the callback `ended`: what to do after an attempt. */
enum task_next {
	TASK_DONE,
	TASK_RETRY, /* attempt, seed and not_before_ns were set by the callback */
	TASK_STOP,  /* start no more tests */
};

/* started, slow and line may be NULL. */
struct execute_callbacks {
	void (*started)(void *ctx, struct task *t);
	void (*slow)(void *ctx, struct task *t);
	enum task_next (*ended)(void *ctx, struct task *t, struct outcome *o);
	/* Called periodically with the tasks that are running. */
	void (*tick)(void *ctx, struct task *const *running, size_t count);
	struct live_line *line; /* wiped before a message is printed; or NULL */
	void *ctx;
};

struct execute_limits {
	size_t jobs;	     /* worker processes at once; 0 = limited by CPUs only */
	size_t cpus;	     /* that may be busy */
	uint64_t memory_mib; /* for all guests together; 0 = no limit */
};

/* Returns 0 when all tasks ended or were stopped, -EINTR when interrupted. */
int execute_tasks(struct task *tasks, size_t count, const struct execute_limits *limits,
		  const struct execute_callbacks *callbacks);

/* Determines the limits of this host: usable CPUs (at most cap, if not 0) and available memory. */
void execute_limits_read(const struct cpulist *allowed, size_t cap, size_t jobs,
			 struct execute_limits *out);

/* Properties of this host that matter for VMs; struct run_world points into it. */

struct run_machine {
	struct topology topology;
	struct cpulist allowed;
	struct vm_qemu qemu;
	struct str no_kvm;
};

/*
 * runner.c: the whole of a run: discover → list → choose → execute → judge → record → report. Each
 * step is a module of its own; runner.c connects them.
 */

/* Timeouts and verbosity of a run. */
struct run_profile {
	const char *name;
	unsigned int slow_s;
	unsigned int slow_periods; /* timeout of a test: at least slow_periods * slow_s */
	bool is_fail_fast;
	bool shows_failures_last;
};

const struct run_profile *run_profile_by_name(const char *name);
const char *const *run_profile_names(void);

enum {
	RUN_EXIT_PASSED = 0,
	RUN_EXIT_FAILED = 1,
	RUN_EXIT_INCONCLUSIVE = 3,
	RUN_EXIT_NOTHING = 4,
	RUN_EXIT_INTERRUPTED = 130,
};

enum run_list { RUN_LIST_NO, RUN_LIST_NAMES };

struct runner_options {
	const char *label;	  /* "ktstr" or "cargo ktstr" */
	const char *const *paths; /* programs, directories, C files */
	size_t path_count;
	const char *const *kernels;
	size_t kernel_count;
	bool include_eol;
	const char *accel;
	uint64_t seed;
	struct run_knobs knobs;
	bool no_perf_mode, fails_on_skip;
	bool explains;		       /* run auto-repro on failures */
	const char *probe_stack;       /* functions for auto-repro to probe, or NULL */
	bool is_coverage;	       /* compile C files with coverage */
	const char *bpf_dir;	       /* for coverage of BPF programs, or NULL */
	bool counts_kernel;	       /* with bpf_dir: functions of sched_ext in the kernel, too */
	bool takes_cores;	       /* write cores of failing guests, next to their records */
	const char *trace_dir;	       /* gets one trace file per test, or NULL */
	const char *scheduler_profile; /* or NULL */
	const char *scheduler;	       /* program that replaces the scheduler of every test; NULL
				        * = each its own */
	const struct run_profile *profile;
	struct variants_choice choice;
	size_t jobs; /* 0 = limited by CPUs and memory */
	unsigned int retries;
	bool is_fail_fast;
	bool shows_output;
	bool is_quiet, is_verbose;
	enum run_list list;
	unsigned int history;
	const struct report_format *format;
};

/*
 * Returns one of RUN_EXIT_*, or a negative errno with a message. With is_coverage the profiles are
 * in coverage_dir() afterwards; it is an error if no program is instrumented.
 */
int runner_run(const struct runner_options *options);

/* Records: one sidecar for each test that finished. */

/* Data common to all records of a run. */
struct record_facts {
	const char *project_commit; /* or NULL */
	const char *run_id;
	const struct host_context *host;
	size_t *replaced; /* incremented if the record replaced an existing one */
};

/* Writes the record. *path is its file, to be freed. */
int record_write(const char *dir, const struct record_facts *facts, const struct task *task,
		 const char *resolve_source, struct outcome *o, struct judgement *j, char **path);

/* Further data of the task with the same index. */
struct campaign_task {
	char *scheduler;	    /* host path */
	char *scheduler_version;    /* or NULL */
	char *problem;		    /* why the task cannot run, or NULL */
	char *trace;		    /* file, or NULL */
	char *core;		    /* core file, or NULL */
	const char *resolve_source; /* which of the places scheduler_find() found it in */
	bool is_sched_instrumented;
};

/* Content of the junit.xml of one run directory. */
struct campaign_junit {
	struct str cases;
	struct run_totals totals;
};

struct campaign {
	const struct runner_options *options;
	struct test_programs programs;
	struct run_kernels kernels;
	struct variants variants;
	struct variants_chosen chosen;
	struct run_machine machine;
	struct run_world world;
	struct project_commit commit;
	struct host_context host;
	char *epoch;
	char *profile_dir;    /* for coverage */
	size_t unprofiled;    /* tests whose guest sent no coverage profile although it should
			       * have */
	struct run_dir *dirs; /* by kernel */
	size_t dir_count;
	size_t replaced;	/* existing records that this run replaced */
	const char **dir_names; /* of each kernel */
	size_t dir_name_count;
	struct task *tasks;
	int *statuses; /* status of each task; -1 = not finished */
	struct campaign_task *extras;
	/* Used while the tests run. */
	struct run_report report;
	struct run_totals totals;
	struct live_line line;
	uint64_t begun_ns;
	struct str notes;	       /* notes of workers that were already printed */
	struct campaign_junit *junits; /* one for each directory */
	struct str github;
	int rc; /* first error of ktstr itself, not of a test */
};

/* Finds programs, host properties and kernels, and chooses the tests. */
int campaign_select(struct campaign *c);
/* Prepares what the chosen tests need, and a task for each; writes no records. */
int campaign_equip(struct campaign *c);
/* Opens the record directories, one per kernel, and writes the files that replay needs. */
int campaign_open_records(struct campaign *c);
/* Writes the list of test programs into a further directory of records. */
int campaign_write_programs(const struct campaign *c, const char *dir);
/* Reports how many existing records this run replaced, if it added to the records of other runs. */
void campaign_tell_replaced(const struct campaign *c);
void campaign_finish(struct campaign *c);

#endif
