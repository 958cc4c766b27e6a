/* SPDX-License-Identifier: GPL-2.0-only */
/* A run that is under way, and all it owns; one attempt at one test, and what becomes of it. */
#ifndef KTSTR_RUN_CAMPAIGN_H
#define KTSTR_RUN_CAMPAIGN_H

#include "check/result.h"
#include "check/sidecar.h"
#include "check/versus.h"
#include "guest/bounded_text.h"
#include "host/budget.h"
#include "host/context.h"
#include "host/plan.h"
#include "kernel/kernel.h"
#include "run/discover.h"
#include "run/report.h"
#include "vm/accel.h"
#include "vm/initramfs.h"
#include "vm/session.h"
#include "watch/watch.h"

/*
 * run_dir.c: Where a run leaves its records: {runs root}/{kernel}-{project commit}. A new run
 * replaces the records of the one before and says so; they are kept beside it when a
 * history is wanted, or when they are of a scheduler that the new run does not test. A run
 * that goes on is left alone: the new one has a directory of its own beside it.
 */

struct project_commit {
	char *text; /* "1a2b3c4" or "1a2b3c4-dirty"; NULL = not in a repository */
};

struct run_dir_request {
	const char *kernel;	    /* version; NULL = unknown */
	const char *project_commit; /* or NULL */
	const char *epoch;	    /* records of the same one are kept */
	unsigned int history;	    /* earlier runs to keep; 0 = none */
	const char *schedulers;	    /* lines "HASH PATH": what is tested; NULL = nothing */
	/* Of a kernel whose directory another kernel of the run has already, or NULL: records
	 * have the same file names whatever the kernel. */
	const char *label;
};

struct run_dir {
	char *path;
	int live_fd; /* has a lock that tells other runs to leave the directory alone; -1 = none */
};

#define _run_dir_ _cleanup_(run_dir_finish)

/* Programs and C files of a run, one absolute path to a line: for replaying it. */
#define RUN_PROGRAMS_FILE ".programs"

/*
 * Remembers that this file is ours, by its inode and times: a run that was copied here from
 * elsewhere has none that is.
 */
void run_programs_mark(const char *path);
bool run_programs_are_ours(const char *path);
/* The schedulers' programs, a line "HASH PATH" each. */
#define RUN_SCHEDULERS_FILE ".schedulers"
/* Below a run's directory: the records of its replay. A dot-directory is not a run. */
#define RUN_REPLAY_DIR ".replay"
/* Likewise: those of attempts that failed before another one was made, a directory for each. */
#define RUN_ATTEMPTS_DIR ".attempts"

/* In a run's directory, for CI. */
#define RUN_JUNIT_FILE "junit.xml"

/* Below a run's directory, with the seed behind it: records of a run of many seeds. */
#define RUN_SEED_DIR "seed_"

/* Whether a file's name is that of a record. */
bool run_dir_is_record(const char *name);

/* {KTSTR_RUNS_ROOT or ktstr below CARGO_TARGET_DIR or target}. To be freed. */
char *run_root(void);

/*
 * outcome.c: What became of one attempt at a test, before anybody judged it: everything that
 * the process that ran it knows, in a form that survives that process.
 */

enum outcome_end {
	OUTCOME_LOST,	/* the process that ran it is gone: see message */
	OUTCOME_EXITED, /* the body ended, with status */
	OUTCOME_TIMED_OUT,
	OUTCOME_CRASHED, /* guest init or kernel: see message */
	OUTCOME_SILENT,	 /* the guest ended and said nothing */
	OUTCOME_NOT_RUN, /* it could not be started: message says why */
	OUTCOME_SKIPPED, /* it was not to be started: message says why */
	OUTCOME_INTERRUPTED,
};

/* Texts, in the order in which they are stored. */
/* clang-format off */
#define OUTCOME_TEXTS(X) \
	X(message)	/* of a crash, or why there was no run */ \
	X(result)	/* JSON of the body, check/result.h; "" = none came */ \
	X(stimuli)	/* frames of the steps' events as they came, check/result.h */ \
	X(sched_report)	/* JSON, guest/protocol.h; "" = there was no scheduler */ \
	X(sched_log) \
	X(sched_dump)	/* of sched_ext */ \
	X(output)	/* of the program, both streams as they came */ \
	X(console)	/* of the guest's kernel */ \
	X(diagnostics)	/* of the channel, a line each */ \
	X(notes)	/* what was said on stderr meanwhile */ \
	X(kernel_release) \
	X(qemu_options)	/* of what the guest saw, a line each */ \
	X(qemu_command)	/* as a shell takes it */ \
	X(samples)	/* of the monitor, struct series; "" = nobody watched */ \
	X(dump)		/* JSON: when the scheduler was thrown out, or the guest hung */ \
	X(early)	/* JSON: the same of an earlier moment, where there is a dump */ \
	X(core)		/* path of a core file of the same moment; "" = there is none */ \
	X(core_problem)	/* why there is none though one was wanted */ \
	X(repro_pipeline) /* what auto-repro looked at */ \
	X(repro_text)	/* and what it saw, or why there was none */ \
	X(repro)	/* the same as JSON */ \
	X(repro_dump)	/* the dump of a second run that was another one */ \
	X(snapshots)	/* that the test asked for: JSON */ \
	X(problems)	/* of attributes that could not be met: "attribute: why", a line each */ \
	X(broken_invariants) /* a line each */ \
	X(unknown_invariants) /* that could not be judged, and why */ \
	X(post_vm)	/* JSON of the test's post_vm, as result; "" = it did not run */
/* clang-format on */

struct outcome_facts {
	enum outcome_end end;
	int status;
	bool is_guest;		  /* there was a VM */
	bool has_started;	  /* guest init reported */
	bool has_payload_started; /* the body ran */
	bool has_cleanup;
	uint64_t duration_ns; /* of the run itself, boot of a template not counted */
	uint64_t ready_ns;    /* the guest's clock when it had booted; 0 = it did not tell */
	uint64_t guest_ns;    /* and at its end */
	uint64_t sched_events,
		sched_tasks; /* with a strategy: scheduling events, and of how many */
	uint64_t cleanup_ns; /* from the guest's last word to the end of QEMU */
	uint64_t memory_mib;
	unsigned int profile_count;   /* profiles of coverage that came out of the guest */
	unsigned int host_cpus;	      /* that were reserved; 0 = none */
	unsigned long skip_kind;      /* enum skip_reason */
	char digest[SHA256_HEX_SIZE]; /* over all that the guest said; "" = nothing */
	char kernel_hash[SHA256_HEX_SIZE];
	char initramfs_hash[SHA256_HEX_SIZE];
	char scheduler_hash[SHA256_HEX_SIZE]; /* of its program; "" = none was packed */
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

/* A run that could not be made is our failure, not one of the test: -EIO with its message. */
int outcome_check(const struct outcome *o);

/* What programs print is shown as strings: a NUL must not hide what comes after it. */
void outcome_spell_nuls(struct outcome *o);

void outcome_finish(struct outcome *o);

/* sched_report.c: What the guest says about the scheduler's life (guest/protocol.h), read back. */

struct sched_absence {
	uint64_t left_ns; /* since the start of the body */
	uint64_t away_ns;
	const char *reason;
};

/* Texts that were null or not there are NULL. */
struct sched_report {
	const char *end; /* one of GUEST_SCHED_END_* */
	const char *message, *ops, *stage;
	bool is_attached, is_released;
	uint64_t ended_ns;  /* since the start of the body; UINT64_MAX = not told */
	uint64_t exit_code; /* of the process; 0 = also when it has none */
	uint64_t exit_kind; /* of the kernel; 0 = it has not told */
	const char *exit_reason, *exit_message;
	const char *watchdog_problem; /* why the limit of the test does not hold */
	uint64_t payload_signal;      /* that the body got from init because of the end; 0 = none */
	VEC(struct sched_absence) absences; /* it came back after each */
	uint64_t absence_count;		    /* also those that are not listed */
	uint64_t log_bytes;		    /* that the scheduler printed, kept or not */
	VEC(struct sidecar_program) programs;
	struct arena arena;
};

/* Whether nothing of the scheduler itself was executed: another machine's, or a part is missing. */
bool sched_report_is_unstarted(const struct sched_report *r);

/* judge.c: From an outcome to a verdict and the text that explains it. */

/* What was seen of a guest from outside, in verdict, failure text and record. */

struct run_monitor {
	bool is_known; /* somebody watched, or tried to */
	struct series series;
	struct monitor_summary summary;
	struct monitor_verdict verdict;
};

struct judge_options {
	bool fails_on_skip; /* --no-skip-mode */
	bool is_verbose;    /* diagnostics also where they are not needed */
};

struct judgement {
	enum test_status status;
	bool has_result; /* the body sent one; what the host found was added to it */
	struct ktstr_result result;
	bool has_sched_report;
	struct sched_report sched_report;
	struct run_monitor monitor;
	struct str text; /* why it failed, was inconclusive or skipped */
	struct versus versus;
	struct str note; /* the table of scheduler and EEVDF, or "" */
};

int judge(const struct variant *v, struct outcome *o, const struct judge_options *options,
	  struct judgement *out);
void judgement_finish(struct judgement *j);

/*
 * plots.c: Figures over the time of a test. What is runnable, how many CPUs idle, what is in local DSQs
 * and how long tasks waited, each of all CPUs.
 */
#define PLOT_COUNT 4

struct plot {
	const char *name;
	double (*of)(const struct cpu_sample *before, const struct cpu_sample *now);
};

extern const struct plot plots[PLOT_COUNT];

/* "--- timeline ---" and what is below it; nothing without figures. */
struct timeline_facts {
	const char *kernel, *scheduler; /* or NULL */
	const struct series *series;	/* of the guest; or NULL */
};
void timeline_add(const struct variant *v, const struct ktstr_result *r,
		  const struct timeline_facts *facts, struct str *out);

/*
 * execute.c: Running many tests: each attempt in a forked process of its own, as many at once
 * as CPUs and memory allow. A process that dies takes its VM and its locks along
 * and is one lost test; a process that hangs is killed; being interrupted ends all
 * of them within a second.
 */

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
		probe_stack; /* functions to look at then, repro_chain_add_words(); NULL = those of its stacks */
	uint64_t seed;
	int event_fd; /* or -1 */
	/* Who runs the guest instead of us, as vm_session_run(); or NULL. */
	int (*run_instead)(void *ctx, const struct vm_session *s, const char *vmlinux,
			   struct vm_result *result);
	void *instead;
};

/* Always leaves an outcome. */
void job_run(const struct job *job, struct outcome *out);

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

/* The last line of a terminal, which tells what is going on and is wiped before others. */

struct live_line {
	bool is_on; /* stderr is a terminal, and nobody asked for quiet */
	bool is_shown;
};

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

/*
 * runner.c: The whole way of a run: discover → list → choose → execute → judge → record →
 * report. Each step is a module of its own; here they meet.
 */

/* How patient and how talkative a run is. */
struct run_profile {
	const char *name;
	unsigned int slow_s;
	unsigned int slow_periods; /* so many times slow_s: a test is ended */
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
	bool explains;		       /* failures, by auto-repro */
	const char *probe_stack;       /* of auto-repro, or NULL */
	bool is_coverage;	       /* C files are compiled to count what is executed */
	const char *bpf_dir;	       /* gets what is executed of BPF programs, or NULL */
	bool counts_kernel;	       /* with it: functions of sched_ext in the kernel */
	bool takes_cores;	       /* of guests that fail, beside their records */
	const char *trace_dir;	       /* gets a file for each test, or NULL */
	const char *scheduler_profile; /* or NULL */
	const char *scheduler;	       /* program to take for that of every test; NULL = its own */
	const struct run_profile *profile;
	struct variants_choice choice;
	size_t jobs; /* 0 = by CPUs and memory */
	unsigned int retries;
	bool is_fail_fast;
	bool shows_output;
	bool is_quiet, is_verbose;
	enum run_list list;
	unsigned int history;
	const struct report_format *format;
};

/*
 * With is_coverage the profiles are in coverage_dir() afterwards; no instrumented
 * program at all is an error. One of RUN_EXIT_*, or a negative errno with a message. */
int runner_run(const struct runner_options *options);

/* One sidecar for each test that came to an end. */

/* What all records of a run have in common. */
struct record_facts {
	const char *project_commit; /* or NULL */
	const char *run_id;
	const struct host_context *host;
	size_t *replaced; /* grows by one when there was such a record already */
};

/* The path of the file, to be freed. */
int record_write(const char *dir, const struct record_facts *facts, const struct task *task,
		 const char *resolve_source, struct outcome *o, struct judgement *j, char **path);

/* Besides the task of the same index. */
struct campaign_task {
	char *scheduler;	    /* host path */
	char *scheduler_version;    /* or NULL */
	char *problem;		    /* why it cannot run */
	char *trace;		    /* file, or NULL */
	char *core;		    /* the same */
	const char *resolve_source; /* where the scheduler was found */
	bool is_sched_instrumented;
};

/* What becomes the junit.xml of a run directory. */
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
	size_t unprofiled;    /* tests whose guest sent no profile though it should have */
	struct run_dir *dirs; /* by kernel */
	size_t dir_count;
	size_t replaced;	/* records that were there already and are of this run now */
	const char **dir_names; /* of each kernel */
	size_t dir_name_count;
	struct task *tasks;
	int *statuses; /* of the tasks; -1 = not ended */
	struct campaign_task *extras;
	/* While it runs. */
	struct run_report report;
	struct run_totals totals;
	struct live_line line;
	uint64_t begun_ns;
	struct str notes;	       /* lines of workers that were printed already */
	struct campaign_junit *junits; /* of each directory */
	struct str github;
	int rc; /* the first failure of ours, not of a test */
};

/* Programs, host, kernels, and the choice among the tests. */
int campaign_select(struct campaign *c);
/* What the chosen ones need, and a task for each; no records yet. */
int campaign_equip(struct campaign *c);
/* The directories for records, one for each kernel, with what replaying them takes. */
int campaign_open_records(struct campaign *c);
/* Tells in another directory of records, too, which programs were run. */
int campaign_write_programs(const struct campaign *c, const char *dir);
/* A run that adds its records to those of others says which it put itself in the place of. */
void campaign_tell_replaced(const struct campaign *c);
void campaign_finish(struct campaign *c);

#endif
