/* SPDX-License-Identifier: GPL-2.0-only */
/* A run that is under way, and all it owns. */
#ifndef KTSTR_RUN_CAMPAIGN_H
#define KTSTR_RUN_CAMPAIGN_H

#include "check/sidecar.h"
#include "host/context.h"
#include "run/execute.h"
#include "run/judge.h"
#include "run/run_dir.h"
#include "run/runner.h"

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

/* Runs the tasks. One of RUN_EXIT_*, or a negative errno. */
int campaign_run(struct campaign *c);

#endif
