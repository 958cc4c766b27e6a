/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of this room share and nobody else uses. */
#ifndef KTSTR_RUN_PARTS_H
#define KTSTR_RUN_PARTS_H

#include "repro/repro.h"
#include "run/sweep.h"

/* What a guest without a channel has left on its second serial port. */

/*
 * The text between the last pair of result lines; nothing when the last one that
 * begins has no end: an earlier pair may be what a test has printed.
 */
void control_result(const char *control, struct str *out);

/* What lies in a directory of coverage. */

#define COVERAGE_OBJECTS "objects"
#define COVERAGE_MERGED "merged.profdata"
#define COVERAGE_HTML_DIR "html"

/* Where LLVM_PROFILE_FILE, which is set, has its profiles: absolute, to be freed. */
char *coverage_profile_dir(void);

/*
 * The raw profiles in the directory, and in that of LLVM_PROFILE_FILE where it is
 * another. A directory that is not there has none.
 */
int coverage_files_list(const char *dir, struct texts *out);

/* Those in one directory whose names end so. */
int coverage_files_in(const char *dir, const char *suffix, struct texts *out);

/* llvm-profdata and llvm-cov, which come in versions that do not read each other's files. */

/* One of each, of the same version. */
struct coverage_tools {
	char *profdata, *cov;
};

/*
 * The i-th pair that is installed: LLVM_PROFDATA and LLVM_COV, those without a number
 * in their names, then from the newest on. -ENOENT when there are no more.
 */
int coverage_tools_nth(size_t i, struct coverage_tools *out);
void coverage_tools_finish(struct coverage_tools *t);

/* Metrics out of prose: what the guest left to the host is done, and judged. */

/*
 * Carries out the requests in the result, after the VM has ended. Failures and what
 * could not be decided are details; only running out of memory is an error.
 */
int run_extract_metrics(struct ktstr_result *res);

/*
 * The host's fault or the scheduler's? Under kvm and tcg the host takes CPU time away from vCPUs,
 * and the guest sees waits, gaps and latencies that no scheduler made.
 */

/*
 * A wait or gap: within as much time the host kept a vCPU from running for at least half of it.
 * A percentile of latencies: it did so for at least 1 % of the run, and for longer than that in all.
 */
bool host_time_explains(const struct vm_host_time *t, const struct detail *d);

/* Details that the host explains are inconclusive, with its figures, and so is the verdict then. */
/* The time that a sentence of the kernel or of guest init speaks of: "failed to run for 1.452s"; or 0. */
uint64_t host_time_in_text(const char *text);
void host_time_excuse(struct ktstr_result *r, const struct vm_host_time *t);

/* "host: vCPU 3 ran 1.20 s and waited 0.31 s for a CPU: dilation 1.26\n"; nothing where not known. */
void host_time_add_line(const struct vm_host_time *t, struct str *out);

/* As the result's host_time: dilation of the worst vCPU, and run and wait of each. */
void record_host_time(struct sidecar *s, const struct vm_host_time *t);

/* Several kernels that are got at the same time, so that they only have to be opened afterwards. */

/*
 * Puts what is not in the cache yet into it: versions and git references, so many
 * at a time. The first failure ends the others. Trees are left to the caller: what
 * they give depends on their state and may not be kept.
 */
int kernels_fetch(const char *const *ids, size_t count, const char *label);

/* The same tests on several kernels, side by side. */

/*
 * Appends a table of the tests of more than one kernel by kernel; nothing where
 * there are none. statuses has one for each chosen variant, or -1 for one that did
 * not come to its end.
 */
int matrix_add(const struct variants_chosen *chosen, const int *statuses,
	       const char *const *kernel_labels, size_t kernel_count, struct str *out);

/*
 * Programs that were made here and can be made again, kept by what made them: each in a directory
 * that has the name of its content.
 *
 * A cache may be shared. Programs of root and our own are taken from it; those of somebody else are
 * not run, and where nothing may be written ours are kept in the cache of our home directory.
 */

/* The file that marks a directory as a cache, for us and for programs that back up. */
#define PROGRAM_CACHE_TAG "CACHEDIR.TAG"

/* Makes the program as the file `out`, which is not there yet. 0 or a negative errno. */
typedef int program_make_fn(void *ctx, const char *out);

/*
 * The program of that key (hexadecimal) and name, made if need be; to be freed. Nobody removes it
 * from the cache until this process ends or calls source_release().
 */
int program_cache_get(const char *key, const char *name, program_make_fn *make, void *ctx,
		      char **program);

/* What KVM counted, as the result's kvm_stats. */

/* Nothing where no vCPU told anything; and of each figure nothing that was not told. */
void record_kvm(struct sidecar *s, const struct vm_exit_stats *exits, const struct roots *roots);

/* What a scheduler and the kernel printed about its end, as part of a report. */

/* Loaders print the kernel's dump as well: their log without it, if it is the same. */
void sched_text_drop_dump(const struct str *log, const struct str *dump, struct str *out);

/* TITLE, then the text with every line marked; nothing for an empty one. */
void sched_text_add_section(struct str *out, const char *title, const struct str *text);

/*
 * Asking the program of a scheduler about itself, here on the host. A program that does not know
 * the option may go on to do what it is for: bpf(2) is refused to it, so that it never becomes
 * this machine's scheduler, and its time and output are limited.
 */

/* Its exit status, with what it printed for this option added to out; or a negative errno. */
int scheduler_ask(const char *path, const char *option, struct str *out);

/*
 * The first line of what it prints for --version, to be freed; NULL when it knows no version.
 * It is asked once and remembered until the file changes. Only running out of memory is an error.
 */
int scheduler_version(const char *path, char **version);

/* A line that can be a version: it has a digit, no control characters, and is not long. */
bool scheduler_version_read(const char *text, struct str *version);

/*
 * Where tests lie: in programs with a section of tests, which is how they are told from
 * others without being run, and in C files that use KTSTR_TEST, which are compiled here.
 */

/* A test program, absolute, and the C file that it was made from or NULL. */
struct test_file {
	char *path, *source;
	bool is_given; /* by name; else found in a directory */
};

/* Files of one kind that a search passed over. */
struct search_left_out {
	size_t count;
	char *first;
};

/* Starts with the first two members alone. */
struct test_search {
	struct source_options how;
	bool skips_broken; /* C files that do not compile are no error */
	bool is_build;	   /* now in a build directory */
	VEC(struct test_file) items;
	struct texts sources; /* C files of directories, before they are compiled */
	struct search_left_out plain, foreign, unreadable, broken;
};

/*
 * A program, a C file, or a directory with both. What is given and has no tests is an
 * error; in directories it is passed over, and so are caches and hidden files.
 */
int test_search_given(struct test_search *s, const char *path);

/*
 * KTSTR_TEST_DIR, else `tests` and `build` of the current project: of this directory, or
 * where it has neither, of the nearest directory above with a repository.
 */
int test_search_project(struct test_search *s);

/*
 * Compiles the C files of directories, and tells once what was passed over. Of a C file and
 * a program of the same name the newer one is taken: one is made from the other.
 */
int test_search_end(struct test_search *s);

void test_search_finish(struct test_search *s);

/* The include files that a test declares: its own, its payloads', its scheduler's. */

#define WANTED_FILES_MAX 256

struct wanted_files {
	const char *items[WANTED_FILES_MAX]; /* as declared, none twice */
	size_t count;
};

int wanted_files_list(const struct variant *v, struct wanted_files *out);

/* job_package.c: What a guest is given for a test: programs, arguments, settings. */

#define PACKAGE_MAX_FILES 8

/* Everything that the guest is given; it lives until the run is over. */
struct package {
	struct include_files includes;
	struct str settings, append, sched_args, prelude_settings;
	struct initramfs_file files[PACKAGE_MAX_FILES];
	size_t file_count, sched_file_count; /* those of the scheduler come first */
	struct job_args args;
	struct initramfs_run run;
	struct vm_prelude prelude;
};

int package_make(struct package *p, const struct job *job);
void package_finish(struct package *p);

/* A scheduler that is a program is loaded once, see vm_prelude: sets it, or leaves it. */
int package_split(struct package *p, const struct job *job, struct vm_session *s);

/* How the test's guest is simulated. */
struct vm_sim job_sim(const struct job *job);

/* job_repro.c: Automatic reproduction of a run that failed under a scheduler. */

/* A second run, with probes on these functions of the kernel as well. */
struct probed_run {
	struct outcome outcome;
	struct str report, records; /* of the probes */
};
void probed_run_finish(struct probed_run *r);

struct job_again {
	/* "-" = only what is always looked at. 0, or a negative errno when there was no run. */
	int (*run)(void *ctx, const char *functions, struct probed_run *to);
	void *ctx;
};

/* Adds the story to the outcome, or why there is none; session: of the run that has ended. */
void job_repro(const struct job *job, const struct vm_session *session,
	       const struct repro_scene *scene, const struct job_again *again, struct outcome *out);

/* The parts of it: what a run failed of, and the second run where the first cannot be repeated. */
struct job_failure {
	bool is_failed;
	struct repro_cause cause; /* lives as long as this */
	struct sched_report report;
	struct str text; /* of the report */
};
void job_failure_read(struct job_failure *f, const struct outcome *out);
void job_failure_finish(struct job_failure *f);
/* Moves what was told to the outcome. */
void job_repro_keep(struct outcome *out, struct repro_report *report);
void job_repro_probed(const struct job *job, const struct job_again *again, struct outcome *out);

/* discover.c */

/*
 * The program that the file makes, to be freed. The compiler's own words are on
 * stderr; -EINVAL "FILE does not compile".
 */
int source_compile(const char *path, const struct source_options *how, char **program);

/*
 * A test that is one scenario file: how long the end of such a name is, ".yaml" for instance, or 0;
 * and the program that it makes, to be freed. -EINVAL "FILE:LINE: why" for what is not a scenario.
 */
size_t scenario_ending(const char *path);
int scenario_program(const char *path, char **program);

/* Whether it was compiled to tell which of its lines are executed. */
bool program_is_instrumented(const char *path);

/*
 * Program and arguments as the guest gets them, each ended by a NUL: configuration
 * file, cgroup, the scheduler's own, the test's, those of the flags.
 */
int scheduler_add_args(const struct probe_sched *s, const struct probe_test *t, uint64_t flags,
		       struct str *out);

/* presets.c */

/*
 * Whether the machine is within the constraints (0 = the default of that field).
 * host is NULL but for performance mode: any other test overcommits if need be.
 */
bool preset_is_accepted(const struct preset *p, enum vm_arch arch,
			const struct ktstr_constraints *c, const struct preset_host *host);

/* profiles.c */

/* Those of them that a scheduler has. */
uint64_t profile_mask(const struct profile_flags *flags, const struct probe_texts *names);

/* The flags that a scheduler declares. -EINVAL with a message for too many. */
int profile_flags_read(struct profile_flags *out, const struct probe_sched *s);

/* selection.c */

/* Bit of one of the six flags that everybody knows (llc, borrow, ...), or 0. */
unsigned int selection_flag(const char *name);

/* One bit for each feature that the test has. */
uint64_t selection_features(const struct selection_item *item);

/* Clears is_chosen of those that other machines run; costs are spread evenly. */
int shard_apply(const struct shard *shard, const struct selection_item *items, size_t count,
		bool *is_chosen);

/* variants.c */

/* -EINVAL with a message for flags that no profile can satisfy. */
int variants_list(const struct variants_request *r, struct variants *out);
void variants_finish(struct variants *v);

int variants_choose(const struct variants *v, const struct variants_choice *choice,
		    struct variants_chosen *out);
void variants_chosen_finish(struct variants_chosen *c);

/*
 * Programs of one name with a test of one name, such as a C file and what was built from it:
 * -EINVAL naming both.
 */
int variants_check_names(const struct variants_chosen *c);

/* knobs.c */

/* A warning for each option of sim that guests of another accelerator do not heed. */
void run_knobs_check_accel(const struct run_knobs *k, enum vm_accel accel);

/* report.c */

/* "suite::binary ktstr/two_cgroups": names that a program told. */
void report_add_name(struct str *out, const struct test_event *e);

void run_report_begin(struct run_report *r, const struct report_format *format,
		      const struct run_report_options *options, size_t selected);
void run_report_tell(struct run_report *r, enum report_moment m, const struct test_event *e);
/* -ENOMEM with a message when something could not be told. */
int run_report_finish(struct run_report *r, const struct run_totals *t);

/* coverage.c */

/* Adds programs to those that reports are about. */
int coverage_add_objects(const char *dir, const char *const *programs, size_t count);

/* Whether the bytes begin as a raw profile of clang does. */
bool coverage_is_raw_profile(const void *data, size_t len);

/* bpf_coverage.c */

/* What one run executed, in a file of its own. */
int bpf_coverage_keep(const char *dir, const struct bpf_blocks *blocks);

/* dump_files.c */

/*
 * Writes NAME.failure-dump.json of a test that failed and NAME.snapshots.json, where there is
 * something to write, and removes those of a run before, its trace too; record = NAME.ktstr.json. The dump of
 * a guest that failed before its scheduler was there says so, and is empty.
 */
int dump_files_write(const char *record, const struct sidecar *s, const struct outcome *o);

/* Whether a file of this name is one of those, the trace among them. */
bool dump_files_is_one(const char *name);

/* run_dir.c */

/*
 * HEAD of the repository around the current directory, and whether tracked files
 * differ. KTSTR_PROJECT_COMMIT says it for whom we run.
 */
int project_commit_read(struct project_commit *c);
void project_commit_finish(struct project_commit *c);

/*
 * Makes the directory ready for the records of this run. KTSTR_SIDECAR_DIR is
 * taken as it is, with a directory below it for a label. -EWOULDBLOCK naming the holders when
 * others are at it for 30 s.
 */
int run_dir_open(const struct run_dir_request *r, struct run_dir *out);
void run_dir_finish(struct run_dir *d);

/* Makes the directory of that attempt, from which it can be replayed. *path is to be freed. */
int run_dir_of_attempt(const char *dir, unsigned int attempt, char **path);

/* A token for one run: KTSTR_RUN_EPOCH, or a fresh one. To be freed. */
char *run_epoch(void);

/* outcome.c */

/* Into a file, and back. -EIO when it does not hold a whole outcome. */
int outcome_write(const struct outcome *o, int fd);
int outcome_read(struct outcome *o, int fd);

/* What the body sent; false = nothing, or it cannot be read. To be finished in any case. */
bool outcome_get_result(const struct outcome *o, struct ktstr_result *r);

/* How far the run came, in words. */
const char *outcome_stage(const struct outcome *o);

/* sched_report.c */

/* text is changed. 0, or -EINVAL with the place. */
int sched_report_read(struct sched_report *r, char *text, size_t len);
void sched_report_finish(struct sched_report *r);

/* Whether the scheduler did not do what it should. */
bool sched_report_is_bad(const struct sched_report *r);

/* judge.c */

/* From an outcome's samples. */
int run_monitor_read(struct run_monitor *m, const struct str *samples,
		     const struct ktstr_assert *limits);
void run_monitor_finish(struct run_monitor *m);

/*
 * Adds what breaks limits of the test's own: true = one is broken. Those that are there by
 * default are told in the block and decide nothing. A limit of the test's own without samples
 * is inconclusive, and so is a test that ran long enough for samples, was watched, and has none.
 */
bool run_monitor_judge(const struct run_monitor *m, const struct ktstr_assert *limits,
		       struct ktstr_result *r);

/* Limits of the test's own on queues and process of a scheduler that it does not have: inconclusive. */
void run_monitor_without_scheduler(const struct ktstr_assert *limits, struct ktstr_result *r);

/* "--- monitor ---" and what is below it. */
void run_monitor_add_section(const struct run_monitor *m, struct str *out);

void run_monitor_record(const struct run_monitor *m, const struct ktstr_result *r,
			struct sidecar *s);

/* The name by which failure texts call the scheduler; NULL = the kernel's own. */
const char *scheduler_label(const struct variant *v);

/* The most of the samples from one to before the other. */
double plot_most(const struct plot *plot, const struct series *s, size_t from, size_t to);

/* When the test ended, by its own clock, and when it began, by that of its samples. */
uint64_t plots_end_ms(const struct ktstr_result *r);
uint64_t plots_zero(const struct ktstr_result *r, const struct series *s);

/* Into the record, in few points; of tests that passed, too. */
void plots_record(const struct ktstr_result *r, const struct series *s, struct sidecar *to);

/* execute.c */

/* Ranges become one kernel for each version. Two kernels of one label are an error. */
int run_kernels_resolve(const struct run_kernels_request *r, struct run_kernels *out);
void run_kernels_finish(struct run_kernels *k);

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

void job_tell(const struct job *job, enum job_event event);

void live_line_init(struct live_line *l, bool is_quiet);
void live_line_draw(struct live_line *l, const char *text);
void live_line_wipe(struct live_line *l);

/* CPUs, and how many of them may be used. Fills host, allowed, cap and no_perf_mode of the world. */
int run_machine_read(struct run_machine *m, bool no_perf_mode, struct run_world *w);

/* QEMU, accelerator (by name; NULL = the best there is) and what the guests of each kernel start with. */
int run_machine_prepare_vm(struct run_machine *m, const char *accel, struct run_kernels *kernels,
			   struct run_world *w);

void run_machine_finish(struct run_machine *m);

/* campaign.c */

/* Runs the tasks. One of RUN_EXIT_*, or a negative errno. */
int campaign_run(struct campaign *c);

/* sweep.c */

/* The flags that a program itself declares, out of what it prints for --ktstr-list-flags. */
int sweep_flags_read(char *text, size_t len, struct arena *arena, struct probe_sched *out);

/* export.c */

struct export_parts {
	const struct variant *variant;
	const char *scheduler; /* path, or NULL */
	const char *commit;    /* of the project, or NULL */
	const struct include_files *includes;
};

/* Below these names in the archive. */
#define EXPORT_PROGRAM "test"
#define EXPORT_SCHEDULER "scheduler"

/* Appends the script up to where the archive begins. */
int export_add_script(const struct export_parts *p, struct str *out);
/* Appends the compressed archive. */
int export_add_archive(const struct export_parts *p, struct str *out);

#endif
