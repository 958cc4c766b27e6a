/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations shared by the files of this directory only. */
#ifndef KTSTR_RUN_PARTS_H
#define KTSTR_RUN_PARTS_H

#include "repro/repro.h"
#include "run/sweep.h"

/* Output of a guest without a channel on its second serial port. */

/*
 * Returns in out the text between the last pair of result lines. Empty if the last begin line has
 * no end line: an earlier pair may be output of the test itself.
 */
void control_result(const char *control, struct str *out);

/* File names in a coverage directory. */

#define COVERAGE_OBJECTS "objects"
#define COVERAGE_MERGED "merged.profdata"
#define COVERAGE_HTML_DIR "html"

/* Directory of LLVM_PROFILE_FILE, which must be set: absolute, to be freed. */
char *coverage_profile_dir(void);

/*
 * Lists the raw profiles in `dir`, and in the directory of LLVM_PROFILE_FILE if that is a different
 * one. A missing directory counts as empty.
 */
int coverage_files_list(const char *dir, struct texts *out);

/* Lists the files of one directory whose names end with suffix. */
int coverage_files_in(const char *dir, const char *suffix, struct texts *out);

/* llvm-profdata and llvm-cov: versions are not compatible with each other's files. */

/* A pair of the same version. */
struct coverage_tools {
	char *profdata, *cov;
};

/*
 * Returns the i-th installed pair: LLVM_PROFDATA and LLVM_COV, then the tools without a version in
 * their names, then the versioned ones, newest first. -ENOENT if there are no more.
 */
int coverage_tools_nth(size_t i, struct coverage_tools *out);
void coverage_tools_finish(struct coverage_tools *t);

/* Metrics from program output: the extractions that the guest left to the host. */

/*
 * Carries out the extraction requests in the result and judges the metrics, after the VM has ended.
 * Failures and metrics that could not be decided become details; only -ENOMEM is an error.
 */
int run_extract_metrics(struct ktstr_result *res);

/*
 * Distinguishes effects of the host from effects of the scheduler. With kvm and tcg the host takes
 * CPU time from vCPUs, and the guest sees waits, gaps and latencies that no scheduler caused.
 */

/*
 * Returns whether host contention explains the detail. For a wait or gap: within a window of that
 * length the host kept a vCPU from running for at least half of it. For a latency percentile: the
 * host did so for at least 1 % of the run, and in total for longer than the latency.
 */
bool host_time_explains(const struct vm_host_time *t, const struct detail *d);

/*
 * host_time_in_text(): time in ns named in a message of the kernel or of guest init, such as
 * "failed to run for 1.452s"; 0 if there is none.
 * host_time_excuse(): details that host contention explains become inconclusive, with the host's
 * figures, and so does the verdict.
 */
uint64_t host_time_in_text(const char *text);
void host_time_excuse(struct ktstr_result *r, const struct vm_host_time *t);

/* Appends "host: vCPU 3 ran 1.20 s and waited 0.31 s for a CPU: dilation 1.26", if known. */
void host_time_add_line(const struct vm_host_time *t, struct str *out);

/* Sets host_time of the record: dilation of the worst vCPU, run and wait time of each vCPU. */
void record_host_time(struct sidecar *s, const struct vm_host_time *t);

/* Fetches several kernels in parallel, so that later lookups find them in the cache. */

/*
 * Downloads or builds versions and git references that are not in the cache yet, several at a time.
 * The first failure ends the others. Source trees are left to the caller: their result depends on
 * their current state and may not be cacheable.
 */
int kernels_fetch(const char *const *ids, size_t count, const char *label);

/* Results of the same tests on several kernels. */

/*
 * Appends a table of tests by kernel for tests that ran on more than one kernel; nothing if there
 * are none. statuses has one entry per chosen variant, -1 = not finished.
 */
int matrix_add(const struct variants_chosen *chosen, const int *statuses,
	       const char *const *kernel_labels, size_t kernel_count, struct str *out);

/*
 * Cache of compiled programs, keyed by the hash of their inputs: each program is in a directory
 * named after its key.
 *
 * A cache may be shared. Programs owned by root or by the current user are used; those of other
 * users are not run. If the cache is not writable, the cache in the home directory is used.
 */

/* Marks a directory as a cache, for us and for backup programs. */
#define PROGRAM_CACHE_TAG "CACHEDIR.TAG"

/* Makes the program as the file `out`, which does not exist yet. 0 or a negative errno. */
typedef int program_make_fn(void *ctx, const char *out);

/*
 * Returns the program with this key (hexadecimal) and name, to be freed; makes it if missing. It
 * stays locked in the cache until this process exits or calls source_release().
 */
int program_cache_get(const char *key, const char *name, program_make_fn *make, void *ctx,
		      char **program);

/* Exit counts from KVM, as kvm_stats of the record. */

/* Writes nothing if no vCPU has figures, and omits unknown figures. */
void record_kvm(struct sidecar *s, const struct vm_exit_stats *exits, const struct roots *roots);

/* Output of a scheduler and of the kernel about the scheduler's end, as part of a report. */

/* Copies the log without the kernel's dump if it contains the same dump: loaders print it, too. */
void sched_text_drop_dump(const struct str *log, const struct str *dump, struct str *out);

/* Appends the title and the text with every line marked; nothing for an empty text. */
void sched_text_add_section(struct str *out, const char *title, const struct str *text);

/*
 * Runs the program of a scheduler on the host to query it. A program that does not know the option
 * may start its normal work, so bpf(2) is denied: it must never become the scheduler of this host.
 * Run time and output are limited.
 */

/* Returns its exit status and appends its output for this option to out; or a negative errno. */
int scheduler_ask(const char *path, const char *option, struct str *out);

/*
 * Returns the first line of its --version output, to be freed; NULL if it does not report a
 * version. The answer is cached until the file changes. Only -ENOMEM is an error.
 */
int scheduler_version(const char *path, char **version);

/* Accepts a line that can be a version: contains a digit, no control characters, and is short. */
bool scheduler_version_read(const char *text, struct str *version);

/*
 * Search for tests: in programs with a section of tests, which identifies them without running
 * them, and in C files that use KTSTR_TEST, which are compiled.
 */

/* A test program (absolute path), and the C file it was compiled from, or NULL. */
struct test_file {
	char *path, *source;
	bool is_given; /* named by the user; else found in a directory */
};

/* Files of one kind that a search skipped. */
struct search_left_out {
	size_t count;
	char *first;
};

/* The caller initializes the first two members only. */
struct test_search {
	struct source_options how;
	bool skips_broken; /* ignore C files that do not compile */
	bool is_build;	   /* the search is inside a build directory */
	VEC(struct test_file) items;
	struct texts sources; /* C files found in directories, not yet compiled */
	struct search_left_out plain, foreign, unreadable, broken, large;
};

/*
 * Adds a program, a C file, or a directory with both. A file without tests that was named by the
 * user is an error; in directories such files are skipped, as are caches and hidden files.
 */
int test_search_given(struct test_search *s, const char *path);

/*
 * Searches KTSTR_TEST_DIR, else `tests` and `build` of the current directory; if it has neither, of
 * the nearest parent directory with a repository.
 */
int test_search_project(struct test_search *s);

/*
 * Compiles the C files found in directories, and reports once what was skipped. If there is a C
 * file and a program of the same name, the newer one is used: one is made from the other.
 */
int test_search_end(struct test_search *s);

void test_search_finish(struct test_search *s);

/* The include files that a test declares: its own, its payloads', its scheduler's. */

#define WANTED_FILES_MAX 256

struct wanted_files {
	const char *items[WANTED_FILES_MAX]; /* as declared, without duplicates */
	size_t count;
};

int wanted_files_list(const struct variant *v, struct wanted_files *out);

/* job_package.c: programs, arguments and settings that a guest gets for a test. */

#define PACKAGE_MAX_FILES 8

/* Lives until the end of the run. */
struct package {
	struct include_files includes;
	struct str settings, append, sched_args, prelude_settings;
	struct initramfs_file files[PACKAGE_MAX_FILES];
	size_t file_count, sched_file_count; /* the scheduler's files come first */
	struct job_args args;
	struct initramfs_run run;
	struct vm_prelude prelude;
};

int package_make(struct package *p, const struct job *job);
void package_finish(struct package *p);

/* Sets s->prelude if the scheduler is a program: it is then loaded once, see vm_prelude. */
int package_split(struct package *p, const struct job *job, struct vm_session *s);

/* How the test's guest is simulated. */
struct vm_sim job_sim(const struct job *job);

/* job_repro.c: Automatic reproduction of a run that failed under a scheduler. */

/* A second run, with probes on further kernel functions. */
struct probed_run {
	struct outcome outcome;
	struct str report, records; /* of the probes */
};
void probed_run_finish(struct probed_run *r);

struct job_again {
	/*
	 * Runs the test with probes on these functions; "-" = only those that are always probed. 0,
	 * or a negative errno if the run could not be made.
	 */
	int (*run)(void *ctx, const char *functions, struct probed_run *to);
	void *ctx;
};

/*
 * Adds the report of auto-repro to the outcome, or why there is none. session: of the failed run.
 */
void job_repro(const struct job *job, const struct vm_session *session,
	       const struct repro_scene *scene, const struct job_again *again, struct outcome *out);

/*
 * Parts of job_repro(): the cause of the failure, and the second run if the first cannot be
 * repeated.
 */
struct job_failure {
	bool is_failed;
	struct repro_cause cause; /* points into this struct */
	struct sched_report report;
	struct str text; /* of the report */
};
void job_failure_read(struct job_failure *f, const struct outcome *out);
void job_failure_finish(struct job_failure *f);
/* Moves the texts of the report to the outcome. */
void job_repro_keep(struct outcome *out, struct repro_report *report);
void job_repro_probed(const struct job *job, const struct job_again *again, struct outcome *out);

/* discover.c */

/*
 * Compiles the C file; *program is to be freed. Compiler messages go to stderr. -EINVAL "FILE does
 * not compile".
 */
int source_compile(const char *path, const struct source_options *how, char **program);

/*
 * Tests that are a scenario file. scenario_ending() returns the length of the suffix (".yaml" for
 * instance), or 0 for other files. scenario_program() makes the program, to be freed; -EINVAL
 * "FILE:LINE: why" for an invalid scenario.
 */
size_t scenario_ending(const char *path);
int scenario_program(const char *path, char **program);

/* Returns whether the program was compiled with coverage. */
bool program_is_instrumented(const char *path);

/*
 * Appends program and arguments as the guest gets them, each terminated by a NUL: configuration
 * file, cgroup, the arguments of the scheduler, of the test and of the flags.
 */
int scheduler_add_args(const struct probe_sched *s, const struct probe_test *t, uint64_t flags,
		       struct str *out);

/* presets.c */

/*
 * Returns whether the machine satisfies the constraints (0 = the default of that field). host is
 * NULL except in performance mode: other tests may overcommit the host.
 */
bool preset_is_accepted(const struct preset *p, enum vm_arch arch,
			const struct ktstr_constraints *c, const struct preset_host *host);

/* profiles.c */

/* Bits of those names that are flags of the scheduler. */
uint64_t profile_mask(const struct profile_flags *flags, const struct probe_texts *names);

/* Reads the flags that a scheduler declares. -EINVAL with a message if there are too many. */
int profile_flags_read(struct profile_flags *out, const struct probe_sched *s);

/* selection.c */

/* Bit of one of the six well-known flags (llc, borrow, ...), or 0. */
unsigned int selection_flag(const char *name);

/* One bit for each feature of the test, see selection_by_budget(). */
uint64_t selection_features(const struct selection_item *item);

/* Clears is_chosen of tests that belong to other shards; costs are spread evenly. */
int shard_apply(const struct shard *shard, const struct selection_item *items, size_t count,
		bool *is_chosen);

/* variants.c */

/* -EINVAL with a message for required flags that no profile satisfies. */
int variants_list(const struct variants_request *r, struct variants *out);
void variants_finish(struct variants *v);

int variants_choose(const struct variants *v, const struct variants_choice *choice,
		    struct variants_chosen *out);
void variants_chosen_finish(struct variants_chosen *c);

/*
 * -EINVAL naming both programs, if two of the same name have a test of the same name, such as a C
 * file and the program built from it.
 */
int variants_check_names(const struct variants_chosen *c);

/* knobs.c */

/* Warns about each sim option that has no effect with another accelerator. */
void run_knobs_check_accel(const struct run_knobs *k, enum vm_accel accel);

/* report.c */

/* Appends "suite::binary ktstr/two_cgroups", escaped: the names come from a program. */
void report_add_name(struct str *out, const struct test_event *e);

void run_report_begin(struct run_report *r, const struct report_format *format,
		      const struct run_report_options *options, size_t selected);
void run_report_tell(struct run_report *r, enum report_moment m, const struct test_event *e);
/* -ENOMEM with a message if output was lost. */
int run_report_finish(struct run_report *r, const struct run_totals *t);

/* coverage.c */

/* Adds instrumented programs to those that reports cover. */
int coverage_add_objects(const char *dir, const char *const *programs, size_t count);

/* Returns whether the data starts with the magic of a raw clang profile. */
bool coverage_is_raw_profile(const void *data, size_t len);

/* bpf_coverage.c */

/* Stores what one run executed in a new file. */
int bpf_coverage_keep(const char *dir, const struct bpf_blocks *blocks);

/* dump_files.c */

/*
 * Writes NAME.failure-dump.json of a failed test and NAME.snapshots.json if there is content for
 * them, and removes those of a previous run and its trace. record = NAME.ktstr.json. If the guest
 * failed before its scheduler started, the dump is empty and says so.
 */
int dump_files_write(const char *record, const struct sidecar *s, const struct outcome *o);

/* Returns whether the file name is that of a dump, of snapshots or of a trace. */
bool dump_files_is_one(const char *name);

/* run_dir.c */

/*
 * HEAD of the repository around the current directory, and whether tracked files are modified.
 * KTSTR_PROJECT_COMMIT overrides it.
 */
int project_commit_read(struct project_commit *c);
void project_commit_finish(struct project_commit *c);

/*
 * Prepares the directory for the records of this run. KTSTR_SIDECAR_DIR is used as it is, with a
 * subdirectory for a label. -EWOULDBLOCK naming the lock holders if it stays locked for 30 s.
 */
int run_dir_open(const struct run_dir_request *r, struct run_dir *out);
void run_dir_finish(struct run_dir *d);

/*
 * Creates the directory of that attempt, including the files for its replay. *path is to be freed.
 */
int run_dir_of_attempt(const char *dir, unsigned int attempt, char **path);

/* Token of this run: KTSTR_RUN_EPOCH, or a new one. To be freed. */
char *run_epoch(void);

/* outcome.c */

/* Write to a file and read back. -EIO if the file does not hold a complete outcome. */
int outcome_write(const struct outcome *o, int fd);
int outcome_read(struct outcome *o, int fd);

/*
 * Parses the result of the body; false if there is none or it is invalid. *r must be finished in
 * any case.
 */
bool outcome_get_result(const struct outcome *o, struct ktstr_result *r);

/* Text that says how far the run got. */
const char *outcome_stage(const struct outcome *o);

/* sched_report.c */

/* Modifies text. 0, or -EINVAL with the position of the error. */
int sched_report_read(struct sched_report *r, char *text, size_t len);
void sched_report_finish(struct sched_report *r);

/* Returns whether the scheduler failed: it did not do what the test expects of it. */
bool sched_report_is_bad(const struct sched_report *r);

/* judge.c */

/* Reads the samples of an outcome. */
int run_monitor_read(struct run_monitor *m, const struct str *samples,
		     const struct ktstr_assert *limits);
void run_monitor_finish(struct run_monitor *m);

/*
 * Adds a detail for each of the test's own limits that is exceeded; returns true if there is one.
 * Default limits are only reported in the monitor section. If the test has limits of its own but no
 * samples, the result is inconclusive; likewise if the test was monitored long enough for samples
 * and has none.
 */
bool run_monitor_judge(const struct run_monitor *m, const struct ktstr_assert *limits,
		       struct ktstr_result *r);

/* Makes the result inconclusive if a test without a scheduler sets limits of a scheduler. */
void run_monitor_without_scheduler(const struct ktstr_assert *limits, struct ktstr_result *r);

/* Appends "--- monitor ---" and the lines below it. */
void run_monitor_add_section(const struct run_monitor *m, struct str *out);

void run_monitor_record(const struct run_monitor *m, const struct ktstr_result *r,
			struct sidecar *s);

/* Name of the scheduler in failure texts; NULL = the kernel's own scheduler. */
const char *scheduler_label(const struct variant *v);

/* Maximum over the samples from `from` up to but excluding `to`. */
double plot_most(const struct plot *plot, const struct series *s, size_t from, size_t to);

/* End of the test in ms on the test's clock, and its start on the clock of the samples. */
uint64_t plots_end_ms(const struct ktstr_result *r);
uint64_t plots_zero(const struct ktstr_result *r, const struct series *s);

/* Stores the plots in the record, reduced to few points; for passed tests, too. */
void plots_record(const struct ktstr_result *r, const struct series *s, struct sidecar *to);

/* execute.c */

/* Expands ranges to one kernel per version. Two kernels with the same label are an error. */
int run_kernels_resolve(const struct run_kernels_request *r, struct run_kernels *out);
void run_kernels_finish(struct run_kernels *k);

/* Accelerator of the test: its own choice, else the run's. */
enum vm_accel job_accel(const struct job *job);

/* Number of host CPUs that the test keeps busy: a VM of tcg or sim is one busy thread. */
size_t job_cpus(const struct job *job);

/* Duration of the test body in ms. */
uint64_t job_duration_ms(const struct job *job);

/* Guest memory by the rule for test VMs, before the minimum for booting is applied. */
uint64_t job_memory_mib(const struct variant *v);

/*
 * Timeout in s for attaching the scheduler, from the environment or the test; 0 = the guest's
 * default.
 */
uint64_t job_attach_s(const struct job *job);

/*
 * Timeouts in ns of wall-clock time. job_limit_ns(): for the run itself. job_total_limit_ns(): for
 * the whole job from when it has its CPUs, boot included.
 */
uint64_t job_limit_ns(const struct job *job);
uint64_t job_guest_limit_ns(const struct job *job); /* as job_limit_ns(), in guest time */
uint64_t job_slow_ns(const struct job *job);	    /* the test is slow from here on */
uint64_t job_total_limit_ns(const struct job *job);

/* job_run() in a VM or on this host. 0, or a negative errno if the run could not be made. */
int job_run_guest(const struct job *job, const struct plan *plan, struct outcome *out);
int job_run_host(const struct job *job, struct outcome *out);

/*
 * Runs a program on this host; stdout and stderr go to output. argv ends with "--result" and room
 * for one more argument, which is set here. Returns its exit status, -ETIMEDOUT, or a negative
 * errno.
 */
int job_run_program(const char **argv, int further_fd, uint64_t deadline_ns,
		    struct bounded_text *output, struct str *result);

/* Returns whether snapshot requests from the guest are served. */
bool job_has_snapshots(const struct job *job);

/*
 * Runs the test's post_vm if the body did not fail, and its post_vm_unconditional in any case, if
 * the test has them; stores their result in out->post_vm. problem: why the guest could not be
 * inspected, or "".
 */
int post_vm_judge(const struct job *job, const char *problem, struct outcome *out);

void job_tell(const struct job *job, enum job_event event);

void live_line_init(struct live_line *l, bool is_quiet);
void live_line_draw(struct live_line *l, const char *text);
void live_line_wipe(struct live_line *l);

/* Fills host, allowed, cap and no_perf_mode of the world: the CPUs, and how many may be used. */
int run_machine_read(struct run_machine *m, bool no_perf_mode, struct run_world *w);

/*
 * Finds QEMU and the accelerator (by name; NULL = the best one) and makes the initramfs base of
 * each kernel.
 */
int run_machine_prepare_vm(struct run_machine *m, const char *accel, struct run_kernels *kernels,
			   struct run_world *w);

void run_machine_finish(struct run_machine *m);

/* campaign.c */

/* Runs the tasks. One of RUN_EXIT_*, or a negative errno. */
int campaign_run(struct campaign *c);

/* sweep.c */

/* Reads the flags that a scheduler prints for --ktstr-list-flags. */
int sweep_flags_read(char *text, size_t len, struct arena *arena, struct probe_sched *out);

/* export.c */

struct export_parts {
	const struct variant *variant;
	const char *scheduler; /* path, or NULL */
	const char *commit;    /* of the project, or NULL */
	const struct include_files *includes;
};

/* File names in the archive. */
#define EXPORT_PROGRAM "test"
#define EXPORT_SCHEDULER "scheduler"

/* Appends the shell script, up to the start of the archive. */
int export_add_script(const struct export_parts *p, struct str *out);
int export_add_archive(const struct export_parts *p, struct str *out);

/* ---- judge.c ---- */

struct run_judging {
	const struct variant *variant;
	struct outcome *outcome;
	const struct judge_options *options;
	struct judgement *out;
	const char *headline;  /* replaces "failed"; NULL = chosen by the verdict */
	bool is_error_of_test; /* counts as the error that expect_err expects */
	bool is_of_monitor;    /* the body passed, but the monitor found a violation */
};

/* judge_text.c: Assembles the text of the failure. */
void judgement_write_text(struct run_judging *j);

#endif
