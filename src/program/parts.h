/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of this directory: declared tests, errors in declarations, running a test. */
#ifndef KTSTR_PROGRAM_PARTS_H
#define KTSTR_PROGRAM_PARTS_H

#include <ktstr/ktstr.h>

#include "program/probe.h"

/* The tests and schedulers that were linked into this program. */

struct program_entries {
	const struct ktstr_test *const *tests;
	size_t test_count;
	const struct ktstr_sched *const *scheds;
	size_t sched_count;
};

/* Reads them from the linker's sections. */
void program_entries(struct program_entries *e);

/* Finds a test by name, with or without the prefix "ktstr/"; NULL if there is none. */
const struct ktstr_test *program_find_test(const struct program_entries *e, const char *name);

/* True for tests that only run on request: by attribute, or named demo_... */
bool test_is_ignored(const struct ktstr_test *t);

/* Runs a test's body in this process: in a guest, or on the host. */

/* Options of the runner; 0 and NULL = as the test declares. */
struct body_options {
	uint64_t seed, duration_ms;
	unsigned int workers;
	uint64_t steps; /* of scenarios to run, as bits */
	unsigned int hold_percent;
	uint64_t look_ms; /* period at which waits for the end look at the clock */
	const char *work_type;
	const char *flags;	    /* "a+b" */
	const char *scheduler_name; /* replaces the name of the declared scheduler, or NULL */
	bool is_versus, is_repro, is_release, is_sim, has_snapshots, asks_by_channel;
	bool is_quiet;		    /* the reader of the result reports it */
	const char *result_path;    /* NULL = nowhere */
	const char *snapshots_path; /* for post_vm */
	bool has_failed;	    /* the body failed, so only post_vm_unconditional runs */
};

/* Returns the exit code of the test, or a negative errno if it could not begin. */
int body_run(const struct ktstr_test *t, const struct body_options *options);

/* The same for its post_vm and post_vm_unconditional, on the host after the VM has ended. */
int post_vm_run(const struct ktstr_test *t, const struct body_options *options);

/* Writes the result to the file, unless path is NULL. */
int body_write_result(const char *path, const struct ktstr_result *res);

/* Turns the declarations of this program into the document of --ktstr-probe. */

/* Texts of the declarations are borrowed. Returns 0 or -ENOMEM. */
int describe_program(struct probe *p, const struct program_entries *e);

/* "1n1l2c1t" */
void add_topology_notation(struct str *out, const struct ktstr_topology *t);

/* A test program that is asked to run a test executes `ktstr test`. */

/* Does not return on success; -ENOENT if ktstr is not found. */
int exact_run(const char *name, bool is_ignored);

/*
 * Errors in the declarations of this program: one sentence each, with the test or scheduler
 * and the field. Nothing is booted for tests that cannot run.
 */

struct problems {
	struct texts sentences;
	const char *what, *name, *file; /* "test", its name, and where it is declared */
	int line;
	bool failed_alloc;
};

void problems_find(struct problems *p, const struct program_entries *e);
void problems_finish(struct problems *p);

/* For the parts: adds "test 'NAME' (FILE:LINE): " and the sentence. */
void problem_add(struct problems *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void problems_of_sched(struct problems *p, const struct ktstr_sched *s);
void problems_of_test(struct problems *p, const struct ktstr_test *t);
void problems_of_flags(struct problems *p, const struct ktstr_test *t);
void problems_of_nodes(struct problems *p, const struct ktstr_node *nodes);
void problems_of_constraints(struct problems *p, const struct ktstr_constraints *c);

/*
 * Attributes with defaults applied: from the test, else from its scheduler, else from the
 * harness.
 */

#define TEST_MEMORY_MIB 2048
#define TEST_DURATION_MS 2000
#define TEST_WATCHDOG_S 4
#define TEST_WORKERS 2
#define TEST_MAX_SNAPSHOTS 64
#define TEST_MAX_WATCHES 3
#define TEST_MAX_WRITES 16
#define TEST_SNAPSHOT_MS 100 /* minimum distance of periodic snapshots */

struct ktstr_topology test_topology(const struct ktstr_test *t);
struct ktstr_topology sched_topology(const struct ktstr_sched *s);

/* The nodes, if they differ from each other, else NULL; and their number. */
const struct ktstr_node *test_nodes(const struct ktstr_test *t, size_t *count);
size_t node_count(const struct ktstr_node *nodes);

uint64_t test_duration_ms(const struct ktstr_test *t);
struct ktstr_assert test_assert(const struct ktstr_test *t);
struct ktstr_constraints test_constraints(const struct ktstr_test *t);
struct ktstr_constraints sched_constraints(const struct ktstr_sched *s);

#endif
