/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of this room share and nobody else uses. */
#ifndef KTSTR_RUN_PARTS_H
#define KTSTR_RUN_PARTS_H

#include "check/result.h"
#include "check/sidecar.h"
#include "run/outcome.h"
#include "run/report.h"
#include "run/variants.h"
#include "vm/session.h"

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

struct ktstr_result;

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

#endif
