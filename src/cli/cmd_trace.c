// SPDX-License-Identifier: GPL-2.0-only
/* ktstr trace: what the scheduler did in a run, without changing it. */
#include "check/sidecar.h"
#include "cli/options.h"
#include "explore/repeat.h"
#include "explore/explore.h"
#include "stats/runs.h"

#define LISTED_NAMES 8

/* The record of a run, and the words that name its test. */
struct recorded {
	struct sidecar single;
	bool is_single;
	struct runs runs;
	struct select_option select;
	const struct sidecar *record; /* NULL = a test was named */
	char *dir, *name;
	struct repeat_programs programs;
};

static void recorded_finish(struct recorded *r)
{
	if (r->is_single)
		sidecar_finish(&r->single);
	runs_finish(&r->runs);
	select_option_finish(&r->select);
	free(r->dir);
	free(r->name);
	repeat_programs_finish(&r->programs);
}

static int open_record(struct recorded *r, const char *path)
{
	const char *slash = strrchr(path, '/');
	int rc = repeat_record_read(&r->single, path);

	r->is_single = rc == 0;
	r->record = &r->single;
	r->dir = slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
	return rc < 0 || r->dir ? rc : err_no_memory();
}

/* Of a run with several tests, the one that --select means. */
static int choose_record(struct recorded *r, const struct run *run)
{
	_str_ struct str names = {};
	size_t count = 0;

	for (size_t i = 0; i < run->sidecars.count; i++) {
		const struct sidecar *s = run->sidecars.items[i];

		if (!select_option_has(&r->select, s) || !s->has_seed)
			continue;
		r->record = s;
		if (count++ < LISTED_NAMES)
			str_addf(&names, "%s%s", count > 1 ? ", " : "", s->name);
	}
	if (count == 0)
		return err_set(ENOENT, "%s has no such run of sim", run->path);
	if (count > 1)
		return err_set(EINVAL, "%s has %zu runs of sim; --select names one: %s%s",
			       run->path, count, str_get(&names),
			       count > LISTED_NAMES ? ", ..." : "");
	return 0;
}

static int open_run(struct recorded *r, const struct cli_call *call, const char *name)
{
	struct run *run;
	int rc = runs_open(&r->runs, cli_text(call, "dir"), name, &run) ?: choose_record(r, run);

	if (rc < 0)
		return rc;
	r->dir = strdup(run->path);
	return r->dir ? 0 : err_no_memory();
}

static int check_record(const struct sidecar *s)
{
	if (!s->has_seed)
		return err_set(EINVAL,
			       "%s was no run of sim: only those are the same when they are "
			       "looked at",
			       s->name);
	if (!s->digest)
		return err_set(EINVAL, "%s has no digest to compare with", s->name);
	return 0;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A record has all that its run depends on; nothing of it can be another here. */
static int check_options(const struct cli_call *call, bool has_record)
{
	static const char *const of_records[] = { "test",  "output",	    "select",
						  "dir",   "no-perf-mode",  "verbose",
						  "quiet", "scheduler-bin", "trust" };

	if (!has_record && cli_is_given(call, "select"))
		return cli_usage_error(call, "--select is for the directory of a run");
	for (size_t i = 0; i < call->given_count && has_record; i++) {
		const char *name = call->given[i].param->name;
		bool is_known = false;

		for (size_t k = 0; k < ARRAY_SIZE(of_records); k++)
			is_known |= str_eq(name, of_records[k]);
		if (!is_known)
			return cli_usage_error(
				call, "--%s cannot be given for a run that left a record", name);
	}
	return 0;
}

/* One word may be a record or a run; all else is a test. */
static int open_recorded(struct recorded *r, const struct cli_call *call, struct lab_words *words,
			 struct lab_request *request)
{
	int rc;

	if (words->count != 1)
		return 0;
	if (repeat_is_record(words->items[0]))
		rc = open_record(r, words->items[0]);
	else if (is_directory(words->items[0]) || cli_is_given(call, "dir"))
		rc = open_run(r, call, words->items[0]);
	else
		return 0;
	rc = rc ?: check_record(r->record);
	rc = rc ?: repeat_programs_read(&r->programs, r->dir);
	rc = rc ?: trust_run(call, r->dir, &r->programs, &r->record, 1);
	if (rc == 0)
		rc = run_knobs_parse(&request->knobs, r->record->run_options.items,
				     r->record->run_options.count);
	if (rc < 0)
		return rc;
	unsetenv("KTSTR_VERBOSE"); /* the record has it, too */
	r->name = repeat_test_name(r->record->name);
	rc = r->name ? vec_push(&r->programs.paths, r->name) : err_no_memory();
	request->words = r->programs.paths.items;
	request->word_count = r->programs.paths.count;
	request->binary = r->record->binary;
	request->kernel = repeat_kernel(r->record);
	return rc < 0 ? rc :
			repeat_scheduler(r->record, request->scheduler, true, &request->scheduler);
}

static int check_output(const char *output, const char *record)
{
	struct stat there, from;

	if (stat(output, &there) == 0 && stat(record, &from) == 0 && there.st_ino == from.st_ino &&
	    there.st_dev == from.st_dev)
		return err_set(EINVAL, "the trace would replace %s, from which it is made", record);
	return 0;
}

/* Which run of the test it is. */
static int read_run(const struct cli_call *call, const struct sidecar *record,
		    struct tracing_options *out)
{
	if (!record)
		return seed_option(call, &out->seed);
	out->seed = record->seed;
	out->digest = record->digest;
	return 0;
}

int cmd_trace(const struct cli_call *call)
{
	_cleanup_(lab_words_finish) struct lab_words words = {};
	_cleanup_(recorded_finish) struct recorded recorded = {};
	struct tracing_options options = { .output = cli_text(call, "output") };
	struct lab_request request;
	_lab_ struct lab lab = {};
	int rc = lab_options(call, &words, &request) ?: select_option_read(&recorded.select, call);

	if (rc)
		return rc;
	interrupt_install();
	request.scheduler = cli_text(call, "scheduler-bin");
	rc = open_recorded(&recorded, call, &words, &request);
	rc = rc ?: check_options(call, recorded.record != NULL);
	for (size_t i = 0; i < words.count && rc == 0; i++)
		rc = check_output(options.output, words.items[i]);
	rc = rc ?: read_run(call, recorded.record, &options);
	rc = rc ?: lab_open(&lab, &request);
	rc = rc ?: tracing_run(&lab, &options);
	return rc == -EINTR ? RUN_EXIT_INTERRUPTED : rc;
}
