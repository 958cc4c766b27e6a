// SPDX-License-Identifier: GPL-2.0-only
/* Finds the test of a record or of a run directory. */
#include "cli/recorded.h"

#define LISTED_NAMES 8

void recorded_finish(struct recorded *r)
{
	if (r->is_single)
		sidecar_finish(&r->single);
	runs_finish(&r->runs);
	select_option_finish(&r->select);
	free(r->dir);
	free(r->name);
	repeat_programs_finish(&r->programs);
}

int recorded_open_file(struct recorded *r, const char *path)
{
	const char *slash = strrchr(path, '/');
	int rc = repeat_record_read(&r->single, path);

	r->is_single = rc == 0;
	r->record = &r->single;
	r->dir = slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
	return rc < 0 || r->dir ? rc : err_no_memory();
}

/* In a run with several tests, the one selected by --select. */
static int choose_record(struct recorded *r, const struct run *run)
{
	_str_ struct str names = {};
	size_t count = 0;

	vec_each_ptr(const struct sidecar, s, &run->sidecars) {
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
			       "%s was not a run of sim: only those are the same when they are "
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

int recorded_open(struct recorded *r, const struct cli_call *call, const struct lab_words *words,
		  struct lab_request *request)
{
	int rc;

	for (size_t i = 0; words->count > 1 && i < words->count; i++)
		if (run_dir_is_record(words->items[i]))
			return err_set(EINVAL, "%s is a record: give one, and nothing else",
				       words->items[i]);
	if (words->count != 1)
		return 0;
	if (run_dir_is_record(words->items[0]))
		rc = recorded_open_file(r, words->items[0]);
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
	unsetenv("KTSTR_VERBOSE"); /* the record has it */
	r->name = repeat_test_name(r->record->name);
	rc = r->name ? vec_push(&r->programs.paths, r->name) : err_no_memory();
	request->words = r->programs.paths.items;
	request->word_count = r->programs.paths.count;
	request->binary = r->record->binary;
	request->kernel = repeat_kernel(r->record);
	return rc < 0 ? rc :
			repeat_scheduler(r->record, request->scheduler, true, &request->scheduler);
}
