// SPDX-License-Identifier: GPL-2.0-only
/* Writes a failure as a C file with a test that fails on its own. */
#include "fuzz/parts.h"

#define SEEDS_TRIED 8	/* until the test fails */
#define MAX_FILES 10000 /* fuzz-N.c */

/* The file is created, so that no other process takes the same name. */
static int next_file(char **path, unsigned int *number)
{
	for (*number = 1; *number < MAX_FILES; ++*number) {
		_free_ char *name = str_fmt("fuzz-%u.c", *number);

		_close_ int fd = name ? open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644) :
					-1;

		if (!name)
			return err_no_memory();
		if (fd < 0 && errno != EEXIST)
			return err_sys(errno, "create %s", name);
		if (fd < 0)
			continue;
		*path = take_ptr(&name);
		return 0;
	}
	return err_set(EEXIST, "there are %d files fuzz-N.c already", MAX_FILES);
}

/* The inputs that run before it, and the input itself. */
static int list_inputs(const struct fuzz_failure *failure, struct fuzz_input **inputs)
{
	size_t before = failure->before.count;

	*inputs = calloc(before + 1, sizeof(**inputs));
	if (!*inputs)
		return err_no_memory();
	for (size_t i = 0; i < before; i++)
		(*inputs)[i] = failure->before.items[i];
	(*inputs)[before] = failure->input;
	return 0;
}

static int write_test(struct fuzz *f, const struct fuzz_failure *failure, unsigned int number,
		      const char *path)
{
	_free_ char *name = str_fmt("fuzz_%u", number);
	_str_ struct str text = {};
	_free_ struct fuzz_input *inputs = NULL;
	struct fuzz_program p = { .name = name,
				  .scheduler = f->scheduler,
				  .args = f->options->args,
				  .arg_count = f->options->arg_count,
				  .invariants = f->options->invariants,
				  .invariant_count = f->options->invariant_count,
				  .ignores_weights = f->options->ignores_weights,
				  .why = failure->signature };
	int rc;

	if (!name)
		return err_no_memory();
	rc = list_inputs(failure, &inputs);
	if (rc < 0)
		return rc;
	fuzz_inputs_add_c(inputs, failure->before.count + 1, &p, &text);
	rc = str_check(&text);
	return rc < 0 ? rc : file_replace(path, text.s, text.len, 0644);
}

/* Runs the file as `ktstr test` would. *text: its output, if not NULL. */
static int run_test(struct fuzz *f, const struct fuzz_failure *failure, const char *path,
		    struct trial how, bool *is_failing, char **text)
{
	struct lab_request request = { .label = f->options->label,
				       .words = &path,
				       .word_count = 1,
				       .kernel = f->options->kernel,
				       .no_perf_mode = f->options->no_perf_mode,
				       .is_quiet = f->options->is_quiet,
				       .knobs = RUN_KNOBS_DEFAULT };
	_lab_ struct lab lab = {};
	struct trial *t = calloc(1, sizeof(*t));
	int rc = t ? lab_open(&lab, &request) : err_no_memory();

	if (rc == 0) {
		*t = how;
		t->seed = failure->input.seed;
		t->knobs = &request.knobs;
		rc = lab_run(&lab, t, 1, &(struct lab_watch){});
	}
	*is_failing = rc == 0 && fuzz_trial_is_same(t, failure->signature);
	if (text && rc == 0)
		*text = take_ptr(&t->text);
	trials_finish(t, 1);
	f->shrinking++;
	return rc;
}

/* fuzz-1.c, its trace and its explanation share a name. */
static char *beside(const char *path, const char *suffix)
{
	return str_fmt("%.*s%s", (int)(strlen(path) - strlen(".c")), path, suffix);
}

/* Writes what a developer looks at first: the trace of the run, and auto-repro's explanation. */
static int explain(struct fuzz *f, struct fuzz_failure *failure)
{
	_free_ char *trace = beside(failure->file, ".perfetto");
	_free_ char *path = beside(failure->file, ".txt"), *text = NULL;
	bool is_failing;
	int rc = trace && path ? 0 : err_no_memory();

	if (rc == 0)
		rc = run_test(f, failure, failure->file,
			      (struct trial){ .trace = trace, .explains = true }, &is_failing,
			      &text);
	if (rc == 0 && text)
		rc = file_replace(path, text, strlen(text), 0644);
	if (rc < 0)
		return rc;
	failure->explanation = text ? take_ptr(&path) : NULL;
	failure->trace = access(trace, F_OK) == 0 ? take_ptr(&trace) : NULL;
	return 0;
}

/* Another program is a different simulator run, so the failure may need another seed. */
int fuzz_write_test(struct fuzz *f, struct fuzz_failure *failure)
{
	_free_ char *path = NULL;
	uint32_t seed = failure->input.seed;
	unsigned int number;
	bool is_failing = false;
	int rc = next_file(&path, &number);

	for (uint32_t i = 0; i < SEEDS_TRIED && rc == 0 && !is_failing; i++) {
		failure->input.seed = i ? i : seed;
		rc = write_test(f, failure, number, path);
		if (rc == 0)
			rc = run_test(f, failure, path, (struct trial){}, &is_failing, NULL);
	}
	if (is_failing)
		failure->file = take_ptr(&path);
	else if (path)
		unlink(path);
	return rc == 0 && is_failing && f->options->explains ? explain(f, failure) : rc;
}
